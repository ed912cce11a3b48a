// SPDX-License-Identifier: MIT
//
// A shard of a shuffle: which samples a rank reads in an epoch, in what order, from any place on.
#ifndef RANKMAP_SAMPLER_SAMPLER_HPP
#define RANKMAP_SAMPLER_SAMPLER_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/pass_state.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// Shard's constructor for arguments that nobody has checked. Errc::out_of_range: world_size below
/// 1, rank outside [0, world_size), a data set of 2^63 samples or more, more samples consumed than
/// there are, an order or a remainder that is no enumerator.
constexpr Result<Shard> make_shard(std::uint64_t dataset_size, int rank, int world_size,
                                   const ShardOptions& options = {}) {
  const auto error = [](std::string_view subject, auto found, std::string_view expected,
                        std::string_view remedy) {
    return detail::error_at(Errc::out_of_range, subject, detail::concat<24>(found).view(), expected,
                            remedy);
  };
  if (const auto bad = detail::check_rank(rank, world_size)) return *bad;
  if (dataset_size > largest_dataset) {
    return error("dataset_size", dataset_size, "fewer than 2^63 samples",
                 "pass the number of samples");
  }
  if (options.consumed > dataset_size) {
    return error("consumed", options.consumed,
                 detail::concat<64>("at most the ", dataset_size, " samples there are").view(),
                 "begin the next epoch with 0");
  }
  if (options.order != ShardOrder::strided && options.order != ShardOrder::blocked) {
    return error("order", static_cast<int>(options.order), "one of the orders: strided, blocked",
                 "name one of them");
  }
  if (options.remainder != Remainder::pad && options.remainder != Remainder::drop &&
      options.remainder != Remainder::uneven) {
    return error("remainder", static_cast<int>(options.remainder),
                 "one of the remainders: pad, drop, uneven", "name one of them");
  }
  return Shard(dataset_size, rank, world_size, options);
}

/// How to sample. Every rank of a job must use the same.
struct SamplerOptions {
  std::uint64_t seed = 0;
  bool shuffle = true;
  ShardOrder order = ShardOrder::strided;
  Remainder remainder = Remainder::pad;
  /// What saved state calls the order.
  constexpr SamplerAlgorithm algorithm() const {
    return shuffle ? SamplerAlgorithm::feistel_1 : SamplerAlgorithm::sequential;
  }
  friend constexpr bool operator==(const SamplerOptions&, const SamplerOptions&) = default;
};

/// Samples in the order of a permutation, at the places of a share: a Shard, StridedIndices,
/// BatchShard or WorkerShard. A random access range of std::uint64_t.
template <class Share>
class Shuffled {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<Shuffled>;

  constexpr Shuffled() = default;
  /// Precondition: the permutation is at least as large as the share's data set.
  RANKMAP_HD constexpr Shuffled(const Permutation& permutation, const Share& share)
      : permutation_(permutation), share_(share) {}

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return share_.size(); }
  RANKMAP_HD constexpr bool empty() const noexcept { return share_.size() == 0; }
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t k) const noexcept {
    return permutation_[share_[k]];
  }
  RANKMAP_HD constexpr bool is_padding(std::uint64_t k) const noexcept {
    return share_.is_padding(k);
  }
  RANKMAP_HD constexpr const Share& share() const noexcept { return share_; }
  constexpr iterator begin() const { return {*this, 0}; }
  constexpr iterator end() const { return {*this, size()}; }

 private:
  Permutation permutation_;
  Share share_;
};

/// One rank's samples of one epoch: a sized random access range of std::uint64_t. Any place costs
/// the same, the first included. The iterators carry what they need and outlive the range.
class SamplerEpoch {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<SamplerEpoch>;

  constexpr SamplerEpoch() = default;
  constexpr SamplerEpoch(const Shard& shard, const SamplerOptions& options, std::uint64_t epoch)
      : shard_(shard), options_(options), epoch_(epoch) {
    if (options.shuffle) permutation_ = Permutation(shard.dataset_size(), options.seed, epoch);
  }

  constexpr std::uint64_t size() const { return shard_.size(); }
  constexpr bool empty() const { return shard_.empty(); }
  /// The k-th sample, in [0, dataset size). Precondition: k < size(). O(1).
  constexpr std::uint64_t operator[](std::uint64_t k) const { return sample(shard_[k]); }
  /// Whether the k-th sample only fills this rank up to the others: leave it out of metrics.
  constexpr bool is_padding(std::uint64_t k) const { return shard_.is_padding(k); }
  constexpr iterator begin() const { return {*this, 0}; }
  constexpr iterator end() const { return {*this, size()}; }

  /// Samples k, k + 1, ...: out.size() of them, several times faster than one by one.
  /// Precondition: k + out.size() <= size().
  constexpr void fill(std::uint64_t k, std::span<std::uint64_t> out) const {
    // Padding wraps and so ends the progression.
    const std::uint64_t real = shard_.real_size();
    std::uint64_t smooth = k < real ? real - k : 0;
    if (smooth > out.size()) smooth = out.size();
    if (options_.shuffle && smooth != 0) {
      permutation_.fill(shard_[k], out.data(), smooth, shard_.positions().stride());
    } else {
      smooth = 0;
    }
    for (std::uint64_t i = smooth; i != out.size(); ++i) {
      out[detail::to_size(i)] = (*this)[k + i];
    }
  }

  /// Steps of `batch_size` >= 1 a rank; the same number on every rank.
  constexpr std::uint64_t steps(std::uint64_t batch_size, bool full_only = false) const {
    return shard_.steps(batch_size, full_only);
  }
  constexpr const Shard& shard() const { return shard_; }
  constexpr std::uint64_t epoch() const { return epoch_; }

  /// Who reads `sample` in what is left of this epoch, and as which of its samples: nobody where it
  /// is none of the data set.
  constexpr Owner owner_of(std::uint64_t sample) const {
    if (sample >= shard_.dataset_size()) return {};
    return shard_.owner_of(options_.shuffle ? permutation_.index_of(sample) : sample);
  }

  /// What to save once every rank is through its first k samples (k up to steps(1); the same k on
  /// every rank). At the end of the epoch that is the beginning of the next one.
  /// Errc::bad_sampler for a blocked order in the middle of an epoch, where the samples used are
  /// not a head of the order, and at the end of epoch 2^64 - 1.
  constexpr Result<SamplerState> state_after(std::uint64_t k) const {
    const bool within = k != 0 && k < steps(1);
    if (within && shard_.options().order == ShardOrder::blocked) {
      return detail::error_at(Errc::bad_sampler, "state_after(k)", detail::concat<24>(k).view(),
                              "k of 0 or at the end of the epoch in a blocked order",
                              "use ShardOrder::strided to stop anywhere");
    }
    return detail::state_after(
        {options_.seed, epoch_, shard_.dataset_size(), 0, options_.algorithm()}, shard_, k);
  }

 private:
  constexpr std::uint64_t sample(std::uint64_t position) const {
    return options_.shuffle ? permutation_[position] : position;
  }

  Shard shard_;
  SamplerOptions options_;
  std::uint64_t epoch_ = 0;
  Permutation permutation_;
};

/// The samples of one rank: a Shard over a Permutation of the data set, a new one every epoch, the
/// same on every rank. O(1) memory at any size, O(1) to any place; nothing is hidden: the epoch is
/// an argument, and a copy is as good as the original.
///
///     const rankmap::Sampler sampler(dataset_size, rank, world_size, {.seed = 42});
///     for (std::uint64_t sample : sampler.epoch(3)) train(sample);
class Sampler {
 public:
  /// The preconditions are those of make_shard; fails like Result::value() where it does.
  constexpr Sampler(std::uint64_t dataset_size, int rank, int world_size,
                    const SamplerOptions& options = {})
      : Sampler(make(dataset_size, rank, world_size, options).value()) {}

  /// With rank and world size of `who`: a rankmap::Topology, or anything else that has both as
  /// integers.
  template <HasRank Who>
  constexpr Sampler(std::uint64_t dataset_size, const Who& who, const SamplerOptions& options = {})
      : Sampler(dataset_size, detail::as_int("rank", who.rank()),
                detail::as_int("world_size", who.world_size()), options) {}

  static constexpr Result<Sampler> make(std::uint64_t dataset_size, int rank, int world_size,
                                        const SamplerOptions& options = {}) {
    const Result<Shard> shard =
        make_shard(dataset_size, rank, world_size, {options.order, options.remainder, 0});
    if (!shard) return shard.error();
    return Sampler(*shard, options);
  }

  /// Samples of this rank in a whole epoch.
  constexpr std::uint64_t size() const { return shard_.size(); }
  constexpr std::uint64_t dataset_size() const { return shard_.dataset_size(); }
  constexpr int rank() const { return shard_.rank(); }
  constexpr int world_size() const { return shard_.world_size(); }
  constexpr const SamplerOptions& options() const { return options_; }

  /// This rank's samples of epoch `epoch`, after the first `consumed` of all ranks together.
  /// Precondition: consumed <= dataset_size(). O(1).
  constexpr SamplerEpoch epoch(std::uint64_t epoch, std::uint64_t consumed = 0) const {
    return {
        Shard(dataset_size(), rank(), world_size(), {options_.order, options_.remainder, consumed}),
        options_, epoch};
  }

  /// What is left of the epoch that `state` was saved in, under this sampler's world.
  /// Errc::bad_sampler where the state belongs to other data or another order: its seed, size or
  /// algorithm is not this sampler's.
  constexpr Result<SamplerEpoch> resume(const SamplerState& state) const {
    if (const auto error = detail::find_mismatch(
            state, {options_.seed, 0, dataset_size(), 0, options_.algorithm()})) {
      return *error;
    }
    return epoch(state.epoch, state.consumed);
  }

 private:
  constexpr Sampler(const Shard& shard, const SamplerOptions& options)
      : shard_(shard), options_(options) {}

  Shard shard_;
  SamplerOptions options_;
};

}  // namespace rankmap::inline v0

template <>
inline constexpr bool std::ranges::enable_borrowed_range<rankmap::SamplerEpoch> = true;
template <class Share>
inline constexpr bool std::ranges::enable_borrowed_range<rankmap::Shuffled<Share>> = true;

#endif  // RANKMAP_SAMPLER_SAMPLER_HPP
