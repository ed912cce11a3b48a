// SPDX-License-Identifier: MIT
// The devices that a probe of the kernel's files found, and how reliable that is.
#ifndef RANKMAP_PROBE_DEVICE_PROBE_HPP
#define RANKMAP_PROBE_DEVICE_PROBE_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// How reliable a count is, the weakest first.
enum class ProbeTrust : std::uint8_t {
  none,    ///< nothing found, or nowhere to look
  pci,     ///< functions on the bus; in a container, sysfs shows those of the host as well
  kernel,  ///< a driver lists them, but there is no device node
  node,    ///< device nodes exist, which need not open
  opened,  ///< device nodes that this process could open
};

/// One device.
struct ProbedDevice {
  StaticString<15> pci;   ///< "0000:06:00.0"; empty: not known
  StaticString<47> uuid;  ///< "GPU-..."; empty: not known
  int node = -1;          ///< the number of its device node; -1: not known
  int numa_node = -1;     ///< -1: not known, never node 0
};

/// The devices that were found. Trivially copyable; stores 64 of them.
struct DeviceProbe {
  static constexpr int capacity = 64;

  DeviceKind kind = DeviceKind::cpu;
  ProbeTrust trust = ProbeTrust::none;
  std::string_view source;   ///< where the devices were found; static text
  std::string_view caveat;   ///< what the count does not include; static text
  std::optional<int> count;  ///< nothing if not known: no file shows it, or the entries are chips
  int size = 0;              ///< entries in `devices`
  ProbedDevice devices[static_cast<std::size_t>(capacity)] = {};  ///< by PCI address, then number
};

/// How to probe.
struct ProbeOptions {
  std::string_view root = {};  ///< put before every path; empty for this machine
  bool open_nodes = false;     ///< opens each node and drops those that fail; may wake a driver
};

/// One line: `cuda: 4 devices from /proc/driver/nvidia/gpus (device nodes exist); PCI order: ...`.
/// At most 639 bytes. O(1).
inline Message explain(const DeviceProbe& probe) {
  Message out;
  out.append(name(probe.kind)).append(": ");
  if (probe.trust == ProbeTrust::none) return out.append("nothing found");
  if (probe.count) {
    out.append_number(*probe.count).append(*probe.count == 1 ? " device" : " devices");
  } else {
    out.append("an unknown number of devices");
  }
  constexpr std::string_view trusts[] = {"", " (on the bus)", " (listed by the driver)",
                                         " (device nodes exist)", " (opened)"};
  out.append(" from ").append(probe.source).append(trusts[static_cast<std::size_t>(probe.trust)]);
  if (!probe.caveat.empty()) out.append("; ").append(probe.caveat);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_DEVICE_PROBE_HPP
