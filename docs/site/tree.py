# SPDX-License-Identifier: MIT
"""Gives MkDocs the tree as it is.

- Every page keeps its path, so a link that works in the tree works on the site.
- A source file that a page links to becomes a page that shows it.
- A folder in `nav` stands for its pages; a page that is not in `nav` is a warning.
- Headings get the names in links that forges give them.
- A header that is described on the page of its topic has an address of its own, which leads there.
- The search knows no decisions and no source files.
- A link or heading that is not there, and whatever is loaded from elsewhere, is a warning: `--strict` makes them errors.
"""
import json
import logging
import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from mkdocs.structure.files import File

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cu": "cuda", ".txt": "cmake", ".cmake": "cmake", ".py": "python", "": "bash"}
log = logging.getLogger("mkdocs.rankmap")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def below(folder, ending):
    """The paths of the files in `folder` and its folders, sorted. docs/README.md only leads to docs/index.md."""
    paths = []
    for place, _, names in os.walk(os.path.join(ROOT, folder)):
        paths += [os.path.relpath(os.path.join(place, name), ROOT) for name in names if name.endswith(ending)]
    return sorted(path.replace(os.sep, "/") for path in paths if path != os.path.join("docs", "README.md"))


def linked(page):
    """The paths in the tree that a page links to."""
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", read(page), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:\s]+)", prose):
        yield os.path.normpath(os.path.join(os.path.dirname(page), target)).replace(os.sep, "/")


def slug(heading, separator):
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", separator)


def name_of(path):
    """What the menu calls a page of a folder: its name, and the question with which a page of the reference begins."""
    name = os.path.basename(path)[:-3]
    question = re.match(r"# .*\n\n([^?\n]*\?)", read(path))
    return f"{name}: {question[1].replace('`', '')}" if question else name


def pages_of(entry):
    """An entry of `nav` with its folders written out."""
    if isinstance(entry, dict):
        return {title: pages_of(value) for title, value in entry.items()}
    if isinstance(entry, list):
        return [pages_of(value) for value in entry]
    if entry.endswith("/"):
        here = [path for path in below(entry, ".md") if os.path.dirname(path) + "/" == entry]
        return [{name_of(path): path} for path in here if not path.endswith("/README.md")]
    return entry


def on_config(config):
    config["nav"] = pages_of(config["nav"])
    config["mdx_configs"]["toc"]["slugify"] = slug
    return config


def file_of(path, config):
    file = File(path, ROOT, config["site_dir"], config["use_directory_urls"])
    if not path.endswith((".md", ".svg")):
        file.is_documentation_page = lambda: True
        file.name = os.path.basename(path)
        file.dest_uri = file.url = path + ".html"
        file.abs_dest_path = os.path.join(config["site_dir"], file.dest_uri)
    return file


def on_files(files, config):
    waiting = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", *below("docs", ".md")]
    seen = set(below("docs/pictures", ".svg"))
    while waiting:
        path = waiting.pop()
        if path in seen or not os.path.isfile(os.path.join(ROOT, path)):
            continue
        seen.add(path)
        if path.endswith(".md"):
            waiting += linked(path)
            if f"'{path}'" not in repr(config["nav"]):
                log.warning(f"{path} is not in the nav of docs/site/mkdocs.yml")
    for path in sorted(seen):
        files.append(file_of(path, config))
    return files


def on_page_read_source(page, config):
    path = page.file.src_uri
    if path.endswith(".md"):
        return None
    page.title = os.path.basename(path)
    language = LANGUAGES[os.path.splitext(path)[1]]
    return f"# {path}\n\n````{language}\n{read(path)}````\n"


class Links(HTMLParser):
    """What a page offers to links (`names`), what it links to and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.loads = {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.add(attributes.get("id"))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in ("src", "href"):
            if tag != "a" and attributes.get(name):
                self.loads.append(attributes[name])


MOVED = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="canonical" href="{target}">
<meta http-equiv="refresh" content="0; url={target}">
</head>
<body><a href="{target}">{title}</a></body>
</html>
"""


def write_moved_pages(site):
    """At the address of docs/reference/x/y.md, if x/y.hpp is a heading on another page."""
    for page in below("docs/reference", ".md"):
        for title in re.findall(r"^## ([a-z0-9_/]+\.hpp)$", read(page), re.MULTILINE):
            old = f"docs/reference/{title[:-4]}.html"
            target = os.path.relpath(page[:-3] + ".html", os.path.dirname(old)) + "#" + slug(title, "-")
            with open(os.path.join(site, old), "w", encoding="utf-8") as file:
                file.write(MOVED.format(title=title, target=target.replace(os.sep, "/")))


def on_post_build(config):
    site = config["site_dir"]
    write_moved_pages(site)
    # Who searches wants to know how, not why it was decided, nor the lines of a program.
    index = os.path.join(site, "search", "search_index.json")
    with open(index, encoding="utf-8") as file:
        search = json.load(file)
    search["docs"] = [section for section in search["docs"] if not re.match(r"docs/decisions/|CHANGELOG|.*\.(cpp|hpp|h|cu|txt|py|f90|cmake)\.html", section["location"])]
    with open(index, "w", encoding="utf-8") as file:
        json.dump(search, file)
    pages = {}
    for place, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and name != "404.html":
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    pages[os.path.join(place, name)] = Links(file.read())
    for path, page in pages.items():
        here = os.path.relpath(path, site)
        for link in page.loads:
            if urlsplit(link).netloc:
                log.warning(f"{here} loads {link}")
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if not os.path.isfile(target):
                log.warning(f"{here}: the link to {link} leads nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].names:
                log.warning(f"{here}: the link to {link} leads to no heading")
