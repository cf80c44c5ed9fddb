#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The arrows of a trace against what the boards and programs say themselves, by one clock. Usage: judge.py FOLDER"""
import json
import pathlib
import sys

LEAST = 8  # messages each way: a machine that is busy elsewhere makes few


def truths(folder):
    """Of each (what, number) that is there once, the name of who did it, and the times of the host's clock between which that was."""
    found, twice = {}, set()
    for name in ("arm", "riscv", "c", "py"):
        start_ns = 0
        if (folder / f"{name}.start").exists():
            start_ns = int((folder / f"{name}.start").read_text())
            assert start_ns > 0, "this QEMU does not show where its clock starts (clock_start)"
        for line in (folder / f"{name}.truth").read_text(encoding="ascii").splitlines():
            word = line.split()
            if len(word) == 4 and len(word[3]) >= 8:  # the last line may be cut
                twice |= {(word[0], int(word[1], 16))} & found.keys()
                found[word[0], int(word[1], 16)] = (name, *(start_ns + int(w, 16) for w in word[2:]))
    # Of two messages that an emulator's UART cut, the begin and the end can make one with the number of another.
    return {key: value for key, value in found.items() if not {("s", key[1]), ("r", key[1])} & twice}


def main():
    folder = pathlib.Path(sys.argv[1])
    truth = truths(folder)
    events = json.loads((folder / "all.json").read_text(encoding="utf-8"))["traceEvents"]
    begun = [e for e in events if e["ph"] == "B"]
    sends = {int(e["args"]["id"]): e for e in begun if e.get("cat") == "flow send"}
    pids = {}
    routes, wrong, worst, bounds = {}, 0, 0, []
    for event in (e for e in begun if e.get("cat") == "flow receive"):
        number = int(event["args"]["id"])
        # What came to hostlink of one end only is a loss, which it tells of.
        if number not in sends or ("s", number) not in truth or ("r", number) not in truth:
            continue
        from_name, sent, sent_by = truth["s", number]
        to_name, received, received_by = truth["r", number]
        shown = round((event["ts"] - sends[number]["ts"]) * 1000)
        error = max(0, received - sent_by - shown, shown - (received_by - sent))
        bound = int(event["args"].get("clock error, ns", 0))  # without it the two were not joined
        pids.setdefault(to_name, set()).add(event["pid"])
        routes[from_name, to_name] = routes.get((from_name, to_name), 0) + 1
        bounds.append(bound)
        worst = max(worst, error)
        if error > bound:
            wrong += 1
            print(f"{from_name} to {to_name}, {number:x}: {error} ns off, {bound} ns stated")
    assert wrong == 0, f"{wrong} of {len(bounds)} messages are further off than their stated error"
    for way in (("c", "arm"), ("arm", "c"), ("py", "arm"), ("arm", "py"), ("arm", "riscv"), ("riscv", "arm")):
        assert routes.get(way, 0) >= LEAST, f"{routes.get(way, 0)} messages from {' to '.join(way)}"
    assert len(pids["riscv"]) == 2, "no messages before and after the reset"
    bounds.sort()
    print(f"{len(bounds)} of {len(bounds)} messages within their stated error: at most {worst} ns off; stated "
          f"{bounds[0]} to {bounds[-1]}, median {bounds[len(bounds) // 2]} ns")


main()
