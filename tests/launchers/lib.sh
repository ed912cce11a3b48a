# SPDX-License-Identifier: MIT
#
# What the scripts of this folder share. The idea behind all of them: everything a run needs (hosts, bridge, daemons,
# device nodes, files) lives in private namespaces below one process. When that process ends, in whatever way, the
# kernel ends all processes in there and drops the namespaces with all they hold. So nothing has to be taken down, and
# nothing can be left behind, not even after SIGKILL.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$PATH:/usr/sbin:/sbin

# What a private world has of its own.
namespaces=(--mount --uts --ipc --net --pid)

# Ends with the status that CTest reads as "skipped", or as failed where RANKMAP_NO_SKIP is set: skip REASON
skip() {
  echo "SKIPPED: $1" >&2
  [[ ${RANKMAP_NO_SKIP-} ]] && exit 1
  exit 77
}

# Skips unless this machine can do what is asked: skip_unless [slurm|pmix|openmpi|mpich|torch|libtorch|two_cpus]...
skip_unless() {
  local need command commands file files missing='' problem
  for need in hosts "$@"; do
    case $need in
      hosts) commands='ip unshare nsenter setpriv /usr/bin/python3' ;;
      slurm) commands='munged slurmctld slurmd srun sbatch salloc scontrol script' ;;
      gridengine) commands='sge_qmaster sge_execd qconf qsub qrsh qstat' ;;
      condor) commands='condor_master condor_submit condor_status condor_wait' ;;
      openmpi) commands='mpirun.openmpi mpicxx.openmpi' ;;
      mpich) commands='mpiexec.hydra mpicxx.mpich' ;;
      torch) commands='torchrun' ;;
      libtorch | pmix) commands='' ;;  # CMake and `srun` look for these
      two_cpus)
        commands='taskset nproc'
        (($(OMP_NUM_THREADS='' nproc) > 1)) || skip 'needs two CPUs'
        ;;
      *) commands=$need ;;
    esac
    for command in $commands; do
      type -P "$command" >/dev/null || missing+=" $command"
    done
  done
  if [[ $missing ]]; then
    skip "not installed:$missing"
  fi
  # What a bare chroot may lack.
  files='/dev/null /dev/shm /etc/hosts /proc/self /run'
  [[ " $* " != *' slurm '* ]] || files+=' /dev/pts/ptmx'
  for file in $files; do
    [[ -e $file ]] || missing+=" $file"
  done
  if [[ $missing ]]; then
    skip "not there:$missing"
  fi
  if [[ " $* " == *' pmix '* ]] && ! slurm_has_pmix; then
    skip "Slurm $(version_of slurm) is installed without the plugin mpi/pmix"
  fi
  if ! problem=$(unshare "${namespaces[@]}" --fork --mount-proc ip link add name probe type bridge 2>&1); then
    skip "needs root (or CAP_SYS_ADMIN and CAP_NET_ADMIN), a kernel with network bridges, and / as a mount point: $problem"
  fi
}

# Whether this is Debian unstable, where what could be installed yesterday may not be today.
is_unstable() {
  grep -q /sid /etc/debian_version 2>/dev/null
}

# Whether the Slurm that is installed here can start the tasks of a step by PMIx.
slurm_has_pmix() {
  local config types
  config=$(mktemp)
  printf '%s\n' ClusterName=lab SlurmctldHost=login NodeName=login 'PartitionName=main Nodes=ALL' >"$config"
  types=$(SLURM_CONF=$config srun --mpi=list 2>&1) || true
  rm "$config"
  [[ $types == *pmix* ]]
}

# The version of a launcher that is installed here: version_of slurm|openmpi|mpich|torch
version_of() {
  case $1 in
    slurm) slurmctld -V ;;                             # slurm-wlm 24.11.5
    openmpi) mpirun.openmpi --version ;;               # mpirun.openmpi (Open MPI) 5.0.7
    mpich) mpiexec.hydra --version | grep Version: ;;  #     Version:      4.2.1
    torch) /usr/bin/python3 -c 'import torch; print("PyTorch", torch.__version__)' ;;
  esac 2>/dev/null | sed -n '1s/.* //p'
}

# Whether a launcher that is installed here has at least a version: version_at_least slurm|openmpi VERSION
version_at_least() {
  printf '%s\n' "$2" "$(version_of "$1")" | sort --version-sort --check=quiet
}

# One line with the versions of all that the launchers need, which tests/systems/matrix.py reads.
say_versions() {
  echo "README: $(. /etc/os-release && echo "$PRETTY_NAME"): g++ $(g++ -dumpfullversion), Open MPI $(version_of openmpi)," \
    "MPICH $(version_of mpich), Slurm $(version_of slurm), PyTorch $(version_of torch)"
}

# Waits until a command succeeds, at most so many seconds: wait_for SECONDS COMMAND...
wait_for() {
  local tenths=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    ((tenths-- > 0)) || return 1
    sleep 0.1
  done
}

# Kills the process that left a record once it has a new checkpoint: kill_after_checkpoint CHECKPOINT RECORD
kill_after_checkpoint() {
  local before
  before=$(stat -c %y "$1" 2>/dev/null) || true
  is_new() { [[ -s $1 && $(stat -c %y "$1") != "$before" ]]; }
  wait_for 300 is_new "$1"
  kill -KILL "$(sed -n '1s/.*, process //p' "$2")"
}

# Starts tasks of Open MPI by `srun --mpi=pmix ARGUMENT...`, which leave their records in the folder $out. On a busy machine, in one of
# some hundred starts, Open MPI 4.1.4 takes a message in MPI_Init before it knows what to do with it, and calls a null pointer in
# mca_btl_tcp; where three such jobs start at once, twice in a row. Only then they are started again, and at most three times.
srun_pmix() {
  local status again lines
  for again in 3 2 1 0; do
    lines=$(wc -l <"$out/stderr") status=0
    srun --label --kill-on-bad-exit=1 --mpi=pmix "$@" || status=$?
    ((status != 0 && again != 0)) && tail -n "+$((lines + 1))" "$out/stderr" | grep -q 'task.*: Segmentation fault' || return "$status"
    echo 'once more' >&2
    rm -f "$out"/*.json "$out"/*.env "$out"/*.ancestors
  done
}

# What the daemons of `slurm` wrote, for a failure that they may explain.
show_daemon_logs() {
  tail -n 20 /run/munge/log /run/slurm/*.log >&2 2>/dev/null || true
}

# Runs `script --inside ARGUMENT...` in a private world, with this process as the one whose end ends it all:
# in_private_world SCRIPT ARGUMENT...
in_private_world() {
  local script=$1 status=0
  world=''  # not local: the traps outlive this function
  shift
  # Signals end the world at once. A SIGKILL of this process does the same through --pdeathsig and --kill-child.
  trap '[[ $world ]] && kill -KILL "$world" 2>/dev/null' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  # A shell gives its background processes deaf ears for Ctrl-C; this one may run an interactive shell.
  setpriv --pdeathsig KILL env --default-signal=INT,QUIT \
    unshare "${namespaces[@]}" --fork --kill-child --mount-proc \
    "$BASH" "$script" --inside "$@" <&0 &
  world=$!
  wait "$world" || status=$?
  world=''
  return "$status"
}

# Inside a private world: a place for files that vanishes with it, and nothing of the outside to trip over.
make_private_files() {
  mount --no-mtab -t tmpfs -o mode=755 rankmap /run
  mount --no-mtab -t tmpfs -o mode=1777 rankmap /dev/shm
  mkdir -m 1777 /run/tmp
  mkdir /run/netns /run/utsns
  export TMPDIR=/run/tmp
  hostname login
  ip link set lo up
}

# Inside: hosts on one bridge, each a network namespace and a host name of its own: make_hosts NAME...
make_hosts() {
  local name number=10
  ip link add name bridge type bridge
  ip addr add 10.77.0.1/24 dev bridge
  ip link set bridge up
  printf '127.0.0.1 localhost\n10.77.0.1 login\n' >/run/hosts
  for name in "$@"; do
    ((number += 1))
    echo "10.77.0.$number $name" >>/run/hosts
    ip netns add "$name"
    ip link add name "port$number" type veth peer name eth0 netns "$name"
    ip link set "port$number" master bridge up
    ip -n "$name" -batch - <<<"link set lo up
      addr add 10.77.0.$number/24 dev eth0
      link set eth0 up"
    : >"/run/utsns/$name"
    unshare --uts="/run/utsns/$name" hostname "$name"
  done
  mount --no-mtab --bind /run/hosts /etc/hosts
  # Debian's Open MPI 6 keeps to the loopback interface by this file, and ends in MPI_Init where there are several hosts.
  local parameters=/etc/openmpi/openmpi-mca-params.conf
  if grep -qs '^btl_tcp_if_include *= *lo$' $parameters; then
    sed 's,^\(btl_tcp_if_include\) *=.*,\1=10.77.0.0/24,' $parameters >/run/openmpi-mca-params.conf
    mount --no-mtab --bind /run/openmpi-mca-params.conf $parameters
  fi
}

# Inside: lets users other than root use `on`. The copy is in the world's private files, and goes with them.
let_users_on() {
  install -m 4755 "$(type -P nsenter)" /run/nsenter
}

# Inside: the files by which NVIDIA's driver shows so many GPUs, on every host: make_gpus COUNT
make_gpus() {
  local gpu folder
  mount --no-mtab -t tmpfs rankmap /proc/driver
  for ((gpu = 0; gpu != $1; gpu++)); do
    folder=/proc/driver/nvidia/gpus/0000:0$((gpu + 1)):00.0
    mkdir -p "$folder"
    echo "Device Minor: $gpu" >"$folder/information"
  done
}
