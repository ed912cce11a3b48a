// SPDX-License-Identifier: MIT
#include <rankmap/hostlist.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace {

using rankmap::HostList;

// What Slurm 22.05.8 prints for `scontrol show hostnames TEXT`, names joined by blanks. Red means
// that rankmap would put ranks on other hosts than Slurm does.
struct Expansion {
  std::string_view text;
  std::string_view names;
};
constexpr Expansion expansions[] = {
    {"", ""},
    {",,, \t\n", ""},
    {"node[1-3]", "node1 node2 node3"},
    {"node[08-12]", "node08 node09 node10 node11 node12"},
    {"n[009-010]", "n009 n010"},
    {"n[9-10]", "n9 n10"},
    {"n[098-102]", "n098 n099 n100 n101 n102"},
    {"node[8-012]", "node8 node9 node10 node11 node12"},
    {"n[0001-1]", "n0001"},
    {"n[007-7]", "n007"},
    {"n[7-07]", "n7"},
    {"n[00-00]", "n00"},
    {"10.0.0.[1-3]", "10.0.0.1 10.0.0.2 10.0.0.3"},
    {"[1-3]", "1 2 3"},
    {"rack[0-1]_b[0-1]", "rack0_b0 rack0_b1 rack1_b0 rack1_b1"},
    {"r[0-1]n[0-2]", "r0n0 r0n1 r0n2 r1n0 r1n1 r1n2"},
    {"n[1-2][3-4]", "n13 n14 n23 n24"},
    {"a[2,0-1]b[0-1]", "a2b0 a2b1 a0b0 a0b1 a1b0 a1b1"},
    // with three brackets the middle one is outermost
    {"a[0-1]b[0-1]c[0-1]", "a0b0c0 a0b0c1 a1b0c0 a1b0c1 a0b1c0 a0b1c1 a1b1c0 a1b1c1"},
    {"a[0-1]b[0-2]c[0-1]",
     "a0b0c0 a0b0c1 a1b0c0 a1b0c1 a0b1c0 a0b1c1 a1b1c0 a1b1c1 a0b2c0 a0b2c1 a1b2c0 a1b2c1"},
    {"a[0-1]b[0-1]c[0-1]d[0-1]",
     "a0b0c0d0 a0b0c0d1 a1b0c0d0 a1b0c0d1 a0b1c0d0 a0b1c0d1 a1b1c0d0 a1b1c0d1 "
     "a0b0c1d0 a0b0c1d1 a1b0c1d0 a1b0c1d1 a0b1c1d0 a0b1c1d1 a1b1c1d0 a1b1c1d1"},
    {"linux[1,2],linux[2,5],foo", "linux1 linux2 linux2 linux5 foo"},
    {"n[1-2,1]", "n1 n2 n1"},
    {"a,,b", "a b"},
    {",a", "a"},
    {"a,b  c", "a b c"},
    {"a b\tc\nd", "a b c d"},
    {"n[5-]", "n5"},
    {"n[5-,7]", "n5 n7"},
    {"n[5-]m[1-2]", "n5m1 n5m2"},
    {"a[1],[2]", "a1 2"},
    {"n1]", "n1]"},
    {"n(1)", "n(1)"},
    {"n[18446744073709551615]", "n18446744073709551615"},
    {"n[00000000000000000000000000000001-2]",
     "n00000000000000000000000000000001 n00000000000000000000000000000002"},
};
// The suffixes that Slurm reads from 23.02.5 on.
constexpr Expansion suffix_expansions[] = {
    {"n[1-2]-ib", "n1-ib n2-ib"},
    {"a[0-1]x,b", "a0x a1x b"},
    {"a[0-1]b[2]c.local", "a0b2c.local a1b2c.local"},
    {"a[0-1]b[0-1]c[0-1]d", "a0b0c0d a0b0c1d a1b0c0d a1b0c1d a0b1c0d a0b1c1d a1b1c0d a1b1c1d"},
};

constexpr bool expands_to(const HostList& list, std::string_view names) {
  std::size_t index = 0;
  while (!names.empty()) {
    std::size_t end = 0;
    while (end != names.size() && names[end] != ' ') ++end;
    const std::string_view name = names.substr(0, end);
    if (index >= list.size() || list[index] != name) return false;
    const auto found = list.find(name);
    if (!found || *found > index || list[*found] != name) return false;
    ++index;
    names.remove_prefix(end == names.size() ? end : end + 1);
  }
  return index == list.size();
}
template <std::size_t Count>
constexpr bool all_expand(const Expansion (&table)[Count]) {
  for (const Expansion& row : table) {
    const auto list = HostList::parse(row.text);
    if (!list || !expands_to(*list, row.names)) return false;
  }
  return true;
}
static_assert(all_expand(expansions));
static_assert(all_expand(suffix_expansions));

TEST(HostList, expands_as_slurm_does) {
  for (const Expansion& row : expansions) {
    const auto list = HostList::parse(row.text);
    ASSERT_TRUE(list) << row.text;
    EXPECT_TRUE(expands_to(*list, row.names)) << row.text;
  }
}

TEST(HostList, takes_the_suffixes_of_newer_slurm) {
  for (const Expansion& row : suffix_expansions) {
    const auto list = HostList::parse(row.text);
    ASSERT_TRUE(list) << row.text;
    EXPECT_TRUE(expands_to(*list, row.names)) << row.text;
  }
}

}  // namespace
