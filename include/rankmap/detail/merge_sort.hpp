// SPDX-License-Identifier: MIT
// The library's only sort: <algorithm> would cost more to include than everything that uses it.
#ifndef RANKMAP_DETAIL_MERGE_SORT_HPP
#define RANKMAP_DETAIL_MERGE_SORT_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// Sorts `words` by `less(a, b)`; equal ones keep their order. `scratch` holds `size` words too.
/// O(size log size), no allocation.
template <class T, class Less>
constexpr void merge_sort(T* words, T* scratch, std::size_t size, const Less& less) {
  for (std::size_t width = 1; width < size; width *= 2) {
    for (std::size_t left = 0; left < size; left += 2 * width) {
      const std::size_t middle = left + width < size ? left + width : size;
      const std::size_t right = middle + width < size ? middle + width : size;
      std::size_t a = left;
      std::size_t b = middle;
      for (std::size_t out = left; out != right; ++out) {
        const bool from_a = a != middle && (b == right || !less(words[b], words[a]));
        scratch[out] = from_a ? words[a++] : words[b++];
      }
    }
    for (std::size_t i = 0; i != size; ++i) words[i] = scratch[i];
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_MERGE_SORT_HPP
