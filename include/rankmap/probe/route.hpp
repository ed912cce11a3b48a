// SPDX-License-Identifier: MIT
// By which network interface another host of the job is reached, from the kernel's routing table.
#ifndef RANKMAP_PROBE_ROUTE_HPP
#define RANKMAP_PROBE_ROUTE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace rankmap::inline v0 {

/// The name of a network interface, as the kernel limits it.
using NetInterface = StaticString<15>;

namespace detail {

/// "10.0.0.7" as a number, the first part in the highest byte; nothing for any other text.
constexpr Optional<std::uint32_t> ipv4_address(std::string_view text) {
  std::uint32_t address = 0;
  int parts = 0;
  for (ListEntries entries(text, '.'); entries.next(); ++parts) {
    const Number part = parse_number(entries.text());
    const bool padded = entries.text().size() > 1 && entries.text().front() == '0';
    if (!part || padded || part.value > 255 || parts == 4) return {};
    address = address << 8U | static_cast<std::uint32_t>(part.value);
  }
  return parts == 4 ? Optional<std::uint32_t>(address) : Optional<std::uint32_t>();
}

/// Eight hexadecimal digits of /proc/net/route, which shows the bytes of an address as a number of
/// this machine.
constexpr Optional<std::uint32_t> route_number(std::string_view text) {
  if (text.size() != 8) return {};
  std::uint32_t value = 0;
  for (const char c : text) {
    if (hex_value(c) > 15) return {};
    value = value << 4U | hex_value(c);
  }
  if constexpr (std::endian::native == std::endian::little) {
    value = value >> 24U | (value >> 8U & 0xff00U) | (value << 8U & 0xff0000U) | value << 24U;
  }
  return value;
}

/// One line of /proc/net/route.
struct RouteLine {
  std::string_view name;
  std::uint32_t destination = 0;
  std::uint32_t mask = 0;
  std::uint64_t metric = 0;
  bool usable = false;
};
constexpr RouteLine read_route(std::string_view line) {
  std::string_view fields[8] = {};
  std::size_t count = 0;
  for (ListEntries entries(line, '\t'); count != 8 && entries.next(); ++count) {
    fields[count] = trimmed(entries.text());
  }
  RouteLine route;
  route.name = fields[0];
  const auto destination = route_number(fields[1]);
  const auto mask = route_number(fields[7]);
  const Number metric = parse_number(fields[6]);
  const std::string_view flags = fields[3];
  if (!destination || !mask || !metric || flags.size() != 4) return route;
  route.destination = *destination;
  route.mask = *mask;
  route.metric = metric.value;
  // RTF_UP, and not RTF_REJECT.
  const unsigned low = hex_value(flags[3]);
  const unsigned high = hex_value(flags[1]);
  route.usable = low <= 15 && (low & 1U) != 0 && high <= 15 && (high & 2U) == 0 &&
                 !route.name.empty() && route.name.size() <= 15;
  return route;
}

/// Whether an interface leads to other hosts: not the machine itself, and not the bridges by which
/// it reaches its own containers and virtual machines.
constexpr bool leaves_machine(std::string_view name) {
  for (const std::string_view inner : {"docker", "virbr", "cni", "podman", "lxcbr"}) {
    if (name.substr(0, inner.size()) == inner) return false;
  }
  return name != "lo";
}

}  // namespace detail

/// The interface by which `address` is reached, for NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and
/// UCX_NET_DEVICES.
///
/// `address`: of another host of the job, such as that of the rendezvous, in digits ("10.0.0.7"):
/// a name is for the caller to resolve. Reads /proc/net/route and /sys/class/net/NAME/operstate
/// below `options.root`: the route of the longest prefix, then of the lowest metric, decides. Call
/// it on every rank: the name need not be the same on all. Never lo, a bridge to containers of this
/// machine, or an interface that is down. Errors: bad_endpoint (no address in digits, or one by
/// such an interface), missing (no route). Tables of `ip rule` other than the main one are not in
/// that file. O(routes). Source: the kernel's net/ipv4/fib_trie.c.
inline Result<NetInterface> probe_route(std::string_view address,
                                        const ProbeOptions& options = {}) {
  const auto wanted = detail::ipv4_address(address);
  if (!wanted || *wanted >> 24U == 127 || *wanted == 0) {
    return detail::error_at(Errc::bad_endpoint, "address", address,
                            "an IPv4 address in digits, of another host",
                            "resolve the name of a host; 127.0.0.1 is this one");
  }
  NetInterface best;
  std::uint32_t mask = 0;
  std::uint64_t metric = 0;
  if (std::FILE* const file =
          detail::open_to_read(detail::probe_path(options.root, "/proc/net/route"))) {
    char line[256];
    for (int count = 0; count != 65536 && std::fgets(line, sizeof line, file) != nullptr; ++count) {
      const detail::RouteLine route = detail::read_route(line);
      if (!route.usable || (*wanted & route.mask) != route.destination) continue;
      const bool is_better =
          best.empty() || route.mask > mask || (route.mask == mask && route.metric < metric);
      if (!is_better) continue;
      best = NetInterface(route.name);
      mask = route.mask;
      metric = route.metric;
    }
    std::fclose(file);
  }
  if (best.empty()) {
    return detail::error_at(Errc::missing, "address", address,
                            "an address that a route of /proc/net/route leads to",
                            "check the address and the network; in a container, its own network");
  }
  const detail::SmallFile state(
      detail::probe_path(options.root, "/sys/class/net/", best, "/operstate"));
  const bool is_down = state.read() && state.text() != "up" && state.text() != "unknown";
  if (is_down || !detail::leaves_machine(best)) {
    return detail::error_at(
        Errc::bad_endpoint, "address", address,
        detail::concat<159>("an address that is reached by an interface to other hosts, not by ",
                            best, is_down ? ", which is down" : ""),
        "pass the address of a host in the network of the job");
  }
  return best;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_ROUTE_HPP
