// SPDX-License-Identifier: MIT
//
// An endless order is compared with the lists of its epochs, one after another.
#include "support/list.hpp"
#include "support/reversed_order.hpp"

#include <rankmap/sampler/endless_order.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using rankmap::EndlessOrder;
using rankmap::Epoch;
using rankmap::Permutation;
using rankmap::Shard;
using rankmap_test::List;

auto permutations(std::uint64_t size, std::uint64_t seed) {
  return EndlessOrder([size, seed](std::uint64_t epoch) { return Permutation(size, seed, epoch); });
}
using Permutations = decltype(permutations(0, 0));
static_assert(rankmap::SampleOrder<Permutations> && !rankmap::FixedOrder<Permutations>);
static_assert(rankmap::NamedOrder<Permutations>);

constexpr std::uint64_t sum_of_two_epochs() {
  EndlessOrder order([](std::uint64_t epoch) { return rankmap::Sequential(4, 0, epoch); });
  std::uint64_t sum = 0;
  for (std::uint64_t place = 0; place != 8; ++place) sum += order[place];
  return sum;
}
static_assert(sum_of_two_epochs() == 12);

TEST(EndlessOrder, is_the_orders_of_all_epochs_one_after_another) {
  for (std::uint64_t size = 1; size <= 12; ++size) {
    Permutations order = permutations(size, 7);
    ASSERT_EQ(order.size(), rankmap::largest_dataset);
    ASSERT_EQ(order.epoch_size(), size);
    List expected;
    for (std::uint64_t epoch = 0; epoch != 5; ++epoch) {
      ASSERT_EQ(order.place_of(epoch), expected.size());
      for (const std::uint64_t sample : Permutation(size, 7, epoch)) expected.push_back(sample);
    }
    for (std::uint64_t place = 0; place != expected.size(); ++place) {
      ASSERT_EQ(order[place], expected[place]);
      ASSERT_EQ(order.epoch_of(place), place / size);
    }
    for (std::uint64_t place = expected.size(); place-- != 0;) {  // any place at any time
      ASSERT_EQ(order[place], expected[place]);
      ASSERT_EQ(order[(place * 7) % expected.size()], expected[(place * 7) % expected.size()]);
    }
  }
  const std::uint64_t last = rankmap::largest_dataset - 1;
  EXPECT_EQ(permutations(10, 7)[last], Permutation(10, 7, last / 10)[last % 10]);
}

TEST(EndlessOrder, without_samples_is_empty) {
  EXPECT_EQ(permutations(0, 7).size(), 0U);
  EXPECT_EQ(Permutations().size(), 0U);
}

// Stopped in any epoch and resumed in another world: the ranks together read the endless order.
TEST(EndlessOrder, resumes_in_any_world_without_padding) {
  Permutations all = permutations(7, 3);
  for (int before = 1; before <= 4; ++before) {
    for (std::uint64_t k = 0; k != 9; ++k) {
      const Epoch any(Shard(all.size(), 0, before), permutations(7, 3));
      const std::string text(to_string(any.state_after(k).value()).view());
      const auto consumed =
          resume_at(rankmap::parse_sampler_state(text).value(), permutations(7, 3)).value();
      ASSERT_EQ(consumed, k * static_cast<std::uint64_t>(before));
      for (int after = 1; after <= 3; ++after) {
        for (int rank = 0; rank != after; ++rank) {
          Epoch rest(Shard(all.size(), rank, after, {.consumed = consumed}), permutations(7, 3));
          for (std::uint64_t i = 0; i != 10; ++i) {
            const std::uint64_t place =
                consumed + i * static_cast<std::uint64_t>(after) + static_cast<std::uint64_t>(rank);
            ASSERT_EQ(rest[i], all[place]);
            ASSERT_FALSE(rest.is_padding(i));
          }
        }
      }
    }
  }
}

TEST(EndlessOrder, belongs_to_its_orders_in_saved_state) {
  const auto state = state_of(permutations(7, 3)).value();
  EXPECT_EQ(name(state.algorithm), "stream-1");
  EXPECT_EQ(state.seed, 3U);
  EXPECT_TRUE(resume_at(state, permutations(7, 3)));
  EXPECT_FALSE(resume_at(state, permutations(8, 3)));
  EXPECT_FALSE(resume_at(state, permutations(7, 4)));
  EXPECT_FALSE(resume_at(
      state, EndlessOrder([](std::uint64_t epoch) { return rankmap::Sequential(7, 3, epoch); })));
  EXPECT_FALSE(resume_at(state, EndlessOrder([](std::uint64_t epoch) {
                           return Permutation(7, 3, epoch, /*stream=*/1);
                         })));
}

TEST(EndlessOrder, takes_orders_that_are_made_as_they_are_read) {
  const rankmap::DistributedSampler sampler(9, 1, 0, {.seed = 5});
  EndlessOrder order([&](std::uint64_t epoch) {
    return rankmap::TorchOrder::make(9, {.seed = 5}, epoch).value();
  });
  for (std::uint64_t epoch : {0U, 2U, 1U}) {
    auto expected = sampler.epoch(epoch);
    for (std::uint64_t k = 0; k != 9; ++k) ASSERT_EQ(order[9 * epoch + k], expected[k]);
  }
  Epoch batches(Shard(order.size(), 1, 2), std::move(order));
  EXPECT_EQ(batches.batches(4)[2].size(), 4U);
  EXPECT_EQ(batches.batches(4)[2].state_after()->consumed, 24U);
}

}  // namespace
