// SPDX-License-Identifier: MIT
// Ascending numbers as runs of equal steps: what makes lists of ranks and of CPUs short.
#ifndef RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
#define RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP

#include <cstdint>

namespace rankmap::inline v0::detail {

/// first, first + step, ..., last.
struct NumberRun {
  int first = 0;
  int last = 0;
  int step = 1;

  constexpr std::int64_t size() const { return (std::int64_t{last} - first) / step + 1; }
  constexpr bool contains(int number) const {
    return first <= number && number <= last && (number - first) % step == 0;
  }
  /// Two numbers that are shown one by one, so that "0,48" stays what it is.
  constexpr bool is_pair() const { return step != 1 && last - first == step; }
};

/// Appends "3", "0-7" or "0-56:8".
constexpr void append_run(auto& out, const NumberRun& run) {
  out.append_number(run.first);
  if (run.last == run.first) return;
  out.append('-').append_number(run.last);
  if (run.step != 1) out.append(':').append_number(run.step);
}
/// The same behind what a list has already.
constexpr void append_to_list(auto& out, const NumberRun& run) {
  if (!out.empty()) out.append(',');
  append_run(out, run);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
