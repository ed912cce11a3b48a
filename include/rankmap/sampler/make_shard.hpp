// SPDX-License-Identifier: MIT
// A Shard of numbers that nobody has checked. An error costs more to include than all of shard.hpp.
#ifndef RANKMAP_SAMPLER_MAKE_SHARD_HPP
#define RANKMAP_SAMPLER_MAKE_SHARD_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// The Shard of these arguments, whose constructor has preconditions instead. Errc::out_of_range:
/// world_size below 1, rank outside [0, world_size), dataset_size above largest_dataset,
/// options.consumed above dataset_size, an order or a remainder that is no enumerator. O(1).
RANKMAP_NOINLINE constexpr Result<Shard> make_shard(std::uint64_t dataset_size, int rank,
                                                    int world_size,
                                                    const ShardOptions& options = {}) {
  if (const auto bad = detail::check_rank(rank, world_size)) return *bad;
  if (dataset_size > largest_dataset) {
    return detail::out_of_range("dataset_size", dataset_size, "fewer than 2^63 samples",
                                "pass the number of samples");
  }
  if (options.consumed > dataset_size) {
    return detail::out_of_range("consumed", options.consumed,
                                detail::concat("at most the data set's ", dataset_size, " samples"),
                                "start the next epoch with 0");
  }
  if (options.order != ShardOrder::strided && options.order != ShardOrder::blocked) {
    return detail::out_of_range("order", static_cast<int>(options.order),
                                "one of the orders: strided, blocked",
                                "pass an enumerator of ShardOrder");
  }
  if (options.remainder != Remainder::pad && options.remainder != Remainder::drop &&
      options.remainder != Remainder::uneven) {
    return detail::out_of_range("remainder", static_cast<int>(options.remainder),
                                "one of the remainders: pad, drop, uneven",
                                "pass an enumerator of Remainder");
  }
  return Shard(dataset_size, rank, world_size, options);
}

// make_shard(rank, world_size, data.size()): the size is first.
template <class Size>
requires(sizeof(Size) > sizeof(int) && requires(Size size) {
  size % 2;
}) Result<Shard> make_shard(std::uint64_t, int, Size, const ShardOptions& = {})
= delete;

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_MAKE_SHARD_HPP
