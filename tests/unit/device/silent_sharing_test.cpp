// SPDX-License-Identifier: MIT
//
// Every way to give four local processes one to four of a node's four devices by masks: no policy
// in the order of local ranks that gives each its own may give two of them the same, whoever set
// the masks.
#include <rankmap/device/select_device.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::RecordedEnvironment;
using rankmap::select_device;
using rankmap::visible_devices;
namespace device_policy = rankmap::device_policy;

constexpr int ranks = 4;
constexpr unsigned masks = 16;  // of which 0 is none

struct Place {
  int rank = 0;
  int local_rank() const { return rank; }
  std::optional<int> local_world_size() const { return ranks; }
  bool is_distributed() const { return true; }
};

// What else is in the environment; `%` is the local rank. Where Slurm binds, it also writes the
// list that it meant, which a person's mask leaves as it is.
constexpr std::string_view worlds[] = {
    "",
    "SLURM_GPUS_ON_NODE=4",
    "SLURM_GPUS_ON_NODE=4|SLURM_STEP_GPUS=0,1,2,3",
    "SLURM_GPUS_ON_NODE=4|SLURM_STEP_GPUS=0,1,2,3|GPU_DEVICE_ORDINAL=0,1,2,3",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=none",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=closest",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=single:2",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=map_gpu:0,0,1,1",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=single:1|GPU_DEVICE_ORDINAL=%",
    "SLURM_GPUS_ON_NODE=4|SLURM_GPU_BIND=map_gpu:0,1,2,3|GPU_DEVICE_ORDINAL=%",
    "SLURM_GPUS_ON_NODE=4|SLURMD_TRES_BIND=gres/gpu:per_task:1|GPU_DEVICE_ORDINAL=%",
    "SLURM_GPUS_ON_NODE=4|SLURM_TRES_PER_TASK=gres/gpu=1|SLURM_STEP_GPUS=%|ROCR_VISIBLE_DEVICES=%",
    "SLURM_GPUS_ON_NODE=1|SLURM_TRES_PER_TASK=gres/gpu=1",
    "SLURM_GPUS_ON_NODE=4|SLURM_NTASKS_PER_GPU=4",
    "TORCHELASTIC_RUN_ID=none",
    "OMPI_COMM_WORLD_LOCAL_RANK=%",
    "MPI_LOCALRANKID=%",
};

/// The id of the device that each process takes with each mask; -1: an error.
struct Taken {
  int id[ranks][masks];
};

template <class Policy>
Taken taken_with(const Policy& policy, std::string_view world, DeviceKind kind,
                 std::string_view variable) {
  Taken taken = {};
  for (int rank = 0; rank != ranks; ++rank) {
    for (unsigned mask = 1; mask != masks; ++mask) {
      std::string list;
      int count = 0;
      for (unsigned id = 0; id != ranks; ++id) {
        if ((mask >> id & 1U) == 0) continue;
        list += (count++ == 0 ? "" : ",") + std::to_string(id);
      }
      std::string text = "SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4|";
      text += world;
      for (char& c : text) c = c == '%' ? static_cast<char>('0' + rank) : c;
      text += "|" + std::string(variable) + "=" + list;
      const RecordedEnvironment env(text, '|');
      const auto visible = visible_devices(kind, env);
      const DeviceRequest request = device_request(Place{rank}, kind, count, env, visible);
      const auto device = select_device(request, policy);
      const auto id = device ? visible.physical(device->index) : std::nullopt;
      EXPECT_EQ(device.has_value(), id.has_value());
      taken.id[rank][mask] = id ? id->value : -1;
      if (device && device->basis == rankmap::DeviceBasis::isolated) {
        EXPECT_FALSE(request.isolation.because.empty()) << text;
        EXPECT_NE(explain(request, device).view().find(request.isolation.because.view()),
                  std::string_view::npos)
            << text;
      }
    }
  }
  return taken;
}

/// How many of the 15^4 ways give two processes the same device; `right`: give all four their own.
struct Outcome {
  int shared = 0;
  int right = 0;
};
Outcome outcome_of(const Taken& taken) {
  Outcome outcome;
  for (unsigned way = 0; way != masks * masks * masks * masks; ++way) {
    unsigned used = 0;
    bool is_shared = false;
    bool is_way = true;
    bool is_whole = true;
    for (unsigned rank = 0; rank != ranks; ++rank) {
      const unsigned mask = way >> (4 * rank) & 15U;
      is_way = is_way && mask != 0;
      const int id = taken.id[rank][mask];
      is_whole = is_whole && id >= 0;
      if (!is_way || id < 0) continue;
      is_shared = is_shared || (used >> id & 1U) != 0;
      used |= 1U << id;
    }
    outcome.shared += is_way && is_shared ? 1 : 0;
    outcome.right += is_way && is_whole && !is_shared ? 1 : 0;
  }
  return outcome;
}

template <class Policy>
int right_in_all_worlds(const Policy& policy) {
  int right = 0;
  for (const std::string_view world : worlds) {
    for (const auto& [kind, variable] : {std::pair{DeviceKind::cuda, "CUDA_VISIBLE_DEVICES"},
                                         std::pair{DeviceKind::rocm, "HIP_VISIBLE_DEVICES"},
                                         std::pair{DeviceKind::npu, "ASCEND_RT_VISIBLE_DEVICES"},
                                         std::pair{DeviceKind::xpu, "ZE_AFFINITY_MASK"}}) {
      // Below Slurm's own list of AMD devices, a mask of HIP's chooses from that.
      if (kind == DeviceKind::rocm && world.find("ROCR_") != std::string_view::npos) continue;
      const Outcome outcome = outcome_of(taken_with(policy, world, kind, variable));
      EXPECT_EQ(outcome.shared, 0) << world << ' ' << variable;
      right += outcome.right;
    }
  }
  return right;
}

// What is not refused is right: the same whole list on all in every world without a binding, and
// what a binding wrote.
TEST(SilentSharing, does_not_happen_with_any_masks_of_four_processes) {
  const int right = right_in_all_worlds(device_policy::strict{});
  EXPECT_GE(right, 4 * 9);
  EXPECT_EQ(right_in_all_worlds(device_policy::per_process{1}), right);
  EXPECT_EQ(right_in_all_worlds(device_policy::trainer{}), right);
  EXPECT_EQ(right_in_all_worlds(device_policy::or_cpu{}), right);
}

// The check can fail: a policy that takes a single device for its own.
TEST(SilentSharing, would_be_noticed) {
  EXPECT_GT(
      outcome_of(taken_with(device_policy::own{}, "", DeviceKind::cuda, "CUDA_VISIBLE_DEVICES"))
          .shared,
      0);
}

}  // namespace
