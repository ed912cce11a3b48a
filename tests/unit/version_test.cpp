// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Version, is_the_one_that_cmake_read) {
  const std::string number = std::to_string(rankmap::version.major_number) + "." +
                             std::to_string(rankmap::version.minor_number) + "." +
                             std::to_string(rankmap::version.patch_number);
  EXPECT_EQ(number, RANKMAP_CMAKE_VERSION);
}

TEST(Version, has_an_entry_in_the_changelog) {
  EXPECT_NE(
      rankmap_test::text_of(RANKMAP_TEST_DIR "/../CHANGELOG.md").find("## " RANKMAP_CMAKE_VERSION),
      std::string::npos);
}

}  // namespace
