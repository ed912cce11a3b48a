// SPDX-License-Identifier: MIT
// What the caller states. A member that is set overrides the environment, and is reported as given.
#ifndef RANKMAP_IDENTITY_CONFIG_HPP
#define RANKMAP_IDENTITY_CONFIG_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/distribution.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// An empty optional. For g++ its memory is initialised: with a plain std::optional, g++ 12 to 14
/// warn at -O3 about an uninitialised value in the program that makes a Config. clang 14 takes no
/// such optional for a constant.
template <class T>
constexpr std::optional<T> unset() {
#if defined(__GNUC__) && !defined(__clang__)
  std::optional<T> out(T{});
  out.reset();
  return out;
#else
  return std::nullopt;
#endif
}

}  // namespace detail

/// What a caller needs to know of a process.
enum class Need : std::uint8_t {
  process,  ///< rank and world size
  local,    ///< the local rank
  all,      ///< rank, world size and local rank
  hint,     ///< whatever is certain, and never an error
};

constexpr std::string_view name(Need need) {
  return detail::enumerator("process\0local\0all\0hint", need);
}

/// Explicit values and choices, all optional. Texts are views: they must be valid during the call
/// that takes the Config, and `launchers` as long as what that call gives.
///
///     Topology::from_environment({.one_process_per_node = true});
///     Topology::from_environment({.exclude = {Launcher::torchrun, Launcher::srun}});
///     Topology::from_config({.rank = 3, .world_size = 4, .local_rank = 1});
struct Config {
  /// Index of this process in the job: 0 <= rank < world_size.
  std::optional<int> rank = detail::unset<int>();
  /// Number of processes in the job, at least 1.
  std::optional<int> world_size = detail::unset<int>();
  /// Index of this process on its node: 0 <= local_rank < local_world_size; -1: not distributed.
  std::optional<int> local_rank = detail::unset<int>();
  /// Number of processes on this node: 1 <= local_world_size <= world_size.
  std::optional<int> local_world_size = detail::unset<int>();
  /// Index of this node: 0 <= node_rank < node_count.
  std::optional<int> node_rank = detail::unset<int>();
  /// Number of nodes: 1 <= node_count <= world_size; more with tasks_per_node, which may have
  /// zeros.
  std::optional<int> node_count = detail::unset<int>();

  /// The hosts in node order, as a host list: "n[1-3],gpu7".
  std::optional<std::string_view> hosts = detail::unset<std::string_view>();
  /// Number of processes of each node, in node order: "2(x3),1". A node may have 0.
  std::optional<std::string_view> tasks_per_node = detail::unset<std::string_view>();
  /// How ranks are distributed over the nodes.
  std::optional<Distribution> distribution = detail::unset<Distribution>();

  /// Use the record of this launcher and no other. Launcher::none: use none. Launcher::config: use
  /// the numbers given here alone.
  std::optional<Launcher> launcher = detail::unset<Launcher>();
  /// Never use the records of these launchers, and do not report them.
  LauncherSet exclude = {};

  /// Launchers of one's own, in the form that the library's own are declared in
  /// (docs/how-to/add-a-launcher.md); at most 8192 bytes and 16 launchers, with those of the file
  /// that RANKMAP_LAUNCHERS names. A literal, or a text that outlives what is made with it.
  std::string_view launchers = {};

  /// States that all nodes run the same number of processes. It is compared with all that this
  /// process knows; a contradiction is an error.
  bool even_nodes = false;
  /// States that every node runs one process. The number of a node (a pod, TF_CONFIG, ...) is then
  /// the rank. It is compared with all that this process knows; a contradiction is an error. Where
  /// the launcher numbers slots, which may share machines, it states that every slot runs one: the
  /// number is the rank, and `local_rank` is needed too.
  bool one_process_per_node = false;
  /// Makes a conflict between records an error, and a warning too, but for a caution: that what was
  /// read may not be what it seems (several programs in one world, devices without a process).
  bool strict = false;
  /// For programs that never run alone: a process is an error if no launcher started it and its
  /// numbers are not given here. A local rank of -1, "not distributed", is such an error too.
  bool require_launcher = false;
  /// Whether the processes above this one may be looked at, where the environment shows them: which
  /// launcher is the nearest, and what each started with. false: no file of /proc is read, and the
  /// variables alone decide.
  bool read_processes = true;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_IDENTITY_CONFIG_HPP
