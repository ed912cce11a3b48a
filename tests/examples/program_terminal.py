# SPDX-License-Identifier: MIT
#
#   program_terminal.py PROGRAM LINES
#
# The program rankmap on a terminal: colours unless somebody does not want them, and nobody waits for input without a word, on a
# terminal or not.
# LINES are those of a job with an error. Empty arguments are here too, and environments with a name twice: CMake has none.
import ctypes
import os
import pathlib
import pty
import re
import subprocess
import sys
import threading

program, lines = sys.argv[1:]


def on_terminal(words, typed=b"", **variables):
    """What a terminal shows, and the exit code."""
    master, slave = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
    process = subprocess.Popen([program, *words], stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.write(master, typed)
    # The last words of a process can be lost where nobody holds the terminal after it: it is held until a mark behind them came.
    mark = b"\0end\0"
    ended = threading.Thread(target=lambda: (process.wait(), os.write(slave, mark)))
    ended.start()
    shown = b""
    while not shown.endswith(mark):
        shown += os.read(master, 65536)
    ended.join()
    os.close(slave)
    os.close(master)
    return shown.removesuffix(mark).decode().replace("\r\n", "\n"), process.returncode


plain = subprocess.run([program, "table", lines], stdout=subprocess.PIPE, text=True)
assert plain.returncode == 1 and "\033" not in plain.stdout, plain
shown, code = on_terminal(["table", lines])
assert code == 1
assert "\033[1;31merror\033[0m: place_conflict" in shown and "\n\033[1;31m!\033[0m " in shown, shown
assert re.sub("\033\\[[0-9;]*m", "", shown) == plain.stdout, shown
for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
    assert on_terminal(["table", lines], **variables) == (plain.stdout, 1), variables
assert "\033" in on_terminal(["table", lines], NO_COLOR="")[0]
assert "\033" not in on_terminal(["table", "--json", lines])[0]

shown, code = on_terminal(["table"], typed=b"\x04")  # Ctrl-D
assert "from this terminal" in shown and "no record found" in shown and code == 2, shown

# Lines that come slowly: how many there are so far is said, and nothing of it is in the table. What comes at once is worth no word.
told = subprocess.run([program, "table", lines], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
assert told.stderr == b"", told
text = pathlib.Path(lines).read_bytes()
process = subprocess.Popen([program, "table"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdin.write(text[:text.index(b"\n") + 5])
process.stdin.flush()
said = process.stderr.readline()  # comes while the rest is held back
assert said == b"rankmap: read 1 line, and waits for more\n", said
shown, said = process.communicate(text[text.index(b"\n") + 5:])
assert shown.decode() == plain.stdout and process.returncode == 1, shown
assert re.fullmatch(rb"(rankmap: read 1 line, and waits for more\n)*", said), said

for words, wanted in (
    (["table", ""], b'rankmap: cannot read "": '),
    (["env", "--need", ""], b"rankmap: --need: expected all, process, local, or variables of --as torchrun, with commas between\n"),
):
    refused = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert refused.returncode == 2 and refused.stderr.startswith(wanted), refused

# A variable that is there twice, as a runtime of containers may leave it: of what exec sets or takes away nothing else is left, since
# a shell reads the last one.
before = [b"OMPI_COMM_WORLD_RANK=2", b"OMPI_COMM_WORLD_SIZE=4", b"OMPI_COMM_WORLD_LOCAL_RANK=0", b"OMPI_COMM_WORLD_LOCAL_SIZE=2",
          b"RANKMAP_LAUNCHER=open_mpi", b"RANK=0", b"NODE_RANK=0", b"RANK=1", b"NODE_RANK=1", b"PATH=" + os.environb[b"PATH"]]
words = [os.fsencode(program), b"exec", b"--master", b"none", b"--", b"cat", b"/proc/self/environ"]
read_end, write_end = os.pipe()
child = os.fork()
if child == 0:
    os.dup2(write_end, 1)
    ctypes.CDLL(None).execve(words[0], (ctypes.c_char_p * (len(words) + 1))(*words, None),
                             (ctypes.c_char_p * (len(before) + 1))(*before, None))
    os._exit(1)
os.close(write_end)
with os.fdopen(read_end, "rb") as file:
    after = file.read().split(b"\0")
assert os.waitpid(child, 0)[1] == 0, after
assert [each for each in after if each.startswith(b"RANK=")] == [b"RANK=2"], after
assert not [each for each in after if each.startswith(b"NODE_RANK=")], after
