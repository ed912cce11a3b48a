// SPDX-License-Identifier: MIT
// The errors about records that cannot be used, or whose order of nesting is not known.
#ifndef RANKMAP_IDENTITY_DETAIL_RECORD_ERROR_HPP
#define RANKMAP_IDENTITY_DETAIL_RECORD_ERROR_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

RANKMAP_RARE constexpr StaticString<159> number_below(const Value& bound) {
  return concat<159>("a decimal number in [0, ", bound.number, "), as ", bound.variable, " says");
}

/// What was expected of the text of `field`, one that a record may require. With the bound, if
/// another field of the record sets one.
RANKMAP_RARE constexpr StaticString<159> expected_text(const Record& record, Field field) {
  switch (source_of(record.row, field).format) {
    case ValueFormat::json_list_count:
    case ValueFormat::json_list_index:
      return concat<159>("a JSON list of host names that has the value of ",
                         source_of(record.row, Field::rank).key);
    case ValueFormat::tf_config_count:
    case ValueFormat::tf_config_index:
      return "a JSON object with a cluster of chief or master and workers, each listed once, and a "
             "task that is one of them";
    case ValueFormat::place_on_host:
      return concat<159>("a list of host:port with an entry at ", source_of(record.row, field).key);
    case ValueFormat::number_from_1:
      return "a decimal number in [1, 2147483648)";
    default:
      break;
  }
  if (field == Field::world_size || field == Field::local_world_size) {
    return "a decimal number in [1, 2147483648)";
  }
  const Field bound = field == Field::rank ? Field::world_size : Field::local_world_size;
  if (record[bound].number > 0) return number_below(record[bound]);
  return "a decimal number in [0, 2147483648)";
}

/// The members of Config for some fields: "Config::rank, ::world_size and ::local_rank".
RANKMAP_RARE constexpr StaticString<95> config_names(FieldSet fields) {
  StaticString<95> out;
  std::size_t left = fields.size();
  for (const Field field : number_fields) {
    if (!fields.has(field)) continue;
    if (!out.empty()) out.append(left == 1 ? " and " : ", ");
    out.append(out.empty() ? "Config::" : "::").append(name(field));
    --left;
  }
  return out;
}

/// What a program passes for the fields that are missing. `record`: the one that lacks them.
RANKMAP_RARE constexpr StaticString<95> pass_missing(const Record& record, FieldSet missing) {
  StaticString<95> out("pass ");
  out.append(config_names(missing));
  if (missing == FieldSet::of(Field::local_rank)) out.append(" or ::one_process_per_node");
  if (missing == FieldSet::of(Field::rank) && numbers_by_node(record.row))
    out.append(" or ::local_world_size");
  return out;
}

/// What whoever runs the job does about a worker's record that is not complete; empty for others.
RANKMAP_RARE constexpr StaticString<159> missing_hint(const LauncherRow& row) {
  if (row.level != RecordLevel::worker) return {};
  if (!row.missing_hint.empty()) return row.missing_hint;
  if (!row.start_command.empty()) {
    const std::string_view unset = row.unset_names;
    return concat<159>("start it with ", row.start_command, unset.empty() ? "" : ", or unset ",
                       unset, unset.empty() ? "" : " if inherited");
  }
  // RANKMAP_LAUNCHER says that these are meant, and not what is left of the launcher.
  return concat<159>("set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env",
                     row.or_alone ? " (or =none if it is alone)" : "");
}

/// The error about a record without all of the required numbers. `missing`: those that nobody
/// gives. It is about the first of them. `to_pass`: those that the program can pass instead.
RANKMAP_RARE constexpr Error error_about_missing(const Record& record, FieldSet missing,
                                                 FieldSet to_pass,
                                                 const EnvironmentView& variables) {
  const Field field = missing.first();
  const std::string_view variable = source_of(record.row, field).names.first();
  const Variable& detected = record.detected;
  const auto wanted = concat<159>("a ", name(field), ", since ", detected.name, "=\"",
                                  shortened(detected.value), "\" is set (", record.row.name, ")");
  const auto unused = variables(variable);  // a negative number, or one of another launch
  const LauncherRow& row = record.row;
  const bool says_how = !row.missing_hint.empty() || !row.start_command.empty() || row.or_alone;
  const bool may_be_declared =
      variable.empty() && row.launcher >= declared_launcher(0) && !says_how;
  StaticString<159> remedy(may_be_declared ? "declare its variable, or " : "");
  remedy.append(missing_hint(row));
  if (remedy.empty()) {
    remedy.append(unused ? "correct or unset it" : "set it");
    remedy.append(", or set RANKMAP_IGNORE=").append(record.row.name);
  }
  remedy.append("; in the program, ").append(pass_missing(record, to_pass));
  if (variable.empty()) return error_missing(Errc::missing, config_name(field), wanted, remedy);
  if (unused) {
    const std::string_view key = source_of(row, field).key;
    return error_at(Errc::missing, variable, *unused,
                    !key.empty() && variables.has(key)
                        ? concat<159>("no number beside ", key, ", unless that was inherited: ",
                                      row.name, " sets one of them")
                    : variable == detected.name ? expected_text(record, field)
                                                : wanted,
                    remedy);
  }
  return error_missing(Errc::missing, variable, wanted, remedy);
}

/// The error about a record that cannot be used. `is_named`: the caller or whoever runs the job
/// names its launcher.
RANKMAP_RARE constexpr Error error_about_record(const Record& record,
                                                const EnvironmentView& variables,
                                                bool is_named = false) {
  Problem problem = record.problem;
  if (problem.variable.empty()) problem.variable = record.detected.name;
  const std::string_view text = variables.text_or_empty(problem.variable);
  if (record.state == RecordState::no_task) {
    return error_at(Errc::unknown_launcher, problem.variable, text,
                    concat<159>("a task of ", record.row.name, " (", problem.reason, ")"),
                    "start the process with that launcher, or unset RANKMAP_LAUNCHER; in the "
                    "program, leave Config::launcher unset");
  }
  const bool is_worker = record.row.level == RecordLevel::worker;
  const bool is_rejected = problem.kind == Problem::Kind::rejected;
  // Without its role a server would pass for a worker.
  const bool is_role = problem.variable == record.row.role.variable;
  StaticString<159> remedy(!variables.has(problem.variable) ? "set it"
                           : is_role                        ? "start the program as a worker"
                           : is_worker && is_rejected       ? "unset it"
                           : record.row.launcher >= declared_launcher(0) ? "correct or redeclare it"
                                                                         : "correct or unset it");
  if (!is_named) {
    remedy.append(", or set RANKMAP_IGNORE=").append(record.row.name);
    if (is_worker) remedy.append(" if inherited");  // another record may be an outer one
  }
  remedy.append("; in the program, ");
  if (is_worker) {
    remedy.append("pass ").append(is_rejected ? "Config::rank, ::world_size and ::local_rank"
                                              : config_name(problem.field));
  }
  if (!is_named) remedy.append(is_worker ? " or set ::exclude" : "set Config::exclude");
  if (is_named && !is_worker) remedy.append("leave Config::launcher unset");
  Errc code = Errc::inconsistent;
  StaticString<159> expected(problem.reason);
  if (problem.kind == Problem::Kind::out_of_range) {
    const bool is_size = problem.field == Field::local_world_size;
    if (!is_size) code = Errc::out_of_range;
    const Value& bound = record[problem.bound];
    expected = is_size ? concat<159>("at most ", bound.number, ", as ", bound.variable, " says")
                       : number_below(bound);
  } else if (problem.kind == Problem::Kind::unreadable ||
             problem.kind == Problem::Kind::too_large || problem.kind == Problem::Kind::too_small) {
    expected = expected_text(record, problem.field);
    code = problem.kind == Problem::Kind::unreadable  ? Errc::not_a_number
           : problem.kind == Problem::Kind::too_large ? Errc::number_too_large
                                                      : Errc::out_of_range;
  } else if (!variables.has(problem.variable)) {
    return error_missing(code, problem.variable, expected, remedy);
  }
  return error_at(code, problem.variable, text, expected, remedy);
}

/// What the record of each level numbers, in the order of RecordLevel, and what makes a rank of it.
/// RANK alone is set by people and by platforms, for processes as well as for nodes.
struct LevelWords {
  std::string_view numbers;
  std::string_view remedy;
};
inline constexpr LevelWords level_words[] = {
    {"may number nodes",
     "set LOCAL_RANK (0 if each node runs one process); in the program, pass "
     "Config::one_process_per_node"},
    {"numbers nodes",
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"numbers slots",
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node and ::local_rank"},
    {"numbers tasks of an array",
     "set RANKMAP_LAUNCHER to it if they are one job, else RANKMAP_IGNORE; in the program, pass "
     "Config::launcher and ::one_process_per_node"},
};
static_assert(std::size(level_words) == static_cast<std::size_t>(RecordLevel::array) + 1);

/// The record numbers nodes, slots or tasks, or may do so, but a process rank is needed.
/// `is_named`: the caller or whoever runs the job names its launcher.
RANKMAP_RARE constexpr Error ambiguous_node(const Record& record, bool is_named = false) {
  const Value& index = record[Field::node_rank];
  const Value& count = record[Field::node_count];
  const RecordLevel level = record.row.level;
  const bool of_process = level == RecordLevel::worker;
  StaticString<159> expected("a process rank; this ");
  expected.append(level_words[static_cast<std::size_t>(level)].numbers).append(" (");
  expected.append(of_process ? "RANK without LOCAL_RANK" : record.row.name);
  expected.append(", index ").append_number(index.number);
  if (count.known()) expected.append(" of ").append_number(count.number);
  expected.append(')');
  // A task of an array that is named is one of a job, as a node is.
  const bool as_node = is_named && level == RecordLevel::array;
  const auto remedy = static_cast<std::size_t>(as_node ? RecordLevel::node : level);
  return error_at(Errc::ambiguous, index.variable, index.text, expected,
                  level_words[remedy].remedy);
}

/// By `alone` there is one node; by `uncounted` there are nodes before this one.
RANKMAP_RARE constexpr Error ambiguous_count(const Record& alone, const Record& uncounted) {
  const Value& index = uncounted[Field::node_rank];
  return error_at(Errc::ambiguous, index.variable, index.text,
                  concat<159>("0, as ", alone[Field::node_count].variable, " gives one node (",
                              alone.row.name, ")"),
                  concat<159>("set RANKMAP_IGNORE to the wrong one, ", alone.row.name, " or ",
                              uncounted.row.name, "; in the program, set Config::exclude"));
}

/// Either of two records may be the inner one. The error shows a number in which they differ, if
/// there is one.
RANKMAP_RARE constexpr Error ambiguous_order(const Record& inner, const Record& outer) {
  Field shown = Field::rank;
  int compared = 0;
  bool is_equal = true;
  for (const Field field :
       {Field::local_world_size, Field::local_rank, Field::world_size, Field::rank}) {
    const bool differs = inner[field].known() && inner[field].number != outer[field].number;
    if (inner[field].known() && outer[field].known()) {
      ++compared;
      is_equal = is_equal && !differs;
    }
    if (outer[field].known() && (differs || !outer[shown].known())) shown = field;
  }
  // A record that cannot be used may have no number to show.
  const auto shown_of = [&](const Record& record) {
    const Value& own = record[shown];
    return own.variable.empty() ? record.detected : Variable(own.variable, own.text);
  };
  is_equal = is_equal && compared != 0;
  const bool says_number = !is_equal && inner[shown].known();
  StaticString<159> expected("a number of the launch of ");
  if (says_number) {
    expected = concat<159>(name(shown), " ", inner[shown].number);
    const Value& world = inner[Field::world_size];
    if (shown == Field::rank && world.known()) expected.append(" of ").append_number(world.number);
    expected.append(", as ");
  }
  expected.append(shown_of(inner).name).append(says_number ? " says (" : " (");
  expected.append(inner.row.name).append(", not ").append(outer.row.name);
  expected.append(is_equal ? "), though both are equal here" : ")");
  expected.append(": either may have started the other");
  // A batch script is no task of its launcher.
  const auto named = [](const Record& record) {
    return record.state == RecordState::no_task ? std::string_view("none (a single process)")
                                                : record.row.name;
  };
  return error_at(
      Errc::ambiguous, shown_of(outer).name, shown_of(outer).value, expected,
      concat<159>("set RANKMAP_LAUNCHER to the inner one, ", named(inner), " or ", named(outer),
                  ", or unset the variables of the other; in the program, set Config::launcher"));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RECORD_ERROR_HPP
