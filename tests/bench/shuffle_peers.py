#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well a block shuffle mixes, beside a full shuffle and MosaicML's at the same window.

    tests/bench/shuffle_peers.py FOLDER     # a checkout of github.com/mosaicml/streaming; needs numpy

Prints, for windows of V blocks, the variance of the mean of a batch of 64 over that in a full shuffle, for a feature
that is constant on each of 1,024 blocks of 16 samples; and how many blocks are begun and not ended at once, at most. The
peers run their own code. BlockShuffle is restated by its definition, with numpy's permutations.
"""
import importlib
import os
import sys
import types
import warnings

import numpy as np

BLOCKS, BLOCK, BATCH = 1024, 16, 64


def block_shuffle(window, epoch):
    rng = np.random.default_rng(epoch)
    blocks = rng.permutation(BLOCKS)
    windows = [blocks[w:w + window] for w in range(0, BLOCKS, window)]
    return np.concatenate([rng.permutation(np.add.outer(w * BLOCK, np.arange(BLOCK)).ravel()) for w in windows])


def peer(folder, name):
    # Without the package around it, which imports PyTorch and the clients of clouds.
    for package in ("streaming", "streaming.base", "streaming.base.shuffle"):
        module = types.ModuleType(package)
        module.__path__ = [os.path.join(folder, *package.split("."))]
        sys.modules.setdefault(package, module)
    shuffle = getattr(importlib.import_module("streaming.base.shuffle." + name), "get_shuffle_" + name)
    sizes = np.full(BLOCKS, BLOCK)
    return lambda window, epoch: shuffle(sizes, 1, epoch, epoch, window * BLOCK)


def quality(order, feature):
    blocks = np.asarray(order) // BLOCK
    variance = (feature[blocks].reshape(-1, BATCH).mean(1) ** 2).mean() * BATCH
    places = np.arange(len(blocks))
    change = np.zeros(len(blocks) + 1)
    begin, end = np.full(BLOCKS, len(blocks)), np.zeros(BLOCKS, int)
    np.minimum.at(begin, blocks, places)
    np.maximum.at(end, blocks, places)
    np.add.at(change, begin, 1)
    np.add.at(change, end + 1, -1)
    return variance, change.cumsum().max()


def main():
    warnings.simplefilter("ignore")
    feature = np.where(np.random.default_rng(5).permutation(BLOCKS) < BLOCKS // 2, 1.0, -1.0)
    orders = {"BlockShuffle": block_shuffle, **{name: peer(sys.argv[1], name) for name in ("py1e", "py1br")}}
    for window in (4, 16, 64, 256, 512):
        row = f"{window:5}"
        for name, order in orders.items():
            seen = np.array([quality(order(window, epoch), feature) for epoch in range(100)])
            row += f"   {name} {seen[:, 0].mean():.2f} ({int(seen[:, 1].max())})"
        print(row)


main()
