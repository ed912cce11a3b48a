// SPDX-License-Identifier: MIT
#include <rankmap/detail/host_port.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace {

using rankmap::detail::HostPort;
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

constexpr bool all_are_split() {
  for (const Row& row : rows) {
    const HostPort parts = split_host_port(row.text);
    if (parts.host != row.host || parts.number.value_or("-") != row.number) return false;
    if (without_brackets(parts.host).value_or("-") != row.bare) return false;
  }
  return true;
}
static_assert(all_are_split());

TEST(HostPort, is_split_at_the_colon_outside_the_brackets) {
  for (const Row& row : rows) {
    const HostPort parts = split_host_port(row.text);
    EXPECT_EQ(parts.host, row.host) << row.text;
    EXPECT_EQ(parts.number.value_or("-"), row.number) << row.text;
    EXPECT_EQ(without_brackets(parts.host).value_or("-"), row.bare) << row.text;
  }
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
