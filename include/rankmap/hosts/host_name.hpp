// SPDX-License-Identifier: MIT
// The name of a host: what a text has to be, and a place to hold it.
#ifndef RANKMAP_HOSTS_HOST_NAME_HPP
#define RANKMAP_HOSTS_HOST_NAME_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/host_port.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0 {

/// The bytes of the longest name. DNS allows 253, and Linux 64 for a machine's own name.
inline constexpr std::size_t longest_host_name = 255;

/// The name or address of one host, held in place.
using HostName = StaticString<longest_host_name>;

/// Whether a text can be the name or address of a host: 1 to 255 bytes, none of them a blank or a
/// control byte, as a file with CRLF leaves one. No resolver is asked. O(length).
constexpr bool is_host_name(std::string_view text) {
  for (const char c : text) {
    if (c == ' ' || detail::is_control(c)) return false;
  }
  return !text.empty() && text.size() <= longest_host_name;
}

/// Whether each machine means itself by a name or address: `localhost`, `127.0.0.1`, `::1`, in any
/// spelling of a host file. So is the address of any interface, as `0.0.0.0`: who connects to it
/// reaches itself. No name is looked up. O(length).
constexpr bool is_own_address(std::string_view text) {
  for (const std::string_view own : {"localhost", "localhost4", "localhost6", "ip6-localhost",
                                     "ip6-loopback", "0.0.0.0", "127.", "::ffff:127."}) {
    const std::string_view rest = own.size() < text.size() ? text.substr(own.size()) : "";
    const bool may_end = rest.empty() || rest.front() == '.' || own.back() == '.';
    if (may_end && detail::equal_ignoring_case(text.substr(0, own.size()), own)) return true;
  }
  // ::1 and ::, with any number of zeros written
  for (std::size_t at = 0; at != text.size(); ++at) {
    const bool is_last = at + 1 == text.size();
    if (text[at] != ':' && text[at] != '0' && !(is_last && text[at] == '1')) return false;
  }
  return detail::is_ipv6(text);
}

namespace detail {

/// What is_host_name accepts, in the words of an error.
inline constexpr std::string_view host_expectation = "a host of 1 to 255 bytes without blanks";

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_NAME_HPP
