// SPDX-License-Identifier: MIT
//
// One number for each axis, in place: what coordinates and the sizes of a grid are.
#ifndef RANKMAP_MESH_DETAIL_AXIS_VALUES_HPP
#define RANKMAP_MESH_DETAIL_AXIS_VALUES_HPP

#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <initializer_list>

namespace rankmap::inline v0::detail {

/// Holds the first 8 of a longer list, and size() says how long the list was.
class AxisValues {
 public:
  constexpr AxisValues() = default;
  constexpr AxisValues(std::initializer_list<int> values) {
    for (const int value : values) {
      if (size_ < std::size_t{max_digits}) values_[size_] = value;
      ++size_;
    }
  }
  /// So many zeros.
  RANKMAP_HD constexpr explicit AxisValues(std::size_t size) noexcept : size_(size) {}

  RANKMAP_HD constexpr std::size_t size() const noexcept { return size_; }
  RANKMAP_HD constexpr int operator[](std::size_t i) const noexcept { return values_[i]; }
  RANKMAP_HD constexpr int& operator[](std::size_t i) noexcept { return values_[i]; }
  /// The values that are held, whatever size() is.
  constexpr const int* begin() const { return values_; }
  constexpr const int* end() const {
    return values_ + (size_ < std::size_t{max_digits} ? size_ : std::size_t{max_digits});
  }
  friend constexpr bool operator==(const AxisValues&, const AxisValues&) = default;

 private:
  int values_[max_digits] = {};
  std::size_t size_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_AXIS_VALUES_HPP
