// SPDX-License-Identifier: MIT
// Which devices this process can see, by the visibility variables. Every vendor reads its variable
// in its own way, and the differences decide whether a job runs, runs on the wrong device, or falls
// back to the CPU. So each is read here as its vendor reads it, without the vendor's library.
#ifndef RANKMAP_DEVICE_VISIBLE_DEVICES_HPP
#define RANKMAP_DEVICE_VISIBLE_DEVICES_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/device_list_reader.hpp>
#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/visibility.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What the caller knows of the devices before a variable hides any; the rest is not checked.
struct DeviceInventory {
  std::optional<int> count;                  ///< devices of the node or container, from 0
  std::span<const std::string_view> uuids;   ///< their names, by physical id: "GPU-9e8d35e3-..."
  std::optional<DeviceHierarchy> hierarchy;  ///< Level Zero's, if the environment does not say
  std::optional<int> sub_devices;            ///< tiles of each card, for Level Zero
};

/// One visible device.
struct VisibleDevice {
  VisibleIndex index;
  std::optional<PhysicalId> physical;  ///< if it is known
  std::uint64_t sub_devices = 0;       ///< bit s: only sub-device s of it; 0: the whole device
  std::string_view text;  ///< the entry as written; lives as long as the VisibleDevices
};

/// The devices that this process can see. Trivially copyable, 5.3 KiB, never allocates: stores 1023
/// bytes of each variable and 128 devices. A longer list is unknown, with ParseStop::too_long.
class VisibleDevices {
 public:
  constexpr DeviceKind kind() const { return kind_; }
  constexpr Visibility state() const { return list_.state; }

  /// How many devices are visible, if that is known: the list's length, 0, or the inventory's
  /// count. Nothing for `rejected` and `unknown`. O(1).
  constexpr std::optional<int> count() const {
    if (shows_all()) return device_count_;
    if (state() == Visibility::none || state() == Visibility::list) return list_.size;
    return std::nullopt;
  }
  /// Whether every listed entry was checked against the inventory. If not, the vendor may accept
  /// fewer devices than are listed. O(1).
  constexpr bool checked() const { return list_.checked; }

  /// The listed devices, in visible order: size() is 0 unless state() is list.
  constexpr int size() const { return list_.size; }
  /// Precondition: 0 <= index < size(). O(1).
  constexpr VisibleDevice operator[](VisibleIndex index) const RANKMAP_LIFETIMEBOUND {
    const detail::DeviceEntry& entry = list_[index.value];
    return {index, entry.id < 0 ? std::optional<PhysicalId>() : PhysicalId(entry.id),
            entry.sub_devices, layers_[entry.layer].text.view().substr(entry.offset, entry.length)};
  }

  /// The physical id behind a visible index, if it is known: from the list, or the same number
  /// if nothing is hidden. O(1).
  constexpr std::optional<PhysicalId> physical(VisibleIndex index) const {
    if (shows_all() && exists(index.value)) return PhysicalId(index.value);
    if (index.value < 0 || index.value >= list_.size) return std::nullopt;
    return (*this)[index].physical;
  }
  /// The visible index of a physical id; nothing if that device is not visible. O(size).
  constexpr std::optional<VisibleIndex> find(PhysicalId id) const {
    if (shows_all() && exists(id.value)) return VisibleIndex(id.value);
    for (int i = 0; i < list_.size; ++i) {
      if (id.value >= 0 && list_[i].id == id.value) return VisibleIndex(i);
    }
    return std::nullopt;
  }

  /// The variables in the order in which the vendor applies them: two for rocm (ROCr, then HIP) and
  /// xpu (Level Zero, then SYCL), none for cpu, else one.
  constexpr std::span<const VisibilityLayer> layers() const RANKMAP_LIFETIMEBOUND {
    return {layers_, static_cast<std::size_t>(layer_count_)};
  }
  /// Whether any variable is set.
  constexpr bool restricted() const { return detail::first_set(layers()) != nullptr; }
  /// Whether a variable is malformed: it lists devices, and by its vendor's rules shows none of
  /// them, fewer, or an unknown number. So does a text of which only a part is read: `0-3` shows 0.
  RANKMAP_RARE constexpr bool malformed() const { return malformed_layer() != nullptr; }
  /// The first malformed variable, or null. A variable after one that hides everything on purpose
  /// does not count: it has nothing left to show.
  RANKMAP_RARE constexpr const VisibilityLayer* malformed_layer() const RANKMAP_LIFETIMEBOUND {
    for (const VisibilityLayer& layer : layers()) {
      if (layer.skipped != 0 || layer.partial != 0 || (!layer.read_whole() && !hides(layer)))
        return &layer;
      if (layer.state == Visibility::none) break;
    }
    return nullptr;
  }

  template <Environment Env>
  friend constexpr VisibleDevices visible_devices(DeviceKind, const Env&, const DeviceInventory&);

 private:
  static constexpr std::size_t max_layers = 2;

  constexpr bool shows_all() const {
    return list_.state == Visibility::unset || list_.state == Visibility::all;
  }

  /// "-1" and "NoDevFiles" are how people and schedulers write "none": no mistake.
  static constexpr bool hides(const VisibilityLayer& layer) {
    return layer.state == Visibility::none && detail::has_entry("-1,none,NoDevFiles", layer.text);
  }

  constexpr bool exists(int id) const { return id >= 0 && (!device_count_ || id < *device_count_); }

  /// Applies one more variable, which chooses from what those before it left.
  constexpr void apply(const detail::DeviceList& inner) {
    const bool open = shows_all();
    if (inner.state == Visibility::unset || (inner.state == Visibility::all && !open)) return;
    if (!open && list_.state != Visibility::list && inner.state != Visibility::none) return;
    detail::DeviceList chosen = inner;
    for (int i = 0; i < chosen.size; ++i) {
      detail::DeviceEntry& entry = chosen[i];
      entry.layer = static_cast<std::uint8_t>(layer_count_ - 1);
      if (entry.id < 0 || entry.id >= list_.size) continue;
      entry = list_[entry.id];
    }
    if (chosen.state == Visibility::list) chosen.checked = chosen.checked && list_.checked;
    list_ = chosen;
  }

  DeviceKind kind_ = DeviceKind::cpu;
  std::optional<int> device_count_;
  int layer_count_ = 0;
  VisibilityLayer layers_[max_layers] = {};
  detail::DeviceList list_ = {};
};

namespace detail {

/// A number of devices, used if no list is set; the runtime decides which ones.
constexpr DeviceList read_device_number(std::string_view text, std::optional<int> count) {
  DeviceList list;
  const Number number = parse_number(text);
  if (!number) {
    list.end_as(Visibility::rejected, ParseStop::bad_entry, 0);
  } else if (number.value == 0) {
    list.state = Visibility::all;
  } else if (number.value > static_cast<std::uint64_t>(DeviceList::capacity)) {
    list.end_as(Visibility::unknown, ParseStop::too_long, 0);
  } else if (count && static_cast<int>(number.value) > *count) {
    list.end_as(Visibility::rejected, ParseStop::more_than_devices, 0);
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

/// The variable of one row, and in `list` what it says; `known`: the devices that it chooses from.
constexpr VisibilityLayer read_layer(const VisibilityGrammar& grammar, const Environment auto& env,
                                     LayerInventory known, DeviceList& list) {
  VisibilityLayer layer;
  layer.variable = comma_entry(grammar.names, 0).text;
  std::optional<std::string_view> text;
  for (ListEntries names(grammar.names); !text && names.next();) {
    const std::optional<std::string_view> value = env(names.text());
    if (!value) continue;
    layer.variable = names.text();
    layer.set = true;
    if (!value->empty() || grammar.empty != EmptyText::unset) text = value;
  }
  if (!grammar.hierarchy_name.empty()) {
    const auto hierarchy = device_hierarchy(env(grammar.hierarchy_name).value_or(""));
    if (hierarchy) known.hierarchy = hierarchy;
  }
  if (text) {
    list = DeviceListReader(grammar, *text, known).read();
  } else if (layer.set) {
    list.state = Visibility::all;  // empty, which hides nothing here
  } else if (!grammar.count_name.empty()) {
    text = env(grammar.count_name);
    if (text) {
      layer.variable = grammar.count_name;
      layer.set = true;
      list = read_device_number(*text, known.count);
    }
  }
  if (text) {
    layer.text.append(text->substr(0, VisibilityLayer::text_capacity));
    layer.length = text->size();
  }
  static_cast<VisibilityReading&>(layer) = list;
  layer.count = list.size;
  if (list.stop == ParseStop::repeated || list.stop == ParseStop::not_ascending) {
    layer.note = grammar.repeat_note;
  } else if (layer.set && layer.length == 0) {
    layer.note = empty_notes[static_cast<std::size_t>(grammar.empty)];
  }
  return layer;
}

constexpr void append_layers(Message& out, const VisibleDevices& devices) {
  bool first = true;
  for (const VisibilityLayer& layer : devices.layers()) {
    if (devices.restricted() && !layer.set) continue;
    out.append(first ? "" : ", then ");
    append_layer(out, layer);
    first = false;
  }
}

}  // namespace detail

/// The devices that this process can see, by the variables of `kind`, read as its vendor does.
///
/// `kind`: whose variables; cpu has none. `env`: any Environment. `inventory`: what is known of the
/// devices before the variables apply; never the count of the vendor's runtime, which has applied
/// them already. A negative count and sub_devices below 1 mean not known.
/// Returns unset, all, none, a list, rejected or unknown, with one VisibilityLayer for each
/// variable. No error: a text that the vendor would reject is an answer too. Cost: O(length of the
/// texts + listed devices squared, at most 128); no allocation. Golden-tested. Source: the vendors'
/// manuals and readers named in docs/reference/device/visible_devices.md.
template <Environment Env>
constexpr VisibleDevices visible_devices(DeviceKind kind, const Env& env,
                                         const DeviceInventory& inventory) {
  VisibleDevices devices;
  devices.kind_ = kind;
  detail::LayerInventory known{.uuids = inventory.uuids, .hierarchy = inventory.hierarchy};
  if (inventory.count && *inventory.count >= 0) {
    known.count = inventory.count;
  } else if (!inventory.uuids.empty()) {
    known.count = static_cast<int>(inventory.uuids.size());
  }
  if (inventory.sub_devices.value_or(0) >= 1) known.sub_devices = inventory.sub_devices;
  devices.device_count_ = known.count;

  for (const detail::VisibilityGrammar& grammar : detail::visibility_grammars) {
    if (grammar.kind != kind) continue;
    detail::DeviceList list;
    devices.layers_[devices.layer_count_++] = detail::read_layer(grammar, env, known, list);
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
  return visible_devices(kind, env, DeviceInventory{device_count, {}, {}, {}});
}

/// `ASCEND_RT_VISIBLE_DEVICES=1,0: no device, stopped at byte 2 (not above the previous entry)`,
/// and the rule that surprises. One line of at most 639 bytes, printable ASCII. O(length).
constexpr Message explain(const VisibleDevices& devices) {
  Message out;
  if (devices.layers().empty()) out.append(name(devices.kind())).append(": no visibility variable");
  detail::append_layers(out, devices);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_VISIBLE_DEVICES_HPP
