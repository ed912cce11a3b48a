// SPDX-License-Identifier: MIT
//
// 64 processes on 8 nodes, arranged as 2 pipeline stages x 4 replicas x 8 tensor ranks: each family
// of groups, which of them leave their node, and what a wrong order or dealing would cost.
#include <rankmap/rankmap.hpp>

#include <cstdio>
#include <string_view>

namespace {

using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;

void print_group(const Mesh::Group& group) {
  std::printf(" [");
  for (std::size_t i = 0; i != group.size(); ++i) {
    if (i == 3 && group.size() > 5) {
      std::printf(" ... %d", group.back());
      break;
    }
    std::printf(i == 0 ? "%d" : " %d", group[i]);
  }
  std::printf("]");
}

void print_family(const Placement& placement, const char* axes) {
  const auto groups = placement.mesh().groups(axes);
  const auto crossings = placement.crossings(axes);
  std::printf("%-6s %2d groups of %2d:", axes, crossings.groups, placement.mesh().group_size(axes));
  print_group(groups[0]);
  print_group(groups[1]);
  if (groups.size() > 2) std::printf(" ...");
  if (crossings.crossing_groups == 0) {
    std::printf("  all stay on their node\n");
  } else {
    std::printf("  %d leave their node, over %d of %d links\n", crossings.crossing_groups,
                static_cast<int>(crossings.crossing_links), static_cast<int>(crossings.links));
  }
}

void print_mesh(const char* title, const Mesh& mesh, const Layout& layout) {
  std::printf("%s\n", title);
  const Placement placement = Placement::make(mesh, layout).value();
  for (const char* const axes : {"tp", "dp", "pp", "dp-tp"}) print_family(placement, axes);
  std::printf("\n");
}

}  // namespace

int main() {
  constexpr int world_size = 64;
  constexpr Mesh mesh =
      Mesh::make({{"pp", 2}, {"dp", Mesh::inferred}, {"tp", 8}}, world_size).value();
  static_assert(mesh.group_size("dp") == 4);  // what was inferred
  const Layout nodes = Layout::block(8, 8);
  print_mesh("pp2 x dp4 x tp8 on 8 nodes of 8, ranks in blocks", mesh, nodes);

  // The same axes the other way round: the tensor groups, which talk most, are torn apart.
  print_mesh("the same with tp slowest", Mesh::make({{"tp", 8}, {"dp", 4}, {"pp", 2}}).value(),
             nodes);

  // A launcher that deals ranks cyclic tears them too, unless the mesh knows of it.
  const Layout dealt = Layout::cyclic(8, 8);
  print_mesh("ranks dealt cyclic", mesh, dealt);
  const auto advice = rankmap::recommend_mesh(dealt, {{"tp", 8}, {"dp", 4}, {"pp", 2}}).value();
  print_mesh("ranks dealt cyclic, mesh made for it", advice.mesh, dealt);
  std::printf("why: %s\n\n", advice.reason.c_str());

  // One process: rank 37.
  constexpr int rank = 37;
  const auto coordinate = mesh.coordinate(rank);
  const auto data = mesh.group_member("dp", rank);
  const auto stage = mesh.shift("pp", rank, 1);
  std::printf("rank %d: pp %d, dp %d, tp %d\n", rank, coordinate[0], coordinate[1], coordinate[2]);
  std::printf("reads the samples of replica %d of %d\n", data.rank(), data.world_size());
  std::printf("receives activations from %d%s\n", stage.source,
              mesh.is_last("pp", rank) ? " and computes the loss" : "");
  return 0;
}
