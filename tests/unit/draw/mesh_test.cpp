// SPDX-License-Identifier: MIT
#include <rankmap/draw/mesh.hpp>

#include "support/svg.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::DrawMeshOptions;
using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;
using rankmap_test::SvgReader;

std::string drawn(const Mesh& mesh, const Layout& layout, const DrawMeshOptions& how = {}) {
  std::string text;
  draw_mesh(
      Placement::make(mesh, layout).value(), [&](std::string_view piece) { text += piece; }, how);
  return text;
}

const Mesh mesh = Mesh::make({{"pp", 2}, {"dp", 2}, {"tp", 4}}).value();

TEST(DrawMesh, says_of_each_axis_whether_it_stays_on_its_nodes) {
  const SvgReader picture(drawn(mesh, Layout::block(4, 4)));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.first("title"), "mesh pp 2 ? dp 2 ? tp 4 on 4 nodes");
  EXPECT_EQ(picture.count_text("? stays"), 1);
  EXPECT_EQ(picture.count_text("? leaves"), 2);
  EXPECT_EQ(picture.count_text("4 groups of 4, each on one node"), 1);
  EXPECT_EQ(picture.count_text("8 groups of 2; on several nodes: 8, over 8 of 8 links"), 2);
  EXPECT_EQ(picture.count_text("Groups of 2 of 3 axes leave their nodes."), 1);
  EXPECT_NE(picture.first("desc").find("pp leaves its nodes. dp leaves its nodes. tp stays on its "
                                       "nodes."),
            std::string::npos);
}

TEST(DrawMesh, says_that_all_axes_stay_or_leave) {
  const SvgReader stay(drawn(Mesh::make({{"dp", 2}, {"tp", 2}}).value(), Layout::block(1, 4)));
  EXPECT_EQ(stay.count_text("All groups stay on their nodes."), 1);
  const SvgReader leave(drawn(Mesh::make({{"dp", 2}, {"tp", 2}}).value(), Layout::block(4, 1)));
  EXPECT_EQ(leave.count_text("Groups of every axis leave their nodes."), 1);
}

TEST(DrawMesh, of_no_axes_has_a_title_alone) {
  const SvgReader picture(drawn(Mesh(), Layout::block(1, 1)));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.first("title"), "mesh  on 1 node");
  EXPECT_EQ(picture.width(), 521);  // 20 on each side of the widest heading
}

TEST(DrawMesh, calls_its_boxes_as_it_is_told) {
  const SvgReader racks(drawn(mesh, Layout::block(2, 8), {.box_name = "rack"}));
  EXPECT_EQ(racks.fault(), "");
  EXPECT_EQ(racks.first("title"), "mesh pp 2 ? dp 2 ? tp 4 on 2 racks");
  EXPECT_EQ(racks.count_text("Groups of 1 of 3 axes leave their racks."), 1);
  EXPECT_EQ(racks.count_text("4 groups of 4, each on one rack"), 1);
  EXPECT_EQ(racks.count_text("8 groups of 2; on several racks: 8, over 8 of 8 links"), 1);
  EXPECT_EQ(racks.count_text("rack 1"), 3);
  EXPECT_EQ(racks.count_text("node 1"), 0);
  const SvgReader many(drawn(mesh, Layout::block(8, 2), {.max_nodes = 3, .box_name = "rack"}));
  EXPECT_EQ(many.count_text("... 6 more racks"), 3);
  // What is no word would be a part of the file.
  const std::string nodes = drawn(mesh, Layout::block(2, 8));
  for (const std::string_view name :
       {"", "a<b", "two words", "\xc3\xa9", "sixteen_letters_", "x\"", "abcdefghijklmnop"}) {
    EXPECT_EQ(drawn(mesh, Layout::block(2, 8), {.box_name = name}), nodes) << name;
  }
}

std::vector<std::string> ties(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find("class=\"l\" d=\"", at)) != std::string::npos; ++at) {
    const std::size_t first = at + 13;
    out.push_back(text.substr(first, text.find('"', first) - first));
  }
  return out;
}

TEST(DrawMesh, ties_the_shown_members_of_group_0) {
  EXPECT_EQ(ties(drawn(mesh, Layout::block(4, 4))).size(), 1U + 1U + 3U);
  // Of dp, ranks 0 to 2 of 16 in one box are shown: two ties. Of one, no group has two.
  const Mesh line = Mesh::make({{"dp", 16}, {"one", 1}}).value();
  const auto few = ties(drawn(line, Layout::block(1, 16), {.max_ranks = 4}));
  ASSERT_EQ(few.size(), 2U);
  EXPECT_EQ(few[0], "M49 180Q71 192 93 180");
  // On four nodes in two rows: an arc, a line to the next row, an arc.
  const auto rows =
      ties(drawn(Mesh::make({{"dp", 4}}).value(), Layout::block(4, 1), {.width = 320}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NE(rows[0].find('Q'), std::string::npos);
  EXPECT_NE(rows[1].find('L'), std::string::npos);
  EXPECT_NE(rows[2].find('Q'), std::string::npos);
}

TEST(DrawMesh, keeps_to_the_width_if_its_texts_do) {
  const Layout layout = Layout::block(8, 4);
  const Mesh all = Mesh::make({{"dp", 8}, {"tp", 4}}).value();
  for (const int width : {320, 577, 700, 1000, 2000}) {
    const SvgReader picture(drawn(all, layout, {.width = width}));
    EXPECT_EQ(picture.fault(), "");
    EXPECT_LE(picture.width(), width < 577 ? 577 : width);
  }
  for (const int width : {INT_MIN, -1, 0, 319}) {
    EXPECT_EQ(drawn(all, layout, {.width = width}), drawn(all, layout, {.width = 320}));
  }
  EXPECT_EQ(drawn(all, layout, {.width = INT_MAX}), drawn(all, layout, {.width = 10'000}));
}

TEST(DrawMesh, has_cells_as_wide_as_the_largest_rank) {
  const auto of = [](int ranks) {
    return drawn(Mesh::make({{"x", ranks}}).value(), Layout::block(ranks / 4, 4));
  };
  EXPECT_NE(of(1000).find(R"(width="38" height="42")"), std::string::npos);
  EXPECT_NE(of(1004).find(R"(width="44" height="42")"), std::string::npos);
}

TEST(DrawMesh, counts_one_group_and_two) {
  const SvgReader picture(
      drawn(Mesh::make({{"one", 2}, {"other", 1}}).value(), Layout::block(1, 2)));
  EXPECT_EQ(picture.count_text("1 group of 2, each on one node"), 1);
  EXPECT_EQ(picture.count_text("2 groups of 1, each on one node"), 1);
}

TEST(DrawMesh, shows_each_rank_and_its_group_once_in_each_panel) {
  const SvgReader picture(drawn(mesh, Layout::cyclic(4, 4)));
  for (int rank = 0; rank != 16; ++rank) {
    EXPECT_EQ(picture.count_text(std::to_string(rank)), 3) << rank;
  }
  // Groups 0 to 3 are there on all three axes, 4 to 7 on the two with groups of 2.
  EXPECT_EQ(picture.count_text("g0"), 2 + 2 + 4);
  EXPECT_EQ(picture.count_text("g7"), 2 + 2);
  EXPECT_EQ(picture.count_text("g8"), 0);
}

TEST(DrawMesh, dashes_the_ranks_that_are_not_in_the_mesh) {
  const int counts[] = {3, 1, 0, 5};
  const auto layout = Layout::from_counts(counts, Distribution::cyclic).value();
  const std::string text = drawn(Mesh::make({{"dp", 4}, {"tp", 2}}).value(), layout);
  EXPECT_EQ(SvgReader(text).fault(), "");
  std::size_t dashed = 0;
  for (std::size_t at = 0; (at = text.find("class=\"d\"", at)) != std::string::npos; ++at) ++dashed;
  EXPECT_EQ(dashed, 2U);  // rank 8, in two panels
}

TEST(DrawMesh, stays_in_its_frame_without_overlaps_in_any_world) {
  const Mesh meshes[] = {
      Mesh(),
      Mesh::make({{"all", 1}}).value(),
      Mesh::make({{"an_axis_with_a_name_of_forty_six_letters_in_it", 64}}).value(),
      Mesh::make({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}, {"f", 2}, {"g", 2}, {"h", 2}})
          .value(),
      Mesh::make({{"dp", 4096}, {"tp", 32}}).value(),
  };
  for (const Mesh& one : meshes) {
    for (const int nodes : {1, 2, 9, 64}) {
      const int per_node = (one.size() + nodes - 1) / nodes;
      for (const int limit : {0, 4, 20}) {
        const std::string text =
            drawn(one, Layout::block(nodes, per_node), {.max_nodes = limit, .max_ranks = limit});
        const SvgReader picture(text);
        ASSERT_EQ(picture.fault(), "") << one.size() << " on " << nodes;
        ASSERT_LE(picture.width(), 1000);
      }
    }
  }
}

TEST(DrawMesh, of_a_large_job_is_small_and_counts_the_rest) {
  const Mesh large = Mesh::make({{"pp", 16}, {"dp", 512}, {"tp", 16}}).value();
  const std::string text = drawn(large, Layout::block(8192, 16));
  EXPECT_LT(text.size(), 100'000U);
  EXPECT_EQ(SvgReader(text).count_text("... 8185 more nodes"), 3);
}

TEST(DrawMesh, shows_4096_nodes_and_4096_ranks_of_each_at_most) {
  const Mesh wide =
      Mesh::make(
          {{"a", 8}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}, {"f", 2}, {"g", 2}, {"h", 1 << 21}})
          .value();
  const Layout layout = Layout::block(1 << 15, 1 << 15);
  const Placement placement = Placement::make(wide, layout).value();
  std::string head;
  const auto draw_head = [&] {
    draw_mesh(placement,
              [&](std::string_view piece) {
                head += piece;
                if (piece == "\">\n<title>") throw std::length_error("enough");
              },
              {.max_nodes = INT_MAX, .max_ranks = INT_MAX});
  };
  EXPECT_THROW(draw_head(), std::length_error);
  EXPECT_NE(head.find("width=\"868\" height=\"806879648\""), std::string::npos) << head;
  EXPECT_EQ(drawn(mesh, Layout::block(4, 4), {.max_nodes = INT_MIN, .max_ranks = INT_MIN}),
            drawn(mesh, Layout::block(4, 4), {.max_nodes = 2, .max_ranks = 2}));
  EXPECT_EQ(drawn(mesh, Layout::block(4, 4), {.max_nodes = INT_MAX, .max_ranks = INT_MAX}),
            drawn(mesh, Layout::block(4, 4), {.max_nodes = 4, .max_ranks = 4}));
}

TEST(DrawMesh, passes_an_exception_of_the_sink_on) {
  const Layout layout = Layout::block(4, 4);
  const Placement placement = Placement::make(mesh, layout).value();
  const std::string whole = drawn(mesh, layout);
  const std::size_t last_piece = whole.size() - std::string_view("</svg>\n").size();
  for (std::size_t room = 0; room < last_piece; room += 97) {
    std::string text;
    const auto draw = [&] {
      draw_mesh(placement, [&](std::string_view piece) {
        if (text.size() > room) throw std::length_error("full");
        text += piece;
      });
    };
    EXPECT_THROW(draw(), std::length_error) << room;
    EXPECT_EQ(text, whole.substr(0, text.size()));
  }
}

TEST(DrawMesh, marks_the_second_round_of_colours) {
  const std::string text =
      drawn(Mesh::make({{"dp", 15}}).value(), Layout::block(15, 1), {.max_nodes = 15});
  EXPECT_EQ(text.find("url(#rankmap-stripes)"), std::string::npos);  // one group
  // 15 groups of one: numbers 7 to 13 are striped, 14 begins again.
  const std::string each =
      drawn(Mesh::make({{"dp", 15}, {"tp", 1}}).value(), Layout::block(15, 1), {.max_nodes = 15});
  std::size_t striped = 0;
  for (std::size_t at = 0; (at = each.find("url(#rankmap-stripes)", at)) != std::string::npos; ++at)
    ++striped;
  EXPECT_EQ(striped, 7U);
}

}  // namespace
