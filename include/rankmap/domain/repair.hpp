// SPDX-License-Identifier: MIT
// Which node takes the place of which after a failure, so that as few as possible move.
#ifndef RANKMAP_DOMAIN_REPAIR_HPP
#define RANKMAP_DOMAIN_REPAIR_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/detail/repair_plan.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <span>

namespace rankmap::inline v0 {

/// The nodes after a repair.
class Repair {
 public:
  /// The node of each slot. Valid while this object lives.
  constexpr std::span<const int> nodes() const& RANKMAP_LIFETIMEBOUND { return nodes_; }
  /// The healthy nodes without a slot, in ascending order.
  constexpr std::span<const int> spares() const& RANKMAP_LIFETIMEBOUND { return spares_; }
  std::span<const int> nodes() const&& = delete;  // both would dangle
  std::span<const int> spares() const&& = delete;
  /// How many slots lost a healthy node: what has to be moved though nothing is broken.
  constexpr int moved() const { return moved_; }

 private:
  friend constexpr Result<Repair> repair(const Domains&, int, std::span<const int>,
                                         std::span<const int>, std::span<const int>, int);
  detail::SmallVector<int, 16> nodes_;
  detail::SmallVector<int, 16> spares_;
  int moved_ = 0;
};

/// Finds a healthy node for each slot, so that as few healthy nodes as possible change their slots.
///
/// `slots`: the node of each slot before the failure, such as Segments::nodes(). `failed`: nodes
/// that are gone, in use or not. `spares`: nodes without a slot. `segment`: slots k * segment to k
/// * segment + segment - 1 stay in one domain of `level`; 1 where nodes may be anywhere. The result
/// does not depend on the order of `failed` and `spares`, so all ranks find the same.
///
/// A domain that has too few healthy nodes for its segments gives up those with fewest survivors,
/// the last among equals, and they go to the first domains with room. The holes of the others get
/// the domain's spares, lowest first, then nodes of the segments that it gave up. Nothing failed:
/// nothing changes. No other repair moves fewer.
///
/// Errors: out_of_range for a node that is not of `domains`, a segment below 1, and a level that no
/// path reaches where `segment` is above 1; inconsistent
/// for a node that is twice in slots and spares, for slots that are no whole segments, and for a
/// segment that was not in one domain; not_enough_nodes exactly where no repair exists: it names
/// the domain that came nearest to one more segment. Precondition: 0 <= level < level_count(),
/// where `segment` > 1. O(nodes log nodes). Golden-tested, and compared with all permutations.
constexpr Result<Repair> repair(const Domains& domains, int level, std::span<const int> slots,
                                std::span<const int> failed, std::span<const int> spares,
                                int segment) {
  detail::RepairNodes nodes(domains, level, segment);
  if (const auto error = nodes.read(slots, failed, spares)) return *error;
  const detail::RepairPlan plan(nodes, slots, segment);
  if (const auto error = plan.error()) return *error;
  Repair out;
  plan.fill(out.nodes_, out.spares_);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    out.moved_ += nodes.is_healthy(slots[i]) && out.nodes_[i] != slots[i] ? 1 : 0;
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_REPAIR_HPP
