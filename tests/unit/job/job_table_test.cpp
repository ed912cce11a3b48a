// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"

#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap::UnreadLines;
using rankmap_test::full_record;
using rankmap_test::line_of;

std::vector<JobRecord> rows_of(const JobTable& table) {
  std::vector<JobRecord> out;
  for (const JobRecord& row : table.rows()) out.push_back(row);
  return out;
}

const std::vector<JobRecord>& job_of_four() {
  static const std::vector<JobRecord> records = {full_record(0), full_record(1), full_record(2),
                                                 full_record(3)};
  return records;
}

constexpr bool sorts_and_merges() {
  JobTable table;
  for (const int rank : {3, 1, 3, 0}) {
    if (!table.add(full_record(rank))) return false;
  }
  const auto rows = table.rows();
  return rows.size() == 3 && rows[0].rank == 0 && rows[1].rank == 1 && rows[2].rank == 3;
}
static_assert(sorts_and_merges());
static_assert(JobTable().empty() && JobTable().unread().samples().empty());
// Rows refer to the table, and their iterators to the rows: of a temporary they do not compile.
template <class Table>
concept HasRows = requires(Table&& table) {
  static_cast<Table&&>(table).rows();
};
static_assert(HasRows<JobTable&> && HasRows<const JobTable&> && !HasRows<JobTable> &&
              !HasRows<const JobTable>);
template <class Rows>
concept CanBegin = requires(Rows&& rows) {
  static_cast<Rows&&>(rows).begin();
};
static_assert(CanBegin<rankmap::JobRows&> && !CanBegin<rankmap::JobRows>);

TEST(JobTable, has_its_rows_in_the_order_of_jobs_and_ranks) {
  std::vector<JobRecord> records = job_of_four();
  for (int rank = 0; rank != 4; ++rank) {
    JobRecord other = full_record(rank);
    other.job = "4710.0";
    records.push_back(other);
  }
  std::vector<JobRecord> expected(records.begin() + 4, records.end());
  expected.insert(expected.end(), records.begin(), records.begin() + 4);
  std::minstd_rand random(3);
  for (int round = 0; round != 20; ++round) {
    std::shuffle(records.begin(), records.end(), random);
    JobTable table;
    for (const JobRecord& record : records) EXPECT_TRUE(table.add(record));
    EXPECT_EQ(rows_of(table), expected);
    for (const JobRecord& record : records) EXPECT_TRUE(table.add(record));
    EXPECT_EQ(rows_of(table), expected);  // copies change nothing
  }
}

TEST(JobTable, keeps_records_that_differ_in_anything) {
  using Change = void (*)(JobRecord&);
  const Change changes[] = {
      [](JobRecord& r) { r.world_size = 5; },       [](JobRecord& r) { r.restart_count = 1; },
      [](JobRecord& r) { r.host = "n3"; },          [](JobRecord& r) { r.boot = 1; },
      [](JobRecord& r) { r.pid_namespace = 1; },    [](JobRecord& r) { r.pid = 1; },
      [](JobRecord& r) { r.threads = 1; },          [](JobRecord& r) { r.device.pci = {}; },
      [](JobRecord& r) { r.device.numa_node = 1; }, [](JobRecord& r) { r.hosts = 1; },
  };
  JobTable table;
  EXPECT_TRUE(table.add(full_record(1)));
  std::size_t size = 1;
  for (const Change change : changes) {
    JobRecord other = full_record(1);
    change(other);
    EXPECT_TRUE(table.add(other));
    EXPECT_TRUE(table.add(full_record(1)));
    EXPECT_EQ(table.rows().size(), ++size);
  }
}

TEST(JobTable, takes_no_record_that_is_not_valid) {
  JobTable table;
  JobRecord record = full_record(1);
  record.rank = 4;
  EXPECT_FALSE(table.add(record));
  EXPECT_TRUE(table.empty());
}

/// What stands before a record and behind it, in the output of each launcher.
struct Printed {
  std::string_view before;
  std::string_view behind;
};
constexpr Printed printed[] = {
    {"", ""},
    {"  3: ", ""},                                   // srun --label
    {"P1 3: ", ""},                                  // srun --label, heterogeneous
    {"[1,3]<stdout>:", ""},                          // mpirun of Open MPI 4 --tag-output
    {"[393,3]<stdout>: ", ""},                       // Open MPI 5 --output tag
    {"[prterun-n1-42@1,3][n1:4711]<stdout>: ", ""},  // --output tag-detailed
    {"2026-10-17T10:11:12.123456789Z ", ""},         // kubectl logs --timestamps
    {"[default0]:", ""},                             // torchrun --tee
    {"[3] ", ""},                                    // MPICH's and Intel's -l
    {"[pod/p-0/c] ", ""},                            // kubectl logs --prefix
    {"", "\r"},
    {"\x1b[32m[default0]:\x1b[0m", "\x1b[0m\r"},
    {"{\"rank\":7} ", " {\"rank\":8}"},
    {"loading... 3%", "done"},
    {"{\"rankmap_jo", "rankmap_job\":1"},
};

TEST(JobTable, reads_the_lines_of_every_launcher) {
  for (const Printed& line : printed) {
    std::string text = "rank 0 begins\n";
    for (const JobRecord& record : job_of_four()) {
      text += std::string(line.before) + line_of(record) + std::string(line.behind) + "\n\n";
    }
    for (const bool newline : {true, false}) {
      if (!newline) text.resize(text.size() - 2);
      const auto table = JobTable::read(text);
      ASSERT_TRUE(table) << text;
      EXPECT_EQ(rows_of(*table), job_of_four()) << text;
      EXPECT_EQ(table->unread().pieces, 0) << text;
    }
  }
}

TEST(JobTable, reads_records_that_lost_their_newline) {
  std::string text;
  for (const JobRecord& record : job_of_four()) text += line_of(record);
  const auto table = JobTable::read(text);
  ASSERT_TRUE(table);
  EXPECT_EQ(rows_of(*table), job_of_four());
  EXPECT_EQ(table->unread().pieces, 0);
}

/// The text as a JSON string has it, without the quotes around it.
std::string in_json(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

TEST(JobTable, reads_lines_that_were_quoted) {
  const std::string line = line_of(full_record(1));
  const std::string error = "rankmap: RANK=\"x\": expected a number; unset it";
  const std::string rows[] = {
      "{\"log\":\"" + in_json(line) + "\\n\",\"stream\":\"stdout\",\"time\":\"2026\"}",
      "{\"log\":\"\\u003c0\\u003e " + in_json(line) + "\\r\\n\",\"stream\":\"stdout\"}",
      "\"[0]: " + in_json(line) + "\"",
      in_json(line),
      "{\"log\":\"" + in_json(error) + "\\n\",\"stream\":\"stderr\"}",
      "{\"log\":\"\"}",
      "{\"log\":\"" + in_json(line).substr(0, 80) + "\"}",
      "{\"log\":\"\\u00",
      "{\"log\":\"\\",
      '"' + in_json(error) + '"',
      "{\"stream\":\"stderr\",\"log\":\"[1,3]<stderr>:" + in_json(error) + "\\n\",\"n\":1}",
      "level=\"error\" " + error,
      line + error,
      line + "rankmap: RANK is not set: expected a rank; set it",
  };
  const std::size_t records[] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
  for (std::size_t i = 0; i != std::size(rows); ++i) {
    JobTable table;
    EXPECT_TRUE(table.read_line(rows[i]));
    EXPECT_EQ(table.rows().size(), records[i]) << rows[i];
    if (records[i] == 1) {
      EXPECT_EQ(table.rows()[0], full_record(1));
    }
    EXPECT_EQ(table.refusals().count(), i == 4 || i > 8 ? 1 : 0) << rows[i];
    if (i == 4 || (i > 8 && i != 13)) {
      EXPECT_EQ(table.refusals().complaints()[0].message,
                "RANK=\"x\": expected a number; unset it");
    }
    EXPECT_EQ(table.unread().pieces, i == 6 ? 1 : 0) << rows[i];
  }
}

TEST(JobTable, reads_what_is_far_behind_the_beginning_of_a_quoted_line) {
  for (const std::size_t size : {0U, 900U, 1'100U, 2'000U, 100'000U}) {
    const std::string front = "{\"log\":\"" + std::string(size, 'x');
    JobTable table;
    EXPECT_TRUE(table.read_line(front + in_json(line_of(full_record(1))) + "\\n\"}"));
    EXPECT_EQ(rows_of(table), std::vector<JobRecord>{full_record(1)}) << size;
    EXPECT_TRUE(table.read_line(front + " rankmap: RANK=\\\"x\\\": expected a number\\n\"}"));
    EXPECT_EQ(table.refusals().count(), 1) << size;
    EXPECT_EQ(table.unread().pieces, 0) << size;
  }
}

TEST(JobTable, counts_a_record_that_another_one_interrupts) {
  const std::string torn = line_of(full_record(1));
  const auto table =
      JobTable::read(torn.substr(0, 200) + line_of(full_record(2)) + torn.substr(200) + "\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(rows_of(*table), std::vector<JobRecord>{full_record(2)});
  EXPECT_EQ(table->unread().pieces, 2);
  EXPECT_EQ(table->unread().samples()[0].view().substr(0, 20), R"({\"rankmap_job\":1,\)");
}

// srun sends a long line in pieces, and with --label each has a label and a newline.
TEST(JobTable, counts_both_pieces_of_a_torn_record) {
  const std::string whole = line_of(full_record(0));
  const std::string torn = line_of(full_record(1));
  const auto table = JobTable::read("0: " + whole + "\n1: " + torn.substr(0, 300) +
                                    "\n1: " + torn.substr(300) + "\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(rows_of(*table), std::vector<JobRecord>{full_record(0)});
  EXPECT_EQ(table->unread().pieces, 2);
}

TEST(JobTable, never_reads_a_line_that_was_cut) {
  const std::string line = line_of(full_record(1));
  for (std::size_t size = 0; size != line.size(); ++size) {
    EXPECT_FALSE(JobTable::read(line.substr(0, size))) << size;
    EXPECT_FALSE(JobTable::read(line.substr(line.size() - size))) << size;
  }
  EXPECT_TRUE(JobTable::read(line));
}

TEST(JobTable, never_reads_what_was_not_written) {
  const std::string one = line_of(full_record(0));
  const std::string two = line_of(full_record(3));
  std::size_t read = 0;
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t k = 0; k <= two.size(); ++k) {
      const auto table = JobTable::read(one.substr(0, i) + two.substr(k));
      if (!table) continue;
      ++read;
      for (const JobRecord& row : table->rows()) {
        ASSERT_TRUE(row == full_record(0) || row == full_record(3)) << i << ' ' << k;
      }
    }
  }
  // whole ones, and beginnings that both lines have
  EXPECT_GT(read, one.size() + two.size());
  EXPECT_LT(read, one.size() + two.size() + 40);
}

TEST(JobTable, never_reads_a_line_with_a_changed_byte) {
  const std::string line = line_of(full_record(1));
  for (std::size_t at = 0; at != line.size(); ++at) {
    for (const char c : {'0', '1', '9', 'a', '"', ',', ' '}) {
      std::string changed = line;
      if (changed[at] == c) continue;
      changed[at] = c;
      EXPECT_FALSE(JobTable::read(changed)) << changed;
    }
  }
}

TEST(JobTable, says_what_is_missing_in_output_without_records) {
  const auto nothing = JobTable::read("");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Errc::missing);
  EXPECT_EQ(message(nothing.error()).view(),
            "lines=\"0 lines, torn pieces: 0\": expected the record of a process: "
            "{\"rankmap_job\":1,...}; print one line for each process, of at most 768 bytes and in "
            "one write");
  const auto torn = JobTable::read("a\n" + line_of(full_record(0)).substr(0, 100) + "\nb");
  ASSERT_FALSE(torn);
  EXPECT_EQ(torn.error().found, "3 lines, torn pieces: 1");
}

std::string with_schema(std::string line, std::string_view schema) {
  line.replace(line.find(":1,") + 1, 1, schema);
  const std::size_t check = line.find(",\"check\"");
  rankmap::StaticString<8> sum;
  rankmap::detail::append_hexadecimal(sum, rankmap::detail::checksum(line.substr(0, check)), 8);
  line.replace(check + 10, 8, sum.view());
  return line;
}

TEST(JobTable, names_schemas_that_it_does_not_know) {
  JobRecord record = full_record(0);
  record.device.uuid = {};  // so that there is room for long numbers
  const std::string known = line_of(record);
  EXPECT_EQ(with_schema(known, "1"), known);
  const std::string text = with_schema(known, "7") + '\n' + with_schema(known, "2") + '\n';
  const auto other = JobTable::read(text);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::out_of_range);
  EXPECT_EQ(
      message(other.error()).view(),
      "rankmap_job=\"7\": expected records of schema 1; read them with the version of rankmap "
      "that wrote them");
  const auto mixed = JobTable::read(text + known);
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->rows().size(), 1U);
  EXPECT_EQ(mixed->unread().other_schemas, 2);
  EXPECT_EQ(mixed->unread().highest_schema, 7);
  for (const std::string_view schema : {"99999999999999999999999", "4294967297"}) {
    const auto error = JobTable::read(with_schema(known, schema)).error();
    EXPECT_EQ(error.code, Errc::out_of_range);
    EXPECT_EQ(error.found, "1000000");
  }
  for (const std::string_view schema : {"01", "-1", "x", "", "1.0", "\"1\""}) {
    EXPECT_EQ(JobTable::read(with_schema(known, schema)).error().code, Errc::missing) << schema;
  }
}

/// Objects with a right checksum that no record is written as.
TEST(JobTable, refuses_values_that_no_record_has) {
  const std::string_view objects[] = {
      R"("rank":[0])",
      R"("rank":[0,1,2])",
      R"("rank":[1,1])",
      R"("rank":[0,0])",
      R"("rank":[null,1])",
      R"("rank":"0,1")",
      R"("rank":["0","1"])",
      R"("rank":[0,2147483648])",
      R"("rank":[-1,1])",
      R"("rank":[0,1],"rank":[0,1])",
      R"("local":[0,1])",
      R"("rank":[0,1],"launcher":7)",
      R"("rank":[0,1],"launcher":"sixteen-letters!")",
      R"("rank":[0,1],"host":"\u001b")",
      R"("rank":[0,1],"host":"\ud800")",
      R"("rank":[0,1],"boot":"0123456789abcde")",
      R"("rank":[0,1],"boot":"0123456789abcdeg")",
      R"("rank":[0,1],"boot":1)",
      R"("rank":[0,1],"pid":"1")",
      R"("rank":[0,1],"pid_ns":4294967296)",
      R"("rank":[0,1],"pid_ns":"1")",
      R"("rank":[0,1],"device":[])",
      R"("rank":[0,1],"device":"cuda")",
      R"("rank":[0,1],"device":["gpu",0,1,1,0,null,0])",
      R"("rank":[0,1],"device":["cuda",0,1,1,0,null])",
      R"("rank":[0,1],"device":["cuda",0,1,1,0,null,0,0])",
      R"("rank":[0,1],"device":["cpu",0])",
      R"("rank":[0,1],"shared":1)",
      R"("rank":[0,1],"uuid":"GPU-1")",  // without a device
      R"("rank":[0,1],"cpus":"0-")",
      R"("rank":[0,1],"cpus":"0,1")",
      R"("rank":[0,1],"cpus":[4])",
      R"("rank":[0,1],"cpus":[4,"00000000"])",
      R"("rank":[0,1],"cpus":[0,"00000001"])",
      R"("rank":[0,1],"numa":"64")",
      R"("rank":[0,1],"numa":"")",
      R"("rank":[0,1],"numa":"x")",
      R"("rank":[0,1],"numa":1)",
      R"("rank":[0,1],"warnings":256)",
      R"("rank":[0,1],"warnings":null)",
      R"("rank":[0,1],"origin":"guessed")",
      R"("rank":[0,1],"more":[[[1]]])",
  };
  for (const std::string_view object : objects) {
    const auto table = JobTable::read(
        with_schema("{\"rankmap_job\":1," + std::string(object) + ",\"check\":\"00000000\"}", "1"));
    EXPECT_FALSE(table) << object;
  }
  EXPECT_TRUE(
      JobTable::read(with_schema(R"({"rankmap_job":1,"rank":[0,1],"check":"00000000"})", "1")));
}

TEST(JobTable, is_read_in_pieces_too) {
  JobTable table;
  EXPECT_TRUE(table.read_line("starting\n"));
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(table.read_line(line_of(full_record(2)) + "\n" + line_of(full_record(1))));
  EXPECT_EQ(table.rows().size(), 2U);
}

}  // namespace
