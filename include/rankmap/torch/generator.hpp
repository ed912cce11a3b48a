// SPDX-License-Identifier: MIT
// PyTorch's CPU generator, number for number, and its seeds.
#ifndef RANKMAP_TORCH_GENERATOR_HPP
#define RANKMAP_TORCH_GENERATOR_HPP

#include <rankmap/detail/mt19937.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// A seed as in Python: any whole number in [-2^63, 2^64). Converts from every integer type. A
/// negative seed is used as its two's complement. PyTorch's CPU generator uses the low 32 bits
/// alone, so seeds that are equal modulo 2^32 give the same numbers.
class TorchSeed {
 public:
  constexpr TorchSeed() = default;
  template <class Integer>
  requires(std::is_integral_v<Integer> &&
           sizeof(Integer) <= 8) constexpr TorchSeed(Integer seed)  // NOLINT: a number is a seed
      : bits_(static_cast<std::uint64_t>(seed)),
        // nvcc warns about `seed < 0` for unsigned types
        negative_(seed != Integer{} && !(seed > Integer{})) {}

  /// The two's complement, in 64 bits.
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool is_negative() const { return negative_; }

  /// seed + epoch, as Python adds. Errc::out_of_range where the sum is outside [-2^63, 2^64), where
  /// PyTorch raises "Overflow when unpacking long".
  static constexpr Result<TorchSeed> sum(const TorchSeed& seed, const TorchSeed& epoch) {
    TorchSeed out;
    out.bits_ = seed.bits_ + epoch.bits_;
    // Each number is bits - 2^64 * negative, and the sum is its bits + 2^64 * high.
    const bool carried = out.bits_ < seed.bits_;
    const int high = (carried ? 1 : 0) - (seed.negative_ ? 1 : 0) - (epoch.negative_ ? 1 : 0);
    out.negative_ = high < 0;
    if (high == 0 || (high == -1 && out.bits_ >> 63U != 0)) return out;
    return overflow(seed, epoch);
  }
  friend constexpr bool operator==(const TorchSeed&, const TorchSeed&) = default;

 private:
  constexpr std::string_view sign() const { return negative_ ? "-" : ""; }
  constexpr std::uint64_t magnitude() const { return negative_ ? 0 - bits_ : bits_; }
  RANKMAP_RARE static constexpr Error overflow(const TorchSeed& seed, const TorchSeed& epoch) {
    return detail::error_at(
        Errc::out_of_range, "seed + epoch",
        detail::concat(seed.sign(), seed.magnitude(), " + ", epoch.sign(), epoch.magnitude()),
        "a sum in [-2^63, 2^64), as in PyTorch", "choose a seed nearer to 0");
  }

  std::uint64_t bits_ = 0;
  bool negative_ = false;
};

namespace detail {
/// Errc::bad_sampler for a negative seed, which saved state cannot hold.
constexpr Optional<Error> check_sign(const TorchSeed& seed, std::string_view subject) {
  if (!seed.is_negative()) return {};
  return error_at(Errc::bad_sampler, subject, concat("-", std::uint64_t{0} - seed.bits()),
                  "a number from 0 on, since saved state has no sign", "choose a seed from 0 on");
}

struct GeneratorEngine;  // gives the shuffles of this folder a generator's engine
}  // namespace detail

/// torch.Generator on the CPU, after manual_seed(seed). A copy continues from the same place.
class TorchGenerator {
 public:
  constexpr explicit TorchGenerator(TorchSeed seed)
      : engine_(static_cast<std::uint32_t>(seed.bits())) {}

  /// The next 32-bit number, which is one draw.
  constexpr std::uint32_t random() { return engine_.next(); }
  /// The next 64-bit number, which is two draws. The first one is the high word.
  constexpr std::uint64_t random64() { return engine_.next64(); }
  /// Skips `count` 32-bit draws. O(count).
  constexpr void discard(std::uint64_t count) { engine_.discard(count); }

  friend constexpr bool operator==(const TorchGenerator&, const TorchGenerator&) = default;

 private:
  friend struct detail::GeneratorEngine;
  detail::Mt19937 engine_;
};

namespace detail {
struct GeneratorEngine {
  static constexpr Mt19937& of(TorchGenerator& generator) { return generator.engine_; }
  static constexpr const Mt19937& of(const TorchGenerator& generator) { return generator.engine_; }
};
}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_GENERATOR_HPP
