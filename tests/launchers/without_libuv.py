# SPDX-License-Identifier: MIT
"""Lets PyTorch's launchers and workers run where PyTorch is built without libuv.

Since version 2.4 they ask for a store that is made with libuv. Debian's 2.6 has none, and USE_LIBUV=0 does not reach all the places where a
store is made. With this module imported, every store of this process is asked for without it.
"""

import torch.distributed

_make = torch.distributed.TCPStore.__init__

if "use_libuv" in _make.__doc__:
    torch.distributed.TCPStore.__init__ = lambda self, *arguments, **options: _make(
        self, *arguments, **{**options, "use_libuv": False})
