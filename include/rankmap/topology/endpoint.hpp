// SPDX-License-Identifier: MIT
// Parses a host and a port, as torchrun's --rdzv_endpoint has them.
#ifndef RANKMAP_TOPOLOGY_ENDPOINT_HPP
#define RANKMAP_TOPOLOGY_ENDPOINT_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The longest host of an endpoint, in bytes. No DNS name is longer.
inline constexpr std::size_t longest_endpoint_host = 255;

/// A host and a port.
struct Endpoint {
  StaticString<longest_endpoint_host> host;
  int port = 0;  ///< 1 to 65535; 0: any, or not known
  friend constexpr bool operator==(const Endpoint&, const Endpoint&) = default;
};

namespace detail {

constexpr Optional<Error> check_fallback_port(int port) {
  if (port >= 0 && port <= 65535) return std::nullopt;
  return out_of_range("fallback_port", port, "a port from 0 to 65535", "pass a free port, or 0");
}

}  // namespace detail

/// Parses `host`, `host:port`, `[v6]` or `[v6]:port` by torchrun's rules. Blanks around the text
/// are removed. An empty text is localhost.
///
/// `fallback_port`: the port where the text names none, 0 to 65535. `subject`: what error messages
/// call the text.
///
/// Errors: bad_endpoint for a port that is not 1 to 5 digits below 65536; for a host with
/// characters other than letters, digits, '_', '.', '-' and ':'; for a scheme; for a host longer
/// than 255 bytes;
/// for an IPv6 address without brackets, whose last group torchrun would read as the port, or with
/// a zone. out_of_range for a `fallback_port` that is none.
/// O(length), no allocation.
constexpr Result<Endpoint> parse_endpoint(std::string_view text, int fallback_port,
                                          std::string_view subject = "rdzv_endpoint") {
  const std::string_view whole = text;
  const auto refuse = [&](std::string_view expected, std::string_view remedy) {
    return detail::error_at(Errc::bad_endpoint, subject, whole, expected, remedy);
  };
  if (const auto error = detail::check_fallback_port(fallback_port)) return *error;
  text = detail::trimmed(text);
  if (text.empty()) return Endpoint{"localhost", fallback_port};

  if (text.find("://") != std::string_view::npos) {
    return refuse("a host and a port without a scheme, as torchrun does", "write host:port");
  }
  Endpoint endpoint;
  endpoint.port = fallback_port;
  const bool bracketed = text.front() == '[';
  const std::size_t colon = text.rfind(':');
  if (text.find('%') != std::string_view::npos && detail::is_ipv6(text.substr(bracketed ? 1 : 0))) {
    return refuse("an address without a zone, as torchrun does",
                  "write a host name, or an address that needs no zone");
  }
  if (!bracketed && text.find(':') != colon) {
    const bool is_address = detail::is_ipv6(text) || detail::is_ipv6(text.substr(0, colon));
    return is_address ? refuse("brackets around an IPv6 address", "write [v6]:port")
                      : refuse("one ':', before the port", "write host:port or [v6]:port");
  }
  if (bracketed ? text.back() != ']' : colon != std::string_view::npos) {
    if (colon == std::string_view::npos)
      return refuse("']' after the address", "close the bracket");
    const std::string_view digits = text.substr(colon + 1);
    const detail::Number port = detail::parse_number(digits);
    if (!port || digits.size() > 5 || port.value > 65535) {
      return refuse("a port from 0 to 65535 after the last ':'", "write host:port or [v6]:port");
    }
    endpoint.port = static_cast<int>(port.value);
    text = text.substr(0, colon);
  }
  if (bracketed) {
    const auto address = detail::without_brackets(text);
    if (!address) return refuse("']' after the address", "write [v6]:port");
    text = *address;
  }
  if (text.empty() || text.size() > longest_endpoint_host || !detail::is_plain(text, "_.-:")) {
    return refuse("a host of at most 255 letters, digits, '_', '.', '-' and ':'",
                  "write a host name or an address");
  }
  endpoint.host = text;
  return endpoint;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_ENDPOINT_HPP
