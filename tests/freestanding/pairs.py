# SPDX-License-Identifier: MIT
"""A few rows of knobs in which each two values of two knobs meet: pairs.py posix|bare prints a row a line, options of a
compiler; with "bare" the port, a knob among the others, is the row's first word. Pairs that a header refuses are left out."""
import itertools
import random
import sys

# Values of a knob, or of knobs that depend on each other.
COMMON = [
    ["", "ENABLE=0"],
    ["", "NAMES=0"],
    ["", "COMMANDS=0", "COMMAND_KEY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "ON_DEMAND=1"],
    ["", "KEEP_NEWEST=1"],
    ["", "CONTEXTS=8"],
    ["", "DYNAMIC_SITES=4"],
    ["LARGE=2", "", "LARGE=2 TRACY=1 TRACY_IMAGE=4096"],
    ["", "CLOCK_CHANGES=1"],
    ["", "TASKS=8"],
    ["", "CHECK=8"],
    ["", "FUNCTIONS=8"],
    ["", "CALLSTACKS=8", "CALLSTACKS=8 SAMPLE_HZ_MAX=1000"],
    ["", "TRACING_MODE=1", "TRACING_MODE=4"],
    ["", "PACKET_BYTES=192 PAYLOAD_WORDS=4 WIRE_SLOTS=8 LATENCY_MS=0", "PACKET_BYTES=4096 PAYLOAD_WORDS=60 WIRE_SLOTS=62 DRAIN_INSTRUCTIONS=4000"],
    ["-O0", "-Os", "-O1 -flto"],
]
PORTS = {
    "posix": [["LANES=4"], ["", "FULL_WAIT_MS=1000"]],
    "bare": [["riscv LANES=2", "riscv LANES=1 LANE_NUMBER=0", "cortex-m LANES=1", "cortex-m LANES=1 LANE_NUMBER=2"]],
}


def forbidden(row):
    """What the headers refuse, with a text that knobs.sh checks."""
    on = " ".join(value for value in row if value)
    return ("TRACING_MODE=4" in on and "CALLSTACKS" not in on and "PACKET_BYTES=192" in on)


def pairs_of(row):
    return {(i, row[i], j, row[j]) for i, j in itertools.combinations(range(len(row)), 2)
            if row[i] is not None and row[j] is not None}


def grow(row, knobs, missing, order):
    """The row with a value for each knob: the one by which it has the most pairs that no row has yet."""
    for i in order:
        if row[i] is None:
            fits = [row[:i] + [value] + row[i + 1:] for value in knobs[i]]
            fits = [other for other in fits if not forbidden(other)]
            row = max(fits, key=lambda other: len(pairs_of(other) & missing))
    return row


def main():
    knobs = COMMON + PORTS[sys.argv[1]]
    shuffle = random.Random(1)
    missing = {(i, a, j, b) for i, j in itertools.combinations(range(len(knobs)), 2)
               for a in knobs[i] for b in knobs[j]}
    for i, a, j, b in sorted(missing):
        if forbidden([a, b]):
            missing.remove((i, a, j, b))
    while missing:
        i, a, j, b = min(missing)
        start = [a if k == i else b if k == j else None for k in range(len(knobs))]
        tries = [grow(start, knobs, missing, shuffle.sample(range(len(knobs)), len(knobs))) for _ in range(60)]
        row = max(tries, key=lambda other: len(pairs_of(other) & missing))
        missing -= pairs_of(row)
        words = [word for value in row for word in value.split()]
        port = [word for word in words if word[0].islower()]
        print(" ".join(port + [word if word.startswith("-") else "-DKYMO_" + word for word in words if word not in port]))


main()
