#!/usr/bin/env python3
"""Reads a record of cm1 or spark with pandas and draws one curve per array size.

usage: curve.py RECORD.json PICTURE.svg

Needs pandas and matplotlib. It is an example to start your own analysis from: `lab run` writes
records into report/records, and every program writes one with `--record FILE.json`.
"""
import json
import sys

import matplotlib
import pandas

matplotlib.use("Agg")  # files only, no window


def read(path):
    """The record as a dictionary, and its rows as a table: place, settings and results, then each figure and its source.

    A figure that could not be counted has no amount, and is NaN in the table.
    """
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    rows = []
    for row in record["rows"]:
        cells = {**row["place"], **row.get("settings", {}), **row.get("results", {})}
        for figure in row["figures"]:
            cells[figure["name"]] = figure.get("amount")
            cells[figure["name"] + "_source"] = figure.get("source")
        rows.append(cells)
    return record, pandas.DataFrame(rows)


def main(path, picture):
    record, table = read(path)
    figures = {"cm1": "avg_misses", "spark": "ns_per_access"}
    if record["program"] not in figures:
        sys.exit(f"curve.py: {path} is a record of {record['program']}; give one of cm1 or spark")
    figure = figures[record["program"]]
    table[figure] = table[figure].astype(float)
    curves = table.pivot(index="stride_bytes", columns="size_bytes", values=figure)
    curves.columns = [f"{size / 1024:g} KiB" for size in curves.columns]
    axes = curves.plot(logx=True, marker="o", xlabel="stride (bytes)", ylabel=figure)
    axes.set_xscale("log", base=2)
    sources = ", ".join(sorted(table[f"{figure}_source"].dropna().unique()))
    axes.set_title(f"{record['machine'].split(':')[0]}\n{record['program']} {record['version']}, source: {sources}", fontsize=9)
    axes.figure.savefig(picture)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
