# SPDX-License-Identifier: MIT
"""Captures of kernels that are played here, so that what their tasks did is known: a microsecond is a tick.

  task_scenes.py SCENE > CAPTURE     one of SCENES
"""
import collections
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
from wire_encoder import on_the_wire  # noqa: E402
from wire_packets import NUMBERS  # noqa: E402

DELAY, EMPTY, SEMAPHORE, LOCK, NOTIFICATION, SUSPENDED, OVER = 1, 2, 4, 5, 6, 8, 13
TASK, IDLE = 2, 4
BUS, DISK, QUEUE = 0x20001000, 0x20002000, 0x20003000
MAIN = 1
PACKET_EVENTS = 200


def text_words(text):
    data = text.encode()
    return [len(data)] + [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]


class Lane:
    def __init__(self):
        self.runs, self.suspended, self.first, self.events = MAIN, [], 0, []
        self.head = None


class Scene:
    """Every call records at `now`. References of tasks are odd, those of interrupts even."""

    def __init__(self, lanes=1, prefix=""):
        self.now, self.session, self.sites, self.tasks, self.prefix = 1000, 7, [], 0, prefix
        self.facts = []  # that the board tells of itself: number and bytes
        self.locks_end = True  # all that is taken is given back, and nothing is lost
        self.lanes, self.packets = [Lane() for _ in range(lanes)], []

    def event(self, kind, reference, words=(), lane=0):
        on = self.lanes[lane]
        on.head = on.head or (on.first, self.now, on.runs)
        words = f" words={','.join(hex(word & 0xffffffff) for word in words)}" if words else ""
        on.events.append(f"{kind} ticks={self.now} reference={reference}{words}")
        on.first += (NUMBERS[kind] & 15) < 12
        if len(on.events) == PACKET_EVENTS:
            self.flush(lane)

    def flush(self, lane):
        on = self.lanes[lane]
        if on.events:
            first, time, context = on.head
            self.packets.append(f"EVENTS lane={lane} slots=62 first={first} time={time} context={context}\n"
                                + "\n".join(on.events))
        on.head, on.events = None, []

    def task(self, name, priority, kind=TASK, reference=None):
        self.tasks += 1
        reference = reference or 1 + 16 * self.tasks
        self.event("CONTEXT_NAME", reference, [kind] + text_words(self.prefix + name))
        self.event("TASK_PRIORITY", reference, [priority, 0])
        return reference

    def interrupt(self, name):
        return self.site(5, name)

    def site(self, kind, name):
        self.sites.append((kind, name))
        return 2 * (len(self.sites) - 1)

    def name(self, identity, name, of=0):
        self.event("OBJECT", identity, [of, 0, 0] + text_words(name))

    def wait(self, us):
        self.now += us

    def run(self, task, lane=0):
        self.event("CONTEXT", task, lane=lane)
        self.lanes[lane].runs = task

    def block(self, why, task, identity=0, lane=0):
        """What the lane runs waits, and that task runs in its place."""
        self.event("TASK_WAITS", identity, [why, 0], lane)
        self.run(task, lane)

    def ready(self, task, waker=0, lane=0):
        self.event("TASK_READY", task, [waker], lane)

    def lose(self, events, us, lane=0):
        """So many did not fit from here on, for so long."""
        self.now += us
        self.event("LOSS", 0, [events, us], lane)
        self.lanes[lane].first += events

    def capture(self):
        for lane in range(len(self.lanes)):
            self.flush(lane)
        sites = "".join(f'\nSITE kind={kind} level=0 line=1 detail={kind == 5:#x} color=0x0'
                        + ("" if name is None else f' name="{name}"') + ' function="" file="a.c"'
                        for kind, name in self.sites)
        names = ",".join(['""'] * len(self.lanes))
        packets = [f'SESSION sequence=0 session={self.session} hz=1000000 now=0 flags=1 sites={len(self.sites)} pointer=4 '
                   f'image="kernel" lanes={len(self.lanes)} names={names}']
        packets += [f"INFO sequence=1\nFACT type={number} value={value.hex()}" for number, value in self.facts]
        packets += [f"SITES sequence={len(packets)} first=0" + sites] if self.sites else []
        for packet in self.packets:
            packets.append(packet.replace("EVENTS", f"EVENTS sequence={len(packets) % 256}", 1))
        return b"kymo\4\r\n\0" + b"".join(map(on_the_wire, packets))


# ---- findings that a newcomer needs ----

def inversion(prefix=""):
    """motor waits for what logger holds, while net runs: 24.6 ms, of which net has 24.1."""
    scene = Scene(prefix=prefix)
    idle = scene.task("idle", 0, IDLE)
    logger, net, motor = scene.task("logger", 1), scene.task("net", 2), scene.task("motor", 3)
    scene.name(BUS, "bus")
    scene.run(net)
    scene.block(EMPTY, motor, QUEUE)
    scene.block(DELAY, logger)
    scene.event("LOCK_OBTAIN", BUS, [0])
    scene.wait(100)
    scene.ready(motor, 16)
    scene.run(motor)
    scene.wait(20)
    scene.block(LOCK, logger, BUS)
    scene.wait(300)
    scene.ready(net, 17)
    scene.run(net)
    scene.wait(24100)
    scene.block(EMPTY, logger, QUEUE)
    scene.wait(200)
    scene.event("LOCK_RELEASE", BUS, [0])
    scene.ready(motor)
    scene.run(motor)
    scene.event("LOCK_OBTAIN", BUS, [0])
    scene.wait(50)
    scene.event("LOCK_RELEASE", BUS, [0])
    scene.block(DELAY, logger)
    scene.wait(30)
    scene.block(DELAY, idle)
    scene.wait(70)
    return scene


def held():
    """low keeps the bus while it sleeps for 20 ms, and high waits for it the longest part of that."""
    scene = Scene()
    idle = scene.task("idle", 0, IDLE)
    low, high = scene.task("low", 1), scene.task("high", 3)
    scene.name(BUS, "bus")
    scene.run(low)
    scene.event("LOCK_OBTAIN", BUS, [0])
    scene.wait(50)
    scene.block(DELAY, idle)
    scene.wait(500)
    scene.ready(high, 16)
    scene.run(high)
    scene.event("LOCK_WAIT", BUS, [0])
    scene.block(LOCK, idle, BUS)
    scene.wait(19500)
    scene.ready(low, 16)
    scene.run(low)
    scene.wait(30)
    scene.event("LOCK_RELEASE", BUS, [0])
    scene.ready(high)
    scene.run(high)
    scene.event("LOCK_OBTAIN", BUS, [0])
    scene.wait(10)
    scene.event("LOCK_RELEASE", BUS, [0])
    scene.block(DELAY, idle)
    scene.wait(100)
    return scene


def deadlock(prefix=""):
    """Each holds what the other waits for."""
    scene = Scene(prefix=prefix)
    scene.locks_end = False
    idle = scene.task("idle", 0, IDLE)
    reader, writer = scene.task("reader", 1), scene.task("writer", 2)
    scene.name(BUS, "bus")
    scene.name(DISK, "disk")
    scene.run(writer)
    scene.block(DELAY, reader)
    scene.event("LOCK_OBTAIN", DISK, [0])
    scene.wait(10)
    scene.ready(writer, 16)
    scene.run(writer)
    scene.event("LOCK_OBTAIN", BUS, [0])
    scene.wait(10)
    scene.block(LOCK, reader, DISK)
    scene.wait(10)
    scene.block(LOCK, idle, BUS)
    scene.wait(1000)
    scene.ready(idle)
    return scene


def starved(prefix=""):
    """slow may run all the time, and never does."""
    scene = Scene(prefix=prefix)
    busy, slow = scene.task("busy", 5), scene.task("slow", 1)
    scene.run(slow)
    scene.wait(500)
    scene.run(busy)
    for _ in range(3):
        scene.wait(100000)
        scene.ready(busy)
    scene.wait(50000)
    scene.block(DELAY, slow)
    scene.wait(10)
    scene.ready(busy, 16)
    return scene


LATE_JITTER = [(37 * at) % 90 for at in range(100)]  # us after each 10 ms


def late(prefix=""):
    """motor has 5 ms each 10 ms: net takes 4.1 ms of its job 50, a wait for a lock is within job 70, and the trace ends
    in its job 99. poll sleeps for 3 ms each time, and says nothing of it."""
    scene = Scene(prefix=prefix)
    idle = scene.task("idle", 0, IDLE)
    motor, net, poll = scene.task("motor", 3), scene.task("net", 5), scene.task("poll", 4)
    scene.name(BUS, "bus")
    scene.run(poll)
    scene.block(DELAY, net)
    scene.block(EMPTY, motor, QUEUE)
    scene.event("TASK_PERIOD", motor, [10000, 5000])
    scene.block(DELAY, idle)
    start = scene.now + 1000
    for at, jitter in enumerate(LATE_JITTER):
        scene.now = start + 10000 * at + jitter
        scene.ready(motor, 16)
        scene.run(motor)
        scene.wait(2000)
        scene.event("OBJECT_PUT", QUEUE, [at % 4 + 1, 0])
        if at % 10 == 9:
            scene.event("TASK_STACK", net, [1000 - at, 1024])
        if at == 50:
            scene.ready(net, 17)
            scene.run(net)
            scene.event("OBJECT_GET", QUEUE, [at % 4, 0])
            scene.wait(4100)
            scene.block(EMPTY, motor, QUEUE)
        if at == 70:
            scene.block(LOCK, idle, BUS)
            scene.wait(500)
            scene.ready(motor)
            scene.run(motor)
        scene.wait(100)
        if at == 99:
            break
        scene.block(DELAY, idle)
        scene.now = start + 10000 * at + 8000
        scene.ready(poll, 16)
        scene.run(poll)
        scene.wait(7)
        scene.block(DELAY, idle)
    scene.wait(3500)
    scene.event("TASK_PRIORITY", idle, [0, 0])
    return scene


def interrupted(prefix, rounds, dense, before, after, rest):
    """An interrupt on a busy core: once in each round, and "dense" times in the middle one. Times in microseconds."""
    scene = Scene(prefix=prefix)
    uart = scene.interrupt("uart")
    work = scene.task("work", 1)
    scene.run(work)
    for at in range(rounds):
        for _ in range(dense if at == rounds // 2 else 1):
            scene.wait(before)
            scene.run(uart)
            scene.wait(after)
            scene.run(work)
        scene.wait(rest)
    scene.ready(work)
    return scene


def storm(prefix=""):
    """An interrupt that comes each 10 ms, and once 1000 times at each 20 us."""
    return interrupted(prefix, 200, 1000, 8, 12, 10000)


def unfinished(prefix=""):
    """motor has 5 ms, and net takes its core until the trace ends; log wakes, and never runs."""
    scene = Scene(prefix=prefix)
    idle = scene.task("idle", 0, IDLE)
    motor, net, log = scene.task("motor", 3), scene.task("net", 5), scene.task("log", 1)
    for task in (net, log):
        scene.run(task)
        scene.block(DELAY, motor)
    scene.event("TASK_PERIOD", motor, [10000, 5000])
    scene.block(DELAY, idle)
    scene.wait(40)
    scene.ready(motor, 16)
    scene.run(motor)
    scene.wait(500)
    scene.ready(log)
    scene.wait(500)
    scene.ready(net, 17)
    scene.run(net)
    scene.wait(8000)
    scene.event("TASK_PRIORITY", net, [5, 0])
    return scene


def frequent(prefix=""):
    """An interrupt that comes each 200 us, and once 2000 times at each 5 us."""
    return interrupted(prefix, 6000, 2000, 1, 4, 195)


def storms(prefix=""):
    """Of two storms of an interrupt the shorter one takes more of the core."""
    scene = Scene(prefix=prefix)
    uart = scene.interrupt("uart")
    work = scene.task("work", 1)
    scene.run(work)
    scene.wait(200000)
    for entries, us in ((200, 40), (1000, 12)):
        for _ in range(entries):
            scene.wait(8)
            scene.run(uart)
            scene.wait(us)
            scene.run(work)
            scene.wait(42 - us if us > 12 else 0)
        scene.wait(200000)
    scene.ready(work)
    return scene


def lost(prefix=""):
    """A task that ran 200 us in all; 1000 of the 1300 us were lost, in which nobody knows what ran."""
    scene = Scene(prefix=prefix)
    a, b = scene.task("a", 1), scene.task("b", 2)
    scene.run(a)
    scene.ready(b, 16)
    scene.wait(100)
    scene.lose(50, 1000)
    scene.run(b)
    scene.wait(100)
    scene.block(DELAY, a)
    scene.wait(100)
    scene.ready(a)
    return scene


def reused(prefix="", tasks=1000):
    """Tasks in two control blocks, each of which ends while it runs; an interrupt returns to what is over."""
    scene = Scene(prefix=prefix)
    tick = scene.interrupt("tick")
    parent = scene.task("parent", 1)
    scene.run(parent)
    for at in range(tasks):
        child = scene.task("child", 2, reference=101 + 16 * (at % 2))
        scene.wait(1)
        scene.ready(child)
        scene.run(child)
        scene.wait(3)
        scene.event("CONTEXT_END", child)
        if at % 7 == 0:
            scene.run(tick)
            scene.wait(1)
            scene.run(child)
        scene.run(parent)
    scene.wait(5)
    scene.ready(parent)
    return scene


def two_cores(prefix=""):
    """Tasks of two cores wake each other and move; one is not said to have left the first."""
    scene = Scene(2, prefix)
    a, b, c = scene.task("a", 1), scene.task("b", 2), scene.task("c", 3)
    scene.run(a)
    scene.run(b, lane=1)
    for _ in range(20):
        scene.wait(10)
        scene.block(NOTIFICATION, c)
        scene.wait(5)
        scene.ready(a, lane=1)
        scene.wait(2)
        scene.block(SEMAPHORE, a, QUEUE, lane=1)
        scene.wait(3)
        scene.ready(b)
        scene.run(b)
        scene.wait(4)
        scene.run(a)
        scene.wait(1)
        scene.run(b, lane=1)
    return scene


def hostile(prefix=""):
    """Interrupts with names that mean something to who shows them, and a plot of a value that is no number."""
    scene = Scene(prefix=prefix)
    names = (r"a\"b\\", "</failure>]]>&", r"\ufffe\uffff", "%0A::error::x", "x|`*_[", "::")
    interrupts = [scene.interrupt(name) for name in names]
    plot = scene.site(2, "nan")
    work = scene.task("work", 1)
    scene.run(work)
    for value in (1.0, 500.0, float("nan"), 3.0):
        scene.event("PLOT_FLOAT", plot, [int.from_bytes(struct.pack("<f", value), "little")])
        scene.wait(1)
    for interrupt in interrupts:
        scene.run(interrupt)
        scene.wait(2)
        scene.run(work)
    scene.ready(work)
    return scene


def hours(prefix=""):
    """A zone of a name of 3900 bytes, each four minutes for forty hours."""
    scene = Scene(prefix=prefix)
    work, zone = scene.task("work", 1), scene.site(0, "long" * 975)
    scene.run(work)
    for _ in range(600):
        scene.event("ZONE_BEGIN", zone)
        scene.wait(5)
        scene.event("ZONE_END", 0)
        scene.wait(240000000)
    scene.ready(work)
    return scene


# ---- a kernel that knows what its tasks do ----

class Truth:
    """Of one task, in us, counted by the kernel itself."""

    def __init__(self, reference, priority):
        self.reference, self.priority, self.state, self.since = reference, priority, "ready", 0
        self.why, self.woken, self.switched_in = DELAY, None, None
        self.run = self.runs = self.preempted = self.waits = self.wakes = 0
        self.latencies, self.waited = [], collections.Counter()


class Kernel:
    """Preemptive, by priority, on one core; what it does is drawn by lot."""

    def __init__(self, seed, tasks, prefix):
        self.draw, self.scene = random.Random(seed), Scene(prefix=prefix)
        self.tick = self.scene.interrupt("tick")
        self.tasks = {}
        for number in range(tasks):
            name = f"task {number}"
            self.tasks[name] = Truth(self.scene.task(name, 1 + number % 7), 1 + number % 7)
        self.idle = Truth(self.scene.task("idle", 0, IDLE), 0)
        self.tasks["idle"] = self.idle
        self.runs, self.interrupts_us = self.idle, 0
        self.idle.state, self.idle.runs = "runs", 1
        self.scene.run(self.idle.reference)
        for task in self.tasks.values():  # each is heard of: the first waits are of no known length
            task.since = self.scene.now
            if task is not self.idle:
                task.state = "new"
        self.span_from = self.scene.now

    def spend(self, us):
        self.scene.wait(us)
        self.runs.run += us

    def dispatch(self):
        able = [task for task in self.tasks.values() if task.state in ("ready", "runs")]
        best = max(able, key=lambda task: (task.priority, task is self.runs, -task.since))
        if best is self.runs and self.runs.state == "runs":
            return
        if self.runs.state == "runs":
            self.runs.state, self.runs.since = "ready", self.scene.now
            self.runs.preempted += 1
        self.scene.run(best.reference)
        if best.woken is not None:
            best.latencies.append(self.scene.now - best.woken)
            best.woken = None
        best.state, best.since = "runs", self.scene.now
        best.runs += 1
        self.runs = best

    def wake(self, task, waker=0):
        self.scene.ready(task.reference, waker)
        if task.state == "waits":
            task.waited[task.why] += self.scene.now - task.since
            task.wakes += 1
            task.woken = self.scene.now
        elif task.state == "new":
            task.wakes += 1
            task.woken = self.scene.now
        if task.state in ("waits", "new"):
            task.state, task.since = "ready", self.scene.now

    def wait(self):
        why = self.draw.choice((DELAY, EMPTY, SEMAPHORE, NOTIFICATION))
        self.scene.event("TASK_WAITS", QUEUE if why == EMPTY else 0, [why, 0])
        self.runs.state, self.runs.why, self.runs.since = "waits", why, self.scene.now
        self.runs.waits += 1

    def interrupt(self):
        self.scene.run(self.tick)
        us = self.draw.randrange(1, 9)
        self.scene.wait(us)
        self.interrupts_us += us
        for task in self.draw.sample(list(self.tasks.values()), 2):
            self.wake(task)
        if self.draw.randrange(2):
            self.scene.run(self.runs.reference)

    def step(self):
        self.spend(self.draw.randrange(1, 200))
        what = self.draw.randrange(4)
        if what == 0:
            self.interrupt()
            if self.scene.lanes[0].runs == self.tick:
                self.return_or_switch()
                return
        elif what == 1 and self.runs is not self.idle:
            self.wait()
        elif what == 2:
            self.wake(self.draw.choice(list(self.tasks.values())))
        self.dispatch()

    def return_or_switch(self):
        before = self.runs
        self.dispatch()
        if self.runs is before:
            self.scene.run(before.reference)


def kernel(prefix="", steps=4000, tasks=12):
    played = Kernel(20261126, tasks, prefix)
    for _ in range(steps):
        played.step()
    played.wake(played.runs)  # says nothing, and is the last event
    for task in played.tasks.values():
        if task.state == "waits":
            task.waited[task.why] += played.scene.now - task.since
    return played


SCENES = {scene.__name__: scene for scene in (inversion, deadlock, late, starved, storm, lost, reused, two_cores)}
OTHERS = {"hostile": hostile, "held": held, "hours": hours, "unfinished": unfinished, "frequent": frequent, "storms": storms}

if __name__ == "__main__":
    played = kernel().scene if sys.argv[1] == "kernel" else {**SCENES, **OTHERS}[sys.argv[1]]()
    sys.stdout.buffer.write(played.capture())
