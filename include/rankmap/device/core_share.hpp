// SPDX-License-Identifier: MIT
// Which cores are mine: whole ones with all hardware threads. Reads no file and binds nothing.
#ifndef RANKMAP_DEVICE_CORE_SHARE_HPP
#define RANKMAP_DEVICE_CORE_SHARE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/cpu_groups.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/result.hpp>

#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// An error if some CPU is in no group. `what`: what a group is, "core".
constexpr Optional<Error> check_grouped(const CpuSet& cpus, const CpuGroups& groups,
                                        std::string_view what, std::string_view remedy) {
  const int cpu = groups.first_ungrouped(cpus);
  if (cpu < 0) return {};
  return error_missing(Errc::missing, concat("the ", what, " of CPU ", cpu),
                       concat("the CPUs of each ", what), remedy);
}

/// Those of `cpus` whose group is in `wanted`.
constexpr CpuSet in_groups(const CpuSet& cpus, const CpuGroups& groups, const CpuSet& wanted) {
  CpuSet out;
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
    if (wanted.contains(groups.group_of(cpu))) out.insert(cpu);
  }
  return out;
}

/// The lowest of `cpus` in each group. Precondition: all are in one.
constexpr CpuSet lowest_of_each(const CpuSet& cpus, const CpuGroups& groups) {
  CpuSet seen;
  CpuSet lowest;
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
    const int group = groups.group_of(cpu);
    if (!seen.contains(group)) lowest.insert(cpu);
    seen.insert(group);
  }
  return lowest;
}

/// The cores of the nth of `size`, each of which is called `owner`. Precondition: 0 <= nth < size.
constexpr Result<CpuSet> nth_core_share(const CpuSet& available, const CpuGroups& cores, int nth,
                                        int size, std::string_view owner) {
  if (const auto error = check_grouped(available, cores, "core",
                                       "in the program, use cpu_share, or one CPU a core")) {
    return *error;
  }
  const auto share = nth_share(cores.groups_of(available), nth, size, owner, "available cores",
                               "start fewer processes, or give them more cores; in the program, "
                               "use cpu_share, which splits cores, or do not bind");
  if (!share) return share.error();
  return in_groups(available, cores, *share);
}

}  // namespace detail

/// The cores of a local rank, with all of their available hardware threads: contiguous in the order
/// of the cores' lowest threads; the first ranks get the remainder, one core each.
///
/// `available`: what this job may use, such as probe_allowed_cpus; all processes must pass the
/// same. `cores`: the hardware threads of each core, the unavailable ones too, since a core is
/// placed by its lowest thread, available or not; a group with any other number is placed by that.
/// `local_world_size`: 1 or more. The shares are disjoint, and together all of `available`. Errors:
/// out_of_range (the rank or the size), not_enough_devices (fewer cores than processes), missing
/// (an available CPU is in no core). O(capacity). Source: torch.numa's "exclusive" rule.
constexpr Result<CpuSet> core_share(const CpuSet& available, const CpuGroups& cores,
                                    LocalRank local_rank, int local_world_size) {
  if (const auto bad = detail::check_local_rank(local_rank, local_world_size)) return *bad;
  return detail::nth_core_share(available, cores, local_rank.value, local_world_size,
                                "local process");
}

/// The lowest available hardware thread of each core, as Slurm's --hint=nomultithread would leave.
/// Errors: missing (an available CPU is in no core). O(capacity).
constexpr Result<CpuSet> one_thread_per_core(const CpuSet& available, const CpuGroups& cores) {
  if (const auto error = detail::check_grouped(available, cores, "core",
                                               "in the program, use the CPUs as they are")) {
    return *error;
  }
  return detail::lowest_of_each(available, cores);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_CORE_SHARE_HPP
