// SPDX-License-Identifier: MIT
// The checks of whole numbers that are added up, such as weights that are shares of their sum.
#ifndef RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP
#define RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP

#include <rankmap/result.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The sum, at most largest_dataset, else Errc::out_of_range for the number that goes beyond.
constexpr Result<std::uint64_t> checked_sum(std::span<const std::uint64_t> numbers,
                                            std::string_view name, std::string_view expected,
                                            std::string_view remedy) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i != numbers.size(); ++i) {
    if (numbers[i] > largest_dataset - sum) {
      return out_of_range(concat(name, "[", i, "]"), numbers[i], expected, remedy);
    }
    sum += numbers[i];
  }
  return sum;
}

/// The same of weights, and above 0. `remedy` is for the error of a sum of 0.
constexpr Result<std::uint64_t> sum_of_weights(std::span<const std::uint64_t> weights,
                                               std::string_view remedy) {
  const auto sum = checked_sum(weights, "weights", "weights with a sum below 2^63",
                               "divide the weights by a number");
  if (!sum || *sum != 0) return sum;
  return out_of_range("weights", "", "a weight above 0", remedy);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_SUM_OF_WEIGHTS_HPP
