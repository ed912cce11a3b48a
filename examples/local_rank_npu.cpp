// SPDX-License-Identifier: MIT
//
// Four processes on two machines with two NPUs each: which calls each process makes before it
// trains. rank is its number in the job, local_rank its number on its machine, and the device is
// that of the local rank: npu:3 exists on neither machine.
//
// The four environments are those that torchrun makes on the machines,
//
//     torchrun --nnodes=2 --nproc-per-node=2 --node-rank=0 --master-addr=10.0.0.1 train
//
// and on the second one with --node-rank=1. A real program asks Topology::from_environment() and
// its NPU runtime for the number of devices, and makes the calls that are printed here.
#include <rankmap/device/select_device.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstdio>

namespace {

struct Worker {
  const char* rank;
  const char* local_rank;
  const char* group_rank;
};
constexpr Worker workers[] = {{"0", "0", "0"}, {"1", "1", "0"}, {"2", "0", "1"}, {"3", "1", "1"}};
constexpr int npus_of_a_machine = 2;

rankmap::Result<rankmap::Device> print_calls(const Worker& worker) {
  const rankmap::FixedEnvironment env({{"RANK", worker.rank},
                                       {"WORLD_SIZE", "4"},
                                       {"LOCAL_RANK", worker.local_rank},
                                       {"LOCAL_WORLD_SIZE", "2"},
                                       {"GROUP_RANK", worker.group_rank},
                                       {"GROUP_WORLD_SIZE", "2"},
                                       {"TORCHELASTIC_RUN_ID", "walkthrough"},
                                       {"MASTER_ADDR", "10.0.0.1"},
                                       {"MASTER_PORT", "29500"}});
  const auto me = rankmap::Topology::from_environment(env);
  if (!me) return me.error();
  const auto device =
      rankmap::select_device(*me, rankmap::DeviceKind::npu, npus_of_a_machine, {}, env);
  if (!device) return device;
  const auto meet = me->rendezvous().value().init_method();
  if (!meet) return meet.error();

  std::printf("rank %d: machine %d, local_rank %d\n", me->rank(), *me->node_rank(),
              me->local_rank());
  // The device first: what touches a device before this leaves a context on npu:0.
  std::printf("  torch.npu.set_device(\"%s\")\n", to_string(*device).c_str());
  std::printf("  init_process_group(\"hccl\", init_method=\"%s\", world_size=%d, rank=%d)\n",
              meet->c_str(), me->world_size(), me->rank());
  std::printf("  model.to(\"%s\")\n", to_string(*device).c_str());
  std::printf("  DistributedDataParallel(model, device_ids=[%d])\n", device->index.value);
  return device;
}

}  // namespace

int main() {
  for (const Worker& worker : workers) {
    const auto device = print_calls(worker);
    if (!device) {
      std::fprintf(stderr, "rank %s: %s\n", worker.rank, message(device.error()).c_str());
      return 1;
    }
  }
  return 0;
}
