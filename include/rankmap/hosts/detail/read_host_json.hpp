// SPDX-License-Identifier: MIT
// Readers of the host formats that are JSON.
#ifndef RANKMAP_HOSTS_DETAIL_READ_HOST_JSON_HPP
#define RANKMAP_HOSTS_DETAIL_READ_HOST_JSON_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/hosts/detail/host_table_builder.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr Optional<Error> add_json_names(HostTableBuilder& table, Json array) {
  constexpr std::string_view wanted = "an array of host names";
  if (!array.is(JsonKind::array)) return table.error(wanted, array.position());
  for (JsonItems items = array.elements(); items.next();) {
    const auto host = items.value().string<longest_host_name>();
    const std::size_t position = items.value().position();
    if (!host) return table.error(wanted, position);
    (void)table.add(host->view(), HostTableBuilder::unknown, position);
  }
  return std::nullopt;
}

/// SM_HOSTS: `["algo-1","algo-2"]`.
constexpr Result<HostTable> read_json_list(HostTableBuilder& table) {
  const Result<Json> json = Json::parse(table.source().text, table.source().subject);
  if (!json) return json.error();
  if (const auto error = add_json_names(table, *json)) return *error;
  return table.finish();
}

inline constexpr std::string_view each_name_once = "each name once";

/// The text of a table as JSON in which each of these names occurs at most once.
constexpr Result<Json> read_object(const HostTableBuilder& table,
                                   std::initializer_list<std::string_view> names) {
  Result<Json> json = Json::parse(table.source().text, table.source().subject);
  if (!json) return json;
  if (const auto again = json->repeat(names)) return table.error(each_name_once, *again);
  return json;
}

/// SM_RESOURCE_CONFIG: an object with "hosts" and "current_host".
constexpr Result<HostTable> read_resource_config(HostTableBuilder& table) {
  const Result<Json> json = read_object(table, {"hosts", "current_host"});
  if (!json) return json.error();
  const auto hosts = json->member("hosts");
  if (!hosts) return table.error("an object with \"hosts\"", json->position());
  if (const auto error = add_json_names(table, *hosts)) return *error;
  Result<HostTable> out = table.finish();
  if (!out) return out;
  if (const auto current = json->member("current_host")) {
    const auto own = current->string<longest_host_name>();
    const auto index = own ? out->hosts().find(own->view()) : std::nullopt;
    if (!index) return table.error("a \"current_host\" that is in \"hosts\"", current->position());
    HostTableBuilder::set_own(*out, *index);
  }
  return out;
}

/// TF_CONFIG: the ranks are the chief (or master), then the workers. Parameter servers and
/// evaluators have no rank. Each task, host:port, is an entry, since a host may run several tasks.
constexpr Result<HostTable> read_tf_config(HostTableBuilder& table) {
  const Result<Json> json = read_object(table, {"cluster", "task"});
  if (!json) return json.error();
  const auto cluster = json->member("cluster");
  if (!cluster) return table.error("an object with \"cluster\"", json->position());
  if (const auto again = cluster->repeat({"chief", "master", "worker"})) {
    return table.error(each_name_once, *again);
  }
  const auto task = json->member("task");
  if (const auto again = task ? task->repeat({"type", "index"}) : std::nullopt) {
    return table.error(each_name_once, *again);
  }
  const auto type = task ? task->member("type") : std::nullopt;
  const auto index = task ? task->member("index") : std::nullopt;
  if (cluster->member("chief") && cluster->member("master")) {
    return table.error("either \"chief\" or \"master\"", cluster->position());
  }
  for (const std::string_view role : {"chief", "master", "worker"}) {
    const auto tasks = cluster->member(role);
    if (!tasks) continue;
    const std::size_t first = table.size();
    constexpr std::string_view wanted = "an array of host:port";
    if (!tasks->is(JsonKind::array)) return table.error(wanted, tasks->position());
    for (JsonItems items = tasks->elements(); items.next();) {
      const std::size_t position = items.value().position();
      const auto address = items.value().string<300>();
      const HostPort parts = split_host_port(address ? address->view() : "");
      const auto host = without_brackets(parts.host);
      if (!host || !parts.is_clear() || !parse_number(parts.number.value_or(""))) {
        return table.error(wanted, position);
      }
      (void)table.add(*host, HostTableBuilder::unknown, position);
    }
    if (!type || !type->equals(role)) continue;
    const Number own = index ? index->integer() : Number();
    if (!own || own.value >= table.size() - first) {
      return table.error("a task \"index\" within its own list",
                         index ? index->position() : task->position());
    }
    table.set_own(first + static_cast<std::size_t>(own.value));
  }
  return table.finish();
}

/// One device of an Ascend rank table.
struct RankRow {
  std::uint64_t rank;
  int entry;  // of its host in the table
  int device;
  std::size_t position;
};

/// Adds a server of an Ascend rank table, and a row for each of its devices.
constexpr Optional<Error> add_server(HostTableBuilder& table, Json server,
                                     SmallVector<RankRow, 8>& rows) {
  if (const auto again = server.repeat({"server_id", "device"})) {
    return table.error(each_name_once, *again);
  }
  const auto id = server.member("server_id");
  const auto name = id ? id->string<longest_host_name>() : std::nullopt;
  if (!name) return table.error("a server with a \"server_id\"", server.position());
  const auto devices = server.member("device");
  if (!devices || !devices->is(JsonKind::array)) {
    return table.error("a server with a list \"device\"", server.position());
  }
  const auto entry = static_cast<int>(table.size());
  const std::size_t first = rows.size();
  for (JsonItems items = devices->elements(); items.next();) {
    const Json device = items.value();
    const auto again = device.repeat({"rank_id", "device_id"});
    const auto rank = device.member("rank_id");
    const auto number = device.member("device_id");
    const Number rank_value = rank ? rank->integer() : Number();
    const Number device_value = number ? number->integer() : Number();
    if (again) return table.error(each_name_once, *again);
    if (!rank_value || !device_value || device_value.value > INT32_MAX) {
      return table.error("a device with a \"rank_id\" and a \"device_id\"", device.position());
    }
    rows.push_back(
        {rank_value.value, entry, static_cast<int>(device_value.value), rank->position()});
  }
  (void)table.add(name->view(), static_cast<int>(rows.size() - first), server.position());
  return std::nullopt;
}

/// Ascend's RANK_TABLE_FILE, versions 1.0 to 1.2: servers with their devices, one rank a device.
constexpr Result<HostTable> read_rank_table(HostTableBuilder& table) {
  const Result<Json> json =
      read_object(table, {"status", "version", "server_list", "server_count"});
  if (!json) return json.error();
  const auto status = json->member("status");
  if (!status || !status->equals("completed")) {
    return table.error("\"status\": \"completed\"", status ? status->position() : json->position(),
                       "wait until the table is complete");
  }
  const auto version_member = json->member("version");
  const bool known =
      version_member && (version_member->equals("1.0") || version_member->equals("1.1") ||
                         version_member->equals("1.2"));
  if (!known) {
    return table.error("\"version\": \"1.0\", \"1.1\" or \"1.2\"",
                       version_member ? version_member->position() : json->position());
  }
  const auto servers = json->member("server_list");
  if (!servers || !servers->is(JsonKind::array)) {
    return table.error("a \"server_list\"", servers ? servers->position() : json->position());
  }

  SmallVector<RankRow, 8> rows;
  std::uint64_t server_count = 0;
  for (JsonItems items = servers->elements(); items.next(); ++server_count) {
    if (const auto error = add_server(table, items.value(), rows)) return *error;
  }
  if (const auto count = json->member("server_count")) {
    const Number value = count->integer();
    if (!value || value.value != server_count) {
      return table.error("a \"server_count\" that counts the servers", count->position());
    }
  }
  SmallVector<int, 8> nodes(rows.size(), -1);
  SmallVector<int, 8> devices(rows.size());
  for (const RankRow& row : rows) {
    if (row.rank >= rows.size() || nodes[static_cast<std::size_t>(row.rank)] != -1) {
      return table.error("each \"rank_id\" from 0 to the number of devices - 1 once", row.position);
    }
    nodes[static_cast<std::size_t>(row.rank)] = row.entry;
    devices[static_cast<std::size_t>(row.rank)] = row.device;
  }
  table.set_ranks(nodes, devices);
  return table.finish();
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_READ_HOST_JSON_HPP
