// SPDX-License-Identifier: MIT
//
// Which layout an environment proves, and which hosts: what one process claims of all others. It
// has to be the same on every rank of a job.
#include "support/summary.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace {

using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::TopologyField;
using rankmap_test::Summary;

/// The node of each rank, the rule that gives it and the hosts: "0 0 1 by one rule on a,b".
constexpr Summary claim_of(std::string_view variables) {
  const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'));
  if (!topology) return message(topology.error());
  Summary out;
  if (const auto& layout = topology->layout()) {
    for (int rank = 0; rank != layout->world_size(); ++rank) {
      out.append_number(layout->node_of(rank)).append(' ');
    }
    out.append("by ").append(topology->origin(TopologyField::layout).source);
  } else {
    out.append("no layout");
  }
  if (!topology->hosts().empty()) out.append(" on ").append(topology->hosts().text());
  for (const auto& warning : topology->warnings())
    out.append("; warning ").append(warning.variable);
  return out;
}

struct Claim {
  std::string_view variables;
  std::string_view expected;
};

template <const auto& Table, std::size_t... I>
constexpr bool all_hold(std::index_sequence<I...>) {
  return ((claim_of(Table[I].variables).view() == Table[I].expected) && ...);
}

// ---- nodes that are numbered in rank order

#define TORCHRUN(rank, size, group, groups)                                              \
  "TORCHELASTIC_RUN_ID=j|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1|RANK=" rank "|WORLD_SIZE=" size \
  "|GROUP_RANK=" group "|GROUP_WORLD_SIZE=" groups

constexpr Claim nodes_in_order[] = {
    {TORCHRUN("0", "1", "0", "1"), "0 by one node"},
    {TORCHRUN("2", "3", "1", "2"), "0 0 1 by two nodes: mine and the rest"},
    // As many agents as workers: one each.
    {TORCHRUN("0", "3", "0", "3"), "0 1 2 by as many nodes as processes"},
    {TORCHRUN("4", "5", "4", "5"), "0 1 2 3 4 by as many nodes as processes"},
    {TORCHRUN("0", "2", "0", "2"), "0 1 by two nodes: mine and the rest"},
    {"RANK=2|WORLD_SIZE=3|LOCAL_RANK=0|LOCAL_SIZE=1|CROSS_RANK=2|CROSS_SIZE=3",
     "0 1 2 by as many nodes as processes"},
    // One more worker than agents may be anywhere.
    {TORCHRUN("0", "4", "0", "3"), "no layout"},
    // The agent's number contradicts.
    {TORCHRUN("1", "3", "2", "3"), "no layout; warning layout"},
    // The number of this agent cannot be read, that of all can: no other rank sees the first.
    {TORCHRUN("1", "3", "x", "3"), "0 1 2 by as many nodes as processes; warning GROUP_RANK"},
    // One process a node, in an order that is not known.
    {"FLUX_TASK_RANK=1|FLUX_JOB_SIZE=3|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=3", "no layout"},
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=3|OMPI_COMM_WORLD_LOCAL_RANK=0|"
     "OMPI_COMM_WORLD_LOCAL_SIZE=1|OMPI_MCA_orte_num_nodes=3",
     "no layout"},
    {"MV2_COMM_WORLD_RANK=1|MV2_COMM_WORLD_SIZE=3|MV2_COMM_WORLD_LOCAL_RANK=0|"
     "MV2_COMM_WORLD_LOCAL_SIZE=1|MV2_NODE_ID=1|MV2_NUM_NODES_IN_JOB=3",
     "no layout"},
};
static_assert(all_hold<nodes_in_order>(std::make_index_sequence<std::size(nodes_in_order)>()));

TEST(Layouts, follow_from_nodes_that_are_numbered_in_rank_order) {
  for (const Claim& c : nodes_in_order) {
    EXPECT_EQ(claim_of(c.variables).view(), c.expected) << c.variables;
  }
}

}  // namespace
