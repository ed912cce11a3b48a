// SPDX-License-Identifier: MIT
//
// The texts that say which rank is on which node: Slurm's task counts, Flux's task map, PMI's
// process mapping, Slurm's distribution.
#include "fuzz.hpp"

#include <rankmap/layout/layout.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::DistributionKind;
using rankmap::Layout;
using rankmap::detail::ProcessMap;
using rankmap::detail::TaskCounts;
using rankmap_fuzz::require;

constexpr std::uint64_t most = 2147483647;

/// `2(x3),1` node by node; at most `room` nodes are listed.
struct Counted {
  std::vector<int> counts;
  std::uint64_t nodes = 0;
  std::uint64_t tasks = 0;
};
std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    value = (std::min)(value * 10 + static_cast<unsigned>(c - '0'), most * 10);
  }
  return value;
}
std::optional<Counted> count_slowly(std::string_view text, std::size_t room) {
  Counted out;
  for (std::string_view entry : rankmap_fuzz::split(text, ',')) {
    std::uint64_t repeat = 1;
    if (!entry.empty() && entry.back() == ')') {
      const std::size_t open = entry.find("(x");
      if (open == std::string_view::npos) return std::nullopt;
      const auto digits = number(entry.substr(open + 2, entry.size() - open - 3));
      if (!digits || *digits == 0 || *digits > most) return std::nullopt;
      repeat = *digits;
      entry = entry.substr(0, open);
    }
    const auto count = number(entry);
    if (!count || *count > most) return std::nullopt;
    out.nodes += repeat;
    out.tasks += repeat * *count;
    if (out.nodes > most || out.tasks > most) return std::nullopt;
    for (std::uint64_t i = 0; i != repeat && out.counts.size() < room; ++i) {
      out.counts.push_back(static_cast<int>(*count));
    }
  }
  return out;
}

/// Deals one rank after the other.
std::vector<int> deal_slowly(const std::vector<int>& counts, int tasks, int plane) {
  std::vector<int> left = counts;
  std::vector<int> node_of_rank;
  while (static_cast<int>(node_of_rank.size()) != tasks) {
    for (std::size_t node = 0; node != left.size(); ++node) {
      for (int k = 0; k != plane && left[node] != 0; ++k) {
        node_of_rank.push_back(static_cast<int>(node));
        --left[node];
      }
    }
  }
  return node_of_rank;
}

void require_layout(const Layout& layout, const std::vector<int>& node_of_rank, int nodes,
                    std::string_view about) {
  require(layout.world_size() == static_cast<int>(node_of_rank.size()), "all ranks are placed",
          about);
  require(layout.node_count() == nodes, "all nodes are there", about);
  std::vector<int> seen(static_cast<std::size_t>(nodes));
  for (int rank = 0; rank != layout.world_size(); ++rank) {
    const int node = node_of_rank[static_cast<std::size_t>(rank)];
    const int local = seen[static_cast<std::size_t>(node)]++;
    require(layout.place_of(rank) == rankmap::Place{node, local}, "ranks are where they are dealt",
            about);
    require(layout.rank_of(node, local) == rank, "places have the rank that is there", about);
  }
  for (int node = 0; node != nodes; ++node) {
    require(layout.local_world_size(node) == seen[static_cast<std::size_t>(node)],
            "nodes have the ranks they were dealt", about);
  }
  const auto same = Layout::from_nodes(node_of_rank, nodes);
  require(same && *same == layout, "the list of nodes makes the same layout", about);
}

void run_counts(std::string_view text) {
  const auto counts = TaskCounts::parse(text, "COUNTS");
  const auto slow = count_slowly(text, 2048);
  require(counts.has_value() == slow.has_value(), "task counts are accepted by their grammar",
          text);
  if (!counts) {
    rankmap_fuzz::require_good_error(counts.error(), text.size());
    return;
  }
  require(static_cast<std::uint64_t>(counts->nodes()) == slow->nodes, "nodes are counted", text);
  require(static_cast<std::uint64_t>(counts->tasks()) == slow->tasks, "tasks are counted", text);
  for (std::size_t i = 0; i < slow->counts.size(); i += slow->counts.size() / 20 + 1) {
    require(counts->count_at(static_cast<int>(i)) == slow->counts[i], "each node has its count",
            text);
  }
  if (counts->tasks() == 0) return;
  const bool small = slow->nodes <= 2048 && slow->tasks <= 2048;
  for (const int plane : {1, 2, 3, 1 << 30}) {
    const Distribution distribution = plane == 1         ? Distribution::cyclic
                                      : plane == 1 << 30 ? Distribution::block
                                                         : Distribution::plane(plane);
    const rankmap_fuzz::HeapBytes heap;
    const auto layout = Layout::from_counts(text, distribution, "COUNTS");
    // Beyond 64 runs nodes and ranks are listed: at most 2^20 nodes, and 2^20 ranks or 512 a run.
    const std::size_t lists = text.size() < 128 ? 0 : (std::size_t{64} << 20U) + 2048 * text.size();
    require(heap.asked() <= 128 * text.size() + 4096 + lists, "memory is bounded", text);
    require(layout.has_value(), "counts make a layout", text);
    const int last = layout->world_size() - 1;
    require(layout->rank_of(layout->place_of(last)) == last, "the last rank has a place", text);
    if (small) {
      require_layout(*layout, deal_slowly(slow->counts, counts->tasks(), plane), counts->nodes(),
                     text);
    }
  }
}

void run_map(const rankmap::Result<ProcessMap>& map, std::string_view text, bool flux) {
  if (!map) {
    rankmap_fuzz::require_good_error(map.error(), text.size());
    return;
  }
  require(map->ranks() >= 1 && map->nodes() >= 1, "a map has ranks and nodes", text);
  if (map->ranks() > 2048 || map->nodes() > 2048) return;
  std::vector<int> node_of_rank;
  (void)map->for_each_run(0, [&](std::int64_t node, std::int64_t count) {
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(count),
                        static_cast<int>(node));
    return true;
  });
  require(static_cast<std::int64_t>(node_of_rank.size()) == map->ranks(), "stretches are all ranks",
          text);
  const auto layout = flux ? Layout::from_flux_map(text) : Layout::from_pmi_vector(text);
  require(layout.has_value(), "a map makes a layout", text);
  require_layout(*layout, node_of_rank, static_cast<int>(map->nodes()), text);
  if (flux) return;
  for (const int world : {1, 2, layout->world_size(), layout->world_size() + 1, 100}) {
    const auto other = Layout::from_pmi_vector(text, world);
    if (!other && world > layout->world_size()) {
      rankmap_fuzz::require_good_error(other.error(), text.size());
      continue;
    }
    require(other && other->world_size() == world, "a mapping is cut to any smaller world", text);
    for (int rank = 0; rank != world && rank != layout->world_size(); ++rank) {
      require(other->node_of(rank) == layout->node_of(rank), "a mapping begins alike", text);
    }
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 4096) return;
  run_counts(input);
  run_map(ProcessMap::parse_flux(input, "map"), input, true);
  run_map(ProcessMap::parse_pmi(input, "mapping"), input, false);
  const std::size_t line = input.find('\n');
  const auto plane = line == std::string_view::npos
                         ? std::nullopt
                         : std::optional<std::string_view>(input.substr(line + 1));
  const auto distribution = Distribution::parse(input.substr(0, line), plane);
  if (!distribution) {
    require_good_error(distribution.error(), input.size());
  } else {
    require((distribution->plane_size >= 1) == (distribution->kind == DistributionKind::plane),
            "planes, and only they, have a size");
  }
}
