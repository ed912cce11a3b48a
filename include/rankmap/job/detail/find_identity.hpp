// SPDX-License-Identifier: MIT
// Who the processes believe to be: jobs, restarts, sizes, ranks, launchers. What is left after that
// is one record for each rank.
#ifndef RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
#define RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/record_values.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/job/unread_lines.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// Whether two records are of one process.
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

/// All that a table has.
struct Gathered {
  std::span<const JobRecord> records;
  /// Whether equal ones have been merged, so that two records that cannot be told apart may be of
  /// one process. With false each is a process.
  bool is_merged;
  const UnreadLines& unread;
  const Refusals& refusals;
};

/// The rules about one job after the other.
class IdentityRules {
 public:
  /// `rows`: records in order.
  constexpr IdentityRules(const Gathered& gathered, const RecordIndex& rows, JobMembers& members,
                          FindingReport& report)
      : gathered_(gathered),
        records_(gathered.records),
        rows_(rows),
        members_(members),
        report_(report) {
    members_.records = records_;
  }

  /// Finds, and fills `members` of the constructor.
  constexpr void find() {
    const RecordIndex lone = take_lone_processes();
    std::uint32_t jobs = 0;
    for_each_stretch(
        rows_.size(),
        [this](std::size_t i, std::size_t k) {
          return records_[rows_[i]].job == records_[rows_[k]].job;
        },
        [&](std::size_t begin, std::size_t end) {
          at_ = begin;
          RecordIndex job;
          job.append(rows_.data() + begin, end - begin);
          find_in_job(job, jobs++);
        });
    find_lone_processes(lone);
    if (jobs > 1) find_several_jobs();
    find_mixed_launchers();
    find_unread();
  }

 private:
  constexpr const JobRecord& operator[](std::uint32_t row) const { return records_[row]; }

  /// Takes the processes that know no launcher out of the records of a job of many: they are none
  /// of its ranks, whatever they think.
  constexpr RecordIndex take_lone_processes() {
    RecordIndex lone;
    RecordIndex others;
    bool are_many = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const JobRecord& record = (*this)[rows_[i]];
      const bool is_lone = record.world_size == 1 && record.launcher == name(Launcher::none);
      (is_lone ? lone : others).push_back(rows_[i]);
      are_many = are_many || record.world_size != 1;
    }
    if (!are_many) return {};
    if (!lone.empty()) rows_ = others;
    return lone;
  }

  constexpr void find_lone_processes(const RecordIndex& lone) {
    if (lone.empty()) return;
    const bool may_be_missed = report_.has(FindingKind::missing_ranks);
    const Severity severity = may_be_missed ? Severity::error : Severity::note;
    for (std::size_t i = 0; i < lone.size(); ++i) {
      report_.mark(FindingKind::lone_process, lone[i]);
      report_.found(FindingKind::lone_process, severity, i, [&](Message& out) {
        append_process(out, (*this)[lone[i]]);
        out.append(" is rank 0 of 1, without a launcher");
        if (may_be_missed) out.append(", and may be a rank that is missing");
      });
    }
  }

  constexpr void find_in_job(RecordIndex& rows, std::uint32_t job) {
    drop_old_restarts(rows);
    const bool is_one_size = !find_sizes(rows);
    bool is_whole = is_one_size;
    if (is_one_size && find_all_alone(rows)) {
      is_whole = false;
      rows.clear();
    } else if (is_one_size) {
      is_whole = !find_missing(rows);
    }
    const bool is_each_once = keep_one_of_each_rank(rows, is_one_size, is_whole);
    is_whole = is_each_once && is_whole;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      members_.record.push_back(rows[i]);
      members_.job.push_back(job);
    }
    members_.is_one_size.push_back(is_one_size);
    members_.is_whole.push_back(is_whole);
  }

  /// Whether every rank of the world of a restart has a record of that restart.
  constexpr bool is_complete(const RecordIndex& rows, int restart) const {
    int next = 0;
    int world_size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JobRecord& record = (*this)[rows[i]];
      if (record.restart_count != restart) continue;
      if (next == 0) world_size = record.world_size;
      if (record.world_size != world_size || record.rank > next) return false;
      if (record.rank == next) ++next;
    }
    return next == world_size;
  }

  /// Of a job that was restarted, keeps the last restart; where that is not complete, the last one
  /// of each rank.
  constexpr void drop_old_restarts(RecordIndex& rows) {
    int last = -1;
    int first = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int restart = (*this)[rows[i]].restart_count;
      if (restart > last) last = restart;
      if (restart >= 0 && (first < 0 || restart < first)) first = restart;
    }
    if (first == last) return;
    const bool complete = is_complete(rows, last);
    bool is_mixed = false;
    std::size_t kept = 0;
    for_each_stretch(
        rows.size(),
        [&](std::size_t i, std::size_t k) {
          return (*this)[rows[i]].rank == (*this)[rows[k]].rank;
        },
        [&](std::size_t begin, std::size_t end) {
          int newest = complete ? last : -1;
          for (std::size_t i = begin; i != end; ++i) {
            const int restart = (*this)[rows[i]].restart_count;
            if (restart > newest) newest = restart;
          }
          for (std::size_t i = begin; i != end; ++i) {
            const int restart = (*this)[rows[i]].restart_count;
            if (restart >= 0 && restart < last) report_.mark(FindingKind::mixed_restarts, rows[i]);
            if (restart >= 0 && restart != newest) continue;
            is_mixed = is_mixed || (restart >= 0 && restart < last);
            rows[kept++] = rows[i];
          }
        });
    rows.resize(kept);
    report_.found(FindingKind::mixed_restarts, is_mixed ? Severity::warning : Severity::note, at_,
                  [&](Message& out) {
                    if (is_mixed) {
                      out.append("not all ranks are in restart ").append_number(last);
                      out.append(", the first restart is ").append_number(first);
                    } else {
                      out.append("records from before restart ").append_number(last);
                      out.append(" are left out");
                    }
                  });
  }

  /// Returns whether the sizes differ.
  constexpr bool find_sizes(const RecordIndex& rows) {
    RecordIndex sorted = rows;
    const auto size_of = [](const JobRecord& record) { return record.world_size; };
    const std::size_t most = sort_by_frequency(sorted, records_, size_of);
    if (most == sorted.size()) return false;
    for (std::size_t i = most; i < sorted.size(); ++i) {
      report_.mark(FindingKind::world_size_differs, sorted[i]);
    }
    report_.found(FindingKind::world_size_differs, Severity::error, at_, [&](Message& out) {
      out.append("world sizes: ");
      append_values(out, sorted, records_, size_of, [](Message& text, const JobRecord& record) {
        text.append_number(record.world_size);
      });
    });
    return true;
  }

  /// Whether the records at these places of `rows` are of different processes.
  constexpr SameProcess compare_processes(std::uint32_t a, std::uint32_t b) const {
    if (!gathered_.is_merged) return SameProcess::no;
    return same_process((*this)[a], (*this)[b]);
  }

  constexpr bool find_all_alone(const RecordIndex& rows) {
    if ((*this)[rows[0]].world_size != 1) return false;
    std::size_t processes = 1;
    std::size_t last = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (compare_processes(rows[i - 1], rows[i]) != SameProcess::no) continue;
      ++processes;
      last = i;
    }
    if (processes == 1) return false;
    report_.mark(FindingKind::all_alone, rows[0]);
    report_.found(FindingKind::all_alone, Severity::error, at_, [&](Message& out) {
      out.append_number(processes).append(" processes are rank 0 of 1, the first is ");
      append_process(out, (*this)[rows[0]]);
      out.append(", the last ");
      append_process(out, (*this)[rows[last]]);
      const JobRecord& record = (*this)[rows[0]];
      if (!record.launcher.empty()) out.append("; launcher: ").append(record.launcher);
      if (record.warnings != 0) {
        out.append(", with ").append_number(int{record.warnings}).append(" warnings");
      }
    });
    return true;
  }

  /// Returns whether a rank has no record. Precondition: all have one size.
  constexpr bool find_missing(const RecordIndex& rows) {
    const int world_size = (*this)[rows[0]].world_size;
    RankList missing;
    int next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int rank = (*this)[rows[i]].rank;
      if (rank > next) missing.add(next, rank - 1);
      if (rank >= next) next = rank + 1;
    }
    if (next != world_size) missing.add(next, world_size - 1);
    if (missing.empty()) return false;
    // Of several jobs, the largest is the one that was meant.
    const std::size_t at = SIZE_MAX - rows.size();
    const bool is_first =
        report_.found(FindingKind::missing_ranks, Severity::error, at, [&](Message& out) {
          out.append_number(world_size - missing.size()).append(" of ").append_number(world_size);
          out.append(" ranks have a record");
          if (!(*this)[rows[0]].job.empty()) {
            out.append(" in job ");
            append_escaped(out, (*this)[rows[0]].job);
          }
          append_missing_nodes(out, rows);
          if (!gathered_.refusals.empty()) {
            const std::int64_t refused = gathered_.refusals.count();
            out.append("; ").append_number(refused);
            out.append(refused == 1 ? " process" : " processes").append(" refused to be a rank");
          }
          if (gathered_.unread.pieces + gathered_.unread.other_schemas != 0) {
            out.append("; of what could not be read, some may be theirs");
          }
        });
    if (is_first) report_.set_ranks(FindingKind::missing_ranks, std::move(missing));
    return true;
  }

  /// "; of node 1 there is none", where each process says on which node it is.
  constexpr void append_missing_nodes(Message& out, const RecordIndex& rows) const {
    const int nodes = (*this)[rows[0]].node_count;
    RecordIndex order = rows;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const JobRecord& record = (*this)[order[i]];
      if (nodes < 1 || record.node_rank < 0 || record.node_count != nodes) return;
    }
    sort_by(order, [this](std::uint32_t a, std::uint32_t b) {
      return compare((*this)[a].node_rank, (*this)[b].node_rank);
    });
    RankList missing;
    int next = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int node = (*this)[order[i]].node_rank;
      if (node > next) missing.add(next, node - 1);
      next = node + 1;
    }
    if (next != nodes) missing.add(next, nodes - 1);
    if (missing.empty()) return;
    out.append(missing.size() == 1 ? "; of node " : "; of nodes ").append(to_string(missing));
    out.append(" there is none");
  }

  /// Drops ranks that two processes have: what is true of one is not of the other. Returns whether
  /// there is none. `can_conflict`: whether the ranks are of one world; `is_whole`: whether none of
  /// them is missing.
  constexpr bool keep_one_of_each_rank(RecordIndex& rows, bool can_conflict, bool is_whole) {
    struct Twice {
      std::size_t place;
      std::uint32_t first;
      std::uint32_t other;
      SameProcess same;
    };
    SmallVector<Twice, 4> twice;
    std::size_t kept = 0;
    std::size_t ranks = 0;
    for_each_stretch(
        rows.size(),
        [&](std::size_t i, std::size_t k) {
          return (*this)[rows[i]].rank == (*this)[rows[k]].rank;
        },
        [&](std::size_t begin, std::size_t end) {
          ++ranks;
          Twice found = {begin, rows[begin], rows[begin], SameProcess::yes};
          for (std::size_t i = begin + 1; i != end; ++i) {
            const SameProcess same = compare_processes(rows[i - 1], rows[i]);
            if (same == found.same || same == SameProcess::yes || found.same == SameProcess::no) {
              continue;
            }
            found.same = same;
            found.other = rows[i];
          }
          if (found.same == SameProcess::yes) {
            rows[kept++] = found.first;
          } else {
            twice.push_back(found);
          }
        });
    rows.resize(kept);
    if (twice.empty() || !can_conflict) return twice.empty();
    bool are_processes = true;
    bool are_nodes = true;
    for (std::size_t i = 0; i < twice.size(); ++i) {
      are_processes = are_processes && twice[i].same == SameProcess::no;
      are_nodes = are_nodes && is_one_node_twice((*this)[twice[i].first], (*this)[twice[i].other]);
    }
    const FindingKind kind = are_processes && is_whole && twice.size() == ranks && ranks > 1
                                 ? FindingKind::several_runs
                             : are_processes && are_nodes && !is_whole ? FindingKind::same_node_rank
                                                                       : FindingKind::same_rank;
    for (std::size_t i = 0; i < twice.size(); ++i) {
      find_same_rank(kind, twice[i].place, twice[i].first, twice[i].other, twice[i].same);
    }
    return false;
  }

  /// Whether two processes say that they are on the same node, and are on two machines.
  static constexpr bool is_one_node_twice(const JobRecord& a, const JobRecord& b) {
    const bool are_apart = a.boot != 0 && b.boot != 0
                               ? a.boot != b.boot
                               : !a.host.empty() && !b.host.empty() && a.host != b.host;
    return are_apart && a.node_rank >= 0 && a.node_rank == b.node_rank;
  }

  constexpr void find_same_rank(FindingKind kind, std::size_t place, std::uint32_t first,
                                std::uint32_t other, SameProcess same) {
    report_.mark(kind, first);
    const bool is_known = same == SameProcess::no;
    report_.found(kind, is_known ? Severity::error : Severity::note, at_ + place,
                  [&](Message& out) {
                    if (kind == FindingKind::same_node_rank) {
                      out.append("node ").append_number((*this)[first].node_rank);
                      out.append(" is two machines: ");
                    } else if (kind == FindingKind::several_runs) {
                      out.append("every rank is two processes and more: ");
                    }
                    out.append("rank ").append_number((*this)[first].rank).append(" is ");
                    append_process(out, (*this)[first]);
                    out.append(is_known ? " and " : ", and perhaps also ");
                    append_process(out, (*this)[other]);
                  });
  }

  constexpr void find_several_jobs() {
    report_.found(FindingKind::several_jobs, Severity::note, 0, [&](Message& out) {
      append_values(
          out, rows_, records_, [](const JobRecord& r) { return r.job.view(); },
          [](Message& text, const JobRecord& record) {
            text.append("job ");
            if (record.job.empty()) {
              text.append("without an id");
            } else {
              append_escaped(text, record.job);
            }
          });
    });
  }

  constexpr void find_mixed_launchers() {
    RecordIndex sorted;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!members_[i].launcher.empty()) sorted.push_back(members_.record[i]);
    }
    if (sorted.empty()) return;
    const auto launcher = [](const JobRecord& r) { return r.launcher.view(); };
    const std::size_t most = sort_by_frequency(sorted, records_, launcher);
    if (most == sorted.size()) return;
    for (std::size_t i = most; i < sorted.size(); ++i) {
      report_.mark(FindingKind::mixed_launchers, sorted[i]);
    }
    report_.found(FindingKind::mixed_launchers, Severity::warning, 0, [&](Message& out) {
      out.append("launchers: ");
      append_values(out, sorted, records_, launcher, [](Message& text, const JobRecord& record) {
        append_escaped(text, record.launcher);
      });
    });
  }

  constexpr void find_unread() {
    if (gathered_.unread.pieces + gathered_.unread.other_schemas == 0) return;
    const bool may_be_missed = report_.has(FindingKind::missing_ranks);
    report_.found(
        FindingKind::unread_lines, may_be_missed ? Severity::warning : Severity::note, 0,
        [&](Message& out) {
          if (gathered_.unread.pieces != 0) {
            out.append_number(gathered_.unread.pieces).append(" pieces of torn records: ");
            out.append(gathered_.unread.samples()[0]);
          }
          if (gathered_.unread.other_schemas == 0) return;
          if (gathered_.unread.pieces != 0) out.append(", ");
          out.append_number(gathered_.unread.other_schemas).append(" records of another schema, ");
          out.append_number(gathered_.unread.highest_schema);
        });
  }

  const Gathered& gathered_;
  std::span<const JobRecord> records_;
  RecordIndex rows_;
  JobMembers& members_;
  FindingReport& report_;
  std::size_t at_ = 0;  // of the first row of the job
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_IDENTITY_HPP
