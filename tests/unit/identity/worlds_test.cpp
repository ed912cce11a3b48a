// SPDX-License-Identifier: MIT
//
// Worlds of launchers below each other, made from the launcher table: all pairs, and all triples of
// those that people nest. Worlds that look alike are judged together. If they have one truth, that
// is the answer, and an error is a needless refusal, which is counted by name; if they have two, an
// answer has to be true of both. Nothing else is forgiven.
#include "fuzz/nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using rankmap::Ancestors;
using rankmap::CheckKind;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::RecordedEnvironment;
using rankmap::RecordLevel;
using rankmap_fuzz::Job;
using rankmap_fuzz::kept_row;
using rankmap_fuzz::lines_of;
using rankmap_fuzz::Numbers;
using rankmap_fuzz::Texts;

/// One launcher, which starts this process or one that is above it.
struct Launch {
  const LauncherRow* row = nullptr;
  Job job;
  int rank = 0;
};

/// How much of the processes above can be read.
enum class Sight { whole, names };

/// How the launchers were called, where that leaves other things to see.
struct Way {
  std::string_view called_on =
      "login";            ///< the host of the first one; "here": that of this process
  bool becomes = false;   ///< what sets the last names becomes the program: a script with `exec`
  bool forwards = false;  ///< the names before are on the command line of the last launcher
};

rankmap::Result<Identity> identity_of(
    const std::string& variables, const std::vector<std::pair<std::string, std::string>>& above) {
  Ancestors ancestors;
  for (const auto& [name, start] : above) {
    rankmap::Ancestor ancestor{std::string_view(name)};
    if (start != "?") ancestor.start = RecordedEnvironment(std::string_view(start));
    ancestors.add(ancestor);
  }
  return Identity::from_environment(
      rankmap::WithAncestors(RecordedEnvironment(std::string_view(variables)), ancestors));
}

using Four = std::tuple<int, int, int, int>;
Four four_of(const Numbers& is) { return {is.rank, is.world, is.local, is.here}; }

/// What one process can see, and what is true of it.
struct World {
  std::string variables;
  std::vector<std::pair<std::string, std::string>> above;  ///< name and start, parent first
  Four truth;
  std::string title;
  bool can_be_read = true;  ///< alone, the innermost launcher says who this is

  std::string what_is_seen() const {
    std::string out = variables;
    for (const auto& [name, start] : above) out += "--" + name + '\n' + start;
    return out;
  }
};

// A daemon of the machine starts these, whoever called it, and nobody else can read its start.
bool is_by_daemon(const LauncherRow& row) {
  return row.launcher == Launcher::slurm || row.launcher == Launcher::pals ||
         row.launcher == Launcher::jsrun || row.launcher == Launcher::flux;
}

rankmap_fuzz::Started set_by(const Launch& launch, const std::string& from) {
  const auto& [row, job, rank] = launch;
  std::vector<std::string> hosts;
  for (int node = 0; node != job.nodes(); ++node) {
    hosts.push_back(node == job.node_of(rank) ? "here" : "h" + std::to_string(node));
  }
  const int id = static_cast<int>(row->launcher);
  return rankmap_fuzz::RowWriter(*row, job, rank, id, hosts, 0, from).write();
}

/// Whether the launcher's own variables, alone, say who the process is. Asked often, read once.
bool says_who_it_is(const Launch& launch) {
  static std::map<std::string, bool> known;
  const std::string variables = lines_of(set_by(launch, "login").set);
  const auto [entry, is_new] = known.try_emplace(variables);
  if (is_new) entry->second = identity_of(variables, {}).has_value();
  return entry->second;
}

/// `launches`: the outermost first.
World world_of(const std::vector<Launch>& launches, Sight sight, const Way& way) {
  World out;
  Texts variables;
  Texts told;                                              // to the launcher that comes next
  std::vector<std::pair<std::string, std::string>> above;  // the outermost first
  std::string from(way.called_on);
  for (const Launch& launch : launches) {
    const LauncherRow& row = *launch.row;
    const auto starters = rankmap::VariableNames(row.starters);
    const std::string name(starters.empty() ? "python3" : starters.first());
    const bool is_last = &launch == &launches.back();
    const auto started = set_by(launch, from);
    out.title = std::string(row.name) + (out.title.empty() ? "" : " below ") + out.title;
    if (way.forwards && &launch + 1 == &launches.back()) {
      told = started.set;
      continue;
    }
    const std::string before = lines_of(variables);
    if (is_by_daemon(row)) {
      above = {{"systemd", "?"}, {name, "?"}};
    } else if (!way.becomes || !is_last) {
      if (!above.empty()) above.emplace_back("bash", before);
      above.emplace_back(name, before + "HOME=/root\n");
    }
    for (const auto& [variable, text] : std::exchange(told, {})) variables[variable] = text;
    for (const std::string_view gone : started.unset) variables.erase(std::string(gone));
    for (const auto& [variable, text] : started.set) variables[variable] = text;
    from = "here";
  }
  out.variables = lines_of(variables);
  out.above.assign(above.rbegin(), above.rend());
  if (sight == Sight::names) {
    for (auto& [name, start] : out.above) start = "?";
  }
  const Launch& last = launches.back();
  out.truth = four_of(last.job.numbers_of(last.rank));
  out.can_be_read = says_who_it_is(last);
  return out;
}

/// The worlds of these launches in all small jobs, for the first and the last process.
void add_worlds(std::vector<World>& out, const std::vector<const LauncherRow*>& launchers,
                Sight sight) {
  static const Job jobs[] = {{{1}, false}, {{2}, false}, {{1, 1}, false}, {{2, 2}, false}};
  const std::size_t count = launchers.size() == 2 ? std::size(jobs) : 3;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i != launchers.size(); ++i) combinations *= count;
  for (std::size_t which = 0; which != combinations; ++which) {
    std::vector<Launch> first;
    std::vector<Launch> last;
    for (std::size_t i = 0, rest = which; i != launchers.size(); ++i, rest /= count) {
      const Job& job = jobs[rest % count];
      first.push_back({launchers[i], job, 0});
      last.push_back({launchers[i], job, job.world() - 1});
    }
    const bool is_submitted =
        std::ranges::any_of(launchers, [](const auto* row) { return !row->submit_host.empty(); });
    const bool is_exported = launchers.back()->generic_names;
    const bool may_forward = launchers[launchers.size() - 2]->generic_names && !is_exported;
    for (const auto& launches : {first, last}) {
      for (const std::string_view called_on : {"login", "here"}) {
        if (called_on == "here" && !is_submitted) continue;
        out.push_back(world_of(launches, sight, {called_on, false, false}));
        if (is_exported) out.push_back(world_of(launches, sight, {called_on, true, false}));
        if (may_forward) out.push_back(world_of(launches, sight, {called_on, false, true}));
      }
    }
  }
}

// The rest starts single processes as well, gives no number, or leaves what another one sets.
bool is_left_out(const LauncherRow& row) {
  return row.level != RecordLevel::worker || row.starts_agents || row.is_bare ||
         row.is_set_beside || row.check == CheckKind::alone || row.launcher == Launcher::ms_mpi ||
         row.launcher == Launcher::alps || row.launcher == Launcher::dmlc ||
         row.launcher == Launcher::lightning;
}
// Whoever sets the names of another one again may set them to what they were.
bool share_names(const LauncherRow& a, const LauncherRow& b) {
  return a.launcher == b.launcher ||
         (rankmap::detail::uses_torch_names(a) && rankmap::detail::uses_torch_names(b));
}

std::vector<World> pairs(Sight sight) {
  std::vector<World> out;
  for (const LauncherRow& outer : rankmap::launchers) {
    for (const LauncherRow& inner : rankmap::launchers) {
      if (is_left_out(outer) || is_left_out(inner) || share_names(outer, inner)) continue;
      add_worlds(out, {&kept_row(outer.launcher), &kept_row(inner.launcher)}, sight);
    }
  }
  return out;
}
std::vector<World> triples(Sight sight) {
  constexpr Launcher nested[] = {Launcher::torchrun, Launcher::slurm, Launcher::open_mpi,
                                 Launcher::hydra, Launcher::torch_env};
  std::vector<World> out;
  for (const Launcher a : nested) {
    for (const Launcher b : nested) {
      for (const Launcher c : nested) {
        const std::vector<const LauncherRow*> launchers = {&kept_row(a), &kept_row(b),
                                                           &kept_row(c)};
        if (share_names(*launchers[0], *launchers[1]) ||
            share_names(*launchers[1], *launchers[2]) ||
            share_names(*launchers[0], *launchers[2])) {
          continue;
        }
        add_worlds(out, launchers, sight);
      }
    }
  }
  return out;
}

struct Judged {
  std::size_t worlds = 0;
  std::size_t right = 0;
  std::size_t needless = 0;
  std::map<std::string, std::size_t> kinds;  ///< of needless refusals
};

void judge(const std::vector<World>& worlds, Judged& out) {
  std::map<std::string, std::vector<const World*>> alike;
  for (const World& world : worlds) alike[world.what_is_seen()].push_back(&world);
  out.worlds = worlds.size();
  for (const auto& [seen, group] : alike) {
    const World& world = *group.front();
    const auto identity = identity_of(world.variables, world.above);
    if (identity) {
      for (const World* const other : group) {
        const auto& [rank, size, local, here] = other->truth;
        ASSERT_EQ(identity->rank(), rank) << other->title << '\n' << seen;
        ASSERT_EQ(identity->world_size(), size) << other->title << '\n' << seen;
        ASSERT_EQ(identity->local_rank(), local) << other->title << '\n' << seen;
        ASSERT_EQ(identity->local_world_size().value_or(here), here) << other->title << '\n'
                                                                     << seen;
      }
      out.right += group.size();
      continue;
    }
    bool is_one_truth = true;
    for (const World* const other : group) {
      is_one_truth = is_one_truth && other->truth == world.truth && other->can_be_read;
    }
    if (is_one_truth) {
      out.needless += group.size();
      for (const World* const other : group) ++out.kinds[other->title];
    }
  }
}

std::string list_of(const std::map<std::string, std::size_t>& kinds) {
  std::string out;
  for (const auto& [kind, count] : kinds) out += std::to_string(count) + ' ' + kind + '\n';
  return out;
}

TEST(Worlds, of_two_launchers_are_answered_where_every_process_above_can_be_read) {
  Judged judged;
  judge(pairs(Sight::whole), judged);
  EXPECT_GT(judged.right, judged.worlds / 2);
  EXPECT_LT(judged.needless * 100, judged.worlds) << list_of(judged.kinds);
  for (const auto& [kind, count] : judged.kinds) {  // which sets names of Hydra's
    EXPECT_TRUE(kind.starts_with("platform_mpi below ")) << count << ' ' << kind;
  }
}

TEST(Worlds, of_three_launchers_are_answered_where_every_process_above_can_be_read) {
  Judged judged;
  judge(triples(Sight::whole), judged);
  EXPECT_GT(judged.right, judged.worlds / 2);
  EXPECT_EQ(list_of(judged.kinds), "");
}

// The name of a process is less than what it started with: one that is called python3 says nothing,
// and a script may have set its names before a launcher or after it.
TEST(Worlds, of_two_launchers_are_never_wrong_where_only_names_can_be_read) {
  Judged judged;
  judge(pairs(Sight::names), judged);
  EXPECT_GT(judged.right, judged.worlds / 3);
  EXPECT_LT(judged.needless * 100, judged.worlds * 20) << list_of(judged.kinds);
}

}  // namespace
