// SPDX-License-Identifier: MIT
#include "support/nic_roots.hpp"

#include <rankmap/probe/nics.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::LinkLayer;
using rankmap::Nic;
using rankmap::NicKind;
using rankmap::NicList;
using rankmap::NicState;
using rankmap::PciPlace;
using rankmap::probe_nics;
using rankmap::probe_pci_place;
using rankmap_test::add_class;
using rankmap_test::add_function;
using rankmap_test::add_interface;
using rankmap_test::Function;
using rankmap_test::Machine;
using rankmap_test::NicRoot;

static_assert(std::is_trivially_copyable_v<NicList>);

std::string names(const NicList& nics) {
  std::string out;
  for (const Nic& nic : nics) out += (out.empty() ? "" : " ") + std::string(nic.name.view());
  return out;
}

const Function function_of_nic{"pci0000:15/0000:15:01.0/0000:18:00.0", 1};

TEST(ProbeNics, finds_the_ports_of_a_machine_by_address) {
  Machine machine;
  const NicRoot root = rankmap_test::dgx_h100();
  const NicList nics = probe_nics(fill(machine, root).options());
  EXPECT_EQ(
      names(nics),
      "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7 mlx5_8 mlx5_9 mlx5_10 mlx5_11");
  EXPECT_TRUE(nics.whole());
  EXPECT_EQ(nics[0].place.address, "0000:18:00.0");
  EXPECT_EQ(nics[0].place.path, "/sys/devices/" + root.nics[0].function.path);
  EXPECT_EQ(nics[0].place.numa_node, 0);
  EXPECT_EQ(nics[6].place.numa_node, 1);
  EXPECT_EQ(nics[0].port, 1);
  EXPECT_EQ(nics[0].rate, 400000);
  EXPECT_EQ(nics[0].kind, NicKind::verbs);
  EXPECT_EQ(nics[0].state, NicState::active);
  EXPECT_EQ(nics[1].state, NicState::down);
  EXPECT_EQ(nics[0].link_layer, LinkLayer::infiniband);
  EXPECT_FALSE(nics[0].is_virtual || nics[0].is_bond);
  EXPECT_TRUE(nics[0].net_interface.empty());

  const PciPlace device = probe_pci_place("00000000:1B:00.0", machine.options());
  EXPECT_EQ(device.address, "0000:1b:00.0");
  EXPECT_EQ(device.path, "/sys/devices/" + root.devices[0].path);
  EXPECT_EQ(device.numa_node, 0);
  EXPECT_EQ(pci_distance(device, nics[0].place), rankmap::PciDistance::pix);
}

TEST(ProbeNics, joins_slingshot_and_rdma_to_their_interfaces) {
  Machine machine;
  fill(machine, rankmap_test::mi250x());
  add_function(machine, function_of_nic);
  add_class(machine, "infiniband", "mlx5_0", function_of_nic);
  add_interface(machine, "ibp24s0", function_of_nic, "400000", "up");
  const NicList nics = probe_nics(machine.options());
  EXPECT_EQ(names(nics), "mlx5_0 cxi0 cxi1 cxi2 cxi3");  // no interface of its own
  EXPECT_EQ(nics[0].net_interface, "ibp24s0");
  EXPECT_EQ(nics[0].port, 0);  // none is shown
  EXPECT_EQ(nics[0].rate, -1);
  EXPECT_EQ(nics[0].state, NicState::unknown);
  EXPECT_EQ(nics[1].kind, NicKind::cxi);
  EXPECT_EQ(nics[1].net_interface, "hsn0");
  EXPECT_EQ(nics[1].rate, 200000);
  EXPECT_EQ(nics[1].state, NicState::active);
  EXPECT_EQ(nics[1].place.numa_node, 3);

  // Of several interfaces none is that of the port.
  add_interface(machine, "ibp24s0d1", function_of_nic, "400000", "up");
  EXPECT_TRUE(probe_nics(machine.options())[0].net_interface.empty());
}

TEST(ProbeNics, lists_each_port) {
  Machine machine;
  add_function(machine, function_of_nic);
  const std::string folder = add_class(machine, "infiniband", "mlx4_0", function_of_nic);
  machine.file(folder + "/ports/2/state", "4: ACTIVE\n")
      .file(folder + "/ports/1/state", "2: INIT\n")
      .file(folder + "/ports/10/state", "x\n")
      .file(folder + "/ports/0/state", "4: ACTIVE\n")
      .file(folder + "/ports/../state", "4: ACTIVE\n");
  const NicList nics = probe_nics(machine.options());
  ASSERT_EQ(nics.size(), 3);
  EXPECT_EQ(nics[0].port, 1);
  EXPECT_EQ(nics[0].state, NicState::down);
  EXPECT_EQ(nics[1].port, 2);
  EXPECT_EQ(nics[1].state, NicState::active);
  EXPECT_EQ(nics[2].port, 10);
  EXPECT_EQ(nics[2].state, NicState::unknown);
}

TEST(ProbeNics, knows_efa_bonds_and_virtual_functions) {
  Machine machine;
  add_function(machine, function_of_nic);
  add_class(machine, "infiniband", "mlx5_bond_0", function_of_nic);
  const Function efa{"pci0000:20/0000:20:1b.0", 0};
  add_function(machine, efa);
  add_class(machine, "infiniband", "rdmap32s27", efa);
  machine.file("/sys/devices/" + efa.path + "/vendor", "0x1d0f\n");
  const Function part{"pci0000:15/0000:15:02.0/0000:19:00.2", 1};
  add_function(machine, part);
  add_class(machine, "infiniband", "mlx5_2", part);
  machine.link("/sys/devices/" + part.path + "/physfn", "../../0000:15:01.0/0000:18:00.0");

  const NicList nics = probe_nics(machine.options());
  ASSERT_EQ(names(nics), "mlx5_bond_0 mlx5_2 rdmap32s27");
  EXPECT_TRUE(nics[0].is_bond);
  EXPECT_FALSE(nics[0].is_virtual);
  EXPECT_EQ(nics[2].kind, NicKind::efa);
  EXPECT_TRUE(nics[1].is_virtual);
  EXPECT_FALSE(nics[1].is_bond);
  EXPECT_EQ(nics[1].place.address, "0000:19:00.2");
  EXPECT_EQ(nics[1].place.path, "/sys/devices/" + function_of_nic.path);

  machine.link("/sys/devices/" + part.path + "/physfn", "../nowhere");
  const NicList others = probe_nics(machine.options());
  EXPECT_TRUE(others[1].is_virtual);
  EXPECT_TRUE(others[1].place.path.empty());
}

// Two RoCE ports of a host, of which this pod has one: of the other one the pod reads zeros, or
// nothing.
TEST(ProbeNics, knows_which_ports_have_an_address_here) {
  struct Row {
    std::string_view layer;
    std::vector<std::string> gids;
    rankmap::NicGids expected;
  };
  const std::string zeros = "0000:0000:0000:0000:0000:0000:0000:0000\n";
  for (const Row& row : {Row{"Ethernet",
                             {zeros, "0000:0000:0000:0000:0000:ffff:0a00:0007\n"},
                             rankmap::NicGids::some},
                         Row{"Ethernet", {zeros, zeros, ""}, rankmap::NicGids::none},
                         Row{"Ethernet", {}, rankmap::NicGids::unknown},
                         Row{"InfiniBand", {zeros}, rankmap::NicGids::unknown}}) {
    Machine machine;
    add_function(machine, function_of_nic);
    const std::string port =
        add_class(machine, "infiniband", "mlx5_0", function_of_nic) + "/ports/1";
    machine.file(port + "/state", "4: ACTIVE\n")
        .file(port + "/link_layer", std::string(row.layer) + "\n");
    int number = 0;
    for (const std::string& gid : row.gids) {
      machine.file(port + "/gids/" + std::to_string(number++), gid);
    }
    const NicList nics = probe_nics(machine.options());
    ASSERT_EQ(nics.size(), 1);
    EXPECT_EQ(nics[0].gids, row.expected);
    EXPECT_EQ(unusable_reason(nics[0]).empty(), row.expected != rankmap::NicGids::none);
  }
}

TEST(ProbeNics, lists_an_interface_by_its_last_pci_function) {
  Machine machine;
  const Function bridge{"pci0000:00/0000:00:03.0", -1};
  add_function(machine, bridge);
  const std::string folder = "/sys/devices/" + bridge.path + "/virtio2/net/eth0";
  machine.link(folder + "/device", "../../../virtio2")
      .link("/sys/class/net/eth0", "../.." + folder.substr(4))
      .file(folder + "/speed", "-1\n")
      .file(folder + "/operstate", "up\n")
      .file("/sys/devices/virtual/net/lo/operstate", "unknown\n")
      .link("/sys/class/net/lo", "../../devices/virtual/net/lo")
      .file("/sys/class/net/bonding_masters", "bond0\n");
  const NicList nics = probe_nics(machine.options());
  ASSERT_EQ(names(nics), "eth0");
  EXPECT_EQ(nics[0].kind, NicKind::socket);
  EXPECT_EQ(nics[0].net_interface, "eth0");
  EXPECT_EQ(nics[0].place.path, "/sys/devices/pci0000:00/0000:00:03.0");
  EXPECT_EQ(nics[0].place.address, "0000:00:03.0");
  EXPECT_EQ(nics[0].rate, -1);
  EXPECT_EQ(nics[0].state, NicState::active);
  machine.file(folder + "/bonding_slave/state", "active\n");
  EXPECT_TRUE(probe_nics(machine.options())[0].is_bond);
}

TEST(ProbeNics, finds_nothing_without_files) {
  Machine machine;
  EXPECT_EQ(probe_nics(machine.options()).size(), 0);
  EXPECT_TRUE(probe_nics(machine.options()).whole());
  machine.directory("/sys/class/infiniband").directory("/sys/class/cxi");
  EXPECT_EQ(probe_nics(machine.options()).size(), 0);
  const std::string deep(600, '/');  // longer than a path may be
  EXPECT_EQ(probe_nics({.root = deep}).size(), 0);
  for (const char* const address : {"", "x", "0000:1b:00.0", "../../0000:1b:00.0"}) {
    const PciPlace place = probe_pci_place(address, machine.options());
    EXPECT_TRUE(place.path.empty());
    EXPECT_EQ(place.numa_node, -1);
  }
}

TEST(ProbeNics, omits_a_name_that_no_list_can_hold) {
  for (const std::string name :
       {"mlx5,0", "mlx5:1", "^mlx5", "mlx5 0", "..mlx5", "\xff",
        "m123456789012345678901234567890123456789012345678901234567890123"}) {
    Machine machine;
    add_function(machine, function_of_nic);
    add_class(machine, "infiniband", name, function_of_nic);
    const NicList nics = probe_nics(machine.options());
    EXPECT_EQ(nics.size(), 0) << name;
    EXPECT_FALSE(nics.whole()) << name;
  }
  Machine machine;
  add_function(machine, function_of_nic);
  add_class(machine, "infiniband", "mlx5..0", function_of_nic);
  EXPECT_EQ(names(probe_nics(machine.options())), "mlx5..0");
}

TEST(ProbeNics, keeps_the_first_64) {
  Machine machine;
  for (int i = 0; i != 70; ++i) {
    const Function function{"pci0000:00/" + rankmap_test::bus(i, ":00.0"), 0};
    add_function(machine, function);
    add_class(machine, "infiniband", "mlx5_" + std::to_string(i), function);
  }
  const NicList nics = probe_nics(machine.options());
  ASSERT_EQ(nics.size(), 64);
  EXPECT_FALSE(nics.whole());
  for (int i = 0; i != 64; ++i) {
    EXPECT_EQ(nics[i].place.address, rankmap_test::bus(i, ":00.0"));
  }
}

TEST(ProbeNics, follows_no_link_out_of_the_root) {
  Machine machine;
  Machine* const outer = &machine;
  add_function(*outer, function_of_nic);
  add_class(*outer, "infiniband", "mlx5_0", function_of_nic);
  const std::string root(outer->options().root);
  // The same machine with a root inside of it, from which a link leads out.
  machine.link("/inner/sys/class/infiniband/mlx5_0", "../../../../sys/class/infiniband/mlx5_0");
  const NicList nics = probe_nics({.root = root + "/inner"});
  ASSERT_EQ(nics.size(), 1);
  EXPECT_TRUE(nics[0].place.path.empty());
  EXPECT_EQ(nics[0].place.numa_node, -1);
}

TEST(ProbeNics, shows_nothing_else_with_a_spoiled_file) {
  for (const NicRoot& root : {rankmap_test::gb200(), rankmap_test::mi250x(),
                              rankmap_test::two_behind_one_switch(), rankmap_test::no_nics()}) {
    Machine machine;
    fill(machine, root);
    std::map<std::string, Nic> whole;
    for (const Nic& nic : probe_nics(machine.options())) whole[nic.name.c_str()] = nic;
    machine.with_each_entry_spoiled([&](const std::string& what) {
      for (const Nic& nic : probe_nics(machine.options())) {
        const auto found = whole.find(nic.name.c_str());
        if (found == whole.end()) {  // the interface of a NIC that is hidden
          EXPECT_EQ(nic.kind, NicKind::socket) << what;
          continue;
        }
        const Nic& was = found->second;
        EXPECT_TRUE(nic.place.path.empty() || nic.place.path == was.place.path) << what;
        EXPECT_TRUE(nic.place.numa_node == -1 || nic.place.numa_node == was.place.numa_node ||
                    what.find("numa_node, of a digit") != std::string::npos ||
                    what.find("numa_node, of a MiB") != std::string::npos)
            << what;
        EXPECT_TRUE(nic.rate == -1 || nic.rate == was.rate || nic.rate == 7) << what;
        EXPECT_TRUE(nic.state == NicState::unknown || nic.state == was.state) << what;
        EXPECT_TRUE(nic.link_layer == LinkLayer::unknown || nic.link_layer == was.link_layer)
            << what;
      }
      for (const PciPlace& place : places(machine, root)) {
        EXPECT_TRUE(place.path.empty() || place.path.view().find("/sys/devices/pci") == 0) << what;
      }
    });
  }
}

TEST(NicTexts, are_read_as_the_kernel_writes_them) {
  using rankmap::detail::interface_state;
  using rankmap::detail::is_nic_name;
  using rankmap::detail::link_layer_of;
  using rankmap::detail::port_rate;
  using rankmap::detail::port_state;
  struct Rate {
    std::string_view text;
    int rate;
  };
  constexpr Rate rates[] = {
      {"400 Gb/sec (4X NDR)", 400000},
      {"2.5 Gb/sec (1X SDR)", 2500},
      {"100 Gb/sec", 100000},
      {"14.0625 Gb/sec (1X FDR)", -1},
      {"53.125 Gb/sec", 53125},
      {"1000000 Gb/sec", 1000000000},
      {"1000001 Gb/sec", -1},
      {"99999999999999999999 Gb/sec", -1},
      {"", -1},
      {" Gb/sec", -1},
      {"400", -1},
      {"400 Mb/sec", -1},
      {"400  Gb/sec", -1},
      {"-1 Gb/sec", -1},
      {"2. Gb/sec", -1},
      {".5 Gb/sec", -1},
      {"2.x Gb/sec", -1},
      {"2.5.5 Gb/sec", -1},
      {"4x Gb/sec", -1},
  };
  for (const Rate& row : rates) EXPECT_EQ(port_rate(row.text), row.rate) << row.text;
  static_assert(port_rate("2.5 Gb/sec (1X SDR)") == 2500);
  static_assert(port_state("4: ACTIVE") == NicState::active);
  EXPECT_EQ(port_state("1: DOWN"), NicState::down);
  EXPECT_EQ(port_state("5: ACTIVE_DEFER"), NicState::down);
  for (const char* const text : {"", "4", "4: ", "4:ACTIVE", "ACTIVE", "44: ACTIVE", "0: NOP"}) {
    EXPECT_EQ(port_state(text), NicState::unknown) << text;
  }
  EXPECT_EQ(interface_state("up"), NicState::active);
  EXPECT_EQ(interface_state("down"), NicState::down);
  EXPECT_EQ(interface_state("lowerlayerdown"), NicState::down);
  EXPECT_EQ(interface_state("unknown"), NicState::unknown);
  EXPECT_EQ(interface_state(""), NicState::unknown);
  EXPECT_EQ(link_layer_of("InfiniBand"), LinkLayer::infiniband);
  EXPECT_EQ(link_layer_of("Ethernet"), LinkLayer::ethernet);
  EXPECT_EQ(link_layer_of("infiniband"), LinkLayer::unknown);
  EXPECT_TRUE(is_nic_name("mlx5_0") && is_nic_name("ibP16p3s0") && is_nic_name("eth0.7"));
  EXPECT_FALSE(is_nic_name("") || is_nic_name(".") || is_nic_name("a/b") || is_nic_name("a=b"));
}

TEST(ProbeNics, of_this_machine_has_names) {
  for (const Nic& nic : probe_nics()) EXPECT_FALSE(nic.name.empty());
}

}  // namespace
