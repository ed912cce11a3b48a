// SPDX-License-Identifier: MIT
// A host and the number after its last colon. Brackets keep the colons of an IPv6 address apart.
#ifndef RANKMAP_DETAIL_HOST_PORT_HPP
#define RANKMAP_DETAIL_HOST_PORT_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view bracket_expectation = "both brackets around an address, or none";

/// The address without its brackets; nothing if one of the two is missing or more are there.
constexpr std::optional<std::string_view> without_brackets(std::string_view address) {
  const bool opens = !address.empty() && address.front() == '[';
  const bool closes = !address.empty() && address.back() == ']';
  if (opens != closes) return std::nullopt;
  if (!opens) return address;
  address = address.substr(1, address.size() - 2);
  if (address.find_first_of("[]") != std::string_view::npos) return std::nullopt;
  return address;
}

/// The host as it is written before a port: an IPv6 address gets brackets.
constexpr StaticString<257> with_brackets(const StaticString<255>& host) {
  if (host.view().find(':') == std::string_view::npos) return host.view();
  return StaticString<257>("[").append(host).append(']');
}

/// `host`, `host:number` or `[v6]:number`, brackets included. The number is not parsed yet.
struct HostPort {
  std::string_view host;
  std::optional<std::string_view> number;

  /// Whether the number is one for certain. Without brackets it may be a group of an IPv6 address.
  constexpr bool is_clear() const {
    return host.starts_with('[') || host.find(':') == std::string_view::npos;
  }
};
constexpr HostPort split_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.back() == ']') return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// Whether a text with colons is an IPv6 address: eight groups of one to four hexadecimal digits,
/// or fewer with one `::`. An IPv4 address may stand for the last two, and '%' may begin a zone.
RANKMAP_RARE constexpr bool is_ipv6(std::string_view text) {
  text = text.substr(0, text.find('%'));
  int groups = 0;
  bool is_short = false;
  for (std::size_t at = 0; at != text.size() || groups == 0;) {
    if (text.substr(at, 2) == "::") {
      if (is_short) return false;
      is_short = true;
      at += 2;
      if (at == text.size()) break;
    } else if (groups != 0) {
      if (text[at++] != ':') return false;
    }
    const std::string_view rest = text.substr(at);
    const std::size_t size = rest.find(':') == rest.npos ? rest.size() : rest.find(':');
    const std::string_view group = rest.substr(0, size);
    const bool is_ipv4 = size == rest.size() && group.find('.') != group.npos;
    const std::string_view digits = is_ipv4 ? "0123456789." : "0123456789abcdefABCDEF";
    if (group.empty() || (!is_ipv4 && size > 4)) return false;
    if (group.find_first_not_of(digits) != group.npos) return false;
    groups += is_ipv4 ? 2 : 1;
    at += size;
  }
  return is_short ? groups < 8 : groups == 8;
}

/// Whether a text is a host name or an address, with nothing before or behind it.
RANKMAP_RARE constexpr bool is_lone_host(std::string_view host) {
  return host.find_first_of("/,@") == host.npos && (host.find(':') == host.npos || is_ipv6(host));
}

inline constexpr std::string_view lone_host_expectation =
    "a host name or an address, whose port, if it has one, is the one that is set beside it";

/// split_host_port() of what people write where a host alone is meant, such as `tcp://host:number`.
/// A text with one colon is no IPv6 address. One with several has no port, unless it has brackets.
RANKMAP_NOINLINE constexpr HostPort split_address(std::string_view text) {
  constexpr std::string_view scheme = "tcp://";
  if (text.starts_with(scheme)) text.remove_prefix(scheme.size());
  const bool is_bracketed = text.starts_with('[') && text.find("]:") != text.npos;
  const bool has_one = text.find(':') != text.npos && text.find(':') == text.rfind(':');
  return is_bracketed || has_one ? split_host_port(text) : HostPort{text, std::nullopt};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_HOST_PORT_HPP
