// SPDX-License-Identifier: MIT
// Whether two records are of one process.
#ifndef RANKMAP_JOB_DETAIL_SAME_PROCESS_HPP
#define RANKMAP_JOB_DETAIL_SAME_PROCESS_HPP

#include <rankmap/job/job_record.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

enum class SameProcess : std::uint8_t { yes, no, not_known };

constexpr SameProcess same_process(const JobRecord& a, const JobRecord& b) {
  const bool boots_known = a.boot != 0 && b.boot != 0;
  if (boots_known && a.boot != b.boot) return SameProcess::no;
  const bool hosts_known = !a.host.empty() && !b.host.empty();
  // Containers of one machine have names of their own, but a process has one name.
  if (hosts_known && a.host != b.host) return SameProcess::no;
  const bool spaces_known = a.pid_namespace != 0 && b.pid_namespace != 0;
  if (spaces_known && a.pid_namespace != b.pid_namespace) return SameProcess::no;
  if (a.pid < 0 || b.pid < 0) return SameProcess::not_known;
  if (a.pid != b.pid) return SameProcess::no;
  return boots_known || hosts_known ? SameProcess::yes : SameProcess::not_known;
}

/// Whether two processes say that they are on the same node, and are on two machines or in two
/// containers of one.
constexpr bool is_one_node_twice(const JobRecord& a, const JobRecord& b) {
  const bool are_machines = a.boot != 0 && b.boot != 0 && a.boot != b.boot;
  const bool are_hosts = !a.host.empty() && !b.host.empty() && a.host != b.host;
  return (are_machines || are_hosts) && a.node_rank >= 0 && a.node_rank == b.node_rank;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_SAME_PROCESS_HPP
