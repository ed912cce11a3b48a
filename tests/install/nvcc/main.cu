// SPDX-License-Identifier: MIT
//
// Index arithmetic in device code, with no flag that relaxes what device code may call.
#include <rankmap/rankmap.hpp>

#include <cstdio>

static_assert(rankmap::Sampler(1000, 0, 4, {.seed = 42}).epoch(3)[7] == 227);

__global__ void my_samples(rankmap::Permutation order, rankmap::Shard mine,
                           unsigned long long* samples) {
  samples[threadIdx.x] = order[mine[threadIdx.x]];
}

/// Where a rank is along each axis, who is beside it, and its batches.
__global__ void my_place(rankmap::Mesh mesh, rankmap::Axes axes, rankmap::BatchShard batches,
                         unsigned long long* out) {
  const int rank = static_cast<int>(threadIdx.x);
  const rankmap::Coordinate at = mesh.coordinate(rank);
  out[0] = static_cast<unsigned long long>(at[0] + mesh.rank_of(at) + mesh.group_rank(axes, rank));
  out[1] = static_cast<unsigned long long>(mesh.ring_neighbour(axes, rank, 1));
  out[2] = static_cast<unsigned long long>(mesh.group(axes, rank)[0]);
  out[3] = batches.batch(0)[0] + batches[0];
}

int main() {
  my_samples<<<1, 0>>>(rankmap::Permutation(1000, 42, 3), rankmap::Shard(1000, 0, 4), nullptr);
  constexpr rankmap::Mesh mesh = rankmap::Mesh::make({{"dp", 4}, {"tp", 8}}).value();
  my_place<<<1, 0>>>(mesh, mesh.axes("tp"), rankmap::BatchShard(1000, 8, 0, 4), nullptr);
  const auto me = rankmap::Topology::from_environment();
  if (!me) return 1;
  std::printf("rank %d of %d\n", me->rank(), me->world_size());
  return 0;
}
