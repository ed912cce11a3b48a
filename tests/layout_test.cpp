// SPDX-License-Identifier: MIT
#include <rankmap/layout.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::DistributionKind;
using rankmap::Layout;
using rankmap::Place;

using Nodes = std::vector<std::vector<int>>;  // the ranks of each node

// What the formula replaces: give `plane` ranks to each node in turn until each has its count.
Nodes deal(const std::vector<int>& counts, int plane) {
  Nodes nodes(counts.size());
  int total = 0;
  for (const int count : counts) total += count;
  for (int rank = 0; rank < total;) {
    for (std::size_t node = 0; node != counts.size(); ++node) {
      for (int k = 0; k != plane && static_cast<int>(nodes[node].size()) < counts[node]; ++k) {
        nodes[node].push_back(rank++);
      }
    }
  }
  return nodes;
}

std::vector<int> node_of_each_rank(const Nodes& nodes) {
  std::size_t total = 0;
  for (const auto& ranks : nodes) total += ranks.size();
  std::vector<int> node_of(total);
  for (std::size_t node = 0; node != nodes.size(); ++node) {
    for (const int rank : nodes[node]) {
      node_of[static_cast<std::size_t>(rank)] = static_cast<int>(node);
    }
  }
  return node_of;
}

// Every question about every rank and node; the name of the first wrong answer.
std::string_view first_wrong_answer(const Layout& layout, const Nodes& nodes) {
  int total = 0;
  std::size_t largest = 0;
  if (layout.node_count() != static_cast<int>(nodes.size())) return "node_count";
  for (std::size_t n = 0; n != nodes.size(); ++n) {
    const int node = static_cast<int>(n);
    const auto& ranks = nodes[n];
    const int size = static_cast<int>(ranks.size());
    total += size;
    if (ranks.size() > largest) largest = ranks.size();
    if (layout.local_world_size(node) != size) return "local_world_size";
    const auto on_node = layout.ranks_on(node);
    if (on_node.size() != ranks.size()) return "ranks_on size";
    for (int local = 0; local != size; ++local) {
      const int rank = ranks[static_cast<std::size_t>(local)];
      if (layout.rank_of(node, local) != rank) return "rank_of";
      if (layout.place_of(rank) != Place{node, local}) return "place_of";
      if (on_node[static_cast<std::size_t>(local)] != rank) return "ranks_on";
    }
    if (size != 0 && layout.leader_of(node) != ranks[0]) return "leader_of";
  }
  if (layout.world_size() != total) return "world_size";
  if (layout.largest_local_world_size() != static_cast<int>(largest)) return "largest";
  for (std::size_t local = 0; local <= largest; ++local) {
    std::vector<int> expected;
    for (const auto& ranks : nodes) {
      if (ranks.size() > local) expected.push_back(ranks[local]);
    }
    const auto rail = layout.rail(static_cast<int>(local));
    if (rail.size() != expected.size()) return "rail size";
    const std::size_t size = expected.size();
    for (std::size_t k = 0; k != size; ++k) {
      const int rank = expected[k];
      if (rail[k] != rank) return "rail";
      if (layout.rail_index_of(rank) != static_cast<int>(k)) return "rail_index_of";
      if (layout.next_on_rail(rank) != expected[(k + 1) % size]) return "next_on_rail";
      if (layout.previous_on_rail(rank) != expected[(k + size - 1) % size]) {
        return "previous_on_rail";
      }
    }
  }
  return "";
}

// Calls `visit` with all vectors of `nodes` counts in [0, most] that are not all 0.
template <class Visit>
void for_all_counts(std::size_t nodes, int most, const Visit& visit) {
  std::vector<int> counts(nodes, 0);
  for (;;) {
    std::size_t i = 0;
    while (i != nodes && counts[i] == most) counts[i++] = 0;
    if (i == nodes) return;
    ++counts[i];
    visit(counts);
  }
}

TEST(Layout, equals_dealing_by_hand_for_every_small_job) {
  for (std::size_t nodes = 1; nodes <= 5; ++nodes) {
    for_all_counts(nodes, 5, [](const std::vector<int>& counts) {
      for (int plane = 1; plane <= 5; ++plane) {
        const auto layout = Layout::from_counts(counts, Distribution::plane(plane));
        ASSERT_TRUE(layout);
        ASSERT_EQ(first_wrong_answer(*layout, deal(counts, plane)), "")
            << testing::PrintToString(counts) << " plane " << plane;
      }
    });
  }
}

TEST(Layout, recognises_the_rule_behind_a_list_of_nodes) {
  for (std::size_t nodes = 1; nodes <= 4; ++nodes) {
    for_all_counts(nodes, 4, [nodes](const std::vector<int>& counts) {
      for (int plane = 1; plane <= 4; ++plane) {
        const Nodes dealt = deal(counts, plane);
        const auto layout = Layout::from_nodes(node_of_each_rank(dealt), static_cast<int>(nodes));
        ASSERT_TRUE(layout);
        ASSERT_EQ(first_wrong_answer(*layout, dealt), "") << testing::PrintToString(counts);
        ASSERT_NE(layout->distribution().kind, DistributionKind::arbitrary)
            << testing::PrintToString(counts) << " plane " << plane;
        ASSERT_EQ(*layout, *Layout::from_counts(counts, Distribution::plane(plane)));
      }
    });
  }
}

}  // namespace
