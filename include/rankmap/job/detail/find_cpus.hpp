// SPDX-License-Identifier: MIT
// Which processes of a machine share CPUs, and which have fewer CPUs than threads.
#ifndef RANKMAP_JOB_DETAIL_FIND_CPUS_HPP
#define RANKMAP_JOB_DETAIL_FIND_CPUS_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// How many CPUs the ranks have together; 0: not known.
constexpr int count_together(const JobMembers& members, const RecordIndex& ranks) {
  CpuSet all;
  for (const std::uint32_t member : ranks) {
    if (members[member].cpus.empty()) return 0;
    all = all | unfolded(members[member].cpus);
  }
  return all.size();
}

/// Whether a rank may have all CPUs of its machine, if its record does not say how many these are:
/// no other rank there has a CPU besides. `all_count`: count_together().
constexpr bool may_be_whole(const JobMembers& members, const JobRecord& record,
                            const RecordIndex& ranks, int all_count) {
  if (!record.cpus.empty()) return record.cpu_count == all_count || all_count == 0;
  return all_of(ranks, [&](std::uint32_t m) { return members[m].cpu_count <= record.cpu_count; });
}

/// `ranks` have `count` CPUs together.
constexpr void found_overlap(JobMembers& members, Group ranks, int count) {
  const bool is_crowded = static_cast<std::size_t>(count) < ranks.size();
  const auto evidence = [&](Message& out) {
    const JobRecord& first = members[ranks[0]];
    const CpuSet cpus = unfolded(first.cpus);
    std::size_t other = 0;
    CpuSet common;
    while (common.empty() && ++other != ranks.size()) {
      common = cpus & unfolded(members[ranks[other]].cpus);
    }
    if (common.empty()) other = 1;
    const StaticString<longest_cpu_list> list = fold_cpus(common);
    append_all(out, ranks_text(first, members[ranks[other]]), " share ",
               common.size() == 1 ? "CPU" : "CPUs", list.empty() ? "" : " ", list,
               when(ranks.size() > 2 || is_crowded, "; ", ranks.size(), " ranks there have ",
                    counted(count, "CPU"), " together"));
  };
  members.found(FindingKind::same_cpus, is_crowded ? Severity::error : Severity::warning, ranks,
                evidence);
}

/// Of ranks that have all CPUs of their machine or container: those with the same CPUs.
constexpr void find_not_bound(JobMembers& members, RecordIndex& ranks) {
  const auto same_cpus =
      members.by(&JobRecord::cpu_count, &JobRecord::cpu_digest, &JobRecord::cpus);
  for_each_shared(ranks, same_cpus, [&](Group group) {
    const JobRecord& first = members[group[0]];
    members.found(FindingKind::not_bound, Severity::note, group,
                  ranks_text(first, members[group[1]]), " may both run on all ", first.cpu_count,
                  " CPUs", first.available_cpus < 0 ? " that any rank there has" : "");
  });
}

/// Of ranks that have a part of the CPUs: those that share some. Returns what all have together.
constexpr CpuSet find_overlaps(JobMembers& members, const RecordIndex& ranks) {
  CpuSet once;
  CpuSet twice;
  for (const std::uint32_t member : ranks) {
    const CpuSet cpus = unfolded(members[member].cpus);
    twice = twice | (once & cpus);
    once = once | cpus;
  }
  if (twice.empty()) return once;
  RecordIndex sharing;
  CpuSet shared;
  for (const std::uint32_t member : ranks) {
    const CpuSet cpus = unfolded(members[member].cpus);
    if ((cpus & twice).empty()) continue;
    sharing.push_back(member);
    shared = shared | cpus;
  }
  found_overlap(members, sharing, shared.size());
  return once;
}

/// The same for sets that are too long to be listed: equal ones overlap.
constexpr void find_equal_digests(JobMembers& members, const RecordIndex& ranks) {
  RecordIndex order;
  for (const std::uint32_t member : ranks) {
    if (members[member].cpus.empty()) order.push_back(member);
  }
  for_each_shared(order, members.by(&JobRecord::cpu_digest),
                  [&](Group equal) { found_overlap(members, equal, members[equal[0]].cpu_count); });
}

/// `owner`: see find_shared_cores().
constexpr void find_shared_core(JobMembers& members, std::uint32_t member,
                                const RecordIndex& owner) {
  const JobRecord& record = members[member];
  const CpuSet own = unfolded(record.cpus);
  const CpuSet siblings = unfolded(record.sibling_cpus);
  const int end = static_cast<int>(owner.size());
  for (int cpu = siblings.next(0); cpu >= 0 && cpu < end; cpu = siblings.next(cpu + 1)) {
    const std::uint32_t number = owner[static_cast<std::size_t>(cpu)];
    if (number == 0 || number == member + 1) continue;
    const JobRecord& other = members[number - 1];
    if (!(own & unfolded(other.cpus)).empty()) continue;
    members.mark(FindingKind::same_core, number - 1);
    members.found(FindingKind::same_core, Severity::note, member, ranks_text(record, other),
                  " have parts of one core: CPU ", cpu, " is of rank ", other.rank,
                  ", the rest of rank ", record.rank);
    return;
  }
}

/// Of ranks that have a part of the CPUs, `all` together: those with a part of a core whose rest
/// another rank has. Mostly nobody has it, and no table is made.
constexpr void find_shared_cores(JobMembers& members, const RecordIndex& ranks, const CpuSet& all) {
  CpuSet siblings;
  for (const std::uint32_t m : ranks) siblings = siblings | unfolded(members[m].sibling_cpus);
  if ((siblings & all).empty()) return;
  int end = 0;
  for (int cpu = all.next(0); cpu >= 0; cpu = all.next(cpu + 1)) end = cpu + 1;
  RecordIndex owner(static_cast<std::size_t>(end));  // by CPU: 1 + the member that has it; 0: none
  for (const std::uint32_t member : ranks) {
    const CpuSet cpus = unfolded(members[member].cpus);
    for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
      owner[static_cast<std::size_t>(cpu)] = member + 1;
    }
  }
  for (const std::uint32_t member : ranks) find_shared_core(members, member, owner);
}

constexpr void find_cpus_in_machine(JobMembers& members, Group group) {
  RecordIndex ranks;  // of the machine, in their order
  for (const std::uint32_t member : group) {
    if (members[member].cpu_count >= 1) ranks.push_back(member);
  }
  sort_by(ranks, compare<std::uint32_t>);
  const bool is_told =
      all_of(ranks, [&](std::uint32_t m) { return members[m].available_cpus > 0; });
  const int all_count = is_told ? 0 : count_together(members, ranks);

  RecordIndex whole;
  RecordIndex bound;
  for (const std::uint32_t member : ranks) {
    const JobRecord& record = members[member];
    const bool is_whole = record.available_cpus > 0
                              ? record.cpu_count >= record.available_cpus
                              : may_be_whole(members, record, ranks, all_count);
    (is_whole ? whole : bound).push_back(member);
    if (is_whole || record.threads <= record.cpu_count) continue;
    members.found(FindingKind::few_cpus, Severity::warning, member, rank_text(record), " has ",
                  counted(record.cpu_count, "CPU"), " for ", record.threads, " threads");
  }
  find_not_bound(members, whole);
  const CpuSet all = find_overlaps(members, bound);
  find_equal_digests(members, bound);
  find_shared_cores(members, bound, all);
}

constexpr void find_cpus(JobMembers& members) {
  members.for_each_group(members.machine,
                         [&](Group group) { find_cpus_in_machine(members, group); });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_CPUS_HPP
