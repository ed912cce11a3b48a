// SPDX-License-Identifier: MIT
// The CPUs that torchrun --numa-binding would give the process of a device, number for number.
#ifndef RANKMAP_DEVICE_NUMA_BINDING_HPP
#define RANKMAP_DEVICE_NUMA_BINDING_HPP

#include <rankmap/device/core_share.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/cpu_groups.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

namespace detail {

/// A device among those of its NUMA node, and the available CPUs of that node.
struct NodeShare {
  CpuSet cpus;
  int place = 0;  ///< among the devices of the node, in the order given
  int size = 0;   ///< how many those are
};

constexpr Result<NodeShare> node_share(const CpuSet& available, const MachineCpus& machine,
                                       std::span<const int> device_nodes, int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= device_nodes.size()) {
    return out_of_range("device", device,
                        concat("a number in [0, ", std::uint64_t{device_nodes.size()}, ")"),
                        "pass the device's place in device_nodes");
  }
  NodeShare out;
  const int node = device_nodes[static_cast<std::size_t>(device)];
  if (node < 0) {
    return error_at(Errc::missing, concat("the NUMA node of device ", device), concat(node),
                    "a known node; torch would take node 0",
                    "do not bind, or bind by core_share; in the program, pass the node");
  }
  for (std::size_t i = 0; i != device_nodes.size(); ++i) {
    if (device_nodes[i] != node) continue;
    if (static_cast<int>(i) < device) ++out.place;
    ++out.size;
  }
  if (const auto error = check_grouped(available, machine.numa_nodes, "NUMA node",
                                       "do not bind; in the program, pass all NUMA nodes")) {
    return *error;
  }
  out.cpus = available & machine.numa_nodes.cpus_of(node);
  if (out.cpus.empty()) {
    return error_at(Errc::not_enough_devices, concat("available CPUs of NUMA node ", node), "none",
                    concat("at least one, since device ", device, " is on this node"),
                    "give the process CPUs of that node, or do not bind");
  }
  return out;
}

}  // namespace detail

/// The rules of torch.numa.binding. Each gives the CPUs of the process that drives one device:
/// those of `available` that the rule allows, never none.
///
/// `available`: the CPUs where the process may run, probe_allowed_cpus. `machine`: from
/// probe_machine_cpus. `device_nodes`: the NUMA node of each device of the machine. torch takes the
/// visible devices for all of them, so it shares a node among those; with one visible device for
/// each process every process gets the whole node. `device`: an index into `device_nodes`.
///
/// Where torch raises an exception, or takes node 0 for one that is not known, these are errors:
/// out_of_range (the device), missing (the NUMA node of the device; a CPU that is in no group, of
/// those that the rule looks at), not_enough_devices (no available CPU on the node; fewer cores
/// than devices). Source: torch/numa/binding.py.
namespace numa_binding {

/// All of the device's NUMA node. O(capacity).
constexpr Result<CpuSet> node(const CpuSet& available, const MachineCpus& machine,
                              std::span<const int> device_nodes, int device) {
  const auto share = detail::node_share(available, machine, device_nodes, device);
  if (!share) return share.error();
  return share->cpus;
}

/// All NUMA nodes of the device's socket. A node is on the socket of its lowest available CPU; one
/// without any, such as that of a GPU's memory, is passed over, where torch fails. O(capacity).
constexpr Result<CpuSet> socket(const CpuSet& available, const MachineCpus& machine,
                                std::span<const int> device_nodes, int device) {
  const auto share = detail::node_share(available, machine, device_nodes, device);
  if (!share) return share.error();
  if (const auto error = detail::check_grouped(available, machine.sockets, "socket",
                                               "use numa_binding::node, or do not bind")) {
    return *error;
  }
  const CpuSet mine = machine.sockets.cpus_of(machine.sockets.group_of(share->cpus.next(0)));
  const CpuSet lowest = mine & detail::lowest_of_each(available, machine.numa_nodes);
  return detail::in_groups(available, machine.numa_nodes, machine.numa_nodes.groups_of(lowest));
}

/// Whole cores of the NUMA node, which core_share divides among its devices. O(devices + capacity).
constexpr Result<CpuSet> exclusive(const CpuSet& available, const MachineCpus& machine,
                                   std::span<const int> device_nodes, int device) {
  const auto share = detail::node_share(available, machine, device_nodes, device);
  if (!share) return share.error();
  return detail::nth_core_share(share->cpus, machine.cores, share->place, share->size,
                                "device of the NUMA node");
}

/// The CPUs of one largest cache of the device's NUMA node. The caches with most available CPUs
/// come first, then those with the lowest CPU; the devices of the node take them in turn, and share
/// them if there are too few. O(devices + capacity).
constexpr Result<CpuSet> core_complex(const CpuSet& available, const MachineCpus& machine,
                                      std::span<const int> device_nodes, int device) {
  const auto share = detail::node_share(available, machine, device_nodes, device);
  if (!share) return share.error();
  if (const auto error = detail::check_grouped(share->cpus, machine.caches, "cache",
                                               "use numa_binding::node, or do not bind")) {
    return *error;
  }
  // How many CPUs each cache has, and how many caches have so many.
  std::int16_t size_of[static_cast<std::size_t>(CpuSet::capacity)] = {};
  std::int16_t caches_of[static_cast<std::size_t>(CpuSet::capacity) + 1] = {};
  for (int cpu = share->cpus.next(0); cpu >= 0; cpu = share->cpus.next(cpu + 1)) {
    ++size_of[machine.caches.group_of(cpu)];
  }
  const CpuSet caches = machine.caches.groups_of(share->cpus);
  for (int cache = caches.next(0); cache >= 0; cache = caches.next(cache + 1)) {
    ++caches_of[size_of[cache]];
  }
  int turn = share->place % caches.size();
  int size = share->cpus.size();
  for (; turn >= caches_of[size]; --size) turn -= caches_of[size];
  int cache = caches.next(0);
  while (size_of[cache] != size || turn-- != 0) cache = caches.next(cache + 1);
  return share->cpus & machine.caches.cpus_of(cache);
}

}  // namespace numa_binding

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_NUMA_BINDING_HPP
