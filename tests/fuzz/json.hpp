// SPDX-License-Identifier: MIT
//
// JSON the plain way: a tree of values, to hold the library's reader against.
#ifndef RANKMAP_TESTS_FUZZ_JSON_HPP
#define RANKMAP_TESTS_FUZZ_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankmap_fuzz {

struct Tree {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string raw;                  ///< of a number
  std::optional<std::string> text;  ///< of a string; nothing where half a surrogate pair stands
  std::vector<Tree> elements;
  std::vector<Tree> names;  ///< of the members of an object
  std::vector<Tree> values;

  /// Nothing where there is none or two.
  const Tree* member(std::string_view name) const {
    const Tree* found = nullptr;
    for (std::size_t i = 0; i != names.size(); ++i) {
      if (names[i].text != name) continue;
      if (found != nullptr) return nullptr;
      found = &values[i];
    }
    return found;
  }
  bool repeats(std::initializer_list<std::string_view> wanted) const {
    for (const std::string_view name : wanted) {
      std::size_t times = 0;
      for (const Tree& other : names) {
        if (other.text == name) ++times;
      }
      if (times > 1) return true;
    }
    return false;
  }
  std::optional<std::uint64_t> integer() const {
    const std::string digits = kind == Kind::number ? raw : text.value_or("");
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    if (kind == Kind::string && digits.size() > 20) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : digits) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
        return std::nullopt;
      }
    }
    return value;
  }
};

/// RFC 8259, at most `depth` containers deep.
class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : text_(text) {}

  std::optional<Tree> document(int depth) {
    auto tree = value(depth);
    blanks();
    if (at_ != text_.size()) return std::nullopt;
    return tree;
  }

 private:
  bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  void blanks() {
    while (is(' ') || is('\t') || is('\n') || is('\r')) ++at_;
  }
  bool digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ != start;
  }

  std::optional<Tree> value(int depth) {
    blanks();
    for (const auto& [word, kind] : {std::pair{"null", Tree::Kind::null},
                                     {"true", Tree::Kind::boolean},
                                     {"false", Tree::Kind::boolean}}) {
      const std::string_view view(word);
      if (text_.substr(at_, view.size()) != view) continue;
      at_ += view.size();
      Tree tree;
      tree.kind = kind;
      return tree;
    }
    if (is('"')) return string();
    if (is('[') || is('{')) return depth == 0 ? std::nullopt : container(depth - 1);
    return number();
  }
  std::optional<Tree> number() {
    Tree tree;
    tree.kind = Tree::Kind::number;
    const std::size_t start = at_;
    (void)take('-');
    if (!take('0') && !digits()) return std::nullopt;
    if (take('.') && !digits()) return std::nullopt;
    if (take('e') || take('E')) {
      if (!take('+')) (void)take('-');
      if (!digits()) return std::nullopt;
    }
    tree.raw = text_.substr(start, at_ - start);
    return tree;
  }
  std::optional<Tree> container(int depth) {
    const bool object = text_[at_++] == '{';
    const char close = object ? '}' : ']';
    Tree tree;
    tree.kind = object ? Tree::Kind::object : Tree::Kind::array;
    blanks();
    if (take(close)) return tree;
    for (;;) {
      std::optional<Tree> key;
      if (object) {
        blanks();
        if (!is('"')) return std::nullopt;
        key = string();
        blanks();
        if (!key || !take(':')) return std::nullopt;
      }
      auto element = value(depth);
      if (!element) return std::nullopt;
      if (object) {
        tree.names.push_back(*key);
        tree.values.push_back(*element);
      } else {
        tree.elements.push_back(*element);
      }
      blanks();
      if (take(close)) return tree;
      if (!take(',')) return std::nullopt;
    }
  }
  std::optional<std::uint32_t> quad() {
    std::uint32_t value = 0;
    for (int i = 0; i != 4; ++i) {
      if (at_ == text_.size()) return std::nullopt;
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(text_[at_++]);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return value;
  }
  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 + code / 64);
      put(0x80 + code % 64);
    } else if (code < 0x10000) {
      put(0xe0 + code / 4096);
      put(0x80 + code / 64 % 64);
      put(0x80 + code % 64);
    } else {
      put(0xf0 + code / 262144);
      put(0x80 + code / 4096 % 64);
      put(0x80 + code / 64 % 64);
      put(0x80 + code % 64);
    }
  }
  std::optional<Tree> string() {
    Tree tree;
    tree.kind = Tree::Kind::string;
    std::string out;
    bool whole = true;
    std::optional<std::uint32_t> high;  // half a pair that waits for the other
    for (++at_;;) {
      if (at_ == text_.size()) return std::nullopt;
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      std::optional<std::uint32_t> code;
      if (c == '\\') {
        if (at_ == text_.size()) return std::nullopt;
        const char escape = text_[at_++];
        const std::size_t plain = std::string_view("\"\\/bfnrt").find(escape);
        if (plain != std::string_view::npos) {
          if (high) whole = false;
          high = {};
          out += "\"\\/\b\f\n\r\t"[plain];
          continue;
        }
        if (escape != 'u') return std::nullopt;
        code = quad();
        if (!code) return std::nullopt;
      }
      if (high) {
        if (code && *code >= 0xdc00 && *code < 0xe000) {
          append_utf8(out, 0x10000 + (*high - 0xd800) * 0x400 + (*code - 0xdc00));
          high = {};
          continue;
        }
        whole = false;
        high = {};
      }
      if (code) {
        if (*code >= 0xd800 && *code < 0xdc00) {
          high = code;
        } else if (*code >= 0xdc00 && *code < 0xe000) {
          whole = false;
        } else {
          append_utf8(out, *code);
        }
      } else if (c == '"') {
        break;
      } else {
        out += c;
      }
    }
    if (whole) tree.text = out;
    return tree;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace rankmap_fuzz

#endif  // RANKMAP_TESTS_FUZZ_JSON_HPP
