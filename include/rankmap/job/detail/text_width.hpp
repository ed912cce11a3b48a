// SPDX-License-Identifier: MIT
// How wide a terminal shows a text: characters of East Asia take two columns, accents none.
#ifndef RANKMAP_JOB_DETAIL_TEXT_WIDTH_HPP
#define RANKMAP_JOB_DETAIL_TEXT_WIDTH_HPP

#include <rankmap/detail/utf8.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The columns of a character. Source: Unicode's EastAsianWidth, wide and fullwidth, by blocks.
constexpr std::size_t width_of(std::uint32_t code) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
    std::size_t width;
  };
  constexpr Range ranges[] = {
      {0x300, 0x36f, 0},     {0x1100, 0x115f, 2}, {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
      {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2}, {0x3041, 0xa4cf, 2},   {0xa960, 0xa97f, 2},
      {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2}, {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},
      {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
      {0x20000, 0x3fffd, 2},
  };
  for (const Range& range : ranges) {
    if (range.first <= code && code <= range.last) return range.width;
  }
  return 1;
}

/// The columns of a text.
constexpr std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

/// The beginning of a text that is not wider than `width`, with '~' at its end if it is cut.
template <std::size_t Capacity>
constexpr StaticString<Capacity> cut_to(std::string_view text, std::size_t width) {
  StaticString<Capacity> out;
  const bool fits = text.size() <= Capacity && width_of(text) <= width;
  std::size_t left = fits ? width : width - 1;
  std::size_t room = fits ? Capacity : Capacity - 1;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t columns = width_of(character.code);
    if (columns > left || character.bytes > room) break;
    out.append(text.substr(0, character.bytes));
    left -= columns;
    room -= character.bytes;
    text.remove_prefix(character.bytes);
  }
  if (!fits) out.append('~');
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_TEXT_WIDTH_HPP
