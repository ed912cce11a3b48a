// SPDX-License-Identifier: MIT
//
// What a visibility variable comes to: the list, and what is known of the devices it chooses from.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What the visibility variables say.
enum class Visibility : std::uint8_t {
  unset,    ///< no variable is set: every device
  all,      ///< a variable is set, and hides nothing
  none,     ///< no device
  list,     ///< these devices
  refused,  ///< the vendor's software would fail on this text
  unknown,  ///< set, but what it comes to cannot be known here
};

/// Why the reading of a list ended.
enum class Stop : std::uint8_t {
  end,                ///< it did not: the whole text was read
  bad_entry,          ///< an entry that is not in the vendor's grammar
  empty_entry,        ///< nothing between two commas
  repeated,           ///< a device named twice
  not_ascending,      ///< an id not above the one before it
  out_of_range,       ///< an id beyond the devices that there are
  unknown_uuid,       ///< a name that no device has
  ambiguous_uuid,     ///< the beginning of several devices' names
  second_instance,    ///< a second MIG instance: one process is shown one
  more_than_devices,  ///< more entries than devices: the vendor looks no further
  too_long,           ///< more than rankmap keeps: 1023 bytes of entries, 128 devices
  unsure,             ///< an empty text, of which it is not known what this vendor makes
  hierarchy_unknown,  ///< sub-devices, whose meaning ZE_FLAT_DEVICE_HIERARCHY decides
};

/// What a Level Zero device is. FLAT and COMBINED count tiles, COMPOSITE counts cards.
enum class DeviceHierarchy : std::uint8_t { composite, flat, combined };

namespace detail {

/// One visible device. The text stands in the variable of layer `layer`.
struct DeviceEntry {
  int id = -1;                    ///< -1: not a number, or not known
  std::uint64_t sub_devices = 0;  ///< bit s: sub-device s alone; 0: the whole device
  std::uint16_t offset;
  std::uint16_t length;
  std::uint8_t layer;
  bool by_name;
};

struct DeviceList {
  static constexpr int capacity = 128;
  static constexpr std::size_t text_capacity = 1023;

  Visibility state = Visibility::unset;
  Stop stop = Stop::end;
  std::size_t position = 0;  ///< byte at which the reading ended
  int skipped = 0;           ///< entries that the vendor passes over
  int size = 0;
  bool checked = true;  ///< every entry was held against the devices that there are
  DeviceEntry entries[static_cast<std::size_t>(capacity)] = {};

  constexpr DeviceEntry& operator[](int i) { return entries[static_cast<std::size_t>(i)]; }
  constexpr const DeviceEntry& operator[](int i) const {
    return entries[static_cast<std::size_t>(i)];
  }
  constexpr void cut(int new_size, Stop reason, std::size_t at) {
    for (int i = new_size; i < size; ++i) (*this)[i] = DeviceEntry{};
    size = new_size;
    stop = reason;
    position = at;
  }
  constexpr void end_as(Visibility how, Stop reason, std::size_t at) {
    cut(0, reason, at);
    state = how;
  }
};

/// What is known of the devices that a variable chooses from.
struct KnownDevices {
  std::optional<int> count;
  std::span<const std::string_view> uuids;  ///< of the whole node
  const DeviceList* through = nullptr;      ///< the layer before, where it renumbered
  std::optional<DeviceHierarchy> hierarchy;
  std::optional<int> sub_devices;

  constexpr int named() const {
    if (uuids.empty()) return 0;
    return through != nullptr ? through->size : static_cast<int>(uuids.size());
  }
  constexpr std::string_view uuid(int i) const {
    const int id = through != nullptr ? (*through)[i].id : i;
    if (id < 0 || static_cast<std::size_t>(id) >= uuids.size()) return {};
    return uuids[static_cast<std::size_t>(id)];
  }
};

}  // namespace detail
}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_LIST_HPP
