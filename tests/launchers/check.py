#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""check.py: holds what every process of a run answered against the truth.

    tests/launchers/check.py RUN

RUN is a folder that `scenario` filled: the answers of the probe, expected.tsv with the truth, and `answers` with what the
library can know of it. Says of every rank what is wrong, and ends with 1 if anything is.
"""

import pathlib
import sys

from run import Run


def read_answers(path):
    """Lines of NAME=value, as scenario writes them."""
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def expected_of(row, run, answers):
    """What the library shall say on this rank: the truth, or None for what it cannot know."""
    rows = run.expected
    one_node = row["local_world_size"] == row["world_size"]
    nodes = len({(other["host"], other["node"]) for other in rows})
    answer = {column: int(row[column]) for column in ("rank", "world_size", "local_rank", "local_world_size")}
    tells_node = row["node"] != "-"
    # All of one node is known from the two sizes alone.
    answer["node_rank"] = 0 if one_node else int(row["node"]) if tells_node else None
    answer["node_count"] = nodes if one_node or answers["node_count"] == "known" else None
    answer["layout"] = ([int(other["node"]) if tells_node else 0 for other in rows]
                        if one_node or answers["layout"] == "known" else None)
    answer["hosts"] = None
    if answers["hosts"] == "known":
        host_at = {int(other["node"]): other["host"] for other in rows}
        answer["hosts"] = [host_at[node] for node in sorted(host_at)]
    answer["launcher"] = answers["launcher"]
    answer["restart_count"] = int(answers["restart_count"])
    others = (word.partition("@") for word in answers["others"].split())
    answer["others"] = sorted(name for name, _, host in others if host in ("", row["host"]))
    devices = answers["devices"].split()
    answer["device"] = int(devices[answer["rank"]]) if devices else None
    before = [other for other in rows[:answer["rank"]] if (other["host"], other["node"]) == (row["host"], row["node"])]
    answer["warnings"] = answers["warnings"].split()
    if answer["local_rank"] != len(before):
        answer["warnings"].append(answers["moved"])
    return answer


def problems_of(process, row, run, answers):
    said = process.said["rankmap"]
    if answers["error"]:
        if answers["error"] not in said.get("error", ""):
            yield f"said {said}, expected an error that names {answers['error']}"
        return
    if "error" in said:
        yield f"failed: {said['error']}"
        return
    if answers["wrong"]:
        for field, value in (word.split("=", 1) for word in answers["wrong"].split()):
            if str(said[field]) != value:
                yield f"{field} is {said[field]}, no longer the wrong {value}: the scenario has to say what is right"
        return
    said["others"].sort()
    all_known = said["layout"] is not None and said["hosts"] is not None
    for host, other in zip(said["host_of"], run.expected):
        if host != other["host"] and (host is not None or all_known):
            yield f"host_of({other['rank']}) is {host}, expected {other['host']}"
    for field, value in expected_of(row, run, answers).items():
        if said[field] != value:
            yield f"{field} is {said[field]}, expected {value}"


def gathered_problems(process, run):
    """With every rank's host told by all others, nothing may be left open or wrong."""
    if not process.mpi:
        return
    said = process.said["gathered"]
    if "error" in said:
        yield f"gather_hosts failed: {said['error']}"
        return
    # Nodes that the launcher does not number are numbered by their lowest ranks.
    hosts = [row["host"] for row in run.expected]
    nodes = [int(row["node"]) if row["node"] != "-" else list(dict.fromkeys(hosts)).index(row["host"])
             for row in run.expected]
    row = run.expected[process.rank]
    for field, value in {"local_rank": int(row["local_rank"]), "local_world_size": int(row["local_world_size"]),
                         "node_rank": nodes[process.rank], "node_count": len(set(nodes)), "layout": nodes,
                         "host_of": hosts}.items():
        if said[field] != value:
            yield f"gathered {field} is {said[field]}, expected {value}"


def main(folder):
    run = Run(folder)
    run.prove()
    answers = read_answers(pathlib.Path(folder) / "answers")
    wrong = 0
    for process, row in zip(run.processes, run.expected):
        for problem in (*problems_of(process, row, run, answers), *gathered_problems(process, run)):
            wrong += 1
            print(f"rank {process.rank} on {process.host}: {problem}")
    print(f"{run.title[2:]}: {len(run.processes)} ranks, {wrong} wrong answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
