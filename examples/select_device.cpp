// SPDX-License-Identifier: MIT
//
// Which device is mine? Start it with any launcher, or alone, and tell it how many devices there
// are:
//
//     torchrun --nproc-per-node=2 --no-python select_device 2
//     CUDA_VISIBLE_DEVICES=5,7 mpirun -n 2 select_device 2
//     srun --ntasks=2 --gpus-per-task=1 select_device 1
//
// A real program asks its runtime for that number instead: cudaGetDeviceCount and its relatives.
#include <rankmap/device/select_device.hpp>
#include <rankmap/probe/probe_devices.hpp>
#include <rankmap/topology/topology.hpp>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace {

using rankmap::Device;
using rankmap::DeviceRequest;
using rankmap::Result;
namespace device_policy = rankmap::device_policy;

// A policy of your own: the last device first, where each process has one.
Result<Device> last_first(const DeviceRequest& request) {
  auto device = device_policy::strict{}(request);
  if (device && request.local_world_size == request.visible_count) {
    device->index = rankmap::VisibleIndex(request.visible_count - 1 - device->index.value);
    device->policy = "last_first";
    device->basis = rankmap::DeviceBasis::policy;
    device->reason = "the last device first";
  }
  return device;
}

}  // namespace

int main(int argc, char** argv) {
  const auto topology = rankmap::Topology::from_environment();
  if (!topology) {
    std::fprintf(stderr, "select_device: %s\n", message(topology.error()).c_str());
    return 1;
  }

  // Without a number: what the kernel shows. It is worth less than a runtime's count, and says so.
  const auto kind = rankmap::DeviceKind::cuda;
  int count = 0;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end || count < 0) {
      std::fprintf(stderr, "select_device: \"%s\": expected the number of devices\n", argv[1]);
      return 1;
    }
  } else {
    const auto probe = rankmap::probe_devices(kind);
    std::printf("%s\n", explain(probe).c_str());
    count = probe.count.value_or(0);
  }

  // select_device(*topology, kind, count) is the short way; this one keeps what explain() shows.
  const rankmap::ProcessEnvironment env;
  const auto visible = rankmap::visible_devices(kind, env);
  const auto request = device_request(*topology, kind, count, env, visible);
  const auto show = [&](const Result<Device>& device) {
    std::printf("%s\n", explain(request, device).c_str());
  };
  show(select_device(request));                            // one device each, or an error
  show(select_device(request, device_policy::wrap{}));     // sharing, neighbours apart
  show(select_device(request, device_policy::block{}));    // sharing, neighbours together
  show(select_device(request, device_policy::trainer{}));  // what Hugging Face's Trainer takes
  show(select_device(request, device_policy::or_cpu{last_first}));
  return 0;
}
