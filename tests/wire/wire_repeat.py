# SPDX-License-Identifier: MIT
"""Packets that come again, by WIRE.md, section 4."""
TAKE, DROP, COPIES, ANEW = range(4)
EVENTS_MAX = 32
# Where a packet stands to its lane.
FOLLOWS, FIRST, REPEATED, OTHER_FIRST = range(4)


class Repeats:
    def __init__(self):
        self.held = []
        self.restart()
        self.release()

    def restart(self):
        self.known, self.clock, self.last = set(), 0, None

    def release(self):
        held, self.held = self.held, []
        self.back = self.from_start = False
        return held

    def events(self):
        return [raw for kind, raw in self.held if kind == "EVENTS"]

    def anew(self):
        return bool(self.events()) and self.back and self.from_start

    def goes_on(self):
        return ANEW if self.anew() else COPIES if self.held else TAKE

    def old(self, raw, first, order):
        known, lane_is_new = raw in self.known, order == FIRST
        if raw == self.last or raw in self.events():
            return DROP
        if order == OTHER_FIRST or (self.back and not known and not lane_is_new):
            return ANEW
        self.from_start = self.from_start or (first == 0 and not lane_is_new)
        if known and not self.back:
            return DROP
        if len(self.events()) == EVENTS_MAX:
            return ANEW
        self.held.append(("EVENTS", raw))
        return DROP

    def of_events(self, raw, packet, order):
        if order == FOLLOWS or (order == FIRST and not self.back):
            verdict = self.goes_on()
        else:
            verdict = self.old(raw, packet.first, order)
        if verdict != DROP:
            self.clock = max(self.clock, packet.time)
            self.known.add(raw)
        self.last = raw
        return verdict

    def of_clock(self, name, raw, ticks):
        if raw == self.last:
            return DROP
        self.last = raw
        if ticks >= self.clock:
            self.clock = ticks
            return self.goes_on()
        self.back = self.back or name == "SESSION"
        return self.of_sites(name, raw)

    def of_sites(self, name, raw):
        self.last = raw
        if not self.back:
            return TAKE
        self.held.append((name, raw))
        return DROP
