// SPDX-License-Identifier: MIT
#include <rankmap/sampler/make_shard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using rankmap::largest_dataset;
using rankmap::make_shard;
using rankmap::Remainder;
using rankmap::Shard;
using rankmap::ShardOptions;
using rankmap::ShardOrder;

constexpr ShardOptions all_set{ShardOrder::blocked, Remainder::uneven, 4};
static_assert(*make_shard(10, 1, 3) == Shard(10, 1, 3));
static_assert(*make_shard(10, 1, 3, all_set) == Shard(10, 1, 3, all_set));

// The size of the data set is first.
template <class Size>
constexpr bool takes_world_of = requires(Size size) {
  make_shard(10, 0, size);
};
static_assert(takes_world_of<int> && !takes_world_of<std::size_t> && !takes_world_of<std::int64_t>);

std::string reason(const rankmap::Result<Shard>& shard) {
  return shard ? "none" : std::string(message(shard.error()).view());
}

TEST(make_shard, accepts_the_ends_of_each_range) {
  EXPECT_EQ(reason(make_shard(0, 0, 1)), "none");
  EXPECT_EQ(reason(make_shard(10, 2, 3)), "none");
  EXPECT_EQ(reason(make_shard(largest_dataset, 0, 3)), "none");
  EXPECT_EQ(reason(make_shard(10, 0, 3, {.consumed = 10})), "none");
}

TEST(make_shard, names_the_argument_that_is_out_of_range) {
  EXPECT_EQ(reason(make_shard(10, 0, 0)),
            "world_size=\"0\": expected at least 1; pass the number of all ranks");
  EXPECT_EQ(reason(make_shard(10, 0, -3)),
            "world_size=\"-3\": expected at least 1; pass the number of all ranks");
  EXPECT_EQ(reason(make_shard(10, 3, 3)),
            "rank=\"3\": expected a rank in [0, 3); pass the global rank, counted from 0");
  EXPECT_EQ(reason(make_shard(10, -1, 3)),
            "rank=\"-1\": expected a rank in [0, 3); pass the global rank, counted from 0");
  EXPECT_EQ(reason(make_shard(largest_dataset + 1, 0, 3)),
            "dataset_size=\"9223372036854775808\": expected fewer than 2^63 samples; pass the "
            "number of samples");
  EXPECT_EQ(reason(make_shard(UINT64_MAX, 0, 3)),
            "dataset_size=\"18446744073709551615\": expected fewer than 2^63 samples; pass the "
            "number of samples");
  EXPECT_EQ(reason(make_shard(10, 0, 3, {.consumed = 11})),
            "consumed=\"11\": expected at most the data set's 10 samples; start the next epoch "
            "with 0");
  EXPECT_EQ(reason(make_shard(10, 0, 3, {.order = static_cast<ShardOrder>(2)})),
            "order=\"2\": expected one of the orders: strided, blocked; pass an enumerator of "
            "ShardOrder");
  EXPECT_EQ(reason(make_shard(10, 0, 3, {.remainder = static_cast<Remainder>(3)})),
            "remainder=\"3\": expected one of the remainders: pad, drop, uneven; pass an "
            "enumerator of Remainder");
}

}  // namespace
