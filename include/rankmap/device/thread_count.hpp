// SPDX-License-Identifier: MIT
// How many threads a process should start, from the CPUs and the CPU time that it may use.
#ifndef RANKMAP_DEVICE_THREAD_COUNT_HPP
#define RANKMAP_DEVICE_THREAD_COUNT_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <optional>

namespace rankmap::inline v0 {

/// What bounds the threads of a process.
struct ThreadLimits {
  int cpus = 0;         ///< that it may run on, by affinity and cpuset: probe_allowed_cpus().size()
  int cpu_sharers = 1;  ///< processes that run on the same CPUs, this one included; 1: bound apart
  /// Thousandths of a CPU, from probe_cpu_quota; nothing: no quota.
  std::optional<std::int64_t> quota_thousandths = {};
  int quota_sharers = 1;  ///< processes under the same quota, this one included
};

/// The value for OMP_NUM_THREADS: the lesser share, of CPUs or quota, rounded down, at least 1.
///
/// Threads beyond a quota do not run slower but stop together, each period, until the next one.
/// Where all processes of a node are in one container, both numbers of sharers are the local world
/// size. Errors: out_of_range (`cpus` or a number of sharers below 1, a negative quota). O(1).
constexpr Result<int> thread_count(const ThreadLimits& limits) {
  const struct {
    const char* name;
    std::int64_t value;
    std::int64_t least;
  } fields[] = {{"ThreadLimits::cpus", limits.cpus, 1},
                {"ThreadLimits::cpu_sharers", limits.cpu_sharers, 1},
                {"ThreadLimits::quota_thousandths", limits.quota_thousandths.value_or(0), 0},
                {"ThreadLimits::quota_sharers", limits.quota_sharers, 1}};
  for (const auto& field : fields) {
    if (field.value >= field.least) continue;
    return detail::out_of_range(
        field.name, field.value, detail::concat(field.least, " or more"),
        "pass what the kernel's files show, and count this process as a sharer");
  }
  std::int64_t threads = limits.cpus / limits.cpu_sharers;
  if (limits.quota_thousandths) {
    const std::int64_t share = *limits.quota_thousandths / 1000 / limits.quota_sharers;
    if (share < threads) threads = share;
  }
  return threads < 1 ? 1 : static_cast<int>(threads);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_THREAD_COUNT_HPP
