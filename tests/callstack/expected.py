# SPDX-License-Identifier: MIT
"""The call stacks that hostlink shows of tests/callstack/program.c, as names by nm, held against what its source says.

Usage: expected.py FOLDER ARCH MODE: the folder holds trace.events.csv, symbols, which is nm's output, and capture.out,
what hostlink printed; the arch port is the board's, the tracing mode that of the image.
Exit status 1 and a line for each thing that is wrong.
"""
import bisect
import csv
import pathlib
import re
import sys

RECURSION = ["recurse"] * 4 + ["main"]
DEEP = ["deeper"] * 16
INTERRUPT = ["on_tick", ..., "leaf", "leaf_caller", "main"]
BUSY = ["on_tick", ..., "busy", "busy_caller", "main"]
# Each event with a stack, in order: its kind and name or text; the functions, of which "..." are any.
EXPECTED = [
    ("zone begin", "chain", ["chain_inner", "chain_middle", "chain_outer", "main"]),
    ("message", "recursion 0", RECURSION),
    ("zone begin", "pointed_at", ["pointed_at", "by_pointer", "main"]),
    ("message", "tail call", ["tail_called", "tail_case", "main"]),  # Thumb-1 code calls, and does not jump
    ("alloc", "heap", ["memory_user", "main"]),
    ("free", "heap", ["memory_user", "main"]),
    ("lock wait", "lock", ["lock_user", "main"]),
    ("lock obtain", "lock", ["lock_user", "main"]),
    ("zone begin", "by hand", ["zone_by_hand", "main"]),
    ("zone begin", "zone of two", ["of_two_frames", "main"]),
    ("message", "message of two", ["of_two_frames", "main"]),
    ("alloc", "heap", ["of_two_frames", "main"]),
    ("free", "heap", ["of_two_frames", "main"]),
    ("lock wait", "lock", ["of_two_frames", "main"]),
    ("lock obtain", "lock", ["of_two_frames", "main"]),
    ("zone begin", "by hand, of two", ["of_two_frames", "main"]),
    ("zone begin", "deep", DEEP),
]
CXX = [
    ("zone begin", "constructor", ["holder", "cxx_case", "main"]),
    ("zone begin", "twice", ["twice", "cxx_case", "main"]),
    ("message", "member 4", ["twice", "cxx_case", "main"]),
    ("message", "lambda", ["operator()", "cxx_case", "main"]),
]
INTERRUPTED = [("message", "interrupt", INTERRUPT), ("message", "interrupt", BUSY)]
WITHOUT = {"plot", "lock release", "zone end"}


def symbols_of(path, arch):
    """Functions by address: no labels within them; on Arm without the bit that says Thumb."""
    bits = 1 if arch in ("cortex-m", "armv7-a") else 0
    places = []
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"([0-9a-f]+) [tTwW] (.*)", line)
        if match and not match[2].startswith(("$", ".L")):
            places.append((int(match[1], 16) & ~bits, match[2]))
    return sorted(places)


def name_of(places, address):
    """Of the function that an address behind a call is in; without namespaces, arguments and what a copy has more."""
    index = bisect.bisect_right(places, (address - 1, "\x7f")) - 1
    name = places[index][1] if index >= 0 else "?"
    if "operator()" in name:
        return "operator()"
    name = name.replace("(anonymous namespace)::", "")
    return re.sub(r"<[^<>]*>|\(.*|\.(constprop|isra|part|cold).*", "", name).split("::")[-1]


def is_recorded(event, mode):
    """With a stack in this mode, as all are whose macro says the depth."""
    kind, _, functions = event
    of_memory = kind in ("alloc", "free")
    by_depth = functions[0] in ("of_two_frames", "twice")
    return mode == 4 or (by_depth and not (of_memory and mode == 1)) or (of_memory and mode == 3)


def is_as(names, expected, arch):
    # gcc for x86 gives no frame to a function that calls none and keeps nothing on the stack: kymo/unwind.h.
    if arch == "x86" and "leaf_caller" in expected and "leaf_caller" not in names:
        expected = [name for name in expected if name != "leaf_caller"]
    if names[:2] == ["tail_called", "tail_caller"]:
        return names[:4] == ["tail_called", "tail_caller", *expected[1:]]
    if ... not in expected:
        return names[:len(expected)] == expected
    place = expected.index(...)
    tail = expected[place + 1:]
    rest = names[place:]
    return names[:place] == expected[:place] and any(
        rest[i:i + len(tail)] == tail for i in range(len(rest)))


def ends_at_main(names, expected):
    """Behind main there is what called it, if the walk finds it: the start-up code."""
    return "main" not in expected or len(names) - names.index("main") <= 2


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong = []
    places = symbols_of(folder / "symbols", sys.argv[2])
    printed = (folder / "capture.out").read_text(errors="replace")
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    seen = []
    for row in rows:
        names = [name_of(places, int(address, 16)) for address in row["stack"].split()]
        if row["kind"] in WITHOUT or row["name"] == "of none":
            if names:
                wrong.append(f"{row['kind']} {row['name']} has a stack: {names}")
        elif names and not row["text"].startswith("clock: "):
            text = row["text"] if row["kind"] == "message" else row["name"]
            seen.append((row["kind"], text, names))
    has_cxx = any(row["name"] == "constructor" for row in rows)
    mode = int(sys.argv[3])
    expected = [event for event in EXPECTED + (CXX if has_cxx else []) + INTERRUPTED if is_recorded(event, mode)]
    if [event[:2] for event in seen] != [event[:2] for event in expected]:
        wrong.append(f"events with stacks: {[event[:2] for event in seen]}")
    for (kind, text, names), (_, _, functions) in zip(seen, expected):
        if not is_as(names, functions, sys.argv[2]) or not ends_at_main(names, functions):
            wrong.append(f"{kind} {text}: {names}, should be {functions}")
    for line in wrong:
        print(f"{folder}: {line}")
    print(f"{len(seen)} call stacks are as the source says" if not wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
