// SPDX-License-Identifier: MIT
//
// What is compiled by every compiler, without a build system: a sampler and a device policy where
// the compiler has to get them right, an environment where the program has to.
#include <rankmap/rankmap.hpp>

#include <cstdint>
#include <cstdio>

namespace {

constexpr std::uint64_t eighth_sample(int rank) {
  return rankmap::Sampler(1000, rank, 4, {.seed = 42}).epoch(3)[7];
}
static_assert(eighth_sample(0) == 227 && eighth_sample(3) == 41);

constexpr int wrapped_device(int local_rank) {
  rankmap::DeviceRequest request;
  request.kind = rankmap::DeviceKind::cuda;
  request.visible_count = 4;
  request.launched = true;
  request.local_rank = rankmap::LocalRank(local_rank);
  request.local_world_size = 8;
  return select_device(request, rankmap::device_policy::wrap{})->index.value;
}
static_assert(wrapped_device(5) == 1);

}  // namespace

int main() {
  const rankmap::FixedEnvironment torchrun({{"RANK", "5"},
                                            {"WORLD_SIZE", "8"},
                                            {"LOCAL_RANK", "1"},
                                            {"LOCAL_WORLD_SIZE", "4"},
                                            {"GROUP_RANK", "1"},
                                            {"GROUP_WORLD_SIZE", "2"}});
  const auto worker = rankmap::Topology::from_environment(torchrun);
  if (!worker || worker->rank() != 5 || worker->local_world_size() != 4) {
    std::printf("%s\n", worker ? explain(*worker).c_str() : message(worker.error()).c_str());
    return 1;
  }
  const auto me = rankmap::Topology::from_environment();
  if (!me) {
    std::printf("%s\n", message(me.error()).c_str());
    return 1;
  }
  std::printf("rank %d of %d\n", me->rank(), me->world_size());
  return 0;
}
