// SPDX-License-Identifier: MIT
//
// Batches are compared with an epoch cut into pieces, and workers with a loader that takes one
// batch from each of them in turn.
#include "support/list.hpp"
#include "support/reversed_order.hpp"

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/epoch_batches.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/sampler/weighted_shard.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using rankmap::BatchShard;
using rankmap::DistributedSampler;
using rankmap::Epoch;
using rankmap::Permutation;
using rankmap::Remainder;
using rankmap::Sampler;
using rankmap::SamplerState;
using rankmap::Shard;
using rankmap::StridedIndices;
using rankmap_test::LazilyReversed;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::Reversed;

using Lists = std::vector<List>;

template <class Batches>
Lists lists(const Batches& batches) {
  Lists out;
  for (const auto batch : batches) out.push_back(list(batch));
  return out;
}

static_assert(Epoch(Shard(10, 1, 3), Reversed(10)).batches(3)[1][0] == 9 - 0);
static_assert(Epoch(Shard(10, 1, 3), Reversed(10)).batches(3).of_worker(1, 2)[0].index() == 1);
static_assert(Epoch(Shard(10, 0, 3), Reversed(10)).batches(3)[0].state_after()->consumed == 9);

// Batches outlive what they came from; what refers to a range or a batch is not made of a
// temporary.
template <class T>
concept BeginsOnlyIfKept = requires(T& kept) {
  kept.begin();
  kept.end();
}
&&!requires(T && temporary) { static_cast<T&&>(temporary).begin(); }
&&!requires(T && temporary) { static_cast<T&&>(temporary).end(); };
using ShuffledBatches = decltype(Sampler(10, 0, 1).epoch(0).batches(3));
static_assert(BeginsOnlyIfKept<ShuffledBatches>);
static_assert(BeginsOnlyIfKept<ShuffledBatches::value_type>);

constexpr bool batches_outlive_their_epoch() {
  const Sampler sampler(2000, 1, 3, {.seed = 42});
  const auto epoch = sampler.epoch(7);
  const auto batch = sampler.epoch(7).batches(3)[1];
  const auto other = sampler.epoch(8).batches(3)[1];
  const auto share = sampler.epoch(7).share();
  const auto order = sampler.epoch(7).order();
  for (std::uint64_t k = 0; k != 3; ++k) {
    if (batch[k] != epoch[3 + k] || other[k] == batch[k]) return false;
    if (order[share[3 + k]] != batch[k]) return false;
  }
  return batch.state_after()->consumed == 18;
}
static_assert(batches_outlive_their_epoch());

TEST(EpochBatch, outlives_what_it_came_from) {
  EXPECT_TRUE(batches_outlive_their_epoch());
  std::vector<ShuffledBatches::value_type> kept;
  List numbers;
  {
    const Sampler sampler(5000, 0, 2, {.seed = 42});
    const auto batches = sampler.epoch(3).batches(500).of_worker(1, 2);
    kept.assign(batches.begin(), batches.end());
    for (const std::uint64_t sample : sampler.epoch(3).batches(500).of_worker(1, 2)[1]) {
      numbers.push_back(sample);
    }
  }
  const auto epoch = Sampler(5000, 0, 2, {.seed = 42}).epoch(3);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(list(kept[1]), numbers);
  List filled(500);
  kept[0].fill(filled);
  for (std::uint64_t k = 0; k != 500; ++k) {
    ASSERT_EQ(filled[k], epoch[500 + k]);
    ASSERT_EQ(numbers[k], epoch[1500 + k]);
  }
}

// Over an order that is made as it is read a batch refers to the epoch, which is kept.
TEST(EpochBatch, outlives_the_range_of_an_order_that_is_made_as_it_is_read) {
  Epoch epoch(Shard(10, 0, 1), LazilyReversed(10, 0));
  const auto batch = epoch.batches(3)[1];
  EXPECT_EQ(list(batch), (List{6, 5, 4}));
}

template <class E>
concept HasBatchesOfSize = requires(E&& epoch) {
  static_cast<E&&>(epoch).batches(2U);
};
template <class E>
concept HasBatches = requires(E&& epoch) {
  static_cast<E&&>(epoch).batches();
};
using Fixed = Epoch<Shard, Reversed>;
using Lazy = Epoch<Shard, LazilyReversed>;
static_assert(HasBatchesOfSize<Fixed&> && HasBatchesOfSize<Fixed> && !HasBatches<Fixed&>);
static_assert(HasBatchesOfSize<Lazy&> && !HasBatchesOfSize<Lazy>, "it would refer to a temporary");
static_assert(HasBatches<Epoch<BatchShard, Reversed>> &&
              !HasBatchesOfSize<Epoch<BatchShard, Reversed>&>);

TEST(EpochBatches, are_the_epoch_in_pieces_of_the_same_number) {
  for (std::uint64_t size = 0; size <= 20; ++size) {
    for (int world = 1; world <= 4; ++world) {
      for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
        for (std::uint64_t batch_size = 1; batch_size <= 4; ++batch_size) {
          for (int rank = 0; rank != world; ++rank) {
            const Shard shard(size, rank, world, {.remainder = remainder});
            const Epoch epoch(shard, Permutation(size, 5));
            for (const bool full_only : {false, true}) {
              Lists expected(shard.steps(batch_size, full_only));
              for (std::uint64_t step = 0; step != expected.size(); ++step) {
                for (const std::uint64_t place : shard.batch(step, batch_size)) {
                  expected[step].push_back(epoch.order()[place]);
                }
              }
              const auto batches = epoch.batches(batch_size, full_only);
              ASSERT_EQ(lists(batches), expected);
              ASSERT_EQ(batches.size(), expected.size());
              Epoch lazy(shard, LazilyReversed(size, 1));
              const Epoch reversed(shard, Reversed(size));
              ASSERT_EQ(lists(lazy.batches(batch_size, full_only)),
                        lists(reversed.batches(batch_size, full_only)));
            }
          }
        }
      }
    }
  }
}

// What a DataLoader does: batch k from worker k modulo the workers.
template <class Batches, class MakeBatches>
void expect_order_restored(const Batches& all, const MakeBatches& make) {
  for (int workers = 1; workers <= 5; ++workers) {
    std::vector<Batches> parts;
    for (int worker = 0; worker != workers; ++worker) {
      parts.push_back(make(worker).of_worker(worker, workers));
    }
    std::uint64_t total = 0;
    for (const Batches& part : parts) total += part.size();
    ASSERT_EQ(total, all.size());
    for (std::uint64_t k = 0; k != all.size(); ++k) {
      const auto w = static_cast<std::uint64_t>(workers);
      const auto batch = parts[static_cast<std::size_t>(k % w)][k / w];
      ASSERT_EQ(batch.index(), k);
      ASSERT_EQ(batch.first(), all[k].first());
      ASSERT_EQ(list(batch), list(all[k])) << "batch " << k << " of " << workers << " workers";
    }
  }
}

TEST(EpochBatches, go_to_workers_in_turn_and_come_back_in_order) {
  for (std::uint64_t size = 0; size <= 30; size += 5) {
    for (std::uint64_t batch_size = 1; batch_size <= 4; ++batch_size) {
      const Sampler sampler(size, 1, 2, {.seed = 7});
      expect_order_restored(sampler.epoch(3).batches(batch_size),
                            [&](int) { return sampler.epoch(3).batches(batch_size); });
      if (size == 0) continue;
      // PyTorch's order is made as it is read: each worker has an epoch of its own.
      const DistributedSampler distributed(size, 2, 1, {.seed = 7});
      std::vector<Epoch<Shard, rankmap::TorchOrder>> epochs;
      for (int worker = 0; worker != 5; ++worker) epochs.push_back(distributed.epoch(3));
      auto whole = distributed.epoch(3);
      expect_order_restored(whole.batches(batch_size), [&](int worker) {
        return epochs[static_cast<std::size_t>(worker)].batches(batch_size);
      });
    }
  }
  const Epoch epoch(Shard(100, 0, 1), Reversed(100));
  EXPECT_EQ(lists(epoch.batches(3).of_worker(1, 2).of_worker(2, 3)),
            lists(epoch.batches(3).of_worker(5, 6)));
}

TEST(EpochBatches, of_shares_that_know_their_batches) {
  const std::uint64_t speeds[] = {1, 3};
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (const BatchShard& share : {BatchShard(50, 4, 1, 3, {remainder, 2}),
                                    rankmap::weighted_batches(50, 12, 0, speeds, {remainder, 2})}) {
      const Epoch epoch(share, Reversed(50, 9));
      ASSERT_EQ(epoch.batches().size(), share.steps());
      std::uint64_t step = 0;
      for (const auto batch : epoch.batches()) {
        List expected;
        for (const std::uint64_t place : share.batch(step)) expected.push_back(49 - place);
        EXPECT_EQ(list(batch), expected);
        EXPECT_EQ(*batch.state_after(), *epoch.state_after(++step));
      }
    }
  }
  EXPECT_EQ(lists(Epoch(StridedIndices(9, 1, 2, 4), Reversed(9)).batches(3)),
            (Lists{{7, 5, 3}, {1}}));
  EXPECT_EQ(lists(Epoch(StridedIndices(9, 1, 2, 4), Reversed(9)).batches(3, true)),
            (Lists{{7, 5, 3}}));
}

// A loader that reads ahead: what is saved is what was trained on.
TEST(EpochBatch, names_the_state_after_itself_and_not_what_was_read) {
  for (const Remainder remainder : {Remainder::pad, Remainder::uneven}) {
    const Sampler sampler(23, 3, 4, {.seed = 1, .remainder = remainder});
    const auto batches = sampler.epoch(2).batches(2);
    ASSERT_EQ(batches.size(), 3U);
    std::vector<rankmap::EpochBatch<const Epoch<Shard, rankmap::SamplerOrder>>> ahead(
        batches.begin(), batches.end());
    EXPECT_EQ(ahead[0].state_after()->consumed, 8U);
    EXPECT_EQ(ahead[1].state_after()->consumed, 16U);
    EXPECT_EQ(ahead[2].size(), remainder == Remainder::pad ? 2U : 1U);
    EXPECT_EQ(ahead[2].state_after()->consumed, 0U);
    EXPECT_EQ(ahead[2].state_after()->epoch, 3U);
    EXPECT_EQ(ahead[2].is_padding(ahead[2].size() - 1), remainder == Remainder::pad);
    const SamplerState state = ahead[0].state_after().value();
    EXPECT_EQ(sampler.resume(state)->batches(2)[0][0], ahead[1][0]);
  }
}

TEST(EpochBatch, the_last_full_one_ends_the_epoch_where_only_full_ones_count) {
  const Sampler sampler(23, 3, 4, {.remainder = Remainder::uneven});
  EXPECT_EQ(sampler.epoch(2).batches(4, true)[0].state_after(), sampler.epoch(3).state_after(0));
  // A loop as that of a program that resumes.
  SamplerState state = sampler.epoch(0).state_after(0).value();
  List consumed;
  while (state.epoch != 2) {
    const auto rest = sampler.resume(state).value();
    for (const auto& batch : rest.batches(2, true)) {
      state = batch.state_after().value();
      consumed.push_back(state.consumed);
    }
  }
  EXPECT_EQ(consumed, (List{8, 0, 8, 0}));
}

TEST(EpochBatch, fills_memory_with_its_samples) {
  const Sampler sampler(5000, 1, 3, {.seed = 4});
  const auto batches = sampler.epoch(0).batches(100);
  auto lazy = DistributedSampler(5000, 3, 1).epoch(0);
  const auto of_lazy = lazy.batches(100);
  const auto filled = [](const auto& batch, std::size_t room) {
    List out(room);
    out.resize(static_cast<std::size_t>(batch.fill(out)));
    return out;
  };
  for (const std::uint64_t k : {3U, 16U}) {  // the last one is short
    EXPECT_EQ(filled(batches[k], 100), list(batches[k]));
    EXPECT_EQ(filled(of_lazy[k], 100), list(of_lazy[k]));
  }
  EXPECT_EQ(batches[16].size(), 67U);
  EXPECT_EQ(filled(batches[16], 5), filled(sampler.epoch(0).batches(5)[320], 5));
}

TEST(EpochBatches, are_ranges_without_an_epoch_of_their_own) {
  using Batches = decltype(Sampler(9, 0, 1).epoch(0).batches(2));
  static_assert(std::ranges::random_access_range<const Batches>);
  static_assert(std::ranges::sized_range<const Batches>);
  static_assert(!std::ranges::borrowed_range<Batches>);
  static_assert(std::ranges::random_access_range<Batches::value_type>);
  std::uint64_t sum = 0;
  for (const auto batch : Sampler(9, 0, 1).epoch(0).batches(2)) {  // of a temporary
    for (const std::uint64_t sample : batch) sum += sample;
  }
  EXPECT_EQ(sum, 36U);
  EXPECT_TRUE(Batches().empty() && Batches::value_type().empty());
}

TEST(EpochBatches, refuse_what_is_no_batch_and_no_worker) {
#if defined(__cpp_exceptions)
  const auto failure = [](const auto& make) {
    try {
      return std::to_string(make().size());
    } catch (const rankmap::Exception& exception) {
      return std::string(exception.what());
    }
  };
  const auto epoch = Sampler(10, 0, 2).epoch(0);
  EXPECT_EQ(failure([&] { return epoch.batches(0); }),
            "batch_size=\"0\": expected at least 1 sample; pass the samples of a batch");
  EXPECT_EQ(failure([&] { return epoch.batches(1).of_worker(4, 2); }),
            "worker=\"4\": expected a worker in [0, 2); count the workers from 0");
  EXPECT_EQ(failure([&] { return epoch.batches(1).of_worker(-1, 2); }),
            "worker=\"-1\": expected a worker in [0, 2); count the workers from 0");
  EXPECT_EQ(failure([&] { return epoch.batches(1).of_worker(0, 0); }),
            "worker=\"0\": expected a worker in [0, 0); count the workers from 0");
#endif
}

}  // namespace
