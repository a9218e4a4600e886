#!/usr/bin/env python3
"""Checks that `cargo run -p PROGRAM` after `cargo build` compiles no library again: the features of each crate are the
same for a program alone as for the whole kit.

usage: scripts/features.py

Needs cargo (no network) and Python's standard library.
"""
import os
import subprocess
import sys

# What the handouts run. The libraries that they share are those of the default build.
PROGRAMS = "spark cm1 mm1 mm2 mm3 ge dgemm flops avail lab exercises".split()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def crates(*options):
    """All crates of a build, each with its version and features."""
    tree = ["cargo", "tree", "--locked", "--offline", "-e", "normal,build", "--prefix", "none", "-f", "{p} [{f}]"]
    lines = subprocess.run([*tree, *options], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.removesuffix(" (*)") for line in lines if line}


kit = crates()
wrong = {program: sorted(crates("-p", program) - kit) for program in PROGRAMS}
wrong = {program: [crate for crate in found if not crate.startswith(program + " ")] for program, found in wrong.items()}
for program, found in wrong.items():
    for crate in found:
        print(f"{program}: {crate} has other features than in the whole kit")
sys.exit("features.py: unify them in the workspace's Cargo.toml" if any(wrong.values()) else 0)
