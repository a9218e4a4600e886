#!/usr/bin/env python3
"""Random command lines, right and wrong, at small sizes: none panics, fails in
silence, is killed, or takes more than 20 seconds (of processor time where others
use the processors too; of waiting, five minutes).

usage: scripts/command_lines.py [COUNT] [SEED] [PROFILE]      (1000 1 debug)

Needs the programs built (cargo build) and Python's standard library. Prints
each line that broke a promise, and the counts.
"""
import collections
import os
import random
import resource
import subprocess
import sys
import tempfile

count, seed = (int(word) for word in (sys.argv[1:] + ["1000", "1"][len(sys.argv) - 1 :])[:2])
profile = sys.argv[3] if len(sys.argv) > 3 else "debug"
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
programs = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target")), profile)
pick = random.Random(seed)

SIZES = ["1", "8", "16", "33", "39", "0", "-1", "7X", "1e9", "99999999999999999999", "", "½"]
BYTES = ["4K", "8K", "16K", "2", "0", "8k", "9999G", "1.5K", "x", "16384"]
NAMES = ["ikj", "ijk", "tiled", "threads", "ge1", "ge7", "blocked", "all", "none", "nobody", "\u202e", "=1+1", "a" * 5000]
FILES = ["sweep.out", "half.out", "empty", "none", "/dev/null", "/dev/zero", ".", "a.toml", "bad.toml", "r.json", "-"]
COMMON = [
    ["--counters", "auto|hardware|timing|model|none|papi"], ["--machine", "host|i5-7500|lecture|a.toml|bad.toml|none|"],
    ["--runs", "1|2|3|0|-1|x"], ["--cpu", "0|1|9999|x"], ["--format", "kit|csv|json|xml"],
    ["--record", "r.json|/dev/full|none/r|."], ["--chart", "c.svg|c.png|c.gif|none/c.svg"], ["--help", None], ["--version", None],
    ["--nonsense", None], ["-\u0007", None],
]
OWN = {
    "spark": [["--max", BYTES], ["--min", BYTES], ["--repeats", ["1", "2", "0"]], ["--sizes", BYTES], ["--strides", BYTES]],
    "cm1": [["--max", BYTES], ["--repeats", ["1", "0"]], ["--event", ["PAPI_L1_DCM", "PAPI_L2_DCM", "x", "r1", "/"]], ["--until-decided", None]],
    "mm1": [["--size", SIZES], ["--events", ["PAPI_L1_DCM", "PAPI_TOT_INS,cpu/x/", "a,b", ""]]],
    "mm2": [["--size", SIZES], ["--time-transpose", None]],
    "mm3": [["--size", SIZES], ["--line", ["64", "32", "0", "63", "x"]]],
    "ge": [[NAMES, SIZES], ["--list", None]],
    "dgemm": [[NAMES, SIZES], ["--block", SIZES], ["--threads", ["1", "2", "64", "0"]], ["--list", None], ["--m", SIZES]],
    "flops": [[["sse-scalar", "avx", "x"], SIZES]],
    "avail": [["-e", ["PAPI_L1_DCM", "x", ""]], ["--mem", None], ["--native", None], ["-d", None]],
    "lab": [
        [["machines"], ["i5-7500", "none", "./a.toml", "./bad.toml"]], [["plot"], FILES],
        [["ge"], ["--sizes"]], [["dgemm"], ["--sizes"]],
        [["run"], ["--quick"]], [["trace"], FILES], [["machines"], None],
    ],
}
LAB_VALUES = {"--sizes": ["8,16", "8..24:8", "1..3", "x", "3..1"], "--format": ["json", "text"], "--machine": ["lecture", "i5-7500", "a.toml", "x"],
              "--quick": ["--resume", "--size=9", "--output=/dev/null", "--machine=none", "--cpu=99999"]}


def value(choice):
    words = choice.split("|") if isinstance(choice, str) else choice
    return pick.choice(words) if words else None


def line():
    program = pick.choice(list(OWN))
    words = [program]
    if program == "lab":
        first, second = pick.choice(OWN["lab"])
        words += [pick.choice(first)]
        word = value(second)
        words += [word] if word is not None else []
        words += [pick.choice(LAB_VALUES[word])] if word in LAB_VALUES else []
        if words[1] == "run" and not any(w.startswith(("--cpu", "--output", "--machine", "--resume")) for w in words):
            words += ["--cpu=99999"]
        if words[1] == "ge":
            words += ["--variants", pick.choice(["ge1,ge2", "ge7", "x"]), "--runs", "1"]
        if words[1] == "dgemm":
            words += ["--variants", "ikj", "--output", pick.choice(["d", "none/d", "sweep.out"])]
    else:
        for _ in range(pick.randrange(3)):
            first, second = pick.choice(OWN[program])
            words.append(value(first) if isinstance(first, list) else first)
            word = value(second)
            words += [word] if word is not None else []
        # The usual size is for a lesson, not for ten thousand lines.
        small = {"spark": ["--max", "8K", "--repeats", "1"], "cm1": ["--max", "8K", "--repeats", "1"], "mm1": ["--size", "16"],
                 "mm2": ["--size", "16"], "mm3": ["--size", "16"], "dgemm": ["ikj", "16"], "ge": ["ge1", "16"], "flops": ["avx", "16"]}
        usual = small.get(program, [])
        if usual and usual[0].startswith("--"):
            for option, word in zip(usual[::2], usual[1::2]):
                words += [option, word] if option not in words and not (option == "--max" and "--sizes" in words) else []
        elif not any(w.isdigit() for w in words):
            words += usual
    for _ in range(pick.choice([0, 0, 1, 2])):
        option, choice = pick.choice(COMMON)
        words.append(option)
        words += [value(choice)] if choice is not None else []
    return [word.replace("\0", "") for word in words]


def prepare(place):
    def write(name, text):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)

    with open(os.path.join(root, "common/tests/data/i5-7500/cm1-l1-1.out"), encoding="utf-8") as file:
        sweep = file.read()
    write("sweep.out", sweep)
    write("half.out", sweep[: len(sweep) // 2])
    write("empty", "")
    write("a.toml", 'name = "a"\n[[cache]]\nlevel = 1\nsize = "4K"\nline = 64\nways = 2\n')
    write("bad.toml", 'name = "a\u202e"\n[[cache]]\nlevel = 1\nsize = "4K\n')


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


seen = collections.Counter()
longest = (0.0, [])
with tempfile.TemporaryDirectory() as place:
    for number in range(count):
        if number % 500 == 0:
            prepare(place)
            print(f"{number} so far: {dict(seen)}", flush=True)
        words = line()
        before = processor_time()
        try:
            ended = subprocess.run([os.path.join(programs, words[0])] + words[1:], cwd=place, input=b"", capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            ended = None
        took = processor_time() - before
        longest = max(longest, (took, words))
        if ended is None or took > 20:
            seen["over 20 s"] += 1
            print(f"over 20 s ({took:.1f} s of processor time):", words)
            continue
        messages = ended.stderr.decode(errors="replace")
        kind = f"exit {ended.returncode}"
        if "panicked" in messages or ended.returncode == 101:
            kind = "panic"
        elif ended.returncode < 0 or ended.returncode > 2:
            kind = f"status {ended.returncode}"
        elif ended.returncode and not messages.strip() and not ended.stdout:
            kind = "silent failure"
        elif any(ord(c) < 32 and c not in "\n\r\t" or c in "\x7f\u202e" for c in messages):
            kind = "control character"
        seen[kind] += 1
        if not kind.startswith("exit"):
            print(f"{kind}:", [word[:60] for word in words], messages[:300])
print(f"longest: {longest[0]:.1f} s of processor time:", longest[1])
print(f"{count} command lines, seed {seed}:", ", ".join(f"{n} {kind}" for kind, n in sorted(seen.items())))
sys.exit(any(not kind.startswith("exit") for kind in seen))
