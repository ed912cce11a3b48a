// SPDX-License-Identifier: MIT
// The spellings of a set of CPUs in hexadecimal digits: masks, and Slurm's lists of masks.
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
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr int cpu_capacity = 8192;
inline constexpr std::size_t cpu_text_capacity = 65536;

constexpr Optional<Error> cpu_text_too_long(std::string_view text, std::string_view subject) {
  if (text.size() <= cpu_text_capacity) return std::nullopt;
  return error_at(Errc::limit_exceeded, subject, text, "at most 65536 bytes", "shorten it");
}

/// Reads the mask at [begin, end) of a longer text, which errors show in full. Sets its bits in
/// `words`. If these are empty, it is only checked.
constexpr Optional<Error> read_mask(std::string_view whole, std::size_t begin, std::size_t end,
                                    std::string_view subject, std::span<std::uint64_t> words) {
  if (const auto error = cpu_text_too_long(whole, subject)) return error;
  const std::string_view text = trimmed(whole.substr(begin, end - begin));
  const auto failed = [&](Errc code, std::string_view expected, std::size_t at) {
    return error_at(code, subject, whole, expected, "correct the mask",
                    static_cast<std::size_t>(text.data() - whole.data()) + at);
  };
  if (text.empty()) return failed(Errc::not_a_number, "a hexadecimal mask", 0);
  const bool has_commas = text.find(',') != std::string_view::npos;
  int comma = 0;   // commas behind this digit
  int digits = 0;  // digits between it and the next comma
  for (std::size_t at = text.size(); at-- != 0;) {
    const char c = text[at];
    if (c == ',') {
      if (at == 0) return failed(Errc::not_a_number, "hexadecimal digits before ','", at);
      ++comma;
      digits = 0;
      continue;
    }
    if ((c == 'x' || c == 'X') && digits > 0 && at != 0 && text[at - 1] == '0' &&
        (at == 1 || text[at - 2] == ',')) {
      --at;  // "0x"
      continue;
    }
    const unsigned value = hex_value(c);
    if (value > 15) return failed(Errc::not_a_number, "hexadecimal digits", at);
    if (has_commas && digits == 8) {
      return failed(Errc::not_a_number, "words of at most 8 digits, or one longer mask", at);
    }
    const int lowest = comma * 32 + digits * 4;
    ++digits;
    if (value == 0) continue;
    if (lowest >= cpu_capacity) return failed(Errc::number_too_large, "CPUs below 8192", at);
    const auto bit = static_cast<std::size_t>(lowest);
    if (!words.empty()) words[bit / 64] |= std::uint64_t{value} << (bit % 64);
  }
  return {};
}

/// "mask*3" in its two parts. A missing count is 1, a bad one 0.
struct CountedMask {
  std::string_view mask;
  std::uint64_t count = 1;
};
constexpr CountedMask counted_mask(std::string_view entry) {
  const auto [mask, digits] = split_at(entry, '*');
  const Number count = parse_number(digits.value_or("1"));
  // No node runs a million tasks; larger counts could overflow a sum.
  return {mask, count.value <= 1'000'000 ? count.value : 0};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_CPU_TEXT_HPP
