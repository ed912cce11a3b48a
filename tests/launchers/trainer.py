#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The trainer of examples/libtorch_train as PyTorch's users write it: the same data, model, seed and options.

    torchrun ... trainer.py FOLDER

starts it as a worker, which leaves FOLDER/rank-R.txt: a line "EPOCH CONSUMED: SAMPLE..." for each step.
`check_libtorch_train.py` takes its parts.
"""

import pathlib
import sys

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SAMPLES, BATCH, EPOCHS, SEED = 1003, 12, 2, 42  # the defaults of libtorch_train


class Waves(Dataset):
    def __len__(self):
        return SAMPLES

    def __getitem__(self, i):
        number = torch.tensor([i], dtype=torch.float64)
        x, y = torch.sin(number * 0.37), torch.cos(number * 0.91)
        return i, torch.cat([x, y]), x * y + torch.sin(x * 3)


def sampler_of(world_size, rank):
    return DistributedSampler(Waves(), num_replicas=world_size, rank=rank, seed=SEED)


def order_of(epoch, world_size=1, rank=0):
    """What a rank reads in an epoch, with PyTorch's padding."""
    sampler = sampler_of(world_size, rank)
    sampler.set_epoch(epoch)
    return list(sampler)


def steps(world_size=1, rank=0, average=lambda gradients: None):
    """Trains, and gives (epoch, consumed, samples, loss) for each step."""
    torch.manual_seed(SEED)
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    sampler = sampler_of(world_size, rank)
    loader = DataLoader(Waves(), batch_size=BATCH // world_size, sampler=sampler)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for number, (samples, points, values) in enumerate(loader):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(points), values)
            loss.backward()
            average([weight.grad for weight in model.parameters()])
            optimizer.step()
            yield epoch, number * BATCH, samples.tolist(), loss.item()


def work(folder):
    import torch.distributed as dist
    import without_libuv
    from leave_group import leave_group
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()

    def average(gradients):
        for gradient in gradients:
            dist.all_reduce(gradient)
            gradient /= world_size

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"rank-{rank}.txt").open("w") as file:
        for epoch, consumed, samples, _ in steps(world_size, rank, average):
            print(f"{epoch} {consumed}:", *samples, file=file)
    leave_group()


if __name__ == "__main__":
    work(pathlib.Path(sys.argv[1]))
