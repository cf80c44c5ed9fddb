"""What tests/counters/program.c counted, held against its loops: two instructions a pass, and some around them.

Usage: expected.py FOLDER COUNTS: the folder holds trace.csv, trace.events.csv and capture.out; COUNTS is "instructions"
where the emulator counts these, else "cycles".
"""
import csv
import json
import pathlib
import re
import sys

LOOPS = {"short": (10, 200), "long": (20, 20000), "around": (10, 40000)}
AROUND = 600  # the calls, and the zones inside


def main():
    folder, counts = pathlib.Path(sys.argv[1]), sys.argv[2]
    wrong = []
    with open(folder / "trace.csv", newline="", encoding="utf-8") as lines:
        rows = {row["name"]: row for row in csv.DictReader(lines)}
    for name, (zones, loop) in LOOPS.items():
        row = rows[name]
        if (int(row["counts"]), int(row["counted"])) != (zones, zones):
            wrong.append(f"{name}: {row['counts']} zones, {row['counted']} counted, should be {zones}")
        elif counts == "instructions" and not loop <= int(row["instructions"]) / zones <= loop + AROUND:
            wrong.append(f"{name}: {int(row['instructions']) / zones} instructions a zone, should be {loop} and few more")
        elif int(row["cycles"]) / zones < loop / 2:
            wrong.append(f"{name}: {int(row['cycles']) / zones} cycles a zone")
    if int(rows["uncounted"]["counted"]) != 0 or int(rows["uncounted"]["counts"]) != 10:
        wrong.append("a zone without counters has some")
    table = (folder / "capture.out").read_text(errors="replace")
    if not re.search(r"counted by the core.*\n.*cycles.*\n(.*\n){0,3}around +10 +\d+", table):
        wrong.append(f"the table says nothing of the counters: {table[-900:]}")
    with open(folder / "trace.json", encoding="utf-8") as trace:
        ends = [event for event in json.load(trace)["traceEvents"] if "cycles" in event.get("args", {})]
    if len(ends) != sum(zones for zones, _ in LOOPS.values()):
        wrong.append(f"{len(ends)} slices of the JSON have cycles")
    for line in wrong:
        print(f"{folder}: {line}")
    print("" if wrong else f"{len(ends)} zones have counted what their loops take")
    sys.exit(1 if wrong else 0)


main()
