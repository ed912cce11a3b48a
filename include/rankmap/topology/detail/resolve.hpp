// SPDX-License-Identifier: MIT
// From an environment and the caller's Config to a topology: the steps of an identity, and between
// them layout, hosts, rendezvous and details of a record. A rendezvous or a detail that cannot be
// used adds a warning, never an error.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/detail/resolve_layout.hpp>
#include <rankmap/topology/detail/topology_data.hpp>
#include <rankmap/topology/rendezvous.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Reads a text of the chosen record: its host or the id of its job.
RANKMAP_RARE constexpr void read_text(TopologyData& data, Launcher launcher, Field field,
                                      const Variable& variable, StaticString<255>& out) {
  const auto& [name, text] = variable;
  if (name.empty()) return;
  const bool is_host = field == Field::host;
  const bool is_good = is_host ? is_host_name(text) : text.size() <= 255;
  if (is_good) {
    out = text;
  } else {
    data.warnings.add(
        {name, shortened(text),
         is_host ? host_expectation : std::string_view("a text of at most 255 bytes")});
  }
  data.set_origin(
      field, {is_good ? OriginKind::read : OriginKind::unknown, launcher, name, shortened(text)});
}

/// Reads host, job, step and restart count of the chosen record.
RANKMAP_RARE constexpr void read_details(TopologyData& data, const Record& record,
                                         const EnvironmentView& variables) {
  const LauncherRow& row = record.row;
  read_text(data, row.launcher, Field::host, host_variable(row, variables), data.host);
  read_text(data, row.launcher, Field::job_id, first_set(row.job_id, variables), data.job_id);
  const Variable step = first_set(row.step_id, variables);
  data.step_id = step.value;
  if (data.step_id.cut()) {
    data.step_id = {};
    data.warnings.add({step.name, shortened(step.value), "a text of at most 31 bytes"});
  }

  Problem problem;
  const Value restarts = read_value({row.restart_count}, variables, problem);
  if (restarts.variable.empty()) return;
  if (restarts.known()) {
    data.restart_count = restarts.number;
  } else {
    data.warnings.add({restarts.variable, shortened(restarts.text), "a decimal number"});
  }
  data.set_origin(Field::restart_count,
                  {restarts.known() ? OriginKind::read : OriginKind::unknown, row.launcher,
                   restarts.variable, shortened(restarts.text)});
}

/// Whether an address is that of the host of this process, and rank 0 runs on another host.
RANKMAP_RARE constexpr bool is_host_without_rank_0(std::string_view address,
                                                   const TopologyData& data,
                                                   const IdentityResolver& resolver) {
  const Record* const chosen = resolver.record();
  const int rank = data.identity[Field::rank];
  // The lowest rank of a node has local rank 0.
  const bool is_elsewhere = data.layout ? data.layout->node_of(rank) != data.layout->node_of(0)
                                        : rank != 0 && data.identity[Field::local_rank] == 0;
  if (chosen == nullptr || !is_elsewhere) return false;
  if (is_own_address(address)) return true;
  for (const Record& record : resolver.records()) {
    if (record.state == RecordState::complete && !record.host.empty() &&
        record.host == address.substr(0, address.find('.')) &&
        compare_identity(*chosen, record).agree) {
      return true;
    }
  }
  return false;
}

/// Reads the rendezvous: the launcher's own pair of variables, or MASTER_ADDR and MASTER_PORT,
/// unless these may be an older launch's.
RANKMAP_RARE constexpr void read_rendezvous(TopologyData& data, IdentityResolver& resolver,
                                            const EnvironmentView& variables) {
  const Record* const record = resolver.record();
  const bool own = record != nullptr && !record->row.address.empty();
  const Launcher launcher = record != nullptr ? record->row.launcher : Launcher::none;
  const Variable whole = first_set(own ? record->row.address : master_address, variables);
  const auto& [variable, address] = whole;
  if (variable.empty()) return;
  if (const Record* const owner = own ? nullptr : resolver.owner_of(variable)) {
    data.set_origin(Field::rendezvous,
                    {OriginKind::unknown, owner->row.launcher, variable, shortened(address)});
    return;
  }
  const Variable beside = first_set(own ? record->row.port : master_port, variables);
  const std::string_view port = beside.value;
  Result<Rendezvous> found = Rendezvous::from_address(address, port, variable, beside.name);
  const auto warn = [&](const Variable& about, std::string_view expected,
                        std::string_view remedy = {}) {
    data.warnings.add({about.name, shortened(about.value), expected, remedy});
  };
  if (!found) {
    const bool bad_port = found.error().subject == beside.name;
    const Variable& bad = bad_port ? beside : whole;
    const HostPort parts = split_address(address);
    const auto host = without_brackets(parts.host);
    warn(bad, bad_port ? std::string_view("a decimal number in [0, 65536)")
              : !host  ? bracket_expectation
              : parts.number || !is_lone_host(*host) ? lone_host_expectation
                                                     : host_expectation);
    data.set_origin(Field::rendezvous,
                    {OriginKind::unknown, launcher, bad.name, shortened(bad.value)});
    return;
  }
  const bool says_port = !port.empty() || split_address(address).number;
  if (found->port == 0 && says_port && data.identity[Field::world_size] > 1) {
    warn(port.empty() ? whole : beside, "a port from 1 to 65535",
         "set the same free port on every rank");
  }
  found->kind = OriginKind::read;
  found->source = variable;
  found->has_agent_store = own && !record->row.agent_store_if.empty() &&
                           variables.text_or_empty(record->row.agent_store_if) == "True";
  // The agents of torchrun have met there.
  const bool is_met = own && !record->row.agent_store_if.empty();
  if (!is_met && variable == master_address.first() &&
      is_host_without_rank_0(found->address, data, resolver)) {
    warn(whole, "the host of rank 0, which is not that of this process",
         "set it to the host of rank 0 on every rank");
  }
  data.rendezvous = *found;
  data.set_origin(Field::rendezvous, {OriginKind::read, launcher, variable, shortened(address)});
}

/// Whether some record is neither of the launch of `chosen` (null: none) nor of that of `agent`.
RANKMAP_RARE constexpr bool has_third_launch(const Records& records, const Record* chosen,
                                             const Record& agent) {
  for (const Record& record : records) {
    if (claim_of(record) < Claim::part || &record == chosen || &record == &agent) continue;
    if (may_be_one_launch(record, agent)) continue;
    if (chosen == nullptr || !may_be_one_launch(record, *chosen)) return true;
  }
  return false;
}

/// Reads the host of this process from another record, if the chosen one has none: the original of
/// a copy, a record of the same launch, or that of an agent above, since an agent and its workers
/// run on one host. Two records with the same numbers prove no common host. Nor does an agent's
/// host, if the launcher spreads the first environment over all hosts.
RANKMAP_RARE constexpr void read_host_of_related_record(TopologyData& data,
                                                        const IdentityResolver& resolver,
                                                        const EnvironmentView& variables) {
  if (!data.host.empty()) return;
  const Record* const chosen = resolver.record();
  const ProcessNumbers& identity = data.identity;
  const bool is_on_one_node = identity.knows(Field::local_world_size) &&
                              identity[Field::local_world_size] == identity[Field::world_size];
  for (const OtherRecord& other : data.others) {
    if (other.state != RecordState::complete) continue;
    const Record* const record = resolver.records().find(other.launcher);
    const bool is_of_launch =
        record == resolver.original() || (chosen != nullptr && other.relation == Relation::same &&
                                          may_be_one_launch(*record, *chosen));
    // A lone agent has workers on one node. Either of two launches above may be the starter.
    const bool is_spread = chosen != nullptr && chosen->row.spreads_first_environment;
    const bool is_agent = other.relation == Relation::nested && !is_spread &&
                          ((*record)[Field::world_size].number > 1 || is_on_one_node) &&
                          !has_third_launch(resolver.records(), chosen, *record);
    if (!is_agent && !is_of_launch) continue;
    const auto [variable, text] = host_variable(record->row, variables);
    if (variable.empty() || !is_host_name(text)) continue;
    data.host = StaticString<255>(text);
    data.set_origin(Field::host, {OriginKind::read, other.launcher, variable, shortened(text)});
    return;
  }
}

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
  read_host_of_related_record(data, resolver, variables);
  if (data.host.empty() && data.layout && !data.hosts.empty()) {
    const int node = data.layout->node_of(data.identity[Field::rank]);
    data.host = data.hosts[static_cast<std::size_t>(node)];
    data.set_origin(
        Field::host,
        {OriginKind::derived, Launcher::none, "the host of this rank's node in hosts", {}});
  }
  return resolver.finish();
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
