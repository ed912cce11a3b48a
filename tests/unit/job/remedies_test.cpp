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

#include <map>
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
  rankmap::ProcessFacts facts;
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

/// Two ranks on each of two nodes.
World job_of(void (*fill)(Process&, int rank, int local_rank, int node)) {
  World world;
  for (int rank = 0; rank != 4; ++rank) {
    Process process;
    process.host = "n" + std::to_string(rank / 2 + 1);
    process.boot = "boot of " + process.host;
    process.pid = 100 + rank % 2;
    process.cpus = std::to_string(4 * (rank % 2)) + "-" + std::to_string(4 * (rank % 2) + 3);
    fill(process, rank, rank % 2, rank / 2);
    world.processes.push_back(process);
  }
  return world;
}
World exported() {
  return job_of([](Process& process, int rank, int local_rank, int node) {
    process.env = {{"RANK", std::to_string(rank)},
                   {"WORLD_SIZE", "4"},
                   {"LOCAL_RANK", std::to_string(local_rank)},
                   {"LOCAL_WORLD_SIZE", "2"},
                   {"NODE_RANK", std::to_string(node)},
                   {"MASTER_ADDR", "n1"},
                   {"MASTER_PORT", "29500"}};
  });
}
World torchrun() {
  World world = exported();
  for (Process& process : world.processes) {
    process.env.insert({{"TORCHELASTIC_RUN_ID", "night"},
                        {"TORCHELASTIC_RESTART_COUNT", "0"},
                        {"GROUP_RANK", process.env["NODE_RANK"]},
                        {"GROUP_WORLD_SIZE", "2"},
                        {"ROLE_RANK", process.env["RANK"]},
                        {"ROLE_WORLD_SIZE", "4"}});
    process.env.erase("NODE_RANK");
  }
  return world;
}
World slurm() {
  return job_of([](Process& process, int rank, int local_rank, int node) {
    process.env = {{"SLURM_JOB_ID", "7"},
                   {"SLURM_STEP_ID", "0"},
                   {"SLURM_PROCID", std::to_string(rank)},
                   {"SLURM_NTASKS", "4"},
                   {"SLURM_LOCALID", std::to_string(local_rank)},
                   {"SLURM_NODEID", std::to_string(node)},
                   {"SLURM_STEP_NUM_NODES", "2"},
                   {"SLURM_NNODES", "2"},
                   {"SLURM_STEP_NUM_TASKS", "4"},
                   {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                   {"SLURM_STEP_NODELIST", "n[1-2]"},
                   {"SLURM_GTIDS", node == 0 ? "0,1" : "2,3"},
                   {"SLURMD_NODENAME", process.host}};
  });
}
World hydra() {
  return job_of([](Process& process, int rank, int local_rank, int) {
    process.env = {{"PMI_RANK", std::to_string(rank)},
                   {"PMI_SIZE", "4"},
                   {"MPI_LOCALRANKID", std::to_string(local_rank)},
                   {"MPI_LOCALNRANKS", "2"}};
  });
}

TEST(Remedies, are_for_jobs_in_which_nothing_is_wrong_before) {
  for (World (*const start)() : {exported, torchrun, slurm, hydra}) {
    EXPECT_EQ(found_in(start()), "");
  }
}

/// `found`: all findings with the fault. `remedy` changes what the remedy of the first one says;
/// `left`: what is found then.
struct Fault {
  World (*start)();
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
    {torchrun, [](World& w) { w[1].env["TORCHELASTIC_RUN_ID"] = "day"; },
     "error missing_ranks 1; note several_jobs", [](World& w) { w = torchrun(); }},
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
    {exported, [](World& w) { w.set("MASTER_ADDR", "localhost"); }, "error rendezvous_differs 2-3",
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

TEST(Remedies, take_away_the_fault) {
  for (const Fault& fault : faults) {
    const auto row = &fault - faults;
    World world = fault.start();
    fault.plant(world);
    EXPECT_EQ(found_in(world), fault.found) << row;
    fault.remedy(world);
    EXPECT_EQ(found_in(world), fault.left) << row;
  }
}

TEST(Remedies, do_not_depend_on_who_printed_first) {
  for (const Fault& fault : faults) {
    World world = fault.start();
    fault.plant(world);
    if (world.output != nullptr) continue;
    world.processes = {world.processes.rbegin(), world.processes.rend()};
    EXPECT_EQ(found_in(world), fault.found) << &fault - faults;
  }
}

}  // namespace
