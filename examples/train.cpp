// SPDX-License-Identifier: MIT
//
// The beginning of a training program: which rank, which GPU and which samples are mine? It is the
// same under every launcher, and the program of the pages about them (docs/how-to):
//
//     mpirun -n 4 train
//     srun -n 4 train
//     torchrun --nproc_per_node 4 --no_python train
#include <rankmap/probe/probe_devices.hpp>
#include <rankmap/rankmap.hpp>

#include <cstdio>
#include <iostream>
#include <sstream>

constexpr auto cuda = rankmap::DeviceKind::cuda;

// What the kernel's files show. Where your program has cudaGetDeviceCount, or hipGetDeviceCount,
// take that.
int count_devices() {
  const int all = rankmap::probe_devices(cuda).count.value_or(0);
  return rankmap::visible_devices(cuda, rankmap::ProcessEnvironment(), all).count().value_or(0);
}

int main() {
  const auto me = rankmap::Topology::from_environment();
  if (!me) {
    std::fprintf(stderr, "%s\n", report(me.error()).c_str());
    return 1;
  }
  for (const auto& warning : me->warnings()) {
    std::fprintf(stderr, "rankmap: warning: %s\n", message(warning).c_str());
  }
  const auto device = select_device(*me, cuda, count_devices(), rankmap::device_policy::or_cpu{});
  if (!device) {
    std::fprintf(stderr, "%s\n", report(device.error()).c_str());
    return 1;
  }
  // Now cudaSetDevice(device->index.value), unless it is the CPU.
  std::ostringstream line;  // one write for each rank, so that their lines do not mix
  line << "rank " << me->rank() << " of " << me->world_size() << ", local rank " << me->local_rank()
       << ", " << to_string(*device) << ", samples";
  for (const auto sample : rankmap::Shard(8, *me)) line << ' ' << sample;
  line << '\n';
  std::cout << line.str();
}
