// SPDX-License-Identifier: MIT
// A shuffle by arithmetic: any element of a permutation, and the place of any, without a list.
#ifndef RANKMAP_SAMPLER_PERMUTATION_HPP
#define RANKMAP_SAMPLER_PERMUTATION_HPP

#include <rankmap/sampler/detail/feistel.hpp>
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
class Permutation : public PlaceRange<Permutation> {
 public:
  constexpr Permutation() = default;
  /// `size` in [0, 2^63]; iterators measure distances up to largest_dataset, one less. `stream` is
  /// for several independent orders of one epoch. Seed, epoch and stream are hashed together to 128
  /// bits, so the orders of neighbouring ones are unrelated. O(1): about 60 ns; below 1,024
  /// elements 3 ns for each element.
  RANKMAP_HD constexpr Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch = 0,
                                   std::uint64_t stream = 0) noexcept
      : size_(size), seed_(seed), epoch_(epoch), stream_(stream) {
    const detail::FeistelKey key = detail::FeistelKey(seed, epoch).of_stream(stream);
    if (is_stored()) {
      detail::shuffle_stored(table_, static_cast<std::uint32_t>(size), key);
    } else {
      network_ = detail::FeistelNetwork(size, key);
    }
  }

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return size_; }

  /// Element i. Precondition: i < size(). O(1).
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    return is_stored() ? table_[i] : network_[i];
  }

  /// The place of `value`: p.index_of(p[i]) == i. Precondition: value < size(). O(1); below
  /// 1,024 elements a search.
  RANKMAP_HD constexpr std::uint64_t index_of(std::uint64_t value) const noexcept {
    if (!is_stored()) return network_.index_of(value);
    std::uint64_t i = 0;
    while (table_[i] != value) ++i;
    return i;
  }

  /// As SampleOrder says, and the fast way to many elements: each round handles a block of them, in
  /// vector registers where there are any.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    if (!is_stored()) return network_.fill(first, out, count, stride);
    for (std::uint64_t k = 0; k != count; ++k) out[k] = table_[first + k * stride];
  }
  /// The same into anything with data() and size(): a std::span, a std::vector, a std::array.
  template <class Out>
  constexpr void fill(std::uint64_t first, Out&& out,
                      std::uint64_t stride = 1) const noexcept requires requires {
    out[0] = *out.data() = out.size();
  }
  { fill(first, out.data(), out.size(), stride); }

  /// Replaces each of `count` places by the element there, as fast as fill. Precondition: each
  /// place is below size().
  constexpr void map(std::uint64_t* places, std::uint64_t count) const noexcept {
    if (!is_stored()) return network_.map(places, count);
    for (std::uint64_t k = 0; k != count; ++k) places[k] = table_[places[k]];
  }

  /// feistel-1; a stream other than 0 is the digest.
  constexpr SavedOrder saved_as() const noexcept { return {"feistel-1", seed_, epoch_, stream_}; }

  constexpr bool operator==(const Permutation&) const = default;

 private:
  static constexpr std::uint64_t max_stored = detail::FeistelNetwork::min_size - 1;

  RANKMAP_HD constexpr bool is_stored() const noexcept { return size_ <= max_stored; }

  std::uint64_t size_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t stream_ = 0;
  detail::FeistelNetwork network_;
  std::uint16_t table_[max_stored] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_PERMUTATION_HPP
