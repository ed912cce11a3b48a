// SPDX-License-Identifier: MIT
//
// Completes what one process cannot know: one all-gather of the caller's own tells every rank where
// every other one is.
#ifndef RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP
#define RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/host_record.hpp>
#include <rankmap/topology/detail/rank_hash_table.hpp>
#include <rankmap/topology/field.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/topology/topology.hpp>
#include <rankmap/version.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

/// Which machine a process is on. Two processes share a node where both members are equal: names
/// alone are shared by machines that were set up alike, and an identity alone by containers.
struct HostIdentity {
  std::string_view name;       ///< gethostname, MPI_Get_processor_name, ...: 1 to 208 bytes, whole
  std::uint64_t identity = 0;  ///< 0: none; else for example machine_identity(boot id)

  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  // NOLINTNEXTLINE(google-explicit-constructor): where names are unique, the name is enough
  constexpr HostIdentity(const Text& host_name, std::uint64_t host_identity = 0)
      : name(host_name), identity(host_identity) {}
};

/// A number for a text that differs from machine to machine: the contents of
/// /proc/sys/kernel/random/boot_id, a namespace link, or several of them joined. Never 0.
constexpr std::uint64_t machine_identity(std::string_view text) {
  const std::uint64_t hash = detail::hash_text(text, 0);
  return hash == 0 ? 1 : hash;
}

/// The caller's collective: `all_gather(mine, all)` sends `mine` (256 bytes, the same on every
/// rank) and fills `all` with those of every rank in rank order. Returns nothing, or whether it
/// succeeded (as bool: a bare MPI code would read the wrong way round).
template <class T>
concept AllGather = requires(T& all_gather, std::span<const std::byte> mine,
                             std::span<std::byte> all) {
  {all_gather(mine, all)};
}
&&(std::is_void_v<std::invoke_result_t<T&, std::span<const std::byte>, std::span<std::byte>>> ||
   std::same_as<std::invoke_result_t<T&, std::span<const std::byte>, std::span<std::byte>>, bool>);

namespace detail {

/// The records of all ranks in the bytes that the collective brought.
class GatheredHosts {
 public:
  explicit GatheredHosts(int world_size) : world_(world_size) {
    // Of more than memory can be, as 32 bits have it, the product would be cut.
    const auto bytes = static_cast<std::uint64_t>(world_size) * HostRecord::bytes;
    bytes_.resize(bytes > PTRDIFF_MAX ? SIZE_MAX : to_size(bytes));
  }

  std::span<std::byte> bytes() { return {bytes_.data(), bytes_.size()}; }
  int world_size() const { return world_; }

  HostRecord record(int rank, StaticString<HostRecord::longest_name>& name) const {
    HostRecord out;
    (void)HostRecord::read(slice(rank), out, name);
    return out;
  }

  /// Whether every slice is the record of its rank, with a name. Errors name the first rank at
  /// fault; since all ranks hold the same bytes, all return the same error.
  detail::Optional<Error> check() const {
    for (int rank = 0; rank != world_; ++rank) {
      StaticString<HostRecord::longest_name> name;
      HostRecord found;
      const auto subject = concat<63>("record of rank ", rank);
      if (!HostRecord::read(slice(rank), found, name) || found.rank != rank ||
          found.world_size != world_) {
        return error_at(Errc::gather_failed, subject, concat<31>("rank ", found.rank),
                        concat<159>("what rank ", rank, " of ", world_, " sent"),
                        "gather 256 bytes a rank, in rank order, over the whole job");
      }
      if (found.fault != HostRecord::Fault::none) {
        return error_at(Errc::gather_failed, subject, name, "a host name of 1 to 208 bytes",
                        "pass the whole name of the host on every rank");
      }
    }
    return std::nullopt;
  }

 private:
  std::span<const std::byte> slice(int rank) const {
    return {bytes_.data() + static_cast<std::size_t>(rank) * HostRecord::bytes, HostRecord::bytes};
  }

  SmallVector<std::byte, 16 * HostRecord::bytes> bytes_;
  int world_;
};

/// Where everyone is, as every rank computes it from the same records.
struct GatheredPlaces {
  Layout layout;
  HostList hosts;
  bool local_ranks_in_order =
      true;  ///< the launcher's local ranks count each node's ranks in order
};

constexpr Error two_ranks(Errc code, int first, int second, std::string_view what,
                          std::string_view expected) {
  return error_at(code, concat<63>("ranks ", first, " and ", second), what, expected,
                  "give each host a name and identity of its own, the same on all its ranks");
}

/// The nodes are numbered 0 to `last`, but nothing was gathered from `node`, so that no one knows
/// its host.
constexpr Error node_without_rank(int node, int last) {
  return error_at(Errc::inconsistent, concat<63>("node ", node), "no rank",
                  concat<159>("a rank on each of the nodes 0 to ", last),
                  "gather over the whole job, and count only nodes that have ranks");
}

/// Groups the ranks by host and, where the launcher numbers nodes, by its node: two agents on one
/// machine stay two nodes. Nodes keep the launcher's numbers where every rank has one, else they
/// are numbered in the order of their lowest ranks.
inline Result<GatheredPlaces> find_places(const GatheredHosts& gathered) {
  const int world = gathered.world_size();
  const auto ranks = static_cast<std::size_t>(world);
  StaticString<HostRecord::longest_name> name;
  StaticString<HostRecord::longest_name> other_name;
  bool numbered = true;
  for (int rank = 0; rank != world; ++rank) {
    numbered = numbered && gathered.record(rank, name).node_rank >= 0;
  }

  // First pass: which rank leads this one's node, and which number the node has.
  SmallVector<int, 64> leader;
  SmallVector<int, 64> node;
  leader.resize(ranks);
  node.resize(ranks);
  RankHashTable by_node(ranks);
  RankHashTable by_number(numbered ? ranks : 0);
  int nodes = 0;
  int highest = -1;
  for (int rank = 0; rank != world; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const HostRecord mine = gathered.record(rank, name);
    const auto number = static_cast<std::uint64_t>(numbered ? mine.node_rank : 0);
    leader[at] =
        by_node.insert(rank, hash_text(mine.name, mine.identity ^ (number << 32U)), [&](int other) {
          const HostRecord theirs = gathered.record(other, other_name);
          return theirs.name == mine.name && theirs.identity == mine.identity &&
                 (!numbered || theirs.node_rank == mine.node_rank);
        });
    if (leader[at] != rank) {
      node[at] = node[static_cast<std::size_t>(leader[at])];
      continue;
    }
    node[at] = numbered ? mine.node_rank : nodes;
    ++nodes;
    if (!numbered) continue;
    if (mine.node_rank > highest) highest = mine.node_rank;
    const int first = by_number.insert(rank, hash_text({}, number), [&](int other) {
      return gathered.record(other, other_name).node_rank == mine.node_rank;
    });
    if (first != rank) {
      return two_ranks(Errc::inconsistent, first, rank, concat<31>("node ", mine.node_rank),
                       "the same host for ranks of the same node");
    }
  }
  if (numbered && highest != nodes - 1) {
    SmallVector<bool, 64> has_rank;
    has_rank.resize(static_cast<std::size_t>(nodes));
    for (const int number : std::span<const int>(node.data(), ranks)) {
      if (number < nodes) has_rank[static_cast<std::size_t>(number)] = true;
    }
    int first = 0;
    while (has_rank[static_cast<std::size_t>(first)]) ++first;
    return node_without_rank(first, highest);
  }

  Result<Layout> layout = Layout::from_nodes({node.data(), node.size()}, nodes);
  if (!layout) return layout.error();
  GatheredPlaces out;

  // Second pass: nobody may share a place, and all is as the ranks say.
  constexpr std::string_view remedy = "pass the same host name and identity on all ranks of a host";
  LayoutDigest digest;
  for (const int here : std::span<const int>(node.data(), ranks)) digest.add(here);
  RankHashTable by_place(ranks);
  for (int rank = 0; rank != world; ++rank) {
    const HostRecord mine = gathered.record(rank, name);
    const int here = node[static_cast<std::size_t>(rank)];
    if (mine.local_rank >= 0) {
      const auto key =
          (static_cast<std::uint64_t>(here) << 32U) | static_cast<std::uint64_t>(mine.local_rank);
      const int first = by_place.insert(rank, hash_text({}, key), [&](int other) {
        return node[static_cast<std::size_t>(other)] == here &&
               gathered.record(other, other_name).local_rank == mine.local_rank;
      });
      if (first != rank) {
        StaticString<127> place;
        append_escaped(place, mine.name);
        place.append(", local rank ").append_number(mine.local_rank);
        Error error = two_ranks(Errc::duplicate_place, first, rank, {}, "a place each");
        error.found = place;
        return error;
      }
      if (mine.local_rank >= layout->local_world_size(here)) {
        return error_at(
            Errc::inconsistent, concat<63>("local_rank of rank ", rank),
            concat<31>(mine.local_rank),
            concat<159>("less than ", layout->local_world_size(here), ", the ranks on its host"),
            remedy);
      }
      out.local_ranks_in_order =
          out.local_ranks_in_order && layout->local_rank_of(rank) == mine.local_rank;
    }
    // Where only some ranks have a number, it has to be the one that all can work out.
    if (mine.node_rank >= 0 && mine.node_rank != here) {
      return error_at(Errc::inconsistent, concat<63>("node_rank of rank ", rank),
                      concat<31>(mine.node_rank),
                      concat<159>(here,
                                  ", by the lowest rank of each node, since not every "
                                  "rank has one"),
                      "pass it on every rank, or on none");
    }
    if (mine.local_world_size >= 0 && mine.local_world_size != layout->local_world_size(here)) {
      return error_at(Errc::inconsistent, concat<63>("local_world_size of rank ", rank),
                      concat<31>(mine.local_world_size),
                      concat<159>(layout->local_world_size(here), ", the ranks on its host"),
                      remedy);
    }
    if (numbered && mine.node_count > nodes) return node_without_rank(nodes, mine.node_count - 1);
    if (mine.node_count >= 0 && mine.node_count != nodes) {
      return error_at(Errc::inconsistent, concat<63>("node_count of rank ", rank),
                      concat<31>(mine.node_count),
                      concat<159>(nodes, ", the number of gathered hosts"), remedy);
    }
    if (mine.layout != 0 && mine.layout != digest.value()) {
      return error_at(Errc::inconsistent, concat<63>("layout of rank ", rank), "another one",
                      "the layout that the gathered hosts make",
                      "pass the same layout on every rank");
    }
  }

  HostListBuilder hosts({.max_hosts = static_cast<std::size_t>(nodes)}, "host name");
  for (int i = 0; i != nodes; ++i) hosts.add(gathered.record(layout->leader_of(i), name).name);
  Result<HostList> list = hosts.finish();
  if (!list) return list.error();
  out.layout = *std::move(layout);
  out.hosts = *std::move(list);
  return out;
}

inline Result<GatheredPlaces> gather_places(const HostRecord& mine, HostIdentity host,
                                            auto& all_gather) {
  HostRecord record = mine;
  record.identity = host.identity;
  record.name = host.name;
  if (host.name.empty()) record.fault = HostRecord::Fault::no_name;
  if (host.name.size() > HostRecord::longest_name) {
    record.fault = HostRecord::Fault::name_too_long;
    record.name = host.name.substr(0, HostRecord::longest_name);
  }
  std::byte bytes[HostRecord::bytes] = {};
  record.write(bytes);
  GatheredHosts all(record.world_size);
  const std::span<const std::byte> sent(bytes);
  if constexpr (std::is_void_v<decltype(all_gather(sent, all.bytes()))>) {
    all_gather(sent, all.bytes());
  } else if (!all_gather(sent, all.bytes())) {
    return error_at(Errc::gather_failed, "all_gather", "false", "a collective that succeeds",
                    "see what it reports");
  }
  if (const auto error = all.check()) return *error;
  return find_places(all);
}

/// Puts what was gathered into a topology that it does not contradict.
struct TopologyAccess {
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
          {"local_rank", {}, "the order of ranks on each node, which layout() keeps"});
    }
    data.host = places.hosts[static_cast<std::size_t>(place.node)];
    data.layout = std::move(places.layout);
    data.hosts = std::move(places.hosts);
    for (std::size_t i = 0; i != number_count; ++i) {
      const auto field = static_cast<TopologyField>(i);
      if (topology.origin(field).kind == OriginKind::unknown)
        data.origins[i] = data.identity.origin(field);
    }
    for (const TopologyField field :
         {TopologyField::host, TopologyField::hosts, TopologyField::layout}) {
      data.origins[static_cast<std::size_t>(field)] = {
          OriginKind::derived, Launcher::none, rule, {}};
    }
    return topology;
  }

  /// For a topology whose rank and world size alone are meant.
  static Topology complete_all(Topology topology, GatheredPlaces&& places) {
    TopologyData& data = topology.data_;
    for (const TopologyField field : {TopologyField::local_rank, TopologyField::local_world_size,
                                      TopologyField::node_rank, TopologyField::node_count}) {
      data.identity.forget(field);
      data.origins[static_cast<std::size_t>(field)] = {};
    }
    data.layout = std::nullopt;
    return complete(std::move(topology), std::move(places));
  }
};

}  // namespace detail

/// Completes layout, node ranks, local sizes and hosts under any launcher, by one fixed-size
/// all-gather of 256 bytes a rank.
///
/// `topology`: this process's own, of a job over which `all_gather` is collective.
/// `this_host`: its machine. `all_gather`: see AllGather; called exactly once on every rank, also
/// where this rank's input is at fault, so that no rank waits for another.
/// Nodes keep the launcher's numbers where every rank has one (two agents on one machine stay two
/// nodes with one host); else they are numbered in the order of their lowest ranks.
///
/// Every rank returns the same layout and hosts, or the same error: gather_failed for a collective
/// that failed or mixed its ranks and for a name that is empty or too long; duplicate_place for two
/// ranks with one local rank on one host; inconsistent for a node on two hosts, a node rank, local
/// world size or layout that the hosts do not bear out; bad_host_list for a name no host can have.
/// O(world_size) time; 256 bytes a rank while it runs.
template <AllGather Gather>
Result<Topology> gather_hosts(const Topology& topology, HostIdentity this_host,
                              Gather&& all_gather) {
  detail::HostRecord mine;
  mine.rank = topology.rank();
  mine.world_size = topology.world_size();
  if (topology.local_rank() >= 0) mine.local_rank = topology.local_rank();
  mine.local_world_size = topology.local_world_size().value_or(-1);
  mine.node_rank = topology.node_rank().value_or(-1);
  mine.node_count = topology.node_count().value_or(-1);
  if (const OptionalLayout& layout = topology.layout()) {
    detail::LayoutDigest digest;
    for (int rank = 0; rank != layout->world_size(); ++rank) digest.add(layout->node_of(rank));
    mine.layout = digest.value();
  }
  Result<detail::GatheredPlaces> places = detail::gather_places(mine, this_host, all_gather);
  if (!places) return places.error();
  return detail::TopologyAccess::complete(topology, *std::move(places));
}

/// The same for a job of which only rank and size are known (plain PMI, a bare communicator): local
/// ranks number the ranks of each host in ascending order. Errors: as above; out_of_range unless
/// 0 <= rank < world_size, which is found before the collective.
template <AllGather Gather>
Result<Topology> gather_hosts(int rank, int world_size, HostIdentity this_host,
                              Gather&& all_gather) {
  Result<Topology> topology =
      Topology::from_config({.rank = rank, .world_size = world_size, .local_rank = 0});
  if (!topology) return topology.error();
  detail::HostRecord mine;
  mine.rank = rank;
  mine.world_size = world_size;
  Result<detail::GatheredPlaces> places = detail::gather_places(mine, this_host, all_gather);
  if (!places) return places.error();
  return detail::TopologyAccess::complete_all(*topology, *std::move(places));
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_GATHER_HOSTS_HPP
