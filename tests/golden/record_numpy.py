#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Records what a real NumPy draws into the numpy_*.tsv files beside this script. Run it with the
# Python that has numpy, in this directory; nothing in the build runs it. A file that comes out
# different from the committed one means that this NumPy draws in another way: that is a new
# algorithm with a new name, never an edit of the old file.
import sys

import numpy
from numpy.random import RandomState, default_rng


def mixed_sum(values):
    """The digest for long lists, as in record_torch.py."""
    x = values.astype(numpy.uint64)
    i = numpy.arange(len(x), dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        x = (x + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        x ^= x >> numpy.uint64(29)
        x *= i * numpy.uint64(2) + numpy.uint64(1)
        return f"{int(numpy.add.reduce(x)) % 2**64:016x}"


def joined(values):
    return ",".join(str(int(v)) for v in values)


class File:
    def __init__(self, name, columns):
        self.file = open(name, "w", encoding="ascii")
        self.row("# numpy", numpy.__version__)
        self.row("# " + columns[0], *columns[1:])

    def row(self, *fields):
        self.file.write("\t".join(str(f) for f in fields) + "\n")


STATE_SEEDS = [0, 1, 42, 5489, 1234567, 2**31, 2**32 - 1]
GENERATOR_SEEDS = [0, 1, 42, 9176, 2**32 - 1, 2**32, 2**64 - 1, [0], [7, 3], [42, 0, 2**40, 1, 5]]


def fresh(kind, seed):
    return RandomState(seed) if kind == "RandomState" else default_rng(seed)


def everyone():
    for seed in STATE_SEEDS:
        yield "RandomState", seed, seed
    for seed in GENERATOR_SEEDS:
        yield "default_rng", seed, joined(seed) + "," if isinstance(seed, list) else seed


def next_word(generator, kind):
    """What tells where a generator stands: the next 32-bit draw."""
    if kind == "RandomState":
        return int(generator.randint(0, 2**32, dtype=numpy.uint32))
    return int(generator.integers(0, 2**32, dtype=numpy.uint32))


LIMITS = [0, 1, 2, 3, 6, 99, 2**16, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**40, 3 * 2**61,
          2**63 - 2]


def engines():
    out = File("numpy_draws.tsv", ["generator", "seed", "what", "values"])
    for kind, seed, name in everyone():
        g = fresh(kind, seed)
        draws = g.randint if kind == "RandomState" else g.integers
        out.row(kind, name, "random32", joined(draws(0, 2**32, 8, dtype=numpy.uint32)))
        g = fresh(kind, seed)
        draws = g.randint if kind == "RandomState" else g.integers
        out.row(kind, name, "random64", joined(draws(0, 2**64, 4, dtype=numpy.uint64)))
        for limit in LIMITS:
            g = fresh(kind, seed)
            draws = g.randint if kind == "RandomState" else g.integers
            values = [draws(0, limit + 1, dtype=numpy.uint64) for _ in range(9)]
            out.row(kind, name, f"up_to {limit}", joined(values + [next_word(g, kind)]))
    for _, seed, name in everyone():
        if _ == "default_rng":  # halves of a word, doubles between
            g = default_rng(seed)
            g.integers(0, 2**32, dtype=numpy.uint32)
            doubles = [int(g.random() * 2**53) for _ in range(3)]
            out.row("default_rng", name, "random", joined(doubles + [next_word(g, "default_rng")]))


def permutations():
    out = File("numpy_permutation.tsv", ["generator", "seed", "n", "permutation", "next32"])
    for kind, seed, name in everyone():
        for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 63, 64, 65, 66, 100, 129, 200]:
            g = fresh(kind, seed)
            p = g.permutation(n)
            out.row(kind, name, n, joined(p), next_word(g, kind))
    out = File("numpy_permutation_digest.tsv",
               ["generator", "seed", "n", "first8", "last8", "mixed_sum", "next32"])
    for kind, seed, name in everyone():
        sizes = [1000, 4096, 32768, 32769, 65537, 100003]
        if seed == 42:
            sizes += [10**6, 2**20 + 1, 10**7]
        for n in sizes:
            g = fresh(kind, seed)
            p = g.permutation(n)
            out.row(kind, name, n, joined(p[:8]), joined(p[-8:]), mixed_sum(p), next_word(g, kind))


def shuffles():
    """Lists take another way through NumPy than arrays, to the same order."""
    out = File("numpy_shuffle.tsv", ["generator", "seed", "n", "twice"])
    for kind, seed, name in everyone():
        for n in [1, 5, 20]:
            g = fresh(kind, seed)
            values = list(range(100, 100 + n))
            g.shuffle(values)
            array = numpy.array(values, dtype=numpy.int32)
            g.shuffle(array)
            out.row(kind, name, n, joined(array))


def main():
    engines()
    permutations()
    shuffles()


if __name__ == "__main__":
    sys.exit(main())
