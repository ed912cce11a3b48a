// SPDX-License-Identifier: MIT
// Finds the record to go by where none is complete, or where the caller gives rank and world size:
// the one with the caller's numbers, that of a node, or a part of one.
#ifndef RANKMAP_IDENTITY_DETAIL_FIND_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_FIND_RECORD_HPP

#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>

namespace rankmap::inline v0::detail {

/// Whether a record has a number of its own. One without any is a leftover.
constexpr bool has_number(const Record& record) {
  for (const Value& value : record.values) {
    if (value.known()) return true;
  }
  return false;
}

/// The record of a process whose rank and world size the caller gives: the complete one that has
/// the same numbers, or else the only part. nullptr: there is none, or there are two that differ in
/// what the caller would read from them.
RANKMAP_RARE constexpr const Record* find_given(const Records& records, const Config& config) {
  const Record* complete = nullptr;
  const Record* part = nullptr;
  bool is_only_part = true;
  for (const Record& record : records) {
    if (record.state == RecordState::complete) {
      if (record[Field::rank].number != config.rank ||
          record[Field::world_size].number != config.world_size) {
        continue;
      }
      if (complete != nullptr && !compare_identity(*complete, record).agree) return nullptr;
      if (complete == nullptr) complete = &record;
    } else if (record.state == RecordState::incomplete && has_number(record)) {
      is_only_part = is_only_part && (part == nullptr || may_be_one_launch(*part, record));
      if (part == nullptr) part = &record;
    }
  }
  if (complete != nullptr) return complete;
  return is_only_part ? part : nullptr;
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

/// The incomplete record that the caller's numbers complete: one that says of which process it is,
/// before all by its rank, or else the first. nullptr: there is none.
RANKMAP_RARE constexpr const Record* find_part(const Records& records) {
  const Record* best = nullptr;
  const auto weight = [](const Record& record) {
    return claim_of(record) != Claim::part ? 0 : record[Field::rank].known() ? 2 : 1;
  };
  for (const Record& record : records) {
    if (record.state != RecordState::incomplete || may_be_alone(record) ||
        repeats_batch_script(record, records)) {
      continue;
    }
    if (best == nullptr || weight(record) > weight(*best)) best = &record;
  }
  return best;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_FIND_RECORD_HPP
