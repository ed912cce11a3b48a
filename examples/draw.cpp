// SPDX-License-Identifier: MIT
//
// Pictures of who is where and what is whose, as SVG files in a directory (this one unless given):
//
//     draw [directory]         nodes, a mesh and shards of a small and of a large job,
//                              nodes and table of a job with a fault
//     draw --me [directory]    the job of this very process: start it by any launcher
#include "draw_terminal.hpp"

#include <rankmap/rankmap.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using rankmap::JobTable;
using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;
using rankmap::Topology;

// Narrow enough to be read on a phone.
constexpr int page_width = 560;

// A file that takes the pieces of a picture.
class Picture {
 public:
  Picture(const std::string& directory, const char* name)
      : path_(directory + "/" + name), file_(path_, std::ios::binary) {}
  void operator()(std::string_view piece) {
    file_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }
  bool saved() {
    file_.close();
    if (!file_) std::fprintf(stderr, "draw: cannot write %s\n", path_.c_str());
    return static_cast<bool>(file_);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

// Two machines with four processes each, one device a process, as rank 5 sees them.
bool draw_small_nodes(const std::string& directory) {
  const Topology topology = Topology::from_config({.rank = 5,
                                                   .hosts = "node[01-02]",
                                                   .tasks_per_node = "4(x2)",
                                                   .distribution = rankmap::Distribution::block})
                                .value();
  const auto device_of = [&](int rank) {
    rankmap::Device device;
    device.kind = rankmap::DeviceKind::cuda;
    device.index = rankmap::VisibleIndex(topology.layout()->local_rank_of(rank));
    return to_string(device);
  };
  Picture picture(directory, "nodes.svg");
  draw_nodes(topology, picture, {.width = page_width}, device_of);
  return picture.saved();
}

bool draw_large_nodes(const std::string& directory) {
  const auto hosts = rankmap::HostList::parse("rack[1-16]node[01-08]").value();
  Picture picture(directory, "nodes_large.svg");
  draw_nodes(Layout::block(128, 64), picture,
             {.hosts = &hosts, .max_nodes = 3, .max_ranks = 8, .width = page_width});
  return picture.saved();
}

bool draw_axes(const std::string& directory) {
  const Layout layout = Layout::block(4, 4);
  const Mesh mesh = Mesh::make({{"pp", 2}, {"dp", 2}, {"tp", 4}}).value();
  Picture picture(directory, "mesh.svg");
  draw_mesh(Placement::make(mesh, layout).value(), picture, {.width = page_width});
  return picture.saved();
}

// The same ranks in two racks, of which the second and third node are the second one.
bool draw_racks(const std::string& directory) {
  rankmap::DomainPath path_of_node[4];
  for (const int node : {0, 1, 2, 3}) {
    const char* const rack = node == 1 || node == 2 ? "r2" : "r1";
    path_of_node[node] = rankmap::DomainPath::from_labels({rack}).value();
  }
  const auto domains = rankmap::Domains::from_paths(path_of_node).value();
  const Layout racks = domains.layout(0, Layout::block(4, 4)).value();
  const Mesh mesh = Mesh::make({{"pp", 2}, {"dp", 2}, {"tp", 4}}).value();
  Picture picture(directory, "mesh_racks.svg");
  draw_mesh(Placement::make(mesh, racks).value(), picture,
            {.width = page_width, .box_name = "rack"});
  return picture.saved();
}

// An epoch that begins again after its first four samples.
bool draw_epoch(const std::string& directory) {
  const rankmap::Sampler sampler(22, 0, 4, {.seed = 42});
  Picture picture(directory, "shards.svg");
  draw_shards(sampler.epoch(0, 4), picture, {.width = page_width});
  return picture.saved();
}

// Blocks of four samples, such as files, of which two at a time are shuffled together.
bool draw_blocks(const std::string& directory) {
  const rankmap::BlockShuffle order(22, /*block=*/4, /*window_blocks=*/2, /*seed=*/42);
  Picture picture(directory, "shards_blocks.svg");
  draw_shards(rankmap::Epoch(rankmap::Shard(22, 0, 2), order), picture, {.width = page_width});
  return picture.saved();
}

// Two data sets, three samples of the first to one of the second in every window.
bool draw_sets(const std::string& directory) {
  const std::uint64_t weights[] = {3, 1};
  const std::uint64_t sizes[] = {17, 9};
  const rankmap::Mixture mixture(weights, sizes, /*block=*/4, /*seed=*/42);
  const auto order = mixture.order(rankmap::MixtureStop::first_exhausted);
  Picture picture(directory, "shards_sets.svg");
  draw_shards(rankmap::Epoch(rankmap::Shard(order.size(), 0, 2), order), picture,
              {.width = page_width});
  return picture.saved();
}

bool draw_large_epoch(const std::string& directory) {
  const rankmap::Sampler sampler(1281167, 0, 256, {.seed = 42});
  Picture picture(directory, "shards_large.svg");
  draw_shards(sampler.epoch(0, 512000), picture, {.width = page_width});
  return picture.saved();
}

// What a process of a job of Slurm says: rank 7 of 8 uses the device of rank 6.
rankmap::JobRecord faulty_record(int rank) {
  const int local = rank % 4;
  const std::string node = std::to_string(rank / 4);
  const std::string environment =
      "SLURM_JOB_ID=4711\nSLURM_STEP_ID=0\nSLURM_STEP_NUM_TASKS=8\nSLURM_STEP_NUM_NODES=2\n"
      "SLURM_STEP_NODELIST=gpu[01-02]\nSLURM_STEP_TASKS_PER_NODE=4(x2)\n"
      "SLURM_PROCID=" +
      std::to_string(rank) + "\nSLURM_LOCALID=" + std::to_string(local) + "\nSLURM_NODEID=" + node +
      "\nSLURM_GTIDS=" + (rank < 4 ? "0,1,2,3" : "4,5,6,7") + '\n';
  const int chosen = rank == 7 ? 2 : local;
  const std::string uuid =
      "GPU-" + node + std::to_string(chosen) + "a5c0de-7d2e-4b8a-9c41-0a5be6d7f218";
  constexpr const char* addresses[] = {"0000:1b:00.0", "0000:43:00.0", "0000:9d:00.0",
                                       "0000:c3:00.0"};
  rankmap::Device device;
  device.kind = rankmap::DeviceKind::cuda;
  rankmap::ProcessFacts process;
  process.boot_id = std::string_view(node == "0" ? "3f1c9a52" : "6b0e77d1");
  process.pid = 4000 + rank;
  for (int cpu = 8 * local; cpu != 8 * local + 8; ++cpu) process.cpus.insert(cpu);
  process.available_cpus = 32;
  process.numa_nodes = std::uint64_t{1} << static_cast<unsigned>(local / 2);
  const rankmap::DeviceFacts facts = {.device = &device,
                                      .visible_count = 1,
                                      .uuid = uuid,
                                      .pci = addresses[chosen],
                                      .numa_node = local / 2};
  const auto topology = Topology::from_environment(rankmap::RecordedEnvironment(environment));
  return describe(topology.value(), process, facts);
}

JobTable faulty_job() {
  JobTable table;
  for (int rank = 0; rank != 8; ++rank) table.add(faulty_record(rank));
  return table;
}

bool draw_faulty_nodes(const std::string& directory) {
  const JobTable table = faulty_job();
  const rankmap::Findings findings = table.findings();
  const auto mark_of = [&](int rank) {
    const rankmap::Finding* const finding = findings.about(rank);
    return finding == nullptr ? std::string_view() : name(finding->kind);
  };
  const auto device_of = [](int rank) { return faulty_record(rank).device.pci; };
  const auto hosts = rankmap::HostList::parse("gpu[01-02]").value();
  Picture picture(directory, "nodes_marked.svg");
  draw_nodes(Layout::block(2, 4), picture, {.hosts = &hosts, .width = page_width}, device_of,
             mark_of);
  return picture.saved();
}

bool draw_faulty_table(const std::string& directory) {
  const JobTable table = faulty_job();
  const std::string command = "srun rankmap report | rankmap table";
  std::string text = "$ " + command + '\n';
  write_text(table, [&](std::string_view piece) { text += piece; }, {.width = 72});
  Picture picture(directory, "table.svg");
  draw_terminal(command, "A terminal. Two of eight ranks use one GPU, and the table says so.", text,
                picture);
  return picture.saved();
}

bool draw_me(const std::string& directory) {
  const auto topology = Topology::from_environment();
  if (!topology) {
    std::fprintf(stderr, "draw: %s\n", message(topology.error()).c_str());
    return false;
  }
  Picture picture(directory, "me.svg");
  draw_nodes(*topology, picture);
  return picture.saved();
}

}  // namespace

int main(int argc, char** argv) {
  const bool me = argc > 1 && std::string_view(argv[1]) == "--me";
  const int at = me ? 2 : 1;
  const std::string directory = argc > at ? argv[at] : ".";
  if (me) return draw_me(directory) ? 0 : 1;
  const bool saved = draw_small_nodes(directory) && draw_large_nodes(directory) &&
                     draw_axes(directory) && draw_racks(directory) && draw_epoch(directory) &&
                     draw_large_epoch(directory) && draw_blocks(directory) &&
                     draw_sets(directory) && draw_faulty_table(directory) &&
                     draw_faulty_nodes(directory);
  return saved ? 0 : 1;
}
