// SPDX-License-Identifier: MIT
// By which network interface another host of the job is reached, from the kernel's routing tables.
#ifndef RANKMAP_PROBE_ROUTE_HPP
#define RANKMAP_PROBE_ROUTE_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/detail/route_line.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstdio>
#include <string_view>

namespace rankmap::inline v0 {

/// The name of a network interface, as the kernel limits it.
using NetInterface = StaticString<15>;

namespace detail {

/// Whether an interface leads to other hosts: not the machine itself, and not the bridges by which
/// it reaches its own containers and virtual machines.
constexpr bool leaves_machine(std::string_view name) {
  for (const std::string_view inner : {"docker", "virbr", "cni", "podman", "lxcbr"}) {
    if (name.substr(0, inner.size()) == inner) return false;
  }
  return name != "lo";
}

/// Whether an address can be that of one other host: not this machine, no group of hosts, not 0.
constexpr bool is_of_another_host(const NetAddress& address, bool is_ipv4) {
  NetAddress self;
  self.bytes[15] = 1;
  if (is_ipv4) return address.bytes[12] != 127 && address != ipv4_mapped(0);
  return address != self && address != NetAddress() && address.bytes[0] != 0xff;
}

}  // namespace detail

/// The interface by which `address` is reached, for NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and
/// UCX_NET_DEVICES.
///
/// `address`: of another host of the job, such as that of the rendezvous, in digits ("10.0.0.7",
/// "fd00::7", "[fd00::7]"): a name is for the caller to resolve. Reads /proc/net/route or
/// /proc/net/ipv6_route, and /sys/class/net/NAME/operstate, below `options.root`: the route of the
/// longest prefix, then of the lowest metric, decides. Call it on every rank: the name need not be
/// the same on all. Never lo, a bridge to containers of this machine, or an interface that is down.
/// Errors: bad_endpoint (no address in digits, a link-local one, or one by such an interface),
/// missing (no route, or one that rejects). Of the tables of `ip rule` the first file has the main
/// one, and the second has all without their names. O(routes). Source: the kernel's
/// net/ipv4/fib_trie.c, net/ipv6/route.c.
inline Result<NetInterface> probe_route(std::string_view address,
                                        const ProbeOptions& options = {}) {
  const auto wanted = detail::net_address(detail::without_brackets(address).value_or(""));
  const bool is_ipv4 = wanted && wanted->is_in(detail::ipv4_mapped(0), 96);
  if (!wanted || !detail::is_of_another_host(*wanted, is_ipv4)) {
    return detail::error_at(Errc::bad_endpoint, "address", address,
                            "an IPv4 or IPv6 address in digits, of another host",
                            "resolve the name of a host; 127.0.0.1 and ::1 are this one");
  }
  if (wanted->bytes[0] == 0xfe && (wanted->bytes[1] & 0xc0U) == 0x80) {
    return detail::error_at(Errc::bad_endpoint, "address", address,
                            "an address that is not link-local: each interface has those",
                            "pass another address of the host");
  }
  const std::string_view table = is_ipv4 ? "/proc/net/route" : "/proc/net/ipv6_route";
  detail::RouteLine chosen;
  if (std::FILE* const file = detail::open_to_read(detail::probe_path(options.root, table))) {
    char line[256];
    for (int count = 0; count != 65536 && std::fgets(line, sizeof line, file) != nullptr; ++count) {
      const detail::RouteLine route =
          is_ipv4 ? detail::read_ipv4_route(line) : detail::read_ipv6_route(line);
      if (!route.counts || !wanted->is_in(route.network, route.bits)) continue;
      if (chosen.counts && (route.bits < chosen.bits ||
                            (route.bits == chosen.bits && route.metric >= chosen.metric))) {
        continue;
      }
      chosen = route;
    }
    std::fclose(file);
  }
  if (!chosen.counts || chosen.rejects) {
    return detail::error_at(Errc::missing, "address", address,
                            detail::concat("an address that a route of ", table, " leads to"),
                            "check the address and the network; in a container, its own network");
  }
  const detail::SmallFile state(
      detail::probe_path(options.root, "/sys/class/net/", chosen.name, "/operstate"));
  const bool is_down = state.was_read() && state.text() != "up" && state.text() != "unknown";
  if (is_down || !detail::leaves_machine(chosen.name)) {
    return detail::error_at(
        Errc::bad_endpoint, "address", address,
        detail::concat("an address that is reached by an interface to other hosts, not by ",
                       chosen.name, is_down ? ", which is down" : ""),
        "pass the address of a host in the network of the job");
  }
  return chosen.name;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_ROUTE_HPP
