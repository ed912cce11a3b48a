// SPDX-License-Identifier: MIT
#include "support/groups.hpp"

#include <rankmap/mesh.hpp>
#include <rankmap/torus_axes.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::AxisSize;
using rankmap::Coordinate;
using rankmap::Dims;
using rankmap::Errc;
using rankmap::Mesh;
using rankmap::TorusAxes;
using rankmap::TorusSharing;
using rankmap_test::groups_are;

static_assert(std::is_trivially_copyable_v<TorusAxes>);

constexpr std::string_view names[] = {"a", "b", "c", "d"};

constexpr rankmap::Result<TorusAxes> made(const Dims& torus, const Dims& sizes,
                                          TorusSharing sharing) {
  AxisSize axes[4];
  for (std::size_t i = 0; i != sizes.size(); ++i) axes[i] = {names[i], sizes[i]};
  return TorusAxes::make(torus, {axes, sizes.size()}, sharing);
}

// What each axis of the mesh takes, one row for each axis of the torus.
struct Row {
  Dims torus;
  Dims sizes;
  std::initializer_list<Dims> parts;
  TorusSharing sharing = TorusSharing::whole_axes;

  constexpr bool holds() const {
    const auto found = made(torus, sizes, sharing);
    if (!found || parts.size() != torus.size()) return false;
    int p = 0;
    for (const Dims& row : parts) {
      for (int i = 0; i != found->axis_count(); ++i) {
        if (found->part(p, i) != row[static_cast<std::size_t>(i)]) return false;
      }
      ++p;
    }
    return true;
  }
};

// The rows of JAX's own tests. Red: programs that move here from jax.experimental.mesh_utils get
// other neighbours.
constexpr TorusSharing split = TorusSharing::split_axes;
constexpr Row rows[] = {
    {{2, 2, 1}, {1, 1, 4}, {{1, 1, 2}, {1, 1, 2}, {1, 1, 1}}},
    {{2, 2, 4}, {1, 4, 4}, {{1, 1, 2}, {1, 1, 2}, {1, 4, 1}}},
    {{4, 4, 4}, {1, 16, 4}, {{1, 1, 4}, {1, 4, 1}, {1, 4, 1}}},
    {{4, 4, 8}, {1, 16, 8}, {{1, 4, 1}, {1, 4, 1}, {1, 1, 8}}},
    {{4, 4, 8}, {1, 8, 16}, {{1, 1, 4}, {1, 1, 4}, {1, 8, 1}}},
    {{4, 4, 8}, {16, 8, 1}, {{4, 1, 1}, {4, 1, 1}, {1, 8, 1}}},
    {{4, 8, 8}, {1, 32, 8}, {{1, 4, 1}, {1, 1, 8}, {1, 8, 1}}},
    {{8, 8, 8}, {1, 64, 8}, {{1, 1, 8}, {1, 8, 1}, {1, 8, 1}}},
    {{8, 8, 16}, {1, 64, 16}, {{1, 8, 1}, {1, 8, 1}, {1, 1, 16}}},
    {{8, 8, 1}, {8, 8}, {{1, 8}, {8, 1}, {1, 1}}},
    {{4, 4, 4}, {2, 1, 32}, {{1, 1, 4}, {1, 1, 4}, {2, 1, 2}}, split},
    {{4, 4, 4}, {8, 8, 1}, {{1, 4, 1}, {2, 2, 1}, {4, 1, 1}}, split},
    {{4, 4, 8}, {2, 2, 8, 4}, {{1, 1, 1, 4}, {2, 2, 1, 1}, {1, 1, 8, 1}}, split},
    {{4, 4, 8}, {2, 4, 1, 16}, {{1, 1, 1, 4}, {1, 1, 1, 4}, {2, 4, 1, 1}}, split},
    {{4, 8, 8}, {1, 128, 2}, {{1, 2, 2}, {1, 8, 1}, {1, 8, 1}}, split},
    {{8, 8, 1}, {2, 1, 32, 1}, {{1, 1, 8, 1}, {2, 1, 4, 1}, {1, 1, 1, 1}}, split},
    // the axis that is shared already is preferred to the free one
    {{9, 4, 6}, {9, 3, 8}, {{9, 1, 1}, {1, 1, 4}, {1, 3, 2}}, split},
};
constexpr bool all_hold() {
  for (const Row& row : rows) {
    if (!row.holds()) return false;
  }
  return true;
}
static_assert(all_hold());

TEST(TorusAxes, are_those_that_jax_takes) {
  for (const Row& row : rows) {
    EXPECT_TRUE(row.holds()) << row.torus[0] << " " << row.torus[1] << " for " << row.sizes[0]
                             << " " << row.sizes[1];
  }
}

// The devices in JAX's mesh, numbered row by row through the torus.
constexpr TorusAxes plane_and_line = made({4, 4, 4}, {16, 4}, TorusSharing::whole_axes).value();
static_assert(plane_and_line.axis(1).str() == "4:16");
static_assert(plane_and_line.axis(0).str() == "16:1");
static_assert(groups_are(plane_and_line.axis(1).groups(64).value(), "0,16,32,48|1,17,33,49|~"));
constexpr TorusAxes line_and_plane = made({4, 4, 4}, {4, 16}, TorusSharing::whole_axes).value();
static_assert(groups_are(line_and_plane.axis(1).groups(64).value(),
                         "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60|~"));
constexpr TorusAxes halves = made({4, 4, 4}, {8, 8}, split).value();
static_assert(halves.axis(1).str() == "(4,2):(16,4)" && halves.axis(0).str() == "(2,4):(8,1)");
static_assert(groups_are(halves.axis(1).groups(64).value(),
                         "0,4,16,20,32,36,48,52|1,5,17,21,33,37,49,53|~"));
constexpr TorusAxes plate = made({4, 4}, {2, 2, 4}, split).value();
static_assert(plate.rank_of({0, 1, 2}) == 9 && plate.rank_of({1, 0, 3}) == 14);

TEST(TorusAxes, put_devices_where_jax_does) {
  EXPECT_TRUE(
      groups_are(plate.axis(2).groups(16).value(), "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"));
  EXPECT_EQ(plate.axis(1).str().view(), "2:1");
  EXPECT_EQ(plate.axis(0).str().view(), "2:2");
  EXPECT_FALSE(made({4, 4, 4}, {8, 8}, TorusSharing::whole_axes));
}

// Every torus of three axes of 1 to 8, with every mesh of three axes for it: what each axis takes
// and, along it, the first neighbour and the last device, folded into one number that a run of
// jax.experimental.mesh_utils gave, too.
struct Fold {
  std::uint64_t value = 0;
  int made = 0;
  int refused = 0;

  void add(int number) {
    value = value * std::uint64_t{1099511628211U} + static_cast<std::uint64_t>(number);
  }
  void add(const Dims& torus, const Dims& sizes, TorusSharing sharing) {
    const auto axes = ::made(torus, sizes, sharing);
    if (!axes) {
      ++refused;
      add(255);
      return;
    }
    ++made;
    for (int p = 0; p != 3; ++p) {
      for (int i = 0; i != 3; ++i) add(axes->part(p, i));
    }
    for (std::size_t i = 0; i != 3; ++i) {
      if (sizes[i] == 1) continue;
      for (const int at : {1, sizes[i] - 1}) {
        Coordinate coordinate(3);
        coordinate[i] = at;
        add(axes->rank_of(coordinate));
      }
    }
  }
  void add_all(TorusSharing sharing) {
    constexpr int lengths[] = {1, 2, 3, 4, 6, 8};
    for (const int x : lengths) {
      for (const int y : lengths) {
        for (const int z : lengths) {
          const int ranks = x * y * z;
          for (int a = 1; a <= ranks; ++a) {
            if (ranks % a != 0) continue;
            for (int b = 1; b <= ranks / a; ++b) {
              if (ranks / a % b == 0) add({x, y, z}, {a, b, ranks / a / b}, sharing);
            }
          }
        }
      }
    }
  }
};

TEST(TorusAxes, equal_jax_on_every_small_torus) {
  Fold whole;
  whole.add_all(TorusSharing::whole_axes);
  EXPECT_EQ(whole.made, 3354);
  EXPECT_EQ(whole.refused, 4770);
  EXPECT_EQ(whole.value, std::uint64_t{9100824010448722237U});
  Fold parts;
  parts.add_all(split);
  EXPECT_EQ(parts.made, 8124);
  EXPECT_EQ(parts.refused, 0);
  EXPECT_EQ(parts.value, std::uint64_t{6266226652088904122U});
}

TEST(TorusAxes, number_every_device_once) {
  for (const Dims& torus : {Dims{6, 4, 2}, Dims{12, 4}, Dims{2, 2, 2, 2, 3}, Dims{48}}) {
    for (int a = 1; a <= 48; ++a) {
      if (48 % a != 0) continue;
      for (int b = 1; b <= 48 / a; ++b) {
        if (48 / a % b != 0) continue;
        const auto axes = made(torus, {a, b, 48 / a / b}, split);
        ASSERT_TRUE(axes);
        std::vector<int> times(48, 0);
        for (int x = 0; x != a; ++x) {
          for (int y = 0; y != b; ++y) {
            for (int z = 0; z != 48 / a / b; ++z) {
              ++times[static_cast<std::size_t>(axes->rank_of({x, y, z}))];
            }
          }
        }
        ASSERT_EQ(times, std::vector<int>(48, 1)) << a << " " << b;
      }
    }
  }
}

TEST(TorusAxes, say_which_axis_is_wrong) {
  const auto wrong = [](const Dims& torus, const std::vector<AxisSize>& axes) {
    return message(TorusAxes::make(torus, axes).error());
  };
  EXPECT_EQ(wrong({4, 4, 4}, {{"dp", 8}, {"tp", 8}}),
            "axis tp=\"8\": expected the product of up to 3 whole axes of the torus 4x4x4 that no "
            "later axis took; change the sizes, or pass TorusSharing::split_axes");
  EXPECT_EQ(wrong({4, 4, 4}, {{"dp", 8}, {"tp", 4}}),
            "torus ranks=\"64\": expected the product 32 of dp=8 x tp=4; change a size, or let one "
            "axis be Mesh::inferred");
  EXPECT_EQ(wrong({4, 0}, {{"dp", 4}}),
            "torus[1]=\"0\": expected a size of at least 1; pass the sizes of the torus");
  EXPECT_EQ(
      wrong({65536, 32768}, {{"dp", 4}}),
      "torus[1]=\"32768\": expected fewer than 2^31 ranks in all; pass the sizes of the torus");
  EXPECT_EQ(TorusAxes::make({1, 1, 1, 1, 1, 1, 1, 1, 1}, {{"dp", 1}}).error().code,
            Errc::limit_exceeded);
  EXPECT_EQ(
      wrong({4, 4}, {{"dp", 4}, {"dp", 4}}),
      "axis dp=\"4\": expected each axis once, and this one comes twice; rename or remove one");
  const auto inferred = TorusAxes::make({4, 4, 8}, {{"dp", Mesh::inferred}, {"tp", 16}});
  ASSERT_TRUE(inferred);
  EXPECT_EQ(inferred->axis(0).size(), 8);
  EXPECT_EQ(TorusAxes::make({}, {})->size(), 1);
  EXPECT_EQ(TorusAxes::make({}, {{"dp", 1}})->axis(0).size(), 1);
}

// The search must end for a torus of any size.
TEST(TorusAxes, are_found_on_the_largest_torus) {
  const auto line = TorusAxes::make({INT32_MAX}, {{"a", INT32_MAX}, {"b", 1}}, split);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->axis(0).size(), INT32_MAX);
  const auto cube = TorusAxes::make({12, 12, 12, 12, 12, 12, 12, 12},
                                    {{"a", 144}, {"b", 20736}, {"c", 144}}, split);
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->axis(1).size(), 20736);
  const auto two = TorusAxes::make({1 << 15, 1 << 15}, {{"a", 1 << 10}, {"b", 1 << 20}}, split);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->part(0, 1), 1 << 15);
}

}  // namespace
