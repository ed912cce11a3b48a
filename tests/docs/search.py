#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""search.py: asks the search of a built site, and expects the right page among the first three.

    tests/docs/search.py SITE

The index is the one that the site's own search reads in the browser, by the same rules: a page counts by its best section, and words in
titles count a thousandfold.
"""

import json
import pathlib
import sys

from lunr import lunr

QUERIES = {
    "wrong rank": "docs/how-to/wrong-ranks.html",
    "python kubernetes": "docs/how-to/python.html",
    "compile time": "docs/benchmarks.html",
    "c++17": "docs/how-to/cxx17.html",
    "rankmap program": "docs/how-to/program.html",
    "hangs": "docs/how-to/wrong-ranks.html",
}


def first_pages(index, query):
    words = " ".join(f"{word}*" for word in query.split())
    pages = [result["ref"].partition("#")[0] for result in index.search(f"{query} {words}")]
    return list(dict.fromkeys(pages))[:3]


def main(site):
    sections = json.loads((pathlib.Path(site) / "search/search_index.json").read_text())["docs"]
    index = lunr(ref="location", fields=[{"field_name": "title", "boost": 1000}, "text"], documents=sections)
    wrong = 0
    for query, page in QUERIES.items():
        found = first_pages(index, query)
        if page not in found:
            print(f'"{query}" finds {", ".join(found)}: expected {page} among the first three')
            wrong += 1
    for section in sections:
        if section["location"].startswith("docs/decisions/") or ".cpp." in section["location"]:
            print(f'{section["location"]}: expected neither decisions nor source files in the search')
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
