// SPDX-License-Identifier: MIT
// Checks that the Slurm step in the variables is that of this process. Whatever a task starts
// inherits Slurm's variables. They are compared with each other before any of them is used.
#ifndef RANKMAP_LAUNCHER_DETAIL_SLURM_STEP_HPP
#define RANKMAP_LAUNCHER_DETAIL_SLURM_STEP_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/task_counts.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/launcher/detail/pmix_server.hpp>
#include <rankmap/launcher/detail/slurm_components.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The ids of steps that run no tasks. srun prints them unsigned, slurmstepd signed.
struct SpecialStep {
  VariableNames ids;
  std::string_view reason;
};
inline constexpr SpecialStep special_steps[] = {
    {"4294967292,-4", "an extern step runs no task"},
    {"4294967291,-5", "a batch script is one process"},
    {"4294967290,-6", "an interactive step is one process"},
};

/// Whether the hosts of a step can be hosts of the job. Each host costs a walk through both lists,
/// and the variables may hold any text. So if a list is long, only hosts at the ends of the step
/// are compared.
RANKMAP_RARE constexpr bool is_within(const HostListView& step, const HostListView& job) {
  constexpr std::size_t budget = std::size_t{1} << 22U;
  const std::size_t affordable = budget / (job.text().size() + step.text().size() + 1) / 2 + 1;
  const std::size_t size = step.size();
  for (std::size_t i = 0; i < size && i < affordable; ++i) {
    if (!job.find(step[i]) || !job.find(step[size - 1 - i])) return false;
  }
  return true;
}

/// Whether the numbers can be those of a batch script or an interactive shell: slurmstepd sets all
/// four to 0 there. Some may be unset.
RANKMAP_RARE constexpr bool may_be_script(const EnvironmentView& variables) {
  for (const std::string_view name :
       {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS"}) {
    const auto text = variables(name);
    if (text && *text != "0") return false;
  }
  return true;
}

/// What slurmstepd sets in a batch script, with its zeros, and in a task as well.
inline constexpr VariableNames script_signs =
    "SLURM_NODEID,SLURM_JOB_ID,SLURMD_NODENAME,SLURM_TASK_PID";
/// What only a task has. The script of a job that a task submits inherits it, with all of the step.
inline constexpr VariableNames task_signs =
    "SLURM_STEP_ID,SLURM_STEPID,SLURM_STEP_NUM_NODES,SLURM_STEP_NODELIST,SLURM_STEP_TASKS_PER_NODE,"
    "SLURM_LAUNCH_NODE_IPADDR,SLURM_UMASK";

/// Whether an environment without a step is that of a batch script. The first task of a step has
/// the same zeros. In a container that got only a part of its environment, no number tells the two
/// apart: SLURM_NTASKS may be the job's. So a script has to show all of its signs.
RANKMAP_RARE constexpr bool is_batch_script(const EnvironmentView& variables) {
  for (const std::string_view name : script_signs) {
    if (!variables.has(name)) return false;
  }
  for (const std::string_view name : task_signs) {
    if (variables.has(name)) return false;
  }
  return may_be_script(variables);
}

/// The variables that the check and the layouts of a step read besides those of the row.
inline constexpr std::string_view slurm_step_reads[] = {"SLURM_STEP_TASKS_PER_NODE",
                                                        "SLURM_STEPID",
                                                        "SLURM_HET_SIZE",
                                                        "SLURM_JOB_ID_HET_GROUP_0",
                                                        "SLURM_JOB_NODELIST_HET_GROUP_",
                                                        "SLURM_PACK_SIZE",
                                                        "SLURM_JOB_ID_PACK_GROUP_0",
                                                        "SLURM_JOB_NODELIST_PACK_GROUP_",
                                                        "SLURM_DISTRIBUTION",
                                                        "SLURM_DIST_PLANESIZE",
                                                        "SLURM_TOPOLOGY_ADDR_PATTERN",
                                                        "SLURM_JOB_SLUID",
                                                        "SLURM_PMIX_MAPPING_SERV",
                                                        "PMIX_NAMESPACE",
                                                        "SLURM_SUBMIT_HOST",
                                                        "SLURM_TASK_PID",
                                                        "SLURM_LAUNCH_NODE_IPADDR",
                                                        "SLURM_UMASK"};

/// In a task of srun, G[l] = PROCID, |G| = T[i], H[i] = SLURMD_NODENAME, sum(T) = STEP_NUM_TASKS,
/// |T| = |H| = STEP_NUM_NODES, and H is within JOB_NODELIST. Here G is SLURM_GTIDS, T is
/// SLURM_STEP_TASKS_PER_NODE, H is SLURM_STEP_NODELIST, i is SLURM_NODEID and l is SLURM_LOCALID.
/// In a heterogeneous step H and T are sorted by name, but SLURM_NODEID counts through the
/// components: there i is the index of SLURMD_NODENAME in H. SLURM_NTASKS is not checked: `srun -E`
/// leaves it at the job's value.
RANKMAP_RARE constexpr RecordCheck check_slurm_step(const EnvironmentView& variables) {
  const auto text = [&](std::string_view name) { return variables.text_or_empty(name); };
  const auto number = [&](std::string_view name) { return parse_number(text(name)); };
  const bool may_be_alone = may_be_script(variables);
  const auto stale = [&](std::string_view variable, std::string_view expected) {
    return RecordCheck{RecordCheck::Outcome::stale, variable, expected, may_be_alone};
  };
  const auto unreadable = [](std::string_view variable, std::string_view expected) {
    return RecordCheck{RecordCheck::Outcome::unreadable, variable, expected};
  };
  for (const SpecialStep& special : special_steps) {
    if (special.ids.has(text("SLURM_STEP_ID"))) {
      return {RecordCheck::Outcome::no_task, "SLURM_STEP_ID", special.reason};
    }
  }
  const Number rank = number("SLURM_PROCID");
  const Number tasks = number("SLURM_STEP_NUM_TASKS");
  if (!tasks && is_batch_script(variables)) {
    return {RecordCheck::Outcome::no_task, "SLURM_PROCID", "a batch script is one process"};
  }
  const Number local = number("SLURM_LOCALID");
  const std::string_view ranks_here = text("SLURM_GTIDS");
  const std::string_view job_text = text("SLURM_JOB_NODELIST");
  const bool has_all_hosts = job_text == text("SLURM_STEP_NODELIST");
  const auto job = HostListView::parse(has_all_hosts ? std::string_view() : job_text);
  const bool has_job = job && !job->empty();
  const Number nodes = number("SLURM_STEP_NUM_NODES");
  // A script inherits the step of the task that submitted it.
  if (nodes && has_job && nodes.value > job->size()) {
    return stale("SLURM_STEP_NUM_NODES", "at most the number of hosts in SLURM_JOB_NODELIST");
  }
  if (!rank && tasks && tasks.value == 1) {  // else the reader would derive it
    return unreadable("SLURM_PROCID", "the rank of the task, as srun sets it");
  }
  if (!rank || !tasks || !local || ranks_here.empty()) return {};  // the reader reports these

  const Number node = number("SLURM_NODEID");
  if (!node) return unreadable("SLURM_NODEID", "a decimal number");
  const std::string_view counts_text = text("SLURM_STEP_TASKS_PER_NODE");
  const auto counts = TaskCounts::parse(counts_text);
  if (!counts || counts_text.empty()) {
    return unreadable("SLURM_STEP_TASKS_PER_NODE", "task counts such as 2(x3),1");
  }
  const auto hosts = HostListView::parse(text("SLURM_STEP_NODELIST"));
  if (!hosts || hosts->empty())
    return unreadable("SLURM_STEP_NODELIST", "a host list such as n[1-3]");

  const CommaEntry mine = comma_entry(ranks_here, local.value);
  const Number listed = parse_number(mine.text);
  if (!listed || listed.value != rank.value) {
    return stale("SLURM_GTIDS", "SLURM_PROCID as the entry at index SLURM_LOCALID");
  }
  if (static_cast<std::uint64_t>(counts->tasks()) != tasks.value) {
    return stale("SLURM_STEP_TASKS_PER_NODE", "counts that add up to SLURM_STEP_NUM_TASKS");
  }
  if (hosts->size() != static_cast<std::size_t>(counts->nodes()) ||
      (nodes && nodes.value != hosts->size())) {
    return stale("SLURM_STEP_NODELIST", "a host for each node of SLURM_STEP_TASKS_PER_NODE");
  }
  const auto own = variables("SLURMD_NODENAME");
  std::uint64_t index = node.value;
  if (own && is_heterogeneous_step(variables)) index = hosts->find(*own).value_or(hosts->size());
  if (index >= hosts->size() || (own && (*hosts)[to_size(index)] != *own)) {
    return stale("SLURMD_NODENAME", "the host of this node in SLURM_STEP_NODELIST");
  }
  if (static_cast<std::size_t>(counts->count_at(static_cast<int>(index))) != mine.count) {
    return stale("SLURM_GTIDS", "as many ranks as SLURM_STEP_TASKS_PER_NODE gives this node");
  }
  if (has_job && !is_within(*hosts, *job)) {
    return stale("SLURM_STEP_NODELIST", "hosts of SLURM_JOB_NODELIST");
  }
  // A batch script that a task submits inherits the step. If it gets the same nodes and counts, two
  // facts together identify it: it was submitted on a host of that step, and it has no SLURM_UMASK,
  // which srun sets for tasks and slurmstepd removes for scripts. The second is not enough:
  // ParaStation's psslurm removes it for tasks too. If SLURM_GTIDS has more, this is a task.
  const auto submit_host = variables("SLURM_SUBMIT_HOST");
  if (may_be_alone && !variables.has("SLURM_UMASK") && submit_host && hosts->find(*submit_host)) {
    return {RecordCheck::Outcome::no_task, "SLURM_SUBMIT_HOST", "a batch script is one process"};
  }
  return {.set_job_id = is_namespace_of_step(text("PMIX_NAMESPACE"), variables)};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_SLURM_STEP_HPP
