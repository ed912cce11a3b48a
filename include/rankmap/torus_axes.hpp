// SPDX-License-Identifier: MIT
//
// A mesh on a torus of devices: which axes of the torus each axis of the mesh runs along, as JAX
// chooses them, and so which device has which coordinates.
#ifndef RANKMAP_TORUS_AXES_HPP
#define RANKMAP_TORUS_AXES_HPP

#include <rankmap/detail/mesh_axes.hpp>
#include <rankmap/detail/mesh_data.hpp>
#include <rankmap/detail/mesh_sizes.hpp>
#include <rankmap/detail/mixed_radix.hpp>
#include <rankmap/detail/text.hpp>
#include <rankmap/detail/torus_parts.hpp>
#include <rankmap/dims_create.hpp>
#include <rankmap/mesh.hpp>
#include <rankmap/result.hpp>
#include <rankmap/strided_axes.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

/// Whether several axes of a mesh may run along one axis of a torus.
enum class TorusSharing : std::uint8_t {
  whole_axes,  ///< no: full bandwidth for each, and fewer shapes
  split_axes,  ///< where it does not work out otherwise
};

/// What each axis of a mesh takes of each axis of a torus. Ranks number the torus row by row, its
/// last axis fastest. A trivially copyable value, constexpr, no allocation.
///
/// The axes of the mesh choose from the last of the list, the one that talks most, to the first:
/// each takes whole axes of the torus, rather three than two and two than one, and of those the
/// first in lexical order. Where one finds none and sharing is allowed, all choose again, parts
/// included: each takes what has the largest product of whole axes; then the most whole axes; then
/// the most of axes that are shared with those before it; then the most of the torus's first axis,
/// second axis and so on. Of an axis of the torus that is shared, the later axis of the mesh has
/// neighbouring ranks. Golden-tested against jax.experimental.mesh_utils, which chooses so.
class TorusAxes {
 public:
  /// `torus`: up to 8 sizes. One size of `axes` may be Mesh::inferred. Errors, naming the axis:
  /// those of Mesh::make for the ranks of the torus; `bad_axis` for a size of the torus below 1 and
  /// for 2^31 ranks or more, and with whole_axes where whole axes do not make a size;
  /// `limit_exceeded` for more than 8 sizes. Cost: a search among the divisors of the sizes,
  /// microseconds for a torus that exists.
  static constexpr Result<TorusAxes> make(const Dims& torus, const detail::AxisList& axes,
                                          TorusSharing sharing = TorusSharing::whole_axes);

  /// The number of ranks.
  constexpr int size() const { return size_; }
  constexpr int torus_axis_count() const { return static_cast<int>(torus_.count); }
  constexpr int axis_count() const { return static_cast<int>(count_); }
  /// How many coordinates of a torus axis lie along an axis of the mesh: 1 for none of it. All
  /// together make the size of both. Preconditions: both in range.
  constexpr int part(int torus_axis, int axis) const {
    return static_cast<int>(shares_[axis][static_cast<std::uint32_t>(torus_axis)]);
  }
  /// The ranks along an axis of the mesh from rank 0 on; its groups(size()) are all families.
  /// Precondition: 0 <= i < axis_count().
  constexpr StridedAxes axis(int i) const;
  /// The rank at some coordinates. Preconditions: one for each axis, in [0, its size).
  constexpr int rank_of(const Coordinate& coordinate) const {
    int rank = 0;
    for (int i = 0; i != axis_count(); ++i)
      rank += axis(i)[coordinate[static_cast<std::size_t>(i)]];
    return rank;
  }
  friend constexpr bool operator==(const TorusAxes&, const TorusAxes&) = default;

 private:
  constexpr TorusAxes() = default;
  constexpr bool take_whole(const int* sizes, std::uint32_t& failed);
  constexpr void take_parts(const int* sizes);

  detail::Torus torus_;
  detail::TorusShare shares_[detail::max_digits];
  std::uint32_t count_ = 0;
  int size_ = 1;
};

constexpr Result<TorusAxes> TorusAxes::make(const Dims& torus, const detail::AxisList& axes,
                                            TorusSharing sharing) {
  if (torus.size() > std::size_t{detail::max_digits}) {
    return detail::error_found(Errc::limit_exceeded, "torus",
                               detail::joined<24>(std::uint64_t{torus.size()}),
                               "at most 8 dimensions", "leave out dimensions of size 1");
  }
  TorusAxes out;
  std::int64_t ranks = 1;
  for (const int size : torus) {
    const auto bad = [&](std::string_view expected) {
      return detail::bad_axis(detail::joined<63>("torus[", std::uint64_t{out.torus_.count}, "]"),
                              detail::joined<24>(size), expected, "pass the sizes of the torus");
    };
    if (size < 1) return bad("a size of at least 1");
    ranks *= size;
    if (ranks > INT32_MAX) return bad("fewer than 2^31 ranks in all");
    out.torus_.sizes[out.torus_.count++] = static_cast<std::uint32_t>(size);
  }
  out.size_ = static_cast<int>(ranks);
  const auto sizes = detail::resolve_sizes(axes, out.size_, "torus ranks");
  if (!sizes) return sizes.error();
  out.count_ = static_cast<std::uint32_t>(axes.size());
  std::uint32_t failed = 0;
  if (out.take_whole(sizes->sizes, failed)) return out;
  if (sharing == TorusSharing::whole_axes) {
    detail::Text<159> expected("the product of up to 3 whole axes of the torus ");
    for (std::size_t p = 0; p != torus.size(); ++p) {
      expected.append(p == 0 ? "" : "x").append_number(torus[p]);
    }
    return detail::bad_axis(detail::axis_subject(axes[failed].name),
                            detail::joined<24>(sizes->sizes[failed]),
                            expected.append(" that no later axis took"),
                            "change the sizes, or pass TorusSharing::split_axes");
  }
  out.take_parts(sizes->sizes);
  return out;
}

constexpr bool TorusAxes::take_whole(const int* sizes, std::uint32_t& failed) {
  detail::TorusShare shares[detail::max_digits];
  std::uint32_t free = (1U << torus_.count) - 1;
  for (std::uint32_t axis = count_; axis-- != 0;) {
    const auto wanted = static_cast<std::uint32_t>(sizes[axis]);
    std::uint32_t taken = 0;
    for (std::uint32_t how_many = 3; how_many != 0 && taken == 0; --how_many) {
      taken = detail::whole_torus_axes(torus_, free, 0, how_many, wanted);
    }
    if (taken == 0 && wanted != 1) {
      failed = axis;
      return false;
    }
    free &= ~taken;
    for (std::uint32_t p = 0; p != torus_.count; ++p) {
      if (detail::has_digit(taken, p)) shares[axis].set(p, torus_.sizes[p]);
    }
  }
  for (std::uint32_t axis = 0; axis != count_; ++axis) shares_[axis] = shares[axis];
  return true;
}

constexpr void TorusAxes::take_parts(const int* sizes) {
  detail::TorusShare used;  // by all axes so far
  for (std::uint32_t axis = count_; axis-- != 0;) {
    const detail::TorusSplit split(torus_, used, static_cast<std::uint32_t>(sizes[axis]));
    shares_[axis] = split.best();
    for (std::uint32_t p = 0; p != torus_.count; ++p) used.set(p, used[p] * shares_[axis][p]);
  }
}

constexpr StridedAxes TorusAxes::axis(int i) const {
  StridedAxis list[detail::max_digits];
  std::uint32_t row = 1;
  for (std::uint32_t p = torus_.count; p-- != 0;) {
    std::uint32_t stride = row;
    for (std::uint32_t later = static_cast<std::uint32_t>(i) + 1; later != count_; ++later) {
      stride *= shares_[later][p];
    }
    list[p] = {part(static_cast<int>(p), i), static_cast<int>(stride)};
    row *= torus_.sizes[p];
  }
  return StridedAxes::make({list, torus_.count})->coalesce();  // inside the torus: no error
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORUS_AXES_HPP
