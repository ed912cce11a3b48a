// SPDX-License-Identifier: MIT
// The grammar of Slurm's host lists, one token at a time. The same scan validates a list and walks
// a validated one, so that the two can never disagree about where a range ends.
#ifndef RANKMAP_HOSTS_DETAIL_HOST_LIST_TOKENS_HPP
#define RANKMAP_HOSTS_DETAIL_HOST_LIST_TOKENS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/to_size.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

enum class HostFault : std::uint8_t {
  none,
  bad_range,           ///< inside brackets: anything but digits, '-', ',' and ']'
  reversed_range,      ///< low end above high end
  number_too_large,    ///< 2^64 or more
  unclosed_bracket,    ///< the text ends inside brackets
  unbalanced_bracket,  ///< ']' without '[' in a token that has brackets
  control_byte,        ///< a byte below 0x20 or 0x7f that is no separator
  name_too_long,
  too_many_hosts,
};

/// One range of a bracket: `08-12` is low 8, high 12, width 2. The width of the low end rules.
struct HostRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t width = 0;
  std::size_t end = 0;  ///< the position of its ',' or ']', or of the fault
  HostFault fault = HostFault::none;
  constexpr std::uint64_t count() const { return high - low + 1; }
  /// The bytes of one of its numbers.
  constexpr std::size_t length(std::uint64_t value) const {
    const std::size_t digits = decimal_digits(value);
    return width > digits ? width : digits;
  }
};

/// One token: a plain name, or pieces and brackets that multiply. Its host `k` has element
/// k mod last_count of the last bracket. The quotient picks from the other brackets, the first one
/// fastest. This is Slurm's order (`a[0-1]b[0-1]c[0-1]`: a0b0c0 a0b0c1 a1b0c0 ...).
struct HostToken {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t begin = 0;
  std::size_t end = 0;            ///< or the position of the fault
  std::size_t first_open = none;  ///< position of the first '['; `none` in a plain name
  std::size_t last_open = none;
  std::size_t last_close = none;  ///< position of the ']' of the last bracket
  std::size_t last_count = 1;     ///< elements of the last bracket
  std::size_t count = 1;          ///< hosts
  HostFault fault = HostFault::none;
};

constexpr bool is_host_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; }

/// Reads the range that starts at `at`. An open end (`5-`) is a single number.
constexpr HostRange read_range(std::string_view text, std::size_t at) {
  HostRange range;
  std::size_t i = at;
  if (!read_digits(text, i, range.low)) return {.end = at, .fault = HostFault::number_too_large};
  range.width = i - at;
  range.high = range.low;
  if (range.width != 0 && i != text.size() && text[i] == '-') {
    const std::size_t start = ++i;
    std::uint64_t high = 0;
    if (!read_digits(text, i, high)) return {.end = start, .fault = HostFault::number_too_large};
    if (i != start) range.high = high;
  }
  range.end = i;
  if (i == text.size()) {
    range.fault = HostFault::unclosed_bracket;
  } else if (range.width == 0 || (text[i] != ',' && text[i] != ']')) {
    range.fault = HostFault::bad_range;
  } else if (range.high < range.low) {
    range.fault = HostFault::reversed_range;
    range.end = at;
  }
  return range;
}

/// The text from one '[' to its ']'.
struct HostBracket {
  std::size_t end = 0;  ///< the position of the ']', or of the fault
  std::size_t count = 0;
  std::size_t ranges = 0;
  std::size_t longest = 0;  ///< digits of the longest number
  HostFault fault = HostFault::none;
};

RANKMAP_NOINLINE constexpr HostBracket read_bracket(std::string_view text, std::size_t open,
                                                    std::size_t max_hosts) {
  HostBracket bracket;
  bracket.end = open;
  do {
    const std::size_t start = bracket.end + 1;
    const HostRange range = read_range(text, start);
    bracket.end = range.end;
    bracket.fault = range.fault;
    if (bracket.fault != HostFault::none) return bracket;
    // high - low cannot overflow, high - low + 1 can
    if (range.high - range.low >= max_hosts || range.count() > max_hosts - bracket.count) {
      bracket.fault = HostFault::too_many_hosts;
      bracket.end = start;
      return bracket;
    }
    bracket.count += to_size(range.count());
    ++bracket.ranges;
    const std::size_t length = range.length(range.high);
    if (length > bracket.longest) bracket.longest = length;
  } while (text[bracket.end] != ']');
  return bracket;
}

/// Skips separators.
constexpr std::size_t token_begin(std::string_view text, std::size_t at) {
  while (at != text.size() && is_host_separator(text[at])) ++at;
  return at;
}

/// Reads the token that starts at `at`, which must not be a separator. O(its length).
constexpr HostToken read_token(std::string_view text, std::size_t at,
                               std::size_t max_hosts = HostToken::none,
                               std::size_t max_name_length = HostToken::none) {
  HostToken token;
  token.begin = at;
  std::size_t stray = HostToken::none;  // a ']' that closes nothing
  std::size_t length = 0;
  const auto failed = [&token](HostFault fault, std::size_t position) {
    token.fault = fault;
    token.end = position;
    return token;
  };
  std::size_t i = at;
  for (; i != text.size() && !is_host_separator(text[i]); ++i) {
    if (is_control(text[i])) return failed(HostFault::control_byte, i);
    if (text[i] == ']' && stray == HostToken::none) stray = i;
    if (text[i] != '[') {
      ++length;
      continue;
    }
    const HostBracket bracket = read_bracket(text, i, max_hosts);
    if (bracket.fault != HostFault::none) return failed(bracket.fault, bracket.end);
    if (bracket.count > max_hosts / token.count) {
      return failed(HostFault::too_many_hosts, i);
    }
    token.count *= bracket.count;
    token.last_count = bracket.count;
    token.last_open = i;
    token.last_close = bracket.end;
    if (token.first_open == HostToken::none) token.first_open = i;
    length += bracket.longest;
    i = bracket.end;
  }
  token.end = i;
  // "n1]" is a name to Slurm; in a token with brackets a stray ']' is a slip
  if (stray != HostToken::none && token.last_open != HostToken::none) {
    return failed(HostFault::unbalanced_bracket, stray);
  }
  if (length > max_name_length) return failed(HostFault::name_too_long, at);
  return token;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_HOST_LIST_TOKENS_HPP
