// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/launcher/row_layouts.hpp>

#include <gtest/gtest.h>

#include <string_view>

// The rules themselves are tested with whole environments, in topology/layouts_test.cpp and
// topology/dealing_test.cpp.
namespace {

using rankmap::Distribution;
using rankmap::EnvironmentViewOf;
using rankmap::FixedEnvironment;
using rankmap::Launcher;
using rankmap::row_of;

constexpr FixedEnvironment step({{"SLURM_NODEID", "1"},
                                 {"SLURM_STEP_NUM_NODES", "2"},
                                 {"SLURM_STEP_NUM_TASKS", "3"},
                                 {"SLURM_STEP_TASKS_PER_NODE", "2,1"},
                                 {"SLURM_GTIDS", "1"}});

constexpr bool holds() {
  const EnvironmentViewOf variables(step);
  const rankmap::LauncherRow slurm = row_of(Launcher::slurm);
  const rankmap::LauncherRow flux = row_of(Launcher::flux);
  std::string_view rule;
  const auto layout = rankmap::proved_layout(slurm, variables, rule);
  if (!layout || layout->node_of(1) != 1 || layout->node_of(2) != 0) return false;
  if (rankmap::proved_layout(flux, variables, rule)) return false;
  // Of two blocks, node 1 would have rank 2; dealt in turns it has rank 1.
  return rankmap::has_layout_counts(slurm) && !rankmap::has_layout_counts(flux) &&
         !rankmap::stated_layout(slurm, variables, Distribution::block) &&
         rankmap::stated_layout(slurm, variables, Distribution::cyclic) &&
         !rankmap::why_no_layout(slurm).empty() && rankmap::why_no_layout(flux).empty() &&
         rankmap::has_hosts_in_order(slurm, variables);
}
static_assert(holds());
TEST(RowLayouts, are_those_of_a_slurm_step) { EXPECT_TRUE(holds()); }

TEST(RowLayouts, of_a_step_with_components_have_no_hosts_in_order) {
  constexpr FixedEnvironment components({{"SLURM_HET_SIZE", "2"}});
  const EnvironmentViewOf variables(components);
  EXPECT_FALSE(rankmap::has_hosts_in_order(row_of(Launcher::slurm), variables));
  EXPECT_TRUE(rankmap::has_hosts_in_order(row_of(Launcher::flux), variables));
}

}  // namespace
