// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/short_list.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace {

using rankmap::Config;
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
      "launcher that rankmap does not know; "
      "set RANKMAP_LAUNCHERS, or RANK, WORLD_SIZE and LOCAL_RANK, or RANKMAP_LAUNCHER=none "
      "if alone; in the program, pass Config::rank, ::world_size, ::local_rank";
  EXPECT_EQ(message(*me.warnings().begin()), expected);
  EXPECT_EQ(testing::PrintToString(*me.warnings().begin()), expected);
  const rankmap::Warning bare = {
      .variable = "RANK", .reason = "a number", .launcher = Launcher::slurm};
  EXPECT_EQ(message(bare), "RANK (slurm): expected a number; correct or unset it");
}

/// `variables`, `config`: of the one process of a pod that has two numbers.
struct TwoNumbers {
  std::string_view variables;
  Config config;
  std::string_view warning;
};
constexpr TwoNumbers two_numbers[] = {
    {"RANK=3|WORLD_SIZE=4|JOB_COMPLETION_INDEX=2",
     {.one_process_per_node = true},
     "JOB_COMPLETION_INDEX=\"2\" (kubernetes): expected 3, as RANK says (torch_env): with one "
     "process in a pod, both number the pod; unset it, or, if it is right, correct RANK"},
    {"RANK=2|WORLD_SIZE=4|TPU_WORKER_ID=2|TPU_WORKER_HOSTNAMES=a,b,c",
     {.one_process_per_node = true},
     "TPU_WORKER_HOSTNAMES=\"a,b,c\" (tpu): expected 4, as WORLD_SIZE says (torch_env): with one "
     "process in a pod, both count the pods; unset it, or, if it is right, correct WORLD_SIZE"},
    {"SM_CURRENT_HOST=b|SM_HOSTS=[\"a\",\"b\"]|JOB_COMPLETION_INDEX=0",
     {.one_process_per_node = true},
     "JOB_COMPLETION_INDEX=\"0\" (kubernetes): expected 1, as SM_HOSTS says (sagemaker): with one "
     "process in a pod, both number the pod; unset it, or, if it is right, correct SM_HOSTS"},
    {"RANK=3|WORLD_SIZE=4|JOB_COMPLETION_INDEX=2",
     {.node_rank = 3, .one_process_per_node = true},
     "JOB_COMPLETION_INDEX=\"2\" (kubernetes): expected 3, as Config::node_rank says: with one "
     "process in a pod, both number the pod; unset it, or, if it is right, correct "
     "Config::node_rank"},
    {"RANK=0|WORLD_SIZE=1|JOB_COMPLETION_INDEX=2",
     {.one_process_per_node = true},
     "JOB_COMPLETION_INDEX=\"2\" (kubernetes): expected 0, as Config::one_process_per_node says: "
     "with one process in a pod, both number the pod; unset it, or, if it is right, correct "
     "Config::one_process_per_node"},
    // the same number, and a group's index
    {"RANK=2|WORLD_SIZE=4|JOB_COMPLETION_INDEX=2", {.one_process_per_node = true}, ""},
    {"RANK=3|WORLD_SIZE=4|VC_TASK_INDEX=2|VC_MASTER_NUM=1|VC_WORKER_NUM=3",
     {.one_process_per_node = true},
     ""},
};
constexpr bool warns(const TwoNumbers& row) {
  const auto me = Topology::from_environment(RecordedEnvironment(row.variables, '|'), row.config);
  if (!me || me->warnings().size() > 1) return false;
  return (me->warnings().empty() ? rankmap::Message() : message(me->warnings()[0])) == row.warning;
}
static_assert(std::ranges::all_of(two_numbers, warns));

TEST(Diagnostics, two_numbers_of_a_pod_are_both_named) {
  for (const TwoNumbers& row : two_numbers) EXPECT_TRUE(warns(row)) << row.warning;
}

TEST(Diagnostics, a_report_names_both_numbers_of_a_pod) {
  const auto me = Topology::from_environment(RecordedEnvironment(two_numbers[0].variables, '|'),
                                             two_numbers[0].config);
  ASSERT_TRUE(me);
  EXPECT_NE(explain(*me).view().find(std::string("warning           ") +
                                     std::string(two_numbers[0].warning) + '\n'),
            std::string_view::npos)
      << explain(*me);
  std::string json;
  write_json(*me, [&json](std::string_view piece) { json += piece; });
  EXPECT_NE(json.find(R"("expected":"3, as RANK says (torch_env): with one process in a pod, both )"
                      R"(number the pod","remedy":"unset it, or, if it is right, correct RANK")"),
            std::string::npos)
      << json;
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
