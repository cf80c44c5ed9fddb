# SPDX-License-Identifier: MIT
"""Every output of a capture of the board shows its call stacks, exactly these, by name.
Usage: outputs.py FOLDER ROUNDS: what outputs.sh has made there."""
import collections
import sys

import readers

folder, rounds = sys.argv[1], int(sys.argv[2])
MAIN = ("main",)
SELL = MAIN + ("board_in_cxx", "shop::sell(unsigned int)")
PAY = "shop::sell(unsigned int)::{lambda(unsigned int)#1}::operator()(unsigned int) const"
DEEP = MAIN + ("work", "recurse", "recurse", "recurse", "recurse", "leaf", "measure")
PUT = ("shop::Basket<int>::put(int)", "board_alloc")

# By zones and functions: the ns in each and in nothing inside it.
TIME = {
    ("core 0",) + MAIN + ("work",): 1018 * rounds + 10 * ((rounds + 1) // 2),  # even rounds free what they have
    ("core 0",) + MAIN + ("work", "leaf", "measure"): 100 * rounds + sum(range(rounds)),
    ("core 0",) + DEEP: 100 * rounds,
    ("core 0",) + MAIN + ("work", "plain"): 50 * rounds,
    ("core 0",) + SELL + ("sell",): 15 * rounds,
    ("core 0",) + SELL + ("sell", PAY, "pay"): 200 * rounds,
}
MEMORY = {
    ("heap",) + MAIN + ("work", "board_alloc"): 64 * rounds,
    ("heap",) + SELL + PUT: 32 * rounds,
}
# Events with a call stack: their names, and the functions.
EVENTS = collections.Counter({
    ("work", MAIN + ("work",)): rounds,
    ("measure", MAIN + ("work", "leaf", "measure")): rounds,
    ("measure", DEEP): rounds,
    ("sell", SELL): rounds,
    ("pay", SELL + (PAY,)): rounds,
    ("alloc", MAIN + ("work", "board_alloc")): rounds,
    ("alloc", SELL + PUT): rounds,
    ("free", MAIN + ("work", "give_back")): (rounds + 1) // 2,
})
for number in range(rounds):
    EVENTS[f"round {number}", MAIN + ("work",)] = 1


def same(what, have, want):
    have, want = dict(have), dict(want)
    for key in sorted(set(have) | set(want), key=str):
        assert have.get(key) == want.get(key), f"{what}: {key} has {have.get(key)} and not {want.get(key)}"


same("folded", readers.folded(f"{folder}/x.folded"), TIME)
same("folded memory", readers.folded(f"{folder}/x.memory.folded"), MEMORY)
same("speedscope", readers.speedscope(f"{folder}/x.speedscope.json", "nanoseconds"), TIME)
same("speedscope memory", readers.speedscope(f"{folder}/x.speedscope.json", "bytes"), MEMORY)
same("pprof", readers.pprof(f"{folder}/x.pprof", "time"), TIME)
same("pprof memory", readers.pprof(f"{folder}/x.pprof", "allocated"), MEMORY)
LIVE = {("heap",) + MAIN + ("work", "board_alloc"): 64 * (rounds // 2), ("heap",) + SELL + PUT: 32 * rounds}
same("pprof live", readers.pprof(f"{folder}/x.pprof", "live"), LIVE)
HELD = MAIN + ("work",)
same("chrome", readers.chrome(f"{folder}/x.json"), {**EVENTS, ("mutex: held by core 0", HELD): rounds})
same("perfetto", readers.perfetto(f"{folder}/x.pftrace"), {**EVENTS, ("held by core 0", HELD): rounds})

rows = readers.tables(f"{folder}/stacks.csv")
same("callees", {(row["name"], row["inside"]): int(row["count"]) for row in rows if row["table"] == "callee"},
     {("work", "measure"): 2 * rounds, ("work", "plain"): rounds, ("sell", "pay"): rounds})
callers = collections.Counter()
for row in rows:
    if row["table"] == "caller":
        callers[row["name"]] += int(row["count"])
same("callers", callers, {"work": rounds, "measure": 2 * rounds, "plain": rounds, "sell": rounds, "pay": rounds})
sites = {row["stack"].split(" ")[0]: row for row in rows if row["table"] == "allocation"}
assert list(sites) == ["board_alloc"]  # both end there
same("sites", {int(row["bytes"]): (int(row["count"]), int(row["frees"]), int(row["live_bytes"]))
               for row in rows if row["table"] == "allocation"},
     {64 * rounds: (rounds, (rounds + 1) // 2, 64 * (rounds // 2)), 32 * rounds: (rounds, 0, 32 * rounds)})
assert "stacks_board_cxx.cpp:" in "".join(row["stack"] for row in rows), "no line of a file"
