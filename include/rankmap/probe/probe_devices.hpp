// SPDX-License-Identifier: MIT
// Counts devices and finds their NUMA nodes from the kernel's files, without a vendor's library. A
// runtime's report is stronger: a device that exists need not be visible, nor open.
#ifndef RANKMAP_PROBE_PROBE_DEVICES_HPP
#define RANKMAP_PROBE_PROBE_DEVICES_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/pci_address.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/probe/detail/device_parts.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/static_string.hpp>

#include <cstdio>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// A place of device nodes. Of several for one kind the first that has any counts.
struct NodeRow {
  DeviceKind kind;
  std::string_view directory;
  std::string_view prefix;      ///< of the node's name; the rest is its number, and nothing else
  std::string_view sys_class;   ///< below /sys: NAME/device/vendor and numa_node; empty: not there
  std::string_view vendor;      ///< the content of that vendor file, if it can be read
  std::string_view pci_vendor;  ///< a PCI function of this vendor must exist; empty: need not
  bool whole;  ///< a node is one device; else a chip with an unknown number of them
  std::string_view caveat;
};

inline constexpr NodeRow node_rows[] = {
    {DeviceKind::cuda, "/dev", "nvidia", "", "", "", true,
     "minors: not CUDA's order; MIG instances are not counted"},
    {DeviceKind::npu, "/dev", "davinci", "", "", "", true, ""},
    {DeviceKind::mlu, "/dev", "cambricon_dev", "", "", "", true, ""},
    {DeviceKind::hpu, "/dev/accel", "accel", "/sys/class/accel", "0x1da3", "", true,
     "the order need not be that of the module ids"},
    {DeviceKind::hpu, "/dev", "hl", "", "", "", true,
     "the order need not be that of the module ids"},
    {DeviceKind::tpu, "/dev/vfio", "", "", "", "0x1ae0", true,
     "chips: some generations show two devices for each"},
    {DeviceKind::tpu, "/dev", "accel", "/sys/class/accel", "0x1ae0", "", true,
     "chips: some generations show two devices for each"},
    {DeviceKind::neuron, "/dev", "neuron", "", "", "", false,
     "chips: no file shows how many cores each has"},
};

class DeviceProber {
 public:
  DeviceProber(DeviceKind kind, const ProbeOptions& options) : options_(options) {
    probe_.kind = kind;
  }

  DeviceProbe probe() {
    if (probe_.kind == DeviceKind::cuda) nvidia_driver();
    if (probe_.kind == DeviceKind::rocm) amd_topology();
    if (probe_.kind == DeviceKind::xpu) intel_render_nodes();
    if (!found()) nodes();
    if (!found() && probe_.kind == DeviceKind::cuda && has_name(path("/dev"), "dxg")) {
      report(ProbeTrust::node, "/dev/dxg", "one or more devices: no file shows how many");
      return probe_;
    }
    if (!found()) pci_functions();
    if (!found()) return probe_;
    if (options_.open_nodes && probe_.trust == ProbeTrust::node) open_nodes();
    if (whole_) probe_.count = probe_.size;
    return probe_;
  }

 private:
  ProbePath path(const auto&... pieces) const { return probe_path(options_.root, pieces...); }
  bool found() const { return probe_.size != 0 || probe_.trust != ProbeTrust::none; }

  /// Keeps the first ones, in whatever order the directory lists them.
  void add(const ProbedDevice& device) {
    whole_ = insert_bounded(probe_.devices, probe_.size, device, before) && whole_;
  }
  void report(ProbeTrust trust, std::string_view source, std::string_view caveat) {
    probe_.trust = trust;
    probe_.source = source;
    probe_.caveat = whole_ ? caveat : "more than 64 devices: the rest is not listed";
  }
  // By address, those without one last; then by number.
  static bool before(const ProbedDevice& a, const ProbedDevice& b) {
    const int order = compare_pci(a.pci, b.pci);
    return order != 0 ? order < 0 : a.node < b.node;
  }

  /// /proc/driver/nvidia/gpus/ADDRESS/information, and /dev/nvidiaN for each minor.
  void nvidia_driver() {
    const bool any_node = has_numbered(path("/dev"), "nvidia");
    bool listed = false;
    for_each_name(path("/proc/driver/nvidia/gpus"), [&](std::string_view name) {
      ProbedDevice device;
      device.pci = pci_address(name);
      if (device.pci.empty()) return;
      listed = true;
      const SmallFile file(path("/proc/driver/nvidia/gpus/", name, "/information"));
      if (file.value_of("GPU Excluded") == "Yes") return;
      const std::string_view uuid = file.value_of("GPU UUID");
      if (uuid.substr(0, 4) == "GPU-" && uuid.find('?') == std::string_view::npos) {
        device.uuid = uuid;
      }
      device.node = plain_number(file.value_of("Device Minor"));
      if (any_node && device.node >= 0 && !has_name(path("/dev"), concat("nvidia", device.node))) {
        return;
      }
      device.numa_node = numa_of(device.pci);
      read_mig_instances(options_.root, device);
      add(device);
    });
    if (!listed) return;
    report(any_node ? ProbeTrust::node : ProbeTrust::kernel, "/proc/driver/nvidia/gpus",
           "PCI order: CUDA's own only with CUDA_DEVICE_ORDER=PCI_BUS_ID; MIG instances "
           "are not counted");
    node_prefix_ = path("/dev/nvidia");
  }

  /// /sys/class/kfd/kfd/topology/nodes/N: a node with SIMD units is a GPU, used by its render node.
  void amd_topology() {
    constexpr std::string_view nodes = "/sys/class/kfd/kfd/topology/nodes/";
    const bool any_node = has_numbered(path("/dev/dri"), "renderD");
    bool listed = false;
    for_each_name(path(nodes), [&](std::string_view name) {
      if (number_behind(name, "") < 0) return;
      const SmallFile properties(path(nodes, name, "/properties"));
      const Number units = parse_number(properties.value_of("simd_count"));
      if (!units || units.value == 0) return;
      listed = true;
      // In a container without this device, its node may be there, but not its id.
      const SmallFile id(path(nodes, name, "/gpu_id"));
      if (!id.was_read() || id.text() == "0") return;
      ProbedDevice device;
      device.node = plain_number(properties.value_of("drm_render_minor"));
      if (any_node && !has_name(path("/dev/dri"), concat("renderD", device.node))) return;
      const Number location = parse_number(properties.value_of("location_id"));
      const Number domain = parse_number(properties.value_of("domain"));
      // Bits 28 to 31 of the location number the partitions of a device. A domain of more than four
      // digits does not fit an address; cut, it would be that of another device.
      if (location && (location.value & ~0xf000ffff) == 0 && (!domain || domain.value <= 0xffff)) {
        StaticString<47> address;
        append_hexadecimal(address, domain ? domain.value : 0, 4);
        append_hexadecimal(address.append(':'), location.value >> 8U & 0xffU, 2);
        append_hexadecimal(address.append(':'), location.value >> 3U & 0x1fU, 2);
        append_hexadecimal(address.append('.'), location.value & 7U, 1);
        device.pci = pci_address(address);
        device.part = static_cast<int>(location.value >> 28U);
        device.numa_node = numa_of(device.pci);
      }
      const Number unique = parse_number(properties.value_of("unique_id"));
      if (unique && unique.value != 0) {
        append_hexadecimal(device.uuid.append("GPU-"), unique.value, 16, "0123456789ABCDEF");
      }
      add(device);
    });
    if (!listed) return;
    mark_partitions(options_.root, probe_);
    report(any_node ? ProbeTrust::node : ProbeTrust::kernel, nodes,
           "partitions of one device are devices here");
    node_prefix_ = path("/dev/dri/renderD");
  }

  /// /sys/class/drm/renderDN: one for each PCI function that computes, unlike cardN and connectors.
  void intel_render_nodes() {
    bool usable = true;
    for_each_name(path("/sys/class/drm"), [&](std::string_view name) {
      ProbedDevice device;
      device.node = number_behind(name, "renderD");
      if (device.node < 0) return;
      const ProbePath folder = path("/sys/class/drm/", name, "/device");
      if (SmallFile(probe_path(folder, "/vendor")).text() != "0x8086") return;
      device.numa_node = read_numa_node(probe_path(folder, "/numa_node"));
      const SmallFile event(probe_path(folder, "/uevent"));
      device.pci = pci_address(event.value_of("PCI_SLOT_NAME", '='));
      usable = usable && has_name(path("/dev/dri"), name);
      add(device);
    });
    if (probe_.size == 0) return;
    report(usable ? ProbeTrust::node : ProbeTrust::kernel, "/sys/class/drm",
           "cards, integrated ones too; tiles are not counted");
    node_prefix_ = path("/dev/dri/renderD");
  }

  void nodes() {
    for (const NodeRow& row : node_rows) {
      if (row.kind != probe_.kind || found()) continue;
      if (!row.pci_vendor.empty() && !on_the_bus(row.pci_vendor)) continue;
      for_each_name(path(row.directory), [&](std::string_view name) {
        ProbedDevice device;
        device.node = number_behind(name, row.prefix);
        if (device.node < 0) return;
        if (!row.sys_class.empty()) {
          const SmallFile vendor(path(row.sys_class, "/", name, "/device/vendor"));
          if (vendor.was_read() && vendor.text() != row.vendor) return;
          device.numa_node = read_numa_node(path(row.sys_class, "/", name, "/device/numa_node"));
        }
        add(device);
      });
      if (probe_.size == 0) continue;
      report(ProbeTrust::node, row.directory, row.caveat);
      whole_ = whole_ && row.whole;
      node_prefix_ = path(row.directory, "/", row.prefix);
    }
  }

  bool on_the_bus(std::string_view vendor) const {
    return any_name(path("/sys/bus/pci/devices"), [&](std::string_view name) {
      return SmallFile(path("/sys/bus/pci/devices/", name, "/vendor")).text() == vendor;
    });
  }

  /// The last resort, of NVIDIA's: functions show a class, and not whether a driver can use them.
  void pci_functions() {
    if (probe_.kind != DeviceKind::cuda) return;
    for_each_name(path("/sys/bus/pci/devices"), [&](std::string_view name) {
      const ProbePath directory = path("/sys/bus/pci/devices/", name);
      if (SmallFile(probe_path(directory, "/vendor")).text() != "0x10de") return;
      const SmallFile code(probe_path(directory, "/class"));
      const std::string_view begins = code.text().substr(0, 6);
      if (begins != "0x0300" && begins != "0x0302") return;  // it draws, or computes alone
      if (has_name(directory, "physfn")) return;             // a virtual function of another one
      ProbedDevice device;
      device.pci = pci_address(name);
      device.numa_node = numa_of(device.pci);
      add(device);
    });
    if (probe_.size == 0) return;
    report(ProbeTrust::pci, "/sys/bus/pci/devices",
           "no driver has listed them: they may not be usable here");
  }

  int numa_of(const StaticString<15>& pci) const {
    return pci.empty() ? -1 : read_numa_node(path("/sys/bus/pci/devices/", pci, "/numa_node"));
  }

  void open_nodes() {
    int kept = 0;
    for (int i = 0; i != probe_.size; ++i) {
      std::FILE* const file = open_to_read(probe_path(node_prefix_, probe_.devices[i].node));
      if (file == nullptr) continue;
      std::fclose(file);
      probe_.devices[kept++] = probe_.devices[i];
    }
    for (int i = kept; i != probe_.size; ++i) probe_.devices[i] = ProbedDevice{};
    probe_.size = kept;
    probe_.trust = ProbeTrust::opened;
  }

  ProbeOptions options_;
  DeviceProbe probe_;
  ProbePath node_prefix_ = {};  ///< of the device nodes; their numbers follow
  bool whole_ = true;
};

}  // namespace detail

/// The devices of `kind` that the kernel shows, with their NUMA nodes where it shows them.
///
/// With what the driver has divided them into: MIG's instances, AMD's partitions. Which of the two
/// dies of an MLOPart device a process has is in no file, and no more is the mode of MPS.
///
/// Reads /proc/driver/nvidia, /dev, /sys/class/{kfd,drm,accel} and /sys/bus/pci below
/// `options.root`, each file up to 16 KiB. Order: by PCI address, else by number; the order of a
/// vendor's runtime may differ. Without a count the number is not known: for musa no file is known,
/// and Neuron's nodes are chips. A count of 0 comes from a driver that lists no usable device, or
/// from nodes of which none opened. Prefer a runtime's count, or a visibility variable, to this
/// one. No error: a file that is missing or malformed counts as not there. O(files). Source: the
/// drivers' file formats, docs/reference/probe/probe_devices.md.
inline DeviceProbe probe_devices(DeviceKind kind, const ProbeOptions& options = {}) {
  return detail::DeviceProber(kind, options).probe();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_PROBE_DEVICES_HPP
