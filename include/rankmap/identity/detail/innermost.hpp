// SPDX-License-Identifier: MIT
// The one rule: the youngest launch answers, with its own whole record. Whatever else claims
// something of this process has to be of the same launch, or older.
#ifndef RANKMAP_IDENTITY_DETAIL_INNERMOST_HPP
#define RANKMAP_IDENTITY_DETAIL_INNERMOST_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/declared_order.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/nesting.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/launcher/launcher.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The record that identifies this process, if there is one.
struct Choice {
  const Record* record = nullptr;  ///< nullptr: a single process, or the numbers of Config alone
  bool not_distributed = false;    ///< the local rank of `record` is -1
  Proof proof = {};                ///< why it is believed, where it has a rival
  /// Another record has the same numbers of this process, and may be the inner one: what only one
  /// of the two says of nodes may be that of another launch.
  bool is_shared = false;
};

/// Whether no starter is known to be nearer than what started or set a record. A nearer one left no
/// record, so that nothing is known of what it started. `nearest`: the generation of the nearest
/// starter; 0: none. That one may have passed the record on, and not set it.
constexpr bool has_nearest_starter(const NestingEvidence& own, int nearest) {
  return nearest == 0 || own.starter == nearest || (own.exact && own.setter + own.spread < nearest);
}

/// Finds the record beside which every other one is older, of the same launch, or silent.
class InnermostRecord {
 public:
  /// Views its arguments. `is_disputed`: a record that would be believed has a rival.
  constexpr InnermostRecord(History& history, bool is_disputed)
      : records_(history.records()), history_(history), is_disputed_(is_disputed) {}

  /// The processes above this one are asked before the variables. Nothing: the order is not known,
  /// and two records are rivals.
  RANKMAP_RARE constexpr Optional<Choice> find() {
    Optional<Choice> equal = find_by(Order::nothing);
    if (equal && !has_equal(*equal->record)) return equal;
    if (history_.ancestors()) {
      for (const Record& record : records_) {
        const bool is_silent = claim_of(record) == Claim::nothing;
        evidence_.push_back(is_silent ? NestingEvidence() : history_.evidence_of(record));
      }
      const Optional<Choice> found = find_by(Order::processes);
      if (found && !found->is_shared) return found;
      if (found) equal = found;
      if (equal) equal->is_shared = true;
    }
    Choice step;
    step.record = find_step_below(records_, history_.variables(), step.proof);
    if (step.record != nullptr) return step;
    return equal || !is_disputed_ ? equal : find_by(Order::variables);
  }

 private:
  enum class Order : std::uint8_t { nothing, processes, variables };

  /// The first record that stands, and that no other equals; else the first that stands.
  RANKMAP_RARE constexpr Optional<Choice> find_by(Order order) const {
    Optional<Choice> out;
    for (const Record& record : records_) {
      const Optional<Choice> found = stand(record, order);
      if (!found) continue;
      if (!out || (out->is_shared && !found->is_shared)) out = found;
    }
    return out;
  }

  /// The record, if it has no rival that may be younger. Nothing in a dispute of others.
  RANKMAP_RARE constexpr Optional<Choice> stand(const Record& record, Order order) const {
    const bool is_whole = record.state == RecordState::complete;
    if (!is_whole && (!is_disputed_ || order != Order::processes)) return std::nullopt;
    const Record* const manager = manager_of(record, records_);  // which has more to say
    if (manager != nullptr && !is_possible_coincidence(record, *manager)) return std::nullopt;
    Choice out{&record};
    bool has_rival = false;
    for (const Record& other : records_) {
      if (&other == &record) continue;
      if (order == Order::processes && evidence_of(other) == evidence_of(record) &&
          is_bare_rank_of(other, record)) {
        has_rival = true;
        continue;
      }
      const bool is_rival = are_rivals(record, other, records_);
      const bool is_whole_too = other.state == RecordState::complete;
      if (order == Order::processes && is_whole && is_whole_too && !is_rival) {
        if (is_own_copy(other)) continue;
        if (is_own_copy(record)) return std::nullopt;
      }
      // A script's part that repeats the numbers of a launch claims nothing of its own.
      if (is_whole_too && !is_whole && !is_rival && record.row.generic_names) return std::nullopt;
      Proof proof;
      const bool is_older =
          order == Order::processes
              ? is_older_by_processes(other, record, proof)
              : order == Order::variables && is_older_by_variables(other, record, proof);
      // Not only rivals: agents and their bare rank may be in a dispute, and both be older.
      has_rival = has_rival || is_rival || (is_older && order == Order::processes);
      // What another launcher may have set as well, its setter proves, or its starter alone.
      const bool may_be_its = is_whole_too && may_also_set(other.row, record.row) &&
                              compare_identity(other, record).agree;
      const bool is_proved =
          proof.kind == ProofKind::set_later || (proof.kind == ProofKind::starter && !is_disputed_);
      if (may_be_its ? !is_proved : is_rival && !is_older) {
        return std::nullopt;
      }
      if (is_rival && proof.kind != ProofKind::none) out.proof = proof;
      if (!is_whole || !is_whole_too || is_older) continue;
      Proof younger;
      if (order == Order::processes && is_older_by_processes(record, other, younger)) {
        return std::nullopt;
      }
      // Another whole record says the same, and may be of another launch.
      const bool may_be_other =
          record.row.is_set_beside || other.row.is_set_beside || !may_be_one_launch(record, other);
      if (may_be_other && !counts_as_agents(other, record, order)) out.is_shared = true;
    }
    if (is_disputed_ && !has_rival) return std::nullopt;
    return out;
  }

  /// Whether this process set a record itself, of names that are set beside any launch's: no
  /// launcher can have done so. It repeats the launch, and orders nothing.
  constexpr bool is_own_copy(const Record& record) const {
    const NestingEvidence& age = evidence_of(record);
    return record.row.is_set_beside && age.exact && age.setter + age.spread == 0;
  }

  /// Whether another whole record stands beside this one, which has the same numbers.
  constexpr bool has_equal(const Record& record) const {
    for (const Record& other : records_) {
      if (&other != &record && other.state == RecordState::complete) return true;
    }
    return false;
  }

  /// Whether `other` counts as the agents of `record`: they are taken to be outer where there is no
  /// process to ask, and where the processes do not prove that they are inner.
  constexpr bool counts_as_agents(const Record& other, const Record& record, Order order) const {
    if (!is_agent_record(other, record)) return false;
    if (order != Order::processes) return !history_.ancestors();
    return proof_of_inner(evidence_of(other), evidence_of(record)) == ProofKind::none;
  }
  constexpr const NestingEvidence& evidence_of(const Record& record) const {
    return evidence_.data()[&record - records_.begin()];
  }
  RANKMAP_RARE constexpr bool is_older_by_processes(const Record& other, const Record& record,
                                                    Proof& proof) const {
    const NestingEvidence& own = evidence_of(record);
    const ProofKind kind = proof_of_inner(own, evidence_of(other));
    if (kind == ProofKind::none) return false;
    const bool by_name = kind == ProofKind::starter;
    proof = {kind, record.row.launcher, other.row.launcher, by_name ? own.starter : own.setter, {}};
    if (by_name) proof.process = history_.name(own.starter);
    return true;
  }
  RANKMAP_RARE constexpr bool is_older_by_variables(const Record& other, const Record& record,
                                                    Proof& proof) const {
    // A bare rank is as old as the record that it goes with.
    const Record* const manager = manager_of(other, records_);
    if (manager != nullptr && manager != &record) {
      return are_rivals(record, *manager, records_) &&
             is_older_by_variables(*manager, record, proof);
    }
    if (is_agent_record(other, record)) {
      proof = {ProofKind::agents, record.row.launcher, other.row.launcher, 0, {}};
    }
    if (is_outer(other, record)) return true;
    // What is older than the agents of a record, such as their daemons, is older than the record.
    for (const Record& agents : records_) {
      if (is_agent_record(agents, record) && is_outer(agents, record) && is_outer(other, agents)) {
        return true;
      }
    }
    return false;
  }
  constexpr bool is_outer(const Record& other, const Record& record) const {
    return is_declared_outer(other, record, history_.variables(), history_.ancestors().has_value());
  }

  const Records& records_;
  History& history_;
  bool is_disputed_;
  SmallVector<NestingEvidence, 8> evidence_;  // of each record
};

/// Whether a record may be what is left of another launch than `whole`: a part of the numbers that
/// any script may export, or what a starter of agents leaves, whose rank may agree by chance.
constexpr bool is_part_of_another(const Record& record, const Record& whole) {
  if (record.state == RecordState::incomplete && record.row.starts_agents) {
    return !may_also_set(whole.row, record.row);
  }
  const Relation relation = relation_of(whole, record, false);
  return record.row.generic_names &&
         (relation == Relation::conflict || relation == Relation::nested);
}

/// Whether the rank of a part that goes with a process manager was set later than `whole`: by
/// another launch.
RANKMAP_RARE constexpr bool is_later_part(const Record& part, const Record& whole,
                                          History& history) {
  const bool may_be_script = part.row.generic_names || part.row.is_set_beside;
  return !may_be_script && !history.is_started_by(whole.row) &&
         manager_of(part, history.records()) != nullptr &&
         is_set_nearer(history.age_of(part[Field::rank].variable), history.evidence_of(whole));
}

/// Whether the processes above show a starter that is nearer than those of `chosen` and of all
/// whole records.
RANKMAP_RARE constexpr bool is_below_unknown_starter(const Record& chosen, History& history) {
  const int nearest = history.nearest_starter();
  for (const Record& record : history.records()) {
    if (&record != &chosen && record.state != RecordState::complete) continue;
    if (has_nearest_starter(history.evidence_of(record), nearest)) return false;
  }
  return true;
}

/// Whether a record may be of two launches: a launcher that sets some of its names, too, was called
/// after the others were set.
RANKMAP_RARE constexpr bool may_be_of_two_launches(const Record& record, History& history) {
  if (record.shares_names_with == Launcher::none) return false;
  const int nearest = history.nearest(history.records().known().row_of(record.shares_names_with));
  return !has_nearest_starter(history.evidence_of(record), nearest);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_INNERMOST_HPP
