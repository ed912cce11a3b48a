// SPDX-License-Identifier: MIT
// Makes meshes: from sizes in either order, from sizes and an order text, and from strides.
#ifndef RANKMAP_MESH_DETAIL_MAKE_MESH_HPP
#define RANKMAP_MESH_DETAIL_MAKE_MESH_HPP

#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/axis_sizes.hpp>
#include <rankmap/mesh/detail/mesh_data.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// `world`: the required product of the sizes, or 0 for any.
constexpr Result<MeshData> make_mesh(const AxisList& axes, int world, AxisOrder order) {
  const auto resolved = resolve_sizes(axes, world, "world size");
  if (!resolved) return resolved.error();
  MeshData mesh;
  mesh.order = order;
  std::uint32_t stride = 1;
  const auto count = static_cast<std::uint32_t>(axes.size());
  for (std::uint32_t k = 0; k != count; ++k) {
    const std::uint32_t i = MeshData::listed(order, count, k);
    const auto size = static_cast<std::uint32_t>(resolved->sizes[i]);
    if (!mesh.push(axes[i].name, size, stride)) return names_too_long(axes[i].name);
    stride *= size;
  }
  return mesh;
}

constexpr Result<MeshData> make_ordered_mesh(std::string_view order, const AxisList& sizes,
                                             int world) {
  // Mistakes in the list are reported first, about the axis and not about the text.
  const auto checked = resolve_sizes(sizes, world, "world size");
  if (!checked) return checked.error();
  AxisSize listed[max_digits];
  bool used[max_digits] = {};
  std::size_t count = 0;
  Error error;
  const bool all = AxisNames(order).each([&](std::string_view name) {
    const auto bad = [&](std::string_view expected, std::string_view remedy) {
      error = bad_axis("axis order", order, expected, remedy, name.data() - order.data());
      return false;
    };
    std::size_t i = 0;
    while (i != sizes.size() && sizes[i].name != name) ++i;
    if (i == sizes.size()) {
      return bad("names that have a size, with '-' between them",
                 "give every axis of the order a size, 1 where it is not used");
    }
    if (used[i]) return bad("each axis once, and this one is repeated", "name it once");
    used[i] = true;
    listed[count++] = sizes[i];
    return true;
  });
  if (!all) return error;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    if (used[i]) continue;
    if (sizes[i].size != 1) {
      return bad_axis(axis_subject(sizes[i].name), size_text(sizes[i].size),
                      "a place in the axis order, or size 1", "add it to the axis order");
    }
    listed[count++] = sizes[i];
  }
  return make_mesh({listed, count}, world, AxisOrder::first_fastest);
}

/// Sorted by stride, each stride must be a multiple of size * stride of the axis before. Then every
/// rank has one coordinate, and division finds its digits.
constexpr Result<MeshData> make_strided_mesh(const ListArgument<Axis>& axes, int offset,
                                             AxisOrder order) {
  AxisSize list[max_digits];
  for (std::size_t i = 0; i != axes.size() && i != std::size_t{max_digits}; ++i) {
    list[i] = {axes[i].name, axes[i].size};
  }
  const auto resolved = resolve_sizes({list, axes.size()}, 0, "world size");
  if (!resolved) return resolved.error();
  if (offset < 0 || offset == INT32_MAX) {  // an axis that goes further is rejected by name
    return out_of_range("mesh offset", offset, "a rank in [0, 2147483647)",
                        "pass the first rank of the mesh");
  }
  std::int64_t last = offset;
  for (const Axis& axis : axes) {
    const auto bad = [&](std::string_view expected) {
      return bad_axis(axis_subject(axis.name), concat<48>(axis.size, ":", axis.stride), expected,
                      "change its size or its stride (written size:stride)");
    };
    if (axis.stride < 1) return bad("a stride of at least 1");
    last += std::int64_t{axis.size - 1} * axis.stride;
    if (last >= INT32_MAX) return bad("ranks below 2^31 - 1");
    for (const Axis& other : axes) {
      if (&other == &axis || axis.size == 1 || other.size == 1 || other.stride > axis.stride ||
          other.stride < 1) {  // reported when its turn comes
        continue;
      }
      if (axis.stride % (std::int64_t{other.stride} * other.size) != 0) {
        return bad(concat<159>("a multiple of size * stride of axis ", other.name, ", ", other.size,
                               ":", other.stride));
      }
    }
  }
  MeshData mesh;
  mesh.order = order;
  mesh.offset = static_cast<std::uint32_t>(offset);
  const auto count = static_cast<std::uint32_t>(axes.size());
  for (std::uint32_t k = 0; k != count; ++k) {
    const Axis& axis = axes[MeshData::listed(order, count, k)];
    if (!mesh.push(axis.name, static_cast<std::uint32_t>(axis.size),
                   static_cast<std::uint32_t>(axis.stride))) {
      return names_too_long(axis.name);
    }
  }
  return mesh;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_MAKE_MESH_HPP
