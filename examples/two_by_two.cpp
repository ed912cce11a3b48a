// SPDX-License-Identifier: MIT
//
// The classic table: two machines with two NPUs each, one process an NPU. First from explicit
// values, then from the environments that torchrun would make; and why `rank % devices` is no
// local rank.
#include <rankmap/rankmap.hpp>

#include <cstdio>

namespace {

using rankmap::Topology;

void print_heading() { std::puts("machine  npu  rank  local_rank"); }

void print_row(const Topology& topology) {
  // One process an NPU: the device has the number of the local rank.
  std::printf("%7d  %3d  %4d  %10d\n", *topology.node_rank(), topology.local_rank(),
              topology.rank(), topology.local_rank());
}

Topology from_values(int rank) {
  return Topology::from_config({.rank = rank,
                                .tasks_per_node = "2(x2)",
                                .distribution = rankmap::Distribution::block})
      .value();
}

struct Worker {
  const char* rank;
  const char* local_rank;
  const char* group_rank;
};

Topology from_variables(const Worker& worker) {
  return Topology::from_environment(rankmap::FixedEnvironment({{"TORCHELASTIC_RUN_ID", "two"},
                                                               {"RANK", worker.rank},
                                                               {"WORLD_SIZE", "4"},
                                                               {"LOCAL_RANK", worker.local_rank},
                                                               {"LOCAL_WORLD_SIZE", "2"},
                                                               {"GROUP_RANK", worker.group_rank},
                                                               {"GROUP_WORLD_SIZE", "2"}}))
      .value();
}

}  // namespace

int main() {
  std::puts("from explicit values");
  print_heading();
  for (int rank = 0; rank != 4; ++rank) print_row(from_values(rank));

  std::puts("\nfrom four environments");
  print_heading();
  for (const Worker& worker : {Worker{"0", "0", "0"}, Worker{"1", "1", "0"}, Worker{"2", "0", "1"},
                               Worker{"3", "1", "1"}}) {
    print_row(from_variables(worker));
  }

  // Every machine has two devices here, so rank % 2 happens to be right ...
  std::puts("\nrank % devices on machines of 2 and 2");
  const auto even = rankmap::Layout::block(2, 2);
  for (int rank = 0; rank != 4; ++rank) {
    std::printf("rank %d: local rank %d, rank %% 2 = %d\n", rank, even.local_rank_of(rank),
                rank % 2);
  }
  // ... and wrong as soon as the machines differ: no divisor serves both.
  std::puts("\nrank % devices on machines of 2 and 3");
  const int workers[] = {2, 3};
  const auto uneven = rankmap::Layout::from_counts(workers, rankmap::Distribution::block).value();
  for (int rank = 0; rank != 5; ++rank) {
    const int node = uneven.node_of(rank);
    const int local = uneven.local_rank_of(rank);
    const int wrong = rank % workers[node];
    std::printf("rank %d: local rank %d, rank %% %d = %d%s\n", rank, local, workers[node], wrong,
                wrong == local ? "" : "  <- wrong");
  }
  return 0;
}
