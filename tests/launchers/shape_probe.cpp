// SPDX-License-Identifier: MIT
//
// What a task of `shapes` is and what the library claims of it and of all others.
//
//   shape_probe FILE
//
// Adds to FILE one line of NAME=VALUE apart by tabs, written at once; names in capitals are
// Slurm's. Prints its process id, so that srun, which labels lines, names the task. (It splits long
// lines.)
#include <rankmap/topology/topology.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::Layout;
using rankmap::Place;
using rankmap::Topology;

std::string line;

void field(std::string_view name, std::string_view value) {
  if (!line.empty()) line += '\t';
  line.append(name).append("=").append(value);
}

void field(std::string_view name, std::optional<int> value) {
  field(name, std::string_view(value ? std::to_string(*value) : "unknown"));
}

/// What `item(i)` gives for every i below `size`, apart by commas.
template <class Item>
void list(std::string_view name, int size, Item item) {
  std::string values;
  for (int i = 0; i != size; ++i) values.append(i == 0 ? "" : ",").append(item(i));
  field(name, values);
}

/// Of every rank its node and local rank; a rank that is not found there again is marked.
void layout(const Layout& all) {
  list("layout", all.world_size(), [&](int rank) {
    const Place place = all.place_of(rank);
    const bool is_found = all.rank_of(place) == rank && all.node_of(rank) == place.node &&
                          all.local_rank_of(rank) == place.local;
    return std::to_string(place.node) + ':' + std::to_string(place.local) + (is_found ? "" : "!");
  });
  list("counts", all.node_count(),
       [&](int node) { return std::to_string(all.local_world_size(node)); });
}

void claims(const Topology& me) {
  field("launcher", name(me.launcher()));
  field("rank", me.rank());
  field("world_size", me.world_size());
  field("local_rank", me.local_rank());
  field("local_world_size", me.local_world_size());
  field("node_rank", me.node_rank());
  field("node_count", me.node_count());
  if (me.layout()) layout(*me.layout());
  if (!me.hosts().empty()) {
    list("hosts", static_cast<int>(me.hosts().size()),
         [&](int node) { return std::string(me.hosts()[static_cast<std::size_t>(node)].view()); });
  }
  list("host_of", me.world_size(), [&](int rank) {
    const auto host = me.host_of(rank);
    return host ? std::string(host->view()) : "unknown";
  });
  list("warnings", static_cast<int>(me.warnings().size()),
       [&](int i) { return std::string(me.warnings()[static_cast<std::size_t>(i)].variable); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: shape_probe FILE\n", stderr);
    return 2;
  }
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  field("process", std::to_string(getpid()));
  field("host", host);
  for (const char* name :
       {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID", "SLURM_STEP_NUM_NODES"}) {
    const char* const value = std::getenv(name);
    field(name, value == nullptr ? "" : value);
  }
  if (const auto me = Topology::from_environment()) {
    claims(*me);
  } else {
    field("error", message(me.error()).view());
  }
  line += '\n';
  const int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return 1;
  std::printf("%d\n", static_cast<int>(getpid()));
  return 0;
}
