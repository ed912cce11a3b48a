// SPDX-License-Identifier: MIT
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/detail/start_search.hpp>
#include <rankmap/environment/process_environment.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace std::string_view_literals;
using rankmap::detail::visit_start_names;

/// The names in a file, with a blank behind each; "unknown" if not all could be read.
std::string names_in(std::string_view file) {
  std::string out;
  const auto read = [&](char* buffer, std::size_t size) {
    const std::string_view piece = file.substr(0, size);
    std::copy(piece.begin(), piece.end(), buffer);
    file.remove_prefix(piece.size());
    return std::optional<std::string_view>(std::string_view(buffer, piece.size()));
  };
  const auto visit = [&](std::string_view name) { out.append(name).append(" "); };
  return visit_start_names(read, visit) ? out : "unknown";
}

TEST(StartNames, are_those_of_all_entries) {
  EXPECT_EQ(names_in("RANK=3\0SIZE=8\0"sv), "RANK SIZE ");
  EXPECT_EQ(names_in("RANK=3\0SIZE=a=b"sv), "RANK SIZE ") << "the last NUL may be missing";
  EXPECT_EQ(names_in("RANK=\0=x\0"sv), "RANK  ");
  EXPECT_EQ(names_in(""sv), "");
}

TEST(StartNames, are_not_known_where_a_title_was_written_over_them) {
  EXPECT_EQ(names_in("slurmstepd: [7.1]\0RANK=3\0"sv), "unknown");
  EXPECT_EQ(names_in("RANK=3\0\0SIZE=8\0"sv), "unknown");
}

TEST(StartNames, may_cross_the_borders_of_the_buffer) {
  for (std::size_t before = 4070; before <= 4100; ++before) {
    EXPECT_EQ(names_in("A=" + std::string(before, 'x') + '\0' + "RANK=1"), "A RANK ") << before;
  }
  EXPECT_EQ(names_in(std::string(63, 'a') + "=1"), std::string(63, 'a') + " ");
  EXPECT_EQ(names_in(std::string(64, 'a') + "=1"), "") << "longer than any launcher's";
}

TEST(StartNames, are_not_known_of_an_environment_without_end) {
  std::string file = "A=" + std::string(rankmap::detail::longest_start, 'x');
  EXPECT_EQ(names_in(file), "unknown");
  EXPECT_FALSE(visit_start_names(
      [](char*, std::size_t) { return std::optional<std::string_view>(); }, [](auto) {}));
}

TEST(StartNames, of_an_ancestor_made_by_hand_are_those_that_it_has) {
  const rankmap::Ancestor shell = {"bash", rankmap::RecordedEnvironment("RANK=0\nSIZE=2\n")};
  std::string names;
  EXPECT_TRUE(shell.visit_names([&](std::string_view name) { names.append(name).append(" "); }));
  EXPECT_EQ(names, "RANK SIZE ");
  EXPECT_FALSE(rankmap::Ancestor{"bash"}.visit_names([](auto) {}));
}

TEST(StartNames, of_another_process_with_the_number_are_not_known) {
  for (rankmap::Ancestor stranger : rankmap::ProcessEnvironment().ancestors()) {
    ++stranger.start_time;
    EXPECT_FALSE(stranger.visit_names([](auto) {})) << stranger.name.view();
  }
}

}  // namespace
