// SPDX-License-Identifier: MIT
// Places of a mixture in small blocks, dealt to its sets and put together by set: the samples of
// each set in many blocks are shuffled at once.
#ifndef RANKMAP_SAMPLER_DETAIL_SET_CHUNK_HPP
#define RANKMAP_SAMPLER_DETAIL_SET_CHUNK_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Up to `capacity` places, of up to `most_sets` sets. Loops run in steps of `lanes`, into the
/// slack behind the end: every compiler turns loops of a constant length into vector code. Nothing
/// is read before it was written.
class SetChunk {
 public:
  static constexpr std::uint32_t most_sets = 16;
  static constexpr std::uint32_t capacity = 1024;

  constexpr void clear() {
    for (std::uint32_t& count : counts_) count = 0;
    used_ = 0;
  }
  constexpr std::uint32_t used() const { return used_; }
  constexpr std::uint32_t room() const { return capacity - used_; }

  /// Where the slots of the next block are written, as many as `deal` is told of.
  constexpr std::int32_t* slots() { return slots_ + used_; }

  /// Deals the next `count` slots, below 2^31. `next_set(base, end)` is called for one set after
  /// another: it gives what is added to a slot of the set for the ordinal of the sample, and the
  /// slot at which the next set begins, and returns false for the last set.
  template <class NextSet>
  constexpr void deal(std::uint32_t count, const NextSet& next_set) {
    std::int32_t* const slots = slots_ + used_;
    std::int32_t* const sets = sets_ + used_;
    for (std::uint32_t k = count; k != count + lanes; ++k) slots[k] = -1;  // of the first set
    for (std::uint32_t k = 0; k != count + lanes; ++k) sets[k] = 0;
    std::uint64_t base[most_sets] = {};
    std::uint32_t left = count;  // places of this set and those behind it
    std::int32_t end = 0;
    std::uint32_t set = 0;
    for (; next_set(base[set], end); ++set) {
      std::int32_t behind = 0;
      for (std::uint32_t k = 0; k < count; k += lanes) {
        for (std::uint32_t j = 0; j != lanes; ++j) {
          const std::int32_t is_behind = slots[k + j] >= end ? 1 : 0;
          sets[k + j] += is_behind;
          behind += is_behind;
        }
      }
      counts_[set] += left - static_cast<std::uint32_t>(behind);
      left = static_cast<std::uint32_t>(behind);
    }
    counts_[set] += left;
    for (std::uint32_t k = 0; k != count; ++k) {
      ordinals_[used_ + k] = base[sets[k]] + static_cast<std::uint32_t>(slots[k]);
    }
    used_ += count;
  }

  /// Writes a number for each place to `out`, in the order of the places. `samples(set, ordinals,
  /// count)` replaces ordinals of a set, which rise in no order, by numbers.
  template <class Samples>
  constexpr void finish(std::uint32_t sets, std::uint64_t* out, const Samples& samples) {
    std::uint32_t next[most_sets] = {};
    for (std::uint32_t set = 1; set < sets; ++set) next[set] = next[set - 1] + counts_[set - 1];
    for (std::uint32_t k = 0; k != used_; ++k) {
      const std::uint32_t at = next[sets_[k]]++;
      grouped_[at] = ordinals_[k];
      places_[at] = static_cast<std::uint16_t>(k);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t set = 0; set != sets; ++set) {
      const std::uint32_t end = begin + counts_[set];
      if (begin != end) samples(set, grouped_ + begin, end - begin);
      for (; begin != end; ++begin) out[places_[begin]] = grouped_[begin];
    }
  }

 private:
  static constexpr std::uint32_t lanes = 16;

  std::uint32_t used_;
  std::uint32_t counts_[most_sets];
  std::int32_t slots_[capacity + lanes];
  std::int32_t sets_[capacity + lanes];
  std::uint64_t ordinals_[capacity];
  std::uint64_t grouped_[capacity];
  std::uint16_t places_[capacity];
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_SET_CHUNK_HPP
