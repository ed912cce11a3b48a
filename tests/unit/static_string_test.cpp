// SPDX-License-Identifier: MIT
#include <rankmap/static_string.hpp>

#include <gtest/gtest.h>

#include <rankmap/detail/message_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::StaticString;

using Eight = StaticString<8>;
static_assert(std::is_trivially_copyable_v<Eight>);
static_assert(std::is_convertible_v<Eight, std::string_view>);
static_assert(std::is_convertible_v<Eight, std::string> &&
              std::is_constructible_v<std::string, Eight>);
static_assert(!std::is_convertible_v<Eight, const char*> &&
              !std::is_convertible_v<Eight, std::stringstream>);
static_assert(std::is_convertible_v<std::string, Eight> &&
              std::is_convertible_v<StaticString<99>, Eight>);
static_assert(!std::is_convertible_v<int, Eight> &&
              !std::is_convertible_v<std::stringstream, Eight>);
static_assert(std::is_same_v<decltype(Eight().view()), std::string_view>);  // as std::format wants

constexpr Eight rank("rank");
static_assert(rank == "rank" && rank.size() == 4 && !rank.empty() && !rank.cut());
static_assert(Eight().empty() && Eight() == "");

TEST(StaticString, cuts_what_does_not_fit_and_says_so) {
  const Eight full("12345678");
  EXPECT_EQ(full, "12345678");
  EXPECT_FALSE(full.cut());
  const Eight cut("123456789");
  EXPECT_EQ(cut, "12345678");
  EXPECT_TRUE(cut.cut());
  EXPECT_EQ(std::strlen(cut.c_str()), 8U);
  EXPECT_TRUE(Eight("1234567").append('8').append('9').cut());
  EXPECT_EQ(Eight("1234567").append_number(89), "12345678");
}

TEST(StaticString, appends_numbers_in_decimal) {
  const auto number = [](auto value) { return StaticString<20>().append_number(value); };
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-7), "-7");
  EXPECT_EQ(number(std::size_t{10}), "10");
  EXPECT_EQ(number(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(number(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(number(static_cast<signed char>(-128)), "-128");
}

TEST(StaticString, compares_with_any_text_byte_by_byte) {
  static_assert(rank == std::string_view("rank") && std::string_view("rank") == rank);
  static_assert(rank == StaticString<4>("rank") && rank != StaticString<3>("rank"));
  static_assert(rank == Eight("rank") && rank != "Rank" && "rank" == rank);
  static_assert(rank < "ranks" && rank > std::string_view("r") && rank <= Eight("rank"));
  static_assert(rank < StaticString<2>("s") && "a" < rank);
  EXPECT_EQ(rank, std::string("rank"));
  EXPECT_NE(std::string("rank0"), rank);
  EXPECT_EQ(Eight(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
  EXPECT_LT(Eight("a"), Eight(std::string_view("a\0", 2)));
  EXPECT_LT(Eight("a"), Eight("\xff"));  // bytes are unsigned
  std::map<Eight, int> places;
  places["b"] = 1;
  places["a"] = 2;
  EXPECT_EQ(places.begin()->first, "a");
}

TEST(StaticString, goes_to_and_from_strings_without_a_cast) {
  std::string text = rank;
  EXPECT_EQ(text, "rank");
  text = Eight("local");
  text += rank;
  EXPECT_EQ(text, "localrank");
  std::vector<std::string> texts = {rank};
  texts.push_back(rank);
  texts.emplace_back(rank);
  EXPECT_EQ(texts, std::vector<std::string>(3, "rank"));
  EXPECT_STREQ(std::runtime_error(rank).what(), "rank");
  const Eight cut = text;
  EXPECT_EQ(cut, "localran");
  EXPECT_TRUE(cut.cut());
  Eight other = StaticString<99>("node");
  EXPECT_EQ(other, "node");
  other = std::string("host");
  EXPECT_EQ(other, "host");
  const auto taken = [](std::string_view) { return true; };  // a view still, where that will do
  EXPECT_TRUE(taken(rank));
}

TEST(StaticString, prints_to_streams_and_converts_to_strings) {
  std::ostringstream out;
  out.width(6);
  out << rank << ',' << Eight();
  EXPECT_EQ(out.str(), "  rank,");
  EXPECT_EQ(std::string(rank) + "s", "ranks");
  const std::string_view view = rank;
  EXPECT_EQ(view.data(), rank.c_str());
}

template <class Stream>
concept CanPrint = requires(Stream& stream) {
  stream << rank;
};

TEST(StaticString, prints_to_nothing_but_streams) {
  static_assert(CanPrint<std::ostream> && CanPrint<std::ostringstream>);
  static_assert(!CanPrint<int> && !CanPrint<std::string>);
}

// ---- pieces of messages ----

TEST(MessageText, is_put_together_from_texts_and_numbers) {
  using rankmap::detail::concat;
  static_assert(concat<31>("a number in [0, ", 4, ")") == "a number in [0, 4)");
  EXPECT_EQ(concat<5>(rank, 4, std::string("5")), "rank4");
  EXPECT_TRUE(concat<5>(rank, 4, std::string("5")).cut());
}

TEST(MessageText, is_never_cut_inside_an_escape) {
  for (std::size_t before = 0; before != 40; ++before) {
    StaticString<48> out(std::string(before, '.'));
    rankmap::detail::append_escaped(out, std::string(40, '\n'));
    std::string_view rest = out.view().substr(before);
    while (rest.substr(0, 4) == "\\x0a") rest.remove_prefix(4);
    constexpr std::string_view note = "... (40 bytes)";
    EXPECT_EQ(rest, note.substr(0, 48 - before)) << out;
  }
}

}  // namespace
