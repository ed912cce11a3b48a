// SPDX-License-Identifier: MIT
//
// Prints who this process is and how it knows. Start it by any launcher:
//
//     mpirun -n 4 whoami        torchrun --no_python --nproc_per_node 4 whoami        srun -n 4
//     whoami
#include <rankmap/rankmap.hpp>

#include <cstdio>

int main() {
  const auto topology = rankmap::Topology::from_environment();
  if (!topology) {
    std::fprintf(stderr, "whoami: %s\n", message(topology.error()).c_str());
    return 1;
  }
  // One write, so that the tables of several processes do not mingle line by line.
  const auto table = explain(*topology);
  std::fwrite(table.c_str(), 1, table.size(), stdout);
  return 0;
}
