// SPDX-License-Identifier: MIT
// Starters of processes that set few numbers or none: is this process one of several that they
// started?
#ifndef RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP
#define RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A starter of single processes and of several alike: nothing says which.
constexpr RecordCheck check_any_starter(const EnvironmentView&) {
  return {RecordCheck::Outcome::task, {}, {}, true};
}

/// A starter of single processes alone.
constexpr RecordCheck check_alone(const EnvironmentView&) {
  return {RecordCheck::Outcome::no_task, {}, "a task of a pool is one process"};
}

/// Whether a local rank of 0 is or may be that of `torchrun --virtual-local-rank`. The first and
/// the last agent show it: their workers have the first and the last ranks. Other agents may run
/// different numbers of workers: there a single visible device is a sign.
RANKMAP_RARE constexpr bool may_be_virtual_rank(const EnvironmentView& variables) {
  const auto number = [&](std::string_view name) {
    return parse_number(variables.text_or_empty(name));
  };
  const Number rank = number("RANK");
  const Number world = number("WORLD_SIZE");
  const Number here = number("LOCAL_WORLD_SIZE");
  const Number agent = number("GROUP_RANK");
  const Number agents = number("GROUP_WORLD_SIZE");
  if (!rank || !world || !here || !agent || !agents || here.value < 2) return false;
  if (variables.text_or_empty("LOCAL_RANK") != "0") return false;
  if (agent.value == 0) return rank.value != 0;
  if (agent.value + 1 == agents.value) return rank.value + here.value != world.value;
  const std::string_view devices = variables.text_or_empty("CUDA_VISIBLE_DEVICES");
  return !devices.empty() && devices.find(',') == devices.npos;
}

/// torchrun sets rank and world size twice. A shell below it that exports RANK leaves the second
/// ones, which may be equal on some ranks. A world too small for a worker of each agent shows it.
RANKMAP_RARE constexpr RecordCheck check_torchrun_worker(const EnvironmentView& variables) {
  const Number here = parse_number(variables.text_or_empty("LOCAL_WORLD_SIZE"));
  const Number agents = parse_number(variables.text_or_empty("GROUP_WORLD_SIZE"));
  const Number world = parse_number(variables.text_or_empty("WORLD_SIZE"));
  const bool is_full = variables.has("ROLE_RANK") && here && agents && world &&
                       here.value + agents.value > world.value + 1;
  RecordCheck out{.is_exported_over =
                      is_full || SameText{"ROLE_RANK", "RANK"}.is_broken(variables) ||
                      SameText{"ROLE_WORLD_SIZE", "WORLD_SIZE"}.is_broken(variables)};
  if (out.is_exported_over && variables.has("RAY_LOCAL_RANK")) {
    return {RecordCheck::Outcome::unreadable, "LOCAL_RANK",
            "the local rank of torchrun's worker: RAY_LOCAL_RANK, of verl, is set too"};
  }
  if (!out.is_exported_over && may_be_virtual_rank(variables)) {
    if (variables.text_or_empty("CUDA_VISIBLE_DEVICES").find(',') != std::string_view::npos) {
      return {RecordCheck::Outcome::unreadable, "LOCAL_RANK",
              "the local rank that torchrun set: by RANK and GROUP_RANK it is another one, and "
              "several devices are visible"};
    }
    out.doubt = {"LOCAL_RANK",
                 "a local rank that differs among workers: torchrun --virtual-local-rank sets 0 "
                 "for all, each with one device",
                 false, Doubt::virtual_rank};
  }
  return out;
}
inline constexpr std::string_view torchrun_worker_reads[] = {
    "ROLE_RANK", "ROLE_WORLD_SIZE", "CUDA_VISIBLE_DEVICES", "RAY_LOCAL_RANK"};

/// Ray gives its actors no numbers. Programs give each of them the local rank 0, since it sees one
/// device, or the number of that device.
RANKMAP_RARE constexpr RecordCheck check_ray_actor(const EnvironmentView& variables) {
  RecordCheck out;
  if (!variables.has("RAY_RAYLET_PID") || variables("WORLD_SIZE") == "1") return out;
  out.doubt = {"LOCAL_RANK",
               "a local rank that differs among workers: in an actor of Ray it may be 0 in all, or "
               "the number of a device",
               false, Doubt::virtual_rank};
  return out;
}
inline constexpr std::string_view ray_actor_reads[] = {"RAY_RAYLET_PID"};

/// Grid Engine calls what `qrsh -inherit` starts `petask`: a task of a parallel job. Anything else
/// is one process if the job has one slot. More slots, or an unknown number, may be for threads of
/// one process or for others.
RANKMAP_RARE constexpr RecordCheck check_sge_task(const EnvironmentView& variables) {
  if (variables.text_or_empty("JOB_NAME") == "petask") return {};
  const Number slots = parse_number(variables.text_or_empty("NSLOTS"));
  if (!slots || slots.value != 1) return check_any_starter(variables);
  return {RecordCheck::Outcome::no_task, "NSLOTS", "a job of one slot is one process"};
}
inline constexpr std::string_view sge_task_reads[] = {"JOB_NAME", "NSLOTS"};

/// Torque's job script and its first task have the place 0; the script is task 1. OpenPBS writes
/// eight hexadecimal digits for a task, and a plain number for the job's shell.
RANKMAP_RARE constexpr RecordCheck check_pbs_task(const EnvironmentView& variables) {
  const std::string_view task = variables.text_or_empty("PBS_TASKNUM");
  const bool is_hex = task.size() == 8 && task.find_first_not_of("0123456789ABCDEF") == task.npos;
  const std::string_view place = variables.text_or_empty("PBS_VNODENUM");
  const bool has_place = !place.empty() && place != "0";
  const bool is_second = place == "0" && !task.empty() && task != "1";
  if (is_hex || has_place || is_second) return {};
  return {RecordCheck::Outcome::no_task, "PBS_TASKNUM", "a job script is one process"};
}
inline constexpr std::string_view pbs_task_reads[] = {"PBS_TASKNUM"};

/// Hydra sets the two local names as well. Beside a name that Platform MPI does not set, they may
/// be Hydra's.
inline constexpr std::string_view platform_mpi_reads[] = {"PMI_RANK", "PMI_PORT", "PMI_HOSTNAME"};
constexpr RecordCheck check_platform_mpi(const EnvironmentView& variables) {
  for (const std::string_view name : platform_mpi_reads) {
    if (!variables.has(name)) continue;
    return {RecordCheck::Outcome::unreadable, "MPI_LOCALRANKID",
            "the local rank of one launcher: what set PMI_*, such as Hydra, may set this name too"};
  }
  return {};
}

/// A pod with torchrun's settings and no index. Its job has one node unless they say otherwise.
RANKMAP_RARE constexpr RecordCheck check_elastic_pod(const EnvironmentView& variables) {
  const std::string_view nodes = variables.text_or_empty("PET_NNODES");
  if (!nodes.empty() && nodes != "1" && nodes != "1:1") return {};
  return {RecordCheck::Outcome::no_task, "PET_NNODES", "a job of one node is one process"};
}
inline constexpr std::string_view elastic_pod_reads[] = {"PET_NNODES"};

/// Whether another entry of a comma list of `host:port` than `own` has this port.
RANKMAP_RARE constexpr bool has_port_twice(std::string_view list, std::string_view own_port,
                                           std::uint64_t own) {
  ListEntries entries(list);
  for (std::uint64_t i = 0; entries.next(); ++i) {
    if (i != own && split_host_port(entries.text()).number == own_port) return true;
  }
  return false;
}

/// The number of hosts in a comma list of `host:port`, where entries of a host are adjacent.
RANKMAP_RARE constexpr std::uint64_t count_hosts(std::string_view list) {
  std::uint64_t count = 0;
  std::string_view last;
  for (ListEntries entries(list); entries.next();) {
    const std::string_view host = split_host_port(entries.text()).host;
    if (count == 0 || host != last) ++count;
    last = host;
  }
  return count;
}

/// CLOUD_TPU_TASK_ID numbers processes or hosts. It is the number of a process if the entry there
/// has this process's port. It may be that of a host if several hosts may have that port.
RANKMAP_RARE constexpr RecordCheck check_tpu_process(const EnvironmentView& variables) {
  const Number task = parse_number(variables.text_or_empty("CLOUD_TPU_TASK_ID"));
  if (!task) return {};  // the reader reports it
  const std::string_view list = variables.text_or_empty("TPU_PROCESS_ADDRESSES");
  const std::string_view port = variables.text_or_empty("TPU_PROCESS_PORT");
  if (port.empty() || split_host_port(comma_entry(list, task.value).text).number != port) {
    return {RecordCheck::Outcome::unreadable, "TPU_PROCESS_PORT",
            "the port of entry CLOUD_TPU_TASK_ID of TPU_PROCESS_ADDRESSES"};
  }
  // The first process of the first host is process 0 either way.
  const bool may_be_host = task.value != 0 && task.value < count_hosts(list);
  if (!may_be_host || !has_port_twice(list, port, task.value)) return {};
  return {RecordCheck::Outcome::unreadable, "CLOUD_TPU_TASK_ID",
          "a number that can only be that of a process: here it may be that of a host"};
}
inline constexpr std::string_view tpu_process_reads[] = {"TPU_PROCESS_PORT"};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_STARTERS_HPP
