// SPDX-License-Identifier: MIT
// A mesh on nodes: which groups stay inside a node, and how many links leave one.
#ifndef RANKMAP_MESH_PLACEMENT_HPP
#define RANKMAP_MESH_PLACEMENT_HPP

#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// How the groups over some axes are placed on nodes. A link joins a member to the next one of its
/// group; the last is not joined to the first.
struct Crossings {
  int groups = 0;
  int crossing_groups = 0;          ///< those with members on more than one node
  std::int64_t links = 0;           ///< groups * (group size - 1)
  std::int64_t crossing_links = 0;  ///< links between nodes
  int max_in_a_group = 0;           ///< the most crossing links of one group
  friend constexpr bool operator==(const Crossings&, const Crossings&) = default;
};

/// A mesh and the layout of its ranks. Keeps a pointer to the layout.
class Placement {
 public:
  /// Errors: `inconsistent` where the mesh has a rank that the layout does not have.
  static constexpr Result<Placement> make(const Mesh& mesh, const Layout& layout) {
    const int last = mesh.ranks().back();
    if (last >= layout.world_size()) {
      return detail::error_at(Errc::inconsistent, "mesh", detail::concat("rank ", last),
                              detail::concat("ranks of the layout, below ", layout.world_size()),
                              "make both for the same world size");
    }
    return Placement(mesh, layout);
  }
  static Result<Placement> make(const Mesh&, const Layout&&) = delete;  // it would dangle

  constexpr const Mesh& mesh() const& RANKMAP_LIFETIMEBOUND { return mesh_; }
  constexpr Mesh mesh() && { return mesh_; }
  constexpr const Layout& layout() const { return *layout_; }

  /// Whether every group over these axes has all its members on one node. O(axes) for a mesh of the
  /// whole world on an even block layout, O(runs of equal nodes) on an uneven one, else O(ranks).
  constexpr bool is_intra_node(const AxesArgument& axes) const {
    const Axes found = mesh_.axes(axes);
    if (layout_->is_block() && mesh_.covers(layout_->world_size())) {
      // The groups of the slowest of these axes fill stretches of `turn` ranks. A border between
      // nodes inside a stretch splits some group, so no stretch may contain one.
      std::int64_t turn = 1;
      for (int i = 0; i != mesh_.axis_count(); ++i) {
        const Axis axis = mesh_.axis(i);
        const bool asked = (mesh_.axes_at(i) & found) != Axes();
        const std::int64_t reach = std::int64_t{axis.stride} * axis.size;
        if (asked && axis.size != 1 && reach > turn) turn = reach;
      }
      return layout_->local_world_size_divisor() % turn == 0;
    }
    for (const Mesh::Group& group : mesh_.groups(found)) {
      if (!on_one_node(group)) return false;
    }
    return true;
  }
  /// Whether any group over these axes leaves its node.
  constexpr bool crosses(const AxesArgument& axes) const { return !is_intra_node(axes); }
  /// How many groups leave their node, and over how many links. O(ranks): milliseconds for 2^20.
  constexpr Crossings crossings(const AxesArgument& axes) const {
    Crossings out;
    for (const Mesh::Group& group : mesh_.groups(axes)) {
      int crossed = 0;
      auto rank = group.begin();
      int before = layout_->node_of(*rank);
      while (++rank != group.end()) {
        const int node = layout_->node_of(*rank);
        if (node != before) ++crossed;
        before = node;
      }
      ++out.groups;
      out.crossing_groups += crossed != 0 ? 1 : 0;
      out.links += static_cast<std::int64_t>(group.size()) - 1;
      out.crossing_links += crossed;
      if (crossed > out.max_in_a_group) out.max_in_a_group = crossed;
    }
    return out;
  }

  /// Whether the group of one rank is on one node. O(1) on a block layout, else O(members).
  constexpr bool is_intra_node(const AxesArgument& axes, int rank) const {
    return on_one_node(mesh_.group(axes, rank));
  }

 private:
  constexpr Placement(const Mesh& mesh, const Layout& layout) : mesh_(mesh), layout_(&layout) {}

  // A group's first member is its lowest rank and its last the highest, in any mesh.
  constexpr bool on_one_node(const Mesh::Group& group) const {
    const int node = layout_->node_of(group.front());
    if (layout_->is_block()) return layout_->node_of(group.back()) == node;
    for (const int rank : group) {
      if (layout_->node_of(rank) != node) return false;
    }
    return true;
  }

  Mesh mesh_;
  const Layout* layout_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_PLACEMENT_HPP
