// SPDX-License-Identifier: MIT
#include <rankmap/device/numa_binding.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::CpuSet;
using rankmap::MachineCpus;
using rankmap::message;
using rankmap::Result;
namespace numa_binding = rankmap::numa_binding;

constexpr CpuSet cpus(std::string_view list) { return *rankmap::parse_cpu_list(list); }

/// CPUs in groups of equal size, by number.
constexpr MachineCpus machine_of(int count, int per_core, int per_cache, int per_node,
                                 int per_socket) {
  MachineCpus machine;
  const auto group = [count](rankmap::CpuGroups& groups, int size, bool numbered) {
    for (int first = 0; first < count; first += size) {
      CpuSet members;
      for (int cpu = first; cpu != first + size; ++cpu) members.insert(cpu);
      numbered ? groups.insert(members, first / size) : groups.insert(members);
    }
  };
  group(machine.cores, per_core, false);
  group(machine.caches, per_cache, false);
  group(machine.numa_nodes, per_node, true);
  group(machine.sockets, per_socket, false);
  return machine;
}

using Rule = Result<CpuSet> (*)(const CpuSet&, const MachineCpus&, std::span<const int>, int);

struct Row {
  Rule rule;
  std::string_view available;
  std::string_view nodes;  ///< of the devices, one digit each
  std::string_view shares[4];
};
// 16 CPUs, two a core, four a cache, eight a node, all on one socket.
constexpr Row rows[] = {
    {numa_binding::node, "0-15", "0101", {"0-7", "8-15", "0-7", "8-15"}},
    {numa_binding::node, "2-9", "01", {"2-7", "8-9"}},
    {numa_binding::socket, "2-9", "01", {"2-9", "2-9"}},
    {numa_binding::exclusive, "0-15", "0011", {"0-3", "4-7", "8-11", "12-15"}},
    {numa_binding::exclusive, "0-15", "0001", {"0-3", "4-5", "6-7", "8-15"}},
    {numa_binding::exclusive, "1-7", "10-0", {"", "1-3", "", "4-7"}},
    {numa_binding::exclusive, "0-7", "1000", {"", "0-3", "4-5", "6-7"}},
    {numa_binding::core_complex, "0-15", "0011", {"0-3", "4-7", "8-11", "12-15"}},
    {numa_binding::core_complex, "0-15", "0001", {"0-3", "4-7", "0-3", "8-11"}},
    {numa_binding::core_complex, "3-7", "00", {"4-7", "3"}},
};
constexpr bool row_holds(const Row& row, const MachineCpus& machine) {
  int nodes[4] = {};
  for (std::size_t i = 0; i != row.nodes.size(); ++i) {
    nodes[i] = row.nodes[i] == '-' ? -1 : row.nodes[i] - '0';
  }
  for (std::size_t i = 0; i != row.nodes.size(); ++i) {
    const auto share =
        row.rule(cpus(row.available), machine, {nodes, row.nodes.size()}, static_cast<int>(i));
    if (share ? to_string(*share) != row.shares[i] : !row.shares[i].empty()) return false;
  }
  return true;
}
static_assert(row_holds(rows[3], machine_of(16, 2, 4, 8, 16)));
static_assert(row_holds(rows[2], machine_of(16, 2, 4, 8, 16)));
static_assert(row_holds(rows[9], machine_of(16, 2, 4, 8, 16)));

TEST(NumaBinding, follows_torch) {
  const MachineCpus machine = machine_of(16, 2, 4, 8, 16);
  for (const Row& row : rows) {
    EXPECT_TRUE(row_holds(row, machine)) << &row - rows << ": " << row.available;
  }
}

TEST(CoreComplex, comes_by_size_then_by_cpu) {
  const MachineCpus machine = machine_of(16, 1, 4, 16, 16);
  const std::vector<int> nodes(4, 0);
  const auto shares = [&](std::string_view available, std::size_t devices) {
    std::string out;
    for (std::size_t i = 0; i != devices; ++i) {
      const auto share = numa_binding::core_complex(cpus(available), machine,
                                                    {nodes.data(), devices}, static_cast<int>(i));
      out += (i == 0 ? "" : " | ") + std::string(to_string(share.value()).view());
    }
    return out;
  };
  EXPECT_EQ(shares("2-15", 4), "4-7 | 8-11 | 12-15 | 2-3");
  EXPECT_EQ(shares("0-7", 3), "0-3 | 4-7 | 0-3");
  EXPECT_EQ(shares("1-3,5-7,8", 4), "1-3 | 5-7 | 8 | 1-3");
}

TEST(CoreComplex, agrees_with_a_sorted_list_in_all_small_worlds) {
  // 5 CPUs, whose caches are numbered by every text of five digits from 0 to 2.
  const std::vector<int> nodes(4, 0);
  for (int world = 0; world != 3 * 3 * 3 * 3 * 3; ++world) {
    int cache_of[5] = {};
    for (int i = 0, rest = world; i != 5; ++i, rest /= 3) cache_of[i] = rest % 3;
    MachineCpus machine = machine_of(5, 1, 1, 5, 5);
    machine.caches = {};
    for (int cache = 0; cache != 3; ++cache) {
      CpuSet members;
      for (int cpu = 0; cpu != 5; ++cpu) {
        if (cache_of[cpu] == cache) members.insert(cpu);
      }
      machine.caches.insert(members);
    }
    for (unsigned mask = 1; mask != 32; ++mask) {
      CpuSet available;
      std::map<int, CpuSet> groups;
      for (int cpu = 0; cpu != 5; ++cpu) {
        if ((mask >> static_cast<unsigned>(cpu) & 1U) == 0) continue;
        available.insert(cpu);
        groups[machine.caches.group_of(cpu)].insert(cpu);
      }
      std::vector<std::pair<int, CpuSet>> sorted(groups.begin(), groups.end());
      std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second.size() > b.second.size();
      });
      for (int device = 0; device != 4; ++device) {
        const auto share = numa_binding::core_complex(available, machine, nodes, device);
        ASSERT_TRUE(share);
        ASSERT_EQ(*share, sorted[static_cast<std::size_t>(device) % sorted.size()].second);
      }
    }
  }
}

TEST(Socket, passes_over_a_node_without_available_cpus) {
  MachineCpus machine = machine_of(16, 2, 4, 4, 8);
  machine.numa_nodes.insert(CpuSet(), 9);  // a GPU's memory
  const int nodes[] = {0, 2};
  EXPECT_EQ(*numa_binding::socket(cpus("2-3,8-15"), machine, nodes, 0), cpus("2-3"));
  EXPECT_EQ(*numa_binding::socket(cpus("2-3,8-15"), machine, nodes, 1), cpus("8-15"));
  EXPECT_EQ(*numa_binding::socket(cpus("0-15"), machine, nodes, 0), cpus("0-7"));
}

TEST(Socket, takes_a_node_whole_by_its_lowest_available_cpu) {
  MachineCpus machine = machine_of(8, 1, 1, 4, 2);  // sockets 0-1, 2-3: no machine, but a rule
  const int nodes[] = {0, 1};
  EXPECT_EQ(*numa_binding::socket(cpus("0-7"), machine, nodes, 0), cpus("0-3"));
  EXPECT_EQ(*numa_binding::socket(cpus("2-7"), machine, nodes, 0), cpus("2-3"));
  MachineCpus odd;  // node 0 has a CPU of node 1's socket, but not as its lowest
  odd.sockets.insert(cpus("0-1"));
  odd.sockets.insert(cpus("2-4"));
  odd.numa_nodes.insert(cpus("0,4"), 0);
  odd.numa_nodes.insert(cpus("2-3"), 1);
  EXPECT_EQ(*numa_binding::socket(cpus("0,2-4"), odd, nodes, 1), cpus("2-3"));
  EXPECT_EQ(*numa_binding::socket(cpus("0,2-4"), odd, nodes, 0), cpus("0,4"));
}

TEST(NumaBinding, is_an_error_with_words_where_torch_fails_or_guesses) {
  const MachineCpus whole = machine_of(16, 2, 4, 8, 16);
  const std::vector<int> nodes = {0, -1, 1, 3, 70000, 0, 0, 0, 0};
  const auto text = [&nodes](Rule rule, const MachineCpus& machine, std::string_view available,
                             int device) {
    const auto share = rule(cpus(available), machine, nodes, device);
    return share ? "none" : std::string(message(share.error()).view());
  };
  for (const Rule rule : {numa_binding::node, numa_binding::socket, numa_binding::exclusive,
                          numa_binding::core_complex}) {
    EXPECT_EQ(text(rule, whole, "0-15", 9),
              "device=\"9\": expected a number in [0, 9); pass the device's place in device_nodes");
    EXPECT_EQ(text(rule, whole, "0-15", -1).substr(0, 10), "device=\"-1");
    EXPECT_EQ(
        text(rule, whole, "0-15", 1),
        "the NUMA node of device 1=\"-1\": expected a known node; torch would take node 0; do "
        "not bind, or bind by core_share; in the program, pass the node");
    EXPECT_EQ(text(rule, whole, "0-7", 2),
              "available CPUs of NUMA node 1=\"none\": expected at least one, since device 2 is on "
              "this node; give the process CPUs of that node, or do not bind");
    EXPECT_EQ(text(rule, whole, "0-7", 3).substr(0, 30), "available CPUs of NUMA node 3=");
    EXPECT_EQ(text(rule, whole, "0-7", 4).substr(0, 34), "available CPUs of NUMA node 70000=");
    EXPECT_EQ(
        text(rule, whole, "0-16", 0),
        "the NUMA node of CPU 16 is not set: expected the CPUs of each NUMA node; do not bind; "
        "in the program, pass all NUMA nodes");
  }
  EXPECT_EQ(
      text(numa_binding::exclusive, whole, "0-7", 0),
      "available cores=\"4\": expected 5 or more, one for each device of the NUMA node; start "
      "fewer processes, or give them more cores; in the program, use cpu_share, which splits "
      "cores, or do not bind");
  MachineCpus partly = whole;
  partly.caches = {};
  EXPECT_EQ(text(numa_binding::core_complex, partly, "2-7", 0),
            "the cache of CPU 2 is not set: expected the CPUs of each cache; use "
            "numa_binding::node, or do not bind");
  partly.sockets = {};
  EXPECT_EQ(text(numa_binding::socket, partly, "2-7", 0),
            "the socket of CPU 2 is not set: expected the CPUs of each socket; use "
            "numa_binding::node, or do not bind");
  partly.cores = {};
  EXPECT_EQ(text(numa_binding::exclusive, partly, "2-7", 0),
            "the core of CPU 2 is not set: expected the CPUs of each core; in the program, use "
            "cpu_share, or one CPU a core");
}

}  // namespace
