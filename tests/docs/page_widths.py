#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""page_widths.py: the pages of a built site in a browser as wide as a phone, a tablet and a screen.

    tests/docs/page_widths.py SITE FOLDER CHROMIUM

Nothing is wider than the screen unless it has a scroll bar of its own. At the end a page with a planted fault has to be found. The pages
run no scripts, which only search and fold the menus: 150 of them take a few seconds so.
"""

import html
import json
import pathlib
import re
import subprocess
import sys

WIDTHS = 360, 768, 1280

# Looks at each page once all of them are there. They are loaded once: a frame that becomes wider lays its page out anew.
LOOK = f"const WIDTHS = {list(WIDTHS)};" + """
onload = () => {
  const frames = document.querySelectorAll("iframe");
  const faults = [];
  let seen = 0;
  for (const width of WIDTHS) {
    for (const frame of frames) frame.width = width;
    for (const frame of frames) {
      const page = frame.contentDocument.documentElement;
      if (frame.contentWindow.innerWidth === width) ++seen;
      if (page.scrollWidth > width) faults.push(`${frame.title} is ${page.scrollWidth} wide on ${width}`);
    }
  }
  document.documentElement.setAttribute("data-seen", JSON.stringify({ faults, seen }));
};
"""


def look_at(pages, folder, chromium):
    frames = "".join(f'<iframe sandbox="allow-same-origin" height="800" title="{page}" src="{page.as_uri()}"></iframe>\n' for page in pages)
    look = folder / "look.html"
    look.write_text(f"<!doctype html><script>{LOOK}</script>\n{frames}")
    shown = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--allow-file-access-from-files", f"--user-data-dir={folder}/profile", f"--window-size={max(WIDTHS) + 80},800",
                            "--dump-dom", look.as_uri()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    found = re.search(r' data-seen="([^"]*)"', shown.stdout.decode(errors="replace"))
    assert found, (shown.returncode, shown.stdout[-400:], shown.stderr[-2000:])
    seen = json.loads(html.unescape(found[1]))
    assert seen["seen"] == len(pages) * len(WIDTHS), (seen["seen"], len(pages))
    return seen["faults"]


def main(site, folder, chromium):
    site, folder = pathlib.Path(site).resolve(), pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    pages = [page for page in sorted(site.rglob("*.html")) if "http-equiv=\"refresh\"" not in page.read_text(encoding="utf-8")]
    wrong = look_at(pages, folder, chromium)
    print(*wrong, sep="\n")
    planted = site / "planted.html"
    planted.write_text((site / "index.html").read_text(encoding="utf-8").replace("<article", '<p style="width:2000px">wide</p><article'))
    try:
        found = look_at([planted], folder, chromium)
    finally:
        planted.unlink()
    if len(found) != len(WIDTHS) or not all("planted.html is 2" in fault for fault in found):
        wrong.append(f"the planted fault was found as {found}")
    print(f"{len(pages)} pages at {', '.join(map(str, WIDTHS))} pixels: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
