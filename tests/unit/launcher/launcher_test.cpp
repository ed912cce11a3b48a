// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::Launcher;
using rankmap::parse_launcher;

constexpr std::size_t count = rankmap::launcher_count + 2;  // none and config have no row

static_assert(name(Launcher::none) == "none" && name(Launcher::config) == "config");
static_assert(name(Launcher::torchrun) == "torchrun" && name(Launcher::slurm) == "slurm");

static_assert(Launcher::srun == Launcher::slurm && name(Launcher::srun) == "slurm");

constexpr rankmap::LauncherSet two = {Launcher::torchrun, Launcher::kubernetes};
static_assert(two.has(Launcher::torchrun) && two.has(Launcher::kubernetes));
static_assert(!two.has(Launcher::none) && !two.has(Launcher::slurm));
static_assert(!rankmap::LauncherSet().has(Launcher::none));

TEST(Launcher, is_in_a_set_made_of_any_list) {
  const Launcher array[] = {Launcher::kubernetes, Launcher::torchrun, Launcher::torchrun};
  const std::vector<Launcher> vector(array, array + 3);
  EXPECT_EQ(rankmap::LauncherSet(array), two);
  EXPECT_EQ(rankmap::LauncherSet(vector), two);
  rankmap::LauncherSet added({Launcher::torchrun});
  EXPECT_NE(added, two);
  added.add(Launcher::kubernetes);
  EXPECT_EQ(added, two);
  static_assert(!std::is_constructible_v<rankmap::LauncherSet, std::vector<int>>);
}

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

static_assert(std::ranges::all_of(spellings, [](const Spelling& row) {
  return parse_launcher(row.text) == row.expected;
}));

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

/// The enumerators as the header spells them, without those that are another's second name.
std::vector<std::string> enumerators() {
  const std::string header =
      rankmap_test::text_of(RANKMAP_TEST_DIR "/../include/rankmap/launcher/launcher.hpp");
  const std::size_t begin = header.find("enum class Launcher");
  std::istringstream lines(header.substr(begin, header.find("};", begin) - begin));
  std::vector<std::string> out;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.find(" = ") != std::string::npos) continue;
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
