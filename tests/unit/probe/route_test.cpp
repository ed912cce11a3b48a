// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/probe/route.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
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

/// A host with a network for logins, one for the job, one that is unplugged, and Docker.
void fill_routes(Machine& machine) {
  machine
      .file("/proc/net/route",
            head + line("eth0", 0, 0, 100, "0003") + line("wlan0", 0, 0, 50, "0002") +
                line("eth0", 0xc0a80100, 24, 100) + line("ib0", ten, 8) +
                line("ib1", ten + 0x10000, 16, 20) + line("ib2", ten + 0x10000, 16, 10) +
                line("eth9", ten + 0x20000, 16) + line("docker0", 0xac110000, 16) +
                line("eth0", ten + 0x30000, 16, 0, "0201"))
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
    {"10.3.0.1", "ib0"},      // a route that rejects is none
    {"10.2.0.7",
     "address=\"10.2.0.7\": expected an address that is reached by an interface to other hosts, "
     "not "
     "by eth9, which is down; pass the address of a host in the network of the job"},
    {"172.17.0.2",
     "address=\"172.17.0.2\": expected an address that is reached by an interface to other hosts, "
     "not by docker0; pass the address of a host in the network of the job"},
    {"127.0.0.1",
     "address=\"127.0.0.1\": expected an IPv4 address in digits, of another host; resolve the name "
     "of a host; 127.0.0.1 is this one"},
    {"node01",
     "address=\"node01\": expected an IPv4 address in digits, of another host; resolve the name of "
     "a host; 127.0.0.1 is this one"},
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
  for (const std::string_view text :
       {"", "0.0.0.0", "10.0.0", "10.0.0.0.1", "10.0.0.256", "10.0.0.", "010.0.0.1", "10.0.0.-1",
        "fe80::1", " 10.0.0.1"}) {
    EXPECT_EQ(probe_route(text, machine.options()).error().code, Errc::bad_endpoint) << text;
  }
}

TEST(ProbeRoute, is_missing_without_a_route) {
  const Machine machine;
  EXPECT_EQ(message(probe_route("10.0.0.1", machine.options()).error()).view(),
            "address=\"10.0.0.1\": expected an address that a route of /proc/net/route leads to; "
            "check the address and the network; in a container, its own network");
}

TEST(ProbeRoute, survives_any_file) {
  Machine machine;
  fill_routes(machine);
  machine.with_each_entry_spoiled([&](const std::string& what) {
    const auto found = probe_route("10.9.0.7", machine.options());
    EXPECT_TRUE(!found || *found == "ib0") << what;
  });
  for (const std::string bad : {"ib0\t00\n", "ib0\tzzzzzzzz\t0\t0001\t0\t0\t0\tzzzzzzzz\n",
                                "\t00000000\t0\t0001\t0\t0\t0\t00000000\n",
                                "a-name-that-is-too-long\t00000000\t0\t0001\t0\t0\t0\t00000000\n",
                                "ib0\t00000000\t0\t0001\t0\t0\tx\t00000000\n"}) {
    machine.file("/proc/net/route", bad);
    EXPECT_FALSE(probe_route("10.9.0.7", machine.options())) << bad;
  }
}

}  // namespace
