// SPDX-License-Identifier: MIT
//
// Parts of two launches in one environment. What the caller gives would complete either, so that
// neither is completed: that both have one number here may be by chance.
#include "fuzz/nested_world.hpp"

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Config;
using rankmap::Errc;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::Need;
using rankmap::RecordedEnvironment;

#define STEP                                                                              \
  "SLURM_PROCID=5|SLURM_LOCALID=1|SLURM_NODEID=2|SLURM_GTIDS=4,5|SLURM_STEP_NUM_TASKS=8|" \
  "SLURM_STEP_NUM_NODES=4|SLURM_STEP_NODELIST=n[1-4]|SLURM_STEP_TASKS_PER_NODE=2(x4)|"    \
  "SLURMD_NODENAME=n3|SLURM_JOB_ID=7|SLURM_STEP_ID=0"
#define MLX "MLX_RANK=0|MLX_WORLD_SIZE=4"
#define ASCEND "RANK_ID=0|RANK_SIZE=4|DEVICE_ID=0"

struct Parts {
  std::string_view variables;
  Config config;
  std::string_view expected;  ///< "rank/size/local", or the names that an error has
};
constexpr Parts parts[] = {
    // Two parts with one rank: completed by the caller, each is another process.
    {MLX "|HOROVOD_RANK=0|HOROVOD_SIZE=8", {.local_rank = 0}, "horovod mlx"},
    {"MLX_RANK=0|PADDLE_TRAINER_ID=0", {.world_size = 8, .local_rank = 0}, "paddle mlx"},
    {MLX "|LSF_PM_TASKID=1", {.local_rank = 0}, "mlx lsf"},
    // Neither has a variable for the rank: that is nothing which both have.
    {"NODE_RANK=0|LOCAL_RANK=0|WORLD_SIZE=4|MASTER_ADDR=a|MASTER_PORT=1|DMLC_TASK_ID=0|"
     "DMLC_ROLE=worker|DMLC_NUM_WORKER=4",
     {.rank = 0, .local_rank = 0},
     "lightning dmlc"},
    // A name that anyone may set is a setting, if it is not a rank with a local rank.
    {MLX "|RANK=3", {.local_rank = 0}, "0/4/0"},
    {MLX "|LOCAL_RANK=1", {.local_rank = 0}, "0/4/0"},
    {MLX "|RANK=3|LOCAL_RANK=1", {.world_size = 4}, "torch_env mlx"},
    // One launch sets both, or scripts do.
    {ASCEND "|MS_WORKER_NUM=4|MS_ROLE=MS_WORKER", {.local_rank = 0}, "0/4/0"},
    {"PMI_RANK=1|PMI_SIZE=4|PMIX_RANK=1", {.local_rank = 0}, "1/4/0"},
    // The caller's rank and world size are those of two records that differ in the rest.
    {STEP "|RANK=5|WORLD_SIZE=8|LOCAL_RANK=0", {.rank = 5, .world_size = 8}, "Config::local_rank"},
    {STEP "|RANK=5|WORLD_SIZE=8|LOCAL_RANK=0",
     {.rank = 5, .world_size = 8, .local_rank = 1},
     "5/8/1"},
    {STEP "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=0", {.rank = 5, .world_size = 8}, "5/8/1"},
};

std::string said_by(const rankmap::Result<Identity>& identity) {
  if (!identity) return std::string(message(identity.error()).view());
  return std::to_string(identity->rank().value_or(-9)) + '/' +
         std::to_string(identity->world_size().value_or(-9)) + '/' +
         std::to_string(identity->local_rank().value_or(-9));
}

TEST(Parts, are_completed_by_nobody_where_two_are_left) {
  for (const Parts& row : parts) {
    const auto identity =
        Identity::from_environment(RecordedEnvironment(row.variables, '|'), Need::all, row.config);
    const std::string said = said_by(identity);
    if (row.expected.find('/') != row.expected.npos) {
      EXPECT_EQ(said, row.expected) << row.variables;
      continue;
    }
    EXPECT_FALSE(identity) << row.variables << ": " << said;
    for (rankmap::detail::ListEntries names(row.expected, ' '); names.next();) {
      const std::string_view name = names.text();
      EXPECT_NE(said.find(name), said.npos) << row.variables << ": " << said;
    }
  }
}

/// What a launcher sets for rank 0 of four on two nodes, without the variables of these names.
rankmap_fuzz::Texts part_of(const LauncherRow& row, int id, const rankmap::VariableNames& without) {
  const rankmap_fuzz::Job job{{2, 2}, false};
  auto set = rankmap_fuzz::RowWriter(row, job, 0, id, {"h1", "h2"}, 0, "login").write().set;
  for (const std::string_view name : without) set.erase(std::string(name));
  return set;
}

bool has_numbers_of_processes(const LauncherRow& row) {
  return row.level == rankmap::RecordLevel::worker && !row.generic_names &&
         !row.rank.names.empty() && row.rank.format == rankmap::ValueFormat::number &&
         row.local_rank.format == rankmap::ValueFormat::number;
}

/// Whether a launcher sets the names of the other one, too.
bool are_of_one_launch(const LauncherRow& a, const LauncherRow& b) {
  rankmap::detail::Record first;
  rankmap::detail::Record second;
  first.row = a;
  second.row = b;
  return may_be_one_launch(first, second);
}

// Every pair of launchers whose local rank was taken away, for the rank that both have.
TEST(Parts, of_all_pairs_of_launchers_are_refused) {
  int pairs = 0;
  for (const LauncherRow& a : rankmap::launchers) {
    if (!has_numbers_of_processes(a)) continue;
    for (const LauncherRow& b : rankmap::launchers) {
      if (!has_numbers_of_processes(b) || a.launcher == b.launcher || are_of_one_launch(a, b)) {
        continue;
      }
      auto variables = part_of(a, 1, a.local_rank.names);
      variables.merge(part_of(b, 2, b.local_rank.names));
      std::string text;
      for (const auto& [name, value] : variables) text += name + '=' + value + '\n';
      const RecordedEnvironment environment{std::string_view(text)};
      const auto is_part = [&](Launcher launcher) {
        const auto alone =
            Identity::from_environment(environment, Need::all, {.launcher = launcher});
        return !alone && alone.error().code == Errc::missing;
      };
      if (!is_part(a.launcher) || !is_part(b.launcher)) continue;
      ++pairs;
      EXPECT_FALSE(Identity::from_environment(environment, Need::all,
                                              {.local_rank = 0, .local_world_size = 2}))
          << text;
    }
  }
  EXPECT_GT(pairs, 200);
}

}  // namespace
