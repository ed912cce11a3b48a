// SPDX-License-Identifier: MIT
//
// Chooses this process's CUDA device and sets it, before anything else touches one. Start it with
// torchrun, or alone. It also prints what CUDA_VISIBLE_DEVICES comes to by CUDA's rules beside what
// the runtime shows, so that the two can be compared: CUDA_VISIBLE_DEVICES=0,0 cuda_device
#include <rankmap/device.hpp>

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
  return cudaSetDevice(device->index.value) == cudaSuccess ? 0 : 1;
}
