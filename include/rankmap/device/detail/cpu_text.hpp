// SPDX-License-Identifier: MIT
//
// The spellings of a set of processors: lists of ranges, hexadecimal masks, Slurm's lists of masks.
// Each is read entry by entry; what an entry means is up to the caller.
#ifndef RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP
#define RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

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

/// The entries of "0-3,8,16-30:2" in turn.
class CpuListCursor {
 public:
  constexpr CpuListCursor(std::string_view text, std::string_view subject)
      : text_(text), subject_(subject), error_(cpu_text_too_long(text, subject)) {}

  constexpr bool next() {
    while (!error_ && at_ <= text_.size()) {
      const std::size_t comma = text_.find(',', at_);
      const std::size_t end = comma == std::string_view::npos ? text_.size() : comma;
      const std::size_t begin = at_;
      at_ = end + 1;
      const std::string_view entry = trimmed(text_.substr(begin, end - begin));
      if (entry.empty()) continue;
      read(entry, begin);
      return !error_;
    }
    return false;
  }
  constexpr int first() const { return first_; }
  constexpr int last() const { return last_; }
  constexpr int stride() const { return stride_; }
  constexpr const Optional<Error>& error() const { return error_; }

 private:
  constexpr void read(std::string_view entry, std::size_t at) {
    const std::size_t dash = entry.find('-');
    const std::size_t colon = entry.find(':');
    const bool range = dash != std::string_view::npos;
    const bool strided = range && colon != std::string_view::npos && colon > dash;
    first_ = number(entry.substr(0, dash), at);
    last_ = first_;
    stride_ = 1;
    if (range) last_ = number(entry.substr(dash + 1, strided ? colon - dash - 1 : colon), at);
    if (strided) stride_ = number(entry.substr(colon + 1), at);
    if (!error_ && (last_ < first_ || stride_ == 0)) {
      fail(Errc::out_of_range, "a range that runs up, with a stride of 1 or more", at);
    }
  }

  constexpr int number(std::string_view digits, std::size_t at) {
    const Number value = parse_number(digits);
    if (value.state == NumberState::too_large ||
        (value && value.value >= static_cast<std::uint64_t>(cpu_capacity))) {
      fail(Errc::number_too_large, "processors below 8192", at);
    } else if (!value) {
      fail(Errc::not_a_number, "numbers and ranges such as 0-3,8", at);
    } else {
      return static_cast<int>(value.value);
    }
    return 0;
  }
  constexpr void fail(Errc code, std::string_view expected, std::size_t at) {
    if (error_) return;
    error_ = error_at(code, subject_, text_, expected, "correct the list",
                      static_cast<std::int64_t>(at));
  }

  std::string_view text_;
  std::string_view subject_;
  Optional<Error> error_;
  std::size_t at_ = 0;
  int first_ = 0;
  int last_ = 0;
  int stride_ = 1;
};

/// The digits of a mask that are not zero, from the lowest, each with the processor of its lowest
/// bit.
class CpuMaskCursor {
 public:
  constexpr CpuMaskCursor(std::string_view text, std::string_view subject)
      : CpuMaskCursor(text, 0, text.size(), subject) {}
  /// The mask at [begin, end) of a longer text, which errors show whole.
  constexpr CpuMaskCursor(std::string_view whole, std::size_t begin, std::size_t end,
                          std::string_view subject)
      : whole_(whole),
        text_(trimmed(whole.substr(begin, end - begin))),
        begin_(begin),
        subject_(subject),
        error_(cpu_text_too_long(whole, subject)) {
    while (begin_ != end && is_blank(whole[begin_])) ++begin_;
    words_ = text_.find(',') != std::string_view::npos;
    at_ = text_.size();
    if (!error_ && text_.empty()) {
      fail(Errc::not_a_number, "a hexadecimal mask", 0);
    }
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
      if (value > 15) {
        fail(Errc::not_a_number, "hexadecimal digits", here);
        break;
      }
      if (words_ && in_word_ == 8) {
        fail(Errc::not_a_number, "words of at most 8 digits; a longer mask stands alone", here);
        break;
      }
      position_ = words_ ? word_ * 32 + in_word_ * 4 : in_word_ * 4;
      ++in_word_;
      if (value == 0) continue;
      if (position_ + 3 >= cpu_capacity) {
        fail(Errc::number_too_large, "processors below 8192", here);
        break;
      }
      digit_ = static_cast<unsigned>(value);
      return true;
    }
    return false;
  }
  constexpr unsigned digit() const { return digit_; }
  constexpr int position() const { return position_; }
  constexpr const Optional<Error>& error() const { return error_; }

 private:
  constexpr void fail(Errc code, std::string_view expected, std::size_t at) {
    error_ = error_at(code, subject_, whole_, expected, "correct the mask",
                      static_cast<std::int64_t>(begin_ + at));
  }

  std::string_view whole_;
  std::string_view text_;
  std::size_t begin_;  ///< of text_ in whole_
  std::string_view subject_;
  Optional<Error> error_;
  std::size_t at_ = 0;
  bool words_ = false;
  int word_ = 0;
  int in_word_ = 0;
  unsigned digit_ = 0;
  int position_ = 0;
};

/// "mask*3" parted; a count that is not there is 1.
struct CountedMask {
  std::string_view mask;
  std::uint64_t count = 1;
};
constexpr CountedMask counted_mask(std::string_view entry) {
  const std::size_t star = entry.find('*');
  if (star == std::string_view::npos) return {entry, 1};
  const Number count = parse_number(entry.substr(star + 1));
  // No node runs a million tasks; a count beyond that would only invite overflow.
  const bool fits = count && count.value <= 1'000'000;
  return {entry.substr(0, star), fits ? count.value : 0};
}

/// How many masks the list stands for. All are checked, so that every task is told the same error.
constexpr Result<std::uint64_t> mask_count(std::string_view masks, std::string_view subject) {
  std::uint64_t total = 0;
  for (std::size_t at = 0; at <= masks.size();) {
    const std::size_t comma = masks.find(',', at);
    const std::size_t end = comma == std::string_view::npos ? masks.size() : comma;
    const CountedMask entry = counted_mask(masks.substr(at, end - at));
    CpuMaskCursor mask(masks, at, at + entry.mask.size(), subject);
    while (mask.next()) {
    }
    if (const auto error = mask.error()) return *error;
    if (entry.count == 0) {
      return error_at(Errc::out_of_range, subject, masks, "counts from 1 to 1000000 after '*'",
                      "correct the count", static_cast<std::int64_t>(at));
    }
    total += entry.count;
    at = end + 1;
  }
  return total;
}

/// The nth mask; precondition: mask_count is a value above n.
constexpr std::string_view nth_mask(std::string_view masks, std::uint64_t n) {
  for (std::size_t at = 0;;) {
    const std::size_t comma = masks.find(',', at);
    const std::size_t end = comma == std::string_view::npos ? masks.size() : comma;
    const CountedMask entry = counted_mask(masks.substr(at, end - at));
    if (n < entry.count || comma == std::string_view::npos) return entry.mask;
    n -= entry.count;
    at = end + 1;
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP
