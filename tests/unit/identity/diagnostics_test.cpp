// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/detail/short_list.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace {

using rankmap::Launcher;
using rankmap::RecordedEnvironment;
using rankmap::RecordState;
using rankmap::Relation;
using rankmap::Topology;

static_assert(name(RecordState::absent) == "absent" &&
              name(RecordState::node_level) == "node level");
static_assert(rankmap::OtherRecord().rank == -1 && rankmap::OtherRecord().world_size == -1);
static_assert(name(Relation::same) == "same" && name(Relation::conflict) == "conflict");

template <class Enum>
std::size_t distinct_names(Enum last) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.insert(name(static_cast<Enum>(i)));
  return names.size();
}

TEST(Diagnostics, names_are_distinct) {
  EXPECT_EQ(distinct_names(RecordState::node_level), 7U);
  EXPECT_EQ(distinct_names(Relation::conflict), 4U);
}

TEST(Diagnostics, a_warning_is_one_line_as_an_error_is) {
  const auto me = Topology::from_environment(RecordedEnvironment("FOO_RANK=3\nFOO_SIZE=4")).value();
  ASSERT_FALSE(me.warnings().empty());
  const std::string expected =
      "FOO_RANK=\"3\": expected the variables of a known launcher too: it looks like a rank of a "
      "launcher that rankmap does not know; set RANK, WORLD_SIZE and LOCAL_RANK, or "
      "RANKMAP_LAUNCHER=none if the process is alone; in the program, pass Config::rank, "
      "::world_size and ::local_rank";
  EXPECT_EQ(message(*me.warnings().begin()), expected);
  EXPECT_EQ(testing::PrintToString(*me.warnings().begin()), expected);
  const rankmap::Warning bare = {
      .variable = "RANK", .reason = "a number", .launcher = Launcher::slurm};
  EXPECT_EQ(message(bare), "RANK (slurm): expected a number; correct or unset it");
}

TEST(Diagnostics, full_lists_drop_further_items) {
  rankmap::detail::ShortList<int, 2> list;
  EXPECT_EQ(list.size(), 0U);
  for (const int i : {1, 2, 3}) list.add(i);
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.data()[1], 2);
  int sum = 0;
  for (const int i : list) sum += i;
  EXPECT_EQ(sum, 3);
}

TEST(Diagnostics, other_record_names_the_deciding_variable) {
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|"
      "SLURM_TASK_PID=4711",
      '|'));
  ASSERT_TRUE(topology);
  ASSERT_EQ(topology->other_records().size(), 1U);
  const auto& other = topology->other_records()[0];
  EXPECT_EQ(other.launcher, Launcher::slurm);
  EXPECT_EQ(other.state, RecordState::no_task);
  EXPECT_EQ(other.relation, Relation::stale);
  EXPECT_EQ(other.rank, 0);
  EXPECT_EQ(other.world_size, -1);
  EXPECT_EQ(other.variable, "SLURM_PROCID");
  EXPECT_EQ(other.reason, "a batch script is one process");
}

TEST(Diagnostics, warning_has_variable_text_and_expectation) {
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1|"
      "TORCHELASTIC_RESTART_COUNT=many",
      '|'));
  ASSERT_TRUE(topology);
  ASSERT_EQ(topology->warnings().size(), 1U);
  EXPECT_EQ(topology->warnings()[0].variable, "TORCHELASTIC_RESTART_COUNT");
  EXPECT_EQ(topology->warnings()[0].text.view(), "many");
  EXPECT_EQ(topology->warnings()[0].reason, "a decimal number");
  EXPECT_EQ(topology->restart_count(), 0);
}

}  // namespace
