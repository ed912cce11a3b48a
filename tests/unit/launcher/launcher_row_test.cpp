// SPDX-License-Identifier: MIT
#include <rankmap/launcher/launcher_row.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

namespace {

using rankmap::LauncherRow;
using rankmap::RecordCheck;
using rankmap::ValueFormat;
using rankmap::VariableNames;

constexpr std::size_t names_in(const VariableNames& names) {
  std::size_t out = 0;
  for (const std::string_view name : names) out += name.empty() ? 0U : 1U;
  return out;
}
static_assert(names_in({}) == 0 && VariableNames().empty());
static_assert(names_in({"A"}) == 1 && !VariableNames("A").empty());
static_assert(names_in("A,B") == 2 && *++VariableNames("A,B").begin() == "B");
static_assert(names_in("A,B,C,D,E") == 5 && VariableNames("A,B").first() == "A");

constexpr LauncherRow plain = [] {
  LauncherRow row;
  row.detect_any = "A";
  return row;
}();
static_assert(plain.level == rankmap::RecordLevel::worker && plain.rank.names.empty());
static_assert(plain.rank.format == ValueFormat::number && !plain.has_slurm_layout);

constexpr LauncherRow started = [] {
  LauncherRow row;
  row.starters = "a,b.c";
  return row;
}();
static_assert(rankmap::has_starter(started, "b.c") && !rankmap::has_starter(started, "b"));
static_assert(!rankmap::has_starter(plain, ""));

TEST(LauncherRow, has_no_check_of_its_own_unless_it_names_one) {
  EXPECT_EQ(plain.check, rankmap::CheckKind::none);
  EXPECT_EQ(RecordCheck().outcome, RecordCheck::Outcome::task);
}

}  // namespace
