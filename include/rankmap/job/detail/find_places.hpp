// SPDX-License-Identifier: MIT
// Where the processes are: which share machines, nodes and places. How many ranks each node has, in
// which order, and whether all agree on that. Which groups of ranks are in several domains, such as
// racks, though each group should be in one. A fault among the ranks of one node is here, too.
#ifndef RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
#define RANKMAP_JOB_DETAIL_FIND_PLACES_HPP

#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// `group`: the members with one host name, those without a boot id first.
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
    // torchrun may have been asked for that, with one device for each: see find_identity.hpp.
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
  for_each_equal(members.by_host, members.by(members.job, members.host),
                 [&](Group group) { find_name_clash(members, group); });
  find_nodes_on_two_machines(members);
  members.for_each_group(members.machine,
                         [&](Group group) { find_parts_of_machine(members, group); });
  members.for_each_group(members.node, [&](Group group) { find_place_conflicts(members, group); });
}

/// What all ranks of a job should agree on, as far as they know it.
constexpr void find_disagreement(JobMembers& members, std::size_t begin, std::size_t end,
                                 auto value, std::string_view what) {
  RecordIndex known = members.records_with(value, begin, end);
  const std::size_t most = sort_by_frequency(known, members.records, value);
  if (most == known.size()) return;
  std::uint32_t first = known[most];
  for (std::size_t i = most; i < known.size(); ++i) {
    members.report.mark(FindingKind::layout_differs, known[i]);
    if (members.records[known[i]].rank < members.records[first].rank) first = known[i];
  }
  members.report.found(FindingKind::layout_differs, Severity::error, begin,
                       rank_text(members.records[first]), " has ", what, " rank ",
                       members.records[known[0]].rank, ", with which ", most - 1, " agree");
}

/// Compares the local sizes of a node with its members; if not all are known, with each other.
constexpr void find_wrong_sizes(JobMembers& members, Group node) {
  const std::uint32_t first = node[0];
  if (!members.job_of(first).is_one_size) return;
  // Containers with names of their own may part what the launcher calls one node.
  const bool is_counted =
      members.job_of(first).has_nodes &&
      (members[first].node_rank >= 0 || !members.has_names[members.machine[first]]);
  std::uint32_t told = first;  // who says what the others should say
  int expected = is_counted ? static_cast<int>(node.size()) : -1;
  for (const std::uint32_t member : node) {
    const JobRecord& here = members[member];
    if (here.local_world_size < 0) continue;
    if (expected < 0) {
      told = member;
      expected = here.local_world_size;
    }
    if (here.local_world_size == expected) continue;
    members.found(FindingKind::layout_differs, Severity::error, member, rank_text(here),
                  " says that its node has ", counted(here.local_world_size, "rank"), ", ",
                  is_counted ? "but it has " : "",
                  when(!is_counted, rank_text(members[told]), " says "), expected);
  }
}

constexpr void find_uneven_nodes(JobMembers& members, std::size_t begin, std::size_t end) {
  // by_node has a job's members at the same places, and its nodes have consecutive numbers.
  const std::uint32_t first = members.node[members.by_node[begin]];
  const std::uint32_t nodes = members.node[members.by_node[end - 1]] - first + 1;
  RecordIndex counts(nodes);  // of ranks
  const auto ranks = [&](std::size_t i) -> auto& { return counts[members.node[i] - first]; };
  for (std::size_t i = begin; i != end; ++i) ++ranks(i);
  auto smallest = static_cast<std::uint32_t>(begin);  // the first rank of that node
  std::uint32_t largest = smallest;
  for (std::uint32_t i = smallest; i != end; ++i) {
    if (ranks(i) < ranks(smallest)) smallest = i;
    if (ranks(i) > ranks(largest)) largest = i;
  }
  if (ranks(smallest) == ranks(largest)) return;
  members.mark(FindingKind::uneven_nodes, smallest);
  members.mark(FindingKind::uneven_nodes, largest);
  members.report.found(FindingKind::uneven_nodes, Severity::note, begin, nodes, " nodes have ",
                       ranks(smallest), " to ", ranks(largest), " ranks: that of ",
                       rank_text(members[smallest]), " has ", ranks(smallest), ", that of ",
                       rank_text(members[largest]), " has ", ranks(largest));
}

constexpr void find_disorder(JobMembers& members) {
  // By node: the place behind its last rank so far; 0: none.
  RecordIndex behind_last(members.size());
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const std::uint32_t node = members.node[i];
    if (node == JobMembers::none || !members.job_of(i).is_whole) continue;
    const std::uint32_t behind = behind_last[node];
    behind_last[node] = i + 1;
    if (behind == 0 || behind == i) continue;
    members.found(FindingKind::out_of_order, Severity::note, i, rank_text(members[i - 1]),
                  " is between ", ranks_text(members[behind - 1], members[i]));
  }
}

/// A rank whose domain is not known fits into any.
constexpr void find_split_groups(JobMembers& members, int size) {
  const auto number = [&](std::size_t i) { return members[i].rank / size; };
  const auto is_same = [&](std::size_t i, std::size_t k) {
    return members.job[i] == members.job[k] && number(i) == number(k);
  };
  for_each_run(0, members.size(), is_same, [&](std::size_t begin, std::size_t end) {
    std::size_t first = begin;
    while (first != end && members[first].domain.empty()) ++first;
    std::size_t other = first;
    while (other != end &&
           (members[other].domain.empty() || members[other].domain == members[first].domain)) {
      ++other;
    }
    if (other == end) return;
    for (std::size_t i = begin; i != end; ++i) {
      members.mark(FindingKind::leaves_domain, static_cast<std::uint32_t>(i));
    }
    const int low = number(begin) * size;
    const int left = members[begin].world_size - low;
    members.report.found(FindingKind::leaves_domain, Severity::warning, begin, "ranks ", low,
                         " to ", low + (left < size ? left : size) - 1,
                         " should be in one domain: ", rank_text(members[first]), " is in ",
                         escaped_text(members[first].domain), ", ", rank_text(members[other]),
                         " in ", escaped_text(members[other].domain));
  });
}

constexpr void find_layouts(JobMembers& members) {
  members.for_each_group(members.node, [&](Group node) { find_wrong_sizes(members, node); });
  members.for_each_job([&](std::size_t begin, std::size_t end) {
    if (members.job_of(begin).is_one_size) {
      find_disagreement(members, begin, end, &JobRecord::layout, "another layout than");
      find_disagreement(members, begin, end, &JobRecord::hosts, "another list of hosts than");
      find_disagreement(members, begin, end, &JobRecord::node_count,
                        "another number of nodes than");
    }
    if (members.job_of(begin).has_nodes) find_uneven_nodes(members, begin, end);
  });
  if (members.options.wants_block_order) find_disorder(members);
  if (members.options.ranks_in_domain > 1)
    find_split_groups(members, members.options.ranks_in_domain);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
