// SPDX-License-Identifier: MIT
// Addresses in digits, and the lines of the kernel's two routing tables. IPv4's addresses are those
// of IPv6 that begin with ::ffff, as the kernel maps them: so both tables have one form.
#ifndef RANKMAP_PROBE_DETAIL_ROUTE_LINE_HPP
#define RANKMAP_PROBE_DETAIL_ROUTE_LINE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/static_string.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// An address in the order of the network.
struct NetAddress {
  std::uint8_t bytes[16] = {};

  constexpr void set(std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i != 4; ++i) {
      bytes[at + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i) & 0xffU);
    }
  }
  /// Whether the first `bits` are those of `network`, and whether they are 0.
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
    const Number part = parse_number(entries.text());
    const bool padded = entries.text().size() > 1 && entries.text().front() == '0';
    if (!part || padded || part.value > 255 || parts == 4) return {};
    address = address << 8U | static_cast<std::uint32_t>(part.value);
  }
  return parts == 4 ? Optional<std::uint32_t>(address) : Optional<std::uint32_t>();
}

/// 1 to 8 hexadecimal digits and nothing else.
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
  NetAddress address;
  std::size_t size = 0;  // bytes that are written
  std::size_t gap = 17;  // where "::" is; 17: nowhere
  std::size_t at = 0;
  if (text.substr(0, 2) == "::") {
    gap = 0;
    at = 2;
  }
  while (at != text.size()) {
    const std::size_t colon = text.find(':', at);
    const bool is_last = colon == std::string_view::npos;
    const std::string_view group = is_last ? text.substr(at) : text.substr(at, colon - at);
    const bool is_dotted = is_last && group.find('.') != std::string_view::npos;
    const auto number = is_dotted ? ipv4_number(group) : hexadecimal_number(group);
    const std::size_t bytes = is_dotted ? 4 : 2;
    if (!number || (!is_dotted && group.size() > 4) || size + bytes > 16) return {};
    for (std::size_t i = bytes; i != 0; --i) {
      address.bytes[size++] = static_cast<std::uint8_t>(*number >> (8 * (i - 1)) & 0xffU);
    }
    if (is_last) break;
    at = colon + 1;
    if (at == text.size()) return {};
    if (text[at] != ':') continue;
    if (gap != 17) return {};
    gap = size;
    ++at;
  }
  if (gap == 17 ? size != 16 : size > 14) return {};
  for (std::size_t end = 16; end != size && size > gap; --size) {
    address.bytes[--end] = address.bytes[size - 1];
    address.bytes[size - 1] = 0;
  }
  return address;
}

/// One line of a routing table.
struct RouteLine {
  StaticString<15> name;
  NetAddress network;
  int bits = 0;  ///< of the network
  std::uint64_t metric = 0;
  bool rejects = false;  ///< what is sent there is refused
  bool counts = false;   ///< else it is no route to other hosts, or not understood
};

inline constexpr std::uint32_t route_is_up = 0x1;
inline constexpr std::uint32_t route_rejects = 0x200;
inline constexpr std::uint32_t route_is_local = 0x80000000;  ///< IPv6: to this machine
inline constexpr std::uint32_t route_is_anycast = 0x100000;  ///< IPv6: to this machine among others

constexpr void read_flags(RouteLine& route, std::string_view name, std::uint32_t flags) {
  constexpr std::uint32_t inside = route_is_local | route_is_anycast;
  route.name = name;
  route.rejects = (flags & route_rejects) != 0 || name == "*";  // IPv4 then has no interface
  route.counts =
      (flags & (route_is_up | inside)) == route_is_up && !name.empty() && name.size() <= 15;
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_ROUTE_LINE_HPP
