// SPDX-License-Identifier: MIT
// What /proc/PID/stat says about a process: proc_pid_stat(5).
#ifndef RANKMAP_ENVIRONMENT_DETAIL_PROCESS_STAT_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_PROCESS_STAT_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

struct ProcessStat {
  StaticString<15> name = {};
  int parent = 0;                ///< its pid; 0: none, or one outside of this PID namespace
  std::uint64_t start_time = 0;  ///< in ticks of the kernel's clock
};

/// "PID (NAME) STATE PPID ...": fields with one blank between them. The name may hold blanks and
/// parentheses; no field behind it does. Nothing for any other text, and for one that ends before
/// the field behind the time of the start: its last number may be cut.
RANKMAP_RARE constexpr std::optional<ProcessStat> parse_process_stat(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  ProcessStat out;
  out.name = line.substr(open + 1, close - open - 1);
  line.remove_prefix(close + 1);
  constexpr int parent_field = 4;
  constexpr int start_field = 22;
  int field = 2;  // the name
  for (ListEntries fields(line, ' '); fields.next(); ++field) {
    if (field == 2 && !fields.text().empty()) return std::nullopt;
    if (field == 3 && fields.text().size() != 1) return std::nullopt;  // the state is a letter
    if (field != parent_field && field != start_field) continue;
    const Number number = parse_number(fields.text());
    if (!number) return std::nullopt;
    if (field == start_field) {
      out.start_time = number.value;
    } else if (number.value <= INT32_MAX) {
      out.parent = static_cast<int>(number.value);
    } else {
      return std::nullopt;
    }
  }
  return field > start_field + 1 ? std::optional(out) : std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_PROCESS_STAT_HPP
