# SPDX-License-Identifier: MIT
#
# Another reader's view of the pictures: Python's expat reads those of the documentation, and those
# of this very process on hosts that are called by any bytes.
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

draw, pictures = sys.argv[1], pathlib.Path(sys.argv[2])
svg = "{http://www.w3.org/2000/svg}"


def read_by_expat(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == svg + "svg" and root[0].tag == svg + "title" and root[1].tag == svg + "desc", path
    x, y, width, height = (int(number) for number in root.get("viewBox").split())
    assert (x, y) == (0, 0) and (width, height) == (int(root.get("width")), int(root.get("height"))), path
    known = {svg + name for name in ("svg", "title", "desc", "style", "defs", "pattern", "path", "g", "rect", "text")}
    for element in root.iter():
        assert element.tag in known, element.tag
        assert not any("href" in name or name.startswith("on") for name in element.attrib), path
    return root


drawn = sorted(pictures.glob("*.svg"))
assert len(drawn) >= 5, drawn
for path in drawn:
    read_by_expat(path)

worker = {b"OMPI_COMM_WORLD_" + name: number for name, number in
          ((b"RANK", b"1"), (b"SIZE", b"2"), (b"LOCAL_RANK", b"1"), (b"LOCAL_SIZE", b"2"))}
hosts = [bytes([byte]) for byte in range(1, 256)]
hosts += ["\u7bc0\u70b9\u20ac\U0001f600\u0085\ufffe\uffff".encode(), b"<a&b>\"'", b"]]>", b"--><x>", b"&lt;", b"\xed\xa0\x80", b"x" * 300]
with tempfile.TemporaryDirectory() as folder:
    for host in hosts:
        subprocess.run([draw, "--me", folder], env={**worker, b"PMIX_HOSTNAME": host}, check=True)
        root = read_by_expat(os.path.join(folder, "me.svg"))
        told = "".join(c if c > "\x1f" and not "\x7f" <= c <= "\x9f" and not "\udc80" <= c <= "\udcff" and
                       c not in "\ufffe\uffff" else "\ufffd" for c in host.decode("utf-8", "surrogateescape"))
        tips = [element.text for element in root.iter(svg + "title")]
        believed = len(host) <= 255 and not any(byte <= 0x20 or byte == 0x7f for byte in host)
        assert ("node 0, host " + told if believed else "node 0") in tips, (host, tips)
print(len(drawn), "pictures and", len(hosts), "hosts")
