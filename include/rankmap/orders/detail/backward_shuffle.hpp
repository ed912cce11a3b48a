// SPDX-License-Identifier: MIT
// The backward Fisher-Yates shuffle: for i = n - 1 .. 1 swap places i and a draw from [0, i].
#ifndef RANKMAP_ORDERS_DETAIL_BACKWARD_SHUFFLE_HPP
#define RANKMAP_ORDERS_DETAIL_BACKWARD_SHUFFLE_HPP

#include <rankmap/detail/prefetch.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// `draw(i)` is a number of [0, i]. The draws do not depend on the values, so they are made in
/// batches: their targets are in the cache once they are swapped.
template <class T, class Draw>
constexpr void shuffle_backward(T* values, std::uint64_t size, const Draw& draw) {
  constexpr std::uint32_t batch = 64;
  constexpr std::uint64_t cached = std::uint64_t{1} << 15U;
  std::uint64_t targets[batch] = {};
  for (std::uint64_t left = size; left > 1;) {
    const std::uint32_t count = left - 1 < batch ? static_cast<std::uint32_t>(left - 1) : batch;
    for (std::uint32_t k = 0; k != count; ++k) {
      targets[k] = draw(left - 1 - k);
      if (!std::is_constant_evaluated() && size > cached) prefetch(values + targets[k]);
    }
    for (std::uint32_t k = 0; k != count; ++k) {
      --left;
      const T value = values[left];
      values[left] = values[targets[k]];
      values[targets[k]] = value;
    }
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ORDERS_DETAIL_BACKWARD_SHUFFLE_HPP
