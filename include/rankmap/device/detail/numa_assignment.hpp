// SPDX-License-Identifier: MIT
// One device for each local process, near it by NUMA node, from two lists that all of them have.
#ifndef RANKMAP_DEVICE_DETAIL_NUMA_ASSIGNMENT_HPP
#define RANKMAP_DEVICE_DETAIL_NUMA_ASSIGNMENT_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <span>

namespace rankmap::inline v0::detail {

/// In order of local rank each process gets the lowest free device of its node. Then the others get
/// the free devices in index order. -1 is an unknown node, on which nothing is near.
struct NumaAssignment {
  std::span<const int> device_nodes;
  std::span<const int> process_nodes;

  /// The index of the nth device on `node`, or -1.
  constexpr int nth_device(int node, int nth) const {
    if (node < 0) return -1;
    for (std::size_t d = 0; d != device_nodes.size(); ++d) {
      if (device_nodes[d] == node && nth-- == 0) return static_cast<int>(d);
    }
    return -1;
  }
  /// The device that local rank `rank` gets on its own node, or -1.
  constexpr int near_device(std::size_t rank) const {
    const int node = process_nodes[rank];
    return nth_device(node, count(process_nodes.first(rank), node));
  }
  /// The device that a rank without a near one gets. Precondition: as many devices as processes.
  constexpr int free_device(std::size_t rank) const {
    int turn = 0;  // ranks before this one that have no near device either
    for (std::size_t r = 0; r != rank; ++r) turn += near_device(r) < 0 ? 1 : 0;
    for (std::size_t d = 0;; ++d) {
      const int node = device_nodes[d];
      const bool taken =
          node >= 0 && count(device_nodes.first(d), node) < count(process_nodes, node);
      if (!taken && turn-- == 0) return static_cast<int>(d);
    }
  }

 private:
  static constexpr int count(std::span<const int> nodes, int node) {
    int found = 0;
    for (const int other : nodes) found += other == node ? 1 : 0;
    return found;
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_NUMA_ASSIGNMENT_HPP
