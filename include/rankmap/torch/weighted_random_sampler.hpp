// SPDX-License-Identifier: MIT
// PyTorch's sampler by weight, number for number.
#ifndef RANKMAP_TORCH_WEIGHTED_RANDOM_SAMPLER_HPP
#define RANKMAP_TORCH_WEIGHTED_RANDOM_SAMPLER_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/finite.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/sift_down.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/torch/generator.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

/// Which torch.multinomial on the CPU. They differ in a single draw with replacement alone.
enum class TorchMultinomial : std::uint8_t {
  as_1_13,  ///< a single draw is like the first of many
  as_2_6,   ///< a single draw with replacement is made like one without
};

constexpr std::string_view name(TorchMultinomial multinomial) {
  return detail::enumerator("as_1_13\0as_2_6", multinomial);
}

/// The arguments of torch.utils.data.WeightedRandomSampler, with its defaults.
struct WeightedRandomSamplerOptions {
  bool replacement = true;
  TorchMultinomial algorithm = TorchMultinomial::as_2_6;
  TorchSeed seed = 0;        ///< for `epoch`: that of the generator, or of torch.manual_seed
  bool data_loader = false;  ///< a DataLoader draws its base seed from the same generator first
};

/// The samples of one epoch of a WeightedRandomSampler, in memory that it refers to.
class WeightedRandomOrder : public ListedOrder<std::uint64_t> {
 public:
  constexpr WeightedRandomOrder() = default;

  /// torch-multinomial with seed and epoch; the weights and the options are the digest.
  /// Errc::bad_sampler for a negative seed, which saved state cannot hold.
  constexpr Result<SavedOrder> saved_as() const {
    if (const auto bad = detail::check_sign(seed_, "seed")) return *bad;
    return SavedOrder{"torch-multinomial", seed_.bits(), epoch_, digest_};
  }

 private:
  friend class WeightedRandomSampler;
  constexpr WeightedRandomOrder(const ListedOrder<std::uint64_t>& samples, TorchSeed seed,
                                std::uint64_t epoch, std::uint64_t digest)
      : ListedOrder(samples), seed_(seed), epoch_(epoch), digest_(digest) {}

  TorchSeed seed_;
  std::uint64_t epoch_ = 0;
  std::uint64_t digest_ = 0;
};

/// Bit for bit torch.utils.data.WeightedRandomSampler, golden-tested against PyTorch 1.13 and 2.6.
/// With replacement that is so everywhere. Without, it depends on the logarithm of the C library,
/// whose last bit may exchange two samples about once in 10^16 / weights^2 draws; and PyTorch with
/// MKL draws otherwise, and wrongly, before 2.7 (pytorch#132395).
class WeightedRandomSampler {
 public:
  using Options = WeightedRandomSamplerOptions;

  /// It refers to the weights, which must outlive it. Fails as Result::value() does where PyTorch
  /// raises an error; `make` returns the error.
  WeightedRandomSampler(std::span<const double> weights, std::uint64_t num_samples,
                        const Options& options = {})
      : WeightedRandomSampler(make(weights, num_samples, options).value()) {}
  // Temporary weights would be gone: give them a name that outlives the sampler.
  template <detail::TemporaryList Weights>
  WeightedRandomSampler(Weights&&, std::uint64_t, const Options& = {}) = delete;
  template <detail::TemporaryList Weights>
  static Result<WeightedRandomSampler> make(Weights&&, std::uint64_t, const Options& = {}) = delete;

  /// Errc::out_of_range: num_samples of 0; more than 2^24 weights; one that is negative, infinite
  /// or not a number; a sum that is 0 or infinite; without replacement more samples than weights
  /// above 0, where PyTorch returns samples of weight 0 in no specified order; without replacement,
  /// or for a single draw as_2_6, a weight above 0 and below 2^-1016, which may come behind those
  /// of 0. O(weights).
  static Result<WeightedRandomSampler> make(std::span<const double> weights,
                                            std::uint64_t num_samples,
                                            const Options& options = {}) {
    if (num_samples == 0) {
      return detail::out_of_range("num_samples", "0", "at least 1 sample",
                                  "pass the number of samples");
    }
    if (weights.size() > max_weights) {
      return detail::out_of_range("weights.size()", weights.size(),
                                  "at most 2^24 weights, as in PyTorch", "use WeightedDraws");
    }
    const bool takes_largest = is_largest(num_samples, options);
    double sum = 0;
    std::uint64_t positive = 0;
    for (std::size_t i = 0; i != weights.size(); ++i) {
      if (!detail::is_finite(weights[i]) || weights[i] < 0) {
        return detail::out_of_range(
            detail::concat("weights[", i, "]"),
            detail::is_finite(weights[i]) ? "a negative number" : "not a finite number",
            "a finite number from 0 on", "correct the weight");
      }
      if (takes_largest && weights[i] > 0 && weights[i] < least_weight) {
        return detail::out_of_range(detail::concat("weights[", i, "]"), "above 0 and below 2^-1016",
                                    "0, or a number whose part of a draw is not rounded to 0",
                                    "multiply the weights by a number");
      }
      sum += weights[i];
      positive += weights[i] > 0 ? 1U : 0U;
    }
    if (sum == 0 || !detail::is_finite(sum)) {
      return detail::out_of_range("weights",
                                  detail::is_finite(sum) ? "a sum of 0" : "an infinite sum",
                                  "a finite sum above 0", "pass a weight above 0");
    }
    if (!options.replacement && num_samples > positive) {
      return detail::out_of_range(
          "num_samples", num_samples,
          detail::concat("at most ", positive, ", the weights above 0, without replacement"),
          "draw fewer samples, or draw with replacement");
    }
    return WeightedRandomSampler(Checked{}, weights, num_samples, options);
  }

  /// Samples of one pass: len(sampler).
  std::uint64_t size() const { return num_samples_; }

  /// One pass: writes the samples to `out`, of size() elements, to which the order refers, and
  /// leaves the generator as PyTorch does. `scratch` has an element for each weight.
  /// Errc::out_of_range for memory of another size. O((weights + size()) log), no allocation.
  Result<ListedOrder<std::uint64_t>> pass(TorchGenerator& generator, std::span<double> scratch,
                                          std::span<std::uint64_t> out) const {
    if (const auto bad = check_sizes(scratch.size(), out.size())) return *bad;
    if (draws_largest()) {
      draw_largest(generator, scratch, out);
    } else {
      draw_with_replacement(generator, scratch, out);
    }
    return ListedOrder<std::uint64_t>(out.data(), out.size());
  }

  /// Epoch `epoch`, counted from 0, of a generator that options.seed seeded and from which nothing
  /// else draws, but with `data_loader` the DataLoader that runs the sampler: the pass after as
  /// many whole ones. Without a generator of its own that is PyTorch's after
  /// torch.manual_seed(seed). To resume at any place of an epoch, make the order of `state.epoch`,
  /// and begin at resume_at(state, order). The errors of `pass`. Costs a pass, O(epoch * draws of
  /// one) to find the place in the generator, and O(weights) for the digest.
  Result<WeightedRandomOrder> epoch(std::uint64_t epoch, std::span<double> scratch,
                                    std::span<std::uint64_t> out) const {
    if (const auto bad = check_sizes(scratch.size(), out.size())) return *bad;
    TorchGenerator generator(options_.seed);
    const std::uint64_t of_loader = options_.data_loader ? 2 : 0;
    const std::uint64_t draws = 2 * (draws_largest() ? weights_.size() : num_samples_);
    for (std::uint64_t e = 0; e != epoch; ++e) generator.discard(of_loader + draws);
    generator.discard(of_loader);
    const auto samples = pass(generator, scratch, out);
    if (!samples) return samples.error();
    std::uint64_t digest = detail::fnv_start;
    for (const double& weight : weights_) {
      digest = detail::fnv_word(digest, std::bit_cast<std::uint64_t>(weight));
    }
    digest =
        detail::fnv_word(digest, (options_.replacement ? 4U : 0U) + (draws_largest() ? 2U : 0U) +
                                     (options_.data_loader ? 1U : 0U));
    return WeightedRandomOrder(*samples, options_.seed, epoch, digest);
  }

 private:
  static constexpr std::size_t max_weights = std::size_t{1} << 24U;
  // No exponential is above 53 log(2), and no quotient of such a weight below the normal numbers.
  // That of a lower one may be 0, like that of a weight of 0.
  static constexpr double least_weight = 0x1p-1016;

  // Which of PyTorch's two ways to draw.
  static bool is_largest(std::uint64_t num_samples, const Options& options) {
    const bool is_single = num_samples == 1 && options.algorithm == TorchMultinomial::as_2_6;
    return !options.replacement || is_single;
  }
  bool draws_largest() const { return is_largest(num_samples_, options_); }

  struct Checked {};
  WeightedRandomSampler(Checked, std::span<const double> weights, std::uint64_t num_samples,
                        const Options& options)
      : weights_(weights), num_samples_(num_samples), options_(options) {}

  // Of the memory for a pass.
  detail::Optional<Error> check_sizes(std::size_t scratch, std::size_t out) const {
    const bool is_out = out != num_samples_;
    if (!is_out && scratch == weights_.size()) return {};
    return detail::out_of_range(
        is_out ? "out.size()" : "scratch.size()", is_out ? out : scratch,
        detail::concat(is_out ? num_samples_ : weights_.size(), " elements"),
        "pass a span of this size");
  }

  // A double in [0, 1), as at::uniform_real_distribution makes it.
  static double uniform(TorchGenerator& generator) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 53U) - 1;
    return static_cast<double>(generator.random64() & mask) * 0x1p-53;
  }

  // The first of the cumulative fractions that is not below a uniform number.
  void draw_with_replacement(TorchGenerator& generator, std::span<double> cumulative,
                             std::span<std::uint64_t> out) const {
    double sum = 0;
    for (std::size_t i = 0; i != weights_.size(); ++i) {
      sum += weights_[i];
      cumulative[i] = sum;
    }
    for (double& fraction : cumulative) fraction /= sum;
    cumulative.back() = 1;
    for (std::uint64_t& sample : out) {
      const double u = uniform(generator);
      sample = detail::partition_point(std::size_t{0}, cumulative.size(),
                                       [&](std::size_t i) { return cumulative[i] < u; });
    }
  }

  // The largest of weight / exponential, in descending order: a heap with the least at its head.
  void draw_largest(TorchGenerator& generator, std::span<double> quotients,
                    std::span<std::uint64_t> out) const {
    for (std::size_t i = 0; i != weights_.size(); ++i) {
      quotients[i] = weights_[i] / -std::log1p(-uniform(generator));
    }
    const auto comes_later = [&](std::uint64_t a, std::uint64_t b) {
      const double first = quotients[detail::to_size(a)];
      const double second = quotients[detail::to_size(b)];
      return first != second ? first < second : a > b;
    };
    const auto count = static_cast<std::uint32_t>(out.size());  // at most as many as weights
    const auto sift = [&](std::uint32_t at, std::uint32_t size) {
      detail::sift_down(out.data(), at, size, comes_later);
    };
    for (std::uint32_t i = 0; i != count; ++i) out[i] = i;
    for (std::uint32_t i = count / 2; i-- != 0;) sift(i, count);
    for (std::size_t i = count; i < quotients.size(); ++i) {
      if (!comes_later(out[0], i)) continue;
      out[0] = i;
      sift(0, count);
    }
    for (std::uint32_t size = count; size-- > 1;) {
      std::swap(out[0], out[size]);
      sift(0, size);
    }
  }

  std::span<const double> weights_;
  std::uint64_t num_samples_;
  Options options_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_WEIGHTED_RANDOM_SAMPLER_HPP
