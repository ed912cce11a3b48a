// SPDX-License-Identifier: MIT
// What the processes themselves doubt: records of other launchers, values that could not be used;
// and whether they would meet.
#ifndef RANKMAP_JOB_DETAIL_FIND_DOUBTS_HPP
#define RANKMAP_JOB_DETAIL_FIND_DOUBTS_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr void find_contradiction(JobMembers& members, std::uint32_t member) {
  const JobRecord& record = members[member];
  const std::string_view against =
      record.against == Launcher::none ? "another launcher" : name(record.against);
  const bool is_named = !record.against_by.empty();
  members.found(
      FindingKind::contradicted, Severity::warning, member, rank_text(record), " is that by ",
      escaped_text(record.source), " of ", escaped_text(record.launcher), "; ",
      when(!is_named, "the variables of ", against, " contradict it"),
      when(is_named, escaped_text(record.against_by), " of ", against,
           " contradicts it, and is to be unset unless ", against, " started the process"));
}

/// A doubt of a kind of its own is a finding of its own; what is left is counted.
constexpr void find_warning(JobMembers& members, std::uint32_t member) {
  struct Row {
    Doubt doubt;
    FindingKind kind;
    Severity severity;
    std::string_view says;
  };
  constexpr Row rows[] = {{Doubt::groups, FindingKind::replica_groups, Severity::note,
                           " is a rank of one replica group of several"},
                          {Doubt::virtual_rank, FindingKind::virtual_ranks, Severity::note,
                           " has a local rank that other workers of its node may have"},
                          {Doubt::programs, FindingKind::shared_world, Severity::warning,
                           " shares its world with another program"},
                          {Doubt::index, FindingKind::two_indices, Severity::warning,
                           " is known by another number than its pod"}};
  const JobRecord& record = members[member];
  int left = int{record.warnings};
  for (const Row& row : rows) {
    if (row.doubt != record.doubt) continue;
    --left;
    // One process cannot know what the others tell: that they have local ranks of their own. And
    // torchrun shows each worker one device where it gives all of them local rank 0.
    const bool sees_several = record.device.visible_count > 1;
    if (row.doubt == Doubt::virtual_rank && (sees_several || members.job_of(member).is_numbered))
      continue;
    const bool is_index = row.doubt == Doubt::index;
    members.found(row.kind, row.severity, member, rank_text(record), row.says, ", by ",
                  escaped_text(record.doubted),
                  when(is_index && record.conflicts == 0 && record.against != Launcher::none,
                       " of ", name(record.against)),
                  when(is_index && !record.source.empty(), "; its own is by ",
                       escaped_text(record.source), " of ", escaped_text(record.launcher)));
  }
  if (left == 0) return;
  const bool is_told = record.doubt == Doubt::value && !record.doubted.empty();
  members.found(FindingKind::warned, Severity::warning, member, rank_text(record), " has ",
                counted(left, "warning"), when(is_told, ", of ", escaped_text(record.doubted)));
}

/// The first rank of a job that would not meet the first one. A name and a number may be of one
/// host, so only like is compared with like.
constexpr void find_meeting_points(JobMembers& members, std::size_t begin, std::size_t end) {
  const auto meeting = [&](std::size_t i) { return members[i].rendezvous; };
  // `key`: another one where they would not meet; 0: not known.
  const auto find_apart = [&](const auto& key, const auto& evidence) {
    std::size_t first = begin;
    while (first != end && key(first) == 0) ++first;
    std::size_t other = end;
    for (std::size_t i = first; i != end; ++i) {
      if (key(i) == 0 || key(i) == key(first)) continue;
      if (other == end) other = i;
      members.mark(FindingKind::rendezvous_differs, static_cast<std::uint32_t>(i));
    }
    if (other == end) return;
    members.report.found(FindingKind::rendezvous_differs, Severity::error, other,
                         rank_text(members[other]), evidence(first, other),
                         rank_text(members[first]));
  };
  find_apart([&](std::size_t i) { return port_of(meeting(i)); },
             [&](std::size_t a, std::size_t b) {
               return concat(" would meet at port ", port_of(meeting(b)), ", and at ",
                             port_of(meeting(a)), " ");
             });
  for (const AddressKind kind : {AddressKind::name, AddressKind::number}) {
    find_apart(
        [&](std::size_t i) { return kind_of(meeting(i)) == kind ? address_of(meeting(i)) : 0; },
        [](std::size_t, std::size_t) { return " would meet at another address than "; });
  }
  find_apart(
      [&](std::size_t i) {
        const bool is_known =
            kind_of(meeting(i)) == AddressKind::own && members.machine[i] != JobMembers::none;
        return is_known ? members.machine[i] + std::uint64_t{1} : 0;
      },
      [](std::size_t, std::size_t) {
        return " would meet on its own machine, and on its own does ";
      });
}

constexpr void find_doubts(JobMembers& members) {
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (members[i].conflicts != 0) find_contradiction(members, i);
    if (members[i].warnings != 0) find_warning(members, i);
  }
  // Each restart may have a meeting point of its own.
  if (members.report.has(FindingKind::mixed_restarts)) return;
  members.for_each_job([&](std::size_t begin, std::size_t end) {
    if (members.job_of(begin).is_one_size) find_meeting_points(members, begin, end);
  });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_DOUBTS_HPP
