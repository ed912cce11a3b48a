#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""check_page.py: holds what the processes of a job printed against what a page shows.

    tests/launchers/check_page.py RUN [PROGRAM]

RUN is a folder that `scenario` filled: stdout with the lines of all ranks, in any order, and page with those of the page.
"""

import pathlib
import sys


def main(folder):
    folder = pathlib.Path(folder)
    printed, shown = (sorted((folder / name).read_text().splitlines()) for name in ("stdout", "page"))
    if printed == shown and shown:
        return 0
    print("the page shows", *shown, "and the program prints", *printed, sep="\n")
    return 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
