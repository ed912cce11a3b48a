// SPDX-License-Identifier: MIT
#include <rankmap/domain/domain_path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::DomainPath;
using rankmap::Errc;

static_assert(std::is_trivially_copyable_v<DomainPath> && sizeof(DomainPath) <= 232);

/// Two paths of single-letter labels, and the levels at which they share a domain.
struct Row {
  std::string_view a;
  std::string_view b;
  int shared;  // levels 0 to shared - 1, and no other
};
constexpr Row rows[] = {
    {"", "", 0},       {"", "a", 0},      {"a", "a", 1},     {"a", "b", 0},
    {"ab", "a", 1},    {"ab", "ab", 2},   {"ab", "ac", 1},   {"ab", "cb", 0},
    {"abc", "adc", 1}, {"abc", "abd", 2}, {"abc", "abc", 3}, {"abcdefgh", "abcdefgh", 8},
};
constexpr DomainPath path_of(std::string_view letters) {
  DomainPath path;
  for (std::size_t i = 0; i != letters.size(); ++i) path = *path.with(letters.substr(i, 1));
  return path;
}
constexpr bool holds(const Row& row) {
  const DomainPath a = path_of(row.a);
  const DomainPath b = path_of(row.b);
  for (int level = -1; level != 10; ++level) {
    const bool expected = level >= 0 && level < row.shared;
    if (same_domain(a, b, level) != expected || same_domain(b, a, level) != expected) return false;
  }
  return same_labels(a, b) == (row.a == row.b) && same_labels(b, a) == (row.a == row.b);
}
static_assert(std::ranges::all_of(rows, holds));

TEST(DomainPath, shares_a_domain_down_to_the_first_difference) {
  for (const Row& row : rows) EXPECT_TRUE(holds(row)) << row.a << ' ' << row.b;
}

TEST(DomainPath, that_is_unknown_is_in_no_domain_with_itself) {
  const DomainPath unknown;
  EXPECT_FALSE(unknown.is_known());
  EXPECT_FALSE(same_domain(unknown, unknown, 0));
  EXPECT_TRUE(same_labels(unknown, unknown));
  EXPECT_EQ(to_string(unknown), "?");
  const DomainPath block = DomainPath::from_labels({"b1"}).value();
  EXPECT_TRUE(block.is_known(0));
  EXPECT_FALSE(block.is_known(1));
  EXPECT_FALSE(block.is_known(-1));
  EXPECT_FALSE(same_domain(block, block, 1));
}

TEST(DomainPath, keeps_labels_apart) {
  const DomainPath a = DomainPath::from_labels({"ab", "c"}).value();
  const DomainPath b = DomainPath::from_labels({"a", "bc"}).value();
  EXPECT_FALSE(same_domain(a, b, 0));
  EXPECT_FALSE(same_domain(a, b, 1));
  EXPECT_FALSE(same_labels(a, b));
  EXPECT_EQ(a.label(0), "ab");
  EXPECT_EQ(a.label(1), "c");
  EXPECT_EQ(a.label(2), "");
  EXPECT_EQ(a.label(-1), "");
  EXPECT_EQ(to_string(a), "ab/c");
}

TEST(DomainPath, has_room_for_8_labels_of_216_bytes) {
  const std::string longest(216, 'x');
  const DomainPath one = DomainPath::from_labels({longest}).value();
  EXPECT_EQ(one.label(0), longest);
  EXPECT_EQ(one.with("y").error().code, Errc::limit_exceeded);
  EXPECT_EQ(DomainPath().with(longest + 'x').error().code, Errc::limit_exceeded);
  const std::string label(27, 'x');
  const DomainPath full =
      DomainPath::from_labels({label, label, label, label, label, label, label, label}).value();
  EXPECT_EQ(full.depth(), 8);
  EXPECT_EQ(full.label(7), label);
  EXPECT_EQ(to_string(full).size(), 223U);
  EXPECT_FALSE(to_string(full).cut());
  EXPECT_EQ(path_of("abcdefgh").with("i").error().code, Errc::limit_exceeded);
}

TEST(DomainPath, takes_any_bytes_but_control_bytes) {
  for (int byte = 0; byte != 256; ++byte) {
    const char c = static_cast<char>(byte);
    const auto path = DomainPath().with(std::string_view(&c, 1));
    EXPECT_EQ(path.has_value(), byte >= 0x20 && byte != 0x7f) << byte;
    if (path) {
      EXPECT_EQ(path->label(0), std::string_view(&c, 1));
    } else {
      EXPECT_EQ(path.error().code, Errc::bad_domain);
    }
  }
  EXPECT_EQ(message(DomainPath::from_labels({"b1", ""}, "RACK").error()),
            "RACK=\"\": expected a name of a domain without control bytes; correct it, or leave it "
            "out where it is not known");
}

}  // namespace
