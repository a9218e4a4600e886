#!/usr/bin/env python3
"""Whether everybody in a whole class gets the points that are due, and what that costs.

usage: extras/course/scripts/grade_tally.py BIN [NUMBER [SEED [FOLDER]]]      (1000 students, seed 1)

BIN is a folder with lab and course (target/release). Draws machines for NUMBER students and writes what each hands in as
Moodle, Gradescope or a form would name it, with a fault of the list FAULTS drawn at random. Grades that,
completes map.csv, and grades again. Prints each student whose points are not those due, then time and memory.
Exit 1 if one is wrong. All files stay in FOLDER.
"""
import collections
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

NAMES = ["Inês Conceição", "Анна Иванова", "李小龙", "हिन्दी वर्मा", "דוד לוי", "Pat O'Brien", "Ana-Sofia Sá"]
# Three points for Figure 1, eleven more for the caches of the machine.
RIGHT, NO_GRADE = 14.0, "-"


# A process of its own: the memory of a child counts that of its parent before it begins.
MEASURE = """import os, subprocess, sys
_, status, used = os.wait4(subprocess.Popen(sys.argv[2:]).pid, 0)
open(sys.argv[1], "w").write(f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime} {used.ru_maxrss}")"""


def run(words, folder, statuses=(0,)):
    """Standard output and standard error, processor seconds, and memory in MiB."""
    with tempfile.NamedTemporaryFile("r") as used:
        done = subprocess.run([sys.executable, "-c", MEASURE, used.name, *words], cwd=folder, capture_output=True, encoding="utf-8")
        status, seconds, kibibytes = used.read().split()
    if int(status) not in statuses:
        sys.exit(f"{' '.join(words)}: {status}: {done.stderr}")
    return done.stdout, done.stderr, float(seconds), int(kibibytes) / 1024


def value(amount, unit=""):
    return {"form": "one", "value": str(amount), "to": "", "unit": unit}


class Student:
    def __init__(self, place):
        self.place = place
        # Each name begins with the one before it: s1, s1_a, s1_a_1.
        self.user = [f"s{place // 3}", f"s{place // 3}_a", f"s{place // 3}_a_1"][place % 3]
        self.name = f"{NAMES[place % len(NAMES)]} {place}"
        self.mail = f"{self.user}_{place}@example.org"
        self.machine = None
        self.due, self.reason = RIGHT, ""
        # The submission that only the map gives to this student.
        self.mapped = None
        # The number of the submission in Gradescope.
        self.number = ""

    def answers(self, wrong=False, version=2):
        fields = {"s2-2": value(64, "KiB"), "s2-3": value(16, "B"), "s2-4": value("0,6", "us")}
        for part, level in zip(["s311-c", "s312-c"], self.machine["levels"]):
            size = level["size_bytes"]
            fields |= {f"{part}-size": value(f"{size / 1024:g}", "KiB") if self.place % 2 else value(size, "B"),
                       f"{part}-line": value(level["line_bytes"], "B"), f"{part}-ways": value(level["ways"])}
        if wrong:
            fields = {field: value(1, "B") for field in fields}
        fields |= {"student-1-number": str(self.place), "student-1-name": self.name, "spec-comment": "They agree. " * 20}
        return json.dumps({"format": "cache-lab-answers", "version": version, "saved": "2026-03-01T10:00:00Z", "fields": fields})


class Collected:
    """The folder of submissions, and what systems say next to it."""

    def __init__(self, folder, drawn, report):
        self.folder, self.random, self.report = folder, drawn, report
        self.rows, self.count = [], 0

    def write(self, place, content):
        path = self.folder / "handed-in" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def place(self, student):
        """A folder as one of the systems calls it."""
        self.count += 1
        style = self.random.choice(["user", "moodle", "gradescope"])
        if style == "moodle":
            return f"{student.name}_{5000 + student.place}_assignsubmission_file_"
        if style == "gradescope":
            student.number = str(self.count)
            return f"submission_{self.count}"
        return student.user


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def encrypted(content):
    archive = bytearray(zipped({"answers.json": content}))
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.find(sign) + flags] |= 1
    return bytes(archive)


# Each fault writes what `student` hands in.
def right(student, to):
    """What lab handin packs: a page, answers, records."""
    to.write(f"{to.place(student)}/report.zip", zipped({"answers.json": student.answers()} | to.report))


def nothing(student, to):
    student.due, student.reason = 0.0, "Nothing was handed in"


def nested(student, to):
    to.write(f"{to.place(student)}/all.zip", zipped({"report.zip": zipped({"answers.json": student.answers()})}))


def odd_file(student, to):
    text = student.answers()
    page = f'<html><script type="application/json" id="answers">{text}</script></html>'
    name, content = to.random.choice([
        ("answers.json.txt", text), ("ANSWERS (2).json", b"\xef\xbb\xbf" + text.encode()), ("answers.json", text.encode("utf-16")),
        ("report.html", page), ("a/b/c/d/e/f/answers.json", text), ("work.bin", zipped({"x/answers.json": text}))])
    to.write(f"{to.place(student)}/{name}", content)


def row(student, to):
    levels = student.machine["levels"]
    cells = {"s2-2": "64 KiB", "s2-3": "16 B", "s2-4": "600 ns"}
    for part, level in zip(["s311-c", "s312-c"], levels):
        cells |= {f"{part}-size": f"{level['size_bytes']} B", f"{part}-line": f"{level['line_bytes']} B", f"{part}-ways": str(level["ways"])}
    to.rows.append({"username": student.user} | cells)


def unnamed(student, to):
    """A folder that is called nearly as the student is, or not at all."""
    to.count += 1
    student.mapped = to.random.choice([f"{student.user}_", f"upload {to.count}", f"Team {to.count}-{student.name}"])
    to.write(f"{student.mapped}/answers.json", student.answers())


def versions(student, to):
    for name in (student.user, student.mail, student.name):
        to.write(f"{name}.json", student.answers(name != student.mail))
    student.due, student.reason = NO_GRADE, "there are 3 submissions"


def twice(student, to):
    to.write(f"{student.user}/answers.json", student.answers())
    to.write(f"{student.user}.json", student.answers(True))
    student.due, student.reason = NO_GRADE, "there are 2 submissions"


def old_format(student, to):
    to.write(f"{to.place(student)}/answers.json", student.answers(version=1))
    student.due, student.reason = NO_GRADE, "version 1"


def locked(student, to):
    to.write(f"{to.place(student)}/report.zip", encrypted(student.answers()))
    student.due, student.reason = NO_GRADE, "Password required"


def document(student, to):
    to.write(f"{to.place(student)}/report.pdf", "%PDF")
    student.due, student.reason = NO_GRADE, "Not read: report.pdf"


def hostile(student, to):
    """Right answers, with other files that would take hours or all memory to read."""
    place = to.place(student)
    to.write(f"{place}/report/answers.json", student.answers())
    what = to.random.randrange(6)
    if what == 0:
        for number in range(500):
            with open(to.write(f"{place}/{number}.json", ""), "wb") as file:
                file.truncate(32 << 20)
    elif what == 1:
        for number in range(3000):
            to.write(f"{place}/many/{number}.json", "")
    elif what == 2:
        to.write(f"{place}/a.json", b"{" + b" " * (31 << 20))
    elif what == 3:
        to.write(f"{place}/bomb.zip", zipped({f"{number}.html": b" " * (12 << 20) for number in range(8)}))
    elif what == 4:
        to.write(f"{place}/deep.json", b"[" * 4_000_000)
        to.write(f"{place}/wide.json", b'{"rows":[' + b"{}," * 1_200_000 + b"{}]}")
    else:
        os.mkfifo(to.folder / "handed-in" / place / "pipe.json")
        os.symlink("/etc/passwd", to.folder / "handed-in" / place / "passwd.json")


# How often each fault is drawn.
FAULTS = {right: 60, nothing: 3, nested: 3, odd_file: 8, row: 4, unnamed: 6, versions: 4, twice: 1, old_format: 1, locked: 1,
          document: 1, hostile: 4}


def main():
    if len(sys.argv) < 2 or not all(word.isdigit() for word in sys.argv[2:4]):
        sys.exit(__doc__)
    programs, number, seed = Path(sys.argv[1]).resolve(), *(int(word) for word in (sys.argv[2:4] + ["1000", "1"][len(sys.argv[2:4]):]))
    drawn, tally = random.Random(seed), collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        students = [Student(at) for at in range(number)]

        def roster():
            lines = [f"{one.user},{one.name},{one.mail},{one.number}" for one in students]
            (folder / "class.csv").write_text("\n".join(["username,name,email,Submission ID", *lines, ""]))

        roster()
        lab, course = str(programs / "lab"), str(programs / "course")
        run([course, "mystery", "--roster", "class.csv", "--name-column", "email"], folder)
        machines = {machine["name"]: machine for machine in json.loads((folder / "machines-key.json").read_text())["machines"]}
        for student in students:
            student.machine = machines[student.mail]
        # One report for all: its records are of another student's machine for most.
        run([lab, "run", "--quick", "--hasten", "1000", "--machine", f"machines/{students[0].machine['file']}"], folder)
        files = [folder / "report" / "report.html", *sorted((folder / "report" / "records").glob("*.json"))]
        to = Collected(folder, drawn, {str(file.relative_to(folder / "report")): file.read_bytes() for file in files})
        for student in students:
            fault = drawn.choices(list(FAULTS), FAULTS.values())[0]
            tally[fault.__name__] += 1
            fault(student, to)
        roster()
        with open(folder / "forms.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, ["username", *sorted({column for line in to.rows for column in line} - {"username"})])
            writer.writeheader()
            writer.writerows(to.rows)
        grade = [course, "grade", "--roster", "class.csv", *(word for name in ("username", "name", "email") for word in ("--name-column", name)),
                 "--key", "machines-key.json"]
        run([*grade, "--output", "of-form", "forms.csv"], folder)
        grade.append("handed-in")
        run(grade, folder, (0, 1))
        owners = {student.mapped: student.user for student in students if student.mapped}
        if owners:
            rows = list(csv.DictReader((folder / "grades" / "map.csv").open()))
            for line in rows:
                line["student"] = owners.pop(line["submission"])
            with open(folder / "grades" / "map.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
        _, _, seconds, memory = run(grade, folder)
        notes = (folder / "grades" / "notes.txt").read_text().splitlines()
        lines = {line["username"]: line for line in csv.DictReader((folder / "grades" / "grades.csv").open())}
        in_rows = {line["username"] for line in to.rows}
        for line in csv.DictReader((folder / "of-form" / "grades.csv").open()):
            if line["username"] in in_rows:
                lines[line["username"]] = line
        refused = "\n".join(line for line in notes if line.startswith("no grade: "))
        wrong = len(owners)
        for student in students:
            line = lines[student.user]
            points = student.due if student.due == NO_GRADE else f"{student.due:g}"
            named = student.due != NO_GRADE or f"'{student.user}': " in refused
            if line["points"] != points or student.reason not in line["notes"] or not named:
                wrong += 1
                print(f"{student.user}: {points} points and '{student.reason}' are due, not {line['points']} and '{line['notes']}'")
        print(f"faults {dict(tally)}")
        print(f"{number} students, seed {seed}: {wrong} wrong; {seconds:.2f} s of processor time, {memory:.0f} MiB")
        sys.exit(wrong > 0)


main()
