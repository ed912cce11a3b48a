// SPDX-License-Identifier: MIT
// The texts of a NIC's files.
#ifndef RANKMAP_PROBE_DETAIL_NIC_TEXT_HPP
#define RANKMAP_PROBE_DETAIL_NIC_TEXT_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/nic.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// "400 Gb/sec (4X NDR)" in Mb/s, or -1. A rate may have decimals: "2.5 Gb/sec (1X SDR)".
constexpr int port_rate(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || text.substr(blank + 1, 6) != "Gb/sec") return -1;
  const std::string_view number = text.substr(0, blank);
  const std::size_t point = number.find('.');
  const Number whole = parse_number(number.substr(0, point));
  if (!whole || whole.value > 1'000'000) return -1;
  int rate = static_cast<int>(whole.value) * 1000;
  if (point == std::string_view::npos) return rate;
  const std::string_view decimals = number.substr(point + 1);
  if (decimals.empty() || decimals.size() > 3) return -1;
  int unit = 100;
  for (const char c : decimals) {
    if (!is_digit(c)) return -1;
    rate += (c - '0') * unit;
    unit /= 10;
  }
  return rate;
}

/// "4: ACTIVE" of a port, "up" of an interface. A state that is neither is not known.
constexpr NicState port_state(std::string_view text) {
  constexpr std::string_view states[] = {"1: DOWN", "2: INIT", "3: ARMED", "5: ACTIVE_DEFER"};
  if (text == "4: ACTIVE") return NicState::active;
  for (const std::string_view state : states) {
    if (text == state) return NicState::down;
  }
  return NicState::unknown;
}
constexpr NicState interface_state(std::string_view text) {
  constexpr std::string_view states[] = {"down", "lowerlayerdown", "notpresent", "dormant",
                                         "testing"};
  if (text == "up") return NicState::active;
  for (const std::string_view state : states) {
    if (text == state) return NicState::down;
  }
  return NicState::unknown;
}

constexpr LinkLayer link_layer_of(std::string_view text) {
  if (text == "InfiniBand") return LinkLayer::infiniband;
  return text == "Ethernet" ? LinkLayer::ethernet : LinkLayer::unknown;
}

/// Whether lists of NICs can hold a name: they separate by commas and colons.
constexpr bool is_nic_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.size() > 63) return false;
  for (const char c : name) {
    const char lower = to_lower(c);
    if (!is_digit(c) && (lower < 'a' || lower > 'z') && c != '_' && c != '-' && c != '.') {
      return false;
    }
  }
  return true;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_NIC_TEXT_HPP
