// SPDX-License-Identifier: MIT
//
// All records in an environment.
#ifndef RANKMAP_TOPOLOGY_DETAIL_RECORDS_HPP
#define RANKMAP_TOPOLOGY_DETAIL_RECORDS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/identity.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/detail/record_relation.hpp>
#include <rankmap/topology/diagnostics.hpp>
#include <rankmap/topology/field.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What a later row reads from the same variable as a row.
enum class Shared : std::uint8_t {
  nothing,
  number,  ///< a world size or a local rank
  rank,
};

/// Which later rows read an identity from the same variable as a row: the RANK of torchrun is not
/// also that of DeepSpeed. Computed at compile time.
struct SharedVariables {
  Shared shared[launcher_count][launcher_count] = {};

  constexpr SharedVariables() {
    constexpr Field identity[] = {Field::rank, Field::world_size, Field::local_rank};
    // The compiler computes this table in every including file, and MSVC allows 100,000 steps for a
    // constant. So texts are compared only with those in the same bucket.
    struct Name {
      std::string_view text;
      std::size_t row = 0;
      std::size_t next = 0;  // in the bucket; 0: none
    };
    constexpr std::size_t buckets = 128;
    Name names[1 + 3 * launcher_count];
    std::size_t first[buckets] = {};
    std::size_t last = 0;
    for (std::size_t row = 0; row != launcher_count; ++row) {
      for (const Field field : identity) {
        const std::string_view text = source_of(launchers[row], field).names.first();
        if (text.empty()) continue;
        const auto front = static_cast<unsigned char>(text.front());
        const auto back = static_cast<unsigned char>(text.back());
        std::size_t& bucket = first[(text.size() * 8 + front + std::size_t{back} * 2) % buckets];
        for (std::size_t i = bucket; i != 0; i = names[i].next) {
          if (names[i].text != text) continue;
          Shared& found = shared[names[i].row][row];
          if (found != Shared::rank) found = field == Field::rank ? Shared::rank : Shared::number;
        }
        names[++last] = {text, row, bucket};
        bucket = last;
      }
    }
  }
};
inline constexpr SharedVariables shared_variables;

/// All records in an environment, in the order of the launcher table. A variable belongs to one
/// record only, the innermost.
class Records {
 public:
  constexpr Records(const EnvironmentView& variables, const Config& config,
                    const LauncherSet& excluded) {
    FieldSet given;
    for (const ConfigNumber& number : config_numbers) {
      if (config.*number.member) given.add(number.field);
    }
    for (std::size_t row = 0; row != launcher_count; ++row) {
      if (is_claimed(row, variables) || !is_detected(launchers[row], variables)) continue;
      const Record record = read_record(launchers[row], variables, given);
      if (claims_variables(record)) {
        for (std::size_t other = row + 1; other < launcher_count; ++other) {
          const Shared shared = shared_variables.shared[row][other];
          if (shared > claimed_[other]) claimed_[other] = shared;
        }
      }
      // An excluded launcher keeps its variables: the RANK of torchrun belongs to no other record.
      if (!excluded.has(launchers[row].launcher)) items_.push_back(record);
    }
  }

  constexpr const Record* begin() const { return items_.data(); }
  constexpr const Record* end() const { return items_.data() + items_.size(); }
  constexpr const Record* find(RecordState state) const {
    for (const Record& record : *this) {
      if (record.state == state) return &record;
    }
    return nullptr;
  }
  constexpr const Record* find(Launcher launcher) const {
    for (const Record& record : *this) {
      if (record.row->launcher == launcher) return &record;
    }
    return nullptr;
  }

 private:
  /// A leftover of a process manager does not take the numbers of another one away. What is left of
  /// torchrun does: RANK would pass for a whole record that anyone may have set.
  static constexpr bool claims_variables(const Record& record) {
    return record.state != RecordState::incomplete || record.row->generic_names ||
           uses_torch_names(*record.row);
  }
  /// A launcher whose own rank and local rank are set may be the inner one, though another has its
  /// world size.
  constexpr bool is_claimed(std::size_t row, const EnvironmentView& variables) const {
    if (claimed_[row] != Shared::number) return claimed_[row] == Shared::rank;
    const LauncherRow& read = launchers[row];
    return !has_any(read.rank.names, variables) || !has_any(read.local_rank.names, variables);
  }

  Shared claimed_[launcher_count] = {};
  SmallVector<Record, 8> items_;  // more than any real nesting has
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_RECORDS_HPP
