// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"

#include <rankmap/domain/domains.hpp>
#include <rankmap/draw/mesh.hpp>
#include <rankmap/mesh/hybrid_mesh.hpp>
#include <rankmap/mesh/placement.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::Layout;
using rankmap_test::domains_of;

std::vector<int> numbers(const Domains& domains, int level) {
  std::vector<int> out;
  for (int node = 0; node != domains.node_count(); ++node) {
    out.push_back(domains.domain_of(level, node));
  }
  return out;
}

constexpr bool made_at_compile_time() {
  const DomainPath paths[] = {*DomainPath::from_labels({"b"}), DomainPath(),
                              *DomainPath::from_labels({"a"}), *DomainPath::from_labels({"b"})};
  const auto domains = Domains::from_paths(paths);
  return domains->count(0) == 2 && domains->same_domain(0, 0, 3) &&
         !domains->same_domain(0, 1, 1) && domains->nodes_of(0, 0)[1] == 3;
}
static_assert(made_at_compile_time());

TEST(Domains, have_numbers_by_first_appearance) {
  const Domains domains = domains_of("bx ax bx - by ax");
  EXPECT_EQ(domains.node_count(), 6);
  EXPECT_EQ(domains.level_count(), 2);
  EXPECT_EQ(numbers(domains, 0), (std::vector<int>{0, 1, 0, -1, 0, 1}));
  EXPECT_EQ(numbers(domains, 1), (std::vector<int>{0, 1, 0, -1, 2, 1}));  // x of a is another
  EXPECT_EQ(domains.unknown_count(1), 1);
  EXPECT_EQ(domains, domains_of("pq rs pq - pt rs"));
  EXPECT_NE(domains, domains_of("pq rs pq p pt rs"));
  EXPECT_NE(domains, domains_of("p r p - p r"));
}

TEST(Domains, of_nothing_are_none) {
  EXPECT_EQ(Domains().node_count(), 0);
  EXPECT_EQ(Domains().level_count(), 0);
  EXPECT_EQ(domains_of("- -").level_count(), 0);
  EXPECT_EQ(domains_of("- -").node_count(), 2);
}

// Every world of 4 nodes on 7 paths: all queries against the paths themselves.
TEST(Domains, are_what_the_paths_say) {
  rankmap_test::for_each_world(
      4, {"-", "a", "b", "ax", "ay", "bx", "axp"}, [](const std::vector<DomainPath>& paths) {
        const Domains domains = Domains::from_paths(paths).value();
        for (int level = 0; level != domains.level_count(); ++level) {
          int next = 0;
          int known = 0;
          for (int a = 0; a != 4; ++a) {
            const auto& path = paths[static_cast<std::size_t>(a)];
            int first = a;
            for (int b = 3; b >= 0; --b) {
              const bool same = same_domain(path, paths[static_cast<std::size_t>(b)], level);
              ASSERT_EQ(domains.same_domain(level, a, b), same);
              if (same && b < first) first = b;
            }
            ASSERT_EQ(domains.first_node(level, a), first);
            const int domain = domains.domain_of(level, a);
            ASSERT_EQ(domain == Domains::unknown, !path.is_known(level));
            if (domain == Domains::unknown) continue;
            ++known;
            next += first == a ? 1 : 0;
            ASSERT_LT(domain, next);
            int found = 0;
            for (const int node : domains.nodes_of(level, domain)) {
              ASSERT_EQ(domains.domain_of(level, node), domain);
              found += node == a ? 1 : 0;
            }
            ASSERT_EQ(found, 1);
          }
          ASSERT_EQ(domains.count(level), next);
          ASSERT_EQ(domains.unknown_count(level), 4 - known);
        }
      });
}

TEST(Domains, are_the_nodes_of_a_layout) {
  const Domains domains = domains_of("a a b b");
  const Layout ranks = Layout::block(4, 2);
  const Layout racks = domains.layout(0, ranks).value();
  EXPECT_EQ(racks, Layout::block(2, 4));

  // Which groups leave the rack: the question for nodes, asked for domains.
  const auto mesh = rankmap::Mesh::make({{"dp", 2}, {"pp", 2}, {"tp", 2}}).value();
  EXPECT_TRUE(rankmap::Placement::make(mesh, ranks)->crosses("pp"));
  const auto placement = rankmap::Placement::make(mesh, racks).value();
  EXPECT_FALSE(placement.crosses("tp"));
  EXPECT_FALSE(placement.crosses("pp"));
  EXPECT_TRUE(placement.crosses("dp"));
  EXPECT_EQ(rankmap::recommend_mesh(racks, {{"tp", 4}, {"dp", 2}})->axes_inside, 1);
  std::string svg;
  draw_mesh(placement, [&](std::string_view text) { svg += text; });
  EXPECT_NE(svg.find("leaves"), std::string::npos);

  EXPECT_EQ(domains_of("a b a b").layout(0, ranks)->node_of(4), 0);
}

TEST(Domains, that_are_not_known_make_no_layout) {
  const Layout ranks = Layout::block(3, 2);
  EXPECT_EQ(message(domains_of("a - b").layout(0, ranks).error()).view(),
            "domain of node 1 is not set: expected the domain of every node at level 0; choose a "
            "level that is known for all nodes, or say where the node is");
  EXPECT_EQ(domains_of("ax a ax").layout(1, ranks).error().code, Errc::missing);
  EXPECT_EQ(domains_of("ax a ax").layout(2, ranks).error().code, Errc::missing);
  EXPECT_EQ(domains_of("ax a ax").layout(-1, ranks).error().code, Errc::missing);
  EXPECT_TRUE(domains_of("ax a ax").layout(0, ranks));
  EXPECT_EQ(
      message(domains_of("a a").layout(0, ranks).error()).view(),
      "layout=\"3 nodes\": expected the 2 nodes of the domains; make both for the same nodes");
  // A node without ranks need not be known.
  const int counts[] = {2, 0, 2};
  const auto holes = Layout::from_counts(counts, rankmap::Distribution::block).value();
  EXPECT_TRUE(domains_of("a - b").layout(0, holes));
}

TEST(Domains, of_many_nodes_are_found_in_one_pass) {
  constexpr int nodes = 1 << 16;
  std::vector<DomainPath> paths;
  for (int node = 0; node != nodes; ++node) {
    paths.push_back(DomainPath::from_labels(
                        {"b" + std::to_string(node % 512), "r" + std::to_string(node % 4096 / 512)})
                        .value());
  }
  const Domains domains = Domains::from_paths(paths).value();
  EXPECT_EQ(domains.count(0), 512);
  EXPECT_EQ(domains.count(1), 4096);
  EXPECT_EQ(domains.nodes_of(1, 4095).size(), 16U);
}

}  // namespace
