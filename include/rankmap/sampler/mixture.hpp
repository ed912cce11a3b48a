// SPDX-License-Identifier: MIT
// Several data sets in one stream, by weight: exact counts, random access, no list. One file, since
// a Mixture makes its MixtureOrder, which holds a Mixture.
#ifndef RANKMAP_SAMPLER_MIXTURE_HPP
#define RANKMAP_SAMPLER_MIXTURE_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/mixture_blocks.hpp>
#include <rankmap/sampler/detail/mixture_fill.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// What a mixture does when a set ends. Sets of weight 0 do not count.
enum class MixtureStop : std::uint8_t {
  endless,          ///< each set begins its next pass, in an order of its own
  first_exhausted,  ///< stops where the share of some set is all its samples; none is drawn twice
  all_exhausted,    ///< stops where the first pass through each set is complete; others begin again
};

constexpr std::string_view name(MixtureStop stop) {
  return detail::enumerator("endless\0first_exhausted\0all_exhausted", stop);
}

/// A sample of a mixture.
struct MixtureSample {
  std::uint32_t set = 0;
  std::uint64_t sample = 0;  ///< in [0, size of the set)
  std::uint64_t pass = 0;    ///< through the set, from 0 on
  friend constexpr bool operator==(const MixtureSample&, const MixtureSample&) = default;
};
using Drawn [[deprecated("use MixtureSample")]] = MixtureSample;

/// Which set has a place of a mixture, and how far it has come: for sets with orders of their own.
struct MixtureTurn {
  std::uint32_t set = 0;
  std::uint64_t index = 0;  ///< of the pass, in [0, size of the set): as a place of the set's order
  std::uint64_t pass = 0;   ///< through the set, from 0 on
  friend constexpr bool operator==(const MixtureTurn&, const MixtureTurn&) = default;
};

class MixtureOrder;
class MixturePhases;

/// An endless stream of samples of several sets. The sets share each block of `block` places by
/// their weights, in shuffled order; each pass through a set has an order of its own.
///
/// Counts are exact: after any multiple of `block` places a set has had
/// ceil(places * weight / sum) samples, computed for one set after another of what the sets before
/// it leave. So every sum-of-weights places have exactly `weight` of each set if that is a multiple
/// of `block`, and a rounding never adds up. With blocks of one place it is the order of Grain's
/// mixtures. Whole numbers alone: the same on every rank and platform. Golden values pin the order.
///
/// It refers to the weights and sizes, which must outlive it: temporary ones are refused.
class Mixture {
 public:
  static constexpr std::uint64_t largest_block = detail::MixtureBlocks::max_places;

  /// No sets.
  constexpr Mixture() = default;
  /// The preconditions are those of make; fails like Result::value() where it does.
  constexpr Mixture(std::span<const std::uint64_t> weights, std::span<const std::uint64_t> sizes,
                    std::uint64_t block, std::uint64_t seed)
      : Mixture(make(weights, sizes, block, seed).value()) {}

  /// `weights` and `sizes` of as many sets, of which one weight is positive; a set of positive
  /// weight has samples. The sums of the weights and of the sizes are below 2^63. `block` is in
  /// [1, largest_block]; one that the sum of the weights divides makes all blocks alike. O(sets).
  /// Errc::out_of_range where an argument is not in its range; Errc::bad_sampler where there are
  /// not as many weights as sizes.
  static constexpr Result<Mixture> make(std::span<const std::uint64_t> weights,
                                        std::span<const std::uint64_t> sizes, std::uint64_t block,
                                        std::uint64_t seed) {
    Mixture mixture;
    mixture.blocks_ = {
        .weights = weights, .sizes = sizes, .block = block, .seed = seed, .key = seed};
    if (const detail::Optional<Error> bad = mixture.blocks_.check()) return *bad;
    return mixture;
  }
  /// A mixture in which the first sample of each set is the one after the `drawn` first of it: the
  /// rest of a job after a change of weights, sets or block. `drawn` are as many numbers as sets,
  /// with a sum below 2^63, such as drawn(set, place) of the mixture before at a multiple of its
  /// block; within a block the samples that were drawn are not the first of their sets, and the
  /// counts alone would lose some and double others. It is referred to, as weights and sizes are.
  /// Places begin at 0 again. The errors of make. O(sets).
  static constexpr Result<Mixture> resume(std::span<const std::uint64_t> weights,
                                          std::span<const std::uint64_t> sizes,
                                          std::span<const std::uint64_t> drawn, std::uint64_t block,
                                          std::uint64_t seed) {
    Result<Mixture> mixture = make(weights, sizes, block, seed);
    if (!mixture) return mixture;
    if (drawn.size() != sizes.size()) {
      return detail::error_at(Errc::bad_sampler, "drawn.size()", detail::concat(drawn.size()),
                              detail::concat(sizes.size(), ", one for each set"),
                              "pass how many samples each set has had");
    }
    const auto begun =
        detail::checked_sum(drawn, "drawn", "fewer than 2^63 samples that were drawn in all",
                            "pass how many samples each set has had");
    if (!begun) return begun.error();
    mixture->blocks_.begun = *begun;
    mixture->blocks_.drawn = drawn;
    return mixture;
  }
  // Temporary weights or sizes would be gone: give them a name that outlives the mixture.
  template <class Weights, class Sizes>
  requires detail::TemporaryList<Weights, Sizes>
  explicit Mixture(Weights&&, Sizes&&, std::uint64_t, std::uint64_t) = delete;
  template <class Weights, class Sizes>
  requires detail::TemporaryList<Weights, Sizes>
  static Result<Mixture> make(Weights&&, Sizes&&, std::uint64_t, std::uint64_t) = delete;
  template <class Weights, class Sizes, class Counts>
  requires detail::TemporaryList<Weights, Sizes, Counts>
  static Result<Mixture> resume(Weights&&, Sizes&&, Counts&&, std::uint64_t,
                                std::uint64_t) = delete;

  constexpr std::uint32_t set_count() const noexcept {
    return static_cast<std::uint32_t>(blocks_.weights.size());
  }
  constexpr std::uint64_t block() const noexcept { return blocks_.block; }

  /// What is drawn at `place` < 2^63; in the mixture of an order, below the order's size. O(sets);
  /// of up to 1,023 places a block, and of up to 1,023 samples a set, is a stored shuffle that is
  /// made for each call: read many by MixtureOrder::fill.
  constexpr MixtureSample operator[](std::uint64_t place) const noexcept {
    const MixtureTurn at = turn(place);
    return {at.set, blocks_.samples_of(at.set, at.pass)[at.index], at.pass};
  }

  /// Whose turn it is at `place` < 2^63: the set, and which place of its pass. The sample is that
  /// of the set's own order there, such as a BlockShuffle with the pass as epoch. Costs what
  /// operator[] does, less the shuffle of the set.
  constexpr MixtureTurn turn(std::uint64_t place) const noexcept {
    const auto b = blocks_.block_at(place);
    const std::uint64_t slot =
        detail::PassingShuffle{b.size, blocks_.key_of_slots(b)}[place - b.first];
    MixtureTurn turn;
    blocks_.for_each_share(b, [&](const detail::MixtureBlocks::Share& share) {
      if (slot - share.first_slot >= share.count) return true;
      const std::uint64_t ordinal = share.before + (slot - share.first_slot);
      const std::uint64_t size = blocks_.sizes[share.set];
      turn = {share.set, ordinal % size, ordinal / size};
      return false;
    });
    return turn;
  }

  /// How many samples of `set` < set_count() the places before `place` <= 2^63 have, and those that
  /// the mixture was resumed after. O(sets) at multiples of block(), else O(sets + block).
  constexpr std::uint64_t drawn(std::uint32_t set, std::uint64_t place) const noexcept {
    const auto b = blocks_.block_at(place);
    const auto share = blocks_.share_of(set, b);
    std::uint64_t count = share.before;
    if (place == b.first) return count;
    if (place == b.first + b.size) return count + share.count;
    const Permutation slots = blocks_.slots_of(b);
    for (std::uint64_t i = 0; i != place - b.first; ++i) {
      if (slots[i] - share.first_slot < share.count) ++count;
    }
    return count;
  }

  /// The place of the `ordinal`-th sample of `set`, from 0 on through all passes in the set's own
  /// order; largest_dataset where it is not below that, and where the sample was drawn before the
  /// mixture was resumed. Precondition: the weight is positive. O(64 * sets).
  constexpr std::uint64_t place_of(std::uint32_t set, std::uint64_t ordinal) const noexcept {
    const auto b = blocks_.block_of(set, ordinal);
    const auto share = blocks_.share_of(set, b);
    if (ordinal - share.before >= share.count) return largest_dataset;
    const std::uint64_t slot = share.first_slot + (ordinal - share.before);
    const std::uint64_t place = b.first + blocks_.slots_of(b).index_of(slot);
    return place < largest_dataset ? place : largest_dataset;
  }

  /// How many places there are until `stop`, at most largest_dataset. For first_exhausted the least
  /// number of which some set's part, rounded as in all blocks, is its size, or what is left of
  /// that; 0 where a set had all its samples before. O(sets^2 + sets * block).
  constexpr std::uint64_t length(MixtureStop stop) const noexcept {
    if (blocks_.weights.empty()) return 0;
    if (blocks_.is_cut) return blocks_.cut;
    if (stop == MixtureStop::endless) return largest_dataset;
    if (stop == MixtureStop::first_exhausted) {
      return detail::partition_point(std::uint64_t{0}, largest_dataset, [&](std::uint64_t places) {
        return blocks_.none_ends(places);
      });
    }
    std::uint64_t most = 0;
    for (std::uint32_t set = 0; set != set_count(); ++set) {
      if (blocks_.weights[set] == 0 || blocks_.drawn_before(set) >= blocks_.sizes[set]) continue;
      const std::uint64_t end = blocks_.first_pass(set);
      if (end > most) most = end;
    }
    return most;
  }

  /// The number of a sample among those of all sets, one set after another.
  constexpr std::uint64_t joined(const MixtureSample& drawn) const noexcept {
    std::uint64_t number = drawn.sample;
    for (std::uint32_t set = 0; set != drawn.set; ++set) number += blocks_.sizes[set];
    return number;
  }
  /// The set and the sample of such a number; its pass is 0. Precondition: it is below the sum of
  /// the sizes.
  constexpr MixtureSample split(std::uint64_t number) const noexcept {
    std::uint32_t set = 0;
    while (number >= blocks_.sizes[set]) number -= blocks_.sizes[set++];
    return {set, number, 0};
  }

  /// The mixture until `stop` as an order for epochs, whose samples are joined numbers. Until
  /// first_exhausted the last block has only the places up to there, with the shares of so many: a
  /// set that ends has no sample of its next pass among its last ones. So no sample is drawn twice.
  /// The orders of other epochs are those of other seeds; those from 1 on begin each set anew, also
  /// where the mixture was resumed.
  constexpr MixtureOrder order(MixtureStop stop, std::uint64_t epoch = 0) const noexcept;

 private:
  friend class MixtureOrder;
  friend class MixturePhases;

  detail::MixtureBlocks blocks_;
};

/// A Mixture until it stops, as an order of joined numbers; Mixture::split has the set of each.
/// Saved state calls it mixture-feistel-1; until first_exhausted, or resumed, mixture-feistel-2.
class MixtureOrder : public PlaceRange<MixtureOrder> {
 public:
  constexpr MixtureOrder() = default;

  constexpr std::uint64_t size() const noexcept { return size_; }
  /// With the last block as it is in this order: whose turn it is in there only this one knows.
  constexpr Mixture mixture() const noexcept { return mixture_; }
  /// Precondition: place < size(). Costs what Mixture::operator[] does.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return mixture_.joined(mixture_[place]);
  }
  /// As SampleOrder says, and the fast way to many: shares and shuffles are made once for up to
  /// 1,024.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    detail::MixtureFill{mixture_.blocks_}.fill(first, out, count, stride);
  }
  /// The set of `sample`, as in Mixture::split. O(sets).
  constexpr std::uint64_t group_of(std::uint64_t sample) const noexcept {
    return mixture_.split(sample).set;
  }
  /// The block of `place`.
  constexpr std::uint64_t window_of(std::uint64_t place) const noexcept {
    return place / mixture_.blocks_.block;
  }
  /// mixture-feistel-1; mixture-feistel-2 where the last block is short by the rule of
  /// first_exhausted, or the mixture was resumed. Weights, sizes and block are the digest, and in
  /// mixture-feistel-2 what was drawn before.
  constexpr SavedOrder saved_as() const noexcept {
    const detail::MixtureBlocks& blocks = mixture_.blocks_;
    const bool is_second = blocks.is_cut || blocks.begun != 0;
    std::uint64_t digest = detail::fnv_word(detail::fnv_start, blocks.block);
    for (std::size_t set = 0; set != blocks.weights.size(); ++set) {
      digest = detail::fnv_words(digest, blocks.weights[set], blocks.sizes[set]);
      if (is_second) digest = detail::fnv_word(digest, blocks.drawn_before(set));
    }
    if (is_second) digest = detail::fnv_words(digest, blocks.is_cut);
    return {is_second ? "mixture-feistel-2" : "mixture-feistel-1", blocks.seed, blocks.epoch,
            digest};
  }

 private:
  friend class Mixture;
  friend class MixturePhases;

  constexpr MixtureOrder(const Mixture& mixture, std::uint64_t size) noexcept
      : mixture_(mixture), size_(size) {}

  Mixture mixture_;
  std::uint64_t size_ = 0;
};

constexpr MixtureOrder Mixture::order(MixtureStop stop, std::uint64_t epoch) const noexcept {
  Mixture mixture = *this;
  if (epoch != 0) {
    mixture.blocks_.epoch = epoch;
    mixture.blocks_.is_cut = false;
    mixture.blocks_.key = detail::FeistelKey(blocks_.seed, epoch).next();
    mixture.blocks_.drawn = {};
    mixture.blocks_.begun = 0;
  }
  const std::uint64_t size = mixture.length(stop);
  if (stop == MixtureStop::first_exhausted) {
    mixture.blocks_.is_cut = true;
    mixture.blocks_.cut = size;
  }
  return {mixture, size};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_MIXTURE_HPP
