// SPDX-License-Identifier: MIT
// Which nodes to use of more than a job needs: whole segments, each inside one domain; and spares.
#ifndef RANKMAP_DOMAIN_SEGMENTS_HPP
#define RANKMAP_DOMAIN_SEGMENTS_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/domain/node_order.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// Of which domains segments are taken.
enum class SegmentChoice : std::uint8_t {
  first,   ///< domains in the order of their lowest nodes, as NVRx and NeMo-RL do
  fewest,  ///< as few domains as possible
};

constexpr std::string_view name(SegmentChoice choice) {
  return detail::enumerator("first\0fewest", choice);
}

/// Nodes in use, in the order of their slots, and nodes to spare.
class Segments {
 public:
  /// The node of each slot. Slots k * segment to k * segment + segment - 1 are in one domain. Valid
  /// while this object lives.
  constexpr std::span<const int> nodes() const& RANKMAP_LIFETIMEBOUND { return nodes_; }
  /// The nodes that are left, domain after domain. Ask the Domains for that of each.
  constexpr std::span<const int> spares() const& RANKMAP_LIFETIMEBOUND { return spares_; }
  std::span<const int> nodes() const&& = delete;  // both would dangle
  std::span<const int> spares() const&& = delete;

 private:
  friend constexpr Result<Segments> choose_segments(const Domains&, int, int, int, SegmentChoice);
  detail::SmallVector<int, 16> nodes_;
  detail::SmallVector<int, 16> spares_;
};

/// Chooses `nodes` of the nodes of `domains`, in segments of `segment` nodes, each inside one
/// domain of `level`. A node of unknown domain is a domain of its own.
///
/// `nodes`: at least 1, a multiple of `segment`. `segment`: at least 1; 0 for no segments: the
/// first `nodes` nodes. Number the nodes as they should be preferred.
///
/// `first` takes, of each domain in the order of their lowest nodes, as many whole segments as it
/// has and as are still wanted, lowest nodes first. This is NVRx's rule. `fewest` takes the domains
/// with most whole segments first, those with lower nodes first among equals, and puts what it took
/// into tree order: no choice uses fewer domains.
///
/// Errors: out_of_range for an argument below its bound, and for a level that no path reaches where
/// `segment` is above 1; inconsistent where `segment` does not divide `nodes`; not_enough_nodes,
/// which names the domain that came nearest to one more segment. O(nodes log nodes).
constexpr Result<Segments> choose_segments(const Domains& domains, int level, int nodes,
                                           int segment,
                                           SegmentChoice choice = SegmentChoice::first) {
  if (nodes < 1 || segment < 0) {
    return detail::out_of_range(nodes < 1 ? "nodes" : "segment", nodes < 1 ? nodes : segment,
                                nodes < 1 ? "at least 1" : "at least 0",
                                "pass how many nodes the job needs, and how many share a domain");
  }
  const bool alone = segment <= 1 && (segment == 0 || !domains.has_level(level));
  if (segment == 0) segment = 1;
  if (const auto error = detail::check_level(domains, level, segment)) return *error;
  if (nodes % segment != 0) {
    return detail::error_at(Errc::inconsistent, "nodes", detail::concat(nodes),
                            detail::concat("a multiple of the segment, ", segment),
                            "ask for whole segments");
  }
  const auto group_of = [&](std::uint32_t node) {
    if (alone) return node;
    return static_cast<std::uint32_t>(domains.first_node(level, static_cast<int>(node)));
  };

  const auto count = static_cast<std::uint32_t>(domains.node_count());
  detail::Indices walk(count);
  detail::Indices groups;                    // the lowest node of each, ascending
  detail::SmallVector<int, 16> size(count);  // of a group, at its lowest node
  detail::SmallVector<int, 16> take(count);  // nodes to take, likewise
  for (std::uint32_t node = 0; node < count; ++node) {
    walk[node] = node;
    if (size[group_of(node)]++ == 0) groups.push_back(node);
  }
  if (choice == SegmentChoice::first) {
    detail::merge_sort(walk,
                       [&](std::uint32_t a, std::uint32_t b) { return group_of(a) < group_of(b); });
  } else if (!alone) {
    const NodeOrder tree = order_by_domain(domains);
    for (std::uint32_t i = 0; i < count; ++i) {
      walk[i] = static_cast<std::uint32_t>(tree.old_of(static_cast<int>(i)));
    }
    detail::merge_sort(groups, [&](std::uint32_t a, std::uint32_t b) {
      return size[a] / segment > size[b] / segment;
    });
  }

  int wanted = nodes / segment;
  std::uint32_t nearest = 0;
  for (const std::uint32_t group : groups) {
    const int whole = size[group] / segment < wanted ? size[group] / segment : wanted;
    take[group] = whole * segment;
    wanted -= whole;
    if (size[group] % segment > size[nearest] % segment) nearest = group;
  }
  if (wanted != 0) {
    const auto found = detail::concat(nodes / segment - wanted, " segments of ", segment);
    const auto expected = detail::concat(nodes / segment, " whole; the domain of node ", nearest,
                                         " came nearest to one more, with ",
                                         count == 0 ? 0 : size[nearest] % segment, " nodes for it");
    return detail::error_at(Errc::not_enough_nodes, "nodes", found, expected,
                            "add nodes there, or ask for fewer nodes or smaller segments");
  }
  Segments out;
  for (const std::uint32_t node : walk) {
    int& left = take[group_of(node)];
    (left != 0 ? out.nodes_ : out.spares_).push_back(static_cast<int>(node));
    if (left != 0) --left;
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_SEGMENTS_HPP
