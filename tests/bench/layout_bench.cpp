// SPDX-License-Identifier: MIT
//
// What a layout of a million ranks takes and costs, against the plain tables that it replaces:
// node and local rank of each rank, and the rank of each place (12 bytes a rank), at random ranks.
#include <rankmap/layout/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "table.hpp"

namespace {

using rankmap::Distribution;
using rankmap::Layout;

constexpr int node_count = 4096;
constexpr int per_node = 256;

struct Tables {
  std::vector<int> node_of, local_of, first, rank_of;
};

Tables tables_of(const Layout& layout) {
  Tables tables;
  for (int rank = 0; rank != layout.world_size(); ++rank) {
    const rankmap::Place place = layout.place_of(rank);
    tables.node_of.push_back(place.node);
    tables.local_of.push_back(place.local);
  }
  for (int node = 0; node != layout.node_count(); ++node) {
    tables.first.push_back(static_cast<int>(tables.rank_of.size()));
    for (const int rank : layout.ranks_on(node)) tables.rank_of.push_back(rank);
  }
  return tables;
}

/// Random places: the rank and where it is, so that looking them up is no part of what is measured.
struct Asked {
  int rank, node, local;
};

void measure(const std::string& name, const Layout& layout) {
  const Tables tables = tables_of(layout);
  std::mt19937 random(1);
  std::vector<Asked> asked(50'000);
  for (Asked& place : asked) {
    place.rank = static_cast<int>(random() % static_cast<std::uint32_t>(layout.world_size()));
    const auto at = static_cast<std::size_t>(place.rank);
    place.node = tables.node_of[at];
    place.local = tables.local_of[at];
  }
  const auto at = [](const std::vector<int>& table, int i) {
    return table[static_cast<std::size_t>(i)];
  };
  const auto each = [&asked](std::string what, auto query) {
    return bench::Contender{std::move(what), [&asked, query] {
                              std::int64_t sum = 0;
                              for (const Asked& place : asked) sum += query(place);
                              bench::keep(static_cast<std::uint64_t>(sum));
                            }};
  };
  const auto unit = static_cast<double>(asked.size());
  bench::compare(
      "layout of " + std::to_string(layout.world_size()) + " ranks, " + name + ", node of a rank",
      unit, 25,
      {each("table", [&](const Asked& p) { return at(tables.node_of, p.rank); }),
       each("Layout::node_of", [&](const Asked& p) { return layout.node_of(p.rank); })});
  bench::compare("... local rank of a rank", unit, 25,
                 {each("table", [&](const Asked& p) { return at(tables.local_of, p.rank); }),
                  each("Layout::local_rank_of",
                       [&](const Asked& p) { return layout.local_rank_of(p.rank); })});
  bench::compare(
      "... rank of a place", unit, 25,
      {each("table",
            [&](const Asked& p) { return at(tables.rank_of, at(tables.first, p.node) + p.local); }),
       each("Layout::rank_of", [&](const Asked& p) { return layout.rank_of(p.node, p.local); })});
  bench::compare(
      "... next rank on the rail", unit, 5,
      {each("Layout::next_on_rail", [&](const Asked& p) { return layout.next_on_rail(p.rank); })});
  bench::note("bytes; tables take 12 a rank", std::to_string(layout.bytes()));
}

}  // namespace

int main() {
  measure("block", Layout::block(node_count, per_node));
  measure("cyclic", Layout::cyclic(node_count, per_node));
  measure("plane 4", Layout::plane(node_count, per_node, 4));

  std::vector<int> counts(node_count, per_node);
  counts.back() = 17;
  measure("one node less full, block", *Layout::from_counts(counts, Distribution::block));
  measure("one node less full, cyclic", *Layout::from_counts(counts, Distribution::cyclic));
  for (std::size_t i = 0; i < counts.size(); i += 140) counts[i] = 128;
  measure("61 runs, block", *Layout::from_counts(counts, Distribution::block));
  measure("61 runs, cyclic", *Layout::from_counts(counts, Distribution::cyclic));

  std::mt19937 random(2);
  for (int& count : counts) count = static_cast<int>(random() % (2UL * per_node));
  measure("every node differs, block", *Layout::from_counts(counts, Distribution::block));
  measure("every node differs, cyclic", *Layout::from_counts(counts, Distribution::cyclic));
  measure("every node differs, plane 4", *Layout::from_counts(counts, Distribution::plane(4)));

  std::vector<int> nodes(std::size_t{node_count} * per_node);
  for (int& node : nodes) node = static_cast<int>(random() % node_count);
  measure("arbitrary", *Layout::from_nodes(nodes, node_count));

  constexpr int small_nodes = 131'072;  // of 8 ranks
  for (int& node : nodes) node = static_cast<int>(random() % small_nodes);
  measure("arbitrary, small nodes", *Layout::from_nodes(nodes, small_nodes));
  counts.assign(small_nodes, 8);
  for (std::size_t i = 0; i != counts.size(); i += 2) {
    const int moved = static_cast<int>(random() % 5);
    counts[i] += moved;
    counts[i + 1] -= moved;
  }
  measure("every small node differs, block", *Layout::from_counts(counts, Distribution::block));
  measure("every small node differs, cyclic", *Layout::from_counts(counts, Distribution::cyclic));
}
