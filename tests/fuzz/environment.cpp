// SPDX-License-Identifier: MIT
//
// A whole environment, and what the caller states beside it, to a topology and its explanation. A
// recorded environment is an input as it stands; lines such as `Config::rank=3` are the caller's.
#include "fuzz.hpp"
#include "json.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/hosts/host_sources.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include "../support/summary.hpp"
#include "../support/table_variables.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Distribution;
using rankmap::Launcher;
using rankmap::Layout;
using rankmap::Result;
using rankmap::Topology;
using rankmap_fuzz::require;
using rankmap_fuzz::value_of;

using Lines = std::vector<std::string_view>;

struct Number {
  std::string_view name;
  std::optional<int> Config::*member;
};
constexpr Number numbers[] = {{"Config::rank", &Config::rank},
                              {"Config::world_size", &Config::world_size},
                              {"Config::local_rank", &Config::local_rank},
                              {"Config::local_world_size", &Config::local_world_size},
                              {"Config::node_rank", &Config::node_rank},
                              {"Config::node_count", &Config::node_count}};

Config config_of(const Lines& lines, std::vector<Launcher>& excluded) {
  Config config;
  for (const Number& number : numbers) {
    if (rankmap_fuzz::has_line(lines, number.name)) {
      config.*number.member = rankmap_fuzz::int_of(value_of(lines, number.name));
    }
  }
  if (rankmap_fuzz::has_line(lines, "Config::hosts")) {
    config.hosts = value_of(lines, "Config::hosts");
  }
  if (rankmap_fuzz::has_line(lines, "Config::tasks_per_node")) {
    config.tasks_per_node = value_of(lines, "Config::tasks_per_node");
  }
  const std::string_view distribution = value_of(lines, "Config::distribution");
  if (distribution == "block") config.distribution = Distribution::block;
  if (distribution == "cyclic") config.distribution = Distribution::cyclic;
  if (distribution == "arbitrary") config.distribution = Distribution::arbitrary;
  if (distribution.substr(0, 6) == "plane=") {
    config.distribution = Distribution::plane(rankmap_fuzz::int_of(distribution.substr(6)));
  }
  config.launcher = rankmap::parse_launcher(value_of(lines, "Config::launcher"));
  for (const std::string_view name : rankmap_fuzz::split(value_of(lines, "Config::exclude"), ',')) {
    if (const auto launcher = rankmap::parse_launcher(name)) excluded.push_back(*launcher);
  }
  config.exclude = excluded;
  config.even_nodes = value_of(lines, "Config::even_nodes") == "1";
  config.one_process_per_node = value_of(lines, "Config::one_process_per_node") == "1";
  config.strict = value_of(lines, "Config::strict") == "1";
  config.require_launcher = value_of(lines, "Config::require_launcher") == "1";
  return config;
}

/// Counts how often it is asked: the work of resolving must not depend on what it finds.
struct CountedEnvironment {
  rankmap::RecordedEnvironment environment;
  mutable int asked = 0;
  std::optional<std::string_view> operator()(std::string_view name) const {
    ++asked;
    return environment(name);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    environment.for_each(visit);
  }
};

void require_sound_layout(const Topology& topology) {
  const Layout& layout = *topology.layout();
  const int rank = topology.rank();
  require(layout.world_size() == topology.world_size(), "the layout is that of this world");
  require(topology.node_count() == layout.node_count(), "the layout counts the known nodes");
  require(topology.node_rank() == layout.node_of(rank), "the layout has this rank on its node");
  require(topology.local_world_size() == layout.local_world_size(layout.node_of(rank)),
          "the layout has as many ranks here as are known");
  if (layout.world_size() > 4096 || layout.node_count() > 4096) {
    require(layout.rank_of(layout.place_of(rank)) == rank, "a rank is found at its place");
    return;
  }
  int ranks = 0;
  for (int node = 0; node != layout.node_count(); ++node) {
    int local = 0;
    int last = -1;
    for (const int there : layout.ranks_on(node)) {
      require(there > last && there < layout.world_size(), "ranks of a node ascend");
      require(layout.place_of(there) == rankmap::Place{node, local}, "ranks are where they are");
      last = there;
      ++local;
      ++ranks;
    }
    require(local == layout.local_world_size(node), "a node has as many ranks as it tells");
  }
  require(ranks == layout.world_size(), "every rank is on one node");
}

/// Whether the caller lists a node without ranks, which no launcher counts.
bool has_empty_node(const Topology& topology) {
  return topology.layout() && topology.layout()->smallest_local_world_size() == 0;
}

void require_sound(const Topology& topology, std::string_view why) {
  const int world = topology.world_size();
  require(world >= 1, "a world has at least one process", why);
  require(topology.rank() >= 0 && topology.rank() < world, "0 <= rank < world_size", why);
  require(topology.local_rank() >= -1 && topology.local_rank() < world,
          "-1 <= local_rank < world_size", why);
  const int local = (std::max)(topology.local_rank(), 0);
  const auto size = topology.local_world_size();
  const auto node = topology.node_rank();
  const auto nodes = topology.node_count();
  if (size) require(local < *size && *size <= world, "local_rank < local_world_size <= world", why);
  if (nodes) require(*nodes >= 1, "1 <= node_count", why);
  if (node) require(*node >= 0, "0 <= node_rank", why);
  if (node && nodes) require(*node < *nodes, "node_rank < node_count", why);
  if (!has_empty_node(topology)) {
    if (nodes) require(*nodes <= world, "node_count <= world_size", why);
    if (node) require(*node < world, "node_rank < world_size", why);
    if (size && nodes) {
      require((*size == world) == (*nodes == 1), "one node has all processes, and only one", why);
      require(*nodes - 1 <= world - *size, "each other node has a process", why);
    }
  }
  if (world == 1 && !has_empty_node(topology)) {
    require(size == 1 && node == 0 && nodes == 1 && topology.layout().has_value(),
            "a single process knows all of its world", why);
  }
  require(topology.is_distributed() == (world > 1), "more than one process is distributed", why);
  require(topology.is_main() == (topology.rank() == 0), "rank 0 is main", why);
  require(topology.is_local_main() == (topology.local_rank() <= 0), "local rank 0 is local main",
          why);
  if (topology.layout()) require_sound_layout(topology);
  if (!topology.hosts().empty() && nodes) {
    require(topology.hosts().size() == static_cast<std::size_t>(*nodes), "one host for each node",
            why);
  }
  for (const int rank : {0, topology.rank(), world - 1}) {
    const auto host = topology.host_of(rank);
    if (host) require(!host->empty(), "a host has a name", why);
  }
  if (topology.rendezvous()) {
    require(!topology.rendezvous()->address.empty(), "workers meet at an address", why);
    require(topology.rendezvous()->port >= 0 && topology.rendezvous()->port < 65536,
            "a port is a port", why);
  }
  require(topology.restart_count() >= 0, "restarts count from 0", why);
  for (std::size_t i = 0; i != rankmap::field_count; ++i) {
    const auto field = static_cast<rankmap::TopologyField>(i);
    const rankmap::Origin& origin = topology.origin(field);
    const bool known = !rankmap::detail::value_text(topology, field).empty();
    require(!known || origin.kind != rankmap::OriginKind::unknown, "what is known has an origin",
            why);
    require(origin.kind == rankmap::OriginKind::unknown || !origin.source.empty(),
            "an origin names its source", why);
  }
}

/// All of the job in one place: what is told does not depend on how it is asked.
void require_sound_explanation(const Topology& topology) {
  const auto text = explain(topology);
  require(!text.cut() && text.size() > 200, "explain() tells every field", text);
  require(text.view().back() == '\n', "explain() ends its last line", text);
  for (const char c : text.view()) {
    require(c == '\n' || (c >= 0x20 && c <= 0x7e), "explain() is printable ASCII", text);
  }
}

/// Whatever stood in the variables, the JSON is JSON.
void require_sound_json(const Topology& topology) {
  std::string text;
  write_json(topology, [&](std::string_view piece) { text += piece; });
  require(text.size() <= 24 * 1024 + 6 * topology.hosts().text().size(), "JSON is bounded", text);
  require(rankmap_fuzz::is_printable(text), "JSON is one line of printable ASCII", text);
  const auto tree = rankmap_fuzz::TreeReader(text).document(32);
  require(tree.has_value(), "JSON can be read", text);
  const rankmap_fuzz::Tree* const rank = tree->member("rank");
  require(rank != nullptr && rank->integer() == static_cast<std::uint64_t>(topology.rank()),
          "JSON tells the rank", text);
}

/// A world of one process gathers with itself.
void require_sound_gathering(const Topology& topology) {
  if (topology.world_size() != 1 || has_empty_node(topology)) return;
  const auto copy = [](std::span<const std::byte> mine, std::span<std::byte> all) {
    std::memcpy(all.data(), mine.data(), mine.size());
  };
  const auto gathered = rankmap::gather_hosts(topology, "a-host", copy);
  require(gathered.has_value(), "one process can gather",
          gathered ? std::string_view() : message(gathered.error()).view());
  require(gathered->host() == "a-host", "a gathered host is the own one");
  require_sound(*gathered, "gathered");
}

std::string text_of(const Result<Topology>& result) {
  std::string out(rankmap_test::summary(result).view());
  if (result) out += explain(*result).view();
  return out;
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() {
  std::set<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) names.insert(std::string(name) + '=');
  };
  for (const std::string_view name : rankmap_test::table_variables()) {
    add(name.back() == '_' ? std::string(name) + '0' : std::string(name));
  }
  for (const rankmap::LauncherRow& row : rankmap::launchers) {
    for (const rankmap::ExpectedText& expected : {row.require_text, row.role}) {
      for (const std::string_view text : expected.texts) {
        names.insert(std::string(expected.variable) + "=" + std::string(text));
      }
    }
    names.insert("Config::launcher=" + std::string(name(row.launcher)));
    names.insert("Config::exclude=" + std::string(name(row.launcher)));
    names.insert("RANKMAP_LAUNCHER=" + std::string(name(row.launcher)));
    names.insert("RANKMAP_IGNORE=" + std::string(name(row.launcher)));
  }
  for (const rankmap::HostSource& source : rankmap::host_sources) {
    add(source.variable);
    add(source.own_index);
    add(source.own_host);
  }
  for (const Number& number : numbers) add(number.name);
  for (const auto& word : rankmap::detail::rank_words) add("FOO_" + std::string(word));
  for (const std::string_view line :
       {"Config::hosts=", "Config::tasks_per_node=", "Config::distribution=block",
        "Config::distribution=cyclic", "Config::distribution=arbitrary",
        "Config::distribution=plane=2", "Config::even_nodes=1", "Config::one_process_per_node=1",
        "Config::strict=1", "Config::require_launcher=1", "RANKMAP_LAUNCHER=none",
        "RANKMAP_STRICT=1"}) {
    names.insert(std::string(line));
  }
  return {names.begin(), names.end()};
}

void rankmap_fuzz::run(std::string_view input) {
  const char separator = separator_of(input);
  const Lines lines = split(input, separator);
  std::vector<Launcher> excluded;
  Config config = config_of(lines, excluded);
  const CountedEnvironment environment{rankmap::RecordedEnvironment(input, separator)};

  const HeapBytes heap;
  const Result<Topology> result = Topology::from_environment(environment, config);
  require(environment.asked < 4000, "the number of look-ups is bounded");
  // Hosts and layouts are kept as they are written; beyond 64 runs nodes and ranks are listed.
  const std::size_t lists = input.size() < 128 ? 0 : (std::size_t{64} << 20U) + 2048 * input.size();
  require(heap.asked() <= 64 * input.size() + 4096 + lists, "memory is bounded");
  if (result) {
    require_sound(*result, rankmap_test::summary(result));
    require_sound_explanation(*result);
    require_sound_json(*result);
    require_sound_gathering(*result);
  } else {
    require_good_error(result.error(), input.size());
  }

  // A hint is never an error, and never silent about one.
  const auto all = rankmap::Identity::from_environment(environment, rankmap::Need::all, config);
  const auto hint = rankmap::Identity::from_environment(environment, rankmap::Need::hint, config);
  require(hint.has_value(), "a hint is no error",
          hint ? std::string_view() : message(hint.error()).view());
  require(all || !hint->warnings().empty(), "a hint warns of an error",
          all ? std::string_view() : message(all.error()).view());

  // The order of the variables does not matter, nor do empty ones.
  std::string reversed;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view name = line->substr(0, line->find('='));
    if (line->size() == name.size()) continue;
    if (value_of(lines, name).data() != line->data() + name.size() + 1) continue;  // a second one
    if (line->size() == name.size() + 1) continue;                                 // empty
    reversed += std::string(*line) + separator;
  }
  const std::string text = text_of(result);
  const auto again =
      Topology::from_environment(rankmap::RecordedEnvironment(reversed, separator), config);
  require(text_of(again) == text, "neither order nor empty variables matter", text);

  // Strictness refuses, and changes nothing that it accepts.
  config.strict = !config.strict;
  const auto other = Topology::from_environment(environment, config);
  const Result<Topology>& strict = config.strict ? other : result;
  const Result<Topology>& lenient = config.strict ? result : other;
  if (strict) {
    require(text_of(strict) == text_of(lenient), "strictness changes no answer", text);
    for (const rankmap::Warning& warning : strict->warnings()) {
      const bool is_caution = std::ranges::any_of(rankmap::launchers, [&](const auto& row) {
        return row.caution.variable == warning.variable;
      });
      require(is_caution, "strictness leaves no warning but a caution", text);
    }
  }
}
