# SPDX-License-Identifier: MIT
#
#   cmake -D PROGRAM=build/examples/rankmap/rankmap -D FOLDER=build/tests/program -P program.cmake
#
# Runs the program rankmap: its commands, its exit codes, and jobs of which each process prints its line.
cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

# No launcher of whoever runs the tests.
foreach(variable IN ITEMS RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE SLURM_PROCID SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK
    PMIX_RANK OMP_NUM_THREADS CUDA_VISIBLE_DEVICES)
  list(APPEND no_launcher "--unset=${variable}")
endforeach()
set(bare ${no_launcher})

# Runs the program and compares its exit code; what it prints has to match `wanted`.
function(rankmap_expect code wanted)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result STREQUAL code OR NOT "${output}${error}" MATCHES "${wanted}")
    message(SEND_ERROR "rankmap ${ARGN}: exit code ${result}, expected ${code}, and of \"${wanted}\":\n${output}${error}")
  endif()
endfunction()

# The lines that a job of four ranks on this host prints in FILE. `changes`: RANK:VARIABLE=VALUE, for the environment of one rank.
function(rankmap_job file changes)
  set(lines "a line of another program\n")
  foreach(rank RANGE 3)
    set(own "")
    foreach(change IN LISTS changes)
      if(change MATCHES "^${rank}:(.*)$")
        list(APPEND own "${CMAKE_MATCH_1}")
      endif()
    endforeach()
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env ${bare} TORCHELASTIC_RUN_ID=night "RANK=${rank}" WORLD_SIZE=4 "LOCAL_RANK=${rank}"
        LOCAL_WORLD_SIZE=4 GROUP_RANK=0 GROUP_WORLD_SIZE=1
        CUDA_VISIBLE_DEVICES=-1 ${own} "${PROGRAM}" report
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
    if(result STREQUAL "0")
      string(LENGTH "${output}" size)
      if(size GREATER 768)
        message(SEND_ERROR "a line of ${size} bytes: ${output}")
      endif()
      string(APPEND lines "[default${rank}]:${output}")
    else()
      message(SEND_ERROR "rankmap report: ${result}: ${error}")
    endif()
  endforeach()
  file(WRITE "${FOLDER}/${file}" "${lines}")
endfunction()

rankmap_expect(0 "^usage: rankmap .command.*whoami.*shard" --help)
foreach(command IN ITEMS whoami report table diff explain exec env launchers hosts mesh shard)
  rankmap_expect(0 "^usage: rankmap ${command}.*example:\n  [^\n]*rankmap" ${command} --help)
  set(evaluated "")
  if(command STREQUAL "env")
    set(evaluated "false\n")
  endif()
  rankmap_expect(2 "^${evaluated}rankmap: unknown option \"--x\"; see rankmap ${command} --help\n$" ${command} --x)
endforeach()
rankmap_expect(2 "did you mean table.; see rankmap --help" tabel)
rankmap_expect(0 "^usage: rankmap mesh" help mesh)
rankmap_expect(2 "did you mean mesh.; see rankmap --help" help mehs)
rankmap_expect(2 "^{\"error\":\"unknown option ..--x..; see rankmap whoami --help\"}\n$" whoami --x --json)
rankmap_expect(2 "^{\"error\":\"unexpected ..b..; see rankmap table --help\"}\n$" table --json a b)
rankmap_expect(2 "unknown option \"--jsno\"; did you mean --json.; see rankmap whoami --help" --jsno)
rankmap_expect(2 "--svg needs FILE" mesh tp=2 --svg)
rankmap_expect(2 "--line takes no value" whoami --line=1)
rankmap_expect(2 "--line is given twice" whoami --line --line)
rankmap_expect(2 "unexpected \"b\"" table a b)

rankmap_expect(0 "^rank 0 of 1, local rank 0 of 1, node 0 of 1\nlauncher none .*\nhost " whoami)
rankmap_expect(0 "^rank 0 of 1[^\n]*; host [^\n]*\n$" --line)
rankmap_expect(2 "^{\"error\":\"--json and --line: expected one of them\"}\n$" --line --json)
rankmap_expect(0 "^{\"schema\":1,\"launcher\":\"none\"" whoami --json)
rankmap_expect(0 "^launcher +none" explain)

list(APPEND bare TORCHELASTIC_RUN_ID=night RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 TORCHELASTIC_RESTART_COUNT=z)
rankmap_expect(0 "^rank 0 of 1.*\n1 warning: see rankmap explain\n$" whoami)
rankmap_expect(0 "; 1 warning: see rankmap explain\n$" --line)
rankmap_expect(0 "\nwarning +TORCHELASTIC_RESTART_COUNT=\"z\"" explain)
set(bare ${no_launcher})

rankmap_expect(0 "^n1\nn2\nn3\n$" hosts "n[1-3]")
rankmap_expect(0 "^n\\[1-2,4\\]\n$" hosts n1 n2 n4 --fold)
rankmap_expect(0 "^4096\n$" hosts "a[1-64]b[1-64]" --count)
string(REPEAT "n1;" 5000 many)
rankmap_expect(0 "^5000\n$" hosts --count ${many})
rankmap_expect(0 "^n\\[2-3\\]\n$" hosts "n[1-3]" --intersect "n[2-9]" --fold)
rankmap_expect(2 "^rankmap: hosts=\"n\\[1-\" at byte" hosts "n[1-")
rankmap_expect(2 "a list is missing" hosts)
rankmap_expect(0 "^pp +2 groups of 2: .0 2. .1 3.; 2 leave the node\ntp +2 groups of 2: .0 1. .2 3.; all stay on their nodes\n$"
  mesh pp=2 tp=2 --layout 2x2)
rankmap_expect(0 "^tp +1 groups of 2: .0 1.\n$" mesh tp=2)
rankmap_expect(2 "--layout=\"2x2\": expected the 64 ranks of the mesh, found 4" mesh pp=8 tp=8 --layout 2x2)
rankmap_expect(2 "tp=\"0\": expected a number from 1" mesh tp=0)
rankmap_expect(2 "expected a number" mesh tp=2 --layout 2)
rankmap_expect(0 "^rank 0: 3 samples: 0 2 4\nrank 1: 3 samples: 1 3 0\n$" shard 5 --world 2)
rankmap_expect(2 "samples=\"x\": expected a number" shard x)
rankmap_expect(0 "^$" shard 5 --world 2 --svg "${FOLDER}/shard.svg")
rankmap_expect(0 "^$" mesh tp=2 --svg "${FOLDER}/mesh.svg")
foreach(picture IN ITEMS shard mesh)
  file(READ "${FOLDER}/${picture}.svg" text)
  if(NOT text MATCHES "^<svg .*</svg>\n?$")
    message(SEND_ERROR "${picture}.svg is no picture: ${text}")
  endif()
endforeach()
rankmap_expect(2 "cannot write" shard 5 --svg "${FOLDER}/nowhere/shard.svg")

# What exec sets, as env prints it: rank 2 of 4 on two nodes of Slurm, the first of which is the host of rank 0.
set(slurm SLURM_JOB_ID=12 SLURM_STEP_ID=3 SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=2,3 SLURM_STEP_NUM_TASKS=4
  SLURM_STEP_NUM_NODES=2 SLURM_STEP_NODELIST=n1,n2 "SLURM_STEP_TASKS_PER_NODE=2(x2)")
set(bare ${no_launcher} ${slurm})
set(who "export RANK='2'\nexport WORLD_SIZE='4'\nexport LOCAL_RANK='0'\nexport LOCAL_WORLD_SIZE='2'\nexport GROUP_RANK='1'\nexport NODE_RANK='1'\n")
rankmap_expect(0 "^${who}export MASTER_ADDR='n1'\nexport MASTER_PORT='21863'\n$" env)
# One of the two alone is used, and what cannot be used is not replaced.
list(APPEND bare MASTER_PORT=29500)
rankmap_expect(0 "^${who}export MASTER_ADDR='n1'\nexport MASTER_PORT='29500'\n$" env)
set(bare ${no_launcher} ${slurm} MASTER_ADDR=m)
rankmap_expect(0 "^${who}export MASTER_ADDR='m'\nexport MASTER_PORT='21863'\n$" env)
set(bare ${no_launcher} ${slurm} MASTER_PORT=abc)
rankmap_expect(1 "^false\nrankmap: MASTER_PORT=\"abc\": expected a decimal number in .0, 65536" env)
set(bare ${no_launcher} ${slurm} MASTER_ADDR=m:1 MASTER_PORT=2)
rankmap_expect(1 "^false\n.*rankmap: MASTER_ADDR=\"m:1\": expected no port, or that of MASTER_PORT" env)
set(bare ${no_launcher} ${slurm})
rankmap_expect(0 "^${who}export MASTER_ADDR='h'\nexport MASTER_PORT='7'\n$" env --master h:7 --need all)
rankmap_expect(0 "^${who}export MASTER_ADDR='h'\nexport MASTER_PORT='21863'\n$" env --master h)
rankmap_expect(0 "^unset MASTER_ADDR\nunset MASTER_PORT\n${who}$" env --master none)
rankmap_expect(1 "^false\nrankmap: MASTER_PORT is not known: launcher slurm does not say it; leave it out of --need, or see `rankmap explain`\n$"
  env --master none --need RANK,MASTER_PORT)
rankmap_expect(2 "^false\nrankmap: --need: \"SIZE\" is no variable of --as torchrun\n$" env --need SIZE)
rankmap_expect(2 "^false\nrankmap: --need: \"RANK\" is no variable of --as plain\n$" env --need RANK --as plain)
rankmap_expect(0 "^{\"set\":{\"JAX_COORDINATOR_ADDRESS\":\"n1:21863\",\"JAX_NUM_PROCESSES\":\"4\",\"JAX_PROCESS_ID\":\"2\"},\"unknown\":..,\"others\":..}\n$"
  env --as jax --json)
rankmap_expect(0 "^export JAX_COORDINATOR_ADDRESS='.fe80::1.:7'\n" env --as jax --master "[fe80::1]:7")
set(mpi "export OMPI_COMM_WORLD_LOCAL_RANK='0'\nexport OMPI_COMM_WORLD_LOCAL_SIZE='2'\nexport MV2_COMM_WORLD_LOCAL_RANK='0'\n")
rankmap_expect(0 "^${mpi}export MV2_COMM_WORLD_LOCAL_SIZE='2'\nexport MPI_LOCALRANKID='0'\nexport MPI_LOCALNRANKS='2'\n$" env --as mpi-local)
set(plain "export RANKMAP_RANK='2'\nexport RANKMAP_WORLD_SIZE='4'\nexport RANKMAP_LOCAL_RANK='0'\nexport RANKMAP_LOCAL_WORLD_SIZE='2'\n")
rankmap_expect(0 "^${plain}export RANKMAP_NODE_RANK='1'\nexport RANKMAP_NODE_COUNT='2'\n$" env --as plain)
rankmap_expect(2 "^false\nrankmap: unknown option \"--ass\"; did you mean --as.; see rankmap env --help\n$" env --ass jax)
rankmap_expect(2 "^{\"error\":\"unknown option [^\n]*\n$" env --ass jax --json)
rankmap_expect(2 "^false\nrankmap: --as: expected torchrun, mpi-local, jax or plain\n$" env --as mpi)
rankmap_expect(2 "^false\nrankmap: --master and --master-file are for torchrun and jax: --as plain has no address\n$" env --as plain --master none)
rankmap_expect(2 "^false\nrankmap: --master and --master-file: expected one of them\n$" env --master h:1 --master-file f)
foreach(wrong h:x h: h:65536 [fd00::1 :5)
  string(REPLACE "[" "\\[" shown "${wrong}")
  rankmap_expect(2 "^false\nrankmap: --master=\"${shown}\": expected HOST or HOST:PORT, such as n1:29500 or .fd00::1.:29500\n$" env --master "${wrong}")
endforeach()

# The device of this process alone, by its number or its name.
list(APPEND bare CUDA_VISIBLE_DEVICES=4,6)
rankmap_expect(0 "\nexport MASTER_PORT='21863'\nexport CUDA_VISIBLE_DEVICES='4'\n$" env --device strict)
list(APPEND bare SLURM_LOCALID=1 SLURM_PROCID=3 CUDA_VISIBLE_DEVICES=GPU-1111,GPU-2222)
rankmap_expect(0 "\nexport CUDA_VISIBLE_DEVICES='GPU-2222'\n$" env --device block)
list(APPEND bare CUDA_VISIBLE_DEVICES=5)
rankmap_expect(0 "\nexport CUDA_VISIBLE_DEVICES='5'\n$" env --device wrap)
rankmap_expect(2 "^false\nrankmap: --device: expected strict, wrap or block\n$" env --device closest)
list(APPEND bare CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES=2,3 HIP_VISIBLE_DEVICES=0,1)
rankmap_expect(1 "^false\nrankmap: --device: ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES both choose devices: expected one of them; unset the other\n$"
  env --device strict)

# One process that may be one of many, and a pod that is said to have two: a warning, and an error.
set(bare ${no_launcher} FOO_RANK=3)
rankmap_expect(0 "\nrankmap: warning: FOO_RANK=\"3\": expected the variables of a known launcher too: [^\n]*\n$" env)
set(bare ${no_launcher} RANK=1 WORLD_SIZE=6 PET_NNODES=3 PET_NODE_RANK=1 PET_NPROC_PER_NODE=2 MASTER_ADDR=m MASTER_PORT=1)
rankmap_expect(1 "^false\nrankmap: RANK=\"1\": expected a process rank; " env --as jax)
set(bare ${no_launcher} RANK=3 WORLD_SIZE=4 JOB_COMPLETION_INDEX=2 MASTER_ADDR=m MASTER_PORT=1)
rankmap_expect(0 "^export JAX_COORDINATOR_ADDRESS='m:1'\n.*\nrankmap: warning: RANK=\"3\"" env --as jax)

# What is not known is taken away, as it is another launcher's; what contradicts goes on request.
set(bare ${no_launcher} RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 MASTER_ADDR=h MASTER_PORT=5)
rankmap_expect(0 "^unset LOCAL_WORLD_SIZE\nunset GROUP_RANK\nunset NODE_RANK\nexport RANK='1'\n" env)
rankmap_expect(1 "^false\nrankmap: LOCAL_WORLD_SIZE is not known: launcher torch_env does not say it" env --need all)
set(bare ${no_launcher} ${slurm} OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0
  OMPI_COMM_WORLD_LOCAL_SIZE=1 RANKMAP_LAUNCHER=slurm)
rankmap_expect(0 "^${who}export MASTER" env)
rankmap_expect(0 "^unset OMPI_COMM_WORLD_LOCAL_RANK\nunset OMPI_COMM_WORLD_LOCAL_SIZE\nunset OMPI_COMM_WORLD_RANK\nunset OMPI_COMM_WORLD_SIZE\n${who}export"
  env --unset-others)

# So does what RANKMAP_IGNORE names.
set(bare ${no_launcher} OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2
  RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 RANKMAP_IGNORE=torch_env)
rankmap_expect(0 "^unset LOCAL_RANK\nunset RANK\nunset WORLD_SIZE\nunset RANKMAP_NODE_RANK\n" env --as plain --unset-others --need process)
# At the port of torchrun its agent listens, for its own workers alone.
set(bare ${no_launcher} TORCHELASTIC_RUN_ID=night RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 GROUP_RANK=0 GROUP_WORLD_SIZE=1
  MASTER_ADDR=h MASTER_PORT=5 TORCHELASTIC_USE_AGENT_STORE=True)
rankmap_expect(0 "\nexport MASTER_ADDR='h'\nexport MASTER_PORT='5'\n$" env)
rankmap_expect(0 "^export JAX_COORDINATOR_ADDRESS='h:[0-9][0-9][0-9]+'\n" env --as jax)
rankmap_expect(0 "^unset TORCHELASTIC_USE_AGENT_STORE\n.*\nexport MASTER_PORT='7'\n$" env --master h:7)
# Nobody reaches another node by this address.
set(bare ${no_launcher} ${slurm} MASTER_ADDR=localhost MASTER_PORT=5)
rankmap_expect(1 "^false\nrankmap: the address of rank 0 is localhost: expected one that all [0-9]+ nodes can reach; pass --master" env)

# Where rank 0 is not known to every process, or nothing tells two jobs apart, that is an error; so is a file of an earlier job.
set(hydra PMI_RANK=1 PMI_SIZE=4 PMI_FD=8 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2)
set(bare ${no_launcher} ${hydra})
set(help "; pass --master HOST:PORT, --master-file FILE, or --master none for a program that needs no address\n$")
rankmap_expect(1 "^false\nrankmap: the host of rank 0 is not known: launcher hydra does not say it to every process${help}" env)
rankmap_expect(1 "^false\nrankmap: no port is known: launcher hydra does not name this job${help}" env --master h)
list(APPEND bare MPI_LOCALNRANKS=4)
rankmap_expect(1 "^false\nrankmap: no port is known: launcher hydra does not name this job${help}" env)
list(APPEND bare PMI_RANK=0 MPI_LOCALRANKID=0)
rankmap_expect(0 "\nexport MASTER_ADDR='[^'\n]+'\nexport MASTER_PORT='[0-9]+'\n$" env --master-file "${FOLDER}/master")
rankmap_expect(1 "^false\nrankmap: --master-file: cannot make \"[^\n]*/master\": File exists; name a file that is new for each launch\n$"
  env --master-file "${FOLDER}/master")
file(READ "${FOLDER}/master" meeting)
string(STRIP "${meeting}" meeting)
list(APPEND bare PMI_RANK=3 MPI_LOCALRANKID=3)
rankmap_expect(0 "^export JAX_COORDINATOR_ADDRESS='${meeting}'\n" env --as jax --master-file "${FOLDER}/master")
file(WRITE "${FOLDER}/no_port" "host\n")
rankmap_expect(1 "^false\nrankmap: --master-file: \"[^\n]*/no_port\" has no port\n$" env --master-file "${FOLDER}/no_port")
# Rank 0 of three nodes that Slurm may deal in another order knows its own host, and the others do not: so nobody says it.
set(bare ${no_launcher} SLURM_JOB_ID=12 SLURM_STEP_ID=3 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0,1
  SLURM_STEP_NUM_TASKS=6 SLURM_STEP_NUM_NODES=3 SLURM_STEP_NODELIST=n1,n2,n3 "SLURM_STEP_TASKS_PER_NODE=2(x3)" SLURM_JOB_SLUID=s1
  SLURMD_NODENAME=n1)
rankmap_expect(1 "^false\nrankmap: the host of rank 0 is not known: launcher slurm does not say it to every process${help}" env)
rankmap_expect(0 "\nexport MASTER_PORT='27853'\n$" env --master h)
list(APPEND bare SLURM_STEP_ID=4)
rankmap_expect(0 "\nexport MASTER_PORT='20376'\n$" env --master h)
set(bare ${no_launcher} OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_RANK=1
  PMIX_NAMESPACE=prterun-login-1956@1)
rankmap_expect(0 "\nexport MASTER_ADDR='127.0.0.1'\nexport MASTER_PORT='28056'\n$" env)
list(APPEND bare PMIX_NAMESPACE=prterun-login-1957@1)
rankmap_expect(0 "\nexport MASTER_PORT='29533'\n$" env)
set(bare ${no_launcher})
rankmap_expect(0 "\nexport MASTER_ADDR='127.0.0.1'\nexport MASTER_PORT='[1-9][0-9]+'\n$" env)

# A pod with rank and size alone: what a program needs less of, it gets, and is told what is left out.
set(bare ${no_launcher} RANK=1 WORLD_SIZE=4 MASTER_ADDR=pod-0 MASTER_PORT=29500)
set(pod "rankmap: warning: RANK=\"1\": expected a local rank beside it, unless each pod runs one process; set LOCAL_RANK=0 if it does; [^\n]*\n")
rankmap_expect(1 "^false\nrankmap: RANK=.1.: expected a process rank; this may number nodes" env)
rankmap_expect(0 "^unset LOCAL_RANK\nunset LOCAL_WORLD_SIZE\nunset GROUP_RANK\nunset NODE_RANK\nexport RANK='1'\nexport WORLD_SIZE='4'\nexport MASTER_ADDR='pod-0'\nexport MASTER_PORT='29500'\n${pod}rankmap: not known and not set: LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK, NODE_RANK; launcher torch_env does not say it\n$"
  env --need process)
rankmap_expect(0 "^1 of 4 at pod-0, none\n" exec --need process -- sh -c "echo $RANK of $WORLD_SIZE at $MASTER_ADDR, \${LOCAL_RANK-none}")
rankmap_expect(1 "^false\n${pod}rankmap: LOCAL_RANK is not known: launcher torch_env does not say it" env --need process,LOCAL_RANK)
rankmap_expect(0 "^export JAX_COORDINATOR_ADDRESS='pod-0:29500'\nexport JAX_NUM_PROCESSES='4'\nexport JAX_PROCESS_ID='1'\n${pod}$" env --as jax)
rankmap_expect(1 "^false\nrankmap: RANK=.1.: expected a process rank; this may number nodes" env --as plain)
rankmap_expect(1 "^false\n${pod}rankmap: --device: the local rank of this process is not known: launcher torch_env does not say it\n$"
  env --need process --device wrap --as jax)
set(bare ${no_launcher} SLURM_LOCALID=2)
rankmap_expect(0 "^unset OMPI_COMM_WORLD_LOCAL_SIZE\nunset MV2_COMM_WORLD_LOCAL_SIZE\nunset MPI_LOCALNRANKS\nexport OMPI_COMM_WORLD_LOCAL_RANK='2'\n"
  env --as mpi-local)
# Its local rank is enough for a device.
list(APPEND bare OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=4 CUDA_VISIBLE_DEVICES=4,5,6,7)
list(REMOVE_ITEM bare SLURM_LOCALID=2)
rankmap_expect(0 "\nexport CUDA_VISIBLE_DEVICES='6'\n" env --as mpi-local --device strict)
set(bare ${no_launcher} SLURM_LOCALID=2)
rankmap_expect(1 "^false\nrankmap: --master-file: the rank of this process is not known, so nobody knows who writes it\n$"
  env --need local --master-file "${FOLDER}/unknown")

# Launchers of one's own, in a file.
set(declared "# ours\nacme ACME_RANK,ACME_SIZE,ACME_LOCAL_RANK\n local_size=ACME_LOCAL_SIZE!\n hint: start it with acme run\n")
file(WRITE "${FOLDER}/launchers" "${declared}")
set(acme ACME_RANK=3 ACME_SIZE=4 ACME_LOCAL_RANK=3 ACME_LOCAL_SIZE=4 "RANKMAP_LAUNCHERS=${FOLDER}/launchers")
set(bare ${no_launcher} ${acme})
rankmap_expect(0 "^launcher +acme\nrank +3 +ACME_RANK=\"3\"\n" explain)
rankmap_expect(0 "^{\"schema\":1,\"launcher\":\"acme\"" whoami --json)
rankmap_expect(0 "^export RANK='3'\nexport WORLD_SIZE='4'\nexport LOCAL_RANK='3'\nexport LOCAL_WORLD_SIZE='4'\n" env --master h:1)
rankmap_expect(0 "^3 of 4\n$" exec --master h:1 -- sh -c "echo $RANK of $WORLD_SIZE")
rankmap_expect(0 "^acme ACME_RANK,ACME_SIZE,ACME_LOCAL_RANK\n local_size=ACME_LOCAL_SIZE!\n hint: start it with acme run\n$" launchers Acme)
rankmap_expect(0 "^torchrun TORCHELASTIC_RUN_ID\n.*\nkubernetes JOB_COMPLETION_INDEX\n node in_group=JOBSET_NAME\nacme ACME_RANK,[^#]*run\n$" launchers)
rankmap_expect(2 "^rankmap: \"none\" is no launcher that is known; `rankmap launchers` has all\n$" launchers none)
# What is printed is read again.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" launchers acme OUTPUT_FILE "${FOLDER}/again")
list(APPEND bare "RANKMAP_LAUNCHERS=${FOLDER}/again")
rankmap_expect(0 "^launcher +acme\n" explain)
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${no_launcher} "${PROGRAM}" launchers srun OUTPUT_FILE "${FOLDER}/again")
file(APPEND "${FOLDER}/again" " replaces slurm\n")
set(bare ${no_launcher} ${slurm} "RANKMAP_LAUNCHERS=${FOLDER}/again")
rankmap_expect(0 "^launcher +slurm\nrank +2 +SLURM_PROCID=\"2\"\n" explain)
# The table names it, and one process that does not know it is found.
set(lines "")
foreach(rank RANGE 3)
  set(bare ${no_launcher} ${acme} "ACME_RANK=${rank}" "ACME_LOCAL_RANK=${rank}" CUDA_VISIBLE_DEVICES=-1)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" report OUTPUT_VARIABLE output)
  string(APPEND lines "${output}")
endforeach()
file(WRITE "${FOLDER}/acme.txt" "${lines}")
rankmap_expect(0 "^4 processes on 1 node; world size 4; launcher acme\n" table "${FOLDER}/acme.txt")
# A mistake in the file, and a file that is not there.
set(bare ${no_launcher} "RANKMAP_LAUNCHERS=${FOLDER}/wrong")
rankmap_expect(1 "^rankmap: RANKMAP_LAUNCHERS=\"[^\n]*/wrong\": expected the path of a file that can be read; correct or unset it\n$" explain)
file(WRITE "${FOLDER}/wrong" "${declared} rnk=A\n")
rankmap_expect(1 "^rankmap: RANKMAP_LAUNCHERS=\"rnk=A\" at byte 108: expected a word of a declaration, in line 5, column 2; correct it in [^\n]*: docs/how-to/add-a-launcher.md\n$"
  launchers)
rankmap_expect(1 "^rankmap: RANKMAP_LAUNCHERS=\"rnk=A\" at byte 108: expected a word" exec -- true)

# exec becomes the program: it has the same number, so that signals and stops are its own, and the exit code is.
set(bare ${no_launcher} ${slurm} LOCAL_WORLD_SIZE=77)
rankmap_expect(2 "^rankmap: a program is missing: rankmap exec .options. -- PROGRAM .ARGUMENT....\n$" exec)
rankmap_expect(2 "unknown option \"-c\"" exec sh -c true)
rankmap_expect(127 "^rankmap: cannot run /nowhere/x: No such file or directory\n$" exec -- /nowhere/x)
rankmap_expect(126 "^rankmap: cannot run /dev/null: Permission denied\n$" exec -- /dev/null)
rankmap_expect(7 "^2 of 4 at n1, 0 of 2, --help\n$"
  exec -- sh -c "echo $RANK of $WORLD_SIZE at $MASTER_ADDR, $LOCAL_RANK of $LOCAL_WORLD_SIZE, $1\nexit 7" sh --help)
execute_process(
  COMMAND env -i "PATH=$ENV{PATH}" ${slurm} sh -c "echo $$\nexec \"$@\"" sh "${PROGRAM}" exec -- sh -c "echo $$\nkill -KILL $$"
  RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT output MATCHES "^([0-9]+)\n([0-9]+)\n$" OR NOT CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2 OR NOT result MATCHES "[Kk]illed")
  message(SEND_ERROR "exec is no other process, and a signal is its own: ${result}\n${output}")
endif()
# A shell stops it and lets it go on; what it does with the signal of the end, and its exit code, are its own.
execute_process(COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/program_stops.sh" "${PROGRAM}" RESULT_VARIABLE result OUTPUT_VARIABLE output
  ERROR_VARIABLE error TIMEOUT 120)
if(NOT result STREQUAL "0" OR NOT output STREQUAL "stopped\ngoes on\nended with 3\n")
  message(SEND_ERROR "exec below a shell that stops it: ${result}\n${output}${error}")
endif()
list(APPEND bare MASTER_ADDR=old OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 RANKMAP_LAUNCHER=slurm)
set(left "echo \${MASTER_ADDR-none} \${OMPI_COMM_WORLD_RANK-none}")
rankmap_expect(0 "^none 0\n$" exec --master none -- sh -c "${left}")
rankmap_expect(0 "^n1 none\n$" exec --master n1 --unset-others -- sh -c "${left}")
set(bare ${no_launcher} RANK=4 WORLD_SIZE=4 LOCAL_RANK=0)
rankmap_expect(1 "^rankmap: RANK=\"4\": expected " exec -- true)
set(bare ${no_launcher})

# Where the tests may use all CPUs that there are, that is a note, and no fault.
rankmap_job(good.txt "")
rankmap_expect(0 "^4 processes on 1 node; world size 4; launcher torchrun; job night\n" table "${FOLDER}/good.txt")
rankmap_expect(0 "^{\"schema\":1,\"findings\":" table --json "${FOLDER}/good.txt")
rankmap_job(place.txt "3:LOCAL_RANK=2")
rankmap_expect(1 "\nerror: place_conflict, ranks 2-3\n" table "${FOLDER}/place.txt")
rankmap_job(twice.txt "3:RANK=2")
rankmap_expect(1 "\nerror: same_rank, rank 2\n.*error: missing_ranks, rank 3\n" table "${FOLDER}/twice.txt")
rankmap_job(other.txt "1:TORCHELASTIC_RUN_ID=day")
rankmap_expect(1 "\nerror: job_ids_differ, rank 1\n" table "${FOLDER}/other.txt")
rankmap_expect(0 "^nothing changed\n$" diff "${FOLDER}/good.txt" "${FOLDER}/good.txt")
rankmap_expect(1 "^new error, rank 1\n  job_ids_differ: " diff "${FOLDER}/good.txt" "${FOLDER}/other.txt")
rankmap_expect(0 "^no more error, rank 1\n  job_ids_differ: " diff "${FOLDER}/other.txt" "${FOLDER}/good.txt")
rankmap_expect(2 "expected two files, BEFORE and NOW" diff "${FOLDER}/good.txt")
rankmap_expect(2 "cannot read .*/nowhere.txt: " diff "${FOLDER}/good.txt" "${FOLDER}/nowhere.txt")
rankmap_expect(1 "^$" table --svg "${FOLDER}/other.svg" --html "${FOLDER}/other.html" "${FOLDER}/other.txt")
file(READ "${FOLDER}/other.svg" picture)
file(READ "${FOLDER}/other.html" page)
string(FIND "${page}" "${picture}" at)
if(NOT picture MATCHES "^<svg .*>job_ids_differ<.*</svg>\n$" OR at LESS 1 OR NOT page MATCHES "<pre>[0-9]+ process.*error: job_ids_differ")
  message(SEND_ERROR "the picture of a job: ${picture}\n${page}")
endif()

# The MPI that a program's file names, in files of all kinds: 64 and 32 bits, both byte orders, cut anywhere, a script, none.
find_program(PYTHON python3)
if(PYTHON)
  execute_process(COMMAND "${PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/elf_files.py" "${FOLDER}/elf" COMMAND_ERROR_IS_FATAL ANY)
  set(kept ${bare})
  set(bare ${no_launcher} PMI_RANK=0 PMI_SIZE=1 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1)
  foreach(kind IN ITEMS 64l 64b 32l 32b)
    rankmap_expect(0 "\"library\":\"libmpi.so.40\"" report -- "${FOLDER}/elf/${kind}" --option)
  endforeach()
  file(GLOB files "${FOLDER}/elf/none-*")
  foreach(file IN LISTS files)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" report -- "${file}" RESULT_VARIABLE result OUTPUT_VARIABLE output)
    if(NOT result STREQUAL "0" OR NOT output MATCHES "^{\"rankmap_job\"[^\n]*}\n$" OR output MATCHES "libmpi")
      message(SEND_ERROR "${file}: ${result}, ${output}")
    endif()
  endforeach()
  # The versions, by the loader that the file names; one that fails or says nothing leaves the name.
  rankmap_expect(0 "\"library\":\"libmpi.so.40.30.4\",\"collectives\":\"libnccl.so.2.21.5\"" report -- "${FOLDER}/elf/loaded-both")
  rankmap_expect(0 "\"library\":\"libmpi.so.40.30.4\",\"[^c]" report -- "${FOLDER}/elf/loaded-mpi-unversioned")
  foreach(kind IN ITEMS odd fails endless silent nowhere empty)
    rankmap_expect(0 "\"library\":\"libmpi.so.40\",\"[^c]" report -- "${FOLDER}/elf/loaded-${kind}")
  endforeach()
  rankmap_expect(2 "^rankmap: cannot read the program \"${FOLDER}/elf/nowhere\"\n$" report -- "${FOLDER}/elf/nowhere")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" report -- "${FOLDER}/elf/64l" OUTPUT_FILE "${FOLDER}/wrong.txt")
  rankmap_expect(1 "\nerror: wrong_launcher, rank 0\n  rank 0 on [^\n]* was started by hydra, and its program" table "${FOLDER}/wrong.txt")
  set(bare ${kept})
endif()
rankmap_job(restart.txt
  "0:TORCHELASTIC_RESTART_COUNT=1;1:TORCHELASTIC_RESTART_COUNT=1;2:TORCHELASTIC_RESTART_COUNT=1;3:TORCHELASTIC_RESTART_COUNT=0")
rankmap_expect(0 "\nwarning: mixed_restarts" table "${FOLDER}/restart.txt")
rankmap_expect(1 "\nwarning: mixed_restarts" table --fail-on warning "${FOLDER}/restart.txt")
rankmap_expect(2 "expected error or warning" table --fail-on note "${FOLDER}/restart.txt")

# Ranks that refuse: their lines, or the errors that they print to standard error, are the first finding.
set(refused "")
foreach(rank RANGE 1)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "RANK=$RANK" WORLD_SIZE=4 "LOCAL_RANK=${rank}" "${PROGRAM}" report
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result STREQUAL "1" OR NOT output MATCHES "^{\"rankmap_refused\":1,[^\n]*}\n$" OR NOT error MATCHES "^rankmap: RANK=")
    message(SEND_ERROR "a rank that refuses: ${result}, \"${output}\", \"${error}\"")
  endif()
  string(APPEND refused "${rank}: ${output}")
  string(APPEND errors "[1,${rank}]<stderr>:${error}")
endforeach()
file(WRITE "${FOLDER}/refused.txt" "${refused}${errors}")
rankmap_expect(1 "^no process is known to be a rank\n\nerror: refused\n  2 processes, one of them on [^\n]* say: RANK="
  table "${FOLDER}/refused.txt")
file(WRITE "${FOLDER}/errors.txt" "${errors}")
rankmap_expect(1 "\nerror: refused\n  2 processes say: RANK=" table "${FOLDER}/errors.txt")
file(READ "${FOLDER}/twice.txt" lines)
file(WRITE "${FOLDER}/mixed.txt" "${lines}${refused}")
rankmap_expect(1 "!? .*\nerror: refused\n.*error: missing_ranks, rank 3\n  [^\n]*; 2 processes refused" table "${FOLDER}/mixed.txt")

rankmap_job(ports.txt "0:MASTER_ADDR=n1;0:MASTER_PORT=1;3:MASTER_ADDR=n1;3:MASTER_PORT=2")
rankmap_expect(1 "\nerror: rendezvous_differs, rank 3\n" table "${FOLDER}/ports.txt")
set(number "CUDA_VISIBLE_DEVICES=2")
rankmap_job(number.txt "0:${number};1:${number};2:${number};3:${number}")
rankmap_expect(1 "  device +number .*\nerror: duplicate_device, ranks 0-3\n  [^\n]*number 2 of their" table "${FOLDER}/number.txt")
file(READ "${FOLDER}/good.txt" lines)
string(REGEX REPLACE "[^\n]*\"rank\":.3,4.[^\n]*\n" "" three "${lines}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${bare} "${PROGRAM}" report OUTPUT_VARIABLE alone)
file(WRITE "${FOLDER}/alone.txt" "${three}${alone}")
rankmap_expect(1 "\nerror: lone_process, rank 0\n.*\nerror: missing_ranks, rank 3\n" table "${FOLDER}/alone.txt")

# Two processes on one device, by its name in the variable; and one each.
set(one "CUDA_VISIBLE_DEVICES=GPU-11111111-1111-1111-1111-111111111111")
rankmap_job(device.txt "0:${one};1:${one}")
file(READ "${FOLDER}/device.txt" lines)
if(lines MATCHES "\"uuid\"")
  rankmap_expect(1 "\nerror: duplicate_device, ranks 0-1\n" table "${FOLDER}/device.txt")
else()
  message(SEND_ERROR "the name of a device is not reported: ${lines}")
endif()
rankmap_job(devices.txt "0:${one};1:CUDA_VISIBLE_DEVICES=GPU-22222222-1111-1111-1111-111111111111")
rankmap_expect(0 "world size 4" table "${FOLDER}/devices.txt")

# A long line without a newline, with a record across the place where it is cut, and torn ones.
file(READ "${FOLDER}/good.txt" lines)
string(REPEAT "x" 65400 long)
file(WRITE "${FOLDER}/long.txt" "${long}${lines}${long}")
rankmap_expect(0 "^4 processes on 1 node; world size 4" table "${FOLDER}/long.txt")
string(REPLACE "\"launcher\"" "\n\"launcher\"" torn "${lines}")
file(WRITE "${FOLDER}/torn.txt" "${torn}")
rankmap_expect(2 "^rankmap: no record found, and 8 pieces of torn ones" table "${FOLDER}/torn.txt")
rankmap_expect(2 "^{\"error\":\"no record found" table --json "${FOLDER}/torn.txt")
file(WRITE "${FOLDER}/one.txt" "{\"rankmap_job\":1,\"rank\":[0,4],\"local\":[0\n")
rankmap_expect(2 "^rankmap: no record found, and 1 piece of a torn one; run" table "${FOLDER}/one.txt")
file(WRITE "${FOLDER}/empty.txt" "rank 0: loading the model\n")
rankmap_expect(2 "^rankmap: no record found; run `rankmap report` in every process" table "${FOLDER}/empty.txt")
rankmap_expect(2 "cannot read .*/nowhere.txt: [A-Z]" table "${FOLDER}/nowhere.txt")
rankmap_expect(2 "cannot read the input" table "${FOLDER}")

# Where nothing can be written, that is an error.
if(EXISTS /dev/full)
  execute_process(COMMAND "${PROGRAM}" hosts n1 OUTPUT_FILE /dev/full RESULT_VARIABLE result ERROR_VARIABLE error)
  if(NOT result STREQUAL "2" OR NOT error STREQUAL "rankmap: cannot write the output\n")
    message(SEND_ERROR "a full disk: ${result}, ${error}")
  endif()
endif()
