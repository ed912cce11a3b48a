// SPDX-License-Identifier: MIT
//
// Pinned values define the order: red means that every resumed run would read another one, so a new
// algorithm needs a new name. The heap is compared with a sort of all keys.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/weighted_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

using rankmap::Epoch;
using rankmap::Shard;
using rankmap::WeightedOrder;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::takes_kept_memory_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_memory_only<std::uint64_t>(
    RANKMAP_CALL(WeightedOrder::make({}, RANKMAP_LIST, {}, 0, 0))));

struct PinnedLog {
  std::uint64_t word, log;
};
constexpr PinnedLog pinned_logs[] = {{0, 0x40'0000'0000U},
                                     {1, 0x3f'0000'0000U},
                                     {(std::uint64_t{1} << 62U) - 1, 0x2'0000'0000U},
                                     {(std::uint64_t{1} << 63U) - 1, 0x1'0000'0000U},
                                     {UINT64_MAX, 0},
                                     {12345678901234567890U, 0x9450'f041U}};
struct PinnedOrder {
  std::uint64_t weights[6];
  std::size_t count;
  std::uint64_t seed, epoch;
  std::uint64_t samples[6];
};
constexpr PinnedOrder pinned[] = {
    {{1, 9, 4, 7, 30, 6}, 6, 0, 0, {4, 1, 3, 5, 0, 2}},
    {{1, 9, 4, 7, 30, 6}, 6, 0, 1, {3, 4, 1, 0, 5, 2}},
    {{1, 9, 4, 7, 30, 6}, 3, 42, 0, {1, 5, 4}},
    {{0, 1, 0, UINT64_MAX, 5, 0}, 3, 1, 0, {3, 4, 1}},
};
constexpr bool holds(const PinnedOrder& c) {
  std::uint64_t out[6] = {};
  std::uint64_t scratch[6] = {};
  const auto order = WeightedOrder::make(c.weights, {out, c.count}, scratch, c.seed, c.epoch);
  if (!order || order->size() != c.count) return false;
  for (std::size_t place = 0; place != c.count; ++place) {
    if ((*order)[place] != c.samples[place]) return false;
  }
  return true;
}
static_assert(std::ranges::all_of(pinned_logs, [](const PinnedLog& c) {
  return rankmap::detail::negative_log2(c.word) == c.log;
}));
static_assert(std::ranges::all_of(pinned, holds));

TEST(WeightedOrder, never_changes_under_its_name) {
  for (const PinnedLog& c : pinned_logs) {
    EXPECT_EQ(rankmap::detail::negative_log2(c.word), c.log) << c.word;
  }
  for (const PinnedOrder& c : pinned) EXPECT_TRUE(holds(c)) << "row " << &c - pinned;
}

List draw(const List& weights, std::size_t count, std::uint64_t seed, std::uint64_t epoch = 0) {
  List out(count);
  List scratch(count);
  return list(WeightedOrder::make(weights, out, scratch, seed, epoch).value());
}

// The compiler's own numbers of 128 bits.
__extension__ typedef unsigned __int128 Whole;  // NOLINT: an alias cannot be an extension

TEST(WeightedOrder, has_the_least_keys_in_ascending_order) {
  std::uint64_t state = 1;
  const auto next = [&state](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (std::uint64_t round = 0; round != 300; ++round) {
    List weights(1 + next(60));
    for (std::uint64_t& weight : weights) weight = next(round % 2 == 0 ? 4 : 1000) << round % 50;
    const auto key = rankmap::detail::FeistelKey(round, 3).of_stream(0x6b65'7973U);
    List expected;
    List logs;
    for (std::size_t i = 0; i != weights.size(); ++i) {
      logs.push_back(rankmap::detail::negative_log2(key.at(i)));
      if (weights[i] != 0) expected.push_back(i);
    }
    std::sort(expected.begin(), expected.end(), [&](std::uint64_t a, std::uint64_t b) {
      const Whole x = Whole{logs[a]} * weights[b];
      const Whole y = Whole{logs[b]} * weights[a];
      return x != y ? x < y : a < b;
    });
    for (std::size_t count = 0; count <= expected.size(); ++count) {
      ASSERT_EQ(draw(weights, count, round, 3),
                List(expected.begin(), expected.begin() + static_cast<long>(count)));
    }
  }
}

// All orders of four samples, each as often as drawing one after another makes it.
TEST(WeightedOrder, is_as_likely_as_its_weights) {
  const List weights = {1, 2, 3, 4};
  std::map<List, double> counts;
  constexpr std::uint64_t rounds = 100'000;
  for (std::uint64_t seed = 0; seed != rounds; ++seed)
    ++counts[draw(weights, 4, seed / 100, seed % 100)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& entry : counts) {
    double expected = rounds;
    double left = 10;
    for (const std::uint64_t sample : entry.first) {
      expected *= static_cast<double>(weights[sample]) / left;
      left -= static_cast<double>(weights[sample]);
    }
    chi_square += (entry.second - expected) * (entry.second - expected) / expected;
  }
  EXPECT_LT(std::abs(chi_square - 23) / std::sqrt(2 * 23), 4);
}

static_assert(rankmap::FixedOrder<WeightedOrder> && rankmap::NamedOrder<WeightedOrder>);
static_assert(WeightedOrder().empty());

TEST(WeightedOrder, resumes_in_any_world) {
  const List weights = {5, 0, 2, 9, 1, 1, 7, 3, 4, 4};
  List out(9);
  List scratch(9);
  const WeightedOrder order = WeightedOrder::make(weights, out, scratch, 42, 2).value();
  const Epoch before(Shard(9, 1, 2), order);
  EXPECT_EQ(before[1], out[3]);
  const auto state = rankmap::parse_sampler_state(to_string(*before.state_after(2)).view()).value();
  EXPECT_EQ(name(state.algorithm), "weighted-keys-1");
  const Epoch after(Shard(9, 0, 1, {.consumed = resume_at(state, order).value()}), order);
  EXPECT_EQ(list(after), List(out.begin() + 4, out.end()));
  List other = weights;
  other[0] = 6;
  List out2(9);
  EXPECT_FALSE(resume_at(state, *WeightedOrder::make(other, out2, scratch, 42, 2)));
}

std::string reason(const List& weights, std::size_t out, std::size_t scratch) {
  List memory(out);
  List more(scratch);
  const auto order = WeightedOrder::make(weights, memory, more, 0);
  return order ? "none" : std::string(message(order.error()).view());
}

TEST(WeightedOrder, rejects_what_cannot_be_drawn) {
  EXPECT_EQ(reason({1, 0, 2}, 2, 2), "none");
  EXPECT_EQ(reason({}, 0, 0), "none");
  EXPECT_EQ(reason({1, 0, 2}, 3, 3),
            "out.size()=\"3\": expected at most 2, the samples of a weight above 0; draw fewer "
            "samples, or draw with replacement");
  EXPECT_EQ(reason({0, 0}, 1, 1),
            "out.size()=\"1\": expected at most 0, the samples of a weight above 0; draw fewer "
            "samples, or draw with replacement");
  EXPECT_EQ(reason({1, 2}, 2, 1),
            "scratch.size()=\"1\": expected at least 2 words; pass a larger scratch");
  const std::uint64_t one = 1;
  List memory(1);
  EXPECT_EQ(
      message(WeightedOrder::make({&one, std::size_t{1} << 32U}, memory, memory, 0).error()).view(),
      "weights.size()=\"4294967296\": expected fewer than 2^32 weights; draw from parts of "
      "them");
}

}  // namespace
