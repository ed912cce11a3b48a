// SPDX-License-Identifier: MIT
#include "support/layouts.hpp"

#include <rankmap/mesh/placement.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::Axes;
using rankmap::Crossings;
using rankmap::Distribution;
using rankmap::Errc;
using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;

// 64 processes on 8 nodes of 8.
constexpr Mesh mesh_64 = Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 8}}).value();
constexpr Layout block_64 = Layout::block(8, 8);
constexpr Placement on_nodes = Placement::make(mesh_64, block_64).value();
static_assert(on_nodes.is_intra_node("tp") && !on_nodes.crosses("tp"));
static_assert(on_nodes.crosses("dp") && on_nodes.crosses("pp") && on_nodes.crosses("dp-tp"));
static_assert(on_nodes.crossings("tp") == Crossings{8, 0, 56, 0, 0});
static_assert(on_nodes.crossings("dp") == Crossings{16, 16, 48, 48, 3});
static_assert(on_nodes.crossings("pp") == Crossings{32, 32, 32, 32, 1});
static_assert(on_nodes.crossings("dp-tp") == Crossings{2, 2, 62, 6, 3});

// It keeps a pointer to the layout.
template <class Nodes>
concept PlacedOn = requires(Nodes&& nodes) {
  Placement::make(mesh_64, static_cast<Nodes&&>(nodes));
};
static_assert(PlacedOn<const Layout&> && PlacedOn<Layout&>);
static_assert(!PlacedOn<Layout> && !PlacedOn<const Layout>);

// The mesh of a temporary placement is a value.
static_assert(std::is_same_v<decltype(std::declval<Placement>().mesh()), Mesh>);

TEST(Placement, knows_which_axes_stay_inside_a_node) {
  EXPECT_TRUE(on_nodes.is_intra_node("tp"));
  EXPECT_TRUE(on_nodes.crosses("dp"));
  // the same mesh in cyclic order: tensor groups leave, pipeline groups stay
  const Layout cyclic = Layout::cyclic(8, 8);
  const auto in_turn = Placement::make(mesh_64, cyclic);
  ASSERT_TRUE(in_turn);
  EXPECT_TRUE(in_turn->crosses("tp"));
  EXPECT_TRUE(in_turn->is_intra_node("dp"));
  EXPECT_TRUE(in_turn->is_intra_node("pp"));
  EXPECT_EQ(in_turn->crossings("tp"), (Crossings{8, 8, 56, 56, 7}));
}

TEST(Placement, knows_which_groups_stay_inside_uneven_nodes) {
  const int counts[] = {2, 1, 3};
  const Layout layout = *Layout::from_counts(counts, Distribution::block);
  constexpr Mesh mesh = Mesh::make({{"dp", 3}, {"tp", 2}}).value();
  const auto placement = Placement::make(mesh, layout);
  ASSERT_TRUE(placement);
  EXPECT_TRUE(placement->crosses("tp"));
  EXPECT_TRUE(placement->is_intra_node("tp", 0));
  EXPECT_FALSE(placement->is_intra_node("tp", 2));
  EXPECT_TRUE(placement->is_intra_node("tp", 5));
  EXPECT_EQ(placement->crossings("tp"), (Crossings{3, 1, 3, 1, 1}));
}

// What the shorter ways through regular layouts replace.
std::string_view wrong_answer(const Mesh& mesh, const Layout& layout) {
  const auto placement = Placement::make(mesh, layout);
  if (!placement) return "make";
  for (unsigned mask = 0; mask != 1U << mesh.axis_count(); ++mask) {
    Axes axes;
    for (int i = 0; i != mesh.axis_count(); ++i) {
      if ((mask >> i & 1U) != 0) axes = axes | mesh.axes_at(i);
    }
    Crossings expected;
    for (const auto& group : mesh.groups(axes)) {
      std::set<int> nodes;
      int crossed = 0;
      for (std::size_t i = 0; i != group.size(); ++i) {
        nodes.insert(layout.node_of(group[i]));
        if (i != 0 && layout.node_of(group[i]) != layout.node_of(group[i - 1])) ++crossed;
      }
      ++expected.groups;
      expected.crossing_groups += nodes.size() > 1 ? 1 : 0;
      expected.links += static_cast<std::int64_t>(group.size()) - 1;
      expected.crossing_links += crossed;
      if (crossed > expected.max_in_a_group) expected.max_in_a_group = crossed;
      if (placement->is_intra_node(axes, group[0]) != (nodes.size() == 1)) return "one group";
    }
    if (placement->crossings(axes) != expected) return "crossings";
    if (placement->is_intra_node(axes) != (expected.crossing_groups == 0)) return "is_intra_node";
    if (placement->crosses(axes) != (expected.crossing_groups != 0)) return "crosses";
  }
  return "";
}

TEST(Placement, equals_a_check_of_every_member) {
  const Mesh meshes[] = {
      *Mesh::make({{"a", 2}, {"b", 3}, {"c", 4}}),
      *Mesh::make({{"a", 4}, {"b", 1}, {"c", 6}}),
      *Mesh::make({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 3}}),
      *Mesh::make({{"a", 2}, {"b", 3}, {"c", 4}})->transpose("b-c-a"),
      Mesh::make({{"a", 4}, {"b", 2}, {"c", 6}})->slice("a-c", 6),
      *Mesh::from_strides({{"a", 3, 8}, {"b", 2, 1}}, 3),
  };
  const std::vector<Layout> layouts = rankmap_test::layouts_of_24({{8, 12, 4},
                                                                   {6, 6, 12},
                                                                   {24, 0, 0},
                                                                   {0, 12, 12},
                                                                   {1, 23},
                                                                   {4, 4, 16},
                                                                   {10, 10, 4},
                                                                   {2, 22},
                                                                   {3, 9, 12},
                                                                   {8, 0, 8, 8},
                                                                   {5, 7, 12},
                                                                   {12, 6, 6}});
  for (const Mesh& mesh : meshes) {
    for (const Layout& layout : layouts) {
      if (mesh.ranks().back() >= layout.world_size()) continue;
      ASSERT_EQ(wrong_answer(mesh, layout), "")
          << mesh.size() << " on " << layout.node_count() << " nodes";
    }
  }
}

TEST(Placement, rejects_a_mesh_with_ranks_that_the_layout_lacks) {
  const Layout small = Layout::block(2, 4);
  const auto placement = Placement::make(mesh_64, small);
  ASSERT_FALSE(placement);
  EXPECT_EQ(placement.error().code, Errc::inconsistent);
  EXPECT_EQ(message(placement.error()),
            "mesh=\"rank 63\": expected ranks of the layout, below 8; make both for the same world "
            "size");
  // a part of the world is fine
  EXPECT_TRUE(Placement::make(mesh_64.slice("tp", 0), small));
}

// Two billion ranks: the questions about whole axes must not look at each.
TEST(Placement, takes_no_time_for_the_largest_worlds) {
  constexpr Mesh mesh = Mesh::make({{"dp", 1 << 24}, {"tp", 64}}).value();
  const Layout layout = Layout::block(1 << 23, 128);
  const auto placement = Placement::make(mesh, layout);
  ASSERT_TRUE(placement);
  EXPECT_TRUE(placement->is_intra_node("tp"));
  EXPECT_TRUE(placement->crosses("dp"));
}

}  // namespace
