// SPDX-License-Identifier: MIT
//
// Which layout an environment proves, and which hosts: what one process claims of all others. It
// has to be the same on every rank of a job.
#include "support/constant_rows.hpp"
#include "support/summary.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string>
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

/// Each row is a constant evaluation of its own, since compilers limit the steps of one.
template <const auto& Table, std::size_t I>
inline constexpr bool claim_holds = claim_of(Table[I].variables).view() == Table[I].expected;

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
    {TORCHRUN("1", "3", "2", "3"), "no layout; warning GROUP_RANK"},
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
static_assert(rankmap_test::constant_rows_hold<std::size(nodes_in_order)>([](auto i) {
  return claim_holds<nodes_in_order, i>;
}));

TEST(Layouts, follow_from_nodes_that_are_numbered_in_rank_order) {
  for (const Claim& c : nodes_in_order) {
    EXPECT_EQ(claim_of(c.variables).view(), c.expected) << c.variables;
  }
}

// ---- steps of srun

// Ranks 0 to 4 on n3, n1, n1, n2 and n3.
#define LISTED                                                                \
  "SLURM_STEP_NUM_TASKS=5|SLURM_STEP_NUM_NODES=3|SLURM_STEP_NODELIST=n[1-3]|" \
  "SLURM_STEP_TASKS_PER_NODE=2,1,2|SLURM_DISTRIBUTION=arbitrary|SLURM_JOB_ID=7|SLURM_STEP_ID=0|"
#define RANK_0_OF_LISTED \
  LISTED "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=2|SLURM_GTIDS=0,4|SLURMD_NODENAME=n3|"
#define RANK_2_OF_LISTED \
  LISTED "SLURM_PROCID=2|SLURM_LOCALID=1|SLURM_NODEID=0|SLURM_GTIDS=1,2|SLURMD_NODENAME=n1|"
#define RANK_3_OF_LISTED \
  LISTED "SLURM_PROCID=3|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=3|SLURMD_NODENAME=n2|"
#define BY_PMIX "PMIX_NAMESPACE=slurm.pmix.7.0|SLURM_PMIX_MAPPING_SERV="
#define MAPPING "(vector,(2,1,1),(0,1,2),(1,2,1))"
#define UNKNOWN "no layout on n[1-3]"

// Ranks 0 and 2 on n1, 1 and 3 on n2.
#define RANK_3_OF_CYCLIC                                                                      \
  "SLURM_STEP_NUM_TASKS=4|SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|"                 \
  "SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_DISTRIBUTION=cyclic|SLURM_JOB_ID=7|SLURM_STEP_ID=0|" \
  "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_NODEID=1|SLURM_GTIDS=1,3|SLURMD_NODENAME=n2|"
#define DEALT \
  "0 1 0 1 by SLURM_STEP_TASKS_PER_NODE by SLURM_DISTRIBUTION, equal to SLURM_GTIDS on n[1-2]"

#define COMPONENTS(job, first, second)                                                      \
  "SLURM_HET_SIZE=2|SLURM_JOB_ID_HET_GROUP_0=" job "|SLURM_JOB_NODELIST_HET_GROUP_0=" first \
  "|SLURM_JOB_NODELIST_HET_GROUP_1=" second

constexpr Claim steps_of_srun[] = {
    // The same on every rank.
    {RANK_0_OF_LISTED BY_PMIX MAPPING,
     "2 0 0 1 2 by SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS on n[1-3]"},
    {RANK_2_OF_LISTED BY_PMIX MAPPING,
     "2 0 0 1 2 by SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS on n[1-3]"},
    {RANK_3_OF_LISTED BY_PMIX MAPPING,
     "2 0 0 1 2 by SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS on n[1-3]"},
    {RANK_3_OF_CYCLIC BY_PMIX "(vector,(0,2,1),(0,2,1))",
     "0 1 0 1 by SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS on n[1-2]"},
    // No server, or that of another step: inherited.
    {RANK_3_OF_LISTED, UNKNOWN},
    {RANK_3_OF_LISTED "SLURM_PMIX_MAPPING_SERV=" MAPPING, UNKNOWN},
    {RANK_3_OF_LISTED "PMIX_NAMESPACE=slurm.pmix.7.1|SLURM_PMIX_MAPPING_SERV=" MAPPING, UNKNOWN},
    {RANK_3_OF_LISTED "PMIX_NAMESPACE=slurm.pmix.8.0|SLURM_PMIX_MAPPING_SERV=" MAPPING, UNKNOWN},
    {RANK_3_OF_LISTED "PMIX_NAMESPACE=slurm.pmix.7.00|SLURM_PMIX_MAPPING_SERV=" MAPPING, UNKNOWN},
    {RANK_3_OF_LISTED "PMIX_NAMESPACE=n1-7@1|SLURM_PMIX_MAPPING_SERV=" MAPPING, UNKNOWN},
    {RANK_3_OF_CYCLIC, DEALT},
    {"SLURM_DISTRIBUTION=sorted|" RANK_3_OF_CYCLIC,
     "0 1 0 1 by SLURM_GTIDS of two nodes: mine and the rest on n[1-2]"},
    {RANK_3_OF_CYCLIC "PMIX_NAMESPACE=slurm.pmix.7.9|SLURM_PMIX_MAPPING_SERV=(vector,(0,2,2))",
     DEALT},
    // A list that contradicts the ranks of this node, the counts or the step.
    {RANK_3_OF_LISTED BY_PMIX "(vector,(2,1,1),(1,1,1),(0,1,2),(2,1,1))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(2,1,1),(0,1,2),(1,1,1),(0,1,1))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(2,1,1),(0,1,2),(1,2,1),(2,1,1))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(2,1,1),(0,1,2),(1,1,1))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(2,1,1),(0,1,2),(1,1,1),(3,1,1))", UNKNOWN},
    {RANK_3_OF_CYCLIC BY_PMIX "(vector,(0,2,2))", "no layout on n[1-2]"},
    // Nor is it replaced by what the distribution says.
    {RANK_3_OF_CYCLIC BY_PMIX "(vector,(1,1,1),(0,1,1),(0,2,1))", "no layout on n[1-2]"},
    {RANK_3_OF_CYCLIC BY_PMIX "x", "no layout on n[1-2]"},
    // Every node of a step runs a task.
    {"SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NODELIST=n[1-3]|SLURM_STEP_TASKS_PER_NODE=1,0,1|"
     "SLURM_JOB_ID=7|SLURM_STEP_ID=0|SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS="
     "0|" BY_PMIX "(vector,(0,1,1),(2,1,1))",
     "no layout; warning SLURM_STEP_NODELIST"},
    // Any text.
    {RANK_3_OF_LISTED BY_PMIX "(vector", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector)", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(0,0,5))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(0,1,2147483647),(1,1,2147483647))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,(99999999999999999999,1,5))", UNKNOWN},
    {RANK_3_OF_LISTED BY_PMIX "(vector,[(0,1,1)]x1000000000,(1,1,1))", UNKNOWN},
    // A heterogeneous job, whose components are jobs of their own, with lists of their nodes. A
    // step
    // of one component is like any other.
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]"), DEALT},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n[1-3]", "n4"), DEALT},
    {RANK_3_OF_CYCLIC "SLURM_PACK_SIZE=2|SLURM_JOB_ID_PACK_GROUP_0=7|"
                      "SLURM_JOB_NODELIST_PACK_GROUP_0=n3|SLURM_JOB_NODELIST_PACK_GROUP_1=n[1-2]",
     DEALT},
    {RANK_3_OF_CYCLIC BY_PMIX "(vector,(0,2,1),(0,2,1))|" COMPONENTS("7", "n3", "n[1-2]"),
     "0 1 0 1 by SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS on n[1-2]"},
    {"SLURMD_NODENAME=n1|" RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]"),
     "SLURMD_NODENAME=\"n1\": expected the host of this node in SLURM_STEP_NODELIST; unset it, "
     "or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size "
     "and "
     "::local_rank or set ::exclude"},
    // Of several, or on nodes of several.
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n1", "n2"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n[1-2]", "n2"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n1", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n[1-2]", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n2"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n4"), "no layout"},
    // The lists of another job, and too few of them.
    {RANK_3_OF_CYCLIC COMPONENTS("6", "n3", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("", "n3", "n[1-2]"), "no layout"},
    {"SLURM_JOB_ID=|" RANK_3_OF_CYCLIC COMPONENTS("", "n3", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC "SLURM_HET_SIZE=2", "no layout"},
    {"SLURM_HET_SIZE=3|" RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]"), "no layout"},
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]") "|SLURM_PACK_SIZE=2", "no layout"},
    {RANK_3_OF_CYCLIC BY_PMIX "(vector,(0,2,1),(0,2,1))|SLURM_HET_SIZE=2", "no layout"},
    // Any text.
    {RANK_3_OF_CYCLIC COMPONENTS("7", "n[3", "n[1-2]"), "no layout"},
    {"SLURM_HET_SIZE=x|" RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]"), "no layout"},
    {"SLURM_HET_SIZE=18446744073709551615|" RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "n[1-2]"),
     "no layout"},
};
static_assert(rankmap_test::constant_rows_hold<std::size(steps_of_srun)>([](auto i) {
  return claim_holds<steps_of_srun, i>;
}));

TEST(Layouts, of_srun_follow_from_its_lists) {
  for (const Claim& c : steps_of_srun) {
    EXPECT_EQ(claim_of(c.variables).view(), c.expected) << c.variables;
  }
}

/// Each host of the step is looked up in each list, so their lengths multiply.
TEST(Layouts, of_a_component_are_sought_in_lists_of_limited_length) {
  for (const auto& [length, is_found] : {std::pair{2'000'000U, true}, {2'200'000U, false}}) {
    std::string nodes = "n[1-2]";
    while (nodes.size() < length) nodes += "," + std::string(200, 'x');
    const std::string variables = RANK_3_OF_CYCLIC COMPONENTS("7", "n3", "") + nodes;
    const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'));
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->layout().has_value(), is_found);
  }
}

/// So that no name of a list is looked up for every number that a text may claim.
TEST(Layouts, of_a_component_are_sought_among_128) {
  for (const int components : {128, 129}) {
    std::string text = RANK_3_OF_CYCLIC "SLURM_JOB_ID_HET_GROUP_0=7|SLURM_HET_SIZE=";
    text += std::to_string(components);
    for (int i = 0; i != components; ++i) {
      text += "|SLURM_JOB_NODELIST_HET_GROUP_" + std::to_string(i) + (i == 0 ? "=n[1-2]" : "=x");
    }
    const auto topology = Topology::from_environment(RecordedEnvironment(text, '|'));
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->layout().has_value(), components == 128);
  }
}

/// An irregular layout takes memory for each rank, and a short text may claim any number of them.
TEST(Layouts, of_a_pmix_step_are_read_up_to_a_limit) {
  for (const auto& [size, is_read] : {std::pair{1 << 20, true}, {(1 << 20) + 1, false}}) {
    const std::string last = std::to_string(size - 1);
    const std::string text =
        "SLURM_STEP_NUM_TASKS=" + std::to_string(size) + "|SLURM_STEP_TASKS_PER_NODE=" + last +
        ",1|SLURM_STEP_NODELIST=n[1-2]|SLURM_JOB_ID=7|SLURM_STEP_ID=0|"
        "SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_PROCID=" +
        last + "|SLURM_GTIDS=" + last + "|" BY_PMIX "(vector,(0,1," + last + "),(1,1,1))";
    const auto topology = Topology::from_environment(RecordedEnvironment(text, '|'));
    ASSERT_TRUE(topology && topology->layout());
    EXPECT_EQ(topology->layout()->node_of(size - 2), 0);
    EXPECT_EQ(topology->origin(TopologyField::layout).source,
              is_read ? "SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS"
                      : "SLURM_STEP_TASKS_PER_NODE by SLURM_DISTRIBUTION, equal to SLURM_GTIDS");
  }
}

// ---- the hosts of a launcher that lists them as JSON

std::string hosts_in(const std::string& variables) {
  const auto me = Topology::from_environment(RecordedEnvironment(variables, '|'),
                                             {.one_process_per_node = true});
  if (!me) return std::string(message(me.error()));
  std::string out;
  for (const auto& host : me->hosts()) out.append(host).append(" ");
  for (const auto& warning : me->warnings()) out.append("warning ").append(warning.variable);
  return out;
}

TEST(Layouts, hosts_of_sagemaker_are_its_list_on_every_machine) {
  for (const std::string machine : {"algo-1", "algo-10", "algo-2"}) {
    const std::string list = R"(SM_HOSTS=["algo-1", "algo-10", "algo-2"]|SM_CURRENT_HOST=)";
    EXPECT_EQ(hosts_in(list + machine), "algo-1 algo-10 algo-2 ");
  }
  const auto me = Topology::from_environment(
      RecordedEnvironment(R"(SM_HOSTS=["a","b"]|SM_CURRENT_HOST=b)", '|'),
      {.one_process_per_node = true});
  ASSERT_TRUE(me);
  EXPECT_EQ(me->host(), "b");
  EXPECT_EQ(me->host_of(0)->view(), "a");
  EXPECT_EQ(me->origin(rankmap::TopologyField::hosts).source, "SM_HOSTS");
}

TEST(Layouts, hosts_of_sagemaker_that_are_no_hosts_are_a_warning) {
  EXPECT_EQ(hosts_in(R"(SM_HOSTS=["a b","c"]|SM_CURRENT_HOST=c)"), "warning SM_HOSTS");
  EXPECT_EQ(hosts_in(R"(SM_HOSTS=["a",{},"c"]|SM_CURRENT_HOST=c)"), "warning SM_HOSTS");
}

TEST(Layouts, hosts_of_sagemaker_are_not_those_of_what_runs_in_it) {
  EXPECT_EQ(hosts_in(R"(SM_HOSTS=["a","b"]|SM_CURRENT_HOST=b|RANK=1|WORLD_SIZE=2|LOCAL_RANK=0)"),
            "");
}

}  // namespace
