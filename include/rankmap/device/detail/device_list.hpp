// SPDX-License-Identifier: MIT
// The devices that a visibility variable lists, and what is known of those it chooses from.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/visibility.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// One visible device. Its text is part of the variable of layer `layer`.
struct DeviceEntry {
  int id = -1;                    ///< -1: not a number, or not known
  std::uint64_t sub_devices = 0;  ///< bit s: sub-device s alone; 0: the whole device
  std::uint16_t offset = 0;
  std::uint16_t length = 0;
  std::uint8_t layer = 0;
  bool by_name = false;
};

struct DeviceList : VisibilityReading {
  static constexpr int capacity = 128;

  int size = 0;
  bool checked = true;  ///< every entry was checked against the existing devices
  DeviceEntry entries[static_cast<std::size_t>(capacity)] = {};

  constexpr DeviceEntry& operator[](int i) { return entries[i]; }
  constexpr const DeviceEntry& operator[](int i) const { return entries[i]; }
  constexpr void cut(int new_size, ParseStop reason, std::size_t at) {
    for (int i = new_size; i < size; ++i) (*this)[i] = DeviceEntry{};
    size = new_size;
    stop = reason;
    position = at;
  }
  constexpr void end_as(Visibility how, ParseStop reason, std::size_t at) {
    cut(0, reason, at);
    state = how;
  }
};

/// The inventory that a variable chooses from: what the variables before it left.
struct LayerInventory {
  std::optional<int> count = {};
  std::span<const std::string_view> uuids;  ///< of the whole node
  const DeviceList* through = nullptr;      ///< the layer before, where it renumbered
  std::optional<DeviceHierarchy> hierarchy = {};
  std::optional<int> sub_devices = {};

  constexpr int named() const {
    if (uuids.empty()) return 0;
    return through != nullptr ? through->size : static_cast<int>(uuids.size());
  }
  constexpr std::string_view uuid(int i) const {
    const int id = through != nullptr ? (*through)[i].id : i;
    if (static_cast<std::size_t>(id) >= uuids.size()) return {};  // below 0, too
    return uuids[static_cast<std::size_t>(id)];
  }
};

/// Whether an entry names this device. Preconditions: entries of this vendor may be names, and the
/// text is not empty.
constexpr bool uuid_matches(Uuid how, std::string_view device, std::string_view text) {
  if (how == Uuid::exact) return device == text;
  if (how == Uuid::cuda) return device.substr(0, text.size()) == text;
  if (how == Uuid::rocr) return equal_ignoring_case(device.substr(0, text.size()), text);
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
RANKMAP_RARE constexpr int device_named(Uuid how, const LayerInventory& known,
                                        std::string_view text, ParseStop& reason) {
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

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP
