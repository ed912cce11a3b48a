// SPDX-License-Identifier: MIT
//
// An epoch is compared with its definition by lists: the samples of an order at the places of a
// share. The test's own orders take the same paths as those of the library.
#include "support/list.hpp"
#include "support/reversed_order.hpp"

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/sampler/weighted_shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::BatchShard;
using rankmap::Epoch;
using rankmap::ListedOrder;
using rankmap::parse_sampler_state;
using rankmap::Permutation;
using rankmap::Remainder;
using rankmap::resume_at;
using rankmap::SamplerState;
using rankmap::Sequential;
using rankmap::Shard;
using rankmap::ShardIndex;
using rankmap::ShardOrder;
using rankmap::StridedIndices;
using rankmap::WorkerShard;
using rankmap_test::LazilyReversed;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::Reversed;

static_assert(Epoch(Shard(10, 1, 3), Reversed(10))[2] == 2);
static_assert(Epoch(Shard(10, 1, 3), Permutation(10, 4))[2] == Permutation(10, 4)[7]);
static_assert(Epoch<Shard, Reversed>().empty() && Epoch<BatchShard, Sequential>().size() == 0);

TEST(Epoch, is_the_range_that_its_order_permits) {
  using Fixed = Epoch<BatchShard, Reversed>;
  static_assert(std::ranges::random_access_range<const Fixed> && std::ranges::sized_range<Fixed>);
  static_assert(std::ranges::borrowed_range<Fixed> && std::is_copy_constructible_v<Fixed>);
  using Lazy = Epoch<Shard, LazilyReversed>;
  static_assert(std::ranges::input_range<Lazy> && std::ranges::sized_range<Lazy>);
  static_assert(!std::ranges::forward_range<Lazy> && !std::ranges::borrowed_range<Lazy>);
  static_assert(!std::is_copy_constructible_v<Lazy> && std::is_move_assignable_v<Lazy>);
  const auto it = Epoch(Shard(10, 0, 1), Reversed(10)).begin() + 3;  // the range is gone
  EXPECT_EQ(*it, 6U);
}

TEST(Epoch, of_a_lazy_order_is_empty_once_moved_from) {
  Epoch from(Shard(5, 0, 1), LazilyReversed(5, 1));
  EXPECT_EQ(from[3], 1U);
  Epoch into = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): tested here
  EXPECT_TRUE(list(from).empty());
  EXPECT_EQ(list(into), (List{4, 3, 2, 1, 0}));
  EXPECT_EQ(list(into), (List{4, 3, 2, 1, 0})) << "read again";
  EXPECT_EQ(into.order()[4], 0U);
}

// Any order of as many samples as a data set has, with every Shard of it.
template <class Order, class Check>
void for_all_small_worlds(const Check& check) {
  for (std::uint64_t size = 0; size <= 14; ++size) {
    for (int world = 1; world <= 5; ++world) {
      for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
        for (const ShardOrder how : {ShardOrder::strided, ShardOrder::blocked}) {
          for (std::uint64_t consumed = 0; consumed <= size; ++consumed) {
            check(Order(size, 7), world, rankmap::ShardOptions{how, remainder, consumed});
            if (testing::Test::HasFailure()) {
              FAIL() << size << " samples, world " << world << ", consumed " << consumed;
            }
          }
        }
      }
    }
  }
}

template <class Order>
class EpochOf : public testing::Test {};
using Orders = testing::Types<Reversed, Sequential, Permutation, LazilyReversed>;
TYPED_TEST_SUITE(EpochOf, Orders, );

TYPED_TEST(EpochOf, reads_the_order_at_the_places_of_the_share) {
  for_all_small_worlds<TypeParam>([](TypeParam order, int world, rankmap::ShardOptions options) {
    const std::uint64_t size = order.size();
    List all;
    for (std::uint64_t place = 0; place != size; ++place) all.push_back(order[place]);
    for (int rank = 0; rank != world; ++rank) {
      const Shard shard(size, rank, world, options);
      Epoch epoch(shard, TypeParam(size, 7));
      List expected;
      for (const std::uint64_t position : shard) expected.push_back(all[position]);
      ASSERT_EQ(list(epoch), expected);
      ASSERT_EQ(epoch.size(), expected.size());
      ASSERT_EQ(epoch.steps(2), shard.steps(2));
      ASSERT_EQ(epoch.steps(2, true), shard.steps(2, true));
      for (std::uint64_t k = 0; k != epoch.size(); ++k) {
        ASSERT_EQ(epoch[k], expected[k]);
        ASSERT_EQ(epoch.is_padding(k), shard.is_padding(k));
      }
      if constexpr (rankmap::InvertibleOrder<TypeParam>) {
        for (std::uint64_t sample = 0; sample != size; ++sample) {
          const auto place =
              static_cast<std::uint64_t>(std::ranges::find(all, sample) - all.begin());
          ASSERT_EQ(epoch.owner_of(sample), shard.owner_of(place));
        }
        ASSERT_EQ(epoch.owner_of(size), ShardIndex{});
        for (std::uint64_t from = 0; from <= epoch.size(); ++from) {
          List part(epoch.size());
          part.resize(static_cast<std::size_t>(epoch.fill(from, part)));
          ASSERT_EQ(part, List(expected.begin() + static_cast<long>(from), expected.end()));
        }
      }
    }
  });
}

// Stopped after each step and resumed in every other world: each sample once, in the same order.
TYPED_TEST(EpochOf, resumes_from_its_saved_text_in_any_world) {
  for_all_small_worlds<TypeParam>([](TypeParam order, int world, rankmap::ShardOptions options) {
    const std::uint64_t size = order.size();
    if (options.order != ShardOrder::strided || options.remainder == Remainder::drop) return;
    const std::uint64_t steps = Shard(size, 0, world, options).steps(1);
    for (std::uint64_t k = 0; k < steps; ++k) {
      const Epoch any(Shard(size, world - 1, world, options), TypeParam(size, 7));
      const std::string text(to_string(any.state_after(k).value()).view());
      const auto consumed = resume_at(parse_sampler_state(text).value(), TypeParam(size, 7));
      ASSERT_TRUE(consumed);
      for (int after = 1; after != 4; ++after) {
        List rest(size - *consumed);
        for (int rank = 0; rank != after; ++rank) {
          Epoch left(Shard(size, rank, after, {.consumed = *consumed}), TypeParam(size, 7));
          for (std::uint64_t i = 0; i != left.size(); ++i) {
            if (left.is_padding(i)) continue;
            rest[i * static_cast<unsigned>(after) + static_cast<unsigned>(rank)] = left[i];
          }
        }
        for (std::uint64_t i = 0; i != rest.size(); ++i) {
          ASSERT_EQ(rest[i], order[*consumed + i]) << "after " << k << " steps, on " << after;
        }
      }
    }
  });
}

TEST(Epoch, composes_with_batches_weights_and_workers) {
  const Reversed order(100);
  const BatchShard batches(100, 8, 1, 3);
  EXPECT_EQ(Epoch(batches, order)[8], 99U - batches[8]);
  EXPECT_FALSE(Epoch(batches, order).is_padding(31));
  EXPECT_TRUE(Epoch(batches, order).is_padding(32));
  const std::uint64_t speeds[] = {1, 3};
  EXPECT_EQ(list(Epoch(rankmap::weighted_shard(8, 1, speeds), Reversed(8))),
            (List{5, 4, 3, 2, 1, 0}));
  const Epoch epoch(Shard(100, 1, 3), order);
  const WorkerShard part(epoch, 1, 2, 4);
  EXPECT_EQ(part[0], epoch[4]);
  EXPECT_EQ(part.size() + WorkerShard(epoch, 0, 2, 4).size(), epoch.size());
  EXPECT_EQ(list(Epoch(WorkerShard(Shard(100, 1, 3), 1, 2, 4), order)), list(part));
  static constexpr std::uint32_t listed[] = {3, 1, 2, 0};
  EXPECT_EQ(list(Epoch(StridedIndices(4, 1, 2, 2), ListedOrder(listed, 4))), (List{1, 0}));
}

// Every step of equal and of weighted batches uses the same number of samples.
TEST(Epoch, of_batches_counts_steps_in_state_after) {
  const std::uint64_t speeds[] = {1, 3};
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    const BatchShard shares[] = {BatchShard(50, 4, 1, 3, {remainder, 2}),
                                 rankmap::weighted_batches(50, 12, 1, speeds, {remainder, 2})};
    for (const BatchShard& share : shares) {
      const Epoch epoch(share, Reversed(50, 9));
      for (std::uint64_t step = 0; step != 4; ++step) {
        const SamplerState state = epoch.state_after(step).value();
        EXPECT_EQ(state.consumed, 2 + 12 * step);
        EXPECT_EQ(state.epoch, 9U);
        EXPECT_EQ(name(state.algorithm), "reversed-1");
        EXPECT_EQ(*resume_at(state, Reversed(50, 9)), state.consumed);
      }
      EXPECT_EQ(epoch.state_after(4)->epoch, 10U);
      EXPECT_EQ(epoch.state_after(4)->consumed, 0U);
    }
  }
}

TEST(Epoch, rejects_state_after_inside_a_blocked_shard) {
  const Epoch epoch(Shard(10, 0, 3, {.order = ShardOrder::blocked}), Reversed(10));
  EXPECT_TRUE(epoch.state_after(0));
  EXPECT_EQ(message(epoch.state_after(1).error()).view(),
            "state_after(k)=\"1\": expected 0 or the end of the epoch for a blocked order; use "
            "ShardOrder::strided to save at any step");
  EXPECT_EQ(epoch.state_after(4)->epoch, 1U);
  // One rank has used a prefix.
  const Epoch alone(Shard(10, 0, 1, {.order = ShardOrder::blocked, .consumed = 2}), Reversed(10));
  EXPECT_EQ(alone.state_after(3)->consumed, 5U);
}

TEST(EpochDeathTest, names_an_order_that_is_too_short_for_the_share) {
  EXPECT_DEATH(static_cast<void>(Epoch(Shard(20, 0, 2), Permutation(10, 1))),
               "order.size\\(\\)=\"10\": expected at least the size of the share's data set");
  EXPECT_DEATH(static_cast<void>(Epoch(BatchShard(20, 4, 0, 2), Reversed(19))), "order.size");
}

}  // namespace
