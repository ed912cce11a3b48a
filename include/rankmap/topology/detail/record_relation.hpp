// SPDX-License-Identifier: MIT
//
// How two records of one environment relate: they identify the same worker, an agent and its
// worker, another process, or they contradict each other.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RECORD_RELATION_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RECORD_RELATION_HPP

#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// Of the four numbers that identify a process: how many both records have, and whether these
/// agree.
struct Agreement {
  int compared = 0;
  bool agree = true;
};
constexpr Agreement compare_identity(const Record& a, const Record& b) {
  Agreement out;
  for (const Field field :
       {Field::rank, Field::world_size, Field::local_rank, Field::local_world_size}) {
    if (!a[field].known() || !b[field].known()) continue;
    ++out.compared;
    out.agree = out.agree && a[field].number == b[field].number;
  }
  return out;
}

/// Whether `outer` can be the record of the agents or daemons that started the workers of `inner`.
/// Either there is one for each node; or there is one on this node, and no more of them than nodes
/// or workers; or, if their number is not known, the rank of this one is the node rank.
/// Precondition: the world size of `inner` is known.
constexpr bool can_be_agent_of(const Record& outer, const Record& inner) {
  const Value& nodes = inner[Field::node_count];
  const Value& agents = outer[Field::world_size];
  const Value& agents_here = outer[Field::local_world_size];
  if (agents.known()) {
    if (nodes.known() && agents.number == nodes.number) return true;
    // mpirun's daemons are a step on all nodes except its own.
    return agents_here.known() && agents_here.number == 1 &&
           (!nodes.known() || agents.number <= nodes.number) &&
           agents.number <= inner[Field::world_size].number;
  }
  const Value& index = outer[Field::rank];
  return inner[Field::node_rank].known() && index.number == inner[Field::node_rank].number;
}

/// Whether the record of a node agrees with the node count of `inner`. If one of them has no count,
/// they do not contradict each other: workers run inside pods.
constexpr bool can_be_node_of(const Record& node, const Record& inner) {
  const Value& outer_count = node[Field::node_count];
  const Value& inner_count = inner[Field::node_count];
  return !outer_count.known() || !inner_count.known() || outer_count.number == inner_count.number;
}

/// Whether the numbers of a node are those of the process: some scripts set the variables of an
/// operator for each process.
constexpr bool repeats_process(const Record& node, const Record& inner) {
  return node[Field::node_rank].number == inner[Field::rank].number &&
         node[Field::node_count].number == inner[Field::world_size].number;
}

/// How `other` relates to `chosen`.
constexpr Relation relation_of(const Record& chosen, const Record& other) {
  if (other.state == RecordState::no_task || other.state == RecordState::stale) {
    return Relation::stale;
  }
  const bool is_outer = other.row->launcher > chosen.row->launcher;
  if (other.state == RecordState::node_level) {
    if (other.row->level == RecordLevel::array || can_be_node_of(other, chosen)) {
      return Relation::nested;
    }
    return repeats_process(other, chosen) ? Relation::same : Relation::conflict;
  }
  const Agreement identity = compare_identity(chosen, other);
  if (identity.compared > 0 && identity.agree) return Relation::same;
  if (is_outer && (other.row->starts_agents || can_be_agent_of(other, chosen))) {
    return Relation::nested;
  }
  // A leftover without a number says nothing about this process.
  if (identity.compared == 0 && other.state == RecordState::incomplete) return Relation::stale;
  return Relation::conflict;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RECORD_RELATION_HPP
