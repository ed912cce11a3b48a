// SPDX-License-Identifier: MIT
//
// Which devices the visibility variables leave to this process. Every vendor reads its variable in
// its own way, and the differences decide whether a job runs, runs on the wrong device, or falls
// back to the processor; so each is read here as its vendor reads it, without the vendor's library.
#ifndef RANKMAP_DEVICE_VISIBLE_DEVICES_HPP
#define RANKMAP_DEVICE_VISIBLE_DEVICES_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/device_list_reader.hpp>
#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visibility.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What the caller knows of the devices before any variable hides some. Nothing is required; what
/// is not known is not checked.
struct DeviceInventory {
  std::optional<int> count;                  ///< devices of the node or container, from 0
  std::span<const std::string_view> uuids;   ///< their names, by physical id: "GPU-9e8d35e3-..."
  std::optional<DeviceHierarchy> hierarchy;  ///< Level Zero's, where the environment does not say
  std::optional<int> sub_devices;            ///< tiles of each card, for Level Zero
};

/// One visible device.
struct VisibleDevice {
  VisibleIndex index;
  std::optional<PhysicalId> physical;  ///< where it is known
  std::uint64_t sub_devices = 0;       ///< bit s: only sub-device s of it; 0: the whole device
  std::string_view text;  ///< the entry as written; lives as long as the VisibleDevices
};

/// The devices that the environment leaves to this process. Trivially copyable, 5.3 KiB, never
/// allocates: keeps the first 1023 bytes of each variable and 128 devices; a list beyond that is
/// Visibility::unknown with Stop::too_long.
class VisibleDevices {
 public:
  constexpr DeviceKind kind() const { return kind_; }
  constexpr Visibility state() const { return list_.state; }

  /// How many devices are visible, where that is known: the list's length, 0, or the inventory's
  /// count. Nothing for `refused` and `unknown`. O(1).
  constexpr std::optional<int> count() const {
    switch (list_.state) {
      case Visibility::none:
        return 0;
      case Visibility::list:
        return list_.size;
      case Visibility::unset:
      case Visibility::all:
        return device_count_;
      case Visibility::refused:
      case Visibility::unknown:
        break;
    }
    return std::nullopt;
  }
  /// Whether every listed entry was held against the inventory. If not, the vendor may accept fewer
  /// devices than are listed. O(1).
  constexpr bool checked() const { return list_.checked; }

  /// The listed devices, in visible order: size() is 0 unless state() is list.
  constexpr int size() const { return list_.size; }
  /// Precondition: 0 <= index < size(). O(1).
  constexpr VisibleDevice operator[](VisibleIndex index) const {
    const detail::DeviceEntry& entry = list_[index.value];
    VisibleDevice device;
    device.index = index;
    if (entry.id >= 0) device.physical = PhysicalId(entry.id);
    device.sub_devices = entry.sub_devices;
    device.text = layers_[entry.layer].text.view().substr(entry.offset, entry.length);
    return device;
  }

  /// The physical id behind a visible index, where it is known: from the list, or the same number
  /// where nothing is hidden. O(1).
  constexpr std::optional<PhysicalId> physical(VisibleIndex index) const {
    if (index.value < 0) return std::nullopt;
    if (list_.state == Visibility::unset || list_.state == Visibility::all) {
      if (device_count_ && index.value >= *device_count_) return std::nullopt;
      return PhysicalId(index.value);
    }
    if (index.value >= list_.size) return std::nullopt;
    return (*this)[index].physical;
  }
  /// The visible index of a physical id; nothing where that device is not visible. O(size).
  constexpr std::optional<VisibleIndex> find(PhysicalId id) const {
    if (id.value < 0) return std::nullopt;
    if (list_.state == Visibility::unset || list_.state == Visibility::all) {
      if (device_count_ && id.value >= *device_count_) return std::nullopt;
      return VisibleIndex(id.value);
    }
    for (int i = 0; i < list_.size; ++i) {
      if (list_[i].id == id.value) return VisibleIndex(i);
    }
    return std::nullopt;
  }

  /// The variables in the order in which the vendor applies them: two for rocm (ROCr, then HIP) and
  /// xpu (Level Zero, then SYCL), none for cpu, else one.
  constexpr std::span<const VisibilityLayer> layers() const {
    return {layers_, static_cast<std::size_t>(layer_count_)};
  }
  /// Whether any variable is set.
  constexpr bool restricted() const {
    for (const VisibilityLayer& layer : layers()) {
      if (layer.set) return true;
    }
    return false;
  }
  /// Whether a variable is spoiled: it was written to show devices, and by its vendor's rules shows
  /// none, fewer than it lists, or an unknown number.
  constexpr bool spoiled() const { return spoiled_layer() != nullptr; }
  /// The first variable that is spoiled, or null: none behind one that hides everything on purpose,
  /// which leaves it nothing to show.
  constexpr const VisibilityLayer* spoiled_layer() const {
    for (const VisibilityLayer& layer : layers()) {
      if (layer.skipped != 0 || (!layer.read_whole() && !hides(layer))) return &layer;
      if (layer.state == Visibility::none) break;
    }
    return nullptr;
  }

  template <Environment Env>
  friend constexpr VisibleDevices visible_devices(DeviceKind, const Env&, const DeviceInventory&);

 private:
  static constexpr std::size_t most_layers = 2;

  /// "-1" and "NoDevFiles" are how people and schedulers write "none"; they mean what they do.
  static constexpr bool hides(const VisibilityLayer& layer) {
    return layer.state == Visibility::none &&
           (layer.text.view() == "-1" || layer.text.view() == "none" ||
            layer.text.view() == "NoDevFiles");
  }

  /// Puts one more variable behind those before it: it chooses from what they left.
  constexpr void apply(const detail::DeviceList& inner) {
    const auto layer = static_cast<std::uint8_t>(layer_count_ - 1);
    const bool open = list_.state == Visibility::unset || list_.state == Visibility::all;
    switch (inner.state) {
      case Visibility::unset:
        return;
      case Visibility::all:
        if (list_.state == Visibility::unset) list_.state = Visibility::all;
        return;
      case Visibility::refused:
      case Visibility::unknown:
      case Visibility::none:
        if (open || inner.state == Visibility::none || list_.state == Visibility::list) {
          list_ = detail::DeviceList{};
          list_.state = inner.state;
        }
        return;
      case Visibility::list:
        break;
    }
    if (!open && list_.state != Visibility::list) return;
    detail::DeviceList chosen = inner;
    for (int i = 0; i < chosen.size; ++i) {
      detail::DeviceEntry& entry = chosen[i];
      entry.layer = layer;
      if (open || entry.id < 0 || entry.id >= list_.size) continue;
      entry = list_[entry.id];
    }
    chosen.checked = chosen.checked && list_.checked;
    list_ = chosen;
  }

  DeviceKind kind_ = DeviceKind::cpu;
  std::optional<int> device_count_;
  int layer_count_ = 0;
  VisibilityLayer layers_[most_layers] = {};
  detail::DeviceList list_ = {};
};

namespace detail {

/// A number of devices that stands where no list does; which ones, the vendor's runtime decides.
constexpr DeviceList read_device_number(std::string_view text) {
  DeviceList list;
  const Number number = parse_number(text);
  if (!number) {
    list.end_as(Visibility::refused, Stop::bad_entry, 0);
  } else if (number.value == 0) {
    list.state = Visibility::all;
  } else if (number.value > static_cast<std::uint64_t>(DeviceList::capacity)) {
    list.end_as(Visibility::unknown, Stop::too_long, 0);
  } else {
    list.state = Visibility::list;
    list.size = static_cast<int>(number.value);
    list.checked = false;
  }
  return list;
}

constexpr std::optional<DeviceHierarchy> device_hierarchy(std::string_view text) {
  if (text == "COMPOSITE") return DeviceHierarchy::composite;
  if (text == "FLAT") return DeviceHierarchy::flat;
  if (text == "COMBINED") return DeviceHierarchy::combined;
  return std::nullopt;
}

}  // namespace detail

/// The devices that the environment leaves to this process, read as the vendor of `kind` reads it.
///
/// `kind`: whose variables; cpu has none. `env`: any Environment. `inventory`: what is known of the
/// devices before the variables apply: never the count that the vendor's runtime reports, which has
/// them applied already. An inventory with a negative count is taken as one without, and so is one
/// with sub_devices below 1.
/// Returns unset, all, none, a list, refused or unknown, with one VisibilityLayer for each
/// variable. No error: a text that the vendor would not take is an answer too. Cost: O(length of
/// the texts + listed devices squared, at most 128); no allocation. Golden-tested. Source: the
/// vendors' manuals and readers named in docs/reference/device/visible_devices.md.
template <Environment Env>
constexpr VisibleDevices visible_devices(DeviceKind kind, const Env& env,
                                         const DeviceInventory& inventory) {
  VisibleDevices devices;
  devices.kind_ = kind;
  detail::KnownDevices known;
  if (inventory.count && *inventory.count >= 0) {
    known.count = inventory.count;
  } else if (!inventory.uuids.empty()) {
    known.count = static_cast<int>(inventory.uuids.size());
  }
  known.uuids = inventory.uuids;
  if (inventory.sub_devices && *inventory.sub_devices >= 1) {
    known.sub_devices = inventory.sub_devices;
  }
  devices.device_count_ = known.count;

  for (const detail::VisibilityGrammar& grammar : detail::visibility_grammars) {
    if (grammar.kind != kind) continue;
    VisibilityLayer& layer = devices.layers_[devices.layer_count_++];
    layer.variable = grammar.names[0];
    detail::DeviceList list;
    bool said = false;
    std::string_view text;
    for (const std::string_view variable : grammar.names) {
      if (variable.empty() || said) continue;
      const std::optional<std::string_view> value = env(variable);
      if (!value) continue;
      said = !value->empty() || !grammar.empty_is_unset;
      if (said) {
        text = *value;
        layer = VisibilityLayer{};
      } else {
        layer.set = true;  // remembered, in case no other name is set
        layer.state = Visibility::all;
        layer.note = grammar.empty_note;
        list.state = Visibility::all;
      }
      layer.variable = variable;
    }
    known.hierarchy = inventory.hierarchy;
    if (!grammar.hierarchy_name.empty()) {
      if (const auto value = env(grammar.hierarchy_name)) {
        if (const auto hierarchy = detail::device_hierarchy(*value)) known.hierarchy = hierarchy;
      }
    }
    if (said) {
      list = detail::DeviceListReader(grammar, text, known).read();
    } else if (!grammar.count_name.empty()) {
      if (const auto value = env(grammar.count_name)) {
        said = true;
        text = *value;
        layer.variable = grammar.count_name;
        list = detail::read_device_number(text);
      }
    }
    if (said) {
      layer.set = true;
      layer.text.append(text.substr(0, detail::DeviceList::text_capacity));
      layer.length = text.size();
      layer.state = list.state;
      layer.stop = list.stop;
      layer.position = list.position;
      layer.skipped = list.skipped;
      layer.count = list.size;
      if (text.empty()) layer.note = grammar.empty_note;
      if (list.stop == Stop::repeated || list.stop == Stop::not_ascending) {
        layer.note = grammar.repeat_note;
      }
    }
    devices.apply(list);
    known.count = devices.count();
    known.through = devices.list_.state == Visibility::list ? &devices.list_ : nullptr;
  }
  return devices;
}

/// The same from a device count alone, or from nothing at all.
template <Environment Env>
constexpr VisibleDevices visible_devices(DeviceKind kind, const Env& env,
                                         std::optional<int> device_count = std::nullopt) {
  DeviceInventory inventory;
  inventory.count = device_count;
  return visible_devices(kind, env, inventory);
}

namespace detail {

template <std::size_t Capacity>
constexpr void append_layers(StaticString<Capacity>& out, const VisibleDevices& devices) {
  bool first = true;
  for (const VisibilityLayer& layer : devices.layers()) {
    if (devices.restricted() && !layer.set) continue;
    out.append(first ? "" : ", then ");
    append_layer(out, layer);
    first = false;
  }
}

}  // namespace detail

/// One line: `ASCEND_RT_VISIBLE_DEVICES=1,0: no device, stopped at byte 2 (not above the entry
/// before it); Ascend takes strictly ascending ids only and then shows no device at all`. At most
/// 639 bytes, printable ASCII. O(length).
constexpr Message explain(const VisibleDevices& devices) {
  Message out;
  if (devices.layers().empty()) out.append(name(devices.kind())).append(": no visibility variable");
  detail::append_layers(out, devices);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_VISIBLE_DEVICES_HPP
