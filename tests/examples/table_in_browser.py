# SPDX-License-Identifier: MIT
#
#   table_in_browser.py PROGRAM FOLDER CHROMIUM
#
# What a browser makes of the pictures of `rankmap table`, with its own fonts: no box over another, every text within its box, and
# nothing wider than the page. The jobs have long names, names in other scripts, findings and ranks without a record. At the end
# a picture with planted faults has to be found wrong.
import html
import json
import pathlib
import re
import subprocess
import sys

program, folder, chromium = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)

# A record keeps as much of a name as takes 63 bytes with JSON's escapes.
HOSTS = [
    "n{}",
    "a-long-host-name-of-a-cloud-{}.eu-central-1.compute.internal",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW{}",
    "\u7bc0\u70b9\u7bc0\u70b9\u7bc0\u70b9\u7bc0\u70b9\u7bc0{}",
    "\u0443\u0437\u0435\u043b-\u043d\u043e\u043c\u0435\u0440{}",
    "r\u00e9seau-\U0001f5a5\U0001f5a5\U0001f5a5\U0001f5a5{}",
    "\u0645\u0636\u064a\u0641-\ufdfd\ufdfd\ufdfd-{}",
    "n[{}],x",
]


def line(record):
    """The line that `rankmap report` writes, with the checksum at its end."""
    text = json.dumps({"rankmap_job": 1, **record}, separators=(",", ":"))[:-1]
    digest = 0xCBF29CE484222325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f'{text},"check":"{(digest ^ digest >> 32) % 2**32:08x}"}}\n'


def job(ranks, per_node, faults):
    """Each with a device of its own, unless it has a fault: one in seven then uses the device of the rank before it."""
    lines = []
    for rank in range(ranks):
        node, local = divmod(rank, per_node)
        if faults and rank % 97 == 5:
            continue
        device = local - 1 if faults and local and rank % 7 == 0 else local
        lines.append(line({
            "rank": [rank, ranks], "local": [local, per_node], "node": [node, ranks // per_node], "launcher": "slurm", "job": "4711.0",
            "host": HOSTS[node % len(HOSTS)].format(node), "boot": f"{node + 1:016x}", "pid": 100 + local,
            "device": ["cuda", device, 1, per_node, device, None, 0], "uuid": f"GPU-{node}-{device}",
            "nic": ["mlx5_bond_0_of_a_very_l", 0],
        }))
    return "".join(lines)


# Runs in the page, and leaves what it found in an attribute of the root.
LOOK = r"""
(() => {
  const faults = [];
  const fault = (why) => { if (faults.length < 20) faults.push(why); };
  const svg = document.documentElement.localName === "svg" ? document.documentElement : document.querySelector("svg");
  const within = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5 && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5;
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const placed = (element) => {
    const box = element.getBBox();
    return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height, element,
             is: (name) => element.classList.contains(name) };
  };
  const say = (box) => box.element.localName === "text" ? '"' + box.element.textContent + '"'
    : `a box of class ${box.element.getAttribute("class")} at ${box.left}, ${box.top}`;
  const view = svg.viewBox.baseVal;
  const frame = { left: 0, right: view.width, top: 0, bottom: view.height };
  const rects = [...svg.querySelectorAll("rect")].map(placed);
  const texts = [...svg.querySelectorAll("text")].map(placed);
  const nodes = rects.filter((r) => r.is("b"));
  const cells = rects.filter((r) => r.is("c"));
  const more = rects.filter((r) => r.is("d"));
  const all = [...nodes, ...cells, ...more];
  for (const r of [...rects, ...texts]) if (!within(r, frame)) fault(say(r) + " leaves the picture");
  for (let i = 0; i !== all.length; ++i) {
    for (let k = 0; k !== i; ++k) {
      const nested = all[k].is("b") && !all[i].is("b") && within(all[i], all[k]);
      if (meet(all[i], all[k]) && !nested) fault(say(all[i]) + " is over " + say(all[k]));
    }
  }
  for (const c of cells) if (nodes.filter((n) => within(c, n)).length !== 1) fault(say(c) + " is in no node");
  const parts = rects.filter((r) => !r.is("a") && !all.includes(r));
  for (const p of parts) if (!cells.some((c) => within(p, c))) fault(say(p) + " is in no cell");
  const bars = parts.filter((p) => !p.is("p"));
  for (const t of texts) {
    const x = Number(t.element.getAttribute("x"));
    const y = Number(t.element.getAttribute("y"));
    const around = all.filter((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom);
    for (const r of around) if (!within(t, r)) fault(say(t) + " leaves " + say(r));
    for (const r of all) if (!around.includes(r) && meet(t, r)) fault(say(t) + " runs into " + say(r));
    for (const b of bars) if (meet(t, b)) fault(say(t) + " is over " + say(b));
  }
  texts.sort((a, b) => a.top - b.top);
  for (let i = 0; i !== texts.length; ++i) {
    for (let k = i + 1; k !== texts.length && texts[k].top < texts[i].bottom; ++k) {
      if (meet(texts[i], texts[k])) fault(say(texts[i]) + " is over " + say(texts[k]));
    }
  }
  if (document.body) {
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) fault(`the page is ${page.scrollWidth} wide, and ${page.clientWidth} are seen`);
    for (const element of document.body.children) {
      const box = element.getBoundingClientRect();
      if (box.left < 0 || box.right > page.clientWidth) fault(element.localName + " is wider than the page");
      const overflow = getComputedStyle(element).overflowX;
      if (element.scrollWidth > element.clientWidth && overflow === "visible" && element.localName !== "svg") {
        fault("the text of " + element.localName + " is wider than it");
      }
    }
  }
  const red = rects.filter((r) => r.is("p") && getComputedStyle(r.element).stroke === "rgb(207, 34, 46)");
  document.documentElement.setAttribute("data-seen", JSON.stringify({
    faults, nodes: nodes.length, cells: cells.length, texts: texts.map((t) => t.element.textContent), red: red.length }));
})();
"""


def look_at(path, width=1280):
    """What a browser sees: the same file with a script before its end."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".svg":
        text = text.replace("</svg>", f"<script><![CDATA[{LOOK}]]></script></svg>")
    else:
        text = text.replace("</body>", f"<script>{LOOK}</script></body>")
    copy = path.with_stem(path.stem + "_looked_at")
    copy.write_text(text, encoding="utf-8")
    shown = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            f"--user-data-dir={folder}/profile", f"--window-size={width},800", "--dump-dom", copy.as_uri()],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240)
    found = re.search(r' data-seen="([^"]*)"', shown.stdout.decode(errors="replace"))
    assert found, (path, shown.returncode, shown.stdout[-400:], shown.stderr[-2000:])
    return json.loads(html.unescape(found[1]))


wrong = []
for ranks, per_node, faults in ((8, 4, False), (64, 8, True), (1024, 8, True)):
    lines = folder / f"{ranks}.txt"
    lines.write_text(job(ranks, per_node, faults), encoding="utf-8")
    svg, page = folder / f"{ranks}.svg", folder / f"{ranks}.html"
    done = subprocess.run([program, "table", "--svg", svg, "--html", page, lines], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == (1 if faults else 0) and not done.stdout, done
    for path, width in ((svg, 1280), (page, 1280), (page, 500)):
        seen = look_at(path, width)
        wrong += [f"{path.name}, {width} pixels: {fault}" for fault in seen["faults"]]
        for rank in range(ranks):
            if seen["texts"].count(f"rank {rank}") != 1:
                wrong.append(f"{path.name}: rank {rank} is not there once")
        for name in ("n0",) + (("\u0443\u0437\u0435\u043b-\u043d\u043e\u043c\u0435\u04404", "n?7]?x") if ranks >= 64 else ()):
            if name not in seen["texts"]:
                wrong.append(f"{path.name}: no host {name}")
        if seen["cells"] != ranks or seen["nodes"] < ranks / per_node or (seen["red"] > ranks / 9) != faults:
            wrong.append(f'{path.name}: {seen["nodes"]} nodes, {seen["cells"]} cells, {seen["red"]} of them in red')
assert not wrong, "\n" + "\n".join(wrong)

# The look itself is looked at.
text = (folder / "8.html").read_text(encoding="utf-8")
boxes = re.findall(r'<rect x="\d+" y="\d+" width="\d+" height="\d+" rx="4" class="c"/>', text)
plants = {
    "is over a box of class c": text.replace(boxes[1], boxes[0]),
    '"rank 0 of a text that is too long" leaves a box': text.replace(">rank 0<", ">rank 0 of a text that is too long<"),
    '"rank 0" is over "local 0"': text.replace('y="141" class="s">local 0<', 'y="130" class="s">local 0<'),
    "the page is ": text.replace("<body>", '<body><p style="width:2000px">wide</p>'),
}
for fault, planted in plants.items():
    assert planted != text, fault
    path = folder / "planted.html"
    path.write_text(planted, encoding="utf-8")
    seen = look_at(path)
    assert any(fault in one for one in seen["faults"]), (fault, seen["faults"])
print("8, 64 and 1,024 ranks,", len(plants), "planted faults found")
