// SPDX-License-Identifier: MIT
// Makes meshes, from lists of axes and from other meshes.
#ifndef RANKMAP_MESH_DETAIL_MAKE_MESH_HPP
#define RANKMAP_MESH_DETAIL_MAKE_MESH_HPP

#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/mesh_data.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The error of an unknown name, which lists the known ones.
RANKMAP_RARE constexpr Error unknown_axis(const MeshData& mesh, std::string_view name) {
  StaticString<159> expected;
  for (std::uint32_t i = 0; i != mesh.digits.count; ++i) {
    expected.append(i == 0 ? "one of " : ", ").append(mesh.names[mesh.listed(i)]);
  }
  if (expected.empty()) expected.append("no axis: this mesh has none");
  return bad_axis("axis", name, expected, "names are compared whole, case included");
}

/// Adds the bits of some names, and writes the digit of each to `digits`, which has room for 8.
/// Stops and returns false at a name that is unknown or repeated: the last one read.
constexpr bool read_axes(const MeshData& mesh, const AxisNames& names, std::uint32_t& bits,
                         std::string_view& last, std::uint32_t* digits = nullptr) {
  return names.each([&](std::string_view name) {
    last = name;
    const std::uint32_t k = mesh.find(name);
    if (k == mesh.digits.count || has_digit(bits, k)) return false;
    bits |= 1U << k;
    if (digits != nullptr) *digits++ = k;  // at most 8, since none is repeated
    return true;
  });
}

/// The axes of these names, as bits. `digits`: where each is, in the order of the names; it may be
/// null. Errors: a name that the mesh has not, or one that is named twice.
constexpr Result<std::uint32_t> find_axes(const MeshData& mesh, const AxisNames& names,
                                          std::uint32_t* digits = nullptr) {
  std::uint32_t bits = 0;
  std::string_view last;
  if (read_axes(mesh, names, bits, last, digits)) return bits;
  if (mesh.find(last) == mesh.digits.count) return unknown_axis(mesh, last);
  return bad_axis("axes", last, "each axis once, and this one is repeated", "name it once");
}

/// The axes of `bits` only, with the coordinates of `value` along all other axes.
constexpr MeshData slice_mesh(const MeshData& mesh, std::uint32_t bits, std::uint32_t value) {
  MeshData out{.offset = mesh.offset + value - mesh.part(bits, value), .order = mesh.order};
  for (std::uint32_t k = 0; k != mesh.digits.count; ++k) {
    if (has_digit(bits, k)) (void)out.push(mesh, k);
  }
  return out;
}

constexpr Result<MeshData> fix_axis(const MeshData& mesh, std::string_view name, int coordinate) {
  const std::uint32_t k = mesh.find(name);
  if (k == mesh.digits.count) return unknown_axis(mesh, name);
  if (static_cast<std::uint32_t>(coordinate) >= mesh.digits.sizes[k]) {  // below 0, too
    return bad_coordinate(name, coordinate, static_cast<int>(mesh.digits.sizes[k]),
                          "pass one of these");
  }
  return slice_mesh(mesh, mesh.all() & ~(1U << k),
                    static_cast<std::uint32_t>(coordinate) * mesh.digits.strides[k]);
}

constexpr Result<MeshData> reshape_mesh(const MeshData& mesh, const AxisNames& from,
                                        const AxisList& to) {
  const auto found = find_axes(mesh, from);
  if (!found) return found.error();
  const std::uint32_t bits = *found;
  const MixedRadix& digits = mesh.digits;
  if (bits == 0) {
    return bad_axis("axes", "", "at least one axis to reshape", "name the axes to replace");
  }
  std::uint32_t low = 0;
  while (!has_digit(bits, low)) ++low;
  std::uint32_t high = low;
  while (high != digits.count && has_digit(bits, high)) ++high;
  MixedRadix run;
  for (std::uint32_t k = low; k != digits.count; ++k) {
    if (has_digit(bits, k)) run.push_merged(digits.sizes[k], digits.strides[k]);
    if (run.count > 1 || (k >= high && has_digit(bits, k))) {
      return bad_axis(axis_subject(mesh.names[k]), mesh.names[k],
                      "neighbouring axes with a common stride",
                      "use group() over them instead, or reshape before slicing");
    }
  }
  const auto resolved =
      resolve_sizes(to, static_cast<int>(mesh.product(bits)), "product of the axes to reshape");
  if (!resolved) return resolved.error();
  const auto added = static_cast<std::uint32_t>(to.size());
  const std::uint32_t total = digits.count - (high - low) + added;
  if (total > std::uint32_t{max_digits}) return too_many_axes(total);

  MeshData out{.offset = mesh.offset, .order = mesh.order};
  for (std::uint32_t k = 0; k != low; ++k) (void)out.push(mesh, k);
  std::uint32_t stride = run.count == 0 ? digits.strides[low] : run.strides[0];
  for (std::uint32_t k = 0; k != added; ++k) {
    const std::uint32_t i = MeshData::listed(mesh.order, added, k);
    const std::uint32_t same = mesh.find(to[i].name);
    if (same != digits.count && !has_digit(bits, same)) {
      return bad_axis(axis_subject(to[i].name), to[i].name,
                      "a name that no other axis of the mesh has", "rename it");
    }
    const auto size = static_cast<std::uint32_t>((*resolved)[i]);
    if (!out.push(to[i].name, size, stride)) return names_too_long(to[i].name);
    stride *= size;
  }
  for (std::uint32_t k = high; k != digits.count; ++k) {
    if (!out.push(mesh, k)) return names_too_long(mesh.names[k]);
  }
  return out;
}

constexpr Result<MeshData> transpose_mesh(const MeshData& mesh, const AxisNames& order) {
  std::uint32_t listed[max_digits] = {};
  const auto found = find_axes(mesh, order, listed);
  if (!found) return found.error();
  if (*found != mesh.all()) {
    std::uint32_t missing = 0;
    while (has_digit(*found, missing)) ++missing;
    return bad_axis("axes", mesh.names[missing], "every axis of the mesh, and this one is missing",
                    "name all axes in the new order");
  }
  MeshData out{.offset = mesh.offset, .order = mesh.order};
  const std::uint32_t count = mesh.digits.count;
  for (std::uint32_t k = 0; k != count; ++k) (void)out.push(mesh, listed[mesh.listed(k)]);
  return out;
}

/// The digits of a group, merged, by stride. Equal sets have equal ones if the mesh covers a world.
constexpr MixedRadix canonical_members(const MeshData& mesh, std::uint32_t bits) {
  MixedRadix out;
  for (std::uint32_t above = 0;;) {
    std::uint32_t next = mesh.digits.count;
    for (std::uint32_t k = 0; k != mesh.digits.count; ++k) {
      const std::uint32_t stride = mesh.digits.strides[k];
      if (!has_digit(bits, k) || mesh.digits.sizes[k] == 1 || stride <= above) continue;
      if (next == mesh.digits.count || stride < mesh.digits.strides[next]) next = k;
    }
    if (next == mesh.digits.count) return out;
    above = mesh.digits.strides[next];
    out.push_merged(mesh.digits.sizes[next], above);
  }
}

/// `world`: the required product of the sizes, or 0 for any.
constexpr Result<MeshData> make_mesh(const AxisList& axes, int world, AxisOrder order) {
  const auto resolved = resolve_sizes(axes, world, "world size");
  if (!resolved) return resolved.error();
  MeshData mesh{.order = order};
  std::uint32_t stride = 1;
  const auto count = static_cast<std::uint32_t>(axes.size());
  for (std::uint32_t k = 0; k != count; ++k) {
    const std::uint32_t i = MeshData::listed(order, count, k);
    const auto size = static_cast<std::uint32_t>((*resolved)[i]);
    if (!mesh.push(axes[i].name, size, stride)) return names_too_long(axes[i].name);
    stride *= size;
  }
  return mesh;
}

constexpr Result<MeshData> make_ordered_mesh(std::string_view order, const AxisList& sizes,
                                             int world) {
  // Mistakes in the list come first: their errors name the axis, and not the text.
  const auto checked = resolve_sizes(sizes, world, "world size");
  if (!checked) return checked.error();
  AxisSize listed[max_digits];
  bool used[max_digits] = {};
  std::size_t count = 0;
  Error error;
  const bool all = AxisNames(order).each([&](std::string_view name) {
    const auto bad = [&](std::string_view expected, std::string_view remedy) {
      error = bad_axis("axis order", order, expected, remedy,
                       static_cast<std::size_t>(name.data() - order.data()));
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
      const bool is_open = sizes[i].size == inferred_size;
      return bad_axis(axis_subject(sizes[i].name),
                      is_open ? StaticString<24>("inferred") : concat<24>(sizes[i].size),
                      "a place in the axis order, or size 1", "add it to the axis order");
    }
    listed[count++] = sizes[i];
  }
  return make_mesh({listed, count}, world, AxisOrder::first_fastest);
}

/// Sorted by stride, each stride must be a multiple of size * stride of the axis before. Then no
/// two coordinates have one rank, and division finds the digits of a rank.
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
      return bad_axis(axis_subject(axis.name), concat(axis.size, ":", axis.stride), expected,
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
        return bad(concat("a multiple of size * stride of axis ", other.name, ", ", other.size, ":",
                          other.stride));
      }
    }
  }
  MeshData mesh{.offset = static_cast<std::uint32_t>(offset), .order = order};
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
