// SPDX-License-Identifier: MIT
// Which host of a token has a given name: a search in the text, without expanding it.
#ifndef RANKMAP_HOSTS_DETAIL_FIND_HOST_HPP
#define RANKMAP_HOSTS_DETAIL_FIND_HOST_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_name.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

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

/// find_in_token for a token of several brackets. Adjacent brackets can read one name in several
/// ways (`n[1,11][1,11]`, n111), and the first index counts: least[p] is the least index of any
/// reading of the first p bytes. Each piece of the token is read behind shorter readings, so the
/// longest are made first.
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_FIND_HOST_HPP
