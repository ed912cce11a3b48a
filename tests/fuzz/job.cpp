// SPDX-License-Identifier: MIT
//
// A whole job: its true layout, and the environment that a launcher would write for each rank, with
// some of the variables taken away on all of them. Whatever is told must be true, and what one rank
// tells of the job every rank must tell.
#include "fuzz.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Distribution;
using rankmap::Launcher;
using rankmap::Layout;
using rankmap::Topology;
using rankmap_fuzz::Bytes;
using rankmap_fuzz::require;

struct Job {
  std::vector<int> counts;
  Distribution distribution = Distribution::block;
  Layout layout;
  int nodes() const { return layout.node_count(); }
};

/// One variable of every rank, by what it holds.
enum class Holds {
  rank,
  world,
  local,
  here,  // ranks on this node
  node,
  nodes,
  word,        // a fixed text
  ranks_here,  // "0,2"
  counts,      // "2,1"
  hosts,       // "n[0-1]"
  host,
  distribution,
  plane,
};
struct Slot {
  std::string_view name;
  Holds holds;
  std::string_view text = {};
};
struct Writer {
  std::string_view launcher;
  bool block_only;
  bool even_only;
  std::vector<Slot> slots;
};

const std::vector<Writer>& writers() {
  static const std::vector<Writer> list = {
      {"torchrun",
       true,
       false,
       {{"RANK", Holds::rank},
        {"WORLD_SIZE", Holds::world},
        {"LOCAL_RANK", Holds::local},
        {"LOCAL_WORLD_SIZE", Holds::here},
        {"GROUP_RANK", Holds::node},
        {"GROUP_WORLD_SIZE", Holds::nodes},
        {"TORCHELASTIC_RUN_ID", Holds::word, "run"},
        {"MASTER_ADDR", Holds::word, "n0"},
        {"MASTER_PORT", Holds::word, "29500"}}},
      {"deepspeed",
       true,
       false,
       {{"RANK", Holds::rank},
        {"WORLD_SIZE", Holds::world},
        {"LOCAL_RANK", Holds::local},
        {"LOCAL_SIZE", Holds::here},
        {"CROSS_RANK", Holds::node},
        {"CROSS_SIZE", Holds::nodes},
        {"MASTER_ADDR", Holds::word, "n0"},
        {"MASTER_PORT", Holds::word, "29500"}}},
      {"torch_env",
       false,
       false,
       {{"RANK", Holds::rank},
        {"WORLD_SIZE", Holds::world},
        {"LOCAL_RANK", Holds::local},
        {"LOCAL_WORLD_SIZE", Holds::here},
        {"NODE_RANK", Holds::node}}},
      {"lightning",
       true,
       true,
       {{"NODE_RANK", Holds::node},
        {"LOCAL_RANK", Holds::local},
        {"WORLD_SIZE", Holds::world},
        {"MASTER_ADDR", Holds::word, "n0"},
        {"MASTER_PORT", Holds::word, "29500"}}},
      {"horovod",
       true,
       false,
       {{"HOROVOD_RANK", Holds::rank},
        {"HOROVOD_SIZE", Holds::world},
        {"HOROVOD_LOCAL_RANK", Holds::local},
        {"HOROVOD_LOCAL_SIZE", Holds::here},
        {"HOROVOD_HOSTNAME", Holds::host}}},
      {"open_mpi",
       false,
       false,
       {{"OMPI_COMM_WORLD_RANK", Holds::rank},
        {"OMPI_COMM_WORLD_SIZE", Holds::world},
        {"OMPI_COMM_WORLD_LOCAL_RANK", Holds::local},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", Holds::here},
        {"OMPI_MCA_orte_num_nodes", Holds::nodes},
        {"PMIX_RANK", Holds::rank},
        {"PMIX_NAMESPACE", Holds::word, "1.0"},
        {"PMIX_HOSTNAME", Holds::host}}},
      {"hydra",
       false,
       false,
       {{"PMI_RANK", Holds::rank},
        {"PMI_SIZE", Holds::world},
        {"MPI_LOCALRANKID", Holds::local},
        {"MPI_LOCALNRANKS", Holds::here},
        {"PMI_HOSTNAME", Holds::host}}},
      {"mvapich2",
       false,
       false,
       {{"MV2_COMM_WORLD_RANK", Holds::rank},
        {"MV2_COMM_WORLD_SIZE", Holds::world},
        {"MV2_COMM_WORLD_LOCAL_RANK", Holds::local},
        {"MV2_COMM_WORLD_LOCAL_SIZE", Holds::here}}},
      {"jsrun",
       false,
       false,
       {{"JSM_NAMESPACE_RANK", Holds::rank},
        {"JSM_NAMESPACE_SIZE", Holds::world},
        {"JSM_NAMESPACE_LOCAL_RANK", Holds::local},
        {"JSM_NAMESPACE_LOCAL_SIZE", Holds::here}}},
      {"flux",
       false,
       false,
       {{"FLUX_TASK_RANK", Holds::rank},
        {"FLUX_JOB_SIZE", Holds::world},
        {"FLUX_TASK_LOCAL_ID", Holds::local},
        {"FLUX_JOB_NNODES", Holds::nodes},
        {"FLUX_JOB_ID", Holds::word, "f1"}}},
      {"pals",
       false,
       false,
       {{"PALS_RANKID", Holds::rank},
        {"PMI_SIZE", Holds::world},
        {"PALS_LOCAL_RANKID", Holds::local},
        {"PALS_LOCAL_SIZE", Holds::here},
        {"PALS_NODEID", Holds::node},
        {"PALS_APID", Holds::word, "a"}}},
      {"pmi",
       false,
       false,
       {{"PMI_RANK", Holds::rank},
        {"PMI_SIZE", Holds::world},
        {"PMI_LOCAL_RANK", Holds::local},
        {"PMI_LOCAL_SIZE", Holds::here}}},
      {"slurm",
       false,
       false,
       {{"SLURM_PROCID", Holds::rank},
        {"SLURM_STEP_NUM_TASKS", Holds::world},
        {"SLURM_LOCALID", Holds::local},
        {"SLURM_GTIDS", Holds::ranks_here},
        {"SLURM_NODEID", Holds::node},
        {"SLURM_STEP_NUM_NODES", Holds::nodes},
        {"SLURM_STEP_TASKS_PER_NODE", Holds::counts},
        {"SLURM_STEP_NODELIST", Holds::hosts},
        {"SLURMD_NODENAME", Holds::host},
        {"SLURM_DISTRIBUTION", Holds::distribution},
        {"SLURM_DIST_PLANESIZE", Holds::plane},
        {"SLURM_JOB_ID", Holds::word, "7"},
        {"SLURM_STEP_ID", Holds::word, "0"},
        {"SLURM_UMASK", Holds::word, "0022"},
        {"SLURM_NTASKS", Holds::world}}},
  };
  return list;
}

/// The host list or the counts of the nodes from 0 on, as Slurm writes them.
std::string host(int node) { return "n" + std::to_string(node); }
std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + text;
  return out;
}

std::string text_of(const Slot& slot, const Job& job, int rank) {
  const rankmap::Place place = job.layout.place_of(rank);
  switch (slot.holds) {
    case Holds::rank:
      return std::to_string(rank);
    case Holds::world:
      return std::to_string(job.layout.world_size());
    case Holds::local:
      return std::to_string(place.local);
    case Holds::here:
      return std::to_string(job.layout.local_world_size(place.node));
    case Holds::node:
      return std::to_string(place.node);
    case Holds::nodes:
      return std::to_string(job.nodes());
    case Holds::word:
      return std::string(slot.text);
    case Holds::ranks_here: {
      std::vector<std::string> ranks;
      for (const int there : job.layout.ranks_on(place.node))
        ranks.push_back(std::to_string(there));
      return joined(ranks);
    }
    case Holds::counts: {
      std::vector<std::string> counts;
      for (const int count : job.counts) counts.push_back(std::to_string(count));
      return joined(counts);
    }
    case Holds::hosts: {
      std::vector<std::string> hosts;
      for (int node = 0; node != job.nodes(); ++node) hosts.push_back(host(node));
      return joined(hosts);
    }
    case Holds::host:
      return host(place.node);
    case Holds::distribution:
      return std::string(name(job.distribution.kind));
    case Holds::plane:
      return job.distribution.plane_size == 0 ? "" : std::to_string(job.distribution.plane_size);
  }
  return {};
}

void append(std::string& out, const Writer& writer, const Job& job, int rank,
            std::uint32_t dropped) {
  for (std::size_t i = 0; i != writer.slots.size(); ++i) {
    if ((dropped >> i & 1U) != 0) continue;
    out += std::string(writer.slots[i].name) + '=' + text_of(writer.slots[i], job, rank) + '\n';
  }
}

void require_true(const Topology& topology, const Job& job, int rank, const std::string& text) {
  const rankmap::Place place = job.layout.place_of(rank);
  require(topology.rank() == rank, "a rank is the true one", text);
  require(topology.world_size() == job.layout.world_size(), "a world is the true one", text);
  require(topology.local_rank() == place.local, "a local rank is the true one", text);
  require(topology.local_world_size().value_or(job.layout.local_world_size(place.node)) ==
              job.layout.local_world_size(place.node),
          "a local size is the true one", text);
  require(topology.node_rank().value_or(place.node) == place.node, "a node is the true one", text);
  require(topology.node_count().value_or(job.nodes()) == job.nodes(), "nodes are truly counted",
          text);
  if (topology.layout()) {
    require(*topology.layout() == job.layout, "a layout is the true one", text);
  }
  for (int other = 0; other != job.layout.world_size(); ++other) {
    const auto found = topology.host_of(other);
    require(!found || found->view() == host(job.layout.node_of(other)), "hosts are the true ones",
            text);
  }
}

/// Whether what is left of a record still tells that this process is not the agent of its node.
/// RANK and its kin prove nothing, and of a Flux job a batch shell knows the size.
bool names_another_place(const Writer& writer, std::uint32_t dropped, const Job& job, int rank) {
  if (writer.slots[0].name == "RANK" || writer.launcher == "lightning") return false;
  const auto is_left = [&](std::size_t slot) { return (dropped >> slot & 1U) == 0; };
  const bool other_rank = is_left(0) && rank != job.layout.node_of(rank);
  const bool other_world = is_left(1) && job.layout.world_size() != job.nodes() &&
                           (writer.launcher != "flux" || is_left(0));
  return other_rank || other_world;
}

/// What is claimed of the job at large.
std::string claim_of(const Topology& topology) {
  const auto yes = [](bool is) { return is ? '1' : '0'; };
  std::string out = "nodes " + std::to_string(topology.node_count().value_or(-1)) + " node ";
  out += yes(topology.node_rank().has_value());
  out += yes(topology.local_world_size().has_value());
  out += yes(topology.layout().has_value());
  out += ' ';
  out += topology.hosts().str().view();
  return out;
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  Bytes bytes(input);
  const Writer& writer = writers()[bytes.byte() % writers().size()];
  Job job;
  const int nodes = bytes.in(1, 5);
  for (int node = 0; node != nodes; ++node) {
    job.counts.push_back(writer.even_only && node != 0 ? job.counts[0] : bytes.in(1, 4));
  }
  switch (writer.block_only ? 0 : bytes.byte() % 3) {
    case 1:
      job.distribution = Distribution::cyclic;
      break;
    case 2:
      job.distribution = Distribution::plane(bytes.in(1, 3));
      break;
    default:
      break;
  }
  job.layout = Layout::from_counts(job.counts, job.distribution).value();
  const bool even = job.layout.is_even();

  std::uint32_t dropped = 0;
  for (int drops = bytes.in(0, 4); drops != 0; --drops) {
    const std::size_t slot = bytes.byte() % writer.slots.size();
    // Slurm says nothing where it fills node after node: unsaid, another order is a lie.
    if (writer.slots[slot].holds != Holds::distribution) dropped |= 1U << slot;
  }
  // An agent on each node, itself a task of srun, around the workers.
  const bool agents = bytes.in(0, 2) == 2 && writer.launcher != "slurm";
  Job outer;
  outer.counts.assign(job.counts.size(), 1);
  outer.layout = Layout::block(nodes, 1);

  const int said = bytes.byte();
  const std::string hosts = text_of({"", Holds::hosts}, job, 0);
  const std::string counts = text_of({"", Holds::counts}, job, 0);
  Config config;
  if ((said & 1) != 0) config.hosts = hosts;
  if ((said & 2) != 0) config.tasks_per_node = counts;
  if ((said & 4) != 0) config.distribution = job.distribution;
  config.even_nodes = (said & 8) != 0 && even;
  config.one_process_per_node = (said & 16) != 0 && job.layout.largest_local_world_size() == 1;
  config.strict = (said & 32) != 0;

  std::optional<std::string> claim;
  int answered = 0;
  for (int rank = 0; rank != job.layout.world_size(); ++rank) {
    std::string text;
    if (agents) append(text, writers().back(), outer, job.layout.node_of(rank), 0);
    append(text, writer, job, rank, dropped);
    const rankmap::RecordedEnvironment environment(text);
    if ((said & 64) != 0) config.rank = rank;
    const auto topology = Topology::from_environment(environment, config);
    if (!topology) {
      require_good_error(topology.error(), text.size());
      require(dropped != 0 || agents || writer.launcher == "pmi" || config.strict ||
                  writer.even_only || config.distribution || config.tasks_per_node,
              "a whole record is an answer", message(topology.error()));
      continue;
    }
    if (topology->launcher() == Launcher::none) continue;  // nothing is left of the record
    if (agents && dropped != 0 && name(topology->launcher()) != writer.launcher) {
      require(!names_another_place(writer, dropped, job, rank),
              "the agent does not speak where a torn record names another place", text);
      continue;
    }
    require_true(*topology, job, rank, text + std::string(explain(*topology).view()));
    // Without its step's variables rank 0 looks like a batch script: another launcher, at most.
    const std::string mine =
        claim_of(*topology) + (dropped == 0 ? std::string(name(topology->launcher())) : "");
    if (!claim) claim = mine;
    require(mine == *claim, "every rank claims the same of the job",
            *claim + '\n' + mine + '\n' + text);
    ++answered;
  }
  require(answered == 0 || answered == job.layout.world_size() || dropped != 0 || agents,
          "all ranks have an answer, or none has");
}
