# SPDX-License-Identifier: MIT
"""What hostlink made of the trace of the programs of IREE's tracing interface, held against what their sources do.

Usage: expected.py FOLDER MODE [board|viewed]: holds demo.events.csv, demo.out, what hostlink printed, and large/. "board": one
worker's rounds in a main loop. "viewed": holds viewed, what a viewer of the program printed. Exit status 1 and a line for each
thing that is wrong.
"""
import collections
import csv
import pathlib
import re
import sys

ROUNDS = 150
folder, mode = pathlib.Path(sys.argv[1]), int(sys.argv[2])
board = "board" in sys.argv[3:]
workers = 1 if board else 2 * 4 # two executors of four
wrong = []


def expect(what, seen, expected):
    if seen != expected:
        missing, beyond = expected, seen
        if isinstance(expected, collections.Counter):
            missing, beyond = dict(expected - seen), dict(seen - expected)
        wrong.append(f"{what}: missing {missing}, too much {beyond}")


def both(counts):
    return collections.Counter({f"{at} {name}": count for at in ("c", "cpp") for name, count in counts.items()})


def zones():
    rounds = workers * ROUNDS
    counts = both({"named zone": 2, "dynamic zone": 2, "in a fiber": 1})
    counts += collections.Counter({"zones": 8, " dynamic": 2, "pp dynamic": 2, "dispatch_0": 4, "scope": 1, "cpp scope": 2,
                                   "cpp lambda": 2, "round": rounds, "matmul": rounds})
    for task in range(8):
        counts[f"task {task}"] = workers * len(range(task, ROUNDS, 8))
    if mode >= 3:
        counts["from thread to thread"] = 1
    return counts


MESSAGES = ["error", "warning, 100%s", "info", "verbose", "debug", "coloured", "coloured at run time", "view", "view", "view",
            "traced"]
PLOTS = [("plot", "-3000000000"), ("plot of floats", "1.5"), ("plot of doubles", "2.5"), ("plot by a pointer", "4"),
         ("plot by a pointer", "4.5")]


def plain(number):
    return re.sub(r"\.0+$", "", number)


def judge_events(rows):
    kinds = collections.defaultdict(list)
    for row in rows:
        kinds[row["kind"]].append(row)
    rounds = workers * ROUNDS

    def names(kind):
        return collections.Counter(row["name"] for row in kinds[kind])

    expect("zones", names("zone begin"), zones())
    expect("ends of zones", len(kinds["zone end"]), sum(zones().values()))
    expect("repairs", [row["text"] for row in kinds["repair"]], [])
    messages = [row["text"] for row in kinds["message"]]
    ours = [text for text in messages if text != "another hundred"]
    expect("messages", ours, [f"{at} {text}" for at in ("c", "cpp") for text in MESSAGES])
    expect("messages of workers", len(messages) - len(ours), workers * len(range(0, ROUNDS, 100)))
    plots = [(row["name"], plain(row["value"])) for row in kinds["plot"]]
    expect("plots of workers", collections.Counter(plot for plot in plots if plot[0] == "busy"),
           collections.Counter({("busy", "100"): rounds, ("busy", "0"): rounds}))
    expect("plots", [plot for plot in plots if plot[0] != "busy"],
           [(f"{at} {name}", value) for at in ("c", "cpp") for name, value in PLOTS])
    expect("types of plots", names("plot config"), both({"plot": 1, "plot by a pointer": 1}))
    expect("frames", names("frame"),
           both({"frames": 1, "frames by a pointer": 1}) + collections.Counter({"Frame": 2}))
    expect("starts of frames", names("frame start"), both({"spans": 1}))
    expect("ends of frames", names("frame end"), both({"spans": 1}))
    texts = collections.Counter(row["text"] for row in kinds["zone text"])
    expect("texts of zones", texts, collections.Counter(
        {"a string": 4, "a view": 4, "of a scope": 1, "tile": rounds}))
    values = collections.Counter(row["value"] for row in kinds["zone value"] if len(row["value"]) > 3 or row["value"] == "9")
    expect("values of zones", (len(kinds["zone value"]), values[str(2**64 - 7)] + values["-7"]), (rounds + 9, 4))
    expect("colours of zones", len(kinds["zone color"]), 4)
    expect("app info", [row["text"] for row in kinds["app info"]], ["c app info", "cpp app info"])
    blocks = both({"pool": 1, "pool by a pointer": 1}) + collections.Counter({"memory": 2, "worker's pool": rounds})
    for kind in ("alloc", "free"):
        expect(kind, names(kind), blocks if mode >= 2 else collections.Counter())
    judge_rows(kinds)
    judge_stacks(kinds)


def judge_rows(kinds):
    rows = collections.defaultdict(collections.Counter)
    for row in kinds["zone begin"]:
        rows[row["context"]][row["name"]] += 1
    fibers = {"c fiber": "c in a fiber", "cpp fiber": "cpp in a fiber"}
    for fiber, zone in fibers.items():
        expect(fiber, dict(rows[fiber]), {zone: 1} if mode >= 3 else {})
    if not board:
        for worker in range(4):
            expect(f"worker {worker}", rows[f"iree-worker-{worker}"]["round"], 2 * ROUNDS)
    expect("zones in the main thread", rows["main thread"]["zones"], 8)


def judge_stacks(kinds):
    with_stack = {"alloc": 3, "free": 3, "zone begin": 4, "message": 4}
    for kind, since in with_stack.items():
        stacks = sum(row["stack"] != "" for row in kinds[kind])
        expect(f"stacks of {kind}", stacks, len(kinds[kind]) if mode >= since else 0)


def judge_viewed():
    places, counts, stacks = collections.Counter(), {}, 0
    for line in (folder / "viewed").read_text().splitlines():
        if match := re.match(r"count: (.*) (\d+)$", line):
            counts[match[1]] = int(match[2])
        elif match := re.match(r"stack: zone\|.*\|(\d+)$", line):
            stacks += int(match[1])
        elif match := re.match(r"[^ ]*:\d+ (.*) (\d+) \d+$", line):
            places[match[1]] += int(match[2])
    rounds = workers * ROUNDS
    blocks = 6 + rounds
    expect("zones", places, zones())
    expect("zones with a stack", stacks, sum(zones().values()))
    for what, count in {"plots": 2 * rounds + 10, "plot configs": 4, "texts": rounds + 9, "values": rounds + 9, "colors": 4,
                        "app infos": 2, "frame starts": 2, "frame ends": 2, "allocs": blocks, "frees": blocks}.items():
        expect(what, counts[what], count)


def end():
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


def main():
    if "viewed" in sys.argv[3:]:
        judge_viewed()
        end()
    with open(folder / "demo.events.csv", newline="", encoding="utf-8") as lines:
        judge_events(list(csv.DictReader(lines)))
    printed = (folder / "demo.out").read_text()
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events are lost: {printed}")
    files = sorted((path.name.split("-", 2)[2], path.read_text()) for path in (folder / "large").iterdir())
    expect("source files", files, [(name, "module {}\n") for name in ("c_model.mlir", "cpp_model.mlir", "model.mlir")])
    end()


main()
