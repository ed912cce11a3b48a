// SPDX-License-Identifier: MIT
// Several data sets in one stream, by weight: exact counts, random access, no list.
#ifndef RANKMAP_SAMPLER_MIXTURE_HPP
#define RANKMAP_SAMPLER_MIXTURE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/partition_point.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/set_chunk.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What a mixture does when a set ends. Sets of weight 0 do not count.
enum class MixtureStop : std::uint8_t {
  endless,          ///< each set begins its next pass, in an order of its own
  first_exhausted,  ///< stops where the share of some set is all its samples; none is drawn twice
  all_exhausted,    ///< stops where the first pass through each set is complete; others begin again
};

constexpr std::string_view name(MixtureStop stop) {
  constexpr std::string_view names[] = {"endless", "first_exhausted", "all_exhausted"};
  return detail::enumerator(names, stop);
}

/// A sample of a mixture.
struct Drawn {
  std::uint32_t set = 0;
  std::uint64_t sample = 0;  ///< in [0, size of the set)
  std::uint64_t pass = 0;    ///< through the set, from 0 on
  friend constexpr bool operator==(const Drawn&, const Drawn&) = default;
};

/// A place of a mixture before its set is shuffled: for sets with orders of their own.
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
/// It refers to the weights and sizes and does not copy them; they must outlive it, so temporary
/// ones are refused.
class Mixture {
 public:
  static constexpr std::uint64_t largest_block = std::uint64_t{1} << 20U;

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
    mixture.weights_ = weights;
    mixture.sizes_ = sizes;
    mixture.block_ = block;
    mixture.seed_ = seed;
    mixture.key_ = seed;
    if (const detail::Optional<Error> bad = mixture.check()) return *bad;
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
      return detail::error_at(Errc::bad_sampler, "drawn.size()", detail::concat<24>(drawn.size()),
                              detail::concat<64>(sizes.size(), ", one for each set"),
                              "pass how many samples each set has had");
    }
    for (std::size_t set = 0; set != drawn.size(); ++set) {
      mixture->begun_ += drawn[set];
      if (drawn[set] > largest_dataset || mixture->begun_ > largest_dataset) {
        return detail::out_of_range(detail::concat<63>("drawn[", set, "]"), drawn[set],
                                    "fewer than 2^63 samples that were drawn in all",
                                    "pass how many samples each set has had");
      }
    }
    mixture->drawn_ = drawn;
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
    return static_cast<std::uint32_t>(weights_.size());
  }
  constexpr std::uint64_t block() const noexcept { return block_; }

  /// What is drawn at `place` < 2^63; in the mixture of an order, below the order's size. O(sets);
  /// of up to 1,023 places a block, and of up to 1,023 samples a set, is a stored shuffle that is
  /// made for each call: read many by MixtureOrder::fill.
  constexpr Drawn operator[](std::uint64_t place) const noexcept {
    const MixtureTurn at = turn(place);
    return {at.set, element(sizes_[at.set], at.pass, stream_of(at.set), at.index), at.pass};
  }

  /// Whose turn it is at `place` < 2^63: the set, and which place of its pass. The sample is that
  /// of the set's own order there, such as a BlockShuffle with the pass as epoch. Costs what
  /// operator[] does, less the shuffle of the set.
  constexpr MixtureTurn turn(std::uint64_t place) const noexcept {
    const Block b = block_at(place);
    const std::uint64_t slot = element(b.size, number_of(b), stream_of_slots(), place - b.first);
    Shares shares(*this, b);
    while (slot - shares->first_slot >= shares->count) shares.next();
    const std::uint64_t ordinal = shares->before + (slot - shares->first_slot);
    const std::uint64_t size = sizes_[shares->set];
    return {shares->set, ordinal % size, ordinal / size};
  }

  /// How many samples of `set` < set_count() the places before `place` <= 2^63 have, and those that
  /// the mixture was resumed after. O(sets) at multiples of block(), else O(sets + block).
  constexpr std::uint64_t drawn(std::uint32_t set, std::uint64_t place) const noexcept {
    const Block b = block_at(place);
    const Share share = share_of(set, b);
    std::uint64_t count = share.before;
    if (place == b.first) return count;
    if (place == b.first + b.size) return count + share.count;
    const Permutation slots = slots_of(b);
    for (std::uint64_t i = 0; i != place - b.first; ++i) {
      if (slots[i] - share.first_slot < share.count) ++count;
    }
    return count;
  }

  /// The place of the `ordinal`-th sample of `set`, counted from 0 through all passes in the set's
  /// own order. It is largest_dataset where that is not below largest_dataset, and where the sample
  /// was drawn before the mixture was resumed. Precondition: the set has a positive weight.
  /// O(64 * sets).
  constexpr std::uint64_t place_of(std::uint32_t set, std::uint64_t ordinal) const noexcept {
    const Block b = block_of(set, ordinal);
    const Share share = share_of(set, b);
    if (ordinal - share.before >= share.count) return largest_dataset;
    const std::uint64_t slot = share.first_slot + (ordinal - share.before);
    const std::uint64_t place = b.first + slots_of(b).index_of(slot);
    return place < largest_dataset ? place : largest_dataset;
  }

  /// How many places there are until `stop`; largest_dataset where it is not reached before. For
  /// first_exhausted it is the least number of places of which some set's part, rounded as in all
  /// blocks, is its size, or what is left of that; 0 where a set had all its samples before.
  /// O(sets^2 + sets * block).
  constexpr std::uint64_t length(MixtureStop stop) const noexcept {
    if (weights_.empty()) return 0;
    if (is_cut_) return cut_;
    if (stop == MixtureStop::endless) return largest_dataset;
    if (stop == MixtureStop::first_exhausted) {
      return detail::partition_point(std::uint64_t{0}, largest_dataset,
                                     [&](std::uint64_t places) { return none_ends(places); });
    }
    std::uint64_t most = 0;
    for (std::uint32_t set = 0; set != set_count(); ++set) {
      if (weights_[set] == 0 || drawn_before(set) >= sizes_[set]) continue;
      const std::uint64_t end = first_pass(set);
      if (end > most) most = end;
    }
    return most;
  }

  /// The number of a sample among those of all sets, one set after another.
  constexpr std::uint64_t joined(const Drawn& drawn) const noexcept {
    std::uint64_t number = drawn.sample;
    for (std::uint32_t set = 0; set != drawn.set; ++set) number += sizes_[set];
    return number;
  }
  /// The set and the sample of such a number; its pass is 0. Precondition: it is below the sum of
  /// the sizes.
  constexpr Drawn split(std::uint64_t number) const noexcept {
    std::uint32_t set = 0;
    while (number >= sizes_[set]) number -= sizes_[set++];
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

  static constexpr std::uint64_t stream_of_resumed_blocks = 0;
  static constexpr std::uint64_t stream_of_blocks = 1;
  static constexpr std::uint64_t stream_of(std::uint32_t set) { return 2 + std::uint64_t{set}; }

  constexpr detail::Optional<Error> check() const {
    if (weights_.size() != sizes_.size()) {
      return detail::error_at(Errc::bad_sampler, "sizes.size()", detail::concat<24>(sizes_.size()),
                              detail::concat<64>(weights_.size(), ", one for each weight"),
                              "pass the weight and the size of each set");
    }
    if (weights_.size() > UINT32_MAX) {
      return detail::out_of_range("weights.size()", weights_.size(), "fewer than 2^32 sets",
                                  "join some sets");
    }
    if (block_ == 0 || block_ > largest_block) {
      return detail::out_of_range("block", block_, "1 to 2^20 places",
                                  "pass the sum of the weights, or a multiple of it");
    }
    std::uint64_t weights = 0;
    std::uint64_t samples = 0;
    for (std::size_t set = 0; set != weights_.size(); ++set) {
      weights += weights_[set];
      samples += sizes_[set];
      if (weights_[set] > largest_dataset || weights > largest_dataset) {
        return detail::out_of_range(detail::concat<63>("weights[", set, "]"), weights_[set],
                                    "weights with a sum below 2^63",
                                    "divide the weights by a number");
      }
      if (sizes_[set] > largest_dataset || samples > largest_dataset) {
        return detail::out_of_range(detail::concat<63>("sizes[", set, "]"), sizes_[set],
                                    "fewer than 2^63 samples in all",
                                    "pass the numbers of samples");
      }
      if (weights_[set] != 0 && sizes_[set] == 0) {
        return detail::out_of_range(detail::concat<63>("sizes[", set, "]"), sizes_[set],
                                    "at least 1 sample, since its weight is not 0",
                                    "leave the set out");
      }
    }
    if (weights != 0) return {};
    return detail::error_at(Errc::out_of_range, "weights", "", "a weight above 0",
                            "pass a whole number for each set, such as 7, 2 and 1");
  }

  struct Block {
    std::uint64_t first = 0;  // place
    std::uint64_t size = 0;   // places
  };
  constexpr Block block_at(std::uint64_t place) const noexcept {
    std::uint64_t first = place - place % block_;
    // The end of the last block begins no other one.
    if (is_cut_ && place == cut_ && first == cut_ && first != 0) first -= block_;
    return {first, is_cut_ && cut_ - first < block_ ? cut_ - first : block_};
  }
  // The number and the stream by which the slots of a block are shuffled: its own among all blocks
  // of all mixtures that were resumed after one another.
  constexpr std::uint64_t number_of(const Block& b) const noexcept {
    return begun_ == 0 ? b.first / block_ : begun_ + b.first;
  }
  constexpr std::uint64_t stream_of_slots() const noexcept {
    return begun_ == 0 ? stream_of_blocks : stream_of_resumed_blocks;
  }
  constexpr detail::FeistelKey key_of_slots(const Block& b) const noexcept {
    return detail::FeistelKey(key_, number_of(b)).of_stream(stream_of_slots());
  }
  constexpr Permutation slots_of(const Block& b) const noexcept {
    return Permutation(b.size, key_, number_of(b), stream_of_slots());
  }
  constexpr std::uint64_t drawn_before(std::size_t set) const noexcept {
    return drawn_.empty() ? 0 : drawn_[set];
  }

  // What a set has of a block: slots [first_slot, first_slot + count) before they are shuffled, for
  // its samples from the `before`-th on.
  struct Share {
    std::uint32_t set = 0;
    std::uint64_t first_slot = 0;
    std::uint64_t count = 0;
    std::uint64_t before = 0;
  };
  // The shares of a block in the order of the sets. Each set has of the first places what rounding
  // up its part of those gives that the sets before it leave. Precondition: no step beyond the last
  // set of a positive weight.
  class Shares {
   public:
    constexpr Shares(const Mixture& mixture, const Block& b) noexcept
        : weights_(mixture.weights_),
          drawn_(mixture.drawn_),
          left_before_(b.first),
          left_after_(b.first + b.size) {
      for (const std::uint64_t weight : weights_) sum_ += weight;
      compute();
    }
    constexpr const Share* operator->() const noexcept { return &share_; }
    constexpr const Share& operator*() const noexcept { return share_; }
    /// Whether there is another set behind this one.
    constexpr bool has_next() const noexcept {
      return share_.set + std::size_t{1} < weights_.size();
    }
    constexpr void next() noexcept {
      share_.first_slot += share_.count;
      ++share_.set;
      compute();
    }

   private:
    constexpr void compute() noexcept {
      const std::uint64_t weight = weights_[share_.set];
      share_.before = take(left_before_, weight);
      share_.count = take(left_after_, weight) - share_.before;
      if (!drawn_.empty()) share_.before += drawn_[share_.set];
      sum_ -= weight;
    }
    constexpr std::uint64_t take(std::uint64_t& left, std::uint64_t weight) const noexcept {
      if (weight == 0) return 0;
      const detail::Division part = detail::divide_product(left, weight, sum_);
      const std::uint64_t count = part.quotient + (part.remainder != 0 ? 1U : 0U);
      left -= count;
      return count;
    }

    std::span<const std::uint64_t> weights_;
    std::span<const std::uint64_t> drawn_;
    std::uint64_t sum_ = 0;  // of this weight and those behind it
    std::uint64_t left_before_;
    std::uint64_t left_after_;
    Share share_;
  };
  constexpr Share share_of(std::uint32_t set, const Block& b) const noexcept {
    Shares shares(*this, b);
    while (shares->set != set) shares.next();
    return *shares;
  }
  // Whether every set has samples left after as many places.
  constexpr bool none_ends(std::uint64_t places) const noexcept {
    Shares shares(*this, {places, 0});
    for (;; shares.next()) {
      if (weights_[shares->set] != 0 && shares->before >= sizes_[shares->set]) return false;
      if (!shares.has_next()) return true;
    }
  }
  // The block in which a set's sample of that ordinal lies, at most that of largest_dataset.
  constexpr Block block_of(std::uint32_t set, std::uint64_t ordinal) const noexcept {
    const std::uint64_t last = (is_cut_ ? cut_ : largest_dataset) / block_;
    const std::uint64_t b = detail::partition_point(std::uint64_t{0}, last, [&](std::uint64_t k) {
      return share_of(set, {(k + 1) * block_, 0}).before <= ordinal;
    });
    return block_at(b * block_);
  }
  // The places after which the first pass through a set is complete.
  constexpr std::uint64_t first_pass(std::uint32_t set) const noexcept {
    const Block b = block_of(set, sizes_[set] - 1);
    const Share share = share_of(set, b);
    const std::uint64_t count = sizes_[set] - share.before;  // of this block
    if (count > share.count) return largest_dataset;
    const Permutation slots = slots_of(b);
    std::uint64_t i = b.size;
    while (slots[i - 1] - share.first_slot >= count) --i;
    const std::uint64_t end = b.first + i;
    return end < largest_dataset ? end : largest_dataset;
  }

  constexpr std::uint64_t element(std::uint64_t size, std::uint64_t epoch, std::uint64_t stream,
                                  std::uint64_t i) const noexcept {
    if (size < detail::FeistelNetwork::least_size) return Permutation(size, key_, epoch, stream)[i];
    return detail::FeistelNetwork(size, detail::FeistelKey(key_, epoch).of_stream(stream))[i];
  }

  std::span<const std::uint64_t> weights_;
  std::span<const std::uint64_t> sizes_;
  std::uint64_t block_ = 1;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t key_ = 0;  // the seed of the shuffles
  // What was drawn of each set before, and of all together.
  std::span<const std::uint64_t> drawn_;
  std::uint64_t begun_ = 0;
  // Where the last block ends, for an order that ends within it.
  bool is_cut_ = false;
  std::uint64_t cut_ = 0;
};

/// A Mixture until it stops, as an order of samples: the sample at a place is its joined number.
/// Mixture::split has its set. Saved state calls it mixture-feistel-1; until first_exhausted, or
/// resumed, mixture-feistel-2.
class MixtureOrder {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<MixtureOrder>;

  /// The empty one.
  constexpr MixtureOrder() = default;

  constexpr std::uint64_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// With the last block as it is in this order: whose turn it is in there only this one knows.
  constexpr Mixture mixture() const noexcept { return mixture_; }
  /// Precondition: place < size(). Costs what Mixture::operator[] does.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return mixture_.joined(mixture_[place]);
  }
  /// Writes `count` samples to `out`: those at the places first, first + stride, ... It is the fast
  /// way to many: shares and shuffles are made once for up to 1,024 of them. Precondition: the last
  /// place is below size().
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    if (joins_blocks(stride)) return fill_joined(first, out, count, stride);
    std::uint64_t made = UINT64_MAX;  // the first place of the block whose slots these are
    Permutation slots;
    while (count != 0) {
      const Mixture::Block b = mixture_.block_at(first);
      if (b.first != made) slots = mixture_.slots_of(b);
      made = b.first;
      const std::uint64_t inside = (b.first + b.size - first - 1) / stride + 1;
      std::uint64_t part = count < inside ? count : inside;
      if (part > most) part = most;
      slots.fill(first - b.first, out, part, stride);
      replace_slots(b, out, part);
      out += part;
      count -= part;
      first += part * stride;
    }
  }
  /// The set of `sample`, as in Mixture::split. O(sets).
  constexpr std::uint64_t group_of(std::uint64_t sample) const noexcept {
    return mixture_.split(sample).set;
  }
  /// The block of `place`.
  constexpr std::uint64_t window_of(std::uint64_t place) const noexcept {
    return place / mixture_.block_;
  }
  /// mixture-feistel-1; mixture-feistel-2 where the last block is short by the rule of
  /// first_exhausted, or the mixture was resumed. Weights, sizes and block are the digest, and in
  /// mixture-feistel-2 what was drawn before.
  constexpr SavedOrder saved_as() const noexcept {
    const bool is_second = mixture_.is_cut_ || mixture_.begun_ != 0;
    std::uint64_t digest = detail::fnv_word(detail::fnv_start, mixture_.block_);
    for (std::size_t set = 0; set != mixture_.weights_.size(); ++set) {
      digest = detail::fnv_word(digest, mixture_.weights_[set]);
      digest = detail::fnv_word(digest, mixture_.sizes_[set]);
      if (is_second) digest = detail::fnv_word(digest, mixture_.drawn_before(set));
    }
    if (is_second) digest = detail::fnv_word(digest, mixture_.is_cut_ ? 1 : 0);
    return {is_second ? "mixture-feistel-2" : "mixture-feistel-1", mixture_.seed_, mixture_.epoch_,
            digest};
  }

  constexpr iterator begin() const noexcept { return {*this, 0}; }
  constexpr iterator end() const noexcept { return {*this, size_}; }

 private:
  friend class Mixture;
  friend class MixturePhases;
  static constexpr std::uint64_t most = 1024;

  constexpr MixtureOrder(const Mixture& mixture, std::uint64_t size) noexcept
      : mixture_(mixture), size_(size) {}

  // `out` has `count` <= most slots of block b, which become samples.
  constexpr void replace_slots(const Mixture::Block& b, std::uint64_t* out,
                               std::uint64_t count) const noexcept {
    std::uint64_t slots[most] = {};
    for (std::uint64_t k = 0; k != count; ++k) slots[k] = out[k];
    std::uint64_t offset = 0;  // of the set's samples
    Mixture::Shares shares(mixture_, b);
    for (;; shares.next()) {
      const Mixture::Share& share = *shares;
      // The set's samples of this chunk. Each may be one; a branch would be mispredicted.
      std::uint64_t samples[most];
      std::uint16_t places[most];
      std::uint32_t found = 0;
      for (std::uint32_t k = 0; k != count; ++k) {
        const std::uint64_t i = slots[k] - share.first_slot;
        samples[found] = i;
        places[found] = static_cast<std::uint16_t>(k);
        found += i < share.count ? 1U : 0U;
      }
      if (found != 0) shuffle(share, samples, found);
      for (std::uint32_t k = 0; k != found; ++k) out[places[k]] = offset + samples[k];
      offset += mixture_.sizes_[share.set];
      if (!shares.has_next()) return;
    }
  }

  // Replaces `count` ordinals of a set, counted from its share on, by the samples. Of each pass all
  // at once, as far as they come one after another.
  constexpr void shuffle(const Mixture::Share& share, std::uint64_t* ordinals,
                         std::uint32_t count) const noexcept {
    const std::uint64_t size = mixture_.sizes_[share.set];
    const std::uint64_t pass = share.before / size;
    const std::uint64_t start = share.before % size;
    if (start + share.count <= size) {
      for (std::uint32_t k = 0; k != count; ++k) ordinals[k] += start;
      map(share.set, pass, ordinals, count);
      return;
    }
    for (std::uint32_t from = 0; from != count;) {
      const std::uint64_t turn = (start + ordinals[from]) / size;
      std::uint32_t to = from;
      for (; to != count; ++to) {
        const std::uint64_t in_pass = start + ordinals[to] - turn * size;
        if (in_pass >= size) break;
        ordinals[to] = in_pass;
      }
      map(share.set, pass + turn, ordinals + from, to - from);
      from = to;
    }
  }
  // The samples of a pass through a set at `places` of it.
  constexpr void map(std::uint32_t set, std::uint64_t pass, std::uint64_t* places,
                     std::uint64_t count) const noexcept {
    const std::uint64_t size = mixture_.sizes_[set];
    const std::uint64_t stream = Mixture::stream_of(set);
    if (size < detail::FeistelNetwork::least_size) {
      Permutation(size, mixture_.key_, pass, stream).map(places, count);
    } else {  // without the memory of a stored shuffle, which would be cleared each time
      detail::FeistelNetwork(size, detail::FeistelKey(mixture_.key_, pass).of_stream(stream))
          .map(places, count);
    }
  }

  // Whether many blocks are read together: few sets, stored blocks, and not most of a large one.
  constexpr bool joins_blocks(std::uint64_t stride) const noexcept {
    return mixture_.weights_.size() <= detail::SetChunk::most_sets &&
           mixture_.block_ < detail::FeistelNetwork::least_size && mixture_.block_ / stride < 512;
  }
  constexpr void fill_joined(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                             std::uint64_t stride) const noexcept {
    detail::SetChunk chunk;
    std::uint16_t table[detail::FeistelNetwork::least_size];
    while (count != 0) {
      chunk.clear();
      while (count != 0) {
        const Mixture::Block b = mixture_.block_at(first);
        const std::uint64_t inside = (b.first + b.size - first - 1) / stride + 1;
        const auto part = static_cast<std::uint32_t>(count < inside ? count : inside);
        if (part > chunk.room()) break;  // less than 512, so the next chunk has room
        const std::uint64_t at = first - b.first;
        detail::shuffle_stored(table, static_cast<std::uint32_t>(b.size), mixture_.key_of_slots(b));
        for (std::uint32_t k = 0; k != part; ++k) chunk.slots()[k] = table[at + k * stride];
        Mixture::Shares shares(mixture_, b);
        chunk.deal(part, [&shares](std::uint64_t& base, std::int32_t& end) {
          base = shares->before - shares->first_slot;
          if (!shares.has_next()) return false;
          shares.next();
          end = static_cast<std::int32_t>(shares->first_slot);
          return true;
        });
        count -= part;
        first += part * stride;
      }
      std::uint64_t offset = 0;
      std::uint32_t next = 0;  // the set that begins at the offset
      chunk.finish(mixture_.set_count(), out,
                   [&](std::uint32_t set, std::uint64_t* ordinals, std::uint32_t found) {
                     while (next != set) offset += mixture_.sizes_[next++];
                     shuffle_passes(set, offset, ordinals, found);
                   });
      out += chunk.used();
    }
  }
  // Replaces ordinals of a set by joined numbers, of each pass all at once.
  constexpr void shuffle_passes(std::uint32_t set, std::uint64_t offset, std::uint64_t* ordinals,
                                std::uint32_t count) const noexcept {
    const std::uint64_t size = mixture_.sizes_[set];
    for (std::uint32_t from = 0; from != count;) {
      const std::uint64_t pass = ordinals[from] / size;
      const std::uint64_t start = pass * size;
      std::uint32_t to = from;
      for (; to != count && ordinals[to] - start < size; ++to) ordinals[to] -= start;
      map(set, pass, ordinals + from, to - from);
      for (; from != to; ++from) ordinals[from] += offset;
    }
  }

  Mixture mixture_;
  std::uint64_t size_ = 0;
};

constexpr MixtureOrder Mixture::order(MixtureStop stop, std::uint64_t epoch) const noexcept {
  Mixture mixture = *this;
  if (epoch != 0) {
    mixture.epoch_ = epoch;
    mixture.is_cut_ = false;
    mixture.key_ = detail::FeistelKey(seed_, epoch).next();
    mixture.drawn_ = {};
    mixture.begun_ = 0;
  }
  const std::uint64_t size = mixture.length(stop);
  if (stop == MixtureStop::first_exhausted) {
    mixture.is_cut_ = true;
    mixture.cut_ = size;
  }
  return {mixture, size};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_MIXTURE_HPP
