// SPDX-License-Identifier: MIT
//
// A product of floating point that is rounded by itself on every processor.
#ifndef RANKMAP_ORDERS_DETAIL_ROUNDED_PRODUCT_HPP
#define RANKMAP_ORDERS_DETAIL_ROUNDED_PRODUCT_HPP

#include <rankmap/version.hpp>

#include <type_traits>

namespace rankmap::inline v0::detail {

/// a * b, rounded before it is added to anything. Compilers join a product and a sum to one
/// instruction that rounds once where the processor has it, and the result would differ.
constexpr double rounded_product(double a, double b) {
  double product = a * b;
#if defined(__GNUC__) || defined(__clang__)
  if (!std::is_constant_evaluated()) {
#if defined(__SSE2__)
    __asm__("" : "+x"(product));
#elif defined(__aarch64__)
    __asm__("" : "+w"(product));
#else
    __asm__("" : "+m"(product));
#endif
  }
#endif
  return product;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ORDERS_DETAIL_ROUNDED_PRODUCT_HPP
