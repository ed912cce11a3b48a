// SPDX-License-Identifier: MIT
// Layouts from what a caller passes or a launcher writes, checked: counts, nodes of ranks, maps.
#ifndef RANKMAP_LAYOUT_DETAIL_READ_LAYOUT_HPP
#define RANKMAP_LAYOUT_DETAIL_READ_LAYOUT_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/task_counts.hpp>
#include <rankmap/layout/detail/layout_data.hpp>
#include <rankmap/layout/detail/make_layout.hpp>
#include <rankmap/layout/detail/process_map.hpp>
#include <rankmap/layout/distribution.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr Result<LayoutData> layout_of_even_nodes(int node_count, int per_node,
                                                  Distribution distribution) {
  CountList counts;
  if (node_count < 1) {
    return bad_layout("node count", concat(node_count), "at least one node",
                      "pass the number of nodes");
  }
  if (per_node < 1 || !counts.add(per_node, node_count)) {
    return bad_layout("ranks per node", concat(per_node),
                      "at least one rank a node, and fewer than 2^31 in all",
                      "pass the ranks of one node");
  }
  return layout_from_counts(counts, distribution);
}

constexpr Result<LayoutData> layout_of_tasks(std::span<const int> tasks_per_node,
                                             Distribution distribution) {
  CountList counts;
  for (const int count : tasks_per_node) {
    if (count < 0 || !counts.add(count, 1)) {
      return bad_layout(concat("tasks of node ", counts.numbers.nodes), concat(count),
                        "a count of at least 0, and fewer than 2^31 ranks and nodes in all",
                        "pass the tasks of every node");
    }
  }
  return layout_from_counts(counts, distribution);
}

constexpr Result<LayoutData> layout_of_tasks(std::string_view tasks_per_node,
                                             Distribution distribution, std::string_view subject) {
  const Result<TaskCounts> text = TaskCounts::parse(tasks_per_node, subject);
  if (!text) return text.error();
  if (text->tasks() == 0) {
    return bad_layout(subject, tasks_per_node, "at least one task", "write counts such as 2(x3),1");
  }
  CountList counts;
  text->for_each_run([&counts](TaskRun run) { (void)counts.add(run.count, run.nodes); });
  return layout_from_counts(counts, distribution);
}

RANKMAP_NOINLINE constexpr Result<LayoutData> layout_of_node_list(std::span<const int> node_of_rank,
                                                                  int node_count) {
  constexpr std::string_view remedy = "pass the node of every rank, counted from 0";
  if (node_of_rank.empty() || node_of_rank.size() > INT32_MAX) {
    return bad_layout("node of each rank", "", "at least one rank and fewer than 2^31", remedy);
  }
  if (node_count < 0) {
    return bad_layout("node count", concat(node_count), "0 or the number of nodes", remedy);
  }
  int nodes = node_count;
  for (std::size_t rank = 0; rank != node_of_rank.size(); ++rank) {
    const int node = node_of_rank[rank];
    if (node < 0 || (node_count > 0 && node >= node_count)) {
      return bad_layout(concat("node of rank ", std::uint64_t{rank}), concat(node),
                        "a node in [0, node count)", remedy);
    }
    if (node >= nodes) nodes = node == INT32_MAX ? node : node + 1;
  }
  if (nodes > max_listed) {
    return error_at(Errc::limit_exceeded, "node count", concat(nodes), "at most 2^24 nodes",
                    remedy);
  }
  return layout_from_nodes(node_of_rank.data(), node_of_rank.size(),
                           static_cast<std::uint32_t>(nodes));
}

/// A map of one block is a plane order, whose counts have a closed form.
constexpr Result<LayoutData> layout_from_one_block(const RankBlock& block, std::int64_t world) {
  const std::int64_t round = block.nodes * block.per_node;
  const std::int64_t rounds = world / round;
  const std::int64_t rest = world % round;
  const std::int64_t full = rest / block.per_node;
  CountList counts;
  const std::int64_t runs[][2] = {{0, block.first},
                                  {(rounds + 1) * block.per_node, full},
                                  {rounds * block.per_node + rest % block.per_node, 1},
                                  {rounds * block.per_node, block.nodes - full - 1}};
  for (const auto& [count, nodes] : runs) (void)counts.add(count, nodes);
  return layout_from_counts(counts, Distribution::plane(static_cast<int>(block.per_node)));
}

/// Whether the blocks of a map go up through the nodes once, which is block order. Adds the counts.
constexpr bool counts_ascending(const ProcessMap& map, std::int64_t world, CountList& counts) {
  if (map.ranks() != world) return false;
  for (std::size_t b = 0; b != map.blocks().size(); ++b) {
    const RankBlock& block = map.blocks()[b];
    const bool once = block.repeat == 1 || (block.group == 1 && block.nodes == 1);
    if (!once || block.first < counts.numbers.nodes) return false;
    (void)counts.add(0, block.first - counts.numbers.nodes);
    (void)counts.add(block.per_node * block.repeat, block.nodes);
  }
  return true;
}

/// `world`: 0 for the ranks of the map. A longer map is cut off. A shorter one repeats from its
/// first block at node 0, as in MPICH.
RANKMAP_RARE constexpr Result<LayoutData> layout_from_map(const Result<ProcessMap>& read,
                                                          std::int64_t world,
                                                          std::string_view subject,
                                                          std::string_view text) {
  constexpr std::string_view remedy = "pass the map that belongs to this world size";
  if (world < 0) {
    return bad_layout("world size", concat(world), "at least one rank", "pass the number of ranks");
  }
  if (!read) return read.error();
  const ProcessMap& map = *read;
  if (world == 0) world = map.ranks();
  std::size_t again = 0;  // the group from which the map repeats
  while (again != map.blocks().size() &&
         (map.blocks()[again].first != 0 || map.blocks()[again].group == 0)) {
    ++again;
  }
  if (map.ranks() < world && again == map.blocks().size()) {
    return bad_layout(subject, text, concat("the nodes of ", world, " ranks"), remedy);
  }
  if (map.blocks().size() == 1) return layout_from_one_block(map.blocks()[0], world);
  CountList ascending;
  if (counts_ascending(map, world, ascending)) {
    return layout_from_counts(ascending, Distribution::block);
  }
  if (world > max_listed || map.nodes() > max_listed) {
    return error_at(Errc::limit_exceeded, subject, text,
                    "at most 2^24 ranks and nodes in an irregular map", remedy);
  }
  SmallVector<int, 16> node_of_rank(static_cast<std::size_t>(world));
  std::size_t rank = 0;
  const auto list = [&](std::int64_t node, std::int64_t count) {
    for (; count != 0 && rank != node_of_rank.size(); --count) {
      node_of_rank[rank++] = static_cast<int>(node);
    }
    return rank != node_of_rank.size();
  };
  for (std::size_t from = 0; map.for_each_run(from, list);) from = again;
  return layout_from_nodes(node_of_rank.data(), node_of_rank.size(),
                           static_cast<std::uint32_t>(map.nodes()));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_READ_LAYOUT_HPP
