// SPDX-License-Identifier: MIT
// Reads and checks one launcher's record, without regard to other launchers.
#ifndef RANKMAP_IDENTITY_DETAIL_READ_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_READ_RECORD_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/contradiction.hpp>
#include <rankmap/identity/detail/node_index.hpp>
#include <rankmap/identity/detail/process_map.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

RANKMAP_RARE constexpr Problem problem_of(const Record& record, const Contradiction& found) {
  if (!found) return {};
  const bool is_too_small = found.kind == Contradiction::Kind::too_small;
  return {is_too_small ? Problem::Kind::too_small : Problem::Kind::out_of_range,
          found.field,
          found.bound,
          record[found.field].variable,
          {}};
}

/// Reads the six numbers. An unusable text makes the record broken if the number is required, and
/// adds a warning if it is not. The text is ignored if the caller gives that number. Returns
/// whether one of the numbers was negative.
RANKMAP_RARE constexpr bool read_numbers(Record& record, const EnvironmentView& variables,
                                         FieldSet given) {
  bool any_negative = false;
  for (const Field field : number_fields) {
    Problem problem;
    bool negative = false;
    record[field] = read_value(source_of(record.row, field), variables, problem, &negative);
    any_negative = any_negative || negative;
    if (field == Field::local_rank) record.negative_local_rank = negative;
    if (given.has(field) && is_size(field) && record[field].number == 0) record[field].number = -1;
    if (problem.kind == Problem::Kind::none || given.has(field)) continue;
    problem.field = field;
    Problem& kept = is_required(record.row, field) ? record.problem : record.warning;
    if (kept.kind == Problem::Kind::none) kept = problem;
  }
  if (record.problem.kind != Problem::Kind::none) record.state = RecordState::broken;
  return any_negative;
}

/// The local size that whoever exported RANK may have set too, by torchrun's name or DeepSpeed's.
/// If both are set and differ, the size is 0, which no other record has.
RANKMAP_RARE constexpr Value exported_local_size(const EnvironmentView& variables) {
  Problem unreadable;
  Value size = read_value({{"LOCAL_WORLD_SIZE"}}, variables, unreadable);
  const Value other = read_value({{"LOCAL_SIZE"}}, variables, unreadable);
  if (!size.known()) return other;
  if (other.known() && other.number != size.number) size.number = 0;
  return size;
}

/// Runs the launcher's own check. Returns whether the process is one of its tasks.
RANKMAP_RARE constexpr bool passes_launcher_check(Record& record,
                                                  const EnvironmentView& variables) {
  record.checked = check_record(record.row.check, variables);
  const RecordCheck& check = record.checked;
  // What the launcher said of nodes may not hold for ranks that somebody else exported.
  if (check.is_exported_over) {
    record[Field::local_world_size] = record[Field::node_rank] = record[Field::node_count] = {};
  }
  if (!check.process_map.empty()) {
    fill_from_map(record, check.process_map, variables.text_or_empty(check.process_map));
  }
  if (check.outcome == RecordCheck::Outcome::task) return true;
  constexpr RecordState states[] = {RecordState::complete, RecordState::no_task, RecordState::stale,
                                    RecordState::broken};
  reject(record, states[static_cast<std::size_t>(check.outcome)], Field::rank, check.variable,
         check.reason);
  return false;
}

/// Derives rank and world size if all nodes run as many workers, numbered node after node.
RANKMAP_RARE constexpr void derive_ranks_of_even_nodes(Record& record) {
  Value& rank = record[Field::rank];
  Value& world = record[Field::world_size];
  const Value& local = record[Field::local_rank];
  const Value& here = record[Field::local_world_size];
  const Value& node = record[Field::node_rank];
  const Value& nodes = record[Field::node_count];
  if (!here.known() || here.number == 0) return;
  if (break_beyond_count(record)) return;
  world.derive(std::int64_t{nodes.number} * here.number, nodes, "node_count x local_world_size");
  if (node.known() && local.known() && local.number < here.number) {
    rank.derive(std::int64_t{node.number} * here.number + local.number, node,
                "node_rank x local_world_size + local_rank");
  }
}

/// Derives numbers of a worker that follow from the sizes in its record.
constexpr void derive_missing_numbers(Record& record, const EnvironmentView& variables) {
  Value& rank = record[Field::rank];
  Value& local = record[Field::local_rank];
  Value& local_world = record[Field::local_world_size];
  const Value& world = record[Field::world_size];
  const Value& nodes = record[Field::node_count];
  if (!world.known()) return;
  // A local size that is always set was taken away: the count of nodes may be another launch's.
  const bool is_lost = record.row.local_size_required && !local_world.known();
  const std::string_view single_host_if = record.row.single_host_if;
  const bool alone = world.number == 1;
  const bool one_host = !single_host_if.empty() && variables(single_host_if) == "1";
  if (alone || one_host) {
    const std::string_view rule = alone ? "a world of one process" : "all processes on one host";
    if (alone) rank.derive(0, world, rule);
    // On one host, the local rank is the rank. So it is for a single process.
    local.derive(rank.number, rank, rule);
    if (!is_lost) local_world.derive(world.number, world, rule);
  }
  if (nodes.number == world.number) local_world.derive(1, nodes, "as many nodes as processes");
  if (nodes.number == 1 && !is_lost) {
    local_world.derive(world.number, nodes, "one node: node_count = 1");
  }
}

/// Reads and checks one launcher's record, which `detected` shows. Precondition: is_detected(row,
/// variables). `given`: the numbers that the caller gives.
RANKMAP_RARE constexpr Record read_record(const LauncherRow& row, const Variable& detected,
                                          const EnvironmentView& variables, FieldSet given) {
  Record record;
  record.row = row;
  record.detected = detected;
  const std::string_view host = host_variable(row, variables).value;
  record.host = host.substr(0, host.find('.'));
  const bool negative = read_numbers(record, variables, given);
  if (record.state == RecordState::broken) return record;
  if (!row.role.variable.empty() && variables.has(row.role.variable) &&
      !row.role.holds(variables)) {
    reject(record, RecordState::broken, Field::rank, row.role.variable, "the role of a worker");
    return record;
  }
  if (row.level != RecordLevel::worker) {
    move_to_node_level(record, variables);
    return record;
  }

  const Value& rank = record[Field::rank];
  const Value& world = record[Field::world_size];
  const Value& local = record[Field::local_rank];
  const bool has_no_number = !world.known() && !rank.known() && !local.known();
  if (negative && (has_no_number || world.number == 1)) {
    reject(record, RecordState::no_task, Field::local_rank, {},
           "a negative number: not distributed");
    return record;
  }
  record.negative_local_rank = false;  // a -1 in a record with an identity only counts as unset
  if (!passes_launcher_check(record, variables)) return record;
  if (row.generic_names || record.checked.is_exported_over) {
    record.unsure_local_size = exported_local_size(variables);
  }
  if (row.nodes_of_one_size) derive_ranks_of_even_nodes(record);
  if (record.state == RecordState::broken) return record;
  derive_missing_numbers(record, variables);

  SixNumbers numbers;
  for (const Field field : number_fields) numbers[field] = record[field].number;
  if (const Contradiction found = find_worker_contradiction(numbers)) {
    record.state = RecordState::broken;
    record.problem = problem_of(record, found);
    return record;
  }
  if ((row.generic_names || record.checked.is_exported_over) && rank.known() &&
      local.number > rank.number) {
    // RANK is that of a pod, inherited by workers with a LOCAL_RANK of their own.
    reject(record, RecordState::broken, Field::rank, rank.variable,
           "a process rank, which is no less than its local rank; this may be that of a pod");
    return record;
  }
  // A pod has no local size, but its workers have.
  const bool is_worker = local.known() || record[Field::local_world_size].number > 1;
  if (row.node_level_without_local_rank && rank.known() && world.known() && !is_worker) {
    move_to_node_level(record, variables);
    return record;
  }
  if (const Contradiction found = find_node_contradiction(numbers, false)) {
    // Numbers of nodes that contradict the sizes are not used, and add a warning.
    record.warning = problem_of(record, found);
    record[Field::node_rank].number = record[Field::node_count].number = -1;
  }
  record.state = RecordState::complete;
  for (const Field field : number_fields) {
    if (!is_required(row, field) || record[field].known()) continue;
    if (record.checked.is_exported_over && field == Field::local_world_size) continue;
    record.state = RecordState::incomplete;
    break;
  }
  return record;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_READ_RECORD_HPP
