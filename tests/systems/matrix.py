#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""matrix.py: writes docs/launcher-matrix.md from the logs of test runs.

    tests/systems/matrix.py LOG... >docs/launcher-matrix.md
    tests/systems/matrix.py --check docs/launcher-matrix.md
    tests/systems/matrix.py --versions docs/launcher-matrix.md LOG...

LOG is what `tests/systems/launchers`, `tests/systems/readme everything` or `.ci/run` wrote. Of several results of a test on one system
the last one counts. --check ends with 1, and says what differs, if the page has other tests than the folders of this tree;
--versions does so if a system's versions are other ones than those on the page.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LAUNCHERS = HERE.parent / "launchers"
PAGE = """# What is tested under which launcher

Which tests of `tests/launchers` were run on which system, and what came out. Written by `tests/systems/matrix.py` from the logs of those
runs, not by hand. A scenario starts real launchers on several hosts and holds what each process says of itself against the truth; it
is skipped where a launcher is not installed, or lacks what the scenario needs. Rows without a result on a system are newer than its run.

## Versions

{versions}
## Scenarios

How a job is started, as its newest version has it. The tests are `launchers/NAME` in ctest.

{scenarios}
## Launchers below launchers

Each pair of the launchers in `tests/launchers/starters`, where the outermost one is the one named, as an ordinary user; `root` and
`hidepid` are all pairs where most numbers are equal, with the processes above hidden in several ways.

{nested}"""
# ctest puts the number of a test before what the test itself writes, and .ci/run the name of a part.
PREFIX = r"^(?:(\w+): )?"
VERSIONS = re.compile(PREFIX + r"README: (.+?): (g\+\+ .+ PyTorch .*)$")
RESULT = re.compile(PREFIX + r" *\d+/\d+ Test +#\d+: launchers/(\S+) \.*(?: +|\*\*\*)(Passed|Failed|Skipped|Not Run|Timeout)")


def short(system):
    """As this project calls a system that calls itself "Debian GNU/Linux 12 (bookworm)"."""
    if system.endswith("/sid"):
        return "Debian unstable"
    return re.sub(r" GNU/Linux|\(.*\)", "", system).strip()


def read(paths):
    """The versions of each system, and its results by test."""
    versions, results = {}, {}
    for path in paths:
        lines = pathlib.Path(path).read_text(errors="replace").splitlines()
        # What a log says before it names its system belongs to it, too.
        names = {match[1]: (match[2], match[3]) for match in map(VERSIONS.match, lines) if match}
        if not names:
            sys.exit(f"{path}: expected a line \"README: SYSTEM: g++ ..., PyTorch ...\"")
        names = {number: (short(system), text.replace("+debian", "")) for number, (system, text) in names.items()}
        versions.update(names.values())
        for match in filter(None, map(RESULT.match, lines)):
            if match[1] in names:
                results.setdefault(names[match[1]][0], {})[match[2]] = match[3].lower()
    return versions, results


def scenarios():
    """The name and the title of each scenario, where every launcher is of the newest version."""
    script = """version_at_least() { true; }; here=$1
        for file in "$1"/scenarios/*; do title='' topology=''; . "$file"; printf '%s\\t%s\\n' "${file##*/}" "$title"; done"""
    text = subprocess.run(["bash", "-ec", script, "bash", LAUNCHERS], check=True, capture_output=True, text=True).stdout
    return dict(line.split("\t") for line in text.splitlines())


def nested():
    text = (LAUNCHERS / "CMakeLists.txt").read_text()
    names = re.search(r"set\(starters (.*)\)", text)[1].split() + re.findall(r"list\(APPEND starters (\w+)\)", text)
    return [*names, "root", "hidepid"]


def table(head, rows):
    rows = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def page(paths):
    versions, results = read(paths)
    systems = sorted(versions)
    of = lambda name: [results[system].get(name, "") for system in systems]
    titles = scenarios()
    launchers = [[part.rsplit(" ", 1) for part in versions[system].split(", ")] for system in systems]
    return PAGE.format(
        versions=table(["", *systems], [[column[0][0], *(part[1] for part in column)] for column in zip(*launchers)]),
        scenarios=table(["test", "how the job is started", *systems],
                        [[f"`{name}`", f"`{titles[name]}`", *of(name)] for name in sorted(titles)]),
        nested=table(["outermost", *systems], [[f"`{name}`", *of("nested-" + name)] for name in nested()]))


def check(path):
    there = set(re.findall(r"^\| `(\S+)` \|", pathlib.Path(path).read_text(), re.M))
    here = {*scenarios(), *nested()}
    for name in sorted(here - there):
        print(f"{path}: expected a row for {name}; run the launchers, and write the page anew: tests/systems/matrix.py LOG...")
    for name in sorted(there - here):
        print(f"{path}: {name} is no test of the launchers any more: write the page anew")
    return 1 if here != there else 0


def check_versions(path, logs):
    """Compares the versions in logs with the table on the page: a row for each name, a column for each system."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in pathlib.Path(path).read_text().split("##")[1].splitlines()
            if line.startswith("|")]
    tested = {system: dict(zip([row[0] for row in rows[2:]], column)) for system, *column in zip(*rows[:1], *rows[2:])}
    differ = 0
    for system, text in read(logs)[0].items():
        for name, version in (part.rsplit(" ", 1) for part in text.split(", ")):
            there = tested.get(system, {}).get(name)
            if version != there:
                print(f"{system} has {name} {version}; {path} has {there}")
                differ = 1
    return differ


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2]))
    if sys.argv[1] == "--versions":
        sys.exit(check_versions(sys.argv[2], sys.argv[3:]))
    sys.stdout.write(page(sys.argv[1:]))
