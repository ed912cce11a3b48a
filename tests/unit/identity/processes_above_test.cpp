// SPDX-License-Identifier: MIT
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/processes_above.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/launcher/known_launchers.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace {
namespace processes_above {

using rankmap::Ancestors;
using rankmap::detail::ProcessesAbove;

/// Counts the names that are read.
struct Chain {
  std::vector<std::string_view> names;
  std::size_t* read = nullptr;

  std::optional<std::string_view> operator()(std::string_view) const { return std::nullopt; }
  Ancestors ancestors(std::size_t limit = Ancestors::limit) const {
    Ancestors out;
    for (const std::string_view name : names) {
      if (out.size() != limit) out.add({name});
    }
    *read += out.size();
    return out;
  }
};

struct Case {
  std::vector<std::string_view> names;
  std::string_view parent;
  std::size_t size;
  std::size_t read;  ///< for the parent alone
};

TEST(ProcessesAbove, are_without_container_runtimes_and_read_no_further_than_is_asked) {
  const Case cases[] = {
      {{}, "", 0, 0},
      {{"orted"}, "orted", 1, 1},
      {{"orted", "sshd", "systemd"}, "orted", 3, 1},
      {{"starter-suid"}, "", 0, 2},
      {{"starter", "orted", "sshd"}, "orted", 2, 4},
      {{"conmon", "starter", "bash"}, "bash", 1, 4},
      {{"bash", "bwrap", "slurmstepd"}, "bash", 2, 1},
  };
  const rankmap::KnownLaunchers known;
  for (const Case& row : cases) {
    std::size_t read = 0;
    const Chain chain{row.names, &read};
    const rankmap::EnvironmentViewOf<Chain> view(chain);
    rankmap::detail::Records records;
    records.read(view, known, {}, {});
    ProcessesAbove above(view, records);
    EXPECT_EQ(above.parent(), row.parent);
    EXPECT_EQ(read, row.read) << row.names.size();
    ASSERT_TRUE(above.all());
    EXPECT_EQ(above.all()->size(), row.size);
    EXPECT_EQ(above.parent(), row.parent);
  }
}

TEST(ProcessesAbove, have_a_runtime_whose_name_a_declared_launcher_has) {
  rankmap::KnownLaunchers known;
  ASSERT_TRUE(known.declare("acme ACME_RANK,ACME_SIZE\n starters=starter\n", "text"));
  std::size_t read = 0;
  const Chain chain{{"starter", "conmon", "slurmstepd"}, &read};
  const rankmap::EnvironmentViewOf<Chain> view(chain);
  rankmap::detail::Records records;
  records.read(view, known, {}, {});
  ProcessesAbove above(view, records);
  EXPECT_EQ(above.parent(), "starter");
  ASSERT_TRUE(above.all());
  EXPECT_EQ(above.all()->size(), 2U);
}

}  // namespace processes_above
}  // namespace
