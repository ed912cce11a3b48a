// SPDX-License-Identifier: MIT
//
// The formula for ranks and places where all nodes have the same number of ranks: three numbers,
// no memory, usable in device code.
#ifndef RANKMAP_LAYOUT_DETAIL_EVEN_LAYOUT_HPP
#define RANKMAP_LAYOUT_DETAIL_EVEN_LAYOUT_HPP

#include <rankmap/layout/place.hpp>
#include <rankmap/version.hpp>

namespace rankmap::inline v0::detail {

/// `plane` ranks to each node in turn until each has `per_node`: block for plane == per_node,
/// cyclic for plane == 1. All products stay at or below nodes * per_node, which an int holds.
struct EvenPlanes {
  int nodes;
  int per_node;
  int plane;  ///< in [1, per_node]

  RANKMAP_HD constexpr int rank_of(int node, int local) const noexcept {
    const int level = local - local % plane;
    return level * nodes + node * width(level) + (local - level);
  }
  RANKMAP_HD constexpr Place place_of(int rank) const noexcept {
    const int level = rank / (plane * nodes) * plane;
    const int within = rank - level * nodes;
    return {within / width(level), level + within % width(level)};
  }

 private:
  // The last round has what is left.
  RANKMAP_HD constexpr int width(int level) const noexcept {
    return per_node - level < plane ? per_node - level : plane;
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_EVEN_LAYOUT_HPP
