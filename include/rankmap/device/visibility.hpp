// SPDX-License-Identifier: MIT
//
// One visibility variable, what became of it, and how that is said.
#ifndef RANKMAP_DEVICE_VISIBILITY_HPP
#define RANKMAP_DEVICE_VISIBILITY_HPP

#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// One variable and what became of it.
struct VisibilityLayer {
  std::string_view variable;  ///< its name; static text
  bool set = false;
  StaticString<detail::DeviceList::text_capacity> text;  ///< cut where longer
  std::size_t length = 0;                                ///< of the whole text
  Visibility state = Visibility::unset;
  Stop stop = Stop::end;
  std::size_t position = 0;  ///< byte at which the reading ended
  int skipped = 0;           ///< entries that the vendor passes over
  int count = 0;             ///< devices that this variable names, where state is list
  std::string_view note;     ///< what surprises people, where it happened; else empty

  /// Whether the reading got through: to the end, or to a comma behind the last entry.
  constexpr bool read_whole() const {
    return stop == Stop::end || (stop == Stop::empty_entry && count != 0 && position == length);
  }
};

namespace detail {

constexpr std::string_view why(Stop stop) {
  switch (stop) {
    case Stop::end:
      return "read to the end";
    case Stop::bad_entry:
      return "not an entry that this variable takes";
    case Stop::empty_entry:
      return "an empty entry";
    case Stop::repeated:
      return "a device named twice";
    case Stop::not_ascending:
      return "not above the entry before it";
    case Stop::out_of_range:
      return "beyond the devices that there are";
    case Stop::unknown_uuid:
      return "no device has this name";
    case Stop::ambiguous_uuid:
      return "several devices' names begin so";
    case Stop::second_instance:
      return "one process is shown one MIG instance";
    case Stop::more_than_devices:
      return "more entries than devices";
    case Stop::too_long:
      return "longer than rankmap keeps";
    case Stop::unsure:
      return "what an empty text means here is not known";
    case Stop::hierarchy_unknown:
      break;
  }
  return "needs ZE_FLAT_DEVICE_HIERARCHY to be read";
}

template <std::size_t Capacity>
constexpr void append_devices(StaticString<Capacity>& out, int count) {
  out.append_number(count).append(count == 1 ? " entry" : " entries");
}

template <std::size_t Capacity>
constexpr void append_layer(StaticString<Capacity>& out, const VisibilityLayer& layer) {
  out.append(layer.variable);
  if (!layer.set) {
    out.append(" unset");
    return;
  }
  out.append('=');
  append_escaped(out, layer.text.view(), 48);
  out.append(": ");
  switch (layer.state) {
    case Visibility::unset:
    case Visibility::all:
      out.append("all devices");
      break;
    case Visibility::none:
      out.append("no device");
      break;
    case Visibility::list:
      append_devices(out, layer.count);
      break;
    case Visibility::refused:
      out.append("refused");
      break;
    case Visibility::unknown:
      out.append("unknown");
      break;
  }
  if (!layer.read_whole()) {
    out.append(", stopped at byte ").append_number(std::uint64_t{layer.position});
    out.append(" (").append(why(layer.stop)).append(')');
  }
  if (layer.skipped != 0) out.append(", ").append_number(layer.skipped).append(" skipped");
  if (!layer.note.empty()) out.append("; ").append(layer.note);
}

}  // namespace detail
}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_VISIBILITY_HPP
