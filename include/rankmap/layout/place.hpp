// SPDX-License-Identifier: MIT
// Where a rank is: its node, and its number there.
#ifndef RANKMAP_LAYOUT_PLACE_HPP
#define RANKMAP_LAYOUT_PLACE_HPP

#include <rankmap/version.hpp>

namespace rankmap::inline v0 {

struct Place {
  int node = 0;   ///< from 0, in the order of the launcher's nodes
  int local = 0;  ///< the local rank: from 0 on each node, in the order of the ranks
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAYOUT_PLACE_HPP
