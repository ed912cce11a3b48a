// SPDX-License-Identifier: MIT
//
// Worlds of two launchers, one below the other, where every process above can be seen: the answer
// is the inner one's, or an error. Worlds that look alike and have two truths have to be an error,
// too. The worlds are made from the launcher table, and nothing else is forgiven.
#include "fuzz/nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using rankmap::Ancestors;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::RecordedEnvironment;
using rankmap::RecordLevel;
using rankmap_fuzz::Job;
using rankmap_fuzz::Numbers;
using rankmap_fuzz::Texts;

std::string lines_of(const Texts& variables) {
  std::string out;
  for (const auto& [name, text] : variables) out += name + '=' + text + '\n';
  return out;
}

/// One process of a job below one of another job.
struct World {
  std::string variables;
  std::vector<std::pair<std::string, std::string>> above;  ///< name and start, parent first
  Numbers truth;
  std::string title;

  std::string what_is_seen() const {
    std::string out = variables;
    for (const auto& [name, start] : above) out += "--" + name + '\n' + start;
    return out;
  }
  rankmap::Result<Identity> answer() const {
    Ancestors ancestors;
    for (const auto& [name, start] : above) {
      rankmap::Ancestor ancestor{std::string_view(name)};
      if (start != "?") ancestor.start = RecordedEnvironment(std::string_view(start));
      ancestors.add(ancestor);
    }
    return Identity::from_environment(
        rankmap::WithAncestors(RecordedEnvironment(std::string_view(variables)), ancestors));
  }
};

// A daemon of the machine starts these, whoever called it, and nobody else can read its start.
bool is_by_daemon(const LauncherRow& row) {
  return row.launcher == Launcher::slurm || row.launcher == Launcher::pals ||
         row.launcher == Launcher::jsrun || row.launcher == Launcher::flux;
}

World world_of(const LauncherRow& outer, const Job& outer_job, int outer_rank,
               const LauncherRow& inner, const Job& inner_job, int inner_rank) {
  const auto set_by = [](const LauncherRow& row, const Job& job, int rank,
                         const std::string& from) {
    std::vector<std::string> hosts;
    for (int node = 0; node != job.nodes(); ++node) {
      hosts.push_back(node == job.node_of(rank) ? "here" : "h" + std::to_string(node));
    }
    return rankmap_fuzz::RowWriter(row, job, rank, static_cast<int>(row.launcher), hosts, 0, from)
        .write();
  };
  const auto name_of = [](const LauncherRow& row) {
    return row.starters.empty() ? std::string("python3")
                                : std::string(rankmap::VariableNames(row.starters).first());
  };
  Texts variables = set_by(outer, outer_job, outer_rank, "login").set;
  const std::string between = lines_of(variables);
  const auto started = set_by(inner, inner_job, inner_rank, "here");
  for (const std::string_view name : started.unset) variables.erase(std::string(name));
  for (const auto& [name, text] : started.set) variables[name] = text;

  World out{lines_of(variables), {}, inner_job.numbers_of(inner_rank), {}};
  if (is_by_daemon(inner)) {
    out.above = {{name_of(inner), "?"}, {"systemd", "?"}};
  } else {
    out.above = {{name_of(inner), between},
                 {"bash", between},
                 {name_of(outer), is_by_daemon(outer) ? "?" : "HOME=/root\n"}};
  }
  out.title = std::string(name(inner.launcher)) + " below " + std::string(name(outer.launcher));
  return out;
}

// The rest starts single processes as well, gives no number, or leaves what another one sets.
bool is_left_out(const LauncherRow& row) {
  return row.level != RecordLevel::worker || row.starts_agents || row.is_bare ||
         row.is_set_beside || row.launcher == Launcher::ms_mpi || row.launcher == Launcher::alps ||
         row.launcher == Launcher::dmlc || row.launcher == Launcher::lightning;
}

std::vector<World> all_worlds() {
  const Job jobs[] = {{{1}, false}, {{2}, false}, {{1, 1}, false}, {{2, 2}, false}};
  std::vector<World> out;
  for (const LauncherRow& outer : rankmap::launchers) {
    if (is_left_out(outer)) continue;
    for (const LauncherRow& inner : rankmap::launchers) {
      // Whoever sets the names of another one again may set them to what they were.
      const bool share_names =
          rankmap::detail::uses_torch_names(outer) && rankmap::detail::uses_torch_names(inner);
      if (is_left_out(inner) || outer.launcher == inner.launcher || share_names) continue;
      for (const Job& outer_job : jobs) {
        for (const Job& inner_job : jobs) {
          const int last = inner_job.world() - 1;
          out.push_back(world_of(outer, outer_job, 0, inner, inner_job, 0));
          out.push_back(world_of(outer, outer_job, outer_job.world() - 1, inner, inner_job, last));
        }
      }
    }
  }
  return out;
}

using Four = std::tuple<int, int, int, int>;
Four four_of(const Numbers& is) { return {is.rank, is.world, is.local, is.here}; }

TEST(Pairs, are_told_the_numbers_of_the_inner_launcher_or_an_error) {
  const std::vector<World> worlds = all_worlds();
  std::map<std::string, std::vector<Four>> truths;
  for (const World& world : worlds) truths[world.what_is_seen()].push_back(four_of(world.truth));
  std::size_t right = 0;
  std::size_t refused = 0;
  for (const World& world : worlds) {
    const auto identity = world.answer();
    if (!identity) {
      ++refused;
      continue;
    }
    for (const Four& truth : truths[world.what_is_seen()]) {
      const auto [rank, size, local, here] = truth;
      ASSERT_EQ(identity->rank(), rank) << world.title << '\n' << world.variables;
      ASSERT_EQ(identity->world_size(), size) << world.title << '\n' << world.variables;
      ASSERT_EQ(identity->local_rank(), local) << world.title << '\n' << world.variables;
      ASSERT_EQ(identity->local_world_size().value_or(here), here) << world.title << '\n'
                                                                   << world.variables;
    }
    ++right;
  }
  EXPECT_GT(right, worlds.size() / 2);
  EXPECT_GT(refused, 0U);
  RecordProperty("worlds", static_cast<int>(worlds.size()));
  RecordProperty("right", static_cast<int>(right));
}

}  // namespace
