// SPDX-License-Identifier: MIT
// The six numbers of an identity: from the caller, from the chosen record, and by the statements of
// the caller.
#ifndef RANKMAP_IDENTITY_DETAIL_RESOLVE_IDENTITY_HPP
#define RANKMAP_IDENTITY_DETAIL_RESOLVE_IDENTITY_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_error.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Checks the lower bound of each number that the caller gives.
RANKMAP_RARE constexpr Optional<Error> check_config_numbers(const Config& config) {
  for (const ConfigNumber& given : config_numbers) {
    const std::optional<int>& number = config.*given.member;
    if (!number || *number >= given.lowest) continue;
    if (given.field == Field::local_rank && *number == -1) continue;  // not distributed
    return error_at(Errc::out_of_range, given.name, concat<15>(*number),
                    concat<159>("a number, at least ", given.lowest), "pass a valid number");
  }
  return std::nullopt;
}

/// Whether the caller gives a number, task counts or hosts.
constexpr bool describes_process(const Config& config) {
  for (const ConfigNumber& given : config_numbers) {
    if (config.*given.member) return true;
  }
  return config.tasks_per_node || config.hosts;
}

/// Whether the record numbers slots, which may share machines. That one process runs in each gives
/// rank and world size, and no number of a node.
constexpr bool numbers_slots(const Record* record) {
  return record != nullptr && record->row.level == RecordLevel::slot;
}

/// Sets the numbers from the caller, and then from the chosen record. If the caller gives another
/// rank or world size, the record is that of another process, and none of it is used. Returns
/// whether it was used.
RANKMAP_RARE constexpr bool fill_from_config_and_record(ProcessNumbers& identity,
                                                        const Record* record,
                                                        const Config& config) {
  for (const ConfigNumber& given : config_numbers) {
    if (config.*given.member) identity.set_given(given.field, *(config.*given.member), given.name);
  }
  if (record == nullptr) return false;
  Record own = *record;
  if (own.state == RecordState::node_level) {
    own[Field::rank] = own[Field::node_rank];
    own[Field::world_size] = own[Field::node_count];
    own[Field::local_world_size] = {};
    if (own.is_index_of_group) own[Field::rank] = own[Field::node_rank] = {};
    if (numbers_slots(record)) own[Field::node_rank] = own[Field::node_count] = {};
  }
  // The local size was taken away: the count of nodes that is left may be another launch's.
  if (own.row.local_size_required && !own[Field::local_world_size].known()) {
    own[Field::node_rank] = own[Field::node_count] = {};
  }
  for (const Field field : {Field::rank, Field::world_size}) {
    if (identity.knows(field) && own[field].known() && identity[field] != own[field].number)
      return false;
  }
  for (const Field field : number_fields) {
    identity.set_read(field, own[field], own.row.launcher);
  }
  return true;
}

/// Sets numbers that are not known by the caller's statement that each node runs one process.
RANKMAP_RARE constexpr void apply_one_process_per_node(ProcessNumbers& identity) {
  constexpr std::string_view member = "Config::one_process_per_node";
  const auto add = [&](Field field, int number) {
    if (number >= 0 && !identity.knows(field)) identity.set_given(field, number, member);
  };
  add(Field::local_rank, 0);
  add(Field::local_world_size, 1);
  add(Field::node_rank, identity[Field::rank]);
  add(Field::node_count, identity[Field::world_size]);
  add(Field::rank, identity[Field::node_rank]);
  add(Field::world_size, identity[Field::node_count]);
}

/// Compares what is known about the processes of this node with the statement that there is one.
RANKMAP_RARE constexpr Optional<Error> check_one_process(const ProcessNumbers& identity,
                                                         const Records& records) {
  constexpr std::string_view statement = "Config::one_process_per_node";
  constexpr std::string_view as_stated = ", as Config::one_process_per_node states";
  for (const Field field : {Field::local_world_size, Field::local_rank}) {
    const int only = field == Field::local_rank ? 0 : 1;
    if (!identity.knows(field) || identity[field] == only) continue;
    return error_about(identity, Errc::inconsistent, field, concat<159>(only, as_stated),
                       statement);
  }
  // The record of a node may have a number of processes. That of a launcher inside it takes
  // precedence.
  if (identity.knows(Field::local_rank)) return std::nullopt;
  const Value* const size = find_pod_size(records);
  if (size == nullptr) return std::nullopt;
  return error_at(Errc::inconsistent, size->variable, size->text, concat<159>(1, as_stated),
                  "start the workers with torchrun, or correct it; in the program, leave "
                  "Config::one_process_per_node unset");
}

/// Derives the number of nodes from the number of workers on each, or the reverse, by the caller's
/// statement that nodes are even.
RANKMAP_RARE constexpr Optional<Error> apply_even_nodes(ProcessNumbers& identity) {
  constexpr std::string_view rule =
      "Config::even_nodes: world_size = node_count x local_world_size";
  if (!identity.knows(Field::world_size)) return std::nullopt;  // reported as missing later
  const Field known =
      identity.knows(Field::local_world_size) ? Field::local_world_size : Field::node_count;
  const Field other = known == Field::node_count ? Field::local_world_size : Field::node_count;
  if (!identity.knows(known)) {
    return error_missing(
        Errc::missing, "Config::local_world_size",
        "the size of each node, since Config::even_nodes is set",
        "set RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE; in the program, pass "
        "it or Config::node_count");
  }
  const int world = identity[Field::world_size];
  const int size = identity[known];
  if (world % size != 0 || (identity.knows(other) && identity[other] != world / size)) {
    return error_about(
        identity, Errc::inconsistent, known,
        concat<159>("world_size ", world,
                    " = node_count x local_world_size, as Config::even_nodes states"),
        "Config::even_nodes");
  }
  identity.derive(other, world / size, rule);
  return std::nullopt;
}

/// Adds the numbers that follow from the caller's statements and from the rules. Errors: a
/// contradiction.
RANKMAP_RARE constexpr Optional<Error> complete_identity(ProcessNumbers& identity,
                                                         const Record* record,
                                                         const Records& records,
                                                         const Config& config) {
  if (record == nullptr && !describes_process(config) && config.launcher != Launcher::config) {
    constexpr std::string_view rule = "no launcher: a single process";
    identity.derive(Field::rank, 0, rule);
    identity.derive(Field::world_size, 1, rule);
  }
  if (config.one_process_per_node && !numbers_slots(record)) {
    if (const auto error = check_one_process(identity, records)) return error;
    apply_one_process_per_node(identity);
  }
  identity.apply_rules();
  // A launcher that sets no rank has nodes of one size. Where another launcher's rank is missing,
  // the nodes before this one may be larger.
  if (record != nullptr && record->row.node_by_node &&
      (config.even_nodes || record->row.rank.names.empty()) && identity.knows(Field::node_rank) &&
      identity.knows(Field::local_world_size) && identity.knows(Field::local_rank)) {
    identity.derive(Field::rank,
                    std::int64_t{identity[Field::node_rank]} * identity[Field::local_world_size] +
                        identity[Field::local_rank],
                    "node_rank x local_world_size + local_rank");
  }
  if (config.even_nodes) {
    if (const auto error = apply_even_nodes(identity)) return error;
    identity.apply_rules();
  }
  return find_contradiction(identity);
}

/// Sets the numbers of "not distributed": one process, whose local rank is shown as -1. Errors:
/// inconsistent if the caller gives a number that one process cannot have.
RANKMAP_RARE constexpr Optional<Error> set_not_distributed(ProcessNumbers& identity,
                                                           const Config& config) {
  for (const ConfigNumber& given : config_numbers) {
    const std::optional<int>& number = config.*given.member;
    if (!number || *number == given.lowest || given.field == Field::local_rank) continue;
    return error_at(Errc::inconsistent, given.name, concat<15>(*number),
                    concat<159>(given.lowest, ", as local_rank = -1 means not distributed"),
                    "do not pass a local rank of -1");
  }
  for (const ConfigNumber& given : config_numbers) {
    identity.derive(given.field, given.lowest, "local_rank -1: not distributed");
  }
  return std::nullopt;
}

/// The origin of a local rank of -1.
constexpr Origin origin_of_minus_one(const Record* record, const EnvironmentView& variables) {
  if (record == nullptr) {
    return {OriginKind::given, Launcher::config, config_name(Field::local_rank), {}};
  }
  const std::string_view variable = source_of(record->row, Field::local_rank).names.first();
  return {OriginKind::read, record->row.launcher, variable,
          shortened(variables.text_or_empty(variable))};
}

/// Whether a number is missed where it is not known.
constexpr bool is_needed(Field field, Need need) {
  if (need == Need::process) return field == Field::rank || field == Field::world_size;
  return need != Need::local || field == Field::local_rank;
}

/// The error about the numbers that are needed and still missing: of rank, world size and local
/// rank, and of the local world size if the launcher of an incomplete record always sets it.
RANKMAP_RARE constexpr Optional<Error> check_required_fields(const ProcessNumbers& identity,
                                                             const Record* record,
                                                             const Records& records,
                                                             const EnvironmentView& variables,
                                                             Need need) {
  const bool incomplete = record != nullptr && record->state == RecordState::incomplete;
  FieldSet missing;
  for (const Field field :
       {Field::rank, Field::world_size, Field::local_rank, Field::local_world_size}) {
    const bool needed =
        field != Field::local_world_size || (incomplete && is_required(record->row, field));
    if (needed && is_needed(field, need) && !identity.knows(field)) missing.add(field);
  }
  if (missing.empty()) return std::nullopt;
  const Field first = missing.first();
  if (record == nullptr) {
    const StaticString<159> pass =
        first == Field::local_rank
            ? concat<159>(
                  "pass it, or Config::tasks_per_node and ::distribution, or "
                  "::one_process_per_node")
            : concat<159>("pass ", config_names(missing));
    const bool is_another = identity.knows(Field::rank) || identity.knows(Field::world_size);
    const Record* const other =  // of another process
        is_another ? records.find(RecordState::complete) : nullptr;
    if (other == nullptr) {
      return error_missing(Errc::missing, config_name(first), concat<159>("the ", name(first)),
                           pass);
    }
    const Field given = identity.knows(Field::rank) ? Field::rank : Field::world_size;
    const Value& rank = (*other)[Field::rank];
    const Value& world = (*other)[Field::world_size];
    const bool is_same =  // that of two launchers, of which each gives another local rank
        rank.number == identity[Field::rank] && world.number == identity[Field::world_size];
    return error_missing(
        Errc::missing, config_name(first),
        concat<159>("the ", name(first), " too: ", rank.variable, " is that of rank ", rank.number,
                    " of ", world.number, " (", other->row.name,
                    is_same ? "), but another launcher's numbers differ" : "), another process"),
        is_same ? pass : concat<159>("leave ", config_name(given), " unset, or ", pass));
  }
  // The whole record that agrees may have what is missing, or be another launch's by chance.
  const Record* const manager = manager_of(*record, records);
  if (manager != nullptr && is_possible_coincidence(*record, *manager)) {
    return ambiguous_order(*manager, *record);
  }
  if (record->state != RecordState::node_level) {
    const Record* const part = manager_in_part(*record, records);
    FieldSet lacking;  // what that one lacks of them
    for (const Field field : {Field::rank, Field::world_size, Field::local_rank}) {
      const bool is_known = part == nullptr || (*part)[field].known() ||
                            identity.origin(field).kind == OriginKind::given;
      if (!is_known && is_needed(field, need)) lacking.add(field);
    }
    const bool is_nearer = !lacking.empty() && lacking.size() < missing.size();
    return is_nearer ? error_about_missing(*part, lacking, missing, variables)
                     : error_about_missing(*record, missing, missing, variables);
  }
  if (numbers_slots(record)) {
    return error_missing(
        Errc::missing, config_name(first),
        concat<159>("the ", name(first), " too: ", (*record)[Field::node_rank].variable,
                    " numbers slots (", record->row.name, "), which may share a machine"),
        "start the workers with torchrun or mpirun; in the program, pass it and "
        "Config::local_world_size");
  }
  return error_missing(
      Errc::missing, config_name(first),
      concat<159>("the ", name(first), ", which ", record->row.name, " does not set here"),
      concat<159>("set RANK, WORLD_SIZE and LOCAL_RANK; in the program, ",
                  pass_missing(*record, missing)));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RESOLVE_IDENTITY_HPP
