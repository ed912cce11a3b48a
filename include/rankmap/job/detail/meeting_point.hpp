// SPDX-License-Identifier: MIT
// Where the processes of a job meet, in the 32 bits that a record has for it: enough to see that
// two of them would wait for each other at different places.
#ifndef RANKMAP_JOB_DETAIL_MEETING_POINT_HPP
#define RANKMAP_JOB_DETAIL_MEETING_POINT_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

enum class AddressKind : std::uint32_t { unknown, name, number, own };

/// own: each machine means itself by it.
constexpr AddressKind address_kind(std::string_view address) {
  if (address.empty()) return AddressKind::unknown;
  if (is_own_address(address)) return AddressKind::own;
  const bool is_number = address.find(':') != std::string_view::npos ||
                         address.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? AddressKind::number : AddressKind::name;
}

/// The port in the lowest 16 bits, 0 if it is not known; above it 14 bits of a hash of the address,
/// and its kind. Of a name the first label counts: some processes have its domain, others have not.
constexpr std::uint32_t meeting_point(std::string_view address, int port) {
  const AddressKind kind = address_kind(address);
  const bool is_compared = kind == AddressKind::name || kind == AddressKind::number;
  if (kind == AddressKind::name) address = address.substr(0, address.find('.'));
  StaticString<255> lower;
  for (const char c : address) lower.append(to_lower(c));
  const std::uint64_t digest = is_compared ? hash_text(lower, 0) : 0;
  return static_cast<std::uint32_t>(kind) << 30U |
         static_cast<std::uint32_t>(digest & 0x3fffU) << 16U |
         (static_cast<std::uint32_t>(port) & 0xffffU);
}
constexpr AddressKind kind_of(std::uint32_t meeting_point) {
  return static_cast<AddressKind>(meeting_point >> 30U);
}
constexpr std::uint32_t address_of(std::uint32_t meeting_point) { return meeting_point >> 16U; }
constexpr int port_of(std::uint32_t meeting_point) {
  return static_cast<int>(meeting_point & 0xffffU);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_MEETING_POINT_HPP
