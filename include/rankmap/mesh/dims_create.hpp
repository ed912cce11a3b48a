// SPDX-License-Identifier: MIT
// Ranks in a grid that is as even as possible: MPI_Dims_create without MPI, with a stated optimum.
#ifndef RANKMAP_MESH_DIMS_CREATE_HPP
#define RANKMAP_MESH_DIMS_CREATE_HPP

#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

namespace detail {

/// The divisors of a number, ascending: below 2^31 at most 1600, which 2095133040 has.
struct Divisors {
  std::uint32_t values[1600] = {};
  std::size_t count = 0;

  constexpr explicit Divisors(std::uint32_t n) {
    std::uint32_t low = 1;
    for (; low * low < n; ++low) {  // low stays below 2^16: no overflow
      if (n % low == 0) values[count++] = low;
    }
    const std::size_t below = count;
    if (low * low == n) values[count++] = low;
    for (std::size_t i = below; i != 0; --i) values[count++] = n / values[i - 1];
  }
};

/// base^exponent, or UINT64_MAX where that is 2^32 or more. Preconditions: base, exponent < 2^32.
constexpr std::uint64_t bounded_power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i != exponent; ++i) {
    power *= base;
    if (power > UINT32_MAX) return UINT64_MAX;
  }
  return power;
}

/// `count` factors of n with the smallest spread; of those, with the largest smallest factor; of
/// those, the first in lexical order. Preconditions: n >= 1, 1 <= count <= max_digits.
class BalancedFactors {
 public:
  constexpr BalancedFactors(std::uint32_t n, std::size_t count) : divisors_(n), count_(count) {
    fill(0, n, n);
  }
  /// Factor `i` < count, in the order of size, the largest first.
  constexpr std::uint32_t operator[](std::size_t i) const { return best_[i]; }

 private:
  // Tries the factors of `rest` from `place` on, none above the one before it, `high`, and each in
  // ascending order. It goes no further where the last one, which is at most the mean of those
  // behind a place, would be too small for the best spread so far.
  RANKMAP_NOINLINE constexpr void fill(std::size_t place, std::uint32_t rest, std::uint32_t high) {
    const std::size_t behind = count_ - 1 - place;
    if (behind == 0) return keep_better(rest);
    for (std::size_t i = 0; i != divisors_.count && divisors_.values[i] <= high; ++i) {
      const std::uint32_t factor = divisors_.values[i];
      if (rest % factor != 0 || bounded_power(factor, behind + 1) < rest) continue;
      trial_[place] = factor;
      const std::uint32_t largest = trial_[0];
      const std::uint32_t least = largest > spread_ ? largest - spread_ : 0;
      if (bounded_power(least, behind) > rest / factor) return;
      fill(place + 1, rest / factor, factor);
    }
  }
  // Of equal spreads, the one below a larger largest factor has the larger smallest one.
  constexpr void keep_better(std::uint32_t smallest) {
    trial_[count_ - 1] = smallest;
    const std::uint32_t spread = trial_[0] - smallest;
    if (spread > spread_ || (spread == spread_ && smallest <= best_[count_ - 1])) return;
    spread_ = spread;
    for (std::size_t i = 0; i != count_; ++i) best_[i] = trial_[i];
  }

  Divisors divisors_;
  std::size_t count_;
  std::uint32_t trial_[max_digits] = {};
  std::uint32_t best_[max_digits] = {};
  std::uint32_t spread_ = UINT32_MAX;
};

}  // namespace detail

/// The sizes of a grid, at most 8. 0 in an argument: to be computed.
struct Dims : AxisValues {
  using AxisValues::AxisValues;
  /// `count` entries to be computed.
  static constexpr Dims to_find(std::size_t count) { return Dims(count); }
};

/// Sets the entries of `dims` that are 0, so that the product is `ranks`; the others stay. The new
/// entries do not increase from first to last. Of all grids it is the one whose largest and
/// smallest entry are closest; of these the one with the largest smallest entry; of these the first
/// in lexical order. For 1 to 4096 ranks in 2 to 5 dimensions MPICH 4.0.2 gives the same (Open
/// MPI 4.1.4 misses the optimum in 149 cases, such as 72 -> 12, 6 instead of 9, 8).
///
/// Errors: `out_of_range` for fewer than one rank and for a negative entry; `limit_exceeded` for
/// more than 8 entries; `bad_axis` where the product of the given entries does not divide the
/// ranks, or where all are given and it is not their number. Cost: O(sqrt(ranks)) for the divisors,
/// and a search over them of some milliseconds at most for any number below 2^31. Golden-tested.
constexpr Result<Dims> dims_create(int ranks, Dims dims) {
  if (ranks < 1) {
    return detail::out_of_range("ranks", ranks, "at least one rank",
                                "pass the number of ranks to arrange");
  }
  if (dims.size() > std::size_t{detail::max_digits}) {
    return detail::error_at(Errc::limit_exceeded, "dims", detail::concat(dims.size()),
                            "at most 8 dimensions", "leave out dimensions of size 1");
  }
  std::int64_t given = 1;
  std::size_t open = 0;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    const auto subject = detail::concat("dims[", i, "]");
    const auto found = detail::concat(dims[i]);
    if (dims[i] < 0) {
      return detail::error_at(Errc::out_of_range, subject, found, "0 or a size of at least 1",
                              "pass 0 to compute it");
    }
    if (dims[i] == 0) {
      ++open;
      continue;
    }
    given *= dims[i];
    if (ranks % given != 0) {
      return detail::error_at(Errc::bad_axis, subject, found,
                              detail::concat("given sizes whose product divides ", ranks,
                                             ", and it is ", given, " so far"),
                              "change it, or pass 0 to compute it");
    }
  }
  if (open == 0 && given != ranks) {
    return detail::error_at(Errc::bad_axis, "dims", detail::concat(given),
                            detail::concat("sizes whose product is ", ranks),
                            "pass 0 for at least one of them");
  }
  if (open == 0) return dims;
  const detail::BalancedFactors found(static_cast<std::uint32_t>(ranks / given), open);
  std::size_t next = 0;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] == 0) dims[i] = static_cast<int>(found[next++]);
  }
  return dims;
}

/// The same with no size given: `dims_create<2>(72)` is 9, 8.
template <std::size_t Count>
constexpr Result<Dims> dims_create(int ranks) {
  static_assert(Count != 0 && Count <= std::size_t{detail::max_digits});
  return dims_create(ranks, Dims::to_find(Count));
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_DIMS_CREATE_HPP
