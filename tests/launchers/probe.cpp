// SPDX-License-Identifier: MIT
//
// What one process of a job knows of itself, in one line of JSON, to be held against the truth. Built once as it is, and
// once for each MPI (RANKMAP_PROBE_MPI), where MPI itself is asked as well.
//
//   probe FOLDER
//
// Leaves FOLDER/HOST-PID.json (the answers) and FOLDER/HOST-PID.env (the environment) and prints HOST-PID, so that a
// launcher that labels each line with its rank tells which process is which.

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#ifdef RANKMAP_PROBE_MPI
#include <mpi.h>
#endif

extern char** environ;

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

std::string field(std::string_view name, std::string_view json) {
  return quoted(name) + ": " + std::string(json);
}

#ifdef RANKMAP_PROBE_MPI
// MPI's own answers; local rank and size are those of the split into ranks that can share memory.
std::string ask_mpi() {
  int rank = 0;
  int size = 0;
  int local_rank = 0;
  int local_size = 0;
  int length = 0;
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local_rank);
  MPI_Comm_size(node, &local_size);
  MPI_Comm_free(&node);
  MPI_Get_processor_name(name, &length);
  return "{" + field("rank", std::to_string(rank)) + ", " + field("world_size", std::to_string(size)) + ", " +
         field("local_rank", std::to_string(local_rank)) + ", " +
         field("local_world_size", std::to_string(local_size)) + ", " + field("host", quoted(name)) + "}";
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: probe FOLDER\n", stderr);
    return 2;
  }
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string process = std::string(host) + "-" + std::to_string(getpid());
  const std::string path = std::string(argv[1]) + "/" + process;

  // Before MPI starts: it may write to the environment.
  std::ofstream variables(path + ".env");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    variables << *entry << '\n';
  }

  std::string line = "{" + field("process", quoted(process)) + ", " + field("host", quoted(host));
#ifdef RANKMAP_PROBE_MPI
  MPI_Init(&argc, &argv);
  line += ", " + field("mpi", ask_mpi());
  MPI_Finalize();
#endif
  std::ofstream(path + ".json") << line << "}\n";
  std::printf("%s\n", process.c_str());
  return 0;
}
