// SPDX-License-Identifier: MIT
// Grain's shuffle of indices, number for number, at random access.
#ifndef RANKMAP_ORDERS_GRAIN_SHUFFLE_HPP
#define RANKMAP_ORDERS_GRAIN_SHUFFLE_HPP

#include <rankmap/result.hpp>
#include <rankmap/sampler/sample_order.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// The order of an epoch of Grain's ShuffleMapDataset, and of its IndexSampler: index_shuffle with
/// 4 rounds and the seed (seed + epoch) mod 2^32. It is a Feistel network with the round of the
/// cipher Simon, walked until the number is in range. Saved state calls it grain-shuffle.
class GrainShuffle {
 public:
  static constexpr std::uint64_t largest_size = std::uint64_t{1} << 48U;

  constexpr GrainShuffle() = default;
  /// Fails as Result::value() does where make does.
  constexpr GrainShuffle(std::uint64_t size, std::uint32_t seed, std::uint64_t epoch = 0)
      : GrainShuffle(make(size, seed, epoch).value()) {}
  /// Errc::out_of_range: a size above largest_size, from where on Grain's rounding counts; a size
  /// of 2^k + 1 for an even k from 16 on, where Grain reads one sample twice and another never.
  static constexpr Result<GrainShuffle> make(std::uint64_t size, std::uint32_t seed,
                                             std::uint64_t epoch = 0) {
    if (size > largest_size) {
      return detail::out_of_range("size", size, "at most 2^48 samples",
                                  "pass the number of samples");
    }
    GrainShuffle out;
    out.size_ = size;
    out.seed_ = seed;
    out.epoch_ = epoch;
    unsigned bits = 0;  // of the numbers below the last one: Grain takes the logarithm of that
    while (size > 2 && (size - 2) >> bits != 0) ++bits;
    if (bits >= 16 && bits % 2 == 0 && size - 1 == std::uint64_t{1} << bits) {
      return detail::out_of_range("size", size,
                                  "no 2^k + 1 with an even k, where Grain reads one sample twice",
                                  "leave the last sample out, or take a Permutation");
    }
    if (bits < 16) bits = 16;
    out.width_ = (bits + 1) / 2;
    out.make_keys(static_cast<std::uint32_t>(seed + epoch));
    return out;
  }

  constexpr std::uint64_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// The sample at `place` < size(). About 2^bits / size() steps, for an even number of bits that
  /// is at least 16: one to four of them from 2^16 samples on, 65 for 1,000.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    if (size_ == 1) return 0;
    do {
      place = forward(place);
    } while (place >= size_);
    return place;
  }
  /// The place of `sample` < size(). The same cost.
  constexpr std::uint64_t index_of(std::uint64_t sample) const noexcept {
    if (size_ == 1) return 0;
    do {
      sample = backward(sample);
    } while (sample >= size_);
    return sample;
  }
  constexpr SavedOrder saved_as() const noexcept { return {"grain-shuffle", seed_, epoch_, 0}; }

 private:
  static constexpr std::uint32_t rounds = 4;

  // std::seed_seq{seed}.generate() for four words, which the standard defines.
  constexpr void make_keys(std::uint32_t seed) {
    const auto folded = [](std::uint32_t x) { return x ^ (x >> 27U); };
    const auto key = [this](std::uint32_t k) -> std::uint32_t& { return keys_[k % rounds]; };
    for (std::uint32_t& word : keys_) word = 0x8b8b'8b8bU;
    for (std::uint32_t k = 0; k != rounds; ++k) {
      const std::uint32_t a = 1664525U * folded(key(k) ^ key(k + 1) ^ key(k + 3));
      const std::uint32_t b = a + (k == 0 ? 1 : k == 1 ? 1 + seed : k);
      key(k + 1) += a;
      key(k + 2) += b;
      key(k) = b;
    }
    for (std::uint32_t k = 0; k != rounds; ++k) {
      const std::uint32_t a = 1566083941U * folded(key(k) + key(k + 1) + key(k + 3));
      const std::uint32_t b = a - k;
      key(k + 1) ^= a;
      key(k + 2) ^= b;
      key(k) = b;
    }
  }

  constexpr std::uint64_t mask() const { return (std::uint64_t{1} << width_) - 1; }
  constexpr std::uint64_t round(std::uint64_t x, std::uint32_t key) const {
    const auto turned = [&](unsigned by) { return x << by | x >> (width_ - by); };
    return ((turned(1) & turned(8)) ^ turned(2) ^ key) & mask();
  }
  constexpr std::uint64_t forward(std::uint64_t value) const {
    std::uint64_t left = value >> width_;
    std::uint64_t right = value & mask();
    for (std::uint32_t k = 0; k != rounds; k += 2) {
      left ^= round(right, keys_[k]);
      right ^= round(left, keys_[k + 1]);
    }
    return left << width_ | right;
  }
  constexpr std::uint64_t backward(std::uint64_t value) const {
    std::uint64_t left = value >> width_;
    std::uint64_t right = value & mask();
    for (std::uint32_t k = rounds; k != 0; k -= 2) {
      right ^= round(left, keys_[k - 1]);
      left ^= round(right, keys_[k - 2]);
    }
    return left << width_ | right;
  }

  std::uint64_t size_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint32_t seed_ = 0;
  unsigned width_ = 8;  // bits of each half, 8 to 24
  std::uint32_t keys_[rounds] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ORDERS_GRAIN_SHUFFLE_HPP
