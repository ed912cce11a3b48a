#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Records what a real PyTorch does into the torch_*.tsv files beside this script. Run it with the
# Python that has torch, in this directory; nothing in the build runs it. A file that comes out
# different from the committed one means that this PyTorch orders its samples in another way: that
# is a new algorithm with a new name, never an edit of the old file.
import argparse
import sys

import numpy
import torch
from torch.utils.data import (BatchSampler, DataLoader, RandomSampler, SubsetRandomSampler,
                              WeightedRandomSampler)
from torch.utils.data.distributed import DistributedSampler


def fnv1a64(values):
    """Over each value as a little-endian int64."""
    digest = 0xCBF29CE484222325
    for value in values:
        for byte in int(value).to_bytes(8, "little", signed=True):
            digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{digest:016x}"


def mixed_sum(values):
    """The digest for long lists: vectorised here, a three-line loop in the test. Piece by piece, since some fill half the memory."""
    a, piece, total = values.numpy(), 2**22, 0
    for begin in range(0, len(a), piece):
        x = a[begin:begin + piece].astype(numpy.uint64)
        i = numpy.arange(begin, begin + len(x), dtype=numpy.uint64)
        with numpy.errstate(over="ignore"):
            x = (x + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
            x ^= x >> numpy.uint64(29)
            x *= i * numpy.uint64(2) + numpy.uint64(1)
            total += int(numpy.add.reduce(x))
    return f"{total % 2**64:016x}"


def generator(seed):
    return torch.Generator().manual_seed(seed)


def joined(values):
    return ",".join(str(int(v)) for v in values)


class File:
    def __init__(self, name, columns):
        self.file = open(name, "w", encoding="ascii")
        self.row("# torch", torch.__version__)
        self.row("# " + columns[0], *columns[1:])

    def row(self, *fields):
        self.file.write("\t".join(str(f) for f in fields) + "\n")


def engine():
    out = File("torch_engine.tsv", ["what", "seed", "values"])
    at = list(range(8)) + [623, 624, 625, 626, 1247, 1248, 1249]
    seeds = [0, 1, 42, 5489, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 42, 2**63 + 42, 2**63,
             -1, -(2**63), 2**64 - 1]
    for seed in seeds:
        # A 32-bit draw modulo 2^32 - 1: the nearest to the raw draw that the interface gives.
        draws = torch.randint(0, 2**32 - 1, (1250,), generator=generator(seed))
        out.row("draws32_mod", seed, joined(draws[at]))
        raw = torch.empty(4, dtype=torch.int64).random_(-(2**63), None, generator=generator(seed))
        out.row("draws64_signed", seed, joined(raw))


def randperm():
    out = File("torch_randperm.tsv", ["seed", "n", "permutation"])
    for seed in [0, 1, 42, 1234, 2**32 - 1, 2**32 + 7, 2**64 - 1]:
        for n in [*range(17), 31, 32, 33, 63, 64, 65, 100]:
            out.row(seed, n, joined(torch.randperm(n, generator=generator(seed))))
    out = File("torch_randperm_digest.tsv", ["seed", "n", "first8", "last8", "mixed_sum"])
    for seed in [0, 42, 2**64 - 1]:
        for n in [623, 624, 625, 1000, 1248, 4096, 10007, 65535, 65536, 65537, 1000000, 16777217]:
            p = torch.randperm(n, generator=generator(seed))
            out.row(seed, n, joined(p[:8]), joined(p[-8:]), mixed_sum(p))
    out = File("torch_randperm_after.tsv", ["seed", "n", "next_draw_mod_2^32-1"])
    for seed in [0, 42]:
        for n in [0, 1, 2, 10, 1000]:
            g = generator(seed)
            torch.randperm(n, generator=g)
            out.row(seed, n, int(torch.randint(0, 2**32 - 1, (1,), generator=g)))


def randperm_large():
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    prefix = "torch" if version < (2, 6) else "torch26"  # the order of large sizes changed there
    out = File(prefix + "_randperm_large.tsv", ["seed", "n", "first1000_mixed_sum", "first8", "last8",
                                            "mixed_sum"])
    for seed, n in [(7, 10**8), (0, 214748363), (0, 214748364), (0, 214748365)]:
        p = torch.randperm(n, generator=generator(seed))
        out.row(seed, n, mixed_sum(p[:1000]), joined(p[:8]), joined(p[-8:]), mixed_sum(p))
        out.file.flush()
        del p


def distributed(n, world, rank, shuffle, seed, drop_last, epoch):
    sampler = DistributedSampler(range(n), world, rank, shuffle=shuffle, seed=seed,
                                 drop_last=drop_last)
    if epoch is not None:
        sampler.set_epoch(epoch)
    values = list(sampler)
    assert len(values) == len(sampler) == sampler.num_samples
    return values, sampler


def distributed_sampler():
    columns = ["n", "world", "shuffle", "seed", "drop_last", "epoch", "ranks"]
    out = File("torch_distributed_lists.tsv", columns)

    def row(n, world, shuffle, seed, drop_last, epoch):
        lists = [distributed(n, world, r, shuffle, seed, drop_last, epoch)[0]
                 for r in range(world)]
        out.row(n, world, int(shuffle), seed, int(drop_last), epoch or 0,
                ";".join(joined(values) for values in lists))

    pairs = [(0, 0), (0, 1), (1, 0), (42, 5), (2**32 - 1, 1), (2**63 - 1, 1)]
    for n in [0, 1, 2, 3, 7, 8, 9, 10, 16, 17, 100]:
        for world in [1, 2, 3, 4, 7, 8, 16]:
            for drop_last in [False, True]:
                for seed, epoch in pairs:
                    row(n, world, True, seed, drop_last, epoch)
                row(n, world, False, 3, drop_last, 4)
    for n, world, drop_last in [(3, 8, False), (1, 100, False), (5, 11, False), (2, 5, True)]:
        row(n, world, True, 0, drop_last, 0)
        row(n, world, False, 0, drop_last, 0)
    for epoch in [*range(10), None, -5]:
        row(64, 4, True, 17, False, epoch)
    for seed, epoch in [(5, 3), (6, 2), (8, 0), (9, -1), (2**32 + 8, 0), (-8, 16), (-3, 0), (0, -3),
                        (-(2**63), 0), (2**64 - 1, 0), (2**64 - 1, -7)]:
        row(20, 3, True, seed, False, epoch)

    out = File("torch_distributed_sizes.tsv", ["n", "world", "drop_last", "num_samples",
                                               "total_size"])
    for n in range(65):
        for world in range(1, 17):
            for drop_last in [False, True]:
                sampler = DistributedSampler(range(n), world, 0, drop_last=drop_last)
                assert len(sampler) == sampler.num_samples
                out.row(n, world, int(drop_last), sampler.num_samples, sampler.total_size)

    out = File("torch_distributed_large.tsv", ["n", "world", "rank", "seed", "epoch", "drop_last",
                                               "first16", "last4", "fnv1a64"])
    for drop_last in [False, True]:
        for rank in [0, 31, 63]:
            values, _ = distributed(10**6, 64, rank, True, 9, drop_last, 3)
            out.row(10**6, 64, rank, 9, 3, int(drop_last), joined(values[:16]),
                    joined(values[-4:]), fnv1a64(values))


def errors():
    out = File("torch_errors.tsv", ["what", "n", "world", "rank", "seed", "epoch", "error"])

    def row(what, n, world, rank, seed, epoch):
        try:
            distributed(n, world, rank, True, seed, False, epoch)
            found = "none"
        except Exception as error:  # noqa: BLE001: the type is what is recorded
            found = type(error).__name__
        out.row(what, n, world, rank, seed, epoch, found)

    row("rank", 10, 2, 2, 0, 0)
    row("rank", 10, 2, -1, 0, 0)
    row("rank", 10, 0, 0, 0, 0)
    row("sum", 10, 2, 0, 2**64 - 1, 0)
    row("sum", 10, 2, 0, 2**64 - 1, 1)
    row("sum", 10, 2, 0, 2**64 - 1, 2**63 - 1)
    row("sum", 10, 2, 0, -(2**63), 0)
    row("sum", 10, 2, 0, -(2**63), -1)
    row("sum", 10, 2, 0, 2**63, -(2**63))
    row("sum", 10, 2, 0, 2**63, 2**63 - 1)
    row("sum", 10, 2, 0, 2**63, 2**63)


def samplers():
    out = File("torch_samplers.tsv", ["what", "n", "seed", "replacement", "num_samples", "passes",
                                      "values", "next_draw_mod_2^32-1"])
    for seed in [0, 5]:
        for replacement, wants in [(False, [None, 4, 10, 23]), (True, [None, 33, 70, 64])]:
            for want in wants:
                g = generator(seed)
                sampler = RandomSampler(range(10), replacement, want, generator=g)
                values = list(sampler) + list(sampler)
                out.row("given_generator", 10, seed, int(replacement), want or 10, 2,
                        joined(values), int(torch.randint(0, 2**32 - 1, (1,), generator=g)))
    for seed in [0, 3]:
        for replacement, want in [(False, 23), (True, 33)]:
            torch.manual_seed(seed)
            sampler = RandomSampler(range(10), replacement, want)
            values = [v for _ in range(3) for v in sampler]
            out.row("global_generator", 10, seed, int(replacement), want, 3, joined(values),
                    int(torch.randint(0, 2**32 - 1, (1,))))
    g = generator(0)
    loader = DataLoader(range(37), batch_size=5, shuffle=True, generator=g)
    values = [int(v) for _ in range(3) for batch in loader for v in batch]
    out.row("loader_generator", 37, 0, 0, 37, 3, joined(values),
            int(torch.randint(0, 2**32 - 1, (1,), generator=g)))
    torch.manual_seed(0)
    loader = DataLoader(range(37), batch_size=5, shuffle=True)
    values = [int(v) for _ in range(3) for batch in loader for v in batch]
    out.row("loader_global", 37, 0, 0, 37, 3, joined(values),
            int(torch.randint(0, 2**32 - 1, (1,))))
    g = generator(5)
    subset = SubsetRandomSampler([5, 7, 11, 13], generator=g)
    out.row("subset", 4, 5, 0, 4, 1, joined(subset),
            int(torch.randint(0, 2**32 - 1, (1,), generator=g)))

    out = File("torch_batches.tsv", ["n", "world", "rank", "batch_size", "drop_last", "batches"])
    for drop_last in [False, True]:
        batches = BatchSampler(range(10), 3, drop_last)
        out.row(10, 1, 0, 3, int(drop_last), ";".join(joined(b) for b in batches))
        for rank in range(4):
            sampler = DistributedSampler(range(100), 4, rank)
            loader = DataLoader(range(100), batch_size=8, sampler=sampler, drop_last=drop_last)
            out.row(100, 4, rank, 8, int(drop_last), ";".join(joined(b) for b in loader))


def weighted():
    out = File("torch_weighted.tsv", ["weights", "seed", "replacement", "num_samples", "values",
                                      "next_draw_mod_2^32-1"])
    rng = numpy.random.default_rng(7)
    lists = [[0.1, 0.9, 0.4, 0.7, 3.0, 0.6], list(range(1, 11)), [1.0], [0.0, 1.0, 0.0, 2.0, 5.0],
             [1e-300, 1e300, 1e299, 3.0], list(rng.random(40)), list(rng.integers(0, 5, 30) + 0.0),
             list(numpy.exp(rng.normal(0, 3, 60)))]
    for weights in lists:
        weights = [float(w) for w in weights]
        positive = sum(w > 0 for w in weights)
        for seed in [0, 1, 42, 2**32 - 1, -5]:
            for replacement, sizes in [(True, [1, 2, 12]), (False, [1, 3, positive])]:
                for size in sizes:
                    if not replacement and size > positive:
                        continue
                    g = generator(seed)
                    values = []
                    for _ in range(2):
                        values += list(WeightedRandomSampler(weights, size, replacement, generator=g))
                    out.row(",".join(w.hex() for w in weights), seed, int(replacement), size, joined(values),
                            int(torch.randint(0, 2**32 - 1, (1,), generator=g)))


def weighted_epochs():
    """Three epochs after one seed: "generator": that of the sampler; "loader": the global one, from which a DataLoader draws too."""
    out = File("torch_weighted_epochs.tsv", ["what", "weights", "seed", "replacement", "num_samples", "values"])
    for weights in [[0.1, 0.9, 0.4, 0.7, 3.0, 0.6], [float(w) for w in range(1, 31)]]:
        for seed in [0, 42, 2**32 + 7]:
            for replacement, size in [(True, 1), (True, 10), (True, 700), (False, 1), (False, 5)]:
                found = [",".join(w.hex() for w in weights), seed, int(replacement), size]
                sampler = WeightedRandomSampler(weights, size, replacement, generator=generator(seed))
                out.row("generator", *found, joined(v for _ in range(3) for v in sampler))
                torch.manual_seed(seed)
                sampler = WeightedRandomSampler(weights, size, replacement)
                loader = DataLoader(range(len(weights)), batch_size=4, sampler=sampler)
                out.row("loader", *found, joined(v for _ in range(3) for batch in loader for v in batch))


def detectron2():
    """TrainingSampler and RepeatFactorTrainingSampler (detectron2 02b5c4e2), restated around the real torch: the package
    needs a compiler of its own. "training": n; "repeat": the factors."""
    out = File("torch_detectron2.tsv", ["what", "size_or_factors", "shuffle", "seed", "values"])

    def stream(passes, count):
        values = []
        while len(values) < count:
            values += passes()
        return values[:count]

    rng = numpy.random.default_rng(3)
    for n in [1, 2, 5, 10, 97, 1000]:
        for shuffle in [True, False]:
            for seed in [0, 1, 42, 2**32 - 1]:
                g = generator(seed)
                values = stream(lambda: (torch.randperm(n, generator=g) if shuffle else torch.arange(n)).tolist(),
                                min(2 * n + 3, 300))
                out.row("training", n, int(shuffle), seed, joined(values))
    lists = [[1.0, 1.5, 2.25, 3.0], [0.3], list(1 + rng.random(30) * 4), list(rng.random(50)), [1.0] * 20]
    for factors in lists:
        factors = torch.tensor(factors, dtype=torch.float32)
        whole = torch.trunc(factors)
        for shuffle in [True, False]:
            for seed in [0, 1, 42, 2**32 - 1]:
                g = generator(seed)

                def one_pass():
                    times = whole + (torch.rand(len(factors), generator=g) < factors - whole).float()
                    indices = torch.tensor([i for i, t in enumerate(times) for _ in range(int(t))], dtype=torch.int64)
                    return indices[torch.randperm(len(indices), generator=g)].tolist() if shuffle else indices.tolist()

                out.row("repeat", ",".join(float(f).hex() for f in factors), int(shuffle), seed,
                        joined(stream(one_pass, 200)))


def length_groups():
    """transformers (c21f3d1c): get_length_grouped_indices, restated around the real torch."""
    out = File("torch_length_groups.tsv", ["lengths", "batch_size", "seed", "values"])
    rng = numpy.random.default_rng(5)
    for n, most in [(1, 9), (5, 9), (16, 12), (37, 5), (150, 400), (400, 1000), (450, 1)]:
        lengths = [int(length) for length in rng.integers(1, most + 1, n)]
        for batch_size in [1, 2, 7, 32]:
            for seed in [0, 1, 42]:
                multiple = min(n // (batch_size * 4), 50) or 1
                indices = torch.randperm(n, generator=generator(seed))
                run = multiple * batch_size
                runs = [indices[i:i + run].tolist() for i in range(0, n, run)]
                runs = [sorted(one, key=lambda i: lengths[i], reverse=True) for one in runs]
                longest = torch.argmax(torch.tensor([lengths[one[0]] for one in runs])).item()
                runs[0][0], runs[longest][0] = runs[longest][0], runs[0][0]
                out.row(joined(lengths), batch_size, seed, joined(i for one in runs for i in one))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true",
                        help="also record the permutations around the threshold (4 GB, a minute)")
    arguments = parser.parse_args()
    engine()
    randperm()
    distributed_sampler()
    errors()
    samplers()
    weighted()
    weighted_epochs()
    detectron2()
    length_groups()
    if arguments.large:
        randperm_large()


if __name__ == "__main__":
    sys.exit(main())
