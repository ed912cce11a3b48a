// SPDX-License-Identifier: MIT
// The index of a node, pod or slot, and their number: over blocks, or within one of several groups.
#ifndef RANKMAP_IDENTITY_DETAIL_NODE_INDEX_HPP
#define RANKMAP_IDENTITY_DETAIL_NODE_INDEX_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Makes a record broken whose node has an index at or above their count. Returns whether it is so.
RANKMAP_RARE constexpr bool break_beyond_count(Record& record) {
  const Value& index = record[Field::node_rank];
  const Value& count = record[Field::node_count];
  if (!count.known() || index.number < count.number) return false;
  record.state = RecordState::broken;
  record.problem = {
      Problem::Kind::out_of_range, Field::node_rank, Field::node_count, index.variable, {}};
  return true;
}

/// Replaces the index of a node in its block by its index in all blocks, and the size of the block
/// by that of all. Precondition: index below count, if the count is known.
RANKMAP_RARE constexpr void number_over_blocks(Record& record, const EnvironmentView& variables) {
  Value& index = record[Field::node_rank];
  Value& count = record[Field::node_count];
  const std::string_view size_name = record.row.block_count.first();
  Problem problem;
  const Value block = read_value({record.row.block_index}, variables, problem);
  const Value blocks = read_value({record.row.block_count}, variables, problem);
  if (block.variable.empty() && blocks.variable.empty()) return;
  if (!block.known() || !blocks.known() || block.number >= blocks.number) {
    reject(record, RecordState::broken, Field::node_rank, size_name,
           "a number of blocks greater than the index of this one");
    return;
  }
  if (blocks.number == 1) return;
  const auto all = std::int64_t{count.number} * blocks.number;
  if (!count.known() || all > INT32_MAX) {
    reject(record, RecordState::broken, Field::node_count, size_name,
           "1, or a known number of nodes in each block");
    return;
  }
  index.number += static_cast<int>(std::int64_t{block.number} * count.number);
  count.number = static_cast<int>(all);
}

/// The same, where the launcher sets the number of nodes in all blocks, and not that of blocks.
/// Where it is not set, the index is known and the count is not.
RANKMAP_RARE constexpr void number_over_all(Record& record, const EnvironmentView& variables) {
  const LauncherRow& row = record.row;
  Value& index = record[Field::node_rank];
  Value& count = record[Field::node_count];
  Problem problem;
  const Value block = read_value({row.block_index}, variables, problem);
  const Value all = read_value({row.all_blocks}, variables, problem);
  const int size = count.number;
  if (!block.known() || (block.number != 0 && size < 1)) {
    reject(record, RecordState::broken, Field::node_rank, row.block_index.first(),
           "the index of a block, and the number of nodes in each");
    return;
  }
  const std::int64_t place = std::int64_t{block.number} * (size < 1 ? 0 : size) + index.number;
  const bool fits = !all.known() || (place < all.number && (size < 1 || all.number % size == 0));
  if (place > INT32_MAX || !fits) {
    reject(record, RecordState::broken, Field::node_count, row.all_blocks.first(),
           "the number of nodes in all blocks, of which this one is in one");
    return;
  }
  index.number = static_cast<int>(place);
  count = all;
}

/// Whether an index counts within one of several groups. `form`: the name that says so, or with a
/// star the form of names of which several do.
RANKMAP_RARE constexpr bool is_in_group(std::string_view form, const EnvironmentView& variables) {
  const std::size_t star = form.find('*');
  if (star == form.npos) return variables.has(form);
  const std::string_view end = form.substr(star + 1);
  int count = 0;
  variables.for_each([&](std::string_view name, std::string_view) {
    const bool fits = name.size() >= form.size() && name.substr(0, star) == form.substr(0, star) &&
                      name.substr(name.size() - end.size()) == end;
    count += fits ? 1 : 0;
  });
  return count > 1;
}

/// Moves rank and world size, which number nodes in this record, to node rank and node count.
RANKMAP_RARE constexpr void move_to_node_level(Record& record, const EnvironmentView& variables) {
  Value index = record[Field::rank];
  Value count = record[Field::world_size];
  if (!count.known()) count = record[Field::node_count];
  record[Field::rank] = record[Field::world_size] = record[Field::local_rank] = {};
  if (!index.known()) {
    record.state = RecordState::incomplete;
    return;
  }
  record.state = RecordState::node_level;
  record[Field::node_rank] = index;
  record[Field::node_count] = count;
  record.is_index_of_group = is_in_group(record.row.group_names, variables);
  if (break_beyond_count(record)) return;
  if (!record.row.block_count.empty()) {
    number_over_blocks(record, variables);
  } else if (!record.row.all_blocks.empty()) {
    number_over_all(record, variables);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_NODE_INDEX_HPP
