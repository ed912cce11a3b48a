// SPDX-License-Identifier: MIT
// Three numbers that are all small, all called "id" somewhere, and never interchangeable. With
// plain ints, a global rank or a physical device number passed as a visible index compiles. It then
// fails on the second node, or only on the machine where a variable hides a device.
#ifndef RANKMAP_DEVICE_IDS_HPP
#define RANKMAP_DEVICE_IDS_HPP

#include <rankmap/version.hpp>

#include <compare>

namespace rankmap::inline v0 {

/// A number of one kind. It compares with its own kind only, and converts from and to int only
/// where that is written out.
template <class Kind>
struct Id {
  int value = 0;

  constexpr Id() = default;
  RANKMAP_HD constexpr explicit Id(int number) : value(number) {}

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// A process among those of its node, from 0; -1 is the historic value without a launcher.
using LocalRank = Id<struct LocalRankTag>;
/// A device among those that this process sees, from 0: the argument of cudaSetDevice and the like.
using VisibleIndex = Id<struct VisibleIndexTag>;
/// A device in the numbering of the visibility variable, before it hides anything. Not a /dev
/// minor, not a PCI order, not an index for a runtime.
using PhysicalId = Id<struct PhysicalIdTag>;

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_IDS_HPP
