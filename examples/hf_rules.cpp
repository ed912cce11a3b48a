// SPDX-License-Identifier: MIT
//
// The decision table of a fine-tuning script, as Hugging Face's examples have it: what follows from
// `--local_rank`, `--no_cuda`, SageMaker and TPU for the device, n_gpu, the sampler, the wrapper
// around the model, and who logs and saves. Each row is an environment that a launcher makes; the
// answers are rankmap's.
#include <rankmap/device/select_device.hpp>
#include <rankmap/topology/topology.hpp>
#include <rankmap/torch/train_sampler.hpp>

#include <cstdio>
#include <optional>

namespace {

using rankmap::Device;
using rankmap::DeviceKind;
using rankmap::LocalRank;
using rankmap::RecordedEnvironment;
using rankmap::Topology;

// What the script is started with.
struct Start {
  const char* what;
  const char* environment;
  DeviceKind kind;
  int visible_devices;
  bool no_cuda = false;
  std::optional<int> local_rank = {};                  // --local_rank, where it is passed
  std::optional<LocalRank> sagemaker_local_rank = {};  // from SageMaker's own library
};

constexpr auto cuda = DeviceKind::cuda;
constexpr auto tpu = DeviceKind::tpu;

// Two nodes with two processes each: torchrun's variables for rank 0, 2 and 3.
#define NODES_OF_TWO "WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 GROUP_WORLD_SIZE=2 TORCHELASTIC_RUN_ID=tune "
constexpr auto first = NODES_OF_TWO "RANK=0 LOCAL_RANK=0 GROUP_RANK=0";
constexpr auto second_node = NODES_OF_TWO "RANK=2 LOCAL_RANK=0 GROUP_RANK=1";
constexpr auto last = NODES_OF_TWO "RANK=3 LOCAL_RANK=1 GROUP_RANK=1";
#undef NODES_OF_TWO
constexpr auto alone =
    "RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 GROUP_RANK=0 "
    "GROUP_WORLD_SIZE=1 TORCHELASTIC_RUN_ID=tune";
// torch.distributed.launch passed `--local_rank` beside the variables.
#define LAUNCH "WORLD_SIZE=4 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 "
constexpr auto launch_first = LAUNCH "RANK=0 LOCAL_RANK=0";
constexpr auto launch_last = LAUNCH "RANK=3 LOCAL_RANK=1";
#undef LAUNCH
// SageMaker's data-parallel library runs under its mpirun.
constexpr auto sagemaker =
    "OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16 "
    "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=8 "
    "OMPI_COMM_WORLD_NODE_RANK=1";

constexpr Start starts[] = {
    {"python, no GPU", "", cuda, 0},
    {"python, 1 GPU", "", cuda, 1},
    {"python, 4 GPUs", "", cuda, 4},
    {"python --no_cuda, 4 GPUs", "", cuda, 4, true},
    {"python --local_rank=-1", "", cuda, 1, false, -1},
    {"launch --local_rank=0", launch_first, cuda, 2, false, 0},
    {"launch --local_rank=1", launch_last, cuda, 2, false, 1},
    {"torchrun, 1 process", alone, cuda, 4},
    {"torchrun 2x2, rank 0", first, cuda, 2},
    {"torchrun 2x2, rank 2", second_node, cuda, 2},
    {"torchrun 2x2, rank 3", last, cuda, 2},
    {"torchrun --no_cuda, rank 3", last, cuda, 2, true},
    {"torchrun 2x2, rank 3, 1 GPU", last, cuda, 1},
    {"SageMaker DP, rank 9", sagemaker, cuda, 8, false, {}, LocalRank(1)},
    {"TPU, 4 processes, rank 3", last, tpu, 2},
};

// The model's wrapper: XLA averages gradients in its optimizer step and needs none.
const char* wrapper(const Start& start, const Device& device, bool distributed) {
  if (start.kind == tpu) return "none";
  if (start.sagemaker_local_rank) return "smddp's DDP";
  if (distributed) return "DDP";
  return device.count > 1 ? "DataParallel" : "none";
}

void print_row(const Start& start) {
  const RecordedEnvironment env(start.environment, ' ');
  const auto me = Topology::from_environment(env, {.local_rank = start.local_rank}).value();
  // The sampler knows what `local_rank == -1` meant: that nobody launched this process.
  const rankmap::TrainSampler sampler(1000, me);
  const bool distributed = sampler.distributed().has_value();

  const rankmap::device_policy::trainer policy{start.no_cuda, start.sagemaker_local_rank};
  const auto device = rankmap::select_device(me, start.kind, start.visible_devices, policy, env);
  if (!device) {
    // The script would have failed in set_device, or shared a device unasked.
    std::printf("%-27s %s\n", start.what, message(device.error()).c_str());
    return;
  }
  std::printf("%-27s %10d  %-6s  %5d  %-18s  %-12s  %-4s  %s\n", start.what,
              distributed ? me.local_rank() : -1, to_torch_string(*device).c_str(), device->count,
              distributed ? "DistributedSampler" : "RandomSampler",
              wrapper(start, *device, distributed),
              me.is_local_main() ? "yes" : "no",  // local_rank in [-1, 0]: once a node
              me.is_main() ? "yes" : "no");       // local_rank == -1 or get_rank() == 0: once
}

}  // namespace

int main() {
  std::printf("%-27s %s\n", "started as",
              "local_rank  device  n_gpu  sampler             model in      logs  saves");
  for (const Start& start : starts) print_row(start);
  return 0;
}
