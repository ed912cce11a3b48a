// SPDX-License-Identifier: MIT
// Samples repeated by whole-number weight: in every epoch as often as the factor says, but for one.
#ifndef RANKMAP_SAMPLER_REPEAT_FACTOR_HPP
#define RANKMAP_SAMPLER_REPEAT_FACTOR_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// The sums of the first weights, for all epochs, in memory that the processes of a node may share.
class CumulativeWeights {
 public:
  /// No weights.
  constexpr CumulativeWeights() = default;
  /// Writes the sums to `sums`, of as many elements as there are weights. O(weights), no
  /// allocation. Errc::out_of_range: no weight above 0; a sum of 2^63 or more; sums of another
  /// size.
  static constexpr Result<CumulativeWeights> make(std::span<const std::uint64_t> weights,
                                                  std::span<std::uint64_t> sums) {
    if (sums.size() != weights.size()) {
      return detail::out_of_range("sums.size()", sums.size(),
                                  detail::concat(weights.size(), " elements, one for each weight"),
                                  "pass a span of weights.size() elements");
    }
    const auto checked = detail::sum_of_weights(weights, "pass a whole number for each sample");
    if (!checked) return checked.error();
    CumulativeWeights made;
    made.sums_ = sums;
    made.digest_ = detail::fnv_start;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i != weights.size(); ++i) {
      sum += weights[i];
      sums[i] = sum;
      made.digest_ = detail::fnv_word(made.digest_, weights[i]);
    }
    return made;
  }

  /// How many weights there are.
  constexpr std::uint64_t size() const noexcept { return sums_.size(); }
  /// The sum of the weights.
  constexpr std::uint64_t sum() const noexcept { return sums_.empty() ? 0 : sums_.back(); }
  /// The sum of the weights up to that of `sample` < size(), with it.
  constexpr std::uint64_t operator[](std::uint64_t sample) const noexcept {
    return sums_[detail::to_size(sample)];
  }
  /// A digest of the weights.
  constexpr std::uint64_t digest() const noexcept { return digest_; }

 private:
  std::span<const std::uint64_t> sums_;
  std::uint64_t digest_ = 0;
};

/// An epoch of `draws` places in which sample i comes draws * weight / sum times, rounded down or
/// up, and exactly as often on average over the epochs. Repeat factors are weights of a common
/// unit, and `draws` is the sum of the factors: in sixteenths, 16 is once, 24 is one and a half
/// times, and `draws` is the sum of the weights / 16. A sample of weight 0 never comes.
///
/// It is systematic sampling: draws are equal steps through the sums of the weights, from a random
/// start, and a Permutation shuffles them. Whole numbers alone: the same on every platform. Saved
/// state calls it repeat-factor-1; golden values pin it.
class RepeatFactorOrder : public PlaceRange<RepeatFactorOrder> {
 public:
  constexpr RepeatFactorOrder() = default;
  /// Precondition: draws <= largest_dataset. Without weights there are no draws. O(1).
  constexpr RepeatFactorOrder(const CumulativeWeights& weights, std::uint64_t draws,
                              std::uint64_t seed, std::uint64_t epoch = 0) noexcept
      : weights_(weights), places_(weights.sum() == 0 ? 0 : draws, seed, epoch) {
    if (places_.size() != 0) start_ = random_start(detail::FeistelKey(seed, epoch));
  }

  constexpr std::uint64_t size() const noexcept { return places_.size(); }
  /// The sample at `place` < size(). O(log weights).
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return drawn(places_[place]);
  }
  /// As SampleOrder says.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    places_.fill(first, out, count, stride);
    for (std::uint64_t k = 0; k != count; ++k) out[k] = drawn(out[k]);
  }
  /// How often `sample` < weights.size() comes in this epoch. O(1).
  constexpr std::uint64_t count_of(std::uint64_t sample) const noexcept {
    return draws_before(weights_[sample]) - (sample == 0 ? 0 : draws_before(weights_[sample - 1]));
  }

  /// repeat-factor-1; the digest is that of the weights.
  constexpr SavedOrder saved_as() const noexcept {
    const SavedOrder places = places_.saved_as();
    return {"repeat-factor-1", places.seed, places.epoch, weights_.digest()};
  }

 private:
  // A number in [0, sum), each equally likely: words that would favour some are not used.
  constexpr std::uint64_t random_start(detail::FeistelKey key) const noexcept {
    key.absorb(stream);
    const std::uint64_t rejected = (0 - weights_.sum()) % weights_.sum();
    detail::Uint128 scaled = detail::multiply_wide(key.next(), weights_.sum());
    while (scaled.low < rejected) scaled = detail::multiply_wide(key.next(), weights_.sum());
    return scaled.high;
  }

  // Draw j is at (j * sum + start) / draws of the sums: the first sum above it is its sample's.
  constexpr std::uint64_t drawn(std::uint64_t j) const noexcept {
    const detail::Division scaled = detail::divide_product(weights_.sum(), j, size());
    const std::uint64_t at = scaled.quotient + (scaled.remainder + start_) / size();
    std::uint64_t first = 0;
    // By arithmetic instead of branches, which would be mispredicted.
    for (std::uint64_t count = weights_.size(); count > 1; count -= count / 2) {
      first += (weights_[first + count / 2 - 1] <= at ? 1U : 0U) * (count / 2);
    }
    return first;
  }
  // How many draws are below `sum` of the weights.
  constexpr std::uint64_t draws_before(std::uint64_t sum) const noexcept {
    const detail::Division part = detail::divide_product(size(), sum, weights_.sum());
    return part.quotient + (start_ < part.remainder ? 1U : 0U);
  }

  static constexpr std::uint64_t stream = 0x7265'7065'6174U;  // "repeat": no permutation has it

  CumulativeWeights weights_;
  Permutation places_;
  std::uint64_t start_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_REPEAT_FACTOR_HPP
