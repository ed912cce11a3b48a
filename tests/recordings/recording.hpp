// SPDX-License-Identifier: MIT
//
// Recordings of real jobs: folders with the environment of each process, perhaps the processes
// above it, and the truth about it. A part that cannot be read becomes a fault: a skipped row would
// be a process that is not tested. docs/how-to/add-a-launcher.md describes the files.
#ifndef RANKMAP_TESTS_RECORDING_HPP
#define RANKMAP_TESTS_RECORDING_HPP

#include "support/files.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/config.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rankmap_test {

/// A rank-N.ancestors.
struct RecordedAncestors {
  struct Process {
    std::string name;
    std::optional<std::string> start = std::string();  ///< NAME=text lines
  };
  std::optional<std::string> set_inside = std::string();  ///< names, with commas between them
  std::vector<Process> above = {};                        ///< parent first
};

/// One row of an expected.tsv, the environment of the process, and what is known of those above it.
struct RecordedProcess {
  int rank = 0;
  int world_size = 0;
  int local_rank = 0;
  std::optional<int> local_world_size = {};  ///< "-": no variable holds it
  std::optional<int> node = {};              ///< "-": no variable holds it
  std::string host = {};
  std::string environment = {};
  std::optional<RecordedAncestors> ancestors = {};  ///< nothing: was not recorded

  /// What the process offered to rankmap. Views this object.
  rankmap::WithAncestors<rankmap::RecordedEnvironment> offered() const {
    const rankmap::RecordedEnvironment variables(environment);
    if (!ancestors) return {variables, std::nullopt};
    rankmap::Ancestors above;
    for (const RecordedAncestors::Process& process : ancestors->above) {
      rankmap::Ancestor ancestor = {std::string_view(process.name)};
      if (process.start) ancestor.start = rankmap::RecordedEnvironment(*process.start);
      above.add(ancestor);
    }
    return {variables, above, ancestors->set_inside};
  }
};

struct Recording {
  std::string name;
  rankmap::Config stated = {};  ///< what the title names as `Config::...`
  std::vector<RecordedProcess> processes = {};
  std::vector<std::string> faults = {};  ///< what could not be read, or is not there

  const RecordedProcess* find(int rank) const {
    const auto found = std::find_if(processes.begin(), processes.end(),
                                    [&](const RecordedProcess& p) { return p.rank == rank; });
    return found == processes.end() ? nullptr : &*found;
  }
};

/// The members of Config that a title may set.
struct Statement {
  std::string_view name;
  bool rankmap::Config::*member;
};
inline constexpr Statement statements[] = {
    {"Config::one_process_per_node", &rankmap::Config::one_process_per_node},
    {"Config::even_nodes", &rankmap::Config::even_nodes},
};

inline std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

inline std::optional<RecordedProcess> read_row(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
  if (fields.size() != 6 || fields[5].empty()) return std::nullopt;
  const auto rank = number_in(fields[0]);
  const auto world_size = number_in(fields[1]);
  const auto local_rank = number_in(fields[2]);
  const auto local_world_size = number_in(fields[3]);
  const auto node = number_in(fields[4]);
  if (!rank || !world_size || !local_rank) return std::nullopt;
  if (!local_world_size && fields[3] != "-") return std::nullopt;
  if (!node && fields[4] != "-") return std::nullopt;
  return RecordedProcess{.rank = *rank,
                         .world_size = *world_size,
                         .local_rank = *local_rank,
                         .local_world_size = local_world_size,
                         .node = node,
                         .host = fields[5]};
}

/// Nothing if a line is none of the format.
inline std::optional<RecordedAncestors> read_ancestors(const std::string& text) {
  constexpr std::string_view inside = "inside ";
  constexpr std::string_view above = "above ";
  RecordedAncestors out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(above, 0) == 0) {
      out.above.push_back({line.substr(above.size())});
    } else if (line == "unknown start") {
      (out.above.empty() ? out.set_inside : out.above.back().start).reset();
    } else if (out.above.empty()) {
      if (line.rfind(inside, 0) != 0 || !out.set_inside) return std::nullopt;
      if (!out.set_inside->empty()) *out.set_inside += ',';
      *out.set_inside += line.substr(inside.size());
    } else {
      if (line.find('=') == line.npos || !out.above.back().start) return std::nullopt;
      *out.above.back().start += line + '\n';
    }
  }
  return out;
}

inline void read_statements(std::string_view title, Recording& recording) {
  constexpr std::string_view prefix = "Config::";
  for (auto at = title.find(prefix); at != title.npos; at = title.find(prefix, at + 1)) {
    const auto statement = std::find_if(
        std::begin(statements), std::end(statements),
        [&](const Statement& row) { return title.substr(at, row.name.size()) == row.name; });
    if (statement == std::end(statements)) {
      recording.faults.push_back("unknown statement in the title: " + std::string(title));
    } else {
      recording.stated.*statement->member = true;
    }
  }
}

/// Reads the files of each rank. Checks that every rank has a row and an environment, and that
/// there is nothing else.
inline void read_processes(const std::filesystem::path& folder, Recording& recording) {
  const auto file_of = [](int rank, const std::string& ending) {
    return "rank-" + std::to_string(rank) + ending;
  };
  int next = 0;
  for (RecordedProcess& process : recording.processes) {
    const std::string rank = "rank " + std::to_string(process.rank);
    if (process.rank != next++) recording.faults.push_back(rank + " is out of order");
    if (process.world_size != static_cast<int>(recording.processes.size())) {
      recording.faults.push_back(rank + ": the world size is not the number of rows");
    }
    const auto file = folder / file_of(process.rank, ".env");
    if (std::filesystem::exists(file)) {
      process.environment = text_of(file.string());
    } else {
      recording.faults.push_back(rank + " has no environment");
    }
    const auto ancestors = folder / file_of(process.rank, ".ancestors");
    if (std::filesystem::exists(ancestors)) {
      process.ancestors = read_ancestors(text_of(ancestors.string()));
      if (!process.ancestors) recording.faults.push_back(rank + " has malformed ancestors");
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const std::string ending = entry.path().extension().string();
    const auto named = [&](const RecordedProcess& process) {
      return file_of(process.rank, ending) == file;
    };
    if ((ending == ".env" || ending == ".ancestors") &&
        std::none_of(recording.processes.begin(), recording.processes.end(), named)) {
      recording.faults.push_back(file + " has no row");
    }
  }
}

inline Recording read_recording(const std::filesystem::path& folder) {
  Recording recording{.name = folder.filename().string()};
  const auto file = folder / "expected.tsv";
  std::istringstream lines(std::filesystem::exists(file) ? text_of(file.string()) : "");
  std::string line;
  if (!std::getline(lines, line) || line.rfind("# ", 0) != 0) {
    recording.faults.push_back("expected.tsv has no title");
  }
  read_statements(line, recording);
  if (!std::getline(lines, line) ||
      line != "rank\tworld_size\tlocal_rank\tlocal_world_size\tnode\thost") {
    recording.faults.push_back("expected.tsv has other columns: " + line);
  }
  while (std::getline(lines, line)) {
    if (const auto process = read_row(line)) {
      recording.processes.push_back(*process);
    } else {
      recording.faults.push_back("not a row: " + line);
    }
  }
  if (recording.processes.empty()) recording.faults.push_back("no process");
  read_processes(folder, recording);
  return recording;
}

/// The recordings of this tree.
inline std::filesystem::path own_recordings() { return RANKMAP_TEST_DIR "/recordings"; }

/// Every folder below `root`, by name.
inline std::vector<Recording> read_recordings(const std::filesystem::path& root) {
  std::vector<Recording> out;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_directory()) out.push_back(read_recording(entry.path()));
  }
  std::sort(out.begin(), out.end(),
            [](const Recording& a, const Recording& b) { return a.name < b.name; });
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_RECORDING_HPP
