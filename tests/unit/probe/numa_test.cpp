// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/device/device_policy.hpp>
#include <rankmap/probe/numa.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using rankmap::CpuSet;
using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::probe_allowed_cpus;
using rankmap::probe_numa_node_of;
using rankmap::visible_devices;
using rankmap::visible_numa_nodes;
using rankmap_test::four_nvidia;
using rankmap_test::Machine;
using rankmap_test::visible_nodes;

TEST(ProbeCpus, are_those_that_this_process_may_use) {
  Machine machine;
  machine.file("/proc/self/status",
               "Name:\ttest\nCpus_allowed:\tff00\nCpus_allowed_list:\t8-11,24\nMems_allowed:\t1\n");
  const auto cpus = probe_allowed_cpus(machine.options());
  ASSERT_TRUE(cpus);
  EXPECT_EQ(to_string(*cpus).view(), "8-11,24");
  machine.file("/sys/devices/system/node/node0/cpulist", "0-7,16-23\n")
      .file("/sys/devices/system/node/node1/cpulist", "8-15,24-31\n")
      .file("/sys/devices/system/node/node2/cpulist", "\n")
      .file("/sys/devices/system/node/possible", "0-2\n");
  for (const char* const strange : {"node", "node1x", "nodes1", "xnode1"}) {  // no nodes
    machine.file("/sys/devices/system/node/" + std::string(strange) + "/cpulist", "8-15,24-31\n");
  }
  EXPECT_EQ(probe_numa_node_of(*cpus, machine.options()), 1);
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0-31"), machine.options()), -1);
  EXPECT_EQ(probe_numa_node_of(CpuSet(), machine.options()), -1);
  const auto here = probe_allowed_cpus();
  EXPECT_TRUE(!here || !here->empty());
}

TEST(ProbeCpus, are_an_error_without_the_file) {
  const Machine machine;
  const auto cpus = probe_allowed_cpus(machine.options());
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().code, Errc::bad_file);
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0"), machine.options()), -1);
  const std::string deep(600, '/');  // longer than a path may be
  EXPECT_FALSE(probe_allowed_cpus({.root = deep}));
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0"), {.root = deep}), -1);
}

TEST(ProbeNumaNode, skips_a_node_with_a_malformed_list) {
  Machine machine;
  machine.file("/sys/devices/system/node/node0/cpulist", "0-x\n")
      .file("/sys/devices/system/node/node1/cpulist", "0-7\n")
      .file("/sys/devices/system/node/node3/cpulist", "8-9\n");
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0-3"), machine.options()), 1);
}

/// Four devices that open.
DeviceProbe opened_devices(Machine& machine) {
  four_nvidia(machine);
  for (int i = 0; i != 4; ++i) machine.file("/dev/nvidia" + std::to_string(i));
  return machine.probe(DeviceKind::cuda, true);
}

TEST(VisibleNumaNodes, follow_the_visibility_variable) {
  Machine machine;
  const auto probe = opened_devices(machine);
  EXPECT_EQ(visible_nodes(probe, "3,0,1", "PCI_BUS_ID", 3), (std::vector<int>{7, 1, 2}));
  EXPECT_EQ(visible_nodes(probe, "3,0", "PCI_BUS_ID", 3), (std::vector<int>{7, 1, -1}));
  EXPECT_EQ(visible_nodes(probe, "9", "PCI_BUS_ID", 1), (std::vector<int>{-1}));
  // No file shows which one is fastest. A name needs no order.
  EXPECT_EQ(visible_nodes(probe, "3,0,1", "FASTEST_FIRST", 3), (std::vector<int>{-1, -1, -1}));
  EXPECT_EQ(visible_nodes(probe, "GPU-d,GPU-b", "FASTEST_FIRST", 2), (std::vector<int>{7, 2}));
  EXPECT_EQ(visible_nodes(probe, "GPU-,GPU-x", "FASTEST_FIRST", 2), (std::vector<int>{-1, -1}));
}

TEST(VisibleNumaNodes, need_pci_addresses_to_follow_the_variable) {
  Machine machine;
  machine.file("/dev/nvidia0").file("/dev/nvidia1");
  auto probe = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(probe.size, 2);
  probe.devices[1].numa_node = 1;  // by minor, and minors are not CUDA's order
  EXPECT_EQ(visible_nodes(probe, "1,0", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  probe.kind = DeviceKind::rocm;
  EXPECT_EQ(visible_nodes(probe, "1,0", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  std::vector<int> nodes(2, 99);
  const FixedEnvironment unordered({{"CUDA_VISIBLE_DEVICES", "1,0"}});
  probe.kind = DeviceKind::cuda;
  visible_numa_nodes(probe, visible_devices(DeviceKind::cuda, unordered), unordered, nodes);
  EXPECT_EQ(nodes, (std::vector<int>{-1, -1}));
  EXPECT_EQ(visible_nodes(DeviceProbe(), "0", "PCI_BUS_ID", 1), (std::vector<int>{-1}));
}

// Below a device cgroup the files show all four devices, and CUDA counts those that open.
TEST(VisibleNumaNodes, need_opened_devices_to_count_them) {
  Machine machine;
  four_nvidia(machine);
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(visible_nodes(probe, "0,1", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  EXPECT_EQ(visible_nodes(probe, "GPU-c,GPU-d", "PCI_BUS_ID", 2), (std::vector<int>{6, 7}));
}

TEST(VisibleNumaNodes, need_no_order_if_all_devices_are_on_one_node) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-a", 1).nvidia("0000:07:00.0", 1, "GPU-b", 1);
  EXPECT_EQ(visible_nodes(machine.probe(DeviceKind::cuda), "1,0", "FASTEST_FIRST", 2),
            (std::vector<int>{1, 1}));
}

TEST(VisibleNumaNodes, lead_to_the_nearest_device) {
  Machine machine;
  const auto nodes = visible_nodes(opened_devices(machine), "0,1,2,3", "PCI_BUS_ID", 4);
  constexpr int processes[] = {7, 6, 2, 1};
  for (int rank = 0; rank != 4; ++rank) {
    rankmap::DeviceRequest request;
    request.local_rank = rankmap::LocalRank(rank);
    request.local_world_size = 4;
    request.visible_count = 4;
    const auto device = rankmap::device_policy::closest{nodes, processes}(request);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->index, rankmap::VisibleIndex(3 - rank));
  }
}

}  // namespace
