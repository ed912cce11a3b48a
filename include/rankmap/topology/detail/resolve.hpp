// SPDX-License-Identifier: MIT
//
// From an environment and the caller's Config to a topology: reads every record, chooses one, fills
// in what follows, and reports how the others relate.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/cautions.hpp>
#include <rankmap/topology/detail/choose_record.hpp>
#include <rankmap/topology/detail/dispute.hpp>
#include <rankmap/topology/detail/identity.hpp>
#include <rankmap/topology/detail/lost_record.hpp>
#include <rankmap/topology/detail/operator_words.hpp>
#include <rankmap/topology/detail/read_details.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/detail/record_error.hpp>
#include <rankmap/topology/detail/record_relation.hpp>
#include <rankmap/topology/detail/records.hpp>
#include <rankmap/topology/detail/require_launcher.hpp>
#include <rankmap/topology/detail/resolve_identity.hpp>
#include <rankmap/topology/detail/resolve_layout.hpp>
#include <rankmap/topology/detail/settle.hpp>
#include <rankmap/topology/detail/topology_data.hpp>
#include <rankmap/topology/detail/traces.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>
#include <rankmap/topology/origin.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The origin of a local rank of -1.
constexpr Origin origin_of_minus_one(const Record* record, const EnvironmentView& variables) {
  if (record == nullptr) {
    return {OriginKind::given, Launcher::config, config_name(Field::local_rank), {}};
  }
  const std::string_view variable = source_of(record->row, Field::local_rank).names.first();
  return {OriginKind::read, record->row.launcher, variable,
          shortened(variables.text_or_empty(variable))};
}

/// Lists the other records, and how they relate to the chosen one. Returns the first conflict: the
/// list may be full before.
constexpr Optional<OtherRecord> add_other_records(TopologyData& data, const Records& records,
                                                  const Record* chosen,
                                                  const EnvironmentView& variables) {
  const bool settled =
      data.proof.kind == ProofKind::starter || data.proof.kind == ProofKind::set_later;
  Optional<OtherRecord> conflict;
  Record own;
  own.row.launcher = data.launcher;
  if (chosen != nullptr) own.row = chosen->row;
  own.state = RecordState::complete;
  if (chosen != nullptr) own.host = chosen->host;
  for (std::size_t i = 0; i != number_count; ++i) {
    const auto field = static_cast<Field>(i);
    if (data.identity.knows(field)) own[field].number = data.identity[field];
  }
  for (const Record& record : records) {
    if (&record == chosen) continue;
    // A bare PMI or PMIx rank is treated like the record of the process manager that it goes with.
    const Record* const manager = manager_of(record, records);
    const Relation relation =
        manager != nullptr && manager == chosen
            ? Relation::same
            : relation_of(own, manager != nullptr ? *manager : record, settled);
    OtherRecord other;
    other.launcher = record.row.launcher;
    other.state = record.state;
    other.relation = relation;
    const bool node = record.state == RecordState::node_level;
    other.rank = record[node ? Field::node_rank : Field::rank].number;
    other.world_size = record[node ? Field::node_count : Field::world_size].number;
    other.variable =
        record.problem.variable.empty() ? detected_by(record, variables) : record.problem.variable;
    other.reason = record.problem.reason;
    data.others.add(other);
    if (relation == Relation::conflict && !conflict) conflict = other;
  }
  return conflict;
}

/// Warns of a single process whose starter may have started other processes too.
constexpr void warn_of_starter(TopologyData& data, const Records& records,
                               const EnvironmentView& variables) {
  for (const Record& record : records) {
    const bool is_inner = data.launcher == Launcher::none || record.row.launcher < data.launcher;
    if (!may_be_alone(record) || !is_inner) continue;
    const std::string_view variable = detected_by(record, variables);
    data.warnings.add({variable, shortened(variables.text_or_empty(variable)),
                       "the numbers of a launcher too, unless this process is the only one"});
    return;
  }
}

/// Whether the process is the only one of its node, as the daemon of another launcher is: then its
/// workers have the same record. A pod may run such workers, too.
constexpr bool may_be_daemon(const Record& record, const Identity& identity) {
  const bool starts_others = record.state == RecordState::node_level || record.row.starts_daemons;
  return starts_others && identity.knows(Field::local_world_size) &&
         identity[Field::local_world_size] == 1;
}

/// With Config::strict, a conflict or a warning is an error. If the caller names the launcher, a
/// conflict is not.
constexpr Optional<Error> check_strict(const TopologyData& data,
                                       const Optional<OtherRecord>& conflict,
                                       const EnvironmentView& variables, const Config& config) {
  if (!config.strict) return std::nullopt;
  if (conflict && !config.launcher) {
    return error_at(
        Errc::conflict, conflict->variable, variables.text_or_empty(conflict->variable),
        concat<159>("rank ", data.identity[Field::rank], " of ", data.identity[Field::world_size],
                    ", as ", name(data.launcher), " says (", name(conflict->launcher),
                    " disagrees)"),
        "set RANKMAP_LAUNCHER to the right one, or unset the variables of the other; in the "
        "program, set Config::launcher");
  }
  for (const Warning& warning : data.warnings) {
    StaticString<159> expected(warning.reason);
    if (warning.launcher != Launcher::none) {
      expected.append(" (").append(name(warning.launcher)).append(')');
    }
    return error_at(Errc::ambiguous, warning.variable, variables.text_or_empty(warning.variable),
                    expected, warning.remedy.empty() ? "correct or unset it" : warning.remedy);
  }
  return std::nullopt;
}

/// The record that a hook or script (enroot, pyxis, submitit) copied into the chosen one, whose
/// names any script may export. What it has about nodes holds for the chosen record too. Rank,
/// world size and local rank agree, and some node has several of its processes. With one process on
/// each node, it may be that of agents whose numbers happen to agree on this rank, but not on the
/// next.
constexpr const Record* find_copied_record(const Records& records, const Record* chosen) {
  if (chosen == nullptr || chosen->state != RecordState::complete || !chosen->row.generic_names) {
    return nullptr;
  }
  for (const Record& record : records) {
    const Value& world = record[Field::world_size];
    const Value& nodes = record[Field::node_count];
    if (record.state != RecordState::complete || &record == chosen || !nodes.known() ||
        nodes.number >= world.number) {
      continue;
    }
    if (compare_identity(*chosen, record).agree) return &record;
  }
  return nullptr;
}

/// Sets the numbers of this node and of all nodes that the chosen record does not have.
constexpr void fill_node_numbers(Identity& identity, const Record& original) {
  for (const Field field : {Field::local_world_size, Field::node_rank, Field::node_count}) {
    if (!identity.knows(field) && original[field].known()) {
      identity.set_read(field, original[field], original.row.launcher);
    }
  }
}

/// Refuses a record that says something else than another one once the rules have completed it,
/// where nothing proves which is the inner one. Before that, the other one was compared with less.
/// A part of another record proves nothing, unless an unknown starter is nearer: it may have set
/// it. `is_proven`: it is inner to those that it disagreed with before.
constexpr Optional<Error> check_no_rival(const Record& chosen, bool is_proven,
                                         const Identity& identity, const Records& records,
                                         const EnvironmentView& variables) {
  Record completed = chosen;
  for (std::size_t i = 0; i != number_count; ++i) {
    const auto field = static_cast<Field>(i);
    if (identity.knows(field)) completed[field].number = identity[field];
  }
  for (const Record& other : records) {
    if (&other == &chosen || (is_proven && in_dispute(chosen, other, records))) continue;
    const bool is_rival =
        chosen.state == RecordState::incomplete
            ? contradict(completed, other, records)
            : other.state == RecordState::complete && !compare_identity(completed, other).agree;
    const bool is_new =
        names_another_place(other, completed) && !names_another_place(other, chosen);
    const bool is_doubt =
        is_part_of_another(other, completed) && !in_dispute(chosen, other, records);
    if (is_rival || is_new || (is_doubt && is_below_unknown_starter(chosen, records, variables))) {
      return ambiguous_order(completed, other, variables);
    }
  }
  return std::nullopt;
}

/// Refuses a record if the names of one of its numbers have different texts. Its launcher sets all
/// of them to the same, so that some were inherited.
constexpr Optional<Error> check_names_agree(const Record& chosen,
                                            const EnvironmentView& variables) {
  for (std::size_t i = 0; i != number_count; ++i) {
    const auto field = static_cast<Field>(i);
    const Value& value = chosen[field];
    if (!value.known()) continue;
    for (const std::string_view other : source_of(chosen.row, field).names) {
      if (other == value.variable) continue;
      const auto text = variables(other);
      if (!text || *text == value.text) continue;
      return error_at(Errc::conflict, other, *text,
                      concat<159>("\"", shortened(value.text), "\", as ", value.variable, " says (",
                                  name(chosen.row.launcher), " sets both)"),
                      concat<159>("unset the one that was inherited; in the program, pass ",
                                  config_name(field)));
    }
  }
  return std::nullopt;
}

/// Fills `data`, which is empty before. It is not returned by value: to copy it would cost more
/// than to resolve it.
constexpr Optional<Error> resolve(const EnvironmentView& variables, const Config& given,
                                  TopologyData& data) {
  Statements stated(given);
  if (const auto error = add_operator_words(variables, stated)) return error;
  const Config& config = stated.config;
  if (const auto error = check_config_numbers(config)) return error;
  const Records records(variables, config, stated.excluded);
  if (const auto error = check_launcher_word(stated, records, variables)) return error;
  data.operator_words = stated.words;
  Choice choice;
  if (config.local_rank == -1) {
    choice.not_distributed = true;
  } else {
    Result<Choice> chosen = choose_record(records, variables, config);
    if (!chosen) return chosen.error();
    choice = *chosen;
    if (describes_process(config)) choice.not_distributed = false;
  }

  Identity& identity = data.identity;
  if (config.tasks_per_node) identity.allow_empty_nodes();
  const Record* record = nullptr;
  const Record* original = nullptr;
  data.not_distributed = choice.not_distributed;
  data.proof = choice.proof;
  if (choice.not_distributed) {
    if (const auto error = set_not_distributed(identity, config)) return error;
  } else {
    if (fill_from_config_and_record(identity, choice.record, config)) record = choice.record;
    original = find_copied_record(records, record);
    if (original != nullptr) fill_node_numbers(identity, *original);
    if (const auto error = complete_identity(identity, record, records, variables, config))
      return error;
  }
  data.launcher = record != nullptr           ? record->row.launcher
                  : describes_process(config) ? Launcher::config
                                              : Launcher::none;
  // An incomplete record proves no layout.
  const bool incomplete = record != nullptr && record->state == RecordState::incomplete;
  const Record* const placed = incomplete ? nullptr : original != nullptr ? original : record;
  if (const auto error = resolve_layout(data, placed, variables, config)) return error;
  if (const auto error = check_required_fields(identity, record, variables)) return error;
  if (const auto error = identity.find_contradiction()) return error;
  if (record != nullptr && !describes_process(config) && !config.launcher) {
    if (const auto error = check_names_agree(*record, variables)) return error;
    const bool is_proven = data.proof.kind != ProofKind::none;
    if (const auto error = check_no_rival(*record, is_proven, identity, records, variables)) {
      return error;
    }
  }

  if (record != nullptr) {
    read_details(data, *record, variables);
    if (record->warning.kind != Problem::Kind::none) {
      data.warnings.add(warning_about(*record, variables));
    }
    bool is_doubted = record->doubt.empty();  // or it is said already that it does not fit
    for (const Warning& warning : data.warnings) {
      is_doubted = is_doubted || warning.variable == record->doubtful;
    }
    if (!is_doubted) {
      data.warnings.add(
          {record->doubtful, shortened(variables.text_or_empty(record->doubtful)), record->doubt});
    }
    if (is_numbered_by_node(*record, config)) {
      warn_of_another_index(data, *record, records, variables);
    }
  }
  read_rendezvous(data, record, variables);
  for (std::size_t i = 0; i != number_count; ++i) {
    data.origins[i] = identity.origin(static_cast<Field>(i));
  }
  if (data.not_distributed) {
    data.origin(Field::local_rank) = origin_of_minus_one(choice.record, variables);
  }
  const Optional<OtherRecord> conflict =
      add_other_records(data, records, choice.not_distributed ? choice.record : record, variables);
  read_host_of_related_record(data, records, variables);
  if (data.host.empty() && data.layout && !data.hosts.empty()) {
    const int node = data.layout->node_of(identity[Field::rank]);
    data.host = data.hosts[static_cast<std::size_t>(node)];
    data.origin(Field::host) = {
        OriginKind::derived, Launcher::none, "the host of this rank's node in hosts", {}};
  }
  const std::size_t first_trace = data.warnings.size();
  if (identity[Field::world_size] == 1 && !data.not_distributed && !config.launcher) {
    warn_of_starter(data, records, variables);
  }
  if (data.launcher == Launcher::none && !config.launcher) {
    warn_of_traces(data, records, stated.excluded, variables);
    // A script or a pod has variables of its own, and a warning is enough.
    if (records.begin() == records.end() && data.warnings.size() == 0) {
      warn_of_lost_record(data, stated.excluded, variables);
    }
  } else if (record != nullptr && !config.launcher && may_be_daemon(*record, identity)) {
    warn_of_traces(data, records, stated.excluded, variables, true);
  }
  if (const auto error = check_required_launcher(data, first_trace, stated, variables))
    return error;
  if (const auto error = check_strict(data, conflict, variables, config)) return error;
  if (record != nullptr) warn_of_caution(data, *record, variables);
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RESOLVE_HPP
