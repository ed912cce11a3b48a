#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The same measurements on a real PyTorch, to set beside samplers_bench on the same machine:
# torch.randperm, and DistributedSampler to its first index and through its epoch.
import resource
import statistics
import sys
import time

import torch
from torch.utils.data.distributed import DistributedSampler


def median_of(rounds, body):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    torch.set_num_threads(1)
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    generator = torch.Generator()
    seconds = median_of(rounds, lambda: torch.randperm(n, generator=generator.manual_seed(7)))
    print(f"torch {torch.__version__}, {n} elements")
    print(f"  randperm                        {seconds / n * 1e9:10.2f} ns an element")
    sampler = DistributedSampler(range(n), 8, 3, seed=7)
    seconds = median_of(rounds, lambda: next(iter(sampler)))
    print(f"  DistributedSampler, first index {seconds * 1e3:10.2f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"  peak memory                     {peak / n:10.2f} bytes an element")


if __name__ == "__main__":
    main()
