// SPDX-License-Identifier: MIT
//
// Compressed host lists, against a reader that expands them name by name.
#include "fuzz.hpp"

#include <rankmap/hosts/host_list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::HostList;
using rankmap::HostListLimits;
using rankmap_fuzz::require;

constexpr HostListLimits limits{.max_hosts = 300};

bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Saturates: nothing here counts beyond the limits.
constexpr std::uint64_t too_many = std::uint64_t{1} << 40U;

struct Expander {
  explicit Expander(std::string_view list) : text(list) {}

  std::string_view text;
  std::size_t at = 0;
  std::vector<std::string> names;

  std::optional<std::uint64_t> number(std::size_t& digits) {
    std::uint64_t value = 0;
    bool fits = true;
    digits = 0;
    for (; at != text.size() && is_digit(text[at]); ++at, ++digits) {
      const auto digit = static_cast<unsigned>(text[at] - '0');
      fits = fits && !__builtin_mul_overflow(value, std::uint64_t{10}, &value) &&
             !__builtin_add_overflow(value, std::uint64_t{digit}, &value);
    }
    if (!fits || digits == 0) return std::nullopt;
    return value;
  }

  /// The texts of one bracket; `at` stands behind the '['.
  std::optional<std::vector<std::string>> bracket() {
    std::vector<std::string> out;
    for (;;) {
      std::size_t width = 0;
      const auto low = number(width);
      if (!low) return std::nullopt;
      auto high = low;
      if (at != text.size() && text[at] == '-') {
        ++at;
        if (at != text.size() && is_digit(text[at])) {
          std::size_t ignored = 0;
          high = number(ignored);
        }
      }
      if (!high || *high < *low || *high - *low >= limits.max_hosts) return std::nullopt;
      for (std::uint64_t value = *low;; ++value) {
        std::string digits = std::to_string(value);
        while (digits.size() < width) digits.insert(digits.begin(), '0');
        out.push_back(digits);
        if (value == *high) break;
      }
      if (out.size() > limits.max_hosts || at == text.size()) return std::nullopt;
      const char c = text[at++];
      if (c == ']') return out;
      if (c != ',') return std::nullopt;
    }
  }

  /// Every combination: the last bracket fastest, then the first, the second, ...
  bool token() {
    std::vector<std::string> pieces(1);
    std::vector<std::vector<std::string>> brackets;
    bool stray = false;
    for (; at != text.size() && !is_separator(text[at]);) {
      const char c = text[at++];
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
      stray = stray || c == ']';
      if (c != '[') {
        pieces.back() += c;
        continue;
      }
      auto elements = bracket();
      if (!elements) return false;
      brackets.push_back(*elements);
      pieces.emplace_back();
    }
    if (stray && !brackets.empty()) return false;
    std::vector<std::size_t> order;
    if (!brackets.empty()) order.push_back(brackets.size() - 1);
    for (std::size_t i = 0; i + 1 < brackets.size(); ++i) order.push_back(i);
    std::uint64_t count = 1;
    for (const auto& elements : brackets) {
      count = (std::min)(count * elements.size(), too_many);
    }
    if (count + names.size() > limits.max_hosts) return false;
    for (std::uint64_t k = 0; k != count; ++k) {
      std::vector<std::size_t> picked(brackets.size());
      std::uint64_t rest = k;
      for (const std::size_t i : order) {
        picked[i] = static_cast<std::size_t>(rest % brackets[i].size());
        rest /= brackets[i].size();
      }
      std::string name = pieces[0];
      for (std::size_t i = 0; i != brackets.size(); ++i) {
        name += brackets[i][picked[i]] + pieces[i + 1];
      }
      if (name.size() > limits.max_name_length) return false;
      names.push_back(name);
    }
    return true;
  }

  bool expand() {
    while (at != text.size()) {
      if (is_separator(text[at])) {
        ++at;
      } else if (!token()) {
        return false;
      }
    }
    return true;
  }
};

void require_same(const HostList& list, const std::vector<std::string>& names) {
  require(list.size() == names.size(), "a list has as many hosts as its expansion");
  std::size_t i = 0;
  for (const auto& host : list) {
    require(i != names.size() && host.view() == names[i], "walking gives the expansion", host);
    ++i;
  }
  auto it = list.end();
  const std::size_t stride = names.size() / 50 + 1;
  for (std::size_t k = names.size(); k > stride; k -= stride) {
    it -= static_cast<std::ptrdiff_t>(stride);
    require((*it).view() == names[k - stride], "walking back gives the expansion");
  }
  for (std::size_t k = 0; k < names.size(); k += stride) {
    require(list[k].view() == names[k], "indexing gives the expansion", names[k]);
    const auto found = list.find(names[k]);
    const auto first = std::find(names.begin(), names.end(), names[k]) - names.begin();
    require(found == static_cast<std::size_t>(first), "finding gives the first place", names[k]);
    const std::string other = names[k] + "0";
    const bool there = std::find(names.begin(), names.end(), other) != names.end();
    require(list.contains(other) == there, "other names are not found", other);
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  const HeapBytes heap;
  const auto whole = HostList::parse(input, {}, "HOSTS");
  require(heap.asked() <= 2 * input.size() + 256, "a list takes no more memory than its text");
  if (whole) {
    require(whole->size() <= 1'000'000, "a list has at most a million hosts");
    if (!whole->empty()) {
      require(!(*whole)[0].empty() && !(*whole)[whole->size() - 1].empty(), "hosts have names");
    }
  } else {
    require_good_error(whole.error(), input.size());
  }
  if (input.size() > 4096) return;  // the slow way below takes too long

  const auto list = HostList::parse(input, limits, "HOSTS");
  Expander slow(input);
  const bool expanded = slow.expand();
  require(list.has_value() == expanded, "lists are accepted that can be expanded",
          list ? std::string_view("accepted") : message(list.error()).view());
  if (!list) {
    require_good_error(list.error(), input.size());
    return;
  }
  require(whole.has_value(), "a smaller limit accepts no more");
  require_same(*list, slow.names);

  const auto text = list->str();
  const auto back = HostList::parse(text, limits);
  require(back.has_value(), "the short text can be read", text);
  require_same(*back, slow.names);
  require(back->str() == text, "the short text is as short as it goes", text);
  require(*back == *list, "the short text is the same list", text);
  const auto folded = HostList::from_names(slow.names, limits);
  require(folded && folded->str() == text, "names fold into the short text", text);
}
