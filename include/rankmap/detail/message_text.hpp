// SPDX-License-Identifier: MIT
// What messages are made of: pieces of text and numbers, and text from outside, escaped.
#ifndef RANKMAP_DETAIL_MESSAGE_TEXT_HPP
#define RANKMAP_DETAIL_MESSAGE_TEXT_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// Appends the lowest `count` <= 16 hexadecimal digits of a number.
template <std::size_t Capacity>
constexpr StaticString<Capacity>& append_hexadecimal(StaticString<Capacity>& out,
                                                     std::uint64_t value, unsigned count,
                                                     std::string_view digits = "0123456789abcdef") {
  while (count-- != 0) out.append(digits[value >> (4 * count) & 15U]);
  return out;
}

/// The number of bytes that append_escaped writes for one.
constexpr std::size_t escaped_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') return 2;
  return byte < 0x20 || byte > 0x7e ? 4 : 1;
}

/// Room for 64 bytes that are all escaped, and the note.
inline constexpr std::size_t longest_escaped = 4 * 64 + 39;

/// `text` for a message of one line, in at most `room` bytes; see append_escaped.
RANKMAP_RARE constexpr StaticString<longest_escaped> escaped(std::string_view text,
                                                             std::size_t room, std::size_t limit) {
  if (room > longest_escaped) room = longest_escaped;
  StaticString<longest_escaped> out;
  StaticString<39> note("... (");
  note.append_number(std::uint64_t{text.size()}).append(" bytes)");

  std::size_t fits = 0;            // bytes that fit without the note
  std::size_t fits_with_note = 0;  // bytes that fit together with it
  for (std::size_t used = 0; fits != text.size() && fits != limit;) {
    used += escaped_size(text[fits]);
    if (used > room) break;
    ++fits;
    if (used + note.size() <= room) fits_with_note = fits;
  }
  const bool whole = fits == text.size();
  for (const char c : text.substr(0, whole ? fits : fits_with_note)) {
    const std::size_t size = escaped_size(c);
    if (size == 4) {
      append_hexadecimal(out.append("\\x"), static_cast<unsigned char>(c), 2);
    } else {
      out.append(std::string_view("\\", size - 1)).append(c);
    }
  }
  if (!whole) out.append(note);
  return out;
}

/// Appends `text` for a message of one line: bytes outside printable ASCII become \xNN, quotes and
/// backslashes are escaped. Text beyond `limit` bytes, or beyond the room that is left, is cut,
/// never inside an escape, and a note gives its full length. Hostile bytes never reach a terminal
/// or a log.
template <std::size_t Capacity>
constexpr void append_escaped(StaticString<Capacity>& out, std::string_view text,
                              std::size_t limit = 64) {
  out.append(escaped(text, Capacity - out.size(), limit));
}

template <std::size_t Capacity>
constexpr void append_piece(StaticString<Capacity>& out, std::string_view piece) {
  out.append(piece);
}
template <std::size_t Capacity, class Integer>
requires std::is_integral_v<Integer>
constexpr void append_piece(StaticString<Capacity>& out, Integer piece) {
  out.append_number(piece);
}

/// Joins pieces of text and numbers, `concat("a number in [0, ", 4, ")")`: by default in as many
/// bytes as Error::expected has.
template <std::size_t Capacity = 159, class... Piece>
constexpr StaticString<Capacity> concat(const Piece&... pieces) {
  StaticString<Capacity> out;
  (append_piece(out, pieces), ...);
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_MESSAGE_TEXT_HPP
