// SPDX-License-Identifier: MIT
// How far two PCI functions are from each other, by their paths in /sys/devices. Reads no file.
#ifndef RANKMAP_DEVICE_PCI_DISTANCE_HPP
#define RANKMAP_DEVICE_PCI_DISTANCE_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/pci_address.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// What is between two PCI functions, the nearest first; in the words of nvidia-smi and NCCL.
enum class PciDistance : std::uint8_t {
  pix,      ///< at most one PCI switch
  pxb,      ///< several switches, no host bridge
  phb,      ///< one host bridge
  node,     ///< two host bridges of one NUMA node
  sys,      ///< the link between NUMA nodes
  unknown,  ///< a path or a NUMA node is not known
};

/// "PIX", "PXB", "PHB", "NODE", "SYS" or "unknown". O(1).
constexpr std::string_view name(PciDistance distance) {
  constexpr std::string_view names[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
  return distance < PciDistance::unknown ? names[static_cast<std::size_t>(distance)] : "unknown";
}

/// Where a PCI function is.
struct PciPlace {
  StaticString<15> address;  ///< "0000:06:00.0"; empty: not known
  /// "/sys/devices/pci0000:00/0000:00:01.0/0000:06:00.0"; empty: not known. Of a virtual function:
  /// that of its physical one.
  StaticString<255> path;
  int numa_node = -1;  ///< -1: not known, never node 0
};

namespace detail {

/// The order of places by address, in which those without one come last.
constexpr bool is_before(const PciPlace& a, const PciPlace& b) {
  return compare_pci(a.address, b.address) < 0;
}

/// "pci0000:15".
constexpr bool is_pci_root(std::string_view text) {
  return text.substr(0, 3) == "pci" && is_pci_name(text.substr(3), ":00");
}
/// "0000:15:01.0", or another root, which is how a volume manager shows the drives behind it.
constexpr bool is_pci_component(std::string_view text) {
  return is_pci_name(text, ":00:00.0") || is_pci_root(text);
}

/// The PCI part of a path: "pci0000:15", and below it the bridges and the function itself.
struct PciChain {
  std::string_view root;   ///< means nothing where `below` is empty
  std::string_view below;  ///< empty: no function
  int depth = 0;           ///< components of that

  constexpr explicit PciChain(std::string_view path) {
    ListEntries parts(path, '/');
    while (!is_pci_root(root) && parts.next()) root = parts.text();
    // What follows the function, "virtio2/net", is no part of it.
    const std::size_t begin = parts.begin() + root.size() + 1;
    std::size_t end = begin;
    while (parts.next() && is_pci_component(parts.text())) {
      end = parts.begin() + parts.text().size();
      ++depth;
    }
    if (end != begin) below = path.substr(begin, end - begin);
  }
};

/// A path up to its last PCI function; empty if it has none.
constexpr std::string_view function_path(std::string_view path) {
  const std::string_view below = PciChain(path).below;
  if (below.empty()) return {};
  return path.substr(0, static_cast<std::size_t>(below.data() - path.data()) + below.size());
}

}  // namespace detail

/// The distance between two functions at `path` and `other`, with their NUMA nodes.
///
/// `path`, `other`: in /sys/devices, all links resolved; components after the function do not
/// count. Of one root "pciDDDD:BB" the distance is pix if both are at most two components (a switch
/// is two) below the last one that they share, else pxb; phb if they share none. Of two roots it is
/// node or sys by the NUMA nodes, -1 for one that is not known. Symmetric, and pix from a function
/// to itself. O(length). Source: NCCL, which counts from one side only, and nvidia-smi's NODE.
constexpr PciDistance pci_distance(std::string_view path, std::string_view other, int numa_node,
                                   int other_numa_node) {
  const detail::PciChain a(path);
  const detail::PciChain b(other);
  if (a.below.empty() || b.below.empty()) return PciDistance::unknown;
  if (a.root != b.root) {
    if (numa_node < 0 || other_numa_node < 0) return PciDistance::unknown;
    return numa_node == other_numa_node ? PciDistance::node : PciDistance::sys;
  }
  detail::ListEntries mine(a.below, '/');
  detail::ListEntries theirs(b.below, '/');
  int common = 0;
  while (mine.next() && theirs.next() && mine.text() == theirs.text()) ++common;
  if (common == 0) return PciDistance::phb;
  const bool is_near = a.depth - common <= 2 && b.depth - common <= 2;
  return is_near ? PciDistance::pix : PciDistance::pxb;
}

/// The same for two places.
constexpr PciDistance pci_distance(const PciPlace& place, const PciPlace& other) {
  return pci_distance(place.path, other.path, place.numa_node, other.numa_node);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_PCI_DISTANCE_HPP
