// SPDX-License-Identifier: MIT
//
// Every vendor's visibility variables. `kind=cuda` picks the kind, `count=4`, `uuids=4`,
// `hierarchy=flat` and `sub_devices=2` what the caller knows; the other lines are the environment.
#include "fuzz.hpp"

#include <rankmap/device/detail/visibility_table.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/environment.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DeviceInventory;
using rankmap::DeviceKind;
using rankmap::Visibility;
using rankmap::VisibleDevices;
using rankmap::VisibleIndex;
using rankmap_fuzz::require;

constexpr std::string_view uuids[] = {"GPU-9e8d35e3-0000-0000-0000-000000000000",
                                      "GPU-9e8d35e4-0000-0000-0000-000000000001",
                                      "GPU-0123456789abcdef", "GPU-fedcba9876543210"};

void require_sound(const VisibleDevices& visible, const DeviceInventory& inventory) {
  const auto line = explain(visible);
  require(!line.empty() && !line.cut(), "explain() tells the variables", line);
  require(rankmap_fuzz::is_printable(line), "explain() is printable ASCII", line);
  require(visible.size() >= 0 && visible.size() <= 128, "at most 128 devices are listed", line);
  require((visible.state() == Visibility::list) == (visible.size() != 0),
          "a list has devices, and nothing else has", line);
  const auto count = visible.count();
  require(!count || *count >= 0, "a count is no negative number", line);
  if (visible.state() == Visibility::list) {
    require(count == visible.size(), "a list counts its devices", line);
  }
  if (inventory.count && *inventory.count >= 0 && inventory.uuids.empty() && count &&
      visible.checked() && inventory.sub_devices.value_or(1) <= 1 && !inventory.hierarchy) {
    require(*count <= *inventory.count || visible.kind() == DeviceKind::xpu ||
                visible.kind() == DeviceKind::hpu,
            "no more devices are visible than there are", line);
  }
  for (int i = 0; i != visible.size(); ++i) {
    const auto device = visible[VisibleIndex(i)];
    require(device.index.value == i, "a device knows its index", line);
    require(visible.physical(device.index) == device.physical, "both ways tell the same id", line);
    if (!device.physical) continue;
    require(device.physical->value >= 0, "a physical id is no negative number", line);
    const auto found = visible.find(*device.physical);
    require(found && found->value <= i && visible.physical(*found) == device.physical,
            "a device is found by its physical id", line);
  }
  require(!visible.physical(VisibleIndex(-1)) && !visible.find(rankmap::PhysicalId(-1)),
          "there is no device -1", line);
  if (visible.state() == Visibility::list) {
    require(!visible.physical(VisibleIndex(visible.size())), "there is none behind the last", line);
  }
  for (const rankmap::VisibilityLayer& layer : visible.layers()) {
    require(!layer.variable.empty(), "a layer names its variable", line);
    require(layer.position <= layer.text.size() || layer.text.size() == 1023,
            "a layer stops within its text", line);
  }
}

/// Numbers that ascend from below the count mean the same to every vendor.
std::optional<std::vector<int>> plain_list(std::string_view text) {
  std::vector<int> out;
  if (text.size() > 200) return std::nullopt;
  for (const std::string_view entry : rankmap_fuzz::split(text, ',')) {
    if (entry.empty() || entry.size() > 1 || entry[0] < '0' || entry[0] > '7') return std::nullopt;
    const int id = entry[0] - '0';
    if (!out.empty() && id <= out.back()) return std::nullopt;
    out.push_back(id);
  }
  return out;
}

void run_plain_list(std::string_view text) {
  const auto ids = plain_list(text);
  if (!ids) return;
  for (const rankmap::detail::VisibilityGrammar& grammar : rankmap::detail::visibility_grammars) {
    if (grammar.digits == rankmap::detail::Digits::none) continue;  // a language of its own
    const std::string_view name = rankmap_fuzz::split(grammar.names, ',').front();
    const rankmap::FixedEnvironment<1> environment({{name, text}});
    const auto visible = visible_devices(grammar.kind, environment, 8);
    require(visible.size() == static_cast<int>(ids->size()), "a plain list is read by all vendors",
            explain(visible));
    for (int i = 0; i != visible.size(); ++i) {
      const auto physical = visible.physical(VisibleIndex(i));
      require(!physical || physical->value == (*ids)[static_cast<std::size_t>(i)],
              "a plain list is read by all vendors", explain(visible));
    }
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() {
  std::set<std::string> names = {
      "count=",      "uuids=4", "hierarchy=flat", "hierarchy=composite", "hierarchy=combined",
      "sub_devices="};
  for (const std::string_view kind : rankmap::detail::device_kinds) {
    names.insert("kind=" + std::string(kind));
  }
  for (const rankmap::detail::VisibilityGrammar& grammar : rankmap::detail::visibility_grammars) {
    for (const std::string_view name : split(grammar.names, ',')) {
      names.insert(std::string(name) + '=');
    }
    for (const std::string_view name : {grammar.hierarchy_name, grammar.count_name}) {
      if (!name.empty()) names.insert(std::string(name) + '=');
    }
  }
  return {names.begin(), names.end()};
}

void rankmap_fuzz::run(std::string_view input) {
  const char separator = separator_of(input);
  const auto lines = split(input, separator);
  const auto kind = rankmap::device_kind(value_of(lines, "kind")).value_or(DeviceKind::cuda);
  const rankmap::RecordedEnvironment environment(input, separator);

  const HeapBytes heap;
  const VisibleDevices open = visible_devices(kind, environment);
  DeviceInventory inventory;
  if (has_line(lines, "count")) inventory.count = int_of(value_of(lines, "count"));
  if (has_line(lines, "uuids")) inventory.uuids = uuids;
  if (has_line(lines, "sub_devices"))
    inventory.sub_devices = int_of(value_of(lines, "sub_devices"));
  const std::string_view hierarchy = value_of(lines, "hierarchy");
  if (hierarchy == "flat") inventory.hierarchy = rankmap::DeviceHierarchy::flat;
  if (hierarchy == "composite") inventory.hierarchy = rankmap::DeviceHierarchy::composite;
  if (hierarchy == "combined") inventory.hierarchy = rankmap::DeviceHierarchy::combined;
  const VisibleDevices known = visible_devices(kind, environment, inventory);
  require(heap.asked() == 0, "visible devices take no memory");
  require_sound(open, {});
  require_sound(known, inventory);
  require(explain(known) == explain(visible_devices(kind, environment, inventory)),
          "the same is read twice");
  for (const std::string_view line : lines) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) run_plain_list(line.substr(equals + 1));
  }
}
