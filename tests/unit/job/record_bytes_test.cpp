// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"

#include <rankmap/job/job_record.hpp>
#include <rankmap/job/record_bytes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace {

using rankmap::JobRecord;
using rankmap::read_record;
using rankmap::write_record;
using rankmap_test::full_record;
using Bytes = std::array<std::byte, JobRecord::bytes>;

constexpr Bytes bytes_of(const JobRecord& record) {
  Bytes out = {};
  write_record(record, out);
  return out;
}
static_assert(read_record(bytes_of(full_record(1))) == full_record(1));
static_assert(read_record(bytes_of(JobRecord())) == JobRecord());

TEST(RecordBytes, read_back_as_the_record) {
  for (int rank = 0; rank != 4; ++rank) {
    EXPECT_EQ(read_record(bytes_of(full_record(rank))), full_record(rank));
  }
}

// Red means that two versions of this library in one job misread each other: raise
// JobRecord::schema, or put the order of the fields back.
TEST(RecordBytes, are_the_same_on_every_machine) {
  const Bytes bytes = bytes_of(full_record(2));
  std::uint64_t digest = rankmap::detail::fnv_start;
  for (const std::byte byte : bytes) {
    digest = rankmap::detail::fnv_step(digest, std::to_integer<std::uint64_t>(byte));
  }
  EXPECT_EQ(digest, 3006108142828572091U);
  const std::byte head[] = {std::byte{'R'}, std::byte{'M'}, std::byte{'J'}, std::byte{1},
                            std::byte{2},   std::byte{0},   std::byte{0},   std::byte{0}};
  for (std::size_t i = 0; i != 8; ++i) EXPECT_EQ(bytes[i], head[i]) << i;
}

TEST(RecordBytes, of_another_size_are_no_record) {
  const Bytes bytes = bytes_of(full_record(0));
  EXPECT_FALSE(read_record({bytes.data(), 0}));
  EXPECT_FALSE(read_record({bytes.data(), bytes.size() - 1}));
  std::array<std::byte, JobRecord::bytes + 1> more = {};
  write_record(full_record(0), std::span(more).first(JobRecord::bytes));
  EXPECT_FALSE(read_record(more));
}

TEST(RecordBytes, are_a_record_only_if_it_would_be_written_so) {
  const Bytes good = bytes_of(full_record(3));
  int read = 0;
  for (std::size_t at = 0; at != good.size(); ++at) {
    for (const unsigned change : {1U, 0x20U, 0x80U, 0xffU}) {
      Bytes bytes = good;
      bytes[at] ^= static_cast<std::byte>(change);
      const std::optional<JobRecord> record = read_record(bytes);
      if (!record) continue;
      ++read;
      EXPECT_TRUE(is_valid(*record)) << at;
      EXPECT_EQ(bytes_of(*record), bytes) << at;
      EXPECT_NE(*record, full_record(3)) << at;
    }
  }
  EXPECT_GT(read, 100);  // other numbers are other records
  EXPECT_LT(read, 1000);
}

TEST(RecordBytes, of_another_schema_are_no_record) {
  Bytes bytes = bytes_of(full_record(0));
  bytes[3] = std::byte{2};
  EXPECT_FALSE(read_record(bytes));
}

}  // namespace
