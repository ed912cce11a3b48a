// SPDX-License-Identifier: MIT
//
// What one process of a job knows of itself, in one line of JSON, to be held against the truth.
// Built once as it is, and once for each MPI (RANKMAP_PROBE_MPI), where MPI itself is asked as
// well.
//
//   probe FOLDER
//
// Leaves FOLDER/HOST-PID.json (the answers), FOLDER/HOST-PID.env (the environment) and
// FOLDER/HOST-PID.ancestors (who set it) and prints HOST-PID, so that a launcher that labels each
// line with its rank tells which process is which.

#include "../support/table_variables.hpp"

#include <rankmap/device/select_device.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/topology.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#ifdef RANKMAP_PROBE_MPI
#include "mpi_answer.hpp"
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

std::string number_or_null(std::optional<int> number) {
  return number ? std::to_string(*number) : "null";
}

/// A JSON list with `item(i)` for every i below `size`.
template <class Item>
std::string list(std::size_t size, Item item) {
  std::string out = "[";
  for (std::size_t i = 0; i != size; ++i) {
    out += (i == 0 ? "" : ", ") + item(i);
  }
  return out + "]";
}

/// The host's own number of the GPU that is this process's, where the launcher hands them out.
std::string device_of(const rankmap::Topology& topology) {
  constexpr auto cuda = rankmap::DeviceKind::cuda;
  const rankmap::ProcessEnvironment environment;
  if (!environment("CUDA_VISIBLE_DEVICES")) return "null";
  const auto visible = visible_devices(cuda, environment, 4);  // as `slurm` gives to every host
  const int count = visible.count().value_or(0);
  // That the entries of a list are GPUs of the job is the program's word.
  const auto binding = environment("SLURMD_TRES_BIND").value_or("");
  const bool is_list = binding.find("map_gpu") != std::string_view::npos;
  const auto device = is_list ? select_device(topology, cuda, count, rankmap::device_policy::own{})
                              : select_device(topology, cuda, count);
  if (!device) return quoted(message(device.error()).c_str());
  return std::to_string(visible.physical(device->index)->value);
}

std::string described(const rankmap::Topology& topology) {
  const auto& layout = topology.layout();
  const auto& hosts = topology.hosts();
  const auto world_size = static_cast<std::size_t>(topology.world_size());
  const auto node_of = [&](std::size_t rank) {
    return std::to_string(layout->node_of(static_cast<int>(rank)));
  };
  const auto host = [&](std::size_t node) { return quoted(hosts[node]); };
  const auto host_of = [&](std::size_t rank) {
    const auto name = topology.host_of(static_cast<int>(rank));
    return name ? quoted(*name) : "null";
  };
  const auto& others = topology.other_records();
  const auto other = [&](std::size_t i) {
    return quoted(std::string(rankmap::name(others[i].launcher)) + '=' +
                  std::string(rankmap::name(others[i].relation)));
  };
  const auto& warnings = topology.warnings();
  const auto warning = [&](std::size_t i) { return quoted(warnings[i].variable); };
  return "{" + field("launcher", quoted(rankmap::name(topology.launcher()))) + ", " +
         field("rank", std::to_string(topology.rank())) + ", " +
         field("world_size", std::to_string(topology.world_size())) + ", " +
         field("local_rank", std::to_string(topology.local_rank())) + ", " +
         field("local_world_size", number_or_null(topology.local_world_size())) + ", " +
         field("node_rank", number_or_null(topology.node_rank())) + ", " +
         field("node_count", number_or_null(topology.node_count())) + ", " +
         field("layout", layout ? list(world_size, node_of) : "null") + ", " +
         field("hosts", hosts.empty() ? "null" : list(hosts.size(), host)) + ", " +
         field("host_of", list(world_size, host_of)) + ", " +
         field("restart_count", std::to_string(topology.restart_count())) + ", " +
         field("others", list(others.size(), other)) + ", " + field("device", device_of(topology)) +
         ", " + field("warnings", list(warnings.size(), warning)) + "}";
}

std::string described(const rankmap::Result<rankmap::Topology>& topology) {
  if (!topology) {
    return "{" + field("error", quoted(message(topology.error()).c_str())) + "}";
  }
  return described(*topology);
}

/// What this process can see of those above it: see docs/how-to/add-a-launcher.md. Of their
/// environments only the variables of the launcher table, as others may be secrets.
void write_ancestors(std::ostream& out) {
  constexpr std::string_view never_set = "RANKMAP_NEVER_SET";
  const auto names = rankmap_test::table_variables();
  const rankmap::ProcessEnvironment process;
  bool known = true;
  for (const std::string_view name : names) {
    const auto at_start = process.started_with(name);
    if (at_start == false) out << "inside " << name << '\n';
    known = known && (at_start || !process(name));
  }
  if (!known) out << "unknown start\n";
  for (const rankmap::Ancestor& ancestor : process.ancestors()) {
    std::string shown(ancestor.name);
    std::replace(shown.begin(), shown.end(), '\n', '?');
    out << "above " << shown << '\n';
    if (!ancestor.started_with(never_set, "")) {
      out << "unknown start\n";
      continue;
    }
    std::ifstream file("/proc/" + std::to_string(ancestor.pid) + "/environ");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const rankmap::RecordedEnvironment start(text, '\0');
    for (const std::string_view name : names) {
      if (const auto value = start(name)) out << name << '=' << *value << '\n';
    }
  }
}

#ifdef RANKMAP_PROBE_MPI
std::string described(const MpiAnswer& mpi) {
  return "{" + field("rank", std::to_string(mpi.rank)) + ", " +
         field("world_size", std::to_string(mpi.size)) + ", " +
         field("local_rank", std::to_string(mpi.local_rank)) + ", " +
         field("local_world_size", std::to_string(mpi.local_size)) + ", " +
         field("host", quoted(mpi.name)) + "}";
}

// Never less than MPI's own share, even where rankmap's world size were a wrong one.
bool all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const int bytes = static_cast<int>(mine.size());
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::byte> gathered(mine.size() * static_cast<std::size_t>(size));
  const int status =
      MPI_Allgather(mine.data(), bytes, MPI_BYTE, gathered.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
  if (status != MPI_SUCCESS || gathered.size() != all.size()) return false;
  std::copy(gathered.begin(), gathered.end(), all.begin());
  return true;
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

  // Before MPI starts, as it may write to the environment.
  std::ofstream variables(path + ".env");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    variables << *entry << '\n';
  }
  std::ofstream ancestors(path + ".ancestors");
  write_ancestors(ancestors);

  std::string line = "{" + field("process", quoted(process)) + ", " + field("host", quoted(host));
  const auto topology = rankmap::Topology::from_environment();
  line += ", " + field("rankmap", described(topology));
#ifdef RANKMAP_PROBE_MPI
  MPI_Init(&argc, &argv);
  {
    const MpiAnswer mpi;
    line += ", " + field("mpi", described(mpi));
    // Whether the environment tells who a process is, it tells on all of them or on none.
    const auto gathered = topology
                              ? rankmap::gather_hosts(*topology, mpi.name, all_gather)
                              : rankmap::gather_hosts(mpi.rank, mpi.size, mpi.name, all_gather);
    line += ", " + field("gathered", described(gathered));
  }
  MPI_Finalize();
#endif
  std::ofstream(path + ".json") << line << "}\n";
  std::printf("%s\n", process.c_str());
  return 0;
}
