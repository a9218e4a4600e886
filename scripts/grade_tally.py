#!/usr/bin/env python3
"""Whether everybody in a whole class gets the points that are due, and what that costs.

usage: scripts/grade_tally.py BIN [NUMBER [SEED [FOLDER]]]      (1000 students, seed 1)

BIN is a folder with lab and cm1 (target/release). Draws machines for NUMBER students, whose user
names, numbers, names and addresses resemble each other, and writes what each hands in as Moodle,
Autolab, Gradescope, a table or nobody would name it, with a fault of the list FAULTS drawn at random.
Grades that for every system, and a worksheet with faults of its own. Prints each student whose points
are not those due and who is not refused by name, then time and memory. Exit 1 if one is wrong.
All files stay in FOLDER.
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
import time
import zipfile
from pathlib import Path

NAMES = ["Inês Conceição", "Анна Иванова", "李小龙", "हिन्दी वर्मा", "דוד לוי", "Pat O'Brien", "Ana-Sofia Sá"]
SYSTEMS = ["gradescope", "prairielearn", "autolab", "check50", "classroom50"]
# What Classroom 50's runner sets.
RUNNER = dict(CLASSROOM="spring", ASSIGNMENT="caches", OWNER="ada", SUBMISSION_TAG="submit/2026-03-01T10-00-00Z-0123abc",
              COMMIT_URL="https://example.org/commit", RELEASE_URL="https://example.org/release")
FIGURE_1 = {"s2-2": "64 KiB", "s2-3": "16 bytes", "s2-4": "0.6 µs"}
# Three points for Figure 1, eleven more for the caches of the machine.
FIGURE, RIGHT = 3.0, 14.0
REFUSED = "-"


def run(words, folder):
    """Standard output and standard error, processor seconds, and memory in MiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, cwd=folder, stdout=out, stderr=err, env=os.environ | RUNNER)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = [(stream.seek(0), stream.read().decode())[1] for stream in (out, err)]
    if child.returncode:
        sys.exit(f"{' '.join(words)}: {child.returncode}: {texts[1]}")
    return *texts, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Student:
    def __init__(self, place):
        self.place = place
        base = f"s{place // 3}"
        # Each name begins with the one before it: s1, s1_a, s1_a_1.
        self.user = [base, f"{base}_a", f"{base}_a_1"][place % 3]
        self.number = f"{place:05}" if place % 2 else f"1{place}"
        self.name = f"{NAMES[place % len(NAMES)]} {place}"
        self.mail = f"{self.user}_{place}@example.org"
        self.machine = None
        self.due, self.reason = RIGHT, ""
        # Whether the worksheet has to decide, which may lack the row that does.
        self.or_refused = False

    def answers(self, wrong=False, fields=None, saved="2026-03-01T10:00:00Z", **signed):
        if fields is None:
            fields = dict(FIGURE_1)
            for part, level in zip(["s311-c", "s312-c"], (self.machine or {"levels": []})["levels"]):
                size = level["size_bytes"]
                fields |= {f"{part}-size": f"{size / 1024:g} KiB" if self.place % 2 else f"{size} bytes",
                           f"{part}-line": f"{level['line_bytes']} B", f"{part}-ways": str(level["ways"])}
        if wrong:
            fields = {field: "1 B" for field in fields}
        fields = fields | {key.replace("_", "-"): text for key, text in signed.items()}
        return json.dumps({"format": "cache-lab-answers", "version": 2, "saved": saved, "fields": fields})


class Collected:
    """The folder of submissions, and what systems say next to it."""

    def __init__(self, folder, random):
        self.folder, self.random = folder, random
        self.metadata, self.rows = ["---"], []
        self.count = 0

    def write(self, place, content, seconds=1_772_360_000):
        path = self.folder / "handed-in" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (seconds, seconds))
        return path

    def place(self, student):
        """A folder as one of the systems calls it."""
        self.count += 1
        style = self.random.choice(["user", "number", "moodle", "team", "autolab", "gradescope"])
        name = student.name.replace("'", "")
        if style == "moodle":
            return f"{name}_{5000 + student.place}_assignsubmission_file_"
        if style == "team":
            # "Jean-Luc Martin" may be no team: without the worksheet's number it is refused
            student.or_refused = True
            return f"Team {self.count}-{name}_{5000 + student.place}_assignsubmission_file"
        if style == "autolab":
            return f"{student.mail}_{self.random.randint(1, 12)}_handin"
        if style == "gradescope":
            self.metadata += [f"submission_{self.count}:", "  :submitters:", f"  - :name: {student.name}",
                              f"    :sid: '{student.number}'", f"    :email: {student.mail}"]
            return f"submission_{self.count}"
        return student.user if style == "user" else student.number


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


# Each fault writes what `student` hands in; `other` is a student of whom nothing else is drawn.
def right(student, other, to):
    to.write(f"{to.place(student)}/answers.json", student.answers())


def nothing(student, other, to):
    student.due, student.reason = 0.0, "Nothing was handed in"


def packed(student, other, to):
    to.write(f"{to.place(student)}/report.zip", zipped({"report/answers.json": student.answers(), "report/records/x.json": "{}"}))


def odd_file(student, other, to):
    text = student.answers()
    page = f'<html><script type="application/json" id="answers">{text}</script></html>'
    name, content = to.random.choice([
        ("answers.json.txt", text), ("ANSWERS (2).json", b"\xef\xbb\xbf" + text.encode()), ("answers.json", text.encode("utf-16")),
        ("report.html", page), ("a/b/c/d/e/f/answers.json", text)])
    to.write(f"{to.place(student)}/{name}", content)


def table(student, other, to):
    lines = ["sep=;", "field;answer"] + [f"{field};{text}" for field, text in json.loads(student.answers())["fields"].items()]
    to.write(f"{to.place(student)}/answers.csv", "\r\n".join(lines))


def row(student, other, to):
    to.rows.append({"user": student.user} | json.loads(student.answers())["fields"])


def signed(student, other, to):
    to.count += 1
    to.write(f"upload {to.count}/answers.json", student.answers(student_1_number=student.number, student_2_name=other.name))
    nothing(other, student, to)


def signed_twice(student, other, to):
    for wrong in (False, True):
        to.count += 1
        to.write(f"upload {to.count}/answers.json", student.answers(wrong, student_1_number=student.number))
    student.due, student.reason = REFUSED, "are signed by this student"


def signed_by_two(student, other, to):
    to.count += 1
    to.write(f"upload {to.count}/answers.json", student.answers(student_1_number=student.number, student_1_name=other.name))
    for one in (student, other):
        one.due, one.reason = REFUSED, "do not name one student"


def stolen(student, other, to):
    """Somebody signs for the student, with a clock of the far future."""
    right(student, other, to)
    to.write(f"{to.place(other)}/answers.json", other.answers(True, saved="9999-01-01T00:00:00Z", student_1_name=student.name,
                                                              student_2_number=student.number))
    other.due = 0.0


def later(student, other, to):
    to.write(f"{student.user}.json", student.answers(True, saved="2026-03-09T10:00:00Z"), 1_000_000_000)
    to.write(f"{student.user}/answers.json", student.answers())
    student.reason = "2 submissions"


def versions(student, other, to):
    for version in (9, 10, 1):
        to.write(f"{student.mail}_{version}_hand_in.json", student.answers(version != 10))
    student.reason = "3 submissions"


def participants(student, other, to):
    for number in (1, 2):
        to.write(f"{student.name}_{9000 + 10 * student.place + number}_assignsubmission_file_/answers.json".replace("'", ""),
                 student.answers(number == 1))
    student.due, student.reason = REFUSED, "Two participants in Moodle have this name"


def display_name(student, other, to):
    """A student whose shown name ends in that of another: the worksheet's number decides."""
    name = f"{other.name}-{student.name}".replace("'", "")
    to.write(f"{name}_{5000 + other.place}_assignsubmission_file_/answers.json", other.answers(True))
    other.due = 0.0
    nothing(student, other, to)
    student.or_refused = other.or_refused = True


def almost(student, other, to):
    """A folder that is called nearly as the student is."""
    to.write(f"{student.user}_/answers.json", student.answers())
    nothing(student, other, to)


def partners(student, other, to):
    fields = dict(FIGURE_1)
    to.write(f"{to.place(student)}/answers.json", student.answers(fields=fields, student_2_name=other.name))
    to.write(f"{to.place(other)}/answers.json", other.answers(fields={}, student_2_number=student.number))
    student.due = other.due = FIGURE
    other.reason = "Handed in by a partner"


def one_sided(student, other, to):
    to.write(f"{to.place(student)}/answers.json", student.answers(student_2_number=other.number))
    nothing(other, student, to)


def foreign(student, other, to):
    place = to.place(student)
    to.write(f"{place}/answers.json", student.answers())
    to.write(f"{place}/cm1.json", (to.folder / "other.json").read_bytes())
    student.reason = "another student"
    right(other, student, to)


def locked(student, other, to):
    to.write(f"{to.place(student)}/report.zip", encrypted(student.answers()))
    student.due, student.reason = 0.0, "encrypted"


def nested(student, other, to):
    to.write(f"{to.place(student)}/all.zip", zipped({"report.zip": zipped({"answers.json": student.answers()})}))
    student.due, student.reason = 0.0, "an archive within"


def hostile(student, other, to):
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
        to.write(f"{place}/a.csv", b"field,answer\n" + b"," * (31 << 20))
    elif what == 3:
        to.write(f"{place}/bomb.zip", zipped({f"{number}.html": b" " * (12 << 20) for number in range(8)}))
    elif what == 4:
        to.write(f"{place}/deep.json", b"[" * 4_000_000)
        to.write(f"{place}/wide.json", b'{"rows":[' + b"{}," * 1_200_000 + b"{}]}")
    else:
        os.mkfifo(to.folder / "handed-in" / place / "pipe.json")
        os.symlink("/etc/passwd", to.folder / "handed-in" / place / "passwd.json")


# How often each fault is drawn.
FAULTS = {right: 40, nothing: 3, packed: 8, odd_file: 8, table: 4, row: 4, signed: 4, signed_twice: 1, signed_by_two: 1, stolen: 4,
          later: 4, versions: 4, participants: 1, display_name: 1, almost: 1, partners: 3, one_sided: 2, foreign: 3, locked: 1,
          nested: 1, hostile: 4}


def hand_in(students, late, to, tally):
    free = list(students)
    to.random.shuffle(free)
    while free:
        student = free.pop()
        if student in late:
            to.write(f"{student.user}/answers.json", student.answers())
            student.due, student.reason = REFUSED, "The key has no machine of this student"
            continue
        fault = to.random.choices(list(FAULTS), FAULTS.values())[0]
        other = next((one for one in reversed(free) if one not in late), None)
        if other is None:
            fault = right
        before = (other.due, other.reason) if other else None
        tally[fault.__name__] += 1
        fault(student, other, to)
        if fault in (signed, signed_by_two, stolen, display_name, partners, one_sided, foreign):
            free.remove(other)
        else:
            assert before is None or (other.due, other.reason) == before
    to.write("submission_metadata.yml", "\n".join(to.metadata) + "\n")
    columns = ["user"] + sorted({column for line in to.rows for column in line} - {"user"})
    with open(to.folder / "forms.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(to.rows)


def worksheet(students, drawn):
    """Moodle's worksheet, and a word for each student whose row cannot be filled."""
    lines, faults = ["Identifier;Full name;ID number;City;Grade;Maximum Grade;Grade can be changed;Feedback comments"], {}
    for student in students:
        city = drawn.choice([drawn.choice(students).number, "Porto", '"a\n;b"', student.number])
        cells = [f"Participant {5000 + student.place}", student.name, student.number, city, "", "20,00", "Yes", ""]
        fault = drawn.choices(["", "twice", "short", "locked", "scale", "missing"], [200, 1, 1, 1, 1, 1])[0]
        if fault == "missing":
            faults[student.user] = fault
            continue
        if fault == "short":
            cells = cells[:3]
        if fault == "locked":
            cells[6] = "No"
        if fault == "scale":
            cells[5] = "-"
        lines += [";".join(cells)] * (2 if fault == "twice" else 1)
        if fault:
            faults[student.user] = fault
    return "\ufeff" + "\r\n".join(lines) + "\r\n", faults


def check_worksheet(students, faults, folder, messages):
    before, after = ((folder / name).read_bytes().decode() for name in ("worksheet.csv", "grades/moodle.csv"))
    old, new = (list(csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=";")) for text in (before, after))
    of_number = {student.number: student for student in students}
    wrong = 0
    for was, now in zip(old[1:], new[1:], strict=True):
        student = of_number[was[2]]
        filled = len(was) > 4 and student.user not in faults and student.due != REFUSED
        good = was[:4] == now[:4] and was[5:7] == now[5:7]
        grade = f"{student.due:.2f}".replace(".", ",") if filled else (was[4] if len(was) > 4 else None)
        good &= len(was) == len(now) and (now[4] if len(now) > 4 else None) == grade
        if student.user in faults and student.due != REFUSED:
            good &= f"'{student.user}'" in messages
        if not good:
            wrong += 1
            print(f"worksheet: {student.user}: {grade} is due, not {now[:7]}")
    return wrong


def main():
    if len(sys.argv) < 2 or not all(word.isdigit() for word in sys.argv[2:4]):
        sys.exit(__doc__)
    programs, number, seed = Path(sys.argv[1]).resolve(), *(int(word) for word in (sys.argv[2:4] + ["1000", "1"][len(sys.argv[2:4]):]))
    drawn, tally = random.Random(seed), collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        students = [Student(at) for at in range(number)]
        late = set(drawn.sample(students, number // 200))
        lines = [f"{one.user},{one.number},{one.name},{one.mail},{drawn.choice(students).user}" for one in students]
        (folder / "class.csv").write_text("\n".join(["username,number,full name,e-mail,city", *lines, ""]))
        # The key is made by another column than the class is graded by.
        (folder / "keyed.csv").write_text("\n".join(["email", *(one.mail for one in students if one not in late), ""]))
        (folder / "secret.txt").write_text("spring of twenty-six\n")
        lab = str(programs / "lab")
        run([lab, "mystery", "--key-file", "secret.txt", "--roster", "keyed.csv", "--name-column", "email"], folder)
        machines = {machine["name"]: machine for machine in json.loads((folder / "machines-key.json").read_text())["machines"]}
        for student in students:
            student.machine = machines.get(student.mail)
        first = next(iter(machines.values()))
        run([str(programs / "cm1"), "--machine", f"machines/{first['file']}", "--max", "8K", "--repeats", "1", "--record", "other.json"],
            folder)
        to = Collected(folder, drawn)
        hand_in([one for one in students if one.mail != first["name"]], late, to, tally)
        own = next(one for one in students if one.mail == first["name"])
        right(own, None, to)
        to.write("submission_metadata.yml", "\n".join(to.metadata) + "\n")
        text, faults = worksheet(students, drawn)
        (folder / "worksheet.csv").write_bytes(text.encode())
        grade = [lab, "grade", "--roster", "class.csv", "--name-column", "username", "--key", "machines-key.json", "handed-in", "forms.csv"]
        *_, alone, _ = run(grade, folder)
        began = time.monotonic()
        out, messages, seconds, memory = run(
            [*grade, "--out", "grades", *(word for system in SYSTEMS for word in ("--as", system)), "--worksheet", "worksheet.csv",
             "--worksheet-column", "ID number"], folder)
        wall = time.monotonic() - began
        rows = {row[2]: row for row in (line.split("\t") for line in out.splitlines()) if len(row) > 2}
        wrong = 0
        for student in students:
            row = rows.get(student.user, ["", "", "", ""])
            if student.or_refused and row[0] == REFUSED:
                student.due, student.reason = REFUSED, "may be of this student or of another"
            points = student.due if student.due == REFUSED else f"{student.due:g}"
            named = student.due != REFUSED or f"no grade for '{student.user}'" in messages
            if row[0] != points or student.reason not in "\t".join(row) or not named:
                wrong += 1
                print(f"{student.user}: {points} points and '{student.reason}' are due, not {row}")
        wrong += check_worksheet(students, faults, folder, messages)
        refused = sum(student.due == REFUSED for student in students)
        written = collections.Counter(path.parts[-3] for path in (folder / "grades").glob("*/*/*"))
        print(f"faults {dict(tally)}, in the worksheet {dict(collections.Counter(faults.values()))}, not in the key {len(late)}")
        print(f"{number} students, seed {seed}: {wrong} wrong, {refused} refused by name; table alone {alone:.2f} s of processor time; all "
              f"systems {seconds:.2f} s, {wall:.2f} s wall, {memory:.0f} MiB; files {dict(written)}")
        sys.exit(wrong > 0)


main()
