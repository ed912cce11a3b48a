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

class PlaceRules : MemberRules {
 public:
  using MemberRules::MemberRules;

  constexpr void find() {
    find_name_clashes();
    find_nodes_on_two_machines();
    members_.for_each_group(members_.machine, [this](Group group) { find_in_machine(group); });
    members_.for_each_group(members_.node, [this](Group group) { find_place_conflicts(group); });
  }

 private:
  constexpr void find_name_clashes() {
    for_each_equal(members_.by_host, by(members_.job, members_.host),
                   [this](Group group) { find_name_clash(group); });
  }
  /// Of one name. Those without a boot id come first.
  constexpr void find_name_clash(Group group) {
    while (!group.empty() && members_[group[0]].boot == 0) group = group.subspan(1);
    RecordIndex first_of;  // each machine
    for_each_equal(group, by(&JobRecord::boot),
                   [&](Group machine) { first_of.push_back(machine[0]); });
    if (first_of.size() < 2) return;
    const bool ascend = first_of[0] < first_of[1];
    const JobRecord& a = members_[first_of[ascend ? 0 : 1]];
    const JobRecord& b = members_[first_of[ascend ? 1 : 0]];
    found(FindingKind::host_name_clash, Severity::warning, group, host_text(a), " is the name of ",
          first_of.size(), " machines: ranks ", a.rank, " and ", b.rank, " have other boot ids");
  }

  constexpr void find_nodes_on_two_machines() {
    RecordIndex order;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].node_rank < 0 || members_.machine[i] == JobMembers::none) continue;
      order.push_back(static_cast<std::uint32_t>(i));
    }
    for_each_sorted(order, by(members_.job, &JobRecord::node_rank), [this](Group group) {
      // A machine by its boot id and one by its name may be the same.
      const MachineKey& key = members_.key[group[0]];
      std::size_t other = 0;
      while (other != group.size() &&
             (members_.key[group[other]].kind != key.kind || members_.key[group[other]] == key)) {
        ++other;
      }
      if (other == group.size()) return;
      found(FindingKind::place_conflict, Severity::error, group, "node ",
            members_[group[0]].node_rank, " is on two machines: ", rank_text(members_[group[0]]),
            ", ", rank_text(members_[group[other]]));
    });
  }

  /// Names and nodes of one machine.
  constexpr void find_in_machine(Group group) {
    const std::uint32_t first = group[0];
    std::uint32_t renamed = first;
    std::uint32_t split = first;
    for (const std::uint32_t here : group) {
      const bool has_other_name = members_.have_other_names(first, here);
      if (has_other_name && renamed == first) renamed = here;
      const bool is_other_node = members_[here].node_rank >= 0 && members_[first].node_rank >= 0 &&
                                 members_[here].node_rank != members_[first].node_rank;
      if (is_other_node && !has_other_name && split == first) split = here;
    }
    if (renamed != first) {
      found(FindingKind::containers, Severity::note, group, rank_text(members_[first]), " and ",
            rank_text(members_[renamed]), " are on one machine");
    }
    if (split != first) {
      found(FindingKind::split_machine, Severity::note, group, host_text(members_[first]),
            " is node ", members_[first].node_rank, " of rank ", members_[first].rank, " and node ",
            members_[split].node_rank, " of rank ", members_[split].rank);
    }
  }

  /// Local ranks and namespaces of one node. Its members come by local rank.
  constexpr void find_place_conflicts(Group node) {
    std::uint32_t apart = node[0];
    const JobRecord& first = members_[apart];
    for (std::size_t i = 0; i != node.size(); ++i) {
      const JobRecord& here = members_[node[i]];
      if (here.pid_namespace != 0 && first.pid_namespace != 0 && here.host == first.host &&
          here.pid_namespace != first.pid_namespace) {
        apart = node[i];
      }
      if (i == 0 || here.local_rank < 0) continue;
      const JobRecord& before = members_[node[i - 1]];
      if (before.local_rank != here.local_rank) continue;
      // Or torchrun was asked for that, with one device for each: find_doubts.hpp notes it.
      const bool have_one = before.device.visible_count == 1 && here.device.visible_count == 1;
      const bool is_virtual =
          !members_.job_of(node[i]).is_numbered &&
          (before.doubt == Doubt::virtual_rank || here.doubt == Doubt::virtual_rank);
      if (have_one && is_virtual) continue;
      found(FindingKind::place_conflict, Severity::error, node.subspan(i - 1, 2),
            ranks_text(before, here), " are both local rank ", here.local_rank);
    }
    if (apart == node[0]) return;
    for (const std::uint32_t member : node) mark(FindingKind::containers, member);
    report_.found(FindingKind::containers, Severity::note, node[0],
                  ranks_text(first, members_[apart]), " have different PID namespaces");
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
