// SPDX-License-Identifier: MIT
// Finds numbers of one identity that contradict each other, whatever their source.
#ifndef RANKMAP_IDENTITY_DETAIL_CONTRADICTION_HPP
#define RANKMAP_IDENTITY_DETAIL_CONTRADICTION_HPP

#include <rankmap/identity/field.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// The six numbers of a process; -1: not known.
struct SixNumbers {
  int of[number_count] = {-1, -1, -1, -1, -1, -1};
  constexpr int& operator[](Field field) { return of[static_cast<std::size_t>(field)]; }
  constexpr int operator[](Field field) const { return of[static_cast<std::size_t>(field)]; }
  friend constexpr bool operator==(const SixNumbers&, const SixNumbers&) = default;
};

/// A contradiction; `field` is the one to report.
struct Contradiction {
  enum class Kind : std::uint8_t {
    none,
    too_small,     ///< a size of 0
    out_of_range,  ///< an index that is not below `bound`
    too_large,     ///< a size above `bound`
    nodes,         ///< a node count that leaves too few processes for the other nodes
  };
  Kind kind = Kind::none;
  Field field = Field::rank;
  Field bound = Field::rank;
  constexpr explicit operator bool() const { return kind != Kind::none; }
};

/// `field` is an index below `bound`, or a size of at most `bound`.
struct BoundRule {
  Field field;
  Field bound;
};
inline constexpr BoundRule worker_rules[] = {
    {Field::rank, Field::world_size},
    {Field::local_rank, Field::local_world_size},
    {Field::local_rank, Field::world_size},
    {Field::local_world_size, Field::world_size},
};
inline constexpr BoundRule node_rules[] = {
    {Field::node_rank, Field::node_count},
    // the rest holds if every node has a process
    {Field::node_rank, Field::world_size},
    {Field::node_count, Field::world_size},
};

constexpr bool is_size(Field field) {
  return field == Field::world_size || field == Field::local_world_size ||
         field == Field::node_count;
}

/// The contradiction, if a rule is broken.
constexpr Contradiction check_rule(const BoundRule& rule, const SixNumbers& numbers) {
  using Kind = Contradiction::Kind;
  const int value = numbers[rule.field];
  const int bound = numbers[rule.bound];
  if (bound == 0) return {Kind::too_small, rule.bound, rule.bound};
  if (value < 0 || bound < 0 || value < bound) return {};
  if (!is_size(rule.field)) return {Kind::out_of_range, rule.field, rule.bound};
  return value == bound ? Contradiction{} : Contradiction{Kind::too_large, rule.field, rule.bound};
}

/// The first contradiction among rank, world size, local rank and local world size.
RANKMAP_RARE constexpr Contradiction find_worker_contradiction(const SixNumbers& numbers) {
  for (const BoundRule& rule : worker_rules) {
    if (const Contradiction found = check_rule(rule, numbers)) return found;
  }
  return {};
}

/// The first contradiction of node rank and node count, with each other or with the sizes.
/// `empty_nodes`: a node may have no process.
RANKMAP_RARE constexpr Contradiction find_node_contradiction(const SixNumbers& numbers,
                                                             bool empty_nodes) {
  for (const BoundRule& rule : node_rules) {
    if (const Contradiction found = check_rule(rule, numbers)) return found;
    if (empty_nodes) return {};
  }
  const int nodes = numbers[Field::node_count];
  const int world = numbers[Field::world_size];
  const int local = numbers[Field::local_world_size];
  if (nodes < 0 || world < 0 || local < 0) return {};
  // Every other node runs at least one process. If there is no other node, this one runs all.
  const int elsewhere = world - local;
  if (nodes == 1 ? elsewhere == 0 : nodes - 1 <= elsewhere) return {};
  return {Contradiction::Kind::nodes, Field::node_count, Field::world_size};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_CONTRADICTION_HPP
