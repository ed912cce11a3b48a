// SPDX-License-Identifier: MIT
// Where this process is in the hierarchies of cgroups.
#ifndef RANKMAP_PROBE_DETAIL_CGROUP_PATH_HPP
#define RANKMAP_PROBE_DETAIL_CGROUP_PATH_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/probe/detail/probe_files.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The path of this process in a hierarchy of cgroups, from the lines of /proc/self/cgroup: of
/// "0::/a/b" for version 2, whose lines name no controller, or of the line of version 1 that names
/// `controller`. Empty if there is none, or if it leads out of what this process may see.
inline ProbePath cgroup_path(std::string_view cgroups, std::string_view controller) {
  while (!cgroups.empty()) {
    const std::size_t end = cgroups.find('\n');
    const std::string_view line = cgroups.substr(0, end);
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second != std::string_view::npos) {
      for (ListEntries names(line.substr(first + 1, second - first - 1)); names.next();) {
        if (names.text() != controller) continue;
        const std::string_view path = line.substr(second + 1);
        return path.find("..") == std::string_view::npos ? ProbePath(path) : ProbePath();
      }
    }
    if (end == std::string_view::npos) break;
    cgroups.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_CGROUP_PATH_HPP
