// SPDX-License-Identifier: MIT
// Traces of a launcher in a process that has no record: numbers under names that end like those of
// ranks, and leftovers of known launchers. Such a process may be one of many, and is not told in
// silence that it is alone.
#ifndef RANKMAP_IDENTITY_DETAIL_TRACES_HPP
#define RANKMAP_IDENTITY_DETAIL_TRACES_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A name that is one of these words, or ends in '_' and one, looks like that of a rank. Whose each
/// word is, and why the names below are none: docs/launchers.md#traces-of-other-launchers.
inline constexpr std::string_view rank_words[] = {
    "RANK",           "LRANK",        "MPIRANK",    "RANKID",        "RANK_ID",     "PROCID",
    "LOCALID",        "PMI_ID",       "PROCESS_ID", "PROCESS_INDEX", "TASK_ID",     "TASK_INDEX",
    "WORKER_ID",      "WORKER_INDEX", "TRAINER_ID", "NODE_INDEX",    "REPLICA",     "REPLICA_INDEX",
    "MP_CHILD",       "LAMRANK",      "GMPI_ID",    "ALLOC_INDEX",   "REPLICA_IDX", "ROLE_IDX",
    "LAUNCHER_PLACE", "ORDINAL",      "POD_INDEX",  "NETSTART",
};

/// The same for names that are no traces, although a word above or the launcher table has them.
inline constexpr std::string_view harmless_names[] = {
    "ARRAY_TASK_ID",     "SGE_TASK_ID",    "AZ_BATCH_TASK_ID", "CI_NODE_INDEX",
    "CIRCLE_NODE_INDEX", "JEST_WORKER_ID", "VITEST_WORKER_ID", "TEST_WORKER_INDEX",
    "LORA_RANK",         "FLUX_JOB_SIZE",  "FLUX_JOB_NNODES",  "PBS_NP",
};

/// What a known launcher sets beside the variables of its row. They are no traces of another one.
struct Companion {
  std::string_view variable;
  Launcher launcher;
};
inline constexpr Companion companions[] = {
    {"ROLE_RANK", Launcher::torchrun},
    {"HOROVOD_CROSS_RANK", Launcher::horovod},
    {"OMPI_COMM_WORLD_NODE_RANK", Launcher::open_mpi},
    {"PMI_ID", Launcher::mvapich2},
    {"BATCH_NODE_INDEX", Launcher::gcp_batch},
    {"DISBATCH_CYLINDER_RANK", Launcher::task_pool},
    {"DISBATCH_ENGINE_RANK", Launcher::task_pool},
    {"PBS_NODENUM", Launcher::pbs},
    {"AWS_BATCH_JOB_MAIN_NODE_INDEX", Launcher::aws_batch},
    {"MF_WORKER_REPLICA_INDEX", Launcher::metaflow},
};

/// Whether a name is `word`, or ends in '_' and `word`.
constexpr bool ends_in_word(std::string_view variable, std::string_view word) {
  if (variable.size() < word.size()) return false;
  const std::size_t rest = variable.size() - word.size();
  return variable.substr(rest) == word && (rest == 0 || variable[rest - 1] == '_');
}
template <std::size_t Count>
constexpr bool ends_in_any(std::string_view variable, const std::string_view (&words)[Count]) {
  for (const std::string_view word : words) {
    if (ends_in_word(variable, word)) return true;
  }
  return false;
}

/// Whether a name is no trace. INDEX may be anything's, and is read only beside other names.
constexpr bool is_harmless(std::string_view variable) {
  return variable == "INDEX" || ends_in_any(variable, harmless_names);
}

/// Whether the text of a source is its number.
constexpr bool is_number(const ValueSource& source) {
  return source.format == ValueFormat::number || source.format == ValueFormat::number_from_1;
}

/// Whether the row reads this number as that of one of many: an index, or a number of processes
/// above 1. The size of an allocation does not count: a single process has it, too. The index of an
/// array does: without a count it is not known to be one.
constexpr bool reads_as_one_of_many(const LauncherRow& row, std::string_view variable,
                                    std::uint64_t number) {
  for (const Field field : number_fields) {
    const ValueSource& source = source_of(row, field);
    if (!is_number(source) || !source.names.has(variable)) continue;
    const bool is_index =
        field == Field::rank || field == Field::local_rank || field == Field::node_rank;
    if (is_index || (row.level == RecordLevel::worker && number > 1)) return true;
  }
  return false;
}

/// What the launcher table knows of a variable.
struct KnownVariable {
  bool known = false;     ///< a launcher sets it
  bool reported = false;  ///< there is a record of that launcher, or it is not to be reported
  bool of_many = false;   ///< it is a number of a process that is one of many
  Launcher launcher = Launcher::none;  ///< the only one that reads it as such
};
RANKMAP_RARE constexpr KnownVariable look_up_in_table(std::string_view variable,
                                                      std::uint64_t number, const Records& records,
                                                      const LauncherSet& excluded) {
  KnownVariable out;
  const auto belongs_to = [&](Launcher launcher) {
    out.known = true;
    out.reported = out.reported || excluded.has(launcher) || records.find(launcher) != nullptr;
  };
  for (const Companion& companion : companions) {
    if (companion.variable != variable) continue;
    belongs_to(companion.launcher);
    out.of_many = true;
    out.launcher = companion.launcher;
  }
  for (RowsNaming rows(records.known(), variable); rows.next();) {
    const LauncherRow& row = rows.row();
    const bool reads = reads_as_one_of_many(row, variable, number);
    if (reads || row.detect_any.has(variable)) belongs_to(row.launcher);
    if (reads) {
      out.launcher = out.of_many ? Launcher::none : row.launcher;
      out.of_many = true;
    }
  }
  return out;
}

/// Collects the first traces in the order of their names, whatever the order of the environment.
class Traces {
 public:
  static constexpr std::size_t limit = 4;

  RANKMAP_RARE constexpr void add(std::string_view variable, Launcher launcher, bool known) {
    std::size_t at = 0;
    while (at != size_ && items_[at].variable.view() < variable) ++at;
    if (at == limit || (at != size_ && items_[at].variable.view() == variable)) return;
    if (size_ != limit) ++size_;
    for (std::size_t i = size_ - 1; i != at; --i) items_[i] = items_[i - 1];
    items_[at] = {variable, launcher, known};
  }
  RANKMAP_RARE constexpr void write(IdentityData& data, const EnvironmentView& variables) const {
    for (std::size_t i = 0; i != size_; ++i) {
      const Trace& trace = items_[i];
      const auto text = shortened(variables.text_or_empty(trace.variable));
      data.warnings.add(
          trace.known ? Warning{trace.variable, text, leftover, leftover_remedy, trace.launcher}
                      : Warning{trace.variable, text, unknown, unknown_remedy});
    }
  }

 private:
  static constexpr std::string_view unknown =
      "the variables of a known launcher too: it looks like a rank of a launcher that rankmap does "
      "not know";
  static constexpr std::string_view unknown_remedy =
      "set RANKMAP_LAUNCHERS, or RANK, WORLD_SIZE and LOCAL_RANK, or RANKMAP_LAUNCHER=none "
      "if alone; in the program, pass Config::rank, ::world_size, ::local_rank";
  static constexpr std::string_view leftover =
      "more of its launcher's variables: alone it gives no rank";
  static constexpr std::string_view leftover_remedy =
      "start the process with that launcher, or unset it if it was inherited; in the program, pass "
      "Config::rank, ::world_size and ::local_rank";

  struct Trace {
    StaticString<63> variable;
    Launcher launcher = Launcher::none;
    bool known = false;
  };
  Trace items_[limit] = {};
  std::size_t size_ = 0;
};

/// Adds a warning for each of the first traces to `data`. `unknown_only`: a launcher was found, and
/// its processes may be the daemons of one that is not known.
/// Cost: one pass over the environment, if it can be listed; the texts that are numbers are
/// compared with the launcher table. No allocation.
RANKMAP_RARE constexpr void warn_of_traces(IdentityData& data, const Records& records,
                                           const LauncherSet& excluded,
                                           const EnvironmentView& variables,
                                           bool unknown_only = false) {
  Traces traces;
  variables.for_each([&](std::string_view variable, std::string_view text) {
    const Number number = parse_number(text.substr(0, text.find(' ')));
    if (!number || number.value > INT32_MAX) return;
    if (variable.size() > 63 || !is_plain(variable, "_")) return;  // 63: what a Warning keeps
    const KnownVariable found = look_up_in_table(variable, number.value, records, excluded);
    if (found.known && unknown_only) return;
    const bool trace =
        found.known ? found.of_many && !found.reported : ends_in_any(variable, rank_words);
    if (!trace || is_harmless(variable)) return;
    traces.add(variable, found.launcher, found.known);
  });
  traces.write(data, variables);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_TRACES_HPP
