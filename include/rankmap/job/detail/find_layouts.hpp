// SPDX-License-Identifier: MIT
// How many ranks each node has and in which order, and whether all agree on that; and which groups
// of ranks are in several domains, such as racks, though each should be in one.
#ifndef RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP
#define RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP

#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/record_values.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What all ranks of a job should agree on, as far as they know it.
constexpr void find_disagreement(JobMembers& members, std::size_t begin, std::size_t end,
                                 auto value, std::string_view what) {
  RecordIndex known = members.records_with(value, begin, end);
  if (known.empty()) return;
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

/// The local sizes of one node against its members; where not all of these are known, against
/// each other.
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

constexpr void find_uneven_nodes(JobMembers& members, std::size_t job_begin, std::size_t job_end) {
  std::size_t least = members.size();
  std::size_t most = 0;
  std::uint32_t smallest = 0;
  std::uint32_t largest = 0;
  std::size_t nodes = 0;
  // A job's members are at the same places in by_node.
  const Group job(members.by_node.data() + job_begin, job_end - job_begin);
  for_each_equal(job, members.by(members.node), [&](Group node) {
    ++nodes;
    std::uint32_t first = node[0];
    for (const std::uint32_t member : node) first = member < first ? member : first;
    if (node.size() < least || (node.size() == least && first < smallest)) {
      least = node.size();
      smallest = first;
    }
    if (node.size() > most || (node.size() == most && first < largest)) {
      most = node.size();
      largest = first;
    }
  });
  if (least == most) return;
  members.mark(FindingKind::uneven_nodes, smallest);
  members.mark(FindingKind::uneven_nodes, largest);
  members.report.found(FindingKind::uneven_nodes, Severity::note, job_begin, nodes, " nodes have ",
                       least, " to ", most, " ranks: that of ", rank_text(members[smallest]),
                       " has ", least, ", that of ", rank_text(members[largest]), " has ", most);
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

/// A rank whose domain is not known is in none.
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

#endif  // RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP
