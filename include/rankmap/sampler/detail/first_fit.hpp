// SPDX-License-Identifier: MIT
// First-fit decreasing: millions of items, the largest first, each into the first row with room.
#ifndef RANKMAP_SAMPLER_DETAIL_FIRST_FIT_HPP
#define RANKMAP_SAMPLER_DETAIL_FIRST_FIT_HPP

#include <rankmap/detail/to_size.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Writes the numbers [0, size) to `out`, the largest key first, and of equal keys the lower
/// number. `scratch` holds `size` <= 2^32 elements too. Three passes for each byte in which keys
/// differ, no allocation.
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
    std::size_t end[256] = {};  // where the next element of a bucket goes
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

/// The rooms of rows, which only shrink. In the tree above, a node is the largest of 16 below.
template <class Room>
class Rooms {
 public:
  /// `rows` >= 1 rows with `room` each. `memory` holds 2 * rows elements.
  constexpr Rooms(Room* memory, std::uint32_t rows, Room room) {
    for (;; ++top_, rows = (rows - 1) / fan + 1) {
      first_[top_] = memory;
      size_[top_] = rows;
      for (std::uint32_t i = 0; i != rows; ++i) *memory++ = room;
      if (rows <= fan) return;
    }
  }
  /// The first row with at least this room, or the number of rows if there is none.
  constexpr std::uint32_t first_with(Room room) const {
    std::uint32_t node = 0;
    while (node != size_[top_] && first_[top_][node] < room) ++node;
    if (node == size_[top_]) return size_[0];
    for (std::uint32_t level = top_; level-- != 0;) {
      node *= fan;
      while (first_[level][node] < room) ++node;
    }
    return node;
  }
  constexpr Room operator[](std::uint32_t row) const { return first_[0][row]; }
  constexpr void set(std::uint32_t row, Room room) {
    const Room before = first_[0][row];
    first_[0][row] = room;
    for (std::uint32_t level = 0; level != top_; ++level) {
      row /= fan;
      Room& above = first_[level + 1][row];
      if (above != before) return;  // another one is the largest
      const std::uint32_t begin = row * fan;
      const std::uint32_t left = size_[level] - begin;
      Room largest = 0;
      for (std::uint32_t i = 0; i != (left < fan ? left : fan); ++i) {
        const Room below = first_[level][begin + i];
        if (below > largest) largest = below;
      }
      if (largest == before) return;
      above = largest;
    }
  }

 private:
  static constexpr std::uint32_t fan = 16;
  Room* first_[8] = {};
  std::uint32_t size_[8] = {};
  std::uint32_t top_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_FIRST_FIT_HPP
