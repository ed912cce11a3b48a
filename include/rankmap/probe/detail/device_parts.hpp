// SPDX-License-Identifier: MIT
// Into which parts a driver has divided a device: NVIDIA's MIG instances, AMD's partitions.
#ifndef RANKMAP_PROBE_DETAIL_DEVICE_PARTS_HPP
#define RANKMAP_PROBE_DETAIL_DEVICE_PARTS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// The minor of the node that gives access to what a folder of the driver's capabilities is about.
inline int capability_minor(const ProbePath& folder, std::string_view file) {
  return plain_number(SmallFile(probe_path(folder, file)).value_of("DeviceFileMinor"));
}

/// Whether /dev/nvidia-caps is that of a host: the driver makes the nodes to configure and to watch
/// MIG on each, of minors 1 and 2, and those of an instance when it is first used.
inline bool has_driver_nodes(std::string_view root, const ProbePath& nodes) {
  const ProbePath mig = probe_path(root, "/proc/driver/nvidia/capabilities/mig");
  const int config = capability_minor(mig, "/config");
  const int monitor = capability_minor(mig, "/monitor");
  return has_name(nodes, concat("nvidia-cap", config < 0 ? 1 : config)) ||
         has_name(nodes, concat("nvidia-cap", monitor < 0 ? 2 : monitor));
}

/// Counts the compute instances of a GPU, in /proc/driver/nvidia/capabilities/gpuMINOR/mig/giN/ciM.
/// Where /dev/nvidia-caps has nodes, one counts only if it and its GPU instance have theirs; that a
/// node is not there proves nothing on a host, and the number is not known then.
inline void read_mig_instances(std::string_view root, ProbedDevice& device) {
  if (device.node < 0) return;
  const ProbePath mig =
      probe_path(root, "/proc/driver/nvidia/capabilities/gpu", device.node, "/mig");
  const ProbePath nodes = probe_path(root, "/dev/nvidia-caps");
  const bool any_node = has_numbered(nodes, "nvidia-cap");
  int listed = 0;
  const auto may_use = [&](const ProbePath& folder) {
    const int minor = capability_minor(folder, "/access");
    return !any_node || (minor >= 0 && has_name(nodes, concat("nvidia-cap", minor)));
  };
  for_each_name(mig, [&](std::string_view name) {
    if (number_behind(name, "gi") < 0) return;
    const ProbePath instance = probe_path(mig, "/", name);
    device.division = "MIG";
    if (device.parts < 0) device.parts = 0;
    const bool is_here = may_use(instance);
    for_each_name(instance, [&](std::string_view part) {
      if (number_behind(part, "ci") < 0) return;
      ++listed;
      if (is_here && may_use(probe_path(instance, "/", part))) ++device.parts;
    });
  });
  if (device.parts < listed && has_driver_nodes(root, nodes)) device.parts = -1;
}

/// A mode as the kernel prints it, "CPX" or "NPS4"; empty for "UNKNOWN" and any other text.
inline StaticString<7> read_mode(const ProbePath& path) {
  const SmallFile file(path);
  if (file.text().size() > 4 || file.text() == "NONE") return {};
  for (const char c : file.text()) {
    if (!is_digit(c) && (c < 'A' || c > 'Z')) return {};
  }
  return StaticString<7>(file.text());
}

/// Marks the entries that are parts of one AMD device: several at one address, or one alone with a
/// mode other than SPX. Precondition: the entries are sorted by address.
inline void mark_partitions(std::string_view root, DeviceProbe& probe) {
  for (int begin = 0, end = 0; begin != probe.size; begin = end) {
    const StaticString<15> pci = probe.devices[begin].pci;
    for (end = begin + 1; end != probe.size && probe.devices[end].pci == pci; ++end) {
    }
    if (pci.empty()) continue;
    const ProbePath folder = probe_path(root, "/sys/bus/pci/devices/", pci);
    const auto computes = read_mode(probe_path(folder, "/current_compute_partition"));
    const auto memory = read_mode(probe_path(folder, "/current_memory_partition"));
    const bool is_divided = end - begin > 1 || (!computes.empty() && computes != "SPX");
    for (int i = begin; i != end; ++i) {
      ProbedDevice& device = probe.devices[i];
      device.division.append(computes).append(memory.empty() ? "" : "/").append(memory);
      if (is_divided) {
        device.parts = end - begin;
      } else {
        device.part = -1;
      }
      // A UUID that several entries have is that of the whole device.
      for (int other = begin; other != i; ++other) {
        if (probe.devices[other].uuid.empty() || probe.devices[other].uuid != device.uuid) continue;
        for (int all = begin; all != end; ++all) probe.devices[all].uuid = "";
      }
    }
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_DEVICE_PARTS_HPP
