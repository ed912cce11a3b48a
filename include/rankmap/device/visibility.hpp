// SPDX-License-Identifier: MIT
// One visibility variable: what it says, where reading it ended, and why.
#ifndef RANKMAP_DEVICE_VISIBILITY_HPP
#define RANKMAP_DEVICE_VISIBILITY_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What the visibility variables say.
enum class Visibility : std::uint8_t {
  unset,     ///< no variable is set: every device is visible
  all,       ///< a variable is set and hides nothing
  none,      ///< no device
  list,      ///< these devices
  rejected,  ///< the vendor's software would fail on this text
  unknown,   ///< a variable is set, but its effect cannot be known here
};

constexpr std::string_view name(Visibility visibility) {
  return detail::enumerator("unset\0all\0none\0list\0rejected\0unknown", visibility);
}

/// Why reading a list ended.
enum class ParseStop : std::uint8_t {
  end,                ///< the whole text was read
  bad_entry,          ///< an entry that is not in the vendor's grammar
  empty_entry,        ///< nothing between two commas
  repeated,           ///< a device named twice
  not_ascending,      ///< an id that is not above the previous one
  out_of_range,       ///< an id that no device has
  unknown_uuid,       ///< a name that no device has
  ambiguous_uuid,     ///< a prefix of the names of several devices
  second_instance,    ///< a second MIG instance: a process sees one
  more_than_devices,  ///< more entries than devices: the vendor reads no further
  too_long,           ///< more than rankmap stores: 1023 bytes of entries, 128 devices
  empty_text,         ///< an empty text, and the vendor does not document its meaning
  hierarchy_unknown,  ///< sub-devices, whose meaning depends on ZE_FLAT_DEVICE_HIERARCHY
};

constexpr std::string_view name(ParseStop stop) {
  return detail::enumerator(
      "end\0bad_entry\0empty_entry\0repeated\0not_ascending\0out_of_range\0unknown_uuid\0"
      "ambiguous_uuid\0second_instance\0more_than_devices\0too_long\0empty_text\0hierarchy_unknown",
      stop);
}

/// What a Level Zero device is. FLAT and COMBINED count tiles, COMPOSITE counts cards.
enum class DeviceHierarchy : std::uint8_t { composite, flat, combined };

constexpr std::string_view name(DeviceHierarchy hierarchy) {
  return detail::enumerator("composite\0flat\0combined", hierarchy);
}

/// How far a list was read, and what it means.
struct VisibilityReading {
  Visibility state = Visibility::unset;
  ParseStop stop = ParseStop::end;
  std::size_t position = 0;    ///< byte at which reading ended
  int skipped = 0;             ///< entries that the vendor ignores
  int partial = 0;             ///< entries of which the vendor reads the first number: 0-3 is 0
  std::size_t partial_at = 0;  ///< byte at which the rest of the first of these begins
};

/// One variable and the result of reading it.
struct VisibilityLayer : VisibilityReading {
  static constexpr std::size_t text_capacity = 1023;

  std::string_view variable;  ///< its name; static text
  bool set = false;
  StaticString<text_capacity> text;  ///< cut if longer
  std::size_t length = 0;            ///< of the whole text
  int count = 0;                     ///< devices that this variable names, if state is list
  std::string_view note;  ///< a rule of this vendor that took effect and surprises; else empty

  /// Whether the text was read to its end, or to a comma after the last entry.
  constexpr bool read_whole() const {
    return stop == ParseStop::end ||
           (stop == ParseStop::empty_entry && count != 0 && position == length);
  }
};

namespace detail {

/// The first variable that is set, or null.
constexpr const VisibilityLayer* first_set(std::span<const VisibilityLayer> layers) {
  for (const VisibilityLayer& layer : layers) {
    if (layer.set) return &layer;
  }
  return nullptr;
}

RANKMAP_RARE constexpr std::string_view stop_reason(ParseStop stop) {
  constexpr std::string_view reasons[] = {"read to the end",
                                          "not an entry that this variable accepts",
                                          "an empty entry",
                                          "a device named twice",
                                          "not above the previous entry",
                                          "no device has this number",
                                          "no device has this name",
                                          "several devices have names that begin with this",
                                          "a process sees only one MIG instance",
                                          "more entries than devices",
                                          "longer than rankmap can store",
                                          "the meaning of an empty text is not documented",
                                          "needs ZE_FLAT_DEVICE_HIERARCHY to be read"};
  return reasons[static_cast<std::size_t>(stop)];
}

constexpr void append_layer(auto& out, const VisibilityLayer& layer) {
  out.append(layer.variable);
  if (!layer.set) {
    out.append(" unset");
    return;
  }
  append_escaped(out.append('='), layer.text.view(), 48);
  if (layer.state == Visibility::list) {
    out.append(": ").append_number(layer.count).append(layer.count == 1 ? " entry" : " entries");
  } else {
    constexpr std::string_view states[] = {"all devices", "all devices", "no device", "",
                                           "rejected",    "unknown"};
    out.append(": ").append(states[static_cast<std::size_t>(layer.state)]);
  }
  if (!layer.read_whole()) {
    out.append(", stopped at byte ").append_number(std::uint64_t{layer.position});
    out.append(" (").append(stop_reason(layer.stop)).append(')');
  }
  if (layer.skipped != 0) out.append(", ").append_number(layer.skipped).append(" skipped");
  if (layer.partial != 0) out.append(", ").append_number(layer.partial).append(" read in part");
  if (!layer.note.empty()) out.append("; ").append(layer.note);
}

}  // namespace detail
}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_VISIBILITY_HPP
