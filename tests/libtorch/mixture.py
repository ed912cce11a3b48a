#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""mixture.py: libtorch_train reads a mixture with workers, is killed, and goes on with another number of processes.

    tests/libtorch/mixture.py PROGRAM FOLDER

One process that is never stopped says what each step reads, and what its loss is. Two processes of which one is killed after
a checkpoint, and three that go on from there, read the same samples in the same steps, and get the same losses.
"""

import collections
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

SAMPLES, BATCH, EPOCHS = 200, 12, 2
LAUNCHERS = ("SLURM_", "OMPI_", "PMI", "RANK", "WORLD_SIZE", "LOCAL_", "GROUP_", "TORCHELASTIC_", "MASTER_")


def start(program, folder, name, world, *more):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    bare = {key: value for key, value in os.environ.items() if not key.startswith(LAUNCHERS)}
    processes = []
    for rank in range(world):
        env = bare | {"RANK": str(rank), "WORLD_SIZE": str(world), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(world),
                      "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1", "TORCHELASTIC_RUN_ID": name, "MASTER_ADDR": "127.0.0.1",
                      "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        processes.append(subprocess.Popen(
            [program, "--mix", "1", "--workers", "2", "--samples", str(SAMPLES), "--batch", str(BATCH), "--epochs", str(EPOCHS),
             "--every", "5", "--record", folder / name, *map(str, more)], env=env, stdout=subprocess.DEVNULL))
    return processes


def finish(processes, name):
    codes = [process.wait(timeout=120) for process in processes]
    if any(codes):
        sys.exit(f"{name}: exit codes {codes}")


def read(folder):
    """The samples of each rank in each step, the losses, the first step."""
    ranks = []
    for path in sorted(folder.glob("rank-*.txt")):
        steps = {}
        for line in path.read_text().splitlines()[1:]:
            place, _, samples = line.partition(":")
            if "+" in samples:
                sys.exit(f"{path}: padding in {line}")
            steps[tuple(map(int, place.split()))] = list(map(int, samples.split()))
        ranks.append(steps)
    losses = {}
    for line in (folder / "losses.txt").read_text().splitlines():
        place, _, loss = line.partition(":")
        losses[tuple(map(int, place.split()))] = float(loss)
    return ranks, losses, min(ranks[0])


def problems_of(name, job, expected, begin, end):
    ranks, losses, _ = job
    for place, samples in expected[0][0].items():
        if not begin <= place < end:
            continue
        parts = [steps.get(place) for steps in ranks]
        if None in parts:
            yield f"{name}: a rank has no step {place}"
            continue
        if collections.Counter(sum(parts, [])) != collections.Counter(samples):
            yield f"{name}: step {place} reads {parts}, expected {samples}"
        if max(map(len, parts)) - min(map(len, parts)) > 1:
            yield f"{name}: step {place} has parts of {[*map(len, parts)]} samples"
        if not abs(losses.get(place, float("inf")) - expected[1][place]) <= 1e-9 * expected[1][place]:
            yield f"{name}: step {place} has loss {losses.get(place)}, expected {expected[1][place]}"


def main(program, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    saved = folder / "saved.pt"
    finish(start(program, folder, "whole", 1), "whole")
    expected = read(folder / "whole")

    processes = start(program, folder, "killed", 2, "--checkpoint", saved, "--pace", 50)
    deadline = time.monotonic() + 60
    while not saved.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    processes[1].send_signal(signal.SIGKILL)
    processes[1].wait()
    processes[0].wait(timeout=120)  # it notices in the next collective
    finish(start(program, folder, "on", 3, "--checkpoint", saved), "on")

    killed, on = read(folder / "killed"), read(folder / "on")
    begin, middle, end = (0, 0), on[2], (EPOCHS, 0)
    problems = [] if begin < middle < end and middle[1] != 0 else [f"killed at {middle}, not in an epoch"]
    problems += problems_of("killed", killed, expected, begin, middle)
    problems += problems_of("on", on, expected, middle, end)
    read_in_epoch = collections.Counter(sample for place, samples in expected[0][0].items() if place[0] == 0 for sample in samples)
    if set(read_in_epoch) != set(range(SAMPLES)):
        problems.append("not every sample came")
    print(f"2 until {middle}, then 3: {len(expected[1])} steps, {len(problems)} problems", *problems[:10], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
