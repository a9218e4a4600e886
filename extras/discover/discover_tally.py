#!/usr/bin/env python3
"""How often `discover` is right on this machine, and under what disturbance.

usage: extras/discover/discover_tally.py DISCOVER RUNS SIZE_KIB WAYS LINE [CONDITION ...]

DISCOVER is the program (target/release/discover); the rest is the truth about the first
level. Conditions: idle, hog (a process copies memory on another processor), same
(one does so on the same processor), quota (stopped half of the time), timers
(processes with a flood of timers on the same processor); all without any named.
Prints one row per condition: right, interval (that holds the truth), refused,
wrong by confidence, median seconds of a run, how often which replacement policy
of the first level was named, and which second level. Exit 1 if one was wrong and sure.
"""
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from statistics import median

HERE, OTHER = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))


def child(processor, work):
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, {processor})
        work()
        os._exit(0)
    return pid


def copy():
    source, target = bytearray(64 << 20), bytearray(64 << 20)
    while True:
        target[:] = source


def timers():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 50e-6, 50e-6)
    while True:
        time.sleep(20e-6)


CONDITIONS = {
    "idle": [],
    "hog": [(OTHER, copy)],
    "same": [(HERE, copy)],
    "quota": [],
    "timers": [(HERE, timers)] * 4,
}


def discover(program, stopped):
    """The findings of one run, or None, and its seconds."""
    began = time.monotonic()
    run = subprocess.Popen(
        [program, "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, {HERE}),
    )
    while stopped and run.poll() is None:
        for number in (signal.SIGSTOP, signal.SIGCONT):
            run.send_signal(number)
            time.sleep(0.02)
    out = run.communicate()[0]
    return (json.loads(out) if run.returncode == 0 else None), time.monotonic() - began


def judge(found, size, ways, line):
    levels = (found or {}).get("levels", [])
    if not levels:
        return "refused"
    first = levels[0]
    if first["line"] not in (None, line):
        return "wrong " + first["confidence"]
    if first["ways"] is not None:
        if (first["ways"], first["size"]) != (ways, size):
            print("wrong:", json.dumps(first), file=sys.stderr)
            return "wrong " + first["confidence"]
        # A line that is not reported is no wrong one.
        return "right" if first["line"] else "interval"
    high = first["size_high"] or float("inf")
    return "interval" if first["size_low"] <= size <= high else "wrong " + first["confidence"]


def policy(found):
    named = (found or {}).get("l1_replacement")
    return named["names"][0] if named else "not reported"


def second(found):
    levels = (found or {}).get("levels", [])
    if len(levels) < 2:
        return "not seen"
    if levels[1]["ways"] is None:
        return "interval"
    return f"{levels[1]['size'] >> 10} KiB of {levels[1]['ways']} ways"


def counted(names):
    return ", ".join(f"{name} {count}" for name, count in Counter(names).most_common())


def main():
    program, runs, size, ways, line = sys.argv[1], *map(int, sys.argv[2:6])
    kinds = ["right", "interval", "refused", "wrong low", "wrong medium", "wrong high"]
    print("| condition |", " | ".join(kinds), "| median s | policy | L2 |")
    print("|---" * (len(kinds) + 4) + "|")
    sure = 0
    for name in sys.argv[6:] or CONDITIONS:
        children = [child(*one) for one in CONDITIONS[name]]
        try:
            results = [discover(program, name == "quota") for _ in range(runs)]
        finally:
            for pid in children:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        verdicts = [judge(found, size * 1024, ways, line) for found, _ in results]
        counts = [verdicts.count(kind) for kind in kinds]
        sure += counts[-1]
        seconds = median(seconds for _, seconds in results)
        others = [counted(of(found) for found, _ in results) for of in (policy, second)]
        print(f"| {name} |", " | ".join([*map(str, counts), f"{seconds:.1f}", *others]), "|", flush=True)
    sys.exit(sure > 0)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main()
