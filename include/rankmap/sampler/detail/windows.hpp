// SPDX-License-Identifier: MIT
//
// A range cut into windows, of each of which one party takes the same stretch.
#ifndef RANKMAP_SAMPLER_DETAIL_WINDOWS_HPP
#define RANKMAP_SAMPLER_DETAIL_WINDOWS_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Windows of `period` positions, of which one party takes [offset, offset + width).
struct Windows {
  std::uint64_t period = 1;
  std::uint64_t offset = 0;
  std::uint64_t width = 1;

  /// How much of the first `length` positions of a window is this party's.
  RANKMAP_HD constexpr std::uint64_t part_of(std::uint64_t length) const noexcept {
    if (length <= offset) return 0;
    return length - offset < width ? length - offset : width;
  }
  /// How much of the first `length` positions of the whole range is.
  RANKMAP_HD constexpr std::uint64_t count_in(std::uint64_t length) const noexcept {
    return length / period * width + part_of(length % period);
  }
  /// The k-th position of this party.
  RANKMAP_HD constexpr std::uint64_t position(std::uint64_t k) const noexcept {
    return k / width * period + offset + k % width;
  }
  friend constexpr bool operator==(const Windows&, const Windows&) = default;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_WINDOWS_HPP
