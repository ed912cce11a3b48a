// SPDX-License-Identifier: MIT
// Which node takes the place of which after a failure, so that as few as possible move.
#ifndef RANKMAP_DOMAIN_REPAIR_HPP
#define RANKMAP_DOMAIN_REPAIR_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// What a node is used for before the repair.
struct RepairNode {
  enum class Use : std::uint8_t { none, slot, spare };
  Use use = Use::none;
  bool failed = false;
};

/// What each node of a repair is used for, and in which domain; which segments stay in their
/// domains after a failure, which have to go, and who fills what. Domains are called by their
/// lowest nodes. Refers to the domains and the slots.
class RepairPlan {
  using Use = RepairNode::Use;

 public:
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~RepairPlan() = default;
  constexpr RepairPlan(const Domains& domains, int level, std::span<const int> slots)
      : domains_(&domains),
        level_(level),
        slots_(slots),
        nodes_(static_cast<unsigned>(domains.node_count())),
        healthy_(nodes_.size()),
        kept_(nodes_.size()) {}

  /// Takes note of the nodes, and decides which segments stay. An error where an argument is wrong,
  /// and where the domains have no room for all segments.
  constexpr Optional<Error> make(std::span<const int> failed, std::span<const int> spares,
                                 int segment) {
    if (segment < 1) {
      return out_of_range("segment", segment, "at least 1", "pass how many slots share a domain");
    }
    if (const auto error = check_level(*domains_, level_, segment)) return error;
    segment_ = static_cast<std::size_t>(segment);
    if (slots_.size() % segment_ != 0) {
      return error_at(Errc::inconsistent, "slots", concat(slots_.size(), " slots"),
                      concat("a multiple of the segment, ", segment), "pass whole segments");
    }
    if (const auto error = assign("node of slot ", slots_, Use::slot)) return error;
    if (const auto error = assign("spare ", spares, Use::spare)) return error;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (const auto error = check("failed node ", i, failed[i])) return error;
      nodes_[static_cast<std::size_t>(failed[i])].failed = true;
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const int head = slots_[i - i % segment_];
      if (domain_of(slots_[i]) == domain_of(head)) continue;
      return error_at(
          Errc::inconsistent, concat("node of slot ", i), concat(slots_[i]),
          concat("a node of the domain of node ", head, ", as in the rest of its segment"),
          "pass the nodes as choose_segments() or the last repair() returned them");
    }
    for (int node = 0; node != domains_->node_count(); ++node) {
      healthy_[domain_of(node)] += is_healthy(node) ? 1U : 0U;
    }
    keep_segments();
    return check_room();
  }

  constexpr bool is_healthy(int node) const {
    const RepairNode& found = nodes_[static_cast<std::size_t>(node)];
    return found.use != Use::none && !found.failed;
  }

  /// The node of each slot, and the healthy ones that are left. Precondition: make() has no error.
  template <class Nodes>
  constexpr void fill(Nodes& out, Nodes& spares) const {
    // What each domain can give, in this order: spares, then nodes whose segments have to go.
    Indices pool;
    SmallVector<std::size_t, 16> next(nodes_.size());  // of each domain: its place in `pool`
    SmallVector<bool, 16> goes(nodes_.size());         // of each node: its segment does not stay
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!stays_[i / segment_]) goes[static_cast<std::size_t>(slots_[i])] = true;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool is_free = nodes_[i].use == Use::spare || goes[i];
      if (is_free && !nodes_[i].failed) pool.push_back(static_cast<std::uint32_t>(i));
    }
    merge_sort(pool, [&](std::uint32_t a, std::uint32_t b) {
      const std::size_t domain_a = domain_of(static_cast<int>(a));
      const std::size_t domain_b = domain_of(static_cast<int>(b));
      return domain_a != domain_b ? domain_a < domain_b : !goes[a] && goes[b];
    });
    for (std::size_t i = pool.size(); i-- != 0;) next[domain_of(static_cast<int>(pool[i]))] = i;
    const auto take = [&](std::size_t from) { return static_cast<int>(pool[next[from]++]); };

    out.resize(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!stays_[i / segment_]) continue;
      out[i] = is_healthy(slots_[i]) ? slots_[i] : take(domain_of(slots_[i]));
    }
    SmallVector<std::size_t, 16> kept = kept_;
    std::size_t to = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (stays_[i / segment_]) continue;
      if (i % segment_ == 0) {
        while (kept[to] == healthy_[to] / segment_) ++to;
        ++kept[to];
      }
      out[i] = take(to);
    }
    SmallVector<bool, 16> has_slot(nodes_.size());
    for (const int node : out) has_slot[static_cast<std::size_t>(node)] = true;
    for (int node = 0; node != domains_->node_count(); ++node) {
      if (is_healthy(node) && !has_slot[static_cast<std::size_t>(node)]) spares.push_back(node);
    }
  }

 private:
  // Where every node may be anywhere and no level is known, each is a domain of its own.
  constexpr std::size_t domain_of(int node) const {
    const bool is_known = domains_->has_level(level_);
    return static_cast<std::size_t>(is_known ? domains_->first_node(level_, node) : node);
  }

  constexpr Optional<Error> check(std::string_view what, std::size_t i, int node) const {
    if (node >= 0 && node < domains_->node_count()) return {};
    return out_of_range(concat(what, i), node,
                        concat("a node in [0, ", domains_->node_count(), ")"),
                        "pass nodes of these domains");
  }
  constexpr Optional<Error> assign(std::string_view what, std::span<const int> nodes, Use as) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (const auto error = check(what, i, nodes[i])) return error;
      Use& use = nodes_[static_cast<std::size_t>(nodes[i])].use;
      if (use != Use::none) {
        return error_at(Errc::inconsistent, concat(what, i), concat(nodes[i]),
                        "each node once among slots and spares", "pass each node once");
      }
      use = as;
    }
    return {};
  }

  // A domain keeps the segments with most survivors, the first among equals.
  constexpr void keep_segments() {
    stays_.resize(slots_.size() / segment_);
    SmallVector<std::size_t, 16> survivors(stays_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      survivors[i / segment_] += is_healthy(slots_[i]) ? 1U : 0U;
    }
    const Indices order = sorted_indices(stays_.size(), [&](std::uint32_t a, std::uint32_t b) {
      return survivors[a] > survivors[b];
    });
    for (const std::uint32_t i : order) {
      const std::size_t home = domain_of(slots_[i * segment_]);
      stays_[i] = kept_[home] < healthy_[home] / segment_;
      kept_[home] += stays_[i] ? 1U : 0U;
    }
  }

  constexpr Optional<Error> check_room() const {
    std::size_t room = 0;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < healthy_.size(); ++i) {
      room += healthy_[i] / segment_;
      if (healthy_[i] % segment_ > healthy_[nearest] % segment_) nearest = i;
    }
    if (room >= stays_.size()) return {};
    return error_at(
        Errc::not_enough_nodes, "healthy nodes", concat(room, " segments of ", segment_),
        concat(stays_.size(), " whole; the domain of node ", nearest,
               " came nearest to one more, with ",
               std::uint64_t{healthy_.empty() ? 0 : healthy_[nearest] % segment_}, " nodes for it"),
        "add healthy nodes there, or continue with fewer slots");
  }

  const Domains* domains_;
  int level_;
  std::span<const int> slots_;
  std::size_t segment_ = 1;
  SmallVector<RepairNode, 16> nodes_;
  SmallVector<std::size_t, 16> healthy_;  // nodes of each domain
  SmallVector<std::size_t, 16> kept_;     // segments that stay in each domain
  SmallVector<bool, 16> stays_;           // of each segment
};

}  // namespace detail

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
/// path reaches where `segment` is above 1; inconsistent for a node that is twice in slots and
/// spares, for slots that are no whole segments, and for a segment that was not in one domain;
/// not_enough_nodes exactly where no repair exists: it names the domain that came nearest to one
/// more segment. O(nodes log nodes). Golden-tested, and compared with all permutations.
constexpr Result<Repair> repair(const Domains& domains, int level, std::span<const int> slots,
                                std::span<const int> failed, std::span<const int> spares,
                                int segment) {
  detail::RepairPlan plan(domains, level, slots);
  if (const auto error = plan.make(failed, spares, segment)) return *error;
  Repair out;
  plan.fill(out.nodes_, out.spares_);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    out.moved_ += plan.is_healthy(slots[i]) && out.nodes_[i] != slots[i] ? 1 : 0;
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_REPAIR_HPP
