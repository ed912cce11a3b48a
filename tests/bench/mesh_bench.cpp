// SPDX-License-Identifier: MIT
//
// What questions to a mesh of a million ranks cost, at random ranks. The libraries that answer them
// keep tables of the ranks, so the yardstick is a coordinate by the book: a division and a
// remainder for each axis. Its ratio to the others holds on a busy machine too.
#include <rankmap/mesh.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using rankmap::Axes;
using rankmap::Mesh;

volatile std::int64_t sink;

// Nanoseconds of one call, the best of all stretches of 20000: short ones are seldom interrupted.
template <class Query>
void measure(const char* name, const std::vector<int>& ranks, const Query& query) {
  constexpr std::size_t stretch = 20000;
  double best = 1e300;
  for (int round = 0; round != 5; ++round) {
    for (std::size_t first = 0; first + stretch <= ranks.size(); first += stretch) {
      const auto start = std::chrono::steady_clock::now();
      std::int64_t sum = 0;
      for (std::size_t i = first; i != first + stretch; ++i) sum += query(ranks[i]);
      sink = sum;
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      best = taken.count() < best ? taken.count() : best;
    }
  }
  std::printf("  %-28s %5.1f ns\n", name, best / static_cast<double>(stretch));
}

void measure(const char* title, const Mesh& mesh) {
  std::printf("%s: %d ranks, %d bytes\n", title, mesh.size(), static_cast<int>(sizeof mesh));
  std::mt19937 random(1);
  std::vector<int> ranks(1000000);
  for (int& rank : ranks) {
    rank = static_cast<int>(random() % static_cast<std::uint32_t>(mesh.size()));
  }
  const Axes dp = mesh.named("dp");
  const Axes both = mesh.named("dp-tp");
  int sizes[Mesh::max_axes];  // known at run time alone, as those of the mesh
  for (int i = 0; i != mesh.axis_count(); ++i) sizes[i] = mesh.axis(i).size;
  measure("yardstick", ranks, [&](int rank) {
    rankmap::Coordinate coordinate(static_cast<std::size_t>(mesh.axis_count()));
    for (int i = mesh.axis_count(); i-- != 0;) {
      coordinate[static_cast<std::size_t>(i)] = rank % sizes[i];
      rank /= sizes[i];
    }
    return coordinate[0] + coordinate[1] + coordinate[2] + coordinate[3];
  });
  measure("coordinate", ranks, [&](int rank) {
    const auto coordinate = mesh.coordinate(rank);
    return coordinate[0] + coordinate[1] + coordinate[2] + coordinate[3];
  });
  measure("position", ranks, [&](int rank) { return mesh.position(dp, rank); });
  measure("group_id", ranks, [&](int rank) { return mesh.group_id(dp, rank); });
  measure("a member of a group", ranks, [&](int rank) { return mesh.group(dp, rank)[1]; });
  measure("... over two axes", ranks, [&](int rank) { return mesh.group(both, rank)[5]; });
  measure("... by name", ranks, [&](int rank) { return mesh.group("dp", rank)[1]; });
  measure("ring_neighbour", ranks, [&](int rank) { return mesh.ring_neighbour(dp, rank, 1); });
  const auto groups = mesh.groups(both);
  measure("a group of the list", ranks,
          [&](int rank) { return groups[static_cast<std::size_t>(rank) % groups.size()].front(); });
}

}  // namespace

int main() {
  measure("powers of two", Mesh::make({{"pp", 16}, {"dp", 512}, {"cp", 4}, {"tp", 32}}).value());
  measure("odd sizes",
          Mesh::make({{"pp", 15}, {"dp", 517}, {"cp", 3}, {"ep", 5}, {"tp", 9}}).value());
  return 0;
}
