#!/usr/bin/env python3
"""Lists dependencies that a crate of the workspace names and its sources do not.

usage: scripts/unused.py

Needs cargo (no network) and Python's standard library.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENTS = re.compile(r"//[^\n]*")

metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
packages = json.loads(subprocess.run(metadata, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
folders = {pathlib.Path(package["manifest_path"]).parent for package in packages}
unused = []
for package in packages:
    home = pathlib.Path(package["manifest_path"]).parent
    # A crate's folder may have another crate in it.
    files = [file for file in home.rglob("*.rs") if next(up for up in file.parents if up in folders) == home]
    code = {file: COMMENTS.sub("", file.read_text(encoding="utf-8")) for file in files}
    for needed in package["dependencies"]:
        name = (needed["rename"] or needed["name"]).replace("-", "_")
        mention = re.compile(rf"(?<![\w:.])(?:::)?{name}\s*::|\b(?:use|crate) (?:::)?{name}\b")
        tests = needed["kind"] == "dev"
        within = (text for file, text in code.items() if tests or file.relative_to(home).parts[0] != "tests")
        if not any(map(mention.search, within)):
            unused.append(f"{package['name']}: {needed['name']} ({needed['kind'] or 'normal'})")
print("\n".join(unused), end="\n" if unused else "")
sys.exit(f"unused.py: {len(unused)} unused dependencies" if unused else 0)
