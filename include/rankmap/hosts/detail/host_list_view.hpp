// SPDX-License-Identifier: MIT
//
// The queries on a compressed host list, over text that someone else owns. No allocation, and no
// expansion: host 999,999 of n[000001-1000000] is arithmetic.
#ifndef RANKMAP_HOSTS_DETAIL_HOST_LIST_VIEW_HPP
#define RANKMAP_HOSTS_DETAIL_HOST_LIST_VIEW_HPP

#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The name of one host: at most 255 bytes, held in place. Converts to std::string_view.
using HostName = StaticString<255>;

namespace detail {
inline constexpr std::size_t longest_host_name = 255;
}

/// Bounds on what a host list may expand to.
struct HostListLimits {
  std::size_t max_hosts = 1'000'000;  ///< in the whole list, products of brackets included
  std::size_t max_name_length = 255;  ///< of each host, in bytes; 255 is also the most there is
};

namespace detail {

constexpr Error host_list_error(HostFault fault, std::string_view subject, std::string_view text,
                                std::size_t position, const HostListLimits& limits) {
  struct Row {
    HostFault fault;
    std::string_view expected;
  };
  constexpr Row rows[] = {
      {HostFault::bad_range, "decimal numbers and ranges low-high between '[' and ']'"},
      {HostFault::reversed_range, "a range whose low end is not above its high end"},
      {HostFault::number_too_large, "a number below 2^64"},
      {HostFault::unclosed_bracket, "']' after the ranges"},
      {HostFault::unbalanced_bracket, "'[' before each ']'"},
      {HostFault::control_byte, "host names without control bytes"},
  };
  constexpr std::string_view syntax = "write a list such as node[01-12,15],login1";
  const auto at = static_cast<std::int64_t>(position);
  if (fault == HostFault::too_many_hosts) {
    return error_at(
        Errc::limit_exceeded, subject, text,
        concat<159>("at most ", std::uint64_t{limits.max_hosts}, " hosts in all").view(),
        "raise HostListLimits::max_hosts if the list is meant", at);
  }
  if (fault == HostFault::name_too_long) {
    return error_at(
        Errc::limit_exceeded, subject, text,
        concat<159>("host names of at most ", std::uint64_t{limits.max_name_length}, " bytes")
            .view(),
        "shorten the name that starts there", at);
  }
  std::string_view expected;
  for (const Row& row : rows) {
    if (row.fault == fault) expected = row.expected;
  }
  return error_at(Errc::bad_host_list, subject, text, expected, syntax, at);
}

/// Where one host stands: its token and, within the token's last bracket, a range at or before it.
/// Walking forward from a cursor reads the last bracket once, and what is before it only where the
/// quotient changes.
struct HostCursor {
  HostToken token;
  std::size_t first = 0;                   ///< index of the token's first host in the list
  std::size_t range_at = 0;                ///< the '[' or ',' in front of the range
  std::size_t range_first = 0;             ///< index of the range's first number within the bracket
  std::size_t quotient = HostToken::none;  ///< whose picks from the other brackets `prefix` shows
  HostName prefix;                         ///< the name up to the last bracket
};

/// A validated host list in text that must outlive it.
class HostListView {
 public:
  constexpr HostListView() = default;

  /// Validates `text`; on an error `position` is a byte offset into it. O(length), no allocation.
  static constexpr Result<HostListView> parse(std::string_view text, HostListLimits limits = {},
                                              std::string_view subject = "host list") {
    if (limits.max_name_length > longest_host_name) limits.max_name_length = longest_host_name;
    const HostBounds bounds{limits.max_hosts, limits.max_name_length};
    std::size_t count = 0;
    for (std::size_t at = token_begin(text, 0); at != text.size();) {
      const HostToken token = read_token(text, at, bounds);
      if (token.fault != HostFault::none) {
        return host_list_error(token.fault, subject, text, token.position, limits);
      }
      if (token.count > limits.max_hosts - count) {
        return host_list_error(HostFault::too_many_hosts, subject, text, at, limits);
      }
      count += token.count;
      at = token_begin(text, token.end);
    }
    return HostListView(text, count);
  }

  /// Text and host count of a list that `parse` has accepted before.
  constexpr HostListView(std::string_view text, std::size_t count) : text_(text), count_(count) {}

  constexpr std::string_view text() const { return text_; }
  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }

  /// Precondition: i < size(). O(length of the text before it).
  constexpr HostName operator[](std::size_t i) const {
    HostCursor cursor = front();
    seek(cursor, i);
    return name(cursor, i);
  }

  /// The first index of `host`, compared byte for byte. O(length of the text).
  constexpr std::optional<std::size_t> find(std::string_view host) const {
    std::size_t first = 0;
    for (std::size_t at = token_begin(text_, 0); at != text_.size();) {
      const HostToken token = read_token(text_, at);
      const std::size_t within = find_in_token(token, host);
      if (within != HostToken::none) return first + within;
      first += token.count;
      at = token_begin(text_, token.end);
    }
    return std::nullopt;
  }

  /// A cursor on the first token. Precondition of its use: !empty().
  constexpr HostCursor front() const {
    HostCursor cursor;
    enter(cursor, token_begin(text_, 0), 0);
    return cursor;
  }

  /// Moves the cursor to the token and range of host `i`. Precondition: i < size(). Forward it
  /// reads only what lies between; backward out of the token it starts over.
  constexpr void seek(HostCursor& cursor, std::size_t i) const {
    if (i < cursor.first) cursor = front();
    while (i - cursor.first >= cursor.token.count) {
      enter(cursor, token_begin(text_, cursor.token.end), cursor.first + cursor.token.count);
    }
    if (cursor.token.last_open == HostToken::none) return;  // a name like "1-0" is no range
    const std::size_t element = (i - cursor.first) % cursor.token.last_count;
    if (element < cursor.range_first) {
      cursor.range_at = cursor.token.last_open;
      cursor.range_first = 0;
    }
    seek_range(cursor.range_at, cursor.range_first, element);
    const std::size_t quotient = (i - cursor.first) / cursor.token.last_count;
    if (quotient == cursor.quotient) return;
    cursor.quotient = quotient;
    write_prefix(cursor.prefix, cursor.token, quotient);
  }

  /// The name of host `i`, where the cursor stands on it.
  constexpr HostName name(const HostCursor& cursor, std::size_t i) const {
    const HostToken& token = cursor.token;
    if (token.last_open == HostToken::none) {
      return HostName(text_.substr(token.begin, token.end - token.begin));
    }
    HostName out = cursor.prefix;
    append_element(out, cursor.range_at, cursor.range_first, (i - cursor.first) % token.last_count);
    const std::size_t suffix = token.last_close + 1;
    return out.append(text_.substr(suffix, token.end - suffix));
  }

 private:
  constexpr void enter(HostCursor& cursor, std::size_t at, std::size_t first) const {
    cursor.token = at == text_.size() ? HostToken{} : read_token(text_, at);
    cursor.first = first;
    cursor.range_at = cursor.token.last_open;
    cursor.range_first = 0;
    cursor.quotient = HostToken::none;
  }

  // What the token's host of this quotient has before the last bracket.
  constexpr void write_prefix(HostName& out, const HostToken& token, std::size_t quotient) const {
    out = HostName();
    for (std::size_t at = token.begin; at != token.last_open; ++at) {
      if (text_[at] != '[') {
        out.append(text_[at]);
        continue;
      }
      const HostBracket bracket = read_bracket(text_, at, HostToken::none);
      append_element(out, at, 0, quotient % bracket.count);
      quotient /= bracket.count;
      at = bracket.end;
    }
  }

  // Appends an element of a bracket, given a range at or before it.
  constexpr void append_element(HostName& out, std::size_t range_at, std::size_t range_first,
                                std::size_t element) const {
    const HostRange range = seek_range(range_at, range_first, element);
    const std::uint64_t value = range.low + (element - range_first);
    for (std::size_t n = decimal_digits(value); n < range.width; ++n) out.append('0');
    out.append_number(value);
  }

  // Walks from the range behind range_at to the one that holds `element`.
  constexpr HostRange seek_range(std::size_t& range_at, std::size_t& range_first,
                                 std::size_t element) const {
    HostRange range;
    std::size_t position = 0;
    (void)read_range(text_, range_at + 1, range, position);
    while (element - range_first >= range.count()) {
      range_first += to_size(range.count());
      range_at = range.end;
      (void)read_range(text_, range_at + 1, range, position);
    }
    return range;
  }

  constexpr bool literal_at(std::string_view host, std::size_t at, std::size_t begin,
                            std::size_t end) const {
    if (host.size() < at || host.size() - at < end - begin) return false;
    for (std::size_t i = begin; i != end; ++i) {
      if (host[at + (i - begin)] != text_[i]) return false;
    }
    return true;
  }

  constexpr std::size_t find_in_token(const HostToken& token, std::string_view host) const {
    if (token.first_open == HostToken::none) {
      const bool same =
          host.size() == token.end - token.begin && literal_at(host, 0, token.begin, token.end);
      return same ? 0 : HostToken::none;
    }
    if (host.size() > longest_host_name || !literal_at(host, 0, token.begin, token.first_open)) {
      return HostToken::none;
    }
    if (token.first_open != token.last_open) return find_in_product(token, host);
    const std::size_t prefix = token.first_open - token.begin;
    const std::size_t suffix = token.end - token.last_close - 1;
    if (host.size() < prefix + suffix ||
        !literal_at(host, host.size() - suffix, token.last_close + 1, token.end)) {
      return HostToken::none;
    }
    return find_in_bracket(text_, token.last_open,
                           host.substr(prefix, host.size() - prefix - suffix));
  }

  // Two brackets side by side can read one name in several ways (`n[1,11][1,11]`, n111), and the
  // first index is asked for: least[p] is the least index of any reading of the first p bytes.
  constexpr std::size_t find_in_product(const HostToken& token, std::string_view host) const {
    std::size_t least[longest_host_name + 1] = {};
    for (std::size_t p = 1; p <= host.size(); ++p) least[p] = HostToken::none;
    std::size_t weight = token.last_count;
    for (std::size_t at = token.begin; at != token.end;) {
      std::size_t next[longest_host_name + 1] = {};
      for (std::size_t p = 0; p <= host.size(); ++p) next[p] = HostToken::none;
      bool reached = false;
      const bool bracket = text_[at] == '[';
      std::size_t end = at;
      std::size_t count = 1;
      std::size_t longest = 0;
      if (bracket) {
        const HostBracket read = read_bracket(text_, at, HostToken::none);
        end = read.end + 1;
        count = read.count;
        longest = read.longest;
      } else {
        while (end != token.end && text_[end] != '[') ++end;
      }
      const std::size_t unit = at == token.last_open ? 1 : weight;
      for (std::size_t p = 0; p <= host.size(); ++p) {
        if (least[p] == HostToken::none) continue;
        if (!bracket) {
          if (!literal_at(host, p, at, end)) continue;
          next[p + (end - at)] = least[p];
          reached = true;
          continue;
        }
        for (std::size_t q = p + 1; q <= host.size() && q - p <= longest && is_digit(host[q - 1]);
             ++q) {
          const std::size_t element = find_in_bracket(text_, at, host.substr(p, q - p));
          if (element == HostToken::none) continue;
          const std::size_t index = least[p] + element * unit;
          if (index < next[q]) next[q] = index;
          reached = true;
        }
      }
      if (!reached) return HostToken::none;
      if (bracket && at != token.last_open) weight *= count;
      for (std::size_t p = 0; p <= host.size(); ++p) least[p] = next[p];
      at = end;
    }
    return least[host.size()];
  }

  std::string_view text_;
  std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_DETAIL_HOST_LIST_VIEW_HPP
