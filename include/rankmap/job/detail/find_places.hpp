// SPDX-License-Identifier: MIT
// Where the processes are: which machines and nodes they share, and with whom their places.
#ifndef RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
#define RANKMAP_JOB_DETAIL_FIND_PLACES_HPP

#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Of one name. Those without a boot id come first.
constexpr void find_name_clash(JobMembers& members, Group group) {
  while (!group.empty() && members[group[0]].boot == 0) group = group.subspan(1);
  RecordIndex first_of;  // each machine
  for_each_equal(group, members.by(&JobRecord::boot),
                 [&](Group machine) { first_of.push_back(machine[0]); });
  if (first_of.size() < 2) return;
  const bool ascend = first_of[0] < first_of[1];
  const JobRecord& a = members[first_of[ascend ? 0 : 1]];
  const JobRecord& b = members[first_of[ascend ? 1 : 0]];
  members.found(FindingKind::host_name_clash, Severity::warning, group, host_text(a),
                " is the name of ", first_of.size(), " machines: ranks ", a.rank, " and ", b.rank,
                " have other boot ids");
}

constexpr void find_name_clashes(JobMembers& members) {
  for_each_equal(members.by_host, members.by(members.job, members.host),
                 [&](Group group) { find_name_clash(members, group); });
}

constexpr void find_nodes_on_two_machines(JobMembers& members) {
  RecordIndex order;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].node_rank < 0 || members.machine[i] == JobMembers::none) continue;
    order.push_back(static_cast<std::uint32_t>(i));
  }
  for_each_sorted(order, members.by(members.job, &JobRecord::node_rank), [&](Group group) {
    // A machine by its boot id and one by its name may be the same.
    const MachineKey& key = members.key[group[0]];
    std::size_t other = 0;
    while (other != group.size() &&
           (members.key[group[other]].kind != key.kind || members.key[group[other]] == key)) {
      ++other;
    }
    if (other == group.size()) return;
    members.found(FindingKind::place_conflict, Severity::error, group, "node ",
                  members[group[0]].node_rank,
                  " is on two machines: ", rank_text(members[group[0]]), ", ",
                  rank_text(members[group[other]]));
  });
}

/// Names and nodes of one machine.
constexpr void find_parts_of_machine(JobMembers& members, Group group) {
  const std::uint32_t first = group[0];
  std::uint32_t renamed = first;
  std::uint32_t split = first;
  for (const std::uint32_t here : group) {
    const bool has_other_name = members.have_other_names(first, here);
    if (has_other_name && renamed == first) renamed = here;
    const bool is_other_node = members[here].node_rank >= 0 && members[first].node_rank >= 0 &&
                               members[here].node_rank != members[first].node_rank;
    if (is_other_node && !has_other_name && split == first) split = here;
  }
  if (renamed != first) {
    members.found(FindingKind::containers, Severity::note, group, rank_text(members[first]),
                  " and ", rank_text(members[renamed]), " are on one machine");
  }
  if (split != first) {
    members.found(FindingKind::split_machine, Severity::note, group, host_text(members[first]),
                  " is node ", members[first].node_rank, " of rank ", members[first].rank,
                  " and node ", members[split].node_rank, " of rank ", members[split].rank);
  }
}

/// Local ranks and namespaces of one node. Its members come by local rank.
constexpr void find_place_conflicts(JobMembers& members, Group node) {
  std::uint32_t apart = node[0];
  const JobRecord& first = members[apart];
  for (std::size_t i = 0; i != node.size(); ++i) {
    const JobRecord& here = members[node[i]];
    if (here.pid_namespace != 0 && first.pid_namespace != 0 && here.host == first.host &&
        here.pid_namespace != first.pid_namespace) {
      apart = node[i];
    }
    if (i == 0 || here.local_rank < 0) continue;
    const JobRecord& before = members[node[i - 1]];
    if (before.local_rank != here.local_rank) continue;
    // Or torchrun was asked for that, with one device for each: find_doubts.hpp notes it.
    const bool have_one = before.device.visible_count == 1 && here.device.visible_count == 1;
    const bool is_virtual =
        !members.job_of(node[i]).is_numbered &&
        (before.doubt == Doubt::virtual_rank || here.doubt == Doubt::virtual_rank);
    if (have_one && is_virtual) continue;
    members.found(FindingKind::place_conflict, Severity::error, node.subspan(i - 1, 2),
                  ranks_text(before, here), " are both local rank ", here.local_rank);
  }
  if (apart == node[0]) return;
  for (const std::uint32_t member : node) members.mark(FindingKind::containers, member);
  members.report.found(FindingKind::containers, Severity::note, node[0],
                       ranks_text(first, members[apart]), " have different PID namespaces");
}

constexpr void find_places(JobMembers& members) {
  find_name_clashes(members);
  find_nodes_on_two_machines(members);
  members.for_each_group(members.machine,
                         [&](Group group) { find_parts_of_machine(members, group); });
  members.for_each_group(members.node, [&](Group group) { find_place_conflicts(members, group); });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
