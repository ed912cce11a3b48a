// SPDX-License-Identifier: MIT
//
// What the caller states. Every member that is set wins over the environment and is reported as
// given.
#ifndef RANKMAP_TOPOLOGY_CONFIG_HPP
#define RANKMAP_TOPOLOGY_CONFIG_HPP

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/version.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// No value, in memory that was set. Of a plain std::optional g++ 12 to 14 fear at -O3 that the
/// value is read where there is none, and warn in the program that makes a Config.
template <class T>
constexpr std::optional<T> unset() {
  std::optional<T> out(T{});
  out.reset();
  return out;
}

}  // namespace detail

/// Explicit values and choices, all optional:
///
///     Topology::from_environment({.one_process_per_node = true});
///     Topology::from_config({.rank = 3, .world_size = 4, .local_rank = 1});
struct Config {
  /// 0 <= rank < world_size.
  std::optional<int> rank = detail::unset<int>();
  /// At least 1.
  std::optional<int> world_size = detail::unset<int>();
  /// 0 <= local_rank < local_world_size; -1: not distributed.
  std::optional<int> local_rank = detail::unset<int>();
  /// 1 <= local_world_size <= world_size.
  std::optional<int> local_world_size = detail::unset<int>();
  /// 0 <= node_rank < node_count.
  std::optional<int> node_rank = detail::unset<int>();
  /// 1 <= node_count <= world_size.
  std::optional<int> node_count = detail::unset<int>();

  /// A host list in node order: "n[1-3],gpu7".
  std::optional<std::string_view> hosts = detail::unset<std::string_view>();
  /// Workers of each node, in order, some or none: "2(x3),1".
  std::optional<std::string_view> tasks_per_node = detail::unset<std::string_view>();
  /// How ranks are dealt to the nodes.
  std::optional<Distribution> distribution = detail::unset<Distribution>();

  /// Believe this launcher's record and no other.
  std::optional<Launcher> launcher = detail::unset<Launcher>();
  /// Never believe these.
  std::span<const Launcher> exclude = {};

  /// The caller states that all nodes run equally many processes. Checked against everything that
  /// is known on this process, then used.
  bool even_nodes = false;
  /// The caller states that every node runs one process, which turns the identity of a node (a pod,
  /// TF_CONFIG, ...) into a rank.
  bool one_process_per_node = false;
  /// Any conflict, warning or ambiguity is an error.
  bool strict = false;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_CONFIG_HPP
