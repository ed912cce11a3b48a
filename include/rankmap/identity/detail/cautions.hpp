// SPDX-License-Identifier: MIT
// Warnings about the chosen record: a number that cannot be used, or an answer that may not be what
// it seems. Such are programs that share a world, groups with a world each, devices that wait for
// more processes, a shell with a terminal, two numbers of one pod, and a script's rank or copy
// below a launch.
#ifndef RANKMAP_IDENTITY_DETAIL_CAUTIONS_HPP
#define RANKMAP_IDENTITY_DETAIL_CAUTIONS_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// For a caller who needs no number: a warning in place of an error.
RANKMAP_RARE constexpr void warn_instead(IdentityData& data, const Error& error) {
  data.warnings.add({error.subject.view(), error.found.view(), "numbers that say who this is",
                     "ask for all numbers: that error says what to do"});
}

/// A warning about an optional number of the chosen record.
RANKMAP_RARE constexpr Warning warning_about(const Record& record,
                                             const EnvironmentView& variables) {
  using Kind = Problem::Kind;
  const Problem& problem = record.warning;
  return {problem.variable, shortened(variables.text_or_empty(problem.variable)),
          problem.kind == Kind::out_of_range ? "a number that agrees with the other ones"
          : problem.kind == Kind::too_small  ? "a number, at least 1"
                                             : "a decimal number below 2147483648"};
}

/// Warns of what the row of the chosen record declares. It is no fault of the job, so that
/// Config::strict does not refuse it.
RANKMAP_RARE constexpr void warn_of_caution(IdentityData& data, const Record& record,
                                            History& history) {
  const Caution& caution = record.row.caution;
  if (caution.variable.empty()) return;
  const std::string_view text = history.variables().text_or_empty(caution.variable);
  // The shell that has the terminal is rank 0 of several, and the parent of what it runs.
  if (caution.names_terminal && !text.empty() &&
      (data.identity[Field::rank] != 0 || data.identity[Field::world_size] == 1 ||
       history.is_started_by(record.row))) {
    return;
  }
  const std::size_t mark = text.rfind(':');  // npos + 1 is 0
  const Number number = parse_number(caution.names_device ? text.substr(mark + 1) : text);
  const int local = data.identity[Field::local_rank];
  const bool is_unusual = caution.names_device
                              ? local >= 0 && number.value != static_cast<std::uint64_t>(local)
                              : number.value > 1;
  if (number && is_unusual) {
    data.warnings.add(
        {caution.variable, shortened(text), caution.expected, {}, Launcher::none, caution.doubt});
  }
}

/// The same for each launch whose rank and size the chosen record repeats. Precondition: any script
/// may export the names of the chosen record.
RANKMAP_RARE constexpr void warn_of_copied_caution(IdentityData& data, const Record& chosen,
                                                   History& history) {
  for (const Record& other : history.records()) {
    const bool is_node = other.state == RecordState::node_level;
    if (&other == &chosen || (!is_node && other.state != RecordState::complete)) continue;
    const int rank = other[is_node ? Field::node_rank : Field::rank].number;
    const int size = other[is_node ? Field::node_count : Field::world_size].number;
    if (rank >= 0 && rank == data.identity[Field::rank] &&
        size == data.identity[Field::world_size]) {
      warn_of_caution(data, other, history);
    }
  }
}

/// Warns of a rank that a script set below a launch of the same size, and that no such launch
/// gives: the script may have an order of its own, or one text for all.
RANKMAP_RARE constexpr void warn_of_another_rank(IdentityData& data, const Record& chosen,
                                                 const Records& records) {
  const Value& rank = chosen[Field::rank];
  const Value* another = nullptr;
  Launcher launcher = Launcher::none;
  for (const Record& other : records) {
    if (&other == &chosen || other.state != RecordState::complete || other.row.generic_names ||
        other[Field::world_size].number != chosen[Field::world_size].number) {
      continue;
    }
    another = &other[Field::rank];
    launcher = other.row.launcher;
    if (another->number == rank.number) return;
  }
  if (another == nullptr) return;
  data.warnings.add({.variable = rank.variable,
                     .text = shortened(rank.text),
                     .reason = "with one world size, both number this process",
                     .remedy = "write the script in single quotes if all processes have this text; "
                               "ignore this if it orders the ranks itself",
                     .launcher = chosen.row.launcher,
                     .rival = another->variable,
                     .rival_number = another->number,
                     .rival_launcher = launcher});
}

/// Whether a record of nodes numbers pods or machines, and neither slots nor tasks of an array.
constexpr bool numbers_pods(const Record& record) {
  return record.row.level == RecordLevel::node || record.row.level == RecordLevel::worker;
}

/// Whether the number of this process is that of a pod or machine, which runs it alone.
constexpr bool is_numbered_by_node(const Record& record, const Config& config) {
  if (record.state == RecordState::node_level) return numbers_pods(record);
  return config.one_process_per_node &&
         (record.row.generic_names || record.state == RecordState::incomplete);
}

/// Warns of the first other number of the same pod. An index within one of several groups, or
/// beside blocks, is none. Precondition: is_numbered_by_node(chosen).
RANKMAP_RARE constexpr void warn_of_another_index(IdentityData& data, const Record& chosen,
                                                  const Records& records,
                                                  const EnvironmentView& variables) {
  if (chosen.is_index_of_group || has_any(chosen.row.block_index, variables)) return;
  for (const Record& other : records) {
    if (&other == &chosen || other.state != RecordState::node_level || other.is_index_of_group ||
        !numbers_pods(other)) {
      continue;
    }
    for (const Field field : {Field::node_rank, Field::node_count}) {
      const Value& value = other[field];
      if (!value.known() || !data.identity.knows(field) || value.number == data.identity[field]) {
        continue;
      }
      const Origin& rival = data.identity.origin(field);
      data.warnings.add(
          {.variable = value.variable,
           .text = shortened(value.text),
           .reason = field == Field::node_rank ? "with one process in a pod, both number the pod"
                                               : "with one process in a pod, both count the pods",
           .launcher = other.row.launcher,
           .doubt = Doubt::index,
           .rival = rival.kind == OriginKind::derived ? name(field) : rival.source,
           .rival_number = data.identity[field],
           .rival_launcher = rival.kind == OriginKind::read ? rival.launcher : Launcher::none});
      return;
    }
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_CAUTIONS_HPP
