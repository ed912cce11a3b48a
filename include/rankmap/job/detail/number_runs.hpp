// SPDX-License-Identifier: MIT
// Ascending numbers as runs of equal steps: what makes lists of ranks and of CPUs short.
#ifndef RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
#define RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

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
  constexpr void add(int number, auto&& emit) {
    if (count_ > 1 && number - run_.last != run_.step) {
      const bool is_pair = count_ == 2 && run_.step != 1;  // its second number begins the next run
      emit(is_pair ? NumberRun{run_.first, run_.first, 1} : run_);
      run_.first = run_.last;
      count_ = is_pair ? 1 : 0;
    }
    if (count_ == 0) run_ = {number, number, 1};
    if (count_ == 1) run_.step = number - run_.last;
    run_.last = number;
    ++count_;
  }
  /// Passes what is left to `emit`.
  constexpr void finish(auto&& emit) {
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
constexpr void append_run(auto& out, const NumberRun& run) {
  out.append_number(run.first);
  if (run.last == run.first) return;
  out.append('-').append_number(run.last);
  if (run.step != 1) out.append(':').append_number(run.step);
}

/// Appends the run to a list.
constexpr void append_to_list(auto& out, const NumberRun& run) {
  if (!out.empty()) out.append(',');
  append_run(out, run);
}

/// Passes the numbers of a list to `visit` in ascending order. Returns false, after some of them,
/// unless the text is just what a RunFolder makes of numbers below `limit`.
constexpr bool for_each_folded(std::string_view list, int limit, auto&& visit) {
  StaticString<255> again;
  const auto emit = [&again](const NumberRun& run) { append_to_list(again, run); };
  RunFolder folder;
  int next = 0;
  for (ListEntries entries(list); entries.next();) {
    int numbers[3] = {0, -1, 1};
    std::size_t at = 0;
    std::size_t count = 0;
    const std::string_view text = entries.text();
    do {
      std::uint64_t value = 0;
      if (at == text.size() || !is_digit(text[at])) return false;
      if (!read_digits(text, at, value) || value >= static_cast<std::uint64_t>(limit)) return false;
      numbers[count++] = static_cast<int>(value);
    } while (count != 3 && at != text.size() && text[at++] == "-:"[count - 1]);
    if (count == 1) numbers[1] = numbers[0];
    if (at != text.size() || numbers[0] < next || numbers[2] == 0) return false;
    for (int number = numbers[0]; number <= numbers[1]; number += numbers[2]) {
      visit(number);
      folder.add(number, emit);
      next = number + 1;
    }
  }
  folder.finish(emit);
  return again == list;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_NUMBER_RUNS_HPP
