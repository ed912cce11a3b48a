// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/process_environment.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::ProcessEnvironment;

static_assert(rankmap::Environment<ProcessEnvironment>);

TEST(ProcessEnvironment, is_read_by_getenv) {
  ASSERT_EQ(setenv("RANKMAP_TEST_VARIABLE", "text", 1), 0);
  ASSERT_EQ(setenv("RANKMAP_TEST_EMPTY", "", 1), 0);
  const ProcessEnvironment process;
  EXPECT_EQ(process("RANKMAP_TEST_VARIABLE"), std::optional<std::string_view>("text"));
  EXPECT_EQ(process("RANKMAP_TEST_EMPTY"), std::optional<std::string_view>(""));
  EXPECT_EQ(process("RANKMAP_TEST_UNSET"), std::nullopt);
  EXPECT_EQ(process(std::string(1000, 'X')), std::nullopt);
  // a name that is a view into a longer text
  EXPECT_EQ(process(std::string_view("RANKMAP_TEST_VARIABLE_AND_MORE").substr(0, 21)),
            std::optional<std::string_view>("text"));
}

TEST(ProcessEnvironment, refuses_names_that_getenv_would_cut) {
  ASSERT_EQ(setenv("RANKMAP_TEST_VARIABLE", "text=more", 1), 0);
  const ProcessEnvironment process;
  EXPECT_EQ(process(std::string_view()), std::nullopt);
  EXPECT_EQ(process(std::string_view("RANKMAP_TEST_VARIABLE\0X", 23)), std::nullopt);
  EXPECT_EQ(process("RANKMAP_TEST_VARIABLE=text"), std::nullopt);
  EXPECT_EQ(process(std::string(127, 'X')), std::nullopt);
  ASSERT_EQ(setenv(std::string(127, 'X').c_str(), "long", 1), 0);
  EXPECT_EQ(process(std::string(127, 'X')), std::optional<std::string_view>("long"));
}

}  // namespace
