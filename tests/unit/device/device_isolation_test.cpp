// SPDX-License-Identifier: MIT
#include "support/constant_rows.hpp"
#include "support/files.hpp"

#include <rankmap/device/device_isolation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
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
#define TASK "SLURM_LOCALID=1|CUDA_VISIBLE_DEVICES=0|"
#define BUT_ONE ", but SLURM_GPUS_ON_NODE=1"
constexpr Row rows[] = {
    // Slurm's own tasks: what gives each of them its own.
    {TASK "SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURMD_TRES_BIND=gpu:per_task:1", 1, Isolation::own,
     "SLURMD_TRES_BIND=gpu:per_task:1"},
    {TASK "SLURM_TRES_PER_TASK=cpu=2,gres/gpu=1", 1, Isolation::own,
     "SLURM_TRES_PER_TASK=cpu=2,gres/gpu=1"},
    {TASK "SLURM_GPUS_PER_TASK=1", 1, Isolation::own, "SLURM_GPUS_PER_TASK=1"},
    {TASK "SLURM_GPU_BIND=per_task:1", 1, Isolation::own, "SLURM_GPU_BIND=per_task:1"},
    {TASK "SLURMD_TRES_BIND=gres/gpu:verbose,per_task:1", 1, Isolation::own,
     "SLURMD_TRES_BIND=gres/gpu:verbose,per_tas... (27 bytes)"},
    {TASK "SLURM_GPU_BIND=single:1|SLURM_GPUS_ON_NODE=2", 1, Isolation::own,
     "SLURM_GPU_BIND=single:1"},
    {TASK "SLURM_NTASKS_PER_GPU=1|SLURM_GPUS_ON_NODE=4", 1, Isolation::own,
     "SLURM_NTASKS_PER_GPU=1"},

    // The same bindings, where the numbers of devices and tasks do not fit: no proof.
    {TASK "SLURM_TRES_PER_TASK=gres/gpu=1|SLURM_GPUS_ON_NODE=1", 1, Isolation::unknown,
     "SLURM_TRES_PER_TASK=gres/gpu=1" BUT_ONE},
    {TASK "SLURMD_TRES_BIND=gpu:per_task:1|SLURM_GPUS_ON_NODE=1", 1, Isolation::unknown,
     "SLURMD_TRES_BIND=gpu:per_task:1" BUT_ONE},
    {TASK "SLURM_GPU_BIND=single:1|SLURM_GPUS_ON_NODE=1", 1, Isolation::unknown,
     "SLURM_GPU_BIND=single:1" BUT_ONE},
    {TASK "SLURM_GPU_BIND=closest|SLURM_GPUS_ON_NODE=1", 1, Isolation::unknown,
     "SLURM_GPU_BIND=closest" BUT_ONE},
    {TASK "SLURM_GPUS_PER_TASK=2", 1, Isolation::unknown,
     "SLURM_GPUS_PER_TASK=2, but CUDA_VISIBLE_DEVICES lists 1"},

    // A person put another list in the place of Slurm's.
    {TASK "SLURMD_TRES_BIND=gpu:per_task:1|SLURM_STEP_GPUS=0,1,2,3", 1, Isolation::unknown,
     "SLURMD_TRES_BIND=gpu:per_task:1, but SLURM_STEP_GPUS lists 4"},
    {TASK "SLURMD_TRES_BIND=gpu:per_task:1|SLURM_STEP_GPUS=1|GPU_DEVICE_ORDINAL=1", 1,
     Isolation::unknown, "SLURMD_TRES_BIND=gpu:per_task:1, but GPU_DEVICE_ORDINAL differs"},
    {TASK "SLURMD_TRES_BIND=gpu:per_task:1|SLURM_STEP_GPUS=1|GPU_DEVICE_ORDINAL=0", 1,
     Isolation::own, "SLURMD_TRES_BIND=gpu:per_task:1"},
    {"SLURM_LOCALID=1|SLURMD_TRES_BIND=gpu:per_task:1|CUDA_VISIBLE_DEVICES=GPU-1|GPU_DEVICE_"
     "ORDINAL=1",
     1, Isolation::own, "SLURMD_TRES_BIND=gpu:per_task:1"},  // Flags=env_uuid

    // Bindings by which two tasks may have the same.
    {TASK "SLURM_GPU_BIND=single:1", 1, Isolation::bound, "SLURM_GPU_BIND=single:1"},
    {TASK "SLURM_GPU_BIND=single:2|SLURM_GPUS_ON_NODE=2", 1, Isolation::bound,
     "SLURM_GPU_BIND=single:2"},
    {TASK "SLURM_NTASKS_PER_GPU=1", 1, Isolation::bound, "SLURM_NTASKS_PER_GPU=1"},
    {TASK "SLURM_NTASKS_PER_GPU=2|SLURM_GPUS_ON_NODE=2", 1, Isolation::bound,
     "SLURM_NTASKS_PER_GPU=2"},
    // Without device cgroups a task whose entry is no GPU of the job gets the job's first GPU,
    // which
    // may be that of another task: a list that names different GPUs is no proof.
    {TASK "SLURM_GPU_BIND=map_gpu:3,2,1,0|SLURM_GPUS_ON_NODE=4", 1, Isolation::bound,
     "SLURM_GPU_BIND=map_gpu:3,2,1,0"},
    {"SLURM_LOCALID=0|SLURM_STEP_GPUS=4|CUDA_VISIBLE_DEVICES=4|SLURMD_TRES_BIND=gres/gpu:map:0,1|"
     "SLURM_GPUS_ON_NODE=2",
     0, Isolation::bound, "SLURMD_TRES_BIND=gres/gpu:map:0,1"},
    {TASK "SLURM_GPU_BIND=map_gpu:0,0|SLURM_GPUS_ON_NODE=4", 1, Isolation::bound,
     "SLURM_GPU_BIND=map_gpu:0,0"},
    {TASK "SLURM_GPU_BIND=mask_gpu:0x1,E|SLURM_GPUS_ON_NODE=4", 1, Isolation::bound,
     "SLURM_GPU_BIND=mask_gpu:0x1,E"},
    {TASK "SLURM_GPU_BIND=per_task", 1, Isolation::bound, "SLURM_GPU_BIND=per_task"},
    {TASK "SLURMD_TRES_BIND=gres/nic:none+gpu:closest", 1, Isolation::bound,
     "SLURMD_TRES_BIND=gres/nic:none+gpu:closes... (25 bytes)"},

    // The number of GPUs of the node was once taken for a binding. It is none: a person may have
    // set the same mask for all tasks.
    {TASK "SLURM_GPUS_ON_NODE=4", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_ON_NODE=4|SLURM_STEP_GPUS=0,1,2,3", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_ON_NODE=1", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_ON_NODE=\xff", 1, Isolation::unknown, ""},
    {TASK "SLURM_TRES_PER_TASK=cpu=2", 1, Isolation::unknown, ""},

    // The binding itself comes before what the user requested, and only that of GPUs counts.
    {TASK "SLURM_GPU_BIND=none|SLURM_GPUS_PER_TASK=1", 1, Isolation::shared, "SLURM_GPU_BIND=none"},
    {TASK "SLURM_GPU_BIND=none|SLURM_GPUS_ON_NODE=1", 1, Isolation::shared, "SLURM_GPU_BIND=none"},
    {TASK "SLURM_GPU_BIND=none|SLURM_GPUS_ON_NODE=4", 1, Isolation::unknown,
     "SLURM_GPU_BIND=none"},  // a mask of a person's
    {TASK "SLURMD_TRES_BIND=gpu:none|SLURM_GPUS_PER_TASK=1", 1, Isolation::shared,
     "SLURMD_TRES_BIND=gpu:none"},
    {TASK "SLURMD_TRES_BIND=gres/gpu:verbose,none", 1, Isolation::shared,
     "SLURMD_TRES_BIND=gres/gpu:verbose,none"},
    {TASK "SLURMD_TRES_BIND=gpu:single:2|SLURM_GPUS_PER_TASK=1", 1, Isolation::bound,
     "SLURMD_TRES_BIND=gpu:single:2"},
    {TASK "SLURMD_TRES_BIND=gres/gpu:none+gres/nic:per_task:1", 1, Isolation::shared,
     "SLURMD_TRES_BIND=gres/gpu:none+gres/nic:p... (33 bytes)"},
    {TASK "SLURMD_TRES_BIND=gres/gpu:per_task:1+gres/nic:none", 1, Isolation::own,
     "SLURMD_TRES_BIND=gres/gpu:per_task:1+gres... (33 bytes)"},
    {TASK "SLURMD_TRES_BIND=gres/nic:per_task:1", 1, Isolation::unknown, ""},
    {TASK "SLURMD_TRES_BIND=gres/xgpu:none+gpus:none+gpu", 1, Isolation::unknown, ""},

    // A request counts if it is for a GPU.
    {TASK "SLURM_TRES_PER_TASK=gres/gpu:a100:1", 1, Isolation::own,
     "SLURM_TRES_PER_TASK=gres/gpu:a100:1"},
    {"SLURM_LOCALID=1|CUDA_VISIBLE_DEVICES=0,1|SLURM_TRES_PER_TASK=gres/gpu:a100=2", 1,
     Isolation::own, "SLURM_TRES_PER_TASK=gres/gpu:a100=2"},
    {"SLURM_LOCALID=1|CUDA_VISIBLE_DEVICES=0,1|SLURM_GPUS_PER_TASK=volta:0,kepler:2", 1,
     Isolation::own, "SLURM_GPUS_PER_TASK=volta:0,kepler:2"},
    {"SLURM_LOCALID=1|CUDA_VISIBLE_DEVICES=0,1|SLURM_TRES_PER_TASK=gres/gpu=2,gres/gpu:a100=2", 1,
     Isolation::own, "SLURM_TRES_PER_TASK=gres/gpu=2,gres/gpu:a100... (26 bytes)"},
    {TASK "SLURM_TRES_PER_TASK=cpu=2,gres/gpu:0", 1, Isolation::unknown, ""},
    {TASK "SLURM_TRES_PER_TASK=gres/gpumem=4", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_PER_TASK=0", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_PER_TASK=volta:", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_PER_TASK=x,a100:1", 1, Isolation::own, "SLURM_GPUS_PER_TASK=x,a100:1"},
    {TASK "SLURM_NTASKS_PER_GPU=0", 1, Isolation::unknown, ""},

    // Empty means unset.
    {TASK "SLURM_GPUS_PER_TASK=", 1, Isolation::unknown, ""},
    {TASK "SLURM_NTASKS_PER_GPU=", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPU_BIND=", 1, Isolation::unknown, ""},
    {"TORCHELASTIC_RUN_ID=|CUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {TASK "OMPI_COMM_WORLD_LOCAL_RANK=|SLURM_GPUS_PER_TASK=1", 1, Isolation::own,
     "SLURM_GPUS_PER_TASK=1"},

    // Processes that something else started inside a Slurm task: its variables do not describe
    // them.
    {TASK "TORCHELASTIC_RUN_ID=none|SLURM_GPUS_PER_TASK=1", 1, Isolation::unknown,
     "TORCHELASTIC_RUN_ID is set, but CUDA_VISIBLE_DEVICES may be each worker's"},
    {"SLURM_LOCALID=1|TORCHELASTIC_RUN_ID=none|SLURM_GPUS_PER_TASK=1", 1, Isolation::shared,
     "TORCHELASTIC_RUN_ID is set"},
// Two agents on a node count local ranks of their own, and see the same unless Slurm bound them.
#define AGENT "LOCAL_RANK=1|TORCHELASTIC_RUN_ID=j|SLURM_STEP_TASKS_PER_NODE=2(x3)|"
#define AGENTS_SEE_THE_SAME "SLURM_STEP_TASKS_PER_NODE: several agents on a node"
    {AGENT, 1, Isolation::bound, AGENTS_SEE_THE_SAME},
    {AGENT "SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=0,1,2,3", 1, Isolation::bound,
     AGENTS_SEE_THE_SAME},
    {AGENT "SLURM_GPU_BIND=none|SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=0,1,2,3", 1,
     Isolation::bound, AGENTS_SEE_THE_SAME},
    // Slurm gives tasks of one socket the same list.
    {AGENT "SLURMD_TRES_BIND=gres/gpu:closest|SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=0,1", 1,
     Isolation::bound, AGENTS_SEE_THE_SAME},
    {AGENT "SLURM_GPUS_PER_TASK=2|SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=0,1", 1,
     Isolation::unknown,
     "TORCHELASTIC_RUN_ID is set, but CUDA_VISIBLE_DEVICES may be each worker's"},
    // A program at the prompt of srun --pty.
    {AGENT "SLURM_PTY_PORT=40000", 1, Isolation::shared, "TORCHELASTIC_RUN_ID is set"},
    {"TORCHELASTIC_RUN_ID=none|GROUP_WORLD_SIZE=2|MASTER_ADDR=localhost", 1, Isolation::bound,
     "MASTER_ADDR: several agents on a node"},
    {"TORCHELASTIC_RUN_ID=none|GROUP_WORLD_SIZE=2|MASTER_ADDR=127.0.0.1", 1, Isolation::bound,
     "MASTER_ADDR: several agents on a node"},
    {"TORCHELASTIC_RUN_ID=none|GROUP_WORLD_SIZE=1|MASTER_ADDR=127.0.0.1", 1, Isolation::shared,
     "TORCHELASTIC_RUN_ID is set"},
    {"TORCHELASTIC_RUN_ID=none|GROUP_WORLD_SIZE=2|MASTER_ADDR=n1", 1, Isolation::shared,
     "TORCHELASTIC_RUN_ID is set"},
    {"GROUP_WORLD_SIZE=2|MASTER_ADDR=localhost", 1, Isolation::shared,
     "no visibility variable is set"},
    {AGENT "CUDA_VISIBLE_DEVICES=0,1", 1, Isolation::unknown,
     "TORCHELASTIC_RUN_ID is set, but CUDA_VISIBLE_DEVICES may be each worker's"},
    {"LOCAL_RANK=1|TORCHELASTIC_RUN_ID=j|SLURM_STEP_TASKS_PER_NODE=1(x3)", 1, Isolation::shared,
     "TORCHELASTIC_RUN_ID is set"},
    {TASK "OMPI_COMM_WORLD_LOCAL_RANK=1|SLURM_GPUS_PER_TASK=1", 1, Isolation::unknown, ""},
    {TASK "MPI_LOCALRANKID=1|SLURM_GPUS_PER_TASK=1", 1, Isolation::unknown, ""},
    {TASK "SLURM_GPUS_PER_TASK=1", 0, Isolation::unknown, ""},
    {TASK "SLURM_STEP_TASKS_PER_NODE=1(x4)|SLURM_GPUS_PER_TASK=1", 1, Isolation::unknown, ""},
    {TASK "SLURM_STEP_TASKS_PER_NODE=3,2(x4)|SLURM_GPUS_PER_TASK=1", 1, Isolation::own,
     "SLURM_GPUS_PER_TASK=1"},
    {"SLURM_LOCALID=two|SLURM_GPUS_PER_TASK=1|CUDA_VISIBLE_DEVICES=0", 0, Isolation::unknown, ""},

    // Others.
    {"CUDA_VISIBLE_DEVICES=0", 1, Isolation::unknown, ""},
    {"", 1, Isolation::shared, "no visibility variable is set"},
    {"OMPI_COMM_WORLD_LOCAL_RANK=1", 1, Isolation::shared, "no visibility variable is set"},
    {"HIP_VISIBLE_DEVICES=0", 1, Isolation::shared, "no visibility variable is set"},  // not CUDA's
    // What a container was given may be for this process alone.
    {"NVIDIA_VISIBLE_DEVICES=3", 1, Isolation::unknown, "NVIDIA_VISIBLE_DEVICES=3"},
    {"NVIDIA_VISIBLE_DEVICES=all", 1, Isolation::shared, "no visibility variable is set"},
    {"ASCEND_VISIBLE_DEVICES=3", 1, Isolation::shared, "no visibility variable is set"},
};

constexpr rankmap::IsolationEvidence read(const Row& row) {
  const RecordedEnvironment env(row.environment, '|');
  return device_isolation(env, visible_devices(DeviceKind::cuda, env), 1, LocalRank(row.local_rank),
                          2);
}
// One row an expression: Clang counts the steps of each.
template <std::size_t i>
constexpr bool holds = read(rows[i]).isolation
                       == rows[i].expected&& read(rows[i]).because.view() == rows[i].because;
static_assert(rankmap_test::constant_rows_hold<std::size(rows), 1>([](auto i) {
  return holds<i>;
}));

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

// AMD's second variable, and a list that was unset for the sake of NCCL.
TEST(DeviceIsolation, knows_whose_list_is_not_slurms) {
  struct Other {
    DeviceKind kind;
    std::string_view environment;
    int visible_count;
    Isolation expected;
    std::string_view because;
  };
  constexpr std::string_view task = "SLURM_LOCALID=1|SLURM_GPUS_PER_TASK=2|";
  for (const Other& row :
       {Other{DeviceKind::rocm, "ROCR_VISIBLE_DEVICES=2,3|HIP_VISIBLE_DEVICES=0", 1, Isolation::own,
              "SLURM_GPUS_PER_TASK=2"},
        Other{DeviceKind::rocm, "HIP_VISIBLE_DEVICES=0,1", 2, Isolation::unknown,
              "SLURM_GPUS_PER_TASK=2, but HIP_VISIBLE_DEVICES is not Slurm's"},
        Other{DeviceKind::rocm, "ROCR_VISIBLE_DEVICES=0,1,2,3,4,5,6,7|HIP_VISIBLE_DEVICES=0", 1,
              Isolation::unknown, "SLURM_GPUS_PER_TASK=2, but ROCR_VISIBLE_DEVICES lists 8"},
        Other{DeviceKind::npu, "ASCEND_RT_VISIBLE_DEVICES=0,1", 2, Isolation::unknown,
              "SLURM_GPUS_PER_TASK=2, but ASCEND_RT_VISIBLE_DEVICES is not Slurm's"},
        Other{DeviceKind::cuda, "", 4, Isolation::unknown,
              "SLURM_GPUS_PER_TASK=2, but the runtime shows 4"},
        Other{DeviceKind::cuda, "", 2, Isolation::own, "SLURM_GPUS_PER_TASK=2"}}) {
    const std::string text = std::string(task) + std::string(row.environment);
    const RecordedEnvironment env(text, '|');
    const auto evidence =
        device_isolation(env, visible_devices(row.kind, env), row.visible_count, LocalRank(1), 2);
    EXPECT_EQ(evidence.isolation, row.expected) << text;
    EXPECT_EQ(evidence.because.view(), row.because) << text;
  }
}

TEST(DeviceIsolation, stays_bounded_and_printable_with_any_text) {
  const std::string huge = "gpu:per_task:1" + std::string(10'000'000, '\x1b');
  const FixedEnvironment env({{"SLURM_LOCALID", "1"},
                              {"SLURM_STEP_TASKS_PER_NODE", huge},
                              {"SLURMD_TRES_BIND", huge},
                              {"CUDA_VISIBLE_DEVICES", huge}});
  const auto visible = visible_devices(DeviceKind::cuda, env);
  EXPECT_EQ(device_isolation(env, visible, 1, LocalRank(1), 2).isolation, Isolation::unknown);
  const auto evidence = device_isolation(env, visible, 1, LocalRank(1), std::nullopt);
  EXPECT_EQ(evidence.isolation, Isolation::bound);
  for (const char c : evidence.because.view()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e);
}

}  // namespace
