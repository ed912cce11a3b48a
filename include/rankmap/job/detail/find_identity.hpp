// SPDX-License-Identifier: MIT
// Who the processes believe to be: which are of one job, by which launcher. What is left after that
// is one record for each rank of each job. Then what these doubt (records of other launchers,
// values that could not be used), and whether they would meet.
#ifndef RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
#define RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/job/detail/find_ranks.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr void find_refusals(const Refusals& refusals, FindingReport& report) {
  if (refusals.empty()) return;
  const Complaint& first = refusals.complaints()[0];
  const std::int64_t others = refusals.count() - first.count();
  const bool is_one = first.count() == 1;
  report.found(
      FindingKind::refused, Severity::error, 0, counted(first.count(), "process"),
      when(!first.host.empty(), is_one ? " on " : ", one of them on ", escaped_text(first.host),
           is_one ? "" : ","),
      is_one ? " says: " : " say: ", first.message,
      when(others != 0, "; and ", others, others == 1 ? " says" : " say", " something else"));
}

/// Takes the processes without a launcher out of the records of a job of many: they are no ranks.
constexpr RecordIndex take_lone_processes(std::span<const JobRecord> records, RecordIndex& rows) {
  RecordIndex lone;
  RecordIndex others;
  bool are_many = false;
  for (const std::uint32_t row : rows) {
    const bool is_one = records[row].world_size == 1;
    const bool is_lone = is_one && records[row].launcher == name(Launcher::none);
    (is_lone ? lone : others).push_back(row);
    are_many = are_many || !is_one;
  }
  if (!are_many) return {};
  rows = others;
  return lone;
}
constexpr void find_lone_processes(const RecordIndex& lone, FindingReport& report) {
  const bool may_be_missed = report.has(FindingKind::missing_ranks);
  for (std::size_t i = 0; i < lone.size(); ++i) {
    report.mark(FindingKind::lone_process, lone[i]);
    report.found(FindingKind::lone_process, may_be_missed ? Severity::error : Severity::note, i,
                 process_text(report.records[lone[i]]), " is rank 0 of 1, without a launcher",
                 may_be_missed ? ", and may be a rank that is missing" : "");
  }
}

/// Whether the ranks of several jobs are just those of one world. Then they are one job.
constexpr bool find_split_world(RecordIndex& rows, FindingReport& report) {
  const std::span<const JobRecord> records = report.records;
  if (rows.size() < 2 || records[rows[0]].job == records[rows[rows.size() - 1]].job) return false;
  RecordIndex order = rows;
  sort_by(order, by(records, &JobRecord::rank));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const JobRecord& record = records[order[i]];
    const auto size = static_cast<std::size_t>(record.world_size);
    if (static_cast<std::size_t>(record.rank) != i || size != order.size() || record.job.empty())
      return false;
  }
  rows = order;
  return find_exceptions(report, FindingKind::job_ids_differ, Severity::error, 0, rows,
                         "ids of the job", &JobRecord::job);
}

constexpr void find_several_jobs(const RecordIndex& rows, FindingReport& report) {
  report.found(FindingKind::several_jobs, Severity::note, 0, [&](Message& out) {
    append_values(out, rows, report.records, &JobRecord::job,
                  [](Message& text, const JobRecord& record) { job_text(record)(text); });
  });
}

constexpr void find_unread(const UnreadLines& unread, FindingReport& report) {
  if (unread.pieces + unread.other_schemas == 0) return;
  const bool may_be_missed = report.has(FindingKind::missing_ranks);
  report.found(FindingKind::unread_lines, may_be_missed ? Severity::warning : Severity::note, 0,
               when(unread.pieces != 0, counted(unread.pieces, "piece"),
                    " of torn records: ", unread.pieces != 0 ? unread.samples()[0].view() : "",
                    unread.other_schemas != 0 ? ", " : ""),
               when(unread.other_schemas != 0, counted(unread.other_schemas, "record"),
                    " of another schema, ", unread.highest_schema));
}

/// Returns one record for each rank of each job; their machines are not known yet.
constexpr JobMembers find_identity(const Gathered& gathered, const FindingOptions& options,
                                   FindingReport& report) {
  find_refusals(gathered.refusals, report);
  JobMembers members(options, report);
  RecordIndex rows = records_in_order(report.records, gathered.is_merged);
  const RecordIndex lone = take_lone_processes(report.records, rows);
  const bool is_split = find_split_world(rows, report);
  const auto job_of = [&](std::uint32_t row) {
    return is_split ? std::string_view() : report.records[row].job.view();
  };
  for_each_equal(rows, by(report.records, job_of), [&](Group job) {
    const auto at = static_cast<std::size_t>(job.data() - rows.data());
    RankRules ranks(gathered, job, at, report);
    ranks.find();
    for (const std::uint32_t row : ranks.rows) {
      members.record.push_back(row);
      members.job.push_back(static_cast<std::uint32_t>(members.jobs.size()));
    }
    members.jobs.push_back(ranks.facts);
  });
  find_lone_processes(lone, report);
  if (members.jobs.size() > 1) find_several_jobs(rows, report);
  members.find_differences(FindingKind::mixed_launchers, Severity::warning, "launchers",
                           &JobRecord::launcher, 0, members.size());
  find_unread(gathered.unread, report);
  return members;
}

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

/// A doubt that has a row here is a finding of its own. The warnings that are left are counted.
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
    // One process cannot know that others have local ranks above 0. And where torchrun gives all
    // workers local rank 0, it shows each of them one device.
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
  members.found(FindingKind::warned, Severity::warning, member, rank_text(record), " has ",
                warnings_text(record, left));
}

/// The ranks of a job that would not meet its first one. A name and a number may be of one host, so
/// names are compared with names, and numbers with numbers.
constexpr void find_meeting_points(JobMembers& members, std::size_t begin, std::size_t end) {
  const auto meeting = [&](std::size_t i) { return members[i].rendezvous; };
  // `key`: differs where two ranks would not meet; 0: not known.
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

#endif  // RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
