// SPDX-License-Identifier: MIT
//
// Nested launchers. The bytes choose a world: steps from the outermost to this process, each a
// launcher of the table with a job of its own, a shell that exports names which anyone may export,
// or one that takes variables away; and what can be seen of the processes above. Topology has to
// give the numbers of the innermost launcher, or an error: never another number.
//
// The truth:
// - Whoever sets rank, world size and local rank makes a statement: a launcher, or a script that
//   exports RANK, WORLD_SIZE and LOCAL_RANK. The statement that was made last is true, of all its
//   numbers, whether its variables hold them or not.
// - A statement of which neither a rank nor a world size is left, nor a local rank with a local
//   size, counts as never made: variables that somebody takes away whole were not meant for what he
//   starts. If a part is left, the statement is true and only cannot be read. The single process of
//   a starter without numbers, or of a batch script, is one as well, whatever part is left.
// - Where only such texts are left of a launcher's statement that were there before, the one before
//   it is right too. So is a single process where nothing is left of a step that a batch script
//   does not have.
// - A script that exports some of these names changes the numbers of whoever set the others. They
//   may be believed as they are then, or the next statement may.
// - A batch script is one process. A pod, a machine or an array task is no process: without a
//   statement below it, it is an error, except that a single one may be a single process. A starter
//   without numbers is one as well, but a single process gets a warning.
// - Without a statement, a process is single.
// - Where another order of the same steps leaves the same variables and the same processes, the
//   truth of either is right.
#include "fuzz.hpp"
#include "nested_world.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/topology.hpp>

#include "../support/summary.hpp"

#include <algorithm>
#include <cstddef>
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
    return kind == Kind::launcher || kind == Kind::script || kind == Kind::exports;
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

constexpr bool is_one_of(Launcher launcher, std::initializer_list<Launcher> list) {
  return std::find(list.begin(), list.end(), launcher) != list.end();
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
    step.names = names < 200 ? sets[names % 10] : names % 32;
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
  /// The variables without the names of hosts and of PMIx's jobs, which may be any. jsrun and
  /// blaunch run in a job of LSF, which may be one.
  Texts without_hosts() const {
    Texts out;
    for (const auto& [name, text] : variables) {
      std::string& kept = out[name];
      if (name == "PMIX_NAMESPACE" || name == "LSB_JOBID") continue;
      for (std::size_t at = 0; at != text.size(); ++at) {
        const bool is_host = text.compare(at, 5, "login") == 0;
        if (is_host)
          at += 4;
        else if (text[at] == 'h')
          at = (std::min)(text.find_first_not_of("0123456789", at + 1), text.size()) - 1;
        else
          kept += text[at];
      }
    }
    return out;
  }
  bool looks_like(const Seen& other) const {
    const auto is_like = [](const Process& a, const Process& b) {
      return a.name == b.name && a.is_readable == b.is_readable &&
             (!a.is_readable || a.start == b.start);
    };
    if (!above) return without_hosts() == other.without_hosts();
    return variables == other.variables && set_inside == other.set_inside &&
           above.has_value() == other.above.has_value() &&
           (!above || std::equal(above->begin(), above->end(), other.above->begin(),
                                 other.above->end(), is_like));
  }
};

const LauncherRow& row_of(const Step& step) {
  return step.row != nullptr ? *step.row : kept_row(Launcher::torch_env);
}
bool is_number_of(const Step& step, std::string_view name) {
  const LauncherRow& row = row_of(step);
  for (const auto* names :
       {&row.rank.names, &row.world_size.names, &row.local_rank.names, &row.detect_any}) {
    if (names->first() == name) return true;
  }
  return step.kind == Step::Kind::script;
}

/// Plays the steps.
class Play {
 public:
  /// `kept`: nothing else is taken away than what is not there. Null: what the steps take away.
  explicit Play(const World& world, const Seen* kept = nullptr) : world_(world), kept_(kept) {
    for (std::size_t i = 0; i != world.steps.size(); ++i) {
      is_last_ = i + 1 == world.steps.size();
      play(world.steps[i]);
    }
    if (kept == nullptr) return;
    std::erase_if(now_, [&](const auto& entry) { return !kept->variables.contains(entry.first); });
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
  /// Whether a step set one of the numbers of its statement to another text.
  bool has_changed(const Step& step) const {
    return std::find(changed_.begin(), changed_.end(), step.id) != changed_.end();
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
        if (kept_ == nullptr) remove(step);
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
    if (kept_ != nullptr) return;
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
    if (variable.changer != 0 && variable.text == text) return;
    if (is_number_of(step, name)) changed_.push_back(step.id);
    if (is_inside_) set_inside_.emplace_back(name);
    variable = {text, step.id, step.id};
  }
  void add_process(std::string_view name, bool is_readable) {
    std::string start;
    for (const auto& [variable, value] : now_) start += variable + '=' + value.text + '\n';
    above_.push_back({name, std::move(start), is_readable});
  }

  const World& world_;
  const Seen* kept_;
  Variables now_;
  std::vector<Process> above_;  ///< the outermost first
  std::vector<std::string> set_inside_;
  std::vector<int> changed_;
  std::string host_ = "login";
  bool is_last_ = false;
  bool is_inside_ = false;
};

// ---- the truth

constexpr Numbers alone = {0, 1, 0, 1, 0, 1};

bool has_torch_names(const LauncherRow& row) {
  return is_one_of(row.launcher,
                   {Launcher::torchrun, Launcher::deepspeed, Launcher::ray_train, Launcher::verl,
                    Launcher::composer, Launcher::lightning, Launcher::torch_env});
}

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
  if (has_torch_names(row)) {
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

bool is_whole_export(const Step& step) {
  return (step.names & 7U) == 7 || ((step.names & 2U) != 0 && step.job.world() == 1);
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

Numbers said_by(const Topology& topology) {
  return {topology.rank(), topology.world_size(), topology.local_rank(),
          topology.local_world_size().value_or(-1)};
}

bool is_alone(const Topology& topology) {
  return topology.launcher() == Launcher::none && has_numbers(topology, alone);
}

/// Whether RANK, WORLD_SIZE and LOCAL_RANK are believed as they are.
bool is_as_exported(const Topology& topology, const Variables& now) {
  const auto is = [&](std::string_view name, int number) {
    const auto found = now.find(name);
    return found == now.end() || found->second.text == std::to_string(number);
  };
  return topology.launcher() != Launcher::none && has_torch_names(kept_row(topology.launcher())) &&
         is("RANK", topology.rank()) && is("WORLD_SIZE", topology.world_size()) &&
         is("LOCAL_RANK", topology.local_rank());
}

/// Whether a launcher whose names others set too is believed as its variables are: who sets some of
/// them leaves the rest, and one launcher that sets all leaves the same. torchrun sets rank and
/// world size twice.
bool is_as_one_says(const Topology& topology, const Variables& now) {
  if (topology.launcher() == Launcher::none) return false;
  const LauncherRow& row = kept_row(topology.launcher());
  const auto text = [&](std::string_view name) {
    const auto found = now.find(name);
    return found == now.end() ? std::string_view() : std::string_view(found->second.text);
  };
  if (row.launcher == Launcher::torchrun &&
      ((!text("ROLE_RANK").empty() && text("ROLE_RANK") != text("RANK")) ||
       (!text("ROLE_WORLD_SIZE").empty() && text("ROLE_WORLD_SIZE") != text("WORLD_SIZE")))) {
    return false;
  }
  const auto is = [&](const rankmap::ValueSource& source, std::optional<int> number) {
    const std::string_view said = text(source.names.first());
    return !number || said.empty() || said == std::to_string(*number);
  };
  // Of jsrun, the names of Open MPI may be all that is left.
  const bool shares_names =
      has_torch_names(row) ||
      is_one_of(row.launcher, {Launcher::hydra, Launcher::pals, Launcher::pmi}) ||
      (row.launcher == Launcher::open_mpi && text("JSM_NAMESPACE_RANK").empty());
  return shares_names && is(row.rank, topology.rank()) &&
         is(row.world_size, topology.world_size()) && is(row.local_rank, topology.local_rank()) &&
         (!topology.warnings().empty() ||
          (is(row.local_world_size, topology.local_world_size()) &&
           is(row.node_rank, topology.node_rank()) && is(row.node_count, topology.node_count())));
}

/// Whether the step sets some of the names that the launcher reads, and was the last one to.
bool shares_names(const Variables& now, const Step& step, const Topology& topology) {
  if (topology.launcher() == Launcher::none) return false;
  const LauncherRow& row = kept_row(topology.launcher());
  return left_of(now, step, row.rank.names) != 0 || left_of(now, step, row.world_size.names) != 0;
}

/// Whether `launcher` may be named as the one of the step: whoever sets the names of several rows
/// is any of them, and so is a set of which some are gone.
bool is_launcher_of(const Variables& now, const Step& step, Launcher launcher) {
  if (launcher != Launcher::none) {
    const rankmap::LauncherRow& row = kept_row(launcher);
    if (left_of(now, step, row.rank.names.first()) != 0) return true;
  }
  if (step.kind == Step::Kind::exports) {
    return launcher != Launcher::none && has_torch_names(kept_row(launcher));
  }
  if (launcher == step.row->launcher) return true;
  if (launcher == Launcher::none) return false;
  if (has_torch_names(*step.row)) return has_torch_names(kept_row(launcher));
  switch (step.row->launcher) {
    case Launcher::slurm:
    case Launcher::flux:
    case Launcher::pals:
      return is_one_of(launcher, {Launcher::pmi, Launcher::pmix});
    case Launcher::hydra:
      return launcher == Launcher::pmi;
    case Launcher::jsrun:
      return launcher == Launcher::open_mpi;
    default:
      return false;
  }
}

/// Whether what is left of a statement is also true of a process with these numbers.
bool is_also_true_of(const Variables& now, const Step& step, const Numbers& numbers,
                     const Topology& topology) {
  const LauncherRow& row = row_of(step);
  const Numbers is = step.job.numbers_of(step.rank);
  const auto holds = [&](const rankmap::ValueSource& source, int mine, int other) {
    return mine == other || left_of(now, step, source.names) == 0;
  };
  return !has_no_numbers(row) && holds(row.rank, is.rank, numbers.rank) &&
         holds(row.world_size, is.world, numbers.world) &&
         holds(row.local_rank, is.local, numbers.local) &&
         (!topology.local_world_size() || holds(row.local_world_size, is.here, numbers.here));
}

/// Whether the topology is what the steps made true.
bool is_true(const World& world, const Play& play, const Topology& topology) {
  const Variables& now = play.variables();
  bool found = false;
  Numbers truth;
  for (auto step = world.steps.rbegin(); step != world.steps.rend(); ++step) {
    if (!step->makes_statement()) continue;
    // An export from which a name was taken away looks like one of the others.
    if (!found && step->kind == Step::Kind::exports &&
        (!is_whole_export(*step) || !is_left(now, *step))) {
      if (is_as_exported(topology, now)) return true;
      continue;
    }
    if (!found && !is_left(now, *step)) {
      const bool is_said =
          step->kind == Step::Kind::script ? has_numbers(topology, alone) : is_alone(topology);
      if (is_said && is_single_in_part(now, *step)) return true;
      continue;
    }
    // What agrees with the truth in all numbers may be named instead of it.
    if (found) {
      if (truth == alone && has_numbers(topology, alone)) return true;
      if (has_numbers(topology, truth) && is_launcher_of(now, *step, topology.launcher()) &&
          is_also_true_of(now, *step, truth, topology)) {
        return true;
      }
      continue;
    }
    if (!play.has_changed(*step)) {
      if (has_numbers(topology, step->job.numbers_of(step->rank))) return true;
      continue;
    }
    found = true;
    truth = step->job.numbers_of(step->rank);
    if (step->kind == Step::Kind::script) {
      if (is_alone(topology)) return true;
      continue;
    }
    if (step->row != nullptr && step->row->level != RecordLevel::worker) {
      const bool is_single = step->row->level == RecordLevel::array || truth.nodes == 1;
      return is_single && has_numbers(topology, alone);
    }
    if (has_no_numbers(row_of(*step))) {
      if (!has_numbers(topology, alone)) return false;
      return true;
    }
    if (truth == alone && has_numbers(topology, alone)) return true;
    if (has_numbers(topology, truth) && is_launcher_of(now, *step, topology.launcher()))
      return true;
  }
  return !found && has_numbers(topology, alone);
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

/// Whether the step gave no variable the text that it has.
bool is_old(const Variables& now, const Step& step) {
  return std::none_of(now.begin(), now.end(),
                      [&](const auto& entry) { return entry.second.changer == step.id; });
}

/// Whether all that is left of what a step of Slurm gave are variables that a batch script has too.
bool is_like_script(const Variables& now, const Step& step) {
  if (step.row == nullptr || step.row->launcher != Launcher::slurm) return false;
  Texts script = rankmap_fuzz::batch_script(0, "", "").set;
  for (const char* const option : {"SLURM_NTASKS", "SLURM_DISTRIBUTION"}) script[option] = "";
  return std::all_of(now.begin(), now.end(), [&](const auto& entry) {
    return entry.second.changer != step.id || script.contains(entry.first);
  });
}

/// Whether the answer is an outer statement, whose numbers are those of the inner one as far as
/// these are left: one launcher may leave both.
bool is_true_by_chance(const World& world, const Variables& now, const Topology& topology) {
  const Step* inner = nullptr;
  bool was_old = false;
  for (auto step = world.steps.rbegin(); step != world.steps.rend(); ++step) {
    if (!step->makes_statement()) continue;
    if (inner == nullptr) {
      if (is_left(now, *step)) inner = &*step;
      if (inner != nullptr && is_like_script(now, *inner) && is_alone(topology)) return true;
      was_old = inner != nullptr && inner->kind == Step::Kind::launcher && is_old(now, *inner);
      continue;
    }
    if (was_old && is_left(now, *step)) {
      if (step->kind == Step::Kind::script && is_alone(topology)) return true;
      if (has_numbers(topology, step->job.numbers_of(step->rank)) &&
          is_launcher_of(now, *step, topology.launcher())) {
        return true;
      }
      was_old = false;
    }
    // Where no processes are offered, a script's variables say too little against a whole record.
    const bool is_unseen_script = inner->kind == Step::Kind::script && !world.offers_ancestors;
    if (is_unseen_script && has_numbers(topology, step->job.numbers_of(step->rank))) return true;
    if (step->kind == Step::Kind::exports && is_as_exported(topology, now)) {
      if (is_also_true_of(now, *inner, said_by(topology), topology)) return true;
    }
    const Numbers numbers = step->job.numbers_of(step->rank);
    if (has_worker_numbers(topology, numbers) && is_launcher_of(now, *step, topology.launcher()) &&
        is_also_true_of(now, *inner, numbers, topology)) {
      return true;
    }
  }
  return false;
}

/// Whether the innermost statement was made under names that another launcher had set, and the
/// answer is what these say together.
bool is_true_of_shared_names(const World& world, const Play& play, const Topology& topology) {
  const Variables& now = play.variables();
  for (auto step = world.steps.rbegin(); step != world.steps.rend(); ++step) {
    if (!step->makes_statement()) continue;
    if (shares_names(now, *step, topology) && is_as_one_says(topology, now)) return true;
    const bool is_older = !world.offers_ancestors;  // or may be
    if (is_left(now, *step) && play.has_changed(*step) && !is_older &&
        !is_also_true_of(now, *step, said_by(topology), topology)) {
      return false;
    }
  }
  return false;
}

/// Whether another order of the steps leaves the same to see, and makes the answer true.
bool is_true_in_another_order(const World& world, const Seen& seen, const Topology& topology) {
  World other = world;
  for (std::size_t from = 0; from != world.steps.size(); ++from) {
    for (std::size_t to = 0; to != world.steps.size(); ++to) {
      other.steps = world.steps;
      Step moved = other.steps[from];
      other.steps.erase(other.steps.begin() + static_cast<std::ptrdiff_t>(from));
      other.steps.insert(other.steps.begin() + static_cast<std::ptrdiff_t>(to), moved);
      const Play play(other, seen.above ? nullptr : &seen);
      if (play.seen().looks_like(seen) && is_true(other, play, topology)) return true;
    }
  }
  return false;
}

unsigned known_of_job(const Topology& topology) {
  return (topology.node_count() ? 1U : 0U) | (topology.layout() ? 2U : 0U) |
         (topology.hosts().empty() ? 0U : 4U);
}

/// Whether names of a launcher are exported again with another launcher between the two.
bool is_exported_over_around(const World& world) {
  bool is_first = false;
  bool is_between = false;
  for (const Step& step : world.steps) {
    if (!step.makes_statement()) continue;
    const LauncherRow& row = row_of(step);
    const bool has_names = has_torch_names(row) || row.rank.names.has("RANK");  // Spur's node, too
    if (has_names && is_between) return true;
    is_first = is_first || has_names;
    is_between = is_first && !has_names;
  }
  return false;
}

/// Whether the nearest process above that is known to have started with RANK, WORLD_SIZE or
/// LOCAL_RANK had another text of one.
bool shows_change(const Seen& seen) {
  if (!seen.above) return false;
  for (const Process& process : *seen.above) {
    const rankmap::RecordedEnvironment start(std::string_view(process.start));
    bool has_one = false;
    for (const std::string_view name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) {
      const auto then = process.is_readable ? start(name) : std::nullopt;
      const auto now = seen.variables.find(std::string(name));
      if (then && now != seen.variables.end() && *then != now->second) return true;
      has_one = has_one || then;
    }
    if (has_one) return false;
  }
  return false;
}

/// Whether the last export may have been made by the launcher that had its names before: where RANK
/// is what it was, the processes above show the older of the two.
bool is_hidden(const World& world) {
  return is_exported_over_around(world) && !shows_change(Play(world).seen());
}

/// The answer, which is right or a refusal.
rankmap::Result<Topology> answer_of(const World& world) {
  const Play play(world);
  const Seen seen = play.seen();
  rankmap::Result<Topology> result = Topology::from_environment(seen);
  if (!result) {
    rankmap_fuzz::require_good_error(result.error(), 1U << 20U);
    rankmap_fuzz::tally("refused");
    return result;
  }
  if (is_true(world, play, *result)) {
    rankmap_fuzz::tally("right");
    return result;
  }
  if (is_true_by_chance(world, play.variables(), *result)) {
    rankmap_fuzz::tally("right by chance");
    return result;
  }
  if (is_true_of_shared_names(world, play, *result)) {
    rankmap_fuzz::tally("right by the names that two launchers set");
    return result;
  }
  const bool either = is_true_in_another_order(world, seen, *result);
  if (!either) {
    require(false, "the innermost launcher is believed, or none",
            std::string(rankmap_test::summary(result).view()) + '\n' + description(world, seen));
  }
  rankmap_fuzz::tally(seen.above ? "right in another order" : "right in another order, unseen");
  return result;
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  Bytes bytes(input);
  World world = world_of(bytes);
  if (is_hidden(world)) return;
  const auto first = answer_of(world);

  // Another process of the innermost job.
  const auto last = std::find_if(world.steps.rbegin(), world.steps.rend(),
                                 [](const Step& step) { return step.makes_statement(); });
  if (last == world.steps.rend() || last->job.world() == 1) return;
  const int last_rank = last->rank;
  last->rank = (last->rank + bytes.in(1, last->job.world() - 1)) % last->job.world();
  if (is_hidden(world)) return;
  const auto second = answer_of(world);
  // Of another job that left the same, each process may know something else.
  const bool is_of_last = first && second && first->launcher() == second->launcher() &&
                          first->rank() == last_rank && second->rank() == last->rank;
  if (is_of_last && last->kind == Step::Kind::launcher && !has_torch_names(*last->row)) {
    require(known_of_job(*first) == known_of_job(*second), "all processes know the same of the job",
            std::string(rankmap_test::summary(first).view()) + " | " +
                std::string(rankmap_test::summary(second).view()) + '\n' +
                description(world, Play(world).seen()));
  }
  if (first.has_value() != second.has_value()) rankmap_fuzz::tally("refused by one of two");
}
