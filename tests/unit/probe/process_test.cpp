// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/job/job_record.hpp>
#include <rankmap/probe/process.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::probe_process;
using rankmap::ProcessFacts;
using rankmap_test::Machine;

/// A machine of two NUMA nodes, on which this process has four CPUs.
Machine& fill_process(Machine& machine) {
  return machine.file("/proc/sys/kernel/hostname", "n1.east\n")
      .file("/proc/sys/kernel/random/boot_id", "3f1c9a52-7d2e-4b8a-9c41-0a5be6d7f218\n")
      .file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
      .file("/proc/self/status",
            "Name:\ttrain\nNgid:\t0\nPid:\t4711\nPPid:\t1\nCpus_allowed_list:\t6-9\n")
      .file("/sys/devices/system/cpu/online", "0-15\n")
      .file("/sys/devices/system/node/node0/cpulist", "0-7\n")
      .file("/sys/devices/system/node/node1/cpulist", "8-15\n")
      .file("/sys/devices/system/node/node2/cpulist", "\n");
}

TEST(ProbeProcess, finds_what_the_kernel_shows) {
  Machine machine;
  fill_process(machine);
  machine.link("/proc/self/ns/pid", "pid:[4026531836]");
  const ProcessFacts facts = probe_process(machine.options());
  EXPECT_EQ(facts.host, "n1.east");
  EXPECT_EQ(facts.boot_id, "3f1c9a52-7d2e-4b8a-9c41-0a5be6d7f218");
  EXPECT_EQ(facts.machine_id, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(facts.pid_namespace, 4026531836U);
  EXPECT_EQ(facts.pid, 4711);
  EXPECT_EQ(to_string(facts.cpus).view(), "6-9");
  EXPECT_EQ(facts.available_cpus, 16);
  EXPECT_EQ(facts.numa_nodes, 3U);
  EXPECT_EQ(facts.threads, -1);
}

TEST(ProbeProcess, finds_what_the_machine_allows) {
  Machine machine;
  fill_process(machine);
  machine.link("/proc/self/ns/cgroup", "cgroup:[4026531835]")
      .file("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
      .file("/sys/module/nvidia/version", "565.57.01\n")
      .file("/proc/self/cgroup", "0::/\n")
      .file("/sys/fs/cgroup/cpu.max", "250000 100000\n")
      .file("/proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max locked memory         8388608              unlimited            bytes     \n")
      .file("/proc/self/mounts",
            "proc /proc proc rw 0 0\nshm /dev/shm tmpfs rw,nosuid,size=65536k,inode64 0 0\n")
      .file("/proc/meminfo",
            "MemTotal:       16777216 kB\nHugePages_Total:     512\nHugepagesize:       2048 kB\n");
  const ProcessFacts facts = probe_process(machine.options());
  EXPECT_EQ(facts.kernel, "6.8.0-45-generic");
  EXPECT_EQ(facts.driver, "565.57.01");
  EXPECT_TRUE(facts.imex_channels.empty() && facts.partitions.empty());
  EXPECT_EQ(facts.locked_memory, 8192);
  EXPECT_EQ(facts.shared_memory, 64);
  EXPECT_EQ(facts.huge_pages, 1024);
  EXPECT_EQ(facts.cpu_quota, 2500);
  EXPECT_EQ(facts.quota_group, "/@4026531835");
  EXPECT_EQ(facts.time, -1);
}

TEST(ProbeProcess, finds_the_channels_between_nodes) {
  constexpr std::string_view folder = "/dev/nvidia-caps-imex-channels/";
  const auto channels = [&](const std::vector<std::string>& names, bool has_driver) {
    Machine machine;
    if (has_driver) machine.file("/proc/driver/nvidia/version", "NVRM version: ...\n");
    for (const std::string& name : names) machine.file(std::string(folder) + name);
    return std::string(probe_process(machine.options()).imex_channels);
  };
  EXPECT_EQ(channels({"channel0"}, true), "0");
  EXPECT_EQ(channels({"channel2", "channel0", "channel1", "channel7"}, true), "0-2,7");
  EXPECT_EQ(channels({"channel5"}, false), "5");
  EXPECT_EQ(channels({}, true), "none");
  EXPECT_EQ(channels({"channel", "channel07", "chan0", "channel-1", "channel1x"}, true), "none");
  EXPECT_EQ(channels({}, false), "");
}

TEST(ProbeProcess, finds_the_modes_in_which_devices_are_divided) {
  struct Card {
    std::string name;
    std::string computes;
    std::string memory;
  };
  const auto modes = [](const std::vector<Card>& cards) {
    Machine machine;
    for (const Card& card : cards) {
      const std::string device = "/sys/class/drm/" + card.name + "/device/";
      machine.file(device + "current_compute_partition", card.computes);
      machine.file(device + "current_memory_partition", card.memory);
    }
    return std::string(probe_process(machine.options()).partitions);
  };
  EXPECT_EQ(modes({{"card0", "SPX\n", "NPS1\n"}, {"card1", "SPX\n", "NPS1\n"}}), "SPX/NPS1");
  EXPECT_EQ(modes({{"card9", "SPX\n", "NPS1\n"}, {"card10", "CPX\n", "NPS4\n"}}),
            "SPX/NPS1,CPX/NPS4");
  EXPECT_EQ(modes({{"card0", "DPX\n", ""}, {"card1", "", "NPS2\n"}}), "DPX,/NPS2");
  EXPECT_EQ(modes({{"card0", "CPX\n", "NPS4\n"}, {"card1", "CPX\n", ""}}), "CPX/NPS4,CPX");
  EXPECT_EQ(modes({{"card0", "UNKNOWN\n", "UNKNOWN\n"}, {"card1", "NONE\n", ""}}), "");
  EXPECT_EQ(modes({{"card0-DP-1", "SPX\n", "NPS1\n"}, {"renderD128", "SPX\n", "NPS1\n"}}), "");
}

TEST(ProbeProcess, reads_sizes_of_memory_as_the_kernel_writes_them) {
  struct Row {
    std::string_view limit;
    std::string_view mount;
    int locked;
    int shared;
  };
  const Row rows[] = {{"unlimited", "rw,size=2g", 2147483647, 2048},
                      {"65536", "rw,size=512m,mode=1777", 64, 512},
                      {"0", "rw,size=1048576", 0, 1},
                      {"1023", "rw,nosuid,nodev", 0, 8192},
                      {"1024", "rw,size=0k", 1, 16384},  // no limit but the machine's memory
                      {"9223372036854775807", "rw,size=x", 2147483647, -1},
                      {"many", "rw,size=99999999999999999999k", -1, -1},
                      {"", "rw,size=9999999999999999g", 0, 2147483647}};
  for (const Row& row : rows) {
    Machine machine;
    fill_process(machine);
    machine
        .file("/proc/self/limits",
              "Max locked memory         " + std::string(row.limit) + "   0   bytes\n")
        .file("/proc/self/mounts", "shm /dev/shm tmpfs " + std::string(row.mount) + " 0 0\n")
        .file("/proc/meminfo", "MemTotal:       16777216 kB\n");
    const ProcessFacts facts = probe_process(machine.options());
    EXPECT_EQ(facts.locked_memory, row.locked) << row.limit;
    EXPECT_EQ(facts.shared_memory, row.shared) << row.mount;
  }
}

TEST(ProbeProcess, knows_what_is_mounted_last_at_shared_memory) {
  const std::string small = "shm /dev/shm tmpfs rw,size=65536k 0 0\n";
  const std::string large = "tmpfs /dev/shm tmpfs rw,size=8388608k,inode64 0 0\n";
  std::string many;
  for (int i = 0; i != 1000; ++i) many += "proc /proc/" + std::to_string(i) + " proc rw 0 0\n";
  const std::string layers = "overlay / overlay rw,lowerdir=" + std::string(5000, 'l') + " 0 0\n";
  const std::string below = "none /dev/shm/x tmpfs rw,size=1024k 0 0\n";
  const std::string disk = "/dev/sda1 /dev/shm ext4 rw 0 0\n";
  const auto shared = [](const std::string& mounts) {
    Machine machine;
    fill_process(machine)
        .file("/proc/self/mounts", mounts)
        .file("/proc/meminfo", "MemTotal:       16777216 kB\n");
    return probe_process(machine.options()).shared_memory;
  };
  EXPECT_EQ(shared(small + large), 8192);
  EXPECT_EQ(shared(large + small), 64);
  EXPECT_EQ(shared(small + disk), -1);
  EXPECT_EQ(shared(disk + large), 8192);
  EXPECT_EQ(shared(many + layers + small + below + many), 64);
  EXPECT_EQ(shared(large + many + small), 64);
  EXPECT_EQ(shared("overlay / overlay rw,lowerdir=" + std::string(5000, 'l') + " " + small), -1);
  EXPECT_EQ(shared(small.substr(0, small.size() - 1)), 64);
  EXPECT_EQ(shared("shm /dev/shm\nshm /dev/shm tmpfs\n\n"), -1);
  // A label of SELinux may name many categories; of a line that is too long nothing is said.
  const auto labelled = [](std::size_t length) {
    return "shm /dev/shm tmpfs rw,context=" + std::string(length, 'c') + ",size=65536k 0 0\n";
  };
  EXPECT_EQ(shared(labelled(600)), 64);
  EXPECT_EQ(shared(labelled(976)), 64);
  for (const std::size_t length : {977U, 982U, 2000U})
    EXPECT_EQ(shared(labelled(length)), -1) << length;
  EXPECT_EQ(shared(labelled(982) + small), 64);
}

TEST(ProbeProcess, knows_nothing_where_there_is_nothing) {
  const Machine machine;
  const ProcessFacts facts = probe_process(machine.options());
  const ProcessFacts none;
  EXPECT_TRUE(facts.host.empty() && facts.boot_id.empty() && facts.machine_id.empty());
  EXPECT_EQ(facts.pid_namespace, none.pid_namespace);
  EXPECT_EQ(facts.pid, none.pid);
  EXPECT_TRUE(facts.cpus.empty());
  EXPECT_EQ(facts.available_cpus, none.available_cpus);
  EXPECT_EQ(facts.numa_nodes, none.numa_nodes);
  EXPECT_TRUE(facts.kernel.empty() && facts.driver.empty() && facts.quota_group.empty());
  EXPECT_TRUE(facts.imex_channels.empty() && facts.partitions.empty());
  for (const int number :
       {facts.locked_memory, facts.shared_memory, facts.huge_pages, facts.cpu_quota}) {
    EXPECT_EQ(number, -1);
  }
  const std::string deep(600, '/');  // longer than a path may be
  EXPECT_EQ(probe_process({.root = deep}).pid, -1);
}

/// The lines of /proc/self/cgroup, a file with a list of CPUs, and how many are found.
struct Cgroup {
  std::string_view lines;
  std::string_view path;
  std::string_view cpus;
  int count;
};

TEST(ProbeProcess, counts_the_cpus_of_its_cgroup) {
  const Cgroup rows[] = {
      {"0::/job_7/step_0\n", "/job_7/step_0/cpuset.cpus.effective", "4-11", 8},
      {"0::/\n", "/cpuset.cpus.effective", "0-2", 3},
      {"0::/kubepods/pod7\n", "/cpuset.cpus.effective", "5", 1},  // the container's own folder
      {"4:cpu:/x\n3:cpuset:/slurm/7\n0::/\n", "/cpuset/slurm/7/cpuset.effective_cpus", "0-3", 4},
      {"3:cpuset:/slurm/7\n", "/cpuset/slurm/7/cpuset.cpus", "0-3,8", 5},
      {"3:cpuset:/docker/7", "/cpuset/cpuset.cpus", "0-5", 6},
      {"1:name=systemd:/\n0::/user.slice\n", "/unified/user.slice/cpuset.cpus.effective", "1", 1},
      // what is not there or malformed does not count
      {"0::/a\n", "/a/cpuset.cpus.effective", "\n", 16},
      {"0::/a\n", "/a/cpuset.cpus.effective", "x", 16},
      {"0::/../a\n", "/../a/cpuset.cpus.effective", "1", 16},
      {"0:/a\n", "/a/cpuset.cpus.effective", "1", 16},
      {"", "/cpuset.cpus.effective", "1", 16},
  };
  for (const Cgroup& row : rows) {
    Machine machine;
    fill_process(machine)
        .file("/proc/self/cgroup", std::string(row.lines))
        .file("/sys/fs/cgroup" + std::string(row.path), std::string(row.cpus));
    EXPECT_EQ(probe_process(machine.options()).available_cpus, row.count) << row.lines;
  }
}

// A cgroup without a cpuset of its own is in that of the nearest one around it.
TEST(ProbeProcess, counts_the_cpus_of_the_nearest_cgroup_with_a_cpuset) {
  Machine machine;
  fill_process(machine)
      .file("/proc/self/cgroup", "0::/user.slice/user-7.slice/session-3.scope\n")
      .file("/sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-3\n")
      .file("/sys/fs/cgroup/cpuset.cpus.effective", "0-15\n");
  EXPECT_EQ(probe_process(machine.options()).available_cpus, 4);
  machine.file("/sys/fs/cgroup/user.slice/user-7.slice/cpuset.cpus.effective", "2-3\n");
  EXPECT_EQ(probe_process(machine.options()).available_cpus, 2);
}

TEST(ProbeProcess, counts_the_cpus_of_a_long_list) {
  std::string online = "0";
  for (int cpu = 2; cpu != 400; cpu += 2) online += ',' + std::to_string(cpu);
  Machine machine;
  fill_process(machine).file("/sys/devices/system/cpu/online", online + '\n');
  EXPECT_EQ(probe_process(machine.options()).available_cpus, 200);
}

TEST(ProbeProcess, takes_no_other_link_for_a_namespace) {
  for (const char* const target :
       {"pid:[]", "pid:4026531836", "pid:[4294967296]", "pid:[-1]", "pid:[1", "[x]", "nowhere"}) {
    Machine machine;
    machine.link("/proc/self/ns/pid", target);
    EXPECT_EQ(probe_process(machine.options()).pid_namespace, 0U) << target;
  }
  Machine machine;
  machine.link("/proc/self/ns/pid", "pid:[" + std::string(70, '0') + "1]");
  EXPECT_EQ(probe_process(machine.options()).pid_namespace, 0U);
}

TEST(ProbeProcess, of_this_process_makes_a_record) {
  const ProcessFacts facts = probe_process();
  const auto topology =
      rankmap::Topology::from_config({.rank = 0, .world_size = 1, .local_rank = 0});
  ASSERT_TRUE(topology);
  const rankmap::JobRecord record = describe(*topology, facts);
  EXPECT_TRUE(is_valid(record));
  EXPECT_EQ(record.pid < 0, facts.pid < 0);
  EXPECT_TRUE(record.cpu_count == -1 || record.cpu_count == facts.cpus.size());
}

}  // namespace
