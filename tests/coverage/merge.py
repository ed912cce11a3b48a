#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""merge.py: what all programs of a coverage build reached together, as a tracefile for gcovr, on standard output.

    tests/coverage/merge BUILD

gcov tells of each program alone, and of a function that stands in a program and never runs there it tells more branches
than there are: those of exceptions lose their mark, and calls get one each. gcovr adds such reports up branch by branch.
Here a program's report on a line counts only where the program ran the line, if any did; a branch that one program knows
for an exception's is one; and instances of one template are one source. Lines that are optimised tell of other lines'
branches: programs that are built so (OPTIMISED) are left out.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIMISED = ("randperm_large_test", "scale_test")
EXCLUDED = "GCOVR_EXCL_LINE"
NO_DECISION = re.compile(r"= default;$")  # the compiler's branches, not the source's

Report = collections.namedtuple("Report", "count branches")  # one program's on one line of one function


def gcov(data):
    """gcov's reports on the headers, as (header, line, function, Report)."""
    output = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", data],
                            capture_output=True, text=True, check=True).stdout
    found = []
    for document in map(json.loads, output.splitlines()):
        for file in document["files"]:
            path = (pathlib.Path(document["current_working_directory"]) / file["file"]).resolve()
            if ROOT / "include" not in path.parents:
                continue
            header = path.relative_to(ROOT).as_posix()
            for line in file["lines"]:
                branches = [(branch["count"], branch["throw"]) for branch in line["branches"]]
                found.append((header, line["line_number"], line.get("function_name"), Report(line["count"], branches)))
    return found


def merged(reports):
    """The counts of the branches of one line, from {function: [Report]}."""
    ran = {name: [report for report in all_of_it if report.count] for name, all_of_it in reports.items()}
    if any(ran.values()):
        reports = {name: some for name, some in ran.items() if some}
    by_size = {}
    for all_of_it in reports.values():
        for size in {len(report.branches) for report in all_of_it}:
            alike = [report.branches for report in all_of_it if len(report.branches) == size]
            counts = [sum(branches[i][0] for branches in alike) for i in range(size)
                      if not any(branches[i][1] for branches in alike)]
            have = by_size.setdefault(len(counts), [0] * len(counts))
            by_size[len(counts)] = [a + b for a, b in zip(have, counts)]
    return [count for counts in by_size.values() for count in counts]


def main():
    data = sorted(path for path in pathlib.Path(sys.argv[1]).resolve().rglob("*.gcda")
                  if not path.name.startswith(OPTIMISED))
    lines = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(gcov, data):
            for header, number, function, report in found:
                lines[header][number][function].append(report)
    files = []
    for header, numbers in sorted(lines.items()):
        source = (ROOT / header).read_text().splitlines()
        rows = []
        for number, reports in sorted(numbers.items()):
            text = source[number - 1]
            branches = [] if NO_DECISION.search(text) else merged(reports)
            rows.append({"line_number": number,
                         "count": sum(report.count for all_of_it in reports.values() for report in all_of_it),
                         "branches": [{"count": count, "fallthrough": False, "throw": False} for count in branches],
                         "gcovr/noncode": EXCLUDED in text, "gcovr/excluded": EXCLUDED in text})
        files.append({"file": header, "lines": rows, "functions": []})
    json.dump({"gcovr/format_version": "0.3", "files": files}, sys.stdout)


if __name__ == "__main__":
    main()
