// SPDX-License-Identifier: MIT
//
// Ascending numbers as runs of equal steps: what makes lists of ranks and of CPUs short.
#ifndef RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
#define RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// first, first + step, ..., last.
struct NumberRun {
  int first = 0;
  int last = 0;
  int step = 1;

  constexpr int size() const { return (last - first) / step + 1; }
  constexpr bool contains(int number) const {
    return first <= number && number <= last && (number - first) % step == 0;
  }
  friend constexpr bool operator==(const NumberRun&, const NumberRun&) = default;
};

/// Folds numbers that come in ascending order. Runs of other steps than 1 have three numbers or
/// more, so that "0,48" stays what it is.
class RunFolder {
 public:
  /// Adds a number above all before it, and passes each run that ended to `emit`.
  template <class Emit>
  constexpr void add(int number, Emit&& emit) {
    if (count_ == 1) {
      run_.step = number - run_.last;
    } else if (count_ > 1 && number - run_.last != run_.step) {
      if (count_ == 2 && run_.step != 1) {
        emit(NumberRun{run_.first, run_.first, 1});
        run_ = {run_.last, run_.last, number - run_.last};
        count_ = 1;
      } else {
        emit(run_);
        count_ = 0;
      }
    }
    if (count_ == 0) run_ = {number, number, 1};
    run_.last = number;
    ++count_;
  }
  /// Passes what is left to `emit`.
  template <class Emit>
  constexpr void finish(Emit&& emit) {
    if (count_ == 2 && run_.step != 1) {
      emit(NumberRun{run_.first, run_.first, 1});
      emit(NumberRun{run_.last, run_.last, 1});
    } else if (count_ != 0) {
      emit(run_);
    }
    count_ = 0;
  }

 private:
  NumberRun run_;
  int count_ = 0;  // of numbers in run_
};

/// Appends "3", "0-7" or "0-56:8".
template <std::size_t Capacity>
constexpr void append_run(StaticString<Capacity>& out, const NumberRun& run) {
  out.append_number(run.first);
  if (run.last == run.first) return;
  out.append('-').append_number(run.last);
  if (run.step != 1) out.append(':').append_number(run.step);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
