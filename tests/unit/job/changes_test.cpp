// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"
#include "support/planted_job.hpp"

#include <rankmap/job/changes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using rankmap::JobChange;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap_test::healthy_job;
using rankmap_test::Job;
using rankmap_test::table_of;

constexpr int count_changes(const JobRecord& before, const JobRecord& now) {
  JobTable one;
  JobTable two;
  if (!one.add(before) || !two.add(now)) return -1;
  int count = 0;
  for_each_change(one, two, [&count](const JobChange&) { ++count; });
  return count;
}
constexpr JobRecord renamed(std::string_view host) {
  JobRecord record;
  record.host = host;
  return record;
}
static_assert(count_changes(renamed("n1"), renamed("n1")) == 0);
static_assert(count_changes(renamed("n1"), renamed("n2")) == 1);
static_assert(count_changes(renamed(""), renamed("n2")) == 0);

std::string changes(const Job& before, const Job& now) {
  std::string out;
  for_each_change(table_of(before), table_of(now), [&out](const JobChange& change) {
    out += std::string(change.what) + " [" + std::string(to_string(change.ranks).view()) + "] " +
           std::string(change.evidence.view()) + "\n";
  });
  return out;
}

struct ChangeRow {
  void (*change)(Job&);
  std::string_view found;
};

TEST(Changes, are_told_by_the_first_rank) {
  const ChangeRow rows[] = {
      {[](Job&) {}, ""},
      // what differs between any two runs
      {[](Job& job) {
         for (JobRecord& record : job) {
           record.job = "4712.0";
           record.pid += 7;
           record.boot += 9;
           record.device.uuid.append('9');
           record.time = 1'790'000'000'000;
         }
       },
       ""},
      {[](Job& job) {
         for (JobRecord& record : job) record.host.append('9');
       },
       "host [0-3] rank 0: n09, was n0\n"},
      {[](Job& job) {
         job[2].driver = "550.54.15";
         job[3].driver = "550.54.15";
         job[0].launcher = {};
       },
       "new warning [2-3] versions_differ: drivers: 565.57.01 (ranks 0-1), 550.54.15 (ranks 2-3)\n"
       "driver [2-3] rank 2: 550.54.15, was 565.57.01\n"},
      {[](Job& job) { job.pop_back(); },
       "new error [3] missing_ranks: 3 of 4 ranks have a record in job 4711.0\n"
       "ranks [3] only before\n"},
      {[](Job& job) {
         job = Job(healthy_job({2, 2, 2}));
       },
       "ranks [4-5] only now\n"
       "world size [0-3] rank 0: 6, was 4\n"},
      {[](Job& job) {
         job[1].conflicts = 1;
         job[1].against = rankmap::Launcher::torch_env;
       },
       "new warning [1] contradicted: rank 1 on n0 is that by  of slurm; the variables of "
       "torch_env "
       "contradict it\n"
       "contradicted by [1] rank 1: torch_env, was nobody\n"},
      // of several restarts the last one counts
      {[](Job& job) {
         job.push_back(job[3]);
         job[3].host = "elsewhere";
         job.back().restart_count = 1;
       },
       "new warning [0-2] mixed_restarts: not all ranks are in restart 1, the first restart is "
       "0\n"},
  };
  for (const ChangeRow& row : rows) {
    Job before = healthy_job({2, 2});
    for (JobRecord& record : before) record.driver = "565.57.01";
    Job now = before;
    row.change(now);
    EXPECT_EQ(changes(before, now), row.found) << &row - rows;
    std::reverse(now.begin(), now.end());
    EXPECT_EQ(changes(before, now), row.found) << &row - rows;
  }
}

TEST(Changes, back_take_the_findings_away) {
  const Job good = healthy_job({2, 2});
  Job bad = good;
  bad[1].threads = 8;
  EXPECT_EQ(changes(bad, good),
            "no more warning [1] few_cpus: rank 1 on n0 has 4 CPUs for 8 threads\n"
            "threads [1] rank 1: 4, was 8\n");
}

// Each fact is compared, and a text of any bytes is printable.
TEST(Changes, are_of_every_fact) {
  Job before = healthy_job({1});
  JobRecord& old = before[0];
  old.domain = "b1";
  old.nic = "mlx5_0";
  old.nic_rate = 400'000;
  old.kernel = "6.8";
  old.driver = "565";
  old.library = "libmpi.so.12";
  old.collectives = "libnccl.so.2.21.5";
  old.imex_channels = "0";
  old.partitions = "SPX/NPS1";
  old.source = "RANK";
  old.locked_memory = old.shared_memory = old.huge_pages = old.cpu_quota = 4096;
  Job now = healthy_job({2});
  JobRecord& young = now[0];
  young = old;
  young.world_size = young.local_world_size = 2;
  young.launcher = "torchrun";
  young.source = "PMI_RANK";
  young.conflicts = 1;
  young.warnings = 2;
  young.host = "n\xe8\x8a\x82";
  young.domain = "b2";
  young.node_rank = 1;
  young.node_count = 2;
  young.local_rank = 1;
  young.device.index = 1;
  young.device.physical = 1;
  young.device.visible_count = 2;
  young.device.pci = "0000:01:00.0";
  rankmap_test::set_cpus(young, "8-9");
  young.threads = 2;
  young.nic = "mlx5_1";
  young.nic_rate = 200'000;
  young.kernel = "6.9";
  young.driver = "566";
  young.library = "libmpi.so.40";
  young.collectives = "libnccl.so.2.22.3";
  young.imex_channels = "none";
  young.partitions = "CPX/NPS4";
  young.locked_memory = young.shared_memory = young.huge_pages = young.cpu_quota = 8192;
  std::size_t facts = 0;
  for_each_change(table_of(before), table_of(now), [&](const JobChange& change) {
    for (const char c : change.evidence.view()) EXPECT_TRUE(c >= ' ' && c <= '~');
    for (const auto& fact : rankmap::detail::compared_facts) facts += fact.name == change.what;
  });
  EXPECT_EQ(facts, std::size(rankmap::detail::compared_facts));
}

}  // namespace
