// SPDX-License-Identifier: MIT
// The way up from a process to those above it.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_PROCESS_TREE_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_PROCESS_TREE_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/detail/process_files.hpp>
#include <rankmap/environment/detail/process_stat.hpp>

#include <cstddef>
#include <optional>

namespace rankmap::inline v0::detail {

/// The processes above this one, by `stat_of(pid)`, up to the first that cannot be read. Process 1
/// is none of them: it adopts those whose parent has ended, and did not start them.
template <class StatOf>
constexpr Ancestors ancestors_by(const StatOf& stat_of, std::size_t limit = Ancestors::limit) {
  Ancestors out;
  int pid = this_process;
  std::optional<ProcessStat> process = stat_of(pid);
  while (process && process->parent > 1 && out.size() < limit && out.size() != Ancestors::limit) {
    const int parent_pid = process->parent;
    const std::optional<ProcessStat> parent = stat_of(parent_pid);
    // The parent may have ended before it was read, and its pid be in use again. Then this process
    // has another parent by now.
    const std::optional<ProcessStat> again = stat_of(pid);
    if (!parent || !again || again->parent != parent_pid ||
        again->start_time != process->start_time) {
      break;
    }
    out.add({parent->name, {}, parent_pid, parent->start_time});
    pid = parent_pid;
    process = parent;
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_PROCESS_TREE_HPP
