// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/device/device_request.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Device;
using rankmap::device_isolation;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::FixedEnvironment;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::RecordedEnvironment;
using rankmap::Result;
using rankmap::visible_devices;
using rankmap::VisibleIndex;

static_assert(std::is_trivially_copyable_v<Device>);
static_assert(std::is_trivially_copyable_v<DeviceRequest>);

// ---- What the environment tells about the neighbours
// Each row: the environment of one of two local
// processes that each see one GPU.
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

    // The binding itself stands before what the user asked for, and is read for GPUs alone.
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

    // A request counts where it asks for a GPU.
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

    // Processes that something else started inside a Slurm task: its variables are not about them.
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

TEST(DeviceIsolation, believes_only_what_is_about_these_processes) {
  for (const Row& row : rows) {
    const auto evidence = read(row);
    EXPECT_EQ(evidence.isolation, row.expected) << row.environment;
    EXPECT_EQ(evidence.because.view(), row.because) << row.environment;
  }
}

TEST(DeviceIsolation, believes_slurm_only_below_a_launcher_that_leaves_it_open) {
  const FixedEnvironment env(
      {{"SLURM_LOCALID", "1"}, {"SLURM_GPUS_PER_TASK", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  const auto visible = visible_devices(DeviceKind::cuda, env);
  const auto below = [&](std::string_view launcher, int local_rank) {
    return device_isolation(env, visible, 1, LocalRank(local_rank), 2, launcher).isolation;
  };
  for (const std::string_view open : {"", "none", "config", "torch env", "pmi", "pmix", "srun"}) {
    EXPECT_EQ(below(open, 1), Isolation::own) << open;
  }
  for (const std::string_view other : {"torchrun", "Open MPI", "flux", "somebody's own"}) {
    EXPECT_EQ(below(other, 1), Isolation::unknown) << other;
  }
  EXPECT_EQ(below("pmi", 0), Isolation::unknown);  // and its local id is this process's
  EXPECT_EQ(below("srun", 0), Isolation::own);
}

TEST(DeviceIsolation, reads_a_recorded_step_alike_on_every_rank) {
  for (int rank = 0; rank != 4; ++rank) {
    const std::string text = rankmap_test::recording("slurm-gpus-per-task", rank);
    const RecordedEnvironment env(text);
    const auto evidence =
        device_isolation(env, visible_devices(DeviceKind::cuda, env), 1, LocalRank(rank % 2), 2);
    EXPECT_EQ(evidence.isolation, Isolation::own);
    EXPECT_EQ(evidence.because.view(), "SLURMD_TRES_BIND=gpu:per_task:1");
  }
}

TEST(DeviceIsolation, stays_bounded_and_printable_whatever_the_text) {
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

// ---- The request

struct Place {
  int local = 0;
  std::optional<int> size;
  bool distributed = true;
  constexpr int local_rank() const { return local; }
  constexpr std::optional<int> local_world_size() const { return size; }
  constexpr bool is_distributed() const { return distributed; }
};
static_assert(rankmap::LocalPlace<Place> && !rankmap::LocalPlace<int>);

TEST(DeviceRequest, is_filled_from_a_place_and_its_environment) {
  constexpr FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", "4,5"}});
  constexpr auto visible = visible_devices(DeviceKind::cuda, env);
  const auto request = device_request(Place{1, 2, true}, DeviceKind::cuda, 2, env, visible);
  EXPECT_EQ(request.local_rank, LocalRank(1));
  EXPECT_EQ(request.local_world_size, 2);
  EXPECT_EQ(request.visible_count, 2);
  EXPECT_EQ(request.isolation.isolation, Isolation::unknown);
  EXPECT_EQ(request.visible, &visible);
  EXPECT_TRUE(request.launched);
}

TEST(DeviceRequest, knows_a_launcher_of_one_process_from_none) {
  const auto launched = [](std::string_view local_rank, bool set) {
    const auto env = [&](std::string_view name) -> std::optional<std::string_view> {
      if (set && name == "LOCAL_RANK") return local_rank;
      return std::nullopt;
    };
    const auto visible = visible_devices(DeviceKind::cuda, env);
    return device_request(Place{0, 1, false}, DeviceKind::cuda, 4, env, visible).launched;
  };
  EXPECT_TRUE(launched("0", true));
  EXPECT_FALSE(launched("-1", true));  // the historic "nobody launched me"
  EXPECT_FALSE(launched("", true));
  EXPECT_FALSE(launched("", false));
}

// ---- The answer

TEST(Device, has_its_own_name_and_torchs) {
  Device device;
  EXPECT_EQ(to_string(device).view(), "cpu");
  EXPECT_EQ(to_torch_string(device).view(), "cpu");
  device.kind = DeviceKind::npu;
  device.index = VisibleIndex(1);
  EXPECT_EQ(to_string(device).view(), "npu:1");
  EXPECT_EQ(to_torch_string(device).view(), "npu:1");
  device.kind = DeviceKind::rocm;
  EXPECT_EQ(to_string(device).view(), "rocm:1");
  EXPECT_EQ(to_torch_string(device).view(), "cuda:1");
}

TEST(DevicePolicy, is_any_callable_of_that_shape) {
  const auto good = [](const DeviceRequest&) -> Result<Device> { return Device{}; };
  const auto plain = [](const DeviceRequest&) { return Device{}; };
  const auto number = [](const DeviceRequest&) { return 3; };
  static_assert(rankmap::DevicePolicy<decltype(good)>);
  static_assert(rankmap::DevicePolicy<decltype(plain)>);
  static_assert(!rankmap::DevicePolicy<decltype(number)>);
  static_assert(!rankmap::DevicePolicy<int>);
  static_assert(!rankmap::DevicePolicy<int (*)(int)>);
}

}  // namespace
