// SPDX-License-Identifier: MIT
// A topology as text for people: every field with its value and its origin, the other records and
// how they relate, the warnings. Only texts that a field was read from are printed. The rest of the
// environment, which may hold secrets, is not.
#ifndef RANKMAP_TOPOLOGY_EXPLAIN_HPP
#define RANKMAP_TOPOLOGY_EXPLAIN_HPP

#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/launcher/row_layouts.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Large enough for all that explain() can write.
using Explanation = StaticString<8191>;

namespace detail {

constexpr void pad_to(Explanation& out, std::size_t line_begin, std::size_t column) {
  do out.append(' ');
  while (out.size() < line_begin + column);
}

/// The value of a field as text; empty if it is not known.
constexpr StaticString<335> value_text(const Topology& topology, TopologyField field) {
  StaticString<335> out;
  const std::optional<int> numbers[number_count] = {
      topology.rank(),       topology.world_size(),
      topology.local_rank(), topology.local_world_size(),
      topology.node_rank(),  topology.node_count()};
  const auto place = static_cast<std::size_t>(field);
  if (place < number_count) {
    if (numbers[place]) out.append_number(*numbers[place]);
    return out;
  }
  if (field == TopologyField::host) append_escaped(out, topology.host());
  if (field == TopologyField::hosts && !topology.hosts().empty()) {
    out.append_number(std::uint64_t{topology.hosts().size()}).append(" hosts");
  }
  if (field == TopologyField::layout && topology.layout()) out.append("all ranks known");
  if (field == TopologyField::rendezvous && topology.rendezvous()) {
    const auto& rendezvous = *topology.rendezvous();
    append_escaped(out, with_brackets(rendezvous.address));
    if (rendezvous.port != 0) out.append(':').append_number(rendezvous.port);
  }
  if (field == TopologyField::job_id) append_escaped(out, topology.job_id());
  const bool is_known = topology.origin(field).kind != OriginKind::unknown;
  if (field == TopologyField::restart_count && is_known) {
    out.append_number(topology.restart_count());
  }
  return out;
}

/// Where a known value came from. A launcher is named where it is not the chosen one.
constexpr void append_origin(Explanation& out, const Topology& topology, const Origin& origin) {
  if (origin.kind != OriginKind::read) {
    out.append(name(origin.kind)).append(": ").append(origin.source);
    return;
  }
  out.append(origin.source).append("=\"").append(origin.text).append('"');
  if (origin.launcher != topology.launcher() && origin.launcher != Launcher::none) {
    out.append(" (").append(topology.launcher_name(origin.launcher)).append(')');
  }
}

/// Why a field is not known, and what can supply it.
constexpr void append_why_unknown(Explanation& out, const Topology& topology, TopologyField field) {
  const Origin& origin = topology.origin(field);
  if (!origin.source.empty()) {
    out.append(origin.source).append("=\"").append(origin.text).append("\" ");
    if (origin.launcher != Launcher::none && origin.launcher != topology.launcher()) {
      out.append("is that of ").append(topology.launcher_name(origin.launcher));
    } else {
      out.append("cannot be used");
    }
    return;
  }
  const auto row = static_cast<std::size_t>(topology.launcher()) - 2;
  std::string_view why;
  if (field == TopologyField::layout && row < launcher_count) {
    why = why_no_layout(row_of(topology.launcher()));
  }
  if (field == TopologyField::rendezvous) {
    why = "MASTER_ADDR is not set; derive_rendezvous() computes one";
  }
  const bool is_gathered = field != TopologyField::job_id && field != TopologyField::restart_count;
  out.append(!why.empty()  ? why
             : is_gathered ? "not set by this launcher; gather_hosts() fills it in"
                           : "not set by this launcher");
}

/// Why one record is believed, and not another one.
constexpr void append_proof(Explanation& out, const Topology& topology) {
  const Proof& proof = topology.proof();
  const std::string_view process = proof.generation == 1 ? "parent process" : "ancestor process";
  out.append(topology.launcher_name(proof.launcher)).append(", ");
  if (proof.kind == ProofKind::starter) {
    out.append(process).append(' ').append(proof.process).append("; older: ");
  }
  if (proof.kind == ProofKind::set_later) {
    out.append("set by the ").append(proof.generation == 0 ? "process itself" : process);
    out.append("; older: ");
  }
  if (proof.kind == ProofKind::agents) out.append("whose agents were started by ");
  if (proof.kind == ProofKind::step) out.append("whose step was started below ");
  out.append(topology.launcher_name(proof.other));
}

}  // namespace detail

/// The whole topology as a table: one line for each field, then one for each variable by which
/// whoever runs the job overrides the choice, one for the proof, if there is one, and one for each
/// other record and each warning. Printable ASCII and newlines only. The wording may change with
/// any version; programs should use write_json(). O(length), no allocation.
RANKMAP_NOINLINE constexpr Explanation explain(const Topology& topology) {
  Explanation out;
  const auto line = [&](std::string_view label, std::string_view value) {
    const std::size_t begin = out.size();
    out.append(label);
    detail::pad_to(out, begin, 18);
    out.append(value);
    return begin;
  };
  line("launcher", topology.launcher_name());
  out.append('\n');
  for (std::size_t i = 0; i != field_count; ++i) {
    const auto field = static_cast<TopologyField>(i);
    const auto value = detail::value_text(topology, field);
    const bool known = !value.empty();
    const std::size_t begin = line(name(field), known ? value.view() : "unknown");
    detail::pad_to(out, begin, 34);
    if (known) {
      detail::append_origin(out, topology, topology.origin(field));
    } else {
      detail::append_why_unknown(out, topology, field);
    }
    out.append('\n');
  }
  for (const OperatorWord& word : topology.operator_words()) {
    line("operator", word.variable);
    out.append("=\"").append(word.text).append("\"\n");
  }
  if (topology.proof().kind != ProofKind::none) {
    line("believed", {});
    detail::append_proof(out, topology);
    out.append('\n');
  }
  for (const OtherRecord& other : topology.other_records()) {
    line("also found", topology.launcher_name(other.launcher));
    out.append(", ").append(name(other.state)).append(", ");
    out.append(name(other.relation)).append(": ");
    if (other.rank >= 0) {
      out.append(other.state == RecordState::node_level ? "node " : "rank ");
      out.append_number(other.rank);
      if (other.world_size >= 0) out.append(" of ").append_number(other.world_size);
      out.append(" (").append(other.variable).append(')');
    } else {
      out.append(other.variable);
    }
    if (!other.reason.empty()) out.append("; ").append(other.reason);
    out.append('\n');
  }
  for (const Warning& warning : topology.warnings()) {
    line("warning", warning.variable);
    if (!warning.text.empty()) out.append("=\"").append(warning.text).append('"');
    if (warning.launcher != Launcher::none)
      out.append(" (").append(topology.launcher_name(warning.launcher)).append(')');
    detail::append_expected(out.append(": expected "), warning,
                            topology.launcher_name(warning.rival_launcher));
    StaticString<255> remedy;
    detail::append_remedy(remedy, warning);
    if (!remedy.empty()) out.append("; ").append(remedy);
    out.append('\n');
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_EXPLAIN_HPP
