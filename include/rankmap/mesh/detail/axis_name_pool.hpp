// SPDX-License-Identifier: MIT
//
// Where a mesh keeps the names of its axes.
#ifndef RANKMAP_MESH_DETAIL_AXIS_NAME_POOL_HPP
#define RANKMAP_MESH_DETAIL_AXIS_NAME_POOL_HPP

#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The names of the axes of a mesh, in place: a mesh outlives the text that it was made from, and
/// may be copied to a device.
class AxisNamePool {
 public:
  static constexpr std::size_t capacity = 46;  // all names together; makes a mesh 128 bytes

  constexpr std::string_view operator[](std::uint32_t digit) const {
    const std::size_t start = digit == 0 ? 0 : ends_[digit - 1];
    return {text_ + start, ends_[digit] - start};
  }
  /// Names are pushed in the order of digits. False where there is no room.
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_AXIS_NAME_POOL_HPP
