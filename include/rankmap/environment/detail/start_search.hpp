// SPDX-License-Identifier: MIT
// One variable in the environment that a process started with, as /proc/PID/environ shows it:
// proc_pid_environ(5). That may be megabytes, so it is never held as a whole.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Compares the first entry of one name with a text. The entries are NAME=text with a NUL behind
/// each, and come in pieces that may end anywhere.
///
/// The kernel shows the process's own memory, and programs that set their title write it there:
/// over the first entries, or over all of them. An entry without '=', or an empty one, is a sign of
/// that. Then the entry behind it may be the rest of another one, so nothing is known from there
/// on.
class StartSearch {
 public:
  /// Views both.
  constexpr StartSearch(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  constexpr void add(std::string_view piece) {
    for (const char c : piece) {
      if (decided()) return;
      if (c == '\0') {
        end_entry();
      } else {
        add_to_entry(c);
      }
    }
  }
  /// Whether more pieces make no difference.
  constexpr bool decided() const { return found_ || overwritten_; }
  /// Whether the variable is there with this text; nothing if that is not known. To be called after
  /// the last piece. The last entry may lack its NUL.
  constexpr std::optional<bool> result() {
    if (!decided() && size_ != 0) end_entry();
    if (overwritten_ || !any_) return std::nullopt;
    return found_ && same_;
  }

 private:
  constexpr void add_to_entry(char c) {
    if (size_ < name_.size()) {
      has_name_ = has_name_ && c == name_[size_];
    } else if (size_ == name_.size()) {
      has_name_ = has_name_ && c == '=';
    } else {
      const std::size_t place = size_ - name_.size() - 1;
      has_text_ = has_text_ && place < text_.size() && c == text_[place];
    }
    is_variable_ = is_variable_ || c == '=';
    ++size_;
  }
  constexpr void end_entry() {
    any_ = true;
    overwritten_ = !is_variable_;
    found_ = has_name_ && size_ > name_.size();
    same_ = has_text_ && size_ == name_.size() + 1 + text_.size();
    size_ = 0;
    has_name_ = has_text_ = true;
    is_variable_ = false;
  }

  std::string_view name_;
  std::string_view text_;
  // the entry so far
  std::size_t size_ = 0;
  bool has_name_ = true;
  bool has_text_ = true;
  bool is_variable_ = false;
  // all entries
  bool any_ = false;
  bool overwritten_ = false;
  bool found_ = false;
  bool same_ = false;
};

/// The most that is read of one environment. Linux gives a program's start 2 MiB by default.
inline constexpr std::size_t longest_start = std::size_t{2} << 20U;

/// The same for the pieces that `read(buffer, size)` returns: the last one is shorter than `size`,
/// and an error is nothing. An environment beyond `longest_start` counts as one that cannot be
/// read.
template <class Read>
constexpr std::optional<bool> search_start(Read&& read, std::string_view name,
                                           std::string_view text) {
  StartSearch search(name, text);
  char buffer[4096] = {};
  for (std::size_t total = 0; total < longest_start; total += sizeof buffer) {
    const std::optional<std::string_view> piece = read(buffer, sizeof buffer);
    if (!piece) return std::nullopt;
    search.add(*piece);
    if (search.decided() || piece->size() < sizeof buffer) return search.result();
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_START_SEARCH_HPP
