// SPDX-License-Identifier: MIT
// detectron2's samplers for training, number for number: streams without an end.
#ifndef RANKMAP_TORCH_DETECTRON2_SAMPLERS_HPP
#define RANKMAP_TORCH_DETECTRON2_SAMPLERS_HPP

#include <rankmap/detail/finite.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/reset_on_move.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/random_sampler.hpp>
#include <rankmap/torch/randperm.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// The arguments of both samplers. The default of detectron2 is a random seed that all ranks share.
struct Detectron2Options {
  bool shuffle = true;
  TorchSeed seed = 0;
  TorchAlgorithm algorithm = TorchAlgorithm::from_2_6;
};

namespace detail {
inline Result<SavedOrder> saved_stream(const char* name, const Detectron2Options& options,
                                       std::uint64_t digest) {
  if (const auto bad = check_sign(options.seed, "seed")) return *bad;
  const bool is_newer = options.algorithm == TorchAlgorithm::from_2_6;
  return SavedOrder{name, options.seed.bits(), 0, fnv_words(digest, options.shuffle, is_newer)};
}
}  // namespace detail

/// detectron2's TrainingSampler: permutations of the data set one after another, from one
/// generator. It is an order of largest_dataset places, made as it is read. A rank has a Shard of
/// it, across the passes and without padding. Movable, not copyable; empty once moved from.
class TrainingStream {
 public:
  TrainingStream() = default;
  /// Errc::out_of_range: no samples, or 2^63 or more, where detectron2 raises an error. O(1).
  static Result<TrainingStream> make(std::uint64_t dataset_size,
                                     const Detectron2Options& options = {}) {
    const auto pass = RandomSampler::make(dataset_size, {.num_samples = largest_dataset});
    if (!pass) return pass.error();
    return TrainingStream(dataset_size, options);
  }

  std::uint64_t size() const { return size_; }
  /// The sample at `place` < size(). Not const: it may make a permutation. A pass ahead costs its
  /// draws, one a sample; a step back into another pass costs all from the start.
  std::uint64_t operator[](std::uint64_t place) {
    return options_.shuffle ? draws_[place] : place % dataset_size_;
  }
  /// torch-training; the data set's size and the options are the digest. Errc::bad_sampler for a
  /// negative seed, which saved state cannot hold.
  Result<SavedOrder> saved_as() const {
    return detail::saved_stream("torch-training", options_,
                                detail::fnv_word(detail::fnv_start, dataset_size_));
  }

 private:
  TrainingStream(std::uint64_t dataset_size, const Detectron2Options& options)
      : size_(largest_dataset), dataset_size_(dataset_size), options_(options) {
    if (!options.shuffle) return;
    draws_ = RandomDraws(TorchGenerator(options.seed), dataset_size, largest_dataset,
                         /*replacement=*/false, options.algorithm);
  }

  detail::ResetOnMove<std::uint64_t> size_;
  std::uint64_t dataset_size_ = 0;
  Detectron2Options options_;
  RandomDraws draws_;  // empty where nothing is shuffled
};

/// detectron2's RepeatFactorTrainingSampler: in each pass a sample comes as often as the whole part
/// of its factor, and once more with the fraction as probability. Passes differ in length, so a
/// place is found by replaying the passes before it. Otherwise like TrainingStream;
/// RepeatFactorOrder of sampler/ has passes of equal length.
class RepeatFactorStream {
 public:
  RepeatFactorStream() = default;
  /// The most samples that a pass can have: the elements of memory that a stream needs.
  /// Errc::out_of_range: 2^32 factors or more; one that is negative or not below 2^32; a sum of
  /// 2^32 or more; no factor above 0. O(factors).
  static Result<std::uint64_t> largest_pass(std::span<const float> factors) {
    constexpr std::uint64_t limit = UINT32_MAX;
    if (factors.size() > limit) {
      return detail::out_of_range("factors.size()", factors.size(), "fewer than 2^32 factors",
                                  "sample parts of them");
    }
    std::uint64_t most = 0;
    for (std::size_t i = 0; i != factors.size(); ++i) {
      if (!detail::is_finite(factors[i]) || factors[i] < 0.0F || factors[i] >= 0x1p32F) {
        return detail::out_of_range(
            detail::concat("factors[", i, "]"),
            factors[i] < 0.0F ? "a negative number" : "not a number below 2^32",
            "a number in [0, 2^32)", "correct the factor");
      }
      most += whole_part(factors[i]) + (fraction(factors[i]) > 0.0F ? 1U : 0U);
      if (most > limit) {
        return detail::out_of_range(detail::concat("factors[", i, "]"), "a sum of 2^32 or more",
                                    "passes of fewer than 2^32 samples",
                                    "divide the factors by a number");
      }
    }
    if (most != 0) return most;
    return detail::out_of_range("factors", "", "a factor above 0",
                                "pass 1 for a sample that is not repeated");
  }

  /// It refers to the factors and to `memory`, of at least largest_pass() elements, which both must
  /// outlive it. Errc::out_of_range where largest_pass fails, and for less memory.
  static Result<RepeatFactorStream> make(std::span<const float> factors,
                                         std::span<std::uint32_t> memory,
                                         const Detectron2Options& options = {}) {
    const Result<std::uint64_t> most = largest_pass(factors);
    if (!most) return most.error();
    if (memory.size() < *most) {
      return detail::out_of_range("memory.size()", memory.size(),
                                  detail::concat("at least ", *most, " elements"),
                                  "pass a span of largest_pass() elements");
    }
    return RepeatFactorStream(factors, memory, options);
  }
  // Temporary factors would be gone: give them a name that outlives the stream.
  template <detail::TemporaryList Factors>
  static Result<RepeatFactorStream> make(Factors&&, std::span<std::uint32_t>,
                                         const Detectron2Options& = {}) = delete;

  std::uint64_t size() const { return size_; }
  /// The sample at `place` < size(). Not const: it may make a pass, which costs a draw for each
  /// factor and each sample. A step back into another pass costs all from the start.
  std::uint64_t operator[](std::uint64_t place) {
    if (place < begin_) begin_anew();
    while (place - begin_ >= length_) make_pass(begin_ + length_);
    const std::uint64_t in_pass = place - begin_;
    return repeated_[detail::to_size(options_.shuffle ? permutation_[in_pass] : in_pass)];
  }
  /// torch-repeat-factor; the factors and the options are the digest. Errc::bad_sampler for a
  /// negative seed, which saved state cannot hold. O(factors).
  Result<SavedOrder> saved_as() const {
    std::uint64_t digest = detail::fnv_start;
    for (const float factor : factors_) {
      digest = detail::fnv_word(digest, std::bit_cast<std::uint32_t>(factor));
    }
    return detail::saved_stream("torch-repeat-factor", options_, digest);
  }

 private:
  RepeatFactorStream(std::span<const float> factors, std::span<std::uint32_t> memory,
                     const Detectron2Options& options)
      : size_(largest_dataset), factors_(factors), repeated_(memory), options_(options) {
    begin_anew();
  }

  static std::uint64_t whole_part(float factor) { return static_cast<std::uint64_t>(factor); }
  static float fraction(float factor) { return factor - static_cast<float>(whole_part(factor)); }

  void begin_anew() {
    generator_ = TorchGenerator(options_.seed);
    make_pass(0);
  }
  // The pass that begins at place `begin`, of the generator as the pass before has left it.
  void make_pass(std::uint64_t begin) {
    begin_ = begin;
    length_ = 0;
    for (std::size_t i = 0; i != factors_.size(); ++i) {
      // torch.rand: 24 bits of a draw
      const float drawn = static_cast<float>(generator_.random() & 0xff'ffffU) * 0x1p-24F;
      const std::uint64_t times =
          whole_part(factors_[i]) + (drawn < fraction(factors_[i]) ? 1U : 0U);
      for (std::uint64_t k = 0; k != times; ++k) {
        repeated_[detail::to_size(length_++)] = static_cast<std::uint32_t>(i);
      }
    }
    if (!options_.shuffle) return;
    permutation_ = TorchPermutation(generator_, length_, options_.algorithm);
    generator_.discard(randperm_draws(length_, options_.algorithm));
  }

  detail::ResetOnMove<std::uint64_t> size_;
  std::span<const float> factors_;
  std::span<std::uint32_t> repeated_;  // the samples of the pass, before they are shuffled
  Detectron2Options options_;
  TorchGenerator generator_{0};  // as the pass leaves it
  TorchPermutation permutation_;
  std::uint64_t begin_ = 0;  // the place of the pass
  std::uint64_t length_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_DETECTRON2_SAMPLERS_HPP
