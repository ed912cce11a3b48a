// SPDX-License-Identifier: MIT
// The ranks of one job: which size their world has, which of them are missing, and which are
// several processes. What is left is one record for each rank.
#ifndef RANKMAP_JOB_DETAIL_FIND_RANKS_HPP
#define RANKMAP_JOB_DETAIL_FIND_RANKS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/job/unread_lines.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// All that a table has.
struct Gathered {
  /// Whether equal records have been merged. Then two that cannot be told apart may be of one
  /// process. Otherwise each record is a process.
  bool is_merged;
  const UnreadLines& unread;
  const Refusals& refusals;
};

class RankRules {
  // Instantiated below, and therefore first.
  constexpr const JobRecord& record(std::uint32_t row) const { return report_.records[row]; }
  constexpr void for_each_rank(const auto& visit) const {
    for_each_equal(rows, by(report_.records, &JobRecord::rank), visit);
  }

 public:
  RecordIndex rows;  ///< the records of a job by rank; after find() one for each rank
  JobFacts facts;    ///< `has_nodes` is not known yet

  /// `at`: the place of the first of these rows.
  constexpr RankRules(const Gathered& gathered, Group job, std::size_t at, FindingReport& report)
      : gathered_(gathered), report_(report), at_(at) {
    rows.append(job.data(), job.size());
  }
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~RankRules() = default;

  constexpr void find() {
    drop_old_restarts();
    facts.is_one_size = !find_exceptions(report_, FindingKind::world_size_differs, Severity::error,
                                         at_, rows, "world sizes", &JobRecord::world_size);
    if (facts.is_one_size && find_all_alone()) {
      rows.clear();
      return;
    }
    if (facts.is_one_size) find_missing();
    std::size_t kept = 0;
    SmallVector<Twice, 4> twice;
    for_each_rank([&](Group group) {
      const Twice found = compare_all(group);
      if (found.same != SameProcess::yes) return twice.push_back(found);
      rows[kept++] = group[0];
      facts.is_numbered = facts.is_numbered || record(group[0]).local_rank > 0;
    });
    rows.resize(kept);
    if (twice.empty()) return;
    if (facts.is_one_size) find_same_ranks(twice);
    facts.is_whole = false;
  }

 private:
  /// Two records of one rank.
  struct Twice {
    std::size_t place;
    std::uint32_t first;
    std::uint32_t other;
    SameProcess same;
  };

  constexpr SameProcess compare_processes(std::uint32_t a, std::uint32_t b) const {
    return gathered_.is_merged ? same_process(record(a), record(b)) : SameProcess::no;
  }
  /// The first two neighbours of a group that surely are two processes; else the first that may be.
  constexpr Twice compare_all(Group group) const {
    const auto place = static_cast<std::size_t>(group.data() - rows.data());
    Twice out = {place, group[0], group[0], SameProcess::yes};
    for (std::size_t i = 1; i != group.size() && out.same != SameProcess::no; ++i) {
      const SameProcess same = compare_processes(group[i - 1], group[i]);
      if (same == out.same || same == SameProcess::yes) continue;
      out.same = same;
      out.first = group[i - 1];
      out.other = group[i];
    }
    return out;
  }

  /// Whether every rank of the world of a restart has a record of that restart.
  constexpr bool is_complete(int restart) const {
    int next = 0;
    int world_size = 0;
    for (const std::uint32_t row : rows) {
      const JobRecord& here = record(row);
      if (here.restart_count != restart) continue;
      if (next == 0) world_size = here.world_size;
      if (here.world_size != world_size || here.rank > next) return false;
      if (here.rank == next) ++next;
    }
    return next == world_size;
  }

  /// Keeps the last restart of a job; where that is not complete, the last one of each rank.
  constexpr void drop_old_restarts() {
    int last = -1;
    int first = -1;
    for (const std::uint32_t row : rows) {
      const int restart = record(row).restart_count;
      if (restart > last) last = restart;
      if (restart >= 0 && (first < 0 || restart < first)) first = restart;
    }
    if (first == last) return;
    const bool complete = is_complete(last);
    const auto newest_of = [&](Group group) {
      int newest = complete ? last : -1;
      for (const std::uint32_t row : group) {
        if (record(row).restart_count > newest) newest = record(row).restart_count;
      }
      return newest;
    };
    const auto is_behind = [last](int restart) { return restart >= 0 && restart < last; };
    bool is_mixed = false;
    for_each_rank([&](Group group) { is_mixed = is_mixed || is_behind(newest_of(group)); });
    std::size_t kept = 0;
    for_each_rank([&](Group group) {
      const int newest = newest_of(group);
      for (const std::uint32_t row : group) {
        const int restart = record(row).restart_count;
        if (is_behind(restart) && (!is_mixed || is_behind(newest))) {
          report_.mark(FindingKind::mixed_restarts, row);
        }
        if (restart < 0 || restart == newest) rows[kept++] = row;
      }
    });
    rows.resize(kept);
    if (is_mixed) {
      report_.found(FindingKind::mixed_restarts, Severity::warning, at_,
                    "not all ranks are in restart ", last, ", the first restart is ", first);
    } else {
      report_.found(FindingKind::mixed_restarts, Severity::note, at_,
                    "records from before restart ", last, " are left out");
    }
  }

  constexpr bool find_all_alone() {
    const JobRecord& first = record(rows[0]);
    if (first.world_size != 1) return false;
    std::size_t processes = 1;
    std::size_t last = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (compare_processes(rows[i - 1], rows[i]) != SameProcess::no) continue;
      ++processes;
      last = i;
    }
    if (processes == 1) return false;
    report_.mark(FindingKind::all_alone, rows[0]);
    report_.found(FindingKind::all_alone, Severity::error, at_, processes,
                  " processes are rank 0 of 1, the first is ", process_text(first), ", the last ",
                  process_text(record(rows[last])),
                  first.launcher.empty() ? "" : "; launcher: ", first.launcher,
                  when(first.warnings != 0, ", with ", warnings_text(first, first.warnings)));
    return true;
  }

  /// The numbers below `count` that no row has. Precondition: the rows come by these numbers.
  constexpr RankList missing_numbers(const RecordIndex& order, int JobRecord::*number,
                                     int count) const {
    RankList missing;
    int next = 0;
    for (const std::uint32_t row : order) {
      const int here = record(row).*number;
      if (here > next) missing.add(next, here - 1);
      next = here + 1;
    }
    if (next < count) missing.add(next, count - 1);
    return missing;
  }

  constexpr void find_missing() {
    const JobRecord& first = record(rows[0]);
    RankList missing = missing_numbers(rows, &JobRecord::rank, first.world_size);
    facts.is_whole = missing.empty();
    if (facts.is_whole) return;
    // Of several jobs, the largest is the one that was meant.
    const std::size_t at = SIZE_MAX - rows.size();
    const std::int64_t refused = gathered_.refusals.count();
    const bool is_read = gathered_.unread.pieces + gathered_.unread.other_schemas == 0;
    const bool is_first = report_.found(
        FindingKind::missing_ranks, Severity::error, at, first.world_size - missing.size(), " of ",
        first.world_size, " ranks have a record",
        when(!first.job.empty(), " in job ", escaped_text(first.job)),
        [this](Message& out) { append_missing_nodes(out); },
        when(refused != 0, "; ", counted(refused, "process"), " refused to be a rank"),
        is_read ? "" : "; of what could not be read, some may be theirs");
    report_.name_case(FindingKind::missing_ranks, "; missing in ", job_text(first), ": ",
                      to_string(missing));
    if (is_first) report_.set_ranks(FindingKind::missing_ranks, std::move(missing));
  }

  /// "; of node 1 there is none", where each process says on which node it is.
  constexpr void append_missing_nodes(Message& out) const {
    const int nodes = record(rows[0]).node_count;
    const auto is_located = [&](std::uint32_t row) {
      return record(row).node_rank >= 0 && record(row).node_count == nodes;
    };
    if (nodes < 1 || !all_of(rows, is_located)) return;
    RecordIndex order = rows;
    sort_by(order, by(report_.records, &JobRecord::node_rank));
    const RankList missing = missing_numbers(order, &JobRecord::node_rank, nodes);
    if (missing.empty()) return;
    append_all(out, missing.size() == 1 ? "; of node " : "; of nodes ", to_string(missing),
               " there is none");
  }

  /// Ranks of several processes have no row left: what is true of one may not be of another.
  constexpr void find_same_ranks(const SmallVector<Twice, 4>& twice) {
    const bool are_processes =
        all_of(twice, [](const Twice& pair) { return pair.same == SameProcess::no; });
    const bool are_nodes = all_of(twice, [this](const Twice& pair) {
      return is_one_node_twice(record(pair.first), record(pair.other));
    });
    const bool are_groups = all_of(twice, [this](const Twice& pair) {
      return record(pair.first).doubt == Doubt::groups && record(pair.other).doubt == Doubt::groups;
    });
    FindingKind kind = FindingKind::same_rank;
    std::string_view what;
    if (are_processes && are_groups) {
      kind = FindingKind::replica_groups;
      what = "each group has such a rank: ";
    } else if (are_processes && facts.is_whole && rows.empty()) {  // every rank is several
      kind = FindingKind::several_runs;
      what = "every rank is two processes and more: ";
    } else if (are_processes && are_nodes && !facts.is_whole) {
      kind = FindingKind::same_node_rank;
    }
    for (const Twice& pair : twice) {
      const JobRecord& first = record(pair.first);
      const JobRecord& other = record(pair.other);
      const bool is_known = pair.same == SameProcess::no;
      const bool is_error = is_known && kind != FindingKind::replica_groups;
      const bool has_times = first.time >= 0 && other.time >= 0;
      const std::int64_t later = has_times ? (other.time - first.time) / 1000 : 0;
      report_.mark(kind, pair.first);
      report_.found(kind, is_error ? Severity::error : Severity::note, at_ + pair.place, what,
                    when(kind == FindingKind::same_node_rank, "node rank ", first.node_rank,
                         " is that of two hosts: "),
                    "rank ", first.rank, " is ", process_text(first),
                    is_known ? " and " : ", and perhaps also ", process_text(other),
                    when(later != 0, ", which spoke ", later < 0 ? -later : later,
                         later < 0 ? " s earlier" : " s later"));
    }
  }

  const Gathered& gathered_;
  FindingReport& report_;
  std::size_t at_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_RANKS_HPP
