# SPDX-License-Identifier: MIT
"""What tests/counters/program.c counted, held against its loops: two instructions a pass, and some around them.

Usage: expected.py FOLDER COUNTS MARKS: the folder holds trace.csv, trace.events.csv, trace.json, trace.pftrace and
capture.out; COUNTS is "instructions" where the emulator counts these, else "cycles". MARKS is how many each zone with
events counts.
"""
import csv
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "validate"))
import outputs  # noqa: E402

LOOPS = {"short": (10, 200), "long": (20, 20000), "around": (10, 40000), "with events": (11, 2000)}
ZONES = 10  # with events, all but the first of that name
EVENTS = ("instructions, again", "cycles (event)", "marks")  # the zone has cycles of its own
QUERY = "select " + ", ".join(f"extract_arg(arg_set_id, 'debug.{name}')" for name in EVENTS) + """
    from slice where name = 'with events' order by ts"""
AROUND = 600  # the calls, and the zones inside


def check_events(folder, rows, wrong, marks):
    """The same counts in the sums, the slices and the list of all events; instructions a bit fewer than of the whole zone."""
    if outputs.subprocess.run([outputs.HERE / "fetch.sh"], check=False).returncode != 0:
        sys.exit("the readers are not there")
    slices = [tuple(map(lambda cell: None if cell is None else int(cell), row)) for row in
              outputs.trace_processor(folder / "trace.pftrace", {"events": QUERY})["events"]]
    if slices[0] != (None,) * len(EVENTS) or len(slices) != ZONES + 1:
        wrong.append(f"Perfetto: {slices}: the first of {ZONES + 1} has events, or another has none")
    slices = slices[1:]
    with open(folder / "trace.json", encoding="utf-8") as trace:
        args = [event["args"] for event in json.load(trace)["traceEvents"] if "marks" in event.get("args", {})]
    if [tuple(arg[name] for name in EVENTS) for arg in args] != slices:
        wrong.append(f"the JSON has {args}, Perfetto {slices}")
    for name, values in zip(EVENTS, zip(*slices)):
        if int(rows["with events"][name]) != sum(values):
            wrong.append(f"{name}: {rows['with events'][name]} in the table, {values} in Perfetto")
        if rows["long"][name] != "":
            wrong.append(f"{name}: a zone without events has {rows['long'][name]}")
    for again, cycles, marked in slices:
        if not 2000 <= again <= 2000 + AROUND or not 2000 <= cycles <= 2000 + AROUND or marked != marks:
            wrong.append(f"{again} instructions, {cycles} cycles and {marked} marks, should be 2000, 2000 and {marks}")
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        said = [row["text"].partition(".")[0] for row in csv.DictReader(lines) if row["kind"] == "message"]
    if said != ["not counted: one too many", "not counted: nothing"]:
        wrong.append(f"of what is not counted: {said}")


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
    check_events(folder, rows, wrong, int(sys.argv[3]))
    if int(rows["uncounted"]["counted"]) != 0 or int(rows["uncounted"]["counts"]) != 10:
        wrong.append("a zone without counters has some")
    table = (folder / "capture.out").read_text(errors="replace")
    if not re.search(r"counted by the core.*\n.*cycles.*\n(.*\n){0,3}around +10 +\d+", table):
        wrong.append(f"the table says nothing of the counters: {table[-900:]}")
    if not re.search(r"^zone .*IPC +instructions, again +per 1000 +marks +per 1000 .*\n(.*\n){0,3}with events +11 .* "
                     + re.escape(sys.argv[3]) + r"\.0 ", table, re.M):
        wrong.append(f"the table says nothing of the events: {table[-900:]}")
    with open(folder / "trace.json", encoding="utf-8") as trace:
        ends = [event for event in json.load(trace)["traceEvents"] if "cycles" in event.get("args", {})]
    if len(ends) != sum(zones for zones, _ in LOOPS.values()):
        wrong.append(f"{len(ends)} slices of the JSON have cycles")
    for line in wrong:
        print(f"{folder}: {line}")
    print("" if wrong else f"{len(ends)} zones have counted what their loops take")
    sys.exit(1 if wrong else 0)


main()
