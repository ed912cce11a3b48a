// SPDX-License-Identifier: MIT
// Splits texts at a mark: a list, such as SLURM_GTIDS, into its entries, and a text into two.
#ifndef RANKMAP_DETAIL_LIST_ENTRIES_HPP
#define RANKMAP_DETAIL_LIST_ENTRIES_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Visits the entries in order. An empty list has one empty entry.
class ListEntries {
 public:
  constexpr explicit ListEntries(std::string_view list, char mark = ',')
      : list_(list), mark_(mark) {}

  constexpr bool next() {
    if (next_ > list_.size()) return false;
    begin_ = next_;
    text_ = list_.substr(begin_, list_.find(mark_, begin_) - begin_);
    next_ = begin_ + text_.size() + 1;
    return true;
  }
  constexpr std::string_view text() const { return text_; }
  constexpr std::size_t begin() const { return begin_; }

 private:
  std::string_view list_;
  char mark_;
  std::string_view text_ = {};
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

/// The text before the first `mark`, and the text behind it. Without a mark, all is the head.
struct SplitText {
  std::string_view head;
  std::optional<std::string_view> tail;
};

RANKMAP_NOINLINE constexpr SplitText split_at(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// Whether one of the entries of a comma list is this.
constexpr bool has_entry(std::string_view list, std::string_view entry) {
  for (ListEntries entries(list); entries.next();) {
    if (entries.text() == entry) return true;
  }
  return false;
}

/// The `index`-th entry of a comma list, and how many entries the list has.
struct CommaEntry {
  std::string_view text;
  std::size_t count = 0;
};
RANKMAP_RARE constexpr CommaEntry comma_entry(std::string_view list, std::uint64_t index) {
  CommaEntry out;
  for (ListEntries entries(list); entries.next(); ++out.count) {
    if (out.count == index) out.text = entries.text();
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_LIST_ENTRIES_HPP
