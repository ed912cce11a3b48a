// SPDX-License-Identifier: MIT
// From an environment and the caller's Config to a topology: the steps of an identity, and between
// them layout, hosts, rendezvous and what else a record has.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/read_details.hpp>
#include <rankmap/topology/detail/resolve_layout.hpp>
#include <rankmap/topology/detail/topology_data.hpp>

#include <cstddef>
#include <optional>

namespace rankmap::inline v0::detail {

/// Fills `data`, which is empty before. It is not returned by value: to copy it would cost more
/// than to resolve it.
RANKMAP_RARE constexpr Optional<Error> resolve(const EnvironmentView& variables,
                                               const Config& given, TopologyData& data) {
  IdentityResolver resolver(variables, given, Need::all, data);
  if (const auto error = resolver.choose()) return error;
  if (const auto error = resolve_layout(data, resolver.placed(), variables, resolver.config())) {
    return error;
  }
  if (const auto error = resolver.check()) return error;
  if (resolver.record() != nullptr && !resolver.is_shared()) {
    read_details(data, *resolver.record(), variables);
  }
  resolver.warn_of_record();
  read_rendezvous(data, resolver, variables);
  resolver.list_others();
  for (std::size_t i = 0; i != number_count; ++i) {
    data.origins[i] = data.identity.origin(static_cast<Field>(i));
  }
  read_host_of_related_record(data, resolver, variables);
  if (data.host.empty() && data.layout && !data.hosts.empty()) {
    const int node = data.layout->node_of(data.identity[Field::rank]);
    data.host = data.hosts[static_cast<std::size_t>(node)];
    data.origin(Field::host) = {
        OriginKind::derived, Launcher::none, "the host of this rank's node in hosts", {}};
  }
  return resolver.finish();
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
