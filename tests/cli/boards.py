# SPDX-License-Identifier: MIT
"""Two boards that send each other messages, each with a clock of its own, and what a host kept of them.

  boards.py make FOLDER         a.kymo and b.kymo, which is reset once; c.kymo without pings, d.kymo without the host's clock,
                                e.kymo as b.kymo, but reset just before the end
  boards.py split ALL.kymo A.kymo B.kymo    the pieces of each board are its capture
  boards.py check EVENTS.csv BOUND_A_NS BOUND_B_NS    every message took as long as it did, within the error of its arrow,
                  which is no greater than those of its boards
"""
import csv
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
from wire_decoder import Body  # noqa: E402
from wire_encoder import on_the_wire  # noqa: E402
from wire_packets import packet_of  # noqa: E402

SECONDS, MESSAGES_A_SECOND = 60, 20
UNIX_NS = 1_700_000_000_000_000_000
BOOT_NS = 5_000_000_000_000
# Settings of the boards: parts per million, and their clocks at the start.
BOARDS = {"a": (100, 12_000_000), "b": (-80, 900_000_000)}
STAMP_NS = 20_000_000
SITE = ('SITES sequence=1 first=0\nSITE kind=8 level=0 line=1 detail=0x0 color=0x0 name="mail" function="" file="m.c"\n'
        'SITE kind=0 level=0 line=2 detail=0x0 color=0x0 name="work" function="" file="m.c"\n'
        'SITE kind=4 level=0 line=3 detail=0x0 color=0x0 name="heap" function="" file="m.c"')
BLOCK = 0x20000000
# By board: when that block is allocated, and its size; it is not freed, but b is reset between the two.
BLOCKS = {"a": ((1_000_000_000, 64),), "b": ((2_000_000_000, 48), (40_000_000_000, 32))}


def messages():
    """(ns of sending, ns of receiving, sender, receiver) by number."""
    chance = random.Random(28)
    out = []
    for number in range(SECONDS * MESSAGES_A_SECOND):
        sent = (number * 1_000_000_000 // MESSAGES_A_SECOND) + chance.randrange(20_000_000) + 500_000_000
        ends = ("a", "b") if number % 2 else ("b", "a")
        out.append((sent, sent + chance.randrange(50_000, 4_000_000), *ends))
    return out


class Board:
    def __init__(self, name, resets_at=None, lanes=("main",), until=(SECONDS + 2) * 1_000_000_000):
        self.name, self.lanes, self.until, (self.ppm, self.start) = name, lanes, until, BOARDS[name]
        self.chance = random.Random(name)
        self.resets_at = resets_at
        self.arrivals = []  # (ns, text)
        self.sequence = 1

    def ticks(self, ns):
        """A microsecond is a tick, by its own clock."""
        start, since = (self.start, ns) if not self.is_reset(ns) else (3_000, ns - self.resets_at)
        return start + since * (1_000_000 + self.ppm) // 1_000_000_000

    def is_reset(self, ns):
        return self.resets_at is not None and ns >= self.resets_at

    def send(self, ns, text):
        """It comes some time after that; packets do not overtake each other."""
        before = self.arrivals[-1][0] if self.arrivals else 0
        self.arrivals.append((max(ns + self.chance.randrange(400_000, 3_000_000), before + 1000), text))

    def numbered(self, text):
        self.sequence += 1
        kind, rest = text.split(" ", 1)
        return f"{kind} sequence={self.sequence % 256} {rest}"

    def session(self, ns, number):
        self.send(ns, f'SESSION sequence={self.sequence % 256} session={number} hz=1000000 now={self.ticks(ns)} flags=1 '
                      f'sites=3 pointer=4 image="twin" lanes={len(self.lanes)} names="{",".join(self.lanes)}"')
        self.send(ns, SITE)

    def play(self):
        self.session(0, 7)
        happens = []
        for number, (sent, received, sender, receiver) in enumerate(messages()):
            happens += [(sent, "FLOW_SEND", number)] if sender == self.name else []
            happens += [(received, "FLOW_RECEIVE", number)] if receiver == self.name else []
        happens += [(at, "ALLOC", size) for at, size in BLOCKS[self.name]]
        happens.sort()
        first, was_reset = 0, False
        for slot in range(0, self.until, 50_000_000):
            end = slot + 50_000_000
            now = [event for event in happens if slot <= event[0] < end]
            if self.is_reset(slot) and not was_reset:
                self.session(slot, 8)
                first, was_reset = 0, True
            if now:
                lines = "".join(f"\n{kind} ticks={self.ticks(at)} " + (
                    f"reference=4 words={BLOCK:#x},{number:#x}" if kind == "ALLOC"
                    else f"reference=0 words={number + (1 << 40) & 0xffffffff:#x},0x100") for at, kind, number in now)
                self.send(end, self.numbered(
                    f"EVENTS lane=0 slots=62 first={first} time={self.ticks(now[0][0])} context=1" + lines))
                first += len(now)
            if slot % 1_000_000_000 == 0 and slot > 0 or was_reset and len(self.lanes) > 1:
                self.ping(end)

    def ping(self, ns):
        read = ns + self.chance.randrange(5_000, 2_000_000)
        before = self.arrivals[-1][0]
        came = max(read + self.chance.randrange(5_000, 40_000), before + 1000)
        self.arrivals.append((came, self.numbered(
            f"PONG cookie={BOOT_NS + ns} read={self.ticks(read)} answered={self.ticks(read)}")))

    def capture(self, pings=True, clock=True):
        out, stamped = b"kymo\4\r\n\0", None
        for ns, text in self.arrivals:
            is_pong = text.startswith("PONG")
            stamp = on_the_wire(f"HOST_CLOCK sequence=0 monotonic_ns={BOOT_NS + ns} unix_ns={UNIX_NS + ns}")
            if is_pong and not pings:
                continue
            if clock and (stamped is None or ns - stamped >= STAMP_NS):
                out, stamped = out + stamp, ns
            out += on_the_wire(text) + (stamp if is_pong and clock else b"")
        return out


def make(folder):
    a, b = Board("a"), Board("b", resets_at=31_000_000_000)
    # Its last session is over before the events of it are known to be in order, as nothing comes of its other core.
    e = Board("b", resets_at=60_350_000_000, lanes=("main", "other"), until=60_600_000_000)
    for board in (a, b, e):
        board.play()
    for name, data in (("a", a.capture()), ("b", b.capture()), ("c", b.capture(pings=False)),
                       ("d", b.capture(pings=False, clock=False)), ("e", e.capture())):
        (folder / f"{name}.kymo").write_bytes(data)


def split(path, *captures):
    """By the page of the wire format alone."""
    data, at, streams, names = path.read_bytes(), 8, {}, {}
    while at < len(data):
        zero = data.index(0, at)
        packet = packet_of(data[at:zero])
        kind, read = packet[0] & 31, Body(packet[2:])
        board, size, name = read.varint(), read.varint(), read.string().decode()
        if kind != 26 or names.setdefault(board, name) != name:
            sys.exit(f"no BOARD packet at {at}: {kind} {name}")
        streams[board] = streams.get(board, b"") + data[zero + 1:zero + 1 + size]
        at = zero + 1 + size
    for board, capture in enumerate(captures):
        if names[board] != capture.stem or streams[board] != capture.read_bytes()[8:]:
            sys.exit(f"the pieces of {names[board]} are not {capture}")


def check(path, bound_a, bound_b):
    sent, seen, wrong = {}, 0, []
    true = messages()
    rows = [row for row in csv.DictReader(open(path, newline="", encoding="utf-8")) if row["kind"].startswith("flow ")]
    for row in rows:
        if row["kind"] == "flow send":
            sent[int(row["value"]) - (1 << 40)] = int(row["time_ns"])
    for row in rows:
        number = int(row["value"]) - (1 << 40)
        if row["kind"] == "flow receive" and number in sent:
            seen += 1
            took, really = int(row["time_ns"]) - sent[number], true[number][1] - true[number][0]
            bound = int(row["text"].split()[2])  # "clock error N ns"
            if abs(took - really) > bound + 2000 or bound > bound_a + bound_b:  # a tick at both ends
                wrong.append(f"message {number}: {took} ns, really {really}")
    if wrong or seen != len(true):
        sys.exit(f"{seen} of {len(true)} messages, {len(wrong)} wrong: {wrong[:5]}")


if __name__ == "__main__":
    if sys.argv[1] == "damage":  # the head of the first board's first piece, behind those that say which boards there are
        data = bytearray(pathlib.Path(sys.argv[2]).read_bytes())
        data[data.index(0, data.index(0, 8) + 1) + 3] ^= 0xff
        pathlib.Path(sys.argv[3]).write_bytes(data)
    elif sys.argv[1] == "split":
        split(*map(pathlib.Path, sys.argv[2:]))
    elif sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        check(sys.argv[2], *map(int, sys.argv[3:]))
