// SPDX-License-Identifier: MIT
//
// Environments recorded from real jobs, held against what was true of them. Red here means that a
// process somewhere is told a wrong rank.
#include "support/files.hpp"
#include "support/summary.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::text_of;

/// One line of an expected.tsv: what is true of one process.
struct Truth {
  int rank;
  int world_size;
  int local_rank;
  int local_world_size;
  std::string node;  ///< "-": the launcher does not tell
  std::string host;
  std::string environment;
};

struct Scenario {
  std::string name;
  std::vector<Truth> processes;
};

/// RANKMAP_RECORDINGS may name another folder of recordings.
std::vector<Scenario> scenarios() {
  const char* const other = std::getenv("RANKMAP_RECORDINGS");
  const std::filesystem::path root = other ? other : RANKMAP_TEST_DIR "/recordings";
  std::vector<Scenario> out;
  for (const auto& folder : std::filesystem::directory_iterator(root)) {
    if (!std::filesystem::exists(folder.path() / "expected.tsv")) continue;
    Scenario scenario{folder.path().filename().string(), {}};
    std::istringstream lines(text_of((folder.path() / "expected.tsv").string()));
    for (std::string line; std::getline(lines, line);) {
      Truth truth;
      std::istringstream words(line);
      if (!(words >> truth.rank >> truth.world_size >> truth.local_rank >> truth.local_world_size >>
            truth.node >> truth.host)) {
        continue;  // the comment and the heading
      }
      truth.environment =
          text_of(folder.path().string() + "/rank-" + std::to_string(truth.rank) + ".env");
      scenario.processes.push_back(truth);
    }
    out.push_back(scenario);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

/// The recordings that do not hold an answer: the same error on every process, and what the caller
/// has to add.
struct Unanswered {
  std::string_view scenario;
  rankmap::Errc code;
  rankmap::Launcher named;  ///< with this launcher forced the truth comes out; none: it does not
};
constexpr Unanswered unanswered[] = {
    // mpiexec -pmi-port: a server to ask, no rank
    {"mpich-pmi-port", rankmap::Errc::missing, rankmap::Launcher::none},
    // torchrun that starts mpirun leaves what mpirun that starts torchrun leaves
    {"torchrun-then-ompi", rankmap::Errc::ambiguous, rankmap::Launcher::open_mpi},
};

const Unanswered* find_unanswered(std::string_view scenario) {
  for (const Unanswered& row : unanswered) {
    if (row.scenario == scenario) return &row;
  }
  return nullptr;
}

void expect_truth(const Topology& topology, const Truth& truth, const std::vector<Truth>& all) {
  EXPECT_EQ(topology.rank(), truth.rank);
  EXPECT_EQ(topology.world_size(), truth.world_size);
  EXPECT_EQ(topology.local_rank(), truth.local_rank);
  // Flux and plain PMI leave the local size open; none of the recordings is theirs.
  EXPECT_EQ(topology.local_world_size(), truth.local_world_size);
  if (truth.node != "-") {
    EXPECT_EQ(topology.node_rank(), std::stoi(truth.node));
  } else if (topology.node_rank()) {
    // The launcher does not tell, but one node is known to be one.
    EXPECT_EQ(truth.local_world_size, truth.world_size);
    EXPECT_EQ(topology.node_rank(), 0);
  }
  std::vector<std::string> hosts;
  for (const Truth& other : all) hosts.push_back(other.host);
  if (!topology.host().empty()) {
    EXPECT_EQ(topology.host(), truth.host);
  }
  for (int rank = 0; rank != topology.world_size(); ++rank) {
    const auto host = topology.host_of(rank);
    if (host) {
      EXPECT_EQ(host->view(), hosts.at(static_cast<std::size_t>(rank)));
    }
  }
  if (const auto& layout = topology.layout()) {
    ASSERT_EQ(layout->world_size(), truth.world_size);
    for (const Truth& other : all) {
      EXPECT_EQ(layout->local_rank_of(other.rank), other.local_rank) << "of rank " << other.rank;
      EXPECT_EQ(layout->local_world_size(layout->node_of(other.rank)), other.local_world_size);
      if (other.node != "-") {
        EXPECT_EQ(layout->node_of(other.rank), std::stoi(other.node)) << "of rank " << other.rank;
      }
    }
  }
}

TEST(Recordings, are_there) { EXPECT_GE(scenarios().size(), 14U); }

TEST(Recordings, of_every_process_are_answered_by_the_truth) {
  for (const Scenario& scenario : scenarios()) {
    if (find_unanswered(scenario.name) != nullptr) continue;
    ASSERT_FALSE(scenario.processes.empty()) << scenario.name;
    for (const Truth& truth : scenario.processes) {
      SCOPED_TRACE(scenario.name + ", rank " + std::to_string(truth.rank));
      const auto topology = Topology::from_environment(RecordedEnvironment(truth.environment));
      ASSERT_TRUE(topology) << message(topology.error()).view();
      EXPECT_TRUE(topology->warnings().empty()) << explain(*topology).view();
      for (const auto& other : topology->other_records()) {
        EXPECT_NE(other.relation, rankmap::Relation::conflict) << explain(*topology).view();
      }
      expect_truth(*topology, truth, scenario.processes);
      // Nothing in a sound job is a conflict or a warning, so that strictness changes nothing.
      const auto strict =
          Topology::from_environment(RecordedEnvironment(truth.environment), {.strict = true});
      EXPECT_EQ(rankmap_test::summary(strict).view(), rankmap_test::summary(topology).view());
    }
  }
}

TEST(Recordings, without_an_answer_are_the_same_error_on_every_process) {
  for (const Scenario& scenario : scenarios()) {
    const Unanswered* const row = find_unanswered(scenario.name);
    if (row == nullptr) continue;
    for (const Truth& truth : scenario.processes) {
      SCOPED_TRACE(scenario.name + ", rank " + std::to_string(truth.rank));
      const RecordedEnvironment environment(truth.environment);
      const auto topology = Topology::from_environment(environment);
      ASSERT_FALSE(topology) << explain(*topology).view();
      EXPECT_EQ(topology.error().code, row->code);
      rankmap::Config helped{.launcher = row->named};
      if (row->named == rankmap::Launcher::none) {
        helped = {.rank = truth.rank, .world_size = truth.world_size};
      }
      const auto named = Topology::from_environment(environment, helped);
      ASSERT_TRUE(named) << message(named.error()).view();
      expect_truth(*named, truth, scenario.processes);
    }
  }
}

/// What one rank claims of the whole job every rank must claim: code that branches on it ahead of a
/// collective hangs otherwise.
TEST(Recordings, know_the_same_on_every_rank) {
  for (const Scenario& scenario : scenarios()) {
    if (find_unanswered(scenario.name) != nullptr) continue;
    std::optional<std::string> claim;
    for (const Truth& truth : scenario.processes) {
      const auto topology = Topology::from_environment(RecordedEnvironment(truth.environment));
      ASSERT_TRUE(topology);
      std::ostringstream mine;
      mine << "launcher " << name(topology->launcher()) << ", nodes "
           << topology->node_count().value_or(-1) << ", node " << topology->node_rank().has_value()
           << ", local size " << topology->local_world_size().has_value() << ", layout "
           << topology->layout().has_value() << ", hosts " << topology->hosts().str().view();
      if (const auto& layout = topology->layout()) {
        for (int rank = 0; rank != layout->world_size(); ++rank) {
          mine << ' ' << layout->node_of(rank) << ':' << layout->local_rank_of(rank);
        }
      }
      if (!claim) claim = mine.str();
      EXPECT_EQ(mine.str(), *claim) << scenario.name << ", rank " << truth.rank;
    }
  }
}

/// The host map of srun, where it can be proved, and an honest nothing where it cannot.
TEST(Recordings, of_srun_have_a_host_map_unless_nothing_proves_it) {
  for (const Scenario& scenario : scenarios()) {
    for (const Truth& truth : scenario.processes) {
      const auto topology = Topology::from_environment(RecordedEnvironment(truth.environment));
      if (!topology || topology->launcher() != rankmap::Launcher::slurm) continue;
      const bool unprovable =
          scenario.name == "slurm-arbitrary" || scenario.name.rfind("slurm-het", 0) == 0;
      EXPECT_NE(topology->layout().has_value(), unprovable) << scenario.name;
      EXPECT_EQ(topology->host_of((truth.rank + 1) % truth.world_size).has_value(),
                !unprovable || truth.world_size == 1)
          << scenario.name;
    }
  }
}

}  // namespace
