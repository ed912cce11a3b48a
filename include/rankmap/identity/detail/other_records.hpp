// SPDX-License-Identifier: MIT
// The other records beside the chosen one: a rival that refuses it, and how each relates to it.
#ifndef RANKMAP_IDENTITY_DETAIL_OTHER_RECORDS_HPP
#define RANKMAP_IDENTITY_DETAIL_OTHER_RECORDS_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/cautions.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/innermost.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/older_names.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_error.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The record, completed by what the rules made of it.
constexpr Record completed_record(Record record, const ProcessNumbers& identity) {
  record.state = RecordState::complete;
  for (const Field field : number_fields) {
    if (identity.knows(field)) record[field].number = identity[field];
  }
  return record;
}

/// Warns of the first number that nothing in the chosen record's launch has. It may be this
/// process's own, of a launch that says no more. It is a local rank alone that is too large, or
/// with `has_pods` the number of a pod or machine which is none of the launch's nodes.
RANKMAP_RARE constexpr void warn_of_other_number(IdentityData& data, const Record& chosen,
                                                 const Records& records, bool has_pods) {
  const ProcessNumbers& own = data.identity;
  for (const Record& other : records) {
    const bool is_pod = has_pods && other.state == RecordState::node_level && numbers_pods(other);
    const bool is_local =
        other.state == RecordState::incomplete && claim_of(other) == Claim::nothing;
    const Value& index = other[is_pod ? Field::node_rank : Field::local_rank];
    const bool is_foreign =
        is_pod ? relation_of(completed_record(chosen, own), other, false) == Relation::conflict
               : is_local && own.knows(Field::local_world_size) &&
                     index.number >= own[Field::local_world_size];
    if (!is_foreign) continue;
    data.warnings.add({index.variable, shortened(index.text),
                       is_pod ? "the number of one of this launch's nodes: it may be that of a "
                                "pod, or of this process"
                              : "a local rank of this launch: it may be that of one of several "
                                "which this launch's process started",
                       "unset it if it was inherited, or set RANK, WORLD_SIZE and LOCAL_RANK anew",
                       other.row.launcher});
    return;
  }
}

/// Refuses a record that has a rival once the rules have completed it: more numbers are compared
/// than before. A part that is no rival counts if it is younger, or an unknown starter may have set
/// it. A record set all anew has no rival. `is_settled`: the rivals that it had before are older.
RANKMAP_RARE constexpr Optional<Error> check_no_rival(const Record& chosen, bool is_settled,
                                                      const ProcessNumbers& identity,
                                                      History& history) {
  const Records& records = history.records();
  const Record completed = completed_record(chosen, identity);
  if (is_all_anew(chosen, history)) return std::nullopt;
  for (const Record& other : records) {
    if (&other == &chosen || (is_settled && are_rivals(chosen, other, records))) continue;
    if (are_rivals(completed, other, records) ||
        (is_part_of_another(other, completed) && is_below_unknown_starter(chosen, history)) ||
        is_later_part(other, chosen, history)) {
      return ambiguous_order(completed, other);
    }
  }
  return std::nullopt;
}

/// Refuses a launch if the number of another node was set below it: a task may have started several
/// processes with such numbers. Without a process to ask, those that any script may export count.
RANKMAP_RARE constexpr Optional<Error> check_no_younger_node(const Record& chosen,
                                                             const Config& config,
                                                             const ProcessNumbers& identity,
                                                             History& history) {
  if (is_numbered_by_node(chosen, config)) return std::nullopt;
  for (const Record& other : history.records()) {
    const Value& index = other[Field::node_rank];
    if (&other == &chosen || other.state != RecordState::node_level || !numbers_pods(other) ||
        !index.known()) {
      continue;
    }
    const Record completed = completed_record(chosen, identity);
    if (repeats_process(other, completed)) continue;
    const int own = completed[Field::node_rank].number;
    const bool may_be_own = own == index.number || (own < 0 && !other.row.generic_names);
    const bool is_this_node = can_be_node_of(other, completed) && may_be_own;
    const auto is_younger = [&] {
      NestingEvidence age = history.evidence_of(chosen);
      age.companion = -1;  // that its numbers may be newer is no reason to believe them
      return is_set_nearer(history.age_of(index.variable), age);
    };
    if (is_this_node || !(history.ancestors() ? is_younger() : other.row.generic_names)) continue;
    return error_at(
        Errc::ambiguous, index.variable, index.text,
        concat<159>("the number of this node in the launch of ", chosen.detected.name, " (",
                    chosen.row.name, "): it was set later, as for one of several processes"),
        "unset it, or set RANK, WORLD_SIZE and LOCAL_RANK anew; in the program, pass "
        "Config::rank, ::world_size and ::local_rank");
  }
  return std::nullopt;
}

/// The first number of a record of which the launcher of `other` sets a name, too; else the rank.
RANKMAP_RARE constexpr const Value& first_shared(const Record& record, const LauncherRow& other) {
  for (const Value& value : record.values) {
    for (const Field field : number_fields) {
      if (value.known() && source_of(other, field).names.has(value.variable)) return value;
    }
  }
  return record[Field::rank];
}

/// Refuses a record of which another launcher may have set a part that the caller does not give.
RANKMAP_RARE constexpr Optional<Error> check_is_of_one_launch(const Record& chosen,
                                                              const Config& config,
                                                              History& history) {
  if (!config.world_size) {
    if (const Record* const launch = find_launch_of_other_size(chosen, history)) {
      return ambiguous_order(chosen, *launch);
    }
  }
  if (config.rank) return std::nullopt;
  const TwoAges ages = find_two_ages(chosen, history);
  if (ages) {
    const Value& older = chosen[ages.older];
    const bool may_be_pods = chosen.row.generic_names && torch_names.has(older.variable);
    return error_at(
        Errc::ambiguous, older.variable, older.text,
        concat<159>("one that was set together with ", chosen[ages.newer].variable,
                    ": this one was there before", may_be_pods ? ", and may be that of a pod" : ""),
        "set RANK, WORLD_SIZE and LOCAL_RANK together, and RANKMAP_LAUNCHER=torch_env; in the "
        "program, pass Config::rank, ::world_size and ::local_rank");
  }
  if (!may_be_of_two_launches(chosen, history)) return std::nullopt;
  const LauncherRow other = history.records().known().row_of(chosen.shares_names_with);
  const Value& shared = first_shared(chosen, other);
  return error_at(Errc::ambiguous, shared.variable, shared.text,
                  concat<159>("a number of the launch of ", chosen.detected.name, " (",
                              chosen.row.name, "): ", other.name, " is nearer and sets this too"),
                  "unset the variables of the one that did not start this process; in the program, "
                  "pass Config::rank, ::world_size and ::local_rank");
}

/// Refuses a number of the caller that is not the record's, where a part of another record lacks
/// it: the number may be meant for that part.
RANKMAP_RARE constexpr Optional<Error> check_given(const Record& chosen, const Config& config,
                                                   const Records& records) {
  for (const ConfigNumber& given : config_numbers) {
    const std::optional<int>& number = config.*given.member;
    const Value& own = chosen[given.field];
    if (!number || !own.known() || *number == own.number) continue;
    for (const Record& other : records) {
      const bool is_part =
          other.state == RecordState::incomplete ||
          (other.state == RecordState::node_level && other.row.level == RecordLevel::worker);
      if (!is_part || other[given.field].known() || manager_of(other, records) == &chosen) continue;
      return error_at(Errc::ambiguous, given.name, concat<15>(*number),
                      concat<159>(own.number, ", as ", own.variable, " says (", chosen.row.name,
                                  "), beside a part of ", other.row.name, " without one"),
                      concat<159>("unset what is left of ", other.row.name,
                                  "; in the program, leave ", given.name, " unset"));
    }
  }
  return std::nullopt;
}

/// Refuses a record if the names of one of its numbers have different texts. Its launcher sets all
/// of them to the same, so that some were inherited.
RANKMAP_RARE constexpr Optional<Error> check_names_agree(const Record& chosen,
                                                         const EnvironmentView& variables) {
  for (const Field field : number_fields) {
    // In a record of a node, the names of rank and world size give node rank and count.
    const bool is_node = chosen.state == RecordState::node_level;
    const Field from = is_node && field == Field::node_rank    ? Field::rank
                       : is_node && field == Field::node_count ? Field::world_size
                                                               : field;
    const Value& value = chosen[field];
    const ValueSource& source = source_of(chosen.row, from);
    if (!value.known() || !source.names.has(value.variable)) continue;
    for (const std::string_view other : source.names) {
      if (other == value.variable) continue;
      const auto text = variables(other);
      if (!text || *text == value.text) continue;
      return error_at(
          Errc::conflict, other, *text,
          concat<159>("\"", shortened(value.text), "\", as ", value.variable, " says (",
                      chosen.row.name, source.key.empty() ? " sets both)" : " sets one of them)"),
          concat<159>("unset the one that was inherited; in the program, pass ",
                      config_name(field)));
    }
  }
  return std::nullopt;
}

/// Lists the other records, and how they relate to the chosen one. Returns the first conflict,
/// which the list may have no room for.
RANKMAP_RARE constexpr Optional<OtherRecord> add_other_records(IdentityData& data,
                                                               const Records& records,
                                                               const Record* chosen) {
  const bool settled = data.proof.kind != ProofKind::none && data.proof.kind != ProofKind::agents;
  Optional<OtherRecord> conflict;
  Record own;
  own.row.launcher = data.launcher;
  if (chosen != nullptr) own.row = chosen->row;
  if (chosen != nullptr) own.host = chosen->host;
  own = completed_record(own, data.identity);
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
        record.problem.variable.empty() ? record.detected.name : record.problem.variable;
    other.reason = record.problem.reason;
    if (record.state == RecordState::complete && relation != Relation::same) {
      other.local_world_size = record[Field::local_world_size].number;
    }
    data.others.add(other);
    if (relation == Relation::conflict && !conflict) conflict = other;
  }
  return conflict;
}

/// `rank 3 of 4`, or what is known instead.
RANKMAP_RARE constexpr StaticString<47> said_of(const ProcessNumbers& numbers) {
  if (numbers.knows(Field::rank) && numbers.knows(Field::world_size)) {
    return concat<47>("rank ", numbers[Field::rank], " of ", numbers[Field::world_size]);
  }
  const Field field = numbers.knows(Field::local_rank) ? Field::local_rank : Field::rank;
  return numbers.knows(field) ? concat<47>(name(field), " ", numbers[field]) : "other numbers";
}

/// With Config::strict, a conflict or a warning is an error. If the caller names the launcher, a
/// conflict is not.
RANKMAP_RARE constexpr Optional<Error> check_strict(const IdentityData& data,
                                                    const Optional<OtherRecord>& conflict,
                                                    const EnvironmentView& variables,
                                                    const Config& config) {
  if (!config.strict) return std::nullopt;
  if (conflict && !config.launcher) {
    const Origin& origin = data.identity.origin(Field::rank);
    const std::string_view believed = data.names.of(data.launcher);
    StaticString<159> expected(said_of(data.identity));
    if (origin.kind == OriginKind::read) {
      expected.append(", as ").append(origin.source).append(" says (").append(believed);
      expected.append(", not ");
    } else {
      expected.append(", as ").append(believed).append(" says (not ");
    }
    expected.append(data.names.of(conflict->launcher)).append(')');
    return error_at(
        Errc::conflict, conflict->variable, variables.text_or_empty(conflict->variable), expected,
        "set RANKMAP_LAUNCHER to the right one, or unset the variables of the other; in the "
        "program, set Config::launcher");
  }
  if (data.warnings.size() == 0) return std::nullopt;
  const Warning& warning = *data.warnings.begin();
  StaticString<159> expected(warning.reason);
  if (warning.launcher != Launcher::none) {
    expected.append(" (").append(data.names.of(warning.launcher)).append(')');
  }
  return error_at(Errc::ambiguous, warning.variable, variables.text_or_empty(warning.variable),
                  expected, warning.remedy.empty() ? "correct or unset it" : warning.remedy);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_OTHER_RECORDS_HPP
