// SPDX-License-Identifier: MIT
//
// What one process below several launchers knows of itself, as one line of `nested`'s table.
// Built once as it is, and once for each MPI (RANKMAP_PROBE_MPI), where MPI is asked as well.
//
//   nested_probe ANSWERS WORD...
//
// Adds to the file ANSWERS, separated by tabs: the words; MPI's answer; the library's, which is
// numbers or an error; the launcher that it believed; the names of the processes above.

#include <rankmap/topology/topology.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#ifdef RANKMAP_PROBE_MPI
#include "mpi_answer.hpp"
#endif

namespace {

std::string numbers(int rank, int size, int local_rank, std::string local_size) {
  return std::to_string(rank) + ':' + std::to_string(size) + ':' + std::to_string(local_rank) +
         ':' + local_size;
}

std::string said(const rankmap::Result<rankmap::Topology>& me) {
  if (!me) {
    std::string text = message(me.error()).c_str();
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return "error: " + text + "\t-";
  }
  const auto local_size = me->local_world_size();
  return numbers(me->rank(), me->world_size(), me->local_rank(),
                 local_size ? std::to_string(*local_size) : "-") +
         '\t' + std::string(rankmap::name(me->launcher()));
}

// Only for whoever reads a failure; the library looks for itself.
std::string names_above() {
  std::string names;
  std::string id = "self";
  for (int step = 0; step <= 40 && id != "0"; ++step) {
    std::ifstream file("/proc/" + id + "/stat");
    std::string text;
    if (!std::getline(file, text)) {
      names += " ?";
      break;
    }
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (step != 0) names += ' ' + text.substr(open + 1, close - open - 1);
    const auto parent = close + 4;  // ") S 4711"
    id = text.substr(parent, text.find(' ', parent) - parent);
  }
  return names.empty() ? "?" : names.substr(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: nested_probe ANSWERS WORD...\n", stderr);
    return 2;
  }
  const std::string path = argv[1];
  std::string line;
  for (int i = 2; i < argc; ++i) line += argv[i] + std::string("\t");
  // Before MPI starts, as it may write to the environment.
  const std::string answer = said(rankmap::Topology::from_environment());
  const std::string above = names_above();
#ifdef RANKMAP_PROBE_MPI
  MPI_Init(&argc, &argv);
  const MpiAnswer mpi;
  line += numbers(mpi.rank, mpi.size, mpi.local_rank, std::to_string(mpi.local_size));
  MPI_Finalize();
#else
  line += '-';
#endif
  line += '\t' + answer + '\t' + above + '\n';
  // In one piece, as others add their lines at the same time.
  const int file = open(path.c_str(), O_WRONLY | O_APPEND);
  return file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size())
             ? 0
             : 1;
}
