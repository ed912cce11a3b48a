// SPDX-License-Identifier: MIT
// The check of whole-number weights that are shares of their sum.
#ifndef RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP
#define RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP

#include <rankmap/result.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The sum, above 0 and at most largest_dataset, else Errc::out_of_range. `remedy` is for the error
/// of a sum of 0.
constexpr Result<std::uint64_t> sum_of_weights(std::span<const std::uint64_t> weights,
                                               std::string_view remedy) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != weights.size(); ++i) {
    sum += weights[i];
    if (weights[i] > largest_dataset || sum > largest_dataset) {
      return out_of_range(concat("weights[", i, "]"), weights[i], "weights with a sum below 2^63",
                          "divide the weights by a number");
    }
  }
  if (sum != 0) return sum;
  return out_of_range("weights", "", "a weight above 0", remedy);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP
