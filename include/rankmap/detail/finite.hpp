// SPDX-License-Identifier: MIT
// Whether a number is finite, whatever flags a program is compiled with.
#ifndef RANKMAP_DETAIL_FINITE_HPP
#define RANKMAP_DETAIL_FINITE_HPP

#include <rankmap/version.hpp>

#include <bit>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// By the bits in memory: with -ffast-math a compiler takes every number that it computes, and
/// every argument, for a finite one.
constexpr bool is_finite(const double& number) {
  constexpr std::uint64_t infinite = std::uint64_t{0x7ff} << 52U;
  return (std::bit_cast<std::uint64_t>(number) & infinite) != infinite;
}
// As a double it would be computed.
constexpr bool is_finite(const float& number) {
  constexpr std::uint32_t infinite = std::uint32_t{0xff} << 23U;
  return (std::bit_cast<std::uint32_t>(number) & infinite) != infinite;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_FINITE_HPP
