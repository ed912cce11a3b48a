// SPDX-License-Identifier: MIT
//
// Where everyone is, under any MPI: MPI tells rank and size, one MPI_Allgather tells the hosts.
// Every rank prints the same map.
#include <rankmap/rankmap.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(host, &length);

  const auto all_gather = [](std::span<const std::byte> mine, std::span<std::byte> all) {
    const int bytes = static_cast<int>(mine.size());
    return MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE,
                         MPI_COMM_WORLD) == MPI_SUCCESS;
  };
  const auto topology = rankmap::gather_hosts(
      rank, size, std::string_view(host, static_cast<std::size_t>(length)), all_gather);
  if (!topology) {
    std::fprintf(stderr, "rank %d: %s\n", rank, message(topology.error()).c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }

  // One line a process: itself, then the whole map as rank=host.local_rank.
  const auto& layout = *topology->layout();
  std::string line = "rank " + std::to_string(rank) + " of " + std::to_string(size) + ", node " +
                     std::to_string(*topology->node_rank()) + " of " +
                     std::to_string(*topology->node_count()) + ":";
  for (int other = 0; other != size; ++other) {
    line += " " + std::to_string(other) + "=" + topology->host_of(other)->c_str() + "." +
            std::to_string(layout.local_rank_of(other));
  }
  line += '\n';
  std::fwrite(line.c_str(), 1, line.size(), stdout);
  MPI_Finalize();
  return 0;
}
