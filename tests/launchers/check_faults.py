#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""check_faults.py: holds what was found in jobs with planted faults against the faults.

    tests/launchers/check_faults.py RUN PROGRAM

RUN is a folder that `scenario` filled: faults.tsv with the faults, how the program ended and what it has to find; FAULT.txt
with what it printed; expected.tsv with the truth, and none.json with the table of the faultless job, where there is one.
"""

import json
import pathlib
import re
import sys

from run import read_expected


def main(folder, program):
    folder = pathlib.Path(folder)
    title, rows = read_expected(folder / "expected.tsv")
    runs = [line.split("\t") for line in (folder / "faults.tsv").read_text().splitlines()]
    wrong = 0
    for fault, status, wanted in runs:
        text = (folder / f"{fault}.txt").read_text(errors="replace")
        found = ", ".join(re.findall(r"^(?:error|warning|note): [a-z_]+\b(?=,|$)", text, re.M))
        if found != wanted or (status == "0") != (not wanted):
            wrong += 1
            print(f"{fault}: ended with {status} and found {found or 'nothing'}, expected {wanted or 'nothing'}:\n{text}")
    if (folder / "none.json").exists():
        records = json.loads((folder / "none.json").read_text())["records"]
        said = [(r["rank"], r["local"], r["host"]) for r in records]
        truth = [([int(row["rank"]), int(row["world_size"])], [int(row["local_rank"]), int(row["local_world_size"])], row["host"])
                 for row in rows]
        if said != truth:
            wrong += 1
            print(f"the ranks are on {said}, expected {truth}")
    print(f"{title[2:]}: {len(runs)} jobs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
