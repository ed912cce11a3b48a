// SPDX-License-Identifier: MIT
#include "support/groups.hpp"
#include "support/heap.hpp"

#include <rankmap/mesh/mesh.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Axes;
using rankmap::Axis;
using rankmap::AxisOrder;
using rankmap::AxisSize;
using rankmap::Coordinate;
using rankmap::Errc;
using rankmap::GroupOrder;
using rankmap::Mesh;
using Shift = rankmap::Mesh::Shift;
using rankmap_test::group_is;
using rankmap_test::groups_are;

constexpr AxisOrder row_major = AxisOrder::last_fastest;
constexpr AxisOrder column_major = AxisOrder::first_fastest;

static_assert(sizeof(Mesh) == 128);
static_assert(std::is_trivially_copyable_v<Mesh>);
static_assert(std::ranges::random_access_range<Mesh::Group> &&
              std::ranges::sized_range<Mesh::Group>);
static_assert(std::ranges::random_access_range<Mesh::Groups> &&
              std::ranges::sized_range<Mesh::Groups>);

// ---- against plain loops -----------------------------------------------------------------------

// A mesh as nested loops see it: digits that count, and never a division.
struct Loops {
  std::vector<int> sizes;    // fastest first
  std::vector<int> strides;  // of each
  int offset = 0;

  // Visits every combination of the digits in `which`, the first fastest, with its rank offset.
  template <class Visit>
  void count(const std::vector<std::size_t>& which, const Visit& visit) const {
    std::vector<int> digits(which.size(), 0);
    for (;;) {
      int value = 0;
      for (std::size_t i = 0; i != which.size(); ++i) value += digits[i] * strides[which[i]];
      visit(value, digits);
      std::size_t i = 0;
      while (i != which.size() && digits[i] + 1 == sizes[which[i]]) digits[i++] = 0;
      if (i == which.size()) return;
      ++digits[i];
    }
  }
};

std::uint32_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::uint32_t>(state >> 33U);
}

constexpr std::string_view letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

// The name of the first wrong answer over one set of axes.
std::string_view wrong_answer(const Mesh& mesh, const Loops& loops, unsigned mask, Axes axes) {
  std::vector<std::size_t> inner;
  std::vector<std::size_t> outer;
  for (std::size_t k = 0; k != loops.sizes.size(); ++k) {
    ((mask >> k & 1U) != 0 ? inner : outer).push_back(k);
  }
  std::vector<std::vector<int>> expected;
  loops.count(outer, [&](int base, const std::vector<int>&) {
    expected.emplace_back();
    loops.count(inner, [&](int value, const std::vector<int>&) {
      expected.back().push_back(loops.offset + base + value);
    });
  });
  const auto groups = mesh.groups(axes);
  if (groups.size() != expected.size()) return "groups size";
  if (mesh.group_count(axes) != static_cast<int>(expected.size())) return "group_count";
  for (std::size_t id = 0; id != expected.size(); ++id) {
    const auto& members = expected[id];
    const int size = static_cast<int>(members.size());
    if (mesh.group_size(axes) != size) return "group_size";
    const auto listed = groups[id];
    if (std::vector<int>(listed.begin(), listed.end()) != members) return "groups";
    for (int position = 0; position != size; ++position) {
      const int rank = members[static_cast<std::size_t>(position)];
      if (mesh.group_id(axes, rank) != static_cast<int>(id)) return "group_id";
      if (mesh.group_rank(axes, rank) != position) return "position";
      const auto own = mesh.group(axes, rank);
      if (own.size() != members.size()) return "group size";
      for (std::size_t i = 0; i != members.size(); ++i) {
        if (own[i] != members[i]) return "group";
      }
      const auto at = [&](int p) { return members[static_cast<std::size_t>(p)]; };
      const int up = position + 1 == size ? Mesh::no_rank : at(position + 1);
      const int down = position == 0 ? Mesh::no_rank : at(position - 1);
      if (mesh.neighbour(axes, rank, 1) != up) return "neighbour";
      if (mesh.shift(axes, rank, 1) != Shift{down, up}) return "shift";
      if (mesh.ring_neighbour(axes, rank, 1) != at((position + 1) % size)) return "ring";
      if (mesh.ring_shift(axes, rank, -1) !=
          Shift{at((position + 1) % size), at((position + size - 1) % size)}) {
        return "ring_shift";
      }
      if (mesh.is_first(axes, rank) != (position == 0)) return "is_first";
      if (mesh.is_last(axes, rank) != (position + 1 == size)) return "is_last";
      if (mesh.group_member(axes, rank).rank() != position) return "group_member";
      if (mesh.group_member(axes, rank).world_size() != size) return "group_member";
      const Mesh slice = mesh.slice(axes, rank);
      if (slice.first_rank() != members[0] || slice.size() != size) return "slice";
      const auto ranks = slice.ranks();
      if (std::vector<int>(ranks.begin(), ranks.end()) != members) return "slice ranks";
    }
  }
  return "";
}

// ... and over all of them, and about coordinates.
std::string_view wrong_answer(const Mesh& mesh, const Loops& loops, AxisOrder order) {
  const std::size_t count = loops.sizes.size();
  const auto listed = [&](std::size_t k) { return order == row_major ? count - 1 - k : k; };
  std::string_view wrong;
  std::vector<std::size_t> all;
  std::vector<bool> in(static_cast<std::size_t>(mesh.ranks().back()) + 4, false);
  all.reserve(count);
  for (std::size_t k = 0; k != count; ++k) all.push_back(k);
  loops.count(all, [&](int value, const std::vector<int>& digits) {
    const int rank = loops.offset + value;
    Coordinate coordinate(count);
    for (std::size_t k = 0; k != count; ++k) coordinate[listed(k)] = digits[k];
    if (mesh.coordinate(rank) != coordinate) wrong = "coordinate";
    if (mesh.rank_of(coordinate) != rank) wrong = "rank_of";
    const auto checked = mesh.coordinate_at(rank);
    if (!checked || *checked != coordinate) wrong = "coordinate_at";
    const auto back = mesh.rank_at(coordinate);
    if (!back || *back != rank) wrong = "rank_at";
    in[static_cast<std::size_t>(rank)] = true;
  });
  for (std::size_t rank = 0; rank != in.size(); ++rank) {
    if (mesh.contains(static_cast<int>(rank)) != in[rank]) wrong = "contains";
  }
  for (unsigned mask = 0; mask != 1U << count && wrong.empty(); ++mask) {
    Axes axes;
    for (std::size_t k = 0; k != count; ++k) {
      if ((mask >> k & 1U) != 0) axes = axes | mesh.axes_at(static_cast<int>(listed(k)));
    }
    wrong = wrong_answer(mesh, loops, mask, axes);
  }
  return wrong;
}

// Random sizes, 1 included, for up to 5 axes.
std::vector<AxisSize> random_axes(std::uint64_t& state) {
  std::vector<AxisSize> axes;
  const std::size_t count = next_random(state) % 6;
  int total = 1;
  for (std::size_t i = 0; i != count; ++i) {
    int size = 1 + static_cast<int>(next_random(state) % 6);
    if (total * size > 200) size = 1;
    total *= size;
    axes.push_back({letters[i], size});
  }
  return axes;
}

TEST(Mesh, equals_nested_loops_on_random_meshes_in_both_orders) {
  std::uint64_t state = 20240601;
  for (int round = 0; round != 150; ++round) {
    const auto axes = random_axes(state);
    for (const AxisOrder order : {row_major, column_major}) {
      Loops loops;
      int total = 1;
      for (std::size_t k = 0; k != axes.size(); ++k) {
        const int size = axes[order == row_major ? axes.size() - 1 - k : k].size;
        loops.sizes.push_back(size);
        loops.strides.push_back(total);
        total *= size;
      }
      const auto mesh = Mesh::make(axes, total, order);
      ASSERT_TRUE(mesh);
      ASSERT_TRUE(mesh->covers(total));
      ASSERT_EQ(wrong_answer(*mesh, loops, order), "") << "round " << round;
    }
  }
}

TEST(Mesh, equals_nested_loops_when_transposed_or_strided) {
  std::uint64_t state = 7;
  for (int round = 0; round != 100; ++round) {
    const auto axes = random_axes(state);
    const AxisOrder order = next_random(state) % 2 == 0 ? row_major : column_major;
    const auto mesh = Mesh::make(axes, order);
    ASSERT_TRUE(mesh);
    std::vector<std::string_view> names;
    names.reserve(axes.size());
    for (const auto& axis : axes) names.push_back(axis.name);
    for (std::size_t i = names.size(); i > 1; --i) {
      std::swap(names[i - 1], names[next_random(state) % i]);
    }
    const auto turned = mesh->transpose(names);
    ASSERT_TRUE(turned);
    Loops loops;
    std::vector<Axis> strided;
    for (std::size_t k = 0; k != names.size(); ++k) {
      const std::size_t i = order == row_major ? names.size() - 1 - k : k;
      const Axis axis = mesh->axis(mesh->index_of(names[i]));
      loops.sizes.push_back(axis.size);
      loops.strides.push_back(axis.stride);
      strided.push_back(mesh->axis(mesh->index_of(names[k])));
    }
    ASSERT_EQ(wrong_answer(*turned, loops, order), "") << "round " << round;
    ASSERT_TRUE(turned->covers(mesh->size()));
    for (std::size_t i = 0; i != names.size(); ++i) {
      ASSERT_TRUE(mesh->same_groups(names[i], *turned, names[i]));
    }

    // three times as far apart, from rank 5 on
    for (Axis& axis : strided) axis.stride *= 3;
    for (int& stride : loops.strides) stride *= 3;
    loops.offset = 5;
    const auto wide = Mesh::from_strides(strided, 5, order);
    ASSERT_TRUE(wide);
    ASSERT_EQ(wrong_answer(*wide, loops, order), "") << "round " << round;
    ASSERT_FALSE(wide->covers(wide->size()));
  }
}

// ---- against what others build -----------------------------------------------------------------

struct Family {
  std::string_view axes;
  std::string_view groups;
};

template <std::size_t Count>
constexpr bool all_are(const Mesh& mesh, const Family (&families)[Count]) {
  return std::ranges::all_of(families, [&](const Family& family) {
    return groups_are(mesh.groups(family.axes), family.groups);
  });
}
template <std::size_t Count>
void expect_all(const Mesh& mesh, const Family (&families)[Count]) {
  for (const Family& family : families) {
    EXPECT_TRUE(groups_are(mesh.groups(family.axes), family.groups))
        << family.axes << ": " << rankmap_test::to_text(mesh.groups(family.axes)) << ", not "
        << family.groups;
  }
}

// Megatron's RankGenerator, run on these sizes. Red: programs that share checkpoints or data with
// Megatron disagree about who is in which group.
constexpr std::string_view megatron_order = "tp-cp-ep-dp-pp";

constexpr Mesh megatron_16 =
    Mesh::from_megatron_order(megatron_order,
                              {{"tp", 2}, {"dp", 2}, {"pp", 4}, {"cp", 1}, {"ep", 1}}, 16)
        .value();
constexpr Family megatron_16_groups[] = {
    {"tp", "0,1|2,3|4,5|6,7|8,9|10,11|12,13|14,15"},
    {"dp", "0,2|1,3|4,6|5,7|8,10|9,11|12,14|13,15"},
    {"pp", "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"},
    {"tp-dp", "0-3|4-7|8-11|12-15"},
    {"dp-tp", "0-3|4-7|8-11|12-15"},
    {"tp-pp", "0,1,4,5,8,9,12,13|2,3,6,7,10,11,14,15"},
};
static_assert(all_are(megatron_16, megatron_16_groups));

constexpr Mesh megatron_pp_before_dp =
    Mesh::from_megatron_order("tp-pp-dp", {{"tp", 2}, {"dp", 2}, {"pp", 4}}).value();
constexpr Family megatron_pp_before_dp_groups[] = {
    {"pp", "0,2,4,6|1,3,5,7|8,10,12,14|9,11,13,15"},
    {"dp", "0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15"},
    {"tp-pp", "0-7|8-15"},
};
static_assert(all_are(megatron_pp_before_dp, megatron_pp_before_dp_groups));

constexpr Mesh megatron_cp =
    Mesh::from_megatron_order(megatron_order,
                              {{"tp", 2}, {"cp", 2}, {"dp", 2}, {"pp", 2}, {"ep", 1}})
        .value();
constexpr Family megatron_cp_groups[] = {
    {"cp", "0,2|1,3|4,6|5,7|8,10|9,11|12,14|13,15"},
    {"dp", "0,4|1,5|2,6|3,7|8,12|9,13|10,14|11,15"},
    {"pp", "0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15"},
    {"dp-cp", "0,2,4,6|1,3,5,7|8,10,12,14|9,11,13,15"},
    {"tp-cp", "0-3|4-7|8-11|12-15"},
    {"tp-dp", "0,1,4,5|2,3,6,7|8,9,12,13|10,11,14,15"},
    {"tp-dp-cp", "0-7|8-15"},
    {"tp-pp", "0,1,8,9|2,3,10,11|4,5,12,13|6,7,14,15"},
};
static_assert(all_are(megatron_cp, megatron_cp_groups));

constexpr Mesh megatron_expert =
    Mesh::from_megatron_order(megatron_order,
                              {{"tp", 2}, {"ep", 2}, {"dp", 2}, {"pp", 2}, {"cp", 1}})
        .value();
constexpr Family megatron_expert_groups[] = {
    {"ep", "0,2|1,3|4,6|~"},
    {"dp", "0,4|1,5|2,6|3,7|8,12|~"},
    {"tp-ep", "0-3|4-7|~"},
    {"tp-ep-pp", "0-3,8-11|4-7,12-15"},
};
static_assert(all_are(megatron_expert, megatron_expert_groups));

constexpr Mesh megatron_ep4 =
    Mesh::from_megatron_order(megatron_order,
                              {{"tp", 1}, {"ep", 4}, {"dp", 2}, {"pp", 2}, {"cp", 1}})
        .value();
constexpr Family megatron_ep4_groups[] = {
    {"ep", "0-3|4-7|8-11|12-15"},
    {"dp", "0,4|1,5|2,6|3,7|8,12|~"},
};
static_assert(all_are(megatron_ep4, megatron_ep4_groups));

constexpr Mesh masked_24 = Mesh::make({{"x", 2}, {"y", 3}, {"z", 4}}, column_major).value();
constexpr Family masked_24_groups[] = {
    {"y", "0,2,4|1,3,5|6,8,10|7,9,11|12,14,16|13,15,17|18,20,22|19,21,23"}};
static_assert(all_are(masked_24, masked_24_groups));

constexpr Mesh hierarchical = Mesh::make({{"x", 2}, {"y", 2}, {"z", 4}}, column_major).value();
constexpr Family hierarchical_groups[] = {
    {"x", "0,1|2,3|~"},
    {"y", "0,2|1,3|4,6|5,7|~"},
    {"z", "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"},
};
static_assert(all_are(hierarchical, hierarchical_groups));

constexpr Mesh megatron_offset_8 =
    Mesh::from_strides({{"tp", 2, 1}, {"dp", 2, 2}, {"pp", 2, 4}}, 8, column_major).value();
constexpr Family megatron_offset_8_groups[] = {{"dp", "8,10|9,11|12,14|13,15"}};
static_assert(all_are(megatron_offset_8, megatron_offset_8_groups));

TEST(Mesh, has_the_groups_of_megatron) {
  expect_all(megatron_16, megatron_16_groups);
  expect_all(megatron_pp_before_dp, megatron_pp_before_dp_groups);
  expect_all(megatron_cp, megatron_cp_groups);
  expect_all(megatron_expert, megatron_expert_groups);
  expect_all(megatron_ep4, megatron_ep4_groups);
  expect_all(masked_24, masked_24_groups);
  expect_all(hierarchical, hierarchical_groups);
  expect_all(megatron_offset_8, megatron_offset_8_groups);
}

// HyperCommGrid sorts the names it is asked for; asked in another order, the members would turn.
TEST(Mesh, members_follow_the_order_of_the_mesh_not_of_the_question) {
  constexpr Mesh grid = Mesh::make({{"tp", 2}, {"cp", 2}, {"dp", 2}}, column_major).value();
  static_assert(groups_are(grid.groups({"tp", "cp"}), "0-3|4-7"));
  static_assert(groups_are(grid.groups({"cp", "tp"}), "0-3|4-7"));
  constexpr Mesh turned = grid.transpose("cp-tp-dp").value();
  static_assert(groups_are(turned.groups({"tp", "cp"}), "0,2,1,3|4,6,5,7"));
  EXPECT_TRUE(groups_are(turned.groups({"tp", "cp"}), "0,2,1,3|4,6,5,7"));
  constexpr Mesh lines = Mesh::make({{"tp", 1}, {"cp", 2}, {"dp", 4}}, column_major).value();
  static_assert(groups_are(lines.groups("tp"), "0|1|2|3|4|5|6|7"));
}

// DeepSpeed's ProcessTopology and its expert groups. Red: as for Megatron.
constexpr Mesh deepspeed_2x2x2 = Mesh::make({{"pipe", 2}, {"data", 2}, {"model", 2}}).value();
constexpr Family deepspeed_2x2x2_groups[] = {
    {"pipe", "0,4|1,5|2,6|3,7"},
    {"data", "0,2|1,3|4,6|5,7"},
    {"model", "0,1|2,3|4,5|6,7"},
};
static_assert(all_are(deepspeed_2x2x2, deepspeed_2x2x2_groups));

// Expert groups are numbered with the tensor axis slowest: the same mesh, transposed.
constexpr Mesh deepspeed_expert =
    Mesh::make({{"edp", Mesh::inferred}, {"ep", 4}, {"tp", 2}}, 16).value();
constexpr Family deepspeed_expert_groups[] = {
    {"ep", "0,2,4,6|8,10,12,14|1,3,5,7|9,11,13,15"},
    {"edp", "0,8|2,10|4,12|6,14|1,9|3,11|5,13|7,15"},
};
static_assert(all_are(deepspeed_expert.transpose("tp-edp-ep").value(), deepspeed_expert_groups));

constexpr Mesh deepspeed_expert_pp =
    Mesh::make({{"pp", 2}, {"edp", Mesh::inferred}, {"ep", 2}, {"tp", 2}}, 16).value();
constexpr Family deepspeed_expert_pp_groups[] = {
    {"ep", "0,2|4,6|1,3|5,7|8,10|12,14|9,11|13,15"},
    {"edp", "0,4|2,6|1,5|3,7|8,12|10,14|9,13|11,15"},
};
static_assert(all_are(deepspeed_expert_pp.transpose("pp-tp-edp-ep").value(),
                      deepspeed_expert_pp_groups));

constexpr Mesh deepspeed_data_first =
    Mesh::make({{"ep", 4}, {"edp", Mesh::inferred}, {"tp", 2}}, 16).value();
constexpr Family deepspeed_data_first_groups[] = {
    {"ep", "0,4,8,12|2,6,10,14|1,5,9,13|3,7,11,15"},
    {"edp", "0,2|4,6|8,10|12,14|1,3|5,7|9,11|13,15"},
};
static_assert(all_are(deepspeed_data_first.transpose("tp-ep-edp").value(),
                      deepspeed_data_first_groups));

TEST(Mesh, has_the_groups_of_deepspeed) {
  expect_all(deepspeed_2x2x2, deepspeed_2x2x2_groups);
  expect_all(*deepspeed_expert.transpose("tp-edp-ep"), deepspeed_expert_groups);
  expect_all(*deepspeed_expert_pp.transpose("pp-tp-edp-ep"), deepspeed_expert_pp_groups);
  expect_all(*deepspeed_data_first.transpose("tp-ep-edp"), deepspeed_data_first_groups);
}

TEST(Mesh, filters_by_coordinate_as_deepspeed_does) {
  constexpr Mesh abc = Mesh::make({{"a", 2}, {"b", 2}, {"c", 2}}).value();
  static_assert(group_is(abc.at("b", 0).value().ranks(), "0,1,4,5"));
  static_assert(group_is(abc.at("c", 0).value().ranks(), "0,2,4,6"));
  static_assert(group_is(abc.at("b", 1).value().at("c", 1).value().ranks(), "3,7"));
  constexpr Mesh xy = Mesh::make({{"x", 2}, {"y", 3}}).value();
  static_assert(group_is(xy.at("y", 0).value().ranks(), "0,3"));
  static_assert(group_is(xy.at("x", 0).value().ranks(), "0,1,2"));
  EXPECT_EQ(abc.at("d", 0).error().code, Errc::bad_axis);
  EXPECT_EQ(abc.at("b", 2).error().code, Errc::out_of_range);
  EXPECT_EQ(abc.at("b", -1).error().code, Errc::out_of_range);
}

// DeviceMesh's own tests.
TEST(Mesh, has_the_groups_of_device_mesh) {
  constexpr Mesh flat = Mesh::make({{"dp", 2}, {"tp", 4}}).value();
  static_assert(groups_are(flat.groups("dp"), "0,4|1,5|2,6|3,7"));
  static_assert(groups_are(flat.groups("tp"), "0-3|4-7"));
  constexpr Mesh cube = Mesh::make({{"dp", 2}, {"pp", 2}, {"cp", 2}}).value();
  static_assert(groups_are(cube.groups("dp-cp"), "0,1,4,5|2,3,6,7"));
  static_assert(cube.slice("dp-cp", 3).size() == 4);
  static_assert(groups_are(cube.slice("dp-cp", 3).groups("cp"), "2,3|6,7"));
  constexpr Mesh hsdp = Mesh::make({{"Replicate", 2}, {"Shard", 2}, {"TP", 2}}).value();
  static_assert(groups_are(hsdp.groups("TP"), "0,1|2,3|4,5|6,7"));
  static_assert(groups_are(hsdp.groups("Shard"), "0,2|1,3|4,6|5,7"));
  static_assert(groups_are(hsdp.groups("Replicate"), "0,4|1,5|2,6|3,7"));
  static_assert(groups_are(hsdp.groups("Replicate-Shard"), "0,2,4,6|1,3,5,7"));
  constexpr Mesh dct = Mesh::make({{"dp", 2}, {"cp", 2}, {"tp", 2}}).value();
  static_assert(groups_are(dct.groups("dp-cp"), "0,2,4,6|1,3,5,7"));
  static_assert(groups_are(dct.groups("dp-tp"), "0,1,4,5|2,3,6,7"));
  static_assert(
      groups_are(dct.flatten("dp-cp", "dp_cp").value().groups("dp_cp"), "0,2,4,6|1,3,5,7"));
  EXPECT_FALSE(dct.flatten("dp-tp", "dp_tp"));  // no single stride: ask for the group instead
}

// Same groups, other numbers: the order in which DeviceMesh created them before its layouts.
TEST(Mesh, numbers_groups_as_device_mesh_did_on_request) {
  constexpr Mesh cube = Mesh::make({{"x", 2}, {"y", 2}, {"z", 2}}).value();
  static_assert(groups_are(cube.groups("x"), "0,4|1,5|2,6|3,7"));
  static_assert(groups_are(cube.groups("x", GroupOrder::device_mesh), "0,4|2,6|1,5|3,7"));
  static_assert(groups_are(cube.groups("y", GroupOrder::device_mesh), "0,2|1,3|4,6|5,7"));
  static_assert(groups_are(cube.groups("z", GroupOrder::device_mesh), "0,1|2,3|4,5|6,7"));
  static_assert(groups_are(cube.groups("x-y", GroupOrder::device_mesh), "0,2,4,6|1,3,5,7"));
  // swapping the axis with the last one and reading rows, for all shapes of four axes
  for (int shape = 0; shape != 81; ++shape) {
    const int sizes[] = {1 + shape % 3, 1 + shape / 3 % 3, 1 + shape / 9 % 3, 1 + shape / 27};
    const auto mesh =
        Mesh::make({{"a", sizes[0]}, {"b", sizes[1]}, {"c", sizes[2]}, {"d", sizes[3]}});
    ASSERT_TRUE(mesh);
    constexpr std::string_view swapped[] = {"d-b-c-a", "a-d-c-b", "a-b-d-c", "a-b-c-d"};
    for (std::size_t i = 0; i != 4; ++i) {
      ASSERT_EQ(rankmap_test::to_text(mesh->groups(letters[i], GroupOrder::device_mesh)),
                rankmap_test::to_text(mesh->transpose(swapped[i])->groups(letters[i])))
          << shape << " " << letters[i];
    }
  }
}

// DeviceMesh's layouts, written size:stride.
TEST(Mesh, has_the_groups_of_device_mesh_layouts) {
  constexpr Mesh bits = Mesh::make({{"b3", 2}, {"b2", 2}, {"b1", 2}, {"b0", 2}}).value();
  static_assert(groups_are(bits.groups("b1-b2"),  // 4:2 in 16
                           "0,2,4,6|1,3,5,7|8,10,12,14|9,11,13,15"));
  static_assert(groups_are(bits.groups("b2-b0"),  // (2,2):(4,1) in 16
                           "0,1,4,5|2,3,6,7|8,9,12,13|10,11,14,15"));
  constexpr Mesh turned = bits.transpose("b3-b0-b1-b2").value();
  static_assert(groups_are(turned.groups("b1-b2"),  // (2,2):(2,4) in 16: the last axis fastest
                           "0,4,2,6|1,5,3,7|8,12,10,14|9,13,11,15"));
  EXPECT_TRUE(turned.same_groups("b1-b2", bits, "b1-b2"));
}

struct Overlap {
  std::vector<Axis> axes;
  bool accepted;
};

TEST(Mesh, rejects_the_strides_that_device_mesh_rejects) {
  const Overlap table[] = {
      {{{"a", 2, 6}, {"b", 3, 1}}, true},
      {{{"a", 2, 3}, {"b", 3, 1}}, true},
      {{{"a", 2, 8}, {"b", 2, 4}, {"c", 2, 1}}, true},
      {{{"a", 2, 4}, {"b", 2, 1}, {"c", 2, 2}}, true},
      {{{"a", 2, 1}, {"b", 11, 210}, {"c", 3, 2}, {"d", 7, 30}}, true},
      {{{"a", 2, 2}, {"b", 3, 1}}, false},
      {{{"a", 2, 1}, {"b", 3, 1}}, false},
      {{{"a", 3, 2}, {"b", 2, 3}}, false},
      {{{"a", 2, 1}, {"b", 1, 1}, {"c", 2, 2}}, true},  // an axis of size 1 overlaps none
  };
  for (const Overlap& row : table) {
    const auto mesh = Mesh::from_strides(row.axes);
    EXPECT_EQ(mesh.has_value(), row.accepted);
    if (!mesh) {
      EXPECT_EQ(mesh.error().code, Errc::bad_axis);
    }
  }
  EXPECT_EQ(
      message(Mesh::from_strides({{"a", 2, 2}, {"b", 3, 1}}).error()),
      "axis a=\"2:2\": expected a multiple of size * stride of axis b, 3:1; change its size or its "
      "stride (written size:stride)");
  EXPECT_TRUE(Mesh::from_strides({{"a", 2, 3}, {"b", 3, 1}})->covers(6));
  EXPECT_FALSE(Mesh::from_strides({{"a", 2, 6}, {"b", 3, 1}})->covers(6));
  EXPECT_EQ(Mesh::from_strides({{"a", 2, 0}}).error().code, Errc::bad_axis);
  for (const int stride : {0, -1, INT_MIN}) {  // also where another axis is checked first
    EXPECT_EQ(Mesh::from_strides({{"a", 2, 3}, {"b", 2, stride}}).error().code, Errc::bad_axis);
    EXPECT_EQ(Mesh::from_strides({{"b", 2, stride}, {"a", 2, 3}}).error().subject, "axis b");
  }
  EXPECT_EQ(Mesh::from_strides({{"a", 2, 1}}, -1).error().code, Errc::out_of_range);
  EXPECT_EQ(Mesh::from_strides({{"a", 2, INT_MAX}}).error().code, Errc::bad_axis);
  EXPECT_EQ(Mesh::from_strides({{"a", 2, 1}}, INT_MAX - 1).error().code, Errc::bad_axis);
  EXPECT_EQ(
      message(Mesh::from_strides({}, INT_MAX).error()),
      "mesh offset=\"2147483647\": expected a rank in [0, 2147483647); pass the first rank of "
      "the mesh");
  EXPECT_EQ(Mesh::from_strides({}, INT_MAX - 1)->first_rank(), INT_MAX - 1);
  EXPECT_EQ(Mesh::from_strides({{"a", 2, INT_MAX - 1}})->ranks().back(), INT_MAX - 1);
}

// JAX's create_device_mesh: a logical axis takes whole axes of the torus, or parts of split ones.
TEST(Mesh, has_the_rows_of_jax_meshes) {
  constexpr Mesh torus = Mesh::make({{"x", 4}, {"y", 4}, {"z", 4}}).value();
  static_assert(groups_are(torus.groups("x"), "0,16,32,48|1,17,33,49|~"));
  static_assert(groups_are(torus.groups("x-y"), "0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60|~"));
  constexpr Mesh split = torus.split("y", {{"y1", 2}, {"y0", 2}}).value();
  static_assert(groups_are(split.groups("x-y0"), "0,4,16,20,32,36,48,52|1,5,17,21,33,37,49,53|~"));
  constexpr Mesh plate = Mesh::make({{"x", 4}, {"y", 4}}).value();
  static_assert(groups_are(plate.split("y", {{"y1", 2}, {"y0", 2}}).value().groups("x"),
                           "0,4,8,12|1,5,9,13|2,6,10,14|3,7,11,15"));
  EXPECT_TRUE(split.covers(64));
}

TEST(Mesh, has_the_groups_of_colossal_ai) {
  constexpr Mesh mesh = Mesh::make({{"dp", 1}, {"pp", 2}, {"tp", 2}}).value();
  static_assert(groups_are(mesh.groups("tp"), "0,1|2,3"));
  static_assert(groups_are(mesh.groups("pp"), "0,2|1,3"));
  EXPECT_EQ(mesh.group_count("dp"), 4);
}

// ---- the grid of MPI ---------------------------------------------------------------------------

// Answers of Open MPI 4.1.4 and MPICH 4.0.2 for dims (2,3,2) with periods (0,1,0).
constexpr Mesh cart = Mesh::make({{"d0", 2}, {"d1", 3}, {"d2", 2}}).value();

constexpr Coordinate cart_coordinates[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                                           {0, 2, 0}, {0, 2, 1}, {1, 0, 0}, {1, 0, 1},
                                           {1, 1, 0}, {1, 1, 1}, {1, 2, 0}, {1, 2, 1}};

constexpr bool has_cart_coordinates() {
  for (int rank = 0; rank != 12; ++rank) {
    if (cart.coordinate(rank) != cart_coordinates[rank]) return false;
    if (cart.rank_of(cart_coordinates[rank]) != rank) return false;
    int digits = 0;
    for (const int digit : cart_coordinates[rank]) digits = 10 * digits + digit;
    if (digits != rank / 6 * 100 + rank / 2 % 3 * 10 + rank % 2) return false;
  }
  return true;
}
static_assert(has_cart_coordinates());

struct CartShift {
  std::string_view axis;
  bool periodic;
  int rank;
  int step;
  Shift expected;

  constexpr bool holds() const {
    const Shift found = periodic ? cart.ring_shift(axis, rank, step) : cart.shift(axis, rank, step);
    const int neighbour =
        periodic ? cart.ring_neighbour(axis, rank, step) : cart.neighbour(axis, rank, step);
    return found == expected && neighbour == expected.destination;
  }
};
constexpr CartShift cart_shifts[] = {
    {"d0", false, 0, -1, {6, Mesh::no_rank}},
    {"d0", false, 0, 1, {Mesh::no_rank, 6}},
    {"d0", false, 0, 2, {Mesh::no_rank, Mesh::no_rank}},
    {"d1", true, 0, -1, {2, 4}},
    {"d1", true, 0, 1, {4, 2}},
    {"d1", true, 0, 2, {2, 4}},
    {"d2", false, 0, -1, {1, Mesh::no_rank}},
    {"d2", false, 0, 1, {Mesh::no_rank, 1}},
    {"d0", false, 3, 0, {3, 3}},
};
static_assert(std::ranges::all_of(cart_shifts, &CartShift::holds));
static_assert(cart.rank_at({0, -1, 1}, "d1").value() == 5);
static_assert(cart.rank_at({0, 7, 1}, "d1").value() == 3);
static_assert(!cart.rank_at({2, 0, 0}, "d1") && !cart.coordinate_at(12));

TEST(Mesh, equals_the_grid_of_mpi) {
  EXPECT_TRUE(has_cart_coordinates());
  EXPECT_EQ(*cart.rank_at({0, -1, 1}, "d1"), 5);
  EXPECT_EQ(*cart.rank_at({0, 7, 1}, "d1"), 3);
  EXPECT_EQ(*cart.rank_at({0, INT_MIN, 1}, "d1"), 2 * ((INT_MIN % 3) + 3) + 1);
  EXPECT_EQ(cart.rank_at({2, 0, 0}, "d1").error().code, Errc::out_of_range);
  EXPECT_EQ(
      message(cart.rank_at({2, 0, 0}, "d1").error()),
      "axis d0=\"2\": expected a coordinate in [0, 2); pass one of these, or name the axis as "
      "periodic");
  EXPECT_EQ(cart.rank_at({0, 0}).error().code, Errc::out_of_range);
  EXPECT_EQ(cart.rank_at({0, 0, 0, 0, 0, 0, 0, 0, 0}).error().code, Errc::out_of_range);

  for (const CartShift& row : cart_shifts) {
    EXPECT_TRUE(row.holds()) << row.axis << " of rank " << row.rank << " by " << row.step;
  }

  // the rank beyond the last, to which Open MPI gives coordinates outside the grid
  EXPECT_EQ(cart.coordinate_at(12).error().code, Errc::out_of_range);
  const Mesh later = Mesh::from_strides({{"a", 3, 2}}, 5).value();
  EXPECT_EQ(message(later.coordinate_at(10).error()).view(),
            "rank=\"10\": expected one of the 3 ranks of the mesh, from 5 to 9; a rank outside has "
            "no coordinates: check contains() first");
  static_assert(Shift() == Shift{Mesh::no_rank, Mesh::no_rank});
  EXPECT_EQ(cart.coordinate_at(-1).error().code, Errc::out_of_range);
  EXPECT_EQ(cart.coordinate_at(INT_MIN).error().code, Errc::out_of_range);

  for (int rank = 0; rank != 12; ++rank) {
    EXPECT_EQ(cart.group_id("d1-d2", rank), rank / 6);
    EXPECT_EQ(cart.group_rank("d1-d2", rank), rank % 6);
    EXPECT_EQ(cart.group_size("d0"), 2);
    EXPECT_EQ(cart.group_rank("d0", rank), rank / 6);
    EXPECT_EQ(cart.group(Axes{}, rank).size(), 1U);
  }
  EXPECT_FALSE(Mesh::make({{"d0", 2}, {"d1", 4}}, 12));  // MPI leaves four ranks out
  EXPECT_FALSE(Mesh::make({{"d0", 4}, {"d1", 4}}, 12));
}

TEST(Mesh, rings_of_one_and_two_have_one_rank_as_both_neighbours) {
  constexpr Mesh mesh = Mesh::make({{"one", 1}, {"two", 2}, {"three", 3}}).value();
  EXPECT_EQ(mesh.ring_shift("one", 4, 1), (Shift{4, 4}));
  EXPECT_EQ(mesh.ring_shift("two", 4, 1), (Shift{1, 1}));
  EXPECT_EQ(mesh.shift("one", 4, 1), (Shift{Mesh::no_rank, Mesh::no_rank}));
  EXPECT_EQ(mesh.ring_neighbour("three", 4, INT_MAX), 3 + (1 + INT_MAX % 3) % 3);
  EXPECT_EQ(mesh.ring_neighbour("three", 4, INT_MIN), 3 + (1 + (INT_MIN % 3 + 3)) % 3);
  EXPECT_EQ(mesh.neighbour("three", 4, INT_MIN), Mesh::no_rank);
  EXPECT_EQ(mesh.shift("three", 4, INT_MIN), (Shift{Mesh::no_rank, Mesh::no_rank}));
}

// ---- other meshes ------------------------------------------------------------------------------

TEST(Mesh, reshapes_dense_axes_to_expert_axes) {
  constexpr Mesh dense = Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 2}}).value();
  constexpr Mesh expert =
      dense.reshape("dp-tp", {{"edp", Mesh::inferred}, {"ep", 4}, {"etp", 1}}).value();
  static_assert(expert.covers(16) && expert.group_size("edp") == 2);
  static_assert(dense.same_groups("pp", expert, "pp"));
  static_assert(dense.same_groups("dp-tp", expert, "edp-ep-etp"));
  static_assert(!dense.same_groups("dp", expert, "ep"));
  // the folding test of DeepSpeed: 8 ranks, tp 2, ep 4
  constexpr Mesh small = Mesh::make({{"dp", 4}, {"tp", 2}}).value();
  constexpr Mesh folded = small.reshape("dp-tp", {{"edp", Mesh::inferred}, {"ep", 4}}).value();
  static_assert(groups_are(small.groups("dp"), "0,2,4,6|1,3,5,7"));
  static_assert(groups_are(folded.groups("ep"), "0-3|4-7"));
  static_assert(groups_are(folded.groups("edp"), "0,4|1,5|2,6|3,7"));
  // the same in the other order of listing
  constexpr Mesh listed = Mesh::make({{"tp", 2}, {"dp", 4}, {"pp", 2}}, column_major).value();
  constexpr Mesh relisted = listed.reshape("tp-dp", {{"ep", 4}, {"edp", 2}}).value();
  static_assert(relisted.axis(0) == Axis{"ep", 4, 1} && relisted.axis(1) == Axis{"edp", 2, 4});
  EXPECT_TRUE(relisted.same_groups("ep", expert, "ep"));
}

TEST(Mesh, reshapes_only_axes_with_a_common_stride) {
  constexpr Mesh mesh = Mesh::make({{"a", 2}, {"b", 3}, {"c", 4}}).value();
  EXPECT_EQ(mesh.flatten("a-b-c", "all")->axis(0), (Axis{"all", 24, 1}));
  EXPECT_EQ(*mesh.flatten("b-c", "x")->split("x", {{"b", 3}, {"c", 4}}), mesh);
  EXPECT_EQ(mesh.flatten("a-c", "x").error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.slice("a-c", 0).flatten("a-c", "x").error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.transpose("c-b-a")->flatten("c-b", "x").error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.flatten("b-c", "a").error().code, Errc::bad_axis);  // the name is taken
  const auto ragged = mesh.reshape("b-c", {{"x", 7}, {"y", Mesh::inferred}});
  EXPECT_NE(message(ragged.error())
                .view()
                .find("expected a product of the axes to reshape that x=7 divides"),
            std::string_view::npos)
      << message(ragged.error()).view();
  EXPECT_EQ(mesh.flatten("", "x").error().code, Errc::bad_axis);
  // a part may have the name of the whole, not that of another axis
  for (const char* const axis : {"a", "b", "c"}) {
    EXPECT_TRUE(mesh.split(axis, {{axis, Mesh::inferred}, {"x", 1}})) << axis;
    for (const char* const other : {"a", "b", "c"}) {
      if (std::string_view(axis) == other) continue;
      EXPECT_EQ(mesh.split(axis, {{other, Mesh::inferred}, {"x", 1}}).error().code, Errc::bad_axis)
          << axis << ' ' << other;
    }
  }
  EXPECT_EQ(mesh.split("c", {{"x", 3}, {"y", Mesh::inferred}}).error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.split("c", {{"x", 2}, {"y", 3}}).error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.split("z", {{"x", 2}, {"y", 2}}).error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.transpose("a-b").error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.transpose("a-b-c-a").error().code, Errc::bad_axis);
  // axes of size 1 do not separate others
  constexpr Mesh ones = Mesh::make({{"a", 2}, {"o", 1}, {"b", 3}, {"p", 1}}).value();
  EXPECT_EQ(ones.flatten("a-o-b-p", "x")->axis(0), (Axis{"x", 6, 1}));
  EXPECT_EQ(ones.slice("a-o", 3).flatten("a-o", "x")->axis(0), (Axis{"x", 2, 3}));
  EXPECT_EQ(ones.slice("o-p", 3).flatten("o-p", "x")->size(), 1);
  EXPECT_EQ(ones.split("o", {{"q", 1}, {"r", 1}})->axis_count(), 5);
  // ... but other axes do
  EXPECT_EQ(ones.flatten("a-b", "x").error().code, Errc::bad_axis);
  // and their own stride is nobody's
  constexpr Mesh odd = Mesh::from_strides({{"a", 2, 6}, {"o", 1, 1}}).value();
  EXPECT_EQ(odd.flatten("a-o", "x")->axis(0), (Axis{"x", 2, 6}));
}

TEST(Mesh, same_groups_compares_sets_of_ranks) {
  constexpr Mesh a = Mesh::make({{"x", 4}, {"y", 6}}).value();
  constexpr Mesh b = Mesh::make({{"p", 2}, {"q", 2}, {"r", 3}, {"s", 2}}).value();
  EXPECT_TRUE(a.same_groups("x", b, "p-q"));
  EXPECT_TRUE(a.same_groups("y", b, "s-r"));
  EXPECT_FALSE(a.same_groups("x", b, "p"));
  EXPECT_FALSE(a.same_groups("y", b, "q-r"));
  EXPECT_TRUE(a.same_groups("x-y", b, "p-q-r-s"));
  EXPECT_TRUE(a.same_groups(Axes{}, b, Axes{}));
  EXPECT_FALSE(a.same_groups("x", a.slice("x", 0), "x"));  // not the same world
}

// ---- names and mistakes ------------------------------------------------------------------------

TEST(Mesh, compares_names_whole) {
  // Megatron searches the order text for "tp", and finds it in "gtp_remat".
  constexpr Mesh mesh =
      Mesh::from_megatron_order("gtp_remat-dp", {{"gtp_remat", 2}, {"dp", 4}, {"tp", 1}}).value();
  EXPECT_EQ(mesh.axis_count(), 3);
  EXPECT_EQ(mesh.axis(2), (Axis{"tp", 1, 8}));
  EXPECT_FALSE(Mesh::from_megatron_order("gtp_remat-dp", {{"gtp_remat", 2}, {"dp", 4}, {"tp", 2}}));
  EXPECT_EQ(mesh.index_of("gtp"), -1);
  EXPECT_EQ(mesh.index_of("DP"), -1);
  EXPECT_EQ(mesh.find_axes("d").error().code, Errc::bad_axis);
  EXPECT_EQ(message(mesh.find_axes("tp-data").error()),
            "axis=\"data\": expected one of gtp_remat, dp, tp; names are compared whole, case "
            "included");
  EXPECT_EQ(mesh.find_axes("tp-tp").error().code, Errc::bad_axis);
  EXPECT_EQ(mesh.find_axes("tp--dp").error().code, Errc::bad_axis);
  const std::string text = "dp-tp";
  EXPECT_EQ(*mesh.find_axes(text), mesh.axes({"tp", "dp"}));
  const std::vector<std::string_view> list = {"dp", "tp"};
  EXPECT_EQ(*mesh.find_axes(list), mesh.axes("dp") | mesh.axes("tp"));
  EXPECT_EQ(mesh.other_axes("dp-tp"), mesh.axes("gtp_remat"));
}

TEST(Mesh, takes_axes_in_every_form) {
  constexpr Mesh mesh = Mesh::make({{"pp", 2}, {"dp", 3}, {"tp", 4}}).value();
  const std::string text = "dp-tp";
  const std::string_view view = text;
  const std::vector<std::string_view> list = {"dp", "tp"};
  constexpr rankmap::Axes both = mesh.axes({"dp", "tp"});
  static_assert(mesh.axes(both) == both);
  for (const int rank : mesh.ranks()) {
    const int place = rank % 12;
    EXPECT_EQ(mesh.group_rank(both, rank), place);
    EXPECT_EQ(mesh.group_rank("dp-tp", rank), place);
    EXPECT_EQ(mesh.group_rank({"tp", "dp"}, rank), place);
    EXPECT_EQ(mesh.group_rank(text, rank), place);
    EXPECT_EQ(mesh.group_rank(view, rank), place);
    EXPECT_EQ(mesh.group_rank(list, rank), place);
    EXPECT_EQ(mesh.group_rank(rankmap::Axes(), rank), 0);
    EXPECT_EQ(mesh.group_rank("", rank), 0);
  }
}

#if defined(__cpp_exceptions)
TEST(Mesh, throws_for_an_unknown_name) {
  constexpr Mesh mesh = Mesh::make({{"dp", 2}}).value();
  EXPECT_THROW((void)mesh.group("tp", 0), rankmap::Exception);
  EXPECT_THROW((void)mesh.group_rank({"dp", "dp"}, 0), rankmap::Exception);
}
#endif

struct Mistake {
  std::vector<AxisSize> axes;
  int world;
  std::string_view message;
};

TEST(Mesh, names_the_wrong_axis) {
  const Mistake table[] = {
      {{{"tp", 0}},
       8,
       "axis tp=\"0\": expected a size of at least 1; pass the number of coordinates, or "
       "Mesh::inferred"},
      {{{"tp", -2}},
       8,
       "axis tp=\"-2\": expected a size of at least 1; pass the number of coordinates, or "
       "Mesh::inferred"},
      {{{"dp", 2}, {"tp", 2}, {"dp", 2}},
       8,
       "axis dp=\"2\": expected each axis once, and this one is repeated; rename or remove one"},
      {{{"dp", 65536}, {"tp", 32768}},
       8,
       "axis tp=\"32768\": expected fewer than 2^31 ranks in all, and the axes before it make "
       "65536; make an axis smaller"},
      {{{"dp", Mesh::inferred}, {"tp", 3}, {"pp", 2}},
       8,
       "axis dp=\"inferred\": expected a world size that tp=3 x pp=2 divides, and it is 8; change "
       "the other sizes: no rank is left out silently"},
      {{{"dp", Mesh::inferred}, {"tp", Mesh::inferred}},
       8,
       "axis tp=\"inferred\": expected one inferred axis, and dp is one; set the size of one "
       "of the two"},
      {{{"a", 2}, {"b", 2}, {"c", 2}},
       7,  // three pairs and a lost rank, in Megatron
       "world size=\"7\": expected the product 8 of a=2 x b=2 x c=2; change a size, or let one "
       "axis be Mesh::inferred"},
      {{{"a", 2}, {"b", 2}, {"c", 2}},
       16,
       "world size=\"16\": expected the product 8 of a=2 x b=2 x c=2; change a size, or let one "
       "axis be Mesh::inferred"},
      {{{"t p", 8}}, 8, "axis name=\"t p\": expected letters, digits, '_' and '.' only; rename it"},
      {{{"tp-dp", 8}},
       8,
       "axis name=\"tp-dp\": expected letters, digits, '_' and '.' only; rename it"},
      {{{"", 8}}, 8, "axis name=\"\": expected letters, digits, '_' and '.' only; rename it"},
      {{{"tp", 8}}, 0, "world size=\"0\": expected at least 1; pass the number of all ranks"},
      {{{"tp", 8}}, -8, "world size=\"-8\": expected at least 1; pass the number of all ranks"},
      {std::vector<AxisSize>(9, AxisSize{"a", 1}), 1,
       "mesh axes=\"9\": expected at most 8 axes; leave out axes of size 1, or merge axes"},
      {{{"a23456789012345678901234567890", 2}, {"b2345678901234567", 4}},
       8,
       "axis a23456789012345678901234... (30 bytes)=\"a23456789012345678901234567890\": expected "
       "at "
       "most 46 characters in all names together; use shorter names"},
  };
  for (const Mistake& row : table) {
    const auto mesh = Mesh::make(row.axes, row.world);
    ASSERT_FALSE(mesh) << row.message;
    EXPECT_EQ(message(mesh.error()), row.message);
  }
  EXPECT_EQ(Mesh::make({{"tp", Mesh::inferred}}).error().code, Errc::bad_axis);
  EXPECT_EQ(Mesh::make({{"a", INT_MAX}, {"b", 2}}).error().code, Errc::bad_axis);
  EXPECT_EQ(Mesh::make({{"a", INT_MIN}}).error().code, Errc::bad_axis);
}

TEST(Mesh, names_the_axis_whose_name_has_no_room) {
  // 46 characters in all: the error names the axis at which the room ends
  const std::string long_name(40, 'x');
  const auto expected = [](const std::string& name) {
    return "axis " + name.substr(0, 24) + "... (" + std::to_string(name.size()) + " bytes)=\"" +
           name + "\": expected at most 46 characters in all names together; use shorter names";
  };
  const std::string other(7, 'y');
  const std::string wide(45, 'z');
  EXPECT_EQ(message(Mesh::from_strides({{other, 2, 1}, {long_name, 2, 2}}).error()).view(),
            "axis yyyyyyy=\"yyyyyyy\": expected at most 46 characters in all names together; use "
            "shorter names");
  const Mesh mesh = Mesh::make({{"a", 2}, {"bb", 4}, {"cc", 2}}).value();
  EXPECT_EQ(message(mesh.flatten("bb", wide).error()).view(), expected(wide));
  // the new name has room, and then an axis above it has none
  const Mesh listed = Mesh::make({{std::string_view(other), 2}, {"bb", 4}, {"cc", 2}}).value();
  EXPECT_EQ(message(listed.flatten("bb", std::string(40, 'x')).error()).view(),
            "axis yyyyyyy=\"yyyyyyy\": expected at most 46 characters in all names together; use "
            "shorter names");
}

TEST(Mesh, has_room_for_eight_axes_after_a_reshape) {
  const Mesh eight =
      Mesh::make({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}, {"f", 2}, {"g", 2}, {"h", 4}})
          .value();
  EXPECT_EQ(message(eight.split("h", {{"x", 2}, {"y", 2}}).error()).view(),
            "mesh axes=\"9\": expected at most 8 axes; leave out axes of size 1, or merge "
            "axes");
  EXPECT_EQ(eight.split("h", {{"x", 4}})->axis_count(), 8);
  EXPECT_EQ(eight.flatten("g-h", "x")->axis_count(), 7);
}

TEST(Mesh, fixed_along_an_axis_is_the_slice_there) {
  const Mesh mesh = Mesh::make({{"dp", 2}, {"pp", 3}, {"tp", 4}}).value();
  for (int pp = 0; pp != 3; ++pp) {
    const Mesh stage = mesh.at("pp", pp).value();
    EXPECT_EQ(stage, mesh.slice("dp-tp", 4 * pp));
    EXPECT_EQ(stage.size(), 8);
    EXPECT_TRUE(stage.contains(4 * pp));
    EXPECT_FALSE(stage.contains(4 * ((pp + 1) % 3)));
  }
  EXPECT_EQ(message(mesh.at("xp", 0).error()).view(),
            "axis=\"xp\": expected one of dp, pp, tp; names are compared whole, case included");
  for (const int outside : {-1, 3}) {
    EXPECT_EQ(message(mesh.at("pp", outside).error()).view(),
              "axis pp=\"" + std::to_string(outside) +
                  "\": expected a coordinate in [0, 3); pass one of these");
  }
}

TEST(Mesh, names_the_fault_of_an_order_text) {
  const auto order = [](std::string_view text) {
    return Mesh::from_megatron_order(text, {{"tp", 2}, {"dp", 4}, {"pp", 1}});
  };
  EXPECT_TRUE(order("tp-dp"));
  EXPECT_TRUE(order("dp-tp-pp"));
  const auto repeated = order("tp-tp-dp");  // accepted by Megatron, with wrong groups
  EXPECT_EQ(repeated.error().position, 3);
  EXPECT_EQ(message(repeated.error()),
            "axis order=\"tp-tp-dp\" at byte 3: expected each axis once, and this one is repeated; "
            "name it once");
  EXPECT_EQ(order("tp-dp-xp").error().position, 6);
  EXPECT_EQ(order("tp-").error().position, 3);
  EXPECT_EQ(order("-tp").error().position, 0);
  EXPECT_EQ(message(order("tp").error()),
            "axis dp=\"4\": expected a place in the axis order, or size 1; add it to the axis "
            "order");
  EXPECT_FALSE(order(""));
  EXPECT_EQ(
      Mesh::from_megatron_order("tp-dp", {{"tp", 2}, {"dp", Mesh::inferred}}, 8)->group_size("dp"),
      4);
  EXPECT_FALSE(Mesh::from_megatron_order("tp-dp", {{"tp", 2}, {"dp", Mesh::inferred}}, 9));
  EXPECT_FALSE(Mesh::from_megatron_order("tp", {{"tp", 2}, {"dp", Mesh::inferred}}, 8));
  EXPECT_FALSE(Mesh::from_megatron_order("tp", {{"tp", 2}}, 0));
}

TEST(Mesh, any_text_is_an_error_or_a_mesh) {
  std::uint64_t state = 99;
  constexpr std::string_view alphabet{"tpdc-_.\0\xff\" ", 11};
  for (int round = 0; round != 20000; ++round) {
    std::string text;
    for (std::size_t left = next_random(state) % 12; left != 0; --left) {
      text += alphabet[next_random(state) % alphabet.size()];
    }
    const std::vector<AxisSize> sizes = {
        {"tp", static_cast<int>(next_random(state) % 5) - 1},
        {"dp", static_cast<int>(next_random(state))},
        {std::string_view(text).substr(0, 3), 2},
    };
    const int world = static_cast<int>(next_random(state) % 64);
    for (const auto& mesh :
         {Mesh::from_megatron_order(text, sizes), Mesh::from_megatron_order(text, sizes, world),
          Mesh::make(sizes, world), Mesh::make(sizes)}) {
      if (mesh) {
        ASSERT_TRUE(mesh->covers(mesh->size()));
      } else {
        const auto text_of_error = message(mesh.error());
        for (const char c : text_of_error.view()) ASSERT_TRUE(c >= ' ' && c <= '~');
      }
    }
  }
  const std::string huge(10000000, '-');  // NOLINT
  EXPECT_FALSE(Mesh::from_megatron_order(huge, {{"tp", 2}}));
  EXPECT_FALSE(Mesh::make({{std::string_view(huge), 2}}));
}

// ---- large and small ---------------------------------------------------------------------------

TEST(Mesh, holds_2_to_the_31_minus_1_ranks) {
  constexpr Mesh line = Mesh::make({{"all", INT_MAX}}).value();
  static_assert(line.size() == INT_MAX && line.group_rank("all", INT_MAX - 1) == INT_MAX - 1);
  static_assert(line.ring_neighbour("all", INT_MAX - 1, 1) == 0);
  static_assert(line.ring_neighbour("all", 0, INT_MIN) == INT_MAX - 1);  // 2^31 is one turn and one
  static_assert(line.neighbour("all", INT_MAX - 1, INT_MAX) == Mesh::no_rank);
  static_assert(!line.contains(INT_MAX) && line.contains(INT_MAX - 1));
  // 2^31 - 2 = 2 * 3^2 * 7 * 11 * 31 * 151 * 331
  constexpr Mesh mesh =
      Mesh::make({{"a", 2}, {"b", 9}, {"c", 7}, {"d", 11}, {"e", 31}, {"f", 151}, {"g", 331}})
          .value();
  constexpr int last = INT_MAX - 2;
  static_assert(mesh.size() == INT_MAX - 1);
  static_assert(mesh.coordinate(last) == Coordinate{1, 8, 6, 10, 30, 150, 330});
  static_assert(mesh.rank_of({1, 8, 6, 10, 30, 150, 330}) == last);
  static_assert(mesh.group("a-c-e-g", last).back() == last);
  static_assert(mesh.groups("g").back().back() == last);
  static_assert(mesh.groups("b-d")[static_cast<std::size_t>(mesh.group_id("b-d", last))].back() ==
                last);
  EXPECT_EQ(mesh.group_count("a"), (INT_MAX - 1) / 2);
}

TEST(Mesh, without_axes_is_one_rank) {
  constexpr Mesh none;
  static_assert(none.size() == 1 && none.covers(1) && none.axis_count() == 0);
  static_assert(none.contains(0) && !none.contains(1) && !none.contains(-1));
  static_assert(none.ranks().size() == 1 && none.groups(Axes{}).size() == 1);
  static_assert(none.coordinate(0) == Coordinate{});
  EXPECT_EQ(*Mesh::make({}), none);
  EXPECT_FALSE(Mesh::make({}, 2));
  EXPECT_EQ(message(none.find_axes("tp").error()),
            "axis=\"tp\": expected no axis: this mesh has none; names are compared whole, case "
            "included");
}

TEST(Mesh, allocates_nothing) {
  const std::size_t before = rankmap_test::heap::allocations;
  const auto mesh = Mesh::make({{"pp", 16}, {"dp", Mesh::inferred}, {"tp", 8}}, 1 << 20);
  long sum = 0;
  const auto expert = mesh->reshape("dp-tp", {{"edp", Mesh::inferred}, {"ep", 64}});
  for (const int rank : expert->group("edp", 5)) sum += rank;
  for (const auto& group : mesh->groups("pp-tp")) sum += group.back();
  sum += mesh->coordinate(77)[1] + mesh->transpose("tp-dp-pp")->group_id("dp", 3);
  const auto wrong = mesh->find_axes("xx");
  const std::size_t after = rankmap_test::heap::allocations;
  EXPECT_EQ(before, after);
  EXPECT_FALSE(wrong);
  EXPECT_NE(sum, 0);
}

TEST(Mesh, knows_whether_groups_are_runs_of_ranks) {
  constexpr Mesh mesh = Mesh::make({{"pp", 2}, {"one", 1}, {"dp", 4}, {"tp", 8}}).value();
  EXPECT_TRUE(mesh.is_contiguous("tp"));
  EXPECT_TRUE(mesh.is_contiguous("dp-tp"));
  EXPECT_TRUE(mesh.is_contiguous("one-tp"));
  EXPECT_TRUE(mesh.is_contiguous("one"));
  EXPECT_TRUE(mesh.is_contiguous("pp-dp-tp"));
  EXPECT_FALSE(mesh.is_contiguous("dp"));
  EXPECT_FALSE(mesh.is_contiguous("pp-tp"));
  EXPECT_FALSE(mesh.transpose("pp-one-tp-dp")->is_contiguous("dp-tp"));
}

// Ranks that differ in tensor or pipeline coordinate alone read the same samples.
TEST(Mesh, gives_all_ranks_of_a_replica_the_same_samples) {
  constexpr Mesh mesh = Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 2}}).value();
  std::vector<int> times_read(103, 0);
  for (int rank = 0; rank != 16; ++rank) {
    const rankmap::Sampler own(103, mesh.group_member("dp", rank),
                               {.remainder = rankmap::Remainder::uneven});
    const auto samples = own.epoch(3);
    for (const int other : mesh.group({"pp", "tp"}, rank)) {
      const rankmap::Sampler same(103, mesh.group_member("dp", other),
                                  {.remainder = rankmap::Remainder::uneven});
      const auto others = same.epoch(3);
      ASSERT_EQ(samples.size(), others.size());
      for (std::uint64_t k = 0; k != samples.size(); ++k) ASSERT_EQ(samples[k], others[k]);
    }
    for (const std::uint64_t sample : samples) ++times_read[sample];

    // PyTorch's sampler takes the axis, too
    const rankmap::DistributedSampler theirs(103, mesh.group_member("dp", rank));
    EXPECT_EQ(theirs.num_replicas(), 4);
    EXPECT_EQ(theirs.rank(), mesh.group_rank("dp", rank));
  }
  for (const int times : times_read) EXPECT_EQ(times, 4);  // once for each pp and tp coordinate
  EXPECT_TRUE(mesh.is_first("pp", 7));
  EXPECT_TRUE(mesh.is_last("pp", 8));
}

TEST(Mesh, coordinates_of_nine_axes_hold_eight) {
  constexpr Coordinate nine{0, 1, 2, 3, 4, 5, 6, 7, 8};
  static_assert(nine.size() == 9);  // so that it differs from the number of axes
  static_assert(nine.end() - nine.begin() == 8);
  const Coordinate again = nine;
  EXPECT_EQ(std::vector<int>(again.begin(), again.end()),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
