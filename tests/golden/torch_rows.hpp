// SPDX-License-Identifier: MIT
//
// What the tests of PyTorch's samplers share when they read the recordings.
#ifndef RANKMAP_TESTS_GOLDEN_TORCH_ROWS_HPP
#define RANKMAP_TESTS_GOLDEN_TORCH_ROWS_HPP

#include <rankmap/torch/randperm.hpp>

#include <cstdint>
#include <string>

#include "rows.hpp"

namespace golden {

/// A seed as the recordings write it: negative ones with a sign.
inline rankmap::TorchSeed seed_of(const std::string& text) {
  if (text[0] == '-') return static_cast<std::int64_t>(number(text));
  return number(text);
}

}  // namespace golden

#endif  // RANKMAP_TESTS_GOLDEN_TORCH_ROWS_HPP
