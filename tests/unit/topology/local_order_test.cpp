// SPDX-License-Identifier: MIT
//
// Open MPI 6 gives the processes that it binds their local ranks in the order of the cores: 0 2 1 3
// on two of them. It bound devices and cores by these numbers, so they are what local_rank() is,
// while a layout counts the ranks of a node in their order.
#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/select_device.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace {

using rankmap::FixedEnvironment;
using rankmap::Topology;

struct LocalRankRow {
  std::string_view rank;
  std::string_view said;
  int local_rank;
  bool is_moved;  // is not the place of this rank among the ranks of its node
};
constexpr LocalRankRow local_rank_rows[] = {
    {"0", "0", 0, false}, {"1", "2", 2, true}, {"2", "1", 1, true}, {"3", "3", 3, false}};

constexpr auto topology_of(const LocalRankRow& row) {
  const FixedEnvironment environment({{"OMPI_COMM_WORLD_RANK", row.rank},
                                      {"OMPI_COMM_WORLD_SIZE", "4"},
                                      {"OMPI_COMM_WORLD_LOCAL_RANK", row.said},
                                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}});
  return Topology::from_environment(environment).value();
}

constexpr bool is_what_the_launcher_says(const LocalRankRow& row) {
  return topology_of(row).local_rank() == row.local_rank;
}

/// The same layout on every rank, in the order of the ranks.
constexpr bool leaves_the_layout_alone(const LocalRankRow& row) {
  const Topology topology = topology_of(row);
  const auto& layout = topology.layout();
  if (!layout || layout->world_size() != 4 || layout->node_count() != 1) return false;
  for (int rank = 0; rank != 4; ++rank) {
    if (layout->local_rank_of(rank) != rank) return false;
  }
  return true;
}

constexpr bool is_warned_of_where_it_is_moved(const LocalRankRow& row) {
  const Topology topology = topology_of(row);
  if (!row.is_moved) return topology.warnings().empty();
  return topology.warnings().size() == 1 &&
         topology.warnings()[0].variable == "OMPI_COMM_WORLD_LOCAL_RANK" &&
         topology.warnings()[0].reason == "the position of this rank among the ranks of its node";
}

constexpr bool one_process_downloads() {
  int count = 0;
  for (const LocalRankRow& row : local_rank_rows) count += topology_of(row).is_local_main() ? 1 : 0;
  return count == 1;
}

constexpr bool leads_to_the_device(const LocalRankRow& row) {
  const FixedEnvironment devices({{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}});
  const auto device = select_device(topology_of(row), rankmap::DeviceKind::cuda, 4,
                                    rankmap::device_policy::strict{}, devices);
  return device && device->index.value == row.local_rank;
}

constexpr bool holds_for_all(bool (*property)(const LocalRankRow&)) {
  return std::ranges::all_of(local_rank_rows, property);
}
// One row a constant: a compiler takes only so many steps for each.
static_assert(is_what_the_launcher_says(local_rank_rows[1]));
static_assert(leaves_the_layout_alone(local_rank_rows[1]));
static_assert(is_warned_of_where_it_is_moved(local_rank_rows[1]));
static_assert(is_warned_of_where_it_is_moved(local_rank_rows[3]));

TEST(LocalOrder, local_rank_is_what_the_launcher_says) {
  EXPECT_TRUE(holds_for_all(is_what_the_launcher_says));
}
TEST(LocalOrder, a_layout_counts_in_the_order_of_the_ranks) {
  EXPECT_TRUE(holds_for_all(leaves_the_layout_alone));
}
TEST(LocalOrder, a_rank_whose_place_differs_is_warned) {
  EXPECT_TRUE(holds_for_all(is_warned_of_where_it_is_moved));
}
TEST(LocalOrder, one_process_of_the_node_downloads) { EXPECT_TRUE(one_process_downloads()); }
TEST(LocalOrder, devices_follow_what_the_launcher_bound_by) {
  EXPECT_TRUE(holds_for_all(leads_to_the_device));
}

}  // namespace
