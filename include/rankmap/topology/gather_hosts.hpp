// SPDX-License-Identifier: MIT
// Finds out what one process cannot know alone: after one all-gather, which the caller supplies,
// every rank knows the host and node of every other rank.
#ifndef RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP
#define RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP

#include <rankmap/all_gather.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/gathered_places.hpp>
#include <rankmap/topology/detail/host_record.hpp>
#include <rankmap/topology/topology.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

/// Which machine a process is on. Two processes share a node if both members are equal. The name
/// alone may be that of several machines, the identity alone that of several containers.
struct HostIdentity {
  std::string_view name;  ///< by gethostname, MPI_Get_processor_name, ...: 1 to 208 bytes, not cut
  std::uint64_t identity = 0;  ///< 0: none; for example machine_identity(boot id)

  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  // NOLINTNEXTLINE(google-explicit-constructor): the name is enough if names are unique
  constexpr HostIdentity(const Text& host_name, std::uint64_t host_identity = 0)
      : name(host_name), identity(host_identity) {}
};

/// A hash of a text that differs between machines: the content of /proc/sys/kernel/random/boot_id,
/// the target of a namespace link, or several of them joined. Never 0. O(length).
constexpr std::uint64_t machine_identity(std::string_view text) {
  const std::uint64_t hash = detail::hash_text(text, 0);
  return hash == 0 ? 1 : hash;
}

namespace detail {

/// What this rank sends: what its topology knows of its place, and its host.
inline HostRecord host_record(const Topology& topology, HostIdentity host) {
  HostRecord out;
  out.rank = topology.rank();
  out.world_size = topology.world_size();
  if (topology.local_rank() >= 0) out.local_rank = topology.local_rank();
  out.local_world_size = topology.local_world_size().value_or(-1);
  out.node_rank = topology.node_rank().value_or(-1);
  out.node_count = topology.node_count().value_or(-1);
  if (const OptionalLayout& layout = topology.layout()) out.layout = layout_digest(*layout);
  out.identity = host.identity;
  out.name = host.name.substr(0, HostRecord::longest_name);
  if (host.name.empty()) out.fault = HostRecord::Fault::no_name;
  if (host.name.size() > HostRecord::longest_name) out.fault = HostRecord::Fault::name_too_long;
  return out;
}

/// Sends the record of this rank, and works out the places from the records of all.
inline Result<GatheredPlaces> gather_places(const HostRecord& mine, auto& all_gather) {
  std::byte bytes[HostRecord::bytes] = {};
  mine.write(bytes);
  GatheredRecords all(mine.world_size);
  if (const auto error = all.gather(bytes, all_gather)) return *error;
  if (const auto error = all.check()) return *error;
  Result<GatheredPlaces> places = places_from_records(all);
  if (!places) return places;
  if (const auto error = all.check_own(mine.rank, bytes)) return *error;
  return places;
}

/// Puts gathered places into a topology.
struct TopologyAccess {
  /// Precondition: the places do not contradict the topology.
  static Topology complete(Topology topology, GatheredPlaces&& places) {
    constexpr std::string_view rule = "gather_hosts";
    TopologyData& data = topology.data_;
    const Place place = places.layout.place_of(topology.rank());
    data.identity.derive(TopologyField::local_rank, place.local, rule);
    data.identity.derive(TopologyField::local_world_size,
                         places.layout.local_world_size(place.node), rule);
    data.identity.derive(TopologyField::node_rank, place.node, rule);
    data.identity.derive(TopologyField::node_count, places.layout.node_count(), rule);
    if (!places.local_ranks_in_order) {
      data.warnings.add(
          {"local_rank",
           {},
           "local ranks in the order of the ranks on each node, as layout() has them"});
    }
    data.host = places.hosts[static_cast<std::size_t>(place.node)];
    data.layout = std::move(places.layout);
    data.hosts = std::move(places.hosts);
    for (const TopologyField field :
         {TopologyField::host, TopologyField::hosts, TopologyField::layout})
      data.set_origin(field, {OriginKind::derived, Launcher::none, rule, {}});
    return topology;
  }

  /// Leaves rank and world size alone.
  static void forget_place(Topology& topology) {
    TopologyData& data = topology.data_;
    for (const TopologyField field : {TopologyField::local_rank, TopologyField::local_world_size,
                                      TopologyField::node_rank, TopologyField::node_count})
      data.identity.forget(field);
    data.layout = std::nullopt;
  }
};

}  // namespace detail

/// Fills in layout, node ranks, local sizes and hosts, under any launcher, by one all-gather of 256
/// bytes a rank.
///
/// `topology`: that of this process. `all_gather` must be collective over the same job.
/// `this_host`: the machine of this process. `all_gather`: see AllGather. It is called exactly once
/// on every rank, even if the input of this rank is wrong, so that no rank waits for another.
///
/// Nodes keep the launcher's numbers if every rank has one: two agents on one machine stay two
/// nodes with one host. Otherwise nodes are numbered in the order of their lowest ranks.
///
/// Every rank returns the same layout and hosts, or the same error; where the collective brings
/// what a rank did not send, this rank alone may return an error. gather_failed: the collective
/// failed, lost, damaged or mixed its parts, or a name is empty or too long. duplicate_place: two
/// ranks have one local rank on one host. inconsistent: a node is on two hosts or has no rank, or a
/// node rank, node count, local rank, local world size or layout contradicts the gathered hosts.
/// bad_host_list: a name that no host can have. limit_exceeded: more than 2^24 hosts. O(world_size)
/// time; 256 bytes a rank while it runs.
template <AllGather Gather>
Result<Topology> gather_hosts(const Topology& topology, HostIdentity this_host,
                              Gather&& all_gather) {
  Result<detail::GatheredPlaces> places =
      detail::gather_places(detail::host_record(topology, this_host), all_gather);
  if (!places) return places.error();
  return detail::TopologyAccess::complete(topology, *std::move(places));
}

/// The same for a job of which only rank and size are known: plain PMI, a bare communicator. Local
/// ranks count the ranks of each host in ascending order. Errors: as above, and out_of_range unless
/// 0 <= rank < world_size, before the collective is called.
template <AllGather Gather>
Result<Topology> gather_hosts(int rank, int world_size, HostIdentity this_host,
                              Gather&& all_gather) {
  Result<Topology> topology =
      Topology::from_config({.rank = rank, .world_size = world_size, .local_rank = 0});
  if (!topology) return topology;
  detail::TopologyAccess::forget_place(*topology);
  return gather_hosts(*topology, this_host, all_gather);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP
