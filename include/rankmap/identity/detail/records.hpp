// SPDX-License-Identifier: MIT
// All records in an environment.
#ifndef RANKMAP_IDENTITY_DETAIL_RECORDS_HPP
#define RANKMAP_IDENTITY_DETAIL_RECORDS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/read_record.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Whether a row reads its identity from a variable that an earlier row reads: the RANK of torchrun
/// is not also DeepSpeed's. If the earlier row does not read its rank, a launcher whose rank and
/// local rank are set may be the inner one, and shares nothing.
RANKMAP_RARE constexpr bool shares_variables(const LauncherRow& row, const LauncherRow& before,
                                             const EnvironmentView& variables) {
  constexpr Field identity[] = {Field::rank, Field::world_size, Field::local_rank};
  bool shares = false;
  for (const Field field : identity) {
    const std::string_view name = source_of(row, field).names.first();
    if (name.empty()) continue;
    for (const Field other : identity) {
      if (source_of(before, other).names.first() != name) continue;
      if (field == Field::rank) return true;
      shares = true;
    }
  }
  return shares &&
         (!has_any(row.rank.names, variables) || !has_any(row.local_rank.names, variables));
}

/// All records in an environment, in the order of the launcher table. A variable belongs to one
/// record only, the first that reads it.
class Records {
 public:
  constexpr Records() = default;
  /// Once. Views `known`. Texts of numbers that `config` gives may be unusable. Variables that
  /// anyone may export belong to the launcher that `config` names.
  RANKMAP_RARE constexpr void read(const EnvironmentView& variables, const KnownLaunchers& known,
                                   const Config& config, const LauncherSet& excluded) {
    known_ = &known;
    for (const ConfigNumber& number : config_numbers) {
      if (config.*number.member) given_.add(number.field);
    }
    LauncherRow named;
    if (config.launcher > Launcher::config) named = known.row_of(*config.launcher);  // else no row
    const bool owns_exported = named.generic_names && is_detected(named, variables);
    LauncherSet claiming;
    for (std::size_t index = 0; index != known.size(); ++index) {
      const Variable detected = first_set(known.detecting_at(index), variables);
      if (detected.name.empty()) continue;  // as most are not
      LazyRow lazy(known.lines_at(index), known.launcher_at(index));
      if (!is_detected(lazy.conditions(), variables)) continue;
      const LauncherRow& row = lazy.whole();
      bool is_claimed = owns_exported && row.launcher != named.launcher &&
                        shares_variables(row, named, variables);
      for (std::size_t before = 0; before != index && !is_claimed; ++before) {
        const Launcher launcher = known.launcher_at(before);
        if (!claiming.has(launcher)) continue;
        is_claimed = shares_variables(row, known.row_of(launcher), variables);
        if (!is_claimed || row.starters.empty()) continue;
        for (Record& record : items_) {
          if (record.row.launcher == launcher) record.shares_names_with = row.launcher;
        }
      }
      if (is_claimed) continue;
      const Record record = read_record(row, detected, variables, given_);
      if (claims_variables(record)) claiming.add(row.launcher);
      // An excluded launcher keeps its variables: the RANK of torchrun belongs to no other record.
      if (!excluded.has(row.launcher)) items_.push_back(record);
    }
  }

  /// Reads a record again as if no local size were set.
  RANKMAP_RARE constexpr void read_without_local_size(Record& record,
                                                      const EnvironmentView& variables) const {
    LauncherRow row = record.row;
    row.local_world_size = {};
    record = read_record(row, record.detected, variables, given_);
    record.unsure_local_size = {};
  }

  /// Precondition: read.
  constexpr const KnownLaunchers& known() const { return *known_; }
  constexpr const Record* begin() const { return items_.data(); }
  constexpr const Record* end() const { return items_.data() + items_.size(); }
  constexpr Record* begin() { return items_.data(); }
  constexpr Record* end() { return items_.data() + items_.size(); }
  constexpr const Record* find(RecordState state) const {
    for (const Record& record : *this) {
      if (record.state == state) return &record;
    }
    return nullptr;
  }
  constexpr const Record* find(Launcher launcher) const {
    for (const Record& record : *this) {
      if (record.row.launcher == launcher) return &record;
    }
    return nullptr;
  }

 private:
  /// Whether a record keeps its variables from later rows. What is left of a process manager does
  /// not. What is left of torchrun does: RANK would pass for a whole record of anyone.
  static constexpr bool claims_variables(const Record& record) {
    return record.state != RecordState::incomplete || record.row.generic_names ||
           uses_torch_names(record.row);
  }

  const KnownLaunchers* known_ = nullptr;
  FieldSet given_;
  SmallVector<Record, 8> items_;  // more than any real nesting has
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RECORDS_HPP
