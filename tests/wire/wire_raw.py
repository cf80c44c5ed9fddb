"""The records of a RAW packet's body (runtime/MEMORY.md, "Records"), as events."""
import struct

from wire_packets import Malformed, NUMBERS

LONG, END64, CLOCK64, END32 = 1, 2, 3, 7
SHORT = {0: "ZONE_BEGIN", 4: "CONTEXT", 5: "CONTEXT_NOW", 6: "FRAME"}


class Raw:
    """A RAW packet like an EVENTS packet: its head, and as many events as agree with the pages."""
    slots = None

    def __init__(self, body):
        if len(body) < 36:
            raise Malformed("body too short")
        (self.lane, self.site_bytes, words, self.sum, self.sites, self.site_count, self.first, self.time,
         self.context) = struct.unpack_from("<BBHIIIQQI", body)
        if len(body) != 36 + 4 * words:
            raise Malformed("length")
        self.lane &= 63
        self.words = struct.unpack_from(f"<{words}I", body, 36)
        self.events, self.ticks, at = [], self.time, 0
        try:
            while at < words:
                at += self.record(at)
            self.count = len(self.events)
        except Malformed:
            self.count = len(self.events) + 1

    def reference(self, address):
        offset = (address - self.sites) & 0xffffffff
        if offset < min(self.site_count * self.site_bytes, 0xffffffff):
            return offset // self.site_bytes * 2
        return ((address >> 3) * 2 + 1) & 0xffffffff

    def event(self, kind, reference=0, words=()):
        self.events.append((kind, reference, self.ticks, list(words)))

    def record(self, at):
        """Returns its length in words."""
        if len(self.words) - at < 2:
            raise Malformed("half a record")
        first, second = self.words[at:at + 2]
        tag = first & 7
        length = self.long_length(first, at) if tag == LONG else 2
        if tag in (END64, CLOCK64):
            self.ticks = second << 29 | first >> 3
        else:
            step = (second - self.ticks) & 0xffffffff
            self.ticks = (self.ticks + step - (step >> 31 << 32)) & 0xffffffffffffffff
        if tag == LONG:
            self.long_event(first, at + 2)
        elif tag in (END64, END32):
            self.event(NUMBERS["ZONE_END"])
        elif tag != CLOCK64:
            self.event(NUMBERS[SHORT[tag]], self.reference(first & ~7))
        return length

    def long_length(self, first, at):
        kind, length = first >> 3 & 255, (first >> 24) * 2
        needed = 2 + (kind >> 4 & 1) + (first >> 16 & 255)
        if kind in (0, 255) or needed > length or length > len(self.words) - at:
            raise Malformed("long record")
        return length

    def long_event(self, first, at):
        kind, count = first >> 3 & 255, first >> 16 & 255
        reference = 0 if not kind & 16 else self.words[at] if kind & 64 else self.reference(self.words[at])
        at += kind >> 4 & 1
        self.event(kind, reference, self.words[at:at + count] if kind & 32 else ())
