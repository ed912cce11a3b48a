// SPDX-License-Identifier: MIT
//
// Text without <string>: std::string is neither constexpr on every supported compiler nor cheap to
// include, and most texts here (a variable's name, a host's name, a message) are short.
#ifndef RANKMAP_STATIC_STRING_HPP
#define RANKMAP_STATIC_STRING_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// Text of at most `Capacity` bytes held in place; trivially copyable, usable in constant
/// expressions. What does not fit is cut and `cut()` says so: nothing here ever allocates.
template <std::size_t Capacity>
class StaticString {
 public:
  constexpr StaticString() = default;
  constexpr StaticString(std::string_view text) { append(text); }  // NOLINT: a text is a text
  constexpr StaticString(const char* text) : StaticString(std::string_view(text)) {}  // NOLINT

  constexpr std::string_view view() const { return {data_, size_}; }
  constexpr operator std::string_view() const { return view(); }  // NOLINT
  constexpr const char* c_str() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool cut() const { return cut_; }

  constexpr StaticString& append(std::string_view text) {
    for (const char c : text) append(c);
    return *this;
  }
  constexpr StaticString& append(char c) {
    if (size_ == Capacity) {
      cut_ = true;
    } else {
      data_[size_++] = c;
    }
    return *this;
  }
  constexpr StaticString& append_number(std::uint64_t value) {
    char digits[20] = {};
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (count != 0) append(digits[--count]);
    return *this;
  }
  constexpr StaticString& append_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value < 0) append('-');
    return append_number(value < 0 ? std::uint64_t{0} - bits : bits);
  }
  // std::size_t is one of the two above on some platforms and neither on others
  template <class Integer>
  requires std::is_integral_v<Integer>
  constexpr StaticString& append_number(Integer value) {
    if constexpr (std::is_signed_v<Integer>) {
      return append_number(static_cast<std::int64_t>(value));
    } else {
      return append_number(static_cast<std::uint64_t>(value));
    }
  }

  friend constexpr bool operator==(const StaticString& a, std::string_view b) {
    return a.view() == b;
  }
  friend constexpr bool operator==(const StaticString& a, const StaticString& b) {
    return a.view() == b.view();
  }
  // a literal converts to both of the above
  friend constexpr bool operator==(const StaticString& a, const char* b) { return a.view() == b; }

 private:
  char data_[Capacity + 1] = {};  // one more than shown, so that c_str() always ends in NUL
  std::size_t size_ = 0;
  bool cut_ = false;
};

namespace detail {

/// The bytes that append_escaped makes of one.
constexpr std::size_t escaped_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') return 2;
  return byte < 0x20 || byte > 0x7e ? 4 : 1;
}

/// Appends `text` so that it can stand in a one-line message: bytes outside printable ASCII become
/// \xNN, quotes and backslashes are escaped, and what is longer than `limit` bytes or than the room
/// that is left is cut, never inside an escape, with the full length told. Hostile bytes never
/// reach a terminal or a log unescaped.
template <std::size_t Capacity>
constexpr void append_escaped(StaticString<Capacity>& out, std::string_view text,
                              std::size_t limit = 64) {
  constexpr std::string_view hex = "0123456789abcdef";
  const std::size_t room = Capacity - out.size();
  StaticString<39> note("... (");
  note.append_number(std::uint64_t{text.size()}).append(" bytes)");

  std::size_t fits = 0;            // bytes that fit alone
  std::size_t fits_with_note = 0;  // ... and beside the note
  for (std::size_t used = 0; fits != text.size() && fits != limit;) {
    used += escaped_size(text[fits]);
    if (used > room) break;
    ++fits;
    if (used + note.size() <= room) fits_with_note = fits;
  }
  const bool whole = fits == text.size();
  for (const char c : text.substr(0, whole ? fits : fits_with_note)) {
    const auto byte = static_cast<unsigned char>(c);
    switch (escaped_size(c)) {
      case 1:
        out.append(c);
        break;
      case 2:
        out.append('\\').append(c);
        break;
      default:
        out.append("\\x").append(hex[byte >> 4U]).append(hex[byte & 15U]);
    }
  }
  if (!whole) out.append(note);
}

/// What is_host_text asks for, beside the room that a host is given.
inline constexpr std::string_view host_expectation = "a host of 1 to 255 bytes without blanks";

/// Whether a text can be a host's name or address: no blank or control byte, such as a file with
/// CRLF leaves, and not empty. Which of its letters a resolver takes is not asked.
constexpr bool is_host_text(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f) return false;
  }
  return !text.empty();
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

/// Joins pieces of text and numbers: `concat<64>("a number in [0, ", 4, ")")`.
template <std::size_t Capacity, class... Piece>
constexpr StaticString<Capacity> concat(const Piece&... pieces) {
  StaticString<Capacity> out;
  (append_piece(out, pieces), ...);
  return out;
}

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_STATIC_STRING_HPP
