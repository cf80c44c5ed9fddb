# SPDX-License-Identifier: MIT
"""The counts of tests/functions/program.c that hostlink gives, held against what its source says.

Usage: expected.py FOLDER OVERWRITTEN: the folder holds trace.csv, trace.events.csv, again.csv (made from the capture
alone) and capture.out, what hostlink printed; OVERWRITTEN is 1 if the ring has kept the newest events only. Exit status 1
and a line for each thing that is wrong.
"""
import csv
import pathlib
import re
import sys

# Function or zone: how often it ended by itself, and was closed because it was left, never returned or crossed another.
EXPECTED = {
    "run": (0, 1), "never_returns": (0, 1),
    "caller": (2, 0), "leaf": (17, 0), "around": (1, 0), "put_inside": (2, 0),
    "recurse": (5, 0), "even": (3, 0), "odd": (3, 0),
    "by_pointer": (1, 0), "pointed_at": (3, 0), "tail_caller": (2, 0), "tail_called": (2, 0), "grows": (2, 0),
    "deep": (15, 0),
    "jump_outer": (3, 0), "around a jump": (3, 0), "jump_middle": (0, 9 + 49 * 3), "jump_inner": (0, 3 + 49),
    "jump_again": (1, 0),
    "start_span": (1, 0), "end_span": (1, 0), "span": (0, 1), "inside": (2, 0),
    "interrupted": (1, 0), "in_interrupt": (3, 0),
}
# Functions whose calls are all among the newest events; "leaf" is not.
NEWEST = ("start_span", "end_span", "span", "inside", "interrupted", "in_interrupt", "on_tick", "never_returns")
OPEN_MOST = 16 + 2  # KYMO_FUNCTIONS, and zones around them
CXX = {"cxx_case": (1, 0), "holder": (1, 0), "twice": (2, 0), "in a member": (2, 0), "operator()": (1, 0),
       "put_inside_too": (1, 0)}


def short(name):
    """Without namespaces, arguments and what a copy has more."""
    if "operator()" in name:
        return "operator()"
    name = name.replace("(anonymous namespace)::", "")
    return re.sub(r"<[^<>]*>|\(.*|\.(constprop|isra|part|cold).*", "", name).split("::")[-1]


def counts_of(path):
    counts = {}
    with open(path, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["counts"] != "":
                before = counts.get(short(row["name"]), (0, 0))
                counts[short(row["name"])] = (before[0] + int(row["counts"]), before[1] + int(row["repaired"]))
    return counts


def places_of(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return {short(row["name"]): (row["src_file"], row["src_line"]) for row in csv.DictReader(lines)}


def check_nesting(rows, wrong):
    """What was left by jumps does not stay open, one inside the other."""
    depth = most = 0
    for row in rows:
        if row["context"] == "core 0" and row["kind"] in ("zone begin", "zone end"):
            depth += 1 if row["kind"] == "zone begin" else -1
            most = max(most, depth)
    if depth != 0 or most > OPEN_MOST:
        wrong.append(f"{most} zones are open at a time, and {depth} at the end")


def check_counts(counts, expected, overwritten, wrong):
    for name in sorted(set(expected) | set(counts)):
        seen, should = counts.get(name, (0, 0)), expected.get(name)
        # A call whose begin was overwritten is not shown.
        is_less = overwritten and name not in NEWEST and should is not None and sum(seen) <= sum(should)
        if seen != should and not is_less:
            wrong.append(f"{name}: {seen}, should be {should}")


def main():
    folder, overwritten = pathlib.Path(sys.argv[1]), sys.argv[2] == "1"
    wrong = []
    printed = (folder / "capture.out").read_text(errors="replace")
    totals = re.search(r"^events: emitted (\d+) delivered (\d+) lost (\d+)$", printed, re.M)
    emitted, delivered, lost = map(int, totals.groups()) if totals else (0, 0, 0)
    if emitted == 0 or emitted != delivered + lost or (lost != 0) != overwritten:
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    ticks = [int(row["value"]) for row in rows if row["name"] == "calls of on_tick"]
    check_nesting(rows, wrong)
    counts = counts_of(folder / "trace.csv")
    expected = dict(EXPECTED, on_tick=(ticks[0] if ticks else -1, 0))
    if "cxx_case" in counts:
        expected.update(CXX)
    check_counts(counts, expected, overwritten, wrong)
    if counts_of(folder / "again.csv") != counts:
        wrong.append("the capture alone gives other counts")
    lines = pathlib.Path(__file__).with_name("program.c").read_text(encoding="utf-8").splitlines()
    for name, (file, line) in places_of(folder / "again.csv").items():
        if name in ("leaf", "recurse", "jump_inner", "never_returns") and not (
                file.endswith("functions/program.c") and any(f" {name}(" in text for text in lines[int(line) - 2:int(line)])):
            wrong.append(f"{name} is said to be at {file}:{line}")
    for line in wrong:
        print(f"{folder}: {line}")
    print(f"{sum(sum(count) for count in counts.values())} calls are as the source says" if not wrong else "")
    sys.exit(1 if wrong else 0)


main()
