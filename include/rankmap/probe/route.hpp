// SPDX-License-Identifier: MIT
// By which network interface another host of the job is reached, from the kernel's routing tables.
#ifndef RANKMAP_PROBE_ROUTE_HPP
#define RANKMAP_PROBE_ROUTE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/host_port.hpp>
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

/// An address in the order of the network. IPv4's are those of IPv6 that begin with ::ffff, as the
/// kernel maps them: so its two routing tables have one form.
struct NetAddress {
  std::uint8_t bytes[16] = {};

  constexpr void set(std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i != 4; ++i) {
      bytes[at + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i) & 0xffU);
    }
  }
  /// Whether the first `bits` are those of `network`.
  constexpr bool is_in(const NetAddress& network, int bits) const {
    for (std::size_t i = 0; bits > 0; ++i, bits -= 8) {
      const unsigned kept = bits >= 8 ? 0xffU : 0xff00U >> static_cast<unsigned>(bits) & 0xffU;
      if (((bytes[i] ^ network.bytes[i]) & kept) != 0) return false;
    }
    return true;
  }
  friend constexpr bool operator==(const NetAddress&, const NetAddress&) = default;
};

constexpr NetAddress ipv4_mapped(std::uint32_t number) {
  NetAddress address;
  address.set(8, 0xffff);
  address.set(12, number);
  return address;
}

/// "10.0.0.7" as a number, the first part in the highest byte; nothing for any other text.
constexpr Optional<std::uint32_t> ipv4_number(std::string_view text) {
  std::uint32_t address = 0;
  int parts = 0;
  for (ListEntries entries(text, '.'); entries.next(); ++parts) {
    const int part = plain_number(entries.text());
    if (part < 0 || part > 255 || parts == 4) return {};
    address = address << 8U | static_cast<std::uint32_t>(part);
  }
  return parts == 4 ? Optional<std::uint32_t>(address) : Optional<std::uint32_t>();
}

constexpr Optional<std::uint32_t> hexadecimal_number(std::string_view text) {
  if (text.empty() || text.size() > 8) return {};
  std::uint32_t value = 0;
  for (const char c : text) {
    if (hex_value(c) > 15) return {};
    value = value << 4U | hex_value(c);
  }
  return value;
}

/// The address that a text spells in digits: "10.0.0.7", "fd00::7", "::ffff:10.0.0.7". Nothing for
/// any other text. Source: RFC 4291, 2.2.
constexpr Optional<NetAddress> net_address(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    const auto number = ipv4_number(text);
    return number ? Optional<NetAddress>(ipv4_mapped(*number)) : Optional<NetAddress>();
  }
  if (!is_ipv6(text) || text.find('%') != std::string_view::npos) return {};
  NetAddress address;
  std::size_t size = 0;  // bytes that are written
  std::size_t gap = 16;  // where "::" is
  for (ListEntries groups(text, ':'); groups.next();) {
    const std::string_view group = groups.text();
    if (group.empty()) {
      gap = size;
      continue;
    }
    const bool is_dotted = group.find('.') != std::string_view::npos;
    const auto number = is_dotted ? ipv4_number(group) : hexadecimal_number(group);
    if (!number) return {};
    for (std::size_t i = is_dotted ? 4 : 2; i != 0; --i) {
      address.bytes[size++] = static_cast<std::uint8_t>(*number >> (8 * (i - 1)) & 0xffU);
    }
  }
  for (std::size_t end = 16; end != size && size > gap; --size) {
    address.bytes[--end] = address.bytes[size - 1];
    address.bytes[size - 1] = 0;
  }
  return address;
}

struct RouteLine {
  StaticString<15> name;
  NetAddress network;
  int bits = 0;  ///< of the network
  std::uint64_t metric = 0;
  bool rejects = false;  ///< what is sent there is refused
  bool counts = false;   ///< else it is no route to other hosts, or not understood
};

constexpr void read_flags(RouteLine& route, std::string_view name, std::uint32_t flags) {
  constexpr std::uint32_t is_up = 0x1;
  constexpr std::uint32_t rejects = 0x200;
  constexpr std::uint32_t is_inside = 0x80000000 | 0x100000;  // IPv6: local, anycast
  route.name = name;
  route.rejects = (flags & rejects) != 0 || name == "*";  // IPv4 then has no interface
  route.counts = (flags & (is_up | is_inside)) == is_up && !name.empty() && name.size() <= 15;
}

/// A number of /proc/net/route, which shows the bytes of an address as a number of this machine.
constexpr Optional<std::uint32_t> route_number(std::string_view text) {
  const auto number = hexadecimal_number(text);
  if (!number || text.size() != 8) return {};
  if constexpr (std::endian::native == std::endian::big) return number;
  const std::uint32_t value = *number;
  return value >> 24U | (value >> 8U & 0xff00U) | (value << 8U & 0xff0000U) | value << 24U;
}

/// A line of /proc/net/route: name, network, gateway, flags, two counts, metric, mask, ...
constexpr RouteLine read_ipv4_route(std::string_view line) {
  std::string_view fields[8] = {};
  std::size_t count = 0;
  for (ListEntries entries(line, '\t'); count != 8 && entries.next(); ++count) {
    fields[count] = trimmed(entries.text());
  }
  RouteLine route;
  const auto network = route_number(fields[1]);
  const auto flags = hexadecimal_number(fields[3]);
  const Number metric = parse_number(fields[6]);
  const auto mask = route_number(fields[7]);
  if (!network || !flags || !metric || !mask) return route;
  const std::uint32_t rest = ~*mask;
  if ((rest & (rest + 1)) != 0) return route;  // no mask of a network
  route.network = ipv4_mapped(*network);
  route.bits = 128 - std::popcount(rest);
  route.metric = metric.value;
  read_flags(route, fields[0], *flags);
  return route;
}

/// A line of /proc/net/ipv6_route: network and its bits, source and its bits, the next host,
/// metric, two counts, flags, name. All numbers are hexadecimal.
constexpr RouteLine read_ipv6_route(std::string_view line) {
  std::string_view fields[10] = {};
  std::size_t count = 0;
  for (ListEntries entries(trimmed(line), ' '); entries.next();) {
    if (entries.text().empty()) continue;  // the name is padded
    if (count == 10) return {};
    fields[count++] = entries.text();
  }
  RouteLine route;
  const auto bits = hexadecimal_number(fields[1]);
  const auto source_bits = hexadecimal_number(fields[3]);
  const auto metric = hexadecimal_number(fields[5]);
  const auto flags = hexadecimal_number(fields[8]);
  if (fields[0].size() != 32 || !bits || *bits > 128 || !source_bits || !metric || !flags) {
    return route;
  }
  for (std::size_t i = 0; i != 4; ++i) {
    const auto word = hexadecimal_number(fields[0].substr(8 * i, 8));
    if (!word) return route;
    route.network.set(4 * i, *word);
  }
  route.bits = static_cast<int>(*bits);
  route.metric = *metric;
  // One for some sources only says nothing of the others.
  if (*source_bits == 0) read_flags(route, fields[9], *flags);
  return route;
}

/// Whether an interface leads to other hosts, and not to this one, its containers or machines.
/// Docker calls the bridge of a network "br-" and the first 12 digits of its id.
constexpr bool leaves_machine(std::string_view name) {
  for (const std::string_view inner :
       {"docker", "virbr", "cni", "podman", "lxcbr", "lxdbr", "incusbr", "nerdctl"}) {
    if (name.substr(0, inner.size()) == inner) return false;
  }
  const bool is_bridge = name.size() == 15 && name.starts_with("br-") &&
                         name.find_first_not_of("0123456789abcdef", 3) == name.npos;
  return name != "lo" && !is_bridge;
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
