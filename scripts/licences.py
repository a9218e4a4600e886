#!/usr/bin/env python3
"""Each dependency's licence is one that deny.toml allows, and comes from the registry.

usage: scripts/licences.py

Needs cargo and Python 3.11; no network. What advisories say is asked by `cargo deny check`.
"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
allowed = set(tomllib.loads((root / "deny.toml").read_text())["licenses"]["allow"])
metadata = subprocess.run(
    ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"], cwd=root, capture_output=True
)
if metadata.returncode:
    # It needs the crates of every system, also those that this build did not need.
    print("note: licences are not checked:", metadata.stderr.decode().strip().splitlines()[0])
    sys.exit(0)


def allows(expression):
    """Whether an SPDX expression leaves a choice that is allowed (an old `/` is an OR)."""
    words = {"OR": " or ", "AND": " and ", "(": "(", ")": ")"}
    parts = re.findall(r"\(|\)|\bOR\b|\bAND\b|[A-Za-z0-9.+-]+(?: WITH [A-Za-z0-9.-]+)?", expression.replace("/", " OR "))
    return eval("".join(words.get(part, str(part in allowed)) for part in parts))  # True, False, or, and, brackets


wrong = []
packages = [p for p in json.loads(metadata.stdout)["packages"] if p["source"]]
for package in packages:
    name = f"{package['name']} {package['version']}"
    if not package["source"].startswith("registry+https://github.com/rust-lang/crates.io-index"):
        wrong.append(f"{name} comes from {package['source']}")
    if not package["license"] or not allows(package["license"]):
        wrong.append(f"{name} is under {package['license'] or 'no licence that it names'}, which deny.toml does not allow")
print("\n".join(wrong) or f"{len(packages)} dependencies: every licence is allowed")
sys.exit(bool(wrong))
