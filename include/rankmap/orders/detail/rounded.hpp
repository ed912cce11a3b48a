// SPDX-License-Identifier: MIT
// Double precision that is rounded after each step, on every processor and with any flags.
#ifndef RANKMAP_ORDERS_DETAIL_ROUNDED_HPP
#define RANKMAP_ORDERS_DETAIL_ROUNDED_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>

#include <type_traits>

namespace rankmap::inline v0::detail {

/// `value`, which compilers cannot join with the next operation. They would make one instruction of
/// a product and a sum, which rounds once, or with -ffast-math add in another order.
constexpr double rounded(double value) {
#if defined(__GNUC__) || defined(__clang__)
  if (!std::is_constant_evaluated()) {
#if defined(__SSE2__)
    __asm__("" : "+x"(value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(value));
#else
    __asm__("" : "+m"(value));
#endif
  }
#endif
  return value;
}

/// Errc::bad_sampler where the program computes with more than double precision, as on 32-bit x86
/// without SSE2: its orders would differ from all others.
constexpr Optional<Error> check_rounding() {
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
  return error_at(Errc::bad_sampler, "__FLT_EVAL_METHOD__", "2",
                  "0, double precision after each step", "compile with -msse2 -mfpmath=sse");
#else
  return {};
#endif
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ORDERS_DETAIL_ROUNDED_HPP
