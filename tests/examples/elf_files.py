# SPDX-License-Identifier: MIT
"""Writes small ELF files that name libraries into a folder, whole ones and damaged ones."""
import pathlib
import struct
import sys


def elf(wide, order, libraries, **damage):
    """A file with a load segment at address 0x10000 and a dynamic section that names the libraries."""
    names = b"\0" + b"".join(library.encode() + b"\0" for library in libraries)
    word = "Q" if wide else "I"
    head, entry = (64, 56) if wide else (52, 32)
    texts = head + 2 * entry
    place = 1
    tags = []
    for library in libraries:
        tags += [1, place]
        place += len(library) + 1
    tags += [5, damage.get("texts", 0x10000 + texts), 0, 0]
    dynamic = struct.pack(order + word * len(tags), *tags)
    at = texts + len(names)
    size = at + len(dynamic)

    def segment(kind, offset, address, length):
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, 4, offset, address, address, length, length, 1)
        return struct.pack(order + "IIIIIIII", kind, offset, address, address, length, length, 4, 1)

    identity = b"\x7fELF" + bytes([2 if wide else 1, 2 if order == ">" else 1, 1]) + bytes(9)
    fields = (3, 62, 1, 0, damage.get("table", head), 0, 0, head, damage.get("entry", entry), damage.get("count", 2), 0, 0, 0)
    header = struct.pack(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), *fields)
    load = segment(1, 0, 0x10000, size)
    return identity + header + load + segment(2, damage.get("dynamic", at), 0x10000 + at, len(dynamic)) + names + dynamic


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
