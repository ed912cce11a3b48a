// SPDX-License-Identifier: MIT
//
// An adversary deals the tasks of a Slurm step in any order of its nodes, as a topology plugin may.
// No layout that a task claims is wrong, and no two tasks of a step know different things, or would
// meet elsewhere.
#include "support/simulated_step.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/port_rules.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Distribution;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::SimulatedStep;

SimulatedStep step_of(std::vector<int> counts, std::vector<std::size_t> order, int plane = 0) {
  std::vector<std::string> hosts;
  for (std::size_t i = 1; i <= counts.size(); ++i) hosts.push_back("n" + std::to_string(i));
  const std::string list = counts.size() == 1 ? "n1" : "n[1-" + std::to_string(counts.size()) + "]";
  return SimulatedStep(list, hosts, std::move(counts), plane, std::move(order));
}

/// What one task claims of all: the node of each rank, and where to meet; "unknown" for each that
/// it does not know.
std::string claim_of(const Topology& topology) {
  std::string out;
  if (const auto& layout = topology.layout()) {
    for (int rank = 0; rank != layout->world_size(); ++rank) {
      out += std::to_string(layout->node_of(rank)) + " ";
    }
  } else {
    out = "unknown ";
  }
  const auto rendezvous = derive_rendezvous(topology, rankmap::port_rules::job_and_step);
  return out + (rendezvous ? std::string(rendezvous->address) : "unknown");
}

struct Seen {
  int steps = 0;
  int known = 0;
};

/// Judges all tasks of a step.
void judge(const SimulatedStep& step, Seen& seen) {
  std::optional<std::string> first;
  for (int rank = 0; rank != step.world_size(); ++rank) {
    const auto topology = Topology::from_environment(step.environment_of(rank));
    ASSERT_TRUE(topology) << message(topology.error()).view();
    ASSERT_EQ(topology->node_rank(), step.node_of[static_cast<std::size_t>(rank)]);
    if (const auto& layout = topology->layout()) {
      for (int other = 0; other != step.world_size(); ++other) {
        ASSERT_EQ(layout->node_of(other), step.node_of[static_cast<std::size_t>(other)]);
      }
    }
    const std::string claim = claim_of(*topology);
    if (!first) first = claim;
    ASSERT_EQ(claim, *first) << "rank " << rank << " of " << step.tasks_per_node();
    if (rank == 0 && topology->layout()) ++seen.known;
  }
  ++seen.steps;
}

/// All orders of the nodes of a step with these counts.
void judge_all_orders(const std::vector<int>& counts, Seen& seen) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    judge(step_of(counts, order), seen);
    if (testing::Test::HasFatalFailure()) return;
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Dealing, in_any_order_of_up_to_four_nodes_is_never_claimed_wrongly) {
  Seen seen;
  for (std::size_t nodes = 1; nodes <= 4; ++nodes) {
    std::vector<int> counts(nodes, 1);
    for (;;) {
      judge_all_orders(counts, seen);
      if (HasFatalFailure()) return;
      std::size_t digit = 0;
      while (digit != nodes && counts[digit] == 3) counts[digit++] = 1;
      if (digit == nodes) break;
      ++counts[digit];
    }
  }
  EXPECT_EQ(seen.steps, 3 + 9 * 2 + 27 * 6 + 81 * 24);
  EXPECT_EQ(seen.known, 3 + 9 * 2);  // one node, and two: mine and the rest
}

TEST(Dealing, in_any_order_of_five_and_six_nodes_is_never_claimed_wrongly) {
  Seen seen;
  for (const std::vector<int>& counts : {std::vector<int>{1, 1, 1, 1, 1},
                                         {2, 2, 2, 2, 2},
                                         {4, 3, 2, 1, 1},
                                         {1, 1, 1, 1, 1, 1},
                                         {2, 2, 2, 2, 2, 1}}) {
    judge_all_orders(counts, seen);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(seen.steps, 3 * 120 + 2 * 720);
  EXPECT_EQ(seen.known, 0);
}

/// Planes and single tasks are dealt over the list, with a plugin too; and blocks are where no
/// plugin is and the version is older.
TEST(Dealing, over_the_list_is_known) {
  for (const int plane : {0, 1, 2}) {
    const SimulatedStep step = step_of({3, 2, 2, 1}, {}, plane);
    Seen seen;
    judge(step, seen);
    EXPECT_EQ(seen.known, 1);
  }
  for (const int plane : {1, 2}) {
    Seen seen;
    judge(step_of({3, 2, 2, 1}, {0, 1, 2, 3}, plane), seen);
    EXPECT_EQ(seen.known, 1);
  }
}

// n1 and n3 behind one switch, n2 and n4 behind another one.
#define STEP                                                                                       \
  "SLURM_STEP_NUM_TASKS=8|SLURM_STEP_NUM_NODES=4|SLURM_STEP_NODELIST=n[1-4]|SLURM_STEP_TASKS_PER_" \
  "NODE=2(x4)|"                                                                                    \
  "SLURM_JOB_ID=7|SLURM_STEP_ID=0|SLURM_UMASK=0022|"
#define RANK_0 \
  STEP "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0,1|SLURMD_NODENAME=n1|"
#define RANK_4 \
  STEP "SLURM_PROCID=4|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=4,5|SLURMD_NODENAME=n2|"
#define OLDER "SLURM_TOPOLOGY_ADDR_PATTERN=node|"

std::string told(std::string_view variables, const Config& config = {}) {
  const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'), config);
  if (!topology) return std::string(message(topology.error()).view());
  return claim_of(*topology);
}

TEST(Dealing, over_the_list_is_proved_by_two_variables_together) {
  EXPECT_EQ(told(RANK_0 OLDER), "0 0 1 1 2 2 3 3 n1");
  EXPECT_EQ(told(RANK_0 OLDER "SLURM_JOB_SLUID=s1"), "unknown unknown");
  EXPECT_EQ(told(RANK_0 "SLURM_TOPOLOGY_ADDR_PATTERN=switch.node"), "unknown unknown");
  EXPECT_EQ(told(RANK_0), "unknown unknown");
}

TEST(Dealing, may_be_stated_and_is_checked_against_the_ranks_of_this_node) {
  EXPECT_EQ(told(RANK_0, {.distribution = Distribution::block}), "0 0 1 1 2 2 3 3 n1");
  EXPECT_EQ(told(RANK_0 "RANKMAP_DISTRIBUTION=block"), "0 0 1 1 2 2 3 3 n1");
  EXPECT_EQ(told(RANK_4, {.distribution = Distribution::block}),
            "Config::distribution=\"block\": expected a distribution with SLURM_PROCID=\"4\" and "
            "the other ranks of this node "
            "on it; state the one of this launch or none; gather_hosts() finds the nodes, too");
  EXPECT_EQ(told(RANK_4 "RANKMAP_DISTRIBUTION=block"),
            "RANKMAP_DISTRIBUTION=\"block\": expected a distribution with SLURM_PROCID=\"4\" and "
            "the other ranks of this node "
            "on it; state the one of this launch or none; gather_hosts() finds the nodes, too");
  EXPECT_EQ(told(RANK_0 "RANKMAP_DISTRIBUTION=plane"),
            "RANKMAP_DISTRIBUTION=\"plane\": expected block or cyclic; correct or unset it");
  EXPECT_EQ(told(RANK_0 "RANKMAP_DISTRIBUTION=cyclic", {.distribution = Distribution::block}),
            "RANKMAP_DISTRIBUTION=\"cyclic\": expected block, as Config::distribution says; unset "
            "it; in the program, leave "
            "Config::distribution unset");
}

TEST(Dealing, that_is_not_known_is_explained) {
  const auto topology = Topology::from_environment(RecordedEnvironment(RANK_0, '|'));
  ASSERT_TRUE(topology);
  const auto text = explain(*topology);
  EXPECT_NE(text.view().find("Slurm may deal in topology order (26.05 and newer); gather_hosts() "
                             "finds out, or state it: "
                             "Config::distribution, RANKMAP_DISTRIBUTION"),
            std::string_view::npos)
      << text.view();
}

TEST(Dealing, of_two_nodes_is_known_for_any_distribution) {
  const std::string step =
      "SLURM_STEP_NUM_TASKS=5|SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_"
      "PER_NODE=3,2|"
      "SLURM_DISTRIBUTION=arbitrary|SLURM_JOB_ID=7|SLURM_STEP_ID=0|SLURM_UMASK=0022|";
  EXPECT_EQ(
      told(step +
           "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_NODEID=0|SLURM_GTIDS=1,3,4|SLURMD_NODENAME=n1"),
      "1 0 1 0 0 n2");
  EXPECT_EQ(
      told(step +
           "SLURM_PROCID=2|SLURM_LOCALID=1|SLURM_NODEID=1|SLURM_GTIDS=0,2|SLURMD_NODENAME=n2"),
      "1 0 1 0 0 n2");
  // Ranks that are no list in order.
  EXPECT_EQ(
      told(step +
           "SLURM_PROCID=2|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=2,0|SLURMD_NODENAME=n2"),
      "unknown unknown");
  EXPECT_EQ(
      told(step +
           "SLURM_PROCID=2|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=2,5|SLURMD_NODENAME=n2"),
      "unknown unknown");
}

}  // namespace
