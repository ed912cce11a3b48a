// SPDX-License-Identifier: MIT
//
// Which record is the innermost one, where several contradict each other: by the processes above,
// made by hand. That the kernel shows them is a test of environment/.
#include "support/constant_rows.hpp"
#include "support/summary.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/detail/nesting.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace {

using rankmap::Ancestor;
using rankmap::ProofKind;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::detail::NestingEvidence;
using rankmap::detail::proof_of_inner;

// ---- the decision by itself

/// What proves that the first of two is the inner one, and what that the second is.
struct Nesting {
  ProofKind first = ProofKind::none;
  ProofKind second = ProofKind::none;

  friend constexpr bool operator==(const Nesting&, const Nesting&) = default;
};
constexpr Nesting nesting_of(const NestingEvidence& a, const NestingEvidence& b) {
  return {proof_of_inner(a, b), proof_of_inner(b, a)};
}

struct Decision {
  NestingEvidence a;
  NestingEvidence b;
  Nesting expected;
};
constexpr Nesting unknown = {};
constexpr Nesting first_by_setter = {ProofKind::set_later, ProofKind::none};
constexpr Nesting first_by_starter = {ProofKind::starter, ProofKind::none};
constexpr Nesting second_by_starter = {ProofKind::none, ProofKind::starter};
constexpr Nesting second_by_setter = {ProofKind::none, ProofKind::set_later};

constexpr Decision decisions[] = {
    // Nothing is known.
    {{}, {}, unknown},
    // This process set a name that goes with the older one, or another process further up did.
    {{.setter = 1, .exact = true}, {.setter = 3, .exact = true, .companion = 0}, unknown},
    {{.setter = 1, .exact = true}, {.setter = 3, .exact = true, .companion = 1}, unknown},
    {{.setter = 1, .exact = true}, {.setter = 3, .exact = true, .companion = 2}, first_by_setter},
    // The parent set one, and started with the other.
    {{.setter = 1, .exact = true}, {.setter = 2, .exact = true}, first_by_setter},
    {{.setter = 1, .exact = true}, {.setter = 2}, first_by_setter},
    // What this process set itself is newer than all that it started with.
    {{.setter = 0, .exact = true, .generic = true}, {.setter = 1, .starter = 1}, first_by_setter},
    // Its rank may be as old as the other one's, or older.
    {{.setter = 1, .exact = true, .spread = 1}, {.setter = 2, .exact = true}, unknown},
    {{.setter = 1, .exact = true, .spread = 1}, {.setter = 3, .exact = true}, first_by_setter},
    // A process that cannot be read may have set both.
    {{.setter = 1}, {.setter = 2, .exact = true}, unknown},
    {{.setter = 1}, {.setter = 1}, unknown},
    // The names of the processes.
    {{.setter = 1, .starter = 1}, {.setter = 1}, first_by_starter},
    {{.setter = 1, .starter = 1}, {.setter = 1, .starter = 3}, first_by_starter},
    {{.setter = 2, .starter = 2}, {.setter = 2, .starter = 2}, unknown},
    // A wrapper may have exported generic names below the starter, and left no process.
    {{.setter = 1, .starter = 1}, {.setter = 1, .generic = true}, unknown},
    // A process below the starter may have set the other one.
    {{.setter = 1, .starter = 2}, {.setter = 1}, unknown},
    // A launcher that started this process last set its names anew, perhaps to the same texts.
    {{.setter = 2, .exact = true, .starter = 2},
     {.setter = 4, .exact = true, .starter = 1},
     second_by_starter},
    {{.setter = 2, .exact = true, .generic = true},
     {.setter = 4, .exact = true, .starter = 1},
     unknown},
    {{.setter = 2, .exact = true, .starter = 2},
     {.setter = 4, .exact = true, .starter = 2},
     first_by_setter},
    // What was set last says more than a name.
    {{.setter = 3, .exact = true, .starter = 1}, {.setter = 1, .exact = true}, second_by_setter},
};

static_assert(std::ranges::all_of(decisions, [](const Decision& row) {
  return nesting_of(row.a, row.b) == row.expected;
}));

TEST(Nesting, follows_the_table_of_decisions) {
  for (const Decision& row : decisions) {
    EXPECT_EQ(nesting_of(row.a, row.b), row.expected) << &row - decisions;
  }
}

// Every pair of what five processes can show: 400 kinds of evidence.
TEST(Nesting, is_never_proved_both_ways) {
  NestingEvidence all[400];
  std::size_t count = 0;
  for (int setter = 0; setter != 5; ++setter) {
    for (int starter = 0; starter != 5; ++starter) {
      for (const bool exact : {false, true}) {
        for (const bool generic : {false, true}) {
          for (const int spread : {0, 1}) {
            for (const int companion : {-1, 1}) {
              all[count++] = {setter, exact, starter, generic, spread, companion};
            }
          }
        }
      }
    }
  }
  ASSERT_EQ(count, std::size(all));
  int known = 0;
  for (const NestingEvidence& a : all) {
    EXPECT_EQ(nesting_of(a, a), unknown);
    for (const NestingEvidence& b : all) {
      const Nesting ab = nesting_of(a, b);
      EXPECT_TRUE(ab.first == ProofKind::none || ab.second == ProofKind::none);
      known += ab != unknown;
    }
  }
  EXPECT_GT(known, 0);
}

// No chain of three decisions goes round: a inside b, b inside c, c inside a.
TEST(Nesting, has_no_circle_of_three) {
  const auto at = [](int n) {
    return NestingEvidence{n / 2 % 5, n % 2 != 0, n / 10 % 5, false, 0, n < 50 ? -1 : 1};
  };
  for (int i = 0; i != 100; ++i) {
    for (int j = 0; j != 100; ++j) {
      for (int k = 0; k != 100; ++k) {
        const bool circle = proof_of_inner(at(i), at(j)) != ProofKind::none &&
                            proof_of_inner(at(j), at(k)) != ProofKind::none &&
                            proof_of_inner(at(k), at(i)) != ProofKind::none;
        EXPECT_FALSE(circle) << i << j << k;
      }
    }
  }
}

// ---- whole environments

/// A process: its variables, those that it set itself, and the processes above it.
struct Process {
  std::string_view variables;
  std::string_view set_inside;  ///< names with a '|' after each
  std::span<const Ancestor> above;
  std::string_view expected;
  std::string_view believed;  ///< as explain() prints it; empty: no such line

  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    return RecordedEnvironment(variables, '|')(name);
  }
  constexpr std::optional<bool> started_with(std::string_view name) const {
    for (std::size_t begin = 0; begin < set_inside.size();) {
      const std::size_t end = set_inside.find('|', begin);
      if (set_inside.substr(begin, end - begin) == name) return false;
      begin = end + 1;
    }
    return true;
  }
  constexpr std::span<const Ancestor> ancestors() const { return above; }
};

constexpr Ancestor hidden(std::string_view name) { return {name, {}}; }
constexpr Ancestor with(std::string_view name, std::string_view variables) {
  return {name, RecordedEnvironment(variables, '|')};
}

// A step of 2 x 4 tasks, this one 5; and one of 2 x 1, this one 1.
#define STEP_NODES(node) \
  "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURMD_NODENAME=n2|SLURM_NODEID=" node
#define STEP                                                                                \
  STEP_NODES("1")                                                                           \
  "|SLURM_STEP_TASKS_PER_NODE=4(x2)|SLURM_STEP_NUM_TASKS=8|SLURM_PROCID=5|SLURM_LOCALID=1|" \
  "SLURM_GTIDS=4,5,6,7|SLURM_JOB_ID=7|SLURM_STEP_ID=1"
#define AGENTS                                                                              \
  STEP_NODES("1")                                                                           \
  "|SLURM_STEP_TASKS_PER_NODE=1(x2)|SLURM_STEP_NUM_TASKS=2|SLURM_PROCID=1|SLURM_LOCALID=0|" \
  "SLURM_GTIDS=1|SLURM_JOB_ID=7|SLURM_STEP_ID=1"
#define SCRIPT                                                                                     \
  "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_JOB_ID=7|SLURMD_NODENAME=n1|" \
  "SLURM_TASK_PID=9"
#define EXPORTED "RANK=0|WORLD_SIZE=8|LOCAL_RANK=0"
#define MPIRUN                                                                                  \
  "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_" \
  "LOCAL_SIZE=2"
#define HYDRA "PMI_RANK=2|PMI_SIZE=3|MPI_LOCALRANKID=2|MPI_LOCALNRANKS=3"
#define TORCHRUN                                                               \
  "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|" \
  "GROUP_RANK=1|GROUP_WORLD_SIZE=2"
#define NEURON(rank, devices, local, here)                                        \
  "NEURON_PJRT_PROCESS_INDEX=" rank "|NEURON_PJRT_PROCESSES_NUM_DEVICES=" devices \
  "|PJRT_LOCAL_PROCESS_RANK=" local "|PJRT_LOCAL_PROCESS_COUNT=" here
#define NEURON_NAMES                                                       \
  "NEURON_PJRT_PROCESS_INDEX|NEURON_PJRT_PROCESSES_NUM_DEVICES|PJRT_LOCAL" \
  "_PROCESS_RANK|PJRT_LOCAL_PROCESS_COUNT|"
#define EITHER(a, b)                                                                        \
  ": either may have started the other; set RANKMAP_LAUNCHER to the inner one, " a " or " b \
  ", or unset the variables of the other; in the program, set Config::launcher"

constexpr Ancestor task[] = {hidden("slurmstepd"), with("slurmd", "")};
constexpr Ancestor task_below_mpirun[] = {hidden("slurmstepd"), hidden("slurmd")};
constexpr Ancestor wrapper_exports[] = {with("train.sh", STEP), hidden("slurmstepd")};
constexpr Ancestor above_exports[] = {with("train.sh", STEP "|" EXPORTED), hidden("slurmstepd")};
constexpr Ancestor python_agent[] = {with("python3", AGENTS), hidden("slurmstepd")};
constexpr Ancestor mpirun_in_task[] = {with("prterun", STEP), with("bash", STEP),
                                       hidden("slurmstepd")};
constexpr Ancestor orted_in_daemons[] = {with("orted", AGENTS), hidden("slurmstepd")};
constexpr Ancestor hydra_in_mpirun[] = {with("hydra_pmi_proxy", MPIRUN),
                                        with("mpiexec.hydra", MPIRUN), with("prterun", "")};
constexpr Ancestor hydra_in_torchrun_in_hydra[] = {
    with("hydra_pmi_proxy", HYDRA "|" TORCHRUN), with("mpiexec.hydra", HYDRA "|" TORCHRUN),
    with("pt_elastic", HYDRA), with("hydra_pmi_proxy", "")};
constexpr Ancestor mpirun_in_hydra[] = {with("prterun", HYDRA), with("hydra_pmi_proxy", "")};
constexpr Ancestor worker_of_torchrun[] = {with("pt_elastic", STEP), hidden("slurmstepd")};
constexpr Ancestor plain_torchrun[] = {with("pt_elastic", "")};
constexpr Ancestor wrapper_of_torchrun[] = {with("bash", TORCHRUN), with("pt_elastic", "")};
constexpr Ancestor worker_of_deepspeed[] = {with("python3", "")};
constexpr Ancestor mpirun_in_torchrun[] = {with("mpirun", TORCHRUN), with("pt_elastic", "")};
constexpr Ancestor old_torchrun[] = {with("python3", MPIRUN), with("orted", "")};
constexpr Ancestor script[] = {with("slurm_script", SCRIPT "|" MPIRUN), hidden("slurmstepd")};
constexpr Ancestor mpirun_in_script[] = {with("mpirun.openmpi", SCRIPT),
                                         with("slurm_script", SCRIPT), hidden("slurmstepd")};
constexpr Ancestor no_record_of_nearest[] = {with("flux-shell", STEP "|" MPIRUN),
                                             hidden("slurmstepd")};
constexpr Ancestor wiped[] = {hidden("python3"), with("orted", STEP), hidden("slurmstepd")};
constexpr Ancestor raylet[] = {with("raylet", STEP), hidden("slurmstepd")};
constexpr Ancestor prterun_in_mpirun[] = {with("prterun", MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=o"),
                                          with("mpirun", "")};

#define PLATFORM "MPI_RANKID=1|MPI_NRANKS=3|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1"
constexpr Ancestor hydra_in_platform[] = {with("timeout", PLATFORM "|PMI_RANK=0|PMI_SIZE=1"),
                                          with("hydra_pmi_proxy", "MPI_RANKID=1|MPI_NRANKS=3")};
constexpr Ancestor platform_in_hydra[] = {with("mpid", "PMI_RANK=0|PMI_SIZE=1"),
                                          with("hydra_pmi_proxy", "")};

constexpr Process processes[] = {
    // No dispute: no process is asked.
    {STEP, "", task, "slurm 5/8 local 1/4 node 1/2", ""},
    // Directly below slurmstepd: a task of srun, whatever else was inherited ...
    {STEP "|" MPIRUN, "", task_below_mpirun, "slurm 5/8 local 1/4 node 1/2; open_mpi stale",
     "slurm, parent process slurmstepd; older: open_mpi"},
    {STEP "|" TORCHRUN, "", task, "slurm 5/8 local 1/4 node 1/2; torchrun stale",
     "slurm, parent process slurmstepd; older: torchrun"},
    {STEP "|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1|PMI_RANK=5|PMI_SIZE=8", "", task,
     "slurm 5/8 local 1/4 node 1/2; hydra stale", "slurm, parent process slurmstepd; older: hydra"},
    // ... but a wrapper that ends in exec may have exported RANK.
    {STEP "|" EXPORTED, "", task,
     "SLURM_PROCID=\"5\": expected rank 0 of 8, as RANK says (torch_env, not slurm)" EITHER(
         "torch_env", "slurm"),
     ""},
    {STEP "|RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|SUBMITIT_EXECUTOR=slurm", "", task,
     "torch_env 5/8 local 1/4 node 1/2; slurm same", ""},
    // A wrapper that waits shows that it exported RANK, or that it started with it.
    {STEP "|" EXPORTED, "", wrapper_exports,
     "torch_env 0/8 local 0/? node ?/?; slurm stale; warning RANK",
     "torch_env, set by the parent process; older: slurm"},
    {STEP "|" EXPORTED, "", above_exports,
     "SLURM_PROCID=\"5\": expected rank 0 of 8, as RANK says (torch_env, not slurm)" EITHER(
         "torch_env", "slurm"),
     ""},
    // Below a worker of DeepSpeed, the names that only DeepSpeed sets are of no pod.
    {"CROSS_RANK=0|CROSS_SIZE=1|LOCAL_SIZE=2|WORLD_SIZE=2|LOCAL_RANK=0|RANK=1", "RANK|",
     worker_of_deepspeed,
     "CROSS_SIZE=\"1\": expected one that was set together with RANK: this one was there before; "
     "set "
     "RANK, WORLD_SIZE and LOCAL_RANK together, and RANKMAP_LAUNCHER=torch_env; in the program, "
     "pass Config::rank, ::world_size and ::local_rank",
     ""},
    // torch_xla repeats the numbers of a launch under Neuron's names, in the running process. From
    // a
    // wrapper, they may be those of a launch with other nodes.
    {TORCHRUN "|" NEURON("3", "1,1,1,1", "1", "2"), NEURON_NAMES, plain_torchrun,
     "torchrun 3/4 local 1/2 node 1/2; neuron same", ""},
    {STEP "|" NEURON("5", "1,1,1,1,1,1,1,1", "1", "4"), NEURON_NAMES, task,
     "slurm 5/8 local 1/4 node 1/2; neuron same", ""},
    {TORCHRUN "|" NEURON("3", "1,1,1,1", "1", "2"), "", wrapper_of_torchrun,
     "neuron 3/4 local 1/2 node ?/?; torchrun same", ""},
    // RANK from inside, or from an agent without a name of its own.
    {STEP "|" EXPORTED, "RANK|WORLD_SIZE|LOCAL_RANK|", task,
     "torch_env 0/8 local 0/? node ?/?; slurm stale; warning RANK",
     "torch_env, set by the process itself; older: slurm"},
    {AGENTS "|RANK=6|WORLD_SIZE=8|LOCAL_RANK=2|LOCAL_WORLD_SIZE=4|NODE_RANK=1|MASTER_ADDR=n1|"
            "MASTER_PORT=1|PYTHONUNBUFFERED=1|TORCH_NCCL_ASYNC_ERROR_HANDLING=1",
     "", python_agent, "composer 6/8 local 2/4 node 1/?; slurm stale",
     "composer, set by the parent process; older: slurm"},
    // A shell that exports RANK below a worker of torchrun leaves torchrun's other names.
    {STEP "|" TORCHRUN "|ROLE_RANK=3|ROLE_WORLD_SIZE=4", "", task,
     "slurm 5/8 local 1/4 node 1/2; torchrun stale",
     "slurm, parent process slurmstepd; older: torchrun"},
    {STEP "|" TORCHRUN "|ROLE_RANK=2|ROLE_WORLD_SIZE=4", "", task,
     "SLURM_PROCID=\"5\": expected rank 3 of 4, as RANK says (torchrun, not slurm)" EITHER(
         "torchrun", "slurm"),
     ""},
    // mpirun, inside a task and with its daemons as one.
    {STEP "|" MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=prterun-n1-7@1", "", mpirun_in_task,
     "open_mpi 1/2 local 1/2 node 0/1; slurm stale; pmix same",
     "open_mpi, set by the parent process; older: slurm"},
    {STEP "|" MPIRUN, "", mpirun_in_task, "open_mpi 1/2 local 1/2 node 0/1; slurm stale",
     "open_mpi, set by the parent process; older: slurm"},
    {AGENTS "|OMPI_COMM_WORLD_RANK=3|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=1|"
            "OMPI_COMM_WORLD_LOCAL_SIZE=2",
     "", orted_in_daemons, "open_mpi 3/4 local 1/2 node ?/?; slurm nested",
     "open_mpi, set by the parent process; older: slurm"},
    // Two MPIs, both ways.
    {HYDRA "|" MPIRUN, "", hydra_in_mpirun, "hydra 2/3 local 2/3 node 0/1; open_mpi stale",
     "hydra, set by the parent process; older: open_mpi"},
    {HYDRA "|" MPIRUN, "", mpirun_in_hydra, "open_mpi 1/2 local 1/2 node 0/1; hydra stale",
     "open_mpi, set by the parent process; older: hydra"},
    // One that sets the same numbers again as were there two launchers before.
    {HYDRA "|" TORCHRUN, "", hydra_in_torchrun_in_hydra,
     "hydra 2/3 local 2/3 node 0/1; torchrun stale",
     "hydra, set by the parent process; older: torchrun"},
    // torchrun, inside a task and around mpirun; and one that still is called python3.
    {STEP "|" TORCHRUN, "", worker_of_torchrun, "torchrun 3/4 local 1/2 node 1/2; slurm stale",
     "torchrun, set by the parent process; older: slurm"},
    {TORCHRUN "|" MPIRUN, "", mpirun_in_torchrun, "open_mpi 1/2 local 1/2 node 0/1; torchrun stale",
     "open_mpi, set by the parent process; older: torchrun"},
    {TORCHRUN "|" MPIRUN, "", old_torchrun, "torchrun 3/4 local 1/2 node 1/2; open_mpi stale",
     "torchrun, set by the parent process; older: open_mpi"},
    // A batch script that a worker submitted is one process; mpirun in a script is many.
    {SCRIPT "|" MPIRUN, "", script, "none 0/1 local 0/1 node 0/1; open_mpi stale; slurm stale",
     "slurm, ancestor process slurmstepd; older: open_mpi"},
    {SCRIPT "|" MPIRUN "|RANK=1", "", script,  // a rank alone is no place
     "none 0/1 local 0/1 node 0/1; torch_env stale; open_mpi stale; slurm stale",
     "slurm, ancestor process slurmstepd; older: open_mpi"},
    {SCRIPT "|" MPIRUN, "", mpirun_in_script, "open_mpi 1/2 local 1/2 node 0/1; slurm stale",
     "open_mpi, set by the parent process; older: slurm"},
    // The nearest starter left no record: the others say nothing about what it started.
    {STEP "|" MPIRUN, "", no_record_of_nearest,
     "FLUX_TASK_RANK is not set: expected it here too: a process above this one was started with "
     "it, or by its launcher, below that of slurm; pass the inner launcher's variables on, or set "
     "RANKMAP_LAUNCHER=slurm if that one started this process; in the program, set "
     "Config::launcher",
     ""},
    // A parent whose variables cannot be read may have set either.
    {STEP "|" MPIRUN, "", wiped,
     "SLURM_PROCID=\"5\": expected rank 1 of 2, as OMPI_COMM_WORLD_RANK says (open_mpi, not "
     "slurm)" EITHER("open_mpi", "slurm"),
     ""},
    // An actor of Ray below a step has no number of its own, until it sets RANK itself.
    {STEP "|RAY_RAYLET_PID=9", "", raylet,
     "Config::rank is not set: expected a rank, since RAY_RAYLET_PID=\"9\" is set (ray); set "
     "RANKMAP_LAUNCHER=none if alone; in the program, "
     "pass Config::rank, ::world_size and ::local_rank",
     ""},
    {STEP "|RAY_RAYLET_PID=9|" EXPORTED, "RANK|WORLD_SIZE|LOCAL_RANK|", raylet,
     "torch_env 0/8 local 0/? node ?/?; ray nested; slurm stale; warning LOCAL_RANK; warning RANK",
     "torch_env, set by the process itself; older: slurm"},
    // prterun inside a worker of mpirun, with the same rank by chance.
    {MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=prterun-n1-7@1", "", prterun_in_mpirun,
     "PMIX_RANK=\"1\": expected a number of the launch of OMPI_COMM_WORLD_RANK (open_mpi, not "
     "pmix), though both are equal here: either may have started the other; set RANKMAP_LAUNCHER "
     "to the inner one, open_mpi or pmix, or unset the variables of the other; in the program, "
     "set Config::launcher",
     ""},
    // The processes above are hidden: what daemons leave, a worker's own srun leaves too.
    {AGENTS "|" TORCHRUN,
     "",
     {},
     "SLURM_PROCID=\"1\": expected rank 3 of 4, as RANK says (torchrun, not slurm)" EITHER(
         "torchrun", "slurm"),
     ""},
    // ... but a script's host, where nobody submitted the job, is that of its mpirun.
    {SCRIPT "|SLURM_SUBMIT_HOST=login|PMIX_HOSTNAME=n1.cluster|" MPIRUN,
     "",
     {},
     "open_mpi 1/2 local 1/2 node 0/1; slurm stale",
     ""},
    {SCRIPT "|SLURM_SUBMIT_HOST=n1|PMIX_HOSTNAME=n1|" MPIRUN,
     "",
     {},
     "SLURM_PROCID=\"0\": expected rank 1 of 2, as OMPI_COMM_WORLD_RANK says (open_mpi, not "
     "slurm)" EITHER("open_mpi", "none (a single process)"),
     ""},
};

// Each was a number that nothing had proved, until the random worlds of tests/fuzz/nesting.cpp.
constexpr Ancestor shepherd[] = {hidden("sge_shepherd")};
constexpr Ancestor hidden_shell[] = {hidden("sh")};
constexpr Ancestor in_script[] = {with("python3", SCRIPT "|" MPIRUN),
                                  with("slurm_script", SCRIPT "|" MPIRUN), hidden("slurmstepd")};
#define PADDLE                                                                                   \
  "RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|PADDLE_GLOBAL_RANK=0|PADDLE_TRAINERS_NUM=2|PADDLE_NNODES=2|" \
  "PADDLE_LOCAL_SIZE=1"
constexpr Ancestor ascend_in_paddle[] = {with("my-launcher", PADDLE),
                                         with("python3", "RANK=1|WORLD_SIZE=2|LOCAL_RANK=1")};
constexpr Ancestor in_torchrun[] = {
    with("python3", HYDRA "|TORCHELASTIC_RUN_ID=1|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|GROUP_RANK=0|"
                          "GROUP_WORLD_SIZE=1"),
    hidden("torchrun")};
#define JSRUN "JSM_NAMESPACE_RANK=4|JSM_NAMESPACE_SIZE=6|JSM_NAMESPACE_LOCAL_RANK=0"
#define JSRUN_AND_MPIRUN                                                                \
  "JSM_NAMESPACE_RANK=1|JSM_NAMESPACE_SIZE=2|JSM_NAMESPACE_LOCAL_RANK=1|JSM_NAMESPACE_" \
  "LOCAL_SIZE=2|" MPIRUN
constexpr Ancestor hidden_orted[] = {
    with("sh", JSRUN_AND_MPIRUN "|RANK_ID=0|RANK_SIZE=3|DEVICE_ID=0"), hidden("orted")};
constexpr Ancestor mpirun_in_jsrun[] = {with("mpirun", JSRUN), hidden("jsmd")};
#define MPIRUN_JOB MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=7"
constexpr Ancestor hydra_called_python[] = {with("python3", MPIRUN_JOB "|" HYDRA),
                                            with("mpirun", MPIRUN_JOB "|" HYDRA), hidden("sshd")};
constexpr Ancestor hydra_called_mpirun[] = {with("python3", MPIRUN "|" HYDRA),
                                            with("mpirun", MPIRUN "|" HYDRA), hidden("sshd")};
constexpr Ancestor mpirun_called_python[] = {
    with("python3", EXPORTED "|" MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=6"),
    with("train.sh", MPIRUN "|PMIX_RANK=1|PMIX_NAMESPACE=6"), with("mpirun", "")};
#define MPIRUN_ALONE                                                                            \
  "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=1|OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_" \
  "LOCAL_SIZE=1"
#define HALF_VERL "RANK=4|WORLD_SIZE=7"
constexpr Ancestor raylet_in_mpirun[] = {with("ray::Worker", MPIRUN), with("raylet", MPIRUN),
                                         with("sshd", "")};
constexpr Ancestor raylet_in_single[] = {with("ray::Worker", MPIRUN_ALONE),
                                         with("raylet", MPIRUN_ALONE), with("sshd", "")};
constexpr Ancestor worker_of_raylet[] = {with("ray::Worker", MPIRUN), with("raylet", "")};
constexpr Ancestor res_in_single[] = {hidden("res"), hidden("sshd")};
constexpr Ancestor single_in_res[] = {with("mpirun", "LSF_PM_TASKID=1"), hidden("res")};
constexpr Ancestor fujitsu_in_script[] = {with("my-launcher", SCRIPT "|" TORCHRUN),
                                          with("slurm_script", SCRIPT "|" TORCHRUN),
                                          hidden("slurmstepd"), with("sshd", "")};
constexpr Ancestor in_script_in_hydra[] = {with("python3", SCRIPT "|" HYDRA),
                                           with("slurm_script", SCRIPT "|" HYDRA),
                                           hidden("slurmstepd"), with("sshd", "")};
constexpr Ancestor hidden_prted[] = {
    with("python3", STEP "|" MPIRUN_ALONE "|PMIX_RANK=1|PMIX_NAMESPACE=prterun-n2-3@1"),
    hidden("prted"), hidden("slurmstepd")};
#define HYDRA_ON(host) "MPI_LOCALNRANKS=1|PMI_HOSTNAME=" host
constexpr Ancestor hydra_in_step_of_hydra[] = {
    with("train.sh", STEP "|" HYDRA_ON("n2") "|PMI_SIZE=2|PMI_RANK=0|MPI_LOCALRANKID=0"),
    with("sh", STEP "|" HYDRA_ON("n1") "|PMI_SIZE=2|PMI_RANK=1|MPI_LOCALRANKID=0"),
    hidden("slurmstepd")};
#define MPIRUN_1_OF_3                                                                           \
  "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=3|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_" \
  "LOCAL_SIZE=3"
#define MPIRUN_0_OF_2                                                                           \
  "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_" \
  "LOCAL_SIZE=1"
constexpr Ancestor raylet_in_0_of_2[] = {with("ray::Worker", MPIRUN_0_OF_2),
                                         with("raylet", MPIRUN_0_OF_2), with("sshd", "")};
constexpr Ancestor hidden_mpirun[] = {hidden("mpirun")};
constexpr Ancestor mpirun_in_pod[] = {with("mpirun", HALF_VERL), with("raylet", HALF_VERL)};
#define EXPORTED_BELOW(rest)                                                                   \
  "TORCHELASTIC_RUN_ID=1|ROLE_RANK=0|ROLE_WORLD_SIZE=1|GROUP_RANK=0|GROUP_WORLD_SIZE=1|RANK=1" \
  "|" rest
constexpr Process unproven[] = {
    // What a worker of Ray has of its rank is no proof, but Ray is seen to be nearer than mpirun.
    {MPIRUN "|RANK=4", "", raylet_in_mpirun, "E", ""},
    {MPIRUN "|" HALF_VERL, "", raylet_in_mpirun, "E", ""},
    {MPIRUN_ALONE "|RAY_RAYLET_PID=7|" HALF_VERL, "", raylet_in_single, "E", ""},
    {MPIRUN "|RANK=4", "", worker_of_raylet, "E", ""},  // which passed mpirun's on
    {MPIRUN_0_OF_2 "|" HALF_VERL, "", raylet_in_0_of_2, "E", ""},
    {MPIRUN "|HOROVOD_RANK=1|HOROVOD_SIZE=2|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|RANK=4", "",
     hidden_mpirun, "open_mpi 1/2 local 1/2 node 0/1; horovod same; torch_env conflict", ""},
    {MPIRUN "|RANK=1", "", raylet_in_mpirun, "E", ""},
    {MPIRUN "|" HALF_VERL, "", mpirun_in_pod,
     "open_mpi 1/2 local 1/2 node 0/1; torch_env conflict; warning RANK", ""},
    {MPIRUN "|" HALF_VERL,
     "",
     {},
     "open_mpi 1/2 local 1/2 node 0/1; torch_env conflict; warning RANK",
     ""},
    // So is a task of blaunch, whose rank agrees by chance, and one of Ray that may be alone.
    {MPIRUN_ALONE "|LSF_PM_TASKID=1", "", res_in_single, "E", ""},
    {MPIRUN_ALONE "|LSF_PM_TASKID=1", "", single_in_res,
     "open_mpi 0/1 local 0/1 node 0/1; lsf same", ""},
    {MPIRUN_ALONE "|RAY_RAYLET_PID=7", "", raylet_in_single, "E", ""},
    // A script is not the innermost one where a local size shows that there are several processes.
    {SCRIPT "|" TORCHRUN "|PJM_JOBID=3|FLIB_NUM_PROCESS_ON_NODE=3|PLE_RANK_ON_NODE=2", "",
     fujitsu_in_script, "E", ""},
    // Whoever named this job set a rank, which is gone: a daemon above is its own, not Open MPI's.
    {STEP "|" MPIRUN_ALONE "|PMIX_NAMESPACE=prterun-n2-3@1", "", hidden_prted, "E", ""},
    // Of an mpiexec that found its sizes set as they are, the name of the host is the only new
    // text.
    {STEP "|" HYDRA_ON("n2") "|PMI_SIZE=2", "", hydra_in_step_of_hydra, "E", ""},
    // A script's numbers are older than those of a launcher inside it, of which one is unreadable.
    {SCRIPT "|" HYDRA "|MS_ROLE=1|MS_WORKER_NUM=1|RANK=1|WORLD_SIZE=5|LOCAL_RANK=1|"
            "LOCAL_WORLD_SIZE=1",
     "", in_script_in_hydra, "E", ""},
    // A local size that is not mpirun's, beside a record that has none and agrees with both.
    {MPIRUN_1_OF_3 "|PALS_RANKID=1|PALS_LOCAL_RANKID=1|PALS_NODEID=0|PMI_SIZE=3|PMI_RANK=1|"
                   "PMIX_RANK=1|PLE_RANK_ON_NODE=1|FLIB_NUM_PROCESS_ON_NODE=2",
     "", hidden_shell, "E", ""},
    // A local size that torchrun may have set, or whoever exported the others: no other is
    // believed.
    {MPIRUN "|" EXPORTED_BELOW("WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2"), "", hidden_shell,
     "torchrun 1/2 local 1/? node ?/?; open_mpi same", ""},
    {MPIRUN "|" EXPORTED_BELOW("WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=3"), "", hidden_shell,
     "E", ""},
    // Nor is one where DeepSpeed's local size, which is left, is another.
    {MPIRUN "|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_SIZE=1|CROSS_SIZE=2", "", hidden_shell, "E",
     ""},
    // The same over torchrun's numbers, of which the local size agrees.
    {MPIRUN "|" EXPORTED_BELOW("WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|LOCAL_SIZE=1"), "",
     hidden_shell, "E", ""},
    // Nor is one that was exported below DeepSpeed, which sets another.
    {MPIRUN "|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_SIZE=2|CROSS_RANK=0|CROSS_SIZE=1", "",
     hidden_shell, "deepspeed 1/2 local 1/2 node 0/1; open_mpi same", ""},
    {MPIRUN "|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_SIZE=2|CROSS_RANK=0|CROSS_SIZE=1|"
            "LOCAL_WORLD_SIZE=3",
     "", hidden_shell, "E", ""},
    // Of what was exported over torchrun's numbers a part was taken away.
    {MPIRUN "|" EXPORTED_BELOW("LOCAL_RANK=1"), "", hidden_shell, "E", ""},
    // This mpirun was started in the job that Open MPI's variables name: it is MPICH's.
    {MPIRUN_JOB "|" HYDRA, "", hydra_called_python, "E", ""},
    // So it is where nothing names the job: Spectrum MPI sets no id.
    {MPIRUN "|" HYDRA, "", hydra_called_mpirun, "E", ""},
    // One that set the same numbers again, and the id of its own job.
    {EXPORTED "|" MPIRUN_JOB, "", mpirun_called_python,
     "open_mpi 1/2 local 1/2 node 0/1; torch_env stale; pmix same", ""},
    // A rank and a local rank that a script exported are a place. A rank alone is none.
    {MPIRUN "|RANK=0|LOCAL_RANK=0", "", hidden_shell, "E", ""},
    {MPIRUN "|RANK=1|LOCAL_RANK=1", "", hidden_shell,
     "open_mpi 1/2 local 1/2 node 0/1; torch_env same", ""},
    {MPIRUN "|RANK=0", "", hidden_shell, "open_mpi 1/2 local 1/2 node 0/1; torch_env conflict", ""},
    // A worker of verl without its size, below a mpirun of one process.
    {MPIRUN_ALONE "|RANK=0|RAY_LOCAL_WORLD_SIZE=2", "", hidden_shell, "E", ""},
    // A bare rank that is not the one of mpirun is that of another launch.
    {MPIRUN "|PMIX_RANK=0|PMIX_NAMESPACE=prterun-n1-7@1", "", {}, "E", ""},
    // RANK, exported above or below a starter of agents, whose process is the nearest.
    {"JOB_SCRIPT=QRSH|JOB_NAME=petask|" EXPORTED, "", shepherd, "E", ""},
    // Who exports another RANK below torchrun says nothing about nodes.
    {TORCHRUN "|ROLE_RANK=2|ROLE_WORLD_SIZE=4", "", {}, "torchrun 3/4 local 1/? node ?/?", ""},
    // The same on the rank that torchrun gave it: two agents of which one has all workers are none.
    {"TORCHELASTIC_RUN_ID=j|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|"
     "GROUP_WORLD_SIZE=2|ROLE_RANK=1|ROLE_WORLD_SIZE=2",
     "",
     {},
     "torchrun 1/2 local 1/? node ?/?",
     ""},
    // An incomplete record, which the rules complete, next to a complete one.
    {"SLURM_PROCID=1|SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NUM_NODES=1|SLURM_GTIDS=0,1|PMI_RANK=0|"
     "PMI_SIZE=1",
     "", hidden_shell, "E", ""},
    // A launcher in a batch script, with the numbers of the mpirun above by chance.
    {SCRIPT "|" MPIRUN "|MS_ROLE=MS_WORKER|MS_WORKER_NUM=2", "", in_script, "E", ""},
    // A launcher with a rank of its own, below another one whose size it set anew.
    {"MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1|PMI_RANK=2|PMI_SIZE=5|PALS_RANKID=2|PALS_LOCAL_RANKID=2|"
     "PALS_LOCAL_SIZE=3|PALS_NODEID=0",
     "", hidden_shell, "E", ""},
    // Of two incomplete records, one is newer than what a shell exported. So may be the other.
    {PADDLE "|RANK_ID=1|RANK_SIZE=2|DEVICE_ID=1", "", ascend_in_paddle, "E", ""},
    // One that is proved against a third, and that agrees with another until the rules complete it.
    {HYDRA "|TORCHELASTIC_RUN_ID=1|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|GROUP_RANK=0|"
           "GROUP_WORLD_SIZE=1|BYTEPS_LOCAL_RANK=0|BYTEPS_LOCAL_SIZE=1|DMLC_ROLE=worker|"
           "DMLC_WORKER_ID=0|DMLC_NUM_WORKER=2",
     "", in_torchrun, "byteps 0/2 local 0/1 node 0/2; torchrun stale; hydra stale", ""},
    // Two that one process set: it is nearer than srun, but neither is nearer than the other.
    {STEP "|" HYDRA "|" MPIRUN, "", wrapper_exports, "E", ""},
    // Two launchers that set the same two names, where those that only Hydra sets are gone.
    {PLATFORM, "", hydra_in_platform,
     "MPI_LOCALRANKID=\"0\": expected a number of the launch of MPI_RANKID (platform_mpi): hydra "
     "is "
     "nearer and sets this too; unset the variables of the one that did not start this process; in "
     "the program, pass Config::rank, ::world_size and ::local_rank",
     ""},
    {PLATFORM, "", platform_in_hydra, "platform_mpi 1/3 local 0/1 node ?/?", ""},
    // mpirun and jsrun, whose Spectrum MPI sets the names of Open MPI to numbers of its own.
    {JSRUN "|" MPIRUN, "", hidden_shell, "E", ""},
    {JSRUN "|" MPIRUN, "", mpirun_in_jsrun, "open_mpi 1/2 local 1/2 node 0/1; jsrun stale", ""},
    // Where both are the same, jsrun may have set both: mpirun's daemon above proves nothing.
    {JSRUN_AND_MPIRUN "|RANK_ID=0|RANK_SIZE=3|DEVICE_ID=0", "", hidden_orted, "E", ""},
    // So mpirun's number of nodes is not taken, though Slurm's tasks may be the daemons of mpirun.
    {"JSM_NAMESPACE_RANK=0|JSM_NAMESPACE_SIZE=3|JSM_NAMESPACE_LOCAL_RANK=0|"
     "JSM_NAMESPACE_LOCAL_SIZE=1|OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=3|"
     "OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_LOCAL_SIZE=1|OMPI_MCA_orte_num_nodes=2|"
     "SLURM_STEP_NUM_NODES=3|SLURM_STEP_NODELIST=n[1-3]|SLURMD_NODENAME=n1|SLURM_NODEID=0|"
     "SLURM_STEP_TASKS_PER_NODE=1(x3)|SLURM_STEP_NUM_TASKS=3|SLURM_PROCID=0|SLURM_LOCALID=0|"
     "SLURM_GTIDS=0|SLURM_JOB_ID=7|SLURM_STEP_ID=1",
     "", hidden_shell, "jsrun 0/3 local 0/1 node ?/?; open_mpi same; slurm same", ""},
    {JSRUN "|OMPI_COMM_WORLD_RANK=4", "", hidden_shell,
     "jsrun 4/6 local 0/? node ?/?; open_mpi same", ""},
    // Flux sets no local size: on one node it is the world size, and else another number of nodes.
    {"FLUX_TASK_RANK=0|FLUX_JOB_SIZE=2|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=1|SLURM_PROCID=0|"
     "SLURM_STEP_NUM_TASKS=2|SLURM_LOCALID=0|SLURM_GTIDS=0|SLURM_NODEID=0|SLURM_STEP_NUM_NODES=2",
     "", hidden_shell, "E", ""},
    {"FLUX_TASK_RANK=0|FLUX_JOB_SIZE=4|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=2|SLURM_PROCID=0|"
     "SLURM_STEP_NUM_TASKS=4|SLURM_LOCALID=0|SLURM_GTIDS=0|SLURM_NODEID=0|SLURM_STEP_NUM_NODES=4",
     "", hidden_shell, "E", ""},
};

TEST(Nesting, unproven_numbers_are_refused) {
  for (const Process& process : unproven) {
    const auto summary = rankmap_test::summary(Topology::from_environment(process));
    if (process.expected == "E") {
      EXPECT_FALSE(Topology::from_environment(process)) << summary.view();
    } else {
      EXPECT_EQ(summary.view(), process.expected);
    }
  }
}

constexpr std::string_view believed_in(std::string_view explanation) {
  const std::size_t begin = explanation.find("\nbelieved ");
  if (begin == std::string_view::npos) return {};
  const std::string_view line = explanation.substr(begin + 19);
  return line.substr(0, line.find('\n'));
}

// Each row is a constant evaluation of its own, since compilers limit the steps of one.
template <std::size_t I>
constexpr bool holds =
    rankmap_test::summary(Topology::from_environment(processes[I])).view() == processes[I].expected;
static_assert(rankmap_test::constant_rows_hold<std::size(processes)>([](auto i) {
  return holds<i>;
}));

TEST(Nesting, is_settled_by_the_processes_above) {
  for (const Process& process : processes) {
    const auto topology = Topology::from_environment(process);
    EXPECT_EQ(rankmap_test::summary(topology).view(), process.expected) << process.variables;
    if (!topology) continue;
    const auto explanation = explain(*topology);
    EXPECT_EQ(believed_in(explanation), process.believed) << process.variables;
    std::string json;
    write_json(*topology, [&](std::string_view piece) { json += piece; });
    EXPECT_EQ(json.find("\"proof\":null") != json.npos, process.believed.empty());
  }
}

// The names of the processes are asked for once, and what they started with only in a dispute.
TEST(Nesting, asks_for_the_processes_above_once) {
  struct Counting : RecordedEnvironment {
    using RecordedEnvironment::RecordedEnvironment;
    std::span<const Ancestor> ancestors() const {
      ++asked;
      return {};
    }
    mutable int asked = 0;
  };
  for (const std::string_view variables :
       {std::string_view(STEP), std::string_view(STEP "|PMI_RANK=5|PMI_SIZE=8"),
        std::string_view(SCRIPT), std::string_view(MPIRUN)}) {
    const Counting environment(variables, '|');
    EXPECT_TRUE(Topology::from_environment(environment));
    EXPECT_EQ(environment.asked, 1) << variables;
  }
  const Counting unread(STEP, '|');
  EXPECT_TRUE(Topology::from_environment(unread, {.read_processes = false}));
  EXPECT_EQ(unread.asked, 0);
  const Counting nobody("", '|');
  EXPECT_TRUE(Topology::from_environment(nobody));
  EXPECT_EQ(nobody.asked, 1) << "whether a launcher's variables were taken away";
  const Counting environment(STEP "|" MPIRUN, '|');
  EXPECT_FALSE(Topology::from_environment(environment));
  EXPECT_EQ(environment.asked, 1);
}

}  // namespace
