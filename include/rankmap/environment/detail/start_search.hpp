// SPDX-License-Identifier: MIT
// The environment that a process started with, as /proc/PID/environ shows it: proc_pid_environ(5).
// It may be megabytes, so it is never held as a whole, and read once for all questions.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP

#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Compares the first entry of each name with a text. The entries are NAME=text with a NUL behind
/// each, and come in pieces that may end anywhere.
///
/// The kernel shows the memory of the process. A program that sets its title writes it over the
/// first entries there, or over all. An entry without '=', such as an empty one, is a sign of that.
/// What follows may be the rest of another entry, so nothing is known from there on.
class StartSearch {
 public:
  /// Writes answers into the questions that `questions` views. Precondition: none has one yet.
  constexpr explicit StartSearch(StartQuestions questions)
      : questions_(questions), open_(questions.size) {}

  constexpr void add(std::string_view piece) {
    for (const char c : piece) {
      if (decided()) return;
      if (c == '\0') {
        end_entry();
      } else {
        add_to_entry(c);
      }
    }
  }
  /// Whether more pieces make no difference.
  constexpr bool decided() const { return open_ == 0 || overwritten_; }
  /// Call it after the last piece, whose last entry may lack its NUL. What was not found is unset.
  constexpr void end() {
    if (!decided() && (is_variable_ || !name_.empty())) end_entry();
    if (overwritten_ || !any_) return;
    for (StartQuestion& question : questions_) {
      question.is_unset = !question.is_same;
      question.is_same = question.is_same.value_or(false);
    }
  }

 private:
  constexpr void add_to_entry(char c) {
    if (is_variable_) {
      if (asked_ == nullptr) return;
      is_same_ = is_same_ && left_.starts_with(c);
      if (is_same_) left_.remove_prefix(1);
    } else if (c == '=') {
      is_variable_ = true;
      for (StartQuestion& question : questions_) {
        const bool is_asked = !question.is_same && !name_.cut() && question.variable == name_;
        if (is_asked) asked_ = &question;
      }
      if (asked_ != nullptr) left_ = asked_->text;
    } else {
      name_.append(c);
    }
  }
  RANKMAP_RARE constexpr void end_entry() {
    any_ = true;
    overwritten_ = !is_variable_;
    if (asked_ != nullptr) {
      asked_->is_same = is_same_ && left_.empty();
      --open_;
    }
    asked_ = nullptr;
    name_ = {};
    is_same_ = true;
    is_variable_ = false;
  }

  StartQuestions questions_;
  std::size_t open_;  // questions without an answer
  // the entry so far
  StaticString<127> name_;  // a launcher's has at most 63 bytes
  StartQuestion* asked_ = nullptr;
  std::string_view left_ = {};  // the rest of its text
  bool is_same_ = true;
  bool is_variable_ = false;
  // all entries
  bool any_ = false;
  bool overwritten_ = false;
};

/// The most that is read of one environment. Linux gives a program's start 2 MiB by default.
inline constexpr std::size_t longest_start = std::size_t{2} << 20U;

/// Calls `take(piece)` with the pieces that `read(buffer, size)` returns, until take() returns
/// false. The last piece is shorter than `size`, and a missing one is an error. Returns whether the
/// last piece was taken: what is behind an error, or beyond `longest_start`, is not known.
constexpr bool read_start(auto&& read, const auto& take) {
  char buffer[4096] = {};
  for (std::size_t total = 0; total < longest_start; total += sizeof buffer) {
    const std::optional<std::string_view> piece = read(buffer, sizeof buffer);
    if (!piece || !take(*piece)) return false;
    if (piece->size() < sizeof buffer) return true;
  }
  return false;
}

/// A StartSearch of all pieces.
constexpr void search_start(auto&& read, StartQuestions questions) {
  StartSearch search(questions);
  const auto take = [&search](std::string_view piece) {
    search.add(piece);
    return !search.decided();
  };
  if (read_start(read, take)) search.end();
}

/// Calls `visit(name)` for each name of at most 63 bytes: no launcher's is longer. Returns whether
/// all could be read. An entry without '=' was written over, and nothing is known from there on.
constexpr bool visit_start_names(auto&& read, auto&& visit) {
  StaticString<63> name;
  bool is_in_name = true;
  return read_start(read, [&](std::string_view piece) {
    for (const char c : piece) {
      if (c == '\0') {
        if (is_in_name) return false;
        name = {};
        is_in_name = true;
      } else if (is_in_name && c == '=') {
        if (!name.cut()) visit(name.view());
        is_in_name = false;
      } else if (is_in_name) {
        name.append(c);
      }
    }
    return true;
  });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP
