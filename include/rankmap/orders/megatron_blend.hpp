// SPDX-License-Identifier: MIT
// Megatron-LM's blended data sets, place for place: whose turn it is.
#ifndef RANKMAP_ORDERS_MEGATRON_BLEND_HPP
#define RANKMAP_ORDERS_MEGATRON_BLEND_HPP

#include <rankmap/detail/finite.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/orders/detail/rounded.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// A place of a blend: the set, and how many of its samples came before.
struct MegatronTurn {
  std::uint32_t set = 0;
  std::uint64_t sample = 0;
  friend constexpr bool operator==(const MegatronTurn&, const MegatronTurn&) = default;
};

namespace detail {
/// The largest number of sets, which Megatron-LM holds in 16 bits.
inline constexpr std::size_t largest_blend = 32766;

constexpr Optional<Error> check_blend(std::size_t sets, std::string_view name,
                                      std::span<std::uint64_t> drawn) {
  if (const Optional<Error> bad = check_rounding()) return bad;
  if (sets == 0 || sets > largest_blend) {
    return out_of_range(concat(name, ".size()"), sets, "1 to 32766 sets, as in Megatron-LM",
                        "pass a number for each set");
  }
  if (drawn.size() != sets) {
    return out_of_range("drawn.size()", drawn.size(), concat(sets, " elements, one for each set"),
                        "pass a span of that many");
  }
  return {};
}

/// The next turn in a blend: of the set that misses most at the place, the first one of equals.
/// `missing(set, place)` is more than `never_next` for one of the sets.
inline constexpr double never_next = -0x1p1000;
constexpr MegatronTurn next_turn(std::span<std::uint64_t> drawn, std::uint64_t& places,
                                 const auto& missing) {
  const double place = places == 0 ? 1.0 : static_cast<double>(places);
  ++places;
  std::size_t most = 0;
  double max_missing = never_next;
  for (std::size_t set = 0; set != drawn.size(); ++set) {
    const double is_missing = missing(set, place);
    if (is_missing > max_missing) {
      most = set;
      max_missing = is_missing;
    }
  }
  return {static_cast<std::uint32_t>(most), drawn[most]++};
}
}  // namespace detail

/// build_blending_indices of Megatron-LM, a place at a time: the set that is furthest below its
/// weight, the first one of equals. It computes in double precision as Megatron-LM does on x86-64,
/// on every processor.
///
/// It refers to the weights and the counts and does not copy them.
class MegatronBlend {
 public:
  /// `weights`, each in [0, 2^1000], of 1 to 32766 sets; Megatron-LM divides them by their sum
  /// before. `drawn` of as many elements becomes 0, and counts the samples of each set.
  /// Errc::out_of_range where an argument is not in its range; Errc::bad_sampler where the program
  /// computes with more than double precision. O(sets).
  static constexpr Result<MegatronBlend> make(std::span<const double> weights,
                                              std::span<std::uint64_t> drawn) {
    if (const auto bad = detail::check_blend(weights.size(), "weights", drawn)) return *bad;
    for (std::size_t set = 0; set != weights.size(); ++set) {
      if (!detail::is_finite(weights[set]) || weights[set] < 0.0 || weights[set] > 0x1p1000) {
        return detail::out_of_range(detail::concat("weights[", set, "]"),
                                    weights[set] < 0.0 ? "negative" : "no number up to 2^1000",
                                    "a number in [0, 2^1000]", "divide the weights by their sum");
      }
    }
    for (std::uint64_t& count : drawn) count = 0;
    MegatronBlend blend;
    blend.weights_ = weights;
    blend.drawn_ = drawn;
    return blend;
  }
  template <detail::TemporaryList Weights>  // they would be gone: give them a name
  static Result<MegatronBlend> make(Weights&&, std::span<std::uint64_t>) = delete;

  /// The next place. O(sets).
  constexpr MegatronTurn next() {
    return detail::next_turn(drawn_, place_, [this](std::size_t set, double place) {
      return detail::rounded(weights_[set] * place) - static_cast<double>(drawn_[set]);
    });
  }
  /// How many places were read.
  constexpr std::uint64_t place() const { return place_; }

 private:
  std::span<const double> weights_;
  std::span<std::uint64_t> drawn_;
  std::uint64_t place_ = 0;
};

/// build_exhaustive_blending_indices of Megatron-LM, a place at a time: each sample of each set
/// once, in proportion to the sizes as long as both last.
class MegatronExhaustiveBlend {
 public:
  /// `sizes`, each at least 1 and with a sum below 2^53, of 1 to 32766 sets. `drawn` as above.
  /// The errors of MegatronBlend::make. O(sets).
  static constexpr Result<MegatronExhaustiveBlend> make(std::span<const std::uint64_t> sizes,
                                                        std::span<std::uint64_t> drawn) {
    if (const auto bad = detail::check_blend(sizes.size(), "sizes", drawn)) return *bad;
    MegatronExhaustiveBlend blend;
    constexpr std::uint64_t largest = std::uint64_t{1} << 53U;
    for (std::size_t set = 0; set != sizes.size(); ++set) {
      blend.total_ += sizes[set];
      if (sizes[set] == 0 || sizes[set] >= largest || blend.total_ >= largest) {
        return detail::out_of_range(detail::concat("sizes[", set, "]"), sizes[set],
                                    "at least 1 sample, and fewer than 2^53 in all",
                                    "leave empty sets out");
      }
    }
    for (std::uint64_t& count : drawn) count = 0;
    blend.sizes_ = sizes;
    blend.drawn_ = drawn;
    return blend;
  }
  template <detail::TemporaryList Sizes>  // they would be gone: give them a name
  static Result<MegatronExhaustiveBlend> make(Sizes&&, std::span<std::uint64_t>) = delete;

  /// How many places there are: the sum of the sizes.
  constexpr std::uint64_t size() const { return total_; }
  /// The next place. Precondition: fewer than size() were read. O(sets).
  constexpr MegatronTurn next() {
    const auto total = static_cast<double>(total_);
    return detail::next_turn(drawn_, place_, [this, total](std::size_t set, double place) {
      if (drawn_[set] == sizes_[set]) return detail::never_next;
      const double weight = static_cast<double>(sizes_[set]) / detail::rounded(total);
      return detail::rounded(weight * place) - static_cast<double>(drawn_[set]);
    });
  }
  /// How many places were read.
  constexpr std::uint64_t place() const { return place_; }

 private:
  std::span<const std::uint64_t> sizes_;
  std::span<std::uint64_t> drawn_;
  std::uint64_t total_ = 0;
  std::uint64_t place_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ORDERS_MEGATRON_BLEND_HPP
