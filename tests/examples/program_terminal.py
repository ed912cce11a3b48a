# SPDX-License-Identifier: MIT
#
#   program_terminal.py PROGRAM LINES
#
# The program rankmap on a terminal: colours unless somebody does not want them, and nobody waits for input without a word.
# LINES are those of a job with an error.
import os
import pty
import re
import subprocess
import sys

program, lines = sys.argv[1:]


def on_terminal(words, typed=b"", **variables):
    """What a terminal shows, and the exit code."""
    master, slave = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **variables}
    process = subprocess.Popen([program, *words], stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    os.write(master, typed)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux: nobody writes to it any more
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    return shown.decode().replace("\r\n", "\n"), process.wait()


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
