// SPDX-License-Identifier: MIT
// Products that do not fit 64 bits, also for compilers without a 128-bit integer.
#ifndef RANKMAP_DETAIL_UINT128_HPP
#define RANKMAP_DETAIL_UINT128_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// The two halves of a number of 128 bits.
struct Uint128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// The whole product of two 64-bit numbers, on any compiler.
RANKMAP_HD constexpr Uint128 multiply_by_halves(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t low_mask = 0xffff'ffffU;
  const std::uint64_t low = (a & low_mask) * (b & low_mask);
  const std::uint64_t cross = (a >> 32U) * (b & low_mask) + (low >> 32U);
  const std::uint64_t middle = (a & low_mask) * (b >> 32U) + (cross & low_mask);
  return {(a >> 32U) * (b >> 32U) + (cross >> 32U) + (middle >> 32U),
          (middle << 32U) | (low & low_mask)};
}

/// The same, by one instruction where the compiler has 128-bit integers.
RANKMAP_HD constexpr Uint128 multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__) && !defined(__CUDACC__) && !defined(__HIPCC__)
  __extension__ typedef unsigned __int128 Product;  // NOLINT: an alias cannot be an extension
  const Product product = Product{a} * b;
  return {static_cast<std::uint64_t>(product >> 64U), static_cast<std::uint64_t>(product)};
#else
  return multiply_by_halves(a, b);
#endif
}

struct Division {
  std::uint64_t quotient = 0;
  std::uint64_t remainder = 0;
};

/// Long division by bits.
RANKMAP_NOINLINE constexpr Division divide_wide(Uint128 product, std::uint64_t divisor) noexcept {
  Division result{0, product.high % divisor};
  for (unsigned bit = 64; bit-- != 0;) {
    result.remainder = (result.remainder << 1U) | ((product.low >> bit) & 1U);
    result.quotient <<= 1U;
    if (result.remainder >= divisor) {
      result.remainder -= divisor;
      result.quotient |= 1U;
    }
  }
  return result;
}

/// a * b / divisor. Preconditions: b <= divisor (so that the quotient fits), 0 < divisor < 2^63.
constexpr Division divide_product(std::uint64_t a, std::uint64_t b,
                                  std::uint64_t divisor) noexcept {
  const Uint128 product = multiply_wide(a, b);
  // Only sums and data sets beyond 2^32 need the long division.
  if (product.high != 0) return divide_wide(product, divisor);
  return {product.low / divisor, product.low % divisor};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_UINT128_HPP
