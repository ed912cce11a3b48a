// SPDX-License-Identifier: MIT
// What NumPy's default_rng consists of: PCG64, and the words that it starts from.
#ifndef RANKMAP_ORDERS_DETAIL_PCG64_HPP
#define RANKMAP_ORDERS_DETAIL_PCG64_HPP

#include <rankmap/detail/uint128.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rankmap::inline v0::detail {

/// Writes numpy.random.SeedSequence(numbers).generate_state(out.size(), uint64), without a spawn
/// key and with its pool of four words.
constexpr void generate_state(std::span<const std::uint64_t> numbers,
                              std::span<std::uint64_t> out) {
  constexpr std::size_t size = 4;
  std::uint32_t pool[size] = {};
  std::uint32_t factor = 0x43b0'd7e5U;
  const auto hashed = [&](std::uint32_t word, std::uint32_t step) {
    word ^= factor;
    factor *= step;
    word *= factor;
    return word ^ (word >> 16U);
  };
  const auto mix = [&](std::uint32_t& into, std::uint32_t from) {
    const std::uint32_t word = 0xca01'f9ddU * into - 0x4973'f715U * hashed(from, 0x931e'8875U);
    into = word ^ (word >> 16U);
  };
  // The first words fill the pool, and its slots are mixed with each other. Each later word is
  // mixed into every slot.
  std::size_t words = 0;
  const auto absorb = [&](std::uint32_t word) {
    ++words;
    if (words <= size) {
      pool[words - 1] = hashed(word, 0x931e'8875U);
    } else {
      for (std::uint32_t& into : pool) mix(into, word);
    }
    if (words != size) return;
    for (std::uint32_t& from : pool) {
      for (std::uint32_t& into : pool) {
        if (&from != &into) mix(into, from);
      }
    }
  };
  // Each number as its words of 32 bits, the lowest first; 0 is one word.
  for (const std::uint64_t number : numbers) {
    absorb(static_cast<std::uint32_t>(number));
    if (number >> 32U != 0) absorb(static_cast<std::uint32_t>(number >> 32U));
  }
  while (words < size) absorb(0);
  factor = 0x8b51'f9ddU;
  std::size_t slot = 0;
  for (std::uint64_t& number : out) {
    number = hashed(pool[slot++ % size], 0x58f3'8dedU);
    number |= std::uint64_t{hashed(pool[slot++ % size], 0x58f3'8dedU)} << 32U;
  }
}

/// PCG XSL RR 128/64 (O'Neill, 2014), whose 32-bit draws are the halves of 64-bit ones.
class Pcg64 {
 public:
  /// Starts from SeedSequence(numbers).
  constexpr explicit Pcg64(std::span<const std::uint64_t> numbers) {
    std::uint64_t words[4] = {};
    generate_state(numbers, words);
    increment_ = {words[2] << 1U | words[3] >> 63U, words[3] << 1U | 1U};
    step();
    state_ = sum(state_, {words[0], words[1]});
    step();
  }

  constexpr std::uint64_t next64() {
    step();
    const std::uint64_t folded = state_.high ^ state_.low;
    const std::uint64_t turn = state_.high >> 58U;
    return folded >> turn | folded << (64U - turn) % 64U;
  }
  /// The low half of a 64-bit draw. The next call returns its high half, even after next64().
  constexpr std::uint32_t next32() {
    if (std::exchange(has_half_, false)) return half_;
    const std::uint64_t both = next64();
    has_half_ = true;
    half_ = static_cast<std::uint32_t>(both >> 32U);
    return static_cast<std::uint32_t>(both);
  }

 private:
  static constexpr Uint128 sum(Uint128 a, Uint128 b) {
    const std::uint64_t low = a.low + b.low;
    return {a.high + b.high + (low < a.low ? 1U : 0U), low};
  }
  constexpr void step() {
    constexpr Uint128 factor = {0x2360'ed05'1fc6'5da4U, 0x4385'df64'9fcc'f645U};
    Uint128 product = multiply_wide(state_.low, factor.low);
    product.high += state_.high * factor.low + state_.low * factor.high;
    state_ = sum(product, increment_);
  }

  Uint128 state_;
  Uint128 increment_;
  std::uint32_t half_ = 0;
  bool has_half_ = false;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ORDERS_DETAIL_PCG64_HPP
