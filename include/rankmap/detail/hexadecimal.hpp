// SPDX-License-Identifier: MIT
// Numbers as hexadecimal digits.
#ifndef RANKMAP_DETAIL_HEXADECIMAL_HPP
#define RANKMAP_DETAIL_HEXADECIMAL_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view lower_hexadecimal = "0123456789abcdef";
inline constexpr std::string_view upper_hexadecimal = "0123456789ABCDEF";

/// Appends the lowest `digits` <= 16 digits of a number.
template <std::size_t Capacity>
constexpr StaticString<Capacity>& append_hexadecimal(
    StaticString<Capacity>& out, std::uint64_t value, unsigned digits,
    std::string_view characters = lower_hexadecimal) {
  while (digits-- != 0) out.append(characters[value >> (4 * digits) & 15U]);
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_HEXADECIMAL_HPP
