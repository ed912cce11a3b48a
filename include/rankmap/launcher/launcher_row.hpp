// SPDX-License-Identifier: MIT
//
// The vocabulary of the launcher table: what a row can say of a launcher's variables.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What one record of a launcher identifies.
enum class RecordLevel : std::uint8_t {
  worker,  ///< one process
  node,    ///< a pod or machine, on which any number of processes may run
};

/// A few variable names. As a source of a value: the first that is set counts.
struct VariableNames {
  static constexpr std::size_t capacity = 4;
  std::string_view list[capacity];

  // Named one by one: g++ 12 does not take the rest of a braced list for constant.
  // NOLINTNEXTLINE(google-explicit-constructor): a braced list of names is what a row holds
  constexpr VariableNames(std::string_view a = {}, std::string_view b = {}, std::string_view c = {},
                          std::string_view d = {})
      : list{a, b, c, d} {}

  constexpr const std::string_view* begin() const { return list; }
  constexpr const std::string_view* end() const {
    const std::string_view* last = list;
    while (last != list + capacity && !last->empty()) ++last;
    return last;
  }
  constexpr bool empty() const { return list[0].empty(); }
};

/// How a number is found in a variable's text.
enum class ValueFormat : std::uint8_t {
  number,           ///< the text is the number
  number_or_word,   ///< the same; any other text is one that tells no number
  comma_count,      ///< how many entries the comma list has
  json_list_count,  ///< how many texts the JSON list has
  json_list_index,  ///< where the text of the variable `key` stands in the JSON list
  tf_config_index,  ///< the place of TF_CONFIG's task among the chiefs, masters and workers
  tf_config_count,  ///< how many chiefs, masters and workers TF_CONFIG's cluster has
};

/// Where one number of a record comes from.
struct ValueSource {
  VariableNames names;
  ValueFormat format = ValueFormat::number;
  std::string_view key = {};  ///< for json_list_index: the variable with the text to look for
};

/// What a launcher's own check makes of its record.
struct RecordCheck {
  enum class Outcome : std::uint8_t {
    task,        ///< nothing speaks against it
    no_task,     ///< the process is in the job but was not started as a task
    stale,       ///< the variables are those of another process
    unreadable,  ///< what the check needs is not there or makes no sense
  };
  Outcome outcome = Outcome::task;
  std::string_view variable = {};  ///< the one that gave it away
  std::string_view reason = {};
  bool may_be_alone = false;  ///< stale only: a single process may have inherited them
};

namespace detail {

/// The check of a launcher without one. A null pointer would do, but under -fsanitize=undefined
/// g++ 12 takes no comparison of a function with null for constant.
constexpr RecordCheck no_check(const EnvironmentView&) { return {}; }

}  // namespace detail

/// One launcher.
struct LauncherRow {
  Launcher launcher;
  RecordLevel level = RecordLevel::worker;

  VariableNames detect_any;  ///< one of these set: there is a record of this launcher
  VariableNames require_all =
      {};  ///< unless all of these are set too, the evidence is someone else's
  VariableNames exclude_any = {};  ///< if one of these is set, the evidence is someone else's

  ValueSource rank = {};        ///< at node level: the node's index
  ValueSource world_size = {};  ///< at node level: the number of nodes
  ValueSource local_rank = {};
  ValueSource local_world_size = {};
  ValueSource node_rank = {};
  ValueSource node_count = {};  ///< at node level: the same, where world_size is not told
  VariableNames block_index =
      {};  ///< node level: index of the block of nodes this one belongs to ...
  VariableNames block_count = {};  ///< ... of so many equal blocks

  VariableNames host = {};          ///< this process's own host, as the launcher calls it
  VariableNames hosts = {};         ///< all hosts in node order, in Slurm's compressed form ...
  VariableNames hosts_unless = {};  ///< ... unless one of these is set
  VariableNames job_id = {};
  VariableNames step_id = {};  ///< the launch within the job
  VariableNames restart_count = {};
  VariableNames address = {};  ///< rendezvous address and port
  VariableNames port = {};

  bool local_size_required = false;  ///< the launcher always gives it: without it, incomplete
  bool node_by_node = false;         ///< ranks are numbered node after node, in node order
  /// RANK and WORLD_SIZE without LOCAL_RANK are what pod operators set: then it is a node's
  /// identity.
  bool node_level_without_local_rank = false;
  /// Its names are ones that anyone may export: a complete outer record that says otherwise leaves
  /// the matter open.
  bool generic_names = false;
  /// Its variables survive into whatever is started below its tasks, so that a contradiction by an
  /// inner record is no surprise. Of the others one that is neither the same nor an agent's is
  /// open.
  bool inherited_by_children = false;
  std::string_view single_host_if = {};  ///< set to "1" where all processes run on one host
  std::string_view agent_store_if =
      {};  ///< set to "True" where the launcher's own store is at `port`
  RecordCheck (*check)(const EnvironmentView&) = detail::no_check;  ///< living, stale, ...?
  /// The layout that the launcher's variables prove on every rank alike, and the rule's name; only
  /// with a name there is a function.
  OptionalLayout (*layout)(const EnvironmentView&) = nullptr;
  std::string_view layout_rule = {};
  std::span<const std::string_view> check_reads = {};  ///< what both read beside the names above
  std::string_view missing_hint = {};  ///< what to do about the field this launcher never gives
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
