// SPDX-License-Identifier: MIT
#include <rankmap/device/ids.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

namespace {

using rankmap::LocalRank;
using rankmap::PhysicalId;
using rankmap::VisibleIndex;

template <class From, class To>
constexpr bool swaps = std::is_convertible_v<From, To> || std::is_constructible_v<To, From> ||
                       std::is_assignable_v<To&, From> || std::equality_comparable_with<To, From>;

static_assert(!swaps<VisibleIndex, PhysicalId> && !swaps<PhysicalId, VisibleIndex>);
static_assert(!swaps<LocalRank, VisibleIndex> && !swaps<LocalRank, PhysicalId>);
static_assert(!std::is_convertible_v<int, VisibleIndex> && !std::is_convertible_v<LocalRank, int>);
static_assert(std::is_trivially_copyable_v<LocalRank> && sizeof(LocalRank) == sizeof(int));

TEST(Ids, compare_with_their_own_kind_only) {
  constexpr LocalRank three(3);
  static_assert(three == LocalRank(3) && three != LocalRank(4) && three < LocalRank(4));
  EXPECT_EQ(LocalRank(2).value, 2);
  EXPECT_EQ(LocalRank(), LocalRank(0));
}

}  // namespace
