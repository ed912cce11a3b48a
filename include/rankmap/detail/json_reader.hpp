// SPDX-License-Identifier: MIT
// A strict reader of JSON (RFC 8259) for the few variables and files that hold it. The whole text
// is validated once, within bounds on size and depth. After that it is only viewed: reading cannot
// fail and allocates nothing.
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
#include <utility>

namespace rankmap::inline v0::detail {

struct JsonLimits {
  std::size_t max_bytes = std::size_t{64} << 20U;
  int max_depth = 32;
};

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// One value in a validated text, which must outlive it.
class Json {
  // Deduced or instantiated below, and therefore first.
  // The position after the value.
  constexpr std::size_t end() const {
    std::size_t depth = 0;
    std::size_t i = at_;
    do {
      const char c = text_[i];
      if (c == '"') {
        for (++i; text_[i] != '"'; ++i) {
          if (text_[i] == '\\') ++i;
        }
        ++i;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++i;
      } else if (c == '}' || c == ']') {
        --depth;
        ++i;
      } else if (depth != 0) {
        ++i;
      } else {
        while (i != text_.size() && !is_json_blank(text_[i]) && text_[i] != ',' &&
               text_[i] != ']' && text_[i] != '}') {
          ++i;
        }
      }
    } while (depth != 0);
    return i;
  }

  template <class Take>
  static constexpr bool take_utf8(Take&& take, std::uint32_t code) {
    if (code < 0x80) return take(static_cast<char>(code));
    const unsigned tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::uint32_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    if (!take(static_cast<char>(heads[tail] | code >> (6 * tail)))) return false;
    for (unsigned k = tail; k-- != 0;) {
      if (!take(static_cast<char>(0x80U | (code >> (6 * k) & 0x3fU)))) return false;
    }
    return true;
  }
  // Passes the bytes of a string to `take` until it returns false.
  template <class Take>
  constexpr bool decode(Take&& take) const {
    if (!is(JsonKind::string)) return false;
    for (std::size_t i = at_ + 1; text_[i] != '"'; ++i) {
      if (text_[i] != '\\') {
        if (!take(text_[i])) return false;
        continue;
      }
      ++i;
      constexpr std::string_view letters = "bfnrt";
      constexpr std::string_view meanings = "\b\f\n\r\t";
      if (text_[i] != 'u') {
        const std::size_t letter = letters.find(text_[i]);
        if (!take(letter == std::string_view::npos ? text_[i] : meanings[letter])) return false;
        continue;
      }
      std::uint32_t code = hex_quad(text_, i + 1);
      i += 4;
      if (code >= 0xdc00 && code < 0xe000) return false;
      if (code >= 0xd800 && code < 0xdc00) {
        if (text_[i + 1] != '\\' || text_[i + 2] != 'u') return false;
        const std::uint32_t low = hex_quad(text_, i + 3);
        if (low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code - 0xd800) << 10U | (low - 0xdc00));
        i += 6;
      }
      if (!take_utf8(take, code)) return false;
    }
    return true;
  }

 public:
  /// Validates all of `text`. Errors: `bad_json` with the byte where it stops being JSON,
  /// `limit_exceeded` beyond the limits. O(length); the depth bounds the recursion.
  static constexpr Result<Json> parse(std::string_view text, std::string_view subject,
                                      JsonLimits limits = {}) {
    constexpr std::string_view remedy = "correct the JSON, or unset it";
    if (text.size() > limits.max_bytes) {
      return error_at(Errc::limit_exceeded, subject, text,
                      concat<159>("at most ", std::uint64_t{limits.max_bytes}, " bytes").view(),
                      remedy);
    }
    JsonCheck check(text, limits.max_depth);
    if (!check.document()) {
      return error_at(check.too_deep() ? Errc::limit_exceeded : Errc::bad_json, subject, text,
                      check.expected(), remedy, static_cast<std::int64_t>(check.position()));
    }
    return Json(text, skip_json_blanks(text, 0));
  }

  constexpr Json() = default;

  constexpr std::size_t position() const { return at_; }
  constexpr JsonKind kind() const {
    switch (text_[at_]) {
      case '{':
        return JsonKind::object;
      case '[':
        return JsonKind::array;
      case '"':
        return JsonKind::string;
      case 't':
      case 'f':
        return JsonKind::boolean;
      case 'n':
        return JsonKind::null;
      default:
        return JsonKind::number;
    }
  }
  constexpr bool is(JsonKind kind_wanted) const { return kind() == kind_wanted; }

  /// Calls `visit(Json)` for the elements of an array in order, until one call returns false.
  /// Returns whether none did. An empty array, and a value that is no array, visit nothing.
  template <class Visit>
  constexpr bool for_each(Visit&& visit) const {
    if (!is(JsonKind::array)) return true;
    std::size_t i = skip_json_blanks(text_, at_ + 1);
    while (text_[i] != ']') {
      const Json element(text_, i);
      if (!visit(element)) return false;
      i = skip_json_blanks(text_, element.end());
      if (text_[i] == ',') i = skip_json_blanks(text_, i + 1);
    }
    return true;
  }
  /// The same for the members of an object: `visit(Json name, Json value)`.
  template <class Visit>
  constexpr bool for_each_member(Visit&& visit) const {
    if (!is(JsonKind::object)) return true;
    std::size_t i = skip_json_blanks(text_, at_ + 1);
    while (text_[i] != '}') {
      const Json member_name(text_, i);
      i = skip_json_blanks(text_, skip_json_blanks(text_, member_name.end()) + 1);
      const Json member_value(text_, i);
      if (!visit(member_name, member_value)) return false;
      i = skip_json_blanks(text_, member_value.end());
      if (text_[i] == ',') i = skip_json_blanks(text_, i + 1);
    }
    return true;
  }

  /// The member of this name. Nothing if there is none or this is no object, or if there are two,
  /// since readers of JSON differ on which one counts.
  constexpr TrivialOptional<Json> member(std::string_view wanted) const {
    TrivialOptional<Json> found;
    bool twice = false;
    (void)for_each_member([&](Json member_name, Json value) {
      if (!member_name.equals(wanted)) return true;
      twice = found.has_value();
      found = value;
      return !twice;
    });
    if (twice) return std::nullopt;
    return found;
  }

  /// The position where one of these names occurs for the second time, for readers to whom a
  /// missing member has a meaning.
  constexpr std::optional<std::size_t> repeat(
      std::initializer_list<std::string_view> wanted) const {
    std::optional<std::size_t> first;
    for (const std::string_view name : wanted) {
      bool seen = false;
      (void)for_each_member([&](Json member_name, Json) {
        if (!member_name.equals(name)) return true;
        if (seen && (!first || member_name.at_ < *first)) first = member_name.at_;
        return !std::exchange(seen, true);
      });
    }
    return first;
  }

  /// Whether this is a string with this text.
  constexpr bool equals(std::string_view wanted) const {
    std::size_t same = 0;
    const bool all = decode([&](char c) {
      if (same == wanted.size() || wanted[same] != c) return false;
      ++same;
      return true;
    });
    return all && same == wanted.size();
  }

  /// The text of a string. Nothing for other kinds, for text longer than Capacity, and for escapes
  /// that mean no character (half a surrogate pair).
  template <std::size_t Capacity>
  constexpr Optional<StaticString<Capacity>> string() const {
    StaticString<Capacity> out;
    const bool all = decode([&out](char c) {
      out.append(c);
      return !out.cut();
    });
    if (!all) return std::nullopt;
    return out;
  }

  /// A number of decimal digits alone, or a string of them (some writers quote every value).
  RANKMAP_RARE constexpr Number integer() const {
    if (is(JsonKind::number)) return parse_number(raw());
    if (const auto quoted = string<20>()) return parse_number(quoted->view());
    return {};
  }

  /// The text of the value.
  constexpr std::string_view raw() const { return text_.substr(at_, end() - at_); }

 private:
  constexpr Json(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::string_view text_ = "null";
  std::size_t at_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_JSON_READER_HPP
