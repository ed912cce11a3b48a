// SPDX-License-Identifier: MIT
// Finds the variable that one row of the grammar table names, and reads it.
#ifndef RANKMAP_DEVICE_DETAIL_READ_LAYER_HPP
#define RANKMAP_DEVICE_DETAIL_READ_LAYER_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/device_list_reader.hpp>
#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/visibility.hpp>
#include <rankmap/environment/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A number of devices, used if no list is set; the runtime decides which ones.
constexpr DeviceList read_device_number(std::string_view text) {
  DeviceList list;
  const Number number = parse_number(text);
  if (!number) {
    list.end_as(Visibility::rejected, ParseStop::bad_entry, 0);
  } else if (number.value == 0) {
    list.state = Visibility::all;
  } else if (number.value > static_cast<std::uint64_t>(DeviceList::capacity)) {
    list.end_as(Visibility::unknown, ParseStop::too_long, 0);
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
template <Environment Env>
constexpr VisibilityLayer read_layer(const VisibilityGrammar& grammar, const Env& env,
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
      list = read_device_number(*text);
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_READ_LAYER_HPP
