// SPDX-License-Identifier: MIT
//
// Pinned values define the draws: red means that every resumed run would read others, so a new
// algorithm needs a new name. The table is compared with its weights place by place.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/weighted_draws.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using rankmap::AliasColumn;
using rankmap::AliasTable;
using rankmap::Epoch;
using rankmap::largest_dataset;
using rankmap::Shard;
using rankmap::WeightedDraws;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::takes_kept_memory_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_memory_only<AliasColumn>(RANKMAP_CALL(AliasTable::make({},
                                                                                RANKMAP_LIST))));

struct PinnedDraws {
  std::size_t weights_count;
  std::uint64_t weights[5];
  std::uint64_t seed, epoch;
  std::uint64_t samples[8];
};
constexpr PinnedDraws pinned[] = {
    {5, {1, 2, 3, 4, 0}, 42, 0, {3, 3, 0, 3, 3, 3, 3, 2}},
    {5, {1, 2, 3, 4, 0}, 42, 1, {3, 1, 3, 1, 3, 2, 3, 3}},
    {5, {1, 2, 3, 4, 0}, 43, 0, {2, 3, 3, 3, 0, 1, 1, 2}},
    // Places of which every third word would be too much, and is replaced.
    {3, {largest_dataset / 9, 1, largest_dataset / 8995 * 1000}, 7, 1, {2, 2, 2, 0, 2, 0, 0, 0}},
    {1, {9}, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}},
};
constexpr bool holds(const PinnedDraws& c) {
  AliasColumn columns[5] = {};
  const auto table = AliasTable::make({c.weights, c.weights_count}, {columns, c.weights_count});
  if (!table) return false;
  const WeightedDraws draws(*table, 8, c.seed, c.epoch);
  for (std::uint64_t place = 0; place != 8; ++place) {
    if (draws[place] != c.samples[place]) return false;
  }
  return true;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(WeightedDraws, never_change_under_their_name) {
  for (const PinnedDraws& c : pinned) EXPECT_TRUE(holds(c)) << "row " << &c - pinned;
}

// The memory of a table, and the table.
struct Table {
  explicit Table(const List& weights) : columns(weights.size()) {
    table = AliasTable::make(weights, columns).value();
  }
  std::vector<AliasColumn> columns;
  AliasTable table;
};

void expect_exact(const List& weights) {
  const Table t(weights);
  List places(weights.size());
  for (std::uint64_t column = 0; column != t.table.size(); ++column) {
    for (std::uint64_t height = 0; height != t.table.sum(); ++height) {
      ++places[t.table.at(column, height)];
    }
  }
  for (std::size_t i = 0; i != weights.size(); ++i) {
    ASSERT_EQ(places[i], weights[i] * weights.size()) << testing::PrintToString(weights);
  }
}

TEST(AliasTable, gives_each_weight_its_exact_share) {
  List weights;
  const std::function<void(std::size_t)> extend = [&](std::size_t most) {
    if (weights != List(weights.size(), 0)) expect_exact(weights);
    if (weights.size() == most) return;
    for (std::uint64_t weight = 0; weight <= 5; ++weight) {
      weights.push_back(weight);
      extend(most);
      weights.pop_back();
    }
  };
  extend(5);
  expect_exact({1000, 0, 1, 1, 1, 1, 0, 0, 3});
  List long_tail;
  for (std::uint64_t i = 0; i != 200; ++i)
    long_tail.push_back(rankmap::Permutation(200, 1)[i] / 20);
  expect_exact(long_tail);
}

// A column may become too low behind the place of the visit, or ahead of it, or become just right.
TEST(AliasTable, levels_large_tables) {
  for (const std::uint64_t size : {1000U, 4096U}) {
    List weights(size);
    const rankmap::Permutation order(size, 3);
    for (std::uint64_t i = 0; i != size; ++i) weights[i] = order[i] * order[i] % 977 / (1 + i % 7);
    const Table t(weights);
    List share(size);
    for (std::uint64_t i = 0; i != size; ++i) {
      ASSERT_LE(t.columns[i].threshold, t.table.sum());
      share[i] += t.columns[i].threshold;
      share[t.columns[i].alias] += t.table.sum() - t.columns[i].threshold;
    }
    for (std::uint64_t i = 0; i != size; ++i) ASSERT_EQ(share[i], weights[i] * size);
  }
}

// A share of the draws each, within what chance allows; and the draws of places that differ by 1
// have nothing to do with each other.
TEST(WeightedDraws, are_as_frequent_as_their_weights_and_independent) {
  const List weights = {10, 0, 1, 5, 4};
  const Table t(weights);
  constexpr std::uint64_t draws = 200'000;
  for (std::uint64_t seed = 0; seed != 3; ++seed) {
    const List drawn = list(WeightedDraws(t.table, draws, seed));
    std::vector<double> single(5);
    std::vector<double> pair(25);
    for (std::size_t k = 0; k != draws; ++k) {
      ++single[drawn[k]];
      if (k != 0) ++pair[drawn[k - 1] * 5 + drawn[k]];
    }
    EXPECT_EQ(single[1], 0);
    double chi_square = 0;
    for (std::size_t a = 0; a != 5; ++a) {
      for (std::size_t b = 0; b != 5; ++b) {
        const double expected =
            (draws - 1) * static_cast<double>(weights[a] * weights[b]) / (20.0 * 20.0);
        if (expected == 0) continue;
        chi_square += (pair[a * 5 + b] - expected) * (pair[a * 5 + b] - expected) / expected;
      }
    }
    // Fifteen degrees of freedom.
    EXPECT_LT(std::abs(chi_square - 15) / std::sqrt(2 * 15), 4) << "seed " << seed;
  }
}

static_assert(rankmap::FixedOrder<WeightedDraws> && rankmap::NamedOrder<WeightedDraws>);
static_assert(WeightedDraws().empty() && AliasTable().size() == 0);
static_assert(WeightedDraws(AliasTable(), 5, 1).empty());

// The ranks' draws are one stream, dealt out: what is left is the same in any world.
// At compile time and at run time; of every third place and of every place.
constexpr bool fills_what_it_has_one_by_one(const PinnedDraws& c) {
  AliasColumn columns[5] = {};
  const auto table = AliasTable::make({c.weights, c.weights_count}, {columns, c.weights_count});
  if (!table) return false;
  const WeightedDraws draws(*table, 600, c.seed, c.epoch);
  for (const std::uint64_t stride : {1U, 3U}) {
    std::uint64_t out[150] = {};
    draws.fill(2, out, 150, stride);
    for (std::uint64_t k = 0; k != 150; ++k) {
      if (out[k] != draws[2 + k * stride]) return false;
    }
  }
  return true;
}
static_assert(std::ranges::all_of(pinned, fills_what_it_has_one_by_one));

TEST(WeightedDraws, fill_what_they_have_one_by_one) {
  for (const PinnedDraws& c : pinned) EXPECT_TRUE(fills_what_it_has_one_by_one(c));
  std::vector<std::uint64_t> weights(10'007);
  for (std::uint64_t i = 0; i != weights.size(); ++i) weights[i] = i % 13 * (i % 101);
  std::vector<AliasColumn> columns(weights.size());
  const AliasTable table = *AliasTable::make(weights, columns);
  const WeightedDraws draws(table, 1'000'000, 4, 2);
  for (std::uint64_t count = 0; count != 260; ++count) {
    for (const std::uint64_t stride : {1U, 8U, 1'000U}) {
      List out(count + 1, 99'999);
      draws.fill(count * 7, out.data(), count, stride);
      EXPECT_EQ(out[count], 99'999U) << "nothing behind the last one";
      for (std::uint64_t k = 0; k != count; ++k) {
        ASSERT_EQ(out[k], draws[count * 7 + k * stride]) << count;
      }
    }
  }
  // by an epoch, with the padding of the last step
  const WeightedDraws some(table, 1'003, 4, 2);
  for (int rank = 0; rank != 4; ++rank) {
    const Epoch epoch(Shard(1'003, rank, 4), some);
    List out(epoch.size());
    epoch.fill(0, out);
    EXPECT_EQ(out, list(epoch));
  }
}

TEST(WeightedDraws, resume_in_any_world) {
  const Table t({3, 0, 5, 1});
  const WeightedDraws order(t.table, 50, 42, 2);
  const List all = list(order);
  const Epoch before(Shard(50, 1, 4), order);
  EXPECT_EQ(before[3], all[13]);
  const auto state = rankmap::parse_sampler_state(to_string(*before.state_after(5)).view()).value();
  List rest(30);
  for (int rank = 0; rank != 3; ++rank) {
    const Epoch after(Shard(50, rank, 3, {.consumed = resume_at(state, order).value()}), order);
    for (std::uint64_t k = 0; k != after.size(); ++k) {
      rest[k * 3 + static_cast<std::uint64_t>(rank)] = after[k];
    }
  }
  EXPECT_EQ(rest, List(all.begin() + 20, all.end()));
  const Table other({3, 0, 5, 2});
  EXPECT_FALSE(resume_at(state, WeightedDraws(other.table, 50, 42, 2)));
  EXPECT_FALSE(resume_at(state, WeightedDraws(t.table, 51, 42, 2)));
}

std::string reason(const List& weights, std::size_t columns) {
  std::vector<AliasColumn> memory(columns);
  const auto table = AliasTable::make(weights, memory);
  return table ? "none" : std::string(message(table.error()).view());
}

TEST(AliasTable, rejects_weights_that_cannot_be_drawn) {
  EXPECT_EQ(reason({largest_dataset}, 1), "none");
  EXPECT_EQ(reason({largest_dataset / 2 - 1, 1}, 2), "none");
  EXPECT_EQ(reason({0, 0}, 2),
            "weights=\"\": expected a weight above 0; pass a whole number for each sample");
  EXPECT_EQ(reason({}, 0),
            "weights=\"\": expected a weight above 0; pass a whole number for each sample");
  EXPECT_EQ(reason({1, 2}, 1),
            "columns.size()=\"1\": expected 2 elements, one for each weight; pass a span of "
            "weights.size() elements");
  EXPECT_EQ(reason({largest_dataset / 2, 1}, 2),
            "weights[1]=\"1\": expected weights whose sum times their number is below 2^63; divide "
            "the weights by a number");
  EXPECT_EQ(reason({5, UINT64_MAX}, 2),
            "weights[1]=\"18446744073709551615\": expected weights whose sum times their number is "
            "below 2^63; divide the weights by a number");
  const std::uint64_t one = 1;
  std::vector<AliasColumn> memory(1);
  EXPECT_EQ(message(AliasTable::make({&one, std::size_t{1} << 32U}, memory).error()).view(),
            "weights.size()=\"4294967296\": expected fewer than 2^32 weights; draw from parts of "
            "them");
}

}  // namespace
