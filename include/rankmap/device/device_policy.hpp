// SPDX-License-Identifier: MIT
// The device policies: small callables from a DeviceRequest to a Device. Only wrap uses the rank
// modulo the count, only trainer and or_cpu use the CPU instead of a missing device. A process
// without launcher counts as the first in each. strict, which is the default, per_process, closest
// and trainer consider that a launcher may have given every process devices of its own, which the
// local rank does not index. wrap, block and map use what is visible, as the caller said.
#ifndef RANKMAP_DEVICE_DEVICE_POLICY_HPP
#define RANKMAP_DEVICE_DEVICE_POLICY_HPP

#include <rankmap/device/detail/policy_rules.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rankmap::inline v0::device_policy {

/// The visible device at the local rank, or the one that its launcher names: the usual choice.
///
/// If fewer devices are visible than there are processes, and it is proved that each has its own,
/// the index is 0, and the reason names the proof (see device_isolation). Not where a visibility
/// variable is malformed: then the device may be the first of those that were meant for all.
/// Unique among the processes of a node that see the same devices, and among those with own ones.
/// Errors: not_enough_devices (with both numbers), ambiguous (no proof, or a binding by which
/// lists may overlap), no_device, bad_device_list (a variable is malformed and shows too few, or
/// lists devices where the runtime shows none), out_of_range (local rank or count). O(1).
struct strict {
  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    return detail::assign_in_rank_order(request, 1, "strict");
  }
};

/// Local rank modulo count: processes share devices, neighbours use different ones. For intended
/// oversubscription (MPS, small models, tests on one device).
///
/// `uneven`: whether some devices may have more processes than others. If not, an error
/// (not_enough_devices) unless the count divides the local world size, an error (missing) if the
/// latter is not known, and one (ambiguous) if a binding shows several devices, which other
/// processes may see in part. `sharing`: how many processes may have one device (2 for two on
/// purpose), else not_enough_devices; 0: any number. Other errors as strict. O(1).
struct wrap {
  bool uneven = false;
  int sharing = 0;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    if (const auto error = detail::check_sharing(request, sharing, "device_policy::wrap::sharing"))
      return *error;
    if (const auto error = detail::check_even(request, uneven)) return *error;
    return detail::make_device(request, "wrap", request.local_index() % request.visible_count, 1,
                               DeviceBasis::policy, "local rank modulo visible devices");
  }
};

/// rank * count / processes: processes share devices, neighbours use the same one. With more
/// devices than processes they spread evenly. For programs whose neighbours exchange most.
///
/// `uneven`, `sharing` and errors as wrap; the local world size must be known in any case. O(1).
struct block {
  bool uneven = false;
  int sharing = 0;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    const std::optional<int> size = request.local_size();
    if (const auto error = detail::check_sharing(request, sharing, "device_policy::block::sharing"))
      return *error;
    if (const auto error = detail::check_even(request, uneven, true)) return *error;
    const std::int64_t index = std::int64_t{request.local_index()} * request.visible_count / *size;
    return detail::make_device(request, "block", index, 1, DeviceBasis::policy,
                               "local rank times visible devices, divided by processes");
  }
};

/// Local rank i gets list[i]: for machines whose order of devices and processes is known
/// (`3, 2, 1, 0` on Polaris). The list may repeat a device.
///
/// `list`: visible indices; must outlive the policy. `cyclic`: repeats a list that is shorter than
/// the local world size; if not, its length must be the local world size, if that is known.
/// Errors: out_of_range (a listed index is not visible: all are checked, so that every process of
/// the node fails in the same way), inconsistent (the length), and those of strict. O(length).
struct map {
  std::span<const int> list = {};
  bool cyclic = false;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    const auto length = static_cast<std::int64_t>(list.size());
    const int rank = request.local_index();
    const std::optional<int> size = request.local_size();
    const bool fits = cyclic ? length != 0 : size ? length == *size : rank < length;
    if (!fits) {
      return detail::error_at(
          Errc::inconsistent, "device_policy::map::list", detail::concat(length, " entries"),
          size ? detail::concat(cyclic ? 1 : *size,
                                cyclic ? " or more" : ", one for each local process")
               : detail::concat("more than ", rank, ", the local rank"),
          "give each local process an entry, or set cyclic");
    }
    for (const int entry : list) {
      if (entry >= 0 && entry < request.visible_count) continue;
      return detail::out_of_range(
          "device_policy::map::list", entry,
          detail::concat("a visible index in [0, ", request.visible_count, ")"),
          "list visible indices, not physical ids");
    }
    const auto at = static_cast<std::size_t>(rank) % list.size();
    return detail::make_device(request, "map", list[at], 1, DeviceBasis::policy,
                               "the list entry for the local rank");
  }
};

/// Local rank r drives devices k*r to k*r + k-1: for tensor parallelism in one process, for tiles.
///
/// `k`: 1 or more. If too few are visible for all processes, and it is proved that each has its
/// own, they begin at index 0, as with strict. Errors: out_of_range (k), and those of strict. O(1).
struct per_process {
  int k = 1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (k < 1) return detail::bad_devices_each("device_policy::per_process::k", k);
    return detail::assign_in_rank_order(request, k, "per_process");
  }
};

/// The first k visible devices, because the caller says that no other process sees them: for a mask
/// of one's own for each process, and for launchers without a proof. Only a JobTable can check it.
///
/// `k`: 1 or more. Errors: not_enough_devices (fewer are visible), no_device, out_of_range. O(1).
struct own {
  int k = 1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (k < 1) return detail::bad_devices_each("device_policy::own::k", k);
    if (const auto error = detail::check_request(request)) return *error;
    if (request.visible_count < k) {
      return detail::count_error(Errc::not_enough_devices, request,
                                 detail::concat(k, " or more, for this process alone"),
                                 "show it more devices; in the program, pass a smaller k");
    }
    return detail::make_device(request, "own", 0, k, DeviceBasis::policy,
                               "the program says that no other process has it");
  }
};

/// The nearest device by NUMA node, one for each local process.
///
/// `device_nodes`: the NUMA node of each visible device, in visible order. `process_nodes`: that of
/// each local process, in order of local rank. On -1, an unknown node, nothing is near. Every
/// process must pass the same two lists; then all compute the same assignment without
/// communication: first each process, in order of local rank, gets the lowest free device of its
/// node, then the others get the free devices in index order. Without `process_nodes` the order is
/// that of strict, and the reason says so: processes that know only their own node cannot agree.
/// `this_node`: the node of this process; used only if the launcher gave it devices of its own,
/// fewer than there are processes. Unique among the processes of the node. Errors: inconsistent
/// (the lists' lengths), and those of strict. O((processes + devices) squared); no allocation.
struct closest {
  std::span<const int> device_nodes = {};
  std::span<const int> process_nodes = {};
  int this_node = -1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    if (device_nodes.size() != static_cast<std::size_t>(request.visible_count)) {
      return detail::bad_node_list("device_policy::closest::device_nodes", device_nodes.size(),
                                   request.visible_count, "visible device");
    }
    if (const auto error = detail::check_binding(request)) return *error;
    const std::optional<int> size = request.local_size();
    const bool one_for_each = size && request.visible_count >= *size;
    const bool has_own =
        request.isolation.isolation == Isolation::own && (!one_for_each || *size == 1);
    if (has_own || process_nodes.empty() || !one_for_each) {
      auto device = detail::assign_in_rank_order(request, 1, "closest");
      const int nearest = has_own ? nth_device(this_node, 0) : -1;
      if (!device || (has_own && nearest < 0)) return device;
      if (has_own) device->index = VisibleIndex(nearest);
      if (device->basis == DeviceBasis::local_rank) {  // else the reason is a proof
        device->basis = DeviceBasis::policy;
        device->reason = has_own ? on_node(this_node)
                                 : StaticString<159>(
                                       "in index order: the NUMA nodes of the other "
                                       "local processes are not given");
      }
      return device;
    }
    if (process_nodes.size() != static_cast<std::size_t>(*size)) {
      return detail::bad_node_list("device_policy::closest::process_nodes", process_nodes.size(),
                                   *size, "local process");
    }
    const auto rank = static_cast<std::size_t>(request.local_index());
    if (const int nearest = near_device(rank); nearest >= 0) {
      return detail::make_device(request, "closest", nearest, 1, DeviceBasis::policy,
                                 on_node(process_nodes[rank]));
    }
    return detail::make_device(request, "closest", free_device(rank), 1, DeviceBasis::policy,
                               process_nodes[rank] < 0
                                   ? "in index order: this process's NUMA node is not known"
                                   : "in index order: no free device on this process's NUMA node");
  }

 private:
  static constexpr StaticString<159> on_node(int node) {
    return detail::concat("on NUMA node ", node, " like this process");
  }

  /// The index of the nth device on `node`, or -1.
  constexpr int nth_device(int node, int nth) const {
    if (node < 0) return -1;
    for (std::size_t d = 0; d != device_nodes.size(); ++d) {
      if (device_nodes[d] == node && nth-- == 0) return static_cast<int>(d);
    }
    return -1;
  }
  /// The device that local rank `rank` gets on its own node, or -1.
  constexpr int near_device(std::size_t rank) const {
    const int node = process_nodes[rank];
    return nth_device(node, count(process_nodes.first(rank), node));
  }
  /// The device that a rank without a near one gets. Precondition: as many devices as processes.
  constexpr int free_device(std::size_t rank) const {
    int turn = 0;  // ranks before this one that have no near device either
    for (std::size_t r = 0; r != rank; ++r) turn += near_device(r) < 0 ? 1 : 0;
    for (std::size_t d = 0;; ++d) {
      const int node = device_nodes[d];
      const bool taken =
          node >= 0 && count(device_nodes.first(d), node) < count(process_nodes, node);
      if (!taken && turn-- == 0) return static_cast<int>(d);
    }
  }
  static constexpr int count(std::span<const int> nodes, int node) {
    int found = 0;
    for (const int other : nodes) found += other == node ? 1 : 0;
    return found;
  }
};

/// As Hugging Face's Trainer (TrainingArguments._setup_devices), but a missing device is an error.
///
///   use_cpu                      cpu, driving 0
///   TPU (XLA)                    tpu:0, counted as 0 devices, as the Trainer's n_gpu does
///   SageMaker's own local rank   that device, driving 1
///   no launcher (local rank -1)  cuda:0 (rocm:0) driving all visible ones, for DataParallel;
///                                other kinds index 0 driving 1; cpu if there is no device
///   launched                     the device at the local rank, driving 1; cpu if there is none
///
/// Errors: those of strict, but no_device only for TPUs and SageMaker's own local rank: otherwise
/// the Trainer runs on the CPU without devices. O(1).
struct trainer {
  bool use_cpu = false;
  std::optional<LocalRank> sagemaker_local_rank = {};

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (use_cpu) return detail::make_cpu("trainer", DeviceBasis::requested);
    if (request.kind == DeviceKind::tpu) {
      if (const auto error = detail::check_request(request)) return *error;
      return detail::make_device(request, "trainer", 0, 0, DeviceBasis::policy,
                                 "XLA chooses; not counted as a device of this process");
    }
    if (sagemaker_local_rank) {
      DeviceRequest theirs = request;
      theirs.local_rank = *sagemaker_local_rank;
      theirs.launched = true;
      return detail::assign_in_rank_order(theirs, 1, "trainer");
    }
    if (const auto error = detail::check_request(request)) {
      if (error->code != Errc::no_device) return *error;
      return detail::make_cpu("trainer", DeviceBasis::no_device);
    }
    if (request.launched) return detail::assign_in_rank_order(request, 1, "trainer");
    const bool parallel = request.kind == DeviceKind::cuda || request.kind == DeviceKind::rocm;
    return detail::make_device(request, "trainer", 0, parallel ? request.visible_count : 1,
                               DeviceBasis::policy,
                               parallel ? "no launcher: all visible devices in one process"
                                        : "no launcher: the first visible device");
  }
};

/// `policy`, and the CPU if the runtime shows no device and no visibility variable is the cause.
/// Other errors stay errors: too few devices are no reason to use none.
template <DevicePolicy Policy = strict>
struct or_cpu {
  Policy policy = {};

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    Result<Device> device = policy(request);
    if (device || device.error().code != Errc::no_device) return device;
    return detail::make_cpu("or_cpu", DeviceBasis::no_device);
  }
};
template <class Policy>
or_cpu(Policy) -> or_cpu<Policy>;

}  // namespace rankmap::inline v0::device_policy

#endif  // RANKMAP_DEVICE_DEVICE_POLICY_HPP
