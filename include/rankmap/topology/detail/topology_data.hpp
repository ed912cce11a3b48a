// SPDX-License-Identifier: MIT
// The data of a Topology, which the resolver fills in.
#ifndef RANKMAP_TOPOLOGY_DETAIL_TOPOLOGY_DATA_HPP
#define RANKMAP_TOPOLOGY_DETAIL_TOPOLOGY_DATA_HPP

#include <rankmap/hosts/host_list.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/rendezvous.hpp>

#include <cstddef>
#include <optional>

namespace rankmap::inline v0::detail {

/// All that a topology knows.
struct TopologyData : IdentityData {
  StaticString<255> host;
  StaticString<255> job_id;
  StaticString<31> step_id;
  int restart_count = 0;
  HostList hosts;
  OptionalLayout layout;
  std::optional<Rendezvous> rendezvous;
  Origin origins[field_count - number_count];  ///< of the fields behind the six numbers

  constexpr const Origin& origin(TopologyField field) const {
    const auto place = static_cast<std::size_t>(field);
    return place < number_count ? identity.origin(field) : origins[place - number_count];
  }
  /// Precondition: the field is none of the six numbers.
  constexpr void set_origin(TopologyField field, const Origin& origin) {
    origins[static_cast<std::size_t>(field) - number_count] = origin;
  }

  friend constexpr bool operator==(const TopologyData&, const TopologyData&) = default;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_TOPOLOGY_DATA_HPP
