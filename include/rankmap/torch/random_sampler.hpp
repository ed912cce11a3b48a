// SPDX-License-Identifier: MIT
// RandomSampler and SequentialSampler of torch.utils.data, sample for sample, without their lists.
#ifndef RANKMAP_TORCH_RANDOM_SAMPLER_HPP
#define RANKMAP_TORCH_RANDOM_SAMPLER_HPP

#include <rankmap/detail/reset_on_move.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/randperm.hpp>

#include <cstdint>
#include <optional>

namespace rankmap::inline v0 {

/// torch.utils.data.SequentialSampler: 0, 1, 2, ... in every epoch.
class SequentialSampler {
 public:
  /// Precondition: dataset_size in [0, largest_dataset].
  constexpr explicit SequentialSampler(std::uint64_t dataset_size) : dataset_size_(dataset_size) {}
  constexpr std::uint64_t size() const { return dataset_size_; }
  /// All indices in ascending order, in every epoch. O(1).
  constexpr StridedIndices epoch(TorchSeed /*epoch*/ = 0) const {
    return {dataset_size_, 0, 1, dataset_size_};
  }

 private:
  std::uint64_t dataset_size_;
};

/// The arguments of torch.utils.data.RandomSampler, and the seed of the global generator.
struct RandomSamplerOptions {
  bool replacement = false;
  std::optional<std::uint64_t> num_samples = std::nullopt;  ///< unset: the size of the data set
  TorchSeed seed = 0;                                       ///< that of torch.manual_seed
  bool data_loader = false;  ///< a DataLoader draws its base seed from the global generator first
  TorchAlgorithm algorithm = TorchAlgorithm::from_2_6;
};

/// The draws of a RandomSampler in one pass, made as they are read: one permutation after another,
/// or single samples with replacement. Movable, not copyable; empty once moved from.
class RandomDraws {
 public:
  RandomDraws() = default;
  /// `generator` as before the pass. Precondition: dataset_size >= 1 where num_samples >= 1. O(1).
  RandomDraws(const TorchGenerator& generator, std::uint64_t dataset_size,
              std::uint64_t num_samples, bool replacement, TorchAlgorithm algorithm)
      : start_(generator),
        dataset_size_(dataset_size),
        num_samples_(num_samples),
        replacement_(replacement),
        algorithm_(algorithm) {
    begin_anew();
  }

  std::uint64_t size() const { return num_samples_; }
  /// The sample at `place` < size(). In ascending order of places each costs one draw; a step back
  /// may cost all draws from the start.
  std::uint64_t operator[](std::uint64_t place) {
    const std::uint64_t turn = replacement_ ? place + 1 : place / dataset_size_;
    if (turn < turn_) begin_anew();
    for (; turn_ != turn; ++turn_) take_turn();
    return replacement_ ? drawn_ : permutation_[place % dataset_size_];
  }

 private:
  void permute() {
    if (!replacement_) permutation_ = TorchPermutation(generator_, dataset_size_, algorithm_);
  }
  void begin_anew() {
    generator_ = start_;
    turn_ = 0;
    permute();
  }
  void take_turn() {
    if (replacement_) {
      drawn_ =
          (dataset_size_ >> 32U != 0 ? generator_.random64() : generator_.random()) % dataset_size_;
    } else {
      generator_.discard(randperm_draws(dataset_size_, algorithm_));
      permute();
    }
  }

  TorchGenerator start_{0};
  TorchGenerator generator_{0};
  std::uint64_t dataset_size_ = 0;
  detail::ResetOnMove<std::uint64_t> num_samples_;
  bool replacement_ = false;
  TorchAlgorithm algorithm_ = TorchAlgorithm::from_2_6;
  TorchPermutation permutation_;
  std::uint64_t turn_ = 0;   // samples drawn with replacement, or permutations completed
  std::uint64_t drawn_ = 0;  // the last sample, with replacement
};

/// Bit for bit torch.utils.data.RandomSampler. Golden-tested against PyTorch 1.13 and 2.6.
class RandomSampler {
 public:
  using Options = RandomSamplerOptions;

  /// Fails as Result::value() does where PyTorch raises ValueError; `make` returns the error.
  constexpr explicit RandomSampler(std::uint64_t dataset_size, const Options& options = {})
      : RandomSampler(make(dataset_size, options).value()) {}

  /// Errc::out_of_range: an empty data set, num_samples of 0, or one of them 2^63 or more.
  static constexpr Result<RandomSampler> make(std::uint64_t dataset_size,
                                              const Options& options = {}) {
    const std::uint64_t wanted = options.num_samples.value_or(dataset_size);
    const bool too_few_or_many = wanted == 0 || wanted > largest_dataset;
    if (too_few_or_many || dataset_size == 0 || dataset_size > largest_dataset) {
      return detail::out_of_range(
          too_few_or_many ? "num_samples" : "dataset_size", too_few_or_many ? wanted : dataset_size,
          "at least 1 sample and fewer than 2^63", "pass the number of samples");
    }
    return RandomSampler(dataset_size, wanted, options);
  }

  /// Samples of one pass: len(sampler).
  constexpr std::uint64_t size() const { return num_samples_; }
  constexpr std::uint64_t dataset_size() const { return dataset_size_; }

  /// RandomSampler(..., generator=generator): one pass. It leaves the generator as PyTorch does
  /// after a whole pass; without replacement PyTorch draws one permutation more than num_samples
  /// fill. O(draws) to advance the generator.
  Epoch<StridedIndices, RandomDraws> pass(TorchGenerator& generator) const {
    const TorchGenerator before = generator;
    if (options_.replacement) {
      generator.discard(dataset_size_ >> 32U != 0 ? 2 * num_samples_ : num_samples_);
    } else {
      const std::uint64_t draws = randperm_draws(dataset_size_, options_.algorithm);
      for (std::uint64_t k = 0; k != num_samples_ / dataset_size_ + 1; ++k) {
        generator.discard(draws);
      }
    }
    return draws(before);
  }

  /// RandomSampler(...) without a generator: pass `epoch`, counted from 0, after
  /// torch.manual_seed(options.seed). Nothing else may draw from the global generator between the
  /// passes but, with `data_loader`, the DataLoader that runs the sampler. Each pass seeds its own
  /// generator with one 64-bit draw. Any epoch below 2^64. O(epoch): a second for epoch 10^9.
  Epoch<StridedIndices, RandomDraws> epoch(std::uint64_t epoch) const {
    TorchGenerator global(options_.seed);
    const std::uint64_t each = options_.data_loader ? 4 : 2;
    for (std::uint64_t draw = 0; draw != each; ++draw) global.discard(epoch);  // no product wraps
    global.discard(each - 2);
    return draws(TorchGenerator(global.random64() & largest_dataset));
  }

 private:
  constexpr RandomSampler(std::uint64_t dataset_size, std::uint64_t num_samples,
                          const Options& options)
      : dataset_size_(dataset_size), num_samples_(num_samples), options_(options) {}

  Epoch<StridedIndices, RandomDraws> draws(const TorchGenerator& generator) const {
    return {StridedIndices(num_samples_, 0, 1, num_samples_),
            RandomDraws(generator, dataset_size_, num_samples_, options_.replacement,
                        options_.algorithm)};
  }

  std::uint64_t dataset_size_;
  std::uint64_t num_samples_;
  Options options_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_RANDOM_SAMPLER_HPP
