// SPDX-License-Identifier: MIT
// The launchers as data: one text, a few lines each. To add a launcher, add its lines here, its
// enumerator and name in launcher.hpp, and a recorded environment in tests/recordings. What the
// words mean is in read_row.hpp.
//
// The facts behind each row, with their sources, are in docs/launchers.md.
#ifndef RANKMAP_LAUNCHER_DETAIL_LAUNCHER_TEXT_HPP
#define RANKMAP_LAUNCHER_DETAIL_LAUNCHER_TEXT_HPP

#include <rankmap/version.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// Every launcher that sets variables, in the order in which records are read. A variable belongs
/// to one record only: a row is skipped if an earlier row that is detected reads its rank, world
/// size or local rank from the same variable. identity/detail/records.hpp has the exceptions.
///
/// It is a text and not a table of structs, since a struct of views is ten times as large in every
/// program, and has an address to relocate for each name.
inline constexpr std::string_view launcher_text =
    "torchrun TORCHELASTIC_RUN_ID\n"
    " torch_names local_size=LOCAL_WORLD_SIZE!\n"
    " node_rank=GROUP_RANK nodes=GROUP_WORLD_SIZE job=*\n"
    " restarts=TORCHELASTIC_RESTART_COUNT starters=pt_elastic,torchrun agents=every_node\n"
    " store_if=TORCHELASTIC_USE_AGENT_STORE groups=NUM_REPLICA_GROUPS node_by_node\n"
    " check=torchrun_worker unset=*\n"
    // HOROVOD_CROSS_RANK counts the hosts with this local rank: on uneven hosts it is no node rank.
    "horovod HOROVOD_RANK,HOROVOD_SIZE,HOROVOD_LOCAL_RANK\n"
    " local_size=HOROVOD_LOCAL_SIZE! host=HOROVOD_HOSTNAME start=horovodrun unset=HOROVOD_*\n"
    " address=HOROVOD_GLOO_RENDEZVOUS_ADDR port=HOROVOD_GLOO_RENDEZVOUS_PORT\n"
    // It sets no LOCAL_WORLD_SIZE: beside one, CROSS_RANK may be that of another launch.
    "deepspeed RANK,LOCAL_RANK +CROSS_RANK,CROSS_SIZE,LOCAL_SIZE -LOCAL_WORLD_SIZE\n"
    " torch_names local_size=LOCAL_SIZE! node_rank=CROSS_RANK nodes=CROSS_SIZE\n"
    " node_by_node exported unset=CROSS_RANK\n"
    "ray_train RANK +LOCAL_RANK,LOCAL_WORLD_SIZE,NODE_RANK,ACCELERATE_TORCH_DEVICE\n"
    " torch_names local_size=LOCAL_WORLD_SIZE! node_rank=NODE_RANK exported\n"
    " device=ACCELERATE_TORCH_DEVICE\n"
    // It sets LOCAL_RANK in the running process, to 0 or to the number of a device.
    "verl RANK ?RAY_LOCAL_WORLD_SIZE,RAY_LOCAL_RANK,WG_BACKEND=ray\n"
    " torch_names local=RAY_LOCAL_RANK local_size=RAY_LOCAL_WORLD_SIZE also_sets=ray\n"
    " hint: set RAY_LOCAL_RANK\n"
    // RANK and WORLD_SIZE count nodes, in its tasks too. Whoever sets them for processes sets
    // another text in one of the two.
    "spur SPUR_NODE_RANK +SPUR_NNODES ~WORLD_SIZE=SPUR_NNODES ~RANK=SPUR_NODE_RANK\n"
    " node rank=RANK,SPUR_NODE_RANK size=WORLD_SIZE,SPUR_NNODES\n"
    " local_size=LOCAL_WORLD_SIZE,SPUR_TASKS_PER_NODE even_nodes\n"
    // RANK and its kin may be anybody's. It always sets PYTHONUNBUFFERED and one of `?`, too.
    "composer RANK +LOCAL_RANK,LOCAL_WORLD_SIZE,NODE_RANK,MASTER_ADDR,MASTER_PORT,PYTHONUNBUFFERED"
    " ?TORCH_NCCL_ASYNC_ERROR_HANDLING,NCCL_ASYNC_ERROR_HANDLING\n"
    " torch_names local_size=LOCAL_WORLD_SIZE! node_rank=NODE_RANK exported\n"
    "lightning NODE_RANK +LOCAL_RANK,WORLD_SIZE,MASTER_ADDR,MASTER_PORT -RANK,LOCAL_WORLD_SIZE\n"
    " size=WORLD_SIZE local=LOCAL_RANK node_rank=* node_by_node torch_address exported\n"
    " hint: set RANK too\n"
    "torch_env RANK,WORLD_SIZE,LOCAL_RANK\n"
    " torch_names local_size=LOCAL_WORLD_SIZE node_rank=NODE_RANK groups=NUM_REPLICA_GROUPS\n"
    " nodes_if_no_local exported check=ray_actor\n"
    " hint: set RANK, WORLD_SIZE and LOCAL_RANK, or unset all if inherited\n"
    "paddle PADDLE_TRAINER_ID,PADDLE_GLOBAL_RANK\n"
    " rank=* size=PADDLE_TRAINERS_NUM,PADDLE_GLOBAL_SIZE\n"
    " local=PADDLE_LOCAL_RANK,PADDLE_RANK_IN_NODE local_size=PADDLE_LOCAL_SIZE\n"
    " nodes=PADDLE_NNODES role=TRAINING_ROLE:TRAINER agents=every_node\n"
    " start=paddle.distributed.launch\n"
    // MS_NODE_ID identifies a worker to its scheduler, which may assign the ranks later. RANK_ID
    // may be Ascend's, LOCAL_RANK a script's, and RANK is the local rank.
    "mindspore MS_WORKER_NUM +MS_ROLE\n"
    " size=* role=MS_ROLE:MS_WORKER starters=msrun\n"
    // DEVICE_ID is the number of a device, which may differ from the local rank.
    "ascend RANK_ID ?DEVICE_ID,RANK_SIZE,RANK_TABLE_FILE\n"
    " rank=* size=RANK_SIZE set_beside\n"
    "byteps BYTEPS_LOCAL_RANK\n"
    " rank=BYTEPS_GLOBAL_RANK local=* local_size=BYTEPS_LOCAL_SIZE!\n"
    " node_rank=DMLC_WORKER_ID nodes=DMLC_NUM_WORKER role=DMLC_ROLE:worker\n"
    " agents=every_node even_nodes start=bpslaunch unset=BYTEPS_*\n"
    // Only the backend nccl sets the world size. The others have it in a file.
    "mlx MLX_RANK\n"
    " rank=* size=MLX_WORLD_SIZE address=NCCL_HOST_IP port=NCCL_PORT\n"
    "neuron NEURON_PJRT_PROCESS_INDEX\n"
    " rank=* size=count:NEURON_PJRT_PROCESSES_NUM_DEVICES set_beside\n"
    " local=PJRT_LOCAL_PROCESS_RANK local_size=PJRT_LOCAL_PROCESS_COUNT\n"
    "tpu_chip CLOUD_TPU_TASK_ID +TPU_PROCESS_ADDRESSES\n"
    " rank=* size=count:TPU_PROCESS_ADDRESSES\n"
    " local=place:TPU_PROCESS_ADDRESSES@CLOUD_TPU_TASK_ID\n"
    " local_size=on_host:TPU_PROCESS_ADDRESSES@CLOUD_TPU_TASK_ID check=tpu_process\n"
    " hint: correct TPU_PROCESS_ADDRESSES\n"
    // DMLC_TASK_ID names a worker to the tracker, which assigns ranks when the workers call it.
    "dmlc DMLC_TASK_ID +DMLC_ROLE\n"
    " size=DMLC_NUM_WORKER role=DMLC_ROLE:worker\n"
    "ray RAY_RAYLET_PID\n"
    " starters=raylet check=any_starter\n"
    " hint: set RANKMAP_LAUNCHER=none if alone\n"
    // What runs single tasks, each with a number that is no rank.
    "task_pool HQ_TASK_ID,PARALLEL_SEQ,PARSL_WORKER_RANK,LAUNCHER_TSK_ID,WORK_QUEUE_SANDBOX"
    ",VINE_SANDBOX,DISBATCH_TASKID,WANDB_SWEEP_PARAM_PATH,PYTHON_WORKER_FACTORY_PORT,PMC_TASK\n"
    " starters=hq,parallel,wandb,dask,dask-worker,dask-mpi,celery,glost_launch,nci-parallel,dakota"
    " scripts check=alone\n"
    // Its steps set names of Open MPI and Slurm, too.
    "spur_step SPUR_PROCID +SPUR_STEP_NUM_TASKS\n"
    " rank=* size=+ local=SPUR_LOCALID node_rank=SPUR_NODEID"
    " nodes=SPUR_NNODES also_sets=open_mpi,slurm starters=spurd\n"
    // Before Open MPI: Spectrum MPI sets OMPI_COMM_WORLD_RANK too, to the same number.
    "jsrun JSM_NAMESPACE_RANK,JSM_NAMESPACE_SIZE,JSM_NAMESPACE_LOCAL_RANK\n"
    " local_size=JSM_NAMESPACE_LOCAL_SIZE job=LSB_JOBID starters=jsmd also_sets=open_mpi\n"
    " daemons unset=JSM_*\n"
    // OMPI_COMM_WORLD_NODE_RANK counts the processes of all jobs on the node: it is no node rank.
    "open_mpi OMPI_COMM_WORLD_RANK,OMPI_COMM_WORLD_SIZE,OMPI_COMM_WORLD_LOCAL_RANK\n"
    " local_size=OMPI_COMM_WORLD_LOCAL_SIZE! nodes=OMPI_MCA_orte_num_nodes\n"
    " host=PMIX_HOSTNAME job=PMIX_NAMESPACE\n"
    " restarts=OMPI_MCA_orte_num_restarts,OMPI_MCA_num_restarts\n"
    " starters=orted,prted,prte,prterun,mpirun,mpirun.openmpi,mpiexec,mpiexec.openmpi,orterun\n"
    " agents=some_nodes programs=OMPI_NUM_APP_CTX new_job_id\n"
    " start=mpirun unset=OMPI_COMM_WORLD_*\n"
    "mvapich2 MV2_COMM_WORLD_RANK,MV2_COMM_WORLD_SIZE,MV2_COMM_WORLD_LOCAL_RANK\n"
    " local_size=MV2_COMM_WORLD_LOCAL_SIZE node_rank=MV2_NODE_ID\n"
    " nodes=MV2_NUM_NODES_IN_JOB starters=mpispawn agents=some_nodes sets_all_anew\n"
    " also_sets=hydra start=mpirun_rsh unset=MV2_COMM_WORLD_*\n"
    // Its proxies have the names of Hydra's. Only Hydra's row lists them: they set its names anew.
    "mvapich MVP_COMM_WORLD_RANK,MVP_COMM_WORLD_SIZE,MVP_COMM_WORLD_LOCAL_RANK\n"
    " local_size=MVP_COMM_WORLD_LOCAL_SIZE agents=some_nodes start=mpiexec"
    " unset=MVP_COMM_WORLD_*\n"
    // Before Hydra, which has the two local names too.
    "platform_mpi MPI_RANKID,MPI_NRANKS\n"
    " local=MPI_LOCALRANKID local_size=MPI_LOCALNRANKS! agents=some_nodes\n"
    " check=platform_mpi start=mpirun unset=*\n"
    // With -pmi-port it sets PMI_ID in place of PMI_RANK, and no size.
    "hydra MPI_LOCALRANKID,MPI_LOCALNRANKS\n"
    " rank=PMI_RANK,PMI_ID@PMI_ID size=PMI_SIZE@PMI_ID local=MPI_LOCALRANKID"
    " local_size=MPI_LOCALNRANKS!\n"
    " host=PMI_HOSTNAME,MPIR_CVAR_CH3_INTERFACE_HOSTNAME\n"
    " starters=hydra_pmi_proxy,pmi_proxy agents=some_nodes sets_all_anew spreads_first\n"
    " hint: start mpiexec without -pmi-port\n"
    // A batch shell has the size of the job, but no task rank.
    "flux FLUX_TASK_RANK\n"
    " rank=* size=FLUX_JOB_SIZE local=FLUX_TASK_LOCAL_ID nodes=FLUX_JOB_NNODES\n"
    " job=FLUX_JOB_ID starters=flux-shell agents=some_nodes sets_all_anew daemons\n"
    " hint: start it with flux run, or unset FLUX_TASK_RANK if inherited\n"
    // Slurm's cray_shasta plugin sets PALS_* in its own tasks.
    "pals PALS_RANKID -SLURM_MPI_TYPE\n"
    " rank=* size=PMI_SIZE local=PALS_LOCAL_RANKID,PMI_LOCAL_RANK\n"
    " local_size=PALS_LOCAL_SIZE,PMI_LOCAL_SIZE node_rank=PALS_NODEID job=PALS_APID"
    " starters=palsd daemons\n"
    " hint: start it without --pmi=pmix\n"
    // Slurm's cray_aries plugin sets ALPS_APP_PE in its own processes.
    "alps ALPS_APP_PE -SLURM_PROCID\n"
    " rank=* starters=apinit,apshepherd daemons\n"
    // SLURM_NTASKS is what was requested from srun. The hooks of pyxis and enroot copy Slurm's
    // numbers in images of PyTorch. submitit copies them in any.
    "slurm SLURM_PROCID,SLURM_LOCALID\n"
    " rank=SLURM_PROCID size=SLURM_STEP_NUM_TASKS local=SLURM_LOCALID\n"
    " local_size=count:SLURM_GTIDS! node_rank=SLURM_NODEID nodes=SLURM_STEP_NUM_NODES\n"
    " host=SLURMD_NODENAME submit_host=SLURM_SUBMIT_HOST job=SLURM_JOB_ID,SLURM_JOBID\n"
    " hosts=SLURM_STEP_NODELIST,SLURM_JOB_NODELIST step=SLURM_STEP_ID terminal=SLURM_PTY_PORT\n"
    " restarts=SLURM_RESTART_COUNT starters=slurmstepd namespace=slurm.pmix. daemons scripts\n"
    " copied_if=SUBMITIT_EXECUTOR,PYTORCH_VERSION check=slurm_step slurm_layout\n"
    " hint: start it with srun, pass on all of SLURM_*, or set RANKMAP_IGNORE=slurm\n"
    "submitit SUBMITIT_LOCAL_GLOBALID\n"
    " rank=* size=SUBMITIT_LOCAL_NTASKS unset=SUBMITIT_*\n"
    " local=SUBMITIT_LOCAL_LOCALID node_rank=SUBMITIT_LOCAL_NODEID\n"
    " nodes=SUBMITIT_LOCAL_JOB_NUM_NODES job=SUBMITIT_LOCAL_JOB_ID\n"
    // PJM_MPI_PROC is what the job asked for, which mpiexec -n may not use.
    "fujitsu PLE_RANK_ON_NODE,OMPI_PLE_RANK_ON_NODE,FLIB_RANK_ON_NODE\n"
    " rank=PMIX_RANK local=* local_size=FLIB_NUM_PROCESS_ON_NODE job=PJM_JOBID\n"
    "ms_mpi PMI_RANK,PMI_SIZE +PMI_SMPD_KEY\n"
    " job=CCP_JOBID one_host_if=MSMPI_LOCAL_ONLY\n"
    "pmi PMI_RANK,PMI_SIZE\n"
    " local=PMI_LOCAL_RANK local_size=PMI_LOCAL_SIZE bare\n"
    "pmix PMIX_RANK,PMIX_NAMESPACE\n"
    " rank=PMIX_RANK host=PMIX_HOSTNAME job=PMIX_NAMESPACE\n"
    " starters=orted,prted,prte,prterun,mpirun,mpirun.openmpi,mpiexec,mpiexec.openmpi,orterun\n"
    " new_job_id bare check=pmix_server\n"
    "lsf LSF_PM_TASKID\n"
    " rank=from1:* job=LSB_JOBID starters=res any_agents\n"
    // PBS_NP is set with pbsdsh -E alone.
    "pbs PBS_VNODENUM,PBS_TASKNUM\n"
    " rank=PBS_VNODENUM size=PBS_NP job=PBS_JOBID starters=pbs_mom scripts\n"
    " check=pbs_task or_alone\n"
    "sge JOB_SCRIPT ?JOB_SCRIPT=QRSH\n"
    " starters=sge_shepherd scripts check=sge_task or_alone\n"
    "modal MODAL_TASK_ID\n"
    " check=any_starter or_alone\n"
    "elastic PET_RDZV_ENDPOINT -PET_NODE_RANK\n"
    " any_agents check=elastic_pod\n"
    " hint: start it with torchrun, or set RANKMAP_LAUNCHER=none if alone\n"
    // PET_NNODES "1:4" is elastic; the number of processes may be "auto" or "gpu".
    "kubeflow PET_NODE_RANK\n"
    " node size=word:PET_NNODES local_size=word:PET_NPROC_PER_NODE,PET_N_PROC_PER_NODE\n"
    " address=PET_MASTER_ADDR port=PET_MASTER_PORT\n"
    "tf_config TF_CONFIG\n"
    " node rank=tf_index:* size=tf_count:*\n"
    // TF_CONFIG has the same content; TonY's CLUSTER_SPEC has another form.
    "vertex CLUSTER_SPEC -TF_CONFIG\n"
    " node rank=tf_index:* size=tf_count:*\n"
    "sagemaker SM_CURRENT_HOST +SM_HOSTS\n"
    " node rank=json_index:SM_HOSTS@SM_CURRENT_HOST size=json_count:SM_HOSTS\n"
    " host=* hosts=json:SM_HOSTS devices=SM_NUM_GPUS\n"
    "tpu TPU_WORKER_ID\n"
    " node size=machines:TPU_WORKER_HOSTNAMES block=MEGASCALE_SLICE_ID\n"
    " blocks=MEGASCALE_NUM_SLICES\n"
    "jax_job PROCESS_ID +NUM_PROCESSES,COORDINATOR_ADDRESS,COORDINATOR_PORT\n"
    " node size=NUM_PROCESSES address=COORDINATOR_ADDRESS port=COORDINATOR_PORT\n"
    "azure AZUREML_CR_NODE_RANK\n"
    " node size=AZUREML_NODE_COUNT nodes=count:AZ_BATCH_HOST_LIST\n"
    "aws_batch AWS_BATCH_JOB_NODE_INDEX\n"
    " node size=AWS_BATCH_JOB_NUM_NODES\n"
    "condor _CONDOR_PROCNO +_CONDOR_NPROCS\n"
    " slot size=+ starters=condor_starter\n"
    "skypilot SKYPILOT_NODE_RANK\n"
    " node size=SKYPILOT_NUM_NODES devices=SKYPILOT_NUM_GPUS_PER_NODE\n"
    // With DMLC_ROLE it is dmlc's own tracker, which counts processes.
    "xgboost DMLC_TASK_ID +DMLC_TRACKER_URI -DMLC_ROLE\n"
    " node\n"
    "jax JAX_PROCESS_ID\n"
    " node size=JAX_NUM_PROCESSES\n"
    "lws LWS_WORKER_INDEX\n"
    " node size=LWS_GROUP_SIZE\n"
    "modelarts VC_TASK_INDEX +MA_NUM_HOSTS\n"
    " node size=+ role=MA_TASK_NAME:worker devices=MA_NUM_GPUS\n"
    // The index within one group of tasks. Each group has a variable with its size.
    "volcano VC_TASK_INDEX,VK_TASK_INDEX\n"
    " node in_group=VC_*_NUM\n"
    "dstack DSTACK_NODE_RANK\n"
    " node size=DSTACK_NODES_NUM devices=DSTACK_GPUS_PER_NODE\n"
    "lepton LEPTON_JOB_WORKER_INDEX\n"
    " node size=LEPTON_JOB_TOTAL_WORKERS devices=LEPTON_RESOURCE_ACCELERATOR_NUM\n"
    "beaker BEAKER_REPLICA_RANK\n"
    " node size=BEAKER_REPLICA_COUNT devices=BEAKER_ASSIGNED_GPU_COUNT\n"
    "ngc NGC_ARRAY_INDEX\n"
    " node size=NGC_ARRAY_SIZE\n"
    "metaflow MF_PARALLEL_NODE_INDEX\n"
    " node size=MF_PARALLEL_NUM_NODES\n"
    "mlp MLP_ROLE_INDEX\n"
    " node size=MLP_WORKER_NUM role=MLP_ROLE:WORKER,worker address=MLP_WORKER_0_HOST\n"
    " port=MLP_WORKER_0_PORT devices=MLP_WORKER_GPU\n"
    "oci NODE_RANK +NODE_COUNT,OCI__WORKER_COUNT\n"
    " node size=NODE_COUNT\n"
    "snowflake SNOWFLAKE_JOB_INDEX\n"
    " node size=SNOWFLAKE_JOBS_COUNT\n"
    "taiji INDEX +HOST_NUM,CHIEF_IP\n"
    " node size=HOST_NUM devices=HOST_GPU_NUM\n"
    "rlaunch RLAUNCH_REPLICA,RJOB_REPLICA\n"
    " node size=RLAUNCH_REPLICA_TOTAL,RJOB_REPLICA_TOTAL\n"
    "arnold ARNOLD_ID\n"
    " node size=ARNOLD_WORKER_NUM role=ARNOLD_ROLE:worker,WORKER\n"
    " address=ARNOLD_WORKER_0_HOST port=ARNOLD_WORKER_0_PORT devices=ARNOLD_WORKER_GPU\n"
    "hope AFO_ENV_CLUSTER_SPEC\n"
    " node rank=tf_index:* size=tf_count:*\n"
    "gcp_batch BATCH_TASK_INDEX +BATCH_TASK_COUNT\n"
    " array size=+\n"
    "cloud_run CLOUD_RUN_TASK_INDEX +CLOUD_RUN_TASK_COUNT\n"
    " array size=+\n"
    // The index of the pod counts within its job. The set has several jobs.
    "jobset JOB_INDEX +JOB_COMPLETION_INDEX\n"
    " node rank=JOB_COMPLETION_INDEX size=PROCESSES_IN_JOB block=JOB_INDEX\n"
    " all_blocks=JAX_PROCESS_COUNT\n"
    "kubernetes JOB_COMPLETION_INDEX\n"
    " node in_group=JOBSET_NAME\n";

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_LAUNCHER_TEXT_HPP
