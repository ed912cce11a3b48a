// SPDX-License-Identifier: MIT
// The step that keeps a heap a heap.
#ifndef RANKMAP_DETAIL_SIFT_DOWN_HPP
#define RANKMAP_DETAIL_SIFT_DOWN_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Moves the element at place `at` of a heap down to where no child comes before it. `get(place)`
/// and `set(place, element)` reach the elements.
template <class Get, class Set, class Before>
constexpr void sift_down(std::uint32_t at, std::uint32_t size, const Get& get, const Set& set,
                         const Before& before) {
  const auto element = get(at);
  for (std::uint64_t child = 0; (child = 2 * std::uint64_t{at} + 1) < size;) {
    auto place = static_cast<std::uint32_t>(child);
    if (place + 1 < size && before(get(place + 1), get(place))) ++place;
    if (!before(get(place), element)) break;
    set(at, get(place));
    at = place;
  }
  set(at, element);
}

/// The same in an array.
template <class T, class Before>
constexpr void sift_down(T* heap, std::uint32_t at, std::uint32_t size, const Before& before) {
  sift_down(
      at, size, [heap](std::uint32_t i) { return heap[i]; },
      [heap](std::uint32_t i, const T& element) { heap[i] = element; }, before);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_SIFT_DOWN_HPP
