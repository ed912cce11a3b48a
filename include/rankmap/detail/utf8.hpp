// SPDX-License-Identifier: MIT
// UTF-8, read strictly: a name from the environment may be any bytes, while JSON and XML hold
// characters only.
#ifndef RANKMAP_DETAIL_UTF8_HPP
#define RANKMAP_DETAIL_UTF8_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Written in place of bytes that are no character.
inline constexpr std::uint32_t replacement_character = 0xfffd;

struct Character {
  std::uint32_t code = replacement_character;
  std::size_t bytes = 1;  ///< of its encoding
};

/// The character at the front of a text that is not empty. Overlong forms, surrogates, codes beyond
/// U+10FFFF and cut or stray bytes are one replacement character for each byte.
constexpr Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t head = byte(0);
  if (head < 0x80) return {head, 1};
  if (head < 0xc2 || head > 0xf4) return {};
  const std::size_t size = head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
  if (text.size() < size) return {};
  std::uint32_t code = head & (0xffU >> (size + 1));
  for (std::size_t i = 1; i != size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[size] || code > 0x10ffff || surrogate) return {};
  return {code, size};
}

/// Writes `text` to `out` in pieces: printable ASCII unchanged, except for the characters of
/// `special`. All other characters go to `escape` as codes.
template <class Out, class Escape>
constexpr void write_escaped(Out& out, std::string_view text, std::string_view special,
                             const Escape& escape) {
  std::size_t plain = 0;  // bytes that need no escape
  while (plain != text.size()) {
    const char c = text[plain];
    if (c >= ' ' && c <= '~' && special.find(c) == std::string_view::npos) {
      ++plain;
      continue;
    }
    if (plain != 0) out(text.substr(0, plain));
    const Character character = first_character(text.substr(plain));
    escape(character.code);
    text.remove_prefix(plain + character.bytes);
    plain = 0;
  }
  if (plain != 0) out(text);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_UTF8_HPP
