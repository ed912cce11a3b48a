// SPDX-License-Identifier: MIT
// Finds NICs, and places of devices on PCI buses, from the kernel's files. Opens no device.
#ifndef RANKMAP_PROBE_NICS_HPP
#define RANKMAP_PROBE_NICS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/pci_address.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/nic.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/probe/detail/cpu_files.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>

#include <cstdlib>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

/// "400 Gb/sec (4X NDR)" in Mb/s, or -1. A rate may have decimals: "2.5 Gb/sec (1X SDR)".
constexpr int port_rate(std::string_view text) {
  const auto [number, unit_of_rate] = split_at(text, ' ');
  if (!unit_of_rate || !unit_of_rate->starts_with("Gb/sec")) return -1;
  const auto [digits, decimals] = split_at(number, '.');
  const Number whole = parse_number(digits);
  if (!whole || whole.value > 1'000'000) return -1;
  int rate = static_cast<int>(whole.value) * 1000;
  if (!decimals) return rate;
  if (decimals->empty() || decimals->size() > 3) return -1;
  int unit = 100;
  for (const char c : *decimals) {
    if (!is_digit(c)) return -1;
    rate += (c - '0') * unit;
    unit /= 10;
  }
  return rate;
}

/// A state that is neither `up` nor one of the list `down` is not known.
constexpr NicState state_of(std::string_view text, std::string_view up, std::string_view down) {
  if (text == up) return NicState::active;
  return has_entry(down, text) ? NicState::down : NicState::unknown;
}
constexpr NicState port_state(std::string_view text) {
  return state_of(text, "4: ACTIVE", "1: DOWN,2: INIT,3: ARMED,5: ACTIVE_DEFER");
}
constexpr NicState interface_state(std::string_view text) {
  return state_of(text, "up", "down,lowerlayerdown,notpresent,dormant,testing");
}

constexpr LinkLayer link_layer_of(std::string_view text) {
  if (text == "InfiniBand") return LinkLayer::infiniband;
  return text == "Ethernet" ? LinkLayer::ethernet : LinkLayer::unknown;
}

/// Whether lists of NICs can hold a name: they separate by commas and colons.
constexpr bool is_nic_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.size() <= 63 && is_plain(name, "_-.");
}

/// The part below the root of a path without links; empty if there is none, or not below the root.
inline ProbePath resolve_path([[maybe_unused]] std::string_view root,
                              [[maybe_unused]] const ProbePath& path) {
#if defined(__linux__)
  char base[4096];  // PATH_MAX of Linux, which realpath() relies on
  char full[4096];
  const ProbePath first = root.empty() ? ProbePath("/") : ProbePath(root);
  if (first.cut() || path.cut() || ::realpath(first.c_str(), base) == nullptr ||
      ::realpath(path.c_str(), full) == nullptr) {
    return {};
  }
  const std::string_view top = base[1] == '\0' ? std::string_view() : std::string_view(base);
  const std::string_view found(full);
  if (found.substr(0, top.size()) != top || found.substr(top.size(), 1) != "/") return {};
  const ProbePath below(found.substr(top.size()));
  if (!below.cut()) return below;
#endif
  return {};
}

/// The place of the function whose folder, or a link to it, is at `folder`. A virtual function has
/// an address of its own, and the path of its physical one.
inline PciPlace read_pci_place(std::string_view root, const ProbePath& folder,
                               bool* is_virtual = nullptr) {
  PciPlace place;
  const ProbePath own = resolve_path(root, folder);
  if (own.empty()) return place;
  const std::string_view path = function_path(own);
  const ProbePath function = probe_path(root, path.empty() ? own.view() : path);
  place.numa_node = read_numa_node(probe_path(function, "/numa_node"));
  if (path.empty()) return place;
  place.address = pci_address(path.substr(path.rfind('/') + 1));
  if (!has_name(function, "physfn")) {
    place.path = path;
  } else {
    if (is_virtual != nullptr) *is_virtual = true;
    place.path = function_path(resolve_path(root, probe_path(function, "/physfn")));
  }
  if (place.path.cut()) place.path = {};
  return place;
}

/// Of several interfaces none is known to be that of the port.
inline void find_interface(Nic& nic, const ProbePath& folder) {
  int count = 0;
  for_each_name(probe_path(folder, "/device/net"), [&](std::string_view name) {
    const bool fits = is_nic_name(name) && name.size() <= 15;
    nic.net_interface = ++count == 1 && fits ? name : std::string_view();
  });
}

inline void read_interface(std::string_view root, Nic& nic) {
  const ProbePath folder = probe_path(root, "/sys/class/net/", nic.net_interface);
  const int rate = plain_number(SmallFile(probe_path(folder, "/speed")).text());
  nic.rate = rate > 0 ? rate : -1;
  nic.state = interface_state(SmallFile(probe_path(folder, "/operstate")).text());
}

/// One that is all zeros, or that another network namespace has, is none.
inline NicGids read_gids(const ProbePath& folder) {
  const CpuSet numbers = numbers_in(folder, "");
  for (int number = numbers.next(0); number >= 0; number = numbers.next(number + 1)) {
    const SmallFile file(probe_path(folder, "/", number));
    if (file.text().find_first_not_of("0:") != std::string_view::npos) return NicGids::some;
  }
  return numbers.empty() ? NicGids::unknown : NicGids::none;
}

/// Adds an entry for each port of a NIC; one without them is an entry all the same.
inline void add_ports(NicList& found, Nic& nic, const ProbePath& folder) {
  const CpuSet numbers = numbers_in(folder, "");
  if (numbers.next(1) < 0) found.insert(nic);
  for (int port = numbers.next(1); port >= 0; port = numbers.next(port + 1)) {
    const ProbePath path = probe_path(folder, "/", port);
    nic.port = port;
    nic.state = port_state(SmallFile(probe_path(path, "/state")).text());
    nic.rate = port_rate(SmallFile(probe_path(path, "/rate")).text());
    nic.link_layer = link_layer_of(SmallFile(probe_path(path, "/link_layer")).text());
    nic.gids = nic.link_layer == LinkLayer::ethernet ? read_gids(probe_path(path, "/gids"))
                                                     : NicGids::unknown;
    found.insert(nic);
  }
}

constexpr bool has_function(const NicList& found, const PciPlace& place) {
  for (const Nic& nic : found) {
    if (!place.address.empty() && nic.place.address == place.address) return true;
  }
  return false;
}

/// Calls `visit(nic, path)` for each NIC of a class, with its name and place alone.
void for_each_nic(std::string_view root, std::string_view folder, NicList& found,
                  const auto& visit) {
  for_each_name(probe_path(root, folder), [&](std::string_view name) {
    if (!is_nic_name(name)) return found.omit();
    Nic nic;
    nic.name = name;
    const ProbePath path = probe_path(root, folder, "/", name);
    nic.place = read_pci_place(root, probe_path(path, "/device"), &nic.is_virtual);
    visit(nic, path);
  });
}

inline NicList read_nics(std::string_view root) {
  NicList found;
  for_each_nic(root, "/sys/class/infiniband", found, [&](Nic& nic, const ProbePath& folder) {
    const SmallFile vendor(probe_path(folder, "/device/vendor"));
    nic.kind = vendor.text() == "0x1d0f" ? NicKind::efa : NicKind::verbs;
    nic.is_bond = nic.name.view().find("bond") != std::string_view::npos;
    find_interface(nic, folder);
    add_ports(found, nic, probe_path(folder, "/ports"));
  });
  for_each_nic(root, "/sys/class/cxi", found, [&](Nic& nic, const ProbePath& folder) {
    nic.kind = NicKind::cxi;
    find_interface(nic, folder);
    if (!nic.net_interface.empty()) read_interface(root, nic);
    found.insert(nic);
  });
  for_each_nic(root, "/sys/class/net", found, [&](Nic& nic, const ProbePath& folder) {
    // Without a function it is no hardware; that of another NIC is listed with it.
    if (nic.place.path.empty() || has_function(found, nic.place)) return;
    nic.kind = NicKind::socket;
    nic.net_interface = nic.name.view();
    nic.is_bond = has_name(folder, "bonding_slave");
    read_interface(root, nic);
    found.insert(nic);
  });
  return found;
}

}  // namespace detail

/// The NICs that the kernel shows, by PCI address, then port.
///
/// Reads /sys/class/infiniband, cxi and net below `options.root`, each file up to 16 KiB, and
/// follows the links to the functions as long as they stay below the root. One entry for each port
/// of an RDMA device; an interface counts if a PCI function is behind it and no other NIC is. No
/// error: a folder that is missing has no NICs, and what is missing or malformed is not known. A
/// name that a list could not hold is left out, and whole() is false. O(files), no allocation.
/// Source: the kernel's ABI, sysfs-class-infiniband, sysfs-class-net, sysfs-bus-pci.
inline NicList probe_nics(const ProbeOptions& options = {}) {
  return detail::read_nics(options.root);
}

/// Where the PCI function at `address` is, such as ProbedDevice::pci, or what a runtime shows in
/// any spelling. Unknown parts for any other text, and for one that sysfs does not list. O(files).
inline PciPlace probe_pci_place(std::string_view address, const ProbeOptions& options = {}) {
  const auto wanted = detail::pci_address(address);
  if (wanted.empty()) return {};
  PciPlace place = detail::read_pci_place(
      options.root, detail::probe_path(options.root, "/sys/bus/pci/devices/", wanted));
  place.address = wanted;
  return place;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_NICS_HPP
