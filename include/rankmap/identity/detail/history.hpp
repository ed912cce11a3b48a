// SPDX-License-Identifier: MIT
// The history of a process: what the processes above it say about the records in its environment.
// Which of them set the variables of a record, and which has the name of its launcher.
#ifndef RANKMAP_IDENTITY_DETAIL_HISTORY_HPP
#define RANKMAP_IDENTITY_DETAIL_HISTORY_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/nesting.hpp>
#include <rankmap/identity/detail/processes_above.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A variable, and its setter: the nearest process that started without it, or with another text.
struct SetVariable {
  std::string_view name = {};
  std::string_view text = {};
  int setter = 0;  ///< its generation, if `is_found`
  bool is_found = false;
  bool is_exact = false;    ///< false: what the setter started with cannot be read
  bool is_new = false;      ///< the setter, or the next readable one above, lacked this text
  bool is_first = false;    ///< the setter is known to have started without it
  bool is_settled = false;  ///< nothing is left to ask
};

/// What the processes above this one say, for all questions of one resolution: it is read once.
class History {
  // Instantiated below, and therefore first.
  /// Calls `visit(names)` for the names of each number, and of what else the launcher sets. Where
  /// one of the latter is older than the numbers, somebody set the numbers anew.
  template <class Visit>
  constexpr void for_each_names_of(const Record& record, Visit&& visit) const {
    const LauncherRow& row = record.row;
    for (const Field field : number_fields) visit(names_of(record, field));
    visit(row.detect_any);
    visit(row.require_any);
    for (const std::string_view name : row.require_all) visit(name);
    visit(row.require_text.variable);
    if (record.checked.names_own_job || has_id_of_open_mpi_4(row)) visit(row.job_id);
    if (!row.has_new_job_id) visit(row.host);  // several launchers set PMIX_HOSTNAME
  }

 public:
  /// Views its arguments, and reads nothing yet. `records` may be read later.
  constexpr History(const EnvironmentView& variables, const Records& records)
      : variables_(variables), records_(records), processes_(variables, records) {}

  constexpr const EnvironmentView& variables() const { return variables_; }
  constexpr const Records& records() const { return records_; }

  /// The parent first; nothing: there is no process to ask.
  constexpr const std::optional<Ancestors>& ancestors() { return processes_.all(); }
  /// Whether the parent is a starter of the row by its name, as for most processes. No name further
  /// up is read for this.
  constexpr bool is_started_by(const LauncherRow& row) {
    return has_starter(row, processes_.parent());
  }

  RANKMAP_RARE constexpr NestingEvidence evidence_of(const Record& record) {
    find_setters();
    NestingEvidence out;
    const LauncherRow& row = record.row;
    out.generic = row.generic_names || record.checked.is_exported_over;
    out.starter = nearest(row);
    out.setter = generations();
    for_each_names_of(record, [&](const VariableNames& names) { add_setter(out, names); });
    if (uses_torch_names(row)) {
      // Who sets all of them sets LOCAL_RANK, which the record may lack.
      const NestingEvidence local = age_of("LOCAL_RANK");
      if (is_set_nearer(local, out)) out.companion = local.setter;
      out.generic = out.generic || out.companion != -1 || is_set_in_part(record, out.setter);
    }
    // A starter that found the same numbers set them anew, too: the variables do not show it.
    if (row.starters_set_all && out.starter != 0 && out.starter <= out.setter) {
      out.setter = out.starter;
      out.exact = true;
    }
    // Who set all names that only this launcher has, set the others too, even to the same texts.
    bool has_new_signs = !row.require_all.empty() && out.exact;
    for (const std::string_view name : row.require_all) {
      const NestingEvidence sign = age_of(name);
      has_new_signs = has_new_signs && sign.exact && sign.setter == out.setter;
    }
    if ((row.generic_names || row.is_set_beside) && !has_new_signs)
      out.spread = spread_of(record, out.setter);
    return out;
  }

  /// What is known of the setter of one variable. One of no record counts as set by this process,
  /// or above.
  RANKMAP_RARE constexpr NestingEvidence age_of(std::string_view variable) {
    find_setters();
    const SetVariable* const found = find(variable);
    if (found == nullptr) return {};
    if (!found->is_found) return {.setter = generations(), .exact = true};  // further up
    return {.setter = found->setter, .exact = found->is_exact};
  }

  /// Whether a number of a record is known to have been there before another one was set, and is no
  /// part of what set that: a starter of the launcher sets both, even to the same texts.
  RANKMAP_RARE constexpr bool is_older(const Record& record, Field number, Field other) {
    return is_older(record, record[number].variable, other);
  }
  RANKMAP_RARE constexpr bool is_older(const Record& record, std::string_view name, Field other) {
    const LauncherRow& row = record.row;
    const bool is_shared = row.starters_set_all || uses_torch_names(row);
    const bool may_be_older = row.generic_names || (is_shared && !is_started_by(row));
    if (name.empty() || !may_be_older) return false;
    const NestingEvidence later = age_of(record[other].variable);
    return is_set_nearer(later, age_of(name)) &&
           (later.setter == 0 || !is_starter_at(row, later.setter));
  }

  /// Whether what set a variable is known to have started without it.
  RANKMAP_RARE constexpr bool is_first(std::string_view variable) {
    find_setters();
    return find(variable) != nullptr && find(variable)->is_first;
  }

  /// Whether a variable is known to have been set later than all of a record.
  RANKMAP_RARE constexpr bool is_younger(std::string_view variable, const Record& record) {
    return is_set_nearer(age_of(variable), evidence_of(record));
  }

  /// Whether the process that set a record last is no launcher's by its name, and set no new id of
  /// a job with it.
  RANKMAP_RARE constexpr bool is_set_by_script(const Record& record) {
    const NestingEvidence evidence = evidence_of(record);
    if (!evidence.exact) return false;
    if (evidence.setter != 0 && is_any_starter_at(evidence.setter)) return false;
    const std::string_view id = new_id(record.row).name;
    return id.empty() || age_of(id).setter != evidence.setter;
  }

  /// The generation of the nearest process that has the name of any launcher; 0: there is none.
  RANKMAP_RARE constexpr int nearest_starter() {
    for (int generation = 1; generation < generations(); ++generation) {
      if (is_any_starter_at(generation)) return generation;
    }
    return 0;
  }

  /// The nearest process that has the name of the launcher and may have started this job; 0: none.
  /// One that was started with the job's id did not start the job. If the id is gone, neither did
  /// one that was started with the job's rank.
  RANKMAP_RARE constexpr int nearest(const LauncherRow& row) {
    Variable id = new_id(row);
    if (row.has_new_job_id && id.name.empty()) id = first_set(row.detect_any, variables_);
    for (int generation = 1; generation < generations(); ++generation) {
      if (!is_starter_at(row, generation)) continue;
      if (id.name.empty() || above(generation).started_with(id.name, id.value) != true) {
        return generation;
      }
    }
    return 0;
  }

  /// Precondition: 0 < generation, and a process of that generation is known.
  constexpr std::string_view name(int generation) const { return above(generation).name; }

 private:
  constexpr const Ancestor& above(int generation) const {
    return processes_[static_cast<std::size_t>(generation) - 1];
  }
  /// The number of processes that are known, this one among them.
  constexpr int generations() {
    return ancestors() ? static_cast<int>(ancestors()->size()) + 1 : 1;
  }

  constexpr bool is_starter_at(const LauncherRow& row, int generation) const {
    return has_starter(row, name(generation));
  }
  constexpr bool is_any_starter_at(int generation) const {
    for (RowsNaming rows(records_.known(), name(generation)); rows.next();) {
      if (is_starter_at(rows.row(), generation)) return true;
    }
    return false;
  }
  /// The variable with the id of a job, if no other start of the launcher has the same; empty:
  /// none.
  constexpr Variable new_id(const LauncherRow& row) const {
    return row.has_new_job_id ? first_set(row.job_id, variables_) : Variable();
  }
  /// Several launchers set an id of this name. One that is a plain number is Open MPI 4's.
  constexpr bool has_id_of_open_mpi_4(const LauncherRow& row) const {
    const std::string_view id = new_id(row).value;
    return !id.empty() && id.find_first_not_of("0123456789") == id.npos;
  }
  constexpr const SetVariable* find(std::string_view name) const {
    for (const SetVariable& variable : set_) {
      if (variable.name == name) return &variable;
    }
    return nullptr;
  }
  RANKMAP_RARE constexpr void ask_about(const VariableNames& names) {
    const auto [name, text] = first_set(names, variables_);
    if (!name.empty() && find(name) == nullptr) set_.push_back({name, text});
  }
  /// Reads once what each process started with, up to the one that set the oldest variable, and
  /// asks there what is still open.
  RANKMAP_RARE constexpr void find_setters() {
    if (has_setters_) return;
    has_setters_ = true;
    for (const Record& record : records_) {
      for_each_names_of(record, [this](const VariableNames& names) { ask_about(names); });
      ask_about(record.row.address);
      if (!uses_torch_names(record.row)) continue;
      ask_about("LOCAL_RANK");
      for (const std::string_view name : torchrun_copies) ask_about(name);
    }
    SmallVector<StartQuestion, 64> questions;
    for (int generation = 0; generation < generations(); ++generation) {
      questions.clear();
      for (const SetVariable& variable : set_) {
        if (!variable.is_settled) questions.push_back({variable.name, variable.text, {}});
      }
      if (questions.empty()) return;
      ask(generation, {questions.data(), questions.size()});
      const StartQuestion* question = questions.data();
      for (SetVariable& variable : set_) {
        if (variable.is_settled) continue;
        const bool was_unset = question->is_unset;
        const std::optional<bool> had = (question++)->is_same;
        if (!variable.is_found) {
          // What this process started with matters only if it can be read.
          if (had == true || (!had && generation == 0)) continue;
          variable.is_found = true;
          variable.is_exact = had.has_value();
          variable.setter = generation;
          variable.is_first = was_unset;
        }
        variable.is_settled = had.has_value();
        variable.is_new = had == false;
      }
    }
  }
  constexpr void ask(int generation, StartQuestions questions) const {
    if (generation == 0) return variables_.answer(questions);
    above(generation).answer(questions);
  }

  constexpr const SetVariable* find_set(const VariableNames& names) const {
    return find(first_set(names, variables_).name);
  }
  /// Whether the setter of a record set some of its variables anew and found others, and is no
  /// starter of it. A script does so: it leaves RANK as it is where it exports the same text.
  RANKMAP_RARE constexpr bool is_set_in_part(const Record& record, int setter) {
    bool has_new = false;
    bool has_old = false;
    for_each_names_of(record, [&](const VariableNames& names) {
      const SetVariable* const found = find_set(names);
      if (found == nullptr) return;
      const bool is_new = found->is_new && found->setter == setter;
      (is_new ? has_new : has_old) = true;
    });
    return has_new && has_old && (setter == 0 || !is_starter_at(record.row, setter));
  }

  /// How far above `nearest` the older one of rank and local rank was set, in generations.
  RANKMAP_RARE constexpr int spread_of(const Record& record, int nearest) {
    int out = 0;
    for (const Field field : {Field::rank, Field::local_rank}) {
      const int distance = age_of(record[field].variable).setter - nearest;
      if (distance > out) out = distance;
    }
    return out;
  }

  /// Takes the nearest setter of the variables of a record. A launcher sets all of its own, but one
  /// around it may have set some of them to the same texts.
  RANKMAP_RARE constexpr void add_setter(NestingEvidence& out, const VariableNames& names) const {
    const SetVariable* const found = find_set(names);
    if (found == nullptr || !found->is_found || found->setter > out.setter) return;
    if (!found->is_exact && found->setter == out.setter) return;
    out.exact = found->is_exact;
    out.setter = found->setter;
  }

  const EnvironmentView& variables_;
  const Records& records_;
  ProcessesAbove processes_;
  bool has_setters_ = false;
  SmallVector<SetVariable, 64> set_;  // more than any real nesting asks for
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_HISTORY_HPP
