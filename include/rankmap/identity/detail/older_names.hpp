// SPDX-License-Identifier: MIT
// Names that are older, or younger, than the launch whose record they stand beside, or in.
#ifndef RANKMAP_IDENTITY_DETAIL_OLDER_NAMES_HPP
#define RANKMAP_IDENTITY_DETAIL_OLDER_NAMES_HPP

#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/innermost.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/version.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// Two numbers of one record, of which the first was there before the second was set.
struct TwoAges {
  Field older = Field::rank;
  Field newer = Field::rank;
  constexpr explicit operator bool() const { return older != newer; }
};

/// A number under one of torch's names that was set later than all numbers under names of the
/// launcher's own. Whoever did so is no launcher of this record, which sets both.
RANKMAP_RARE constexpr TwoAges find_older_own_numbers(const Record& record, History& history) {
  if (!uses_torch_names(record.row)) return {};
  for (const Field newer : {Field::rank, Field::world_size, Field::local_world_size}) {
    Field older = newer;
    bool has_new = false;
    const auto ask = [&](std::string_view name, Field own) {
      if (name.empty() || torch_names.has(name) || !history.variables()(name)) return;
      older = own;
      has_new = has_new || !history.is_older(record, name, newer);
    };
    for (const Field own : number_fields) ask(record[own].variable, own);
    for (const std::string_view name : torchrun_copies) ask(name, older);
    if (older != newer && !has_new) return {older, newer};
  }
  return {};
}

/// The two ages of a record, where one is that of another launch; nothing if none is known to be. A
/// launcher in a pod that sets no rank leaves the pod's RANK beside a newer LOCAL_RANK or
/// NODE_RANK. A bare rank may be newer than the local numbers of a manager that sets both. A newer
/// local rank alone is a script's, which chooses a device.
RANKMAP_RARE constexpr TwoAges find_two_ages(const Record& record, History& history) {
  using enum TopologyField;
  if (const TwoAges ages = find_older_own_numbers(record, history)) return ages;
  constexpr TwoAges of_manager[] = {
      {local_rank, rank}, {local_world_size, rank}, {rank, local_world_size}};
  constexpr TwoAges of_pod[] = {{rank, local_rank}, {rank, node_rank}};
  if (record.row.starters_set_all) {
    for (const TwoAges& ages : of_manager) {
      if (history.is_older(record, ages.older, ages.newer)) return ages;
    }
    return {};
  }
  if (record[node_rank].variable.empty() || record[local_world_size].known()) return {};
  for (const TwoAges& ages : of_pod) {
    // A script that sets all may find the same RANK. Then the node rank is not above it.
    const bool may_be_same =
        ages.newer == node_rank && record[node_rank].number <= record[rank].number;
    if (!may_be_same && history.is_older(record, ages.older, ages.newer)) return ages;
  }
  return {};
}

/// The launch whose rank a script set again, beside an older world size that is not the launch's.
/// nullptr: there is none.
RANKMAP_RARE constexpr const Record* find_launch_of_other_size(const Record& record,
                                                               History& history) {
  for (const Record& other : history.records()) {
    const auto is_same = [&](Field field) { return record[field].number == other[field].number; };
    if (record.row.generic_names && other.state == RecordState::complete && is_same(Field::rank) &&
        !is_same(Field::world_size) && history.is_older(record, Field::world_size, Field::rank)) {
      return &other;
    }
  }
  return nullptr;
}

/// An optional local size that was there before the numbers which any script may export, and
/// contradicts one of them, is that of another launch. `history`: of these records.
RANKMAP_RARE constexpr void leave_out_older_sizes(Records& records, History& history) {
  constexpr Field size = Field::local_world_size;
  for (Record& record : records) {
    const auto& [kind, field, bound, variable, reason] = record.problem;
    if (record.row.generic_names && !record.row.local_size_required &&
        kind == Problem::Kind::out_of_range && (field == size || bound == size) &&
        history.is_older(record, size, field == size ? bound : field)) {
      records.read_without_local_size(record, history.variables());
    }
  }
}

/// Whether NODE_RANK is that of an older launch. One under a name of the launcher's own is not.
RANKMAP_RARE constexpr bool has_older_node_rank(const Record& record, History& history) {
  const auto is_older_than = [&](Field other) {
    return history.is_older(record, Field::node_rank, other);
  };
  return torch_names.has(record[Field::node_rank].variable) && record[Field::rank].known() &&
         (is_older_than(Field::rank) || is_older_than(Field::world_size));
}

/// Whether the local size is that of an older launch, as the node rank is with `has_old_nodes`.
/// LOCAL_RANK shows it only where it was not set before: in a launch below another, it may keep its
/// text on some ranks.
RANKMAP_RARE constexpr bool has_older_local_size(const Record& record, bool has_old_nodes,
                                                 History& history) {
  const auto is_older_than = [&](Field other) {
    return history.is_older(record, Field::local_world_size, other);
  };
  return is_older_than(Field::world_size) || (has_old_nodes && is_older_than(Field::rank)) ||
         (is_older_than(Field::local_rank) && history.is_first(record[Field::local_rank].variable));
}

/// Warns of a number that was there before the rank, in a record whose launcher was named: a world
/// size that is not that of the launch with this rank, or the local rank.
RANKMAP_RARE constexpr void warn_of_older_number(IdentityData& data, const Record& record,
                                                 History& history) {
  const bool is_size = find_launch_of_other_size(record, history) != nullptr;
  if (!is_size && !history.is_older(record, Field::local_rank, Field::rank)) return;
  const Value& older = record[is_size ? Field::world_size : Field::local_rank];
  data.warnings.add({older.variable, shortened(older.text),
                     "one that was set together with the rank: this one was there before",
                     "set RANK, WORLD_SIZE and LOCAL_RANK together"});
}

/// Derives the rank on the first node of a launcher that sets none: it is the local rank. The
/// address has to be this host's own, as it is with one node. Nothing is derived beside a launch of
/// several processes: the names may be a script's.
RANKMAP_RARE constexpr void derive_rank_on_first_node(ProcessNumbers& numbers, const Record& record,
                                                      History& history) {
  for (const Record& other : history.records()) {
    if (other.state == RecordState::complete && other[Field::world_size].number > 1) return;
  }
  const LauncherRow& row = record.row;
  const std::string_view address = history.variables().text_or_empty(row.address.first());
  const bool is_first = numbers_by_node(row) && numbers[Field::node_rank] == 0;
  if (is_first && (address == "localhost" || address.starts_with("127."))) {
    numbers.derive(Field::rank, numbers[Field::local_rank], "first node: rank = local_rank");
  }
}

/// Whether all names of a launcher that sets no rank are younger than all other claims, and its
/// size is another. A script that copies a launch's numbers has the same size.
RANKMAP_RARE constexpr bool is_all_anew(const Record& part, History& history) {
  const LauncherRow& row = part.row;
  if (!numbers_by_node(row)) return false;
  for (const Record& other : history.records()) {
    if (&other == &part || claim_of(other) < Claim::alone) continue;
    if (other[Field::world_size].number == part[Field::world_size].number ||
        !history.is_younger(row.detect_any.first(), other)) {
      return false;
    }
    for (const std::string_view name : row.require_all) {
      if (!history.is_younger(name, other)) return false;
    }
  }
  return true;
}

/// Whether a record may be of a launch with an address of its own. RANK and WORLD_SIZE alone are a
/// pod's. If the size is that of `chosen`, they may be a script's for its launch.
constexpr bool may_have_address(const Record& record, const Record& chosen) {
  if (record.state != RecordState::node_level) return claim_of(record) >= Claim::part;
  return record[Field::node_count].number != chosen[Field::world_size].number;
}

/// The record of another launch that also sets the address `variable`, unless the variable was set
/// later than all of that record. nullptr: there is none.
RANKMAP_RARE constexpr const Record* older_owner(std::string_view variable, const Record& chosen,
                                                 History& history) {
  for (const Record& other : history.records()) {
    if (&other == &chosen || !other.row.address.has(variable) || !may_have_address(other, chosen) ||
        may_be_one_launch(other, chosen)) {
      continue;
    }
    if (!history.is_younger(variable, other)) return &other;
  }
  return nullptr;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_OLDER_NAMES_HPP
