// SPDX-License-Identifier: MIT
// How much CPU time this process may use, by the quotas of its cgroup and of those around it.
#ifndef RANKMAP_PROBE_CPU_QUOTA_HPP
#define RANKMAP_PROBE_CPU_QUOTA_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// A quota of CPU time, and whose it is. All processes of that cgroup share it.
struct CpuQuota {
  std::optional<std::int64_t> thousandths;  ///< of a CPU: 2500 is 2.5; nothing: no quota is shown
  StaticString<255> cgroup;                 ///< as its folder is called: "/kubepods/pod7"; else ""
};

namespace detail {

/// The path of this process in a hierarchy of cgroups, from the lines of /proc/self/cgroup: of
/// "0::/a/b" for version 2, whose lines name no controller, or of the line of version 1 that names
/// `controller`. Empty if there is none, if it leads out of what this process may see, or if it is
/// too long.
inline ProbePath cgroup_path(std::string_view cgroups, std::string_view controller) {
  for (ListEntries lines(cgroups, '\n'); lines.next();) {
    const auto [hierarchy, rest] = split_at(lines.text(), ':');
    const auto [controllers, path] = split_at(rest.value_or(""), ':');
    if (!path || !has_entry(controllers, controller)) continue;
    const bool leads_out = path->find("/../") != std::string_view::npos || path->ends_with("/..");
    const ProbePath own(*path);
    return leads_out || own.cut() ? ProbePath() : own;
  }
  return {};
}

/// Calls `visit(path)` for the cgroup of this process in a hierarchy, then for each around it, the
/// last with an empty path. In a container the path may be that of the host, while the folder is
/// its own: then the last one counts.
void for_each_cgroup(std::string_view cgroups, std::string_view controller, const auto& visit) {
  const ProbePath own = cgroup_path(cgroups, controller);
  for (std::string_view path = own; !path.empty(); path = path.substr(0, path.rfind('/') + 1)) {
    if (path.back() == '/') path.remove_suffix(1);
    visit(path);
  }
}

/// `time` in each `period`, as thousandths of a CPU; nothing where one is no number: "max".
inline std::optional<std::int64_t> quota_of(std::string_view time, std::string_view period) {
  const Number used = parse_number(time);
  const Number each = parse_number(period);
  if (!used || !each || each.value == 0 || used.value > UINT64_MAX / 1000) return std::nullopt;
  const std::uint64_t thousandths = used.value * 1000 / each.value;
  if (thousandths > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(thousandths);
}

/// That of one folder: cpu.max of version 2, or the two files of version 1.
inline std::optional<std::int64_t> read_quota(const ProbePath& folder, bool is_second) {
  if (is_second) {
    const SmallFile file(probe_path(folder, "/cpu.max"));
    const auto [time, period] = split_at(file.text(), ' ');
    return quota_of(time, period.value_or(""));
  }
  return quota_of(SmallFile(probe_path(folder, "/cpu.cfs_quota_us")).text(),
                  SmallFile(probe_path(folder, "/cpu.cfs_period_us")).text());
}

}  // namespace detail

/// The least quota of the cgroup of this process and of all those around it.
///
/// Reads /proc/self/cgroup and, in /sys/fs/cgroup below `options.root`, cpu.max or cpu.cfs_quota_us
/// and cpu.cfs_period_us of each folder from that of the process up. In a container the path may be
/// that of the host, while the folder is its own: then the folder's counts. No error: what is
/// missing or malformed is no quota. A quota around the container is not shown. O(files). Source:
/// the kernel's Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst.
inline CpuQuota probe_cpu_quota(const ProbeOptions& options = {}) {
  struct Hierarchy {
    std::string_view controller;  // empty: version 2
    std::string_view folder;
  };
  constexpr Hierarchy hierarchies[] = {{"", "/sys/fs/cgroup"},
                                       {"", "/sys/fs/cgroup/unified"},
                                       {"cpu", "/sys/fs/cgroup/cpu"},
                                       {"cpu", "/sys/fs/cgroup/cpu,cpuacct"}};
  const detail::SmallFile cgroups(detail::probe_path(options.root, "/proc/self/cgroup"));
  CpuQuota least;
  for (const Hierarchy& hierarchy : hierarchies) {
    const bool is_second = hierarchy.controller.empty();
    detail::for_each_cgroup(cgroups.text(), hierarchy.controller, [&](std::string_view path) {
      const auto quota =
          detail::read_quota(detail::probe_path(options.root, hierarchy.folder, path), is_second);
      if (!quota || (least.thousandths && *quota >= *least.thousandths)) return;
      least.thousandths = quota;
      least.cgroup = path.empty() ? "/" : path;
    });
  }
  return least;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_CPU_QUOTA_HPP
