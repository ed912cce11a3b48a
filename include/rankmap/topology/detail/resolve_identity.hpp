// SPDX-License-Identifier: MIT
//
// The six numbers of an identity: from the caller, from the one record that is believed, and by the
// rules that the caller states.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RESOLVE_IDENTITY_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RESOLVE_IDENTITY_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/identity.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/detail/record_error.hpp>
#include <rankmap/topology/detail/records.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

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

/// Whether the caller tells anything of the process or the job.
constexpr bool is_anything_given(const Config& config) {
  for (const GivenNumber& given : given_numbers) {
    if (config.*given.member) return true;
  }
  return config.tasks_per_node || config.hosts;
}

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

/// What is known of the processes of this node, held against the statement that there is one.
constexpr Maybe<Error> check_one_process(const Draft& draft, const Records& records,
                                         const Variables& variables) {
  constexpr std::string_view as_stated = ", as Config::one_process_per_node states";
  for (const Field field : {Field::local_world_size, Field::local_rank}) {
    const int only = field == Field::local_rank ? 0 : 1;
    if (!draft.knows(field) || draft[field] == only) continue;
    return error_about(draft, Errc::inconsistent, field, joined<159>(only, as_stated));
  }
  // The record of a node tells of processes, too. Inside of it the launcher of this one knows
  // better.
  if (draft.knows(Field::local_rank)) return std::nullopt;
  for (const Record& record : records) {
    const Value& size = record[Field::local_world_size];
    if (record.state != RecordState::node_level || !size.known() || size.number == 1) continue;
    return error_found(Errc::inconsistent, size.variable, variables.text_or_empty(size.variable),
                       joined<159>(1, as_stated),
                       "start the workers with torchrun, or correct the statement");
  }
  return std::nullopt;
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

/// The six numbers: from the caller, the record and the rules, in that order.
constexpr Maybe<Error> fill_draft(Draft& draft, const Record* record, const Records& records,
                                  const Variables& variables, const Config& config) {
  if (record == nullptr && !is_anything_given(config) && config.launcher != Launcher::given) {
    constexpr std::string_view rule = "no launcher: a single process";
    draft.derive(Field::rank, 0, rule);
    draft.derive(Field::world_size, 1, rule);
  }
  if (config.one_process_per_node) {
    if (const auto error = check_one_process(draft, records, variables)) return error;
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RESOLVE_IDENTITY_HPP
