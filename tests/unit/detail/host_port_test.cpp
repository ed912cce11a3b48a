// SPDX-License-Identifier: MIT
#include <rankmap/detail/host_port.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace {

using rankmap::detail::HostPort;
using rankmap::detail::is_ipv6;
using rankmap::detail::is_lone_host;
using rankmap::detail::split_host_port;
using rankmap::detail::with_brackets;
using rankmap::detail::without_brackets;

// "-": no number at all. `bare` is the host without its brackets, "-" where they are refused.
struct Row {
  std::string_view text, host, number, bare;
};
constexpr Row rows[] = {
    {"", "", "-", ""},
    {"a", "a", "-", "a"},
    {"a:1", "a", "1", "a"},
    {"a:", "a", "", "a"},
    {":1", "", "1", ""},
    {"a]b:1", "a]b", "1", "a]b"},
    {"::1", ":", "1", ":"},
    {"[::1]", "[::1]", "-", "::1"},
    {"[::1]:2", "[::1]", "2", "::1"},
    {"[]:2", "[]", "2", ""},
    {"[", "[", "-", "-"},
    {"]", "]", "-", "-"},
    {"[::1", "[:", "1", "-"},
    {"::1]", "::1]", "-", "-"},
    {"[::1]x:2", "[::1]x", "2", "-"},
    {"[a]b]", "[a]b]", "-", "-"},
    {"[[a]]", "[[a]]", "-", "-"},
};

constexpr bool is_split(const Row& row) {
  const HostPort parts = split_host_port(row.text);
  return parts.host == row.host && parts.number.value_or("-") == row.number &&
         without_brackets(parts.host).value_or("-") == row.bare;
}
static_assert(std::ranges::all_of(rows, is_split));

TEST(HostPort, is_split_at_the_colon_outside_the_brackets) {
  for (const Row& row : rows) {
    const HostPort parts = split_host_port(row.text);
    EXPECT_EQ(parts.host, row.host) << row.text;
    EXPECT_EQ(parts.number.value_or("-"), row.number) << row.text;
    EXPECT_EQ(without_brackets(parts.host).value_or("-"), row.bare) << row.text;
  }
}

constexpr std::string_view ipv6[] = {"::",
                                     "::1",
                                     "1::",
                                     "fe80::1%eth0",
                                     "1:2:3::",
                                     "2001:db8::2",
                                     "::ffff:10.0.1.2",
                                     "1:2:3:4:5:6:7:8",
                                     "a::B:c",
                                     "1:2:3:4:5:6:7::",
                                     "2001:db8:0:0:0:0:0:2950",
                                     "1:2:3:4:5:6:10.0.0.1"};
constexpr std::string_view no_ipv6[] = {"",
                                        ":",
                                        ":1",
                                        "1:",
                                        "1:::2",
                                        "a:b:c",
                                        "fe80::1::2",
                                        "1:2:3:4:5:6:7:8:9",
                                        "10.0.0.1:29500:1",
                                        "n1:29500:2",
                                        "1:2:3:4:5:6:7:29500",
                                        "1:2:3:4:5:6:7:8::",
                                        "10.0.0.1::1"};

static_assert(std::ranges::all_of(ipv6, is_ipv6) && std::ranges::all_of(ipv6, is_lone_host));
static_assert(std::ranges::none_of(no_ipv6, is_ipv6));
static_assert(is_lone_host("n1") && !is_lone_host("n1,n2") && !is_lone_host("me@n1"));

TEST(HostPort, tells_an_ipv6_address_from_other_colons) {
  for (const std::string_view text : ipv6) EXPECT_TRUE(is_ipv6(text)) << text;
  for (const std::string_view text : no_ipv6) EXPECT_FALSE(is_ipv6(text)) << text;
}

TEST(HostPort, gets_brackets_where_the_host_has_colons) {
  EXPECT_EQ(with_brackets("node1").view(), "node1");
  EXPECT_EQ(with_brackets("fe80::1").view(), "[fe80::1]");
  const rankmap::StaticString<255> longest(
      std::string_view("::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::"
                       "::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::"
                       "::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::"
                       ":::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::::"));
  EXPECT_EQ(with_brackets(longest).size(), 257U);
}

}  // namespace
