// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>

#include "support/listed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::MapEnvironment;
using rankmap_test::listed;

static_assert(rankmap::Environment<MapEnvironment>);
static_assert(std::is_nothrow_move_constructible_v<MapEnvironment>);

/// Longer than what a std::string and the environment hold in place.
std::string long_text(char c) { return std::string(100, c); }

TEST(MapEnvironment, keeps_the_texts_of_temporaries) {
  const MapEnvironment env({{"RANK", std::to_string(3)}, {long_text('N'), long_text('v')}});
  EXPECT_EQ(env("RANK"), std::optional<std::string_view>("3"));
  EXPECT_EQ(env(long_text('N')), std::optional<std::string_view>(long_text('v')));
  EXPECT_EQ(env("UNSET"), std::nullopt);
  const MapEnvironment one({{"RANK", std::to_string(4)}});
  EXPECT_EQ(listed(one), "RANK=4;");
  const MapEnvironment braced{{"RANK", std::to_string(4)}, {"EMPTY", ""}};
  EXPECT_EQ(listed(braced), "EMPTY=;RANK=4;");
}

TEST(MapEnvironment, takes_maps_and_lists_of_pairs) {
  EXPECT_EQ(listed(MapEnvironment(std::map<std::string, std::string>{{"B", "2"}, {"A", "1"}})),
            "A=1;B=2;");
  EXPECT_EQ(listed(MapEnvironment(std::vector<std::pair<std::string, std::string>>{
                {"B", "2"}, {"A", "1"}, {"B", "3"}})),
            "A=1;B=2;");
  EXPECT_EQ(listed(MapEnvironment(std::vector<std::pair<const char*, std::string_view>>{})), "");
  static_assert(!std::is_constructible_v<MapEnvironment, std::vector<std::string>>);
  static_assert(!std::is_constructible_v<MapEnvironment, std::map<std::string, int>>);
}

struct TextRow {
  std::string_view text;
  std::string_view listed;
};
using std::string_view_literals::operator""sv;
constexpr TextRow texts[] = {
    {"", ""},
    {"RANK=3", "RANK=3;"},
    {"RANK=3\nEMPTY=\nno variable\n\nPATH=a=b\n", "EMPTY=;PATH=a=b;RANK=3;"},
    {"RANK=3\nRANK=4\nRANKS=9\n", "RANK=3;RANKS=9;"},  // the first one counts
    {"=C:=C:\\\nA=1\n", "=C:=C:\\;A=1;"},
    // with a NUL, lines belong to their value
    {"IPS=1\n2\0RANK=1\0"sv, "IPS=1\n2;RANK=1;"},
    {"LAST=1\nRANK=9\0"sv, "LAST=1\nRANK=9;"},
    {"\0\0A=1\0"sv, "A=1;"},
};

static_assert(std::ranges::all_of(texts, [](const TextRow& row) {
  return listed(MapEnvironment(row.text)) == row.listed;
}));

TEST(MapEnvironment, reads_what_env_prints) {
  for (const TextRow& row : texts) {
    EXPECT_EQ(listed(MapEnvironment(std::string(row.text))), row.listed);
  }
  EXPECT_EQ(listed(MapEnvironment("B=2\nA=1\n")), "A=1;B=2;");
}

// Names in any order, some of them the beginning of others, some given twice: as in a std::map.
TEST(MapEnvironment, finds_what_a_map_finds) {
  for (int count = 0; count != 40; ++count) {
    std::map<std::string, std::string> expected;
    std::vector<std::pair<std::string, std::string>> given;
    for (int i = 0; i != count; ++i) {
      const std::string name(static_cast<std::size_t>(i * 7 % 11), static_cast<char>('A' + i % 3));
      given.emplace_back(name, std::to_string(i));
      expected.emplace(name, std::to_string(i));
    }
    const MapEnvironment env(given);
    for (int size = 0; size != 12; ++size) {
      for (const char c : {'@', 'A', 'B', 'C', 'D'}) {
        const std::string name(static_cast<std::size_t>(size), c);
        const auto found = expected.find(name);
        EXPECT_EQ(env(name), found == expected.end()
                                 ? std::nullopt
                                 : std::optional<std::string_view>(found->second));
      }
    }
    EXPECT_EQ(listed(env), listed(MapEnvironment(expected)));
  }
}

TEST(MapEnvironment, is_copied_and_moved_with_its_texts) {
  auto first = std::make_unique<MapEnvironment>(
      MapEnvironment{{"RANK", long_text('1')}, {"SIZE", long_text('2')}});
  MapEnvironment copy(*first);
  MapEnvironment assigned;
  assigned = *first;
  first.reset();
  const MapEnvironment moved(std::move(assigned));
  for (const MapEnvironment* const env : {&std::as_const(copy), &moved}) {
    EXPECT_EQ((*env)("RANK"), std::optional<std::string_view>(long_text('1')));
    EXPECT_EQ((*env)("SIZE"), std::optional<std::string_view>(long_text('2')));
  }
  EXPECT_EQ(listed(MapEnvironment()), "");
  copy = MapEnvironment();
  EXPECT_EQ(copy("RANK"), std::nullopt);
}

TEST(MapEnvironment, lists_its_variables_behind_a_view) {
  const rankmap::WithAncestors env(MapEnvironment({{"RANK", "3"}, {"EMPTY", ""}}),
                                   {{"slurmstepd"}});
  EXPECT_EQ(listed(rankmap::EnvironmentViewOf(env)), "RANK=3;");
}

}  // namespace
