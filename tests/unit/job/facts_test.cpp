// SPDX-License-Identifier: MIT
#include <rankmap/job/facts.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

namespace {

using rankmap::DeviceFacts;
using rankmap::JobRecord;
using rankmap::ProcessFacts;
using rankmap::Topology;

// What is not set is not known: a record without facts is one with facts that say nothing.
constexpr JobRecord bare() {
  return describe(Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 1}).value());
}
static_assert(bare().boot == 0 && bare().machine_id == 0 && bare().pid == -1 &&
              bare().pid_namespace == 0);
static_assert(bare().cpus.empty() && bare().cpu_count == -1 && bare().cpu_digest == 0 &&
              bare().available_cpus == -1 && bare().threads == -1 && bare().numa_nodes == 0);
static_assert(!bare().device.is_known);
static_assert(DeviceFacts().visible_count == -1 && DeviceFacts().physical == -1 &&
              DeviceFacts().sub_device == -1 && DeviceFacts().numa_node == -1);
static_assert(ProcessFacts().pid == -1 && ProcessFacts().available_cpus == -1 &&
              ProcessFacts().threads == -1 && ProcessFacts().cores == -1 &&
              ProcessFacts().nic_numa_node == -1);

TEST(Facts, that_are_not_set_are_not_known) {
  const auto topology = *Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 1});
  EXPECT_EQ(describe(topology), describe(topology, ProcessFacts(), DeviceFacts()));
  EXPECT_EQ(describe(topology), bare());
}

TEST(Facts, below_their_ranges_are_not_known) {
  ProcessFacts process;
  process.pid = -7;
  process.available_cpus = 0;
  process.threads = -2;
  rankmap::Device device;
  device.kind = rankmap::DeviceKind::cuda;
  device.count = 1;
  DeviceFacts facts;
  facts.device = &device;
  facts.visible_count = -2;
  facts.physical = -3;
  facts.sub_device = -4;
  facts.numa_node = -5;
  const auto topology = *Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 1});
  const JobRecord record = describe(topology, process, facts);
  EXPECT_TRUE(is_valid(record));
  for (const int number :
       {record.pid, record.available_cpus, record.threads, record.device.visible_count,
        record.device.physical, record.device.sub_device, record.device.numa_node}) {
    EXPECT_EQ(number, -1);
  }
  EXPECT_EQ(record.device.index, 0);
}

TEST(Facts, name_a_host_before_the_launcher_does) {
  const auto topology = *Topology::from_config({.rank = 0,
                                                .hosts = "n1",
                                                .tasks_per_node = "1",
                                                .distribution = rankmap::Distribution::block});
  ProcessFacts process;
  EXPECT_EQ(describe(topology, process).host, "n1");
  process.host = "n1.east";
  EXPECT_EQ(describe(topology, process).host, "n1.east");
}

}  // namespace
