// SPDX-License-Identifier: MIT
//
// What people reported of ranks that got the wrong device, with the near neighbours of each case:
// other vendors, other launchers, uneven nodes. Each row is a whole node, so that it shows whether
// two of its processes are given one device.
#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/select_device.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace {

using rankmap::Device;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::RecordedEnvironment;
using rankmap::Result;
using rankmap::select_device;
namespace device_policy = rankmap::device_policy;

struct Row {
  std::string_view environment;  ///< of each process; `%` is its local rank
  DeviceKind kind;
  std::string_view launcher;
  int processes;              ///< of the node
  int count;                  ///< devices that the runtime shows to each
  std::string_view expected;  ///< of each process, in order, once where all are alike
};
constexpr auto cuda = DeviceKind::cuda;
constexpr auto rocm = DeviceKind::rocm;
constexpr auto npu = DeviceKind::npu;
constexpr auto xpu = DeviceKind::xpu;
#define TASK "SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4|SLURM_GPUS_ON_NODE=4|"
#define TASK_OF_2 "SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=2|SLURM_GPUS_ON_NODE=4|"
#define FOUR(kind) \
  kind ":0 local rank, " kind ":1 local rank, " kind ":2 local rank, " kind ":3 local rank"

constexpr Row rows[] = {
    // A mask that a person set for all tasks.
    {TASK "CUDA_VISIBLE_DEVICES=0", cuda, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=0|SLURM_STEP_GPUS=0,1,2,3", cuda, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=0|SLURM_JOB_GPUS=0,1,2,3", cuda, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=GPU-9e8d35e3", cuda, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=0,1", cuda, "slurm", 4, 2, "ambiguous"},
    {TASK "ROCR_VISIBLE_DEVICES=0", rocm, "slurm", 4, 1, "ambiguous"},
    {TASK "HIP_VISIBLE_DEVICES=0", rocm, "slurm", 4, 1, "ambiguous"},
    {TASK "ROCR_VISIBLE_DEVICES=0,1,2,3,4,5,6,7|HIP_VISIBLE_DEVICES=0", rocm, "slurm", 4, 1,
     "ambiguous"},
    {TASK "ROCR_VISIBLE_DEVICES=0,1,2,3|HIP_VISIBLE_DEVICES=%", rocm, "slurm", 4, 1, "ambiguous"},
    {TASK "ZE_AFFINITY_MASK=0", xpu, "slurm", 4, 1, "ambiguous"},
    {TASK "ASCEND_RT_VISIBLE_DEVICES=0", npu, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=%", cuda, "slurm", 4, 1, "ambiguous"},  // right, and not proved
    {"CUDA_VISIBLE_DEVICES=0|OMPI_COMM_WORLD_LOCAL_RANK=%", cuda, "open_mpi", 4, 1, "ambiguous"},
    {"CUDA_VISIBLE_DEVICES=0|MPI_LOCALRANKID=%", cuda, "hydra", 4, 1, "ambiguous"},
    {"CUDA_VISIBLE_DEVICES=0|FLUX_TASK_LOCAL_ID=%", cuda, "flux", 4, 1, "ambiguous"},
    {"ZE_AFFINITY_MASK=0|PALS_LOCAL_RANKID=%", xpu, "pals", 4, 1, "ambiguous"},
    {"CUDA_VISIBLE_DEVICES=0|JSM_NAMESPACE_LOCAL_RANK=%", cuda, "jsrun", 4, 1, "ambiguous"},
    {"CUDA_VISIBLE_DEVICES=0|TORCHELASTIC_RUN_ID=1|LOCAL_RANK=%", cuda, "torchrun", 4, 1,
     "ambiguous"},
    {"CUDA_VISIBLE_DEVICES=0|TORCHELASTIC_RUN_ID=1|SLURM_GPUS_PER_TASK=1|SLURM_LOCALID=0", cuda,
     "torchrun", 4, 1, "ambiguous"},
    // The same masks, where they name enough for all.
    {TASK "CUDA_VISIBLE_DEVICES=0,1,2,3", cuda, "slurm", 4, 4, FOUR("cuda")},
    {TASK "ROCR_VISIBLE_DEVICES=0,1,2,3", rocm, "slurm", 4, 4, FOUR("rocm")},
    {TASK "ZE_AFFINITY_MASK=0,1,2,3", xpu, "slurm", 4, 4, FOUR("xpu")},
    {TASK "ASCEND_RT_VISIBLE_DEVICES=0,1,2,3", npu, "slurm", 4, 4, FOUR("npu")},
    {"OMPI_COMM_WORLD_LOCAL_RANK=%", cuda, "open_mpi", 4, 4, FOUR("cuda")},
    {"TORCHELASTIC_RUN_ID=1|LOCAL_RANK=%", cuda, "torchrun", 4, 4, FOUR("cuda")},
    // One process on the node: nobody else is there.
    {"SLURM_LOCALID=0|SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=3", cuda, "slurm", 1, 1,
     "cuda:0 local rank"},
    {"OMPI_COMM_WORLD_LOCAL_RANK=0|CUDA_VISIBLE_DEVICES=3", cuda, "open_mpi", 1, 1,
     "cuda:0 local rank"},

    // A request that cannot have been met: one GPU on the node, four tasks.
    {"SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4|SLURM_GPUS_ON_NODE=1|CUDA_VISIBLE_DEVICES=0|"
     "SLURM_TRES_PER_TASK=gres/gpu=1",
     cuda, "slurm", 4, 1, "ambiguous"},
    {"SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4|SLURM_GPUS_ON_NODE=2|ROCR_VISIBLE_DEVICES=0|"
     "SLURM_GPUS_PER_TASK=1",
     rocm, "slurm", 4, 1, "ambiguous"},
    // Uneven nodes of the same step: four tasks with four GPUs, one task with one.
    {"SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4,1|SLURM_GPUS_ON_NODE=4|CUDA_VISIBLE_DEVICES=0|"
     "SLURM_TRES_PER_TASK=gres/gpu=1",
     cuda, "slurm", 4, 1, "cuda:0 isolated"},
    {"SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4,1|SLURM_GPUS_ON_NODE=1|CUDA_VISIBLE_DEVICES=0|"
     "SLURM_TRES_PER_TASK=gres/gpu=1",
     cuda, "slurm", 1, 1, "cuda:0 local rank"},
    {"SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4,1|SLURM_GPUS_ON_NODE=1|CUDA_VISIBLE_DEVICES=0|"
     "SLURM_TRES_PER_TASK=gres/gpu=1",
     cuda, "slurm", 4, 1, "ambiguous"},

    // What does prove it.
    {TASK "CUDA_VISIBLE_DEVICES=0|SLURM_TRES_PER_TASK=gres/gpu=1", cuda, "slurm", 4, 1,
     "cuda:0 isolated"},
    {TASK "ROCR_VISIBLE_DEVICES=0|SLURM_TRES_PER_TASK=gres/gpu=1", rocm, "slurm", 4, 1,
     "rocm:0 isolated"},
    {TASK "ZE_AFFINITY_MASK=0|SLURM_GPUS_PER_TASK=1", xpu, "slurm", 4, 1, "xpu:0 isolated"},
    {TASK "CUDA_VISIBLE_DEVICES=%|SLURM_GPU_BIND=single:1", cuda, "slurm", 4, 1, "cuda:0 isolated"},
    // The same, and a person's mask over it.
    {TASK "CUDA_VISIBLE_DEVICES=0|ROCR_VISIBLE_DEVICES=%|SLURM_GPU_BIND=single:1", cuda, "slurm", 4,
     1, "cuda:0 isolated, ambiguous, ambiguous, ambiguous"},
    {TASK "ASCEND_RT_VISIBLE_DEVICES=0|SLURM_GPUS_PER_TASK=1", npu, "slurm", 4, 1, "ambiguous"},

    // MIG: four listed, one visible.
    {TASK "CUDA_VISIBLE_DEVICES=0,1,2,3", cuda, "slurm", 4, 1, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=MIG-1,MIG-2,MIG-3,MIG-4", cuda, "slurm", 4, 1, "bad_device_list"},
    {TASK "CUDA_VISIBLE_DEVICES=MIG-%|SLURM_TRES_PER_TASK=gres/gpu=1", cuda, "slurm", 4, 1,
     "cuda:0 isolated"},
    {TASK "CUDA_VISIBLE_DEVICES=MIG-1", cuda, "slurm", 4, 1, "ambiguous"},

    // Lists that differ between the sockets of a node.
    {TASK "CUDA_VISIBLE_DEVICES=0,1|SLURM_GPU_BIND=closest", cuda, "slurm", 4, 2, "ambiguous"},
    {TASK "ROCR_VISIBLE_DEVICES=0,1|SLURM_GPU_BIND=closest", rocm, "slurm", 4, 2, "ambiguous"},
    {TASK "ZE_AFFINITY_MASK=0,1|SLURMD_TRES_BIND=gres/gpu:closest", xpu, "slurm", 4, 2,
     "ambiguous"},
    {TASK_OF_2 "CUDA_VISIBLE_DEVICES=0,1|SLURM_GPU_BIND=closest", cuda, "slurm", 2, 2, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=0,1|SLURM_GPU_BIND=single:2", cuda, "slurm", 4, 2, "ambiguous"},
    {TASK "CUDA_VISIBLE_DEVICES=0,1,2,3|SLURM_GPU_BIND=none", cuda, "slurm", 4, 4, FOUR("cuda")},

    // Intel: tiles and filters are no mistakes.
    {"ZE_AFFINITY_MASK=3.1", xpu, "", 1, 1, "xpu:0 local rank"},
    {"ZE_AFFINITY_MASK=3.1|ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE", xpu, "", 1, 1, "xpu:0 local rank"},
    {"ONEAPI_DEVICE_SELECTOR=level_zero:2", xpu, "", 1, 1, "xpu:0 local rank"},
    {"ZE_AFFINITY_MASK=3.1|PALS_LOCAL_RANKID=%", xpu, "pals", 2, 1, "ambiguous"},
    {"ONEAPI_DEVICE_SELECTOR=level_zero:2|PALS_LOCAL_RANKID=%", xpu, "pals", 2, 1, "ambiguous"},
    {"ZE_AFFINITY_MASK=0.0,0.1,1.0,1.1|ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE|PALS_LOCAL_RANKID=%", xpu,
     "pals", 2, 2, "xpu:0 local rank, xpu:1 local rank"},
};

/// A process of the node, and what it is told.
struct Process {
  std::string text;
  Result<Device> device;
  rankmap::IsolationEvidence evidence;
  std::string explained;
};

template <class Policy>
Process process_of(const Row& row, int rank, const Policy& policy) {
  std::string text(row.environment);
  for (char& c : text) c = c == '%' ? static_cast<char>('0' + rank) : c;
  const RecordedEnvironment env(text, '|');
  const auto visible = visible_devices(row.kind, env);
  DeviceRequest request;
  request.kind = row.kind;
  request.local_rank = LocalRank(rank);
  request.local_world_size = row.processes;
  request.visible_count = row.count;
  request.visible = &visible;
  request.isolation = device_isolation(env, visible, row.count, request.local_rank,
                                       request.local_world_size, row.launcher);
  Result<Device> device = select_device(request, policy);
  std::string explained(explain(request, device).view());
  return {text, device, request.isolation, explained};
}

std::string summary_of(const Process& process) {
  if (!process.device) {
    switch (process.device.error().code) {
      case rankmap::Errc::ambiguous:
        return "ambiguous";
      case rankmap::Errc::not_enough_devices:
        return "not_enough_devices";
      case rankmap::Errc::bad_device_list:
        return "bad_device_list";
      default:
        return process.explained;
    }
  }
  return std::string(to_string(*process.device)) + ' ' + std::string(name(process.device->basis));
}

TEST(ReportedCases, give_each_process_its_device_or_an_error) {
  for (const Row& row : rows) {
    std::string found;
    std::string first;
    bool are_alike = true;
    std::set<int> given;  // of one list, which all of them see
    for (int rank = 0; rank != row.processes; ++rank) {
      const Process process = process_of(row, rank, device_policy::strict{});
      const std::string one = summary_of(process);
      if (process.device && process.device->basis == rankmap::DeviceBasis::local_rank) {
        EXPECT_TRUE(given.insert(process.device->index.value).second) << row.environment;
      }
      found += (rank == 0 ? "" : ", ") + one;
      if (rank == 0) first = one;
      are_alike = are_alike && one == first;
    }
    EXPECT_EQ(are_alike ? first : found, row.expected) << row.environment << ' ' << row.launcher;
  }
}

/// Whether a proof is a variable of this environment, with its text or the beginning of it.
bool is_in(const std::string& environment, std::string_view proof) {
  const std::string_view begin = proof.substr(0, proof.find("..."));
  return ("|" + environment).find("|" + std::string(begin)) != std::string::npos;
}

/// Looks at one answer: a device of one's own has a proof, which is a variable, and is shown.
int require_proof(const Process& process) {
  if (!process.device || process.device->basis != rankmap::DeviceBasis::isolated) return 0;
  const std::string_view because = process.evidence.because.view();
  EXPECT_EQ(process.evidence.isolation, Isolation::own) << process.text;
  EXPECT_FALSE(because.empty()) << process.text;
  EXPECT_TRUE(is_in(process.text, because)) << process.text << '\n' << because;
  EXPECT_NE(process.explained.find("no other process has "), std::string::npos) << process.text;
  EXPECT_NE(process.explained.find(because), std::string::npos) << process.explained;
  return 1;
}

// Every binding beside every number of GPUs, list, launcher and vendor.
TEST(ReportedCases, name_the_proof_of_each_device_that_is_a_processs_own) {
  constexpr std::string_view bindings[] = {
      "",
      "SLURM_TRES_PER_TASK=gres/gpu=1",
      "SLURM_TRES_PER_TASK=cpu=4,gres/gpu:a100=1",
      "SLURM_GPUS_PER_TASK=1",
      "SLURM_GPUS_PER_TASK=2",
      "SLURM_NTASKS_PER_GPU=1",
      "SLURM_NTASKS_PER_GPU=2",
      "SLURM_GPU_BIND=none",
      "SLURM_GPU_BIND=closest",
      "SLURM_GPU_BIND=single:1",
      "SLURM_GPU_BIND=map_gpu:0,1,2,3",
      "SLURM_GPU_BIND=map_gpu:0,0,1,1",
      "SLURM_GPU_BIND=mask_gpu:1,2,4,8",
      "SLURMD_TRES_BIND=gres/gpu:per_task:1+gres/nic:closest",
      "SLURMD_TRES_BIND=gres/gpu:verbose,per_task:1",
      "SLURMD_TRES_BIND=gres/nic:per_task:1",
  };
  constexpr std::string_view others[] = {"",
                                         "SLURM_STEP_GPUS=0,1,2,3",
                                         "SLURM_STEP_GPUS=%",
                                         "GPU_DEVICE_ORDINAL=%",
                                         "TORCHELASTIC_RUN_ID=1",
                                         "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50"};
  constexpr std::string_view lists[] = {"0", "%", "0,1", "0,1,2,3"};
  struct Vendor {
    DeviceKind kind;
    std::string_view variable;
  };
  constexpr Vendor vendors[] = {{cuda, "CUDA_VISIBLE_DEVICES"},
                                {rocm, "ROCR_VISIBLE_DEVICES"},
                                {rocm, "HIP_VISIBLE_DEVICES"},
                                {npu, "ASCEND_RT_VISIBLE_DEVICES"},
                                {xpu, "ZE_AFFINITY_MASK"}};
  int proved = 0;
  for (const std::string_view binding : bindings) {
    for (const std::string_view other : others) {
      for (const std::string_view list : lists) {
        for (const Vendor& vendor : vendors) {
          for (const std::string_view on_node :
               {"", "SLURM_GPUS_ON_NODE=1", "SLURM_GPUS_ON_NODE=4"}) {
            for (const std::string_view launcher : {"slurm", "pmi", "torchrun", ""}) {
              std::string text = "SLURM_LOCALID=%|SLURM_STEP_TASKS_PER_NODE=4|";
              for (const std::string_view part : {binding, other, on_node}) {
                if (!part.empty()) text += std::string(part) + '|';
              }
              text += std::string(vendor.variable) + '=' + std::string(list);
              const int count = static_cast<int>((list.size() + 1) / 2);
              const Row row = {text, vendor.kind, launcher, 4, count, ""};
              for (const int rank : {0, 3}) {
                proved += require_proof(process_of(row, rank, device_policy::strict{}));
                proved += require_proof(process_of(row, rank, device_policy::per_process{2}));
                proved += require_proof(process_of(row, rank, device_policy::trainer{}));
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(proved, 1000);
}

}  // namespace
