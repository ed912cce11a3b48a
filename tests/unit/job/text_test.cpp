// SPDX-License-Identifier: MIT
#include "support/planted_job.hpp"

#include <rankmap/job/detail/text_columns.hpp>
#include <rankmap/job/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap::TextOptions;
using rankmap_test::healthy_job;
using rankmap_test::Job;
using rankmap_test::set_cpus;
using rankmap_test::table_of;

std::string text_of(const JobTable& table, const TextOptions& options = {}) {
  std::string out;
  write_text(
      table, [&](std::string_view piece) { out += piece; }, options);
  return out;
}
std::string text_of(const Job& job, const TextOptions& options = {}) {
  return text_of(table_of(job), options);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

TEST(JobText, shows_nodes_that_look_alike_once) {
  EXPECT_EQ(text_of(healthy_job({2, 2, 2})),
            "6 processes on 3 nodes; world size 6; launcher slurm; job 4711.0\n"
            "\n"
            "  host    rank  local  device    address       CPUs  NUMA\n"
            "  n0         0      0  cuda:0    0000:00:00.0  0-3   0\n"
            "             1      1  cuda:1    0000:01:00.0  4-7   1\n"
            "  n[1-2]   2-5         as above\n"
            "\n"
            "nothing wrong was found\n");
}

TEST(JobText, shows_nodes_with_faults_apart) {
  Job job = healthy_job({2, 2, 2, 2});
  job[3].device.uuid = job[2].device.uuid;
  job[4].threads = 9;
  EXPECT_EQ(text_of(job),
            "8 processes on 4 nodes; world size 8; launcher slurm; job 4711.0\n"
            "\n"
            "  host  rank  local  device    address       CPUs  NUMA\n"
            "  n0       0      0  cuda:0    0000:00:00.0  0-3   0\n"
            "           1      1  cuda:1    0000:01:00.0  4-7   1\n"
            "  n3     6-7         as above\n"
            "! n1       2      0  cuda:0    0000:00:00.0  0-3   0\n"
            "!          3      1  cuda:1    0000:01:00.0  4-7   1\n"
            "* n2       4      0  cuda:0    0000:00:00.0  0-3   0\n"
            "           5      1  cuda:1    0000:01:00.0  4-7   1\n"
            "\n"
            "error: duplicate_device, ranks 2-3\n"
            "  ranks 2 and 3 on n1 use one device, GPU-1002 (cuda:0, cuda:1)\n"
            "  let the launcher give each process a device, as srun --gpus-per-task=1 does,\n"
            "  or remove a fixed device index; in the program, take the index from the local\n"
            "  rank (device_policy::strict)\n"
            "\n"
            "warning: few_cpus, rank 4\n"
            "  rank 4 on n2 has 4 CPUs for 9 threads\n"
            "  give each process more CPUs (srun --cpus-per-task, mpirun --map-by slot:PE=n),\n"
            "  or fewer threads (OMP_NUM_THREADS)\n");
}

TEST(JobText, has_columns_for_domains_networks_and_cores_where_any_is_known) {
  Job job = healthy_job({2, 2, 2});
  for (JobRecord& record : job) {
    record.domain = record.node_rank < 2 ? "b1" : "";
    record.nic = record.local_rank == 0 ? "mlx5_0" : "mlx5_3";
    if (record.local_rank == 0) record.cores = 1;
  }
  EXPECT_EQ(text_of(job),
            "6 processes on 3 nodes; world size 6; launcher slurm; job 4711.0\n"
            "\n"
            "  domain  host  rank  local  device    address       NIC     CPUs  cores  NUMA\n"
            "  b1      n0       0      0  cuda:0    0000:00:00.0  mlx5_0  0-3       1  0\n"
            "                   1      1  cuda:1    0000:01:00.0  mlx5_3  4-7       ?  1\n"
            "          n1     2-3         as above\n"
            "  ?       n2       4      0  cuda:0    0000:00:00.0  mlx5_0  0-3       1  0\n"
            "                   5      1  cuda:1    0000:01:00.0  mlx5_3  4-7       ?  1\n"
            "\n"
            "nothing wrong was found\n");
}

TEST(JobText, shows_ranks_that_differ_in_nothing_else_in_one_line) {
  Job job = healthy_job({4});
  for (JobRecord& record : job) {
    record.device = {};
    record.device.is_known = true;
    record.numa_nodes = 3;
    set_cpus(record, "0-15");
    record.available_cpus = 16;
  }
  EXPECT_EQ(text_of(job),
            "4 processes on 1 node; world size 4; launcher slurm; job 4711.0\n"
            "\n"
            "  host  rank  local  device  CPUs  NUMA\n"
            "  n0     0-3    0-3  cpu     0-15  0-1\n"
            "\n"
            "note: not_bound, ranks 0-3\n"
            "  ranks 0 and 1 on n0 may both run on all 16 CPUs\n"
            "  bind the ranks if they should keep their CPUs: srun --cpu-bind=cores, mpirun\n"
            "  --bind-to core\n");
}

TEST(JobText, shows_a_node_apart_where_one_rank_differs_in_one_cell) {
  EXPECT_NE(text_of(healthy_job({2, 2})).find("as above"), std::string::npos);
  for (const std::size_t rank : {2U, 3U}) {
    Job job = healthy_job({2, 2});
    job[rank].device.pci = "0000:0f:00.0";
    EXPECT_EQ(text_of(job).find("as above"), std::string::npos) << rank;
  }
}

TEST(JobText, counts_two_machines_of_one_name_as_two_nodes) {
  Job job = healthy_job({1, 1});
  for (JobRecord& record : job) {
    record.host = "localhost";
    record.node_rank = -1;
    record.node_count = -1;
  }
  EXPECT_EQ(lines_of(text_of(job))[0],
            "2 processes on 2 nodes; world size 2; launcher slurm; job 4711.0");
}

TEST(JobText, shows_what_is_not_known_as_a_question_mark) {
  JobRecord bare;
  bare.world_size = 2;
  JobRecord other = bare;
  other.rank = 1;
  other.local_rank = 1;
  other.device.is_known = true;
  other.device.kind = rankmap::DeviceKind::rocm;
  other.cpu_count = 99;
  other.cpu_digest = 7;
  EXPECT_EQ(text_of(Job{bare, other}),
            "2 processes on 1 node; world size 2\n"
            "\n"
            "  host  rank  local  device  address  CPUs        NUMA\n"
            "  ?        0      ?  ?                ?           ?\n"
            "           1      1  rocm:?  ?        99 of them  ?\n"
            "\n"
            "nothing wrong was found\n"
            "\n"
            "unknown, so not checked: the machine of 2 ranks, the process of 2 ranks, the\n"
            "device of 1 rank, the CPUs of 1 rank\n");
}

TEST(JobText, has_a_table_for_each_job) {
  Job job = healthy_job({1});
  job.push_back(job[0]);
  job[1].job = "4712.0";
  job[1].launcher = "torchrun";
  EXPECT_EQ(text_of(job),
            "1 process on 1 node; world size 1; launcher slurm; job 4711.0\n"
            "\n"
            "  host  rank  local  device  address       CPUs  NUMA\n"
            "  n0       0      0  cuda:0  0000:00:00.0  0-3   0\n"
            "\n"
            "1 process on 1 node; world size 1; launcher torchrun; job 4712.0\n"
            "\n"
            "  host  rank  local  device  address       CPUs  NUMA\n"
            "  n0       0      0  cuda:0  0000:00:00.0  0-3   0\n"
            "\n"
            "warning: mixed_launchers, rank 0\n"
            "  launchers: slurm (rank 0), torchrun (rank 0)\n"
            "  start all nodes in the same way with the same modules, or set\n"
            "  RANKMAP_LAUNCHER; in the program, set Config::launcher\n"
            "\n"
            "note: several_jobs\n"
            "  job 4711.0 (rank 0), job 4712.0 (rank 0)\n"
            "  read the output of one job at a time; if it is one job, some process has the\n"
            "  variables of another\n");
}

TEST(JobText, aligns_wide_names) {
  Job job = healthy_job({1, 1, 1});
  job[0].host = "\xe8\x8a\x82\xe7\x82\xb9-1";  // two characters of two columns each
  job[1].host = "caf\xc3\xa9";
  job[2].host = "cafe\xcc\x81";  // an accent of its own
  for (const std::size_t i : {1U, 2U}) {
    job[i].device.index = job[i].device.physical = static_cast<int>(i);
  }
  const auto lines = lines_of(text_of(job));
  ASSERT_GT(lines.size(), 5U);
  EXPECT_EQ(lines[3], "  \xe8\x8a\x82\xe7\x82\xb9-1     0      0  cuda:0  0000:00:00.0  0-3   0");
  EXPECT_EQ(lines[4], "  caf\xc3\xa9       1      0  cuda:1  0000:00:00.0  0-3   0");
  EXPECT_EQ(lines[5], "  cafe\xcc\x81       2      0  cuda:2  0000:00:00.0  0-3   0");
}

// The first and the last of each block of Unicode that is not one column wide: accents have none of
// their own, ideographs and most pictures two.
struct Block {
  std::uint32_t first;
  std::uint32_t last;
  std::size_t width;
};
constexpr Block blocks[] = {
    {0x300, 0x36f, 0},     {0x1100, 0x115f, 2}, {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
    {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2}, {0x3041, 0xa4cf, 2},   {0xa960, 0xa97f, 2},
    {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2}, {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},
    {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
    {0x20000, 0x3fffd, 2},
};
constexpr bool blocks_hold() {
  using rankmap::detail::width_of;
  for (const Block& block : blocks) {
    if (width_of(block.first) != block.width || width_of(block.last) != block.width) return false;
    if (block.first != 0xfe30 && width_of(block.first - 1) != 1) return false;
    if (block.last != 0xfe2f && width_of(block.last + 1) != 1) return false;
  }
  return true;
}
static_assert(blocks_hold());

TEST(JobText, knows_which_characters_are_not_one_column_wide) { EXPECT_TRUE(blocks_hold()); }

TEST(JobText, keeps_to_the_width) {
  Job job = healthy_job({3, 3});
  for (JobRecord& record : job) {
    record.host = std::string_view("a-very-long-name-of-a-host-in-some-cloud-" +
                                   std::to_string(record.node_rank));
    set_cpus(record, "0-3,48-51,96-99,144-147,192-195");
    record.available_cpus = 256;
  }
  for (const int width : {64, 70, 80, 120, 200}) {
    for (const std::string& line : lines_of(text_of(job, {.width = width}))) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
    }
  }
  const auto lines = lines_of(text_of(job));
  EXPECT_EQ(lines[3],
            "* a-very-long-nam~     0      0  cuda:0    0000:00:00.0  0-3,48-51,96-99,~  0");
  EXPECT_EQ(text_of(job, {.width = 1}), text_of(job, {.width = 64}));
}

TEST(JobText, of_100000_ranks_fits_a_screen) {
  Job job = healthy_job(std::vector<int>(12'500, 8));
  EXPECT_EQ(lines_of(text_of(job)).size(), 14U);
  std::minstd_rand random(1);
  for (JobRecord& record : job) {
    if (random() % 4 == 0) record.threads = 9;
    if (random() % 4 == 0) set_cpus(record, std::to_string(random() % 32));
  }
  const auto lines = lines_of(text_of(job));
  EXPECT_LT(lines.size(), 60U);
  // The first screen has the worst finding, which is not told twice.
  const auto findings = table_of(job).findings();
  const std::string worst =
      std::string(name(findings[0].severity)) + ": " + std::string(name(findings[0].kind));
  EXPECT_EQ(lines[0].substr(0, worst.size()), worst);
  std::size_t told = 0;
  for (const std::string& line : lines) told += line.substr(0, worst.size()) == worst ? 1U : 0U;
  EXPECT_EQ(told, 1U);
}

TEST(JobText, shows_faults_first_where_there_is_not_room_for_all) {
  Job job = healthy_job({1, 1, 1, 1, 1, 1});
  for (JobRecord& record : job) set_cpus(record, std::to_string(record.rank));
  for (JobRecord& record : job) record.threads = 1;
  job[4].threads = 2;
  const auto lines = lines_of(text_of(job, {.max_rows = 2}));
  ASSERT_GT(lines.size(), 8U);
  EXPECT_EQ(lines[3].substr(0, 5), "  n0 ");
  EXPECT_EQ(lines[4].substr(0, 5), "* n4 ");
  EXPECT_EQ(lines[6], "4 more nodes are not shown");
  EXPECT_EQ(lines_of(text_of(job, {.max_rows = 5}))[9], "1 more node is not shown");
}

TEST(JobText, counts_the_lines_of_a_large_node_that_it_leaves_out) {
  Job job = healthy_job({9});
  const auto lines = lines_of(text_of(job, {.max_rows = 3}));
  ASSERT_GT(lines.size(), 6U);
  EXPECT_EQ(lines[5], "           2      2  cuda:2      0000:02:00.0  8-11  0");
  EXPECT_EQ(lines[6], "                     and 6 more");
  EXPECT_EQ(lines[7], "");
}

TEST(JobText, does_not_depend_on_order) {
  Job job = healthy_job({3, 1, 3, 2, 3});
  const std::string text = text_of(job);
  std::minstd_rand random(2);
  for (int round = 0; round != 20; ++round) {
    std::shuffle(job.begin(), job.end(), random);
    EXPECT_EQ(text_of(job), text);
  }
}

TEST(JobText, shows_the_number_of_a_device_behind_a_mask) {
  Job job = healthy_job({2});
  job[0].device.physical = 3;
  job[1].device.physical = -1;
  EXPECT_EQ(text_of(job),
            "2 processes on 1 node; world size 2; launcher slurm; job 4711.0\n\n"
            "  host  rank  local  device  number  address       CPUs  NUMA\n"
            "  n0       0      0  cuda:0       3  0000:00:00.0  0-3   0\n"
            "           1      1  cuda:1       ?  0000:01:00.0  4-7   1\n"
            "\nnothing wrong was found\n");
}

TEST(JobText, shows_only_nodes_with_faults_if_asked_to) {
  Job job = healthy_job({2, 2, 2, 2});
  job[4].threads = 9;
  const JobTable table = table_of(job);
  std::string text;
  write_text(table, [&](std::string_view piece) { text += piece; }, {.only_marked = true});
  EXPECT_EQ(text.substr(0, text.find("\nwarning")),
            "8 processes on 4 nodes; world size 8; launcher slurm; job 4711.0\n\n"
            "  host  rank  local  device  address       CPUs  NUMA\n"
            "* n2       4      0  cuda:0  0000:00:00.0  0-3   0\n"
            "           5      1  cuda:1  0000:01:00.0  4-7   1\n"
            "\n3 more nodes are not shown\n");
}

TEST(JobText, marks_a_lone_process_and_not_the_rank_that_it_thinks_it_is) {
  Job job = healthy_job({2});
  job[1] = {};
  job[1].launcher = "none";
  job[1].host = "n0";
  job[1].boot = job[0].boot;
  job[1].pid = 9;
  const std::string text = text_of(job);
  EXPECT_EQ(text.substr(0, text.find("\nerror")),
            "1 process on 1 node; world size 1; launcher none\n\n"
            "  host  rank  local  device  CPUs  NUMA\n"
            "! n0       0      ?  ?       ?     ?\n\n"
            "1 process on 1 node; world size 2; launcher slurm; job 4711.0\n\n"
            "  host  rank  local  device  address       CPUs  NUMA\n"
            "  n0       0      0  cuda:0  0000:00:00.0  0-3   0\n");
}

TEST(JobText, of_an_empty_table_has_no_rows) {
  EXPECT_EQ(text_of(Job{}), "\nnothing wrong was found\n");
}

}  // namespace
