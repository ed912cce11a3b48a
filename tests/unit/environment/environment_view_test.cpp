// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment_view.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace {

using rankmap::EnvironmentView;
using rankmap::EnvironmentViewOf;
using rankmap::FixedEnvironment;
using rankmap::RecordedEnvironment;

constexpr FixedEnvironment fixed({{"RANK", "3"}, {"EMPTY", ""}, {"", "a value without a name"}});
constexpr EnvironmentViewOf view(fixed);

static_assert(view("RANK") == "3" && view.has("RANK") && view.text_or_empty("RANK") == "3");
static_assert(rankmap::Environment<EnvironmentViewOf<FixedEnvironment<3>>>);

TEST(EnvironmentView, treats_empty_as_unset) {
  static_assert(fixed("EMPTY").has_value());
  EXPECT_EQ(view("EMPTY"), std::nullopt);
  EXPECT_FALSE(view.has("EMPTY"));
  EXPECT_EQ(view.text_or_empty("EMPTY"), "");
  EXPECT_EQ(view("UNSET"), std::nullopt);
  EXPECT_FALSE(view.has("UNSET"));
  EXPECT_EQ(view.text_or_empty("UNSET"), "");
}

TEST(EnvironmentView, has_no_variable_without_a_name) {
  static_assert(fixed("").has_value());
  EXPECT_EQ(view(""), std::nullopt);
  EXPECT_FALSE(view.has(""));
}

// One function for every environment: what a view is for.
constexpr std::size_t count_set(const EnvironmentView& variables) {
  std::size_t count = 0;
  for (const std::string_view name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) {
    count += variables.has(name) ? 1U : 0U;
  }
  return count;
}

TEST(EnvironmentView, hides_the_type_of_the_environment) {
  static_assert(count_set(view) == 1);
  const RecordedEnvironment recorded("RANK=1\nWORLD_SIZE=2\n");
  EXPECT_EQ(count_set(EnvironmentViewOf(recorded)), 2U);
  int lookups = 0;
  const auto lambda = [&](std::string_view) -> std::optional<std::string_view> {
    ++lookups;
    return "0";
  };
  EXPECT_EQ(count_set(EnvironmentViewOf(lambda)), 3U);
  EXPECT_EQ(lookups, 3);
}

}  // namespace
