// SPDX-License-Identifier: MIT
// How two records of one environment relate: they identify the same worker, an agent and its
// worker, another process, or they contradict each other.
#ifndef RANKMAP_IDENTITY_DETAIL_RECORD_RELATION_HPP
#define RANKMAP_IDENTITY_DETAIL_RECORD_RELATION_HPP

#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher_row.hpp>

namespace rankmap::inline v0::detail {

/// Whether `other` has the local size that may be the record's, if both are known.
constexpr bool has_unsure_size(const Record& record, const Record& other) {
  const Value& unsure = record.unsure_local_size;
  const Value& here = other[Field::local_world_size];
  return !unsure.known() || !here.known() || unsure.number == here.number;
}

/// Of the four numbers that identify a process: how many both records have, and whether these
/// agree. Where one has no local size, the number of nodes has to agree instead.
struct Agreement {
  int compared = 0;
  bool agree = true;
};
RANKMAP_RARE constexpr Agreement compare_identity(const Record& a, const Record& b) {
  Agreement out;
  for (const Field field :
       {Field::rank, Field::world_size, Field::local_rank, Field::local_world_size}) {
    if (!a[field].known() || !b[field].known()) continue;
    ++out.compared;
    out.agree = out.agree && a[field].number == b[field].number;
  }
  const Value& nodes = a[Field::node_count];
  const Value& other_nodes = b[Field::node_count];
  if (!(a[Field::local_world_size].known() && b[Field::local_world_size].known()) &&
      nodes.known() && other_nodes.known()) {
    out.agree = out.agree && nodes.number == other_nodes.number;
  }
  out.agree = out.agree && has_unsure_size(a, b) && has_unsure_size(b, a);
  return out;
}

/// The names of numbers that any script may set.
inline constexpr VariableNames torch_names("RANK,WORLD_SIZE,LOCAL_RANK,LOCAL_WORLD_SIZE,NODE_RANK");

/// The names under which torchrun sets rank and world size a second time.
inline constexpr VariableNames torchrun_copies("ROLE_RANK,ROLE_WORLD_SIZE");

/// Whether a row reads RANK or LOCAL_RANK, rather than the variables of a process manager.
RANKMAP_RARE constexpr bool uses_torch_names(const LauncherRow& row) {
  return row.rank.names.first() == "RANK" || row.local_rank.names.first() == "LOCAL_RANK";
}

/// Whether the record names a job that is not the other one's, whatever their numbers.
RANKMAP_RARE constexpr bool names_another_job(const Record& record, const Record& other) {
  return record.checked.names_own_job && record.row.job_id.first() != other.row.job_id.first();
}

/// Whether what `outer` and `inner` call the host of this process may be the same.
constexpr bool may_be_on_one_host(const Record& outer, const Record& inner) {
  return outer.host.empty() || inner.host.empty() || outer.host == inner.host ||
         inner.row.spreads_first_environment;
}

/// Whether the variables prove that the processes of `outer` are the agents or daemons that started
/// the workers of `inner`: there is one on each node, where the launcher of `inner` needs them. If
/// `inner` may have one on each as well, either may be the daemons of the other.
RANKMAP_RARE constexpr bool is_agent_record(const Record& outer, const Record& inner) {
  const Value& nodes = inner[Field::node_count];
  const Value& agents = outer[Field::world_size];
  const Value& places = outer[Field::node_count];
  if (!agents.known() || outer[Field::local_world_size].number != 1 ||
      (places.known() && places.number != agents.number)) {
    return false;
  }
  if (inner.row.agents == Agents::on_every_node) return agents.number == nodes.number;
  const bool may_be_one_each = inner[Field::local_world_size].number == 1 &&
                               inner[Field::world_size].number == agents.number &&
                               (!nodes.known() || nodes.number == agents.number);
  // A single process needs one daemon.
  const bool has_too_many = inner[Field::world_size].number == 1 && agents.number > 1;
  return inner.row.agents == Agents::on_some_nodes && outer.row.starts_daemons &&
         !may_be_one_each && !has_too_many && may_be_on_one_host(outer, inner);
}

/// Whether the node count of `node` can be that of `inner`, which is at most its world size. A
/// count that is not known contradicts nothing: workers run inside pods.
constexpr bool can_be_node_of(const Record& node, const Record& inner) {
  const Value& outer_count = node[Field::node_count];
  const Value& inner_count = inner[Field::node_count];
  if (!outer_count.known()) return true;
  if (inner_count.known()) return outer_count.number == inner_count.number;
  const Value& world = inner[Field::world_size];
  return !world.known() || outer_count.number <= world.number;
}

/// Whether the numbers of a node are those of the process: some scripts set the variables of an
/// operator for each process.
constexpr bool repeats_process(const Record& node, const Record& inner) {
  return node[Field::node_rank].number == inner[Field::rank].number &&
         node[Field::node_count].number == inner[Field::world_size].number;
}

/// How `other` relates to `chosen`. `settled`: the processes above this one show that `chosen` is
/// the inner one.
RANKMAP_RARE constexpr Relation relation_of(const Record& chosen, const Record& other,
                                            bool settled) {
  if (other.state == RecordState::no_task || other.state == RecordState::stale) {
    return Relation::stale;
  }
  if (other.state == RecordState::node_level) {
    // Neither elements of an array nor slots are nodes.
    const RecordLevel level = other.row.level;
    if (level == RecordLevel::array || level == RecordLevel::slot ||
        can_be_node_of(other, chosen)) {
      return Relation::nested;
    }
    return repeats_process(other, chosen) ? Relation::same : Relation::conflict;
  }
  const Agreement identity = compare_identity(chosen, other);
  if (identity.compared > 0 && identity.agree && !names_another_job(other, chosen)) {
    return Relation::same;
  }
  const bool is_outer = other.row.launcher > chosen.row.launcher;
  if (is_agent_record(other, chosen) || (is_outer && other.row.starts_agents)) {
    return Relation::nested;
  }
  // A leftover without a number says nothing about this process.
  if (settled || (identity.compared == 0 && other.state == RecordState::incomplete)) {
    return Relation::stale;
  }
  return Relation::conflict;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RECORD_RELATION_HPP
