// SPDX-License-Identifier: MIT
//
// The forward Fisher-Yates shuffle with one 32-bit draw a step, whole: for i = 0 .. n - 2 swap
// places i and i + draw mod (n - i). Three ways to the same order. Memory, not arithmetic, is what
// the plain loop waits for, so each way is there for the sizes at which it is the fastest.
#ifndef RANKMAP_DETAIL_FORWARD_SHUFFLE_HPP
#define RANKMAP_DETAIL_FORWARD_SHUFFLE_HPP

#include <rankmap/detail/buffer.hpp>
#include <rankmap/detail/mt19937.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <new>

namespace rankmap::inline v0::detail {

/// The places that the steps swap with, drawn ahead in batches: they do not depend on the values.
class ShuffleTargets {
 public:
  static constexpr std::uint32_t batch = Mt19937::words;

  constexpr ShuffleTargets(Mt19937& engine, std::uint64_t size)
      : engine_(&engine), left_(size == 0 ? 0 : size - 1), step_(0), size_(size) {}

  /// Targets of the next steps; returns of how many, at most `batch`, 0 at the end. The last place
  /// has no step of its own: it draws nothing.
  template <class Target>
  constexpr std::uint32_t next(Target* targets) {
    const std::uint32_t count = left_ < batch ? static_cast<std::uint32_t>(left_) : batch;
    std::uint32_t draws[batch];
    engine_->fill(draws, count);
    const std::uint64_t range = size_ - step_;
    if (count == batch && range >= smallest_shared && range < largest_shared) {
      share_reciprocal(draws, static_cast<std::uint32_t>(range), targets);
    } else {
      for (std::uint32_t k = 0; k != count; ++k) {
        targets[k] = static_cast<Target>(step_ + k + draws[k] % (range - k));
      }
    }
    step_ += count;
    left_ -= count;
    return count;
  }

 private:
  // Neighbouring steps divide by neighbouring numbers, so one reciprocal serves a batch. With
  // divisor d = range - k and x < 2^32, the quotient by `range` is at most x / d, and too small by
  // less than x * batch / (range * d) + 2^-20 < 1: one correction sets it right.
  static constexpr std::uint64_t smallest_shared = (std::uint64_t{1} << 21U) + batch;
  static constexpr std::uint64_t largest_shared = std::uint64_t{1} << 31U;

  template <class Target>
  constexpr void share_reciprocal(const std::uint32_t* draws, std::uint32_t range,
                                  Target* targets) const {
    unsigned bits = 0;
    while (range >> bits != 0) ++bits;
    const std::uint64_t exact = (std::uint64_t{1} << (31U + bits)) / range;
    const std::uint32_t reciprocal =
        exact > 0xffff'ffffU ? 0xffff'ffffU : static_cast<std::uint32_t>(exact);
    const unsigned rest = bits - 1;
    for (std::uint32_t k = 0; k != batch; ++k) {
      const std::uint32_t divisor = range - k;
      const auto quotient =
          static_cast<std::uint32_t>(std::uint64_t{draws[k]} * reciprocal >> 32U) >> rest;
      const std::uint32_t remainder = draws[k] - quotient * divisor;  // below 2 * divisor < 2^32
      targets[k] =
          static_cast<Target>(step_ + k + (remainder < divisor ? remainder : remainder - divisor));
    }
  }

  Mt19937* engine_;
  std::uint64_t left_;
  std::uint64_t step_;
  std::uint64_t size_;
};

/// Step by step; for what fits a cache, and in constant expressions.
template <class T>
constexpr void shuffle_in_cache(Mt19937& engine, T* values, std::uint64_t size) {
  for (std::uint64_t i = 0; i != size; ++i) values[i] = static_cast<T>(i);
  ShuffleTargets draws(engine, size);
  T targets[ShuffleTargets::batch] = {};
  std::uint64_t step = 0;
  while (const std::uint32_t count = draws.next(targets)) {
    for (std::uint32_t k = 0; k != count; ++k) {
      const T value = values[step + k];
      values[step + k] = values[targets[k]];
      values[targets[k]] = value;
    }
    step += count;
  }
}

/// The same with the draws run one batch ahead of the swaps, whose targets are then on their way
/// into the cache when they are wanted. No memory of its own: also the way when there is none.
template <class T>
void shuffle_with_prefetch(Mt19937& engine, T* values, std::uint64_t size) {
  constexpr std::uint32_t ahead = 48;
  constexpr std::uint32_t batch = ShuffleTargets::batch;
  for (std::uint64_t i = 0; i != size; ++i) values[i] = static_cast<T>(i);
  ShuffleTargets draws(engine, size);
  T targets[2 * batch];  // this batch, then the next one
  std::uint32_t count = draws.next(targets);
  std::uint64_t step = 0;
  while (count != 0) {
    const std::uint32_t following = draws.next(targets + batch);
    // A next batch that is short leaves old targets behind it: harmless to prefetch.
    for (std::uint32_t k = following; k < ahead; ++k) targets[batch + k] = 0;
    for (std::uint32_t k = 0; k != count; ++k) {
      prefetch(values + targets[k + ahead < count ? k + ahead : batch + k + ahead - count]);
      const T value = values[step + k];
      values[step + k] = values[targets[k]];
      values[targets[k]] = value;
    }
    for (std::uint32_t k = 0; k != following; ++k) targets[k] = targets[batch + k];
    step += count;
    count = following;
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_FORWARD_SHUFFLE_HPP
