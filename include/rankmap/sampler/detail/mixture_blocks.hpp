// SPDX-License-Identifier: MIT
// Which set of a mixture has which places: the shares of its sets in each block.
#ifndef RANKMAP_SAMPLER_DETAIL_MIXTURE_BLOCKS_HPP
#define RANKMAP_SAMPLER_DETAIL_MIXTURE_BLOCKS_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0::detail {

/// What a mixture keeps. A block has one slot for each of its places. Before the slots are
/// shuffled, each set has a run of them, set after set.
struct MixtureBlocks {
  static constexpr std::uint64_t max_places = std::uint64_t{1} << 20U;

  static constexpr std::uint64_t stream_of_resumed_blocks = 0;
  static constexpr std::uint64_t stream_of_blocks = 1;
  static constexpr std::uint64_t stream_of(std::uint32_t set) { return 2 + std::uint64_t{set}; }

  constexpr Optional<Error> check() const {
    if (weights.size() != sizes.size()) {
      return error_at(Errc::bad_sampler, "sizes.size()", concat(sizes.size()),
                      concat(weights.size(), ", one for each weight"),
                      "pass the weight and the size of each set");
    }
    if (weights.size() > UINT32_MAX) {
      return out_of_range("weights.size()", weights.size(), "fewer than 2^32 sets",
                          "join some sets");
    }
    if (block == 0 || block > max_places) {
      return out_of_range("block", block, "1 to 2^20 places",
                          "pass the sum of the weights, or a multiple of it");
    }
    const auto sum =
        sum_of_weights(weights, "pass a whole number for each set, such as 7, 2 and 1");
    if (!sum) return sum.error();
    const auto samples = checked_sum(sizes, "sizes", "fewer than 2^63 samples in all",
                                     "pass the numbers of samples");
    if (!samples) return samples.error();
    for (std::size_t set = 0; set != weights.size(); ++set) {
      if (weights[set] == 0 || sizes[set] != 0) continue;
      return out_of_range(concat("sizes[", set, "]"), sizes[set],
                          "at least 1 sample, since its weight is not 0", "leave the set out");
    }
    return {};
  }

  struct Block {
    std::uint64_t first = 0;  // place
    std::uint64_t size = 0;   // places
  };
  constexpr Block block_at(std::uint64_t place) const noexcept {
    std::uint64_t first = place - place % block;
    // The end of a cut order belongs to its last block.
    if (is_cut && place == cut && first == cut && first != 0) first -= block;
    return {first, is_cut && cut - first < block ? cut - first : block};
  }
  // The number and the stream that shuffle the slots of a block. No other block of this mixture, or
  // of those that it resumes, has both.
  constexpr std::uint64_t number_of(const Block& b) const noexcept {
    return begun == 0 ? b.first / block : begun + b.first;
  }
  constexpr std::uint64_t stream_of_slots() const noexcept {
    return begun == 0 ? stream_of_blocks : stream_of_resumed_blocks;
  }
  constexpr FeistelKey key_of_slots(const Block& b) const noexcept {
    return FeistelKey(key, number_of(b)).of_stream(stream_of_slots());
  }
  constexpr PassingShuffle samples_of(std::uint32_t set, std::uint64_t pass) const noexcept {
    return {sizes[set], FeistelKey(key, pass).of_stream(stream_of(set))};
  }
  constexpr Permutation slots_of(const Block& b) const noexcept {
    return Permutation(b.size, key, number_of(b), stream_of_slots());
  }
  constexpr std::uint64_t drawn_before(std::size_t set) const noexcept {
    return drawn.empty() ? 0 : drawn[set];
  }

  // What a set has of a block: slots [first_slot, first_slot + count) before they are shuffled, for
  // its samples from the `before`-th on.
  struct Share {
    std::uint32_t set = 0;
    std::uint64_t first_slot = 0;
    std::uint64_t count = 0;
    std::uint64_t before = 0;
  };
  static constexpr std::uint64_t rounded_part(std::uint64_t places, std::uint64_t weight,
                                              std::uint64_t sum) noexcept {
    if (weight == 0) return 0;
    const Division part = divide_product(places, weight, sum);
    return part.quotient + (part.remainder != 0 ? 1U : 0U);
  }
  // Calls `visit(share)` with the shares of a block, set after set, until it returns false. Of the
  // first n places a set has its part, rounded up, of what the sets before it leave.
  template <class Visit>
  constexpr void for_each_share(const Block& b, const Visit& visit) const noexcept {
    std::uint64_t sum = 0;  // of this weight and those behind it
    for (const std::uint64_t weight : weights) sum += weight;
    std::uint64_t left_before = b.first;
    std::uint64_t left_after = b.first + b.size;
    for (Share share; share.set != weights.size(); ++share.set) {
      const std::uint64_t weight = weights[share.set];
      const std::uint64_t before = rounded_part(left_before, weight, sum);
      const std::uint64_t after = rounded_part(left_after, weight, sum);
      left_before -= before;
      left_after -= after;
      share.count = after - before;
      share.before = before + drawn_before(share.set);
      if (!visit(share)) return;
      share.first_slot += share.count;
      sum -= weight;
    }
  }
  RANKMAP_NOINLINE constexpr Share share_of(std::uint32_t set, const Block& b) const noexcept {
    Share found;
    for_each_share(b, [&](const Share& share) {
      found = share;
      return share.set != set;
    });
    return found;
  }
  // Whether every set with a weight has samples left after `places` places.
  constexpr bool none_ends(std::uint64_t places) const noexcept {
    bool has_left = true;
    for_each_share({places, 0}, [&](const Share& share) {
      has_left = weights[share.set] == 0 || share.before < sizes[share.set];
      return has_left;
    });
    return has_left;
  }
  // The block with the set's sample of this ordinal, or the last block if it comes later.
  constexpr Block block_of(std::uint32_t set, std::uint64_t ordinal) const noexcept {
    const std::uint64_t last = (is_cut ? cut : largest_dataset) / block;
    const std::uint64_t b = partition_point(std::uint64_t{0}, last, [&](std::uint64_t k) {
      return share_of(set, {(k + 1) * block, 0}).before <= ordinal;
    });
    return block_at(b * block);
  }
  // After how many places the first pass through a set is complete.
  constexpr std::uint64_t first_pass(std::uint32_t set) const noexcept {
    const Block b = block_of(set, sizes[set] - 1);
    const Share share = share_of(set, b);
    const std::uint64_t count = sizes[set] - share.before;  // of this block
    if (count > share.count) return largest_dataset;
    const Permutation slots = slots_of(b);
    std::uint64_t i = b.size;
    while (slots[i - 1] - share.first_slot >= count) --i;
    const std::uint64_t end = b.first + i;
    return end < largest_dataset ? end : largest_dataset;
  }

  std::span<const std::uint64_t> weights;
  std::span<const std::uint64_t> sizes;
  std::uint64_t block = 1;
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t key = 0;  // the seed of the shuffles
  // How much was drawn before: of each set, and of all sets together.
  std::span<const std::uint64_t> drawn = {};
  std::uint64_t begun = 0;
  // An order that is cut ends at `cut`, perhaps within a block.
  bool is_cut = false;
  std::uint64_t cut = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_MIXTURE_BLOCKS_HPP
