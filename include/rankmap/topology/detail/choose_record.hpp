// SPDX-License-Identifier: MIT
//
// Chooses the record that identifies this process: the innermost complete one, or an error.
#ifndef RANKMAP_TOPOLOGY_DETAIL_CHOOSE_RECORD_HPP
#define RANKMAP_TOPOLOGY_DETAIL_CHOOSE_RECORD_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/detail/record_error.hpp>
#include <rankmap/topology/detail/record_relation.hpp>
#include <rankmap/topology/detail/records.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>

namespace rankmap::inline v0::detail {

/// The record that identifies this process, if there is one.
struct Choice {
  const Record* record = nullptr;  ///< nullptr: a single process, or the numbers of Config alone
  bool not_distributed = false;    ///< the local rank of `record` is -1
};

/// Whether the caller gives rank and world size. Then no record is needed.
constexpr bool has_rank_and_world_size(const Config& config) {
  return config.rank.has_value() && config.world_size.has_value();
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
  return record.state == RecordState::node_level && record.row->level != RecordLevel::array &&
         !record[Field::node_count].known() && record[Field::node_rank].number > 0;
}

/// The record of a node. The tasks of an array are jobs of their own: theirs counts only if the
/// caller says that each node runs one process, and choose() then asks whether it is meant.
constexpr const Record* find_node(const Records& records, const Config& config) {
  const Record* array = nullptr;
  for (const Record& record : records) {
    if (record.state != RecordState::node_level) continue;
    if (record.row->level != RecordLevel::array) return &record;
    if (config.one_process_per_node && array == nullptr) array = &record;
  }
  return array;
}

/// Whether the record is that of a starter that gives a process no number.
constexpr bool is_starter(const Record& record) {
  return record.state == RecordState::incomplete && has_no_numbers(*record.row);
}

/// The same, for a starter that also starts single processes.
constexpr bool may_be_alone(const Record& record) {
  return is_starter(record) && record.may_be_alone;
}

/// The same, for one that `complete` says something else than. Both say the same of a single
/// process.
constexpr bool is_another_starter(const Record& record, const Record& complete) {
  const bool both_alone = may_be_alone(record) && complete[Field::world_size].number == 1;
  return is_starter(record) && !both_alone;
}

/// Whether an incomplete record contradicts `complete`. Variables that any script may export prove
/// nothing. Nor does a local number alone, unless `require_all` shows which launcher set it: it is
/// a leftover, or chooses a device.
constexpr bool names_another_place(const Record& record, const Record& complete) {
  if (record.state != RecordState::incomplete || record.row->generic_names) return false;
  const auto known = [&](Field field) { return record[field].known(); };
  const bool is_place = known(Field::rank) || known(Field::world_size) ||
                        (known(Field::local_rank) && known(Field::local_world_size));
  return (is_place || !record.row->require_all.empty()) &&
         !compare_identity(complete, record).agree;
}

/// Whether either of two launchers may have started the other: a torchrun worker that starts mpirun
/// and an mpirun that starts torchrun leave the same variables. If the inner record is one that all
/// children inherit, or that of a single pod, an incomplete other record may be the inner one.
constexpr bool has_unknown_order(const Record& inner, const Record& outer) {
  const bool pod_of_one = inner.row->generic_names && inner[Field::world_size].number == 1;
  if ((inner.row->inherited_by_children || pod_of_one) && names_another_place(outer, inner))
    return true;
  if (outer.state != RecordState::complete) return false;  // the record of a node never is
  if (outer.row->inherited_by_children && !inner.row->generic_names) return false;
  return inner.row->launcher < outer.row->launcher &&
         relation_of(inner, outer) == Relation::conflict;
}

/// Whether variables that any script may export repeat the numbers of a batch script. pyxis copies
/// Slurm's numbers into RANK and LOCAL_RANK, also for a batch script that it runs in a container.
constexpr bool repeats_batch_script(const Record& record, const Records& records) {
  const Record* const script = records.find(RecordState::no_task);
  if (script == nullptr || !record.row->generic_names) return false;
  const Agreement identity = compare_identity(*script, record);
  return identity.agree && identity.compared > 1;
}

/// The innermost complete record. Without one: an incomplete record, which the caller may complete;
/// a node's record, if the caller states one process a node; or none. Errors: an inner record is
/// broken, or it is not known which record is the inner one. An outer record never fills in for an
/// inner one.
constexpr Result<Choice> choose_record(const Records& records, const EnvironmentView& variables,
                                       const Config& config) {
  if (config.launcher == Launcher::none || config.launcher == Launcher::config) return Choice{};
  if (config.launcher) {
    const Record* const forced = records.find(*config.launcher);
    if (forced == nullptr) {
      const LauncherRow& row = row_of(*config.launcher);
      if (has_any(row.detect_any, variables)) {
        return error_at(Errc::unknown_launcher, "Config::launcher", name(row.launcher),
                        "a launcher that set its own variables; these belong to another one",
                        "set Config::launcher to that one, or leave it unset");
      }
      return error_missing(
          Errc::unknown_launcher, row.detect_any.list[0],
          concat<159>("the variables of ", name(row.launcher), ", as Config::launcher says"),
          "start the process with that launcher, or leave Config::launcher unset");
    }
    if (forced->state == RecordState::complete || forced->state == RecordState::incomplete) {
      return Choice{forced};
    }
    if (forced->state == RecordState::node_level) {
      if (config.one_process_per_node) return Choice{forced};
      return ambiguous_node(*forced, variables);
    }
    if (forced->state == RecordState::no_task && forced->negative_local_rank) {
      return Choice{forced, true};
    }
    return error_about_record(*forced, variables);
  }

  const Record* const complete = records.find(RecordState::complete);
  if (has_rank_and_world_size(config)) {
    return Choice{complete != nullptr ? complete : find_partly_numbered(records)};
  }
  for (const Record& record : records) {
    if (&record == complete) break;
    if (record.state == RecordState::broken) return error_about_record(record, variables);
    // The inner launcher, which started this process, left an incomplete record.
    if (complete != nullptr &&
        (is_another_starter(record, *complete) || names_another_place(record, *complete))) {
      return Choice{&record};
    }
  }
  if (complete != nullptr) {
    for (const Record& record : records) {
      if (has_unknown_order(*complete, record))
        return ambiguous_order(*complete, record, variables);
    }
    return Choice{complete};
  }
  for (const Record& record : records) {
    if (record.state == RecordState::incomplete && !may_be_alone(record) &&
        !repeats_batch_script(record, records)) {
      return Choice{&record};
    }
  }
  for (const Record& record : records) {
    if (record.state == RecordState::stale && !record.may_be_alone) {
      return error_about_record(record, variables);
    }
  }
  if (const Record* const node = find_node(records, config)) {
    const bool alone = (*node)[Field::node_count].number == 1;
    for (const Record& other : records) {
      if (alone && is_one_of_unknown_count(other)) return ambiguous_count(*node, other, variables);
    }
    if (config.one_process_per_node && node->row->level != RecordLevel::array) return Choice{node};
    if (!alone) return ambiguous_node(*node, variables);
  }
  for (const Record& record : records) {
    if (record.negative_local_rank) return Choice{&record, true};
  }
  return Choice{};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_CHOOSE_RECORD_HPP
