// SPDX-License-Identifier: MIT
// Makes layouts from counts and from lists of nodes.
#ifndef RANKMAP_LAYOUT_DETAIL_MAKE_LAYOUT_HPP
#define RANKMAP_LAYOUT_DETAIL_MAKE_LAYOUT_HPP

#include <rankmap/layout/detail/layout_data.hpp>
#include <rankmap/layout/detail/node_counts.hpp>
#include <rankmap/layout/distribution.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Up to so many runs are scanned: where few nodes differ, no rank needs memory of its own.
inline constexpr std::size_t scanned_runs = 64;
/// Up to so many nodes, many runs become a table: at most 8 MB, however many a short text claims.
inline constexpr int max_tabled_nodes = 1 << 20;
/// At most so many nodes and ranks are listed one by one.
inline constexpr int max_listed = 1 << 24;

/// The most ranks that so many runs may list: 512 a run, more than nodes have. It is at least 2^20,
/// 8 MB however many ranks a short text claims, and at most `max_listed`.
constexpr std::int64_t max_listed_ranks(std::size_t runs) {
  const std::int64_t written =
      runs < max_listed / 512 ? 512 * static_cast<std::int64_t>(runs) : max_listed;
  return written > 1 << 20 ? written : 1 << 20;
}

RANKMAP_RARE constexpr Error bad_layout(std::string_view subject, std::string_view found,
                                        std::string_view expected, std::string_view remedy) {
  return error_at(Errc::bad_layout, subject, found, expected, remedy);
}

/// Collects the counts of nodes in order, as runs, without overflow.
struct CountList {
  LayoutWords words;
  LayoutNumbers numbers = {.world = 0, .nodes = 0, .largest = 0, .smallest = 0};

  /// False, and nothing changes, where nodes or ranks would reach 2^31. Precondition: count >= 0.
  RANKMAP_NOINLINE constexpr bool add(std::int64_t count, std::int64_t of_nodes) {
    if (of_nodes == 0) return true;
    if (of_nodes > INT32_MAX - numbers.nodes) return false;
    if (count > (INT32_MAX - numbers.world) / of_nodes) return false;
    const auto word = static_cast<std::uint32_t>(count);
    if (words.empty() || words[words.size() - 1] != word) {
      const std::uint32_t run[] = {static_cast<std::uint32_t>(numbers.nodes),
                                   static_cast<std::uint32_t>(numbers.world), word};
      words.append(run, 3);
      const auto each = static_cast<int>(count);
      if (each > numbers.largest) numbers.largest = each;
      if (words.size() == 3 || each < numbers.smallest) numbers.smallest = each;
    }
    numbers.nodes += static_cast<int>(of_nodes);
    numbers.world += static_cast<int>(of_nodes * count);
    return true;
  }
  constexpr CountRuns runs() const { return {words.data(), words.size() / 3, numbers.nodes}; }
  constexpr bool is_tabled() const {
    return runs().size() > scanned_runs && numbers.nodes <= max_tabled_nodes;
  }
};

constexpr LayoutData even_layout(EvenPlanes planes) {
  LayoutData data;
  data.world = planes.nodes * planes.per_node;
  data.nodes = planes.nodes;
  data.largest = data.smallest = planes.per_node;
  data.plane = planes.nodes == 1 ? planes.per_node : planes.plane;
  return data;
}

/// Calls `visit(rank, node)` for each rank in order. Stops and returns false where `visit` does.
/// Each node in turn gets `plane` ranks until it has `count_of(node)`.
template <class CountOf, class Visit>
constexpr bool for_each_in_planes(std::size_t nodes, const CountOf& count_of, std::uint32_t plane,
                                  const Visit& visit) {
  // nodes leave `active` when they are full, so that all rounds take O(ranks)
  LayoutWords active(nodes);
  for (std::uint32_t node = 0; node != nodes; ++node) active[node] = node;
  std::size_t active_count = nodes;
  std::size_t rank = 0;
  for (std::uint32_t level = 0; active_count != 0; level += plane) {
    std::size_t left = 0;
    for (std::size_t a = 0; a != active_count; ++a) {
      const std::uint32_t node = active[a];
      const std::uint32_t above = count_of(node) - level;
      for (std::uint32_t k = 0; k != (above < plane ? above : plane); ++k, ++rank) {
        if (!visit(rank, node)) return false;
      }
      if (above > plane) active[left++] = node;
    }
    active_count = left;
  }
  return true;
}

/// Writes the counts, with room for the lists behind. Returns where the node of each rank goes.
RANKMAP_RARE constexpr std::uint32_t* start_lists(LayoutData& data, const CountList& counts) {
  const auto world = static_cast<std::size_t>(data.world);
  const std::size_t lists = data.is_block() ? world : 2 * world;
  const bool is_tabled = counts.is_tabled();  // an even layout has one run
  const LayoutWords distinct = is_tabled ? distinct_counts(counts.runs()) : LayoutWords();
  const std::size_t before = data.is_even() ? 0
                             : is_tabled    ? CountTable::words_needed(data.nodes, distinct)
                                            : counts.words.size();
  data.listed = true;
  data.listed_at = static_cast<std::uint32_t>(before);
  data.words.resize(before + lists);
  if (is_tabled) {
    CountTable::write(data.words.data(), counts.runs(), data.nodes, distinct);
  } else if (!data.is_even()) {
    data.runs = static_cast<std::uint32_t>(counts.runs().size());
    for (std::size_t i = 0; i != before; ++i) data.words[i] = counts.words[i];
  }
  return data.words.data() + before;
}

/// Lists the ranks of one node after the other; in block order they are 0, 1, 2, ...
/// Precondition: the node of each rank is listed.
constexpr void list_ranks(LayoutData& data) {
  if (data.is_block()) return;
  LayoutWords next(static_cast<std::size_t>(data.nodes));  // where the next rank of each goes
  for (int node = 0; node != data.nodes; ++node) {
    next[static_cast<std::size_t>(node)] = static_cast<std::uint32_t>(data.ranks_before(node));
  }
  const std::uint32_t* const nodes = data.node_list();
  std::uint32_t* const ranks = data.words.data() + data.listed_at + data.world;
  for (int rank = 0; rank != data.world; ++rank) {
    ranks[next[nodes[rank]]++] = static_cast<std::uint32_t>(rank);
  }
}

/// Whether planes of this size give block order: only the last node may have more ranks than that.
constexpr bool is_block_in_planes(const CountList& counts, int plane) {
  const CountRuns runs = counts.runs();
  bool is_last = false;
  for (std::size_t i = 0; i != runs.size(); ++i) {
    const CountRun run = runs.run(i);
    if (run.count == 0) continue;
    const std::int64_t end = i + 1 == runs.size() ? counts.numbers.nodes : runs.run(i + 1).node;
    if (is_last || (run.count > plane && end - run.node > 1)) return false;
    is_last = run.count > plane;
  }
  return true;
}

RANKMAP_RARE constexpr Result<LayoutData> layout_from_counts(const CountList& counts,
                                                             Distribution distribution) {
  constexpr std::string_view remedy = "pass another Distribution, or the node of each rank";
  if (counts.numbers.world == 0) {
    return bad_layout("tasks per node", "0", "at least one rank", "pass the tasks of every node");
  }
  LayoutData data(counts.numbers);
  const int plane = distribution.kind == DistributionKind::plane    ? distribution.plane_size
                    : distribution.kind == DistributionKind::cyclic ? 1
                                                                    : data.largest;
  if (plane < 1) {
    return bad_layout("Distribution::plane_size", concat(plane), "a plane of at least 1", remedy);
  }
  if (distribution.kind == DistributionKind::arbitrary && data.nodes != 1) {
    return bad_layout("distribution", "arbitrary", "an order that follows from the counts", remedy);
  }
  data.plane = is_block_in_planes(counts, plane) ? data.largest : plane;
  if (data.is_even()) return data;
  if (counts.is_tabled() && data.world <= max_listed_ranks(counts.runs().size())) {
    std::uint32_t* const node_list = start_lists(data, counts);
    for_each_in_planes(
        static_cast<std::size_t>(data.nodes),
        [&data](std::uint32_t node) {
          return static_cast<std::uint32_t>(data.count(static_cast<int>(node)));
        },
        static_cast<std::uint32_t>(data.plane),
        [node_list](std::size_t rank, std::uint32_t node) {
          node_list[rank] = node;
          return true;
        });
    list_ranks(data);
  } else {
    data.runs = static_cast<std::uint32_t>(counts.runs().size());
    data.words = counts.words;
    data.words.shrink_to_fit();
  }
  return data;
}

/// The plane of a list of nodes in plane order, or 0. A node's first stretch of consecutive ranks
/// has min(plane, its count) ranks, so only the longest first stretch can be the plane. Writes the
/// ranks of each node to `counts`, which has room for all nodes.
constexpr std::uint32_t plane_of(const int* node_of_rank, std::size_t ranks, LayoutWords& counts) {
  std::uint32_t plane = 1;
  std::uint32_t stretch = 0;
  bool first_stretch = false;
  for (std::size_t rank = 0; rank != ranks; ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    if (rank == 0 || node_of_rank[rank - 1] != node_of_rank[rank]) {
      first_stretch = counts[node] == 0;
      stretch = 0;
    }
    ++counts[node];
    ++stretch;
    if (first_stretch && stretch > plane) plane = stretch;
  }
  const bool fits = for_each_in_planes(
      counts.size(), [&counts](std::uint32_t node) { return counts[node]; }, plane,
      [node_of_rank](std::size_t rank, std::uint32_t node) {
        return node_of_rank[rank] == static_cast<int>(node);
      });
  return fits ? plane : 0;
}

/// Precondition: there is at least one rank, and every entry is in [0, nodes).
RANKMAP_RARE constexpr Result<LayoutData> layout_from_nodes(const int* node_of_rank,
                                                            std::size_t ranks,
                                                            std::uint32_t nodes) {
  LayoutWords count_of(nodes);
  const std::uint32_t plane = plane_of(node_of_rank, ranks, count_of);
  CountList counts;
  for (std::size_t node = 0; node != count_of.size(); ++node) (void)counts.add(count_of[node], 1);
  if (plane != 0) {
    return layout_from_counts(counts, Distribution::plane(static_cast<int>(plane)));
  }
  LayoutData data(counts.numbers);
  data.plane = 0;
  std::uint32_t* const node_list = start_lists(data, counts);
  for (std::size_t r = 0; r != ranks; ++r)
    node_list[r] = static_cast<std::uint32_t>(node_of_rank[r]);
  list_ranks(data);
  return data;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_MAKE_LAYOUT_HPP
