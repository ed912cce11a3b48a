// SPDX-License-Identifier: MIT
//
// A shuffle by arithmetic: any element of a permutation, and the place of any element, without a
// list of the permutation.
#ifndef RANKMAP_SAMPLER_PERMUTATION_HPP
#define RANKMAP_SAMPLER_PERMUTATION_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// A pseudo-random permutation of [0, size), fixed by (size, seed, epoch, stream). It has random
/// access and an inverse, and is the same on every platform and on CUDA devices. An object is 2 KiB
/// and allocates nothing. Not for cryptography.
///
/// Saved state calls the algorithm feistel-1. Its output never changes under that name; golden
/// values pin it. Below 1,024 elements it is a stored Fisher-Yates shuffle, since a network would
/// need more rounds to be fair than a list costs. From 1,024 on it is a Feistel network over
/// rows x 2^k, where k is half the bits of size - 1. Each of six rounds adds a keyed hash of one
/// half to the other one, modulo 2^k or modulo rows. The few values beyond the end pass through the
/// network again. Since one radix is even, odd permutations are as frequent as even ones.
/// docs/decisions/shuffles.md has the measurements.
class Permutation {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<Permutation>;

  /// The empty one.
  constexpr Permutation() = default;
  /// `size` in [0, 2^63]; iterators measure distances up to largest_dataset, one less. `stream` is
  /// for several independent orders of one epoch. Seed, epoch and stream are hashed together to 128
  /// bits, so the orders of neighbouring ones are unrelated. O(1): about 60 ns; below 1,024
  /// elements 3 ns for each element.
  RANKMAP_HD constexpr Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch = 0,
                                   std::uint64_t stream = 0) noexcept
      : size_(size), seed_(seed), epoch_(epoch), stream_(stream) {
    Key key(seed, epoch, stream);
    if (is_stored()) {
      for (std::uint32_t i = 0; i != size; ++i) {
        const auto j = detail::multiply_wide(key.next(), i + 1).high;
        table_[i] = table_[j];
        table_[j] = static_cast<std::uint16_t>(i);
      }
      return;
    }
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

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return size_; }
  RANKMAP_HD constexpr bool empty() const noexcept { return size_ == 0; }

  /// Element i. Precondition: i < size(). O(1).
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    if (is_stored()) return table_[i];
    do {
      i = forward(i);
    } while (i >= size_);
    return i;
  }

  /// The place of `value`: p.index_of(p[i]) == i. Precondition: value < size(). O(1); below
  /// 1,024 elements a search.
  RANKMAP_HD constexpr std::uint64_t index_of(std::uint64_t value) const noexcept {
    if (is_stored()) {
      std::uint64_t i = 0;
      while (table_[i] != value) ++i;
      return i;
    }
    do {
      value = backward(value);
    } while (value >= size_);
    return value;
  }

  /// Writes `count` elements to `out`: first, first + stride, ... It is the fast way to many
  /// elements: each round handles a block of them, in vector registers where there are any.
  /// Precondition: the place of the last one is below size().
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    if (is_stored()) {
      for (std::uint64_t k = 0; k != count; ++k) out[k] = table_[first + k * stride];
      return;
    }
    while (count != 0) {
      const std::uint32_t part = count < lanes ? static_cast<std::uint32_t>(count) : lanes;
      fill_block(first, out, part, stride);
      first += part * stride;
      out += part;
      count -= part;
    }
  }
  /// The same into anything with data() and size(): a std::span, a std::vector, a std::array.
  template <class Out>
  constexpr void fill(std::uint64_t first, Out&& out,
                      std::uint64_t stride = 1) const noexcept requires requires {
    out[0] = *out.data() = out.size();
  }
  { fill(first, out.data(), out.size(), stride); }

  /// feistel-1; a stream other than 0 is the digest.
  constexpr SavedOrder saved_as() const noexcept { return {"feistel-1", seed_, epoch_, stream_}; }

  constexpr iterator begin() const noexcept { return {*this, 0}; }
  constexpr iterator end() const noexcept { return {*this, size_}; }

  friend constexpr bool operator==(const Permutation&, const Permutation&) = default;

 private:
  static constexpr std::uint32_t most_stored = 1023;
  static constexpr std::uint32_t rounds = 6;
  static constexpr std::uint32_t lanes = 128;

  RANKMAP_HD constexpr bool is_stored() const noexcept { return size_ <= most_stored; }

  RANKMAP_HD static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31U);
  }

  // 128 bits of (seed, epoch, stream), and a sequence of numbers from them.
  struct Key {
    std::uint64_t high = 0x243f'6a88'85a3'08d3U;  // the first digits of pi
    std::uint64_t low = 0x1319'8a2e'0370'7344U;

    RANKMAP_HD constexpr Key(std::uint64_t seed, std::uint64_t epoch,
                             std::uint64_t stream) noexcept {
      absorb(seed);
      absorb(epoch);
      absorb(stream);
    }
    RANKMAP_HD constexpr void absorb(std::uint64_t word) noexcept {
      high = mix(high ^ word);
      low = mix(low + word) ^ (high << 1U);
      high += low;
    }
    RANKMAP_HD constexpr std::uint64_t next() noexcept {
      high += 0x9e37'79b9'7f4a'7c15U;
      return mix(mix(high) ^ low);
    }
  };

  struct RoundKey {
    std::uint32_t offset = 0;
    std::uint32_t factor = 1;
    friend constexpr bool operator==(const RoundKey&, const RoundKey&) = default;
  };

  // One multiplication, of which both halves are used. The high bits of the result are the good
  // ones. Low bits for the columns would show in the parity of batches.
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

  // At most `lanes` elements. The loops run over all lanes, with the last element repeated: every
  // compiler turns loops of a constant length into vector code.
  constexpr void fill_block(std::uint64_t first, std::uint64_t* out, std::uint32_t count,
                            std::uint64_t stride) const noexcept {
    std::uint32_t row[lanes];
    std::uint32_t column[lanes];
    const std::uint32_t mask = mask_;
    const std::uint32_t rows = rows_;
    const std::uint32_t drop = 32U - shift_;
    std::uint64_t i = first;
    for (std::uint32_t k = 0; k != lanes; ++k) {
      row[k] = static_cast<std::uint32_t>(i >> shift_);
      column[k] = static_cast<std::uint32_t>(i) & mask;
      i += k + 1 < count ? stride : 0;
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
    for (std::uint32_t k = 0; k != count; ++k) out[k] = joined({row[k], column[k]});
    if (beyond == 0) return;
    for (std::uint32_t k = 0; k != count; ++k) {
      while (out[k] >= size_) out[k] = forward(out[k]);
    }
  }

  std::uint64_t size_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t stream_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t rows_ = 0;
  RoundKey keys_[rounds] = {};
  std::uint16_t table_[most_stored] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_PERMUTATION_HPP
