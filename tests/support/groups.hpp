// SPDX-License-Identifier: MIT
//
// Groups as text, "0,2|1,3", so that the tables of the tests read like those of the papers and
// manuals they come from. Checked at compile time too.
#ifndef RANKMAP_TESTS_SUPPORT_GROUPS_HPP
#define RANKMAP_TESTS_SUPPORT_GROUPS_HPP

#include <rankmap/mesh/mesh.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace rankmap_test {

/// Takes "0,3" or a stretch "4-7" apart and compares. A text that ends in '~' is a beginning only.
class GroupText {
 public:
  constexpr explicit GroupText(std::string_view text) : text_(text) {}
  constexpr bool takes(int rank, bool first_of_group) {
    if (left_in_stretch_ != 0) {
      --left_in_stretch_;
      return !first_of_group && rank == ++last_;
    }
    if (is_open_end()) return true;
    if (at_ != 0 && !takes_char(first_of_group ? '|' : ',')) return false;
    if (is_open_end()) return true;
    last_ = number();
    if (at_ != text_.size() && text_[at_] == '-') {
      ++at_;
      left_in_stretch_ = number() - last_;
    }
    return rank == last_;
  }
  constexpr bool takes(const rankmap::Mesh::Group& group) {
    bool first = true;
    for (const int rank : group) {
      if (!takes(rank, first)) return false;
      first = false;
    }
    return true;
  }
  constexpr bool is_at_end() const {
    return left_in_stretch_ == 0 && (at_ == text_.size() || is_open_end());
  }

 private:
  constexpr bool is_open_end() const { return at_ != text_.size() && text_[at_] == '~'; }
  constexpr bool takes_char(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  constexpr int number() {
    int value = at_ == text_.size() ? -1 : 0;
    while (at_ != text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }
  std::string_view text_;
  std::size_t at_ = 0;
  int last_ = -1;
  int left_in_stretch_ = 0;
};

constexpr bool groups_are(const rankmap::Mesh::Groups& groups, std::string_view text) {
  GroupText expected(text);
  for (const auto& group : groups) {
    if (!expected.takes(group)) return false;
  }
  return expected.is_at_end();
}

constexpr bool group_is(const rankmap::Mesh::Group& group, std::string_view text) {
  GroupText expected(text);
  return expected.takes(group) && expected.is_at_end();
}

inline std::string to_text(const rankmap::Mesh::Groups& groups) {
  std::string out;
  for (const auto& group : groups) {
    if (!out.empty()) out += '|';
    bool first = true;
    for (const int rank : group) {
      if (!first) out += ',';
      out += std::to_string(rank);
      first = false;
    }
  }
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_GROUPS_HPP
