// SPDX-License-Identifier: MIT
//
// 100,000 processes: nothing here may take time or memory by their square, whatever is wrong.
#include "support/heap.hpp"
#include "support/job_records.hpp"
#include "support/planted_job.hpp"

#include <rankmap/job/job_table.hpp>
#include <rankmap/job/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap_test::healthy_job;
using rankmap_test::Job;
using rankmap_test::line_of;
using rankmap_test::summary;
using rankmap_test::table_of;

constexpr int nodes = 12'500;
constexpr int ranks = 100'000;

Job large_job() { return healthy_job(std::vector<int>(nodes, 8)); }

TEST(LargeTable, is_read_in_any_order) {
  Job job = large_job();
  std::shuffle(job.begin(), job.end(), std::minstd_rand(1));
  std::string text;
  for (const JobRecord& record : job) text += "[default0]:" + line_of(record) + "\n";
  const auto table = JobTable::read(text);
  ASSERT_TRUE(table);
  const auto rows = table->rows();
  ASSERT_EQ(rows.size(), job.size());
  for (std::size_t i = 0; i != rows.size(); ++i) ASSERT_EQ(rows[i].rank, static_cast<int>(i));
  EXPECT_EQ(summary(table->findings()), "");
}

TEST(LargeTable, shows_the_one_rank_that_is_wrong) {
  Job job = large_job();
  job[77'777].device.uuid = job[77'776].device.uuid;
  job[12'345].threads = 99;
  job.erase(job.begin() + 50'000);
  EXPECT_EQ(
      summary(job),
      "error missing_ranks 50000; error duplicate_device 77776-77777; warning few_cpus 12345");
}

/// The lines of all processes of so many nodes, in any order.
std::string lines_of(int node_count) {
  Job job = healthy_job(std::vector<int>(static_cast<std::size_t>(node_count), 8));
  std::shuffle(job.begin(), job.end(), std::minstd_rand(1));
  std::string text;
  for (const JobRecord& record : job) text += "[default0]:" + line_of(record) + "\n";
  return text;
}

/// Reads, compares and shows a table, as the program does.
std::size_t show(std::string_view lines) {
  std::size_t size = 0;
  const auto table = JobTable::read(lines);
  if (!table) return 0;
  write_text(*table, [&size](std::string_view piece) { size += piece.size(); });
  return size;
}

TEST(LargeTable, takes_264_megabytes_at_most) {
  const std::string lines = lines_of(nodes);
  const std::size_t before = rankmap_test::heap::asked;
  ASSERT_GT(show(lines), 0U);
  // Together with the lines, and even if nothing were ever given back.
  EXPECT_LE(rankmap_test::heap::asked - before + lines.size(), 264'000'000U);
}

/// The least time of a few runs: a busy machine makes a run longer, never shorter.
double seconds_of(std::string_view lines) {
  double least = 1e9;
  for (int run = 0; run != 3; ++run) {
    const std::clock_t begin = std::clock();
    EXPECT_GT(show(lines), 0U);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    least = std::min(least, seconds);
  }
  return least;
}

TEST(LargeTable, takes_time_by_the_number_of_processes) {
  // All processes and a tenth of them: with a square in it, a hundred times as long. Caches, which
  // hold a tenth, make it up to twenty.
  EXPECT_LT(seconds_of(lines_of(nodes)), 45 * seconds_of(lines_of(nodes / 10)));
}

TEST(LargeTable, takes_time_by_the_length_of_a_line) {
  // With a square in it, this took minutes.
  for (const std::string_view piece :
       {"{\\\"rankmap_\" ", "\"rankmap: x: expected y\" ", "rankmap: "}) {
    std::string line;
    while (line.size() < 1'000'000) line += piece;
    const std::clock_t begin = std::clock();
    JobTable table;
    EXPECT_TRUE(table.read_line(line));
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC) << piece;
  }
}

/// Something that is wrong everywhere.
struct Everywhere {
  void (*change)(JobRecord&);
  std::string_view found;
};

TEST(LargeTable, is_compared_where_all_is_wrong) {
  const Everywhere rows[] = {
      {[](JobRecord& r) {
         r.rank = r.local_rank = r.node_rank = 0;
         r.world_size = r.local_world_size = r.node_count = 1;
       },
       "error all_alone 0"},
      {[](JobRecord& r) { r.rank = 7; }, "error same_rank 7; error missing_ranks 0-6,8-99999"},
      {[](JobRecord& r) { r.job = rankmap::StaticString<23>().append_number(r.rank); },
       "error job_ids_differ 1-99999"},
      {[](JobRecord& r) { r.world_size = ranks + r.rank; }, "error world_size_differs 1-99999"},
      {[](JobRecord& r) { r.layout = 1U + static_cast<unsigned>(r.rank); },
       "error layout_differs 1-99999"},
      {[](JobRecord& r) {
         r.boot = 1;
         r.host = "n";
         r.pid = r.rank;
         r.device.uuid = "GPU-1";
         rankmap_test::set_cpus(r, "0-126:2");
         r.available_cpus = 128;
       },
       "error duplicate_device 0-99999; error same_cpus 0-99999; note split_machine 0-99999"},
      {[](JobRecord& r) {
         r.node_rank = 0;
         r.local_rank = 0;
         r.local_world_size = -1;
       },
       "error place_conflict 0-99999"},
      {[](JobRecord& r) { r.host = "localhost"; }, "warning host_name_clash 0-99999"},
  };
  const Job healthy = large_job();
  for (const Everywhere& row : rows) {
    Job job = healthy;
    for (JobRecord& record : job) row.change(record);
    EXPECT_EQ(summary(job), row.found);
  }
}

}  // namespace
