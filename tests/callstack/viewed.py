# SPDX-License-Identifier: MIT
"""What a viewer has of tests/callstack/many.c, held against what its source says and against hostlink's own tables.

Usage: viewed.py VIEWED ROUNDS CORES SAMPLES.csv: VIEWED is the output of "tracy_viewer ... stacks".
Exit status 1 and a line for each thing that is wrong.
"""
import collections
import csv
import sys

DEPTH = 16  # KYMO_CALLSTACKS
PATH_CALLS = 5
DEPTHS = 20
BLOCKS = 4
ROOTS = ["main", "second_core"]


def path(turns):
    """Innermost first; the calls that were put into others are shown too."""
    calls = ["leaf", "turn"]
    for bit in range(PATH_CALLS):
        calls += ["right" if turns >> bit & 1 else "left", "turn"]
    return calls


def expected_of(rounds, cores):
    expected = collections.Counter()
    for core in range(cores):
        root = ROOTS[core]
        for turns in range(rounds):
            behind = ["round_of", root]
            leaf = ";".join(path(turns % (1 << PATH_CALLS)) + behind)
            expected["zone", "leaf", leaf] += 1
            expected["message", f"leaf of core {core}", leaf] += 1
            # Its start-up code, beyond the root, is left out here and there.
            recursion = (["recurse"] * (turns % DEPTHS + 1) + behind)[:DEPTH]
            expected["zone", "recursion", ";".join(recursion)] += 1
            expected["zone", "inlined", ";".join(["innermost", "inner", "outer"] + behind)] += 1
            memory = ";".join(["use_memory"] + behind)
            expected["alloc", "heap", memory] += 1
            expected["free", "heap", memory] += turns >= BLOCKS
    return +expected


def main():
    viewed, rounds, cores, samples = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    stacks, symbols, sampled = collections.Counter(), collections.Counter(), 0
    for line in open(viewed, encoding="utf-8"):
        what, _, rest = line.rstrip("\n").partition(": ")
        if what == "stack":
            of, name, calls, count = rest.split("|")
            calls = calls.split(";")
            if of == "sample":
                sampled += int(count)
                continue
            for root in ROOTS:
                calls = calls[:calls.index(root) + 1] if root in calls else calls
            if calls != ["-"]:
                stacks[of, name, ";".join(calls)] += int(count)
        elif what == "symbol":
            name, count = rest.split("|")
            symbols[name] += int(count)
    with open(samples, newline="", encoding="utf-8") as lines:
        own = collections.Counter()
        for row in csv.DictReader(lines):
            own[row["function"]] += int(row["samples"])
    wrong = []
    expected = expected_of(rounds, cores)
    for key in sorted(expected.keys() | stacks.keys()):
        if stacks[key] != expected[key]:
            wrong.append(f"{key}: {stacks[key]}, should be {expected[key]}")
    for name in sorted(own.keys() | symbols.keys()):
        if own[name] != symbols[name]:
            wrong.append(f"samples of {name}: {symbols[name]}, should be {own[name]}")
    if sampled == 0 or sampled != sum(own.values()):
        wrong.append(f"{sampled} samples, should be {sum(own.values())}")
    for line in wrong:
        print(line)
    print(f"{sum(stacks.values())} call stacks and {sampled} samples are as they should be" if not wrong else "")
    sys.exit(1 if wrong else 0)


main()
