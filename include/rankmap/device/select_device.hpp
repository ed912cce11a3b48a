// SPDX-License-Identifier: MIT
// Which device is mine: from a process, a kind and a count to an index and its reason.
#ifndef RANKMAP_DEVICE_SELECT_DEVICE_HPP
#define RANKMAP_DEVICE_SELECT_DEVICE_HPP

#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <optional>

namespace rankmap::inline v0 {

/// The device of the process that `request` describes, by `policy`.
///
/// For DeviceKind::cpu every policy gives "cpu", driving 0 devices. A device that the policy names
/// and the process cannot see is an error (out_of_range) with any policy; other errors are the
/// policy's. Call it before any call that uses a device, and set the device first: otherwise the
/// process leaves a context on device 0. O(policy).
template <class Policy = device_policy::strict>
RANKMAP_NOINLINE constexpr Result<Device> select_device(const DeviceRequest& request,
                                                        const Policy& policy = {}) {
  static_assert(DevicePolicy<Policy>,
                "a device policy is a callable on const objects: "
                "rankmap::Result<rankmap::Device>(const rankmap::DeviceRequest&)");
  if (request.kind == DeviceKind::cpu) return detail::make_cpu("", DeviceBasis::requested);
  Result<Device> device = policy(request);
  if (!device || device->kind == DeviceKind::cpu) return device;
  const std::int64_t first = device->index.value;
  const std::int64_t driven = device->count < 1 ? 1 : device->count;
  if (first < 0 || device->count < 0 || first + driven > request.visible_count) {
    return detail::error_at(Errc::out_of_range, "the policy's device",
                            detail::concat(to_string(*device).view(), " driving ", device->count),
                            detail::concat("visible indices in [0, ", request.visible_count, ")"),
                            "correct the policy");
  }
  return device;
}

/// The device of `process`: a rankmap::Topology, or another LocalProcess.
///
/// `visible_count`: what cudaGetDeviceCount and its relatives report to this process, 0 or more.
/// `env`: for evidence about the neighbours (see device_isolation); by default the environment of
/// this process. The rank is never read from it. Errors: as the overload above.
///
///     const auto device = rankmap::select_device(topology, rankmap::DeviceKind::cuda, count);
template <LocalProcess Process, class Policy = device_policy::strict,
          Environment Env = ProcessEnvironment>
RANKMAP_NOINLINE constexpr Result<Device> select_device(const Process& process, DeviceKind kind,
                                                        int visible_count,
                                                        const Policy& policy = {},
                                                        const Env& env = {}) {
  const VisibleDevices visible = visible_devices(kind, env);
  return select_device(device_request(process, kind, visible_count, env, visible), policy);
}

/// The same for a process that may not know all of that: a rankmap::Identity, or a type of your own
/// whose local_rank(), local_world_size() and world_size() are optional. Without a world
/// size it counts as one of several. One more error: missing, if it has no local rank.
///
///     const auto me = rankmap::Identity::from_environment(rankmap::Need::local).value();
///     const auto device = rankmap::select_device(me, rankmap::DeviceKind::cuda, count);
template <PartialLocalProcess Process, class Policy = device_policy::strict,
          Environment Env = ProcessEnvironment>
RANKMAP_NOINLINE constexpr Result<Device> select_device(const Process& process, DeviceKind kind,
                                                        int visible_count,
                                                        const Policy& policy = {},
                                                        const Env& env = {}) {
  const std::optional<int> local_rank = process.local_rank();
  if (!local_rank) {
    return detail::error_missing(Errc::missing, "local_rank", "the local rank of this process",
                                 "in the program, ask for Need::local");
  }
  const VisibleDevices visible = visible_devices(kind, env);
  return select_device(detail::make_device_request(process, *local_rank,
                                                   process.world_size() != std::optional<int>(1),
                                                   kind, visible_count, env, visible),
                       policy);
}

/// One line to compare across the processes of a node: `local rank 3 of 4
/// (OMPI_COMM_WORLD_LOCAL_RANK) | CUDA_VISIBLE_DEVICES=4,5,6,7: 4 entries | strict -> cuda:3
/// (physical 7)`. The reason follows, unless the device is the one at the local rank. An error
/// replaces the device. At most 639 bytes, printable ASCII if the caller's texts are. O(length).
constexpr Message explain(const DeviceRequest& request, const Result<Device>& result) {
  Message out;
  out.append("local rank ").append_number(request.local_rank.value);
  if (!request.launched) {
    out.append(", not launched");
  } else if (request.local_world_size) {
    out.append(" of ").append_number(*request.local_world_size);
  }
  if (!request.local_rank_source.empty()) {
    out.append(" (").append(request.local_rank_source).append(')');
  }
  out.append(" | ");
  // Whether the variables and the runtime agree, so that physical ids are known.
  const bool listed = request.visible != nullptr && request.visible->state() == Visibility::list;
  const bool agrees =
      request.visible != nullptr && (!listed || request.visible->size() == request.visible_count);
  if (request.visible != nullptr) detail::append_layers(out, *request.visible);
  if (!listed || !agrees) {
    out.append(request.visible != nullptr ? ", " : "").append_number(request.visible_count);
    out.append(" shown");
  }
  out.append(" | ");
  if (!result) return out.append(message(result.error()));
  const Device& device = *result;
  if (!device.policy.empty()) out.append(device.policy).append(" -> ");
  out.append(to_string(device));
  if (device.count > 1) out.append(" and ").append_number(device.count - 1).append(" more");
  if (agrees && device.kind != DeviceKind::cpu && request.visible->restricted()) {
    if (const auto id = request.visible->physical(device.index)) {
      out.append(" (physical ").append_number(id->value).append(')');
    }
  }
  if (device.basis != DeviceBasis::local_rank && !device.reason.empty()) {
    out.append(": ").append(device.reason);
  }
  return out;
}

/// The same line to any callable that takes a std::string_view.
template <class Sink>
constexpr void explain(const DeviceRequest& request, const Result<Device>& result, Sink&& sink) {
  sink(explain(request, result).view());
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_SELECT_DEVICE_HPP
