// SPDX-License-Identifier: MIT
// An order of nodes, or of ranks, that keeps domains together.
#ifndef RANKMAP_DOMAIN_NODE_ORDER_HPP
#define RANKMAP_DOMAIN_NODE_ORDER_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// New numbers for things that are counted from 0: nodes or ranks. A permutation and its inverse.
class NodeOrder {
 public:
  /// Of nothing.
  constexpr NodeOrder() = default;

  /// The order in which thing `old_of_new[i]` gets the number i. Errors: inconsistent unless each
  /// number from 0 on is there once. O(size).
  static constexpr Result<NodeOrder> from_old(std::span<const int> old_of_new) {
    NodeOrder out(old_of_new.size());
    for (std::size_t i = 0; i < old_of_new.size(); ++i) {
      const int old = old_of_new[i];
      const bool good = old >= 0 && static_cast<std::size_t>(old) < old_of_new.size() &&
                        out.new_of_[static_cast<std::size_t>(old)] < 0;
      if (!good) {
        return detail::error_at(
            Errc::inconsistent, detail::concat("old number of ", i), detail::concat(old),
            detail::concat("each number below ", old_of_new.size(), " once"), "pass a permutation");
      }
      out.set(static_cast<int>(i), old);
    }
    return out;
  }

  constexpr int size() const { return static_cast<int>(old_of_.size()); }
  /// Precondition of both: the argument is in [0, size()).
  constexpr int old_of(int number) const { return old_of_[static_cast<std::size_t>(number)]; }
  constexpr int new_of(int old) const { return new_of_[static_cast<std::size_t>(old)]; }
  /// The old numbers in the new order. Valid while this object lives.
  constexpr std::span<const int> old_numbers() const& RANKMAP_LIFETIMEBOUND { return old_of_; }
  std::span<const int> old_numbers() const&& = delete;  // it would dangle

  constexpr bool is_identity() const {
    for (int i = 0; i != size(); ++i) {
      if (old_of(i) != i) return false;
    }
    return true;
  }
  friend constexpr bool operator==(const NodeOrder&, const NodeOrder&) = default;

 private:
  friend constexpr NodeOrder order_by_domain(const Domains&);
  friend constexpr Result<NodeOrder> order_ranks(const NodeOrder&, const Layout&);

  constexpr explicit NodeOrder(std::size_t size) : old_of_(size), new_of_(size, -1) {}
  constexpr void set(int number, int old) {
    old_of_[static_cast<std::size_t>(number)] = old;
    new_of_[static_cast<std::size_t>(old)] = number;
  }

  detail::SmallVector<int, 16> old_of_;
  detail::SmallVector<int, 16> new_of_;
};

/// The tree order of nodes: domains in the order in which they first appear, at every level, and
/// nodes of one innermost domain in ascending order.
///
/// Node 0 stays first, each domain is contiguous at every level, and what is in order already stays
/// as it is. No order has fewer crossings, at any level: these are minimal at all levels at once. A
/// node of unknown domain keeps its place by its number, as a domain of its own.
/// O(nodes log nodes) steps of O(levels). Golden-tested, and compared with all permutations.
constexpr NodeOrder order_by_domain(const Domains& domains) {
  const std::size_t size = static_cast<unsigned>(domains.node_count());
  const auto before = [&domains](std::uint32_t a, std::uint32_t b) {
    for (int level = 0; level != domains.level_count(); ++level) {
      const int first_a = domains.first_node(level, static_cast<int>(a));
      const int first_b = domains.first_node(level, static_cast<int>(b));
      if (first_a != first_b) return first_a < first_b;
    }
    return a < b;
  };
  const detail::Indices nodes = detail::sorted_indices(size, before);
  NodeOrder out(size);
  for (std::size_t i = 0; i < size; ++i) out.set(static_cast<int>(i), static_cast<int>(nodes[i]));
  return out;
}

/// Ranks by an order of their nodes: node after node, the ranks of each ascending. Errors:
/// inconsistent where `ranks` has another number of nodes. O(ranks).
constexpr Result<NodeOrder> order_ranks(const NodeOrder& nodes, const Layout& ranks) {
  if (ranks.node_count() != nodes.size()) {
    return detail::error_at(Errc::inconsistent, "layout",
                            detail::concat(ranks.node_count(), " nodes"),
                            detail::concat("the ", nodes.size(), " nodes of the order"),
                            "make both for the same nodes");
  }
  NodeOrder out(static_cast<unsigned>(ranks.world_size()));
  int next = 0;
  for (const int node : nodes.old_numbers()) {
    for (const int rank : ranks.ranks_on(node)) out.set(next++, rank);
  }
  return out;
}

/// How many neighbours in an order of nodes are not known to be in one domain of a level. A ring,
/// whose last node is joined to the first, may have one more.
///
/// Preconditions: 0 <= level < level_count(), and the order has the nodes of `domains`. O(nodes).
constexpr int domain_crossings(const Domains& domains, const NodeOrder& order, int level) {
  int crossings = 0;
  for (int i = 1; i < order.size(); ++i) {
    crossings += domains.same_domain(level, order.old_of(i - 1), order.old_of(i)) ? 0 : 1;
  }
  return crossings;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_NODE_ORDER_HPP
