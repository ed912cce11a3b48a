// SPDX-License-Identifier: MIT
#include <rankmap/mesh.hpp>
#include <rankmap/node_tree.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <vector>

namespace {

using rankmap::first_tree;
using rankmap::Mesh;
using rankmap::second_tree;
using rankmap::TreePlace;

struct Row {
  int nodes;
  int node;
  TreePlace first;
};

// What NCCL's trees say. Red: ranks that follow these trees wait for others than NCCL's would.
constexpr Row table[] = {
    {1, 0, {-1, -1, -1}}, {4, 0, {-1, -1, 2}},   {4, 1, {2, -1, -1}}, {4, 2, {0, 1, 3}},
    {4, 3, {2, -1, -1}},  {5, 0, {-1, -1, 4}},   {5, 1, {2, -1, -1}}, {5, 2, {4, 1, 3}},
    {5, 3, {2, -1, -1}},  {5, 4, {0, 2, -1}},    {8, 0, {-1, -1, 4}}, {8, 2, {4, 1, 3}},
    {8, 4, {0, 2, 6}},    {8, 6, {4, 5, 7}},     {14, 8, {0, 4, 12}}, {14, 12, {8, 10, 13}},
    {14, 4, {8, 2, 6}},   {14, 10, {12, 9, 11}},
};

constexpr bool has_first_trees() {
  for (const Row& row : table) {
    if (first_tree(row.node, row.nodes) != row.first) return false;
  }
  return true;
}
static_assert(has_first_trees());

TEST(NodeTree, has_the_first_trees_of_the_table) {
  for (const Row& row : table) {
    EXPECT_EQ(first_tree(row.node, row.nodes), row.first) << row.node << " of " << row.nodes;
  }
}

struct Root {
  int nodes;
  int second;
};
constexpr Root roots[] = {{1, 0}, {2, 1}, {4, 3}, {5, 1}, {6, 5}, {7, 1}, {8, 7}};

constexpr bool has_second_roots() {
  for (const Root& row : roots) {
    for (int node = 0; node != row.nodes; ++node) {
      if (second_tree(node, row.nodes).is_root() != (node == row.second)) return false;
    }
  }
  return true;
}
static_assert(has_second_roots());

TEST(NodeTree, has_the_second_roots_of_the_table) {
  for (const Root& row : roots) {
    EXPECT_TRUE(second_tree(row.second, row.nodes).is_root()) << row.nodes;
  }
  EXPECT_TRUE(has_second_roots());
}

// Walks down from the root without following a node twice; how many it meets.
template <class Tree>
int reached(const Tree& tree, int nodes, int root) {
  std::vector<bool> met(static_cast<std::size_t>(nodes));
  std::vector<int> open{root};
  int count = 0;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (met[static_cast<std::size_t>(node)]) return -1;
    met[static_cast<std::size_t>(node)] = true;
    ++count;
    const TreePlace place = tree(node, nodes);
    if (place.child0 != -1) open.push_back(place.child0);
    if (place.child1 != -1) open.push_back(place.child1);
  }
  return count;
}

template <class Tree>
void expect_one_tree(const Tree& tree, int nodes) {
  int root = -1;
  int roots_found = 0;
  int edges = 0;
  for (int node = 0; node != nodes; ++node) {
    const TreePlace place = tree(node, nodes);
    for (const int other : {place.parent, place.child0, place.child1}) {
      ASSERT_TRUE(other >= -1 && other < nodes && other != node) << node << " of " << nodes;
    }
    if (place.is_root()) {
      ++roots_found;
      root = node;
    } else {
      const TreePlace parent = tree(place.parent, nodes);
      ASSERT_EQ((parent.child0 == node) + (parent.child1 == node), 1) << node << " of " << nodes;
    }
    for (const int child : {place.child0, place.child1}) {
      if (child == -1) continue;
      ++edges;
      ASSERT_EQ(tree(child, nodes).parent, node) << node << " of " << nodes;
    }
  }
  ASSERT_EQ(roots_found, 1) << nodes;
  ASSERT_EQ(edges, nodes - 1) << nodes;
  ASSERT_EQ(reached(tree, nodes, root), nodes);
}

TEST(NodeTree, is_one_tree_over_any_number_of_nodes_in_both) {
  for (int nodes = 1; nodes != 600; ++nodes) {
    expect_one_tree(first_tree, nodes);
    expect_one_tree(second_tree, nodes);
  }
}

TEST(NodeTree, has_no_node_that_is_a_leaf_in_both) {
  EXPECT_TRUE(first_tree(0, 1).is_leaf() && second_tree(0, 1).is_leaf());
  for (int nodes = 2; nodes != 600; ++nodes) {
    for (int node = 0; node != nodes; ++node) {
      EXPECT_FALSE(first_tree(node, nodes).is_leaf() && second_tree(node, nodes).is_leaf())
          << node << " of " << nodes;
    }
    if (nodes % 2 == 1) {
      EXPECT_FALSE(first_tree(0, nodes).is_leaf() || second_tree(0, nodes).is_leaf()) << nodes;
    }
  }
}

TEST(NodeTree, is_as_deep_as_the_number_of_nodes_has_bits) {
  for (const int nodes : {2, 3, 64, 599, 100000, INT_MAX}) {
    int bits = 0;
    for (int left = nodes - 1; left != 0; left /= 2) ++bits;
    for (const int node : {nodes - 1, nodes / 2, nodes / 3, 1}) {
      int depth = 0;
      for (int at = node; at != 0; at = first_tree(at, nodes).parent) ++depth;
      EXPECT_LE(depth, bits) << node << " of " << nodes;
    }
  }
}

TEST(NodeTree, does_not_overflow_at_the_largest_world) {
  static_assert(first_tree(0, INT_MAX) == TreePlace{-1, -1, 1 << 30});
  static_assert(first_tree(1 << 30, INT_MAX) == TreePlace{0, 1 << 29, (1 << 30) + (1 << 29)});
  static_assert(first_tree(INT_MAX - 1, INT_MAX).parent == INT_MAX - 3);
  static_assert(second_tree(1, INT_MAX).is_root());
  static_assert(second_tree(0, INT_MAX).parent == INT_MAX - 2);
  EXPECT_EQ(first_tree(INT_MAX - 2, INT_MAX).parent, INT_MAX - 1);
  EXPECT_TRUE(second_tree(INT_MAX - 2, INT_MAX - 1).is_root());
}

// The third pattern over nodes needs no tree: it is a ring along an axis.
TEST(NodeTree, leaves_rings_to_the_mesh) {
  for (int nodes = 1; nodes != 40; ++nodes) {
    const Mesh mesh = Mesh::make({{"node", nodes}}).value();
    for (int node = 0; node != nodes; ++node) {
      EXPECT_EQ(mesh.ring_neighbour("node", node, 1), (node + 1) % nodes);
    }
  }
}

}  // namespace
