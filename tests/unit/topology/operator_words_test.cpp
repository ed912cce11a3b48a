// SPDX-License-Identifier: MIT
//
// The words of whoever runs the job: what they change, what is refused, and where they are shown.
#include "support/summary.hpp"
#include "support/variable.hpp"

#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using rankmap::Launcher;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::Case;
using rankmap_test::set_variable;
using rankmap_test::unset_variable;

#define TORCHRUN_3_OF_4                                                                     \
  "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|" \
  "GROUP_WORLD_SIZE=2"
#define OMPI_1_OF_2                                                             \
  "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|" \
  "OMPI_COMM_WORLD_LOCAL_SIZE=1"
#define BOTH TORCHRUN_3_OF_4 "|" OMPI_1_OF_2
#define COMPOSER_5_OF_8                                                                           \
  "RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1|MASTER_ADDR=n1|MASTER_PORT=1|" \
  "PYTHONUNBUFFERED=1|TORCH_NCCL_ASYNC_ERROR_HANDLING=1"
#define BAD_RESTARTS TORCHRUN_3_OF_4 "|TORCHELASTIC_RESTART_COUNT=many"

constexpr Launcher torchrun[] = {Launcher::torchrun};
constexpr Launcher open_mpi[] = {Launcher::open_mpi};

constexpr Case cases[] = {
    // Without a word, and with empty ones.
    {BOTH, "torchrun 3/4 local 1/2 node 1/2; open_mpi nested"},
    {BOTH "|RANKMAP_LAUNCHER=|RANKMAP_IGNORE=|RANKMAP_STRICT=",
     "torchrun 3/4 local 1/2 node 1/2; open_mpi nested"},

    // RANKMAP_LAUNCHER
    {BOTH "|RANKMAP_LAUNCHER=open mpi", "open_mpi 1/2 local 0/1 node ?/?; torchrun conflict"},
    {BOTH "|RANKMAP_LAUNCHER= Open-MPI ", "open_mpi 1/2 local 0/1 node ?/?; torchrun conflict"},
    {BOTH "|RANKMAP_LAUNCHER=torchrun", "torchrun 3/4 local 1/2 node 1/2; open_mpi nested"},
    {BOTH "|RANKMAP_LAUNCHER=none",
     "none 0/1 local 0/1 node 0/1; torchrun conflict; open_mpi conflict"},
    {BOTH "|RANKMAP_LAUNCHER=config",
     "config 5/6 local 0/? node ?/?; torchrun conflict; open_mpi conflict",
     {.rank = 5, .world_size = 6, .local_rank = 0}},
    // The numbers of the caller still count more than a record.
    {BOTH "|RANKMAP_LAUNCHER=open_mpi",
     "open_mpi 1/2 local 0/1 node 1/?; torchrun conflict",
     {.node_rank = 1}},
    {BOTH "|RANKMAP_LAUNCHER=openmpi",
     "RANKMAP_LAUNCHER=\"openmpi\": expected the name of a launcher (here torchrun, open_mpi) or "
     "none; correct or unset it (all names: docs/launchers.md)"},
    {"RANKMAP_LAUNCHER=slrum",
     "RANKMAP_LAUNCHER=\"slrum\": expected the name of a launcher (torchrun, torch_env, open_mpi, "
     "hydra, slurm, ...) or none; correct or unset it (all names: docs/launchers.md)"},
    // As many as the message has room for.
    {"HOROVOD_RANK=0|DSTACK_NODE_RANK=0|MLX_RANK=0|OMPI_COMM_WORLD_RANK=0|MV2_COMM_WORLD_RANK=0|"
     "FLUX_TASK_RANK=0|"
     "PALS_RANKID=0|LSF_PM_TASKID=1|TPU_WORKER_ID=0|AZUREML_CR_NODE_RANK=0|SKYPILOT_NODE_RANK=0|"
     "JOB_COMPLETION_INDEX=0|RANKMAP_LAUNCHER=slrum",
     "RANKMAP_LAUNCHER=\"slrum\": expected the name of a launcher (here horovod, mlx, open_mpi, "
     "mvapich2, flux, pals, lsf, tpu, azure, skypilot, dstack) or none; correct or unset it (all "
     "names: "
     "docs/launchers.md)"},
    {BOTH "|RANKMAP_LAUNCHER=slurm",
     "RANKMAP_LAUNCHER=\"slurm\": expected a launcher that left its variables (here torchrun, "
     "open_mpi); start the process with it, or correct or unset RANKMAP_LAUNCHER"},
    {"RANKMAP_LAUNCHER=srun",
     "RANKMAP_LAUNCHER=\"srun\": expected a launcher that left its variables, and none did; start "
     "the process with it, or correct or unset RANKMAP_LAUNCHER"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|SLURM_TASK_"
     "PID=7|SLURM_NTASKS=6|RANKMAP_LAUNCHER=srun",
     "SLURM_PROCID=\"0\": expected a task of slurm (a batch script is one process); start the "
     "process with that launcher, or unset RANKMAP_LAUNCHER; in the program, leave "
     "Config::launcher unset"},

    // Of those who may have set RANK, the one that is named has set it ...
    {COMPOSER_5_OF_8, "composer 5/8 local 1/4 node 1/?"},
    {COMPOSER_5_OF_8 "|RANKMAP_LAUNCHER=torch_env", "torch_env 5/8 local 1/4 node 1/?"},
    {COMPOSER_5_OF_8, "torch_env 5/8 local 1/4 node 1/?", {.launcher = Launcher::torch_env}},
    // ... and DeepSpeed has set none where LOCAL_WORLD_SIZE is.
    {COMPOSER_5_OF_8 "|LOCAL_SIZE=2|CROSS_RANK=2|CROSS_SIZE=4", "composer 5/8 local 1/4 node 1/?"},
    {COMPOSER_5_OF_8 "|LOCAL_SIZE=2|CROSS_RANK=2|CROSS_SIZE=4|RANKMAP_LAUNCHER=composer",
     "composer 5/8 local 1/4 node 1/?"},
    {COMPOSER_5_OF_8 "|RANKMAP_LAUNCHER=composer", "composer 5/8 local 1/4 node 1/?"},
    {TORCHRUN_3_OF_4 "|RANKMAP_LAUNCHER=torch_env", "torch_env 3/4 local 1/2 node ?/?"},
    // ... unless it always sets more.
    {COMPOSER_5_OF_8 "|RANKMAP_LAUNCHER=deepspeed",
     "RANKMAP_LAUNCHER=\"deepspeed\": expected a launcher that left its variables (here "
     "composer); start the process with it, or correct or unset RANKMAP_LAUNCHER"},

    // ... and Config::launcher
    {BOTH "|RANKMAP_LAUNCHER=open-mpi",
     "open_mpi 1/2 local 0/1 node ?/?; torchrun conflict",
     {.launcher = Launcher::open_mpi}},
    {BOTH "|RANKMAP_LAUNCHER=open-mpi",
     "RANKMAP_LAUNCHER=\"open-mpi\": expected torchrun, as Config::launcher says; unset it; in the "
     "program, leave Config::launcher unset",
     {.launcher = Launcher::torchrun}},
    {BOTH "|RANKMAP_LAUNCHER=none",
     "RANKMAP_LAUNCHER=\"none\": expected config, as Config::launcher says; unset it; in the "
     "program, leave Config::launcher unset",
     {.launcher = Launcher::config}},
    {BOTH "|RANKMAP_LAUNCHER=open-mpi",
     "RANKMAP_LAUNCHER=\"open-mpi\": expected a launcher that is not in Config::exclude; unset it; "
     "in the program, take the launcher out of Config::exclude",
     {.exclude = open_mpi}},

    // RANKMAP_IGNORE
    {BOTH "|RANKMAP_IGNORE=torchrun", "open_mpi 1/2 local 0/1 node ?/?"},
    {BOTH "|RANKMAP_IGNORE=srun, Torchrun", "open_mpi 1/2 local 0/1 node ?/?"},
    {BOTH "|RANKMAP_IGNORE=torchrun,open_mpi",
     "none 0/1 local 0/1 node 0/1; warning TORCHELASTIC_RUN_ID"},
    {BOTH "|RANKMAP_IGNORE=open_mpi",
     "none 0/1 local 0/1 node 0/1; warning OMPI_COMM_WORLD_RANK",
     {.exclude = torchrun}},
    {BOTH "|RANKMAP_IGNORE=torchrun|RANKMAP_LAUNCHER=open_mpi", "open_mpi 1/2 local 0/1 node ?/?"},
    {BOTH "|RANKMAP_IGNORE=srun;pmix",
     "RANKMAP_IGNORE=\"srun;pmix\" at byte 0: expected names of launchers (here torchrun, open_mpi"
     "), with commas between; correct or unset it (all names: docs/launchers.md)"},
    {BOTH "|RANKMAP_IGNORE=srun,",
     "RANKMAP_IGNORE=\"srun,\" at byte 5: expected names of launchers (here torchrun, open_mpi), "
     "with commas between; correct or unset it (all names: docs/launchers.md)"},
    {"RANKMAP_IGNORE=none",
     "RANKMAP_IGNORE=\"none\" at byte 0: expected names of launchers (torchrun, torch_env, open_mpi"
     ", hydra, slurm, ...), with commas between; correct or unset it (all names: "
     "docs/launchers.md)"},
    {"RANKMAP_IGNORE=config",
     "RANKMAP_IGNORE=\"config\" at byte 0: expected names of launchers (torchrun, torch_env, "
     "open_mpi"
     ", hydra, slurm, ...), with commas between; correct or unset it (all names: "
     "docs/launchers.md)"},
    {BOTH "|RANKMAP_IGNORE=srun,slurm,torchrun|RANKMAP_LAUNCHER=torchrun",
     "RANKMAP_IGNORE=\"srun,slurm,torchrun\" at byte 11: expected other launchers than torchrun, "
     "which RANKMAP_LAUNCHER names; unset one of them"},
    {BOTH "|RANKMAP_IGNORE=torchrun",
     "RANKMAP_IGNORE=\"torchrun\" at byte 0: expected other launchers than torchrun, which "
     "Config::launcher names; unset it; in the program, leave Config::launcher unset",
     {.launcher = Launcher::torchrun}},

    // RANKMAP_STRICT
    {BAD_RESTARTS, "torchrun 3/4 local 1/2 node 1/2; warning TORCHELASTIC_RESTART_COUNT"},
    {BAD_RESTARTS "|RANKMAP_STRICT=0",
     "torchrun 3/4 local 1/2 node 1/2; warning TORCHELASTIC_RESTART_COUNT"},
    {BAD_RESTARTS "|RANKMAP_STRICT=1",
     "TORCHELASTIC_RESTART_COUNT=\"many\": expected a decimal number; correct or unset it"},
    {BAD_RESTARTS "|RANKMAP_STRICT=0",
     "TORCHELASTIC_RESTART_COUNT=\"many\": expected a decimal number; correct or unset it",
     {.strict = true}},
    {BOTH "|RANKMAP_STRICT=yes", "RANKMAP_STRICT=\"yes\": expected 1 or 0; correct or unset it"},
    {BOTH "|RANKMAP_STRICT=2", "RANKMAP_STRICT=\"2\": expected 1 or 0; correct or unset it"},
    // A word is read before anything else.
    {"RANK=x|RANKMAP_STRICT=2",
     "RANKMAP_STRICT=\"2\": expected 1 or 0; correct or unset it",
     {.world_size = 0}},
};

static_assert(rankmap_test::cases_hold<cases>);

TEST(OperatorWords, override_and_are_refused_as_the_table_says) {
  for (const Case& c : cases) EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected);
}

TEST(OperatorWords, do_not_reach_a_topology_of_config_alone) {
  set_variable("RANKMAP_STRICT", "wrong");
  EXPECT_TRUE(Topology::from_config({.rank = 0, .world_size = 1}));
  EXPECT_FALSE(Topology::from_environment({.rank = 0, .world_size = 1}));
  unset_variable("RANKMAP_STRICT");
}

// ---- where they are shown

const RecordedEnvironment three_words(BOTH
                                      "|RANKMAP_STRICT=0|RANKMAP_IGNORE=srun,hydra,lsf,pbs,sge,"
                                      "modal,pals|RANKMAP_LAUNCHER=torchrun",
                                      '|');

TEST(OperatorWords, are_listed_with_their_texts) {
  const auto topology = Topology::from_environment(three_words);
  ASSERT_TRUE(topology) << message(topology.error()).view();
  ASSERT_EQ(topology->operator_words().size(), 3U);
  EXPECT_EQ(topology->operator_words()[0].variable, "RANKMAP_LAUNCHER");
  EXPECT_EQ(topology->operator_words()[0].text, "torchrun");
  EXPECT_EQ(topology->operator_words()[1].variable, "RANKMAP_IGNORE");
  EXPECT_EQ(topology->operator_words()[1].text, "srun,hydra,lsf,pbs,sge,m... (33 bytes)");
  EXPECT_EQ(topology->operator_words()[2].variable, "RANKMAP_STRICT");
  EXPECT_EQ(topology->operator_words()[2].text, "0");
  EXPECT_TRUE(Topology::from_config({})->operator_words().empty());
}

TEST(OperatorWords, have_a_line_each_in_an_explanation) {
  const auto topology = Topology::from_environment(three_words);
  ASSERT_TRUE(topology);
  const std::string text(explain(*topology).view());
  EXPECT_NE(
      text.find("\noperator          RANKMAP_LAUNCHER=\"torchrun\"\n"
                "operator          RANKMAP_IGNORE=\"srun,hydra,lsf,pbs,sge,m... (33 bytes)\"\n"
                "operator          RANKMAP_STRICT=\"0\"\n"
                "also found        open_mpi"),
      std::string::npos)
      << text;
}

TEST(OperatorWords, are_written_to_json) {
  const auto topology = Topology::from_environment(
      RecordedEnvironment(TORCHRUN_3_OF_4 "|RANKMAP_LAUNCHER=Torchrun|RANKMAP_STRICT=1", '|'));
  ASSERT_TRUE(topology);
  std::string text;
  write_json(*topology, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text.substr(text.find("\"operator_words\"")),
            R"("operator_words":[{"variable":"RANKMAP_LAUNCHER","text":"Torchrun"},)"
            R"({"variable":"RANKMAP_STRICT","text":"1"}]})");
}

}  // namespace
