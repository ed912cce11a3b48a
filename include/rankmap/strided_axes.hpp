// SPDX-License-Identifier: MIT
//
// Axes without names, each a size and a stride, and their algebra: merging, what is left over
// beside them, counting some through others, tiling. The groups of a mesh are such axes.
#ifndef RANKMAP_STRIDED_AXES_HPP
#define RANKMAP_STRIDED_AXES_HPP

#include <rankmap/detail/mesh_axes.hpp>
#include <rankmap/detail/mesh_data.hpp>
#include <rankmap/detail/mesh_sizes.hpp>
#include <rankmap/detail/mixed_radix.hpp>
#include <rankmap/detail/rank_range.hpp>
#include <rankmap/detail/strided_algebra.hpp>
#include <rankmap/detail/text.hpp>
#include <rankmap/mesh.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// `size` values that lie `stride` apart; written size:stride.
struct StridedAxis {
  int size = 1;
  int stride = 1;
  friend constexpr bool operator==(const StridedAxis&, const StridedAxis&) = default;
};

struct StridedTiles;

/// At most 8 axes that count together: position p has the value sum of coordinate * stride, the
/// coordinates being the digits of p. Where the values are ranks, this is a group, from its first
/// rank on; where they are positions, a choice of members of a group. CuTe calls it a layout,
/// shape:stride. 72 bytes, trivially copyable, constexpr throughout, no allocation.
///
/// AxisOrder says how a list of axes is written and read and nothing else: last_fastest for the
/// layouts of DeviceMesh, first_fastest for those of CuTe. Results are listed as the object is.
/// Axes may overlap and may have stride 0; size-1 axes drop out of every result but `join`.
/// Costs: O(axes) to ask and O(axes^2) to calculate.
class StridedAxes {
 public:
  static constexpr int max_axes = detail::max_digits;
  using Group = detail::RankRange<detail::GroupSource>;    ///< of int: values by position
  using Groups = detail::RankRange<detail::GroupsSource>;  ///< of Group: by group number

  /// One value, 0, and no axes.
  constexpr StridedAxes() = default;

  /// Errors, all naming the axis: `bad_axis` for a size below 1, a stride below 0, a value of
  /// 2^31 - 1 or more, and for 2^31 positions or more; `limit_exceeded` for more than 8 axes.
  static constexpr Result<StridedAxes> make(const detail::ListArgument<StridedAxis>& axes,
                                            AxisOrder order = AxisOrder::last_fastest);
  /// The axes of both, first those of `a`, listed as `a` is: an axis that consists of several.
  /// Those of `b` count as they did, so they are turned round where `b` is listed the other way.
  /// Errors: those of `make`.
  static constexpr Result<StridedAxes> join(const StridedAxes& a, const StridedAxes& b);

  // ---- looking at them -------------------------------------------------------------------------

  /// The number of positions.
  RANKMAP_HD constexpr int size() const noexcept { return static_cast<int>(digits_.total()); }
  /// The largest value.
  RANKMAP_HD constexpr int last() const noexcept { return static_cast<int>(digits_.last()); }
  /// The value at a position. Precondition: 0 <= position < size().
  RANKMAP_HD constexpr int operator[](int position) const noexcept {
    return static_cast<int>(digits_.at(static_cast<std::uint32_t>(position)));
  }
  /// All values by position, each plus `first`. Precondition: first >= 0, and first + last() below
  /// 2^31 - 1.
  RANKMAP_HD constexpr Group ranks(int first = 0) const noexcept {
    return Group(detail::GroupSource{digits_, static_cast<std::uint32_t>(first)});
  }
  constexpr AxisOrder order() const { return order_; }
  constexpr int axis_count() const { return static_cast<int>(digits_.count); }
  /// The i-th axis as listed. Precondition: 0 <= i < axis_count().
  constexpr StridedAxis axis(int i) const {
    const std::uint32_t k = listed(static_cast<std::uint32_t>(i));
    return {static_cast<int>(digits_.sizes[k]), static_cast<int>(digits_.strides[k])};
  }
  /// "(2,2):(4,1)", sizes and strides as listed; "4:2" for one axis and "()" for none.
  constexpr detail::Text<191> str() const;
  /// Same axes, listed alike. For the same values at the same positions compare coalesce().
  friend constexpr bool operator==(const StridedAxes&, const StridedAxes&) = default;

  /// Whether two positions may have one value. False is certain. True also for a few that do not
  /// overlap, such as (3,2):(2,3): sorted by stride, each axis must step over whole turns of the
  /// one below.
  constexpr bool may_overlap() const {
    return detail::complement_digits(digits_, 1, true).fault == detail::StridedFault::overlap;
  }

  // ---- algebra ---------------------------------------------------------------------------------

  /// The same values at the same positions in as few axes as that takes. One axis or none: a
  /// progression, as the strided teams of OpenSHMEM and the triplets of MPI_Group_range_incl.
  constexpr StridedAxes coalesce() const { return StridedAxes(detail::coalesced(digits_), order_); }

  /// The axes that are missing to count 0 .. world - 1 once each: where these axes are a group,
  /// the first ranks of all groups, ascending. Errors: `bad_axis` for axes that may overlap, and
  /// for a world that is no multiple of what they reach over; `out_of_range` for one below 1;
  /// `limit_exceeded` where it takes 9 axes.
  constexpr Result<StridedAxes> complement(int world) const {
    if (world < 1) return detail::bad_world(world);
    return complement(static_cast<std::uint64_t>(world), "world size", false);
  }
  /// The axes moved to each value of their complement: groups that hold every rank of the world
  /// once. Errors: those of `complement`.
  constexpr Result<Groups> groups(int world) const {
    const auto firsts = complement(world);
    if (!firsts) return firsts.error();
    return Groups(detail::GroupsSource{firsts->digits_, {digits_, 0}});
  }

  /// These axes at the positions that are the values of `positions`: a group within the group.
  /// Errors: `bad_axis` for an axis of `positions` that counts beyond size(), that steps neither
  /// over whole turns of an axis here nor through whole parts of one, and for several that carry
  /// from one axis here into the next; `limit_exceeded` for more than 8 axes.
  constexpr Result<StridedAxes> compose(const StridedAxes& positions) const {
    return compose(positions, "positions");
  }
  /// The positions in tiles: `inside` one, those in `tile`; `across`, the first of each. Together
  /// they have each value once more. Errors: those of complement() and of compose(), for `tile`.
  constexpr Result<StridedTiles> divide(const StridedAxes& tile) const;
  /// A tile repeated: `inside`, these axes; `across`, the places of the copies, which lie in the
  /// gaps and then beyond, as far apart as `copies` says. Errors: those of complement() and of
  /// compose(), for `copies`; `bad_axis` where the copies reach 2^31 - 1.
  constexpr Result<StridedTiles> product(const StridedAxes& copies) const;

 private:
  constexpr StridedAxes(const detail::MixedRadix& digits, AxisOrder order)
      : digits_(digits), order_(order) {}
  constexpr std::uint32_t listed(std::uint32_t i) const {
    return detail::MeshData::listed(order_, digits_.count, i);
  }
  // "name[1]" and "2:3", for messages
  constexpr detail::Text<63> subject(std::string_view name, std::uint32_t digit) const {
    return detail::joined<63>(name, "[", std::uint64_t{listed(digit)}, "]");
  }
  static constexpr detail::Text<24> written(const detail::MixedRadix& digits, std::uint32_t k) {
    const std::uint64_t size = digits.sizes[k];
    const std::uint64_t stride = digits.strides[k];
    return detail::joined<24>(size, ":", stride);
  }
  constexpr Error bad(std::string_view name, std::uint32_t digit, std::string_view expected,
                      std::string_view remedy) const {
    return detail::bad_axis(subject(name, digit), written(digits_, digit), expected, remedy);
  }
  constexpr Result<StridedAxes> complement(std::uint64_t space, std::string_view space_name,
                                           bool round_up, std::string_view own_name = "axes") const;
  constexpr Result<StridedAxes> compose(const StridedAxes& positions,
                                        std::string_view positions_name) const;

  detail::MixedRadix digits_;
  AxisOrder order_ = AxisOrder::last_fastest;
};

/// What tiling gives: joined, `inside` counts faster.
struct StridedTiles {
  StridedAxes inside;
  StridedAxes across;
};

/// The ranks of each group over these axes, counted from the group's first rank: its members are
/// `strided_axes(mesh, axes).ranks(first)`. Listed as in the mesh.
constexpr StridedAxes strided_axes(const Mesh& mesh, Axes axes) {
  StridedAxis list[detail::max_digits];
  std::size_t count = 0;
  for (int i = 0; i != mesh.axis_count(); ++i) {
    if ((mesh.axes_at(i) & axes) == Axes()) continue;
    const Axis axis = mesh.axis(i);
    list[count++] = {axis.size, axis.stride};
  }
  return *StridedAxes::make({list, count}, mesh.order());  // within the bounds of a mesh: no error
}
constexpr StridedAxes strided_axes(const Mesh& mesh, const Mesh::Names& axes) {
  return strided_axes(mesh, mesh.named(axes));
}

constexpr Result<StridedAxes> StridedAxes::make(const detail::ListArgument<StridedAxis>& axes,
                                                AxisOrder order) {
  if (axes.size() > std::size_t{max_axes}) return detail::too_many_axes(axes.size());
  StridedAxes out;
  out.order_ = order;
  const auto count = static_cast<std::uint32_t>(axes.size());
  std::int64_t positions = 1;
  std::int64_t last = 0;
  for (std::uint32_t k = 0; k != count; ++k) {
    const std::uint32_t i = detail::MeshData::listed(order, count, k);
    const StridedAxis& axis = axes[i];
    const auto refused = [&](std::string_view expected) {
      return detail::bad_axis(detail::joined<63>("axes[", std::uint64_t{i}, "]"),
                              detail::joined<48>(axis.size, ":", axis.stride), expected,
                              "change its size or its stride (written size:stride)");
    };
    if (axis.size < 1) return refused("a size of at least 1");
    if (axis.stride < 0) return refused("a stride of at least 0");
    positions *= axis.size;
    if (positions > INT32_MAX) return refused("fewer than 2^31 positions in all");
    last += std::int64_t{axis.size - 1} * axis.stride;
    if (last >= INT32_MAX) return refused("values below 2^31 - 1");
    out.digits_.push(static_cast<std::uint32_t>(axis.size),
                     static_cast<std::uint32_t>(axis.stride));
  }
  return out;
}

constexpr Result<StridedAxes> StridedAxes::join(const StridedAxes& a, const StridedAxes& b) {
  StridedAxis list[2 * detail::max_digits];
  std::size_t count = 0;
  for (const StridedAxes& part : {a, StridedAxes(b.digits_, a.order_)}) {
    for (int i = 0; i != part.axis_count(); ++i) list[count++] = part.axis(i);
  }
  return make({list, count}, a.order_);
}

constexpr detail::Text<191> StridedAxes::str() const {
  detail::Text<191> sizes;
  detail::Text<95> strides;
  for (int i = 0; i != axis_count(); ++i) {
    if (i != 0) {
      sizes.append(',');
      strides.append(',');
    }
    sizes.append_number(axis(i).size);
    strides.append_number(axis(i).stride);
  }
  if (axis_count() == 0) return "()";
  if (axis_count() == 1) return sizes.append(':').append(strides);
  return detail::joined<191>("(", sizes, "):(", strides, ")");
}

constexpr Result<StridedAxes> StridedAxes::complement(std::uint64_t space,
                                                      std::string_view space_name, bool round_up,
                                                      std::string_view own_name) const {
  using detail::StridedFault;
  const auto found = detail::complement_digits(digits_, space, round_up);
  if (found.fault == StridedFault::none) return StridedAxes(found.digits, order_);
  if (found.fault == StridedFault::too_many) return detail::too_many_axes(found.digits.count + 1);
  if (found.fault == StridedFault::overlap) {
    return bad(own_name, found.digit,
               detail::joined<159>("a stride over whole turns of the axes below it, ", found.reach,
                                   " here"),
               "change a stride: axes that may overlap have no complement");
  }
  return detail::bad_axis(
      space_name, detail::joined<24>(space),
      detail::joined<159>("a multiple of ", found.reach, ", what ", subject(own_name, found.other),
                          " ", written(digits_, found.other), " and the axes below it reach over"),
      "change it or the axes: nothing is left out silently");
}

constexpr Result<StridedAxes> StridedAxes::compose(const StridedAxes& positions,
                                                   std::string_view positions_name) const {
  using detail::StridedFault;
  const auto found = detail::compose_digits(digits_, positions.digits_);
  if (found.fault == StridedFault::none) return StridedAxes(found.digits, order_);
  if (found.fault == StridedFault::too_many) return detail::too_many_axes(max_axes + 1);
  const auto bad = [&](std::string_view expected, std::string_view remedy) {
    return positions.bad(positions_name, found.digit, expected, remedy);
  };
  if (found.fault == StridedFault::beyond) {
    return bad(detail::joined<159>("values below ", size(), ", the positions that there are"),
               "make it smaller");
  }
  const auto along = written(detail::coalesced(digits_), found.other);
  if (found.fault == StridedFault::carry) {
    return bad(detail::joined<159>("axes that together stay inside ", along),
               "list the axes so that each steps over whole turns of those before it");
  }
  return bad(detail::joined<159>("a stride over whole turns of ", along,
                                 ", or one that divides it, with whole parts taken"),
             "split an axis so that its parts divide");
}

constexpr Result<StridedTiles> StridedAxes::divide(const StridedAxes& tile) const {
  const auto inside = compose(tile, "tile");
  if (!inside) return inside.error();
  const auto rest = tile.complement(static_cast<std::uint64_t>(size()), "positions", false, "tile");
  if (!rest) return rest.error();
  const auto across = compose(*rest, "what the tile leaves");
  if (!across) return across.error();
  return StridedTiles{*inside, *across};
}

constexpr Result<StridedTiles> StridedAxes::product(const StridedAxes& copies) const {
  const auto too_far = [&] {
    return detail::bad_axis("copies", copies.str(),
                            detail::joined<159>("copies of ", size(), " that stay below 2^31 - 1"),
                            "make fewer copies, or lay them closer");
  };
  const std::uint64_t space =
      static_cast<std::uint64_t>(size()) * (std::uint64_t{copies.digits_.last()} + 1);
  if (space > INT32_MAX) return too_far();
  const auto places = complement(space, "copies", true);
  if (!places) return places.error();
  const auto across = places->compose(copies, "copies");
  if (!across) return across.error();
  // Gaps widen the places: below 2^32, but not always below what a rank may be.
  const std::uint64_t end = std::uint64_t{digits_.last()} + across->digits_.last();
  if (end >= INT32_MAX) return too_far();
  return StridedTiles{*this, *across};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_STRIDED_AXES_HPP
