// SPDX-License-Identifier: MIT
// The forward Fisher-Yates shuffle of a whole array, with one 32-bit draw a step: for i = 0 .. n -
// 2 swap places i and i + draw mod (n - i). The plain loop waits for memory, not for arithmetic. So
// there are three ways to the same order, each for the sizes at which it is the fastest.
#ifndef RANKMAP_TORCH_DETAIL_FISHER_YATES_HPP
#define RANKMAP_TORCH_DETAIL_FISHER_YATES_HPP

#include <rankmap/detail/mt19937.hpp>
#include <rankmap/detail/prefetch.hpp>

#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// The distance from each step's place to its target, drawn ahead in batches: the draws do not
/// depend on the values. They fit 32 bits at every size, as remainders of 32-bit draws.
class ShuffleDistances {
 public:
  static constexpr std::uint32_t batch = Mt19937::words;

  constexpr ShuffleDistances(Mt19937& engine, std::uint64_t size)
      : engine_(&engine), range_(size) {}

  /// Writes the distances of the next steps and returns their number: at most `batch`, 0 at the
  /// end. The last place has no step and draws nothing.
  constexpr std::uint32_t next(std::uint32_t* distances) {
    if (range_ < 2) return 0;
    const std::uint32_t count = range_ - 1 < batch ? static_cast<std::uint32_t>(range_ - 1) : batch;
    engine_->fill(distances, count);
    if (count == batch && range_ >= smallest_shared && range_ < largest_shared) {
      share_reciprocal(distances, static_cast<std::uint32_t>(range_));
    } else {
      for (std::uint32_t k = 0; k != count; ++k) {
        distances[k] = static_cast<std::uint32_t>(distances[k] % (range_ - k));
      }
    }
    range_ -= count;
    return count;
  }

  // Neighbouring steps divide by neighbouring numbers, so one reciprocal is enough for a batch. The
  // quotients are below 2^11, so single precision is enough for them. With divisor d = range - k
  // and x < 2^32 the estimate is never above x / range: the factor compensates five roundings, by
  // 2^-23 each in the worst rounding mode. It is below x / d by less than x * batch / (range * d) +
  // 2^-7 < 1, so one correction makes it exact.
  static constexpr std::uint64_t smallest_shared = (std::uint64_t{1} << 21U) + batch;
  static constexpr std::uint64_t largest_shared = std::uint64_t{1} << 31U;

  /// draws[k] mod (range - k) for a whole batch.
  static constexpr void share_reciprocal(std::uint32_t* draws, std::uint32_t range) {
    const float reciprocal = 2.0F / static_cast<float>(range) * (1.0F - 0x1p-20F);
    for (std::uint32_t k = 0; k != batch; ++k) {
      const std::uint32_t divisor = range - k;
      const auto half = static_cast<std::int32_t>(draws[k] >> 1U);  // vectors convert signed ones
      const auto quotient = static_cast<std::int32_t>(static_cast<float>(half) * reciprocal);
      // In [-divisor, divisor): negative where the quotient was right.
      const auto over = static_cast<std::int32_t>(
          draws[k] - (static_cast<std::uint32_t>(quotient) + 1) * divisor);
      draws[k] =
          static_cast<std::uint32_t>(over) + (divisor & static_cast<std::uint32_t>(over >> 31U));
    }
  }

 private:
  Mt19937* engine_;
  std::uint64_t range_;  // places from that of the next step on
};

/// Step by step: for arrays that fit a cache, and for constant expressions. With `Prefetches`, for
/// larger ones: the targets of steps to come are put into the cache. It needs no memory of its own,
/// so it also works where no memory is left.
template <bool Prefetches, class T>
constexpr void shuffle_by_steps(Mt19937& engine, T* values, std::uint64_t size) {
  constexpr std::uint32_t ahead = 48;
  for (std::uint64_t i = 0; i != size; ++i) values[i] = static_cast<T>(i);
  ShuffleDistances draws(engine, size);
  std::uint32_t batches[2][ShuffleDistances::batch];
  std::uint32_t* distances = batches[0];
  std::uint32_t* following = batches[1];
  std::uint32_t count = draws.next(distances);
  T* own = values;
  while (count != 0) {
    const std::uint32_t next_count = draws.next(following);
    for (std::uint32_t k = 0; k != count; ++k, ++own) {
      const std::uint32_t then = k + ahead;
      if (Prefetches && then < count) {
        prefetch(own + ahead + distances[then]);
      } else if (Prefetches && then - count < next_count) {
        prefetch(own + ahead + following[then - count]);
      }
      std::swap(*own, own[distances[k]]);
    }
    std::swap(distances, following);
    count = next_count;
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_FISHER_YATES_HPP
