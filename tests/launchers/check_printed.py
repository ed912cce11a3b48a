#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""check_printed.py: holds what an example or a started program printed, a line a rank, against the truth.

    tests/launchers/check_printed.py RUN PROGRAM

RUN is a folder that `scenario` filled: stdout with one line of each rank, and expected.tsv with the truth.
"""

import pathlib
import sys

from run import read_expected

LINES = {
    "mpi_hosts": "rank {rank} of {world_size}, node {node} of {nodes}: {places}",
    "mpi_reduce": "rank {rank}: node {node}, local rank {local_rank} of {local_world_size}, leaders {nodes}: "
                  "equals MPI_Allreduce",
    "c_probe": "rank {rank} of {world_size}: local rank {local_rank} of {local_world_size} on {host}",
    "rankmap": "rank {rank} of {world_size}: local rank {local_rank} on {host}, sum {sum}",
}


def main(folder, program):
    folder = pathlib.Path(folder)
    title, rows = read_expected(folder / "expected.tsv")
    # MPI does not number nodes: they are numbered by their lowest ranks.
    nodes = list(dict.fromkeys(row["host"] for row in rows))
    places = " ".join("{rank}={host}.{local_rank}".format(**row) for row in rows)
    total = sum(range(len(rows)))
    expected = {LINES[program].format(**{**row, "node": nodes.index(row["host"]), "nodes": len(nodes), "places": places, "sum": total})
                for row in rows}
    printed = (folder / "stdout").read_text().splitlines()
    for line in sorted(set(printed) - expected):
        print(f"printed, but wrong: {line}")
    for line in sorted(expected - set(printed)):
        print(f"not printed: {line}")
    print(f"{title[2:]}: {len(printed)} lines, {len(expected)} ranks")
    return 0 if sorted(printed) == sorted(expected) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in LINES:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
