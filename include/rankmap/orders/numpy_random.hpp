// SPDX-License-Identifier: MIT
// NumPy's two generators, number for number, and their shuffles.
#ifndef RANKMAP_ORDERS_NUMPY_RANDOM_HPP
#define RANKMAP_ORDERS_NUMPY_RANDOM_HPP

#include <rankmap/detail/mt19937.hpp>
#include <rankmap/detail/prefetch.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/orders/detail/pcg64.hpp>
#include <rankmap/result.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {
/// Errc::out_of_range for a negative seed, or one above `largest`.
template <std::integral Integer>
constexpr Result<std::uint64_t> numpy_seed(Integer seed, std::uint64_t largest,
                                           std::string_view expected) {
  const bool negative = seed != Integer{} && !(seed > Integer{});  // nvcc warns about `seed < 0`
  if (!negative && static_cast<std::uint64_t>(seed) <= largest) {
    return static_cast<std::uint64_t>(seed);
  }
  return out_of_range("seed", seed, expected, "choose a seed that NumPy takes as well");
}
/// What NumPy's shuffles draw from [0, largest]: numbers under a mask until one fits.
constexpr std::uint64_t draw_under_mask(auto& generator, std::uint64_t largest) {
  std::uint64_t mask = largest;
  for (std::uint32_t shift = 1; shift != 64; shift *= 2) mask |= mask >> shift;
  std::uint64_t draw = 0;
  do {
    draw = (largest <= UINT32_MAX ? generator.random32() : generator.random64()) & mask;
  } while (draw > largest);
  return draw;
}
template <class T>
constexpr void count_up(std::span<T> out) {
  std::uint64_t next = 0;
  for (T& element : out) element = static_cast<T>(next++);
}
}  // namespace detail

/// What both of NumPy's generators have. A base of them alone.
template <class Generator>
class NumpyShuffles {
 public:
  /// shuffle(values) of a list or an array of one dimension.
  template <class T>
  constexpr void shuffle(std::span<T> values) {
    // Backward Fisher-Yates: for i = size - 1 .. 1 swaps places i and a draw from [0, i]. The draws
    // do not depend on the values, so they are made in batches: their targets are in the cache once
    // they are swapped.
    auto& generator = static_cast<Generator&>(*this);
    constexpr std::uint32_t batch = 64;
    constexpr std::uint64_t cached = std::uint64_t{1} << 15U;
    T* const data = values.data();
    std::uint64_t targets[batch] = {};
    for (std::uint64_t left = values.size(); left > 1;) {
      const std::uint32_t count = left - 1 < batch ? static_cast<std::uint32_t>(left - 1) : batch;
      for (std::uint32_t k = 0; k != count; ++k) {
        targets[k] = detail::draw_under_mask(generator, left - 1 - k);
        if (values.size() > cached) detail::prefetch(data + targets[k]);
      }
      for (std::uint32_t k = 0; k != count; ++k) std::swap(data[--left], data[targets[k]]);
    }
  }
  /// permutation(out.size()) as a whole. Precondition: fewer than 2^32 elements.
  constexpr void permutation(std::span<std::uint32_t> out) {
    detail::count_up(out);
    shuffle(out);
  }
  /// The same for any size.
  constexpr void permutation(std::span<std::uint64_t> out) {
    detail::count_up(out);
    shuffle(out);
  }
};

/// numpy.random.RandomState(seed), and numpy.random after numpy.random.seed(seed): MT19937, and the
/// draws that NumPy has frozen. A value: a copy continues from the same place.
class NumpyRandomState : public NumpyShuffles<NumpyRandomState> {
 public:
  /// `seed` in [0, 2^32). Fails as Result::value() does for another one; `make` returns the error.
  template <std::integral Integer>
  constexpr explicit NumpyRandomState(Integer seed) : NumpyRandomState(make(seed).value()) {}
  /// Errc::out_of_range where NumPy raises "Seed must be between 0 and 2**32 - 1".
  template <std::integral Integer>
  static constexpr Result<NumpyRandomState> make(Integer seed) {
    const Result<std::uint64_t> checked =
        detail::numpy_seed(seed, UINT32_MAX, "a whole number in [0, 2^32)");
    if (!checked) return checked.error();
    return NumpyRandomState(Checked{}, static_cast<std::uint32_t>(*checked));
  }

  /// The next 32-bit number, which is one draw.
  constexpr std::uint32_t random32() { return engine_.next(); }
  /// The next 64-bit number, which is two draws. The first one is the high word.
  constexpr std::uint64_t random64() { return engine_.next64(); }
  /// randint(0, largest + 1): a number in [0, largest]. No draw for 0.
  constexpr std::uint64_t up_to(std::uint64_t largest) {
    return largest == 0 ? 0 : detail::draw_under_mask(*this, largest);
  }

 private:
  struct Checked {};
  constexpr NumpyRandomState(Checked, std::uint32_t seed) : engine_(seed) {}

  detail::Mt19937 engine_;
};

/// numpy.random.default_rng(seed), which is Generator(PCG64(SeedSequence(seed))). A value: a copy
/// continues from the same place. NumPy may change the draws of a Generator in a new version; these
/// are the ones of NumPy 1.24.
class NumpyGenerator : public NumpyShuffles<NumpyGenerator> {
 public:
  /// `seed` in [0, 2^64). Fails as Result::value() for a negative one; `make` returns the error.
  template <std::integral Integer>
  constexpr explicit NumpyGenerator(Integer seed) : NumpyGenerator(make(seed).value()) {}
  /// default_rng([seed, epoch, ...]): a list of numbers. It does not refer to them.
  constexpr explicit NumpyGenerator(std::span<const std::uint64_t> seeds) : engine_(seeds) {}
  /// Errc::out_of_range for a negative seed, where NumPy raises ValueError.
  template <std::integral Integer>
  static constexpr Result<NumpyGenerator> make(Integer seed) {
    const Result<std::uint64_t> checked =
        detail::numpy_seed(seed, UINT64_MAX, "a whole number from 0 on");
    if (!checked) return checked.error();
    return NumpyGenerator(std::span<const std::uint64_t>(&*checked, 1));
  }

  /// The next 32-bit number: the low half of a 64-bit one, then its high half.
  constexpr std::uint32_t random32() { return engine_.next32(); }
  /// The next 64-bit number. A half that is left waits for the next 32-bit one.
  constexpr std::uint64_t random64() { return engine_.next64(); }
  /// random(): a multiple of 2^-53 in [0, 1).
  constexpr double random() { return static_cast<double>(random64() >> 11U) * 0x1p-53; }
  /// integers(0, largest + 1): a number in [0, largest], by Lemire's method, which the shuffles do
  /// not use. No draw for 0.
  constexpr std::uint64_t up_to(std::uint64_t largest) {
    if (largest == 0) return 0;
    if (largest < UINT32_MAX) return below(static_cast<std::uint32_t>(largest + 1));
    if (largest == UINT32_MAX) return random32();
    return largest == UINT64_MAX ? random64() : below(largest + 1);
  }

 private:
  // Products whose low half would favour some numbers are drawn again.
  template <class Word>
  constexpr Word below(Word range) {
    const auto product = [&]() -> detail::Uint128 {
      if constexpr (sizeof(Word) == 8) return detail::multiply_wide(random64(), range);
      const std::uint64_t whole = std::uint64_t{random32()} * range;
      return {whole >> 32U, whole & UINT32_MAX};
    };
    detail::Uint128 drawn = product();
    if (drawn.low < range) {
      const Word biased = (Word{0} - range) % range;
      while (drawn.low < biased) drawn = product();
    }
    return static_cast<Word>(drawn.high);
  }

  detail::Pcg64 engine_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ORDERS_NUMPY_RANDOM_HPP
