// SPDX-License-Identifier: MIT
// How many tasks each node runs, as Slurm writes it: `2(x3),1` is 2, 2, 2, 1.
#ifndef RANKMAP_DETAIL_TASK_COUNTS_HPP
#define RANKMAP_DETAIL_TASK_COUNTS_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// `nodes` neighbours that run `count` tasks each.
struct TaskRun {
  int count = 0;
  int nodes = 0;
  friend constexpr bool operator==(const TaskRun&, const TaskRun&) = default;
};

/// A view of a valid tasks-per-node text, read run by run. It allocates nothing.
class TaskCounts {
 public:
  constexpr TaskCounts() = default;

  /// Reads `count` and `count(xREPEAT)`, joined by commas: SLURM_TASKS_PER_NODE,
  /// SLURM_STEP_TASKS_PER_NODE.
  ///
  /// Errors, with byte positions: `bad_task_counts` for any other text, an empty one and a repeat
  /// of 0; `limit_exceeded` where a number, the nodes or the tasks reach 2^31. O(length).
  RANKMAP_NOINLINE static constexpr Result<TaskCounts> parse(
      std::string_view text, std::string_view subject = "tasks per node") {
    constexpr std::string_view syntax = "write counts such as 2(x3),1";
    const auto failed = [&](Errc code, std::string_view expected, std::size_t at) {
      return error_at(code, subject, text, expected, syntax, at);
    };
    TaskCounts counts;
    counts.text_ = text;
    std::uint64_t nodes = 0;
    std::uint64_t tasks = 0;
    for (std::size_t at = 0;;) {
      const std::size_t start = at;
      std::uint64_t count = 0;
      std::uint64_t repeat = 1;
      if (!read_digits(text, at, count) || count > INT32_MAX) {
        return failed(Errc::limit_exceeded, "a task count below 2^31", start);
      }
      if (at == start) return failed(Errc::bad_task_counts, "a decimal task count", at);
      if (at != text.size() && text[at] == '(') {
        if (at + 1 >= text.size() || text[at + 1] != 'x') {
          return failed(Errc::bad_task_counts, "'x' and a repeat count after '('", at + 1);
        }
        at += 2;
        const std::size_t digits = at;
        if (!read_digits(text, at, repeat) || repeat > INT32_MAX) {
          return failed(Errc::limit_exceeded, "a repeat count below 2^31", digits);
        }
        if (at == digits || repeat == 0) {
          return failed(Errc::bad_task_counts, "a repeat count of at least 1", digits);
        }
        if (at == text.size() || text[at] != ')') {
          return failed(Errc::bad_task_counts, "')' after the repeat count", at);
        }
        ++at;
      }
      // both factors are below 2^31 and both sums at most that: no product or sum reaches 2^63
      nodes += repeat;
      tasks += count * repeat;
      if (nodes > INT32_MAX) return failed(Errc::limit_exceeded, "fewer than 2^31 nodes", start);
      if (tasks > INT32_MAX) return failed(Errc::limit_exceeded, "fewer than 2^31 tasks", start);
      if (at == text.size()) break;
      if (text[at] != ',') return failed(Errc::bad_task_counts, "',' between counts", at);
      ++at;
    }
    counts.nodes_ = static_cast<int>(nodes);
    counts.tasks_ = static_cast<int>(tasks);
    return counts;
  }

  constexpr std::string_view text() const { return text_; }
  constexpr int nodes() const { return nodes_; }
  constexpr int tasks() const { return tasks_; }

  /// Calls `visit(TaskRun)` for each run in node order, as written: neighbours may be equal.
  template <class Visit>
  constexpr void for_each_run(Visit&& visit) const {
    for (std::size_t at = 0; at < text_.size(); ++at) visit(read_run(at));
  }

  /// The tasks of one node. Precondition: 0 <= node < nodes(). O(runs).
  constexpr int count_at(int node) const {
    for (std::size_t at = 0;; ++at) {
      const TaskRun run = read_run(at);
      if (node < run.nodes) return run.count;
      node -= run.nodes;
    }
  }

 private:
  // Leaves `at` on the ',' or at the end of the text.
  RANKMAP_NOINLINE constexpr TaskRun read_run(std::size_t& at) const {
    std::uint64_t count = 0;
    std::uint64_t repeat = 1;
    (void)read_digits(text_, at, count);
    if (at != text_.size() && text_[at] == '(') {
      at += 2;
      (void)read_digits(text_, at, repeat);
      ++at;
    }
    return {static_cast<int>(count), static_cast<int>(repeat)};
  }

  std::string_view text_;
  int nodes_ = 0;
  int tasks_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TASK_COUNTS_HPP
