// SPDX-License-Identifier: MIT
#include "support/heap.hpp"

#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/domain/slurm_address.hpp>
#include <rankmap/domain/slurm_switches.hpp>
#include <rankmap/hosts/host_list.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::HostList;
using rankmap::SlurmSwitches;

constexpr std::string_view tree =
    "# a comment\n"
    "SwitchName=s0 Nodes=tux[0-3] LinkSpeed=900\n"
    "SwitchName=s1 Nodes=tux[4-7]   # another\n"
    "switchname=s2 nodes=tux[8-11]\r\n"
    "SwitchName=s4 Switches=s[0-1]\n"
    "SwitchName=s6 \\\n  Switches=s4,s2\n";

std::string path(const SlurmSwitches& switches, std::string_view host) {
  const auto found = switches.path_of(host);
  return found ? std::string(to_string(*found).view()) : "error";
}
std::string path(std::string_view text, std::string_view host) {
  const auto switches = SlurmSwitches::parse(text);
  return switches ? path(*switches, host) : std::string(message(switches.error()).view());
}

constexpr bool read_at_compile_time() {
  const auto switches = SlurmSwitches::parse(tree);
  const auto domains = switches->domains_of(HostList::parse("tux[3-5,9]").value()).value();
  return switches->level_count() == 3 &&
         to_string(switches->path_of("tux5").value()) == "s6/s4/s1" && domains.count(2) == 3 &&
         domains.same_domain(1, 0, 1) && !domains.same_domain(2, 0, 1);
}
static_assert(read_at_compile_time());

TEST(SlurmSwitches, give_the_path_that_the_address_gives) {
  struct Row {
    std::string_view host;
    std::string_view address;
  };
  constexpr Row rows[] = {{"tux0", "s6.s4.s0.tux0"},
                          {"tux7", "s6.s4.s1.tux7"},
                          {"tux8", "s6..s2.tux8"},
                          {"tux11", "s6..s2.tux11"}};
  for (const Row& row : rows) {
    const auto address =
        rankmap::parse_slurm_address(row.address, "switch.switch.switch.node").value();
    EXPECT_EQ(path(tree, row.host), to_string(address.path)) << row.host;
  }
  EXPECT_EQ(path(tree, "tux12"), "?");
  EXPECT_EQ(path(tree, ""), "?");
  EXPECT_EQ(path("", "tux0"), "?");
  EXPECT_EQ(SlurmSwitches::parse("").value().level_count(), 0);
}

TEST(SlurmSwitches, may_be_below_several_others) {
  constexpr std::string_view text =
      "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n"
      "SwitchName=t4 Switches=s[0-1]\nSwitchName=t5 Switches=s[0-1]\nSwitchName=t7 Switches=s1\n"
      "SwitchName=u0 Switches=t[4-5]\nSwitchName=u1 Switches=t[5,7]\n";
  EXPECT_EQ(path(text, "n0"), "u[0-1]/t[4-5]/s0");
  EXPECT_EQ(path(text, "n3"), "u[0-1]/t[4-5,7]/s1");
  constexpr std::string_view twice = "SwitchName=s0 Nodes=n0,n1\nSwitchName=s1 Nodes=n1,n2\n";
  EXPECT_EQ(path(twice, "n0"), "s0");
  EXPECT_EQ(path(twice, "n1"), "s[0-1]");
  EXPECT_EQ(path(twice, "n2"), "s1");
}

TEST(SlurmSwitches, of_unlike_heights_have_the_label_of_the_level_below) {
  constexpr std::string_view text =
      "SwitchName=top Switches=mid\nSwitchName=mid Switches=low\nSwitchName=low Nodes=a\n"
      "SwitchName=alone Nodes=b\n";
  EXPECT_EQ(path(text, "a"), "top/mid/low");
  EXPECT_EQ(path(text, "b"), "alone/alone/alone");
}

TEST(SlurmSwitches, may_be_blocks) {
  constexpr std::string_view text =
      "BlockName=b1 Nodes=node[1-32]\nBlockName=b2 Nodes=node[33-64]\nBlockSizes=30,120\n";
  EXPECT_EQ(path(text, "node32"), "b1");
  EXPECT_EQ(path(text, "node33"), "b2");
  EXPECT_EQ(path(text, "node65"), "?");
}

TEST(SlurmSwitches, are_read_from_what_scontrol_shows) {
  constexpr std::string_view text =
      "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]\n"
      "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]\n"
      "SwitchName=s4 Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]\n";
  EXPECT_EQ(path(text, "tux4"), "s4/s1");
  // ... and no others: nothing says which of them such a node would be at
  constexpr std::string_view more =
      "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n[0-1] Switches=s0\n";
  EXPECT_EQ(path(more, "n1"), "?");
  EXPECT_EQ(
      SlurmSwitches::parse(more)->domains_of(HostList::parse("n[0-1]").value())->unknown_count(0),
      1);
  constexpr std::string_view blocks =
      "BlockName=b1 BlockIndex=0 Nodes=node[1-32] BlockSize=32\n"
      "BlockName=b2 BlockIndex=1 Nodes=node[33-64] BlockSize=32\n"
      "AggregatedBlock=b[1-2] BlockIndex=2 Nodes=node[1-64] BlockSize=64\n";
  EXPECT_EQ(path(blocks, "node40"), "b2");
}

TEST(SlurmSwitches, that_cannot_be_are_refused) {
  struct Row {
    std::string_view text;
    Errc code;
    std::string_view message;
  };
  constexpr Row rows[] = {
      {"Nodes=n1\n", Errc::bad_file,
       "topology.conf=\"Nodes=n1\" at byte 0: expected SwitchName=, BlockName= or BlockSizes= "
       "first "
       "in a line; correct the file"},
      {"SwitchName=\n", Errc::bad_file,
       "topology.conf=\"SwitchName=\" at byte 0: expected one name of 1 to 255 bytes behind '='; "
       "correct the file"},
      {"SwitchName=a\x01 Nodes=n1\n", Errc::bad_file,
       "topology.conf=\"SwitchName=a\\x01 Nodes=n1\" at byte 0: expected one name of 1 to 255 "
       "bytes behind '='; correct the file"},
      {"SwitchName=s[0-1] Nodes=n1\n", Errc::bad_file,
       "topology.conf=\"SwitchName=s[0-1] Nodes=n1\" at byte 0: expected one name of 1 to 255 "
       "bytes behind '='; "
       "correct the file"},
      {"SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", Errc::bad_file,
       "topology.conf=\"a Nodes=n2\" at byte 33: expected each name once; correct the file"},
      {"SwitchName=a Switches=b\n", Errc::bad_file,
       "topology.conf=\"b\" at byte 22: expected names of switches that have a line; correct the "
       "file"},
      {"SwitchName=a Switches=a\n", Errc::bad_file,
       "topology.conf=\"a Switches=a\" at byte 11: expected no switch below itself, neither "
       "this one nor one below it; correct the "
       "file"},
      {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n", Errc::bad_file,
       "topology.conf=\"a Switches=b\" at byte 11: expected no switch below itself, neither "
       "this one nor one below it; correct the "
       "file"},
      {"SwitchName=top Switches=a\nSwitchName=a Switches=a\n", Errc::bad_file,
       "topology.conf=\"top Switches=a\" at byte 11: expected no switch below itself, neither "
       "this one nor one below it; correct the "
       "file"},
      {"SwitchName=a Nodes=n1\nBlockName=b Nodes=n2\n", Errc::bad_file,
       "topology.conf=\"BlockName=b Nodes=n2\" at byte 22: expected switches or blocks in one "
       "file, "
       "not both; correct the file"},
      {"SwitchName=a Nodes=n1 Nodes=n2\n", Errc::bad_file,
       "topology.conf=\"Nodes=n2\" at byte 22: expected each key once in a line; correct the file"},
      {"SwitchName=a \\ Nodes=n1\n", Errc::bad_file,
       "topology.conf=\"\\\\ Nodes=n1\" at byte 13: expected the end of the line behind '\\'; "
       "correct "
       "the file"},
      {"SwitchName=a Nodes=n[1-\n", Errc::bad_host_list,
       "topology.conf=\"n[1-\" at byte 23: expected ']' after the ranges; write a list such as "
       "node[01-12,15],login1"},
  };
  for (const Row& row : rows) {
    const auto switches = SlurmSwitches::parse(row.text);
    ASSERT_FALSE(switches) << row.text;
    EXPECT_EQ(switches.error().code, row.code);
    EXPECT_EQ(message(switches.error()).view(), row.message);
  }
}

/// The domains of hosts by the path of each.
Domains domains_by_paths(const SlurmSwitches& switches, const HostList& hosts) {
  std::vector<DomainPath> paths;
  for (const rankmap::HostName& host : hosts) paths.push_back(switches.path_of(host).value());
  return Domains::from_paths(paths).value();
}

TEST(SlurmSwitches, give_the_domains_of_all_hosts_that_their_paths_give) {
  constexpr std::string_view lists[] = {"",
                                        "x",
                                        "tux[0-11]",
                                        "tux[11,0,5],x",
                                        "tux8,tux0,tux8",
                                        "tux[00-11]",
                                        "tux[0-99]",
                                        "tux4,y,tux[0-3],tux4,y"};
  const auto switches = SlurmSwitches::parse(tree).value();
  for (const std::string_view text : lists) {
    const HostList hosts = HostList::parse(text).value();
    EXPECT_TRUE(switches.domains_of(hosts).value() == domains_by_paths(switches, hosts)) << text;
  }
}

TEST(SlurmSwitches, give_the_domains_of_random_trees) {
  std::minstd_rand random(5);
  const auto next = [&random](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  int several = 0;
  for (int round = 0; round != 400; ++round) {
    std::string text;
    const int leaves = 1 + next(5);
    for (int i = 0; i != leaves; ++i) {
      // Some lists are longer than that of the hosts, and some hosts are in several lists.
      const int first = next(12);
      text += "SwitchName=s" + std::to_string(i) + " Nodes=n[" + std::to_string(first) + "-" +
              std::to_string(first + next(next(4) == 0 ? 4000 : 5)) + "],n3\n";
    }
    const int above = next(4);
    for (int i = 0; i != above; ++i) {
      text += "SwitchName=t" + std::to_string(i) + " Switches=s" + std::to_string(next(leaves)) +
              ",s" + std::to_string(leaves - 1) + (i == 0 ? "" : ",t0") + "\n";
    }
    const auto switches = SlurmSwitches::parse(text).value();
    const auto hosts = HostList::parse(round % 2 == 0 ? "n[0-20],n4,m" : "n3,n[9-12]").value();
    const Domains expected = domains_by_paths(switches, hosts);
    ASSERT_TRUE(switches.domains_of(hosts).value() == expected) << text;
    several += expected.level_count() > 1 && expected.count(0) > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 40);
}

TEST(SlurmSwitches, have_bounds) {
  std::string chain = "SwitchName=s0 Nodes=n0\n";
  for (int level = 1; level != 8; ++level) {
    chain +=
        "SwitchName=s" + std::to_string(level) + " Switches=s" + std::to_string(level - 1) + "\n";
  }
  EXPECT_EQ(path(chain, "n0"), "s7/s6/s5/s4/s3/s2/s1/s0");
  chain += "SwitchName=s8 Switches=s7\n";
  EXPECT_EQ(SlurmSwitches::parse(chain).error().code, Errc::limit_exceeded);

  std::string many;
  for (int i = 0; i != 65536; ++i) many += "BlockName=" + std::to_string(i) + "\n";
  EXPECT_TRUE(SlurmSwitches::parse(many));
  EXPECT_EQ(SlurmSwitches::parse(many + "BlockName=x\n").error().code, Errc::limit_exceeded);

  // Lists that name a billion hosts take no more memory than their texts.
  const std::size_t before = rankmap_test::heap::asked;
  const auto hostile = SlurmSwitches::parse(
      "SwitchName=a Nodes=n[0-1048575]\n"
      "SwitchName=b Switches=a[0-1048575]\n");
  EXPECT_EQ(hostile.error().code, Errc::bad_file);
  EXPECT_EQ(SlurmSwitches::parse("SwitchName=a Nodes=n[0-999999999]\n").error().code,
            Errc::limit_exceeded);
  EXPECT_LT(rankmap_test::heap::asked - before, 1U << 16U);
  EXPECT_EQ(path("SwitchName=a Nodes=n[0-1048575]\n", "n1048575"), "a");
  // Nor does it take time by the billion to ask for a few hosts.
  std::string everywhere;
  for (int i = 0; i != 65536; ++i) {
    everywhere += "BlockName=b" + std::to_string(i) + " Nodes=n[0-1048575]\n";
  }
  const auto wide_blocks = SlurmSwitches::parse(everywhere).value();
  const std::size_t before_few = rankmap_test::heap::asked;
  EXPECT_EQ(wide_blocks.domains_of(HostList::parse("n[5-6]").value())->count(0), 1);
  EXPECT_LT(rankmap_test::heap::asked - before_few, 1U << 23U);
  // Nor to ask for many hosts that no list has: too many comparisons are refused before the first.
  // Red as a test that takes many minutes, or one of them where they are counted while they are
  // made.
  for (const char* others : {"m[0-9999]", "m[0-999999]", "n[2000000-2999999]"}) {
    const auto hosts = HostList::parse(others).value();
    const auto error = wide_blocks.domains_of(hosts).error();
    EXPECT_EQ(error.code, Errc::limit_exceeded);
    EXPECT_EQ(error.expected.view(),
              "lists that need at most 2^25 comparisons with the hosts of the job");
  }
  // A large cluster is far from the bound.
  std::string cluster;
  for (int i = 0; i != 65536; ++i) {
    cluster += "SwitchName=s" + std::to_string(i) + " Nodes=n[" + std::to_string(16 * i) + "-" +
               std::to_string(16 * i + 15) + "]\n";
  }
  const auto large = SlurmSwitches::parse(cluster).value();
  EXPECT_EQ(large.domains_of(HostList::parse("n[0-99999],m[0-9999]").value())->count(0), 6250);

  const std::string wide(100, 'x');
  std::string labels;
  for (int i = 0; i != 3; ++i) labels += "SwitchName=" + wide + char('a' + i) + " Nodes=n\n";
  EXPECT_EQ(path(labels, "n"), "error");
  EXPECT_EQ(SlurmSwitches::parse(labels)->domains_of(HostList::parse("n").value()).error().code,
            Errc::limit_exceeded);
}

}  // namespace
