#!/usr/bin/env python3
"""The cache model beside valgrind's cachegrind, on the same release binaries.

usage: scripts/cachegrind_table.py [--quick]

Every program runs once under cachegrind with --counters none and once with
--counters model, on the same geometry. Cachegrind also sees the program start,
fill its arrays and check its result: up to 50 000 misses more are that. Exit
status 1 if a difference is larger than 0.1 % and that allowance.
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
    ("mm3", [["--size", "128"], ["--size", "256"]]),
    ("ge1", [["120"], ["240"]]),
    ("ge3", [["120"], ["240"]]),
    ("dgemm", [["ijk", "100"], ["ijk", "200"]]),
    ("dgemm", [["ikj", "100"], ["ikj", "200"]]),
    ("dgemm", [["jki", "100"], ["jki", "200"]]),
    ("dgemm", [["block-l1", "100"], ["block-l1", "200"]]),
    ("dgemm", [["recursive", "100"], ["recursive", "200"]]),
]
START_UP = 50_000
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
    """Data misses that cachegrind sees, and its seconds."""
    size, line, ways = geometry
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    tool += [f"--D1={size},{ways},{line}", "--LL=8388608,16,64"]
    _, log, seconds = run(tool + command + ["--counters", "none"])
    found = re.search(r"D1\s+misses:\s+([\d,]+)", log)
    return int(found.group(1).replace(",", "")), seconds


def figures(value, name):
    """Every value under the key `name` in a JSON document, and every figure of that name."""
    if isinstance(value, dict):
        if value.get("name") == name and "amount" in value:
            yield value["amount"]
        for key, inner in value.items():
            if key == name:
                yield inner
            yield from figures(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from figures(inner, name)


def model(command, machine):
    """Level 1 misses that the model counts, and its seconds."""
    out, _, seconds = run(command + ["--counters", "model", "--machine", machine, "--format", "json"])
    for found in figures(json.loads(out), "PAPI_L1_DCM"):
        if isinstance(found, (int, float)):
            return round(found), seconds
    for found in figures(json.loads(out), "misses_per_iteration"):
        size = int(command[-1])
        return round(sum(found.values()) * size**3), seconds
    raise RuntimeError(f"{' '.join(command)} reports no PAPI_L1_DCM")


def main():
    sizes = slice(0, 1) if "--quick" in sys.argv[1:] else slice(0, None)
    print("program\targuments\tcache\tcachegrind\tmodel\tdifference\tcachegrind s\tmodel s")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, all_arguments in PROGRAMS:
            for arguments in all_arguments[sizes]:
                for geometry in GEOMETRIES:
                    command = [os.path.join(binaries(), name)] + arguments
                    cache = f"{geometry[0] // 1024}K/{geometry[1]}/{geometry[2]}"
                    try:
                        expected, slow = cachegrind(command, geometry)
                        counted, fast = model(command, machine_file(directory, geometry))
                    except (RuntimeError, OSError) as error:
                        print(f"{name}\t{' '.join(arguments)}\t{cache}\tcould not be run: {error}")
                        failed += 1
                        continue
                    difference = expected - counted
                    wrong = not -SHARE * expected <= difference <= SHARE * expected + START_UP
                    failed += wrong
                    mark = "\tWRONG" if wrong else ""
                    print(
                        f"{name}\t{' '.join(arguments)}\t{cache}\t{expected}\t{counted}"
                        f"\t{difference}\t{slow:.2f}\t{fast:.2f}{mark}",
                        flush=True,
                    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
