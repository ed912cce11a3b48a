// SPDX-License-Identifier: MIT
// Lengths of samples in whole parts of a row: every rank and platform packs whole numbers alike.
#ifndef RANKMAP_SAMPLER_DETAIL_ROW_UNITS_HPP
#define RANKMAP_SAMPLER_DETAIL_ROW_UNITS_HPP

#include <rankmap/detail/finite.hpp>
#include <rankmap/static_string.hpp>

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0::detail {

/// The units of what is no length; more than any row.
inline constexpr std::uint32_t no_length = UINT32_MAX;
/// The units of what is longer than any row.
inline constexpr std::uint32_t longer_than_rows = UINT32_MAX - 1;

/// A finite number from 0 on, with the fewest decimals that tell it from every other double. Below
/// 2^-7 and from 2^64 on it is a multiple of a power of two.
RANKMAP_RARE constexpr StaticString<31> shortest_text(double number) {
  int exponent = 0;
  for (; number >= 0x1p64; ++exponent) number /= 2;
  for (; number != static_cast<double>(static_cast<std::uint64_t>(number)); --exponent) number *= 2;
  const auto whole = static_cast<std::uint64_t>(number);
  const int bits = static_cast<int>(std::bit_width(whole)) + exponent;  // before the point
  StaticString<31> out;
  if (exponent > 0 || bits < -6) {
    return out.append_number(whole).append(" * 2^").append_number(exponent);
  }
  out.append_number(whole >> -exponent);
  if (exponent == 0) return out;
  out.append('.');
  // In units of 2^-60: the rest of the number, and half of the distance to the next double.
  constexpr std::uint64_t one = std::uint64_t{1} << 60U;
  std::uint64_t rest = (whole << (60 + exponent)) % one;
  std::uint64_t half = std::uint64_t{1} << (bits + 6);
  for (bool ends = false; !ends;) {
    rest *= 10;
    half *= 10;
    const auto digit = static_cast<char>(rest / one);
    rest %= one;
    ends = rest < half || rest + half > one;
    out.append(static_cast<char>('0' + digit + (ends && rest > one / 2 ? 1 : 0)));
  }
  return out;
}

/// Units of a row for lengths of type `Length`: integers are taken as they are, floating-point
/// numbers are scaled by a power of two, which is exact, and rounded up.
template <class Length>
class RowUnits {
  static constexpr bool is_floating = std::is_floating_point_v<Length>;
  static constexpr std::uint32_t most = std::uint32_t{1} << 31U;

 public:
  static constexpr std::string_view range_of_row =
      is_floating ? "a number from 1e-200 to 1e200" : "1 to 2^31";

  template <class Row>
  constexpr explicit RowUnits(const Row& row) {
    static_assert(std::is_arithmetic_v<Row> && (is_floating || std::is_integral_v<Row>),
                  "the row of lengths in whole numbers is a whole number");
    if constexpr (is_floating) {
      exact_ = static_cast<double>(row);
      if (!is_finite(exact_) || exact_ < 1e-200 || exact_ > 1e200) return;
      double scaled = exact_;
      for (; scaled >= most; scaled /= 2) scale_ /= 2;
      for (; scaled < most / 2; scaled *= 2) scale_ *= 2;
      row_ = static_cast<std::uint32_t>(scaled);
    } else if (std::in_range<std::uint32_t>(row) && static_cast<std::uint32_t>(row) <= most) {
      row_ = static_cast<std::uint32_t>(row);
    }
  }

  /// The units of the row, or 0 if the row is not in range_of_row.
  constexpr std::uint32_t row() const { return row_; }

  /// The units of a length, or no_length or longer_than_rows.
  constexpr std::uint32_t of(const Length& length) const {
    if constexpr (is_floating) {
      const auto exact = static_cast<double>(length);
      if (!is_finite(exact) || exact < 0) return no_length;
      if (exact > exact_) return longer_than_rows;
      const double scaled = exact * scale_;
      const auto whole = static_cast<std::uint32_t>(scaled);
      // Rounded up, but to no more than a row, in which this length fits alone.
      return whole < row_ && static_cast<double>(whole) < scaled ? whole + 1 : whole;
    } else {
      if (!std::in_range<std::uint64_t>(length)) return no_length;
      const auto whole = static_cast<std::uint64_t>(length);
      return whole <= row_ ? static_cast<std::uint32_t>(whole) : longer_than_rows;
    }
  }

  /// A length or a row in messages.
  template <class Number>
  static constexpr StaticString<31> text(const Number& number) {
    if constexpr (std::is_floating_point_v<Number>) {
      const auto exact = static_cast<double>(number);
      if (!is_finite(exact)) return "not a finite number";
      if (exact < 0) return "a negative number";
      return shortest_text(exact);
    } else {
      return StaticString<31>().append_number(number);
    }
  }

 private:
  double exact_ = 0;
  double scale_ = 1;
  std::uint32_t row_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_ROW_UNITS_HPP
