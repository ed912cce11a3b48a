// SPDX-License-Identifier: MIT
// What the variables of two records prove of their order, where the processes above prove nothing:
// facts that their launchers declare.
#ifndef RANKMAP_IDENTITY_DETAIL_DECLARED_ORDER_HPP
#define RANKMAP_IDENTITY_DETAIL_DECLARED_ORDER_HPP

#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/claims.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// The host on which the job of a record was submitted, without its domain; empty: not known.
RANKMAP_RARE constexpr std::string_view submit_host_of(const Record& record,
                                                       const EnvironmentView& variables) {
  const std::string_view host = first_set(record.row.submit_host, variables).value;
  return host.substr(0, host.find('.'));
}

/// Whether the batch script in `script` started the launcher of `inner`, and not the reverse: the
/// process is on the script's host, and the job was submitted on another one.
RANKMAP_RARE constexpr bool is_script_around(const Record& script, const Record& inner,
                                             const EnvironmentView& variables) {
  if (claim_of(script) != Claim::alone || inner.host.empty()) return false;
  const std::string_view submitted = submit_host_of(script, variables);
  return !submitted.empty() && inner.host == script.host && inner.host != submitted;
}

/// Whether a bare rank is that of the launcher of `whole`: one mpirun sets its own record and the
/// rank of PMIx, which is the same.
RANKMAP_RARE constexpr bool is_bare_rank_of(const Record& bare, const Record& whole) {
  const Agreement identity = compare_identity(whole, bare);
  return is_possible_coincidence(bare, whole) && identity.compared > 0 && identity.agree;
}

/// Whether the launcher of an incomplete record starts agents, one of which may have called that of
/// `whole`. It is not taken for granted if only `whole` says that this process is alone.
constexpr bool may_be_agent(const Record& record, const Record& whole) {
  const bool is_alone = whole[Field::world_size].number == 1;
  return record.row.starts_agents && !(is_alone && is_one_of_many(record));
}

/// Whether the step or script of `inner` was started below the launcher of `outer`: the id of the
/// job, which that launcher always sets, is the step's. Or that launcher runs on the host on which
/// the job was submitted, and this is no node of the step or job.
RANKMAP_RARE constexpr bool is_step_below(const Record& inner, const Record& outer,
                                          const EnvironmentView& variables) {
  const bool is_job = inner.state == RecordState::complete || inner.state == RecordState::no_task;
  if (!is_job || outer.state != RecordState::complete) return false;
  const std::string_view own = inner.row.own_namespace;
  if (inner.checked.set_job_id && outer.row.has_new_job_id && !own.empty() &&
      first_set(outer.row.job_id, variables).value.starts_with(own)) {
    return true;
  }
  return !outer.host.empty() && outer.host == submit_host_of(inner, variables) &&
         lists_host(inner.row, variables, outer.host) == false;
}

/// A step below the only other launcher: what the two show says nothing of a third one. A bare rank
/// under names of the outer one is no third. nullptr: there is no such step.
RANKMAP_RARE constexpr const Record* find_step_below(const Records& records,
                                                     const EnvironmentView& variables,
                                                     Proof& proof) {
  const Record* inner = nullptr;
  const Record* outer = nullptr;
  for (const Record& a : records) {
    for (const Record& b : records) {
      if (&a == &b || !is_step_below(a, b, variables)) continue;
      inner = &a;
      outer = &b;
    }
  }
  // A launcher that has no record, since the outer one reads its names, is a third.
  if (inner == nullptr || outer->shares_names_with != Launcher::none) return nullptr;
  for (const Record& third : records) {
    if (&third == inner || &third == outer) continue;
    const std::string_view id = third.row.job_id.first();
    const std::string_view rank = third.row.rank.names.first();
    const bool shares_names = (!id.empty() && id == outer->row.job_id.first()) ||
                              (!rank.empty() && rank == outer->row.rank.names.first());
    if (third.state != RecordState::incomplete || !shares_names) return nullptr;
  }
  proof = {ProofKind::step, inner->row.launcher, outer->row.launcher, 0, {}};
  return inner;
}

/// Whether the variables prove that `other` is not inner to `whole`, whose rival it is.
/// `has_process`: the processes above were asked, and do not order the two. Then agents are no
/// proof: a worker's own srun, one task a node, leaves what daemons leave. Without a process, a
/// script or a broken record says too little against a whole one.
RANKMAP_RARE constexpr bool is_declared_outer(const Record& other, const Record& whole,
                                              const EnvironmentView& variables, bool has_process) {
  if (is_step_below(other, whole, variables)) return false;
  const bool is_outer = other.row.launcher > whole.row.launcher;
  if (is_script_around(other, whole, variables)) return true;
  if (is_agent_record(other, whole)) return !has_process;
  if (other.state == RecordState::incomplete) {
    const bool is_seen = has_process && !other.row.starters.empty();
    const bool is_agent = !is_seen && !whole.checked.is_exported_over && may_be_agent(other, whole);
    return (is_outer && is_agent) || is_bare_rank_of(other, whole);
  }
  return other.state != RecordState::complete && is_outer && !has_process;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_DECLARED_ORDER_HPP
