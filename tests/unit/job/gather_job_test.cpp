// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"
#include "support/simulated_gather.hpp"

#include <rankmap/job/gather_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::gather_job;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap::Result;
using rankmap_test::expect_all;
using rankmap_test::full_record;
using rankmap_test::Spoil;

std::vector<Result<JobTable>> gather(const std::vector<JobRecord>& records,
                                     const Spoil& spoil = {}) {
  return rankmap_test::gather_all(
      records.size(), JobRecord::bytes,
      [&](std::size_t rank, const auto& all_gather) {
        return gather_job(records[rank], static_cast<int>(records.size()), all_gather);
      },
      spoil);
}

TEST(GatherJob, gives_every_rank_the_same_table) {
  const std::vector<JobRecord> job = {full_record(0), full_record(1), full_record(2),
                                      full_record(3)};
  for (const auto& table : gather(job)) {
    ASSERT_TRUE(table) << message(table.error()).view();
    const auto rows = table->rows();
    ASSERT_EQ(rows.size(), job.size());
    for (std::size_t rank = 0; rank != job.size(); ++rank) EXPECT_EQ(rows[rank], job[rank]);
  }
}

// What the processes believe may be wrong: that is what the table shows.
TEST(GatherJob, takes_its_size_from_the_communicator) {
  JobRecord alone;
  alone.pid = 1;
  JobRecord too;
  too.pid = 2;
  for (const auto& table : gather({alone, too})) {
    ASSERT_TRUE(table) << message(table.error()).view();
    EXPECT_EQ(table->rows().size(), 2U);
  }
}

TEST(GatherJob, takes_the_world_size_of_the_record_if_none_is_given) {
  const auto table = gather_job(full_record(1), [](auto mine, auto all) {
    EXPECT_EQ(all.size(), 4 * mine.size());
    for (std::size_t i = 0; i != all.size(); ++i) all[i] = mine[i % mine.size()];
    return true;
  });
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows().size(), 4U);
}

TEST(GatherJob, tells_every_rank_which_record_is_not_valid) {
  JobRecord wrong = full_record(1);
  wrong.rank = -1;
  expect_all(
      gather({full_record(0), wrong, full_record(2)}), Errc::gather_failed,
      "record of rank 1=\"no record\": expected a valid record of the same version of "
      "rankmap; start one program on all ranks; in the program, pass a record of describe()");
}

TEST(GatherJob, refuses_hostile_bytes_on_every_rank) {
  const Spoil spoils[] = {
      [](std::vector<std::byte>& all) { all[2 * 768] = std::byte{0}; },
      [](std::vector<std::byte>& all) { all[2 * 768 + 3] = std::byte{9}; },
      [](std::vector<std::byte>& all) { all[2 * 768 + 7] = std::byte{0xff}; },
      [](std::vector<std::byte>& all) { all[2 * 768 + 767] = std::byte{1}; },
      [](std::vector<std::byte>& all) {
        std::fill(all.begin() + 2 * 768, all.end(), std::byte{0xff});
      },
  };
  for (const Spoil& spoil : spoils) {
    expect_all(
        gather({full_record(0), full_record(1), full_record(2)}, spoil), Errc::gather_failed,
        "record of rank 2=\"no record\": expected a valid record of the same version of "
        "rankmap; start one program on all ranks; in the program, pass a record of describe()");
  }
}

TEST(GatherJob, refuses_a_size_before_the_collective) {
  const auto never = [](auto, auto) { ADD_FAILURE() << "the collective was called"; };
  EXPECT_EQ(gather_job(full_record(0), 0, never).error().code, Errc::out_of_range);
  const auto large = gather_job(full_record(0), INT_MAX, never);
  EXPECT_EQ(large.error().code, Errc::limit_exceeded);
  EXPECT_EQ(message(large.error()).view(),
            "world_size=\"2147483647\": expected at most 2097152 processes; gather the records of "
            "fewer processes");
}

}  // namespace
