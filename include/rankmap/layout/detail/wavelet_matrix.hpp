// SPDX-License-Identifier: MIT
//
// A sequence of small numbers that can be searched both ways: which value stands at i, how often it
// stood before, where it stands for the k-th time. It takes about 1.25 bits times the bits of the
// largest value, so an arbitrary map of a million ranks to 4,096 nodes needs 2 MB instead of 8 MB,
// and every question is O(log values), not a scan.
//
// It is a wavelet matrix ("The wavelet matrix", Information Systems 47, 2015): level by level, from
// the highest bit down, the elements are split stably into those whose bit is 0, then those whose
// bit is 1.
#ifndef RANKMAP_LAYOUT_DETAIL_WAVELET_MATRIX_HPP
#define RANKMAP_LAYOUT_DETAIL_WAVELET_MATRIX_HPP

#include <rankmap/version.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// The number of ones. std::popcount is a library call where the target's baseline has no such
/// instruction, and counting is nearly all the time here.
constexpr std::uint32_t count_ones(std::uint32_t word) {
  word -= word >> 1U & 0x55555555U;
  word = (word & 0x33333333U) + (word >> 2U & 0x33333333U);
  return ((word + (word >> 4U)) & 0x0f0f0f0fU) * 0x01010101U >> 24U;
}

/// std::bit_width, which returns one type in libstdc++ 12 and another since.
constexpr unsigned levels_of(std::uint32_t largest) {
  return static_cast<unsigned>(32 - std::countl_zero(largest));
}

/// A view of the words that `write` made.
class Wavelet {
  using Word = std::uint32_t;

  // Bits stand in blocks of one count (of the ones in all blocks before) and four words.
  static constexpr Word block_bits = 128;
  static constexpr std::size_t block_words = 5;

 public:
  constexpr Wavelet(const Word* words, Word size, Word largest)
      : words_(words), size_(size), levels_(levels_of(largest)) {}

  /// The words that a sequence of `size` elements of at most `largest` takes.
  static constexpr std::size_t words_needed(Word size, Word largest) {
    const std::size_t levels = levels_of(largest);
    return levels * (1 + blocks(size) * block_words);
  }

  /// Writes `size` elements. `values` is used up, `scratch` has room for `size` more, and `to` has
  /// words_needed() words of 0.
  static constexpr void write(Word* to, Word* values, Word* scratch, Word size, Word largest) {
    const unsigned levels = levels_of(largest);
    for (unsigned level = 0; level != levels; ++level) {
      const unsigned shift = levels - 1 - level;
      Word* const bits = to + levels + level * blocks(size) * block_words;
      Word ones = 0;
      Word zeros = 0;
      for (Word i = 0; i != size; ++i) {
        if (i % block_bits == 0) bits[i / block_bits * block_words] = ones;
        if (((values[i] >> shift) & 1U) != 0) {
          bits[i / block_bits * block_words + 1 + i % block_bits / 32] |= Word{1} << (i % 32);
          scratch[ones++] = values[i];
        } else {
          values[zeros++] = values[i];
        }
      }
      if (size % block_bits == 0) bits[size / block_bits * block_words] = ones;
      for (Word i = 0; i != ones; ++i) values[zeros + i] = scratch[i];
      to[level] = zeros;
    }
  }

  /// The value at `i`. Precondition: i < size.
  constexpr Word at(Word i) const {
    Word value = 0;
    for (unsigned level = 0; level != levels_; ++level) {
      const bool one = bit(level, i);
      value = value << 1U | static_cast<Word>(one);
      i = child(level, i, one);
    }
    return value;
  }

  struct Occurrence {
    Word value;
    Word before;  ///< how often it stood before
  };
  /// The value at `i` and how often it stood before. Precondition: i < size.
  constexpr Occurrence occurrence(Word i) const {
    Word value = 0;
    Word begin = 0;
    for (unsigned level = 0; level != levels_; ++level) {
      const bool one = bit(level, i);
      value = value << 1U | static_cast<Word>(one);
      begin = child(level, begin, one);
      i = child(level, i, one);
    }
    return {value, i - begin};
  }

  /// Counts the elements below `value` among the first ones. What depends on the value alone is
  /// worked out once, for searches that ask about many ends.
  class CountBelow {
   public:
    constexpr CountBelow(const Wavelet& wavelet, Word value)
        : wavelet_(wavelet), all_(wavelet.levels_ < 32 && (value >> wavelet.levels_) != 0) {
      if (all_) return;
      Word begin = 0;
      for (unsigned level = 0; level != wavelet_.levels_; ++level) {
        Step& step = steps_[level];
        step.one = ((value >> (wavelet_.levels_ - 1 - level)) & 1U) != 0;
        step.begin = begin;
        step.begin_ones = wavelet_.ones(level, begin);
        begin = step.one ? wavelet_.words_[level] + step.begin_ones : begin - step.begin_ones;
      }
    }
    /// Precondition: end <= size.
    constexpr Word among_first(Word end) const {
      if (all_) return end;
      Word below = 0;
      for (unsigned level = 0; level != wavelet_.levels_; ++level) {
        const Step& step = steps_[level];
        const Word end_ones = wavelet_.ones(level, end);
        if (step.one) {
          below += (end - step.begin) - (end_ones - step.begin_ones);
          end = wavelet_.words_[level] + end_ones;
        } else {
          end -= end_ones;
        }
      }
      return below;
    }

   private:
    struct Step {
      bool one = false;
      Word begin = 0;
      Word begin_ones = 0;
    };
    const Wavelet& wavelet_;
    bool all_;  // the value is above every element
    Step steps_[32] = {};
  };

  /// Where `value` stands for the k-th time, counted from 0. Precondition: it stands that often.
  constexpr Word find(Word value, Word k) const {
    Word i = start_of(value) + k;
    for (unsigned level = levels_; level-- != 0;) {
      const bool one = ((value >> (levels_ - 1 - level)) & 1U) != 0;
      i = select(level, one ? i - words_[level] : i, one);
    }
    return i;
  }

 private:
  static constexpr std::size_t blocks(Word size) { return size / block_bits + std::size_t{1}; }
  constexpr const Word* block(unsigned level, Word i) const {
    return words_ + levels_ + (level * blocks(size_) + i / block_bits) * block_words;
  }
  constexpr bool bit(unsigned level, Word i) const {
    return ((block(level, i)[1 + i % block_bits / 32] >> (i % 32)) & 1U) != 0;
  }
  constexpr Word ones(unsigned level, Word end) const {
    const Word* const at = block(level, end);
    const Word full = end % block_bits / 32;
    Word count = at[0];
    for (Word w = 0; w != full; ++w) count += count_ones(at[1 + w]);
    if (end % 32 != 0) {
      count += count_ones(at[1 + full] & ((Word{1} << (end % 32)) - 1));
    }
    return count;
  }
  constexpr Word child(unsigned level, Word i, bool one) const {
    const Word before = ones(level, i);
    return one ? words_[level] + before : i - before;
  }
  // Where the elements of this value start after the last level.
  constexpr Word start_of(Word value) const {
    Word begin = 0;
    for (unsigned level = 0; level != levels_; ++level) {
      begin = child(level, begin, ((value >> (levels_ - 1 - level)) & 1U) != 0);
    }
    return begin;
  }
  // The position of the k-th bit that is `one`.
  constexpr Word select(unsigned level, Word k, bool one) const {
    const auto before = [&](Word b) {
      const Word ones_before = block(level, b * block_bits)[0];
      return one ? ones_before : b * block_bits - ones_before;
    };
    Word low = 0;
    Word high = static_cast<Word>(blocks(size_));
    while (high - low > 1) {
      const Word middle = low + (high - low) / 2;
      (before(middle) <= k ? low : high) = middle;
    }
    k -= before(low);
    const Word* const at = block(level, low * block_bits);
    for (Word w = 0;; ++w) {
      Word word = one ? at[1 + w] : ~at[1 + w];
      const Word count = count_ones(word);
      if (k >= count) {
        k -= count;
        continue;
      }
      for (; k != 0; --k) word &= word - 1;
      return low * block_bits + w * 32 + static_cast<Word>(std::countr_zero(word));
    }
  }

  const Word* words_;
  Word size_;
  unsigned levels_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_WAVELET_MATRIX_HPP
