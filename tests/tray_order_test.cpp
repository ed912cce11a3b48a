// SPDX-License-Identifier: MIT
#include <rankmap/tray_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace {

using rankmap::TpuTray;
using rankmap::tray_order;
using rankmap::TrayOrder;

static_assert(sizeof(TrayOrder) == 9 * sizeof(int));  // no tray has more than eight

struct Row {
  TpuTray tray;
  TrayOrder expected;
  int cores;  // devices a chip; chips are numbered row by row
  int row;    // chips a row
  int plane;  // chips a plane
  bool ring;
};
// The orders of jax/_src/mesh_utils.py. Red here: devices would be dealt to other ranks than JAX's.
constexpr Row rows[] = {
    {TpuTray::v2_v3, {8, {0, 1, 2, 3, 6, 7, 4, 5}}, 2, 2, 4, true},
    {TpuTray::two_by_two, {4, {0, 1, 3, 2}}, 1, 2, 4, true},
    {TpuTray::v5e_4x2, {8, {0, 1, 2, 3, 7, 6, 5, 4}}, 1, 4, 8, true},
    {TpuTray::v5e_2x2x2, {8, {0, 4, 2, 6, 1, 5, 3, 7}}, 1, 2, 4, false},
    {TpuTray::v5p_2x2x2, {8, {0, 1, 3, 2, 6, 7, 5, 4}}, 1, 2, 4, true},
};

constexpr bool is_as_expected(const Row& row) {
  const TrayOrder order = tray_order(row.tray);
  if (order.size != row.expected.size) return false;
  for (int place = 0; place != order.size; ++place) {
    if (order[place] != row.expected[place]) return false;
  }
  return true;
}

constexpr bool all_as_expected() {
  for (const Row& row : rows) {
    if (!is_as_expected(row)) return false;
  }
  return true;
}
static_assert(all_as_expected());

TEST(TrayOrder, is_that_of_jax) {
  for (const Row& row : rows) EXPECT_TRUE(is_as_expected(row)) << static_cast<int>(row.tray);
}

TEST(TrayOrder, passes_each_device_once) {
  for (const Row& row : rows) {
    const TrayOrder order = tray_order(row.tray);
    std::vector<int> devices(order.begin(), order.end());
    std::sort(devices.begin(), devices.end());
    ASSERT_EQ(static_cast<int>(devices.size()), order.size);
    for (int i = 0; i != order.size; ++i) EXPECT_EQ(devices[static_cast<std::size_t>(i)], i);
  }
}

// Each step stays on a chip or changes one coordinate by one, the last step back to the first
// included. The order of v5e_2x2x2 is JAX's too, which does not call it a ring.
TEST(TrayOrder, steps_to_a_neighbour_but_in_v5e_2x2x2) {
  for (const Row& row : rows) {
    const TrayOrder order = tray_order(row.tray);
    bool ring = true;
    for (int place = 0; place != order.size; ++place) {
      const int a = order[place] / row.cores;
      const int b = order[(place + 1) % order.size] / row.cores;
      const int steps = std::abs(a % row.row - b % row.row) +
                        std::abs(a % row.plane / row.row - b % row.plane / row.row) +
                        std::abs(a / row.plane - b / row.plane);
      ring = ring && steps <= 1;
    }
    EXPECT_EQ(ring, row.ring) << static_cast<int>(row.tray);
  }
}

}  // namespace
