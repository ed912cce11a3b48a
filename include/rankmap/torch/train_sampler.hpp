// SPDX-License-Identifier: MIT
// The choice of training scripts between the sampler of a job and that of one process.
#ifndef RANKMAP_TORCH_TRAIN_SAMPLER_HPP
#define RANKMAP_TORCH_TRAIN_SAMPLER_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/random_sampler.hpp>
#include <rankmap/torch/randperm.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace rankmap::inline v0 {

/// The choice of training scripts that have a `--local_rank`:
/// `RandomSampler(dataset) if args.local_rank == -1 else DistributedSampler(dataset)`.
class TrainSampler {
 public:
  /// The options of both samplers. `seed` is that of torch.manual_seed, in those scripts for the
  /// RandomSampler alone; `distributed_seed` is that of the DistributedSampler, 0 there.
  struct Options {
    TorchSeed seed = 0;
    TorchSeed distributed_seed = 0;
    bool data_loader = true;
    TorchAlgorithm algorithm = TorchAlgorithm::from_2_6;
  };

  /// `who` is a rankmap::Topology, or another HasLocalRank. The choice is the RandomSampler where
  /// its local_rank() is -1, its launcher() is none, or, without a launcher(), is_distributed() is
  /// false. Fails as the chosen one's constructor, and where a number does not fit int.
  template <HasLocalRank Who>
  TrainSampler(std::uint64_t dataset_size, const Who& who, const Options& options) {
    if (is_alone(who)) {
      random_ = RandomSampler(dataset_size, {false, std::nullopt, options.seed, options.data_loader,
                                             options.algorithm});
    } else {
      distributed_ = DistributedSampler(dataset_size, who,
                                        {true, options.distributed_seed, false, options.algorithm});
    }
  }
  template <HasLocalRank Who>
  TrainSampler(std::uint64_t dataset_size, const Who& who)
      : TrainSampler(dataset_size, who, Options()) {}

  /// The chosen sampler; the other one is empty.
  constexpr const std::optional<RandomSampler>& random() const RANKMAP_LIFETIMEBOUND {
    return random_;
  }
  constexpr const std::optional<DistributedSampler>& distributed() const RANKMAP_LIFETIMEBOUND {
    return distributed_;
  }
  /// Samples of this process in one epoch.
  constexpr std::uint64_t size() const { return random_ ? random_->size() : distributed_->size(); }

  /// Calls `read(sample)` for each sample of this process in epoch `epoch`, in order.
  template <class Read>
  void epoch(std::uint64_t epoch, Read&& read) const {
    if (random_) {
      for (const std::uint64_t sample : random_->epoch(epoch)) read(sample);
    } else {
      for (const std::uint64_t sample : distributed_->epoch(epoch)) read(sample);
    }
  }

 private:
  // The script's local rank is -1 unless a launcher sets it; without one a Topology's is 0.
  template <class Who>
  static bool is_alone(const Who& who) {
    if (detail::as_int("local_rank", who.local_rank()) == -1) return true;
    if constexpr (requires {
                    who.launcher() == std::remove_cvref_t<decltype(who.launcher())>::none;
                  }) {
      return who.launcher() == std::remove_cvref_t<decltype(who.launcher())>::none;
    } else {
      return !static_cast<bool>(who.is_distributed());
    }
  }

  std::optional<RandomSampler> random_;
  std::optional<DistributedSampler> distributed_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_TRAIN_SAMPLER_HPP
