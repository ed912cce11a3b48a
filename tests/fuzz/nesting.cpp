// SPDX-License-Identifier: MIT
//
// Nested launchers. The bytes choose a world: steps from the outermost to this process, each a
// launcher of the table with a job of its own, a shell that exports names which anyone may export,
// or one that takes variables away; and what can be seen of the processes above. Topology has to
// give what was said last, or an error: never another number.
//
// The truth:
// - Whoever sets rank, world size and local rank makes a statement: a launcher, or a script that
//   exports RANK, WORLD_SIZE, LOCAL_RANK and what else is there of torch's names. The statement
//   that was made last is true, of all its numbers, whether its variables hold them or not.
// - A statement of which neither a rank nor a world size is left, nor a local rank with a local
//   size, is true or counts as never made: variables that somebody takes away whole were not meant
//   for what he starts. If a part is left, the statement is true and only cannot be read. The
//   single process of a starter without numbers, or of a batch script, is one as well.
// - A batch script is one process. A pod, a machine or an array task is no process: without a
//   statement below it, it is an error, or a single process with a warning. Of a single one, or of
//   a starter without numbers, the process may be single.
// - Without a statement, a process is single.
//
// Worlds that leave what others leave, of which something else is true, are not played:
// - A statement gives rank or world size a new text, and both where it sets torch's names.
// - Torch's names are set twice, and a bare rank of PMI or PMIx at all, only where every process
//   can be read.
// - Numbers without a local rank are those of a launcher, not what a script repeats of another one.
// - Below a step that sets one of torch's names, whoever exports some of them exports all five.
// - Where there is no process to see, launchers stand in the order of the table, the last one
//   outside. Where not every process can be seen, one process a node, which may be the agents of
//   another launcher, is outside that.
// - What takes variables away leaves those of Open MPI and PMIx.
#include "fuzz.hpp"
#include "nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/detail/record_relation.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/topology.hpp>

#include "../support/summary.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::CheckKind;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::RecordLevel;
using rankmap::Topology;
using rankmap::detail::uses_torch_names;
using rankmap_fuzz::Bytes;
using rankmap_fuzz::Job;
using rankmap_fuzz::kept_row;
using rankmap_fuzz::Numbers;
using rankmap_fuzz::require;
using rankmap_fuzz::Started;
using rankmap_fuzz::Texts;

// ---- the steps, as the bytes choose them

/// Names that anyone may export, in the order of `Step::names`.
constexpr std::string_view torch_names[] = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                                            "NODE_RANK"};

constexpr bool is_one_of(Launcher launcher, std::initializer_list<Launcher> list) {
  return std::find(list.begin(), list.end(), launcher) != list.end();
}

struct Step {
  enum class Kind { launcher, script, exports, removes, shell };
  Kind kind = Kind::shell;
  const LauncherRow* row = nullptr;
  Job job;
  int rank = 0;
  int id = 0;
  unsigned variant = 0;
  bool is_remote = false;   ///< a daemon starts it: what called the launcher is not above
  bool leaves_own = true;   ///< a shell stays above what it starts, rather than to become it
  bool is_readable = true;  ///< the environment of its process
  bool is_inside = false;   ///< sets the variables itself, after it has started
  std::string_view name;    ///< of its process
  std::string_view caller;  ///< of the process above that; empty: none
  unsigned names = 0;       ///< exports: which of `torch_names`
  unsigned target = 0;      ///< removes: whose variables, counted from the innermost statement
  unsigned mask = 0;        ///< removes: which of them; 0: all

  bool makes_statement() const {
    const bool is_whole = (names & 7U) == 7 || ((names & 2U) != 0 && job.world() == 1);
    return kind == Kind::launcher || kind == Kind::script || (kind == Kind::exports && is_whole);
  }
  bool sets_torch_names() const {
    return kind == Kind::exports || (kind == Kind::launcher && uses_torch_names(*row));
  }
};

enum class Sight { process, nothing, all };
struct World {
  std::vector<Step> steps;
  bool offers_ancestors = true;
  std::size_t seen = 32;  ///< ancestors
  bool knows_inside = true;
  bool daemons_readable = false;
  unsigned open_mpi_5 = 0;  ///< one version in a world: 5 leaves a number that 4 has set
  unsigned spectrum = 0;    ///< one jsrun in a world, which sets Open MPI's names or does not
};

/// What Windows starts has no processes above, and no launcher below or above it; what Slurm's
/// plugins set under the names of ALPS hides a real one.
constexpr bool is_left_out(const LauncherRow& row) {
  return row.launcher == Launcher::ms_mpi || row.launcher == Launcher::alps ||
         row.launcher == Launcher::dmlc || row.launcher == Launcher::pmi;
}

/// A daemon of the machine starts its processes, whoever called it.
constexpr bool is_by_daemon(const LauncherRow& row) {
  return is_one_of(row.launcher,
                   {Launcher::slurm, Launcher::pals, Launcher::jsrun, Launcher::lsf, Launcher::pbs,
                    Launcher::sge, Launcher::flux, Launcher::condor, Launcher::spur_step});
}
constexpr bool has_even_nodes(const LauncherRow& row) {
  return row.nodes_of_one_size || row.launcher == Launcher::lightning;
}
/// Stands around everything, as a container does.
constexpr bool is_container(const LauncherRow& row) {
  return row.level != RecordLevel::worker ||
         is_one_of(row.launcher, {Launcher::modal, Launcher::elastic});
}

const std::vector<const LauncherRow*>& rows(bool containers) {
  static const auto list = [](bool wanted) {
    std::vector<const LauncherRow*> out;
    for (const LauncherRow& row : rankmap::launchers) {
      if (!is_left_out(row) && is_container(row) == wanted) {
        out.push_back(&kept_row(row.launcher));
      }
    }
    return out;
  };
  static const auto workers = list(false);
  static const auto pods = list(true);
  return containers ? pods : workers;
}

std::string_view one_name(std::string_view list, int which) {
  const auto names = rankmap_fuzz::split(list, ',');
  return names[static_cast<std::size_t>(which) % names.size()];
}

Job job_of(Bytes& bytes, bool block, bool even) {
  Job job;
  const int shape = bytes.in(0, 15);
  const int nodes = shape % 4 == 3 ? 1 : shape % 4 + 1;
  const int most = bytes.in(1, 3);
  job.counts.assign(static_cast<std::size_t>(nodes), most);
  if (!even) {
    for (int& count : job.counts) count = bytes.in(1, most);
  }
  job.cyclic = !block && shape >= 12;
  return job;
}

/// The launchers that people nest; the others are met less often.
constexpr Launcher usual[] = {Launcher::torchrun, Launcher::slurm,   Launcher::open_mpi,
                              Launcher::hydra,    Launcher::pmix,    Launcher::slurm,
                              Launcher::torchrun, Launcher::open_mpi};

Step launcher_step(Bytes& bytes, bool is_first) {
  Step step;
  step.kind = Step::Kind::launcher;
  const int which = bytes.byte();
  if (which < 120) {
    step.row = &kept_row(usual[which % 8]);
  } else {
    const auto& list = rows(is_first && which >= 220);
    step.row = list[static_cast<std::size_t>(bytes.byte()) % list.size()];
  }
  // Lightning starts no processes where another launcher has set RANK.
  if (step.row->launcher == Launcher::lightning && !is_first) {
    step.row = &kept_row(Launcher::composer);
  }
  const LauncherRow& row = *step.row;
  const bool even = has_even_nodes(row);
  step.job = job_of(bytes, row.node_by_node || even, even);
  if (row.check == CheckKind::alone) step.job = Job{{1}, false};
  step.rank = bytes.in(0, step.job.world() - 1);
  step.variant = bytes.byte();
  const int shape = bytes.byte();
  step.is_readable = (shape & 3) != 0;
  step.is_remote = is_by_daemon(row) || (shape & 4) != 0;
  // Some are called by other names: old torchruns are python3, and anyone may rename a program.
  const bool is_known = !row.starters.empty() && (shape & 0x38) != 0;
  step.name = is_known ? one_name(row.starters, shape >> 6)
                       : one_name("python3,sh,my-launcher", shape >> 6);
  const bool is_ray = is_one_of(row.launcher, {Launcher::ray_train, Launcher::verl});
  if (is_ray) step.name = "raylet";
  step.is_inside = is_ray || (row.launcher == Launcher::lightning && (shape & 0x80) != 0);
  if (row.launcher == Launcher::hydra && !step.is_remote) {
    step.caller = one_name("mpiexec.hydra,mpiexec,mpirun", bytes.byte());
  }
  return step;
}

Step shell_step(Bytes& bytes) {
  Step step;
  const int what = bytes.in(0, 7);
  const int shape = bytes.byte();
  step.leaves_own = (shape & 1) != 0;
  step.is_readable = (shape & 6) != 0;
  step.is_inside = (shape & 0x30) == 0x30;
  step.name = one_name("bash,train.sh,python3,timeout", shape >> 6);
  if (what < 4) {
    step.kind = Step::Kind::exports;
    step.job = job_of(bytes, false, false);
    step.rank = bytes.in(0, step.job.world() - 1);
    constexpr unsigned sets[] = {7, 15, 31, 7, 15, 1, 3, 6, 4, 2};
    const unsigned names = bytes.byte();
    step.names = names < 200 ? sets[names % 10] : names % 32 | 7U;
  } else if (what == 4) {
    step.kind = Step::Kind::removes;
    step.target = bytes.byte();
    step.mask = bytes.byte() % 2 == 0 ? 0 : static_cast<unsigned>(bytes.word());
  } else if (what == 5) {
    step.kind = Step::Kind::script;
    step.row = &kept_row(Launcher::slurm);
    step.is_remote = true;
    step.name = "slurmstepd";
    step.is_inside = false;
  }
  return step;
}

const LauncherRow& row_of(const Step& step) {
  return step.row != nullptr ? *step.row : kept_row(Launcher::torch_env);
}

bool sets_a_torch_name(const Step& step) {
  if (step.kind == Step::Kind::exports) return true;
  if (step.row == nullptr) return false;
  const LauncherRow& row = *step.row;
  return std::any_of(std::begin(torch_names), std::end(torch_names), [&](std::string_view name) {
    return row.rank.names.has(name) || row.world_size.names.has(name) ||
           row.local_rank.names.has(name) || row.local_world_size.names.has(name) ||
           row.node_rank.names.has(name);
  });
}

/// Changes what would leave no trace.
void be_visible(World& world) {
  auto& steps = world.steps;
  const auto first = std::find_if(steps.begin(), steps.end(), sets_a_torch_name);
  for (auto step = first; step != steps.end(); ++step) {
    if (step != first && step->kind == Step::Kind::exports) step->names = 31;
  }
  const auto sets = [](const Step& step) { return step.sets_torch_names(); };
  const auto is_bare = [](const Step& step) { return step.row != nullptr && step.row->is_bare; };
  if (std::count_if(steps.begin(), steps.end(), sets) > 1 ||
      std::any_of(steps.begin(), steps.end(), is_bare)) {
    world.offers_ancestors = world.knows_inside = world.daemons_readable = true;
    world.seen = 32;
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      step->is_readable = step->leaves_own = true;
      step->is_remote = step->row != nullptr && is_by_daemon(*step->row);
    }
  }
  if (world.offers_ancestors) return;
  std::vector<Step*> places;
  for (Step& step : steps) {
    if (step.makes_statement()) places.push_back(&step);
  }
  std::vector<Step> sorted;
  for (const Step* const step : places) sorted.push_back(*step);
  const auto order = [](const Step& a, const Step& b) {
    return row_of(a).launcher > row_of(b).launcher;
  };
  std::stable_sort(sorted.begin(), sorted.end(), order);
  for (std::size_t i = 0; i != sorted.size(); ++i) *places[i] = sorted[i];
}

World world_of(Bytes& bytes) {
  World world;
  const int launchers = bytes.in(1, 4);
  const int sight = bytes.byte();
  world.offers_ancestors = sight % 8 != 0;
  if (sight % 8 == 1) world.seen = static_cast<std::size_t>(sight / 8 % 4);
  world.knows_inside = (sight & 0x40) == 0;
  world.daemons_readable = (sight & 0x80) != 0;
  const int versions = bytes.byte();
  world.open_mpi_5 = static_cast<unsigned>(versions % 2);
  world.spectrum = static_cast<unsigned>(versions / 2 % 2);
  for (int i = 0; i != launchers; ++i) {
    for (int shells = bytes.byte() % 8; shells > 5; --shells) {
      world.steps.push_back(shell_step(bytes));
    }
    Step step = launcher_step(bytes, world.steps.empty());
    // verl is in Ray already, and a worker of Ray's that starts Ray joins the cluster that it is
    // in.
    const auto is_verl = [](const Step& before) {
      return before.row != nullptr && before.row->launcher == Launcher::verl;
    };
    if (step.row->launcher == Launcher::ray &&
        std::any_of(world.steps.begin(), world.steps.end(), is_verl)) {
      step.row = &kept_row(Launcher::composer);
    }
    // One agent on each node of the next one.
    if (i != 0 && bytes.byte() % 4 == 0) {
      for (auto before = world.steps.rbegin(); before != world.steps.rend(); ++before) {
        if (before->kind != Step::Kind::launcher) continue;
        before->job = Job{std::vector<int>(static_cast<std::size_t>(step.job.nodes()), 1), false};
        before->rank = step.job.node_of(step.rank);
        break;
      }
    }
    world.steps.push_back(std::move(step));
  }
  for (int shells = bytes.byte() % 8; shells > 4; --shells) {
    world.steps.push_back(shell_step(bytes));
  }
  be_visible(world);
  int id = 0;
  for (Step& step : world.steps) {
    step.id = ++id;
    if (step.row == nullptr) continue;
    if (step.row->launcher == Launcher::open_mpi) {
      step.variant = (step.variant & ~1U) | world.open_mpi_5;
    } else if (step.row->launcher == Launcher::jsrun) {
      step.variant = (step.variant & ~1U) | world.spectrum;
    }
  }
  return world;
}

// ---- what a world leaves in the process

struct Variable {
  std::string text;
  int writer = 0;   ///< the id of the step that set it last
  int changer = 0;  ///< of the step that gave it this text
};
using Variables = std::map<std::string, Variable, std::less<>>;

struct Process {
  std::string_view name;
  std::string start;
  bool is_readable;
};

/// An Environment with its ancestors.
struct Seen {
  Texts variables;
  std::optional<std::vector<Process>> above;  ///< parent first
  std::optional<std::vector<std::string>> set_inside;

  std::optional<std::string_view> operator()(std::string_view name) const {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return std::string_view(found->second);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [name, text] : variables)
      visit(std::string_view(name), std::string_view(text));
  }
  std::optional<Ancestors> ancestors() const {
    if (!above) return std::nullopt;
    Ancestors out;
    for (const Process& process : *above) {
      Ancestor ancestor{process.name};
      if (process.is_readable) {
        ancestor.start = rankmap::RecordedEnvironment(std::string_view(process.start));
      }
      out.add(ancestor);
    }
    return out;
  }
  std::optional<bool> started_with(std::string_view name) const {
    if (!set_inside) return std::nullopt;
    return std::find(set_inside->begin(), set_inside->end(), name) == set_inside->end();
  }
};

bool is_number_of(const Step& step, std::string_view name) {
  const LauncherRow& row = row_of(step);
  return name == row.rank.names.first() || name == row.world_size.names.first();
}

/// Plays the steps.
class Play {
 public:
  explicit Play(const World& world) : world_(world) {
    for (std::size_t i = 0; i != world.steps.size(); ++i) {
      is_last_ = i + 1 == world.steps.size();
      play(world.steps[i]);
    }
  }

  Seen seen() const {
    Seen out;
    for (const auto& [name, variable] : now_) out.variables.emplace(name, variable.text);
    if (world_.offers_ancestors) {
      out.above.emplace(above_.rbegin(), above_.rend());
      if (out.above->size() > world_.seen) out.above->resize(world_.seen);
    }
    if (world_.knows_inside) out.set_inside = set_inside_;
    return out;
  }
  const Variables& variables() const { return now_; }
  /// Whether rank or world size are new, and both where others set the names, too.
  bool leaves_trace(const Step& step) const {
    const auto has = [&](const std::vector<int>& ids) {
      return std::find(ids.begin(), ids.end(), step.id) != ids.end();
    };
    return !has(same_) || (has(new_) && !uses_torch_names(row_of(step)));
  }

 private:
  void play(const Step& step) {
    switch (step.kind) {
      case Step::Kind::launcher:
      case Step::Kind::script:
        begin_launcher(step);
        break;
      case Step::Kind::exports:
        begin_shell(step);
        for (std::size_t i = 0; i != std::size(torch_names); ++i) {
          if ((step.names >> i & 1U) == 0) continue;
          const Numbers is = step.job.numbers_of(step.rank);
          const int numbers[] = {is.rank, is.world, is.local, is.here, is.node};
          set(step, torch_names[i], std::to_string(numbers[i]));
        }
        break;
      case Step::Kind::removes:
        begin_shell(step);
        remove(step);
        break;
      case Step::Kind::shell:
        begin_shell(step);
        break;
    }
  }

  void begin_shell(const Step& step) {
    is_inside_ = is_last_ && step.is_inside;
    if (!is_inside_ && step.leaves_own) add_process(step.name, step.is_readable);
  }

  void begin_launcher(const Step& step) {
    is_inside_ = false;
    const std::string from = host_;
    if (step.is_remote) {
      above_ = {{"systemd", "", world_.daemons_readable}, {"sshd", "", world_.daemons_readable}};
      above_.push_back({step.name, "", step.is_readable && world_.daemons_readable});
      keep_some(step);
    } else {
      if (!step.caller.empty()) add_process(step.caller, step.is_readable);
      add_process(step.name, step.is_readable);
    }
    if (step.kind == Step::Kind::script) {
      host_ = "h" + std::to_string(step.id * 10);
      write(step, rankmap_fuzz::batch_script(step.id, host_, from));
      add_process("slurm_script", step.is_readable);
      return;
    }
    std::vector<std::string> hosts;
    const int own = step.job.node_of(step.rank);
    for (int node = 0; node != step.job.nodes(); ++node) {
      const bool is_here = node == own && !step.is_remote;
      hosts.push_back(is_here ? host_ : "h" + std::to_string(step.id * 10 + node));
    }
    host_ = hosts[static_cast<std::size_t>(own)];
    Started started =
        rankmap_fuzz::RowWriter(*step.row, step.job, step.rank, step.id, hosts, step.variant, from)
            .write();
    if (step.is_inside) {
      if (step.name == "raylet") set(step, "RAY_RAYLET_PID", std::to_string(4000 + step.id));
      if (step.row->launcher == Launcher::verl) {
        write(step, started);
        started.set = {{"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"}};
      }
      is_inside_ = is_last_;
      if (!is_inside_) add_process("ray::Worker", step.is_readable);
    }
    write(step, started);
  }

  /// What ssh takes to another machine: nothing, but where a launcher forwards all. Slurm and the
  /// others with daemons take all, or what they are told to.
  void keep_some(const Step& step) {
    if (is_by_daemon(*step.row) ? step.variant < 240 : step.variant % 2 == 0) return;
    std::erase_if(now_, [&](const auto& entry) {
      return step.variant % 3 == 0 || entry.first.size() % 3 == step.variant / 3 % 3;
    });
  }

  void remove(const Step& step) {
    std::vector<int> writers;
    for (const auto& [name, variable] : now_) writers.push_back(variable.writer);
    std::sort(writers.rbegin(), writers.rend());
    writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
    if (writers.empty()) return;
    const int target = writers[step.target % writers.size()];
    const Step& whose = world_.steps[static_cast<std::size_t>(target) - 1];
    // The process of a prterun whose rank is gone has the name of mpirun's, too.
    if (whose.row != nullptr &&
        is_one_of(whose.row->launcher, {Launcher::open_mpi, Launcher::pmix})) {
      return;
    }
    const bool is_whole = step.mask == 0 || whose.kind == Step::Kind::script ||
                          (whose.row != nullptr && whose.row->launcher == Launcher::pbs);
    unsigned at = 0;
    std::erase_if(now_, [&](const auto& entry) {
      // Without it, a step is in block order.
      if (!is_whole && entry.first == "SLURM_DISTRIBUTION") return false;
      return entry.second.writer == target && (is_whole || (step.mask >> (at++ % 32) & 1U) != 0);
    });
  }

  void write(const Step& step, const Started& started) {
    for (const std::string_view name : started.unset) now_.erase(std::string(name));
    for (const auto& [name, text] : started.set) set(step, name, text);
  }
  void set(const Step& step, std::string_view name, const std::string& text) {
    Variable& variable = now_[std::string(name)];
    variable.writer = step.id;
    const bool is_same = variable.changer != 0 && variable.text == text;
    if (is_number_of(step, name)) (is_same ? same_ : new_).push_back(step.id);
    if (is_same) return;
    if (is_inside_) set_inside_.emplace_back(name);
    variable = {text, step.id, step.id};
  }
  void add_process(std::string_view name, bool is_readable) {
    std::string start;
    for (const auto& [variable, value] : now_) start += variable + '=' + value.text + '\n';
    above_.push_back({name, std::move(start), is_readable});
  }

  const World& world_;
  Variables now_;
  std::vector<Process> above_;  ///< the outermost first
  std::vector<std::string> set_inside_;
  std::vector<int> new_;   ///< steps that set a rank or a world size to another text
  std::vector<int> same_;  ///< or to the same
  std::string host_ = "login";
  bool is_last_ = false;
  bool is_inside_ = false;
};

// ---- the truth

constexpr Numbers alone = {0, 1, 0, 1, 0, 1};

/// How many of these the step was the last to set.
int left_of(const Variables& now, const Step& step, const rankmap::VariableNames& names) {
  int out = 0;
  for (const std::string_view name : names) {
    const auto found = now.find(name);
    out += found != now.end() && found->second.writer == step.id;
  }
  return out;
}

bool has_no_numbers(const LauncherRow& row) {
  return row.rank.names.empty() && row.world_size.names.empty();
}

/// Whether enough of the statement is left to count, as one of the launcher of `row`.
bool is_left(const Variables& now, const Step& step, const LauncherRow& row) {
  if (step.kind == Step::Kind::script) {
    return left_of(now, step, "SLURM_PROCID,SLURM_NODEID,SLURM_JOB_ID") == 3 &&
           left_of(now, step, "SLURMD_NODENAME,SLURM_TASK_PID,SLURM_LOCALID") == 3;
  }
  const auto has_all = [&](const auto& names) {
    return std::all_of(names.begin(), names.end(),
                       [&](std::string_view name) { return now.contains(name); });
  };
  const bool is_detected = left_of(now, step, row.detect_any) != 0;
  if (uses_torch_names(row)) {
    const bool is_whole = left_of(now, step, "RANK,WORLD_SIZE,LOCAL_RANK") == 3;
    if (step.job.world() == 1 && left_of(now, step, "WORLD_SIZE") != 0) return true;
    if (row.generic_names || !is_detected) return is_whole;
  } else {
    if (!is_detected || !has_all(row.require_all)) return false;
    if (!row.require_any.empty() && left_of(now, step, row.require_any) == 0) return false;
    const bool may_be_script = is_one_of(row.launcher, {Launcher::pbs, Launcher::sge});
    if (may_be_script && (!has_all(rankmap::variables_of(row.check)) || !has_all(row.rank.names)))
      return false;
  }
  return has_no_numbers(row) || left_of(now, step, row.rank.names) != 0 ||
         left_of(now, step, row.world_size.names) != 0 ||
         (left_of(now, step, row.local_rank.names) != 0 &&
          left_of(now, step, row.local_world_size.names) != 0);
}

/// Whether enough of the statement is left to count. jsrun with Spectrum MPI makes Open MPI's too.
bool is_left(const Variables& now, const Step& step) {
  const LauncherRow& row = row_of(step);
  return is_left(now, step, row) ||
         (row.launcher == Launcher::jsrun && is_left(now, step, kept_row(Launcher::open_mpi)));
}

/// Whether a batch script, or a starter without numbers that started a single process, has left
/// some of its variables.
bool is_single_in_part(const Variables& now, const Step& step) {
  if (step.kind == Step::Kind::script) return left_of(now, step, {"SLURM_PROCID"}) != 0;
  return step.row != nullptr && has_no_numbers(*step.row) && step.job.world() == 1 &&
         left_of(now, step, step.row->detect_any) != 0;
}

bool agrees(std::optional<int> said, int is) { return !said || *said == is; }
bool has_worker_numbers(const Topology& topology, const Numbers& numbers) {
  return topology.rank() == numbers.rank && topology.world_size() == numbers.world &&
         topology.local_rank() == numbers.local &&
         agrees(topology.local_world_size(), numbers.here);
}
bool has_numbers(const Topology& topology, const Numbers& numbers) {
  return has_worker_numbers(topology, numbers) && agrees(topology.node_rank(), numbers.node) &&
         agrees(topology.node_count(), numbers.nodes);
}

/// Whether the answer is what was said last.
bool is_true(const World& world, const Play& play, const Topology& answer) {
  const Variables& now = play.variables();
  for (auto step = world.steps.rbegin(); step != world.steps.rend(); ++step) {
    if (!step->makes_statement()) continue;
    const LauncherRow& row = row_of(*step);
    const bool is_process = step->kind != Step::Kind::script && row.level == RecordLevel::worker;
    const Numbers said = step->job.numbers_of(step->rank);
    const bool is_said =
        is_process && !has_no_numbers(row) ? has_numbers(answer, said) : has_numbers(answer, alone);
    if (!is_left(now, *step)) {
      if (is_said && (is_process ? !has_no_numbers(row) : is_single_in_part(now, *step)))
        return true;
      if (is_single_in_part(now, *step)) return is_said;
      continue;
    }
    if (is_process || step->kind == Step::Kind::script) return is_said;
    const bool is_warned = !answer.warnings().empty();
    return is_said && (row.level == RecordLevel::array || said.nodes == 1 || is_warned);
  }
  return has_numbers(answer, alone);
}

/// Whether the world is none that looks like another one, see above.
bool is_played(const World& world, const Play& play) {
  int with_torch_names = 0;
  for (auto step = world.steps.begin(); step != world.steps.end(); ++step) {
    if (step->is_remote && with_torch_names > 1) return false;
    with_torch_names += step->sets_torch_names();
    if (!step->makes_statement() || step->kind == Step::Kind::script) continue;
    const LauncherRow& row = row_of(*step);
    if (has_no_numbers(row)) continue;
    if (!play.leaves_trace(*step)) return false;
    const Numbers own = step->job.numbers_of(step->rank);
    const auto hides = [&](const Step& outer) {
      if (!outer.makes_statement()) return false;
      const Numbers is = outer.job.numbers_of(outer.rank);
      const bool repeats = is.rank == own.rank && is.world == own.world;
      const bool may_be_agents = own.here == 1 && row_of(outer).agents != rankmap::Agents::none;
      return (repeats && row.local_rank.names.empty()) ||
             (may_be_agents && !(world.offers_ancestors && world.seen == 32));
    };
    if (std::any_of(world.steps.begin(), step, hides)) return false;
  }
  return true;
}

// ---- what has to hold

std::string description(const World& world, const Seen& seen) {
  std::string out;
  for (const Step& step : world.steps) {
    const Numbers is = step.job.numbers_of(step.rank);
    constexpr std::string_view kinds[] = {"launcher", "script", "exports", "removes", "shell"};
    out += kinds[static_cast<std::size_t>(step.kind)];
    if (step.row != nullptr) out += ' ' + std::string(name(step.row->launcher));
    for (const int number : {is.rank, is.world, is.local, is.here, is.node, is.nodes}) {
      out += ' ' + std::to_string(number);
    }
    out += step.is_remote ? " remote " : " ";
    out += std::string(step.name) + "; ";
  }
  out += "\nabove:";
  if (!seen.above) out += " not offered";
  if (seen.above) {
    for (const Process& process : *seen.above) {
      out += ' ' + std::string(process.name) + (process.is_readable ? "" : "?");
    }
  }
  for (const auto& [name, text] : seen.variables) out += '\n' + name + '=' + text;
  return out;
}

unsigned known_of_job(const Topology& topology) {
  return (topology.node_count() ? 1U : 0U) | (topology.layout() ? 2U : 0U) |
         (topology.hosts().empty() ? 0U : 4U);
}

/// The answer, which is the truth or a refusal.
rankmap::Result<Topology> answer_of(const World& world, const Play& play) {
  const Seen seen = play.seen();
  rankmap::Result<Topology> result = Topology::from_environment(seen);
  if (!result) {
    rankmap_fuzz::require_good_error(result.error(), 1U << 20U);
    rankmap_fuzz::tally("refused");
    return result;
  }
  require(is_true(world, play, *result), "what was said last is believed, or nothing",
          std::string(rankmap_test::summary(result).view()) + '\n' + description(world, seen));
  rankmap_fuzz::tally("right");
  return result;
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  Bytes bytes(input);
  World world = world_of(bytes);
  const Play play(world);
  if (!is_played(world, play)) return tally("not played");
  const auto first = answer_of(world, play);

  // Another process of the innermost job.
  const auto last = std::find_if(world.steps.rbegin(), world.steps.rend(),
                                 [](const Step& step) { return step.makes_statement(); });
  if (last == world.steps.rend() || last->job.world() == 1) return;
  last->rank = (last->rank + bytes.in(1, last->job.world() - 1)) % last->job.world();
  const Play other(world);
  if (!is_played(world, other)) return;
  const auto second = answer_of(world, other);
  if (first && second) {
    require(known_of_job(*first) == known_of_job(*second), "all processes know the same of the job",
            std::string(rankmap_test::summary(first).view()) + " | " +
                std::string(rankmap_test::summary(second).view()) + '\n' +
                description(world, other.seen()));
  }
  if (first.has_value() != second.has_value()) tally("refused by one of two");
}
