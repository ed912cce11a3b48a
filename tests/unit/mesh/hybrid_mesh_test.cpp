// SPDX-License-Identifier: MIT
#include "support/groups.hpp"
#include "support/layouts.hpp"

#include <rankmap/mesh/hybrid_mesh.hpp>
#include <rankmap/mesh/placement.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::Errc;
using rankmap::hybrid_mesh;
using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;
using rankmap::recommend_mesh;
using rankmap_test::groups_are;

// JAX's create_hybrid_device_mesh for 8 devices in 2 slices of 4; a logical axis of it is the two
// axes of that name here, across and inside. Red: the meshes are not those of JAX.
constexpr Layout slices = Layout::block(2, 4);
constexpr Mesh ici_2_2_dcn_2_1 =
    hybrid_mesh(slices, {{"x_out", 2}, {"y_out", 1}}, {{"x", 2}, {"y", 2}}).value();
static_assert(groups_are(ici_2_2_dcn_2_1.groups("y_out-y"), "0,1|2,3|4,5|6,7"));
static_assert(groups_are(ici_2_2_dcn_2_1.groups("x_out-x"), "0,2,4,6|1,3,5,7"));
constexpr Mesh ici_2_2_dcn_1_2 =
    hybrid_mesh(slices, {{"x_out", 1}, {"y_out", 2}}, {{"x", 2}, {"y", 2}}).value();
static_assert(groups_are(ici_2_2_dcn_1_2.groups("y_out-y"), "0,1,4,5|2,3,6,7"));
constexpr Mesh ici_4_1_dcn_1_2 =
    hybrid_mesh(slices, {{"x_out", 1}, {"y_out", 2}}, {{"x", 4}, {"y", 1}}).value();
static_assert(groups_are(ici_4_1_dcn_1_2.groups("y_out-y"), "0,4|1,5|2,6|3,7"));

static_assert(rankmap::MeshRecommendation().axes_inside == 0);

TEST(HybridMesh, has_the_rows_of_jax_hybrid_meshes) {
  EXPECT_TRUE(groups_are(ici_2_2_dcn_2_1.groups("y_out-y"), "0,1|2,3|4,5|6,7"));
  EXPECT_TRUE(groups_are(ici_2_2_dcn_1_2.groups("y_out-y"), "0,1,4,5|2,3,6,7"));
  EXPECT_TRUE(groups_are(ici_4_1_dcn_1_2.groups("y_out-y"), "0,4|1,5|2,6|3,7"));
}

TEST(HybridMesh, axes_number_nodes_and_local_ranks_in_every_order) {
  for (int nodes = 1; nodes <= 6; ++nodes) {
    for (int per_node = 1; per_node <= 12; ++per_node) {
      for (int plane = 1; plane <= per_node; ++plane) {
        const Layout layout = Layout::plane(nodes, per_node, plane);
        for (int inner = 1; inner <= per_node; ++inner) {
          if (per_node % inner != 0) continue;
          const auto mesh =
              hybrid_mesh(layout, {{"node", nodes}}, {{"b", Mesh::inferred}, {"a", inner}});
          // the planes end where a digit does
          const bool fits = nodes == 1 || plane == 1 || plane == inner || plane == per_node;
          ASSERT_EQ(mesh.has_value(), fits)
              << nodes << " " << per_node << " " << plane << " " << inner;
          if (!mesh) {
            ASSERT_EQ(mesh.error().code, Errc::bad_layout);
            continue;
          }
          ASSERT_TRUE(mesh->covers(layout.world_size()));
          for (int rank = 0; rank != layout.world_size(); ++rank) {
            ASSERT_EQ(mesh->group_rank("node", rank), layout.node_of(rank));
            ASSERT_EQ(mesh->group_rank("b-a", rank), layout.local_rank_of(rank));
          }
        }
      }
    }
  }
}

TEST(HybridMesh, rejects_layouts_that_it_cannot_number) {
  const int counts[] = {2, 1, 3};
  const Layout uneven = *Layout::from_counts(counts, Distribution::block);
  EXPECT_EQ(message(hybrid_mesh(uneven, {{"node", 3}}, {{"tp", 2}}).error()),
            "layout=\"uneven nodes\": expected the same number of ranks on each node, in block or "
            "cyclic order or in planes that divide it; use Mesh::make, and Placement for the axes "
            "that leave the node");
  const int mixed[] = {0, 1, 1, 0};
  const Layout arbitrary = *Layout::from_nodes(mixed);
  EXPECT_EQ(hybrid_mesh(arbitrary, {{"node", 2}}, {{"tp", 2}}).error().code, Errc::bad_layout);
  EXPECT_EQ(message(hybrid_mesh(Layout::plane(2, 8, 4), {{"node", 2}}, {{"tp", 8}}).error()),
            "axis tp=\"8\": expected axes inside a node that fill a plane of 4 ranks before one "
            "extends beyond it; split the axis, or put another one inside it");
  EXPECT_EQ(message(hybrid_mesh(Layout::block(2, 8), {{"node", 3}}, {{"tp", 8}}).error()),
            "node count=\"2\": expected the product 3 of node=3; change a size, or let one axis be "
            "Mesh::inferred");
  EXPECT_EQ(
      message(hybrid_mesh(Layout::block(2, 8), {{"node", 2}}, {{"tp", 4}}).error()),
      "ranks per node=\"8\": expected the product 4 of tp=4; change a size, or let one axis be "
      "Mesh::inferred");
  EXPECT_EQ(hybrid_mesh(Layout::block(2, 8), {{"x", 2}}, {{"x", 8}}).error().code, Errc::bad_axis);
}

constexpr auto advice_64 =
    recommend_mesh(Layout::block(8, 8), {{"tp", 8}, {"dp", Mesh::inferred}, {"pp", 2}}).value();
static_assert(advice_64.axes_inside == 1 && advice_64.mesh.covers(64));
static_assert(advice_64.mesh == Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 8}}).value());
static_assert(advice_64.reason.view().starts_with("tp=8 inside: 8 of the 8 that share a node; "));

struct Advice {
  Layout layout;
  int axes_inside;
  std::string_view order;
  std::string_view reason;
};

TEST(RecommendMesh, puts_the_heaviest_axes_that_fit_inside) {
  const Advice table[] = {
      {Layout::block(8, 8), 1, "pp dp tp",
       "tp=8 inside: 8 of the 8 that share a node; dp=4 across: 8 x 4 does not divide the 8 that "
       "share a node; pp=2 across: 8 x 2 does not divide the 8 that share a node"},
      {Layout::cyclic(8, 8), 1, "pp dp tp",
       "tp=8 inside: 8 of the 8 that share a node; dp=4 across: 8 x 4 does not divide the 8 that "
       "share a node; pp=2 across: 8 x 2 does not divide the 8 that share a node"},
      {Layout::block(4, 16), 2, "dp pp tp",
       "tp=8 inside: 8 of the 16 that share a node; dp=4 across: 8 x 4 does not divide the 16 that "
       "share a node; pp=2 inside: 16 of the 16 that share a node"},
      {Layout::block(1, 64), 3, "pp dp tp",
       "tp=8 inside: 8 of the 64 that share a node; dp=4 inside: 32 of the 64 that share a node; "
       "pp=2 inside: 64 of the 64 that share a node"},
      {Layout::block(16, 4), 1, "pp tp dp",
       "tp=8 across: 1 x 8 does not divide the 4 that share a node; dp=4 inside: 4 of the 4 that "
       "share a node; pp=2 across: 4 x 2 does not divide the 4 that share a node"},
      // planes of 4: tp cannot be numbered inside a node of 8
      {Layout::plane(8, 8, 4), 1, "pp tp dp",
       "tp=8 across: 1 x 8 does not divide the 4 that share a node; dp=4 inside: 4 of the 4 that "
       "share a node; pp=2 across: 4 x 2 does not divide the 4 that share a node"},
      {Layout::cyclic(4, 16), 2, "dp pp tp",
       "tp=8 inside: 8 of the 16 that share a node; dp=4 across: 8 x 4 does not divide the 16 that "
       "share a node; pp=2 inside: 16 of the 16 that share a node"},
      {Layout::cyclic(32, 2), 1, "dp tp pp",
       "tp=8 across: 1 x 8 does not divide the 2 that share a node; dp=4 across: 1 x 4 does not "
       "divide the 2 that share a node; pp=2 inside: 2 of the 2 that share a node"},
      {Layout::cyclic(64, 1), 0, "pp dp tp",
       "tp=8 across: 1 x 8 does not divide the 1 that share a node; dp=4 across: 1 x 4 does not "
       "divide the 1 that share a node; pp=2 across: 1 x 2 does not divide the 1 that share a "
       "node"},
  };
  for (const Advice& row : table) {
    const auto advice = recommend_mesh(row.layout, {{"tp", 8}, {"dp", Mesh::inferred}, {"pp", 2}});
    ASSERT_TRUE(advice);
    EXPECT_EQ(advice->reason, row.reason);
    EXPECT_EQ(advice->axes_inside, row.axes_inside);
    ASSERT_TRUE(advice->mesh.covers(64));
    std::string order;
    for (int i = 0; i != advice->mesh.axis_count(); ++i) {
      if (i != 0) order += ' ';
      order += advice->mesh.axis(i).name;
    }
    EXPECT_EQ(order, row.order);
  }
}

constexpr bool advises(std::string_view counts, int tp, int axes_inside, std::string_view reason) {
  const auto layout = Layout::from_counts(counts, Distribution::block);
  const auto advice = recommend_mesh(*layout, {{"tp", tp}, {"dp", Mesh::inferred}});
  return advice->axes_inside == axes_inside && advice->reason == reason;
}

// Not constant expressions: nodes are looked at one by one, and not run by run.
static_assert(advises("2(x900000000),4", 2, 1,
                      "tp=2 inside: 2 of the 2 that share a node; dp=900000002 across: 2 x "
                      "900000002 does not divide the 2 that share a node"));
static_assert(advises("3(x600000000),8", 8, 0,
                      "tp=8 across: 1 x 8 does not divide the 1 that share a node; dp=225000001 "
                      "across: 1 x 225000001 does not divide the 1 that share a node"));

TEST(RecommendMesh, takes_nodes_that_all_differ) {
  std::string counts = "0";
  for (int node = 100; node != 200; ++node) counts += ',' + std::to_string(4 * node);
  EXPECT_TRUE(advises(counts, 4, 1,
                      "tp=4 inside: 4 of the 4 that share a node; dp=14950 across: 4 x 14950 does "
                      "not divide the 4 that share a node"));
}

// The claim itself, on every small layout: what is said to be inside is, all of it together.
TEST(RecommendMesh, puts_no_axis_inside_that_leaves_its_node) {
  const std::vector<Layout> layouts =
      rankmap_test::layouts_of_24({{8, 12, 4}, {6, 6, 12}, {24, 0}, {1, 23}, {0, 16, 8}});
  int inside = 0;
  for (const Layout& layout : layouts) {
    for (const int tp : {1, 2, 3, 4, 6, 8, 12, 24}) {
      for (const int pp : {1, 2, 3, 4}) {
        if (24 % (tp * pp) != 0) continue;
        const auto advice =
            recommend_mesh(layout, {{"tp", tp}, {"dp", Mesh::inferred}, {"pp", pp}});
        ASSERT_TRUE(advice);
        ASSERT_TRUE(advice->mesh.covers(24));
        const auto placement = Placement::make(advice->mesh, layout);
        ASSERT_TRUE(placement);
        rankmap::Axes axes;
        for (int i = 0; i != advice->axes_inside; ++i) {
          axes = axes | advice->mesh.axes_at(advice->mesh.axis_count() - 1 - i);
        }
        ASSERT_TRUE(placement->is_intra_node(axes)) << advice->reason.view();
        inside += advice->axes_inside;
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(RecommendMesh, passes_errors_of_the_list_on) {
  EXPECT_EQ(recommend_mesh(Layout::block(8, 8), {{"tp", 3}, {"dp", Mesh::inferred}}).error().code,
            Errc::bad_axis);
  EXPECT_EQ(recommend_mesh(Layout::block(8, 8), {{"tp", 8}, {"dp", 4}}).error().code,
            Errc::bad_axis);
}

}  // namespace
