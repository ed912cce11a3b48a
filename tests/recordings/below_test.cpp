// SPDX-License-Identifier: MIT
//
// Each recorded launch started by a process of each other one: its variables over those of the
// outer process, and a starter of its launcher that has the outer ones alone. What a launcher
// leaves as it was is then another launch's, with numbers that nobody chose. No process may be told
// the outer one's numbers, or some of both.
#include "recording.hpp"

#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Identity;
using rankmap::Launcher;
using rankmap_test::RecordedProcess;
using rankmap_test::Recording;

using Variables = std::map<std::string, std::string>;

Variables variables_of(const RecordedProcess& process) {
  Variables out;
  std::istringstream lines(process.environment);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equal = line.find('=');
    if (equal != line.npos) out[line.substr(0, equal)] = line.substr(equal + 1);
  }
  return out;
}

std::string text_of(const Variables& variables) {
  std::string out;
  for (const auto& [name, text] : variables) out += name + '=' + text + '\n';
  return out;
}

/// The name of a process that starts workers of the launcher; empty: it has none.
std::string starter_of(Launcher launcher) {
  for (const rankmap::LauncherRow& row : rankmap::launchers) {
    if (row.launcher == launcher) {
      return std::string(row.starters.substr(0, row.starters.find(',')));
    }
  }
  return {};
}

/// A launch of several processes below no other launcher.
struct Inner {
  const Recording* recording;
  std::string starter;
};

std::vector<Inner> inner_launches(const std::vector<const Recording*>& recordings) {
  std::vector<Inner> out;
  for (const Recording* const recording : recordings) {
    const RecordedProcess& first = recording->processes.front();
    rankmap::Config rest;  // of one that is refused alone, what it lacks
    rest.rank = first.rank;
    rest.world_size = first.world_size;
    rest.local_rank = first.local_rank;
    const auto alone = Identity::from_environment(rankmap::RecordedEnvironment(first.environment),
                                                  rankmap::Need::all, rest);
    if (first.world_size < 2 || !alone) continue;
    const auto others = alone->other_records();
    if (std::any_of(others.begin(), others.end(), [](const rankmap::OtherRecord& other) {
          return other.relation != rankmap::Relation::same;
        })) {
      continue;
    }
    const std::string starter = starter_of(alone->launcher());
    if (!starter.empty()) out.push_back({recording, starter});
  }
  return out;
}

/// Of recordings whose processes have the same names, the first: one of each kind.
std::vector<const Recording*> one_of_each_kind(const std::vector<Recording>& recordings) {
  std::vector<const Recording*> out;
  std::set<std::vector<std::string>> seen;
  for (const Recording& recording : recordings) {
    std::vector<std::string> names;
    for (const auto& [name, text] : variables_of(recording.processes.back())) {
      names.push_back(name);
    }
    if (seen.insert(names).second) out.push_back(&recording);
  }
  return out;
}

/// A process of the launch, started by one with the variables `outer`, and its answer.
rankmap::Result<Identity> answer_below(const Variables& outer, const RecordedProcess& process,
                                       const std::string& starter) {
  const std::string started_with = text_of(outer);
  Variables variables = outer;
  for (const auto& [name, text] : variables_of(process)) variables[name] = text;
  const std::string environment = text_of(variables);
  rankmap::Ancestors above;
  for (const std::string_view name : {std::string_view(starter), std::string_view("sh")}) {
    rankmap::Ancestor ancestor = {name};
    ancestor.start = rankmap::RecordedEnvironment(started_with);
    above.add(ancestor);
  }
  return Identity::from_environment(
      rankmap::WithAncestors(rankmap::RecordedEnvironment(environment), above));
}

TEST(Recordings, below_each_other_are_right_or_refused) {
  const std::vector<Recording> recordings =
      rankmap_test::read_recordings(rankmap_test::own_recordings());
  const std::vector<const Recording*> kinds = one_of_each_kind(recordings);
  const std::vector<Inner> inner = inner_launches(kinds);
  std::map<std::string, int> refused;
  int right = 0;
  for (const Recording* const outer : kinds) {
    const Variables inherited = variables_of(outer->processes.back());
    for (const auto& [recording, starter] : inner) {
      // With the outer one's rank, if there is such a process: equal numbers prove nothing.
      const RecordedProcess* const equal = recording->find(outer->processes.back().rank);
      const RecordedProcess& process = equal != nullptr ? *equal : recording->processes.back();
      const auto me = answer_below(inherited, process, starter);
      if (!me) {
        ++refused[recording->name];
        continue;
      }
      EXPECT_TRUE(me->rank() == process.rank && me->world_size() == process.world_size &&
                  me->local_rank() == process.local_rank)
          << recording->name << ", rank " << process.rank << ", below " << outer->name << ": rank "
          << me->rank().value_or(-1) << " of " << me->world_size().value_or(-1) << ", local rank "
          << me->local_rank().value_or(-1);
      ++right;
    }
  }
  std::cout << kinds.size() << " kinds, " << inner.size() << " below each: " << right << " right";
  for (const auto& [name, count] : refused) std::cout << ", " << count << " refused of " << name;
  std::cout << '\n';
  EXPECT_GE(right, 5850);
}

}  // namespace
