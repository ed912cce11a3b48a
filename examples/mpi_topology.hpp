// SPDX-License-Identifier: MIT
//
// A whole topology under any MPI: MPI tells rank and size, one MPI_Allgather tells the hosts.
#ifndef RANKMAP_EXAMPLES_MPI_TOPOLOGY_HPP
#define RANKMAP_EXAMPLES_MPI_TOPOLOGY_HPP

#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/topology.hpp>

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string_view>

// Every process of MPI_COMM_WORLD calls it, and all get the same map or all an error.
inline rankmap::Result<rankmap::Topology> topology_of_world() {
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
  return rankmap::gather_hosts(rank, size, std::string_view(host, static_cast<std::size_t>(length)),
                               all_gather);
}

#endif  // RANKMAP_EXAMPLES_MPI_TOPOLOGY_HPP
