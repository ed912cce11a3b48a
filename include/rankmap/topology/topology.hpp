// SPDX-License-Identifier: MIT
// Rank, place and peers of this process, from any launcher's environment or from explicit values.
#ifndef RANKMAP_TOPOLOGY_TOPOLOGY_HPP
#define RANKMAP_TOPOLOGY_TOPOLOGY_HPP

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/resolve.hpp>
#include <rankmap/topology/detail/topology_data.hpp>
#include <rankmap/topology/rendezvous.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {
struct TopologyAccess;
}  // namespace detail

/// The identity of one process of a job. Rank, world size and local rank are always known.
/// Immutable. It owns all of its texts, so the environment may change afterwards. About 5 KiB.
class Topology {
 public:
  /// Finds the identity of this process in `environment`. What `config` states overrides it.
  ///
  /// The innermost launcher with a complete record identifies this process. Rank, world size and
  /// local rank are never mixed from two records. Without a launcher the process is rank 0 of 1.
  /// `LOCAL_RANK=-1` and `Config::local_rank = -1` mean "not distributed": rank 0 of 1 with
  /// local_rank() == -1. Every rank of a job gets the same layout and node count, or none of them.
  ///
  /// `environment`: this process's own or any other; it is not used after the call. `config`: see
  /// there for the range of each member. RANKMAP_LAUNCHER, RANKMAP_IGNORE, RANKMAP_DISTRIBUTION and
  /// RANKMAP_STRICT in the environment say what Config::launcher, ::exclude, ::distribution and
  /// ::strict say; a contradiction between the two is an error.
  ///
  /// Errors name the variable, its text, what was expected and what to do. not_a_number,
  /// number_too_large, out_of_range, missing, inconsistent: the record of the launcher, or
  /// `config`, has a wrong or missing value. ambiguous: the record numbers pods or machines where a
  /// rank is needed, or either of two launchers may have started the other. unknown_launcher:
  /// Config::launcher has no record here, a variable of whoever runs the job names no launcher, or
  /// nobody started this process and Config::require_launcher is set. conflict: a record
  /// contradicts the chosen one, with Config::strict. bad_host_list, bad_task_counts, bad_layout,
  /// limit_exceeded: those members of Config.
  ///
  /// Cost: about twice its environment look-ups. It allocates only for a host list longer than 64
  /// bytes and for the layout of an irregular job.
  template <Environment Env>
  RANKMAP_NOINLINE static constexpr Result<Topology> from_environment(const Env& environment,
                                                                      const Config& config = {}) {
    Result<Topology> out{Topology()};
    EnvironmentViewOf<Env> variables(environment);
    if (!config.read_processes) variables.hide_processes();
    const auto error = detail::resolve(variables, config, out->data_);
    if (error) static_cast<void>(out = *error);  // nvcc asks to use what an assignment returns
    return out;
  }
  /// The same for the environment of this process.
  static Result<Topology> from_environment(const Config& config = {}) {
    return from_environment(ProcessEnvironment(), config);
  }
  /// From explicit values alone. No environment is read. Errors: as above.
  static constexpr Result<Topology> from_config(const Config& config) {
    return from_environment(FixedEnvironment(), config);
  }

  /// Index of this process in the job: 0 <= rank() < world_size().
  constexpr int rank() const { return data_.identity[TopologyField::rank]; }
  /// Number of processes in the job, at least 1.
  constexpr int world_size() const { return data_.identity[TopologyField::world_size]; }
  /// Index of this process among those of its node; -1: "not distributed".
  constexpr int local_rank() const {
    return data_.not_distributed ? -1 : data_.identity[TopologyField::local_rank];
  }
  /// Number of processes on this node, if known.
  constexpr std::optional<int> local_world_size() const {
    return number(TopologyField::local_world_size);
  }
  /// Index of this node in the job, if known. A node is what the launcher calls a node: two
  /// torchrun agents on one machine are two nodes.
  constexpr std::optional<int> node_rank() const { return number(TopologyField::node_rank); }
  /// Number of nodes, if known.
  constexpr std::optional<int> node_count() const { return number(TopologyField::node_count); }

  /// Whether the job has other processes: world_size() > 1.
  constexpr bool is_distributed() const { return world_size() > 1; }
  /// Whether this is rank 0, which logs and saves.
  constexpr bool is_main() const { return rank() == 0; }
  /// Whether this is the first process of its node, which downloads and unpacks. True if not
  /// distributed.
  constexpr bool is_local_main() const { return local_rank() <= 0; }

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
  /// The node and local rank of every rank, if all of them are known.
  constexpr const OptionalLayout& layout() const RANKMAP_LIFETIMEBOUND { return data_.layout; }
  /// The hosts by node rank; empty if they are not known.
  constexpr const HostList& hosts() const RANKMAP_LIFETIMEBOUND { return data_.hosts; }
  /// The host of this process, as its launcher calls it; empty if it is not known.
  constexpr std::string_view host() const RANKMAP_LIFETIMEBOUND { return data_.host; }
  /// The host of any rank, if known: from hosts(), or host() for the ranks of this node.
  /// Precondition: 0 <= rank < world_size(). O(length of the text of hosts()).
  constexpr std::optional<HostName> host_of(int rank) const {
    if (data_.layout && !data_.hosts.empty()) {
      return data_.hosts[static_cast<std::size_t>(data_.layout->node_of(rank))];
    }
    const bool same_node =
        rank == this->rank() ||
        (data_.layout && data_.layout->node_of(rank) == data_.layout->node_of(this->rank()));
    if (same_node && !data_.host.empty()) return HostName(host());
    return std::nullopt;
  }

  /// Where the workers meet, if the environment has it.
  constexpr const std::optional<Rendezvous>& rendezvous() const RANKMAP_LIFETIMEBOUND {
    return data_.rendezvous;
  }
  /// How often the launcher has restarted this job; 0 if it does not count restarts.
  constexpr int restart_count() const { return data_.restart_count; }
  /// The launcher's id of the job, as text: not all ids are numbers. Empty if there is none.
  constexpr std::string_view job_id() const RANKMAP_LIFETIMEBOUND { return data_.job_id; }
  /// The id of the launch within the job (Slurm's step); empty if there is none.
  constexpr std::string_view step_id() const RANKMAP_LIFETIMEBOUND { return data_.step_id; }

  /// Where a value came from.
  constexpr const Origin& origin(TopologyField field) const RANKMAP_LIFETIMEBOUND {
    return data_.origin(field);
  }
  /// What proves that the chosen record is the innermost one, if another record contradicts it.
  constexpr const Proof& proof() const RANKMAP_LIFETIMEBOUND { return data_.proof; }
  /// The records that were found and not chosen, in the order of the launcher table; at most 12.
  /// The span views this topology.
  constexpr std::span<const OtherRecord> other_records() const& RANKMAP_LIFETIMEBOUND {
    return {data_.others.data(), data_.others.size()};
  }
  constexpr std::span<const OtherRecord> other_records() const&& = delete;  // it would dangle
  /// What was set but could not be used; at most 8. The span views this topology.
  constexpr std::span<const Warning> warnings() const& RANKMAP_LIFETIMEBOUND {
    return {data_.warnings.data(), data_.warnings.size()};
  }
  constexpr std::span<const Warning> warnings() const&& = delete;
  /// The variables of whoever runs the job that were set: RANKMAP_LAUNCHER, RANKMAP_IGNORE,
  /// RANKMAP_DISTRIBUTION, RANKMAP_STRICT. The span views this topology.
  constexpr std::span<const OperatorWord> operator_words() const& RANKMAP_LIFETIMEBOUND {
    return {data_.operator_words.data(), data_.operator_words.size()};
  }
  constexpr std::span<const OperatorWord> operator_words() const&& = delete;

  /// Whether both say the same of the same process, and know it from the same sources: origins,
  /// other records, warnings and words count too. O(size of both, and of their host lists).
  friend constexpr bool operator==(const Topology&, const Topology&) = default;

 private:
  friend struct detail::TopologyAccess;  // gather_hosts() fills in a copy

  constexpr Topology() = default;  // filled in by from_environment
  constexpr std::optional<int> number(TopologyField field) const {
    if (!data_.identity.knows(field)) return std::nullopt;
    return data_.identity[field];
  }

  detail::TopologyData data_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_TOPOLOGY_HPP
