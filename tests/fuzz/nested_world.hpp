// SPDX-License-Identifier: MIT
//
// The variables that each launcher of the table sets for one process of a job, whose numbers are
// known. Whoever builds worlds of nested launchers knows the truth from here, not from the library.
#ifndef RANKMAP_TESTS_FUZZ_NESTED_WORLD_HPP
#define RANKMAP_TESTS_FUZZ_NESTED_WORLD_HPP

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankmap_fuzz {

/// The six numbers of one process. -1: nobody says it, so that only -1 may be answered.
struct Numbers {
  int rank = -1;
  int world = -1;
  int local = -1;
  int here = -1;
  int node = -1;
  int nodes = -1;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

/// A job: how many processes run on each node, and how they are numbered.
struct Job {
  std::vector<int> counts = {1};
  bool cyclic = false;

  int nodes() const { return static_cast<int>(counts.size()); }
  int world() const { return std::accumulate(counts.begin(), counts.end(), 0); }
  /// The ranks of a node, ascending.
  std::vector<int> ranks_on(int node) const {
    std::vector<int> out;
    for (int rank = 0; rank != world(); ++rank) {
      if (node_of(rank) == node) out.push_back(rank);
    }
    return out;
  }
  int node_of(int rank) const {
    if (!cyclic) {
      int node = 0;
      while (rank >= counts[static_cast<std::size_t>(node)]) {
        rank -= counts[static_cast<std::size_t>(node++)];
      }
      return node;
    }
    for (int round = 0;; ++round) {
      for (int node = 0; node != nodes(); ++node) {
        if (counts[static_cast<std::size_t>(node)] > round && rank-- == 0) return node;
      }
    }
  }
  Numbers numbers_of(int rank) const {
    const int node = node_of(rank);
    const std::vector<int> here = ranks_on(node);
    const auto place = std::find(here.begin(), here.end(), rank) - here.begin();
    return {rank, world(), static_cast<int>(place), static_cast<int>(here.size()), node, nodes()};
  }
};

using Texts = std::map<std::string, std::string, std::less<>>;

/// One variable a line.
inline std::string lines_of(const Texts& variables) {
  std::string out;
  for (const auto& [name, text] : variables) out += name + '=' + text + '\n';
  return out;
}

/// What a launcher sets for one process.
struct Started {
  Texts set;
  std::vector<std::string_view> unset = {};
};

/// The row of a launcher, read once: worlds ask for it millions of times.
inline const rankmap::LauncherRow& kept_row(rankmap::Launcher launcher) {
  static const std::vector<rankmap::LauncherRow> rows = [] {
    std::vector<rankmap::LauncherRow> out;
    for (const rankmap::LauncherRow& row : rankmap::launchers) out.push_back(row);
    return out;
  }();
  return rows[static_cast<std::size_t>(launcher) - 2];
}

/// Writes what the launcher of a row sets. `id`: of the launch, so that two have nothing in common.
/// `hosts`: a name for each node. `variant`: what some versions and options of it do and others do
/// not. `submit_host`: where the launcher was called.
class RowWriter {
 public:
  RowWriter(const rankmap::LauncherRow& row, const Job& job, int rank, int id,
            std::vector<std::string> hosts, unsigned variant, std::string submit_host)
      : row_(row),
        job_(job),
        is_(job.numbers_of(rank)),
        id_(id),
        hosts_(std::move(hosts)),
        variant_(variant),
        submit_host_(std::move(submit_host)) {}

  Started write() {
    using rankmap::Launcher;
    if (row_.launcher == Launcher::slurm) {
      write_step();
      return std::move(out_);
    }
    write_numbers();
    for (const std::string_view name : row_.require_all) set_if_unset(name, "1");
    set_if_unset(row_.require_any.first(), "1");
    for (const rankmap::ExpectedText& expected : {row_.require_text, row_.role}) {
      set(expected.variable, std::string(expected.texts.first()));
    }
    set_if_unset(row_.detect_any.first(), "1");
    set(row_.host.first(), own_host());
    set_if_unset(row_.job_id.first(), std::to_string(id_));
    set(row_.address.first(), "10.0.0." + std::to_string(id_ % 250));
    set(row_.port.first(), std::to_string(20000 + id_));
    set(row_.agent_store_if, "True");
    switch (row_.launcher) {
      case Launcher::torchrun:
        set("TORCHELASTIC_RESTART_COUNT", "0");
        set("ROLE_RANK", number(is_.rank));
        set("ROLE_WORLD_SIZE", number(is_.world));
        break;
      case Launcher::spur:
        set("SPUR_NODE_RANK", number(is_.node));
        set("SPUR_NNODES", number(is_.nodes));
        break;
      case Launcher::verl:
        set("RAY_LOCAL_RANK", number(is_.local));
        break;
      case Launcher::ray:
        set("RAY_RAYLET_PID", number(4000 + id_));
        break;
      case Launcher::open_mpi:
      case Launcher::pmix:
        set("PMIX_RANK", number(is_.rank));
        set("PMIX_NAMESPACE", has(0) || row_.launcher == Launcher::pmix
                                  ? "prterun-" + own_host() + "-" + number(id_) + "@1"
                                  : number(id_) + "0001");
        if (has(0)) out_.set.erase("OMPI_MCA_orte_num_nodes");
        break;
      case Launcher::jsrun:
        if (has(0)) {  // Spectrum MPI
          set("OMPI_COMM_WORLD_RANK", number(is_.rank));
          set("OMPI_COMM_WORLD_SIZE", number(is_.world));
          set("OMPI_COMM_WORLD_LOCAL_RANK", number(is_.local));
          set("OMPI_COMM_WORLD_LOCAL_SIZE", number(is_.here));
        }
        break;
      case Launcher::pals:
        set("PMI_RANK", number(is_.rank));
        break;
      case Launcher::sge:
        set("JOB_NAME", "petask");
        set("NSLOTS", number(is_.world));
        break;
      case Launcher::pbs:
        set("PBS_TASKNUM", has(0) ? "2000000" + number(is_.rank % 10) : number(is_.rank + 2));
        break;
      case Launcher::elastic:
        set("PET_NNODES", "2");
        break;
      default:
        break;
    }
    return std::move(out_);
  }

 private:
  static std::string number(int value) { return std::to_string(value); }
  bool has(unsigned bit) const { return (variant_ >> bit & 1U) != 0; }
  void set(std::string_view name, std::string text) {
    if (!name.empty()) out_.set.insert_or_assign(std::string(name), std::move(text));
  }
  void set_if_unset(std::string_view name, const std::string& text) {
    if (!name.empty()) out_.set.emplace(std::string(name), text);
  }
  std::string own_host() const { return hosts_[static_cast<std::size_t>(is_.node)]; }
  std::string joined(const std::vector<std::string>& words) const {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
    return out;
  }

  void write_pmi() {
    set("PMI_RANK", number(is_.rank));
    set("PMI_SIZE", number(is_.world));
  }

  void write_source(const rankmap::ValueSource& source, int value) {
    using rankmap::ValueFormat;
    const auto all = [&](const std::string& text) {
      for (const std::string_view name : source.names) {
        if (name == source.names.first() || has(4)) set(name, text);
      }
    };
    switch (source.format) {
      case ValueFormat::number:
      case ValueFormat::number_or_word:
        all(number(value));
        break;
      case ValueFormat::number_from_1:
        all(number(value + 1));
        break;
      case ValueFormat::comma_count:
        all(joined(std::vector<std::string>(static_cast<std::size_t>(value), "8")));
        break;
      case ValueFormat::machine_count:
        all(joined(hosts_));
        break;
      case ValueFormat::json_list_count:
      case ValueFormat::json_list_index: {
        std::string list;
        for (const std::string& host : hosts_) list += (list.empty() ? "\"" : ",\"") + host + '"';
        all("[" + list + "]");
        break;
      }
      case ValueFormat::tf_config_index:
      case ValueFormat::tf_config_count: {
        std::string list;
        for (int i = has(0) ? 1 : 0; i < is_.nodes; ++i) list += list.empty() ? "\"w\"" : ",\"w\"";
        const bool is_chief = has(0) && is_.node == 0;
        const int index = has(0) && !is_chief ? is_.node - 1 : is_.node;
        const bool is_vertex = row_.launcher == rankmap::Launcher::vertex;
        const std::string chief = is_vertex ? "workerpool0" : "chief";
        const std::string worker = is_vertex ? "workerpool1" : "worker";
        all("{\"cluster\":{" + (has(0) ? "\"" + chief + "\":[\"c\"]," : "") + "\"" + worker +
            "\":[" + list + "]},\"task\":{\"type\":\"" + (is_chief ? chief : worker) +
            "\",\"index\":" + number(index) + "}}");
        break;
      }
      case ValueFormat::place_on_host:
      case ValueFormat::count_on_host:
        break;  // the list of the world
    }
  }

  void write_numbers() {
    using rankmap::Launcher;
    const bool is_worker = row_.level == rankmap::RecordLevel::worker;
    if (row_.launcher == Launcher::tpu_chip) {
      std::vector<std::string> addresses;
      for (int rank = 0; rank != is_.world; ++rank) {
        addresses.push_back(hosts_[static_cast<std::size_t>(job_.node_of(rank))] + ":" +
                            number(8476 + rank));
      }
      set("TPU_PROCESS_ADDRESSES", joined(addresses));
      set("TPU_PROCESS_PORT", number(8476 + is_.rank));
      set("CLOUD_TPU_TASK_ID", number(is_.rank));
      return;
    }
    if (is_worker) {
      write_source(row_.local_rank, is_.local);
      write_source(row_.local_world_size, is_.here);
      write_source(row_.node_rank, is_.node);
    }
    write_source(row_.node_count, is_.nodes);
    write_source(row_.world_size, is_worker ? is_.world : is_.nodes);
    write_source(row_.rank, is_worker ? is_.rank : is_.node);
    if (const std::string_view instead = row_.world_size.key;
        !instead.empty() && row_.world_size.format == rankmap::ValueFormat::number) {
      // Hydra's mpiexec with -pmi-port, or without.
      const bool is_replaced = has(4) && has(5) && has(6);
      if (!is_replaced) out_.set.erase(std::string(instead));
      if (is_replaced) out_.set.erase(std::string(row_.rank.names.first()));
      if (is_replaced) out_.set.erase(std::string(row_.world_size.names.first()));
    }
    // What the row derives from others is set by hand, if at all.
    if (row_.nodes_of_one_size) {
      for (const std::string_view name : row_.rank.names) out_.set.erase(std::string(name));
    }
  }

  /// A step of Slurm as slurmstepd 24.11 writes it, or the batch script of a job.
  void write_step() {
    const std::string job = number(1000 + id_);
    set("SLURM_JOB_ID", job);
    set("SLURM_JOBID", job);
    set("SLURM_JOB_NODELIST", joined(hosts_));
    set("SLURM_SUBMIT_HOST", submit_host_);
    set("SLURMD_NODENAME", own_host());
    set("SLURM_TASK_PID", number(7000 + id_));
    set("SLURM_PROCID", number(is_.rank));
    set("SLURM_LOCALID", number(is_.local));
    set("SLURM_NODEID", number(is_.node));
    std::vector<std::string> ranks;
    for (const int rank : job_.ranks_on(is_.node)) ranks.push_back(number(rank));
    set("SLURM_GTIDS", joined(ranks));
    std::vector<std::string> counts;
    for (const int count : job_.counts) counts.push_back(number(count));
    set("SLURM_STEP_ID", number(id_ % 7));
    set("SLURM_STEPID", number(id_ % 7));
    set("SLURM_STEP_NUM_TASKS", number(is_.world));
    set("SLURM_STEP_NUM_NODES", number(is_.nodes));
    set("SLURM_STEP_NODELIST", joined(hosts_));
    set("SLURM_STEP_TASKS_PER_NODE", joined(counts));
    set("SLURM_NTASKS", number(is_.world));
    set("SLURM_DISTRIBUTION", job_.cyclic ? "cyclic" : "block");
    set("SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1");
    set("SLURM_UMASK", "0022");
    if (has(0)) {  // srun --mpi=pmi2
      write_pmi();
    } else if (has(1)) {  // srun --mpi=pmix
      set("PMIX_RANK", number(is_.rank));
      set("PMIX_NAMESPACE", "slurm.pmix." + job + "." + number(id_ % 7));
      set("PMIX_HOSTNAME", own_host());
    }
  }

  const rankmap::LauncherRow& row_;
  const Job& job_;
  Numbers is_;
  int id_;
  std::vector<std::string> hosts_;
  unsigned variant_;
  std::string submit_host_;
  Started out_;
};

/// A batch script of Slurm: one process. What sbatch was called with stays, as its numbers of a
/// step.
inline Started batch_script(int id, const std::string& host, const std::string& submit_host) {
  const std::string job = std::to_string(1000 + id);
  return {{{"SLURM_JOB_ID", job},
           {"SLURM_JOBID", job},
           {"SLURM_JOB_NODELIST", host},
           {"SLURM_SUBMIT_HOST", submit_host},
           {"SLURMD_NODENAME", host},
           {"SLURM_TASK_PID", std::to_string(7000 + id)},
           {"SLURM_PROCID", "0"},
           {"SLURM_LOCALID", "0"},
           {"SLURM_NODEID", "0"},
           {"SLURM_GTIDS", "0"}},
          {"SLURM_UMASK"}};
}

}  // namespace rankmap_fuzz

#endif  // RANKMAP_TESTS_FUZZ_NESTED_WORLD_HPP
