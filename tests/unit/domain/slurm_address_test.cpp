// SPDX-License-Identifier: MIT
#include <rankmap/domain/slurm_address.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::parse_slurm_address;
using rankmap::read_slurm_address;

/// What Slurm's plugins write, and what the path is.
struct Row {
  std::string_view address;
  std::string_view pattern;
  std::string_view path;
  std::string_view node;
};
constexpr Row rows[] = {
    {"n7", "node", "?", "n7"},
    {"c1.site.edu", "node", "?", "c1.site.edu"},
    {"s6.s4.s0.n7", "switch.switch.switch.node", "s6/s4/s0", "n7"},
    {"s0.c1.site.edu", "switch.node", "s0", "c1.site.edu"},
    // without a switch at a level: nothing wider joins the nodes of the level below
    {"s6..s0.n7", "switch.switch.switch.node", "s6/s0/s0", "n7"},
    {"..s0.n7", "switch.switch.switch.node", "s0/s0/s0", "n7"},
    {".s4.s0.n7", "switch.switch.switch.node", "s4/s4/s0", "n7"},
    {"s6.s4..n7", "switch.switch.switch.node", "s6/s4", "n7"},
    {"...n7", "switch.switch.switch.node", "?", "n7"},
    // several switches at a level
    {"s[4-7].s0.n7", "switch.switch.node", "s[4-7]/s0", "n7"},
    {"s[4,6].s0.n7", "switch.switch.node", "s[4,6]/s0", "n7"},
    {"b1.n7", "block.node", "b1", "n7"},
    {".n7", "block.node", "?", "n7"},
    {"ring0:3.n7", "ring:position.node", "ring0", "n7"},
    {"a:b:3.n7", "ring:position.node", "a:b", "n7"},
    {"pod1:2:3:1.n7", "torus:x:y:z.node", "pod1", "n7"},
    {"b1.s0.n7", "block.switch.node", "b1/s0", "n7"},
    {"1.2.3.4.5.6.7.8.n", "switch.switch.switch.switch.switch.switch.switch.switch.node",
     "1/2/3/4/5/6/7/8", "n"},
};
constexpr bool holds(const Row& row) {
  const auto found = parse_slurm_address(row.address, row.pattern);
  return found && to_string(found->path) == row.path && found->node == row.node;
}
static_assert(std::ranges::all_of(rows, holds));

TEST(SlurmAddress, is_read_by_its_pattern) {
  for (const Row& row : rows) EXPECT_TRUE(holds(row)) << row.address << ' ' << row.pattern;
}

TEST(SlurmAddress, that_does_not_follow_its_pattern_is_refused) {
  struct Bad {
    std::string_view address;
    std::string_view pattern;
    std::string_view text;
  };
  constexpr std::string_view words =
      ": expected switch, block, ring:position or torus:x:y:z, then node, with '.' between them; "
      "unset both, or set both as Slurm does";
  const Bad bad[] = {
      {"n7", "", "SLURM_TOPOLOGY_ADDR_PATTERN=\"\" at byte 0"},
      {"n7", "rack.node", "SLURM_TOPOLOGY_ADDR_PATTERN=\"rack.node\" at byte 0"},
      {"s0.n7", "switch", "SLURM_TOPOLOGY_ADDR_PATTERN=\"switch\" at byte 0"},
      {"s0.n7", "switch.", "SLURM_TOPOLOGY_ADDR_PATTERN=\"switch.\" at byte 7"},
      {"s0.n7", "node.switch", "SLURM_TOPOLOGY_ADDR_PATTERN=\"node.switch\" at byte 0"},
      {"s0.n7", "switch.node.node", "SLURM_TOPOLOGY_ADDR_PATTERN=\"switch.node.node\" at byte 7"},
  };
  for (const Bad& row : bad) {
    const auto found = parse_slurm_address(row.address, row.pattern);
    ASSERT_FALSE(found) << row.pattern;
    EXPECT_EQ(found.error().code, Errc::bad_domain);
    EXPECT_EQ(message(found.error()).view(), std::string(row.text) + std::string(words));
  }
  const Bad addresses[] = {
      {"n7", "switch.node",
       "SLURM_TOPOLOGY_ADDR=\"n7\" at byte 0: expected switch, with '.' between it and the next "
       "component; unset both, or set both as Slurm does"},
      {"s0.", "switch.node",
       "SLURM_TOPOLOGY_ADDR=\"s0.\" at byte 3: expected a host of 1 to 255 bytes without blanks; "
       "unset both, or set both as Slurm does"},
      {"s0.n 7", "switch.node",
       "SLURM_TOPOLOGY_ADDR=\"s0.n 7\" at byte 3: expected a host of 1 to 255 bytes without "
       "blanks; unset both, or set both as Slurm does"},
      {"ring0.n7", "ring:position.node",
       "SLURM_TOPOLOGY_ADDR=\"ring0.n7\" at byte 0: expected ring:position, with '.' between it "
       "and the next component; unset both, or set both as Slurm does"},
  };
  for (const Bad& row : addresses) {
    const auto found = parse_slurm_address(row.address, row.pattern);
    ASSERT_FALSE(found) << row.address;
    EXPECT_EQ(message(found.error()).view(), row.text);
  }
  for (const std::string_view address : {"ring0:.n", "ring0:x.n", ":3.n"}) {
    EXPECT_FALSE(parse_slurm_address(address, "ring:position.node")) << address;
  }
  for (const std::string_view address : {"p:1:2.n", "p:1::2.n", "1:2:3.n", ":1:2:3.n"}) {
    EXPECT_FALSE(parse_slurm_address(address, "torus:x:y:z.node")) << address;
  }
  EXPECT_EQ(parse_slurm_address("s\n0.n", "switch.node").error().code, Errc::bad_domain);
  const std::string longest(217, 's');
  EXPECT_EQ(parse_slurm_address(longest + ".n", "switch.node").error().code, Errc::limit_exceeded);
  EXPECT_EQ(
      parse_slurm_address("1.2.3.4.5.6.7.8.9.n",
                          "switch.switch.switch.switch.switch.switch.switch.switch.switch.node")
          .error()
          .code,
      Errc::limit_exceeded);
}

TEST(SlurmAddress, is_read_from_an_environment) {
  constexpr FixedEnvironment tree(
      {{"SLURM_TOPOLOGY_ADDR", "s4.s0.n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"}});
  static_assert(read_slurm_address(tree)->path.depth() == 2);
  EXPECT_EQ(to_string(read_slurm_address(tree)->path), "s4/s0");
  const auto none = read_slurm_address(FixedEnvironment<0>());
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->path.is_known());
  EXPECT_TRUE(none->node.empty());
  constexpr FixedEnvironment half({{"SLURM_TOPOLOGY_ADDR", "s4.s0.n7"}});
  EXPECT_EQ(message(read_slurm_address(half).error()).view(),
            "SLURM_TOPOLOGY_ADDR_PATTERN is not set: expected what the components of "
            "SLURM_TOPOLOGY_ADDR are; unset both, or set both as Slurm does");
  constexpr FixedEnvironment other({{"SLURM_TOPOLOGY_ADDR_PATTERN", "node"}});
  EXPECT_EQ(read_slurm_address(other).error().code, Errc::missing);
}

TEST(SlurmAddress, of_another_node_is_refused) {
  constexpr FixedEnvironment tree(
      {{"SLURM_TOPOLOGY_ADDR", "s0.n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.node"}});
  EXPECT_TRUE(read_slurm_address(tree, "n7"));
  EXPECT_TRUE(read_slurm_address(tree, "n7.site.edu"));
  const auto other = read_slurm_address(tree, "n8");
  ASSERT_FALSE(other);
  EXPECT_EQ(
      message(other.error()).view(),
      "SLURM_TOPOLOGY_ADDR=\"s0.n7\": expected the address of this host, n8; start the "
      "processes with srun, or unset it; in the program, pass no host if Slurm names nodes in "
      "its own way");
  constexpr FixedEnvironment long_name(
      {{"SLURM_TOPOLOGY_ADDR", "s0.n7.site.edu"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.node"}});
  EXPECT_TRUE(read_slurm_address(long_name, "n7"));
  EXPECT_FALSE(read_slurm_address(long_name, "n8"));
  EXPECT_FALSE(read_slurm_address(tree, "n77"));
  EXPECT_FALSE(read_slurm_address(tree, "n"));
}

}  // namespace
