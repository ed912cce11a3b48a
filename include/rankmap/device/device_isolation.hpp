// SPDX-License-Identifier: MIT
//
// Whether the devices that this process sees are its own or shared with the other local processes.
// The evidence is a table: one row per proof, the strongest first, and the first that holds
// decides.
#ifndef RANKMAP_DEVICE_DEVICE_ISOLATION_HPP
#define RANKMAP_DEVICE_DEVICE_ISOLATION_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// How the devices that this process sees relate to those of the other processes of its node.
enum class Isolation : std::uint8_t {
  unknown,  ///< there is no evidence
  own,      ///< the launcher gave each process devices of its own
  bound,    ///< the launcher chose devices for each process; two processes may have the same
  shared,   ///< all processes of the node see the same devices
};

/// An isolation and its evidence.
struct IsolationEvidence {
  Isolation isolation = Isolation::unknown;
  StaticString<95> because;  ///< "SLURMD_TRES_BIND=gpu:per_task:1"; empty for unknown
};

namespace detail {

/// The launcher whose tasks Slurm's variables describe, and those below which the variables may
/// describe this process: somebody may have set the launcher's own by hand in a Slurm task.
inline constexpr std::string_view slurm_launcher = "slurm";
inline constexpr std::string_view open_launchers[] = {"",          "none", "config",
                                                      "torch_env", "pmi",  "pmix"};

enum class IsolationProof : std::uint8_t {
  contains,           ///< its value contains `text`; empty: any value
  binds_gpus,         ///< its binding of GPUs, among other resources, contains `text`
  requests,           ///< it requests one or more of the resource `text`; empty: of any
  more_than_visible,  ///< it is a number above that of the visible devices
};

struct IsolationRow {
  std::string_view variable;
  IsolationProof proof;
  std::string_view text;
  Isolation proves;
  bool slurm;  ///< counts only if the local processes are Slurm's own tasks
};

/// An empty variable proves nothing.
inline constexpr IsolationRow isolation_rows[] = {
    // An agent that starts workers gives all of them its own environment, whatever a scheduler
    // outside it did for the agent.
    {"TORCHELASTIC_RUN_ID", IsolationProof::contains, "", Isolation::shared, false},
    // mpirun and mpiexec do not say whether they bind devices. What an outer Slurm says is about
    // their daemons.
    {"OMPI_COMM_WORLD_LOCAL_RANK", IsolationProof::contains, "", Isolation::unknown, false},
    {"MPI_LOCALRANKID", IsolationProof::contains, "", Isolation::unknown, false},
    // Slurm: the binding itself, from slurmd or as the user requested it ...
    {"SLURMD_TRES_BIND", IsolationProof::binds_gpus, "per_task", Isolation::own, true},
    {"SLURMD_TRES_BIND", IsolationProof::binds_gpus, "none", Isolation::shared, true},
    {"SLURMD_TRES_BIND", IsolationProof::binds_gpus, "", Isolation::bound, true},
    {"SLURM_GPU_BIND", IsolationProof::contains, "per_task", Isolation::own, true},
    {"SLURM_GPU_BIND", IsolationProof::contains, "none", Isolation::shared, true},
    {"SLURM_GPU_BIND", IsolationProof::contains, "", Isolation::bound, true},
    // ... and the requests that imply one.
    {"SLURM_TRES_PER_TASK", IsolationProof::requests, "gres/gpu", Isolation::own, true},
    {"SLURM_GPUS_PER_TASK", IsolationProof::requests, "", Isolation::own, true},
    {"SLURM_NTASKS_PER_GPU", IsolationProof::requests, "", Isolation::bound, true},
    {"SLURM_GPUS_ON_NODE", IsolationProof::more_than_visible, "", Isolation::bound, true},
};

/// Whether Slurm itself started the processes of this node. A torchrun, mpirun or accelerate inside
/// one task inherits the variables of that task, which do not describe its children. Below an open
/// launcher: Slurm's local id is this process's, and some node of the step runs as many tasks as
/// there are processes here.
template <Environment Env>
constexpr bool slurm_started(const Env& env, LocalRank local_rank,
                             std::optional<int> local_world_size, std::string_view launcher) {
  if (launcher == slurm_launcher) return true;
  bool open = false;
  for (const std::string_view name : open_launchers) open = open || launcher == name;
  if (!open) return false;
  const auto id = env("SLURM_LOCALID");
  const Number number = id ? parse_number(*id) : Number();
  if (!number || local_rank.value < 0 ||
      number.value != static_cast<std::uint64_t>(local_rank.value)) {
    return false;
  }
  const auto counts = env("SLURM_STEP_TASKS_PER_NODE");
  if (!counts || !local_world_size) return true;
  for (ListEntries groups(*counts); groups.next();) {
    const Number tasks = parse_number(groups.text().substr(0, groups.text().find('(')));
    if (tasks && tasks.value == static_cast<std::uint64_t>(*local_world_size)) return true;
  }
  return false;
}

/// Whether one of Slurm's bindings (`gres/gpu:per_task:1+gres/nic:closest`) is of GPUs and contains
/// `wanted`.
constexpr bool binds_gpus(std::string_view list, std::string_view wanted) {
  for (ListEntries bindings(list, '+'); bindings.next();) {
    const std::string_view binding = bindings.text();
    const std::size_t colon = binding.find(':');
    const std::string_view resource = binding.substr(0, colon);
    if (colon != std::string_view::npos && (resource == "gpu" || resource == "gres/gpu") &&
        binding.find(wanted, colon) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Whether one of Slurm's requests (`cpu=2,gres/gpu:a100=1`, `a100:1`, `1`) is for one or more of
/// `wanted`; of anything if that is empty.
constexpr bool requests(std::string_view list, std::string_view wanted) {
  for (ListEntries entries(list); entries.next();) {
    const std::string_view entry = entries.text();
    const Number number = parse_number(entry.substr(entry.find_last_of(":=") + 1));
    if (number && number.value != 0 &&
        (wanted.empty() || entry.substr(0, entry.find_first_of(":=")) == wanted)) {
      return true;
    }
  }
  return false;
}

constexpr bool holds(const IsolationRow& row, std::string_view text, int visible_count) {
  switch (row.proof) {
    case IsolationProof::contains:
      return text.find(row.text) != std::string_view::npos;
    case IsolationProof::binds_gpus:
      return binds_gpus(text, row.text);
    case IsolationProof::requests:
      return requests(text, row.text);
    case IsolationProof::more_than_visible:
      break;
  }
  const Number number = parse_number(text);
  return number && visible_count >= 0 && number.value > static_cast<std::uint64_t>(visible_count);
}

}  // namespace detail

/// What the environment proves about the devices of this process and of its neighbours.
///
/// `visible_count`: devices that the runtime shows. `visible`: the visibility variables; if none is
/// set, all local processes see the same devices. Only evidence that every process of the node
/// finds in its own environment is used. `launcher`: the name of the launcher that started this
/// process, from name(Launcher); empty: not known. No error; O(text); no allocation. Source:
/// srun(1) and Slurm's gres page; torchrun's worker environment.
template <Environment Env>
constexpr IsolationEvidence device_isolation(const Env& env, const VisibleDevices& visible,
                                             int visible_count, LocalRank local_rank,
                                             std::optional<int> local_world_size,
                                             std::string_view launcher = {}) {
  const bool slurm = detail::slurm_started(env, local_rank, local_world_size, launcher);
  IsolationEvidence evidence;
  for (const detail::IsolationRow& row : detail::isolation_rows) {
    if (row.slurm && !slurm) continue;
    const auto text = env(row.variable);
    if (!text || text->empty() || !detail::holds(row, *text, visible_count)) continue;
    if (row.proves == Isolation::unknown) break;
    evidence.isolation = row.proves;
    evidence.because.append(row.variable);
    if (row.slurm) {
      detail::append_escaped(evidence.because.append('='), *text, 24);
    } else {
      evidence.because.append(" is set");  // its value is an identifier and proves nothing
    }
    return evidence;
  }
  if (!visible.restricted() && visible.kind() != DeviceKind::cpu) {
    evidence.isolation = Isolation::shared;
    evidence.because = "no visibility variable is set";
  }
  return evidence;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_ISOLATION_HPP
