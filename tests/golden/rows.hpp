// SPDX-License-Identifier: MIT
//
// Reads the recorded files beside it: rows of tab-separated fields, '#' for remarks.
#ifndef RANKMAP_TESTS_GOLDEN_ROWS_HPP
#define RANKMAP_TESTS_GOLDEN_ROWS_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "../support/list.hpp"

namespace golden {

using rankmap_test::List;

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

inline std::vector<std::vector<std::string>> rows(const std::string& name) {
  std::ifstream file(std::string(RANKMAP_TEST_DIR) + "/golden/" + name);
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#' && line.rfind("dataset_size", 0) != 0) {
      out.push_back(split(line, '\t'));
    }
  }
  EXPECT_FALSE(out.empty()) << name;
  return out;
}

inline std::uint64_t number(const std::string& text) {  // negative numbers as two's complement
  return text[0] == '-' ? std::uint64_t{0} - std::stoull(text.substr(1)) : std::stoull(text);
}

inline List numbers(const std::string& text, char separator = ',') {
  List out;
  if (text.empty()) return out;
  for (const std::string& field : split(text, separator)) out.push_back(number(field));
  return out;
}

/// Over each value as a little-endian 64-bit integer.
inline std::string fnv1a64(const List& values) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const std::uint64_t value : values) {
    for (unsigned shift = 0; shift != 64; shift += 8) {
      digest = (digest ^ ((value >> shift) & 0xffU)) * 0x100000001b3U;
    }
  }
  std::string text;
  for (unsigned shift = 64; shift != 0; shift -= 4) {
    text += "0123456789abcdef"[(digest >> (shift - 4)) & 15U];
  }
  return text;
}

/// The digest of the long lists; `at` gives the i-th value.
template <class At>
std::string mixed_sum(std::uint64_t size, At at) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != size; ++i) {
    std::uint64_t x = (at(i) + 1) * 0x9e3779b97f4a7c15U;
    x ^= x >> 29U;
    sum += x * (2 * i + 1);
  }
  std::string text;
  for (unsigned shift = 64; shift != 0; shift -= 4) {
    text += "0123456789abcdef"[(sum >> (shift - 4)) & 15U];
  }
  return text;
}

}  // namespace golden

#endif  // RANKMAP_TESTS_GOLDEN_ROWS_HPP
