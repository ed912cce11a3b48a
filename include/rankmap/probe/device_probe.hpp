// SPDX-License-Identifier: MIT
//
// Counts devices and finds their NUMA nodes from what the kernel shows, without a vendor's library.
// The only header that reads files, and no other one includes it. What it finds is weaker than what
// a runtime reports: a device that exists need not be visible, and a visible one need not open.
#ifndef RANKMAP_PROBE_DEVICE_PROBE_HPP
#define RANKMAP_PROBE_DEVICE_PROBE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/probe/detail/device_prober.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The devices of `kind` that the kernel shows, with their NUMA nodes where it tells.
///
/// Reads /proc/driver/nvidia, /dev, /sys/class/{kfd,drm,accel} and /sys/bus/pci below
/// `options.root`, each file up to 16 KiB. Order: by PCI address, else by number; the order of a
/// vendor's runtime may be another. A count of nothing means "not known": no path is known for
/// musa; Neuron's nodes are chips. A count of 0 comes from a driver that lists no usable device, or
/// from nodes that all refused to open. Trust a runtime's count, and a visibility variable, over
/// this one. No error: a file that is missing or strange counts as not there. O(files). Source: the
/// drivers' file formats, docs/reference/probe/device_probe.md.
inline DeviceProbe probe_devices(DeviceKind kind, const ProbeOptions& options = {}) {
  return detail::DeviceProber(kind, options).probe();
}

/// The processors that this process may run on, from Cpus_allowed_list of /proc/self/status.
/// Errors: bad_file (no such file or line), and those of parse_cpu_list.
inline Result<CpuSet> probe_allowed_cpus(const ProbeOptions& options = {}) {
  const detail::SmallFile status(detail::probe_path(options.root, "/proc/self/status"));
  const std::string_view list = status.value_of("Cpus_allowed_list");
  if (list.empty()) {
    return detail::error_missing(Errc::bad_file, "Cpus_allowed_list of /proc/self/status",
                                 "the list of processors that Linux shows there",
                                 "pass the processors yourself");
  }
  return parse_cpu_list(list, "Cpus_allowed_list");
}

/// The NUMA node that holds all of `cpus`, or -1: where they lie on several, or no file tells.
inline int probe_numa_node_of(const CpuSet& cpus, const ProbeOptions& options = {}) {
  constexpr std::string_view nodes = "/sys/devices/system/node";
  int found = -1;
  detail::for_each_name(detail::probe_path(options.root, nodes), [&](std::string_view name) {
    const int node = detail::numbered(name, "node");
    if (node < 0) return;
    const detail::SmallFile file(detail::probe_path(options.root, nodes, "/", name, "/cpulist"));
    const CpuSet only[] = {parse_cpu_list(file.text()).value_or(CpuSet())};
    if (numa_node_of(cpus, only) == 0) found = node;
  });
  return found;
}

/// The NUMA node of each visible device, in visible order, for device_policy::closest: writes
/// out[i] for each visible index i, -1 where it is not known, and nothing beyond.
///
/// A device that a variable names is found by its name. A number leads to a device only where the
/// order of numbers is that of PCI addresses: for CUDA with CUDA_DEVICE_ORDER=PCI_BUS_ID (its own
/// order, fastest first, is in no file), never for the others; where all devices are on one node
/// the order does not matter. Neither counts where the probe has no count. O(visible * probed).
template <Environment Env>
void visible_numa_nodes(const DeviceProbe& probe, const VisibleDevices& visible, const Env& env,
                        std::span<int> out) {
  // A device beyond those that are listed may be on any node, and anywhere in the order.
  const bool whole = probe.count.has_value() && probe.size != 0;
  bool alike = whole;
  for (int i = 1; i < probe.size; ++i) {
    alike = alike && probe.devices[i].numa_node == probe.devices[0].numa_node;
  }
  const auto order = env("CUDA_DEVICE_ORDER");
  const bool by_pci = probe.kind == DeviceKind::cuda && order && *order == "PCI_BUS_ID" && whole &&
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

/// One line: `cuda: 4 devices by /proc/driver/nvidia/gpus (device nodes are there); PCI order:
/// ...`. At most 639 bytes. O(1).
inline Message explain(const DeviceProbe& probe) {
  Message out;
  out.append(name(probe.kind)).append(": ");
  if (probe.trust == ProbeTrust::none) return out.append("nothing found");
  if (probe.count) {
    out.append_number(*probe.count).append(*probe.count == 1 ? " device" : " devices");
  } else {
    out.append("a number of devices that is not known");
  }
  out.append(" by ").append(probe.source);
  switch (probe.trust) {
    case ProbeTrust::none:  // GCOVR_EXCL_LINE: told above
      break;                // GCOVR_EXCL_LINE
    case ProbeTrust::pci:
      out.append(" (on the bus)");
      break;
    case ProbeTrust::kernel:
      out.append(" (listed by the driver)");
      break;
    case ProbeTrust::node:
      out.append(" (device nodes are there)");
      break;
    case ProbeTrust::opened:
      out.append(" (opened)");
      break;
  }
  if (!probe.caveat.empty()) out.append("; ").append(probe.caveat);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_DEVICE_PROBE_HPP
