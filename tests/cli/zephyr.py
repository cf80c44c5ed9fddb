# SPDX-License-Identifier: MIT
"""A stream of Zephyr's CTF tracing, which this file encodes by its metadata (subsys/tracing/ctf/tsdl).

  zephyr.py make          channel0_0
  zephyr.py check         tasks.csv, interrupts.csv and x.events.csv of it
"""
import csv
import random
import struct
import sys

CHANCE = random.Random(9)
THREADS = {0x20001000: "main", 0x20001100: "", 0x20001200: "a name of 20 bytes.."}
OUT, IN, READY, PENDING, NAME, ENTER, EXIT, TO_SCHEDULER, IDLE = 0x10, 0x11, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e


class Target:
    def __init__(self):
        self.data, self.now, self.ran, self.runs, self.current, self.nested, self.entries, self.said = b"", 4294000000, {}, {}, None, 0, 0, []

    def event(self, kind, fields=b"", wait=0):
        """After it, the core runs what it runs for so many ns."""
        self.data += struct.pack("<IB", self.now & 0xffffffff, kind) + fields
        runs = "interrupt" if self.nested else self.current
        self.ran[runs] = self.ran.get(runs, 0) + wait
        self.now += wait

    def thread(self, kind, identity, wait=0):
        if kind == IN:
            self.runs[identity] = self.runs.get(identity, 0) + 1
            self.current = identity
        self.event(kind, struct.pack("<I20s", identity, THREADS[identity].encode() or b"unknown"), wait)

    def interrupt(self, wait, inside=False):
        self.nested += 1
        self.entries += self.nested == 1
        self.event(ENTER, wait=wait)
        if inside:
            self.interrupt(wait // 2)
        self.nested -= 1
        self.event(CHANCE.choice((EXIT, TO_SCHEDULER)), wait=CHANCE.randrange(20, 90))


def scenario():
    target = Target()
    for identity in THREADS:
        target.thread(NAME, identity)
    for i in range(600):
        identity = CHANCE.choice([one for one in THREADS if one != target.current])
        target.thread(READY, identity, wait=CHANCE.randrange(1, 5000) if target.current else 0)
        if target.current:
            target.thread(PENDING, target.current)
            target.thread(OUT, target.current)
        target.thread(IN, identity, wait=CHANCE.randrange(1, 900000))
        target.event(0x29, struct.pack("<II", 0x20003000, 5), wait=7)  # mutex_lock_enter: it has no form here
        target.event(0x62, struct.pack("<20sII", f"event {i}".encode(), i, 7), wait=9)
        target.said.append(f"event {i} {i} 7")
        target.interrupt(CHANCE.randrange(50, 900), i % 9 == 0)
        target.event(IDLE)
    target.thread(IN, next(one for one in THREADS if one != target.current))
    return target


def check():
    target = scenario()
    tasks = {row["task"]: row for row in csv.DictReader(open("tasks.csv", newline=""))}
    for identity, name in (*THREADS.items(), ("interrupt", "interrupt")):
        row = tasks[name or f"thread 0x{identity:08x}"]
        assert int(row["run_ns"]) == target.ran[identity], (name, row, target.ran)
        assert name == "interrupt" or row["runs"] == str(target.runs[identity]), (name, row["runs"], target.runs)
    (row,) = csv.DictReader(open("interrupts.csv", newline=""))
    assert int(row["count"]) == target.entries, (row, target.entries)
    events = list(csv.DictReader(open("x.events.csv", newline="")))
    assert [row["text"] for row in events if row["kind"] == "message"] == target.said


if sys.argv[1] == "make":
    open("channel0_0", "wb").write(scenario().data)
else:
    check()
