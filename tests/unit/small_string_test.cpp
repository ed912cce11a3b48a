// SPDX-License-Identifier: MIT
#include <rankmap/small_string.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using rankmap::SmallString;

static_assert(std::is_convertible_v<SmallString, std::string_view>);
static_assert(
    !std::is_convertible_v<std::string_view, SmallString>);  // it may allocate: written out
static_assert(std::is_nothrow_move_constructible_v<SmallString>);

constexpr SmallString host("node17");
static_assert(host == "node17" && host.size() == 6 && !host.empty() && host.heap_bytes() == 0);
static_assert(SmallString().empty() && SmallString() == "" && SmallString() == SmallString(""));

// every size around the one from which on the text is on the heap
TEST(SmallString, keeps_texts_of_any_length) {
  for (std::size_t size = 0; size != 3 * SmallString::inline_bytes; ++size) {
    std::string expected;
    SmallString text;
    for (std::size_t i = 0; i != size; ++i) {
      expected += static_cast<char>(i);
      text.append(static_cast<char>(i));
    }
    EXPECT_EQ(text, std::string_view(expected));
    EXPECT_EQ(text, SmallString(expected));
    EXPECT_EQ(SmallString().append(expected), text);
    EXPECT_EQ(text.heap_bytes() == 0, size <= SmallString::inline_bytes) << size;
    EXPECT_FALSE(text == SmallString(expected + 'x'));
  }
}

TEST(SmallString, copies_are_texts_of_their_own_and_a_moved_text_is_empty) {
  for (const std::size_t size : {5U, 500U}) {
    const std::string expected(size, 'a');
    SmallString first(expected);
    SmallString copy = first;
    copy.append('b');
    EXPECT_EQ(first, std::string_view(expected));
    const SmallString moved = std::move(first);
    EXPECT_EQ(moved, std::string_view(expected));
    EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the question
  }
}

TEST(SmallString, appends_numbers_with_zeros_before_them) {
  const auto number = [](std::uint64_t value, std::size_t width) {
    return SmallString("n").append_number(value, width);
  };
  EXPECT_EQ(SmallString("n").append_number(7), "n7");
  EXPECT_EQ(number(7, 1), "n7");
  EXPECT_EQ(number(7, 4), "n0007");
  EXPECT_EQ(number(12345, 4), "n12345");
  EXPECT_EQ(number(0, 0), "n0");
  EXPECT_EQ(number(UINT64_MAX, 21), "n018446744073709551615");
}

TEST(SmallString, gives_memory_back_when_it_is_asked_to) {
  SmallString text(std::string(1000, 'a'));
  text.append('b');
  EXPECT_GT(text.heap_bytes(), 1001U);
  text.shrink_to_fit();
  EXPECT_EQ(text.heap_bytes(), 1001U);
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.heap_bytes(), 1001U);
}

TEST(SmallString, goes_to_a_string_without_a_cast) {
  const std::string text = host;
  EXPECT_EQ(text, "node17");
}

TEST(SmallString, prints_to_a_stream) {
  std::ostringstream out;
  out << host;
  EXPECT_EQ(out.str(), "node17");
}

}  // namespace
