// SPDX-License-Identifier: MIT
// The kernel's lists of CPUs, and the numbers of its folders in order.
#ifndef RANKMAP_PROBE_DETAIL_CPU_FILES_HPP
#define RANKMAP_PROBE_DETAIL_CPU_FILES_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/probe/detail/probe_files.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// The numbers below 8192 in "cpu0", "cpu1", ... for the prefix "cpu"; a directory has no order.
inline CpuSet numbers_in(const ProbePath& directory, std::string_view prefix) {
  CpuSet numbers;
  for_each_name(directory, [&](std::string_view name) {
    const int number = number_behind(name, prefix);
    if (number >= 0 && number < CpuSet::capacity) numbers.insert(number);
  });
  return numbers;
}

/// The CPUs of a file; none if it is missing, malformed or too long to be such a list.
inline CpuSet read_cpu_list(const ProbePath& path) {
  const SmallFile file(path);
  return file.whole() ? parse_cpu_list(file.text()).value_or(CpuSet()) : CpuSet();
}

/// Calls `visit(node, cpus)` for each NUMA node, by number. A node without a list has no CPUs.
void for_each_numa_node(std::string_view root, auto&& visit) {
  constexpr std::string_view folder = "/sys/devices/system/node";
  const CpuSet nodes = numbers_in(probe_path(root, folder), "node");
  for (int node = nodes.next(0); node >= 0; node = nodes.next(node + 1)) {
    visit(node, read_cpu_list(probe_path(root, folder, "/node", node, "/cpulist")));
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_CPU_FILES_HPP
