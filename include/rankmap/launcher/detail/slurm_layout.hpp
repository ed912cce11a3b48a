// SPDX-License-Identifier: MIT
// The layouts that the variables of a Slurm step prove. Precondition of all: check_slurm_step found
// a task.
#ifndef RANKMAP_LAUNCHER_DETAIL_SLURM_LAYOUT_HPP
#define RANKMAP_LAUNCHER_DETAIL_SLURM_LAYOUT_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/detail/pmix_server.hpp>
#include <rankmap/launcher/detail/slurm_components.hpp>
#include <rankmap/layout/layout.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// A layout, or none where it could not be made.
RANKMAP_RARE constexpr OptionalLayout or_none(Result<Layout> layout) {
  if (!layout) return std::nullopt;
  return *std::move(layout);
}

/// Whether SLURM_GTIDS lists the ranks that the layout has on this node.
RANKMAP_RARE constexpr bool has_ranks_of_this_node(const Layout& layout,
                                                   const EnvironmentView& variables) {
  const Number node = parse_number(variables.text_or_empty("SLURM_NODEID"));
  if (!node || node.value >= static_cast<std::uint64_t>(layout.node_count())) return false;
  ListEntries ranks_here(variables.text_or_empty("SLURM_GTIDS"));
  for (const int rank : layout.ranks_on(static_cast<int>(node.value))) {
    const Number listed = ranks_here.next() ? parse_number(ranks_here.text()) : Number{};
    if (!listed || listed.value != static_cast<std::uint64_t>(rank)) return false;
  }
  return true;  // the check has counted the entries
}

/// An irregular layout takes memory for each task, and a short text may claim any number of them.
inline constexpr std::uint64_t max_mapped_tasks = std::uint64_t{1} << 20U;

/// The nodes of all ranks, as Slurm's PMIx server lists them; empty if there is no such list.
/// Another step may inherit the list, so it counts if the namespace beside it is this step's. It is
/// not read for more than `max_mapped_tasks`.
constexpr std::string_view pmix_mapping_of_step(const EnvironmentView& variables) {
  const std::string_view text = variables.text_or_empty("SLURM_PMIX_MAPPING_SERV");
  if (text.empty() || is_heterogeneous_step(variables) ||
      !is_namespace_of_step(variables.text_or_empty("PMIX_NAMESPACE"), variables)) {
    return {};
  }
  const Number tasks = parse_number(variables.text_or_empty("SLURM_STEP_NUM_TASKS"));
  return tasks.value <= max_mapped_tasks ? text : std::string_view();
}

/// The layout of the step's counts by `distribution`, if it has the ranks of this node.
RANKMAP_RARE constexpr OptionalLayout layout_dealt_by(const EnvironmentView& variables,
                                                      Distribution distribution) {
  if (is_heterogeneous_step(variables)) return std::nullopt;
  Result<Layout> layout =
      Layout::from_counts(variables.text_or_empty("SLURM_STEP_TASKS_PER_NODE"), distribution);
  if (!layout || !has_ranks_of_this_node(*layout, variables)) return std::nullopt;
  return *std::move(layout);
}

/// Whether Slurm deals the tasks of a block step over the list of its nodes. From version 26.05 on
/// it deals them in the order of the switches or blocks of a topology plugin, which no task can
/// see. Two variables together prove the list, alike on every task: no plugin gave the node an
/// address, and no 26.05 or newer started the task. The first alone is no proof: a partition may
/// have a topology of its own that the address does not show. Nor is the second: a newer slurmctld
/// deals for an older slurmd.
constexpr bool is_dealt_over_list(const EnvironmentView& variables) {
  return variables.text_or_empty("SLURM_TOPOLOGY_ADDR_PATTERN") == "node" &&
         !variables.has("SLURM_JOB_SLUID");
}

/// The layout of a step by its distribution. Empty for an arbitrary one, which sets only this
/// node's ranks, and for a heterogeneous step, whose components may have different ones. Empty for
/// a block of three nodes or more that may not be dealt over the list. Empty if it lacks the ranks
/// of this node, or if the PMIx server lists the nodes: that list decides alone.
RANKMAP_RARE constexpr OptionalLayout layout_by_distribution(const EnvironmentView& variables) {
  if (!pmix_mapping_of_step(variables).empty()) return std::nullopt;
  Distribution distribution = Distribution::block;  // srun sets nothing if it fills the nodes
  if (const auto text = variables("SLURM_DISTRIBUTION")) {
    const auto parsed = Distribution::parse(*text, variables("SLURM_DIST_PLANESIZE"));
    if (!parsed) return std::nullopt;
    distribution = *parsed;
  }
  if (distribution.kind == DistributionKind::arbitrary) return std::nullopt;
  if (distribution.kind == DistributionKind::block && !is_dealt_over_list(variables)) {
    const auto counts = TaskCounts::parse(variables.text_or_empty("SLURM_STEP_TASKS_PER_NODE"));
    if (counts && counts->nodes() > 2) return std::nullopt;
  }
  return layout_dealt_by(variables, distribution);
}

/// The layout of a step on two nodes: this one has the ranks of SLURM_GTIDS, and the other one has
/// the rest, in whatever way they were dealt. Empty where the PMIx server lists the nodes, as
/// above.
RANKMAP_RARE constexpr OptionalLayout layout_of_two_nodes(const EnvironmentView& variables) {
  const Number nodes = parse_number(variables.text_or_empty("SLURM_STEP_NUM_NODES"));
  const Number tasks = parse_number(variables.text_or_empty("SLURM_STEP_NUM_TASKS"));
  const Number here = parse_number(variables.text_or_empty("SLURM_NODEID"));
  if (!pmix_mapping_of_step(variables).empty() || is_heterogeneous_step(variables) ||
      nodes.value != 2 || !here || here.value > 1 || tasks.value > max_mapped_tasks) {
    return std::nullopt;
  }
  const int own = static_cast<int>(here.value);
  SmallVector<int, 64> node_of_rank(to_size(tasks.value), 1 - own);
  std::uint64_t next = 0;  // ranks are listed in order, as local ranks count them
  for (ListEntries ranks(variables.text_or_empty("SLURM_GTIDS")); ranks.next();) {
    const Number rank = parse_number(ranks.text());
    if (!rank || rank.value < next || rank.value >= tasks.value) return std::nullopt;
    node_of_rank[to_size(rank.value)] = own;
    next = rank.value + 1;
  }
  return or_none(Layout::from_nodes({node_of_rank.data(), node_of_rank.size()}, 2));
}

/// The layout by the list of the PMIx server, of any distribution. Empty if it contradicts the
/// counts of the step or the ranks of this node.
RANKMAP_RARE constexpr OptionalLayout layout_by_pmix_mapping(const EnvironmentView& variables) {
  const std::string_view text = pmix_mapping_of_step(variables);
  if (text.empty()) return std::nullopt;
  const auto map = ProcessMap::parse_pmi(text, {});
  const auto counts = TaskCounts::parse(variables.text_or_empty("SLURM_STEP_TASKS_PER_NODE"));
  if (!map || !counts || map->ranks() != counts->tasks() || map->nodes() != counts->nodes() ||
      counts->nodes() > counts->tasks()) {
    return std::nullopt;
  }
  Result<Layout> layout = Layout::from_pmi_vector(text);
  if (!layout || !has_ranks_of_this_node(*layout, variables)) return std::nullopt;
  int node = 0;
  bool fits = true;
  counts->for_each_run([&](TaskRun run) {
    for (int left = run.nodes; left != 0; --left) {
      fits = fits && layout->local_world_size(node++) == run.count;
    }
  });
  if (!fits) return std::nullopt;
  return *std::move(layout);
}

/// The layout by the list of the PMIx server, where the other names of the step are gone.
RANKMAP_RARE constexpr OptionalLayout layout_by_map_alone(const EnvironmentView& variables,
                                                          std::string_view& rule) {
  rule = check_pmix_server(variables).process_map;
  const std::string_view text = rule.empty() ? rule : variables.text_or_empty(rule);
  const auto map = ProcessMap::parse_pmi(text, {});
  if (!map || static_cast<std::uint64_t>(map->ranks()) > max_mapped_tasks) return std::nullopt;
  return or_none(Layout::from_pmi_vector(text));
}

/// A layout that variables prove, the same on every rank; nothing if they do not.
struct SlurmLayoutRule {
  std::string_view name;  ///< which variables prove it
  OptionalLayout (*layout)(const EnvironmentView&);
};
inline constexpr SlurmLayoutRule slurm_layouts[] = {
    {"SLURM_PMIX_MAPPING_SERV, equal to SLURM_GTIDS", layout_by_pmix_mapping},
    {"SLURM_STEP_TASKS_PER_NODE by SLURM_DISTRIBUTION, equal to SLURM_GTIDS",
     layout_by_distribution},
    {"SLURM_GTIDS of two nodes: mine and the rest", layout_of_two_nodes},
};

/// Why a step of Slurm may have no layout.
inline constexpr std::string_view why_no_slurm_layout =
    "Slurm may deal in topology order (26.05 and newer); gather_hosts() finds out, or state it: "
    "Config::distribution, RANKMAP_DISTRIBUTION";

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_SLURM_LAYOUT_HPP
