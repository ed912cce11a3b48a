# SPDX-License-Identifier: MIT
"""One run of the probe: its processes, and the truth about them as told without the library."""

import json
import pathlib
import re
import sys

COLUMNS = ("rank", "world_size", "local_rank", "local_world_size", "node", "host")


def read_expected(path):
    """The title of an expected.tsv and its rows."""
    title, _, *rows = path.read_text().splitlines()
    return title, [dict(zip(COLUMNS, row.split("\t"))) for row in rows]


class Process:
    def __init__(self, path):
        self.said = json.loads(path.read_text())
        self.name = self.said["process"]
        self.host = self.said["host"]
        self.mpi = self.said.get("mpi")
        text = path.with_suffix(".env").read_text(errors="replace")
        # A value may hold line ends, and shells export functions that do: a name starts a new variable.
        self.variables = dict(line.split("=", 1) for line in text.splitlines() if re.match(r"[A-Za-z_]\w*=", line))
        self.ancestors = path.with_suffix(".ancestors").read_text(errors="replace")
        self.rank = None


class Run:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.processes = [Process(path) for path in sorted(folder.glob("*.json"))]
        self.problems = []
        labels = {}
        if (folder / "stdout").exists():
            # "3: node01-4711", as srun --label prints it
            labels = {name: int(rank) for rank, name in
                      re.findall(r"^ *(\d+): (\S+-\d+)\s*$", (folder / "stdout").read_text(errors="replace"), re.M)}
        for process in self.processes:
            process.rank = self.true_rank(process, labels)
        self.processes.sort(key=lambda process: process.rank)
        if (folder / "expected.tsv").exists():
            self.title, self.expected = read_expected(folder / "expected.tsv")
        else:
            self.title, self.expected = "# (how the job was started)", self.found()

    def true_rank(self, process, labels):
        """Who told, in the order of trust: MPI, srun, torchrun; a lone process is rank 0."""
        if process.mpi:
            return process.mpi["rank"]
        if process.name in labels:
            return labels[process.name]
        if "TORCHELASTIC_RUN_ID" in process.variables:
            return int(process.variables["RANK"])
        if len(self.processes) == 1:
            return 0
        sys.exit(f"{process.name}: nothing tells its true rank; use srun --label or a probe built with the job's MPI")

    def found(self):
        """Rows from what was told of each process: all but the nodes."""
        hosts = [process.host for process in self.processes]
        return [dict(zip(COLUMNS, map(str, (rank, len(hosts), hosts[:rank].count(host), hosts.count(host), "-", host))))
                for rank, host in enumerate(hosts)]

    def expected_text(self):
        rows = ["\t".join(row[column] for column in COLUMNS) for row in self.expected]
        return "\n".join([self.title, "\t".join(COLUMNS), *rows]) + "\n"

    def prove(self):
        """The expectation is not the library's word but the launcher's: no use going on when it does not hold."""
        if [process.rank for process in self.processes] != list(range(len(self.expected))):
            sys.exit(f"{self.title}: expected ranks 0 to {len(self.expected) - 1}, ran "
                     f"{[(process.rank, process.host) for process in self.processes]}")
        for process, row, counted in zip(self.processes, self.expected, self.found()):
            if process.host != row["host"]:
                sys.exit(f"{self.title}: rank {process.rank} ran on {process.host}, expected {row['host']}")
            for field, value in (process.mpi or {}).items():
                # MPI counts the processes of a node in the order of their ranks, whatever the launcher does.
                expected = counted[field] if field == "local_rank" else row[field]
                if str(value) != expected:
                    sys.exit(f"{self.title}: MPI says {field} {value} of rank {process.rank}, expected {expected}")
