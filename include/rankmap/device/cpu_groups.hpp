// SPDX-License-Identifier: MIT
// How the CPUs of a machine belong together: by core, by cache, by socket, by NUMA node.
#ifndef RANKMAP_DEVICE_CPU_GROUPS_HPP
#define RANKMAP_DEVICE_CPU_GROUPS_HPP

#include <rankmap/device/cpu_affinity.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

/// Disjoint groups of CPUs, each with a number. 16 KiB, a hundredth of a set for each core.
class CpuGroups {
 public:
  /// Makes `cpus` a group with the number `group`, below CpuSet::capacity; -1: that of its lowest
  /// CPU. CPUs that are in a group already stay where they are, and do not count. O(CPUs).
  constexpr void insert(const CpuSet& cpus, int group = -1) {
    for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
      if (group_of(cpu) >= 0) continue;
      if (group < 0) group = cpu;
      group_[static_cast<std::size_t>(cpu)] = static_cast<std::int16_t>(group + 1);
    }
  }

  /// The number of the group of `cpu`, or -1: it is in none, which is "not known".
  /// Precondition: 0 <= cpu < CpuSet::capacity. O(1).
  constexpr int group_of(int cpu) const { return group_[static_cast<std::size_t>(cpu)] - 1; }
  /// The CPUs of a group, none for a number that no group has. O(capacity).
  constexpr CpuSet cpus_of(int group) const {
    CpuSet cpus;
    for (int cpu = 0; cpu != CpuSet::capacity; ++cpu) {
      if (group >= 0 && group_of(cpu) == group) cpus.insert(cpu);
    }
    return cpus;
  }
  /// The numbers of the groups that have a CPU in `cpus`. O(CPUs).
  constexpr CpuSet groups_of(const CpuSet& cpus) const {
    CpuSet groups;
    for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
      if (group_of(cpu) >= 0) groups.insert(group_of(cpu));
    }
    return groups;
  }
  /// The lowest of `cpus` that is in no group, or -1 if all are in one. O(CPUs).
  constexpr int first_ungrouped(const CpuSet& cpus) const {
    int cpu = cpus.next(0);
    while (cpu >= 0 && group_of(cpu) >= 0) cpu = cpus.next(cpu + 1);
    return cpu;
  }
  [[deprecated("use first_ungrouped")]] constexpr int first_without(const CpuSet& cpus) const {
    return first_ungrouped(cpus);
  }

  friend constexpr bool operator==(const CpuGroups&, const CpuGroups&) = default;

 private:
  std::int16_t group_[static_cast<std::size_t>(CpuSet::capacity)] = {};  ///< 0: none
};

/// The CPUs of a machine. What is not known is in no group. 64 KiB: not for small stacks.
struct MachineCpus {
  CpuGroups cores;       ///< hardware threads of one core
  CpuGroups caches;      ///< CPUs that share their largest cache
  CpuGroups sockets;     ///< CPUs of one package
  CpuGroups numa_nodes;  ///< by the kernel's number of the node
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_CPU_GROUPS_HPP
