// SPDX-License-Identifier: MIT
//
// What else was found in the environment: the records that were not chosen, and what could not be
// used.
#ifndef RANKMAP_TOPOLOGY_DIAGNOSTICS_HPP
#define RANKMAP_TOPOLOGY_DIAGNOSTICS_HPP

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// What a launcher's record is worth by itself.
enum class RecordState : std::uint8_t {
  absent,      ///< no evidence of this launcher
  complete,    ///< rank, world size and local rank are there and fit each other
  incomplete,  ///< some of them are missing
  broken,      ///< a text is no number, or two values cannot both be true
  no_task,     ///< the launcher's variables are there, but this process is not one of its tasks
  stale,       ///< the record belongs to another process
  node_level,  ///< it identifies a pod or machine, not a process
};

constexpr std::string_view name(RecordState state) {
  constexpr std::string_view names[] = {"absent",  "complete", "incomplete", "broken",
                                        "no task", "stale",    "node level"};
  return names[static_cast<std::size_t>(state)];
}

/// How a record that was not chosen relates to the one that was.
enum class Relation : std::uint8_t {
  same,      ///< it tells the same of this process
  nested,    ///< it tells of what started this process: an agent or daemon per node, a pod
  stale,     ///< it tells of another process, whose variables this one inherited
  conflict,  ///< it tells otherwise of this process; with Config::strict an error
};

constexpr std::string_view name(Relation relation) {
  constexpr std::string_view names[] = {"same", "nested", "stale", "conflict"};
  return names[static_cast<std::size_t>(relation)];
}

/// A record that was found but not chosen. Numbers are -1 where the record does not tell them; at
/// node level they are the node's index and the number of nodes.
struct OtherRecord {
  Launcher launcher = Launcher::none;
  RecordState state = RecordState::absent;
  Relation relation = Relation::same;
  int rank = -1;
  int world_size = -1;
  std::string_view variable = {};  ///< what it was recognised by, or what gave it away
  std::string_view reason = {};    ///< why it was not chosen, where there is more to say
};

/// Something that was set but could not be used; the value it would have given is unknown.
struct Warning {
  std::string_view variable = {};
  StaticString<47> text = {};  ///< its text, escaped and shortened
  std::string_view reason = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_DIAGNOSTICS_HPP
