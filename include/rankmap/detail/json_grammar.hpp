// SPDX-License-Identifier: MIT
// The grammar of JSON (RFC 8259), as a check of a whole text.
#ifndef RANKMAP_DETAIL_JSON_GRAMMAR_HPP
#define RANKMAP_DETAIL_JSON_GRAMMAR_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::size_t skip_json_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_blank(text[at])) ++at;
  return at;
}

/// Four hexadecimal digits from `at` on, or 0x10000.
constexpr std::uint32_t hex_quad(std::string_view text, std::size_t at) {
  if (text.size() < at + 4) return 0x10000;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i != 4; ++i) {
    const unsigned digit = hex_value(text[at + i]);
    if (digit == 16) return 0x10000;
    value = value << 4U | digit;
  }
  return value;
}

/// Checks a text against the grammar. On a failure `expected` names what is missing at `position`.
class JsonCheck {
 public:
  constexpr JsonCheck(std::string_view text, int max_depth) : text_(text), depth_left_(max_depth) {}

  constexpr bool document() {
    return value() && (at_ == text_.size() || miss("nothing after the value"));
  }
  constexpr std::size_t position() const { return at_; }
  constexpr std::string_view expected() const { return expected_; }
  constexpr bool too_deep() const { return too_deep_; }

 private:
  constexpr bool miss(std::string_view expected) {
    expected_ = expected;
    return false;
  }
  constexpr bool miss(std::string_view expected, std::size_t where) {
    at_ = where;
    return miss(expected);
  }
  constexpr bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  constexpr bool take(char c) {
    const bool is_there = at(c);
    if (is_there) ++at_;
    return is_there;
  }
  constexpr void skip_blanks() { at_ = skip_json_blanks(text_, at_); }
  constexpr bool word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return miss("a JSON value");
    at_ += word.size();
    return true;
  }

  /// Any value, with the blanks around it.
  RANKMAP_RARE constexpr bool value() {
    skip_blanks();
    const bool is_good = at('{')     ? container('}')
                         : at('[')   ? container(']')
                         : take('"') ? string()
                         : at('t')   ? word("true")
                         : at('f')   ? word("false")
                         : at('n')   ? word("null")
                                     : number();
    if (is_good) skip_blanks();
    return is_good;
  }

  RANKMAP_RARE constexpr bool container(char close) {
    if (depth_left_ == 0) {
      too_deep_ = true;
      return miss("JSON that is less deeply nested");
    }
    --depth_left_;
    ++at_;
    skip_blanks();
    for (bool is_first = true; !at(close); is_first = false) {
      if (!is_first && !take(',')) return miss(close == '}' ? "',' or '}'" : "',' or ']'");
      if (close == '}') {
        skip_blanks();
        if (!take('"')) return miss("a name in double quotes");
        if (!string()) return false;
        skip_blanks();
        if (!take(':')) return miss("':' after the name");
      }
      if (!value()) return false;
    }
    ++at_;
    ++depth_left_;
    return true;
  }

  /// Behind the opening quote.
  constexpr bool string() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (take('"')) return true;
      if (static_cast<unsigned char>(c) < 0x20) return miss("no control bytes in a string");
      if (c != '\\') continue;
      ++at_;
      if (at_ == text_.size()) break;
      constexpr std::string_view escapes = "\"\\/bfnrtu";
      if (escapes.find(text_[at_]) == std::string_view::npos) return miss("a JSON escape");
      if (text_[at_] == 'u') {
        if (hex_quad(text_, at_ + 1) > 0xffff) return miss("four hexadecimal digits after \\u");
        at_ += 4;
      }
    }
    return miss("'\"' at the end of the string");
  }
  constexpr bool digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ != start;
  }
  constexpr bool number() {
    const std::size_t start = at_;
    (void)take('-');
    const bool zero = at('0');
    const std::size_t first = at_;
    if (!digits()) return miss("a JSON value", start);
    if (zero && at_ - first > 1) return miss("a number without leading zeros", first);
    if (take('.') && !digits()) return miss("a digit after '.'");
    if (take('e') || take('E')) {
      if (at('+') || at('-')) ++at_;
      if (!digits()) return miss("a digit in the exponent");
    }
    return true;
  }

  std::string_view text_;
  std::string_view expected_;
  std::size_t at_ = 0;
  int depth_left_;
  bool too_deep_ = false;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_JSON_GRAMMAR_HPP
