// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"
#include "support/planted_job.hpp"

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/job/table_json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::JobTable;
using rankmap::detail::Json;
using rankmap_test::healthy_job;
using rankmap_test::line_of;
using rankmap_test::table_of;

std::string json_of(const JobTable& table) {
  std::string out;
  write_json(table, table.findings(), [&](std::string_view piece) { out += piece; });
  return out;
}

// If this fails, programs that read the keys break: raise job_table_json_schema, or restore them.
TEST(JobTableJson, has_findings_and_records) {
  auto job = healthy_job({2});
  job[1].device.uuid = job[0].device.uuid;
  EXPECT_EQ(json_of(table_of(job)),
            R"({"schema":1,"findings":[{"kind":"duplicate_device","severity":"error",)"
            R"("ranks":[[0,1,1]],)"
            R"x("evidence":"ranks 0 and 1 on n0 use one device, GPU-1000 (cuda:0, cuda:1)",)x"
            R"("remedy":"let the launcher give each process a device, as srun --gpus-per-task=1 )"
            R"(does, or remove a fixed device index; in the program, take the index from the )"
            R"x(local rank (device_policy::strict)"}],)x"
            R"("not_told":null,"unread":{"pieces":0,"other_schemas":0},"refused":[],)"
            R"("records":[)" +
                line_of(job[0]) + "," + line_of(job[1]) + "]}");
}

TEST(JobTableJson, of_an_empty_table_has_all_keys) {
  EXPECT_EQ(json_of(JobTable()),
            R"({"schema":1,"findings":[],"not_told":null,"unread":{"pieces":0,)"
            R"("other_schemas":0},"refused":[],"records":[]})");
}

TEST(JobTableJson, has_what_processes_said_without_a_record) {
  JobTable table;
  EXPECT_TRUE(table.read_line("3: rankmap: RANK=\"x\": expected a number"));
  const std::string text = json_of(table);
  EXPECT_NE(text.find(R"("refused":[{"message":"RANK=\"x\": expected a number","host":null,)"
                      R"("processes":0,"lines":1}],"records":[]})"),
            std::string::npos)
      << text;
}

TEST(JobTableJson, is_json_whatever_the_names_are) {
  auto job = healthy_job({2, 1, 2});
  for (auto& record : job) {
    record.host = "say \"n\\\xc3\xa9";
    record.boot = 0;
    record.pid = -1;
  }
  job.pop_back();
  JobTable table = table_of(job);
  EXPECT_TRUE(table.read_line("{\"rankmap_job\":\x1b\n"));
  const std::string text = json_of(table);
  const auto json = Json::parse(text, "json");
  ASSERT_TRUE(json) << message(json.error());
  EXPECT_EQ(json->member("not_told")->string<63>()->view(), "the process of 4 ranks");
  EXPECT_EQ(json->member("unread")->raw(), R"({"pieces":1,"other_schemas":0})");
  for (const char c : text) EXPECT_TRUE(c >= ' ' && c <= '~');
  EXPECT_EQ(JobTable::read(text)->rows().size(), 4U);  // the lines can be read from it
}

}  // namespace
