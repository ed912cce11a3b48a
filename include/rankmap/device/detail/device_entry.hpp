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

/// Digits of `base` up to the first other character; -1 if there is none or the number does not fit
/// an int (no machine has that many devices, so it is as bad as a word). `used` is their number.
constexpr int leading_number(std::string_view text, unsigned base, std::size_t& used) {
  std::int64_t value = 0;
  bool fits = true;
  used = 0;
  for (; used != text.size() && hex_value(text[used]) < base; ++used) {
    value = value * base + hex_value(text[used]);
    if (value > INT32_MAX) {
      fits = false;
      value = 0;
    }
  }
  return used != 0 && fits ? static_cast<int>(value) : -1;
}

/// The number that the whole entry spells in this vendor's way, or -1. `rest`: the characters that
/// are not read.
RANKMAP_RARE constexpr int entry_number(Digits digits, std::string_view text, std::size_t& rest) {
  rest = 0;
  if (digits == Digits::none) return -1;
  bool negative = false;
  if (digits == Digits::leading || digits == Digits::any_base) {
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
      negative = text.front() == '-';
      text.remove_prefix(1);
    }
  }
  unsigned base = 10;
  if (digits == Digits::any_base && text.size() > 1 && text.front() == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X';
    base = hex ? 16 : 8;
    if (hex) text.remove_prefix(2);
  }
  if (digits == Digits::canonical && text.size() > 1 && text.front() == '0') return -1;
  std::size_t used = 0;
  const int value = leading_number(text, base, used);
  if (digits != Digits::leading && used != text.size()) return -1;
  rest = text.size() - used;
  return negative && value > 0 ? -1 : value;
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
