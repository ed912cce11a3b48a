// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/device/core_share.hpp>
#include <rankmap/device/numa_binding.hpp>
#include <rankmap/probe/cores.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

namespace {

using rankmap::CpuGroups;
using rankmap::CpuSet;
using rankmap::MachineCpus;
using rankmap::probe_machine_cpus;
using rankmap_test::Machine;

CpuSet cpus(std::string_view list) { return *rankmap::parse_cpu_list(list); }

std::string path_of(int cpu, const std::string& name) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + name;
}

/// A cache of a CPU.
void cache(Machine& machine, int cpu, int index, int level, const std::string& type,
           const std::string& sharing) {
  const std::string folder = path_of(cpu, "/cache/index" + std::to_string(index));
  machine.file(folder + "/level", std::to_string(level) + "\n")
      .file(folder + "/type", type + "\n")
      .file(folder + "/shared_cpu_list", sharing + "\n");
}

/// Eight CPUs in cores of c, c + 4; two sockets of cores 0-1 and 2-3, each with its node.
Machine& fill(Machine& machine) {
  for (int cpu = 0; cpu != 8; ++cpu) {
    const std::string core = std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4);
    const std::string socket = cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7";
    machine.file(path_of(cpu, "/topology/thread_siblings_list"), core + "\n")
        .file(path_of(cpu, "/topology/core_siblings_list"), socket + "\n");
    cache(machine, cpu, 0, 3, "Unified", socket);
    cache(machine, cpu, 1, 2, "Data", core);
    cache(machine, cpu, 2, 4, "Instruction", "0-7");
  }
  return machine.file("/sys/devices/system/cpu/online", "0-7\n")
      .file("/sys/devices/system/cpu/cpufreq/boost", "1\n")
      .file("/sys/devices/system/node/node0/cpulist", "0-1,4-5\n")
      .file("/sys/devices/system/node/node1/cpulist", "2-3,6-7\n")
      .file("/sys/devices/system/node/node2/cpulist", "\n");
}

std::string shown(const CpuGroups& groups) {
  std::map<int, CpuSet> sets;
  for (int cpu = 0; cpu != CpuSet::capacity; ++cpu) {
    if (groups.group_of(cpu) >= 0) sets[groups.group_of(cpu)].insert(cpu);
  }
  std::string out;
  for (const auto& [group, members] : sets) {
    out += (out.empty() ? "" : " | ") + std::to_string(group) + ": " +
           std::string(to_string(members).view());
  }
  return out;
}

TEST(ProbeMachineCpus, finds_cores_caches_sockets_and_nodes) {
  Machine files;
  const MachineCpus machine = probe_machine_cpus(fill(files).options());
  EXPECT_EQ(shown(machine.cores), "0: 0,4 | 1: 1,5 | 2: 2,6 | 3: 3,7");
  EXPECT_EQ(shown(machine.caches), "0: 0-1,4-5 | 2: 2-3,6-7");
  EXPECT_EQ(shown(machine.sockets), "0: 0-1,4-5 | 2: 2-3,6-7");
  EXPECT_EQ(shown(machine.numa_nodes), "0: 0-1,4-5 | 1: 2-3,6-7");

  const CpuSet available = cpus("1-7");
  EXPECT_EQ(*core_share(available, machine.cores, rankmap::LocalRank(0), 3), cpus("1,4-5"));
  const int nodes[] = {0, 1};
  EXPECT_EQ(*rankmap::numa_binding::exclusive(available, machine, nodes, 1), cpus("2-3,6-7"));
}

TEST(ProbeMachineCpus, knows_nothing_where_there_is_nothing) {
  const Machine files;
  const std::string deep(600, '/');  // longer than a path may be
  for (const MachineCpus& machine :
       {probe_machine_cpus(files.options()), probe_machine_cpus({.root = deep})}) {
    EXPECT_EQ(machine.cores, CpuGroups());
    EXPECT_EQ(machine.caches, CpuGroups());
    EXPECT_EQ(machine.sockets, CpuGroups());
    EXPECT_EQ(machine.numa_nodes, CpuGroups());
  }
}

TEST(ProbeMachineCpus, takes_no_smaller_cache_for_one_that_it_cannot_read) {
  for (const char* const name : {"/level", "/type", "/shared_cpu_list"}) {
    Machine files;
    fill(files);
    for (int cpu = 0; cpu != 8; ++cpu) files.file(path_of(cpu, "/cache/index0") + name, "?\n");
    EXPECT_EQ(probe_machine_cpus(files.options()).caches, CpuGroups()) << name;
  }
  Machine files;  // another CPU of the cache says it, too
  fill(files).file(path_of(0, "/cache/index0/level"), "?\n");
  EXPECT_EQ(shown(probe_machine_cpus(files.options()).caches), "0: 0-1,4-5 | 2: 2-3,6-7");
}

TEST(ProbeMachineCpus, leaves_out_a_cpu_whose_list_is_of_others) {
  Machine files;
  fill(files);
  for (const int cpu : {0, 4}) files.file(path_of(cpu, "/topology/thread_siblings_list"), "1-2\n");
  const MachineCpus machine = probe_machine_cpus(files.options());
  EXPECT_EQ(shown(machine.cores), "1: 1,5 | 2: 2,6 | 3: 3,7");
  EXPECT_EQ(machine.cores.first_ungrouped(cpus("0-7")), 0);
}

TEST(ProbeMachineCpus, takes_no_list_that_it_cannot_read_to_its_end) {
  Machine files;
  fill(files);
  const std::string cut = "0,4" + std::string(16380, ',') + "12";  // 16 KiB end in "1"
  for (const int cpu : {0, 4}) files.file(path_of(cpu, "/topology/thread_siblings_list"), cut);
  EXPECT_EQ(shown(probe_machine_cpus(files.options()).cores), "1: 1,5 | 2: 2,6 | 3: 3,7");
}

TEST(ProbeMachineCpus, ignores_numbers_beyond_those_of_cpus_and_nodes) {
  Machine files;
  fill(files)
      .file("/sys/devices/system/cpu/cpu8192/topology/thread_siblings_list", "8191\n")
      .file("/sys/devices/system/cpu/cpu99999999999/topology/thread_siblings_list", "0\n")
      .file("/sys/devices/system/cpu/cpu../topology/thread_siblings_list", "0\n")
      .file("/sys/devices/system/cpu/..cpu9/topology/thread_siblings_list", "9\n")
      .file("/sys/devices/system/node/node8192/cpulist", "9\n")
      .file("/sys/devices/system/cpu/cpu8191/topology/thread_siblings_list", "8191\n");
  const MachineCpus machine = probe_machine_cpus(files.options());
  EXPECT_EQ(shown(machine.cores), "0: 0,4 | 1: 1,5 | 2: 2,6 | 3: 3,7 | 8191: 8191");
  EXPECT_EQ(machine.numa_nodes.group_of(9), -1);
}

/// Whether each group of `some` is one of `all`, or a part of one.
bool is_part(const CpuGroups& some, const CpuGroups& all) {
  for (int cpu = 0; cpu != CpuSet::capacity; ++cpu) {
    const int group = some.group_of(cpu);
    if (group < 0) continue;
    const CpuSet members = some.cpus_of(group);
    const int whole = all.group_of(cpu);
    if (whole < 0 || (members & all.cpus_of(whole)) != members) return false;
  }
  return true;
}

TEST(ProbeMachineCpus, invents_no_group_from_a_spoiled_file) {
  Machine files;
  const MachineCpus whole = probe_machine_cpus(fill(files).options());
  files.with_each_entry_spoiled([&](const std::string& what) {
    const MachineCpus machine = probe_machine_cpus(files.options());
    EXPECT_TRUE(is_part(machine.cores, whole.cores)) << what;
    EXPECT_TRUE(is_part(machine.sockets, whole.sockets)) << what;
    if (what.find("node") == std::string::npos) {
      EXPECT_EQ(machine.numa_nodes, whole.numa_nodes) << what;
    }
  });
}

TEST(ProbeMachineCpus, of_this_machine_agrees_with_itself) {
  const MachineCpus machine = probe_machine_cpus();
  for (int cpu = 0; cpu != CpuSet::capacity; ++cpu) {
    const int core = machine.cores.group_of(cpu);
    if (core < 0) continue;
    EXPECT_LE(core, cpu);
    EXPECT_EQ(machine.cores.group_of(core), core);
  }
}

}  // namespace
