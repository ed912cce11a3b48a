// SPDX-License-Identifier: MIT
// From an environment and the caller's Config to the identity of a process: reads every record,
// chooses one, fills in what follows, and reports how the others relate. It goes in steps, since a
// topology looks for the layout between two of them.
#ifndef RANKMAP_IDENTITY_DETAIL_RESOLVER_HPP
#define RANKMAP_IDENTITY_DETAIL_RESOLVER_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/cautions.hpp>
#include <rankmap/identity/detail/choose_record.hpp>
#include <rankmap/identity/detail/copied_record.hpp>
#include <rankmap/identity/detail/history.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/lost_record.hpp>
#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/older_names.hpp>
#include <rankmap/identity/detail/operator_words.hpp>
#include <rankmap/identity/detail/other_records.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/detail/require_launcher.hpp>
#include <rankmap/identity/detail/resolve_identity.hpp>
#include <rankmap/identity/detail/single_process.hpp>
#include <rankmap/identity/detail/traces.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The steps of one resolution, each once and in this order: choose, check, warn_of_record,
/// list_others, finish. Views its arguments; `data` is empty before.
class IdentityResolver {
 public:
  constexpr IdentityResolver(const EnvironmentView& variables, const Config& given, Need need,
                             IdentityData& data)
      : variables_(variables), stated_(given), need_(need), data_(data) {}

  constexpr const Config& config() const { return stated_.config; }
  /// The record that identifies this process; nullptr: none does.
  constexpr const Record* record() const { return record_; }
  constexpr const Records& records() const { return records_; }
  /// The record of which record() is a copy; nullptr: it is no copy.
  constexpr const Record* original() const { return original_; }
  /// Whether another record has the same numbers, so that nothing beyond these is known.
  constexpr bool is_shared() const { return is_shared_; }
  /// The record that may prove a layout; nullptr: it is incomplete, or may not be the inner one.
  constexpr const Record* placed() const {
    const bool incomplete = record_ != nullptr && record_->state == RecordState::incomplete;
    return incomplete || is_shared_ ? nullptr : original_ != nullptr ? original_ : record_;
  }

  /// The launch whose address `variable` may be, though the chosen record is of another launch.
  constexpr const Record* owner_of(std::string_view variable) {
    const bool is_settled = record_ == nullptr || is_shared_ || config().launcher;
    return is_settled ? nullptr : older_owner(variable, *record_, history_);
  }

  /// Chooses the record, and sets the numbers that it and the caller give.
  RANKMAP_RARE constexpr Optional<Error> choose() {
    const auto declared = declare_launchers(stated_.known, config().launchers, variables_);
    if (!declared) return declared.error();
    if (*declared != 0) data_.names = stated_.known.names();
    if (config().launchers.empty() && variables_.has(launcher_file_variable) &&
        !variables_.launcher_file().is_named) {
      data_.warnings.add({launcher_file_variable,
                          shortened(variables_.text_or_empty(launcher_file_variable)),
                          "to be read: these variables are not taken from the process itself",
                          "in the program, pass the text of the file as Config::launchers"});
    }
    if (const auto error = add_operator_words(variables_, stated_)) return error;
    if (const auto error = check_config_numbers(config())) return error;
    records_.read(variables_, stated_.known, config(), stated_.excluded);
    leave_out_older_sizes(records_, history_);
    if (!config().launcher) find_records_of_scripts(records_, history_);
    if (const auto error = check_launcher_word(stated_, records_, variables_)) return error;
    data_.operator_words = stated_.words;
    Choice choice;
    if (config().local_rank == -1) {
      choice.not_distributed = true;
    } else {
      Result<Choice> chosen = choose_record(history_, config(), need_);
      if (!chosen) return chosen.error();
      choice = *chosen;
      if (describes_process(config())) choice.not_distributed = false;
    }
    ProcessNumbers& numbers = data_.identity;
    if (config().tasks_per_node) numbers.allow_empty_nodes();
    data_.not_distributed = choice.not_distributed;
    data_.proof = choice.proof;
    if (describes_process(config())) data_.launcher = Launcher::config;
    if (choice.not_distributed) {
      shown_ = choice.record;
      return set_not_distributed(numbers, config());
    }
    if (fill_from_config_and_record(numbers, choice.record, config())) record_ = choice.record;
    if (is_pod_as_process()) numbers.forget_unless_given({Field::node_rank, Field::node_count});
    original_ = find_copied_record(record_, history_);
    forget_formulas(numbers, record_, records_, config().launcher.has_value());
    if (original_ != nullptr) fill_node_numbers(numbers, *original_);
    const bool is_exported = record_ != nullptr && record_->row.generic_names;
    const bool has_old_nodes =
        is_exported && !config().launcher && has_older_node_rank(*record_, history_);
    const bool has_old_count = has_old_nodes && numbers.knows(Field::node_count);
    if (has_old_nodes) numbers.forget_unless_given({Field::node_rank});
    if (is_exported && has_older_local_size(*record_, has_old_nodes, history_)) {
      numbers.forget_unless_given({Field::local_world_size});
    }
    if (record_ != nullptr) derive_rank_on_first_node(numbers, *record_, history_);
    is_shared_ = (choice.is_shared || has_old_count) && original_ == nullptr;
    if (is_shared_) forget_what_one_says(numbers, records_);
    shown_ = record_;
    if (record_ != nullptr) data_.launcher = record_->row.launcher;
    return complete_identity(numbers, record_, records_, config());
  }

  /// Refuses numbers that are missing, contradict each other, or have a rival; and a record that is
  /// of two launches, or of an older one than the last.
  RANKMAP_RARE constexpr Optional<Error> check() {
    ProcessNumbers& numbers = data_.identity;
    if (const auto error = check_required_fields(numbers, record_, records_, variables_, need_)) {
      if (need_ != Need::hint) return error;
      warn_instead(data_, *error);  // what there is stays certain
    }
    if (const auto error = find_contradiction(numbers)) return error;
    if (record_ == nullptr) return std::nullopt;
    const bool is_whole = record_->state == RecordState::complete;
    if (is_whole) {
      if (const auto error = check_given(*record_, config(), records_)) return error;
    }
    if (config().launcher) return std::nullopt;
    if (!describes_process(config())) {
      const bool is_settled = is_whole || data_.proof.kind != ProofKind::none;
      if (const auto error = check_names_agree(*record_, variables_)) return error;
      if (const auto error = check_no_rival(*record_, is_settled, numbers, history_)) return error;
      if (const auto error = check_no_younger_node(*record_, config(), numbers, history_)) {
        return error;
      }
    }
    if (const auto error = check_is_of_one_launch(*record_, config(), history_)) return error;
    const bool may_be_older = is_whole && !config().rank;
    return may_be_older ? check_is_youngest(*record_, stated_.excluded, history_) : std::nullopt;
  }

  /// Keeps the variable of each number that is set and not known: it is the reason.
  RANKMAP_RARE constexpr void say_what_is_unused() {
    for (const ConfigNumber& number : config_numbers) {
      const Value& value = (*record_)[number.field];
      if (value.variable.empty() || value.known() || data_.identity.knows(number.field)) continue;
      data_.identity.set_origin(number.field, {OriginKind::unknown, record_->row.launcher,
                                               value.variable, shortened(value.text)});
    }
  }

  /// Warns of what the chosen record has and cannot be used.
  RANKMAP_RARE constexpr void warn_of_record() {
    if (record_ == nullptr) return;
    if (config().launcher && record_->row.generic_names)
      warn_of_older_number(data_, *record_, history_);
    if (record_->warning.kind != Problem::Kind::none) {
      data_.warnings.add(warning_about(*record_, variables_));
      say_what_is_unused();
    }
    const Caution& doubt = record_->checked.doubt;
    bool is_doubted = doubt.variable.empty();  // or it is said already that it does not fit
    for (const Warning& warning : data_.warnings) {
      is_doubted = is_doubted || warning.variable == doubt.variable;
    }
    if (!is_doubted) {
      data_.warnings.add({.variable = doubt.variable,
                          .text = shortened(variables_.text_or_empty(doubt.variable)),
                          .reason = doubt.expected,
                          .doubt = doubt.doubt});
    }
    const bool is_pod = is_numbered_by_node(*record_, config());
    if (is_pod_as_process()) {
      const Value& index = (*record_)[Field::node_rank];
      data_.warnings.add({index.variable, shortened(index.text),
                          "a local rank beside it, unless each pod runs one process",
                          "set LOCAL_RANK=0 if it does; in the program, pass "
                          "Config::one_process_per_node"});
    } else if (is_pod) {
      warn_of_another_index(data_, *record_, records_, variables_);
    }
    if (!config().launcher && !describes_process(config())) {
      warn_of_other_number(data_, *record_, records_, !is_pod);
    }
  }

  /// Lists the other records.
  RANKMAP_RARE constexpr void list_others() {
    if (data_.not_distributed) {
      data_.identity.set_origin(Field::local_rank, origin_of_minus_one(shown_, variables_));
    }
    conflict_ = add_other_records(data_, records_, shown_);
  }

  /// Warns of what says that a process is not alone, and applies Config::require_launcher and
  /// ::strict.
  RANKMAP_RARE constexpr Optional<Error> finish() {
    const std::size_t first_trace = data_.warnings.size();
    if (data_.identity[Field::world_size] == 1 && !data_.not_distributed && !config().launcher) {
      warn_of_starter(data_, records_);
      if (record_ != nullptr) warn_of_others_of_one(data_, *record_, records_);
    }
    if (data_.launcher == Launcher::none && !config().launcher) {
      warn_of_traces(data_, records_, stated_.excluded, variables_);
      // One is enough.
      if (data_.warnings.size() == 0) warn_of_ignored(data_, stated_, variables_);
      if (data_.warnings.size() == 0) warn_of_lost_record(data_, stated_.excluded, history_);
    } else if (record_ != nullptr && !config().launcher &&
               data_.identity[Field::local_world_size] == 1) {
      // A worker of another launcher's daemon has the daemon's record; a pod may run such, too.
      warn_of_traces(data_, records_, stated_.excluded, variables_, true);
    }
    if (const auto error = check_required_launcher(data_, first_trace, stated_, variables_)) {
      return error;
    }
    if (const auto error = check_strict(data_, conflict_, variables_, config())) return error;
    if (record_ == nullptr) return std::nullopt;
    warn_of_caution(data_, *record_, history_);
    if (record_->row.generic_names) warn_of_copied_caution(data_, *record_, history_);
    if (record_->row.launcher == Launcher::torch_env && !config().launcher &&
        !describes_process(config())) {
      warn_of_another_rank(data_, *record_, records_);
    }
    return std::nullopt;
  }

 private:
  /// Whether the numbers of a pod serve as those of its one process.
  constexpr bool is_pod_as_process() const {
    return record_ != nullptr && record_->state == RecordState::node_level &&
           !config().one_process_per_node && numbers_a_process(*record_, need_);
  }

  const EnvironmentView& variables_;
  Statements stated_;
  Need need_;
  IdentityData& data_;
  Records records_;
  History history_{variables_, records_};
  const Record* record_ = nullptr;
  const Record* original_ = nullptr;  // of which the chosen one is a copy
  const Record* shown_ = nullptr;     // not among the others
  bool is_shared_ = false;            // as in Choice
  Optional<OtherRecord> conflict_;
};

/// The steps of an identity alone.
RANKMAP_RARE constexpr Optional<Error> resolve_numbers(const EnvironmentView& variables,
                                                       const Config& config, Need need,
                                                       IdentityData& data) {
  IdentityResolver resolver(variables, config, need, data);
  if (const auto error = resolver.choose()) return error;
  if (const auto error = resolver.check()) return error;
  resolver.warn_of_record();
  resolver.list_others();
  return resolver.finish();
}

/// The same, without an error where the caller needs none: then no number is known, and the error
/// is a warning.
constexpr Optional<Error> resolve_identity(const EnvironmentView& variables, const Config& config,
                                           Need need, IdentityData& data) {
  Optional<Error> error = resolve_numbers(variables, config, need, data);
  if (!error || need != Need::hint) return error;
  data = {};
  warn_instead(data, *error);
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_RESOLVER_HPP
