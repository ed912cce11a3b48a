// SPDX-License-Identifier: MIT
#include "fuzz.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace rankmap_fuzz {

bool goes_on = false;

void require(bool holds, std::string_view sentence, std::string_view about) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  if (!about.empty()) {
    std::fprintf(stderr, "about: %.*s\n", static_cast<int>(about.size()), about.data());
  }
  if (!goes_on) std::abort();
  tally("wrong");
}

std::vector<std::pair<std::string_view, std::size_t>>& tallies() {
  static std::vector<std::pair<std::string_view, std::size_t>> list;
  return list;
}
void tally(std::string_view outcome) {
  for (auto& [name, count] : tallies()) {
    if (name == outcome) {
      ++count;
      return;
    }
  }
  tallies().emplace_back(outcome, 1);
}

thread_local std::size_t heap_bytes_asked = 0;

HeapBytes::HeapBytes() : before_(heap_bytes_asked) {}
std::size_t HeapBytes::asked() const { return heap_bytes_asked - before_; }

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

void require_good_error(const rankmap::Error& error, std::size_t input_size) {
  const rankmap::Message text = message(error);
  require(!error.subject.empty(), "an error names what it is about", text);
  require(!error.expected.empty(), "an error says what was expected", text);
  require(!error.remedy.empty(), "an error says what to do", text);
  require(!text.cut() && !error.subject.cut() && !error.expected.cut() && !error.remedy.cut(),
          "an error is told whole", text);
  // A text that was cut before it came into the error fills the room that it has there. What was
  // expected may name all that the program passed, such as the axes of a mesh.
  require(error.remedy.size() < 159, "a remedy is whole", text);
  require(is_printable(text), "a message is one line of printable ASCII", text);
  require(error.position >= -1 && error.position <= static_cast<std::int64_t>(input_size),
          "an error stands within its text", text);
}

char separator_of(std::string_view input) {
  return input.find('\0') == std::string_view::npos ? '\n' : '\0';
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool has_line(const std::vector<std::string_view>& lines, std::string_view name) {
  return value_of(lines, name).data() != nullptr;
}

std::string_view value_of(const std::vector<std::string_view>& lines, std::string_view name,
                          std::string_view otherwise) {
  for (const std::string_view line : lines) {
    if (line.size() > name.size() && line[name.size()] == '=' &&
        line.substr(0, name.size()) == name) {
      return line.substr(name.size() + 1);
    }
  }
  return otherwise;
}

int int_of(std::string_view text) {
  long long value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) return text[0] == '-' ? INT_MIN : INT_MAX;
  if (value > INT_MAX) return INT_MAX;
  return value < INT_MIN ? INT_MIN : static_cast<int>(value);
}

}  // namespace rankmap_fuzz
