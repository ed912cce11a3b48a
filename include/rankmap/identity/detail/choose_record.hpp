// SPDX-License-Identifier: MIT
// Chooses the record that identifies this process: the innermost complete one, or an error.
#ifndef RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/dispute.hpp>
#include <rankmap/identity/detail/nesting_evidence.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_error.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/detail/settle.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <optional>

namespace rankmap::inline v0::detail {

/// The record that identifies this process, if there is one.
struct Choice {
  const Record* record = nullptr;  ///< nullptr: a single process, or the numbers of Config alone
  bool not_distributed = false;    ///< the local rank of `record` is -1
  Proof proof = {};                ///< why it is believed, where another record disagrees
};

/// Whether the caller gives rank and world size. Then no record is needed.
constexpr bool has_rank_and_world_size(const Config& config) {
  return config.rank.has_value() && config.world_size.has_value();
}

/// The first complete record that has the caller's rank and world size.
constexpr const Record* find_with_numbers(const Records& records, const Config& config) {
  for (const Record& record : records) {
    if (record.state == RecordState::complete && record[Field::rank].number == config.rank &&
        record[Field::world_size].number == config.world_size) {
      return &record;
    }
  }
  return nullptr;
}

/// The first incomplete record with a number of its own, which the caller's numbers complete. One
/// without any number is a leftover.
constexpr const Record* find_partly_numbered(const Records& records) {
  for (const Record& record : records) {
    if (record.state != RecordState::incomplete) continue;
    for (const Value& value : record.values) {
      if (value.known()) return &record;
    }
  }
  return nullptr;
}

/// Whether the record is that of one of several nodes, of which the count is not known.
constexpr bool is_one_of_unknown_count(const Record& record) {
  return record.state == RecordState::node_level && record.row.level != RecordLevel::array &&
         !record[Field::node_count].known() && record[Field::node_rank].number > 0;
}

/// The record of a node. The tasks of an array are jobs of their own: theirs counts only if the
/// caller says that each node runs one process, and choose() then asks whether it is meant.
constexpr const Record* find_node(const Records& records, const Config& config) {
  const Record* array = nullptr;
  for (const Record& record : records) {
    if (record.state != RecordState::node_level) continue;
    if (record.row.level != RecordLevel::array) return &record;
    if (config.one_process_per_node && array == nullptr) array = &record;
  }
  return array;
}

/// Whether variables that any script may export repeat the numbers of a batch script. pyxis copies
/// Slurm's numbers into RANK and LOCAL_RANK, also for a batch script that it runs in a container.
constexpr bool repeats_batch_script(const Record& record, const Records& records) {
  const Record* const script = records.find(RecordState::no_task);
  if (script == nullptr || !record.row.generic_names) return false;
  const Agreement identity = compare_identity(*script, record);
  return identity.agree && identity.compared > 1;
}

/// Another incomplete record that says something else than one whose names any script may export:
/// the caller's numbers would complete the wrong one.
RANKMAP_RARE constexpr const Record* find_rival_part(const Record& record, const Records& records) {
  if (!record.row.generic_names) return nullptr;
  for (const Record& other : records) {
    if (&other != &record && names_another_place(record, other) &&
        names_another_place(other, record)) {
      return &other;
    }
  }
  return nullptr;
}

/// Whether the numbers of a pod serve as those of a process: RANK and WORLD_SIZE, where nobody asks
/// for more.
constexpr bool numbers_a_process(const Record& node, Need need) {
  return need == Need::process && node.row.level == RecordLevel::worker &&
         node[Field::node_count].known();
}

/// The innermost record, if one is complete. Where records contradict each other, the processes
/// above this one show which was set last; else the variables prove it; else it is an error, which
/// names both. The order of the table proves nothing.
RANKMAP_RARE constexpr Result<Choice> choose_innermost(const Record& complete,
                                                       const Records& records,
                                                       const EnvironmentView& variables) {
  const Dispute dispute = find_dispute(records);
  if (!dispute) return Choice{&complete};
  const std::optional<Ancestors> ancestors = variables.ancestors();
  if (ancestors) {
    const Settled by_process = settle_by_process(records, ProcessTree(variables, *ancestors));
    if (by_process.record != nullptr) {
      const Record& inner = *by_process.record;
      const bool is_alone = inner.state == RecordState::no_task || inner.may_be_alone;
      if (is_script(inner) && is_alone) return Choice{nullptr, false, by_process.proof};
      if (inner.state != RecordState::complete && inner.state != RecordState::incomplete) {
        return error_about_record(inner, variables);
      }
      // A script that exports a part of the numbers says nothing of the rest.
      if (inner.state == RecordState::incomplete && inner.row.generic_names) {
        return ambiguous_order(*dispute.complete, inner, variables);
      }
      return Choice{&inner, false, by_process.proof};
    }
  }
  if (const Settled by_step = settle_by_step(records, variables); by_step.record != nullptr) {
    return Choice{by_step.record, false, by_step.proof};
  }
  const Settled by_variables = settle_by_variables(records, variables, ancestors.has_value());
  if (by_variables.record != nullptr) return Choice{by_variables.record, false, by_variables.proof};
  // Either may be the inner one. One that cannot be used says best what is wrong.
  for (const Record& record : records) {
    if (&record == dispute.complete) break;
    if (!contradict(*dispute.complete, record, records)) continue;
    if (record.state == RecordState::broken) return error_about_record(record, variables);
    // The caller's numbers would complete it, of whichever launcher they are. Of a starter without
    // numbers, they are all that there is.
    if (is_starter(record)) return Choice{&record};
    if (record.state == RecordState::incomplete) {
      return ambiguous_order(*dispute.complete, record, variables);
    }
  }
  return ambiguous_order(*dispute.complete, *dispute.other, variables);
}

/// The innermost complete record. Without one: an incomplete record, which the caller may complete;
/// a node's record, if the caller states one process a node; or none. Errors: an inner record is
/// broken, or it is not known which record is the inner one. An outer record never fills in for an
/// inner one.
RANKMAP_RARE constexpr Result<Choice> choose_record(const Records& records,
                                                    const EnvironmentView& variables,
                                                    const Config& config, Need need) {
  if (config.launcher == Launcher::none || config.launcher == Launcher::config) return Choice{};
  if (config.launcher) {
    const Record* const forced = records.find(*config.launcher);
    if (forced == nullptr) {
      const LauncherRow& row = row_of(*config.launcher);
      if (has_any(row.detect_any, variables)) {
        return error_at(
            Errc::unknown_launcher, "Config::launcher", name(row.launcher),
            "a launcher that set its own variables; these belong to another one",
            "start the process with it; in the program, set Config::launcher to the other one");
      }
      return error_missing(
          Errc::unknown_launcher, row.detect_any.first(),
          concat<159>("the variables of ", name(row.launcher), ", as Config::launcher says"),
          "start the process with that launcher; in the program, leave Config::launcher unset");
    }
    if (forced->state == RecordState::complete || forced->state == RecordState::incomplete) {
      return Choice{forced};
    }
    if (forced->state == RecordState::node_level) {
      if (config.one_process_per_node) return Choice{forced};
      return ambiguous_node(*forced, variables, true);
    }
    if (forced->state == RecordState::no_task && forced->negative_local_rank) {
      return Choice{forced, true};
    }
    return error_about_record(*forced, variables, true);
  }

  if (has_rank_and_world_size(config)) {
    const Record* const own = find_with_numbers(records, config);
    return Choice{own != nullptr ? own : find_partly_numbered(records)};
  }
  if (const Record* const complete = records.find(RecordState::complete)) {
    // That its names for processes still read as numbers of nodes may be by chance.
    for (const Record& record : records) {
      const bool shares_names = !record.row.unless_changed[0].variable.empty();
      if (shares_names && record.state == RecordState::node_level) {
        return ambiguous_order(*complete, record, variables);
      }
    }
    return choose_innermost(*complete, records, variables);
  }
  if (const Record* const broken = records.find(RecordState::broken)) {
    return error_about_record(*broken, variables);
  }
  for (const Record& record : records) {
    if (record.state == RecordState::incomplete && !may_be_alone(record) &&
        !repeats_batch_script(record, records)) {
      if (const Record* const rival = find_rival_part(record, records)) {
        return ambiguous_order(*rival, record, variables);
      }
      return Choice{&record};
    }
  }
  for (const Record& record : records) {
    if (record.state == RecordState::stale && !record.may_be_alone) {
      return error_about_record(record, variables);
    }
  }
  if (const Record* const node = find_node(records, config)) {
    const bool runs_more =
        node->row.nodes_of_one_size && (*node)[Field::local_world_size].number > 1;
    const bool alone = (*node)[Field::node_count].number == 1 && !runs_more;
    for (const Record& other : records) {
      if (alone && is_one_of_unknown_count(other)) return ambiguous_count(*node, other, variables);
    }
    if (config.one_process_per_node && node->row.level != RecordLevel::array) return Choice{node};
    if (numbers_a_process(*node, need)) return Choice{node};
    if (!alone) return ambiguous_node(*node, variables);
  }
  for (const Record& record : records) {
    if (record.negative_local_rank) return Choice{&record, true};
  }
  return Choice{};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP
