// SPDX-License-Identifier: MIT
#include "support/groups.hpp"

#include <rankmap/mesh.hpp>
#include <rankmap/strided_axes.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Axes;
using rankmap::AxisOrder;
using rankmap::AxisSize;
using rankmap::Errc;
using rankmap::Mesh;
using rankmap::strided_axes;
using rankmap::StridedAxes;
using rankmap::StridedAxis;
using rankmap_test::group_is;
using rankmap_test::groups_are;
using List = std::initializer_list<StridedAxis>;

static_assert(sizeof(StridedAxes) == 72);
static_assert(std::is_trivially_copyable_v<StridedAxes>);
static_assert(std::random_access_iterator<StridedAxes::Group::iterator>);

constexpr StridedAxes cute(List axes) {  // CuTe's layouts: the first axis is the fastest
  return StridedAxes::make(axes, AxisOrder::first_fastest).value();
}
constexpr StridedAxes rows(List axes) {  // DeviceMesh's: the last one is
  return StridedAxes::make(axes, AxisOrder::last_fastest).value();
}
constexpr StridedAxes join(const StridedAxes& a, const StridedAxes& b) {
  return StridedAxes::join(a, b).value();
}

// ---- the answers of CuTe and of DeviceMesh's layouts -------------------------------------------

// Each table is checked by the compiler and again by the program. Red: what a program has written
// as size:stride for CuTe or PyTorch means other ranks here.
template <class Row, std::size_t Count>
constexpr bool all_hold(const Row (&table)[Count]) {
  for (const Row& row : table) {
    if (!row.holds()) return false;
  }
  return true;
}

struct Coalesced {
  StridedAxes axes;
  std::string_view expected;
  constexpr bool holds() const { return axes.coalesce().str() == expected; }
};
constexpr Coalesced coalesced[] = {
    {rows({{3, 2}, {2, 1}}), "6:1"},
    {rows({{2, 12}, {3, 4}, {4, 1}}), "24:1"},
    {rows({{3, 4}, {2, 1}}), "(3,2):(4,1)"},
    {rows({{1, 0}, {3, 10}, {1, 17}, {5, 2}, {1, 1}}), "15:2"},
    {rows({{1, 1}, {1, 1}, {1, 1}}), "()"},
    {join(cute({{2, 1}}), cute({{1, 6}, {6, 2}})), "12:1"},
    {cute({{3, 2}, {2, 1}}), "(3,2):(2,1)"},  // read from the other end it is two axes
    {rows({{2, 0}, {3, 0}}), "6:0"},
};
static_assert(all_hold(coalesced));

struct Complement {
  StridedAxes axes;
  int world;
  std::string_view expected;
  constexpr bool holds() const {
    const auto found = axes.complement(world);
    return found && found->str() == expected;
  }
};
constexpr Complement complements[] = {
    {cute({{4, 1}}), 24, "6:4"},
    {cute({{6, 4}}), 24, "4:1"},
    {cute({{4, 2}}), 24, "(2,3):(1,8)"},
    {cute({{4, 1}, {6, 4}}), 24, "()"},  // CuTe writes 1:0 for one value
    {cute({{2, 1}, {4, 6}}), 24, "3:2"},
    {cute({{2, 1}, {2, 6}}), 24, "(3,2):(2,12)"},
    {rows({{4, 2}}), 8, "2:1"},
    {rows({{4, 2}}), 16, "(2,2):(8,1)"},
    {rows({{2, 4}, {2, 1}}), 16, "(2,2):(8,2)"},
    {rows({}), 6, "6:1"},
    {rows({{1, 5}}), 6, "6:1"},
    {rows({}), 1, "()"},
};
static_assert(all_hold(complements));

struct Groups {
  StridedAxes axes;
  int world;
  std::string_view expected;
  constexpr bool holds() const {
    const auto groups = axes.groups(world);
    return groups && groups_are(*groups, expected);
  }
};
constexpr Groups groups[] = {
    {rows({{4, 2}}), 8, "0,2,4,6|1,3,5,7"},
    {rows({{4, 2}}), 16, "0,2,4,6|1,3,5,7|8,10,12,14|9,11,13,15"},
    {rows({{2, 4}, {2, 1}}), 16, "0,1,4,5|2,3,6,7|8,9,12,13|10,11,14,15"},
    {rows({{2, 2}, {2, 4}}), 16, "0,4,2,6|1,5,3,7|8,12,10,14|9,13,11,15"},
};
static_assert(all_hold(groups));

struct Overlap {
  StridedAxes axes;
  bool expected;
  constexpr bool holds() const { return axes.may_overlap() == expected; }
};
constexpr Overlap overlaps[] = {
    {rows({{2, 6}, {3, 1}}), false},
    {rows({{2, 3}, {3, 1}}), false},
    {rows({{2, 8}, {2, 4}, {2, 1}}), false},
    {rows({{2, 4}, {2, 1}, {2, 2}}), false},
    {rows({{2, 1}, {11, 210}, {3, 2}, {7, 30}}), false},
    {rows({{2, 2}, {3, 1}}), true},
    {rows({{2, 1}, {3, 1}}), true},
    {rows({{3, 2}, {2, 3}}), true},  // 0 2 4 3 5 7: each once, but not by whole turns
    {rows({{2, 0}}), true},
    {rows({{1, 0}}), false},
};
static_assert(all_hold(overlaps));

// A composition is as deep as the axes that it is counted through: axis by axis, and all together.
struct Composed {
  StridedAxes whole;
  StridedAxes positions;
  std::string_view first;
  std::string_view second;
  std::string_view all;
  constexpr bool holds() const {
    const auto axis = [&](int i) {
      return StridedAxes::make({positions.axis(i)}, positions.order()).value();
    };
    return whole.compose(axis(0)).value().str() == first &&
           whole.compose(axis(1)).value().str() == second &&
           whole.compose(positions).value().str() == all;
  }
};
constexpr Composed compositions[] = {
    {cute({{6, 8}, {2, 2}}), cute({{4, 3}, {3, 1}}), "(2,2):(24,2)", "3:8", "(2,2,3):(24,2,8)"},
    {rows({{4, 2}}), rows({{2, 2}, {2, 1}}), "2:4", "2:2", "(2,2):(4,2)"},
    {cute({{4, 2}}), cute({{3, 0}, {2, 1}}), "3:0", "2:2", "(3,2):(0,2)"},
};
static_assert(all_hold(compositions));

constexpr auto divided = cute({{4, 2}, {2, 1}, {3, 8}}).divide(cute({{4, 2}})).value();
static_assert(divided.inside.str() == "(2,2):(4,1)" && divided.across.str() == "(2,3):(2,8)");
constexpr auto repeated = cute({{2, 4}, {2, 1}}).product(cute({{6, 1}})).value();
static_assert(repeated.inside.str() == "(2,2):(4,1)" && repeated.across.str() == "(2,3):(2,8)");
// 4 nodes of 8 in pairs of nodes, and in quarters of a node
static_assert(cute({{32, 1}}).divide(cute({{8, 1}})).value().across.str() == "4:8");
static_assert(cute({{8, 1}}).product(cute({{2, 2}})).value().across.str() == "2:16");
static_assert(cute({{4, 1}}).product(cute({{2, 1}})).value().across.str() == "2:4");
// What fits into the gaps needs nothing beyond them.
static_assert(cute({{2, 4}}).product(cute({{2, 1}})).value().across.str() == "2:1");
// the third place of a tile with gaps lies beyond a space of 2 * 3, which is no whole turn of 4
static_assert(cute({{2, 2}}).product(cute({{2, 2}})).value().across.str() == "2:4");

constexpr StridedAxes nested =
    join(join(rows({{7, 900}}), rows({{5, 36}, {3, 4}})), rows({{2, 1}}));
static_assert(nested.str() == "(7,5,3,2):(900,36,4,1)");

TEST(StridedAxes, answer_as_cute_and_device_mesh_do) {
  for (const auto& row : coalesced) EXPECT_EQ(row.axes.coalesce().str().view(), row.expected);
  for (const auto& row : complements) {
    const auto found = row.axes.complement(row.world);
    ASSERT_TRUE(found) << row.axes.str().view();
    EXPECT_EQ(found->str().view(), row.expected);
  }
  for (const auto& row : groups) EXPECT_TRUE(row.holds()) << row.expected;
  for (const auto& row : overlaps) EXPECT_TRUE(row.holds()) << row.axes.str().view();
  for (const auto& row : compositions) EXPECT_TRUE(row.holds()) << row.all;
  EXPECT_EQ(divided.across.str().view(), "(2,3):(2,8)");
  EXPECT_EQ(repeated.across.str().view(), "(2,3):(2,8)");
  EXPECT_EQ(nested.str().view(), "(7,5,3,2):(900,36,4,1)");
}

// AxisOrder is a way to write: joined, axes count as they did, however the other list is written.
struct Joined {
  StridedAxes a;
  StridedAxes b;
  std::string_view expected;
  constexpr bool holds() const { return join(a, b).str() == expected; }
};
constexpr Joined joined[] = {
    {cute({{2, 1}}), cute({{3, 10}, {4, 100}}), "(2,3,4):(1,10,100)"},
    {cute({{2, 1}}), rows({{4, 100}, {3, 10}}), "(2,3,4):(1,10,100)"},
    {rows({{2, 1}}), rows({{4, 100}, {3, 10}}), "(2,4,3):(1,100,10)"},
    {rows({{2, 1}}), cute({{3, 10}, {4, 100}}), "(2,4,3):(1,100,10)"},
    {rows({{2, 7}, {1, 5}}), cute({{1, 3}, {2, 1}}), "(2,1,2,1):(7,5,1,3)"},
};
static_assert(all_hold(joined));

TEST(StridedAxes, joined_count_as_each_did) {
  for (const Joined& row : joined) {
    const StridedAxes both = join(row.a, row.b);
    EXPECT_EQ(both.str().view(), row.expected);
    EXPECT_EQ(both.order(), row.a.order());
    const bool a_is_faster = row.a.order() == AxisOrder::first_fastest;
    const StridedAxes& fast = a_is_faster ? row.a : row.b;
    const StridedAxes& slow = a_is_faster ? row.b : row.a;
    for (int p = 0; p != both.size(); ++p) {
      EXPECT_EQ(both[p], fast[p % fast.size()] + slow[p / fast.size()]) << row.expected << p;
    }
  }
}

// The values may be places in a list of ranks, which is how DeviceMesh maps them.
TEST(StridedAxes, count_through_a_list_of_ranks) {
  constexpr int tens[] = {10, 20, 30, 40};
  constexpr int turned[] = {0, 2, 1, 3};
  constexpr StridedAxes square = rows({{2, 2}, {2, 1}});
  constexpr StridedAxes columns = rows({{2, 1}, {2, 2}});
  for (int i = 0; i != 4; ++i) {
    EXPECT_EQ(tens[square[i]], 10 * (i + 1));
    EXPECT_EQ(turned[columns[i]], i);
  }
}

// ---- against plain loops -----------------------------------------------------------------------

std::uint32_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::uint32_t>(state >> 33U);
}

// The values by nested loops: digits that count, and never a division.
std::vector<int> looped(const StridedAxes& axes) {
  std::vector<StridedAxis> fastest_first;
  for (int i = 0; i != axes.axis_count(); ++i) {
    const bool from_front = axes.order() == AxisOrder::first_fastest;
    fastest_first.push_back(axes.axis(from_front ? i : axes.axis_count() - 1 - i));
  }
  std::vector<int> digits(fastest_first.size(), 0);
  std::vector<int> out;
  for (;;) {
    int value = 0;
    for (std::size_t i = 0; i != digits.size(); ++i) value += digits[i] * fastest_first[i].stride;
    out.push_back(value);
    std::size_t i = 0;
    while (i != digits.size() && digits[i] + 1 == fastest_first[i].size) digits[i++] = 0;
    if (i == digits.size()) return out;
    ++digits[i];
  }
}

StridedAxes random_axes(std::uint64_t& state, std::size_t most) {
  constexpr int sizes[] = {1, 2, 2, 3, 4, 6};
  constexpr int strides[] = {0, 1, 1, 2, 2, 3, 4, 6, 8, 12, 24, 5};
  std::vector<StridedAxis> list(next_random(state) % (most + 1));
  for (StridedAxis& axis : list) {
    axis = {sizes[next_random(state) % 6], strides[next_random(state) % 12]};
  }
  const auto order =
      next_random(state) % 2 == 0 ? AxisOrder::first_fastest : AxisOrder::last_fastest;
  return *StridedAxes::make(list, order);
}

// Axes that step over whole turns of each other, listed in any order.
StridedAxes random_progressions(std::uint64_t& state) {
  std::vector<StridedAxis> list(next_random(state) % 4);
  int stride = 1 + static_cast<int>(next_random(state) % 3);
  for (StridedAxis& axis : list) {
    axis = {1 + static_cast<int>(next_random(state) % 4), stride};
    stride *= axis.size * (1 + static_cast<int>(next_random(state) % 3));
  }
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[next_random(state) % i]);
  }
  return *StridedAxes::make(
      list, next_random(state) % 2 == 0 ? AxisOrder::first_fastest : AxisOrder::last_fastest);
}

TEST(StridedAxes, equal_nested_loops) {
  std::uint64_t state = 11;
  int overlapping = 0;
  for (int round = 0; round != 3000; ++round) {
    const StridedAxes axes = random_axes(state, 4);
    const std::vector<int> values = looped(axes);
    ASSERT_EQ(axes.size(), static_cast<int>(values.size()));
    const auto ranks = axes.ranks(7);
    ASSERT_EQ(axes.ranks().front(), 0);
    int largest = 0;
    for (std::size_t p = 0; p != values.size(); ++p) {
      ASSERT_EQ(axes[static_cast<int>(p)], values[p]) << axes.str().view();
      ASSERT_EQ(ranks[p], values[p] + 7);
      largest = values[p] > largest ? values[p] : largest;
    }
    ASSERT_EQ(axes.last(), largest);
    const StridedAxes fewer = axes.coalesce();
    ASSERT_EQ(looped(fewer), values) << axes.str().view();
    ASSERT_LE(fewer.axis_count(), axes.axis_count());
    const bool distinct = std::set<int>(values.begin(), values.end()).size() == values.size();
    ASSERT_TRUE(distinct || axes.may_overlap()) << axes.str().view();
    overlapping += distinct ? 0 : 1;
  }
  EXPECT_GT(overlapping, 300);
  EXPECT_LT(overlapping, 2700);
}

TEST(StridedAxes, and_their_complement_hold_each_rank_once) {
  std::uint64_t state = 12;
  int refused = 0;
  for (int round = 0; round != 3000; ++round) {
    const StridedAxes axes = round % 2 == 0 ? random_axes(state, 3) : random_progressions(state);
    // by trying: the least world of which the complement can be taken
    const int most = 2 * axes.last() + 1;
    int reach = axes.last() + 1;
    while (reach <= most && !axes.complement(reach)) ++reach;
    if (reach > most) {
      ASSERT_TRUE(axes.may_overlap()) << axes.str().view();
      ++refused;
      continue;
    }
    ASSERT_FALSE(axes.may_overlap());
    for (const int world : {reach, 2 * reach, 3 * reach}) {
      const auto rest = axes.complement(world);
      ASSERT_TRUE(rest) << axes.str().view();
      std::vector<int> times(static_cast<std::size_t>(world), 0);
      int before = -1;
      for (const int first : looped(*rest)) {
        ASSERT_GT(first, before);
        before = first;
        for (const int value : looped(axes)) {
          const int rank = first + value;
          ++times[static_cast<std::size_t>(rank)];
        }
      }
      ASSERT_EQ(times, std::vector<int>(static_cast<std::size_t>(world), 1))
          << axes.str().view() << " in " << world;
      const auto families = axes.groups(world);
      ASSERT_TRUE(families);
      ASSERT_EQ(families->size(), looped(*rest).size());
      for (std::size_t id = 0; id != families->size(); ++id) {
        const int first = looped(*rest)[id];
        const auto members = looped(axes);
        for (std::size_t p = 0; p != members.size(); ++p) {
          ASSERT_EQ((*families)[id][p], first + members[p]);
        }
      }
    }
    if (reach > 1) {
      ASSERT_FALSE(axes.complement(2 * reach + 1));
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_LT(refused, 2000);
}

TEST(StridedAxes, composed_are_the_values_at_the_values) {
  std::uint64_t state = 13;
  int taken = 0;
  int beyond = 0;
  for (int round = 0; round != 20000; ++round) {
    const StridedAxes whole = random_axes(state, 4);
    const StridedAxes positions = random_axes(state, 3);
    const auto composed = whole.compose(positions);
    if (!composed) {
      const bool stays = positions.last() < whole.size();
      if (!stays) ++beyond;
      ASSERT_EQ(composed.error().code, Errc::bad_axis);
      continue;
    }
    ++taken;
    ASSERT_EQ(composed->order(), whole.order());
    const auto values = looped(whole);
    std::vector<int> expected;
    for (const int position : looped(positions)) {
      ASSERT_LT(position, whole.size());
      expected.push_back(values[static_cast<std::size_t>(position)]);
    }
    ASSERT_EQ(looped(*composed), expected) << whole.str().view() << positions.str().view();
  }
  EXPECT_GT(taken, 2000);
  EXPECT_GT(beyond, 2000);
}

TEST(StridedAxes, in_tiles_keep_each_value_once) {
  std::uint64_t state = 14;
  int divisions = 0;
  int products = 0;
  for (int round = 0; round != 20000; ++round) {
    const StridedAxes whole = random_progressions(state);
    const StridedAxes tile = random_progressions(state);
    if (const auto tiles = whole.divide(tile)) {
      ++divisions;
      std::multiset<int> values;
      for (const int first : looped(tiles->across)) {
        for (const int value : looped(tiles->inside)) values.insert(first + value);
      }
      const auto expected = looped(whole);
      ASSERT_EQ(values, std::multiset<int>(expected.begin(), expected.end()))
          << whole.str().view() << " by " << tile.str().view();
    }
    if (const auto copies = whole.product(tile)) {
      ++products;
      ASSERT_EQ(copies->inside, whole);
      std::set<int> values;
      for (const int first : looped(copies->across)) {
        for (const int value : looped(whole)) values.insert(first + value);
      }
      ASSERT_EQ(values.size(), looped(whole).size() * looped(tile).size())
          << whole.str().view() << " times " << tile.str().view();
    }
  }
  EXPECT_GT(divisions, 2000);
  EXPECT_GT(products, 2000);
}

// ---- the groups of a mesh ----------------------------------------------------------------------

constexpr Mesh mesh_64 = Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 8}}).value();
static_assert(strided_axes(mesh_64, "dp").str() == "4:8");
static_assert(strided_axes(mesh_64, "pp-tp").str() == "(2,8):(32,1)");
static_assert(strided_axes(mesh_64, "dp-tp").coalesce().str() == "32:1");
static_assert(strided_axes(mesh_64, "dp").complement(64).value().str() == "(2,8):(32,1)");
static_assert(strided_axes(mesh_64, "").str() == "()");
// every second member of a data-parallel group, and the group in halves
static_assert(group_is(strided_axes(mesh_64, "dp").compose(rows({{2, 2}})).value().ranks(5),
                       "5,21"));
static_assert(strided_axes(mesh_64, "dp").divide(rows({{2, 1}})).value().across.str() == "2:16");

TEST(StridedAxes, are_the_groups_of_a_mesh) {
  std::uint64_t state = 15;
  for (int round = 0; round != 300; ++round) {
    constexpr std::string_view names[] = {"a", "b", "c", "d"};
    std::vector<AxisSize> list(next_random(state) % 5);
    for (std::size_t i = 0; i != list.size(); ++i) {
      list[i] = {names[i], 1 + static_cast<int>(next_random(state) % 4)};
    }
    const auto order =
        next_random(state) % 2 == 0 ? AxisOrder::first_fastest : AxisOrder::last_fastest;
    const Mesh mesh = Mesh::make(list, order).value();
    for (unsigned mask = 0; mask != 1U << list.size(); ++mask) {
      Axes axes;
      for (std::size_t i = 0; i != list.size(); ++i) {
        if ((mask >> i & 1U) != 0) axes = axes | mesh.axes_at(static_cast<int>(i));
      }
      const StridedAxes strided = strided_axes(mesh, axes);
      ASSERT_EQ(strided.order(), mesh.order());
      const auto own = mesh.groups(axes);
      const auto found = strided.groups(mesh.size());
      ASSERT_TRUE(found);
      ASSERT_EQ(rankmap_test::to_text(*found), rankmap_test::to_text(own));
      // the other axes are the first ranks of the groups, and so is the complement
      ASSERT_EQ(*strided.complement(mesh.size()),
                strided_axes(mesh, mesh.other_axes(axes)).coalesce());
      for (const auto& group : own) {
        const auto ranks = strided.ranks(group.front());
        ASSERT_TRUE(std::vector<int>(ranks.begin(), ranks.end()) ==
                    std::vector<int>(group.begin(), group.end()));
      }
    }
  }
}

// ---- mistakes ----------------------------------------------------------------------------------

TEST(StridedAxes, say_which_axis_is_wrong) {
  const auto made = [](const std::vector<StridedAxis>& list) {
    return message(StridedAxes::make(list).error());
  };
  EXPECT_EQ(made({{2, 1}, {0, 1}}),
            "axes[1]=\"0:1\": expected a size of at least 1; change its size or its stride "
            "(written size:stride)");
  EXPECT_EQ(made({{2, -1}, {2, 1}}),
            "axes[0]=\"2:-1\": expected a stride of at least 0; change its size or its stride "
            "(written size:stride)");
  EXPECT_EQ(made({{65536, 0}, {32768, 0}}),
            "axes[0]=\"65536:0\": expected fewer than 2^31 positions in all; change its size or "
            "its stride (written size:stride)");
  EXPECT_EQ(made({{2, INT_MAX - 1}, {2, 1}}),
            "axes[0]=\"2:2147483646\": expected values below 2^31 - 1; change its size or its "
            "stride (written size:stride)");
  EXPECT_EQ(made(std::vector<StridedAxis>(9)),
            "mesh axes=\"9\": expected at most 8 axes; leave out axes of size 1, or put axes "
            "together");
  EXPECT_EQ(message(rows({{2, 3}, {4, 1}}).complement(24).error()),
            "axes[0]=\"2:3\": expected a stride over whole turns of the axes below it, 4 here; "
            "change a stride: axes that may overlap have no complement");
  EXPECT_EQ(message(rows({{2, 1}, {4, 2}}).complement(20).error()),
            "world size=\"20\": expected a multiple of 8, what axes[1] 4:2 and the axes below it "
            "reach over; change it or the axes: nothing is left out silently");
  EXPECT_EQ(rows({{4, 2}}).complement(0).error().code, Errc::out_of_range);
  EXPECT_EQ(rows({{4, 2}}).groups(4).error().code, Errc::bad_axis);
  // the row that DeviceMesh's layouts refuse by an assertion
  EXPECT_EQ(message(rows({{4, 4}, {2, 1}}).compose(rows({{2, 3}})).error()),
            "positions[0]=\"2:3\": expected a stride over whole turns of 2:1, or one that divides "
            "it, with whole parts taken; split an axis so that its parts divide");
  EXPECT_EQ(message(rows({{4, 2}}).compose(rows({{2, 1}, {3, 2}})).error()),
            "positions[1]=\"3:2\": expected values below 4, the positions that there are; make it "
            "smaller");
  EXPECT_EQ(message(cute({{4, 1}, {2, 8}}).compose(cute({{4, 1}, {2, 2}})).error()),
            "positions[1]=\"2:2\": expected axes that together stay inside 4:1; list the axes so "
            "that each steps over whole turns of those before it");
  EXPECT_EQ(message(cute({{12, 1}}).divide(cute({{5, 1}})).error()),
            "positions=\"12\": expected a multiple of 5, what tile[0] 5:1 and the axes below it "
            "reach over; change it or the axes: nothing is left out silently");
  EXPECT_EQ(message(cute({{2, 1}, {2, 1}}).product(cute({{2, 1}})).error()),
            "axes[1]=\"2:1\": expected a stride over whole turns of the axes below it, 2 here; "
            "change a stride: axes that may overlap have no complement");
  EXPECT_EQ(message(cute({{65536, 1}}).product(cute({{65536, 1}})).error()),
            "copies=\"65536:1\": expected copies of 65536 that stay below 2^31 - 1; make fewer "
            "copies, or lay them closer");
  // few positions, but the last copy begins behind a gap
  EXPECT_EQ(message(rows({{3, 1 << 29}}).product(rows({{2, 1 << 29}})).error()),
            "copies=\"2:536870912\": expected copies of 3 that stay below 2^31 - 1; make fewer "
            "copies, or lay them closer");
  EXPECT_EQ(StridedAxes::join(rows({{2, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}}),
                              rows({{2, 1}, {2, 1}, {2, 1}, {2, 1}}))
                .error()
                .code,
            Errc::limit_exceeded);
  // eight gaps and a ninth axis above
  constexpr StridedAxes gaps =
      cute({{2, 2}, {2, 8}, {2, 32}, {2, 128}, {2, 512}, {2, 2048}, {2, 8192}, {2, 32768}});
  EXPECT_EQ(gaps.complement(65536)->axis_count(), 8);
  EXPECT_EQ(gaps.complement(131072).error().code, Errc::limit_exceeded);
  // one line through all eight axes, and a ninth that stands still
  EXPECT_EQ(gaps.compose(cute({{256, 1}}))->axis_count(), 8);
  EXPECT_EQ(message(gaps.compose(cute({{256, 1}, {2, 0}})).error()),
            "mesh axes=\"9\": expected at most 8 axes; leave out axes of size 1, or put axes "
            "together");
}

TEST(StridedAxes, reach_the_largest_rank) {
  constexpr StridedAxes line = rows({{INT_MAX, 1}});
  static_assert(line.size() == INT_MAX && line.last() == INT_MAX - 1);
  static_assert(line.complement(INT_MAX).value().str() == "()");
  static_assert(!line.may_overlap());
  constexpr StridedAxes pair = rows({{2, INT_MAX - 1}});
  static_assert(pair.last() == INT_MAX - 1 && pair[1] == INT_MAX - 1);
  static_assert(line.compose(pair).value() == pair);
  static_assert(rows({{2, 1 << 30}}).complement(1 << 30).error().code == Errc::bad_axis);
  EXPECT_EQ(rows({{1, INT_MAX}, {2, 1}}).coalesce().str().view(), "2:1");
  EXPECT_FALSE(line.product(rows({{2, 1}})));
  // the copy at a place behind the gap ends at thrice the stride: one more is too far
  constexpr int third = (INT_MAX - 1) / 3;
  constexpr StridedAxes apart = rows({{2, third}});
  static_assert(apart.product(apart).value().across.last() == INT_MAX - 1 - third);
  EXPECT_EQ(apart.product(rows({{2, third}, {2, 1}})).error().code, Errc::bad_axis);
}

TEST(StridedAxes, of_random_sizes_are_made_or_refused) {
  std::uint64_t state = 16;
  const auto number = [&] {
    const int value = static_cast<int>(next_random(state) >> (next_random(state) % 32));
    return next_random(state) % 16 == 0 ? -value : value;
  };
  int made = 0;
  for (int round = 0; round != 50000; ++round) {
    std::vector<StridedAxis> list(next_random(state) % 10);
    for (StridedAxis& axis : list) axis = {number(), number()};
    const auto axes = StridedAxes::make(list);
    if (!axes) continue;
    ++made;
    ASSERT_GE(axes->size(), 1);
    ASSERT_LT(axes->last(), INT_MAX);
    const int world = number();
    if (const auto rest = axes->complement(world)) {
      ASSERT_EQ(std::int64_t{rest->size()} * axes->size(), world);
    }
    const auto other = StridedAxes::make({{1 + (number() & 7), number() & 7}});
    if (!other) continue;
    for (const auto& result : {axes->divide(*other), axes->product(*other)}) {
      if (result) {
        ASSERT_GE(result->across.size(), 1);
        ASSERT_LT(std::int64_t{result->inside.last()} + result->across.last(), INT_MAX);
      }
    }
    if (const auto part = axes->compose(*other)) {
      ASSERT_LE(part->last(), axes->last());
    }
  }
  EXPECT_GT(made, 1000);
}

TEST(StridedAxes, of_the_outermost_numbers_stay_in_bounds) {
  constexpr int numbers[] = {INT_MIN, -1, 0, 1, 2, 3, 1 << 29, INT_MAX};
  constexpr int count = 8 * 8 * 8 * 8;
  std::vector<StridedAxes> made;
  for (int i = 0; i != count; ++i) {
    const StridedAxis a{numbers[i % 8], numbers[i / 8 % 8]};
    const StridedAxis b{numbers[i / 64 % 8], numbers[i / 512]};
    if (const auto axes = StridedAxes::make({a, b})) made.push_back(*axes);
  }
  EXPECT_EQ(made.size(), 405U);
  for (const StridedAxes& axes : made) {
    for (const int world : numbers) {
      if (const auto families = axes.groups(world)) {
        ASSERT_LT(families->back().back(), world);
      }
    }
    for (const StridedAxes& other : made) {
      for (const auto& tiles : {axes.product(other), axes.divide(other)}) {
        if (!tiles) continue;
        ASSERT_GE(tiles->across.last(), 0) << axes.str().view() << other.str().view();
        ASSERT_LT(std::int64_t{tiles->inside.last()} + tiles->across.last(), INT_MAX);
      }
    }
  }
}

}  // namespace
