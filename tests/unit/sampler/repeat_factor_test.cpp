// SPDX-License-Identifier: MIT
//
// Draws are compared with a walk through the sums of the weights, at every start that comes up.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/repeat_factor.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace {

using rankmap::CumulativeWeights;
using rankmap::Epoch;
using rankmap::RepeatFactorOrder;
using rankmap::Shard;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::takes_kept_memory_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(
    takes_kept_memory_only<std::uint64_t>(RANKMAP_CALL(CumulativeWeights::make({}, RANKMAP_LIST))));

static_assert(rankmap::FixedOrder<RepeatFactorOrder> && rankmap::NamedOrder<RepeatFactorOrder>);
static_assert(RepeatFactorOrder().empty());

constexpr std::uint64_t draw_in_constant() {
  const std::array<std::uint64_t, 3> weights = {0, 5, 0};
  std::array<std::uint64_t, 3> sums = {};
  return RepeatFactorOrder(CumulativeWeights::make(weights, sums).value(), 4, 1)[3];
}
static_assert(draw_in_constant() == 1);

List sorted(List samples) {
  std::ranges::sort(samples);
  return samples;
}

// What the draws of one start are: the first sample whose end is beyond them.
List walk(const List& weights, std::uint64_t draws, std::uint64_t start) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  List out;
  for (std::uint64_t j = 0; j != draws; ++j) {
    std::uint64_t end = 0;
    std::uint64_t sample = 0;
    while ((end += weights[sample]) * draws <= j * sum + start) ++sample;
    out.push_back(sample);
  }
  return out;
}

// Rows that were computed by hand from the rule.
TEST(RepeatFactorOrder, of_the_test_walks_the_sums) {
  EXPECT_EQ(walk({1, 9, 4, 7, 30, 6}, 12, 0), (List{0, 1, 1, 3, 3, 4, 4, 4, 4, 4, 4, 5}));
  EXPECT_EQ(walk({5, 3, 2}, 10, 0), (List{0, 0, 0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(walk({5, 3, 2}, 7, 4), (List{0, 0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(walk({0, 1, 0, 3}, 4, 0), (List{1, 3, 3, 3}));
  EXPECT_EQ(walk({1, 2, 3, 4}, 6, 5), (List{0, 1, 2, 2, 3, 3}));
}

TEST(RepeatFactorOrder, is_a_walk_from_each_of_its_starts) {
  const List worlds[] = {{1},          {5, 3, 2},    {0, 1, 0, 3},
                         {1, 2, 3, 4}, {0, 0, 7, 0}, {1, 9, 4, 7, 5, 6}};
  for (const List& weights : worlds) {
    List sums(weights.size());
    const auto made = CumulativeWeights::make(weights, sums).value();
    for (const std::uint64_t draws : {1U, 2U, 3U, 7U, 10U, 33U}) {
      std::set<List> expected;
      for (std::uint64_t start = 0; start != made.sum(); ++start) {
        expected.insert(walk(weights, draws, start));
      }
      std::set<List> found;
      for (std::uint64_t epoch = 0; epoch != 20 * made.sum(); ++epoch) {
        const RepeatFactorOrder order(made, draws, 3, epoch);
        const List samples = list(order);
        ASSERT_TRUE(expected.contains(sorted(samples)));
        found.insert(sorted(samples));
        List filled(draws);
        order.fill(0, filled.data(), draws);
        ASSERT_EQ(filled, samples);
        for (std::uint64_t sample = 0; sample != weights.size(); ++sample) {
          ASSERT_EQ(order.count_of(sample),
                    static_cast<std::uint64_t>(std::ranges::count(samples, sample)));
        }
      }
      ASSERT_EQ(found, expected) << "every start comes up";
    }
  }
}

// Factors 1, 1.5, 2.25 and 3 in sixteenths: each comes so often on average, never one more or less.
TEST(RepeatFactorOrder, repeats_samples_by_their_factors) {
  const List weights = {16, 24, 36, 48};
  List sums(4);
  const auto made = CumulativeWeights::make(weights, sums).value();
  const std::uint64_t draws = made.sum() / 16;
  List counts(4);
  for (std::uint64_t epoch = 0; epoch != 4000; ++epoch) {
    const RepeatFactorOrder order(made, draws, 9, epoch);
    for (std::uint64_t sample = 0; sample != 4; ++sample) counts[sample] += order.count_of(sample);
  }
  for (std::size_t sample = 0; sample != 4; ++sample) {
    const double factor = static_cast<double>(made.sum()) / static_cast<double>(draws);
    EXPECT_NEAR(static_cast<double>(counts[sample]) / 4000,
                static_cast<double>(weights[sample]) / factor, 0.03);
  }
}

// Red: the order of this name changed, and saved states resume in another one.
TEST(RepeatFactorOrder, has_not_changed) {
  const List weights = {1, 9, 4, 7, 30, 6};
  List sums(6);
  const auto made = CumulativeWeights::make(weights, sums).value();
  EXPECT_EQ(list(RepeatFactorOrder(made, 12, 42, 0)), (List{5, 3, 4, 4, 4, 4, 1, 1, 4, 2, 4, 4}));
  EXPECT_EQ(list(RepeatFactorOrder(made, 12, 42, 1)), (List{0, 3, 4, 4, 3, 1, 5, 1, 4, 4, 4, 4}));
}

TEST(RepeatFactorOrder, works_with_the_largest_numbers) {
  const List weights = {rankmap::largest_dataset - 3, 1, 2};
  List sums(3);
  const auto made = CumulativeWeights::make(weights, sums).value();
  const RepeatFactorOrder order(made, rankmap::largest_dataset, 1);
  EXPECT_EQ(order.count_of(0), weights[0]);
  EXPECT_EQ(order.count_of(1), 1U);
  EXPECT_EQ(order.count_of(2), 2U);
  EXPECT_LT(order[rankmap::largest_dataset - 1], 3U);
}

TEST(RepeatFactorOrder, resumes_with_the_same_weights_alone) {
  List sums(3);
  const auto made = CumulativeWeights::make(List{5, 3, 2}, sums).value();
  const RepeatFactorOrder order(made, 10, 3, 4);
  const auto state = Epoch(Shard(10, 0, 2), order).state_after(3).value();
  EXPECT_EQ(name(state.algorithm), "repeat-factor-1");
  EXPECT_EQ(resume_at(state, order).value(), 6U);
  List others(3);
  const auto other = CumulativeWeights::make(List{5, 2, 3}, others).value();
  EXPECT_FALSE(resume_at(state, RepeatFactorOrder(other, 10, 3, 4)));
  EXPECT_FALSE(resume_at(state, RepeatFactorOrder(made, 11, 3, 4)));
}

TEST(CumulativeWeights, rejects_weights_that_mean_nothing) {
  const auto reason = [](const List& weights, std::size_t size) {
    List sums(size);
    return message(CumulativeWeights::make(weights, sums).error());
  };
  EXPECT_EQ(reason({0, 0}, 2).view(),
            "weights=\"\": expected a weight above 0; pass a whole number for each sample");
  EXPECT_EQ(reason({}, 0).view(),
            "weights=\"\": expected a weight above 0; pass a whole number for each sample");
  EXPECT_EQ(reason({1, 2}, 1).view(),
            "sums.size()=\"1\": expected 2 elements, one for each weight; pass a span of "
            "weights.size() elements");
  EXPECT_EQ(reason({rankmap::largest_dataset, 1}, 2).view(),
            "weights[1]=\"1\": expected weights with a sum below 2^63; divide the weights by a "
            "number");
  EXPECT_TRUE(RepeatFactorOrder(CumulativeWeights(), 5, 0).empty());
}

}  // namespace
