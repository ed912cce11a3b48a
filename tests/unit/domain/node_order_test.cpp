// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"

#include <rankmap/domain/node_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::Layout;
using rankmap::NodeOrder;
using rankmap::order_by_domain;
using rankmap_test::domains_of;

std::vector<int> old_numbers(const NodeOrder& order) {
  return {order.old_numbers().begin(), order.old_numbers().end()};
}

struct Row {
  std::string_view nodes;
  std::vector<int> order;
};

TEST(NodeOrder, follows_the_first_appearance_of_domains) {
  const Row rows[] = {
      {"a b a b", {0, 2, 1, 3}},
      {"b a b a", {0, 2, 1, 3}},
      {"ax bx ay bx ax", {0, 4, 2, 1, 3}},
      {"ax ay bx ax by", {0, 3, 1, 2, 4}},
      {"a - a - b a", {0, 2, 5, 1, 3, 4}},
      {"ax a ay a ax", {0, 4, 1, 2, 3}},  // known outside, unknown inside
      {"", {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(old_numbers(order_by_domain(domains_of(row.nodes))), row.order) << row.nodes;
  }
  const DomainPath one[] = {*DomainPath::from_labels({"b2"}), *DomainPath::from_labels({"b10"}),
                            *DomainPath::from_labels({"b2"})};  // not by name
  const NodeOrder order = order_by_domain(*Domains::from_paths(one));
  EXPECT_EQ(order.new_of(2), 1);
  EXPECT_EQ(order.new_of(1), 2);
  EXPECT_FALSE(order.is_identity());
}
constexpr bool made_at_compile_time() {
  const DomainPath paths[] = {*DomainPath::from_labels({"a"}), *DomainPath::from_labels({"b"}),
                              *DomainPath::from_labels({"a"})};
  const auto domains = Domains::from_paths(paths);
  const NodeOrder order = order_by_domain(*domains);
  return order.old_of(1) == 2 && domain_crossings(*domains, order, 0) == 1;
}
static_assert(made_at_compile_time());

/// The least crossings of any order, at each level by itself.
std::vector<int> min_crossings(const Domains& domains) {
  std::vector<int> order(static_cast<std::size_t>(domains.node_count()));
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> least(static_cast<std::size_t>(domains.level_count()), INT32_MAX);
  do {
    for (int level = 0; level != domains.level_count(); ++level) {
      int crossings = 0;
      for (std::size_t i = 1; i < order.size(); ++i) {
        crossings += domains.same_domain(level, order[i - 1], order[i]) ? 0 : 1;
      }
      int& best = least[static_cast<std::size_t>(level)];
      best = std::min(best, crossings);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

void expect_best(const Domains& domains, const std::vector<DomainPath>& paths) {
  const NodeOrder order = order_by_domain(domains);
  const std::vector<int> least = min_crossings(domains);
  for (int level = 0; level != domains.level_count(); ++level) {
    ASSERT_EQ(domain_crossings(domains, order, level), least[static_cast<std::size_t>(level)]);
    ASSERT_EQ(least[static_cast<std::size_t>(level)],
              domains.count(level) + domains.unknown_count(level) - 1);
  }
  ASSERT_EQ(order.old_of(0), 0);
  std::vector<DomainPath> sorted;
  for (int i = 0; i != order.size(); ++i) {
    ASSERT_EQ(order.new_of(order.old_of(i)), i);
    sorted.push_back(paths[static_cast<std::size_t>(order.old_of(i))]);
  }
  ASSERT_TRUE(order_by_domain(Domains::from_paths(sorted).value()).is_identity());
}

// All worlds of 5 nodes, against all 120 orders at all levels at once.
TEST(NodeOrder, has_the_fewest_crossings_at_every_level_of_small_worlds) {
  rankmap_test::for_each_world(5, {"-", "ax", "ay", "bx", "b"},
                               [](const std::vector<DomainPath>& paths) {
                                 expect_best(Domains::from_paths(paths).value(), paths);
                               });
}

// 60 worlds of 7 nodes at 3 levels, against all 5040 orders.
TEST(NodeOrder, has_the_fewest_crossings_at_every_level_of_7_nodes) {
  std::uint64_t state = 1;
  const std::vector<std::string_view> choices = {"axp", "axq", "ayp", "bxp", "bxq", "b", "ay", "-"};
  for (int world = 0; world != 60; ++world) {
    std::vector<DomainPath> paths;
    for (int node = 0; node != 7; ++node) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      paths.push_back(rankmap_test::path_of(choices[state >> 61U]));
    }
    expect_best(Domains::from_paths(paths).value(), paths);
  }
}

TEST(NodeOrder, of_ranks_goes_node_after_node) {
  const NodeOrder nodes = order_by_domain(domains_of("a b a"));
  EXPECT_EQ(old_numbers(order_ranks(nodes, Layout::block(3, 2)).value()),
            (std::vector<int>{0, 1, 4, 5, 2, 3}));
  EXPECT_EQ(old_numbers(order_ranks(nodes, Layout::cyclic(3, 2)).value()),
            (std::vector<int>{0, 3, 2, 5, 1, 4}));
  const NodeOrder ranks = order_ranks(nodes, Layout::cyclic(3, 2)).value();
  for (int rank = 0; rank != 6; ++rank) EXPECT_EQ(ranks.old_of(ranks.new_of(rank)), rank);
  EXPECT_EQ(message(order_ranks(nodes, Layout::block(4, 2)).error()).view(),
            "layout=\"4 nodes\": expected the 3 nodes of the order; make both for the same nodes");
}

TEST(NodeOrder, from_old_numbers_has_to_be_a_permutation) {
  const int good[] = {2, 0, 1};
  EXPECT_EQ(NodeOrder::from_old(good)->new_of(2), 0);
  EXPECT_EQ(NodeOrder::from_old({}).value().size(), 0);
  EXPECT_TRUE(NodeOrder().is_identity());
  EXPECT_EQ(*NodeOrder::from_old(good), *NodeOrder::from_old(good));
  const std::vector<std::vector<int>> bad = {{0, 0}, {1}, {-1}, {0, 2}, {1, 2147483647}};
  for (const auto& numbers : bad) {
    EXPECT_EQ(NodeOrder::from_old(numbers).error().code, Errc::inconsistent);
  }
  EXPECT_EQ(message(NodeOrder::from_old(bad[0]).error()).view(),
            "old number of 1=\"0\": expected each number below 2 once; pass a permutation");
}

TEST(NodeOrder, crossings_count_unknown_neighbours) {
  const Domains domains = domains_of("a a - - b");
  const NodeOrder as_it_is = order_by_domain(domains);
  EXPECT_TRUE(as_it_is.is_identity());
  EXPECT_EQ(domain_crossings(domains, as_it_is, 0), 3);
}

}  // namespace
