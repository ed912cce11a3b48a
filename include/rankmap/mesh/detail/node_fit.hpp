// SPDX-License-Identifier: MIT
// Which axes fit into the nodes of a layout: how many consecutive ranks share a node, and the
// errors where that does not suffice.
#ifndef RANKMAP_MESH_DETAIL_NODE_FIT_HPP
#define RANKMAP_MESH_DETAIL_NODE_FIT_HPP

#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/axis_sizes.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The plane of an even layout whose planes divide the ranks of a node: there, local ranks are
/// digits of the rank. 0 for any other layout.
constexpr int even_plane(const Layout& layout) {
  const int per_node = layout.largest_local_world_size();
  if (!layout.is_even()) return 0;
  switch (layout.distribution().kind) {
    case DistributionKind::block:
      return per_node;
    case DistributionKind::cyclic:
      return 1;
    case DistributionKind::plane: {
      const int plane = layout.distribution().plane_size;
      return per_node % plane == 0 ? plane : 0;
    }
    case DistributionKind::arbitrary:
      break;
  }
  return 0;
}

/// Each stretch of so many ranks, from rank 0 on, is on one node. O(runs of equal nodes).
constexpr int whole_stretch(const Layout& layout) {
  if (layout.is_block()) return layout.local_world_size_divisor();
  const int plane = even_plane(layout);
  return plane == 0 ? 1 : plane;
}

/// Splits a list of axes, the heaviest first, into those inside `room` ranks and the others: an
/// axis is inside if its size times the sizes of those already inside divides the room.
struct AxisSplit {
  constexpr AxisSplit(const AxisList& heaviest_first, const ResolvedSizes& sizes, int ranks)
      : room(ranks) {
    for (std::size_t i = 0; i != heaviest_first.size(); ++i) {
      is_inside[i] = room % (std::int64_t{used} * sizes.sizes[i]) == 0;
      if (!is_inside[i]) continue;
      used *= sizes.sizes[i];
      ++inside_count;
    }
    count = heaviest_first.size();
    std::size_t slow = 0;
    std::size_t fast = count - inside_count;
    for (std::size_t i = count; i-- != 0;) {
      axes[is_inside[i] ? fast++ : slow++] = {heaviest_first[i].name, sizes.sizes[i]};
    }
  }
  constexpr AxisList all() const { return {axes, count}; }
  constexpr AxisList across_list() const { return {axes, count - inside_count}; }
  constexpr AxisList inside_list() const { return {axes + (count - inside_count), inside_count}; }

  int room;
  int used = 1;  ///< the product of the axes inside
  std::size_t count = 0;
  std::size_t inside_count = 0;
  bool is_inside[max_digits] = {};  ///< by index in the list
  AxisSize axes[max_digits];        ///< across and then inside, each the slowest first
};

constexpr Error not_hybrid(const Layout& layout) {
  return error_at(Errc::bad_layout, "layout",
                  layout.is_even() ? name(layout.distribution().kind) : "uneven nodes",
                  "the same number of ranks on each node, in block or cyclic order or in planes "
                  "that divide it",
                  "use Mesh::make, and Placement for the axes that leave the node");
}

constexpr Error straddles(std::string_view axis, int size, int plane) {
  return error_at(Errc::bad_layout, axis_subject(axis), concat<24>(size),
                  concat<159>("axes inside a node that fill a plane of ", plane,
                              " ranks before one extends beyond it"),
                  "split the axis, or put another one inside it");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_NODE_FIT_HPP
