# SPDX-License-Identifier: MIT
"""A recording of SystemView, which this file encodes by the manual's description of the protocol (UM08027).

  svdat.py make           x.SVDat
  svdat.py check          tasks.csv, interrupts.csv and x.events.csv of it
"""
import csv
import random
import sys

HZ = 8000000
CHANCE = random.Random(5)
INTERRUPTS = {15: "SysTick", 37: "interrupt 37"}
TASKS = {0x101: "motor", 0x202: "net"}


class Target:
    def __init__(self):
        self.data, self.ran, self.current, self.runs, self.taken = b"", {}, None, {}, {}
        self.nested = []

    @staticmethod
    def varint(number):
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    @staticmethod
    def string(text):
        data = text.encode()
        return (bytes([len(data)]) if len(data) < 255 else b"\xff" + len(data).to_bytes(2, "little")) + data

    def event(self, kind, *values, wait=0):
        """After so many ticks, in which the core ran what it ran."""
        body = b"".join(self.string(value) if isinstance(value, str) else self.varint(value) for value in values)
        head = self.varint(kind) + (self.varint(len(body)) if kind >= 24 else b"")
        self.data += head + body + self.varint(wait)
        runs = self.nested[-1] if self.nested else self.current
        self.ran[runs] = self.ran.get(runs, 0) + wait

    def task(self, identity, wait):
        self.event(4, identity, wait=wait)
        self.runs[identity] = self.runs.get(identity, 0) + (self.current != identity)
        self.current = identity

    def idle(self, wait):
        self.event(17, wait=wait)
        self.current = "idle"

    def interrupt(self, number, inside=None):
        self.event(2, number, wait=CHANCE.randrange(50, 900))
        self.taken[number] = self.taken.get(number, 0) + 1
        self.nested.append(number)
        if inside:
            self.interrupt(inside)
        self.event(3 if CHANCE.random() < 0.5 else 18, wait=CHANCE.randrange(30, 200))
        self.nested.pop()


def scenario():
    target = Target()
    target.current = "idle"
    target.event(24, HZ, 96000000, 0x20000000, 2)
    target.event(14, "N=Test,D=Cortex-M4,I#15=SysTick")
    for identity, name in TASKS.items():
        target.event(9, identity, 5, name)
    target.event(8, 0x303)  # the idle task: it is created and ready, and nothing else is told of it
    target.event(6, 0x303)
    target.idle(0)
    target.event(22, 0, 512, "M=FreeRTOS, V=10")
    for i in range(400):
        identity = CHANCE.choice(list(TASKS))
        target.event(6, identity, wait=CHANCE.randrange(1, 9000))
        target.task(identity, CHANCE.randrange(1, 40))
        target.event(15, 3, wait=10)
        target.event(26, f"line {i}", 1, 0, wait=5)
        target.interrupt(15, 37 if i % 5 == 0 else None)
        target.event(600, 1, 2, wait=7)  # of a module: it has no meaning here
        target.event(16, 3, wait=300)
        target.event(7, identity, 4, wait=CHANCE.randrange(10, 5000))
        target.idle(CHANCE.randrange(1, 30))
        target.event(0)
    target.event(1, 17, wait=100)
    target.idle(0)
    target.event(11)
    return target


def make():
    head = b";\n; Version     SEGGER SystemViewer V3.30\n; Author      none\n;\n"
    open("x.SVDat", "wb").write(head + bytes(10) + scenario().data)


def rows(name):
    return {row["name"]: row for row in csv.DictReader(open(name, newline=""))}


def check():
    target = scenario()
    tasks = {row["task"]: row for row in csv.DictReader(open("tasks.csv", newline=""))}
    for identity, name in (*TASKS.items(), ("idle", "idle"), *INTERRUPTS.items()):
        wanted = target.ran[identity] * 1000000000 // HZ
        assert int(tasks[name]["run_ns"]) == wanted, (name, tasks[name]["run_ns"], wanted)
    for identity, name in TASKS.items():
        assert (tasks[name]["runs"], tasks[name]["waits"], tasks[name]["class"]) == (str(target.runs[identity]),) * 2 + ("task",), tasks[name]
    assert not any(name.startswith("task ") for name in tasks), tasks
    interrupts = rows("interrupts.csv")
    assert {name: int(row["count"]) for name, row in interrupts.items()} == {
        INTERRUPTS[number]: count for number, count in target.taken.items()}, interrupts
    events = list(csv.DictReader(open("x.events.csv", newline="")))
    assert [row["text"] for row in events if row["kind"] == "message"] == [f"line {i}" for i in range(400)] + [
        "SystemView lost 17 events here"]
    assert sum(row["kind"] == "zone end" and row["name"] == "mark 3" for row in events) == 400


{"make": make, "check": check}[sys.argv[1]]()
