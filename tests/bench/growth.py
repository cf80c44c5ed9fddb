#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What hostlink takes for N and for 4 N of each thing that a capture can have many of: steps, as instructions counted by
valgrind, grow as the things do, and memory stays within a number of bytes for each. Usage: growth.py HOSTLINK"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
from wire_encoder import on_the_wire, string, varint  # noqa: E402
from wire_packets import packet_with_crc, stuff  # noqa: E402

N = 400
# Ratio of steps for four times as many, where tables that double are at another place of their growth.
RATIO_MAX = 4.4
# Bytes of memory for each thing with all outputs open at once, for each row of the timeline that is still there, and
# for the program itself.
BYTES_MAX = 3000
ROW_BYTES_MAX = 8000
OWN_BYTES = 6 << 20
OUTPUTS = ("csv", "perfetto", "chrome", "csv-events")
# For each zone these write all of those around it, up to 1024: a nest of zones is for the others.
PATHS = ("folded", "speedscope", "pprof")
PACKET_EVENTS = 100


def text(string):
    """Its words: the number of bytes, then the bytes."""
    data = string.encode()
    padded = data + bytes(-len(data) % 4)
    words = [len(data)] + [int.from_bytes(padded[at:at + 4], "little") for at in range(0, len(padded), 4)]
    return ",".join(hex(word) for word in words)


class Capture:
    """Collects packets; events get their times and numbers here."""

    def __init__(self):
        self.packets, self.events, self.sequence = [], [], 0
        self.ticks = self.counted = 0
        self.sites, self.context = 0, 1
        self.session()

    def packet(self, name, rest):
        self.packets.append(on_the_wire(f"{name} sequence={self.sequence % 256} {rest}"))
        self.sequence += 1

    def session(self):
        self.flush()
        self.ticks, self.counted, self.sites, self.context = 1000 * len(self.packets), 0, 0, 1
        self.packet("SESSION", f"session={len(self.packets) + 1} hz=1000000 now={self.ticks} flags=0 sites=0 pointer=4"
                    ' image="many" lanes=1 names=""')

    def site(self, kind, name):
        """The number of a site that is new."""
        self.flush()
        self.packet("SITES", f'first={self.sites}\nSITE kind={kind} level=0 line={self.sites} detail=0x0 color=0x0'
                    f' name="{name}" function="f" file="a.c"')
        self.sites += 1
        return self.sites - 1

    def event(self, kind, reference=None, words=None):
        self.ticks += 3
        self.events.append(f"{kind} ticks={self.ticks}" + (f" reference={reference}" if reference is not None else "")
                           + (f" words={words}" if words is not None else ""))
        if len(self.events) == PACKET_EVENTS:
            self.flush()

    def flush(self):
        if self.events:
            first = int(re.search(r"ticks=(\d+)", self.events[0])[1])
            self.packet("EVENTS", f"lane=0 slots=8 count={len(self.events)} first={self.counted} time={first}"
                        f" context={self.context}\n" + "\n".join(self.events))
            uncounted = ("CONTEXT_NOW", "CALLSTACK", "CONTEXT_NAME", "OBJECT ")
            self.counted += sum(not line.startswith(uncounted) for line in self.events)
            self.context = next((int(re.search(r"reference=(\d+)", line)[1]) for line in reversed(self.events)
                                 if line.startswith("CONTEXT ")), self.context)
            self.events = []

    def bytes(self):
        self.flush()
        return b"kymo\4\r\n\0" + b"".join(self.packets)


def nothing(capture, _):
    """What hostlink takes for a board alone."""
    capture.flush()


def zone(capture, site):
    capture.event("ZONE_BEGIN", 2 * site)
    capture.event("ZONE_END")


def sites(capture, count):
    for i in range(count):
        zone(capture, capture.site(0, f"zone {i}"))


def nameless_sites(capture, count):
    for i in range(count):
        zone(capture, i * 797 % (1 << 20))


def sessions(capture, count):
    for i in range(count // 4):
        capture.session()
        zone(capture, (1 << 20) - 1 - i)
        zone(capture, capture.site(0, "zone"))


def tasks(capture, count):
    for i in range(count):
        capture.event("CONTEXT_NAME", 4097 + 2 * i, "0x2," + text(f"task {i}"))
        capture.event("CONTEXT", 4097 + 2 * i)
        zone(capture, 3)


def ended_tasks(capture, count):
    for i in range(count):
        capture.event("CONTEXT", 4097 + 2 * i)
        zone(capture, 3)
        capture.event("CONTEXT", 1)
        capture.event("CONTEXT_END", 4097 + 2 * i)


def lives(capture, count):
    for _ in range(count):
        ended_tasks(capture, 1)


def interrupts(capture, count):
    for i in range(count):
        capture.event("CONTEXT", 8192 + 2 * i)
        zone(capture, 3)


def open_in_tasks(capture, count):
    for i in range(count):
        capture.event("CONTEXT", 4097 + 2 * i)
        capture.event("ZONE_BEGIN", 6)


def pools(capture, count):
    for i in range(count):
        capture.event("ALLOC", 2 * capture.site(4, f"pool {i}"), "0x1000,0x10")


def discards(capture, count):
    for i in range(count):
        capture.event("ALLOC", 2, hex(0x10000 + i * 16) + ",0x10")
        capture.event("ALLOC", 4, "0x1000,0x10")
        capture.event("MEMORY_DISCARD", 4)


def blocks(capture, count):
    for i in range(count):
        capture.event("ALLOC", 2, hex(0x10000 + i * 16) + ",0x10")
    for i in range(count):
        capture.event("FREE", 2, hex(0x10000 + i * 16))


def locks(capture, count):
    for i in range(count):
        capture.event("LOCK_WAIT", 4096 + 8 * i, "0x0")
        capture.event("LOCK_OBTAIN", 4096 + 8 * i, "0x0")
        capture.event("LOCK_RELEASE", 4096 + 8 * i, "0x0")


def locks_held(capture, count):
    for i in range(count):
        capture.event("LOCK_OBTAIN", 4096 + 8 * i, "0x0")


def shared_locks(capture, count):
    for i in range(count):
        capture.event("CONTEXT", 4097 + 2 * i)
        capture.event("LOCK_OBTAIN_SHARED", 4096, "0x0")


def ended_objects(capture, count):
    for i in range(count):
        capture.event("OBJECT", 4096 + 8 * i, "0x0,0x0,0x0," + text(f"lock {i}"))
        capture.event("LOCK_OBTAIN", 4096 + 8 * i, "0x0")
        capture.event("OBJECT_END", 4096 + 8 * i, "0x0")


def renamed_objects(capture, count):
    for i in range(count):
        capture.event("OBJECT_NAME", 4096, "0x0," + text(f"name {i}"))


def plots(capture, count):
    for i in range(count):
        capture.event("PLOT_INT", 2 * capture.site(2, f"plot {i}"), "0x5")


def frame_sets(capture, count):
    for i in range(count):
        site = capture.site(3, f"set {i}")
        capture.event("FRAME_START", 2 * site)
        capture.event("FRAME_END", 2 * site)


def depth(capture, count):
    for i in range(count):
        capture.event("ZONE_BEGIN", 2 * i)
    for _ in range(count):
        capture.event("ZONE_END")


def lacks_ends(capture, count):
    for _ in range(count):
        capture.event("ZONE_BEGIN", 2)
        capture.event("ZONE_BEGIN", 4)
        capture.event("ZONE_END")


def samples(capture, count):
    for i in range(count):
        capture.event("CALLSTACK", None, f"0x2,{hex(0x8000 + 4 * i)},0x8000,0x0,0x0")
        capture.event("SAMPLE", None, "0x3e8")


def stacks(capture, count):
    for i in range(count):
        capture.event("CALLSTACK", None, f"0x3,{hex(0x8000 + 4 * i)},{hex(0x18000 + 4 * i)},0x8000,0x0,0x0,0x0")
        zone(capture, 3)


def functions(capture, count):
    for i in range(count):
        capture.event("FUNCTION_BEGIN", 0x8000 + 4 * i, "0x0")
        capture.event("FUNCTION_END", 0x8000 + 4 * i, "0x0")


def messages(capture, count):
    site = capture.site(1, "message")
    for i in range(count):
        capture.event("MESSAGE_TEXT", 2 * site, "0x80000000," + text(f"said {i}"))


def notes(capture, count):
    capture.event("ZONE_BEGIN", 6)
    for i in range(count):
        capture.event("ZONE_TEXT", None, text(f"note {i}"))
    capture.event("ZONE_END")


def counts(capture, count):
    capture.event("ZONE_BEGIN", 6)
    for i in range(count):
        capture.event("ZONE_COUNT", 2 * capture.site(7, f"count {i}"), "0x1")
    capture.event("ZONE_END")


def large_things(capture, count):
    for i in range(count):
        capture.flush()
        capture.packet("LARGE", f'flags=3 id={i + 1} total=4 offset=0 type=1 name="file {i}" bytes=01020304')


def params(capture, count):
    for i in range(count):
        site = capture.site(6, f"param {i}")
        capture.packet("PARAM", f"site={site} value=1 least=0 greatest=9")


# ---- packets ----

def states(capture, count):
    for i in range(count):
        capture.event("ZONE_BEGIN", 6)
        capture.event("ZONE_END")
        capture.flush()
        capture.packet("STATUS", f"flags=0 now={capture.ticks}\nLANE events={capture.counted} refused=0")


def facts(capture, count):
    for i in range(count):
        capture.packet("INFO", f"\nFACT type={200 + i} value=0102")


def lines_printed(capture, count):
    for i in range(count):
        capture.packet("TEXT", f'text="line {i}"')
        capture.packets.append(f"said by {i}\r\n".encode() + b"\0")


def unknown_packets(capture, count):
    for i in range(count):
        capture.packets.append(stuff(packet_with_crc(12, i % 256, varint(i))) + b"\0")


def damaged_packets(capture, count):
    zone(capture, 3)
    for i in range(count):
        capture.packets.append(stuff(packet_with_crc(4, i % 256, varint(i))[:-1]) + b"\0")


def losses(capture, count):
    for _ in range(count):
        capture.counted += 1
        zone(capture, 3)
        capture.flush()


def copies(capture, count):
    for _ in range(count):
        zone(capture, 3)
        capture.flush()
        capture.packets.append(capture.packets[-1])


def refused_packets(capture, count):
    """Each says that more were lost than can have been."""
    zone(capture, 3)
    for i in range(count):
        capture.flush()
        counted, capture.counted = capture.counted, (1 << 50) + i * (1 << 45)
        zone(capture, 3)
        capture.flush()
        capture.counted = counted


def host_clocks(capture, count):
    for i in range(count):
        capture.flush()
        capture.packet("HOST_CLOCK", f"monotonic_ns={i * 20000000} unix_ns={1700000000000000000 + i * 20000000}")
        capture.packet("PONG", f"cookie={i * 20000000} read={capture.ticks} answered={capture.ticks}")


def symbols(capture, count):
    for i in range(count):
        body = (varint(0x8000 + i) + varint(0x8000) + varint(count) + varint(2) + string(b"inner %d" % i)
                + string(b"in.c") + varint(i) + string(b"main") + string(b"%d.c" % i) + varint(7))
        capture.packets.append(stuff(packet_with_crc(25, 0, body)) + b"\0")
        capture.event("CALLSTACK", None, f"0x1,{hex(0x8000 + i)},0x0")
        capture.event("SAMPLE", None, "0x3e8")


def pieces(capture, count):
    for i in range(count):
        first = ' type=0 name="a file"' if i == 0 else ""
        capture.packet("LARGE", f"flags={i == 0:d} id=1 total={4 * count} offset={4 * i}{first} bytes=01020304")


def cancelled_things(capture, count):
    for i in range(count):
        capture.packet("LARGE", f'flags=1 id={i + 1} total=8 offset=0 type=1 name="file {i}" bytes=01020304')
        capture.packet("LARGE", f"flags=2 id={i + 1} total=8 offset=4 bytes=00")


def hostile_sessions(capture, count):
    """All that a session can have, and another image each time."""
    for i in range(count // 16):
        capture.flush()
        capture.session()
        names = ",".join(f'"core {i} {lane}"' for lane in range(8))
        capture.packet("SESSION", f"session={len(capture.packets)} hz=1000000 now=0 flags=0 sites=0 pointer=4"
                       f' image="image {i}" lanes=64 names={names}')
        capture.event("CONTEXT", 4097)
        capture.event("ZONE_BEGIN", 2 * capture.site(0, f"zone {i}"))
        capture.event("ALLOC", 2 * capture.site(4, f"pool {i}"), "0x1000,0x10")
        capture.event("FRAME_START", 2 * capture.site(3, f"set {i}"))
        capture.event("PLOT_INT", 2 * capture.site(2, f"plot {i}"), "0x5")
        capture.event("LOCK_OBTAIN", 4096, "0x0")
        capture.event("CONTEXT", 8192)


# ---- more of one thing ----

def clock_changes(capture, count):
    for i in range(count):
        capture.event("CLOCK", None, f"{hex((i + 1) << 8)},{hex(1000000 + i)},0x8000,{hex(i)},0x0")
        zone(capture, 3)


def renamed_tasks(capture, count):
    for i in range(count):
        capture.event("CONTEXT_NAME", 4097, "0x2," + text(f"task {i}"))


def switches(capture, count):
    for i in range(count):
        capture.event("CONTEXT", 4097 + 2 * (i % 3))


def marks(capture, count):
    for _ in range(count):
        capture.event("LOCK_MARK", 4096, "0x0,0x6")


def objects(capture, count):
    for i in range(count):
        capture.event("OBJECT", 4096 + 8 * i, "0x0,0x0,0x1," + text(f"queue {i}"))


def one_name(capture, count):
    """Sites of one pool, of one plot and of one set."""
    for i in range(count):
        capture.event("ALLOC", 2 * capture.site(4, "pool"), hex(0x1000 + 16 * i) + ",0x10")
        capture.event("PLOT_INT", 2 * capture.site(2, "plot"), "0x5")
        capture.event("FRAME_START", 2 * capture.site(3, "set"))


def plot_configs(capture, count):
    site = capture.site(2, "plot")
    for i in range(count):
        capture.event("PLOT_CONFIG", 2 * site, hex(i % 8))


def infos(capture, count):
    for i in range(count):
        capture.event("APP_INFO", None, text(f"info {i}"))


def formats(capture, count):
    for i in range(count):
        capture.event("MESSAGE", 2 * capture.site(1, f"message {i} of %u"), "0x7")


def recursion(capture, count):
    for _ in range(count):
        capture.event("FUNCTION_BEGIN", 0x8000, "0x0")


def functions_left(capture, count):
    """Functions that are left without their ends, each around another."""
    for i in range(count):
        capture.event("FUNCTION_BEGIN", 0x8000 + 4 * (i % 7), "0x0")
        capture.event("FUNCTION_BEGIN", 0x9000 + 4 * (i % 5), "0x0")
        capture.event("FUNCTION_END", 0x8000 + 4 * (i % 7), "0x0")


def ends_without_begins(capture, count):
    for _ in range(count):
        capture.event("ZONE_END")
        capture.event("FREE", 2, "0x1000")
        capture.event("LOCK_RELEASE", 4096, "0x0")


def kernel_tasks(capture, count):
    """Tasks that wait for a queue of their own, each woken by the one after it."""
    for i in range(count):
        task, queue = 4097 + 2 * i, 4096 + 8 * i
        capture.event("CONTEXT", task)
        capture.event("TASK_PRIORITY", task, hex(i % 8) + ",0x0")
        capture.event("TASK_STACK", task, "0x40,0x400")
        if i:
            capture.event("OBJECT_PUT", queue - 8, "0x1,0x0")
            capture.event("TASK_READY", task - 2, "0x0")
        capture.event("TASK_WAITS", queue, "0x2,0x0")


ROWS = (kernel_tasks, tasks, interrupts, open_in_tasks)
NESTS = (depth, lacks_ends, recursion)
# Things that are counted together; where they take too many steps, each is counted apart.
GROUPS = (
    (sites, nameless_sites, sessions, counts, params),
    (tasks, ended_tasks, lives, interrupts, open_in_tasks),
    (pools, discards, blocks, plots, frame_sets),
    (locks, locks_held, shared_locks, ended_objects, renamed_objects),
    (kernel_tasks,),
    (samples, stacks, functions, messages, notes, large_things),
    (states, facts, lines_printed, unknown_packets, damaged_packets, losses, copies, refused_packets, host_clocks),
    (symbols, pieces, cancelled_things, hostile_sessions, clock_changes, renamed_tasks, switches),
    (marks, objects, one_name, plot_configs, infos, formats, functions_left, ends_without_begins),
    NESTS,
)


# For tables, budgets and comparisons.
TABLED = (sites, kernel_tasks, interrupts, locks, pools, blocks, plots, frame_sets, stacks, messages)
TABLES = "--frames --interrupts --locks --memory --plots --messages --tasks --longest all --stacks"


class Tries:
    """Captures in a folder, and what hostlink takes for them."""

    def __init__(self, hostlink, folder):
        self.hostlink, self.folder = hostlink, folder

    def arguments(self, things, count):
        path = f"{self.folder}/{'+'.join(thing.__name__ for thing in things)}-{count}.kymo"
        if not os.path.exists(path):
            data = b""
            for thing in things:
                capture = Capture()
                thing(capture, count)
                data += capture.bytes()[0 if not data else 8:]
            pathlib.Path(path).write_bytes(data)
        outputs = [word for name in OUTPUTS + (() if things[0] in NESTS else PATHS) for word in ("-o", f"{name}:{self.folder}/{name}.out")]
        return path, [self.hostlink, "convert", "-q", path, *outputs]

    def table_arguments(self, things, count):
        """Each way to look at one capture: tables, itself, and limits of names that it lacks."""
        path = self.arguments(things, count)[0]
        budget = f"{self.folder}/budget-{count}.txt"
        pathlib.Path(budget).write_text("".join(f'zone "zome {i}" max 1 s\n' for i in range(count)))
        return ([self.hostlink, "stats", "--json", *TABLES.split(), path], [self.hostlink, "compare", path, path],
                [self.hostlink, "check", path, "--budget", budget])

    def run(self, command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 7):
            sys.exit(f"'{' '.join(command)}' ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stderr

    def steps(self, things, count):
        return self.steps_of(self.arguments(things, count)[1])

    def steps_of(self, command):
        valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        said = self.run(valgrind + command)
        return int(re.search(r"I\s+refs:\s+([\d,]+)", said)[1].replace(",", ""))

    def ratio(self, things, start):
        return (self.steps(things, 4 * N) - start) / (self.steps(things, N) - start)

    def fits(self, things, count):
        """With no more memory than that."""
        most = OWN_BYTES + count * (ROW_BYTES_MAX if things[0] in ROWS else BYTES_MAX)
        done = subprocess.run(self.arguments(things, count)[1], capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
        return done.returncode == 0


def main():
    if len(sys.argv) != 2 or not os.path.exists(sys.argv[1]):
        sys.exit(__doc__)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kymo.growth.") as folder:
        tries = Tries(os.path.abspath(sys.argv[1]), folder)
        start = tries.steps((nothing,), 1)
        for group in GROUPS:
            names = ", ".join(thing.__name__ for thing in group)
            ratio = tries.ratio(group, start)
            print(f"{names}: {ratio:.2f} times the steps for 4 times as many")
            if ratio > RATIO_MAX:
                failed = 1
                for thing in group:
                    print(f"FAILED: {thing.__name__}: {tries.ratio((thing,), start):.2f} times, at most {RATIO_MAX}")
            for thing in group:
                if not tries.fits((thing,), 4 * N):
                    failed = 1
                    print(f"FAILED: {thing.__name__}: {4 * N} take too much memory")
        few, many = tries.table_arguments(TABLED, N), tries.table_arguments(TABLED, 4 * N)
        for one, other in zip(few, many):
            ratio = tries.steps_of(other) / tries.steps_of(one)
            print(f"hostlink {one[1]}: {ratio:.2f} times the steps for 4 times as many")
            if ratio > RATIO_MAX:
                failed = 1
                print(f"FAILED: at most {RATIO_MAX}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
