// SPDX-License-Identifier: MIT
#include <rankmap/layout/layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::DistributionKind;
using rankmap::Errc;
using rankmap::Layout;
using rankmap::message;
using rankmap::Place;
using rankmap::detail::TaskCounts;
using rankmap::detail::TaskRun;

// ---- pictures: the ranks of each node, "0-2|3,4|" ----

// Calls `visit(node, local, rank)` for every rank of a picture; returns the number of nodes.
template <class Visit>
constexpr int for_each_place(std::string_view picture, const Visit& visit) {
  int node = 0;
  int local = 0;
  for (std::size_t i = 0; i < picture.size();) {
    if (picture[i] == '|') {
      ++node;
      local = 0;
      ++i;
    } else if (picture[i] == ',') {
      ++i;
    } else {
      int low = 0;
      for (; i < picture.size() && picture[i] >= '0' && picture[i] <= '9'; ++i) {
        low = low * 10 + (picture[i] - '0');
      }
      int high = low;
      if (i < picture.size() && picture[i] == '-') {
        for (high = 0, ++i; i < picture.size() && picture[i] >= '0' && picture[i] <= '9'; ++i) {
          high = high * 10 + (picture[i] - '0');
        }
      }
      for (int rank = low; rank <= high; ++rank) visit(node, local++, rank);
    }
  }
  return node + 1;
}

constexpr bool shows(const Layout& layout, std::string_view picture) {
  bool same = true;
  int ranks = 0;
  const int nodes = for_each_place(picture, [&](int node, int local, int rank) {
    ++ranks;
    same = same && node < layout.node_count() && rank < layout.world_size() &&
           layout.rank_of(node, local) == rank && layout.place_of(rank) == Place{node, local};
  });
  return same && nodes == layout.node_count() && ranks == layout.world_size();
}

struct Counts {
  int of_node[16] = {};
  int nodes = 0;
  constexpr std::span<const int> span() const { return {of_node, static_cast<std::size_t>(nodes)}; }
};
constexpr Counts counts_of(std::string_view picture) {
  Counts counts;
  counts.nodes = for_each_place(picture, [&](int node, int, int) { ++counts.of_node[node]; });
  return counts;
}

struct KnownLayout {
  Distribution distribution;
  std::string_view picture;
};

// What Slurm's own slurm_step_layout code (22.05.8) makes of these node capacities and task counts.
// Red means that rankmap would put a rank on another node than srun does.
constexpr KnownLayout slurm_layouts[] = {
    // capacities 4,2,4,2, 12 tasks
    {Distribution::block, "0-3|4,5|6-9|10,11"},
    {Distribution::cyclic, "0,4,8,10|1,5|2,6,9,11|3,7"},
    {Distribution::plane(2), "0,1,8,9|2,3|4,5,10,11|6,7"},
    {Distribution::plane(3), "0-2,10|3,4|5-7,11|8,9"},
    {Distribution::plane(4), "0-3|4,5|6-9|10,11"},
    // capacities 4,2,4,2, 14 tasks
    {Distribution::block, "0-4|5-7|8-11|12,13"},
    {Distribution::cyclic, "0,4,8,12|1,5,9|2,6,10,13|3,7,11"},
    {Distribution::plane(2), "0,1,8,9,12,13|2,3|4,5,10,11|6,7"},
    {Distribution::plane(3), "0-2,10-12|3,4|5-7,13|8,9"},
    {Distribution::plane(4), "0-3,12,13|4,5|6-9|10,11"},
    // capacities 4,2,4,2, 16 tasks
    {Distribution::block, "0-4|5-7|8-12|13-15"},
    {Distribution::cyclic, "0,4,8,12,14|1,5,9|2,6,10,13,15|3,7,11"},
    {Distribution::plane(2), "0,1,8,9,14,15|2,3,10,11|4,5,12,13|6,7"},
    {Distribution::plane(3), "0-2,11-13,15|3-5|6-8,14|9,10"},
    {Distribution::plane(4), "0-3,12-15|4,5|6-9|10,11"},
    // capacities 4,4,4,4, 10 tasks
    {Distribution::block, "0-2|3-5|6,7|8,9"},
    {Distribution::block, "0-3|4-7|8|9"},  // block,pack
    {Distribution::cyclic, "0,4,8|1,5,9|2,6|3,7"},
    {Distribution::plane(2), "0,1,8,9|2,3|4,5|6,7"},
    {Distribution::plane(3), "0-2|3-5|6-8|9"},
    {Distribution::plane(4), "0-3|4-7|8|9"},
    // capacities 4,4,4,4, 16 tasks
    {Distribution::block, "0-3|4-7|8-11|12-15"},
    {Distribution::cyclic, "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"},
    {Distribution::plane(2), "0,1,8,9|2,3,10,11|4,5,12,13|6,7,14,15"},
    {Distribution::plane(3), "0-2,12|3-5,13|6-8,14|9-11,15"},
    {Distribution::plane(4), "0-3|4-7|8-11|12-15"},
    // capacities 4,1,1, 6 tasks
    {Distribution::block, "0-3|4|5"},
    {Distribution::cyclic, "0,3,4,5|1|2"},
    {Distribution::plane(2), "0,1,4,5|2|3"},
    {Distribution::plane(3), "0-2,5|3|4"},
    {Distribution::plane(4), "0-3|4|5"},
    // capacities 8,8,8, 8 tasks
    {Distribution::block, "0-2|3-5|6,7"},
    {Distribution::block, "0-5|6|7"},  // block,pack
    {Distribution::cyclic, "0,3,6|1,4,7|2,5"},
    {Distribution::plane(2), "0,1,6,7|2,3|4,5"},
    {Distribution::plane(3), "0-2|3-5|6,7"},
    {Distribution::plane(4), "0-3|4-6|7"},
    // capacities 4,4, 10 tasks
    {Distribution::block, "0-4|5-9"},
    {Distribution::cyclic, "0,2,4,6,8|1,3,5,7,9"},
    {Distribution::plane(2), "0,1,4,5,8,9|2,3,6,7"},
    {Distribution::plane(3), "0-2,6-8|3-5,9"},
    {Distribution::plane(4), "0-3,8,9|4-7"},
    // capacities 3,3,3, 7 tasks
    {Distribution::block, "0-2|3,4|5,6"},
    {Distribution::block, "0-2|3-5|6"},  // block,pack
    {Distribution::cyclic, "0,3,6|1,4|2,5"},
    {Distribution::plane(2), "0,1,6|2,3|4,5"},
    {Distribution::plane(3), "0-2|3-5|6"},
    {Distribution::plane(4), "0-2|3-5|6"},
    // capacities 1,1,1,1, 10 tasks
    {Distribution::block, "0-2|3-5|6,7|8,9"},
    {Distribution::cyclic, "0,4,8|1,5,9|2,6|3,7"},
    {Distribution::plane(2), "0,1,7|2,3,8|4,5,9|6"},
    {Distribution::plane(3), "0-2,8|3-5,9|6|7"},
    {Distribution::plane(4), "0-3,9|4-6|7|8"},
    // capacities 8,2, 10 tasks
    {Distribution::block, "0-7|8,9"},
    {Distribution::cyclic, "0,2,4-9|1,3"},
    {Distribution::plane(2), "0,1,4-9|2,3"},
    {Distribution::plane(3), "0-2,5-9|3,4"},
    {Distribution::plane(4), "0-3,6-9|4,5"},
    // capacities 8,2, 13 tasks
    {Distribution::block, "0-9|10-12"},
    {Distribution::cyclic, "0,2,4,6,8-12|1,3,5,7"},
    {Distribution::plane(2), "0,1,4,5,7-12|2,3,6"},
    {Distribution::plane(3), "0-2,5-12|3,4"},
    {Distribution::plane(4), "0-3,6-12|4,5"},
    // capacities 64, 64, 64, 64, 21 tasks
    {Distribution::plane(2), "0,1,8,9,16,17|2,3,10,11,18,19|4,5,12,13,20|6,7,14,15"},
    {Distribution::plane(4), "0-3,16-19|4-7,20|8-11|12-15"},
    // --ntasks-per-node 2; --cpus-per-task; fewer tasks than nodes
    {Distribution::block, "0-2|3,4|5,6"},
    {Distribution::block, "0,1|2,3|4"},
    {Distribution::cyclic, "0,3,6|1,4|2,5"},
    {Distribution::block, "0|1"},
    {Distribution::block, "0|1|2|3||"},
    {Distribution::cyclic, "0|1|2|3||"},
    {Distribution::plane(2), "0|1|2|3||"},
    // what srun wrote into SLURM_GTIDS
    {Distribution::cyclic, "0,3,4,5,6|1|2"},
    {Distribution::plane(2), "0,1,4,5,6,7,8|2|3"},
};

// Open MPI 4.1.4 --display-map: ranked by slot is block, ranked by node is cyclic.
constexpr KnownLayout open_mpi_layouts[] = {
    {Distribution::block, "0-3|4,5|"},
    {Distribution::cyclic, "0,3|1,4|2,5"},
    {Distribution::cyclic, "0,3,6,9|1,4,7|2,5,8"},
    {Distribution::cyclic, "0,3,6,8|1,4,7,9|2,5"},
    {Distribution::block, "0-3|4-6|7-9"},
    {Distribution::block, "0-4|5-9|10-13"},
    {Distribution::cyclic, "0,3,6,9,12|1,4,7,10,13|2,5,8,11"},
    {Distribution::block, "0-3|4,5|6"},
    {Distribution::cyclic, "0,3,5,6|1,4|2"},
    {Distribution::cyclic, "0,3|1,4|2"},
    {Distribution::cyclic, "0|1,3|2,4,5,6"},
    {Distribution::block, "0,1|2-4|5-8"},
    {Distribution::cyclic, "0,3,6|1,4,7|2,5,8"},
    {Distribution::block, "0,1|2-7"},
    {Distribution::block, "0,1|2,3"},
    {Distribution::block, "0-2|3-5"},
    // its example of ranking, 2 nodes with 8 processes each
    {Distribution::block, "0-7|8-15"},
    {Distribution::cyclic, "0,2,4,6,8,10,12,14|1,3,5,7,9,11,13,15"},
};

template <std::size_t Count>
constexpr bool all_match(const KnownLayout (&table)[Count]) {
  for (const KnownLayout& row : table) {
    const auto layout = Layout::from_counts(counts_of(row.picture).span(), row.distribution);
    if (!layout || !shows(*layout, row.picture)) return false;
  }
  return true;
}
static_assert(all_match(slurm_layouts));
static_assert(all_match(open_mpi_layouts));

TEST(Layout, places_ranks_as_slurm_does) {
  for (const KnownLayout& row : slurm_layouts) {
    const auto layout = Layout::from_counts(counts_of(row.picture).span(), row.distribution);
    ASSERT_TRUE(layout);
    EXPECT_TRUE(shows(*layout, row.picture)) << row.picture;
  }
}

TEST(Layout, places_ranks_as_open_mpi_does) {
  for (const KnownLayout& row : open_mpi_layouts) {
    const auto layout = Layout::from_counts(counts_of(row.picture).span(), row.distribution);
    ASSERT_TRUE(layout);
    EXPECT_TRUE(shows(*layout, row.picture)) << row.picture;
  }
}

// Slurm's arbitrary distribution, from a list of hosts: node order is that of the sorted names.
TEST(Layout, keeps_an_arbitrary_order) {
  constexpr int hosts[] = {2, 0, 2, 1};
  static_assert(shows(*Layout::from_nodes(hosts), "1|3|0,2"));
  constexpr int repeated[] = {0, 1, 0, 2};
  static_assert(shows(*Layout::from_nodes(repeated), "0,2|1|3"));
  const auto layout = Layout::from_nodes(hosts);
  ASSERT_TRUE(layout);
  EXPECT_TRUE(shows(*layout, "1|3|0,2"));
  EXPECT_EQ(layout->distribution(), Distribution::arbitrary);
  EXPECT_FALSE(layout->is_block());
}

// ---- against assigning by hand ----

using Nodes = std::vector<std::vector<int>>;  // the ranks of each node

// What the formula replaces: give `plane` ranks to each node in turn until each has its count.
Nodes assign(const std::vector<int>& counts, int plane) {
  Nodes nodes(counts.size());
  int total = 0;
  for (const int count : counts) total += count;
  for (int rank = 0; rank < total;) {
    for (std::size_t node = 0; node != counts.size(); ++node) {
      for (int k = 0; k != plane && static_cast<int>(nodes[node].size()) < counts[node]; ++k) {
        nodes[node].push_back(rank++);
      }
    }
  }
  return nodes;
}

std::vector<int> node_of_each_rank(const Nodes& nodes) {
  std::size_t total = 0;
  for (const auto& ranks : nodes) total += ranks.size();
  std::vector<int> node_of(total);
  for (std::size_t node = 0; node != nodes.size(); ++node) {
    for (const int rank : nodes[node]) {
      node_of[static_cast<std::size_t>(rank)] = static_cast<int>(node);
    }
  }
  return node_of;
}

Nodes ranks_of_each_node(const std::vector<int>& node_of_rank, std::size_t node_count) {
  Nodes nodes(node_count);
  for (std::size_t rank = 0; rank != node_of_rank.size(); ++rank) {
    nodes[static_cast<std::size_t>(node_of_rank[rank])].push_back(static_cast<int>(rank));
  }
  return nodes;
}

// Every question about every rank and node; the name of the first wrong answer.
std::string_view first_wrong_answer(const Layout& layout, const Nodes& nodes) {
  int total = 0;
  int divisor = 0;
  std::size_t largest = 0;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  std::vector<int> filled;
  if (layout.node_count() != static_cast<int>(nodes.size())) return "node_count";
  for (std::size_t n = 0; n != nodes.size(); ++n) {
    const int node = static_cast<int>(n);
    const auto& ranks = nodes[n];
    const int size = static_cast<int>(ranks.size());
    total += size;
    divisor = std::gcd(divisor, size);
    if (ranks.size() > largest) largest = ranks.size();
    if (ranks.size() < smallest) smallest = ranks.size();
    if (layout.local_world_size(node) != size) return "local_world_size";
    const auto on_node = layout.ranks_on(node);
    if (on_node.size() != ranks.size()) return "ranks_on size";
    for (int local = 0; local != size; ++local) {
      const int rank = ranks[static_cast<std::size_t>(local)];
      if (layout.rank_of(node, local) != rank) return "rank_of";
      if (layout.place_of(rank) != Place{node, local}) return "place_of";
      if (layout.node_of(rank) != node) return "node_of";
      if (layout.local_rank_of(rank) != local) return "local_rank_of";
      if (on_node[static_cast<std::size_t>(local)] != rank) return "ranks_on";
    }
    if (size == 0) continue;
    filled.push_back(node);
    if (layout.leader_of(node) != ranks[0]) return "leader_of";
  }
  if (layout.world_size() != total) return "world_size";
  if (layout.largest_local_world_size() != static_cast<int>(largest)) return "largest";
  if (layout.smallest_local_world_size() != static_cast<int>(smallest)) return "smallest";
  if (layout.local_world_size_divisor() != divisor) return "divisor";
  if (layout.is_even() != (largest == smallest)) return "is_even";
  for (std::size_t k = 0; k != filled.size(); ++k) {
    if (layout.next_node(filled[k]) != filled[(k + 1) % filled.size()]) return "next_node";
    if (layout.previous_node(filled[(k + 1) % filled.size()]) != filled[k]) return "previous_node";
  }
  for (std::size_t local = 0; local <= largest; ++local) {
    std::vector<int> expected;
    for (const auto& ranks : nodes) {
      if (ranks.size() > local) expected.push_back(ranks[local]);
    }
    const auto rail = layout.rail(static_cast<int>(local));
    if (rail.size() != expected.size()) return "rail size";
    const std::size_t size = expected.size();
    for (std::size_t k = 0; k != size; ++k) {
      const int rank = expected[k];
      if (rail[k] != rank) return "rail";
      if (layout.rail_index_of(rank) != static_cast<int>(k)) return "rail_index_of";
      if (layout.next_on_rail(rank) != expected[(k + 1) % size]) return "next_on_rail";
      if (layout.previous_on_rail(rank) != expected[(k + size - 1) % size]) {
        return "previous_on_rail";
      }
    }
  }
  return "";
}

// Calls `visit` with all vectors of `nodes` counts in [0, most] that are not all 0.
template <class Visit>
void for_all_counts(std::size_t nodes, int most, const Visit& visit) {
  std::vector<int> counts(nodes, 0);
  for (;;) {
    std::size_t i = 0;
    while (i != nodes && counts[i] == most) counts[i++] = 0;
    if (i == nodes) return;
    ++counts[i];
    visit(counts);
  }
}

TEST(Layout, equals_assigning_by_hand_for_every_small_job) {
  for (std::size_t nodes = 1; nodes <= 5; ++nodes) {
    for_all_counts(nodes, 5, [](const std::vector<int>& counts) {
      for (int plane = 1; plane <= 5; ++plane) {
        const auto layout = Layout::from_counts(counts, Distribution::plane(plane));
        ASSERT_TRUE(layout);
        ASSERT_EQ(first_wrong_answer(*layout, assign(counts, plane)), "")
            << testing::PrintToString(counts) << " plane " << plane;
      }
    });
  }
}

TEST(Layout, reads_block_as_the_widest_plane_and_cyclic_as_the_narrowest) {
  for_all_counts(4, 4, [](const std::vector<int>& counts) {
    ASSERT_EQ(*Layout::from_counts(counts, Distribution::block),
              *Layout::from_counts(counts, Distribution::plane(4)));
    ASSERT_EQ(*Layout::from_counts(counts, Distribution::cyclic),
              *Layout::from_counts(counts, Distribution::plane(1)));
  });
}

TEST(Layout, recognises_the_order_of_a_list_of_nodes) {
  for (std::size_t nodes = 1; nodes <= 4; ++nodes) {
    for_all_counts(nodes, 4, [nodes](const std::vector<int>& counts) {
      for (int plane = 1; plane <= 4; ++plane) {
        const Nodes assigned = assign(counts, plane);
        const auto layout =
            Layout::from_nodes(node_of_each_rank(assigned), static_cast<int>(nodes));
        ASSERT_TRUE(layout);
        ASSERT_EQ(first_wrong_answer(*layout, assigned), "") << testing::PrintToString(counts);
        ASSERT_NE(layout->distribution().kind, DistributionKind::arbitrary)
            << testing::PrintToString(counts) << " plane " << plane;
        ASSERT_EQ(*layout, *Layout::from_counts(counts, Distribution::plane(plane)));
      }
    });
  }
}

TEST(Layout, holds_every_map_of_six_ranks_to_three_nodes) {
  std::vector<int> node_of_rank(6, 0);
  for (int code = 0; code != 729; ++code) {
    for (int rank = 0, rest = code; rank != 6; ++rank, rest /= 3) {
      node_of_rank[static_cast<std::size_t>(rank)] = rest % 3;
    }
    const auto layout = Layout::from_nodes(node_of_rank, 3);
    ASSERT_TRUE(layout);
    ASSERT_EQ(first_wrong_answer(*layout, ranks_of_each_node(node_of_rank, 3)), "") << code;
  }
}

// Sizes on both sides of every change of form: runs in place, runs outside, table and lists.
TEST(Layout, equals_assigning_by_hand_for_random_jobs) {
  std::mt19937 random(20240607);
  const auto below = [&random](int bound) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(bound));
  };
  for (int round = 0; round != 40; ++round) {
    const int largest = 1 + below(round % 3 == 0 ? 3 : 24);
    std::vector<int> counts(static_cast<std::size_t>(1 + below(200)));
    int total = 0;
    for (std::size_t node = 0; node != counts.size(); ++node) {
      const bool repeat = node != 0 && below(3) == 0;
      counts[node] = repeat ? counts[node - 1] : below(largest + 1);
      total += counts[node];
    }
    if (total == 0) continue;
    const int plane = 1 + below(largest + 1);
    const auto assigned = Layout::from_counts(counts, Distribution::plane(plane));
    ASSERT_TRUE(assigned);
    ASSERT_EQ(first_wrong_answer(*assigned, assign(counts, plane)), "") << round;
    const auto block = Layout::from_counts(counts, Distribution::block);
    ASSERT_TRUE(block);
    ASSERT_EQ(first_wrong_answer(*block, assign(counts, largest + 1)), "") << round;

    std::vector<int> node_of_rank = node_of_each_rank(assign(counts, plane));
    for (std::size_t i = node_of_rank.size() - 1; i != 0; --i) {
      std::swap(node_of_rank[i],
                node_of_rank[static_cast<std::size_t>(below(static_cast<int>(i) + 1))]);
    }
    const auto shuffled = Layout::from_nodes(node_of_rank, static_cast<int>(counts.size()));
    ASSERT_TRUE(shuffled);
    ASSERT_EQ(first_wrong_answer(*shuffled, ranks_of_each_node(node_of_rank, counts.size())), "")
        << round;
  }
}

// Nodes of one rank or none are a block order as counts go, and yet these ranks jump about.
TEST(Layout, holds_single_ranks_on_scattered_nodes_in_any_order) {
  std::mt19937 random(5);
  for (const int ranks : {2, 30, 31, 32, 33, 65, 300}) {
    std::vector<int> node_of_rank;
    for (int rank = 0; rank != ranks; ++rank) node_of_rank.push_back(2 * rank + 1);
    std::shuffle(node_of_rank.begin() + 1, node_of_rank.end(), random);
    std::swap(node_of_rank.front(), node_of_rank.back());
    const auto nodes = static_cast<std::size_t>(2 * ranks);
    const auto layout = Layout::from_nodes(node_of_rank, static_cast<int>(nodes));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->distribution().kind, DistributionKind::arbitrary);
    EXPECT_EQ(first_wrong_answer(*layout, ranks_of_each_node(node_of_rank, nodes)), "") << ranks;
  }
}

// A table has a row for each block of 64 nodes.
TEST(Layout, holds_at_the_edges_of_its_blocks) {
  for (const int nodes : {127, 128, 129, 255, 256, 257}) {
    std::vector<int> counts(static_cast<std::size_t>(nodes));
    for (int node = 0; node != nodes; ++node) {
      counts[static_cast<std::size_t>(node)] = node * 7 % 5;
    }
    for (const int plane : {1, 2, 5}) {
      const auto layout = Layout::from_counts(counts, Distribution::plane(plane));
      ASSERT_TRUE(layout);
      ASSERT_EQ(first_wrong_answer(*layout, assign(counts, plane)), "") << nodes;
    }
    std::vector<int> reversed(static_cast<std::size_t>(nodes));  // as many ranks as nodes, too
    for (int rank = 0; rank != nodes; ++rank) {
      reversed[static_cast<std::size_t>(rank)] = nodes - 1 - rank;
    }
    const auto layout = Layout::from_nodes(reversed);
    ASSERT_TRUE(layout);
    ASSERT_EQ(first_wrong_answer(*layout, ranks_of_each_node(reversed, reversed.size())), "");
  }
}

// With more than 64 different counts a block has as many nodes as there are counts.
TEST(Layout, holds_where_every_node_has_another_count) {
  for (const int nodes : {65, 97, 130, 195}) {
    std::vector<int> counts(static_cast<std::size_t>(nodes));
    for (int node = 0; node != nodes; ++node) {
      counts[static_cast<std::size_t>(node)] = node * 64 % 97;
    }
    for (const int plane : {1, 3, 97}) {
      const auto layout = Layout::from_counts(counts, Distribution::plane(plane));
      ASSERT_TRUE(layout);
      ASSERT_EQ(first_wrong_answer(*layout, assign(counts, plane)), "") << nodes;
    }
  }
}

// ---- even jobs ----

static_assert(shows(Layout(), "0"));
static_assert(shows(Layout::block(3, 2), "0,1|2,3|4,5"));
static_assert(shows(Layout::cyclic(3, 2), "0,3|1,4|2,5"));
static_assert(shows(Layout::plane(2, 4, 2), "0,1,4,5|2,3,6,7"));
static_assert(shows(Layout::plane(2, 5, 2), "0,1,4,5,8|2,3,6,7,9"));
static_assert(Layout::plane(2, 2, 7) == Layout::block(2, 2));
static_assert(Layout::plane(2, 3, 1) == Layout::cyclic(2, 3));
static_assert(Layout::cyclic(5, 1).is_block());
static_assert(Layout::plane(4, 6, 4).distribution() == Distribution::plane(4));

TEST(Layout, makes_even_jobs_in_closed_form) {
  for (int nodes = 1; nodes <= 6; ++nodes) {
    for (int per_node = 1; per_node <= 7; ++per_node) {
      const std::vector<int> counts(static_cast<std::size_t>(nodes), per_node);
      ASSERT_EQ(first_wrong_answer(Layout::block(nodes, per_node), assign(counts, per_node)), "");
      ASSERT_EQ(first_wrong_answer(Layout::cyclic(nodes, per_node), assign(counts, 1)), "");
      for (int plane = 1; plane <= 8; ++plane) {
        const Layout layout = Layout::plane(nodes, per_node, plane);
        ASSERT_EQ(first_wrong_answer(layout, assign(counts, plane)), "")
            << nodes << 'x' << per_node << " plane " << plane;
        ASSERT_EQ(layout, *Layout::even(nodes, per_node, Distribution::plane(plane)));
        ASSERT_EQ(layout.bytes(), sizeof(Layout));
      }
    }
  }
}

TEST(Layout, checks_even_jobs_on_demand) {
  EXPECT_EQ(message(Layout::even(0, 1, Distribution::block).error()).view(),
            "node count=\"0\": expected at least one node; pass the number of nodes");
  for (const auto& bad :
       {Layout::even(-1, 1, Distribution::block), Layout::even(1, 0, Distribution::block),
        Layout::even(1, -4, Distribution::cyclic), Layout::even(65536, 32768, Distribution::cyclic),
        Layout::even(2, 2, Distribution::plane(0)), Layout::even(2, 2, Distribution::arbitrary)}) {
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, Errc::bad_layout);
  }
  EXPECT_TRUE(Layout::even(1, 4, Distribution::arbitrary));  // one node: there is one order only
}

TEST(Layout, has_room_for_two_to_the_31_minus_1_ranks) {
  constexpr int most = std::numeric_limits<int>::max();  // a prime, so one of both is 1
  EXPECT_EQ(Layout::from_pmi_vector("(vector,(0,1,2147483647))", most)->local_world_size(0), most);
  EXPECT_EQ(Layout::from_pmi_vector("(vector,(0,2147483647,1))", most)->node_count(), most);
  EXPECT_EQ(Layout::from_pmi_vector("(vector,[(0,1,1)]x2147483647)", most)->local_world_size(0),
            most);
  EXPECT_EQ(Layout::from_pmi_vector("(vector,[(0,1,1)]x2147483647,0)", 0).error().code,
            Errc::limit_exceeded);
  for (const auto& [nodes, per_node] : {std::pair(most, 1), std::pair(1, most)}) {
    for (const Distribution distribution :
         {Distribution::block, Distribution::cyclic, Distribution::plane(3)}) {
      const auto layout = Layout::even(nodes, per_node, distribution);
      ASSERT_TRUE(layout);
      for (const int rank : {0, 1, most / 2, most - 2, most - 1}) {
        EXPECT_EQ(layout->rank_of(layout->place_of(rank)), rank);
      }
    }
  }
  // 46340 nodes of 46341, and the rest of the ranks on one more: uneven, assigned and full
  const auto layout = Layout::from_counts("46341(x46340),41707", Distribution::plane(7));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->world_size(), most);
  for (const int rank : {0, 1, most / 2, most - 41707, most - 2, most - 1}) {
    EXPECT_EQ(layout->rank_of(layout->place_of(rank)), rank);
  }
  EXPECT_EQ(layout->place_of(most - 1), (Place{46339, 46340}));
  const auto even = Layout::even(1 << 15, (1 << 16) - 1, Distribution::plane(40000));
  ASSERT_TRUE(even);
  for (const int rank : {0, 1 << 30, even->world_size() - 1}) {
    EXPECT_EQ(even->rank_of(even->place_of(rank)), rank);
  }
}

// ---- rails, leaders and groups ----

// Horovod's (local, cross, local_size, cross_size) of every rank.
struct Cross {
  int local, cross, local_size, cross_size;
};
template <std::size_t Count>
constexpr bool crosses(const Layout& layout, const Cross (&table)[Count]) {
  if (layout.world_size() != static_cast<int>(Count)) return false;
  for (int rank = 0; rank != layout.world_size(); ++rank) {
    const Cross& row = table[rank];
    const Place place = layout.place_of(rank);
    if (place.local != row.local || layout.rail_index_of(rank) != row.cross ||
        layout.local_world_size(place.node) != row.local_size ||
        layout.rail_size(place.local) != row.cross_size) {
      return false;
    }
  }
  return true;
}
constexpr Cross one_two[] = {{0, 0, 1, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};
constexpr Cross two_one_three[] = {{0, 0, 2, 3}, {1, 0, 2, 2}, {0, 1, 1, 3},
                                   {0, 2, 3, 3}, {1, 1, 3, 2}, {2, 0, 3, 1}};
constexpr Cross four_two[] = {{0, 0, 4, 2}, {1, 0, 4, 2}, {2, 0, 4, 1},
                              {3, 0, 4, 1}, {0, 1, 2, 2}, {1, 1, 2, 2}};
static_assert(crosses(*Layout::from_counts("1,2", Distribution::block), one_two));
static_assert(crosses(*Layout::from_counts("2,1,3", Distribution::block), two_one_three));
static_assert(crosses(*Layout::from_counts("4,2", Distribution::block), four_two));

TEST(Layout, numbers_rails_as_horovod_does) {
  EXPECT_TRUE(crosses(*Layout::from_counts("1,2", Distribution::block), one_two));
  EXPECT_TRUE(crosses(*Layout::from_counts("2,1,3", Distribution::block), two_one_three));
  EXPECT_TRUE(crosses(*Layout::from_counts("4,2", Distribution::block), four_two));
}

// UCC: 5 ranks on host A, 3 on host B; the rail of rank 6 is {1, 6}.
TEST(Layout, gives_groups_as_ranges_without_allocation) {
  constexpr auto layout = *Layout::from_counts("5,3", Distribution::block);
  static_assert(std::random_access_iterator<Layout::Rail::iterator>);
  static_assert(std::random_access_iterator<Layout::RanksOnNode::iterator>);
  static_assert(layout.rail_of(6).size() == 2 && layout.rail_of(6)[0] == 1 &&
                layout.rail_of(6).back() == 6);
  static_assert(layout.leaders().size() == 2 && layout.leaders().back() == 5);
  const auto rail = layout.rail_of(6);
  EXPECT_EQ(std::vector<int>(rail.begin(), rail.end()), (std::vector<int>{1, 6}));
  const auto group = layout.node_group_of(6);
  EXPECT_EQ(std::vector<int>(group.begin(), group.end()), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(group.end() - group.begin(), 3);
  EXPECT_EQ(*(group.begin() + 2), 7);
  EXPECT_EQ(group.begin()[1], 6);
  EXPECT_LT(group.begin(), group.end());
  EXPECT_TRUE(layout.rail(5).empty());
  EXPECT_TRUE(layout.is_leader(5));
  EXPECT_FALSE(layout.is_leader(6));
  EXPECT_TRUE(layout.same_node(5, 7));
  EXPECT_FALSE(layout.same_node(4, 5));
}

template <class Of>
concept GivesRanges = requires(Of&& layout) {
  static_cast<Of&&>(layout).ranks_on(0);
}
|| requires(Of&& layout) { static_cast<Of&&>(layout).rail(0); }
|| requires(Of&& layout) { static_cast<Of&&>(layout).leaders(); }
|| requires(Of&& layout) { static_cast<Of&&>(layout).node_group_of(0); }
|| requires(Of&& layout) { static_cast<Of&&>(layout).rail_of(0); };
// Red: a range points to a layout that is gone.
static_assert(!GivesRanges<Layout> && !GivesRanges<const Layout>);
static_assert(GivesRanges<Layout&> && GivesRanges<const Layout&>);

TEST(Layout, next_nodes_skip_nodes_without_ranks) {
  const auto layout = Layout::from_counts("0,2,0,1,0", Distribution::block);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->next_node(1), 3);
  EXPECT_EQ(layout->next_node(3), 1);
  EXPECT_EQ(layout->next_node(2), 3);
  EXPECT_EQ(layout->next_node(4), 1);
  EXPECT_EQ(layout->previous_node(1), 3);
  EXPECT_EQ(layout->previous_node(0), 3);
  EXPECT_EQ(layout->next_on_rail(1), 1);
  EXPECT_EQ(layout->leaders().size(), 2U);
}

// ---- texts ----

struct TextCase {
  std::string_view text;
  std::string_view picture;
};
constexpr TextCase task_counts[] = {
    {"4", "0-3"},           {"2(x3),1", "0,1|2,3|4,5|6"},
    {"1(x2),3", "0|1|2-4"}, {"1,3,1", "0|1-3|4"},
    {"0,2", "|0,1"},        {"2(x1),2,2(x01)", "0,1|2,3|4,5"},
};
constexpr bool all_task_counts_hold() {
  for (const TextCase& row : task_counts) {
    const auto layout = Layout::from_counts(row.text, Distribution::block);
    if (!layout || !shows(*layout, row.picture)) return false;
    const auto counts = TaskCounts::parse(row.text);
    if (!counts || counts->nodes() != layout->node_count() ||
        counts->tasks() != layout->world_size()) {
      return false;
    }
    for (int node = 0; node != counts->nodes(); ++node) {
      if (counts->count_at(node) != layout->local_world_size(node)) return false;
    }
  }
  return true;
}
static_assert(all_task_counts_hold());

TEST(TaskCounts, reads_slurms_run_lengths) {
  EXPECT_TRUE(all_task_counts_hold());
  std::vector<TaskRun> runs;
  TaskCounts::parse("72(x2),36").value().for_each_run([&](TaskRun run) { runs.push_back(run); });
  EXPECT_EQ(runs, (std::vector<TaskRun>{{72, 2}, {36, 1}}));
  EXPECT_EQ(TaskCounts::parse("1(x2147483647)")->nodes(), 2147483647);
}

struct BadText {
  std::string_view text;
  Errc code;
  std::int64_t position;
};
constexpr BadText bad_task_counts[] = {
    {"", Errc::bad_task_counts, 0},
    {"2(x", Errc::bad_task_counts, 3},
    {"2(x3", Errc::bad_task_counts, 4},
    {"2(", Errc::bad_task_counts, 2},
    {"2(3)", Errc::bad_task_counts, 2},
    {"2(x0)", Errc::bad_task_counts, 3},
    {"2(x)", Errc::bad_task_counts, 3},
    {"2(x3)1", Errc::bad_task_counts, 5},
    {"2,", Errc::bad_task_counts, 2},
    {",2", Errc::bad_task_counts, 0},
    {"2, 1", Errc::bad_task_counts, 2},
    {"-1", Errc::bad_task_counts, 0},
    {"2 ", Errc::bad_task_counts, 1},
    {"two", Errc::bad_task_counts, 0},
    {"2(x-3)", Errc::bad_task_counts, 3},
    {"2147483648", Errc::limit_exceeded, 0},
    {"9223372036854775808(x2)", Errc::limit_exceeded, 0},
    {"1,99999999999999999999999", Errc::limit_exceeded, 2},
    {"1(x99999999999999999999999)", Errc::limit_exceeded, 3},
    {"1000000000(x1000000000)", Errc::limit_exceeded, 0},
    {"1,2147483647", Errc::limit_exceeded, 2},
    {"0(x2147483647),0", Errc::limit_exceeded, 15},
};
constexpr bool all_bad_task_counts_fail() {
  for (const BadText& row : bad_task_counts) {
    const auto counts = TaskCounts::parse(row.text);
    if (counts || counts.error().code != row.code || counts.error().position != row.position) {
      return false;
    }
  }
  return true;
}
static_assert(all_bad_task_counts_fail());

TEST(TaskCounts, reports_where_a_text_is_wrong) {
  for (const BadText& row : bad_task_counts) {
    const auto layout = Layout::from_counts(row.text, Distribution::block, "SLURM_TASKS_PER_NODE");
    ASSERT_FALSE(layout) << row.text;
    EXPECT_EQ(layout.error().code, row.code) << row.text;
    EXPECT_EQ(layout.error().position, row.position) << row.text;
    EXPECT_EQ(layout.error().subject, "SLURM_TASKS_PER_NODE");
  }
  EXPECT_EQ(message(TaskCounts::parse("2(x").error()).view(),
            "tasks per node=\"2(x\" at byte 3: expected a repeat count of at least 1; "
            "write counts such as 2(x3),1");
}

TEST(Layout, rejects_counts_that_make_no_layout) {
  constexpr int negative[] = {2, -1};
  constexpr int too_many[] = {2147483647, 1};
  constexpr int none[] = {0, 0};
  constexpr int two[] = {2, 2};
  for (const auto& bad : {Layout::from_counts(negative, Distribution::block),
                          Layout::from_counts(too_many, Distribution::block),
                          Layout::from_counts(none, Distribution::block),
                          Layout::from_counts(std::span<const int>(), Distribution::block),
                          Layout::from_counts(two, Distribution::plane(0)),
                          Layout::from_counts(two, Distribution::plane(-1)),
                          Layout::from_counts(two, Distribution::arbitrary),
                          Layout::from_counts("0(x4)", Distribution::block),
                          Layout::from_counts("2,2", Distribution::arbitrary)}) {
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, Errc::bad_layout);
  }
  EXPECT_EQ(message(Layout::from_counts(negative, Distribution::block).error()).view(),
            "tasks of node 1=\"-1\": expected a count of at least 0, and fewer than 2^31 ranks and "
            "nodes in all; pass the tasks of every node");
}

TEST(Layout, rejects_lists_of_nodes_that_make_no_layout) {
  constexpr int negative[] = {0, -1};
  constexpr int beyond[] = {0, 2};
  constexpr int far[] = {0, 1 << 24};
  constexpr int farthest[] = {2147483647};
  EXPECT_EQ(Layout::from_nodes({}).error().code, Errc::bad_layout);
  EXPECT_EQ(Layout::from_nodes({}).error().subject, "node of each rank");
  EXPECT_EQ(Layout::from_nodes(negative).error().code, Errc::bad_layout);
  EXPECT_EQ(Layout::from_nodes(beyond, 2).error().code, Errc::bad_layout);
  EXPECT_EQ(message(Layout::from_nodes(beyond, 2).error()).view(),
            "node of rank 1=\"2\": expected a node in [0, node count); pass the node of every "
            "rank, counted from 0");
  EXPECT_EQ(Layout::from_nodes(far).error().code, Errc::limit_exceeded);
  EXPECT_EQ(Layout::from_nodes(farthest).error().code, Errc::limit_exceeded);
  EXPECT_TRUE(Layout::from_nodes(beyond, 3));
  EXPECT_EQ(message(Layout::from_nodes(beyond, -1).error()).view(),
            "node count=\"-1\": expected 0 or the number of nodes; pass the node of every rank, "
            "counted from 0");
}

TEST(Layout, takes_as_many_listed_ranks_and_nodes_as_the_limit_says) {
  const auto ranks = Layout::from_flux_map("[[1,1,1,1],[0,1,1,16777215]]");
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->world_size(), 16'777'216);
  EXPECT_EQ(ranks->local_world_size(0), 16'777'215);
  const auto nodes = Layout::from_flux_map("[[16777215,1,1,1],[0,1,1,1]]");
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->node_count(), 16'777'216);
  EXPECT_EQ(nodes->node_of(0), 16'777'215);
}

// ---- launchers' maps ----

// flux-core's own test vectors for RFC 34.
constexpr TextCase flux_maps[] = {
    {"[[0,1,2,1]]", "0-1"},
    {"[[0,2,1,1]]", "0|1"},
    {"[[0,2,2,1]]", "0-1|2-3"},
    {"[[0,2,1,2]]", "0,2|1,3"},
    {"[[0,2,1,2],[2,1,1,1]]", "0,2|1,3|4"},
    {"[[1,1,1,1],[0,1,1,1]]", "1|0"},
    {"[[0,4,4,1]]", "0-3|4-7|8-11|12-15"},
    {"[[0,4,1,4]]", "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"},
    {"[[0,4,2,2]]", "0-1,8-9|2-3,10-11|4-5,12-13|6-7,14-15"},
    {"[[0,4,2,1],[4,2,4,1]]", "0-1|2-3|4-5|6-7|8-11|12-15"},
    {"[[0,6,1,2],[4,2,1,2]]", "0,6|1,7|2,8|3,9|4,10,12,14|5,11,13,15"},
    {"[[5,1,4,1],[4,1,4,1],[3,1,2,1],[2,1,2,1],[1,1,2,1],[0,1,2,1]]",
     "14-15|12-13|10-11|8-9|4-7|0-3"},
    {"[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]", "0-1|2-3|4-5|6-7|8-9|12-13|10-11|14-15"},
    {"[[3,1,4,1],[2,1,4,1],[1,1,4,1],[0,1,4,1]]", "12-15|8-11|4-7|0-3"},
    {"{\"version\":1,\"map\":[[0,4,1,4]]}", "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"},
    {" { \"map\" : [ [ 0 , 2 , 1 , 2 ] ] , \"version\" : 1 } ", "0,2|1,3"},
    {"[[2,1,2,3]]", "||0-5"},
};
// Vectors of MPICH and Hydra: those of MPICH's own tests, and what mpiexec announced.
struct PmiCase {
  std::string_view text;
  int world_size;
  std::string_view picture;
};
constexpr PmiCase pmi_vectors[] = {
    {"(vector,1,2,3,0)", 4, "3|0|1|2"},
    {"(vector,(0,3,4))", 12, "0-3|4-7|8-11"},
    {"(vector,[(0,3,1)]x4)", 12, "0,3,6,9|1,4,7,10|2,5,8,11"},
    {"(vector,[(0,2,1),2]x3,(0,3,1))", 12, "0,3,6,9|1,4,7,10|2,5,8,11"},
    {"(vector,(1,3,1),(0,4,1))", 12, "3,7,11|0,4,8|1,5,9|2,6,10"},
    {"(vector,3,2,1,0)", 4, "3|2|1|0"},
    {"(vector,[(1,3,1),0]x3)", 12, "3,7,11|0,4,8|1,5,9|2,6,10"},
    {"(vector,(0,1,2),(1,1,3))", 9, "0,1,5,6|2-4,7,8"},
    {"(vector,(0,3,1))", 7, "0,3,6|1,4|2,5"},
    {"(vector,0,1,2,3,4)", 7, "0,5|1,6|2|3|4"},
    {"(vector,(0,3,2))", 7, "0,1,6|2,3|4,5"},
    {"(vector,(0,4,2))", 8, "0,1|2,3|4,5|6,7"},
    {"(vector,(0,1,1),(1,1,2),(2,1,1))", 4, "0|1,2|3"},
    {"(vector,(0,4,2),(1,3,1))", 0, "0,1|2,3,8|4,5,9|6,7,10"},
    {" ( vector , ( 0 , 2 , 1 ) , ) ", 0, "0|1"},
    {"(vector,(0,2,4))", 5, "0-3|4"},
    {"(vector,[0,1]x2,1)", 0, "0,2|1,3,4"},
    {"(vector,[0,1]x2,2)", 0, "0,2|1,3|4"},
};
constexpr bool all_maps_hold() {
  for (const TextCase& row : flux_maps) {
    const auto layout = Layout::from_flux_map(row.text);
    if (!layout || !shows(*layout, row.picture)) return false;
  }
  for (const PmiCase& row : pmi_vectors) {
    const auto layout = Layout::from_pmi_vector(row.text, row.world_size);
    if (!layout || !shows(*layout, row.picture)) return false;
  }
  return true;
}
static_assert(all_maps_hold());

TEST(Layout, reads_flux_task_maps) {
  for (const TextCase& row : flux_maps) {
    const auto layout = Layout::from_flux_map(row.text);
    ASSERT_TRUE(layout) << row.text;
    EXPECT_TRUE(shows(*layout, row.picture)) << row.text;
  }
}

TEST(Layout, reads_pmi_vectors) {
  for (const PmiCase& row : pmi_vectors) {
    const auto layout = Layout::from_pmi_vector(row.text, row.world_size);
    ASSERT_TRUE(layout) << row.text;
    EXPECT_TRUE(shows(*layout, row.picture)) << row.text;
  }
}

TEST(Layout, round_trips_random_maps_through_both_notations) {
  std::mt19937 random(7);
  for (int round = 0; round != 300; ++round) {
    std::vector<int> node_of_rank(1 + random() % 40);
    const std::uint32_t nodes = 1 + static_cast<std::uint32_t>(random() % 6);
    std::string flux = "[";
    std::string pmi = "(vector";
    int highest = 0;
    for (int& node : node_of_rank) {
      node = static_cast<int>(random() % nodes) + round % 2;  // ids need not start at 0
      if (node > highest) highest = node;
      flux += (flux.size() == 1 ? "[" : ",[") + std::to_string(node) + ",1,1,1]";
      pmi += "," + std::to_string(node);
    }
    const Nodes expected = ranks_of_each_node(node_of_rank, static_cast<std::size_t>(highest) + 1);
    const auto from_flux = Layout::from_flux_map(flux + "]");
    const auto from_pmi = Layout::from_pmi_vector(pmi + ")");
    ASSERT_TRUE(from_flux && from_pmi);
    ASSERT_EQ(first_wrong_answer(*from_flux, expected), "");
    ASSERT_EQ(*from_pmi, *from_flux);
    ASSERT_EQ(*from_pmi, *Layout::from_nodes(node_of_rank));
  }
}

constexpr BadText bad_flux_maps[] = {
    {"", Errc::bad_json, 0},
    {"[]", Errc::bad_layout, 0},
    {"{}", Errc::bad_layout, 0},
    {"7", Errc::bad_layout, 0},
    {"{\"version\":2,\"map\":[[0,1,1,1]]}", Errc::bad_layout, 0},
    {"{\"map\":[[0,1,1,1]]}", Errc::bad_layout, 0},
    {"{\"version\":1,\"maps\":[[0,1,1,1]]}", Errc::bad_layout, 0},
    {"{\"version\":1,\"map\":7}", Errc::bad_layout, 19},
    {"[7]", Errc::bad_layout, 1},
    {"[[0,1,1,1],{}]", Errc::bad_layout, 11},
    {"[[16777216,1,1,1],[0,1,1,1]]", Errc::limit_exceeded, -1},
    {"[[-1,1,1,1]]", Errc::bad_layout, 1},
    {"[[0,1,0,1]]", Errc::bad_layout, 1},
    {"[[0,0,1,1]]", Errc::bad_layout, 1},
    {"[[0,1,1,0]]", Errc::bad_layout, 1},
    {"[[0,1,1]]", Errc::bad_layout, 1},
    {"[[0,1,1,1,1]]", Errc::bad_layout, 1},
    {"[[0,1,1,1],[\"0\",1,1,1]]", Errc::bad_layout, 11},
    {"[[0,1,1,1.0]]", Errc::bad_layout, 1},
    {"[[0,1,1,1]", Errc::bad_json, 10},
    {"[[0,1,1,1]],", Errc::bad_json, 11},
    {"[[0,1,1,2147483648]]", Errc::limit_exceeded, 1},
    {"[[0,1,1,18446744073709551616]]", Errc::limit_exceeded, 1},
    {"[[0,65536,32768,1]]", Errc::limit_exceeded, 1},
    {"[[0,65536,256,128]]", Errc::limit_exceeded, 1},
    {"[[2147483647,1,1,1]]", Errc::limit_exceeded, 1},
    {"[[0,2,1,20000000],[0,1,1,1]]", Errc::limit_exceeded, -1},
};
constexpr BadText bad_pmi_vectors[] = {
    {"", Errc::bad_layout, 0},
    {"vector,(0,1,1)", Errc::bad_layout, 0},
    {"(vektor,(0,1,1))", Errc::bad_layout, 1},
    {"(vector)", Errc::bad_layout, 7},
    {"(vector,)", Errc::bad_layout, 8},
    {"(vector,(0,1,1)", Errc::bad_layout, 15},
    {"(vector,(0,1,1))x", Errc::bad_layout, 16},
    {"(vector,(0,1,1,1))", Errc::bad_layout, 14},
    {"(vector,(0,1,x))", Errc::bad_layout, 13},
    {"(vector,(0,x,1))", Errc::bad_layout, 11},
    {"(vector,(0,1", Errc::bad_layout, 12},
    {"(vector,(0,1,", Errc::bad_layout, 13},
    {"(vector,(0", Errc::bad_layout, 10},
    {"(vector,", Errc::bad_layout, 8},
    {"(vector,(18446744073709551616,1,1))", Errc::limit_exceeded, 9},
    {"(vector,(0,2147483648,1))", Errc::limit_exceeded, 11},
    {"(vector,[0]y2)", Errc::bad_layout, 11},
    {"(vector,[0]x)", Errc::bad_layout, 12},
    {"(vector,[0", Errc::bad_layout, 10},
    {"(vector,(0,1,0))", Errc::bad_layout, 14},
    {"(vector,(0,0,1))", Errc::bad_layout, 12},
    {"(vector,(0,1))", Errc::bad_layout, 12},
    {"(vector,(0 1 1))", Errc::bad_layout, 11},
    {"(vector,(-1,1,1))", Errc::bad_layout, 9},
    {"(vector,[(0,1,1))", Errc::bad_layout, 16},
    {"(vector,[(0,1,1)])", Errc::bad_layout, 17},
    {"(vector,[(0,1,1)]x0)", Errc::bad_layout, 19},
    {"(vector,[[(0,1,1)]x2]x2)", Errc::bad_layout, 9},
    {"(vector,0]x2)", Errc::bad_layout, 9},
    {"(vector,(0,2000000000,2))", Errc::limit_exceeded, 24},
    {"(vector,[0,1]x2000000000)", Errc::limit_exceeded, 24},
    {"(vector,4294967296)", Errc::limit_exceeded, 8},
    {"(vector,[0]x2147483648)", Errc::limit_exceeded, 12},
};

TEST(OptionalLayout, is_unchanged_by_a_move_into_itself) {
  rankmap::OptionalLayout layout = Layout::block(2, 3);
  rankmap::OptionalLayout& same = layout;
  layout = std::move(same);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(*layout, Layout::block(2, 3));
}

TEST(Layout, takes_one_count_up_to_the_largest_world) {
  EXPECT_EQ(Layout::from_counts("2147483647", Distribution::block)->world_size(), 2147483647);
  EXPECT_EQ(Layout::from_counts("2147483648", Distribution::block).error().code,
            Errc::limit_exceeded);
}

TEST(Layout, names_what_a_map_is_that_is_no_list) {
  EXPECT_EQ(message(Layout::from_flux_map(R"({"version":1,"map":{}})").error()).view(),
            "task map=\"{\\\"version\\\":1,\\\"map\\\":{}}\" at byte 19: expected an array; write "
            "a task map "
            "such as [[0,4,2,1]]: first node, nodes, ranks per node, repeat");
}

TEST(Layout, reports_where_a_map_is_wrong) {
  for (const BadText& row : bad_flux_maps) {
    const auto layout = Layout::from_flux_map(row.text);
    ASSERT_FALSE(layout) << row.text;
    EXPECT_EQ(layout.error().code, row.code) << row.text;
    EXPECT_EQ(layout.error().position, row.position) << row.text;
  }
  for (const BadText& row : bad_pmi_vectors) {
    const auto layout = Layout::from_pmi_vector(row.text);
    ASSERT_FALSE(layout) << row.text;
    EXPECT_EQ(layout.error().code, row.code) << row.text;
    EXPECT_EQ(layout.error().position, row.position) << row.text;
  }
  EXPECT_EQ(Layout::from_pmi_vector("(vector,(1,3,1))", 4).error().code, Errc::bad_layout);
  EXPECT_EQ(Layout::from_pmi_vector("(vector,(0,3,1))", -1).error().code, Errc::bad_layout);
}

TEST(Layout, reads_huge_regular_maps_without_listing_their_ranks) {
  const auto one = Layout::from_flux_map("[[0,1048576,1,2047]]");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->bytes(), sizeof(Layout));
  EXPECT_EQ(one->world_size(), 1048576 * 2047);
  EXPECT_EQ(one->place_of(1048576 * 2047 - 1), (Place{1048575, 2046}));
  EXPECT_EQ(one->node_of(1048577), 1);
  const auto two = Layout::from_flux_map("[[0,65536,16384,1],[65536,1,1000000,1]]");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->bytes(), sizeof(Layout));
  EXPECT_EQ(two->place_of(1073741824 + 7), (Place{65536, 7}));
  const auto far = Layout::from_pmi_vector("(vector,(2000000000,1,1))");
  ASSERT_TRUE(far);
  EXPECT_EQ(far->rank_of(2000000000, 0), 0);
}

// ---- memory ----

TEST(Layout, keeps_a_million_ranks_in_few_bytes) {
  constexpr int nodes = 4096;
  constexpr int per_node = 256;
  static_assert(sizeof(Layout) <= 104);
  EXPECT_EQ(Layout::block(nodes, per_node).bytes(), sizeof(Layout));
  EXPECT_EQ(Layout::cyclic(nodes, per_node).bytes(), sizeof(Layout));
  EXPECT_EQ(Layout::from_counts("256(x4000),255(x90),7(x6)", Distribution::cyclic)->bytes(),
            sizeof(Layout));
  std::string eight_runs = "256(x4089),1,2,3,4,5,6,7";
  EXPECT_EQ(Layout::from_counts(eight_runs, Distribution::cyclic)->bytes(),
            sizeof(Layout) + 12 * 8);

  std::mt19937 random(1);
  std::vector<int> counts(nodes);
  for (int& count : counts) count = static_cast<int>(random() % (2 * per_node));
  for (const Distribution distribution :
       {Distribution::block, Distribution::cyclic, Distribution::plane(4)}) {
    const auto uneven = Layout::from_counts(counts, distribution);
    ASSERT_TRUE(uneven);
    const auto ranks = static_cast<std::size_t>(uneven->world_size());
    const std::size_t lists = distribution == Distribution::block ? 1 : 2;
    EXPECT_LE(uneven->bytes(), sizeof(Layout) + 4 * lists * ranks + 10 * nodes);
  }
  std::vector<int> node_of_rank(std::size_t{nodes} * per_node);
  for (int& node : node_of_rank) node = static_cast<int>(random() % nodes);
  const auto irregular = Layout::from_nodes(node_of_rank, nodes);
  ASSERT_TRUE(irregular);
  EXPECT_LE(irregular->bytes(), sizeof(Layout) + 10 * nodes + 8 * node_of_rank.size());
  for (std::size_t rank = 0; rank < node_of_rank.size(); rank += 1009) {
    const Place place = irregular->place_of(static_cast<int>(rank));
    ASSERT_EQ(place.node, node_of_rank[rank]);
    ASSERT_EQ(irregular->rank_of(place), static_cast<int>(rank));
  }
}

// 70 runs and 2^31 - 1 nodes: neither the text nor the memory grows with what is claimed.
TEST(Layout, short_texts_take_little_memory) {
  std::string text;
  for (int run = 0; run != 35; ++run) text += "0(x50000000),1,";
  const auto layout = Layout::from_counts(text + "2", Distribution::cyclic);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->node_count(), 35 * 50'000'001 + 1);
  EXPECT_LE(layout->bytes(), sizeof(Layout) + 12 * 71);
  EXPECT_EQ(layout->place_of(36), (Place{35 * 50'000'001, 1}));
  EXPECT_EQ(layout->rail(0)[34], 34);
}

// More nodes than a table is made of, and no rule: the counts stay runs.
TEST(Layout, holds_few_ranks_on_two_million_nodes_in_any_order) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank != 40; ++rank) node_of_rank.push_back((39 - rank) * 50'000 + 7);
  node_of_rank.push_back(7);
  const auto layout = Layout::from_nodes(node_of_rank, 1 << 21);
  ASSERT_TRUE(layout);
  EXPECT_LE(layout->bytes(), sizeof(Layout) + 12 * 81 + 8 * 41);
  for (int rank = 0; rank != 41; ++rank) {
    const Place place{node_of_rank[static_cast<std::size_t>(rank)], rank == 40 ? 1 : 0};
    ASSERT_EQ(layout->place_of(rank), place);
    ASSERT_EQ(layout->rank_of(place), rank);
    ASSERT_EQ(layout->rail_index_of(rank), rank == 40 ? 0 : 39 - rank);
  }
  EXPECT_EQ(layout->rail(0)[3], 36);
}

// Both sides of 2^20 ranks, which any 65 runs may list, and of 512 ranks a run beyond.
TEST(Layout, lists_few_ranks_for_a_short_text) {
  const auto bytes_of = [](int nodes, int last) {
    std::vector<int> counts;
    const int most = (std::min)(512, last / nodes);
    for (int node = 0; node != nodes; ++node) counts.push_back(most - node % 2);
    int sum = 0;
    for (const int count : counts) sum += count;
    counts.back() += last - sum;
    for (const Distribution order : {Distribution::block, Distribution::plane(1000)}) {
      const auto layout = Layout::from_counts(counts, order);
      EXPECT_EQ(layout->world_size(), last);
      EXPECT_EQ(layout->rank_of(layout->place_of(last - 3)), last - 3);
    }
    return Layout::from_counts(counts, Distribution::cyclic)->bytes();
  };
  constexpr int million = 1 << 20;
  EXPECT_GE(bytes_of(65, million), std::size_t{8} * million);
  EXPECT_EQ(bytes_of(65, million + 1), sizeof(Layout) + std::size_t{12} * 65);
  EXPECT_GE(bytes_of(3000, 512 * 3000), std::size_t{8} * 512 * 3000);
  EXPECT_EQ(bytes_of(3000, 512 * 3000 + 1), sizeof(Layout) + std::size_t{12} * 3000);
  EXPECT_EQ(bytes_of(65, INT32_MAX), sizeof(Layout) + std::size_t{12} * 65);
  EXPECT_EQ(bytes_of(40'000, (1 << 24) + 1), sizeof(Layout) + std::size_t{12} * 40'000);
}

// The layout of a temporary is a value.
static_assert(std::is_same_v<decltype(std::declval<rankmap::OptionalLayout>().value()), Layout>);
static_assert(std::is_same_v<decltype(*std::declval<rankmap::OptionalLayout>()), Layout>);

constexpr bool optional_layouts_behave() {
  using rankmap::OptionalLayout;
  const OptionalLayout none;
  const OptionalLayout two = Layout::block(2, 3);
  return none == std::nullopt && !(two == std::nullopt) && two == Layout::block(2, 3) &&
         !(none == Layout::block(2, 3)) && !(two == Layout::cyclic(2, 3)) && two == two &&
         none == none && !(none == two) && !(two == OptionalLayout(Layout::block(3, 2))) &&
         two.value().world_size() == 6 && two.value_or(Layout()) == *two &&
         none.value_or(Layout::block(1, 4)).world_size() == 4;
}

constexpr bool optional_layouts_change() {
  rankmap::OptionalLayout layout;
  if (layout || layout.has_value()) return false;
  layout = Layout::block(2, 3);
  if (!layout || layout->world_size() != 6 || (*layout).node_count() != 2) return false;
  *layout = Layout::block(1, 4);
  const Layout taken = *std::move(layout);
  if (taken.world_size() != 4) return false;
  layout.reset();
  if (layout) return false;
  layout = taken;
  layout = std::nullopt;
  return !layout;
}
static_assert(optional_layouts_change());

TEST(OptionalLayout, is_used_as_a_standard_optional) {
  EXPECT_TRUE(optional_layouts_change());
  static_assert(optional_layouts_behave());
  EXPECT_TRUE(optional_layouts_behave());
  const rankmap::OptionalLayout none;
  const rankmap::OptionalLayout two = Layout::cyclic(2, 2);
  const std::optional<Layout> standard = two;
  ASSERT_TRUE(standard);
  EXPECT_TRUE(two == *standard);
  EXPECT_EQ(std::optional<Layout>(none), std::nullopt);
  try {
    (void)none.value();
    FAIL() << "there is no value";
  } catch (const rankmap::Exception& exception) {
    EXPECT_EQ(exception.error().code, Errc::missing);
    EXPECT_STREQ(exception.what(),
                 "layout is not set: expected where every rank is; check has_value() first, or "
                 "call gather_hosts");
  }
}

TEST(Layout, equals_no_other_layout) {
  const auto from = [](const std::vector<int>& node_of_rank) {
    return *Layout::from_nodes(node_of_rank, 2);
  };
  const Layout layouts[] = {
      Layout::block(2, 4),
      Layout::cyclic(2, 4),
      Layout::plane(2, 4, 2),
      Layout::block(4, 2),
      Layout::block(2, 3),
      *Layout::from_counts("3,5", Distribution::block),
      *Layout::from_counts("5,3", Distribution::block),
      *Layout::from_counts("5,3", Distribution::cyclic),
      *Layout::from_counts("5,2,1", Distribution::cyclic),
      *Layout::from_counts("5,1,2", Distribution::cyclic),
      from({0, 1, 1, 0, 0, 1, 0, 1}),
      from({1, 0, 0, 1, 1, 0, 1, 0}),
      from({0, 1, 1, 0, 0, 0, 0, 1}),
      from({0, 1, 1, 0, 0, 0, 1, 0}),
  };
  for (const Layout& a : layouts) {
    for (const Layout& b : layouts)
      EXPECT_EQ(a == b, &a == &b) << &a - layouts << ' ' << &b - layouts;
  }
}

TEST(Layout, is_copied_moved_and_compared) {
  const Layout even = Layout::cyclic(2, 3);
  Layout uneven = *Layout::from_counts("1,2,3,4,5,6,7,8", Distribution::cyclic);
  Layout copy = uneven;
  EXPECT_EQ(copy, uneven);
  EXPECT_NE(copy, even);
  const Layout moved = std::move(copy);
  EXPECT_EQ(moved, uneven);
  copy = even;
  EXPECT_EQ(copy, even);
  Layout& self = uneven;
  uneven = self;
  EXPECT_EQ(moved, uneven);
  uneven = std::move(copy);
  EXPECT_EQ(uneven, even);
  // the same map, kept in two ways
  constexpr int counts[] = {1, 1, 2};
  EXPECT_EQ(*Layout::from_counts(counts, Distribution::cyclic),
            *Layout::from_counts(counts, Distribution::block));
}

// A moved-from layout is one rank on one node, and may be assigned again.
constexpr bool is_one_rank_after_a_move(Layout layout) {
  const Layout same = layout;
  Layout& self = layout;
  layout = static_cast<Layout&&>(self);
  if (layout != same) return false;
  Layout taken = static_cast<Layout&&>(layout);
  if (taken != same || layout != Layout() || layout.place_of(0) != Place{0, 0}) return false;
  layout = static_cast<Layout&&>(taken);
  return layout == same && taken == Layout() && taken.ranks_on(0).size() == 1 &&
         taken.bytes() == sizeof(Layout);
}

TEST(Layout, is_one_rank_on_one_node_after_a_move) {
  constexpr int mixed[] = {1, 0, 0, 1, 2, 0};
  static_assert(std::is_nothrow_move_constructible_v<Layout> &&
                std::is_nothrow_move_assignable_v<Layout>);
  static_assert(is_one_rank_after_a_move(Layout::cyclic(2, 3)));
  static_assert(is_one_rank_after_a_move(*Layout::from_counts("1,2,3,4", Distribution::cyclic)));
  static_assert(is_one_rank_after_a_move(*Layout::from_counts("1,2,3,4,5,6", Distribution::block)));
  EXPECT_TRUE(is_one_rank_after_a_move(*Layout::from_nodes(mixed)));
  EXPECT_TRUE(
      is_one_rank_after_a_move(*Layout::from_counts("1,2,3,4,5,6,7", Distribution::cyclic)));
}

// Whatever the distribution is called, ranks that are numbered node after node are a block.
TEST(Layout, of_planes_that_come_node_after_node_is_a_block) {
  for (const char* const counts : {"1,2", "1,1,3", "2,2,5", "1", "0,2", "4,0", "1,0,2", "3", "2,1",
                                   "1,2,1", "2(x2)", "1(x3)", "0(x2),2", "2,3", "3,2", "1,3,0"}) {
    for (const Distribution distribution :
         {Distribution::cyclic, Distribution::plane(1), Distribution::plane(2)}) {
      const Layout layout = Layout::from_counts(counts, distribution).value();
      bool is_block = true;
      for (int rank = 1; rank < layout.world_size(); ++rank) {
        is_block = is_block && layout.node_of(rank - 1) <= layout.node_of(rank);
      }
      EXPECT_EQ(layout.is_block(), is_block) << counts;
      EXPECT_EQ(layout == Layout::from_counts(counts, Distribution::block).value(), is_block)
          << counts;
    }
  }
}

}  // namespace
