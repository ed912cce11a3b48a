// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"

#include <rankmap/domain/gcp_order.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Errc;
using rankmap::order_ranks_in_gcp;
using rankmap_test::paths_of;

std::string shown(const std::vector<DomainPath>& paths) {
  const auto order = order_ranks_in_gcp(paths);
  if (!order) return std::string(message(order.error()).view());
  std::string out;
  for (const int rank : order->old_numbers()) out += std::to_string(rank) + " ";
  return out;
}

// What OLMo-core's reorder_ranks_in_gcp gives; block, subblock and host are a letter each. Red
// means that a job which moves here gets other neighbors.
TEST(GcpOrder, is_that_of_olmo_core) {
  struct Row {
    std::string_view hosts;
    std::string_view order;
  };
  constexpr Row rows[] = {
      {"111 000 110", "0 2 1 "},
      {"111 120 011 110", "0 3 1 2 "},
      {"111 019 103 002 110", "0 4 2 1 3 "},
      {"217 117 213 237", "0 2 3 1 "},
      {"115 215 200 211 125 120", "0 4 5 1 3 2 "},
      {"11 21 31 22 32", "0 1 2 3 4 "},  // blocks 2 and 3 are split
      {"1", "0 "},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(paths_of(row.hosts)), row.order) << row.hosts;
  EXPECT_EQ(shown({}), "");
  EXPECT_EQ(shown(paths_of("1111 2112 2111")), "0 1 2 ");  // a fourth label says nothing
  const std::vector<DomainPath> names = {DomainPath::from_labels({"b1", "s", "m"}).value(),
                                         DomainPath::from_labels({"b2", "s", "m"}).value(),
                                         DomainPath::from_labels({"b10", "s", "m"}).value()};
  EXPECT_EQ(shown(names), "0 2 1 ");  // by bytes
}

TEST(GcpOrder, needs_a_host_of_its_own_for_each_rank) {
  EXPECT_EQ(
      shown(paths_of("abc abd abc")),
      "hosts of ranks 0 and 2=\"a/b/c\": expected another host for each rank; pass one rank a "
      "host");
  EXPECT_EQ(shown(paths_of("abc -")),
            "host of rank 1 is not set: expected /block/subblock/host; pass the physical_host of "
            "every rank");
  EXPECT_EQ(order_ranks_in_gcp(paths_of("- abc")).error().code, Errc::missing);
}

}  // namespace
