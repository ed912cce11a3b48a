// SPDX-License-Identifier: MIT
// What a record claims of this process, and whether the claims of two are those of two launches.
#ifndef RANKMAP_IDENTITY_DETAIL_CLAIMS_HPP
#define RANKMAP_IDENTITY_DETAIL_CLAIMS_HPP

#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What a record claims of this process. The rules about two claims have the higher one first.
enum class Claim : std::uint8_t {
  nothing,
  alone,       ///< a batch script, or a process that inherited the variables of another one
  started,     ///< a process of a starter that gives no numbers
  part,        ///< some of the numbers of a process
  unreadable,  ///< a worker's record of which a number cannot be used
  whole,       ///< all of them
};

/// Names that any script may export claim a process by a rank with a local rank or a local size
/// above 1; or, as Lightning sets them without a rank, by world size, local rank and node. Other
/// names do by a rank, a world size or two local numbers. A local number alone does if
/// `require_all` shows which launcher set it: else it is a leftover, or chooses a device. What was
/// exported over a launcher's numbers does in any case: the rest is gone.
RANKMAP_RARE constexpr Claim claim_of(const Record& record) {
  const LauncherRow& row = record.row;
  const auto known = [&](Field field) { return record[field].known(); };
  const bool is_no_task =
      record.state == RecordState::no_task || record.state == RecordState::stale;
  if (record.state == RecordState::complete) return Claim::whole;
  if (is_no_task && row.starts_scripts) return Claim::alone;
  if (record.state == RecordState::broken && row.level == RecordLevel::worker) {
    return Claim::unreadable;
  }
  if (record.state != RecordState::incomplete) return Claim::nothing;
  if (has_no_numbers(row)) return Claim::started;
  const bool place =
      known(Field::rank)
          ? known(Field::local_rank) || record[Field::local_world_size].number > 1
          : known(Field::world_size) && known(Field::local_rank) && known(Field::node_rank);
  const bool number = !row.require_all.empty() || known(Field::rank) || known(Field::world_size) ||
                      (known(Field::local_rank) && known(Field::local_world_size));
  const bool is_part = record.checked.is_exported_over || record.checked.names_own_job ||
                       (row.generic_names ? place : number);
  return is_part ? Claim::part : Claim::nothing;
}

/// Whether the record is that of a starter without numbers that also starts single processes.
constexpr bool may_be_alone(const Record& record) {
  return record.checked.may_be_alone && claim_of(record) == Claim::started;
}

/// Whether the launcher of a row may set its numbers under the names of another one, too.
RANKMAP_RARE constexpr bool may_also_set(const LauncherRow& row, const LauncherRow& other) {
  for (const std::string_view name : row.also_sets) {
    if (parse_launcher(name) == other.launcher) return true;
  }
  return false;
}

/// Whether the launch of `record` has not set the rank of `other`, but another name in its place.
constexpr bool has_other_rank(const Record& record, const Record& other) {
  const ValueSource& rank = record.row.rank;
  const std::string_view variable = other[Field::rank].variable;
  return !rank.key.empty() && record[Field::rank].variable == rank.key && variable != rank.key &&
         rank.names.has(variable);
}

/// Whether two records may be of one launch: one of them declares it, both read one variable, a
/// bare rank goes with a process manager, or scripts set one of them beside any other.
RANKMAP_RARE constexpr bool may_be_one_launch(const Record& a, const Record& b) {
  if (has_other_rank(a, b) || has_other_rank(b, a)) return false;
  const auto goes_with = [](const LauncherRow& row, const LauncherRow& other) {
    const bool is_manager =
        !other.starters.empty() && !uses_torch_names(other) && !other.starts_agents;
    return may_also_set(row, other) || row.is_set_beside ||
           (row.is_bare && (other.is_bare || is_manager));
  };
  const auto is_one = [](const ValueSource& x, const ValueSource& y) {
    return !x.names.empty() && x.names.first() == y.names.first();
  };
  const bool have_one_variable =
      is_one(a.row.rank, b.row.rank) ||
      (!a.row.generic_names && !b.row.generic_names && is_one(a.row.local_rank, b.row.local_rank));
  return have_one_variable || goes_with(a.row, b.row) || goes_with(b.row, a.row);
}

/// The whole record of a process manager with which an incomplete one goes, as a bare PMI or PMIx
/// rank does: their numbers agree. nullptr: there is none.
RANKMAP_RARE constexpr const Record* manager_of(const Record& record, const Records& records) {
  if (record.state != RecordState::incomplete || record.checked.is_exported_over) return nullptr;
  for (const Record& manager : records) {
    if (manager.state != RecordState::complete || uses_torch_names(manager.row) ||
        manager.row.is_set_beside || !may_be_one_launch(record, manager)) {
      continue;
    }
    const Agreement identity = compare_identity(manager, record);
    if (identity.compared > 0 && identity.agree && !names_another_job(record, manager)) {
      return &manager;
    }
  }
  return nullptr;
}

/// The part of a process manager with which a bare rank goes, if that has a part alone as well: it
/// says best which variable is missing. nullptr: there is none.
RANKMAP_RARE constexpr const Record* manager_in_part(const Record& record, const Records& records) {
  if (!record.row.is_bare) return nullptr;
  for (const Record& manager : records) {
    const bool is_part = manager.state == RecordState::incomplete && !manager.row.is_bare;
    const bool starts = !manager.row.starters.empty() && !uses_torch_names(manager.row);
    if (is_part && starts) return &manager;
  }
  return nullptr;
}

/// Whether a bare rank names its job by the variable that the launcher of `whole` uses too. It may
/// be that launcher's, or of a job that one of its workers started, and equal by chance.
RANKMAP_RARE constexpr bool is_possible_coincidence(const Record& bare, const Record& whole) {
  return bare.checked.names_own_job && bare.row.job_id.first() == whole.row.job_id.first();
}

/// Whether an incomplete record says that this process is not alone.
constexpr bool is_one_of_many(const Record& record) {
  if (record.state != RecordState::incomplete || record.row.generic_names) return false;
  const Value& world = record[Field::world_size];
  if (world.known()) return world.number > 1;
  return record[Field::rank].known() || record[Field::local_world_size].number > 1;
}

/// Whether a part of a record is of another launch than a whole one. Their numbers may be equal by
/// chance, but not a rank that a script exports with others, nor local numbers without a node:
/// wrappers set Hydra's for oneCCL. Names that are set beside any launch's may be set beside the
/// part's.
RANKMAP_RARE constexpr bool is_rival_part(const Record& part, const Record& whole,
                                          const Records& records) {
  if (part.checked.is_exported_over || !compare_identity(whole, part).agree) return true;
  if (manager_of(part, records) != nullptr) return is_possible_coincidence(part, whole);
  const bool says_place = part[Field::rank].known() || part[Field::world_size].known() ||
                          part[Field::node_rank].known();
  const bool is_by_script = part.row.generic_names && part[Field::rank].known();
  return part.checked.names_own_job ||
         (says_place && !is_by_script &&
          (whole.row.is_set_beside || !may_be_one_launch(part, whole)));
}

/// Whether the claims of two records cannot be those of one launch: one of them has to be older.
RANKMAP_RARE constexpr bool are_rivals(const Record& a, const Record& b, const Records& records) {
  const Claim claim = claim_of(a);
  const Claim other = claim_of(b);
  if (claim < other) return are_rivals(b, a, records);
  switch (other) {
    case Claim::nothing:
      return false;
    case Claim::alone:
      if (claim == Claim::whole) return a[Field::world_size].number != 1;
      return claim == Claim::unreadable || is_one_of_many(a);
    case Claim::started:  // both say the same of a single process
      return claim == Claim::whole && !may_also_set(a.row, b.row) &&
             !(b.checked.may_be_alone && a[Field::world_size].number == 1);
    case Claim::part:
      if (claim == Claim::whole) return is_rival_part(b, a, records);
      return claim == Claim::part && (!may_be_one_launch(a, b) || !compare_identity(a, b).agree);
    case Claim::unreadable:
      return claim == Claim::whole;
    case Claim::whole:
      break;
  }
  return !compare_identity(a, b).agree;
}

/// The number of processes of a pod, if it is said to be another one than 1; else nullptr.
constexpr const Value* find_pod_size(const Records& records) {
  for (const Record& record : records) {
    const Value& size = record[Field::local_world_size];
    if (record.state == RecordState::node_level && size.known() && size.number != 1) return &size;
  }
  return nullptr;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_CLAIMS_HPP
