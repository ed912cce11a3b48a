// SPDX-License-Identifier: MIT
#include <rankmap/device/ids.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

namespace {

using rankmap::LocalRank;
using rankmap::PhysicalId;
using rankmap::Rank;
using rankmap::VisibleIndex;

template <class From, class To>
constexpr bool swaps = std::is_convertible_v<From, To> || std::is_constructible_v<To, From> ||
                       std::is_assignable_v<To&, From> || std::equality_comparable_with<To, From>;

static_assert(!swaps<Rank, LocalRank> && !swaps<LocalRank, Rank>);
static_assert(!swaps<VisibleIndex, PhysicalId> && !swaps<PhysicalId, VisibleIndex>);
static_assert(!swaps<LocalRank, VisibleIndex> && !swaps<Rank, VisibleIndex>);
static_assert(!std::is_convertible_v<int, VisibleIndex> && !std::is_convertible_v<Rank, int>);
static_assert(std::is_trivially_copyable_v<Rank> && sizeof(Rank) == sizeof(int));

TEST(Ids, are_compared_with_their_own_kind) {
  static_assert(Rank(3) == Rank(3) && Rank(3) != Rank(4) && Rank(3) < Rank(4));
  EXPECT_EQ(LocalRank(2).value, 2);
  EXPECT_EQ(LocalRank(), LocalRank(0));
}

}  // namespace
