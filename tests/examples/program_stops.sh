# SPDX-License-Identifier: MIT
#
# program_stops.sh PROGRAM: stops a program below `PROGRAM exec` as a shell does, lets it go on, and ends it, which it answers with
# an exit code of its own. Each state is what the kernel says of the process whose number the shell got. The terminal's own signal for
# a stop is not sent: the kernel leaves it out where no shell of the session could let the program go on, as in a run without a terminal.
set -eu
unset RANK WORLD_SIZE LOCAL_RANK SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK

state_is() {  # STATES WORDS: waits for a state of the process, and says so
  for _ in $(seq 300); do
    state=$(sed 's/.*) \(.\).*/\1/' "/proc/$started/stat")
    case "$1" in *"$state"*) echo "$2"; return 0 ;; esac
    sleep 0.1
  done
  echo "$2: the state is still $state"
  exit 1
}

"$1" exec -- sh -c 'trap "exit 3" TERM; echo > '"${TMPDIR:-/tmp}/rankmap_ready_$$"'; while :; do sleep 0.1; done' &
started=$!
trap 'kill -KILL "$started" 2>/dev/null || :; rm -f "${TMPDIR:-/tmp}/rankmap_ready_$$"' EXIT
for _ in $(seq 300); do
  [ -e "${TMPDIR:-/tmp}/rankmap_ready_$$" ] && break
  sleep 0.1
done
kill -STOP "$started"
state_is T stopped
kill -CONT "$started"
state_is SR "goes on"
kill -TERM "$started"
code=0
wait "$started" || code=$?
echo "ended with $code"
