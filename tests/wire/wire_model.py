# SPDX-License-Identifier: MIT
"""The model of the events' bytes (runtime/WIRE.md, section 4, "The bytes"): encoder and decoder keep the same."""
from wire_packets import NUMBERS, TABLE

ZONE_END, ZONE_BEGIN, CALLSTACK = (NUMBERS[name] for name in ("ZONE_END", "ZONE_BEGIN", "CALLSTACK"))
NEAR_CONTEXT = {kind.number for kind in TABLE if kind.reference == "CONTEXT"}
# Sizes: the number of slots, of pairs, of values.
SIZES = ((8, 32, 8), (16, 64, 16), (32, 128, 32), (62, 128, 32))
FRAMES_MAX = 62
SPARED = 4
M32 = 0xffffffff


def change(value, before):
    difference = (value - before) & M32
    if difference < 0x80000000:
        return 2 * difference
    return 2 * (0x100000000 - difference) - 1


def changed(folded, before):
    """The value whose change against the one before is `folded`."""
    difference = -(folded + 1) // 2 if folded & 1 else folded // 2
    return (before + difference) & M32


class Pair:
    def __init__(self):
        self.next = self.last = 0
        self.by_change = False

    def was_time(self, delta):
        self.by_change = change(delta, self.last) < delta
        self.last = delta % (1 << 25)


class Slot:
    def __init__(self, kind=0, reference=0, count=0):
        self.kind, self.reference, self.count = kind, reference, count
        self.used = False

    def key(self):
        return self.kind, self.reference, self.count


def inside(caller):
    """Where `calls` has what was called by that."""
    return (caller & 0xffff) * 0x9e35 % (1 << 32) // 32 % 64


def frames_of(words):
    """Addresses of a STACK payload, the innermost first, as far as it is sound."""
    count = min(words[0], len(words) - 1) if words else 0
    high = words[1 + words[0]:] if words else []
    return [words[1 + at] | (high[at] if at < len(high) else 0) << 32 for at in range(min(count, FRAMES_MAX))]


def stack_of(frames):
    """The payload of these addresses."""
    high = [address >> 32 for address in frames]
    return [len(frames)] + [address & M32 for address in frames] + (high if any(high) else [])


class Model:
    """What encoder and decoder both remember within one packet."""

    def __init__(self, size, context):
        self.size, pairs, values = next(sizes for sizes in SIZES if sizes[0] == size)
        self.slots = [Slot() for _ in range(size)]
        self.slots[0] = Slot(ZONE_END)
        self.defined = self.victim = 1
        self.pairs = [Pair() for _ in range(pairs)]
        self.pair = 0
        self.values = [0] * values
        self.references = {"object": 0, "task": context | 1}
        self.calls, self.high = [0] * 64, 0

    def expected(self):
        return self.pairs[self.pair].next

    def value(self, number, word):
        return (number + 5 * word) % len(self.values)

    def find(self, kind, reference, count):
        """The slot of such events, or None."""
        return next((number for number in range(self.defined)
                     if self.slots[number].key() == (kind, reference, count)), None)

    def place(self):
        """The number of the slot that a new one gets, which is still to be defined there."""
        if self.defined < self.size:
            self.defined += 1
            return self.defined - 1
        for _ in range(SPARED):
            if not self.slots[self.victim].used:
                break
            self.slots[self.victim].used = False
            self.advance()
        number = self.victim
        self.advance()
        return number

    def advance(self):
        self.victim = self.victim + 1 if self.victim < self.size - 1 else 1

    def enter(self, number):
        """The event of this slot is the last one from now on. Returns the pair of it and the one before."""
        self.pairs[self.pair].next = number
        self.pair = (len(self.pairs) // 4 * self.pair + number) % len(self.pairs)
        return self.pairs[self.pair]


def near(kind):
    """What the reference of a new slot of this kind is near to; None: it is a site's. A context that is a site, an even
    number, is near to nothing."""
    if kind & 64:
        return "object"
    return "task" if kind in NEAR_CONTEXT else None
