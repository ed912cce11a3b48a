// SPDX-License-Identifier: MIT
// Samples of unequal cost, such as sequences of unequal length, cut into parts of nearly equal
// cost: the ranks of a step, or its micro-batches.
#ifndef RANKMAP_SAMPLER_BALANCE_HPP
#define RANKMAP_SAMPLER_BALANCE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/balanced_cut.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// How many items a part gets.
enum class Counts : std::uint8_t {
  even,  ///< all parts as many, or one more: for collectives that need equal counts
  free,  ///< any number, none 0 while there are as many items as parts: the lighter cuts
};

constexpr std::string_view name(Counts counts) { return detail::enumerator("even\0free", counts); }

/// How to cut. All ranks of a job must use the same options.
struct BalanceOptions {
  Counts counts = Counts::even;
  std::uint64_t cap = UINT64_MAX;  ///< no part may cost more
  friend constexpr bool operator==(const BalanceOptions&, const BalanceOptions&) = default;
};

namespace detail {

/// What `balance` and `parts_within` refuse alike.
constexpr Optional<Error> check_costs(std::span<const std::uint64_t> costs, std::uint64_t cap) {
  if (costs.size() > INT32_MAX) {
    return out_of_range("costs.size()", costs.size(), "fewer than 2^31 items",
                        "balance one step at a time");
  }
  for (std::size_t i = 0; i != costs.size(); ++i) {
    if (costs[i] <= cap) continue;
    return out_of_range(concat("costs[", i, "]"), costs[i],
                        concat("at most the cap, ", cap, ": ", costs[i] - cap, " above it alone"),
                        "leave the item out, shorten it, or raise the cap");
  }
  const auto sum = checked_sum(costs, "costs", "costs with a sum below 2^63",
                               "measure the costs in a larger unit");
  if (!sum) return sum.error();
  return {};
}

}  // namespace detail

/// Cuts items of unequal cost into `parts` >= 1 parts, so that the heaviest part is light.
/// `part_of[i]` becomes the part of item i, in [0, parts). Returns the cost of the heaviest part.
/// The result depends on the arguments alone, on every rank and platform; golden values pin it.
///
/// Counts::even: the longest items first, each to the lightest part that may still have one; then
/// exchanges of two items while they make the heaviest part lighter. Counts::free: the longest
/// first, first fit at smaller and smaller capacities, then moves and exchanges. Where that is
/// above the lower bound, the same exchanges from the cut of Karmarkar and Karp; the better cut
/// counts. So neither is ever heavier than the longest first, nor, up to items * parts = 2^24, than
/// that of Karmarkar and Karp. Both are optimal in all worlds of up to 7 items with costs up to 4
/// and 4 parts. With fewer items than parts each item is alone, and the last parts are empty.
///
/// `part_of` has costs.size() elements. Cost: O(n log parts), 0.2 s for a million items in 1,024
/// parts, and the exchanges, which stop after 8 n + 2^20 looks at an item. Memory while it runs: 32
/// bytes an item and 40 a part, and 36 more an item and 4 a part where Karmarkar and Karp's cut is
/// tried.
/// Errc::out_of_range: parts below 1, counts that are no enumerator, spans of the wrong size, 2^31
/// or more items, costs whose sum is 2^63 or more, a cost above the cap, and no cut within the cap.
constexpr Result<std::uint64_t> balance(std::span<const std::uint64_t> costs, int parts,
                                        std::span<std::uint32_t> part_of,
                                        const BalanceOptions& options = {}) {
  if (parts < 1) {
    return detail::out_of_range("parts", parts, "at least 1",
                                "pass the number of ranks or micro-batches");
  }
  if (options.counts != Counts::even && options.counts != Counts::free) {
    return detail::out_of_range("BalanceOptions::counts", static_cast<int>(options.counts),
                                "one of the counts: even, free", "pass an enumerator of Counts");
  }
  if (const auto bad = detail::check_costs(costs, options.cap)) return *bad;
  if (part_of.size() != costs.size()) {
    return detail::out_of_range("part_of.size()", part_of.size(),
                                detail::concat(costs.size(), " elements, one for each item"),
                                "pass a span of costs.size() elements");
  }
  // With fewer items than parts each is alone, and the parts behind them need no memory.
  auto part_count = static_cast<std::uint32_t>(parts);
  if (part_count > costs.size()) part_count = static_cast<std::uint32_t>(costs.size());
  if (part_count == 0) part_count = 1;
  detail::BalancedCut cut(costs);
  const std::uint64_t heaviest =
      options.counts == Counts::even ? cut.even(part_count) : cut.free(part_count, options.cap);
  cut.write(part_of.data());
  if (heaviest <= options.cap) return heaviest;
  if (cut.bound(part_count) > options.cap) {
    return detail::out_of_range(
        "BalanceOptions::cap", options.cap,
        detail::concat("at least ", cut.bound(part_count), ": the costs add up to ", cut.sum(),
                       ", and parts is ", part_count),
        "take more parts (parts_within), or raise the cap");
  }
  return detail::out_of_range(
      "BalanceOptions::cap", options.cap,
      detail::concat("at least ", heaviest, ", the heaviest of the ", part_count,
                     " parts that were found: ", heaviest - options.cap, " above the cap"),
      options.counts == Counts::even ? "set Counts::free, take more parts, or raise the cap"
                                     : "take more parts (parts_within), or raise the cap");
}

/// The same for lists of any integers: `costs` is a std::vector or another list with size() and [],
/// and so is `part_of`, as long as it. Memory: 12 bytes an item besides.
/// Errors: those above, and out_of_range for a cost below 0, and for more parts than an element of
/// `part_of` can number, where there are as many items.
template <class Costs, class Parts>
requires requires(const Costs& costs, Parts& part_of) {
  requires std::is_integral_v<std::remove_cvref_t<decltype(costs[0])>>;
  requires std::is_integral_v<std::remove_cvref_t<decltype(part_of[0])>>;
  costs.size() == part_of.size();
}
constexpr Result<std::uint64_t> balance(const Costs& costs, int parts, Parts&& part_of,
                                        const BalanceOptions& options = {}) {
  detail::SmallVector<std::uint64_t, 1> words(costs.size());
  detail::SmallVector<std::uint32_t, 1> found(part_of.size());
  for (std::size_t i = 0; i != costs.size(); ++i) {
    if constexpr (std::is_signed_v<std::remove_cvref_t<decltype(costs[0])>>) {
      if (costs[i] < 0) {
        return detail::out_of_range(detail::concat("costs[", i, "]"), costs[i],
                                    "a cost of 0 or more", "correct it");
      }
    }
    words[i] = static_cast<std::uint64_t>(costs[i]);
  }
  using Part = std::remove_cvref_t<decltype(part_of[0])>;
  const std::uint64_t used = parts < 1 ? 0 : static_cast<std::uint64_t>(parts);
  const std::uint64_t last = (used < words.size() ? used : words.size()) - 1;
  if (last != UINT64_MAX && static_cast<std::uint64_t>(static_cast<Part>(last)) != last) {
    return detail::out_of_range("parts", parts, "no more than an element of part_of can number",
                                "pass a part_of of a wider type");
  }
  const auto heaviest = balance(std::span<const std::uint64_t>(words), parts,
                                std::span<std::uint32_t>(found), options);
  if (!heaviest) return heaviest;
  for (std::size_t i = 0; i != found.size(); ++i) {
    part_of[i] = static_cast<Part>(found[i]);
  }
  return heaviest;
}

/// The number of parts to cut into so that none costs more than `cap`: the first from `least` >= 1
/// on for which `balance` with Counts::free keeps the cap and no part is empty. Ranks that must cut
/// into the same number pass the maximum over the ranks to `balance`.
///
/// No items need no part. Cost: that of a `balance` for each number that is tried. Once 2^21 items
/// have been put into parts, the number that first fit needs is taken at once. Errc::out_of_range:
/// those of `balance`, and a `least` above the number of items, which would leave parts empty.
constexpr Result<int> parts_within(std::span<const std::uint64_t> costs, std::uint64_t cap,
                                   int least = 1) {
  if (least < 1) return detail::out_of_range("least", least, "at least 1 part", "pass 1");
  const std::uint64_t items = costs.size();
  if (const auto bad = detail::check_costs(costs, cap)) return *bad;
  if (items == 0) return 0;
  if (static_cast<std::uint32_t>(least) > items) {
    return detail::out_of_range("least", least,
                                detail::concat("at most ", items, ", the number of items"),
                                "pass fewer parts: more would be empty");
  }
  detail::BalancedCut cut(costs);
  cut.first_fit(cap, static_cast<std::uint32_t>(items));
  const std::uint32_t enough = cut.fitted();
  const std::uint64_t mean = cap == 0 ? 0 : cut.sum() / cap + (cut.sum() % cap != 0 ? 1U : 0U);
  constexpr std::uint64_t most = std::uint64_t{1} << 21U;
  auto parts = static_cast<std::uint32_t>(least);
  if (parts < mean) parts = static_cast<std::uint32_t>(mean);
  for (; parts < enough && cut.placed() <= most; ++parts) {
    if (cut.free(parts, cap) <= cap) return static_cast<int>(parts);
  }
  return static_cast<int>(parts < enough ? enough : parts);
}

/// As they were called before, with memory of the caller, which they need no more.
[[deprecated("leave the scratch out")]] constexpr std::uint64_t balance_scratch(std::uint64_t,
                                                                                std::uint64_t) {
  return 0;
}
[[deprecated("leave the scratch out")]] constexpr Result<std::uint64_t> balance(
    std::span<const std::uint64_t> costs, int parts, std::span<std::uint32_t> part_of,
    std::span<std::uint64_t>, const BalanceOptions& options = {}) {
  return balance(costs, parts, part_of, options);
}
[[deprecated("leave the scratch out")]] constexpr Result<int> parts_within(
    std::span<const std::uint64_t> costs, std::uint64_t cap, std::span<std::uint64_t>,
    int least = 1) {
  return parts_within(costs, cap, least);
}

/// The work of a transformer on a sequence: linear * length + length^2, as verl counts it; its
/// default is that of a model with 7 billion parameters. UINT64_MAX where that does not fit.
constexpr std::uint64_t attention_cost(std::uint64_t length, std::uint64_t linear = 24576) {
  const std::uint64_t factor = linear + length;
  const detail::Uint128 product = detail::multiply_wide(factor, length);
  return factor < length || product.high != 0 ? UINT64_MAX : product.low;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_BALANCE_HPP
