// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Launcher;
using rankmap::parse_launcher;

constexpr std::size_t count = rankmap::launcher_count + 2;  // none and config have no row

static_assert(name(Launcher::none) == "none" && name(Launcher::config) == "config");
static_assert(name(Launcher::torchrun) == "torchrun" && name(Launcher::slurm) == "slurm");

TEST(Launcher, names_are_distinct) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i != count; ++i) {
    const std::string_view text = name(static_cast<Launcher>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(names.insert(text).second) << text;
  }
}

// ---- from a name to its launcher

struct Spelling {
  std::string_view text;
  std::optional<Launcher> expected;
};
constexpr Spelling spellings[] = {
    {"srun", Launcher::slurm},
    {"slurm", Launcher::slurm},
    {"SLURM", Launcher::slurm},
    {"open mpi", Launcher::open_mpi},
    {"Open-MPI", Launcher::open_mpi},
    {"OPEN_MPI", Launcher::open_mpi},
    {"ms_mpi", Launcher::ms_mpi},
    {"ms-mpi", Launcher::ms_mpi},
    {"Kubernetes", Launcher::kubernetes},
    {"gcp-batch", Launcher::gcp_batch},
    {"HorovodRun", Launcher::horovod},
    {"none", Launcher::none},
    {"config", Launcher::config},
    {"", std::nullopt},
    {" ", std::nullopt},
    {"srun ", std::nullopt},
    {"sru", std::nullopt},
    {"openmpi", std::nullopt},
    {"mpirun", std::nullopt},
    {"jax__job", std::nullopt},
};

constexpr bool all_parse() {
  for (const Spelling& row : spellings) {
    if (parse_launcher(row.text) != row.expected) return false;
  }
  return true;
}
static_assert(all_parse());

TEST(Launcher, is_parsed_from_any_spelling_of_its_name_and_from_its_command) {
  for (const Spelling& row : spellings)
    EXPECT_EQ(parse_launcher(row.text), row.expected) << row.text;
}

TEST(Launcher, is_parsed_from_its_own_name) {
  for (std::size_t i = 0; i != count; ++i) {
    const auto launcher = static_cast<Launcher>(i);
    EXPECT_EQ(parse_launcher(name(launcher)), launcher) << name(launcher);
  }
}

/// The enumerators as the header spells them.
std::vector<std::string> enumerators() {
  const std::string header =
      rankmap_test::text_of(RANKMAP_TEST_DIR "/../include/rankmap/launcher/launcher.hpp");
  const std::size_t begin = header.find("enum class Launcher");
  std::istringstream lines(header.substr(begin, header.find("};", begin) - begin));
  std::vector<std::string> out;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(' ');
    out.push_back(line.substr(first, line.find(',') - first));
  }
  return out;
}

TEST(Launcher, is_named_as_its_enumerator) {
  const std::vector<std::string> names = enumerators();
  ASSERT_EQ(names.size(), count);
  for (std::size_t i = 0; i != count; ++i) EXPECT_EQ(name(static_cast<Launcher>(i)), names[i]);
}

}  // namespace
