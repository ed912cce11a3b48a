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
/// number first. `scratch` holds `size` <= 2^32 elements too. Two passes for each byte in which the
/// keys differ, no allocation.
template <class Key>
constexpr void sort_descending(std::uint32_t* out, std::uint32_t* scratch, std::size_t size,
                               const Key& key) {
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i != size; ++i) {
    out[i] = static_cast<std::uint32_t>(i);
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
    for (std::size_t i = 0; i != size; ++i) scratch[end[bucket(out[i])]++] = out[i];
    for (std::size_t i = 0; i != size; ++i) out[i] = scratch[i];
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RADIX_SORT_HPP
