// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::Error;
using rankmap::message;
using rankmap::Result;
using rankmap::detail::NumberState;
using rankmap::detail::parse_number;

template <class Stream>
concept CanPrint = requires(Stream& stream, const Error& error) {
  stream << error;
};

struct NumberCase {
  std::string_view text;
  NumberState state;
  std::uint64_t value;
};
constexpr NumberCase number_cases[] = {
    {"0", NumberState::ok, 0},
    {"7", NumberState::ok, 7},
    {"007", NumberState::ok, 7},
    {"4294967290", NumberState::ok, 4294967290ULL},
    {"18446744073709551615", NumberState::ok, UINT64_MAX},
    {"18446744073709551616", NumberState::too_large, 0},
    {"18446744073709551620", NumberState::too_large, 0},
    {"99999999999999999999", NumberState::too_large, 0},
    {"184467440737095516150", NumberState::too_large, 0},
    {"", NumberState::empty, 0},
    {"-1", NumberState::negative, 0},
    {"-0", NumberState::negative, 0},
    {"-99999999999999999999999", NumberState::negative, 0},
    {"-", NumberState::malformed, 0},
    {"--1", NumberState::malformed, 0},
    {"-1x", NumberState::malformed, 0},
    {"+1", NumberState::malformed, 0},
    {" 1", NumberState::malformed, 0},
    {"1 ", NumberState::malformed, 0},
    {"0x1", NumberState::malformed, 0},
    {"1e3", NumberState::malformed, 0},
    {"1,000", NumberState::malformed, 0},
    {"1.0", NumberState::malformed, 0},
    {"abc", NumberState::malformed, 0},
    {"99999999999999999999x", NumberState::malformed, 0},
    {"\xd9\xa1", NumberState::malformed, 0},  // a digit in Arabic, in UTF-8
    {std::string_view("1\0", 2), NumberState::malformed, 0},
};
constexpr bool all_numbers_hold() {
  for (const NumberCase& c : number_cases) {
    const auto number = parse_number(c.text);
    if (number.state != c.state || number.value != c.value) return false;
  }
  return true;
}
static_assert(all_numbers_hold());

TEST(Number, is_decimal_digits_and_nothing_else) {
  for (const NumberCase& c : number_cases) {
    const auto number = parse_number(c.text);
    EXPECT_EQ(number.state, c.state) << '"' << c.text << '"';
    EXPECT_EQ(number.value, c.value) << '"' << c.text << '"';
  }
}

constexpr Error two =
    rankmap::detail::error_at(Errc::not_a_number, "SLURM_LOCALID", "two",
                              "a decimal number in [0, 4)", "unset it or pass Config::local_rank");

TEST(Error, is_one_line_with_variable_value_expectation_and_remedy) {
  EXPECT_EQ(message(two).view(),
            "SLURM_LOCALID=\"two\": expected a decimal number in [0, 4); "
            "unset it or pass Config::local_rank");
  EXPECT_EQ(to_string(two), message(two));
}

TEST(Error, printed_alone_says_who_speaks) {
  EXPECT_EQ(report(two).view(), "rankmap: " + std::string(message(two).view()));
  const std::string longest(1000, '\x01');
  const Error all =
      rankmap::detail::error_at(Errc::not_a_number, longest, longest, longest, longest, INT64_MAX);
  EXPECT_FALSE(report(all).cut());
}

TEST(Error, prints_its_message_to_streams_and_in_assertions) {
  const Error error = rankmap::detail::error_at(Errc::out_of_range, "RANK", "5", "less than 4", "");
  std::ostringstream out;
  out << error << ';';
  EXPECT_EQ(out.str(), "RANK=\"5\": expected less than 4;");
  EXPECT_EQ(testing::PrintToString(error), "RANK=\"5\": expected less than 4");
  EXPECT_EQ((testing::Message() << error).GetString(), "RANK=\"5\": expected less than 4");
  static_assert(!CanPrint<int> && !CanPrint<std::string>);
}

TEST(Error, goes_into_exceptions_and_strings_without_a_cast) {
  const std::string text = message(two);
  EXPECT_EQ(text, message(two));
  EXPECT_EQ(std::runtime_error(message(two)).what(), text);
}

TEST(Error, says_that_a_variable_is_not_set) {
  constexpr Error unset = rankmap::detail::error_missing(
      Errc::missing, "WORLD_SIZE", "the number of workers beside RANK", "set WORLD_SIZE");
  EXPECT_EQ(message(unset).view(),
            "WORLD_SIZE is not set: expected the number of workers beside RANK; set WORLD_SIZE");
}

TEST(Error, has_a_position_in_the_text) {
  constexpr Error at = rankmap::detail::error_at(Errc::bad_host_list, "SLURM_NODELIST", "n[1-3",
                                                 "']' after the ranges", "", 5);
  EXPECT_EQ(message(at).view(),
            "SLURM_NODELIST=\"n[1-3\" at byte 5: expected ']' after the ranges");
  constexpr Error first =
      rankmap::detail::error_at(Errc::bad_host_list, "SLURM_NODELIST", ",n1", "a host", "", 0);
  EXPECT_EQ(message(first).view(), "SLURM_NODELIST=\",n1\" at byte 0: expected a host");
}

TEST(Error, escapes_hostile_bytes) {
  const Error hostile = rankmap::detail::error_at(
      Errc::not_a_number, "RANK", std::string_view("\x1b[2J\n\"\\\0\xff", 9), "a number", "fix it");
  EXPECT_EQ(message(hostile).view(),
            "RANK=\"\\x1b[2J\\x0a\\\"\\\\\\x00\\xff\": expected a number; fix it");
  EXPECT_EQ(message(rankmap::detail::error_at(Errc::not_a_number, "RANK", " ~\x7f\x1f", "a number",
                                              "fix it")),
            "RANK=\" ~\\x7f\\x1f\": expected a number; fix it");
}

TEST(Error, cuts_long_text_and_gives_its_length) {
  std::string escapes;
  for (int i = 0; i != 28; ++i) escapes += "\\x01";
  EXPECT_EQ(message(rankmap::detail::error_at(Errc::not_a_number, "X", std::string(32, '\1'),
                                              "less", "cut it")),
            "X=\"" + escapes + "... (32 bytes)\": expected less; cut it");
  // the subject may be a text of the caller's, too, or one that is escaped already
  EXPECT_EQ(message(rankmap::detail::error_at(Errc::bad_file, "a\n\"b", "1", "2", "3")).view(),
            "a\\x0a\"b=\"1\": expected 2; 3");
  EXPECT_EQ(rankmap::detail::error_missing(Errc::bad_file, "axis \\x0a", "2", "3").subject.view(),
            "axis \\x0a");
  EXPECT_EQ(rankmap::detail::error_missing(Errc::bad_file, std::string(59, 'a') + "\n", "2", "3")
                .subject.view(),
            std::string(59, 'a') + "\\x0a");
  EXPECT_EQ(rankmap::detail::error_missing(Errc::bad_file, std::string(60, 'a') + "\nb", "2", "3")
                .subject.view(),
            std::string(60, 'a'));
  EXPECT_EQ(message(rankmap::detail::error_missing(Errc::bad_file, "\x1b[0m", "2", "3")).view(),
            "\\x1b[0m is not set: expected 2; 3");
  const std::string long_text(10'000'000, '[');
  const Error error =
      rankmap::detail::error_at(Errc::bad_host_list, "X", long_text, "less", "cut it");
  EXPECT_EQ(message(error).view(),
            "X=\"" + std::string(64, '[') + "... (10000000 bytes)\": expected less; cut it");
}

TEST(Error, is_trivially_copyable_and_compares) {
  static_assert(std::is_trivially_copyable_v<Error>);
  Error other = two;
  EXPECT_EQ(other, two);
  other.position = 3;
  EXPECT_NE(other, two);
}

/// What stands between `before` and `after` on each line below the one where `heading` ends, up to
/// the first that begins otherwise.
std::vector<std::string> first_words(const std::string& file, std::string_view heading,
                                     std::string_view before, std::string_view after) {
  const std::string text = rankmap_test::text_of(RANKMAP_TEST_DIR "/../" + file);
  std::vector<std::string> words;
  std::size_t begin = text.find(heading);
  if (begin == std::string::npos) return words;
  begin += heading.size();
  while (true) {
    begin = text.find('\n', begin) + 1;
    if (text.compare(begin, before.size(), before) != 0) break;
    begin += before.size();
    words.push_back(text.substr(begin, text.find(after, begin) - begin));
  }
  return words;
}

TEST(Errc, is_documented_with_cause_and_remedy) {
  const auto codes =
      first_words("include/rankmap/result.hpp", "enum class Errc : std::uint8_t {", "  ", ",");
  ASSERT_EQ(codes.size(), static_cast<std::size_t>(Errc::bad_launcher) + 1);
  for (std::size_t i = 0; i != codes.size(); ++i) EXPECT_EQ(name(static_cast<Errc>(i)), codes[i]);
  EXPECT_EQ(first_words("docs/reference/result.md", "| code | cause | remedy |\n|", "| `", "`"),
            codes);
}

constexpr Result<int> half(int n) {
  if (n % 2 != 0) return two;
  return n / 2;
}
// What a temporary has is a value, which may be kept.
static_assert(std::is_same_v<decltype(half(4).value()), int>);
static_assert(std::is_same_v<decltype(*half(4)), int>);
static_assert(std::is_same_v<decltype(half(3).error()), rankmap::Error>);
static_assert(half(4).has_value() && *half(4) == 2 && half(4).value() == 2);
static_assert(!half(3) && half(3).error().code == Errc::not_a_number && half(3).value_or(9) == 9);
constexpr Result<int> assigned_an_error() {
  Result<int> result = 2;
  result = two;
  return result;
}
static_assert(!assigned_an_error().has_value());

TEST(Result, holds_a_value_or_an_error) {
  Result<std::string> good(std::string("text"));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->size(), 4U);
  EXPECT_EQ(*good, "text");
  good.value() += "!";
  EXPECT_EQ(std::move(good).value(), "text!");
  const Result<std::string> bad(two);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error(), two);
  EXPECT_EQ(bad.value_or("other"), "other");
}

TEST(Result, is_assigned_from_another_and_from_an_error) {
  const Result<std::string> text(std::string(40, 'x'));
  Result<std::string> result(two);
  result = text;
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, *text);
  const Result<std::string>& same = result;
  result = same;
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, *text);
  result = Result<std::string>(std::string("short"));
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "short");
  result = two;
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), two);
  result = result.error();
  EXPECT_EQ(result.error(), two);
  result = text;
  EXPECT_EQ(*result, *text);
}

#if defined(__cpp_exceptions)
TEST(Result, ends_the_program_where_a_value_is_read_that_is_not_there) {
  const Result<std::string> bad(two);
  Result<std::string> other(two);
  EXPECT_DEATH((void)bad->size(), "rankmap: SLURM_LOCALID=\"two\": expected a decimal number");
  EXPECT_DEATH((void)other->size(), "rankmap: SLURM_LOCALID=\"two\"");
  EXPECT_DEATH((void)*bad, "rankmap: SLURM_LOCALID=\"two\"");
  EXPECT_DEATH((void)*other, "rankmap: SLURM_LOCALID=\"two\"");
  EXPECT_DEATH((void)*Result<std::string>(two), "rankmap: SLURM_LOCALID=\"two\"");
}

TEST(Result, is_equal_if_the_value_or_the_error_is) {
  static_assert(half(4) == half(4) && half(4) != half(6) && half(3) == half(3));
  static_assert(half(4) != half(3) && half(4) == 2 && 2 == half(4) && half(3) == half(3).error());
  struct Bare {};
  static_assert(!std::equality_comparable<Result<Bare>>);
  EXPECT_EQ(half(4), half(4));
}

TEST(Result, goes_on_with_its_value) {
  constexpr auto twice = [](int value) { return 2 * value; };
  static_assert(half(12).transform(twice) == 12 && half(3).transform(twice) == half(3));
  static_assert(half(12).and_then(half) == 3 && half(3).and_then(half) == half(3));
  static_assert(half(6).and_then(half) == half(3));
  const Result<std::string> text(std::string("text"));
  EXPECT_EQ(text.transform([](const std::string& t) { return t.size(); }), 4U);
  EXPECT_EQ(text.and_then([](const std::string& t) { return half(static_cast<int>(t.size())); }),
            2);
  Result<std::unique_ptr<int>> owner(std::make_unique<int>(7));  // a value that can only be moved
  EXPECT_EQ(std::move(owner).transform([](std::unique_ptr<int> p) { return *p; }), 7);
}

TEST(Result, prints_its_value_or_its_message) {
  struct Bare {};
  EXPECT_EQ(testing::PrintToString(half(4)), "2");
  EXPECT_EQ(testing::PrintToString(Result<int>(two)), std::string(message(two)));
  EXPECT_EQ(testing::PrintToString(Result<Bare>(Bare())), "a value");
}

TEST(Result, throws_the_message_if_there_is_no_value) {
  try {
    (void)half(3).value();
    FAIL() << "no exception";
  } catch (const rankmap::Exception& e) {
    EXPECT_EQ(e.what(), std::string(message(two).view()));
    EXPECT_EQ(e.error(), two);
  }
}
#endif

}  // namespace
