// SPDX-License-Identifier: MIT
// The ranks of one job: which size their world has, which of them are missing, and which are
// several processes. What is left is one record for each rank.
#ifndef RANKMAP_JOB_DETAIL_FIND_RANKS_HPP
#define RANKMAP_JOB_DETAIL_FIND_RANKS_HPP

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
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// All that a table has.
struct Gathered {
  std::span<const JobRecord> records;
  /// Whether equal ones have been merged, so that two records that cannot be told apart may be of
  /// one process. With false each is a process.
  bool is_merged;
  const UnreadLines& unread;
  const Refusals& refusals;
};

class RankRules {
  // Instantiated below, and therefore first.
  constexpr const JobRecord& of(std::uint32_t row) const { return gathered_.records[row]; }
  template <class Visit>
  constexpr void for_each_rank(const Visit& visit) const {
    for_each_equal(rows, by([this](std::uint32_t row) { return of(row).rank; }), visit);
  }

 public:
  RecordIndex rows;          ///< the records of a job by rank; after find() one for each rank
  bool is_one_size = false;  ///< all of them have one world size
  bool is_whole = false;     ///< and each rank was one process

  /// `at`: the place of the first of these rows.
  constexpr RankRules(const Gathered& gathered, Group job, std::size_t at, FindingReport& report)
      : gathered_(gathered), report_(report), at_(at) {
    rows.append(job.data(), job.size());
  }
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~RankRules() = default;

  constexpr void find() {
    drop_old_restarts();
    is_one_size = !find_exceptions(report_, FindingKind::world_size_differs, Severity::error, at_,
                                   gathered_.records, rows, "world sizes",
                                   [](const JobRecord& record) { return record.world_size; });
    if (is_one_size && find_all_alone()) {
      rows.clear();
      return;
    }
    RankList missing;
    std::size_t kept = 0;
    int next = 0;
    SmallVector<Twice, 4> twice;
    for_each_rank([&](Group group) {
      const int rank = of(group[0]).rank;
      if (rank > next) missing.add(next, rank - 1);
      next = rank + 1;
      const Twice found = compare_all(group);
      if (found.same == SameProcess::yes) {
        rows[kept++] = group[0];
      } else {
        twice.push_back(found);
      }
    });
    const int world_size = of(rows[0]).world_size;
    if (next < world_size) missing.add(next, world_size - 1);
    is_whole = is_one_size && missing.empty();
    if (is_one_size && !is_whole) find_missing(std::move(missing), world_size);
    rows.resize(kept);
    if (twice.empty()) return;
    if (is_one_size) find_same_ranks(twice, kept + twice.size() > 1 && kept == 0);
    is_whole = false;
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
    return gathered_.is_merged ? same_process(of(a), of(b)) : SameProcess::no;
  }
  /// The first two of a group that are surely two processes; else the first two that may be.
  constexpr Twice compare_all(Group group) const {
    const auto place = static_cast<std::size_t>(group.data() - rows.data());
    Twice out = {place, group[0], group[0], SameProcess::yes};
    for (std::size_t i = 1; i != group.size() && out.same != SameProcess::no; ++i) {
      const SameProcess same = compare_processes(group[i - 1], group[i]);
      if (same == out.same || same == SameProcess::yes) continue;
      out.same = same;
      out.other = group[i];
    }
    return out;
  }

  /// Whether every rank of the world of a restart has a record of that restart.
  constexpr bool is_complete(int restart) const {
    int next = 0;
    int world_size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JobRecord& record = of(rows[i]);
      if (record.restart_count != restart) continue;
      if (next == 0) world_size = record.world_size;
      if (record.world_size != world_size || record.rank > next) return false;
      if (record.rank == next) ++next;
    }
    return next == world_size;
  }

  /// Of a job that was restarted, keeps the last restart; where that is not complete, the last one
  /// of each rank.
  constexpr void drop_old_restarts() {
    int last = -1;
    int first = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int restart = of(rows[i]).restart_count;
      if (restart > last) last = restart;
      if (restart >= 0 && (first < 0 || restart < first)) first = restart;
    }
    if (first == last) return;
    const bool complete = is_complete(last);
    const auto newest_of = [&](Group group) {
      int newest = complete ? last : -1;
      for (const std::uint32_t row : group) {
        if (of(row).restart_count > newest) newest = of(row).restart_count;
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
        const int restart = of(row).restart_count;
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
    const JobRecord& first = of(rows[0]);
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
                  process_text(of(rows[last])),
                  first.launcher.empty() ? "" : "; launcher: ", first.launcher, [&](Message& out) {
                    if (first.warnings == 0) return;
                    out.append(", with ").append_number(int{first.warnings}).append(" warnings");
                  });
    return true;
  }

  constexpr void find_missing(RankList&& missing, int world_size) {
    // Of several jobs, the largest is the one that was meant.
    const std::size_t at = SIZE_MAX - rows.size();
    const UnreadLines& unread = gathered_.unread;
    const bool is_first = report_.found(
        FindingKind::missing_ranks, Severity::error, at, world_size - missing.size(), " of ",
        world_size, " ranks have a record", [&](Message& out) {
          const JobRecord& first = of(rows[0]);
          if (!first.job.empty()) append_escaped(out.append(" in job "), first.job);
          append_missing_nodes(out);
          if (!gathered_.refusals.empty()) {
            const std::int64_t refused = gathered_.refusals.count();
            out.append("; ").append_number(refused);
            out.append(refused == 1 ? " process" : " processes").append(" refused to be a rank");
          }
          if (unread.pieces + unread.other_schemas != 0) {
            out.append("; of what could not be read, some may be theirs");
          }
        });
    if (is_first) report_.set_ranks(FindingKind::missing_ranks, std::move(missing));
  }

  /// "; of node 1 there is none", where each process says on which node it is.
  constexpr void append_missing_nodes(Message& out) const {
    const int nodes = of(rows[0]).node_count;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JobRecord& record = of(rows[i]);
      if (nodes < 1 || record.node_rank < 0 || record.node_count != nodes) return;
    }
    const auto node_of = [this](std::uint32_t row) { return of(row).node_rank; };
    RecordIndex order = rows;
    sort_by(order, by(node_of));
    RankList missing;
    int next = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int node = node_of(order[i]);
      if (node > next) missing.add(next, node - 1);
      next = node + 1;
    }
    if (next != nodes) missing.add(next, nodes - 1);
    if (missing.empty()) return;
    out.append(missing.size() == 1 ? "; of node " : "; of nodes ").append(to_string(missing));
    out.append(" there is none");
  }

  /// What is true of one of two processes is not of the other. `are_all`: every rank is several.
  constexpr void find_same_ranks(const SmallVector<Twice, 4>& twice, bool are_all) {
    bool are_processes = true;
    bool are_nodes = true;
    bool are_groups = true;
    for (std::size_t i = 0; i < twice.size(); ++i) {
      are_processes = are_processes && twice[i].same == SameProcess::no;
      are_nodes = are_nodes && is_one_node_twice(of(twice[i].first), of(twice[i].other));
      are_groups = are_groups && of(twice[i].first).doubt == Doubt::groups &&
                   of(twice[i].other).doubt == Doubt::groups;
    }
    FindingKind kind = FindingKind::same_rank;
    std::string_view what;
    if (are_processes && are_groups) {
      kind = FindingKind::replica_groups;
      what = "each group has such a rank: ";
    } else if (are_processes && is_whole && are_all) {
      kind = FindingKind::several_runs;
      what = "every rank is two processes and more: ";
    } else if (are_processes && are_nodes && !is_whole) {
      kind = FindingKind::same_node_rank;
    }
    for (std::size_t i = 0; i < twice.size(); ++i) {
      const JobRecord& first = of(twice[i].first);
      const bool is_known = twice[i].same == SameProcess::no;
      const bool is_error = is_known && kind != FindingKind::replica_groups;
      report_.mark(kind, twice[i].first);
      report_.found(
          kind, is_error ? Severity::error : Severity::note, at_ + twice[i].place, what,
          [&](Message& out) {
            if (kind != FindingKind::same_node_rank) return;
            out.append("node rank ")
                .append_number(first.node_rank)
                .append(" is that of two hosts: ");
          },
          "rank ", first.rank, " is ", process_text(first),
          is_known ? " and " : ", and perhaps also ", process_text(of(twice[i].other)),
          [&](Message& out) {
            const JobRecord& other = of(twice[i].other);
            if (first.time < 0 || other.time < 0) return;
            const std::int64_t later = (other.time - first.time) / 1000;
            if (later == 0) return;
            out.append(", which spoke ").append_number(later < 0 ? -later : later);
            out.append(later < 0 ? " s earlier" : " s later");
          });
    }
  }

  const Gathered& gathered_;
  FindingReport& report_;
  std::size_t at_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_RANKS_HPP
