// SPDX-License-Identifier: MIT
// Which CPUs form a core, share a cache, sit in one socket or NUMA node, from the kernel's files.
#ifndef RANKMAP_PROBE_CORES_HPP
#define RANKMAP_PROBE_CORES_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/cpu_groups.hpp>
#include <rankmap/probe/detail/cpu_files.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// The CPUs that share the largest cache of a CPU, which is the one of the highest level; none if a
/// level or a type cannot be read: that one could be the largest.
inline CpuSet read_largest_cache(const ProbePath& folder) {
  const CpuSet indexes = numbers_in(folder, "index");
  std::uint64_t largest = 0;
  CpuSet sharing;
  for (int index = indexes.next(0); index >= 0; index = indexes.next(index + 1)) {
    const ProbePath cache = probe_path(folder, "/index", index);
    const SmallFile type(probe_path(cache, "/type"));
    const Number level = parse_number(SmallFile(probe_path(cache, "/level")).text());
    const bool is_data = type.text() == "Unified" || type.text() == "Data";
    if (!level || (!is_data && type.text() != "Instruction")) return {};
    if (!is_data || level.value <= largest) continue;
    largest = level.value;
    sharing = read_cpu_list(probe_path(cache, "/shared_cpu_list"));
  }
  return sharing;
}

}  // namespace detail

/// The cores, caches, sockets and NUMA nodes of the machine, for core_share and numa_binding.
///
/// Reads topology/thread_siblings_list, topology/core_siblings_list and cache/index*/ of each CPU,
/// and cpulist of each NUMA node, below /sys/devices/system and `options.root`, each file up to 16
/// KiB. No error: where a file is missing or malformed, or does not list the CPU itself, the CPU is
/// in no group. So are offline CPUs. O(files): the files of a group are read once. Source: the
/// kernel's admin-guide/cputopology.rst, ABI/testing/sysfs-devices-system-cpu.
inline MachineCpus probe_machine_cpus(const ProbeOptions& options = {}) {
  constexpr std::string_view folder = "/sys/devices/system/cpu";
  MachineCpus machine;
  const CpuSet cpus = detail::numbers_in(detail::probe_path(options.root, folder), "cpu");
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
    const auto path = detail::probe_path(options.root, folder, "/cpu", cpu);
    const auto insert = [&](CpuGroups& groups, const auto& read, std::string_view name) {
      if (groups.group_of(cpu) >= 0) return;
      const CpuSet group = read(detail::probe_path(path, name));
      if (group.contains(cpu)) groups.insert(group);
    };
    insert(machine.cores, detail::read_cpu_list, "/topology/thread_siblings_list");
    insert(machine.sockets, detail::read_cpu_list, "/topology/core_siblings_list");
    insert(machine.caches, detail::read_largest_cache, "/cache");
  }
  detail::for_each_numa_node(options.root, [&](int node, const CpuSet& members) {
    machine.numa_nodes.insert(members, node);
  });
  return machine;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_CORES_HPP
