# SPDX-License-Identifier: MIT
"""Writes small ELF files that name libraries into a folder, whole ones and damaged ones, and some that name a loader."""
import os
import pathlib
import struct
import sys


def elf(wide, order, libraries, loader=None, **damage):
    """A file with a load segment at address 0x10000, a dynamic section that names the libraries, and the path of a loader."""
    names = b"\0" + b"".join(library.encode() + b"\0" for library in libraries)
    word = "Q" if wide else "I"
    head, entry = (64, 56) if wide else (52, 32)
    count = 2 if loader is None else 3
    texts = head + count * entry
    place = 1
    tags = []
    for library in libraries:
        tags += [1, place]
        place += len(library) + 1
    tags += [5, damage.get("texts", 0x10000 + texts), 0, 0]
    dynamic = struct.pack(order + word * len(tags), *tags)
    at = texts + len(names)
    size = at + len(dynamic)
    path = b"" if loader is None else loader.encode() + b"\0"

    def segment(kind, offset, address, length):
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, 4, offset, address, address, length, length, 1)
        return struct.pack(order + "IIIIIIII", kind, offset, address, address, length, length, 4, 1)

    identity = b"\x7fELF" + bytes([2 if wide else 1, 2 if order == ">" else 1, 1]) + bytes(9)
    fields = (3, 62, 1, 0, damage.get("table", head), 0, 0, head, damage.get("entry", entry), damage.get("count", count), 0, 0, 0)
    header = struct.pack(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), *fields)
    load = segment(1, 0, 0x10000, size)
    segments = load + segment(2, damage.get("dynamic", at), 0x10000 + at, len(dynamic))
    if loader is not None:
        segments += segment(3, size, 0, len(path))
    return identity + header + segments + names + dynamic + path


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
needed = ["libc.so.6", "libmpi_mpifh.so.40", "libmpi.so.40"]
for wide in (True, False):
    for order in "<>":
        (folder / f"{64 if wide else 32}{'l' if order == '<' else 'b'}").write_bytes(elf(wide, order, needed))
whole = elf(True, "<", needed)
for size in (0, 3, 40, 63, 64, 100, 180, len(whole) - 130):
    (folder / f"none-cut-{size}").write_bytes(whole[:size])
high = 2**64 - 1
for key, value in [("texts", high), ("texts", 0), ("table", high), ("table", 2**31), ("entry", 0), ("entry", 1), ("count", 0),
                   ("dynamic", high), ("dynamic", 2**40)]:
    (folder / f"none-{key}-{value}").write_bytes(elf(True, "<", needed, **{key: value}))
(folder / "none-count-65535").write_bytes(elf(True, "<", ["libc.so.6"], count=65535))
(folder / "none-entry-65535").write_bytes(elf(True, "<", needed, entry=65535))
(folder / "none-script").write_bytes(b"#!/bin/sh\nexec ./train\n")
(folder / "none-other").write_bytes(elf(True, "<", ["libc.so.6", "libmpi_cxx.so.40", "libxmpi.so.40"]))

# Files with versions in their names, links to them, and loaders that say what they are.
for file in ("libmpi.so.40.30.4", "libnccl.so.2.21.5", "librccl.so.1"):
    (folder / file).write_bytes(b"")
for link, file in (("libmpi.so.40", "libmpi.so.40.30.4"), ("libnccl.so.2", "libnccl.so.2.21.5")):
    (folder / link).symlink_to(file)
line = 'printf "\\t%s => %s/%s (0x00007f0a1c000000)\\n" '
mpi, nccl, rccl = (f"{line} {name} {folder} {name}\n" for name in ("libmpi.so.40", "libnccl.so.2", "librccl.so.1"))
loaders = {
    "both": '[ "$1" = --list ] || exit 1\n' + mpi + nccl,
    "mpi-unversioned": mpi + rccl,
    "odd": 'printf " => (0x\\n(0x => \\n => (0x1)\\n\\tlibmpi.so.40 => not found\\n\\tlibnccl.so.2 => (0x1)\\n\\tx"',
    "fails": mpi + nccl + "exit 1\n",
    "endless": "while :; do\n" + mpi + nccl + "done\n",
    "silent": "",
}
for name, body in loaders.items():
    script = folder / f"loader-{name}"
    script.write_text("#!/bin/sh\n" + body)
    os.chmod(script, 0o755)
    (folder / f"loaded-{name}").write_bytes(elf(True, "<", needed, loader=str(script)))
(folder / "loaded-nowhere").write_bytes(elf(True, "<", needed, loader=str(folder / "nowhere")))
(folder / "loaded-empty").write_bytes(elf(True, "<", needed, loader=""))
