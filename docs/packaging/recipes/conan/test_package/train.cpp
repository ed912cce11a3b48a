// SPDX-License-Identifier: MIT
#include <rankmap/rankmap.hpp>

#include <cstdio>

int main() {
  const auto me = rankmap::Topology::from_environment().value();
  std::printf("rank %d of %d\n", me.rank(), me.world_size());
}
