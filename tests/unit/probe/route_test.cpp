// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/probe/route.hpp>

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::message;
using rankmap::probe_route;
using rankmap_test::Machine;

/// A number as /proc/net/route shows the bytes of an address.
std::string shown(std::uint32_t address) {
  if (std::endian::native == std::endian::little) {
    address =
        address >> 24U | (address >> 8U & 0xff00U) | (address << 8U & 0xff0000U) | address << 24U;
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08X", address);
  return text;
}
std::string line(const std::string& name, std::uint32_t destination, int prefix, int metric = 0,
                 const std::string& flags = "0001") {
  const std::uint32_t mask = prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix);
  return name + "\t" + shown(destination) + "\t00000000\t" + flags + "\t0\t0\t" +
         std::to_string(metric) + "\t" + shown(mask) + "\t0\t0\t0" + std::string(20, ' ') + "\n";
}
const std::string head =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
constexpr std::uint32_t ten = 0x0a000000;

/// A line of /proc/net/ipv6_route. `source_bits`: of the sources that it is for; 0: all.
std::string line6(const std::string& network, unsigned metric, unsigned flags,
                  const std::string& name, int source_bits = 0) {
  const std::size_t slash = network.find('/');
  const auto address = rankmap::detail::net_address(network.substr(0, slash));
  char text[160];
  std::string digits;
  for (const std::uint8_t byte : address->bytes) {
    std::snprintf(text, sizeof text, "%02x", byte);
    digits += text;
  }
  std::snprintf(text, sizeof text, " %02x %032d %02x %032d %08x 00000001 00000000 %08x %8s\n",
                std::stoi(network.substr(slash + 1)), 0, source_bits, 0, metric, flags,
                name.c_str());
  return digits + text;
}

/// A host with a network for logins, one for the job, one that is unplugged, and Docker.
void fill_routes(Machine& machine) {
  machine
      .file("/proc/net/route",
            head + line("eth0", 0, 0, 100, "0003") + line("wlan0", 0, 0, 50, "0002") +
                line("eth0", 0xc0a80100, 24, 100) + line("ib0", ten, 8) +
                line("ib1", ten + 0x10000, 16, 20) + line("ib2", ten + 0x10000, 16, 10) +
                line("eth9", ten + 0x20000, 16) + line("docker0", 0xac110000, 16) +
                line("*", ten + 0x30000, 16, 0, "0201") + line("*", ten + 0x40000, 16))
      .file("/proc/net/ipv6_route",
            line6("fd00::/8", 0x100, 0x1, "eth0") + line6("fd00:1::/32", 0x100, 0x1, "ib0") +
                line6("fd00:1::/64", 0x200, 0x3, "ib1") + line6("fd00:1::/64", 0x100, 0x3, "ib2") +
                line6("fd00:2::/32", 0x100, 0x1, "eth9") +
                line6("fd00:3::/32", 0x100, 0x1, "docker0") +
                line6("fd00:4::/32", 0x100, 0x200, "lo") + line6("fd00:5::/33", 0x100, 0x1, "ib0") +
                line6("fd00:6::1/128", 0, 0x1, "lo") + line6("fe80::/64", 0x100, 0x1, "eth0") +
                line6("fe80::/64", 0x100, 0x1, "ib0") +
                line6("fd00:1::2/128", 0, 0x80200001, "lo") +  // an address of this machine
                line6("fd00:1::/128", 0, 0x100001, "ib1") +    // those of its routers
                line6("::/0", 0xffffffff, 0x200200, "lo") + line6("::/0", 0x400, 0x3, "eth0") +
                line6("2001:db8::/32", 0x100, 0x1, "ib0", 64))
      .file("/sys/class/net/eth0/operstate", "up\n")
      .file("/sys/class/net/ib0/operstate", "up\n")
      .file("/sys/class/net/ib2/operstate", "unknown\n")
      .file("/sys/class/net/docker0/operstate", "up\n")
      .file("/sys/class/net/eth9/operstate", "down\n");
}

struct Route {
  std::string_view address, expected;
};
constexpr Route routes[] = {
    {"10.9.0.7", "ib0"},      // the job's network
    {"10.1.0.7", "ib2"},      // a longer prefix, and of two the lower metric
    {"192.168.1.9", "eth0"},  // the same interface by its network
    {"8.8.8.8", "eth0"},      // and by the default route; the other one is not up
    {"10.2.0.7",
     "address=\"10.2.0.7\": expected an address that is reached by an interface to other hosts, "
     "not "
     "by eth9, which is down; pass the address of a host in the network of the job"},
    {"172.17.0.2",
     "address=\"172.17.0.2\": expected an address that is reached by an interface to other hosts, "
     "not by docker0; pass the address of a host in the network of the job"},
    {"127.0.0.1",
     "address=\"127.0.0.1\": expected an IPv4 or IPv6 address in digits, of another host; resolve "
     "the name of a host; 127.0.0.1 and ::1 are this one"},
    {"node01",
     "address=\"node01\": expected an IPv4 or IPv6 address in digits, of another host; resolve the "
     "name of a host; 127.0.0.1 and ::1 are this one"},
    // a wider route would be taken for it, and what is sent there is refused
    {"10.3.0.1",
     "address=\"10.3.0.1\": expected an address that a route of /proc/net/route leads to; check "
     "the "
     "address and the network; in a container, its own network"},
    {"10.4.0.1",
     "address=\"10.4.0.1\": expected an address that a route of /proc/net/route leads to; check "
     "the "
     "address and the network; in a container, its own network"},

    {"fd00:1:0:1::7", "ib0"},    // the job's network
    {"[fd00:1:0:1::7]", "ib0"},  // as a port would need it
    {"fd00:1::7", "ib2"},        // a longer prefix, and of two the lower metric
    {"fd00:1::2", "ib2"},        // on rank 0: its own address, by the network that it is in
    {"fd00:1::", "ib2"},
    {"fd00:5:7fff::1", "ib0"},  // a prefix that ends inside a byte
    {"fd00:5:8000::1", "eth0"},
    {"2001:db8::1", "eth0"},  // a route for some sources says nothing of the others
    {"::ffff:10.9.0.7", "ib0"},
    {"fd00:2::7",
     "address=\"fd00:2::7\": expected an address that is reached by an interface to other hosts, "
     "not by eth9, which is down; pass the address of a host in the network of the job"},
    {"fd00:3::7",
     "address=\"fd00:3::7\": expected an address that is reached by an interface to other hosts, "
     "not by docker0; pass the address of a host in the network of the job"},
    {"fd00:4::7", "eth0"},  // the route that rejects is not up
    {"fd00:6::1",
     "address=\"fd00:6::1\": expected an address that is reached by an interface to other hosts, "
     "not by lo; pass the address of a host in the network of the job"},
    {"fe80::7",
     "address=\"fe80::7\": expected an address that is not link-local: each interface has those; "
     "pass another address of the host"},
    {"::1",
     "address=\"::1\": expected an IPv4 or IPv6 address in digits, of another host; resolve the "
     "name of a host; 127.0.0.1 and ::1 are this one"},
};

TEST(ProbeRoute, finds_the_interface_to_another_host) {
  Machine machine;
  fill_routes(machine);
  for (const Route& row : routes) {
    const auto found = probe_route(row.address, machine.options());
    EXPECT_EQ(found ? std::string(*found) : std::string(message(found.error())), row.expected);
  }
}

TEST(ProbeRoute, takes_no_other_text_for_an_address) {
  const Machine machine;
  for (const std::string_view text : {"",
                                      "0.0.0.0",
                                      "10.0.0",
                                      "10.0.0.0.1",
                                      "10.0.0.256",
                                      "10.0.0.",
                                      "010.0.0.1",
                                      "10.0.0.-1",
                                      " 10.0.0.1",
                                      "::",
                                      ":",
                                      ":::",
                                      "::1",
                                      "ff02::1",
                                      "fd00",
                                      "fd00:",
                                      ":fd00::",
                                      "fd00:::1",
                                      "fd00::1::2",
                                      "fd00::12345",
                                      "fd00::g",
                                      "fd00::1%ib0",
                                      "[fd00::1",
                                      "fd00::1]",
                                      "fd00::1.2.3",
                                      "fd00::1.2.3.4.5",
                                      "1.2.3.4::",
                                      "1:2:3:4:5:6:7",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1:2:3:4:5:6:7:1.2.3.4",
                                      "::1:2:3:4:5:6:7:8",
                                      "1:2:3:4::5:6:7:8",
                                      "::ffff:127.0.0.1",
                                      "::ffff:0:0"}) {
    EXPECT_EQ(probe_route(text, machine.options()).error().code, Errc::bad_endpoint) << text;
  }
}

TEST(ProbeRoute, is_missing_without_a_route) {
  const Machine machine;
  EXPECT_EQ(message(probe_route("10.0.0.1", machine.options()).error()).view(),
            "address=\"10.0.0.1\": expected an address that a route of /proc/net/route leads to; "
            "check the address and the network; in a container, its own network");
  EXPECT_EQ(
      message(probe_route("fd00::1", machine.options()).error()).view(),
      "address=\"fd00::1\": expected an address that a route of /proc/net/ipv6_route leads to; "
      "check the address and the network; in a container, its own network");
}

// Against the system's reader of addresses.
TEST(ProbeRoute, reads_addresses_as_the_system_does) {
  std::mt19937 random(39);
  int read = 0;
  for (int i = 0; i != 200'000; ++i) {
    std::string text;
    for (auto groups = random() % 10; groups != 0; --groups) {
      constexpr std::string_view pieces[] = {":", "::", "0", "1f", "ABC", "ffff", "01", "1.2.3.4"};
      text += pieces[random() % std::size(pieces)];
      if (random() % 4 != 0) text += ":";
    }
    if (random() % 3 == 0) text.push_back('7');
    unsigned char expected[16] = {};
    const bool is_address = inet_pton(AF_INET6, text.c_str(), expected) == 1;
    const auto found = rankmap::detail::net_address(text);
    if (text.find(':') == std::string::npos) continue;
    ASSERT_EQ(found.has_value(), is_address) << text;
    if (!is_address) continue;
    ++read;
    for (std::size_t byte = 0; byte != 16; ++byte) {
      ASSERT_EQ(found->bytes[byte], expected[byte]) << text;
    }
  }
  EXPECT_GT(read, 1000);
}

TEST(ProbeRoute, survives_any_file) {
  Machine machine;
  fill_routes(machine);
  machine.with_each_entry_spoiled([&](const std::string& what) {
    for (const std::string_view address : {"10.9.0.7", "fd00:1:0:1::7"}) {
      const auto found = probe_route(address, machine.options());
      EXPECT_TRUE(!found || *found == "ib0") << what;
    }
  });
  const std::string network = "00000000000000000000000000000000";
  for (const std::string& bad :
       {network + " 00\n", network + " 81 " + network + " 00 " + network + " 1 1 0 1 ib0\n",
        network + " 00 " + network + " 00 " + network + " x 1 0 1 ib0\n",
        network + " 00 " + network + " 00 " + network + " 1 1 0 1 ib0 more\n",
        network + " 00 " + network + " 00 " + network + " 1 1 0 1\n",
        "z" + network.substr(1) + " 00 " + network + " 00 " + network + " 1 1 0 1 ib0\n"}) {
    machine.file("/proc/net/ipv6_route", bad);
    EXPECT_FALSE(probe_route("fd00::7", machine.options())) << bad;
  }
  for (const std::string bad : {"ib0\t00\n", "ib0\tzzzzzzzz\t0\t0001\t0\t0\t0\tzzzzzzzz\n",
                                "\t00000000\t0\t0001\t0\t0\t0\t00000000\n",
                                "a-name-that-is-too-long\t00000000\t0\t0001\t0\t0\t0\t00000000\n",
                                "ib0\t00000000\t0\t0001\t0\t0\tx\t00000000\n",
                                "ib0\t00000000\t0\t0001\t0\t0\t0\t00FF00FF\n"}) {
    machine.file("/proc/net/route", bad);
    EXPECT_FALSE(probe_route("10.9.0.7", machine.options())) << bad;
  }
}

TEST(Route, is_never_by_a_bridge_to_containers_of_this_machine) {
  const auto route_by = [](const std::string& name) {
    Machine machine;
    machine.file("/proc/net/route", head + line(name, 0xac120000, 16));
    const auto found = probe_route("172.18.0.7", machine.options());
    return found ? std::string(found->view()) : name + " is refused";
  };
  // docker calls the bridge of a network by the beginning of its id.
  for (const char* const inner : {"docker0", "br-1a2b3c4d5e6f", "virbr0", "cni0", "cni-podman0",
                                  "podman1", "lxcbr0", "lxdbr0", "incusbr0", "nerdctl0"}) {
    EXPECT_EQ(route_by(inner), inner + std::string(" is refused"));
  }
  for (const char* const outer :
       {"eth0", "br0", "br-mgmt", "br-1a2b3c4d5e6", "br-1a2b3c4d5e6x", "bridge0", "bond0"}) {
    EXPECT_EQ(route_by(outer), outer);
  }
}

}  // namespace
