// SPDX-License-Identifier: MIT
// The devices that a probe of the kernel's files found, and how reliable that is.
#ifndef RANKMAP_PROBE_DEVICE_PROBE_HPP
#define RANKMAP_PROBE_DEVICE_PROBE_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/enumerator.hpp>
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

constexpr std::string_view name(ProbeTrust trust) {
  return detail::enumerator("none\0pci\0kernel\0node\0opened", trust);
}

/// One device.
struct ProbedDevice {
  StaticString<15> pci;   ///< "0000:06:00.0"; empty: not known
  StaticString<47> uuid;  ///< "GPU-..."; empty: not known
  int node = -1;          ///< the number of its device node; -1: not known
  int numa_node = -1;     ///< -1: not known, never node 0
  int part = -1;          ///< which part of the device at `pci` it is; -1: no part, or not known
  int parts = -1;         ///< parts of that device that are there for this process; -1: undivided,
                          ///< or not known
  StaticString<15> division;  ///< "MIG", AMD's modes "CPX/NPS4" and "SPX/NPS1"; empty: not known
};

namespace detail {

/// Into how many parts AMD's mode divides a device; 0: not known, since CPX has one for each die.
constexpr int parts_of_mode(std::string_view division) {
  constexpr std::string_view modes[] = {"SPX", "DPX", "TPX", "QPX"};
  for (int i = 0; i != 4; ++i) {
    if (division.substr(0, 3) == modes[i]) return i + 1;
  }
  return 0;
}

/// "; 0000:05:00.0 is divided (CPX/NPS4): 8 parts are here; 3 other devices are, too", or, of MIG's
/// instances, "not known how many parts are here".
constexpr void append_divided(Message& out, const ProbedDevice* devices, int size) {
  int others = -1;
  for (int i = 0; i != size; ++i) {
    const ProbedDevice& device = devices[i];
    if (device.parts < 0 && device.division != "MIG") continue;
    if (i != 0 && device.part >= 0 && devices[i - 1].pci == device.pci) continue;
    if (++others != 0) continue;
    out.append("; ").append(device.pci).append(" is divided");
    if (!device.division.empty()) out.append(" (").append(device.division).append(')');
    if (device.parts < 0) {
      out.append(": not known how many parts are here");
      continue;
    }
    out.append(": ").append_number(device.parts);
    const int all = parts_of_mode(device.division);
    if (all > device.parts) out.append(" of ").append_number(all);
    out.append(device.parts == 1 && all <= 1 ? " part is here" : " parts are here");
  }
  if (others > 0) {
    out.append("; ").append_number(others);
    out.append(others == 1 ? " other device is, too" : " other devices are, too");
  }
}

}  // namespace detail

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

/// One line: `cuda: 4 devices from /proc/driver/nvidia/gpus (device nodes exist); PCI order: ...`,
/// and which of them are divided. At most 639 bytes. O(size).
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
  detail::append_divided(out, probe.devices, probe.size);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_DEVICE_PROBE_HPP
