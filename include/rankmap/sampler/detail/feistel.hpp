// SPDX-License-Identifier: MIT
// The network and the key of feistel-1, for orders that make many permutations.
#ifndef RANKMAP_SAMPLER_DETAIL_FEISTEL_HPP
#define RANKMAP_SAMPLER_DETAIL_FEISTEL_HPP

#include <rankmap/detail/uint128.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// 128 bits that depend on all absorbed words, and a sequence of numbers from them.
class FeistelKey {
 public:
  constexpr FeistelKey() = default;
  RANKMAP_HD constexpr FeistelKey(std::uint64_t seed, std::uint64_t epoch) noexcept {
    absorb(seed);
    absorb(epoch);
  }
  RANKMAP_HD constexpr void absorb(std::uint64_t word) noexcept {
    high_ = mix(high_ ^ word);
    low_ = mix(low_ + word) ^ (high_ << 1U);
    high_ += low_;
  }
  RANKMAP_HD constexpr std::uint64_t next() noexcept {
    high_ += 0x9e37'79b9'7f4a'7c15U;
    return mix(mix(high_) ^ low_);
  }
  /// What the `i`-th call of next() from here would return, counted from 0.
  RANKMAP_HD constexpr std::uint64_t at(std::uint64_t i) const noexcept {
    return mix(mix(high_ + (i + 1) * 0x9e37'79b9'7f4a'7c15U) ^ low_);
  }
  /// The key of one of several permutations.
  RANKMAP_HD constexpr FeistelKey of_stream(std::uint64_t stream) const noexcept {
    FeistelKey key = *this;
    key.absorb(stream);
    return key;
  }

 private:
  RANKMAP_HD static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31U);
  }

  std::uint64_t high_ = 0x243f'6a88'85a3'08d3U;  // the first digits of pi
  std::uint64_t low_ = 0x1319'8a2e'0370'7344U;
};

/// Writes the permutation of [0, size), a shuffle, for sizes below FeistelNetwork::min_size.
RANKMAP_HD constexpr void shuffle_stored(std::uint16_t* table, std::uint32_t size,
                                         FeistelKey key) noexcept {
  for (std::uint32_t i = 0; i != size; ++i) {
    const auto j = multiply_wide(key.next(), i + 1).high;
    table[i] = static_cast<std::uint16_t>(i);  // the next line reads it where j == i
    table[i] = table[j];
    table[j] = static_cast<std::uint16_t>(i);
  }
}

/// The permutation of [0, size) by a Feistel network. Precondition of reads: size >= min_size. A
/// smaller one would not be fair.
class FeistelNetwork {
 public:
  static constexpr std::uint64_t min_size = 1024;

  constexpr FeistelNetwork() = default;
  /// `size` in [min_size, 2^63].
  RANKMAP_HD constexpr FeistelNetwork(std::uint64_t size, FeistelKey key) noexcept : size_(size) {
    unsigned bits = 0;
    while (bits != 64 && (size - 1) >> bits != 0) ++bits;
    shift_ = bits == 63 ? 32U : bits / 2;
    mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << shift_) - 1);
    rows_ = static_cast<std::uint32_t>((size + mask_) >> shift_);  // at most 2^31
    for (RoundKey& round : keys_) {
      const std::uint64_t word = key.next();
      round.offset = static_cast<std::uint32_t>(word);
      // Odd, so that no input is lost, and large, so that the high half of the product is full.
      round.factor = static_cast<std::uint32_t>(word >> 32U) | 0x8000'0001U;
    }
  }

  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    do {
      i = forward(i);
    } while (i >= size_);
    return i;
  }
  RANKMAP_HD constexpr std::uint64_t index_of(std::uint64_t value) const noexcept {
    do {
      value = backward(value);
    } while (value >= size_);
    return value;
  }

  /// Writes the elements at first, first + stride, ... to `out`.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride) const noexcept {
    for (std::uint64_t k = 0; k != count; ++k) out[k] = first + k * stride;
    map(out, count);
  }
  /// Replaces each of `count` places by the element there. The loops over a block run over all
  /// lanes in any case: every compiler turns loops of a constant length into vector code.
  constexpr void map(std::uint64_t* places, std::uint64_t count) const noexcept {
    while (count >= min_lanes) {
      const auto part = static_cast<std::uint32_t>(count < lanes ? count : lanes);
      const std::uint32_t mask = mask_;
      const std::uint32_t rows = rows_;
      const std::uint32_t drop = 32U - shift_;
      std::uint32_t row[lanes];
      std::uint32_t column[lanes];
      for (std::uint32_t k = 0; k != lanes; ++k) {
        const std::uint64_t i = places[k < part ? k : 0];
        row[k] = static_cast<std::uint32_t>(i >> shift_);
        column[k] = static_cast<std::uint32_t>(i) & mask;
      }
      for (std::uint32_t round = 0; round != rounds; round += 2) {
        const RoundKey column_key = keys_[round];
        const RoundKey row_key = keys_[round + 1];
        for (std::uint32_t k = 0; k != lanes; ++k) {
          column[k] = (column[k] + (hash(row[k], column_key) >> drop)) & mask;
        }
        for (std::uint32_t k = 0; k != lanes; ++k) {
          row[k] = wrapped(row[k] + scaled(hash(column[k], row_key), rows) - rows, rows);
        }
      }
      // Only the last row can reach beyond the end.
      std::uint32_t beyond = 0;
      for (std::uint32_t k = 0; k != lanes; ++k) beyond |= row[k] == rows - 1 ? 1U : 0U;
      for (std::uint32_t k = 0; k != part; ++k) places[k] = joined({row[k], column[k]});
      for (std::uint32_t k = 0; beyond != 0 && k != part; ++k) {
        while (places[k] >= size_) places[k] = forward(places[k]);
      }
      places += part;
      count -= part;
    }
    for (std::uint64_t k = 0; k != count; ++k) places[k] = (*this)[places[k]];
  }

  friend constexpr bool operator==(const FeistelNetwork&, const FeistelNetwork&) = default;

 private:
  static constexpr std::uint32_t rounds = 6;
  static constexpr std::uint32_t lanes = 128;
  static constexpr std::uint32_t min_lanes = 44;  // fewer elements are cheaper one by one

  struct RoundKey {
    std::uint32_t offset = 0;
    std::uint32_t factor = 1;
    friend constexpr bool operator==(const RoundKey&, const RoundKey&) = default;
  };

  // One multiplication, of which both halves are used. The high bits of the result are the well
  // mixed ones. Columns made of low bits would show in the parity of batches.
  RANKMAP_HD static constexpr std::uint32_t hash(std::uint32_t x, RoundKey key) noexcept {
    const std::uint64_t product = std::uint64_t{x ^ key.offset} * key.factor;
    return static_cast<std::uint32_t>(product) ^ static_cast<std::uint32_t>(product >> 32U);
  }
  RANKMAP_HD static constexpr std::uint32_t scaled(std::uint32_t hash,
                                                   std::uint32_t range) noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{hash} * range >> 32U);
  }
  // `difference` is a number of [0, range) minus a number of [0, range], range <= 2^31. Its sign
  // bit decides whether to add the range: a branch would be mispredicted.
  RANKMAP_HD static constexpr std::uint32_t wrapped(std::uint32_t difference,
                                                    std::uint32_t range) noexcept {
    const auto sign = static_cast<std::int32_t>(difference) >> 31;
    return difference + (static_cast<std::uint32_t>(sign) & range);
  }

  struct Halves {
    std::uint32_t row;
    std::uint32_t column;
  };
  RANKMAP_HD constexpr Halves split(std::uint64_t i) const noexcept {
    return {static_cast<std::uint32_t>(i >> shift_), static_cast<std::uint32_t>(i) & mask_};
  }
  RANKMAP_HD constexpr std::uint64_t joined(Halves at) const noexcept {
    return std::uint64_t{at.row} << shift_ | at.column;
  }
  RANKMAP_HD constexpr std::uint64_t forward(std::uint64_t i) const noexcept {
    Halves at = split(i);
    for (std::uint32_t round = 0; round != rounds; round += 2) {
      at.column = (at.column + (hash(at.row, keys_[round]) >> (32U - shift_))) & mask_;
      at.row = wrapped(at.row + scaled(hash(at.column, keys_[round + 1]), rows_) - rows_, rows_);
    }
    return joined(at);
  }
  RANKMAP_HD constexpr std::uint64_t backward(std::uint64_t value) const noexcept {
    Halves at = split(value);
    for (std::uint32_t round = rounds; round != 0; round -= 2) {
      at.row = wrapped(at.row - scaled(hash(at.column, keys_[round - 1]), rows_), rows_);
      at.column = (at.column - (hash(at.row, keys_[round - 2]) >> (32U - shift_))) & mask_;
    }
    return joined(at);
  }

  std::uint64_t size_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t rows_ = 0;
  RoundKey keys_[rounds] = {};
};

/// The Permutation of [0, size) by a key, for few reads. Nothing is set up before a read, so below
/// FeistelNetwork::min_size each read makes the stored shuffle.
struct PassingShuffle {
  std::uint64_t size;
  FeistelKey key;

  constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    return is_stored() ? Stored(*this).at[i] : FeistelNetwork(size, key)[i];
  }
  constexpr std::uint64_t index_of(std::uint64_t value) const noexcept {
    if (!is_stored()) return FeistelNetwork(size, key).index_of(value);
    const Stored table(*this);
    std::uint64_t i = 0;
    while (table.at[i] != value) ++i;
    return i;
  }
  /// Replaces each of `count` places by the element there.
  constexpr void map(std::uint64_t* places, std::uint64_t count) const noexcept {
    if (!is_stored()) return FeistelNetwork(size, key).map(places, count);
    const Stored table(*this);
    for (std::uint64_t k = 0; k != count; ++k) places[k] = table.at[places[k]];
  }

 private:
  struct Stored {
    constexpr explicit Stored(const PassingShuffle& of) noexcept {
      shuffle_stored(at, static_cast<std::uint32_t>(of.size), of.key);
    }
    std::uint16_t at[FeistelNetwork::min_size];  // only the first `size` are used
  };
  constexpr bool is_stored() const noexcept { return size < FeistelNetwork::min_size; }
};

/// Places of an order that are shuffled together, each window by its own stream. Stream 1 is for
/// the order's blocks or files.
struct ShuffledWindow {
  std::uint64_t index = 0;
  std::uint64_t first = 0;  // place
  std::uint64_t size = 0;   // places

  constexpr std::uint64_t stream() const noexcept { return 2 + index; }
  /// The place that is read at `place` of the window. place_of() is the inverse.
  constexpr std::uint64_t at(FeistelKey key, std::uint64_t place) const noexcept {
    return first + PassingShuffle{size, key.of_stream(stream())}[place - first];
  }
  constexpr std::uint64_t place_of(FeistelKey key, std::uint64_t moved) const noexcept {
    return first + PassingShuffle{size, key.of_stream(stream())}.index_of(moved - first);
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_FEISTEL_HPP
