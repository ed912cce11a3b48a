// SPDX-License-Identifier: MIT
// Shards whose unit is the batch: every rank takes the same part of every global batch.
#ifndef RANKMAP_SAMPLER_BATCH_SHARD_HPP
#define RANKMAP_SAMPLER_BATCH_SHARD_HPP

#include <rankmap/detail/abort_with.hpp>
#include <rankmap/sampler/detail/cyclic_blocks.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// How to handle a last step that cannot fill every rank's batch, and where to start.
struct BatchOptions {
  Remainder remainder = Remainder::pad;
  std::uint64_t consumed = 0;  ///< samples that all ranks together have used already
  friend constexpr bool operator==(const BatchOptions&, const BatchOptions&) = default;
};

/// The part of every global batch that one rank takes: `size` positions from `offset` on.
struct BatchPart {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  friend constexpr bool operator==(const BatchPart&, const BatchPart&) = default;
};

/// Whole batches for each rank: in step s rank r takes the contiguous positions
/// (s * world_size + r) * batch_size + [0, batch_size), modulo the size of the data set. Equal to
/// BatchSamplerShard of Hugging Face accelerate, in both of its modes: split_batches gives each
/// rank batch_size / world_size. Remainder::pad is even_batches = true, Remainder::drop is
/// drop_last, and Remainder::uneven is even_batches = false.
///
/// After every step the used positions are a prefix of the order. So a job may restart from
/// `consumed_after` with any world size and any batch size.
class BatchShard : public PlaceRange<BatchShard> {
 public:
  constexpr BatchShard() = default;

  /// Preconditions: `dataset_size` in [0, largest_dataset]; `batch_size` >= 1, the samples of one
  /// rank in one step, with batch_size * world_size <= 2^63; `world_size` >= 1; `rank` in
  /// [0, world_size); options.consumed in [0, dataset_size]. Iterators measure distances up to
  /// largest_dataset; with padding size() may be one more. A rank of no world, a batch of 0 and a
  /// `consumed` above the size end the program with a message; as constants they do not compile.
  /// O(1).
  RANKMAP_HD constexpr BatchShard(std::uint64_t dataset_size, std::uint64_t batch_size, int rank,
                                  int world_size, BatchOptions options = {}) noexcept
      : BatchShard(dataset_size, batch_size * static_cast<std::uint32_t>(world_size),
                   part_of(batch_size, rank, world_size), options) {}

  /// With the rank and world size of a rankmap::Topology, or of another HasIntRank.
  template <HasIntRank Who>
  constexpr BatchShard(std::uint64_t dataset_size, std::uint64_t batch_size, const Who& who,
                       BatchOptions options = {})
      : BatchShard(dataset_size, batch_size, who.rank(), who.world_size(), options) {}

  /// Batches of a size for each rank: in every step this rank takes `part` of the global batch. The
  /// parts of all ranks must be disjoint and complete, as those of weighted_batches are.
  /// Preconditions: `global_batch_size` in [1, 2^63], part.offset + part.size <= global_batch_size.
  RANKMAP_HD constexpr BatchShard(std::uint64_t dataset_size, std::uint64_t global_batch_size,
                                  BatchPart part, BatchOptions options = {}) noexcept
      : dataset_size_(dataset_size),
        blocks_{global_batch_size, part.offset, part.size},
        options_(options) {
    detail::abort_on_no_batch(global_batch_size);
    detail::abort_on_bad_size(dataset_size);
    if (part.offset > global_batch_size || part.size > global_batch_size - part.offset) {
      detail::abort_with("BatchPart::offset", static_cast<long long>(part.offset),
                         "a part within the global batch",
                         "pass BatchShard(dataset_size, global_batch_size, part)");
    }
    detail::abort_on_bad_consumed(options.consumed, dataset_size);
    const std::uint64_t left = dataset_size - options.consumed;
    const std::uint64_t full = left / global_batch_size;
    const std::uint64_t rest = left % global_batch_size;
    steps_ = full + (rest != 0 && options.remainder != Remainder::drop ? 1U : 0U);
    size_ = options.remainder == Remainder::uneven ? blocks_.count_in(left) : steps_ * part.size;
  }

  /// Steps in which at least one rank has samples; the same number on every rank.
  RANKMAP_HD constexpr std::uint64_t steps() const noexcept { return steps_; }
  /// This rank's batch in step `step` < steps(), full but for the last of Remainder::uneven. O(1).
  RANKMAP_HD constexpr StridedIndices batch(std::uint64_t step) const noexcept {
    return {dataset_size_, options_.consumed + step * blocks_.period + blocks_.offset, 1,
            detail::count_within(step * blocks_.width, blocks_.width, size_)};
  }
  RANKMAP_HD constexpr std::uint64_t dataset_size() const noexcept { return dataset_size_; }
  /// Samples in a full batch of this rank.
  RANKMAP_HD constexpr std::uint64_t batch_size() const noexcept { return blocks_.width; }
  /// Samples in a full step of all ranks.
  RANKMAP_HD constexpr std::uint64_t global_batch_size() const noexcept { return blocks_.period; }
  /// Samples that all ranks together use in step `step` < steps(), without padding.
  RANKMAP_HD constexpr std::uint64_t real_count(std::uint64_t step) const noexcept {
    return consumed_after(step + 1) - consumed_after(step);
  }
  /// Samples that all ranks together have used after `steps` steps, without padding.
  RANKMAP_HD constexpr std::uint64_t consumed_after(std::uint64_t steps) const noexcept {
    const std::uint64_t left = dataset_size_ - options_.consumed;
    return options_.consumed + (steps > left / blocks_.period ? left : steps * blocks_.period);
  }

  /// Samples in all batches of this rank, one batch after another.
  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return size_; }
  /// The k-th position, in [0, dataset_size). Precondition: k < size(). O(1).
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t k) const noexcept {
    const std::uint64_t unwrapped = options_.consumed + blocks_.position(k);
    return unwrapped < dataset_size_ ? unwrapped : unwrapped % dataset_size_;
  }
  /// Whether the k-th position only fills a batch. Precondition: k < size().
  RANKMAP_HD constexpr bool is_padding(std::uint64_t k) const noexcept {
    return options_.consumed + blocks_.position(k) >= dataset_size_;
  }

 private:
  RANKMAP_HD static constexpr BatchPart part_of(std::uint64_t batch_size, int rank,
                                                int world_size) noexcept {
    detail::abort_on_bad_rank(rank, world_size,
                              "pass BatchShard(dataset_size, batch_size, rank, world_size)");
    if (batch_size > (std::uint64_t{1} << 63U) / static_cast<std::uint32_t>(world_size)) {
      detail::abort_with("batch_size", static_cast<long long>(batch_size),
                         "at most 2^63 / world_size", "pass the samples of one rank in one step");
    }
    return {batch_size * static_cast<std::uint32_t>(rank), batch_size};
  }

  std::uint64_t dataset_size_ = 0;
  detail::CyclicBlocks blocks_;
  BatchOptions options_;
  std::uint64_t steps_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_BATCH_SHARD_HPP
