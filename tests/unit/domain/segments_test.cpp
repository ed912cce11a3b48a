// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"

#include <rankmap/domain/segments.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::choose_segments;
using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::Result;
using rankmap::SegmentChoice;
using rankmap::Segments;
using rankmap_test::domains_of;

std::string shown(const Result<Segments>& segments) {
  if (!segments) return std::string(message(segments.error()).view());
  std::string out;
  for (const int node : segments->nodes()) out += std::to_string(node) + " ";
  out += "|";
  for (const int node : segments->spares()) out += " " + std::to_string(node);
  return out;
}

struct Row {
  std::string_view nodes;
  int wanted;
  int segment;
  std::string_view shown;
};

// What NVRx's _assign_group_ranks and NeMo-RL's select_segment_nodes give for these nodes, in the
// order of their infrastructure ranks. Red means that a job which moves here gets other nodes.
TEST(Segments, that_come_first_are_those_of_nvrx) {
  const Row rows[] = {
      {"A A A A B B B B", 8, 4, "0 1 2 3 4 5 6 7 |"},
      {"A A A B B B B B", 4, 4, "3 4 5 6 | 0 1 2 7"},
      {"A A A B B B B B", 4, 2, "0 1 3 4 | 2 5 6 7"},
      {"A A A B B B B B", 6, 3, "0 1 2 3 4 5 | 6 7"},
      {"A A A B B B B B", 8, 4,
       "nodes=\"1 segments of 4\": expected 2 whole; the domain of node 0 came nearest to one "
       "more, with "
       "3 nodes for it; add nodes there, or ask for fewer nodes or smaller segments"},
      {"A B A B A B A B", 4, 2, "0 2 4 6 | 1 3 5 7"},
      {"A B A B A B A B", 4, 0, "0 1 2 3 | 4 5 6 7"},
      {"B C A A B", 2, 2, "0 4 | 1 2 3"},  // infrastructure ranks 2 3 5 6 9
      {"A A A A B B B B B B B B", 8, 4, "0 1 2 3 4 5 6 7 | 8 9 10 11"},
      {"A A A A A A B B B B C C C", 8, 4, "0 1 2 3 6 7 8 9 | 4 5 10 11 12"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(shown(choose_segments(domains_of(row.nodes), 0, row.wanted, row.segment)), row.shown)
        << row.nodes;
  }
}

TEST(Segments, of_fewest_domains) {
  const Row rows[] = {
      {"A A A A B B B B B B B B", 8, 4, "4 5 6 7 8 9 10 11 | 0 1 2 3"},
      {"A A B B B B A A", 4, 2, "0 1 6 7 | 2 3 4 5"},  // equals: the one with the lower nodes
      {"A A B B B B B C C C C", 8, 2, "2 3 4 5 7 8 9 10 | 0 1 6"},
      {"C B B B B A A A A A A", 8, 2, "1 2 5 6 7 8 9 10 | 0 3 4"},
      {"- A A - A A", 4, 2, "1 2 4 5 | 0 3"},
      {"- A - A", 3, 1, "0 1 3 | 2"},
      {"A A B B B", 2, 2, "0 1 | 2 3 4"},  // as many segments, though more nodes
      {"A A B B B", 4, 4,
       "nodes=\"0 segments of 4\": expected 1 whole; the domain of node 2 came nearest to one "
       "more, "
       "with 3 nodes for it; add nodes there, or ask for fewer nodes or smaller segments"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(shown(choose_segments(domains_of(row.nodes), 0, row.wanted, row.segment,
                                    SegmentChoice::fewest)),
              row.shown)
        << row.nodes;
  }
  // In tree order inside the domain too: first the nodes of rack x.
  EXPECT_EQ(shown(choose_segments(domains_of("ax ay ax ay"), 0, 4, 4, SegmentChoice::fewest)),
            "0 2 1 3 |");
  EXPECT_EQ(shown(choose_segments(domains_of("ax ay ax ay"), 0, 4, 4)), "0 1 2 3 |");
  EXPECT_EQ(shown(choose_segments(domains_of("ax ay ax ay"), 1, 2, 2)), "0 2 | 1 3");
}

TEST(Segments, that_cannot_be_are_refused) {
  const Domains domains = domains_of("A A A B B -");
  EXPECT_EQ(choose_segments(domains, 0, 0, 1).error().code, Errc::out_of_range);
  EXPECT_EQ(shown(choose_segments(domains, 0, 1, -1)),
            "segment=\"-1\": expected at least 0; pass how many nodes the job needs, and how many "
            "share a domain");
  EXPECT_EQ(shown(choose_segments(domains, 0, 3, 2)),
            "nodes=\"3\": expected a multiple of the segment, 2; ask for whole segments");
  EXPECT_EQ(
      shown(choose_segments(domains, 0, 4, 4)),
      "nodes=\"0 segments of 4\": expected 1 whole; the domain of node 0 came nearest to one more, "
      "with 3 nodes for it; add nodes there, or ask for fewer nodes or smaller segments");
  EXPECT_EQ(shown(choose_segments(domains, 1, 2, 2)),
            "level=\"1\": expected a level in [0, 1); pass paths that reach it, or a segment of 1 "
            "node");
  EXPECT_EQ(choose_segments(domains, -1, 2, 2).error().code, Errc::out_of_range);
  EXPECT_EQ(shown(choose_segments(domains, -1, 4, 1)), "0 1 2 3 | 4 5");
  EXPECT_EQ(choose_segments(domains, 0, 7, 1).error().code, Errc::not_enough_nodes);
  EXPECT_EQ(choose_segments(domains, 0, 7, 0).error().code, Errc::not_enough_nodes);
  EXPECT_EQ(choose_segments(Domains(), 0, 1, 0).error().code, Errc::not_enough_nodes);
  EXPECT_EQ(choose_segments(Domains(), 0, 1, 1).error().code, Errc::not_enough_nodes);
  EXPECT_EQ(shown(choose_segments(domains_of("- -"), 0, 1, 1)), "0 | 1");
}

// The compiler would see a look at the level, which is not there.
constexpr bool single_nodes_need_no_level() {
  const DomainPath paths[] = {*DomainPath::from_labels({"a"}), *DomainPath::from_labels({"b"}),
                              *DomainPath::from_labels({"a"})};
  const Result<Segments> segments = choose_segments(*Domains::from_paths(paths), -1, 2, 1);
  return segments && segments->nodes().size() == 2 && segments->nodes()[1] == 1;
}
static_assert(single_nodes_need_no_level());

/// The fewest domains that any set of whole segments needs; 0 where there is none.
int fewest_domains(const Domains& domains, int wanted, int segment) {
  int best = 0;
  const int nodes = domains.node_count();
  for (unsigned set = 0; set != 1U << static_cast<unsigned>(nodes); ++set) {
    std::vector<int> taken(static_cast<std::size_t>(nodes));
    int total = 0;
    for (int node = 0; node != nodes; ++node) {
      if ((set >> static_cast<unsigned>(node) & 1U) == 0) continue;
      ++taken[static_cast<std::size_t>(domains.first_node(0, node))];
      ++total;
    }
    const bool whole =
        std::all_of(taken.begin(), taken.end(), [&](int count) { return count % segment == 0; });
    if (total != wanted || !whole) continue;
    const auto used = static_cast<int>(taken.size()) -
                      static_cast<int>(std::count(taken.begin(), taken.end(), 0));
    if (best == 0 || used < best) best = used;
  }
  return best;
}

// All worlds of 6 nodes, every size and segment, against all sets of nodes.
TEST(Segments, are_whole_and_of_the_fewest_domains) {
  rankmap_test::for_each_world(6, {"a", "b", "-"}, [](const std::vector<DomainPath>& paths) {
    const Domains domains = Domains::from_paths(paths).value();
    if (domains.level_count() == 0) return;
    for (int segment = 1; segment != 4; ++segment) {
      for (int wanted = segment; wanted <= 6; wanted += segment) {
        const int least = fewest_domains(domains, wanted, segment);
        for (const SegmentChoice choice : {SegmentChoice::first, SegmentChoice::fewest}) {
          const auto found = choose_segments(domains, 0, wanted, segment, choice);
          ASSERT_EQ(found.has_value(), least != 0);
          if (!found) {
            ASSERT_EQ(found.error().code, Errc::not_enough_nodes);
            continue;
          }
          std::set<int> once;
          std::set<int> used;
          ASSERT_EQ(found->nodes().size(), static_cast<std::size_t>(wanted));
          for (std::size_t slot = 0; slot != found->nodes().size(); ++slot) {
            const int node = found->nodes()[slot];
            const int head = found->nodes()[slot - slot % static_cast<std::size_t>(segment)];
            ASSERT_EQ(domains.first_node(0, node), domains.first_node(0, head));
            used.insert(domains.first_node(0, node));
            once.insert(node);
          }
          for (const int node : found->spares()) once.insert(node);
          ASSERT_EQ(once.size(), 6U);
          ASSERT_EQ(found->nodes().size() + found->spares().size(), 6U);
          if (choice == SegmentChoice::fewest) {
            ASSERT_EQ(static_cast<int>(used.size()), least);
          }
        }
      }
    }
  });
}

}  // namespace
