// SPDX-License-Identifier: MIT
// The one numeric parser. std::from_chars is not constexpr in C++20, and the C parsers accept
// blanks, signs, other bases and the user's locale, all of which turn a broken variable into a
// wrong rank.
#ifndef RANKMAP_DETAIL_PARSE_NUMBER_HPP
#define RANKMAP_DETAIL_PARSE_NUMBER_HPP

#include <rankmap/detail/ascii.hpp>

#include <cstddef>
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
  std::uint64_t value = 0;  ///< 0 unless state == ok
  constexpr explicit operator bool() const { return state == NumberState::ok; }
};

/// Reads digits from `at` on and moves `at` after the last one. False if they mean 2^64 or more.
constexpr bool read_digits(std::string_view text, std::size_t& at, std::uint64_t& value) {
  bool fits = true;
  value = 0;
  for (; at != text.size() && is_digit(text[at]); ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    fits = fits && value <= (UINT64_MAX - digit) / 10;
    value = value * 10 + digit;  // wraps where it does not fit; the value is then not used
  }
  return fits;
}

/// Decimal digits only: no sign, no blanks, no base, no locale. O(length).
RANKMAP_NOINLINE constexpr Number parse_number(std::string_view text) {
  if (text.empty()) return {};
  const bool negative = text.size() > 1 && text.front() == '-';
  std::size_t at = negative ? 1 : 0;
  std::uint64_t value = 0;
  const bool fits = read_digits(text, at, value);
  if (at != text.size()) return {NumberState::malformed};
  if (negative) return {NumberState::negative};
  if (!fits) return {NumberState::too_large};
  return {NumberState::ok, value};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PARSE_NUMBER_HPP
