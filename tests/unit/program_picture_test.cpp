// SPDX-License-Identifier: MIT
//
// The picture of `rankmap table --svg`: all that a rank is told of is in its box.
#include "../examples/rankmap/picture.hpp"
#include "support/planted_job.hpp"
#include "support/svg.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using program::draw_job;
using program::html_page;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap_test::healthy_job;
using rankmap_test::SvgReader;
using rankmap_test::table_of;

std::string picture_of(const rankmap_test::Job& job) {
  const JobTable table = table_of(job);
  return draw_job(table, table.findings()).value_or("none");
}

TEST(ProgramPicture, has_each_rank_once_without_overlaps) {
  for (const int nodes : {1, 8, 128}) {
    rankmap_test::Job job = healthy_job(std::vector<int>(static_cast<std::size_t>(nodes), 8));
    for (JobRecord& record : job) record.nic = "mlx5_bond_0_of_a_very_l";
    job[3].threads = 8;
    job[5].device.uuid = job[6].device.uuid;
    job[5].device.index = 2'000'000'000;
    const SvgReader picture(picture_of(job));
    EXPECT_EQ(picture.fault(), "") << nodes;
    for (const JobRecord& record : job) {
      EXPECT_EQ(picture.count_text("rank " + std::to_string(record.rank)), 1);
    }
    EXPECT_EQ(picture.count_text("!"), 3) << nodes;
    EXPECT_EQ(picture.count_text("few_cpus"), 1);
    EXPECT_EQ(picture.count_text("duplicate_device"), 2);
    EXPECT_EQ(picture.count_text("n0"), 1);
  }
}

TEST(ProgramPicture, shows_ranks_without_a_record_apart) {
  rankmap_test::Job job = healthy_job({2, 2});
  job.erase(job.begin() + 2);
  const std::string text = picture_of(job);
  const SvgReader picture(text);
  EXPECT_EQ(picture.fault(), "");
  EXPECT_EQ(picture.count_text("missing_ranks"), 1);
  EXPECT_EQ(picture.count_text("no-record"), 1);
  EXPECT_EQ(picture.count_text("rank 2"), 1);
  EXPECT_EQ(picture.count_text("local ?"), 1);
  EXPECT_EQ(picture.count_text("local 0"), 1);
  EXPECT_NE(text.find("<style>.rankmap .p{stroke:#cf222e}</style>\n</svg>\n"), std::string::npos);
}

TEST(ProgramPicture, of_several_jobs_is_that_of_the_largest) {
  rankmap_test::Job job = healthy_job({2});
  for (JobRecord record : healthy_job({3})) {
    record.job = "4712.0";
    job.push_back(record);
  }
  EXPECT_EQ(SvgReader(picture_of(job)).first("title"), "3 ranks on 1 node");
  rankmap_test::Job split = healthy_job({2, 2});
  split[3].job = "4700.0";  // the ids are what is wrong, and it is one world
  const SvgReader picture(picture_of(split));
  EXPECT_EQ(picture.first("title"), "4 ranks on 2 nodes");
  EXPECT_EQ(picture.count_text("job_ids_differ"), 1);
  EXPECT_EQ(picture.count_text("no-record"), 0);
}

TEST(ProgramPicture, is_none_where_there_is_no_rank_or_too_many) {
  EXPECT_EQ(picture_of({}), "none");
  rankmap_test::Job job = healthy_job({1});
  job[0].world_size = 2'000'000'000;
  EXPECT_EQ(picture_of(job), "none");
}

TEST(ProgramPicture, takes_any_names) {
  rankmap_test::Job job = healthy_job({1, 1, 1});
  job[0].host = "n[1-2],<b>&\"";
  job[1].host = "\xe8\x8a\x82\xe7\x82\xb9";
  job[2].host = {};
  const SvgReader picture(picture_of(job));
  EXPECT_EQ(picture.fault(), "");
  // A name that no list of hosts can have takes none from the others.
  EXPECT_EQ(picture.count_text("n?1-2]?<b>&\""), 1);
  EXPECT_EQ(picture.count_text("??"), 1);
  EXPECT_EQ(picture.count_text("unknown"), 1);
  EXPECT_EQ(html_page("<svg/>", "a < b & c"),
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<title>rankmap</title>\n"
            "<style>pre{overflow-x:auto}svg{max-width:100%;height:auto}</style>"
            "</head>\n<body>\n<pre>a &lt; b &amp; c</pre>\n"
            "<svg/></body></html>\n");
}

}  // namespace
