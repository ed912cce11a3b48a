// SPDX-License-Identifier: MIT
// Works out the layout and the hosts from the gathered records of all ranks. A pure function: every
// rank has the same bytes, and gets the same layout or the same error.
#ifndef RANKMAP_TOPOLOGY_DETAIL_GATHERED_PLACES_HPP
#define RANKMAP_TOPOLOGY_DETAIL_GATHERED_PLACES_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/host_record.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// The result for the whole job.
struct GatheredPlaces {
  Layout layout;
  HostList hosts;
  /// Whether the launcher's local ranks count the ranks of each node in order.
  bool local_ranks_in_order = true;
};

/// The node of each rank. Nodes have the numbers 0 to count - 1.
struct GatheredNodes {
  SmallVector<int, 64> of_rank;
  int count = 0;
  bool numbered = true;  ///< by the launcher: every rank sent a node rank

  std::span<const int> view() const { return {of_rank.data(), of_rank.size()}; }
  int operator[](int rank) const { return of_rank[static_cast<std::size_t>(rank)]; }
};

RANKMAP_RARE constexpr Error error_about_two_ranks(Errc code, int first, int second,
                                                   std::string_view what,
                                                   std::string_view expected) {
  return error_at(
      code, concat<63>("ranks ", first, " and ", second), what, expected,
      "give each host a name of its own; in the program, pass one name and identity on all ranks "
      "of a host");
}

inline constexpr std::string_view same_on_host =
    "give each host one name; in the program, pass one name and identity on all ranks of a host";

/// The nodes are numbered 0 to `last`, but no rank is on `node`, so its host is not known.
RANKMAP_RARE constexpr Error error_about_empty_node(int node, int last) {
  return error_at(
      Errc::inconsistent, concat<63>("node ", node), "no rank",
      concat<159>("a rank on each of the nodes 0 to ", last),
      "correct the node ranks and the node count; in the program, gather over the whole job");
}

/// The lowest node from 0 to `nodes.count - 1` without a rank. Precondition: there is one.
inline int first_empty_node(const GatheredNodes& nodes) {
  SmallVector<bool, 64> has_rank(static_cast<std::size_t>(nodes.count));
  for (const int node : nodes.view()) {
    if (node < nodes.count) has_rank[static_cast<std::size_t>(node)] = true;
  }
  int first = 0;
  while (has_rank[static_cast<std::size_t>(first)]) ++first;
  return first;
}

/// Groups the ranks by host. If every rank has a node rank, ranks are grouped by that too, and
/// nodes keep these numbers: two agents on one machine stay two nodes. Otherwise nodes are numbered
/// in the order of their lowest ranks.
inline Result<GatheredNodes> group_by_node(const GatheredRecords& gathered) {
  const int world = gathered.world_size();
  const auto ranks = static_cast<std::size_t>(world);
  GatheredNodes nodes;
  for (int rank = 0; rank != world; ++rank) {
    nodes.numbered = nodes.numbered && gathered.read(rank).node_rank >= 0;
  }
  nodes.of_rank.resize(ranks);
  RankHashTable by_node(ranks);
  RankHashTable by_number(nodes.numbered ? ranks : 0);
  int highest = -1;
  for (int rank = 0; rank != world; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const HostRecord mine = gathered.read(rank);
    const auto number = static_cast<std::uint64_t>(nodes.numbered ? mine.node_rank : 0);
    const int leader =
        by_node.insert(rank, hash_text(mine.name, mine.identity ^ (number << 32U)), [&](int other) {
          const HostRecord theirs = gathered.read(other);
          return theirs.name == mine.name && theirs.identity == mine.identity &&
                 (!nodes.numbered || theirs.node_rank == mine.node_rank);
        });
    if (leader != rank) {
      nodes.of_rank[at] = nodes[leader];
      continue;
    }
    nodes.of_rank[at] = nodes.numbered ? mine.node_rank : nodes.count;
    ++nodes.count;
    if (!nodes.numbered) continue;
    if (mine.node_rank > highest) highest = mine.node_rank;
    const int first = by_number.insert(rank, hash_text({}, number), [&](int other) {
      return gathered.read(other).node_rank == mine.node_rank;
    });
    if (first != rank) {
      return error_about_two_ranks(Errc::inconsistent, first, rank,
                                   concat<31>("node ", mine.node_rank),
                                   "the same host for ranks of the same node");
    }
  }
  if (nodes.numbered && highest != nodes.count - 1) {
    return error_about_empty_node(first_empty_node(nodes), highest);
  }
  return nodes;
}

/// Checks that no two ranks of a node have the same local rank, and that each is below the number
/// of ranks of its node. Sets `local_ranks_in_order`.
inline Optional<Error> check_local_ranks(const GatheredRecords& gathered,
                                         const GatheredNodes& nodes, GatheredPlaces& places) {
  RankHashTable by_place(static_cast<std::size_t>(gathered.world_size()));
  for (int rank = 0; rank != gathered.world_size(); ++rank) {
    const HostRecord mine = gathered.read(rank);
    if (mine.local_rank < 0) continue;
    const int here = nodes[rank];
    const auto key =
        (static_cast<std::uint64_t>(here) << 32U) | static_cast<std::uint64_t>(mine.local_rank);
    const int first = by_place.insert(rank, hash_text({}, key), [&](int other) {
      return nodes[other] == here && gathered.read(other).local_rank == mine.local_rank;
    });
    if (first != rank) {
      Error error = error_about_two_ranks(Errc::duplicate_place, first, rank, mine.name,
                                          "a different local rank for each");
      error.found.append(", local rank ").append_number(mine.local_rank);
      return error;
    }
    const int size = places.layout.local_world_size(here);
    if (mine.local_rank >= size) {
      return error_at(
          Errc::inconsistent, concat<63>("local_rank of rank ", rank), concat<31>(mine.local_rank),
          concat<159>("less than ", size, ", the number of ranks on its host"), same_on_host);
    }
    places.local_ranks_in_order =
        places.local_ranks_in_order && places.layout.local_rank_of(rank) == mine.local_rank;
  }
  return std::nullopt;
}

/// Checks the nodes and sizes that the ranks sent against those that were gathered.
inline Optional<Error> check_nodes(const GatheredRecords& gathered, const GatheredNodes& nodes,
                                   const Layout& layout) {
  const std::uint64_t digest = layout_digest(layout);
  for (int rank = 0; rank != gathered.world_size(); ++rank) {
    const HostRecord mine = gathered.read(rank);
    const int here = nodes[rank];
    const auto refuse = [&](std::string_view what, const auto& found, std::string_view expected,
                            std::string_view remedy) {
      return error_at(Errc::inconsistent, concat<63>(what, " of rank ", rank), concat<31>(found),
                      expected, remedy);
    };
    // If only some ranks sent a node rank, it must be the number that the node gets here.
    if (mine.node_rank >= 0 && mine.node_rank != here) {
      return refuse(
          "node_rank", mine.node_rank,
          concat<159>(here,
                      ", the node's place by its lowest rank, since not every rank has "
                      "a node rank"),
          "set it on every rank or on none; in the program, pass Config::node_rank likewise");
    }
    const int size = layout.local_world_size(here);
    if (mine.local_world_size >= 0 && mine.local_world_size != size) {
      return refuse("local_world_size", mine.local_world_size,
                    concat<159>(size, ", the number of ranks on its host"), same_on_host);
    }
    if (nodes.numbered && mine.node_count > nodes.count) {
      return error_about_empty_node(nodes.count, mine.node_count - 1);
    }
    if (mine.node_count >= 0 && mine.node_count != nodes.count) {
      return refuse("node_count", mine.node_count,
                    concat<159>(nodes.count, ", the number of gathered hosts"), same_on_host);
    }
    if (mine.layout != 0 && mine.layout != digest) {
      return refuse(
          "layout", "a different one", "the layout of the gathered hosts",
          "start all ranks with the same variables; in the program, pass the same Config");
    }
  }
  return std::nullopt;
}

/// The layout and the hosts. Errors: the records contradict each other.
inline Result<GatheredPlaces> places_from_records(const GatheredRecords& gathered) {
  const Result<GatheredNodes> nodes = group_by_node(gathered);
  if (!nodes) return nodes.error();
  Result<Layout> layout = Layout::from_nodes(nodes->view(), nodes->count);
  if (!layout) return layout.error();
  GatheredPlaces out;
  out.layout = *std::move(layout);
  if (const auto error = check_nodes(gathered, *nodes, out.layout)) return *error;
  if (const auto error = check_local_ranks(gathered, *nodes, out)) return *error;

  HostListBuilder hosts({.max_hosts = static_cast<std::size_t>(nodes->count)}, "host name");
  for (int i = 0; i != nodes->count; ++i) {
    hosts.add(gathered.read(out.layout.leader_of(i)).name);
  }
  Result<HostList> list = hosts.finish();
  if (!list) return list.error();
  out.hosts = *std::move(list);
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_GATHERED_PLACES_HPP
