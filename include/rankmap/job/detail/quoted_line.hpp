// SPDX-License-Identifier: MIT
// A line of output that another program wrote as a JSON string: docker's json-file, jq.
#ifndef RANKMAP_JOB_DETAIL_QUOTED_LINE_HPP
#define RANKMAP_JOB_DETAIL_QUOTED_LINE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/hexadecimal.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Where in a line a string begins that holds a line of a process; npos if none does.
constexpr std::size_t find_quoted(std::string_view line) {
  constexpr std::string_view docker = "{\"log\":\"";
  if (line.starts_with(docker)) return docker.size();
  return line.find("{\\\"rankmap_");
}

struct UnquotedLine {
  StaticString<2047> text;
  std::size_t size = 0;  ///< how much of the quoted text it was
};

/// What the rest of a JSON string stands for, up to its end or the end of its first line. What is
/// longer than 2047 bytes is cut: no line of a process is.
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_QUOTED_LINE_HPP
