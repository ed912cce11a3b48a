// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/device/device_isolation.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::device_isolation;
using rankmap::DeviceKind;
using rankmap::FixedEnvironment;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::RecordedEnvironment;
using rankmap::visible_devices;

// Each row: the environment of one of two local processes that each see one GPU.
struct Row {
  std::string_view environment;
  int local_rank;
  Isolation expected;
  std::string_view because;
};
constexpr Row rows[] = {
    // Slurm's own tasks.
    {"SLURM_LOCALID=1\nSLURM_STEP_TASKS_PER_NODE=2(x2)\nSLURMD_TRES_BIND=gpu:per_task:1\nCUDA_"
     "VISIBLE_DEVICES=0",
     1, Isolation::own, "SLURMD_TRES_BIND=gpu:per_task:1"},
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=cpu=2,gres/gpu=1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::own, "SLURM_TRES_PER_TASK=cpu=2,gres/gpu=1"},
    {"SLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::own,
     "SLURM_GPUS_PER_TASK=1"},
    {"SLURM_LOCALID=1\nSLURM_GPU_BIND=single:1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::bound,
     "SLURM_GPU_BIND=single:1"},
    {"SLURM_LOCALID=1\nSLURM_GPU_BIND=map_gpu:3,2,1,0\nCUDA_VISIBLE_DEVICES=2", 1, Isolation::bound,
     "SLURM_GPU_BIND=map_gpu:3,2,1,0"},
    {"SLURM_LOCALID=1\nSLURM_GPU_BIND=none\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::shared, "SLURM_GPU_BIND=none"},
    {"SLURM_LOCALID=1\nSLURM_NTASKS_PER_GPU=1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::bound,
     "SLURM_NTASKS_PER_GPU=1"},
    {"SLURM_LOCALID=1\nSLURM_GPUS_ON_NODE=4\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::bound,
     "SLURM_GPUS_ON_NODE=4"},
    {"SLURM_LOCALID=1\nSLURM_GPUS_ON_NODE=1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_GPUS_ON_NODE=\xff\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=cpu=2\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown,
     ""},

    // The binding itself comes before what the user requested, and only that of GPUs counts.
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/gpu:per_task:1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::own, "SLURMD_TRES_BIND=gres/gpu:per_task:1"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gpu:none\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::shared, "SLURMD_TRES_BIND=gpu:none"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/gpu:verbose,none\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::shared, "SLURMD_TRES_BIND=gres/gpu:verbose,none"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gpu:single:1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES="
     "0",
     1, Isolation::bound, "SLURMD_TRES_BIND=gpu:single:1"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/gpu:none+gres/nic:per_task:1\nCUDA_VISIBLE_DEVICES=0",
     1, Isolation::shared, "SLURMD_TRES_BIND=gres/gpu:none+gres/nic:p... (33 bytes)"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/gpu:per_task:1+gres/nic:none\nCUDA_VISIBLE_DEVICES=0",
     1, Isolation::own, "SLURMD_TRES_BIND=gres/gpu:per_task:1+gres... (33 bytes)"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/nic:none+gpu:closest\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::bound, "SLURMD_TRES_BIND=gres/nic:none+gpu:closes... (25 bytes)"},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/nic:per_task:1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURMD_TRES_BIND=gres/xgpu:none+gpus:none+gpu\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_GPU_BIND=per_task:1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::own,
     "SLURM_GPU_BIND=per_task:1"},

    // A request counts if it is for a GPU.
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=gres/gpu:a100:1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::own, "SLURM_TRES_PER_TASK=gres/gpu:a100:1"},
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=gres/gpu:a100=2\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::own, "SLURM_TRES_PER_TASK=gres/gpu:a100=2"},
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=cpu=2,gres/gpu:0\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_TRES_PER_TASK=gres/gpumem=4\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=volta:0,kepler:2\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::own, "SLURM_GPUS_PER_TASK=volta:0,kepler:2"},
    {"SLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=0\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=volta:\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown,
     ""},
    {"SLURM_LOCALID=1\nSLURM_NTASKS_PER_GPU=0\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},

    // Empty means unset.
    {"SLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_NTASKS_PER_GPU=\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=1\nSLURM_GPU_BIND=\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"TORCHELASTIC_RUN_ID=\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"OMPI_COMM_WORLD_LOCAL_RANK=\nSLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0",
     1, Isolation::own, "SLURM_GPUS_PER_TASK=1"},

    // Processes that something else started inside a Slurm task: its variables do not describe
    // them.
    {"TORCHELASTIC_RUN_ID=none\nSLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::shared, "TORCHELASTIC_RUN_ID is set"},
    {"OMPI_COMM_WORLD_LOCAL_RANK=1\nSLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0",
     1, Isolation::unknown, ""},
    {"MPI_LOCALRANKID=1\nSLURM_LOCALID=1\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1,
     Isolation::unknown, ""},
    {"SLURM_LOCALID=0\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"SLURM_LOCALID=0\nSLURM_STEP_TASKS_PER_NODE=1(x4)\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_"
     "DEVICES=0",
     0, Isolation::unknown, ""},
    {"SLURM_LOCALID=0\nSLURM_STEP_TASKS_PER_NODE=3,2(x4)\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_"
     "DEVICES=0",
     0, Isolation::own, "SLURM_GPUS_PER_TASK=1"},
    {"SLURM_LOCALID=two\nSLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0", 0, Isolation::unknown, ""},

    // Others.
    {"CUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"", 1, Isolation::shared, "no visibility variable is set"},
    {"OMPI_COMM_WORLD_LOCAL_RANK=1", 1, Isolation::shared, "no visibility variable is set"},
    {"HIP_VISIBLE_DEVICES=0", 1, Isolation::shared, "no visibility variable is set"},  // not CUDA's
};

constexpr rankmap::IsolationEvidence read(const Row& row) {
  const RecordedEnvironment env(row.environment);
  return device_isolation(env, visible_devices(DeviceKind::cuda, env), 1, LocalRank(row.local_rank),
                          2);
}
constexpr bool rows_hold() {
  for (const Row& row : rows) {
    const auto evidence = read(row);
    if (evidence.isolation != row.expected || evidence.because.view() != row.because) return false;
  }
  return true;
}
static_assert(rows_hold());

TEST(DeviceIsolation, follows_evidence_about_these_processes_only) {
  for (const Row& row : rows) {
    const auto evidence = read(row);
    EXPECT_EQ(evidence.isolation, row.expected) << row.environment;
    EXPECT_EQ(evidence.because.view(), row.because) << row.environment;
  }
}

TEST(DeviceIsolation, uses_slurms_variables_below_open_launchers_only) {
  const FixedEnvironment env(
      {{"SLURM_LOCALID", "1"}, {"SLURM_GPUS_PER_TASK", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  const auto visible = visible_devices(DeviceKind::cuda, env);
  const auto below = [&](std::string_view launcher, int local_rank) {
    return device_isolation(env, visible, 1, LocalRank(local_rank), 2, launcher).isolation;
  };
  for (const std::string_view open : {"", "none", "config", "torch_env", "pmi", "pmix", "slurm"}) {
    EXPECT_EQ(below(open, 1), Isolation::own) << open;
  }
  for (const std::string_view other : {"torchrun", "Open MPI", "flux", "somebody's own"}) {
    EXPECT_EQ(below(other, 1), Isolation::unknown) << other;
  }
  EXPECT_EQ(below("pmi", 0), Isolation::unknown);  // Slurm's local id must be this process's
  EXPECT_EQ(below("slurm", 0), Isolation::own);
}

TEST(DeviceIsolation, is_the_same_on_every_rank_of_a_recorded_step) {
  for (int rank = 0; rank != 4; ++rank) {
    const std::string text = rankmap_test::recording("slurm-gpus-per-task", rank);
    const RecordedEnvironment env(text);
    const auto evidence =
        device_isolation(env, visible_devices(DeviceKind::cuda, env), 1, LocalRank(rank % 2), 2);
    EXPECT_EQ(evidence.isolation, Isolation::own);
    EXPECT_EQ(evidence.because.view(), "SLURMD_TRES_BIND=gpu:per_task:1");
  }
}

TEST(DeviceIsolation, stays_bounded_and_printable_with_any_text) {
  const std::string huge = "gpu:per_task" + std::string(10'000'000, '\x1b');
  const FixedEnvironment env({{"SLURM_LOCALID", "1"},
                              {"SLURM_STEP_TASKS_PER_NODE", huge},
                              {"SLURMD_TRES_BIND", huge},
                              {"CUDA_VISIBLE_DEVICES", huge}});
  const auto visible = visible_devices(DeviceKind::cuda, env);
  EXPECT_EQ(device_isolation(env, visible, 1, LocalRank(1), 2).isolation, Isolation::unknown);
  const auto evidence = device_isolation(env, visible, 1, LocalRank(1), std::nullopt);
  EXPECT_EQ(evidence.isolation, Isolation::own);
  for (const char c : evidence.because.view()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e);
}

}  // namespace
