#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# compare_torch.py: holds randperm, RandomSampler, DistributedSampler and WeightedRandomSampler of rankmap against those of the
# PyTorch that this Python has, for random arguments.
#
#   tests/golden/compare_torch.py [-i INCLUDE] [-l] [-g] [COUNT [SEED]]
#
#   -i INCLUDE  the headers to compile torch_probe.cpp with (default: include)
#   -l          also permutations around 214,748,364 elements, where PyTorch 2.6 changes (4 GB, a minute)
#   -g          also permutations around 2^31 elements (18 GB, some minutes)
#   COUNT       how many arguments to draw for each of the five (default: 400)
#   SEED        which ones (default: 1)
#
# Made by hand, before a release. Sizes are small, or around 2^16, 2^20 and 2^24; draws with replacement go on to 2^31 and 2^32. The
# samples of both sides are compared by a digest, with the generator's next draw, and so are arguments that are refused. Ends with 0 if
# none differs.
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch.utils.data import RandomSampler, WeightedRandomSampler
from torch.utils.data.distributed import DistributedSampler

from record_torch import generator, mixed_sum

HERE = pathlib.Path(__file__).resolve().parent


def draw_size(draw, most=2**20):
    """Mostly small, else around a power of two up to `most`."""
    kind = draw.random()
    if kind < 0.5:
        return draw.randint(0, 40)
    if kind < 0.85:
        return draw.randint(41, 5000)
    return draw.choice([power for power in (2**16, 2**20, 2**24, 2**28, 2**31, 2**32) if power <= most]) + draw.randint(-3, 3)


def draw_seed(draw):
    kind = draw.random()
    if kind < 0.5:
        return draw.randint(0, 100)
    if kind < 0.8:
        return draw.randint(0, 2**34)
    return draw.randint(-2**63, 2**64 - 1)


def draw_randperm(draw):
    return draw_seed(draw), draw_size(draw)


def draw_random(draw):
    replacement = draw.random() < 0.5
    size = draw_size(draw, 2**32 if replacement else 2**20)
    wanted = draw.choice((0, draw.randint(1, 200), min(size + draw.randint(0, 3), 10**6)))
    if size > 2**20 and wanted == 0:
        wanted = 33
    if size > 5000 and not replacement:
        wanted = min(wanted, size)
    return draw_seed(draw), size, int(replacement), wanted, draw.randint(1, 3)


def draw_distributed(draw):
    size = draw_size(draw)
    world = draw.choice((draw.randint(0, 9), draw.randint(1, 300), draw.randint(1, 2 * size + 2)))
    rank = draw.randint(0, max(world - 1, 0)) if draw.random() < 0.97 else world
    epoch = draw.randint(0, 50) if draw.random() < 0.8 else draw_seed(draw)
    return size, world, rank, int(draw.random() < 0.85), draw_seed(draw), int(draw.random() < 0.5), epoch


def draw_weighted(draw):
    size = max(draw_size(draw), 1)
    replacement = draw.random() < 0.5
    factor, values, exponents = draw.randint(1, 2**31 - 2), draw.choice((2, 5, 1000, 10**6)), draw.choice((1, 20, 200))
    positive = int((weights(size, factor, values, exponents) > 0).sum())
    # Without replacement PyTorch also returns samples of weight 0, in no specified order.
    wanted = draw.choice((1, 2, draw.randint(1, 300), positive))
    return draw_seed(draw), int(replacement), max(wanted if replacement else min(wanted, positive), 1), size, factor, values, exponents


def weights(size, factor, values, exponents):
    """Of whole numbers, so that both sides have the same to the last bit."""
    x = factor * numpy.arange(size, dtype=numpy.int64) % 2147483647
    return numpy.ldexp((x % values).astype(numpy.float64), x // values % exponents - exponents // 2)


def digest(samples, gen):
    if not isinstance(samples, torch.Tensor):
        samples = torch.from_numpy(numpy.fromiter(samples, dtype=numpy.int64))
    following = int(torch.randint(0, 2**32 - 1, (1,), generator=gen)) if gen else 0
    return f"{len(samples)} {mixed_sum(samples)} {following}"


def randperm(seed, size):
    gen = generator(seed)
    return digest(torch.randperm(size, generator=gen), gen)


def random_sampler(seed, size, replacement, wanted, passes):
    gen = generator(seed)
    sampler = RandomSampler(range(size), bool(replacement), wanted or None, generator=gen)
    return digest((sample for _ in range(passes) for sample in sampler), gen)


def global_sampler(seed, size, replacement, wanted, passes):
    torch.manual_seed(seed)
    sampler = RandomSampler(range(size), bool(replacement), wanted or None)
    return digest((sample for _ in range(passes) for sample in sampler), torch.default_generator)


def distributed_sampler(size, world, rank, shuffle, seed, drop_last, epoch):
    sampler = DistributedSampler(range(size), world, rank, shuffle=bool(shuffle), seed=seed, drop_last=bool(drop_last))
    sampler.set_epoch(epoch)
    return digest(iter(sampler), None)


def weighted_sampler(seed, replacement, wanted, size, factor, values, exponents):
    gen = generator(seed)
    sampler = WeightedRandomSampler(torch.from_numpy(weights(size, factor, values, exponents)), wanted, bool(replacement),
                                    generator=gen)
    return digest((sample for _ in range(2) for sample in sampler), gen)


KINDS = {
    "randperm": (draw_randperm, randperm),
    "random": (draw_random, random_sampler),
    "global": (draw_random, global_sampler),
    "distributed": (draw_distributed, distributed_sampler),
    "weighted": (draw_weighted, weighted_sampler),
}
LARGE = [("randperm", (11, 2**24 - 1)), ("randperm", (12, 2**24)), ("randperm", (13, 2**24 + 1)), ("randperm", (14, 2**27 + 5)),
         ("distributed", (2**24 + 1, 7, 3, 1, 5, 0, 2)), ("distributed", (2**24 - 1, 64, 63, 1, 6, 1, 1)),
         ("random", (15, 2**24 + 1, 0, 1000, 1)), ("weighted", (16, 1, 2**20, 2**24, 12345, 1000, 20)),
         ("weighted", (17, 0, 1000, 2**24, 54321, 1000, 20)),
         *(("random", (seed, size, 1, 10**5, 2)) for seed in (0, 18) for size in
           (2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 7, 2**62))]
LARGEST = [("randperm", (seed, 214748364 + more)) for seed, more in ((19, -1), (20, 0), (21, 12345))]
GREATEST = [("randperm", (seed, 2**31 + more)) for seed, more in ((22, -1), (23, 0), (24, 1))]


def answer_of(kind, arguments):
    try:
        return KINDS[kind][1](*arguments)
    except (ValueError, RuntimeError, ZeroDivisionError, OverflowError):
        return "error"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", default=HERE.parents[1] / "include")
    parser.add_argument("-l", action="store_true")
    parser.add_argument("-g", action="store_true")
    parser.add_argument("count", nargs="?", type=int, default=400)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    options = parser.parse_args()
    start = time.monotonic()
    draw = random.Random(options.seed)
    cases = [(kind, draw_arguments(draw)) for kind, (draw_arguments, _) in KINDS.items() for _ in range(options.count)]
    cases += LARGE + (LARGEST if options.l else []) + (GREATEST if options.g else [])
    lines = [" ".join(map(str, (kind, *arguments))) for kind, arguments in cases]
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-I", str(options.i), "-o", probe,
                        str(HERE / "torch_probe.cpp")], check=True)
        ours = subprocess.run([probe, *torch.__version__.split(".")[:2]], input="\n".join(lines) + "\n", check=True,
                              capture_output=True, text=True).stdout.splitlines()
    if len(ours) != len(cases):
        sys.exit(f"{len(ours)} answers to {len(cases)} questions")
    torch.set_num_threads(1)
    compared, refused, differ = {kind: 0 for kind in KINDS}, 0, 0
    for (kind, arguments), line, mine in zip(cases, lines, ours):
        theirs = answer_of(kind, arguments)
        compared[kind] += 1
        refused += theirs == mine == "error"
        if theirs != mine:
            differ += 1
            print(f"{line}: {mine}, PyTorch {theirs}", flush=True)
    kinds = ", ".join(f"{kind} {count}" for kind, count in compared.items())
    print(f"PyTorch {torch.__version__}, seed {options.seed}, {time.monotonic() - start:.0f} s: {len(cases)} compared ({kinds}; "
          f"{refused} refused by both), {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
