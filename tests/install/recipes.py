# SPDX-License-Identifier: MIT
"""What the recipes below docs/packaging/recipes say of the tree is so: recipes.py TREE

The version, the files, options and targets that they name, what a release replaces, and the fields that their tools ask for. There is
no address but the placeholder's: the project has none yet."""

import ast
import base64
import hashlib
import json
import os
import re
import sys
from pathlib import Path

tree = Path(sys.argv[1])
folder = tree / "docs/packaging/recipes"
recipes = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
complaints = []


def expect(wanted, found, where):
    if wanted != found:
        complaints.append(f"{where}: expected {wanted!r}, found {found!r}")


def numbers(pattern, path):
    return re.findall(pattern, (tree / path).read_text(), re.M)


version = ".".join(numbers(r"^#define RANKMAP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", "include/rankmap/version.hpp"))
cmake = numbers(r"^cmake_minimum_required\(VERSION ([\d.]+?)\.\.\.", "CMakeLists.txt")[0]
(module,) = [path.removesuffix("/source.json") for path in recipes if path.endswith("/source.json")]

# ---- the version: where each tool reads it, and in every other number and name
for path, pattern in {
    f"{module}/MODULE.bazel": r'^module\(\n    name = "rankmap",\n    version = "(.*)",',
    "conan/conanfile.py": r'^    version = "(.*)"',
    "cpm/rankmap.cmake": r"VERSION (\S+)",
    "debian/changelog": r"\Arankmap \((.*)-1\)",
    "meson/subprojects/rankmap.wrap": r"^directory = rankmap-(.*)",
    "meson/subprojects/packagefiles/rankmap/meson.build": r"^project\('rankmap', version: '(.*?)'",
    "spack/spack_repo/rankmap/packages/rankmap/package.py": r'^    version\("(.*?)"',
    "vcpkg/vcpkg.json": r'^  "version": "(.*)"',
}.items():
    expect([version], re.findall(pattern, recipes.get(path, ""), re.M), path)
others = {"0.0.17", "4.6.2", "0.63.0"}  # of rules_cc, of Debian's policy, of Meson
for path, text in recipes.items():
    for number in set(re.findall(r"\d+\.\d+\.\d+", path + text)) - others:
        expect(version, number, path)
for page in ("README.md", "docs/packaging.md"):
    for number in set(numbers(r"(?:rankmap-|GIT_TAG v)(\d+\.\d+\.\d+)", page)):
        expect(version, number, page)
expect(f"bazel/modules/rankmap/{version}", module, "the folder's name")
expect([version], json.loads(recipes["bazel/modules/rankmap/metadata.json"])["versions"], "bazel/modules/rankmap/metadata.json")

# ---- what a release replaces: the address of the archive, and its checksums
archive = r"https://example\.org/rankmap-(?:%s|\$\{VERSION\}|\{self\.version\})\.tar\.gz" % re.escape(version)
zeros = {
    f"{module}/source.json": f"sha256-{base64.b64encode(bytes(32)).decode()}",
    "conan/conanfile.py": "0" * 64,
    "cpm/rankmap.cmake": "0" * 64,
    "meson/subprojects/rankmap.wrap": "0" * 64,
    "spack/spack_repo/rankmap/packages/rankmap/package.py": "0" * 64,
    "vcpkg/portfile.cmake": "0" * 128,
}
for path, text in recipes.items():
    expect(path in zeros, re.search(archive, text) is not None, f"{path}: fetches the archive")
    expect([zeros[path]] if path in zeros else [], re.findall(r"sha256-A+=|\b[0-9a-f]{64,}\b", text), f"{path}: checksums")
    for address in re.findall(r"[a-z]+://[^\s\"'<>]+", text):
        if not address.startswith("https://example.org/rankmap") and "/copyright-format/" not in address:
            complaints.append(f"{path}: an address that is not the placeholder's: {address}")

# ---- names of the tree
lists = [(tree / path).read_text() for path in ("CMakeLists.txt", "examples/rankmap/CMakeLists.txt")]
options = set(re.findall(r"option\((RANKMAP_\w+)", "".join(lists)))
targets = set(re.findall(r"add_(?:executable|library)\((rankmap_\w+|rankmap::\w+)", "".join(lists)))
for path, text in recipes.items():
    for name in set(re.findall(r"(?:\b|-D)(RANKMAP_[A-Z_]+)", text)) - options:
        complaints.append(f"{path}: there is no option {name}")
    for name in set(re.findall(r"\brankmap_program\w*|rankmap::(?!Topology)\w+", text)) - targets:
        complaints.append(f"{path}: there is no target {name}")
for path in ("include/rankmap/rankmap.hpp", "LICENSE"):
    expect(True, (tree / path).exists(), path)
for path, pattern in {
    "debian/control": r"cmake \(>= ([\d.]+)\)",
    "spack/spack_repo/rankmap/packages/rankmap/package.py": r'"cmake@([\d.]+):"',
}.items():
    expect([cmake], re.findall(pattern, recipes[path]), f"{path}: CMake")

# ---- what the tools ask for
for path, text in recipes.items():
    if path.endswith(".json"):
        json.loads(text)
port = json.loads(recipes["vcpkg/vcpkg.json"])
expect(["name", "version", "description", "homepage", "license", "dependencies"], list(port), "vcpkg/vcpkg.json: fields")
expect(["rankmap", "MIT"], [port.get("name"), port.get("license")], "vcpkg/vcpkg.json")
helpers = {"vcpkg_cmake_configure(": "vcpkg-cmake", "vcpkg_cmake_config_fixup(": "vcpkg-cmake-config"}
used = [{"name": helper, "host": True} for call, helper in helpers.items() if call in recipes["vcpkg/portfile.cmake"]]
expect(used, port["dependencies"], "vcpkg/vcpkg.json: the ports whose functions portfile.cmake calls")

source = json.loads(recipes[f"{module}/source.json"])
expect(f"rankmap-{version}", source["strip_prefix"], f"{module}/source.json")
overlay = {
    path.removeprefix(f"{module}/overlay/"): "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    for path, text in recipes.items()
    if path.startswith(f"{module}/overlay/")
}
expect(overlay, source["overlay"], f"{module}/source.json: overlay")

wrap = recipes["meson/subprojects/rankmap.wrap"]
patch = re.search("^patch_directory = (.*)$", wrap, re.M)[1]
expect(True, f"meson/subprojects/packagefiles/{patch}/meson.build" in recipes, "rankmap.wrap: patch_directory")

python = {
    "conan/conanfile.py": ("RankmapConan", "ConanFile", {"validate", "source", "package", "package_id", "package_info"}),
    "conan/test_package/conanfile.py": ("RankmapTest", "ConanFile", {"requirements", "layout", "build", "test"}),
    "spack/spack_repo/rankmap/packages/rankmap/package.py": ("Rankmap", "CMakePackage", {"cmake_args", "build_targets"}),
}
expect(sorted(python), [path for path in recipes if path.endswith(".py")], "recipes in Python")
for path, (name, base, methods) in python.items():
    body = ast.parse(recipes[path], path).body
    (made,) = [part for part in body if isinstance(part, ast.ClassDef)]
    expect((name, base), (made.name, made.bases[0].id), path)
    expect(methods, {part.name for part in made.body if isinstance(part, ast.FunctionDef)}, path)

packages = re.findall("^Package: (.*)$", recipes["debian/control"], re.M)
installed = [path.removeprefix("debian/").removesuffix(".install") for path in recipes if path.endswith(".install")]
expect(sorted(packages), installed, "debian: packages and their .install")
expect(True, os.access(folder / "debian/rules", os.X_OK), "debian/rules: executable")
expect("3.0 (quilt)\n", recipes["debian/source/format"], "debian/source/format")
licence = " ".join((tree / "LICENSE").read_text().split()).split("Permission is", 1)[1]
expect(True, licence in " ".join(recipes["debian/copyright"].replace("\n .\n", "\n").split()), "debian/copyright: the licence's text")

# ---- each of them has its place in the page
page = (tree / "docs/packaging.md").read_text()
for name in sorted({path.split("/")[0] for path in recipes}):
    expect(True, f"recipes/{name}" in page, f"docs/packaging.md: recipes/{name}")

if complaints:
    sys.exit("\n".join(complaints))
print(f"{len(recipes)} files of {version}")
