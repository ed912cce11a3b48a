// SPDX-License-Identifier: MIT
//
// A process without a variable below one that a launcher started: whichever it was, the process is
// not told in silence that it is alone.
#include "fuzz/nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::RecordedEnvironment;
using rankmap::RecordLevel;

/// The identity of a process with an empty environment below `above`.
rankmap::Result<Identity> cleaned_below(const Ancestors& above) {
  return Identity::from_environment(rankmap::WithAncestors(RecordedEnvironment(""), above));
}

/// What a launcher leaves in the shell that it started as rank 1 of four, one variable a line.
std::string start_of(const LauncherRow& row) {
  const rankmap_fuzz::Job job{{2, 2}, false};
  return rankmap_fuzz::lines_of(
      rankmap_fuzz::RowWriter(row, job, 1, 1, {"h1", "h2"}, 0, "login").write().set);
}

// A job script of PBS has all that its tasks have. Ray's, Modal's and Grid Engine's starters give
// no number, and start single processes.
bool says_nothing(Launcher launcher) {
  return launcher == Launcher::pbs || launcher == Launcher::ray || launcher == Launcher::modal ||
         launcher == Launcher::sge || launcher == Launcher::elastic;
}

TEST(LostRecord, is_seen_in_the_shell_above_whatever_launcher_started_it) {
  int launchers = 0;
  for (const LauncherRow& row : rankmap::launchers) {
    if (row.level != RecordLevel::worker || says_nothing(row.launcher)) continue;
    ++launchers;
    const std::string start = start_of(row);
    Ancestors above;
    above.add({"sh", RecordedEnvironment("HOME=/root")});
    above.add({"bash", RecordedEnvironment(std::string_view(start))});
    const auto identity = cleaned_below(above);
    ASSERT_TRUE(identity) << start;
    ASSERT_EQ(identity->warnings().size(), 1U) << start;
    const std::string variable(identity->warnings()[0].variable.view());
    EXPECT_NE(start.find(variable + '='), start.npos) << variable << '\n' << start;
  }
  EXPECT_GT(launchers, 30);
}

TEST(LostRecord, is_not_seen_in_a_batch_script) {
  Ancestors above;
  above.add({"bash", RecordedEnvironment("SLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NODEID=0\n"
                                         "SLURM_JOB_ID=7\nSLURM_TASK_PID=1\nSLURMD_NODENAME=n1")});
  const auto identity = cleaned_below(above);
  ASSERT_TRUE(identity);
  EXPECT_TRUE(identity->warnings().empty());
}

}  // namespace
