// SPDX-License-Identifier: MIT
//
// What the environments of launchers come out as that no recording covers, launcher by launcher.
// The mixtures of several launchers are with the resolver's tests.
#include "support/summary.hpp"

#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Launcher;
using rankmap_test::Case;

#define SRUN_1_OF_2                                                                     \
  "SLURM_PROCID=1|SLURM_LOCALID=0|SLURM_NODEID=1|SLURM_GTIDS=1|SLURM_STEP_NUM_TASKS=2|" \
  "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"  \
  "SLURMD_NODENAME=n2|SLURM_JOB_ID=9|SLURM_STEP_ID=0|SLURM_UMASK=0022"
#define SRUN_0_OF_1                                                                     \
  "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=1|" \
  "SLURM_STEP_NUM_NODES=1|SLURM_STEP_NODELIST=n2|SLURM_STEP_TASKS_PER_NODE=1|"          \
  "SLURMD_NODENAME=n2|SLURM_JOB_ID=9|SLURM_STEP_ID=0|SLURM_UMASK=0022"
#define BATCH_SCRIPT                                                                           \
  "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_NTASKS=6|SLURM_JOB_ID=9|" \
  "SLURMD_NODENAME=n1|SLURM_TASK_PID=4711"
#define PART_OF_STEP(rank)                                                             \
  "SLURM_STEP_NUM_TASKS is not set: expected a world_size, since SLURM_PROCID=\"" rank \
  "\" is set (slurm); start it with srun, pass on all of SLURM_*, or set "             \
  "RANKMAP_IGNORE=slurm; in the program, pass Config::world_size"
#define OMPI_5_OF_6                                                             \
  "OMPI_COMM_WORLD_RANK=5|OMPI_COMM_WORLD_SIZE=6|OMPI_COMM_WORLD_LOCAL_RANK=1|" \
  "OMPI_COMM_WORLD_LOCAL_SIZE=2"
#define TORCHRUN_3_OF_4                                                                     \
  "TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=1|" \
  "GROUP_WORLD_SIZE=2"
#define TPU_4 "TPU_PROCESS_ADDRESSES=a:8476,a:8477,b:8476,b:8477"

constexpr Launcher no_ray[] = {Launcher::ray};

constexpr Case cases[] = {
    // Frameworks' own launchers.
    {"RANK=9|WORLD_SIZE=16|LOCAL_RANK=0|RAY_LOCAL_WORLD_SIZE=8|WG_BACKEND=ray",
     "RAY_LOCAL_RANK is not set: expected a local_rank, since RANK=\"9\" is set (verl); set "
     "RAY_LOCAL_RANK; in the program, pass Config::local_rank or ::one_process_per_node"},
    {"RANK=9|WORLD_SIZE=16|RAY_LOCAL_RANK=1|RAY_LOCAL_WORLD_SIZE=8|WG_BACKEND=ray|RAY_RAYLET_PID=7|"
     "LOCAL_RANK=0|LOCAL_WORLD_SIZE=1",
     "verl 9/16 local 1/8 node ?/?; ray nested"},
    {"RANK=9|WORLD_SIZE=16|RAY_LOCAL_WORLD_SIZE=8|WG_BACKEND=ray",
     "verl 9/16 local 1/8 node ?/?",
     {.local_rank = 1}},
    {"RANK=9|WORLD_SIZE=16|RAY_LOCAL_WORLD_SIZE=8|WG_BACKEND=ray|RAY_RAYLET_PID=7|" SRUN_1_OF_2,
     "RANK=\"9\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not verl): either may "
     "have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or verl, or unset "
     "the variables of the other; in the program, set Config::launcher"},
    {"RANK=9|WORLD_SIZE=16|LOCAL_RANK=1|WG_BACKEND=other", "torch_env 9/16 local 1/? node ?/?"},
    {"RANK=9|WORLD_SIZE=16|RAY_LOCAL_RANK=1", "verl 9/16 local 1/? node ?/?"},
    {"RANK=9|WORLD_SIZE=16|RAY_LOCAL_RANK=1|WG_BACKEND=ray", "verl 9/16 local 1/? node ?/?"},
    // Programs give each actor of Ray the local rank 0, or the number of its device.
    {"RANK=9|WORLD_SIZE=16|LOCAL_RANK=0|RAY_RAYLET_PID=7",
     "torch_env 9/16 local 0/? node ?/?; ray nested; warning LOCAL_RANK"},
    {"DMLC_ROLE=worker|DMLC_WORKER_ID=1|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "byteps 11/16 local 3/8 node 1/2"},
    {"DMLC_ROLE=worker|DMLC_WORKER_ID=0|DMLC_NUM_WORKER=1|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "byteps 3/8 local 3/8 node 0/1"},
    {"DMLC_ROLE=worker|DMLC_WORKER_ID=1|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8|"
     "BYTEPS_GLOBAL_RANK=4",
     "byteps 4/16 local 3/8 node 1/2"},
    {"DMLC_ROLE=server|DMLC_WORKER_ID=1|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "DMLC_ROLE=\"server\": expected the role of a worker; start the program as a worker, or set "
     "RANKMAP_IGNORE=byteps if inherited; "
     "in the program, pass Config::rank, ::world_size and ::local_rank or set ::exclude"},
    {"DMLC_WORKER_ID=2|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "DMLC_WORKER_ID=\"2\": expected a decimal number in [0, 2), as DMLC_NUM_WORKER says; correct "
     "or unset it, or set RANKMAP_IGNORE=byteps if inherited; in the program, pass "
     "Config::node_rank or set "
     "::exclude"},
    {"DMLC_WORKER_ID=1|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=8|BYTEPS_LOCAL_SIZE=8",
     "BYTEPS_LOCAL_RANK=\"8\": expected a decimal number in [0, 8), as BYTEPS_LOCAL_SIZE says; "
     "correct or unset it, or set RANKMAP_IGNORE=byteps if inherited; in the program, pass "
     "Config::local_rank "
     "or set ::exclude"},
    {"DMLC_WORKER_ID=1|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=3",
     "BYTEPS_GLOBAL_RANK is not set: expected a rank, since BYTEPS_LOCAL_RANK=\"3\" is set "
     "(byteps); start it with bpslaunch, or unset BYTEPS_* if "
     "inherited; in the program, pass Config::rank, ::world_size and ::local_world_size"},
    {"DMLC_WORKER_ID=1000000000|DMLC_NUM_WORKER=2000000000|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "BYTEPS_GLOBAL_RANK is not set: expected a rank, since BYTEPS_LOCAL_RANK=\"3\" is set "
     "(byteps); start it with bpslaunch, or unset BYTEPS_* if "
     "inherited; in the program, pass Config::rank and ::world_size"},
    {"DMLC_WORKER_ID=0|DMLC_NUM_WORKER=2|BYTEPS_LOCAL_RANK=0|BYTEPS_LOCAL_SIZE=0",
     "BYTEPS_LOCAL_SIZE=\"0\": expected a decimal number in [1, 2147483648); correct or unset it, "
     "or set RANKMAP_IGNORE=byteps if inherited; in the program, pass Config::local_world_size or "
     "set "
     "::exclude"},
    // Eight times as many are eight again in 32 bits.
    {"DMLC_WORKER_ID=0|DMLC_NUM_WORKER=536870913|BYTEPS_LOCAL_RANK=3|BYTEPS_LOCAL_SIZE=8",
     "Config::world_size is not set: expected a world_size, since BYTEPS_LOCAL_RANK=\"3\" is set "
     "(byteps); start it with bpslaunch, or unset BYTEPS_* if "
     "inherited; in the program, pass Config::world_size"},
    {"MLX_RANK=1|MLX_HOSTFILE=/etc/hosts.json",
     "MLX_WORLD_SIZE is not set: expected a world_size, since MLX_RANK=\"1\" is set (mlx); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and "
     "::local_rank"},
    {"MLX_RANK=1|MLX_WORLD_SIZE=4|NCCL_HOST_IP=10.0.0.1|NCCL_PORT=12345",
     "Config::local_rank is not set: expected a local_rank, since MLX_RANK=\"1\" is set (mlx); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::local_rank or "
     "::one_process_per_node"},
    {"MLX_RANK=1|MLX_WORLD_SIZE=4", "mlx 1/4 local 1/? node ?/?", {.local_rank = 1}},
    {"MLX_RANK=0|MLX_WORLD_SIZE=1", "mlx 0/1 local 0/1 node 0/1"},
    {"MLX_RANK=3|MLX_WORLD_SIZE=4|" SRUN_1_OF_2,
     "MLX_RANK=\"3\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not mlx): either may "
     "have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or mlx, or unset "
     "the variables of the other; in the program, set Config::launcher"},
    {"NEURON_PJRT_PROCESS_INDEX=1|NEURON_PJRT_PROCESSES_NUM_DEVICES=64,64|NEURON_RT_ROOT_COMM_ID=1."
     "2.3.4:1",
     "PJRT_LOCAL_PROCESS_RANK is not set: expected a local_rank, since "
     "NEURON_PJRT_PROCESS_INDEX=\"1\" is set (neuron); set RANK, WORLD_SIZE, LOCAL_RANK and "
     "RANKMAP_LAUNCHER=torch_env; in "
     "the program, pass Config::local_rank or ::one_process_per_node"},
    {"NEURON_PJRT_PROCESS_INDEX=1|NEURON_PJRT_PROCESSES_NUM_DEVICES=64,64",
     "neuron 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"NEURON_PJRT_PROCESS_INDEX=1|NEURON_PJRT_PROCESSES_NUM_DEVICES=64,64|PJRT_LOCAL_PROCESS_RANK="
     "1|PJRT_LOCAL_PROCESS_COUNT=2",
     "neuron 1/2 local 1/2 node 0/1"},
    {"NEURON_PJRT_PROCESS_INDEX=2|NEURON_PJRT_PROCESSES_NUM_DEVICES=64,64",
     "NEURON_PJRT_PROCESS_INDEX=\"2\": expected a decimal number in [0, 2), as "
     "NEURON_PJRT_PROCESSES_NUM_DEVICES says; correct or unset it, or set RANKMAP_IGNORE=neuron if "
     "inherited; "
     "in the program, pass Config::rank or set ::exclude"},
    {"NEURON_PJRT_PROCESS_INDEX=1|NEURON_PJRT_PROCESSES_NUM_DEVICES=64,64|" SRUN_1_OF_2,
     "slurm 1/2 local 0/1 node 1/2; neuron same"},
    {"CLOUD_TPU_TASK_ID=2|" TPU_4 "|TPU_PROCESS_PORT=8476", "tpu_chip 2/4 local 0/2 node ?/?"},
    {"CLOUD_TPU_TASK_ID=2|TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=localhost|TPU_PROCESS_PORT=8478|"
     "TPU_PROCESS_ADDRESSES=localhost:8476,localhost:8477,localhost:8478,localhost:8479",
     "tpu_chip 2/4 local 2/4 node 0/1; tpu nested"},
    {"CLOUD_TPU_TASK_ID=1|" TPU_4 "|TPU_PROCESS_PORT=8476",
     "TPU_PROCESS_PORT=\"8476\": expected the port of entry CLOUD_TPU_TASK_ID of "
     "TPU_PROCESS_ADDRESSES; unset it, or set RANKMAP_IGNORE=tpu_chip if inherited; in the "
     "program, pass "
     "Config::rank, ::world_size and ::local_rank or set ::exclude"},  // the host's number
    {"CLOUD_TPU_TASK_ID=1|" TPU_4,
     "TPU_PROCESS_PORT is not set: expected the port of entry CLOUD_TPU_TASK_ID of "
     "TPU_PROCESS_ADDRESSES; set it, or set RANKMAP_IGNORE=tpu_chip if inherited; in the program, "
     "pass "
     "Config::rank, ::world_size and ::local_rank or set ::exclude"},
    {"CLOUD_TPU_TASK_ID=1|" TPU_4 "|TPU_PROCESS_PORT=477",
     "TPU_PROCESS_PORT=\"477\": expected the port of entry CLOUD_TPU_TASK_ID of "
     "TPU_PROCESS_ADDRESSES; unset it, or set RANKMAP_IGNORE=tpu_chip if inherited; in the "
     "program, pass "
     "Config::rank, ::world_size and ::local_rank or set ::exclude"},
    {"CLOUD_TPU_TASK_ID=4|" TPU_4 "|TPU_PROCESS_PORT=8476",
     "TPU_PROCESS_ADDRESSES=\"a:8476,a:8477,b:8476,b:8477\": expected a list of host:port with an "
     "entry at CLOUD_TPU_TASK_ID; correct or unset it, or set RANKMAP_IGNORE=tpu_chip if "
     "inherited; in the "
     "program, pass Config::local_rank or set ::exclude"},
    {"CLOUD_TPU_TASK_ID=x|" TPU_4 "|TPU_PROCESS_PORT=8476",
     "CLOUD_TPU_TASK_ID=\"x\": expected a decimal number in [0, 4), as TPU_PROCESS_ADDRESSES says; "
     "correct or unset it, or set RANKMAP_IGNORE=tpu_chip if inherited; in the program, pass "
     "Config::rank or "
     "set ::exclude"},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,a,b,b",
     "TPU_WORKER_ID=\"1\": expected a process rank; this numbers nodes (tpu, index 1); start the "
     "workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"TPU_WORKER_ID=1|TPU_WORKER_HOSTNAMES=a,a,b,b",
     "Config::world_size is not set: expected the world_size, which tpu does not set here; set "
     "RANK, "
     "WORLD_SIZE and LOCAL_RANK; in the program, pass Config::world_size",
     {.one_process_per_node = true}},
    {"DMLC_ROLE=worker|DMLC_TASK_ID=2|DMLC_NUM_WORKER=4|DMLC_TRACKER_URI=a",
     "Config::rank is not set: expected a rank, since DMLC_TASK_ID=\"2\" is set (dmlc); set RANK, "
     "WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass Config::rank and "
     "::local_rank"},
    {"DMLC_ROLE=worker|DMLC_TASK_ID=0|DMLC_NUM_WORKER=1|DMLC_TRACKER_URI=a",
     "dmlc 0/1 local 0/1 node 0/1"},
    {"DMLC_ROLE=server|DMLC_TASK_ID=2|DMLC_NUM_WORKER=4|DMLC_TRACKER_URI=a",
     "DMLC_ROLE=\"server\": expected the role of a worker; start the program as a worker, or set "
     "RANKMAP_IGNORE=dmlc if inherited; "
     "in the program, pass Config::rank, ::world_size and ::local_rank or set ::exclude"},
    {"RANK_ID=2|RANK_SIZE=4|RANK_TABLE_FILE=/x",
     "Config::local_rank is not set: expected a local_rank, since RANK_ID=\"2\" is set (ascend); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::local_rank or "
     "::one_process_per_node"},
    {"RANK_ID=2", "none 0/1 local 0/1 node 0/1; warning RANK_ID"},
    {"MV2_COMM_WORLD_RANK=5|MV2_COMM_WORLD_SIZE=6|MV2_COMM_WORLD_LOCAL_RANK=1|MV2_COMM_WORLD_LOCAL_"
     "SIZE=2|MV2_NODE_ID=2|MV2_NUM_NODES_IN_JOB=3",
     "mvapich2 5/6 local 1/2 node 2/3"},
    {"PMIX_RANK=3|PLE_RANK_ON_NODE=1|FLIB_NUM_PROCESS_ON_NODE=4|PJM_MPI_PROC=48|PJM_JOBID=7",
     "Config::world_size is not set: expected a world_size, since PLE_RANK_ON_NODE=\"1\" is set "
     "(fujitsu); set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, "
     "pass Config::world_size"},
    {"PMIX_RANK=3|PLE_RANK_ON_NODE=1|FLIB_NUM_PROCESS_ON_NODE=4|PJM_MPI_PROC=48|PJM_JOBID=7",
     "fujitsu 3/48 local 1/4 node ?/?; pmix same",
     {.world_size = 48}},
    {"PLE_RANK_ON_NODE=1",
     "PMIX_RANK is not set: expected a rank, since PLE_RANK_ON_NODE=\"1\" is set (fujitsu); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::rank and ::world_size"},
    {"PJM_MPI_PROC=48|PJM_NODE=12|PJM_JOBID=1", "none 0/1 local 0/1 node 0/1"},
    {"PJM_MPI_PROC=48|PJM_NODE=12|PMIX_RANK=3|PJM_JOBID=1",
     "Config::world_size is not set: expected a world_size, since PMIX_RANK=\"3\" is set (pmix); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and ::local_rank"},

    // Slurm: a batch script is one process, whatever was asked for. The first task of a step is no
    // script, even if a container has only some of its variables.
    {BATCH_SCRIPT, "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_GTIDS=|" BATCH_SCRIPT, "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_NTASKS=|" BATCH_SCRIPT, "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_TASK_PID=|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_JOB_ID=|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURMD_NODENAME=|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_NODEID=|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_NODEID=1|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_GTIDS=0,1|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_PROCID=1|" BATCH_SCRIPT, PART_OF_STEP("1")},
    {"SLURM_STEP_ID=0|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_STEPID=0|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_LAUNCH_NODE_IPADDR=10.0.0.1|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_STEP_NUM_NODES=3|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_STEP_NODELIST=n[1-3]|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_UMASK=0022|" BATCH_SCRIPT, PART_OF_STEP("0")},
    {"SLURM_STEP_TASKS_PER_NODE=1(x3)|" BATCH_SCRIPT, PART_OF_STEP("0")},
    // Slurm named the job after mpirun did: what it starts are not mpirun's daemons.
    {SRUN_1_OF_2 "|PMIX_RANK=1|PMIX_NAMESPACE=7|OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|"
                 "OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=2",
     "open_mpi 1/2 local 1/2 node 0/1; slurm nested; pmix same"},
    {SRUN_1_OF_2 "|PMIX_RANK=1|PMIX_NAMESPACE=slurm.pmix.9.0|OMPI_COMM_WORLD_RANK=1|"
                 "OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=1|OMPI_COMM_WORLD_LOCAL_SIZE=2",
     "slurm 1/2 local 0/1 node 1/2; open_mpi stale; pmix stale"},
    // The bare rank that mpirun sets with the id of its job is the step's.
    {"SLURM_PROCID=1|SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NUM_NODES=2|SLURM_LOCALID=0|PMIX_RANK=1|"
     "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
     "OMPI_COMM_WORLD_LOCAL_SIZE=1",
     "SLURM_PROCID=\"1\": expected rank 0 of 2, as OMPI_COMM_WORLD_RANK says (open_mpi, not "
     "slurm): either may have started the other; set RANKMAP_LAUNCHER to the inner one, "
     "open_mpi or slurm, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    // The step has more nodes than the job: a script's, submitted by a task of another job.
    {"SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NUM_NODES=2|SLURM_LOCALID=|" BATCH_SCRIPT,
     "slurm 0/2 local 0/1 node 0/2"},
    {"SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NUM_NODES=2|SLURM_LOCALID=|SLURM_JOB_NODELIST=n[1-2]"
     "|" BATCH_SCRIPT,
     "slurm 0/2 local 0/1 node 0/2"},
    {"SLURM_STEP_NUM_TASKS=2|SLURM_STEP_NUM_NODES=2|SLURM_LOCALID=|SLURM_JOB_NODELIST="
     "n1|" BATCH_SCRIPT,
     "none 0/1 local 0/1 node 0/1; slurm stale"},
    {"SLURM_PROCID=0|SLURM_NTASKS=8|SLURM_LOCALID=0", PART_OF_STEP("0") " and ::local_world_size"},
    {"SLURM_PROCID=1|SLURM_NTASKS=8|SLURM_LOCALID=1", PART_OF_STEP("1") " and ::local_world_size"},
    {"SLURM_PROCID=4|SLURM_NTASKS=8|SLURM_LOCALID=0|SLURM_NODEID=1",
     PART_OF_STEP("4") " and ::local_world_size"},
    {"SLURM_PROCID=0|SLURM_NTASKS=2|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0",
     PART_OF_STEP("0")},
    {"SLURM_PROCID=0", PART_OF_STEP("0") ", ::local_rank and ::local_world_size"},
    {"SLURM_LOCALID=0|SLURM_NTASKS=6",
     "SLURM_PROCID is not set: expected a rank, since SLURM_LOCALID=\"0\" is set (slurm); start it "
     "with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm; in the program, "
     "pass Config::rank, ::world_size and ::local_world_size"},
    {"SLURM_PROCID=0|SLURM_NTASKS=8|SLURM_LOCALID=0",
     "slurm 0/8 local 0/4 node ?/?",
     {.world_size = 8, .local_world_size = 4}},
    {"SLURM_PROCID=0|SLURM_NTASKS=8|SLURM_LOCALID=0",
     "none 0/1 local 0/1 node 0/1; slurm same",
     {.launcher = Launcher::none}},

    // Batch systems' own starters.
    {"LSF_PM_TASKID=3|LSB_JOBID=1|LSB_DJOB_NUMPROC=8",
     "Config::world_size is not set: expected a world_size, since LSF_PM_TASKID=\"3\" is set "
     "(lsf); set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in the program, pass "
     "Config::world_size and "
     "::local_rank"},
    {"LSF_PM_TASKID=3|LSB_JOBID=1",
     "lsf 2/4 local 0/1 node 2/4",
     {.world_size = 4, .one_process_per_node = true}},
    {"LSF_PM_TASKID=0",
     "LSF_PM_TASKID=\"0\": expected a decimal number in [1, 2147483648); correct or unset it, or "
     "set RANKMAP_IGNORE=lsf if inherited; in the program, pass Config::rank or set ::exclude"},
    {"LSF_PM_TASKID=2|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; lsf nested",
     {.strict = true}},
    {"LSF_PM_TASKID=0|" OMPI_5_OF_6, "open_mpi 5/6 local 1/2 node ?/?; lsf nested"},
    // ... but a second task may not be told that it is alone.
    {"LSF_PM_TASKID=2|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1|PMI_RANK=0|PMI_SIZE=1",
     "LSF_PM_TASKID=\"2\": expected rank 0 of 1, as PMI_RANK says (hydra, not lsf): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, hydra or lsf, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    {"LSF_PM_TASKID=1|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1|PMI_RANK=0|PMI_SIZE=1",
     "LSF_PM_TASKID=\"1\": expected a number of the launch of PMI_RANK (hydra, not lsf), "
     "though both are equal here: either may have started the other; set RANKMAP_LAUNCHER to "
     "the inner one, hydra or lsf, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    // One number under two names, of two launches.
    {"PADDLE_TRAINER_ID=0|PADDLE_TRAINERS_NUM=2|PADDLE_GLOBAL_SIZE=1|PADDLE_LOCAL_RANK=0",
     "PADDLE_GLOBAL_SIZE=\"1\": expected \"2\", as PADDLE_TRAINERS_NUM says (paddle sets both); "
     "unset the one that was inherited; in the program, pass Config::world_size"},
    {"PADDLE_TRAINER_ID=0|PADDLE_TRAINERS_NUM=2|PADDLE_GLOBAL_SIZE=1|PADDLE_LOCAL_RANK=0",
     "paddle 0/2 local 0/? node ?/?",
     {.world_size = 2}},
    {"PADDLE_TRAINER_ID=0|PADDLE_TRAINERS_NUM=2|PADDLE_GLOBAL_SIZE=2|PADDLE_LOCAL_RANK=0",
     "paddle 0/2 local 0/? node ?/?"},
    {"PBS_VNODENUM=3|PBS_NODENUM=1|PBS_TASKNUM=4|PBS_JOBID=7",
     "PBS_NP is not set: expected a world_size, since PBS_VNODENUM=\"3\" is set (pbs); set RANK, "
     "WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); in the "
     "program, pass "
     "Config::world_size and ::local_rank"},
    {"PBS_VNODENUM=3|PBS_NP=8|PBS_TASKNUM=4",
     "Config::local_rank is not set: expected a local_rank, since PBS_VNODENUM=\"3\" is set (pbs); "
     "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); "
     "in the "
     "program, pass Config::local_rank or ::one_process_per_node"},
    {"PBS_VNODENUM=3|PBS_NP=8|PBS_TASKNUM=4", "pbs 3/8 local 1/? node ?/?", {.local_rank = 1}},
    {"PBS_VNODENUM=0|PBS_NP=8|PBS_NODENUM=0|PBS_TASKNUM=1",
     "none 0/1 local 0/1 node 0/1; pbs stale"},
    {"PBS_VNODENUM=0|PBS_NP=8", "none 0/1 local 0/1 node 0/1; pbs stale"},
    {"PBS_VNODENUM=0|PBS_NODENUM=0|PBS_TASKNUM=2",
     "PBS_NP is not set: expected a world_size, since PBS_VNODENUM=\"0\" is set (pbs); set RANK, "
     "WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); in the "
     "program, pass "
     "Config::world_size and ::local_rank"},
    {"PBS_NODENUM=1|PBS_TASKNUM=40000001|PBS_JOBID=7",
     "PBS_VNODENUM is not set: expected a rank, since PBS_TASKNUM=\"40000001\" is set (pbs); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); in "
     "the "
     "program, pass Config::rank, ::world_size and ::local_rank"},
    {"PBS_NODENUM=0|PBS_TASKNUM=0000000A|PBS_JOBID=7",
     "PBS_VNODENUM is not set: expected a rank, since PBS_TASKNUM=\"0000000A\" is set (pbs); set "
     "RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); in "
     "the "
     "program, pass Config::rank, ::world_size and ::local_rank"},
    {"PBS_NODENUM=0|PBS_TASKNUM=1|PBS_JOBID=7", "none 0/1 local 0/1 node 0/1; pbs stale"},
    {"PBS_NODENUM=1|PBS_TASKNUM=40000001|PMIX_RANK=5|PMIX_NAMESPACE=p|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; pmix same; pbs nested",
     {.strict = true}},
    {"PBS_VNODENUM=1|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; pbs nested",
     {.strict = true}},
    {"JOB_SCRIPT=QRSH|JOB_NAME=petask|NHOSTS=1|NSLOTS=1",
     "Config::rank is not set: expected a rank, since JOB_SCRIPT=\"QRSH\" is set (sge); set RANK, "
     "WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env (or =none if it is alone); in the "
     "program, pass "
     "Config::rank, ::world_size and ::local_rank"},
    {"JOB_SCRIPT=QRSH|JOB_NAME=petask|NHOSTS=3|NSLOTS=4|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; sge nested",
     {.strict = true}},
    {"JOB_SCRIPT=QRSH|JOB_NAME=python|NHOSTS=1|NSLOTS=4",
     "none 0/1 local 0/1 node 0/1; sge nested; warning JOB_SCRIPT"},
    {"JOB_SCRIPT=QRSH|JOB_NAME=python|NSLOTS=4",
     "none 0/1 local 0/1 node 0/1; sge nested",
     {.launcher = Launcher::none, .strict = true}},
    {"JOB_SCRIPT=QRSH|JOB_NAME=python|NSLOTS=4",
     "JOB_SCRIPT=\"QRSH\": expected the numbers of a launcher too, unless this process is the only "
     "one; correct or unset it",
     {.strict = true}},
    {"JOB_SCRIPT=QRSH|JOB_NAME=python|NSLOTS=1", "none 0/1 local 0/1 node 0/1; sge stale"},
    {"JOB_SCRIPT=QRSH", "none 0/1 local 0/1 node 0/1; sge nested; warning JOB_SCRIPT"},
    {"JOB_SCRIPT=/var/spool/job|JOB_NAME=petask|NHOSTS=3|NSLOTS=4", "none 0/1 local 0/1 node 0/1"},

    // Starters without a rank.
    {"RAY_RAYLET_PID=1234|RAY_JOB_ID=01000000",
     "none 0/1 local 0/1 node 0/1; ray nested; warning RAY_RAYLET_PID"},
    {"RAY_RAYLET_PID=1234",
     "RAY_RAYLET_PID=\"1234\": expected the numbers of a launcher too, unless this process is the "
     "only one; correct or unset it",
     {.strict = true}},
    {"RAY_RAYLET_PID=1234",
     "none 0/1 local 0/1 node 0/1; ray nested",
     {.launcher = Launcher::none, .strict = true}},
    {"RAY_RAYLET_PID=1234",
     "config 1/2 local 1/? node ?/?; ray nested",
     {.rank = 1, .world_size = 2, .local_rank = 1, .strict = true}},
    {"RAY_RAYLET_PID=1234|" SRUN_1_OF_2,
     "Config::rank is not set: expected a rank, since RAY_RAYLET_PID=\"1234\" is set (ray); set "
     "RANKMAP_LAUNCHER=none if alone; in the program, "
     "pass Config::rank, ::world_size and ::local_rank"},
    {"RAY_RAYLET_PID=1234|" SRUN_1_OF_2,
     "slurm 1/2 local 0/1 node 1/2; ray stale",
     {.launcher = Launcher::slurm}},
    {"RAY_RAYLET_PID=1234|" SRUN_1_OF_2,
     "none 0/1 local 0/1 node 0/1; ray nested; slurm conflict",
     {.launcher = Launcher::none}},
    {"RAY_RAYLET_PID=1234|" SRUN_1_OF_2, "slurm 1/2 local 0/1 node 1/2", {.exclude = no_ray}},
    {"RAY_RAYLET_PID=1234|RANK=9|WORLD_SIZE=16|" SRUN_1_OF_2,
     "Config::rank is not set: expected a rank, since RAY_RAYLET_PID=\"1234\" is set (ray); set "
     "RANKMAP_LAUNCHER=none if alone; in the program, "
     "pass Config::rank, ::world_size and ::local_rank"},
    {"RAY_RAYLET_PID=1234|RANK=9|WORLD_SIZE=16",
     "RANK=\"9\": expected a process rank; this may number nodes (RANK without LOCAL_RANK, index 9 "
     "of 16); set LOCAL_RANK (0 if each node runs one process); in the program, pass "
     "Config::one_process_per_node"},
    {"RAY_RAYLET_PID=1234|ROLE_RANK=2|ROLE_WORLD_SIZE=4|" TORCHRUN_3_OF_4,
     "RAY_RAYLET_PID=\"1234\": expected rank 3 of 4, as RANK says (torchrun, not ray): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, torchrun or ray, or "
     "unset the variables of the other; in the program, set Config::launcher"},
    {"RAY_RAYLET_PID=1234|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; ray nested",
     {.strict = true}},
    {"RAY_RAYLET_PID=1234|" BATCH_SCRIPT,
     "none 0/1 local 0/1 node 0/1; ray nested; slurm stale; warning RAY_RAYLET_PID"},
    {"RAY_RAYLET_PID=1234|" SRUN_0_OF_1,
     "slurm 0/1 local 0/1 node 0/1; ray stale; warning RAY_RAYLET_PID"},
    {"RAY_RAYLET_PID=1234|WORLD_SIZE=1|" SRUN_0_OF_1,
     "torch_env 0/1 local 0/1 node 0/1; ray nested; slurm same"},
    {"RAY_RAYLET_PID=1234|" SRUN_0_OF_1,
     "RAY_RAYLET_PID=\"1234\": expected the numbers of a launcher too, unless this process is the "
     "only one; correct or unset it",
     {.strict = true}},
    {"RAY_RAYLET_PID=1234|" SRUN_0_OF_1,
     "slurm 0/1 local 0/1 node 0/1; ray stale",
     {.launcher = Launcher::slurm, .strict = true}},
    {"RAY_RAYLET_PID=1234|LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1; ray nested"},
    {"PARALLEL_SEQ=3", "none 0/1 local 0/1 node 0/1; task_pool stale"},
    {"HQ_TASK_ID=3|" SRUN_1_OF_2,
     "HQ_TASK_ID=\"3\": expected rank 1 of 2, as SLURM_PROCID says (slurm, not task_pool): either "
     "may have started the other; set RANKMAP_LAUNCHER to the inner one, slurm or none (a single "
     "process), or unset the variables of the other; in the program, set Config::launcher"},
    {"MODAL_TASK_ID=ta-1", "none 0/1 local 0/1 node 0/1; modal nested; warning MODAL_TASK_ID"},
    {"MODAL_TASK_ID=ta-1|NCCL_HOSTID=x|RANK=1|WORLD_SIZE=2|LOCAL_RANK=0",
     "torch_env 1/2 local 0/? node ?/?; modal nested"},
    {"PET_NNODES=1:4|PET_RDZV_ENDPOINT=j-worker-0:29400|PET_RDZV_BACKEND=c10d",
     "Config::rank is not set: expected a rank, since PET_RDZV_ENDPOINT=\"j-worker-0:29400\" is "
     "set (elastic); start it with torchrun, or set RANKMAP_LAUNCHER=none if alone; in the "
     "program, pass Config::rank, ::world_size and ::local_rank"},
    {"PET_NNODES=4|PET_RDZV_ENDPOINT=j-worker-0:29400",
     "Config::rank is not set: expected a rank, since PET_RDZV_ENDPOINT=\"j-worker-0:29400\" is "
     "set (elastic); start it with torchrun, or set RANKMAP_LAUNCHER=none if alone; in the "
     "program, pass Config::rank, ::world_size and ::local_rank"},
    {"PET_NNODES=1:1|PET_RDZV_ENDPOINT=j-worker-0:29400",
     "none 0/1 local 0/1 node 0/1; elastic stale"},
    {"PET_RDZV_ENDPOINT=localhost:0", "none 0/1 local 0/1 node 0/1; elastic stale"},
    {"PET_NNODES=2|PET_NODE_RANK=1|PET_RDZV_ENDPOINT=a:1",
     "PET_NODE_RANK=\"1\": expected a process rank; this numbers nodes (kubeflow, index 1 of 2); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"PET_NNODES=1:4|PET_RDZV_ENDPOINT=a:1|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; elastic nested",
     {.strict = true}},

    // Pods and machines.
    {"PET_NODE_RANK=1|PET_NNODES=2|PET_N_PROC_PER_NODE=8",
     "PET_N_PROC_PER_NODE=\"8\": expected 1, as Config::one_process_per_node states; start the "
     "workers with torchrun, or correct it; in the program, leave Config::one_process_per_node "
     "unset",
     {.one_process_per_node = true}},
    {"DMLC_TASK_ID=2|DMLC_NUM_WORKER=8|DMLC_TRACKER_URI=a|JOB_COMPLETION_INDEX=2",
     "DMLC_TASK_ID=\"2\": expected a process rank; this numbers nodes (xgboost, index 2); start "
     "the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"JAX_PROCESS_ID=2|JAX_NUM_PROCESSES=4|JAX_COORDINATOR_ADDRESS=a:1|JOB_COMPLETION_INDEX=2",
     "JAX_PROCESS_ID=\"2\": expected a process rank; this numbers nodes (jax, index 2 of 4); start "
     "the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"JAX_PROCESS_ID=2|JAX_NUM_PROCESSES=4|JAX_COORDINATOR_ADDRESS=a:1|JOB_COMPLETION_INDEX=2",
     "jax 2/4 local 0/1 node 2/4; kubernetes nested",
     {.one_process_per_node = true}},
    {"JAX_PROCESS_ID=0",
     "JAX_PROCESS_ID=\"0\": expected a process rank; this numbers nodes (jax, index 0); start the "
     "workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"JAX_PROCESS_ID=0|JAX_NUM_PROCESSES=1", "none 0/1 local 0/1 node 0/1; jax nested"},
    {"JAX_PROCESS_ID=4|JAX_NUM_PROCESSES=4",
     "JAX_PROCESS_ID=\"4\": expected a decimal number in [0, 4), as JAX_NUM_PROCESSES says; "
     "correct or unset it, or set RANKMAP_IGNORE=jax; in the program, set Config::exclude"},
    {"JAX_PROCESS_ID=5|JAX_NUM_PROCESSES=6|OMPI_MCA_orte_num_nodes=3|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/3; jax same",
     {.strict = true}},
    {"JAX_PROCESS_ID=4|JAX_NUM_PROCESSES=6|OMPI_MCA_orte_num_nodes=3|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/3; jax conflict; warning JAX_PROCESS_ID"},
    {"LWS_WORKER_INDEX=1|LWS_GROUP_SIZE=4|LWS_LEADER_ADDRESS=x.y",
     "LWS_WORKER_INDEX=\"1\": expected a process rank; this numbers nodes (lws, index 1 of 4); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"LWS_WORKER_INDEX=1|LWS_GROUP_SIZE=4|LWS_LEADER_ADDRESS=x.y",
     "lws 1/4 local 0/1 node 1/4",
     {.one_process_per_node = true}},
    {"LWS_WORKER_INDEX=0|LWS_GROUP_SIZE=1", "none 0/1 local 0/1 node 0/1; lws nested"},
    {"VC_TASK_INDEX=1|VK_TASK_INDEX=1|MA_NUM_HOSTS=2|MA_TASK_NAME=worker|VC_WORKER_NUM=2",
     "VC_TASK_INDEX=\"1\": expected a process rank; this numbers nodes (modelarts, index 1 of 2); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"VC_TASK_INDEX=1|MA_NUM_HOSTS=2|MA_TASK_NAME=worker",
     "modelarts 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"VC_TASK_INDEX=0|MA_NUM_HOSTS=1", "none 0/1 local 0/1 node 0/1; modelarts nested"},
    {"VC_TASK_INDEX=1|MA_NUM_HOSTS=2|MA_TASK_NAME=server",
     "MA_TASK_NAME=\"server\": expected the role of a worker; start the program as a worker, or "
     "set "
     "RANKMAP_IGNORE=modelarts; in the program, set Config::exclude"},
    {"VC_TASK_INDEX=1|VK_TASK_INDEX=1",
     "VC_TASK_INDEX=\"1\": expected a process rank; this numbers nodes (volcano, index 1); start "
     "the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"VK_TASK_INDEX=1",
     "Config::world_size is not set: expected the world_size, which volcano does not set here; set "
     "RANK, WORLD_SIZE and LOCAL_RANK; in the program, pass Config::world_size",
     {.one_process_per_node = true}},
    {"DSTACK_NODE_RANK=1|DSTACK_NODES_NUM=2|DSTACK_GPUS_PER_NODE=8",
     "DSTACK_NODE_RANK=\"1\": expected a process rank; this numbers nodes (dstack, index 1 of 2); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"DSTACK_NODE_RANK=1|DSTACK_NODES_NUM=2|DSTACK_GPUS_PER_NODE=8",
     "dstack 1/2 local 0/1 node 1/2; warning DSTACK_GPUS_PER_NODE",
     {.one_process_per_node = true}},
    {"DSTACK_NODE_RANK=0|DSTACK_NODES_NUM=1", "none 0/1 local 0/1 node 0/1; dstack nested"},
    {"LEPTON_JOB_WORKER_INDEX=1|LEPTON_JOB_TOTAL_WORKERS=2",
     "LEPTON_JOB_WORKER_INDEX=\"1\": expected a process rank; this numbers nodes (lepton, index 1 "
     "of 2); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in "
     "the program, pass Config::one_process_per_node"},
    {"LEPTON_JOB_WORKER_INDEX=1|LEPTON_JOB_TOTAL_WORKERS=2",
     "lepton 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"BEAKER_REPLICA_RANK=2|BEAKER_REPLICA_COUNT=4",
     "BEAKER_REPLICA_RANK=\"2\": expected a process rank; this numbers nodes (beaker, index 2 of "
     "4); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in "
     "the program, pass Config::one_process_per_node"},
    {"BEAKER_REPLICA_RANK=2|BEAKER_REPLICA_COUNT=4",
     "beaker 2/4 local 0/1 node 2/4",
     {.one_process_per_node = true}},
    {"NGC_ARRAY_INDEX=2|NGC_ARRAY_SIZE=4",
     "NGC_ARRAY_INDEX=\"2\": expected a process rank; this numbers nodes (ngc, index 2 of 4); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node"},
    {"NGC_ARRAY_INDEX=2|NGC_ARRAY_SIZE=4",
     "ngc 2/4 local 0/1 node 2/4",
     {.one_process_per_node = true}},
    {"MF_PARALLEL_NODE_INDEX=2|MF_PARALLEL_NUM_NODES=4",
     "MF_PARALLEL_NODE_INDEX=\"2\": expected a process rank; this numbers nodes (metaflow, index 2 "
     "of 4); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in "
     "the program, pass Config::one_process_per_node"},
    {"MF_PARALLEL_NODE_INDEX=2|MF_PARALLEL_NUM_NODES=4",
     "metaflow 2/4 local 0/1 node 2/4",
     {.one_process_per_node = true}},
    {"MLP_ROLE=WORKER|MLP_ROLE_INDEX=2|MLP_WORKER_NUM=4|MLP_WORKER_0_HOST=a|MLP_WORKER_0_PORT=1",
     "MLP_ROLE_INDEX=\"2\": expected a process rank; this numbers nodes (mlp, index 2 of 4); start "
     "the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"MLP_ROLE=WORKER|MLP_ROLE_INDEX=2|MLP_WORKER_NUM=4",
     "mlp 2/4 local 0/1 node 2/4",
     {.one_process_per_node = true}},
    {"MLP_ROLE=PS|MLP_ROLE_INDEX=2|MLP_WORKER_NUM=4",
     "MLP_ROLE=\"PS\": expected the role of a worker; start the program as a worker, or set "
     "RANKMAP_IGNORE=mlp; in the program, set Config::exclude"},
    {"MLP_ROLE=PS|MLP_ROLE_INDEX=2|MLP_WORKER_NUM=4|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/?; mlp conflict"},
    {"NODE_RANK=1|NODE_COUNT=2|OCI__WORKER_COUNT=1",
     "NODE_RANK=\"1\": expected a process rank; this numbers nodes (oci, index 1 of 2); start the "
     "workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the program, "
     "pass Config::one_process_per_node"},
    {"NODE_RANK=1|NODE_COUNT=2|OCI__WORKER_COUNT=1",
     "oci 1/2 local 0/1 node 1/2",
     {.one_process_per_node = true}},
    {"NODE_RANK=1|NODE_COUNT=2", "none 0/1 local 0/1 node 0/1; warning NODE_RANK"},

    // Slots, which may share a machine.
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "_CONDOR_PROCNO=\"1\": expected a process rank; this numbers slots (condor, index 1 of 3); "
     "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK; in the "
     "program, pass Config::one_process_per_node and ::local_rank"},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "Config::local_rank is not set: expected the local_rank too: _CONDOR_PROCNO numbers slots "
     "(condor), which may share a machine; start the workers with torchrun or mpirun; in the "
     "program, pass it and Config::local_world_size",
     {.one_process_per_node = true}},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=3",
     "Config::local_rank is not set: expected the local_rank too: _CONDOR_PROCNO numbers slots "
     "(condor), which may share a machine; start the workers with torchrun or mpirun; in the "
     "program, pass it and Config::local_world_size",
     {.launcher = Launcher::condor, .one_process_per_node = true}},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=2|" TORCHRUN_3_OF_4,
     "torchrun 3/4 local 1/2 node 1/2; condor nested",
     {.strict = true}},

    // An array's tasks are jobs of their own, until the caller says otherwise.
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4", "none 0/1 local 0/1 node 0/1; gcp_batch nested"},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4",
     "none 0/1 local 0/1 node 0/1; gcp_batch nested",
     {.strict = true}},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4",
     "BATCH_TASK_INDEX=\"2\": expected a process rank; this numbers tasks of an array (gcp_batch, "
     "index 2 of 4); set RANKMAP_LAUNCHER to it if they are one job, else RANKMAP_IGNORE; in the "
     "program, pass Config::launcher and ::one_process_per_node",
     {.one_process_per_node = true}},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4",
     "BATCH_TASK_INDEX=\"2\": expected a process rank; this numbers tasks of an array (gcp_batch, "
     "index 2 of 4); start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and "
     "LOCAL_RANK; in the program, pass Config::one_process_per_node",
     {.launcher = Launcher::gcp_batch}},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4",
     "gcp_batch 2/4 local 0/1 node 2/4",
     {.launcher = Launcher::gcp_batch, .one_process_per_node = true}},
    {"BATCH_TASK_INDEX=0|BATCH_TASK_COUNT=1",
     "none 0/1 local 0/1 node 0/1; gcp_batch nested",
     {.one_process_per_node = true}},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4|OMPI_MCA_orte_num_nodes=3|" OMPI_5_OF_6,
     "open_mpi 5/6 local 1/2 node ?/3; gcp_batch nested",
     {.strict = true}},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4|TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=a",
     "none 0/1 local 0/1 node 0/1; tpu nested; gcp_batch nested"},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=x|TPU_WORKER_ID=0|TPU_WORKER_HOSTNAMES=a",
     "none 0/1 local 0/1 node 0/1; tpu nested; gcp_batch nested"},
};

static_assert(rankmap_test::cases_hold<cases>);

TEST(Environments, with_a_zero_that_counts_from_1_hold_no_number) {
  const auto topology =
      rankmap::Topology::from_environment(rankmap::RecordedEnvironment("LSF_PM_TASKID=0", '|'));
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code, rankmap::Errc::not_a_number);
}

TEST(Environments, come_out_as_their_launchers_mean_them) {
  for (const Case& c : cases) {
    EXPECT_EQ(rankmap_test::summary_of(c).view(), c.expected) << c.variables;
  }
}

// ---- what a message tells whoever runs the job to set

/// Rank 1 of 2, as far as the launcher says it. `remedy` is how the remedy begins, and
/// `set` what it says to set.
struct Completed {
  std::string_view variables;
  std::string_view remedy;
  std::string_view set;
};
#define NUMBERS "|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1"
#define NUMBERS_MEANT NUMBERS "|RANKMAP_LAUNCHER=torch_env"
constexpr std::string_view set_numbers =
    "set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env";
constexpr std::string_view or_set_numbers =
    "start the workers with torchrun or mpirun, or set RANK, WORLD_SIZE and LOCAL_RANK;";
constexpr Completed completed[] = {
    {"RANK=1|WORLD_SIZE=2", "set LOCAL_RANK (0 if each node runs one process);", "|LOCAL_RANK=1"},
    {"MS_WORKER_NUM=2|MS_ROLE=MS_WORKER", set_numbers, NUMBERS_MEANT},
    {"RANK_ID=1|RANK_SIZE=2", set_numbers, NUMBERS_MEANT},
    {"MLX_RANK=1", set_numbers, NUMBERS_MEANT},
    {"NEURON_PJRT_PROCESS_INDEX=1|NEURON_PJRT_PROCESSES_NUM_DEVICES=4,4", set_numbers,
     NUMBERS_MEANT},
    {"DMLC_TASK_ID=1|DMLC_ROLE=worker|DMLC_NUM_WORKER=2", set_numbers, NUMBERS_MEANT},
    {"NODE_RANK=1|LOCAL_RANK=1|WORLD_SIZE=2|MASTER_ADDR=a|MASTER_PORT=1", "set RANK too;",
     "|RANK=1"},
    {"RANK=1|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|NODE_RANK=0|MASTER_ADDR=a|MASTER_PORT=1|"
     "PYTHONUNBUFFERED=1|TORCH_NCCL_ASYNC_ERROR_HANDLING=1",
     set_numbers, NUMBERS_MEANT},
    {"ALPS_APP_PE=1", set_numbers, NUMBERS_MEANT},
    {"PLE_RANK_ON_NODE=1|PMIX_RANK=1", set_numbers, NUMBERS_MEANT},
    {"PMI_RANK=1|PMI_SIZE=2|PMI_SMPD_KEY=7", set_numbers, NUMBERS_MEANT},
    {"PMI_RANK=1|PMI_SIZE=2", set_numbers, NUMBERS_MEANT},
    {"PMIX_RANK=1|PMIX_NAMESPACE=prterun-n1-7@1", set_numbers, NUMBERS_MEANT},
    {"LSF_PM_TASKID=2", set_numbers, NUMBERS_MEANT},
    {"PBS_VNODENUM=1|PBS_TASKNUM=3", set_numbers, NUMBERS_MEANT},
    {"JOB_SCRIPT=QRSH|JOB_NAME=petask", set_numbers, NUMBERS_MEANT},
    {"TF_CONFIG={\"cluster\":{\"worker\":[\"a:1\",\"b:1\"]},\"task\":{\"type\":\"worker\","
     "\"index\":1}}",
     or_set_numbers, NUMBERS},
    {"JOB_COMPLETION_INDEX=1", or_set_numbers, NUMBERS},
    {"_CONDOR_PROCNO=1|_CONDOR_NPROCS=2", or_set_numbers, NUMBERS},
};

TEST(Environments, what_a_remedy_says_to_set_completes_the_record) {
  for (const Completed& row : completed) {
    const std::string before(row.variables);
    const auto refused =
        rankmap::Topology::from_environment(rankmap::RecordedEnvironment(before, '|'));
    ASSERT_FALSE(refused) << row.variables;
    EXPECT_EQ(refused.error().remedy.view().substr(0, row.remedy.size()), row.remedy)
        << row.variables;
    const std::string after = before + std::string(row.set);
    const auto me = rankmap::Topology::from_environment(rankmap::RecordedEnvironment(after, '|'));
    ASSERT_TRUE(me) << after << "\n" << message(me.error()).view();
    EXPECT_EQ(me->rank(), 1) << after;
    EXPECT_EQ(me->world_size(), 2) << after;
    EXPECT_EQ(me->local_rank(), 1) << after;
  }
}

/// As little of a record as can be: what the row asks for, and one of the variables that detect it.
std::string least_record(const rankmap::LauncherRow& row, std::string_view detected_by) {
  std::string out = std::string(detected_by) + "=1|";
  for (const std::string_view name : row.require_all) out.append(name).append("=1|");
  if (!row.require_any.empty()) out.append(row.require_any.first()).append("=1|");
  for (const rankmap::ExpectedText& text : {row.require_text, row.role}) {
    out.append(text.variable).append("=").append(text.texts.first()).append("|");
  }
  return out;
}

TEST(Environments, a_remedy_is_told_whole_however_little_is_set) {
  for (const rankmap::LauncherRow& row : rankmap::launchers) {
    for (const std::string_view variable : row.detect_any) {
      const std::string text = least_record(row, variable);
      const auto me = rankmap::Topology::from_environment(rankmap::RecordedEnvironment(text, '|'));
      if (me) continue;
      // What was cut fills the room that there is.
      EXPECT_LT(me.error().remedy.size(), 159U) << text << message(me.error()).view();
    }
  }
}

}  // namespace
