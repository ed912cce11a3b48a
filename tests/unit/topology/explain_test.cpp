// SPDX-License-Identifier: MIT
//
// The whole table that explain() prints.
#include "support/files.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Config;
using rankmap::Explanation;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::recording;

std::string explained(std::string_view environment, char separator = '\n',
                      const Config& config = {}) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment(environment, separator), config);
  if (!topology) return std::string(message(topology.error()).view());
  return std::string(explain(*topology).view());
}

TEST(Explain, shows_a_torchrun_worker_inside_srun) {
  EXPECT_EQ(explained(recording("slurm-torchrun", 3)),
            R"(launcher          torchrun
rank              3               RANK="3"
world_size        4               WORLD_SIZE="4"
local_rank        1               LOCAL_RANK="1"
local_world_size  2               LOCAL_WORLD_SIZE="2"
node_rank         1               GROUP_RANK="1"
node_count        2               GROUP_WORLD_SIZE="2"
host              node02          SLURMD_NODENAME="node02" (slurm)
hosts             unknown         not set by this launcher; gather_hosts() fills it in
layout            all ranks known derived: two nodes: mine and the rest
rendezvous        node01:45501    MASTER_ADDR="node01"
job_id            j1              TORCHELASTIC_RUN_ID="j1"
restart_count     0               TORCHELASTIC_RESTART_COUNT="0"
believed          torchrun, whose agents were started by slurm
also found        slurm, complete, nested: rank 1 of 2 (SLURM_PROCID)
)");
}

TEST(Explain, shows_an_mpirun_worker_inside_a_slurm_batch_script) {
  EXPECT_EQ(explained(recording("slurm-sbatch-ompi", 3)),
            R"(launcher          open_mpi
rank              3               OMPI_COMM_WORLD_RANK="3"
world_size        6               OMPI_COMM_WORLD_SIZE="6"
local_rank        1               OMPI_COMM_WORLD_LOCAL_RANK="1"
local_world_size  2               OMPI_COMM_WORLD_LOCAL_SIZE="2"
node_rank         unknown         not set by this launcher; gather_hosts() fills it in
node_count        3               OMPI_MCA_orte_num_nodes="3"
host              node01          PMIX_HOSTNAME="node01"
hosts             unknown         not set by this launcher; gather_hosts() fills it in
layout            unknown         not set by this launcher; gather_hosts() fills it in
rendezvous        unknown         MASTER_ADDR is not set; derive_rendezvous() computes one
job_id            3293184001      PMIX_NAMESPACE="3293184001"
restart_count     unknown         not set by this launcher
believed          open_mpi, whose agents were started by slurm
also found        slurm, complete, nested: rank 0 of 2 (SLURM_PROCID)
also found        pmix, incomplete, same: rank 3 (PMIX_RANK)
)");
}

TEST(Explain, shows_a_single_process) {
  EXPECT_EQ(explained(recording("none", 0)),
            R"(launcher          none
rank              0               derived: no launcher: a single process
world_size        1               derived: no launcher: a single process
local_rank        0               derived: a world of one process
local_world_size  1               derived: a world of one process
node_rank         0               derived: one node: local_world_size = world_size
node_count        1               derived: one node: local_world_size = world_size
host              unknown         not set by this launcher; gather_hosts() fills it in
hosts             unknown         not set by this launcher; gather_hosts() fills it in
layout            all ranks known derived: one node
rendezvous        unknown         MASTER_ADDR is not set; derive_rendezvous() computes one
job_id            unknown         not set by this launcher
restart_count     unknown         not set by this launcher
)");
}

TEST(Explain, shows_given_and_derived_values) {
  EXPECT_EQ(explained("", '\n',
                      {.rank = 3,
                       .world_size = 4,
                       .hosts = "n[1-2]",
                       .tasks_per_node = "2(x2)",
                       .distribution = rankmap::Distribution::block}),
            R"(launcher          config
rank              3               given: Config::rank
world_size        4               given: Config::world_size
local_rank        1               derived: Config::tasks_per_node
local_world_size  2               derived: Config::tasks_per_node
node_rank         1               derived: Config::tasks_per_node
node_count        2               derived: the number of Config::hosts
host              n2              derived: the host of this rank's node in hosts
hosts             2 hosts         given: Config::hosts
layout            all ranks known given: Config::tasks_per_node
rendezvous        unknown         MASTER_ADDR is not set; derive_rendezvous() computes one
job_id            unknown         not set by this launcher
restart_count     unknown         not set by this launcher
)");
}

constexpr std::string_view worker =
    "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2";

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(Explain, has_a_line_for_each_warning) {
  EXPECT_EQ(last_line(explained(std::string(worker) + "|TORCHELASTIC_RESTART_COUNT=many", '|')),
            "warning           TORCHELASTIC_RESTART_COUNT=\"many\": expected a decimal number\n");
  // Of a number of the caller, too.
  EXPECT_EQ(last_line(explained("TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|"
                                "LOCAL_WORLD_SIZE=2|GROUP_RANK=1|GROUP_WORLD_SIZE=2",
                                '|', {.node_rank = 0})),
            "warning           Config::node_rank: expected a number that agrees with rank and "
            "sizes: no layout "
            "follows from these\n");
}

TEST(Explain, says_why_a_value_is_not_known) {
  struct Row {
    std::string_view more;
    std::string_view line;
  };
  const Row rows[] = {
      {"",
       "rendezvous        unknown         MASTER_ADDR is not set; derive_rendezvous() computes "
       "one\n"},
      {"|MASTER_ADDR=n1|MASTER_PORT=abc",
       "rendezvous        unknown         MASTER_PORT=\"abc\" cannot be used\n"},
      {"|MASTER_ADDR=a b|MASTER_PORT=1",
       "rendezvous        unknown         MASTER_ADDR=\"a b\" cannot be used\n"},
      {"|TORCHELASTIC_RESTART_COUNT=x",
       "restart_count     unknown         TORCHELASTIC_RESTART_COUNT=\"x\" cannot be used\n"},
      {"", "restart_count     unknown         not set by this launcher\n"},
      {"|GROUP_RANK=5|GROUP_WORLD_SIZE=2",
       "node_rank         unknown         GROUP_RANK=\"5\" cannot be used\n"
       "node_count        unknown         GROUP_WORLD_SIZE=\"2\" cannot be used\n"},
      {"|GROUP_RANK=x|GROUP_WORLD_SIZE=3",
       "node_rank         unknown         GROUP_RANK=\"x\" cannot be used\n"
       "node_count        3               GROUP_WORLD_SIZE=\"3\"\n"},
      {"",
       "node_rank         unknown         not set by this launcher; gather_hosts() fills it in\n"},
  };
  for (const Row& row : rows) {
    const std::string text = explained(
        std::string("TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=6|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2")
            .append(row.more),
        '|');
    EXPECT_NE(text.find(row.line), std::string::npos) << row.more << '\n' << text;
  }
  const std::string given =
      explained("MASTER_ADDR=a b", '|', {.rank = 0, .world_size = 2, .local_rank = 0});
  EXPECT_NE(given.find("rendezvous        unknown         MASTER_ADDR=\"a b\" cannot be used\n"),
            std::string::npos)
      << given;
}

TEST(Explain, says_why_another_record_was_not_chosen) {
  EXPECT_EQ(last_line(explained(
                "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|"
                "SLURM_TASK_PID=4711",
                '|')),
            "also found        slurm, no task, stale: rank 0 (SLURM_PROCID); a batch script is one "
            "process\n");
  EXPECT_EQ(last_line(explained(std::string(worker) + "|PET_NODE_RANK=0|PET_NNODES=1", '|')),
            "also found        kubeflow, node level, nested: node 0 of 1 (PET_NODE_RANK)\n");
  EXPECT_EQ(last_line(explained(std::string(worker) + "|JOB_COMPLETION_INDEX=5", '|')),
            "also found        kubernetes, node level, nested: node 5 (JOB_COMPLETION_INDEX)\n");
  EXPECT_EQ(last_line(explained(std::string(worker) + "|OMPI_COMM_WORLD_RANK=x", '|')),
            "also found        open_mpi, broken, conflict: OMPI_COMM_WORLD_RANK\n");
}

TEST(Explain, names_no_launcher_for_a_bare_master_addr) {
  const std::string text =
      explained("MASTER_ADDR=a", '|', {.rank = 0, .world_size = 2, .local_rank = 0});
  EXPECT_NE(text.find("rendezvous        a               MASTER_ADDR=\"a\"\n"), std::string::npos)
      << text;
}

TEST(Explain, shows_a_rendezvous_with_and_without_port) {
  const auto line = [](std::string_view variables) {
    const std::string text = explained(std::string(worker) + "|" + std::string(variables), '|');
    const std::size_t at = text.find("rendezvous");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(line("MASTER_ADDR=a|MASTER_PORT=29500"),
            "rendezvous        a:29500         MASTER_ADDR=\"a\"");
  EXPECT_EQ(line("MASTER_ADDR=a"), "rendezvous        a               MASTER_ADDR=\"a\"");
  EXPECT_EQ(line("MASTER_ADDR=fe80::1|MASTER_PORT=1"),
            "rendezvous        [fe80::1]:1     MASTER_ADDR=\"fe80::1\"");
}

/// Variables that must not appear in a log.
TEST(Explain, never_shows_a_secret) {
  constexpr std::string_view secrets =
      "PMI_SHARED_SECRET=hush|PBS_JOBCOOKIE=hush|PMIX_SERVER_URI2=tcp4://hush:1|"
      "OMPI_MCA_orte_hnp_uri=1.0;tcp://hush:2|OMPI_MCA_orte_precondition_transports=hush|"
      "AWS_SECRET_ACCESS_KEY=hush|WANDB_API_KEY=hush|HF_TOKEN=hush|SLURM_JWT=hush|"
      "SLURM_WORKING_CLUSTER=hush|MUNGE_SOCKET=hush|PALS_APINFO=hush|PMI_FD=hush|PWD=/hush";
  constexpr std::string_view records[] = {
      worker,
      "",
      "PMI_RANK=0|PMI_SIZE=2|PMI_LOCAL_RANK=0|PMI_LOCAL_SIZE=2",
      "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=2|PMIX_RANK=0|PMIX_NAMESPACE=7",
      "PALS_RANKID=0|PMI_SIZE=2|PALS_LOCAL_RANKID=0|PALS_LOCAL_SIZE=2",
      "RANK=abc|WORLD_SIZE=2|LOCAL_RANK=0",
  };
  for (const std::string_view record : records) {
    const std::string text = explained(std::string(record) + "|" + std::string(secrets), '|');
    EXPECT_EQ(text.find("hush"), std::string::npos) << text;
  }
}

TEST(Explain, escapes_bytes_that_control_a_terminal) {
  std::string bytes;
  for (int byte = 1; byte != 256; ++byte) {
    if (byte != '|') bytes += static_cast<char>(byte);
  }
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    const std::string piece = bytes.substr(i, 7);
    const std::string text =
        explained("TORCHELASTIC_RUN_ID=" + piece + "|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|" +
                      "LOCAL_WORLD_SIZE=2|MASTER_ADDR=" + piece + "|MASTER_PORT=" + piece +
                      "|TORCHELASTIC_RESTART_COUNT=" + piece + "|GROUP_RANK=" + piece +
                      "|SLURMD_NODENAME=" + piece + "|PMIX_HOSTNAME=" + piece +
                      "|PMIX_NAMESPACE=" + piece + "|PMIX_RANK=" + piece,
                  '|');
    for (const char c : text) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
    EXPECT_EQ(text.find("\n\n"), std::string::npos);
  }
  EXPECT_NE(explained("TORCHELASTIC_RUN_ID=\x1b[2J|RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|"
                      "LOCAL_WORLD_SIZE=1",
                      '|')
                .find("job_id            \\x1b[2J         TORCHELASTIC_RUN_ID=\"\\x1b[2J\"\n"),
            std::string::npos);
}

TEST(Explain, has_room_for_the_longest_texts) {
  const std::string longest(255, '\x01');
  const std::string text = explained("TORCHELASTIC_RUN_ID=" + longest +
                                         "|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|" +
                                         "MASTER_ADDR=" + longest + "|MASTER_PORT=1",
                                     '|');
  EXPECT_NE(text.find("restart_count"), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

/// explain() is a constant expression too.
constexpr bool begins_with_the_launcher() {
  const auto topology = Topology::from_config({.rank = 0, .world_size = 1});
  return explain(*topology).view().substr(0, 24) == "launcher          config";
}
static_assert(begins_with_the_launcher());

}  // namespace
