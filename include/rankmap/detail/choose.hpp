// SPDX-License-Identifier: MIT
//
// Which record speaks for this process: the innermost complete one, or a reason why none does.
#ifndef RANKMAP_DETAIL_CHOOSE_HPP
#define RANKMAP_DETAIL_CHOOSE_HPP

#include <rankmap/config.hpp>
#include <rankmap/detail/draft.hpp>
#include <rankmap/detail/record.hpp>
#include <rankmap/detail/relation.hpp>
#include <rankmap/detail/small_buffer.hpp>
#include <rankmap/detail/variables.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Which later rows name themselves by a variable that a row names itself by, found once and for
/// all: DeepSpeed's RANK is not a second identity beside torchrun's.
struct SharedNames {
  bool shared[launcher_count][launcher_count] = {};

  constexpr SharedNames() {
    constexpr Field identity[] = {Field::rank, Field::world_size, Field::local_rank};
    // Every including file works this table out, so texts are compared only where length and ends
    // agree.
    struct Name {
      std::string_view text;
      std::size_t ends = 0;
      std::size_t row = 0;
    };
    Name names[3 * launcher_count];
    std::size_t count = 0;
    for (std::size_t row = 0; row != launcher_count; ++row) {
      for (const Field field : identity) {
        const std::string_view text = source_of(launchers[row], field).names.list[0];
        if (text.empty()) continue;
        const auto first = static_cast<unsigned char>(text.front());
        const auto last = static_cast<unsigned char>(text.back());
        const std::size_t ends = text.size() << 16U | std::size_t{first} << 8U | last;
        for (std::size_t i = 0; i != count; ++i) {
          if (names[i].ends == ends && names[i].text == text) shared[names[i].row][row] = true;
        }
        names[count++] = {text, ends, row};
      }
    }
  }
};
inline constexpr SharedNames shared_names;

/// Every record that an environment holds, in the order of the launcher table. A variable speaks
/// for one record only, the innermost.
class Records {
 public:
  constexpr Records(const Variables& variables, const Config& config) {
    FieldSet given;
    for (const GivenNumber& number : given_numbers) {
      if (config.*number.member) given.add(number.field);
    }
    for (std::size_t row = 0; row != launcher_count; ++row) {
      if (claimed_[row] || !has_evidence(launchers[row], variables)) continue;
      // What is excluded keeps its variables: without torchrun its RANK is nobody else's.
      for (std::size_t other = row + 1; other < launcher_count; ++other) {
        claimed_[other] = claimed_[other] || shared_names.shared[row][other];
      }
      if (is_excluded(launchers[row].launcher, config)) continue;
      items_.push_back(read_record(launchers[row], variables, given));
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
  static constexpr bool is_excluded(Launcher launcher, const Config& config) {
    for (const Launcher excluded : config.exclude) {
      if (excluded == launcher) return true;
    }
    return false;
  }
  bool claimed_[launcher_count] = {};
  SmallBuffer<Record, 8> items_;  // more than any real nesting leaves
};

/// The variable that a record was recognised by.
constexpr std::string_view evidence_of(const Record& record, const Variables& variables) {
  std::string_view text;
  return first_set(record.row->evidence, variables, text);
}

/// What a text of `field`, one that a record may require, should have been, with the bound where
/// another field of the record sets it.
constexpr Text<159> expectation(const Record& record, Field field) {
  switch (source_of(*record.row, field).reading) {
    case Reading::json_list_count:
    case Reading::json_list_index:
      return joined<159>("a JSON list of host names with that of ",
                         source_of(*record.row, Field::rank).key);
    case Reading::tf_config_count:
    case Reading::tf_config_index:
      return "a JSON object with a cluster and the task of a chief, master or worker in it";
    default:
      break;
  }
  if (field == Field::world_size || field == Field::local_world_size) {
    return "a decimal number in [1, 2147483648)";
  }
  const Field bound = field == Field::rank ? Field::world_size : Field::local_world_size;
  if (record[bound].known() && record[bound].number > 0) {
    return joined<159>("a decimal number in [0, ", record[bound].number, "), as ",
                       record[bound].variable, " says");
  }
  return "a decimal number in [0, 2147483648)";
}

/// Why a record cannot be used, as an error.
constexpr Error error_of(const Record& record, const Variables& variables) {
  Problem problem = record.problem;
  if (problem.variable.empty()) {
    problem.variable = problem.kind == Problem::Kind::missing
                           ? source_of(*record.row, problem.field).names.list[0]
                           : evidence_of(record, variables);
  }
  const std::string_view text = variables.text_or_empty(problem.variable);
  Text<159> ways_out(variables.has(problem.variable) ? "unset it" : "set it");
  if (record.row->level == Level::worker) {
    ways_out.append(", pass ").append(problem.kind == Problem::Kind::rejected
                                          ? "Config::rank, ::world_size and ::local_rank"
                                          : config_name(problem.field));
  }
  ways_out.append(", or exclude ").append(record.row->name).append(" by Config::exclude");
  switch (problem.kind) {
    case Problem::Kind::missing: {
      const std::string_view variable = source_of(*record.row, problem.field).names.list[0];
      const std::string_view found_by = evidence_of(record, variables);
      const auto wanted =
          joined<159>("the ", name(problem.field), " beside ", found_by, "=\"",
                      shortened(variables.text_or_empty(found_by)), "\" (", record.row->name, ")");
      const std::string_view remedy =
          record.row->lacks.empty() ? ways_out.view() : record.row->lacks;
      if (variable.empty()) {
        return error_unset(Errc::missing, config_name(problem.field), wanted, remedy);
      }
      if (const auto negative = variables(variable)) {  // what is not negative would have been read
        const bool alone = variable == found_by;
        return error_found(Errc::missing, variable, *negative,
                           alone ? expectation(record, problem.field) : wanted, remedy);
      }
      return error_unset(Errc::missing, variable, wanted, remedy);
    }
    case Problem::Kind::unreadable:
      return error_found(Errc::not_a_number, problem.variable, text,
                         expectation(record, problem.field), ways_out);
    case Problem::Kind::too_large:
      return error_found(Errc::number_too_large, problem.variable, text,
                         expectation(record, problem.field), ways_out);
    case Problem::Kind::too_small:
      return error_found(Errc::out_of_range, problem.variable, text,
                         expectation(record, problem.field), ways_out);
    case Problem::Kind::out_of_range: {
      const bool is_size = problem.field == Field::local_world_size;
      return error_found(is_size ? Errc::inconsistent : Errc::out_of_range, problem.variable, text,
                         is_size
                             ? joined<159>("at most ", record[problem.bound].number, ", as ",
                                           record[problem.bound].variable, " says")
                             : joined<159>("a decimal number in [0, ", record[problem.bound].number,
                                           "), as ", record[problem.bound].variable, " says"),
                         ways_out);
    }
    case Problem::Kind::none:
    case Problem::Kind::rejected:
      break;
  }
  if (record.state == RecordState::no_task) {
    return error_found(Errc::unknown_launcher, problem.variable, text,
                       joined<159>("a task of ", record.row->name, " (", problem.reason, ")"),
                       ways_out);
  }
  if (!variables.has(problem.variable)) {
    return error_unset(Errc::inconsistent, problem.variable, problem.reason, ways_out);
  }
  return error_found(Errc::inconsistent, problem.variable, text, problem.reason, ways_out);
}

/// Which record speaks for this process, if any, and whether it is that of a node.
struct Choice {
  const Record* record = nullptr;  ///< nullptr: a single process, or the caller's word alone
  bool not_distributed = false;    ///< `record` tells the historic local rank of -1
};

/// Whether the caller names rank and world size: then no record is needed.
constexpr bool is_given(const Config& config) {
  return config.rank.has_value() && config.world_size.has_value();
}

constexpr Error ambiguous_node(const Record& record, const Variables& variables) {
  const Value& index = record[Field::node_rank];
  const Value& count = record[Field::node_count];
  Text<159> expected("the identity of a process; this is one of a node (");
  expected.append(record.row->level == Level::node ? record.row->name : "RANK without LOCAL_RANK");
  expected.append(", index ").append_number(index.number);
  if (count.known()) expected.append(" of ").append_number(count.number);
  expected.append(')');
  return error_found(Errc::ambiguous, index.variable, variables.text_or_empty(index.variable),
                     expected,
                     "pass Config::one_process_per_node, or start the workers with a launcher");
}

/// Whether the record is that of a pod or machine which has others before it, of an unknown number.
constexpr bool is_uncounted(const Record& record) {
  return record.state == RecordState::node_level && !record[Field::node_count].known() &&
         record[Field::node_rank].number > 0;
}

constexpr Error ambiguous_count(const Record& alone, const Record& uncounted,
                                const Variables& variables) {
  const Value& index = uncounted[Field::node_rank];
  return error_found(
      Errc::ambiguous, index.variable, variables.text_or_empty(index.variable),
      joined<159>("0, as ", alone[Field::node_count].variable, " tells of one node (",
                  alone.row->name, ")"),
      joined<159>("drop ", alone.row->name, " or ", uncounted.row->name, " by Config::exclude"));
}

/// Whether an incomplete record names another place in the job than `complete`. Names that anyone
/// may export prove nothing; and where no companions tell who set it, a lone local number is a
/// leftover or somebody's choice of a device.
constexpr bool names_another_place(const Record& record, const Record& complete) {
  if (record.state != RecordState::incomplete || record.row->anyone_may_export) return false;
  const auto known = [&](Field field) { return record[field].known(); };
  const bool is_place = known(Field::rank) || known(Field::world_size) ||
                        (known(Field::local_rank) && known(Field::local_world_size));
  return (is_place || !record.row->companions.empty()) && !compare_identity(complete, record).agree;
}

/// Whether the order of nesting of two complete records cannot be told: a worker of torchrun that
/// starts mpirun and an mpirun that starts torchrun leave the same variables. Where the inner
/// record is one that survives into everything, or that of a pod alone, an incomplete other one may
/// have been started below it.
constexpr bool is_open(const Record& inner, const Record& outer) {
  const bool pod_of_one = inner.row->anyone_may_export && inner[Field::world_size].number == 1;
  if ((inner.row->survives_below || pod_of_one) && names_another_place(outer, inner)) return true;
  if (outer.state != RecordState::complete) return false;  // a node's never is
  if (outer.row->survives_below && !inner.row->anyone_may_export) return false;
  return inner.row->launcher < outer.row->launcher && relate(inner, outer) == Relation::conflict;
}

constexpr Error ambiguous_order(const Record& inner, const Record& outer,
                                const Variables& variables) {
  Field told = Field::rank;
  for (const Field field : {Field::local_rank, Field::world_size, Field::rank}) {
    const bool differs = inner[field].known() && inner[field].number != outer[field].number;
    if (outer[field].known() && (differs || !outer[told].known())) told = field;
  }
  const std::string_view variable = outer[told].variable;
  Text<159> expected("the same ");
  expected.append(name(told)).append(" as ").append(inner.row->name).append(" tells (");
  expected.append_number(inner[told].number);
  if (told == Field::rank) expected.append(" of ").append_number(inner[Field::world_size].number);
  expected.append("): either may have started the other");
  return error_found(Errc::ambiguous, variable, variables.text_or_empty(variable), expected,
                     joined<159>("name ", inner.row->name, " or ", outer.row->name,
                                 " by Config::launcher, or drop one by Config::exclude"));
}

/// Whether names that anyone may export repeat what a batch script sees: pyxis copies Slurm's
/// numbers into RANK and LOCAL_RANK of the scripts that it runs in a container, too.
constexpr bool repeats_script(const Record& record, const Records& records) {
  const Record* const script = records.find(RecordState::no_task);
  if (script == nullptr || !record.row->anyone_may_export) return false;
  const Agreement identity = compare_identity(*script, record);
  return identity.agree && identity.compared > 1;
}

/// The innermost complete record, or what stands in the place of one. Errors: what an inner record
/// leaves open is never answered by an outer one in silence.
constexpr Result<Choice> choose(const Records& records, const Variables& variables,
                                const Config& config) {
  if (config.launcher == Launcher::none || config.launcher == Launcher::given) return Choice{};
  if (config.launcher) {
    const Record* const forced = records.find(*config.launcher);
    if (forced == nullptr) {
      const LauncherRow& row = row_of(*config.launcher);
      return error_unset(Errc::unknown_launcher, row.evidence.list[0],
                         joined<159>("a record of ", row.name, ", which Config::launcher names"),
                         "start the process with it, or do not name a launcher");
    }
    if (forced->state == RecordState::complete || forced->state == RecordState::incomplete) {
      return Choice{forced};
    }
    if (forced->state == RecordState::node_level) {
      if (config.one_process_per_node) return Choice{forced};
      return ambiguous_node(*forced, variables);
    }
    if (forced->negative_local_rank) return Choice{forced, true};
    return error_of(*forced, variables);
  }

  const Record* const complete = records.find(RecordState::complete);
  if (is_given(config)) {
    return Choice{complete != nullptr ? complete : records.find(RecordState::incomplete)};
  }
  for (const Record& record : records) {
    if (&record == complete) break;
    if (record.state == RecordState::broken) return error_of(record, variables);
    // What started this process, inside the complete record, has left a torn one.
    if (complete != nullptr && names_another_place(record, *complete)) return Choice{&record};
  }
  if (complete != nullptr) {
    for (const Record& record : records) {
      if (is_open(*complete, record)) return ambiguous_order(*complete, record, variables);
    }
    return Choice{complete};
  }
  for (const Record& record : records) {
    if (record.state == RecordState::incomplete && !repeats_script(record, records)) {
      return Choice{&record};
    }
  }
  for (const Record& record : records) {
    if (record.state == RecordState::stale && !record.may_be_alone) {
      return error_of(record, variables);
    }
  }
  if (const Record* const node = records.find(RecordState::node_level)) {
    const bool alone = (*node)[Field::node_count].number == 1;
    for (const Record& other : records) {
      if (alone && is_uncounted(other)) return ambiguous_count(*node, other, variables);
    }
    if (config.one_process_per_node) return Choice{node};
    if (!alone) return ambiguous_node(*node, variables);
  }
  for (const Record& record : records) {
    if (record.negative_local_rank) return Choice{&record, true};
  }
  return Choice{};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_CHOOSE_HPP
