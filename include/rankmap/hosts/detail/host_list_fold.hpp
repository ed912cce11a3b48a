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

/// The number a name ends in (Slurm's rule). Of a name that ends otherwise the last number of its
/// first label (node1-ib, ip-10-0-0-1.ec2.internal) or, where that has none, of all.
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
    add_numbers(parts.prefix, parts.suffix, number.value, number.value, parts.digits.size());
  }

  /// The names prefix + number + suffix for the numbers low to high, at least `width` digits each.
  /// Precondition: these are the parts of each by numbered_name().
  constexpr void add_numbers(std::string_view prefix, std::string_view suffix, std::uint64_t low,
                             std::uint64_t high, std::size_t width) {
    if (open_ && prefix == prefix_.view() && suffix == suffix_.view()) {
      const std::size_t digits = decimal_digits(low);
      const bool next = high_ != UINT64_MAX && low == high_ + 1;
      if (next && (width == width_ || (width <= digits && width_ <= digits))) {
        high_ = high;
        return;
      }
      write_range(false);
    } else {
      start_token(prefix);
      prefix_ = HostName(prefix);
      suffix_ = HostName(suffix);
      open_ = true;
      in_bracket_ = false;
    }
    low_ = low;
    high_ = high;
    width_ = width;
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
    const bool has_brackets = in_bracket_ || !is_last || low_ != high_;
    if (has_brackets) out_.append(in_bracket_ ? ',' : '[');
    in_bracket_ = has_brackets;
    out_.append_number(low_, width_);
    if (low_ != high_) out_.append('-').append_number(high_, width_);
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
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
  std::size_t width_ = 0;
  bool open_ = false;
  bool in_bracket_ = false;
};

/// The folded text of a validated list of `size` hosts. O(text) where its ranges are those of the
/// folded one, as in anything that was folded before; else O(hosts).
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
      folder.add_numbers(parts.prefix, parts.suffix, range.low, range.high, range.width);
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
