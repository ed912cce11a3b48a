// SPDX-License-Identifier: MIT
// The processes above this one, which may show who set a variable.
#ifndef RANKMAP_ENVIRONMENT_ANCESTOR_HPP
#define RANKMAP_ENVIRONMENT_ANCESTOR_HPP

#include <rankmap/environment/detail/process_files.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// A process above another one: its parent, or a parent's parent. Made by hand, it holds `start`; a
/// living process has a pid, and its environment is read only when it is asked for.
struct Ancestor {
  /// The name of its program without folders, as the kernel has it: cut after 15 bytes. It may hold
  /// any bytes.
  StaticString<15> name = {};
  /// The variables that it started with; nothing if they cannot be read. What it set later, as a
  /// shell does with `export`, is not among them.
  std::optional<RecordedEnvironment> start = {};
  int pid = 0;                   ///< of a living process; 0: none
  std::uint64_t start_time = 0;  ///< of that: tells it from a later process with its pid

  /// Whether it started with this variable and this text; nothing if that cannot be read. Cost: for
  /// a living process, up to 2 MiB of /proc/PID/environ are read, in pieces; no allocation.
  RANKMAP_RARE constexpr std::optional<bool> started_with(std::string_view variable,
                                                          std::string_view text) const {
    StartQuestion question{variable, text, {}};
    answer({&question, 1});
    return question.is_same;
  }
  /// Answers several questions for the cost of one.
  RANKMAP_RARE constexpr void answer(StartQuestions questions) const {
    if (start) {
      for (StartQuestion& question : questions) {
        const std::optional<std::string_view> text = (*start)(question.variable);
        question.is_same = text == question.text;
        question.is_unset = !text;
      }
    } else if (pid != 0) {
      answer_of_process(questions);
    }
  }
  /// Calls `visit(name)` for each variable that it started with. Returns whether all of them could
  /// be read: if not, what was visited says nothing. Cost: as started_with.
  template <class Visit>
  constexpr bool visit_names(Visit&& visit) const {
    if (start) {
      start->for_each([&](std::string_view variable, std::string_view) { visit(variable); });
      return true;
    }
    return pid != 0 && detail::visit_names_of_process(pid, visit) && is_still_there();
  }

 private:
  void answer_of_process(StartQuestions questions) const {
    detail::ask_process(pid, questions);
    if (is_still_there()) return;
    for (StartQuestion& question : questions) question = {question.variable, question.text};
  }
  /// It may have ended before its file was opened, and its pid be in use again.
  RANKMAP_RARE bool is_still_there() const {
    const std::optional<detail::ProcessStat> now = detail::read_process_stat(pid);
    return now && now->start_time == start_time && now->name == name;
  }
};

/// The processes above one process, its parent first. Holds the nearest `limit`; no allocation.
///
///     constexpr Ancestors above = {{"orted"}, {"slurmstepd"}};
class Ancestors {
 public:
  static constexpr std::size_t limit = 32;

  constexpr Ancestors() = default;
  constexpr Ancestors(std::initializer_list<Ancestor> ancestors) {
    for (const Ancestor& ancestor : ancestors) add(ancestor);
  }

  /// Adds the parent of the last one. Ignored if `limit` are held.
  constexpr void add(const Ancestor& ancestor) {
    if (size_ < limit) items_[size_++] = ancestor;
  }
  constexpr const Ancestor* begin() const { return items_; }
  constexpr const Ancestor* end() const { return items_ + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const Ancestor& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::size_t size_ = 0;
  Ancestor items_[limit] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_ANCESTOR_HPP
