// SPDX-License-Identifier: MIT
// The arithmetic of meshes: a number in digits of several sizes, each with a stride. A mesh, a
// group of its ranks and the list of its groups are all such numbers.
#ifndef RANKMAP_MESH_DETAIL_MIXED_RADIX_HPP
#define RANKMAP_MESH_DETAIL_MIXED_RADIX_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

inline constexpr int max_digits = 8;

/// Counts below the product of the sizes, the first digit fastest. The value of a count is the sum
/// of digit * stride. All that makes a MixedRadix ensures that a value determines its count: sorted
/// by stride, each stride is a multiple of size * stride of the digit before. Sizes are at least 1,
/// counts and values are below 2^31, so nothing here overflows.
struct MixedRadix {
  std::uint32_t sizes[max_digits] = {};
  std::uint32_t strides[max_digits] = {};
  std::uint32_t count = 0;  ///< digits

  RANKMAP_HD constexpr std::uint32_t total() const noexcept {
    std::uint32_t product = 1;
    for (std::uint32_t k = 0; k != count; ++k) product *= sizes[k];
    return product;
  }
  /// The largest value.
  RANKMAP_HD constexpr std::uint32_t last() const noexcept {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k != count; ++k) sum += (sizes[k] - 1) * strides[k];
    return sum;
  }
  /// The value of a count. Precondition: index < total().
  RANKMAP_HD constexpr std::uint32_t at(std::uint32_t index) const noexcept {
    if (count == 0) return 0;
    std::uint32_t value = 0;
    for (std::uint32_t k = 0; k + 1 != count; ++k) {
      value += index % sizes[k] * strides[k];
      index /= sizes[k];
    }
    return value + index * strides[count - 1];
  }
  RANKMAP_HD constexpr void push(std::uint32_t size, std::uint32_t stride) noexcept {
    sizes[count] = size;
    strides[count] = stride;
    ++count;
  }
  /// Adds a digit above the others, or merges it into the one below if both have a common stride.
  /// at() returns the same, with fewer divisions.
  RANKMAP_HD constexpr void push_merged(std::uint32_t size, std::uint32_t stride) noexcept {
    if (size == 1) return;
    if (count != 0 && strides[count - 1] * sizes[count - 1] == stride) {
      sizes[count - 1] *= size;
    } else {
      push(size, stride);
    }
  }
  friend constexpr bool operator==(const MixedRadix&, const MixedRadix&) = default;
};

/// Reads digits of one value, faster ones first. Divisions are nearly all of the cost of a question
/// to a mesh. A digit takes two, but one fewer if its stride is size * stride of the digit read
/// before, and one fewer if it is the slowest.
class DigitReader {
 public:
  RANKMAP_HD constexpr explicit DigitReader(std::uint32_t value) noexcept
      : value_(value), quotient_(value) {}

  RANKMAP_HD constexpr std::uint32_t read(const MixedRadix& digits, std::uint32_t k) noexcept {
    if (digits.strides[k] != turn_) quotient_ = value_ / digits.strides[k];
    turn_ = digits.strides[k] * digits.sizes[k];  // below 2^32: the largest value and a stride
    const std::uint32_t above = value_ < turn_ ? 0 : value_ / turn_;
    const std::uint32_t digit = quotient_ - above * digits.sizes[k];
    quotient_ = above;
    return digit;
  }

 private:
  std::uint32_t value_;
  std::uint32_t quotient_;  // value_ / turn_
  std::uint32_t turn_ = 1;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_MIXED_RADIX_HPP
