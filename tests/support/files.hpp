// SPDX-License-Identifier: MIT
//
// Files of the tree as texts, the recordings of real launchers among them.
#ifndef RANKMAP_TESTS_SUPPORT_FILES_HPP
#define RANKMAP_TESTS_SUPPORT_FILES_HPP

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace rankmap_test {

/// All of a file; red where there is none, since an empty text would agree with much.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The environment that a rank of a recorded job had.
inline std::string recording(const std::string& scenario, int rank) {
  return text_of(RANKMAP_TEST_DIR "/recordings/" + scenario + "/rank-" + std::to_string(rank) +
                 ".env");
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_FILES_HPP
