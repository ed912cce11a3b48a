// SPDX-License-Identifier: MIT
//
// JSON and the formats made of it, against a reader that builds a tree.
#include "json.hpp"
#include "fuzz.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/hosts/host_sources.hpp>
#include <rankmap/topology/topology.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::HostFormat;
using rankmap::HostTable;
using rankmap::Result;
using rankmap::Topology;
using rankmap::detail::Json;
using rankmap::detail::JsonItems;
using rankmap::detail::JsonKind;
using rankmap_fuzz::require;
using rankmap_fuzz::Tree;

void require_same(Json json, const Tree& tree) {
  require(static_cast<int>(json.kind()) == static_cast<int>(tree.kind), "values are of their kind");
  const auto number = json.integer();
  require((number ? std::optional(number.value) : std::nullopt) == tree.integer(),
          "integers are read alike", json.raw());
  if (tree.kind == Tree::Kind::number) {
    require(json.raw() == tree.raw, "a number is as it is written");
  }
  if (tree.kind == Tree::Kind::string) {
    const auto text = json.string<255>();
    const bool fits = tree.text && tree.text->size() <= 255;
    require(text.has_value() == fits && (!fits || *text == *tree.text), "strings are read alike",
            json.raw());
    if (tree.text) require(json.equals(*tree.text), "a string equals its text", json.raw());
  }
  std::size_t i = 0;
  for (JsonItems items = json.elements(); items.next();) {
    require(i < tree.elements.size(), "an array ends");
    require_same(items.value(), tree.elements[i++]);
  }
  require(i == tree.elements.size(), "an array is walked to its end");
  i = 0;
  for (JsonItems items = json.members(); items.next();) {
    require(i < tree.names.size(), "an object ends");
    require_same(items.name(), tree.names[i]);
    require_same(items.value(), tree.values[i++]);
  }
  require(i == tree.names.size(), "an object is walked to its end");
  for (const Tree& name : tree.names) {
    if (!name.text) continue;
    require(json.member(*name.text).has_value() == (tree.member(*name.text) != nullptr),
            "a member is found where it stands once", *name.text);
  }
}

/// What a format says, read off the tree.
struct Hosts {
  std::vector<std::string> names;
  std::optional<std::size_t> own;
  std::vector<int> node_of_rank;
  std::vector<int> device_of_rank;
};

bool is_host(const std::string& name) {
  if (name.empty() || name.size() > 255) return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',' || c == '[') return false;
  }
  return true;
}
bool add_texts(Hosts& out, const Tree* list) {
  if (list == nullptr || list->kind != Tree::Kind::array) return false;
  for (const Tree& element : list->elements) {
    if (!element.text || !is_host(*element.text)) return false;
    out.names.push_back(*element.text);
  }
  return true;
}
bool once_each(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::optional<Hosts> sagemaker(const Tree& tree) {
  if (tree.repeats({"hosts", "current_host"})) return std::nullopt;
  Hosts out;
  if (!add_texts(out, tree.member("hosts")) || out.names.empty() || !once_each(out.names)) {
    return std::nullopt;
  }
  if (const Tree* current = tree.member("current_host")) {
    const auto at = std::find(out.names.begin(), out.names.end(), current->text.value_or(""));
    if (at == out.names.end()) return std::nullopt;
    out.own = static_cast<std::size_t>(at - out.names.begin());
  }
  return out;
}

std::optional<Hosts> tf_config(const Tree& tree) {
  const Tree* const cluster = tree.member("cluster");
  const Tree* const task = tree.member("task");
  if (cluster == nullptr || tree.repeats({"cluster", "task"}) ||
      cluster->repeats({"chief", "master", "worker"}) ||
      (task != nullptr && task->repeats({"type", "index"})) ||
      (cluster->member("chief") != nullptr && cluster->member("master") != nullptr)) {
    return std::nullopt;
  }
  const Tree* const type = task == nullptr ? nullptr : task->member("type");
  const Tree* const index = task == nullptr ? nullptr : task->member("index");
  Hosts out;
  for (const std::string_view role : {"chief", "master", "worker"}) {
    const Tree* const list = cluster->member(role);
    if (list == nullptr) continue;
    if (list->kind != Tree::Kind::array) return std::nullopt;
    const std::size_t first = out.names.size();
    for (const Tree& element : list->elements) {
      if (!element.text || element.text->size() > 300) return std::nullopt;
      std::string host = *element.text;
      const std::size_t colon = host.rfind(':');
      if (colon == std::string::npos) return std::nullopt;
      Tree port;
      port.kind = Tree::Kind::number;
      port.raw = host.substr(colon + 1);
      if (!port.integer()) return std::nullopt;
      host.resize(colon);
      if (!host.empty() && host.back() == ']') {
        if (host.front() != '[') return std::nullopt;
        host = host.substr(1, host.size() - 2);
        if (host.find(']') != std::string::npos) return std::nullopt;
      } else if (host.find(':') != std::string::npos) {
        return std::nullopt;  // an IPv6 address without brackets
      }
      if (!is_host(host)) return std::nullopt;
      out.names.push_back(host);
    }
    if (type == nullptr || type->text != role) continue;
    const auto own = index == nullptr ? std::nullopt : index->integer();
    if (!own || *own >= list->elements.size()) return std::nullopt;
    out.own = first + static_cast<std::size_t>(*own);
  }
  if (out.names.empty()) return std::nullopt;
  return out;
}

std::optional<Hosts> rank_table(const Tree& tree) {
  const Tree* const status = tree.member("status");
  const Tree* const version = tree.member("version");
  const Tree* const servers = tree.member("server_list");
  if (status == nullptr || status->text != "completed" || version == nullptr || !version->text ||
      (*version->text != "1.0" && *version->text != "1.1" && *version->text != "1.2") ||
      servers == nullptr || servers->kind != Tree::Kind::array) {
    return std::nullopt;
  }
  if (tree.repeats({"status", "version", "server_list", "server_count"})) return std::nullopt;
  Hosts out;
  struct Row {
    std::uint64_t rank;
    int node;
    int device;
  };
  std::vector<Row> rows;
  for (const Tree& server : servers->elements) {
    const Tree* const id = server.member("server_id");
    const Tree* const devices = server.member("device");
    if (server.repeats({"server_id", "device"}) || id == nullptr || !id->text ||
        !is_host(*id->text) || devices == nullptr || devices->kind != Tree::Kind::array) {
      return std::nullopt;
    }
    for (const Tree& device : devices->elements) {
      const Tree* const rank = device.member("rank_id");
      const Tree* const number = device.member("device_id");
      if (device.repeats({"rank_id", "device_id"}) || rank == nullptr || number == nullptr ||
          !rank->integer() || !number->integer() || *number->integer() > 2147483647) {
        return std::nullopt;
      }
      rows.push_back({*rank->integer(), static_cast<int>(out.names.size()),
                      static_cast<int>(*number->integer())});
    }
    out.names.push_back(*id->text);
  }
  if (const Tree* const count = tree.member("server_count")) {
    if (count->integer() != out.names.size()) return std::nullopt;
  }
  if (out.names.empty() || !once_each(out.names)) return std::nullopt;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i != rows.size(); ++i) {
    if (rows[i].rank != i) return std::nullopt;
    out.node_of_rank.push_back(rows[i].node);
    out.device_of_rank.push_back(rows[i].device);
  }
  return out;
}

void require_same(const Result<HostTable>& table, const std::optional<Hosts>& hosts,
                  std::string_view text) {
  if (!table) {
    require(!hosts, "a table that the tree holds is read", message(table.error()));
    rankmap_fuzz::require_good_error(table.error(), text.size());
    return;
  }
  require(hosts.has_value(), "a table is refused that the tree does not hold", text);
  require(table->size() == hosts->names.size(), "a table has all hosts");
  for (std::size_t i = 0; i != hosts->names.size(); ++i) {
    require(table->hosts()[i].view() == hosts->names[i], "hosts keep their order");
  }
  require(table->own_index() == hosts->own, "the own place is found");
  const auto nodes = table->node_of_rank();
  require(std::vector<int>(nodes.begin(), nodes.end()) == hosts->node_of_rank,
          "ranks are on their nodes");
  const auto devices = table->device_of_rank();
  require(std::vector<int>(devices.begin(), devices.end()) == hosts->device_of_rank,
          "ranks drive their devices");
}

/// The table of hosts and the launcher's record are two readers of one text.
void require_same_place(std::string_view variable, std::string_view text,
                        const Result<HostTable>& table) {
  const rankmap::FixedEnvironment<1> environment({{variable, text}});
  const auto topology = Topology::from_environment(environment, {.one_process_per_node = true});
  if (!topology || !table || !table->own_index()) return;
  require(topology->world_size() == static_cast<int>(table->size()), "both count the same nodes",
          text);
  require(topology->rank() == static_cast<int>(*table->own_index()), "both find the same place",
          text);
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 8192) return;
  const HeapBytes heap;
  const auto json = Json::parse(input, "JSON");
  require(heap.asked() == 0, "JSON is read in place");
  const auto tree = TreeReader(input).document(32);
  require(json.has_value() == tree.has_value(), "JSON is accepted by its grammar",
          json ? std::string_view("accepted") : message(json.error()).view());
  if (!json) {
    require_good_error(json.error(), input.size());
  } else {
    require_same(*json, *tree);
  }
  struct Format {
    HostFormat format;
    std::optional<Hosts> (*read)(const Tree&);
  };
  const auto json_list = [](const Tree& list) -> std::optional<Hosts> {
    Hosts out;
    if (!add_texts(out, &list) || out.names.empty()) return std::nullopt;
    return out;
  };
  for (const Format& row : {Format{HostFormat::json_list, json_list},
                            {HostFormat::sagemaker_config, sagemaker},
                            {HostFormat::tf_config, tf_config},
                            {HostFormat::ascend_rank_table, rank_table}}) {
    const HeapBytes more;
    const auto table = rankmap::parse_hosts(row.format, input, {}, "HOSTS");
    require(more.asked() <= 512 * input.size() + 4096, "memory is bounded by the text");
    require_same(table, tree ? row.read(*tree) : std::nullopt, input);
    if (row.format == HostFormat::tf_config) require_same_place("TF_CONFIG", input, table);
  }
}
