#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""mutate.py: plants single changes in include/ and lists those that no test notices.

    tests/mutation/mutate.py [-n COUNT] [-s SEED] [-f FROM] [-j JOBS] [-t TESTS] [-b BUILD] [HEADER...]

Each mutant is one change: an operator, a bound, a constant, a negation, a check that is dropped, two arguments that are
swapped, the name of a variable of the environment. It is compiled with the unit tests that are nearest to the header,
one after the other until one is red: its own test first, then those of the headers that include it, the recorded and
the nested environments among those of topology/topology.hpp, the pictures of docs/ among those of draw/nodes.hpp. A
change that does not compile is no mutant, unless it is a static_assert that fails; neither is one in lines that this compiler
leaves out, nor the bound of a least or greatest of two, nor one of where a prefetch goes, which cannot fault.

COUNT mutants (240) are drawn with SEED (1), spread over the headers as the places for a change are, at least one each; a
header's own draw is the same in every run. FROM (a header) takes up a run that was stopped, in alphabetical order. TESTS
(6) is how many tests a mutant has to survive. BUILD (build/test) is a configured build, whose compile commands are used.
HEADERs limit it to these files.

justified.tsv lists survivors that no test can notice, with the reason: header, line before, line after, why; `*` for the
lines is all of a header.

Prints the survivors and the score, and how far it is on standard error; ends with 0 where there is no survivor but
justified ones.
"""

import argparse
import collections
import concurrent.futures
import filecmp
import json
import os
import pathlib
import queue
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
JUSTIFIED = pathlib.Path(__file__).with_name("justified.tsv")
LIMIT = 60  # seconds of processor time for one test program; the slowest takes a few
# Tests that are not named after what they test: where they stand in the order, and those that come last since they run long.
ALSO = {"tests/recordings/recordings_test.cpp": "rankmap/topology/topology.hpp",
        "tests/unit/identity/config_test.cpp": "rankmap/topology/topology.hpp",
        "tests/unit/topology/nesting_test.cpp": "rankmap/topology/topology.hpp",
        "tests/unit/launcher/environments_test.cpp": "rankmap/topology/topology.hpp",
        "tests/unit/gather_faults_test.cpp": "rankmap/detail/gathered_bytes.hpp",
        "tests/unit/topology/layouts_test.cpp": "rankmap/launcher/detail/slurm_layout.hpp",
        "examples/draw.cpp": "rankmap/draw/nodes.hpp",
        "tests/unit/torch/distributed_sampler_test.cpp": "rankmap/torch/randperm.hpp"}
PICTURES = ROOT / "examples" / "draw.cpp"
LAST = {"allocation_test.cpp", "randperm_large_test.cpp", "scale_test.cpp", "threads_test.cpp"}

# kind, what is looked for in code, what it becomes. Binary operators have blanks around them, template brackets have not.
CHANGES = [
    *(("bound", rf"(?<= ){old}(?= )", new) for old, new in
      (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "=="))),
    *(("logic", rf"(?<= ){old}(?= )", new) for old, new in (("&&", "||"), (r"\|\|", "&&"))),
    *(("arithmetic", rf"(?<= ){old}(?= )", new) for old, new in
      ((r"\+", "-"), ("-", "+"), (r"\*", "/"), ("/", "*"), ("%", "/"), (r"\+=", "-="), ("-=", "+="))),
    *(("bits", rf"(?<= ){old}(?= )", new) for old, new in
      (("<<", ">>"), (">>", "<<"), ("&", "|"), (r"\|", "&"), (r"\^", "&"))),
    ("constant", r"(?<!concat<)(?<![\w.'])\d+(?=U?\b)(?![\w]*[.'])", lambda found: str(int(found[0]) + 1)),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
    ("negation", r"(?<=[( ])!(?=[\w(])", ""),
    ("dropped check", r"^\s*if \(.*\) (return\b.*|continue|break);$", ""),
    ("swapped", r"(?<=\()(\w+), (\w+)(?=\))", lambda found: f"{found[2]}, {found[1]}"),
]
# Looked for in whole lines: the names are texts.
NAMES = ("name", r'"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"', lambda found: f'"{found[1]}X"')
# Lines that are no code, or of which no change can be noticed.
PASSED_OVER = re.compile(r"^\s*(#|//|static_assert|template\b|using\b|namespace\b|friend\b.*default|(__builtin_)?prefetch\()")

Mutant = collections.namedtuple("Mutant", "header line kind before after")


def blanked(line):
    """The line with comments and texts blanked out, column for column."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'(?!\d)', lambda found: "_" * len(found[0]), line)
    return re.sub(r"//.*", lambda found: " " * len(found[0]), line)


def compiled_lines(path, compiler):
    """The numbers of the lines that the preprocessor keeps."""
    kept, here, number = set(), False, 0
    output = subprocess.run([compiler, "-std=c++20", "-E", f"-I{ROOT}/include", "-x", "c++", path],
                            capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            number, here = int(marker[1]), marker[2] == str(path)
            continue
        if here and line.strip():
            kept.add(number)
        number += 1
    return kept


def is_least_or_most(before, after):
    """Whether the bound between the two chooses the less or the greater of two numbers, which equal ones do not notice."""
    left, assigned = re.search(r"if \((.+) $", before), re.match(r" (.+)\) (\S+) = (.+);$", after)
    if left and assigned:
        right, target, value = assigned.groups()
        return {left[1], right} == {target, value}
    parts = re.match(r" (.+?) \? (.+?) : (.+)", after)
    if not parts:
        return False
    other, chosen, rest = parts.groups()
    return (before.rstrip().endswith(chosen) and re.match(re.escape(other) + r"(?![\w ])", rest)) or (
        chosen == other and before.rstrip().endswith(re.split("[;,)]", rest)[0]))


def mutants_of(header, compiler):
    path = ROOT / "include" / header
    lines = path.read_text().splitlines()
    kept = compiled_lines(path, compiler) if any(line.startswith("#if ") for line in lines) else range(1, len(lines) + 1)
    for number, line in enumerate(lines):
        if PASSED_OVER.match(line) or number + 1 not in kept:
            continue
        code = blanked(line)
        for (kind, old, new), text in [*((change, code) for change in CHANGES), (NAMES, line)]:
            for found in re.finditer(old, text):
                if kind == "swapped" and found[1] == found[2]:
                    continue
                if kind == "name" and code[found.start()] == " ":  # in a comment
                    continue
                if kind == "bound" and found[0][0] in "<>" and is_least_or_most(line[:found.start()], line[found.end():]):
                    continue
                # The change is made in the line itself: what it takes over is not blanked.
                there = re.compile(old).search(line, found.start()) if kind == "dropped check" else found
                put = new(there) if callable(new) else new
                yield Mutant(header, number, kind, line, line[:found.start()] + put + line[found.end():])


def drawn(headers, count, seed, compiler):
    """For each header its places in random order, and how many of them are wanted."""
    places = {header: list(mutants_of(header, compiler)) for header in headers}
    total = sum(map(len, places.values()))
    for header, mutants in places.items():
        random.Random(f"{seed} {header}").shuffle(mutants)
        if mutants:
            yield mutants, max(1, round(count * len(mutants) / total))


class Tests:
    """The unit tests of a build, and which of them are nearest to a header."""

    def __init__(self, build, folder):
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            source = pathlib.Path(entry["file"])
            if source == PICTURES or source.is_relative_to(ROOT / "tests") and source.name.endswith("_test.cpp"):
                words = shlex.split(entry["command"])
                at = words.index("-o")
                self.commands[source] = [w for w in words[:at] + words[at + 2:]
                                         if w not in ("-c", "-g", "-Werror", str(source))] + ["-w", "-g0"]
                if "support/heap.hpp" in source.read_text():
                    self.commands[source].append(str(ROOT / "tests" / "support" / "heap.cpp"))
        self.compiler = next(iter(self.commands.values()))[0]
        # GoogleTest's header is half of the work. Tests with options of their own read it as it stands.
        common = pathlib.Path(folder) / "gtest.h"
        common.write_text("#include <gtest/gtest.h>\n")
        subprocess.run([*self.commands[ROOT / "tests/unit/sampler/shard_test.cpp"], "-x", "c++-header", "-o", f"{common}.gch", common],
                       cwd=build, check=True)
        for command in self.commands.values():
            command += ["-include", str(common)]
        self.directory = build
        self.green, self.red = set(), set()
        includes = {}
        for path in [*(ROOT / "include").rglob("*.h*"), *self.commands]:
            name = path.relative_to(ROOT / "include").as_posix() if path.suffix != ".cpp" else path
            includes[name] = re.findall(r"#include <(rankmap/.*)>", path.read_text())
        self.included_by = collections.defaultdict(list)
        for name, all_of_it in includes.items():
            for header in all_of_it:
                self.included_by[header].append(name)
        self.size = {}  # how much a test includes: the ones that include little are quick and to the point
        for source in self.commands:
            seen, todo = set(), [source]
            while todo:
                for header in includes[todo.pop()]:
                    if header not in seen:
                        seen.add(header)
                        todo.append(header)
            self.size[source] = len(seen)

    def nearest(self, header):
        distance, todo, found = {header: 0}, collections.deque([header]), []
        while todo:
            name = todo.popleft()
            if name in self.commands:
                found.append(name)
                continue
            for user in self.included_by[name]:
                if user not in distance:
                    distance[user] = distance[name] + 1
                    todo.append(user)
        named = {ROOT / "tests/unit" / name.removeprefix("rankmap/").replace(".hpp", "_test.cpp").replace("detail/", folder): far
                 for name, far in distance.items() if name not in self.commands for folder in ("detail/", "")}
        named |= {ROOT / test: distance[name] for test, name in ALSO.items() if name in distance}
        return sorted(found, key=lambda source: (source.name in LAST, named.get(source, len(distance)),
                                                 distance[source], self.size[source]))

    def notices(self, source, include, program):
        """True, False, or None where the change is not C++."""
        command = [w.replace(f"{ROOT}/include", str(include)) for w in self.commands[source]]
        built = subprocess.run([*command, "-o", program, source, "-lgtest_main", "-lgtest", "-pthread"],
                               cwd=self.directory, capture_output=True, text=True)
        if built.returncode:
            says = re.search(r"static assertion|static_assert|constant expression|non-constant|constexpr variable", built.stderr)
            return True if says else None
        try:
            drawn = tempfile.TemporaryDirectory()
            red = subprocess.run(["prlimit", f"--cpu={LIMIT}", program, drawn.name], cwd=include, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, timeout=10 * LIMIT).returncode != 0
            if source == PICTURES:
                same = filecmp.cmpfiles(ROOT / "docs" / "pictures", drawn.name, os.listdir(drawn.name), shallow=False)[0]
                shown = (name for name in os.listdir(ROOT / "docs" / "pictures") if not name.startswith("logo"))
                red = red or set(same) != set(shown)
        except subprocess.TimeoutExpired:
            red = True
        (self.red if red else self.green).add(source)
        return red


def verdict(mutant, tests, limit, include):
    """"killed" with the test that did it, "survived", or "no mutant"."""
    path = include / mutant.header
    lines = path.read_text().splitlines(keepends=True)
    lines[mutant.line] = mutant.after + "\n"
    original = path.read_text()
    path.write_text("".join(lines))
    try:
        sources = tests.nearest(mutant.header)[:limit]
        for source in sources:
            noticed = tests.notices(source, include, str(include / "program"))
            if noticed is None:
                return "no mutant", ""
            if noticed:
                return "killed", source.stem
        return "survived", " ".join(source.stem for source in sources)
    finally:
        path.write_text(original)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=240)
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-f", type=pathlib.Path, default=ROOT / "include")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-t", type=int, default=6)
    parser.add_argument("-b", type=pathlib.Path, default=ROOT / "build" / "test")
    parser.add_argument("headers", nargs="*")
    chosen = parser.parse_args()

    headers = [pathlib.Path(h).resolve().relative_to(ROOT / "include").as_posix() for h in chosen.headers] or sorted(
        path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.hpp"))
    justified = {tuple(line.split("\t")[:3]) for line in JUSTIFIED.read_text().splitlines() if not line.startswith("#")}
    counts, kinds, survivors = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(chosen.b.resolve(), folder)
        trees, judged = queue.SimpleQueue(), []
        for job in range(chosen.j):
            tree = pathlib.Path(folder) / str(job)
            shutil.copytree(ROOT / "include", tree)
            trees.put(tree)

        def judge_some(places, wanted):
            done = []
            for mutant in places:
                if len(done) == wanted:
                    break
                tree = trees.get()
                try:
                    outcome, by = verdict(mutant, tests, chosen.t, tree)
                finally:
                    trees.put(tree)
                if outcome != "no mutant":
                    done.append((mutant, outcome, by))
                    judged.append(mutant)
                    print(f"{len(judged)} of {total}: {outcome} after {by}: {mutant.header}:{mutant.line + 1}", file=sys.stderr)
            return done

        with concurrent.futures.ThreadPoolExecutor(chosen.j) as pool:
            start = chosen.f.resolve().relative_to(ROOT / "include").as_posix()
            draw = [some for some in drawn(headers, chosen.n, chosen.s, tests.compiler) if some[0][0].header >= start]
            total = sum(wanted for _, wanted in draw)
            work = [pool.submit(judge_some, *some) for some in draw]
            for finished in concurrent.futures.as_completed(work):
                for mutant, outcome, by in finished.result():
                    change = mutant.before.strip(), mutant.after.strip()
                    if outcome == "survived" and justified & {(mutant.header, *change), (mutant.header, "*", "*")}:
                        outcome = "justified"
                    counts[outcome] += 1
                    kinds[mutant.kind, outcome] += 1
                    if outcome != "killed":
                        print(f"{outcome}: {mutant.header}:{mutant.line + 1}: {mutant.kind} (after {by})\n"
                              f"  - {mutant.before.strip()}\n  + {mutant.after.strip()}", flush=True)
        # A test that nobody saw green proves nothing.
        for source in tests.red - tests.green:
            if tests.notices(source, ROOT / "include", f"{folder}/program"):
                sys.exit(f"{source.stem} is red on the unchanged headers")

    print()
    for kind in sorted({kind for kind, _ in kinds}):
        print(f"{kind:14} {kinds[kind, 'killed']:4} killed {kinds[kind, 'survived']:4} survived "
              f"{kinds[kind, 'justified']:4} justified")
    noticeable = counts["killed"] + counts["survived"]
    print(f"{noticeable + counts['justified']} mutants, {counts['killed']} killed, {counts['survived']} survived, "
          f"{counts['justified']} justified: {100 * counts['killed'] / max(1, noticeable):.1f} % of those that can be noticed")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
