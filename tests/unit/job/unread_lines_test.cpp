// SPDX-License-Identifier: MIT
#include <rankmap/job/unread_lines.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::UnreadLines;

constexpr UnreadLines of_two() {
  UnreadLines lines;
  lines.add_piece("{\"rankmap_job\":\x1b[31m");
  lines.add_schema(7);
  lines.add_piece("tail");
  lines.add_schema(3);
  return lines;
}
constexpr UnreadLines two = of_two();
static_assert(two.pieces == 2 && two.other_schemas == 2 && two.highest_schema == 7);
static_assert(two.samples().size() == 2 && two.samples()[1] == "tail");
static_assert(UnreadLines().samples().empty());

TEST(UnreadLines, shows_pieces_in_printable_ascii) {
  EXPECT_EQ(two.samples()[0], R"({\"rankmap_job\":\x1b[31m)");
}

TEST(UnreadLines, keeps_the_first_three_and_counts_the_others) {
  UnreadLines lines;
  for (const char* const text : {"a", "b", "c", "d", "e"}) lines.add_piece(text);
  EXPECT_EQ(lines.pieces, 5);
  ASSERT_EQ(lines.samples().size(), 3U);
  EXPECT_EQ(lines.samples()[2], "c");
}

TEST(UnreadLines, cuts_long_pieces) {
  UnreadLines lines;
  lines.add_piece(std::string(600, 'x'));
  EXPECT_EQ(lines.samples()[0].view(), std::string(40, 'x') + "... (600 bytes)");
}

}  // namespace
