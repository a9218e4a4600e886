#!/usr/bin/env python3
"""Whether the handout's commands identify every machine of a class.

usage: extras/course/scripts/mystery_tally.py BIN NUMBER [OPTION OF course mystery ...]

BIN is a folder with course, discover, cm1 and spark (target/release). Draws machines for
NUMBER students, gives each sealed file to the commands of extras/course/instructors.md, has
`discover infer` read what they print, and compares that with the key.
Prints a line for each machine that was not read exactly, then the tally. Exit 1
if one was read wrong, or left open.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HANDOUT = Path(__file__).parent.parent / "instructors.md"


def commands():
    """The handout's lines for `--machine ada.toml`, as words."""
    lines = re.findall(r"^((?:cm1|spark) --machine ada\.toml .*)", HANDOUT.read_text(), re.M)
    found = [line.split("#")[0].split() for line in lines]
    assert [words[0] for words in found] == ["cm1", "cm1", "spark"], found
    return found


def run(words, folder, into=None):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if into:
        (folder / into).write_text(done.stdout)
    return done


def read(folder, discover, rows, *above):
    return json.loads(run([discover, "infer", rows, *above, "--format", "json"], folder).stdout)


def verdict(found, drawn):
    """exact, exact if the level is not exclusive of the one before it, open, or wrong."""
    if found["verdict"] != "ok":
        return "open"
    holds = (
        found["size"] <= drawn["size_bytes"] <= found["size_most"]
        and found["line"] == drawn["line_bytes"]
        and found["ways_least"] <= drawn["ways"] <= found["ways_most"]
    )
    exact = found["size"] == found["size_most"] and found["ways"] == drawn["ways"]
    largest = [found["size_most"], found["ways_most"]] == [drawn["size_bytes"], drawn["ways"]]
    return "wrong" if not holds else "exact" if exact else "not exclusive" if largest else "open"


def main():
    if len(sys.argv) < 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    programs, number = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "class.csv").write_text("name\n" + "".join(f"student {i}\n" for i in range(number)))
        (folder / "secret.txt").write_text("spring of twenty-six\n")
        course, discover = str(programs / "course"), str(programs / "discover")
        made = run(
            [course, "mystery", "--key-file", "secret.txt", "--roster", "class.csv", *sys.argv[3:]], folder
        )
        if made.returncode:
            sys.exit(made.stderr)
        key = json.loads((folder / "machines-key.json").read_text())["machines"]
        print(f"{len({json.dumps(m['levels']) for m in key})} of {number} machines distinct")
        tally = {"exact": 0, "not exclusive": 0, "open": 0, "wrong": 0}
        for machine in key:
            file = f"machines/{machine['file']}"
            for words, into in zip(commands(), ["l1.out", "l2.out", "spark.out"]):
                words = [file if word == "ada.toml" else word for word in words]
                done = run([str(programs / words[0]), *words[1:]], folder, into)
                if done.returncode:
                    sys.exit(f"{machine['name']}: {' '.join(words)}: {done.stderr}")
            found = [read(folder, discover, "l1.out"), read(folder, discover, "l2.out", "--above", "l1.out")]
            for level, (one, drawn) in enumerate(zip(found, machine["levels"]), 1):
                result = verdict(one, drawn)
                tally[result] += 1
                if result in ("open", "wrong"):
                    print(f"{machine['name']}, level {level}: {result}: {one} for {drawn}", flush=True)
    minutes = (time.monotonic() - began) / 60
    print(f"{number} machines, levels {tally}, {minutes:.1f} minutes")
    sys.exit(tally["open"] + tally["wrong"] > 0)


main()
