// SPDX-License-Identifier: MIT
//
// The errors about records that cannot be used, or whose order of nesting is not known.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RECORD_ERROR_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RECORD_ERROR_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/detail/identity.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>
#include <rankmap/topology/origin.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The variable that detected a record.
constexpr std::string_view detected_by(const Record& record, const EnvironmentView& variables) {
  std::string_view text;
  return first_set(record.row->detect_any, variables, text);
}

/// What was expected of the text of `field`, one that a record may require. With the bound, if
/// another field of the record sets one.
constexpr StaticString<159> expected_text(const Record& record, Field field) {
  switch (source_of(*record.row, field).format) {
    case ValueFormat::json_list_count:
    case ValueFormat::json_list_index:
      return concat<159>("a JSON list of host names that has the value of ",
                         source_of(*record.row, Field::rank).key);
    case ValueFormat::tf_config_count:
    case ValueFormat::tf_config_index:
      return "a JSON object with a cluster of chief or master and workers, each listed once, and a "
             "task that is one of them";
    case ValueFormat::place_on_host:
      return concat<159>("a list of host:port with an entry at ",
                         source_of(*record.row, field).key);
    case ValueFormat::number_from_1:
      return "a decimal number in [1, 2147483648)";
    default:
      break;
  }
  if (field == Field::world_size || field == Field::local_world_size) {
    return "a decimal number in [1, 2147483648)";
  }
  const Field bound = field == Field::rank ? Field::world_size : Field::local_world_size;
  if (record[bound].known() && record[bound].number > 0) {
    return concat<159>("a decimal number in [0, ", record[bound].number, "), as ",
                       record[bound].variable, " says");
  }
  return "a decimal number in [0, 2147483648)";
}

/// The error about a record that cannot be used.
constexpr Error error_about_record(const Record& record, const EnvironmentView& variables) {
  Problem problem = record.problem;
  if (problem.variable.empty()) {
    problem.variable = problem.kind == Problem::Kind::missing
                           ? source_of(*record.row, problem.field).names.list[0]
                           : detected_by(record, variables);
  }
  const std::string_view text = variables.text_or_empty(problem.variable);
  const bool is_worker = record.row->level == RecordLevel::worker;
  const bool is_rejected = problem.kind == Problem::Kind::rejected;
  StaticString<159> remedies(!variables.has(problem.variable) ? "set it"
                             : is_worker && is_rejected       ? "unset it"
                                                              : "correct or unset it");
  if (is_worker) {
    remedies.append(", pass ").append(is_rejected ? "Config::rank, ::world_size and ::local_rank"
                                                  : config_name(problem.field));
  }
  remedies.append(", or add ").append(name(record.row->launcher)).append(" to Config::exclude");
  switch (problem.kind) {
    case Problem::Kind::missing: {
      const std::string_view variable = source_of(*record.row, problem.field).names.list[0];
      const std::string_view found_by = detected_by(record, variables);
      const auto wanted = concat<159>("a ", name(problem.field), ", since ", found_by, "=\"",
                                      shortened(variables.text_or_empty(found_by)), "\" is set (",
                                      name(record.row->launcher), ")");
      const std::string_view remedy =
          record.row->missing_hint.empty() ? remedies.view() : record.row->missing_hint;
      if (variable.empty()) {
        return error_missing(Errc::missing, config_name(problem.field), wanted, remedy);
      }
      if (const auto negative = variables(variable)) {  // any other number would have been read
        const bool alone = variable == found_by;
        return error_at(Errc::missing, variable, *negative,
                        alone ? expected_text(record, problem.field) : wanted, remedy);
      }
      return error_missing(Errc::missing, variable, wanted, remedy);
    }
    case Problem::Kind::unreadable:
      return error_at(Errc::not_a_number, problem.variable, text,
                      expected_text(record, problem.field), remedies);
    case Problem::Kind::too_large:
      return error_at(Errc::number_too_large, problem.variable, text,
                      expected_text(record, problem.field), remedies);
    case Problem::Kind::too_small:
      return error_at(Errc::out_of_range, problem.variable, text,
                      expected_text(record, problem.field), remedies);
    case Problem::Kind::out_of_range: {
      const bool is_size = problem.field == Field::local_world_size;
      return error_at(is_size ? Errc::inconsistent : Errc::out_of_range, problem.variable, text,
                      is_size
                          ? concat<159>("at most ", record[problem.bound].number, ", as ",
                                        record[problem.bound].variable, " says")
                          : concat<159>("a decimal number in [0, ", record[problem.bound].number,
                                        "), as ", record[problem.bound].variable, " says"),
                      remedies);
    }
    case Problem::Kind::none:
    case Problem::Kind::rejected:
      break;
  }
  if (record.state == RecordState::no_task) {
    return error_at(
        Errc::unknown_launcher, problem.variable, text,
        concat<159>("a task of ", name(record.row->launcher), " (", problem.reason, ")"), remedies);
  }
  if (!variables.has(problem.variable)) {
    return error_missing(Errc::inconsistent, problem.variable, problem.reason, remedies);
  }
  return error_at(Errc::inconsistent, problem.variable, text, problem.reason, remedies);
}

/// What the record of each level numbers, in the order of RecordLevel, and what makes a rank of it.
struct LevelWords {
  std::string_view numbers;
  std::string_view remedy;
};
inline constexpr LevelWords level_words[] = {
    {"nodes",
     "set LOCAL_RANK (0 if each node runs one process), or pass Config::one_process_per_node"},
    {"nodes", "start the workers with a launcher, or pass Config::one_process_per_node"},
    {"slots",
     "start the workers with a launcher, or pass Config::one_process_per_node and ::local_rank"},
    {"tasks of an array",
     "name it by Config::launcher, with Config::one_process_per_node, or add it to "
     "Config::exclude"},
};
static_assert(std::size(level_words) == static_cast<std::size_t>(RecordLevel::array) + 1);

/// The record numbers nodes, slots or tasks, but a process rank is needed.
constexpr Error ambiguous_node(const Record& record, const EnvironmentView& variables) {
  const Value& index = record[Field::node_rank];
  const Value& count = record[Field::node_count];
  const LevelWords& words = level_words[static_cast<std::size_t>(record.row->level)];
  const bool of_process = record.row->level == RecordLevel::worker;
  StaticString<159> expected("a process rank; this numbers ");
  expected.append(words.numbers).append(" (");
  expected.append(of_process ? "RANK without LOCAL_RANK" : name(record.row->launcher));
  expected.append(", index ").append_number(index.number);
  if (count.known()) expected.append(" of ").append_number(count.number);
  expected.append(')');
  return error_at(Errc::ambiguous, index.variable, variables.text_or_empty(index.variable),
                  expected, words.remedy);
}

/// By `alone` there is one node; by `uncounted` there are nodes before this one.
constexpr Error ambiguous_count(const Record& alone, const Record& uncounted,
                                const EnvironmentView& variables) {
  const Value& index = uncounted[Field::node_rank];
  return error_at(Errc::ambiguous, index.variable, variables.text_or_empty(index.variable),
                  concat<159>("0, as ", alone[Field::node_count].variable, " gives one node (",
                              name(alone.row->launcher), ")"),
                  concat<159>("unset the variables of ", name(alone.row->launcher), " or ",
                              name(uncounted.row->launcher), ", or add one to Config::exclude"));
}

/// Either of two records may be the inner one. The error shows a number in which they differ.
constexpr Error ambiguous_order(const Record& inner, const Record& outer,
                                const EnvironmentView& variables) {
  Field shown = Field::rank;
  for (const Field field : {Field::local_rank, Field::world_size, Field::rank}) {
    const bool differs = inner[field].known() && inner[field].number != outer[field].number;
    if (outer[field].known() && (differs || !outer[shown].known())) shown = field;
  }
  // A record that cannot be used may have no number to show.
  const std::string_view variable =
      outer[shown].variable.empty() ? detected_by(outer, variables) : outer[shown].variable;
  StaticString<159> expected(name(shown));
  expected.append(' ').append_number(inner[shown].number);
  if (shown == Field::rank) expected.append(" of ").append_number(inner[Field::world_size].number);
  expected.append(", as ").append(name(inner.row->launcher));
  expected.append(" says: either may have started the other");
  return error_at(
      Errc::ambiguous, variable, variables.text_or_empty(variable), expected,
      concat<159>("set RANKMAP_LAUNCHER to the inner one, ", name(inner.row->launcher), " or ",
                  name(outer.row->launcher),
                  ", or unset the variables of the other; in a program set Config::launcher"));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RECORD_ERROR_HPP
