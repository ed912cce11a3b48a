// SPDX-License-Identifier: MIT
//
// One fault planted in each small job: just that is found. The expected texts have the finding's
// severity and kind; `~` stands for the ranks.
#include "support/job_records.hpp"
#include "support/planted_job.hpp"

#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using rankmap::DeviceKind;
using rankmap::Doubt;
using rankmap::Finding;
using rankmap::FindingKind;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap::Severity;
using rankmap_test::healthy_job;
using rankmap_test::Job;
using rankmap_test::line_of;
using rankmap_test::set_cpus;
using rankmap_test::summary;
using rankmap_test::table_of;

/// All jobs of up to three nodes with up to three ranks each.
std::vector<std::vector<int>> small_jobs() {
  std::vector<std::vector<int>> out;
  for (int a = 1; a != 4; ++a) {
    out.push_back({a});
    for (int b = 1; b != 4; ++b) {
      out.push_back({a, b});
      for (int c = 1; c != 4; ++c) out.push_back({a, b, c});
    }
  }
  return out;
}

bool is_even(const std::vector<int>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](int count) { return count == counts[0]; });
}

TEST(JobRules, find_nothing_in_a_healthy_job) {
  for (const auto& counts : small_jobs()) {
    const std::string found = summary(healthy_job(counts));
    if (is_even(counts)) {
      EXPECT_EQ(found, "");
    } else {
      EXPECT_EQ(found.substr(0, 18), "note uneven_nodes ") << found;
      EXPECT_EQ(found.find(';'), std::string::npos) << found;
    }
  }
}

// Two nodes of eight ranks fill the lists of the rules, so that the compiler sees each look behind
// their ends.
constexpr bool finds_nothing_in_full_lists() {
  JobTable table;
  for (int rank = 0; rank != 16; ++rank) {
    JobRecord record;
    record.rank = rank;
    record.world_size = 16;
    record.local_rank = rank % 8;
    record.local_world_size = 8;
    record.node_rank = rank / 8;
    record.node_count = 2;
    record.restart_count = 0;
    record.host.append('n').append_number(rank / 8);
    record.boot = 1000U + static_cast<unsigned>(rank / 8);
    record.pid = 100 + rank;
    record.device.is_known = true;
    record.device.kind = DeviceKind::cuda;
    record.device.index = rank % 8;
    record.device.visible_count = 8;
    record.device.pci.append("0000:0").append_number(rank % 8).append(":00.0");
    record.device.uuid.append("GPU-").append_number(rank);
    record.cpus.append_number(rank % 8);
    record.cpu_count = 1;
    record.available_cpus = 8;
    record.threads = 1;
    if (!table.add(record)) return false;
  }
  return table.findings().empty();
}
static_assert(finds_nothing_in_full_lists());

TEST(JobRules, find_nothing_in_full_lists) { EXPECT_TRUE(finds_nothing_in_full_lists()); }

/// A fault in an even job; `plant` returns whether it can have that fault.
struct Plant {
  std::string_view found;
  std::function<bool(Job&)> plant;
};

/// Ranks 0 and 1, where they are on one node.
bool has_two_on_a_node(const Job& job) { return job.size() > 1 && job[1].node_rank == 0; }
bool forget_identities(Job& job) {
  if (!has_two_on_a_node(job)) return false;
  for (JobRecord& record : job) {
    record.device.uuid = {};
    record.device.pci = {};
    record.device.physical = -1;
  }
  return true;
}

bool doubt(Job& job, Doubt doubt, std::string_view variable) {
  job.back().warnings = 1;
  job.back().doubt = doubt;
  job.back().doubted = variable;
  return true;
}
/// The clock of the last node is ahead by so many milliseconds.
bool set_clocks(Job& job, int ahead) {
  const int node = job.back().node_rank;
  for (JobRecord& record : job) {
    record.time = 1'790'000'000'000 + record.local_rank + (record.node_rank == node ? ahead : 0);
  }
  return node > 0;
}

const std::vector<Plant>& plants() {
  static const std::vector<Plant> list = {
      {"error all_alone 0",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.rank = record.local_rank = record.node_rank = 0;
           record.world_size = record.local_world_size = record.node_count = 1;
         }
         return job.size() > 1;
       }},
      {"error same_rank 0",
       [](Job& job) {
         JobRecord other = job[0];
         other.pid = 99;
         job.push_back(other);
         return job.size() > 2;
       }},
      {"error same_rank 0",
       [](Job& job) {
         JobRecord other = job[0];
         other.pid = 99;
         job.push_back(other);
         other.host = "";  // may be either
         other.boot = 0;
         job.push_back(other);
         return job.size() > 3;
       }},
      {"error same_rank 0",
       [](Job& job) {
         JobRecord other = job[0];
         other.host = "elsewhere";
         other.boot = 77;
         job.push_back(other);
         return job.size() > 2;
       }},
      {"note lone_process 0",
       [](Job& job) {
         JobRecord alone;
         alone.launcher = "none";
         alone.host = "n0";
         alone.boot = 1000;
         alone.pid = 99;
         alone.device = job[0].device;
         alone.cpus = job[0].cpus;
         alone.cpu_count = job[0].cpu_count;
         job.push_back(alone);
         return job.size() > 2;
       }},
      {"error several_runs ~",
       [](Job& job) {
         for (JobRecord& record : Job(job)) {
           record.pid += 50;
           job.push_back(record);
         }
         return job.size() > 2;
       }},
      {"warning contradicted ~",
       [](Job& job) {
         job.back().conflicts = 1;
         job.back().against = rankmap::Launcher::torch_env;
         job.back().against_by = "RANK";
         job.back().source = "SLURM_PROCID";
         return true;
       }},
      {"warning warned ~",
       [](Job& job) {
         job.back().warnings = 2;
         return true;
       }},
      {"error rendezvous_differs ~",
       [](Job& job) {
         for (JobRecord& record : job)
           record.rendezvous = rankmap::detail::meeting_point("n0", 29500);
         job.back().rendezvous = rankmap::detail::meeting_point("n0", 29501);
         return job.size() > 1;
       }},
      {"error world_size_differs ~",
       [](Job& job) {
         job.back().world_size += 3;
         return job.size() > 2;
       }},
      {"error missing_ranks ~",
       [](Job& job) {
         job.erase(job.begin() + static_cast<std::ptrdiff_t>(job.size()) / 2);
         return job.size() > 1;
       }},
      {"warning mixed_restarts ~",
       [](Job& job) {
         for (JobRecord& record : job) record.restart_count = 1;
         job.back().restart_count = 0;
         return job.size() > 1;
       }},
      {"note mixed_restarts ~",
       [](Job& job) {
         const Job before = job;
         for (JobRecord& record : job) {
           record.restart_count = 1;
           record.pid += 50;
         }
         job.insert(job.end(), before.begin(), before.end());
         return true;
       }},
      {"note several_jobs",
       [](Job& job) {
         const Job before = job;
         for (JobRecord& record : job) record.job = "4712.0";
         job.insert(job.end(), before.begin(), before.end());
         return true;
       }},
      {"warning mixed_launchers ~",
       [](Job& job) {
         job.back().launcher = "torchrun";
         return job.size() > 1;
       }},
      {"error layout_differs ~",
       [](Job& job) {
         job.back().layout = 9;
         return job.size() > 1;
       }},
      {"error layout_differs ~",
       [](Job& job) {
         job.back().hosts = 9;
         return job.size() > 1;
       }},
      {"error layout_differs ~",
       [](Job& job) {
         job.back().node_count += 1;
         return job.size() > 1;
       }},
      {"error layout_differs ~",
       [](Job& job) {
         job.back().local_world_size += 1;
         return job.size() > static_cast<std::size_t>(job.back().local_world_size);
       }},
      {"error place_conflict 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].local_rank = 0;
         return true;
       }},
      {"error place_conflict 0-1",
       [](Job& job) {
         if (job.size() < 2 || job[1].node_rank == 0) return false;
         job[1].node_rank = 0;
         return true;
       }},
      {"warning host_name_clash ~",
       [](Job& job) {
         for (JobRecord& record : job) record.host = "localhost";
         return job.back().node_rank > 0;
       }},
      {"note containers ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.host = std::string_view("pod-" + std::to_string(record.rank));
         }
         return has_two_on_a_node(job);
       }},
      {"note containers ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.pid_namespace = 1000U + static_cast<unsigned>(record.rank);
         }
         return has_two_on_a_node(job);
       }},
      {"note split_machine ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.host = "n0";
           record.boot = 1000;
           record.pid = 1000 + record.rank;
           record.device = {};
           record.cpus = {};
           record.cpu_count = -1;
         }
         return job.back().node_rank > 0;
       }},
      {"error duplicate_device 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].device.uuid = job[0].device.uuid;
         job[1].device.pci = job[0].device.pci;
         return true;
       }},
      {"error duplicate_device 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].device.pci = job[0].device.pci;
         job[1].device.uuid = {};
         return true;
       }},
      {"note shared_device 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].device.uuid = job[0].device.uuid;
         for (JobRecord& record : job) record.device.is_shared = true;
         return true;
       }},
      {"note device_parts 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].device.pci = job[0].device.pci;
         return true;
       }},
      {"warning likely_duplicate ~",
       [](Job& job) {
         if (!forget_identities(job)) return false;
         for (JobRecord& record : job) record.device.index = 0;
         return true;
       }},
      {"error duplicate_device ~",
       [](Job& job) {
         if (!forget_identities(job)) return false;
         for (JobRecord& record : job) record.device.physical = 3;
         return true;
       }},
      {"note device_not_told ~",
       [](Job& job) {
         if (!forget_identities(job)) return false;
         for (JobRecord& record : job) {
           record.device.index = 0;
           record.device.visible_count = 1;
         }
         return true;
       }},
      {"warning far_device ~",
       [](Job& job) {
         job.back().device.numa_node = 1 - job.back().device.numa_node;
         return true;
       }},
      {"warning far_nic ~",
       [](Job& job) {
         for (JobRecord& record : job) record.nic = "mlx5_0";
         for (JobRecord& record : job) record.nic_numa_node = record.device.numa_node;
         job.back().nic_numa_node = 1 - job.back().device.numa_node;
         return true;
       }},
      {"warning far_nic ~",
       [](Job& job) {
         for (JobRecord& record : job) record.device = {};
         for (JobRecord& record : job) record.device.is_known = true;
         job.back().nic = "hsn0";
         job.back().nic_numa_node = 3;
         return true;
       }},
      {"note same_core 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[0].sibling_cpus = "4-5";
         job[0].cores = 4;
         return true;
       }},
      {"note same_core 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         job[1].sibling_cpus = "2-3";
         job[1].cores = 4;
         return true;
       }},
      {"warning same_cpus 0-1",
       [](Job& job) {
         if (!has_two_on_a_node(job)) return false;
         set_cpus(job[1], "3-6");
         return job[0].local_world_size == 2;  // else it overlaps with the third, too
       }},
      {"error same_cpus ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           set_cpus(record, "0");
           record.threads = 1;
         }
         return has_two_on_a_node(job);
       }},
      {"note not_bound ~",
       [](Job& job) {
         for (JobRecord& record : job) set_cpus(record, "0-11");
         for (JobRecord& record : job) record.available_cpus = 12;
         return has_two_on_a_node(job);
       }},
      {"note not_bound ~",
       [](Job& job) {
         for (JobRecord& record : job) set_cpus(record, "0-11");
         for (JobRecord& record : job) record.available_cpus = -1;
         return has_two_on_a_node(job);
       }},
      {"error job_ids_differ ~",
       [](Job& job) {
         job.back().job = "4712.0";
         return job.size() > 1;
       }},
      {"error wrong_launcher ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.launcher = "hydra";
           record.library = "libmpi.so.40.30.4";
         }
         return true;
       }},
      {"warning two_indices ~",
       [](Job& job) {
         job.back().source = "SLURM_PROCID";
         return doubt(job, Doubt::index, "WORKER");
       }},
      {"warning two_indices ~",
       [](Job& job) {
         job.back().source = "SLURM_PROCID";
         job.back().against = rankmap::Launcher::kubernetes;
         return doubt(job, Doubt::index, "JOB_COMPLETION_INDEX=2");
       }},
      {"warning shared_world ~",
       [](Job& job) { return doubt(job, Doubt::programs, "OMPI_NUM_APP_CTX"); }},
      {"note virtual_ranks ~",
       [](Job& job) {
         for (JobRecord& record : job) record.local_rank = 0;
         if (has_two_on_a_node(job)) {
           for (JobRecord& record : job) {
             record.warnings = 1;
             record.doubt = Doubt::virtual_rank;
             record.device.visible_count = 1;
             record.doubted = "LOCAL_RANK";
           }
         }
         return doubt(job, Doubt::virtual_rank, "LOCAL_RANK");
       }},
      {"note replica_groups ~",
       [](Job& job) { return doubt(job, Doubt::groups, "NUM_REPLICA_GROUPS"); }},
      {"note replica_groups ~",
       [](Job& job) {
         const Job first = job;
         for (JobRecord record : first) {
           record.pid += 50;
           job.push_back(record);
         }
         for (JobRecord& record : job) record.doubt = Doubt::groups;
         return first.size() > 1;
       }},
      {"warning devices_differ ~",
       [](Job& job) {
         const int node = job.back().node_rank;
         for (JobRecord& record : job) record.device.visible_count += record.node_rank == node;
         return node > 0;
       }},
      {"warning nic_unusable ~",
       [](Job& job) {
         job.back().nic = "mlx5_0";
         job.back().nic_fault = rankmap::NicFault::down;
         return true;
       }},
      {"warning nic_unusable ~",
       [](Job& job) {
         job.back().nic = "mlx5_0";
         job.back().nic_fault = rankmap::NicFault::no_gid;
         return true;
       }},
      {"warning nic_rates_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           record.nic = "mlx5_0";
           record.nic_rate = 400'000;
         }
         job.back().nic_rate = 200'000;
         return job.size() > 1;
       }},
      {"warning partitions_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) record.partitions = "SPX/NPS1";
         job.back().partitions = "CPX/NPS4";
         return job.size() > 1;
       }},
      {"warning imex_differs ~",
       [](Job& job) {
         for (JobRecord& record : job) record.imex_channels = "0-2047";
         job.back().imex_channels = "none";
         return job.size() > 1;
       }},
      {"warning shared_quota ~",
       [](Job& job) {
         for (JobRecord& record : job) {
           if (record.node_rank != 0) continue;
           record.cpu_quota = 1500;
           record.quota_group = 7;
         }
         return has_two_on_a_node(job);
       }},
      {"warning low_limits ~",
       [](Job& job) {
         job.back().nic = "mlx5_0";
         job.back().locked_memory = 64;
         return true;
       }},
      {"warning low_limits ~",
       [](Job& job) {
         job.back().shared_memory = 64;
         return has_two_on_a_node(job);
       }},
      {"warning low_limits ~",  // the other records of the machine say how many there are
       [](Job& job) {
         for (JobRecord& record : job) record.local_world_size = -1;
         job.back().shared_memory = 64;
         return has_two_on_a_node(job);
       }},
      {"note low_limits ~",
       [](Job& job) {
         for (JobRecord& record : job) record.huge_pages = 1024;
         job.back().huge_pages = 0;
         return job.size() > 1;
       }},
      {"warning versions_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) record.driver = "565.57.01";
         job.back().driver = "550.54.15";
         return job.size() > 1;
       }},
      {"warning versions_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) record.collectives = "libnccl.so.2.21.5";
         job.back().collectives = "libnccl.so.2.18.3";
         return job.size() > 1;
       }},
      {"warning versions_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) record.library = "libmpi.so.40.30.4";
         job.back().library = "libmpi.so.40.40.7";
         return job.size() > 1;
       }},
      {"note versions_differ ~",
       [](Job& job) {
         for (JobRecord& record : job) record.kernel = "6.8.0-45-generic";
         job.back().kernel = "6.8.0-31-generic";
         return job.size() > 1;
       }},
      {"note clocks_differ ~", [](Job& job) { return set_clocks(job, 3000); }},
      {"warning clocks_differ ~", [](Job& job) { return set_clocks(job, 60'000); }},
      {"warning few_cpus ~",
       [](Job& job) {
         job.back().threads = 5;
         return has_two_on_a_node(job);
       }},
  };
  return list;
}

std::string without_ranks(const std::string& found, std::string_view expected) {
  if (expected.empty() || expected.back() != '~') return found;
  return found.substr(0, found.find_last_of(' ') + 1) + "~";
}

TEST(JobRules, find_the_one_fault_of_a_job) {
  for (const Plant& plant : plants()) {
    int planted = 0;
    for (const auto& counts : small_jobs()) {
      if (!is_even(counts)) continue;
      Job job = healthy_job(counts);
      if (!plant.plant(job)) continue;
      ++planted;
      EXPECT_EQ(without_ranks(summary(job), plant.found), plant.found) << summary(job);
    }
    EXPECT_GT(planted, 1) << plant.found;
  }
}

TEST(JobRules, know_every_kind) {
  std::set<std::string_view> planted = {"refused",      "same_node_rank", "uneven_nodes",
                                        "out_of_order", "unread_lines",   "leaves_domain"};
  for (const Plant& plant : plants()) {
    const std::size_t kind = plant.found.find(' ') + 1;
    planted.insert(plant.found.substr(kind, plant.found.find(' ', kind) - kind));
  }
  for (std::size_t i = 0; i != rankmap::finding_count; ++i) {
    EXPECT_EQ(planted.count(name(static_cast<FindingKind>(i))), 1U)
        << name(static_cast<FindingKind>(i));
  }
}

/// What shows it, for a job of two nodes with two ranks each.
struct Evidence {
  std::string_view kind;
  std::string_view text;
};

TEST(JobRules, name_the_first_example_as_evidence) {
  const std::multimap<std::string, std::string> expected = {
      {"all_alone",
       "4 processes are rank 0 of 1, the first is process 100 on n0, the last process 101 on n1; "
       "launcher: slurm"},
      {"same_rank", "rank 0 is process 99 on n0 and process 100 on n0"},
      {"same_rank", "rank 0 is process 99 on n0 and process 100 on n0"},
      {"same_rank", "rank 0 is process 100 on elsewhere and process 100 on n0"},
      {"lone_process", "process 99 on n0 is rank 0 of 1, without a launcher"},
      {"several_runs",
       "every rank is two processes and more: rank 0 is process 100 on n0 and process 150 on n0 "
       "(and "
       "3 more)"},
      {"contradicted",
       "rank 3 on n1 is that by SLURM_PROCID of slurm; RANK of torch_env contradicts it, and is to "
       "be unset unless torch_env started the process"},
      {"warned", "rank 3 on n1 has 2 warnings"},
      {"rendezvous_differs", "rank 3 on n1 would meet at port 29501, and at 29500 rank 0 on n0"},
      {"duplicate_device",
       "ranks 0 and 1 on n0 use one device, number 3 of their machine (cuda:0, cuda:1) (and 1 "
       "more)"},
      {"world_size_differs", "world sizes: 4 (ranks 0-2), 7 (rank 3)"},
      {"missing_ranks", "3 of 4 ranks have a record in job 4711.0"},
      {"mixed_restarts", "not all ranks are in restart 1, the first restart is 0"},
      {"mixed_restarts", "records from before restart 1 are left out"},
      {"several_jobs", "job 4711.0 (ranks 0-3), job 4712.0 (ranks 0-3)"},
      {"mixed_launchers", "launchers: slurm (ranks 0-2), torchrun (rank 3)"},
      {"layout_differs", "rank 3 on n1 has another layout than rank 0, with which 2 agree"},
      {"layout_differs", "rank 3 on n1 has another list of hosts than rank 0, with which 2 agree"},
      {"layout_differs",
       "rank 3 on n1 has another number of nodes than rank 0, with which 2 agree"},
      {"layout_differs", "rank 3 on n1 says that its node has 3 ranks, but it has 2"},
      {"place_conflict", "ranks 0 and 1 on n0 are both local rank 0"},
      {"host_name_clash", "localhost is the name of 2 machines: ranks 0 and 2 have other boot ids"},
      {"containers", "rank 0 on pod-0 and rank 1 on pod-1 are on one machine (and 1 more)"},
      {"containers", "ranks 0 and 1 on n0 have different PID namespaces (and 1 more)"},
      {"split_machine", "n0 is node 0 of rank 0 and node 1 of rank 2"},
      {"duplicate_device", "ranks 0 and 1 on n0 use one device, GPU-1000 (cuda:0, cuda:1)"},
      {"duplicate_device", "ranks 0 and 1 on n0 use one device, 0000:00:00.0 (cuda:0, cuda:1)"},
      {"shared_device", "ranks 0 and 1 on n0 share GPU-1000 (cuda:0, cuda:1)"},
      {"device_parts", "ranks 0 and 1 on n0 have different UUIDs at one address, 0000:00:00.0"},
      {"likely_duplicate", "ranks 0 and 1 on n0 both use cuda:0 of 2 visible ones (and 1 more)"},
      {"device_not_told",
       "ranks 0 and 1 on n0 both use cuda:0, without UUID or PCI address (and 1 more)"},
      {"far_device", "cuda:1 of rank 3 on n1 is on NUMA node 0, its CPUs are on node 1"},
      {"far_nic", "mlx5_0 of rank 3 on n1 is on NUMA node 0, its cuda:1 is on node 1"},
      {"far_nic", "hsn0 of rank 3 on n1 is on NUMA node 3, its CPUs are on node 1"},
      {"same_core",
       "ranks 0 and 1 on n0 have parts of one core: CPU 4 is of rank 1, the rest of rank 0"},
      {"same_core",
       "ranks 1 and 0 on n0 have parts of one core: CPU 2 is of rank 0, the rest of rank 1"},
      {"same_cpus", "ranks 0 and 1 on n0 share CPU 3"},
      {"same_cpus",
       "ranks 0 and 1 on n0 share CPU 0; 2 ranks there have 1 CPU together (and 1 more)"},
      {"not_bound", "ranks 0 and 1 on n0 may both run on all 12 CPUs (and 1 more)"},
      {"not_bound",
       "ranks 0 and 1 on n0 may both run on all 12 CPUs that any rank there has (and 1 more)"},
      {"few_cpus", "rank 3 on n1 has 4 CPUs for 5 threads"},
      {"job_ids_differ", "ids of the job: 4711.0 (ranks 0-2), 4712.0 (rank 3)"},
      {"wrong_launcher",
       "rank 0 on n0 was started by hydra, and its program needs libmpi.so.40.30.4 (and 3 more)"},
      {"two_indices",
       "rank 3 on n1 is known by another number than its pod, by WORKER; its own is by "
       "SLURM_PROCID "
       "of slurm"},
      {"two_indices",
       "rank 3 on n1 is known by another number than its pod, by JOB_COMPLETION_INDEX=2 of "
       "kubernetes; its own is by SLURM_PROCID of slurm"},
      {"shared_world", "rank 3 on n1 shares its world with another program, by OMPI_NUM_APP_CTX"},
      {"virtual_ranks",
       "rank 0 on n0 has a local rank that other workers of its node may have, by LOCAL_RANK (and "
       "3 more)"},
      {"replica_groups",
       "rank 3 on n1 is a rank of one replica group of several, by NUM_REPLICA_GROUPS"},
      {"replica_groups",
       "each group has such a rank: rank 0 is process 100 on n0 and process 150 on n0 (and 3 "
       "more)"},
      {"devices_differ", "visible devices: 3 (rank 2), 2 (rank 0)"},
      {"nic_unusable", "rank 3 on n1 is to use mlx5_0, which is down"},
      {"nic_unusable", "rank 3 on n1 is to use mlx5_0, which has no GID here"},
      {"nic_rates_differ", "Mb/s of the network devices: 400000 (ranks 0-2), 200000 (rank 3)"},
      {"partitions_differ", "partition modes: SPX/NPS1 (ranks 0-2), CPX/NPS4 (rank 3)"},
      {"imex_differs", "IMEX channels: 0-2047 (ranks 0-2), none (rank 3)"},
      {"shared_quota", "ranks 0 and 1 on n0 share a quota of 1.5 CPUs"},
      {"low_limits", "rank 3 on n1 may lock 64 KiB of memory, and RDMA needs more"},
      {"low_limits", "rank 3 on n1 has 64 MiB in /dev/shm, for 2 ranks of its node"},
      {"low_limits", "rank 3 on n1 has 64 MiB in /dev/shm, for 2 ranks of its node"},
      {"low_limits", "MiB of huge pages: 1024 (ranks 0-2), 0 (rank 3)"},
      {"versions_differ", "drivers: 565.57.01 (ranks 0-2), 550.54.15 (rank 3)"},
      {"versions_differ",
       "libraries of collectives: libnccl.so.2.21.5 (ranks 0-2), libnccl.so.2.18.3 (rank 3)"},
      {"versions_differ",
       "MPI libraries: libmpi.so.40.30.4 (ranks 0-2), libmpi.so.40.40.7 (rank 3)"},
      {"versions_differ", "kernels: 6.8.0-45-generic (ranks 0-2), 6.8.0-31-generic (rank 3)"},
      {"clocks_differ",
       "rank 2 on n1 spoke 3 s after rank 0 on n0, by the clocks of their machines"},
      {"clocks_differ",
       "rank 2 on n1 spoke 60 s after rank 0 on n0, by the clocks of their machines"},
  };
  std::multimap<std::string, std::string> found;
  for (const Plant& plant : plants()) {
    Job job = healthy_job({2, 2});
    if (!plant.plant(job)) continue;
    const auto findings = table_of(job).findings();
    ASSERT_EQ(findings.size(), 1U) << plant.found;
    found.emplace(name(findings[0].kind), findings[0].evidence.view());
  }
  for (auto at = found.begin(); at != found.end(); ++at) {
    const auto range = expected.equal_range(at->first);
    const bool known = std::any_of(range.first, range.second,
                                   [&](const auto& row) { return row.second == at->second; });
    EXPECT_TRUE(known) << at->first << ": " << at->second;
  }
  EXPECT_EQ(found.size(), expected.size());
}

// ---- domains -----------------------------------------------------------------------------------

TEST(JobRules, find_groups_that_leave_their_domain) {
  struct Row {
    std::vector<std::string_view> domains;  // of six ranks on three nodes; empty: not known
    int ranks_in_domain;
    std::string_view found;
  };
  const Row rows[] = {
      {{"a", "a", "a", "a", "b", "b"}, 0, ""},
      {{"a", "a", "a", "a", "b", "b"}, 1, ""},
      {{"a", "a", "a", "a", "b", "b"}, 2, ""},
      {{"a", "a", "a", "a", "b", "b"}, 4, ""},
      {{"a", "a", "a", "a", "b", "b"}, 3, "warning leaves_domain 3-5"},
      {{"a", "a", "a", "a", "b", "b"}, 5, "warning leaves_domain 0-4"},
      {{"a", "a", "b", "b", "a", "a"}, 4, "warning leaves_domain 0-3"},
      {{"a", "b", "b", "b", "a", "b"}, 2, "warning leaves_domain 0-1,4-5"},
      {{"a", "", "", "a", "b", "b"}, 4, ""},
      {{"", "", "", "b", "a", ""}, 6, "warning leaves_domain 0-5"},
      {{"", "", "", "", "", ""}, 6, ""},
      {{"a", "a", "a", "a", "b", "b"}, 1 << 30, "warning leaves_domain 0-5"},
      {{"a", "a", "a", "a", "b", "b"}, -1, ""},
  };
  for (const Row& row : rows) {
    Job job = healthy_job({2, 2, 2});
    for (std::size_t i = 0; i != job.size(); ++i) job[i].domain = row.domains[i];
    EXPECT_EQ(summary(job, {.ranks_in_domain = row.ranks_in_domain}), row.found);
    std::reverse(job.begin(), job.end());
    EXPECT_EQ(summary(job, {.ranks_in_domain = row.ranks_in_domain}), row.found);
  }
  Job job = healthy_job({2, 2, 2});
  for (std::size_t i = 0; i != job.size(); ++i) job[i].domain = i < 3 ? "rack 1" : "rack 2";
  const auto findings = table_of(job).findings({.ranks_in_domain = 4});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].evidence,
            "ranks 0 to 3 should be in one domain: rank 0 on n0 is in rack 1, rank 3 on n1 in "
            "rack 2");
  job[3].domain = "rack 1";
  job[4].domain = "rack 1";
  EXPECT_EQ(table_of(job).findings({.ranks_in_domain = 4})[0].evidence,
            "ranks 4 to 5 should be in one domain: rank 4 on n2 is in rack 1, rank 5 on n2 in "
            "rack 2");
}

// ---- traps: what is no fault, or another one ---------------------------------------------------

TEST(JobRules, take_jobs_of_an_array_for_several) {
  Job job;
  for (int task = 0; task != 4; ++task) {
    Job one = healthy_job({1});
    one[0].job = std::string_view("4711_" + std::to_string(task));
    job.push_back(one[0]);
  }
  EXPECT_EQ(summary(job), "note several_jobs");
}

TEST(JobRules, say_nothing_of_a_core_whose_other_half_is_nobodys) {
  Job job = healthy_job({2});
  job[0].sibling_cpus = "16-19";
  EXPECT_EQ(summary(job), "");
  // CPUs of another machine are others.
  job = healthy_job({1, 1});
  job[0].sibling_cpus = "4-7";
  EXPECT_EQ(summary(job), "");
  // Where CPUs overlap, so do cores.
  job = healthy_job({2});
  set_cpus(job[0], "0-4");
  job[0].sibling_cpus = "5";
  EXPECT_EQ(summary(job), "warning same_cpus 0-1");
}

TEST(JobRules, know_which_launcher_starts_programs_of_which_mpi) {
  for (const std::string_view launcher : {"hydra", "mvapich", "mvapich2", "open_mpi", "slurm"}) {
    for (const auto& [library, is_open_mpi] :
         {std::pair{"libmpi.so.20.10.1", true}, std::pair{"libmpi.so.40.30.4", true},
          std::pair{"libmpi.so.80.0.0", true}, std::pair{"libmpi.so.12.1.1", false},
          std::pair{"libmpich.so.12", false}, std::pair{"libmpi_cray.so.12", false}}) {
      Job job = healthy_job({2, 2});
      for (JobRecord& record : job) {
        record.launcher = launcher;
        record.library = library;
      }
      const bool is_wrong = launcher != "slurm" && is_open_mpi != (launcher == "open_mpi");
      const auto findings = table_of(job).findings();
      EXPECT_EQ(findings.find(FindingKind::wrong_launcher) != nullptr, is_wrong)
          << launcher << ' ' << library;
    }
  }
}

TEST(JobRules, say_nothing_of_a_network_device_without_a_place) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) record.nic = "mlx5_0";
  EXPECT_EQ(summary(job), "");
  for (JobRecord& record : job) record.device.numa_node = -1;
  for (JobRecord& record : job) record.nic_numa_node = 5;
  EXPECT_EQ(summary(job), "");
  for (JobRecord& record : job) record.device = {};
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, compare_channels_between_nodes_in_each_job_alone) {
  Job jobs = healthy_job({1, 1});
  for (JobRecord record : healthy_job({1, 1, 1})) {
    record.job = "4712.0";
    jobs.push_back(record);
  }
  for (JobRecord& record : jobs) record.imex_channels = record.world_size == 2 ? "7" : "8";
  EXPECT_EQ(table_of(jobs).findings().find(FindingKind::imex_differs), nullptr);
  jobs.back().imex_channels = "7";
  EXPECT_NE(table_of(jobs).findings().find(FindingKind::imex_differs), nullptr);
}

TEST(JobRules, find_channels_that_not_all_processes_have) {
  constexpr std::string_view rows[][4] = {
      // A list that was too long for the record is one that is not known.
      {"0-2047", "0", "", ""},      {"0-3", "2-5", "3,9", ""},   {"0,2,4,6", "6", "", ""},
      {"~1a2b3c", "0", "", ""},     {"~1a2b3c", "~4d5e6f", "0"}, {"none", "none", "", ""},
      {"0", "1", "", "0"},          {"0-1", "1-2", "0,2", "0"},  {"0-2047", "none", "", "0"},
      {"~1a2b3c", "0", "none", "0"}};
  for (const auto& row : rows) {
    Job job = healthy_job({1, 1, 1});
    for (std::size_t i = 0; i != 3; ++i) job[i].imex_channels = row[i];
    const auto findings = table_of(job).findings();
    EXPECT_EQ(findings.find(FindingKind::imex_differs) != nullptr, !row[3].empty())
        << row[0] << ' ' << row[1];
  }
}

TEST(JobRules, see_one_node_rank_on_two_hosts) {
  Job job = healthy_job({2, 2});
  for (const std::size_t i : {2U, 3U}) {
    job[i].rank -= 2;
    job[i].node_rank = 0;
  }
  Job containers = job;
  for (const std::size_t i : {2U, 3U}) containers[i].boot = job[0].boot;
  for (const Job& twice : {job, containers}) {
    const auto findings = table_of(twice).findings();
    const auto* const found = findings.find(FindingKind::same_node_rank);
    ASSERT_NE(found, nullptr) << summary(findings);
    EXPECT_EQ(found->evidence,
              "node rank 0 is that of two hosts: rank 0 is process 100 on n0 and process 100 on n1 "
              "(and 1 more)");
  }
  // two launches in one place
  for (const std::size_t i : {2U, 3U}) {
    containers[i].host = job[0].host;
    containers[i].pid += 50;
  }
  EXPECT_NE(table_of(containers).findings().find(FindingKind::same_rank), nullptr);
}

TEST(JobRules, say_how_far_apart_two_runs_are) {
  struct Row {
    std::int64_t first;
    std::int64_t second;
    std::string_view apart;
  };
  constexpr Row rows[] = {{1'790'000'000'000, 1'790'000'061'000, ", which spoke 61 s later"},
                          {1'790'000'061'000, 1'790'000'000'000, ", which spoke 61 s earlier"},
                          {1'790'000'000'999, 1'790'000'000'000, ""},
                          {-1, 1'790'000'061'000, ""},
                          {1'790'000'061'000, -1, ""}};
  for (const Row& row : rows) {
    Job job = healthy_job({2});
    for (JobRecord record : healthy_job({2})) {
      record.pid += 50;
      job.push_back(record);
    }
    for (std::size_t i = 0; i != job.size(); ++i) job[i].time = i < 2 ? row.first : row.second;
    const auto findings = table_of(job).findings();
    const auto* const found = findings.find(FindingKind::several_runs);
    ASSERT_NE(found, nullptr) << summary(findings);
    EXPECT_EQ(found->evidence.view(),
              "every rank is two processes and more: rank 0 is process 100 on n0 and process 150 "
              "on n0" +
                  std::string(row.apart) + " (and 1 more)");
  }
}

TEST(JobRules, name_jobs_of_which_no_rank_is_left) {
  Job job = healthy_job({2});
  for (JobRecord& record : Job(job)) {
    record.job = "4712.0";
    job.push_back(record);
    record.pid += 9;
    job.push_back(record);
  }
  EXPECT_EQ(summary(job), "error several_runs 0-1; note several_jobs");
  EXPECT_EQ(table_of(job).findings()[1].evidence, "job 4711.0 (ranks 0-1), job 4712.0 (ranks 0-1)");
}

TEST(JobRules, take_one_process_for_one) {
  Job job = healthy_job({2});
  job.push_back(job[1]);
  job.back().threads = 3;  // described twice
  EXPECT_EQ(summary(job), "");
  job = healthy_job({1});
  job.push_back(job[0]);
  job.back().threads = 3;
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, tell_processes_apart_by_any_one_fact) {
  void (*const differences[])(JobRecord&) = {
      [](JobRecord& r) { r.boot += 1; },
      [](JobRecord& r) { r.host = "other"; },
      [](JobRecord& r) { r.pid_namespace += 1; },
      [](JobRecord& r) { r.pid += 1; },
  };
  for (const auto& differ : differences) {
    Job job = healthy_job({2});
    job.push_back(job[1]);
    differ(job.back());
    EXPECT_EQ(summary(job), "error same_rank 1") << &differ - differences;
  }
}

TEST(JobRules, say_if_one_rank_may_be_two_processes) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) record.pid = -1;
  EXPECT_EQ(summary(job), "");
  job.push_back(job[1]);
  job.back().threads = 3;
  EXPECT_EQ(summary(job), "note same_rank 1");
  job.back().pid = 0;
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "rank 1 is a process on n0, and perhaps also process 0 on n0");
}

TEST(JobRules, name_the_variable_of_which_processes_are_warned_that_are_all_alone) {
  JobRecord alone =
      rankmap::describe(*rankmap::Topology::from_environment(rankmap::FixedEnvironment()));
  alone.host = "n0";
  alone.pid = 1;
  alone.warnings = 1;
  alone.doubt = Doubt::value;
  alone.doubted = "OMPI_COMM_WORLD_RANK";
  JobRecord other = alone;
  other.pid = 2;
  EXPECT_EQ(table_of({alone, other}).findings()[0].evidence,
            "2 processes are rank 0 of 1, the first is process 1 on n0, the last process 2 on n0; "
            "launcher: none, with 1 warning, of OMPI_COMM_WORLD_RANK");
  alone.warnings = 3;
  EXPECT_EQ(table_of({alone, other}).findings()[0].evidence,
            "2 processes are rank 0 of 1, the first is process 1 on n0, the last process 2 on n0; "
            "launcher: none, with 3 warnings, one of OMPI_COMM_WORLD_RANK");
  alone.warnings = 0;
  EXPECT_EQ(table_of({alone, other}).findings()[0].evidence,
            "2 processes are rank 0 of 1, the first is process 1 on n0, the last process 2 on n0; "
            "launcher: none");
}

TEST(JobRules, name_one_variable_of_several_warnings_of_a_rank) {
  Job job = healthy_job({2});
  job[1].doubt = Doubt::value;
  job[1].doubted = "LOCAL_RANK";
  job[1].warnings = 1;
  EXPECT_EQ(table_of(job).findings()[0].evidence, "rank 1 on n0 has 1 warning, of LOCAL_RANK");
  job[1].warnings = 3;
  EXPECT_EQ(table_of(job).findings()[0].evidence, "rank 1 on n0 has 3 warnings, one of LOCAL_RANK");
}

TEST(JobRules, count_equal_records_of_an_all_gather) {
  JobTable table = JobTable::of_processes();
  const JobRecord alone =
      rankmap::describe(*rankmap::Topology::from_environment(rankmap::FixedEnvironment()));
  for (int i = 0; i != 3; ++i) EXPECT_TRUE(table.add(alone));
  EXPECT_EQ(summary(table.findings()), "error all_alone 0");
  EXPECT_EQ(table.rows().size(), 3U);
  EXPECT_EQ(summary(Job{alone, alone, alone}), "");  // may be one line, read three times
}

TEST(JobRules, find_ranks_of_the_other_job_missing) {
  Job job = healthy_job({2, 2});
  job[3].job = "4700.0";
  EXPECT_EQ(summary(job), "error job_ids_differ 3");
  job.erase(job.begin() + 1);
  EXPECT_EQ(summary(job), "error missing_ranks 1,3; note several_jobs");
}

// The ranks are those of the largest job; those of the first jobs are named, too.
TEST(JobRules, name_the_missing_ranks_of_every_job) {
  Job job = healthy_job({2, 2});
  job.pop_back();
  const auto add_job = [&](std::string_view id, const std::vector<std::size_t>& left_out) {
    Job other = healthy_job({3, 3});
    for (std::size_t i = 0; i != other.size(); ++i) {
      other[i].job = id;
      if (std::count(left_out.begin(), left_out.end(), i) == 0) job.push_back(other[i]);
    }
  };
  const auto evidence = [&] {
    return std::string(table_of(job).findings().find(FindingKind::missing_ranks)->evidence);
  };
  const std::string own = "3 of 4 ranks have a record in job 4711.0";
  add_job("a", {});
  EXPECT_EQ(evidence(), own);
  add_job("b", {1, 2, 3});
  EXPECT_EQ(evidence(), own + "; missing in job 4711.0: 3; missing in job b: 1-3");
  add_job("c", {5});
  const auto findings = table_of(job).findings();
  EXPECT_EQ(to_string(findings.find(FindingKind::missing_ranks)->ranks), "5");
  const std::string largest = "5 of 6 ranks have a record in job c; missing in job 4711.0: 3; ";
  EXPECT_EQ(evidence(), largest + "missing in job b: 1-3; missing in job c: 5");
  add_job("d", {0});
  add_job("e", {0});
  EXPECT_EQ(evidence(), largest +
                            "missing in job b: 1-3; missing in job c: 5; missing in job d: 0 "
                            "(and 1 more)");
  for (JobRecord& record : job) {
    if (record.job == "b") record.job = "";
  }
  EXPECT_NE(evidence().find("; missing in job without an id: 1-3"), std::string::npos);
}

TEST(JobRules, name_nodes_of_which_no_rank_has_a_record) {
  Job job = healthy_job({2, 2, 2, 2});
  job.erase(job.begin(), job.begin() + 4);
  job.pop_back();
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "3 of 8 ranks have a record in job 4711.0; of nodes 0-1 there is none");
  job[0].node_rank = -1;
  EXPECT_EQ(table_of(job).findings()[0].evidence, "3 of 8 ranks have a record in job 4711.0");
  job = {job[1]};
  job[0].node_count = INT_MAX;  // no number takes memory
  job[0].node_rank = INT_MAX - 1;
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "1 of 8 ranks have a record in job 4711.0; of nodes 0-2147483645 there is none");
}

TEST(JobRules, keep_the_last_restart_of_each_rank) {
  Job job = healthy_job({2, 2});
  Job again = job;
  for (JobRecord& record : again) {
    record.restart_count = 2;
    record.pid += 50;
  }
  again.pop_back();  // rank 3 has not come back
  job.insert(job.end(), again.begin(), again.end());
  EXPECT_EQ(summary(job), "warning mixed_restarts 3");
  // a smaller world after the restart
  job = healthy_job({2, 2});
  again = healthy_job({2});
  for (JobRecord& record : again) {
    record.restart_count = 1;
    record.pid += 50;
  }
  job.insert(job.end(), again.begin(), again.end());
  EXPECT_EQ(summary(job), "note mixed_restarts 0-3");
}

TEST(JobRules, say_that_torn_records_may_be_those_missing) {
  std::string text;
  const Job job = healthy_job({2});
  text += line_of(job[0]) + '\n' + line_of(job[1]).substr(0, 60) + "\n";
  const auto table = JobTable::read(text);
  ASSERT_TRUE(table);
  const auto findings = table->findings();
  EXPECT_EQ(summary(findings), "error missing_ranks 1; warning unread_lines");
  EXPECT_EQ(findings[0].evidence,
            "1 of 2 ranks have a record in job 4711.0; of what could not be read, some may be "
            "theirs");
  EXPECT_EQ(
      findings[1].evidence,
      R"(1 piece of torn records: {\"rankmap_job\":1,\"rank\":[1,2],\"local\":[1... (60 bytes))");
  const auto whole = JobTable::read(text + line_of(job[1]));
  EXPECT_EQ(summary(whole->findings()), "note unread_lines");
}

TEST(JobRules, take_agents_on_one_machine_for_nodes) {
  Job job = healthy_job({1, 1});
  for (JobRecord& record : job) {
    record.host = "n0";
    record.boot = 1000;
    record.pid = 100 + record.rank;
    record.device.index = record.rank;
    record.device.pci = std::string_view("0000:0" + std::to_string(record.rank) + ":00.0");
    set_cpus(record, record.rank == 0 ? "0-3" : "4-7");
    record.available_cpus = 8;
  }
  EXPECT_EQ(summary(job), "note split_machine 0-1");
  job[1].host = "pod";  // a container, which is a node for its name
  EXPECT_EQ(summary(job), "note containers 0-1");
}

TEST(JobRules, compare_namespaces_of_one_host_only) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) {
    record.host = std::string_view("pod-" + std::to_string(record.rank));
    record.pid_namespace = 7U + static_cast<unsigned>(record.rank);
  }
  const auto findings = table_of(job).findings();
  EXPECT_EQ(summary(findings), "note containers 0-1");
  // Once: containers of other names have other namespaces.
  EXPECT_EQ(findings[0].evidence, "rank 0 on pod-0 and rank 1 on pod-1 are on one machine");
}

TEST(JobRules, name_two_machines_of_one_name_in_the_order_of_ranks) {
  Job job = healthy_job({1, 1});
  for (JobRecord& record : job) record.host = "localhost";
  std::swap(job[0].boot, job[1].boot);
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "localhost is the name of 2 machines: ranks 0 and 1 have other boot ids");
}

TEST(JobRules, count_the_machines_of_one_name) {
  Job job = healthy_job({1, 1, 1});
  for (JobRecord& record : job) record.host = "localhost";
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "localhost is the name of 3 machines: ranks 0 and 1 have other boot ids");
}

TEST(JobRules, mark_the_ranks_that_are_behind_a_restart) {
  Job job = healthy_job({4});
  const Job before = job;
  for (JobRecord& record : job) record.restart_count = 1;
  job[2].restart_count = 0;
  for (JobRecord record : before) {
    record.restart_count = 0;
    if (record.rank != 2) job.push_back(record);
  }
  EXPECT_EQ(summary(job), "warning mixed_restarts 2");
}

TEST(JobRules, name_three_world_sizes_and_count_the_others) {
  Job job = healthy_job({5});
  for (JobRecord& record : job) record.world_size += record.rank;
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "world sizes: 5 (rank 0), 6 (rank 1), 7 (rank 2) and 2 more");
}

TEST(JobRules, compare_no_layouts_of_different_worlds) {
  Job job = healthy_job({2, 2});
  job[3].world_size = 6;
  job[3].layout = 9;
  job[3].node_count = 3;
  job[3].local_world_size = 3;
  EXPECT_EQ(summary(job), "error world_size_differs 3");
}

TEST(JobRules, compare_no_addresses_on_unknown_machines) {
  Job job = healthy_job({1, 1});
  for (JobRecord& record : job) {
    record.host = {};
    record.boot = 0;
    record.device.uuid = {};
  }
  EXPECT_EQ(summary(job), "");  // both are at 0000:00:00.0
  for (JobRecord& record : job) record.device.pci = {};
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, take_containers_with_names_of_their_own_for_nodes) {
  Job job = healthy_job({2});  // one node to no launcher: local ranks by the name of the host
  for (JobRecord& record : job) {
    record.host = std::string_view("pod-" + std::to_string(record.rank));
    record.local_rank = 0;
    record.local_world_size = 1;
    record.node_rank = -1;
    record.node_count = -1;
  }
  EXPECT_EQ(summary(job), "note containers 0-1");
  // one node to its launcher, which counts two ranks there
  job = healthy_job({2});
  for (JobRecord& record : job) {
    record.host = std::string_view("pod-" + std::to_string(record.rank));
    record.node_rank = -1;
  }
  EXPECT_EQ(summary(job), "note containers 0-1");
}

TEST(JobRules, take_no_machine_for_a_node_that_nobody_names) {
  Job job = healthy_job({2});  // may be two containers on one machine, which are nodes to others
  for (JobRecord& record : job) {
    record.host = {};
    record.local_rank = 0;
    record.local_world_size = 1;
    record.node_rank = -1;
    record.node_count = -1;
  }
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, put_a_host_without_boot_id_on_the_machine_of_its_name) {
  Job job = healthy_job({2});
  job[0].boot = 0;
  EXPECT_EQ(summary(job), "");
  job[1].device.pci = job[0].device.pci;
  EXPECT_EQ(summary(job), "note device_parts 0-1");
  // two machines of this name: it may be on either
  job = healthy_job({2, 2});
  for (JobRecord& record : job) record.host = "localhost";
  job[0].boot = 0;
  job[0].device.uuid = {};
  job[0].device.pci = job[1].device.pci;
  EXPECT_EQ(summary(job), "warning host_name_clash 1-3");
}

TEST(JobRules, find_ranks_out_of_order_if_asked) {
  Job job = healthy_job({2, 2});
  std::swap(job[1].rank, job[2].rank);
  const rankmap::FindingOptions block{.wants_block_order = true};
  EXPECT_EQ(summary(job), "");
  EXPECT_EQ(summary(job, block), "note out_of_order 2-3");
  EXPECT_EQ(table_of(job).findings(block)[0].evidence,
            "rank 1 on n1 is between ranks 0 and 2 on n0 (and 1 more)");
  EXPECT_EQ(summary(healthy_job({2, 2}), block), "");
}

/// The rows of devices that look alike and mean opposites: machine, index, visible, UUID, shared.
struct DeviceRow {
  std::string_view machines;
  int visible;
  std::string_view uuids[2];
  bool have_one_address;
  bool is_shared;
  std::string_view found;
  int physical = -1;
};

TEST(JobRules, tell_isolation_from_a_duplicate) {
  const DeviceRow rows[] = {
      {"aa", 1, {"U1", "U2"}, false, false, ""},
      {"ab", 1, {"U1", "U1"}, false, false, "error duplicate_device 0-1"},
      {"aa", 8, {"", ""}, false, false, "warning likely_duplicate 0-1"},
      {"aa", 1, {"", ""}, false, false, "note device_not_told 0-1"},
      {"aa", 1, {"MIG-1", "MIG-2"}, true, false, "note device_parts 0-1"},
      {"aa", 4, {"U1", "U1"}, false, true, "note shared_device 0-1"},
      {"aa", 4, {"U1", "U1"}, false, false, "error duplicate_device 0-1"},
      {"ab", 8, {"", ""}, false, false, ""},
      {"ab", 8, {"", ""}, true, false, ""},
      {"aa", 8, {"", ""}, true, false, "error duplicate_device 0-1"},
      {"aa", 1, {"U1", ""}, true, false, "error duplicate_device 0-1"},
      {"aa", 8, {"U1", ""}, false, false, ""},
      {"aa", 8, {"", ""}, false, true, "note shared_device 0-1"},
      // Two agents with two devices of their own each may both count them 0 and 1.
      {"aa", 2, {"", ""}, false, false, "warning likely_duplicate 0-1", 1},
      {"aa", 2, {"", ""}, false, false, "error duplicate_device 0-1", 2},
  };
  for (const DeviceRow& row : rows) {
    Job job = row.machines == "aa" ? healthy_job({2}) : healthy_job({1, 1});
    for (std::size_t i = 0; i != 2; ++i) {
      auto& device = job[i].device;
      device.index = 0;
      device.physical = row.physical;
      device.visible_count = row.visible;
      device.uuid = row.uuids[i];
      device.pci = row.have_one_address ? "0000:0b:00.0" : "";
      device.is_shared = row.is_shared;
      device.numa_node = -1;
    }
    EXPECT_EQ(summary(job), row.found) << &row - rows;
  }
}

// `sharing = 2` of a policy, held against all ranks; a rank that does not share counts with none.
TEST(JobRules, count_those_who_share_on_purpose) {
  struct Row {
    int ranks;
    bool is_named;
    int sharing;
    std::string_view found;
  };
  for (const Row& row :
       {Row{2, true, 0, "note shared_device 0-1"}, Row{2, true, 2, "note shared_device 0-1"},
        Row{2, true, 1, "error duplicate_device 0-1"},
        Row{3, true, 2, "error duplicate_device 0-2"}, Row{3, true, 3, "note shared_device 0-2"},
        Row{3, true, -1, "note shared_device 0-2"}, Row{2, false, 2, "note shared_device 0-1"},
        Row{3, false, 2, "error duplicate_device 0-2"}}) {
    Job job = healthy_job({row.ranks, row.ranks});
    for (int rank = 0; rank != row.ranks; ++rank) {  // those of the other node have their own
      auto& device = job[static_cast<std::size_t>(rank)].device;
      device.is_shared = true;
      device.uuid = row.is_named ? std::string_view("GPU-1") : std::string_view();
      device.pci = {};
      device.index = 0;
      device.physical = -1;
    }
    EXPECT_EQ(summary(job, {.sharing = row.sharing}), row.found);
  }
  Job job = healthy_job({3});
  for (JobRecord& record : job) {
    record.device.is_shared = true;
    record.device.uuid = "GPU-1";
  }
  EXPECT_EQ(table_of(job).findings({.sharing = 2})[0].evidence,
            "ranks 0 and 1 on n0 share GPU-1 (cuda:0, cuda:1), as 1 other does; 3 ranks on one, "
            "where 2 are meant");
  for (JobRecord& record : job) {
    record.device.uuid = {};
    record.device.pci = {};
    record.device.physical = 0;
  }
  EXPECT_EQ(table_of(job).findings({.sharing = 1})[0].evidence,
            "ranks 0 and 1 on n0 both use cuda:0; 3 ranks on one, where 1 is meant");
}

TEST(JobRules, name_sandboxes_where_boot_ids_differ) {
  Job job = healthy_job({1, 1});
  job[1].device.uuid = job[0].device.uuid;
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "rank 0 on n0 and rank 1 on n1 use one device, GPU-1000 (cuda:0, cuda:0); their boot "
            "ids differ, as in sandboxes on one machine");
}

TEST(JobRules, compare_numbers_behind_the_masks) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) {
    record.device.uuid = {};
    record.device.pci = {};
    record.device.index = 0;
  }
  EXPECT_EQ(summary(job), "");  // the masks 0,1 and 1,0
  job[1].device.index = 1;
  job[1].device.physical = 0;
  EXPECT_EQ(summary(job), "warning likely_duplicate 0-1");
  job[1].host = "other";  // in containers of their own both count from 0
  EXPECT_EQ(summary(job), "note containers 0-1");
  job[1].host = job[0].host;
  for (JobRecord& record : job) {
    record.device.physical = -1;
    record.device.index = 0;
    record.device.visible_count = 2 + record.rank;
  }
  EXPECT_EQ(summary(job), "note device_not_told 0-1");  // their masks differ: so may the devices
  for (JobRecord& record : job) record.device.physical = 0;
  EXPECT_EQ(summary(job), "warning likely_duplicate 0-1");
}

// As {first, count} of each rank: those whose numbers overlap use one device, also where each names
// its first one.
TEST(JobRules, find_devices_that_two_ranks_have_among_several) {
  struct Row {
    std::vector<std::pair<int, int>> devices;
    std::string_view found;
    std::string_view evidence = "";
  };
  const Row rows[] = {
      {{{0, 2}, {2, 2}}, ""},
      {{{0, 2}, {1, 2}},
       "warning likely_duplicate 0-1",
       "ranks 0 and 1 on n0 both use cuda:1 of 8 visible ones"},
      {{{2, 1}, {0, 4}},
       "warning likely_duplicate 0-1",
       "ranks 1 and 0 on n0 both use cuda:2 of 8 visible ones"},
      {{{0, 8}, {1, 1}, {3, 1}, {7, 1}},
       "warning likely_duplicate 0-3",
       "ranks 0 and 1 on n0 both use cuda:1 of 8 visible ones (and 2 more)"},
      {{{0, 2}, {1, 2}, {2, 2}, {4, 4}},
       "warning likely_duplicate 0-2",
       "ranks 0 and 1 on n0 both use cuda:1 of 8 visible ones (and 1 more)"},
      {{{0, INT_MAX}, {7, INT_MAX}},
       "warning likely_duplicate 0-1",
       "ranks 0 and 1 on n0 both use cuda:7 of 8 visible ones"},
      {{{0, -1}, {1, -1}}, ""},
  };
  for (const Row& row : rows) {
    for (const bool is_named : {false, true}) {
      Job job = healthy_job({static_cast<int>(row.devices.size())});
      for (std::size_t i = 0; i != job.size(); ++i) {
        auto& device = job[i].device;
        std::tie(device.index, device.count) = row.devices[i];
        device.physical = -1;
        device.visible_count = 8;
        if (!is_named) device.uuid = device.pci = {};
      }
      const auto findings = table_of(job).findings();
      EXPECT_EQ(summary(findings), row.found);
      EXPECT_EQ(findings.empty() ? "" : findings[0].evidence.view(), row.evidence);
    }
  }
}

// CUDA_VISIBLE_DEVICES=0,2 and 1,3: numbers of one list say nothing of another.
TEST(JobRules, compare_several_devices_of_one_list_alone) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) {
    record.device.index = record.rank;
    record.device.count = 2;
    record.device.visible_count = 4;
  }
  EXPECT_EQ(summary(job), "warning likely_duplicate 0-1");
  for (JobRecord& record : job) record.device.is_shared = true;
  EXPECT_EQ(summary(job), "note shared_device 0-1");
  EXPECT_EQ(summary(job, {.sharing = 1}), "error duplicate_device 0-1");
  for (JobRecord& record : job) record.device.is_shared = false;
  job[1].device.index = 0;
  EXPECT_EQ(summary(job), "");
  job[1].device.index = 1;
  job[1].device.visible_count = 2;
  EXPECT_EQ(table_of(job).findings().find(FindingKind::likely_duplicate), nullptr);
  job[1].device.visible_count = 4;
  job[1].host = "other";  // a container with a list of its own
  EXPECT_EQ(summary(job), "note containers 0-1");
}

TEST(JobRules, tell_tiles_of_one_card_apart) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) {
    record.device.kind = DeviceKind::xpu;
    record.device.uuid = {};
    record.device.pci = "0000:0b:00.0";
    record.device.sub_device = record.rank;
  }
  EXPECT_EQ(summary(job), "");
  job[1].device.sub_device = 0;
  EXPECT_EQ(summary(job), "error duplicate_device 0-1");
}

TEST(JobRules, find_no_device_of_processes_on_the_cpu) {
  Job job = healthy_job({3});
  for (JobRecord& record : job) {
    record.device = {};
    record.device.is_known = true;
  }
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, find_no_distance_between_unknown_nodes) {
  Job job = healthy_job({2});
  for (JobRecord& record : job) record.device.numa_node = 5 - record.rank;
  EXPECT_EQ(summary(job), "warning far_device 0-1");
  job[0].device.numa_node = -1;
  job[1].numa_nodes = 0;
  EXPECT_EQ(summary(job), "");
  job = healthy_job({2});
  for (JobRecord& record : job) record.numa_nodes = 3;  // CPUs of all nodes
  EXPECT_EQ(summary(job), "");
  for (JobRecord& record : job) record.device.numa_node = 64;  // beyond the mask
  EXPECT_EQ(summary(job), "");
}

TEST(JobRules, compare_cpus_that_are_too_many_to_list) {
  const std::string_view many = "1000,1003,1005,1009,1100,1103,1105,1109,1200,1203,1205";
  Job job = healthy_job({2});
  for (JobRecord& record : job) {
    set_cpus(record, many);
    record.available_cpus = 4000;
  }
  EXPECT_EQ(summary(job), "warning same_cpus 0-1");
  EXPECT_EQ(table_of(job).findings()[0].evidence, "ranks 0 and 1 on n0 share CPUs");
  set_cpus(job[1], std::string(many) + ",1207");
  EXPECT_EQ(summary(job), "");  // perhaps, but nothing says so
  for (JobRecord& record : job) record.available_cpus = -1;
  EXPECT_EQ(summary(job), "");
  set_cpus(job[1], "0-3");
  job[1].threads = 8;
  EXPECT_EQ(summary(job), "");  // perhaps there are no more than these
  set_cpus(job[0], std::string(many) + ",1207");
  set_cpus(job[1], many);
  job[1].threads = 12;
  EXPECT_EQ(summary(job), "warning few_cpus 1");  // these are not all: rank 0 has one more
}

TEST(JobRules, find_no_overlap_with_a_rank_that_is_not_bound) {
  Job job = healthy_job({3});
  set_cpus(job[2], "0-11");
  EXPECT_EQ(summary(job), "");
  job[2].available_cpus = -1;
  EXPECT_EQ(summary(job), "");
  set_cpus(job[2], "2-9");
  EXPECT_EQ(summary(job), "warning same_cpus 0-2");
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "ranks 0 and 2 on n0 share CPUs 2-3; 3 ranks there have 10 CPUs together");
  for (JobRecord& record : job) {
    set_cpus(record, "4-6");  // one for each
    record.threads = 1;
    record.available_cpus = 12;
  }
  EXPECT_EQ(summary(job), "warning same_cpus 0-2");
  for (JobRecord& record : job) set_cpus(record, "4-5");
  EXPECT_EQ(summary(job), "error same_cpus 0-2");
}

TEST(JobRules, take_containers_with_cpus_of_their_own_for_bound) {
  Job job = healthy_job({4});
  for (JobRecord& record : job) record.available_cpus = 4;  // each has all of its container
  EXPECT_EQ(summary(job), "");
  job[3].cpus = job[2].cpus;
  EXPECT_EQ(summary(job), "note not_bound 2-3");
  EXPECT_EQ(table_of(job).findings()[0].evidence, "ranks 2 and 3 on n0 may both run on all 4 CPUs");
  job[1].cpus = job[0].cpus;
  EXPECT_EQ(summary(job), "note not_bound 0-3");
  EXPECT_EQ(table_of(job).findings()[0].evidence,
            "ranks 0 and 1 on n0 may both run on all 4 CPUs (and 1 more)");
}

TEST(JobRules, find_no_lack_of_cpus_that_are_all_there_are) {
  Job job = healthy_job({1});
  job[0].threads = 16;
  EXPECT_EQ(summary(job), "");
  job[0].available_cpus = 8;
  EXPECT_EQ(summary(job), "warning few_cpus 0");
  job[0].available_cpus = -1;
  EXPECT_EQ(summary(job), "");
}

// ---- invariants ---------------------------------------------------------------------------------

/// A job in which anything may be wrong.
Job random_job(std::minstd_rand& random) {
  Job job = healthy_job({static_cast<int>(random() % 3 + 1), static_cast<int>(random() % 3 + 1)});
  const auto pick = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  for (int change = pick(6); change != 0; --change) {
    JobRecord& record = job[random() % job.size()];
    const JobRecord other = job[random() % job.size()];
    switch (pick(19)) {
      case 0:
        record.rank = other.rank;
        break;
      case 1:
        record.world_size = other.rank + 1 > record.rank ? other.rank + 1 : record.world_size;
        break;
      case 2:
        record.local_rank = other.local_rank < record.local_world_size ? other.local_rank : 0;
        break;
      case 3:
        record.node_rank = other.node_rank;
        break;
      case 4:
        record.restart_count = pick(3) - 1;
        break;
      case 5:
        record.launcher = "hydra";
        break;
      case 6:
        record.job = "4712.0";
        break;
      case 7:
        record.host = pick(3) == 0 ? rankmap::StaticString<63>() : other.host;
        break;
      case 8:
        record.boot = pick(3) == 0 ? 0 : other.boot;
        break;
      case 9:
        record.pid_namespace = pick(2) == 0 ? 0U : 77U;
        break;
      case 10:
        record.pid = pick(3) == 0 ? -1 : other.pid;
        break;
      case 11:
        record.device = other.device;
        break;
      case 12:
        record.device.uuid = {};
        break;
      case 13:
        record.device.pci = {};
        break;
      case 14:
        record.device.is_shared = record.device.is_known;
        break;
      case 15:
        record.cpus = other.cpus;
        record.cpu_count = other.cpu_count;
        record.cpu_digest = other.cpu_digest;
        break;
      case 16:
        record.available_cpus = -1;
        break;
      case 17:
        record.layout = pick(2) == 0 ? 0U : 9U;
        break;
      default:
        job.push_back(other);
        break;
    }
  }
  for (JobRecord& record : job) {
    if (record.rank >= record.world_size) record.world_size = record.rank + 1;
    if (record.local_world_size > record.world_size) {
      record.local_rank = -1;
      record.local_world_size = -1;
    }
  }
  return job;
}

std::string messages(const Job& job) {
  std::string out;
  for (const Finding& finding : table_of(job).findings({.wants_block_order = true})) {
    out += message(finding).view();
    out += '\n';
  }
  return out;
}

TEST(JobRules, do_not_depend_on_order_or_copies) {
  std::minstd_rand random(11);
  for (int round = 0; round != 500; ++round) {
    Job job = random_job(random);
    const std::string found = messages(job);
    std::shuffle(job.begin(), job.end(), random);
    ASSERT_EQ(messages(job), found);
    job.push_back(job[random() % job.size()]);
    ASSERT_EQ(messages(job), found);
  }
}

TEST(JobRules, do_not_depend_on_the_names_of_machines) {
  std::minstd_rand random(12);
  for (int round = 0; round != 500; ++round) {
    Job job = random_job(random);
    const std::string found = messages(job);
    for (JobRecord& record : job) {
      if (record.boot != 0) record.boot = (record.boot ^ 0x5555U) * 0x9e37'79b9'7f4a'7c15U;
    }
    ASSERT_EQ(messages(job), found);
    const std::string kinds = summary(job);
    for (JobRecord& record : job) {
      if (record.host == "n0") {
        record.host = "zz";
      } else if (record.host == "n1") {
        record.host = "aa";
      }
    }
    ASSERT_EQ(summary(job), kinds);
  }
}

TEST(JobRules, name_ranks_of_the_table_only) {
  std::minstd_rand random(13);
  for (int round = 0; round != 500; ++round) {
    const Job job = random_job(random);
    std::set<int> ranks;
    for (const JobRecord& record : job) ranks.insert(record.rank);
    for (const Finding& finding : table_of(job).findings()) {
      const bool there = finding.kind != FindingKind::missing_ranks;
      finding.ranks.for_each(
          [&](int rank) { EXPECT_TRUE(!there || ranks.count(rank) == 1U) << message(finding); });
      EXPECT_FALSE(finding.evidence.empty());
      const auto text = message(finding);
      for (const char c : text.view()) EXPECT_TRUE(c >= ' ' && c <= '~');
    }
  }
}

TEST(JobRules, find_no_fault_where_nothing_is_told) {
  using Forget = void (*)(JobRecord&);
  const Forget forgets[] = {
      [](JobRecord& r) { r.host = {}; },
      [](JobRecord& r) { r.boot = 0; },
      [](JobRecord& r) { r.pid = -1; },
      [](JobRecord& r) { r.pid_namespace = 0; },
      [](JobRecord& r) { r.job = {}; },
      [](JobRecord& r) { r.launcher = {}; },
      [](JobRecord& r) { r.restart_count = -1; },
      [](JobRecord& r) { r.local_rank = -1; },
      [](JobRecord& r) { r.local_world_size = -1; },
      [](JobRecord& r) { r.node_rank = -1; },
      [](JobRecord& r) { r.node_count = -1; },
      [](JobRecord& r) { r.device = {}; },
      [](JobRecord& r) { r.device.uuid = {}; },
      [](JobRecord& r) { r.device.pci = {}; },
      [](JobRecord& r) { r.device.index = -1; },
      [](JobRecord& r) { r.device.visible_count = -1; },
      [](JobRecord& r) { r.device.physical = -1; },
      [](JobRecord& r) { r.device.numa_node = -1; },
      [](JobRecord& r) { set_cpus(r, ""); },
      [](JobRecord& r) { r.available_cpus = -1; },
      [](JobRecord& r) { r.threads = -1; },
      [](JobRecord& r) { r.numa_nodes = 0; },
      [](JobRecord& r) { r.layout = 0; },
      [](JobRecord& r) { r.hosts = 0; },
  };
  std::minstd_rand random(14);
  for (int round = 0; round != 2000; ++round) {
    Job job = healthy_job({2, 2});
    // some facts are not told by all, others by some
    for (int i = static_cast<int>(random() % 5); i != 0; --i) {
      const Forget forget = forgets[random() % std::size(forgets)];
      const auto who = random() % 16;
      for (std::size_t k = 0; k != job.size(); ++k) {
        if ((who >> k & 1U) == 0) forget(job[k]);
      }
    }
    bool one_job = true;
    for (const JobRecord& record : job) one_job = one_job && record.job == job[0].job;
    if (!one_job) continue;  // that is another job
    const auto findings = table_of(job).findings();
    ASSERT_EQ(findings.count(Severity::warning), 0U) << message(findings[0]);
  }
}

/// The same by comparing everyone with everyone.
TEST(JobRules, agree_with_a_comparison_of_all_pairs) {
  std::minstd_rand random(15);
  std::map<std::string, int> seen;
  for (int round = 0; round != 3000; ++round) {
    Job job = healthy_job({3, 3});
    const auto pick = [&](int limit) {
      return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    for (JobRecord& record : job) {
      auto& device = record.device;
      device.uuid = pick(3) == 0 ? rankmap::StaticString<47>()
                                 : rankmap::StaticString<47>("U").append_number(pick(12));
      device.pci = pick(3) == 0
                       ? rankmap::StaticString<15>()
                       : rankmap::StaticString<15>("0000:0").append_number(pick(4)).append(":00.0");
      device.index = pick(3);
      device.physical = -1;
      device.visible_count = pick(2) == 0 ? 1 : 3;
      const int first = pick(12);
      set_cpus(record, std::to_string(first) + "-" + std::to_string(first + pick(3)));
      record.available_cpus = 16;
      record.threads = 1;
      record.numa_nodes = 0;
    }
    std::map<std::string, std::set<int>> expected;
    const auto together = [&](const char* kind, std::size_t i, std::size_t k) {
      expected[kind].insert(static_cast<int>(i));
      expected[kind].insert(static_cast<int>(k));
    };
    for (std::size_t i = 0; i != job.size(); ++i) {
      for (std::size_t k = i + 1; k != job.size(); ++k) {
        const auto& a = job[i].device;
        const auto& b = job[k].device;
        const bool have_uuids = !a.uuid.empty() && !b.uuid.empty();
        const bool same_machine = job[i].boot == job[k].boot;
        const bool same_address = same_machine && !a.pci.empty() && a.pci == b.pci;
        if (have_uuids ? a.uuid == b.uuid : same_address) together("duplicate_device", i, k);
        const bool all_named = std::all_of(job.begin(), job.end(), [&](const JobRecord& c) {
          return c.boot != job[i].boot || c.device.pci != a.pci || !c.device.uuid.empty();
        });
        if (same_address && have_uuids && all_named && a.uuid != b.uuid) {
          together("device_parts", i, k);
        }
        if (same_machine) {
          const auto mine = *rankmap::parse_cpu_list(job[i].cpus);
          const auto theirs = *rankmap::parse_cpu_list(job[k].cpus);
          if (!(mine & theirs).empty()) together("same_cpus", i, k);
        }
      }
    }
    const auto findings = table_of(job).findings();
    for (const FindingKind kind :
         {FindingKind::duplicate_device, FindingKind::device_parts, FindingKind::same_cpus}) {
      std::set<int> ranks;
      if (const Finding* const finding = findings.find(kind)) {
        finding->ranks.for_each([&](int rank) { ranks.insert(rank); });
        ++seen[std::string(name(kind))];
      }
      auto& wanted = expected[std::string(name(kind))];
      if (kind == FindingKind::device_parts) {
        // Equal ones among different ones of one address belong to them.
        for (const int rank : ranks) {
          if (wanted.empty()) break;
          const auto& mine = job[static_cast<std::size_t>(rank)];
          for (const int other : std::set<int>(wanted)) {
            const auto& theirs = job[static_cast<std::size_t>(other)];
            if (mine.boot == theirs.boot && mine.device.pci == theirs.device.pci)
              wanted.insert(rank);
          }
        }
      }
      ASSERT_EQ(ranks, wanted) << name(kind) << ' ' << summary(findings);
    }
  }
  EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
