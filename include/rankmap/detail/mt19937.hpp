// SPDX-License-Identifier: MIT
// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), in whole blocks. A full shuffle
// spends much of its time on draws. <random> draws them one by one, and is expensive to include.
#ifndef RANKMAP_DETAIL_MT19937_HPP
#define RANKMAP_DETAIL_MT19937_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

class Mt19937 {
 public:
  static constexpr std::uint32_t words = 624;

  constexpr explicit Mt19937(std::uint32_t seed) {
    state_[0] = seed;
    for (std::uint32_t j = 1; j != words; ++j) {
      state_[j] = 1812433253U * (state_[j - 1] ^ (state_[j - 1] >> 30U)) + j;
    }
  }

  constexpr std::uint32_t next() {
    if (next_ == words) renew();
    return temper(state_[next_++]);
  }

  /// The next two, the first one as the high word.
  constexpr std::uint64_t next64() {
    const std::uint64_t high = next();
    return high << 32U | next();
  }

  /// The next `count` numbers.
  constexpr void fill(std::uint32_t* out, std::uint32_t count) {
    for (std::uint32_t done = 0; done != count;) {
      if (next_ == words) renew();
      const std::uint32_t left = words - next_;
      const std::uint32_t part = count - done < left ? count - done : left;
      for (std::uint32_t k = 0; k != part; ++k) out[done + k] = state_[next_ + k];
      next_ += part;
      done += part;
    }
    // In place and in blocks of constant length: g++ -O2 vectorises no other loop.
    constexpr std::uint32_t block = words / 6;
    std::uint32_t k = 0;
    for (; count - k >= block; k += block) {
      for (std::uint32_t j = 0; j != block; ++j) out[k + j] = temper(out[k + j]);
    }
    for (; k != count; ++k) out[k] = temper(out[k]);
  }

  /// Skips `count` numbers. O(count), at about a tenth of the cost of drawing them.
  constexpr void discard(std::uint64_t count) {
    while (count > words - next_) {
      count -= words - next_;
      renew();
    }
    next_ += static_cast<std::uint32_t>(count);
  }

  friend constexpr bool operator==(const Mt19937&, const Mt19937&) = default;

 private:
  static constexpr std::uint32_t twist(std::uint32_t upper, std::uint32_t lower) {
    const std::uint32_t joined = (upper & 0x8000'0000U) | (lower & 0x7fff'ffffU);
    return (joined >> 1U) ^ ((0U - (lower & 1U)) & 0x9908'b0dfU);
  }
  static constexpr std::uint32_t temper(std::uint32_t y) {
    y ^= y >> 11U;
    y ^= (y << 7U) & 0x9d2c'5680U;
    y ^= (y << 15U) & 0xefc6'0000U;
    return y ^ (y >> 18U);
  }
  constexpr void renew() {
    constexpr std::uint32_t shift = 397;
    // The first loop is split so that its length is a multiple of every vector's.
    for (std::uint32_t k = 0; k != 224; ++k) {
      state_[k] = state_[k + shift] ^ twist(state_[k], state_[k + 1]);
    }
    for (std::uint32_t k = 224; k != words - shift; ++k) {
      state_[k] = state_[k + shift] ^ twist(state_[k], state_[k + 1]);
    }
    for (std::uint32_t k = words - shift; k != words - 1; ++k) {
      state_[k] = state_[k - (words - shift)] ^ twist(state_[k], state_[k + 1]);
    }
    state_[words - 1] = state_[shift - 1] ^ twist(state_[words - 1], state_[0]);
    next_ = 0;
  }

  std::uint32_t state_[words] = {};
  std::uint32_t next_ = words;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_MT19937_HPP
