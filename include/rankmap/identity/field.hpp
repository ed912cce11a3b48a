// SPDX-License-Identifier: MIT
// The fields of a topology.
#ifndef RANKMAP_IDENTITY_FIELD_HPP
#define RANKMAP_IDENTITY_FIELD_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// The fields of a topology, the six numbers first. Each has its own origin.
enum class TopologyField : std::uint8_t {
  rank,
  world_size,
  local_rank,
  local_world_size,
  node_rank,
  node_count,
  host,
  hosts,
  layout,
  rendezvous,
  job_id,
  restart_count,
};
/// The number of fields.
inline constexpr std::size_t field_count = 12;

/// The name of a field, as explain() and JSON print it: that of its enumerator.
constexpr std::string_view name(TopologyField field) {
  return detail::enumerator(
      "rank\0world_size\0local_rank\0local_world_size\0node_rank\0node_count\0host\0hosts\0layout\0"
      "rendezvous\0job_id\0restart_count",
      field);
}

namespace detail {

using Field = TopologyField;

/// The six fields that are numbers, in their order.
inline constexpr Field number_fields[] = {Field::rank,       Field::world_size,
                                          Field::local_rank, Field::local_world_size,
                                          Field::node_rank,  Field::node_count};
inline constexpr std::size_t number_count = std::size(number_fields);
static_assert(static_cast<std::size_t>(Field::node_count) + 1 == number_count);

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_IDENTITY_FIELD_HPP
