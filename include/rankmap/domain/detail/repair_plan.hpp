// SPDX-License-Identifier: MIT
// What each node of a repair is used for, and in which domain; which segments stay in their domains
// after a failure, which have to go, and who fills what.
#ifndef RANKMAP_DOMAIN_DETAIL_REPAIR_PLAN_HPP
#define RANKMAP_DOMAIN_DETAIL_REPAIR_PLAN_HPP

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

namespace rankmap::inline v0::detail {

/// What a node is used for before the repair.
struct RepairState {
  enum class Use : std::uint8_t { none, slot, spare };
  Use use = Use::none;
  bool failed = false;
};

class RepairNodes {
  using Use = RepairState::Use;

 public:
  constexpr RepairNodes(const Domains& domains, int level, int segment)
      : domains_(&domains),
        level_(level),
        segment_(segment),
        states_(static_cast<unsigned>(domains.node_count())) {}

  constexpr int count() const { return domains_->node_count(); }
  constexpr bool is_healthy(int node) const {
    return state(node).use != Use::none && !state(node).failed;
  }
  constexpr bool is_spare(int node) const { return state(node).use == Use::spare; }
  /// The lowest node of its domain. Where every node may be anywhere and no level is known, each is
  /// a domain of its own.
  constexpr int group_of(int node) const {
    return domains_->has_level(level_) ? domains_->first_node(level_, node) : node;
  }

  /// Takes note of the nodes, and checks them.
  constexpr Optional<Error> read(std::span<const int> slots, std::span<const int> failed,
                                 std::span<const int> spares) {
    if (segment_ < 1) {
      return out_of_range("segment", segment_, "at least 1", "pass how many slots share a domain");
    }
    if (segment_ > 1) {
      if (const auto error = check_level(*domains_, level_)) return error;
    }
    const auto segment = static_cast<std::size_t>(segment_);
    if (slots.size() % segment != 0) {
      return error_at(Errc::inconsistent, "slots", concat(slots.size(), " slots"),
                      concat("a multiple of the segment, ", segment_), "pass whole segments");
    }
    if (const auto error = assign("node of slot ", slots, Use::slot)) return error;
    if (const auto error = assign("spare ", spares, Use::spare)) return error;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (const auto error = check("failed node ", i, failed[i])) return error;
      state(failed[i]).failed = true;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const int head = slots[i - i % segment];
      if (group_of(slots[i]) == group_of(head)) continue;
      return error_at(
          Errc::inconsistent, concat("node of slot ", i), concat(slots[i]),
          concat("a node of the domain of node ", head, ", as in the rest of its segment"),
          "pass the nodes as choose_segments() or the last repair() returned them");
    }
    return {};
  }

 private:
  constexpr RepairState& state(int node) { return states_[static_cast<std::size_t>(node)]; }
  constexpr const RepairState& state(int node) const {
    return states_[static_cast<std::size_t>(node)];
  }

  constexpr Optional<Error> check(std::string_view what, std::size_t i, int node) const {
    if (node >= 0 && node < count()) return {};
    return out_of_range(concat(what, i), node, concat("a node in [0, ", count(), ")"),
                        "pass nodes of these domains");
  }
  constexpr Optional<Error> assign(std::string_view what, std::span<const int> nodes, Use as) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (const auto error = check(what, i, nodes[i])) return error;
      if (state(nodes[i]).use != Use::none) {
        return error_at(Errc::inconsistent, concat(what, i), concat(nodes[i]),
                        "each node once among slots and spares", "pass each node once");
      }
      state(nodes[i]).use = as;
    }
    return {};
  }

  const Domains* domains_;
  int level_;
  int segment_;
  SmallVector<RepairState, 16> states_;
};

/// Domains are called by their lowest nodes. Keeps a pointer to the nodes, and views the slots.
class RepairPlan {
 public:
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~RepairPlan() = default;
  constexpr RepairPlan(const RepairNodes& nodes, std::span<const int> slots, int segment)
      : nodes_(&nodes),
        slots_(slots),
        segment_(static_cast<std::size_t>(segment)),
        healthy_(static_cast<unsigned>(nodes.count())),
        kept_(healthy_.size()),
        stays_(slots.size() / segment_) {
    for (int node = 0; node != nodes.count(); ++node) {
      healthy_[group(node)] += nodes.is_healthy(node) ? 1U : 0U;
    }
    keep_segments();
  }

  /// Nothing where there is a repair: where the domains have room for all segments.
  constexpr Optional<Error> error() const {
    std::size_t room = 0;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < healthy_.size(); ++i) {
      room += healthy_[i] / segment_;
      if (healthy_[i] % segment_ > healthy_[nearest] % segment_) nearest = i;
    }
    const std::size_t wanted = slots_.size() / segment_;
    if (room >= wanted) return {};
    return error_at(
        Errc::not_enough_nodes, "healthy nodes", concat(room, " segments of ", segment_),
        concat(wanted, " whole; the domain of node ", nearest, " came nearest to one more, with ",
               std::uint64_t{healthy_.empty() ? 0 : healthy_[nearest] % segment_}, " nodes for it"),
        "add healthy nodes there, or continue with fewer slots");
  }

  /// Precondition: no error().
  template <class Nodes>
  constexpr void fill(Nodes& out, Nodes& spares) const {
    // What each domain can give, in this order: spares, then nodes whose segments have to go.
    Indices pool;
    SmallVector<std::size_t, 16> next(healthy_.size());  // of each domain: its place in `pool`
    SmallVector<bool, 16> goes(healthy_.size());         // of each node: its segment does not stay
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!stays_[i / segment_]) goes[static_cast<std::size_t>(slots_[i])] = true;
    }
    for (int node = 0; node != nodes_->count(); ++node) {
      const bool free = nodes_->is_spare(node) || goes[static_cast<std::size_t>(node)];
      if (free && nodes_->is_healthy(node)) pool.push_back(static_cast<std::uint32_t>(node));
    }
    merge_sort(pool, [&](std::uint32_t a, std::uint32_t b) {
      const std::size_t group_a = group(static_cast<int>(a));
      const std::size_t group_b = group(static_cast<int>(b));
      return group_a != group_b ? group_a < group_b : !goes[a] && goes[b];
    });
    for (std::size_t i = pool.size(); i-- != 0;) next[group(static_cast<int>(pool[i]))] = i;
    SmallVector<bool, 16> taken(healthy_.size());
    const auto take = [&](std::size_t from) {
      const std::uint32_t node = pool[next[from]++];
      taken[node] = true;
      return static_cast<int>(node);
    };

    out.resize(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!stays_[i / segment_]) continue;
      out[i] = nodes_->is_healthy(slots_[i]) ? slots_[i] : take(group(slots_[i]));
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
    for (std::size_t i = 0; i < healthy_.size(); ++i) {
      const int node = static_cast<int>(i);
      const bool free = nodes_->is_spare(node) || goes[i];
      if (free && nodes_->is_healthy(node) && !taken[i]) spares.push_back(node);
    }
  }

 private:
  constexpr std::size_t group(int node) const {
    return static_cast<std::size_t>(nodes_->group_of(node));
  }

  // A domain keeps the segments with most survivors, the first among equals.
  constexpr void keep_segments() {
    const std::size_t count = stays_.size();
    SmallVector<std::size_t, 16> survivors(count);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      survivors[i / segment_] += nodes_->is_healthy(slots_[i]) ? 1U : 0U;
    }
    const Indices order = sorted_indices(
        count, [&](std::uint32_t a, std::uint32_t b) { return survivors[a] > survivors[b]; });
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t home = group(slots_[order[i] * segment_]);
      stays_[order[i]] = kept_[home] < healthy_[home] / segment_;
      kept_[home] += stays_[order[i]] ? 1U : 0U;
    }
  }

  const RepairNodes* nodes_;
  std::span<const int> slots_;
  std::size_t segment_;
  SmallVector<std::size_t, 16> healthy_;  // nodes of each domain
  SmallVector<std::size_t, 16> kept_;     // segments that stay in each domain
  SmallVector<bool, 16> stays_;           // of each segment
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_REPAIR_PLAN_HPP
