#!/usr/bin/env python3
"""How long a whole class takes to grade, and whether everybody gets what is due.

usage: scripts/grade_tally.py BIN [NUMBER [FOLDER]]      (300 students)

BIN is a folder with lab and cm1 (target/release). Draws machines for NUMBER
students with names in five scripts, `<script>` and `=cmd()` among them; writes
what each hands in: right answers in bytes or in KiB with a record of the own
machine, one of somebody else's machine, one wrong and then one right, one
nothing; grades all that for every system. Prints each student whose points are
not those due, the seconds, and the files of each system. Exit 1 if points are
wrong. FOLDER keeps everything, for the systems' own readers.
"""
import collections
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ["Inês Conceição", "Анна Иванова", "李小龙", "हिन्दी वर्मा", "דוד לוי"]
SYSTEMS = ["gradescope", "prairielearn", "autolab", "check50", "classroom50"]
# What Classroom 50's runner tells.
RUNNER = dict(CLASSROOM="spring", ASSIGNMENT="caches", OWNER="ada", SUBMISSION_TAG="submit/2026-03-01T10-00-00Z-0123abc",
              COMMIT_URL="https://example.org/commit", RELEASE_URL="https://example.org/release")
FIGURE_1 = {"s2-2": "64 KiB", "s2-3": "16 bytes", "s2-4": "0.6 µs"}
# Eleven points for the caches of the machine, three for Figure 1.
RIGHT = 14.0


def answers(machine, write, saved="2026-03-01T10:00:00Z"):
    fields = dict(FIGURE_1)
    for part, level in zip(["s311-c", "s312-c"], machine["levels"]):
        fields |= {f"{part}-size": write(level["size_bytes"]), f"{part}-line": f"{level['line_bytes']} B",
                   f"{part}-ways": str(level["ways"])}
    return {"format": "cache-lab-answers", "version": 1, "saved": saved, "fields": fields}


def in_kib(size):
    return f"{size / 1024:g} KiB"


def in_bytes(size):
    return f"{size} bytes"


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=os.environ | RUNNER)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def hand_in(folder, programs, key):
    """What each student hands in; the points due and a word that the feedback must have, by name."""
    due = {}
    for number, machine in enumerate(key):
        place = folder / "handed-in" / f"submission {number:04}"
        whose, points, told = machine, RIGHT, ""
        if number == 7:
            due[machine["name"]] = (0.0, "Nothing was handed in")
            continue
        place.mkdir(parents=True)
        if number == 8:
            told = "2 submissions"
            wrong = answers(key[0], in_kib, "2026-03-01T09:00:00Z")
            wrong["fields"]["student-1-name"] = machine["name"]
            (folder / "handed-in" / "earlier.json").write_text(json.dumps(wrong))
        if number == 9:
            whose, told = key[0], f"machine of {key[0]['name']}"
        page = answers(machine, in_kib if number % 2 else in_bytes)
        page["fields"]["student-1-name"] = machine["name"]
        (place / "answers.json").write_text(json.dumps(page))
        run([str(programs / "cm1"), "--machine", f"machines/{whose['file']}", "--max", "8K", "--repeats", "1",
             "--record", str(place / "cm1.json")], folder)
        due[machine["name"]] = (points, told)
    return due


def worksheet(names):
    header = "Identifier,Full name,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade),Feedback comments"
    rows = [f'Participant {4000 + number},"{name}",Submitted for grading,,20.00,Yes,-,' for number, name in enumerate(names)]
    return "\n".join([header, *rows, ""])


def main():
    if len(sys.argv) < 2 or not all(word.isdigit() for word in sys.argv[2:3]):
        sys.exit(__doc__)
    programs, number = Path(sys.argv[1]).resolve(), int((sys.argv[2:3] or ["300"])[0])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        names = ["<script>", "=cmd()"] + [f"{NAMES[at % len(NAMES)]} {at}" for at in range(number - 2)]
        (folder / "class.csv").write_text("name\n" + "".join(f"{name}\n" for name in names))
        (folder / "secret.txt").write_text("spring of twenty-six\n")
        lab = str(programs / "lab")
        run([lab, "mystery", "--key-file", "secret.txt", "--roster", "class.csv"], folder)
        key = json.loads((folder / "machines-key.json").read_text())["machines"]
        due = hand_in(folder, programs, key)
        (folder / "worksheet.csv").write_text(worksheet(names))
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        table = run([lab, "grade", "--roster", "class.csv", "--key", "machines-key.json", "--out", "grades",
                     *(word for system in SYSTEMS for word in ("--as", system)), "--worksheet", "worksheet.csv", "handed-in"], folder)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        wrong = 0
        rows = {row[2]: row for row in (line.split("\t") for line in table.splitlines()) if len(row) > 2}
        for name, (points, told) in due.items():
            row = rows.get(name, ["", "", "", ""])
            if row[0] != f"{points:g}" or told not in "\t".join(row):
                wrong += 1
                print(f"{name}: {points:g} points and '{told}' are due, not {row}")
        written = collections.Counter(path.parts[-3] for path in (folder / "grades").glob("*/*/*"))
        print(f"{number} students, {wrong} wrong, {wall:.2f} s, {after.ru_utime - before.ru_utime:.2f} s of it user, "
              f"{after.ru_stime - before.ru_stime:.2f} s system; files {dict(written)}")
        sys.exit(wrong > 0)


main()
