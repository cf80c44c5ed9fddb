# SPDX-License-Identifier: MIT
"""Memory and samples side by side.

  compared.py make SEED > CAPTURE    a program of chance; with seed 3 it leaks and its samples meet "hot" more often
  compared.py check SEED SEED        memory.csv and samples.csv against SEED.events.csv
"""
import math
import random
import sys

from tables import near, read, t_of
from task_scenes import Scene

SAMPLES, BLOCKS = 900, 600
HOT, OTHERS = 0x80001001, [0x80002001 + 64 * i for i in range(9)]
CALLERS = [HOT, 0x80003001, 0x80003041]  # also of itself


def make(seed):
    chance, scene = random.Random(seed), Scene()
    heap, main = scene.site(6, "heap"), scene.task("main", 1)
    scene.run(main)
    live = []
    for i in range(SAMPLES):
        scene.wait(chance.randrange(90, 110))
        # Each function runs for a while, so that samples that follow each other are alike.
        if i % 8 == 0:
            function = HOT if chance.random() < (0.8 if seed == 3 else 0.3) else chance.choice(OTHERS)
        scene.event("CALLSTACK", 0, [3, function, chance.choice(CALLERS), OTHERS[0]])
        scene.event("SAMPLE", 0, [10000, 0])
        if i < BLOCKS:
            scene.event("ALLOC", heap, [0x20000000 + 64 * i, chance.randrange(16, 200)])
            live.append(0x20000000 + 64 * i)
            if len(live) > 10:
                block = live.pop(chance.randrange(len(live)))
                if seed != 3 or i % 20 != 0:
                    scene.event("FREE", heap, [block])
    sys.stdout.buffer.write(scene.capture())


def live_of(rows):
    """Live bytes after each allocation."""
    live, after = {}, []
    for row in rows:
        if row["kind"] == "alloc":
            live[row["text"]] = int(row["value"])
            after.append(sum(live.values()))
        elif row["kind"] == "free":
            live.pop(row["text"].split(" ")[0])
    return after, sum(live.values())


def met(rows):
    return [row["stack"].split(" ")[0] for row in rows if row["kind"] == "sample"]


def same_t(row, t):
    if t is None or math.isinf(t):
        assert row["t"] in ("", "inf"), (row, t)
    else:
        assert abs(float(row["t"]) - t) <= abs(t) * 1e-5 + 1e-3, (row, t)


def check(*seeds):
    rows = [read(f"{seed}.events.csv") for seed in seeds]
    leaks = "3" in seeds
    (old, old_end), (new, new_end) = map(live_of, rows)
    pool, = read("memory.csv")
    assert [int(pool[key]) for key in ("allocs_before", "allocs_after", "mean_before_bytes", "mean_after_bytes", "most_before_bytes",
                                       "most_after_bytes", "live_before_bytes", "live_after_bytes")] == [
        len(old), len(new), sum(old) // len(old), sum(new) // len(new), max(old), max(new), old_end, new_end], pool
    near(pool["mean_percent"], 100 * (sum(new) / len(new) / (sum(old) / len(old)) - 1))
    same_t(pool, t_of(old, new))
    assert pool["result"] == ("more" if leaks else "chance"), pool
    old, new = map(met, rows)
    table = {row["function"]: row for row in read("samples.csv")}
    assert table.keys() == set(old) | set(new), table
    for name, row in table.items():
        before, after = ([100.0 * (function == name) for function in met] for met in (old, new))
        assert (row["samples_before"], row["samples_after"]) == (str(old.count(name)), str(new.count(name))), row
        near(row["share_change_percent"], sum(after) / len(after) - sum(before) / len(before))
        same_t(row, t_of(before, after))
    hot = table[max(table, key=lambda name: int(table[name]["samples_after"]))]
    assert (hot["result"] == "more") == leaks, hot
    assert leaks or all(row["result"] in ("same", "chance") for row in table.values()), table


if __name__ == "__main__":
    {"make": lambda seed: make(int(seed)), "check": check}[sys.argv[1]](*sys.argv[2:])
