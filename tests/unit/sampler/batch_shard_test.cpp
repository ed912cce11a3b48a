// SPDX-License-Identifier: MIT
//
// Batch-level shards are compared with a plain model of what they compute in closed form. It runs a
// batch sampler, gives whole batches or slices of them to the ranks, and fills the end from the
// first batches.
#include "support/list.hpp"

#include <rankmap/sampler/batch_shard.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using rankmap::BatchOptions;
using rankmap::BatchPart;
using rankmap::BatchShard;
using rankmap::Remainder;
using rankmap::StridedIndices;
using rankmap_test::List;
using rankmap_test::list;
using Batches = std::vector<List>;

// Without arguments: no data, for one process that takes one sample at a time.
static_assert(BatchShard().empty() && BatchShard().steps() == 0);
static_assert(BatchShard().batch_size() == 1 && BatchShard().global_batch_size() == 1);

// Non-empty batches alone: in the model a rank without samples in the last step has no batch.
Batches batches_of(const BatchShard& shard) {
  Batches out;
  for (std::uint64_t step = 0; step != shard.steps(); ++step) {
    if (!shard.batch(step).empty()) out.push_back(list(shard.batch(step)));
  }
  return out;
}

Batches batch_sampler(std::uint64_t size, std::uint64_t batch_size, bool drop_last) {
  Batches out;
  for (std::uint64_t at = 0; at < size; at += batch_size) {
    List batch;
    for (std::uint64_t p = at; p < size && p < at + batch_size; ++p) batch.push_back(p);
    if (batch.size() == batch_size || !drop_last) out.push_back(batch);
  }
  return out;
}

// Batches for each rank in turn; a round is complete once its last batch is full.
Batches in_turn(std::uint64_t size, std::uint64_t batch_size, std::size_t rank, std::size_t world,
                Remainder remainder) {
  const Batches all = batch_sampler(size, batch_size, remainder == Remainder::drop);
  Batches out;
  const std::size_t full = size / batch_size;
  const std::size_t rounds = full / world;
  for (std::size_t round = 0; round != rounds; ++round) out.push_back(all[round * world + rank]);
  if (remainder == Remainder::drop || all.size() == rounds * world) return out;
  if (remainder == Remainder::uneven) {
    if (rounds * world + rank < all.size()) out.push_back(all[rounds * world + rank]);
    return out;
  }
  List filler;
  for (std::size_t i = 0; i < world && i < all.size(); ++i) {
    filler.insert(filler.end(), all[i].begin(), all[i].end());
  }
  std::size_t next = 0;
  List mine;
  for (std::size_t r = 0; r != world; ++r) {
    List batch;
    if (rounds * world + r < all.size()) batch = all[rounds * world + r];
    while (batch.size() != batch_size) batch.push_back(filler[next++ % filler.size()]);
    if (r == rank) mine = batch;
  }
  out.push_back(mine);
  return out;
}

// Every batch cut into one slice a rank; a short last batch is filled from the first one.
Batches sliced(std::uint64_t size, std::uint64_t batch_size, std::size_t rank, std::size_t world,
               Remainder remainder) {
  Batches out;
  const std::size_t slice = batch_size / world;
  const Batches all = batch_sampler(size, batch_size, remainder == Remainder::drop);
  for (List batch : all) {
    for (std::size_t next = 0; remainder == Remainder::pad && batch.size() != batch_size; ++next) {
      batch.push_back(all[0][next % all[0].size()]);
    }
    List mine;
    for (std::size_t i = slice * rank; i < slice * (rank + 1) && i < batch.size(); ++i) {
      mine.push_back(batch[i]);
    }
    if (!mine.empty()) out.push_back(mine);
  }
  return out;
}

TEST(BatchShard, gives_ranks_whole_batches_as_accelerate_does) {
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (std::size_t world = 1; world <= 6; ++world) {
      for (std::uint64_t batch_size = 1; batch_size <= 7; ++batch_size) {
        for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
          for (std::size_t rank = 0; rank != world; ++rank) {
            const BatchShard shard(size, batch_size, static_cast<int>(rank),
                                   static_cast<int>(world), {remainder, 0});
            ASSERT_EQ(batches_of(shard), in_turn(size, batch_size, rank, world, remainder))
                << size << " samples, batch " << batch_size << ", rank " << rank << " of " << world
                << ", remainder " << static_cast<int>(remainder);
          }
        }
      }
    }
  }
}

TEST(BatchShard, slices_each_batch_as_accelerate_does) {
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (std::size_t world = 1; world <= 6; ++world) {
      for (std::uint64_t slice = 1; slice <= 4; ++slice) {
        for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
          for (std::size_t rank = 0; rank != world; ++rank) {
            const BatchShard shard(size, slice, static_cast<int>(rank), static_cast<int>(world),
                                   {remainder, 0});
            ASSERT_EQ(batches_of(shard), sliced(size, slice * world, rank, world, remainder))
                << size << " samples, slice " << slice << ", rank " << rank << " of " << world
                << ", remainder " << static_cast<int>(remainder);
          }
        }
      }
    }
  }
}

TEST(BatchShard, restarts_under_another_world_and_batch_size) {
  for (std::uint64_t size = 0; size <= 30; ++size) {
    for (int before = 1; before <= 4; ++before) {
      for (int after = 1; after <= 5; ++after) {
        for (const Remainder remainder : {Remainder::pad, Remainder::uneven}) {
          const BatchShard any(size, 3, 0, before, {remainder, 0});
          for (std::uint64_t stop = 0; stop <= any.steps(); ++stop) {
            std::vector<int> seen(size);
            for (int rank = 0; rank != before; ++rank) {
              const BatchShard shard(size, 3, rank, before, {remainder, 0});
              for (std::uint64_t step = 0; step != stop; ++step) {
                const StridedIndices batch = shard.batch(step);
                for (std::uint64_t k = 0; k != batch.size(); ++k) {
                  if (!batch.is_padding(k)) ++seen[batch[k]];
                }
              }
            }
            std::uint64_t steps = 0;
            for (int rank = 0; rank != after; ++rank) {
              const BatchShard shard(size, 2, rank, after, {remainder, any.consumed_after(stop)});
              if (rank == 0) steps = shard.steps();
              ASSERT_EQ(shard.steps(), steps);
              for (std::uint64_t k = 0; k != shard.size(); ++k) {
                if (!shard.is_padding(k)) ++seen[shard[k]];
              }
            }
            for (const int times : seen) ASSERT_EQ(times, 1);
          }
        }
      }
    }
  }
}

TEST(BatchShard, is_its_batches_one_after_another) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    for (int rank = 0; rank != 3; ++rank) {
      const BatchShard shard(25, 4, rank, 3, {remainder, 2});
      List joined;
      std::uint64_t real = 0;
      for (std::uint64_t step = 0; step != shard.steps(); ++step) {
        for (const std::uint64_t p : shard.batch(step)) joined.push_back(p);
        real += shard.real_count(step);
      }
      EXPECT_EQ(list(shard), joined);
      EXPECT_EQ(real, remainder == Remainder::drop ? 12U : 23U);
      EXPECT_EQ(shard.batch_size(), 4U);
      EXPECT_EQ(shard.global_batch_size(), 12U);
    }
  }
}

// Parts of unequal size, each with the same step's other parts around it.
TEST(BatchShard, takes_its_part_of_every_global_batch) {
  for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
    const BatchOptions options{remainder, 2};
    const BatchShard first(14, 5, BatchPart{0, 3}, options);
    const BatchShard last(14, 5, BatchPart{3, 2}, options);
    const BatchShard none(14, 5, BatchPart{5, 0}, options);
    EXPECT_EQ(list(first.batch(1)), (List{7, 8, 9}));
    EXPECT_EQ(list(last.batch(1)), (List{10, 11}));
    EXPECT_EQ(first.steps(), last.steps());
    EXPECT_EQ(last.batch_size(), 2U);
    EXPECT_EQ(last.global_batch_size(), 5U);
    EXPECT_TRUE(none.empty());
  }
  const BatchShard uneven(14, 5, BatchPart{3, 2}, {Remainder::uneven, 2});
  EXPECT_EQ(list(uneven), (List{5, 6, 10, 11}));
  EXPECT_EQ(list(BatchShard(14, 5, BatchPart{3, 2}, {Remainder::pad, 2})),
            (List{5, 6, 10, 11, 1, 2}));
  EXPECT_EQ(list(BatchShard(14, 5, BatchPart{0, 3}, {Remainder::uneven, 2})),
            (List{2, 3, 4, 7, 8, 9, 12, 13}));
}

static_assert(BatchShard(10, 2, 1, 2).batch(2)[0] == 0 && BatchShard(10, 2, 1, 2).steps() == 3);
static_assert(BatchShard(10, 2, 1, 2).real_count(2) == 2);

template <std::uint64_t batch_size, int rank, int world, std::uint64_t consumed = 0>
concept Compiles = requires {
  typename std::integral_constant<
      std::uint64_t, BatchShard(10, batch_size, rank, world, {.consumed = consumed}).size()>;
};
static_assert(Compiles<3, 2, 4> && !Compiles<3, 4, 2> && !Compiles<0, 2, 4>);
static_assert(!Compiles<3, -1, 2> && !Compiles<3, 0, 0> && !Compiles<3, 0, 1, 11>);

TEST(BatchShardDeathTest, names_the_argument_in_the_wrong_place) {
  EXPECT_DEATH(list(BatchShard(10, 3, 4, 2)), "rank=\"4\": expected a rank in .*; pass BatchShard");
  EXPECT_DEATH(list(BatchShard(10, 0, 0, 1)), "batch_size=\"0\": expected at least 1 sample");
  EXPECT_DEATH(list(BatchShard(10, 4, BatchPart{3, 2})), "BatchPart::offset=\"3\"");
  constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  EXPECT_DEATH(BatchShard(10, minus_one, 0, 4),
               "batch_size=\"-1\": expected at most 2\\^63 / world_size");
  EXPECT_DEATH(BatchShard(10, std::uint64_t{1} << 62U, 0, 4), "batch_size=\"4611686018427387904\"");
  EXPECT_DEATH(BatchShard(minus_one, 2, 0, 4), "dataset_size=\"-1\"");
}

struct Process {
  constexpr int rank() const { return 1; }
  constexpr int world_size() const { return 3; }
};
static_assert(BatchShard(10, 2, Process{})[1] == BatchShard(10, 2, 1, 3)[1]);

}  // namespace
