// SPDX-License-Identifier: MIT
//
// Whom a node receives from and sends to in a pair of broadcast trees over all nodes. A node that
// only receives in one tree forwards in the other, so that two halves of a message, one for each
// tree, use every link.
#ifndef RANKMAP_NODE_TREE_HPP
#define RANKMAP_NODE_TREE_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// One node of a tree: the nodes beside it, -1 where there is none.
struct TreePlace {
  int parent = -1;
  int child0 = -1;  ///< below the node in the first tree
  int child1 = -1;  ///< above it

  RANKMAP_HD constexpr bool is_root() const noexcept { return parent == -1; }
  RANKMAP_HD constexpr bool is_leaf() const noexcept { return child0 == -1 && child1 == -1; }
  friend constexpr bool operator==(const TreePlace&, const TreePlace&) = default;
};

/// Where `node` stands in the first tree over nodes 0 .. `nodes` - 1: a binary search tree under
/// node 0, whose only child is the largest power of two below `nodes`. A node of lowest set bit b
/// has its children b / 2 to either side, and nearer where the upper one would be beyond the end;
/// odd nodes are the leaves. Preconditions: 0 <= node < nodes. Cost: O(log nodes). Golden-tested
/// against the trees that NCCL builds over its nodes.
RANKMAP_HD constexpr TreePlace first_tree(int node, int nodes) noexcept {
  const auto id = static_cast<std::uint32_t>(node);
  const auto end = static_cast<std::uint32_t>(nodes);
  TreePlace place;
  std::uint32_t step = 1;  // to the upper child
  if (id == 0) {
    while (step < end - step) step *= 2;
    if (end == 1) step = 0;
  } else {
    const std::uint32_t bit = id & (~id + 1);
    const std::uint32_t below = id ^ bit;
    const std::uint32_t parent = below | (2 * bit);
    place.parent = static_cast<int>(parent < end ? parent : below);
    step = bit / 2;
    if (step != 0) place.child0 = static_cast<int>(id - step);
    while (step != 0 && step >= end - id) step /= 2;
  }
  if (step != 0) place.child1 = static_cast<int>(id + step);
  return place;
}

/// The same in the second tree: the first one mirrored for an even number of nodes, so that its
/// root is the last node, and moved up by one around the end for an odd number, root 1. Of two or
/// more nodes none is a leaf in both trees. Preconditions, cost and tests: those of `first_tree`.
RANKMAP_HD constexpr TreePlace second_tree(int node, int nodes) noexcept {
  const int last = nodes - 1;
  if (nodes % 2 == 0) {
    const TreePlace place = first_tree(last - node, nodes);
    return {place.parent == -1 ? -1 : last - place.parent,
            place.child0 == -1 ? -1 : last - place.child0,
            place.child1 == -1 ? -1 : last - place.child1};
  }
  const TreePlace place = first_tree(node == 0 ? last : node - 1, nodes);
  return {place.parent == last ? 0
          : place.parent == -1 ? -1
                               : place.parent + 1,
          place.child0 == last ? 0
          : place.child0 == -1 ? -1
                               : place.child0 + 1,
          place.child1 == last ? 0
          : place.child1 == -1 ? -1
                               : place.child1 + 1};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_NODE_TREE_HPP
