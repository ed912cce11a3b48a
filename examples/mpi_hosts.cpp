// SPDX-License-Identifier: MIT
//
// Where everyone is, under any MPI: MPI tells rank and size, one MPI_Allgather tells the hosts.
// Every rank prints the same map.
#include "mpi_topology.hpp"

#include <rankmap/rankmap.hpp>

#include <mpi.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto topology = topology_of_world();
  if (!topology) {
    std::fprintf(stderr, "%s\n", report(topology.error()).c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }

  // One line a process: itself, then the whole map as rank=host.local_rank.
  const auto& layout = *topology->layout();
  std::string line = "rank ";
  line += std::to_string(topology->rank()) + " of " + std::to_string(topology->world_size());
  line += ", node ";
  line += std::to_string(*topology->node_rank()) + " of " + std::to_string(*topology->node_count());
  line += ":";
  for (int other = 0; other != topology->world_size(); ++other) {
    line += ' ';
    line += std::to_string(other) + "=" + topology->host_of(other)->c_str() + "." +
            std::to_string(layout.local_rank_of(other));
  }
  line += '\n';
  std::fwrite(line.c_str(), 1, line.size(), stdout);
  MPI_Finalize();
  return 0;
}
