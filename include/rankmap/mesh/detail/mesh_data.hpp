// SPDX-License-Identifier: MIT
// What the functions that make meshes share: the data of a mesh, the check of a list of axis sizes,
// of which one may be left open, and the errors. In a set of axes each digit is a bit.
#ifndef RANKMAP_MESH_DETAIL_MESH_DATA_HPP
#define RANKMAP_MESH_DETAIL_MESH_DATA_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

RANKMAP_HD constexpr bool has_digit(std::uint32_t bits, std::uint32_t digit) noexcept {
  return (bits >> digit & 1U) != 0;
}

/// The names of the axes of a mesh, stored in place: a mesh may outlive the text that it was made
/// from, and may be copied to a device.
class AxisNamePool {
 public:
  static constexpr std::size_t capacity = 46;  // all names together; makes a mesh 128 bytes

  constexpr std::string_view operator[](std::uint32_t digit) const {
    const std::size_t start = digit == 0 ? 0 : ends_[digit - 1];
    return {text_ + start, ends_[digit] - start};
  }
  /// Names are added in the order of digits. Returns false where there is no room.
  constexpr bool push(std::uint32_t digit, std::string_view name) {
    const std::size_t start = digit == 0 ? 0 : ends_[digit - 1];
    if (name.size() > capacity - start) return false;
    for (std::size_t i = 0; i != name.size(); ++i) text_[start + i] = name[i];
    ends_[digit] = static_cast<std::uint8_t>(start + name.size());
    return true;
  }
  friend constexpr bool operator==(const AxisNamePool&, const AxisNamePool&) = default;

 private:
  char text_[capacity] = {};
  std::uint8_t ends_[max_digits] = {};
};

/// Digits are kept fastest first; axes are listed as the caller listed them.
struct MeshData {
  MixedRadix digits = {};
  std::uint32_t offset = 0;  ///< the rank whose digits are all 0
  AxisNamePool names = {};
  AxisOrder order = AxisOrder::last_fastest;

  /// The digit of the i-th of `count` listed axes, and likewise the listed axis of the i-th digit.
  RANKMAP_HD static constexpr std::uint32_t listed(AxisOrder order, std::uint32_t count,
                                                   std::uint32_t i) noexcept {
    return order == AxisOrder::first_fastest ? i : count - 1 - i;
  }
  RANKMAP_HD constexpr std::uint32_t listed(std::uint32_t i) const noexcept {
    return listed(order, digits.count, i);
  }
  /// The digit of a name; the number of digits if there is none.
  constexpr std::uint32_t find(std::string_view name) const {
    std::uint32_t k = 0;
    while (k != digits.count && names[k] != name) ++k;
    return k;
  }
  RANKMAP_HD constexpr std::uint32_t all() const noexcept { return (1U << digits.count) - 1; }

  /// The number of ranks along these axes.
  RANKMAP_HD constexpr std::uint32_t product(std::uint32_t bits) const noexcept {
    return members(bits).total();
  }
  /// What these axes contribute to a value.
  RANKMAP_HD constexpr std::uint32_t part(std::uint32_t bits, std::uint32_t value) const noexcept {
    std::uint32_t sum = 0;
    DigitReader reader(value);
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if (has_digit(bits, k)) sum += reader.read(digits, k) * digits.strides[k];
    }
    return sum;
  }
  /// The digits of a value along these axes as one number, the first digit fastest.
  RANKMAP_HD constexpr std::uint32_t position(std::uint32_t bits,
                                              std::uint32_t value) const noexcept {
    std::uint32_t position = 0;
    std::uint32_t weight = 1;
    DigitReader reader(value);
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if (!has_digit(bits, k)) continue;
      position += reader.read(digits, k) * weight;
      weight *= digits.sizes[k];
    }
    return position;
  }
  RANKMAP_HD constexpr MixedRadix members(std::uint32_t bits) const noexcept {
    MixedRadix out;
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if (has_digit(bits, k)) out.push_merged(digits.sizes[k], digits.strides[k]);
    }
    return out;
  }

  /// Adds an axis above the others; returns false where its name does not fit.
  constexpr bool push(std::string_view name, std::uint32_t size, std::uint32_t stride) {
    if (!names.push(digits.count, name)) return false;
    digits.push(size, stride);
    return true;
  }
  constexpr bool push(const MeshData& from, std::uint32_t k) {
    return push(from.names[k], from.digits.sizes[k], from.digits.strides[k]);
  }
  friend constexpr bool operator==(const MeshData&, const MeshData&) = default;
};

inline constexpr int inferred_size = -1;

RANKMAP_RARE constexpr Error bad_axis(std::string_view subject, std::string_view found,
                                      std::string_view expected, std::string_view remedy,
                                      std::size_t position = std::string_view::npos) {
  return error_at(Errc::bad_axis, subject, found, expected, remedy, position);
}

constexpr StaticString<63> axis_subject(std::string_view name) {
  StaticString<63> subject("axis ");
  append_escaped(subject, name, 24);
  return subject;
}

RANKMAP_RARE constexpr Error too_many_axes(std::uint64_t count) {
  return error_at(Errc::limit_exceeded, "mesh axes", concat(count), "at most 8 axes",
                  "leave out axes of size 1, or merge axes");
}

RANKMAP_RARE constexpr Error names_too_long(std::string_view name) {
  return error_at(Errc::limit_exceeded, axis_subject(name), name,
                  "at most 46 characters in all names together", "use shorter names");
}

RANKMAP_RARE constexpr Error bad_coordinate(std::string_view axis, int found, int size,
                                            std::string_view remedy) {
  return out_of_range(axis_subject(axis), found, concat("a coordinate in [0, ", size, ")"), remedy);
}

/// "pp=2 x dp=4 x tp=8", without an inferred axis.
constexpr StaticString<159> product_text(const AxisList& axes) {
  StaticString<159> text;
  for (const AxisSize& axis : axes) {
    if (axis.size == inferred_size) continue;
    if (!text.empty()) text.append(" x ");
    text.append(axis.name).append('=').append_number(axis.size);
  }
  return text;
}

/// The sizes of a list, each at least 1: checks its names and sizes, and computes the one that is
/// left open. `world`: the required product, or 0 for any. `world_subject`: what errors call that
/// number.
constexpr Result<AxisValues> resolve_sizes(const AxisList& axes, int world,
                                           std::string_view world_subject) {
  if (axes.size() > std::size_t{max_digits}) return too_many_axes(axes.size());
  AxisValues out(axes.size());
  std::size_t open = axes.size();
  std::int64_t product = 1;
  for (std::size_t i = 0; i != axes.size(); ++i) {
    const AxisSize& axis = axes[i];
    if (axis.name.empty() || !is_plain(axis.name, "_.")) {
      return bad_axis("axis name", axis.name, "letters, digits, '_' and '.' only", "rename it");
    }
    for (std::size_t j = 0; j != i; ++j) {
      if (axes[j].name == axis.name) {
        return bad_axis(axis_subject(axis.name), concat(axis.size),
                        "each axis once, and this one is repeated", "rename or remove one");
      }
    }
    if (axis.size == inferred_size && world != 0) {
      if (open != axes.size()) {
        return bad_axis(axis_subject(axis.name), "inferred",
                        concat("one inferred axis, and ", axes[open].name, " is one"),
                        "set the size of one of the two");
      }
      open = i;
      continue;
    }
    if (axis.size < 1) {
      return bad_axis(axis_subject(axis.name), concat(axis.size), "a size of at least 1",
                      axis.size == inferred_size
                          ? "pass the world size too: an open size is inferred from it"
                          : "pass the number of coordinates, or Mesh::inferred");
    }
    product *= axis.size;
    if (product > INT32_MAX) {
      constexpr std::string_view limit =
          "fewer than 2^31 ranks in all, and the axes before it make ";
      const std::int64_t before = product / axis.size;
      return bad_axis(axis_subject(axis.name), concat(axis.size), concat(limit, before),
                      "make an axis smaller");
    }
    out[i] = axis.size;
  }
  if (open != axes.size()) {
    if (world % product != 0) {
      return bad_axis(
          axis_subject(axes[open].name), "inferred",
          concat("a ", world_subject, " that ", product_text(axes), " divides, and it is ", world),
          "change the other sizes: no rank is left out silently");
    }
    out[open] = static_cast<int>(world / product);
  } else if (world != 0 && product != world) {
    return bad_axis(world_subject, concat(world),
                    concat("the product ", product, " of ", product_text(axes)),
                    "change a size, or let one axis be Mesh::inferred");
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_MESH_DATA_HPP
