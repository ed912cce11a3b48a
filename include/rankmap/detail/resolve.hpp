// SPDX-License-Identifier: MIT
//
// From an environment and the caller's Config to one identity: read every record, choose one, never
// mix two, and say how the others relate.
#ifndef RANKMAP_DETAIL_RESOLVE_HPP
#define RANKMAP_DETAIL_RESOLVE_HPP

#include <rankmap/config.hpp>
#include <rankmap/detail/choose.hpp>
#include <rankmap/detail/draft.hpp>
#include <rankmap/detail/maybe.hpp>
#include <rankmap/detail/place.hpp>
#include <rankmap/detail/record.hpp>
#include <rankmap/detail/relation.hpp>
#include <rankmap/detail/topology_data.hpp>
#include <rankmap/detail/variables.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/origin.hpp>
#include <rankmap/rendezvous.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// Fills the draft from the caller and the chosen record. A record that the caller's rank or world
/// size contradicts is that of someone else: none of it is used.
constexpr bool fill(Draft& draft, const Record* record, const Config& config) {
  for (const GivenNumber& given : given_numbers) {
    if (config.*given.member) draft.give(given.field, *(config.*given.member), given.name);
  }
  if (record == nullptr) return false;
  Record own = *record;
  if (own.state == RecordState::node_level) {
    own[Field::rank] = own[Field::node_rank];
    own[Field::world_size] = own[Field::node_count];
    own[Field::local_world_size] = {};
  }
  for (const Field field : {Field::rank, Field::world_size}) {
    if (draft.knows(field) && own[field].known() && draft[field] != own[field].number) return false;
  }
  for (std::size_t i = 0; i != number_count; ++i) {
    const auto field = static_cast<Field>(i);
    if (!draft.knows(field) && own[field].known()) {
      draft.read(field, own[field], own.row->launcher);
    }
  }
  return true;
}

/// The caller's statement that each node runs one process, where nothing better tells the places.
constexpr void apply_one_process_per_node(Draft& draft) {
  constexpr std::string_view member = "Config::one_process_per_node";
  if (!draft.knows(Field::local_rank)) draft.give(Field::local_rank, 0, member);
  if (!draft.knows(Field::local_world_size)) draft.give(Field::local_world_size, 1, member);
  const auto copy = [&](Field from, Field to) {
    if (draft.knows(from) && !draft.knows(to)) draft.give(to, draft[from], member);
  };
  copy(Field::rank, Field::node_rank);
  copy(Field::world_size, Field::node_count);
  copy(Field::node_rank, Field::rank);
  copy(Field::node_count, Field::world_size);
}

/// Even nodes, as the caller states: the count of nodes or of workers on each from the other one.
constexpr Maybe<Error> apply_even_nodes(Draft& draft) {
  constexpr std::string_view rule =
      "Config::even_nodes: world_size = node_count x local_world_size";
  if (!draft.knows(Field::world_size)) return std::nullopt;  // reported as missing later
  const Field known =
      draft.knows(Field::local_world_size) ? Field::local_world_size : Field::node_count;
  const Field other = known == Field::node_count ? Field::local_world_size : Field::node_count;
  if (!draft.knows(known)) {
    return error_unset(Errc::missing, "Config::local_world_size",
                       "the size of each node, since Config::even_nodes is set",
                       "pass it or Config::node_count");
  }
  const int world = draft[Field::world_size];
  const int size = draft[known];
  if (world % size != 0 || (draft.knows(other) && draft[other] != world / size)) {
    return error_about(
        draft, Errc::inconsistent, known,
        joined<159>("world_size ", world,
                    " = node_count x local_world_size, as Config::even_nodes states"));
  }
  draft.derive(other, world / size, rule);
  return std::nullopt;
}

/// What is still missing, as an error that names the first missing field: rank, world size and
/// local rank always, and what the launcher of an incomplete record would have told.
constexpr Maybe<Error> find_missing(const Draft& draft, const Record* record,
                                    const Variables& variables) {
  const bool torn = record != nullptr && record->state == RecordState::incomplete;
  for (const Field field :
       {Field::rank, Field::world_size, Field::local_rank, Field::local_world_size}) {
    const bool needed =
        field != Field::local_world_size || (torn && is_required(*record->row, field));
    if (!needed || draft.knows(field)) continue;
    if (record != nullptr && record->state != RecordState::node_level) {
      Record lacking = *record;
      lacking.problem = {Problem::Kind::missing, field, field, {}, {}};
      return error_of(lacking, variables);
    }
    return error_unset(
        Errc::missing, config_name(field), joined<159>("the ", name(field)),
        field == Field::local_rank
            ? "pass it, or Config::tasks_per_node and ::distribution, or ::one_process_per_node"
            : "pass Config::rank, ::world_size and ::local_rank together");
  }
  return std::nullopt;
}

/// The numbers that the caller gives, each within the range that its type leaves open.
constexpr Maybe<Error> check_given(const Config& config) {
  for (const GivenNumber& given : given_numbers) {
    const std::optional<int>& number = config.*given.member;
    if (!number || *number >= given.lowest) continue;
    if (given.field == Field::local_rank && *number == -1) continue;  // not distributed
    return error_found(Errc::out_of_range, given.name, joined<15>(*number),
                       joined<159>("a number, at least ", given.lowest), "pass a valid number");
  }
  return std::nullopt;
}

/// The historic "not distributed": one process, whose local rank reads -1. Errors: inconsistent
/// where the caller gives any number that one process cannot have.
constexpr Maybe<Error> fill_not_distributed(Draft& draft, const Config& config) {
  for (const GivenNumber& given : given_numbers) {
    const std::optional<int>& number = config.*given.member;
    if (!number || *number == given.lowest || given.field == Field::local_rank) continue;
    return error_found(Errc::inconsistent, given.name, joined<15>(*number),
                       joined<159>(given.lowest, ", as local_rank = -1 means not distributed"),
                       "pass no local rank of -1");
  }
  for (const GivenNumber& given : given_numbers) {
    draft.derive(given.field, given.lowest, "local_rank = -1: not distributed");
  }
  return std::nullopt;
}

/// Where the -1 came from.
constexpr Origin origin_of_minus_one(const Record* record, const Variables& variables) {
  if (record == nullptr) {
    return {OriginKind::given, Launcher::given, config_name(Field::local_rank), {}};
  }
  const std::string_view variable = source_of(*record->row, Field::local_rank).names.list[0];
  return {OriginKind::read, record->row->launcher, variable,
          shortened(variables.text_or_empty(variable))};
}

/// A node-level record says how many processes its node runs: with one process on each it must
/// be 1.
constexpr Maybe<Error> check_one_process(const Records& records, const Variables& variables) {
  for (const Record& record : records) {
    const Value& size = record[Field::local_world_size];
    if (record.state != RecordState::node_level || !size.known() || size.number == 1) continue;
    return error_found(Errc::inconsistent, size.variable, variables.text_or_empty(size.variable),
                       "1, as Config::one_process_per_node states",
                       "start the workers with torchrun, or correct the statement");
  }
  return std::nullopt;
}

/// Whether a row's workers name themselves by RANK and its kin rather than by a process manager.
constexpr bool is_torch_like(const LauncherRow& row) {
  return row.rank.names.list[0] == "RANK" || row.rank.names.empty();
}

/// How every other record relates to what was chosen.
constexpr void relate_all(TopologyData& data, const Records& records, const Record* chosen,
                          const Variables& variables) {
  Record own;
  const LauncherRow nobody{.launcher = data.launcher, .name = {}, .evidence = {}};
  own.row = chosen != nullptr ? chosen->row : &nobody;
  own.state = RecordState::complete;
  for (std::size_t i = 0; i != number_count; ++i) {
    const auto field = static_cast<Field>(i);
    if (data.draft.knows(field)) own[field].number = data.draft[field];
  }
  for (const Record& record : records) {
    if (&record == chosen) continue;
    Relation relation = relate(own, record);
    if (record.state == RecordState::incomplete) {
      // A bare PMI or PMIx rank is told beside the record of the process manager: it shares its
      // lot.
      for (const Record& manager : records) {
        if (manager.state != RecordState::complete || is_torch_like(*manager.row)) continue;
        const Agreement identity = compare_identity(manager, record);
        if (identity.compared == 0 || !identity.agree) continue;
        relation = &manager == chosen ? Relation::same : relate(own, manager);
        break;
      }
    }
    OtherRecord other;
    other.launcher = record.row->launcher;
    other.state = record.state;
    other.relation = relation;
    const bool node = record.state == RecordState::node_level;
    other.rank = record[node ? Field::node_rank : Field::rank].number;
    other.world_size = record[node ? Field::node_count : Field::world_size].number;
    other.variable =
        record.problem.variable.empty() ? evidence_of(record, variables) : record.problem.variable;
    other.reason = record.problem.reason;
    data.others.add(other);
  }
}

/// Strictness: a conflict or a doubt is an error. A launcher that the caller names settles the
/// first.
constexpr Maybe<Error> check_strict(const TopologyData& data, const Variables& variables,
                                    const Config& config) {
  if (!config.strict) return std::nullopt;
  for (const OtherRecord& other : data.others) {
    if (other.relation != Relation::conflict || config.launcher) continue;
    return error_found(
        Errc::conflict, other.variable, variables.text_or_empty(other.variable),
        joined<159>("rank ", data.draft[Field::rank], " of ", data.draft[Field::world_size],
                    ", as ", name(data.launcher), " says (", name(other.launcher), " disagrees)"),
        "name one by Config::launcher or drop one by Config::exclude");
  }
  for (const Doubt& doubt : data.doubts) {
    return error_found(Errc::ambiguous, doubt.variable, variables.text_or_empty(doubt.variable),
                       doubt.reason, "correct or unset it");
  }
  return std::nullopt;
}

/// A doubt about an optional number of the chosen record.
constexpr Doubt doubt_about(const Record& record, const Variables& variables) {
  const Problem& problem = record.doubt;
  Doubt doubt{problem.variable, shortened(variables.text_or_empty(problem.variable)), {}};
  switch (problem.kind) {
    case Problem::Kind::out_of_range:
      doubt.reason = "a number that fits the other ones";
      break;
    case Problem::Kind::too_small:
      doubt.reason = "a number, at least 1";
      break;
    default:
      doubt.reason = "a decimal number below 2147483648";
      break;
  }
  return doubt;
}

/// The texts and the restart count beside the numbers. What cannot be used leaves a doubt.
constexpr void read_details(TopologyData& data, const Record& record, const Variables& variables) {
  const LauncherRow& row = *record.row;
  const auto origin = [&](Field field) -> Origin& {
    return data.origins[static_cast<std::size_t>(field)];
  };
  const auto read_text = [&](const Names& names, auto& out, Field field) {
    std::string_view text;
    const std::string_view variable = first_set(names, variables, text);
    if (variable.empty()) return;
    out = std::remove_reference_t<decltype(out)>(text);
    if (out.cut()) {
      out = {};
      data.doubts.add({variable, shortened(text), "a text of at most 255 bytes"});
    } else {
      origin(field) = {OriginKind::read, row.launcher, variable, shortened(text)};
    }
  };
  read_text(row.host, data.host, Field::host);
  read_text(row.job_id, data.job_id, Field::job_id);
  std::string_view text;
  if (!first_set(row.step_id, variables, text).empty()) data.step_id = Text<31>(text);

  Problem problem;
  const Value restarts = read_value({row.restart_count}, variables, problem);
  if (restarts.known()) {
    data.restart_count = restarts.number;
    origin(Field::restart_count) = {OriginKind::read, row.launcher, restarts.variable,
                                    shortened(restarts.text)};
  } else if (!restarts.variable.empty()) {
    data.doubts.add({restarts.variable, shortened(restarts.text), "a decimal number"});
  }
}

/// MASTER_ADDR and MASTER_PORT, or the launcher's own pair.
constexpr void read_rendezvous(TopologyData& data, const Record* record,
                               const Variables& variables) {
  const bool own = record != nullptr && !record->row->address.empty();
  std::string_view address;
  std::string_view port;
  const std::string_view variable =
      first_set(own ? record->row->address : master_address, variables, address);
  if (variable.empty()) return;
  const std::string_view port_variable =
      first_set(own ? record->row->port : master_port, variables, port);
  Result<Rendezvous> found = Rendezvous::from_address(address, port, variable, port_variable);
  if (!found) {
    const bool bad_port = found.error().subject == port_variable;
    data.doubts.add({bad_port ? port_variable : variable, shortened(bad_port ? port : address),
                     bad_port ? "a decimal number in [0, 65536)" : "a host of 1 to 255 bytes"});
    return;
  }
  found->kind = OriginKind::read;
  found->source = variable;
  found->served = own && !record->row->served_if.empty() &&
                  variables.text_or_empty(record->row->served_if) == "True";
  data.rendezvous = *found;
  data.origins[static_cast<std::size_t>(Field::rendezvous)] = {
      OriginKind::read, record != nullptr ? record->row->launcher : Launcher::none, variable,
      shortened(address)};
}

/// The name of the own host may come from a record around the chosen one: what a daemon or agent
/// calls the host it runs on is the host its workers run on.
constexpr void borrow_host(TopologyData& data, const Records& records, const Variables& variables) {
  if (!data.host.empty()) return;
  for (const OtherRecord& other : data.others) {
    if (other.state != RecordState::complete ||
        (other.relation != Relation::same && other.relation != Relation::nested)) {
      continue;
    }
    const Record* const record = records.find(other.launcher);
    std::string_view text;
    const std::string_view variable = first_set(record->row->host, variables, text);
    if (variable.empty() || text.size() > 255) continue;
    data.host = Text<255>(text);
    data.origins[static_cast<std::size_t>(Field::host)] = {OriginKind::read, other.launcher,
                                                           variable, shortened(text)};
    return;
  }
}

/// Whether the caller tells anything of the process or the job.
constexpr bool is_anything_given(const Config& config) {
  for (const GivenNumber& given : given_numbers) {
    if (config.*given.member) return true;
  }
  return config.tasks_per_node || config.hosts;
}

/// The six numbers: from the caller, the record and the rules, in that order.
constexpr Maybe<Error> fill_draft(Draft& draft, const Record* record, const Records& records,
                                  const Variables& variables, const Config& config) {
  if (record == nullptr && !is_anything_given(config)) {
    constexpr std::string_view rule = "no launcher: a single process";
    draft.derive(Field::rank, 0, rule);
    draft.derive(Field::world_size, 1, rule);
  }
  if (config.one_process_per_node && !draft.knows(Field::local_rank)) {
    if (const auto error = check_one_process(records, variables)) return error;
    apply_one_process_per_node(draft);
  }
  draft.apply_rules();
  // A launcher that tells no rank has nodes of one size; of any other the rank was lost, and the
  // nodes before this one may be larger.
  const bool even = config.even_nodes || (record != nullptr && record->row->rank.names.empty());
  if (record != nullptr && record->row->node_by_node && even && draft.knows(Field::node_rank) &&
      draft.knows(Field::local_world_size) && draft.knows(Field::local_rank)) {
    draft.derive(Field::rank,
                 std::int64_t{draft[Field::node_rank]} * draft[Field::local_world_size] +
                     draft[Field::local_rank],
                 "node_rank x local_world_size + local_rank");
  }
  if (config.even_nodes) {
    if (const auto error = apply_even_nodes(draft)) return error;
    draft.apply_rules();
  }
  return draft.find_contradiction();
}

/// A record around the chosen one that provably speaks of the same processes, so that what it tells
/// of nodes may be borrowed: the chosen names are ones that a hook or script copied from it
/// (enroot, pyxis, submitit), rank, world size and local rank agree, and it ran several processes
/// on some node. With one on each it may as well be that of agents which happened to be numbered
/// alike, on this rank but not on the next.
constexpr const Record* find_twin(const Records& records, const Record* chosen) {
  if (chosen == nullptr || chosen->state != RecordState::complete ||
      !chosen->row->anyone_may_export) {
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

/// Fills what the chosen record leaves open of this node and the nodes from its twin.
constexpr void borrow_numbers(Draft& draft, const Record& twin) {
  for (const Field field : {Field::local_world_size, Field::node_rank, Field::node_count}) {
    if (!draft.knows(field) && twin[field].known()) {
      draft.read(field, twin[field], twin.row->launcher);
    }
  }
}

/// The whole way from variables and Config to an identity. Fills `data`, which is empty before: it
/// is large enough that handing it on by value would cost more than resolving it.
constexpr Maybe<Error> resolve(const Variables& variables, const Config& config,
                               TopologyData& data) {
  if (const auto error = check_given(config)) return error;
  const Records records(variables, config);
  Choice choice;
  if (config.local_rank == -1) {
    choice.not_distributed = true;
  } else {
    Result<Choice> chosen = choose(records, variables, config);
    if (!chosen) return chosen.error();
    choice = *chosen;
    if (is_anything_given(config)) choice.not_distributed = false;
  }

  Draft& draft = data.draft;
  const Record* record = nullptr;
  const Record* twin = nullptr;
  data.not_distributed = choice.not_distributed;
  if (choice.not_distributed) {
    if (const auto error = fill_not_distributed(draft, config)) return error;
  } else {
    if (fill(draft, choice.record, config)) record = choice.record;
    twin = find_twin(records, record);
    if (twin != nullptr) borrow_numbers(draft, *twin);
    if (const auto error = fill_draft(draft, record, records, variables, config)) return error;
  }
  data.launcher = record != nullptr           ? record->row->launcher
                  : is_anything_given(config) ? Launcher::given
                                              : Launcher::none;
  // A torn record proves no layout: what it lacks must come from the caller.
  const bool torn = record != nullptr && record->state == RecordState::incomplete;
  const Record* const placed = torn ? nullptr : twin != nullptr ? twin : record;
  if (const auto error = find_place(data, placed, variables, config)) return error;
  if (const auto error = find_missing(draft, choice.record, variables)) return error;
  if (const auto error = draft.find_contradiction()) return error;

  if (record != nullptr) {
    read_details(data, *record, variables);
    if (record->doubt.kind != Problem::Kind::none) {
      data.doubts.add(doubt_about(*record, variables));
    }
  }
  read_rendezvous(data, record, variables);
  for (std::size_t i = 0; i != number_count; ++i) {
    data.origins[i] = draft.origin(static_cast<Field>(i));
  }
  if (data.not_distributed) {
    data.origins[static_cast<std::size_t>(Field::local_rank)] =
        origin_of_minus_one(choice.record, variables);
  }
  relate_all(data, records, choice.not_distributed ? choice.record : record, variables);
  borrow_host(data, records, variables);
  if (data.host.empty() && data.layout && !data.hosts.empty()) {
    const int node = data.layout->node_of(draft[Field::rank]);
    data.host = data.hosts[static_cast<std::size_t>(node)];
    data.origins[static_cast<std::size_t>(Field::host)] = {
        OriginKind::derived, Launcher::none, "the host of this rank's node in hosts", {}};
  }
  if (const auto error = check_strict(data, variables, config)) return error;
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RESOLVE_HPP
