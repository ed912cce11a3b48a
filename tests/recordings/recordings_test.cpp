// SPDX-License-Identifier: MIT
//
// Environments recorded from real jobs, compared with the truth about them. If this fails, a
// process may get a wrong rank.
#include "judged.hpp"
#include "not_right.hpp"
#include "recording.hpp"

#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Topology;
using rankmap_test::Judged;
using rankmap_test::Outcome;
using rankmap_test::own_recordings;
using rankmap_test::RecordedProcess;
using rankmap_test::Recording;
using rankmap_test::Refused;

/// RANKMAP_RECORDINGS, or RANKMAP_CAPTURES, its old name, may name another folder of recordings.
const std::vector<Recording>& recordings() {
  static const std::vector<Recording> all = [] {
    const char* other = std::getenv("RANKMAP_RECORDINGS");
    if (!other) other = std::getenv("RANKMAP_CAPTURES");
    return rankmap_test::read_recordings(other ? other : own_recordings());
  }();
  return all;
}

const Refused* find_refused(std::string_view recording, int rank) {
  const auto found = std::find_if(
      std::begin(rankmap_test::refused), std::end(rankmap_test::refused), [&](const Refused& row) {
        return row.recording == recording && row.first <= rank && rank <= row.last;
      });
  return found == std::end(rankmap_test::refused) ? nullptr : &*found;
}

void expect_as_listed(const Judged& judged, const Recording& recording, int rank) {
  const Refused* const refused = find_refused(recording.name, rank);
  std::string remedy;
  if (refused) {
    remedy = "\n  take out or correct its row in not_right.hpp: ";
    remedy += refused->why;
  }
  EXPECT_EQ(judged.outcome, refused ? Outcome::refused : Outcome::right)
      << judged.said << judged.differences << remedy;
}

TEST(Recordings, directory_is_not_empty) {
  EXPECT_GE(rankmap_test::read_recordings(own_recordings()).size(), 100U);
  EXPECT_FALSE(recordings().empty());
}

TEST(Recordings, have_no_faults) {
  for (const Recording& recording : recordings()) {
    for (const std::string& fault : recording.faults) {
      ADD_FAILURE() << recording.name << ": " << fault;
    }
  }
}

TEST(Recordings, every_process_gets_the_truth_or_a_listed_error) {
  std::map<Outcome, int> count;
  for (const Recording& recording : recordings()) {
    for (const RecordedProcess& process : recording.processes) {
      SCOPED_TRACE(recording.name + ", rank " + std::to_string(process.rank));
      const auto topology = Topology::from_environment(process.offered(), recording.stated);
      const Judged answer = rankmap_test::judged(topology, process, recording, recording.stated);
      expect_as_listed(answer, recording, process.rank);
      ++count[answer.outcome];
    }
  }
  std::cout << recordings().size() << " recordings";
  for (const Outcome outcome :
       {Outcome::right, Outcome::disputed, Outcome::refused, Outcome::wrong}) {
    std::cout << ", " << count[outcome] << ' ' << outcome;
  }
  std::cout << '\n';
}

TEST(Recordings, refused_ones_are_right_with_help_from_the_caller) {
  for (const Recording& recording : recordings()) {
    for (const RecordedProcess& process : recording.processes) {
      const Refused* const row = find_refused(recording.name, process.rank);
      if (row == nullptr) continue;
      SCOPED_TRACE(recording.name + ", rank " + std::to_string(process.rank));
      const auto environment = process.offered();
      const auto topology = Topology::from_environment(environment, recording.stated);
      ASSERT_FALSE(topology) << explain(*topology).view();
      EXPECT_EQ(topology.error().code, row->code) << message(topology.error()).view();
      Config helped = recording.stated;
      const rankmap_test::Help& help = row->help;
      if (help.launcher != rankmap::Launcher::none) helped.launcher = help.launcher;
      if (help.rank) helped.rank = process.rank;
      if (help.world_size) helped.world_size = process.world_size;
      if (help.local) {
        helped.local_rank = process.local_rank;
        helped.local_world_size = process.local_world_size;
      }
      const auto known = Topology::from_environment(environment, helped);
      ASSERT_TRUE(known) << message(known.error()).view();
      EXPECT_EQ(rankmap_test::differences(*known, process, recording), "");
    }
  }
}

/// An environment that counts how often it is asked for the processes above.
struct CountedEnvironment {
  rankmap::RecordedEnvironment variables;
  int* asked;
  std::optional<std::string_view> operator()(std::string_view name) const {
    return variables(name);
  }
  std::optional<rankmap::Ancestors> ancestors() const {
    ++*asked;
    return std::nullopt;
  }
};

// Asking costs reads of files in /proc.
TEST(Recordings, the_processes_above_are_asked_for_at_most_once) {
  for (const Recording& recording : recordings()) {
    for (const RecordedProcess& process : recording.processes) {
      int asked = 0;
      const CountedEnvironment environment{rankmap::RecordedEnvironment(process.environment),
                                           &asked};
      (void)Topology::from_environment(environment, recording.stated);
      EXPECT_LE(asked, 1) << recording.name;
    }
  }
}

TEST(Recordings, listed_exceptions_exist_and_are_unique) {
  std::map<std::pair<std::string_view, int>, int> rows;
  for (const Refused& row : rankmap_test::refused) {
    for (int rank = row.first; rank <= row.last; ++rank) ++rows[{row.recording, rank}];
  }
  for (const auto& [process, count] : rows) {
    const auto& [name, rank] = process;
    const std::string file = "rank-" + std::to_string(rank) + ".env";
    EXPECT_TRUE(std::filesystem::exists(own_recordings() / name / file)) << name << '/' << file;
    EXPECT_EQ(count, 1) << name << ", rank " << rank;
  }
}

/// What one rank knows about the whole job. It must be the same on every rank: code that branches
/// on it before a collective would hang otherwise.
std::string claim_of(const rankmap::Result<Topology>& topology) {
  if (!topology) return "none";
  std::ostringstream out;
  out << "launcher " << name(topology->launcher()) << ", nodes "
      << topology->node_count().value_or(-1) << ", node " << topology->node_rank().has_value()
      << ", local size " << topology->local_world_size().has_value() << ", layout "
      << topology->layout().has_value() << ", hosts " << topology->hosts().str().view();
  if (const auto& layout = topology->layout()) {
    for (int rank = 0; rank != layout->world_size(); ++rank) {
      out << ' ' << layout->node_of(rank) << ':' << layout->local_rank_of(rank);
    }
  }
  return out.str();
}

TEST(Recordings, every_rank_claims_the_same) {
  for (const Recording& recording : recordings()) {
    std::optional<std::string> first;
    for (const RecordedProcess& process : recording.processes) {
      const std::string mine =
          claim_of(Topology::from_environment(process.offered(), recording.stated));
      if (!first) first = mine;
      EXPECT_EQ(mine, *first) << recording.name << ", rank " << process.rank;
    }
  }
}

/// A step of srun has a layout unless it cannot be proved: if the user lists the places of the
/// ranks and no PMIx server repeats them, if each component of a step has its own distribution, or
/// if Slurm 26.05 may have dealt a block over three nodes or more in topology order.
TEST(Recordings, srun_has_a_layout_unless_unprovable) {
  for (const Recording& recording : recordings()) {
    for (const RecordedProcess& process : recording.processes) {
      const auto environment = process.offered();
      const auto topology = Topology::from_environment(environment, recording.stated);
      if (!topology || topology->launcher() != rankmap::Launcher::slurm) continue;
      const bool has_components =
          environment("SLURM_HET_SIZE") &&
          environment("SLURM_STEP_NODELIST") != environment("SLURM_JOB_NODELIST_HET_GROUP_1");
      const bool is_unlisted = environment("SLURM_DISTRIBUTION") == "arbitrary" &&
                               !environment("SLURM_PMIX_MAPPING_SERV");
      const bool is_block = environment("SLURM_DISTRIBUTION").value_or("block") == "block";
      const bool is_of_topology =
          is_block && environment("SLURM_JOB_SLUID") && topology->node_count() > 2;
      const bool unprovable = has_components || is_unlisted || is_of_topology;
      EXPECT_NE(topology->layout().has_value(), unprovable) << recording.name;
      EXPECT_EQ(topology->host_of((topology->rank() + 1) % topology->world_size()).has_value(),
                !unprovable || topology->world_size() == 1)
          << recording.name;
    }
  }
}

}  // namespace
