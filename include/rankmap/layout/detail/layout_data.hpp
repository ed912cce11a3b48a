// SPDX-License-Identifier: MIT
// What a layout keeps, and the formula for ranks and places.
#ifndef RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP
#define RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/layout/detail/node_counts.hpp>
#include <rankmap/layout/place.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// The formula for even nodes. Each in turn gets `plane` ranks (block order: per_node, cyclic: 1)
/// until it has `per_node`. No product is above nodes * per_node, which an int holds.
struct EvenPlanes {
  int nodes;
  int per_node;
  int plane;  ///< in [1, per_node]

  RANKMAP_HD constexpr int rank_of(int node, int local) const noexcept {
    const int level = local - local % plane;
    return level * nodes + node * width(level) + (local - level);
  }
  RANKMAP_HD constexpr Place place_of(int rank) const noexcept {
    const int level = rank / (plane * nodes) * plane;
    const int within = rank - level * nodes;
    return {within / width(level), level + within % width(level)};
  }

 private:
  // The last round has what is left.
  RANKMAP_HD constexpr int width(int level) const noexcept {
    return per_node - level < plane ? per_node - level : plane;
  }
};

/// The numbers of a layout: by default one rank on one node.
struct LayoutNumbers {
  int world = 1;
  int nodes = 1;
  int plane = 1;  ///< ranks to each node in turn, in [1, largest]; 0: their order has no rule
  int largest = 1;
  int smallest = 1;
  std::uint32_t runs = 0;       ///< runs at the start of words; 0: a table is there, or nothing
  std::uint32_t listed_at = 0;  ///< where the lists start in words
  bool listed = false;

  constexpr bool is_even() const { return smallest == largest; }
  constexpr bool is_block() const { return plane == largest; }
  friend constexpr bool operator==(const LayoutNumbers&, const LayoutNumbers&) = default;
};

/// A layout has one of three forms. In block or plane order, even nodes need the numbers alone, and
/// few runs of equal neighbours are all of `words`. Else `words` has lists: the counts of uneven
/// nodes, the node of each rank, and, except in block order, the ranks of one node after the other.
struct LayoutData : LayoutNumbers {
  LayoutWords words;

  // A moved-from object must not keep numbers that describe words it no longer has.
  constexpr LayoutData() = default;
  constexpr explicit LayoutData(const LayoutNumbers& numbers) : LayoutNumbers(numbers) {}
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

  // Calls `question` with the counts in either form. Stands first: its return type is deduced.
  template <class Question>
  constexpr auto counts(const Question& question) const {
    if (runs == 0) return question(CountTable(words.data(), nodes));
    return question(CountRuns(words.data(), runs, nodes));
  }

  constexpr EvenPlanes even_planes() const { return {nodes, largest, plane}; }
  constexpr const std::uint32_t* node_list() const { return words.data() + listed_at; }
  constexpr const std::uint32_t* rank_list() const { return node_list() + world; }

  constexpr int count(int node) const {
    if (is_even()) return largest;
    return static_cast<int>(counts([&](const auto& c) { return c.count(node); }));
  }
  constexpr std::int64_t nodes_with(int node, int local) const {
    if (is_even()) return local < largest ? node : 0;
    return counts([&](const auto& c) { return c.nodes_with(node, local); });
  }
  constexpr int node_with(std::int64_t k, int local) const {
    if (is_even()) return static_cast<int>(k);
    return counts([&](const auto& c) { return c.node_with(k, local); });
  }
  constexpr std::int64_t ranks_before(int node) const {
    if (is_even()) return std::int64_t{node} * largest;
    return counts([&](const auto& c) { return c.ranks_before(node); });
  }

  /// The next or the previous node that has this local rank, with wrap-around.
  constexpr int neighbour(int node, int local, bool next) const {
    const std::int64_t size = nodes_with(nodes, local);
    const std::int64_t index = nodes_with(node, local);
    const bool member = count(node) > local;
    return node_with((next ? index + (member ? 1 : 0) : index - 1 + size) % size, local);
  }
  constexpr int count_divisor() const {
    if (is_even()) return largest;
    std::int64_t divisor = 0;
    counts([&divisor](const auto& c) {
      c.for_each_count(
          [&divisor](std::int64_t count) { divisor = common_divisor(divisor, count); });
    });
    return static_cast<int>(divisor);
  }
  /// Whether both have the same form and the same content.
  friend constexpr bool operator==(const LayoutData&, const LayoutData&) = default;

  // rank_of() and node_of() read lists without a call, so that reads of queries in a row overlap.
  constexpr int rank_of(int node, int local) const {
    if (!listed) return computed_rank(node, local);
    const std::int64_t at = ranks_before(node) + local;
    return static_cast<int>(is_block() ? at : rank_list()[at]);
  }
  constexpr int node_of(int rank) const {
    return listed ? static_cast<int>(node_list()[rank]) : computed_place(rank).node;
  }
  constexpr Place place_of(int rank) const {
    return listed ? listed_place(rank) : computed_place(rank);
  }

 private:
  constexpr int computed_rank(int node, int local) const {
    if (is_even()) return even_planes().rank_of(node, local);
    const CountRuns c(words.data(), runs, nodes);
    if (is_block()) return static_cast<int>(c.ranks_before(node) + local);
    const int level = local - local % plane;
    return static_cast<int>(c.below(level) + c.share_before(node, level, plane) + (local - level));
  }
  constexpr Place computed_place(int rank) const {
    if (is_even()) return even_planes().place_of(rank);
    const CountRuns c(words.data(), runs, nodes);
    if (is_block()) return c.block_place(rank);
    const std::int64_t level = c.level_of(rank, plane, largest);
    Place place = c.find_share(rank - c.below(level), level, plane);
    place.local += static_cast<int>(level);
    return place;
  }
  // The ranks of a node ascend, so a binary search finds the local rank.
  constexpr Place listed_place(int rank) const {
    const auto node = static_cast<int>(node_list()[rank]);
    const std::int64_t first = ranks_before(node);
    if (is_block()) return {node, static_cast<int>(rank - first)};
    const std::uint32_t* const own = rank_list() + first;
    return {node, partition_point(0, count(node), [&](int local) {
              return own[local] < static_cast<std::uint32_t>(rank);
            })};
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_LAYOUT_DATA_HPP
