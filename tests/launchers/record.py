#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""record.py: turns the processes of one run of the probe into a recording that tests can replay.

    tests/launchers/record.py RUN FOLDER

RUN is a folder in which `probe RUN` was started under a launcher. It may hold
  stdout          what `srun --label` printed: tells each process's rank
  expected.tsv    the truth, as `scenario` writes it; without it, it is put together from the ranks and host names
Where the processes could ask MPI, that tells their ranks.

FOLDER gets expected.tsv and, for each rank, rank-N.env: the launcher's variables in it as sorted NAME=value lines, without
secrets, paths, user names and addresses other than those of `hosts`; and rank-N.ancestors: the processes above it, with the
same of their variables. Look them through before you publish them.
"""

import pathlib
import re
import sys

from run import Run

# Every launcher's and scheduler's names as they are known so far; what else is in an environment is nobody's business.
RELATED = re.compile(
    r"""^(SLURM|SRUN_|OMPI_|ORTE_|PRTE_|PMIX|PMI_|PMI2_|MPI_LOCAL|MPIR_|HYDRA_|HYDI_|I_MPI_|MV2_|MPISPAWN_|MPT_|JSM_|PALS_
    |ALPS_|PJM_|FLUX_|HOROVOD_|LSB_|LS_JOBPID|PBS_|COBALT_|SGE_|PE$|PE_HOSTFILE|JOB_ID$|NHOSTS$|NSLOTS$|NQUEUES$|JOB_SCRIPT$|TORCHELASTIC_|PET_
    |PADDLE_|MS_|DMLC_|BYTEPS_|MLX_|JAX_|WG_|PJRT_|CLOUD_TPU|LWS_|DSTACK_|LEPTON_|BEAKER_|NGC_|MF_|MLP_|MA_|OCI__|BATCH_TASK|MODAL_TASK
    |PLE_|FLIB_|LSF_PM|JOB_NAME$|NODE_COUNT$|RANK_ID$|RANK_SIZE$|DEVICE_ID$
    |RANK$|WORLD_SIZE$|LOCAL_RANK$|LOCAL_WORLD_SIZE$|LOCAL_SIZE$|CROSS_|NODE_RANK$|GROUP_|ROLE_|MASTER_|OMP_NUM_THREADS$
    |(TORCH_)?NCCL_ASYNC|CUDA_VISIBLE|HIP_VISIBLE|ROCR_VISIBLE|GPU_DEVICE|ZE_AFFINITY|ASCEND_|NEURON_|TPU_|TF_CONFIG$|CLUSTER_SPEC$|AWS_BATCH_JOB_N
    |SM_|AZ_|AZUREML_|SKYPILOT_|VC_|VK_|JOB_COMPLETION_INDEX$|KUBERNETES_|RAY_|_CONDOR_|CCP_|MSMPI_|HQ_|PARALLEL_|PARSL_|SPUR_)""",
    re.VERBOSE)
SECRET = re.compile(r"SECRET|COOKIE|TOKEN|PASSWORD|KEY|CREDENTIAL|precondition_transports|_URI|_uri$|CONTROL_PORT|_USER$")
ADDRESS = re.compile(r"\b(?!10\.77\.0\.|127\.)\d{1,3}(\.\d{1,3}){3}\b")
PATH = re.compile(r"(^|(?<=[=:, ]))/[^:, ]*")
# Paths and command lines say nothing of who a process is; SLURM_LABELIO is there because the run was to be recorded.
DROPPED = re.compile(r"PATH$|ARGV$|_DIR$|_ANCESTOR_|TMPDIR|wdir$|session_dir|tmpdir|SLURM_CONF$|FILE_LOCATION|ERROR_FILE|LABELIO")


def scrubbed(variables):
    for name, value in sorted(variables):
        if not RELATED.search(name) or DROPPED.search(name):
            continue
        if SECRET.search(name):
            value = "scrubbed"
        yield f"{name}={ADDRESS.sub('192.0.2.1', PATH.sub('/path', value))}\n"


def scrubbed_ancestors(text):
    for line in text.splitlines():
        if re.match(r"(inside|above) |unknown start$", line):
            yield line + "\n"
        elif re.match(r"\w+=", line):  # not the rest of a value that holds line ends
            yield from scrubbed([line.split("=", 1)])


def main(source, folder):
    run = Run(source)
    run.prove()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("rank-*"):
        old.unlink()
    (folder / "expected.tsv").write_text(run.expected_text())
    for process in run.processes:
        (folder / f"rank-{process.rank}.env").write_text("".join(scrubbed(process.variables.items())))
        (folder / f"rank-{process.rank}.ancestors").write_text("".join(scrubbed_ancestors(process.ancestors)))
    print(f"{folder.name}: {len(run.processes)} ranks")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
