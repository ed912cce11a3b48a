// SPDX-License-Identifier: MIT
// What can be wrong with a job, as a table: the name of each fault and what to do about it. One
// file, since a fault is an enumerator and its row, and most lines are that list.
#ifndef RANKMAP_JOB_FINDING_HPP
#define RANKMAP_JOB_FINDING_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {
class FindingReport;
}  // namespace detail

/// How bad it is.
enum class Severity : std::uint8_t {
  note,     ///< no fault, but good to know
  warning,  ///< the job runs, not as it should
  error,    ///< the job fails, hangs or computes something else
};

constexpr std::string_view name(Severity severity) {
  return detail::enumerator("note\0warning\0error", severity);
}

/// What was found. docs/reference/job/finding.md has the exact definition of each.
enum class FindingKind : std::uint8_t {
  refused,             ///< processes could not tell which rank they are
  all_alone,           ///< several processes, each of which is rank 0 of 1
  lone_process,        ///< a process beside the ranks of a job is rank 0 of 1
  several_runs,        ///< every rank is several processes
  same_node_rank,      ///< two machines or containers have the ranks of one node
  same_rank,           ///< two processes are the same rank
  world_size_differs,  ///< processes of one job have different world sizes
  missing_ranks,       ///< ranks without a record; these are its ranks
  mixed_restarts,      ///< records of different restarts of one job
  several_jobs,        ///< records of different jobs
  job_ids_differ,      ///< the ranks of one world have different ids of the job
  unread_lines,        ///< torn records, or records of another version of rankmap
  wrong_launcher,      ///< the program's MPI is not the one that started it
  mixed_launchers,     ///< processes believe different launchers
  contradicted,        ///< variables of another launcher contradict the rank that is believed
  two_indices,         ///< a pod has two numbers
  shared_world,        ///< several programs share the world
  virtual_ranks,       ///< torchrun gave all workers of a node local rank 0
  replica_groups,      ///< the world is that of one replica group of several
  warned,              ///< processes have values that they could not use, or doubts
  rendezvous_differs,  ///< processes would meet at different places
  layout_differs,      ///< processes disagree on nodes, hosts or sizes
  place_conflict,      ///< two ranks claim one place, or a node is on two machines
  host_name_clash,     ///< two machines have one name
  containers,          ///< one machine has several names, or a node several PID namespaces
  split_machine,       ///< one machine is several nodes
  uneven_nodes,        ///< nodes have different numbers of ranks
  out_of_order,        ///< the ranks of a node do not follow each other
  leaves_domain,       ///< a group of ranks that should be in one domain is in several
  duplicate_device,    ///< two ranks use one device
  shared_device,       ///< the same, on purpose
  device_parts,        ///< two ranks use parts of one device
  likely_duplicate,    ///< two ranks use one of several visible devices
  device_not_told,     ///< perhaps one device: nothing says so, and nothing says otherwise
  devices_differ,      ///< nodes with as many ranks show different numbers of devices
  partitions_differ,   ///< devices of AMD's are divided in different modes
  imex_differs,        ///< NVIDIA's nodes have different channels to each other's memory
  far_device,          ///< the device is on another NUMA node than the CPUs
  far_nic,             ///< the network device is on another NUMA node than the device
  nic_unusable,        ///< the network device is down or has no address
  nic_rates_differ,    ///< network devices have different rates
  same_cpus,           ///< the CPUs of two ranks overlap
  same_core,           ///< a core has CPUs of two ranks
  not_bound,           ///< ranks may run on all CPUs
  few_cpus,            ///< fewer CPUs than threads
  shared_quota,        ///< ranks share a quota of less than a CPU for each
  low_limits,          ///< little memory may be locked or shared, or huge pages differ
  versions_differ,     ///< kernels, drivers or MPI libraries differ
  clocks_differ,       ///< the clocks of two machines, or their starts, are apart
};

namespace detail {

struct FindingRow {
  std::string_view name;
  std::string_view remedy;
};
inline constexpr FindingRow finding_rows[] = {
    {"refused", "do what the message says: other findings may follow from it"},
    {"all_alone",
     "start the program with the launcher of the MPI that it is built with or of its framework "
     "(under Slurm see srun --mpi=list), and pass its variables on (env -i, sudo and containers "
     "take them away), or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, set "
     "Config::require_launcher"},
    {"lone_process",
     "see what takes its environment away: a container, sudo, env -i, srun --export=NONE; in the "
     "program, set Config::require_launcher"},
    {"several_runs",
     "read the output of one run at a time; if they ran at the same time, start the program once, "
     "or tell each node how many there are and which one it is (torchrun --nnodes --node-rank)"},
    {"same_node_rank",
     "give each node a number of its own: torchrun --node-rank, NODE_RANK or GROUP_RANK, counted "
     "from 0"},
    {"same_rank",
     "read one run at a time if the output is of several; else unset the variables that a second "
     "launch inherits, or start the program only once"},
    {"world_size_differs", "start all nodes with the same numbers of nodes and processes"},
    {"missing_ranks",
     "see the logs of the nodes that should run them, and read whole logs (kubectl logs "
     "--tail=-1); in the program, print each record with one write"},
    {"mixed_restarts", "read the output since the last restart, and wait until all have started"},
    {"several_jobs",
     "read the output of one job at a time; if it is one job, some process has the variables of "
     "another"},
    {"job_ids_differ",
     "start all nodes with one id of the job (torchrun --rdzv-id), or unset the one that a process "
     "has from another job"},
    {"unread_lines",
     "read whole logs, and start all processes with the same version of rankmap; in the program, "
     "print each record with one write of at most 768 bytes"},
    {"wrong_launcher",
     "start the program with the launcher of the MPI that it is built with (see its path by ldd), "
     "or build it with the MPI of this launcher"},
    {"mixed_launchers",
     "start all nodes in the same way with the same modules, or set RANKMAP_LAUNCHER; in the "
     "program, set Config::launcher"},
    {"contradicted",
     "unset the variables of the launcher that did not start the processes (rankmap explain, run "
     "in their place, names them), or set RANKMAP_LAUNCHER to the one that did"},
    {"two_indices",
     "with one process in a pod, both number the pod: see which of the two is right, and unset or "
     "correct the other"},
    {"shared_world",
     "nothing, if the programs are to speak with each other; else start each with a command of its "
     "own; in the program, split MPI_COMM_WORLD by MPI_APPNUM"},
    {"virtual_ranks",
     "nothing, if torchrun --virtual-local-rank is meant: each process has one device, which is "
     "its number 0"},
    {"replica_groups",
     "nothing, if that is meant: ranks are counted within each group; read the output of one group "
     "at a time"},
    {"warned",
     "run rankmap explain in the place of the program: it names each variable, and what was "
     "expected"},
    {"rendezvous_differs",
     "export one MASTER_ADDR and MASTER_PORT to all nodes: the name of the host of rank 0, and not "
     "localhost"},
    {"layout_differs",
     "start all nodes with the same numbers; in the program, pass the same Config everywhere"},
    {"place_conflict",
     "see who sets the local rank and the node rank: a wrapper or script may overwrite them, or a "
     "list of hosts name one twice"},
    {"host_name_clash",
     "give each machine a name of its own; in the program, compare {name, machine_identity(boot "
     "id)}: code that compares names takes them for one"},
    {"containers",
     "share the namespaces and /dev/shm between the containers of a machine if ranks exchange data "
     "by shared memory or peer-to-peer"},
    {"split_machine", "nothing, if each of them is meant to be a node"},
    {"uneven_nodes",
     "nothing, if that is meant; in the program, ask layout() for nodes and local ranks: rank / "
     "size gives wrong ones here"},
    {"out_of_order", "start them in order: srun --distribution=block, mpirun --map-by slot"},
    {"leaves_domain",
     "start ranks in the order of the domains (srun --segment under topology/block); in the "
     "program, let a mesh with axes across domains decide which groups leave one"},
    {"duplicate_device",
     "let the launcher give each process a device, as srun --gpus-per-task=1 does, or remove a "
     "fixed device index; in the program, take the index from the local rank "
     "(device_policy::strict)"},
    {"shared_device", "nothing, if that is meant"},
    {"device_parts", "nothing, if that is meant: the ranks share one device's memory bandwidth"},
    {"likely_duplicate",
     "let the launcher give each process a device, as srun --gpus-per-task=1 does; in the program, "
     "take the index from the local rank (device_policy::strict), and pass UUID or PCI address to "
     "describe() to be sure"},
    {"device_not_told",
     "nothing, if the launcher gave each process a device of its own, as srun --gpus-per-task=1 "
     "does; in the program, pass UUID or PCI address to describe() to be sure"},
    {"devices_differ",
     "look at the visibility variables of the nodes, and see which devices the driver has lost "
     "(nvidia-smi, rocm-smi)"},
    {"partitions_differ",
     "set one mode on all nodes (amd-smi set --compute-partition, --memory-partition), or leave "
     "the odd ones out"},
    {"imex_differs",
     "give the job one channel on all of its nodes (Slurm: SwitchType=switch/nvidia_imex, "
     "Kubernetes: a ComputeDomain, else the driver's NVreg_CreateImexChannel0=1), and see "
     "nvidia-imex-ctl -N"},
    {"far_device",
     "bind processes and devices alike: srun --gpu-bind=closest, mpirun --bind-to numa; in the "
     "program, use device_policy::closest"},
    {"far_nic",
     "name a network device near the device: NCCL_IB_HCA, UCX_NET_DEVICES; in the program, use "
     "nics_for_devices()"},
    {"nic_unusable",
     "name another network device (NCCL_IB_HCA, UCX_NET_DEVICES), see ibstat, and run the "
     "container in the host's network"},
    {"nic_rates_differ",
     "see ibstat and the cable of the slower one, or name devices of one rate (NCCL_IB_HCA, "
     "UCX_NET_DEVICES)"},
    {"same_cpus",
     "give each process CPUs of its own: srun --cpus-per-task, mpirun --bind-to core --map-by "
     "slot:PE=n"},
    {"same_core",
     "give each process cores of its own: srun --hint=nomultithread, mpirun --bind-to core; in the "
     "program, use core_share()"},
    {"not_bound",
     "bind the ranks if they should keep their CPUs: srun --cpu-bind=cores, mpirun --bind-to core"},
    {"few_cpus",
     "give each process more CPUs (srun --cpus-per-task, mpirun --map-by slot:PE=n), or fewer "
     "threads (OMP_NUM_THREADS)"},
    {"shared_quota",
     "raise the CPU limit of the container to a CPU for each rank, or start fewer ranks in it"},
    {"low_limits",
     "raise the limit: ulimit -l unlimited, docker --ulimit memlock=-1 --shm-size=8g, a medium: "
     "Memory volume at /dev/shm; reserve as many huge pages on every node"},
    {"versions_differ", "install the same versions on all nodes, or leave the odd ones out"},
    {"clocks_differ",
     "nothing, if the processes started so far apart; else see chronyc tracking on both machines"},
};

}  // namespace detail

/// How many kinds there are.
inline constexpr std::size_t finding_count =
    sizeof detail::finding_rows / sizeof detail::finding_rows[0];
static_assert(finding_count == static_cast<std::size_t>(FindingKind::clocks_differ) + 1);

/// The name of the enumerator.
constexpr std::string_view name(FindingKind kind) {
  return detail::finding_rows[static_cast<std::size_t>(kind)].name;
}
/// What to do about it: first for who runs the job, then for who writes the program.
constexpr std::string_view remedy(FindingKind kind) {
  return detail::finding_rows[static_cast<std::size_t>(kind)].remedy;
}

/// One fault, wherever in the job it occurs.
struct Finding {
  FindingKind kind = FindingKind::refused;
  Severity severity = Severity::note;
  RankList ranks;    ///< whom it is about
  Message evidence;  ///< what shows it, by the first example, and how many there are
};

namespace detail {

/// `error: same_rank, rank 3`.
constexpr StaticString<255> headline(const Finding& finding) {
  StaticString<255> out(name(finding.severity));
  out.append(": ").append(name(finding.kind));
  if (finding.ranks.empty()) return out;
  return out.append(finding.ranks.size() == 1 ? ", rank " : ", ranks ")
      .append(to_string(finding.ranks));
}

}  // namespace detail

/// `error: same_rank, ranks 3: rank 3 is ...; unset ...`. At most 1279 bytes, printable ASCII.
constexpr StaticString<1279> message(const Finding& finding) {
  StaticString<1279> out(detail::headline(finding));
  return out.append(": ").append(finding.evidence).append("; ").append(remedy(finding.kind));
}

/// What to look for besides faults.
struct FindingOptions {
  bool wants_block_order = false;  ///< whether the ranks of a node should follow each other
  /// How many consecutive ranks, from a multiple of it on, should be in one domain; 0: any number.
  int ranks_in_domain = 0;
  /// How many ranks may have one device, where each says that it shares it: `sharing` of the policy
  /// that chose it. More are an error. 0: any number.
  int sharing = 0;
};

/// All findings of a job, errors first, at most one of each kind.
class Findings {
 public:
  constexpr const Finding* begin() const { return findings_; }
  constexpr const Finding* end() const { return findings_ + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// Precondition: i < size().
  constexpr const Finding& operator[](std::size_t i) const { return findings_[i]; }

  /// The finding of a kind, or null.
  constexpr const Finding* find(FindingKind kind) const {
    for (const Finding& finding : *this) {
      if (finding.kind == kind) return &finding;
    }
    return nullptr;
  }
  /// The worst finding about a rank, or null. O(findings * log of their ranges).
  constexpr const Finding* about(int rank) const {
    for (const Finding& finding : *this) {
      if (finding.ranks.contains(rank)) return &finding;
    }
    return nullptr;
  }
  /// How many have this severity or a higher one.
  constexpr std::size_t count(Severity least) const {
    std::size_t count = 0;
    for (const Finding& finding : *this) count += finding.severity >= least ? 1U : 0U;
    return count;
  }

  /// What the records do not tell, so that it is not checked: "the CPUs of 16 ranks"; or nothing.
  constexpr std::string_view unknown_facts() const { return unknown_facts_; }
  [[deprecated("use unknown_facts")]] constexpr std::string_view not_told() const {
    return unknown_facts_;
  }

 private:
  friend class detail::FindingReport;
  Finding findings_[finding_count] = {};
  std::size_t size_ = 0;
  StaticString<255> unknown_facts_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_FINDING_HPP
