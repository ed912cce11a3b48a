// SPDX-License-Identifier: MIT
// Warnings about a process that counts as a single one, though its own variables say otherwise.
#ifndef RANKMAP_IDENTITY_DETAIL_SINGLE_PROCESS_HPP
#define RANKMAP_IDENTITY_DETAIL_SINGLE_PROCESS_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/cautions.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/contradiction.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/operator_words.hpp>
#include <rankmap/identity/detail/read_record.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_error.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Warns of a single process whose starter may have started other processes too, or whose pod is
/// said to have several.
RANKMAP_RARE constexpr void warn_of_starter(IdentityData& data, const Records& records) {
  for (const Record& record : records) {
    const bool is_inner = data.launcher == Launcher::none || record.row.launcher < data.launcher;
    if (!may_be_alone(record) || !is_inner) continue;
    data.warnings.add({record.detected.name, shortened(record.detected.value),
                       "the numbers of a launcher too, unless this process is the only one"});
    return;
  }
  const Value* const size = find_pod_size(records);
  if (size == nullptr || data.launcher != Launcher::none) return;
  data.warnings.add({size->variable, shortened(size->text),
                     "1: this process may be one of these, or may have to start them",
                     "start the workers with torchrun, or set RANKMAP_LAUNCHER=none if the process "
                     "is alone"});
}

/// Warns of exported numbers of a single process beside the record of one of many: an image or a
/// wrapper may have set them for every process.
RANKMAP_RARE constexpr void warn_of_others_of_one(IdentityData& data, const Record& chosen,
                                                  const Records& records) {
  if (!chosen.row.generic_names) return;
  for (const Record& other : records) {
    if (other.state != RecordState::complete || other[Field::world_size].number == 1) continue;
    const Value& size = chosen[Field::world_size];
    data.warnings.add({size.variable, shortened(size.text),
                       "the number of processes that a launcher above started, unless each is "
                       "meant to be alone",
                       "unset RANK, WORLD_SIZE and LOCAL_RANK in the image or script, or set "
                       "RANKMAP_LAUNCHER=none",
                       other.row.launcher});
    return;
  }
}

/// Whether a record may be that of one of many. It says no size of 1, and is whole, a part, of a
/// pod, or has a number that a process alone cannot have (a size above 1, an index above 0).
RANKMAP_RARE constexpr bool may_be_one_of_many(const Record& record) {
  const bool is_part = record.state == RecordState::incomplete;
  const bool is_pod = record.state == RecordState::node_level
                          ? numbers_pods(record)
                          : !is_part && record.row.level == RecordLevel::node;
  if (record[is_pod ? Field::node_count : Field::world_size].number == 1) return false;
  if (is_pod || claim_of(record) >= Claim::part) return true;
  for (const Field field : number_fields) {
    if (is_part && record[field].number > (is_size(field) ? 1 : 0)) return true;
  }
  return false;
}

/// Warns of a single process for which RANKMAP_IGNORE takes away the launcher of one of many. What
/// the program itself excludes is not reported.
RANKMAP_RARE constexpr void warn_of_ignored(IdentityData& data, const Statements& stated,
                                            const EnvironmentView& variables) {
  for (std::size_t place = 0; place != stated.known.size(); ++place) {
    const Launcher launcher = stated.known.launcher_at(place);
    if (!stated.excluded.has(launcher) || stated.config.exclude.has(launcher)) continue;
    const LauncherRow row = stated.known.row_of(launcher);
    if (!is_detected(row, variables)) continue;
    const auto [variable, text] = first_set(row.detect_any, variables);
    if (!may_be_one_of_many(read_record(row, {variable, text}, variables, {}))) continue;
    data.warnings.add({variable, shortened(text),
                       "another launcher too: this one is ignored, and starts many processes",
                       "set RANK, WORLD_SIZE and LOCAL_RANK, or RANKMAP_LAUNCHER=none if the "
                       "process is alone",
                       launcher});
    return;
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_SINGLE_PROCESS_HPP
