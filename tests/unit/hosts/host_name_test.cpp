// SPDX-License-Identifier: MIT
#include <rankmap/hosts/host_name.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using rankmap::HostName;
using rankmap::is_host_name;
using rankmap::is_own_address;

struct NameRow {
  std::string_view text;
  bool good;
};
constexpr NameRow name_rows[] = {
    {"n1", true},
    {"10.0.0.1", true},
    {"fe80::1%eth0", true},
    {"ip-10-0-0-1.ec2.internal", true},
    {"m\xc3\xbcnchen", true},  // a resolver may take it
    {"!~", true},
    {"", false},
    {" ", false},
    {"n1 ", false},
    {"n\t1", false},
    {"n1\r", false},
    {"n1\n", false},
    {"n\x1f", false},
    {"n\x7f", false},
    {std::string_view("n\0", 2), false},
};
static_assert(std::ranges::all_of(name_rows, [](const NameRow& row) {
  return is_host_name(row.text) == row.good;
}));

TEST(HostName, has_no_blank_and_no_control_byte) {
  for (const NameRow& row : name_rows) EXPECT_EQ(is_host_name(row.text), row.good) << row.text;
}

TEST(HostName, has_1_to_255_bytes) {
  const std::string longest(255, 'x');
  EXPECT_TRUE(is_host_name(longest));
  EXPECT_EQ(HostName(longest), longest);
  EXPECT_FALSE(is_host_name(longest + 'x'));
  EXPECT_TRUE(HostName(longest + 'x').cut());
}

TEST(HostName, is_own_where_each_machine_means_itself) {
  for (const std::string_view own :
       {"localhost", "LocalHost", "localhost.localdomain", "ip6-localhost", "127.0.1.1", "::1",
        "::", "0.0.0.0", "::ffff:127.0.0.1",
        // of Red Hat's /etc/hosts
        "localhost4", "localhost4.localdomain4", "localhost6", "LOCALHOST6.localdomain6",
        // other ways to write ::1 and ::
        "0:0:0:0:0:0:0:1", "0000::0001", "::0:1", "0::", "0:0:0:0:0:0:0:0"}) {
    EXPECT_TRUE(is_own_address(own)) << own;
  }
  for (const std::string_view other :
       {"", "n1", "localhost2", "1270.0.0.1", "10.0.0.1", "::2", "0.0.0.01", "localhost46",
        "localhost5", "localhost4x", "1", "0", ":1", "0:1", "::10", "::11", "1::", "::1:0", "::1:1",
        "0:0:1", "::a1",
        // no addresses at all
        ":::1", ":::", "::0::1", "0:::1", "0:0:0:0:0:0:0:0:1", ":0:0:0:0:0:0:1", "00000::1",
        "0:0:0:0:0:0:0:", "::0:0:0:0:0:0:0:1", "::0:", "::::::::"}) {
    EXPECT_FALSE(is_own_address(other)) << other;
  }
}

}  // namespace
