// SPDX-License-Identifier: MIT
// The sort for millions of items by a number each: it compares none of them.
#ifndef RANKMAP_DETAIL_RADIX_SORT_HPP
#define RANKMAP_DETAIL_RADIX_SORT_HPP

#include <rankmap/detail/to_size.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Writes the numbers [0, size) to `out`, those with the largest key first; of equal keys the lower
/// number first. `scratch` holds `size` elements too. The elements of both are unsigned integers
/// that hold `size`. Two passes for each byte in which the keys differ, no allocation.
template <class Number, class Scratch, class Key>
constexpr void sort_descending(Number* out, Scratch* scratch, std::size_t size, const Key& key) {
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i != size; ++i) {
    out[i] = static_cast<Number>(i);
    differing |= std::uint64_t{key(i)} ^ key(0);
  }
  for (unsigned shift = 0; shift != 64; shift += 8) {
    if ((differing >> shift & 0xffU) == 0) continue;
    const auto bucket = [&](std::size_t i) {
      return to_size(~std::uint64_t{key(i)} >> shift & 0xffU);
    };
    std::size_t end[256] = {};  // of each bucket; while it fills, of what it has
    for (std::size_t i = 0; i != size; ++i) ++end[bucket(i)];
    std::size_t sum = 0;
    for (std::size_t& place : end) {
      sum += place;
      place = sum - place;
    }
    for (std::size_t i = 0; i != size; ++i) {
      const auto number = static_cast<std::size_t>(out[i]);
      scratch[end[bucket(number)]++] = static_cast<Scratch>(number);
    }
    for (std::size_t i = 0; i != size; ++i) out[i] = static_cast<Number>(scratch[i]);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RADIX_SORT_HPP
