// SPDX-License-Identifier: MIT
// The spellings of a set of CPUs: lists of ranges, hexadecimal masks, Slurm's lists of masks. Each
// is read entry by entry.
#ifndef RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP
#define RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr int cpu_capacity = 8192;
inline constexpr std::size_t cpu_text_capacity = 65536;

constexpr Optional<Error> cpu_text_too_long(std::string_view text, std::string_view subject) {
  if (text.size() <= cpu_text_capacity) return std::nullopt;
  return error_at(Errc::limit_exceeded, subject, text, "at most 65536 bytes", "shorten it");
}

/// An entry of "0-3,8,16-30:2", or what is wrong with it.
struct CpuRange {
  int first = 0;
  int last = 0;
  int stride = 1;
  Errc code = Errc::not_a_number;
  std::string_view expected;  ///< empty: nothing is wrong

  constexpr explicit CpuRange(std::string_view entry) {
    const std::size_t dash = entry.find('-');
    const std::size_t colon = entry.find(':');
    const bool range = dash != std::string_view::npos;
    const bool strided = range && colon != std::string_view::npos && colon > dash;
    first = number(entry.substr(0, dash));
    last = first;
    if (range) last = number(entry.substr(dash + 1, strided ? colon - dash - 1 : colon));
    if (strided) stride = number(entry.substr(colon + 1));
    if (last < first || stride == 0) {
      fail(Errc::out_of_range, "a range from low to high, with a stride of 1 or more");
    }
  }

 private:
  constexpr int number(std::string_view digits) {
    const Number value = parse_number(digits);
    if (value.state == NumberState::too_large ||
        (value && value.value >= static_cast<std::uint64_t>(cpu_capacity))) {
      fail(Errc::number_too_large, "CPUs below 8192");
    } else if (!value) {
      fail(Errc::not_a_number, "numbers and ranges such as 0-3,8");
    } else {
      return static_cast<int>(value.value);
    }
    return 0;
  }
  constexpr void fail(Errc why, std::string_view what) {
    if (!expected.empty()) return;
    code = why;
    expected = what;
  }
};

/// The digits of a mask that are not zero, from the lowest, each with the CPU of its lowest bit.
class CpuMaskCursor {
 public:
  /// The mask at [begin, end) of a longer text, which errors show in full.
  constexpr CpuMaskCursor(std::string_view whole, std::size_t begin, std::size_t end,
                          std::string_view subject)
      : whole_(whole),
        text_(trimmed(whole.substr(begin, end - begin))),
        begin_(static_cast<std::size_t>(text_.data() - whole.data())),
        subject_(subject),
        error_(cpu_text_too_long(whole, subject)),
        at_(text_.size()),
        words_(text_.find(',') != std::string_view::npos) {
    if (!error_ && text_.empty()) fail(Errc::not_a_number, "a hexadecimal mask", 0);
  }

  constexpr bool next() {
    while (!error_ && at_ != 0) {
      const std::size_t here = --at_;
      const char c = text_[here];
      if (c == ',') {
        if (here == 0) fail(Errc::not_a_number, "hexadecimal digits before ','", here);
        ++word_;
        in_word_ = 0;
        continue;
      }
      if ((c == 'x' || c == 'X') && in_word_ > 0 && here != 0 && text_[here - 1] == '0' &&
          (here == 1 || text_[here - 2] == ',')) {
        --at_;  // "0x"
        continue;
      }
      const unsigned value = hex_value(c);
      if (value > 15) return fail(Errc::not_a_number, "hexadecimal digits", here);
      if (words_ && in_word_ == 8) {
        return fail(Errc::not_a_number, "words of at most 8 digits, or one longer mask", here);
      }
      position_ = words_ ? word_ * 32 + in_word_ * 4 : in_word_ * 4;
      ++in_word_;
      if (value == 0) continue;
      if (position_ + 3 >= cpu_capacity) {
        return fail(Errc::number_too_large, "CPUs below 8192", here);
      }
      digit_ = value;
      return true;
    }
    return false;
  }
  constexpr unsigned digit() const { return digit_; }
  constexpr int position() const { return position_; }
  constexpr const Optional<Error>& error() const { return error_; }

 private:
  constexpr bool fail(Errc code, std::string_view expected, std::size_t at) {
    error_ = error_at(code, subject_, whole_, expected, "correct the mask",
                      static_cast<std::int64_t>(begin_ + at));
    return false;
  }

  std::string_view whole_;
  std::string_view text_;
  std::size_t begin_;  ///< of text_ in whole_
  std::string_view subject_;
  Optional<Error> error_;
  std::size_t at_;
  bool words_;
  int word_ = 0;
  int in_word_ = 0;
  unsigned digit_ = 0;
  int position_ = 0;
};

/// "mask*3" in its two parts; without a count it is 1, with a bad one 0.
struct CountedMask {
  std::string_view mask;
  std::uint64_t count = 1;
};
constexpr CountedMask counted_mask(std::string_view entry) {
  const std::size_t star = entry.find('*');
  if (star == std::string_view::npos) return {entry, 1};
  const Number count = parse_number(entry.substr(star + 1));
  // No node runs a million tasks; larger counts could overflow a sum.
  const bool fits = count && count.value <= 1'000'000;
  return {entry.substr(0, star), fits ? count.value : 0};
}

/// How many masks the list has, counts included. Checks all of them, so that every task gets the
/// same error.
constexpr Result<std::uint64_t> mask_count(std::string_view masks, std::string_view subject) {
  std::uint64_t total = 0;
  for (ListEntries entries(masks); entries.next();) {
    const std::size_t at = entries.begin();
    const CountedMask entry = counted_mask(entries.text());
    CpuMaskCursor mask(masks, at, at + entry.mask.size(), subject);
    while (mask.next()) {
    }
    if (const auto error = mask.error()) return *error;
    if (entry.count == 0) {
      return error_at(Errc::out_of_range, subject, masks, "counts from 1 to 1000000 after '*'",
                      "correct the count", static_cast<std::int64_t>(at));
    }
    total += entry.count;
  }
  return total;
}

/// The nth mask. Precondition: mask_count is a value above n.
constexpr std::string_view nth_mask(std::string_view masks, std::uint64_t n) {
  CountedMask entry;
  for (ListEntries entries(masks); entries.next(); n -= entry.count) {
    entry = counted_mask(entries.text());
    if (n < entry.count) break;
  }
  return entry.mask;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP
