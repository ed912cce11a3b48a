// SPDX-License-Identifier: MIT
//
// How to cut a number of ranks into a grid that is as even as it can be: MPI_Dims_create without
// MPI, and with a stated optimum.
#ifndef RANKMAP_MESH_DIMS_CREATE_HPP
#define RANKMAP_MESH_DIMS_CREATE_HPP

#include <rankmap/mesh/detail/axis_values.hpp>
#include <rankmap/mesh/detail/balanced_factors.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

/// The sizes of a grid, at most 8. 0 in an argument: to be found.
class Dims : public detail::AxisValues {
 public:
  using detail::AxisValues::AxisValues;
  /// `count` entries to be found.
  static constexpr Dims to_find(std::size_t count) { return Dims(count); }
};

/// Fills the entries of `dims` that are 0 so that the product is `ranks`; the others stay. The
/// filled entries do not increase from first to last. Of all ways the one is taken whose largest
/// and smallest entry are closest, then the one whose smallest is largest, then the first in
/// lexical order: for 1 to 4096 ranks in 2 to 5 dimensions exactly what MPICH 4.0.2 answers
/// (Open MPI 4.1.4 misses the optimum in 149 of these, such as 72 -> 12, 6 for 9, 8).
///
/// Errors: `out_of_range` for fewer than one rank and for a negative entry; `limit_exceeded` for
/// more than 8 entries; `bad_axis` where the given entries do not divide the ranks, and where all
/// are given and their product is another number. Cost: O(sqrt(ranks)) for the divisors, and a
/// search over them that no number below 2^31 makes longer than some milliseconds. Golden-tested.
constexpr Result<Dims> dims_create(int ranks, Dims dims) {
  if (ranks < 1) {
    return detail::error_at(Errc::out_of_range, "ranks", detail::concat<24>(ranks),
                            "at least one rank", "pass the number of ranks to arrange");
  }
  if (dims.size() > std::size_t{detail::max_digits}) {
    return detail::error_at(Errc::limit_exceeded, "dims",
                            detail::concat<24>(std::uint64_t{dims.size()}), "at most 8 dimensions",
                            "leave out dimensions of size 1");
  }
  std::int64_t given = 1;
  std::size_t open = 0;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    const auto subject = detail::concat<63>("dims[", std::uint64_t{i}, "]");
    const auto found = detail::concat<24>(dims[i]);
    if (dims[i] < 0) {
      return detail::error_at(Errc::out_of_range, subject, found, "0 or a size of at least 1",
                              "pass 0 to have it found");
    }
    if (dims[i] == 0) {
      ++open;
      continue;
    }
    given *= dims[i];
    if (ranks % given != 0) {
      return detail::error_at(Errc::bad_axis, subject, found,
                              detail::concat<159>("given sizes that divide ", ranks,
                                                  ", and up to here they make ", given),
                              "change it, or pass 0 to have it found");
    }
  }
  if (open == 0 && given != ranks) {
    return detail::error_at(Errc::bad_axis, "dims", detail::concat<24>(given),
                            detail::concat<159>("sizes whose product is ", ranks),
                            "pass 0 for at least one of them");
  }
  if (open == 0) return dims;
  const detail::Factors found =
      detail::balanced_factors(static_cast<std::uint32_t>(ranks / given), open);
  std::size_t next = 0;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] == 0) dims[i] = static_cast<int>(found.values[next++]);
  }
  return dims;
}

/// The same with nothing given: `dims_create<2>(72)` is 9, 8.
template <std::size_t Count>
constexpr Result<Dims> dims_create(int ranks) {
  static_assert(Count != 0 && Count <= std::size_t{detail::max_digits});
  return dims_create(ranks, Dims::to_find(Count));
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_DIMS_CREATE_HPP
