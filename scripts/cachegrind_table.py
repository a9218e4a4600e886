#!/usr/bin/env python3
"""Compares the cache model with valgrind's cachegrind, on the same release binaries.

usage: scripts/cachegrind_table.py [--quick]

Each program runs under cachegrind with --counters none, twice, the second time
making one run of its kernel more: the difference is one run, without the start
of the program. It is compared with one run with --counters model on the same
geometry. Before each run the program fills its arrays, and caches are not cold
as the model's are: up to 50 000 misses are that. Exit status 1 if a difference
is larger than 0.1 % and that allowance.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

GEOMETRIES = [(32768, 64, 8), (49152, 64, 12), (16384, 32, 4)]  # size, line, ways
PROGRAMS = [
    ("mm1", [["--size", "128"], ["--size", "256"]]),
    ("mm2", [["--size", "128"], ["--size", "256"]]),
    ("mm3", [["--size", "128", "--line-size", "LINE"], ["--size", "256", "--line-size", "LINE"]]),
    ("ge1", [["120"], ["240"]]),
    ("ge3", [["120"], ["240"]]),
    ("dgemm", [["ijk", "100"], ["ijk", "200"]]),
    ("dgemm", [["ikj", "100"], ["ikj", "200"]]),
    ("dgemm", [["jki", "100"], ["jki", "200"]]),
    ("dgemm", [["block-l1", "100", "--block", "24"], ["block-l1", "200", "--block", "24"]]),
    ("dgemm", [["recursive", "64", "--base", "8"], ["recursive", "100", "--base", "8"]]),
]
FILLING = 50_000
SHARE = 0.001


def binaries():
    """The directory of the release binaries."""
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    return os.path.join(target, "release")


def machine_file(directory, geometry):
    """A description with one cache of this geometry."""
    size, line, ways = geometry
    path = os.path.join(directory, f"{size}-{line}-{ways}.toml")
    with open(path, "w") as file:
        file.write(f'name = "{size},{line},{ways}"\n\n[[cache]]\nlevel = 1\n')
        file.write(f"size = {size}\nline = {line}\nways = {ways}\n")
    return path


def run(command):
    """Output and seconds of a command that must succeed."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout, done.stderr, time.monotonic() - start


def cachegrind(command, geometry):
    """Data misses that cachegrind sees in one run of the kernel, and the
    seconds of the shorter of two programs."""
    size, line, ways = geometry
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    tool += [f"--D1={size},{ways},{line}", "--LL=8388608,16,64"]
    few = 8 if "dgemm" in command[0] else 1  # dgemm makes at least 7 runs of what is short
    misses, seconds = [], []
    for runs in (few, few + 1):
        _, log, took = run(tool + command + ["--counters", "none", "--runs", str(runs)])
        found = re.search(r"D1\s+misses:\s+([\d,]+)", log)
        misses.append(int(found.group(1).replace(",", "")))
        seconds.append(took)
    return misses[1] - misses[0], seconds[0]


def figure(value, name):
    """The first figure of that name anywhere in a JSON document."""
    if isinstance(value, dict):
        named = value if value.get("name") == name else value.get(name)
        if isinstance(named, dict) and "amount" in named:
            return named["amount"]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((found for part in inner if (found := figure(part, name)) is not None), None)


def model(command, machine):
    """Level 1 misses that the model counts, and its seconds."""
    out, _, seconds = run(command + ["--counters", "model", "--machine", machine, "--format", "json"])
    for name in ("PAPI_L1_DCM", "l1_misses"):
        found = figure(json.loads(out), name)
        if found is not None:
            return round(found), seconds
    raise RuntimeError(f"{' '.join(command)} reports no PAPI_L1_DCM")


def main():
    sizes = slice(0, 1) if "--quick" in sys.argv[1:] else slice(0, None)
    print("program\targuments\tcache\tcachegrind\tmodel\tdifference\tcachegrind s\tmodel s")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, all_arguments in PROGRAMS:
            for arguments in all_arguments[sizes]:
                for geometry in GEOMETRIES:
                    line = str(geometry[1])
                    command = [os.path.join(binaries(), name)]
                    command += [line if word == "LINE" else word for word in arguments]
                    cache = f"{geometry[0] // 1024}K/{geometry[1]}/{geometry[2]}"
                    try:
                        expected, slow = cachegrind(command, geometry)
                        counted, fast = model(command, machine_file(directory, geometry))
                    except (RuntimeError, OSError) as error:
                        print(f"{name}\t{' '.join(command[1:])}\t{cache}\tcould not be run: {error}")
                        failed += 1
                        continue
                    difference = expected - counted
                    wrong = abs(difference) > SHARE * expected + FILLING
                    failed += wrong
                    mark = "\tWRONG" if wrong else ""
                    print(
                        f"{name}\t{' '.join(command[1:])}\t{cache}\t{expected}\t{counted}"
                        f"\t{difference}\t{slow:.2f}\t{fast:.2f}{mark}",
                        flush=True,
                    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
