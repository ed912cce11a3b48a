// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/static_string.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace {

using rankmap::Ancestors;
using rankmap::EnvironmentView;
using rankmap::EnvironmentViewOf;
using rankmap::FixedEnvironment;
using rankmap::RecordedEnvironment;
using rankmap::WithAncestors;

constexpr FixedEnvironment variables({{"SLURM_PROCID", "5"}, {"RANK", "0"}, {"EMPTY", ""}});
constexpr WithAncestors below_a_shell(variables,
                                      {{"bash", RecordedEnvironment("RANK=0")}, {"slurmstepd"}},
                                      "RANK,UNSET,EMPTY");
constexpr WithAncestors below_one(variables, {{"slurmstepd"}});
constexpr WithAncestors unknown(variables, std::nullopt);
constexpr WithAncestors all_at_start(variables, Ancestors(), "");

constexpr rankmap::StaticString<63> names_above(const EnvironmentView& environment) {
  rankmap::StaticString<63> out;
  const std::optional<Ancestors> above = environment.ancestors();
  if (!above) return "not known";
  for (const rankmap::Ancestor& ancestor : *above) out.append(ancestor.name).append(";");
  return out;
}

TEST(WithAncestors, has_the_variables_of_its_environment) {
  static_assert(below_a_shell("RANK") == "0" && !below_a_shell("UNSET"));
  static_assert([] {
    rankmap::StaticString<63> out;
    below_a_shell.for_each(
        [&](std::string_view name, std::string_view text) { out.append(name).append(text); });
    return out == "SLURM_PROCID5RANK0EMPTY";
  }());
  const auto lambda = [](std::string_view) -> std::optional<std::string_view> { return "7"; };
  const WithAncestors of_lambda(lambda, Ancestors());
  EXPECT_EQ(of_lambda("RANK"), std::optional<std::string_view>("7"));
  int visits = 0;
  EnvironmentViewOf(of_lambda).for_each([&](std::string_view, std::string_view) { ++visits; });
  EXPECT_EQ(visits, 0) << "a lambda cannot list them";
}

TEST(WithAncestors, offers_what_it_was_given) {
  static_assert(names_above(EnvironmentViewOf(below_a_shell)) == "bash;slurmstepd;");
  static_assert((*EnvironmentViewOf(below_a_shell).ancestors())[0].started_with("RANK", "0") ==
                true);
  static_assert(names_above(EnvironmentViewOf(below_one)) == "slurmstepd;");
  static_assert(names_above(EnvironmentViewOf(unknown)) == "not known");
  EXPECT_EQ(names_above(EnvironmentViewOf(all_at_start)).view(), "");
}

TEST(WithAncestors, started_with_what_was_not_set_inside) {
  static_assert(below_a_shell.started_with("RANK") == false);
  static_assert(below_a_shell.started_with("EMPTY") == false);
  static_assert(below_a_shell.started_with("SLURM_PROCID") == true);
  static_assert(below_a_shell.started_with("UNSET") == std::nullopt);
  static_assert(unknown.started_with("RANK") == std::nullopt);
  static_assert(all_at_start.started_with("RANK") == true);
  constexpr EnvironmentViewOf view(below_a_shell);
  EXPECT_EQ(view.started_with("RANK"), false);
}

}  // namespace
