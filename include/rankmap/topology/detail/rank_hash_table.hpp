// SPDX-License-Identifier: MIT
//
// A set of ranks that differ in some key: open addressing over 4 bytes a slot, so that grouping a
// million ranks by host takes one pass.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RANK_HASH_TABLE_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RANK_HASH_TABLE_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

class RankHashTable {
 public:
  /// Room for `ranks` different keys.
  constexpr explicit RankHashTable(std::size_t ranks) {
    std::size_t slots = 16;
    while (slots < 2 * ranks) slots *= 2;
    slots_.resize(slots);
    for (std::size_t i = 0; i != slots; ++i) slots_[i] = -1;
  }

  /// The rank that came first with the same key, or `rank` itself where it is the first.
  /// `same(other)`: whether the key of rank `other` is that of `rank`.
  template <class Same>
  constexpr int insert(int rank, std::uint64_t hash, const Same& same) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = to_size(hash) & mask;; at = (at + 1) & mask) {
      if (slots_[at] < 0) return slots_[at] = rank;
      if (same(slots_[at])) return slots_[at];
    }
  }

 private:
  SmallVector<int, 64> slots_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RANK_HASH_TABLE_HPP
