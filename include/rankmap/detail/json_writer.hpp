// SPDX-License-Identifier: MIT
// Writes JSON to any callable with a std::string_view as argument: one line of printable ASCII,
// whatever bytes the texts hold. It is written in pieces, so nothing is allocated.
#ifndef RANKMAP_DETAIL_JSON_WRITER_HPP
#define RANKMAP_DETAIL_JSON_WRITER_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Writes the commas; the caller balances begin() and end().
template <class Out>
class JsonWriter {
 public:
  constexpr explicit JsonWriter(Out& out) : out_(out) {}

  constexpr JsonWriter& begin(std::string_view bracket) {
    separate();
    out_(bracket);
    return *this;
  }
  constexpr JsonWriter& end(std::string_view bracket) {
    first_ = true;  // no comma before a bracket that closes
    return word(bracket);
  }
  /// The name of what comes next.
  constexpr JsonWriter& key(std::string_view name) {
    string(name);
    out_(std::string_view(":"));
    first_ = true;
    return *this;
  }

  /// A value that is JSON already.
  constexpr JsonWriter& word(std::string_view text) {
    separate();
    out_(text);
    first_ = false;
    return *this;
  }
  constexpr JsonWriter& null() { return word("null"); }
  constexpr JsonWriter& boolean(bool value) { return word(value ? "true" : "false"); }
  constexpr JsonWriter& number(std::int64_t value) {
    return word(StaticString<24>().append_number(value).view());
  }
  /// Characters outside printable ASCII become \uNNNN; bytes that are not UTF-8 become U+FFFD.
  constexpr JsonWriter& string(std::string_view text) {
    separate();
    out_(std::string_view("\""));
    write_escaped(out_, text, "\"\\", [this](std::uint32_t code) { escape(code); });
    return word("\"");
  }

  // ---- members: a name and its value -----------------------------------------------------------

  constexpr JsonWriter& member(std::string_view name, std::optional<int> value) {
    key(name);
    return value ? number(*value) : null();
  }
  /// An empty text is written as null.
  constexpr JsonWriter& member(std::string_view name, std::string_view text) {
    key(name);
    return text.empty() ? null() : string(text);
  }
  /// Begins the object of this name; returns false where it writes null in its place.
  constexpr bool begin_member(std::string_view name, bool is_known) {
    key(name);
    (void)(is_known ? begin("{") : null());
    return is_known;
  }
  constexpr JsonWriter& flag(std::string_view name, bool value) { return key(name).boolean(value); }

 private:
  constexpr void separate() {
    if (!first_) out_(std::string_view(","));
    first_ = true;
  }
  constexpr void escape(std::uint32_t code) {
    if (code == '"' || code == '\\') {
      out_(code == '"' ? std::string_view("\\\"") : std::string_view("\\\\"));
      return;
    }
    if (code >= 0x10000) {
      unit(0xd800 + ((code - 0x10000) >> 10U));
      unit(0xdc00 + (code & 0x3ffU));
    } else {
      unit(code);
    }
  }
  constexpr void unit(std::uint32_t code) {
    StaticString<6> text("\\u");
    out_(append_hexadecimal(text, code, 4).view());
  }

  Out& out_;
  bool first_ = true;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_JSON_WRITER_HPP
