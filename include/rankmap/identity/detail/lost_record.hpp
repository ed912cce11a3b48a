// SPDX-License-Identifier: MIT
// A launch above this process whose names it does not have: `env -i`, sudo or a container took them
// away. Such a process may be one of many, and is not told in silence that it is alone, or that it
// is a process of an older launch.
#ifndef RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/traces.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A launch of a process above, of which this one has no name.
struct LaunchAbove {
  StaticString<63> variable = {};  ///< the one that is missing; empty: it says nothing
  Launcher launcher = Launcher::none;
  bool is_script = false;         ///< it says that what is below it is alone
  StaticString<15> starter = {};  ///< a process that starts single processes, by its name

  constexpr bool is_silent() const { return variable.empty() && !is_script; }
};

/// Whether what this launcher starts is one of several, but for a script that is known as one.
constexpr bool starts_workers(const LauncherRow& row) {
  if (row.level != RecordLevel::worker) return false;
  return row.starts_scripts ? row.local_size_required : !row.starts_agents;
}

/// Whether what has the names of this launcher is one of several. A task of an array is a job of
/// its own.
constexpr bool starts_numbered(const LauncherRow& row) {
  if (row.level != RecordLevel::worker) return row.level != RecordLevel::array;
  return starts_workers(row) || (!row.starts_scripts && !row.or_alone);
}

/// Whether a process above with its names, and one further up without them, show a launch. Names
/// that any script may export do not: a program may hide its own from what it starts.
constexpr bool leaves_launch(const LauncherRow& row) {
  return starts_workers(row) && (!uses_torch_names(row) || !row.starters.empty());
}

/// The first name that each launcher is detected by: a process with it is one of its processes. For
/// all launchers at once, since most names in an environment are no launcher's.
class LaunchSigns {
 public:
  /// Views `known`.
  RANKMAP_RARE constexpr LaunchSigns(const KnownLaunchers& known, const LauncherSet& excluded)
      : known_(known) {
    for (std::size_t place = 0; place != known.size(); ++place) {
      const bool counts = !excluded.has(known.launcher_at(place));
      signs_.push_back(counts ? known.detecting_at(place).first() : std::string_view());
    }
  }
  /// Calls `visit(row)` for each row of which the variable is the sign.
  template <class Visit>
  constexpr void for_each_row(std::string_view variable, Visit&& visit) const {
    std::size_t place = 0;
    for (const std::string_view sign : signs_) {
      if (sign == variable) visit(known_.row_at(place));
      ++place;
    }
  }

 private:
  const KnownLaunchers& known_;
  SmallVector<std::string_view, 96> signs_;
};

/// What a process above started with.
struct StartAbove {
  LaunchAbove lost;      ///< a launch whose sign this process does not have
  bool has_own = false;  ///< it had the record that is believed
};

/// Reads the names that `ancestor` started with; nothing if they cannot be read. `own`: the record
/// that is believed; nullptr: there is none.
RANKMAP_RARE constexpr std::optional<StartAbove> read_start(const Ancestor& ancestor,
                                                            const Record* own,
                                                            const LaunchSigns& signs,
                                                            const EnvironmentView& variables) {
  StartAbove out;
  LaunchAbove& lost = out.lost;
  LauncherRow script;  // of a launcher that starts scripts, too
  bool is_of_script = false;
  bool has_step_size = false;
  // Called once for the signs of launchers. Where only a script's are lost, it is called once more
  // for the size of its step.
  const auto visit = [&](std::string_view variable) {
    if (is_of_script) {
      has_step_size = has_step_size || variable == script.world_size.names.first();
      return;
    }
    out.has_own = out.has_own || (own != nullptr && (*own)[Field::rank].variable == variable);
    bool is_single = false;  // the sign of a task that is alone, whatever its number
    signs.for_each_row(variable, [&](const LauncherRow& row) {
      if (own == nullptr ? !starts_numbered(row) : !leaves_launch(row)) {
        is_single = is_single || !row.or_alone;
        return;
      }
      if (row.starts_scripts) script = row;
      if ((row.starts_scripts && !lost.variable.empty()) || variables.has(variable)) return;
      const bool is_same = lost.variable == variable;
      lost = {variable, is_same ? Launcher::none : row.launcher};  // of several: of none alone
    });
    if (own == nullptr && !is_single && lost.variable.empty() &&
        ends_in_any(variable, rank_words) && !is_harmless(variable) && !variables.has(variable)) {
      lost.variable = variable;  // as that of a launcher that is not known
    }
  };
  if (!ancestor.visit_names(visit)) return std::nullopt;
  is_of_script = script.launcher != Launcher::none &&
                 (lost.variable.empty() || lost.launcher == script.launcher);
  if (is_of_script) {
    ancestor.visit_names(visit);
    if (!has_step_size) lost = {{}, Launcher::none, true};
  }
  return out;
}

/// The launch of a process above, by its name. What starts single processes too says that they may
/// be alone. So does the broker of Flux, which runs a job's script. Nothing is lost if this process
/// has names of such a launcher, unless they are a local number alone.
RANKMAP_RARE constexpr LaunchAbove launch_by_name(std::string_view name,
                                                  const LauncherSet& excluded,
                                                  const History& history) {
  LaunchAbove out;
  if (name.starts_with("flux-broker")) out = {{}, Launcher::none, true, name};
  for (RowsNaming rows(history.records().known(), name); rows.next();) {
    const LauncherRow& row = rows.row();
    if (!has_starter(row, name) || excluded.has(row.launcher)) continue;
    if (!starts_workers(row)) return {{}, Launcher::none, true, name};
    const Record* const left = history.records().find(row.launcher);
    const bool says_nothing = left != nullptr && left->state == RecordState::incomplete &&
                              claim_of(*left) == Claim::nothing;
    if (!says_nothing && has_any(row.detect_any, history.variables())) return {};
    if (out.variable.empty()) out = {row.detect_any.first(), row.launcher};
  }
  return out;
}

/// The nearest launch above that left no name in this process. What a process itself launched, by
/// its name, is younger than what it started with.
RANKMAP_RARE constexpr LaunchAbove find_lost_launch(const LauncherSet& excluded, History& history) {
  if (!history.ancestors()) return {};
  const LaunchSigns signs(history.records().known(), excluded);
  for (const Ancestor& ancestor : *history.ancestors()) {
    const LaunchAbove by_name = launch_by_name(ancestor.name, excluded, history);
    if (!by_name.variable.empty()) return by_name;
    const auto start = read_start(ancestor, nullptr, signs, history.variables());
    const LaunchAbove lost = start && !start->lost.is_silent() ? start->lost : by_name;
    if (!lost.is_silent()) return lost;
  }
  return {};
}

/// The same, if the launch is younger than the record that is believed. A process shows it by its
/// name if it started with the record, or no starter of the record is nearer. A process shows it by
/// names that it started with if one further up had the record without them. What starts single
/// processes counts where only a launcher sets the record's names.
RANKMAP_RARE constexpr LaunchAbove find_younger_launch(const Record& own,
                                                       const LauncherSet& excluded,
                                                       History& history) {
  if (history.is_started_by(own.row) || !history.ancestors()) return {};
  const LaunchSigns signs(history.records().known(), excluded);
  LaunchAbove by_start;
  LaunchAbove by_name;
  int generation = 0;
  bool is_read_below = false;  // what the process below started with
  for (const Ancestor& ancestor : *history.ancestors()) {
    ++generation;
    if (has_starter(own.row, ancestor.name)) return by_name;
    const auto start = read_start(ancestor, &own, signs, history.variables());
    if (start) {
      if (!start->has_own) return {};  // what is above is older
      if (start->lost.variable.empty() && !by_start.variable.empty()) return by_start;
      if (by_start.variable.empty()) by_start = start->lost;
    }
    if (!by_name.variable.empty()) continue;
    by_name = launch_by_name(ancestor.name, excluded, history);
    if (start && !by_name.variable.empty()) return by_name;
    if (!by_name.starter.empty()) {
      const NestingEvidence evidence = history.evidence_of(own);
      const bool was_set_below = evidence.exact && evidence.setter < generation;
      const bool passed_on = (start || is_read_below) && !was_set_below;
      if (passed_on && !evidence.generic) return by_name;
      by_name = {};
    }
    is_read_below = start.has_value();
  }
  return own.row.starters.empty() ? LaunchAbove() : by_name;
}

/// Warns of a launch above that left no name in this process. Precondition: no launcher was found.
/// Cost: one pass over the environment of each process above, up to the first that says something.
RANKMAP_RARE constexpr void warn_of_lost_record(IdentityData& data, const LauncherSet& excluded,
                                                History& history) {
  const LaunchAbove lost = find_lost_launch(excluded, history);
  if (lost.variable.empty()) return;
  data.warnings.add({lost.variable,
                     {},
                     "to be set here too: a process above this one was started with it, or by "
                     "its launcher",
                     "pass the launcher's variables on (env -i, sudo and containers take them "
                     "away), or set RANKMAP_LAUNCHER=none if the process is alone",
                     lost.launcher});
}

/// Refuses a whole record if another launcher, whose names are gone, was called below it.
RANKMAP_RARE constexpr Optional<Error> check_is_youngest(const Record& own,
                                                         const LauncherSet& excluded,
                                                         History& history) {
  const LaunchAbove lost = find_younger_launch(own, excluded, history);
  if (lost.variable.empty() && !lost.starter.empty()) {
    const Value& rank = own[Field::rank];
    return error_at(
        Errc::ambiguous, rank.variable, rank.text,
        concat<159>("a rank that was set below ", lost.starter.view(),
                    ": that starts single processes, and is nearer than ", own.row.name),
        concat<159>("set RANKMAP_LAUNCHER to none if the process is alone, or to ", own.row.name,
                    " if that one started it; in the program, set Config::launcher"));
  }
  if (lost.variable.empty()) return std::nullopt;
  const auto remedy =
      concat<159>("pass the inner launcher's variables on, or set RANKMAP_LAUNCHER=", own.row.name,
                  " if that one started this process; in the program, set Config::launcher");
  if (const auto left = history.variables()(lost.variable)) {
    return error_at(Errc::missing, lost.variable, *left,
                    concat<159>("a rank beside it: a process above this one has the name of its "
                                "launcher, below that of ",
                                own.row.name),
                    remedy);
  }
  return error_missing(
      Errc::missing, lost.variable,
      concat<159>("it here too: a process above this one was started with it, or by its launcher, "
                  "below that of ",
                  own.row.name),
      remedy);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_LOST_RECORD_HPP
