// SPDX-License-Identifier: MIT
//
// The line of /proc/PID/stat. Any program can have any name, so a line is a text from outside.
#include <rankmap/environment/detail/process_stat.hpp>
#include <rankmap/static_string.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::StaticString;
using rankmap::detail::parse_process_stat;
using rankmap::detail::ProcessStat;
using std::string_view_literals::operator""sv;

/// Fields 5 to 21, field 22, and the first ones behind it, as Linux 6.1 writes them.
constexpr std::string_view rest =
    " 23164 18492 34816 23164 4194304 92 0 0 0 0 0 0 0 20 0 1 0 77310 580 1 "
    "18446744073709551615 94\n";

constexpr std::optional<ProcessStat> parse_head(std::string_view head) {
  return parse_process_stat(StaticString<255>(head).append(rest));
}

struct Line {
  std::string_view head;  ///< up to the fourth field
  std::string_view name;
  int parent;
};
constexpr Line lines[] = {
    {"23164 (bash) S 18492", "bash", 18492},
    {"1 (systemd) S 0", "systemd", 0},
    {"7 (last) S 2147483647", "last", 2147483647},
    // names that look like more fields
    {"23164 (a) b (c) S 18492", "a) b (c", 18492},
    {"23164 (a) S 1 () R 18492", "a) S 1 (", 18492},
    {"23164 ()) S 18492", ")", 18492},
    {"23164 (() S 18492", "(", 18492},
    {"23164 () S 18492", "", 18492},
    {"23164 (two\nlines) S 18492", "two\nlines", 18492},
    {"23164 (\xff\x1b[2J) S 18492", "\xff\x1b[2J", 18492},
    // the kernel cuts names after 15 bytes, but not those of its own threads
    {"23164 (hydra_pmi_proxy) S 18492", "hydra_pmi_proxy", 18492},
    {"9 (kworker/0:1-events_power) I 2", "kworker/0:1-eve", 2},
};

constexpr std::string_view no_heads[] = {
    ""sv,
    "\n"sv,
    "23164"sv,
    "23164 bash S 18492",
    "23164 (bash S 18492",
    "23164 bash) S 18492",
    ")("sv,
    "23164 )bash( S 18492",
    "23164 (bash)"sv,
    "23164 (bash)S 18492",
    "23164 (bash)x S 18492",
    "23164 (bash) S -1",
    "23164 (bash) S +1",
    "23164 (bash) S 0x1",
    "23164 (bash) S  18492",
    "23164 (bash) S 2147483648",
    "23164 (bash) S 18446744073709551616",
    "23164 (bash) S 1\0008492"sv,
};

constexpr bool is_read(const Line& line) {
  const auto stat = parse_head(line.head);
  return stat && stat->name == line.name && stat->parent == line.parent &&
         stat->start_time == 77310;
}
static_assert(std::ranges::all_of(lines, is_read));

TEST(ProcessStat, has_the_name_between_the_outermost_parentheses) {
  for (const Line& line : lines) EXPECT_TRUE(is_read(line)) << line.head;
}

TEST(ProcessStat, is_nothing_for_other_texts) {
  for (const std::string_view head : no_heads) EXPECT_FALSE(parse_head(head)) << head;
}

TEST(ProcessStat, is_nothing_if_a_number_may_be_cut) {
  const std::string line = "1 (bash) S 18492" + std::string(rest);
  const std::size_t read = line.find(" 77310 ") + 7;  // up to the blank behind the last number
  for (std::size_t size = 0; size != line.size(); ++size) {
    const auto stat = parse_process_stat(line.substr(0, size));
    ASSERT_EQ(stat.has_value(), size >= read) << line.substr(0, size);
  }
}

TEST(ProcessStat, is_nothing_without_a_time_of_the_start) {
  for (const char* const start : {"-77310", "18446744073709551616", "", "77310 "}) {
    std::string line = "1 (bash) S 18492" + std::string(rest);
    line.replace(line.find("77310"), 5, start);
    const auto stat = parse_process_stat(line);
    EXPECT_EQ(stat.has_value(), std::string_view(start) == "77310 ") << line;
  }
}

}  // namespace
