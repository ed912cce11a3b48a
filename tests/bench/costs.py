#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# What it costs a program to use rankmap: the time that one #include adds to a compilation, beside
# other header-only libraries where they are installed, and the size of a small program, stripped.
#     costs.py COMPILER ROOT [rounds]
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HEADERS = [
    "rankmap/layout/layout.hpp", "rankmap/sampler/shard.hpp", "rankmap/hosts/host_list.hpp", "rankmap/mesh/mesh.hpp",
    "rankmap/torch/distributed_sampler.hpp", "rankmap/topology/topology.hpp", "rankmap/rankmap.hpp", "iostream", "regex",
    "fmt/format.h", "nlohmann/json.hpp", "CLI/CLI.hpp", "range/v3/all.hpp",
]


def row(name, milliseconds, times):
    print(f"  {name:<52} {milliseconds:13.1f} ms {times:8.2f}x")


def include_cost(compiler, root, rounds, work):
    """Processor time of a compilation that stops after the semantic analysis."""
    def seconds(header):
        source = os.path.join(work, "include.cpp")
        with open(source, "w", encoding="ascii") as file:
            file.write(f"#include <{header}>\n" if header else "")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", root + "/include", source],
                              stderr=subprocess.DEVNULL, check=False).returncode
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return used if code == 0 else None

    present = ["string_view"] + [header for header in HEADERS if seconds(header) is not None]
    times = {header: [] for header in ["", *present]}
    for _ in range(rounds):  # one after another, so that a busy machine slows all alike
        for header in times:
            times[header].append(seconds(header))
    empty = statistics.median(times[""])
    cost = {header: (statistics.median(times[header]) - empty) * 1000 for header in present}
    print("one #include, beyond an empty file; times as dear as <string_view>")
    for header in present:
        row(f"<{header}>", cost[header], cost[header] / cost["string_view"])


def binary_size(compiler, root, work):
    def size(source, name):
        binary = os.path.join(work, name)
        subprocess.run([compiler, "-std=c++20", "-O2", "-I", root + "/include", source, "-o", binary], check=True)
        subprocess.run(["strip", binary], check=True)
        return os.path.getsize(binary)

    empty = os.path.join(work, "hello.cpp")
    with open(empty, "w", encoding="ascii") as file:
        file.write('#include <cstdio>\nint main() { std::puts("hello"); }\n')
    print("size of a program, -O2, stripped")
    hello = size(empty, "hello")
    whoami = size(root + "/examples/whoami.cpp", "whoami")
    print(f"  {'hello, world':<52} {hello} bytes")
    print(f"  {'examples/whoami.cpp':<52} {whoami} bytes")


def main():
    compiler, root = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as work:
        include_cost(compiler, root, rounds, work)
        binary_size(compiler, root, work)


if __name__ == "__main__":
    main()
