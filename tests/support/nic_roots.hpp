// SPDX-License-Identifier: MIT
//
// Machines with GPUs and NICs, as the kernel's files show them. Bridges are invented, shapes and
// most addresses are those of real machines.
#ifndef RANKMAP_TESTS_SUPPORT_NIC_ROOTS_HPP
#define RANKMAP_TESTS_SUPPORT_NIC_ROOTS_HPP

#include "support/device_files.hpp"

#include <rankmap/device/nic.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/probe/nics.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace rankmap_test {

/// A PCI function: its path below /sys/devices, and its NUMA node.
struct Function {
  std::string path;
  int numa_node = -1;

  std::string address() const { return path.substr(path.rfind('/') + 1); }
};
struct NicEntry {
  std::string name;
  Function function;
  std::string state = "4: ACTIVE";
  std::string rate = "400 Gb/sec (4X NDR)";
  std::string link_layer = "InfiniBand";
};
/// A machine as data.
struct NicRoot {
  std::vector<Function> devices;
  std::vector<NicEntry> nics;  ///< whose names begin with "cxi" are Slingshot's
};

/// "../" for each folder of an absolute path, so that a link from there begins at the root.
inline std::string up_from(const std::string& folder) {
  std::string out;
  for (const char c : folder) out += c == '/' ? "../" : "";
  return out;
}

inline void add_function(Machine& machine, const Function& function) {
  const std::string folder = "/sys/devices/" + function.path;
  machine.directory(folder).file(folder + "/numa_node", std::to_string(function.numa_node) + "\n");
  machine.link("/sys/bus/pci/devices/" + function.address(),
               up_from("/sys/bus/pci/devices") + folder.substr(1));
}
/// A folder of a class for the function, with the links to it and back.
inline std::string add_class(Machine& machine, const std::string& of, const std::string& name,
                             const Function& function) {
  const std::string folder = "/sys/devices/" + function.path + "/" + of + "/" + name;
  machine.link(folder + "/device", "../../../" + function.address())
      .link("/sys/class/" + of + "/" + name, up_from("/sys/class/" + of) + folder.substr(1));
  return folder;
}
inline void add_interface(Machine& machine, const std::string& name, const Function& function,
                          const std::string& speed, const std::string& state) {
  const std::string folder = add_class(machine, "net", name, function);
  machine.file(folder + "/speed", speed + "\n").file(folder + "/operstate", state + "\n");
}

inline Machine& fill(Machine& machine, const NicRoot& root) {
  for (const Function& device : root.devices) add_function(machine, device);
  for (const NicEntry& nic : root.nics) {
    add_function(machine, nic.function);
    if (nic.name.substr(0, 3) == "cxi") {
      add_class(machine, "cxi", nic.name, nic.function);
      add_interface(machine, "hsn" + nic.name.substr(3), nic.function, "200000", "up");
      continue;
    }
    const std::string port = add_class(machine, "infiniband", nic.name, nic.function) + "/ports/1";
    machine.file(port + "/state", nic.state + "\n")
        .file(port + "/rate", nic.rate + "\n")
        .file(port + "/link_layer", nic.link_layer + "\n");
  }
  return machine;
}

inline std::vector<rankmap::PciPlace> places(const Machine& machine, const NicRoot& root) {
  std::vector<rankmap::PciPlace> out;
  for (const Function& device : root.devices) {
    out.push_back(rankmap::probe_pci_place(device.address(), machine.options()));
  }
  return out;
}

// ---- Machines

/// "0000:3d", "0000:3e", ...: a bus of domain 0.
inline std::string bus(int number, const char* function = "") {
  constexpr const char* digits = "0123456789abcdef";
  const auto at = static_cast<std::size_t>(number);
  return std::string("0000:") + digits[at / 16] + digits[at % 16] + function;
}

/// Eight GPUs, each with a NIC behind the same switch, and four ports for storage without a cable.
inline NicRoot dgx_h100() {
  constexpr int roots[] = {0x15, 0x3d, 0x4c, 0x5b, 0x97, 0xbd, 0xcb, 0xd9};
  constexpr int gpus[] = {0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf};
  constexpr int nics[] = {0x18, 0x40, 0x4f, 0x5e, 0x9a, 0xc0, 0xce, 0xdc};
  constexpr int names[] = {0, 3, 4, 5, 6, 9, 10, 11};
  NicRoot root;
  for (std::size_t i = 0; i != 8; ++i) {
    const int numa_node = i < 4 ? 0 : 1;
    const std::string above = "pci" + bus(roots[i]) + "/" + bus(roots[i], ":01.0") + "/" +
                              bus(roots[i] + 1, ":00.0") + "/" + bus(roots[i] + 2);
    root.devices.push_back({above + ":02.0/" + bus(gpus[i], ":00.0"), numa_node});
    root.nics.push_back({"mlx5_" + std::to_string(names[i]),
                         {above + ":00.0/" + bus(nics[i], ":00.0"), numa_node}});
  }
  constexpr const char* storage[] = {"0000:29:00.0", "0000:29:00.1", "0000:aa:00.0",
                                     "0000:aa:00.1"};
  for (std::size_t i = 0; i != 4; ++i) {
    const int host = i < 2 ? 0x26 : 0xa7;
    root.nics.push_back(
        {"mlx5_" + std::to_string(i < 2 ? i + 1 : i + 5),
         {"pci" + bus(host) + "/" + bus(host, ":01.0") + "/" + storage[i], i < 2 ? 0 : 1},
         "1: DOWN"});
  }
  return root;
}

/// Two GPUs and two NICs behind one switch, as in a DGX A100.
inline NicRoot two_behind_one_switch() {
  const std::string above = "pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:0";
  return {{{above + "0.0/0000:07:00.0", 3}, {above + "1.0/0000:0f:00.0", 3}},
          {{"mlx5_0", {above + "2.0/0000:0c:00.0", 3}, "4: ACTIVE", "200 Gb/sec (4X HDR)"},
           {"mlx5_1", {above + "3.0/0000:12:00.0", 3}, "4: ACTIVE", "200 Gb/sec (4X HDR)"}}};
}

/// A node with eight dies of four MI250X, and a NIC at each root.
inline NicRoot mi250x(bool nodes_are_known = true, bool one_root = true) {
  constexpr int devices[] = {0xc1, 0xc6, 0xc9, 0xce, 0xd1, 0xd6, 0xd9, 0xde};
  constexpr int roots[] = {0xc0, 0xc8, 0xd0, 0xd8};
  constexpr int nodes[] = {3, 1, 0, 2};
  NicRoot root;
  for (std::size_t i = 0; i != 8; ++i) {
    const int host = roots[i / 2];
    root.devices.push_back({"pci" + bus(host) + "/" + bus(host, i % 2 == 0 ? ":01.1" : ":02.1") +
                                "/" + bus(devices[i], ":00.0"),
                            nodes_are_known ? nodes[i / 2] : -1});
  }
  for (std::size_t i = 0; i != 4; ++i) {
    const int host = roots[i];
    const std::string above = one_root ? "pci" + bus(host) + "/" + bus(host, ":03.1")
                                       : "pci" + bus(host - 0x80) + "/" + bus(host - 0x80, ":03.1");
    root.nics.push_back(
        {"cxi" + std::to_string(i),
         {above + "/" + bus(devices[2 * i] + 3, ":00.0"), nodes_are_known ? nodes[i] : -1}});
  }
  return root;
}

/// A tray of four GPUs and four compute ports; the two of the BlueField are Ethernet.
inline NicRoot gb200() {
  const auto at = [](const char* domain, const char* bus_number, int numa_node) {
    const std::string of(domain);
    return Function{"pci" + of + ":00/" + of + ":00:00.0/" + of + ":" + bus_number + ":00.0",
                    numa_node};
  };
  return {{at("0008", "01", 0), at("0009", "01", 0), at("0018", "01", 1), at("0019", "01", 1)},
          {{"ibp3s0", at("0000", "03", 0)},
           {"ibP2p3s0", at("0002", "03", 0)},
           {"roceP6p3s0", at("0006", "03", 0), "4: ACTIVE", "400 Gb/sec (4X NDR)", "Ethernet"},
           {"ibP16p3s0", at("0010", "03", 1)},
           {"ibP18p3s0", at("0012", "03", 1)},
           {"roceP22p3s0", at("0016", "03", 1), "4: ACTIVE", "400 Gb/sec (4X NDR)", "Ethernet"}}};
}

/// Four GPUs of one NUMA node, on which is one of four NICs.
inline NicRoot one_near_nic() {
  NicRoot root;
  for (int i = 0; i != 4; ++i) {
    const int device = 0x10 * (i + 1);
    const int nic = 0x80 + 0x10 * i;
    root.devices.push_back(
        {"pci" + bus(device) + "/" + bus(device, ":01.0") + "/" + bus(device + 1, ":00.0"), 0});
    root.nics.push_back({"mlx5_" + std::to_string(i),
                         {"pci" + bus(nic) + "/" + bus(nic, ":01.0") + "/" + bus(nic + 1, ":00.0"),
                          i == 0 ? 0 : 1}});
  }
  return root;
}

/// Three GPUs and two NICs of a DGX H100.
inline NicRoot three_by_two() {
  NicRoot root = dgx_h100();
  root.devices = {root.devices[0], root.devices[1], root.devices[4]};
  root.nics = {root.nics[0], root.nics[4]};
  return root;
}

/// GPUs, and no NIC but that of a virtual machine.
inline NicRoot no_nics() {
  NicRoot root = dgx_h100();
  root.nics.clear();
  return root;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_NIC_ROOTS_HPP
