// SPDX-License-Identifier: MIT
// A process without a record below one that a launcher started: `env -i`, sudo or a container took
// the variables away. Such a process may be one of many, and is not told in silence that it is
// alone.
#ifndef RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/traces.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What a process above says of a launch: the rank that it started with, or what its starter sets.
struct LaunchAbove {
  std::string_view variable = {};  ///< empty: it says nothing
  Launcher launcher = Launcher::none;
  bool is_script = false;  ///< it says that what is below it is alone
};

/// Whether what this launcher starts is one of several, unless it is a script that shows it.
constexpr bool starts_workers(const LauncherRow& row) {
  if (row.level != RecordLevel::worker) return false;
  return row.starts_scripts ? row.local_size_required : !row.starts_agents;
}

/// Whether what has this variable is one of several, as what blaunch starts, though its daemon also
/// starts single processes.
constexpr bool starts_numbered_workers(const LauncherRow& row) {
  return starts_workers(row) ||
         (row.level == RecordLevel::worker && !row.starts_scripts && !row.rank.names.empty());
}

/// Whether a process of the launcher has the variable, and nothing else does.
constexpr bool is_sign_of(const LauncherRow& row, std::string_view variable) {
  return row.rank.names.first() == variable ||
         (!row.generic_names && row.detect_any.first() == variable);
}

/// By the names that it started with; nothing if they cannot be read.
RANKMAP_RARE constexpr std::optional<LaunchAbove> launch_by_start(const Ancestor& ancestor,
                                                                  const KnownLaunchers& known,
                                                                  const LauncherSet& excluded) {
  LaunchAbove out;
  bool has_script_rank = false;
  bool has_step_size = false;
  const bool is_read = ancestor.visit_names([&](std::string_view variable) {
    for (RowsNaming rows(known, variable); rows.next();) {
      const LauncherRow& row = rows.row();
      if (!starts_numbered_workers(row) || excluded.has(row.launcher)) continue;
      const bool is_rank = is_sign_of(row, variable);
      has_script_rank = has_script_rank || (is_rank && row.starts_scripts);
      has_step_size =
          has_step_size || (row.starts_scripts && row.world_size.names.first() == variable);
      if (!is_rank || (row.starts_scripts && !out.variable.empty())) continue;
      const std::string_view kept =
          is_one_of(variable, row.rank.names) ? row.rank.names.first() : row.detect_any.first();
      const bool is_same = out.variable == kept;
      out.launcher = is_same ? Launcher::none : row.launcher;  // of several: of none alone
      out.variable = kept;                                     // a view that lasts
    }
  });
  if (!is_read) return std::nullopt;
  const bool is_script_alone = has_script_rank && !has_step_size;
  const bool is_of_script =
      out.launcher != Launcher::none && known.row_of(out.launcher).starts_scripts;
  if (is_script_alone && is_of_script) return LaunchAbove{{}, Launcher::none, true};
  return out;
}

/// By its name. What starts single processes too says that they may be alone. So does the broker of
/// Flux, which runs the script of a job.
RANKMAP_RARE constexpr LaunchAbove launch_by_name(std::string_view name,
                                                  const KnownLaunchers& known,
                                                  const LauncherSet& excluded) {
  LaunchAbove out{{}, Launcher::none, name.starts_with("flux-broker")};
  for (RowsNaming rows(known, name); rows.next();) {
    const LauncherRow& row = rows.row();
    if (!has_starter(row, name) || excluded.has(row.launcher)) continue;
    if (!starts_workers(row)) return {{}, Launcher::none, true};
    return {row.detect_any.first(), row.launcher, false};
  }
  return out;
}

/// Warns if a launcher started one of the processes above. Precondition: no launcher was found for
/// this one. Cost: one pass over the environment of each process above, up to the first that says
/// something.
RANKMAP_RARE constexpr void warn_of_lost_record(IdentityData& data, const KnownLaunchers& known,
                                                const LauncherSet& excluded,
                                                const EnvironmentView& variables) {
  const std::optional<Ancestors> ancestors = variables.ancestors();
  if (!ancestors) return;
  for (const Ancestor& ancestor : *ancestors) {
    LaunchAbove found = launch_by_start(ancestor, known, excluded).value_or(LaunchAbove());
    if (found.variable.empty() && !found.is_script)
      found = launch_by_name(ancestor.name, known, excluded);
    if (found.is_script) return;
    if (found.variable.empty()) continue;
    data.warnings.add({found.variable,
                       {},
                       "to be set here too: a process above this one was started with it, or by "
                       "its launcher",
                       "pass the launcher's variables on (env -i, sudo and containers take them "
                       "away), or set RANKMAP_LAUNCHER=none if the process is alone",
                       found.launcher});
    return;
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP
