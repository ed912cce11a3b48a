// SPDX-License-Identifier: MIT
// One number for a layout, so that ranks can compare theirs.
#ifndef RANKMAP_DETAIL_LAYOUT_DIGEST_HPP
#define RANKMAP_DETAIL_LAYOUT_DIGEST_HPP

#include <rankmap/detail/fnv.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// A hash of the node of each rank, in rank order. Equal layouts have equal hashes, whatever their
/// representation. Never 0.
class LayoutDigest {
 public:
  constexpr void add(int node) {
    hash_ = fnv_step(hash_, static_cast<std::uint64_t>(node));
    hash_ ^= hash_ >> 32U;
  }
  constexpr std::uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  std::uint64_t hash_ = fnv_start;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_LAYOUT_DIGEST_HPP
