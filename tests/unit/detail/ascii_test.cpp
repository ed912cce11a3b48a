// SPDX-License-Identifier: MIT
#include <rankmap/detail/ascii.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace {

using namespace rankmap::detail;

struct Pair {
  std::string_view a;
  std::string_view b;
  bool equal;
};
constexpr Pair pairs[] = {
    {"", "", true},     {"a", "A", true},   {"gpu-Az9", "GPU-aZ9", true}, {"a", "", false},
    {"ab", "a", false}, {"a", "b", false},  {"ab", "ac", false},          {"@", "`", false},
    {"[", "{", false},  {"-", "\r", false},
};
static_assert(std::ranges::all_of(pairs, [](const Pair& pair) {
  return equal_ignoring_case(pair.a, pair.b) == pair.equal;
}));

TEST(Ascii, letters_are_equal_in_either_case) {
  for (const Pair& pair : pairs) {
    EXPECT_EQ(equal_ignoring_case(pair.a, pair.b), pair.equal) << pair.a << ' ' << pair.b;
  }
}

// Of every byte, beside lists of those that are meant.
TEST(Ascii, bytes_are_of_their_kinds) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  constexpr std::string_view blanks = " \t\n\v\f\r";
  for (int i = 0; i != 256; ++i) {
    const char c = static_cast<char>(i);
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_upper = c >= 'A' && c <= 'Z';
    EXPECT_EQ(is_digit(c), digits.find(c) != digits.npos) << i;
    EXPECT_EQ(is_letter(c), is_lower || is_upper) << i;
    EXPECT_EQ(to_lower(c), is_upper ? static_cast<char>(i + 32) : c) << i;
    EXPECT_EQ(is_blank(c), blanks.find(c) != blanks.npos) << i;
    EXPECT_EQ(is_control(c), i < 32 || i == 127) << i;
    const std::size_t value = hexadecimal.find(to_lower(c));
    EXPECT_EQ(hex_value(c), value == hexadecimal.npos ? 16U : value) << i;
  }
}

TEST(Ascii, blanks_are_trimmed_at_both_ends) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" "), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
