// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace {

using rankmap::LauncherRow;
using rankmap::RecordCheck;
using rankmap::ValueFormat;
using rankmap::VariableNames;

constexpr std::size_t count(const VariableNames& names) {
  return static_cast<std::size_t>(names.end() - names.begin());
}
static_assert(count({}) == 0 && VariableNames().empty());
static_assert(count({"A"}) == 1 && !VariableNames("A").empty());
static_assert(count({"A", "B"}) == 2 && std::string_view(VariableNames("A", "B").list[1]) == "B");
static_assert(count({"A", "B", "C", "D"}) == VariableNames::capacity);

constexpr LauncherRow plain{.launcher = rankmap::Launcher::none, .detect_any = {"A"}};
static_assert(plain.level == rankmap::RecordLevel::worker && plain.rank.names.empty());
static_assert(plain.rank.format == ValueFormat::number && plain.layouts.empty());

TEST(LauncherRow, without_a_check_accepts_any_record) {
  const rankmap::FixedEnvironment none;
  const RecordCheck check = plain.check(rankmap::EnvironmentViewOf(none));
  EXPECT_EQ(check.outcome, RecordCheck::Outcome::task);
  EXPECT_FALSE(check.may_be_alone);
}

}  // namespace
