# SPDX-License-Identifier: MIT
"""The samples that hostlink shows of tests/sampling/program.c, held against what its functions take by the emulator's log.

Usage: expected.py FOLDER ARCH: it holds shares, which is what shares.py wrote, and the outputs of hostlink.
Of n samples in the functions, each with the share p, between n p - 5 s and n p + 5 s are its own, where s is that of the
binomial distribution, sqrt(n p (1 - p)): by chance one of 3 million is not. So are the stacks that lack a caller. Exit
status 1 and a line for each thing that is wrong.
"""
import collections
import csv
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "symbol"))
import readers  # noqa: E402

SIGMAS = 5
LEAST = 1000  # samples in the functions
STACKS = {
    "half": ("round_of_work", "half"),
    "third": ("round_of_work", "caller", "third"),
    "tenth": ("round_of_work",) + ("deeper",) * 7 + ("tenth",),
    "rest": ("round_of_work", "rest"),
}
# Interrupted in its first or last instructions, a function may lack its caller: kymo/unwind.h. The shortest of them here
# has some 3000 instructions, of which a dozen are such.
IRREGULAR = 0.005

folder = pathlib.Path(sys.argv[1])
wrong = []


def innermost(stacks):
    """By function; where the walk found none, there is the row alone."""
    counts = collections.Counter()
    for path, number in stacks.items():
        counts[path[-1] if len(path) > 1 else "(no address)"] += number
    return counts


def check_shares(what, counts, shares):
    """Returns how many samples were in the functions."""
    all_of_them = sum(counts[name] for name in shares)
    whole = sum(shares.values())
    if all_of_them < LEAST:
        wrong.append(f"{what}: {all_of_them} samples")
    for name, instructions in shares.items():
        share = instructions / whole
        bound = SIGMAS * math.sqrt(all_of_them * share * (1 - share))
        if abs(counts[name] - all_of_them * share) > bound:
            wrong.append(f"{what}: {counts[name]} of {all_of_them} samples in {name}, "
                         f"should be {all_of_them * share:.0f} +- {bound:.0f}")
    return all_of_them


def check_stacks(what, stacks, arch):
    """Below main, and the row that all is in."""
    for name, functions in STACKS.items():
        paths = {path: number for path, number in stacks.items() if path[-1] == name}
        right = sum(number for path, number in paths.items() if path[-len(functions) - 1:] == ("main",) + functions)
        number = sum(paths.values())
        if number - right > number * IRREGULAR + SIGMAS * math.sqrt(number * IRREGULAR * (1 - IRREGULAR)):
            wrong.append(f"{what}: {right} of {number} stacks of {name} are as the source says: {paths}")


def same(what, stacks, others):
    if dict(stacks) != dict(others):
        wrong.append(f"{what}: other stacks than in the folded ones: {collections.Counter(others).most_common(3)}")


def main():
    shares = {name: int(count) for name, count in
              (line.split() for line in (folder / "shares").read_text(encoding="utf-8").splitlines())}
    stacks = readers.folded(folder / "trace.samples.folded")
    taken = sum(stacks.values())
    all_of_them = check_shares("folded", innermost(stacks), shares)
    check_stacks("folded", stacks, sys.argv[2])
    same("pprof", stacks, readers.pprof(folder / "trace.pprof", "samples", "cpu"))
    same("perfetto", {path[1:]: number for path, number in stacks.items()},
         readers.perfetto_samples(folder / "trace.pftrace"))
    same("chrome", {path[1:]: number for path, number in stacks.items()}, readers.chrome_samples(folder / "trace.json"))
    periods = readers.speedscope(folder / "trace.speedscope.json", "nanoseconds")
    period = sum(periods.values()) / taken
    same("speedscope", stacks, {path: round(number / period) for path, number in periods.items()})
    rows = readers.tables(folder / "samples.csv")
    counts = collections.Counter()
    for row in rows:
        counts[row["function"]] += int(row["samples"])
    same("table", innermost(stacks), +counts)  # without those that only call
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        events = [row for row in csv.DictReader(lines) if row["kind"] == "sample"]
    if len(events) != taken:
        wrong.append(f"{len(events)} samples in the table of events, {taken} in the folded stacks")
    printed = (folder / "capture.out").read_text(errors="replace")
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    for line in wrong:
        print(f"{folder}: {line}")
    if not wrong:
        parts = ", ".join(f"{name} {100 * innermost(stacks)[name] / all_of_them:.1f} %" for name in shares)
        print(f"{all_of_them} of {taken} samples as the emulator's log says: {parts}")
    sys.exit(1 if wrong else 0)


main()
