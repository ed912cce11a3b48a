// SPDX-License-Identifier: MIT
// Chooses the record that identifies this process: the innermost complete one, or an error. Where
// none is complete, or the caller gives rank and world size: the one with the caller's numbers,
// that of a node, or a part of one.
#ifndef RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/innermost.hpp>
#include <rankmap/identity/detail/older_names.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_error.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>

namespace rankmap::inline v0::detail {

/// Whether a record has a number of its own. One without any is a leftover.
constexpr bool has_number(const Record& record) {
  for (const Value& value : record.values) {
    if (value.known()) return true;
  }
  return false;
}

/// Whether the record is that of one of several nodes, of which the count is not known.
constexpr bool is_one_of_unknown_count(const Record& record) {
  return record.state == RecordState::node_level && record.row.level != RecordLevel::array &&
         !record[Field::node_count].known() && record[Field::node_rank].number > 0;
}

/// The record of a node. A task of an array is a job of its own: its record counts only if the
/// caller states one process a node, and choose_record() then refuses it unless it is named.
constexpr const Record* find_node(const Records& records, const Config& config) {
  const Record* array = nullptr;
  for (const Record& record : records) {
    if (record.state != RecordState::node_level) continue;
    if (record.row.level != RecordLevel::array) return &record;
    if (config.one_process_per_node && array == nullptr) array = &record;
  }
  return array;
}

/// The record of a node whose names processes have, too: theirs may have its numbers by chance.
constexpr const Record* find_node_by_chance(const Records& records) {
  for (const Record& record : records) {
    const bool shares_names = !record.row.unless_changed[0].variable.empty();
    if (shares_names && record.state == RecordState::node_level) return &record;
  }
  return nullptr;
}

/// Whether variables that any script may export repeat the numbers of a batch script. pyxis copies
/// Slurm's numbers into RANK and LOCAL_RANK, also for a batch script that it runs in a container of
/// PyTorch.
constexpr bool repeats_batch_script(const Record& record, const Records& records,
                                    const EnvironmentView& variables) {
  const Record* const script = records.find(RecordState::no_task);
  if (script == nullptr || !record.row.generic_names ||
      !has_any(script->row.copied_if, variables)) {
    return false;
  }
  const Agreement identity = compare_identity(*script, record);
  return identity.agree && identity.compared > 1;
}

/// The incomplete record that the caller's numbers complete: the first part with a rank, else the
/// first part, else the first record. nullptr: there is none.
RANKMAP_RARE constexpr const Record* find_part(const Records& records,
                                               const EnvironmentView& variables) {
  const Record* best = nullptr;
  const auto weight = [](const Record& record) {
    return claim_of(record) != Claim::part ? 0 : record[Field::rank].known() ? 2 : 1;
  };
  for (const Record& record : records) {
    if (record.state != RecordState::incomplete || may_be_alone(record) ||
        repeats_batch_script(record, records, variables)) {
      continue;
    }
    if (best == nullptr || weight(record) > weight(*best)) best = &record;
  }
  return best;
}

/// Whether the numbers of a pod serve as those of a process: RANK and WORLD_SIZE, where nobody asks
/// for more.
constexpr bool numbers_a_process(const Record& node, Need need) {
  return need == Need::process && node.row.level == RecordLevel::worker &&
         node[Field::node_count].known();
}

/// The first whole record that has a rival, or the part that is given, if it has one. `rival`: of
/// several, the one that claims most.
struct Rivals {
  const Record* record = nullptr;
  const Record* rival = nullptr;
  constexpr explicit operator bool() const { return rival != nullptr; }
};
RANKMAP_RARE constexpr Rivals find_rivals(const Records& records, const Record* part) {
  Rivals out;
  for (const Record& record : records) {
    if (&record != part && (part != nullptr || record.state != RecordState::complete)) continue;
    for (const Record& other : records) {
      const Claim claim = claim_of(other);
      // Of a part, only another part, or one that says that this process is alone.
      if (part != nullptr && claim != Claim::part && claim != Claim::alone) continue;
      if (&other == &record || (out && claim <= claim_of(*out.rival))) continue;
      if (are_rivals(record, other, records)) out = {&record, &other};
    }
    if (out) break;
  }
  return out;
}

/// The innermost record, or an error that names two that may be.
RANKMAP_RARE constexpr Result<Choice> choose_innermost(const Record* part, History& history) {
  const Records& records = history.records();
  const EnvironmentView& variables = history.variables();
  Rivals rivals = find_rivals(records, part);
  if (part != nullptr && !rivals) return Choice{part};
  if (const Optional<Choice> found = InnermostRecord(history, bool(rivals)).find()) {
    const Record& inner = *found->record;
    if (claim_of(inner) == Claim::alone &&
        (inner.state == RecordState::no_task || inner.checked.may_be_alone)) {
      return Choice{nullptr, false, found->proof};
    }
    if (inner.state == RecordState::complete) return *found;
    if (inner.state != RecordState::incomplete) return error_about_record(inner, variables);
    // A script that exports a part of the numbers says nothing of the rest.
    if (!inner.row.generic_names || is_all_anew(inner, history)) return *found;
    if (part == nullptr) return ambiguous_order(*rivals.record, inner);
  }
  if (part != nullptr) return ambiguous_order(*rivals.rival, *part);
  // Without rivals: of two declared launchers, each may be said to set what the other has.
  for (const Record& record : records) {
    if (rivals) break;
    if (record.state != RecordState::complete) continue;
    (rivals.record == nullptr ? rivals.record : rivals.rival) = &record;
  }
  // Either may be the inner one. One that cannot be used says best what is wrong.
  for (const Record& record : records) {
    if (&record == rivals.record) break;
    if (!are_rivals(*rivals.record, record, records)) continue;
    if (record.state == RecordState::broken) return error_about_record(record, variables);
    // The caller's numbers would complete the record, of whichever launcher they are. Beside a
    // starter without numbers, they are all that there is.
    if (claim_of(record) == Claim::started) return Choice{&record};
    if (record.state == RecordState::incomplete) {
      return ambiguous_order(*rivals.record, record);
    }
  }
  return ambiguous_order(*rivals.record, *rivals.rival);
}

/// The record of a process whose rank and world size the caller gives: the complete one that has
/// the same numbers, the innermost of two, or else the only part, where no record is complete.
/// nullptr: there is none, or there are two that differ in what the caller would read from them.
RANKMAP_RARE constexpr const Record* find_given(History& history, const Config& config) {
  const Records& records = history.records();
  const Record* complete = nullptr;
  const Record* part = nullptr;
  bool is_only_part = true;
  const auto is_given = [&](const Record& record) {
    return record[Field::rank].number == config.rank &&
           record[Field::world_size].number == config.world_size;
  };
  for (const Record& record : records) {
    if (record.state == RecordState::complete) {
      if (!is_given(record)) continue;
      if (complete != nullptr && !compare_identity(*complete, record).agree) {
        const Result<Choice> inner = choose_innermost(nullptr, history);
        return inner && inner->record != nullptr && is_given(*inner->record) ? inner->record
                                                                             : nullptr;
      }
      if (complete == nullptr) complete = &record;
    } else if (record.state == RecordState::incomplete && has_number(record)) {
      is_only_part = is_only_part && (part == nullptr || may_be_one_launch(*part, record));
      if (part == nullptr) part = &record;
    }
  }
  if (complete != nullptr) return complete;
  return is_only_part && records.find(RecordState::complete) == nullptr ? part : nullptr;
}

/// The innermost complete record. Without one: an incomplete record, which the caller may complete;
/// a node's record, if the caller states one process a node; or none. Errors: an inner record is
/// broken, or it is not known which record is the inner one. An outer record never fills in for an
/// inner one.
RANKMAP_RARE constexpr Result<Choice> choose_record(History& history, const Config& config,
                                                    Need need) {
  const Records& records = history.records();
  const EnvironmentView& variables = history.variables();
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
      return ambiguous_node(*forced, true);
    }
    if (forced->state == RecordState::no_task && forced->negative_local_rank) {
      return Choice{forced, true};
    }
    return error_about_record(*forced, variables, true);
  }

  // Who gives rank and world size needs no record.
  if (config.rank && config.world_size) return Choice{find_given(history, config)};
  if (const Record* const complete = records.find(RecordState::complete)) {
    if (const Record* const node = find_node_by_chance(records)) {
      return ambiguous_order(*complete, *node);
    }
    return choose_innermost(nullptr, history);
  }
  if (const Record* const broken = records.find(RecordState::broken)) {
    return error_about_record(*broken, variables);
  }
  if (const Record* const part = find_part(records, variables)) {
    const Result<Choice> inner = choose_innermost(part, history);
    const bool is_alone = inner && inner->record == nullptr;
    if (!is_alone || find_node_by_chance(records) == nullptr) return inner;
  }
  for (const Record& record : records) {
    if (record.state == RecordState::stale && !record.checked.may_be_alone) {
      return error_about_record(record, variables);
    }
  }
  if (const Record* const node = find_node(records, config)) {
    const bool runs_more =
        node->row.nodes_of_one_size && (*node)[Field::local_world_size].number > 1;
    const bool alone = (*node)[Field::node_count].number == 1 && !runs_more;
    for (const Record& other : records) {
      if (alone && is_one_of_unknown_count(other)) return ambiguous_count(*node, other);
    }
    if (config.one_process_per_node && node->row.level != RecordLevel::array) return Choice{node};
    if (numbers_a_process(*node, need) && find_pod_size(records) == nullptr) return Choice{node};
    if (need == Need::local && config.local_rank) return Choice{};  // that is all
    if (!alone) return ambiguous_node(*node);
  }
  for (const Record& record : records) {
    if (record.negative_local_rank) return Choice{&record, true};
  }
  return Choice{};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_CHOOSE_RECORD_HPP
