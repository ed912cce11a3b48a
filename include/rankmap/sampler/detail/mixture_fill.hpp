// SPDX-License-Identifier: MIT
// Many samples of a mixture at once: shares and shuffles are made once for up to 1,024 of them.
#ifndef RANKMAP_SAMPLER_DETAIL_MIXTURE_FILL_HPP
#define RANKMAP_SAMPLER_DETAIL_MIXTURE_FILL_HPP

#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/mixture_blocks.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// Places from many small blocks of a mixture, grouped by set: the samples of a set are shuffled at
/// once. Up to `capacity` places, of up to `max_sets` sets. Loops run in steps of `lanes`, into the
/// slack behind the end: every compiler turns loops of a constant length into vector code. Nothing
/// is read before it was written.
class SetChunk {
 public:
  static constexpr std::uint32_t max_sets = 16;
  static constexpr std::uint32_t capacity = 1024;

  constexpr std::uint32_t used() const { return used_; }
  constexpr std::uint32_t room() const { return capacity - used_; }

  /// Where the caller writes the slots of the next block before it calls deal().
  constexpr std::int32_t* slots() { return slots_ + used_; }

  /// What a set has of the slots of a block.
  struct Part {
    std::uint64_t base;  // added to a slot it is the ordinal of the sample
    std::int32_t end;    // the slot at which the next set begins
  };
  /// Deals the next `count` slots, each below 2^31, to the `sets` parts of their block.
  constexpr void deal(std::uint32_t count, const Part* parts, std::uint32_t sets) {
    std::int32_t* const slots = slots_ + used_;
    std::int32_t* const set_of = sets_ + used_;
    for (std::uint32_t k = count; k != count + lanes; ++k) slots[k] = -1;  // of the first set
    for (std::uint32_t k = 0; k != count + lanes; ++k) set_of[k] = 0;
    std::uint32_t left = count;  // places of this set and those behind it
    for (std::uint32_t set = 0; set + 1 != sets; ++set) {
      const std::int32_t end = parts[set].end;
      std::int32_t behind = 0;
      for (std::uint32_t k = 0; k < count; k += lanes) {
        for (std::uint32_t j = 0; j != lanes; ++j) {
          const std::int32_t is_behind = slots[k + j] >= end ? 1 : 0;
          set_of[k + j] += is_behind;
          behind += is_behind;
        }
      }
      counts_[set] += left - static_cast<std::uint32_t>(behind);
      left = static_cast<std::uint32_t>(behind);
    }
    counts_[sets - 1] += left;
    for (std::uint32_t k = 0; k != count; ++k) {
      ordinals_[used_ + k] = parts[set_of[k]].base + static_cast<std::uint32_t>(slots[k]);
    }
    used_ += count;
  }

  /// Writes a number for each place to `out`, in the order of the places. `samples(set, ordinals,
  /// count)` turns ordinals of a set, in any order, into samples and returns what to add to each.
  template <class Samples>
  constexpr void finish(std::uint32_t sets, std::uint64_t* out, const Samples& samples) {
    std::uint32_t next[max_sets] = {};
    for (std::uint32_t set = 1; set < sets; ++set) next[set] = next[set - 1] + counts_[set - 1];
    for (std::uint32_t k = 0; k != used_; ++k) {
      const std::uint32_t at = next[sets_[k]]++;
      grouped_[at] = ordinals_[k];
      places_[at] = static_cast<std::uint16_t>(k);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t set = 0; set != sets; ++set) {
      const std::uint32_t end = begin + counts_[set];
      if (begin == end) continue;
      const std::uint64_t offset = samples(set, grouped_ + begin, end - begin);
      for (; begin != end; ++begin) out[places_[begin]] = offset + grouped_[begin];
    }
  }

 private:
  static constexpr std::uint32_t lanes = 16;

  std::uint32_t used_ = 0;
  std::uint32_t counts_[max_sets] = {};
  std::int32_t slots_[capacity + lanes];
  std::int32_t sets_[capacity + lanes];
  std::uint64_t ordinals_[capacity];
  std::uint64_t grouped_[capacity];
  std::uint16_t places_[capacity];
};

/// Reads many places of a mixture. The slots of a block are shuffled at once, and so are the
/// samples of a set that are in one pass.
struct MixtureFill {
  const MixtureBlocks& blocks;

  /// Writes the joined numbers at `count` places: first, first + stride, ...
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride) const noexcept {
    if (joins_blocks(stride)) return fill_joined(first, out, count, stride);
    std::uint64_t made = UINT64_MAX;  // the first place of the block whose slots these are
    Permutation slots;
    while (count != 0) {
      const MixtureBlocks::Block b = blocks.block_at(first);
      if (b.first != made) slots = blocks.slots_of(b);
      made = b.first;
      const std::uint64_t most = count < max_chunk ? count : max_chunk;
      const std::uint64_t part = StridedIndices(b.first + b.size, first, stride, most).real_size();
      slots.fill(first - b.first, out, part, stride);
      replace_slots(b, out, part);
      out += part;
      count -= part;
      first += part * stride;
    }
  }

 private:
  static constexpr std::uint64_t max_chunk = 1024;

  // Replaces the `count` <= max_chunk slots of block b in `out` by samples.
  constexpr void replace_slots(const MixtureBlocks::Block& b, std::uint64_t* out,
                               std::uint64_t count) const noexcept {
    std::uint64_t slots[max_chunk] = {};
    for (std::uint64_t k = 0; k != count; ++k) slots[k] = out[k];
    std::uint64_t offset = 0;  // of the set's samples
    blocks.for_each_share(b, [&](const MixtureBlocks::Share& share) {
      // Collects the set's samples of this chunk. A branch would be mispredicted.
      std::uint64_t samples[max_chunk];
      std::uint16_t places[max_chunk];
      std::uint32_t found = 0;
      for (std::uint32_t k = 0; k != count; ++k) {
        const std::uint64_t i = slots[k] - share.first_slot;
        samples[found] = i;
        places[found] = static_cast<std::uint16_t>(k);
        found += i < share.count ? 1U : 0U;
      }
      const std::uint64_t size = blocks.sizes[share.set];
      if (found != 0) {
        const bool one_pass = share.before % size + share.count <= size;
        shuffle_passes(share.set, share.before, samples, found, one_pass);
      }
      for (std::uint32_t k = 0; k != found; ++k) out[places[k]] = offset + samples[k];
      offset += size;
      return share.first_slot + share.count != b.size;
    });
  }

  // Whether many blocks are read together: few sets, stored shuffles, at most 512 places a block.
  constexpr bool joins_blocks(std::uint64_t stride) const noexcept {
    return blocks.weights.size() <= SetChunk::max_sets && blocks.block < FeistelNetwork::min_size &&
           blocks.block / stride < 512;
  }
  constexpr void fill_joined(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                             std::uint64_t stride) const noexcept {
    std::uint16_t table[FeistelNetwork::min_size];
    while (count != 0) {
      SetChunk chunk;
      while (count != 0) {
        const MixtureBlocks::Block b = blocks.block_at(first);
        const auto part = static_cast<std::uint32_t>(
            StridedIndices(b.first + b.size, first, stride, count).real_size());
        if (part > chunk.room()) break;  // at most 512, so the next chunk has room
        const std::uint64_t at = first - b.first;
        shuffle_stored(table, static_cast<std::uint32_t>(b.size), blocks.key_of_slots(b));
        for (std::uint32_t k = 0; k != part; ++k) chunk.slots()[k] = table[at + k * stride];
        SetChunk::Part parts[SetChunk::max_sets];
        std::uint32_t sets = 0;
        blocks.for_each_share(b, [&](const MixtureBlocks::Share& share) {
          const std::uint64_t end = share.first_slot + share.count;
          parts[sets++] = {share.before - share.first_slot, static_cast<std::int32_t>(end)};
          return end != b.size;
        });
        chunk.deal(part, parts, sets);
        count -= part;
        first += part * stride;
      }
      std::uint64_t offset = 0;
      std::uint32_t next = 0;  // the set that begins at the offset
      chunk.finish(static_cast<std::uint32_t>(blocks.weights.size()), out,
                   [&](std::uint32_t set, std::uint64_t* ordinals, std::uint32_t found) {
                     while (next != set) offset += blocks.sizes[next++];
                     shuffle_passes(set, 0, ordinals, found, false);
                     return offset;
                   });
      out += chunk.used();
    }
  }
  // Replaces ordinals of a set, counted from its `before`-th sample on, by samples. Neighbours of
  // one pass are mapped at once. `one_pass`: all are known to be of one pass.
  constexpr void shuffle_passes(std::uint32_t set, std::uint64_t before, std::uint64_t* ordinals,
                                std::uint32_t count, bool one_pass) const noexcept {
    const std::uint64_t size = blocks.sizes[set];
    for (std::uint32_t from = 0; from != count;) {
      const std::uint64_t pass = (before + ordinals[from]) / size;
      const std::uint64_t start = pass * size - before;
      std::uint32_t to = one_pass ? count : from;
      while (to != count && ordinals[to] - start < size) ++to;
      for (std::uint32_t k = from; k != to; ++k) ordinals[k] -= start;
      blocks.samples_of(set, pass).map(ordinals + from, to - from);
      from = to;
    }
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_MIXTURE_FILL_HPP
