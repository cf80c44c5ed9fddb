# SPDX-License-Identifier: MIT
"""What hostlink made of the trace of the program of C++, held against what its sources do.

Usage: expected.py FOLDER: holds demo.csv, demo.json and capture.out, what hostlink printed. Exit status 1 and a line for
each thing that is wrong.
"""
import collections
import csv
import json
import pathlib
import re
import sys

# Each of the three sources that include the library does this once.
LIBRARY = {
    "inline": 2, "template": 2, "lambda in template": 2, "constructor": 1, "destructor": 1, "operator+=": 2,
    "member template": 2, "lambda": 1}
ZONES = collections.Counter({name: 3 * times for name, times in LIBRARY.items()})
ZONES.update({
    "inline": 2,  # by the constructor of a static object, and with what it gave
    "before main in the first": 1, "before main in the second": 1, "static in the first": 1, "static in the second": 1,
    "hidden in the first": 1, "hidden in the second": 1, "static in C": 1, "inline in C": 1, "workload": 1,
    "plain_c": 1, "in the interrupt": 1, "by hand": 1})
MESSAGES = collections.Counter({
    "8 is even": 4, "4 is even": 1, "3 of 3": 3, "4 of 3": 3, "constant from C": 1,
    "1 -5 4000000000 -5000000000": 1, "text local literal constant": 1, "1.50 2.25 x 2": 1, "8 7": 1})
PLOTS = {"twice": [2, 2, 2, 2.5, 2.5, 2.5], "colour": [1], "most": [float(2**64 - 1)], "real": [0.5], "flag": [1]}

wrong = []


def expect(what, seen, expected):
    if seen != expected:
        wrong.append(f"{what}: {seen}, should be {expected}")


def main():
    folder = pathlib.Path(sys.argv[1])
    printed = (folder / "capture.out").read_text(errors="replace")
    totals = re.findall(r"^events: emitted (\d+) delivered (\d+) lost 0$", printed, re.M)
    if len(totals) != 1 or totals[0][0] != totals[0][1]:
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    with open(folder / "demo.csv", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    # One row for each place, though the program may have it several times.
    expect("zones", sorted((row["name"], int(row["counts"])) for row in rows), sorted(ZONES.items()))
    files = {row["name"]: pathlib.PurePath(row["src_file"]).name for row in rows}
    expect("file of an inline function", files.get("inline"), "library.h")
    expect("file of a function in C", files.get("static in C"), "plain.c")
    events = json.loads((folder / "demo.json").read_text(encoding="utf-8"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    seen = collections.Counter(event["name"] for event in events if event.get("cat") == "message")
    pointers = [text for text in seen if re.fullmatch(r"1 100 (\(nil\)|0x0|0)", text)]
    expect("the message with a pointer", len(pointers), 1)
    for text in pointers:
        del seen[text]
    expect("messages", seen, MESSAGES)
    plots = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C" and event["name"] in PLOTS:
            plots[event["name"]].extend(event["args"].values())
    expect("plots", {name: sorted(values) for name, values in plots.items()}, PLOTS)
    expect("zones that overlap", [(event["ph"], event["name"]) for event in events if event["ph"] in "be"],
           [("b", "ends first"), ("b", "ends last"), ("e", "ends first"), ("e", "ends last")])
    expect("frames", sum(event.get("cat") == "frame" for event in events), 2)
    for line in wrong:
        print(f"{folder}: {line}")
    sys.exit(1 if wrong else 0)


main()
