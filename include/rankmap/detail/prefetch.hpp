// SPDX-License-Identifier: MIT
// Asks the processor for memory that is written or read soon.
#ifndef RANKMAP_DETAIL_PREFETCH_HPP
#define RANKMAP_DETAIL_PREFETCH_HPP

#include <rankmap/version.hpp>

namespace rankmap::inline v0::detail {

/// For memory that is written soon.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 1);
#endif
}
/// For memory that is only read.
inline void prefetch_to_read([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PREFETCH_HPP
