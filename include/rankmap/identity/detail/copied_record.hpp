// SPDX-License-Identifier: MIT
// Two records with the same numbers. One may be a copy of the other, made by a hook or by a script.
// What only one of the two says may be of another launch.
#ifndef RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>

namespace rankmap::inline v0::detail {

/// Whether a record says who this is, and one of another launch claims this process, too.
RANKMAP_RARE constexpr bool is_beside_another(const Record& record, const Records& records) {
  for (const Field field : {Field::rank, Field::world_size, Field::local_rank}) {
    if (!record[field].known()) return false;
  }
  for (const Record& other : records) {
    if (claim_of(other) >= Claim::part && !may_be_one_launch(record, other)) return true;
  }
  return false;
}

/// Counts the numbers of a process manager beside another record as a script's, if a process that
/// is no launcher set them last. Some scripts set the names of one launcher from those of another.
/// The daemons of a manager have fixed names; a program in Python may be called python3.
RANKMAP_RARE constexpr void find_records_of_scripts(Records& records, History& history) {
  for (Record& record : records) {
    const LauncherRow& row = record.row;
    const bool is_manager = row.agents == Agents::on_some_nodes || row.starts_daemons;
    if (is_manager && !row.starters.empty() && !row.starters_set_all &&
        is_beside_another(record, records) && history.is_set_by_script(record)) {
      record.is_of_script = record.row.generic_names = true;
    }
  }
}

/// What submitit sets, which copies the numbers of a launch in the process itself.
inline constexpr std::string_view submitit_mark = "SUBMITIT_EXECUTOR";

/// What `rankmap exec` sets where it writes the numbers of a launch into torchrun's names.
inline constexpr std::string_view exec_mark = "RANKMAP_EXEC";

/// The record that a hook copied into the chosen one, whose names any script may export. What the
/// original says of nodes holds for the chosen record, too. A script may copy a part of it, so that
/// both agree on some ranks by chance. It sets its names below the launch; a hook sets them before
/// that, and submitit in the process itself. nullptr: there is none.
RANKMAP_RARE constexpr const Record* find_copied_record(const Record* chosen, History& history) {
  const Records& records = history.records();
  const EnvironmentView& variables = history.variables();
  if (chosen == nullptr || chosen->state != RecordState::complete || !chosen->row.generic_names) {
    return nullptr;
  }
  const Record* original = nullptr;
  for (const Record& record : records) {
    if (record.state != RecordState::complete || &record == chosen) continue;
    if (original != nullptr) return nullptr;  // either may be copied
    original = &record;
  }
  const bool is_of_exec = chosen->row.launcher == Launcher::torch_env && variables.has(exec_mark);
  if (original == nullptr || !compare_identity(*chosen, *original).agree) return nullptr;
  if (is_of_exec) return original;
  if (!has_any(original->row.copied_if, variables)) return nullptr;
  const NestingEvidence own = history.evidence_of(*chosen);
  const bool may_be_inside = own.setter == 0 && variables.has(submitit_mark);
  const bool is_of_script =
      own.exact && !may_be_inside && own.setter < history.evidence_of(*original).setter;
  return is_of_script ? nullptr : original;
}

/// Sets the numbers of this node and of all nodes that the chosen record does not have.
RANKMAP_RARE constexpr void fill_node_numbers(ProcessNumbers& identity, const Record& original) {
  for (const Field field : {Field::local_world_size, Field::node_rank, Field::node_count}) {
    identity.set_read(field, original[field], original.row.launcher);
  }
}

/// Forgets what only one of some records with the same rank may say, since each may be of another
/// launch: the numbers of nodes, and a local size that one of them lacks.
RANKMAP_RARE constexpr void forget_what_one_says(ProcessNumbers& identity, const Records& records) {
  identity.forget_unless_given({Field::node_rank, Field::node_count});
  for (const Record& record : records) {
    if (record.state == RecordState::complete && !record[Field::local_world_size].known()) {
      identity.forget_unless_given({Field::local_world_size});
    }
  }
}

/// Forgets what a script makes by a formula, such as one for nodes of one size. Beside a record of
/// as many processes, that is a local size which that record does not have, and all node numbers:
/// then every rank knows the same of them. `is_named`: the launcher of the chosen record is named,
/// and its node numbers are meant.
RANKMAP_RARE constexpr void forget_formulas(ProcessNumbers& identity, const Record* chosen,
                                            const Records& records, bool is_named) {
  if (chosen == nullptr || !chosen->row.generic_names) return;
  for (const Record& other : records) {
    if (other.state != RecordState::complete || &other == chosen) continue;
    const bool is_of_size = other[Field::world_size].number == identity[Field::world_size];
    if (!is_named && is_of_size)
      identity.forget_unless_given({Field::node_rank, Field::node_count});
    const Value& size = other[Field::local_world_size];
    const bool is_other = size.known() && size.number != identity[Field::local_world_size];
    if (chosen->is_of_script || (is_of_size && is_other)) {
      identity.forget_unless_given({Field::local_world_size});
    }
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP
