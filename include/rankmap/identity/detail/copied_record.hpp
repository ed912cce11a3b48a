// SPDX-License-Identifier: MIT
// The same numbers in two records: one may be a copy of the other, and what only one of the two
// says may be that of another launch.
#ifndef RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>

namespace rankmap::inline v0::detail {

/// The record that a hook copied into the chosen one, whose names any script may export. What it
/// has about nodes holds for the chosen record, too. An unknown script may copy a part of it, so
/// that both agree on some ranks by chance. nullptr: there is none.
RANKMAP_RARE constexpr const Record* find_copied_record(const Records& records,
                                                        const Record* chosen,
                                                        const EnvironmentView& variables) {
  if (chosen == nullptr || chosen->state != RecordState::complete || !chosen->row.generic_names) {
    return nullptr;
  }
  const Record* original = nullptr;
  for (const Record& record : records) {
    if (record.state != RecordState::complete || &record == chosen) continue;
    if (original != nullptr) return nullptr;  // either may be copied
    original = &record;
  }
  const bool is_copied = original != nullptr && has_any(original->row.copied_if, variables) &&
                         compare_identity(*chosen, *original).agree;
  return is_copied ? original : nullptr;
}

/// Sets the numbers of this node and of all nodes that the chosen record does not have.
RANKMAP_RARE constexpr void fill_node_numbers(ProcessNumbers& identity, const Record& original) {
  for (const Field field : {Field::local_world_size, Field::node_rank, Field::node_count}) {
    if (!identity.knows(field) && original[field].known()) {
      identity.set_read(field, original[field], original.row.launcher);
    }
  }
}

/// Forgets what a record says that another one with the same rank does not say: each may be of
/// another launch. That is what it says of nodes, and a local size that the other one lacks.
RANKMAP_RARE constexpr void forget_what_one_says(ProcessNumbers& identity, const Records& records) {
  const auto forget = [&](Field field) {
    if (identity.knows(field) && identity.origin(field).kind != OriginKind::given) {
      identity.forget(field);
    }
  };
  forget(Field::node_rank);
  forget(Field::node_count);
  for (const Record& record : records) {
    if (record.state == RecordState::complete && !record[Field::local_world_size].known()) {
      forget(Field::local_world_size);
    }
  }
}

/// Forgets the local size and the node numbers that a script exported beside the rank, world size
/// and local rank of a launcher, where that launcher's record says others: a script that copies
/// numbers makes these by a formula, such as one for nodes of one size.
RANKMAP_RARE constexpr void forget_what_is_contradicted(ProcessNumbers& identity,
                                                        const Record* chosen,
                                                        const Records& records) {
  if (chosen == nullptr || !chosen->row.generic_names) return;
  for (const Record& other : records) {
    if (other.state != RecordState::complete) continue;
    bool is_same = true;
    for (const Field field : {Field::rank, Field::world_size, Field::local_rank}) {
      is_same = is_same && identity.knows(field) && other[field].number == identity[field];
    }
    for (const Field field : {Field::local_world_size, Field::node_rank, Field::node_count}) {
      const bool is_read = identity.knows(field) && identity.origin(field).kind == OriginKind::read;
      if (is_same && is_read && other[field].known() && other[field].number != identity[field]) {
        identity.forget(field);
      }
    }
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_COPIED_RECORD_HPP
