// SPDX-License-Identifier: MIT
// What a mesh consists of, for the functions that make meshes. A set of axes is a bit for each
// digit here.
#ifndef RANKMAP_MESH_DETAIL_MESH_DATA_HPP
#define RANKMAP_MESH_DETAIL_MESH_DATA_HPP

#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
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

  /// The digit of the i-th of `count` axes as listed; also the axis of a digit.
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
    std::uint32_t product = 1;
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if (has_digit(bits, k)) product *= digits.sizes[k];
    }
    return product;
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
  /// The number that the digits of a value along these axes make.
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_MESH_DATA_HPP
