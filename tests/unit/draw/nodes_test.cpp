// SPDX-License-Identifier: MIT
//
// The bytes of small pictures are compared with docs/pictures by the example that draws them; here
// is what holds for any.
#include <rankmap/draw/nodes.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/job/finding.hpp>

#include "support/svg.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using rankmap::Distribution;
using rankmap::DrawNodesOptions;
using rankmap::FixedEnvironment;
using rankmap::HostList;
using rankmap::Layout;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::SvgReader;

template <class What, class... Arguments>
std::string drawn(const What& what, const Arguments&... arguments) {
  std::string text;
  draw_nodes(
      what, [&](std::string_view piece) { text += piece; }, arguments...);
  return text;
}

TEST(DrawNodes, shows_each_rank_with_its_local_rank_once) {
  const Layout layout = Layout::cyclic(3, 4);
  const SvgReader picture(drawn(layout));
  EXPECT_EQ(picture.fault(), "");
  for (int rank = 0; rank != 12; ++rank) {
    EXPECT_EQ(picture.count_text("rank " + std::to_string(rank)), 1);
  }
  for (int local = 0; local != 4; ++local) {
    EXPECT_EQ(picture.count_text("local " + std::to_string(local)), 3);
  }
  EXPECT_EQ(picture.first("title"), "12 ranks on 3 nodes");
}

TEST(DrawNodes, stays_in_its_frame_without_overlaps_in_any_world) {
  const auto hosts =
      HostList::parse("a,a-very-long-host-name-of-some-cloud.eu-central-1.example.internal,b[1-98]")
          .value();
  const auto device = [](int rank) { return "neuron:" + std::to_string(rank) + "000000"; };
  for (const int nodes : {1, 2, 3, 5, 9, 100}) {
    for (const int per_node : {1, 2, 4, 7, 16, 33, 20'000'000}) {
      const Layout layout = Layout::cyclic(nodes, per_node);
      for (const int limit : {-1, 3, 8, 40}) {
        const DrawNodesOptions how{.hosts = &hosts,
                                   .own_rank = layout.world_size() - 1,
                                   .max_nodes = limit,
                                   .max_ranks = limit};
        const std::string text = drawn(layout, how, device);
        const SvgReader picture(text);
        ASSERT_EQ(picture.fault(), "") << nodes << " x " << per_node << ", " << limit;
        ASSERT_LE(picture.width(), 1000);
        const SvgReader marked(drawn(layout, how, device, device));
        ASSERT_EQ(marked.fault(), "") << nodes << " x " << per_node << ", " << limit;
        ASSERT_LE(marked.width(), 1000);
      }
    }
  }
}

TEST(DrawNodes, shows_4096_nodes_and_4096_ranks_of_each_at_most) {
  const std::string nodes =
      drawn(Layout::block(1 << 30, 1), DrawNodesOptions{.max_nodes = INT_MAX});
  EXPECT_NE(nodes.find(">... 1,073,737,729 more nodes<"), std::string::npos);
  EXPECT_NE(nodes.find("height=\"102502\""), std::string::npos) << nodes.substr(0, 160);
  const std::string ranks =
      drawn(Layout::block(1, 1 << 30), DrawNodesOptions{.max_ranks = INT_MAX});
  EXPECT_NE(ranks.find(">1,073,737,729<"), std::string::npos);
  const DrawNodesOptions least{.max_nodes = INT_MIN, .max_ranks = INT_MIN};
  EXPECT_EQ(drawn(Layout::block(5, 5), least),
            drawn(Layout::block(5, 5), DrawNodesOptions{.max_nodes = 2, .max_ranks = 2}));
  // Both at once is a picture of gigabytes: its head alone.
  std::string head;
  const auto draw_head = [&] {
    draw_nodes(
        Layout::block(1 << 15, 1 << 15),
        [&](std::string_view piece) {
          head += piece;
          if (piece == "\">\n<title>") throw std::length_error("enough");
        },
        {.max_nodes = INT_MAX, .max_ranks = INT_MAX}, [](int) { return "cpu"; });
  };
  EXPECT_THROW(draw_head(), std::length_error);
  EXPECT_NE(head.find("width=\"646\" height=\"285409382\""), std::string::npos) << head;
}

TEST(DrawNodes, says_in_which_order_the_nodes_have_ranks) {
  const int nodes[] = {0, 1, 1, 0};
  EXPECT_EQ(SvgReader(drawn(Layout::block(2, 2))).count_text("Each node has consecutive ranks."),
            1);
  EXPECT_EQ(SvgReader(drawn(Layout::cyclic(2, 2)))
                .count_text("The nodes get ranks in turn, 1 at a time."),
            1);
  EXPECT_EQ(SvgReader(drawn(Layout::plane(2, 4, 2)))
                .count_text("The nodes get ranks in turn, 2 at a time."),
            1);
  EXPECT_EQ(SvgReader(drawn(Layout::from_nodes(nodes).value()))
                .count_text("The ranks of a node follow no rule."),
            1);
}

TEST(DrawNodes, outlines_no_rank_if_the_own_one_is_not_in_the_world) {
  const Layout layout = Layout::cyclic(3, 4);
  const std::string nobody = drawn(layout);
  for (const int rank : {INT_MIN, -2, -1, 12, 99, INT_MAX}) {
    const DrawNodesOptions how{.own_rank = rank, .own_host = "a-host"};
    EXPECT_EQ(drawn(layout, how), nobody) << rank;
  }
  EXPECT_NE(drawn(layout, DrawNodesOptions{.own_rank = 11}), nobody);
  const int counts[] = {1, 3, 1, 2, 5, 1, 4};  // an order that is kept as a sequence
  const auto uneven = Layout::from_counts(counts, Distribution::plane(2)).value();
  EXPECT_EQ(drawn(uneven, DrawNodesOptions{.own_rank = INT_MAX}), drawn(uneven));
}

TEST(DrawNodes, marks_the_ranks_about_which_there_is_a_word) {
  const Layout layout = Layout::block(2, 4);
  const auto mark = [](int rank) {
    return std::string_view(rank == 5 || rank == 6 ? "duplicate_device" : "");
  };
  const auto device = [](int rank) { return "cuda:" + std::to_string(rank % 4); };
  for (const std::string& text : {drawn(layout, DrawNodesOptions(), nullptr, mark),
                                  drawn(layout, DrawNodesOptions{.own_rank = 5}, device, mark)}) {
    const SvgReader picture(text);
    EXPECT_EQ(picture.fault(), "");
    EXPECT_EQ(picture.count_text("!"), 2);
    EXPECT_EQ(picture.count_text("duplicate_device"), 2);
    EXPECT_NE(text.find("<title>rank 6: duplicate_device</title>"), std::string::npos);
    EXPECT_NE(text.find("; dashed: marked</text>"), std::string::npos);
    // The outline of a marked rank follows its cell.
    const std::size_t first = text.find("class=\"p\"");
    EXPECT_LT(text.find(">rank 5<"), first);
    EXPECT_GT(text.find(">rank 6<"), first);
  }
}

TEST(DrawNodes, has_room_for_the_name_of_every_finding) {
  for (std::size_t i = 0; i != rankmap::finding_count; ++i) {
    const auto mark = [&](int) { return name(static_cast<rankmap::FindingKind>(i)); };
    EXPECT_EQ(SvgReader(drawn(Layout(), DrawNodesOptions(), nullptr, mark)).count_text(mark(0)), 1)
        << mark(0);
  }
}

TEST(DrawNodes, of_a_large_job_is_small_and_counts_the_rest) {
  const std::string text = drawn(Layout::block(1'000'000, 1000));
  const SvgReader picture(text);
  EXPECT_EQ(picture.fault(), "");
  EXPECT_LT(text.size(), 40'000U);
  EXPECT_EQ(picture.count_text("... 999,993 more nodes"), 1);
  EXPECT_EQ(picture.count_text("985"), 7);
  EXPECT_EQ(picture.count_text("rank 14"), 1);
  EXPECT_EQ(picture.count_text("rank 15"), 0);
}

TEST(DrawNodes, leaves_nothing_out_if_all_fits) {
  const SvgReader picture(drawn(Layout::block(8, 16)));
  EXPECT_EQ(picture.count_text("rank 127"), 1);
  EXPECT_EQ(picture.count_text("more"), 0);
}

TEST(DrawNodes, cuts_long_hosts_at_the_number_of_their_node) {
  const auto hosts = HostList::parse("a-host-of-a-long-name-in-a-rack[0-1099]").value();
  DrawNodesOptions how;
  how.hosts = &hosts;
  how.max_nodes = 1100;
  const SvgReader picture(drawn(Layout::block(1100, 1), how));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.count_text("node 1099"), 1);
}

TEST(DrawNodes, marks_a_node_without_ranks) {
  const int counts[] = {2, 0, 1};
  const auto layout = Layout::from_counts(counts, Distribution::block).value();
  EXPECT_EQ(SvgReader(drawn(layout)).count_text("no ranks"), 1);
}

/// What a launcher says of hosts may be any bytes; here they come by way of an environment.
std::string drawn_on(std::string_view host) {
  const auto topology =
      Topology::from_environment(FixedEnvironment({{"OMPI_COMM_WORLD_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                                   {"PMIX_HOSTNAME", host}}));
  return topology ? drawn(*topology) : std::string(message(topology.error()).view());
}

TEST(DrawNodes, is_well_formed_for_any_bytes_in_a_host) {
  for (int first = 1; first != 256; ++first) {
    for (const std::string_view tail :
         {"", "<", "&amp;", "\"/>", "]]>", "-->", "\x80", "\xbf\xbf"}) {
      if (first == '\n') continue;
      const std::string host = std::string(1, static_cast<char>(first)) + std::string(tail);
      // Once as this process's host, once in a list, of which not all bytes can be a part.
      const SvgReader picture(drawn_on(host));
      ASSERT_EQ(picture.fault(), "") << first << tail;
      const auto list = HostList::parse(host);
      if (!list) continue;
      DrawNodesOptions how;
      how.hosts = &*list;
      ASSERT_EQ(SvgReader(drawn(Layout(), how)).fault(), "") << first << tail;
    }
  }
  const auto list = HostList::parse("<b>&\"'").value();
  DrawNodesOptions how;
  how.hosts = &list;
  EXPECT_EQ(SvgReader(drawn(Layout(), how)).count_text("<b>&\"'"), 1);
}

TEST(DrawNodes, shows_the_own_host_if_no_others_are_known) {
  EXPECT_EQ(SvgReader(drawn_on("node07")).count_text("node07"), 1);
}

TEST(DrawNodes, replaces_what_xml_cannot_hold) {
  // U+FFFE and U+FFFF are UTF-8 and still no characters of XML; nor are controls, before U+00A0.
  const auto list = HostList::parse("x\xef\xbf\xbe\xef\xbf\xbf\xc2\x85\xff\xc2\xa0").value();
  DrawNodesOptions how;
  how.hosts = &list;
  EXPECT_NE(drawn(Layout(), how).find(">x&#65533;&#65533;&#65533;&#65533;&#160;</text>"),
            std::string::npos);
}

TEST(DrawNodes, draws_this_process_only_if_no_others_are_known) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment("RANK=3|WORLD_SIZE=8|LOCAL_RANK=1", '|'));
  ASSERT_TRUE(topology);
  const SvgReader picture(drawn(*topology));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.first("title"), "rank 3 of 8");
  EXPECT_EQ(picture.count_text("node not known"), 1);
  EXPECT_EQ(picture.count_text("host not known"), 1);
  EXPECT_EQ(picture.count_text("rank 2"), 0);
  // a cell next to the node's name, inside its frame
  EXPECT_NE(drawn(*topology).find(R"(<rect x="0" y="0" width="460" height="170" rx="8" class="a"/>
<text x="20" y="34" class="h1">rank 3 of 8</text>
<text x="20" y="56" class="s">Which rank is on which node is not known.</text>
<rect x="20" y="74" width="300" height="74" rx="6" class="b"/>
<text x="130" y="104" class="s">node not known</text>
<text x="130" y="124" class="s">host not known</text>
<rect x="30" y="80" width="90" height="62" rx="4" class="c"/>
<rect x="30" y="80" width="90" height="62" rx="4" class="o"/>
<text x="44" y="100" class="h2">rank 3</text>
<text x="44" y="117" class="s">local 1</text>
<text x="44" y="133"></text>
)"),
            std::string::npos);
}

TEST(DrawNodes, cuts_a_device_to_ten_characters_if_no_node_is_known) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment("RANK=3|WORLD_SIZE=8|LOCAL_RANK=1", '|'));
  const auto device = [](std::string_view name) { return [name](int) { return name; }; };
  EXPECT_EQ(SvgReader(drawn(*topology, DrawNodesOptions(), device("neuron:123")))
                .count_text("neuron:123"),
            1);
  EXPECT_EQ(SvgReader(drawn(*topology, DrawNodesOptions(), device("neuron:1234")))
                .count_text("neuron:..."),
            1);
}

TEST(DrawNodes, marks_this_process_if_no_node_is_known) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment("RANK=3|WORLD_SIZE=8|LOCAL_RANK=1", '|'));
  const auto mark = [](int rank) { return rank == 3 ? "few_cpus, and a long word after it" : ""; };
  const SvgReader picture(drawn(*topology, DrawNodesOptions(), nullptr, mark));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.count_text("!"), 1);
  EXPECT_EQ(picture.count_text("few_cpus, and a lon..."), 1);
}

TEST(DrawNodes, shows_the_host_of_rank_0_if_that_is_the_own) {
  const SvgReader picture(
      drawn(Layout::block(2, 1), DrawNodesOptions{.own_rank = 0, .own_host = "the-host"}));
  EXPECT_EQ(picture.count_text("the-host"), 1);
}

TEST(DrawNodes, draws_this_process_on_its_node_if_known) {
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "PALS_RANKID=5|PMI_SIZE=6|PALS_LOCAL_RANKID=1|PALS_LOCAL_SIZE=2|PALS_NODEID=2|"
      "SLURMD_NODENAME=other",
      '|'));
  ASSERT_TRUE(topology);
  const SvgReader picture(drawn(*topology));
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.count_text("node 2"), 1);
  EXPECT_EQ(picture.count_text("node not known"), 0);
  const auto hosted = Topology::from_environment(
      RecordedEnvironment("HOROVOD_RANK=1|HOROVOD_SIZE=3|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|"
                          "HOROVOD_HOSTNAME=gpu7",
                          '|'));
  ASSERT_TRUE(hosted);
  EXPECT_EQ(SvgReader(drawn(*hosted)).count_text("gpu7"), 1);
  EXPECT_EQ(SvgReader(drawn(*hosted)).count_text("host not known"), 0);
}

TEST(DrawNodes, outlines_the_process_whose_topology_it_is) {
  const auto topology = Topology::from_config({.rank = 2,
                                               .hosts = "n[1-2]",
                                               .tasks_per_node = "2(x2)",
                                               .distribution = Distribution::block})
                            .value();
  const std::string text = drawn(topology);
  EXPECT_EQ(SvgReader(text).count_text("colour: local rank; outlined: rank 2"), 1);
  EXPECT_EQ(SvgReader(text).count_text("n2"), 1);
  const std::size_t outline = text.find("class=\"o\"");
  ASSERT_NE(outline, std::string::npos);
  EXPECT_EQ(text.find("class=\"o\"", outline + 1), std::string::npos);
  EXPECT_EQ(text.find(">rank ", outline), text.find(">rank 2<"));
}

constexpr std::size_t length_of_a_picture() {
  std::size_t length = 0;
  draw_nodes(Layout::block(2, 2), [&](std::string_view piece) { length += piece.size(); });
  return length;
}
static_assert(length_of_a_picture() > 2000);

}  // namespace
