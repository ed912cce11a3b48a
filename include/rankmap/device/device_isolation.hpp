// SPDX-License-Identifier: MIT
// Whether the devices that this process sees are its own or shared with the other local processes.
// That is a claim about other processes. So it is made only with a proof, which has a name.
#ifndef RANKMAP_DEVICE_DEVICE_ISOLATION_HPP
#define RANKMAP_DEVICE_DEVICE_ISOLATION_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/gpu_binding.hpp>
#include <rankmap/device/detail/node_starter.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// How the devices that this process sees relate to those of the other processes of its node.
enum class Isolation : std::uint8_t {
  unknown,  ///< nothing proves it
  own,      ///< proved: no other process of the node has them
  bound,    ///< the launcher chose devices for each process; two processes may have the same
  shared,   ///< the launcher gave all processes of the node the same devices
};

constexpr std::string_view name(Isolation isolation) {
  return detail::enumerator("unknown\0own\0bound\0shared", isolation);
}

/// Why two processes of a node may get the same device by their local ranks.
enum class BoundBy : std::uint8_t {
  lists,   ///< the launcher gave each a list of devices; two lists may overlap
  name,    ///< a variable names another device for this process
  agents,  ///< the node has several agents, each with local ranks of its own
};

constexpr std::string_view name(BoundBy bound_by) {
  return detail::enumerator("lists\0name\0agents", bound_by);
}

/// An isolation and its evidence.
struct IsolationEvidence {
  Isolation isolation = Isolation::unknown;
  /// "SLURMD_TRES_BIND=gpu:per_task:1". For unknown, why a binding is no proof:
  /// "SLURM_GPUS_PER_TASK=1, but SLURM_GPUS_ON_NODE=1"; empty without a binding.
  StaticString<95> because;
  /// Processes that the binding gives one device, at most; 0: not known.
  std::uint8_t most_processes = 0;
  BoundBy bound_by = BoundBy::lists;  ///< of an isolation that is bound
  /// The visible device that this process's launcher names, if it is not that at the local rank;
  /// else -1.
  int named = -1;
};

/// The launcher outside of the one that started this process. Each of its processes may have
/// started workers, which count local ranks of their own.
struct OuterLaunch {
  std::string_view launcher = {};  ///< from name(Launcher)
  int local_size = 0;              ///< its processes on this node; 0: not known
};

namespace detail {

/// An isolation and a variable that is its evidence: "SLURM_GPUS_PER_TASK=1".
constexpr IsolationEvidence evidence_by(Isolation isolation, std::string_view variable,
                                        std::string_view text) {
  IsolationEvidence evidence{isolation, {}};
  append_escaped(evidence.because.append(variable).append('='), text, 24);
  return evidence;
}

/// The same without a proof, since something else speaks against it: ", but NAME lists 2".
RANKMAP_RARE constexpr IsolationEvidence but(IsolationEvidence evidence, std::string_view name,
                                             std::string_view what,
                                             std::optional<std::uint64_t> count = {}) {
  evidence.isolation = Isolation::unknown;
  evidence.because.append(", but ").append(name).append(what);
  if (count) evidence.because.append_number(*count);
  return evidence;
}

/// What the variables say of the devices that the launcher gave to this process.
template <Environment Env>
class IsolationReader {
 public:
  constexpr IsolationReader(const Env& env, const VisibleDevices& visible, int visible_count,
                            std::optional<int> local_world_size)
      : env_(env),
        visible_count_(visible_count),
        size_(local_world_size),
        on_node_(parse_number(env("SLURM_GPUS_ON_NODE").value_or(""))),
        list_(first_set(visible.layers())) {}

  /// Evidence about Slurm's own tasks: the binding, or a request that implies one.
  RANKMAP_RARE constexpr IsolationEvidence slurm() const {
    for (const std::string_view variable : {"SLURMD_TRES_BIND", "SLURM_GPU_BIND"}) {
      const std::string_view text = env_(variable).value_or("");
      const GpuBinding binding = gpu_binding(variable == "SLURM_GPU_BIND" ? text : gpu_part(text));
      if (binding.is != GpuBinding::Is::absent) return judge(variable, text, binding);
    }
    using Is = GpuBinding::Is;
    for (const std::string_view variable :
         {"SLURM_TRES_PER_TASK", "SLURM_GPUS_PER_TASK", "SLURM_NTASKS_PER_GPU"}) {
      const Is implies = variable == "SLURM_NTASKS_PER_GPU" ? Is::chosen : Is::per_task;
      const std::string_view text = env_(variable).value_or("");
      const std::uint64_t count =
          requested_gpus(text, variable == "SLURM_TRES_PER_TASK" ? "gres/gpu" : "");
      if (count != 0) return judge(variable, text, {implies, count});
    }
    return {};
  }

  /// Whether the first list has all devices that Slurm gave to the node.
  constexpr bool lists_all() const {
    return list_ != nullptr && on_node_ && listed() == on_node_.value;
  }

 private:
  constexpr IsolationEvidence judge(std::string_view variable, std::string_view text,
                                    const GpuBinding& binding) const {
    IsolationEvidence evidence = evidence_by(Isolation::unknown, variable, text);
    using Is = GpuBinding::Is;
    if (binding.is == Is::none) {
      // A shorter list than Slurm's is somebody else's, who may have given each its own.
      const bool is_shorter = list_ != nullptr && listed() < on_node_.value;
      evidence.isolation = is_shorter ? Isolation::unknown : Isolation::shared;
      return evidence;
    }
    if (binding.is == Is::per_task) return own_if(evidence, binding.count, true);
    // Slurm does not bind where there is one device, and shares where there are too few.
    if (binding.count == 1) return own_if(evidence, 1, on_node_ && size_);
    if (lists_all()) {  // it chose nothing
      return but(evidence, "SLURM_GPUS_ON_NODE", "=", on_node_.value);
    }
    evidence.isolation = Isolation::bound;
    const auto tasks = static_cast<std::uint64_t>(size_.value_or(0));
    const bool is_enough = tasks != 0 && tasks <= binding.count * on_node_.value;
    if (is_enough && binding.count <= UINT8_MAX &&
        with_list(evidence, 1).isolation == Isolation::bound) {
      evidence.most_processes = static_cast<std::uint8_t>(binding.count);
    }
    return evidence;
  }

  /// Own, if nothing contradicts: there are enough devices for all tasks, and the list is the one
  /// that Slurm wrote and nobody changed. `each`: devices of a task, 1 or more.
  RANKMAP_RARE constexpr IsolationEvidence own_if(IsolationEvidence evidence, std::uint64_t each,
                                                  bool is_provable) const {
    evidence.isolation = is_provable ? Isolation::own : Isolation::bound;
    if (on_node_ && size_ && *size_ > 0 &&
        on_node_.value / static_cast<std::uint64_t>(*size_) < each) {
      return but(evidence, "SLURM_GPUS_ON_NODE", "=", on_node_.value);
    }
    return with_list(evidence, each);
  }
  /// The same, if the list is the one that Slurm wrote and nobody changed; else unknown.
  RANKMAP_RARE constexpr IsolationEvidence with_list(const IsolationEvidence& evidence,
                                                     std::uint64_t each) const {
    if (list_ == nullptr) {
      // Without device cgroups the list is all that binds.
      const auto shown = visible_count_ < 0 ? 0 : static_cast<std::uint64_t>(visible_count_);
      return shown > each ? but(evidence, "the runtime", " shows ", shown) : evidence;
    }
    if (listed() != each) return but(evidence, list_->variable, " lists ", listed());
    const std::string_view of_step = env_("SLURM_STEP_GPUS").value_or("");
    const std::uint64_t steps = comma_entry(of_step, 0).count;
    if (!of_step.empty() && steps != listed()) {
      return but(evidence, "SLURM_STEP_GPUS", " lists ", steps);
    }
    // Slurm writes one text into all of them, or into those of the vendor that it found.
    constexpr std::string_view slurm_lists =
        "CUDA_VISIBLE_DEVICES,ROCR_VISIBLE_DEVICES,GPU_DEVICE_ORDINAL,ZE_AFFINITY_MASK";
    const std::string_view own = list_->text;
    for (ListEntries names(slurm_lists); names.next();) {
      const std::string_view text = env_(names.text()).value_or("");
      if (!is_numbers(text) || !is_numbers(own) || text == own) continue;
      return but(evidence, names.text(), " differs");
    }
    return has_entry(slurm_lists, list_->variable)
               ? evidence
               : but(evidence, list_->variable, " is not Slurm's");
  }

  static constexpr bool is_numbers(std::string_view list) {
    return !list.empty() && is_digit(list.front());
  }
  constexpr std::uint64_t listed() const { return comma_entry(list_->text.view(), 0).count; }

  const Env& env_;
  int visible_count_;
  std::optional<int> size_;
  Number on_node_;
  const VisibilityLayer* list_;  ///< the first variable that is set, or null
};

/// The evidence that a node has several agents which see the same devices: neither Slurm nor a list
/// gave each its own. Without `because` it has not.
RANKMAP_RARE constexpr IsolationEvidence several_agents(const Environment auto& env,
                                                        const VisibleDevices& visible,
                                                        int visible_count,
                                                        std::string_view launcher,
                                                        const OuterLaunch& outer) {
  const AgentsSign sign = sign_of_several_agents(env, launcher, outer.launcher, outer.local_size);
  if (sign.name.empty()) return {};
  if (first_set(visible.layers()) != nullptr) {
    const IsolationReader reader(env, visible, visible_count, sign.agents);
    const Isolation isolation = reader.slurm().isolation;
    if (!reader.lists_all() && isolation != Isolation::shared && isolation != Isolation::bound) {
      return {};
    }
  }
  return {Isolation::bound, concat<95>(sign.name, ": several agents on a node"), 0,
          BoundBy::agents};
}

}  // namespace detail

/// What the environment proves about the devices of this process and of its neighbours.
///
/// `visible_count`: devices that the runtime shows. `visible`: the visibility variables; if none is
/// set, all local processes were given the same devices. Only evidence that every process of the
/// node finds in its own environment is used: a person may have set one mask for all. `launcher`:
/// what started this process, from name(Launcher); empty: not known. `outer`: what started several
/// processes on this node, of which each may have started workers. No error; O(text); no
/// allocation. Source: srun(1) and Slurm's gres page; torchrun's worker environment.
template <Environment Env>
RANKMAP_RARE constexpr IsolationEvidence device_isolation(const Env& env,
                                                          const VisibleDevices& visible,
                                                          int visible_count, LocalRank local_rank,
                                                          std::optional<int> local_world_size,
                                                          std::string_view launcher = {},
                                                          const OuterLaunch& outer = {}) {
  const detail::NamedDevice named = detail::named_device(env, visible.kind(), launcher);
  if (visible_count > 1 && named.index >= 0 && named.index != local_rank.value &&
      local_rank.value >= 0) {
    IsolationEvidence evidence =
        detail::evidence_by(Isolation::bound, named.variable, env(named.variable).value_or(""));
    evidence.bound_by = BoundBy::name;
    if (named.is_ours) evidence.named = named.index;
    return evidence;
  }
  const IsolationEvidence agents =
      detail::several_agents(env, visible, visible_count, launcher, outer);
  if (agents.isolation == Isolation::bound) return agents;
  // An agent gives its workers its own environment, whatever a scheduler did for the agent.
  if (detail::has_agent(env, launcher)) {
    IsolationEvidence evidence{Isolation::shared, "TORCHELASTIC_RUN_ID is set"};
    const VisibilityLayer* const list = detail::first_set(visible.layers());
    if (list == nullptr || visible_count != 1 || local_world_size == 1) return evidence;
    // What starts each worker, or torchrun itself on request, may show it a device of its own.
    return detail::but(evidence, list->variable, " may be each worker's");
  }
  // mpirun and mpiexec do not say whether they bind devices; an outer Slurm is about their daemons.
  const bool is_mpis = !env("OMPI_COMM_WORLD_LOCAL_RANK").value_or("").empty() ||
                       !env("MPI_LOCALRANKID").value_or("").empty();
  if (!is_mpis && detail::slurm_started(env, local_rank, local_world_size, launcher)) {
    const IsolationEvidence evidence =
        detail::IsolationReader(env, visible, visible_count, local_world_size).slurm();
    if (!evidence.because.empty()) return evidence;
  }
  if (visible.restricted() || visible.kind() == DeviceKind::cpu) return {};
  // A container has no more than it was given, which may be for one process.
  const std::string_view given = visible.kind() == DeviceKind::cuda  ? "NVIDIA_VISIBLE_DEVICES"
                                 : visible.kind() == DeviceKind::npu ? "ASCEND_VISIBLE_DEVICES"
                                                                     : "";
  const std::string_view devices = env(given).value_or("");
  if (!devices.empty() && devices != "all") {
    return detail::evidence_by(Isolation::unknown, given, devices);
  }
  return {Isolation::shared, "no visibility variable is set"};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_ISOLATION_HPP
