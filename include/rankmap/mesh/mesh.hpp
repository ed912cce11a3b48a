// SPDX-License-Identifier: MIT
// The process mesh. Pure arithmetic. One file, since all questions are members of one class.
#ifndef RANKMAP_MESH_MESH_HPP
#define RANKMAP_MESH_MESH_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/layout/rank_range.hpp>
#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/make_mesh.hpp>
#include <rankmap/mesh/detail/mesh_data.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// The coordinates of a rank, one for each axis in the order in which the mesh lists them.
struct Coordinate : AxisValues {
  using AxisValues::AxisValues;
};

/// A process as a member of a group. Samplers take it in place of a topology, so that ranks that
/// differ only along the other axes read the same samples.
class GroupMember {
 public:
  RANKMAP_HD constexpr GroupMember(int rank, int world_size) noexcept
      : rank_(rank), world_size_(world_size) {}
  RANKMAP_HD constexpr int rank() const noexcept { return rank_; }
  RANKMAP_HD constexpr int world_size() const noexcept { return world_size_; }

 private:
  int rank_;
  int world_size_;
};

/// Ranks below 2^31 - 1 along up to 8 named axes: a bijection between coordinates and the ranks of
/// a world, or of a slice of it. 128 bytes, trivially copyable, constexpr; nothing allocates.
///
/// A *group* over some axes is the set of ranks that share their coordinates on all other axes.
/// Those axes number the members of a group (the group rank), and the other axes number the groups,
/// both in the order of the mesh, whatever the order in which a question names them.
///
/// Questions take `Axes`, found once by `axes()`, or names, `{"dp", "cp"}` or `"dp-cp"`, which are
/// compared whole. A name that the mesh does not have is a mistake in the program: the question
/// fails as Result::value() does; `find_axes()` is the twin for names from outside. Precondition of
/// questions about a rank: the mesh contains it. O(axes) for an answer and an element of a range.
class Mesh {
  // the ranks of one group in the order of their group ranks
  struct OfGroup {
    detail::MixedRadix members;
    std::uint32_t base = 0;  // the member whose digits are all 0
    RANKMAP_HD constexpr int size() const noexcept { return static_cast<int>(members.total()); }
    RANKMAP_HD constexpr int operator[](int position) const noexcept {
      return static_cast<int>(base + members.at(static_cast<std::uint32_t>(position)));
    }
  };
  // all groups over some axes in the order of their ids
  struct OfGroups {
    detail::MixedRadix bases;
    OfGroup first;
    RANKMAP_HD constexpr int size() const noexcept { return static_cast<int>(bases.total()); }
    RANKMAP_HD constexpr RankRange<OfGroup> operator[](int id) const noexcept {
      OfGroup group = first;
      group.base += bases.at(static_cast<std::uint32_t>(id));
      return RankRange<OfGroup>(group);
    }
  };

 public:
  static constexpr int max_axes = detail::max_digits;
  /// As the size of an axis: computed from the world size.
  static constexpr int inferred = detail::inferred_size;
  /// Beyond the end of an axis.
  static constexpr int no_rank = -1;

  /// From whom to receive and to whom to send, as MPI_Cart_shift returns them; `no_rank`: nobody.
  struct Shift {
    int source = no_rank;
    int destination = no_rank;
    friend constexpr bool operator==(const Shift&, const Shift&) = default;
  };

  using Group = RankRange<OfGroup>;    ///< of int: the rank of each member
  using Groups = RankRange<OfGroups>;  ///< of Group, by group_id

  // ---- making ----------------------------------------------------------------------------------

  /// One rank and no axes.
  constexpr Mesh() = default;

  /// Ranks 0 .. product - 1 along the axes of a list. Errors, all naming the axis: `bad_axis` for a
  /// name that is empty, repeated or not made of letters, digits, '_' and '.', for a size below 1
  /// and for a product of 2^31 or more; `limit_exceeded` beyond 8 axes or 46 characters of names.
  static constexpr Result<Mesh> make(const AxisList& axes,
                                     AxisOrder order = AxisOrder::last_fastest) {
    return wrapped(detail::make_mesh(axes, 0, order));
  }
  /// The same for a world of `world_size` ranks; one size may be `inferred`. Further errors:
  /// `bad_axis` for another product and a second inferred axis; `out_of_range` for a world below 1.
  static constexpr Result<Mesh> make(const AxisList& axes, int world_size,
                                     AxisOrder order = AxisOrder::last_fastest) {
    if (const auto bad = detail::check_world_size(world_size, "world size")) return *bad;
    return wrapped(detail::make_mesh(axes, world_size, order));
  }

  /// The axes of `sizes` in the order of a text such as "tp-cp-ep-dp-pp", its first name fastest
  /// (Megatron's RankGenerator). Axes of size 1 that the text leaves out come last, as there.
  /// Further errors: `bad_axis` for a name in the text that `sizes` lacks or that is repeated, and
  /// for an axis of another size that the text leaves out.
  static constexpr Result<Mesh> from_megatron_order(std::string_view order, const AxisList& sizes) {
    return wrapped(detail::make_ordered_mesh(order, sizes, 0));
  }
  static constexpr Result<Mesh> from_megatron_order(std::string_view order, const AxisList& sizes,
                                                    int world_size) {
    if (const auto bad = detail::check_world_size(world_size, "world size")) return *bad;
    return wrapped(detail::make_ordered_mesh(order, sizes, world_size));
  }

  /// Axes with any strides, from the rank `offset` on. Errors: those of `make`; `bad_axis` for a
  /// stride below 1, for a rank of 2^31 - 1 or more, and unless each stride, sorted, is a multiple
  /// of size * stride of the axis before (which rejects a few that do not overlap, such as 3:2 with
  /// 2:3); `out_of_range` for an offset that is no rank below 2^31 - 1.
  static constexpr Result<Mesh> from_strides(const ListArgument<Axis>& axes, int offset = 0,
                                             AxisOrder order = AxisOrder::last_fastest) {
    return wrapped(detail::make_strided_mesh(axes, offset, order));
  }

  // ---- shape -----------------------------------------------------------------------------------

  /// The number of ranks in the mesh.
  RANKMAP_HD constexpr int size() const noexcept { return static_cast<int>(data_.digits.total()); }
  /// The rank whose coordinates are all 0: not 0 for most slices.
  RANKMAP_HD constexpr int first_rank() const noexcept { return static_cast<int>(data_.offset); }
  constexpr AxisOrder order() const { return data_.order; }
  RANKMAP_HD constexpr int axis_count() const noexcept {
    return static_cast<int>(data_.digits.count);
  }
  /// The i-th axis as listed. Precondition: 0 <= i < axis_count().
  constexpr Axis axis(int i) const {
    const std::uint32_t k = data_.listed(static_cast<std::uint32_t>(i));
    return {data_.names[k], static_cast<int>(data_.digits.sizes[k]),
            static_cast<int>(data_.digits.strides[k])};
  }
  /// The index of a name in the list of axes; -1 if there is none.
  constexpr int index_of(std::string_view axis_name) const {
    const std::uint32_t k = data_.find(axis_name);
    return k == data_.digits.count ? -1 : static_cast<int>(data_.listed(k));
  }

  /// The axes of these names, which the program itself knows. `Axes` stay what they are.
  RANKMAP_HD constexpr Axes axes(const AxesArgument& axes) const { return Axes(bits_of(axes)); }
  /// The checked twin, for names from outside. Errors: `bad_axis` for a name that the mesh does not
  /// have (the error lists those it has) or that is repeated.
  constexpr Result<Axes> find_axes(const AxisNames& names) const {
    const auto bits = detail::find_axes(data_, names);
    if (!bits) return bits.error();
    return Axes(*bits);
  }
  /// The i-th axis as listed. Precondition: 0 <= i < axis_count().
  constexpr Axes axes_at(int i) const {
    return Axes(1U << data_.listed(static_cast<std::uint32_t>(i)));
  }
  RANKMAP_HD constexpr Axes all_axes() const noexcept { return Axes(data_.all()); }
  /// The axes that are not among these.
  RANKMAP_HD constexpr Axes other_axes(const AxesArgument& axes) const {
    return Axes(data_.all() & ~bits_of(axes));
  }

  /// Whether the mesh holds every rank of a world exactly once.
  constexpr bool covers(int world_size) const {
    return data_.offset == 0 && size() == world_size &&
           data_.digits.last() + 1 == data_.digits.total();
  }
  /// Same axes, same ranks, same order. `same_groups` compares the sets of ranks only.
  friend constexpr bool operator==(const Mesh&, const Mesh&) = default;

  // ---- coordinates -----------------------------------------------------------------------------

  RANKMAP_HD constexpr bool contains(int rank) const noexcept {
    if (rank < first_rank()) return false;
    const std::uint32_t value = value_of(rank);
    return data_.part(data_.all(), value) == value;
  }
  RANKMAP_HD constexpr Coordinate coordinate(int rank) const noexcept {
    detail::DigitReader reader(value_of(rank));
    Coordinate out(data_.digits.count);
    for (std::uint32_t k = 0; k != data_.digits.count; ++k) {
      out[data_.listed(k)] = static_cast<int>(reader.read(data_.digits, k));
    }
    return out;
  }
  /// Preconditions: one coordinate for each axis, in [0, its size).
  RANKMAP_HD constexpr int rank_of(const Coordinate& coordinate) const noexcept {
    std::uint32_t rank = data_.offset;
    for (std::uint32_t i = 0; i != data_.digits.count; ++i) {
      rank += static_cast<std::uint32_t>(coordinate[i]) * data_.digits.strides[data_.listed(i)];
    }
    return static_cast<int>(rank);
  }
  /// Checked twins. Errors: `out_of_range` for a rank that is not in the mesh, a coordinate beyond
  /// its axis, a wrong number of them. Along `periodic` axes they wrap around, as in MPI_Cart_rank.
  constexpr Result<Coordinate> coordinate_at(int rank) const {
    if (contains(rank)) return coordinate(rank);
    return detail::out_of_range(
        "rank", rank,
        detail::concat("one of the ", size(), " ranks of the mesh, from ", first_rank(), " to ",
                       std::int64_t{data_.offset} + data_.digits.last()),
        "a rank outside has no coordinates: check contains() first");
  }
  constexpr Result<int> rank_at(const Coordinate& coordinate,
                                const AxesArgument& periodic = Axes()) const {
    const std::uint32_t wrapping = bits_of(periodic);
    if (coordinate.size() != std::size_t{data_.digits.count}) {
      return detail::out_of_range("coordinate", coordinate.size(),
                                  detail::concat("one number for each of ", axis_count(), " axes"),
                                  "pass the coordinates in the order of the axes");
    }
    Coordinate inside(coordinate.size());
    for (std::uint32_t i = 0; i != data_.digits.count; ++i) {
      const std::uint32_t k = data_.listed(i);
      const int size = static_cast<int>(data_.digits.sizes[k]);
      inside[i] = coordinate[i];
      if (detail::has_digit(wrapping, k)) {
        inside[i] = static_cast<int>((std::int64_t{coordinate[i]} % size + size) % size);
      } else if (coordinate[i] < 0 || coordinate[i] >= size) {
        return detail::bad_coordinate(data_.names[k], coordinate[i], size,
                                      "pass one of these, or name the axis as periodic");
      }
    }
    return rank_of(inside);
  }

  // ---- groups ----------------------------------------------------------------------------------

  /// The ranks that differ from `rank` only along these axes, itself included.
  RANKMAP_HD constexpr Group group(const AxesArgument& axes, int rank) const {
    return Group([&] { return group_source(bits_of(axes), rank); });
  }
  /// Every group over these axes, by number. GroupOrder::device_mesh is defined for one axis; for
  /// several it numbers as axis_order does.
  RANKMAP_HD constexpr Groups groups(const AxesArgument& axes,
                                     GroupOrder order = GroupOrder::axis_order) const {
    const std::uint32_t asked = bits_of(axes);
    const detail::MixedRadix& digits = data_.digits;
    std::uint32_t swapped = digits.count;  // the digit that the fastest one replaces
    if (order == GroupOrder::device_mesh) {
      // a swap of the two fastest changes nothing
      for (std::uint32_t k = 2; k < digits.count; ++k) {
        if (asked == 1U << k) swapped = k;
      }
    }
    detail::MixedRadix bases;
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if (swapped != digits.count ? k == 0 : detail::has_digit(asked, k)) continue;
      const std::uint32_t from = k == swapped ? 0 : k;
      bases.push_merged(digits.sizes[from], digits.strides[from]);
    }
    return Groups(OfGroups{bases, {data_.members(asked), data_.offset}});
  }
  /// All ranks of the mesh in the order of its axes.
  RANKMAP_HD constexpr Group ranks() const noexcept { return group(all_axes(), first_rank()); }

  /// The number of ranks in each group: the product of the sizes of these axes.
  RANKMAP_HD constexpr int group_size(const AxesArgument& axes) const {
    return static_cast<int>(data_.product(bits_of(axes)));
  }
  RANKMAP_HD constexpr int group_count(const AxesArgument& axes) const {
    return group_size(other_axes(axes));
  }
  /// The index in `groups(axes)` of the group of `rank`.
  RANKMAP_HD constexpr int group_id(const AxesArgument& axes, int rank) const {
    return group_rank(other_axes(axes), rank);
  }
  /// The index of `rank` in its group; over one axis, its coordinate.
  RANKMAP_HD constexpr int group_rank(const AxesArgument& axes, int rank) const {
    return static_cast<int>(data_.position(bits_of(axes), value_of(rank)));
  }
  /// Whether the ranks of each group are consecutive and in order.
  constexpr bool is_contiguous(const AxesArgument& axes) const {
    const detail::MixedRadix members = data_.members(bits_of(axes));
    return members.count == 0 || (members.count == 1 && members.strides[0] == 1);
  }

  // ---- along an axis ---------------------------------------------------------------------------

  /// The member of the group of `rank` that is `step` members on; `no_rank` beyond either end.
  RANKMAP_HD constexpr int neighbour(const AxesArgument& axes, int rank, int step) const {
    return along(bits_of(axes), rank, step, false);
  }
  /// The same with wrap-around: in a group of one, a rank is its own neighbour.
  RANKMAP_HD constexpr int ring_neighbour(const AxesArgument& axes, int rank, int step) const {
    return along(bits_of(axes), rank, step, true);
  }
  /// Source and destination where all send `step` members on (MPI_Cart_shift); below, in a ring.
  RANKMAP_HD constexpr Shift shift(const AxesArgument& axes, int rank, int step) const {
    const std::uint32_t bits = bits_of(axes);
    return {along(bits, rank, -std::int64_t{step}, false), along(bits, rank, step, false)};
  }
  RANKMAP_HD constexpr Shift ring_shift(const AxesArgument& axes, int rank, int step) const {
    const std::uint32_t bits = bits_of(axes);
    return {along(bits, rank, -std::int64_t{step}, true), along(bits, rank, step, true)};
  }
  /// Whether `rank` is the first or the last member of its group, as the stages of a pipeline.
  RANKMAP_HD constexpr bool is_first(const AxesArgument& axes, int rank) const {
    return group_rank(axes, rank) == 0;
  }
  RANKMAP_HD constexpr bool is_last(const AxesArgument& axes, int rank) const {
    const GroupMember member = group_member(axes, rank);
    return member.rank() == member.world_size() - 1;
  }
  /// Rank and size within the group, for a sampler.
  RANKMAP_HD constexpr GroupMember group_member(const AxesArgument& axes, int rank) const {
    const std::uint32_t bits = bits_of(axes);
    return {static_cast<int>(data_.position(bits, value_of(rank))),
            static_cast<int>(data_.product(bits))};
  }

  // ---- other meshes from this one --------------------------------------------------------------

  /// The mesh of these axes only, through `rank`: the ranks of group(axes, rank).
  constexpr Mesh slice(const AxesArgument& axes, int rank) const {
    return Mesh(detail::slice_mesh(data_, bits_of(axes), value_of(rank)));
  }

  /// The mesh without one axis, at one coordinate of it: `at("pp", 0)` is the first stage. Errors:
  /// `bad_axis` for an unknown axis, `out_of_range` for a coordinate beyond it.
  constexpr Result<Mesh> at(std::string_view axis, int coordinate) const {
    return wrapped(detail::fix_axis(data_, axis, coordinate));
  }

  /// Replaces neighbouring axes by other axes over the same ranks; one of the new sizes may be
  /// `inferred`. A second mesh for experts, for example: `reshape("dp-cp-tp", {{"edp",
  /// Mesh::inferred}, {"ep", 4}})`. Errors: those of `make` for the new list; `bad_axis` for axes
  /// that are unknown, no neighbours, or without a common stride.
  constexpr Result<Mesh> reshape(const AxisNames& from, const AxisList& to) const {
    return wrapped(detail::reshape_mesh(data_, from, to));
  }
  /// Replaces neighbouring axes by one.
  constexpr Result<Mesh> flatten(const AxisNames& from, std::string_view to) const {
    return reshape(from, {{to, inferred}});
  }
  /// Replaces one axis by several.
  constexpr Result<Mesh> split(std::string_view from, const AxisList& to) const {
    return reshape(AxisNames(from), to);
  }
  /// The axes in another order. Each rank keeps its coordinates, and groups keep their members;
  /// group ids and group ranks change. Errors: `bad_axis` unless every axis is named once.
  constexpr Result<Mesh> transpose(const AxisNames& order) const {
    return wrapped(detail::transpose_mesh(data_, order));
  }

  /// Whether the groups over these axes are the same sets of ranks as those over axes of another
  /// mesh, in any order. The pipeline groups of a dense mesh and its expert mesh must be. False
  /// unless both meshes cover the same world.
  constexpr bool same_groups(const AxesArgument& axes, const Mesh& other,
                             const AxesArgument& axes_of_other) const {
    const std::uint32_t mine = bits_of(axes);
    const std::uint32_t theirs = other.bits_of(axes_of_other);
    return covers(size()) && other.covers(size()) &&
           detail::canonical_members(data_, mine) == detail::canonical_members(other.data_, theirs);
  }

 private:
  constexpr explicit Mesh(const detail::MeshData& data) : data_(data) {}
  static constexpr Result<Mesh> wrapped(const Result<detail::MeshData>& data) {
    if (!data) return data.error();
    return Mesh(*data);
  }
  RANKMAP_HD constexpr std::uint32_t value_of(int rank) const noexcept {
    return static_cast<std::uint32_t>(rank) - data_.offset;
  }
  // Every question by name calls it, so the path without an error has no room for one.
  constexpr std::uint32_t bits_of_names(const AxisNames& names) const {
    std::uint32_t bits = 0;
    std::string_view last;
    if (!detail::read_axes(data_, names, bits, last)) {
      detail::throw_error(find_axes(names).error());
    }
    return bits;
  }
  RANKMAP_HD constexpr std::uint32_t bits_of(const AxesArgument& axes) const {
#ifndef __CUDA_ARCH__  // device code has no names
    if (axes.by_name_) return bits_of_names(axes.names_);
#endif
    return axes.axes_.bits_;
  }
  RANKMAP_HD constexpr OfGroup group_source(std::uint32_t axes, int rank) const noexcept {
    return {data_.members(axes),
            static_cast<std::uint32_t>(rank) - data_.part(axes, value_of(rank))};
  }
  // `step` is an int's value or its negative, so no sum here overflows.
  RANKMAP_HD constexpr int along(std::uint32_t axes, int rank, std::int64_t step,
                                 bool ring) const noexcept {
    const OfGroup group = group_source(axes, rank);
    const std::int64_t size = group.size();
    std::int64_t to = std::int64_t{data_.position(axes, value_of(rank))} + step;
    if (ring) {
      to %= size;
      if (to < 0) to += size;
    } else if (to < 0 || to >= size) {
      return no_rank;
    }
    return group[static_cast<int>(to)];
  }
  detail::MeshData data_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_MESH_HPP
