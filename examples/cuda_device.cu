// SPDX-License-Identifier: MIT
//
// Chooses this process's CUDA device and sets it, before anything else touches one. Start it by any
// launcher, or alone. It also prints what CUDA_VISIBLE_DEVICES comes to by CUDA's rules beside what
// the runtime shows, so that the two can be compared: CUDA_VISIBLE_DEVICES=0,0 cuda_device
#include <rankmap/device/select_device.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/topology/topology.hpp>

#include <cuda_runtime.h>

#include <cstdio>

namespace {

/// Which samples are this rank's, in this epoch's order, worked out where they are needed: no list
/// is made on the host or sent to the device.
__global__ void my_samples(rankmap::Permutation order, rankmap::Shard mine,
                           unsigned long long* samples, unsigned long long count) {
  const unsigned long long k =
      blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
  if (k < count) samples[k] = order[mine[k]];
}

/// The same on the host, compared: the device must not draw another order.
bool draws_the_same(int rank, int world_size) {
  const rankmap::Permutation order(1'000'003, /*seed=*/42, /*epoch=*/3);
  const rankmap::Shard mine(1'000'003, rank, world_size);
  const unsigned long long count = mine.size() < 4096 ? mine.size() : 4096;
  unsigned long long* samples = nullptr;
  if (cudaMallocManaged(&samples, count * sizeof(*samples)) != cudaSuccess) return false;
  my_samples<<<static_cast<unsigned>((count + 255) / 256), 256>>>(order, mine, samples, count);
  bool same = cudaDeviceSynchronize() == cudaSuccess;
  for (unsigned long long k = 0; same && k != count; ++k) same = samples[k] == order[mine[k]];
  cudaFree(samples);
  return same;
}

}  // namespace

int main() {
  const auto me = rankmap::Topology::from_environment();
  if (!me) {
    std::fprintf(stderr, "cuda_device: %s\n", message(me.error()).c_str());
    return 1;
  }
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;

  const rankmap::ProcessEnvironment env;
  const auto visible = rankmap::visible_devices(rankmap::DeviceKind::cuda, env);
  std::printf("%s; the runtime shows %d\n", explain(visible).c_str(), count);

  const auto request = device_request(*me, rankmap::DeviceKind::cuda, count, env, visible);
  const auto device = select_device(request);
  std::printf("%s\n", explain(request, device).c_str());
  if (!device) return 1;
  if (cudaSetDevice(device->index.value) != cudaSuccess) return 1;
  const bool same = draws_the_same(me->rank(), me->world_size());
  std::printf("samples drawn on the device %s those drawn on the host\n",
              same ? "are" : "differ from");
  return same ? 0 : 1;
}
