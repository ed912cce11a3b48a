// SPDX-License-Identifier: MIT
// How much memory this process may lock and share, and which is in huge pages, from the kernel's
// files. Source: proc(5), tmpfs(5), the kernel's Documentation/admin-guide/mm/hugetlbpage.rst.
#ifndef RANKMAP_PROBE_DETAIL_LIMIT_FILES_HPP
#define RANKMAP_PROBE_DETAIL_LIMIT_FILES_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

inline std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\n"));
}

/// `number` times `unit` bytes in units of `wanted` bytes; -1 for a text that is no number, the
/// highest int for what is more.
inline int scaled_number(std::string_view text, std::uint64_t unit, std::uint64_t wanted) {
  const Number number = parse_number(text);
  if (!number || unit == 0) return -1;
  const std::uint64_t highest = std::uint64_t{INT32_MAX} * wanted / unit;
  return number.value >= highest ? INT32_MAX : static_cast<int>(number.value * unit / wanted);
}

/// KiB that may be locked; the highest int: any.
inline int read_locked_memory(std::string_view root) {
  const SmallFile limits(probe_path(root, "/proc/self/limits"));
  const std::string_view soft = first_word(limits.value_of("Max locked memory", ' '));
  return soft == "unlimited" ? INT32_MAX : scaled_number(soft, 1, 1024);
}

/// MiB that /dev/shm holds: as it is mounted, or without a size half of the machine's memory.
inline int read_shared_memory(std::string_view root) {
  const SmallFile mounts(probe_path(root, "/proc/self/mounts"));
  const std::string_view text = mounts.text();
  const std::size_t at = text.find(" /dev/shm tmpfs ");
  if (at == std::string_view::npos) return -1;
  const std::string_view line = text.substr(at, text.substr(at).find('\n'));
  const std::size_t size = line.find(",size=");
  if (size == std::string_view::npos) {
    const SmallFile memory(probe_path(root, "/proc/meminfo"));
    return scaled_number(first_word(memory.value_of("MemTotal")), 512, std::uint64_t{1} << 20U);
  }
  const std::string_view digits = line.substr(size + 6);
  std::size_t end = 0;
  while (end != digits.size() && is_digit(digits[end])) ++end;
  const char suffix = end == digits.size() ? ' ' : digits[end];
  const unsigned shift = suffix == 'k' ? 10 : suffix == 'm' ? 20 : suffix == 'g' ? 30 : 0;
  return scaled_number(digits.substr(0, end), std::uint64_t{1} << shift, std::uint64_t{1} << 20U);
}

/// MiB of the pool of huge pages of the usual size, used or not.
inline int read_huge_pages(std::string_view root) {
  const SmallFile memory(probe_path(root, "/proc/meminfo"));
  const int size = scaled_number(first_word(memory.value_of("Hugepagesize")), 1, 1);
  if (size < 0) return -1;
  return scaled_number(memory.value_of("HugePages_Total"), static_cast<std::uint64_t>(size), 1024);
}

/// The version of the first driver of devices that is loaded and says which it is.
inline StaticString<63> read_driver(std::string_view root) {
  for (const std::string_view module : {"nvidia", "amdgpu", "xe", "i915", "habanalabs"}) {
    const SmallFile file(probe_path(root, "/sys/module/", module, "/version"));
    if (!file.text().empty()) return first_word(file.text());
  }
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_LIMIT_FILES_HPP
