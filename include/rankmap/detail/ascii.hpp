// SPDX-License-Identifier: MIT
// Characters of ASCII. The functions of <cctype> are not constexpr and ask the user's locale.
#ifndef RANKMAP_DETAIL_ASCII_HPP
#define RANKMAP_DETAIL_ASCII_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

RANKMAP_NOINLINE constexpr std::size_t decimal_digits(std::uint64_t value) {
  std::size_t count = 1;
  for (; value >= 10; value /= 10) ++count;
  return count;
}

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool is_letter(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }

/// Whether a text has only letters, digits and these other characters.
constexpr bool is_plain(std::string_view text, std::string_view others) {
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && others.find(c) == std::string_view::npos) return false;
  }
  return true;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

/// The value of a hexadecimal digit, or 16.
constexpr unsigned hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 16;
}

constexpr bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// What isspace() names in the C locale.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_ASCII_HPP
