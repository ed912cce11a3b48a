// SPDX-License-Identifier: MIT
//
// Four numbers that are all small, all called "id" somewhere, and never interchangeable. Passing a
// global rank or a node-wide device number where a visible index is wanted compiles with plain ints
// and fails on the second node, or only on the machine where somebody hid a device.
#ifndef RANKMAP_DEVICE_IDS_HPP
#define RANKMAP_DEVICE_IDS_HPP

#include <rankmap/version.hpp>

#include <compare>

namespace rankmap::inline v0 {
namespace detail {

template <class Tag>
struct Id {
  int value = 0;

  constexpr Id() = default;
  RANKMAP_HD constexpr explicit Id(int number) : value(number) {}

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace detail

/// A process among all processes of the job, from 0.
using Rank = detail::Id<struct RankTag>;
/// A process among those of its node, from 0; -1 is the historic "nobody launched me".
using LocalRank = detail::Id<struct LocalRankTag>;
/// A device among those that this process may use, from 0: what cudaSetDevice and its relatives
/// take.
using VisibleIndex = detail::Id<struct VisibleIndexTag>;
/// A device in the numbering that the visibility variable uses, before it hides anything. Not a
/// /dev minor, not a PCI order, not an index for a runtime.
using PhysicalId = detail::Id<struct PhysicalIdTag>;

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_IDS_HPP
