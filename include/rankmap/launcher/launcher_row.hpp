// SPDX-License-Identifier: MIT
// The types of the launcher table: how a row describes the variables of a launcher. One file, since
// these are the types of a row's members and of what its check answers, which are read side by
// side.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// What a process doubts of itself: the kind of a warning, the gravest last.
enum class Doubt : std::uint8_t {
  none,
  value,         ///< a text that could not be used, or a sign that it is not alone
  groups,        ///< its world is that of one replica group of several
  virtual_rank,  ///< torchrun gave all workers of a node local rank 0
  programs,      ///< several programs share its world
  index,         ///< two numbers of one pod
};

constexpr std::string_view name(Doubt doubt) {
  return detail::enumerator("none\0value\0groups\0virtual_rank\0programs\0index", doubt);
}

/// What the record of a launcher identifies.
enum class RecordLevel : std::uint8_t {
  worker,  ///< one process
  node,    ///< a pod or machine, on which any number of processes may run
  slot,    ///< a part of a machine, on which other slots of the job may be
  array,   ///< a task of an array, which is a job of its own unless the caller says otherwise
};

constexpr std::string_view name(RecordLevel level) {
  return detail::enumerator("worker\0node\0slot\0array", level);
}

/// A list of variable names, with commas between them: "PMI_RANK,PMI_SIZE". As the source of a
/// value, the first that is set is used.
class VariableNames {
 public:
  constexpr VariableNames() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the list is the names
  constexpr VariableNames(std::string_view list) : list_(list) {}
  // NOLINTNEXTLINE(google-explicit-constructor): the same
  constexpr VariableNames(const char* list) : list_(list) {}

  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    RANKMAP_RARE constexpr explicit Iterator(std::string_view rest)
        : rest_(rest), size_(rest.find(',')) {}
    constexpr std::string_view operator*() const { return rest_.substr(0, size_); }
    RANKMAP_RARE constexpr Iterator& operator++() {
      *this = size_ == rest_.npos ? Iterator() : Iterator(rest_.substr(size_ + 1));
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(const Iterator& a, const Iterator& b) {
      return a.rest_.size() == b.rest_.size();
    }

   private:
    std::string_view rest_ = {};
    std::size_t size_ = std::string_view::npos;  // of the name in front
  };
  constexpr Iterator begin() const { return Iterator(list_); }
  constexpr Iterator end() const { return Iterator(); }
  constexpr bool empty() const { return list_.empty(); }
  /// Empty if there is none.
  constexpr std::string_view first() const { return *begin(); }
  constexpr std::string_view list() const { return list_; }
  constexpr bool has(std::string_view variable) const {
    for (const std::string_view name : *this) {
      if (name == variable) return true;
    }
    return false;
  }

  friend constexpr bool operator==(const VariableNames&, const VariableNames&) = default;

 private:
  std::string_view list_ = {};
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

constexpr std::string_view name(ValueFormat format) {
  return detail::enumerator(
      "number\0number_or_word\0number_from_1\0comma_count\0machine_count\0place_on_host\0"
      "count_on_host\0json_list_count\0json_list_index\0tf_config_index\0tf_config_count",
      format);
}

/// The source of one number of a record.
struct ValueSource {
  VariableNames names;
  ValueFormat format = ValueFormat::number;
  /// For json_list_index: the variable whose text is looked up. For place_on_host and
  /// count_on_host: the variable with the index of this process in the list. For number: where
  /// this variable is set, the others do not count.
  std::string_view key = {};

  friend constexpr bool operator==(const ValueSource&, const ValueSource&) = default;
};

/// A variable whose text has to be one of a few.
struct ExpectedText {
  std::string_view variable = {};
  VariableNames texts = {};

  RANKMAP_RARE constexpr bool holds(const EnvironmentView& variables) const {
    return texts.has(variables.text_or_empty(variable));
  }

  friend constexpr bool operator==(const ExpectedText&, const ExpectedText&) = default;
};

/// Two variables that a launcher sets to one text.
struct SameText {
  std::string_view variable = {};
  std::string_view other = {};

  /// Whether both are set, and differ.
  constexpr bool is_broken(const EnvironmentView& variables) const {
    const auto text = variables(variable);
    const auto own = variables(other);
    return text && own && *text != *own;
  }

  friend constexpr bool operator==(const SameText&, const SameText&) = default;
};

/// A variable of which a number above 1 makes an answer doubtful that is read as it stands.
struct Caution {
  std::string_view variable = {};
  std::string_view expected = {};  ///< completes the sentence "expected ..."
  /// It names a device, such as "cuda:5": another number than the local rank does so.
  bool names_device = false;
  Doubt doubt = Doubt::value;  ///< the kind of the warning
  /// It is there where the launcher's first process has a terminal: that may be a shell, at the
  /// prompt of which a program is alone.
  bool names_terminal = false;

  friend constexpr bool operator==(const Caution&, const Caution&) = default;
};

/// What a launcher may have been started by: tasks of another launcher, one on each node. Then the
/// record of these tasks says nothing else about a worker than the launcher's own record does.
enum class Agents : std::uint8_t {
  none,           ///< nothing is known
  on_every_node,  ///< an agent on every node, started by whoever started the job
  on_some_nodes,  ///< a daemon on some nodes, or on more than it uses, as the scheduler's tasks
};

constexpr std::string_view name(Agents agents) {
  return detail::enumerator("none\0on_every_node\0on_some_nodes", agents);
}

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
  /// Names that any script may export have other numbers than the launcher's own names.
  bool is_exported_over = false;
  Caution doubt = {};  ///< a number that may not be what it says
  /// The record names a job of its own, so that numbers that agree with another launcher's record
  /// prove nothing.
  bool names_own_job = false;
  /// The id of a job, which several launchers set, is that of this record.
  bool set_job_id = false;
  /// The variable with a map of all ranks to nodes, where nothing else gives the other numbers.
  std::string_view process_map = {};
};

/// The launchers whose record needs a check of its own. Each is a function in detail/.
enum class CheckKind : std::uint8_t {
  none,
  torchrun_worker,
  tpu_process,
  any_starter,
  slurm_step,
  pmix_server,
  pbs_task,
  sge_task,
  elastic_pod,
  platform_mpi,
  alone,
  ray_actor,
};

constexpr std::string_view name(CheckKind kind) {
  return detail::enumerator(
      "none\0torchrun_worker\0tpu_process\0any_starter\0slurm_step\0pmix_server\0pbs_task\0"
      "sge_task\0elastic_pod\0platform_mpi\0alone\0ray_actor",
      kind);
}

/// One launcher: its variables, and what they mean. Members that are empty or false do not apply.
/// The texts are views of the text that declares it.
struct LauncherRow {
  /// A row without anything. Not inlined: it is half a kilobyte of zeros wherever it is.
  RANKMAP_RARE constexpr LauncherRow() {}  // NOLINT(modernize-use-equals-default)

  std::string_view name = {};
  Launcher launcher = Launcher::none;
  /// Declared outside of the library: the launcher in whose place it stands.
  Launcher replaces = Launcher::none;
  RecordLevel level = RecordLevel::worker;

  /// One of these is set: there is a record of this launcher, ...
  VariableNames detect_any = {};
  /// ... if all of these are set too, ...
  VariableNames require_all = {};
  /// ... and one of these is, ...
  VariableNames require_any = {};
  /// ... or this has one of its texts (where only one of the two is given, that one), ...
  ExpectedText require_text = {};
  /// ... and none of these is set.
  VariableNames exclude_any = {};
  /// Where two of a pair differ, another launcher has set its names anew: there is no record.
  SameText unless_changed[2] = {{}, {}};
  /// The variable with the role of this process, and the roles of a worker. Others have no rank.
  ExpectedText role = {};

  ValueSource rank = {};        ///< at other levels: the index of the node, slot or task
  ValueSource world_size = {};  ///< at other levels: the number of these
  ValueSource local_rank = {};
  ValueSource local_world_size = {};
  ValueSource node_rank = {};
  ValueSource node_count = {};     ///< at node level: the same, if world_size is not set
  VariableNames block_index = {};  ///< node level: the index of the block that the node is in ...
  VariableNames block_count = {};  ///< ... and the number of blocks, all of one size ...
  VariableNames all_blocks = {};   ///< ... or that of the nodes in all of them

  VariableNames host = {};         ///< the host of this process, as the launcher calls it
  VariableNames submit_host = {};  ///< the host on which the job was submitted
  VariableNames hosts = {};        ///< all hosts, in Slurm's compressed form ...
  bool hosts_are_json = false;     ///< ... or as a JSON list of names
  VariableNames job_id = {};
  VariableNames step_id = {};  ///< the launch within the job
  VariableNames restart_count = {};
  VariableNames address = {};  ///< the address of the rendezvous
  VariableNames port = {};     ///< its port

  bool local_size_required = false;  ///< it is always set: a record without it is incomplete
  bool node_by_node = false;         ///< ranks are numbered node after node, in node order
  /// All nodes run as many processes, numbered node after node: rank and world size follow. At node
  /// level, one node of several processes is not a single process.
  bool nodes_of_one_size = false;
  /// Rank and world size without a local rank number nodes: pod operators set RANK and WORLD_SIZE.
  bool node_level_without_local_rank = false;
  /// Where this is set, the index counts within one of several groups of nodes, and is not that of
  /// the node. With a star, as in "VC_*_NUM": where several names of this form are.
  std::string_view group_names = {};
  /// Any script may export its variables: they prove nothing against another record.
  bool generic_names = false;
  /// Many process managers set its variables beside their own.
  bool is_bare = false;
  /// Scripts set its variables beside those of any launcher, to the same numbers.
  bool is_set_beside = false;
  /// The names of the processes that start its workers, as a comma list: at most 15 bytes each.
  std::string_view starters = {};
  /// A starter sets all of them for each process that it starts, even to what they were before.
  bool starters_set_all = false;
  bool has_new_job_id = false;  ///< no two starts of it have the same `job_id`
  /// The launchers under whose names it may set its numbers, too.
  VariableNames also_sets = {};
  /// One of these is set: RANK, WORLD_SIZE and LOCAL_RANK are copies of its numbers, made by a hook
  /// or a program that does so for every process of a job.
  VariableNames copied_if = {};
  /// How a `job_id` of another row begins that this launcher has set.
  std::string_view own_namespace = {};
  Agents agents = Agents::none;
  /// All of its workers get the variables of other launchers as they are on its first host.
  bool spreads_first_environment = false;
  bool starts_daemons = false;  ///< its tasks may be the daemons of launchers of `on_some_nodes`
  bool starts_scripts = false;  ///< it also starts single processes: batch scripts
  /// What it starts may be the daemons or agents of another launcher, in any number: other numbers
  /// in that launcher's record are no conflict.
  bool starts_agents = false;
  std::string_view single_host_if = {};  ///< "1" here: all processes run on one host
  std::string_view agent_store_if = {};  ///< "True" here: the launcher runs the store at `port`
  /// Its answer has a warning if ...
  Caution caution = {};
  /// Whether the record is that of a task, stale, ...
  CheckKind check = CheckKind::none;
  /// The job's layout may follow from a Slurm step: row_layouts.hpp.
  bool has_slurm_layout = false;

  /// What whoever runs the job does if a required number is missing, for a worker. Either this, or
  /// to start it with this command, or to unset what was inherited. Where only the latter is said,
  /// the command has the launcher's name ...
  std::string_view missing_hint = {};
  std::string_view start_command = {};
  std::string_view unset_names = {};
  /// ... or, where none of them is given, to set RANK, WORLD_SIZE and LOCAL_RANK instead. It may be
  /// alone, and then that may be said instead.
  bool or_alone = false;

  friend constexpr bool operator==(const LauncherRow&, const LauncherRow&) = default;
};

namespace detail {

/// The first of some variables that is set; an empty one if none is.
RANKMAP_RARE constexpr Variable first_set(const VariableNames& names,
                                          const EnvironmentView& variables) {
  for (const std::string_view name : names) {
    if (const auto text = variables(name)) return {name, *text};
  }
  return {};
}
RANKMAP_RARE constexpr bool has_any(const VariableNames& names, const EnvironmentView& variables) {
  return !first_set(names, variables).name.empty();
}

}  // namespace detail

/// Whether a process of this name starts workers of the row.
constexpr bool has_starter(const LauncherRow& row, std::string_view name) {
  return VariableNames(row.starters).has(name);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_ROW_HPP
