// SPDX-License-Identifier: MIT
// The CPUs of this process and the NUMA nodes of CPUs and devices, from the kernel's files.
#ifndef RANKMAP_PROBE_NUMA_HPP
#define RANKMAP_PROBE_NUMA_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/probe/detail/cpu_files.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The CPUs that this process may run on, from Cpus_allowed_list of /proc/self/status.
/// Errors: bad_file (no such file or line), and those of parse_cpu_list.
inline Result<CpuSet> probe_allowed_cpus(const ProbeOptions& options = {}) {
  const detail::SmallFile status(detail::probe_path(options.root, "/proc/self/status"));
  const std::string_view list = status.value_of("Cpus_allowed_list");
  if (list.empty()) {
    return detail::error_missing(Errc::bad_file, "Cpus_allowed_list of /proc/self/status",
                                 "the list of CPUs that Linux shows there",
                                 "pass the CPUs yourself");
  }
  return parse_cpu_list(list, "Cpus_allowed_list");
}

/// The NUMA node that holds all of `cpus`, or -1: they are on several, or no file shows it.
inline int probe_numa_node_of(const CpuSet& cpus, const ProbeOptions& options = {}) {
  int found = -1;
  detail::for_each_numa_node(options.root, [&](int node, const CpuSet& members) {
    if (!cpus.empty() && (cpus & members) == cpus) found = node;
  });
  return found;
}

/// The NUMA node of each visible device, in visible order, for device_policy::closest: writes
/// out[i] for each visible index i, or -1 if the node is not known.
///
/// A device that a variable names is found by its name. A number leads to a device only if numbers
/// are in the order of PCI addresses: for CUDA with CUDA_DEVICE_ORDER=PCI_BUS_ID (no file shows its
/// default order, fastest first), never for other kinds. CUDA counts the devices that open, so the
/// probe must have opened them, too (ProbeOptions::open_nodes): below a device cgroup, as Slurm's,
/// number 0 is not the first of the machine. If all devices are on one node, neither matters.
/// Without a count of the probe a number leads nowhere. O(visible * probed).
template <Environment Env>
void visible_numa_nodes(const DeviceProbe& probe, const VisibleDevices& visible, const Env& env,
                        std::span<int> out) {
  // A device that is not listed may be on any node, and anywhere in the order.
  const bool whole = probe.count.has_value() && probe.size != 0;
  bool alike = whole;
  for (int i = 1; i < probe.size; ++i) {
    alike = alike && probe.devices[i].numa_node == probe.devices[0].numa_node;
  }
  const auto order = env("CUDA_DEVICE_ORDER");
  const bool by_pci = probe.kind == DeviceKind::cuda && order && *order == "PCI_BUS_ID" && whole &&
                      probe.trust == ProbeTrust::opened &&
                      !probe.devices[probe.size - 1].pci.empty();
  for (std::size_t i = 0; i != out.size(); ++i) {
    out[i] = alike ? probe.devices[0].numa_node : -1;
    if (alike) continue;
    const VisibleIndex index(static_cast<int>(i));
    const std::string_view text =
        index.value < visible.size() ? visible[index].text : std::string_view();
    if (text.substr(0, 4) != "GPU-") {
      const auto id = visible.physical(index);
      if (by_pci && id && id->value < probe.size) out[i] = probe.devices[id->value].numa_node;
      continue;
    }
    int matches = 0;
    for (int d = 0; d != probe.size; ++d) {
      if (!detail::equal_ignoring_case(probe.devices[d].uuid.view().substr(0, text.size()), text))
        continue;
      out[i] = ++matches == 1 ? probe.devices[d].numa_node : -1;
    }
  }
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_NUMA_HPP
