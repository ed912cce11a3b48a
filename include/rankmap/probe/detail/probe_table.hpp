// SPDX-License-Identifier: MIT
// Where the device nodes of each kind are, as data: one row per place. The first place that has any
// counts.
#ifndef RANKMAP_PROBE_DETAIL_PROBE_TABLE_HPP
#define RANKMAP_PROBE_DETAIL_PROBE_TABLE_HPP

#include <rankmap/device/device_kind.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_PROBE_TABLE_HPP
