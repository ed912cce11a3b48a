// SPDX-License-Identifier: MIT
//
// The launcher table: it is consistent, its variables are those that the resolver looks up, and
// those in docs/launcher-variables.md.
#include "support/files.hpp"
#include "support/table_variables.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::ExpectedText;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::launchers;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::ValueFormat;
using rankmap::ValueSource;
using rankmap::VariableNames;
using rankmap_test::text_of;

// ---- the table itself

static_assert(rankmap::row_of(Launcher::slurm).rank.names.first() == "SLURM_PROCID");
static_assert(launchers.text().size() <= 10 * 1024, "it is in every program");

/// Whether each row can be read to its end, and begins with the name of its launcher.
constexpr bool rows_are_well_formed() {
  for (std::size_t i = 0; i != launchers.size(); ++i) {
    rankmap::detail::RowReader reader(rankmap::detail::lines_of(i));
    LauncherRow row;
    if (!reader.read_first_line(row) || !reader.read_rest(row)) return false;
    if (row.name != name(static_cast<Launcher>(i + 2))) return false;
  }
  return true;
}
static_assert(rows_are_well_formed());
TEST(LauncherTable, rows_are_well_formed) { EXPECT_TRUE(rows_are_well_formed()); }

// As programs may write it, with a row that lasts while the iterator stays.
TEST(LauncherTable, rows_are_gone_over_by_reference) {
  std::size_t rows = 0;
  for (auto& row : launchers) rows += row.name.empty() ? 0U : 1U;
  EXPECT_EQ(rows, launchers.size());
}

TEST(LauncherTable, rows_follow_the_enum) {
  std::size_t i = 2;  // none and config have no row
  for (const LauncherRow& row : launchers) {
    EXPECT_EQ(static_cast<std::size_t>(row.launcher), i++) << name(row.launcher);
    EXPECT_EQ(rankmap::row_of(row.launcher).detect_any.list(), row.detect_any.list());
  }
}

TEST(LauncherTable, rows_name_their_variables) {
  for (const LauncherRow& row : launchers) {
    EXPECT_FALSE(row.detect_any.empty()) << name(row.launcher);
    // Only the record of a worker can be incomplete.
    const bool has_hint = !row.missing_hint.empty() || !row.start_command.empty() || row.or_alone;
    EXPECT_TRUE(!has_hint || row.level == rankmap::RecordLevel::worker) << name(row.launcher);
  }
}

// ---- the variables of a row, and their uses

/// The uses of each variable of a row, in the order in which the row names them.
class Uses {
 public:
  explicit Uses(const LauncherRow& row) {
    const bool node = row.level != rankmap::RecordLevel::worker;
    add(row.detect_any, "detects it");
    add(row.require_all, "required too");
    add(row.require_any, "one of these required too");
    add(row.require_text, row.require_any.empty() ? "required too" : "one of these required too");
    add(row.exclude_any, "excludes it");
    for (const rankmap::SameText& pair : row.unless_changed) {
      add(pair.variable, "no record if it differs from " + std::string(pair.other));
      add(pair.other, "no record if it differs from " + std::string(pair.variable));
    }
    add(row.role, "role");
    add(row.rank, node ? "node_rank" : "rank");
    add(row.world_size, node ? "node_count" : "world_size");
    add(row.local_rank, "local_rank");
    add(row.local_world_size, "local_world_size");
    add(row.node_rank, "node_rank");
    add(row.node_count, "node_count");
    add(row.block_index, "index of the block of nodes");
    add(row.block_count, "number of blocks of nodes");
    add(row.all_blocks, "number of nodes in all blocks");
    add(row.host, "host");
    add(row.hosts, "hosts");
    add(row.job_id, "job_id");
    add(row.step_id, "step_id");
    add(row.restart_count, "restart_count");
    add(row.address, "rendezvous");
    add(row.port, "rendezvous port");
    add(row.single_host_if, "all on one host if 1");
    add(row.agent_store_if, "agent store if True");
    add(row.copied_if, "says who copies its numbers");
    if (row.group_names.find('*') == row.group_names.npos) {
      add(row.group_names, "where it is set, the index is not that of the node");
    }
    add(row.caution.variable, row.caution.names_device
                                  ? "a warning unless it ends in the local rank"
                                  : "a warning above 1");
    for (const std::string_view name : rankmap::variables_of(row.check)) {
      add(name, name.back() == '_' ? "check, layout (followed by a number)" : "check, layout");
    }
  }
  std::vector<std::pair<std::string, std::string>> all() const { return uses_; }

 private:
  void add(const VariableNames& names, std::string_view use) {
    for (const std::string_view name : names) add(name, use);
  }
  void add(const ExpectedText& expected, std::string use) {
    std::string_view separator = " (";
    for (const std::string_view text : expected.texts) {
      use.append(separator).append("`").append(text).append("`");
      separator = " or ";
    }
    add(expected.variable, use + ")");
  }
  void add(const ValueSource& source, std::string use) {
    switch (source.format) {
      case ValueFormat::number:
        break;
      case ValueFormat::number_or_word:
        use += " (or a word)";
        break;
      case ValueFormat::number_from_1:
        use += " (the first is 1)";
        break;
      case ValueFormat::machine_count:
        use += " (entries of the list, no two neighbours alike)";
        break;
      case ValueFormat::place_on_host:
        use += " (place among those of its host)";
        break;
      case ValueFormat::count_on_host:
        use += " (entries of its host)";
        break;
      case ValueFormat::comma_count:
        use += " (entries of the list)";
        break;
      case ValueFormat::json_list_count:
        use += " (texts of the JSON list)";
        break;
      case ValueFormat::json_list_index:
        use += " (place in the JSON list)";
        break;
      case ValueFormat::tf_config_index:
        use += " (place of the task)";
        break;
      case ValueFormat::tf_config_count:
        use += " (tasks of the cluster)";
        break;
    }
    add(source.names, use);
    if (source.format != ValueFormat::number) {
      add(source.key, use);
    } else if (!source.names.has(source.key)) {
      add(source.key, "where it is set, no " + use + " is read");
    }
  }
  void add(std::string_view name, std::string_view use) {
    if (name.empty()) return;
    for (auto& [known, text] : uses_) {
      if (known == name) {
        text += ", " + std::string(use);
        return;
      }
    }
    uses_.emplace_back(name, use);
  }
  std::vector<std::pair<std::string, std::string>> uses_;
};

TEST(LauncherTable, variables_of_a_row_are_those_that_it_uses) {
  for (const LauncherRow& row : launchers) {
    std::set<std::string, std::less<>> used;
    for (const auto& [variable, use] : Uses(row).all()) used.insert(variable);
    const auto variables = rankmap_test::variables_of(row);
    EXPECT_TRUE(std::equal(used.begin(), used.end(), variables.begin(), variables.end()))
        << name(row.launcher);
  }
}

/// An environment that records every name that is looked up.
struct Recorder {
  RecordedEnvironment environment;
  std::set<std::string, std::less<>>* looked_up;
  std::optional<std::string_view> operator()(std::string_view name) const {
    looked_up->insert(std::string(name));
    return environment(name);
  }
};

/// The variables of torchrun's agents, which are read only on request.
std::set<std::string, std::less<>> looked_up_for_an_agent() {
  std::set<std::string, std::less<>> looked_up;
  for (const std::string_view text : {"PET_RDZV_ENDPOINT=a:1", "PET_MASTER_ADDR=a", ""}) {
    (void)rankmap::Rendezvous::from_agent_environment(
        Recorder{RecordedEnvironment(text, '|'), &looked_up});
  }
  return looked_up;
}

/// What whoever runs the job says, before any launcher's variable is read.
constexpr std::pair<std::string_view, std::string_view> operator_words[] = {
    {"RANKMAP_LAUNCHER", "`Config::launcher`"},
    {"RANKMAP_IGNORE", "more of `Config::exclude`"},
    {"RANKMAP_DISTRIBUTION", "`Config::distribution`"},
    {"RANKMAP_STRICT", "`Config::strict`"},
    {"RANKMAP_LAUNCHERS", "a file of more launchers"},
    {"RANKMAP_EXEC", "who copied its numbers: `rankmap exec`"},
};

std::string expected_table() {
  std::ostringstream out;
  out << "| launcher | variable | read as |\n|---|---|---|\n";
  for (const LauncherRow& row : launchers) {
    for (const auto& [variable, use] : Uses(row).all()) {
      out << "| " << name(row.launcher) << " | `" << variable << "` | " << use << " |\n";
    }
  }
  out << "| none, or one without a rendezvous of its own | `"
      << rankmap::detail::master_address.first() << "` | rendezvous |\n";
  out << "| none, or one without a rendezvous of its own | `"
      << rankmap::detail::master_port.first() << "` | rendezvous port |\n";
  for (const auto& [variable, use] : operator_words) {
    out << "| who runs the job | `" << variable << "` | " << use << " |\n";
  }
  for (const std::string& variable : looked_up_for_an_agent()) {
    out << "| on request | `" << variable << "` | `Rendezvous::from_agent_environment` |\n";
  }
  return out.str();
}

TEST(LauncherTable, variables_match_the_documentation) {
  const std::string path = RANKMAP_TEST_DIR "/../docs/launcher-variables.md";
  std::string page = text_of(path);
  const std::string expected = expected_table();
  const std::size_t begin = page.find("| launcher | variable | read as |\n");
  ASSERT_NE(begin, std::string::npos) << "the page has no table";
  const std::size_t length = page.find("\n\n", begin) + 1 - begin;
  if (std::getenv("RANKMAP_WRITE_PAGES") != nullptr) {
    std::ofstream(path, std::ios::binary) << page.replace(begin, length, expected);
    return;
  }
  EXPECT_TRUE(page.compare(begin, length, expected) == 0)
      << "with RANKMAP_WRITE_PAGES=1 in the environment this test writes the table anew; it is\n"
      << expected;
}

/// The first two cells of each row of the page's table: name and command.
std::vector<std::string> rows_of_the_page() {
  const std::string page = text_of(RANKMAP_TEST_DIR "/../docs/launchers.md");
  const std::string head = "| name | command | who starts the process |\n|---|---|---|\n";
  std::istringstream table(page.substr(page.find(head) + head.size()));
  std::vector<std::string> out;
  for (std::string row; std::getline(table, row) && !row.empty();) {
    const std::size_t name_end = row.find("](");
    const std::size_t command = row.find(" | ", name_end) + 3;
    out.push_back(row.substr(3, name_end - 3) + " " +
                  row.substr(command, row.find(" |", command) - command));
  }
  return out;
}

TEST(LauncherTable, every_launcher_is_on_the_page_by_its_name_and_command) {
  std::vector<std::string> expected;
  for (const LauncherRow& row : launchers) {
    expected.push_back(std::string(name(row.launcher)) + " ");
    for (const std::string command : {"srun", "horovodrun"}) {
      if (rankmap::parse_launcher(command) == row.launcher) expected.back() += "`" + command + "`";
    }
  }
  EXPECT_EQ(rows_of_the_page(), expected) << "in docs/launchers.md";
}

// ---- which variables are looked up

/// A record of a row: every variable that it reads has a plausible value.
std::map<std::string, std::string> sound_record(const LauncherRow& row) {
  std::map<std::string, std::string> out;
  for (const auto& [variable, use] : Uses(row).all()) out[variable] = "1";
  const auto set = [&](const VariableNames& names, const std::string& text) {
    for (const std::string_view name : names) out[std::string(name)] = text;
  };
  set(row.local_rank.names, "0");
  const bool is_list = row.world_size.format == ValueFormat::comma_count ||
                       row.world_size.format == ValueFormat::machine_count;
  set(row.world_size.names, is_list ? "a:1,a:2" : "2");
  for (const ExpectedText& expected : {row.require_text, row.role}) {
    set(expected.variable, std::string(expected.texts.first()));
  }
  set(row.node_count.names, "2");
  set(row.block_index, "0");
  for (const std::string_view name : row.exclude_any) out.erase(std::string(name));
  if (row.launcher == Launcher::sagemaker) out["SM_HOSTS"] = "[\"0\",\"1\"]";
  if (row.launcher == Launcher::slurm) {
    out.erase("SLURM_HET_SIZE");
    out.erase("SLURM_PACK_SIZE");
    out["SLURM_STEP_NODELIST"] = "a,b";
    out["SLURM_STEP_TASKS_PER_NODE"] = "1,1";
    out["SLURM_JOB_NODELIST"] = "a,b,c";
    out["SLURM_DISTRIBUTION"] = "plane";
    out["SLURMD_NODENAME"] = "b";
  }
  return out;
}

void resolve_in_every_way(const std::string& text, const LauncherRow* row, char separator,
                          std::set<std::string, std::less<>>& looked_up) {
  const Recorder recorder{RecordedEnvironment(text, separator), &looked_up};
  (void)Topology::from_environment(recorder);
  (void)Topology::from_environment(recorder, {.one_process_per_node = true});
  (void)Topology::from_environment(recorder, {.launcher = Launcher::none});
  if (row != nullptr) {
    const Launcher launcher = row->launcher;
    (void)Topology::from_environment(recorder, {.launcher = launcher});
    (void)Topology::from_environment(
        recorder,
        {.world_size = 2, .local_rank = 0, .launcher = launcher, .one_process_per_node = true});
  }
}

/// A name that the table ends with '_', if this is that name and a number.
std::string name_in_table(const std::string& variable,
                          const std::set<std::string, std::less<>>& listed) {
  const std::string family = variable.substr(0, variable.find_last_not_of("0123456789") + 1);
  return listed.contains(family) ? family : variable;
}

/// A name that is looked up and not in the table is not documented. A name that is in the table and
/// never looked up is misspelt.
TEST(LauncherTable, variables_match_those_that_are_looked_up) {
  std::set<std::string, std::less<>> looked_up;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RANKMAP_TEST_DIR "/recordings")) {
    if (entry.path().extension() != ".env") continue;
    resolve_in_every_way(text_of(entry.path().string()), nullptr, '\n', looked_up);
  }
  for (const LauncherRow& row : launchers) {
    const auto whole = sound_record(row);
    for (std::size_t left_out = 0; left_out <= whole.size(); ++left_out) {
      std::string text;
      std::size_t i = 0;
      for (const auto& [variable, value] : whole) {
        if (i++ != left_out) text += variable + "=" + value + "|";
      }
      resolve_in_every_way(text, &row, '|', looked_up);
    }
    // Of names of which one is enough, each is looked up only if those before it are not set.
    for (const std::string_view only : row.require_any) {
      std::string text;
      for (const auto& [variable, value] : whole) {
        const bool is_other = std::find(row.require_any.begin(), row.require_any.end(), variable) !=
                              row.require_any.end();
        if (!is_other || variable == only) text += variable + "=" + value + "|";
      }
      resolve_in_every_way(text, &row, '|', looked_up);
    }
    // Beside a copy of its numbers, it is asked who made the copy.
    if (row.copied_if.empty()) continue;
    std::string text = "RANK=" + whole.at(std::string(row.rank.names.first())) +
                       "|WORLD_SIZE=" + whole.at(std::string(row.world_size.names.first())) +
                       "|LOCAL_RANK=" + whole.at(std::string(row.local_rank.names.first()));
    for (const auto& [variable, value] : whole) {
      const bool says_who =
          std::find(row.copied_if.begin(), row.copied_if.end(), variable) != row.copied_if.end();
      if (!says_who) text += "|" + variable + "=" + value;
    }
    resolve_in_every_way(text, &row, '|', looked_up);
  }
  std::set<std::string, std::less<>> listed = {"MASTER_ADDR", "MASTER_PORT"};
  for (const LauncherRow& row : launchers) {
    for (const auto& [variable, use] : Uses(row).all()) listed.insert(variable);
  }
  for (const auto& [variable, use] : operator_words) listed.insert(std::string(variable));
  std::set<std::string, std::less<>> seen;
  for (const std::string& variable : looked_up) {
    const std::string name = name_in_table(variable, listed);
    EXPECT_TRUE(listed.contains(name)) << variable << " is looked up and in no row";
    seen.insert(name);
  }
  for (const std::string& variable : listed) {
    EXPECT_TRUE(seen.contains(variable)) << variable << " is in a row and never looked up";
  }
}

}  // namespace
