// SPDX-License-Identifier: MIT
// Batches of as many samples as a number of tokens has room for, the same number on every rank.
#ifndef RANKMAP_SAMPLER_TOKEN_BATCHES_HPP
#define RANKMAP_SAMPLER_TOKEN_BATCHES_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// What a batch has room for. At least one of the first two is set.
struct TokenLimits {
  std::uint64_t tokens = 0;    ///< of a batch with padding: samples times the longest; 0: no limit
  std::uint64_t samples = 0;   ///< of a batch; 0: no limit
  std::uint64_t multiple = 1;  ///< the samples of a batch, where it has more than that
  int ranks = 1;               ///< the number of batches is a multiple of it
};

/// An order of samples of unequal length, cut into batches by the rule of fairseq's
/// --max-tokens, --batch-size and --required-batch-size-multiple. A batch takes the next samples as
/// long as they fit. Unlike there, the last samples stay where they are no multiple, and ranks have
/// equal numbers of batches: the last batches are halved until they have; where all of them have
/// one sample, empty ones follow, with which ranks still take part in the step. In step s rank r
/// has batch s * ranks + r, so that after a step the used places are a prefix of the order, and
/// another number of ranks can go on from there.
///
/// Best over an order by length, such as a LengthGroupedOrder: less of a batch is padding then. It
/// refers to the memory of the borders, which the processes of a node may share.
class TokenBatches {
 public:
  /// No batches.
  constexpr TokenBatches() = default;

  /// Cuts the places of `order` from `consumed` in [0, order.size()] on. `lengths` are those of the
  /// samples. `borders` is memory for one number a batch and one more; order.size() - consumed +
  /// limits.ranks always suffice. Precondition: every sample is below lengths.size(). O(places), no
  /// allocation. Errc::out_of_range: limits that are not in their range; a length above
  /// limits.tokens; a `consumed` above the size; too few borders.
  template <FixedOrder Order>
  static constexpr Result<TokenBatches> make(const Order& order,
                                             std::span<const std::uint32_t> lengths,
                                             const TokenLimits& limits,
                                             std::span<std::uint64_t> borders,
                                             std::uint64_t consumed = 0) {
    if (limits.tokens == 0 && limits.samples == 0) {
      return detail::out_of_range("TokenLimits::tokens", 0,
                                  "a limit for tokens, for samples, or both",
                                  "pass the tokens that fit in memory");
    }
    if (limits.multiple == 0) {
      return detail::out_of_range("TokenLimits::multiple", 0, "at least 1", "leave it out");
    }
    if (limits.ranks < 1) {
      return detail::out_of_range("TokenLimits::ranks", limits.ranks, "at least 1",
                                  "pass the number of ranks");
    }
    if (consumed > order.size()) {
      return detail::out_of_range("consumed", consumed,
                                  detail::concat("at most the order's ", order.size(), " places"),
                                  "start the next epoch with 0");
    }
    TokenBatches batches;
    batches.borders_ = borders;
    batches.consumed_ = consumed;
    batches.ranks_ = static_cast<std::uint32_t>(limits.ranks);
    if (const auto bad = batches.cut(order, lengths, limits)) return *bad;
    const std::uint64_t beyond = batches.size_ % batches.ranks_;
    // The halves of a batch need a border more, so memory may be short before anything is written.
    const std::uint64_t missing = beyond == 0 ? 0 : batches.ranks_ - beyond;
    if (batches.size_ != 0 && borders.size() < batches.size_ + missing + 1) {
      return detail::out_of_range("borders.size()", borders.size(),
                                  detail::concat("at least ", batches.size_ + missing + 1,
                                                 " elements, one more than batches"),
                                  "pass a span of order.size() + ranks elements");
    }
    batches.halve(missing, limits.multiple);
    return batches;
  }

  /// The batches of all ranks.
  constexpr std::uint64_t size() const noexcept { return size_; }
  /// The batches of each rank.
  constexpr std::uint64_t steps() const noexcept { return size_ / ranks_; }
  /// The places of batch `number` < size() in the order. O(1).
  constexpr StridedIndices operator[](std::uint64_t number) const noexcept {
    return {border(size_), border(number), 1, border(number + 1) - border(number)};
  }
  /// The places that `rank` in [0, ranks) reads in step `step` < steps(). O(1).
  constexpr StridedIndices batch(std::uint64_t step, int rank) const noexcept {
    return (*this)[step * ranks_ + static_cast<std::uint32_t>(rank)];
  }
  /// The places that all ranks have used after `steps` in [0, steps()]: the `consumed` to go on
  /// from. O(1).
  constexpr std::uint64_t consumed_after(std::uint64_t steps) const noexcept {
    return size_ == 0 ? consumed_ : border(steps * ranks_);
  }
  /// What to save once every rank has trained on its first `steps` batches. At the end of the epoch
  /// it is the start of the next. `order` was cut. The errors of Epoch::state_after.
  template <NamedOrder Order>
  constexpr Result<SamplerState> state_after(const Order& order, std::uint64_t steps) const {
    Result<SamplerState> state = state_of(order);
    if (!state) return state;
    if (steps >= this->steps()) return detail::end_of_epoch(*state);
    state->consumed = consumed_after(steps);
    return state;
  }

 private:
  // Counts on beyond the memory, so that an error says how much is needed.
  constexpr void close(std::uint64_t border) {
    ++size_;
    if (size_ < borders_.size()) borders_[detail::to_size(size_)] = border;
  }
  template <class Order>
  constexpr detail::Optional<Error> cut(const Order& order, std::span<const std::uint32_t> lengths,
                                        const TokenLimits& limits) {
    if (consumed_ == order.size()) return {};
    if (!borders_.empty()) borders_[0] = consumed_;
    // The batch so far is [start, end), and places from `end` on are its tail, which becomes part
    // of it as soon as their number fits.
    std::uint64_t start = consumed_;
    std::uint64_t end = consumed_;
    std::uint64_t longest = 0;       // of the batch
    std::uint64_t tail_longest = 0;  // of the tail
    const auto exceeds = [&](std::uint64_t samples, std::uint64_t length) {
      return limits.tokens != 0 && length != 0 && samples > limits.tokens / length;
    };
    for (std::uint64_t place = consumed_; place != order.size(); ++place) {
      const std::uint64_t length = lengths[detail::to_size(order[place])];
      if (limits.tokens != 0 && length > limits.tokens) {
        return detail::out_of_range(
            detail::concat("lengths[", order[place], "]"), length,
            detail::concat("at most the limit of ", limits.tokens, " tokens"),
            "cut the sample, leave it out or raise the limit");
      }
      if (length > tail_longest) tail_longest = length;
      std::uint64_t longest_of_both = tail_longest > longest ? tail_longest : longest;
      const std::uint64_t samples = place + 1 - start;
      const bool overflows =
          (limits.samples != 0 && samples > limits.samples) || exceeds(samples, longest_of_both);
      const bool fits = samples < limits.multiple || samples % limits.multiple == 0;
      if (overflows) {
        close(end);
        const bool tail_overflows = exceeds(place + 1 - end, tail_longest);
        start = end;
        if (tail_overflows) {
          close(place);
          start = place;
          tail_longest = length;
        }
        longest_of_both = tail_longest;
      }
      if (overflows || fits) {
        end = place + 1;
        longest = longest_of_both;
        tail_longest = 0;
      }
    }
    close(end);
    if (end != order.size()) close(order.size());
    return {};
  }

  constexpr std::uint64_t border(std::uint64_t number) const noexcept {
    return borders_[detail::to_size(number)];
  }

  // Cuts batches in two, the last ones first, until there are `missing` more.
  constexpr void halve(std::uint64_t missing, std::uint64_t multiple) {
    while (missing != 0) {
      std::uint64_t divisible = 0;
      for (std::uint64_t b = 0; b != size_; ++b) divisible += (*this)[b].size() >= 2 ? 1U : 0U;
      if (divisible == 0) {
        for (; missing != 0; --missing, ++size_)
          borders_[detail::to_size(size_ + 1)] = border(size_);
        return;
      }
      std::uint64_t left = divisible < missing ? divisible : missing;
      missing -= left;
      // From behind, each border moves up by the halves before it.
      std::uint64_t read = size_;
      size_ += left;
      for (; left != 0; --read) {
        const std::uint64_t last = border(read);
        const std::uint64_t first = border(read - 1);
        borders_[detail::to_size(read + left)] = last;
        if (last - first < 2) continue;
        std::uint64_t half = (last - first + 1) / 2;
        // A multiple of the size or more is not below it, and might be one of 2^64.
        if (multiple < last - first) {
          const std::uint64_t rounded = (half + multiple - 1) / multiple * multiple;
          if (rounded < last - first) half = rounded;
        }
        --left;
        borders_[detail::to_size(read + left)] = first + half;
      }
    }
  }

  std::span<std::uint64_t> borders_;
  std::uint64_t size_ = 0;
  std::uint64_t consumed_ = 0;  // before the first batch
  std::uint32_t ranks_ = 1;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_TOKEN_BATCHES_HPP
