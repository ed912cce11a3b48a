#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""kills.py: the attempts of `kills` under one launcher, and the judge of what their ranks trained on.

    tests/launchers/kills.py FOLDER LAUNCHER COUNT SEED VERSION PLANT

FOLDER has the probe. A training is a series of attempts, each in another world, all but the last one killed. A step counts if the
next attempt went on from a state at or behind its end. Each sample of each epoch has to count once. With a PLANT, which is what the
trainer does wrong (see kill_probe.cpp), this has to be found.
"""

import collections
import contextlib
import ctypes
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

KINDS = ("rank", "host", "launcher", "write")  # what is killed; `write` is rank 0 in the middle of a save
READERS = ("sampler", "torch", "batches")
RANKS = 10  # of a world, at most
LIMIT = 120  # seconds in which something has to happen
FAILURES = 20  # after which it is of no use to go on
WRONG = ("lost", "doubled", "failed")  # of the samples, and of the attempts
FOUND = {"early": "lost", "skip": "lost", "again": "doubled", "in_place": "failed"}  # what shows a plant


def listed(world):
    return ",".join(f"{host}:{count}" for host, count in world.items())


def torchrun(attempt, command):
    begin = "exec torchrun --max_restarts 0 --monitor_interval 0.1 -r 1 -t 1 --no_python"
    first, *others = attempt.world
    if not others and attempt.draw.random() < 0.5:
        return [["on", first, begin, f"--standalone --nproc_per_node {attempt.world[first]}", *command]]
    meet = f"--nnodes {len(attempt.world)} --master_addr {first} --master_port {attempt.draw.randint(20000, 30000)}"
    return [["on", host, begin, meet, f"--node_rank {number} --nproc_per_node {count}", *command]
            for number, (host, count) in enumerate(attempt.world.items())]


def mpirun(attempt, command):
    return [["mpirun.openmpi", "--allow-run-as-root", "--mca", "plm_rsh_agent", "on", "--bind-to", "none",
             "--host", listed(attempt.world), *command]]


def hydra(attempt, command):
    return [["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", shutil.which("on"), "-hosts", listed(attempt.world),
             "-n", str(attempt.size), *command]]


def srun(attempt, command):
    begin = ["srun", "--kill-on-bad-exit", f"-N{len(attempt.world)}", f"-n{attempt.size}"]
    if len(set(attempt.world.values())) == 1:
        return [[*begin, f"--ntasks-per-node={max(attempt.world.values())}", "-w", ",".join(attempt.world), *command]]
    hosts = attempt.folder / "hosts"
    hosts.write_text("".join(f"{host}\n" * count for host, count in attempt.world.items()))
    return [["env", f"SLURM_HOSTFILE={hosts}", *begin, "-m", "arbitrary", *command]]


# How a launcher is started, what the library calls it, and the hosts that there are.
NODES = ("node01", "node02", "node03")
LAUNCHERS = {"torchrun": (torchrun, "torchrun", NODES), "mpirun": (mpirun, "open_mpi", NODES), "hydra": (hydra, "hydra", NODES),
             "srun": (srun, "slurm", ("big7", *NODES, "node04"))}


def wait_until(is_so):
    end = time.monotonic() + LIMIT
    while not (found := is_so()):
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happens for {LIMIT} seconds")
        time.sleep(0.002)
    return found


def kill(process):
    """Whether it was there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
        return True
    return False


def below_this():
    """The processes that this one started and those that they started. Their orphans are children of this one."""
    children = collections.defaultdict(list)
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                children[int(parent)].append(int(path.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children[process]
    return found[1:]


class Log:
    """What one process wrote. A line that it did not finish is none."""

    def __init__(self, path):
        self.host, process, _ = path.name.split(".")
        self.process = int(process)
        self.rank = self.state = None
        self.steps = []  # (epoch, epoch and consumed after it, samples)
        self.errors = []
        self.died = self.ended = False
        for line in path.read_text().split("\n")[:-1]:
            word, _, text = line.partition(" ")
            if word == "rank":
                rank, size, self.launcher = text.split()
                self.rank, self.size = int(rank), int(size)
            elif word == "state":
                self.state = tuple(map(int, text.split()))
            elif word == "step":
                place, _, samples = text.partition(":")
                epoch, _, *after = map(int, place.split())
                self.steps.append((epoch, tuple(after), [int(sample) for sample in samples.split() if sample[0] != "+"]))
            elif word == "error":
                self.errors.append(text)
            self.died |= word == "die"
            self.ended |= word == "end"


class Attempt:
    """One start of the trainer. `kind` is what is killed, if something is."""

    def __init__(self, training, number, launcher, draw, world, kind, plant):
        self.launcher, self.draw, self.world, self.kind = launcher, draw, world, kind
        self.size = sum(world.values())
        self.folder = training.folder / str(number)
        self.folder.mkdir()
        options = {
            **training.data, "attempt": number, "batch": draw.randint(1, 8), "plant": plant,
            "every": 1 if plant == "early" else draw.randint(1, 20), "die": draw.randint(1, 8) if kind == "write" else 0,
            "cut": draw.randint(*draw.choice(((0, 100), (96, 99))))}  # in the second range lies the last number
        self.command = [str(training.folder.parent / "probe"), str(training.folder),
                        *(f"{name}={value}" for name, value in options.items())]

    def logs(self):
        return [Log(path) for path in sorted(self.folder.glob("*.log"))]

    def is_over(self):
        ends = [starter.poll() for starter in self.starters]
        return None not in ends or any(ends)

    def run(self):
        began = time.time()
        with (self.folder / "output").open("w") as output:
            self.starters = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
                             for words in LAUNCHERS[self.launcher][0](self, self.command)]
        hit = False
        try:
            hit = self.hit()
        finally:
            if hit:
                time.sleep(self.draw.uniform(0, 0.3))  # in which the launcher may end the others
            self.end_rest()
        logs = self.logs()
        self.is_whole = sorted(log.rank for log in logs if log.ended) == list(range(self.size))
        self.killed = hit and not self.is_whole
        self.failure = next(self.failures_of(logs), None)
        part = self.folder.parent / "state.new"
        self.left_part = part.exists() and part.stat().st_mtime >= began
        self.state = next((log.state for log in logs if log.state), None)
        self.steps = [step for log in logs for step in log.steps]

    def hit(self):
        """Waits for the moment, and kills. False if the attempt ended before."""
        if self.kind in (None, "write"):
            wait_until(lambda: self.is_over() or (self.kind and any(log.died for log in self.logs())))
            return any(log.died for log in self.logs())
        longest = self.draw.choice((0.1, 2))  # what launchers take to start
        if self.draw.random() < 0.75:
            wait_until(lambda: self.is_over() or any(log.steps for log in self.logs()))
            longest = 0.7
        end = time.monotonic() + self.draw.uniform(0, longest)
        wait_until(lambda: self.is_over() or time.monotonic() > end)
        victims = [starter.pid for starter in self.starters]
        if self.kind != "launcher":
            logs = wait_until(lambda: self.logs() or self.is_over())
            if self.is_over():
                return False
            host = self.draw.choice(logs).host
            victims = [log.process for log in logs if log.host == host]
        if self.kind != "host":
            victims = [self.draw.choice(victims)]
        return not self.is_over() and any([kill(victim) for victim in victims])

    def end_rest(self):
        end = time.monotonic() + LIMIT
        while True:
            jobs = []
            if self.launcher == "srun":
                jobs = subprocess.run(["squeue", "--noheader", "--format=%A"], check=True, capture_output=True).stdout.split()
            if jobs:
                subprocess.run(["scancel", *jobs], check=False, capture_output=True)
            left = below_this()
            for process in left:
                kill(process)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not left and not jobs:
                return
            if time.monotonic() > end:
                raise TimeoutError(f"processes {left} and jobs {jobs} do not end")
            time.sleep(0.02)

    def failures_of(self, logs):
        for log in logs:
            yield from log.errors
        here = [log for log in logs if log.rank is not None]
        if any((log.size, log.launcher) != (self.size, LAUNCHERS[self.launcher][1]) for log in here):
            yield f"not every process is in a world of {self.size}: {[(log.size, log.launcher) for log in here]}"
        extra = collections.Counter(log.host for log in logs) - collections.Counter(self.world)
        if extra or len({log.rank for log in here}) != len(here):
            yield f"the processes are {[(log.rank, log.host) for log in here]}, expected {listed(self.world)}"
        if len({log.state for log in logs} - {None}) > 1:
            yield "the processes read different states"
        if not self.killed and not self.is_whole:
            yield f"ended though nobody killed it: {(self.folder / 'output').read_text()[-2000:]}"


class Training:
    def __init__(self, folder, number, draw):
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.attempts = []
        self.data = {"reader": READERS[number % len(READERS)], "seed": number, "size": draw.randint(1000, 5000), "epochs": 3}

    def judge(self):
        """What became of the samples and the steps."""
        tally = collections.Counter()
        begun = [attempt for attempt in self.attempts if attempt.state]
        times = collections.Counter()
        for attempt, following in zip(begun, begun[1:] + [None]):
            until = following.state if following else (self.data["epochs"], 0)
            tally["failed"] += until < attempt.state  # the state went back
            ends = {after for _, after, _ in attempt.steps}
            tally["steps"] += len(ends)
            tally["repeated"] += sum(after > until for after in ends)
            times.update((epoch, sample) for epoch, after, samples in attempt.steps if after <= until for sample in samples)
        expected = {(epoch, sample) for epoch in range(self.data["epochs"]) for sample in range(self.data["size"])}
        tally["failed"] += len(times.keys() - expected)  # samples that there are not
        tally["samples"] += sum(times.values())
        tally["lost"] += len(expected - times.keys())
        tally["doubled"] += sum(count - 1 for count in times.values())
        return tally


def next_world(draw, hosts, last):
    while True:
        world = {host: draw.randint(1, 4) for host in draw.sample(hosts, draw.randint(1, len(hosts)))}
        if world != last and sum(world.values()) <= RANKS:
            return world


def main(folder, launcher, count, seed, version, plant):
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    folder, count = pathlib.Path(folder), int(count)
    draw = random.Random(f"{launcher} {seed}")
    tally = collections.Counter()
    killed = collections.Counter()
    start = time.monotonic()
    world, training, trainings = {}, None, 0
    while (killed.total() < count or training) and tally["failed"] < FAILURES:
        if not training:
            training = Training(folder, trainings, draw)
            trainings += 1
        world = next_world(draw, LAUNCHERS[launcher][2], world)
        kind = draw.choice(KINDS) if killed.total() < count else None
        attempt = Attempt(training, len(training.attempts), launcher, random.Random(draw.random()), world, kind, plant)
        training.attempts.append(attempt)
        attempt.run()
        tally["attempts"] += 1
        killed[kind] += attempt.killed
        tally["early"] += attempt.killed and not attempt.steps
        tally["torn"] += attempt.killed and attempt.left_part
        found = training.judge() if attempt.is_whole else collections.Counter()
        found["failed"] += attempt.failure is not None
        tally += found
        if any(found[name] for name in WRONG):
            what = attempt.failure or ", ".join(f"{found[name]} {name}" for name in WRONG)
            print(f"{attempt.folder}, {launcher} on {listed(world)}: {what}", flush=True)
        if attempt.is_whole or attempt.failure:  # after a failure nothing is sure of this one
            training = None
    kinds = ", ".join(f"{kind} {killed[kind]}" for kind in KINDS)
    what = f", plant {plant}" if plant != "none" else ""
    print(f"{launcher} {version}, seed {seed}{what}, {time.monotonic() - start:.0f} s: {killed.total()} kills ({kinds}; "
          f"{tally['early']} before the first step, {tally['torn']} left a new file without its name) in {tally['attempts']} "
          f"attempts of {trainings} trainings; {tally['samples']} samples, {tally['steps']} steps, {tally['repeated']} of them "
          f"repeated; {', '.join(f'{tally[name]} {name}' for name in WRONG)}", flush=True)
    if plant != "none":
        return 0 if tally[FOUND[plant]] else f"{launcher}: plant {plant} was not found"
    return 1 if any(tally[name] for name in WRONG) else 0


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
