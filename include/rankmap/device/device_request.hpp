// SPDX-License-Identifier: MIT
// The question "which device is mine?" and the type of its answer, which a policy gives.
#ifndef RANKMAP_DEVICE_DEVICE_REQUEST_HPP
#define RANKMAP_DEVICE_DEVICE_REQUEST_HPP

#include <rankmap/device/device_isolation.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// What a device policy may use.
struct DeviceRequest {
  DeviceKind kind = DeviceKind::cuda;
  LocalRank local_rank;                 ///< 0 or more, below local_world_size
  std::optional<int> local_world_size;  ///< processes of this node; nothing if not known
  int visible_count = 0;                ///< devices that the vendor's runtime shows to this process
  bool launched = true;                 ///< false: no launcher started this process
  IsolationEvidence isolation;
  const VisibleDevices* visible =
      nullptr;                         ///< for messages and physical ids; not owned; may be null
  std::string_view local_rank_source;  ///< "OMPI_COMM_WORLD_LOCAL_RANK", for messages

  /// The place of this process on its node: its local rank, or 0 without a launcher.
  constexpr int local_index() const { return launched ? local_rank.value : 0; }
  /// How many processes share this node: 1 without a launcher, nothing if not known.
  constexpr std::optional<int> local_size() const {
    return launched ? local_world_size : std::optional<int>(1);
  }
};

/// Why a device is this process's.
enum class DeviceBasis : std::uint8_t {
  local_rank,  ///< the visible device at the local rank
  policy,      ///< another rule, which the reason names
  isolated,    ///< the first of the devices that only this process has; the reason names the proof
  requested,   ///< the CPU, because the caller requested it
  no_device,   ///< the CPU, because there is no device
};

/// "local rank", "policy", "isolated", "requested" or "no device". O(1).
constexpr std::string_view name(DeviceBasis basis) {
  return detail::enumerator("local rank\0policy\0isolated\0requested\0no device", basis);
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

/// The device as PyTorch spells it: "cuda:1" for rocm:1, "xla:0" for tpu:0, "hpu" for any of
/// Gaudi's, of which a process has one, else to_string. O(1).
constexpr StaticString<23> to_torch_string(const Device& device) {
  if (device.kind == DeviceKind::cpu || device.kind == DeviceKind::hpu) return name(device.kind);
  return detail::concat<23>(torch_name(device.kind), ":", device.index.value);
}

/// A policy: any callable that answers a request with a device or an error.
///
///     const auto last_first = [](const DeviceRequest& request) -> Result<Device> {
///       Device device;
///       device.kind = request.kind;
///       device.index = VisibleIndex(request.visible_count - 1 - request.local_index());
///       device.count = 1;
///       return device;
///     };
template <class Policy>
concept DevicePolicy = requires(const Policy& policy, const DeviceRequest& request) {
  { policy(request) } -> std::convertible_to<Result<Device>>;
};

/// What a device request needs to know of a process: a rankmap::Topology, or a type of your own.
template <class T>
concept LocalProcess = requires(const T& process) {
  { process.local_rank() } -> std::convertible_to<int>;
  { process.local_world_size() } -> std::convertible_to<std::optional<int>>;
  { process.is_distributed() } -> std::convertible_to<bool>;
};

/// The same of a process that may not know all of it, as a rankmap::Identity does.
template <class T>
concept PartialLocalProcess = requires(const T& process) {
  { process.local_rank() } -> std::same_as<std::optional<int>>;
  { process.local_world_size() } -> std::convertible_to<std::optional<int>>;
  { process.world_size() } -> std::same_as<std::optional<int>>;
};

/// Deprecated: use LocalProcess.
template <class T>
concept LocalPlace = LocalProcess<T>;
/// Deprecated: use PartialLocalProcess.
template <class T>
concept PartialLocalPlace = PartialLocalProcess<T>;

namespace detail {

/// The name of the launcher, from a process that has one.
constexpr std::string_view launcher_of(const auto& process) {
  if constexpr (requires { std::string_view(process.launcher_name()); }) {
    return process.launcher_name();
  } else if constexpr (requires { std::string_view(name(process.launcher())); }) {
    return name(process.launcher());
  } else {
    return {};
  }
}

/// The argument of origin(field), deduced from the member, without the launchers' table.
template <class Origin, class Process, class Field>
Field origin_field(Origin (Process::*)(Field) const);

/// Where a process has its local rank from, if it knows: a variable's name or a rule, static text.
template <class Process>
constexpr std::string_view local_rank_source_of(const Process& process) {
  if constexpr (requires { origin_field(&Process::origin); }) {
    return process.origin(decltype(origin_field(&Process::origin))::local_rank).source;
  } else {
    return {};
  }
}

/// The launch outside of the one of `process`, if it knows other records: one that identifies
/// another process than this one.
constexpr OuterLaunch outer_launch_of(const auto& process) {
  OuterLaunch outer;
  if constexpr (requires { process.other_records().front().local_world_size; }) {
    for (const auto& record : process.other_records()) {
      if (record.local_world_size <= outer.local_size) continue;
      outer = {process.launcher_name(record.launcher), record.local_world_size};
    }
  }
  return outer;
}

/// A request for `process`, whose local rank and whether it is one of several are said beside it.
constexpr DeviceRequest make_device_request(const auto& process, int local_rank,
                                            bool is_distributed, DeviceKind kind, int visible_count,
                                            const Environment auto& env,
                                            const VisibleDevices& visible RANKMAP_LIFETIMEBOUND) {
  std::optional<int> size = process.local_world_size();
  const IsolationEvidence isolation =
      device_isolation(env, visible, visible_count, LocalRank(local_rank), size,
                       launcher_of(process), outer_launch_of(process));
  // Of the workers of other agents on the node, only their agents know.
  if (isolation.bound_by == BoundBy::agents) size = std::nullopt;
  const auto variable = env("LOCAL_RANK");
  return {.kind = kind,
          .local_rank = LocalRank(local_rank),
          .local_world_size = size,
          .visible_count = visible_count,
          .launched = is_distributed || (variable && *variable != "-1" && !variable->empty()),
          .isolation = isolation,
          .visible = &visible,
          .local_rank_source = local_rank_source_of(process)};
}

}  // namespace detail

/// A request for `process` (a rankmap::Topology, or anything with its local_rank(),
/// local_world_size() and is_distributed()), from the environment in which it runs.
///
/// `visible_count`: what cudaGetDeviceCount and its relatives report, 0 or more. `visible` must
/// outlive the request. A process counts as launched if it is distributed, or if LOCAL_RANK is set
/// to anything but "-1": a launcher that starts one process is still a launcher. A process with
/// launcher() and origin() fills in more. O(environment).
template <LocalProcess Process, Environment Env>
constexpr DeviceRequest device_request(const Process& process, DeviceKind kind, int visible_count,
                                       const Env& env,
                                       const VisibleDevices& visible RANKMAP_LIFETIMEBOUND) {
  return detail::make_device_request(process, process.local_rank(), process.is_distributed(), kind,
                                     visible_count, env, visible);
}
// The request would refer to what is gone: give the visible devices a name.
template <LocalProcess Process, Environment Env>
DeviceRequest device_request(const Process&, DeviceKind, int, const Env&,
                             const VisibleDevices&&) = delete;

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_REQUEST_HPP
