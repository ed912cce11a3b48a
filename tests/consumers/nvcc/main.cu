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

int main() {
  my_samples<<<1, 0>>>(rankmap::Permutation(1000, 42, 3), rankmap::Shard(1000, 0, 4), nullptr);
  const auto me = rankmap::Topology::from_environment();
  if (!me) return 1;
  std::printf("rank %d of %d\n", me->rank(), me->world_size());
  return 0;
}
