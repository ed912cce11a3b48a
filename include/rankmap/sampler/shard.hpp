// SPDX-License-Identifier: MIT
// Which positions of an index range belong to a rank. Pure arithmetic without lists: everything is
// O(1) at any size of the data set and of the world.
#ifndef RANKMAP_SAMPLER_SHARD_HPP
#define RANKMAP_SAMPLER_SHARD_HPP

#include <rankmap/detail/abort_with.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// Which positions each rank takes.
enum class ShardOrder : std::uint8_t {
  strided,  ///< rank r takes r, r + W, r + 2W, ...: after each step the used part is a prefix
  blocked,  ///< rank r takes one contiguous run, for storage that is read in order
};

constexpr const char* name(ShardOrder order) {
  return detail::enumerator("strided\0blocked", order);
}

/// How to handle positions that do not divide evenly.
enum class Remainder : std::uint8_t {
  pad,     ///< all ranks get the larger share; missing positions are taken from the head again
  drop,    ///< all ranks get the smaller share; the last `remaining mod W` positions are not used
  uneven,  ///< every position exactly once; shares, and so step counts, may differ by one
};

constexpr const char* name(Remainder remainder) {
  return detail::enumerator("pad\0drop\0uneven", remainder);
}

/// How to shard. `consumed` counts the positions at the head of the order that all ranks together
/// have used already. A restart continues from there with any world size.
struct ShardOptions {
  ShardOrder order = ShardOrder::strided;
  Remainder remainder = Remainder::pad;
  std::uint64_t consumed = 0;

  friend constexpr bool operator==(const ShardOptions&, const ShardOptions&) = default;
};

/// Whose a position is: the `index`-th in the share of `rank`. `rank` is -1 for a position without
/// an owner: one that was used before, or is dropped.
struct ShardIndex {
  int rank = -1;
  std::uint64_t index = 0;
  RANKMAP_HD friend constexpr bool operator==(const ShardIndex&, const ShardIndex&) = default;
};
using Owner [[deprecated("use ShardIndex")]] = ShardIndex;

/// The share of one rank. The shares of all ranks are disjoint and complete, apart from the
/// remainder, and the same on every platform.
///
/// The strided order with `pad` or `drop` is that of PyTorch's DistributedSampler: item k of rank r
/// is position (r + k * world_size) mod dataset_size. Tested over all small worlds.
///
///     for (std::uint64_t position : rankmap::Shard(1000, rank, world_size)) read(position);
class Shard {
 public:
  using value_type = std::uint64_t;
  using iterator = StridedIndices::iterator;

  constexpr Shard() = default;

  /// Preconditions: `dataset_size` in [0, largest_dataset], `world_size` >= 1, `rank` in [0,
  /// world_size), `options.consumed` in [0, dataset_size]; order and remainder are enumerators.
  /// Rank and world size in the wrong places, a negative size, and a `consumed` above the size end
  /// the program with a message; as constants they do not compile, nor does a world size of a type
  /// wider than int. make_shard returns an error instead. O(1).
  RANKMAP_HD constexpr Shard(std::uint64_t dataset_size, int rank, int world_size,
                             ShardOptions options = {}) noexcept
      : dataset_size_(dataset_size),
        world_size_(static_cast<std::uint32_t>(world_size)),
        rank_(static_cast<std::uint32_t>(rank)),
        options_(options) {
    detail::abort_on_bad_rank(rank, world_size, "pass Shard(dataset_size, rank, world_size)");
    detail::abort_on_bad_size(dataset_size);
    detail::abort_on_bad_consumed(options.consumed, dataset_size);
    const std::uint64_t least = remaining() / world_size_;
    const std::uint64_t longer = longer_shares();
    const std::uint64_t count = least + (rank_ < longer ? 1U : 0U);
    if (options.order == ShardOrder::strided) {
      positions_ = {dataset_size, options.consumed + rank_, world_size_, count};
    } else {
      const std::uint64_t before = rank_ * least + (rank_ < longer ? rank_ : longer);
      positions_ = {dataset_size, options.consumed + before, 1, count};
    }
  }

  // Shard(rank, world_size, data.size()): the size is first.
  template <class Size>
  requires(sizeof(Size) > sizeof(int) && requires(Size size) { size % 2; })
      Shard(std::uint64_t dataset_size, int rank, Size world_size, ShardOptions options = {})
  = delete;

  /// With the rank and world size of a rankmap::Topology, or of another HasIntRank.
  template <HasIntRank Who>
  constexpr Shard(std::uint64_t dataset_size, const Who& who, ShardOptions options = {})
      : Shard(dataset_size, who.rank(), who.world_size(), options) {}

  /// How many positions this rank has, padding included.
  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return positions_.size(); }
  RANKMAP_HD constexpr bool empty() const noexcept { return positions_.empty(); }
  /// The same without padding: the weight of this rank's metrics.
  RANKMAP_HD constexpr std::uint64_t real_size() const noexcept { return positions_.real_size(); }
  /// The k-th position, in [0, dataset_size()). Precondition: k < size(). O(1).
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t k) const noexcept {
    return positions_[k];
  }
  /// Whether the k-th position is padding, which only makes the share as long as the others.
  RANKMAP_HD constexpr bool is_padding(std::uint64_t k) const noexcept {
    return positions_.is_padding(k);
  }
  /// At most `count` positions from the k-th on; fewer, or none, at the end of the share. O(1).
  RANKMAP_HD constexpr StridedIndices slice(std::uint64_t k, std::uint64_t count) const noexcept {
    return positions_.slice(k, count);
  }
  RANKMAP_HD constexpr StridedIndices positions() const noexcept { return positions_; }
  RANKMAP_HD constexpr iterator begin() const noexcept { return positions_.begin(); }
  RANKMAP_HD constexpr iterator end() const noexcept { return positions_.end(); }

  RANKMAP_HD constexpr std::uint64_t dataset_size() const noexcept { return dataset_size_; }
  RANKMAP_HD constexpr int rank() const noexcept { return static_cast<int>(rank_); }
  RANKMAP_HD constexpr int world_size() const noexcept { return static_cast<int>(world_size_); }
  RANKMAP_HD constexpr ShardOptions options() const noexcept { return options_; }
  /// Positions that were not used before this shard.
  RANKMAP_HD constexpr std::uint64_t remaining() const noexcept {
    return dataset_size_ - options_.consumed;
  }
  /// The sum of all ranks' sizes: `remaining()` rounded up (pad), down (drop) or as it is (uneven).
  RANKMAP_HD constexpr std::uint64_t total_size() const noexcept {
    return options_.remainder == Remainder::uneven ? remaining() : positions_.size() * world_size_;
  }

  /// Steps of `batch_size` (>= 1) samples for each rank, until all ranks have read their share. It
  /// is the same number on every rank: with `Remainder::uneven` the last batch of some ranks is
  /// shorter, or empty. `full_only` counts only the steps in which every rank's batch is full.
  RANKMAP_HD constexpr std::uint64_t steps(std::uint64_t batch_size,
                                           bool full_only = false) const noexcept {
    detail::abort_on_no_batch(batch_size);
    const std::uint64_t least = remaining() / world_size_;
    const std::uint64_t longer = longer_shares();
    if (full_only) return (least + (longer == world_size_ ? 1U : 0U)) / batch_size;
    const std::uint64_t longest = least + (longer != 0 ? 1U : 0U);
    return longest / batch_size + (longest % batch_size != 0 ? 1U : 0U);
  }

  /// This rank's batch of step `step` < steps(batch_size): up to `batch_size` positions. O(1).
  RANKMAP_HD constexpr StridedIndices batch(std::uint64_t step,
                                            std::uint64_t batch_size) const noexcept {
    return positions_.slice(step * batch_size, batch_size);
  }

  /// How many samples all ranks together have used once each has read its first k positions,
  /// without padding: the `consumed` to restart from. A rank with fewer than k positions has read
  /// them all. Precondition for a blocked order: k is 0 or steps(1), since between them the used
  /// positions are no prefix.
  RANKMAP_HD constexpr std::uint64_t consumed_after(std::uint64_t k) const noexcept {
    const std::uint64_t left = remaining();
    return options_.consumed + (k > left / world_size_ ? left : k * world_size_);
  }

  /// Which rank has `position`, and at which index of its share. It is the index where the position
  /// is used first, never that of padding. O(1).
  RANKMAP_HD constexpr ShardIndex owner_of(std::uint64_t position) const noexcept {
    if (position < options_.consumed || position >= dataset_size_) return {};
    const std::uint64_t offset = position - options_.consumed;
    const std::uint64_t least = remaining() / world_size_;
    const std::uint64_t longer = longer_shares();
    if (options_.remainder == Remainder::drop && offset >= least * world_size_) return {};
    if (options_.order == ShardOrder::strided) {
      return {static_cast<int>(offset % world_size_), offset / world_size_};
    }
    const std::uint64_t in_longer = longer * (least + 1);
    if (offset < in_longer) return {static_cast<int>(offset / (least + 1)), offset % (least + 1)};
    return {static_cast<int>(longer + (offset - in_longer) / least), (offset - in_longer) % least};
  }

  friend constexpr bool operator==(const Shard&, const Shard&) = default;

 private:
  // The first so many ranks have one position more than remaining() / world_size().
  RANKMAP_HD constexpr std::uint64_t longer_shares() const noexcept {
    const std::uint64_t rest = remaining() % world_size_;
    if (options_.remainder == Remainder::drop) return 0;
    return options_.remainder == Remainder::pad && rest != 0 ? world_size_ : rest;
  }

  std::uint64_t dataset_size_ = 0;
  std::uint32_t world_size_ = 1;
  std::uint32_t rank_ = 0;
  ShardOptions options_;
  StridedIndices positions_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_SHARD_HPP
