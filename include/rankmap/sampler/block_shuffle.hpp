// SPDX-License-Identifier: MIT
// A shuffle for data that is read in pieces, such as files or row groups: blocks in shuffled order,
// and their samples shuffled within a window of some blocks.
#ifndef RANKMAP_SAMPLER_BLOCK_SHUFFLE_HPP
#define RANKMAP_SAMPLER_BLOCK_SHUFFLE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

class BlockNumbers;
class BlockWindow;

/// An order of samples in which blocks of `block` neighbours come in shuffled order. The samples of
/// each `window_blocks` blocks are shuffled together. So a reader needs the blocks of one window at
/// a time, and each block once. Where the blocks do not divide, the short last one takes a random
/// place like any other, and the last window has fewer.
///
/// Random access and inverse, no list: an object is 2 KiB and allocates nothing. Saved state calls
/// it block-feistel-1. Its output never changes under that name; golden values pin it.
class BlockShuffle : public PlaceRange<BlockShuffle> {
 public:
  constexpr BlockShuffle() = default;
  /// The preconditions are those of make; fails like Result::value() where it does.
  constexpr BlockShuffle(std::uint64_t size, std::uint64_t block, std::uint64_t window_blocks,
                         std::uint64_t seed, std::uint64_t epoch = 0)
      : BlockShuffle(make(size, block, window_blocks, seed, epoch).value()) {}

  /// `size` in [0, largest_dataset] samples in blocks of `block` >= 1, of which `window_blocks` >=
  /// 1 make a window. 1 leaves blocks whole; all blocks are a shuffle of everything.
  /// Errc::out_of_range where an argument is not in its range. O(1).
  static constexpr Result<BlockShuffle> make(std::uint64_t size, std::uint64_t block,
                                             std::uint64_t window_blocks, std::uint64_t seed,
                                             std::uint64_t epoch = 0) {
    if (size > largest_dataset) {
      return detail::out_of_range("size", size, "fewer than 2^63 samples",
                                  "pass the number of samples");
    }
    if (block == 0) {
      return detail::out_of_range("block", block, "at least 1 sample",
                                  "pass the samples of a file or row group");
    }
    if (window_blocks == 0) {
      return detail::out_of_range("window_blocks", window_blocks, "at least 1 block",
                                  "pass how many blocks a reader holds at a time");
    }
    return BlockShuffle(Checked{}, size, block, window_blocks, seed, epoch);
  }

  constexpr std::uint64_t size() const noexcept { return size_; }
  /// Samples of a block. The last block of the data set may have fewer.
  constexpr std::uint64_t block_size() const noexcept { return block_; }
  /// Blocks of the data set. Block b has the samples from b * block_size() on.
  constexpr std::uint64_t block_count() const noexcept { return outer_.size(); }
  /// Blocks of a window. The last window may have fewer.
  constexpr std::uint64_t window_blocks() const noexcept { return window_blocks_; }
  constexpr std::uint64_t window_count() const noexcept {
    return block_count() / window_blocks_ + (block_count() % window_blocks_ != 0 ? 1U : 0U);
  }

  /// The sample at `place`. Precondition: place < size(). O(1), without regard to the size of
  /// blocks and windows: two permutations and the key of one. Below 1,024 samples a window is a
  /// stored shuffle, made for each call: read it by `window` or `fill`, which make it once.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return sample_at(window_at(window_of(place)).at(key_, place));
  }

  /// The place of `sample` < size(): order.index_of(order[place]) == place. O(1), as operator[].
  constexpr std::uint64_t index_of(std::uint64_t sample) const noexcept {
    const std::uint64_t slot = outer_.index_of(sample / block_);
    return window_at(slot / window_blocks_).place_of(key_, start_of(slot) + sample % block_);
  }

  /// As SampleOrder says, and the fast way to many: each window is set up once.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    while (count != 0) {
      const Window window = window_at(window_of(first));
      const std::uint64_t i = first - window.first;
      const std::uint64_t part = StridedIndices(window.size, i, stride, count).real_size();
      fill_window(window, inner(window), i, out, part, stride);
      out += part;
      count -= part;
      first += part * stride;
    }
  }

  /// The block of `sample` < size(). O(1).
  constexpr std::uint64_t group_of(std::uint64_t sample) const noexcept { return sample / block_; }
  /// The window that `place` < size() lies in. O(1).
  constexpr std::uint64_t window_of(std::uint64_t place) const noexcept {
    const std::uint64_t w = place / width_;
    // Behind the short block, windows begin earlier.
    const std::uint64_t next = (w + 1) * window_blocks_;
    return place >= start_of(next) ? w + 1 : w;
  }
  /// Window `w` < window_count(), set up to be read. It refers to this order.
  constexpr BlockWindow window(std::uint64_t w) const& noexcept;
  /// What to fetch for the `count` places from `place` on: the blocks of all windows that they lie
  /// in, in the order of the windows; none where count is 0. It refers to this order. Precondition:
  /// place + count <= size(). O(1).
  constexpr BlockNumbers blocks(std::uint64_t place, std::uint64_t count) const& noexcept;
  // A temporary would be gone before the first sample is read.
  BlockWindow window(std::uint64_t w) const&& = delete;
  BlockNumbers blocks(std::uint64_t place, std::uint64_t count) const&& = delete;

  /// block-feistel-1; the sizes of blocks and windows are the digest.
  constexpr SavedOrder saved_as() const noexcept {
    return {"block-feistel-1", seed_, epoch_,
            detail::fnv_words(detail::fnv_start, block_, window_blocks_)};
  }

 private:
  friend class BlockNumbers;
  friend class BlockWindow;

  using Window = detail::ShuffledWindow;
  static constexpr std::uint64_t stream_of_blocks = 1;

  struct Checked {};
  constexpr BlockShuffle(Checked, std::uint64_t size, std::uint64_t block,
                         std::uint64_t window_blocks, std::uint64_t seed, std::uint64_t epoch)
      : size_(size), seed_(seed), epoch_(epoch), key_(seed, epoch) {
    if (size == 0) return;
    block_ = block < size ? block : size;
    const std::uint64_t count = (size - 1) / block_ + 1;
    window_blocks_ = window_blocks < count ? window_blocks : count;
    width_ = block_ * window_blocks_;
    missing_ = count * block_ - size;
    outer_ = Permutation(count, seed, epoch, stream_of_blocks);
    short_slot_ = outer_.index_of(count - 1);
    short_end_ = short_slot_ * block_ + (block_ - missing_);
  }

  // A slot is a place among the blocks in their shuffled order. Its samples begin at a place of the
  // order before the windows are shuffled.
  constexpr std::uint64_t start_of(std::uint64_t slot) const noexcept {
    return slot * block_ - (slot > short_slot_ ? missing_ : 0);
  }
  // The place as if the short block were full.
  constexpr std::uint64_t padded(std::uint64_t unshuffled) const noexcept {
    return unshuffled + (unshuffled >= short_end_ ? missing_ : 0);
  }
  constexpr std::uint64_t sample_at(std::uint64_t unshuffled) const noexcept {
    const std::uint64_t place = padded(unshuffled);
    return outer_[place / block_] * block_ + place % block_;
  }

  constexpr std::uint64_t slots_of(std::uint64_t w) const noexcept {
    return detail::count_within(w * window_blocks_, window_blocks_, block_count());
  }
  constexpr Window window_at(std::uint64_t w) const noexcept {
    const std::uint64_t slot = w * window_blocks_;
    const std::uint64_t first = start_of(slot);
    return {w, first, start_of(slot + slots_of(w)) - first};
  }
  constexpr Permutation inner(const Window& window) const noexcept {
    return Permutation(window.size, seed_, epoch_, window.stream());
  }

  // In chunks, whose blocks are found at once.
  constexpr void fill_window(const Window& window, const Permutation& inner, std::uint64_t i,
                             std::uint64_t* out, std::uint64_t count,
                             std::uint64_t stride) const noexcept {
    const std::uint64_t first_slot = window.index * window_blocks_;
    const std::uint64_t slots = slots_of(window.index);
    // For many samples it is quicker to list the window's blocks than to ask for the block of each.
    constexpr std::uint64_t max_listed = 1024;
    std::uint64_t listed[max_listed];
    const bool is_listed = slots <= max_listed && slots <= count;
    if (is_listed) outer_.fill(first_slot, listed, slots);

    constexpr std::uint64_t lanes = 128;
    std::uint64_t blocks[lanes];
    const std::uint64_t reciprocal = UINT64_MAX / block_;
    while (count != 0) {
      const std::uint64_t part = count < lanes ? count : lanes;
      inner.fill(i, out, part, stride);
      for (std::uint64_t k = 0; k != part; ++k) {
        const std::uint64_t place = padded(window.first + out[k]);
        // The quotient, or one less.
        const std::uint64_t quotient = detail::multiply_wide(place, reciprocal).high;
        blocks[k] = quotient + (place - quotient * block_ >= block_ ? 1U : 0U);
        out[k] = place - blocks[k] * block_;
      }
      if (is_listed) {
        for (std::uint64_t k = 0; k != part; ++k) blocks[k] = listed[blocks[k] - first_slot];
      } else {
        outer_.map(blocks, part);
      }
      for (std::uint64_t k = 0; k != part; ++k) out[k] += blocks[k] * block_;
      i += part * stride;
      out += part;
      count -= part;
    }
  }

  std::uint64_t size_ = 0;
  std::uint64_t block_ = 1;
  std::uint64_t window_blocks_ = 1;
  std::uint64_t width_ = 1;       // of a window of full blocks
  std::uint64_t missing_ = 0;     // samples that the short block lacks
  std::uint64_t short_slot_ = 0;  // of the short block, or of the last one where none is short
  std::uint64_t short_end_ = 0;   // the place behind it
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
  detail::FeistelKey key_;
  Permutation outer_;
};

/// Numbers of blocks in the order of a BlockShuffle, which it refers to: a random access range.
class BlockNumbers : public PlaceRange<BlockNumbers> {
 public:
  constexpr BlockNumbers() = default;
  constexpr std::uint64_t size() const noexcept { return count_; }
  /// Precondition: i < size(). O(1).
  constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    return order_->outer_[first_slot_ + i];
  }

 private:
  friend class BlockShuffle;
  friend class BlockWindow;
  constexpr BlockNumbers(const BlockShuffle& order, std::uint64_t first_slot,
                         std::uint64_t count) noexcept
      : order_(&order), first_slot_(first_slot), count_(count) {}

  const BlockShuffle* order_ = nullptr;
  std::uint64_t first_slot_ = 0;
  std::uint64_t count_ = 0;
};

/// One window of a BlockShuffle, set up once for many reads. It refers to the shuffle.
class BlockWindow {
 public:
  /// The place of its first sample in the order.
  constexpr std::uint64_t first() const noexcept { return window_.first; }
  /// Its samples.
  constexpr std::uint64_t size() const noexcept { return window_.size; }
  /// The numbers of its blocks.
  constexpr BlockNumbers blocks() const noexcept {
    return {*order_, window_.index * order_->window_blocks_, order_->slots_of(window_.index)};
  }
  /// The sample at place first() + i. Precondition: i < size(). O(1).
  constexpr std::uint64_t operator[](std::uint64_t i) const noexcept {
    return order_->sample_at(window_.first + inner_[i]);
  }
  /// The samples at first() + i, first() + i + stride, ... Precondition: they are of this window.
  constexpr void fill(std::uint64_t i, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    order_->fill_window(window_, inner_, i, out, count, stride);
  }

 private:
  friend class BlockShuffle;
  constexpr BlockWindow(const BlockShuffle& order, std::uint64_t w) noexcept
      : order_(&order), window_(order.window_at(w)), inner_(order.inner(window_)) {}

  const BlockShuffle* order_;
  BlockShuffle::Window window_;
  Permutation inner_;
};

constexpr BlockWindow BlockShuffle::window(std::uint64_t w) const& noexcept { return {*this, w}; }

constexpr BlockNumbers BlockShuffle::blocks(std::uint64_t place,
                                            std::uint64_t count) const& noexcept {
  if (count == 0) return {};
  const std::uint64_t first = window_of(place);
  const std::uint64_t last = window_of(place + count - 1);
  return {*this, first * window_blocks_, (last - first) * window_blocks_ + slots_of(last)};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_BLOCK_SHUFFLE_HPP
