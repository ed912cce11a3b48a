#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""header_costs.py: what a program pays that includes one header and calls one function, compared with header_costs.txt.

    header_costs.py COMPILER...           ends with 1 where a figure of a row is not what the compiler gives
    header_costs.py --write COMPILER...   writes what the compilers give into the rows, and the tables into the pages
    header_costs.py --pages               ends with 1 where a table of a page is not that of the rows
    header_costs.py --plant HEADER N COMPILER   compares one row as if its header had instantiated N classes more

Counted, not timed: one version of a compiler gives the same figures each time. clang says how much it parsed and instantiated, g++ how
big the object is. A header of another library is measured where it is installed.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = pathlib.Path(__file__).with_suffix(".txt")
TRACED = {  # the names of clang's events
    "files": "Source", "classes": "ParseClass", "templates": "ParseTemplate", "class_instances": "InstantiateClass",
    "function_instances": "InstantiateFunction",
}
UNITS = {
    "lines": "lines after preprocessing", "own_lines": "lines of rankmap after preprocessing", "files": "files read",
    "classes": "classes parsed", "templates": "templates parsed", "class_instances": "classes instantiated",
    "function_instances": "functions instantiated", "symbols": "symbols", "bytes": "bytes of text and data",
}
MORE, LESS = 2, 5  # per cent
BASE = "string_view"


class Rows:
    """The file: what stands above the names of the figures, and a row for each header."""

    def __init__(self, text):
        self.head, names, rows = re.fullmatch(r"((?:#.*\n)*)header +(.*) program\n(.*)", text, re.S).groups()
        self.names = names.split()
        self.figures, self.programs = {}, {}
        for row in rows.splitlines():
            header, *words = row.split(None, len(self.names) + 1)
            self.figures[header] = dict(zip(self.names, map(int, words[:-1])))
            self.programs[header] = words[-1]

    def text(self):
        def line(header, figures, program):
            widths = [max(len(name), 6) for name in self.names]
            return f"{header:<31}" + "".join(f" {figure:>{width}}" for figure, width in zip(figures, widths)) + f" {program}\n"

        return self.head + line("header", self.names, "program") + "".join(
            line(header, figures.values(), self.programs[header]) for header, figures in self.figures.items())


def is_own(header):
    return header.endswith(".hpp") and (ROOT / "include/rankmap" / header).exists()


def run(work, *command):
    ended = subprocess.run(command, cwd=work, check=False, stdout=subprocess.PIPE, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(command)} failed for the program\n{pathlib.Path(work, 'program.cpp').read_text()}")
    return ended.stdout


def traced(work, compiler):
    """What clang++ gives for the program."""
    figures = dict.fromkeys(["lines", "own_lines"], 0)
    own = False
    for line in run(work, *compiler, "-E", "program.cpp").splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            own = marker[1].startswith(str(ROOT / "include"))
        elif line.strip():
            figures["lines"] += 1
            figures["own_lines"] += own
    run(work, *compiler, "-fsyntax-only", "-ftime-trace", "-ftime-trace-granularity=0", "program.cpp")
    (trace,) = pathlib.Path(work).glob("*.json")  # clang 14 gives it no name, later ones do
    events = collections.Counter(event["name"] for event in json.loads(trace.read_text())["traceEvents"])
    trace.unlink()
    return figures | {figure: events[event] for figure, event in TRACED.items()}


def object_size(work, compiler):
    """What g++ gives for the program."""
    run(work, *compiler, "-O2", "-c", "program.cpp", "-o", "program.o")
    text, data = run(work, "size", "program.o").splitlines()[1].split()[:2]
    return {"symbols": len(run(work, "nm", "--defined-only", "program.o").splitlines()), "bytes": int(text) + int(data)}


def measure(header, program, compiler, more=0):
    """The figures that `compiler` gives for a row; none where the header is not installed."""
    # As header-only as the others: without it fmt's functions are in its library.
    command = [compiler, "-std=c++20", "-DFMT_HEADER_ONLY", f"-I{ROOT / 'include'}"]
    give = traced if "clang" in run(".", compiler, "--version") else object_size
    with tempfile.TemporaryDirectory() as work:
        planted = "".join(f"template struct Planted<{n}>; " for n in range(more))
        name = f"rankmap/{header}" if is_own(header) else header
        (pathlib.Path(work) / "program.cpp").write_text(
            f"#if __has_include(<{name}>)\n#include <{name}>\n{'template <int> struct Planted {};' if more else ''} {planted}\n"
            f"int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {{ return static_cast<int>({program}); }}\n"
            "#else\nNOT_INSTALLED\n#endif\n")
        if "NOT_INSTALLED" in run(work, *command, "-E", "-P", "program.cpp"):
            return {}
        return give(work, command)


def compare(rows, compilers, only="", more=0):
    faults = []
    for compiler in compilers:
        for header, figures in rows.figures.items():
            if only not in ("", header):
                continue
            given = measure(header, rows.programs[header], compiler, more)
            if not given:
                print(f"{header}: not installed, so not compared")
            for name, now in given.items():
                then = figures[name]
                text = f"{header}: {now} {UNITS[name]}, its row says {then}"
                print(text)
                if 100 * now > (100 + MORE) * then or 100 * now < (100 - LESS) * then:
                    change = f"{100 * (now - then) / then:+.1f} %" if then else "there were none"
                    faults.append(f"{text} ({change})" + (": lower the row" if now < then else ""))
    if faults:
        sys.exit(f"{FILE.name}:\n  " + "\n  ".join(faults) + f"\nMore than {MORE} % more: make it lighter if you can. Else, and where it is "
                 f"lighter by more than {LESS} %, write it into the rows: {FILE.stem}.py --write clang++ g++")


def write(rows, compilers):
    for header, figures in rows.figures.items():
        for compiler in compilers:
            given = measure(header, rows.programs[header], compiler)
            if not given:
                print(f"{header}: not installed, its row stays as it is")
            figures.update(given)
    FILE.write_text(rows.text())
    for page, text in pages(rows):
        page.write_text(text)


def costs_table(rows):
    yield "| `#include <rankmap/...>` | lines of rankmap | lines in all | classes and functions instantiated | bytes of a program that calls one function |"
    yield "|---|---|---|---|---|"
    for header, row in rows.figures.items():
        if is_own(header):
            instances = row["class_instances"] + row["function_instances"]
            yield f"| `{header}` | {row['own_lines']:,} | {row['lines']:,} | {instances:,} | {row['bytes']:,} |"


def ratios_table(rows):
    yield "| header | lines | classes and templates parsed | classes and functions instantiated | symbols | bytes |"
    yield "|---|---|---|---|---|---|"
    sums = [("lines",), ("classes", "templates"), ("class_instances", "function_instances")]
    base = [sum(rows.figures[BASE][name] for name in names) for names in sums]
    for header, row in rows.figures.items():
        name = f"rankmap/{header}" if is_own(header) else header
        ratios = [f"{sum(row[name] for name in names) / least:.2f}" for names, least in zip(sums, base)]
        yield f"| `<{name}>` | {' | '.join(ratios)} | {row['symbols']:,} | {row['bytes']:,} |"


def pages(rows):
    """Each page that has a table, and its text with the table of the rows."""
    for name, table in {"packaging": costs_table, "benchmarks": ratios_table}.items():
        page = ROOT / f"docs/{name}.md"
        lines = list(table(rows))
        text = page.read_text()
        begin = text.index(lines[0].split(" | ")[0] + " | lines")
        end = text.index("\n\n", begin)
        yield page, text[:begin] + "\n".join(lines) + text[end:]


def main():
    rows = Rows(FILE.read_text())
    match sys.argv[1:]:
        case ["--write", *compilers]:
            write(rows, compilers)
        case ["--pages"]:
            old = [page.name for page, text in pages(rows) if page.read_text() != text]
            if old:
                sys.exit(f"{FILE.stem}.py --write makes another table than that of {', '.join(old)}")
        case ["--plant", header, more, compiler]:
            compare(rows, [compiler], header, int(more))
        case compilers:
            compare(rows, compilers)


if __name__ == "__main__":
    main()
