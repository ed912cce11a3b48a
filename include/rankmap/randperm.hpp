// SPDX-License-Identifier: MIT
//
// PyTorch's CPU generator and torch.randperm, number for number: what every sampler of PyTorch
// gets its order from.
#ifndef RANKMAP_RANDPERM_HPP
#define RANKMAP_RANDPERM_HPP

#include <rankmap/detail/lazy_shuffle.hpp>
#include <rankmap/detail/mt19937.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

namespace rankmap::inline v0 {

/// Which of PyTorch's permutations. They are one and the same below `inside_out_from` elements.
/// An algorithm never changes under its name: resuming an old run means naming the old one.
enum class TorchAlgorithm : std::uint8_t {
  up_to_2_5,  ///< PyTorch up to 2.5, at every size: forward shuffle, 32-bit draws
  from_2_6,   ///< PyTorch from 2.6 on: the same, but inside-out with 64-bit draws for large sizes
};

/// From this many elements on `from_2_6` differs from `up_to_2_5`: (2^32 - 1) / 20.
inline constexpr std::uint64_t inside_out_from = 214'748'364;

/// A seed as Python sees it: any whole number in [-2^63, 2^64). Converts from every integer type.
/// Negative seeds stand for their two's complement; PyTorch's CPU generator then uses the low 32
/// bits alone, so seeds that are equal modulo 2^32 give one and the same order.
class TorchSeed {
 public:
  constexpr TorchSeed() = default;
  template <class Integer>
  requires(std::is_integral_v<Integer> &&
           sizeof(Integer) <= 8) constexpr TorchSeed(Integer seed)  // NOLINT: a number is a seed
      : bits_(static_cast<std::uint64_t>(seed)),
        // nvcc warns of `seed < 0` where that is never so
        negative_(seed != Integer{} && !(seed > Integer{})) {}

  /// The 64 bits that the generator is given.
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool is_negative() const { return negative_; }

  /// seed + epoch, as a whole number without a limit. Errc::out_of_range where the sum leaves
  /// [-2^63, 2^64), as PyTorch's "Overflow when unpacking long" does.
  static constexpr Result<TorchSeed> sum(const TorchSeed& seed, const TorchSeed& epoch) {
    TorchSeed out;
    out.bits_ = seed.bits_ + epoch.bits_;
    const bool carried = out.bits_ < seed.bits_;
    constexpr std::uint64_t least = std::uint64_t{1} << 63U;
    // Both terms are bits - 2^64 * negative, and so has the sum to be; two negative ones carry.
    if (seed.negative_ && epoch.negative_) {
      if (out.bits_ < least) return overflow(seed, epoch);
      out.negative_ = true;
    } else if (seed.negative_ || epoch.negative_) {
      out.negative_ = !carried;
    } else if (carried) {
      return overflow(seed, epoch);
    }
    return out;
  }

  friend constexpr bool operator==(const TorchSeed&, const TorchSeed&) = default;

 private:
  constexpr void print(detail::Text<48>& out) const {
    if (negative_) out.append('-');
    out.append_number(negative_ ? std::uint64_t{0} - bits_ : bits_);
  }
  static constexpr Error overflow(const TorchSeed& seed, const TorchSeed& epoch) {
    detail::Text<48> found;
    seed.print(found);
    found.append(" + ");
    epoch.print(found);
    return detail::error_found(Errc::out_of_range, "seed + epoch", found,
                               "a sum in [-2^63, 2^64), as PyTorch does",
                               "choose a seed nearer to 0");
  }

  std::uint64_t bits_ = 0;
  bool negative_ = false;
};

/// torch.Generator on the CPU, after manual_seed(seed). A value: a copy goes on from the same
/// place.
class TorchGenerator {
 public:
  constexpr explicit TorchGenerator(TorchSeed seed)
      : engine_(static_cast<std::uint32_t>(seed.bits())) {}

  /// The next 32-bit number; one draw.
  constexpr std::uint32_t random() { return engine_.next(); }
  /// The next 64-bit number: two draws, the first of which is the high word.
  constexpr std::uint64_t random64() {
    const std::uint64_t high = engine_.next();
    return high << 32U | engine_.next();
  }
  /// Skips `count` 32-bit draws. O(count).
  constexpr void discard(std::uint64_t count) { engine_.discard(count); }

  constexpr detail::Mt19937& engine() { return engine_; }
  constexpr const detail::Mt19937& engine() const { return engine_; }

  friend constexpr bool operator==(const TorchGenerator&, const TorchGenerator&) = default;

 private:
  detail::Mt19937 engine_;
};

namespace detail {
constexpr bool is_inside_out(std::uint64_t size, TorchAlgorithm algorithm) {
  return algorithm == TorchAlgorithm::from_2_6 && size >= inside_out_from;
}
}  // namespace detail

/// How many 32-bit draws a permutation of `size` elements takes from its generator.
constexpr std::uint64_t randperm_draws(std::uint64_t size,
                                       TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  if (detail::is_inside_out(size, algorithm)) return 2 * size;
  return size == 0 ? 0 : size - 1;
}

/// torch.randperm(out.size(), generator=generator), whole, into memory of the caller's: shared
/// among the processes of a node if that is where it lies. The generator is left where PyTorch
/// leaves it.
///
/// 32-bit elements hold sizes below 2^32 (a precondition). Cost: one pass; the fast way for many
/// elements takes another third of the array while it runs, and goes without where it cannot get
/// it. Golden-tested against PyTorch 1.13 and 2.6, on both sides of the threshold.
inline void randperm(TorchGenerator& generator, std::span<std::uint32_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  const bool inside_out = detail::is_inside_out(out.size(), algorithm);
  detail::shuffle(generator.engine(), out.data(), out.size(), inside_out);
}
/// The same for any size.
inline void randperm(TorchGenerator& generator, std::span<std::uint64_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  const bool inside_out = detail::is_inside_out(out.size(), algorithm);
  detail::shuffle(generator.engine(), out.data(), out.size(), inside_out);
}
/// From a fresh generator: torch.randperm(n, generator=torch.Generator().manual_seed(seed)).
inline void randperm(TorchSeed seed, std::span<std::uint32_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  TorchGenerator generator(seed);
  randperm(generator, out, algorithm);
}
inline void randperm(TorchSeed seed, std::span<std::uint64_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  TorchGenerator generator(seed);
  randperm(generator, out, algorithm);
}

/// torch.randperm by place, made as far as it is asked for: place p costs O(p) time and memory the
/// first time, O(1) afterwards. Beyond the first thirty-second part the whole is made at once, in
/// one array of 32-bit numbers (64-bit from 2^32 elements on). Above the threshold of `from_2_6`
/// there is no head to be had early, and the first access makes the whole. Movable, not copyable;
/// empty once moved from.
class TorchPermutation {
 public:
  TorchPermutation() = default;
  TorchPermutation(const TorchGenerator& generator, std::uint64_t size,
                   TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
    const bool inside_out = detail::is_inside_out(size, algorithm);
    if (size < std::uint64_t{1} << 32U) {
      small_ = detail::LazyShuffle<std::uint32_t>(generator.engine(), size, inside_out);
    } else {
      large_ = detail::LazyShuffle<std::uint64_t>(generator.engine(), size, inside_out);
    }
  }
  TorchPermutation(TorchSeed seed, std::uint64_t size,
                   TorchAlgorithm algorithm = TorchAlgorithm::from_2_6)
      : TorchPermutation(TorchGenerator(seed), size, algorithm) {}

  std::uint64_t size() const { return small_.size() + large_.size(); }
  /// The element at `place` < size(). Not const, and not for two threads at once: it may go on
  /// shuffling.
  std::uint64_t operator[](std::uint64_t place) {
    return is_small() ? small_.at(place) : large_.at(place);
  }
  /// Memory held now.
  std::uint64_t bytes() const { return is_small() ? small_.bytes() : large_.bytes(); }

 private:
  bool is_small() const { return large_.size() == 0; }

  // At most one of them has elements.
  detail::LazyShuffle<std::uint32_t> small_;
  detail::LazyShuffle<std::uint64_t> large_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_RANDPERM_HPP
