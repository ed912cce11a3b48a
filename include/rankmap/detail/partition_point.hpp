// SPDX-License-Identifier: MIT
// The one binary search: <algorithm> costs 85 ms to include.
#ifndef RANKMAP_DETAIL_PARTITION_POINT_HPP
#define RANKMAP_DETAIL_PARTITION_POINT_HPP

#include <rankmap/version.hpp>

namespace rankmap::inline v0::detail {

/// The first number in [low, high) for which `is_before` is false, or `high` where it is true for
/// all. Preconditions: low <= high, and no number for which it is true follows one for which it is
/// false.
template <class Number, class IsBefore>
constexpr Number partition_point(Number low, Number high, const IsBefore& is_before) {
  while (low != high) {
    const Number middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PARTITION_POINT_HPP
