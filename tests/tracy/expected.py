# SPDX-License-Identifier: MIT
"""What hostlink made of the trace of the programs of Tracy's markup, held against what their sources do.

Usage: expected.py FOLDER [board]: holds demo.csv, demo.events.csv, demo.json, capture.out, what hostlink printed, and
PROTOCOL.tracy, what the tests' viewer printed. "board": the programs ran on a board, without a C library, so that
formatted texts are left out. Exit status 1 and a line for each thing that is wrong.
"""
import collections
import csv
import json
import pathlib
import re
import sys

HOSTED = "board" not in sys.argv[2:]
wrong = []

ZONES_C = {"zones": 4, "c named": 1, "c named and coloured": 1, "c named, stack": 1, "c all": 1, "c formatted": 1,
           "c in a fiber": 1}
ZONES_CPP = {"scoped": 4, "cpp named": 1, "cpp named and coloured": 1, "cpp named, stack": 1, "cpp all": 1,
             "cpp formatted": 1, "named": 4, "cpp zone b": 1, "cpp zone d": 1, "cpp zone f": 1, "cpp zone h": 1,
             "transient": 4, "cpp transient": 3, "cpp other transient": 3, "cpp template": 2, "cpp lambda": 2,
             "cpp in a fiber": 1, "cpp after the fiber": 1}
ZONES = collections.Counter(ZONES_C) + collections.Counter(ZONES_CPP)

# In the order of the sources.
MESSAGES = [
    "c message", "c literal, 100%", "c message", "c literal in colour", "c message", "c literal with stack", "c message",
    "c literal, all", "c message and more",
    "cpp message", "cpp literal, 100%", "cpp message", "cpp literal in colour", "cpp message", "cpp literal with stack",
    "cpp message", "cpp literal, all", "cpp message and more", "cpp warning", "cpp error"]
PLOTS = [("c plot", "1.5"), ("c plot float", "2.5"), ("c plot int", "-3"), ("c plot by a pointer", "4"),
         ("c plot by a pointer", "5"), ("cpp template plot", "1"), ("cpp template plot", "2"), ("cpp plot", "1.5"),
         ("cpp plot float", "2.5"), ("cpp plot int", "-3"), ("cpp plot int", "4"), ("cpp plot by a pointer", "5")]
FRAMES = [(kind, name) for at in ("c", "cpp") for kind, name in (
    ("frame", "Frame"), ("frame", f"{at} frames"), ("frame start", f"{at} spans"), ("frame end", f"{at} spans"))]
# Each of the sources takes four times from the pool without a name and from its named one, and gives back; then what a
# discard frees.
BLOCKS = collections.Counter({
    ("alloc", "memory"): 8, ("free", "memory"): 8, ("alloc", "c pool"): 6, ("free", "c pool"): 6,
    ("alloc", "pool by a pointer"): 3, ("free", "pool by a pointer"): 3, ("alloc", "cpp pool"): 5, ("free", "cpp pool"): 5,
    ("alloc", "cpp pool by a pointer"): 2, ("free", "cpp pool by a pointer"): 2})
ALONE, SHARED = ["lock wait", "lock obtain"], ["shared lock wait", "shared lock obtain"]
LOCKS = {
    "c lock": ALONE + ["lock mark", "lock release", "lock obtain", "lock release"],
    "c shared lock": ALONE + ["lock mark", "lock release", "lock obtain", "lock release"] + SHARED +
                     ["shared lock release", "shared lock obtain", "shared lock release"],
    "Mutex global_mutex": ALONE + ["lock mark", "lock release"],
    "cpp renamed lock": ["lock obtain", "lock release"],
    "Mutex shared": SHARED + ["shared lock release", "shared lock obtain", "shared lock release"],
    "cpp named shared": ALONE + ["lock release"]}
NOTES = collections.Counter({"zone text": 5 + 3 * HOSTED, "zone value": 3, "zone color": 3, "zone name": 3 + 3 * HOSTED})
# Without names in memory there are no parameters, which is reported the first and the second time of three.
if "names" in pathlib.Path(sys.argv[1]).name:
    MESSAGES += [f"tracy: a parameter's name is no string literal, {times} times so far" for times in (1, 2)]
# In a viewer the picture, 5 x 3 pixels, is of the frame before the last of two, whose first is its third; as large as whole
# blocks, in the nearest colours that they can have: left and right, above and below.
SHOWN = ["3 8x4 00ff00 0000ff ff0000 0000ff"]
INFOS = ["c app info", "cpp app info"]


def expect(what, seen, expected):
    if seen != expected:
        wrong.append(f"{what}: {seen}, should be {expected}")


def read(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def check_outputs(folder):
    rows = read(folder / "demo.csv")
    zones = collections.Counter()
    for row in rows:
        zones[row["name"]] += int(row["counts"])
        expect(f"repaired zones {row['name']}", row["repaired"], "0")
    expect("zones", zones, ZONES)
    events = read(folder / "demo.events.csv")
    of = lambda *kinds: [row for row in events if row["kind"] in kinds]
    expect("messages", [row["text"] for row in of("message")], MESSAGES)
    expect("plots", [(row["name"], row["value"]) for row in of("plot")], PLOTS)
    expect("frames", [(row["kind"], row["name"]) for row in of("frame", "frame start", "frame end")], FRAMES)
    expect("memory", collections.Counter((row["kind"], row["name"]) for row in of("alloc", "free")), BLOCKS)
    expect("sizes", {row["value"] for row in of("alloc", "free")}, {"16"})
    expect("notes", collections.Counter(row["kind"] for row in of(*NOTES)), NOTES)
    expect("app info", [row["text"] for row in of("app info")], INFOS)
    locks = collections.defaultdict(list)
    for row in events:
        if "lock" in row["kind"]:
            locks[row["name"]].append(row["kind"])
    expect("locks", dict(locks), LOCKS)
    expect("repairs", [row["text"] for row in of("repair")], [])
    fibers = {row["context"] for row in of("zone begin") if "in a fiber" in row["name"]}
    expect("fibers", fibers, {"fiber in C", "cpp fiber"})
    after = {row["context"] for row in of("zone begin") if row["name"] == "cpp after the fiber"}
    expect("behind the fiber", after, {"main of C++"})
    texts = [row["text"] for row in of("zone text")]
    expect("images", [row["text"] or row["name"] for row in of("large")], ["frame-0.pam"])
    expect("formatted text", texts.count("3 of four"), 2 * HOSTED)
    configs = [(row["name"], int(row["value"])) for row in of("plot config")]
    expect("plot configurations", configs, [("c plot", 1 + 4 + 8 + (0xffff << 32)), ("cpp plot", 2 + 4 + (0xffff << 32))])
    trace = json.loads((folder / "demo.json").read_text(encoding="utf-8"))
    trace = trace["traceEvents"] if isinstance(trace, dict) else trace
    shown = [event["name"] for event in trace if event.get("cat") == "message"]
    expect("messages in JSON", shown, MESSAGES)


def check_viewer(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    counts = dict(re.fullmatch(r"count: (.*) (\d+)", line).groups() for line in lines if line.startswith("count: "))
    all_locks = [kind for kinds in LOCKS.values() for kind in kinds]
    alone, shared = all_locks.count("lock obtain"), all_locks.count("shared lock obtain")
    expected = {
        "zones": sum(ZONES.values()), "texts": NOTES["zone text"], "names": NOTES["zone name"],
        "values": NOTES["zone value"], "colors": NOTES["zone color"], "plots": len(PLOTS), "plot configs": 2,
        "app infos": 2, "frames": 4, "frame starts": 2, "frame ends": 2,
        "allocs": sum(n for (kind, _), n in BLOCKS.items() if kind == "alloc"),
        "frees": sum(n for (kind, _), n in BLOCKS.items() if kind == "free"), "locks": len(LOCKS),
        "lock marks": all_locks.count("lock mark"), "waits": alone, "obtains": alone, "releases": alone,
        "shared waits": shared, "shared obtains": shared, "shared releases": shared}
    for what, count in expected.items():
        expect(f"{path.name}: {what}", int(counts.get(what, -1)), count)
    expect(f"{path.name}: messages", [line[9:] for line in lines if line.startswith("message: ")], MESSAGES)
    expect(f"{path.name}: images", [line[7:] for line in lines if line.startswith("image: ")], SHOWN)


def main():
    folder = pathlib.Path(sys.argv[1])
    printed = (folder / "capture.out").read_text(errors="replace")
    totals = re.findall(r"^events: emitted (\d+) delivered (\d+) lost 0$", printed, re.M)
    if len(totals) != 1 or totals[0][0] != totals[0][1]:
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    check_outputs(folder)
    for path in folder.glob("*.tracy"):
        check_viewer(path)
    for line in wrong:
        print(f"{folder}: {line}")
    sys.exit(1 if wrong else 0)


main()
