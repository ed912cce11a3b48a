// SPDX-License-Identifier: MIT
//
// Who this process is and where: the answer to every question of the first minute of a distributed
// program, from any launcher's environment or from explicit values.
#ifndef RANKMAP_TOPOLOGY_TOPOLOGY_HPP
#define RANKMAP_TOPOLOGY_TOPOLOGY_HPP

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/resolve.hpp>
#include <rankmap/topology/detail/topology_data.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {
struct TopologyAccess;
}

/// The identity of one process of a job. Immutable; owns all of its texts, so that the environment
/// may change after it was made. A valid one always knows rank, world size and local rank.
class Topology {
 public:
  /// Resolves an environment, as far as `config` does not settle it.
  ///
  /// The innermost launcher whose record is complete speaks for this process; no field is mixed
  /// from two records. Without a launcher the process is rank 0 of 1. `LOCAL_RANK=-1` and
  /// `Config::local_rank = -1` mean "not distributed": rank 0 of 1 with local_rank() == -1.
  ///
  /// Errors, each naming variable, text, expectation and remedy: not_a_number, number_too_large,
  /// out_of_range, missing and inconsistent for a record that cannot be believed; ambiguous for the
  /// identity of a pod or machine where that of a process is needed; unknown_launcher for a forced
  /// launcher without a record; conflict with Config::strict; bad_host_list and bad_task_counts for
  /// those members of Config.
  ///
  /// Cost: the look-ups it makes, and about as much again; memory is allocated only for a host list
  /// too long to hold in place. Every rank of a job reaches the same layout and node count, or
  /// none.
  template <Environment Env>
  static constexpr Result<Topology> from_environment(const Env& environment,
                                                     const Config& config = {}) {
    Result<Topology> out{Topology()};
    const auto error = detail::resolve(EnvironmentViewOf<Env>(environment), config, out->data_);
    if (error) static_cast<void>(out = *error);  // nvcc asks to use what an assignment returns
    return out;
  }
  /// The same for the environment of this process.
  static Result<Topology> from_environment(const Config& config = {}) {
    return from_environment(ProcessEnvironment(), config);
  }
  /// From explicit values alone; the environment is not looked at.
  static constexpr Result<Topology> from_config(const Config& config) {
    return from_environment(FixedEnvironment(), config);
  }

  /// Index of this process in the job: 0 <= rank() < world_size().
  constexpr int rank() const { return data_.identity[TopologyField::rank]; }
  /// Number of processes in the job, at least 1.
  constexpr int world_size() const { return data_.identity[TopologyField::world_size]; }
  /// Index of this process among those of its node, or -1: the historic "not distributed".
  constexpr int local_rank() const {
    return data_.not_distributed ? -1 : data_.identity[TopologyField::local_rank];
  }
  /// Number of processes on this node, where known.
  constexpr std::optional<int> local_world_size() const {
    return number(TopologyField::local_world_size);
  }
  /// Index of this node among the job's, where known. Nodes are what the launcher calls nodes: two
  /// torchrun agents on one machine are two.
  constexpr std::optional<int> node_rank() const { return number(TopologyField::node_rank); }
  /// Number of nodes, where known.
  constexpr std::optional<int> node_count() const { return number(TopologyField::node_count); }

  /// Whether there is anyone else. False for one process and for local_rank() == -1.
  constexpr bool is_distributed() const { return world_size() > 1; }
  /// Rank 0: the one that logs and saves.
  constexpr bool is_main() const { return rank() == 0; }
  /// The first of its node: the one that downloads and unpacks. True also when not distributed.
  constexpr bool is_local_main() const { return local_rank() <= 0; }

  /// Whose record was believed; `name(launcher())` is its name.
  constexpr Launcher launcher() const { return data_.launcher; }
  /// Where every rank is, when the whole of it is known.
  constexpr const OptionalLayout& layout() const { return data_.layout; }
  /// The hosts by node rank; empty when they are not known.
  constexpr const HostList& hosts() const { return data_.hosts; }
  /// This process's own host, as its launcher calls it; empty when it does not.
  constexpr std::string_view host() const { return data_.host; }
  /// The host of any rank, where known: from hosts() on all ranks alike, else that of this process
  /// for the ranks of its own node. Precondition: 0 <= rank < world_size(). O(text of hosts()).
  constexpr std::optional<HostName> host_of(int rank) const {
    if (data_.layout && !data_.hosts.empty()) {
      return data_.hosts[static_cast<std::size_t>(data_.layout->node_of(rank))];
    }
    const bool beside =
        rank == this->rank() ||
        (data_.layout && data_.layout->node_of(rank) == data_.layout->node_of(this->rank()));
    if (beside && !data_.host.empty()) return HostName(host());
    return std::nullopt;
  }

  /// Where the workers meet, if the environment says so.
  constexpr const std::optional<Rendezvous>& rendezvous() const { return data_.rendezvous; }
  /// How often the launcher has restarted this job before; 0 where it does not count.
  constexpr int restart_count() const { return data_.restart_count; }
  /// The launcher's name for the job, a text: not every launcher counts. Empty where there is none.
  constexpr std::string_view job_id() const { return data_.job_id; }
  /// The launch within the job (Slurm's step); empty where there is none.
  constexpr std::string_view step_id() const { return data_.step_id; }

  /// Where a value came from.
  constexpr const Origin& origin(TopologyField field) const {
    return data_.origins[static_cast<std::size_t>(field)];
  }
  /// The records that were found and not chosen, in the order of the launcher table; at most 12.
  /// The span views this topology.
  constexpr std::span<const OtherRecord> other_records() const {
    return {data_.others.data(), data_.others.size()};
  }
  /// What was set but could not be used; at most 8. The span views this topology.
  constexpr std::span<const Warning> warnings() const {
    return {data_.warnings.data(), data_.warnings.size()};
  }

 private:
  friend struct detail::TopologyAccess;  // gather_hosts completes a copy

  constexpr Topology() = default;  // what nothing is known of yet is for from_environment to fill
  constexpr std::optional<int> number(TopologyField field) const {
    if (!data_.identity.knows(field)) return std::nullopt;
    return data_.identity[field];
  }

  detail::TopologyData data_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_TOPOLOGY_HPP
