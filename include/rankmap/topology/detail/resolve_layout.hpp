// SPDX-License-Identifier: MIT
// Finds the layout and the hosts of the whole job. They follow only from values that are
// the same on every rank: code may branch on them before a collective, and would hang if ranks
// differed.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RESOLVE_LAYOUT_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RESOLVE_LAYOUT_HPP

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/row_layouts.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/topology_data.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Who states the distribution: whoever runs the job, or the caller.
constexpr std::string_view stater_of_distribution(const EnvironmentView& variables) {
  const bool by_operator = !variables.text_or_empty(distribution_word).empty();
  return by_operator ? distribution_word : "Config::distribution";
}

/// A layout, or why it could not be made.
constexpr Result<OptionalLayout> or_error(Result<Layout> layout) {
  if (!layout) return layout.error();
  return OptionalLayout(*std::move(layout));
}

/// The layout that the caller states; empty if there is none. Errors: malformed task counts, counts
/// that do not add up to the world size, counts without a distribution, a distribution that
/// cannot be computed, or one that does not have the ranks of this node.
RANKMAP_RARE constexpr Result<OptionalLayout> layout_from_config(const ProcessNumbers& identity,
                                                                 const Record* record,
                                                                 const EnvironmentView& variables,
                                                                 const Config& config) {
  std::optional<Distribution> distribution = config.distribution;
  if (!distribution && record != nullptr && record->row.node_by_node) {
    distribution = Distribution::block;
  }
  const Distribution dealt = distribution.value_or(Distribution::block);
  if (config.tasks_per_node) {
    const auto counts = TaskCounts::parse(*config.tasks_per_node, "Config::tasks_per_node");
    if (!counts) return counts.error();
    if (identity.knows(Field::world_size) && counts->tasks() != identity[Field::world_size]) {
      return error_at(Errc::inconsistent, "Config::tasks_per_node", *config.tasks_per_node,
                      concat<159>("counts that add up to ", quoted(identity, Field::world_size)),
                      "pass the number of processes on each node");
    }
    if (!distribution && counts->nodes() != 1) {
      return error_missing(Errc::missing, "Config::distribution",
                           "how ranks are distributed over Config::tasks_per_node",
                           "pass Distribution::block or another one");
    }
    return or_error(Layout::from_counts(*config.tasks_per_node, dealt));
  }
  if (config.distribution && record != nullptr && has_layout_counts(record->row)) {
    OptionalLayout layout = stated_layout(record->row, variables, *config.distribution);
    if (layout) return layout;
    return error_at(Errc::inconsistent, stater_of_distribution(variables),
                    name(config.distribution->kind),
                    concat<159>("a distribution with ", quoted(identity, Field::rank),
                                " and the other ranks of this node on it"),
                    "state the one of this launch or none; gather_hosts() finds the nodes, too");
  }
  if (!identity.knows(Field::node_count) || !identity.knows(Field::local_world_size)) {
    return OptionalLayout();
  }
  // A launcher that numbers nodes itself may have dealt the ranks in another order.
  const bool has_own_order = record != nullptr && has_layout_counts(record->row);
  const bool alone_on_nodes =
      config.one_process_per_node && !has_own_order && identity[Field::local_world_size] == 1;
  if ((config.even_nodes && distribution) || alone_on_nodes) {
    return or_error(
        Layout::even(identity[Field::node_count], identity[Field::local_world_size], dealt));
  }
  return OptionalLayout();
}

/// The layout that the launcher's numbers prove, and by which `rule`; empty if they prove none.
RANKMAP_RARE constexpr OptionalLayout layout_from_record(const ProcessNumbers& identity,
                                                         const Record* record,
                                                         const EnvironmentView& variables,
                                                         std::string_view& rule) {
  if (!identity.knows(Field::world_size)) return std::nullopt;
  const int world = identity[Field::world_size];
  const int nodes = identity.knows(Field::node_count) ? identity[Field::node_count] : 0;
  if (nodes == 1) {
    rule = "one node";
    return Layout::block(1, world);
  }
  if (record == nullptr) return std::nullopt;
  if (OptionalLayout layout = proved_layout(record->row, variables, rule)) return layout;
  if (!record->row.node_by_node) return std::nullopt;
  // With two nodes, one after the other, all other processes are on the other node. With three this
  // is not known: to the first node, 2, 1 and 3 processes look like 2 on each.
  if (nodes == 2 && identity.knows(Field::node_rank) && identity.knows(Field::local_world_size)) {
    rule = "two nodes: mine and the rest";
    const int here = identity[Field::local_world_size];
    const int there = world - here;
    const bool is_first = identity[Field::node_rank] == 0;
    const int counts[] = {is_first ? here : there, is_first ? there : here};
    Result<Layout> layout = Layout::from_counts(std::span(counts), Distribution::block);
    if (layout) return *std::move(layout);
  }
  // Every node runs at least one process, so here each runs one, in node order.
  if (nodes == world) {
    rule = "as many nodes as processes";
    return Layout::block(world, 1);
  }
  return std::nullopt;
}

/// The first number of the identity that the layout contradicts. The local rank is compared only on
/// request: torchrun's --virtual-local-rank and Open MPI's rank files number it in another way.
RANKMAP_RARE constexpr Optional<Field> find_mismatch(const ProcessNumbers& identity,
                                                     const Layout& layout, bool with_local_rank) {
  const auto differs = [&](Field field, int number) {
    return identity.knows(field) && identity[field] != number;
  };
  if (differs(Field::world_size, layout.world_size())) return Field::world_size;
  if (differs(Field::node_count, layout.node_count())) return Field::node_count;
  if (!identity.knows(Field::rank)) return std::nullopt;
  const int rank = identity[Field::rank];
  if (rank >= layout.world_size()) return Field::rank;
  const int node = layout.node_of(rank);
  if (differs(Field::node_rank, node)) return Field::node_rank;
  if (differs(Field::local_world_size, layout.local_world_size(node))) {
    return Field::local_world_size;
  }
  if (with_local_rank && differs(Field::local_rank, layout.local_rank_of(rank))) {
    return Field::local_rank;
  }
  return std::nullopt;
}

/// The hosts in a text. Errors: the text does not have the form that the row declares.
RANKMAP_RARE constexpr Result<HostList> parse_hosts_of_row(const LauncherRow& row,
                                                           std::string_view text,
                                                           std::string_view variable) {
  if (!row.hosts_are_json) return HostList::parse(text, {}, variable);
  const Result<Json> list = Json::parse(text, variable);
  if (!list) return list.error();
  HostListBuilder hosts({}, variable);
  bool are_names = list->is(JsonKind::array);
  for (JsonItems items = list->elements(); are_names && items.next();) {
    const auto host = items.value().string<longest_host_name>();
    are_names = host.has_value();
    if (host) hosts.add(*host);
  }
  if (!are_names) {
    return error_at(Errc::bad_host_list, variable, text, "a JSON list of host names",
                    "correct or unset it");
  }
  return hosts.finish();
}

/// Sets the hosts that the caller states, and their number. Errors: they are no list, or an empty
/// one.
RANKMAP_RARE constexpr Optional<Error> set_given_hosts(TopologyData& data, std::string_view text) {
  Result<HostList> hosts = HostList::parse(text, {}, "Config::hosts");
  if (!hosts) return hosts.error();
  if (hosts->empty()) {
    return error_at(Errc::bad_host_list, "Config::hosts", text, "at least the host of this process",
                    "pass the hosts in node order, or leave it unset");
  }
  data.hosts = *std::move(hosts);
  data.set_origin(Field::hosts, {OriginKind::given, Launcher::config, "Config::hosts", {}});
  data.identity.derive(Field::node_count, static_cast<std::int64_t>(data.hosts.size()),
                       "the number of Config::hosts");
  data.identity.apply_rules();
  return std::nullopt;
}

/// What the caller states that layout_from_config() makes a layout of.
constexpr std::string_view statement_of_layout(const Config& config,
                                               const EnvironmentView& variables) {
  if (config.tasks_per_node) return "Config::tasks_per_node";
  if (config.one_process_per_node) return "Config::one_process_per_node";
  if (config.distribution && !config.even_nodes) return stater_of_distribution(variables);
  return "Config::even_nodes";
}

/// Sets the numbers that follow from a layout, and warns if the local rank is another. `rule`: why
/// the layout is known.
RANKMAP_RARE constexpr void derive_from_layout(TopologyData& data, const Layout& layout,
                                               std::string_view rule) {
  ProcessNumbers& identity = data.identity;
  identity.derive(Field::world_size, layout.world_size(), rule);
  identity.derive(Field::node_count, layout.node_count(), rule);
  if (!identity.knows(Field::rank) || identity[Field::rank] >= layout.world_size()) return;
  const int node = layout.node_of(identity[Field::rank]);
  const int local = layout.local_rank_of(identity[Field::rank]);
  identity.derive(Field::node_rank, node, rule);
  identity.derive(Field::local_world_size, layout.local_world_size(node), rule);
  identity.derive(Field::local_rank, local, rule);
  if (identity[Field::local_rank] == local) return;
  const Origin& origin = identity.origin(Field::local_rank);
  const bool is_virtual = origin.launcher == Launcher::torchrun && identity[Field::local_rank] == 0;
  data.warnings.add({subject_of(identity, Field::local_rank), origin.text,
                     "the position of this rank among the ranks of its node",
                     "see whether a wrapper sets it; some launchers number by cores",
                     Launcher::none, is_virtual ? Doubt::virtual_rank : Doubt::value});
}

/// Sets the hosts that the launcher lists, or warns that they are not those of the nodes.
RANKMAP_RARE constexpr void set_listed_hosts(TopologyData& data, const LauncherRow& row,
                                             const EnvironmentView& variables) {
  const auto [variable, text] = first_set(row.hosts, variables);
  if (variable.empty()) return;
  Result<HostList> hosts = parse_hosts_of_row(row, text, variable);
  const ProcessNumbers& identity = data.identity;
  if (hosts && identity.knows(Field::node_count) &&
      hosts->size() == static_cast<std::size_t>(identity[Field::node_count])) {
    data.hosts = *std::move(hosts);
    data.set_origin(Field::hosts, {OriginKind::read, row.launcher, variable, shortened(text)});
  } else {
    data.warnings.add({variable, shortened(text), "a host list with one host for each node"});
  }
}

/// Sets layout and hosts, and the numbers of the identity that follow from them.
RANKMAP_RARE constexpr Optional<Error> resolve_layout(TopologyData& data, const Record* record,
                                                      const EnvironmentView& variables,
                                                      const Config& config) {
  ProcessNumbers& identity = data.identity;
  if (config.hosts) {
    if (const auto error = set_given_hosts(data, *config.hosts)) return error;
  }
  Result<OptionalLayout> given = layout_from_config(identity, record, variables, config);
  if (!given) return given.error();
  std::string_view rule = statement_of_layout(config, variables);
  if (*given) {
    if (const auto field = find_mismatch(identity, **given, true)) {
      return error_about(identity, Errc::inconsistent, *field,
                         concat<159>("the value that follows from rank, world size and ", rule),
                         rule);
    }
    data.layout = std::move(**given);
    data.set_origin(Field::layout, {OriginKind::given, Launcher::config, rule, {}});
  } else if (OptionalLayout proved = layout_from_record(identity, record, variables, rule)) {
    if (const auto field = find_mismatch(identity, *proved, false)) {
      data.warnings.add({subject_of(identity, *field), identity.origin(*field).text,
                         "a number that agrees with rank and sizes: no layout follows from these"});
    } else {
      data.layout = std::move(*proved);
      data.set_origin(Field::layout, {OriginKind::derived, Launcher::none, rule, {}});
    }
  }
  if (data.layout) derive_from_layout(data, *data.layout, rule);
  if (!config.hosts) {
    if (record != nullptr && has_hosts_in_order(record->row, variables)) {
      set_listed_hosts(data, record->row, variables);
    }
  } else if (identity.knows(Field::node_count) &&
             data.hosts.size() != static_cast<std::size_t>(identity[Field::node_count])) {
    return error_at(Errc::inconsistent, "Config::hosts", *config.hosts,
                    concat<159>("one host for each of ", identity[Field::node_count], " nodes"),
                    "pass the hosts in node order");
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RESOLVE_LAYOUT_HPP
