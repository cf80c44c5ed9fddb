#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The events of two harts that pass a number to and fro. Usage: expected.py EVENTS_CSV INFO"""
import csv
import re
import sys

PASSES = 2000


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values = {}
    for row in rows:
        values.setdefault(row["name"], []).append((int(row["time_ns"]), int(float(row["value"] or 0))))
    off, error = (values[name][0][1] for name in ("off", "error"))
    assert abs(off) <= error, f"{off} ticks off, {error} stated"
    stated = int(re.search(r"error up to (\d+) ticks", open(sys.argv[2], encoding="utf-8").read())[1])
    curve = [value for _, value in values["clock error of core 1, ns"]]
    assert curve[-1] == 100 * stated + 1, f"the curve ends at {curve[-1]} ns, {stated} ticks are stated"
    stated_ns = 100 * max(error, stated)
    times = dict((number, time) for time, number in values["has"])
    assert sorted(times) == list(range(PASSES)), f"{len(times)} numbers"
    worst = min(times[i + 1] - times[i] for i in range(PASSES - 1))
    assert worst >= -stated_ns, f"a number was given on {-worst} ns before it was there; {stated_ns} stated"
    print(f"{off} ticks off, {error} stated; {PASSES} numbers, the shortest step {worst} ns, error {stated_ns} ns")


main()
