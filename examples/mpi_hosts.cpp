// SPDX-License-Identifier: MIT
//
// Which ranks are on which host, on every rank of an MPI job, from one MPI_Allgather: under any
// launcher, in any order of ranks. Build it with the MPI compiler wrapper:
//
//     mpicxx -std=c++20 -I include -o mpi_hosts examples/mpi_hosts.cpp
//     mpirun -n 4 ./mpi_hosts
#include <rankmap/gather.hpp>
#include <rankmap/topology.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace {

// "node01 0 1, node02 2 3 4": each host with its ranks.
std::string host_map(const rankmap::Topology& topology) {
  const rankmap::Layout& layout = *topology.layout();
  std::string text;
  for (int node = 0; node != layout.node_count(); ++node) {
    text += node == 0 ? "" : ", ";
    text += std::string_view(topology.hosts()[static_cast<std::size_t>(node)]);
    for (const int rank : layout.ranks_on(node)) text += ' ' + std::to_string(rank);
  }
  return text;
}

int run() {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);

  const auto all_gather = [](std::span<const std::byte> mine, std::span<std::byte> all) {
    const int bytes = static_cast<int>(mine.size());
    return MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE,
                         MPI_COMM_WORLD) == MPI_SUCCESS;
  };
  const auto topology = rankmap::gather_hosts(rank, size, name, all_gather);
  if (!topology) {
    std::fprintf(stderr, "mpi_hosts: %s\n", message(topology.error()).c_str());
    return 1;
  }
  std::printf("rank %d, %d of %d on %s: %s\n", topology->rank(), topology->local_rank(),
              *topology->local_world_size(), std::string(topology->host()).c_str(),
              host_map(*topology).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run();
  MPI_Finalize();
  return status;
}
