// SPDX-License-Identifier: MIT
// A place in a validated host list. Reading hosts in order is one pass over the text. A step costs
// text, not hosts: forward the text between, back to an earlier token the text from the beginning.
#ifndef RANKMAP_HOSTS_DETAIL_HOST_CURSOR_HPP
#define RANKMAP_HOSTS_DETAIL_HOST_CURSOR_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_name.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The token of one host and, within the token's last bracket, the range of the host. On the way
/// forward the last bracket is read once. The text before it is read where the quotient changes. A
/// bracket of many ranges there is read on, not again.
class HostCursor {
 public:
  constexpr HostCursor() = default;
  /// Before a validated list, which must outlive the cursor.
  constexpr explicit HostCursor(std::string_view text) : text_(text) {}

  /// Moves to host `i`. Precondition: the list has it.
  constexpr void seek(std::size_t i) {
    if (i < first_ || token_.end == 0) enter(0, 0);
    while (i - first_ >= token_.count) enter(token_.end, first_ + token_.count);
    index_ = i - first_;
    if (token_.last_open == HostToken::none) return;  // a name like "1-0" is no range
    const std::size_t element = index_ % token_.last_count;
    if (element < range_first_) enter_bracket();
    for (; element - range_first_ >= range_.count(); range_ = read_range(text_, range_.end + 1)) {
      range_first_ += to_size(range_.count());
    }
    const std::size_t quotient = index_ / token_.last_count;
    if (quotient == quotient_) return;
    quotient_ = quotient;
    write_prefix();
  }

  /// The name of the host.
  constexpr HostName name() const {
    if (token_.last_open == HostToken::none) {
      return HostName(text_.substr(token_.begin, token_.end - token_.begin));
    }
    HostName out = prefix_;
    append_number(out, rest_of_range());
    return out.append(suffix());
  }

  /// Whether the host is one of a range. Only then the next two functions mean anything.
  constexpr bool in_range() const { return token_.last_open != HostToken::none; }
  /// The numbers from this host's own to the end of its range.
  constexpr HostRange rest_of_range() const {
    HostRange range = range_;
    range.low += index_ % token_.last_count - range_first_;
    return range;
  }
  /// The text of the token after its last bracket.
  constexpr std::string_view suffix() const {
    const std::size_t begin = token_.last_close + 1;
    return text_.substr(begin, token_.end - begin);
  }

 private:
  // The token at or after `at`, whose first host has the index `first`.
  constexpr void enter(std::size_t at, std::size_t first) {
    token_ = read_token(text_, token_begin(text_, at));
    first_ = first;
    quotient_ = HostToken::none;
    if (token_.last_open != HostToken::none) enter_bracket();
  }
  constexpr void enter_bracket() {
    range_ = read_range(text_, token_.last_open + 1);
    range_first_ = 0;
  }

  // A bracket before the last one, and where the last prefix took its number. It is small, since
  // reading a single host makes a cursor, too.
  struct Place {
    std::size_t open = 0;
    std::size_t close = 0;  // 0: no bracket
    std::size_t count = 0;
    std::size_t range = 0;  // the position of the range
    std::size_t first = 0;  // index of the range's first number
  };

  // The first bracket goes one element on with each quotient, the second one where the first one
  // begins again, and so on. The place in a long bracket is kept. If each quotient read the bracket
  // from its beginning, `[0,1,2,...][0]` would take the square of its text.
  constexpr void write_prefix() {
    prefix_ = HostName();
    std::size_t quotient = quotient_;
    std::size_t next_kept = 0;
    for (std::size_t at = token_.begin; at != token_.last_open; ++at) {
      if (text_[at] != '[') {
        prefix_.append(text_[at]);
        continue;
      }
      Place place = next_kept == most_kept ? Place() : kept_[next_kept];
      const bool is_kept = place.open == at && place.close != 0;
      bool is_long = is_kept;
      if (!is_kept) {
        const HostBracket bracket = read_bracket(text_, at, HostToken::none);
        place = {at, bracket.end, bracket.count, at + 1, 0};
        is_long = bracket.ranges > few_ranges && next_kept != most_kept;
      }
      const std::size_t element = quotient % place.count;
      quotient /= place.count;
      if (element < place.first) place = {at, place.close, place.count, at + 1, 0};
      HostRange range = read_range(text_, place.range);
      for (; element - place.first >= range.count(); range = read_range(text_, place.range)) {
        place.first += to_size(range.count());
        place.range = range.end + 1;
      }
      range.low += element - place.first;
      append_number(prefix_, range);
      at = place.close;
      if (is_long) kept_[next_kept++] = place;
    }
  }
  // The first number of a range.
  static constexpr void append_number(HostName& out, const HostRange& range) {
    for (std::size_t n = decimal_digits(range.low); n < range.width; ++n) out.append('0');
    out.append_number(range.low);
  }

  // A product of 2^24 hosts has at most five brackets of more than 16 ranges. A fifth bracket
  // beside four of these has at most 200 ranges.
  static constexpr std::size_t few_ranges = 16;
  static constexpr std::size_t most_kept = 4;

  std::string_view text_;
  HostToken token_;
  std::size_t first_ = 0;  // index of the token's first host in the list
  std::size_t index_ = 0;  // of the host, within the token
  HostRange range_;
  std::size_t range_first_ = 0;  // index of the range's first number in the bracket
  std::size_t quotient_ =
      HostToken::none;  // picks from the other brackets, as `prefix_` shows them
  HostName prefix_;     // the name up to the last bracket
  // In the order of the token. What is left of another token begins elsewhere, and is not taken.
  Place kept_[most_kept] = {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_HOST_CURSOR_HPP
