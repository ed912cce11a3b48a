// SPDX-License-Identifier: MIT
// Asks the operating system for huge pages. The first touch of a 4 KiB page costs as much as a
// fifth of the shuffle of its elements.
#ifndef RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP
#define RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rankmap::inline v0::detail {

/// Advises Linux to use huge pages for `size` bytes that are to be written from end to end. If it
/// does not, only the time differs.
inline void prefer_huge_pages(void* memory, std::uint64_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uint64_t huge = std::uint64_t{2} << 20U;
  // Only whole pages within the memory: the others hold foreign data as well.
  const std::uint64_t before = (huge - reinterpret_cast<std::uintptr_t>(memory) % huge) % huge;
  if (size < before + huge) return;
  const std::uint64_t inside = (size - before) / huge * huge;
  static_cast<void>(::madvise(static_cast<std::byte*>(memory) + before,
                              static_cast<std::size_t>(inside), MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
  static_cast<void>(size);
#endif
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_HUGE_PAGES_HPP
