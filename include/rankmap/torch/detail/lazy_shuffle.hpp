// SPDX-License-Identifier: MIT
// The head of a forward Fisher-Yates shuffle at the cost of the head: a place is final after its
// own step, and a table holds the places that were displaced. Once so much is read that the whole
// is cheaper, the whole is made.
#ifndef RANKMAP_TORCH_DETAIL_LAZY_SHUFFLE_HPP
#define RANKMAP_TORCH_DETAIL_LAZY_SHUFFLE_HPP

#include <rankmap/detail/mt19937.hpp>
#include <rankmap/detail/prefetch.hpp>
#include <rankmap/detail/reset_on_move.hpp>
#include <rankmap/torch/detail/blocked_fisher_yates.hpp>
#include <rankmap/torch/detail/fisher_yates.hpp>
#include <rankmap/torch/detail/uninitialized_buffer.hpp>

#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// The inside-out shuffle with 64-bit draws, high word first: for i = 0 .. n - 1 place i takes the
/// value at draw mod (i + 1), and that place takes i. The values move until the end, so neither a
/// head nor a region is final early.
template <class T>
constexpr void shuffle_inside_out(Mt19937& engine, T* values, std::uint64_t size) {
  constexpr std::uint64_t batch = 64;
  std::uint32_t words[2 * batch] = {};
  std::uint64_t targets[batch] = {};
  for (std::uint64_t done = 0; done != size;) {
    const std::uint64_t count = size - done < batch ? size - done : batch;
    engine.fill(words, static_cast<std::uint32_t>(2 * count));
    for (std::uint64_t k = 0; k != count; ++k) {
      const std::uint64_t draw = std::uint64_t{words[2 * k]} << 32U | words[2 * k + 1];
      targets[k] = draw % (done + k + 1);
      if (size > std::uint64_t{1} << 20U) prefetch(values + targets[k]);
    }
    for (std::uint64_t k = 0; k != count; ++k) {
      values[done + k] = values[targets[k]];
      values[targets[k]] = static_cast<T>(done + k);
    }
    done += count;
  }
}

/// The inside-out shuffle, or the forward shuffle that is the fastest for this size, by measured
/// bounds. The largest sizes use the memory of `queues`, and may leave it larger.
template <class T>
void shuffle(Mt19937& engine, T* values, std::uint64_t size, bool inside_out,
             Buffer<std::uint32_t>& queues) {
  if (inside_out) return shuffle_inside_out(engine, values, size);
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    constexpr std::uint64_t cached = std::uint64_t{1} << 20U;
    constexpr std::uint64_t prefetched = std::uint64_t{1} << 24U;
    if (size <= cached) return shuffle_by_steps<false>(engine, values, size);
    if (size > prefetched && BlockedShuffle::run(engine, values, size, queues)) return;
  }
  shuffle_by_steps<true>(engine, values, size);
}

/// A shuffle made as far as it is read.
template <class T>
class LazyShuffle {
 public:
  LazyShuffle() = default;
  LazyShuffle(const Mt19937& engine, std::uint64_t size, bool inside_out)
      : engine_(engine), start_(engine), size_(size), inside_out_(inside_out) {}
  /// Takes the memory of a shuffle that is not needed any more, and keeps its queues for the next
  /// one. Precondition: nothing was read of this shuffle.
  void take_memory(LazyShuffle& finished) {
    values_ = static_cast<Buffer<T>&&>(finished.values_);
    queues_ = static_cast<Buffer<std::uint32_t>&&>(finished.queues_);
    keeps_queues_ = true;
  }

  std::uint64_t size() const { return size_; }
  /// Place `p` < size() of the permutation.
  std::uint64_t at(std::uint64_t p) {
    if (p >= done_) reach(p);
    return values_[p];
  }
  /// Writes `count` >= 1 places to `out`: first, first + stride, ..., all below size().
  void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count, std::uint64_t stride) {
    const std::uint64_t last = first + (count - 1) * stride;
    if (last >= done_) reach(last);
    const T* from = values_.data() + first;
    for (std::uint64_t k = 0; k != count; ++k) out[k] = from[k * stride];
  }
  /// Bytes of memory that it holds now.
  std::uint64_t bytes() const {
    return values_.size() * sizeof(T) + displaced_.size() * sizeof(Displaced) +
           queues_.size() * sizeof(std::uint32_t);
  }

 private:
  // Place 0 is the target of no step but its own, so its number marks a free entry.
  struct Displaced {
    T place;
    T value;
  };

  void reach(std::uint64_t p) {
    constexpr std::uint64_t trivial = 4096;   // elements: the whole costs microseconds
    constexpr std::uint64_t worthwhile = 32;  // a sparse step costs about as much as 13 others
    if (inside_out_ || size_ <= trivial || p >= size_ / worthwhile) return make_whole();
    // Geometric growth keeps the cost of a step constant.
    const std::uint64_t least = p + 1 > 64 ? p + 1 : 64;
    if (values_.size() < least) {
      Buffer<T> longer(2 * least);
      for (std::uint64_t k = 0; k != done_; ++k) longer[k] = values_[k];
      values_ = static_cast<Buffer<T>&&>(longer);
    }
    while (done_ <= p) step();
  }

  void make_whole() {
    if (values_.size() < size_) values_ = Buffer<T>(size_);
    Mt19937 engine = start_;
    shuffle(engine, values_.data(), size_, inside_out_, queues_);
    if (!keeps_queues_) queues_ = Buffer<std::uint32_t>();
    displaced_ = Buffer<Displaced>();
    done_ = size_;
  }

  void step() {
    if (2 * (used_ + 1) > displaced_.size()) rehash();
    const std::uint64_t target = done_ + engine_.next() % (size_ - done_);
    const Displaced& own = entry(displaced_, static_cast<T>(done_));
    const T own_value = own.place == 0 ? static_cast<T>(done_) : own.value;
    Displaced& moved = entry(displaced_, static_cast<T>(target));
    if (moved.place == 0) {
      moved = {static_cast<T>(target), static_cast<T>(target)};
      ++used_;
    }
    values_[done_++] = std::exchange(moved.value, own_value);
  }

  // Linear probing; never more than half full.
  static Displaced& entry(Buffer<Displaced>& table, T place) {
    const std::uint64_t mask = table.size() - 1;
    std::uint64_t at = (std::uint64_t{place} * 0x9e37'79b9'7f4a'7c15U >> 20U) & mask;
    while (table[at].place != 0 && table[at].place != place) at = (at + 1) & mask;
    return table[at];
  }

  void rehash() {
    Buffer<Displaced> larger(displaced_.size() == 0 ? 256 : 2 * displaced_.size());
    for (std::uint64_t k = 0; k != larger.size(); ++k) larger[k] = {0, 0};
    // Places that are final by now are kept as well. They are few, since only a head is made here.
    for (std::uint64_t k = 0; k != displaced_.size(); ++k) {
      if (displaced_[k].place == 0) continue;
      entry(larger, displaced_[k].place) = displaced_[k];
    }
    displaced_ = static_cast<Buffer<Displaced>&&>(larger);
  }

  Mt19937 engine_{0};
  Mt19937 start_{0};
  ResetOnMove<std::uint64_t> size_;
  std::uint64_t done_ = 0;
  std::uint64_t used_ = 0;
  bool inside_out_ = false;
  bool keeps_queues_ = false;
  Buffer<T> values_;
  Buffer<std::uint32_t> queues_;
  Buffer<Displaced> displaced_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_LAZY_SHUFFLE_HPP
