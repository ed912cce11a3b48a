// SPDX-License-Identifier: MIT
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/job/text.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Complaint;
using rankmap::describe;
using rankmap::FindingKind;
using rankmap::JobTable;
using rankmap::Message;
using rankmap::ProcessFacts;
using rankmap::Refusal;
using rankmap::Refusals;

constexpr Refusal refusal_of(std::string_view message, std::string_view host, int pid) {
  Refusal out;
  out.message = message;
  out.host = host;
  out.pid = pid;
  return out;
}

std::string line_of(const Refusal& refusal) {
  std::string out;
  write_json(refusal, [&](std::string_view piece) { out += piece; });
  return out;
}

/// "3+0 on n1: text" of each complaint: processes and lines.
std::string summary(const Refusals& refusals) {
  std::string out;
  for (const Complaint& each : refusals.complaints()) {
    if (!out.empty()) out += " | ";
    out += std::to_string(each.processes) + '+' + std::to_string(each.lines);
    if (!each.host.empty()) out += " on " + std::string(each.host.view());
    out += ": " + std::string(each.message.view());
  }
  return out;
}

constexpr bool reads_back(const Refusal& refusal) {
  bool same = false;
  write_json(refusal, [&](std::string_view line) {
    JobTable table;
    same = table.read_line(line) && table.refusals().complaints().size() == 1 &&
           table.refusals().complaints()[0].message == refusal.message &&
           table.refusals().complaints()[0].host == refusal.host && table.unread().pieces == 0;
  });
  return same;
}
static_assert(reads_back(refusal_of("RANK=\"x\": expected a number; unset it", "n1", 7)));
static_assert(reads_back(refusal_of("RANK is not set: expected a rank", "", -1)));

// If this fails, older versions of rankmap no longer read the lines: raise Refusal::schema.
TEST(Refusal, is_the_line_of_a_process_without_a_record) {
  const rankmap::Error error = rankmap::detail::error_at(rankmap::Errc::not_a_number, "RANK",
                                                         "$RANK", "a number", "unset it");
  ProcessFacts process;
  process.host = "n1";
  process.pid = 4711;
  process.pid_namespace = 4026531836U;
  EXPECT_EQ(line_of(describe(error, process)),
            R"({"rankmap_refused":1,"message":"RANK=\"$RANK\": expected a number; unset it",)"
            R"("host":"n1","pid":4711,"pid_ns":4026531836,"check":"dc8484ae"})");
}

TEST(Refusal, fits_into_its_line_whatever_the_message_is) {
  for (const char c : {'x', '"', '\\', ' '}) {
    for (std::size_t size = 1; size <= 639; size += 29) {
      const Refusal refusal =
          refusal_of(std::string(size, c), std::string(31, 'h') + std::string(16, '"'), 2147483647);
      const std::string line = line_of(refusal);
      EXPECT_LT(line.size(), Refusal::bytes);
      JobTable table;
      EXPECT_TRUE(table.read_line(line));
      ASSERT_EQ(table.refusals().count(), 1) << line;
      const std::string_view read = table.refusals().complaints()[0].message;
      EXPECT_EQ(read, refusal.message.view().substr(0, read.size()));
      EXPECT_GE(read.size(), std::min<std::size_t>(size, 300)) << c;
    }
  }
}

TEST(Refusals, count_messages_that_differ_in_numbers_alone_together) {
  struct Row {
    std::vector<std::string_view> messages;
    std::size_t complaints;
  };
  const Row rows[] = {
      {{"RANK=\"4\": expected a number", "RANK=\"5\": expected a number"}, 1},
      {{"RANK=\"9\": expected a number", "RANK=\"10\": expected a number"}, 1},
      {{"rank 1", "rank 10"}, 1},
      {{"RANK=\"a\": expected a number", "RANK=\"b\": expected a number"}, 2},
      {{"RANK=\"4\": expected a number", "RANK=\"4\": expected a number; unset it"}, 2},
      {{"", "1"}, 1},
      {{"a1b2", "a33b"}, 1},
      {{"a1b2", "a1c2"}, 2},
  };
  for (const Row& row : rows) {
    Refusals refusals;
    for (const std::string_view message : row.messages) refusals.add_line(Message(message));
    EXPECT_EQ(refusals.complaints().size(), row.complaints) << row.messages[0];
    EXPECT_EQ(refusals.count(), 2);
  }
}

TEST(Refusals, count_a_process_once) {
  Refusals refusals;
  for (int copy = 0; copy != 3; ++copy) {
    for (int pid = 0; pid != 1000; ++pid) refusals.add(refusal_of("message", "n1", pid));
    for (int pid = 0; pid != 1000; ++pid) refusals.add(refusal_of("message", "n2", pid));
  }
  refusals.add(refusal_of("another message", "n1", 5));
  EXPECT_EQ(summary(refusals), "2000+0 on n1: message | 1+0 on n1: another message");
  for (int line = 0; line != 1500; ++line) refusals.add_line(Message("message"));
  EXPECT_EQ(refusals.count(), 2001);  // the same once more, as text
  for (int line = 0; line != 700; ++line) refusals.add_line(Message("message"));
  EXPECT_EQ(refusals.count(), 2201);
}

TEST(Refusals, do_not_depend_on_the_order) {
  std::vector<Refusal> all;
  for (int i = 0; i != 40; ++i) {
    all.push_back(
        refusal_of("message " + std::string(1, static_cast<char>('a' + i % 7)) + std::to_string(i),
                   "n" + std::to_string(i % 5), i % 11));
  }
  std::minstd_rand random(3);
  std::string first;
  for (int round = 0; round != 50; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    Refusals refusals;
    for (const Refusal& refusal : all) refusals.add(refusal);
    refusals.add_line(Message("message b9"));
    if (first.empty()) first = summary(refusals);
    ASSERT_EQ(summary(refusals), first);
  }
}

TEST(Refusals, count_more_messages_than_they_keep) {
  Refusals refusals;
  for (char c = 'a'; c <= 'z'; ++c) refusals.add_line(Message(std::string(2, c)));
  EXPECT_EQ(refusals.complaints().size(), Refusals::max_complaints);
  EXPECT_EQ(refusals.count(), 26);
}

// ---- in the output of a job ---------------------------------------------------------------------

constexpr std::string_view text_error = "rankmap: RANK=\"$RANK\": expected a number; unset it";

TEST(JobTable, reads_errors_behind_any_prefix) {
  struct Row {
    std::string line;
    std::string found;
  };
  const std::string message = "RANK=\"$RANK\": expected a number; unset it";
  const std::string json = line_of(refusal_of(message, "n1", 7));
  const Row rows[] = {
      {std::string(text_error), "0+1: " + message},
      {"[1,3]<stderr>:" + std::string(text_error) + "\r", "0+1: " + message},
      {"[default0]:\x1b[31m" + std::string(text_error) + "\x1b[0m", "0+1: " + message},
      {" 3: " + std::string(text_error) + std::string(text_error), "0+2: " + message},
      {"3: " + json, "1+0 on n1: " + message},
      {json + json + std::string(text_error), "1+1 on n1: " + message},
      {"{\"rankmap_job\":1,\"rank\":[0," + json, "1+0 on n1: " + message},
      {"rankmap: rank 3 of 4 on n1", ""},
      {"rankmap: expected nothing", ""},
      {"rankmap: warning: RANK=\"x\": expected a number; unset it", ""},  // by rankmap exec
      {json.substr(0, json.size() - 1), ""},
      {json.substr(1), ""},
  };
  for (const Row& row : rows) {
    JobTable table;
    EXPECT_TRUE(table.read_line(row.line));
    EXPECT_EQ(summary(table.refusals()), row.found) << row.line;
  }
}

TEST(JobTable, never_reads_a_changed_refusal) {
  const std::string line = line_of(refusal_of("RANK is not set: expected a rank", "n1", 7));
  for (std::size_t at = 0; at != line.size(); ++at) {
    std::string changed = line;
    changed[at] = changed[at] == 'z' ? 'y' : 'z';
    JobTable table;
    EXPECT_TRUE(table.read_line(changed));
    EXPECT_TRUE(table.refusals().empty()) << changed;
    JobTable cut;
    EXPECT_TRUE(cut.read_line(line.substr(0, at)));
    EXPECT_TRUE(cut.refusals().empty()) << at;
  }
}

TEST(JobTable, of_refusals_alone_has_them_as_its_first_finding) {
  std::string lines;
  for (int pid = 0; pid != 3; ++pid) {
    lines += line_of(refusal_of("RANK=\"$RANK\": expected a number; unset it", "n1", pid)) + '\n';
  }
  lines += line_of(refusal_of("no", "n2", 1)) + '\n';
  const auto table = JobTable::read(lines);
  ASSERT_TRUE(table);
  const auto findings = table->findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(message(findings[0]).view(),
            "error: refused: 3 processes, one of them on n1, say: RANK=\"$RANK\": expected a "
            "number; unset "
            "it; and 1 says something else; do what the message says: other findings may follow "
            "from it");
  std::string text;
  write_text(*table, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text,
            "no process is known to be a rank\n\n"
            "error: refused\n"
            "  3 processes, one of them on n1, say: RANK=\"$RANK\": expected a number; unset\n"
            "  it; and 1 says something else\n"
            "  do what the message says: other findings may follow from it\n");
}

TEST(JobTable, with_a_refusal_says_so_where_a_rank_is_missing) {
  std::string lines = std::string(text_error) + '\n';
  for (const int rank : {0, 1, 2}) {
    const auto me =
        rankmap::Topology::from_config({.rank = rank, .world_size = 4, .local_rank = rank});
    write_json(describe(*me), [&](std::string_view line) { lines += line; });
    lines += '\n';
  }
  const auto findings = JobTable::read(lines)->findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].kind, FindingKind::refused);
  EXPECT_EQ(findings[1].kind, FindingKind::missing_ranks);
  EXPECT_EQ(findings[1].evidence.view(),
            "3 of 4 ranks have a record; 1 process refused to be a rank");
}

}  // namespace
