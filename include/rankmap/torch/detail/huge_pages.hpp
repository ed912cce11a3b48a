// SPDX-License-Identifier: MIT
//
// The one thing asked of the operating system: large pages for large memory. The first touch of a
// 4 KiB page costs as much as a fifth of the shuffle of what it holds.
#ifndef RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP
#define RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rankmap::inline v0::detail {

/// Asks Linux for large pages in `size` bytes that are going to be written from end to end. A wish:
/// where it is not granted nothing is different but the time.
inline void prefer_large_pages(void* memory, std::uint64_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uint64_t large = std::uint64_t{2} << 20U;
  // Only pages that are ours alone: whole ones within the memory.
  const std::uint64_t before = (large - reinterpret_cast<std::uintptr_t>(memory) % large) % large;
  if (size < before + large) return;
  const std::uint64_t inside = (size - before) / large * large;
  static_cast<void>(::madvise(static_cast<std::byte*>(memory) + before,
                              static_cast<std::size_t>(inside), MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
  static_cast<void>(size);
#endif
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP
