// SPDX-License-Identifier: MIT
// The layouts that the variables of a launcher prove, for the rows that have such variables.
#ifndef RANKMAP_LAUNCHER_ROW_LAYOUTS_HPP
#define RANKMAP_LAUNCHER_ROW_LAYOUTS_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/detail/slurm_components.hpp>
#include <rankmap/launcher/detail/slurm_layout.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/layout/layout.hpp>

#include <string_view>

namespace rankmap::inline v0 {

/// The layout that the variables of a row prove, the same on every rank of the job; nothing if they
/// prove none. `rule` receives which variables prove it. Precondition: the check of the row found a
/// task. Cost: O(tasks) for an irregular layout, else that of the look-ups.
constexpr OptionalLayout proved_layout(const LauncherRow& row, const EnvironmentView& variables,
                                       std::string_view& rule) {
  if (row.check == CheckKind::pmix_server) return detail::layout_by_map_alone(variables, rule);
  if (!row.has_slurm_layout) return std::nullopt;
  for (const detail::SlurmLayoutRule& proof : detail::slurm_layouts) {
    rule = proof.name;
    if (OptionalLayout layout = proof.layout(variables)) return layout;
  }
  return std::nullopt;
}

/// Whether the row has the counts of a layout, of which somebody may state the distribution.
constexpr bool has_layout_counts(const LauncherRow& row) { return row.has_slurm_layout; }

/// The layout of these counts by a distribution; nothing if it has not the ranks of this node.
/// Precondition: has_layout_counts(row). Cost: as above.
constexpr OptionalLayout stated_layout(const LauncherRow&, const EnvironmentView& variables,
                                       Distribution distribution) {
  return detail::layout_dealt_by(variables, distribution);
}

/// Why the variables of a row may prove no layout, and what helps; empty if there is nothing to
/// say.
constexpr std::string_view why_no_layout(const LauncherRow& row) {
  return row.has_slurm_layout ? detail::why_no_slurm_layout : std::string_view();
}

/// Whether the hosts that a row lists are in node order. If not, they are not used.
constexpr bool has_hosts_in_order(const LauncherRow& row, const EnvironmentView& variables) {
  return !row.has_slurm_layout || !detail::is_heterogeneous_step(variables);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_ROW_LAYOUTS_HPP
