// SPDX-License-Identifier: MIT
// Draws without replacement by whole-number weights: a weighted order of the samples.
#ifndef RANKMAP_SAMPLER_WEIGHTED_ORDER_HPP
#define RANKMAP_SAMPLER_WEIGHTED_ORDER_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/sift_down.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/sample_order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

namespace detail {

/// 64 - log2(word + 1) in 32 fractional bits, rounded up by at most 2^-32: by repeated squaring, so
/// that it is the same everywhere.
constexpr std::uint64_t negative_log2(std::uint64_t word) noexcept {
  if (word == UINT64_MAX) return 0;
  std::uint64_t mantissa = word + 1;
  std::uint64_t whole = 63;
  for (; mantissa >> 63U == 0; --whole) mantissa <<= 1U;
  std::uint64_t log = whole;
  for (unsigned bit = 0; bit != 32; ++bit) {
    const Uint128 square = multiply_wide(mantissa, mantissa);
    const bool is_two = square.high >> 63U != 0;
    mantissa = is_two ? square.high : square.high << 1U | square.low >> 63U;
    log = log << 1U | (is_two ? 1U : 0U);
  }
  return (std::uint64_t{64} << 32U) - log;
}

}  // namespace detail

/// Draws without replacement, in memory of the caller: each place has one of the samples that are
/// left, as likely as its part of their weights. So the first places are a weighted draw of any
/// size, and all places a weighted order of all samples.
///
/// Efraimidis and Spirakis's keys, in whole numbers: -log2 of a hashed word, divided by the weight.
/// The samples with the least keys come first; of equal ones the lower sample. The key of a sample
/// depends on nothing but seed, epoch, sample and weight. Saved state calls the order
/// weighted-keys-1; golden values pin it.
class WeightedOrder : public ListedOrder<std::uint64_t>, public PlaceRange<WeightedOrder> {
 public:
  constexpr WeightedOrder() = default;
  /// Draws out.size() samples into `out`, which the order refers to; the processes of a node may
  /// share it. `scratch` has at least as many elements and is free afterwards. O(weights) keys of
  /// 100 ns, and O(log out.size()) for each of those that are among the least so far. No
  /// allocation. Errc::out_of_range: 2^32 weights or more, fewer samples of a weight above 0 than
  /// `out` has elements, or a scratch that is too small.
  static constexpr Result<WeightedOrder> make(std::span<const std::uint64_t> weights,
                                              std::span<std::uint64_t> out,
                                              std::span<std::uint64_t> scratch, std::uint64_t seed,
                                              std::uint64_t epoch = 0) {
    if (weights.size() > UINT32_MAX) {
      return detail::out_of_range("weights.size()", weights.size(), "fewer than 2^32 weights",
                                  "draw from parts of them");
    }
    if (scratch.size() < out.size()) {
      return detail::out_of_range("scratch.size()", scratch.size(),
                                  detail::concat("at least ", out.size(), " words"),
                                  "pass a larger scratch");
    }
    std::uint64_t positive = 0;
    std::uint64_t digest = detail::fnv_start;
    for (const std::uint64_t weight : weights) {
      positive += weight != 0 ? 1U : 0U;
      digest = detail::fnv_word(digest, weight);
    }
    if (out.size() > positive) {
      return detail::out_of_range(
          "out.size()", out.size(),
          detail::concat("at most ", positive, ", the samples of a weight above 0"),
          "draw fewer samples, or draw with replacement");
    }
    if (!out.empty())
      draw(weights, out, scratch, detail::FeistelKey(seed, epoch).of_stream(stream));
    return WeightedOrder(out, {"weighted-keys-1", seed, epoch, digest});
  }

  /// weighted-keys-1; the digest is that of the weights.
  constexpr SavedOrder saved_as() const noexcept { return saved_; }

 private:
  constexpr WeightedOrder(std::span<const std::uint64_t> samples, const SavedOrder& saved)
      : ListedOrder(samples.data(), samples.size()), saved_(saved) {}

  static constexpr std::uint64_t stream = 0x6b65'7973U;  // "keys": no permutation has it

  // Fractional bits of a rounded key: logarithms have up to 39.
  static constexpr unsigned key_bits = 25;

  // The samples with the least keys: a heap of them with their rounded keys, the largest at its
  // head, which is sorted in the end.
  static constexpr void draw(std::span<const std::uint64_t> weights,
                             std::span<std::uint64_t> samples, std::span<std::uint64_t> keys,
                             const detail::FeistelKey& words) {
    struct Item {
      std::uint64_t sample;
      std::uint64_t key;
    };
    const auto log_of = [&](std::uint64_t sample) {
      return detail::negative_log2(words.at(sample));
    };
    // Rounding down keeps their order. Nearly all keys differ then, and no weight is read.
    const auto comes_later = [&](const Item& a, const Item& b) {
      if (a.key != b.key) return a.key > b.key;
      const std::uint64_t weight_a = weights[detail::to_size(a.sample)];
      const std::uint64_t weight_b = weights[detail::to_size(b.sample)];
      const detail::Uint128 x = detail::multiply_wide(log_of(a.sample), weight_b);
      const detail::Uint128 y = detail::multiply_wide(log_of(b.sample), weight_a);
      if (x.high != y.high) return x.high > y.high;
      return x.low != y.low ? x.low > y.low : a.sample > b.sample;
    };
    const auto get = [&](std::size_t at) { return Item{samples[at], keys[at]}; };
    const auto set = [&](std::size_t at, const Item& item) {
      samples[at] = item.sample;
      keys[at] = item.key;
    };
    const auto sift = [&](std::size_t at, std::size_t size) {
      detail::sift_down(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(size), get, set,
                        comes_later);
    };
    std::size_t size = 0;
    for (std::size_t sample = 0; sample != weights.size(); ++sample) {
      if (weights[sample] == 0) continue;
      const Item item{sample, (log_of(sample) << key_bits) / weights[sample]};
      if (size != samples.size()) {
        set(size++, item);
        if (size != samples.size()) continue;
        for (std::size_t at = size / 2; at-- != 0;) sift(at, size);
      } else if (comes_later(get(0), item)) {
        set(0, item);
        sift(0, size);
      }
    }
    while (size > 1) {
      const Item last = get(0);
      set(0, get(--size));
      sift(0, size);
      set(size, last);
    }
  }

  SavedOrder saved_ = {"weighted-keys-1"};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_WEIGHTED_ORDER_HPP
