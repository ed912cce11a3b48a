// SPDX-License-Identifier: MIT
// The public names of the version before mean what they did. All but the concepts warn.
#include <rankmap/rankmap.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

template <class Old, class New>
constexpr bool is_same = std::is_same_v<Old, New>;

static_assert(is_same<rankmap::Apportionment, rankmap::ProportionalSplit>);
static_assert(is_same<rankmap::Drawn, rankmap::MixtureSample>);
static_assert(is_same<rankmap::Owner, rankmap::ShardIndex>);
static_assert(rankmap::DeviceOffer::most_cost == rankmap::DeviceOffer::max_cost &&
              rankmap::FileState::most_legs == rankmap::FileState::max_legs &&
              rankmap::JobTable::most_records == rankmap::JobTable::max_records &&
              rankmap::Refusals::most_complaints == rankmap::Refusals::max_complaints &&
              rankmap::UnreadLines::most_samples == rankmap::UnreadLines::max_samples);
static_assert(rankmap::PackedRows().least_rows() == 0);
static_assert(rankmap::LocalPlace<rankmap::Topology> && !rankmap::LocalPlace<rankmap::Identity> &&
              rankmap::PartialLocalPlace<rankmap::Identity>);

TEST(old_names, are_kept_for_one_version) {
  rankmap::CpuSet cpus;
  cpus.insert(3);
  EXPECT_EQ(rankmap::CpuGroups().first_without(cpus), 3);
  EXPECT_FALSE(rankmap::MpsSettings().is_told());
  EXPECT_EQ(rankmap::Findings().not_told(), "");
  const rankmap::Owner owner = rankmap::Shard(10, 0, 2).owner_of(3);
  EXPECT_EQ(owner.rank, 1);
  rankmap::Stream stream([](std::uint64_t epoch) { return rankmap::Permutation(5, 42, epoch); });
  EXPECT_EQ(stream[7], rankmap::Permutation(5, 42, 1)[2]);
  const rankmap::Epoch samples(rankmap::Shard(stream.size(), 0, 2), std::move(stream));
  EXPECT_EQ(name(samples.state_after(0).value().algorithm), "stream-1");
}

}  // namespace

#pragma GCC diagnostic pop
