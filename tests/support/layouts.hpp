// SPDX-License-Identifier: MIT
//
// Layouts for claims that hold on every one of them.
#ifndef RANKMAP_TESTS_SUPPORT_LAYOUTS_HPP
#define RANKMAP_TESTS_SUPPORT_LAYOUTS_HPP

#include <rankmap/layout/layout.hpp>

#include <cstddef>
#include <vector>

namespace rankmap_test {

/// 24 ranks on even nodes by every plane, on these uneven ones in three orders, and by no rule.
inline std::vector<rankmap::Layout> layouts_of_24(const std::vector<std::vector<int>>& uneven) {
  using rankmap::Layout;
  std::vector<Layout> layouts;
  for (int nodes = 1; nodes <= 24; ++nodes) {
    if (24 % nodes != 0) continue;
    for (int plane = 1; plane <= 24 / nodes; ++plane) {
      layouts.push_back(Layout::plane(nodes, 24 / nodes, plane));
    }
  }
  for (const auto& counts : uneven) {
    for (const int plane : {1, 2, 24}) {
      layouts.push_back(*Layout::from_counts(counts, rankmap::Distribution::plane(plane)));
    }
  }
  std::vector<int> shuffled(24);
  for (std::size_t i = 0; i != 24; ++i) shuffled[i] = static_cast<int>(i * 7 % 24 / 6);
  layouts.push_back(*Layout::from_nodes(shuffled));
  return layouts;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_LAYOUTS_HPP
