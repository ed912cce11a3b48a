// SPDX-License-Identifier: MIT
// One block in every period of a range: what a rank has of every global batch, and what a worker
// has of every round of batches.
#ifndef RANKMAP_SAMPLER_DETAIL_CYCLIC_BLOCKS_HPP
#define RANKMAP_SAMPLER_DETAIL_CYCLIC_BLOCKS_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Positions [offset, offset + width) of each period >= 1. Precondition: offset + width <= period.
struct CyclicBlocks {
  std::uint64_t period = 1;
  std::uint64_t offset = 0;
  std::uint64_t width = 1;

  /// How many positions of the blocks are below `length`.
  RANKMAP_HD constexpr std::uint64_t count_in(std::uint64_t length) const noexcept {
    const std::uint64_t rest = length % period;
    const std::uint64_t beyond = rest <= offset ? 0 : rest - offset;
    return length / period * width + (beyond < width ? beyond : width);
  }
  /// The k-th position of the blocks. Precondition: width >= 1.
  RANKMAP_HD constexpr std::uint64_t position(std::uint64_t k) const noexcept {
    return k / width * period + offset + k % width;
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_CYCLIC_BLOCKS_HPP
