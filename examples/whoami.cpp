// SPDX-License-Identifier: MIT
//
// Prints who this process is and how it knows, as a table or, with --json, for programs. Start it
// by any launcher:
//
//     mpirun -n 4 whoami
//     srun -n 4 whoami --json
//     torchrun --no_python --nproc_per_node 4 whoami
#include <rankmap/rankmap.hpp>

#include <cstdio>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  const auto topology = rankmap::Topology::from_environment();
  if (!topology) {
    std::fprintf(stderr, "whoami: %s\n", message(topology.error()).c_str());
    return 1;
  }
  // One write, so that the tables of several processes do not mingle line by line.
  std::string text(explain(*topology).view());
  if (argc > 1 && std::string_view(argv[1]) == "--json") {
    text.clear();
    write_json(*topology, [&](std::string_view piece) { text += piece; });
    text += '\n';
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
