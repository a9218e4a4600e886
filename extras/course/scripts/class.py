#!/usr/bin/env python3
"""Puts the machines of a room on one page: a table, their curves, and what is unusual.

usage: class.py [--output class.html] [--csv class.csv] FILE.json...

The files come from `course survey`, one for each machine; common/records/schemas/survey.schema.json
describes them. Needs pandas and matplotlib (apt install python3-pandas python3-matplotlib).
"""

import argparse
import html
import io
import json
import os
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import pandas as pd

SCHEMA = "cache-lab-kit/survey/1"
PROGRAMS = ["mm1", "mm2", "mm3"]
# A time is an outlier if it is this many standard deviations, and this share, from the median of
# at least so many machines with the same processor.
DEVIATIONS, SHARE, ENOUGH = 5, 0.2, 4


def read(path):
    """The record in a file; raises ValueError with a clause."""
    if not os.path.isfile(path):
        raise ValueError("it is not a file")
    if os.path.getsize(path) > 4 << 20:
        raise ValueError("it is larger than 4 MiB")
    with open(path, "rb") as file:
        data = file.read()
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    record = json.loads(data.decode("utf-16" if wide else "utf-8-sig"), parse_constant=float)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise ValueError(f"it is not a record of course survey ({SCHEMA})")
    if not isinstance(record.get("host"), dict) or not isinstance(record["host"].get("id"), str):
        raise ValueError("it has no id of a machine")
    return record


def number(value, low, high, what, remarks):
    """`value` if it is a plausible number; otherwise None, and a remark if there is any."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
        return value
    remarks.append(f"{what}: {value} is impossible, and is left out.")
    return None


def part(record, *names):
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def rows(record, name):
    found = part(record, *name.split("."))
    return [row for row in found if isinstance(row, (dict, list))] if isinstance(found, list) else []


def machine(record):
    """One row of the table, its curve, and remarks."""
    remarks = []
    row = {
        "processor": part(record, "processor", "name"),
        "logical": part(record, "processor", "logical"),
        "virtual_machine": record.get("virtual_machine"),
        "kernel": record.get("kernel"),
        "time": record.get("time"),
        "kit_version": record.get("kit_version"),
        "load": number(record.get("load"), 0, 1e6, "load", remarks),
        "clock_hz": number(part(record, "experiments", "clock_hz"), 1e6, 1e11, "clock", remarks),
    }
    for level in (1, 2, 3):
        at = lambda name: next((c for c in rows(record, name) if isinstance(c, dict) and c.get("level") == level), {})
        reported, found = at("caches_reported"), at("caches_found")
        size = lambda value, what: number(value, 1, 1 << 34, f"L{level} {what}", remarks)
        row[f"l{level}_reported"] = size(reported.get("size_bytes"), "reported size")
        row[f"l{level}_low"] = size(found.get("size_low"), "smallest size")
        row[f"l{level}_high"] = size(found.get("size_high"), "largest size")
        row[f"l{level}_ns"] = number(found.get("latency_ns"), 0.01, 1e5, f"L{level} latency (ns)", remarks)
        told, low, high = (row[f"l{level}_{end}"] for end in ("reported", "low", "high"))
        if told and ((low and told < low) or (high and told > high)):
            remarks.append(f"L{level}: the system reports {told} bytes, experiments find {low} to {high}.")
        for what, own in (("line", "line_bytes"), ("ways", "ways")):
            if reported.get(own) and found.get(what) and reported[own] != found[what]:
                remarks.append(f"L{level}: the system reports {what} {reported[own]}, experiments find {found[what]}.")
    timings = {t.get("program"): t for t in rows(record, "timings") if isinstance(t, dict)}
    for program in PROGRAMS:
        timing = timings.get(program, {})
        row[f"{program}_s"] = number(timing.get("seconds"), 1e-6, 1e5, f"{program} (seconds)", remarks)
        if timing.get("seconds") is None:
            remarks.append(f"{program} was not timed: {timing.get('reason') or 'it is not in the file'}.")
    counters = [c for c in rows(record, "counters") if isinstance(c, dict)]
    row["events_counted"] = " ".join(str(c.get("event")) for c in counters if c.get("counted") is True)
    row["counters_reason"] = next((c["reason"] for c in counters if c.get("reason")), None)
    points = [p for p in rows(record, "experiments.curve_bytes_ns") if isinstance(p, list) and len(p) == 2]
    plain = lambda n: isinstance(n, (int, float)) and not isinstance(n, bool)
    good = [p for p in points if all(map(plain, p)) and 1 <= p[0] <= 1 << 34 and 0.01 <= p[1] <= 1e5]
    if len(good) < len(points):
        remarks.append(f"{len(points) - len(good)} of {len(points)} points of its curve are impossible, and are left out.")
    if not good:
        remarks.append(f"It has no curve: {part(record, 'experiments', 'reason') or 'no points in the file'}.")
    drift = number(part(record, "experiments", "clock_drift"), 0, 1, "clock drift", remarks)
    if drift and drift > 0.03:
        remarks.append(f"The core clock drifted by {100 * drift:.0f} %.")
    if row["load"] and row["load"] > 1.5:
        remarks.append(f"Other programs were running (load {row['load']:.1f}).")
    return row, good, remarks


def outliers(table):
    """Times far from those of the other machines with the same processor."""
    for column in ["l1_ns", "l2_ns"] + [f"{program}_s" for program in PROGRAMS]:
        values = pd.to_numeric(table[column], errors="coerce")
        for _, like in values.groupby(table["processor"].fillna("")):
            like = like.dropna()
            middle = like.median()
            usual = 1.4826 * (like - middle).abs().median()
            off = (like - middle).abs()
            for label in like[(off > DEVIATIONS * usual) & (off > SHARE * middle)].index if len(like) >= ENOUGH else []:
                yield label, f"{column}: {like[label]:.3g} is far from {middle:.3g}, the median of its kind."


def picture(curves):
    figure, axes = plt.subplots(figsize=(9, 5))
    for label, points in curves.items():
        axes.plot(*zip(*points), label=label) if points else None
    axes.set(xscale="log", yscale="log", xlabel="working set (bytes)", ylabel="ns per access")
    axes.set_xscale("log", base=2)
    axes.legend(fontsize=7) if 0 < len(curves) <= 20 and any(curves.values()) else None
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg"):]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-o", "--output", default="class.html", help="write this page [default: class.html]")
    options.add_argument("--csv", help="also write the table")
    options.add_argument("files", nargs="+", metavar="FILE")
    args = options.parse_args()
    written = {os.path.realpath(path) for path in (args.output, args.csv) if path}
    if written & {os.path.realpath(path) for path in args.files}:
        sys.exit("class.py: an output has the name of an input; choose another file")
    records, left_out = {}, []
    for path in args.files:
        try:
            record = read(path)
            same = next((other for other, known in records.items() if known == record), None)
            if same:
                raise ValueError(f"it is the same record as {same}")
            records[path] = record
        except (OSError, ValueError, RecursionError) as why:
            left_out.append(f"{path} is left out: {why}")
            print(f"class.py: {left_out[-1]}", file=sys.stderr)
    if not records:
        sys.exit("class.py: none of the files is a record of course survey")
    names = [str(record["host"].get("name") or record["host"]["id"]) for record in records.values()]
    labels = [name if names.count(name) == 1 else f"{name} #{names[:at].count(name) + 1}" for at, name in enumerate(names)]
    all_rows, curves, remarks, seen = {}, {}, [], {}
    for label, record in zip(labels, records.values()):
        all_rows[label], curves[label], own = machine(record)
        twin = seen.setdefault((record["host"]["id"], record.get("time")), label)
        if twin != label:
            own.append(f"It is the same machine at the same time as {twin}: one of the two was changed.")
        remarks += [(label, remark) for remark in own]
    table = pd.DataFrame.from_dict(all_rows, orient="index").rename_axis("machine")
    version = table["kit_version"].mode()
    for label, own in table["kit_version"].items():
        if len(version) and own != version[0]:
            remarks.append((label, f"Version {own} of the kit; most have {version[0]}."))
    remarks += list(outliers(table))
    table["remarks"] = [" ".join(text for who, text in remarks if who == label) for label in labels]
    if args.csv:
        # A spreadsheet takes a text that begins like this for a formula.
        inert = lambda value: f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@") else value
        table.apply(lambda column: column.map(inert)).rename(index=inert).to_csv(args.csv)
    lines = [f"<li><b>{html.escape(who)}</b>: {html.escape(text)}" for who, text in remarks]
    lines += [f"<li>{html.escape(text)}" for text in left_out]
    page = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Machines of the lab</title>
<style>body {{ font-family: sans-serif; margin: 2em }} table {{ border-collapse: collapse; font-size: 80% }}
td, th {{ border: 1px solid #ccc; padding: .2em .5em; text-align: left }}</style>
<h1>{len(table)} machine{"" if len(table) == 1 else "s"}</h1>
<h2>Unusual</h2><ul>{"".join(lines) or "<li>Nothing: no machine differs from the others."}</ul>
<h2>Time of dependent accesses by working set</h2>{picture(curves)}
<h2>Table</h2>{table.drop(columns="remarks").to_html(na_rep="", escape=True)}</html>
"""
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(page)
    print(f"{len(table)} machine{'' if len(table) == 1 else 's'} in {args.output}")


main()
