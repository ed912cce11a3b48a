// SPDX-License-Identifier: MIT
#include <rankmap/mesh/axes.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Axes;
using rankmap::AxesArgument;
using rankmap::AxisList;
using rankmap::AxisNames;
using rankmap::AxisSize;
using rankmap::AxisValues;

static_assert(AxisSize{"a"}.size == 1);
static_assert(Axes() == (Axes() | Axes()) && Axes() == (Axes() & Axes()));

template <class T>
concept NamesAxes = std::is_convertible_v<T, AxisNames> && std::is_convertible_v<T, AxesArgument>;
static_assert(NamesAxes<const char*> && NamesAxes<std::string> && NamesAxes<std::string_view> &&
              NamesAxes<std::vector<std::string_view>>);
static_assert(!NamesAxes<int> && !NamesAxes<std::vector<int>>);
static_assert(std::is_convertible_v<Axes, AxesArgument> && !std::is_convertible_v<Axes, AxisNames>);

std::vector<std::string> listed(const AxisNames& names) {
  std::vector<std::string> out;
  names.each([&out](std::string_view name) {
    out.emplace_back(name);
    return true;
  });
  return out;
}

// a coordinate or the sizes of a grid: 8 numbers are kept, and the size is that of the list
constexpr AxisValues three{4, 0, -1};
static_assert(three.size() == 3 && three[0] == 4 && three[2] == -1 && three.end()[-1] == -1);
static_assert(three == AxisValues{4, 0, -1} && three != AxisValues{4, 0} &&
              AxisValues().size() == 0);
static_assert(AxisValues(3) == AxisValues{0, 0, 0});
constexpr AxisValues nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
static_assert(nine.size() == 9 && nine.end() - nine.begin() == 8 && nine.end()[-1] == 8);

TEST(AxisNames, are_the_same_in_every_form) {
  const std::vector<std::string> expected = {"dp", "cp"};
  const std::string text = "dp-cp";
  const std::vector<std::string_view> list = {"dp", "cp"};
  EXPECT_EQ(listed("dp-cp"), expected);
  EXPECT_EQ(listed(text), expected);
  EXPECT_EQ(listed(std::string_view(text)), expected);
  EXPECT_EQ(listed(list), expected);
  EXPECT_EQ(listed({"dp", "cp"}), expected);
}

TEST(AxisNames, of_a_text_are_parted_at_each_dash) {
  EXPECT_EQ(listed(""), std::vector<std::string>());
  EXPECT_EQ(listed("tp"), std::vector<std::string>{"tp"});
  EXPECT_EQ(listed("-a--b"), (std::vector<std::string>{"", "a", "", "b"}));
  EXPECT_EQ(listed("a-"), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(listed({"a-b"}), std::vector<std::string>{"a-b"});  // a name of a list is kept whole
}

TEST(AxisNames, end_where_the_visitor_returns_false) {
  const std::vector<std::string_view> list = {"a", "b", "c"};
  for (const AxisNames& names : {AxisNames("a-b-c"), AxisNames(list)}) {
    int visited = 0;
    EXPECT_FALSE(names.each([&visited](std::string_view name) {
      ++visited;
      return name != "b";
    }));
    EXPECT_EQ(visited, 2);
  }
}

TEST(AxisList, is_made_of_braces_arrays_and_containers) {
  const AxisSize array[] = {{"dp", 2}, {"tp", 4}};
  const std::vector<AxisSize> vector(array, array + 2);
  const auto product = [](const AxisList& axes) {
    int out = 1;
    for (const AxisSize& axis : axes) out *= axis.size;
    return out;
  };
  EXPECT_EQ(product({{"dp", 2}, {"tp", 4}}), 8);
  EXPECT_EQ(product(array), 8);
  EXPECT_EQ(product(vector), 8);
  EXPECT_EQ(product({array, 1}), 2);
  EXPECT_EQ(product({}), 1);
}

}  // namespace
