// SPDX-License-Identifier: MIT
// A hash table of ranks with different keys: open addressing with 4 bytes a slot, so that a million
// ranks are grouped by host in one pass.
#ifndef RANKMAP_DETAIL_RANK_HASH_TABLE_HPP
#define RANKMAP_DETAIL_RANK_HASH_TABLE_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Keeps one rank for each key. The keys themselves are not stored.
class RankHashTable {
 public:
  /// Room for `ranks` different keys.
  constexpr explicit RankHashTable(std::size_t ranks) {
    std::size_t slots = 16;
    while (slots < 2 * ranks) slots *= 2;
    slots_.resize(slots, -1);
  }

  /// The first rank with the key of `rank`: that is `rank` if the key is new. `same(other)`:
  /// whether the ranks `other` and `rank` have the same key.
  template <class Same>
  constexpr int insert(int rank, std::uint64_t hash, const Same& same) {
    int& slot = slots_[slot_of(hash, same)];
    if (slot < 0) slot = rank;
    return slot;
  }

  /// The rank with a key, or -1. `same(other)`: whether the rank `other` has it.
  template <class Same>
  constexpr int find(std::uint64_t hash, const Same& same) const {
    return slots_[slot_of(hash, same)];
  }

 private:
  /// Where a rank with the key is, or has its place.
  template <class Same>
  constexpr std::size_t slot_of(std::uint64_t hash, const Same& same) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = to_size(hash) & mask;
    while (slots_[at] >= 0 && !same(slots_[at])) at = (at + 1) & mask;
    return at;
  }

  SmallVector<int, 64> slots_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RANK_HASH_TABLE_HPP
