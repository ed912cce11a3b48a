// SPDX-License-Identifier: MIT
// The nodes of a repair: what each is used for, whether it is healthy, and in which domain.
#ifndef RANKMAP_DOMAIN_DETAIL_REPAIR_NODES_HPP
#define RANKMAP_DOMAIN_DETAIL_REPAIR_NODES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/detail/check_level.hpp>
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
      : domains_(&domains), level_(level), segment_(segment) {
    states_.resize(static_cast<unsigned>(domains.node_count()));
  }

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
      return error_at(Errc::inconsistent, "slots",
                      concat<31>(std::uint64_t{slots.size()}, " slots"),
                      concat<64>("a multiple of the segment, ", segment_), "pass whole segments");
    }
    if (const auto error = use("node of slot ", slots, Use::slot)) return error;
    if (const auto error = use("spare ", spares, Use::spare)) return error;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (const auto error = check("failed node ", i, failed[i])) return error;
      state(failed[i]).failed = true;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const int head = slots[i - i % segment];
      if (group_of(slots[i]) == group_of(head)) continue;
      return error_at(
          Errc::inconsistent, concat<63>("node of slot ", std::uint64_t{i}), concat<31>(slots[i]),
          concat<159>("a node of the domain of node ", head, ", as in the rest of its segment"),
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
    return out_of_range(concat<63>(what, std::uint64_t{i}), node,
                        concat<64>("a node in [0, ", count(), ")"), "pass nodes of these domains");
  }
  constexpr Optional<Error> use(std::string_view what, std::span<const int> nodes, Use as) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (const auto error = check(what, i, nodes[i])) return error;
      if (state(nodes[i]).use != Use::none) {
        return error_at(Errc::inconsistent, concat<63>(what, std::uint64_t{i}),
                        concat<31>(nodes[i]), "each node once among slots and spares",
                        "pass each node once");
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_REPAIR_NODES_HPP
