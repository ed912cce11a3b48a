// SPDX-License-Identifier: MIT
// Chooses the record that identifies this process: the innermost complete one, or an error.
#ifndef RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/dispute.hpp>
#include <rankmap/identity/detail/find_record.hpp>
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
  /// Another record has the same numbers of this process, and may be the inner one: what only one
  /// of the two says of nodes may be that of another launch.
  bool is_shared = false;
};

/// Whether the numbers of a pod serve as those of a process: RANK and WORLD_SIZE, where nobody asks
/// for more.
constexpr bool numbers_a_process(const Record& node, Need need) {
  return need == Need::process && node.row.level == RecordLevel::worker &&
         node[Field::node_count].known();
}

/// Whether `inner` was set after every other complete record, or by the same launch.
RANKMAP_RARE constexpr bool is_youngest(const Record& inner, const Records& records,
                                        const ProcessTree* tree) {
  const NestingEvidence own = tree != nullptr ? tree->evidence_of(inner) : NestingEvidence();
  for (const Record& other : records) {
    if (other.state != RecordState::complete || &other == &inner ||
        may_be_one_launch(inner, other) || is_agent_record(other, inner)) {
      continue;
    }
    if (tree == nullptr || nesting_of(own, tree->evidence_of(other)).inner != Inner::first) {
      return false;
    }
  }
  return true;
}

/// Of complete records with the same numbers of this process, the one that was set last. The
/// numbers are right in any case. Those of nodes are of one launch, and nothing else has to be
/// equal on the next rank.
RANKMAP_RARE constexpr Choice choose_youngest(const Record& complete, const Records& records,
                                              const EnvironmentView& variables) {
  if (is_youngest(complete, records, nullptr)) return Choice{&complete};
  if (const std::optional<Ancestors> ancestors = variables.ancestors()) {
    const ProcessTree tree(variables, *ancestors, records.known());
    for (const Record& record : records) {
      if (record.state == RecordState::complete && is_youngest(record, records, &tree)) {
        return Choice{&record};
      }
    }
  }
  const Settled by_step = settle_by_step(records, variables);
  if (by_step.record != nullptr) return Choice{by_step.record};
  return {&complete, false, {}, true};
}

/// The innermost record, if one is complete. Where records contradict each other, the processes
/// above this one show which was set last; else the variables prove it; else it is an error, which
/// names both. The order of the table proves nothing.
RANKMAP_RARE constexpr Result<Choice> choose_innermost(const Record& complete,
                                                       const Records& records,
                                                       const EnvironmentView& variables) {
  const Dispute dispute = find_dispute(records);
  if (!dispute) return choose_youngest(complete, records, variables);
  const std::optional<Ancestors> ancestors = variables.ancestors();
  if (ancestors) {
    const Settled by_process =
        settle_by_process(records, ProcessTree(variables, *ancestors, records.known()));
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

/// The inner one of two incomplete records that contradict each other, if the processes above show
/// it. A part of what any script may export says nothing of the rest.
RANKMAP_RARE constexpr Result<Choice> choose_part(const Record& record, const Record& rival,
                                                  const Records& records,
                                                  const EnvironmentView& variables) {
  if (const std::optional<Ancestors> ancestors = variables.ancestors()) {
    const Settled inner =
        settle_by_process(records, ProcessTree(variables, *ancestors, records.known()));
    if (inner.record != nullptr && inner.record->state == RecordState::incomplete &&
        !inner.record->row.generic_names) {
      return Choice{inner.record, false, inner.proof};
    }
  }
  return ambiguous_order(rival, record, variables);
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
      const LauncherRow& row = records.known().row_of(*config.launcher);
      if (has_any(row.detect_any, variables)) {
        return error_at(
            Errc::unknown_launcher, "Config::launcher", row.name,
            "a launcher that set its own variables; these belong to another one",
            "start the process with it; in the program, set Config::launcher to the other one");
      }
      return error_missing(
          Errc::unknown_launcher, row.detect_any.first(),
          concat<159>("the variables of ", row.name, ", as Config::launcher says"),
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

  // Who gives rank and world size needs no record.
  if (config.rank && config.world_size) return Choice{find_given(records, config)};
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
  if (const Record* const part = find_part(records)) {
    if (const Record* const rival = find_rival_part(*part, records)) {
      return choose_part(*part, *rival, records, variables);
    }
    return Choice{part};
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
