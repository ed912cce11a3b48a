// SPDX-License-Identifier: MIT
//
// What a layout keeps, and the formula over it.
#ifndef RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP
#define RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP

#include <rankmap/layout/detail/even_layout.hpp>
#include <rankmap/layout/detail/node_counts.hpp>
#include <rankmap/layout/detail/wavelet_matrix.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

enum class RankOrder : std::uint8_t {
  block,     ///< node after node
  dealt,     ///< `plane` to each node in turn
  sequence,  ///< the nodes in rank order are kept
};

/// The numbers of a layout: one rank on one node unless they say otherwise.
struct LayoutNumbers {
  int world = 1;
  int nodes = 1;
  int plane = 1;  ///< in [1, largest]; largest where the order is block
  int largest = 1;
  int smallest = 1;
  std::uint32_t runs = 0;         ///< runs that lead words; 0: an index does, or nothing
  std::uint32_t sequence_at = 0;  ///< where the wavelet starts in words
  RankOrder order = RankOrder::block;
  bool even = true;
};

/// Three ways to keep a layout: nothing but its numbers where all nodes are equally full; counts
/// (runs or an index) in `words` where they are not; and, behind counts, a wavelet of the nodes in
/// rank order where no rule holds.
struct LayoutData : LayoutNumbers {
  LayoutWords words;

  // Numbers that stayed behind in a move would speak of words that are gone.
  constexpr LayoutData() = default;
  constexpr LayoutData(const LayoutData&) = default;
  constexpr LayoutData(LayoutData&& other) noexcept
      : LayoutNumbers(std::exchange<LayoutNumbers>(other, {})), words(std::move(other.words)) {}
  constexpr LayoutData& operator=(const LayoutData&) = default;
  constexpr LayoutData& operator=(LayoutData&& other) noexcept {
    LayoutNumbers::operator=(std::exchange<LayoutNumbers>(other, {}));
    words = std::move(other.words);
    return *this;
  }
  constexpr ~LayoutData() = default;

  // Asks whichever form the counts have. Its return type is deduced, so it stands first.
  template <class Question>
  constexpr auto counts(const Question& question) const {
    if (runs == 0) return question(CountIndex(words.data(), order == RankOrder::block, nodes));
    return question(CountRuns(words.data(), runs, nodes));
  }

  constexpr Wavelet sequence() const {
    return {words.data() + sequence_at, static_cast<std::uint32_t>(world),
            static_cast<std::uint32_t>(nodes - 1)};
  }
  constexpr EvenDeal deal() const { return {nodes, largest, plane}; }

  constexpr int count(int node) const {
    if (even) return largest;
    return static_cast<int>(counts([&](const auto& c) { return c.count(node); }));
  }
  /// How many of the nodes before `node` have this local rank.
  constexpr std::int64_t nodes_with(int node, int local) const {
    if (even) return local < largest ? node : 0;
    return counts([&](const auto& c) { return c.share_before(node, local, 1); });
  }
  /// The k-th node that has this local rank.
  constexpr int node_with(std::int64_t k, int local) const {
    if (even) return static_cast<int>(k);
    return counts([&](const auto& c) { return c.find_share(k, local, 1); }).node;
  }

  constexpr int rank_of(int node, int local) const {
    if (order == RankOrder::sequence) {
      return static_cast<int>(
          sequence().find(static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(local)));
    }
    if (even) return deal().rank_of(node, local);
    return static_cast<int>(counts([&](const auto& c) -> std::int64_t {
      if (order == RankOrder::block) return c.ranks_before(node) + local;
      const int level = local - local % plane;
      return c.below(level) + c.share_before(node, level, plane) + (local - level);
    }));
  }

  constexpr Place place_of(int rank) const {
    if (order == RankOrder::sequence) {
      const auto found = sequence().occurrence(static_cast<std::uint32_t>(rank));
      return {static_cast<int>(found.value), static_cast<int>(found.before)};
    }
    if (even) return deal().place_of(rank);
    return counts([&](const auto& c) {
      if (order == RankOrder::block) return c.block_place(rank);
      const std::int64_t level = c.level_of(rank, plane, largest);
      Place place = c.find_share(rank - c.below(level), level, plane);
      place.local += static_cast<int>(level);
      return place;
    });
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP
