// SPDX-License-Identifier: MIT
// The processes above this one. Their names are read once, and only the parent's where that is
// enough.
#ifndef RANKMAP_IDENTITY_DETAIL_PROCESSES_ABOVE_HPP
#define RANKMAP_IDENTITY_DETAIL_PROCESSES_ABOVE_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Container runtimes that stay above what they start, and set no launcher's names: they count as
/// if they were not there. What they started with can hardly ever be read.
inline constexpr VariableNames container_runtimes =
    "starter,starter-suid,sinit,appinit,action-suid,conmon,crun,bwrap";

class ProcessesAbove {
 public:
  /// Views its arguments, and reads nothing yet. `records` may be read later.
  constexpr ProcessesAbove(const EnvironmentView& variables, const Records& records)
      : variables_(variables), records_(records) {}

  /// The parent first; nothing: there is no process to ask.
  RANKMAP_RARE constexpr const std::optional<Ancestors>& all() {
    if (!is_whole_) read(Ancestors::limit);
    return list_;
  }
  /// Precondition: all() has more than `i`.
  constexpr const Ancestor& operator[](std::size_t i) const { return (*list_)[i]; }
  /// The name of the parent; empty: there is none.
  RANKMAP_RARE constexpr std::string_view parent() {
    if (!is_whole_ && !list_) read(1);
    if (list_ && list_->empty()) static_cast<void>(all());
    return list_ && !list_->empty() ? (*list_)[0].name.view() : std::string_view();
  }

 private:
  RANKMAP_RARE constexpr void read(std::size_t limit) {
    const std::optional<Ancestors> found = variables_.ancestors(limit);
    // A list of any other size than the limit is whole.
    is_whole_ = !found || found->size() != limit || limit == Ancestors::limit;
    list_ = std::nullopt;
    if (!found) return;
    list_.emplace();
    for (const Ancestor& ancestor : *found) {
      if (!is_runtime(ancestor.name)) list_->add(ancestor);
    }
  }

  /// A process of that name is no runtime if it is a declared launcher's.
  RANKMAP_RARE constexpr bool is_runtime(std::string_view name) const {
    return container_runtimes.has(name) && !RowsNaming(records_.known(), name).next();
  }

  const EnvironmentView& variables_;
  const Records& records_;
  std::optional<Ancestors> list_;
  bool is_whole_ = false;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_PROCESSES_ABOVE_HPP
