# SPDX-License-Identifier: MIT
#
# Another reader's view of the JSON: what `whoami --json` prints, under environments that hold every
# byte, is read by Python, whose own reading of the bytes it must agree with.
import json
import os
import subprocess
import sys


def read_by_python(variables):
    done = subprocess.run([sys.argv[1], "--json"], env=variables, capture_output=True, check=True)
    assert done.stdout.isascii() and done.stdout.endswith(b"}\n"), done.stdout
    return json.loads(done.stdout)


def replaced(text):
    """One U+FFFD for each byte that is not UTF-8."""
    by_byte = text.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in by_byte)


worker = {b"RANK": b"1", b"WORLD_SIZE": b"2", b"LOCAL_RANK": b"1", b"LOCAL_WORLD_SIZE": b"2"}
jobs = [bytes([byte]) for byte in range(1, 256)]
jobs += [bytes([head, tail]) for head in range(0xC0, 256, 3) for tail in (0x41, 0x80, 0x9F, 0xBF, 0xFF)]
jobs += ["na\u00efve \u20ac \U0001f600".encode(), b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b'"\\/<&']
for job in jobs:
    told = read_by_python({**worker, b"TORCHELASTIC_RUN_ID": job})
    assert told["job_id"] == replaced(job), (job, told["job_id"])
    assert told["rank"] == 1 and told["node_count"] == 1, told
    assert told["origins"]["rank"] == {"kind": "read", "source": "RANK", "text": "1", "launcher": "torchrun"}, told

alone = read_by_python({})
assert alone["host"] is None and alone["hosts"] is None and alone["distributed"] is False, alone
print(len(jobs), "texts read back")
