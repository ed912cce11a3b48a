// SPDX-License-Identifier: MIT
// What the kernel's files say of machines, their network and their software, where it is too little
// for the job or differs between machines.
#ifndef RANKMAP_JOB_DETAIL_FIND_MACHINES_HPP
#define RANKMAP_JOB_DETAIL_FIND_MACHINES_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Which launcher starts programs of which MPI; nothing is said of other launchers and libraries.
/// libmpi.so.12 is also Open MPI 1.10, and libmpi_abi.so of the standard is any.
constexpr bool is_wrong_launcher(std::string_view launcher, std::string_view library) {
  const bool is_open_mpi = library.starts_with("libmpi.so.20") ||
                           library.starts_with("libmpi.so.40") ||
                           library.starts_with("libmpi.so.80");
  const bool is_mpich = library.starts_with("libmpich.so") || library.starts_with("libmpi.so.12") ||
                        library.starts_with("libmpi_cray.so");
  if (launcher == "hydra" || launcher.starts_with("mvapich")) return is_open_mpi;
  return launcher == "open_mpi" && is_mpich;
}

/// `here`: how many records its machine has; 1 if its machine is not known.
constexpr void find_in_process(JobMembers& members, std::uint32_t member, std::uint32_t here) {
  const JobRecord& r = members[member];
  const auto who = rank_text(r);
  if (is_wrong_launcher(r.launcher, r.library)) {
    members.found(FindingKind::wrong_launcher, Severity::error, member, who, " was started by ",
                  escaped_text(r.launcher), ", and its program needs ", escaped_text(r.library));
  }
  if (r.nic_fault != NicFault::none) {
    members.found(FindingKind::nic_unusable, Severity::warning, member, who, " is to use ",
                  escaped_text(r.nic),
                  r.nic_fault == NicFault::down ? ", which is down" : ", which has no GID here");
  }
  // What NCCL and UCX register for one connection is several MiB.
  if (!r.nic.empty() && r.locked_memory >= 0 && r.locked_memory < 64 * 1024) {
    members.found(FindingKind::low_limits, Severity::warning, member, who, " may lock ",
                  r.locked_memory, " KiB of memory, and RDMA needs more");
  }
  // 64 MiB is what a container gets that does not ask for more.
  const int ranks = r.local_world_size > 0 ? r.local_world_size : static_cast<int>(here);
  if (ranks > 1 && r.shared_memory >= 0 && r.shared_memory <= 64) {
    members.found(FindingKind::low_limits, Severity::warning, member, who, " has ", r.shared_memory,
                  " MiB in /dev/shm, for ", ranks, " ranks of its node");
  }
}

/// Of the ranks of a machine: those of one cgroup with a quota of less than a CPU for each.
constexpr void find_quotas(JobMembers& members, Group machine) {
  RecordIndex order;
  for (const std::uint32_t member : machine) {
    if (members[member].quota_group != 0) order.push_back(member);
  }
  sort_by(order, members.by(&JobRecord::quota_group, [](std::uint32_t m) { return m; }));
  for_each_equal(order, members.by(&JobRecord::quota_group), [&](Group group) {
    const int quota = members[group[0]].cpu_quota;
    if (group.size() < 2 || static_cast<std::size_t>(quota) >= 1000 * group.size()) return;
    members.found(FindingKind::shared_quota, Severity::warning, group,
                  ranks_text(members[group[0]], members[group[1]]), " share a quota of ",
                  quota / 1000, ".", quota % 1000 / 100, " CPUs",
                  when(group.size() > 2, " with ", group.size() - 2, " more"));
  });
}

/// Compares the earliest records of machines: if they are apart, so are the clocks or the starts.
constexpr void find_clocks(JobMembers& members) {
  RecordIndex firsts;
  members.for_each_group(members.machine, [&](Group group) {
    std::uint32_t first = JobMembers::none;
    for (const std::uint32_t here : group) {
      if (members[here].time < 0) continue;
      if (first == JobMembers::none || members[here].time < members[first].time) first = here;
    }
    if (first != JobMembers::none) firsts.push_back(first);
  });
  sort_by(firsts, members.by(members.job, &JobRecord::time));
  for_each_equal(firsts, members.by(members.job), [&](Group group) {
    const JobRecord& early = members[group[0]];
    const JobRecord& late = members[group.back()];
    const std::int64_t apart = late.time - early.time;
    if (apart <= 1000) return;
    members.found(FindingKind::clocks_differ, apart >= 60'000 ? Severity::warning : Severity::note,
                  group.back(), rank_text(late), " spoke ", apart / 1000, " s after ",
                  rank_text(early), ", by the clocks of their machines");
  });
}

/// Whether some channel is in all lists of the members [begin, end) that are kept whole, if any is.
/// Source: CUDA driver API, cuMemCreate: processes with access to one channel share memory.
constexpr bool have_common_channel(const JobMembers& members, std::size_t begin, std::size_t end) {
  CpuSet common;  // of the channels, by their numbers
  std::string_view last;
  for (const std::uint32_t row : members.records_with(&JobRecord::imex_channels, begin, end)) {
    const std::string_view list = members.records[row].imex_channels;
    if (list == last || list.starts_with('~')) continue;
    const CpuSet channels = unfolded(list);  // of "none" there are none
    common = last.empty() ? channels : common & channels;
    last = list;
  }
  return last.empty() || !common.empty();
}

constexpr void find_machine_faults(JobMembers& members) {
  RecordIndex count(members.size(), 1);  // of the records of a machine
  members.for_each_group(members.machine, [&count](Group group) {
    for (const std::uint32_t member : group) {
      count[member] = static_cast<std::uint32_t>(group.size());
    }
  });
  for (std::uint32_t i = 0; i < members.size(); ++i) find_in_process(members, i, count[i]);
  using Kind = FindingKind;
  const auto differ = [&](Kind kind, Severity severity, std::string_view what, auto member) {
    members.find_differences(kind, severity, what, member, 0, members.size());
  };
  differ(Kind::versions_differ, Severity::warning, "MPI libraries", &JobRecord::library);
  differ(Kind::versions_differ, Severity::warning, "libraries of collectives",
         &JobRecord::collectives);
  differ(Kind::versions_differ, Severity::warning, "drivers", &JobRecord::driver);
  differ(Kind::versions_differ, Severity::note, "kernels", &JobRecord::kernel);
  differ(Kind::nic_rates_differ, Severity::warning, "Mb/s of the network devices",
         &JobRecord::nic_rate);
  differ(Kind::low_limits, Severity::note, "MiB of huge pages", &JobRecord::huge_pages);
  differ(Kind::partitions_differ, Severity::warning, "partition modes", &JobRecord::partitions);
  // Each job may have a channel of its own.
  members.for_each_job([&](std::size_t begin, std::size_t end) {
    if (have_common_channel(members, begin, end)) return;
    members.find_differences(Kind::imex_differs, Severity::warning, "IMEX channels",
                             &JobRecord::imex_channels, begin, end);
  });
  members.for_each_group(members.machine, [&](Group group) { find_quotas(members, group); });
  // Each restart begins at a time of its own.
  if (!members.report.has(FindingKind::mixed_restarts)) find_clocks(members);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_MACHINES_HPP
