// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment_view.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::EnvironmentView;
using rankmap::EnvironmentViewOf;
using rankmap::FixedEnvironment;
using rankmap::RecordedEnvironment;

constexpr FixedEnvironment fixed({{"RANK", "3"}, {"EMPTY", ""}, {"", "a value without a name"}});
constexpr EnvironmentViewOf view(fixed);
static_assert(
    std::is_constructible_v<EnvironmentViewOf<RecordedEnvironment>, RecordedEnvironment&>);
static_assert(
    !std::is_constructible_v<EnvironmentViewOf<RecordedEnvironment>, RecordedEnvironment>);

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

// ---- what an environment may offer

constexpr Ancestors above = {{"orted"}, {"slurmstepd"}};

/// Offers everything. Was started with RANK, and lists EMPTY too.
struct Offering {
  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    return fixed(name);
  }
  constexpr Ancestors ancestors() const { return above; }
  constexpr std::optional<bool> started_with(std::string_view name) const { return name == "RANK"; }
  template <class Visit>
  constexpr void for_each(Visit visit) const {
    visit("RANK", "3");
    visit("EMPTY", "");
    visit("", "a value without a name");
    visit("SIZE", "4");
  }
};
/// Offers what it is made with, as another type than the view's own.
template <class Offered>
struct OfferingAncestors : FixedEnvironment<0> {
  Offered offered;
  constexpr explicit OfferingAncestors(const Offered& given) : offered(given) {}
  constexpr const Offered& ancestors() const { return offered; }
};

constexpr Offering offering;
constexpr EnvironmentViewOf offered(offering);

template <class Env>
constexpr std::string_view names_above(const Env& environment) {
  const std::optional<Ancestors> found = EnvironmentViewOf(environment).ancestors();
  if (!found) return "no answer";
  if (found->empty()) return "none";
  return found->size() == 2 && (*found)[0].name == "orted" && (*found)[1].name == "slurmstepd"
             ? "orted, slurmstepd"
             : "others";
}

TEST(EnvironmentView, has_the_ancestors_that_are_offered) {
  static_assert(names_above(offering) == "orted, slurmstepd");
  static_assert(names_above(fixed) == "no answer");
  static_assert(names_above(offered) == "orted, slurmstepd");
  static_assert(names_above(view) == "no answer");
  static_assert(names_above(OfferingAncestors(Ancestors())) == "none");
  static_assert(names_above(OfferingAncestors(std::optional<Ancestors>())) == "no answer");
  static_assert(names_above(OfferingAncestors(std::optional(above))) == "orted, slurmstepd");
  const Ancestor list[] = {{"orted"}, {"slurmstepd"}};
  EXPECT_EQ(names_above(OfferingAncestors(std::span(list))), "orted, slurmstepd");
}

TEST(EnvironmentView, asks_for_the_start_of_variables_that_are_set) {
  static_assert(offered.started_with("RANK") == true);
  static_assert(offered.started_with("EMPTY") == std::nullopt);
  static_assert(offered.started_with("UNSET") == std::nullopt);
  static_assert(EnvironmentViewOf(offered).started_with("RANK") == true);
  EXPECT_EQ(view.started_with("RANK"), std::nullopt) << "this environment does not know";
}

template <class Env>
std::string listed(const Env& environment) {
  std::string out;
  environment.for_each([&](std::string_view name, std::string_view text) {
    out.append(name).append("=").append(text).append(";");
  });
  return out;
}

TEST(EnvironmentView, lists_variables_that_are_set) {
  EXPECT_EQ(listed(offering), "RANK=3;EMPTY=;=a value without a name;SIZE=4;");
  EXPECT_EQ(listed(offered), "RANK=3;SIZE=4;");
  EXPECT_EQ(listed(EnvironmentViewOf(offered)), "RANK=3;SIZE=4;");
  const auto lambda = [](std::string_view) -> std::optional<std::string_view> { return "0"; };
  EXPECT_EQ(listed(EnvironmentViewOf(lambda)), "") << "it cannot list them";
  constexpr std::size_t count = [] {
    std::size_t visits = 0;
    offered.for_each([&](std::string_view, std::string_view) { ++visits; });
    return visits;
  }();
  static_assert(count == 2);
}

}  // namespace
