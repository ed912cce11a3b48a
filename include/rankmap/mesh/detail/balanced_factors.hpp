// SPDX-License-Identifier: MIT
// The most even factors of a number.
#ifndef RANKMAP_MESH_DETAIL_BALANCED_FACTORS_HPP
#define RANKMAP_MESH_DETAIL_BALANCED_FACTORS_HPP

#include <rankmap/mesh/detail/mixed_radix.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Factors in the order of size, the largest first.
struct Factors {
  std::uint32_t values[max_digits] = {};
};

/// The divisors of a number in ascending order; no number below 2^31 has more than 1600
/// (2095133040 has them).
struct Divisors {
  std::uint32_t values[1600] = {};
  std::size_t count = 0;

  constexpr explicit Divisors(std::uint32_t n) {
    std::uint32_t low = 1;
    for (; low * low < n; ++low) {  // low stays below 2^16: no overflow
      if (n % low == 0) values[count++] = low;
    }
    const std::size_t below = count;
    if (low * low == n) values[count++] = low;
    for (std::size_t i = below; i != 0; --i) values[count++] = n / values[i - 1];
  }
};

/// base^exponent, or UINT64_MAX where that is 2^32 or more. Preconditions: base, exponent < 2^32.
constexpr std::uint64_t bounded_power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i != exponent; ++i) {
    power *= base;
    if (power > UINT32_MAX) return UINT64_MAX;
  }
  return power;
}

class BalancedFactors {
 public:
  constexpr BalancedFactors(std::uint32_t n, std::size_t count) : divisors_(n), count_(count) {}

  /// Tries each largest factor in ascending order, until it is so large that no later one can be as
  /// even as the best so far.
  constexpr Factors find(std::uint32_t n) {
    if (count_ == 1) {
      best_.values[0] = n;
      return best_;
    }
    for (std::size_t i = 0; i != divisors_.count; ++i) {
      const std::uint32_t largest = divisors_.values[i];
      if (bounded_power(largest, count_) < n) continue;
      trial_.values[0] = largest;
      if (!try_smallest(n / largest, largest)) break;
    }
    return best_;
  }

 private:
  // Finds the largest smallest factor for one largest factor. Returns false if no larger largest
  // factor can be as even: the smallest is at most the mean of the rest.
  constexpr bool try_smallest(std::uint32_t rest, std::uint32_t largest) {
    bool in_reach = false;
    for (std::size_t i = divisors_.count; i != 0; --i) {
      const std::uint32_t smallest = divisors_.values[i - 1];
      if (smallest > largest || bounded_power(smallest, count_ - 1) > rest) continue;
      // the same spread under a larger largest factor has a larger smallest one: better
      if (found_ && largest - smallest > spread_) break;
      in_reach = true;
      if (rest % smallest != 0) continue;
      trial_.values[count_ - 1] = smallest;
      if (!fill(1, rest / smallest, smallest, largest)) continue;
      found_ = true;
      spread_ = largest - smallest;
      best_ = trial_;
      break;
    }
    return in_reach || !found_;
  }

  // Fills the places from `place` to the one before the last with factors in [low, high] that do
  // not increase: of several ways, the first in lexical order.
  constexpr bool fill(std::size_t place, std::uint32_t rest, std::uint32_t low,
                      std::uint32_t high) {
    const std::size_t left = count_ - 1 - place;
    if (left == 0) return rest == 1;
    if (left == 1) {
      trial_.values[place] = rest;
      return rest >= low && rest <= high;
    }
    if (bounded_power(low, left) > rest) return false;
    for (std::size_t i = 0; i != divisors_.count && divisors_.values[i] <= high; ++i) {
      const std::uint32_t factor = divisors_.values[i];
      if (factor < low || rest % factor != 0 || bounded_power(factor, left) < rest) continue;
      trial_.values[place] = factor;
      if (fill(place + 1, rest / factor, low, factor)) return true;
    }
    return false;
  }

  Divisors divisors_;
  std::size_t count_;
  Factors trial_;
  Factors best_;
  std::uint32_t spread_ = 0;
  bool found_ = false;
};

/// `count` factors of n with the smallest spread; of those, with the largest smallest factor; of
/// those, the first in lexical order. Preconditions: n >= 1, 1 <= count <= max_digits.
constexpr Factors balanced_factors(std::uint32_t n, std::size_t count) {
  return BalancedFactors(n, count).find(n);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_MESH_DETAIL_BALANCED_FACTORS_HPP
