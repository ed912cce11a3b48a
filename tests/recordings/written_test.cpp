// SPDX-License-Identifier: MIT
//
// Written environments, each with what is true of its process: launchers that cannot be started
// here, mixtures of several, mistakes that people make. written.tsv has the rows, and says how to
// read them.
#include "support/files.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/distribution.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Launcher;
using rankmap::RecordedEnvironment;
using rankmap::Result;
using rankmap::Topology;

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> out;
  for (std::size_t end = text.find(by); end != text.npos; end = text.find(by)) {
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + by.size());
  }
  out.push_back(text);
  return out;
}

/// What is before and behind the first `by`; all of it and nothing if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view by) {
  const std::size_t at = text.find(by);
  if (at == text.npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + by.size())};
}

std::optional<int> number_in(std::string_view text) {
  int out = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || last != end) return std::nullopt;
  return out;
}

// ---- a row

struct Row {
  std::string_view title;
  std::string_view expected;
  std::string_view variables;
  std::string_view config;
  std::optional<std::string_view> ancestors;  ///< nothing: there is no process to ask
};

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> out;
  for (const std::string_view line : split(text, "\n")) {
    if (line.empty() || line.front() == '#') continue;
    const auto columns = split(line, "\t");
    EXPECT_TRUE(columns.size() >= 3 && columns.size() <= 5) << line;
    if (columns.size() < 3) continue;
    Row row{columns[0], columns[1], columns[2], {}, {}};
    if (columns.size() > 3) row.config = columns[3];
    if (columns.size() > 4) row.ancestors = columns[4];
    out.push_back(row);
  }
  return out;
}

/// Reads the column `config`. Returns whether all of it is known.
bool read_config(std::string_view text, Config& out) {
  if (text.empty()) return true;
  const std::map<std::string_view, std::optional<int> Config::*> numbers = {
      {"rank", &Config::rank},
      {"world_size", &Config::world_size},
      {"local_rank", &Config::local_rank},
      {"local_world_size", &Config::local_world_size},
      {"node_rank", &Config::node_rank},
      {"node_count", &Config::node_count}};
  const std::map<std::string_view, bool Config::*> flags = {{"one", &Config::one_process_per_node},
                                                            {"even", &Config::even_nodes},
                                                            {"strict", &Config::strict},
                                                            {"require", &Config::require_launcher}};
  for (const std::string_view entry : split(text, ";")) {
    const auto [key, value] = cut(entry, "=");
    if (const auto number = numbers.find(key); number != numbers.end()) {
      out.*number->second = number_in(value);
      if (!(out.*number->second)) return false;
    } else if (const auto flag = flags.find(key); flag != flags.end()) {
      out.*flag->second = true;
    } else if (key == "hosts") {
      out.hosts = value;
    } else if (key == "tasks_per_node") {
      out.tasks_per_node = value;
    } else if (key == "launcher") {
      out.launcher = rankmap::parse_launcher(value);
      if (!out.launcher) return false;
    } else if (key == "distribution") {
      const auto read = rankmap::Distribution::parse(value, std::nullopt);
      if (!read) return false;
      out.distribution = *read;
    } else {
      return false;
    }
  }
  return true;
}

/// The processes above one, as the column `ancestors` has them.
class Above {
 public:
  Above(std::string_view text, std::string_view own) {
    for (const std::string_view entry : split(text, " < ")) {
      const auto [process, rest] = cut(entry, "{");
      const std::string_view inside = rest.substr(0, rest.find_last_of('}'));
      if (process == "inside") {
        set_inside_ = inside;
        continue;
      }
      rankmap::Ancestor ancestor = {process};
      if (inside != "?") {
        starts_.push_back(start_of(inside, own));
        ancestor.start = RecordedEnvironment(starts_.back(), '|');
      }
      processes_.add(ancestor);
    }
  }
  const rankmap::Ancestors& processes() const { return processes_; }
  std::string_view set_inside() const { return set_inside_; }

 private:
  static std::string start_of(std::string_view inside, std::string_view own) {
    if (inside.empty() || inside.front() != '=') return std::string(inside);
    const auto without = split(inside.substr(std::min<std::size_t>(2, inside.size())), ",");
    std::string out;
    for (const std::string_view variable : split(own, "|")) {
      const std::string_view name = cut(variable, "=").first;
      if (std::find(without.begin(), without.end(), name) == without.end()) {
        out.append(variable).append("|");
      }
    }
    return out;
  }

  std::deque<std::string> starts_;  // which the ancestors view
  rankmap::Ancestors processes_;
  std::string_view set_inside_;
};

Result<Topology> resolved(const Row& row, const Config& config) {
  const RecordedEnvironment variables(row.variables, '|');
  if (!row.ancestors) return Topology::from_environment(variables, config);
  const Above above(*row.ancestors, row.variables);
  return Topology::from_environment(
      rankmap::WithAncestors(variables, above.processes(), above.set_inside()), config);
}

// ---- what is expected of it

std::string numbers_of(const Topology& topology) {
  return std::to_string(topology.rank()) + "/" + std::to_string(topology.world_size()) + "/" +
         std::to_string(topology.local_rank());
}

/// For a failure: what the row came out as.
std::string said(const Result<Topology>& result) {
  if (!result) return "error: " + std::string(message(result.error()).view());
  std::string out = numbers_of(*result) + " by " + std::string(name(result->launcher()));
  for (const rankmap::Warning& warning : result->warnings()) {
    out += ", warns of " + std::string(warning.variable.view());
  }
  return out;
}

/// Whether the first word of the column `expected` holds.
bool is_as_expected(std::string_view word, const Result<Topology>& result) {
  const bool warns = result && !result->warnings().empty();
  if (word == "error") return !result;
  if (word == "loud") return !result || warns;
  if (word == "warn") return !result || warns || result->launcher() != Launcher::none;
  const bool needs_warning = word.back() == '!';
  const bool may_refuse = needs_warning || word.back() == '?';
  if (!result) return may_refuse;
  if (may_refuse) word.remove_suffix(1);
  const auto answers = split(word, "|");
  const std::string got = numbers_of(*result);
  return std::find(answers.begin(), answers.end(), got) != answers.end() &&
         (!needs_warning || warns);
}

/// The rank that the layout puts on another node than `nodes`, a comma list; -1: none.
int misplaced_rank(const Topology& topology, std::string_view nodes) {
  if (!topology.layout()) return -1;
  const auto truth = split(nodes, ",");
  for (int rank = 0; rank != topology.world_size(); ++rank) {
    if (topology.layout()->node_of(rank) != number_in(truth.at(static_cast<std::size_t>(rank)))) {
      return rank;
    }
  }
  return -1;
}

/// Whether a clause behind the first word holds. A claim that is not made is not false.
bool holds(std::string_view clause, const Result<Topology>& result) {
  const auto [key, value] = cut(clause, "=");
  if (key == "names") {
    return result || message(result.error()).view().find(value) != std::string_view::npos;
  }
  if (!result) return true;
  if (key == "quiet") return result->warnings().empty();
  if (key == "lsize") {
    return !result->local_world_size() || result->local_world_size() == number_in(value);
  }
  if (key == "host") return result->host().empty() || result->host() == value;
  if (key == "node") return !result->node_rank() || result->node_rank() == number_in(value);
  if (key == "nodes") return misplaced_rank(*result, value) == -1;
  if (key == "addr") {
    if (!result->rendezvous() || !result->warnings().empty()) return true;
    const auto method = result->rendezvous()->init_method();
    return method && method->view() == value;
  }
  return false;
}

/// What a process knows of its job.
unsigned knowledge(const Topology& topology) {
  const bool known[] = {topology.layout().has_value(),     topology.node_rank().has_value(),
                        topology.node_count().has_value(), topology.local_world_size().has_value(),
                        !topology.hosts().empty(),         topology.rendezvous().has_value()};
  unsigned out = 0;
  for (const bool each : known) out = out * 2 + (each ? 1U : 0U);
  return out;
}

/// The job that a row is of: "j1" for a title with "g[j1]"; empty: none.
std::string_view job_of(const Row& row) {
  const std::string_view rest = cut(row.title, "g[").second;
  return rest.substr(0, rest.find(']'));
}

const std::string& text() {
  static const std::string all = rankmap_test::text_of(RANKMAP_TEST_DIR "/recordings/written.tsv");
  return all;
}

TEST(Written, environments_come_out_as_what_is_true) {
  const std::vector<Row> rows = rows_of(text());
  EXPECT_GE(rows.size(), 90U);
  for (const Row& row : rows) {
    Config config;
    config.one_process_per_node = row.title.starts_with("one:");
    ASSERT_TRUE(read_config(row.config, config)) << row.title << ": " << row.config;
    const auto result = resolved(row, config);
    const auto clauses = split(row.expected, ";");
    EXPECT_TRUE(is_as_expected(clauses.front(), result))
        << row.title << "\n  expected " << row.expected << "\n  is " << said(result);
    for (std::size_t i = 1; i != clauses.size(); ++i) {
      EXPECT_TRUE(holds(clauses[i], result))
          << row.title << "\n  expected " << clauses[i] << "\n  is " << said(result);
    }
  }
}

TEST(Written, processes_of_one_job_know_the_same_of_it) {
  std::map<std::string_view, unsigned> jobs;
  for (const Row& row : rows_of(text())) {
    const std::string_view job = job_of(row);
    if (job.empty()) continue;
    Config config;
    ASSERT_TRUE(read_config(row.config, config)) << row.title;
    const auto result = resolved(row, config);
    if (!result) continue;
    const auto [first, is_first] = jobs.try_emplace(job, knowledge(*result));
    EXPECT_EQ(first->second, knowledge(*result)) << row.title << "\n  is " << said(result);
  }
}

}  // namespace
