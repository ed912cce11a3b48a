// SPDX-License-Identifier: MIT
// A strict reader of JSON (RFC 8259) for the few variables and files that hold it. The whole text
// is validated once, within bounds on size and depth; reading then cannot fail or allocate.
#ifndef RANKMAP_DETAIL_JSON_READER_HPP
#define RANKMAP_DETAIL_JSON_READER_HPP

#include <rankmap/detail/json_grammar.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

struct JsonLimits {
  std::size_t max_bytes = std::size_t{64} << 20U;
  int max_depth = 32;
};

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// The position after the value that begins at `at` of a validated text.
RANKMAP_RARE constexpr std::size_t json_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  do {
    const char c = text[at++];
    if (c == '"') {
      for (; text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (depth == 0) {
      while (at != text.size() && !is_json_blank(text[at]) && text[at] != ',' && text[at] != ']' &&
             text[at] != '}') {
        ++at;
      }
    }
  } while (depth != 0);
  return at;
}

/// The bytes of a string in a validated text, with its escapes resolved.
class JsonBytes {
 public:
  /// `at`: behind the opening quote.
  constexpr JsonBytes(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  /// False at the end, and at an escape that means no character (half a surrogate pair).
  constexpr bool next(char& byte) {
    if (tail_ != 0) {
      --tail_;
      byte = static_cast<char>(0x80U | (code_ >> (6 * tail_) & 0x3fU));
      return true;
    }
    if (text_[at_] == '"') return false;
    byte = text_[at_++];
    return byte != '\\' || escape(byte);
  }
  constexpr bool is_at_end() const { return tail_ == 0 && is_good_ && text_[at_] == '"'; }

 private:
  RANKMAP_RARE constexpr bool escape(char& byte) {
    constexpr std::string_view letters = "bfnrt";
    constexpr std::string_view meanings = "\b\f\n\r\t";
    byte = text_[at_++];
    if (byte != 'u') {
      const std::size_t letter = letters.find(byte);
      if (letter != std::string_view::npos) byte = meanings[letter];
      return true;
    }
    code_ = hex_quad(text_, at_);
    at_ += 4;
    if (code_ >= 0xd800 && code_ < 0xdc00 && text_[at_] == '\\' && text_[at_ + 1] == 'u') {
      const std::uint32_t low = hex_quad(text_, at_ + 2);
      is_good_ = low >= 0xdc00 && low <= 0xdfff;
      code_ = 0x10000 + ((code_ - 0xd800) << 10U | (low - 0xdc00));
      at_ += 6;
    } else {
      is_good_ = code_ < 0xd800 || code_ > 0xdfff;
    }
    constexpr std::uint32_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    tail_ = code_ < 0x80 ? 0 : code_ < 0x800 ? 1 : code_ < 0x10000 ? 2 : 3;
    byte = static_cast<char>(heads[tail_] | code_ >> (6 * tail_));
    return is_good_;
  }

  std::string_view text_;
  std::size_t at_;
  std::uint32_t code_ = 0;  // of the last \u
  unsigned tail_ = 0;       // its bytes of UTF-8 that are still to come
  bool is_good_ = true;
};

class JsonItems;

/// One value in a validated text, which must outlive it.
class Json {
 public:
  /// Validates all of `text`. Errors: `bad_json` with the byte where it stops being JSON,
  /// `limit_exceeded` beyond the limits. O(length); the depth bounds the recursion.
  RANKMAP_RARE static constexpr Result<Json> parse(std::string_view text, std::string_view subject,
                                                   JsonLimits limits = {}) {
    constexpr std::string_view remedy = "correct the JSON, or unset it";
    if (text.size() > limits.max_bytes) {
      return error_at(Errc::limit_exceeded, subject, text,
                      concat("at most ", std::uint64_t{limits.max_bytes}, " bytes"), remedy);
    }
    JsonCheck check(text, limits.max_depth);
    if (!check.document()) {
      return error_at(check.too_deep() ? Errc::limit_exceeded : Errc::bad_json, subject, text,
                      check.expected(), remedy, check.position());
    }
    return Json(text, skip_json_blanks(text, 0));
  }

  constexpr Json() = default;

  constexpr std::size_t position() const { return at_; }
  RANKMAP_NOINLINE constexpr JsonKind kind() const {
    const char c = text_[at_];
    if (c == '{') return JsonKind::object;
    if (c == '[') return JsonKind::array;
    if (c == '"') return JsonKind::string;
    if (c == 't' || c == 'f') return JsonKind::boolean;
    return c == 'n' ? JsonKind::null : JsonKind::number;
  }
  constexpr bool is(JsonKind kind_wanted) const { return kind() == kind_wanted; }

  /// The elements of an array, in order. Of another value: none.
  constexpr JsonItems elements() const;
  /// The members of an object, in order. Of another value: none.
  constexpr JsonItems members() const;

  /// The member of this name. Nothing if this is no object or has none. Nothing if it has two,
  /// since readers of JSON differ on which one counts.
  constexpr TrivialOptional<Json> member(std::string_view wanted) const;
  /// The first position where one of these names is repeated, for readers to whom a missing member
  /// has a meaning.
  constexpr std::optional<std::size_t> repeat(std::initializer_list<std::string_view> names) const;

  /// Whether this is a string with this text.
  RANKMAP_RARE constexpr bool equals(std::string_view wanted) const {
    if (!is(JsonKind::string)) return false;
    JsonBytes bytes(text_, at_ + 1);
    std::size_t same = 0;
    for (char c = 0; bytes.next(c); ++same) {
      if (same == wanted.size() || wanted[same] != c) return false;
    }
    return bytes.is_at_end() && same == wanted.size();
  }

  /// The text of a string. Nothing for other kinds, longer text and escapes that mean no character.
  template <std::size_t Capacity>
  constexpr Optional<StaticString<Capacity>> string() const {
    if (!is(JsonKind::string)) return std::nullopt;
    StaticString<Capacity> out;
    JsonBytes bytes(text_, at_ + 1);
    for (char c = 0; !out.cut() && bytes.next(c);) out.append(c);
    if (out.cut() || !bytes.is_at_end()) return std::nullopt;
    return out;
  }

  /// A number of decimal digits alone, or a string of them (some writers quote every value).
  RANKMAP_RARE constexpr Number integer() const {
    if (is(JsonKind::number)) return parse_number(raw());
    if (const auto quoted = string<20>()) return parse_number(quoted->view());
    return {};
  }

  /// The text of the value.
  constexpr std::string_view raw() const { return text_.substr(at_, json_end(text_, at_) - at_); }

 private:
  friend class JsonItems;
  constexpr Json(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::string_view text_ = "null";
  std::size_t at_ = 0;
};

/// `for (JsonItems members = json.members(); members.next();)`: what an array or an object has.
class JsonItems {
 public:
  RANKMAP_RARE constexpr bool next() {
    at_ = skip_json_blanks(text_, at_);
    if (at_ == text_.size() || text_[at_] == ']' || text_[at_] == '}') return false;
    if (text_[at_] == ',') at_ = skip_json_blanks(text_, at_ + 1);
    name_ = at_;
    if (has_names_) {
      const std::size_t colon = skip_json_blanks(text_, json_end(text_, at_));
      at_ = skip_json_blanks(text_, colon + 1);
    }
    value_ = at_;
    at_ = json_end(text_, at_);
    return true;
  }
  /// Of the member that next() came to.
  constexpr Json name() const { return Json(text_, name_); }
  /// The element that next() came to, or the value of the member.
  constexpr Json value() const { return Json(text_, value_); }

 private:
  friend class Json;
  constexpr JsonItems(const Json& of, JsonKind kind)
      : text_(of.text_),
        at_(of.is(kind) ? of.at_ + 1 : of.text_.size()),
        has_names_(kind == JsonKind::object) {}

  std::string_view text_;
  std::size_t at_;
  std::size_t name_ = 0;
  std::size_t value_ = 0;
  bool has_names_;
};

constexpr JsonItems Json::elements() const { return {*this, JsonKind::array}; }
constexpr JsonItems Json::members() const { return {*this, JsonKind::object}; }

constexpr TrivialOptional<Json> Json::member(std::string_view wanted) const {
  TrivialOptional<Json> found;
  for (JsonItems items = members(); items.next();) {
    if (!items.name().equals(wanted)) continue;
    if (found) return std::nullopt;
    found = items.value();
  }
  return found;
}

constexpr std::optional<std::size_t> Json::repeat(
    std::initializer_list<std::string_view> names) const {
  std::optional<std::size_t> first;
  for (const std::string_view name : names) {
    bool seen = false;
    for (JsonItems items = members(); items.next();) {
      if (!items.name().equals(name)) continue;
      if (seen && (!first || items.name().position() < *first)) first = items.name().position();
      seen = true;
    }
  }
  return first;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_JSON_READER_HPP
