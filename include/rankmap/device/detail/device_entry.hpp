// SPDX-License-Identifier: MIT
// One entry of a visibility variable: a number as this vendor writes it, or a name.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_ENTRY_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_ENTRY_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/detail/visibility_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The number that the whole entry spells in this vendor's way, or -1. No machine has so many
/// devices that an int cannot count them: such a number is as bad as a word. `rest`: the characters
/// that are not read.
RANKMAP_RARE constexpr int entry_number(Digits digits, std::string_view text, std::size_t& rest) {
  if (digits == Digits::none) return -1;
  const bool takes_sign = digits == Digits::leading || digits == Digits::any_base;
  const bool is_negative = takes_sign && text.starts_with('-');
  if (is_negative || (takes_sign && text.starts_with('+'))) text.remove_prefix(1);
  const bool is_padded = text.size() > 1 && text.front() == '0';
  if (is_padded && digits == Digits::canonical) return -1;
  unsigned base = 10;
  if (is_padded && digits == Digits::any_base) {
    const bool is_hexadecimal = text[1] == 'x' || text[1] == 'X';
    base = is_hexadecimal ? 16 : 8;
    if (is_hexadecimal) text.remove_prefix(2);
  }
  constexpr std::int64_t too_large = std::int64_t{INT32_MAX} + 1;
  std::int64_t value = 0;
  std::size_t used = 0;
  for (; used != text.size() && hex_value(text[used]) < base; ++used) {
    value = value * base + hex_value(text[used]);
    if (value > too_large) value = too_large;
  }
  rest = text.size() - used;
  if (used == 0 || value == too_large || (is_negative && value > 0)) return -1;
  return rest != 0 && digits != Digits::leading ? -1 : static_cast<int>(value);
}

/// Whether an entry is a name and not a number.
constexpr bool names_device(Uuid uuid, std::string_view text) {
  if (uuid == Uuid::rocr) {
    return text.size() >= 5 && text.size() <= 20 && equal_ignoring_case(text.substr(0, 4), "GPU-");
  }
  if (uuid == Uuid::hip) return text.find("GPU-") != std::string_view::npos;
  // of CUDA's, the first entry decides for the whole list
  return uuid == Uuid::exact && text.size() >= 36 && text.find('-') != std::string_view::npos;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_ENTRY_HPP
