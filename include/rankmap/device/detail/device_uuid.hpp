// SPDX-License-Identifier: MIT
//
// Devices named by their identifier, in each vendor's way.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_UUID_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_UUID_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/visibility.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Whether an entry is a name and not a number.
constexpr bool is_uuid(Uuid uuid, std::string_view text) {
  switch (uuid) {
    case Uuid::none:
    case Uuid::cuda:
      return false;  // decided by the first entry for the whole list
    case Uuid::rocr:
      return text.size() >= 5 && text.size() <= 20 &&
             equal_ignoring_case(text.substr(0, 4), "GPU-");
    case Uuid::hip:
      return text.find("GPU-") != std::string_view::npos;
    case Uuid::exact:
      break;
  }
  return text.size() >= 36 && text.find('-') != std::string_view::npos;
}

/// Whether an entry names this device.
constexpr bool uuid_matches(Uuid how, std::string_view device, std::string_view text) {
  if (device.empty()) return false;
  switch (how) {
    case Uuid::none:  // GCOVR_EXCL_LINE: such a grammar has no names to look for
      return false;   // GCOVR_EXCL_LINE
    case Uuid::exact:
      return device == text;
    case Uuid::cuda:
      return device.substr(0, text.size()) == text;
    case Uuid::rocr:
      return equal_ignoring_case(device.substr(0, text.size()), text);
    case Uuid::hip:
      break;
  }
  // HIP holds "GPU-" and sixteen lower-case digits, and looks for the text in that.
  const auto lowered = [&](std::size_t i) { return i < 4 ? device[i] : to_lower(device[i]); };
  for (std::size_t at = 0; at + text.size() <= device.size(); ++at) {
    std::size_t same = 0;
    while (same != text.size() && lowered(at + same) == text[same]) ++same;
    if (same == text.size()) return true;
  }
  return false;
}

/// The device with this name, or -1 and the reason.
constexpr int device_named(Uuid how, const KnownDevices& known, std::string_view text,
                           ParseStop& reason) {
  int found = -1;
  reason = ParseStop::unknown_uuid;
  for (int i = 0; i < known.named(); ++i) {
    if (!uuid_matches(how, known.uuid(i), text)) continue;
    if (found >= 0) {
      reason = ParseStop::ambiguous_uuid;
      return -1;
    }
    found = i;
    if (how == Uuid::hip || how == Uuid::exact) break;  // these take the first
  }
  return found;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_UUID_HPP
