#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""check_libtorch_train.py: holds what examples/libtorch_train recorded against PyTorch.

    tests/launchers/check_libtorch_train.py RUN PROGRAM

RUN is a folder that `scenario` filled: 1, 2, ... with the records of the processes of a job and of those that went on from
its checkpoint, in order; expected.tsv with the truth about the places of the last of them; python, if trainer.py ran beside.
What a killed job did after its last checkpoint is lost, and done again by the next.
"""

import collections
import pathlib
import re
import sys

import trainer
from run import read_expected

HEADER = re.compile(r"rank (\d+) of (\d+), local rank (-?\d+), host (\S+), device (\S+), process \d+$")


def read_steps(lines):
    """(epoch, consumed) -> (samples, padding)"""
    steps = {}
    for line in lines:
        place, _, samples = line.partition(":")
        real, _, padding = samples.partition("+")
        steps[tuple(map(int, place.split()))] = (list(map(int, real.split())), list(map(int, padding.split())))
    return steps


class Job:
    """The processes of one launch."""

    def __init__(self, folder):
        self.name = folder.name
        files = [path.read_text().splitlines() for path in folder.glob("rank-*.txt")]
        headers = [HEADER.match(lines[0]) for lines in files]
        if not files or not all(headers):
            sys.exit(f"run {self.name}: not every process wrote who it is")
        ranks = sorted(zip(headers, files), key=lambda pair: int(pair[0][1]))
        self.places = [(int(header[1]), int(header[2]), int(header[3]), header[4]) for header, _ in ranks]
        self.devices = [header[5] for header, _ in ranks]
        self.steps = [read_steps(lines[1:]) for _, lines in ranks]
        self.world_size = self.places[0][1]
        self.start = min(self.steps[0], default=None)
        self.losses = {}
        for line in (folder / "losses.txt").read_text().splitlines():
            place, _, loss = line.partition(":")
            self.losses[tuple(map(int, place.split()))] = float(loss)


def place_problems(job, rows):
    expected = [(int(row["rank"]), len(rows), int(row["local_rank"]), row["host"]) for row in rows]
    if job.places != expected:
        yield f"the processes are (rank, size, local rank, host) {job.places}, expected {expected}"
    if set(job.devices) != {"cpu"}:
        yield f"the devices are {job.devices}, on a machine without"


def order_problems(job, until):
    """Each rank reads what PyTorch's sampler gives it; of a pass that goes on, what is left of the order for all."""
    for rank, steps in enumerate(job.steps):
        for epoch in range(trainer.EPOCHS):
            read = [pair for place, pair in sorted(steps.items()) if place[0] == epoch and place < until]
            read = [sample for real, padding in read for sample in real + padding]
            if not read:
                continue
            if (epoch, 0) >= job.start:
                order = trainer.order_of(epoch, job.world_size, rank)
            else:
                whole_order = trainer.order_of(epoch)
                rest = whole_order[job.start[1]:]
                padded = (rest + whole_order)[:-(-len(rest) // job.world_size) * job.world_size]
                order = padded[rank::job.world_size]
            to_the_end = until >= (epoch + 1, 0)
            if read != (order if to_the_end else order[:len(read)]):
                yield f"rank {rank} reads {len(read)} samples {read[:6]}... in epoch {epoch}, expected {len(order)}: {order[:6]}..."


def problems_of(jobs, rows):
    if [job.world_size for job in jobs] != [len(job.places) for job in jobs]:
        yield "not every process of a world left a record"
    yield from place_problems(jobs[-1], rows)
    read = collections.Counter()
    losses = {}
    for job, follower in zip(jobs, jobs[1:] + [None]):
        until = follower.start if follower else (trainer.EPOCHS, 0)
        if follower and not (job.start < until and until[1] > 0):
            yield f"run {job.name} was not stopped in the middle of an epoch, but at {until}"
        yield from order_problems(job, until)
        for steps in job.steps:
            if min(steps, default=None) != job.start:
                yield f"run {job.name}: the ranks begin at different places"
            for place, (real, _) in steps.items():
                if place < until:
                    read.update((place[0], sample) for sample in real)
        losses.update((place, loss) for place, loss in job.losses.items() if place < until)
    once = {(epoch, sample): 1 for epoch in range(trainer.EPOCHS) for sample in range(trainer.SAMPLES)}
    if read != once:
        missing, extra = once.keys() - read.keys(), {key: n for key, n in read.items() if n != once.get(key)}
        yield f"{len(missing)} samples never read, {len(extra)} not once, such as {[*missing, *extra][:4]}"
    # One PyTorch process with the whole batch: the same numbers, but for the order of the sums.
    reference = {(epoch, consumed): loss for epoch, consumed, _, loss in trainer.steps()}
    worst = max((abs(losses.get(place, float("inf")) - loss) / loss, place) for place, loss in reference.items())
    if not worst[0] < 1e-9 or losses.keys() != reference.keys():
        yield f"the loss is another than that of one process: by {worst[0]:.1e} at {worst[1]}, {len(losses)} steps"


def beside_problems(job, folder):
    """A Python trainer under the same launcher read the same samples on the same ranks."""
    for rank, steps in enumerate(job.steps):
        beside = read_steps((folder / f"rank-{rank}.txt").read_text().splitlines())
        if {place: real + padding for place, (real, padding) in steps.items()} != {
                place: real for place, (real, _) in beside.items()}:
            yield f"rank {rank} reads otherwise than the Python trainer"


def main(folder, _program):
    folder = pathlib.Path(folder)
    title, rows = read_expected(folder / "expected.tsv")
    jobs = [Job(path) for path in sorted(folder.glob("[0-9]*"))]
    problems = list(problems_of(jobs, rows))
    if (folder / "python").exists():
        problems += beside_problems(jobs[0], folder / "python")
    for problem in problems:
        print(problem)
    runs = " then ".join(f"{job.world_size} from {job.start}" for job in jobs)
    print(f"{title[2:]}: {runs}; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
