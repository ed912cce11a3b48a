// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"

#include <rankmap/domain/repair.hpp>
#include <rankmap/domain/segments.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::repair;
using rankmap::Repair;
using rankmap::Result;
using rankmap_test::domains_of;
using Nodes = std::vector<int>;

std::string shown(const Result<Repair>& repaired) {
  if (!repaired) return std::string(message(repaired.error()).view());
  std::string out;
  for (const int node : repaired->nodes()) out += std::to_string(node) + " ";
  out += "|";
  for (const int node : repaired->spares()) out += " " + std::to_string(node);
  return out + ", moved " + std::to_string(repaired->moved());
}

/// The first `slots` nodes are in use, the others are spares.
struct Row {
  std::string_view domains;
  int slots;
  int segment;
  Nodes failed;
  std::string_view shown;
};

Result<Repair> repaired(const Row& row) {
  const Domains domains = domains_of(row.domains);
  Nodes slots;
  Nodes spares;
  for (int node = 0; node != domains.node_count(); ++node) {
    (node < row.slots ? slots : spares).push_back(node);
  }
  return repair(domains, 0, slots, row.failed, spares, row.segment);
}

// Red means that ranks of a job that goes on find other nodes than those of an older version.
TEST(Repair, moves_as_few_as_possible) {
  const Row rows[] = {
      {"A A A A A", 4, 1, {1}, "0 4 2 3 |, moved 0"},
      {"A A B B A", 4, 2, {0}, "4 1 2 3 |, moved 0"},
      {"A A B B B B", 4, 2, {0}, "4 5 2 3 | 1, moved 1"},
      {"A A A A B B B B", 6, 2, {1}, "6 7 2 3 4 5 | 0, moved 1"},
      {"A A A A B B B B", 6, 2, {0, 3}, "2 1 6 7 4 5 |, moved 1"},
      {"A A A A B B B B A B", 8, 4, {2, 5}, "0 1 8 3 4 9 6 7 |, moved 0"},
      {"A A B B B",
       4,
       2,
       {0},
       "healthy nodes=\"1 segments of 2\": expected 2 whole; the domain of node 0 came nearest to "
       "one more, with 1 nodes for it; add healthy nodes there, or continue with fewer slots"},
      {"A A B B B", 4, 2, {}, "0 1 2 3 | 4, moved 0"},
      {"A A B B B", 4, 2, {4}, "0 1 2 3 |, moved 0"},
      {"A B - -", 2, 1, {1}, "0 2 | 3, moved 0"},
      {"A B B A", 2, 1, {1}, "0 2 | 3, moved 0"},  // from the same domain
      {"A A A A A A A B B B",
       6,
       3,
       {0, 3, 4},
       "6 1 2 7 8 9 | 5, moved 1"},  // a spare before node 5
      {"A A", 0, 1, {}, "| 0 1, moved 0"},
      {"", 0, 1, {}, "|, moved 0"},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(repaired(row)), row.shown) << row.domains;
}

constexpr bool made_at_compile_time() {
  const DomainPath paths[] = {*DomainPath::from_labels({"a"}), *DomainPath::from_labels({"b"}),
                              *DomainPath::from_labels({"b"})};
  const int slots[] = {0, 1};
  const int failed[] = {1};
  const int spares[] = {2};
  const auto out = repair(*Domains::from_paths(paths), 0, slots, failed, spares, 1);
  return out->nodes()[0] == 0 && out->nodes()[1] == 2 && out->moved() == 0;
}
static_assert(made_at_compile_time());

TEST(Repair, does_not_depend_on_the_order_of_failures_and_spares) {
  const Domains domains = domains_of("A A A A B B B B A B");
  const Nodes slots = {0, 1, 2, 3, 4, 5, 6, 7};
  Nodes failed = {1, 2, 6};
  Nodes spares = {8, 9};
  const std::string first = shown(repair(domains, 0, slots, failed, spares, 1));
  do {
    for (int turn = 0; turn != 2; ++turn) {
      std::reverse(spares.begin(), spares.end());
      EXPECT_EQ(shown(repair(domains, 0, slots, failed, spares, 1)), first);
    }
  } while (std::next_permutation(failed.begin(), failed.end()));
}

TEST(Repair, refuses_what_cannot_be) {
  const Domains domains = domains_of("A A B B B");
  const Nodes slots = {0, 1, 2, 3};
  const Nodes none;
  const Nodes spare = {4};
  struct Bad {
    Nodes slots;
    Nodes failed;
    Nodes spares;
    int segment;
    std::string_view text;
  };
  const Bad rows[] = {
      {slots, none, spare, 0,
       "segment=\"0\": expected at least 1; pass how many slots share a domain"},
      {slots, none, spare, 3,
       "slots=\"4 slots\": expected a multiple of the segment, 3; pass whole segments"},
      {{0, 5},
       none,
       spare,
       1,
       "node of slot 1=\"5\": expected a node in [0, 5); pass nodes of these domains"},
      {slots,
       none,
       {-1},
       1,
       "spare 0=\"-1\": expected a node in [0, 5); pass nodes of these domains"},
      {slots,
       {0, 7},
       none,
       1,
       "failed node 1=\"7\": expected a node in [0, 5); pass nodes of these domains"},
      {{0, 1, 0},
       none,
       none,
       1,
       "node of slot 2=\"0\": expected each node once among slots and spares; pass each node once"},
      {slots,
       none,
       {3},
       1,
       "spare 0=\"3\": expected each node once among slots and spares; pass each node once"},
      {{0, 2},
       none,
       none,
       2,
       "node of slot 1=\"2\": expected a node of the domain of node 0, as in the rest of its "
       "segment; pass the nodes as choose_segments() or the last repair() returned them"},
  };
  for (const Bad& row : rows) {
    EXPECT_EQ(shown(repair(domains, 0, row.slots, row.failed, row.spares, row.segment)), row.text);
  }
}

TEST(Repair, needs_a_level_only_for_segments) {
  const Domains domains = domains_of("A A B B B");
  const Nodes slots = {0, 1};
  const Nodes failed = {1};
  const Nodes spares = {4, 2};
  for (const int level : {-1, 1}) {
    EXPECT_EQ(repair(domains, level, slots, failed, spares, 2).error().code, Errc::out_of_range);
    EXPECT_EQ(shown(repair(domains, level, slots, failed, spares, 1)), "0 2 | 4, moved 0");
  }
}

/// The fewest moves of any repair; -1 where there is none.
int min_moves(const Domains& domains, const Nodes& slots, const Nodes& healthy, int segment) {
  Nodes order = healthy;
  int best = -1;
  if (order.size() < slots.size()) return best;
  std::sort(order.begin(), order.end());
  do {
    int moved = 0;
    bool good = true;
    for (std::size_t i = 0; i != slots.size() && good; ++i) {
      const int head = order[i - i % static_cast<std::size_t>(segment)];
      good = domains.first_node(0, order[i]) == domains.first_node(0, head);
      const bool survives = std::find(healthy.begin(), healthy.end(), slots[i]) != healthy.end();
      moved += survives && order[i] != slots[i] ? 1 : 0;
    }
    if (good && (best < 0 || moved < best)) best = moved;
    // the rest of the nodes may come in any order
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(slots.size()), order.end());
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

void expect_best(const Domains& domains, int segment, unsigned failures, int wanted, int& repairs) {
  const auto chosen = rankmap::choose_segments(domains, 0, wanted, segment);
  if (!chosen) return;
  const Nodes slots(chosen->nodes().begin(), chosen->nodes().end());
  Nodes failed;
  Nodes healthy;
  for (int node = 0; node != domains.node_count(); ++node) {
    ((failures >> static_cast<unsigned>(node) & 1U) != 0 ? failed : healthy).push_back(node);
  }
  const auto found = repair(domains, 0, slots, failed, chosen->spares(), segment);
  const int least = min_moves(domains, slots, healthy, segment);
  ASSERT_EQ(found.has_value(), least >= 0);
  if (!found) {
    ASSERT_EQ(found.error().code, Errc::not_enough_nodes);
    return;
  }
  ASSERT_EQ(found->moved(), least);
  ++repairs;
  Nodes all(found->nodes().begin(), found->nodes().end());
  for (std::size_t i = 0; i != all.size(); ++i) {
    const int head = all[i - i % static_cast<std::size_t>(segment)];
    ASSERT_EQ(domains.first_node(0, all[i]), domains.first_node(0, head));
  }
  all.insert(all.end(), found->spares().begin(), found->spares().end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all, healthy);
  if (failed.empty()) {
    ASSERT_TRUE(std::equal(slots.begin(), slots.end(), found->nodes().begin()));
  }
}

// All worlds of 5 nodes with every set of failures, against all permutations.
TEST(Repair, is_the_best_of_all_in_small_worlds) {
  int repairs = 0;
  rankmap_test::for_each_world(5, {"a", "b", "-"}, [&](const std::vector<DomainPath>& paths) {
    const Domains domains = Domains::from_paths(paths).value();
    if (domains.level_count() == 0) return;
    for (unsigned failures = 0; failures < 32; failures += 3) {
      for (int segment = 1; segment != 3; ++segment) {
        expect_best(domains, segment, failures, 4, repairs);
      }
      expect_best(domains, 2, failures, 2, repairs);
    }
  });
  EXPECT_GT(repairs, 1000);
}

// 1500 worlds of 7 nodes, against all 5040 permutations.
TEST(Repair, is_the_best_of_all_with_7_nodes) {
  int repairs = 0;
  std::uint64_t state = 7;
  const auto next = [&](unsigned bits) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<unsigned>(state >> (64U - bits));
  };
  const std::vector<std::string_view> choices = {"a", "b", "a", "b", "c", "a", "b", "-"};
  for (int world = 0; world != 1500; ++world) {
    std::vector<DomainPath> paths;
    for (int node = 0; node != 7; ++node) paths.push_back(rankmap_test::path_of(choices[next(3)]));
    const Domains domains = Domains::from_paths(paths).value();
    if (domains.level_count() == 0) continue;
    const unsigned failures = next(7) & next(7);
    expect_best(domains, 2, failures, world % 2 == 0 ? 4 : 6, repairs);
    if (world % 4 == 0) expect_best(domains, 3, failures, 3, repairs);
  }
  EXPECT_GT(repairs, 500);
}

}  // namespace
