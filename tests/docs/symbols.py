#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""symbols.py: writes docs/reference/symbols.md, an A to Z of what the public headers declare, each with its page.

    tests/docs/symbols.py >docs/reference/symbols.md
    tests/docs/symbols.py --check

--check ends with 1, and says what differs, if the page has other names than the headers, or nothing uses a name: no other line of the
headers, no example and no block of a page.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/rankmap"
PAGES = ROOT / "docs/reference"
PAGE = PAGES / "symbols.md"
HEAD = """# A to Z

Every name of the public headers, with the page that has it. All are in the namespace `rankmap`; members are on the page of their class.
Written by `tests/docs/symbols.py`.
"""
TYPE = re.compile(r"(?:class|struct|enum class|concept)(?: \[\[\w+\]\])? (\w+)(?![\w ]*;)")
ALIAS = re.compile(r"using (\w+) =")
CALLED = re.compile(r"(?:\[\[nodiscard\]\] |RANKMAP_\w+ |constexpr |inline |const )*[\w:<>,*& ]+?[ &*](\w+)\(")
NAMED = re.compile(r"inline constexpr [\w:<> ]+ (\w+)(?:\{| =)")


def symbols(text):
    """The names that a header declares, those of a namespace below rankmap with it, and none that a comment calls deprecated."""
    text = re.sub(r"^/// Deprecated: .*\n(?:template .*\n)?.*\n", "", text, flags=re.MULTILINE)
    spaces = []
    for line in text.splitlines():
        if opened := re.match(r"namespace ([\w: ]+?) \{$", line):
            spaces.append(opened[1].replace("rankmap::inline v0", "").strip(":"))
        elif re.match(r"\}  // namespace", line):
            spaces.pop()
        elif spaces and "detail" not in "".join(spaces) and line[:1].isalpha() and not line.startswith("template"):
            for pattern in (TYPE, ALIAS, NAMED, CALLED):
                if found := pattern.match(line):
                    if found[1] not in ("operator", "requires", "static_assert"):
                        yield "::".join([*filter(None, spaces), found[1]])
                    break


def page_links():
    """Where each header is described: on its own page, or below a heading of that of its topic."""
    links = {}
    for path in PAGES.rglob("*.md"):
        place = path.relative_to(PAGES)
        links[place.with_suffix(".hpp").as_posix()] = place.as_posix()
        for title in re.findall(r"^## ([a-z0-9_/]+\.hpp)$", path.read_text(), re.MULTILINE):
            links[title] = f"{place.as_posix()}#{re.sub('[/.]', '', title)}"
    return links


def page():
    places = collections.defaultdict(set)
    links = page_links()
    for header in sorted(HEADERS.rglob("*.hpp")):
        place = header.relative_to(HEADERS)
        if "detail" not in place.parts and place.as_posix() in links:
            for name in symbols(header.read_text()):
                places[name].add((place.as_posix()[:-4], links[place.as_posix()]))
    out, letter = [HEAD], ""
    for name in sorted(places, key=lambda name: (name.lower(), name)):
        if name[0].upper() != letter:
            letter = name[0].upper()
            out.append(f"\n## {letter}\n\n")
        found = sorted(places[name])
        shown = f"[`{name}`]({found[0][1]})" if len(found) == 1 else \
            f"`{name}` (" + ", ".join(f"[{header}]({link})" for header, link in found) + ")"
        out.append(f"- {shown}\n")
    return "".join(out)


def unused():
    """The names that only their declarations have, all overloads of one together."""
    uses = collections.Counter()
    texts = [path.read_text() for path in [*(ROOT / "include").rglob("*.h*"), *(ROOT / "examples").rglob("*.[ch]*")]]
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        texts += re.findall(r"^```(?:cpp|c)\b.*?\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
    for text in texts:
        uses.update(re.findall(r"\w+", re.sub(r"//.*", "", text)))
    declared = collections.Counter()
    for header in sorted(HEADERS.rglob("*.hpp")):
        if "detail" not in header.parts:
            declared.update(name.split("::")[-1] for name in symbols(header.read_text()))
    for name, count in declared.items():
        if uses[name] <= count:
            yield f"nothing uses {name}: show it in an example, or take it out"


def main(check):
    text = page()
    if not check:
        sys.stdout.write(text)
        return 0
    here, there = set(text.splitlines()), set(PAGE.read_text().splitlines())
    for line in sorted(here ^ there):
        print(f"{PAGE}: {'expected' if line in here else 'stale:'} {line}")
    without_use = [*unused()]
    for line in without_use:
        print(line)
    return 1 if here != there or without_use else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(bool(sys.argv[1:])))
