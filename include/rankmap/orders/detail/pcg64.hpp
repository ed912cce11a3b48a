// SPDX-License-Identifier: MIT
// PCG64 as NumPy has it: PCG XSL RR 128/64 (O'Neill, 2014), whose 32-bit draws are the halves of
// 64-bit ones.
#ifndef RANKMAP_ORDERS_DETAIL_PCG64_HPP
#define RANKMAP_ORDERS_DETAIL_PCG64_HPP

#include <rankmap/detail/uint128.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

class Pcg64 {
 public:
  constexpr Pcg64(Uint128 start, Uint128 stream)
      : increment_{stream.high << 1U | stream.low >> 63U, stream.low << 1U | 1U} {
    step();
    state_ = sum(state_, start);
    step();
  }

  constexpr std::uint64_t next64() {
    step();
    const std::uint64_t folded = state_.high ^ state_.low;
    const std::uint64_t turn = state_.high >> 58U;
    return folded >> turn | folded << (64U - turn) % 64U;
  }
  /// The low half of a 64-bit draw, then its high half, which waits through 64-bit draws.
  constexpr std::uint32_t next32() {
    if (has_half_) {
      has_half_ = false;
      return half_;
    }
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
