// SPDX-License-Identifier: MIT
// Ranks and world sizes from a caller: any integer type becomes the int that rankmap counts with.
// Here is also the one check that a rank is one of a world.
#ifndef RANKMAP_DETAIL_CHECK_RANK_HPP
#define RANKMAP_DETAIL_CHECK_RANK_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>

#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// `number`, of any width. Fails as Result::value() does where no int holds it.
template <class Integer>
constexpr int as_int(std::string_view subject, Integer number) {
  if (!std::in_range<int>(number)) {
    throw_error(out_of_range(subject, number, "a number that fits int",
                             "pass the number from the launcher"));
  }
  return static_cast<int>(number);
}

/// What the caller calls the two numbers.
struct RankNames {
  std::string_view rank = "rank";
  std::string_view world_size = "world_size";
  std::string_view remedy = "pass the global rank, counted from 0";
};

/// Nothing, or `out_of_range` for a world below 1.
constexpr Optional<Error> check_world_size(int world_size, std::string_view name = "world_size") {
  if (world_size >= 1) return {};
  return out_of_range(name, world_size, "at least 1", "pass the number of all ranks");
}

/// Nothing, or `out_of_range` unless 0 <= rank < world_size.
constexpr Optional<Error> check_rank(int rank, int world_size, const RankNames& names = {}) {
  if (Optional<Error> error = check_world_size(world_size, names.world_size)) return error;
  if (rank >= 0 && rank < world_size) return {};
  return out_of_range(names.rank, rank, concat("a rank in [0, ", world_size, ")"), names.remedy);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_CHECK_RANK_HPP
