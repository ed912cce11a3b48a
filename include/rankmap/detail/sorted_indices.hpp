// SPDX-License-Identifier: MIT
// Sorted indices of elements that stay in place, and sorting with memory of its own.
#ifndef RANKMAP_DETAIL_SORTED_INDICES_HPP
#define RANKMAP_DETAIL_SORTED_INDICES_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/small_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// merge_sort with memory of its own.
template <class T, std::size_t Inline, class Less>
constexpr void merge_sort(SmallVector<T, Inline>& words, const Less& less) {
  SmallVector<T, Inline> scratch(words.size());
  merge_sort(words.data(), scratch.data(), words.size(), less);
}

using Indices = SmallVector<std::uint32_t, 16>;

/// 0, 1, ... below `size`, sorted by `less(a, b)`; of equal ones the lower first.
template <class Less>
constexpr Indices sorted_indices(std::size_t size, const Less& less) {
  Indices indices(size);
  for (std::size_t i = 0; i < size; ++i) indices[i] = static_cast<std::uint32_t>(i);
  merge_sort(indices, less);
  return indices;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_SORTED_INDICES_HPP
