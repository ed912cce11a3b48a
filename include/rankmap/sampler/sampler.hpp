// SPDX-License-Identifier: MIT
// A shard of a shuffle: which samples a rank reads in an epoch, and in which order.
#ifndef RANKMAP_SAMPLER_SAMPLER_HPP
#define RANKMAP_SAMPLER_SAMPLER_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/make_shard.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// How to sample. All ranks of a job must use the same options.
struct SamplerOptions {
  std::uint64_t seed = 0;
  bool shuffle = true;
  ShardOrder order = ShardOrder::strided;
  Remainder remainder = Remainder::pad;
  friend constexpr bool operator==(const SamplerOptions&, const SamplerOptions&) = default;
};

/// The order of a Sampler's epoch: a Permutation, or 0, 1, 2, ... without a shuffle.
class SamplerOrder {
 public:
  constexpr SamplerOrder() = default;
  constexpr SamplerOrder(std::uint64_t size, const SamplerOptions& options, std::uint64_t epoch)
      : sequential_(size, options.seed, epoch), shuffle_(options.shuffle) {
    if (shuffle_) permutation_ = Permutation(size, options.seed, epoch);
  }

  constexpr std::uint64_t size() const { return sequential_.size(); }
  constexpr std::uint64_t operator[](std::uint64_t place) const {
    return shuffle_ ? permutation_[place] : place;
  }
  constexpr std::uint64_t index_of(std::uint64_t sample) const {
    return shuffle_ ? permutation_.index_of(sample) : sample;
  }
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride) const {
    if (shuffle_) return permutation_.fill(first, out, count, stride);
    for (std::uint64_t k = 0; k != count; ++k) out[k] = first + k * stride;
  }
  constexpr SavedOrder saved_as() const {
    return shuffle_ ? permutation_.saved_as() : sequential_.saved_as();
  }

 private:
  Sequential sequential_;
  bool shuffle_ = false;
  Permutation permutation_;
};

/// The samples of one rank: a Shard of a Permutation of the data set. Each epoch has its own
/// permutation, the same on every rank. Memory and access to any place are O(1) at any size. A
/// sampler is stateless: the epoch is an argument.
///
///     const rankmap::Sampler sampler(dataset_size, rank, world_size, {.seed = 42});
///     for (std::uint64_t sample : sampler.epoch(3)) train(sample);
class Sampler {
 public:
  /// The preconditions are those of make_shard; fails like Result::value() where it does.
  constexpr Sampler(std::uint64_t dataset_size, int rank, int world_size,
                    const SamplerOptions& options = {})
      : Sampler(make(dataset_size, rank, world_size, options).value()) {}

  /// With the rank and world size of `who`: a rankmap::Topology, or another type that has both as
  /// integers. Fails also where one of them does not fit int.
  template <HasRank Who>
  constexpr Sampler(std::uint64_t dataset_size, const Who& who, const SamplerOptions& options = {})
      : Sampler(dataset_size, detail::as_int("rank", who.rank()),
                detail::as_int("world_size", who.world_size()), options) {}

  /// `dataset_size` in [0, largest_dataset], `world_size` >= 1, `rank` in [0, world_size). O(1).
  /// The errors of make_shard.
  static constexpr Result<Sampler> make(std::uint64_t dataset_size, int rank, int world_size,
                                        const SamplerOptions& options = {}) {
    const Result<Shard> shard =
        make_shard(dataset_size, rank, world_size, {options.order, options.remainder, 0});
    if (!shard) return shard.error();
    return Sampler(*shard, options);
  }

  /// Samples of this rank in a whole epoch, padding included.
  constexpr std::uint64_t size() const { return shard_.size(); }
  constexpr std::uint64_t dataset_size() const { return shard_.dataset_size(); }
  constexpr int rank() const { return shard_.rank(); }
  constexpr int world_size() const { return shard_.world_size(); }
  constexpr SamplerOptions options() const { return options_; }

  /// This rank's samples of epoch `epoch`, without the first `consumed` samples of all ranks.
  /// Fails like Result::value() where consumed is above dataset_size(). O(1).
  constexpr Epoch<Shard, SamplerOrder> epoch(std::uint64_t epoch,
                                             std::uint64_t consumed = 0) const {
    return {make_shard(dataset_size(), rank(), world_size(),
                       {options_.order, options_.remainder, consumed})
                .value(),
            SamplerOrder(dataset_size(), options_, epoch)};
  }

  /// The rest of the epoch in which `state` was saved, on this world size. The errors of resume_at.
  constexpr Result<Epoch<Shard, SamplerOrder>> resume(const SamplerState& state) const {
    const auto consumed = resume_at(state, SamplerOrder(dataset_size(), options_, state.epoch));
    if (!consumed) return consumed.error();
    return epoch(state.epoch, *consumed);
  }

 private:
  constexpr Sampler(const Shard& shard, const SamplerOptions& options)
      : shard_(shard), options_(options) {}

  Shard shard_;
  SamplerOptions options_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_SAMPLER_HPP
