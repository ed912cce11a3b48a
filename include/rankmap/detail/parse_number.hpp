// SPDX-License-Identifier: MIT
//
// The one numeric parser. std::from_chars is not constexpr in C++20, and the C parsers accept
// blanks, signs, other bases and the user's locale, all of which turn a broken variable into a
// wrong rank.
#ifndef RANKMAP_DETAIL_PARSE_NUMBER_HPP
#define RANKMAP_DETAIL_PARSE_NUMBER_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

enum class NumberState : std::uint8_t {
  ok,
  empty,      ///< no text at all
  negative,   ///< '-' and digits: the historic "not distributed"
  malformed,  ///< anything but decimal digits
  too_large,  ///< digits only, but 2^64 or more
};

struct Number {
  NumberState state = NumberState::empty;
  std::uint64_t value = 0;  ///< meaningful where state == ok
  constexpr explicit operator bool() const { return state == NumberState::ok; }
};

/// Decimal digits only: no sign, no blanks, no base, no locale. O(length).
constexpr Number parse_number(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > 1 && text.front() == '-') {
    for (const char c : text.substr(1)) {
      if (c < '0' || c > '9') return {NumberState::malformed, 0};
    }
    return {NumberState::negative, 0};
  }
  std::uint64_t value = 0;
  bool fits = true;
  for (const char c : text) {
    if (c < '0' || c > '9') return {NumberState::malformed, 0};
    const auto digit = static_cast<std::uint64_t>(c - '0');
    fits = fits && value <= (UINT64_MAX - digit) / 10;
    value = value * 10 + digit;  // wraps where it does not fit; the value is then not used
  }
  if (!fits) return {NumberState::too_large, 0};
  return {NumberState::ok, value};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PARSE_NUMBER_HPP
