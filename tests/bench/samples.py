# SPDX-License-Identifier: MIT
"""Instructions of kymo_sample() on a board, called and returned from, by the emulator's log of all that it executes.

Usage: samples.py RUN SYMBOLS: RUN boots an image of tests/sampling, SYMBOLS is nm -S of it. Prints a line for each
function that was preempted: its frames, and the median of the calls that took a sample there.
"""
import collections
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sampling"))
import shares  # noqa: E402

CALLS = 120
FRAMES = {"half": 4, "third": 5, "tenth": 11, "rest": 4}  # with main and the start-up code
OTHERS = ("main", "out_of_step", "kymo_drain")
LEAST = 100  # a call that takes no sample is shorter


def main():
    run, symbols = sys.argv[1:]
    places = {}
    for line in pathlib.Path(symbols).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            start = int(words[0], 16) & ~1
            places[words[3]] = (start, start + int(words[1], 16))
    whole = (min(start for start, _ in places.values()), max(end for _, end in places.values()))
    entry = places["kymo_sample"][0]
    taken = collections.defaultdict(list)
    preempted, back, count, calls, before = None, None, 0, 0, 0
    for address in shares.logged(run, [whole]):
        if back is not None:
            if address in back:
                if count > LEAST and preempted:
                    taken[preempted].append(count)
                    calls += 1
                back = None
            count += 1
        elif address == entry:
            back, count = (before + 2, before + 4), 2  # the call and the first
        elif any(places[name][0] <= address < places[name][1] for name in OTHERS):
            preempted = None
        else:
            preempted = next((name for name in FRAMES if places[name][0] <= address < places[name][1]), preempted)
        before = address
        if calls == CALLS:
            break
    for name, counts in sorted(taken.items(), key=lambda item: FRAMES[item[0]]):
        print(f"{FRAMES[name]} frames ({name}): {statistics.median_low(counts)} instructions, {len(counts)} samples")


main()
