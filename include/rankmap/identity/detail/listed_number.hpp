// SPDX-License-Identifier: MIT
// Numbers that follow from a list in a variable: the number of hosts, and the index of this one.
#ifndef RANKMAP_IDENTITY_DETAIL_LISTED_NUMBER_HPP
#define RANKMAP_IDENTITY_DETAIL_LISTED_NUMBER_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

constexpr Number found_number(std::uint64_t count) { return {NumberState::ok, count}; }
inline constexpr Number not_found = {NumberState::malformed, 0};

/// The number in a text that counts from 1.
constexpr Number number_from_1(std::string_view text) {
  Number number = parse_number(text);
  if (number && number.value == 0) return not_found;
  if (number) --number.value;
  return number;
}

/// The number of entries of a comma list; malformed if two neighbours are alike, since such a list
/// has a machine once for each of its containers.
constexpr Number count_machines(std::string_view text) {
  std::uint64_t count = 0;
  std::string_view last;
  for (ListEntries machines(text); machines.next(); ++count) {
    if (count != 0 && machines.text() == last) return not_found;
    last = machines.text();
  }
  return found_number(count);
}

/// The index of an entry of a comma list of `host:port` among those of its host, and their number;
/// malformed if there is no such entry.
struct PlaceOnHost {
  Number place = not_found;
  Number count = not_found;
};
RANKMAP_RARE constexpr PlaceOnHost place_on_host(std::string_view list,
                                                 std::string_view index_text) {
  const Number index = parse_number(index_text);
  if (!index) return {};
  const CommaEntry own = comma_entry(list, index.value);
  if (index.value >= own.count || own.text.empty()) return {};
  const std::string_view host = split_host_port(own.text).host;
  PlaceOnHost out{found_number(0), found_number(0)};
  ListEntries entries(list);
  for (std::uint64_t i = 0; entries.next(); ++i) {
    if (split_host_port(entries.text()).host != host) continue;
    if (i < index.value) ++out.place.value;
    ++out.count.value;
  }
  return out;
}

/// The index of the first `wanted` in a JSON list of texts, or without one the number of entries;
/// malformed if there is none, or no list.
RANKMAP_RARE constexpr Number place_in_json_list(std::string_view text,
                                                 std::optional<std::string_view> wanted = {}) {
  const auto list = Json::parse(text, {});
  if (!list || !list->is(JsonKind::array)) return not_found;
  std::uint64_t index = 0;
  for (JsonItems items = list->elements(); items.next(); ++index) {
    if (wanted && items.value().equals(*wanted)) return found_number(index);
  }
  return wanted ? not_found : found_number(index);
}

/// The workers of TF_CONFIG's cluster in TensorFlow's order: the chief (or master, its older name)
/// before the workers, each list once. Parameter servers and the evaluator read no training data.
/// Vertex AI's CLUSTER_SPEC has the same form, with numbered pools: pool 0 is the primary replica,
/// pool 1 the workers.
struct TfConfig {
  Number index = not_found;  ///< of this task among all of them; malformed for other tasks
  Number count = not_found;  ///< of all of them; malformed for a sparse map

  RANKMAP_RARE static constexpr bool is_lead(const Json& role) {
    return role.equals("chief") || role.equals("master") || role.equals("workerpool0");
  }
  RANKMAP_RARE static constexpr bool is_worker(const Json& role) {
    return role.equals("worker") || role.equals("workerpool1");
  }

  RANKMAP_RARE static constexpr TfConfig parse(std::string_view text) {
    const auto config = Json::parse(text, {});
    if (!config) return {};
    auto cluster = config->member("cluster");
    auto task = config->member("task");
    const bool is_flat = !cluster && !task;  // Hope's has lists, role and index side by side
    if (is_flat) cluster = task = *config;
    if (!cluster || !task || !cluster->is(JsonKind::object)) return {};
    Number leads = found_number(0);  // chiefs and masters; malformed for a sparse map
    Number workers = found_number(0);
    bool seen[2] = {};
    for (JsonItems roles = cluster->members(); roles.next();) {
      const bool is_of_leads = is_lead(roles.name());
      if (!is_of_leads && !is_worker(roles.name())) continue;
      if (std::exchange(seen[is_of_leads], true)) return {};
      Number& tasks = is_of_leads ? leads : workers;
      if (!roles.value().is(JsonKind::array)) tasks = not_found;
      for (JsonItems items = roles.value().elements(); items.next();) ++tasks.value;
    }
    const auto type = task->member(is_flat ? "role" : "type");
    const auto index = task->member("index");
    const Number number = index ? index->integer() : Number();
    if (!type || !number) return {};
    TfConfig out;
    if (leads && workers) out.count = found_number(leads.value + workers.value);
    // The first worker comes after the last chief.
    if (is_lead(*type) && (!leads || number.value < leads.value)) out.index = number;
    if (is_worker(*type) && leads) {
      const bool fits = number.value <= INT32_MAX;
      out.index = fits ? found_number(leads.value + number.value) : Number{NumberState::too_large};
    }
    return out;
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_LISTED_NUMBER_HPP
