// SPDX-License-Identifier: MIT
// The components of a heterogeneous Slurm job, which are jobs of their own. A step may be of one or
// of several.
#ifndef RANKMAP_LAUNCHER_DETAIL_SLURM_COMPONENTS_HPP
#define RANKMAP_LAUNCHER_DETAIL_SLURM_COMPONENTS_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_list_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// How Slurm names the number of components, the id of the first and the nodes of each.
struct ComponentNames {
  std::string_view size;
  std::string_view job_id;
  std::string_view nodes;  ///< followed by the number of the component
};
/// Up to 19.05 the second set alone, since then both.
inline constexpr ComponentNames component_names[] = {
    {"SLURM_HET_SIZE", "SLURM_JOB_ID_HET_GROUP_0", "SLURM_JOB_NODELIST_HET_GROUP_"},
    {"SLURM_PACK_SIZE", "SLURM_JOB_ID_PACK_GROUP_0", "SLURM_JOB_NODELIST_PACK_GROUP_"},
};

constexpr bool has_components(const EnvironmentView& variables, const ComponentNames& names) {
  return variables.has(names.size) || variables.has(names.job_id);
}
constexpr bool is_in_heterogeneous_job(const EnvironmentView& variables) {
  for (const ComponentNames& names : component_names) {
    if (has_components(variables, names)) return true;
  }
  return false;
}

/// Whether all hosts of the step are in one component, and none is in another. Then the step has
/// one component, since each component of a step has a host. Other jobs inherit the lists: they
/// count if the id of the first component is that of this job. The variables may hold any text, so
/// at most a few million characters are read to find out.
RANKMAP_RARE constexpr bool is_step_of_one_component(const EnvironmentView& variables,
                                                     const ComponentNames& names) {
  constexpr std::uint64_t max_components = 128;
  constexpr std::size_t max_work = std::size_t{1} << 22U;
  const Number components = parse_number(variables.text_or_empty(names.size));
  const auto first = variables(names.job_id);
  const auto step = HostListView::parse(variables.text_or_empty("SLURM_STEP_NODELIST"));
  if (!components || components.value > max_components || !first ||
      first != variables("SLURM_JOB_ID") || !step || step->empty()) {
    return false;
  }
  bool is_found = false;
  std::size_t work = 0;
  for (std::uint64_t i = 0; i != components.value; ++i) {
    const auto list = HostListView::parse(
        variables.text_or_empty(concat<63>(names.nodes, static_cast<std::int64_t>(i))));
    if (!list || list->empty()) return false;
    work += step->size() * (step->text().size() + list->text().size());
    if (work > max_work) return false;
    std::size_t within = 0;
    for (std::size_t host = 0; host != step->size(); ++host) {
      if (list->find((*step)[host])) ++within;
    }
    if (within == 0) continue;
    if (within != step->size() || is_found) return false;
    is_found = true;
  }
  return is_found;
}

/// Whether the step may have several components. Then its list of hosts is sorted by name, but its
/// nodes are numbered one component after the other.
constexpr bool is_heterogeneous_step(const EnvironmentView& variables) {
  for (const ComponentNames& names : component_names) {
    if (has_components(variables, names) && !is_step_of_one_component(variables, names))
      return true;
  }
  return false;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_SLURM_COMPONENTS_HPP
