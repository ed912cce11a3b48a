// SPDX-License-Identifier: MIT
// What the cuts of `balance` keep in the caller's words: halves, and heaps.
#ifndef RANKMAP_SAMPLER_DETAIL_WORDS_HPP
#define RANKMAP_SAMPLER_DETAIL_WORDS_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Two numbers of 32 bits in a word: constant expressions cannot view memory as another type.
constexpr std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high_half(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32U);
}
constexpr void set_low(std::uint64_t& word, std::uint32_t value) {
  word = word >> 32U << 32U | value;
}
constexpr void set_high(std::uint64_t& word, std::uint32_t value) {
  word = std::uint64_t{value} << 32U | low_half(word);
}

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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_WORDS_HPP
