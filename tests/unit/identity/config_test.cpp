// SPDX-License-Identifier: MIT
//
// Explicit values: they override the environment, are reported as given, and are compared with each
// other and with the environment.
#include "support/summary.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

using rankmap::Ancestors;
using rankmap::Config;
using rankmap::Distribution;
using rankmap::Launcher;
using rankmap::Origin;
using rankmap::OriginKind;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::TopologyField;
using rankmap::WithAncestors;
using rankmap_test::Case;

constexpr std::string_view torchrun =
    "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
    "GROUP_WORLD_SIZE=2";
constexpr std::string_view open_mpi =
    "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=5|OMPI_COMM_WORLD_LOCAL_RANK=0|"
    "OMPI_COMM_WORLD_LOCAL_SIZE=2";
constexpr Distribution block = Distribution::block;

#define START_IT                                                                        \
  "; start it with its launcher (torchrun, srun, mpirun), or set RANK, WORLD_SIZE and " \
  "LOCAL_RANK; "                                                                        \
  "in the program, pass Config::rank, ::world_size, ::local_rank"

// ---- each error of given values, with the whole message
constexpr Case errors[] = {
    // the lower bound of each number
    {"", "Config::rank=\"-1\": expected a number, at least 0; pass a valid number", {.rank = -1}},
    {"",
     "Config::world_size=\"0\": expected a number, at least 1; pass a valid number",
     {.world_size = 0}},
    {"",
     "Config::local_rank=\"-2\": expected a number, at least 0; pass a valid number",
     {.local_rank = -2}},
    {"",
     "Config::local_world_size=\"0\": expected a number, at least 1; pass a valid number",
     {.local_world_size = 0}},
    {"",
     "Config::node_rank=\"-1\": expected a number, at least 0; pass a valid number",
     {.node_rank = -1}},
    {"",
     "Config::node_count=\"-2147483648\": expected a number, at least 1; pass a valid number",
     {.node_count = -2147483647 - 1}},

    // not distributed, but with a number that one process cannot have
    {"",
     "Config::rank=\"1\": expected 0, as local_rank = -1 means not distributed; do not pass a "
     "local rank of -1",
     {.rank = 1, .local_rank = -1}},
    {"",
     "Config::world_size=\"2\": expected 1, as local_rank = -1 means not distributed; do not pass "
     "a local rank of -1",
     {.world_size = 2, .local_rank = -1}},
    {"",
     "Config::local_world_size=\"2\": expected 1, as local_rank = -1 means not distributed; do not "
     "pass a local rank of -1",
     {.local_rank = -1, .local_world_size = 2}},
    {"",
     "Config::node_rank=\"1\": expected 0, as local_rank = -1 means not distributed; do not pass a "
     "local rank of -1",
     {.local_rank = -1, .node_rank = 1}},
    {"",
     "Config::node_count=\"2\": expected 1, as local_rank = -1 means not distributed; do not pass "
     "a local rank of -1",
     {.local_rank = -1, .node_count = 2}},

    // two numbers that contradict each other
    {"",
     "Config::rank=\"4\": expected a number in [0, 4), as Config::world_size=\"4\" says; pass "
     "values that agree",
     {.rank = 4, .world_size = 4, .local_rank = 0}},
    {"",
     "Config::local_rank=\"2\": expected a number in [0, 2), as Config::local_world_size=\"2\" "
     "says; pass values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 2, .local_world_size = 2}},
    {"",
     "Config::local_rank=\"2\": expected a number in [0, 2), as Config::world_size=\"2\" says; "
     "pass values that agree",
     {.rank = 0, .world_size = 2, .local_rank = 2}},
    {"",
     "Config::local_world_size=\"3\": expected at most 2, as Config::world_size=\"2\" says; pass "
     "values that agree",
     {.rank = 0, .world_size = 2, .local_rank = 0, .local_world_size = 3}},
    // every node has a process
    {"",
     "Config::node_rank=\"4\": expected a number in [0, 4), as Config::world_size=\"4\" says; pass "
     "values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .node_rank = 4}},
    {"",
     "Config::node_rank=\"2\": expected a number in [0, 2), as Config::node_count=\"2\" says; pass "
     "values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .node_rank = 2, .node_count = 2}},
    {"",
     "Config::node_count=\"5\": expected at most 4, as Config::world_size=\"4\" says; pass values "
     "that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .node_count = 5}},
    {"",
     "Config::node_count=\"1\": expected more than 1, as Config::local_world_size=\"2\" of "
     "Config::world_size=\"4\" says; pass values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .local_world_size = 2, .node_count = 1}},
    {"",
     "Config::node_count=\"2\": expected 1, as Config::local_world_size=\"4\" of "
     "Config::world_size=\"4\" says; pass values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .local_world_size = 4, .node_count = 2}},
    {"",
     "Config::node_count=\"4\": expected at most 3, as Config::local_world_size=\"2\" of "
     "Config::world_size=\"4\" says; pass values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .local_world_size = 2, .node_count = 4}},
    {torchrun,
     "Config::local_rank=\"2\": expected a number in [0, 2), as LOCAL_WORLD_SIZE=\"2\" says; pass "
     "values that agree",
     {.local_rank = 2}},

    // missing values
    {"",
     "Config::rank is not set: expected the rank; pass Config::rank and ::local_rank",
     {.world_size = 2}},
    {"",
     "Config::world_size is not set: expected the world_size; pass Config::world_size and "
     "::local_rank",
     {.rank = 1}},
    {"",
     "Config::world_size is not set: expected the world_size; pass Config::world_size",
     {.rank = 0, .local_rank = 0, .node_count = 2, .distribution = block, .even_nodes = true}},
    {"",
     "Config::local_rank is not set: expected the local_rank; pass it, or Config::tasks_per_node "
     "and ::distribution, or ::one_process_per_node",
     {.rank = 1, .world_size = 2}},
    {"",
     "Config::rank is not set: expected the rank; pass Config::rank, ::world_size and ::local_rank",
     {.launcher = Launcher::config}},
    {torchrun,  // nothing is given that a record could contradict
     "Config::rank is not set: expected the rank; pass Config::rank, ::world_size and ::local_rank",
     {.launcher = Launcher::config}},
    {torchrun,  // the record of another process does not supply the world size
     "Config::world_size is not set: expected the world_size too: RANK is that of rank 3 of 4 "
     "(torchrun), another process; leave Config::rank unset, or pass Config::world_size and "
     "::local_rank",
     {.rank = 0}},

    // tasks_per_node and distribution
    {"",
     "Config::tasks_per_node=\"2(x\" at byte 3: expected a repeat count of at least 1; write "
     "counts "
     "such as 2(x3),1",
     {.rank = 0, .world_size = 4, .tasks_per_node = "2(x"}},
    {"",
     "Config::tasks_per_node=\"2,1\": expected counts that add up to Config::world_size=\"4\"; "
     "pass the number of processes on each node",
     {.rank = 0, .world_size = 4, .tasks_per_node = "2,1", .distribution = block}},
    {"",
     "Config::distribution is not set: expected how ranks are distributed over "
     "Config::tasks_per_node; pass Distribution::block or another one",
     {.rank = 0, .world_size = 4, .tasks_per_node = "2,2"}},
    {"",
     "distribution=\"arbitrary\": expected an order that follows from the counts; pass another "
     "Distribution, or the node of each rank",
     {.rank = 0,
      .world_size = 4,
      .tasks_per_node = "2,2",
      .distribution = Distribution::arbitrary}},
    {"",
     "Config::local_rank=\"0\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; pass values that agree",
     {.rank = 3, .world_size = 4, .local_rank = 0, .tasks_per_node = "2,2", .distribution = block}},
    {"",
     "Config::rank=\"4\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; pass values that agree",
     {.rank = 4, .tasks_per_node = "2,2", .distribution = block}},

    {"",
     "Config::node_count=\"3\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; pass values that agree",
     {.rank = 0, .world_size = 4, .node_count = 3, .tasks_per_node = "2,2", .distribution = block}},
    {"",
     "Config::local_world_size=\"3\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; pass values that agree",
     {.rank = 0,
      .world_size = 4,
      .local_world_size = 3,
      .tasks_per_node = "2,2",
      .distribution = block}},
    {"",
     "Config::rank is not set: expected the rank; pass Config::rank and ::local_rank",
     {.tasks_per_node = "1"}},

    // hosts
    {"",
     "Config::rank is not set: expected the rank; pass Config::rank, ::world_size and ::local_rank",
     {.hosts = "a"}},
    {"",
     "Config::hosts=\"n[1-\" at byte 4: expected ']' after the ranges; write a list such as "
     "node[01-12,15],login1",
     {.hosts = "n[1-"}},
    {"",
     "Config::hosts=\"\": expected at least the host of this process; pass the hosts in node "
     "order, or leave it unset",
     {.rank = 1, .world_size = 4, .local_rank = 1, .hosts = ""}},
    {"",
     "Config::hosts=\" , \": expected at least the host of this process; pass the hosts in node "
     "order, or leave it unset",
     {.rank = 1, .world_size = 4, .local_rank = 1, .hosts = " , "}},
    {"",
     "node_count=\"3\": expected at most 2, as Config::world_size=\"2\" says; it was derived (the "
     "number of Config::hosts): pass values that agree",
     {.rank = 0, .world_size = 2, .local_rank = 0, .hosts = "a,b,c"}},
    {"",
     "Config::hosts=\"a,b,c\": expected one host for each of 2 nodes; pass the hosts in node order",
     {.rank = 0, .world_size = 4, .local_rank = 0, .node_count = 2, .hosts = "a,b,c"}},

    // statements that contradict what is known
    {"",
     "Config::local_world_size is not set: expected the size of each node, since "
     "Config::even_nodes is set; set RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE; in the "
     "program, pass it or Config::node_count",
     {.rank = 0, .world_size = 4, .local_rank = 0, .even_nodes = true}},
    {"",
     "Config::local_world_size=\"3\": expected world_size 4 = node_count x local_world_size, as "
     "Config::even_nodes states; pass values that agree",
     {.rank = 0, .world_size = 4, .local_rank = 0, .local_world_size = 3, .even_nodes = true}},
    {"",
     "Config::world_size is not set: expected the world_size; pass Config::world_size and "
     "::local_rank",
     {.rank = 1, .even_nodes = true}},
    {"",
     "Config::node_count=\"2\": expected world_size 5 = node_count x local_world_size, as "
     "Config::even_nodes states; pass values that agree",
     {.rank = 1, .world_size = 5, .local_rank = 0, .node_count = 2, .even_nodes = true}},
    {"",
     "Config::local_world_size=\"2\": expected world_size 8 = node_count x local_world_size, as "
     "Config::even_nodes states; pass values that agree",
     {.rank = 1,
      .world_size = 8,
      .local_rank = 0,
      .local_world_size = 2,
      .node_count = 3,
      .even_nodes = true}},
    {"",
     "distribution=\"arbitrary\": expected an order that follows from the counts; pass another "
     "Distribution, or the node of each rank",
     {.rank = 1,
      .world_size = 4,
      .local_rank = 1,
      .node_count = 2,
      .distribution = Distribution::arbitrary,
      .even_nodes = true}},
    {open_mpi,
     "OMPI_COMM_WORLD_LOCAL_SIZE=\"2\": expected world_size 5 = node_count x local_world_size, as "
     "Config::even_nodes states; correct or unset it; in the program, leave Config::even_nodes "
     "unset",
     {.even_nodes = true}},
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=6|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
     "GROUP_WORLD_SIZE=3",
     "GROUP_RANK=\"1\": expected the value that follows from rank, world size and "
     "Config::even_nodes; correct or unset it; in the program, leave Config::even_nodes unset",
     {.even_nodes = true}},
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_NPROC_PER_NODE=4",
     "PET_NPROC_PER_NODE=\"4\": expected 1, as Config::one_process_per_node states; start the "
     "workers with torchrun, or correct it; in the program, leave Config::one_process_per_node "
     "unset",
     {.one_process_per_node = true}},

    {"PMI_RANK=1|PMI_SIZE=4|PMI_LOCAL_SIZE=2",
     "PMI_LOCAL_SIZE=\"2\": expected 1, as Config::one_process_per_node states; correct or unset "
     "it; in the program, leave Config::one_process_per_node unset",
     {.one_process_per_node = true}},
    {"",
     "Config::local_world_size=\"2\": expected 1, as Config::one_process_per_node states; pass "
     "values that agree",
     {.rank = 1, .world_size = 4, .local_world_size = 2, .one_process_per_node = true}},
    {torchrun,
     "LOCAL_WORLD_SIZE=\"2\": expected 1, as Config::one_process_per_node states; correct or unset "
     "it; in the program, leave Config::one_process_per_node unset",
     {.one_process_per_node = true}},
    {"RANK=1|WORLD_SIZE=4|LOCAL_RANK=1",
     "LOCAL_RANK=\"1\": expected 0, as Config::one_process_per_node states; correct or unset it; "
     "in the program, leave Config::one_process_per_node unset",
     {.one_process_per_node = true}},
    {"",
     "node_count=\"3\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; it was derived (Config::one_process_per_node): pass values that "
     "agree",
     {.rank = 0,
      .world_size = 3,
      .tasks_per_node = "2,1",
      .distribution = block,
      .one_process_per_node = true}},

    // Config::launcher
    {"PMI_RANK=-1",
     "PMI_RANK=\"-1\": expected a task of pmi (a negative number: not distributed); start the "
     "process with that launcher, or unset RANKMAP_LAUNCHER; in the program, leave "
     "Config::launcher unset",
     {.launcher = Launcher::pmi}},
    {"AZUREML_CR_NODE_RANK=1x",
     "AZUREML_NODE_COUNT is not set: expected a world_size, since AZUREML_CR_NODE_RANK=\"1x\" is "
     "set (azure); set it, or set RANKMAP_IGNORE=azure; in the program, pass Config::world_size "
     "and ::local_rank",
     {.rank = 3}},
    {torchrun,
     "SLURM_PROCID is not set: expected the variables of slurm, as Config::launcher says; start "
     "the process with that launcher; in the program, leave Config::launcher unset",
     {.launcher = Launcher::slurm}},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|"
     "SLURM_TASK_PID=4711",
     "SLURM_PROCID=\"0\": expected a task of slurm (a batch script is one process); start the "
     "process with that launcher, or unset RANKMAP_LAUNCHER; in the program, leave "
     "Config::launcher unset",
     {.launcher = Launcher::slurm}},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=2|"
     "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n[1-2]|SLURM_SUBMIT_HOST=n2",
     "SLURM_SUBMIT_HOST=\"n2\": expected a task of slurm (a batch script is one process); start "
     "the process with that launcher, or unset RANKMAP_LAUNCHER; in the program, leave "
     "Config::launcher unset",
     {.launcher = Launcher::slurm}},

    // Config::require_launcher
    {"",
     "Config::require_launcher=\"true\": expected the variables of a known launcher, and none is "
     "set" START_IT,
     {.require_launcher = true}},
    {"SLURM_JOB_ID=7|SLURM_NTASKS=6",
     "Config::require_launcher=\"true\": expected the variables of a known launcher, and none is "
     "set" START_IT,
     {.require_launcher = true}},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|SLURM_TASK_"
     "PID=7|SLURM_NTASKS=6",
     "SLURM_PROCID=\"0\": expected a process that a launcher started (Config::require_launcher), "
     "and not slurm: a batch script is one process" START_IT,
     {.require_launcher = true}},
    {"RANK=0|LOCAL_RANK=0|SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_"
     "NODENAME=n1|SLURM_TASK_PID=7|PYTORCH_VERSION=2.4",
     "SLURM_PROCID=\"0\": expected a process that a launcher started (Config::require_launcher), "
     "and not slurm: a batch script is one process" START_IT,
     {.require_launcher = true}},
    {"PET_NODE_RANK=0|PET_NNODES=1",
     "PET_NODE_RANK=\"0\": expected a process that a launcher started "
     "(Config::require_launcher), and not kubeflow: node level" START_IT,
     {.require_launcher = true}},
    {"PBS_VNODENUM=0|PBS_NP=8",
     "PBS_TASKNUM is not set: expected a process that a launcher started "
     "(Config::require_launcher), and not pbs: a job script is one process" START_IT,
     {.require_launcher = true}},
    {"SLURM_NODEID=1|FOO_RANK=3|BAR_RANK=2",
     "BAR_RANK=\"2\": expected the variables of a known launcher (Config::require_launcher), and "
     "not only this one, FOO_RANK, SLURM_NODEID" START_IT,
     {.strict = true, .require_launcher = true}},
    {"A_NAME_OF_A_LAUNCHER_THAT_IS_NOT_SHORT_RANK=0|B_NAME_OF_A_LAUNCHER_THAT_IS_NOT_SHORT_RANK=0|"
     "C_NAME_OF_A_LAUNCHER_THAT_IS_NOT_SHORT_RANK=0",
     "A_NAME_OF_A_LAUNCHER_THAT_IS_NOT_SHORT_RANK=\"0\": expected the variables of a known "
     "launcher (Config::require_launcher), and not only this one, "
     "B_NAME_OF_A_LAUNCHER_THAT_IS_NOT_SHORT_RANK" START_IT,
     {.require_launcher = true}},
    {"RAY_RAYLET_PID=7",
     "RAY_RAYLET_PID=\"7\": expected the variables of a known launcher "
     "(Config::require_launcher), and not only this one" START_IT,
     {.require_launcher = true}},
    {"MASTER_ADDR=a|MASTER_PORT=x",  // a warning, and no trace
     "Config::require_launcher=\"true\": expected the variables of a known launcher, and none is "
     "set" START_IT,
     {.require_launcher = true}},
    {"LOCAL_RANK=-2",
     "LOCAL_RANK=\"-2\": expected the local rank of a process that a launcher started "
     "(Config::require_launcher)" START_IT,
     {.require_launcher = true}},
    {"",
     "Config::local_rank=\"-1\": expected the local rank of a process that a launcher started "
     "(Config::require_launcher)" START_IT,
     {.local_rank = -1, .require_launcher = true}},
    {torchrun,
     "Config::launcher=\"none\": expected a launcher (Config::require_launcher); leave it unset",
     {.launcher = Launcher::none, .require_launcher = true}},
    {"RANKMAP_LAUNCHER=none",
     "RANKMAP_LAUNCHER=\"none\": expected a launcher (Config::require_launcher); unset it, and "
     "start the process with a launcher",
     {.require_launcher = true}},

    // Config::strict
    {"TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
     "GROUP_WORLD_SIZE=2|PET_NODE_RANK=1|PET_NNODES=3",
     "PET_NODE_RANK=\"1\": expected rank 3 of 4, as RANK says (torchrun, not kubeflow); set "
     "RANKMAP_LAUNCHER to the right one, or unset the variables of the other; in the program, "
     "set Config::launcher",
     {.strict = true}},
    {"TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=x|"
     "GROUP_WORLD_SIZE=2",
     "GROUP_RANK=\"x\": expected a decimal number below 2147483648; correct or unset it",
     {.strict = true}},
    {"OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|OMPI_COMM_WORLD_LOCAL_RANK=1|"
     "OMPI_COMM_WORLD_LOCAL_SIZE=2|OMPI_MCA_orte_num_nodes=0",
     "OMPI_MCA_orte_num_nodes=\"0\": expected a number, at least 1; correct or unset it",
     {.strict = true}},
};

static_assert(rankmap_test::cases_hold<errors>);

TEST(Config, contradictions_and_gaps_are_errors) {
  for (const Case& c : errors) EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected);
}

// ---- given values override others, and are reported as given

TEST(Config, numbers_override_the_environment) {
  struct Given {
    TopologyField field;
    Config config;
    std::string_view member;
    int number;
  };
  // With another rank or world size, the record is that of another process.
  const Given rows[] = {
      {TopologyField::rank, {.rank = 2, .world_size = 8, .local_rank = 0}, "Config::rank", 2},
      {TopologyField::world_size,
       {.rank = 2, .world_size = 8, .local_rank = 0},
       "Config::world_size",
       8},
      {TopologyField::local_rank, {.local_rank = 0}, "Config::local_rank", 0},
      {TopologyField::local_world_size, {.local_world_size = 3}, "Config::local_world_size", 3},
      {TopologyField::node_rank, {.node_rank = 0}, "Config::node_rank", 0},
      {TopologyField::node_count, {.node_count = 3}, "Config::node_count", 3},
  };
  for (const Given& row : rows) {
    const auto topology =
        Topology::from_environment(RecordedEnvironment(torchrun, '|'), row.config);
    ASSERT_TRUE(topology) << message(topology.error()).view();
    const std::optional<int> numbers[] = {topology->rank(),       topology->world_size(),
                                          topology->local_rank(), topology->local_world_size(),
                                          topology->node_rank(),  topology->node_count()};
    EXPECT_EQ(numbers[static_cast<std::size_t>(row.field)], row.number) << row.member;
    EXPECT_EQ(topology->origin(row.field),
              (Origin{OriginKind::given, Launcher::config, row.member, {}}))
        << row.member;
  }
}

TEST(Config, sizes_override_a_size_of_zero) {
  const RecordedEnvironment env(
      "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=0", '|');
  EXPECT_EQ(Topology::from_environment(env).error().subject, "LOCAL_WORLD_SIZE");
  const auto topology = Topology::from_environment(env, {.local_world_size = 2});
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(topology->local_world_size(), 2);
  // Rank 0 is a number like any other, and contradicts this record.
  const RecordedEnvironment whole(
      "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2", '|');
  const auto other =
      Topology::from_environment(whole, {.rank = 1, .world_size = 4, .local_rank = 1});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->launcher(), Launcher::config);
}

TEST(Config, a_different_rank_discards_the_record) {
  const auto topology = Topology::from_environment(RecordedEnvironment(torchrun, '|'),
                                                   {.rank = 2, .world_size = 8, .local_rank = 0});
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->launcher(), Launcher::config);
  EXPECT_EQ(topology->local_world_size(), std::nullopt);
  EXPECT_EQ(topology->job_id(), "");
  ASSERT_EQ(topology->other_records().size(), 1U);
  EXPECT_EQ(topology->other_records()[0].relation, rankmap::Relation::conflict);
}

TEST(Config, hosts_and_tasks_per_node_define_the_layout) {
  constexpr Config config{.rank = 3,
                          .world_size = 4,
                          .hosts = "n[1-2]",
                          .tasks_per_node = "1,3",
                          .distribution = Distribution::cyclic};
  const auto topology = Topology::from_config(config);
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(rankmap_test::summary(topology).view(), "config 3/4 local 2/3 node 1/2");
  EXPECT_EQ(topology->origin(TopologyField::hosts),
            (Origin{OriginKind::given, Launcher::config, "Config::hosts", {}}));
  EXPECT_EQ(topology->origin(TopologyField::layout),
            (Origin{OriginKind::given, Launcher::config, "Config::tasks_per_node", {}}));
  EXPECT_EQ(topology->origin(TopologyField::local_rank).kind, OriginKind::derived);
  EXPECT_EQ(topology->origin(TopologyField::local_rank).source, "Config::tasks_per_node");
  ASSERT_TRUE(topology->host_of(0));
  EXPECT_EQ(topology->host_of(0)->view(), "n1");
  EXPECT_EQ(topology->host_of(1)->view(), "n2");
}

TEST(Config, even_nodes_fills_in_the_layout) {
  const auto without = Topology::from_environment(RecordedEnvironment(
      "OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|OMPI_COMM_WORLD_LOCAL_RANK=1|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=2",
      '|'));
  ASSERT_TRUE(without);
  EXPECT_EQ(without->node_count(), std::nullopt);
  const auto with = Topology::from_environment(
      RecordedEnvironment("OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|"
                          "OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=2",
                          '|'),
      {.even_nodes = true});
  ASSERT_TRUE(with);
  EXPECT_EQ(with->node_count(), 3);
  EXPECT_EQ(with->origin(TopologyField::node_count).source,
            "Config::even_nodes: world_size = node_count x local_world_size");
  EXPECT_EQ(with->node_rank(), std::nullopt) << "mpirun may deal ranks round the nodes";
}

TEST(Config, alone_has_no_restart_count) {
  EXPECT_EQ(Topology::from_config({.local_rank = -1})->restart_count(), 0);
}

TEST(Config, one_process_per_node_turns_a_node_into_a_rank) {
  const auto topology = Topology::from_environment(RecordedEnvironment("RANK=1|WORLD_SIZE=3", '|'),
                                                   {.one_process_per_node = true});
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(rankmap_test::summary(topology).view(), "torch_env 1/3 local 0/1 node 1/3");
  EXPECT_EQ(topology->origin(TopologyField::rank).source, "RANK");
  for (const TopologyField field : {TopologyField::local_rank, TopologyField::local_world_size}) {
    EXPECT_EQ(topology->origin(field),
              (Origin{OriginKind::given, Launcher::config, "Config::one_process_per_node", {}}));
  }
}

TEST(Config, launcher_and_exclude_select_the_record) {
  const std::string_view both =
      "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
      "GROUP_WORLD_SIZE=2|OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|"
      "OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_LOCAL_SIZE=1";
  const RecordedEnvironment environment(both, '|');
  const auto summary = [&](const Config& config) {
    return rankmap_test::summary(Topology::from_environment(environment, config));
  };
  EXPECT_EQ(summary({}).view(), "torchrun 3/4 local 1/2 node 1/2; open_mpi nested");
  EXPECT_EQ(summary({.launcher = Launcher::open_mpi}).view(),
            "open_mpi 1/2 local 0/1 node ?/?; torchrun conflict");
  const Launcher excluded[] = {Launcher::torchrun, Launcher::torch_env};
  EXPECT_EQ(summary({.exclude = excluded}).view(), "open_mpi 1/2 local 0/1 node ?/?");
  EXPECT_EQ(summary({.exclude = {Launcher::torchrun, Launcher::torch_env}}).view(),
            "open_mpi 1/2 local 0/1 node ?/?");
  const Launcher all[] = {Launcher::torchrun, Launcher::torch_env, Launcher::open_mpi};
  EXPECT_EQ(summary({.exclude = all}).view(), "none 0/1 local 0/1 node 0/1");
}

TEST(Config, require_launcher_accepts_a_started_process) {
  constexpr Case started[] = {
      {torchrun, "torchrun 3/4 local 1/2 node 1/2", {.require_launcher = true}},
      {"RANK=0|WORLD_SIZE=1|LOCAL_RANK=0",
       "torch_env 0/1 local 0/1 node 0/1",
       {.require_launcher = true}},
      {"JOB_COMPLETION_INDEX=1|JAX_NUM_PROCESSES=2|JAX_PROCESS_ID=1",
       "jax 1/2 local 0/1 node 1/2; kubernetes nested",
       {.one_process_per_node = true, .require_launcher = true}},
      {"", "config 0/1 local 0/1 node 0/1", {.rank = 0, .world_size = 1, .require_launcher = true}},
      {"FOO_RANK=3",
       "config 0/1 local 0/1 node 0/1",
       {.world_size = 1, .launcher = Launcher::none, .require_launcher = true}},
  };
  for (const Case& c : started) EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected);
}

TEST(Config, strict_sees_conflicts_that_the_list_dropped) {
  const std::string_view twelve =
      "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
      "GROUP_WORLD_SIZE=2|HOROVOD_RANK=3|HOROVOD_SIZE=4|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|"
      "PADDLE_TRAINER_ID=3|PADDLE_TRAINERS_NUM=4|PADDLE_RANK_IN_NODE=1|RANK_ID=3|RANK_SIZE=4|"
      "DEVICE_ID=1|OMPI_COMM_WORLD_RANK=3|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=1|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=2|MV2_COMM_WORLD_RANK=3|MV2_COMM_WORLD_SIZE=4|"
      "MV2_COMM_WORLD_LOCAL_RANK=1|MV2_COMM_WORLD_LOCAL_SIZE=2|FLUX_TASK_RANK=3|FLUX_JOB_SIZE=4|"
      "FLUX_TASK_LOCAL_ID=1|ALPS_APP_PE=3|PMIX_RANK=3|PMIX_NAMESPACE=x|PET_NODE_RANK=1|"
      "PET_NNODES=2|TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|AZUREML_CR_NODE_RANK=1|"
      "AZUREML_NODE_COUNT=2|AWS_BATCH_JOB_NODE_INDEX=1|AWS_BATCH_JOB_NUM_NODES=2|";
  for (const auto& [nodes, holds] : {std::pair{"2", true}, std::pair{"3", false}}) {
    const std::string text =
        std::string(twelve) + "SKYPILOT_NODE_RANK=1|SKYPILOT_NUM_NODES=" + nodes;
    Ancestors above;
    above.add({"pt_elastic"});  // torchrun's numbers of nodes are those of the inner launch
    const WithAncestors environment(RecordedEnvironment(text, '|'), above);
    EXPECT_EQ(Topology::from_environment(environment)->other_records().size(), 12U);
    const auto strict = Topology::from_environment(environment, {.strict = true});
    EXPECT_EQ(strict.has_value(), holds);
    if (strict) continue;
    EXPECT_EQ(message(strict.error()).view(),
              "SKYPILOT_NODE_RANK=\"1\": expected rank 3 of 4, as RANK says (torchrun, not "
              "skypilot); set "
              "RANKMAP_LAUNCHER to the right one, or unset the variables of the other; in the "
              "program, set Config::launcher");
  }
}

TEST(Config, strict_accepts_a_sound_environment) {
  const RecordedEnvironment environment(torchrun, '|');
  EXPECT_EQ(rankmap_test::summary(Topology::from_environment(environment, {.strict = true})).view(),
            rankmap_test::summary(Topology::from_environment(environment)).view());
}

// A LOCAL_WORLD_SIZE that was there before WORLD_SIZE is another launch's. The caller's is not.
TEST(Config, keeps_the_local_size_of_the_caller_beside_an_inherited_one) {
  Ancestors above;
  above.add(
      {"python3", RecordedEnvironment("RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2", '|')});
  const WithAncestors environment(
      RecordedEnvironment("RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2", '|'), above);
  EXPECT_EQ(Topology::from_environment(environment)->local_world_size(), std::nullopt);
  const auto given = Topology::from_environment(environment, {.local_world_size = 2});
  ASSERT_TRUE(given) << message(given.error());
  EXPECT_EQ(given->local_world_size(), 2);
}

}  // namespace
