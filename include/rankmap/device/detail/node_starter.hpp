// SPDX-License-Identifier: MIT
// Who started the processes of this node, for their devices: Slurm, torchrun's agent, Ray Train.
#ifndef RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP
#define RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The launcher whose tasks Slurm's variables describe, and those below which the variables may
/// describe this process: somebody may have set the launcher's own by hand in a Slurm task.
inline constexpr std::string_view slurm_launcher = "slurm";
inline constexpr std::string_view open_launchers = ",none,config,torch_env,pmi,pmix";

/// Calls `visit(tasks)` for each number of tasks that Slurm's step has on a node.
template <Environment Env, class Visit>
constexpr void for_each_task_count(const Env& env, const Visit& visit) {
  const auto counts = env("SLURM_STEP_TASKS_PER_NODE");
  for (ListEntries groups(counts.value_or("")); groups.next();) {
    const Number tasks = parse_number(split_at(groups.text(), '(').head);
    if (tasks) visit(tasks.value);
  }
}

/// Whether Slurm itself started the processes of this node. A torchrun, mpirun or accelerate inside
/// one task inherits the variables of that task, which do not describe its children. Below an open
/// launcher: Slurm's local id is this process's, and some node of the step runs as many tasks as
/// there are processes here.
template <Environment Env>
constexpr bool slurm_started(const Env& env, LocalRank local_rank,
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
template <Environment Env>
constexpr bool has_agent(const Env& env, std::string_view launcher) {
  return !env("TORCHELASTIC_RUN_ID").value_or("").empty() && launcher != slurm_launcher;
}

/// The variable in which Ray Train names the device of each worker, and what Paddle's begin with.
inline constexpr std::string_view ray_device = "ACCELERATE_TORCH_DEVICE";
inline constexpr std::string_view paddle_devices = "FLAGS_selected_";

/// A variable in which a launcher names the visible device of each worker, as "cuda:5" or "5".
struct NamedDevice {
  std::string_view variable;
  std::string_view launcher = {};  ///< empty: its name is that of no other thing
};
inline constexpr NamedDevice named_devices[] = {
    {ray_device},
    {"FLAGS_selected_gpus", "paddle"},
    {"FLAGS_selected_npus", "paddle"},
    {"FLAGS_selected_xpus", "paddle"},
    {"FLAGS_selected_mlus", "paddle"},
};

/// The variable in which the launcher named another one of several devices than that at the local
/// rank; empty: none.
template <Environment Env>
RANKMAP_RARE constexpr std::string_view names_other_device(const Env& env, int visible_count,
                                                           LocalRank local_rank,
                                                           std::string_view launcher) {
  if (visible_count < 2 || local_rank.value < 0) return {};
  for (const NamedDevice& named : named_devices) {
    if (!named.launcher.empty() && named.launcher != launcher) continue;
    const std::string_view text = env(named.variable).value_or("");
    const Number number = parse_number(text.substr(text.rfind(':') + 1));  // npos + 1 is 0
    if (number && number.value != static_cast<std::uint64_t>(local_rank.value)) {
      return named.variable;
    }
  }
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_NODE_STARTER_HPP
