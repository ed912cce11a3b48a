// SPDX-License-Identifier: MIT
// Shares for ranks of unequal speed: proportional to whole-number weights, by largest remainder.
// The counts add up exactly and never depend on rounding of floating point.
#ifndef RANKMAP_SAMPLER_WEIGHTED_SHARD_HPP
#define RANKMAP_SAMPLER_WEIGHTED_SHARD_HPP

#include <rankmap/detail/abort_with.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// Divides `total` items among weights, by largest remainder (Hamilton's method). Each weight gets
/// the whole part of total * weight / sum. The rest goes, one each, to the largest fractions; among
/// equal fractions to the lower index. A weight of 0 gets nothing.
///
/// The constructor costs O(64 * weights) and no memory. It refers to the weights.
class ProportionalSplit {
 public:
  /// Fails like Result::value() where make does.
  constexpr ProportionalSplit(std::uint64_t total, std::span<const std::uint64_t> weights)
      : ProportionalSplit(make(total, weights).value()) {}
  /// Errc::out_of_range: no weight above 0, or a sum of the weights of 2^63 or more.
  static constexpr Result<ProportionalSplit> make(std::uint64_t total,
                                                  std::span<const std::uint64_t> weights) {
    const auto sum = detail::sum_of_weights(weights, "pass a whole number for each rank");
    if (!sum) return sum.error();
    return ProportionalSplit(total, weights, *sum);
  }
  // Temporary weights would be gone: give them a name that outlives this.
  template <detail::TemporaryList Weights>
  ProportionalSplit(std::uint64_t, Weights&&) = delete;
  template <detail::TemporaryList Weights>
  static Result<ProportionalSplit> make(std::uint64_t, Weights&&) = delete;

  /// What one index gets: `size` items, after the `before` items of the lower indices.
  struct Part {
    std::uint64_t before = 0;
    std::uint64_t size = 0;
    friend constexpr bool operator==(const Part&, const Part&) = default;
  };

  /// The part of `index`. Precondition: index < number of weights. O(index).
  constexpr Part operator[](std::size_t index) const {
    Part part;
    std::uint64_t ties = at_threshold_;
    for (std::size_t i = 0; i <= index; ++i) {
      part.before += part.size;
      part.size = next(weights_[i], ties);
    }
    return part;
  }

  /// All parts at once, into `out` of as many elements as there are weights. O(weights).
  constexpr void sizes(std::span<std::uint64_t> out) const {
    std::uint64_t ties = at_threshold_;
    for (std::size_t i = 0; i != weights_.size(); ++i) out[i] = next(weights_[i], ties);
  }

 private:
  constexpr ProportionalSplit(std::uint64_t total, std::span<const std::uint64_t> weights,
                              std::uint64_t sum)
      : total_(total), weights_(weights), sum_(sum) {
    std::uint64_t given = 0;
    for (const std::uint64_t weight : weights_) given += split(weight).quotient;
    std::uint64_t left = total_ - given;  // fewer than there are weights
    // The largest fraction that at least `left` weights reach; above all fractions where nothing is
    // left. Found bit by bit, without memory for a sorted copy.
    for (std::uint64_t bit = std::uint64_t{1} << 62U; bit != 0; bit >>= 1U) {
      if (count_at_least(threshold_ | bit) >= left) threshold_ |= bit;
    }
    at_threshold_ = left - count_at_least(threshold_ + 1);
  }

  constexpr detail::Division split(std::uint64_t weight) const {
    return detail::divide_product(total_, weight, sum_);
  }
  constexpr std::uint64_t next(std::uint64_t weight, std::uint64_t& ties) const {
    const detail::Division share = split(weight);
    if (share.remainder > threshold_) return share.quotient + 1;
    if (share.remainder != threshold_ || ties == 0) return share.quotient;
    --ties;
    return share.quotient + 1;
  }
  constexpr std::uint64_t count_at_least(std::uint64_t remainder) const {
    std::uint64_t count = 0;
    for (const std::uint64_t weight : weights_) count += split(weight).remainder >= remainder;
    return count;
  }

  std::uint64_t total_;
  std::span<const std::uint64_t> weights_;
  std::uint64_t sum_;
  std::uint64_t threshold_ = 0;
  std::uint64_t at_threshold_ = 0;  // how many weights exactly at the threshold get one more
};
using Apportionment [[deprecated("use ProportionalSplit")]] = ProportionalSplit;

namespace detail {
// The part of one rank. A rank in the place of another argument has no weight.
constexpr ProportionalSplit::Part part_of_rank(std::uint64_t total, int rank,
                                               std::span<const std::uint64_t> weights) {
  const ProportionalSplit parts(total, weights);
  if (rank < 0 || static_cast<std::size_t>(rank) >= weights.size()) {
    throw_error(out_of_range("rank", rank,
                             concat("a rank in [0, ", weights.size(), "), which has a weight"),
                             "pass a weight for each rank"));
  }
  return parts[static_cast<std::size_t>(rank)];
}
}  // namespace detail

/// One contiguous run of the positions from `consumed` on, its length proportional to
/// weights[rank]. The runs of all ranks cover every position once. Ranks then take different
/// numbers of equal batches; where the steps must be equal, see `weighted_batches`. Fails as
/// ProportionalSplit does, and for a rank outside [0, weights.size()). Precondition: consumed <=
/// dataset_size, or the program ends with a message.
constexpr StridedIndices weighted_shard(std::uint64_t dataset_size, int rank,
                                        std::span<const std::uint64_t> weights,
                                        std::uint64_t consumed = 0) {
  detail::abort_on_bad_consumed(consumed, dataset_size);
  const auto part = detail::part_of_rank(dataset_size - consumed, rank, weights);
  return {dataset_size, consumed + part.before, 1, part.size};
}

/// Equal steps, unequal batches: in every step each rank takes the same part of the
/// `global_batch_size` positions, proportional to weights[rank]. A rank whose part rounds to
/// nothing has empty batches; give such a job a larger global batch. With Remainder::uneven the
/// lower ranks take what there is of the last global batch. World size, weights and batch size may
/// change at every restart. Fails as weighted_shard does. Preconditions: those of BatchShard.
constexpr BatchShard weighted_batches(std::uint64_t dataset_size, std::uint64_t global_batch_size,
                                      int rank, std::span<const std::uint64_t> weights,
                                      BatchOptions options = {}) {
  const auto part = detail::part_of_rank(global_batch_size, rank, weights);
  return {dataset_size, global_batch_size, BatchPart{part.before, part.size}, options};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_WEIGHTED_SHARD_HPP
