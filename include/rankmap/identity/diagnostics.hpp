// SPDX-License-Identifier: MIT
// What else is in the environment: the records that were not chosen, the values that could not be
// used, and the words of whoever runs the job.
#ifndef RANKMAP_IDENTITY_DIAGNOSTICS_HPP
#define RANKMAP_IDENTITY_DIAGNOSTICS_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// The state of one launcher's record, without regard to other records.
enum class RecordState : std::uint8_t {
  absent,      ///< no variable of this launcher is set
  complete,    ///< rank, world size and local rank are set and consistent
  incomplete,  ///< some of the required numbers are missing
  broken,      ///< a text is not a number, or two values contradict each other
  no_task,     ///< this process is not a task of the launcher: a batch script
  stale,       ///< the variables are those of another process
  node_level,  ///< it identifies a pod or machine, not a process
};

constexpr std::string_view name(RecordState state) {
  return detail::enumerator("absent\0complete\0incomplete\0broken\0no task\0stale\0node level",
                            state);
}

/// How a record that was not chosen relates to the one that was.
enum class Relation : std::uint8_t {
  same,      ///< it identifies this process in the same way
  nested,    ///< it identifies what started this process: an agent, a daemon, a pod
  stale,     ///< it identifies another process, whose variables were inherited
  conflict,  ///< it contradicts the chosen record; an error with Config::strict
};

constexpr std::string_view name(Relation relation) {
  return detail::enumerator("same\0nested\0stale\0conflict", relation);
}

/// A record that was found but not chosen. A number is -1 if the record has none. At node level the
/// numbers are the index of the node and the number of nodes.
struct OtherRecord {
  Launcher launcher = Launcher::none;
  RecordState state = RecordState::absent;
  Relation relation = Relation::same;
  int rank = -1;
  int world_size = -1;
  std::string_view variable = {};  ///< the one that detected it, or that shows what is wrong
  std::string_view reason = {};    ///< why it was not chosen; may be empty
  /// Processes of this node, if the whole record is that of another one of them; else -1.
  int local_world_size = -1;

  friend constexpr bool operator==(const OtherRecord&, const OtherRecord&) = default;
};

/// What proves that the record that was chosen is the innermost one.
enum class ProofKind : std::uint8_t {
  none,       ///< nothing had to be proved: no other record contradicts it
  starter,    ///< an ancestor of the process has the name of its launcher
  set_later,  ///< an ancestor set its variables, and started with those of the other record
  agents,     ///< the variables: the other record is that of its agents or daemons
  step,       ///< the variables: the other launcher was called outside of this step
};

constexpr std::string_view name(ProofKind kind) {
  return detail::enumerator("none\0starter\0set later\0agents\0step", kind);
}

/// Why one record is believed, and not another one that contradicts it.
struct Proof {
  ProofKind kind = ProofKind::none;
  Launcher launcher = Launcher::none;  ///< whose record is believed
  Launcher other = Launcher::none;     ///< whose record contradicts it
  int generation = 0;                  ///< of the ancestor: 1 for the parent; 0 for the process
  StaticString<15> process = {};       ///< starter: the ancestor's name

  friend constexpr bool operator==(const Proof&, const Proof&) = default;
};

/// A variable by which whoever runs the job states what Config may state: RANKMAP_LAUNCHER,
/// RANKMAP_IGNORE, RANKMAP_DISTRIBUTION or RANKMAP_STRICT.
struct OperatorWord {
  std::string_view variable = {};
  StaticString<47> text = {};  ///< its text, escaped and shortened

  friend constexpr bool operator==(const OperatorWord&, const OperatorWord&) = default;
};

/// A variable that was set but could not be used, so that its value is reported as unknown; or one
/// that says that this process is not alone.
struct Warning {
  StaticString<63> variable = {};
  StaticString<47> text = {};          ///< its text, escaped and shortened
  std::string_view reason = {};        ///< what was expected
  std::string_view remedy = {};        ///< what to do; empty: correct or unset it
  Launcher launcher = Launcher::none;  ///< a leftover: the launcher that sets the variable
  Doubt doubt = Doubt::value;          ///< its kind
  /// What contradicts it: another variable or a member of Config, its number, and the launcher that
  /// sets the variable. Then `reason` says why the two should agree.
  std::string_view rival = {};
  int rival_number = -1;
  Launcher rival_launcher = Launcher::none;

  friend constexpr bool operator==(const Warning&, const Warning&) = default;
};

namespace detail {

/// What was expected. `rival_launcher`: its name.
template <std::size_t Capacity>
constexpr void append_expected(StaticString<Capacity>& out, const Warning& warning,
                               std::string_view rival_launcher) {
  if (!warning.rival.empty()) {
    out.append_number(warning.rival_number).append(", as ").append(warning.rival);
    out.append(" says");
    if (warning.rival_launcher != Launcher::none) {
      out.append(" (").append(rival_launcher).append(')');
    }
    out.append(": ");
  }
  out.append(warning.reason);
}
/// What to do; nothing where that is to correct or unset the variable.
template <std::size_t Capacity>
constexpr void append_remedy(StaticString<Capacity>& out, const Warning& warning) {
  out.append(warning.remedy);
  if (warning.remedy.empty() && !warning.rival.empty()) {
    out.append("unset it, or, if it is right, correct ").append(warning.rival);
  }
}

}  // namespace detail

/// One line, as of an error: `RANK="x" (torch_env): expected a number; correct or unset it`.
/// Printable ASCII.
constexpr Message message(const Warning& warning) {
  Message out(warning.variable);
  if (!warning.text.empty()) out.append("=\"").append(warning.text).append('"');
  if (warning.launcher != Launcher::none) {
    out.append(" (").append(name(warning.launcher)).append(')');
  }
  detail::append_expected(out.append(": expected "), warning, name(warning.rival_launcher));
  const std::size_t end = out.append("; ").size();
  detail::append_remedy(out, warning);
  return out.size() == end ? out.append("correct or unset it") : out;
}
/// Prints `message` to a std::ostream, and so in GoogleTest's output.
template <detail::TextStream Stream>
Stream& operator<<(Stream& out, const Warning& warning) {
  return out << message(warning);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_IDENTITY_DIAGNOSTICS_HPP
