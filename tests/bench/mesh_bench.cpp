// SPDX-License-Identifier: MIT
//
// What questions to a mesh of a million ranks cost, at random ranks, beside the arithmetic of its
// coordinates written out by hand. Libraries that answer them keep tables of the ranks.
#include <rankmap/mesh/mesh.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "table.hpp"

namespace {

using rankmap::Axes;
using rankmap::Mesh;

void measure(const std::string& about, const Mesh& mesh, const std::vector<int>& sizes) {
  std::mt19937 random(1);
  std::vector<int> ranks(200'000);
  for (int& rank : ranks) {
    rank = static_cast<int>(random() % static_cast<std::uint32_t>(mesh.size()));
  }
  const Axes dp = mesh.axes("dp");
  const Axes both = mesh.axes("dp-tp");
  const auto groups = mesh.groups(both);
  const auto each = [&ranks](std::string name, auto query) {
    return bench::Contender{std::move(name), [&ranks, query] {
                              std::int64_t sum = 0;
                              for (const int rank : ranks) sum += query(rank);
                              bench::keep(static_cast<std::uint64_t>(sum));
                            }};
  };
  bench::compare(
      "mesh of " + std::to_string(mesh.size()) + " ranks, " + about + ", per question",
      static_cast<double>(ranks.size()), 5,
      {each("yardstick: a division and a remainder an axis",
            [sizes](int rank) {
              int sum = 0;
              for (std::size_t axis = sizes.size(); axis-- != 0;) {
                sum += rank % sizes[axis];
                rank /= sizes[axis];
              }
              return sum;
            }),
       each("coordinate",
            [&mesh](int rank) {
              const auto at = mesh.coordinate(rank);
              return at[0] + at[1] + at[2] + at[3];
            }),
       each("group_rank", [&mesh, dp](int rank) { return mesh.group_rank(dp, rank); }),
       each("group_id", [&mesh, dp](int rank) { return mesh.group_id(dp, rank); }),
       each("a member of a group", [&mesh, dp](int rank) { return mesh.group(dp, rank)[1]; }),
       each("a member of a group over two axes",
            [&mesh, both](int rank) { return mesh.group(both, rank)[5]; }),
       each("a member of a group by name", [&mesh](int rank) { return mesh.group("dp", rank)[1]; }),
       each("ring_neighbour", [&mesh, dp](int rank) { return mesh.ring_neighbour(dp, rank, 1); }),
       each("a group of the list", [&groups](int rank) {
         return groups[static_cast<std::size_t>(rank) % groups.size()].front();
       })});
  bench::note("bytes", std::to_string(sizeof mesh));
}

}  // namespace

int main() {
  measure("powers of two", Mesh::make({{"pp", 16}, {"dp", 512}, {"cp", 4}, {"tp", 32}}).value(),
          {16, 512, 4, 32});
  measure("odd sizes",
          Mesh::make({{"pp", 15}, {"dp", 517}, {"cp", 3}, {"ep", 5}, {"tp", 9}}).value(),
          {15, 517, 3, 5, 9});
  return 0;
}
