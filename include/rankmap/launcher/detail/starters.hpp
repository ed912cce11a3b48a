// SPDX-License-Identifier: MIT
//
// Starters of processes that set few numbers or none: is this process one of several that they
// started?
#ifndef RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP
#define RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// A starter of single processes and of several alike: nothing says which.
constexpr RecordCheck check_any_starter(const EnvironmentView&) {
  return {RecordCheck::Outcome::task, {}, {}, true};
}

/// torchrun sets rank and world size twice. A shell below it that exports RANK leaves the others.
constexpr RecordCheck check_torchrun_worker(const EnvironmentView& variables) {
  const auto differs = [&](std::string_view role, std::string_view name) {
    return variables.has(role) && variables.has(name) && variables(role) != variables(name);
  };
  return {.is_exported_over =
              differs("ROLE_RANK", "RANK") || differs("ROLE_WORLD_SIZE", "WORLD_SIZE")};
}
inline constexpr std::string_view torchrun_worker_reads[] = {"ROLE_RANK", "ROLE_WORLD_SIZE"};

/// Grid Engine names what `qrsh -inherit` starts `petask`: the tasks of a parallel job. `qrsh`
/// alone starts one process, whose slots may be for its threads. Without the number of slots it may
/// be either.
constexpr RecordCheck check_sge_task(const EnvironmentView& variables) {
  if (variables.text_or_empty("JOB_NAME") == "petask") return {};
  const Number slots = parse_number(variables.text_or_empty("NSLOTS"));
  if (!slots || slots.value != 1) return check_any_starter(variables);
  return {RecordCheck::Outcome::no_task, "NSLOTS", "a job of one slot is one process"};
}
inline constexpr std::string_view sge_task_reads[] = {"JOB_NAME", "NSLOTS"};

/// Torque's job script has the place 0 as its first task has, and is task 1 itself. OpenPBS writes
/// eight hexadecimal digits for a task, and a plain number for the job's shell.
constexpr RecordCheck check_pbs_task(const EnvironmentView& variables) {
  const std::string_view task = variables.text_or_empty("PBS_TASKNUM");
  const bool is_hex = task.size() == 8 && task.find_first_not_of("0123456789ABCDEF") == task.npos;
  const std::string_view place = variables.text_or_empty("PBS_VNODENUM");
  const bool has_place = !place.empty() && place != "0";
  const bool is_second = place == "0" && !task.empty() && task != "1";
  if (is_hex || has_place || is_second) return {};
  return {RecordCheck::Outcome::no_task, "PBS_TASKNUM", "a job script is one process"};
}
inline constexpr std::string_view pbs_task_reads[] = {"PBS_TASKNUM"};

/// torchrun's settings in a pod without an index. It runs one node unless they say otherwise.
constexpr RecordCheck check_elastic_pod(const EnvironmentView& variables) {
  const std::string_view nodes = variables.text_or_empty("PET_NNODES");
  if (!nodes.empty() && nodes != "1" && nodes != "1:1") return {};
  return {RecordCheck::Outcome::no_task, "PET_NNODES", "a job of one node is one process"};
}
inline constexpr std::string_view elastic_pod_reads[] = {"PET_NNODES"};

/// CLOUD_TPU_TASK_ID is the number of a process where that process has the port at this place, and
/// may be the number of a host where nothing shows the first.
constexpr RecordCheck check_tpu_process(const EnvironmentView& variables) {
  const Number task = parse_number(variables.text_or_empty("CLOUD_TPU_TASK_ID"));
  if (!task) return {};  // the reader reports it
  const std::string_view own =
      comma_entry(variables.text_or_empty("TPU_PROCESS_ADDRESSES"), task.value).text;
  const std::string_view port = variables.text_or_empty("TPU_PROCESS_PORT");
  if (!port.empty() && own.size() > port.size() && own[own.size() - port.size() - 1] == ':' &&
      own.substr(own.size() - port.size()) == port) {
    return {};
  }
  return {RecordCheck::Outcome::unreadable, "TPU_PROCESS_PORT",
          "the port of entry CLOUD_TPU_TASK_ID of TPU_PROCESS_ADDRESSES"};
}
inline constexpr std::string_view tpu_process_reads[] = {"TPU_PROCESS_PORT"};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP
