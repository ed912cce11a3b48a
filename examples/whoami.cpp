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

// A message as JSON. It has printable ASCII only.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const bool as_json = option == "--json";
  if (argc > 2 || (argc == 2 && !as_json)) {
    const bool asks = argc == 2 && option == "--help";
    std::fputs("usage: whoami [--json]\n", asks ? stdout : stderr);
    return asks ? 0 : 2;
  }
  const auto topology = rankmap::Topology::from_environment();
  if (!topology) {
    const std::string text = as_json ? "{\"error\":" + quoted(message(topology.error())) + "}"
                                     : std::string(report(topology.error()));
    std::fprintf(stderr, "%s\n", text.c_str());
    return 1;
  }
  // One write, so that the tables of several processes do not mingle line by line.
  std::string text(explain(*topology).view());
  if (as_json) {
    text.clear();
    write_json(*topology, [&](std::string_view piece) { text += piece; });
    text += '\n';
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
