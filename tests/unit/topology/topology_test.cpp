// SPDX-License-Identifier: MIT
//
// The whole record of each launcher comes out right, and its messages. What else a launcher's
// variables may hold is in launcher/environments_test.cpp.
#include "support/summary.hpp"
#include "support/variable.hpp"

#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace {

using rankmap::Distribution;
using rankmap::FixedEnvironment;
using rankmap::Launcher;
using rankmap::OriginKind;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::TopologyField;
using rankmap_test::Case;
using rankmap_test::set_variable;

// ---- constant expressions

constexpr FixedEnvironment literal({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}});
static_assert(Topology::from_environment(literal)->rank() == 3);
static_assert(Topology::from_environment(literal)->world_size() == 4);
static_assert(Topology::from_environment(literal)->local_rank() == 1);
static_assert(Topology::from_config({.rank = 2, .world_size = 3, .local_rank = 0})->rank() == 2);
constexpr auto kept = Topology::from_environment(literal);  // outlives the evaluation
static_assert(kept->is_distributed() && !kept->is_main() && !kept->is_local_main());
static_assert(Topology::from_config({.rank = 0, .world_size = 2, .local_rank = 0})->is_main());
static_assert(!Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 0})->is_main());
static_assert(
    Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 0})->is_local_main());
static_assert(
    !Topology::from_config({.rank = 0, .world_size = 2, .local_rank = 1})->is_local_main());

// ---- one table of environments, checked at compile time and at run time

#define TORCHRUN_3_OF_4                                                                     \
  "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|" \
  "GROUP_WORLD_SIZE=2"
#define BY_HAND_5_OF_8                                                                          \
  "RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1|MASTER_ADDR=n1|MASTER_PORT=" \
  "29500"
#define COMPOSER_5_OF_8 BY_HAND_5_OF_8 "|PYTHONUNBUFFERED=1|TORCH_NCCL_ASYNC_ERROR_HANDLING=1"
#define OMPI_5_OF_6                                                             \
  "OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|OMPI_COMM_WORLD_LOCAL_RANK=1|" \
  "OMPI_COMM_WORLD_LOCAL_SIZE=2"
#define HYDRA_5_OF_6 "PMI_RANK=5|PMI_SIZE=6|MPI_LOCALRANKID=1|MPI_LOCALNRANKS=2"
#define SRUN_3_OF_4_WITHOUT_JOB                                                           \
  "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_NODEID=1|SLURM_GTIDS=2,3|SLURM_STEP_NUM_TASKS=4|" \
  "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=2(x2)|"    \
  "SLURMD_NODENAME=n2"
#define SRUN_3_OF_4       \
  SRUN_3_OF_4_WITHOUT_JOB \
  "|SLURM_JOB_ID=9|SLURM_STEP_ID=0|SLURM_JOB_NODELIST=n[1-2]|SLURM_NTASKS=4"
#define BATCH_SCRIPT                                                                           \
  "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_NTASKS=6|SLURM_JOB_ID=9|" \
  "SLURMD_NODENAME=n1|SLURM_TASK_PID=4711"
// One task on each node, for one agent on each node.
#define SRUN_1_OF_2                                                                     \
  "SLURM_PROCID=1|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=1|SLURM_STEP_NUM_TASKS=2|" \
  "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"  \
  "SLURMD_NODENAME=n2|SLURM_JOB_ID=9|SLURM_STEP_ID=0"

constexpr Distribution block = Distribution::block;
constexpr Launcher no_torch[] = {Launcher::torchrun, Launcher::torch_env};
constexpr Launcher no_torchrun[] = {Launcher::torchrun};
constexpr Launcher no_slurm[] = {Launcher::slurm};

constexpr Case cases[] = {
    // No launcher, and "not distributed".
    {"", "none 0/1 local 0/1 node 0/1"},
    {"PATH=x|HOME=y|KUBERNETES_SERVICE_HOST=10.0.0.1", "none 0/1 local 0/1 node 0/1"},
    {"RANK=|WORLD_SIZE=|LOCAL_RANK=|SLURM_PROCID=", "none 0/1 local 0/1 node 0/1"},
    {"LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1"},
    {"RANK=-1|WORLD_SIZE=-1|LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1"},
    {"RANK=-10|WORLD_SIZE=-9|LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1"},
    {"RANK=0|WORLD_SIZE=1|LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1"},
    {"LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1", {.launcher = Launcher::torch_env}},
    {"LOCAL_RANK=-1|" OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?; torch_env stale"},

    // Each launcher of workers alone. What its record does not have stays unknown.
    {TORCHRUN_3_OF_4, "torchrun 3/4 local 1/2 node 1/2"},
    {"TORCHELASTIC_RUN_ID=none|RANK=0|WORLD_SIZE=6|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=0|"
     "GROUP_WORLD_SIZE=3",
     "torchrun 0/6 local 0/2 node 0/3"},
    {"HOROVOD_RANK=1|HOROVOD_SIZE=3|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|HOROVOD_CROSS_RANK=0|"
     "HOROVOD_CROSS_SIZE=1",
     "horovod 1/3 local 1/2 node ?/?"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_SIZE=4|CROSS_RANK=1|CROSS_SIZE=2",
     "deepspeed 5/8 local 1/4 node 1/2"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1|ACCELERATE_TORCH_DEVICE=cuda:"
     "1",
     "ray_train 5/8 local 1/4 node 1/?"},
    // Ray deals devices as it likes: not always the one at the local rank.
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1|ACCELERATE_TORCH_DEVICE=cuda:"
     "3",
     "ray_train 5/8 local 1/4 node 1/?; warning ACCELERATE_TORCH_DEVICE"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1|ACCELERATE_TORCH_DEVICE=cpu",
     "ray_train 5/8 local 1/4 node 1/?"},
    {COMPOSER_5_OF_8, "composer 5/8 local 1/4 node 1/?"},
    {BY_HAND_5_OF_8 "|PYTHONUNBUFFERED=1|NCCL_ASYNC_ERROR_HANDLING=1",
     "composer 5/8 local 1/4 node 1/?"},
    // The names alone are anybody's, whatever else a job script sets for Python or NCCL.
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|NODE_RANK=1", "torch_env 5/8 local 1/? node 1/?"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=1",
     "torch_env 5/8 local 1/4 node 1/?"},
    {BY_HAND_5_OF_8, "torch_env 5/8 local 1/4 node 1/?"},
    {BY_HAND_5_OF_8 "|PYTHONUNBUFFERED=1", "torch_env 5/8 local 1/4 node 1/?"},
    {BY_HAND_5_OF_8 "|TORCH_NCCL_ASYNC_ERROR_HANDLING=1", "torch_env 5/8 local 1/4 node 1/?"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1", "torch_env 5/8 local 1/? node ?/?"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=5|LOCAL_WORLD_SIZE=8", "torch_env 5/8 local 5/8 node 0/1"},
    {"WORLD_SIZE=1", "torch_env 0/1 local 0/1 node 0/1"},
    {"WORLD_SIZE=1|RANK=0", "torch_env 0/1 local 0/1 node 0/1"},
    {OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=3|OMPI_COMM_WORLD_NODE_RANK=1",
     "open_mpi 5/6 local 1/2 node ?/3"},
    {"JSM_NAMESPACE_RANK=5|JSM_NAMESPACE_SIZE=6|JSM_NAMESPACE_LOCAL_RANK=1|"
     "JSM_NAMESPACE_LOCAL_SIZE=2|OMPI_COMM_WORLD_RANK=5",
     "jsrun 5/6 local 1/2 node ?/?; open_mpi same"},
    {"MV2_COMM_WORLD_RANK=5|MV2_COMM_WORLD_SIZE=6|MV2_COMM_WORLD_LOCAL_RANK=1|"
     "MV2_COMM_WORLD_LOCAL_SIZE=2",
     "mvapich2 5/6 local 1/2 node ?/?"},
    {HYDRA_5_OF_6, "hydra 5/6 local 1/2 node ?/?"},
    {"FLUX_TASK_RANK=5|FLUX_JOB_SIZE=6|FLUX_TASK_LOCAL_ID=1|FLUX_JOB_NNODES=3|FLUX_JOB_ID=f58|"
     "PMI_RANK=5|PMI_SIZE=6",
     "flux 5/6 local 1/? node ?/3; pmi same"},
    {"PALS_RANKID=5|PMI_SIZE=6|PMI_RANK=5|PALS_LOCAL_RANKID=1|PALS_LOCAL_SIZE=2|PALS_NODEID=2",
     "pals 5/6 local 1/2 node 2/?"},
    {"PADDLE_TRAINER_ID=5|PADDLE_TRAINERS_NUM=6|PADDLE_RANK_IN_NODE=1|PADDLE_LOCAL_SIZE=2|"
     "PADDLE_NNODES=3",
     "paddle 5/6 local 1/2 node ?/3"},
    {"MS_WORKER_NUM=1|MS_ROLE=MS_WORKER", "mindspore 0/1 local 0/1 node 0/1"},
    {"RANK_ID=5|RANK_SIZE=6|DEVICE_ID=1|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; ascend same"},
    {SRUN_3_OF_4, "slurm 3/4 local 1/2 node 1/2"},
    {"PMI_RANK=1|PMI_SIZE=4|PMI_SMPD_KEY=1|MSMPI_LOCAL_ONLY=1", "ms_mpi 1/4 local 1/4 node 0/1"},
    {"PMI_RANK=1|PMI_SIZE=4|PMI_LOCAL_RANK=1|PMI_LOCAL_SIZE=2", "pmi 1/4 local 1/2 node ?/?"},
    {"PMI_RANK=0|PMI_SIZE=1", "pmi 0/1 local 0/1 node 0/1"},
    {"FLUX_JOB_SIZE=8|FLUX_JOB_ID=f58", "none 0/1 local 0/1 node 0/1"},

    // Nodes are known only if they are proved, not from numbers that look even.
    {"RANK=0|WORLD_SIZE=6|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2", "torch_env 0/6 local 0/2 node ?/?"},
    {"FLUX_TASK_RANK=1|FLUX_JOB_SIZE=3|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=3",
     "flux 1/3 local 0/1 node ?/3"},
    {"FLUX_TASK_RANK=1|FLUX_JOB_SIZE=3|FLUX_TASK_LOCAL_ID=1|FLUX_JOB_NNODES=1",
     "flux 1/3 local 1/3 node 0/1"},

    // Nesting: the innermost complete record is chosen; those of the launchers that started it are
    // nested.
    {SRUN_1_OF_2 "|" TORCHRUN_3_OF_4, "torchrun 3/4 local 1/2 node 1/2; slurm nested"},
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
     "OMPI_COMM_WORLD_LOCAL_SIZE=1|PMIX_RANK=1|PMIX_NAMESPACE=7|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; open_mpi nested; pmix nested"},
    // More daemons than processes are not their agents.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=4|"
     "SLURM_STEP_NUM_NODES=4|SLURM_STEP_NODELIST=n[1-4]|SLURM_STEP_TASKS_PER_NODE=1(x4)|"
     "RANK=1|WORLD_SIZE=2|LOCAL_RANK=1",
     "torch_env 1/2 local 1/? node ?/?; slurm conflict",
     {.launcher = Launcher::torch_env}},
    // A pod does not contradict workers without node numbers.
    {OMPI_5_OF_6 "|PET_NODE_RANK=0|PET_NNODES=3",
     "open_mpi 5/6 local 1/2 node ?/?; kubeflow nested"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=3|JOB_COMPLETION_INDEX=1",
     "open_mpi 5/6 local 1/2 node ?/3; kubernetes nested"},
    {BATCH_SCRIPT "|" OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?; slurm stale"},
    {SRUN_1_OF_2 "|OMPI_MCA_orte_num_nodes=3|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/3; slurm nested"},
    // Hydra's proxies: GTIDS and the node's name come from the batch node.
    {"SLURM_PROCID=2|SLURM_LOCALID=0|SLURM_NODEID=2|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=3|"
     "SLURM_STEP_NUM_NODES=3|SLURM_STEP_NODELIST=n[1-3]|SLURM_STEP_TASKS_PER_NODE=1(x3)|"
     "SLURMD_NODENAME=n1|" HYDRA_5_OF_6,
     "hydra 5/6 local 1/2 node ?/?; slurm stale"},
    {SRUN_3_OF_4 "|PMI_RANK=3|PMI_SIZE=4|PMI_JOBID=9.0|SLURM_MPI_TYPE=pmi2",
     "slurm 3/4 local 1/2 node 1/2; pmi same"},
    {SRUN_3_OF_4 "|PMIX_RANK=3|PMIX_NAMESPACE=slurm.pmix.9.0",
     "slurm 3/4 local 1/2 node 1/2; pmix same"},
    // Job or step alone do not decide about the namespace.
    {SRUN_3_OF_4_WITHOUT_JOB "|PMIX_RANK=3|PMIX_NAMESPACE=slurm.pmix.8.1|SLURM_JOB_ID=9",
     "slurm 3/4 local 1/2 node 1/2; pmix same"},
    {SRUN_3_OF_4_WITHOUT_JOB "|PMIX_RANK=3|PMIX_NAMESPACE=slurm.pmix.8.1|SLURM_STEP_ID=0",
     "slurm 3/4 local 1/2 node 1/2; pmix same"},
    {SRUN_3_OF_4 "|PALS_RANKID=3|PALS_NODEID=1|SLURM_MPI_TYPE=cray_shasta",
     "slurm 3/4 local 1/2 node 1/2"},
    {SRUN_3_OF_4 "|ALPS_APP_PE=3", "slurm 3/4 local 1/2 node 1/2"},
    // pyxis writes RANK and LOCAL_RANK without a size, enroot's hook all three, in images of
    // PyTorch:
    // both mirror srun. So does submitit.
    {SRUN_3_OF_4 "|RANK=3|LOCAL_RANK=1", "slurm 3/4 local 1/2 node 1/2; torch_env same"},
    {SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|PYTORCH_VERSION=2.6",
     "torch_env 3/4 local 1/2 node 1/2; slurm same"},
    // Numbers that the chosen names have are not replaced.
    {SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|SUBMITIT_EXECUTOR=slurm",
     "torch_env 3/4 local 1/2 node 1/2; slurm same"},
    {SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|RANKMAP_EXEC=torchrun",
     "torch_env 3/4 local 1/2 node 1/2; slurm same"},
    // An unknown script may copy other numbers on the next rank. What it does not say is not taken
    // from the other record.
    {SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1",
     "torch_env 3/4 local 1/? node ?/?; slurm same"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=3|RANK=5|WORLD_SIZE=6|LOCAL_RANK=1",
     "torch_env 5/6 local 1/? node ?/?; open_mpi same"},
    // Nor is a number of nodes believed where two launchers may have started each other.
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=3|MV2_COMM_WORLD_RANK=5|MV2_COMM_WORLD_SIZE=6|"
                 "MV2_COMM_WORLD_LOCAL_RANK=1|MV2_COMM_WORLD_LOCAL_SIZE=2|MV2_NODE_ID=2|"
                 "MV2_NUM_NODES_IN_JOB=3",
     "open_mpi 5/6 local 1/2 node ?/?; mvapich2 same"},
    {SRUN_3_OF_4 "|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0",
     "torch_env 0/2 local 0/? node ?/?; slurm conflict",
     {.launcher = Launcher::torch_env}},
    // Lightning's variables in a step with the same identity.
    {"NODE_RANK=1|LOCAL_RANK=1|WORLD_SIZE=4|MASTER_ADDR=a|MASTER_PORT=1|" SRUN_3_OF_4,
     "LOCAL_RANK=\"1\": expected a number of the launch of SLURM_LOCALID (slurm, not "
     "lightning), though both are equal here: either may have started the other; set "
     "RANKMAP_LAUNCHER to the inner one, slurm or lightning, or unset the variables of the "
     "other; in the program, set Config::launcher"},
    // With one task a node it may be the step of agents with the same numbers by chance: not used.
    {SRUN_1_OF_2 "|RANK=1|WORLD_SIZE=2|LOCAL_RANK=0",
     "torch_env 1/2 local 0/? node ?/?; slurm same"},
    // A pod operator's identity of the node, around an agent that overwrote RANK.
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_NPROC_PER_NODE=2|JOB_COMPLETION_INDEX=1|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; kubeflow nested; kubernetes nested"},
    {"PET_NODE_RANK=1|PET_NNODES=3|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; kubeflow conflict; warning PET_NODE_RANK"},
    // Leftovers without a number.
    {"TORCHELASTIC_RUN_ID=j|" OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?; torchrun stale"},

    // In a Slurm job, but not a task.
    {BATCH_SCRIPT, "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NTASKS=6|SLURM_STEP_ID=-5",
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_NTASKS=4|"
     "SLURM_STEP_NUM_TASKS=1|SLURM_STEP_NUM_NODES=1|SLURM_STEP_NODELIST=n1|"
     "SLURM_STEP_TASKS_PER_NODE=1|SLURM_STEP_ID=4294967290",
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_JOB_ID=9|SLURM_NTASKS=4|SLURM_NNODES=2|SLURM_TASKS_PER_NODE=2(x2)",
     "none 0/1 local 0/1 node 0/1"},
    // pyxis runs a script in a container.
    {BATCH_SCRIPT "|RANK=0|LOCAL_RANK=0|PYTORCH_VERSION=2.4",
     "none 0/1 local 0/1 node 0/1; torch_env same; slurm stale"},
    // The PMIx variables of an earlier step, or of another job.
    {SRUN_3_OF_4 "|PMIX_RANK=0|PMIX_NAMESPACE=slurm.pmix.9.7",
     "slurm 3/4 local 1/2 node 1/2; pmix stale"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_JOB_ID=9|SLURM_STEP_ID=0|"
     "SLURM_STEP_NUM_TASKS=3|SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|"
     "SLURM_STEP_TASKS_PER_NODE=2,1|SLURMD_NODENAME=n3|SLURM_JOB_NODELIST=n3|PMIX_RANK=2|PMIX_"
     "NAMESPACE=slurm.pmix.8.0",
     "none 0/1 local 0/1 node 0/1; slurm stale; pmix stale"},
    {SRUN_3_OF_4 "|SLURM_HET_SIZE=2|PMIX_RANK=3|PMIX_NAMESPACE=slurm.pmix.10.0",
     "slurm 3/4 local 1/2 node 1/2; pmix same"},
    // A local rank that chooses a device; the rest of torchrun after a program unset RANK and
    // others.
    {SRUN_3_OF_4 "|OMPI_COMM_WORLD_LOCAL_RANK=0",
     "slurm 3/4 local 1/2 node 1/2; open_mpi conflict"},
    {"TORCHELASTIC_RUN_ID=j|LOCAL_WORLD_SIZE=4|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; torchrun conflict"},
    // A batch script that was submitted from inside another job's step.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_NTASKS=1|SLURM_STEP_ID=0|"
     "SLURM_STEP_NUM_TASKS=3|SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|"
     "SLURM_STEP_TASKS_PER_NODE=2,1|SLURMD_NODENAME=n3|SLURM_JOB_NODELIST=n3",
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    // The same if host and count happen to agree: only the nodes of the job differ.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=3|"
     "SLURM_STEP_NUM_NODES=3|SLURM_STEP_NODELIST=n[1-3]|SLURM_STEP_TASKS_PER_NODE=1(x3)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n1",
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    // The same nodes in the same shape: submitted on a host of the step, and without SLURM_UMASK.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=2|"
     "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n[1-2]|SLURM_SUBMIT_HOST=n2",
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=2|"
     "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n[1-2]|SLURM_SUBMIT_HOST=n2|SLURM_UMASK=0022",
     "slurm 0/2 local 0/1 node 0/2"},
    // With another task on its node it is not a script: a script's SLURM_GTIDS is 0.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0,1|SLURM_STEP_NUM_TASKS=4|"
     "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=2(x2)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n[1-2]|SLURM_SUBMIT_HOST=n2",
     "slurm 0/4 local 0/2 node 0/2"},
    // A missing SLURM_UMASK alone does not make a script.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=2|"
     "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"
     "SLURMD_NODENAME=n1|SLURM_JOB_NODELIST=n[1-2]|SLURM_SUBMIT_HOST=login",
     "slurm 0/2 local 0/1 node 0/2"},
    // A heterogeneous step: the hosts are sorted by name, and the index is that of this host's
    // name.
    {SRUN_3_OF_4 "|SLURM_HET_SIZE=2", "slurm 3/4 local 1/2 node 1/2"},
    {"SLURM_NODEID=7|SLURM_HET_SIZE=2|" SRUN_3_OF_4,
     "slurm 3/4 local 1/2 node ?/?; warning SLURM_NODEID"},
    // A job's list that cannot be read does not make the step stale.
    {"SLURM_JOB_NODELIST=n[1-|" SRUN_3_OF_4, "slurm 3/4 local 1/2 node 1/2"},
    {"SLURM_DISTRIBUTION=plane|" SRUN_3_OF_4, "slurm 3/4 local 1/2 node 1/2"},
    // srun -E leaves the job's SLURM_NTASKS in the step.
    {SRUN_1_OF_2 "|SLURM_NTASKS=8", "slurm 1/2 local 0/1 node 1/2"},

    // A step id that is too long is dropped.
    {"SLURM_STEP_ID=77777777777777777777777777777777|" SRUN_3_OF_4,
     "slurm 3/4 local 1/2 node 1/2; warning SLURM_STEP_ID"},

    // The number of a node becomes a rank only if the caller states one process a node.
    {"RANK=1|WORLD_SIZE=2|MASTER_ADDR=a",
     "torch_env 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"JOB_COMPLETION_INDEX=2",
     "kubernetes 2/4 local 0/1 node 2/4",
     {.world_size = 4, .one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b,c",
     "tpu 1/3 local 0/1 node 1/3",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b,c|MEGASCALE_SLICE_ID=1|MEGASCALE_NUM_SLICES=2",
     "tpu 4/6 local 0/1 node 4/6",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=0|MEGASCALE_NUM_SLICES=1",
     "tpu 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"PROCESS_ID=1|NUM_PROCESSES=2|COORDINATOR_ADDRESS=a|COORDINATOR_PORT=1",
     "jax_job 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"AZUREML_CR_NODE_RANK=1|AZ_BATCH_HOST_LIST=a,b",
     "azure 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"AZUREML_CR_NODE_RANK=1|AZUREML_NODE_COUNT=2",
     "azure 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"AZUREML_CR_NODE_RANK=0|AZUREML_NODE_COUNT=1", "none 0/1 local 0/1 node 0/1; azure nested"},
    {"SKYPILOT_NODE_RANK=1|SKYPILOT_NUM_NODES=2",
     "skypilot 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_NPROC_PER_NODE=1",
     "kubeflow 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_NPROC_PER_NODE=auto",
     "kubeflow 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    // The statement completes the record of a process too.
    {"RANK=1|WORLD_SIZE=4|LOCAL_RANK=0",
     "torch_env 1/4 local 0/1 node 1/4",
     {.one_process_per_node = true}},
    {R"(SM_HOSTS=["algo-1","algo-10","algo-2"]|SM_CURRENT_HOST=algo-2)",
     "sagemaker 2/3 local 0/1 node 2/3",
     {.one_process_per_node = true}},
    {R"(SM_HOSTS=["algo-1"]|SM_CURRENT_HOST=algo-1)",
     "none 0/1 local 0/1 node 0/1; sagemaker nested"},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1","b:1"],"ps":["c:1"]},"task":{"type":"worker","index":1}})",
     "tf_config 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1","b:1"],"chief":["c:1"]},"task":{"type":"worker","index":"1"}})",
     "tf_config 2/3 local 0/1 node 2/3",
     {.one_process_per_node = true}},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1","b:1"],"chief":["c:1"]},"task":{"type":"chief","index":0}})",
     "tf_config 0/3 local 0/1 node 0/3",
     {.one_process_per_node = true}},
    {R"(TF_CONFIG={"cluster":{"worker":{"1":"b:1"}},"task":{"type":"worker","index":1}})",
     "tf_config 1/3 local 0/1 node 1/3",
     {.world_size = 3, .one_process_per_node = true}},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1","b:1"],"master":["c:1"]},"task":{"type":"master","index":0}})",
     "tf_config 0/3 local 0/1 node 0/3",
     {.one_process_per_node = true}},
    // A chief in a sparse map has a rank too, but the workers after it cannot be counted.
    {R"(TF_CONFIG={"cluster":{"chief":{"0":"c:1"},"worker":["a:1","b:1"]},"task":{"type":"chief","index":0}})",
     "tf_config 0/3 local 0/1 node 0/3",
     {.world_size = 3, .one_process_per_node = true}},
    {R"(CLUSTER_SPEC={"cluster":{"workerpool0":["a:1"],"workerpool1":["b:1","c:1"],"workerpool2":["d:1"]},"task":{"type":"workerpool1","index":1}})",
     "vertex 2/3 local 0/1 node 2/3",
     {.one_process_per_node = true}},
    {R"(CLUSTER_SPEC={"cluster":{"workerpool0":["a:1"]},"task":{"type":"workerpool0","index":0}})",
     "none 0/1 local 0/1 node 0/1; vertex nested"},
    {R"(CLUSTER_SPEC={"worker":["a:1","b:1"]}|TF_CONFIG={"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})",
     "tf_config 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"AWS_BATCH_JOB_NODE_INDEX=1|AWS_BATCH_JOB_NUM_NODES=3",
     "aws_batch 1/3 local 0/1 node 1/3",
     {.one_process_per_node = true}},
    // Slots may share a machine: they number processes, not nodes.
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "condor 1/3 local 1/? node ?/?",
     {.local_rank = 1, .one_process_per_node = true}},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "condor 1/3 local 0/1 node ?/?",
     {.local_rank = 0, .local_world_size = 1, .one_process_per_node = true}},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "condor 1/3 local 1/3 node 0/1",
     {.local_rank = 1, .local_world_size = 3, .one_process_per_node = true}},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "condor 1/3 local 0/2 node 1/2",
     {.tasks_per_node = "1,2", .distribution = Distribution::block, .one_process_per_node = true}},
    {"_CONDOR_PROCNO=0|_CONDOR_NPROCS=1",
     "condor 0/1 local 0/1 node 0/1",
     {.one_process_per_node = true}},
    // Three agents, in the first slot of each machine.
    {"_CONDOR_PROCNO=4|_CONDOR_NPROCS=5|TORCHELASTIC_RUN_ID=j|RANK=2|WORLD_SIZE=6|LOCAL_RANK=0|"
     "LOCAL_WORLD_SIZE=2|GROUP_RANK=1|GROUP_WORLD_SIZE=3",
     "torchrun 2/6 local 0/2 node 1/3; condor nested"},
    {"_CONDOR_PROCNO=0", "none 0/1 local 0/1 node 0/1; warning _CONDOR_PROCNO"},
    {"PROCESS_ID=1|NUM_PROCESSES=2", "none 0/1 local 0/1 node 0/1; warning PROCESS_ID"},
    // A single node needs no statement.
    {"TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=localhost", "none 0/1 local 0/1 node 0/1; tpu nested"},
    {"PET_NODE_RANK=0|PET_NNODES=1|JOB_COMPLETION_INDEX=0",
     "none 0/1 local 0/1 node 0/1; kubeflow nested; kubernetes nested"},

    // Explicit values.
    {"",
     "config 3/4 local 1/2 node 1/2",
     {.rank = 3, .world_size = 4, .tasks_per_node = "2(x2)", .distribution = Distribution::block}},
    {"",
     "config 3/4 local 1/2 node 1/2",
     {.rank = 3, .world_size = 4, .tasks_per_node = "2(x2)", .distribution = Distribution::cyclic}},
    {"",
     "config 3/8 local 3/4 node 0/2",
     {.rank = 3,
      .world_size = 8,
      .node_count = 2,
      .distribution = Distribution::block,
      .even_nodes = true}},
    {"",
     "config 3/4 local 0/1 node 3/4",
     {.rank = 3, .world_size = 4, .one_process_per_node = true}},
    {"", "config 2/3 local 2/3 node 0/1", {.rank = 2, .world_size = 3, .node_count = 1}},
    // A node without ranks counts, on every rank.
    {"",
     "config 0/3 local 0/2 node 0/3",
     {.rank = 0,
      .world_size = 3,
      .hosts = "a,b,c",
      .tasks_per_node = "2,1,0",
      .distribution = block}},
    {"",
     "config 1/3 local 1/2 node 0/3",
     {.rank = 1,
      .world_size = 3,
      .hosts = "a,b,c",
      .tasks_per_node = "2,1,0",
      .distribution = block}},
    {"",
     "config 2/3 local 0/1 node 1/3",
     {.rank = 2,
      .world_size = 3,
      .hosts = "a,b,c",
      .tasks_per_node = "2,1,0",
      .distribution = block}},
    {"",
     "config 2/3 local 0/1 node 1/4",
     {.rank = 2, .world_size = 3, .tasks_per_node = "2,1,0,0", .distribution = block}},
    {"",
     "config 2/3 local 2/3 node 0/2",
     {.rank = 2, .world_size = 3, .tasks_per_node = "3,0", .distribution = block}},
    {"",
     "config 0/1 local 0/1 node 1/2",
     {.rank = 0, .world_size = 1, .tasks_per_node = "0,1", .distribution = block}},
    {"",
     "config 1/2 local 0/1 node 2/3",
     {.rank = 1,
      .world_size = 2,
      .node_rank = 2,
      .tasks_per_node = "1,0,1",
      .distribution = block}},
    {"",
     "config 1/2 local 1/2 node 0/1",
     {.rank = 1, .world_size = 2, .tasks_per_node = "2"}},  // one node needs no distribution
    {"", "config 0/1 local -1/1 node 0/1", {.rank = 0, .world_size = 1, .local_rank = -1}},
    {TORCHRUN_3_OF_4,
     "config 0/2 local 0/? node ?/?; torchrun conflict",
     {.rank = 0, .world_size = 2, .local_rank = 0, .launcher = Launcher::config}},
    {"", "config 0/1 local 0/1 node 0/1", {.world_size = 1}},
    {"", "config 0/1 local -1/1 node 0/1", {.local_rank = -1}},
    {TORCHRUN_3_OF_4, "config 0/1 local -1/1 node 0/1; torchrun conflict", {.local_rank = -1}},
    {TORCHRUN_3_OF_4, "torchrun 3/4 local 1/2 node 1/2", {.rank = 3, .world_size = 4}},
    {TORCHRUN_3_OF_4,
     "config 0/2 local 0/? node ?/?; torchrun conflict",
     {.rank = 0, .world_size = 2, .local_rank = 0}},
    {OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node 2/3",
     {.distribution = Distribution::block, .even_nodes = true}},
    {"NODE_RANK=1|LOCAL_RANK=2|WORLD_SIZE=8|MASTER_ADDR=a|MASTER_PORT=1",
     "lightning 6/8 local 2/4 node 1/2",
     {.local_world_size = 4, .even_nodes = true}},
    {"PMI_RANK=1|PMI_SIZE=4", "pmi 1/4 local 1/? node ?/?", {.local_rank = 1}},
    {"RANK=abc|WORLD_SIZE=4",
     "config 1/2 local 1/? node ?/?; torch_env conflict",
     {.rank = 1, .world_size = 2, .local_rank = 1}},

    // A text that the caller overrides is not checked; the rest of the record is.
    {"RANK=abc|WORLD_SIZE=4|LOCAL_RANK=0", "torch_env 1/4 local 0/? node ?/?", {.rank = 1}},
    {"RANK=1|WORLD_SIZE=0|LOCAL_RANK=0", "torch_env 1/4 local 0/? node ?/?", {.world_size = 4}},
    // Leftovers without a number are not completed by the caller's numbers.
    {"TF_CONFIG=junk",
     "config 1/4 local 1/? node ?/?; tf_config stale",
     {.rank = 1, .world_size = 4, .local_rank = 1}},
    {"TORCHELASTIC_RUN_ID=j",
     "config 1/4 local 1/? node ?/?; torchrun stale",
     {.rank = 1, .world_size = 4, .local_rank = 1}},
    {"TORCHELASTIC_RUN_ID=j|LOCAL_WORLD_SIZE=2",
     "torchrun 1/4 local 1/2 node ?/?",
     {.rank = 1, .world_size = 4, .local_rank = 1}},
    {SRUN_3_OF_4 "|RANK=x",
     "slurm 3/4 local 1/2 node 1/2; torch_env stale",
     {.rank = 3, .world_size = 4}},

    // Excluded launchers are ignored.
    {SRUN_1_OF_2 "|" TORCHRUN_3_OF_4, "slurm 1/2 local 0/1 node 1/2", {.exclude = no_torchrun}},
    {"RANK=abc|" OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?", {.exclude = no_torch}},
    {"SLURM_PROCID=3|SLURM_LOCALID=1", "none 0/1 local 0/1 node 0/1", {.exclude = no_slurm}},

    // The caller's choice of launcher.
    {SRUN_1_OF_2 "|" TORCHRUN_3_OF_4,
     "slurm 1/2 local 0/1 node 1/2; torchrun conflict",
     {.launcher = Launcher::slurm}},
    {TORCHRUN_3_OF_4,
     "none 0/1 local 0/1 node 0/1; torchrun conflict",
     {.launcher = Launcher::none}},

    {"GROUP_WORLD_SIZE=3|" TORCHRUN_3_OF_4 "|" OMPI_5_OF_6,
     "torchrun 3/4 local 1/2 node 1/3; open_mpi conflict",
     {.launcher = Launcher::torchrun, .strict = true}},

    // Optional numbers that cannot be used are unknown, and add a warning.
    {"TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=x|"
     "GROUP_WORLD_SIZE=y",
     "torchrun 3/4 local 1/2 node ?/?; warning GROUP_RANK"},
    {TORCHRUN_3_OF_4 "|TORCHELASTIC_RESTART_COUNT=-1",
     "torchrun 3/4 local 1/2 node 1/2; warning TORCHELASTIC_RESTART_COUNT"},
    {"RANK=0|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=x",
     "torch_env 0/4 local 0/? node ?/?; warning LOCAL_WORLD_SIZE"},
    {"RANK=5|WORLD_SIZE=8|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4|NODE_RANK=9",
     "torch_env 5/8 local 1/4 node ?/?; warning NODE_RANK"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=0",
     "open_mpi 5/6 local 1/2 node ?/?; warning OMPI_MCA_orte_num_nodes"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=1",
     "open_mpi 5/6 local 1/2 node ?/?; warning OMPI_MCA_orte_num_nodes"},
    {SRUN_3_OF_4,
     "slurm 3/4 local 1/2 node 1/3; warning Config::node_count; warning SLURM_STEP_NODELIST",
     {.node_count = 3}},
    {"TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=x|"
     "GROUP_WORLD_SIZE=2",
     "torchrun 3/4 local 1/2 node ?/2; warning GROUP_RANK"},
    {"TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=2|"
     "GROUP_WORLD_SIZE=2",
     "torchrun 3/4 local 1/2 node ?/?; warning GROUP_RANK"},
    // Three other nodes, and two other processes.
    {"GROUP_WORLD_SIZE=4|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node ?/?; warning GROUP_WORLD_SIZE"},
    {TORCHRUN_3_OF_4 "|TORCHELASTIC_RESTART_COUNT=many|MASTER_ADDR=a|MASTER_PORT=99999",
     "torchrun 3/4 local 1/2 node 1/2; warning TORCHELASTIC_RESTART_COUNT; warning MASTER_PORT"},
    {TORCHRUN_3_OF_4 "|MASTER_ADDR=a\r|MASTER_PORT=1",
     "torchrun 3/4 local 1/2 node 1/2; warning MASTER_ADDR"},
    {OMPI_5_OF_6 "|PMIX_HOSTNAME= n1", "open_mpi 5/6 local 1/2 node ?/?; warning PMIX_HOSTNAME"},
    {OMPI_5_OF_6 "|OMPI_MCA_orte_num_nodes=9",
     "open_mpi 5/6 local 1/2 node ?/?; warning OMPI_MCA_orte_num_nodes"},
};

static_assert(rankmap_test::cases_hold<cases>);

// ---- the rest of the interface

/// From variables with '|' between them, in a text that may be a temporary.
rankmap::Result<Topology> from_words(std::string_view variables) {
  return Topology::from_environment(RecordedEnvironment(variables, '|'));
}

TEST(Topology, reports_the_origin_of_each_value) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment(TORCHRUN_3_OF_4, '|'), {.local_rank = 0});
  ASSERT_TRUE(topology);
  const auto& rank = topology->origin(TopologyField::rank);
  EXPECT_EQ(rank.kind, OriginKind::read);
  EXPECT_EQ(rank.launcher, Launcher::torchrun);
  EXPECT_EQ(rank.source, "RANK");
  EXPECT_EQ(rank.text, "3");
  EXPECT_EQ(topology->origin(TopologyField::local_rank).kind, OriginKind::given);
  EXPECT_EQ(topology->origin(TopologyField::local_rank).source, "Config::local_rank");
  EXPECT_EQ(topology->origin(TopologyField::layout).kind, OriginKind::derived);
  EXPECT_EQ(topology->origin(TopologyField::hosts).kind, OriginKind::unknown);
  EXPECT_EQ(topology->local_rank(), 0);
}

TEST(Topology, owns_its_texts) {
  std::string variables = TORCHRUN_3_OF_4 "|MASTER_ADDR=first|MASTER_PORT=29500|" SRUN_1_OF_2;
  const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'));
  ASSERT_TRUE(topology);
  variables.assign(variables.size(), '?');
  EXPECT_EQ(topology->job_id(), "j");
  EXPECT_EQ(topology->host(), "n2");
  ASSERT_TRUE(topology->rendezvous());
  EXPECT_EQ(topology->rendezvous()->init_method()->view(), "tcp://first:29500");
  EXPECT_EQ(topology->origin(TopologyField::rank).text, "3");
}

constexpr Topology from_text(std::string_view variables, const rankmap::Config& config = {}) {
  return *Topology::from_environment(RecordedEnvironment(variables, '|'), config);
}
static_assert(from_text(TORCHRUN_3_OF_4) == from_text(TORCHRUN_3_OF_4));

TEST(Topology, compares_what_it_knows_and_how_it_knows_it) {
  const Topology worker = from_text(TORCHRUN_3_OF_4 "|MASTER_ADDR=n1|MASTER_PORT=29500");
  const Topology same = worker;
  EXPECT_EQ(worker, same);
  const Topology others[] = {
      from_text(TORCHRUN_3_OF_4),
      from_text(TORCHRUN_3_OF_4 "|MASTER_ADDR=n1|MASTER_PORT=29501"),
      from_text(TORCHRUN_3_OF_4 "|MASTER_ADDR=n1|MASTER_PORT=29500|RANKMAP_STRICT=0"),
      from_text(TORCHRUN_3_OF_4 "|MASTER_ADDR=n1|MASTER_PORT=29500", {.local_rank = 1}),
      from_text(TORCHRUN_3_OF_4 "|MASTER_ADDR=n1|MASTER_PORT=29500", {.hosts = "n[1-2]"}),
      from_text(SRUN_3_OF_4),
      from_text(""),
      from_text("LOCAL_RANK=-1"),
  };
  for (const Topology& a : others) {
    EXPECT_NE(worker, a) << explain(a);
    for (const Topology& b : others) EXPECT_EQ(a == b, &a == &b) << explain(a) << explain(b);
  }
}

TEST(Topology, two_torchrun_nodes_have_a_layout) {
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1|GROUP_RANK=1|"
      "GROUP_WORLD_SIZE=2",
      '|'));
  ASSERT_TRUE(topology && topology->layout());
  EXPECT_EQ(topology->layout()->local_world_size(0), 3);
  EXPECT_EQ(topology->layout()->local_world_size(1), 1);
}

TEST(Topology, three_torchrun_nodes_have_a_layout_only_if_stated_even) {
  const RecordedEnvironment first(
      "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=6|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=0|"
      "GROUP_WORLD_SIZE=3",
      '|');
  const auto open = Topology::from_environment(first);  // sizes 2, 1, 3 look the same from here
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->layout());
  const auto stated = Topology::from_environment(first, {.even_nodes = true});
  ASSERT_TRUE(stated && stated->layout());
  EXPECT_EQ(stated->layout()->node_of(5), 2);
  EXPECT_EQ(stated->origin(TopologyField::layout).kind, OriginKind::given);
}

TEST(Topology, virtual_local_rank_keeps_the_layout_and_warns) {
  // With torchrun --virtual-local-rank, LOCAL_RANK is 0 in each worker. The layout does not depend
  // on it: otherwise only some ranks would know it.
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "TORCHELASTIC_RUN_ID=j|RANK=1|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=0|"
      "GROUP_WORLD_SIZE=1",
      '|'));
  ASSERT_TRUE(topology && topology->layout());
  EXPECT_EQ(topology->local_rank(), 0);
  EXPECT_EQ(topology->layout()->local_rank_of(1), 1);
  ASSERT_EQ(topology->warnings().size(), 1U);
  EXPECT_EQ(topology->warnings()[0].variable, "LOCAL_RANK");
}

TEST(Topology, compares_a_long_job_list_only_at_the_ends_of_the_step) {
  // more look-ups would take too long; the hosts between are not looked up
  std::string job = "n1,n3";
  for (int i = 0; job.size() < 3'000'000; ++i)
    job += "," + std::string(200, 'x') + std::to_string(i);
  const std::string step =
      "|SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=3|"
      "SLURM_STEP_NUM_NODES=3|SLURM_STEP_TASKS_PER_NODE=1(x3)|SLURM_STEP_NODELIST=";
  for (const auto& [hosts, summary] :
       {std::pair<std::string, std::string_view>{"n[1-3]", "slurm 0/3 local 0/1 node 0/3"},
        {"n[1-2,4]", "none 0/1 local 0/1 node 0/1; slurm stale"}}) {
    const std::string text = "SLURM_JOB_NODELIST=" + job + step + hosts;
    EXPECT_EQ(
        rankmap_test::summary(Topology::from_environment(RecordedEnvironment(text, '|'))).view(),
        summary);
  }
}

TEST(Topology, compares_a_long_step_only_at_its_ends) {
  // the same with a long step: each of its hosts is found by a walk through its text
  std::string step = "n1";
  int tasks = 2;
  for (; step.size() < 3'000'000; ++tasks) step += "," + std::string(200, 'x');
  const std::string count = std::to_string(tasks);
  const std::string text =
      "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=" + count +
      "|SLURM_STEP_TASKS_PER_NODE=1(x" + count +
      ")|SLURM_TOPOLOGY_ADDR_PATTERN=node|SLURM_JOB_NODELIST=n1|SLURM_STEP_NODELIST=" + step +
      ",n1";
  EXPECT_EQ(
      rankmap_test::summary(Topology::from_environment(RecordedEnvironment(text, '|'))).view(),
      "slurm 0/" + count + " local 0/1 node 0/" + count);
}

TEST(Topology, heterogeneous_step_has_no_hosts) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment(SRUN_3_OF_4 "|SLURM_HET_SIZE=2", '|'));
  ASSERT_TRUE(topology);
  EXPECT_TRUE(topology->hosts().empty());
  EXPECT_FALSE(topology->layout());
  EXPECT_EQ(topology->host(), "n2");
}

TEST(Topology, drops_a_job_id_that_is_too_long) {
  for (const std::size_t length : {255U, 256U}) {
    const std::string id(length, 'j');
    const auto topology = from_words("TORCHELASTIC_RUN_ID=" + id + "|" TORCHRUN_3_OF_4);
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->job_id(), length == 255 ? id : "");
    EXPECT_EQ(topology->warnings().size(), length == 255 ? 0U : 1U);
  }
}

TEST(Topology, drops_a_step_id_that_is_too_long) {
  for (const std::size_t length : {31U, 32U}) {
    const std::string id(length, '7');
    const auto topology = from_words("SLURM_STEP_ID=" + id + "|" SRUN_3_OF_4);
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->step_id(), length == 31 ? id : "");
    EXPECT_EQ(topology->warnings().size(), length == 31 ? 0U : 1U);
  }
}

TEST(Topology, drops_a_host_that_is_too_long) {
  const std::string long_name(256, 'x');
  const auto own = from_words(
      "HOROVOD_RANK=1|HOROVOD_SIZE=3|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|"
      "HOROVOD_HOSTNAME=" +
      long_name);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->host(), "");
  ASSERT_EQ(own->warnings().size(), 1U);
  EXPECT_EQ(own->warnings()[0].reason, "a host of 1 to 255 bytes without blanks");
  const std::string agents = "PMI_RANK=1|PMI_SIZE=2|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1|";
  for (const std::string& name : {long_name, std::string(255, 'y')}) {
    const auto borrowed = from_words(agents + "PMI_HOSTNAME=" + name + "|" TORCHRUN_3_OF_4);
    ASSERT_TRUE(borrowed);
    EXPECT_EQ(borrowed->host(), name.size() == 255 ? name : "");
    EXPECT_TRUE(borrowed->warnings().empty());  // it is another launcher's variable
  }
}

TEST(Topology, uses_the_host_of_a_record_of_the_same_worker_only) {
  const auto mirrored = Topology::from_environment(
      RecordedEnvironment("HOROVOD_RANK=1|HOROVOD_SIZE=3|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|"
                          "HOROVOD_HOSTNAME=gpu7|RANK=1|WORLD_SIZE=3|LOCAL_RANK=1",
                          '|'));
  ASSERT_TRUE(mirrored) << message(mirrored.error()).view();
  EXPECT_EQ(mirrored->host(), "");  // that the numbers are the same may be by chance
  const auto bare = Topology::from_environment(RecordedEnvironment(
      "PMIX_RANK=1|PMIX_NAMESPACE=7|PMIX_HOSTNAME=gpu7|JSM_NAMESPACE_RANK=1|JSM_NAMESPACE_SIZE=2|"
      "JSM_NAMESPACE_LOCAL_RANK=1|JSM_NAMESPACE_LOCAL_SIZE=2|OMPI_COMM_WORLD_RANK=1|"
      "OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=2",
      '|'));
  ASSERT_TRUE(bare) << message(bare.error()).view();
  EXPECT_EQ(bare->host(), "gpu7");  // jsrun sets the names of Open MPI, too
  EXPECT_EQ(bare->origin(TopologyField::host).launcher, Launcher::open_mpi);
  const auto stranger = Topology::from_environment(
      RecordedEnvironment("HOROVOD_RANK=1|HOROVOD_SIZE=3|HOROVOD_LOCAL_RANK=1|HOROVOD_LOCAL_SIZE=2|"
                          "HOROVOD_HOSTNAME=gpu7|" TORCHRUN_3_OF_4,
                          '|'),
      {.launcher = Launcher::torchrun});
  ASSERT_TRUE(stranger) << message(stranger.error()).view();
  EXPECT_EQ(stranger->host(), "");
}

TEST(Topology, has_agent_store_only_if_the_launcher_says_so) {
  for (const auto& [text, served] :
       {std::pair<std::string_view, bool>{"True", true}, {"False", false}, {"", false}}) {
    const auto topology = from_words("TORCHELASTIC_USE_AGENT_STORE=" + std::string(text) +
                                     "|MASTER_ADDR=a|MASTER_PORT=1|" TORCHRUN_3_OF_4);
    ASSERT_TRUE(topology && topology->rendezvous());
    EXPECT_EQ(topology->rendezvous()->has_agent_store, served) << text;
  }
}

TEST(Topology, uses_the_layout_of_a_record_that_a_hook_copied) {
  // enroot's PyTorch hook copies srun's numbers into RANK, WORLD_SIZE and LOCAL_RANK.
  const auto topology = Topology::from_environment(RecordedEnvironment(
      SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|PYTORCH_VERSION=2.6", '|'));
  ASSERT_TRUE(topology && topology->layout());
  EXPECT_EQ(topology->launcher(), Launcher::torch_env);
  EXPECT_EQ(topology->host_of(0)->view(), "n1");
  EXPECT_EQ(topology->origin(TopologyField::node_rank).launcher, Launcher::slurm);
}

TEST(Topology, derives_its_host_from_given_hosts) {
  const auto topology = Topology::from_config({.rank = 2,
                                               .world_size = 4,
                                               .hosts = "a,b",
                                               .tasks_per_node = "2(x2)",
                                               .distribution = Distribution::cyclic});
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(topology->host(), "a");
  EXPECT_EQ(topology->host_of(3)->view(), "b");
}

TEST(Topology, reads_the_environment_of_this_process) {
  set_variable("RANKMAP_TEST", "1");
  const auto topology = Topology::from_environment({.launcher = Launcher::none});
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->world_size(), 1);
}

TEST(Topology, bounds_the_message_for_hostile_texts) {
  const std::string brackets(10'000'000, '[');
  const std::string commas(10'000'000, ',');
  for (const std::string& text : {brackets, commas}) {
    for (const char* const variable :
         {"RANK", "TORCHELASTIC_RUN_ID", "SLURM_GTIDS", "SLURM_STEP_NODELIST", "MASTER_ADDR",
          "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_NODELIST", "TPU_WORKER_HOSTNAMES", "TF_CONFIG",
          "SM_HOSTS", "SLURMD_NODENAME", "SLURM_JOB_ID"}) {
      std::string variables =
          std::string(variable) + "=" + text + "|" SRUN_3_OF_4 "|SM_CURRENT_HOST=a|TPU_WORKER_ID=0";
      const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'));
      if (!topology) {
        EXPECT_LT(message(topology.error()).size(), 640U);
      }
    }
  }
}

TEST(Topology, matches_the_table_of_environments) {
  for (const Case& c : cases) {
    EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected) << c.variables;
  }
}

// ---- every error, with the whole message

#define SRUN_1_OF_4 "SLURM_PROCID=1|SLURM_STEP_NUM_TASKS=4|SLURM_LOCALID=1"
#define SRUN_STEP                                                                      \
  "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=2(x2)|" \
  "SLURMD_NODENAME=n2|SLURM_NODEID=1|SLURM_STEP_NUM_TASKS=4|"

#define SRUN_STEP_OF_3                                                                 \
  "SLURM_STEP_NUM_NODES=3|SLURM_STEP_NODELIST=n[1-3]|SLURM_STEP_TASKS_PER_NODE=2(x3)|" \
  "SLURMD_NODENAME=n2|SLURM_NODEID=1|SLURM_STEP_NUM_TASKS=6|SLURM_TOPOLOGY_ADDR_PATTERN=node|"

TEST(Topology, slurm_layout_needs_proof_by_the_ranks_of_this_node) {
  const auto has_layout = [](std::string_view environment) {
    return Topology::from_environment(RecordedEnvironment(environment, '|'))
        .value()
        .layout()
        .has_value();
  };
  EXPECT_TRUE(has_layout(SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3"));
  EXPECT_TRUE(has_layout(
      SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=1,3|SLURM_DISTRIBUTION=cyclic"));
  // On two nodes the ranks that are not here are there, whatever the distribution.
  EXPECT_TRUE(has_layout(SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=1,3"));
  EXPECT_FALSE(has_layout(SRUN_STEP_OF_3 "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=1,3"));
  EXPECT_TRUE(has_layout(SRUN_STEP_OF_3 "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3"));
  EXPECT_FALSE(has_layout(
      SRUN_STEP_OF_3 "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3|SLURM_DISTRIBUTION=cyclic"));
  for (const std::string_view components : {"SLURM_HET_SIZE=2", "SLURM_PACK_SIZE=2"}) {
    EXPECT_FALSE(has_layout(std::string(components) +
                            "|" SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3"));
  }
}

#define NO_TASK(escaped)                                                                          \
  "TF_CONFIG=\"" escaped                                                                          \
  "\": expected a JSON object with a cluster of chief or master and workers, each listed once, "  \
  "and a task that is one of them; correct or unset it, or set RANKMAP_IGNORE=tf_config; in the " \
  "program, set Config::exclude"

constexpr Case refusals[] = {
    // A launcher that the caller names is checked too: -1 with a broken number is not "alone".
    {"RANK=2|WORLD_SIZE=4x|LOCAL_RANK=-1",
     "WORLD_SIZE=\"4x\": expected a decimal number in [1, 2147483648); correct or unset it; in the "
     "program, pass Config::world_size",
     {.launcher = Launcher::torch_env}},
    {"RANK=0|WORLD_SIZE=2|LOCAL_RANK=0",
     "Config::launcher=\"deepspeed\": expected a launcher that set its own variables; these belong "
     "to another one; start the process with it; in the program, set Config::launcher to the other "
     "one",
     {.launcher = Launcher::deepspeed}},
    {"PET_NODE_RANK=-1",
     "PET_NODE_RANK=\"-1\": expected a decimal number in [0, 2147483648); correct or unset it, or "
     "set RANKMAP_IGNORE=kubeflow; in the program, pass Config::rank, ::world_size and "
     "::local_rank"},
    // the nodes before this one may run more processes
    {"WORLD_SIZE=9|LOCAL_RANK=0|LOCAL_SIZE=1|CROSS_RANK=1|CROSS_SIZE=4",
     "RANK is not set: expected a rank, since LOCAL_RANK=\"0\" is set (deepspeed); start it with "
     "deepspeed, or unset CROSS_RANK if inherited; in the program, pass Config::rank"},
    // checked within its slice first: the sum over the slices would overflow, or hide it
    {"TPU_WORKER_ID=2147483647|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=1|"
     "MEGASCALE_NUM_SLICES=2",
     "TPU_WORKER_ID=\"2147483647\": expected a decimal number in [0, 2), as TPU_WORKER_HOSTNAMES "
     "says; correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude"},
    {"TPU_WORKER_ID=2|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=0|MEGASCALE_NUM_SLICES=2",
     "TPU_WORKER_ID=\"2\": expected a decimal number in [0, 2), as TPU_WORKER_HOSTNAMES says; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude"},
    // An outer record does not fill in for an incomplete inner one.
    {SRUN_1_OF_2 "|TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_WORLD_SIZE=2",
     "RANK=\"3\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not torchrun): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or torchrun, "
     "or unset the variables of the other; in the program, set Config::launcher"},
    {SRUN_1_OF_2 "|OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|OMPI_COMM_WORLD_LOCAL_SIZE=2",
     "OMPI_COMM_WORLD_RANK=\"5\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not "
     "open_mpi): either may have started the other; set RANKMAP_LAUNCHER to the inner one, "
     "slurm or open_mpi, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    // mpiexec -pmi-port below sbatch: the step of its proxies is valid on the first node.
    {SRUN_1_OF_2 "|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=2",
     "MPI_LOCALNRANKS=\"2\": expected local_world_size 1, as SLURM_GTIDS says (slurm, not "
     "hydra): either may have started the other; set RANKMAP_LAUNCHER to the inner one, slurm "
     "or hydra, or unset the variables of the other; in the program, set Config::launcher"},
    // Hydra of MPICH 3.2, prterun without MPI, msrun: the step is that of their daemons.
    {SRUN_1_OF_2 "|PMI_RANK=5|PMI_SIZE=6",
     "PMI_RANK=\"5\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not pmi): either may "
     "have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or pmi, or unset "
     "the variables of the other; in the program, set Config::launcher"},
    {SRUN_1_OF_2 "|PMIX_RANK=2|PMIX_NAMESPACE=prterun-n1-7@1",
     "PMIX_RANK=\"2\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not pmix): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or pmix, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    {SRUN_1_OF_2 "|RANK_ID=5|RANK_SIZE=6|DEVICE_ID=2",
     "RANK_ID=\"5\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not ascend): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or ascend, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    {SRUN_1_OF_2 "|MS_WORKER_NUM=6|MS_ROLE=MS_WORKER|MS_NODE_ID=5",
     "MS_WORKER_NUM=\"6\": expected world_size 2, as SLURM_STEP_NUM_TASKS says (slurm, not "
     "mindspore): either may have started the other; set RANKMAP_LAUNCHER to the inner one, "
     "slurm or mindspore, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    // One device a task and LOCAL_RANK=0 for it.
    {SRUN_3_OF_4 "|RANK=3|WORLD_SIZE=4|LOCAL_RANK=0",
     "SLURM_LOCALID=\"1\": expected local_rank 0, as LOCAL_RANK says (torch_env, not slurm): "
     "either may have started the other; set RANKMAP_LAUNCHER to the inner one, torch_env or "
     "slurm, or unset the variables of the other; in the program, set Config::launcher"},
    {BATCH_SCRIPT "|RANK=1|LOCAL_RANK=0",
     "WORLD_SIZE is not set: expected a world_size, since RANK=\"1\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass "
     "Config::world_size"},
    // A single pod, in which a launcher starts six processes.
    {"RANK=0|WORLD_SIZE=1|PMI_RANK=5|PMI_SIZE=6",
     "PMI_RANK=\"5\": expected rank 0 of 1, as RANK says (torch_env, not pmi): either may "
     "have started the other; set RANKMAP_LAUNCHER to the inner one, torch_env or pmi, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    // RANK of the pod and LOCAL_RANK of a worker: Lightning's own launcher in a PyTorchJob.
    {"RANK=0|WORLD_SIZE=4|LOCAL_RANK=1|NODE_RANK=0",
     "RANK=\"0\": expected a process rank, which is no less than its local rank; this may be "
     "that of a pod; unset it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass "
     "Config::rank, ::world_size and ::local_rank or set ::exclude"},
    // A step without its rank or its size, and one whose numbers are not those of a script.
    {SRUN_STEP "SLURM_LOCALID=1|SLURM_GTIDS=2,3",
     "SLURM_PROCID is not set: expected a rank, since SLURM_LOCALID=\"1\" is set (slurm); start it "
     "with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; in the program, "
     "pass Config::rank"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0,1",
     "SLURM_STEP_NUM_TASKS is not set: expected a world_size, since SLURM_PROCID=\"0\" is set "
     "(slurm); start it with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; "
     "in the program, pass Config::world_size"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0,1|SLURM_STEP_NUM_TASKS=5|SLURM_"
     "STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=2(x2)",
     "SLURM_STEP_TASKS_PER_NODE=\"2(x2)\": expected counts that add up to SLURM_STEP_NUM_TASKS; "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, "
     "::world_size and "
     "::local_rank or set ::exclude"},
    {"ALPS_APP_PE=3",
     "Config::world_size is not set: expected a world_size, since ALPS_APP_PE=\"3\" is set (alps); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and "
     "::local_rank"},
    {"PADDLE_TRAINER_ID=1|PADDLE_TRAINERS_NUM=2",
     "PADDLE_LOCAL_RANK is not set: expected a local_rank, since PADDLE_TRAINER_ID=\"1\" is set "
     "(paddle); start it with paddle.distributed.launch; in the program, "
     "pass Config::local_rank or ::one_process_per_node"},
    {"RANK_ID=3|DEVICE_ID=3",
     "RANK_SIZE is not set: expected a world_size, since RANK_ID=\"3\" is set (ascend); set RANK, "
     "WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and ::local_rank"},
    // One node by the TPU slice, several by the Kubernetes job.
    {"TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=localhost|JOB_COMPLETION_INDEX=2",
     "JOB_COMPLETION_INDEX=\"2\": expected 0, as TPU_WORKER_HOSTNAMES gives one node (tpu); set "
     "RANKMAP_IGNORE to the wrong one, tpu or kubernetes; in the program, set Config::exclude"},
    {"TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=localhost|JOB_COMPLETION_INDEX=2",
     "JOB_COMPLETION_INDEX=\"2\": expected 0, as TPU_WORKER_HOSTNAMES gives one node (tpu); set "
     "RANKMAP_IGNORE to the wrong one, tpu or kubernetes; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    // A chief beyond the list of chiefs, and a worker whose index overflows.
    {R"(TF_CONFIG={"cluster":{"chief":["a"],"worker":["b"]},"task":{"type":"chief","index":1}})",
     "TF_CONFIG=\"{\\\"cluster\\\":{\\\"chief\\\":[\\\"a\\\"],\\\"worker\\\":[\\\"b\\\"]},"
     "\\\"task\\\":{\\\"type\\\":\\\"chief\\\"... (76 bytes)\": expected a JSON object with a "
     "cluster of chief or master and workers, each listed once, and a task that is one of them; "
     "correct or unset it, or set RANKMAP_IGNORE=tf_config; in the program, set Config::exclude"},
    {R"(TF_CONFIG={"cluster":{"chief":["a"],"worker":["b"]},"task":{"type":"worker","index":18446744073709551615}})",
     "TF_CONFIG=\"{\\\"cluster\\\":{\\\"chief\\\":[\\\"a\\\"],\\\"worker\\\":[\\\"b\\\"]},"
     "\\\"task\\\":{\\\"type\\\":\\\"worker... (96 bytes)\": expected a JSON object with a cluster "
     "of chief or master and workers, each listed once, and a task that is one of them; correct or "
     "unset it, or set RANKMAP_IGNORE=tf_config; in the program, set Config::exclude"},
    // both always set the local size: without it the record is incomplete
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=1",
     "OMPI_COMM_WORLD_LOCAL_SIZE is not set: expected a local_world_size, since "
     "OMPI_COMM_WORLD_RANK=\"1\" is set (open_mpi); start it with mpirun, or unset "
     "OMPI_COMM_WORLD_* if inherited; in the program, pass Config::local_world_size"},
    // nor is it what another job's count of nodes would make it
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
     "OMPI_MCA_orte_num_nodes=1",
     "OMPI_COMM_WORLD_LOCAL_SIZE is not set: expected a local_world_size, since "
     "OMPI_COMM_WORLD_RANK=\"1\" is set (open_mpi); start it with mpirun, or unset "
     "OMPI_COMM_WORLD_* if inherited; in the program, pass Config::local_world_size"},
    // whoever names the job sets a rank as well
    {"PMIX_NAMESPACE=prterun-n1-7@1|PMIX_HOSTNAME=n1",
     "PMIX_RANK is not set: expected a rank, since PMIX_NAMESPACE=\"prterun-n1-7@1\" is set "
     "(pmix); set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, "
     "pass Config::rank, ::world_size and ::local_rank"},
    // jsrun may have set both, and the count of nodes may be that of an older mpirun
    {"FLUX_TASK_RANK=0|FLUX_JOB_SIZE=3|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=3|"
     "JSM_NAMESPACE_RANK=1|JSM_NAMESPACE_SIZE=3|JSM_NAMESPACE_LOCAL_RANK=0|"
     "JSM_NAMESPACE_LOCAL_SIZE=1|OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=3|"
     "OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_LOCAL_SIZE=1|OMPI_MCA_orte_num_nodes=2",
     "FLUX_TASK_RANK=\"0\": expected rank 1 of 3, as JSM_NAMESPACE_RANK says (jsrun, not "
     "flux): either may have started the other; set RANKMAP_LAUNCHER to the inner one, jsrun "
     "or flux, or unset the variables of the other; in the program, set Config::launcher"},
    {"HOROVOD_RANK=1|HOROVOD_SIZE=4|HOROVOD_LOCAL_RANK=1",
     "HOROVOD_LOCAL_SIZE is not set: expected a local_world_size, since HOROVOD_RANK=\"1\" is set "
     "(horovod); start it with horovodrun, or unset HOROVOD_* if inherited; in "
     "the program, pass Config::local_world_size"},
    {"RANK=abc",
     "RANK=\"abc\": expected a decimal number in [0, 2147483648); correct or unset it, or set "
     "RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set ::exclude"},
    {"RANK=abc|WORLD_SIZE=4|LOCAL_RANK=0",
     "RANK=\"abc\": expected a decimal number in [0, 4), as WORLD_SIZE says; correct or unset it, "
     "or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set "
     "::exclude"},
    {"RANK=5|WORLD_SIZE=4|LOCAL_RANK=0",
     "RANK=\"5\": expected a decimal number in [0, 4), as WORLD_SIZE says; correct or unset it, or "
     "set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set "
     "::exclude"},
    {"RANK=5|WORLD_SIZE=4",
     "RANK=\"5\": expected a decimal number in [0, 4), as WORLD_SIZE says; correct or unset it, or "
     "set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set "
     "::exclude"},
    {"RANK=3",
     "WORLD_SIZE is not set: expected a world_size, since RANK=\"3\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass "
     "Config::world_size and ::local_rank"},
    {"WORLD_SIZE=4",
     "RANK is not set: expected a rank, since WORLD_SIZE=\"4\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass Config::rank "
     "and ::local_rank"},
    {"LOCAL_RANK=2",
     "RANK is not set: expected a rank, since LOCAL_RANK=\"2\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass Config::rank "
     "and ::world_size"},
    {"RANK=3|LOCAL_RANK=1",
     "WORLD_SIZE is not set: expected a world_size, since RANK=\"3\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass "
     "Config::world_size"},
    {"RANK=9|WORLD_SIZE=16|LOCAL_RANK=9|LOCAL_WORLD_SIZE=8",
     "LOCAL_RANK=\"9\": expected a decimal number in [0, 8), as LOCAL_WORLD_SIZE says; correct or "
     "unset it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass "
     "Config::local_rank or set "
     "::exclude"},
    {"LOCAL_RANK=9|LOCAL_WORLD_SIZE=8",
     "LOCAL_RANK=\"9\": expected a decimal number in [0, 8), as LOCAL_WORLD_SIZE says; correct or "
     "unset it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass "
     "Config::local_rank or set "
     "::exclude"},
    {"WORLD_SIZE=99999999999999999999",
     "WORLD_SIZE=\"99999999999999999999\": expected a decimal number in [1, 2147483648); correct "
     "or unset it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass "
     "Config::world_size or set "
     "::exclude"},
    {"RANK=0|WORLD_SIZE=99999999999999999999|LOCAL_RANK=0",
     "WORLD_SIZE=\"99999999999999999999\": expected a decimal number in [1, 2147483648); correct "
     "or unset it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass "
     "Config::world_size or set "
     "::exclude"},
    {"RANK=0|WORLD_SIZE=2147483648|LOCAL_RANK=0",
     "WORLD_SIZE=\"2147483648\": expected a decimal number in [1, 2147483648); correct or unset "
     "it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::world_size or "
     "set "
     "::exclude"},
    {"RANK=abc|WORLD_SIZE=0",
     "RANK=\"abc\": expected a decimal number in [0, 2147483648); correct or unset it, or set "
     "RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set ::exclude"},
    {"RANK=x|WORLD_SIZE=y|LOCAL_RANK=z",  // the first of them
     "RANK=\"x\": expected a decimal number in [0, 2147483648); correct or unset it, or set "
     "RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set ::exclude"},
    {"RANK=0|WORLD_SIZE=2|LOCAL_RANK=5",
     "LOCAL_RANK=\"5\": expected a decimal number in [0, 2), as WORLD_SIZE says; correct or unset "
     "it, or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::local_rank or "
     "set "
     "::exclude"},
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=x",
     "LOCAL_WORLD_SIZE=\"x\": expected a decimal number in [1, 2147483648); correct or unset it, "
     "or set RANKMAP_IGNORE=torchrun if inherited; in the program, pass Config::local_world_size "
     "or set "
     "::exclude"},
    {"RANK=0|WORLD_SIZE=0|LOCAL_RANK=0",
     "WORLD_SIZE=\"0\": expected a decimal number in [1, 2147483648); correct or unset it, or set "
     "RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::world_size or set "
     "::exclude"},
    {"RANK=0|WORLD_SIZE=-4|LOCAL_RANK=0",
     "WORLD_SIZE=\"-4\": expected a world_size, since RANK=\"0\" is set (torch_env); set RANK, "
     "WORLD_SIZE and LOCAL_RANK, or unset all if inherited; in the program, pass "
     "Config::world_size"},
    {"RANK=+1|WORLD_SIZE=4|LOCAL_RANK=0",
     "RANK=\"+1\": expected a decimal number in [0, 4), as WORLD_SIZE says; correct or unset it, "
     "or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set "
     "::exclude"},
    {"RANK= 1|WORLD_SIZE=4|LOCAL_RANK=0",
     "RANK=\" 1\": expected a decimal number in [0, 4), as WORLD_SIZE says; correct or unset it, "
     "or set RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::rank or set "
     "::exclude"},
    {"RANK=1|WORLD_SIZE=2",
     "RANK=\"1\": expected a process rank; this may number nodes (RANK without LOCAL_RANK, index 1 "
     "of 2); set LOCAL_RANK (0 if each node runs one process); in the program, pass "
     "Config::one_process_per_node"},
    {"RANK=3|WORLD_SIZE=4|LOCAL_RANK=-1",
     "RANK=\"3\": expected a process rank; this may number nodes (RANK without LOCAL_RANK, index 3 "
     "of 4); set LOCAL_RANK (0 if each node runs one process); in the program, pass "
     "Config::one_process_per_node"},
    {"TORCHELASTIC_RUN_ID=x",
     "RANK is not set: expected a rank, since TORCHELASTIC_RUN_ID=\"x\" is set (torchrun); start "
     "it with torchrun, or unset TORCHELASTIC_RUN_ID if inherited; in the program, pass "
     "Config::rank, ::world_size, ::local_rank and ::local_world_size"},
    {"TORCHELASTIC_RUN_ID=x|RANK=1|WORLD_SIZE=2|LOCAL_RANK=0",
     "LOCAL_WORLD_SIZE is not set: expected a local_world_size, since TORCHELASTIC_RUN_ID=\"x\" is "
     "set (torchrun); start it with torchrun, or unset TORCHELASTIC_RUN_ID if inherited; in the "
     "program, pass Config::local_world_size"},
    {"RANK=1|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=4",
     "LOCAL_WORLD_SIZE=\"4\": expected at most 2, as WORLD_SIZE says; correct or unset it, or set "
     "RANKMAP_IGNORE=torch_env if inherited; in the program, pass Config::local_world_size or set "
     "::exclude"},
    {SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=two|SLURM_GTIDS=2,3",
     "SLURM_LOCALID=\"two\": expected a decimal number in [0, 2), as SLURM_GTIDS says; correct or "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::local_rank "
     "or set "
     "::exclude"},
    {SRUN_STEP "SLURM_PROCID=3|SLURM_GTIDS=2,3",
     "SLURM_LOCALID is not set: expected a local_rank, since SLURM_PROCID=\"3\" is set (slurm); "
     "start it with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; in the "
     "program, pass Config::local_rank or ::one_process_per_node"},
    {SRUN_STEP "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=1,2",
     "SLURM_GTIDS=\"1,2\": expected SLURM_PROCID as the entry at index SLURM_LOCALID; unset it, or "
     "set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank "
     "or set ::exclude"},
    {SRUN_STEP "SLURM_PROCID=1|SLURM_LOCALID=0|SLURM_GTIDS=0,1",
     "SLURM_GTIDS=\"0,1\": expected SLURM_PROCID as the entry at index SLURM_LOCALID; unset it, or "
     "set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank "
     "or set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]",
     "SLURM_NODEID is not set: expected a decimal number; set it, or set RANKMAP_IGNORE=slurm if "
     "inherited; in "
     "the program, pass Config::rank, ::world_size and ::local_rank or set ::exclude"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_STEP_TASKS_PER_NODE=\"2(x\": expected task counts such as 2(x3),1; unset it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_STEP_TASKS_PER_NODE is not set: expected task counts such as 2(x3),1; set it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_STEP_TASKS_PER_NODE is not set: expected task counts such as 2(x3),1; set it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_NODEID=0",
     "SLURM_STEP_NODELIST is not set: expected a host list such as n[1-3]; set it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_GTIDS is not set: expected a local_world_size, since SLURM_PROCID=\"1\" is set "
     "(slurm); start it with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; "
     "in the program, pass Config::local_world_size"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x3)|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_STEP_TASKS_PER_NODE=\"2(x3)\": expected counts that add up to SLURM_STEP_NUM_TASKS; "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, "
     "::world_size and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-3]|SLURM_NODEID=0",
     "SLURM_STEP_NODELIST=\"n[1-3]\": expected a host for each node of SLURM_STEP_TASKS_PER_NODE; "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, "
     "::world_size and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|"
                 "SLURM_NODEID=0|SLURM_STEP_NUM_NODES=3",
     "SLURM_STEP_NODELIST=\"n[1-2]\": expected a host for each node of SLURM_STEP_TASKS_PER_NODE; "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, "
     "::world_size and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=2",
     "SLURMD_NODENAME is not set: expected the host of this node in SLURM_STEP_NODELIST; set it, "
     "or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size "
     "and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|"
                 "SLURM_NODEID=0|SLURMD_NODENAME=n9|SLURM_HET_SIZE=2",
     "SLURMD_NODENAME=\"n9\": expected the host of this node in SLURM_STEP_NODELIST; unset it, or "
     "set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank "
     "or set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|"
                 "SLURM_NODEID=2|SLURM_HET_SIZE=2",
     "SLURMD_NODENAME is not set: expected the host of this node in SLURM_STEP_NODELIST; set it, "
     "or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size "
     "and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4
     "|SLURM_GTIDS=0,1,2|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|SLURM_NODEID=0",
     "SLURM_GTIDS=\"0,1,2\": expected as many ranks as SLURM_STEP_TASKS_PER_NODE gives this node; "
     "unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, "
     "::world_size and "
     "::local_rank or set ::exclude"},
    {SRUN_1_OF_4 "|SLURM_GTIDS=0,1|SLURM_STEP_TASKS_PER_NODE=2(x2)|SLURM_STEP_NODELIST=n[1-2]|"
                 "SLURM_NODEID=0|SLURM_JOB_NODELIST=n[2-3]",
     "SLURM_STEP_NODELIST=\"n[1-2]\": expected hosts of SLURM_JOB_NODELIST; unset it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {"SLURM_PROCID=one|SLURM_STEP_NUM_TASKS=4|SLURM_LOCALID=1",
     "SLURM_PROCID=\"one\": expected a decimal number in [0, 4), as SLURM_STEP_NUM_TASKS says; "
     "correct or unset it, or set RANKMAP_IGNORE=slurm if inherited; in the program, pass "
     "Config::rank or set "
     "::exclude"},
    {"SLURM_PROCID=3|SLURM_LOCALID=1",
     "SLURM_STEP_NUM_TASKS is not set: expected a world_size, since SLURM_PROCID=\"3\" is set "
     "(slurm); start it with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; "
     "in the program, pass Config::world_size and ::local_world_size"},
    {"SLURM_STEP_NUM_TASKS=4|SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3|SLURM_NODEID=1|SLURM_"
     "STEP_NODELIST=n[1-|SLURM_STEP_TASKS_PER_NODE=2(x2)",
     "SLURM_STEP_NODELIST=\"n[1-\": expected a host list such as n[1-3]; unset it, or set "
     "RANKMAP_IGNORE=slurm if inherited; in the program, pass Config::rank, ::world_size and "
     "::local_rank or "
     "set ::exclude"},
    {"PMI_RANK=1|PMI_SIZE=4",
     "PMI_LOCAL_RANK is not set: expected a local_rank, since PMI_RANK=\"1\" is set (pmi); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::local_rank or "
     "::one_process_per_node"},
    {"PMIX_RANK=1|PMIX_NAMESPACE=x",
     "Config::world_size is not set: expected a world_size, since PMIX_RANK=\"1\" is set (pmix); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and ::local_rank"},
    // It is mpirun's: the variable that is missing is named, and not what PMIx never sets.
    {"PMIX_RANK=1|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=4",
     "OMPI_COMM_WORLD_RANK is not set: expected a rank, since OMPI_COMM_WORLD_SIZE=\"4\" is set "
     "(open_mpi); start it with mpirun, or unset OMPI_COMM_WORLD_* if inherited; in the program, "
     "pass Config::world_size and ::local_rank"},
    {"PMIX_RANK=1|OMPI_COMM_WORLD_NODE_RANK=1|OMPI_UNIVERSE_SIZE=4",
     "Config::world_size is not set: expected a world_size, since PMIX_RANK=\"1\" is set (pmix); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and ::local_rank"},
    {"MPI_LOCALRANKID=1|MPI_LOCALNRANKS=2|PMI_ID=1",
     "PMI_SIZE is not set: expected a world_size, since MPI_LOCALRANKID=\"1\" is set (hydra); "
     "start mpiexec without -pmi-port; in the program, pass Config::world_size"},
    {"RANK_ID=1|RANK_SIZE=4|DEVICE_ID=1",
     "Config::local_rank is not set: expected a local_rank, since RANK_ID=\"1\" is set (ascend); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::local_rank or "
     "::one_process_per_node"},
    {"OMPI_COMM_WORLD_RANK=1",
     "OMPI_COMM_WORLD_SIZE is not set: expected a world_size, since OMPI_COMM_WORLD_RANK=\"1\" is "
     "set (open_mpi); start it with mpirun, or unset OMPI_COMM_WORLD_* if inherited; in the "
     "program, pass Config::world_size, ::local_rank and ::local_world_size"},
    {"NODE_RANK=1|LOCAL_RANK=2|WORLD_SIZE=8|MASTER_ADDR=a|MASTER_PORT=1",
     "Config::rank is not set: expected a rank, since NODE_RANK=\"1\" is set (lightning); set RANK "
     "too; in the program, pass Config::rank or ::local_world_size"},
    {"JOB_COMPLETION_INDEX=2",
     "JOB_COMPLETION_INDEX=\"2\": expected a process rank; this numbers nodes (kubernetes, index "
     "2); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in "
     "the program, pass Config::one_process_per_node"},
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_NPROC_PER_NODE=4",
     "PET_NPROC_PER_NODE=\"4\": expected 1, as Config::one_process_per_node states; start the "
     "workers with torchrun, or correct it; in the program, leave Config::one_process_per_node "
     "unset",
     {.one_process_per_node = true}},
    {R"(SM_HOSTS=["a","b"]|SM_CURRENT_HOST=b)",
     "SM_HOSTS=\"[\\\"a\\\",\\\"b\\\"]\": expected a process rank; this numbers nodes (sagemaker, "
     "index 1 of 2); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and "
     "LOCAL_RANK; in the program, pass Config::one_process_per_node"},
    {R"(SM_HOSTS=["a","b"]|SM_CURRENT_HOST=c)",
     "SM_HOSTS=\"[\\\"a\\\",\\\"b\\\"]\": expected a JSON list of host names that has the value of "
     "SM_CURRENT_HOST; correct or unset it, or set RANKMAP_IGNORE=sagemaker; in the program, set "
     "Config::exclude"},
    {"TF_CONFIG={",
     "TF_CONFIG=\"{\": expected a JSON object with a cluster of chief or master and workers, each "
     "listed once, and a task that is one of them; correct or unset it, or set "
     "RANKMAP_IGNORE=tf_config; in the program, set Config::exclude"},
    {R"(TF_CONFIG={"cluster":{"ps":["c:1"]},"task":{"type":"ps","index":0}})",
     "TF_CONFIG=\"{\\\"cluster\\\":{\\\"ps\\\":[\\\"c:1\\\"]},\\\"task\\\":{\\\"type\\\":"
     "\\\"ps\\\",\\\"index\\\":0}}\": expected a JSON object with a cluster of chief or master and "
     "workers, each listed once, and a task that is one of them; correct or unset it, or set "
     "RANKMAP_IGNORE=tf_config; in the program, set Config::exclude"},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_NUM_SLICES=2",
     "MEGASCALE_NUM_SLICES=\"2\": expected a number of blocks greater than the index of this one; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=2|MEGASCALE_NUM_SLICES=2",
     "MEGASCALE_NUM_SLICES=\"2\": expected a number of blocks greater than the index of this one; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|MEGASCALE_SLICE_ID=0|MEGASCALE_NUM_SLICES=2",
     "MEGASCALE_NUM_SLICES=\"2\": expected 1, or a known number of nodes in each block; correct or "
     "unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=0|MEGASCALE_NUM_SLICES="
     "2147483647",
     "MEGASCALE_NUM_SLICES=\"2147483647\": expected 1, or a known number of nodes in each block; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,b|MEGASCALE_SLICE_ID=1",
     "MEGASCALE_NUM_SLICES is not set: expected a number of blocks greater than the index of this "
     "one; set it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude",
     {.one_process_per_node = true}},
    {R"(TF_CONFIG={"task":{"type":"worker","index":1}})",
     NO_TASK(R"({\"task\":{\"type\":\"worker\",\"index\":1}})")},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1"]}})",
     NO_TASK(R"({\"cluster\":{\"worker\":[\"a:1\"]}})")},
    {R"(TF_CONFIG={"cluster":["a:1"],"task":{"type":"worker","index":1}})",
     NO_TASK(R"({\"cluster\":[\"a:1\"],\"task\":{\"type\":\"worker\",\"index\":1}})")},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1"]},"task":{"index":0}})",
     NO_TASK(R"({\"cluster\":{\"worker\":[\"a:1\"]},\"task\":{\"index\":0}})")},
    {R"(TF_CONFIG={"cluster":{"worker":["a:1"]},"task":{"type":"worker"}})",
     NO_TASK(R"({\"cluster\":{\"worker\":[\"a:1\"]},\"task\":{\"type\":\"worker\"}})")},
    {R"(TF_CONFIG={"cluster":{"w":1},"task":{"type":"worker","index":"x"}})",
     NO_TASK(R"({\"cluster\":{\"w\":1},\"task\":{\"type\":\"worker\",\"index\":\"x\"}})")},
    {R"(TF_CONFIG={"cluster":{"chief":0},"task":{"type":"worker","index":0}})",
     NO_TASK(R"({\"cluster\":{\"chief\":0},\"task\":{\"type\":\"worker\",\"index\":0}})")},
    {R"(TF_CONFIG={"cluster":{"master":{}},"task":{"type":"worker","index":0}})",
     NO_TASK(R"({\"cluster\":{\"master\":{}},\"task\":{\"type\":\"worker\",\"index\":0}})")},
    {R"(TF_CONFIG={"cluster":{"chief":["a"],"chief":["b"]},"task":{"type":"chief","index":0}})",
     NO_TASK(
         R"({\"cluster\":{\"chief\":[\"a\"],\"chief\":[\"b\"]},\"task\":{\"type\":\"chief\",... (75 bytes))")},
    {R"(TF_CONFIG={"cluster":{"chief":["a"],"master":["b"]},"task":{"type":"chief","index":0}})",
     NO_TASK(
         R"({\"cluster\":{\"chief\":[\"a\"],\"master\":[\"b\"]},\"task\":{\"type\":\"chief\"... (76 bytes))")},
    {R"(TF_CONFIG={"cluster":{"worker":["a"],"worker":["b"]},"task":{"type":"worker","index":0}})",
     NO_TASK(
         R"({\"cluster\":{\"worker\":[\"a\"],\"worker\":[\"b\"]},\"task\":{\"type\":\"worke... (78 bytes))")},
    {"TPU_WORKER_ID=3|TPU_WORKER_HOSTNAMES=a,b",
     "TPU_WORKER_ID=\"3\": expected a decimal number in [0, 2), as TPU_WORKER_HOSTNAMES says; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu; in the program, set Config::exclude"},
    {"",
     "TORCHELASTIC_RUN_ID is not set: expected the variables of torchrun, as Config::launcher "
     "says; start the process with that launcher; in the program, leave Config::launcher unset",
     {.launcher = Launcher::torchrun}},
    {BATCH_SCRIPT,
     "SLURM_PROCID=\"0\": expected a task of slurm (a batch script is one process); start the "
     "process with that launcher, or unset RANKMAP_LAUNCHER; in the program, leave "
     "Config::launcher unset",
     {.launcher = Launcher::slurm}},
    {"",
     "Config::rank=\"5\": expected a number in [0, 4), as Config::world_size=\"4\" says; pass "
     "values that agree",
     {.rank = 5, .world_size = 4, .local_rank = 0}},
    {"", "Config::rank=\"-2\": expected a number, at least 0; pass a valid number", {.rank = -2}},
    {"",
     "Config::world_size is not set: expected the world_size; pass Config::world_size and "
     "::local_rank",
     {.rank = 1}},
    {"",
     "Config::local_rank is not set: expected the local_rank; pass it, or "
     "Config::tasks_per_node and ::distribution, or ::one_process_per_node",
     {.rank = 1, .world_size = 4}},
    {"",
     "Config::rank=\"1\": expected 0, as local_rank = -1 means not distributed; do not pass a "
     "local rank of -1",
     {.rank = 1, .world_size = 4, .local_rank = -1}},
    {"",
     "Config::tasks_per_node=\"2(x\" at byte 3: expected a repeat count of at least 1; "
     "write counts such as 2(x3),1",
     {.rank = 1, .world_size = 4, .tasks_per_node = "2(x"}},
    {"",
     "Config::tasks_per_node=\"2(x3)\": expected counts that add up to Config::world_size=\"4\"; "
     "pass the number of processes on each node",
     {.rank = 1, .world_size = 4, .tasks_per_node = "2(x3)"}},
    {"",
     "Config::distribution is not set: expected how ranks are distributed over "
     "Config::tasks_per_node; pass Distribution::block or another one",
     {.rank = 1, .world_size = 4, .tasks_per_node = "2(x2)"}},
    {"",
     "Config::hosts=\"n[1-\" at byte 4: expected ']' after the ranges; write a list such "
     "as node[01-12,15],login1",
     {.rank = 1, .world_size = 4, .local_rank = 0, .hosts = "n[1-"}},
    {"",
     "Config::hosts=\"n[1-3]\": expected one host for each of 2 nodes; pass the hosts in "
     "node order",
     {.rank = 1, .world_size = 4, .local_rank = 1, .node_count = 2, .hosts = "n[1-3]"}},
    {"",
     "Config::local_rank=\"0\": expected the value that follows from rank, world size and "
     "Config::tasks_per_node; pass values that agree",
     {.rank = 1,
      .world_size = 4,
      .local_rank = 0,
      .tasks_per_node = "2(x2)",
      .distribution = Distribution::block}},
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=5|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_"
     "LOCAL_SIZE=2",
     "OMPI_COMM_WORLD_LOCAL_SIZE=\"2\": expected world_size 5 = node_count x local_world_size, as "
     "Config::even_nodes states; correct or unset it; in the program, leave Config::even_nodes "
     "unset",
     {.even_nodes = true}},
    {"RANK=1|WORLD_SIZE=4|LOCAL_RANK=1",
     "Config::local_world_size is not set: expected the size of each node, since "
     "Config::even_nodes is set; set RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE; in the "
     "program, pass it or Config::node_count",
     {.even_nodes = true}},
    {"OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_"
     "LOCAL_SIZE=2",
     "OMPI_COMM_WORLD_LOCAL_RANK=\"0\": expected the value that follows from rank, world size and "
     "Config::even_nodes; correct or unset it; in the program, leave Config::even_nodes unset",
     {.distribution = Distribution::block, .even_nodes = true}},
    // Only where each agent is one task on its node do the variables prove who started whom.
    {"SLURM_PROCID=1|SLURM_LOCALID=1|SLURM_NODEID=0|SLURM_GTIDS=0,1|SLURM_STEP_NUM_TASKS=2|"
     "SLURM_STEP_NUM_NODES=1|SLURM_STEP_NODELIST=n1|SLURM_STEP_TASKS_PER_NODE=2|"
     "SLURMD_NODENAME=n1|" TORCHRUN_3_OF_4,
     "SLURM_PROCID=\"1\": expected rank 3 of 4, as RANK says (torchrun, not slurm): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, torchrun or slurm, "
     "or unset the variables of the other; in the program, set Config::launcher"},
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=3|LOCAL_RANK=0|LOCAL_WORLD_SIZE=3|"
     "GROUP_RANK=0|GROUP_WORLD_SIZE=1|" SRUN_3_OF_4,
     "SLURM_PROCID=\"3\": expected rank 0 of 3, as RANK says (torchrun, not slurm): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, torchrun or slurm, "
     "or unset the variables of the other; in the program, set Config::launcher"},
    {TORCHRUN_3_OF_4 "|MPI_LOCALRANKID=5|MPI_LOCALNRANKS=9",
     "MPI_LOCALRANKID=\"5\": expected local_rank 1, as LOCAL_RANK says (torchrun, not hydra): "
     "either may have started the other; set RANKMAP_LAUNCHER to the inner one, torchrun or "
     "hydra, or unset the variables of the other; in the program, set Config::launcher"},
    // A bare rank and size of another place.
    {"RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|PMI_RANK=5|PMI_SIZE=6",
     "PMI_RANK=\"5\": expected rank 1 of 2, as RANK says (torch_env, not pmi): either may "
     "have started the other; set RANKMAP_LAUNCHER to the inner one, torch_env or pmi, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    {"OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=1|OMPI_COMM_WORLD_LOCAL_RANK=0|"
     "OMPI_COMM_WORLD_LOCAL_SIZE=1|PMI_RANK=5|PMI_SIZE=6",
     "PMI_RANK=\"5\": expected rank 0 of 1, as OMPI_COMM_WORLD_RANK says (open_mpi, not pmi): "
     "either may have started the other; set RANKMAP_LAUNCHER to the inner one, open_mpi or "
     "pmi, or unset the variables of the other; in the program, set Config::launcher"},
    // A rank that agrees by chance: the namespace is that of another job.
    {SRUN_3_OF_4 "|PMIX_RANK=3|PMIX_NAMESPACE=prterun-n1-77@1",
     "PMIX_RANK=\"3\": expected a number of the launch of SLURM_PROCID (slurm, not pmix), "
     "though both are equal here: either may have started the other; set RANKMAP_LAUNCHER to "
     "the inner one, slurm or pmix, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    // RANK and its kin, exported above a step.
    {SRUN_1_OF_2 "|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0",
     "SLURM_PROCID=\"1\": expected rank 0 of 2, as RANK says (torch_env, not slurm): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, torch_env or slurm, "
     "or unset the variables of the other; in the program, set Config::launcher"},
    {SRUN_3_OF_4 "|RANK=0|WORLD_SIZE=8|LOCAL_RANK=0|LOCAL_WORLD_SIZE=4|NODE_RANK=0",
     "SLURM_PROCID=\"3\": expected rank 0 of 8, as RANK says (torch_env, not slurm): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, torch_env or slurm, "
     "or unset the variables of the other; in the program, set Config::launcher"},
    // A local rank of an outer mpiexec beside the PMI numbers of srun.
    {SRUN_3_OF_4 "|PMI_RANK=3|PMI_SIZE=4|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1",
     "SLURM_LOCALID=\"1\": expected local_rank 0, as MPI_LOCALRANKID says (hydra, not slurm): "
     "either may have started the other; set RANKMAP_LAUNCHER to the inner one, hydra or "
     "slurm, or unset the variables of the other; in the program, set Config::launcher"},
    {"RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=4|OMPI_COMM_"
     "WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=4",
     "OMPI_COMM_WORLD_RANK=\"1\": expected rank 0 of 1, as RANK says (torch_env, not "
     "open_mpi): either may have started the other; set RANKMAP_LAUNCHER to the inner one, "
     "torch_env or open_mpi, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    {"NODE_RANK=1|LOCAL_RANK=2|WORLD_SIZE=8|MASTER_ADDR=a|MASTER_PORT=1|" SRUN_STEP
     "SLURM_PROCID=3|SLURM_LOCALID=1|SLURM_GTIDS=2,3",
     "WORLD_SIZE=\"8\": expected world_size 4, as SLURM_STEP_NUM_TASKS says (slurm, not "
     "lightning): either may have started the other; set RANKMAP_LAUNCHER to the inner one, "
     "slurm or lightning, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    {"PET_NODE_RANK=1|PET_NNODES=3|" TORCHRUN_3_OF_4,
     "PET_NODE_RANK=\"1\": expected rank 3 of 4, as RANK says (torchrun, not kubeflow); set "
     "RANKMAP_LAUNCHER to the right one, or unset the variables of the other; in the program, "
     "set Config::launcher",
     {.strict = true}},
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=3|LOCAL_RANK=0|LOCAL_WORLD_SIZE=3|TORCHELASTIC_"
     "RESTART_COUNT=x",
     "TORCHELASTIC_RESTART_COUNT=\"x\": expected a decimal number; correct or unset it",
     {.strict = true}},
};

static_assert(rankmap_test::cases_hold<refusals>);

TEST(Topology, errors_match_the_table_of_messages) {
  for (const Case& c : refusals) {
    EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected) << c.variables;
  }
}

}  // namespace
