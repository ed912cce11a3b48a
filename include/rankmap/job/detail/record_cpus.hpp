// SPDX-License-Identifier: MIT
// A set of CPUs as a record keeps it: as a list if that is short, else as a hash, which still
// shows whether two sets are equal.
#ifndef RANKMAP_JOB_DETAIL_RECORD_CPUS_HPP
#define RANKMAP_JOB_DETAIL_RECORD_CPUS_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The halves of a digest in one. Never 0.
constexpr std::uint32_t short_digest(std::uint64_t digest) {
  const auto folded = static_cast<std::uint32_t>((digest ^ digest >> 32U) & 0xffff'ffffU);
  return folded == 0 ? 1 : folded;
}

/// A hash of the CPUs of a set. Never 0.
constexpr std::uint32_t digest_of(const CpuSet& cpus) {
  std::uint64_t digest = fnv_start;
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
    digest = fnv_step(digest, static_cast<std::uint64_t>(cpu));
  }
  return short_digest(digest ^ digest >> 29U);
}

/// The longest list that a record keeps.
inline constexpr std::size_t longest_cpu_list = 47;

/// The set as the shortest list that parse_cpu_list reads, every second CPU as "0-14:2"; empty if
/// it does not fit.
constexpr StaticString<longest_cpu_list> fold_cpus(const CpuSet& cpus) {
  StaticString<longest_cpu_list> out;
  const auto emit = [&out](const NumberRun& run) { append_to_list(out, run); };
  RunFolder folder;
  for (int cpu = cpus.next(0); cpu >= 0 && !out.cut(); cpu = cpus.next(cpu + 1)) {
    folder.add(cpu, emit);
  }
  folder.finish(emit);
  if (out.cut()) return {};
  return out;
}

/// How many CPUs a list names; 0 unless fold_cpus() could have made it.
constexpr int count_cpus(std::string_view list) {
  int count = 0;
  return for_each_folded(list, CpuSet::capacity, [&count](int) { ++count; }) ? count : 0;
}

/// The longest list of NUMA nodes.
inline constexpr std::size_t longest_node_list = 143;

/// The NUMA nodes of a mask, bit n for node n, as a list; empty if there are none.
constexpr StaticString<longest_node_list> fold_nodes(std::uint64_t nodes) {
  StaticString<longest_node_list> out;
  const auto emit = [&out](const NumberRun& run) { append_to_list(out, run); };
  RunFolder folder;
  for (int node = 0; node != 64; ++node) {
    if ((nodes >> node & 1U) != 0) folder.add(node, emit);
  }
  folder.finish(emit);
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_CPUS_HPP
