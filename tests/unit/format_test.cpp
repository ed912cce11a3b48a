// SPDX-License-Identifier: MIT
//
// What it formats is in tests/install/surroundings/format.cpp, which a compiler with <format>
// builds.
#include "support/files.hpp"

#include <rankmap/format.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace {

TEST(Format, is_the_only_header_that_includes_format) {
  const std::filesystem::path root = RANKMAP_TEST_DIR "/../include/rankmap";
  std::string found;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = rankmap_test::text_of(entry.path().string());
    ++count;
    for (const std::string header : {"#include <format>", "#include <rankmap/format.hpp>"}) {
      if (text.find(header) == text.npos) continue;
      found += entry.path().lexically_relative(root).generic_string() + ": " + header + '\n';
    }
  }
  EXPECT_EQ(found, "format.hpp: #include <format>\n");
  EXPECT_GT(count, 100);
}

}  // namespace
