// SPDX-License-Identifier: MIT
// Finds the NICs of the machine and the places of devices on its PCI buses, from the kernel's
// files. Opens no device.
#ifndef RANKMAP_PROBE_NICS_HPP
#define RANKMAP_PROBE_NICS_HPP

#include <rankmap/detail/pci_address.hpp>
#include <rankmap/device/nic.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/probe/detail/nic_prober.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>

#include <string_view>

namespace rankmap::inline v0 {

/// The NICs that the kernel shows, by PCI address, then port.
///
/// Reads /sys/class/infiniband, cxi and net below `options.root`, each file up to 16 KiB, and
/// follows the links to the functions as long as they stay below the root. One entry for each port
/// of an RDMA device; an interface counts if a PCI function is behind it and no other NIC is. No
/// error: a folder that is missing has no NICs, and what is missing or malformed is not known. A
/// name that a list could not hold is left out, and whole() is false. O(files), no allocation.
/// Source: the kernel's ABI/stable/sysfs-class-infiniband, ABI/testing/sysfs-class-net,
/// sysfs-bus-pci.
inline NicList probe_nics(const ProbeOptions& options = {}) {
  return detail::NicProber(options.root).probe();
}

/// Where the PCI function at `address` is, such as ProbedDevice::pci, or what a runtime shows in
/// any spelling. Unknown parts for any other text, and for one that sysfs does not list. O(files).
inline PciPlace probe_pci_place(std::string_view address, const ProbeOptions& options = {}) {
  PciPlace place;
  const auto wanted = detail::pci_address(address);
  if (wanted.empty()) return place;
  place = detail::read_pci_place(options.root,
                                 detail::probe_path(options.root, "/sys/bus/pci/devices/", wanted));
  place.address = wanted;
  return place;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_NICS_HPP
