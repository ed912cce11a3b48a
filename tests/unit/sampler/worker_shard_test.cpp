// SPDX-License-Identifier: MIT
#include "support/list.hpp"

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using rankmap::BatchShard;
using rankmap::Remainder;
using rankmap::Shard;
using rankmap::ShardOrder;
using rankmap::WorkerShard;
using rankmap_test::List;
using rankmap_test::list;

TEST(WorkerShard, gives_workers_batches_in_turn_and_loses_none) {
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
      const Shard share(size, 1, 3, {order, Remainder::pad, 0});
      for (int workers = 1; workers <= 5; ++workers) {
        for (std::uint64_t batch_size = 1; batch_size <= 4; ++batch_size) {
          std::vector<List> parts;
          for (int worker = 0; worker != workers; ++worker) {
            const WorkerShard part(share, worker, workers, batch_size);
            parts.push_back(list(part));
            ASSERT_EQ(part.size(), parts.back().size());
            for (std::uint64_t k = 0; k != part.size(); ++k) {
              ASSERT_EQ(part.is_padding(k), share.is_padding(part.index_in_share(k)));
            }
          }
          // What a loader does: one batch from each worker in turn.
          List joined;
          std::vector<std::size_t> at(parts.size());
          for (std::size_t turn = 0; joined.size() != share.size(); ++turn) {
            const std::size_t worker = turn % parts.size();
            for (std::uint64_t i = 0; i != batch_size && at[worker] != parts[worker].size(); ++i) {
              joined.push_back(parts[worker][at[worker]++]);
            }
            ASSERT_LE(turn, 200U);
          }
          ASSERT_EQ(joined, list(share));
        }
      }
    }
  }
}

TEST(WorkerShard, splits_any_share) {
  const BatchShard batches(100, 4, 1, 3);
  EXPECT_EQ(WorkerShard(batches, 1, 2, 4)[0], batches[4]);
  EXPECT_EQ(WorkerShard(batches.batch(0), 1, 2)[0], batches[1]);
  EXPECT_EQ(WorkerShard(WorkerShard(batches, 0, 1), 0, 1).size(), batches.size());
}

template <int worker, int workers, std::uint64_t batch_size = 1>
concept Compiles = requires {
  typename std::integral_constant<std::uint64_t,
                                  WorkerShard(Shard(10, 0, 1), worker, workers, batch_size).size()>;
};
static_assert(Compiles<2, 4> && !Compiles<4, 2> && !Compiles<-1, 2> && !Compiles<0, 0>);
static_assert(!Compiles<0, 1, 0>);

TEST(WorkerShardDeathTest, names_the_argument_in_the_wrong_place) {
  EXPECT_DEATH(list(WorkerShard(Shard(10, 0, 1), 4, 2)),
               "worker=\"4\": expected a worker in \\[0, workers\\); pass WorkerShard");
  EXPECT_DEATH(list(WorkerShard(Shard(10, 0, 1), 0, 0)), "workers=\"0\": expected at least 1");
  EXPECT_DEATH(list(WorkerShard(Shard(10, 0, 1), 0, 1, 0)), "batch_size=\"0\"");
  EXPECT_DEATH(list(WorkerShard(Shard(10, 0, 1), 0, 4, std::uint64_t{1} << 62U)),
               "batch_size=\"4611686018427387904\": expected at most 2\\^63 / workers");
  EXPECT_EQ(WorkerShard(Shard(10, 0, 1), 0, 2, std::uint64_t{1} << 62U).size(), 10U);
}

}  // namespace
