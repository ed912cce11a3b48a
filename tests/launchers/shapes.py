#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""shapes.py: the shapes of `shapes`, and the judge of what their tasks claim.

    tests/launchers/shapes.py FOLDER COUNT SEED VERSION

FOLDER has the probe. Every second group of shapes is steps below one salloc, the others are jobs of their own.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys
import time

CPUS = {"big7": 8, "node01": 4, "node02": 4, "node03": 4, "node04": 4}
GROUP = 20  # shapes of one allocation
LEVELS = ("block", "cyclic", "fcyclic", "*")


class Shape:
    """What srun is asked for: `kind` is how its tasks are dealt to the nodes."""

    def __init__(self, draw, hosts):
        self.kind = draw.choice(("default", "block", "block", "cyclic", "cyclic", "plane", "plane", "arbitrary"))
        self.hostfile = []
        self.arguments = []
        nodes = draw.randint(1, len(hosts))
        chosen = draw.sample(hosts, nodes)
        room = sum(CPUS[host] for host in chosen)
        overcommit = draw.random() < 0.3
        tasks = draw.randint(1, 3 * room if overcommit else room)
        if self.kind == "arbitrary":
            self.arbitrary(draw, chosen, tasks, overcommit)
        else:
            self.arguments += [f"-N{nodes}", f"-n{tasks}"]
            if draw.random() < 0.4:
                self.arguments += ["-w", ",".join(chosen)]
            self.spread(draw, nodes, tasks)
        if overcommit:
            self.arguments.append("--overcommit")
        self.text = " ".join((*self.arguments, *(["<", *self.hostfile] if self.hostfile else [])))

    def arbitrary(self, draw, chosen, tasks, overcommit):
        names = [draw.choice(chosen) for _ in range(tasks)]
        if not overcommit:  # no more of a name than the host has CPUs
            names = [name for place, name in enumerate(names) if names[:place].count(name) < CPUS[name]]
        self.hostfile = names
        self.arguments += [f"-n{len(names)}", "-m", "arbitrary"]

    def spread(self, draw, nodes, tasks):
        how = {"default": "", "plane": f"plane={draw.randint(1, 5)}"}.get(self.kind, self.kind)
        if self.kind in ("block", "cyclic") and draw.random() < 0.5:
            how += "".join(":" + draw.choice(LEVELS) for _ in range(draw.randint(1, 2)))
        if self.kind == "block" and draw.random() < 0.3:
            how += draw.choice((",Pack", ",NoPack"))
        if how:
            self.arguments += ["-m", how]
        if draw.random() < 0.25:
            self.arguments.append(f"--ntasks-per-node={draw.randint(-(-tasks // nodes), 8)}"
                                  if tasks <= 8 * nodes else "--ntasks-per-node=8")
        if draw.random() < 0.15:
            self.arguments.append("-c2")


def draw_allocation(draw):
    """The hosts of a salloc, and its arguments, of which srun inherits some."""
    hosts = sorted(draw.sample(list(CPUS), draw.randint(2, len(CPUS))))
    arguments = [f"-N{len(hosts)}", "--exclusive", "-w", ",".join(hosts)]
    how_many = draw.random()
    if how_many < 0.4:
        arguments.append(f"-n{draw.randint(len(hosts), sum(CPUS[host] for host in hosts))}")
    elif how_many < 0.6:
        arguments.append(f"--ntasks-per-node={draw.randint(1, 4)}")
    if draw.random() < 0.5:
        arguments += ["-m", draw.choice(("block", "cyclic", *(("plane=2", "plane=3") if how_many < 0.4 else ())))]
    return hosts, arguments


def run(folder, shapes, first, allocation):
    """Starts the shapes of a group: as steps of one job, or as jobs of their own."""
    script = ["cd " + str(folder)]
    for number, shape in enumerate(shapes, first):
        hostfile = ""
        if shape.hostfile:
            (folder / f"{number}.hosts").write_text("\n".join(shape.hostfile) + "\n")
            hostfile = f"SLURM_HOSTFILE={folder}/{number}.hosts "
        asked = " ".join("'" + word + "'" for word in shape.arguments)
        script.append(f"{hostfile}timeout 30 srun --label --immediate=5 {asked} ./probe {number}.tasks "
                      f"<&- >{number}.out 2>{number}.err; echo $? >{number}.status")
    (folder / f"{first}.sh").write_text("\n".join(script) + "\n")
    command = ["bash", f"{folder}/{first}.sh"]
    subprocess.run((["salloc", "--quiet", *allocation] if allocation else []) + command, check=False)


def read_tasks(labels, lines):
    """{rank: {NAME: VALUE}}: the rank from srun, which labels what a process prints, the rest from the line of that process."""
    ranks = {process: int(rank) for rank, process in re.findall(r"^ *(\d+): (\d+)$", labels, re.M)}
    tasks = [dict(field.partition("=")[::2] for field in line.split("\t")) for line in lines.splitlines()]
    if sorted(ranks) != sorted(task["process"] for task in tasks):
        raise ValueError(f"srun shows {len(ranks)} processes, and {len(tasks)} answered")
    return {ranks[task["process"]]: task for task in tasks}


def truth_of(tasks):
    """(nodes of the step, place of each rank, tasks of each node, host of each node), from what Slurm told each task of itself
    alone and where it ran."""
    if sorted(tasks) != list(range(len(tasks))) or any(int(task["SLURM_PROCID"]) != rank for rank, task in tasks.items()):
        raise ValueError(f"the tasks are not 0 to {len(tasks) - 1}")
    places = [(int(tasks[rank]["SLURM_NODEID"]), int(tasks[rank]["SLURM_LOCALID"])) for rank in sorted(tasks)]
    nodes = int(tasks[0]["SLURM_STEP_NUM_NODES"])
    counts = [sum(node == place[0] for place in places) for node in range(nodes)]
    hosts = {}
    for rank, (node, _) in enumerate(places):
        if hosts.setdefault(node, tasks[rank]["host"]) != tasks[rank]["host"]:
            raise ValueError(f"node {node} is two hosts")
    if sorted(places) != sorted((node, local) for node, count in enumerate(counts) for local in range(count)):
        raise ValueError("the places of the tasks have gaps")
    return nodes, places, counts, hosts


def wrong_claims(tasks):
    """What is not so, by rank; a claim that is not made is not wrong, but all ranks make the same ones of the whole job."""
    nodes, places, counts, hosts = truth_of(tasks)
    everywhere = {
        "launcher": "slurm",
        "world_size": str(len(tasks)),
        "node_count": str(nodes),
        "layout": ",".join(f"{node}:{local}" for node, local in places),
        "counts": ",".join(map(str, counts)),
    }
    for rank, task in sorted(tasks.items()):
        if "error" in task:
            yield f"rank {rank} fails: {task['error']}"
            continue
        node, local = places[rank]
        true = {**everywhere, "rank": str(rank), "local_rank": str(local), "local_world_size": str(counts[node]),
                "node_rank": str(node), "warnings": ""}
        for name, value in true.items():
            if task.get(name, "unknown") not in (value, "unknown"):
                yield f"{name} of rank {rank} is {task[name]}, expected {value}"
        for number, name in enumerate(task.get("hosts", "").split(",") if "hosts" in task else ()):
            if name != hosts.get(number, name):
                yield f"host {number} of rank {rank} is {name}, expected {hosts[number]}"
        for other, name in enumerate(task["host_of"].split(",")):
            if name not in (hosts[places[other][0]], "unknown"):
                yield f"host_of({other}) of rank {rank} is {name}, expected {hosts[places[other][0]]}"
        for name in ("node_count", "layout", "counts", "hosts"):
            if task.get(name) != tasks[0].get(name):
                yield f"{name} of rank {rank} is {task.get(name)}, of rank 0 {tasks[0].get(name)}"
        for name in ("node_rank", "local_world_size"):
            if (task[name] == "unknown") != (tasks[0].get(name, "unknown") == "unknown"):
                yield f"{name} is not known on ranks 0 and {rank} alike"


class Tally:
    def __init__(self):
        self.known = collections.Counter()
        self.unknown = collections.Counter()
        self.refused = collections.Counter()
        self.tasks = 0
        self.wrong = 0

    def judge(self, folder, number, shape, where):
        if not (folder / f"{number}.status").exists():
            self.refused["nothing, as salloc failed"] += 1
            return
        text = (folder / f"{number}.out").read_text()
        error = (folder / f"{number}.err").read_text()
        if (folder / f"{number}.status").read_text().strip() != "0" and not text:
            said = re.sub(r"(srun: |error: |job \d+|\d+)", "", error.strip().splitlines()[-1] if error.strip() else "nothing")
            self.refused[said] += 1
            return
        try:
            tasks = read_tasks(text, (folder / f"{number}.tasks").read_text())
            problems = list(wrong_claims(tasks))
        except (OSError, KeyError, ValueError) as problem:
            tasks, problems = {}, [f"the truth is not known: {problem}: {error.strip()}"]
        self.tasks += len(tasks)
        if problems:
            self.wrong += 1
            print(f"shape {number}, {where}srun {shape.text}: {len(problems)} wrong: {problems[0]}", flush=True)
        elif tasks:
            (self.known if "layout" in tasks[0] else self.unknown)[shape.kind] += 1


def main(folder, count, seed, version):
    folder = pathlib.Path(folder)
    draw = random.Random(seed)
    tally = Tally()
    start = time.monotonic()
    for first in range(0, count, GROUP):
        hosts, allocation = draw_allocation(draw) if first // GROUP % 2 else (list(CPUS), [])
        shapes = [Shape(draw, hosts) for _ in range(min(GROUP, count - first))]
        run(folder, shapes, first, allocation)
        for number, shape in enumerate(shapes, first):
            tally.judge(folder, number, shape, " ".join(["salloc", *allocation, ""]) if allocation else "")
    for said, times in sorted(tally.refused.items()):
        print(f"  {times} times srun says: {said}")
    for kind in sorted(tally.known | tally.unknown):
        print(f"  {kind}: layout known in {tally.known[kind]}, unknown in {tally.unknown[kind]}")
    known, unknown, refused = (sum(counter.values()) for counter in (tally.known, tally.unknown, tally.refused))
    print(f"Slurm {version}, seed {seed}, {time.monotonic() - start:.0f} s: {count} shapes, {refused} refused by Slurm, "
          f"{count - refused} compared ({tally.tasks} tasks; layout known in {known}, unknown in {unknown}), {tally.wrong} differ")
    return 1 if tally.wrong or refused == count else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
