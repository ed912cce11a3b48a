// SPDX-License-Identifier: MIT
//
// A Slurm step that was never run: what srun would have told each of its tasks, and the truth in
// plain tables, dealt task by task without the library.
#ifndef RANKMAP_TESTS_SIMULATED_STEP_HPP
#define RANKMAP_TESTS_SIMULATED_STEP_HPP

#include <rankmap/environment/map_environment.hpp>

#include <cstddef>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankmap_test {

/// 8 tasks on each node; or 4 to 12, and as many in all.
inline std::vector<int> task_counts(int nodes, bool even) {
  std::mt19937 random(11);
  std::vector<int> counts(static_cast<std::size_t>(nodes), 8);
  for (std::size_t node = 0; !even && node + 1 < counts.size(); node += 2) {
    const int moved = static_cast<int>(random() % 5);
    counts[node] += moved;
    counts[node + 1] -= moved;
  }
  return counts;
}

struct SimulatedStep {
  std::string host_list;           ///< compressed, in node order
  std::vector<std::string> hosts;  ///< the same, one by one
  std::vector<int> counts;         ///< tasks of each node
  std::vector<int> node_of;        ///< by rank
  std::vector<int> local_of;       ///< by rank
  std::vector<std::vector<int>> ranks_on;
  int plane;          ///< ranks dealt to a node in turn; 0: all of them
  bool has_topology;  ///< of Slurm 26.05 with a topology plugin

  /// `order`: the nodes in the order in which ranks are dealt to them, if that is not their own.
  SimulatedStep(std::string list, std::vector<std::string> names, std::vector<int> tasks,
                int plane_size, std::vector<std::size_t> order = {})
      : host_list(std::move(list)),
        hosts(std::move(names)),
        counts(std::move(tasks)),
        ranks_on(counts.size()),
        plane(plane_size),
        has_topology(!order.empty()) {
    if (order.empty()) {
      order.resize(counts.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
    }
    const auto world = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
    while (node_of.size() != world) {
      for (const std::size_t node : order) {
        const auto full = static_cast<std::size_t>(counts[node]);
        for (int dealt = 0; (plane == 0 || dealt != plane) && ranks_on[node].size() != full;
             ++dealt) {
          local_of.push_back(static_cast<int>(ranks_on[node].size()));
          ranks_on[node].push_back(static_cast<int>(node_of.size()));
          node_of.push_back(static_cast<int>(node));
        }
      }
    }
  }

  int world_size() const { return static_cast<int>(node_of.size()); }
  int node_count() const { return static_cast<int>(counts.size()); }

  /// `8(x3),7`: as SLURM_STEP_TASKS_PER_NODE has it.
  std::string tasks_per_node() const {
    std::string text;
    for (std::size_t first = 0; first != counts.size();) {
      std::size_t last = first;
      while (last != counts.size() && counts[last] == counts[first]) ++last;
      text.append(first == 0 ? "" : ",").append(std::to_string(counts[first]));
      if (last - first > 1) text.append("(x").append(std::to_string(last - first)).append(")");
      first = last;
    }
    return text;
  }

  rankmap::MapEnvironment environment_of(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    const auto node = static_cast<std::size_t>(node_of[at]);
    std::string here;
    for (const int other : ranks_on[node]) {
      here.append(here.empty() ? "" : ",").append(std::to_string(other));
    }
    std::map<std::string, std::string> variables = {
        {"SLURM_JOB_ID", "4711"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_PROCID", std::to_string(rank)},
        {"SLURM_LOCALID", std::to_string(local_of[at])},
        {"SLURM_NODEID", std::to_string(node)},
        {"SLURM_GTIDS", here},
        {"SLURM_STEP_NUM_TASKS", std::to_string(world_size())},
        {"SLURM_STEP_NUM_NODES", std::to_string(node_count())},
        {"SLURM_STEP_TASKS_PER_NODE", tasks_per_node()},
        {"SLURM_STEP_NODELIST", host_list},
        {"SLURM_JOB_NODELIST", host_list},
        {"SLURMD_NODENAME", hosts[node]},
        {"SLURM_UMASK", "0022"},
        {"SLURM_TOPOLOGY_ADDR_PATTERN", has_topology ? "switch.node" : "node"},
    };
    if (has_topology) variables["SLURM_JOB_SLUID"] = "s75DM88ZYNKX00";
    if (plane == 1) variables["SLURM_DISTRIBUTION"] = "cyclic";
    if (plane > 1) {
      variables["SLURM_DISTRIBUTION"] = "plane";
      variables["SLURM_DIST_PLANESIZE"] = std::to_string(plane);
    }
    return rankmap::MapEnvironment(variables);
  }
};

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SIMULATED_STEP_HPP
