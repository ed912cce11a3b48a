#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The samplers of a real PyTorch beside rankmap's: torch.randperm, and DistributedSampler to its
# first index and through its epoch. rankmap's figures come from its own program, which measures the
# same things in the same minute: torch_peers.py PROGRAM [elements] [rounds]
import resource
import statistics
import subprocess
import sys
import time

import torch
from torch.utils.data.distributed import DistributedSampler


def median_of(rounds, body):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        body()
        times.append(time.process_time() - start)
    return statistics.median(times)


def row(name, nanoseconds, times):
    print(f"  {name:<52} {nanoseconds:13.2f} ns {times:8.2f}x")


def main():
    program = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    torch.set_num_threads(1)
    generator = torch.Generator()
    sampler = DistributedSampler(range(n), 8, 3, seed=7)
    theirs = {
        "randperm": median_of(rounds, lambda: torch.randperm(n, generator=generator.manual_seed(7))) / n,
        "first": median_of(rounds, lambda: next(iter(sampler))),
        "epoch": median_of(rounds, lambda: sum(iter(sampler))) / (n // 8),
    }
    output = subprocess.run([program, str(n), str(rounds)], check=True, capture_output=True, text=True)
    ours = {key: float(value) for key, value in (line.split() for line in output.stdout.splitlines())}
    titles = {
        "randperm": f"whole permutation of {n}, per element",
        "first": f"first index of an epoch, {n} samples, a rank of 8",
        "epoch": f"a whole epoch, {n} samples, a rank of 8, per index",
    }
    for key, title in titles.items():
        print(title)
        row(f"PyTorch {torch.__version__}", theirs[key] * 1e9, 1)
        row("rankmap, the same numbers", ours[key] * 1e9, theirs[key] / ours[key])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"  {'peak memory of the PyTorch process, bytes a sample':<52} {peak / n:.0f}")


if __name__ == "__main__":
    main()
