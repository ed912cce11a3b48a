// SPDX-License-Identifier: MIT
// Who started the processes of this node, as far as their devices depend on it.
#ifndef RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP
#define RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The launcher whose tasks Slurm's variables describe. Below an open launcher they may describe
/// this process: somebody may have set the launcher's variables by hand in a Slurm task.
inline constexpr std::string_view slurm_launcher = "slurm";
inline constexpr std::string_view open_launchers = ",none,config,torch_env,pmi,pmix";

/// Calls `visit(tasks)` for each number of tasks that Slurm's step has on a node; 0: not a number.
constexpr void for_each_task_count(const Environment auto& env, const auto& visit) {
  for (ListEntries groups(env("SLURM_STEP_TASKS_PER_NODE").value_or("")); groups.next();) {
    visit(parse_number(split_at(groups.text(), '(').head).value);
  }
}

/// Whether Slurm itself started the processes of this node. A torchrun, mpirun or accelerate inside
/// one task inherits the variables of that task, which do not describe its children. Below an open
/// launcher, Slurm's local id must be the local rank, and some node of the step must run as many
/// tasks as this node has processes, if these numbers are known.
constexpr bool slurm_started(const Environment auto& env, LocalRank local_rank,
                             std::optional<int> local_world_size, std::string_view launcher) {
  if (launcher == slurm_launcher) return true;
  if (!has_entry(open_launchers, launcher)) return false;
  const Number number = parse_number(env("SLURM_LOCALID").value_or(""));
  if (!number || local_rank.value < 0 ||
      number.value != static_cast<std::uint64_t>(local_rank.value)) {
    return false;
  }
  if (!env("SLURM_STEP_TASKS_PER_NODE") || !local_world_size) return true;
  bool is_one = false;
  for_each_task_count(env, [&](std::uint64_t tasks) {
    is_one = is_one || tasks == static_cast<std::uint64_t>(*local_world_size);
  });
  return is_one;
}

/// Whether an agent of torchrun started this process.
constexpr bool has_agent(const Environment auto& env, std::string_view launcher) {
  return !env("TORCHELASTIC_RUN_ID").value_or("").empty() && launcher != slurm_launcher;
}

/// What shows that a node has several agents, each with local ranks of its own.
struct AgentsSign {
  std::string_view name = {};  ///< a variable or an outer launcher; empty: nothing shows it
  int agents = 0;              ///< on a node, at most; 0: not known
};
/// `outer`: the launcher outside of the one that started this process; `outer_size`: its processes
/// on this node.
RANKMAP_RARE constexpr AgentsSign sign_of_several_agents(const Environment auto& env,
                                                         std::string_view launcher,
                                                         std::string_view outer, int outer_size) {
  if (launcher == slurm_launcher) return {};
  if (outer != slurm_launcher && outer_size > 1) return {outer, outer_size};
  const bool is_below_agent = has_agent(env, launcher);
  if (!is_below_agent && outer != slurm_launcher) return {};
  // All nodes must get the same answer. A prompt of srun is one program, however many tasks.
  std::uint64_t most = 0;
  for_each_task_count(env, [&most](std::uint64_t tasks) { most = tasks > most ? tasks : most; });
  if (most > 1 && most < INT32_MAX && !env("SLURM_PTY_PORT")) {
    return {"SLURM_STEP_TASKS_PER_NODE", static_cast<int>(most)};
  }
  // Agents that meet at a loopback address are on one machine.
  const Number agents = parse_number(env("GROUP_WORLD_SIZE").value_or(""));
  const std::string_view master = env("MASTER_ADDR").value_or("");
  const bool meets_here = master == "localhost" || master.substr(0, 4) == "127.";
  if (is_below_agent && agents.value > 1 && meets_here) return {"MASTER_ADDR"};
  return {};
}

/// A variable in which a launcher names the visible device of each worker, as "cuda:5" or "5".
struct DeviceName {
  std::string_view variable;
  std::string_view launcher;
  std::string_view kinds;      ///< of device that it names; empty: the text begins with the kind
  bool is_of_no_other = true;  ///< whether the variable counts below other launchers, too
};
inline constexpr DeviceName device_names[] = {
    {"ACCELERATE_TORCH_DEVICE", "ray_train", ""},
    {"DEVICE_ID", "ascend", "npu"},
    {"FLAGS_selected_gpus", "paddle", "cuda,rocm", false},
    {"FLAGS_selected_npus", "paddle", "npu", false},
    {"FLAGS_selected_xpus", "paddle", "xpu", false},
    {"FLAGS_selected_mlus", "paddle", "mlu", false},
};

/// The device that a launcher names for this process.
struct NamedDevice {
  std::string_view variable = {};  ///< empty: there is none
  int index = -1;
  bool is_ours = false;  ///< the launcher that started this process named it
};
RANKMAP_RARE constexpr NamedDevice named_device(const Environment auto& env, DeviceKind kind,
                                                std::string_view launcher) {
  for (const DeviceName& named : device_names) {
    const bool is_ours = named.launcher == launcher;
    if (!is_ours && !named.is_of_no_other) continue;
    const std::string_view text = env(named.variable).value_or("");
    const std::size_t colon = text.find(':');
    if (named.kinds.empty() ? text.substr(0, colon) != torch_name(kind)
                            : !has_entry(named.kinds, name(kind))) {
      continue;
    }
    const Number number = parse_number(text.substr(colon + 1));  // npos + 1 is 0
    if (!number) continue;
    const bool is_small = number.value < INT32_MAX;
    return {named.variable, is_small ? static_cast<int>(number.value) : INT32_MAX, is_ours};
  }
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP
