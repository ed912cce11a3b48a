// SPDX-License-Identifier: MIT
//
// A machine of 131,072 nodes and the steps of 2^20 tasks that fill it.
#ifndef RANKMAP_TESTS_LARGE_MACHINE_HPP
#define RANKMAP_TESTS_LARGE_MACHINE_HPP

#include "simulated_step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankmap_test {

inline constexpr int racks = 32;
inline constexpr int chassis = 8;
inline constexpr int blades = 512;
inline constexpr int node_count = racks * chassis * blades;
static_assert(node_count == 131'072);

inline std::string host_name(int rack, int chassis_of_rack, int blade) {
  char name[24];
  std::snprintf(name, sizeof name, "r%02dc%dn%03d", rack, chassis_of_rack, blade);
  return name;
}

// The nodes of `r[00-31]c[0-7]n[000-511]` in Slurm's order: the last bracket fastest, then the
// first, then the second.
inline std::vector<std::string> machine() {
  std::vector<std::string> hosts;
  for (int c = 0; c != chassis; ++c) {
    for (int r = 0; r != racks; ++r) {
      for (int n = 0; n != blades; ++n) {
        hosts.push_back(host_name(r, c, n));
      }
    }
  }
  return hosts;
}

// The same nodes with the chassis shuffled: an order that no product of brackets has.
inline SimulatedStep permuted_step(std::vector<int> counts, int plane) {
  std::vector<int> order(racks * chassis);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  std::shuffle(order.begin(), order.end(), random);
  const std::vector<std::string> all = machine();
  std::vector<std::string> hosts;
  std::string list;
  for (const int chosen : order) {
    const std::string first_name = host_name(chosen % racks, chosen / racks, 0);
    list.append(list.empty() ? "" : ",").append(first_name, 0, first_name.size() - 3);
    list.append("[000-511]");
    const auto first = all.begin() + chosen * blades;
    hosts.insert(hosts.end(), first, first + blades);
  }
  return {list, hosts, std::move(counts), plane};
}

struct LargeStep {
  const char* name;
  bool uneven;
  bool permuted;
  int plane;
};
inline std::ostream& operator<<(std::ostream& out, const LargeStep& which) {
  return out << which.name;
}

inline constexpr LargeStep large_steps[] = {
    {"even_block", false, false, 0},          {"even_cyclic", false, false, 1},
    {"even_plane", false, false, 3},          {"permuted_block", false, true, 0},
    {"uneven_block", true, false, 0},         {"uneven_cyclic_permuted", true, true, 1},
    {"uneven_plane_permuted", true, true, 5},
};

inline SimulatedStep step_of(const LargeStep& which) {
  std::vector<int> counts = task_counts(node_count, !which.uneven);
  if (which.permuted) return permuted_step(std::move(counts), which.plane);
  return {"r[00-31]c[0-7]n[000-511]", machine(), std::move(counts), which.plane};
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_LARGE_MACHINE_HPP
