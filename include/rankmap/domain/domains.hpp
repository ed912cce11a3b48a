// SPDX-License-Identifier: MIT
// Which node is in which domain, at every level, for a whole job.
#ifndef RANKMAP_DOMAIN_DOMAINS_HPP
#define RANKMAP_DOMAIN_DOMAINS_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The domains of nodes 0 to node_count() - 1. Level 0 is the outermost, and each domain lies in
/// one domain of the level outside it.
///
/// Domains have numbers by first appearance: domain 0 is that of the first node whose domain is
/// known. So only which nodes are together counts, and renaming labels changes nothing. A node
/// whose domain is not known is in none: never together with another node, known or not.
///
/// Plain arrays of 12 bytes a node and level. constexpr.
class Domains {
 public:
  static constexpr int unknown = -1;

  /// No nodes.
  constexpr Domains() = default;

  /// The domains of nodes with these paths, one path a node. There are as many levels as the
  /// longest path has. Errors: limit_exceeded for 2^24 nodes or more. O(bytes of the labels) if no
  /// hashes collide.
  static constexpr Result<Domains> from_paths(std::span<const DomainPath> path_of_node) {
    if (path_of_node.size() >= std::size_t{1} << 24U) {
      return detail::error_at(Errc::limit_exceeded, "paths",
                              detail::concat(path_of_node.size(), " nodes"),
                              "fewer than 2^24 nodes", "pass one path a node");
    }
    Domains out;
    out.nodes_ = static_cast<int>(path_of_node.size());
    for (const DomainPath& path : path_of_node) {
      if (path.depth() > out.levels_) out.levels_ = path.depth();
    }
    for (int level = 0; level != out.levels_; ++level) out.add_level(path_of_node, level);
    return out;
  }

  constexpr int node_count() const { return nodes_; }
  constexpr int level_count() const { return levels_; }
  constexpr bool has_level(int level) const { return level >= 0 && level < levels_; }

  /// Preconditions below: has_level(level), 0 <= node < node_count(), 0 <= domain < count(level).

  /// How many domains a level has. Nodes of unknown domain are not counted.
  constexpr int count(int level) const { return counts_[level]; }
  /// How many nodes are in no known domain of a level.
  constexpr int unknown_count(int level) const { return nodes_ - start(level, count(level)); }
  /// The domain of a node, or `unknown`.
  constexpr int domain_of(int level, int node) const { return domain_[at(level, node)]; }
  constexpr bool is_known(int level, int node) const { return domain_of(level, node) != unknown; }
  /// Whether both nodes are known to be in one domain; false for an unknown node and itself.
  constexpr bool same_domain(int level, int a, int b) const {
    return is_known(level, a) && domain_of(level, a) == domain_of(level, b);
  }
  /// The nodes of a domain in ascending order. Valid while this object lives.
  constexpr std::span<const int> nodes_of(int level, int domain) const& RANKMAP_LIFETIMEBOUND {
    const auto begin = static_cast<std::size_t>(start(level, domain));
    const auto end = static_cast<std::size_t>(start(level, domain + 1));
    return {members_.data() + at(level, 0) + begin, end - begin};
  }
  std::span<const int> nodes_of(int level, int domain) const&& = delete;  // it would dangle

  /// The lowest node of the domain of a node; the node itself where its domain is unknown. Nodes
  /// that are known to be together have one, and no others.
  constexpr int first_node(int level, int node) const {
    const int domain = domain_of(level, node);
    return domain == unknown ? node : nodes_of(level, domain)[0];
  }

  /// The layout whose "nodes" are the domains of a level: which rank is in which domain. With it
  /// Placement, recommend_mesh and draw_mesh answer for domains what they answer for nodes.
  ///
  /// `ranks`: the ranks on these nodes. Errors: inconsistent where it has another number of nodes;
  /// missing where a node with ranks is in no known domain. O(ranks).
  constexpr Result<Layout> layout(int level, const Layout& ranks) const {
    if (ranks.node_count() != nodes_) {
      return detail::error_at(
          Errc::inconsistent, "layout", detail::concat(ranks.node_count(), " nodes"),
          detail::concat("the ", nodes_, " nodes of the domains"), "make both for the same nodes");
    }
    detail::SmallVector<int, 64> domain_of_rank(static_cast<unsigned>(ranks.world_size()));
    for (int rank = 0; rank != ranks.world_size(); ++rank) {
      const int node = ranks.node_of(rank);
      const int domain = has_level(level) ? domain_of(level, node) : unknown;
      if (domain == unknown) {
        return detail::error_missing(
            Errc::missing, detail::concat("domain of node ", node),
            detail::concat("the domain of every node at level ", level),
            "choose a level that is known for all nodes, or say where the node is");
      }
      domain_of_rank[static_cast<std::size_t>(rank)] = domain;
    }
    return Layout::from_nodes(domain_of_rank, count(level));
  }

  /// Whether the same nodes are together at each level.
  friend constexpr bool operator==(const Domains& a, const Domains& b) {
    return a.nodes_ == b.nodes_ && a.levels_ == b.levels_ && a.domain_ == b.domain_;
  }

 private:
  constexpr std::size_t at(int level, int node) const {
    return static_cast<std::size_t>(level) * static_cast<std::size_t>(nodes_) +
           static_cast<std::size_t>(node);
  }
  // How many known nodes are in the domains before this one.
  constexpr int start(int level, int domain) const {
    return starts_[at(level, 0) + static_cast<std::size_t>(level) +
                   static_cast<std::size_t>(domain)];
  }

  constexpr void add_level(std::span<const DomainPath> paths, int level) {
    const std::size_t first = at(level, 0);
    const std::size_t nodes = static_cast<unsigned>(nodes_);
    domain_.resize(first + nodes);
    members_.resize(first + nodes);
    starts_.resize(starts_.size() + nodes + 1);
    int* const starts = starts_.data() + first + static_cast<std::size_t>(level);
    detail::RankHashTable leaders(nodes);
    int count = 0;
    for (int node = 0; node != nodes_; ++node) {
      int& domain = domain_[first + static_cast<std::size_t>(node)];
      domain = unknown;
      const std::string_view label = path_at(paths, node).label(level);
      if (label.empty()) continue;
      // Domains of the level outside have numbers already.
      const int outside = level == 0 ? 0 : domain_of(level - 1, node);
      const int leader = leaders.insert(
          node, detail::hash_text(label, static_cast<std::uint64_t>(outside)), [&](int other) {
            return (level == 0 || domain_of(level - 1, other) == outside) &&
                   path_at(paths, other).label(level) == label;
          });
      domain = leader == node ? count++ : domain_of(level, leader);
      ++starts[domain];
    }
    counts_[level] = count;
    for (int domain = 0; domain != count; ++domain) starts[domain + 1] += starts[domain];
    // They are the ends so far. Filling from behind makes them the starts.
    for (int node = nodes_; node-- != 0;) {
      const int domain = domain_of(level, node);
      if (domain != unknown) members_[first + static_cast<std::size_t>(--starts[domain])] = node;
    }
  }
  static constexpr const DomainPath& path_at(std::span<const DomainPath> paths, int node) {
    return paths[static_cast<std::size_t>(node)];
  }

  int nodes_ = 0;
  int levels_ = 0;
  int counts_[DomainPath::max_levels] = {};
  detail::SmallVector<int, 16> domain_;   // of each node, level after level
  detail::SmallVector<int, 16> members_;  // nodes by domain, level after level
  detail::SmallVector<int, 24> starts_;   // of each domain in its level of `members_`, and the end
};

namespace detail {

/// Nothing, or `out_of_range` for a level that no path reaches. Segments of one node need none.
constexpr Optional<Error> check_level(const Domains& domains, int level, int segment) {
  if (segment <= 1 || domains.has_level(level)) return {};
  return out_of_range("level", level, concat("a level in [0, ", domains.level_count(), ")"),
                      "pass paths that reach it, or a segment of 1 node");
}

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_DOMAINS_HPP
