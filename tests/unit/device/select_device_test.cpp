// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/device/select_device.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::Device;
using rankmap::device_request;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::Errc;
using rankmap::explain;
using rankmap::FixedEnvironment;
using rankmap::LocalRank;
using rankmap::message;
using rankmap::RecordedEnvironment;
using rankmap::Result;
using rankmap::select_device;
using rankmap::visible_devices;
using rankmap::VisibleIndex;
using rankmap_test::recording;
namespace device_policy = rankmap::device_policy;

struct Process {
  int local = 0;
  std::optional<int> size;
  constexpr int local_rank() const { return local; }
  constexpr std::optional<int> local_world_size() const { return size; }
  constexpr bool is_distributed() const { return size != 1; }
};

// ---- malformed lists
// A list that was meant for all processes of a node, and of which the vendor's software reads the
// first device only. What follows from it is the same on each of them.
struct MalformedRow {
  DeviceKind kind;
  std::string_view environment;
  int visible;  // what the runtime shows to each process
  int size;     // local processes, of which this is the last
  std::string_view expected;
};
#define ONE_EACH "list of 4 or more: 1 for each of 4 local processes"
#define WRITE_COMMAS                                                                              \
  "list each device once, with commas and no blanks between them; in the program, share devices " \
  "by device_policy::wrap or block"
#define HERE_ONE "visible cuda devices=\"1\": expected 4 or more: 1 for each of 4 local processes"
#define TWO_REMEDIES                                                                       \
  "; bind by srun --gpus-per-task, or show all devices to all; in the program, say so by " \
  "device_policy::own if each has its own, or share by wrap"
#define XPU_ONE                                                                               \
  "visible xpu devices=\"1\": expected 4 or more: 1 for each of 4 local processes, or proof " \
  "that each has its own"
#define UNPROVED HERE_ONE ", or proof that each has its own" TWO_REMEDIES
constexpr MalformedRow malformed_rows[] = {
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=MIG-1,MIG-2,MIG-3,MIG-4", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"MIG-1,MIG-2,MIG-3,MIG-4\" at byte 6: expected a " ONE_EACH
     " (here: a process sees only one MIG instance); give each process one instance; in the "
     "program, share it by device_policy::wrap or block"},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0;1;2;3", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0;1;2;3\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0 1 2 3,", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0 1 2 3,\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,one,2,3", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0,one,2,3\" at byte 2: expected a " ONE_EACH
     " (here: not an entry that this variable accepts); " WRITE_COMMAS},
    {DeviceKind::npu, "ASCEND_RT_VISIBLE_DEVICES=0-3", 1, 4,
     "ASCEND_RT_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a " ONE_EACH
     " (here: not an entry that this variable accepts); " WRITE_COMMAS},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=0,x,y,z", 1, 4,
     "ZE_AFFINITY_MASK=\"0,x,y,z\": expected a " ONE_EACH "; " WRITE_COMMAS},
    // More than one device, and still too few.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,1;2,3", 3, 4,
     "CUDA_VISIBLE_DEVICES=\"0,1;2,3\" at byte 3: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    // Fewer devices are visible than Slurm gave the node, but not because it bound them.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3|SLURM_LOCALID=3|SLURM_GPUS_ON_NODE=4", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3|TORCHELASTIC_RUN_ID=j", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    // The launcher gave each process its own.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=MIG-1,MIG-2|SLURM_LOCALID=3|SLURM_GPUS_PER_TASK=2", 1,
     4, "cuda:0"},
    // It writes no such list as these.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3|SLURM_LOCALID=3|SLURM_GPUS_PER_TASK=1", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a " ONE_EACH
     " (here: the rest of an entry is not read); " WRITE_COMMAS},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,GPU-1|SLURM_LOCALID=3|SLURM_GPUS_PER_TASK=1", 1, 4,
     "CUDA_VISIBLE_DEVICES=\"0,GPU-1\" at byte 2: expected a " ONE_EACH
     " (here: not an entry that this variable accepts); " WRITE_COMMAS},
    // Intel's: valid, and right for a process that is alone; whose the device is, nothing says.
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=3.1", 1, 1, "xpu:0"},
    {DeviceKind::xpu, "ONEAPI_DEVICE_SELECTOR=level_zero:2", 1, 1, "xpu:0"},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=3.1|ONEAPI_DEVICE_SELECTOR=level_zero:2", 1, 1, "xpu:0"},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=3.1", 1, 4,
     XPU_ONE "; ZE_AFFINITY_MASK needs ZE_FLAT_DEVICE_HIERARCHY to be read" TWO_REMEDIES},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=3.1|ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE", 1, 4,
     XPU_ONE TWO_REMEDIES},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=3|ZE_FLAT_DEVICE_HIERARCHY=FLAT", 1, 4,
     XPU_ONE TWO_REMEDIES},
    {DeviceKind::xpu, "ONEAPI_DEVICE_SELECTOR=level_zero:2", 1, 4, XPU_ONE TWO_REMEDIES},
    {DeviceKind::xpu, "ONEAPI_DEVICE_SELECTOR=level_zero:gpu", 4, 4, "xpu:3"},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=0.0,0.1,1.0,1.1", 4, 4, "xpu:3"},
    // Enough for all, and a process that is alone.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,1;2", 2, 2, "cuda:1"},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3", 1, 1, "cuda:0"},
    // The runtime says that it shows both.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=MIG-1,MIG-2", 2, 2, "cuda:1"},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=MIG-1,MIG-2", 1, 1, "cuda:0"},
    // No list of several: nobody knows whose the device is.
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0", 1, 4, UNPROVED},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,", 1, 4, UNPROVED},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=MIG-1", 1, 4, UNPROVED},
};

template <class Policy = device_policy::strict>
constexpr rankmap::Message answer_of(const MalformedRow& row, const Policy& policy = {}) {
  const RecordedEnvironment env(row.environment, '|');
  const auto device =
      select_device(Process{row.size - 1, row.size}, row.kind, row.visible, policy, env);
  return device ? rankmap::Message(to_string(*device).view()) : message(device.error());
}
static_assert(std::ranges::all_of(malformed_rows, [](const MalformedRow& row) {
  return answer_of(row).view() == row.expected;
}));

TEST(SelectDevice, refuses_a_malformed_list_that_shows_too_few) {
  for (const MalformedRow& row : malformed_rows) {
    EXPECT_EQ(answer_of(row).view(), row.expected) << row.environment;
  }
}

TEST(SelectDevice, refuses_a_malformed_list_unless_sharing_is_meant) {
  const MalformedRow& row = malformed_rows[1];
  constexpr int nodes[] = {0};
  EXPECT_EQ(answer_of(row, device_policy::closest{.device_nodes = nodes}).view(), row.expected);
  EXPECT_EQ(answer_of(row, device_policy::trainer{}).view(), row.expected);
  EXPECT_EQ(answer_of(row, device_policy::or_cpu{}).view(), row.expected);
  EXPECT_EQ(answer_of(row, device_policy::per_process{2}).view(),
            "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: expected a list of 8 or more: 2 for each of 4 "
            "local processes (here: the rest of an entry is not read); " WRITE_COMMAS);
  EXPECT_EQ(answer_of(row, device_policy::wrap{}).view(), "cuda:0");
  EXPECT_EQ(answer_of(row, device_policy::block{}).view(), "cuda:0");
}

// ---- Slurm's options for GPUs
// Four tasks on a node with four
// GPUs. `%` stands for the local rank, `^` for 3 minus it. With device cgroups every task's list
// begins at 0; without them the ids are the node's.
struct SlurmRow {
  std::string_view options;
  std::string_view environment;
  int visible;                 // what the runtime shows to each task
  int index[4];                // -1: error
  std::string_view last_line;  // local rank 3's explanation after the variables
};
#define NO_BINDING(count, binding)                                                           \
  "visible cuda devices=\"" count                                                            \
  "\": expected a binding by which no two local processes can get the same, unlike " binding \
  "; bind by srun --gpus-per-task alone, or not at all by --gpu-bind=none; in the program, " \
  "choose by "                                                                               \
  "device_policy::disjoint, or by own if each has its own"
constexpr SlurmRow slurm_rows[] = {
    {"--gpus-per-node=4",
     "CUDA_VISIBLE_DEVICES=0,1,2,3\nSLURM_STEP_GPUS=0,1,2,3\nSLURM_GPUS_ON_NODE=4",
     4,
     {0, 1, 2, 3},
     "strict -> cuda:3 (physical 3)"},
    {"--gpus-per-node=4, other ids of a shared node",
     "CUDA_VISIBLE_DEVICES=4,5,6,7\nSLURM_STEP_GPUS=4,5,6,7\nSLURM_GPUS_ON_NODE=4",
     4,
     {0, 1, 2, 3},
     "strict -> cuda:3 (physical 7)"},
    {"--gpus-per-task=1, device cgroups",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_STEP_GPUS=%\nSLURM_GPUS_ON_NODE=4\nSLURM_TRES_PER_TASK=gres/"
     "gpu:1",
     1,
     {0, 0, 0, 0},
     "strict -> cuda:0 (physical 0): no other process has this device "
     "(SLURM_TRES_PER_TASK=gres/gpu:1)"},
    {"--gpus-per-task=1, no device cgroups",
     "CUDA_VISIBLE_DEVICES=%\nSLURM_STEP_GPUS=%\nSLURM_GPUS_ON_NODE=4\nSLURMD_TRES_BIND=gpu:per_"
     "task:1",
     1,
     {0, 0, 0, 0},
     "strict -> cuda:0 (physical 3): no other process has this device "
     "(SLURMD_TRES_BIND=gpu:per_task:1)"},
    {"--gpu-bind=single:1, device cgroups",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=4\nSLURM_GPU_BIND=single:1",
     1,
     {0, 0, 0, 0},
     "strict -> cuda:0 (physical 0): no other process has this device "
     "(SLURM_GPU_BIND=single:1)"},
    {"a mask of each task's own, of which nothing says who wrote it",
     "CUDA_VISIBLE_DEVICES=%\nSLURM_GPUS_ON_NODE=4",
     1,
     {-1, -1, -1, -1},
     UNPROVED},
    {"a mask that a person set, the same for all",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=4\nSLURM_STEP_GPUS=0,1,2,3",
     1,
     {-1, -1, -1, -1},
     UNPROVED},
    {"such a mask in place of Slurm's, without device cgroups",
     "CUDA_VISIBLE_DEVICES=0\nGPU_DEVICE_ORDINAL=%\nSLURM_STEP_GPUS=%\nSLURM_GPUS_ON_NODE=4\n"
     "SLURMD_TRES_BIND=gres/gpu:per_task:1",
     1,
     {0, -1, -1, -1},
     HERE_ONE ", or proof that each has its own (SLURMD_TRES_BIND=gres/gpu:per_task:1, but "
              "GPU_DEVICE_ORDINAL differs)" TWO_REMEDIES},
    {"a number of GPUs a task that the node does not have",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=1\nSLURM_TRES_PER_TASK=gres/gpu=1",
     1,
     {-1, -1, -1, -1},
     HERE_ONE ", or proof that each has its own (SLURM_TRES_PER_TASK=gres/gpu=1, but "
              "SLURM_GPUS_ON_NODE=1)" TWO_REMEDIES},
    {"MIG: of four that are listed the runtime shows one",
     "CUDA_VISIBLE_DEVICES=0,1,2,3\nSLURM_GPUS_ON_NODE=4",
     1,
     {-1, -1, -1, -1},
     UNPROVED},
    {"--ntasks-per-gpu=2",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=2\nSLURM_NTASKS_PER_GPU=2",
     1,
     {-1, -1, -1, -1},
     NO_BINDING("1", "SLURM_NTASKS_PER_GPU=2")},
    // Where an entry is no GPU of the job, Slurm gives the job's first one.
    {"--gpu-bind=map_gpu:0,1,2,3 of GPUs 4 to 7, no device cgroups",
     "CUDA_VISIBLE_DEVICES=4\nSLURM_STEP_GPUS=4\nSLURM_GPUS_ON_NODE=4\n"
     "SLURMD_TRES_BIND=gres/gpu:map:0,1,2,3",
     1,
     {-1, -1, -1, -1},
     NO_BINDING("1", "SLURMD_TRES_BIND=gres/gpu:map:0,1,2,3")},
    {"--gpu-bind=map_gpu:3,2,1,0, no device cgroups",
     "CUDA_VISIBLE_DEVICES=^\nSLURM_GPUS_ON_NODE=4\nSLURM_GPU_BIND=map_gpu:3,2,1,0",
     1,
     {-1, -1, -1, -1},
     NO_BINDING("1", "SLURM_GPU_BIND=map_gpu:3,2,1,0")},
    {"--gpu-bind=map_gpu:3,2,1,0, device cgroups",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=4\nSLURM_GPU_BIND=map_gpu:3,2,1,0",
     1,
     {-1, -1, -1, -1},
     NO_BINDING("1", "SLURM_GPU_BIND=map_gpu:3,2,1,0")},
    {"--gpus-per-task=2 on eight",
     "CUDA_VISIBLE_DEVICES=0,1\nSLURM_GPUS_ON_NODE=8\nSLURM_TRES_PER_TASK=gres/gpu:2",
     2,
     {0, 0, 0, 0},
     "strict -> cuda:0 (physical 0): no other process has this device "
     "(SLURM_TRES_PER_TASK=gres/gpu:2)"},
    // Somebody unset the binding, for NCCL: what was requested is no longer what is visible.
    {"--gpus-per-task=1, no device cgroups, and the variable unset",
     "SLURM_GPUS_ON_NODE=4\nSLURM_TRES_PER_TASK=gres/gpu:1",
     4,
     {0, 1, 2, 3},
     "strict -> cuda:3"},
    {"a job with one GPU for four tasks: each may see the same",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=1",
     1,
     {-1, -1, -1, -1},
     UNPROVED},
    {"--gpu-bind=none with one GPU for four tasks",
     "CUDA_VISIBLE_DEVICES=0\nSLURM_GPUS_ON_NODE=1\nSLURM_GPU_BIND=none",
     1,
     {-1, -1, -1, -1},
     "visible cuda devices=\"1\": expected 4 or more: 1 for each of 4 local processes, which see "
     "the same devices (SLURM_GPU_BIND=none); start fewer processes, or show them more devices; in "
     "the program, share by device_policy::wrap or block, or list devices by device_policy::map"},
    {"--tres-bind=gres/gpu:none+gres/nic:per_task:1",
     "CUDA_VISIBLE_DEVICES=0,1,2,3\nSLURM_GPUS_ON_NODE=4\nSLURMD_TRES_BIND=gres/gpu:none+gres/nic:"
     "per_task:1",
     4,
     {0, 1, 2, 3},
     "strict -> cuda:3 (physical 3)"},
    // Two tasks share two GPUs: no index is right for both without communication.
    {"--gpu-bind=closest: two of four",
     "CUDA_VISIBLE_DEVICES=2,3\nSLURM_GPUS_ON_NODE=4\nSLURM_GPU_BIND=closest",
     2,
     {-1, -1, -1, -1},
     NO_BINDING("2", "SLURM_GPU_BIND=closest")},
    {"--gpu-bind=closest: four of eight, which others may see in part",
     "CUDA_VISIBLE_DEVICES=2,3,4,5\nSLURM_GPUS_ON_NODE=8\nSLURM_GPU_BIND=closest",
     4,
     {-1, -1, -1, -1},
     NO_BINDING("4", "SLURM_GPU_BIND=closest")},
    {"--gpu-bind=closest: all of them",
     "CUDA_VISIBLE_DEVICES=0,1,2,3\nSLURM_GPUS_ON_NODE=4\nSLURM_GPU_BIND=closest",
     4,
     {0, 1, 2, 3},
     "strict -> cuda:3 (physical 3)"},
};

TEST(SelectDevice, is_right_with_every_gpu_option_of_slurm) {
  for (const SlurmRow& row : slurm_rows) {
    for (int rank = 0; rank != 4; ++rank) {
      std::string text = "SLURM_LOCALID=%\nSLURM_STEP_TASKS_PER_NODE=4\n";
      text += row.environment;
      for (char& c : text) {
        if (c == '%') c = static_cast<char>('0' + rank);
        if (c == '^') c = static_cast<char>('3' - rank);
      }
      const RecordedEnvironment env(text);
      const Process process{rank, 4};
      const auto device =
          select_device(process, DeviceKind::cuda, row.visible, device_policy::strict{}, env);
      ASSERT_EQ(device ? device->index.value : -1, row.index[rank]) << row.options;
      if (rank != 3) continue;
      const auto visible = visible_devices(DeviceKind::cuda, env);
      const auto request = device_request(process, DeviceKind::cuda, row.visible, env, visible);
      const std::string line(explain(request, device).view());
      EXPECT_EQ(line.substr(line.rfind("| ") + 2), row.last_line) << row.options;
    }
  }
}

TEST(SelectDevice, follows_a_recorded_step) {
  for (int rank = 0; rank != 4; ++rank) {
    const std::string text = recording("slurm-gpus-per-task", rank);
    const RecordedEnvironment env(text);
    const Process process{rank % 2, 2};
    const auto visible = visible_devices(DeviceKind::cuda, env, 2);
    const auto request = device_request(process, DeviceKind::cuda, 1, env, visible);
    const auto device = select_device(request);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->index, VisibleIndex(0));
    EXPECT_EQ(explain(request, device).view(),
              "local rank " + std::to_string(rank % 2) +
                  " of 2 | CUDA_VISIBLE_DEVICES=" + std::to_string(rank % 2) +
                  ": 1 entry | strict -> cuda:0 (physical " + std::to_string(rank % 2) +
                  "): no other process has this device "
                  "(SLURMD_TRES_BIND=gpu:per_task:1)");
  }
}

// ---- With a Topology

struct Recorded {
  std::string scenario;
  int rank, devices;
  std::string_view expected;
};
const Recorded recordings[] = {
    {"ompi-one-node", 3, 4,
     "local rank 3 of 4 (OMPI_COMM_WORLD_LOCAL_RANK) | CUDA_VISIBLE_DEVICES unset, 4 shown | "
     "strict "
     "-> cuda:3"},
    {"mpich-one-node", 2, 4,
     "local rank 2 of 4 (MPI_LOCALRANKID) | CUDA_VISIBLE_DEVICES unset, 4 shown | strict -> "
     "cuda:2"},
    {"torchrun-standalone", 1, 3,
     "local rank 1 of 3 (LOCAL_RANK) | CUDA_VISIBLE_DEVICES unset, 3 shown | strict -> cuda:1"},
    {"torchrun-standalone", 1, 2,
     "local rank 1 of 3 (LOCAL_RANK) | CUDA_VISIBLE_DEVICES unset, 2 shown | visible cuda "
     "devices=\"2\": expected 3 or more: 1 for each of 3 local processes, which see the same "
     "devices (TORCHELASTIC_RUN_ID is set); start fewer processes, or show them more devices; in "
     "the program, share by device_policy::wrap or block, or list devices by device_policy::map"},
    {"slurm-2x2", 3, 2,
     "local rank 1 of 2 (SLURM_LOCALID) | CUDA_VISIBLE_DEVICES unset, 2 shown | strict -> cuda:1"},
    {"slurm-gpus-per-task", 3, 1,
     "local rank 1 of 2 (SLURM_LOCALID) | CUDA_VISIBLE_DEVICES=1: 1 entry | strict -> cuda:0 "
     "(physical 1): no other process has this device "
     "(SLURMD_TRES_BIND=gpu:per_task:1)"},
    {"slurm-gpus-per-node", 3, 4,
     "local rank 1 of 2 (SLURM_LOCALID) | CUDA_VISIBLE_DEVICES=0,1,2,3: 4 entries | strict -> "
     "cuda:1 "
     "(physical 1)"},
    {"slurm-gpu-bind-single", 3, 1,
     "local rank 1 of 2 (SLURM_LOCALID) | CUDA_VISIBLE_DEVICES=1: 1 entry | strict -> cuda:0 "
     "(physical 1): no other process has this device "
     "(SLURMD_TRES_BIND=gpu:single:1)"},
    {"slurm-gpu-bind-map", 2, 1,
     "local rank 0 of 2 (SLURM_LOCALID) | CUDA_VISIBLE_DEVICES=3: 1 entry | " NO_BINDING(
         "1", "SLURMD_TRES_BIND=gpu:map_gpu:3,2,1,0")},
    {"none", 0, 2,
     "local rank 0, not launched (a world of one process) | CUDA_VISIBLE_DEVICES unset, 2 shown | "
     "strict -> cuda:0"},
};

TEST(SelectDevice, shows_where_a_topology_has_its_local_rank_from) {
  for (const Recorded& row : recordings) {
    const std::string text = recording(row.scenario, row.rank);
    const RecordedEnvironment env(text);
    const auto topology = rankmap::Topology::from_environment(env);
    ASSERT_TRUE(topology) << message(topology.error()).view();
    const auto visible = visible_devices(DeviceKind::cuda, env);
    const auto request = device_request(*topology, DeviceKind::cuda, row.devices, env, visible);
    EXPECT_EQ(explain(request, select_device(request)).view(), row.expected) << row.scenario;
  }
}

// With every option of Slurm, the two tasks of each node must get two devices. That the entries of
// a list are GPUs of the job is the program's word.
TEST(SelectDevice, gives_different_devices_in_every_recorded_gpu_step) {
  for (const char* const scenario : {"slurm-gpus-per-node", "slurm-gpus-per-task",
                                     "slurm-gpu-bind-single", "slurm-gpu-bind-map"}) {
    int physical[4] = {};
    for (int rank = 0; rank != 4; ++rank) {
      const std::string text = recording(scenario, rank);
      const RecordedEnvironment env(text);
      const auto topology = rankmap::Topology::from_environment(env);
      ASSERT_TRUE(topology);
      const auto visible = visible_devices(DeviceKind::cuda, env, 4);
      ASSERT_TRUE(visible.count() && visible.checked());
      const bool is_list = scenario == std::string_view("slurm-gpu-bind-map");
      const auto device = is_list ? select_device(*topology, DeviceKind::cuda, *visible.count(),
                                                  device_policy::own{}, env)
                                  : select_device(*topology, DeviceKind::cuda, *visible.count(),
                                                  device_policy::strict{}, env);
      ASSERT_TRUE(device) << scenario << ' ' << rank;
      physical[rank] = visible.physical(device->index)->value;
    }
    EXPECT_NE(physical[0], physical[1]) << scenario;
    EXPECT_NE(physical[2], physical[3]) << scenario;
  }
}

TEST(SelectDevice, ignores_slurms_variables_below_another_launcher) {
  // mpirun inside a Slurm allocation with GPUs for each of its own tasks; a process of a step whose
  // rank variables were set by hand.
  const auto isolation = [](std::string_view text) {
    const RecordedEnvironment env(text);
    const auto topology = rankmap::Topology::from_environment(env);
    const auto visible = visible_devices(DeviceKind::cuda, env);
    return device_request(*topology, DeviceKind::cuda, 1, env, visible).isolation.isolation;
  };
  constexpr std::string_view slurm =
      "SLURM_JOB_ID=7\nSLURM_STEP_ID=0\nSLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NTASKS=2\n"
      "SLURM_STEP_NUM_TASKS=2\nSLURM_STEP_NUM_NODES=1\nSLURM_NODEID=0\nSLURM_NNODES=1\n"
      "SLURM_STEP_TASKS_PER_NODE=2\nSLURM_GTIDS=0,1\nSLURM_STEP_NODELIST=n1\nSLURM_UMASK=0022\n"
      "SLURM_GPUS_PER_TASK=1\nCUDA_VISIBLE_DEVICES=0\n";
  EXPECT_EQ(isolation(slurm), rankmap::Isolation::own);
  EXPECT_EQ(
      isolation(std::string(slurm) + "RANK=0\nWORLD_SIZE=2\nLOCAL_RANK=0\nLOCAL_WORLD_SIZE=2\n"),
      rankmap::Isolation::own);
  EXPECT_EQ(
      isolation(std::string(slurm) + "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=4\n"
                                     "OMPI_COMM_WORLD_LOCAL_RANK=0\nOMPI_COMM_WORLD_LOCAL_SIZE=4\n"
                                     "RANKMAP_LAUNCHER=open_mpi\n"),
      rankmap::Isolation::unknown);
}

// Slurm wrote the same id into all of AMD's layers there, and the second indexes what the first
// left.
TEST(SelectDevice, explains_why_a_recorded_step_shows_no_amd_device) {
  const std::string text = recording("slurm-gpus-per-task", 1);
  const RecordedEnvironment env(text);
  const auto device =
      select_device(Process{1, 2}, DeviceKind::rocm, 0, device_policy::trainer{}, env);
  ASSERT_FALSE(device);
  EXPECT_EQ(message(device.error()).view(),
            "CUDA_VISIBLE_DEVICES=\"1\" at byte 0: expected a list that the vendor's software "
            "accepts (here: "
            "no device has this number); correct or unset it");
}

// ---- the count and the variable

struct CountRow {
  DeviceKind kind;
  std::string_view environment;
  int count;
  std::string_view expected;
};
#define AT_MOST(count) \
  "correct or unset it; in the program, pass the count that the runtime shows, at most " count
#define AS_COUNTED(count) "expected a list of at least " count " devices, as the program counts"
#define PASS_COUNT "correct or unset it; in the program, pass the count that the runtime shows"
constexpr CountRow count_rows[] = {
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=4,5,6,7", 8,
     "CUDA_VISIBLE_DEVICES=\"4,5,6,7\": expected at least 8 devices, the visible_count of the "
     "program; " AT_MOST("4")},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=4,5,6,7", 5,
     "CUDA_VISIBLE_DEVICES=\"4,5,6,7\": expected at least 5 devices, the visible_count of the "
     "program; " AT_MOST("4")},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=-1", 8,
     "CUDA_VISIBLE_DEVICES=\"-1\": expected at least 8 devices, the visible_count of the "
     "program; " AT_MOST("0")},
    {DeviceKind::rocm, "ROCR_VISIBLE_DEVICES=0,1,2,3|HIP_VISIBLE_DEVICES=2,3", 4,
     "HIP_VISIBLE_DEVICES=\"2,3\": expected at least 4 devices, the visible_count of the "
     "program; " AT_MOST("2")},
    {DeviceKind::rocm, "ROCR_VISIBLE_DEVICES=0,1", 4,
     "ROCR_VISIBLE_DEVICES=\"0,1\": expected at least 4 devices, the visible_count of the "
     "program; " AT_MOST("2")},
    // a malformed one shows the devices ahead of the mistake
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,x,2,3", 4,
     "CUDA_VISIBLE_DEVICES=\"0,x,2,3\" at byte 2: " AS_COUNTED(
         "4") " (here: not an entry that this variable accepts); " PASS_COUNT},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0-3", 4,
     "CUDA_VISIBLE_DEVICES=\"0-3\" at byte 1: " AS_COUNTED(
         "4") " (here: the rest of an entry is not read); " PASS_COUNT},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,0", 2,
     "CUDA_VISIBLE_DEVICES=\"0,0\" at byte 2: " AS_COUNTED(
         "2") " (here: a device named twice); CUDA then shows no device; " PASS_COUNT},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=0,1;2", 2, "cuda:1"},
    // as many, or fewer: a program need not use all of them
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=4,5,6,7", 4, "cuda:1"},
    {DeviceKind::cuda, "CUDA_VISIBLE_DEVICES=4,5,6,7", 2, "cuda:1"},
    {DeviceKind::cuda, "", 8, "cuda:1"},
    // a runtime may count the cores of a chip and the tiles of a card
    {DeviceKind::tpu, "TPU_VISIBLE_CHIPS=0,1", 4, "tpu:1"},
    {DeviceKind::xpu, "ZE_AFFINITY_MASK=0,1", 4, "xpu:1"},
};

TEST(SelectDevice, holds_the_count_against_the_variable) {
  for (const CountRow& row : count_rows) {
    const auto device = select_device(Process{1, 2}, row.kind, row.count, device_policy::strict{},
                                      RecordedEnvironment(row.environment, '|'));
    EXPECT_EQ(device ? std::string(to_string(*device)) : std::string(message(device.error())),
              row.expected)
        << row.environment << ' ' << row.count;
  }
}

// ---- torchrun

TEST(SelectDevice, fails_with_more_torchrun_workers_than_devices) {
  constexpr FixedEnvironment two(
      {{"TORCHELASTIC_RUN_ID", "none"}, {"LOCAL_RANK", "3"}, {"CUDA_VISIBLE_DEVICES", "0,1"}});
  static_assert(select_device(Process{3, 4}, DeviceKind::cuda, 2, device_policy::strict{}, two)
                    .error()
                    .code == Errc::not_enough_devices);
  // One may be the agent's, for all of them, or this worker's.
  constexpr FixedEnvironment one(
      {{"TORCHELASTIC_RUN_ID", "none"}, {"LOCAL_RANK", "3"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  static_assert(select_device(Process{3, 4}, DeviceKind::cuda, 1, device_policy::strict{}, one)
                    .error()
                    .code == Errc::ambiguous);
  const auto shared = select_device(Process{3, 4}, DeviceKind::cuda, 1, device_policy::wrap{}, one);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->index, VisibleIndex(0));
}

TEST(SelectDevice, knows_no_index_where_several_agents_share_a_node) {
  constexpr FixedEnvironment env(
      {{"TORCHELASTIC_RUN_ID", "none"}, {"LOCAL_RANK", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}});
  for (const int size : {1, 2}) {  // the workers of one agent
    const auto device =
        select_device(Process{0, size}, DeviceKind::cuda, 4, device_policy::strict{}, env);
    ASSERT_FALSE(device);
    EXPECT_EQ(
        message(device.error()).view(),
        "visible cuda devices=\"4\": expected local ranks that count all processes of the "
        "node, unlike those below SLURM_STEP_TASKS_PER_NODE: several agents on a node; start "
        "one agent on each node, or bind by srun --gpus-per-task; in the program, choose by a "
        "policy of your own");
  }
}

// Each process that mpirun started on this node started torchrun.
TEST(SelectDevice, knows_no_index_where_an_outer_launch_has_several_processes_here) {
  const auto choose = [](std::string_view mpi, std::string_view more, bool has_chain) {
    const std::string agent = "PATH=/bin|" + std::string(mpi);
    const std::string worker = agent +
                               "|RANK=2|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
                               "GROUP_WORLD_SIZE=2|ROLE_RANK=2|ROLE_WORLD_SIZE=4|"
                               "MASTER_ADDR=n1|MASTER_PORT=29500|TORCHELASTIC_RUN_ID=j|"
                               "TORCHELASTIC_RESTART_COUNT=0|TORCHELASTIC_MAX_RESTARTS=0|" +
                               std::string(more);
    rankmap::Ancestors above;
    rankmap::Ancestor torchrun{"torchrun"};
    torchrun.start = RecordedEnvironment(agent, '|');
    above.add(torchrun);
    rankmap::Ancestor daemon{"orted"};
    daemon.start = RecordedEnvironment(std::string_view("PATH=/bin"), '|');
    above.add(daemon);
    std::optional<rankmap::Ancestors> chain;
    if (has_chain) chain = above;
    const rankmap::WithAncestors env(RecordedEnvironment(worker, '|'), chain);
    const auto me = rankmap::Identity::from_environment(env, rankmap::Need::local);
    EXPECT_TRUE(me) << message(me.error());
    if (!me) return std::string("no identity");
    const auto device = select_device(*me, DeviceKind::cuda, 4, device_policy::strict{}, env);
    return device ? std::to_string(device->index.value)
                  : std::string(message(device.error()).view());
  };
#define SECOND_OF_TWO "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|"
  constexpr std::string_view two_here =
      SECOND_OF_TWO "OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=2";
  constexpr std::string_view one_here =
      SECOND_OF_TWO "OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_LOCAL_SIZE=1";
  EXPECT_NE(choose(two_here, "", true).find("unlike those below open_mpi: several agents"),
            std::string::npos)
      << choose(two_here, "", true);
  // Also if whoever runs the job names the launcher, and nothing shows which record is the inner.
  EXPECT_NE(choose(two_here, "RANKMAP_LAUNCHER=torchrun", false).find("below open_mpi"),
            std::string::npos);
  EXPECT_EQ(choose(one_here, "", true), "0");
  EXPECT_EQ(choose(two_here, "CUDA_VISIBLE_DEVICES=2,3,4,5", true), "0");  // each may have its own
}

/// A worker of a launcher.
struct Worker : Process {
  std::string_view launcher;
  constexpr std::string_view launcher_name() const { return launcher; }
};

// A launcher that names a device for each worker, in the worker's own environment.
TEST(SelectDevice, takes_the_device_that_the_launcher_names) {
  const auto choose = [](std::string_view launcher, std::string_view variable,
                         std::string_view named, DeviceKind kind = DeviceKind::cuda) {
    const FixedEnvironment env({{variable, named}});
    const auto device =
        select_device(Worker{{1, 3}, launcher}, kind, 8, device_policy::trainer{}, env);
    return device ? device->index.value : -1;
  };
  EXPECT_EQ(choose("ray_train", "ACCELERATE_TORCH_DEVICE", "cuda:5"), 5);
  EXPECT_EQ(choose("ray_train", "ACCELERATE_TORCH_DEVICE", "cuda:5", DeviceKind::rocm), 5);
  EXPECT_EQ(choose("ray_train", "ACCELERATE_TORCH_DEVICE", "npu:5"), 1);
  EXPECT_EQ(choose("ray_train", "ACCELERATE_TORCH_DEVICE", "cpu"), 1);
  // paddle.distributed.launch --gpus 1,2,7
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "2"), 2);
  EXPECT_EQ(choose("paddle", "FLAGS_selected_npus", "2"), 1);
  EXPECT_EQ(choose("paddle", "FLAGS_selected_npus", "2", DeviceKind::npu), 2);
  EXPECT_EQ(choose("ascend", "DEVICE_ID", "6", DeviceKind::npu), 6);
  // Paddle's default, a process with several, a text that is no number.
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "1"), 1);
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "0,1,2"), 1);
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "two"), 1);
  // None that is not there.
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "8"), -1);
  EXPECT_EQ(choose("paddle", "FLAGS_selected_gpus", "2147483648"), -1);

  const FixedEnvironment second({{"ACCELERATE_TORCH_DEVICE", "cuda:2"}});
  const auto two = select_device(Worker{{1, 2}, "ray_train"}, DeviceKind::cuda, 4,
                                 device_policy::per_process{2}, second);
  ASSERT_TRUE(two) << message(two.error());
  EXPECT_EQ(two->index, VisibleIndex(2));
  EXPECT_EQ(two->reason.view(), "its launcher names it (ACCELERATE_TORCH_DEVICE=cuda:2)");
}

TEST(SelectDevice, takes_no_index_that_another_launcher_contradicts) {
  const auto choose = [](std::string_view launcher, std::string_view variable,
                         std::string_view named, DeviceKind kind) {
    const FixedEnvironment env({{variable, named}});
    return select_device(Worker{{1, 3}, launcher}, kind, 8, device_policy::strict{}, env);
  };
  const auto other = choose("torchrun", "ACCELERATE_TORCH_DEVICE", "cuda:5", DeviceKind::cuda);
  ASSERT_FALSE(other);
  EXPECT_EQ(message(other.error()).view(),
            "visible cuda devices=\"8\": expected the device at the local rank, unlike "
            "ACCELERATE_TORCH_DEVICE=cuda:5; unset it if another launch set it; in the program, "
            "take the visible device that it names");
  EXPECT_FALSE(choose("torch_env", "DEVICE_ID", "5", DeviceKind::npu));
  EXPECT_TRUE(choose("torch_env", "DEVICE_ID", "1", DeviceKind::npu));
  EXPECT_TRUE(choose("torch_env", "DEVICE_ID", "5", DeviceKind::cuda));
  EXPECT_TRUE(choose("torchrun", "FLAGS_selected_gpus", "2", DeviceKind::cuda));
  // To share by local ranks is not what the launcher meant.
  const FixedEnvironment env({{"FLAGS_selected_gpus", "2"}});
  EXPECT_FALSE(
      select_device(Worker{{1, 3}, "paddle"}, DeviceKind::cuda, 8, device_policy::block{}, env));
}

TEST(SelectDevice, counts_one_process_on_a_device_of_its_own) {
  constexpr FixedEnvironment env(
      {{"SLURM_LOCALID", "1"}, {"SLURM_GPUS_PER_TASK", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  const auto device =
      select_device(Process{1, 2}, DeviceKind::cuda, 1, device_policy::wrap{.sharing = 1}, env);
  ASSERT_TRUE(device) << message(device.error());
  EXPECT_EQ(device->index, VisibleIndex(0));
}

TEST(SelectDevice, shares_a_device_as_slurm_bound_it) {
  // srun --ntasks-per-gpu=2, four tasks on two GPUs: two of them see this one.
  const auto choose = [](std::string_view tasks, std::string_view list, std::string_view on_node,
                         int sharing) {
    const FixedEnvironment env({{"SLURM_LOCALID", "1"},
                                {"SLURM_NTASKS_PER_GPU", tasks},
                                {"SLURM_GPUS_ON_NODE", on_node},
                                {"SLURM_STEP_GPUS", "0"},
                                {"GPU_DEVICE_ORDINAL", "0"},
                                {"CUDA_VISIBLE_DEVICES", list}});
    const int count = list == "0" || list == "1" ? 1 : 2;
    return select_device(Process{1, 4}, DeviceKind::cuda, count,
                         device_policy::wrap{.sharing = sharing}, env);
  };
  const auto device = choose("2", "0", "2", 2);
  ASSERT_TRUE(device) << message(device.error());
  EXPECT_EQ(device->index, VisibleIndex(0));
  EXPECT_FALSE(choose("2", "0", "2", 1));    // more than the program allows
  EXPECT_FALSE(choose("4", "0", "2", 2));    // more than that
  EXPECT_FALSE(choose("2", "0", "1", 2));    // too few: all four have it
  EXPECT_FALSE(choose("2", "1", "2", 2));    // another list than Slurm's
  EXPECT_FALSE(choose("2", "0,1", "2", 1));  // not bound
}

TEST(SelectDevice, follows_torchrun_inside_a_slurm_task_with_own_gpus) {
  // srun --gpus-per-task=4 torchrun --nproc-per-node=4: the GPUs are the agent's, not each
  // worker's.
  const FixedEnvironment env({{"TORCHELASTIC_RUN_ID", "none"},
                              {"SLURM_LOCALID", "0"},
                              {"SLURM_GPUS_PER_TASK", "4"},
                              {"CUDA_VISIBLE_DEVICES", "0,1,2,3"}});
  for (int rank = 0; rank != 4; ++rank) {
    const auto device =
        select_device(Process{rank, 4}, DeviceKind::cuda, 4, device_policy::strict{}, env);
    EXPECT_EQ(device->index, VisibleIndex(rank));
  }
}

// ---- Own policies, own processes

constexpr auto reversed = [](const DeviceRequest& request) -> Result<Device> {
  Device device;
  device.kind = request.kind;
  device.index = VisibleIndex(request.visible_count - 1 - request.local_rank.value);
  device.count = 1;
  device.policy = "reversed";
  return device;
};

TEST(SelectDevice, accepts_a_lambda_as_policy) {
  constexpr auto device =
      select_device(Process{1, 4}, DeviceKind::npu, 4, reversed, FixedEnvironment());
  static_assert(device && device->index == VisibleIndex(2));
  EXPECT_EQ(to_string(*device).view(), "npu:2");
}

TEST(SelectDevice, fails_if_a_policy_names_an_invisible_device) {
  const auto device =
      select_device(Process{3, 4}, DeviceKind::npu, 2, reversed, FixedEnvironment());
  ASSERT_FALSE(device);
  EXPECT_EQ(message(device.error()).view(),
            "the policy's device=\"npu:-2 driving 1\": expected visible indices in [0, 2); correct "
            "the policy");
  const auto many = [](const DeviceRequest& request) {
    Device found;
    found.kind = request.kind;
    found.count = 2147483647;
    found.index = VisibleIndex(2147483647);
    return found;
  };
  EXPECT_EQ(
      select_device(Process{0, 1}, DeviceKind::cuda, 4, many, FixedEnvironment()).error().code,
      Errc::out_of_range);
}

TEST(SelectDevice, gives_the_cpu_on_request) {
  const auto device = select_device(Process{1, 2}, DeviceKind::cpu, 0);
  ASSERT_TRUE(device);
  EXPECT_EQ(to_string(*device).view(), "cpu");
  EXPECT_EQ(device->count, 0);
}

TEST(SelectDevice, gives_a_process_without_launcher_the_first_device) {
  for (const int local_rank : {0, -1}) {
    const auto strict = select_device(Process{local_rank, 1}, DeviceKind::cuda, 4,
                                      device_policy::strict{}, FixedEnvironment());
    ASSERT_TRUE(strict);
    EXPECT_EQ(strict->index, VisibleIndex(0));
    EXPECT_EQ(strict->count, 1);
    const auto trainer = select_device(Process{local_rank, 1}, DeviceKind::cuda, 4,
                                       device_policy::trainer{}, FixedEnvironment());
    ASSERT_TRUE(trainer);
    EXPECT_EQ(trainer->count, 4);
  }
  // One process, but launched: torchrun --nproc-per-node=1.
  const auto launched = select_device(Process{0, 1}, DeviceKind::cuda, 4, device_policy::trainer{},
                                      FixedEnvironment({{"LOCAL_RANK", "0"}}));
  ASSERT_TRUE(launched);
  EXPECT_EQ(launched->count, 1);
}

// ---- The explanation

constexpr DeviceRequest ask(int rank, int size, int count) {
  DeviceRequest request;
  request.local_rank = LocalRank(rank);
  request.local_world_size = size;
  request.visible_count = count;
  return request;
}

TEST(Explain, shows_rank_variables_and_device_in_one_line) {
  constexpr FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", "4,5,6,7"}});
  constexpr auto visible = visible_devices(DeviceKind::cuda, env);
  DeviceRequest request = ask(3, 4, 4);
  request.visible = &visible;
  request.local_rank_source = "OMPI_COMM_WORLD_LOCAL_RANK";
  EXPECT_EQ(explain(request, select_device(request)).view(),
            "local rank 3 of 4 (OMPI_COMM_WORLD_LOCAL_RANK) | CUDA_VISIBLE_DEVICES=4,5,6,7: 4 "
            "entries | strict -> cuda:3 (physical 7)");
}

TEST(Explain, omits_the_physical_id_if_runtime_and_variable_disagree) {
  constexpr FixedEnvironment env({{"HIP_VISIBLE_DEVICES", "0,1,2,3"}});
  constexpr auto visible = visible_devices(DeviceKind::rocm, env);
  DeviceRequest request = ask(1, 2, 3);
  request.kind = DeviceKind::rocm;
  request.visible = &visible;
  EXPECT_EQ(explain(request, select_device(request)).view(),
            "local rank 1 of 2 | HIP_VISIBLE_DEVICES=0,1,2,3: 4 entries, 3 shown | strict -> "
            "rocm:1");
}

TEST(Explain, works_with_few_known_values) {
  DeviceRequest request = ask(1, 2, 2);
  EXPECT_EQ(explain(request, select_device(request)).view(),
            "local rank 1 of 2 | 2 shown | strict -> cuda:1");
  request.local_world_size = std::nullopt;
  EXPECT_EQ(explain(request, select_device(request, device_policy::per_process{1})).view(),
            "local rank 1 | 2 shown | per_process -> cuda:1");
  constexpr FixedEnvironment empty;
  constexpr auto visible = visible_devices(DeviceKind::cuda, empty);
  request.visible = &visible;
  request.launched = false;
  EXPECT_EQ(explain(request, select_device(request, device_policy::trainer{})).view(),
            "local rank 1, not launched | CUDA_VISIBLE_DEVICES unset, 2 shown | trainer -> cuda:0 "
            "and 1 more: no launcher: all visible devices in one process");
  request.kind = DeviceKind::cpu;
  EXPECT_EQ(explain(request, select_device(request)).view(),
            "local rank 1, not launched | CUDA_VISIBLE_DEVICES unset, 2 shown | cpu: the caller "
            "requested the CPU");
}

TEST(Explain, writes_to_any_callable) {
  std::string line;
  explain(ask(0, 1, 1), select_device(ask(0, 1, 1)), [&](std::string_view text) { line += text; });
  EXPECT_EQ(line, "local rank 0 of 1 | 1 shown | strict -> cuda:0");
}

TEST(Explain, is_printable_with_any_text_in_the_variable) {
  for (const std::string_view text : {std::string_view("\x1b[2J\n0"), std::string_view("0\0,1", 4),
                                      std::string_view("\xf0\x9f\x98\x80")}) {
    const FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", text}});
    const auto visible = visible_devices(DeviceKind::cuda, env);
    for (const int count : {0, 1, 4}) {
      DeviceRequest request = ask(1, 2, count);
      request.visible = &visible;
      const auto line = explain(request, select_device(request));
      for (const char c : line.view()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e);
    }
  }
}

// ---- an Identity, which is the lighter question

constexpr std::string_view processes[] = {
    "",
    "LOCAL_RANK=0",
    "RANK=2|WORLD_SIZE=4|LOCAL_RANK=2",
    "RANK=9|WORLD_SIZE=16|LOCAL_RANK=9",
    "RANK=2|WORLD_SIZE=4|LOCAL_RANK=2|CUDA_VISIBLE_DEVICES=2",
    "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=1|"
    "OMPI_COMM_WORLD_LOCAL_SIZE=2",
    "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_NODEID=1|SLURM_GTIDS=2,3|SLURM_STEP_NUM_TASKS=4|"
    "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=2(x2)|"
    "SLURMD_NODENAME=n2|SLURM_JOB_ID=9|SLURM_STEP_ID=0|SLURM_TRES_PER_TASK=gres/gpu=1|"
    "CUDA_VISIBLE_DEVICES=1",
};

TEST(SelectDevice, of_an_identity_is_that_of_the_topology) {
  for (const std::string_view variables : processes) {
    const RecordedEnvironment env(variables, '|');
    const int shown = variables.find("CUDA_VISIBLE_DEVICES") == variables.npos ? 4 : 1;
    const auto topology = rankmap::Topology::from_environment(env);
    ASSERT_EQ(topology.has_value(), variables != "LOCAL_RANK=0") << variables;
    const auto identity = rankmap::Identity::from_environment(env, rankmap::Need::local).value();
    const auto device =
        select_device(identity, DeviceKind::cuda, shown, device_policy::strict{}, env);
    if (!topology) {
      EXPECT_EQ(to_string(device.value()), "cuda:0");
    } else {
      EXPECT_EQ(device,
                select_device(*topology, DeviceKind::cuda, shown, device_policy::strict{}, env))
          << variables;
    }
  }
}

TEST(SelectDevice, of_an_identity_without_a_local_rank_is_an_error) {
  const RecordedEnvironment env("JOB_COMPLETION_INDEX=1", '|');
  const auto identity = rankmap::Identity::from_environment(env, rankmap::Need::hint).value();
  const auto device = select_device(identity, DeviceKind::cuda, 4, device_policy::strict{}, env);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Errc::missing);
  EXPECT_EQ(message(device.error()).view(),
            "local_rank is not set: expected the local rank of this process; in the program, ask "
            "for Need::local");
}

// Alone it has the first device, whatever local rank it claims.
struct Partial {
  std::optional<int> all;
  constexpr std::optional<int> local_rank() const { return 2; }
  constexpr std::optional<int> local_world_size() const { return std::nullopt; }
  constexpr std::optional<int> world_size() const { return all; }
};
static_assert(rankmap::PartialLocalProcess<Partial> && !rankmap::LocalProcess<Partial>);
static_assert(!rankmap::PartialLocalProcess<Process> &&
              rankmap::PartialLocalProcess<rankmap::Identity>);

TEST(SelectDevice, counts_a_process_of_an_unknown_number_as_one_of_several) {
  const RecordedEnvironment none("", '|');
  const auto of = [&](std::optional<int> all) {
    return select_device(Partial{all}, DeviceKind::cuda, 4, device_policy::strict{}, none)
        .value()
        .index.value;
  };
  EXPECT_EQ(of(1), 0);
  EXPECT_EQ(of(2), 2);
  EXPECT_EQ(of(std::nullopt), 2);
}

}  // namespace
