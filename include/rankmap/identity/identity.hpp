// SPDX-License-Identifier: MIT
// Who this process is, without hosts, layout and rendezvous: what a program needs that only asks
// for its rank, and the light half of a Topology.
#ifndef RANKMAP_IDENTITY_IDENTITY_HPP
#define RANKMAP_IDENTITY_IDENTITY_HPP

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/resolver.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The numbers of one process of a job, as far as they are needed and known. Immutable, trivially
/// copyable; it owns its texts and allocates nothing. About 3 KiB.
class Identity {
 public:
  /// Finds the numbers of this process in `environment`. What `config` states overrides it.
  ///
  /// `need`: what has to be known; everything else that is certain is given, too. `config`: as for
  /// Topology, but that Config::hosts, ::tasks_per_node and ::distribution are not used.
  ///
  /// - Need::process: rank and world size. RANK and WORLD_SIZE without LOCAL_RANK serve, with a
  ///   warning that each pod counts as one process.
  /// - Need::local: the local rank. A lone SLURM_LOCALID serves.
  /// - Need::all: rank, world size and local rank.
  /// - Need::hint: nothing. Instead of an error there is a warning. Of two records that contradict
  ///   each other no number is known; of one that lacks a number the others are.
  ///
  /// Errors: those of Topology::from_environment, about what is needed; none with Need::hint.
  /// Cost: about twice its environment look-ups. No allocation.
  template <Environment Env>
  RANKMAP_NOINLINE static constexpr Result<Identity> from_environment(const Env& environment,
                                                                      Need need = Need::all,
                                                                      const Config& config = {}) {
    Result<Identity> out{Identity()};
    EnvironmentViewOf<Env> variables(environment);
    if (!config.read_processes) variables.hide_processes();
    const auto error = detail::resolve_identity(variables, config, need, out->data_);
    if (error) static_cast<void>(out = *error);  // nvcc asks to use what an assignment returns
    return out;
  }
  /// The same for the environment of this process.
  static Result<Identity> from_environment(Need need = Need::all, const Config& config = {}) {
    return from_environment(ProcessEnvironment(), need, config);
  }

  /// Index of this process in the job, if known: 0 <= rank < world size.
  constexpr std::optional<int> rank() const { return number(TopologyField::rank); }
  /// Number of processes in the job, if known.
  constexpr std::optional<int> world_size() const { return number(TopologyField::world_size); }
  /// Index of this process among those of its node, if known; -1: "not distributed".
  constexpr std::optional<int> local_rank() const {
    return data_.not_distributed ? -1 : number(TopologyField::local_rank);
  }
  /// Number of processes on this node, if known.
  constexpr std::optional<int> local_world_size() const {
    return number(TopologyField::local_world_size);
  }
  /// Index of this node in the job, if known.
  constexpr std::optional<int> node_rank() const { return number(TopologyField::node_rank); }
  /// Number of nodes, if known.
  constexpr std::optional<int> node_count() const { return number(TopologyField::node_count); }

  /// The launcher whose record was chosen.
  constexpr Launcher launcher() const { return data_.launcher; }
  /// Its name, and that of any other: those of Config::launchers and RANKMAP_LAUNCHERS have the one
  /// that was declared there.
  constexpr std::string_view launcher_name() const RANKMAP_LIFETIMEBOUND {
    return launcher_name(launcher());
  }
  constexpr std::string_view launcher_name(Launcher launcher) const RANKMAP_LIFETIMEBOUND {
    return data_.names.of(launcher);
  }
  /// Where one of the six numbers came from. Of any other field nothing is known.
  constexpr Origin origin(TopologyField field) const {
    return field <= TopologyField::node_count ? data_.identity.origin(field) : Origin();
  }
  /// What proves that the chosen record is the innermost one, if another record contradicts it.
  constexpr const Proof& proof() const RANKMAP_LIFETIMEBOUND { return data_.proof; }
  /// The records that were found and not chosen; at most 12. The span views this identity.
  constexpr std::span<const OtherRecord> other_records() const& RANKMAP_LIFETIMEBOUND {
    return {data_.others.data(), data_.others.size()};
  }
  constexpr std::span<const OtherRecord> other_records() const&& = delete;  // it would dangle
  /// What was set but could not be used, or says that this process is not alone; at most 8. The
  /// span views this identity.
  constexpr std::span<const Warning> warnings() const& RANKMAP_LIFETIMEBOUND {
    return {data_.warnings.data(), data_.warnings.size()};
  }
  constexpr std::span<const Warning> warnings() const&& = delete;

  /// Whether both say the same of the same process, and know it from the same sources.
  friend constexpr bool operator==(const Identity&, const Identity&) = default;

 private:
  constexpr Identity() = default;  // filled in by from_environment
  constexpr std::optional<int> number(TopologyField field) const {
    if (!data_.identity.knows(field)) return std::nullopt;
    return data_.identity[field];
  }

  detail::IdentityData data_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_IDENTITY_IDENTITY_HPP
