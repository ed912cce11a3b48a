// SPDX-License-Identifier: MIT
// Asks the processor for memory that is written or read soon.
#ifndef RANKMAP_DETAIL_PREFETCH_HPP
#define RANKMAP_DETAIL_PREFETCH_HPP

#include <rankmap/version.hpp>

#include <type_traits>

namespace rankmap::inline v0::detail {

/// For memory that is written soon.
constexpr void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  if (!std::is_constant_evaluated()) __builtin_prefetch(address, 1);
#endif
}
/// For memory that is only read.
constexpr void prefetch_to_read([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  if (!std::is_constant_evaluated()) __builtin_prefetch(address);
#endif
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PREFETCH_HPP
