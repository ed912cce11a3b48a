// SPDX-License-Identifier: MIT
// Checks that the PMIx namespace in the variables is that of this Slurm step.
#ifndef RANKMAP_LAUNCHER_DETAIL_PMIX_SERVER_HPP
#define RANKMAP_LAUNCHER_DETAIL_PMIX_SERVER_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/detail/slurm_components.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// The variables that check_pmix_server reads besides those of its row.
inline constexpr std::string_view pmix_server_reads[] = {
    "SLURM_JOB_ID",    "SLURM_STEP_ID", "SLURM_HET_SIZE",
    "SLURM_PACK_SIZE", "SLURM_PROCID",  "SLURM_PMIX_MAPPING_SERV"};

inline constexpr std::string_view slurm_namespace = "slurm.pmix.";

/// Whether a namespace is that of this Slurm step: "slurm.pmix.JOB.STEP".
RANKMAP_RARE constexpr bool is_namespace_of_step(std::string_view name,
                                                 const EnvironmentView& variables) {
  const auto job = variables("SLURM_JOB_ID");
  const auto step = variables("SLURM_STEP_ID");
  if (!name.starts_with(slurm_namespace) || !job || !step) return false;
  const std::string_view own = name.substr(slurm_namespace.size());
  const std::string_view behind = own.starts_with(*job) ? own.substr(job->size()) : "";
  return behind.starts_with('.') && behind.substr(1) == *step;
}

/// Slurm's PMIx server names a namespace after job and step, so a namespace that was inherited from
/// another step is stale. A step of a heterogeneous job is not checked: its components are separate
/// jobs. PRRTE names its namespaces after itself.
RANKMAP_RARE constexpr RecordCheck check_pmix_server(const EnvironmentView& variables) {
  const std::string_view name = variables.text_or_empty("PMIX_NAMESPACE");
  for (const std::string_view own : {"prterun-", "prte-"}) {
    if (name.starts_with(own)) return {.names_own_job = true};
  }
  if (!name.starts_with(slurm_namespace) || is_in_heterogeneous_job(variables)) return {};
  if (!variables.has("SLURM_JOB_ID") || !variables.has("SLURM_STEP_ID") ||
      is_namespace_of_step(name, variables)) {
    // A container may keep only the PMIx server's names. Their map has the step's numbers.
    if (variables.has("SLURM_PROCID")) return {};
    return {.process_map = "SLURM_PMIX_MAPPING_SERV"};
  }
  return {RecordCheck::Outcome::stale, "PMIX_NAMESPACE", "the namespace of this Slurm step", true};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_PMIX_SERVER_HPP
