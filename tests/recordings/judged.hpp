// SPDX-License-Identifier: MIT
//
// Compares the answer for a recorded process with the truth.
#ifndef RANKMAP_TESTS_JUDGED_HPP
#define RANKMAP_TESTS_JUDGED_HPP

#include "recording.hpp"
#include "support/summary.hpp"

#include <rankmap/identity/config.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace rankmap_test {

/// Collects what differs, one line each.
class Differences {
 public:
  void compare(std::string_view what, std::optional<int> said, std::optional<int> truth) {
    if (said != truth) add(what, shown(said), shown(truth));
  }
  void compare(std::string_view what, std::string_view said, std::string_view truth) {
    if (said != truth) add(what, said, truth);
  }
  void add(std::string_view what, std::string_view said, std::string_view truth) {
    text_.append("\n  ").append(what).append(": ").append(said).append(", not ").append(truth);
  }
  const std::string& text() const { return text_; }

 private:
  static std::string shown(std::optional<int> number) {
    return number ? std::to_string(*number) : "unknown";
  }

  std::string text_;
};

/// The wrong values of a topology, about its process and all others; empty if there are none.
inline std::string differences(const rankmap::Topology& topology, const RecordedProcess& truth,
                               const Recording& recording) {
  Differences out;
  out.compare("rank", topology.rank(), truth.rank);
  out.compare("world size", topology.world_size(), truth.world_size);
  out.compare("local rank", topology.local_rank(), truth.local_rank);
  out.compare("local size", topology.local_world_size(), truth.local_world_size);
  // The launcher may not number nodes, but a single node is known to be node 0.
  const bool one_node = truth.local_world_size == truth.world_size;
  if (truth.node || topology.node_rank()) {
    out.compare("node", topology.node_rank(), truth.node || !one_node ? truth.node : 0);
  }
  if (!topology.host().empty()) out.compare("host", topology.host(), truth.host);
  for (int rank = 0; rank != topology.world_size(); ++rank) {
    const auto host = topology.host_of(rank);
    const RecordedProcess* const other = recording.find(rank);
    if (host && other) {
      out.compare("host of rank " + std::to_string(rank), host->view(), other->host);
    }
  }
  const auto& layout = topology.layout();
  if (layout && layout->world_size() == truth.world_size) {
    for (const RecordedProcess& other : recording.processes) {
      if (other.rank >= truth.world_size) continue;  // a fault of the recording
      const std::string of_rank = " of rank " + std::to_string(other.rank) + " in the layout";
      const int node = layout->node_of(other.rank);
      out.compare("local rank" + of_rank, layout->local_rank_of(other.rank), other.local_rank);
      out.compare("local size" + of_rank, layout->local_world_size(node), other.local_world_size);
      if (other.node) out.compare("node" + of_rank, node, other.node);
    }
  } else if (layout) {
    out.compare("ranks of the layout", layout->world_size(), truth.world_size);
  }
  return out.text();
}

/// Conflicts and warnings, but for what the launcher's row declares. A sound job has none, and
/// Config::strict changes nothing.
inline std::string disputes(const rankmap::Topology& topology, const RecordedProcess& process,
                            rankmap::Config config) {
  Differences out;
  const std::string_view caution = topology.launcher() <= rankmap::Launcher::config
                                       ? std::string_view()
                                       : rankmap::row_of(topology.launcher()).caution.variable;
  for (const auto& warning : topology.warnings()) {
    if (warning.variable != caution) out.add("warning", warning.variable, "none");
  }
  for (const auto& other : topology.other_records()) {
    if (other.relation == rankmap::Relation::conflict) {
      out.add("conflict", name(other.launcher), "none");
    }
  }
  config.strict = true;
  const auto strict = rankmap::Topology::from_environment(process.offered(), config);
  out.compare("strict", summary(strict).view(), summary(topology).view());
  return out.text();
}

enum class Outcome { right, disputed, refused, wrong };

inline std::ostream& operator<<(std::ostream& out, Outcome outcome) {
  constexpr std::string_view names[] = {"right", "disputed", "refused", "wrong"};
  return out << names[static_cast<int>(outcome)];
}

struct Judged {
  Outcome outcome = Outcome::right;
  std::string said = {};
  std::string differences = {};
};

inline Judged judged(const rankmap::Result<rankmap::Topology>& topology,
                     const RecordedProcess& truth, const Recording& recording,
                     const rankmap::Config& config) {
  const std::string said(summary(topology).view());
  if (!topology) return {Outcome::refused, said};
  const std::string untrue = differences(*topology, truth, recording);
  if (!untrue.empty()) return {Outcome::wrong, said, untrue};
  const std::string disputed = disputes(*topology, truth, config);
  if (!disputed.empty()) return {Outcome::disputed, said, disputed};
  return {Outcome::right, said};
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_JUDGED_HPP
