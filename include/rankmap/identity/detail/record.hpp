// SPDX-License-Identifier: MIT
// One launcher's record: its numbers, and what is wrong with it.
#ifndef RANKMAP_IDENTITY_DETAIL_RECORD_HPP
#define RANKMAP_IDENTITY_DETAIL_RECORD_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/contradiction.hpp>
#include <rankmap/identity/detail/listed_number.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// One number and the text that it was read from. The views are into the environment.
struct Value {
  int number = -1;  ///< -1: not known
  std::string_view variable = {};
  std::string_view text = {};
  std::string_view rule = {};  ///< how the number was derived; empty if it was read
  constexpr bool known() const { return number >= 0; }
  /// Sets a number that is not known yet, by what follows from `other`. Of a number of -1, not
  /// known, nothing follows.
  constexpr void derive(std::int64_t derived, const Value& other, std::string_view by) {
    if (known() || derived < 0 || derived > INT32_MAX) return;
    *this = {static_cast<int>(derived), other.variable, other.text, by};
  }
};

/// What is wrong with a record.
struct Problem {
  enum class Kind : std::uint8_t {
    none,
    unreadable,    ///< the text of `field` does not have the expected format
    too_large,     ///< the number in `field` is greater than 2^31 - 1
    out_of_range,  ///< `field` is not below `bound`
    too_small,     ///< `field` is a size of 0
    rejected,      ///< a check of `variable` failed, with `reason`
  };
  Kind kind = Kind::none;
  Field field = Field::rank;
  Field bound = Field::rank;
  std::string_view variable = {};
  std::string_view reason = {};
};

/// The record of one launcher.
struct Record {
  LauncherRow row = {};
  RecordState state = RecordState::absent;
  Variable detected;  ///< the variable that shows that there is a record
  Value values[number_count];
  RecordCheck checked;               ///< what its launcher's check found
  Problem problem;                   ///< for broken, no_task and stale
  Problem warning;                   ///< an optional number that could not be used
  std::string_view host = {};        ///< the host of the process, without its domain
  bool negative_local_rank = false;  ///< "not distributed"
  bool is_of_script = false;         ///< a script set the names of a process manager
  bool is_index_of_group = false;    ///< its index counts in one of several groups
  /// A launcher that has no record, since this record reads some of its names; none: no such one.
  Launcher shares_names_with = Launcher::none;
  /// A local size that may not belong to the other numbers. It is not believed, but a record with
  /// another local size does not agree with this one.
  Value unsure_local_size;

  constexpr Value& operator[](Field field) { return values[static_cast<std::size_t>(field)]; }
  constexpr const Value& operator[](Field field) const {
    return values[static_cast<std::size_t>(field)];
  }
};

/// Gives a record the state that a check of a variable found, with its reason.
constexpr void reject(Record& record, RecordState state, Field field, std::string_view variable,
                      std::string_view reason) {
  record.state = state;
  record.problem = {Problem::Kind::rejected, field, field, variable, reason};
}

/// The variable with the host's name; an empty one if none is set, or if two that are set differ:
/// then one of them is of another launch.
RANKMAP_RARE constexpr Variable host_variable(const LauncherRow& row,
                                              const EnvironmentView& variables) {
  const Variable first = first_set(row.host, variables);
  for (const std::string_view other : row.host) {
    if (variables(other).value_or(first.value) != first.value) return {};
  }
  return first;
}

/// Whether the launcher sets no rank, and its rank follows from node and local rank.
constexpr bool numbers_by_node(const LauncherRow& row) {
  return row.node_by_node && row.rank.names.empty();
}

/// The source of one of the six numbers.
constexpr const ValueSource& source_of(const LauncherRow& row, Field field) {
  return row.*number_words[static_cast<std::size_t>(field)].member;
}
static_assert(std::size(number_words) == number_count);

/// The name that a number was read from; if it was not, all that its launcher may set.
RANKMAP_RARE constexpr VariableNames names_of(const Record& record, Field field) {
  const VariableNames& names = source_of(record.row, field).names;
  const std::string_view read = record[field].variable;
  return names.has(read) ? VariableNames(read) : names;
}

/// Reads a number from a text, by the format of its source.
RANKMAP_RARE constexpr Number read_number(const ValueSource& source, std::string_view text,
                                          const EnvironmentView& variables) {
  switch (source.format) {
    case ValueFormat::number_from_1:
      return number_from_1(text);
    case ValueFormat::comma_count:
      return found_number(comma_entry(text, 0).count);
    case ValueFormat::machine_count:
      return count_machines(text);
    case ValueFormat::place_on_host:
      return place_on_host(text, variables.text_or_empty(source.key)).place;
    case ValueFormat::count_on_host:
      return place_on_host(text, variables.text_or_empty(source.key)).count;
    case ValueFormat::json_list_count:
      return place_in_json_list(text);
    case ValueFormat::json_list_index:
      return place_in_json_list(text, variables.text_or_empty(source.key));
    case ValueFormat::tf_config_index:
      return TfConfig::parse(text).index;
    case ValueFormat::tf_config_count:
      return TfConfig::parse(text).count;
    case ValueFormat::number:
    case ValueFormat::number_or_word:
      break;
  }
  return parse_number(text);
}

/// Reads one number. `problem.kind` stays none if the variable is unset or usable.
RANKMAP_RARE constexpr Value read_value(const ValueSource& source, const EnvironmentView& variables,
                                        Problem& problem, bool* negative = nullptr) {
  VariableNames names = source.names;
  if (source.format == ValueFormat::number && !source.key.empty() && variables.has(source.key)) {
    names = names.has(source.key) ? VariableNames(source.key) : VariableNames();
  }
  const auto [name, text] = first_set(names, variables);
  if (name.empty()) return {};
  Value value = {-1, name, text};
  const Number number = read_number(source, text, variables);
  if (source.format == ValueFormat::number_or_word && number.state == NumberState::malformed)
    return {};
  problem.variable = name;
  if (number.state == NumberState::negative) {
    // Scripts mean "not distributed" by it. It counts as unset, and sets `negative`.
    if (negative != nullptr) *negative = true;
  } else if (number.state == NumberState::too_large || number.value > INT32_MAX) {
    problem.kind = Problem::Kind::too_large;
  } else if (!number) {
    problem.kind = Problem::Kind::unreadable;
  } else {
    value.number = static_cast<int>(number.value);
  }
  return value;
}

/// Whether there is a record of the launcher.
RANKMAP_RARE constexpr bool is_detected(const LauncherRow& row, const EnvironmentView& variables) {
  for (const std::string_view variable : row.require_all) {
    if (!variables.has(variable)) return false;
  }
  if (!has_any(row.detect_any, variables) || has_any(row.exclude_any, variables)) return false;
  for (const SameText& pair : row.unless_changed) {
    if (!pair.variable.empty() && pair.is_broken(variables)) return false;
  }
  const bool needs_more = !row.require_any.empty() || !row.require_text.variable.empty();
  return !needs_more || has_any(row.require_any, variables) || row.require_text.holds(variables);
}

/// A set of the six numbers.
struct FieldSet {
  unsigned bits = 0;
  static constexpr FieldSet of(Field field) { return {1U << static_cast<unsigned>(field)}; }
  RANKMAP_RARE constexpr void add(Field field) { bits |= of(field).bits; }
  RANKMAP_RARE constexpr bool has(Field field) const {
    return ((bits >> static_cast<unsigned>(field)) & 1U) != 0;
  }
  constexpr bool empty() const { return bits == 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits)); }
  /// Precondition: not empty.
  constexpr Field first() const { return static_cast<Field>(std::countr_zero(bits)); }
  friend constexpr bool operator==(FieldSet, FieldSet) = default;
};

/// Whether no variable of the row is a number of a process.
constexpr bool has_no_numbers(const LauncherRow& row) {
  return row.rank.names.empty() && row.world_size.names.empty() && row.local_rank.names.empty();
}

/// Whether a record without this number is incomplete.
constexpr bool is_required(const LauncherRow& row, Field field) {
  if (field == Field::local_world_size) return row.local_size_required;
  const bool is_of_worker = field == Field::world_size || field == Field::local_rank;
  return field == Field::rank || (is_of_worker && row.level == RecordLevel::worker);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RECORD_HPP
