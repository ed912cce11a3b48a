// SPDX-License-Identifier: MIT
//
// Every property is tested over all small worlds, against the definition by lists that the
// arithmetic replaces.
#include "support/list.hpp"

#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Remainder;
using rankmap::Shard;
using rankmap::ShardIndex;
using rankmap::ShardOptions;
using rankmap::ShardOrder;
using rankmap::StridedIndices;
using rankmap_test::List;
using rankmap_test::list;

struct ShardCase {
  std::uint64_t size;
  int rank;
  int world;
  ShardOptions options;
  std::uint64_t count;
  std::uint64_t expected[6];
  std::uint64_t padding;  // how many at the end are padding
};
constexpr ShardCase shard_cases[] = {
    {10, 0, 3, {}, 4, {0, 3, 6, 9}, 0},
    {10, 1, 3, {}, 4, {1, 4, 7, 0}, 1},
    {10, 2, 3, {}, 4, {2, 5, 8, 1}, 1},
    {10, 2, 3, {ShardOrder::strided, Remainder::drop, 0}, 3, {2, 5, 8}, 0},
    {10, 0, 3, {ShardOrder::strided, Remainder::uneven, 0}, 4, {0, 3, 6, 9}, 0},
    {10, 2, 3, {ShardOrder::strided, Remainder::uneven, 0}, 3, {2, 5, 8}, 0},
    {10, 2, 3, {ShardOrder::blocked, Remainder::pad, 0}, 4, {8, 9, 0, 1}, 2},
    {10, 2, 3, {ShardOrder::blocked, Remainder::drop, 0}, 3, {6, 7, 8}, 0},
    {10, 0, 3, {ShardOrder::blocked, Remainder::uneven, 0}, 4, {0, 1, 2, 3}, 0},
    {10, 1, 3, {ShardOrder::blocked, Remainder::uneven, 0}, 3, {4, 5, 6}, 0},
    {10, 0, 2, {ShardOrder::strided, Remainder::pad, 7}, 2, {7, 9}, 0},
    {10, 1, 2, {ShardOrder::strided, Remainder::pad, 7}, 2, {8, 0}, 1},
    {10, 1, 2, {ShardOrder::strided, Remainder::pad, 10}, 0, {}, 0},
    {3, 7, 8, {}, 1, {1}, 1},
    {1, 99, 100, {}, 1, {0}, 1},
    {0, 0, 1, {}, 0, {}, 0},
    {2, 4, 5, {ShardOrder::strided, Remainder::drop, 0}, 0, {}, 0},
    {2, 4, 5, {ShardOrder::strided, Remainder::uneven, 0}, 0, {}, 0},
};
constexpr bool holds(const ShardCase& c) {
  const Shard shard(c.size, c.rank, c.world, c.options);
  if (shard.size() != c.count) return false;
  for (std::uint64_t k = 0; k != c.count; ++k) {
    if (shard[k] != c.expected[k]) return false;
    if (shard.is_padding(k) != (k >= c.count - c.padding)) return false;
  }
  return shard.real_size() == c.count - c.padding;
}
static_assert(std::ranges::all_of(shard_cases, holds));

TEST(Shard, gives_each_rank_its_positions) {
  for (const ShardCase& c : shard_cases) {
    EXPECT_TRUE(holds(c)) << c.size << " samples, rank " << c.rank << " of " << c.world;
  }
}

// Calls `check(size, world, options)` for every small world.
template <class Check>
void for_all_small_worlds(Check check) {
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (int world = 1; world <= 12; ++world) {
      for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
        for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
          for (std::uint64_t consumed = 0; consumed <= size; ++consumed) {
            check(size, world, ShardOptions{order, remainder, consumed});
            if (testing::Test::HasFailure()) {
              FAIL() << size << " samples, world " << world << ", order " << static_cast<int>(order)
                     << ", remainder " << static_cast<int>(remainder) << ", consumed " << consumed;
            }
          }
        }
      }
    }
  }
}

TEST(Shard, equals_the_definition_by_lists_in_all_small_worlds) {
  for_all_small_worlds([](std::uint64_t size, int world, ShardOptions options) {
    // The definition: take what is left, pad or cut it, divide it among the ranks.
    List left(size - options.consumed);
    std::iota(left.begin(), left.end(), options.consumed);
    const auto ranks = static_cast<std::uint64_t>(world);
    if (options.remainder == Remainder::drop) left.resize(left.size() / ranks * ranks);
    if (options.remainder == Remainder::pad && !left.empty()) {
      for (std::uint64_t next = 0; left.size() % ranks != 0; ++next) left.push_back(next % size);
    }
    std::vector<List> parts(ranks);
    if (options.order == ShardOrder::strided) {
      for (std::size_t i = 0; i != left.size(); ++i) parts[i % ranks].push_back(left[i]);
    } else {
      std::size_t at = 0;
      for (std::size_t r = 0; r != ranks; ++r) {
        const std::size_t share = left.size() / ranks + (r < left.size() % ranks ? 1 : 0);
        for (std::size_t i = 0; i != share; ++i) parts[r].push_back(left[at++]);
      }
    }
    for (int rank = 0; rank != world; ++rank) {
      const Shard shard(size, rank, world, options);
      EXPECT_EQ(list(shard), parts[static_cast<std::size_t>(rank)]) << "rank " << rank;
      EXPECT_EQ(shard.total_size(), left.size());
    }
  });
}

TEST(Shard, is_disjoint_and_complete_in_all_small_worlds) {
  for_all_small_worlds([](std::uint64_t size, int world, ShardOptions options) {
    std::vector<int> seen(size);
    std::uint64_t shortest = UINT64_MAX;
    std::uint64_t longest = 0;
    std::uint64_t real = 0;
    for (int rank = 0; rank != world; ++rank) {
      const Shard shard(size, rank, world, options);
      shortest = (std::min)(shortest, shard.size());
      longest = (std::max)(longest, shard.size());
      real += shard.real_size();
      for (std::uint64_t k = 0; k != shard.size(); ++k) {
        if (!shard.is_padding(k)) ++seen[shard[k]];
        EXPECT_EQ(shard.is_padding(k), k >= shard.real_size());
      }
    }
    EXPECT_LE(longest - shortest, options.remainder == Remainder::uneven ? 1U : 0U);
    const std::uint64_t left = size - options.consumed;
    const std::uint64_t used = options.remainder == Remainder::drop
                                   ? left - left % static_cast<std::uint64_t>(world)
                                   : left;
    EXPECT_EQ(real, used);
    for (std::uint64_t p = 0; p != size; ++p) {
      const bool expected = p >= options.consumed && p < options.consumed + used;
      EXPECT_EQ(seen[p], expected ? 1 : 0) << "position " << p;
    }
  });
}

static_assert(ShardIndex() == ShardIndex{-1, 0});  // of a position that nobody has

TEST(Shard, finds_the_owner_of_every_position) {
  for_all_small_worlds([](std::uint64_t size, int world, ShardOptions options) {
    std::vector<ShardIndex> places(size + 1);
    for (int rank = 0; rank != world; ++rank) {
      const Shard shard(size, rank, world, options);
      for (std::uint64_t k = 0; k != shard.real_size(); ++k) places[shard[k]] = {rank, k};
    }
    const Shard any(size, 0, world, options);
    for (std::uint64_t p = 0; p <= size; ++p) EXPECT_EQ(any.owner_of(p), places[p]);
  });
}

TEST(Shard, has_the_same_number_of_steps_on_every_rank) {
  for_all_small_worlds([](std::uint64_t size, int world, ShardOptions options) {
    for (std::uint64_t batch_size = 1; batch_size <= 5; ++batch_size) {
      const std::uint64_t steps = Shard(size, 0, world, options).steps(batch_size);
      const std::uint64_t full = Shard(size, 0, world, options).steps(batch_size, true);
      std::uint64_t needed = 0;
      for (int rank = 0; rank != world; ++rank) {
        const Shard shard(size, rank, world, options);
        EXPECT_EQ(shard.steps(batch_size), steps);
        EXPECT_EQ(shard.steps(batch_size, true), full);
        needed = (std::max)(needed, (shard.size() + batch_size - 1) / batch_size);
        List joined;
        for (std::uint64_t step = 0; step != steps; ++step) {
          const StridedIndices batch = shard.batch(step, batch_size);
          if (step < full) {
            EXPECT_EQ(batch.size(), batch_size);
          }
          for (std::uint64_t k = 0; k != batch.size(); ++k) {
            EXPECT_EQ(batch.is_padding(k), shard.is_padding(joined.size()));
            joined.push_back(batch[k]);
          }
        }
        EXPECT_EQ(joined, list(shard));
      }
      EXPECT_EQ(steps, needed);
    }
  });
}

// Stopped after any number of steps and resumed in any other world: every sample exactly once.
TEST(Shard, loses_and_repeats_nothing_when_the_world_changes) {
  for (const Remainder remainder : {Remainder::pad, Remainder::uneven}) {
    for (std::uint64_t size = 0; size <= 40; ++size) {
      for (int before = 1; before <= 12; ++before) {
        const std::uint64_t steps =
            Shard(size, 0, before, {ShardOrder::strided, remainder, 0}).steps(1);
        for (std::uint64_t step = 0; step <= steps; ++step) {
          const std::uint64_t consumed =
              Shard(size, 0, before, {ShardOrder::strided, remainder, 0}).consumed_after(step);
          for (int after = 1; after <= 12; ++after) {
            std::vector<int> seen(size);
            for (int rank = 0; rank != before; ++rank) {
              const Shard shard(size, rank, before, {ShardOrder::strided, remainder, 0});
              for (std::uint64_t k = 0; k < step && k < shard.size(); ++k) {
                if (!shard.is_padding(k)) ++seen[shard[k]];
              }
            }
            for (int rank = 0; rank != after; ++rank) {
              const Shard shard(size, rank, after, {ShardOrder::strided, remainder, consumed});
              for (std::uint64_t k = 0; k != shard.real_size(); ++k) ++seen[shard[k]];
            }
            ASSERT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }))
                << size << " samples, " << before << " ranks, " << step << " steps, then " << after;
          }
        }
      }
    }
  }
}

TEST(Shard, drops_only_at_the_end_when_the_world_changes) {
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (int before = 1; before <= 12; ++before) {
      const Shard first(size, 0, before, {ShardOrder::strided, Remainder::drop, 0});
      for (std::uint64_t step = 0; step <= first.size(); ++step) {
        for (int after = 1; after <= 12; ++after) {
          const std::uint64_t consumed = first.consumed_after(step);
          EXPECT_EQ(consumed, step * static_cast<std::uint64_t>(before));
          std::set<std::uint64_t> seen;
          for (int rank = 0; rank != after; ++rank) {
            for (const std::uint64_t p :
                 Shard(size, rank, after, {ShardOrder::strided, Remainder::drop, consumed})) {
              ASSERT_TRUE(seen.insert(p).second);
            }
          }
          ASSERT_EQ(seen.size(), (size - consumed) / static_cast<std::uint64_t>(after) *
                                     static_cast<std::uint64_t>(after));
          if (!seen.empty()) {
            ASSERT_EQ(*seen.begin(), consumed);
          }
        }
      }
    }
  }
}

TEST(Shard, counts_a_blocked_order_as_used_at_its_end) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (std::uint64_t size = 0; size <= 40; ++size) {
      for (int world = 1; world <= 12; ++world) {
        const Shard shard(size, 0, world, {ShardOrder::blocked, remainder, 0});
        const auto ranks = static_cast<std::uint64_t>(world);
        EXPECT_EQ(shard.consumed_after(0), 0U);
        EXPECT_EQ(shard.consumed_after(shard.steps(1)),
                  remainder == Remainder::drop ? size / ranks * ranks : size);
      }
    }
  }
}

// The set of samples in every global step depends on the global batch alone, not on the world.
TEST(Shard, keeps_global_steps_when_the_world_changes) {
  constexpr std::uint64_t global_batch = 24;
  for (const std::uint64_t size : {240U, 250U}) {
    for (const int world : {1, 2, 3, 4, 6, 8, 12, 24}) {
      const std::uint64_t batch_size = global_batch / static_cast<std::uint64_t>(world);
      for (std::uint64_t step = 0; step != size / global_batch; ++step) {
        std::set<std::uint64_t> used;
        for (int rank = 0; rank != world; ++rank) {
          const StridedIndices batch = Shard(size, rank, world).batch(step, batch_size);
          used.insert(batch.begin(), batch.end());
        }
        ASSERT_EQ(used.size(), global_batch);
        EXPECT_EQ(*used.begin(), step * global_batch);
        EXPECT_EQ(*used.rbegin(), step * global_batch + global_batch - 1);
      }
    }
  }
}

constexpr std::uint64_t huge = rankmap::largest_dataset;
constexpr int million = 1'000'000;

TEST(Shard, does_not_overflow_at_the_largest_size) {
  for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
    for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
      for (const int world : {1, 2, 3, million, 2147483647}) {
        const auto ranks = static_cast<std::uint64_t>(world);
        for (const std::uint64_t consumed : {std::uint64_t{0}, huge / 2, huge - 1, huge}) {
          const Shard last(huge, world - 1, world, {order, remainder, consumed});
          EXPECT_LE(last.total_size(), huge - consumed + ranks);
          if (last.empty()) continue;
          EXPECT_LT(last[last.size() - 1], huge);
          if (remainder == Remainder::pad) {
            EXPECT_EQ(last.is_padding(last.size() - 1), (huge - consumed) % ranks != 0);
          } else {
            EXPECT_EQ(last[last.size() - 1],
                      remainder == Remainder::uneven && order == ShardOrder::blocked
                          ? huge - 1
                          : consumed + (huge - consumed) / ranks * ranks - 1);
          }
          const ShardIndex place = last.owner_of(last[0]);
          if (last.real_size() != 0) {
            EXPECT_EQ(place, (ShardIndex{world - 1, 0}));
          }
        }
      }
    }
  }
}

static_assert(Shard(rankmap::largest_dataset, 1, 2).size() == std::uint64_t{1} << 62U);

template <std::uint64_t size, int rank, int world, std::uint64_t consumed = 0>
concept Compiles = requires {
  typename std::integral_constant<std::uint64_t,
                                  Shard(size, rank, world, {.consumed = consumed}).size()>;
};
static_assert(Compiles<10, 2, 4> && Compiles<10, 2, 4, 10>);
static_assert(!Compiles<10, 4, 2> && !Compiles<10, 2, 2> && !Compiles<10, -1, 2>);
static_assert(!Compiles<10, 0, 0> && !Compiles<10, 0, -1> && !Compiles<10, 2, 4, 11>);

TEST(ShardDeathTest, names_the_argument_in_the_wrong_place) {
  EXPECT_DEATH(list(Shard(10, 4, 2)),
               "rankmap: rank=\"4\": expected a rank in \\[0, world_size\\); pass "
               "Shard\\(dataset_size, rank, world_size\\)");
  EXPECT_DEATH(list(Shard(10, 0, 0)), "world_size=\"0\": expected at least 1");
  EXPECT_DEATH(list(Shard(10, 0, 2, {.consumed = 11})),
               "consumed=\"11\": expected at most the size of the data set");
  const int negative = -1;
  EXPECT_DEATH(list(Shard(static_cast<std::uint64_t>(negative), 0, 2)),
               "dataset_size=\"-1\": expected 0 to 2\\^63 - 1 samples; pass the number of samples");
  EXPECT_DEATH(list(Shard(rankmap::largest_dataset + 1, 0, 2)), "dataset_size=");
  EXPECT_EQ(Shard(rankmap::largest_dataset, 0, 1).size(), rankmap::largest_dataset);
  EXPECT_DEATH(static_cast<void>(Shard(10, 0, 2).steps(0)),
               "batch_size=\"0\": expected at least 1");
}

// Algorithms from before C++20 do not count the places one by one.
static_assert(std::is_same_v<std::iterator_traits<Shard::iterator>::iterator_category,
                             std::random_access_iterator_tag>);
static_assert(std::random_access_iterator<Shard::iterator>);
constexpr Shard large(2'000'000'000, 1, 2);
static_assert(std::lower_bound(large.begin(), large.end(), 1'000'000'001U) - large.begin() ==
              500'000'000);
static_assert(std::distance(large.begin(), large.end()) == 1'000'000'000);

// Rank and world size first, and the size of the data set last: it is wider than a world size.
static_assert(std::is_constructible_v<Shard, std::size_t, int, int>);
static_assert(std::is_constructible_v<Shard, int, int, short>);
static_assert(!std::is_constructible_v<Shard, int, int, std::size_t>);
static_assert(!std::is_constructible_v<Shard, int, int, std::int64_t>);
static_assert(!std::is_constructible_v<Shard, int, int, std::size_t, ShardOptions>);

struct Process {
  constexpr int rank() const { return 1; }
  constexpr int world_size() const { return 3; }
};
struct WideProcess {
  constexpr long long rank() const { return 1; }
  constexpr int world_size() const { return 3; }
};
static_assert(Shard(10, Process{}) == Shard(10, 1, 3));
static_assert(Shard(10, Process{}, {.consumed = 4}) == Shard(10, 1, 3, {.consumed = 4}));
static_assert(!std::is_constructible_v<Shard, std::uint64_t, WideProcess>);

TEST(Shard, gives_iterators_that_outlive_it) {
  static_assert(std::ranges::random_access_range<Shard>);
  static_assert(std::ranges::sized_range<Shard>);
  static_assert(Shard::iterator() == Shard().begin() && Shard::iterator() == Shard().end());
  auto it = Shard(10, 1, 3).begin();
  EXPECT_EQ(*it, 1U);
  EXPECT_EQ(it[2], 7U);
  EXPECT_EQ(*(it + 1), 4U);
  EXPECT_EQ(*(1 + it), 4U);
  EXPECT_EQ(*it++, 1U);
  EXPECT_EQ(*++it, 7U);
  EXPECT_EQ(*it--, 7U);
  EXPECT_EQ(*--it, 1U);
  it += 3;
  EXPECT_EQ(*it, 0U);
  EXPECT_EQ(*(it - 2), 4U);
  EXPECT_EQ(*(it -= 2), 4U);
  EXPECT_EQ(it - Shard(10, 1, 3).begin(), 1);
  EXPECT_EQ(Shard(10, 1, 3).end() - it, 3);
  EXPECT_TRUE(it < Shard(10, 1, 3).end() && it <= it && Shard(10, 1, 3).end() > it && it >= it);
  const Shard shard(100, 3, 7);
  EXPECT_EQ(std::ranges::lower_bound(shard.begin(), shard.begin() + 14, 59) - shard.begin(), 8);
}

}  // namespace
