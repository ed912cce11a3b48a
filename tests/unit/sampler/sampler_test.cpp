// SPDX-License-Identifier: MIT
#include "support/list.hpp"

#include <rankmap/sampler/sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Epoch;
using rankmap::Errc;
using rankmap::Permutation;
using rankmap::Remainder;
using rankmap::Sampler;
using rankmap::SamplerAlgorithm;
using rankmap::SamplerOrder;
using rankmap::SamplerState;
using rankmap::Shard;
using rankmap::ShardIndex;
using rankmap::ShardOrder;
using rankmap_test::List;
using rankmap_test::list;

TEST(Sampler, is_a_shard_of_a_permutation) {
  for (const std::uint64_t size : {0U, 1U, 10U, 1000U, 5003U}) {
    for (int rank = 0; rank != 3; ++rank) {
      const Sampler sampler(size, rank, 3, {.seed = 42});
      const Permutation permutation(size, 42, 5);
      List expected;
      for (const std::uint64_t position : Shard(size, rank, 3)) {
        expected.push_back(permutation[position]);
      }
      const auto epoch = sampler.epoch(5);
      EXPECT_EQ(list(epoch), expected);
      EXPECT_EQ(sampler.size(), expected.size());
      for (std::uint64_t from = 0; from <= epoch.size(); from += 1 + epoch.size() / 7) {
        for (std::uint64_t to = from; to <= epoch.size(); to += 1 + epoch.size() / 5) {
          List part(to - from);
          epoch.fill(from, part);
          EXPECT_TRUE(std::ranges::equal(part, List(expected.begin() + static_cast<long>(from),
                                                    expected.begin() + static_cast<long>(to))));
        }
      }
    }
  }
}

TEST(Sampler, fills_without_a_shuffle_as_it_reads) {
  for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
    const auto epoch = Sampler(100, 2, 3, {.shuffle = false, .order = order}).epoch(0, 5);
    for (std::uint64_t from = 0; from <= epoch.size(); ++from) {
      List part(epoch.size() - from);
      epoch.fill(from, part);
      const List all = list(epoch);
      EXPECT_EQ(part, List(all.begin() + static_cast<long>(from), all.end()));
    }
  }
}

TEST(Sampler, reads_every_sample_once_in_a_new_order_each_epoch) {
  for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
    for (const bool shuffle : {true, false}) {
      List before;
      for (std::uint64_t epoch = 0; epoch != 3; ++epoch) {
        List all;
        for (int rank = 0; rank != 4; ++rank) {
          const Sampler sampler(101, rank, 4, {7, shuffle, order, Remainder::uneven});
          for (const std::uint64_t sample : sampler.epoch(epoch)) all.push_back(sample);
        }
        EXPECT_EQ(all == before, !shuffle && epoch != 0);
        before = all;
        std::ranges::sort(all);
        List expected(101);
        std::iota(expected.begin(), expected.end(), std::uint64_t{0});
        EXPECT_EQ(all, expected);
      }
    }
  }
}

TEST(Sampler, gives_iterators_that_outlive_the_epoch) {
  static_assert(std::is_same_v<decltype(Sampler(1, 0, 1).epoch(0)), Epoch<Shard, SamplerOrder>>);
  const Sampler sampler(1'000'000'000'000, 5, 64, {.seed = 1});
  const auto it =
      std::ranges::find_if(sampler.epoch(0), [](std::uint64_t sample) { return sample % 2 == 0; });
  EXPECT_EQ(*it % 2, 0U);
  EXPECT_EQ(*(sampler.epoch(0).begin() + 1'000'000'000), sampler.epoch(0)[1'000'000'000]);
}

constexpr std::uint64_t seventh = Sampler(1000, 1, 4, {.seed = 3}).epoch(2)[7];
static_assert(seventh == Permutation(1000, 3, 2)[1 + 7 * 4]);

TEST(Sampler, finds_the_owner_of_every_sample) {
  for (const bool shuffle : {true, false}) {
    for (int rank = 0; rank != 4; ++rank) {
      const auto epoch = Sampler(1500, rank, 4, {.seed = 9, .shuffle = shuffle}).epoch(1);
      for (std::uint64_t k = 0; k != epoch.size(); ++k) {
        if (!epoch.is_padding(k)) {
          EXPECT_EQ(epoch.owner_of(epoch[k]), (ShardIndex{rank, k}));
        }
      }
      EXPECT_EQ(epoch.owner_of(1500), ShardIndex{});
      EXPECT_EQ(epoch.owner_of(UINT64_MAX), ShardIndex{});
    }
  }
}

// Stopped many times and resumed in another world: each sample once, in the same order.
TEST(Sampler, resumes_where_it_stopped_in_any_world) {
  for (const std::uint64_t size : {1U, 37U, 240U, 1201U}) {
    for (const bool shuffle : {true, false}) {
      const int worlds[] = {3, 5, 1, 8, 2};
      SamplerState state{11, 4, size, 0,
                         shuffle ? SamplerAlgorithm::feistel_1 : SamplerAlgorithm::sequential};
      List order;
      for (std::size_t stop = 0; state.epoch == 4; ++stop) {
        const int world = worlds[stop % 5];
        SamplerState next;
        std::vector<List> parts;
        for (int rank = 0; rank != world; ++rank) {
          const Sampler sampler(size, rank, world, {.seed = 11, .shuffle = shuffle});
          const auto epoch = sampler.resume(*rankmap::parse_sampler_state(to_string(state)));
          ASSERT_TRUE(epoch);
          const std::uint64_t k = (std::min)(epoch->size(), std::uint64_t{7});
          parts.emplace_back();
          for (std::uint64_t i = 0; i != k; ++i) {
            if (!epoch->is_padding(i)) parts.back().push_back((*epoch)[i]);
          }
          next = *epoch->state_after(k);
          if (rank != 0) {
            ASSERT_EQ(next, *sampler.resume(state)->state_after(k));
          }
        }
        for (std::size_t i = 0; i != 7; ++i) {
          for (const List& part : parts) {
            if (i < part.size()) order.push_back(part[i]);
          }
        }
        ASSERT_NE(next, state);
        state = next;
      }
      EXPECT_EQ(state.epoch, 5U);
      EXPECT_EQ(state.consumed, 0U);
      EXPECT_EQ(order, list(Sampler(size, 0, 1, {.seed = 11, .shuffle = shuffle}).epoch(4)));
    }
  }
}

TEST(Sampler, saves_the_end_of_an_epoch_as_the_next_start) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
      for (int rank = 0; rank != 3; ++rank) {
        const auto epoch = Sampler(10, rank, 3, {1, true, order, remainder}).epoch(6);
        const auto state = epoch.state_after(epoch.steps(1));
        ASSERT_TRUE(state);
        EXPECT_EQ(state->epoch, 7U);
        EXPECT_EQ(state->consumed, 0U);
        EXPECT_EQ(epoch.state_after(0)->epoch, 6U);
        EXPECT_EQ(epoch.state_after(2).has_value(), order == ShardOrder::strided);
      }
    }
  }
  EXPECT_EQ(Sampler(10, 0, 3, {.order = ShardOrder::blocked}).epoch(0).state_after(1).error().code,
            Errc::bad_sampler);
}

TEST(Sampler, rejects_state_after_at_the_end_of_the_last_epoch) {
  const auto last = Sampler(10, 0, 3).epoch(UINT64_MAX);
  EXPECT_EQ(last.state_after(1)->epoch, UINT64_MAX);
  EXPECT_EQ(message(last.state_after(4).error()).view(),
            "epoch=\"18446744073709551615\": expected an epoch below 2^64 - 1, whose end is saved "
            "as the start of the next one; count epochs from 0");
  EXPECT_EQ(last.state_after(4).error().code, Errc::bad_sampler);
}

TEST(Sampler, rejects_the_state_of_other_data) {
  const Sampler sampler(10, 0, 2, {.seed = 1});
  SamplerState state{1, 0, 10, 4, SamplerAlgorithm::feistel_1};
  EXPECT_TRUE(sampler.resume(state));
  const auto subject = [&](SamplerState other) {
    const auto epoch = sampler.resume(other);
    return epoch ? std::string("none") : std::string(epoch.error().subject.view());
  };
  EXPECT_EQ(subject({2, 0, 10, 4, SamplerAlgorithm::feistel_1}), "SamplerState::seed");
  EXPECT_EQ(subject({1, 0, 11, 4, SamplerAlgorithm::feistel_1}), "SamplerState::size");
  EXPECT_EQ(subject({1, 0, 10, 11, SamplerAlgorithm::feistel_1}), "SamplerState::consumed");
  EXPECT_EQ(subject({1, 0, 10, 10, SamplerAlgorithm::feistel_1}), "none");
  EXPECT_EQ(subject({1, 0, 10, 4, SamplerAlgorithm::torch_26}), "SamplerState::algorithm");
  EXPECT_EQ(message(sampler.resume({1, 0, 11, 4, SamplerAlgorithm::feistel_1}).error()).view(),
            "SamplerState::size=\"11\": expected 10 samples; resume on the same data with the same "
            "seed");
}

struct Process {
  int rank() const { return 2; }
  int world_size() const { return 3; }
};

TEST(Sampler, resumes_without_a_shuffle_under_any_seed) {
  const Sampler sampler(10, 0, 2, {.seed = 1, .shuffle = false});
  const auto rest = sampler.resume({2, 0, 10, 4, SamplerAlgorithm::sequential});
  ASSERT_TRUE(rest);
  EXPECT_EQ(list(*rest), (List{4, 6, 8}));
}

TEST(Sampler, counts_full_steps_by_the_shortest_share) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (const std::uint64_t size : {0U, 1U, 11U, 12U, 13U, 40U}) {
      for (const std::uint64_t batch : {1U, 2U, 4U}) {
        std::uint64_t least = UINT64_MAX;
        for (int rank = 0; rank != 3; ++rank) {
          const std::uint64_t full =
              Sampler(size, rank, 3, {.remainder = remainder}).epoch(0).size() / batch;
          least = (std::min)(least, full);
        }
        for (int rank = 0; rank != 3; ++rank) {
          const auto epoch = Sampler(size, rank, 3, {.remainder = remainder}).epoch(0);
          EXPECT_EQ(epoch.steps(batch, true), least) << size << " in batches of " << batch;
        }
      }
    }
  }
}

TEST(Sampler, reads_rank_and_world_size_from_a_process) {
  const Sampler sampler(10, Process{}, {.shuffle = false});
  EXPECT_EQ(list(sampler.epoch(0)), (List{2, 5, 8, 1}));
}

TEST(Sampler, fails_where_make_shard_does) {
  EXPECT_EQ(
      Sampler::make(10, 0, 3, {.remainder = static_cast<Remainder>(3)}).error().subject.view(),
      "remainder");
#if defined(__cpp_exceptions)
  EXPECT_THROW(Sampler(10, 3, 3), rankmap::Exception);
  EXPECT_EQ(Sampler(10, 0, 2).epoch(0, 10).size(), 0U);
  EXPECT_THROW(Sampler(10, 0, 2).epoch(0, 11), rankmap::Exception) << "not 2^63 samples";
#endif
}

}  // namespace
