// SPDX-License-Identifier: MIT
// Which records contradict each other, and when their variables alone settle it.
#ifndef RANKMAP_IDENTITY_DETAIL_DISPUTE_HPP
#define RANKMAP_IDENTITY_DETAIL_DISPUTE_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// Whether the record is that of a starter that gives a process no number.
constexpr bool is_starter(const Record& record) {
  return record.state == RecordState::incomplete && has_no_numbers(record.row);
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

/// Whether an incomplete record says of which process it is. Of variables that any script may
/// export, a rank and a local rank together do, and nothing less. Nor does a local number alone,
/// unless `require_all` shows which launcher set it: it is a leftover, or chooses a device. A part
/// of what was exported over a launcher's numbers does, whatever it says: the rest is gone.
RANKMAP_RARE constexpr bool is_part_of_process(const Record& record) {
  if (record.state != RecordState::incomplete) return false;
  if (record.is_exported_over) return true;
  const auto known = [&](Field field) { return record[field].known(); };
  if (record.row.generic_names) return known(Field::rank) && known(Field::local_rank);
  return !record.row.require_all.empty() || known(Field::rank) || known(Field::world_size) ||
         (known(Field::local_rank) && known(Field::local_world_size));
}

/// Whether an incomplete record contradicts `complete`.
constexpr bool names_another_place(const Record& record, const Record& complete) {
  return is_part_of_process(record) &&
         (record.is_exported_over || !compare_identity(complete, record).agree);
}

/// Whether two records may be of one launch: one of them declares it, they have one variable, a
/// bare rank goes with a process manager, or scripts set the one beside any other.
RANKMAP_RARE constexpr bool may_be_one_launch(const Record& a, const Record& b) {
  const auto goes_with = [](const LauncherRow& row, const LauncherRow& other) {
    const bool is_manager = !other.starters.empty() && !uses_torch_names(other);
    return row.also_sets == other.launcher || row.is_set_beside ||
           (row.is_bare && (other.is_bare || is_manager));
  };
  const std::string_view rank = a.row.rank.names.first();
  const bool have_one_variable = !rank.empty() && rank == b.row.rank.names.first();
  return have_one_variable || goes_with(a.row, b.row) || goes_with(b.row, a.row);
}

/// Whether an incomplete record says of which process it is, and not as a part of the launch of
/// `other`: that both have one number here may be by chance. A script may export a rank and a local
/// rank that are those of a launcher.
constexpr bool is_part_of_another_launch(const Record& record, const Record& other) {
  return is_part_of_process(record) && !record.row.generic_names &&
         !may_be_one_launch(record, other);
}

/// The process manager whose record an incomplete one goes with, such as a bare PMI or PMIx rank:
/// the numbers of both agree. nullptr: there is none.
RANKMAP_RARE constexpr const Record* manager_of(const Record& record, const Records& records) {
  if (record.state != RecordState::incomplete || record.is_exported_over) return nullptr;
  for (const Record& manager : records) {
    if (manager.state != RecordState::complete || uses_torch_names(manager.row) ||
        !may_be_one_launch(record, manager)) {
      continue;
    }
    const Agreement identity = compare_identity(manager, record);
    if (identity.compared > 0 && identity.agree && !names_another_job(record, manager)) {
      return &manager;
    }
  }
  return nullptr;
}

/// Whether an incomplete record goes with a process manager rather than with `complete`. With one
/// that says the same as `complete`, and lacks the number in which the two differ, it goes by
/// chance.
constexpr bool goes_with_another(const Record& record, const Record& complete,
                                 const Records& records) {
  const Record* const manager = manager_of(record, records);
  return manager != nullptr &&
         (compare_identity(complete, record).agree || !compare_identity(complete, *manager).agree);
}

/// Whether a bare rank that names a job agrees with a record of that launcher, but may be that of a
/// job which one of its workers started: a rank may be the same by chance.
constexpr bool is_possible_coincidence(const Record& bare, const Record& complete) {
  return bare.names_own_job && bare.row.job_id.first() == complete.row.job_id.first();
}

/// Whether the record says that this process is alone: a batch script, or what inherited the
/// variables of another process.
constexpr bool is_script(const Record& record) {
  return record.row.starts_scripts &&
         (record.state == RecordState::no_task || record.state == RecordState::stale);
}

/// Whether the record is that of a worker, and has a number that cannot be used.
constexpr bool is_unreadable_worker(const Record& record) {
  return record.state == RecordState::broken && record.row.level == RecordLevel::worker;
}

/// Whether two records say different things about this process, of which one is complete.
RANKMAP_RARE constexpr bool contradict(const Record& complete, const Record& other,
                                       const Records& records) {
  switch (other.state) {
    case RecordState::complete:
      return !compare_identity(complete, other).agree;
    case RecordState::incomplete:
      if (goes_with_another(other, complete, records)) {
        return is_possible_coincidence(other, complete);
      }
      return is_another_starter(other, complete) || names_another_place(other, complete) ||
             is_part_of_another_launch(other, complete) || other.names_own_job;
    case RecordState::broken:
      return is_unreadable_worker(other);
    case RecordState::no_task:
    case RecordState::stale:
      return is_script(other) && complete[Field::world_size].number != 1;
    case RecordState::absent:
    case RecordState::node_level:
      break;
  }
  return false;
}

/// Whether the variables prove that the batch script in `script` started the launcher of `inner`,
/// and not the reverse: the process is on the script's host, where nobody submitted the job.
RANKMAP_RARE constexpr bool is_script_around(const Record& script, const Record& inner,
                                             const EnvironmentView& variables) {
  std::string_view submitted;
  first_set(script.row.submit_host, variables, submitted);
  submitted = submitted.substr(0, submitted.find('.'));
  return is_script(script) && !inner.host.empty() && !submitted.empty() &&
         inner.host == script.host && inner.host != submitted;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_DISPUTE_HPP
