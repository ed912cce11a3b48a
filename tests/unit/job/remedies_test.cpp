// SPDX-License-Identifier: MIT
//
// Faults of a launch, planted where they happen: in the environment of a process, on its machine,
// or in its output. The table finds each; who follows the remedy does not see it again.
#include "support/planted_job.hpp"

#include <rankmap/device.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/job.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DeviceKind;
using rankmap::JobTable;
using rankmap::MapEnvironment;
using rankmap::Topology;
using rankmap_test::summary;

struct Process {
  std::map<std::string, std::string> env;
  std::string host;
  std::string boot;
  int pid = 0;
  std::string cpus;
  int threads = 1;
  unsigned pid_namespace = 4026531836U;
  rankmap::ProcessFacts facts = {};  // all else that the kernel shows
};

/// A job as it was started, and what is done to its output.
struct World {
  std::vector<Process> processes;
  std::string (*output)(std::string) = nullptr;

  Process& operator[](std::size_t i) { return processes[i]; }
  void set(const std::string& name, const std::string& text) {
    for (Process& process : processes) process.env[name] = text;
  }
  void unset(const std::string& name) {
    for (Process& process : processes) process.env.erase(name);
  }
};

/// What `rankmap report` prints in this process, on a node of four GPUs that no file describes.
std::string line_of(const Process& process) {
  const MapEnvironment env(process.env);
  const auto topology = Topology::from_environment(env);
  rankmap::ProcessFacts facts = process.facts;
  facts.host = std::string_view(process.host);
  facts.boot_id = std::string_view(process.boot);
  facts.pid = process.pid;
  facts.pid_namespace = process.pid_namespace;
  facts.cpus = *rankmap::parse_cpu_list(process.cpus);
  facts.available_cpus = 8;
  facts.threads = process.threads;
  std::string line;
  const auto append = [&line](std::string_view piece) { line += piece; };
  if (!topology) {
    write_json(describe(topology.error(), facts), append);
    return line;
  }
  const auto visible = visible_devices(DeviceKind::cuda, env, 4);
  const int count = visible.count().value_or(0);
  auto device = select_device(device_request(*topology, DeviceKind::cuda, count, env, visible));
  if (!device && count == 1) {
    device = rankmap::Device();
    device->kind = DeviceKind::cuda;
    device->count = 1;
  }
  rankmap::DeviceFacts device_facts;
  if (device) {
    device_facts.device = &*device;
    device_facts.visible_count = count;
    if (const auto number = visible.physical(device->index)) device_facts.physical = number->value;
    if (device->index.value < visible.size() && visible[device->index].text.size() == 40) {
      device_facts.uuid = visible[device->index].text;
    }
  }
  write_json(describe(*topology, facts, device_facts), append);
  return line;
}

std::string found_in(const World& world) {
  std::string lines;
  std::size_t prefix = 0;
  for (const Process& process : world.processes) {
    lines += "[" + std::to_string(++prefix) + "]: " + line_of(process) + "\n";
  }
  if (world.output != nullptr) lines = world.output(lines);
  const auto table = JobTable::read(lines);
  return table ? summary(table->findings()) : std::string(message(table.error()).view());
}

using Counts = std::vector<int>;

struct Place {
  const Counts& counts;
  int rank;
  int node;
  int local_rank;

  int world_size() const { return std::accumulate(counts.begin(), counts.end(), 0); }
  int local_size() const { return counts[static_cast<std::size_t>(node)]; }
  int nodes() const { return static_cast<int>(counts.size()); }
};

/// So many ranks on each node.
World job_of(const Counts& counts, void (*fill)(Process&, const Place&)) {
  World world;
  int rank = 0;
  for (int node = 0; node != static_cast<int>(counts.size()); ++node) {
    for (int local = 0; local != counts[static_cast<std::size_t>(node)]; ++local) {
      Process process;
      process.host = "n" + std::to_string(node + 1);
      process.boot = "boot of " + process.host;
      process.pid = 100 + local;
      process.cpus = std::to_string(4 * local) + "-" + std::to_string(4 * local + 3);
      fill(process, {counts, rank++, node, local});
      world.processes.push_back(process);
    }
  }
  return world;
}
World exported(const Counts& counts = {2, 2}) {
  return job_of(counts, [](Process& process, const Place& at) {
    process.env = {{"RANK", std::to_string(at.rank)},
                   {"WORLD_SIZE", std::to_string(at.world_size())},
                   {"LOCAL_RANK", std::to_string(at.local_rank)},
                   {"LOCAL_WORLD_SIZE", std::to_string(at.local_size())},
                   {"NODE_RANK", std::to_string(at.node)},
                   {"MASTER_ADDR", "n1"},
                   {"MASTER_PORT", "29500"}};
  });
}
World torchrun(const Counts& counts = {2, 2}) {
  World world = exported(counts);
  for (Process& process : world.processes) {
    process.env.insert({{"TORCHELASTIC_RUN_ID", "night"},
                        {"TORCHELASTIC_RESTART_COUNT", "0"},
                        {"GROUP_RANK", process.env["NODE_RANK"]},
                        {"GROUP_WORLD_SIZE", std::to_string(counts.size())},
                        {"ROLE_RANK", process.env["RANK"]},
                        {"ROLE_WORLD_SIZE", process.env["WORLD_SIZE"]}});
    process.env.erase("NODE_RANK");
  }
  return world;
}
World slurm(const Counts& counts = {2, 2}) {
  return job_of(counts, [](Process& process, const Place& at) {
    std::string tasks;
    for (const int count : at.counts) tasks += (tasks.empty() ? "" : ",") + std::to_string(count);
    std::string ranks;
    for (int local = 0; local != at.local_size(); ++local) {
      ranks += (ranks.empty() ? "" : ",") + std::to_string(at.rank - at.local_rank + local);
    }
    const std::string nodes = std::to_string(at.nodes());
    process.env = {{"SLURM_JOB_ID", "7"},
                   {"SLURM_STEP_ID", "0"},
                   {"SLURM_PROCID", std::to_string(at.rank)},
                   {"SLURM_NTASKS", std::to_string(at.world_size())},
                   {"SLURM_LOCALID", std::to_string(at.local_rank)},
                   {"SLURM_NODEID", std::to_string(at.node)},
                   {"SLURM_STEP_NUM_NODES", nodes},
                   {"SLURM_NNODES", nodes},
                   {"SLURM_STEP_NUM_TASKS", std::to_string(at.world_size())},
                   {"SLURM_STEP_TASKS_PER_NODE", tasks},
                   {"SLURM_STEP_NODELIST", "n[1-" + nodes + "]"},
                   {"SLURM_GTIDS", ranks},
                   {"SLURMD_NODENAME", process.host}};
  });
}
World hydra(const Counts& counts = {2, 2}) {
  return job_of(counts, [](Process& process, const Place& at) {
    process.env = {{"PMI_RANK", std::to_string(at.rank)},
                   {"PMI_SIZE", std::to_string(at.world_size())},
                   {"MPI_LOCALRANKID", std::to_string(at.local_rank)},
                   {"MPI_LOCALNRANKS", std::to_string(at.local_size())}};
  });
}
World open_mpi(const Counts& counts = {2, 2}) {
  return job_of(counts, [](Process& process, const Place& at) {
    process.env = {{"OMPI_COMM_WORLD_RANK", std::to_string(at.rank)},
                   {"OMPI_COMM_WORLD_SIZE", std::to_string(at.world_size())},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(at.local_rank)},
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(at.local_size())},
                   {"OMPI_COMM_WORLD_NODE_RANK", std::to_string(at.local_rank)}};
  });
}

/// What is other on each machine of a healthy job.
struct Variety {
  void (*change)(Process&, int index);
  std::string_view notes;  // that are true
};

// 300 of them, and the launchers' recordings in recordings_test.cpp.
TEST(Remedies, are_not_asked_for_by_healthy_jobs) {
  const Counts shapes[] = {{1},          {4},    {1, 1},    {2, 2},    {2, 2, 2}, {1, 1, 1, 1},
                           {4, 4, 4, 4}, {2, 1}, {3, 4, 4}, {1, 2, 3}, {2, 2, 1}, {4, 1, 4}};
  const Variety varieties[] = {
      {[](Process&, int) {}, ""},
      // containers with hosts and process numbers of their own
      {[](Process& p, int index) {
         p.pid = 1;
         p.pid_namespace = 7U + static_cast<unsigned>(index);
         p.host += "-pod-" + std::to_string(index);
       },
       "containers"},
      // each with a device, a quota and all that a good machine has
      {[](Process& p, int index) {
         p.env["CUDA_VISIBLE_DEVICES"] = "GPU-9e8d35e3-0000-0000-0000-00000000000" +
                                         std::string(1, static_cast<char>('a' + index));
         p.facts.nic = "mlx5_0";
         p.facts.nic_rate = 400'000;
         p.facts.driver = "565.57.01";
         p.facts.library = "libmpi_abi.so.0.0.1";
         p.facts.collectives = "libnccl.so.2.21.5";
         p.facts.imex_channels = "0";
         p.facts.partitions = "SPX/NPS1";
         p.facts.kernel = "6.8.0";
         p.facts.locked_memory = 2'147'483'647;
         p.facts.shared_memory = 65'536;
         p.facts.huge_pages = 0;
         p.facts.cpu_quota = 4000;
         p.facts.quota_group = std::string_view("/pod-" + std::to_string(index));
         p.facts.time = 1'790'000'000'000 + 50 * index;
       },
       ""},
      // two programs of one job, one of which needs neither MPI nor NCCL
      {[](Process& p, int index) {
         if (index == 0) return;
         p.facts.library = "libmpi_abi.so.0.0.1";
         p.facts.collectives = "libnccl.so.2.21.5";
       },
       ""},
      // machines that say little
      {[](Process& p, int) { p.boot = {}; }, ""},
  };
  int jobs = 0;
  for (World (*const start)(const Counts&) : {exported, torchrun, slurm, hydra, open_mpi}) {
    for (const Counts& counts : shapes) {
      for (const Variety& variety : varieties) {
        World world = start(counts);
        int index = 0;
        for (Process& process : world.processes) variety.change(process, index++);
        const std::string found = found_in(world);
        ++jobs;
        EXPECT_EQ(found.find("error"), std::string::npos) << found;
        EXPECT_EQ(found.find("warning"), std::string::npos) << found;
        for (std::size_t at = found.find("note "); at != std::string::npos;
             at = found.find("note ", at + 1)) {
          const std::string note = found.substr(at + 5, found.find(' ', at + 5) - at - 5);
          EXPECT_TRUE(note == "uneven_nodes" || note == variety.notes) << found;
        }
      }
    }
  }
  EXPECT_EQ(jobs, 300);
}

TEST(Remedies, are_for_jobs_in_which_nothing_is_wrong_before) {
  for (World (*const start)(const Counts&) : {exported, torchrun, slurm, hydra, open_mpi}) {
    EXPECT_EQ(found_in(start({2, 2})), "");
  }
}

/// `found`: all findings with the fault. `remedy` changes what the remedy of the first one says;
/// `left`: what is found then.
struct Fault {
  World (*start)(const Counts&);
  void (*plant)(World&);
  std::string_view found;
  void (*remedy)(World&);
  std::string_view left = "";
};

const Fault faults[] = {
    // ---- who the processes are
    {exported, [](World& w) { w.set("RANK", "$RANK"); }, "error refused",
     [](World& w) { w = exported(); }},
    {exported, [](World& w) { w[3].env.erase("LOCAL_RANK"); },
     "error refused; error missing_ranks 3", [](World& w) { w[3].env["LOCAL_RANK"] = "1"; }},
    {slurm, [](World& w) { w[2].env["SLURM_PROCID"] = "1"; },
     "error refused; error missing_ranks 2", [](World& w) { w[2].env["SLURM_PROCID"] = "2"; }},
    {hydra, [](World& w) { w.set("RANK", "0"); }, "warning contradicted 1-3",
     [](World& w) { w.unset("RANK"); }},
    {exported, [](World& w) { w = slurm(), w.set("SLURM_LOCALID", "x"); }, "error refused",
     [](World& w) { w = slurm(); }},
    {hydra,
     [](World& w) {
       for (Process& p : w.processes) p.env.clear();
     },
     "error all_alone 0", [](World& w) { w = hydra(); }},
    {torchrun, [](World& w) { w[3].env.clear(); }, "error lone_process 0; error missing_ranks 3",
     [](World& w) { w = torchrun(); }},
    {exported, [](World& w) { w[3].env.clear(); }, "error lone_process 0; error missing_ranks 3",
     [](World& w) { w = exported(); }},
    {slurm, [](World& w) { w[0].env.clear(), w[1].env.clear(); },
     "error lone_process 0; error missing_ranks 0-1", [](World& w) { w = slurm(); }},
    {exported,
     [](World& w) {
       for (Process p : World(w).processes) w.processes.push_back((p.pid += 50, p));
     },
     "error several_runs 0-3", [](World& w) { w.processes.resize(4); }},
    {exported,
     [](World& w) {
       for (std::size_t i : {2U, 3U}) {
         w[i].env["RANK"] = w[i].env["LOCAL_RANK"];
         w[i].env["NODE_RANK"] = "0";
       }
     },
     "error same_node_rank 0-1; error missing_ranks 2-3",
     [](World& w) {
       for (std::size_t i : {2U, 3U}) {
         w[i].env["NODE_RANK"] = "1";
         w[i].env["RANK"] = std::to_string(i);
       }
     }},
    {torchrun, [](World& w) { w[3].env["RANK"] = "2", w[3].env["ROLE_RANK"] = "2"; },
     "error same_rank 2; error missing_ranks 3", [](World& w) { w = torchrun(); }},
    {exported, [](World& w) { w[3].env["WORLD_SIZE"] = "8"; }, "error world_size_differs 3",
     [](World& w) { w[3].env["WORLD_SIZE"] = "4"; }},
    {hydra, [](World& w) { w.processes.pop_back(); }, "error missing_ranks 3",
     [](World& w) { w = hydra(); }},
    {torchrun, [](World& w) { w[1].env["TORCHELASTIC_RESTART_COUNT"] = "1"; },
     "warning mixed_restarts 0,2-3", [](World& w) { w.set("TORCHELASTIC_RESTART_COUNT", "1"); }},
    {torchrun, [](World& w) { w[1].env["TORCHELASTIC_RUN_ID"] = "day"; }, "error job_ids_differ 1",
     [](World& w) { w = torchrun(); }},
    // ---- what they doubt
    {exported, [](World& w) { w[1].env["MASTER_PORT"] = "abc"; }, "warning warned 1",
     [](World& w) { w[1].env["MASTER_PORT"] = "29500"; }},
    {torchrun, [](World& w) { w.set("TORCHELASTIC_RESTART_COUNT", "x"); }, "warning warned 0-3",
     [](World& w) { w.set("TORCHELASTIC_RESTART_COUNT", "0"); }},
    {slurm,
     [](World& w) {
       w.set("RANK", "5");
       w.set("WORLD_SIZE", "8");
       w.set("LOCAL_RANK", "1");
     },
     "error refused",
     [](World& w) {
       for (const char* const name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) w.unset(name);
     }},
    // ---- where they meet
    {exported,
     [](World& w) {
       for (int i = 0; i != 4; ++i)
         w.processes[static_cast<std::size_t>(i)].env["MASTER_PORT"] = std::to_string(29500 + i);
     },
     "error rendezvous_differs 1-3", [](World& w) { w.set("MASTER_PORT", "29500"); }},
    {exported, [](World& w) { w[2].env["MASTER_ADDR"] = w[3].env["MASTER_ADDR"] = "n2"; },
     "error rendezvous_differs 2-3", [](World& w) { w.set("MASTER_ADDR", "n1"); }},
    {exported, [](World& w) { w.set("MASTER_ADDR", "localhost"); },
     "error rendezvous_differs 2-3; warning warned 2",
     [](World& w) { w.set("MASTER_ADDR", "n1"); }},
    {exported,
     [](World& w) { w.set("MASTER_ADDR", "10.0.0.1"), w[3].env["MASTER_ADDR"] = "10.0.0.2"; },
     "error rendezvous_differs 3", [](World& w) { w.set("MASTER_ADDR", "n1"); }},
    // the same host by its name, its full name and its number is no fault
    {exported,
     [](World& w) {
       w[1].env["MASTER_ADDR"] = "N1.cluster";
       w[2].env["MASTER_ADDR"] = "10.0.0.1";
       w[0].env["MASTER_ADDR"] = "localhost";
     },
     "", [](World&) {}},
    // ---- where they are
    {exported, [](World& w) { w[3].env["LOCAL_RANK"] = "0"; },
     "error place_conflict 2-3; warning likely_duplicate 2-3",
     [](World& w) { w[3].env["LOCAL_RANK"] = "1"; }},
    {exported, [](World& w) { w[2].env["NODE_RANK"] = "0"; },
     "error layout_differs 2-3; error place_conflict 0-2; note split_machine 2-3; note "
     "uneven_nodes "
     "0,2",
     [](World& w) { w[2].env["NODE_RANK"] = "1"; }},
    {hydra,
     [](World& w) {
       for (Process& p : w.processes) p.host = "container";
     },
     "warning host_name_clash 0-3", [](World& w) { w = hydra(); }},
    {hydra, [](World& w) { w[1].pid_namespace = 1, w[1].pid = 1; }, "note containers 0-1",
     [](World& w) { w[1].pid_namespace = w[0].pid_namespace; }},
    {hydra, [](World& w) { w[3].env["MPI_LOCALNRANKS"] = "3"; }, "error layout_differs 3",
     [](World& w) { w[3].env["MPI_LOCALNRANKS"] = "2"; }},
    // ---- devices
    {exported, [](World& w) { w.set("CUDA_VISIBLE_DEVICES", "2"); }, "error duplicate_device 0-3",
     [](World& w) { w.unset("CUDA_VISIBLE_DEVICES"); }},
    {exported,
     [](World& w) { w.set("CUDA_VISIBLE_DEVICES", "GPU-9e8d35e3-0000-0000-0000-000000000001"); },
     "error duplicate_device 0-3", [](World& w) { w.unset("CUDA_VISIBLE_DEVICES"); }},
    {exported, [](World& w) { w.set("CUDA_VISIBLE_DEVICES", "0"); }, "note device_not_told 0-3",
     [](World& w) {
       for (Process& p : w.processes) p.env["CUDA_VISIBLE_DEVICES"] = p.env["LOCAL_RANK"];
     }},
    // ---- CPUs
    {exported, [](World& w) { w[1].cpus = "3-5"; }, "warning same_cpus 0-1",
     [](World& w) { w[1].cpus = "4-7"; }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) p.cpus = "0";
     },
     "error same_cpus 0-3", [](World& w) { w = exported(); }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) p.cpus = "0-7";
     },
     "note not_bound 0-3", [](World& w) { w = exported(); }},
    {exported, [](World& w) { w[1].threads = 8; }, "warning few_cpus 1",
     [](World& w) { w[1].threads = 4; }},
    {exported,
     [](World& w) {
       for (std::size_t i : {0U, 1U}) {
         w[i].cpus = std::to_string(i);
         w[i].facts.cores = 1;
         w[i].facts.sibling_cpus.insert(1 - static_cast<int>(i));
       }
     },
     "note same_core 0-1", [](World& w) { w = exported(); }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) {
         p.facts.cpu_quota = 1500;
         p.facts.quota_group = std::string_view("/kubepods/" + p.host);
       }
     },
     "warning shared_quota 0-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.cpu_quota = 2000;
     }},
    {slurm, [](World& w) { w[2].threads = 5; }, "warning few_cpus 2",
     [](World& w) { w[2].threads = 4; }},
    // ---- programs
    {open_mpi,
     [](World& w) {
       for (Process& p : w.processes) p.env.clear();
     },
     "error all_alone 0", [](World& w) { w = open_mpi(); }},
    {hydra, [](World& w) { w.processes.resize(2); }, "error missing_ranks 2-3",
     [](World& w) { w = hydra(); }},
    {open_mpi,
     [](World& w) {
       for (Process& p : w.processes) p.host = "container";
     },
     "warning host_name_clash 0-3", [](World& w) { w = open_mpi(); }},
    // all local ranks are 0: asked for with one device each, else a script's fault
    {torchrun, [](World& w) { w.set("LOCAL_RANK", "0"); },
     "error place_conflict 0-3; warning likely_duplicate 0-3", [](World& w) { w = torchrun(); }},
    {torchrun,
     [](World& w) {
       for (Process& p : w.processes) {
         p.env["CUDA_VISIBLE_DEVICES"] = p.env["LOCAL_RANK"];
         p.env["LOCAL_RANK"] = "0";
       }
     },
     "note virtual_ranks 1,3", [](World& w) { w = torchrun(); }},
    {hydra,
     [](World& w) {
       for (Process& p : w.processes) p.facts.library = "libmpi.so.40";
     },
     "error wrong_launcher 0-3",
     [](World& w) {
       const std::string library = "libmpi.so.40";
       w = open_mpi();
       for (Process& p : w.processes) p.facts.library = std::string_view(library);
     }},
    {open_mpi,
     [](World& w) {
       for (Process& p : w.processes) p.facts.library = "libmpich.so.12";
     },
     "error wrong_launcher 0-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.library = "libmpi.so.40";
     }},
    {open_mpi,
     [](World& w) {
       for (Process& p : w.processes) p.facts.library = "libmpi.so.40";
       w[3].facts.library = "libmpi.so.20";
     },
     "warning versions_differ 3", [](World& w) { w[3].facts.library = "libmpi.so.40"; }},
    {torchrun,
     [](World& w) {
       for (Process& p : w.processes) p.facts.collectives = "libnccl.so.2.21.5";
       w[2].facts.collectives = w[3].facts.collectives = "libnccl.so.2.18.3";
     },
     "warning versions_differ 2-3",
     [](World& w) {
       for (const std::size_t i : {2U, 3U}) w[i].facts.collectives = "libnccl.so.2.21.5";
     }},
    {open_mpi, [](World& w) { w.set("OMPI_NUM_APP_CTX", "2"); }, "warning shared_world 0-3",
     [](World& w) { w = open_mpi(); }},
    {torchrun,
     [](World& w) {
       w.set("NUM_REPLICA_GROUPS", "2");
       for (Process p : World(w).processes) w.processes.push_back((p.pid += 50, p));
     },
     "note replica_groups 0-3",
     [](World& w) {
       w.processes.resize(4);
       w.unset("NUM_REPLICA_GROUPS");
     }},
    {slurm,
     [](World& w) {
       for (std::size_t i : {2U, 3U}) w[i].env["SLURM_JOB_ID"] = "8";
     },
     "error job_ids_differ 2-3", [](World& w) { w = slurm(); }},
    {open_mpi, [](World& w) { w[1] = hydra()[1]; }, "warning mixed_launchers 1",
     [](World& w) { w = open_mpi(); }},
    // ---- machines and their network
    {exported,
     [](World& w) {
       for (Process& p : w.processes)
         p.env["CUDA_VISIBLE_DEVICES"] = p.host == "n1" ? "0,1" : "0,1,2";
     },
     "warning devices_differ 0", [](World& w) { w.set("CUDA_VISIBLE_DEVICES", "0,1"); }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) p.facts.nic = "mlx5_0";
       w[2].facts.nic_fault = rankmap::NicFault::down;
     },
     "warning nic_unusable 2", [](World& w) { w[2].facts.nic_fault = rankmap::NicFault::none; }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) p.facts.nic = "mlx5_0";
       w[3].facts.nic_fault = rankmap::NicFault::no_gid;
     },
     "warning nic_unusable 3", [](World& w) { w[3].facts.nic_fault = rankmap::NicFault::none; }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes) {
         p.facts.nic = "mlx5_0";
         p.facts.nic_rate = 400'000;
       }
       w[1].facts.nic_rate = 100'000;
     },
     "warning nic_rates_differ 1", [](World& w) { w[1].facts.nic_rate = 400'000; }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) {
         p.facts.nic = "mlx5_0";
         p.facts.locked_memory = 64;
       }
     },
     "warning low_limits 0-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.locked_memory = 2'147'483'647;
     }},
    {exported,
     [](World& w) {
       for (Process& p : w.processes) p.facts.shared_memory = 64;
     },
     "warning low_limits 0-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.shared_memory = 8192;
     }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes) p.facts.huge_pages = p.host == "n1" ? 1024 : 0;
     },
     "note low_limits 2-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.huge_pages = 1024;
     }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes) p.facts.imex_channels = p.host == "n1" ? "0" : "none";
     },
     "warning imex_differs 2-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.imex_channels = "0";
     }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes) p.facts.partitions = p.host == "n1" ? "SPX/NPS1" : "CPX/NPS4";
     },
     "warning partitions_differ 2-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.partitions = "SPX/NPS1";
     }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes) p.facts.driver = p.host == "n1" ? "565.57.01" : "550.54.15";
     },
     "warning versions_differ 2-3",
     [](World& w) {
       for (Process& p : w.processes) p.facts.driver = "565.57.01";
     }},
    {hydra,
     [](World& w) {
       for (Process& p : w.processes) p.facts.kernel = "6.8.0-45-generic";
       w[0].facts.kernel = "6.8.0-31-generic";
     },
     "note versions_differ 0", [](World& w) { w[0].facts.kernel = w[1].facts.kernel; }},
    {torchrun,
     [](World& w) {
       for (Process& p : w.processes)
         p.facts.time = p.host == "n1" ? 1'790'000'000'000 : 1'790'000'002'500;
     },
     "note clocks_differ 2",
     [](World& w) {
       for (Process& p : w.processes) p.facts.time = 1'790'000'000'000;
     }},
    {slurm,
     [](World& w) {
       for (Process& p : w.processes)
         p.facts.time = p.host == "n1" ? 1'790'003'600'000 : 1'790'000'000'000;
     },
     "warning clocks_differ 0",
     [](World& w) {
       for (Process& p : w.processes) p.facts.time = 1'790'000'000'000;
     }},
    // ---- the output
    {hydra,
     [](World& w) { w.output = [](std::string text) { return text.substr(0, text.size() - 20); }; },
     "error missing_ranks 3; warning unread_lines", [](World& w) { w.output = nullptr; }},
    {hydra,
     [](World& w) {
       w.output = [](std::string text) {
         return "rank 3: rankmap: RANK=\"x\": expected a number; unset it\r\n" +
                text.substr(0, text.rfind("[4]"));
       };
     },
     "error refused; error missing_ranks 3", [](World& w) { w.output = nullptr; }},
};

TEST(Remedies, are_tried_on_60_faults_of_24_kinds) {
  std::set<std::string> kinds;
  std::size_t planted = 0;
  for (const Fault& fault : faults) {
    if (fault.found.empty()) continue;
    ++planted;
    const std::size_t kind = fault.found.find(' ') + 1;
    kinds.emplace(fault.found.substr(kind, fault.found.find_first_of(" ;", kind) - kind));
  }
  EXPECT_GE(planted, 60U);
  EXPECT_GE(kinds.size(), 24U);
}

TEST(Remedies, take_away_the_fault) {
  for (const Fault& fault : faults) {
    const auto row = &fault - faults;
    World world = fault.start({2, 2});
    fault.plant(world);
    EXPECT_EQ(found_in(world), fault.found) << row;
    fault.remedy(world);
    EXPECT_EQ(found_in(world), fault.left) << row;
  }
}

TEST(Remedies, do_not_depend_on_who_printed_first) {
  for (const Fault& fault : faults) {
    World world = fault.start({2, 2});
    fault.plant(world);
    if (world.output != nullptr) continue;
    world.processes = {world.processes.rbegin(), world.processes.rend()};
    EXPECT_EQ(found_in(world), fault.found) << &fault - faults;
  }
}

}  // namespace
