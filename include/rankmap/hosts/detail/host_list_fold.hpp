// SPDX-License-Identifier: MIT
// From names to a compressed list, one name at a time: what `scontrol show hostlist` prints, and
// for names that do not end in a number the suffix form of newer Slurm.
#ifndef RANKMAP_HOSTS_DETAIL_HOST_LIST_FOLD_HPP
#define RANKMAP_HOSTS_DETAIL_HOST_LIST_FOLD_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/hosts/detail/host_cursor.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A name around the number that folding uses; without one all of it is the suffix.
struct NumberedName {
  std::string_view prefix;
  std::string_view digits;
  std::string_view suffix;
};

/// The number that a name ends in (Slurm's rule). If it ends in none, the last number of its first
/// label (node1-ib, ip-10-0-0-1.ec2.internal) or, if that has none, of the whole name.
constexpr NumberedName numbered_name(std::string_view name) {
  const auto last_number = [name](std::size_t end) {
    while (end != 0 && !is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin != 0 && is_digit(name[begin - 1])) --begin;
    return NumberedName{name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
  };
  if (name.find(']') != name.npos) return {{}, {}, name};  // only a plain token can hold it
  const bool ends_in_number = !name.empty() && is_digit(name.back());
  const std::size_t label = ends_in_number ? name.size() : name.substr(0, name.find('.')).size();
  const NumberedName parts = last_number(label);
  return parts.digits.empty() ? last_number(name.size()) : parts;
}

/// Folds a sequence of names; order and duplicates are kept. Linear in the bytes added.
class HostFolder {
 public:
  /// Precondition: `name` is a legal host name of at most 255 bytes.
  constexpr void add(std::string_view name) {
    const NumberedName parts = numbered_name(name);
    const Number number = parse_number(parts.digits);
    if (!number) return start_token(name);
    add_numbers(parts, {number.value, number.value, parts.digits.size()});
  }

  /// Adds a name for each number of a range. Precondition: numbered_name() splits all as `parts`.
  constexpr void add_numbers(const NumberedName& parts, const HostRange& range) {
    if (open_ && parts.prefix == prefix_.view() && parts.suffix == suffix_.view()) {
      const std::size_t digits = decimal_digits(range.low);
      const std::size_t width = range.width;
      const bool next = range_.high != UINT64_MAX && range.low == range_.high + 1;
      if (next && (width == range_.width || (width <= digits && range_.width <= digits))) {
        range_.high = range.high;
        return;
      }
      write_range(false);
    } else {
      start_token(parts.prefix);
      prefix_ = HostName(parts.prefix);
      suffix_ = HostName(parts.suffix);
      open_ = true;
      in_bracket_ = false;
    }
    range_ = range;
  }

  constexpr SmallString finish() {
    close();
    out_.shrink_to_fit();
    return static_cast<SmallString&&>(out_);
  }

 private:
  // Ends the token before, and writes the head of another one.
  constexpr void start_token(std::string_view head) {
    close();
    if (!out_.empty()) out_.append(',');
    out_.append(head);
  }
  // A token that has one number alone needs no brackets.
  RANKMAP_NOINLINE constexpr void write_range(bool is_last) {
    const bool has_brackets = in_bracket_ || !is_last || range_.low != range_.high;
    if (has_brackets) out_.append(in_bracket_ ? ',' : '[');
    in_bracket_ = has_brackets;
    out_.append_number(range_.low, range_.width);
    if (range_.low != range_.high) out_.append('-').append_number(range_.high, range_.width);
  }
  RANKMAP_NOINLINE constexpr void close() {
    if (!open_) return;
    open_ = false;
    write_range(true);
    if (in_bracket_) out_.append(']');
    out_.append(suffix_.view());
  }

  SmallString out_;
  HostName prefix_;
  HostName suffix_;
  HostRange range_;
  bool open_ = false;
  bool in_bracket_ = false;
};

/// The folded text of a validated list of `size` hosts. O(text) where both have the same ranges, as
/// in a text that was folded before, else O(hosts).
constexpr SmallString folded(std::string_view text, std::size_t size) {
  HostFolder folder;
  HostCursor cursor(text);
  for (std::size_t i = 0; i != size;) {
    cursor.seek(i);
    const HostName name = cursor.name();
    const NumberedName parts = cursor.in_range() ? numbered_name(name) : NumberedName();
    const HostRange range = cursor.in_range() ? cursor.rest_of_range() : HostRange();
    if (cursor.in_range() && parts.suffix.size() == cursor.suffix().size() &&
        parts.digits.size() == range.length(range.low)) {
      folder.add_numbers(parts, range);
      i += to_size(range.count());
    } else {
      folder.add(name);
      ++i;
    }
  }
  return folder.finish();
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_HOST_LIST_FOLD_HPP
