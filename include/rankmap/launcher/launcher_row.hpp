// SPDX-License-Identifier: MIT
//
// The types of the launcher table: how a row describes the variables of a launcher.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What the record of a launcher identifies.
enum class RecordLevel : std::uint8_t {
  worker,  ///< one process
  node,    ///< a pod or machine, on which any number of processes may run
  array,   ///< a task of an array, which is a job of its own unless the caller says otherwise
};

/// Up to four variable names. As the source of a value, the first that is set is used.
struct VariableNames {
  static constexpr std::size_t capacity = 4;
  std::string_view list[capacity];

  // One parameter for each name: g++ 12 does not accept the rest of a braced list as constant.
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

/// How a number is read from a variable's text.
enum class ValueFormat : std::uint8_t {
  number,           ///< the text is the number
  number_or_word,   ///< the same; any other text counts as unset
  number_from_1,    ///< the text is the number plus one: the first is 1
  comma_count,      ///< the number of entries of the comma list
  machine_count,    ///< the same, of a list that has no machine twice in a row
  place_on_host,    ///< the index of entry `key` among those of its host, in a list of host:port
  count_on_host,    ///< the number of entries of the host of entry `key`
  json_list_count,  ///< the number of texts of the JSON list
  json_list_index,  ///< the index in the JSON list of the text of variable `key`
  tf_config_index,  ///< the index of TF_CONFIG's task among chiefs, masters and workers
  tf_config_count,  ///< the number of chiefs, masters and workers of TF_CONFIG's cluster
};

/// The source of one number of a record.
struct ValueSource {
  VariableNames names;
  ValueFormat format = ValueFormat::number;
  /// For json_list_index: the variable whose text is looked up. For place_on_host and
  /// count_on_host: the variable with the index of this process in the list.
  std::string_view key = {};
};

/// A variable whose text has to be one of a few.
struct ExpectedText {
  std::string_view variable = {};
  VariableNames texts = {};

  constexpr bool holds(const EnvironmentView& variables) const {
    const std::string_view found = variables.text_or_empty(variable);
    for (const std::string_view text : texts) {
      if (found == text) return true;
    }
    return false;
  }
};

/// What a launcher's own check found about its record.
struct RecordCheck {
  enum class Outcome : std::uint8_t {
    task,        ///< the record is that of a task
    no_task,     ///< the process is in the job, but is not a task: a batch script
    stale,       ///< the variables are those of another process
    unreadable,  ///< a variable that the check needs is missing or malformed
  };
  Outcome outcome = Outcome::task;
  std::string_view variable = {};  ///< the one that decided
  std::string_view reason = {};    ///< what was expected of it
  /// Stale: a single process may have inherited the variables. A task without a number: it may be
  /// a single process.
  bool may_be_alone = false;
};

namespace detail {

/// The check of a launcher without one. It is not a null pointer: under -fsanitize=undefined, g++
/// 12 does not accept a comparison of a function with null as constant.
constexpr RecordCheck no_check(const EnvironmentView&) { return {}; }

}  // namespace detail

/// One launcher: its variables, and what they mean. Members that are empty or false do not apply.
struct LauncherRow {
  Launcher launcher;
  RecordLevel level = RecordLevel::worker;

  /// One of these is set: there is a record of this launcher, ...
  VariableNames detect_any;
  /// ... if all of these are set too, ...
  VariableNames require_all = {};
  /// ... and one of these, ...
  VariableNames require_any = {};
  /// ... and this has one of its texts, ...
  ExpectedText require_text = {};
  /// ... and none of these is set.
  VariableNames exclude_any = {};
  /// The variable with the role of this process, and the roles of a worker. Others have no rank.
  ExpectedText role = {};

  ValueSource rank = {};        ///< at node level: the node's index
  ValueSource world_size = {};  ///< at node level: the number of nodes
  ValueSource local_rank = {};
  ValueSource local_world_size = {};
  ValueSource node_rank = {};
  ValueSource node_count = {};     ///< at node level: the same, if world_size is not set
  VariableNames block_index = {};  ///< node level: the index of the block that the node is in ...
  VariableNames block_count = {};  ///< ... and the number of blocks, all of one size

  VariableNames host = {};          ///< the host of this process, as the launcher calls it
  VariableNames hosts = {};         ///< all hosts in node order, in Slurm's compressed form ...
  VariableNames hosts_unless = {};  ///< ... unless one of these is set
  VariableNames job_id = {};
  VariableNames step_id = {};  ///< the launch within the job
  VariableNames restart_count = {};
  VariableNames address = {};  ///< the address of the rendezvous
  VariableNames port = {};     ///< its port

  bool local_size_required = false;  ///< a record without it is incomplete
  bool node_by_node = false;         ///< ranks are numbered node after node, in node order
  /// All nodes run as many processes, numbered node after node: rank and world size follow.
  bool nodes_of_one_size = false;
  /// Rank and world size without a local rank number nodes: pod operators set RANK and WORLD_SIZE.
  bool node_level_without_local_rank = false;
  /// Any script may export its variables. So if a complete outer record contradicts this one, it is
  /// not known which of the two is the inner one.
  bool generic_names = false;
  /// Whatever its tasks start inherits its variables, so an inner record may contradict it. An
  /// outer record of any other launcher that is neither the same nor that of an agent is an error.
  bool inherited_by_children = false;
  /// What it starts may be the daemons or agents of another launcher, in any number: other numbers
  /// in that launcher's record are no conflict.
  bool starts_agents = false;
  std::string_view single_host_if = {};  ///< "1" here: all processes run on one host
  std::string_view agent_store_if = {};  ///< "True" here: the launcher runs the store at `port`
  /// Whether the record is that of a task, stale, ...
  RecordCheck (*check)(const EnvironmentView&) = detail::no_check;
  /// The layout that the launcher's variables prove, the same on every rank. Set if `layout_rule`,
  /// the name of the rule, is not empty.
  OptionalLayout (*layout)(const EnvironmentView&) = nullptr;
  std::string_view layout_rule = {};
  /// The variables that `check` and `layout` read besides those above.
  std::span<const std::string_view> check_reads = {};
  std::string_view missing_hint = {};  ///< what to do if a required number is missing
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
