// SPDX-License-Identifier: MIT
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string_view>

namespace {

using rankmap::Launcher;

static_assert(name(Launcher::none) == "none" && name(Launcher::config) == "config");
static_assert(name(Launcher::torchrun) == "torchrun" && name(Launcher::slurm) == "srun");
static_assert(name(Launcher::kubernetes) == "kubernetes job");

TEST(Launcher, names_are_distinct) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i != rankmap::launcher_count + 2; ++i) {
    const std::string_view text = name(static_cast<Launcher>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(names.insert(text).second) << text;
  }
}

}  // namespace
