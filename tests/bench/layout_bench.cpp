// SPDX-License-Identifier: MIT
//
// What a layout of a million ranks takes and costs, against the plain tables that it replaces:
// node and local rank of each rank, and the rank of each place (12 bytes a rank). Times are ratios
// to a look-up in those tables at random ranks, so that two machines can be compared.
#include <rankmap/layout.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

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

volatile std::int64_t sink;

// Nanoseconds of one call, the best of three rounds.
template <class Query>
double time_of(const std::vector<int>& ranks, const Query& query) {
  double best = 1e300;
  for (int round = 0; round != 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    std::int64_t sum = 0;
    for (const int rank : ranks) sum += query(rank);
    sink = sum;
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = taken.count() < best ? taken.count() : best;
  }
  return best / static_cast<double>(ranks.size());
}

void measure(const char* name, const Layout& layout) {
  const Tables tables = tables_of(layout);
  std::mt19937 random(1);
  std::vector<int> ranks(50'000);
  for (int& rank : ranks) {
    rank = static_cast<int>(random() % static_cast<std::uint32_t>(layout.world_size()));
  }
  const auto at = [](const std::vector<int>& table, int i) {
    return table[static_cast<std::size_t>(i)];
  };
  const double table_node = time_of(ranks, [&](int r) { return at(tables.node_of, r); });
  const double node = time_of(ranks, [&](int r) { return layout.node_of(r); });
  const double table_rank = time_of(ranks, [&](int r) {
    return at(tables.rank_of, at(tables.first, at(tables.node_of, r)) + at(tables.local_of, r));
  });
  const double rank = time_of(
      ranks, [&](int r) { return layout.rank_of(at(tables.node_of, r), at(tables.local_of, r)); });
  std::printf("%-28s %9zu %8.2f %9.1f x (%6.1f ns) %9.1f x (%6.1f ns)\n", name, layout.bytes(),
              static_cast<double>(layout.bytes()) / layout.world_size(), node / table_node, node,
              rank / table_rank, rank);
}

}  // namespace

int main() {
  std::printf("%d nodes of about %d ranks; plain tables: 12 bytes a rank\n", node_count, per_node);
  std::printf("%-28s %9s %8s %24s %24s\n", "layout", "bytes", "a rank", "node_of", "rank_of");
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
  for (int& count : counts) count = static_cast<int>(random() % (2 * per_node));
  measure("every node differs, block", *Layout::from_counts(counts, Distribution::block));
  measure("every node differs, cyclic", *Layout::from_counts(counts, Distribution::cyclic));
  measure("every node differs, plane 4", *Layout::from_counts(counts, Distribution::plane(4)));

  std::vector<int> nodes(std::size_t{node_count} * per_node);
  for (int& node : nodes) node = static_cast<int>(random() % node_count);
  measure("arbitrary", *Layout::from_nodes(nodes, node_count));
}
