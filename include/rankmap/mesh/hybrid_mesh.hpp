// SPDX-License-Identifier: MIT
// Meshes that fit their nodes, some axes inside each and the others across, and which to choose.
#ifndef RANKMAP_MESH_HYBRID_MESH_HPP
#define RANKMAP_MESH_HYBRID_MESH_HPP

#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/mesh_data.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

namespace detail {

/// The plane of an even layout whose planes divide the ranks of a node: there, local ranks are
/// digits of the rank. 0 for any other layout.
constexpr int even_plane(const Layout& layout) {
  const int per_node = layout.largest_local_world_size();
  const Distribution order = layout.distribution();
  if (!layout.is_even() || order == Distribution::arbitrary) return 0;
  const int plane = order == Distribution::block    ? per_node
                    : order == Distribution::cyclic ? 1
                                                    : order.plane_size;
  return per_node % plane == 0 ? plane : 0;
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
  constexpr AxisSplit(const AxisList& heaviest_first, const AxisValues& sizes, int room)
      : count(heaviest_first.size()) {
    const auto of = concat(" the ", room, " that share a node");
    std::int64_t used = 1;  // the product of the axes inside
    bool is_inside[max_digits] = {};
    for (std::size_t i = 0; i != count; ++i) {
      is_inside[i] = room % (used * sizes[i]) == 0;
      reason.append(i == 0 ? "" : "; ").append(heaviest_first[i].name).append('=');
      reason.append_number(sizes[i]);
      if (is_inside[i]) {
        used *= sizes[i];
        ++inside_count;
        reason.append(" inside: ").append_number(used).append(" of").append(of);
      } else {
        reason.append(" across: ").append_number(used).append(" x ").append_number(sizes[i]);
        reason.append(" does not divide").append(of);
      }
    }
    std::size_t slow = 0;
    std::size_t fast = count - inside_count;
    for (std::size_t i = count; i-- != 0;) {
      axes[is_inside[i] ? fast++ : slow++] = {heaviest_first[i].name, sizes[i]};
    }
  }
  constexpr AxisList all() const { return {axes, count}; }
  constexpr AxisList across_list() const { return {axes, count - inside_count}; }
  constexpr AxisList inside_list() const { return {axes + (count - inside_count), inside_count}; }

  std::size_t count = 0;
  std::size_t inside_count = 0;
  AxisSize axes[max_digits];  ///< across and then inside, each the slowest first
  Message reason;             ///< one clause for each axis
};

}  // namespace detail

/// A mesh of the whole layout whose `inside` axes number the ranks of each node and whose `across`
/// axes number the nodes. Groups over inside axes never leave a node, in block, cyclic and plane
/// order. The mesh lists the axes across first; the last axis of each list varies fastest. This is
/// JAX's hybrid mesh; its merged axis is group({"dp_across", "dp"}).
///
/// One size in each list may be Mesh::inferred. Errors: those of Mesh::make for each list, against
/// the nodes and the ranks of one; `bad_layout` for uneven nodes, for arbitrary order, for planes
/// that do not divide the ranks of a node, and for an axis that straddles planes. O(axes).
constexpr Result<Mesh> hybrid_mesh(const Layout& layout, const AxisList& across,
                                   const AxisList& inside) {
  const auto outer = detail::resolve_sizes(across, layout.node_count(), "node count");
  if (!outer) return outer.error();
  const int plane = detail::even_plane(layout);
  if (plane == 0) {
    return detail::error_at(Errc::bad_layout, "layout",
                            layout.is_even() ? name(layout.distribution().kind) : "uneven nodes",
                            "the same number of ranks on each node, in block or cyclic order or in "
                            "planes that divide it",
                            "use Mesh::make, and Placement for the axes that leave the node");
  }
  const int per_node = layout.largest_local_world_size();
  const auto inner = detail::resolve_sizes(inside, per_node, "ranks per node");
  if (!inner) return inner.error();
  const std::size_t count = across.size() + inside.size();
  if (count > std::size_t{Mesh::max_axes}) return detail::too_many_axes(count);

  Axis axes[detail::max_digits];
  int stride = 1;  // between local ranks; beyond a plane they are a whole round apart
  for (std::size_t i = inside.size(); i-- != 0;) {
    const int size = (*inner)[i];
    if (stride < plane && stride * size > plane) {
      return detail::error_at(Errc::bad_layout, detail::axis_subject(inside[i].name),
                              detail::concat(size),
                              detail::concat("axes inside a node that fill a plane of ", plane,
                                             " ranks before one extends beyond it"),
                              "split the axis, or put another one inside it");
    }
    axes[across.size() + i] = {inside[i].name, size,
                               stride < plane ? stride : stride * layout.node_count()};
    stride *= size;
  }
  stride = plane;
  for (std::size_t i = across.size(); i-- != 0;) {
    axes[i] = {across[i].name, (*outer)[i], stride};
    stride *= (*outer)[i];
  }
  return Mesh::from_strides({axes, count});
}

/// What `recommend_mesh` returns.
struct MeshRecommendation {
  Mesh mesh;
  int axes_inside = 0;  ///< how many axes stay inside a node: the fastest ones
  Message reason;       ///< one clause for each axis
};

/// An order of axes for a layout that keeps the axes with the most communication inside a node. The
/// list has the heaviest axis first (usually tp, cp, ep, dp, pp). An axis goes inside if its size
/// times the sizes of the axes already inside divides the ranks of every node, else across. Both
/// inside and across, the heavier of two axes varies faster.
///
/// One size may be Mesh::inferred. Errors: those of Mesh::make; if no axis fits, the reason says
/// so. In cyclic and plane order the mesh is a hybrid one if the axes inside fill a node.
constexpr Result<MeshRecommendation> recommend_mesh(const Layout& layout,
                                                    const AxisList& heaviest_first) {
  const auto sizes = detail::resolve_sizes(heaviest_first, layout.world_size(), "world size");
  if (!sizes) return sizes.error();

  // Local ranks are digits of the rank only where the axes inside fill the node and its planes.
  // Else only stretches of consecutive ranks share a node for certain.
  detail::AxisSplit split(heaviest_first, *sizes, layout.largest_local_world_size());
  auto mesh = hybrid_mesh(layout, split.across_list(), split.inside_list());
  if (!mesh) {
    split = detail::AxisSplit(heaviest_first, *sizes, detail::whole_stretch(layout));
    mesh = Mesh::make(split.all());
  }
  if (!mesh) return mesh.error();

  return MeshRecommendation{*mesh, static_cast<int>(split.inside_count), split.reason};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_HYBRID_MESH_HPP
