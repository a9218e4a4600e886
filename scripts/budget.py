#!/usr/bin/env python3
"""Checks that no room has more lines of Rust, tests included, than scripts/budget.tsv allows.

usage: scripts/budget.py [--lower]

A room is the files that begin with one of its prefixes and with none of a row above it.
--lower writes the lines that a room has into its row where they are fewer than allowed.
"""
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("budget.tsv")
ROOT = TABLE.parent.parent

head, *rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
lines = {row[0]: 0 for row in rows}
bad = []
for name in subprocess.check_output(["git", "ls-files", "-z", "*.rs"], cwd=ROOT, text=True).split("\0"):
    if not (name and (ROOT / name).exists()):
        continue
    room = next((row[0] for row in rows if name.startswith(tuple(row[2].split()))), None)
    if room is None:
        bad.append(f"{name} is in no room of scripts/budget.tsv")
    else:
        lines[room] += (ROOT / name).read_bytes().count(b"\n")
for row in rows:
    if lines[row[0]] > int(row[1]):
        bad.append(f"{row[0]} has {lines[row[0]]} lines of Rust, its budget is {row[1]}: remove some, or raise it and say why")
    elif "--lower" in sys.argv:
        row[1] = str(lines[row[0]])
if "--lower" in sys.argv:
    TABLE.write_text("".join("\t".join(row) + "\n" for row in [head, *rows]))
kit = sum(n for room, n in lines.items() if not room.startswith("extras"))
print(f"{sum(lines.values())} lines of Rust, {kit} of them in the kit; allowed {sum(int(row[1]) for row in rows)}")
sys.exit("\n".join(bad) or 0)
