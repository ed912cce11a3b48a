// SPDX-License-Identifier: MIT
// The line of a record: an object with a marker at its front and a checksum at its end, so that it
// is found in any output, and a torn or merged line is never taken for a record.
#ifndef RANKMAP_JOB_DETAIL_RECORD_LINE_HPP
#define RANKMAP_JOB_DETAIL_RECORD_LINE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view record_marker = "{\"rankmap_job\":";
/// The marker of what a process without a record writes: see refusals.hpp.
inline constexpr std::string_view refusal_marker = "{\"rankmap_refused\":";
inline constexpr std::string_view record_check = ",\"check\":\"";
/// The digits of the checksum, and what is behind them.
inline constexpr std::size_t check_digits = 8;
inline constexpr std::string_view record_end = "\"}";

/// Without its newline.
using RecordLine = StaticString<JobRecord::bytes - 1>;

constexpr std::uint32_t checksum(std::string_view text) {
  return short_digest(fnv_text(fnv_start, text));
}

/// Where the first of the two markers is, from `at` on.
constexpr std::size_t find_marker(std::string_view text, std::size_t at = 0) {
  constexpr std::string_view beginning = "{\"rankmap_";  // of both
  for (at = text.find(beginning, at); at != std::string_view::npos;
       at = text.find(beginning, at + 1)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(record_marker) || rest.starts_with(refusal_marker)) return at;
  }
  return std::string_view::npos;
}

/// Ends a line with its checksum.
constexpr void close_line(auto& line) {
  const std::uint32_t sum = checksum(line);
  append_hexadecimal(line.append(record_check), sum, check_digits).append(record_end);
}

/// The front of a text that begins with a marker, up to the next marker.
struct MarkedLine {
  std::string_view text;
  bool is_whole = false;  ///< false: torn, merged with another line, or changed
};
/// Never looks further than `longest` bytes.
constexpr MarkedLine first_line(std::string_view text, std::size_t longest) {
  text = text.substr(0, longest);
  text = text.substr(0, find_marker(text, 1));
  const std::size_t check = text.find(record_check);
  if (check == std::string_view::npos) return {text};
  const std::size_t digits = check + record_check.size();
  const std::size_t size = digits + check_digits + record_end.size();
  if (text.size() < size || text.substr(size - 2, 2) != record_end) return {text};
  StaticString<check_digits> sum;
  append_hexadecimal(sum, checksum(text.substr(0, check)), check_digits);
  if (sum != text.substr(digits, check_digits)) return {text};
  return {text.substr(0, size), true};
}

// ---- a line that another program wrote as a JSON string: docker's json-file, jq -----------------

struct UnquotedLine {
  StaticString<2047> text;
  std::size_t size = 0;  ///< how much of the quoted text it was
};

/// What the rest of a JSON string stands for, up to its end or the end of its first line. It is cut
/// at 2047 bytes: no line of a process is longer.
constexpr UnquotedLine unquote(std::string_view quoted) {
  UnquotedLine out;
  bool is_open = true;
  while (out.size < quoted.size() && quoted[out.size] != '"') {
    char c = quoted[out.size++];
    if (c == '\\' && out.size < quoted.size()) {
      c = quoted[out.size++];
      if (c == 'n' || c == 'r') is_open = false;
      if (c == 't') c = '\t';
      if (c == 'u') {
        unsigned code = 0;
        for (int digit = 0; digit != 4 && out.size < quoted.size(); ++digit) {
          code = code << 4U | (hex_value(quoted[out.size++]) & 15U);
        }
        c = code < 0x80 ? static_cast<char>(code) : '?';
      }
    }
    if (is_open) out.text.append(c);
  }
  return out;
}

/// What is so far behind the beginning of a string may be cut from an UnquotedLine.
inline constexpr std::size_t far_behind = 1024;

/// Where the string begins that holds the message at a place, or the message if that is far behind;
/// npos if none does.
constexpr std::size_t find_quoted_message(std::string_view line, std::size_t message) {
  std::size_t quote = line.rfind('"', message);
  while (quote != std::string_view::npos && quote != 0 && line[quote - 1] == '\\') {
    quote = line.rfind('"', quote - 1);
  }
  if (quote == std::string_view::npos) return quote;
  const std::size_t begin = message - quote > far_behind ? message : quote + 1;
  const std::string_view quoted = line.substr(begin);
  // The quote may belong to words in front, such as a record whose newline was lost. Then nothing
  // ends the string, or it ends before the message does.
  const UnquotedLine unquoted = unquote(quoted);
  const bool is_string = unquoted.size != quoted.size() &&
                         unquoted.text.view().find(": expected ") != std::string_view::npos &&
                         line.substr(quote, message - quote).find('}') == std::string_view::npos;
  return is_string ? begin : std::string_view::npos;
}

/// Where in a line a part of a JSON string begins that holds a line of a process; npos if none
/// does. O(place).
constexpr std::size_t find_quoted(std::string_view line) {
  constexpr std::string_view docker = "{\"log\":\"";
  constexpr std::string_view name = "rankmap";
  std::size_t found = std::string_view::npos;
  bool is_first = true;  // of the messages
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const std::string_view rest = line.substr(at + name.size());
    if (rest.starts_with('_') && line.substr(0, at).ends_with("{\\\"")) found = at - 3;
    if (rest.starts_with(": ") && std::exchange(is_first, false)) {
      found = find_quoted_message(line, at);
    }
    if (found != std::string_view::npos) break;
  }
  const bool is_near = found == std::string_view::npos || found < docker.size() + far_behind;
  return is_near && line.starts_with(docker) ? docker.size() : found;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_LINE_HPP
