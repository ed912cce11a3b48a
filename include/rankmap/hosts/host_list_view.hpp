// SPDX-License-Identifier: MIT
// Compressed lists of host names in text that someone else owns, neither copied nor expanded: host
// 999,999 of n[000001-1000000] is arithmetic.
#ifndef RANKMAP_HOSTS_HOST_LIST_VIEW_HPP
#define RANKMAP_HOSTS_HOST_LIST_VIEW_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/detail/host_cursor.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Bounds on what a host list may name.
struct HostListLimits {
  std::size_t max_hosts = 1'000'000;  ///< in the whole list, all combinations of brackets included
  std::size_t max_name_length =
      longest_host_name;  ///< of each host, in bytes; never more than that
};

namespace detail {

RANKMAP_RARE constexpr Error host_list_error(HostFault fault, std::string_view subject,
                                             std::string_view text, std::size_t at,
                                             const HostListLimits& limits) {
  constexpr std::string_view expected[] = {
      "",
      "decimal numbers and ranges low-high between '[' and ']'",
      "a range whose low end is not above its high end",
      "a number below 2^64",
      "']' after the ranges",
      "'[' before each ']'",
      "host names without control bytes",
  };
  if (fault == HostFault::too_many_hosts) {
    return error_at(Errc::limit_exceeded, subject, text,
                    concat("at most ", limits.max_hosts, " hosts in all"),
                    "raise HostListLimits::max_hosts if the list is right", at);
  }
  if (fault == HostFault::name_too_long) {
    return error_at(Errc::limit_exceeded, subject, text,
                    concat("host names of at most ", limits.max_name_length, " bytes"),
                    "shorten the name that starts there", at);
  }
  return error_at(Errc::bad_host_list, subject, text, expected[static_cast<std::size_t>(fault)],
                  "write a list such as node[01-12,15],login1", at);
}

/// The index of `digits` in the bracket whose '[' is at `open`, or HostToken::none. O(ranges).
RANKMAP_NOINLINE constexpr std::size_t find_in_bracket(std::string_view text, std::size_t open,
                                                       std::string_view digits) {
  const Number number = parse_number(digits);
  if (!number) return HostToken::none;
  std::size_t before = 0;
  std::size_t at = open;
  do {
    const HostRange range = read_range(text, at + 1);
    if (number.value >= range.low && number.value <= range.high &&
        range.length(number.value) == digits.size()) {
      return before + to_size(number.value - range.low);
    }
    before += to_size(range.count());
    at = range.end;
  } while (text[at] != ']');
  return HostToken::none;
}

/// find_in_token for several brackets. Adjacent ones can read one name in several ways
/// (`n[1,11][1,11]`, n111), and the first index counts: least[p] is the least index of any reading
/// of the first p bytes. A piece is read behind shorter readings, so the longest are made first.
RANKMAP_RARE constexpr std::size_t find_in_product(std::string_view text, const HostToken& token,
                                                   std::string_view host) {
  std::size_t least[longest_host_name + 1] = {};
  for (std::size_t p = 1; p <= host.size(); ++p) least[p] = HostToken::none;
  std::size_t weight = token.last_count;
  for (std::size_t at = token.begin; at != token.end;) {
    if (text[at] != '[') {
      const std::string_view plain = text.substr(0, token.end).substr(at);
      const std::string_view piece = plain.substr(0, plain.find('['));
      for (std::size_t p = host.size() + 1; p-- != 0;) {
        const std::size_t before = p < piece.size() ? HostToken::none : least[p - piece.size()];
        const bool is_read = before != HostToken::none && host.substr(0, p).ends_with(piece);
        least[p] = is_read ? before : HostToken::none;
      }
      at += piece.size();
      continue;
    }
    const HostBracket bracket = read_bracket(text, at, HostToken::none);
    const std::size_t unit = at == token.last_open ? 1 : weight;
    for (std::size_t p = host.size() + 1; p-- != 0;) {
      least[p] = HostToken::none;
      for (std::size_t q = p; q-- != 0 && p - q <= bracket.longest && is_digit(host[q]);) {
        if (least[q] == HostToken::none) continue;
        const std::size_t element = find_in_bracket(text, at, host.substr(q, p - q));
        if (element == HostToken::none) continue;
        const std::size_t index = least[q] + element * unit;
        if (index < least[p]) least[p] = index;
      }
    }
    if (at != token.last_open) weight *= bracket.count;
    at = bracket.end + 1;
  }
  return least[host.size()];
}

/// The index of `host` among the hosts of a token of `text`, or HostToken::none.
constexpr std::size_t find_in_token(std::string_view text, const HostToken& token,
                                    std::string_view host) {
  const std::string_view whole = text.substr(token.begin, token.end - token.begin);
  if (token.first_open == HostToken::none) return host == whole ? 0 : HostToken::none;
  const std::string_view prefix = whole.substr(0, token.first_open - token.begin);
  if (host.size() > longest_host_name || !host.starts_with(prefix)) return HostToken::none;
  if (token.first_open != token.last_open) return find_in_product(text, token, host);
  host.remove_prefix(prefix.size());
  const std::string_view suffix = whole.substr(token.last_close + 1 - token.begin);
  if (!host.ends_with(suffix)) return HostToken::none;
  host.remove_suffix(suffix.size());
  return find_in_bracket(text, token.last_open, host);
}

}  // namespace detail

/// A list as HostList, in text that must outlive it. Parsing needs no memory.
class HostListView {
 public:
  /// The empty list.
  constexpr HostListView() = default;

  /// Checks `text` as HostList::parse does, with its errors. O(length of the text); no allocation.
  RANKMAP_NOINLINE static constexpr Result<HostListView> parse(
      std::string_view text, HostListLimits limits = {}, std::string_view subject = "host list") {
    if (limits.max_name_length > longest_host_name) limits.max_name_length = longest_host_name;
    std::size_t count = 0;
    for (std::size_t at = detail::token_begin(text, 0); at != text.size();) {
      const detail::HostToken token =
          detail::read_token(text, at, limits.max_hosts, limits.max_name_length);
      if (token.fault != detail::HostFault::none) {
        return detail::host_list_error(token.fault, subject, text, token.end, limits);
      }
      if (token.count > limits.max_hosts - count) {
        return detail::host_list_error(detail::HostFault::too_many_hosts, subject, text, at,
                                       limits);
      }
      count += token.count;
      at = detail::token_begin(text, token.end);
    }
    return HostListView(text, count);
  }

  constexpr std::string_view text() const { return text_; }
  /// The number of hosts, duplicates included. O(1).
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  /// The name of host `i`. Precondition: i < size(). O(length of the text before it).
  constexpr HostName operator[](std::size_t i) const {
    detail::HostCursor cursor(text_);
    cursor.seek(i);
    return cursor.name();
  }

  /// The first index of `host`, compared byte for byte. O(length of the text).
  constexpr std::optional<std::size_t> find(std::string_view host) const {
    std::size_t first = 0;
    for (std::size_t at = detail::token_begin(text_, 0); at != text_.size();) {
      const detail::HostToken token = detail::read_token(text_, at);
      const std::size_t within = detail::find_in_token(text_, token, host);
      if (within != detail::HostToken::none) return first + within;
      first += token.count;
      at = detail::token_begin(text_, token.end);
    }
    return std::nullopt;
  }

 private:
  friend class HostList;
  // Of a list that has been parsed before.
  constexpr HostListView(std::string_view text, std::size_t size) : text_(text), size_(size) {}

  std::string_view text_;
  std::size_t size_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_LIST_VIEW_HPP
