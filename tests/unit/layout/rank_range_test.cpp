// SPDX-License-Identifier: MIT
#include <rankmap/layout/rank_range.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/mesh.hpp>

namespace {

using rankmap::Layout;
using rankmap::Mesh;
using rankmap::RankRange;

struct Squares {
  int count = 0;
  constexpr int size() const { return count; }
  constexpr int operator[](int i) const { return i * i; }
};
using Range = RankRange<Squares>;

static_assert(std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>);
static_assert(std::is_same_v<Range::value_type, int> && std::is_trivially_copyable_v<Range>);
static_assert(std::is_same_v<std::iter_value_t<Mesh::Groups::iterator>, Mesh::Group>);

constexpr bool is_what_the_source_computes(int count) {
  const Range range(Squares{count});
  int next = 0;
  for (const int value : range) {
    if (value != next * next || range[static_cast<std::size_t>(next)] != value) return false;
    ++next;
  }
  if (next != count || range.empty() != (count == 0)) return false;
  if (range.size() != static_cast<std::size_t>(count)) return false;
  return count == 0 || (range.front() == 0 && range.back() == (count - 1) * (count - 1));
}
constexpr bool all_are() {
  for (int count = 0; count != 9; ++count) {
    if (!is_what_the_source_computes(count)) return false;
  }
  return true;
}
static_assert(all_are());

TEST(RankRange, is_what_its_source_computes) { EXPECT_TRUE(all_are()); }

TEST(RankRange, has_iterators_that_outlive_it) {
  auto it = Range(Squares{5}).begin();
  EXPECT_EQ(it[3], 9);
  EXPECT_EQ(*(it += 4), 16);
  EXPECT_EQ(Range(Squares{5}).end() - it, 1);
}

// what a message of the compiler shows
template <class T>
std::string_view name_of() {
#ifdef __GNUC__
  return __PRETTY_FUNCTION__;
#else
  return "";
#endif
}

TEST(RankRange, is_what_layouts_and_meshes_return_under_public_names) {
  for (const std::string_view name : {name_of<Layout::RanksOnNode>(), name_of<Layout::Rail>(),
                                      name_of<Mesh::Group>(), name_of<Mesh::Groups>()}) {
    EXPECT_EQ(name.find("detail"), std::string_view::npos) << name;
  }
}

}  // namespace
