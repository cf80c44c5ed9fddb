# SPDX-License-Identifier: MIT
"""What hostlink found in a program's trace, held against what kymo was called for (counted.c).

Usage: counted.py PROGRAM COUNTS EVENTS.CSV OUT: OUT is what hostlink printed. Prints a line, and those of what differs; exit
status 1 if anything does.
"""
import collections
import csv
import os
import re
import sys


def main():
    program, counts, events, out = sys.argv[1:]
    name = "/".join(os.path.abspath(program).split(os.sep)[-3:])
    called = {}
    with open(counts, encoding="utf-8") as lines:
        for line in lines:
            kind, number = line.rsplit(" ", 1)
            called[kind] = int(number)
    with open(events, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found = collections.Counter(row["kind"] for row in rows)
    fibers = called.pop("fiber")
    called["message"] += sum(row["text"].startswith("tracy: ") for row in rows if row["kind"] == "message")
    wrong = [f"{kind}: called for {number}, found {found[kind]}" for kind, number in called.items() if found[kind] != number]
    if found["repair"]:
        wrong.append(f"{found['repair']} repairs: {sorted({row['text'] for row in rows if row['kind'] == 'repair'})}")
    with open(out, encoding="utf-8") as text:
        printed = text.read()
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(printed.strip())
    print(f"{name}: " + ", ".join(f"{number} {kind}" for kind, number in called.items() if number) + f", {fibers} fibers")
    for line in wrong:
        print(f"    {line}")
    sys.exit(1 if wrong else 0)


main()
