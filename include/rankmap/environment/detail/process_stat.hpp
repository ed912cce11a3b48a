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
/// parentheses; no field behind it does. Nothing for any other text, and for one without the field
/// behind the start time: that time may be cut.
RANKMAP_RARE constexpr std::optional<ProcessStat> parse_process_stat(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  constexpr std::size_t first = 2;  // the field of the name, behind which a blank must be
  std::string_view fields[22] = {};
  std::size_t count = 0;
  for (ListEntries entries(line.substr(close + 1), ' '); count != 22 && entries.next();) {
    fields[count++] = entries.text();
  }
  const Number parent = parse_number(fields[4 - first]);
  const Number start = parse_number(fields[22 - first]);
  const bool is_whole = count == 22 && fields[0].empty() && fields[1].size() == 1;
  if (!is_whole || !start || !parent || parent.value > INT32_MAX) return std::nullopt;
  return ProcessStat{line.substr(open + 1, close - open - 1), static_cast<int>(parent.value),
                     start.value};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_PROCESS_STAT_HPP
