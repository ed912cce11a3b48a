// SPDX-License-Identifier: MIT
//
// The way up, in tables of processes that are made by hand.
#include <rankmap/environment/process_environment.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::detail::ancestors_by;
using rankmap::detail::ProcessStat;

/// A line of `ps`. Process 0 is this one.
struct Row {
  int pid;
  ProcessStat stat;
};
/// The table as it is from the `since`-th reading of a file on.
struct Table {
  std::span<const Row> rows;
  std::span<const Row> later_rows = {};
  int since = 0;
  int* reads = nullptr;

  constexpr std::optional<ProcessStat> operator()(int pid) const {
    const bool later = since != 0 && ++*reads >= since;
    for (const Row& row : later ? later_rows : rows) {
      if (row.pid == pid) return row.stat;
    }
    return std::nullopt;
  }
};

constexpr Row worker[] = {{0, {"train", 30, 300}},
                          {30, {"mpirun", 20, 200}},
                          {20, {"bash", 10, 100}},
                          {10, {"slurmstepd", 1, 50}},
                          {1, {"systemd", 0, 1}}};
constexpr Row hidden_shell[] = {
    {0, {"train", 30, 300}}, {30, {"mpirun", 20, 200}}, {10, {"slurmstepd", 1, 50}}};
constexpr Row outside[] = {{0, {"train", 30, 300}}, {30, {"mpirun", 0, 200}}};
constexpr Row alone[] = {{0, {"train", 0, 300}}};
constexpr Row orphan[] = {{0, {"train", 1, 300}}, {1, {"systemd", 0, 1}}};
constexpr Row circle[] = {{0, {"a", 30, 300}}, {30, {"b", 20, 300}}, {20, {"c", 30, 300}}};

constexpr bool are(const Ancestors& above, std::span<const std::string_view> names) {
  if (above.size() != names.size()) return false;
  for (std::size_t i = 0; i != names.size(); ++i) {
    if (above[i].name != names[i]) return false;
  }
  return true;
}
template <class... Name>
constexpr bool above_are(std::span<const Row> rows, const Name&... names) {
  const std::string_view expected[] = {names..., ""};
  return are(ancestors_by(Table{rows}), std::span(expected, sizeof...(names)));
}

TEST(ProcessTree, goes_up_to_process_1_and_leaves_that_out) {
  static_assert(above_are(worker, "mpirun", "bash", "slurmstepd"));
  static_assert(above_are(orphan));
  constexpr Ancestors above = ancestors_by(Table{worker});
  static_assert(above[0].pid == 30 && above[0].start_time == 200 && !above[0].start);
  EXPECT_EQ(above[2].pid, 10);
}

TEST(ProcessTree, ends_where_a_process_cannot_be_read) {
  static_assert(above_are(hidden_shell, "mpirun"));
  static_assert(above_are(outside, "mpirun"));  // its parent is in another PID namespace
  static_assert(above_are(alone));
  EXPECT_TRUE(ancestors_by(Table{}).empty());
}

TEST(ProcessTree, has_an_end_even_if_the_files_go_round_in_circles) {
  EXPECT_EQ(ancestors_by(Table{circle}).size(), Ancestors::limit);
}

TEST(ProcessTree, ends_where_the_caller_has_enough) {
  EXPECT_EQ(ancestors_by(Table{circle}, 3).size(), 3U);
  EXPECT_EQ(ancestors_by(Table{circle}, 1000).size(), Ancestors::limit);
  EXPECT_TRUE(ancestors_by(Table{circle}, 0).empty());
}

constexpr Row adopted[] = {
    {0, {"train", 10, 300}}, {30, {"orted", 10, 400}}, {10, {"slurmstepd", 1, 50}}};
constexpr Row replaced[] = {{0, {"train", 30, 300}},
                            {30, {"mpirun", 20, 200}},
                            {20, {"orted", 10, 400}},
                            {10, {"slurmstepd", 1, 50}}};

constexpr std::size_t count_while_it_changes(std::span<const Row> later, int since) {
  int reads = 0;
  return ancestors_by(Table{worker, later, since, &reads}).size();
}

TEST(ProcessTree, leaves_out_a_parent_that_ended_while_it_was_read) {
  // Reading 1 is of this process, 2 of its parent, 3 of the parent's parent.
  static_assert(count_while_it_changes(adopted, 2) == 0);  // orted has the pid of mpirun
  static_assert(count_while_it_changes(adopted, 3) == 1);  // mpirun was still there
  static_assert(count_while_it_changes({}, 2) == 0);
  static_assert(count_while_it_changes(replaced, 3) == 1);  // orted has the pid of the shell
  EXPECT_EQ(count_while_it_changes(worker, 1), 3U);
}

}  // namespace
