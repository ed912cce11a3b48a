// SPDX-License-Identifier: MIT
//
// The device policies, each a small callable from a DeviceRequest to a Device.
//
//   strict          one device for each local rank; an error where there are fewer  (the default)
//   wrap            sharing on purpose, neighbours on different devices: rank modulo count
//   block           sharing on purpose, neighbours on the same device; or spread over more
//   map             the machine's own order: local rank i takes list[i]
//   per_process{k}  k devices for each process
//   closest         the nearest by NUMA node, one for each, agreed upon without communication
//   trainer         what Hugging Face's Trainer does
//   or_cpu{policy}  any of these, and the processor where there is no device
//
// None takes a device modulo the count unless it is wrap; none falls back to the processor unless
// told to, but trainer, which does so where there is no device. A process that nobody launched has
// the first place in each. That a launcher left every process devices of its own, where the local
// rank is no index, is looked at by strict, per_process, closest and trainer; wrap, block and map
// deal out what is visible, as the caller said.
#ifndef RANKMAP_DEVICE_DEVICE_POLICY_HPP
#define RANKMAP_DEVICE_DEVICE_POLICY_HPP

#include <rankmap/device/detail/policy_rules.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0::device_policy {

/// The visible device at the local rank. Use it unless you have a reason not to.
///
/// Where fewer devices are visible than there are processes, and exactly one is or the launcher is
/// known to have left each its own, the index is 0 and the reason names the evidence, or says
/// "ambiguous".
/// Unique among the processes of a node that see the same devices.
/// Errors: not_enough_devices (with both numbers), no_device, bad_device_list (the variable was
/// meant to show devices and shows none), out_of_range (local rank or count). O(1).
struct strict {
  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    return detail::assign_in_rank_order(request, 1, "strict");
  }
};

/// Local rank modulo count: processes share devices, neighbours sit apart. For oversubscription on
/// purpose (MPS, small models, tests on one device).
///
/// `uneven`: whether some devices may carry more processes than others; if not, an error
/// (not_enough_devices) unless the count divides the local world size, and an error (missing) where
/// the latter is not known. Other errors as strict. O(1).
struct wrap {
  bool uneven = false;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    if (const auto error = detail::check_even(request, uneven)) return *error;
    return detail::make_device(request, "wrap", request.local_index() % request.visible_count, 1,
                               DeviceBasis::policy, "local rank modulo visible devices");
  }
};

/// rank * count / processes: processes share devices, neighbours sit together; with more devices
/// than processes they spread evenly. For codes whose neighbours exchange most.
///
/// `uneven` and errors as wrap; the local world size must be known in any case. O(1).
struct block {
  bool uneven = false;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    const std::optional<int> size = request.local_size();
    if (const auto error = detail::check_even(request, uneven && size)) return *error;
    const std::int64_t index = std::int64_t{request.local_index()} * request.visible_count / *size;
    return detail::make_device(request, "block", index, 1, DeviceBasis::policy,
                               "local rank times visible devices by processes");
  }
};

/// Local rank i takes list[i]: for machines whose order of devices and processes is known
/// (`3, 2, 1, 0` on Polaris). A device may stand in the list more than once: you listed it.
///
/// `list`: visible indices; must outlive the policy. `cyclic`: reuse the list from its beginning
/// where it is shorter; if not, its length must be the local world size where that is known.
/// Errors: out_of_range (a listed index is not visible: all are checked, so that every process of
/// the node fails alike), inconsistent (the length), and those of strict. O(length).
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
          Errc::inconsistent, "device_policy::map::list",
          detail::concat<31>(length, " entries").view(),
          size ? detail::concat<159>(cyclic ? 1 : *size,
                                     cyclic ? " or more" : ", one for each local process")
               : detail::concat<159>("more than ", rank, ", the local rank"),
          "give each local process an entry, or set cyclic");
    }
    for (const int entry : list) {
      if (entry >= 0 && entry < request.visible_count) continue;
      return detail::error_at(
          Errc::out_of_range, "device_policy::map::list", detail::concat<31>(entry).view(),
          detail::concat<159>("a visible index in [0, ", request.visible_count, ")"),
          "list visible indices, not physical ids");
    }
    const auto at = static_cast<std::size_t>(rank) % list.size();
    return detail::make_device(request, "map", list[at], 1, DeviceBasis::policy,
                               "the list's entry for the local rank");
  }
};

/// k devices for each process: local rank r drives k*r ... k*r + k-1. For tensor parallelism inside
/// one process, and for tiles.
///
/// `k`: 1 or more. Where too few are visible for all processes, and exactly k are or the launcher
/// left each its own, they begin at index 0, as with strict. Errors: out_of_range (k), and those of
/// strict. O(1).
struct per_process {
  int k = 1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (k < 1) {
      return detail::error_at(Errc::out_of_range, "device_policy::per_process::k",
                              detail::concat<31>(k), "1 or more", "");
    }
    if (const auto error = detail::check_request(request)) return *error;
    return detail::assign_in_rank_order(request, k, "per_process");
  }
};

/// The nearest device by NUMA node, one for each local process.
///
/// `device_nodes`: the NUMA node of each visible device, in visible order, as many as are visible.
/// `process_nodes`: that of each local process, in order of local rank, as many as there are; every
/// process must pass the same two lists, and then each finds its own place in the same assignment
/// without a word exchanged: first each process in order of local rank takes the lowest free device
/// of its node, then the rest take what is left in index order. -1 is an unknown node, near to
/// nothing. Without `process_nodes` (what one process knows of itself cannot make an assignment
/// that its neighbours agree to) the order is that of strict, and the reason says so.
/// `this_node`: the node of this process; used only where the launcher left it devices of its own,
/// fewer than there are processes.
/// Unique among the processes of the node. Errors: inconsistent (the lists' lengths), and those of
/// strict. O((processes + devices) squared); no allocation.
struct closest {
  std::span<const int> device_nodes = {};
  std::span<const int> process_nodes = {};
  int this_node = -1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    if (device_nodes.size() != static_cast<std::size_t>(request.visible_count)) {
      return mismatch("device_policy::closest::device_nodes", device_nodes.size(),
                      request.visible_count, "visible device");
    }
    const std::optional<int> size = request.local_size();
    const bool one_for_each = size && request.visible_count >= *size;
    if (request.isolation.isolation == Isolation::own && (!one_for_each || *size == 1)) {
      auto device = detail::assign_in_rank_order(request, 1, "closest");
      const int nearest = nth_on(this_node, 0);
      if (device && nearest >= 0) {
        device->index = VisibleIndex(nearest);
        if (device->basis == DeviceBasis::local_rank) {  // alone on its node
          device->basis = DeviceBasis::policy;
          device->reason = detail::concat<159>("on NUMA node ", this_node, " like this process");
        }
      }
      return device;
    }
    if (process_nodes.empty() || !one_for_each) {
      auto device = detail::assign_in_rank_order(request, 1, "closest");
      if (device && device->basis == DeviceBasis::local_rank) {
        device->reason = "index order: the NUMA nodes of the other local processes are not given";
        device->basis = DeviceBasis::policy;
      }
      return device;
    }
    if (process_nodes.size() != static_cast<std::size_t>(*size)) {
      return mismatch("device_policy::closest::process_nodes", process_nodes.size(), *size,
                      "local process");
    }
    return place(request);
  }

 private:
  static constexpr Error mismatch(std::string_view field, std::size_t found, int expected,
                                  std::string_view of_each) {
    return detail::error_at(Errc::inconsistent, field,
                            detail::concat<31>(std::uint64_t{found}, " nodes"),
                            detail::concat<159>(expected, ", one for each ", of_each),
                            "use -1 where a node is not known");
  }

  /// The index of the nth device on `node`, or -1.
  constexpr int nth_on(int node, int nth) const {
    if (node < 0) return -1;
    for (std::size_t d = 0; d != device_nodes.size(); ++d) {
      if (device_nodes[d] == node && nth-- == 0) return static_cast<int>(d);
    }
    return -1;
  }
  /// How many local ranks below `rank` are on `node`.
  constexpr int below(int node, std::size_t rank) const {
    int count = 0;
    for (std::size_t r = 0; r != rank; ++r) count += process_nodes[r] == node ? 1 : 0;
    return count;
  }
  /// The device that local rank `rank` finds on its own node, or -1.
  constexpr int on_own_node(std::size_t rank) const {
    const int node = process_nodes[rank];
    return nth_on(node, below(node, rank));
  }

  constexpr Result<Device> place(const DeviceRequest& request) const {
    const auto rank = static_cast<std::size_t>(request.local_index());
    if (const int index = on_own_node(rank); index >= 0) {
      return detail::make_device(
          request, "closest", index, 1, DeviceBasis::policy,
          detail::concat<159>("on NUMA node ", process_nodes[rank], " like this process"));
    }
    int turn = 0;  // how many before this one found nothing near either
    for (std::size_t r = 0; r != rank; ++r) turn += on_own_node(r) < 0 ? 1 : 0;
    for (std::size_t d = 0;; ++d) {  // finds one: there are as many devices as processes
      const int node = device_nodes[d];
      int before = 0;  // devices of this one's node with a lower index
      for (std::size_t e = 0; e != d; ++e) before += device_nodes[e] == node ? 1 : 0;
      const bool taken = node >= 0 && before < below(node, process_nodes.size());
      if (taken || turn-- != 0) continue;
      return detail::make_device(
          request, "closest", static_cast<std::int64_t>(d), 1, DeviceBasis::policy,
          process_nodes[rank] < 0 ? "in index order: this process's NUMA node is not known"
                                  : "left over: no free device on this process's NUMA node");
    }
  }
};

/// What Hugging Face's Trainer does (TrainingArguments._setup_devices), with an error in place of a
/// device that is not there.
///
///   the processor asked for      cpu, driving 0
///   TPU (XLA)                    tpu:0, counted as 0 devices, as the Trainer's n_gpu does
///   SageMaker's own local rank   that device, driving 1
///   no launcher (local rank -1)  cuda:0 (rocm:0) driving all visible ones, for DataParallel;
///                                other kinds index 0 driving 1; cpu where there is no device
///   launched                     the device at the local rank, driving 1; cpu where there is none
///
/// Errors: those of strict. Of no_device only for TPUs and SageMaker's own local rank: else the
/// Trainer runs on the processor where there is none. O(1).
struct trainer {
  bool use_cpu = false;
  std::optional<LocalRank> sagemaker_local_rank = {};

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (use_cpu)
      return detail::make_cpu("trainer", DeviceBasis::requested,
                              "the caller asked for the processor");
    if (request.kind == DeviceKind::tpu) {
      if (const auto error = detail::check_request(request)) return *error;
      return detail::make_device(request, "trainer", 0, 0, DeviceBasis::policy,
                                 "XLA chooses; not counted as a device of this process");
    }
    if (sagemaker_local_rank) {
      DeviceRequest theirs = request;
      theirs.local_rank = *sagemaker_local_rank;
      theirs.launched = true;
      if (const auto error = detail::check_request(theirs)) return *error;
      return detail::assign_in_rank_order(theirs, 1, "trainer");
    }
    if (const auto error = detail::check_request(request)) {
      if (error->code != Errc::no_device) return *error;
      return detail::make_cpu("trainer", DeviceBasis::no_device,
                              "the processor: no device is visible");
    }
    if (request.launched) return detail::assign_in_rank_order(request, 1, "trainer");
    const bool parallel = request.kind == DeviceKind::cuda || request.kind == DeviceKind::rocm;
    return detail::make_device(request, "trainer", 0, parallel ? request.visible_count : 1,
                               DeviceBasis::policy,
                               parallel ? "no launcher: all visible devices in one process"
                                        : "no launcher: the first visible device");
  }
};

/// `policy`, and the processor where the runtime shows no device and no visibility variable is to
/// blame for that. Its other errors stay errors: too few devices are no reason to run on none.
template <DevicePolicy Policy = strict>
struct or_cpu {
  Policy policy = {};

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    Result<Device> device = policy(request);
    if (device || device.error().code != Errc::no_device) return device;
    return detail::make_cpu("or_cpu", DeviceBasis::no_device,
                            "the processor: no device is visible");
  }
};
template <class Policy>
or_cpu(Policy) -> or_cpu<Policy>;

}  // namespace rankmap::inline v0::device_policy

#endif  // RANKMAP_DEVICE_DEVICE_POLICY_HPP
