// SPDX-License-Identifier: MIT
// Some ranks of a job, however many: kept and printed as ranges.
#ifndef RANKMAP_JOB_RANK_LIST_HPP
#define RANKMAP_JOB_RANK_LIST_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0 {

/// Ranks in ascending order, each once. Evenly spaced ones take no memory of their own.
class RankList {
 public:
  constexpr RankList() = default;

  /// Adds all ranks from `first` to `last`. Precondition: they are above those of the list. O(1).
  constexpr void add(int first, int last) {
    const bool is_one = first == last;
    size_ += std::int64_t{last} - first + 1;
    if (std::exchange(is_open_, is_one) && is_one) {
      detail::NumberRun& run = runs_[runs_.size() - 1];
      const int step = first - run.last;
      if (run.first == run.last) run.step = step;
      if (run.step == step) {
        run.last = first;
        return;
      }
      if (run.is_pair()) {  // its second number begins the next run
        const int second = run.last;
        run = {run.first, run.first, 1};
        runs_.push_back({second, first, step});
        return;
      }
    }
    runs_.push_back({first, last, 1});
  }
  /// Adds one. Precondition: as above. O(1).
  constexpr void add(int rank) { add(rank, rank); }

  constexpr std::int64_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// Whether `rank` is one of them. O(log of the ranges).
  constexpr bool contains(int rank) const {
    const std::size_t at = detail::partition_point(
        std::size_t{0}, runs_.size(), [&](std::size_t i) { return runs_[i].last < rank; });
    return at != runs_.size() && runs_[at].contains(rank);
  }

  /// Passes them in ascending order to `visit(first, last, step)`: first, first + step, ..., last.
  template <class Visit>
  constexpr void for_each_range(Visit&& visit) const {
    for (const detail::NumberRun& run : runs_) {
      if (run.is_pair()) {
        visit(run.first, run.first, 1);
        visit(run.last, run.last, 1);
      } else {
        visit(run.first, run.last, run.step);
      }
    }
  }

  /// Passes all ranks to `visit`, in ascending order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for_each_range([&](int first, int last, int step) {
      // Not past the last one, which may be the highest int.
      for (int rank = first; rank != last; rank += step) visit(rank);
      visit(last);
    });
  }

 private:
  detail::SmallVector<detail::NumberRun, 4> runs_;
  bool is_open_ = false;  // the last of them is of ranks that were added one by one
  std::int64_t size_ = 0;
};

/// The ranks as ranges, "0-7", "0-56:8" (every eighth), "3,9": at most eight of them, then how many
/// ranks are left out: "0,3,4,9,11,17,19,23 and 12 more". O(ranges).
constexpr StaticString<159> to_string(const RankList& ranks) {
  StaticString<159> out;
  std::int64_t shown = 0;
  int count = 0;
  ranks.for_each_range([&](int first, int last, int step) {
    const detail::NumberRun run{first, last, step};
    StaticString<35> text;
    append_run(text, run);
    if (++count > 8 || out.size() + text.size() > 120) {
      count = 9;
      return;
    }
    if (!out.empty()) out.append(',');
    out.append(text);
    shown += run.size();
  });
  if (shown != ranks.size()) {
    out.append(" and ").append_number(ranks.size() - shown).append(" more");
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_RANK_LIST_HPP
