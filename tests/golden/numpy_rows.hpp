// SPDX-License-Identifier: MIT
//
// What the tests of NumPy's orders share when they read the recordings.
#ifndef RANKMAP_TESTS_GOLDEN_NUMPY_ROWS_HPP
#define RANKMAP_TESTS_GOLDEN_NUMPY_ROWS_HPP

#include <rankmap/orders/numpy_random.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "rows.hpp"

namespace golden {

/// Calls `use` with the generator that a row names: "RandomState" or "default_rng", and its seed. A
/// list of seeds ends with a comma.
template <class Use>
void with_numpy(const std::string& kind, const std::string& seed, const Use& use) {
  if (kind == "RandomState") {
    rankmap::NumpyRandomState state(number(seed));
    use(state);
  } else if (seed.back() == ',') {
    const List seeds = numbers(seed.substr(0, seed.size() - 1));
    rankmap::NumpyGenerator generator{std::span<const std::uint64_t>(seeds)};
    use(generator);
  } else {
    rankmap::NumpyGenerator generator(number(seed));
    use(generator);
  }
}

}  // namespace golden

#endif  // RANKMAP_TESTS_GOLDEN_NUMPY_ROWS_HPP
