// SPDX-License-Identifier: MIT
//
// Jobs that real launchers started, and in which nothing is wrong: their tables have no error.
#include "recordings/recording.hpp"
#include "support/planted_job.hpp"

#include <rankmap/job.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using rankmap::Finding;
using rankmap::FindingKind;
using rankmap::JobTable;
using rankmap::Severity;
using rankmap::Topology;

/// Two of its ranks have one local rank on one host: by that number they would take one device.
constexpr std::string_view names_a_host_twice = "mpich42-machinefile-split-gpu";

TEST(Recordings, are_tables_without_an_error) {
  int healthy = 0;
  for (const auto& recording : rankmap_test::read_recordings(rankmap_test::own_recordings())) {
    std::string lines;
    bool is_refused = false;
    int pid = 100;
    for (const auto& process : recording.processes) {
      const auto me = Topology::from_environment(process.offered(), recording.stated);
      rankmap::ProcessFacts facts;
      facts.host = std::string_view(process.host);
      facts.boot_id = std::string_view(process.host);
      facts.pid = pid++;
      const auto append = [&lines](std::string_view piece) { lines += piece; };
      if (me) {
        write_json(describe(*me, facts), append);
      } else {
        is_refused = true;
        write_json(describe(me.error(), facts), append);
      }
      lines += '\n';
    }
    const auto table = JobTable::read(lines);
    ASSERT_TRUE(table) << recording.name;
    const auto findings = table->findings();
    if (is_refused) {
      EXPECT_EQ(findings[0].kind, FindingKind::refused) << recording.name;
      continue;
    }
    if (recording.name == names_a_host_twice) {
      EXPECT_EQ(rankmap_test::summary(findings),
                "error layout_differs 0,3; error place_conflict 0,3");
      continue;
    }
    ++healthy;
    EXPECT_EQ(findings.count(Severity::error), 0U)
        << recording.name << ": " << rankmap_test::summary(findings) << "\n"
        << message(findings[0]);
  }
  EXPECT_GE(healthy, 100);
}

}  // namespace
