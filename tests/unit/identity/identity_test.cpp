// SPDX-License-Identifier: MIT
//
// What is known of a process by what is needed of it. How a record is chosen is tested with whole
// topologies, which resolve in the same steps.
#include "support/constant_rows.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Config;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::Need;
using rankmap::RecordedEnvironment;
using rankmap::TopologyField;

static_assert(std::is_trivially_copyable_v<Identity>);

// In `for (auto& w : Identity::from_environment().value().warnings())` they would dangle.
template <class T>
concept LendsToTemporaries = requires(T&& temporary) {
  static_cast<T&&>(temporary).warnings();
}
|| requires(T&& temporary) { static_cast<T&&>(temporary).other_records(); };
static_assert(!LendsToTemporaries<Identity> && LendsToTemporaries<const Identity&>);
static_assert(!LendsToTemporaries<rankmap::Topology>);

/// What is known; -2: not known.
struct Known {
  int rank = -2;
  int world_size = -2;
  int local_rank = -2;
  std::optional<Errc> error = {};
  friend constexpr bool operator==(const Known&, const Known&) = default;
};

constexpr Known known(std::string_view environment, Need need) {
  const auto found = Identity::from_environment(RecordedEnvironment(environment, ' '), need);
  Known out;
  if (!found) {
    out.error = found.error().code;
    return out;
  }
  out.rank = found->rank().value_or(-2);
  out.world_size = found->world_size().value_or(-2);
  out.local_rank = found->local_rank().value_or(-2);
  return out;
}

struct Row {
  const char* name;
  std::string_view environment;
  Known process;
  Known local;
  Known all;
  Known hint;
};

constexpr Known nothing = {};
constexpr Known error(Errc code) { return {.error = code}; }

constexpr Row rows[] = {
    {"a process alone", "PATH=/bin", {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}},
    {"torchrun's worker",
     "TORCHELASTIC_RUN_ID=a RANK=3 WORLD_SIZE=4 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 GROUP_RANK=1 "
     "GROUP_WORLD_SIZE=2",
     {3, 4, 1},
     {3, 4, 1},
     {3, 4, 1},
     {3, 4, 1}},
    {"the numbers of a pod serve as those of its one process, where a process is needed",
     "RANK=1 WORLD_SIZE=4",
     {1, 4, -2},
     error(Errc::ambiguous),
     error(Errc::ambiguous),
     nothing},
    {"a pod of a platform is no process", "PET_NODE_RANK=1 PET_NNODES=2", error(Errc::ambiguous),
     error(Errc::ambiguous), error(Errc::ambiguous), nothing},
    {"a lone local rank of Slurm",
     "SLURM_LOCALID=2",
     error(Errc::missing),
     {-2, -2, 2},
     error(Errc::missing),
     {-2, -2, 2}},
    {"a lone LOCAL_RANK",
     "LOCAL_RANK=2",
     error(Errc::missing),
     {-2, -2, 2},
     error(Errc::missing),
     {-2, -2, 2}},
    {"a launcher without local ranks",
     "MLX_RANK=1 MLX_WORLD_SIZE=3",
     {1, 3, -2},
     error(Errc::missing),
     error(Errc::missing),
     {1, 3, -2}},
    {"a pod that is said to have two processes",
     "RANK=1 WORLD_SIZE=6 PET_NNODES=3 PET_NODE_RANK=1 PET_NPROC_PER_NODE=2",
     error(Errc::ambiguous), error(Errc::ambiguous), error(Errc::ambiguous), nothing},
    {"not distributed", "LOCAL_RANK=-1", {0, 1, -1}, {0, 1, -1}, {0, 1, -1}, {0, 1, -1}},
    {"two launchers in dispute",
     "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 "
     "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4",
     error(Errc::ambiguous), error(Errc::ambiguous), error(Errc::ambiguous), nothing},
    {"a rank that is no number", "RANK=x WORLD_SIZE=2 LOCAL_RANK=0", error(Errc::not_a_number),
     error(Errc::not_a_number), error(Errc::not_a_number), nothing},
};

constexpr bool holds(const Row& row) {
  return known(row.environment, Need::process) == row.process &&
         known(row.environment, Need::local) == row.local &&
         known(row.environment, Need::all) == row.all &&
         known(row.environment, Need::hint) == row.hint;
}
/// Each row is a constant of its own: together they are more steps than g++ takes for one.
template <std::size_t Index>
constexpr bool row_holds = holds(rows[Index]);
static_assert(rankmap_test::constant_rows_hold<std::size(rows), 1>([](auto i) {
  return row_holds<i>;
}));
TEST(Identity, has_what_is_needed_or_is_an_error) {
  for (const Row& row : rows) EXPECT_TRUE(holds(row)) << row.name;
}

TEST(Identity, of_a_pod_as_a_process_has_a_warning_and_no_numbers_of_nodes) {
  const auto found =
      Identity::from_environment(RecordedEnvironment("RANK=1\nWORLD_SIZE=4"), Need::process);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node_rank(), std::nullopt);
  EXPECT_EQ(found->node_count(), std::nullopt);
  ASSERT_EQ(found->warnings().size(), 1U);
  EXPECT_EQ(found->warnings()[0].variable, "RANK");
  EXPECT_EQ(found->warnings()[0].reason,
            "a local rank beside it, unless each pod runs one process");
}

TEST(Identity, as_a_hint_has_its_error_as_a_warning) {
  const auto found =
      Identity::from_environment(RecordedEnvironment("RANK=x\nWORLD_SIZE=2"), Need::hint);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->warnings().size(), 1U);
  EXPECT_EQ(found->warnings()[0].variable, "RANK");
  EXPECT_EQ(found->warnings()[0].text, "x");
  EXPECT_EQ(found->launcher(), Launcher::none);
}

TEST(Identity, as_a_hint_warns_where_numbers_are_missing) {
  const RecordedEnvironment leftover("SLURM_LOCALID=2");
  const auto found = Identity::from_environment(leftover, Need::hint);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->local_rank(), 2);
  ASSERT_EQ(found->warnings().size(), 1U);
  EXPECT_EQ(message(found->warnings()[0]).view(),
            "SLURM_PROCID: expected numbers that say who this is; ask for all numbers: that error "
            "says what to do");
  for (const Row& row : rows) {
    const RecordedEnvironment environment(row.environment, ' ');
    if (Identity::from_environment(environment)) continue;
    const auto hint = Identity::from_environment(environment, Need::hint);
    EXPECT_FALSE(hint.value().warnings().empty()) << row.name;
  }
}

TEST(Identity, says_where_its_numbers_come_from) {
  constexpr FixedEnvironment step({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}});
  const auto found = Identity::from_environment(step).value();
  EXPECT_EQ(found.launcher(), Launcher::torch_env);
  EXPECT_EQ(found.origin(TopologyField::rank).source, "RANK");
  EXPECT_EQ(found.origin(TopologyField::host), rankmap::Origin());
  EXPECT_EQ(found.proof(), rankmap::Proof());
  EXPECT_TRUE(found.other_records().empty());
  EXPECT_EQ(found, Identity::from_environment(step).value());
}

TEST(Identity, is_overridden_by_config) {
  const Config config = {.rank = 1, .world_size = 2, .local_rank = 0};
  const auto found = Identity::from_environment(FixedEnvironment(), Need::all, config).value();
  EXPECT_EQ(found.rank(), 1);
  EXPECT_EQ(found.launcher(), Launcher::config);
}

TEST(Identity, is_that_of_the_topology) {
  for (const Row& row : rows) {
    const RecordedEnvironment environment(row.environment, ' ');
    const auto identity = Identity::from_environment(environment);
    const auto topology = rankmap::Topology::from_environment(environment);
    ASSERT_EQ(identity.has_value(), topology.has_value()) << row.name;
    if (!topology) {
      EXPECT_EQ(message(identity.error()), message(topology.error())) << row.name;
      continue;
    }
    EXPECT_EQ(identity->rank(), topology->rank()) << row.name;
    EXPECT_EQ(identity->world_size(), topology->world_size()) << row.name;
    EXPECT_EQ(identity->local_rank(), topology->local_rank()) << row.name;
    EXPECT_EQ(identity->local_world_size(), topology->local_world_size()) << row.name;
    EXPECT_EQ(identity->launcher(), topology->launcher()) << row.name;
  }
}

}  // namespace
