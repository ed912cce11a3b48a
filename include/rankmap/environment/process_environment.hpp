// SPDX-License-Identifier: MIT
// The variables of this process, and which process set them.
#ifndef RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP
#define RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/detail/process_files.hpp>
#include <rankmap/environment/detail/process_stat.hpp>
#include <rankmap/environment/detail/read_launcher_file.hpp>
#include <rankmap/environment/detail/variable_list.hpp>
#include <rankmap/environment/environment.hpp>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// The processes above this one, by `stat_of(pid)`, up to the first that cannot be read. Process 1
/// is none of them: it adopts those whose parent has ended, and did not start them.
constexpr Ancestors ancestors_by(const auto& stat_of, std::size_t limit = Ancestors::limit) {
  Ancestors out;
  std::optional<ProcessStat> process = stat_of(this_process);
  while (process && process->parent > 1 && out.size() < limit && out.size() != Ancestors::limit) {
    const std::optional<ProcessStat> parent = stat_of(process->parent);
    // The parent may have ended before it was read, and its pid be in use again: by a process that
    // started later than its child.
    if (!parent || parent->start_time > process->start_time) break;
    out.add({parent->name, {}, process->parent, parent->start_time});
    process = parent;
  }
  return out;
}

}  // namespace detail

/// The process's own environment, through std::getenv, and the processes above it.
///
/// No other thread may change the environment meanwhile: resolve the topology early in main, once,
/// and keep it. Cost: one std::getenv (O(variables)) for each look-up; no allocation.
struct ProcessEnvironment {
  std::optional<std::string_view> operator()(std::string_view name) const {
    // getenv wants an ending NUL, which a string_view does not promise.
    char buffer[longest_name + 1];
    if (name.size() > longest_name) return std::nullopt;
    std::size_t size = 0;
    for (const char c : name) {
      if (c == '\0' || c == '=') return std::nullopt;  // getenv would find the name before it
      buffer[size++] = c;
    }
    buffer[size] = '\0';
#if defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4996)  // the text is read at once and copied, before anyone can free it
#endif
    const char* const text = std::getenv(buffer);
#if defined(_MSC_VER)
#pragma warning(pop)
#endif
    if (text == nullptr) return std::nullopt;
    return std::string_view(text);
  }

  /// The processes above this one, from /proc/PID/stat: up to process 1, to the first that cannot
  /// be read, or to the `limit`-th. None but on Linux. Cost: a small file for each, and one; no
  /// allocation but the C library's. Source: proc_pid_stat(5).
  Ancestors ancestors(std::size_t limit = Ancestors::limit) const {
    return detail::ancestors_by(detail::read_process_stat, limit);
  }

  /// Whether the process started with the variable as it is now: false if the process itself set
  /// it, or a parent that forked it without exec. Nothing if /proc/self/environ cannot be read, and
  /// for a variable that is not set. Linux only; nothing elsewhere. Cost: up to 2 MiB of that file
  /// are read, in pieces. Source: proc_pid_environ(5).
  std::optional<bool> started_with(std::string_view name) const {
    const std::optional<std::string_view> text = (*this)(name);
    StartQuestion question{name, text.value_or(std::string_view()), {}};
    if (text) answer({&question, 1});
    return question.is_same;
  }
  /// The same for several variables with their texts, for the cost of one.
  void answer(StartQuestions questions) const {
    detail::ask_process(detail::this_process, questions);
  }

  /// The file that RANKMAP_LAUNCHERS names: a regular file, of which at most 8193 bytes are read,
  /// once in a process. Later calls have the same text, whatever the variable says then. No
  /// allocation. Cost: one file, where the variable is set and not empty.
  LauncherFile launcher_file() const {
    const std::optional<std::string_view> path = (*this)(launcher_file_variable);
    if (!path || path->empty()) return {};
    return detail::stored_launcher_file(path->data());  // getenv's text, which ends in NUL
  }

  /// Calls `visit(name, text)` for each entry of the C library's list of variables. If a name is in
  /// there twice, a look-up finds the first. O(variables). Not offered where that list is not
  /// known: on systems other than Windows, macOS and those with ELF programs.
  template <class Visit>
  requires detail::can_list_variables void for_each(Visit&& visit) const {
    char** entry = detail::variable_list();
    for (; entry != nullptr && *entry != nullptr; ++entry) {
      const auto [name, text] = detail::split_at(*entry, '=');
      if (text) visit(name, *text);
    }
  }

  /// Longer names count as unset, since no launcher sets one; so do names with a NUL or '=' in
  /// them.
  static constexpr std::size_t longest_name = 127;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP
