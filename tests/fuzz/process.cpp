// SPDX-License-Identifier: MIT
//
// What /proc shows of other processes, whose names and variables anyone may choose. An input with
// an even first byte is a line of /proc/PID/stat. With an odd one, its first line is the NAME=text
// that is looked for, and the rest the /proc/PID/environ, in pieces of a size that the byte says.
// Against readers that cut the whole text first.
#include "fuzz.hpp"

#include <rankmap/environment/detail/process_stat.hpp>
#include <rankmap/environment/detail/start_search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::detail::parse_process_stat;
using rankmap::detail::ProcessStat;
using rankmap::detail::StartSearch;
using rankmap_fuzz::HeapBytes;
using rankmap_fuzz::require;
using rankmap_fuzz::split;

std::optional<std::uint64_t> number_of(std::string_view text, std::uint64_t highest) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (highest - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

void run_stat(std::string_view line) {
  const HeapBytes heap;
  const std::optional<ProcessStat> stat = parse_process_stat(line);
  require(heap.asked() == 0, "no memory is asked for");
  const std::size_t open = line.find('(');
  const std::size_t close = line.find_last_of(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return require(!stat, "a name is in parentheses", line);
  }
  const std::vector<std::string_view> fields = split(line.substr(close + 1), ' ');
  const bool whole = fields.size() > 21 && fields[0].empty() && fields[1].size() == 1;
  const auto parent = whole ? number_of(fields[2], INT32_MAX) : std::nullopt;
  const auto start = whole ? number_of(fields[20], UINT64_MAX) : std::nullopt;
  require(stat.has_value() == (parent && start), "a line has numbers in fields 4 and 22", line);
  if (!stat) return;
  require(stat->name == line.substr(open + 1, close - open - 1).substr(0, 15),
          "a name is cut after 15 bytes", line);
  require(stat->parent == static_cast<int>(*parent), "field 4 is the parent", line);
  require(stat->start_time == *start, "field 22 is the time of the start", line);
}

std::optional<bool> found_in(std::string_view file, const std::string& name,
                             std::string_view text) {
  if (file.empty()) return std::nullopt;
  if (file.back() == '\0') file.remove_suffix(1);
  for (const std::string_view entry : split(file, '\0')) {
    if (entry.find('=') == std::string_view::npos) return std::nullopt;
    if (entry.substr(0, name.size() + 1) == name + "=") {
      return entry.substr(name.size() + 1) == text;
    }
  }
  return false;
}

void run_start(std::string_view input, std::size_t size) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view wanted = input.substr(0, end);
  const std::size_t equals = wanted.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = wanted.substr(0, equals);
  const std::string_view text = wanted.substr(equals + 1);
  if (wanted.find('\0') != std::string_view::npos) return;  // no variable of a process has one
  if (name.size() > 127) return;                            // no launcher's is as long
  const std::string_view file = input.substr(end + 1);
  const HeapBytes heap;
  rankmap::StartQuestion question{name, text, {}};
  StartSearch search({&question, 1});
  for (std::size_t at = 0; at < file.size(); at += size) search.add(file.substr(at, size));
  search.end();
  const std::optional<bool> found = question.is_same;
  require(heap.asked() == 0, "no memory is asked for");
  require(found == found_in(file, std::string(name), text),
          "a variable is found in pieces as in the whole", file);
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.empty()) return;
  const auto first = static_cast<unsigned char>(input[0]);
  if (first % 2 == 0) {
    run_stat(input.substr(1));
  } else {
    run_start(input.substr(1), std::size_t{first} / 2 + 1);
  }
}
