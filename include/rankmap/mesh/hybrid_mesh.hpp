// SPDX-License-Identifier: MIT
//
// Meshes made for the nodes that they run on: some axes inside each node and the others across, and
// the choice of which.
#ifndef RANKMAP_MESH_HYBRID_MESH_HPP
#define RANKMAP_MESH_HYBRID_MESH_HPP

#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/axis_sizes.hpp>
#include <rankmap/mesh/detail/node_fit.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

/// A mesh of the whole layout whose `inside` axes number the ranks of each node and whose `across`
/// axes number the nodes: groups over inside axes never leave a node, whether ranks are dealt to
/// nodes in blocks, cyclic or in planes. Axes are listed across first, the last of each list
/// fastest. JAX's hybrid mesh is this, with group({"dp_across", "dp"}) for its merged axis.
///
/// One size in each list may be Mesh::inferred. Errors: those of Mesh::make for each list, against
/// the nodes and the ranks of a node; `bad_layout` for uneven nodes, arbitrary order, and planes
/// that do not divide the ranks of a node or that an axis straddles.
constexpr Result<Mesh> hybrid_mesh(const Layout& layout, const AxisList& across,
                                   const AxisList& inside) {
  const auto outer = detail::resolve_sizes(across, layout.node_count(), "node count");
  if (!outer) return outer.error();
  const int plane = detail::even_plane(layout);
  if (plane == 0) return detail::not_hybrid(layout);
  const int per_node = layout.largest_local_world_size();
  const auto inner = detail::resolve_sizes(inside, per_node, "ranks per node");
  if (!inner) return inner.error();
  const std::size_t count = across.size() + inside.size();
  if (count > std::size_t{Mesh::max_axes}) return detail::too_many_axes(count);

  Axis axes[detail::max_digits];
  int stride = 1;  // between local ranks; dealt ones beyond a plane lie a whole round apart
  for (std::size_t i = inside.size(); i-- != 0;) {
    const int size = inner->sizes[i];
    if (stride < plane && stride * size > plane) {
      return detail::straddles(inside[i].name, size, plane);
    }
    axes[across.size() + i] = {inside[i].name, size,
                               stride < plane ? stride : stride * layout.node_count()};
    stride *= size;
  }
  stride = plane;
  for (std::size_t i = across.size(); i-- != 0;) {
    axes[i] = {across[i].name, outer->sizes[i], stride};
    stride *= outer->sizes[i];
  }
  return Mesh::from_strides({axes, count});
}

/// What `recommend_mesh` answers.
struct MeshRecommendation {
  Mesh mesh;
  int axes_inside = 0;  ///< so many axes, the fastest ones, stay inside a node
  Message reason;       ///< one clause for each axis
};

/// An order of axes for a layout, so that those which talk most stay inside a node: they are taken
/// in the order of the list, the heaviest first (usually tp, cp, ep, dp, pp), each put inside if
/// the ranks of every node are whole turns of it and of those inside already, else across. Inside
/// as across, the heavier of two axes is the faster.
///
/// One size may be Mesh::inferred. Errors: those of Mesh::make. On layouts that are dealt to nodes
/// the mesh is a hybrid one where the axes inside fill a node. Where nothing fits, the reason says
/// so: it is no error.
constexpr Result<MeshRecommendation> recommend_mesh(const Layout& layout,
                                                    const AxisList& heaviest_first) {
  const auto sizes = detail::resolve_sizes(heaviest_first, layout.world_size(), "world size");
  if (!sizes) return sizes.error();

  // Local ranks are digits of the rank only where the axes inside use up the node, and planes of
  // it; else ranks in a row are all that may be counted on.
  detail::AxisSplit split(heaviest_first, *sizes, layout.largest_local_world_size());
  auto mesh = hybrid_mesh(layout, split.across_list(), split.inside_list());
  if (!mesh) {
    split = detail::AxisSplit(heaviest_first, *sizes, detail::whole_stretch(layout));
    mesh = Mesh::make(split.all());
  }
  if (!mesh) return mesh.error();

  MeshRecommendation out{*mesh, static_cast<int>(split.inside_count), {}};
  std::int64_t used = 1;
  for (std::size_t i = 0; i != heaviest_first.size(); ++i) {
    const int size = sizes->sizes[i];
    const auto of = detail::concat<48>(" the ", split.room, " that share a node");
    out.reason.append(i == 0 ? "" : "; ").append(heaviest_first[i].name).append('=');
    out.reason.append_number(size);
    if (split.is_inside[i]) {
      used *= size;
      out.reason.append(" inside: ").append_number(used).append(" of").append(of);
    } else {
      out.reason.append(" across: ").append_number(used).append(" x ").append_number(size);
      out.reason.append(" does not divide").append(of);
    }
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_HYBRID_MESH_HPP
