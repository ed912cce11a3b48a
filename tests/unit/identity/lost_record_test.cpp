// SPDX-License-Identifier: MIT
//
// A process without a variable below one that a launcher started: whichever it was, the process is
// not told in silence that it is alone. Beside an older record, that is an error.
#include "fuzz/nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::RecordedEnvironment;
using rankmap::RecordLevel;

/// The identity of a process with an empty environment below `above`.
rankmap::Result<Identity> cleaned_below(const Ancestors& above) {
  return Identity::from_environment(rankmap::WithAncestors(RecordedEnvironment(""), above));
}

/// What a launcher leaves in the shell that it started as rank 1 of four, one variable a line.
std::string start_of(const LauncherRow& row) {
  const rankmap_fuzz::Job job{{2, 2}, false};
  return rankmap_fuzz::lines_of(
      rankmap_fuzz::RowWriter(row, job, 1, 1, {"h1", "h2"}, 0, "login").write().set);
}

// A job script of PBS has all that its tasks have. Modal's, Grid Engine's and a pool's starters
// give no number, and start single processes.
bool says_nothing(Launcher launcher) {
  return launcher == Launcher::pbs || launcher == Launcher::modal || launcher == Launcher::sge ||
         launcher == Launcher::task_pool;
}

TEST(LostRecord, is_seen_in_the_shell_above_whatever_launcher_started_it) {
  int launchers = 0;
  for (const LauncherRow& row : rankmap::launchers) {
    if (row.level == RecordLevel::array || says_nothing(row.launcher)) continue;
    ++launchers;
    const std::string start = start_of(row);
    Ancestors above;
    above.add({"sh", RecordedEnvironment("HOME=/root")});
    above.add({"bash", RecordedEnvironment(std::string_view(start))});
    const auto identity = cleaned_below(above);
    ASSERT_TRUE(identity) << start;
    ASSERT_EQ(identity->warnings().size(), 1U) << start;
    const std::string variable(identity->warnings()[0].variable.view());
    EXPECT_NE(start.find(variable + '='), start.npos) << variable << '\n' << start;
  }
  EXPECT_GT(launchers, 60);
}

TEST(LostRecord, of_a_launcher_that_is_not_known_is_seen) {
  Ancestors above;
  above.add({"bash", RecordedEnvironment("FOO_RANK=3\nFOO_SIZE=4\nLORA_RANK=8")});
  const auto identity = cleaned_below(above);
  ASSERT_TRUE(identity);
  ASSERT_EQ(identity->warnings().size(), 1U);
  EXPECT_EQ(identity->warnings()[0].variable, "FOO_RANK");
}

constexpr std::string_view daemon =
    "SLURM_PROCID=1\nSLURM_LOCALID=0\nSLURM_NODEID=1\nSLURM_GTIDS=1\nSLURM_STEP_NUM_TASKS=2\n"
    "SLURM_STEP_TASKS_PER_NODE=1(x2)\nSLURM_STEP_NUM_NODES=2\nSLURM_STEP_NODELIST=n1,n2";

rankmap::Result<Identity> kept_of_daemon(const Ancestors& above) {
  return Identity::from_environment(rankmap::WithAncestors(RecordedEnvironment(daemon), above));
}

TEST(LostRecord, beside_an_older_record_is_an_error) {
  const std::string worker = std::string(daemon) + "\nOMPI_COMM_WORLD_RANK=3";
  // by its starter, and by what the shell started with
  for (const bool has_starter : {true, false}) {
    Ancestors above;
    above.add({"bash", RecordedEnvironment(std::string_view(worker))});
    above.add({has_starter ? "prted" : "python3", RecordedEnvironment(daemon)});
    above.add({"slurmstepd", {}});
    const auto identity = kept_of_daemon(above);
    ASSERT_FALSE(identity);
    EXPECT_EQ(message(identity.error()),
              "OMPI_COMM_WORLD_RANK is not set: expected it here too: a process above this one was "
              "started with it, or by its launcher, below that of slurm; pass the inner launcher's "
              "variables on, or set RANKMAP_LAUNCHER=slurm if that one started this process; in "
              "the program, set Config::launcher");
  }
}

TEST(LostRecord, that_is_older_or_was_exported_says_nothing) {
  const std::string task = std::string(daemon) + "\nOMPI_COMM_WORLD_RANK=3";
  const std::string script = std::string(daemon) + "\nRANK=3\nNODE_RANK=1";
  const Ancestors older = {{"bash", RecordedEnvironment(std::string_view(task))},
                           {"slurmstepd", RecordedEnvironment("OMPI_COMM_WORLD_RANK=3")},
                           {"prted", {}}};
  const Ancestors exported = {{"python3", RecordedEnvironment(std::string_view(script))},
                              {"bash", RecordedEnvironment(daemon)},
                              {"slurmstepd", {}}};
  for (const Ancestors& above : {older, exported}) {
    const auto identity = kept_of_daemon(above);
    ASSERT_TRUE(identity) << message(identity.error());
    EXPECT_EQ(identity->rank(), 1);
  }
}

TEST(LostRecord, of_what_starts_single_processes_is_an_error) {
  const Ancestors below_dask = {{"bash", RecordedEnvironment(daemon)},
                                {"dask-worker", RecordedEnvironment(daemon)},
                                {"slurmstepd", {}}};
  const auto identity = kept_of_daemon(below_dask);
  ASSERT_FALSE(identity);
  EXPECT_EQ(
      message(identity.error()),
      "SLURM_PROCID=\"1\": expected a rank that was set below dask-worker: that starts single "
      "processes, and is nearer than slurm; set RANKMAP_LAUNCHER to none if the process is "
      "alone, or to slurm if that one started it; in the program, set Config::launcher");
  // Nobody knows what a process that cannot be read passed on; and srun may be called below.
  const Ancestors hidden = {{"bash", {}}, {"dask-worker", {}}, {"slurmstepd", {}}};
  const Ancestors below_srun = {
      {"slurmstepd", {}}, {"dask-worker", RecordedEnvironment(daemon)}, {"slurmstepd", {}}};
  for (const Ancestors& above : {hidden, below_srun}) {
    const auto task = kept_of_daemon(above);
    ASSERT_TRUE(task) << message(task.error());
    EXPECT_EQ(task->rank(), 1);
  }
}

// What a starter was called with is older than what it starts.
TEST(LostRecord, is_seen_below_a_starter_in_a_batch_script) {
  constexpr std::string_view script =
      "SLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NODEID=0\nSLURM_JOB_ID=7\nSLURM_TASK_PID=1\n"
      "SLURMD_NODENAME=n1";
  for (const std::string_view starter : {"pt_elastic", "prterun", "hydra_pmi_proxy", "mpispawn"}) {
    Ancestors above;
    above.add({"sudo", {}});
    above.add({starter, RecordedEnvironment(script)});
    above.add({"slurm_script", RecordedEnvironment(script)});
    const auto identity = cleaned_below(above);
    ASSERT_TRUE(identity) << starter;
    EXPECT_EQ(identity->warnings().size(), 1U) << starter;
  }
}

TEST(LostRecord, is_not_seen_in_a_batch_script) {
  Ancestors above;
  above.add({"bash", RecordedEnvironment("SLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NODEID=0\n"
                                         "SLURM_JOB_ID=7\nSLURM_TASK_PID=1\nSLURMD_NODENAME=n1")});
  const auto identity = cleaned_below(above);
  ASSERT_TRUE(identity);
  EXPECT_TRUE(identity->warnings().empty());
}

// A task of an array or a pool is alone, and so is what it starts.
TEST(LostRecord, of_a_task_of_an_array_or_pool_says_nothing) {
  for (const char* const start :
       {"BATCH_TASK_INDEX=3\nBATCH_TASK_COUNT=4", "CLOUD_RUN_TASK_INDEX=3\nCLOUD_RUN_TASK_COUNT=4",
        "HQ_TASK_ID=3"}) {
    Ancestors above;
    above.add({"sh", RecordedEnvironment(start)});
    const auto identity = cleaned_below(above);
    ASSERT_TRUE(identity) << start;
    EXPECT_TRUE(identity->warnings().empty()) << start;
  }
}

}  // namespace
