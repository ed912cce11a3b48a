// SPDX-License-Identifier: MIT
// PyTorch's sampler of a job, sample for sample, without its lists.
#ifndef RANKMAP_TORCH_DISTRIBUTED_SAMPLER_HPP
#define RANKMAP_TORCH_DISTRIBUTED_SAMPLER_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/detail/reset_on_move.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/make_shard.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/randperm.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rankmap::inline v0 {

/// The arguments of torch.utils.data.DistributedSampler, with its defaults.
struct DistributedSamplerOptions {
  bool shuffle = true;
  TorchSeed seed = 0;
  bool drop_last = false;
  TorchAlgorithm algorithm = TorchAlgorithm::from_2_6;
};

/// The order of a DistributedSampler's epoch, made as it is read. The head costs no more than the
/// head; the whole takes at most one array of 32-bit numbers (64-bit from 2^32 samples on).
/// Movable, not copyable; empty once moved from.
class TorchOrder {
 public:
  TorchOrder() = default;
  /// Allocates nothing: the first read does. Errc::out_of_range where the order is shuffled and
  /// seed + epoch is outside [-2^63, 2^64).
  static Result<TorchOrder> make(std::uint64_t size, const DistributedSamplerOptions& options,
                                 TorchSeed epoch) {
    if (!options.shuffle) return TorchOrder(size, options, epoch, {});
    const Result<TorchSeed> seed = TorchSeed::sum(options.seed, epoch);
    if (!seed) return seed.error();
    return TorchOrder(size, options, epoch, {*seed, size, options.algorithm});
  }
  /// The same in the memory of `finished`, which becomes empty unless this fails.
  static Result<TorchOrder> make(std::uint64_t size, const DistributedSamplerOptions& options,
                                 TorchSeed epoch, TorchOrder&& finished) {
    Result<TorchOrder> order = make(size, options, epoch);
    if (!order) return order;
    if (options.shuffle) {
      order->permutation_ = {*TorchSeed::sum(options.seed, epoch), size, options.algorithm,
                             std::move(finished.permutation_)};
    }
    finished = TorchOrder();
    return order;
  }

  std::uint64_t size() const { return size_; }
  /// The sample at `place` < size(), in any sequence. Not const, since it may continue the shuffle.
  std::uint64_t operator[](std::uint64_t place) {
    return permutation_.size() == 0 ? place : permutation_[place];
  }
  /// As SampleOrder says, but not const, as operator[].
  void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
            std::uint64_t stride = 1) {
    if (permutation_.size() != 0) return permutation_.fill(first, out, count, stride);
    for (std::uint64_t k = 0; k != count; ++k) out[k] = first + k * stride;
  }
  /// Errc::bad_sampler for a negative seed or epoch, which saved state cannot hold.
  Result<SavedOrder> saved_as() const {
    for (const TorchSeed& number : {options_.seed, epoch_}) {
      if (const auto bad = detail::check_sign(number, "seed or epoch")) return *bad;
    }
    const char* const shuffled =
        options_.algorithm == TorchAlgorithm::up_to_2_5 ? "torch-classic" : "torch-2.6";
    return SavedOrder{options_.shuffle ? shuffled : "sequential", options_.seed.bits(),
                      epoch_.bits(), 0};
  }

 private:
  TorchOrder(std::uint64_t size, const DistributedSamplerOptions& options, TorchSeed epoch,
             TorchPermutation permutation)
      : size_(size), permutation_(std::move(permutation)), options_(options), epoch_(epoch) {}

  detail::ResetOnMove<std::uint64_t> size_;
  TorchPermutation permutation_;  // empty where nothing is shuffled
  DistributedSamplerOptions options_;
  TorchSeed epoch_;
};

/// Bit for bit torch.utils.data.DistributedSampler: the same samples in the same order on every
/// rank, for every seed, epoch and drop_last. Golden-tested against PyTorch 1.13 and 2.6.
///
/// The epoch is an argument, so there is no set_epoch to forget. The number of samples that all
/// ranks together have used is an argument too, which PyTorch does not have: with it the same order
/// continues after a restart with another number of ranks. An object is 48 bytes. Nothing is
/// allocated before an epoch is read.
class DistributedSampler {
 public:
  using Options = DistributedSamplerOptions;

  /// `dataset_size` in [0, 2^63), `num_replicas` >= 1, `rank` in [0, num_replicas). Fails as
  /// Result::value() does where PyTorch raises ValueError; `make` returns the error instead.
  constexpr DistributedSampler(std::uint64_t dataset_size, int num_replicas, int rank,
                               const Options& options = {})
      : DistributedSampler(make(dataset_size, num_replicas, rank, options).value()) {}

  /// With the rank and world size of `who`: a rankmap::Topology, or another type that has both as
  /// integers. Fails also where one of them does not fit int.
  template <HasRank Who>
  constexpr DistributedSampler(std::uint64_t dataset_size, const Who& who,
                               const Options& options = {})
      : DistributedSampler(dataset_size, detail::as_int("world_size", who.world_size()),
                           detail::as_int("rank", who.rank()), options) {}

  /// Errc::out_of_range: num_replicas < 1, rank outside [0, num_replicas), dataset_size >= 2^63.
  static constexpr Result<DistributedSampler> make(std::uint64_t dataset_size, int num_replicas,
                                                   int rank, const Options& options = {}) {
    if (const auto bad = detail::check_rank(rank, num_replicas, {.world_size = "num_replicas"})) {
      return *bad;
    }
    const Result<Shard> shard = make_shard(dataset_size, rank, num_replicas);
    if (!shard) return shard.error();
    return DistributedSampler(Checked{}, dataset_size, num_replicas, rank, options);
  }

  /// Samples of this rank in one epoch: len(sampler), exact where PyTorch rounds, from 2^53 on.
  constexpr std::uint64_t size() const { return positions().size(); }
  /// Samples of all ranks in one epoch, with padding.
  constexpr std::uint64_t total_size() const {
    return size() * static_cast<std::uint32_t>(num_replicas_);
  }
  constexpr std::uint64_t dataset_size() const { return dataset_size_; }
  constexpr int num_replicas() const { return num_replicas_; }
  constexpr int rank() const { return rank_; }
  constexpr Options options() const { return options_; }

  /// The places of this rank in an epoch's permutation, after the first `consumed` in
  /// [0, dataset_size]: (consumed + rank + k * num_replicas) mod dataset_size for k = 0, 1, ...
  constexpr StridedIndices positions(std::uint64_t consumed = 0) const {
    return shard(consumed).positions();
  }
  /// Samples that all ranks together have used once each has read the first k of
  /// `epoch(e, consumed)`. Precondition: consumed <= dataset_size().
  constexpr std::uint64_t consumed_after(std::uint64_t k, std::uint64_t consumed = 0) const {
    return shard(consumed).consumed_after(k);
  }

  /// The seed of the epoch's permutation. Errc::out_of_range where seed + epoch is outside
  /// [-2^63, 2^64), where PyTorch raises RuntimeError.
  constexpr Result<TorchSeed> seed_of(TorchSeed epoch) const {
    return TorchSeed::sum(options_.seed, epoch);
  }

  /// The samples of epoch `epoch`, any whole number in [-2^63, 2^64): list(sampler) after
  /// set_epoch(epoch), without the first `consumed` of all ranks. Fails like Result::value();
  /// `try_epoch` returns the error instead: Errc::out_of_range where seed_of fails for a shuffle,
  /// or consumed is above dataset_size(). O(1); reading costs more.
  Epoch<Shard, TorchOrder> epoch(TorchSeed epoch, std::uint64_t consumed = 0) const {
    return try_epoch(epoch, consumed).value();
  }
  Result<Epoch<Shard, TorchOrder>> try_epoch(TorchSeed epoch, std::uint64_t consumed = 0) const {
    const Result<Shard> shard = make_shard(dataset_size_, rank_, num_replicas_, sharing(consumed));
    if (!shard) return shard.error();
    Result<TorchOrder> order = TorchOrder::make(dataset_size_, options_, epoch);
    if (!order) return order.error();
    return Epoch(*shard, *std::move(order));
  }
  /// The same in the memory of an epoch that was read, which becomes empty unless this fails. New
  /// memory costs more to touch than the shuffle, so this is the way from epoch to epoch:
  ///
  ///     epoch = sampler.epoch(e + 1, 0, std::move(epoch));
  Epoch<Shard, TorchOrder> epoch(TorchSeed epoch, std::uint64_t consumed,
                                 Epoch<Shard, TorchOrder>&& finished) const {
    return try_epoch(epoch, consumed, std::move(finished)).value();
  }
  Result<Epoch<Shard, TorchOrder>> try_epoch(TorchSeed epoch, std::uint64_t consumed,
                                             Epoch<Shard, TorchOrder>&& finished) const {
    Result<Epoch<Shard, TorchOrder>> next = try_epoch(epoch, consumed);
    if (!next) return next;
    next->order() =
        TorchOrder::make(dataset_size_, options_, epoch, std::move(finished.order())).value();
    finished = Epoch<Shard, TorchOrder>();
    return next;
  }

  /// The rest of the epoch in which `state` was saved, on this sampler's number of ranks. The
  /// errors of resume_at and of TorchOrder::make.
  Result<Epoch<Shard, TorchOrder>> resume(const SamplerState& state) const {
    Result<TorchOrder> order = TorchOrder::make(dataset_size_, options_, state.epoch);
    if (!order) return order.error();
    const Result<std::uint64_t> consumed = resume_at(state, *order);
    if (!consumed) return consumed.error();
    return Epoch(shard(*consumed), *std::move(order));
  }

  /// Writes the epoch's permutation to `out`, of dataset_size() < 2^32 elements: one array for all
  /// ranks of a node, instead of one for each. Without a shuffle it is 0, 1, 2, ...
  /// Errc::out_of_range where seed_of fails, there are more samples, or `out` has another size.
  Result<std::span<const std::uint32_t>> permutation(TorchSeed epoch,
                                                     std::span<std::uint32_t> out) const {
    if (dataset_size_ >> 32U != 0) {
      return detail::out_of_range("dataset_size", dataset_size_,
                                  "fewer than 2^32 samples for one array",
                                  "read epoch(), which has no such limit");
    }
    if (out.size() != dataset_size_) {
      return detail::out_of_range("out.size()", out.size(),
                                  detail::concat(dataset_size_, " elements, one for each sample"),
                                  "pass a span of dataset_size() elements");
    }
    const Result<TorchSeed> seed = seed_of(epoch);
    if (options_.shuffle && !seed) return seed.error();
    if (options_.shuffle) {
      randperm(*seed, out, options_.algorithm);
    } else {
      for (std::size_t i = 0; i != out.size(); ++i) out[i] = static_cast<std::uint32_t>(i);
    }
    return std::span<const std::uint32_t>(out);
  }
  /// This rank's samples of an epoch, whose array was written by `permutation`, after the first
  /// `consumed` in [0, dataset_size()]. It refers to the array. O(1).
  constexpr Epoch<StridedIndices, ListedOrder<std::uint32_t>> share(
      std::span<const std::uint32_t> permutation, std::uint64_t consumed = 0) const {
    return {positions(consumed), {permutation.data(), permutation.size()}};
  }
  template <detail::TemporaryList Permutation>  // it would be gone: give it a name
  Epoch<StridedIndices, ListedOrder<std::uint32_t>> share(Permutation&&,
                                                          std::uint64_t = 0) const = delete;

 private:
  constexpr ShardOptions sharing(std::uint64_t consumed) const {
    return {ShardOrder::strided, options_.drop_last ? Remainder::drop : Remainder::pad, consumed};
  }
  constexpr Shard shard(std::uint64_t consumed) const {
    return {dataset_size_, rank_, num_replicas_, sharing(consumed)};
  }

  struct Checked {};
  constexpr DistributedSampler(Checked, std::uint64_t dataset_size, int num_replicas, int rank,
                               const Options& options)
      : dataset_size_(dataset_size), num_replicas_(num_replicas), rank_(rank), options_(options) {}

  std::uint64_t dataset_size_;
  int num_replicas_;
  int rank_;
  Options options_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_DISTRIBUTED_SAMPLER_HPP
