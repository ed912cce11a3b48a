#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""A program that knows torchrun alone, as PyTorch's users write it: it finds the others, and says who it is, a line a rank.

    mpirun -n 4 rankmap exec -- tests/launchers/exec_trainer.py

`check_printed.py` knows what it has to say.
"""

import os
import socket

import torch
import torch.distributed as dist
import without_libuv
from leave_group import leave_group

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
print(f"rank {dist.get_rank()} of {dist.get_world_size()}: local rank {os.environ['LOCAL_RANK']} on {socket.gethostname()}, "
      f"sum {total.item()}", flush=True)
leave_group()
