// SPDX-License-Identifier: MIT
// The names in the environment that a process started with, as /proc/PID/environ shows it. One pass
// in pieces: it may be megabytes.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_START_NAMES_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_START_NAMES_HPP

#include <rankmap/environment/detail/start_search.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Calls `visit(name)` for each name of at most 63 bytes: no launcher's is longer. Returns whether
/// all could be read. An entry without '=' was written over, and nothing is known from there on.
template <class Read, class Visit>
constexpr bool visit_start_names(Read&& read, Visit&& visit) {
  StaticString<63> name;
  bool is_in_name = true;
  char buffer[4096] = {};
  for (std::size_t total = 0; total < longest_start; total += sizeof buffer) {
    const std::optional<std::string_view> piece = read(buffer, sizeof buffer);
    if (!piece) return false;
    for (const char c : *piece) {
      if (c == '\0') {
        if (is_in_name) return false;
        name = {};
        is_in_name = true;
      } else if (is_in_name && c == '=') {
        if (!name.cut()) visit(name.view());
        is_in_name = false;
      } else if (is_in_name) {
        name.append(c);
      }
    }
    if (piece->size() < sizeof buffer) return true;
  }
  return false;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_START_NAMES_HPP
