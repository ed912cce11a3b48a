// SPDX-License-Identifier: MIT
// Settles which of several records that contradict each other is the innermost one.
#ifndef RANKMAP_IDENTITY_DETAIL_SETTLE_HPP
#define RANKMAP_IDENTITY_DETAIL_SETTLE_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/dispute.hpp>
#include <rankmap/identity/detail/nesting.hpp>
#include <rankmap/identity/detail/nesting_evidence.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Two records that contradict each other, of which the first is complete.
struct Dispute {
  const Record* complete = nullptr;
  const Record* other = nullptr;
  constexpr explicit operator bool() const { return complete != nullptr; }
};

/// The first dispute in the order of the records.
constexpr Dispute find_dispute(const Records& records) {
  for (const Record& complete : records) {
    if (complete.state != RecordState::complete) continue;
    for (const Record& other : records) {
      if (&other != &complete && contradict(complete, other, records)) return {&complete, &other};
    }
  }
  return {};
}

/// Whether an incomplete record says that this process is not alone.
constexpr bool is_one_of_many(const Record& record) {
  if (record.state != RecordState::incomplete || record.row.generic_names) return false;
  const Value& world = record[Field::world_size];
  if (world.known()) return world.number > 1;
  return record[Field::rank].known() || record[Field::local_world_size].number > 1;
}

/// The same, or a record that cannot be read, which may say so.
constexpr bool may_be_one_of_many(const Record& record) {
  return is_unreadable_worker(record) || is_one_of_many(record);
}

/// Whether two records contradict each other. That an incomplete one goes with a third may be by
/// chance, and the processes above show whether it is older. Of two incomplete ones, the processes
/// that prove one of them against a complete record may say nothing of the other.
RANKMAP_RARE constexpr bool in_dispute(const Record& a, const Record& b, const Records& records) {
  const auto differ = [&](const Record& complete, const Record& other) {
    return contradict(complete, other, records) || names_another_place(other, complete);
  };
  if (a.state == RecordState::complete) return differ(a, b);
  if (b.state == RecordState::complete) return differ(b, a);
  if (names_another_place(a, b) && names_another_place(b, a)) return true;
  return (is_script(a) && may_be_one_of_many(b)) || (is_script(b) && may_be_one_of_many(a));
}

/// The innermost record, and why; nullptr if it is not known.
struct Settled {
  const Record* record = nullptr;
  Proof proof = {};
};

/// Whether a bare rank may be that of the launcher of `complete`: one mpirun sets its own record
/// and the rank of PMIx, which is the same.
RANKMAP_RARE constexpr bool is_of_one_launch(const Record& bare, const Record& complete) {
  const Agreement identity = compare_identity(complete, bare);
  return is_possible_coincidence(bare, complete) && identity.compared > 0 && identity.agree;
}

/// Whether no starter is known to be nearer than that of a record. One that is left no record, so
/// that nothing is known of what it started. `may_pass_on`: it may have passed the record on, and
/// not set it.
constexpr bool has_nearest_starter(const NestingEvidence& own, const ProcessTree& tree,
                                   bool may_pass_on) {
  const int nearest = tree.nearest_starter();
  const int last = may_pass_on ? nearest - 1 : nearest;
  return nearest == 0 || own.starter == nearest || (own.exact && own.setter <= last);
}

/// Whether `other`, which has the same numbers, may be all that set those of `record`: what only
/// one of the two says is then of another launch.
constexpr bool may_be_set_by(const Record& other, const Record& record) {
  return other.state == RecordState::complete && other.row.also_sets == record.row.launcher &&
         compare_identity(other, record).agree;
}

/// Whether the processes above show that `record` is inner to all that it contradicts.
RANKMAP_RARE constexpr Settled is_inner_of_all(const Record& record, const Records& records,
                                               const ProcessTree& tree) {
  const NestingEvidence own = tree.evidence_of(record);
  if (!has_nearest_starter(own, tree, false)) return {};
  Settled out;
  for (const Record& other : records) {
    const bool may_set_both = may_be_set_by(other, record);
    const bool is_disputed = &other != &record && in_dispute(record, other, records);
    if (!may_set_both && !is_disputed) continue;
    const NestingEvidence evidence = tree.evidence_of(other);
    const bool is_set_later = own.exact && evidence.exact && own.setter < evidence.setter;
    if (may_set_both && !is_set_later) return {};
    if (!is_disputed) continue;
    if (is_of_one_launch(other, record) && evidence == own) continue;
    const Nesting nesting = nesting_of(own, evidence);
    if (nesting.inner != Inner::first) return {};
    out.record = &record;
    const Launcher launcher = record.row.launcher;
    if (nesting.proof == NestingProof::starter) {
      out.proof = {ProofKind::starter, launcher, other.row.launcher, own.starter,
                   tree.name(own.starter)};
    } else {
      out.proof = {ProofKind::set_later, launcher, other.row.launcher, own.setter, {}};
    }
  }
  return out;
}

/// Whether a record may be what is left of another launch than `complete`: a part of the numbers
/// that any script may export, or what a starter of agents leaves, whose rank may agree by chance.
constexpr bool is_part_of_another(const Record& record, const Record& complete) {
  if (record.state == RecordState::incomplete && record.row.starts_agents) return true;
  const Relation relation = relation_of(complete, record, false);
  return record.row.generic_names &&
         (relation == Relation::conflict || relation == Relation::nested);
}

/// Whether the processes above show a starter that is nearer than those of `chosen` and of all
/// complete records.
RANKMAP_RARE constexpr bool is_below_unknown_starter(const Record& chosen, const Records& records,
                                                     const EnvironmentView& variables) {
  const std::optional<Ancestors> ancestors = variables.ancestors();
  if (!ancestors) return false;
  const ProcessTree tree(variables, *ancestors, records.known());
  for (const Record& record : records) {
    if (&record != &chosen && record.state != RecordState::complete) continue;
    if (has_nearest_starter(tree.evidence_of(record), tree, true)) return false;
  }
  return true;
}

constexpr Settled settle_by_process(const Records& records, const ProcessTree& tree) {
  for (const Record& record : records) {
    const Settled found = is_inner_of_all(record, records, tree);
    if (found.record != nullptr) return found;
  }
  return {};
}

/// Whether the launcher of an incomplete record starts agents, in one of which that of `complete`
/// may have been called. Where one of many is said to be alone, that is not taken for granted.
constexpr bool may_be_agent(const Record& record, const Record& complete) {
  const bool is_alone = complete[Field::world_size].number == 1;
  return record.row.starts_agents && !(is_alone && is_one_of_many(record));
}

/// Whether the variables prove that `other` is not inner to `complete`, which it contradicts.
/// `has_process`: there was a process to ask, but what is above it cannot be seen. Then a worker's
/// own srun, one task a node, leaves what daemons leave. Without a process, a script or a broken
/// record says too little against a complete one.
RANKMAP_RARE constexpr bool is_proven_outer(const Record& other, const Record& complete,
                                            const EnvironmentView& variables, bool has_process) {
  const bool is_outer = other.row.launcher > complete.row.launcher;
  if (is_script(other) && is_script_around(other, complete, variables)) return true;
  if (is_agent_record(other, complete)) return !has_process;
  if (other.state == RecordState::incomplete) {
    const bool is_seen = has_process && !other.row.starters.empty();
    const bool is_agent = !is_seen && !complete.is_exported_over && may_be_agent(other, complete);
    return (is_outer && is_agent) || is_of_one_launch(other, complete);
  }
  return other.state != RecordState::complete && is_outer && !has_process;
}

/// Whether `other` named the job after `complete` did: the id is one of its own, or the bare rank
/// that is set together with the id goes with `other`.
RANKMAP_RARE constexpr bool named_job_later(const Record& other, const Record& complete,
                                            const Records& records,
                                            const EnvironmentView& variables) {
  std::string_view id;
  first_set(complete.row.job_id, variables, id);
  const std::string_view own = other.row.own_namespace;
  if (!own.empty() && id.substr(0, own.size()) == own) return true;
  const std::string_view name = complete.row.job_id.first();
  for (const Record& bare : records) {
    if (!name.empty() && bare.row.job_id.first() == name && manager_of(bare, records) == &other) {
      return true;
    }
  }
  return false;
}

/// Whether the variables prove that the step of `inner` was started below the launcher of `outer`:
/// the id of the job, which that launcher always sets, is of the step; or that launcher runs on the
/// host from which the job was submitted, which is no node of the step.
RANKMAP_RARE constexpr bool is_step_below(const Record& inner, const Record& outer,
                                          const EnvironmentView& variables) {
  if (inner.state != RecordState::complete || outer.state != RecordState::complete ||
      inner.row.submit_host.empty()) {
    return false;
  }
  std::string_view id;
  first_set(outer.row.job_id, variables, id);
  const std::string_view own = inner.row.own_namespace;
  if (inner.set_job_id && outer.row.has_new_job_id && id.substr(0, own.size()) == own) return true;
  std::string_view submitted;
  first_set(inner.row.submit_host, variables, submitted);
  submitted = submitted.substr(0, submitted.find('.'));
  return !outer.host.empty() && outer.host == submitted &&
         lists_host(inner.row, variables, outer.host) == false;
}

/// A step below one other launcher. What that one shows says nothing of a third, so that there is
/// none, but for a bare rank under the names of the two.
RANKMAP_RARE constexpr Settled settle_by_step(const Records& records,
                                              const EnvironmentView& variables) {
  const Record* inner = nullptr;
  const Record* outer = nullptr;
  for (const Record& a : records) {
    for (const Record& b : records) {
      if (&a == &b || !is_step_below(a, b, variables)) continue;
      inner = &a;
      outer = &b;
    }
  }
  if (inner == nullptr) return {};
  for (const Record& third : records) {
    if (&third == inner || &third == outer) continue;
    const std::string_view id = third.row.job_id.first();
    const std::string_view rank = third.row.rank.names.first();
    const bool shares_names = (!id.empty() && id == outer->row.job_id.first()) ||
                              (!rank.empty() && rank == outer->row.rank.names.first());
    const bool is_bare = third.state == RecordState::incomplete && shares_names;
    if (!is_bare) return {};
  }
  return {inner, {ProofKind::step, inner->row.launcher, outer->row.launcher, 0, {}}};
}

RANKMAP_RARE constexpr Settled settle_by_variables(const Records& records,
                                                   const EnvironmentView& variables,
                                                   bool has_process) {
  for (const Record& record : records) {
    if (record.state != RecordState::complete) continue;
    Settled out;
    for (const Record& other : records) {
      if (&other == &record) continue;
      if (may_be_set_by(other, record)) return {};  // of which nothing was proven
      if (!contradict(record, other, records)) continue;
      if (is_step_below(other, record, variables) ||
          !is_proven_outer(other, record, variables, has_process) ||
          named_job_later(other, record, records, variables)) {
        out = {};
        break;
      }
      out.record = &record;
      if (is_agent_record(other, record)) {
        out.proof = {ProofKind::agents, record.row.launcher, other.row.launcher, 0, {}};
      }
    }
    if (out.record != nullptr) return out;
  }
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_SETTLE_HPP
