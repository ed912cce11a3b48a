// SPDX-License-Identifier: MIT
//
// The question "which device is mine?" in full, and the shape of its answer. A policy is whatever
// turns the one into the other.
#ifndef RANKMAP_DEVICE_DEVICE_REQUEST_HPP
#define RANKMAP_DEVICE_DEVICE_REQUEST_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/isolation_table.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// How the visible devices relate to the neighbours', and what tells so.
struct IsolationEvidence {
  Isolation isolation = Isolation::unknown;
  StaticString<95> because;  ///< "SLURMD_TRES_BIND=gpu:per_task:1"; empty for unknown
};

/// Everything that a device policy may look at.
struct DeviceRequest {
  DeviceKind kind = DeviceKind::cuda;
  LocalRank local_rank;                 ///< 0 or more, below local_world_size
  std::optional<int> local_world_size;  ///< processes of this node; nothing where not known
  int visible_count = 0;                ///< devices that the vendor's runtime shows to this process
  bool launched = true;  ///< false: one process that nobody started as one of several
  IsolationEvidence isolation;
  const VisibleDevices* visible =
      nullptr;                         ///< for messages and physical ids; not owned; may be null
  std::string_view local_rank_source;  ///< "OMPI_COMM_WORLD_LOCAL_RANK", for messages
};

/// Why a device is this process's.
enum class DeviceBasis : std::uint8_t {
  local_rank,  ///< the visible device at the local rank
  policy,      ///< another rule, which the reason names
  isolated,    ///< the launcher left this process its own devices: the first of them
  ambiguous,   ///< the only visible device, and nothing tells whether the neighbours see the same
  asked,       ///< the processor, because the caller asked for it
  no_device,   ///< the processor, because there is no device
};

/// "local rank", "policy", "isolated", "ambiguous", "asked" or "no device". O(1).
constexpr std::string_view name(DeviceBasis basis) {
  constexpr std::string_view names[] = {"local rank", "policy", "isolated",
                                        "ambiguous",  "asked",  "no device"};
  return names[static_cast<std::size_t>(basis)];
}

/// A device, how many this process drives from there on, and why. Trivially copyable.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  VisibleIndex index;  ///< the first device that this process drives; 0 for cpu
  int count = 0;       ///< how many it drives: index, index + 1, ...; 0 for cpu
  DeviceBasis basis = DeviceBasis::policy;
  StaticString<23> policy;   ///< the policy's name
  StaticString<159> reason;  ///< one line

  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// "npu:1"; "cpu". O(1).
constexpr StaticString<23> to_string(const Device& device) {
  if (device.kind == DeviceKind::cpu) return "cpu";
  return detail::concat<23>(name(device.kind), ":", device.index.value);
}

/// The device as PyTorch spells it: "cuda:1" for rocm:1, "xla:0" for tpu:0, else as to_string.
/// O(1).
constexpr StaticString<23> to_torch_string(const Device& device) {
  if (device.kind == DeviceKind::cpu) return "cpu";
  return detail::concat<23>(torch_name(device.kind), ":", device.index.value);
}

/// A policy: any callable that answers a request with a device or an error.
///
///     const auto last_first = [](const DeviceRequest& request) -> Result<Device> {
///       Device device;
///       device.kind = request.kind;
///       device.index = VisibleIndex(request.visible_count - 1 - request.local_rank.value);
///       device.count = 1;
///       return device;
///     };
template <class Policy>
concept DevicePolicy = requires(const Policy& policy, const DeviceRequest& request) {
  { policy(request) } -> std::convertible_to<Result<Device>>;
};

/// What a device request needs to know of a process: rankmap::Topology has it, and so may a type of
/// your own.
template <class T>
concept LocalPlace = requires(const T& place) {
  { place.local_rank() } -> std::convertible_to<int>;
  { place.local_world_size() } -> std::convertible_to<std::optional<int>>;
  { place.is_distributed() } -> std::convertible_to<bool>;
};

namespace detail {

/// Whether any entry of a list, with `mark` between them, is `wanted`.
template <class Wanted>
constexpr bool any_entry(std::string_view list, char mark, const Wanted& wanted) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t found = list.find(mark, at);
    const std::size_t end = found == std::string_view::npos ? list.size() : found;
    if (wanted(list.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

/// Whether Slurm itself started the processes of this node. A torchrun, mpirun or accelerate inside
/// one task inherits that task's variables, which say nothing about its children. Where the
/// launcher does not settle it: Slurm's local id is this process's, and some node of the step runs
/// as many tasks as there are processes here.
template <Environment Env>
constexpr bool slurm_started(const Env& env, LocalRank local_rank,
                             std::optional<int> local_world_size, std::string_view launcher) {
  if (launcher == slurm_launcher) return true;
  bool open = false;
  for (const std::string_view name : open_launchers) open = open || launcher == name;
  if (!open) return false;
  const auto id = env("SLURM_LOCALID");
  if (!id) return false;
  const Number number = parse_number(*id);
  if (!number || local_rank.value < 0 ||
      number.value != static_cast<std::uint64_t>(local_rank.value)) {
    return false;
  }
  const auto counts = env("SLURM_STEP_TASKS_PER_NODE");
  if (!counts || !local_world_size) return true;
  return any_entry(*counts, ',', [&](std::string_view group) {
    const Number tasks = parse_number(group.substr(0, group.find('(')));
    return tasks && tasks.value == static_cast<std::uint64_t>(*local_world_size);
  });
}

/// The name of the launcher that a place knows, if it knows one.
template <class Place>
constexpr std::string_view launcher_of(const Place& place) {
  if constexpr (requires { std::string_view(name(place.launcher())); }) {
    return name(place.launcher());
  } else {
    return {};
  }
}

/// What a Topology's origin(field) takes, found from the member: so that a device costs nobody the
/// table of launchers.
template <class Origin, class Place, class Field>
Field origin_field(const Origin& (Place::*)(Field) const);

/// Where a place has its local rank from, if it knows: a variable's name or a rule, static text.
template <class Place>
constexpr std::string_view local_rank_source_of(const Place& place) {
  if constexpr (requires { origin_field(&Place::origin); }) {
    return place.origin(decltype(origin_field(&Place::origin))::local_rank).source;
  } else {
    return {};
  }
}

/// Slurm's list of bindings (`gres/gpu:per_task:1+gres/nic:closest`) has one of GPUs that holds
/// `wanted`.
constexpr bool binds_gpus(std::string_view list, std::string_view wanted) {
  return any_entry(list, '+', [&](std::string_view binding) {
    const std::size_t colon = binding.find(':');
    const std::string_view resource = binding.substr(0, colon);
    return colon != std::string_view::npos && (resource == "gpu" || resource == "gres/gpu") &&
           binding.find(wanted, colon) != std::string_view::npos;
  });
}

/// Slurm's list of requests (`cpu=2,gres/gpu:a100=1`, `a100:1`, `1`) asks for one or more of
/// `wanted`; of anything where that is empty.
constexpr bool asks_for(std::string_view list, std::string_view wanted) {
  return any_entry(list, ',', [&](std::string_view request) {
    const Number number = parse_number(request.substr(request.find_last_of(":=") + 1));
    return number && number.value != 0 &&
           (wanted.empty() || request.substr(0, request.find_first_of(":=")) == wanted);
  });
}

constexpr bool proves(const IsolationRow& row, std::string_view text, int visible_count) {
  switch (row.proof) {
    case Proof::is_set:
      return true;
    case Proof::mentions:
      return text.find(row.text) != std::string_view::npos;
    case Proof::binds:
      return binds_gpus(text, row.text);
    case Proof::asks:
      return asks_for(text, row.text);
    case Proof::more_than_visible:
      break;
  }
  const Number number = parse_number(text);
  return number && visible_count >= 0 && number.value > static_cast<std::uint64_t>(visible_count);
}

}  // namespace detail

/// What the environment tells about this process's devices and its neighbours'.
///
/// `visible_count`: devices that the runtime shows. `visible`: the visibility variables; where none
/// is set nobody has hidden anything, and all processes share what they see. Only evidence that
/// every process of the node finds in its own environment is used. `launcher`: the name of the
/// launcher that started this process, as name(Launcher) gives it; empty: not known. No error;
/// O(text); no allocation. Source: srun(1) and Slurm's gres page; torchrun's worker environment.
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
    if (!text || text->empty() || !detail::proves(row, *text, visible_count)) continue;
    evidence.isolation = row.says;
    if (row.says != Isolation::unknown) {
      evidence.because.append(row.variable);
      if (!row.slurm) {
        evidence.because.append(" is set");  // its text is somebody's identifier, and tells nothing
        return evidence;
      }
      evidence.because.append('=');
      detail::append_escaped(evidence.because, *text, 24);
      return evidence;
    }
    break;
  }
  if (!visible.restricted() && visible.kind() != DeviceKind::cpu) {
    evidence.isolation = Isolation::shared;
    evidence.because = "no visibility variable is set";
  }
  return evidence;
}

/// A request for a process at `place` (a rankmap::Topology, or anything with its local_rank(),
/// local_world_size() and is_distributed()), from the environment in which it runs.
///
/// `visible_count`: what cudaGetDeviceCount and its relatives report, 0 or more. `visible` must
/// outlive the request. A process counts as launched where the place is distributed or LOCAL_RANK
/// is set to anything but "-1": a launcher that starts one process is still a launcher. A place
/// that knows its launcher() and origin() fills in what they tell. O(environment).
template <LocalPlace Place, Environment Env>
constexpr DeviceRequest device_request(const Place& place, DeviceKind kind, int visible_count,
                                       const Env& env, const VisibleDevices& visible) {
  DeviceRequest request;
  request.kind = kind;
  request.local_rank = LocalRank(place.local_rank());
  request.local_world_size = place.local_world_size();
  request.visible_count = visible_count;
  const auto said = env("LOCAL_RANK");
  request.launched = place.is_distributed() || (said && *said != "-1" && !said->empty());
  request.isolation = device_isolation(env, visible, visible_count, request.local_rank,
                                       request.local_world_size, detail::launcher_of(place));
  request.visible = &visible;
  request.local_rank_source = detail::local_rank_source_of(place);
  return request;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_REQUEST_HPP
