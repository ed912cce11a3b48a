// SPDX-License-Identifier: MIT
//
// The launchers as data. A row has the variables of one launcher, the numbers that make its record
// complete, and the check that separates a live record from a stale one. To add a launcher, add a
// row here, its enumerator and name in launcher.hpp, and a recorded environment in
// tests/recordings.
//
// The facts behind each row, with their sources, are in docs/launchers.md.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP

#include <rankmap/launcher/detail/pmix_server.hpp>
#include <rankmap/launcher/detail/slurm_step.hpp>
#include <rankmap/launcher/detail/starters.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

inline constexpr VariableNames master_address = {"MASTER_ADDR"};
inline constexpr VariableNames master_port = {"MASTER_PORT"};

inline constexpr std::string_view ask_mpi_for_local_rank =
    "pass Config::local_rank, for example from MPI_Comm_split_type(MPI_COMM_TYPE_SHARED), or "
    "Config::one_process_per_node";

}  // namespace detail

/// Every launcher that sets variables, innermost first. A variable belongs to one record only: a
/// row is skipped if an earlier row that is detected reads its rank, world size or local rank from
/// the same variable.
inline constexpr LauncherRow launchers[] = {
    {.launcher = Launcher::torchrun,
     .detect_any = {"TORCHELASTIC_RUN_ID"},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .local_world_size = {{"LOCAL_WORLD_SIZE"}},
     .node_rank = {{"GROUP_RANK"}},
     .node_count = {{"GROUP_WORLD_SIZE"}},
     .job_id = {"TORCHELASTIC_RUN_ID"},
     .restart_count = {"TORCHELASTIC_RESTART_COUNT"},
     .address = detail::master_address,
     .port = detail::master_port,
     .local_size_required = true,
     .node_by_node = true,
     .agent_store_if = "TORCHELASTIC_USE_AGENT_STORE",
     .missing_hint =
         "start the process with torchrun, or unset TORCHELASTIC_RUN_ID if it was inherited"},
    {.launcher = Launcher::horovod,
     .detect_any = {"HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK"},
     .rank = {{"HOROVOD_RANK"}},
     .world_size = {{"HOROVOD_SIZE"}},
     .local_rank = {{"HOROVOD_LOCAL_RANK"}},
     .local_world_size = {{"HOROVOD_LOCAL_SIZE"}},
     // HOROVOD_CROSS_RANK counts the hosts with this local rank: on uneven hosts it is no node
     // rank.
     .host = {"HOROVOD_HOSTNAME"},
     .address = {"HOROVOD_GLOO_RENDEZVOUS_ADDR"},
     .port = {"HOROVOD_GLOO_RENDEZVOUS_PORT"},
     .local_size_required = true,
     .missing_hint = "set all of HOROVOD_RANK, _SIZE, _LOCAL_RANK and _LOCAL_SIZE, or unset them"},
    {.launcher = Launcher::deepspeed,
     .detect_any = {"RANK", "LOCAL_RANK"},
     .require_all = {"CROSS_RANK", "CROSS_SIZE", "LOCAL_SIZE"},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .local_world_size = {{"LOCAL_SIZE"}},
     .node_rank = {{"CROSS_RANK"}},
     .node_count = {{"CROSS_SIZE"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .local_size_required = true,
     .node_by_node = true,
     .missing_hint = "start the process with deepspeed, or unset CROSS_RANK if it was inherited"},
    {.launcher = Launcher::ray_train,
     .detect_any = {"RANK"},
     .require_all = {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "ACCELERATE_TORCH_DEVICE"},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .local_world_size = {{"LOCAL_WORLD_SIZE"}},
     .node_rank = {{"NODE_RANK"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .local_size_required = true,
     .missing_hint = "set WORLD_SIZE, or unset RANK if it was inherited"},
    {.launcher = Launcher::verl,
     .detect_any = {"RANK"},
     .require_text = {"WG_BACKEND", {"ray"}},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},  // set from inside, later than the others
     .local_world_size = {{"RAY_LOCAL_WORLD_SIZE"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .missing_hint = "make the topology after verl has set LOCAL_RANK, or pass Config::local_rank"},
    {.launcher = Launcher::composer,
     .detect_any = {"RANK"},
     .require_all = {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK"},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .local_world_size = {{"LOCAL_WORLD_SIZE"}},
     .node_rank = {{"NODE_RANK"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .local_size_required = true,
     .missing_hint = "set WORLD_SIZE, or unset RANK if it was inherited"},
    {.launcher = Launcher::lightning,
     .detect_any = {"NODE_RANK"},
     .require_all = {"LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"},
     .exclude_any = {"RANK", "LOCAL_WORLD_SIZE"},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .node_rank = {{"NODE_RANK"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .node_by_node = true,
     .missing_hint = "pass Config::local_world_size (the devices per node), which gives the rank"},
    {.launcher = Launcher::torch_env,
     .detect_any = {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
     .rank = {{"RANK"}},
     .world_size = {{"WORLD_SIZE"}},
     .local_rank = {{"LOCAL_RANK"}},
     .local_world_size = {{"LOCAL_WORLD_SIZE"}},
     .node_rank = {{"NODE_RANK"}},
     .address = detail::master_address,
     .port = detail::master_port,
     .node_level_without_local_rank = true,
     .generic_names = true,
     .missing_hint = "set RANK, WORLD_SIZE and LOCAL_RANK together, or unset all of them"},
    {.launcher = Launcher::paddle,
     .detect_any = {"PADDLE_TRAINER_ID", "PADDLE_GLOBAL_RANK"},
     .rank = {{"PADDLE_TRAINER_ID", "PADDLE_GLOBAL_RANK"}},
     .world_size = {{"PADDLE_TRAINERS_NUM", "PADDLE_GLOBAL_SIZE"}},
     .local_rank = {{"PADDLE_LOCAL_RANK", "PADDLE_RANK_IN_NODE"}},
     .local_world_size = {{"PADDLE_LOCAL_SIZE"}},
     .node_count = {{"PADDLE_NNODES"}},
     .missing_hint =
         "start the process with paddle.distributed.launch, or pass Config::local_rank or "
         "::one_process_per_node"},
    {.launcher = Launcher::mindspore,
     .detect_any = {"MS_WORKER_NUM"},
     .require_all = {"MS_ROLE"},
     .world_size = {{"MS_WORKER_NUM"}},
     // MS_NODE_ID identifies a worker to its scheduler, which assigns the ranks later.
     .missing_hint =
         "MindSpore's scheduler assigns the ranks: pass Config::rank and Config::local_rank"},
    {.launcher = Launcher::ascend,
     .detect_any = {"RANK_ID"},
     .require_any = {"DEVICE_ID", "RANK_SIZE", "RANK_TABLE_FILE"},
     .rank = {{"RANK_ID"}},
     .world_size = {{"RANK_SIZE"}},
     // DEVICE_ID is the number of a device, which may differ from the local rank.
     .missing_hint =
         "set RANK_SIZE, and pass Config::local_rank: DEVICE_ID numbers devices, not processes"},
    {.launcher = Launcher::byteps,
     .detect_any = {"BYTEPS_LOCAL_RANK"},
     .role = {"DMLC_ROLE", {"worker"}},
     .rank = {{"BYTEPS_GLOBAL_RANK"}},
     .local_rank = {{"BYTEPS_LOCAL_RANK"}},
     .local_world_size = {{"BYTEPS_LOCAL_SIZE"}},
     .node_rank = {{"DMLC_WORKER_ID"}},
     .node_count = {{"DMLC_NUM_WORKER"}},
     .local_size_required = true,
     .nodes_of_one_size = true,
     .missing_hint =
         "set all of DMLC_WORKER_ID, DMLC_NUM_WORKER, BYTEPS_LOCAL_RANK and BYTEPS_LOCAL_SIZE"},
    {.launcher = Launcher::mlx,
     .detect_any = {"MLX_RANK"},
     .rank = {{"MLX_RANK"}},
     .world_size = {{"MLX_WORLD_SIZE"}},  // of the backend nccl alone; the others have a file
     .address = {"NCCL_HOST_IP"},
     .port = {"NCCL_PORT"},
     .missing_hint =
         "mlx.launch lists its hosts in a file: pass Config::world_size and Config::local_rank"},
    {.launcher = Launcher::neuron,
     .detect_any = {"NEURON_PJRT_PROCESS_INDEX"},
     .rank = {{"NEURON_PJRT_PROCESS_INDEX"}},
     .world_size = {{"NEURON_PJRT_PROCESSES_NUM_DEVICES"}, ValueFormat::comma_count},
     .local_rank = {{"PJRT_LOCAL_PROCESS_RANK"}},
     .local_world_size = {{"PJRT_LOCAL_PROCESS_COUNT"}},
     .missing_hint = "pass Config::local_rank, or Config::one_process_per_node"},
    {.launcher = Launcher::tpu_chip,
     .detect_any = {"CLOUD_TPU_TASK_ID"},
     .require_all = {"TPU_PROCESS_ADDRESSES"},
     .rank = {{"CLOUD_TPU_TASK_ID"}},
     .world_size = {{"TPU_PROCESS_ADDRESSES"}, ValueFormat::comma_count},
     .local_rank = {{"TPU_PROCESS_ADDRESSES"}, ValueFormat::place_on_host, "CLOUD_TPU_TASK_ID"},
     .local_world_size = {{"TPU_PROCESS_ADDRESSES"},
                          ValueFormat::count_on_host,
                          "CLOUD_TPU_TASK_ID"},
     .check = detail::check_tpu_process,
     .check_reads = detail::tpu_process_reads,
     .missing_hint = "set CLOUD_TPU_TASK_ID and TPU_PROCESS_ADDRESSES together"},
    {.launcher = Launcher::dmlc,
     .detect_any = {"DMLC_TASK_ID"},
     .require_all = {"DMLC_ROLE"},
     .role = {"DMLC_ROLE", {"worker"}},
     .world_size = {{"DMLC_NUM_WORKER"}},
     // DMLC_TASK_ID names a worker to the tracker, which deals the ranks as the workers call it.
     .missing_hint = "the tracker deals the ranks: pass Config::rank and Config::local_rank"},
    {.launcher = Launcher::ray,
     .detect_any = {"RAY_RAYLET_PID"},
     .starts_agents = true,
     .check = detail::check_any_starter,
     .missing_hint = "Ray gives its workers no rank: pass Config::rank, ::world_size and "
                     "::local_rank, or name a launcher by Config::launcher"},
    {.launcher = Launcher::open_mpi,
     .detect_any = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
     .exclude_any = {"JSM_NAMESPACE_RANK"},  // Spectrum MPI sets OMPI_COMM_WORLD_RANK too
     .rank = {{"OMPI_COMM_WORLD_RANK"}},
     .world_size = {{"OMPI_COMM_WORLD_SIZE"}},
     .local_rank = {{"OMPI_COMM_WORLD_LOCAL_RANK"}},
     .local_world_size = {{"OMPI_COMM_WORLD_LOCAL_SIZE"}},
     // OMPI_COMM_WORLD_NODE_RANK counts the processes of all jobs on the node: it is no node rank.
     .node_count = {{"OMPI_MCA_orte_num_nodes"}},
     .host = {"PMIX_HOSTNAME"},
     .job_id = {"PMIX_NAMESPACE"},
     .restart_count = {"OMPI_MCA_orte_num_restarts", "OMPI_MCA_num_restarts"},
     .local_size_required = true,
     .missing_hint =
         "start the process with mpirun, or unset OMPI_COMM_WORLD_* if they were inherited"},
    {.launcher = Launcher::jsrun,
     .detect_any = {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_RANK"},
     .rank = {{"JSM_NAMESPACE_RANK"}},
     .world_size = {{"JSM_NAMESPACE_SIZE"}},
     .local_rank = {{"JSM_NAMESPACE_LOCAL_RANK"}},
     .local_world_size = {{"JSM_NAMESPACE_LOCAL_SIZE"}},
     .job_id = {"LSB_JOBID"},
     .missing_hint =
         "start the process with jsrun, or unset JSM_NAMESPACE_* if they were inherited"},
    {.launcher = Launcher::mvapich2,
     .detect_any = {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
     .rank = {{"MV2_COMM_WORLD_RANK"}},
     .world_size = {{"MV2_COMM_WORLD_SIZE"}},
     .local_rank = {{"MV2_COMM_WORLD_LOCAL_RANK"}},
     .local_world_size = {{"MV2_COMM_WORLD_LOCAL_SIZE"}},
     .node_rank = {{"MV2_NODE_ID"}},
     .node_count = {{"MV2_NUM_NODES_IN_JOB"}},
     .missing_hint = "start the process with mpirun_rsh, or unset MV2_COMM_WORLD_* if inherited"},
    {.launcher = Launcher::hydra,
     .detect_any = {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
     .rank = {{"PMI_RANK"}},
     .world_size = {{"PMI_SIZE"}},
     .local_rank = {{"MPI_LOCALRANKID"}},
     .local_world_size = {{"MPI_LOCALNRANKS"}},
     .host = {"PMI_HOSTNAME", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"},
     .local_size_required = true,
     .missing_hint =
         "start mpiexec without -pmi-port, or pass Config::rank and Config::world_size"},
    {.launcher = Launcher::flux,
     .detect_any = {"FLUX_TASK_RANK"},  // a batch shell has the job's size, but no task rank
     .rank = {{"FLUX_TASK_RANK"}},
     .world_size = {{"FLUX_JOB_SIZE"}},
     .local_rank = {{"FLUX_TASK_LOCAL_ID"}},
     .node_count = {{"FLUX_JOB_NNODES"}},
     .job_id = {"FLUX_JOB_ID"},
     .missing_hint =
         "start the process with flux run, or unset FLUX_TASK_RANK if it was inherited"},
    {.launcher = Launcher::pals,
     .detect_any = {"PALS_RANKID"},
     .exclude_any = {"SLURM_MPI_TYPE"},  // Slurm's cray_shasta plugin sets PALS_* in its own tasks
     .rank = {{"PALS_RANKID"}},
     .world_size = {{"PMI_SIZE"}},
     .local_rank = {{"PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"}},
     .local_world_size = {{"PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"}},
     .node_rank = {{"PALS_NODEID"}},
     .job_id = {"PALS_APID"},
     .missing_hint = "PALS gives no size with --pmi=pmix: pass Config::world_size"},
    {.launcher = Launcher::alps,
     .detect_any = {"ALPS_APP_PE"},
     .exclude_any = {"SLURM_PROCID"},  // Slurm's cray_aries plugin sets it in its own processes
     .rank = {{"ALPS_APP_PE"}},
     .missing_hint = "aprun sets only the rank: pass Config::world_size and Config::local_rank"},
    {.launcher = Launcher::slurm,
     .detect_any = {"SLURM_PROCID", "SLURM_LOCALID"},
     .rank = {{"SLURM_PROCID"}},
     .world_size = {{"SLURM_STEP_NUM_TASKS"}},  // SLURM_NTASKS is what was requested from srun
     .local_rank = {{"SLURM_LOCALID"}},
     .local_world_size = {{"SLURM_GTIDS"}, ValueFormat::comma_count},
     .node_rank = {{"SLURM_NODEID"}},
     .node_count = {{"SLURM_STEP_NUM_NODES"}},
     .host = {"SLURMD_NODENAME"},
     .hosts = {"SLURM_STEP_NODELIST"},
     .hosts_unless = {"SLURM_HET_SIZE",
                      "SLURM_PACK_SIZE"},  // sorted by name, but nodes are numbered by component
     .job_id = {"SLURM_JOB_ID", "SLURM_JOBID"},
     .step_id = {"SLURM_STEP_ID", "SLURM_STEPID"},
     .restart_count = {"SLURM_RESTART_COUNT"},
     .local_size_required = true,
     .inherited_by_children = true,
     .check = detail::check_slurm_step,
     .layout = detail::layout_of_slurm_step,
     .layout_rule = "SLURM_STEP_TASKS_PER_NODE by SLURM_DISTRIBUTION, equal to SLURM_GTIDS",
     .check_reads = detail::slurm_step_reads,
     .missing_hint =
         "start the process with srun, or unset SLURM_PROCID and SLURM_LOCALID if inherited"},
    {.launcher = Launcher::fujitsu,
     .detect_any = {"PLE_RANK_ON_NODE", "OMPI_PLE_RANK_ON_NODE", "FLIB_RANK_ON_NODE"},
     .rank = {{"PMIX_RANK"}},
     .local_rank = {{"PLE_RANK_ON_NODE", "OMPI_PLE_RANK_ON_NODE", "FLIB_RANK_ON_NODE"}},
     .local_world_size = {{"FLIB_NUM_PROCESS_ON_NODE"}},
     .job_id = {"PJM_JOBID"},
     // PJM_MPI_PROC is what the job asked for, which mpiexec -n may not use.
     .missing_hint = "start the process with mpiexec, and pass Config::world_size"},
    {.launcher = Launcher::ms_mpi,
     .detect_any = {"PMI_RANK", "PMI_SIZE"},
     .require_all = {"PMI_SMPD_KEY"},
     .rank = {{"PMI_RANK"}},
     .world_size = {{"PMI_SIZE"}},
     .job_id = {"CCP_JOBID"},
     .single_host_if = "MSMPI_LOCAL_ONLY",
     .missing_hint = detail::ask_mpi_for_local_rank},
    {.launcher = Launcher::pmi,
     .detect_any = {"PMI_RANK", "PMI_SIZE"},
     .rank = {{"PMI_RANK"}},
     .world_size = {{"PMI_SIZE"}},
     .local_rank = {{"PMI_LOCAL_RANK"}},
     .local_world_size = {{"PMI_LOCAL_SIZE"}},
     .missing_hint = detail::ask_mpi_for_local_rank},
    {.launcher = Launcher::pmix,
     .detect_any = {"PMIX_RANK"},
     .rank = {{"PMIX_RANK"}},
     .host = {"PMIX_HOSTNAME"},
     .job_id = {"PMIX_NAMESPACE"},
     .check = detail::check_pmix_server,
     .check_reads = detail::pmix_server_reads,
     .missing_hint =
         "PMIx sets only the rank here: pass Config::world_size and Config::local_rank"},
    {.launcher = Launcher::lsf,
     .detect_any = {"LSF_PM_TASKID"},
     .rank = {{"LSF_PM_TASKID"}, ValueFormat::number_from_1},
     .job_id = {"LSB_JOBID"},
     .starts_agents = true,
     .missing_hint = "blaunch gives no size: pass Config::world_size, and Config::local_rank or "
                     "Config::one_process_per_node"},
    {.launcher = Launcher::pbs,
     .detect_any = {"PBS_VNODENUM", "PBS_TASKNUM"},
     .rank = {{"PBS_VNODENUM"}},
     .world_size = {{"PBS_NP"}},  // only with pbsdsh -E
     .job_id = {"PBS_JOBID"},
     .starts_agents = true,
     .check = detail::check_pbs_task,
     .check_reads = detail::pbs_task_reads,
     .missing_hint = "pbsdsh gives no more: pass Config::rank, ::world_size and ::local_rank, or "
                     "set Config::launcher to none"},
    {.launcher = Launcher::sge,
     .detect_any = {"JOB_SCRIPT"},
     .require_text = {"JOB_SCRIPT", {"QRSH"}},
     .starts_agents = true,
     .check = detail::check_sge_task,
     .check_reads = detail::sge_task_reads,
     .missing_hint = "qrsh gives its tasks no rank: pass Config::rank, ::world_size and "
                     "::local_rank, or set Config::launcher to none"},
    {.launcher = Launcher::modal,
     .detect_any = {"MODAL_TASK_ID"},
     .starts_agents = true,
     .check = detail::check_any_starter,
     .missing_hint = "pass Config::rank from modal's get_cluster_info(), ::world_size and "
                     "::local_rank"},
    {.launcher = Launcher::elastic,
     .detect_any = {"PET_RDZV_ENDPOINT"},
     .exclude_any = {"PET_NODE_RANK"},
     .starts_agents = true,
     .check = detail::check_elastic_pod,
     .check_reads = detail::elastic_pod_reads,
     .missing_hint = "start the workers with torchrun, or set Config::launcher to none"},
    {.launcher = Launcher::kubeflow,
     .level = RecordLevel::node,
     .detect_any = {"PET_NODE_RANK"},
     .rank = {{"PET_NODE_RANK"}},
     .world_size = {{"PET_NNODES"}, ValueFormat::number_or_word},                // "1:4" is elastic
     .local_world_size = {{"PET_NPROC_PER_NODE"}, ValueFormat::number_or_word},  // "auto", "gpu"
     .address = {"PET_MASTER_ADDR"},
     .port = {"PET_MASTER_PORT"}},
    {.launcher = Launcher::tf_config,
     .level = RecordLevel::node,
     .detect_any = {"TF_CONFIG"},
     .rank = {{"TF_CONFIG"}, ValueFormat::tf_config_index},
     .world_size = {{"TF_CONFIG"}, ValueFormat::tf_config_count}},
    {.launcher = Launcher::vertex,
     .level = RecordLevel::node,
     .detect_any = {"CLUSTER_SPEC"},
     .exclude_any = {"TF_CONFIG"},  // has the same content; TonY's CLUSTER_SPEC has another form
     .rank = {{"CLUSTER_SPEC"}, ValueFormat::tf_config_index},
     .world_size = {{"CLUSTER_SPEC"}, ValueFormat::tf_config_count}},
    {.launcher = Launcher::sagemaker,
     .level = RecordLevel::node,
     .detect_any = {"SM_CURRENT_HOST"},
     .require_all = {"SM_HOSTS"},
     .rank = {{"SM_HOSTS"}, ValueFormat::json_list_index, "SM_CURRENT_HOST"},
     .world_size = {{"SM_HOSTS"}, ValueFormat::json_list_count},
     .host = {"SM_CURRENT_HOST"}},
    {.launcher = Launcher::tpu,
     .level = RecordLevel::node,
     .detect_any = {"TPU_WORKER_ID"},
     .rank = {{"TPU_WORKER_ID"}},
     .world_size = {{"TPU_WORKER_HOSTNAMES"}, ValueFormat::comma_count},
     .block_index = {"MEGASCALE_SLICE_ID"},
     .block_count = {"MEGASCALE_NUM_SLICES"}},
    {.launcher = Launcher::jax_job,
     .level = RecordLevel::node,
     .detect_any = {"PROCESS_ID"},
     .require_all = {"NUM_PROCESSES", "COORDINATOR_ADDRESS", "COORDINATOR_PORT"},
     .rank = {{"PROCESS_ID"}},
     .world_size = {{"NUM_PROCESSES"}},
     .address = {"COORDINATOR_ADDRESS"},
     .port = {"COORDINATOR_PORT"}},
    {.launcher = Launcher::azure,
     .level = RecordLevel::node,
     .detect_any = {"AZUREML_CR_NODE_RANK"},
     .rank = {{"AZUREML_CR_NODE_RANK"}},
     .world_size = {{"AZUREML_NODE_COUNT"}},
     .node_count = {{"AZ_BATCH_HOST_LIST"}, ValueFormat::comma_count}},
    {.launcher = Launcher::aws_batch,
     .level = RecordLevel::node,
     .detect_any = {"AWS_BATCH_JOB_NODE_INDEX"},
     .rank = {{"AWS_BATCH_JOB_NODE_INDEX"}},
     .world_size = {{"AWS_BATCH_JOB_NUM_NODES"}}},
    {.launcher = Launcher::condor,
     .level = RecordLevel::node,
     .detect_any = {"_CONDOR_PROCNO"},
     .require_all = {"_CONDOR_NPROCS"},
     .rank = {{"_CONDOR_PROCNO"}},
     .world_size = {{"_CONDOR_NPROCS"}}},
    {.launcher = Launcher::skypilot,
     .level = RecordLevel::node,
     .detect_any = {"SKYPILOT_NODE_RANK"},
     .rank = {{"SKYPILOT_NODE_RANK"}},
     .world_size = {{"SKYPILOT_NUM_NODES"}}},
    {.launcher = Launcher::kubernetes,
     .level = RecordLevel::node,
     .detect_any = {"JOB_COMPLETION_INDEX"},
     .rank = {{"JOB_COMPLETION_INDEX"}}},
};
inline constexpr std::size_t launcher_count = std::size(launchers);

/// The row of a launcher. Precondition: neither Launcher::none nor Launcher::config, which have no
/// row. O(1).
constexpr const LauncherRow& row_of(Launcher launcher) {
  return launchers[static_cast<std::size_t>(launcher) - 2];
}

namespace detail {

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i != launcher_count; ++i) {
    if (static_cast<std::size_t>(launchers[i].launcher) != i + 2) return false;
  }
  return true;
}
static_assert(rows_follow_the_enum());

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP
