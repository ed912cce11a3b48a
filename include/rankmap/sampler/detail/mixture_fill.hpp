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
  static constexpr std::uint32_t max_chunk = 1024;
  static constexpr std::uint32_t max_sets = 16;

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
        samples[found] = share.before + i;
        places[found] = static_cast<std::uint16_t>(k);
        found += i < share.count ? 1U : 0U;
      }
      shuffle_passes(share.set, samples, found);
      for (std::uint32_t k = 0; k != found; ++k) out[places[k]] = offset + samples[k];
      offset += blocks.sizes[share.set];
      return share.first_slot + share.count != b.size;
    });
  }

  // Whether many blocks are read together: few sets, stored shuffles, at most 512 places a block.
  constexpr bool joins_blocks(std::uint64_t stride) const noexcept {
    return blocks.weights.size() <= max_sets && blocks.block < FeistelNetwork::min_size &&
           blocks.block / stride < 512;
  }
  // Groups the places of many blocks by set, whose samples are then shuffled at once.
  constexpr void fill_joined(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                             std::uint64_t stride) const noexcept {
    std::uint16_t table[FeistelNetwork::min_size];
    std::uint64_t ordinals[max_chunk];
    std::uint64_t grouped[max_chunk];
    std::uint16_t places[max_chunk];
    std::uint8_t set_of[max_chunk];
    while (count != 0) {
      std::uint32_t used = 0;
      while (count != 0) {
        const MixtureBlocks::Block b = blocks.block_at(first);
        const std::uint64_t part =
            StridedIndices(b.first + b.size, first, stride, count).real_size();
        if (part > max_chunk - used) break;  // at most 512, so the next chunk has room
        std::uint64_t base[max_sets] = {};   // added to a slot it is the ordinal of the sample
        std::uint32_t ends[max_sets] = {};   // the slot at which the next set begins
        std::uint32_t sets = 0;
        blocks.for_each_share(b, [&](const MixtureBlocks::Share& share) {
          base[sets] = share.before - share.first_slot;
          ends[sets] = static_cast<std::uint32_t>(share.first_slot + share.count);
          return ends[sets++] != b.size;
        });
        shuffle_stored(table, static_cast<std::uint32_t>(b.size), blocks.key_of_slots(b));
        for (std::uint64_t k = 0; k != part; ++k) {
          const std::uint32_t slot = table[first - b.first + k * stride];
          std::uint32_t set = 0;
          for (std::uint32_t s = 0; s + 1 < sets; ++s) set += slot >= ends[s] ? 1U : 0U;
          ordinals[used] = base[set] + slot;
          set_of[used++] = static_cast<std::uint8_t>(set);
        }
        count -= part;
        first += part * stride;
      }
      std::uint32_t next[max_sets + 1] = {};  // the place of a set's next sample in `grouped`
      for (std::uint32_t k = 0; k != used; ++k) ++next[set_of[k] + 1];
      for (std::uint32_t set = 0; set != max_sets; ++set) next[set + 1] += next[set];
      for (std::uint32_t k = 0; k != used; ++k) {
        const std::uint32_t at = next[set_of[k]]++;
        grouped[at] = ordinals[k];
        places[at] = static_cast<std::uint16_t>(k);
      }
      std::uint64_t offset = 0;  // of the set's samples
      std::uint32_t begin = 0;
      for (std::uint32_t set = 0; set != blocks.weights.size(); ++set) {
        shuffle_passes(set, grouped + begin, next[set] - begin);
        for (; begin != next[set]; ++begin) out[places[begin]] = offset + grouped[begin];
        offset += blocks.sizes[set];
      }
      out += used;
    }
  }
  // Replaces ordinals of a set by samples. Neighbours of one pass are mapped at once.
  constexpr void shuffle_passes(std::uint32_t set, std::uint64_t* ordinals,
                                std::uint32_t count) const noexcept {
    const std::uint64_t size = blocks.sizes[set];
    for (std::uint32_t from = 0; from != count;) {
      const std::uint64_t pass = ordinals[from] / size;
      std::uint32_t to = from;
      for (; to != count && ordinals[to] - pass * size < size; ++to) ordinals[to] -= pass * size;
      blocks.samples_of(set, pass).map(ordinals + from, to - from);
      from = to;
    }
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_MIXTURE_FILL_HPP
