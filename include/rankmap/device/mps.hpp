// SPDX-License-Identifier: MIT
// NVIDIA's Multi-Process Service, by which processes share a device: what its variables say.
#ifndef RANKMAP_DEVICE_MPS_HPP
#define RANKMAP_DEVICE_MPS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// What the variables of MPS say. They may be set where no daemon runs: then a process uses its
/// device without MPS. And a daemon at the default place needs none of them.
struct MpsSettings {
  StaticString<255> pipe_directory;  ///< where its daemon is; empty: not set
  std::optional<int> percentage;     ///< of a device's threads for this process, 1 to 100
  std::optional<int> priority;       ///< 0 is normal, 1 is below it
  bool limits_memory = false;        ///< whether memory is limited; see mps_memory_limit

  /// Whether any variable of a client of MPS is set.
  constexpr bool is_set() const {
    return !pipe_directory.empty() || percentage || priority || limits_memory;
  }
  [[deprecated("use is_set")]] constexpr bool is_told() const { return is_set(); }
};

namespace detail {

inline constexpr std::string_view mps_memory_variable = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";

/// The text of a variable; nothing if it is empty, too.
constexpr std::optional<std::string_view> mps_text(const Environment auto& environment,
                                                   std::string_view name) {
  const std::optional<std::string_view> text = environment(name);
  return text && !text->empty() ? text : std::nullopt;
}

RANKMAP_RARE constexpr Error mps_error(std::string_view variable, std::string_view text,
                                       std::string_view expected,
                                       std::size_t position = std::string_view::npos) {
  return error_at(Errc::out_of_range, variable, text, expected, "correct or unset it", position);
}

/// "512M" or "1G" in bytes; "1GB" and lower case, too. Nothing for any other text.
constexpr Optional<std::uint64_t> mps_bytes(std::string_view text) {
  if (!text.empty() && to_lower(text.back()) == 'b') text.remove_suffix(1);
  const char unit = text.empty() ? ' ' : to_lower(text.back());
  const unsigned shift = unit == 'g' ? 30 : unit == 'm' ? 20 : 0;
  if (shift == 0) return {};
  const Number number = parse_number(text.substr(0, text.size() - 1));
  if (number.value == 0 || number.value > UINT64_MAX >> shift) return {};
  return number.value << shift;
}

/// The limit of a device in "0=1G,1=512M"; nothing if none names it. Another text is an error.
constexpr Result<std::optional<std::uint64_t>> mps_limit(std::string_view text, int device) {
  std::optional<std::uint64_t> limit;
  for (ListEntries entries(text); entries.next();) {
    const auto [number, size] = split_at(trimmed(entries.text()), '=');
    const Number entry = parse_number(number);
    const auto bytes = mps_bytes(size.value_or(""));
    if (!entry || entry.value > INT32_MAX || !bytes) {
      return mps_error(mps_memory_variable, text, "DEVICE=LIMIT in each entry, as in 0=1G,1=512M",
                       entries.begin());
    }
    if (static_cast<int>(entry.value) == device) limit = *bytes;
  }
  return limit;
}

}  // namespace detail

/// What the variables of MPS say to this process.
///
/// Reads CUDA_MPS_PIPE_DIRECTORY, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, CUDA_MPS_CLIENT_PRIORITY and
/// CUDA_MPS_PINNED_DEVICE_MEM_LIMIT; one that is empty counts as not set. A percentage with a
/// fraction is rounded up. Whether a daemon runs, and whether it shows MLOPart devices, is in no
/// variable. Errors: out_of_range (a text that is none of these). O(length); no allocation.
/// Source: NVIDIA's MPS documentation, "Environment Variables".
template <Environment Env>
constexpr Result<MpsSettings> read_mps(const Env& environment) {
  MpsSettings settings;
  settings.pipe_directory = detail::mps_text(environment, "CUDA_MPS_PIPE_DIRECTORY").value_or("");
  constexpr std::string_view share = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
  if (const auto text = detail::mps_text(environment, share)) {
    const auto [digits, decimals] = detail::split_at(*text, '.');
    const detail::Number whole = detail::parse_number(digits);
    bool is_fraction = false;
    bool is_number = whole && whole.value <= 100;
    for (const char c : decimals.value_or("")) {
      is_number = is_number && detail::is_digit(c);
      is_fraction = is_fraction || c != '0';
    }
    const std::uint64_t percentage = whole.value + (is_fraction ? 1U : 0U);
    if (!is_number || percentage == 0 || percentage > 100) {
      return detail::mps_error(share, *text, "a percentage above 0, at most 100");
    }
    settings.percentage = static_cast<int>(percentage);
  }
  constexpr std::string_view priority = "CUDA_MPS_CLIENT_PRIORITY";
  if (const auto text = detail::mps_text(environment, priority)) {
    if (*text != "0" && *text != "1") return detail::mps_error(priority, *text, "0 or 1");
    settings.priority = *text == "1" ? 1 : 0;
  }
  if (const auto text = detail::mps_text(environment, detail::mps_memory_variable)) {
    const auto limit = detail::mps_limit(*text, -1);
    if (!limit) return limit.error();
    settings.limits_memory = true;
  }
  return settings;
}

/// How many bytes of device `device` this process may take; nothing without a limit.
///
/// `device`: by the number that the variable counts with, which is the daemon's. If several entries
/// name one, the last counts. Errors: those of read_mps for this variable. O(length).
template <Environment Env>
constexpr Result<std::optional<std::uint64_t>> mps_memory_limit(const Env& environment,
                                                                int device) {
  const auto text = detail::mps_text(environment, detail::mps_memory_variable);
  if (!text) return std::optional<std::uint64_t>();
  return detail::mps_limit(*text, device);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_MPS_HPP
