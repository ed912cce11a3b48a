// SPDX-License-Identifier: MIT
// The texts of a record: short enough for its line of JSON, and safe to print, whatever bytes they
// were made from.
#ifndef RANKMAP_JOB_DETAIL_RECORD_TEXT_HPP
#define RANKMAP_JOB_DETAIL_RECORD_TEXT_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Whether a terminal shows the character in its place: no control character, no byte that is not
/// UTF-8, nothing that is invisible or turns the text around.
constexpr bool is_shown(std::uint32_t code) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  constexpr Range hidden[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x200b, 0x200f}, {0x2028, 0x202e},
      {0x2060, 0x206f}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff0, 0xffff}, {0xe0000, 0xe0fff}};
  for (const Range& range : hidden) {
    if (range.first <= code && code <= range.last) return false;
  }
  return true;
}

/// The bytes that JsonWriter needs for a character that is shown.
constexpr std::size_t json_size(std::uint32_t code) {
  if (code >= 0x10000) return 12;
  if (code >= 0x80) return 6;
  return code == '"' || code == '\\' ? 2 : 1;
}

/// Whether a record keeps `text` as it is: all of it is shown, and has `room` bytes in JSON.
constexpr bool is_recordable(std::string_view text, std::size_t room) {
  std::size_t size = 0;
  while (!text.empty()) {
    // Most texts are these alone, and a job has many texts.
    const char c = text.front();
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    const Character character = plain ? Character{} : first_character(text);
    size += plain ? 1 : json_size(character.code);
    if (size > room || !(plain || is_shown(character.code))) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

/// `text` as a record keeps it. One that is too long or has bytes that cannot be shown is its
/// beginning, '~' and a hash of all of it: still different from every other text. What cannot be
/// shown is '?' there.
template <std::size_t Capacity>
constexpr StaticString<Capacity> recorded(std::string_view text) {
  constexpr std::size_t tail = 17;
  static_assert(Capacity > tail);
  if (is_recordable(text, Capacity)) return text;
  StaticString<Capacity> out;
  std::size_t size = tail;
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = first_character(rest);
    const bool shown = is_shown(character.code);
    size += shown ? json_size(character.code) : 1;
    if (size > Capacity) break;
    out.append(shown ? rest.substr(0, character.bytes) : std::string_view("?"));
    rest.remove_prefix(character.bytes);
  }
  return append_hexadecimal(out.append('~'), machine_identity(text), 16);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_TEXT_HPP
