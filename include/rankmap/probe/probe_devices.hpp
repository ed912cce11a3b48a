// SPDX-License-Identifier: MIT
// Counts devices and finds their NUMA nodes from the kernel's files, without a vendor's library. A
// runtime's report is stronger: a device that exists need not be visible, nor open.
#ifndef RANKMAP_PROBE_PROBE_DEVICES_HPP
#define RANKMAP_PROBE_PROBE_DEVICES_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/probe/detail/device_prober.hpp>
#include <rankmap/probe/device_probe.hpp>

namespace rankmap::inline v0 {

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
