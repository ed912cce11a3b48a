// SPDX-License-Identifier: MIT
// A mixture whose weights change on the way: at places of the caller's, or where sets end, so that
// all sets are drawn once.
#ifndef RANKMAP_SAMPLER_MIXTURE_PHASES_HPP
#define RANKMAP_SAMPLER_MIXTURE_PHASES_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The weights of all sets from a place on. They are read while phases are made, and not kept.
struct MixtureChange {
  std::uint64_t place = 0;
  std::span<const std::uint64_t> weights;
};

/// Mixtures one after another as one order, whose samples are joined numbers: each begins its sets
/// where the one before left them, so no sample of a pass is lost or doubled. Up to the first
/// change it is the order of the mixture that it was made of.
///
/// It refers to the sizes of that mixture, and to memory for the phases. Saved as mixture-phases-1.
class MixturePhases : public PlaceRange<MixturePhases> {
 public:
  constexpr MixturePhases() = default;

  /// The numbers of memory that suffice for as many sets and changes.
  static constexpr std::uint64_t memory_for(std::uint64_t sets, std::uint64_t changes) noexcept {
    return (sets + changes + 1) * (2 * sets + 1);
  }

  /// `mixture` with the weights of each change from its place on, until `stop`. The places ascend;
  /// each is at a multiple of the block behind the change before, since within a block the samples
  /// that were drawn are not the first of their sets. first_exhausted and all_exhausted ask for the
  /// first pass through each set that has a weight in the last phase. An `epoch` other than 0
  /// begins each set anew, by other shuffles. O((changes + sets) * sets^2), without allocation.
  /// Errc::out_of_range: a place at which weights cannot change, or behind the end; too little
  /// memory; and the errors of Mixture::make for the weights of a change.
  static constexpr Result<MixturePhases> make(const Mixture& mixture,
                                              std::span<const MixtureChange> changes,
                                              MixtureStop stop, std::span<std::uint64_t> memory,
                                              std::uint64_t epoch = 0) {
    return made(mixture, changes, stop, false, memory, epoch);
  }
  /// The same until every sample of all sets with a weight in the last phase was drawn, each once:
  /// when a set ends, the others share the places behind by their weights.
  static constexpr Result<MixturePhases> once(const Mixture& mixture,
                                              std::span<const MixtureChange> changes,
                                              std::span<std::uint64_t> memory,
                                              std::uint64_t epoch = 0) {
    return made(mixture, changes, MixtureStop::first_exhausted, true, memory, epoch);
  }

  constexpr std::uint64_t size() const noexcept { return size_; }
  /// How many phases there are.
  constexpr std::uint64_t phase_count() const noexcept { return count_; }
  /// The phase of `place` < size(), and the place where a phase begins. O(log phases), O(1).
  constexpr std::uint64_t phase_of(std::uint64_t place) const noexcept {
    return detail::last_where(std::uint64_t{0}, count_,
                              [&](std::uint64_t k) { return first_of(k) <= place; });
  }
  constexpr std::uint64_t first_of(std::uint64_t phase) const noexcept {
    return memory_[detail::to_size(phase * record())];
  }
  /// The mixture of a phase, whose places count from first_of(phase) on. It refers to the memory.
  constexpr Mixture mixture(std::uint64_t phase) const noexcept {
    Mixture out = base_;
    const std::size_t sets = base_.set_count();
    const std::span<const std::uint64_t> all = memory_;
    out.blocks_.weights = all.subspan(detail::to_size(phase * record() + 1), sets);
    out.blocks_.drawn = all.subspan(detail::to_size(phase * record() + 1 + sets), sets);
    out.blocks_.begun = 0;
    for (const std::uint64_t drawn : out.blocks_.drawn) out.blocks_.begun += drawn;
    const bool is_last = phase + 1 == count_;
    if (!is_last || is_cut_) {
      out.blocks_.is_cut = true;
      out.blocks_.cut = (is_last ? size_ : first_of(phase + 1)) - first_of(phase);
    }
    return out;
  }

  /// Precondition: place < size(). Costs what Mixture::operator[] does.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    const std::uint64_t phase = phase_of(place);
    return base_.joined(mixture(phase)[place - first_of(phase)]);
  }
  /// Whose turn it is at `place` < size(), as Mixture::turn.
  constexpr MixtureTurn turn(std::uint64_t place) const noexcept {
    const std::uint64_t phase = phase_of(place);
    return mixture(phase).turn(place - first_of(phase));
  }
  /// How many samples of `set` the places before `place` in [0, size()] have, as Mixture::drawn.
  constexpr std::uint64_t drawn(std::uint32_t set, std::uint64_t place) const noexcept {
    if (count_ == 0) return base_.blocks_.drawn_before(set);
    const std::uint64_t phase = phase_of(place);
    return mixture(phase).drawn(set, place - first_of(phase));
  }
  /// The set and the sample of a joined number, as Mixture::split.
  constexpr MixtureSample split(std::uint64_t number) const noexcept { return base_.split(number); }
  /// As SampleOrder says, as fast as MixtureOrder::fill.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    while (count != 0) {
      const std::uint64_t phase = phase_of(first);
      const std::uint64_t end = phase + 1 == count_ ? size_ : first_of(phase + 1);
      const std::uint64_t part = StridedIndices(end, first, stride, count).real_size();
      MixtureOrder(mixture(phase), end - first_of(phase))
          .fill(first - first_of(phase), out, part, stride);
      out += part;
      count -= part;
      first += part * stride;
    }
  }
  /// The set of `sample`. O(sets).
  constexpr std::uint64_t group_of(std::uint64_t sample) const noexcept {
    return base_.split(sample).set;
  }
  /// mixture-phases-1; sizes, block and all phases are the digest.
  constexpr SavedOrder saved_as() const noexcept {
    std::uint64_t digest = detail::fnv_words(detail::fnv_start, base_.blocks_.block, is_cut_);
    for (const std::uint64_t size : base_.blocks_.sizes) digest = detail::fnv_word(digest, size);
    for (std::uint64_t i = 0; i != count_ * record(); ++i) {
      digest = detail::fnv_word(digest, memory_[detail::to_size(i)]);
    }
    return {"mixture-phases-1", base_.blocks_.seed, base_.blocks_.epoch, digest};
  }

 private:
  static constexpr Result<MixturePhases> made(const Mixture& mixture,
                                              std::span<const MixtureChange> changes,
                                              MixtureStop stop, bool is_once,
                                              std::span<std::uint64_t> memory,
                                              std::uint64_t epoch) {
    MixturePhases out;
    out.base_ = epoch == 0 ? mixture : mixture.order(MixtureStop::endless, epoch).mixture();
    out.base_.blocks_.is_cut = false;
    out.memory_ = memory;
    out.is_cut_ = true;  // each phase ends where the next one begins
    const bool is_cut = stop == MixtureStop::first_exhausted;
    std::span<const std::uint64_t> weights = out.base_.blocks_.weights;
    std::size_t next = 0;  // change
    const auto bad_place = [&](std::string_view expected, std::string_view remedy) {
      return detail::out_of_range(detail::concat("changes[", next, "].place"), changes[next].place,
                                  expected, remedy);
    };
    for (bool has_more = true; has_more;) {
      if (const auto bad = out.write(weights, is_once)) return *bad;
      const std::uint64_t first = out.size_;
      std::uint64_t end = out.ends_at(stop);
      has_more = is_once && end != first && end != largest_dataset;
      if (next != changes.size() && changes[next].place <= end) {
        const std::uint64_t place = changes[next].place;
        if (place < first) {
          return bad_place(detail::concat("at least ", first, ", the place of the change before"),
                           "sort the changes by place");
        }
        const std::uint64_t beyond = (place - first) % out.base_.block();
        if (beyond != 0 && !(is_cut && place == end)) {
          const std::uint64_t border = place - beyond + out.base_.block();
          return bad_place(detail::concat("the end of a block, of which the next is at ",
                                          is_cut && border > end ? end : border),
                           "change the weights there");
        }
        end = place;
        weights = changes[next++].weights;
        has_more = true;
      }
      if (end != first) ++out.count_;
      out.size_ = end;
    }
    out.is_cut_ = is_cut;
    if (next == changes.size()) return out;
    return bad_place(detail::concat("at most ", out.size_, ", where the mixture ends"),
                     "leave the change out");
  }

  // Writes the phase behind those that are complete.
  constexpr detail::Optional<Error> write(std::span<const std::uint64_t> weights, bool is_once) {
    const std::size_t sets = base_.set_count();
    const std::uint64_t at = count_ * record();
    if (memory_.size() < at + record()) {
      return detail::out_of_range("memory.size()", memory_.size(),
                                  detail::concat("at least ", at + record(), " numbers"),
                                  "pass MixturePhases::memory_for(sets, changes) of them");
    }
    detail::MixtureBlocks blocks = base_.blocks_;
    blocks.weights = weights;
    if (const auto bad = blocks.check()) return bad;
    const auto phase = memory_.subspan(detail::to_size(at), detail::to_size(record()));
    for (std::uint32_t set = 0; set != sets; ++set) {
      const std::uint64_t before = drawn(set, size_);
      phase[1 + set] = is_once && before >= blocks.sizes[set] ? 0 : weights[set];
      phase[1 + sets + set] = before;
    }
    phase[0] = size_;
    return {};
  }
  // Where the phase that was written last ends by itself.
  constexpr std::uint64_t ends_at(MixtureStop stop) const {
    MixturePhases with = *this;
    ++with.count_;
    with.is_cut_ = false;
    const Mixture phase = with.mixture(count_);
    std::size_t over = 0;  // sets without a weight
    for (const std::uint64_t weight : phase.blocks_.weights) over += weight == 0 ? 1U : 0U;
    if (over == phase.set_count()) return size_;
    const std::uint64_t length = phase.length(stop);
    return length < largest_dataset - size_ ? size_ + length : largest_dataset;
  }

  // Of a phase: its first place, and for each set its weight and what was drawn before.
  constexpr std::uint64_t record() const noexcept {
    return 2 * std::uint64_t{base_.set_count()} + 1;
  }

  Mixture base_;
  std::span<std::uint64_t> memory_;
  std::uint64_t count_ = 0;
  std::uint64_t size_ = 0;
  bool is_cut_ = false;  // the last block of the last phase ends with it
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_MIXTURE_PHASES_HPP
