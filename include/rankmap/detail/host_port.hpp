// SPDX-License-Identifier: MIT
// A host and the number after its last colon. The brackets around an IPv6 address keep its own
// colons apart from that one.
#ifndef RANKMAP_DETAIL_HOST_PORT_HPP
#define RANKMAP_DETAIL_HOST_PORT_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view bracket_expectation = "both brackets around an address, or none";

/// The address without its brackets; nothing if one of the two is missing or a third one is there.
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

/// `host`, `host:number` or `[v6]:number`, brackets included. A number is text that nobody has read
/// yet.
struct HostPort {
  std::string_view host;
  std::optional<std::string_view> number;
};
constexpr HostPort split_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.back() == ']') return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

inline constexpr std::string_view lone_host_expectation =
    "a host name or an address, whose port, if it has one, is the one that is set beside it";

/// The same for an address that people write where a host alone is meant: `tcp://host:number`. One
/// colon is no IPv6 address, and without brackets several are no port.
constexpr HostPort split_address(std::string_view text) {
  constexpr std::string_view scheme = "tcp://";
  if (text.starts_with(scheme)) text.remove_prefix(scheme.size());
  const bool is_bracketed = text.starts_with('[') && text.find("]:") != text.npos;
  const bool has_one = text.find(':') != text.npos && text.find(':') == text.rfind(':');
  return is_bracketed || has_one ? split_host_port(text) : HostPort{text, std::nullopt};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_HOST_PORT_HPP
