// SPDX-License-Identifier: MIT
//
// A small, strict reader of SVG: whether a picture is well-formed XML of printable ASCII, asks for
// nothing from outside, stays inside its frame and prints no text over another.
#ifndef RANKMAP_TESTS_SVG_HPP
#define RANKMAP_TESTS_SVG_HPP

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankmap_test {

struct SvgText {
  std::string classes;
  std::string text;
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

class SvgReader {
 public:
  explicit SvgReader(std::string_view document) : rest_(document) {
    for (const char c : document) {
      if (c != '\n' && (c < ' ' || c > '~')) fail("a byte that is no printable ASCII");
    }
    while (fault_.empty() && !rest_.empty()) content();
    if (!open_.empty()) fail("no end of " + open_.back());
    if (roots_ != 1) fail("not one root");
    if (fault_.empty()) look_at_texts();
  }

  /// Empty where nothing is wrong.
  const std::string& fault() const { return fault_; }
  const std::vector<SvgText>& texts() const { return texts_; }
  std::size_t elements() const { return elements_; }
  int width() const { return width_; }
  int height() const { return height_; }
  /// The text of the first element of this name.
  std::string first(const std::string& name) const {
    const auto found = first_.find(name);
    return found == first_.end() ? "none" : found->second;
  }
  int count_text(std::string_view text) const {
    int count = 0;
    for (const SvgText& one : texts_) count += one.text == text ? 1 : 0;
    return count;
  }

 private:
  void fail(const std::string& why) {
    if (fault_.empty()) fault_ = why + ", before: " + std::string(rest_.substr(0, 60));
  }
  static bool is_name(std::string_view text) {
    for (const char c : text) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == ':';
      if (!letter && !(c >= '0' && c <= '9')) return false;
    }
    return !text.empty();
  }

  // Text with its references replaced: those beyond ASCII by '?', since only widths matter here.
  std::string plain(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      if (text.front() == '<' || text.front() == '>') fail("a bare bracket");
      if (text.front() != '&') {
        out += text.front();
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = text.find(';');
      if (end == std::string_view::npos || text.substr(0, 2) != "&#") {
        fail("a reference that is none");
        return out;
      }
      unsigned long code = 0;
      for (const char c : text.substr(2, end - 2)) {
        if (c < '0' || c > '9') fail("a reference without a number");
        code = code * 10 + static_cast<unsigned long>(c - '0');
      }
      const bool legal = (code >= 0x20 && code < 0xd800) ||
                         (code >= 0xe000 && code <= 0x10ffff && code != 0xfffe && code != 0xffff);
      if (!legal) fail("a reference to no character of XML");
      out += code < 0x80 ? static_cast<char>(code) : '?';
      text.remove_prefix(end + 1);
    }
    return out;
  }

  void content() {
    const std::size_t at = rest_.find('<');
    const std::string text = plain(rest_.substr(0, at));
    if (!open_.empty()) {
      if (open_.back() == "text" && !texts_.empty()) texts_.back().text += text;
      if (first_.find(open_.back()) == first_.end()) first_[open_.back()] = text;
    } else if (text.find_first_not_of('\n') != std::string::npos) {
      fail("text outside");
    }
    if (at == std::string_view::npos) {
      rest_ = {};
      return;
    }
    rest_.remove_prefix(at + 1);
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) return fail("no end of a tag");
    std::string_view tag = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (!tag.empty() && tag.front() == '/') {
      if (open_.empty() || open_.back() != tag.substr(1)) return fail("the wrong end");
      open_.pop_back();
      return;
    }
    const bool empty = !tag.empty() && tag.back() == '/';
    if (empty) tag.remove_suffix(1);
    element(tag);
    if (!empty) open_.emplace_back(tag.substr(0, tag.find(' ')));
  }

  void element(std::string_view tag) {
    ++elements_;
    const std::string name(tag.substr(0, tag.find(' ')));
    if (!is_name(name)) return fail("no name");
    if (name == "script" || name == "image" || name == "use" || name == "foreignObject") {
      return fail("an element that asks for more");
    }
    if (open_.empty()) ++roots_;
    tag.remove_prefix(name.size());
    std::map<std::string, std::string> attributes;
    while (!tag.empty()) {
      const std::size_t equals = tag.find("=\"");
      const std::size_t end = equals == std::string_view::npos ? equals : tag.find('"', equals + 2);
      if (end == std::string_view::npos || tag.front() != ' ') return fail("no attribute");
      const std::string key(tag.substr(1, equals - 1));
      if (!is_name(key) || attributes.count(key) != 0) return fail("attribute " + key);
      if (key.substr(0, 2) == "on" || key.find("href") != std::string::npos) return fail(key);
      attributes[key] = plain(tag.substr(equals + 2, end - equals - 2));
      tag.remove_prefix(end + 1);
    }
    const auto number = [&](const char* key) {
      const auto found = attributes.find(key);
      return found == attributes.end() ? 0 : std::stoi(found->second);
    };
    if (name == "svg") {
      width_ = number("width");
      height_ = number("height");
    } else if (name == "rect") {
      if (number("x") < 0 || number("y") < 0 || number("width") < 1 || number("height") < 1 ||
          number("x") + number("width") > width_ || number("y") + number("height") > height_) {
        fail("a box outside the frame");
      }
    } else if (name == "text") {
      SvgText text;
      text.classes = attributes["class"];
      text.left = number("x");
      text.bottom = number("y");
      texts_.push_back(text);
    }
  }

  // In the widest of the fonts that the style sheet names, a fixed-width letter is 0.602 of the
  // size; a title in a wider font has nothing beside it.
  void look_at_texts() {
    for (SvgText& text : texts_) {
      const std::string classes = " " + text.classes + " ";
      const auto is = [&](const char* one) { return classes.find(one) != std::string::npos; };
      const double size = is(" h1 ") ? 17 : is(" h2 ") ? 14 : is(" n ") ? 11 : 12;
      const double width = static_cast<double>(text.text.size()) * size * 0.602;
      if (is(" m ")) text.left -= width / 2;
      if (is(" e ")) text.left -= width;
      text.right = text.left + width;
      text.top = text.bottom - size * 0.73;
      if (text.left < 0 || text.right > width_ || text.top < 0 || text.bottom > height_) {
        fail("the text \"" + text.text + "\" leaves the frame");
      }
    }
    for (std::size_t i = 0; i != texts_.size(); ++i) {
      for (std::size_t k = 0; k != i; ++k) {
        const SvgText& a = texts_[i];
        const SvgText& b = texts_[k];
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
          fail("\"" + a.text + "\" is printed over \"" + b.text + "\"");
        }
      }
    }
  }

  std::string_view rest_;
  std::string fault_;
  std::vector<std::string> open_;
  std::vector<SvgText> texts_;
  std::map<std::string, std::string> first_;
  std::size_t elements_ = 0;
  int roots_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SVG_HPP
