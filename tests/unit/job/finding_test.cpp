// SPDX-License-Identifier: MIT
#include "support/planted_job.hpp"

#include <rankmap/job/finding.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace {

using rankmap::Finding;
using rankmap::finding_count;
using rankmap::FindingKind;
using rankmap::Findings;
using rankmap::Severity;
using rankmap_test::healthy_job;
using rankmap_test::table_of;

static_assert(name(Severity::note) == "note" && name(Severity::error) == "error");
static_assert(name(FindingKind::all_alone) == "all_alone");
static_assert(name(FindingKind::out_of_order) == "out_of_order");
static_assert(name(FindingKind::few_cpus) == "few_cpus");
// In a function: g++ 12 takes no temporary with an array of lists for a constant.
constexpr bool is_empty_at_first() {
  const Findings findings;
  return findings.empty() && findings.find(FindingKind::same_rank) == nullptr &&
         findings.unknown_facts().empty() && findings.count(Severity::note) == 0;
}
static_assert(is_empty_at_first());

TEST(Finding, of_every_kind_has_a_name_and_a_remedy) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i != finding_count; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    EXPECT_TRUE(names.insert(name(kind)).second) << name(kind);
    EXPECT_GT(remedy(kind).size(), 10U) << name(kind);
  }
}

// first for who runs the job, then for who writes the program
TEST(Finding, has_a_remedy_that_begins_with_who_runs_the_job) {
  for (std::size_t i = 0; i != finding_count; ++i) {
    const std::string_view text = remedy(static_cast<FindingKind>(i));
    const std::size_t program = text.find("; in the program, ");
    EXPECT_GT(program, 0U) << text;
    for (const std::string_view word :
         {"Config::", "device_policy", "()", "one write", "compare"}) {
      const std::string_view before = text.substr(0, program);
      EXPECT_EQ(before.find(word), std::string_view::npos) << text;
    }
  }
}

TEST(Finding, is_one_line_with_ranks_evidence_and_remedy) {
  Finding finding;
  finding.kind = FindingKind::shared_device;
  finding.severity = Severity::note;
  finding.evidence = "ranks 0 and 1 share cuda:0";
  EXPECT_EQ(message(finding).view(),
            "note: shared_device: ranks 0 and 1 share cuda:0; nothing, if that is meant");
  finding.ranks.add(3);
  EXPECT_EQ(message(finding).view(),
            "note: shared_device, rank 3: ranks 0 and 1 share cuda:0; nothing, if that is meant");
  finding.ranks.add(4);
  finding.severity = Severity::warning;
  EXPECT_EQ(message(finding).view(),
            "warning: shared_device, ranks 3-4: ranks 0 and 1 share cuda:0; nothing, if that is "
            "meant");
}

TEST(Finding, fits_into_its_message) {
  for (std::size_t i = 0; i != finding_count; ++i) {
    Finding finding;
    finding.kind = static_cast<FindingKind>(i);
    finding.evidence = std::string_view(std::string(639, 'e'));
    for (int rank = 0; rank != 20; ++rank) finding.ranks.add(2'000'000'000 + rank * rank);
    EXPECT_FALSE(message(finding).cut()) << name(finding.kind);
  }
}

TEST(Findings, come_with_errors_first) {
  auto job = healthy_job({2, 1});
  job[0].threads = 8;                       // warning few_cpus
  job[1].device.uuid = job[0].device.uuid;  // error duplicate_device
  const Findings findings = table_of(job).findings();
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].kind, FindingKind::duplicate_device);
  EXPECT_EQ(findings[1].kind, FindingKind::few_cpus);
  EXPECT_EQ(findings[2].kind, FindingKind::uneven_nodes);
  EXPECT_EQ(findings.count(Severity::error), 1U);
  EXPECT_EQ(findings.count(Severity::warning), 2U);
  EXPECT_EQ(findings.count(Severity::note), 3U);
  EXPECT_EQ(findings.find(FindingKind::few_cpus), &findings[1]);
  EXPECT_EQ(findings.find(FindingKind::same_rank), nullptr);
  EXPECT_TRUE(findings[0].ranks.contains(1));
  EXPECT_FALSE(findings[1].ranks.contains(1));
  EXPECT_EQ(findings.about(0), &findings[0]);
  EXPECT_EQ(findings.about(2), &findings[2]);
  EXPECT_EQ(findings.about(3), nullptr);
}

TEST(Findings, say_what_is_unknown) {
  auto job = healthy_job({2, 2});
  EXPECT_EQ(table_of(job).findings().unknown_facts(), "");
  job[1].pid = -1;
  job[2].device = {};
  job[3].device = {};
  EXPECT_EQ(table_of(job).findings().unknown_facts(),
            "the process of 1 rank, the device of 2 ranks");
  for (auto& record : job) {
    rankmap::JobRecord bare;
    bare.rank = record.rank;
    bare.world_size = record.world_size;
    record = bare;
  }
  EXPECT_EQ(table_of(job).findings().unknown_facts(),
            "the machine of 4 ranks, the process of 4 ranks, the device of 4 ranks, the CPUs of 4 "
            "ranks");
  EXPECT_TRUE(table_of(job).findings().empty());
}

}  // namespace
