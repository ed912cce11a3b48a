// SPDX-License-Identifier: MIT
// A topology as JSON for programs: every field with its origin, the other records, the warnings.
// The content is that of explain.hpp, under stable keys.
#ifndef RANKMAP_TOPOLOGY_JSON_HPP
#define RANKMAP_TOPOLOGY_JSON_HPP

#include <rankmap/detail/json_writer.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <optional>

namespace rankmap::inline v0 {

/// The version of the keys. It rises when a key changes its meaning or is removed. New keys may be
/// added without.
inline constexpr int json_schema = 1;

namespace detail {

constexpr void write_layout(auto& json, const OptionalLayout& layout) {
  if (!json.begin_member("layout", layout.has_value())) return;
  const Distribution distribution = layout->distribution();
  const bool plane = distribution.kind == DistributionKind::plane;
  json.member("world_size", layout->world_size())
      .member("node_count", layout->node_count())
      .member("distribution", name(distribution.kind))
      .member("plane_size", plane ? std::optional<int>(distribution.plane_size) : std::nullopt)
      .member("smallest_local_world_size", layout->smallest_local_world_size())
      .member("largest_local_world_size", layout->largest_local_world_size())
      .end("}");
}

constexpr void write_rendezvous(auto& json, const std::optional<Rendezvous>& rendezvous) {
  if (!json.begin_member("rendezvous", rendezvous.has_value())) return;
  const std::optional<int> port = rendezvous->port;
  json.member("address", rendezvous->address.view())
      .member("port", rendezvous->port == 0 ? std::nullopt : port)
      .member("id", rendezvous->id.view())
      .member("backend", rendezvous->backend.view())
      .end("}");
}

constexpr void write_origins(auto& json, const Topology& topology) {
  json.key("origins").begin("{");
  for (std::size_t i = 0; i != field_count; ++i) {
    const auto field = static_cast<TopologyField>(i);
    const Origin& origin = topology.origin(field);
    const bool of_launcher = origin.launcher != Launcher::none;
    json.key(name(field))
        .begin("{")
        .member("kind", name(origin.kind))
        .member("source", origin.source)
        .member("text", origin.text.view())
        .member("launcher",
                of_launcher ? topology.launcher_name(origin.launcher) : std::string_view())
        .end("}");
  }
  json.end("}");
}

constexpr void write_proof(auto& json, const Topology& topology) {
  const Proof& proof = topology.proof();
  if (!json.begin_member("proof", proof.kind != ProofKind::none)) return;
  const bool has_process = proof.kind == ProofKind::starter || proof.kind == ProofKind::set_later;
  json.member("kind", name(proof.kind))
      .member("launcher", topology.launcher_name(proof.launcher))
      .member("other", topology.launcher_name(proof.other))
      .member("generation", has_process ? std::optional<int>(proof.generation) : std::nullopt)
      .member("process", proof.process.view())
      .end("}");
}

constexpr void write_others(auto& json, const Topology& topology) {
  const auto or_null = [](int value) {
    return value < 0 ? std::nullopt : std::optional<int>(value);
  };
  json.key("other_records").begin("[");
  for (const OtherRecord& other : topology.other_records()) {
    json.begin("{")
        .member("launcher", topology.launcher_name(other.launcher))
        .member("state", name(other.state))
        .member("relation", name(other.relation))
        .member("rank", or_null(other.rank))
        .member("world_size", or_null(other.world_size))
        .member("variable", other.variable)
        .member("reason", other.reason)
        .end("}");
  }
  json.end("]").key("warnings").begin("[");
  for (const Warning& warning : topology.warnings()) {
    const bool of_launcher = warning.launcher != Launcher::none;
    StaticString<255> expected;
    append_expected(expected, warning, topology.launcher_name(warning.rival_launcher));
    StaticString<255> remedy;
    append_remedy(remedy, warning);
    json.begin("{")
        .member("variable", warning.variable.view())
        .member("text", warning.text.view())
        .member("expected", expected.view())
        .member("remedy", remedy.view())
        .member("launcher",
                of_launcher ? topology.launcher_name(warning.launcher) : std::string_view())
        .end("}");
  }
  json.end("]").key("operator_words").begin("[");
  for (const OperatorWord& word : topology.operator_words()) {
    json.begin("{").member("variable", word.variable).member("text", word.text.view()).end("}");
  }
  json.end("]");
}

}  // namespace detail

/// Writes `topology` as one JSON object, in one line of printable ASCII without a newline.
///
/// `out`: any callable that takes a std::string_view. It receives the text in pieces, in order.
///
/// Every key is always written, in the same order. A value that is not known is null. Characters
/// outside printable ASCII are \uNNNN escapes, and a byte that is not UTF-8 is U+FFFD. So the
/// output is valid JSON and safe for terminals, whatever a variable holds. As in explain(), only
/// texts that a field was read from are written.
///
/// At most 24 KiB plus six times the text of the host list. O(length), no error, no allocation,
/// constexpr.
///
///     std::string text;
///     rankmap::write_json(topology, [&](std::string_view piece) { text += piece; });
template <class Out>
constexpr void write_json(const Topology& topology, Out&& out) {
  detail::JsonWriter json(out);
  json.begin("{")
      .member("schema", json_schema)
      .member("launcher", topology.launcher_name())
      .member("rank", topology.rank())
      .member("world_size", topology.world_size())
      .member("local_rank", topology.local_rank())
      .member("local_world_size", topology.local_world_size())
      .member("node_rank", topology.node_rank())
      .member("node_count", topology.node_count())
      .flag("distributed", topology.is_distributed())
      .member("host", topology.host());
  if (json.begin_member("hosts", !topology.hosts().empty())) {
    json.key("count").number(static_cast<std::int64_t>(topology.hosts().size()));
    json.member("list", topology.hosts().text()).end("}");
  }
  detail::write_layout(json, topology.layout());
  detail::write_rendezvous(json, topology.rendezvous());
  const bool counted = topology.origin(TopologyField::restart_count).kind != OriginKind::unknown;
  const std::optional<int> restarts = topology.restart_count();
  json.member("job_id", topology.job_id())
      .member("step_id", topology.step_id())
      .member("restart_count", counted ? restarts : std::nullopt);
  detail::write_origins(json, topology);
  detail::write_proof(json, topology);
  detail::write_others(json, topology);
  json.end("}");
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_JSON_HPP
