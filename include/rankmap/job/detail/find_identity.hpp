// SPDX-License-Identifier: MIT
// Who the processes believe to be: which are of one job, by which launcher. What is left after that
// is one record for each rank of each job.
#ifndef RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
#define RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP

#include <rankmap/job/detail/find_ranks.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/record_values.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The rules about one job after the other.
class IdentityRules {
 public:
  /// `rows`: records in order.
  constexpr IdentityRules(const Gathered& gathered, const RecordIndex& rows, JobMembers& members,
                          FindingReport& report)
      : gathered_(gathered), rows_(rows), members_(members), report_(report) {
    members_.records = gathered.records;
  }

  /// Finds, and fills `members` of the constructor.
  constexpr void find() {
    const RecordIndex lone = take_lone_processes();
    const bool is_split = find_split_world();
    std::uint32_t jobs = 0;
    const auto job_of = [&](std::uint32_t row) {
      return is_split ? std::string_view() : of(row).job.view();
    };
    for_each_equal(rows_, by(gathered_.records, job_of), [&](Group job) {
      const auto at = static_cast<std::size_t>(job.data() - rows_.data());
      RankRules ranks(gathered_, job, at, report_);
      ranks.find();
      bool is_numbered = false;
      for (std::size_t i = 0; i < ranks.rows.size(); ++i) {
        is_numbered = is_numbered || of(ranks.rows[i]).local_rank > 0;
        members_.record.push_back(ranks.rows[i]);
        members_.job.push_back(jobs);
      }
      members_.is_numbered.push_back(is_numbered);
      members_.is_one_size.push_back(ranks.is_one_size);
      members_.is_whole.push_back(ranks.is_whole);
      ++jobs;
    });
    find_lone_processes(lone);
    if (jobs > 1) find_several_jobs();
    find_mixed_launchers();
    find_unread();
  }

 private:
  constexpr const JobRecord& of(std::uint32_t row) const { return gathered_.records[row]; }

  /// Takes the processes that know no launcher out of the records of a job of many: they are none
  /// of its ranks, whatever they think.
  constexpr RecordIndex take_lone_processes() {
    RecordIndex lone;
    RecordIndex others;
    bool are_many = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const JobRecord& record = of(rows_[i]);
      const bool is_lone = record.world_size == 1 && record.launcher == name(Launcher::none);
      (is_lone ? lone : others).push_back(rows_[i]);
      are_many = are_many || record.world_size != 1;
    }
    if (!are_many) return {};
    if (!lone.empty()) rows_ = others;
    return lone;
  }

  /// Whether the ranks of several jobs are just those of one world. Then they are one job.
  constexpr bool find_split_world() {
    if (rows_.size() < 2 || of(rows_[0]).job == of(rows_[rows_.size() - 1]).job) return false;
    RecordIndex order = rows_;
    sort_by(order, by(gathered_.records, &JobRecord::rank));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const JobRecord& record = of(order[i]);
      const auto size = static_cast<std::size_t>(record.world_size);
      if (static_cast<std::size_t>(record.rank) != i || size != order.size() || record.job.empty())
        return false;
    }
    rows_ = order;
    return find_exceptions(report_, FindingKind::job_ids_differ, Severity::error, 0,
                           gathered_.records, rows_, "ids of the job", &JobRecord::job);
  }

  constexpr void find_lone_processes(const RecordIndex& lone) {
    const bool may_be_missed = report_.has(FindingKind::missing_ranks);
    for (std::size_t i = 0; i < lone.size(); ++i) {
      report_.mark(FindingKind::lone_process, lone[i]);
      report_.found(FindingKind::lone_process, may_be_missed ? Severity::error : Severity::note, i,
                    process_text(of(lone[i])), " is rank 0 of 1, without a launcher",
                    may_be_missed ? ", and may be a rank that is missing" : "");
    }
  }

  constexpr void find_several_jobs() {
    report_.found(FindingKind::several_jobs, Severity::note, 0, [&](Message& out) {
      append_values(out, rows_, gathered_.records, &JobRecord::job,
                    [](Message& text, const JobRecord& record) {
                      append_all(text, record.job.empty() ? "job without an id" : "job ",
                                 escaped_text(record.job));
                    });
    });
  }

  constexpr void find_mixed_launchers() {
    RecordIndex known;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!members_[i].launcher.empty()) known.push_back(members_.record[i]);
    }
    find_exceptions(report_, FindingKind::mixed_launchers, Severity::warning, 0, gathered_.records,
                    known, "launchers", &JobRecord::launcher);
  }

  constexpr void find_unread() {
    const UnreadLines& unread = gathered_.unread;
    if (unread.pieces + unread.other_schemas == 0) return;
    const bool may_be_missed = report_.has(FindingKind::missing_ranks);
    report_.found(FindingKind::unread_lines, may_be_missed ? Severity::warning : Severity::note, 0,
                  when(unread.pieces != 0, counted(unread.pieces, "piece"),
                       " of torn records: ", unread.pieces != 0 ? unread.samples()[0].view() : "",
                       unread.other_schemas != 0 ? ", " : ""),
                  when(unread.other_schemas != 0, counted(unread.other_schemas, "record"),
                       " of another schema, ", unread.highest_schema));
  }

  const Gathered& gathered_;
  RecordIndex rows_;
  JobMembers& members_;
  FindingReport& report_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
