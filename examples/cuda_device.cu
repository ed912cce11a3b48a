// SPDX-License-Identifier: MIT
//
// Chooses this process's CUDA device and sets it, before anything else touches one. Start it with
// torchrun, or alone. It also prints what CUDA_VISIBLE_DEVICES comes to by CUDA's rules beside what
// the runtime shows, so that the two can be compared: CUDA_VISIBLE_DEVICES=0,0 cuda_device
#include <rankmap/device.hpp>
#include <rankmap/permutation.hpp>
#include <rankmap/shard.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

std::optional<int> number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  return std::atoi(text);
}

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
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;

  const rankmap::ProcessEnvironment env;
  const auto visible = rankmap::visible_devices(rankmap::DeviceKind::cuda, env);
  std::printf("%s; the runtime shows %d\n", explain(visible).c_str(), count);

  // What the launcher says of this process; a rankmap::Topology has it for every launcher.
  const std::optional<int> local_rank = number("LOCAL_RANK");
  rankmap::DeviceRequest request;
  request.kind = rankmap::DeviceKind::cuda;
  request.visible_count = count;
  request.visible = &visible;
  request.launched = local_rank.has_value();
  request.local_rank = rankmap::LocalRank(local_rank.value_or(0));
  request.local_world_size = number("LOCAL_WORLD_SIZE");
  request.isolation =
      device_isolation(env, visible, count, request.local_rank, request.local_world_size);

  const auto device = select_device(request);
  std::printf("%s\n", explain(request, device).c_str());
  if (!device) return 1;
  if (cudaSetDevice(device->index.value) != cudaSuccess) return 1;
  const bool same = draws_the_same(number("RANK").value_or(0), number("WORLD_SIZE").value_or(1));
  std::printf("samples drawn on the device %s those drawn on the host\n",
              same ? "are" : "differ from");
  return same ? 0 : 1;
}
